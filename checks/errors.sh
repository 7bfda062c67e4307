#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What is wrong in a variable is refused in a line that names it, with exit code 2, and nothing is
# built; what is right is accepted.
#
# Control: Values that are right are not refused.
# Takes: 20 s; first
. checks/lib/checks.sh
. checks/lib/index.sh

# refused NAME=VALUE [SETTING...]: make names the variable, ends with 2, and did nothing.
# The model is what the machine has by default.
refused()
{
	cache=$TMP/untouched
	code=0
	env -u CPU_MODEL timeout 300 make run IDLE_LATENCY_CACHE="$cache" "$@" \
		>"$TMP/refused" 2>&1 || code=$?
	[ "$code" -eq 2 ] && [ ! -e "$cache" ] &&
		[ "$(grep -c "^${1%%=*}=.*: takes " "$TMP/refused")" -eq 1 ]
}

# accepted SETTING...: make has nothing to say about them.
accepted()
{
	env -u CPU_MODEL make --no-print-directory variables "$@" >"$TMP/accepted" 2>&1 &&
		[ ! -s "$TMP/accepted" ]
}

# other_has MACHINE MODEL OTHER: the model is refused there, and it says that the other one has it.
other_has()
{
	refused "CPU_MODEL=$2" "MACHINE=$1" && grep -q ", and this one with MACHINE=$3\$" "$TMP/refused"
}

# lacking MODEL WORD WHAT: the word of TRUTH is refused, as the processor has no such thing.
lacking()
{
	refused "TRUTH=$2" MACHINE=qemu CPU_MODEL="$1" CPUS=2 &&
		grep -q "$1 has, and it has no $3.*; cannot use '$2'\$" "$TMP/refused"
}

# lists: as many checks as there are, and runs none.
lists()
{
	make --no-print-directory check LIST=1 IDLE_LATENCY_CACHE="$TMP/untouched" >"$TMP/listed" &&
		[ "$(wc -l <"$TMP/listed")" -eq "$(check_files | wc -l)" ] && [ ! -e "$TMP/untouched" ]
}

check_variables()
{
	for setting in MACHINE=vmware CPU_MODEL=i386sx CPU_MODEL= 'CPU_MODEL=a b' CPU_MODEL=sierra_forest \
		METHODS=nic METHODS= 'METHODS=hrt,tdt' \
		SAMPLES=0 SAMPLES=100001 SAMPLES=1e3 SAMPLES= \
		LDIST=5 LDIST=0:5 LDIST=9:5 LDIST=1:50000001 LDIST=1:2:3 \
		SWEEP=1:2 SWEEP=1:2:10 SWEEP=1:2:0% SWEEP=1:2:101% SWEEP=2:1:10% SWEEP=0:1:10% \
		SWEEP=1:50000001:10% SWEEP=1:2:3:10% SWEEP=20000:2000000:2% \
		SIM=C1:2000 TRUTH=C1:900 CARD=i226 CPUS=2 TABLE=C6 TABLE=C6:95 HZ=100 KERNEL=debian-11 \
		MEASURE=all MEASURE=0 HOLD=core HOLD=cores HOLD=package,core SET=prewake SET=prewake=no 'SET=,' SET=off \
		SET=prewake=off,prewake=on SET=package-limit=off SET=package-limit=pc11 \
		SET=package-limit=6 SET=aspm=l1 SET=turbo=off 'SET=prewake=off;demotion=off' \
		QUANTILE=0 QUANTILE=0.0 QUANTILE=1.1 QUANTILE=99 QUANTILE=.9 QUANTILE=0. \
		QUANTILE=0.1234567891 QUANTILE=p99 FORCE=0 FORCE=yes \
		OUT= OUT=Makefile RUNS=/nonexistent RUNS=-x 'RUNS=a,b' KDIR=/nonexistent KDIR=Makefile \
		DRY=1 DRY=yes VARY=prewake VARY=prewake=on VARY=turbo=on,off VARY=prewake=on,on \
		'VARY=prewake=on,off prewake=off' VARY=package-limit=pc2,pc11 VARY=hold=none,no \
		'VARY=prewake=on,off;hold=none' \
		LONG=2 STEPS=nonsense STEPS=lib/index 'STEPS=kunit,figures' LIST=yes JOBS=0 JOBS=many IDLE_LATENCY_CACHE=relative 'IDLE_LATENCY_CACHE=/a b'; do
		expect "refused: $setting" refused "$setting"
	done
	# What takes MACHINE=qemu; the states are those of its i7_3770k.
	for setting in CPU_MODEL=corei7_ivy_bridge_3770k CPU_MODEL= CPU_MODEL=lib/i7_4790 TRUTH=C7:900 TRUTH=C1 \
		TRUTH=C1:900: TRUTH=C1:1e3 TRUTH=C1:900:entry TRUTH=C1:900:exit=5 \
		TRUTH=C1:1000000000 TRUTH=C1:900:after=5/5/C11 TRUTH=C1:900:outlier=0/5 \
		TRUTH=C1:900:after=9/5,after=9/6 TRUTH=prewake= TRUTH=seed TRUTH=no-pc7 \
		TRUTH=C1:900,C6:900 'TRUTH=C6:1:after=9/1 C6:1:after=5/1' TRUTH=C1:0:demote=2 \
		TRUTH=rapl=4294967296 TRUTH=frequency=0 TRUTH=frequency=1000 TRUTH=ramp=5 \
		TRUTH=ramp=5/0 TRUTH=stuck=64 TRUTH=C1:900:first=0/5 TRUTH=C1:900:first=5 \
		TRUTH=boot=0 TRUTH=boot=21 TRUTH=boot=2.5 TRUTH=noise=0 TRUTH=noise=21 \
		TRUTH=uncore=10000 TRUTH=delivery=5 TRUTH=tsc-ahead=0 TRUTH=C1:900:after-exit TRUTH=C1:900:module=5 TRUTH=C1@atom:900 \
		TRUTH=C6@1:900 TRUTH=C6@00:900 TRUTH=C6@:900 TRUTH=C7@0:900 \
		TRUTH=seed@0=1 'TRUTH=C6@0:900 C6@0:950' TRUTH=C1@0:900:demote=2 \
		CPUS=0 CPUS=33 CPUS=3x11 CPUS=2x4x5 CPUS=010 CPUS=2x CPUS=2x2x2x1 \
		MEASURE=none MEASURE=0- MEASURE=0,,1 MEASURE=all,0 MEASURE=-1 MEASURE=type= \
		MEASURE=type=big MEASURE=type=core,0 \
		CARD=i225 'CARD=i226,' CARD=i226,log=x CARD=i210,port=pci CARD=i226,l1-exit-ns \
		HOLD=socket HOLD=none SET=package-limit=none \
		TABLE=C6:: TABLE=C6:095:300 TABLE=C6:95:300: 'TABLE=C6:95:300,'; do
		expect "refused with qemu: $setting" refused "$setting" MACHINE=qemu
	done
	expect 'accepted: QUANTILE=0.9999 FORCE=1' accepted QUANTILE=0.9999 FORCE=1
	expect 'accepted: QUANTILE=1' accepted QUANTILE=1
	for setting in core module package all; do
		expect "accepted: HOLD=$setting" accepted MACHINE=qemu CPUS=4 HOLD=$setting
	done
	for setting in all 0 0,2-3 type=core type=atom; do
		expect "accepted: MEASURE=$setting" \
			accepted MACHINE=qemu CPUS=4 MEASURE=$setting
	done
	expect 'accepted: CARD=i226 below a root port with PTM' accepted MACHINE=qemu \
		CARD=i226,port=ptm,ptm-request-ns=20
	expect 'accepted: HOLD and SET of this machine' \
		accepted MACHINE=host HOLD=all SET=prewake=on,promotion=off
	expect 'accepted: SET' \
		accepted 'SET=demotion=off, promotion=on package-limit=pc10,prewake=off aspm=off'
	expect 'accepted: SWEEP=20000:2000000:10%' accepted SWEEP=20000:2000000:10%
	expect 'accepted: SWEEP=1:50000000:1% with few samples' \
		accepted SWEEP=1:50000000:1% SAMPLES=600
	expect 'accepted: STEPS="kunit figures"' accepted 'STEPS=kunit figures'
	expect 'accepted: LIST=1 lists each check' lists
	expect 'accepted: TRUTH' accepted MACHINE=qemu \
		'TRUTH=C1:900:after=5/6,after=9/7,write=7,ipi=8,after-exit=9 seed=1 frequency=80 ramp=5/120 stuck=63 delivery=1/2/3/4 tsc-ahead=0/5'
	expect 'accepted: TRUTH of one CPU' accepted MACHINE=qemu CPUS=2x1x2 \
		'TRUTH=C6@3:98000:spread=500 C6:95000 C6@0:900:demote=2'
	for setting in C6@4:900 tsc-ahead=4/5; do
		expect "refused: TRUTH of a CPU that is not there: $setting" \
			refused "TRUTH=$setting" MACHINE=qemu CPUS=2x1x2
	done
	expect 'accepted: TRUTH of a type of core' accepted MACHINE=qemu CPU_MODEL=meteor_lake CPUS=2 \
		'TRUTH=C6@atom:98000 C6@core:95000:spread=500 C6@1:97000 boot=2'
	expect 'accepted: TRUTH of power' accepted MACHINE=qemu CPUS=2x2 \
		'TRUTH=C6:95000:power=5000,rest=2000 awake=20000 thread=500 rest=10000 noise=2'
	expect 'refused: TRUTH of efficient cores where there are none' \
		refused TRUTH=C6@atom:900 MACHINE=qemu CPU_MODEL=meteor_lake CPUS=1x2
	expect 'accepted: TRUTH of a module' accepted MACHINE=qemu CPU_MODEL=sierra_forest CPUS=8 \
		'TRUTH=C6S:95000:module=40000,first=50/4000 C6SP@3:97000:package=5'
	for setting in 'i7_3770k C6@core:900 types of core' 'i7_3770k C6:1:module=5 module state' \
		'sierra_forest C1:1:module=5 module state' 'i7_3770k C1:1:package=5 package state' \
		'granite_rapids C6:1:spread=9,package=5 package state' 'ryzen_5600g C3:1:rest=5 package state' \
		'ryzen_5600g C3:1:demote=2 register' 'ryzen_5600g no-pc6 limit of package states' \
		'ryzen_5600g prewake=5 register' 'ryzen_5600g stuck=1 MSR_POWER_CTL'; do
		word=${setting#* }
		expect "refused: TRUTH of what it lacks: $setting" \
			lacking "${setting%% *}" "${word%% *}" "${word#* }"
	done
	expect 'a model that only QEMU has' other_has bochs sierra_forest qemu
	expect 'a model that only Bochs has' other_has qemu corei7_ivy_bridge_3770k bochs
	expect 'accepted: 32 CPUs' accepted MACHINE=qemu CPUS=4x2x4
	expect 'accepted: TRUTH in A and B' accepted MACHINE=qemu \
		'A=TRUTH="C1:900"' 'B=TRUTH="C1:950"' RUNS_EACH=8
	expect 'accepted: VARY' accepted MACHINE=qemu DRY=1 RUNS_EACH=3 \
		'VARY=prewake=on,off  package-limit=pc2,pc6,pc10 hold=none,all'
	expect 'accepted: VARY with SET and HOLD' accepted MACHINE=host VARY=prewake=on,off \
		SET=demotion=off HOLD=all
	expect 'refused: VARY with the same in SET' refused VARY=prewake=on,off SET=prewake=off \
		MACHINE=qemu
	expect 'refused: VARY in Bochs' refused VARY=prewake=on,off MACHINE=bochs
	expect 'refused: HOLD with VARY' refused HOLD=all VARY=hold=none,core MACHINE=qemu
	expect 'refused: RUNS_EACH with VARY' refused RUNS_EACH=33 VARY=prewake=on,off MACHINE=qemu
	expect 'refused: TRUTH with VARY' refused TRUTH=seed=3 VARY=prewake=on,off MACHINE=qemu
	expect 'refused: SWEEP with LDIST' refused SWEEP=1:2:10% LDIST=1:2
	expect 'refused: TRUTH with SIM' refused TRUTH=C1:900 MACHINE=qemu SIM=A:2000:1000
	for setting in KDIR=. HZ=1000 MACHINE=host; do
		expect "refused: KERNEL with $setting" refused KERNEL=debian-12 "$setting"
	done
	expect 'refused: TABLE with SIM' refused TABLE=C1:1:1 MACHINE=qemu SIM=A:2000:1000
}

say errors 'invalid variables'
check_variables
checks_end

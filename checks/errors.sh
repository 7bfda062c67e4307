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

# lists: as many checks as there are, and runs none.
lists()
{
	make --no-print-directory check LIST=1 IDLE_LATENCY_CACHE="$TMP/untouched" >"$TMP/listed" &&
		[ "$(wc -l <"$TMP/listed")" -eq "$(check_files | wc -l)" ] && [ ! -e "$TMP/untouched" ]
}

check_variables()
{
	for setting in MACHINE=vmware CPU_MODEL=i386sx CPU_MODEL= 'CPU_MODEL=a b' \
		METHODS=nic METHODS= 'METHODS=hrt,tdt' \
		SAMPLES=0 SAMPLES=100001 SAMPLES=1e3 SAMPLES= \
		LDIST=5 LDIST=0:5 LDIST=9:5 LDIST=1:50000001 LDIST=1:2:3 \
		SWEEP=1:2 SWEEP=1:2:10 SWEEP=1:2:0% SWEEP=1:2:101% SWEEP=2:1:10% SWEEP=0:1:10% \
		SWEEP=1:50000001:10% SWEEP=1:2:3:10% SWEEP=20000:2000000:2% \
		SIM=C1:2000 TRUTH=C1:900 CPUS=2 TABLE=C6 TABLE=C6:95 HZ=100 KERNEL=debian-11 \
		HOLD=core HOLD=cores HOLD=package,core SET=prewake SET=prewake=no 'SET=,' SET=off \
		SET=prewake=off,prewake=on SET=package-limit=off SET=package-limit=pc11 \
		SET=package-limit=6 SET=turbo=off 'SET=prewake=off;demotion=off' \
		QUANTILE=0 QUANTILE=0.0 QUANTILE=1.1 QUANTILE=99 QUANTILE=.9 QUANTILE=0. \
		QUANTILE=0.1234567891 QUANTILE=p99 FORCE=0 FORCE=yes \
		OUT= OUT=Makefile RUNS=/nonexistent RUNS=-x 'RUNS=a,b' KDIR=/nonexistent KDIR=Makefile \
		LONG=2 STEPS=nonsense STEPS=lib/index 'STEPS=kunit,figures' LIST=yes JOBS=0 JOBS=many IDLE_LATENCY_CACHE=relative 'IDLE_LATENCY_CACHE=/a b'; do
		expect "refused: $setting" refused "$setting"
	done
	# What takes MACHINE=qemu; the states are those of its i7_3770k.
	for setting in CPU_MODEL=corei7_ivy_bridge_3770k CPU_MODEL= TRUTH=C7:900 TRUTH=C1 \
		TRUTH=C1:900: TRUTH=C1:1e3 TRUTH=C1:900:entry TRUTH=C1:900:exit=5 \
		TRUTH=C1:1000000000 TRUTH=C1:900:after=5/5/C11 TRUTH=C1:900:outlier=0/5 \
		TRUTH=C1:900:after=9/5,after=9/6 TRUTH=prewake= TRUTH=seed TRUTH=no-pc7 \
		TRUTH=C1:900,C6:900 'TRUTH=C6:1:after=9/1 C6:1:after=5/1' TRUTH=C1:0:demote=2 \
		TRUTH=rapl=4294967296 TRUTH=frequency=0 TRUTH=frequency=1000 TRUTH=ramp=5 \
		TRUTH=ramp=5/0 CPUS=0 CPUS=9 CPUS=3x3 CPUS=2x CPUS=2x2x2x1 \
		HOLD=socket HOLD=none SET=package-limit=none \
		TABLE=C6:: TABLE=C6:095:300 TABLE=C6:95:300: 'TABLE=C6:95:300,'; do
		expect "refused with qemu: $setting" refused "$setting" MACHINE=qemu
	done
	expect 'accepted: QUANTILE=0.9999 FORCE=1' accepted QUANTILE=0.9999 FORCE=1
	expect 'accepted: QUANTILE=1' accepted QUANTILE=1
	for setting in core module package all; do
		expect "accepted: HOLD=$setting" accepted MACHINE=qemu CPUS=4 HOLD=$setting
	done
	expect 'accepted: HOLD and SET of this machine' \
		accepted MACHINE=host HOLD=all SET=prewake=on,promotion=off
	expect 'accepted: SET' \
		accepted 'SET=demotion=off, promotion=on package-limit=pc10,prewake=off'
	expect 'accepted: SWEEP=20000:2000000:10%' accepted SWEEP=20000:2000000:10%
	expect 'accepted: SWEEP=1:50000000:1% with few samples' \
		accepted SWEEP=1:50000000:1% SAMPLES=600
	expect 'accepted: STEPS="kunit figures"' accepted 'STEPS=kunit figures'
	expect 'accepted: LIST=1 lists each check' lists
	expect 'accepted: TRUTH' accepted MACHINE=qemu \
		'TRUTH=C1:900:after=5/6,after=9/7 seed=1 frequency=80 ramp=5/120'
	expect 'accepted: TRUTH in A and B' accepted MACHINE=qemu \
		'A=TRUTH="C1:900"' 'B=TRUTH="C1:950"' RUNS_EACH=8
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

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every processor that MACHINE=qemu has by name: the table of intel_idle that the kernel
# loads for it, its timer and its registers; processors that are wrong; tables that the user gives;
# and a run from nothing but the environment.txt of another one, which has the same samples.
#
# Control: States that the verdict must refuse are FAIL, and a table the kernel refuses is said
#   to be.
# Takes: 200 s
. checks/lib/bench.sh

# What has the idle states, and how they are measured: by tdt where there is a deadline timer.
DRIVER=intel_idle
METHOD=tdt
MODELS=

# model MODEL NAME CPUS TRUTH STATES: the kernel shows these states, as
# NAME:latency:residency in us, and measures them.
model()
{
	QEMU_MODEL=$1
	MODELS="$MODELS $1"
	bench "$2" "$3" "$4" <<'EOF'
	cd /sys/devices/system/cpu/cpu0/cpuidle
	for state in state*; do
		[ "$(cat $state/name)" = POLL ] ||
			echo "$(cat $state/name):$(cat $state/latency):$(cat $state/residency)"
	done >/out/states
	cat /sys/devices/system/cpu/cpuidle/current_driver >/out/driver
	# All residency counters that some processor has
	for number in 0x660 0x664 0x3fc 0x3fd 0x3fe 0x60d 0x3f8 0x3f9 0x3fa 0x630 0x631 0x632; do
		echo "$number $(msr 0 $number | cut -d " " -f 2)"
	done >/out/counters
	# The lock of MSR_PKG_CST_CONFIG_CONTROL leaves bits 28 to 25 free.
	config=$(msr 0 0xe2 | cut -d " " -f 2)
	msr 0 0xe2 = $((config ^ 1)) >/out/locked
	msr 0 0xe2 = $((config ^ 1 << 26)) >/out/unlocked
	cd /kselftest/idle_latency
	measure run --samples 20 \
		--methods "$(grep -q tsc_deadline_timer /proc/cpuinfo && echo tdt || echo hrt)"
EOF
	expect "models: $2: $DRIVER is loaded" [ "$(cat "$TMP/$2/out/driver")" = "$DRIVER" ]
	expect "models: $2: its states" [ "$(paste -s -d ' ' "$TMP/$2/out/states")" = "$5" ]
	expect "models: $2: its timer" [ "$(column "$2" run "$METHOD" '' valid | awk '$1 >= 20' | wc -l)" \
		-eq "$(echo "$5" | wc -w)" ]
}

# unqualified NAME STATE: is it a PASS without a qualifier?
unqualified()
{
	got="$(column "$1" run tdt "$2" verdict) $(column "$1" run tdt "$2" qualifier)"
	echo "models: $1: $2 is $got"
	[ "$got" = 'PASS ' ]
}

# faults NAME NUMBER...: these counters raise #GP, and no others.
faults()
{
	of=$1
	shift
	[ "$(awk '$2 == "fault" { print $1 }' "$TMP/$of/out/counters" | paste -s -d ' ')" = "$*" ]
}

# deepest NAME PACKAGE COUNTER: that is the only package state in the log, and its counter counts.
deepest()
{
	states=$(sed 1d "$TMP/$1/out/truth.csv" | cut -d , -f 7 | sort -u | grep -v -x PC0)
	[ "$states" = "$2" ] &&
		[ "$(awk -v msr="$3" '$1 == msr { print $2 }' "$TMP/$1/out/counters")" -gt 1000000 ]
}

# does_not_start WHY: the emulator does not take the processor in $TMP/processor, and says so in one line.
does_not_start()
{
	code=0
	timeout 30 "$QEMU" -L /usr/share/qemu -L /usr/share/seabios -nodefaults -display none -S \
		-cpu "max,idle-processor=$TMP/processor" </dev/null >"$TMP/refusal" 2>&1 || code=$?
	cat "$TMP/refusal"
	[ "$code" -eq 1 ] && [ "$(wc -l <"$TMP/refusal")" -eq 1 ] &&
		grep -q -F -e ": $1" "$TMP/refusal"
}

# refuses WHAT LINE [WHY]: nor one that has that line, which is WHAT, beside those of PROCESSOR.
PROCESSOR=sierra_forest
refuses()
{
	{ cat "emulator/processors/$PROCESSOR"; echo "$2"; } >"$TMP/processor"
	expect "models: refused: $1" does_not_start "cannot use '$2'${3:+: $3}"
}

# table MACHINE MODEL TABLE [VARIABLE=VALUE...]: what make run does with that table.
table()
{
	rm -rf "$TMP/table"
	machine=$1 model=$2 table=$3
	shift 3
	run_here table MACHINE="$machine" CPU_MODEL="$model" TABLE="$table" TRUTH='' CPUS='' \
		METHODS=hrt SAMPLES=50 "$@"
}

# again: the same as the last run, from nothing but its environment.txt.
again()
{
	eval "run_here again $(sed -n 's/^make run: //p' "$TMP/table/out/all/environment.txt")"
	for run in table again; do
		grep '^arguments: ' "$TMP/$run/out/all/environment.txt" >"$TMP/$run.arguments"
	done
	cmp "$TMP/table.arguments" "$TMP/again.arguments" &&
		cmp "$TMP/table/out/all/datapoints.csv" "$TMP/again/out/all/datapoints.csv"
}

# enters_with_interrupts NAME NS VERDICT METHODS OPTIONS: what is said of C1 by each of them where
# it takes that, and where it is entered with interrupts enabled, so that what it takes to get to
# the handler is in what is measured. The awake CPU is measured for the CPU and for the row.
enters_with_interrupts()
{
	QEMU_MODEL=skylake_sp
	entered=$1
	wanted=$3
	methods=$4
	bench "$entered" 1 "C1:$2" <<-END
	measure run --methods $methods --states C1 $5
	END
	for method in $(echo "$methods" | tr , ' '); do
		got=$(column "$entered" run "$method" C1 verdict)
		expect "models: $entered: $method C1 is $wanted, is $got" [ "$got" = "$wanted" ]
		expect "models: $entered: $method: the awake CPU is measured for the row" \
			grep -q "^cpu0: awake IntrLatency by $method at launch distances of " \
			"$TMP/$entered/out/run/environment.txt"
	done
}

build_kernel

model i7_3770k i7_3770k '' '' 'C1:1:1 C1E:10:20 C3:59:156 C6:80:300'
expect 'models: i7_3770k: its counters' faults i7_3770k 0x660 0x664 0x630 0x631 0x632
model i7_4790 i7_4790 '' '' 'C1:2:2 C1E:10:20 C3:33:100 C6:133:400 C7s:166:500'
model i7_6700k i7_6700k '' '' 'C1:2:2 C1E:10:20 C3:70:100 C6:85:200 C7s:124:800 C8:200:800'
model skylake_mobile skylake_mobile '' '' \
	'C1:2:2 C1E:10:20 C3:70:100 C6:85:200 C7s:124:800 C8:200:800 C9:480:5000 C10:890:5000'
expect 'models: skylake_mobile: its counters' faults skylake_mobile 0x660 0x664
model ivy_bridge_ep ivy_bridge_ep '' '' 'C1:1:1 C1E:10:80 C3:59:156 C6:82:300'
model ivy_bridge_ep four-sockets 1x1x4 '' 'C1:1:1 C1E:10:250 C3:59:300 C6:84:400'
model ivy_bridge_ep eight-sockets 1x1x8 '' 'C1:1:1 C1E:10:500 C3:59:600 C6:88:700'
model haswell_ep haswell_ep '' '' 'C1:2:2 C1E:10:20 C3:33:100 C6:133:400'
expect 'models: haswell_ep: what the lock of its C-state limit is for' \
	[ "$(cat "$TMP/haswell_ep/out/locked" "$TMP/haswell_ep/out/unlocked")" = fault ]
model broadwell_ep broadwell_ep '' '' 'C1:2:2 C1E:10:20 C3:40:100 C6:133:400'
model skylake_sp skylake_sp '' '' 'C1:2:2 C1E:10:20 C6:133:600'
model skylake_sp skylake_sp-no-pc6 '' no-pc6 'C1:2:2 C1E:10:20 C6:92:276'
expect 'models: skylake_sp: its package gets to PC6' deepest skylake_sp PC6 0x3f9
expect 'models: skylake_sp-no-pc6: its package gets to PC2' deepest skylake_sp-no-pc6 PC2 0x60d
expect 'models: skylake_sp: C6 includes its package' unqualified skylake_sp C6
expect 'models: skylake_sp-no-pc6: C6 includes no package' unqualified skylake_sp-no-pc6 C6
model sapphire_rapids sapphire_rapids '' '' 'C1:1:1 C1E:2:4 C6:290:800'
expect 'models: sapphire_rapids: its counters' faults sapphire_rapids \
	0x664 0x3fc 0x3fe 0x3f8 0x3fa 0x630 0x631 0x632
expect 'models: sapphire_rapids: C1 has a counter' unqualified sapphire_rapids C1
model sapphire_rapids sapphire_rapids-no-pc6 '' no-pc6 'C1:1:1 C1E:2:4 C6:190:600'
expect 'models: sapphire_rapids-no-pc6: C6 includes no package' \
	unqualified sapphire_rapids-no-pc6 C6
model granite_rapids granite_rapids '' '' 'C1:1:1 C1E:4:4 C6:170:650 C6P:210:1000'
expect 'models: granite_rapids: C6 includes no package' unqualified granite_rapids C6
expect 'models: granite_rapids: C6P includes its package' unqualified granite_rapids C6P
model granite_rapids granite_rapids-no-pc6 '' no-pc6 'C1:1:1 C1E:4:4 C6:170:650'
model granite_rapids_d granite_rapids_d '' '' 'C1:1:1 C1E:4:4 C6:220:650 C6P:240:750'
model ice_lake_sp ice_lake_sp '' '' 'C1:1:1 C1E:4:4 C6:170:600'
model sierra_forest sierra_forest '' '' 'C1:1:1 C1E:2:10 C6S:270:700 C6SP:310:900'
expect 'models: sierra_forest: its counters' faults sierra_forest \
	0x3fc 0x3fe 0x3f8 0x3fa 0x630 0x631 0x632
model clearwater_forest clearwater_forest '' '' 'C1:1:1 C1E:2:10 C6S:270:700 C6SP:310:900'
model clearwater_forest clearwater_forest-no-pc6 '' no-pc6 'C1:1:1 C1E:2:10 C6S:270:700'
model alder_lake alder_lake '' '' 'C1E:2:4 C6:220:600 C8:280:800 C10:680:2000'
model meteor_lake meteor_lake '' '' 'C1E:1:1 C6:140:420 C10:310:930'
model panther_lake panther_lake '' '' 'C1:1:1 C1E:10:10 C6S:300:300 C10:370:2500'

# It has no deadline timer. acpi_idle takes twice the latency for the target residency.
DRIVER=acpi_idle METHOD=hrt
model ryzen_5600g ryzen_5600g '' '' 'C1:1:2 C2:18:36 C3:350:700'
expect 'models: ryzen_5600g: it has no counter' faults ryzen_5600g 0x660 0x664 \
	0x3fc 0x3fd 0x3fe 0x60d 0x3f8 0x3f9 0x3fa 0x630 0x631 0x632
expect 'models: each processor is here' \
	[ "$(echo "$MODELS" | tr -s ' ' '\n' | grep . | sort -u)" = "$(ls emulator/processors)" ]

refuses 'an unknown word' 'colour blue' 'it begins with no known word'
refuses 'a state after a deeper one' 'state C3 0x10 C3' 'the state before it is deeper'
refuses 'energy registers of AMD beside those of Intel' 'rapl-amd 0xa1003' \
	'it has the registers of the other vendor'
refuses 'a port of no state' 'port 0x414 0x40' 'no state before it has this hint'
PROCESSOR=ryzen_5600g
refuses 'a second port' 'port 0x414 0x20' 'there is such a port'
refuses 'a second line of ACPI' 'acpi C3 3 350' 'there is such a line'
refuses 'a counter of modules without modules' 'counter MC6 0x664' 'there are no modules'
for line in 'truth no-pc6' 'truth prewake' 'truth stuck=1' 'truth C3:1:demote=2' \
	'truth C3:1:package=5' 'truth C3:1:rest=5' 'truth C3:1:module=5'; do
	refuses "what the Ryzen lacks: $line" "$line"
done
PROCESSOR=sierra_forest
printf 'cpu model=1\n' >"$TMP/processor"
expect 'models: refused: a processor without states' does_not_start "it has no line 'state'"
refuses 'a state whose package is deeper than its core' 'state C6X 0x40 C6 MC6 PC8' \
	'the package would be deeper than its cores'
refuses 'a state whose module is deeper than its core' 'state C6X 0x40 C6 MC8' \
	'the module would be deeper than its cores'
refuses 'a state whose package is deeper than its module' 'state C6X 0x40 C6 PC6' \
	'the package would be deeper than its modules'
for line in 'state C6S 0x40 C6' 'state C6X 0x22 C6'; do
	refuses "a second state: $line" "$line" 'there is such a state'
done
for line in 'cpu model=1' 'cst-config 0x2 0x7' 'power-ctl 0x2'; do
	refuses "a second line: $line" "$line" 'there is such a line'
done
for line in 'counter C6' 'port 0x40 0x22' 'acpi C3 2 59' 'truth C6S:5:first=0/5' \
	'truth C6S@atom:5' 'truth boot=21'; do
	refuses "what cannot be: $line" "$line"
done

# Once in a while, the handler is more than 1000 ns later, as the kernel brings its time up to date
# first; after more than a tick of 4 ms, it always is. The awake CPU shows that only if it is away
# for as long, and often enough.
enters_with_interrupts delivery-slow 1500 SKIP hrt,tdt,nic '--samples 1000'
enters_with_interrupts delivery-slower 1900 SKIP tdt '--samples 100 --ldist 4000000:6000000'
enters_with_interrupts exit-slow 6000 FAIL hrt,tdt,nic '--samples 1000'
enters_with_interrupts exit-slow-few 6000 FAIL hrt,tdt,nic '--samples 10'

table qemu i7_3770k C1:2:2,C6:95:300 TRUTH='C1:900 C6:70000:spread=3000 seed=7' CPUS=2 \
	METHODS='hrt nic' LDIST=50000:900000 HOLD=package SET=promotion=off,demotion=off
expect 'models: TABLE with QEMU: the run' [ "$CODE" -eq 0 ]
expect 'models: TABLE with QEMU: C1' cell_is table all hrt C1 declared_ns 2000
expect 'models: TABLE with QEMU: C6' cell_is table all hrt C6 declared_ns 95000
expect 'models: TABLE with QEMU: C3 is as it was' cell_is table all hrt C3 declared_ns 59000
expect 'models: environment.txt has the arguments' grep -q -x \
	"arguments: --plain --machine qemu --methods 'hrt nic' --samples 50 --ldist 50000:900000 --hold package --set promotion=off,demotion=off --cpu-model i7_3770k" \
	"$TMP/table/out/all/environment.txt"
expect 'models: a run from nothing but environment.txt has the same datapoints.csv' again
expect 'models: and one with another seed has not' eval \
	"sed -i '/^make run/s/seed=7/seed=8/' '$TMP/table/out/all/environment.txt' && ! again"
table bochs corei7_ivy_bridge_3770k C6:95:300
expect 'models: TABLE with Bochs: the run' [ "$CODE" -eq 0 ]
expect 'models: TABLE with Bochs: C6' cell_is table all hrt C6 declared_ns 95000
# Latencies have to rise.
table qemu i7_3770k C3:5:300
expect 'models: TABLE that the kernel does not take: the run fails' [ "$CODE" -eq 1 ]
expect 'models: TABLE that the kernel does not take: it says so' \
	grep -q 'TABLE=C3:5:300: the kernel did not take' "$TMP/table.log"
checks_end

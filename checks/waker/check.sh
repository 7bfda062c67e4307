#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Wake-ups by other CPUs: what write and ipi find against when the emulated processor was woken and
# went on, from a sibling, the same package and another one; what Oberhauser found by write, and a
# table of intel_idle by that; a waker that cannot be used or goes away; and states that watch no memory. With LONG=1 3000 samples of each.
# Sessions with a waker that are disturbed are in checks/kselftest.sh.
#
# Control: A sample that is longer by more than its error is found out.
# Takes: 80 s
. checks/lib/bench.sh

SAMPLES=${LONG:+3000}
SAMPLES=${SAMPLES:-300}

# compared NAME: what compare says of its methods, in $TMP/said. They differ.
compared()
{
	code=0
	tool compare "$TMP/$1/out/all" >"$TMP/said" || code=$?
	cat "$TMP/said"
	[ "$code" -eq 3 ]
}

# takes METHOD WORD STATE...: than hrt, "longer" or "less".
takes()
{
	by=$1
	word=$2
	shift 2
	for state; do
		grep -q "^cpu0: by $by $state takes [0-9.]* [nu]s $word than by hrt" "$TMP/said" || return
	done
}

# oberhauser PROCESSOR LONGER LESS STATE:TIMER:WRITE...: chapter 5.2.2 and figures 5.7 and 5.8, times in
# ns without package states; the states by name that take longer by write than by a timer, and those that
# take less.
oberhauser()
{
	QEMU_MODEL=$1
	longer=$2
	less=$3
	shift 3
	truth=$(echo "$*" | sed 's/\([^ :]*\):\([0-9]*\):\([0-9]*\)/\1:\2:write=\3/g')
	bench "$QEMU_MODEL" 2 "$truth" <<-EOF
		measure all --methods 'hrt write' --waker package --samples $SAMPLES \
			--states $(echo "$*" | tr ' ' '\n' | sed 's/:.*//' | paste -s -d ,)
	EOF
	true_samples "$QEMU_MODEL" all --error 300 \
		--exits "$(echo "$*" | sed 's/\([^ :]*\):[0-9]*:\([0-9]*\)/write:\1=\2/g')"
	expect "waker: Oberhauser: $QEMU_MODEL: the methods differ" compared "$QEMU_MODEL"
	# shellcheck disable=SC2086 # lists
	{
		[ -z "$longer" ] || expect "waker: Oberhauser: $QEMU_MODEL: longer by write: $longer" \
			takes write longer $longer
		expect "waker: Oberhauser: $QEMU_MODEL: less by write: $less" takes write less $less
	}
}

# table_by METHOD: make table is about what METHODS names where that is one.
table_by()
{
	OUT=$TMP/i7_4790/out/all METHODS=$1 scripts/table.sh >"$TMP/said" || return
	tr -s '\n ' '  ' <"$TMP/said" | grep -q "Exit latencies are by $1,"
}

build_kernel

# The waker keeps the core of a sibling awake, which is in C1 then.
QEMU_MODEL=ivy_bridge_ep
bench places 2x2x2 'C1:900:write=1200,ipi=1000 C6:82000:write=95000,ipi=84000 delivery=30/40/90/250' <<EOF
	for place in sibling package remote; do
		measure \$place --methods 'write ipi' --waker \$place --states C1,C6 --samples $SAMPLES
	done
EOF
while read -r place exits; do
	true_samples places "$place" --error 300 --exits "$exits"
done <<EOF
sibling write:C1=1230 write:C6=1230 ipi:C1=1030 ipi:C6=1030
package write:C1=1290 write:C6=95090 ipi:C1=1090 ipi:C6=84090
remote write:C1=1450 write:C6=95250 ipi:C1=1250 ipi:C6=84250
EOF
expect 'waker: a sample that is longer is found out' bounds_find places package 60

oberhauser i7_4790 'C1E C3 C6 C7s' C1 \
	C1:3120:911 C1E:4990:14100 C3:14800:33400 C6:18900:23100 C7s:18900:23000
expect 'waker: Oberhauser: by how much C6 takes longer by write' \
	grep -q '^cpu0: by write C6 takes 4.2[0-5] us longer than by hrt' "$TMP/said"
expect 'waker: make table: by write' table_by write
expect 'waker: make table: by hrt' table_by hrt
oberhauser i7_6700k '' 'C1 C1E C3 C6 C7s C8' C1:11100:456 C1E:12000:1710 C3:114000:41100 \
	C6:117000:47300 C7s:118000:47400 C8:117000:47400

# What cannot be: nothing is measured, and the reason is said; the TSC of CPU 2 is ahead. Then the waker
# goes offline, and who measures is killed: nothing is left of either. checks/debian.sh has a waker that
# is isolated, which this kernel knows nothing of.
bench refused 3 'C1:900 C1E:12000 C6:82000 tsc-ahead=2/2000' <<'EOF'
	said()
	{
		pattern=$1
		shift
		code=0
		./latency_test --plain --cpus 0 --states C1 --samples 20 "$@" >/out/said.log 2>&1 ||
			code=$?
		cat /out/said.log
		grep -q "$pattern" /out/said.log || exit 1
	}
	cpus=/sys/devices/system/cpu
	online=$cpus/cpu1/online

	# What nic adds is known beside write, too, by a timer that is not measured otherwise.
	./latency_test --plain --cpus 0 --states C1E --samples 50 --methods 'nic write' >/out/nic.log
	cat /out/nic.log
	grep -q '^FAIL cpu0 nic C1E: above the limit' /out/nic.log || exit 1

	# A waker that has something else to do does not send: the measured CPU can do nothing for it.
	taskset 2 load 200000 100000 50 &
	busy=$!
	for method in write ipi; do
		./latency_test --plain --cpus 0 --states C1 --methods $method --waker 1 --samples 2000
	done >/out/busy.log
	kill $busy
	cat /out/busy.log
	for method in write ipi; do
		grep -q "^PASS cpu0 $method C1:" /out/busy.log &&
			grep -q "^cpu0 $method C1: .* late [1-9]" /out/busy.log || exit 1
	done

	said 'the waker is the CPU itself' --methods write --waker 0
	said 'the waker is offline' --methods ipi --waker 7
	said 'no other thread of the core' --methods write --waker sibling
	said 'no other package has a CPU' --methods ipi --waker remote
	said 'waker takes sibling' --methods ipi --waker near
	said 'the TSCs of the CPU and its waker differ by more than 1 us' --methods write --waker 2
	said 'the TSCs of the CPU and its waker differ by more than 1 us' --methods ipi --waker 2
	echo 0 >$online
	said 'the waker is offline' --methods write --waker 1
	echo 0 >$cpus/cpu2/online
	said 'there is no other CPU to wake this one that is not isolated' --methods write
	echo 1 >$online

	for method in write ipi; do
		./latency_test --plain --cpus 0 --states C1 --methods $method --samples 100000 \
			--limit-ns 100000 >/out/gone.log &
		sleep 1
		echo 0 >$online
		wait $! || true
		cat /out/gone.log
		grep -q 'the CPU or its waker is offline' /out/gone.log || exit 1
		echo 1 >$online

		for hundredths in 05 23 40 77; do
			./latency_test --plain --cpus 0 --states C1 --methods $method \
				--samples 100000 >/out/killed.log &
			sleep 1.$hundredths
			kill -KILL $!
			wait $! || true
		done
	done
	sleep 1
	! ps | grep -q '[i]dle_latency_w' || exit 1
	modprobe -r idle_latency || exit
EOF

# C2 and C3 are entered by a port, so that IPIs woke them up for Oberhauser, too; chapter 5.3 and figure
# 5.11, where C2 took much longer by that and C3 much less. Why, nobody knows. After C3, acpi_idle calls
# ct_cpuidle_exit(), which is 30 instructions.
QEMU_MODEL=ryzen_5600g
bench ports 2 'C1:9460:write=1750 C2:26800:ipi=262000 C3:311000:ipi=31700' <<EOF
	measure all --methods 'hrt write ipi' --states C1,C2,C3 --samples $SAMPLES
EOF
expect 'waker: a state that watches no memory' \
	grep -q 'SKIP cpu0 write C2: the CPU watches no memory in this state' "$TMP/ports/out/job.log"
true_samples ports all --error 300 --software C3=60 \
	--exits 'write:C1=1750 ipi:C1=9460 ipi:C2=262000 ipi:C3=31700'
expect 'waker: ports: the methods differ' compared ports
expect 'waker: ports: C1 takes less by write' takes write less C1
expect 'waker: ports: C2 takes longer by ipi' takes ipi longer C2
expect 'waker: ports: C3 takes less by ipi' takes ipi less C3
checks_end

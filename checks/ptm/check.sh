#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Precision Time Measurement: an I226 below a root port that knows it. Its bound is half of the way
# there and back, whichever of the two takes longer, and holds; C1 of 1 us is judged by it; where the
# root port does not answer or answers wrongly, and below a switch that knows no PTM, the clock is
# read. igc takes it, too.
#
# Control: A sample that is longer by more than its error is found out.
# Takes: 30 s
. checks/lib/bench.sh

# Its C1 is declared with 1 us.
QEMU_MODEL=ivy_bridge_ep
QEMU_CARD_MODEL=i226
LINK=read-out-ns=700,read-back-ns=700

# legs NAME REQUEST RESPONSE TRUTH [PROPERTY]: measure with PTM whose messages take so long.
legs()
{
	QEMU_CARD=$LINK,ptm-request-ns=$2,ptm-response-ns=$3${5:+,$5}
	bench "$1" 1 "$4" <<-'EOF'
		measure all --methods nic --states C1,C6 --samples 300
	EOF
}

# error_between NAME FROM TO: those of all samples are.
error_between()
{
	all_are "$TMP/$1/out/all/datapoints.csv" 1 "@error_ns >= $2 && @error_ns <= $3"
}

# both_errors NAME: samples by PTM, and samples by reads; there are less than 10000.
both_errors()
{
	share "$TMP/$1/out/all/datapoints.csv" 1 '@error_ns <= 60' 0.01 100 &&
		share "$TMP/$1/out/all/datapoints.csv" 1 '@error_ns >= 700' 0.01 100
}

build_kernel
QEMU_PORT=ptm

cat >"$TMP/job" <<'EOF'
	modprobe igc || exit
	until [ -c /dev/ptp0 ]; do sleep 1; done
	/kselftest/ptp/testptp -d /dev/ptp0 -X
EOF
QEMU_CARD=$LINK,ptm-request-ns=20,ptm-response-ns=80
run_job igc 'ptm: igc' "$TMP/job" 300
# What igc makes of T1 and T2, which the kernel converts.
expect 'ptm: igc has cross-timestamps' \
	grep -q 'crosstimestamping request okay' "$TMP/igc/out/job.log"

legs near 20 80 'C1:880 C6:82000'
true_samples near all --error 60 --exits 'nic:C1=880 nic:C6=82000'
expect 'ptm: near: C1 that takes 120 ns less than declared passes' cell_is near all nic C1 verdict PASS
expect 'ptm: a sample that is longer is found out' bounds_find near all 30

legs far 80 20 'C1:1180 C6:82000' drift-ppb=100000
true_samples far all --error 60 --exits 'nic:C1=1180 nic:C6=82000'
# Above, the software around the idle instruction is uncertain, too.
expect 'ptm: far: C1 that takes 180 ns more than declared fails' cell_is far all nic C1 verdict FAIL

legs uneven 100 1000 'C1:900 C6:82000'
true_samples uneven all --error 570 --exits 'nic:C1=900 nic:C6=82000'
expect 'ptm: uneven: half of the way there and back is the bound' error_between uneven 550 570

# In the midst of a session the root port does not answer any more, and elsewhere it never did.
legs stops 20 80 'C1:900 C6:82000' fault=ptm-never,fault-every=6000
true_samples stops all --error 800 --exits 'nic:C1=900 nic:C6=82000'
expect 'ptm: stops: the clock is read from then on' both_errors stops
legs never 20 80 'C1:900 C6:82000' fault=ptm-never,fault-every=1
true_samples never all --error 750 --exits 'nic:C1=900 nic:C6=82000'
expect 'ptm: never: the clock is read instead' error_between never 700 750
expect 'ptm: never: the kernel says so' \
	grep -q 'PTM gives no answer' "$TMP/never/out/dmesg.log"

# A root port whose time is another one than that of the TSC: the read is believed.
legs wrong 20 80 'C1:900 C6:82000' fault=ptm-wrong,fault-every=1
true_samples wrong all --error 750 --exits 'nic:C1=900 nic:C6=82000'
expect 'ptm: wrong: the clock is read instead' error_between wrong 700 750
expect 'ptm: wrong: the kernel says so' \
	grep -q 'or another time than that' "$TMP/wrong/out/dmesg.log"

# A switch that does not pass PTM on.
QEMU_PORT=switch
legs behind 20 80 'C1:900 C6:82000'
true_samples behind all --error 750 --exits 'nic:C1=900 nic:C6=82000'
expect 'ptm: behind a switch: the clock is read' error_between behind 700 750
checks_end

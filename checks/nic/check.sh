#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The source nic with an emulated card, on a machine whose time is counted in
# instructions: what it measures of simulated idle states against the log of the
# card, cards with other links and clocks, an I226, cards with faults, and the cards with the
# kernel's own drivers. With LONG=1 there are more of these faults and interrupts.
#
# Control: A sample, an early event and medians that were changed are found out.
# Takes: 250 s
. checks/lib/checks.sh

MACHINE=qemu

LATENCIES='0 500 1000 5000 10000 50000 100000 200000 500000'
FEW='500 5000 100000'
# A clock that is fast or slow does most to what takes longest.
SPAN='0 50000 500000'

# states NS...: simulated states with these actual latencies. What they declare does
# not matter here: it is large enough to pass.
states()
{
	for ns in "$@"; do
		printf 'NS%d:%d:%d ' "$ns" $((ns + 20000)) "$ns"
	done
}

# nic_job NAME SECONDS JOB: run one of those in checks/nic/guest.
nic_job()
{
	echo "$3" | cat checks/nic/guest - >"$TMP/job"
	run_job "$1" "nic: $1" "$TMP/job" "$2"
}

# card NAME PROPERTIES STATES OPTIONS: measure with such a card.
card()
{
	QEMU_CARD=$2,log=$TMP/$1/card.csv
	nic_job "$1" 900 "job_measure '$3' $4"
	accounted "nic: $1" "$TMP/$1/out/job.log"
}

# judge_times NAME [DATAPOINTS]: against the log of the card.
judge_times()
{
	in_ns "${2-$TMP/$1/out/datapoints.csv}" >"$TMP/samples.csv" || return
	judge nic/times "$1" "$TMP/$1/card.csv" "$TMP/samples.csv"
}

judge_figures()
{
	judge nic/medians "$TMP/steady/out/summary.csv" "$TMP/fast/out/summary.csv" \
		"$TMP/slow/out/summary.csv" "$TMP/i226/out/summary.csv"
}

# A sample that is wrong by 2 us, one of an event that never fired, a wider error.
times_are_judged()
{
	doctor "$TMP/lopsided/out" datapoints.csv "if (NR == 2) @wake_ns += 2000
		if (NR == 3) @ltime_ns += 1
		if (NR == 4) @error_ns = $(figure_bound 'error bound of a sample, nic') + 1"
	finds_all 3 judge_times lopsided "$TMP/doctored/datapoints.csv"
}

# A sample of an event that was to come too early.
early_is_judged()
{
	target=$(csv '@event == "arm" { armed = @clock_ns } @event == "fault" { print armed; exit }' \
		"$TMP/early/card.csv")
	doctored "$TMP/early/out" datapoints.csv "if (NR == 2) @ltime_ns = \"$target\"" \
		finds ' too early: 1$' judge_times early "$TMP/doctored/datapoints.csv"
}

# wrong_figures STATEMENT RUN...: change the summaries of these runs, and print how many figures
# are wrong then.
wrong_figures()
{
	statement=$1
	shift
	for run in "$@"; do
		cp "$TMP/$run/out/summary.csv" "$TMP/summary-$run.csv"
		csv "NR > 1 { $statement } { print }" \
			"$TMP/summary-$run.csv" >"$TMP/$run/out/summary.csv"
	done
	judge_figures | grep -c ^FAIL
	for run in "$@"; do
		cp "$TMP/summary-$run.csv" "$TMP/$run/out/summary.csv"
	done
}

# One state that nic measures wrongly by 300 ns, and all that are by 10 us everywhere.
figures_are_judged()
{
	[ "$(wrong_figures 'if (@method == "nic" && @state == "NS50000") @median_ns += 300' steady)" -eq 5 ] &&
		[ "$(wrong_figures '@median_ns += 10000' steady fast slow i226)" -eq 1 ]
}

# said NAME WHAT PATTERN: the program printed it.
said()
{
	expect "nic: $1: $2" grep -q -E "$3" "$TMP/$1/out/job.log"
}

# card_did NAME EVENT DETAIL: the card did it, with a detail that begins so.
card_did()
{
	grep -q "^[0-9]*,$2,[0-9]*,$3" "$TMP/$1/card.csv"
}

# interrupts NAME: the kind of them that the card has, and no other.
interrupts()
{
	kind=$1
	[ "$kind" != steady ] || kind=msix
	card_did "$1" irq "$kind " && ! grep ',irq,' "$TMP/$1/card.csv" | grep -v -q ",$kind "
}

# code NAME PROGRAM NUMBER: how it ended.
code()
{
	[ "$(cat "$TMP/$1/out/$2")" -eq "$3" ]
}

# judge_faults NAME [CARD_CSV]: what the row says of the faults of the card.
judge_faults()
{
	judge nic/faults "$1" "${2-$TMP/$1/card.csv}" "$TMP/$1/out"
}

# miscounted NAME COMMAND: it is found out when sed has deleted (d) or repeated (p) the last
# fault of the row.
miscounted()
{
	last=$(tail -n 1 "$TMP/$1/out/datapoints.csv" | cut -d , -f 7)
	line=$(csv '@event == "fault" { fault = NR }
		@event == "arm" && @clock_ns == last { found = fault } END { print found }' \
		last="$last" "$TMP/$1/card.csv")
	sed "$line$2" "$TMP/$1/card.csv" >"$TMP/miscounted"
	finds 'each is counted once' judge_faults "$1" "$TMP/miscounted"
}

# fault NAME: with a card that has this fault, samples are had nevertheless, all of them true,
# and each fault at an event of the row is counted.
fault()
{
	card "$1" "$LINK,fault=$1,fault-every=20" "$(states 5000)" \
		'--methods nic --samples 240 --ldist 50000:200000 --keep-discarded'
	expect "nic: $1: a session has its samples" cell_is "$1" . nic '' valid 240
	judged "nic: $1" judge_faults "$1"
	expect "nic: $1: a fault that is not counted is found out" miscounted "$1" p
	expect "nic: $1: an event that is counted without one is found out" miscounted "$1" d
	expect "nic: $1: the session after it" code "$1" after 0
	judged "nic: $1" judge_times "$1"
}

# igc: the kernel's own driver with an I226, below a root port that knows PTM: without one, igc of
# v7.3 takes PTM for enabled when it is bound again.
igc()
{
	QEMU_CARD_MODEL=i226 QEMU_CARD=$LINK QEMU_PORT=ptm
	echo "driver=igc address=$(qemu_card_address)" | cat - checks/lib/net-driver >"$TMP/igc-job"
	run_job igc 'nic: igc' "$TMP/igc-job" 300
	QEMU_CARD_MODEL=i210 QEMU_PORT=
}

# igb KIND NAME: the kernel's own driver with such interrupts, and what it calls them.
igb()
{
	QEMU_CARD=$LINK,interrupts=$1
	run_job "igb-$1" "nic: igb, $1" checks/lib/net-driver 300
	expect "nic: igb, $1: its interrupts" [ "$(cat "$TMP/igb-$1/out/interrupts")" = "$2" ]
}

# cards: two of them, which are bound; then one is reset and suspended, and igb has the other.
cards()
{
	QEMU_CARD=$LINK,log=$TMP/cards/card.csv QEMU_SECOND_CARD=$LINK,interrupts=intx
	nic_job cards 600 job_cards
	QEMU_SECOND_CARD=
	expect 'nic: cards: a second one is taken' code cards second 0
	expect 'nic: cards: each is used by its address' code cards named 0
	expect 'nic: cards: a session after a reset' code cards reset 0
	said cards 'reset in a session' \
		'SKIP cpu0 nic NS5000: the network card went away or was reset'
	expect 'nic: cards: a session after that' code cards reset-again 0
	expect 'nic: cards: asleep in D3 in a session' [ "$(grep -c \
		'^SKIP cpu0 nic NS5000: the network card went away or was reset' \
		"$TMP/cards/out/job.log")" -eq 3 ]
	expect 'nic: cards: a session while it is asleep' code cards asleep 4
	for taken in woken awake woken-again awake-again; do
		expect "nic: cards: asleep in D3, and taken again: $taken" code cards $taken 0
	done
	expect 'nic: cards: a session with INTx after some with MSI-X' code cards line 0
	expect 'nic: cards: the line was shared with igb' code cards shared 0
	expect 'nic: cards: and one with MSI-X after that' code cards messages 0
	expect 'nic: cards: the machine is suspended' code cards suspend 0
	expect 'nic: cards: a session after that' code cards suspended 0
	said cards 'suspended in a session' \
		'SKIP cpu0 nic NS5000: the machine was suspended meanwhile'
	expect 'nic: cards: a session after that one' code cards resumed 0
	expect 'nic: cards: both kinds of interrupts were used' \
		eval "card_did cards irq 'msix ' && card_did cards irq 'intx '"
}

# affinity: the card has to interrupt one CPU of two.
affinity()
{
	QEMU_CARD=$LINK CPUS=2
	nic_job affinity 600 job_affinity
	CPUS=
	expect 'nic: affinity: a session with INTx' code affinity line/code 0
	# Somebody had sent it there before the session.
	expect 'nic: affinity: the line is where it was before the session' \
		[ "$(cat "$TMP/affinity/out/before" "$TMP/affinity/out/after" | paste -s -d ' ')" = '2 2' ]
	said affinity 'a CPU without a free vector is refused' \
		'SKIP cpu1 nic NS5000: the network card got no interrupt'
	expect 'nic: affinity: another one is not' code affinity other/code 0
	expect 'nic: affinity: it is measured once it has one' code affinity free/code 0
}

LINK=read-out-ns=700,read-back-ns=700
THREE='--methods hrt,tdt,nic --samples 1000 --ldist 20000:60000'
NIC='--methods nic --samples 1000 --ldist 20000:60000'
SOME='--methods nic --samples 300 --ldist 20000:60000'
# As near and as far as a launch distance can be.
NEAR='--methods nic --samples 300 --ldist 1000:60000'
FAR='--methods nic --samples 5 --ldist 50000000:50000000'

build_kernel

# shellcheck disable=SC2086 # lists
{
	card steady "$LINK" "$(states $LATENCIES)" "$THREE"
	card fast "$LINK,drift-ppb=100000" "$(states $SPAN)" "$NIC"
	card slow "$LINK,drift-ppb=-100000" "$(states $SPAN)" "$NIC"
	card lopsided read-out-ns=100,read-back-ns=1000 "$(states $FEW)" "$SOME"
	card sleepy "$LINK,l1-exit-ns=5000,l1-idle-ns=10000" "$(states $FEW)" "$SOME"
	card msi "$LINK,interrupts=msi" "$(states $FEW)" "$NEAR"
	card intx "$LINK,interrupts=intx" "$(states $FEW)" "$FAR"
	QEMU_CARD_MODEL=i226
	card i226 "$LINK,drift-ppb=-100000" "$(states $FEW)" "$SOME"
	QEMU_CARD_MODEL=i210
}
for measured in steady fast slow lopsided sleepy msi intx i226; do
	judged "nic: $measured" judge_times $measured
	expect "nic: $measured: every sample is had" code $measured code 0
	expect "nic: $measured: nothing sets the clock" not card_did $measured '\(set\|rate\)' ''
done
for measured in steady msi intx; do
	expect "nic: $measured: its kind of interrupt" interrupts $measured
done
expect 'nic: sleepy: the link was asleep' card_did sleepy l1-exit ''
said sleepy 'the environment has the setting of ASPM' 'ASPM L1,'
said steady 'the environment has card and path' \
	'nic: card 0000:00:04.0, device 0x1533, near CPUs .*, ASPM off, path pci0000:00/0000:00:04.0'
while read -r measured chip; do
	expect "nic: $measured: the environment has what delivers the interrupt" \
		grep -q -x "cpu0: interrupt of the card by $chip" "$TMP/$measured/out/environment.txt"
done <<END
steady PCI-MSIX-0000:00:04.0
msi PCI-MSI-0000:00:04.0
intx IO-APIC
END
said steady 'the environment has the timer' 'cpu0: timer pre-wake (on|off)'
said msi 'launch times that had passed are discarded' 'late [0-9]+'
judged nic judge_figures
expect 'nic: doctored times are found out' times_are_judged
expect 'nic: doctored figures are found out' figures_are_judged

fault never
expect 'nic: never: who knows how long it would have taken' cell_is never . nic NS5000 verdict SKIP
[ -z "$LONG" ] || fault twice
# That none of the events that come too early is among the samples is judged with their times.
fault early
expect 'nic: early: a sample of one of them is found out' early_is_judged
fault wrong-cause

card all-ones "$LINK,fault=all-ones,fault-every=20" "$(states 5000)" "$SOME"
said all-ones 'the session says that the card is gone' \
	'SKIP cpu0 nic NS5000: the network card went away'
expect 'nic: all-ones: so does the next session of nic' [ "$(grep -c \
	'SKIP cpu0 nic NS5000: the network card went away' "$TMP/all-ones/out/job.log")" -eq 2 ]
expect 'nic: all-ones: that of hrt goes well' code all-ones after 0

card no-reset "$LINK,fault=no-reset" "$(states 5000)" "$SOME"
expect 'nic: no-reset: the card is not taken' code no-reset taken 1
said no-reset 'nic is skipped' 'SKIP cpu0 nic NS5000: the driver does not take the network card'
expect 'nic: no-reset: the session after it' code no-reset after 0

# What igb goes on with, too.
for kind in no-auto-read ${LONG:+no-master-disable throttle}; do
	card "$kind" "$LINK,fault=$kind" "$(states 5000)" "$SOME"
	expect "nic: $kind: the card has the fault" card_did "$kind" fault "$kind "
	expect "nic: $kind: it is taken" code "$kind" taken 0
	expect "nic: $kind: every sample is had" code "$kind" code 0
	judged "nic: $kind" judge_times "$kind"
done
expect 'nic: no-auto-read: the kernel says so' \
	grep -q 'does not say that it has read its NVM' "$TMP/no-auto-read/out/dmesg.log"
[ -z "$LONG" ] || expect 'nic: no-master-disable: the kernel says so' \
	grep -q 'requests of the card are still pending' "$TMP/no-master-disable/out/dmesg.log"

# As where the PLL of the card came up with a wrong frequency.
card half "$LINK,drift-ppb=-500000000" "$(states 5000)" "$SOME"
expect 'nic: half: a card whose clock has half the rate is not taken' code half taken 1
expect 'nic: half: and why' \
	grep -q 'the clock is too fast or too slow' "$TMP/half/out/dmesg.log"
expect 'nic: half: the session after it' code half after 0

cards
affinity

igb msix MSI-X
igc
if [ -n "$LONG" ]; then
	igb msi MSI
	igb intx legacy
fi
checks_end

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Is everything seen that can spoil a sample? The tests that disturb the measured
# CPU, with four CPUs and with one; and with one, the times of simulated states
# with disturbances against those without. Time is counted in instructions.
#
# Control: Samples that are 200 ns too long or too short are found out.
# Takes: 80 s
. checks/lib/checks.sh

MACHINE=qemu

# judge_truth DIR: judge the times that the job left in DIR.
judge_truth()
{
	judge contamination/judge "$1/quiet/datapoints.csv" "$1/disturbed/datapoints.csv"
}

# disturb CPUS: run the job with so many CPUs.
disturb()
{
	CPUS=$1
	long_job "$TMP/job" checks/contamination/guest
	ktap_job "cpus-$1" "contamination, CPUs $1" "$TMP/job" 1800
	accounted "contamination, CPUs $1" "$TMP/cpus-$1/out/job.log"
}

# smis STATE: how many of its events were discarded because of an SMI.
smis()
{
	awk -v state="$1:" '
		$3 == state && / armed / && match($0, /smi [0-9]+/) {
			n += substr($0, RSTART + 4, RLENGTH - 4)
		}
		END { print n + 0 }' "$TMP/cpus-4/out/job.log"
}

# names_first MEASURED NAME: this is the first interrupt wherever events were discarded for one, by
# the name that /proc/interrupts has.
names_first()
{
	all_are "$TMP/$1/discards.csv" '@reason == "foreign_irq"' "@meanwhile ~ /^\"?$2 [0-9]+/"
}

build_kernel
disturb 4
# An SMI a ms, launch distances of 1 to 4 ms: there is one in most of over 400 events,
# but another interrupt, too, in many; some 200 remain.
expect 'contamination, CPUs 4: events with an SMI are discarded' [ "0$(smis NS1000)" -ge 50 ]
expect 'contamination, CPUs 4: none without an SMI' [ "$(smis NS40000)" = 0 ]
disturb 1
judged contamination judge_truth "$TMP/cpus-1/out"
# With a sample that is too long by 200 ns, and one that is too short.
expect 'contamination: doctored results are found out' doctored "$TMP/cpus-1/out" \
	disturbed/datapoints.csv 'if (NR == 100) @wake_ns += 200; if (NR == 3000) @wake_ns -= 200' \
	finds_all 2 judge_truth "$TMP/doctored"
expect 'contamination: interrupts of the disk are named' \
	names_first cpus-1/out/disturbed '[0-9]+ ata_piix'
expect 'contamination: calls of the CPU are named' names_first cpus-4/out/calls CAL
# Neither is the other one, which there were few of at most.
expect 'contamination: and not another one' eval "not names_first cpus-1/out/disturbed CAL &&
	not names_first cpus-4/out/calls '[0-9]+ ata_piix'"
checks_end

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Sweeps of launch distances, on processors whose states take longer from a known time on.
#
# Control: A changed maximum, a missing step and a knee that is none are found out.
# Takes: 55 s
. checks/lib/bench.sh

# swept NAME MODEL KNEES TRUTH STATES FROM:TO [JOB]: sweep and judge; the job goes on with that.
swept()
{
	QEMU_MODEL=$2 bench "$1" 1 "$4" <<-END
	measure run --methods hrt,nic --states $5 --samples 300 --sweep $6:10%
	${7-}
	END
	judged "sweep: $1" judge sweep/judge "$1" "$6:10%" "$3" "$TMP/$1/out/run" "$TMP/$1/out/job.log"
}

# said NAME LOG TEXT: for each source.
said()
{
	[ "$(grep -c "$3" "$TMP/$1/out/$2.log")" -eq 2 ]
}

# finds_wrong SED_SCRIPT: the judge sees a file that was changed.
finds_wrong()
{
	doctor "$TMP/broadwell/out/run"
	sed -i "$1" "$TMP/doctored/sweep.csv"
	! cmp -s "$TMP/broadwell/out/run/sweep.csv" "$TMP/doctored/sweep.csv" &&
		judge sweep/judge doctored 20000:2000000:10% 60000,200000 "$TMP/doctored" \
			"$TMP/broadwell/out/job.log" | grep ^FAIL
}

build_kernel
# As the thesis found them: figures 5 and 6.
swept broadwell broadwell_ep 60000,200000 \
	'C6:2000:level=C1,after=60000/40000/C3,after=200000/75000/C6' C6 20000:2000000
swept skylake skylake_sp 250000,500000,1100000 \
	'C6:2000:level=C1,after=250000/30000/C3,after=500000/60000/C6,after=1100000/95000/C6' \
	C6 20000:3000000
swept flat i7_3770k none 'C3:40000:after=1940000/55000 C6:60000' C6 20000:2000000 \
	'measure edge --methods hrt,nic --states C3 --samples 300 --sweep 20000:2000000:10% >/out/edge.log'
expect 'sweep: the largest is at no edge where all are the same' \
	[ "$(grep -c 'at the edge of the sweep' "$TMP/flat/out/job.log")" -eq 0 ]
expect 'sweep: the largest is at the edge' said flat edge 'is at the edge of the sweep, .*: sweep further'

# A latency that comes after the launch distances that suit the state.
swept late i7_3770k 1500000 'C1E:9000:after=1500000/15000' C1E 20000:3000000 \
	'measure default --methods hrt,nic --states C1E --samples 3000'
expect 'sweep: it fails' [ "$(verdicts late run hrt) $(verdicts late run nic)" = 'FAIL FAIL' ]
expect 'sweep: the default launch distances would not have shown it' \
	said late job 'the default launch distances, .*, would not have shown it'
expect 'sweep: and with them it passes' \
	[ "$(verdicts late default hrt) $(verdicts late default nic)" = 'PASS PASS' ]

expect 'sweep: a maximum that was changed is found out' \
	finds_wrong '30s/^\(\([^,]*,\)\{15\}\)/\11/'
expect 'sweep: a step that is missing is found out' finds_wrong 30d
expect 'sweep: so is a knee where there is none' \
	[ "$(judge sweep/judge none 20000:2000000:10% 60000 "$TMP/broadwell/out/run" \
		"$TMP/broadwell/out/job.log" | grep -c '^FAIL.*knees')" -eq 2 ]
checks_end

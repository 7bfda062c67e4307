#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The emulated processor, with several CPUs: each is woken on time whatever the others
# do, and cores and packages are in the state of their shallowest part. And statistics.csv says
# what the others did, and makes no difference to what is measured.
#
# Control: Times of memory that are too late, and a difference that statistics.csv makes, are found out.
# Takes: 110 s
. checks/lib/bench.sh

PLAIN='C1=900 C1E=12000 C3=40000 C6=95000'
# 10000 samples by each method
MANY='--methods hrt,tdt,nic --samples 2500'
# From its target residency on, with as few sessions as can be: the first samples of each
# may miss the package state.
C6='--methods hrt --states C6 --samples 1000 --ldist 300000:3000000'
# Declared so that all samples count where launch distances have to be short: none is
# measured again, which takes long where a CPU is busy. The verdicts do not matter there.
EARLY=C1:1:1,C1E:10:10,C3:11:11,C6:12:12
PACKAGE='C1:900 C1E:9000 C3:40000 C6:50000:package=41000,power=5000 awake=20000 rest=10000'

# packaged NAME MEASURED LEAST MOST: so many in a hundred of the samples by hrt in C6 had to leave a
# package state by the log, and all cost 41 us more if they had to.
packaged()
{
	woken "$1" "$2" | csv '
		NR > 1 {
			slept = @package == "PC6"
			samples++
			sleeping += slept
			off = @wake_ns - 50000 - slept * 41000
			wrong += off < 0 || off > 20
		}
		END {
			print "cpus: " what ": " sleeping + 0 " of " samples + 0 " samples left PC6, " \
				wrong + 0 " cost otherwise"
			exit !(samples >= 1000 && !wrong && sleeping * 100 >= samples * least &&
			       sleeping * 100 <= samples * most)
		}' what="$1 $2" least="$3" most="$4" -
}

# statistic MEASURED WHAT OF LOW HIGH [LEAST]: all values of it in statistics.csv of the package are
# there, of which there is at least one, or so many.
statistic()
{
	all_are "$TMP/package/out/$1/statistics.csv" "@what == \"$2\" && @of == \"$3\"" \
		"@value >= $4 && @value <= $5" "${6-}"
}

# each_second MEASURED: it is written so often, and at the end.
each_second()
{
	csv 'FNR > 1 && @what == "smi" { n++; all += @seconds; wrong += @seconds > 1.2 }
		END { exit !(n >= all && n <= all + 2 && all > 2 && !wrong) }' \
		"$TMP/package/out/$1/statistics.csv"
}

# shared NAME: the counter of CPU 1, read after that of CPU 0, is the same one: it has
# advanced by no more than the time between. That of CPU 2, in another core, is not.
shared()
{
	awk -v khz="$QEMU_TSC_KHZ" '
		function same(a, b)
		{
			return value[b] >= value[a] &&
				value[b] - value[a] <= (ns[b] - ns[a] + 1) * khz / 1000000
		}
		{ ns[NR] = $1; value[NR] = $2 }
		END { exit !(value[1] > 0 && value[3] > 0 && same(1, 2) && !same(2, 3)) }' \
		"$TMP/$1/out/counters"
}

# none_overtakes NAME: a thread of CPU 0 and 1 that is woken while the other one is on its
# way out of C6 goes on not before that does. It happens.
none_overtakes()
{
	sort -t , -k 4,4n "$TMP/$1/out/truth.csv" | awk -F, '
		$1 == 0 || $1 == 1 {
			other = 1 - $1
			if (deep[other] && $4 < exit_ns[other]) {
				woken++
				overtakes += $5 < exit_ns[other]
			}
			exit_ns[$1] = $5
			deep[$1] = $6 == "C6"
		}
		END {
			print "cpus: " woken + 0 " woken on the way out of their core, " \
				overtakes + 0 " overtook it"
			exit !(woken && !overtakes)
		}'
}

# foreseen NAME COST: each sample by hrt took no time to wake up, unless a CPU changed
# that when it was too late: it fell asleep, so that waking up cost so much then, or
# another one was woken, whose way out had to be waited for.
# shellcheck disable=SC2016 # a program of awk
foreseen()
{
	csv 'NR > 1 { print @enter_ns } NR > 1 && @cpu > 0 { print @event_ns }' \
		"$TMP/$1/out/truth.csv" | sort -n >"$TMP/changes"
	samples_in_ns "$1" idle >"$TMP/samples.csv" || return
	csv 'file == 1 { change[++n] = $1; next }
		FNR > 1 {
			event = @tai_ns - @wake_ns
			while (at < n && change[at + 1] < event - cost)
				at++
			if (at < n && change[at + 1] <= event)
				next
			samples++
			slow += @wake_ns > 20
		}
		END {
			print "cpus: " samples + 0 " samples, of which " slow + 0 " were not foreseen"
			exit !(samples > 500 && !slow)
		}' cost="$2" "$TMP/changes" "$TMP/samples.csv"
}

build_kernel

true_bench idle 4 "$PLAIN" <<EOF
	measure all $MANY
EOF

# Time does not leap while a CPU is awake, so that each ms costs.
TABLE=$EARLY
true_bench busy 4 "$PLAIN" <<EOF
	spin 2
	measure all $MANY --ldist 20000:150000
EOF

# The package sleeps when all of its cores do, also when one of them is offline. What
# the program says is not shown, which would wake a core; those that it woke when it
# began are in a shallow state for the first samples.
bench package 4 "$PACKAGE" <<EOF
	measure idle $C6 --samples 4000 >/out/idle.log
	echo 0 >/sys/devices/system/cpu/cpu3/online
	measure offline $C6 --samples 4000 >/out/offline.log
	$(paced)
	spin 1
	measure busy $C6 --ldist 20000:300000
EOF
expect 'cpus: package: all cores idle' packaged package idle 99 100
expect 'cpus: package: one core offline' packaged package offline 99 100
expect 'cpus: package: one core awake' packaged package busy 0 0
expect 'cpus: statistics.csv: makes no difference' \
	undisturbed "$TMP/package/out/paced.log" "$TMP/package/out/without.log"
expect 'cpus: statistics.csv: a difference is found out' difference_found "$TMP/package/out"
expect 'cpus: statistics.csv: once a second' each_second paced
expect 'cpus: statistics.csv: a CPU is busy' statistic busy busy_pct 1 95 100
# A CPU that is never busy has no row.
expect 'cpus: statistics.csv: another one is not' statistic busy busy_pct 2 0 10 0
expect 'cpus: statistics.csv: nor would a busy one pass for it' not statistic busy busy_pct 1 0 10
expect 'cpus: statistics.csv: its power' statistic busy power_mw 0 44000 50000
expect 'cpus: statistics.csv: the power of an idle package' statistic paced power_mw 0 15000 25000
expect 'cpus: statistics.csv: no SMI' statistic paced smi '' 0 0
expect 'cpus: statistics.csv: the timer of the measured CPU' statistic paced interrupts LOC 100 3000

# Two packages are apart from each other.
bench packages 1x1x2 "$PACKAGE" <<EOF
	spin 1
	measure busy $C6 --ldist 20000:300000
	cat /sys/devices/system/cpu/cpu*/topology/physical_package_id >/out/ids
EOF
expect 'cpus: packages: the kernel sees two' \
	[ "$(paste -s -d ' ' "$TMP/packages/out/ids")" = '0 1' ]
expect 'cpus: packages: the other one is awake' packaged packages busy 99 100

# A core is in the state of its shallower thread: CPU 0 and 1 are siblings.
# It never reaches C6 while the other one is awake, so that more samples are tried than
# asked for.
bench siblings 2x2 'C1:900 C3:40000 C6:95000' <<EOF
	cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list >/out/siblings
	measure idle $C6
	for cpu in 0 1 2; do msr \$cpu 0x3fd; done >/out/counters
	while :; do usleep 150; done &
	napping=\$!
	taskset -p 2 \$napping >/dev/null
	measure nap $C6 --samples 500
	kill \$napping
	spin 1
	measure busy $C6 --ldist 20000:300000 --samples 200
EOF
expect 'cpus: siblings: the kernel sees them' \
	grep -q -x '0[-,]1' "$TMP/siblings/out/siblings"
expect 'cpus: siblings: the other one is idle, too' \
	[ "$(column siblings idle hrt C6 median_ns)" -ge 95000 ]
expect 'cpus: siblings: the other one is awake' \
	[ "$(column siblings busy hrt C6 max_ns)" -le 920 ]
expect 'cpus: siblings: they share their counter' shared siblings
expect 'cpus: siblings: none overtakes the exit of its core' none_overtakes siblings

# Foreseen although another thread or core falls asleep after the CPU did.
TABLE=
bench prewake-siblings 1x2 'C1:900 C6:95000 prewake' <<EOF
	measure idle $C6
EOF
expect 'cpus: siblings: pre-wake' foreseen prewake-siblings 95000
bench prewake-package 4 'C1:900 C6:50000:package=41000 prewake' <<EOF
	measure idle $C6
EOF
expect 'cpus: package: pre-wake' foreseen prewake-package 91000

SEEN='memory that one CPU writes and another one watches, in ns until it is seen'

# seen_in_time FILE: a busy CPU sees what another one wrote as late as documented, 2 us and the
# loops of both, unless one of them is interrupted then. Its tick takes some us of 4 ms, so that
# up to 0.3 of a hundred times are late by it on average, by less than 15 us.
seen_in_time()
{
	awk -v most="$(figure_bound "$SEEN")" '
		$1 > most { late++ }
		$1 > longest { longest = $1 }
		END {
			print "cpus: " NR " times, the longest " longest + 0 " ns, " late + 0 " late"
			exit !(NR == 100 && late <= 4 && longest <= most + 15000)
		}' "$1"
}

# seen_can_fail: five times are late, or one is by more than a tick; not four of a tick.
seen_can_fail()
{
	times=$TMP/lead-nomwait/out/lead
	doctored=$TMP/seen
	awk 'NR <= 4 { print 17000; next } { print 2300 }' "$times" >"$doctored"
	seen_in_time "$doctored" || return
	awk -v most="$(figure_bound "$SEEN")" 'NR <= 5 { print most + 1; next } { print 2300 }' "$times" >"$doctored"
	! seen_in_time "$doctored" || return
	awk -v most="$(figure_bound "$SEEN")" 'NR == 1 { print most + 15001; next } { print 2300 }' "$times" >"$doctored"
	! seen_in_time "$doctored"
}

# The disk answers when this machine gets to it, while CPU 1 runs. CPU 0, which it wakes, goes on
# after as long as after any other event.
bench disk 2 'C1:900 C1E:12000 C3:40000 C6:95000' <<'EOF'
	sh /disk || exit
	spin 1
	for i in $(seq 50); do
		taskset 1 dd if=/dev/zero of=/dev/disk0 bs=4k count=1 conv=fsync || exit
	done
EOF
expect 'cpus: disk: it wakes a CPU from C6' some disk '@cpu == 0 && @hint == "0x20"'
expect 'cpus: disk: and that has its time' none disk \
	'@hint == "0x20" && (@event_ns < @enter_ns || left != 95000)'

for idle in nomwait halt; do
	echo 'lead 100 >/out/lead' >"$TMP/job"
	CPUS=2 TRUTH=''
	run_job "lead-$idle" "cpus: memory, idle=$idle" "$TMP/job" 300 "idle=$idle"
	expect "cpus: memory, idle=$idle: seen in time" seen_in_time "$TMP/lead-$idle/out/lead"
	figure "cpus: memory, idle=$idle" "$SEEN" "$(sort -n "$TMP/lead-$idle/out/lead" | sed -n 96p)"
done
expect 'cpus: memory: doctored times are found out' seen_can_fail

checks_end

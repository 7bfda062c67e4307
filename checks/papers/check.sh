#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What papers found on hardware comes out where it is the truth of the emulated processors: their
# tables, and what pre-wake, a link that sleeps and a package that sleeps make of a latency, as
# idle-latency compare says it; with LONG=1 also the procedure by which the tables of four Xeons were
# measured.
#
# Control: A table with a latency that was changed, and rows that are missing, come out otherwise.
# Takes: 70 s
. checks/lib/bench.sh

TABLES=checks/papers/tables

# of PAPER PROCESSOR: its rows, "METHOD STATE EXIT_NS".
of()
{
	awk -v paper="$1" -v processor="$2" '$1 == paper && $2 == processor { print $3, $4, $5 }' "$TABLES"
}

# measure_processor PROCESSOR PAPER...: each table on a CPU of its own, which is a package.
measure_processor()
{
	QEMU_MODEL=$1
	shift
	truth=
	: >"$TMP/measure"
	for paper; do
		cpu=$(wc -l <"$TMP/measure")
		of "$paper" "$QEMU_MODEL" >"$TMP/rows"
		truth="$truth $(awk -v cpu="$cpu" '{ print $2 "@" cpu ":" $3 }' "$TMP/rows")"
		echo "measure $paper --cpus $cpu --methods $(sed -n '1s/ .*//p' "$TMP/rows")" \
			"--states $(cut -d ' ' -f 2 "$TMP/rows" | paste -s -d ,) --samples 300" >>"$TMP/measure"
	done
	bench "$QEMU_MODEL" "1x1x$#" "$truth" <"$TMP/measure"
}

# each FIELD: of the tables, in their order.
each()
{
	awk -v field="$1" 'NF && $1 !~ /^#|^paper$/ && !seen[$field]++ { print $field }' "$TABLES"
}

tables()
{
	for processor in $(each 2); do
		# shellcheck disable=SC2046 # a list
		measure_processor "$processor" $(awk -v processor="$processor" \
			'$2 == processor && !seen[$1]++ { print $1 }' "$TABLES")
	done
	for paper in $(each 1); do
		judged "papers: $paper" judge papers/judge table "$TABLES" "$paper" "$TMP"
	done
}

# other_finds PATTERN: wrong with that table 6.
other_finds()
{
	finds "$1" judge papers/judge table "$TABLES" waltr-6 "$TMP/other"
}

# Table 6 with a C6 of Ivy Bridge that takes 7 us less, and without that of Haswell.
otherwise()
{
	mkdir "$TMP/other"
	ln -s "$TMP/broadwell_ep" "$TMP/skylake_sp" "$TMP/other"
	ln -s "$TMP/wult" "$TMP/other/ivy_bridge_ep"
	doctor "$TMP/haswell_ep" out/waltr-6/summary.csv '@state = "C7"'
	mv "$TMP/doctored" "$TMP/other/haswell_ep"
	expect 'papers: a latency that was changed is found out' \
		other_finds 'ivy_bridge_ep C6 by nic: .*, PASS , must be 87062 ns and FAIL$'
	expect 'papers: a row that is missing is found out' other_finds 'haswell_ep C6 by nic: was not measured'
	expect 'papers: a row that is too much is found out' other_finds 'has not: nic C7$'
	expect 'papers: the figure is another one' other_finds ': FAIL: 0 of 4, must be 1$'
}

# became RUN BEFORE AFTER: what compare says; that runs differ has a code of its own.
became()
{
	code=0
	tool compare "$TMP/$1/out/$2" "$TMP/$1/out/$3" >"$TMP/$1-$3" || code=$?
	cat "$TMP/$1-$3"
	[ "$code" -eq 3 ]
}

# changed NAME METHOD LOG STATE: by how much it did, as compare says it.
changed()
{
	judged "papers: $1" judge papers/judge changed "$1" "cpu0 $2 $4" "$TMP/$3"
}

# same METHOD LOG
same()
{
	expect "papers: $2: C6 by $1 is the same" grep -q "^cpu0 $1 C6 is the same within" "$TMP/$2"
}

# The Xeon E5-2697 v2 of wult, with the medians of its published reports: C6 of 73.79 us, and
# 17.58 us after a timer that it wakes up ahead of; and 82.55 us where the link of the card sleeps.
# The other CPU is that of otherwise().
wult()
{
	QEMU_MODEL=ivy_bridge_ep
	card=$QEMU_CARD
	QEMU_CARD=$card,l1-idle-ns=10000,l1-exit-ns=8760 QEMU_PORT=root
	bench wult 1x1x2 'C6:73790 C6@1:80062 prewake=17580' <<-'EOF'
		C6='--states C6 --methods tdt,nic --samples 1000 --ldist 330000:3000000'
		measure asleep $C6 --set aspm=on
		measure awake $C6 --set aspm=off
		measure prewake-off $C6 --set aspm=off,prewake=off
		measure waltr-6 --cpus 1 --states C6 --methods nic --samples 300 --set aspm=off
	EOF
	QEMU_CARD=$card QEMU_PORT=
	expect 'papers: wult: the link makes a difference' became wult awake asleep
	changed 'wult, 2.3.1: C6 by nic, with ASPM' nic wult-asleep C6
	same tdt wult-asleep
	expect 'papers: wult: pre-wake makes a difference' became wult awake prewake-off
	changed 'wult, 2.3.2: C6 by tdt, without pre-wake' tdt wult-prewake-off C6
	same nic wult-prewake-off
	for method in tdt nic; do
		figure papers "wult, 2.3.2: median of C6 by $method" "$(column wult awake "$method" C6 median_ns)"
	done
}

# Oberhauser, chapter 5.2.3: C8 of the 6700K takes 276 us, and 117 us where packages may not sleep.
limited()
{
	QEMU_MODEL=i7_6700k
	bench limited '' 'C8:117000:package=159000' <<-'EOF'
		C8='--states C8 --methods tdt --samples 300'
		measure deep $C8
		measure limited $C8 --set package-limit=pc2
	EOF
	expect 'papers: Oberhauser: packages make a difference' became limited limited deep
	changed 'Oberhauser, 5.2.3: C8 by tdt, where packages sleep' tdt limited-deep C8
}

# raw: the rows of table 10, but C6 as in table 6: the largest of all samples.
raw()
{
	awk '$1 == "waltr-6" { most[$2, $4] = $5 " " $6 }
		$1 == "waltr-10" {
			print $1, $2, $3, $4, ($2, $4) in most ? most[$2, $4] : $5 " " $6
		}' "$TABLES"
}

# Chapter 4.7: 1500 samples at each launch distance from 300 us to 8 ms, which grows by a tenth.
procedure()
{
	sweep=300000:8000000:10%
	raw >"$TMP/raw"
	while read -r _ processor method state ns _; do
		QEMU_MODEL=$processor
		run=$processor-$state
		bench "$run" '' "$state:2000:spread=$((ns - 2000))" <<-END
			measure all --methods $method --states $state --samples 1500 --sweep $sweep
		END
		samples_in_ns "$run" all >"$TMP/$run/samples.csv"
		rm "$TMP/$run/out/all/datapoints.csv"
	done <"$TMP/raw"
	judged 'papers: procedure' judge papers/judge procedure "$(sweep_steps $sweep)" 1500 "$TMP" <"$TMP/raw"
}

build_kernel
tables
wult
limited
otherwise
[ -z "$LONG" ] || procedure
cat "$TMP"/*/out/job.log >"$TMP/logs"
accounted papers "$TMP/logs"
checks_end

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All CPUs at once, on the emulated processor: that samples are as true as those of one CPU, which
# phases and rows there are, that the CPU that is slower is named, what goes on when one of the CPUs
# cannot be measured, and what is seen of it on a terminal; with LONG=1 also how long that takes
# against one CPU.
#
# Control: Samples that another CPU made late, phases that are too long, rows that are missing,
#   pooled or do not go with the CPUs that they are of, are found out, and no CPU is named where none
#   is slower.
# Takes: 160 s
. checks/lib/bench.sh

# Runs a program on a terminal.
GUEST_LINKED=/usr/bin/script
SAMPLES_EACH=400
SEEDS=1
# Of what one CPU takes, the first phase and all of them may take so many times as long where there
# are 3000 samples of each row; of fewer, the starts take a good part.
MOST_TIMES=
if [ -n "$LONG" ]; then
	SAMPLES_EACH=3000
	SEEDS=20
	MOST_TIMES='1.1 2.2'
fi
EXITS='C1=900 C1E=9000 C3=40000 C6=75000'
# The index of C6.
DEEPEST=4
# One sample, at a launch distance that is longer than any state of the emulated processor needs.
ONCE='1 400000 400000'

# judge_eight QUESTION DIR: what was measured of eight CPUs, in this directory.
judge_eight()
{
	# shellcheck disable=SC2086 # a list
	judge all/judge "$1" eight 8 "$2" $MOST_TIMES
}

# found_out QUESTION [FILE STATEMENTS]...: the judge says FAIL when rows are changed like this.
found_out()
{
	question=$1
	shift
	doctor "$TMP/eight/out" "$@"
	finds '' judge_eight "$question" "$TMP/doctored"
}

eight()
{
	bench eight 8 "$(echo "$EXITS" | tr '=' :)" <<-EOF
		MANY='--methods hrt,tdt --samples $SAMPLES_EACH'
		measure one --cpus 1 \$MANY >/out/one.log
		measure all --cpus all \$MANY >/out/all.log
		session 8 $DEEPEST 50 $ONCE >/out/together.csv
	EOF
	out=$TMP/eight/out
	accounted 'all: eight' "$out/all.log"
	true_samples eight all --exits "$EXITS"
	samples_in_ns eight all >"$out/all.ns"
	samples_in_ns eight one >"$out/one.ns"
	in_ns "$out/together.csv" >"$out/together.ns"
	for question in phases rows together started; do
		judged "all: eight: $question" judge_eight $question "$out"
	done

	expect 'all: a CPU that was measured for longer is found out' found_out phases all.ns \
		'if (@cpu == 3 && n++ == 9) @tai_ns = sprintf("%.0f", @tai_ns + 60000000000)'
	expect 'all: phases at the same time are found out' found_out phases all.ns \
		'if (@cpu == 0) { @tbi_ns = begin; @tai_ns = begin } begin = @tbi_ns'
	expect 'all: a missing row is found out' \
		found_out rows all/summary.csv 'if (@cpu == 3) next'
	expect 'all: samples of another CPU are found out' \
		found_out rows all.ns 'if (@cpu == 3 && n++ == 5) @cpu = 4'
	expect 'all: rows of the package that pass for concurrent ones are found out' \
		found_out rows all/summary.csv '@concurrent = "yes"'
	expect 'all: a type that has samples of others is found out' \
		found_out rows all/summary.csv 'if (@cpu ~ /^all:/) @valid += 400'
	expect 'all: PASS of a core type with a CPU that is FAIL is found out' \
		found_out rows all/summary.csv '@verdict = @cpu == 3 ? "FAIL" : "PASS"'
	expect 'all: a CPU that waited for another one to wake up is found out' \
		found_out together together.ns 'if (n++ % 9 == 0) @wake_ns += 300'
	expect 'all: CPUs that do not wake up at the same time are found out' \
		found_out together truth.csv 'if (@cpu > 0) next' together.ns 'if (@cpu > 0) next'
}

# slower TRUTH SEED: with this in addition, the CPUs that are said to be slower.
slower()
{
	rm -rf "$TMP/slow"
	bench slow 8 "C6:75000:spread=2000 $1 seed=$2" <<-EOF
		measure all --cpus all --methods hrt --states C6 --samples 300 >/out/all.log
	EOF
	SLOWER=$(sed -n 's/^all:.*: cpu\([0-9]*\) is slower than the others: .*/\1/p' \
		"$TMP/slow/out/all.log" | paste -s -d ' ')
}

# The C6 of CPU 5 takes 3 us more, or that of none.
slow()
{
	for seed in $(seq "$SEEDS"); do
		slower '' "$seed"
		expect "all: slow: seed $seed: no CPU is slower" [ "$SLOWER" = '' ]
		slower C6@5:78000 "$seed"
		expect "all: slow: seed $seed: CPU 5 is slower" [ "$SLOWER" = 5 ]
	done
	expect 'all: slow: the log has what TRUTH says of CPU 5' \
		none slow '@cpu == 5 && @level == "C6" && (left < 78000 || left > 80000)'
	expect 'all: slow: and of the others' \
		none slow '@cpu != 5 && @level == "C6" && (left < 75000 || left > 77000)'
	expect 'all: slow: they are in the log' some slow '@cpu == 6 && @level == "C6"'
}

# 32 CPUs: as many as there can be.
many()
{
	bench many 32 "$(echo "$EXITS" | tr '=' :)" <<-EOF
		session 32 $DEEPEST 10 $ONCE >/out/together.csv
	EOF
	in_ns "$TMP/many/out/together.csv" >"$TMP/many/out/together.ns"
	for question in started together; do
		judged "all: many: $question" judge all/judge $question many 32 "$TMP/many/out"
	done
}

# measured NAME: the CPUs that have a verdict.
measured()
{
	csv 'FNR > 1 && @cpu ~ /^[0-9]+$/ && @hold == "" && @verdict != "SKIP" { print @cpu }' \
		"$TMP/trouble/out/$1/summary.csv" | sort -n | paste -s -d ' '
}

# without NAME CPUS PATTERN: these have a verdict, and of the other one there is such a message,
# which is the same for each of its rows.
without()
{
	expect "all: trouble: $1: the others go on" [ "$(measured "$1")" = "$2" ]
	expect "all: trouble: $1: there is one message" \
		[ "$(grep -E "$3" "$TMP/trouble/out/$1.log" | sort -u | wc -l)" -eq 1 ]
}

# interrupted: seven CPUs have samples, and all have rows.
interrupted()
{
	csv 'FNR > 1 && @cpu ~ /^[0-9]+$/ { rows[@cpu] = 1; if (@valid > 0) some[@cpu] = 1 }
		END { exit !(length(rows) == 8 && length(some) == 7) }' \
		"$TMP/trouble/out/interrupted/summary.csv" &&
		grep -q -E '^SKIP cpu0 hrt C6: interrupted' "$TMP/trouble/out/interrupted.log"
}

# A CPU of four that cannot be measured, or not any more; and who has seen enough.
trouble()
{
	bench trouble 8 "$(echo "$EXITS" | tr '=' :)" <<-EOF
		C6='--methods hrt --states C6 --samples 300'
		echo 0 >/sys/devices/system/cpu/cpu7/online
		measure offline --cpus 4-7 \$C6 >/out/offline.log
		echo 1 >/sys/devices/system/cpu/cpu7/online

		session 1 $DEEPEST 1000 $ONCE >/dev/null &
		other=\$!
		measure in-use --cpus 0-3 \$C6 >/out/in-use.log
		kill \$other

		{
			sleep 2
			echo 0 >/sys/devices/system/cpu/cpu7/online
		} &
		measure unplugged --cpus 4-7 \$C6 --samples 10000 >/out/unplugged.log
		wait
		echo 1 >/sys/devices/system/cpu/cpu7/online

		timeout -s INT 4 ./latency_test --plain --machine qemu --cpus all --methods hrt \
			--samples 100000 --out /out/interrupted >/out/interrupted.log || true
	EOF
	without offline '4 5 6' '(^|[^0-9])CPU 7'
	without in-use '1 2 3' '^SKIP cpu0 hrt C6: somebody else'
	without unplugged '4 5 6' '^SKIP cpu7 hrt C6: the CPU is offline'
	expect 'all: trouble: interrupted: there is what was measured' interrupted
}

# screen NAME LINES FILE: what is seen in a terminal with so many lines.
screen()
{
	judge all/screen "all: top: $1" "$2" 60 "$3"
}

# All rows as they grow, on a terminal that has fewer lines, and on one that has more; then its user
# presses Ctrl-C.
top()
{
	bench top 4 "$(echo "$EXITS" | tr '=' :)" <<-'EOF'
		mkdir -p /dev/pts && mount -t devpts devpts /dev/pts || exit
		top='./latency_test --top --cpus all --methods hrt,tdt --samples'
		script -qec "stty rows 8 cols 60; exec $top 2000" /dev/null \
			</dev/null >/out/small || [ $? -eq 4 ] || exit 1
		{
			sleep 6
			printf '\003'
			sleep 1
		} | script -qec "stty rows 40 cols 60; exec $top 100000 --out /out/stopped" /dev/null \
			>/out/large
		echo $? >/out/code
	EOF
	judged 'all: top: 8 lines' screen small 8 "$TMP/top/out/small"
	judged 'all: top: 40 lines' screen large 40 "$TMP/top/out/large"
	expect 'all: top: Ctrl-C ends it' [ "$(cat "$TMP/top/out/code")" -eq 130 ]
	expect 'all: top: there is what was measured until then' \
		[ "$(wc -l <"$TMP/top/out/stopped/datapoints.csv")" -gt 1000 ]
	expect 'all: top: a frame that has scrolled away is found out' \
		top_is_wrong 'a part of a frame has scrolled away' 7 "$TMP/top/out/small"
	sed 's/\x1b\[?7l//g' "$TMP/top/out/small" >"$TMP/top/out/wrapped"
	expect 'all: top: lines that are wrapped are found out' \
		top_is_wrong 'a frame has other lines than rows' 8 "$TMP/top/out/wrapped"
}

# top_is_wrong TEXT LINES FILE: with so many lines, that is wrong.
top_is_wrong()
{
	screen found "$2" "$3" >"$TMP/found"
	cat "$TMP/found"
	grep -q "$1" "$TMP/found" && grep -q '^FAIL' "$TMP/found"
}

build_kernel
eight
slow
many
trouble
top
checks_end

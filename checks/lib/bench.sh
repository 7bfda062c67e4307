# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Checks on the emulated processor, whose idle states cost what TRUTH says: jobs, and
# what the log of the processor has to say about their samples. TABLE is what bench gives the kernel
# as intel_idle.table=, KERNEL_ARGUMENTS are further ones.
. checks/lib/checks.sh

MACHINE=qemu
KERNEL_ARGUMENTS=
# shellcheck disable=SC2034 # lib/machine-qemu.sh uses it
QEMU_INTEL_IDLE=yes

# The programs that jobs access model-specific registers with, look at what another CPU wrote, keep
# a CPU busy, and measure CPUs at the same moment.
GUEST_PROGRAMS=
for program in msr lead load session; do
	built=${IDLE_LATENCY_SEEN:-$TMP}/programs-$QEMU_TSC_KHZ/$program
	once "$built" gcc -O2 -static -pthread -DTSC_KHZ="$QEMU_TSC_KHZ" -Iinclude/uapi \
		"checks/lib/$program.c" -o
	GUEST_PROGRAMS="$GUEST_PROGRAMS $built"
done

# bench NAME CPUS TRUTH <JOB: run the job, a shell script, on the processor.
bench()
{
	CPUS=$2 TRUTH=$(echo "$3" | tr -s "\n\t" " ")
	{
		cat <<-END
		modprobe msr || exit
		${TABLE:+sh /table $TABLE || exit}
		cd /kselftest/idle_latency || exit
		sh nic.sh take $(qemu_card_address) || exit
		# measure NAME OPTIONS...: a verdict that is FAIL is a result, and so are
		# samples without one; anything else ends the job.
		measure()
		{
			name=\$1
			shift
			result=0
			./latency_test --plain --machine qemu --cpus 0 --out "/out/\$name" "\$@" ||
				result=\$?
			case \$result in
			0 | 1)
				;;
			4)
				[ "\$(wc -l <"/out/\$name/datapoints.csv")" -gt 1 ] || exit 1
				;;
			*)
				exit "\$result"
				;;
			esac
		}
		# ends CODE COMMAND...: the job ends unless the command ends with that.
		ends()
		{
			must=\$1
			shift
			ended=0
			"\$@" || ended=\$?
			[ "\$ended" -eq "\$must" ] || exit 1
		}
		# spin CPU: keep it busy until the job ends.
		spin()
		{
			while :; do :; done &
			spinning="\$spinning \$!"
			taskset -p \$((1 << \$1)) \$! >/dev/null
		}
		spinning=
		trap 'code=\$?; kill \$spinning 2>/dev/null; exit \$code' EXIT
		END
		cat
	} >"$TMP/job"
	run_job "$1" "$CHECK: $1" "$TMP/job" 900 "$(machine_arguments) $KERNEL_ARGUMENTS"
}

# judge_rows NAME MEASURED WANT: the summary of what was measured on a bench, see verdicts/rows.py.
judge_rows()
{
	judge verdicts/rows "$1 $2" "$3" "$TMP/$1/out/$2/summary.csv"
}

# rows NAME MEASURED WANT: the same as results.
rows()
{
	judged "$CHECK: $1 $2" judge_rows "$@"
}

# said NAME MEASURED PATTERN: the program did.
said()
{
	file_says "$TMP/$1/out/$2.log" "$3"
}

# says NAME MEASURED WHAT PATTERN: the same as a result.
says()
{
	expect "$CHECK: $1 $2: $3" said "$1" "$2" "$4"
}

# samples_in_ns NAME MEASURED: print datapoints.csv of a bench, with ns for cycles of the TSC.
samples_in_ns()
{
	in_ns "$TMP/$1/out/$2/datapoints.csv"
}

# judge_truth NAME MEASURED [OPTION...]: samples of a bench against the log, see truth.py.
judge_truth()
{
	of=$1
	measured=$2
	shift 2
	samples_in_ns "$of" "$measured" >"$TMP/samples.csv" || return
	judge lib/truth "$@" "$of $measured" "$TMP/$of/out/truth.csv" "$TMP/samples.csv"
}

# true_samples NAME MEASURED [OPTION...]: the same as results.
true_samples()
{
	judged "$CHECK: $1 $2" judge_truth "$@"
}

# bounds_find NAME MEASURED NS: a sample that is longer by NS than its error allows is found out.
bounds_find()
{
	samples_in_ns "$1" "$2" >"$TMP/samples.csv" || return
	csv "NR == 9 { @wake_ns += @error_ns + $3 } 1" "$TMP/samples.csv" >"$TMP/longer.csv"
	finds 'further from the log.*: 1 of' \
		judge lib/truth --error 300 longer "$TMP/$1/out/truth.csv" "$TMP/longer.csv"
}

# true_bench NAME CPUS EXITS [OPTION...] <JOB: states that take EXITS, STATE=NS ...; the job measures
# "all" of them, whose samples are true.
true_bench()
{
	bench "$1" "$2" "$(echo "$3" | tr '=' :)"
	of=$1
	exits=$3
	shift 3
	accounted "$CHECK: $of" "$TMP/$of/out/job.log"
	true_samples "$of" all --exits "$exits" "$@"
}

# One launch distance, so that what is drawn makes no difference to how long samples take.
PACED='--methods hrt --states C6 --samples 3000 --ldist 1000000:1001000'

# paced: what a job does for undisturbed.
paced()
{
	cat <<-END
	measure paced $PACED >/out/paced.log
	./latency_test --plain --machine qemu --cpus 0 $PACED >/out/without.log
	END
}

# pace LOG: the median of C6 by hrt, and how many samples there were in a second.
pace()
{
	awk -F '[|(]' '
		/^cpu0 hrt C6: [0-9]* samples in / { pace = $2 + 0 }
		/^0 +hrt +C6 / { split($3, times, " "); median = times[2] }
		END { print median, pace }' "$1"
}

# undisturbed LOG OTHER: statistics.csv, which the first run has written, made no difference: medians
# are within 20 ns, and times within 1 % and a session: a row has several of them, each of which
# takes some 60 ms to begin and to end, and now and then it needs one more.
undisturbed()
{
	{ pace "$1" && pace "$2"; } | awk -v check="$CHECK" -v samples=3000 '
		{ median[NR] = $1; pace[NR] = $2 }
		END {
			print check ": with statistics.csv " median[1] " ns and " pace[1] \
				" samples in a second, without " median[2] " ns and " pace[2]
			off = median[1] - median[2]
			longer = pace[1] * pace[2] ? samples / pace[1] - samples / pace[2] : samples
			most = 0.01 * samples / pace[2] + 0.06
			exit !(median[2] && off <= 20 && off >= -20 && longer <= most && longer >= -most)
		}'
}

# difference_found DIR: another median, and other times, are.
difference_found()
{
	for script in 's/^(0 +hrt +C6 +\|[^|]*\| +[0-9]+ +)[0-9]+/\199999/' 's|\([0-9]+/s\)|(100/s)|'; do
		sed -E "$script" "$1/paced.log" >"$TMP/doctored.log"
		! undisturbed "$TMP/doctored.log" "$1/without.log" || return
	done
}

# woken NAME MEASURED: print its samples, each with the columns of the idle period of CPU 0 that it
# ended, which come last: package is that of the log.
# shellcheck disable=SC2016 # a program of awk
woken()
{
	samples_in_ns "$1" "$2" >"$TMP/samples.csv" || return
	csv 'file == 1 && FNR == 1 { header = $0 }
		file == 1 && @cpu == 0 { left[++n] = @exit_ns; period[n] = $0 }
		file == 1 { next }
		FNR == 1 { print $0, header; next }
		{
			while (at < n && left[at + 1] + 0 <= @tai_ns + 0)
				at++
			print $0, period[at]
		}' "$TMP/$1/out/truth.csv" "$TMP/samples.csv"
}

# periods NAME CONDITION: print the idle periods for which the condition, in terms of csv, holds. It
# may use idle, the time that the CPU was idle for, and left, that from the event until it went on.
periods()
{
	csv 'NR > 1 { idle = @event_ns - @enter_ns; left = @exit_ns - @event_ns }
		NR > 1 && ('"$2"')' "$TMP/$1/out/truth.csv"
}

# some NAME CONDITION: there are at least 20 such periods.
some()
{
	[ "$(periods "$1" "$2" | wc -l)" -ge 20 ]
}

# none NAME CONDITION: there is no such period; print the first ones.
none()
{
	periods "$1" "$2" >"$TMP/periods" || return
	head -n 5 "$TMP/periods"
	[ ! -s "$TMP/periods" ]
}

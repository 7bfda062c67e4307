# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The checks, as the comment at the beginning of each says what it proves, what its negative
# control is and how long it takes:
#
#	# Control: what it must find wrong, and does.
#	# Takes: 40 s with a warm cache on two CPUs[; first|alone|LONG ...]
#
# One that is "first" takes little time and fails when the driver is broken; one that is "alone"
# takes all CPUs or damages the cache; one that is LONG is run with LONG=1 only.

# check_files: the script of each.
check_files()
{
	find checks -name '*.sh' | grep -x -E 'checks/([^/]*|[^/]*/check)\.sh' | sort
}

# check_file NAME: its script; fails where there is no such check.
check_file()
{
	check_files | grep -x -F -e "checks/$1.sh" -e "checks/$1/check.sh"
}

# describe_checks: NAME, seconds, words, what it proves and its control of each, with tabs between.
describe_checks()
{
	# shellcheck disable=SC2016 # a program of awk
	check_files | xargs awk '
		function done()
		{
			if (name)
				printf "%s\t%d\t%s\t%s\t%s\n", name, takes, words, text["proves"], text["control"]
		}
		FNR == 1 {
			done()
			name = FILENAME
			sub(/^checks\//, "", name)
			sub(/(\/check)?\.sh$/, "", name)
			takes = words = text["proves"] = text["control"] = ""
			into = "proves"
		}
		FNR < 4 || !into { next }
		/^# Control: / { into = "control"; sub(/^# Control:/, "#") }
		/^# Takes: / { takes = $3; words = $0; into = ""
			if (!sub(/^[^;]*; */, "", words)) words = ""
			next
		}
		!/^#/ { into = ""; next }
		/^#$/ { if (into == "proves" && text[into]) into = "usage"; next }
		{ sub(/^# */, ""); text[into] = text[into] (text[into] ? " " : "") $0 }
		END { done() }'
}

# list_checks: what each proves, in a line.
list_checks()
{
	describe_checks | awk -F '\t' '{
		proves = $4
		sub(/\. .*/, ".", proves)
		printf "%-14s %5d s%-6s %s\n", $1, $2, $3 ~ /LONG/ ? " LONG" : "", proves }'
}

# checks_of PHASE: the names of those that are first, of those that are alone, or of the rest, in
# their order: what takes long comes first, so that two rows end at about the same time. Of STEPS
# where that is set.
checks_of()
{
	describe_checks | awk -F '\t' -v phase="$1" -v long="$LONG" -v steps=" $STEPS " '
		steps ~ /[^ ]/ ? !index(steps, " " $1 " ") : $3 ~ /LONG/ && !long { next }
		phase == ($3 ~ /first/ ? "first" : $3 ~ /alone/ ? "alone" : "rest") { print $2, $1 }' |
		sort -k 1,1nr -k 2 | cut -d ' ' -f 2
}

# checks_readme: checks/README.md.
checks_readme()
{
	cat <<-'END'
	<!-- SPDX-License-Identifier: GPL-2.0 -->
	# The checks

	`make check` runs them, `make check STEPS="kunit figures"` some of them. Each is a file
	`NAME.sh`, or a directory with `check.sh`, the job of its machine (`guest`), what judges the
	results (`.py`) and its tables; what several use is in `lib/`. The figures that they bound are
	those of the tables in [README.md](../README.md) and
	[emulator/processor.md](../emulator/processor.md), see `lib/figures.py`.

	Who adds a check writes the comment at its beginning and runs `make check STEPS=static`, which
	says what this file must be. `first` come before all others, and nothing else is run when one
	of them fails; `alone` come last; `LONG` are run with `LONG=1`. Times are with a warm cache on
	two CPUs, beside two others; those of a run are in `out/check/times`.

	| check | what it proves | negative control | takes |
	|---|---|---|---|
	END
	describe_checks | awk -F '\t' '{
		gsub(/[|]/, "\\|")
		printf "| `%s` | %s | %s | %d s%s |\n", $1, $4, $5, $2, $3 ? ", " $3 : "" }'
}

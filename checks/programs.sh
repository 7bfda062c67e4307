#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The programs that test what the selftests are made of, which needs no driver and no other
# machine than this one: the verdict, the plan for each table of intel_idle, the sessions of
# many CPUs, the tests on two sets of samples, that everything is put back, and from when on a
# state pays.
#
# Control: A table of intel_idle that lacks a state is found out.
# Takes: 40 s
. checks/lib/checks.sh

# tables FILE: those of intel_idle there, as plan_test takes them.
tables()
{
	awk '
		/^static struct cpuidle_state [a-z0-9_]*_cstates[a-z0-9_]*\[\] / {
			table = $4
			sub(/_cstates/, "", table)
			sub(/\[\]/, "", table)
		}
		/^};/ { table = "" }
		table && $1 == ".exit_latency" { latency = $3 + 0 }
		table && $1 == ".target_residency" { print table, latency, $3 + 0 }' "$1"
}

# finds_nic_sh: latency_test does, whatever the directory is called that has both.
finds_nic_sh()
{
	directory="$TMP/it's \$here"
	mkdir "$directory"
	cp "$BUILT_KERNEL/kselftest/idle_latency/latency_test" "$directory"
	# shellcheck disable=SC2016 # expanded by nic.sh
	echo 'touch "${0%/*}/ran"' >"$directory/nic.sh"
	"$directory/latency_test" --scan --plain >"$TMP/scan" 2>&1 || true
	[ -e "$directory/ran" ]
}

build_kernel
tables "$BASE/drivers/idle/intel_idle.c" >"$TMP/tables"
for program in verdict_test plan_test collect_test undo_test energy/break_even_test; do
	say programs "$program"
	code=0
	INTEL_IDLE_TABLES=$TMP/tables "$BUILT_KERNEL/kselftest/idle_latency/$program" \
		>"$TMP/${program##*/}" 2>&1 || code=$?
	ktap "programs: $program" "$TMP/${program##*/}"
	expect "programs: $program: the run" [ "$code" -eq 0 ]
done
expect 'programs: nic.sh is found in a directory of any name' finds_nic_sh
# A state is missing.
sed -i '/^skl 890 /d' "$TMP/tables"
expect 'programs: a table that is not all there is found out' \
	[ "$(INTEL_IDLE_TABLES=$TMP/tables "$BUILT_KERNEL/kselftest/idle_latency/plan_test" 2>&1 |
		grep -c '^not ok .*tables.are_all_there')" -eq 1 ]
checks_end

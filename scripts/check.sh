#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every check, and the count of their results in the last line. With LONG=1 some of
# them do more. Emulators use one CPU each, so two checks run at a time; what the
# second row says is shown when the first is done.
set -eu
. scripts/lib/common.sh

# Each check has its machines.
export MACHINE=bochs CPU_MODEL=corei7_ivy_bridge_3770k HZ=250
export SIM='' TRUTH='' CPUS='' TABLE='' QUANTILE='' FORCE=''
export RESULTS="$TMP/results"
: >"$RESULTS"

second=

# run_checks NAME...: in the background, so that a signal ends them at once.
run_checks()
{
	for check in "$@"; do
		"scripts/check-$check.sh" &
		BACKGROUND="$! $second"
		wait $! || true
		grep -q -x "END $check" "$RESULTS" ||
			echo "FAIL $check: did not get to its end" | tee -a "$RESULTS"
	done
	BACKGROUND=$second
}

second_row()
{
	# shellcheck disable=SC2086 # a list
	trap 'kill $BACKGROUND; exit 143' TERM
	run_checks stream fuzz nic bits32 failing processor cpus models verdicts outliers
}

second_row >"$TMP/second" 2>&1 &
second=$!
# shellcheck disable=SC2086 # a list
run_checks static idle-path modules kunit ${LONG:+coverage} kselftest figures sim \
	contamination debug machines
wait "$second"
second=
cat "$TMP/second"
# It takes all CPUs.
[ -z "$LONG" ] || run_checks mutants
# Alone, because it damages the cache.
run_checks errors

count()
{
	grep -c "^$1 " "$RESULTS" || true
}

echo
grep '^FAIL ' "$RESULTS" || true
echo "idle_latency: $(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
[ "$(count PASS)" -gt 0 ] && [ "$(count FAIL)" -eq 0 ]

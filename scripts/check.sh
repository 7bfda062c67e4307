#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every check, and the count of their results in the last line.
set -eu
. scripts/lib/common.sh

# Each check has its machines.
export MACHINE=bochs SIM=
export RESULTS="$TMP/results"
: >"$RESULTS"

for check in static idle-path modules kunit kselftest figures sim machines errors; do
	"scripts/check-$check.sh" || true
	grep -q -x "END $check" "$RESULTS" ||
		echo "FAIL $check: did not get to its end" | tee -a "$RESULTS"
done

count()
{
	grep -c "^$1 " "$RESULTS" || true
}

echo
grep '^FAIL ' "$RESULTS" || true
echo "idle_latency: $(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
[ "$(count PASS)" -gt 0 ] && [ "$(count FAIL)" -eq 0 ]

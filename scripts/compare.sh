#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Compare the runs A with the runs B. Fails when something became slower, and when they cannot be
# compared.
set -eu
. scripts/lib/common.sh
. scripts/lib/results.sh

if [ -z "$A" ] || [ -z "$B" ]; then
	printf 'idle_latency: say what to compare, such as: make compare A=out/a B=out/b\n' >&2
	exit 2
fi
results_program latency_compare
code=0
"$PROGRAM" "$(echo "$A" | xargs | tr ' ' ,)" "$(echo "$B" | xargs | tr ' ' ,)" || code=$?
case $code in
0)
	;;
1)
	die 'B is slower, see above'
	;;
*)
	echo 'idle_latency: A and B cannot be compared, for the reason above' >&2
	exit 2
	;;
esac

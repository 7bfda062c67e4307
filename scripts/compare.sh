#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Compare the runs A with the runs B. Fails when something became slower, and when they cannot be
# compared.
set -eu
. scripts/lib/common.sh
. scripts/lib/results.sh

# with_commas LIST: its words, which are not to be expanded.
with_commas()
{
	set -f
	# shellcheck disable=SC2086 # a list
	set -- $1
	IFS=,
	echo "$*"
}

if [ -z "$A" ] || [ -z "$B" ]; then
	printf 'idle_latency: say what to compare, such as: make compare A=out/a B=out/b\n' >&2
	exit 2
fi
results_program latency_compare
code=0
"$PROGRAM" "$(with_commas "$A")" "$(with_commas "$B")" || code=$?
case $code in
0)
	;;
1)
	die 'B is slower, see above'
	;;
*)
	echo 'idle_latency: A and B were not compared, or not in all rows, for the reason above' >&2
	exit 2
	;;
esac

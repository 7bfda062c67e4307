#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measure every idle state of the machine, print the verdicts, and write the
# results to OUT. Fails when a verdict is FAIL.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/machine-host.sh

code=0
set -- idle_latency/latency_test --plain --machine "$MACHINE" \
	--methods "$METHODS" --samples "$SAMPLES" ${LDIST:+--ldist "$LDIST"}

if [ "$MACHINE" = host ]; then
	host_run "$TMP/machine" "$@" --out "$TMP/machine/out" || code=$?
else
	build_kernel
	# shellcheck disable=SC2034 # lib/machine-qemu.sh uses it
	[ -n "$SIM" ] || QEMU_INTEL_IDLE=yes
	say run "measuring $(machine_name), $SAMPLES samples per method and state"
	machine_job "$TMP/job" "$@" --cpu-model "$(machine_cpu)" --out /out
	machine_run "$TMP/machine" "$TMP/job" $((600 + SAMPLES / 5)) || code=$?
fi
keep_results "$TMP/machine/out" summary.csv datapoints.csv environment.txt console.log
say run "results are in $OUT"

case $code in
0)
	;;
1)
	die 'a verdict is FAIL, see the table above'
	;;
4)
	die 'nothing could be measured, for the reason above'
	;;
*)
	die "the run failed with exit code $code (console: $OUT/console.log)"
	;;
esac

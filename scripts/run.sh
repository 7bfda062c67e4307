#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measure every idle state of the machine, print the verdicts, and write the
# results to OUT. Fails when a verdict is FAIL, when nothing could be measured, and when the run
# itself failed.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/machine-host.sh
. scripts/lib/results.sh

# again: the variables of make with which it measures the same.
again()
{
	for name in MACHINE CPU_MODEL METHODS SAMPLES LDIST SWEEP SIM TRUTH CPUS TABLE QUANTILE \
		HOLD SET FORCE HZ KERNEL RUN_NUMBER; do
		eval "value=\${$name-}"
		[ -z "$value" ] || printf " %s='%s'" "$name" "$value"
	done
}

code=0
set -- --plain --machine "$MACHINE" \
	--methods "$METHODS" --samples "$SAMPLES" ${LDIST:+--ldist "$LDIST"} \
	${SWEEP:+--sweep "$SWEEP"} ${QUANTILE:+--quantile "$QUANTILE"} ${FORCE:+--force} \
	${HOLD:+--hold "$HOLD"} ${SET:+--set "$SET"}

if [ "$MACHINE" = host ]; then
	host_prepare
	mkdir -p "$TMP/machine/out"
	host_run "$@" --out "$TMP/machine/out" || code=$?
	host_run --scan >"$TMP/machine/out/scan.txt" || true
else
	build_kernel
	# shellcheck disable=SC2034 # lib/machine-qemu.sh uses it
	QEMU_MODEL=$CPU_MODEL
	# shellcheck disable=SC2034 # lib/machine-qemu.sh uses it
	[ -n "$SIM" ] || QEMU_INTEL_IDLE=yes
	steps=1
	[ -z "$SWEEP" ] || steps=$(sweep_steps "$SWEEP")
	say run "measuring $(machine_name), $SAMPLES samples per method and state${SWEEP:+, at each of $steps steps}"
	machine_job "$TMP/job" idle_latency/latency_test "$@" --cpu-model "$CPU_MODEL" --out /out
	machine_run "$TMP/machine" "$TMP/job" $((600 + SAMPLES * steps / 5)) \
		"$(machine_arguments)" || code=$?
fi
# A page about earlier results goes, too.
keep_results "$TMP/machine/out" index.html summary.csv datapoints.csv discards.csv sweep.csv \
	statistics.csv environment.txt scan.txt truth.csv console.log
# The machine itself does not know it.
if [ -f "$OUT/environment.txt" ]; then
	[ -z "$TRUTH" ] || echo "emulated idle states: $TRUTH" >>"$OUT/environment.txt"
	echo "make run:$(again)" >>"$OUT/environment.txt"
fi
say run "results are in $OUT"

case $code in
0)
	;;
1)
	[ -f "$OUT/summary.csv" ] ||
		die 'the measurement failed, for the reason above, and there are no results'
	grep -q ',FAIL,' "$OUT/summary.csv" ||
		die 'the measurement failed, for the reason above'
	die 'a verdict is FAIL, see the table above'
	;;
5)
	die "TABLE=$TABLE: the kernel did not take all of it, see above; intel_idle in $OUT/console.log may say why, and before v7.3 it takes no table"
	;;
130)
	die "interrupted: what was measured until then is in $OUT"
	;;
4)
	die 'nothing could be measured, for the reason above'
	;;
*)
	die "the run failed with exit code $code (see above, and $OUT/console.log of an emulated machine)"
	;;
esac

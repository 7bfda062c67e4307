#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measure every idle state of the machine, print the verdicts, and write the
# results to OUT. Fails when a verdict is FAIL, with 4 when nothing could be measured, with 130 when
# it was interrupted, and when the run itself failed.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/machine-host.sh

# again: the variables of make with which it measures the same.
again()
{
	for name in MACHINE CPU_MODEL METHODS SAMPLES LDIST SWEEP SIM TRUTH CPUS TABLE QUANTILE \
		MEASURE HOLD WAKER CARD SET ENERGY FORCE HZ KERNEL RUN_NUMBER; do
		eval "value=\${$name-}"
		[ -z "$value" ] || printf " %s='%s'" "$name" "$value"
	done
}

code=0
set -- --plain --machine "$MACHINE" \
	--methods "$METHODS" --samples "$SAMPLES" ${LDIST:+--ldist "$LDIST"} \
	${SWEEP:+--sweep "$SWEEP"} ${QUANTILE:+--quantile "$QUANTILE"} ${FORCE:+--force} \
	${MEASURE:+--cpus "$MEASURE"} ${HOLD:+--hold "$HOLD"} ${WAKER:+--waker "$WAKER"} \
	${SET:+--set "$SET"}

# What energy_test takes, beside where to write to.
energy="--plain ${FORCE:+--force}"

if [ "$MACHINE" = host ]; then
	host_prepare
	mkdir -p "$TMP/machine/out"
	host_run "$@" --out "$TMP/machine/out" || code=$?
	# shellcheck disable=SC2086 # a list
	[ -z "$ENERGY" ] || [ "$code" -gt 1 ] ||
		PROGRAM=energy_test host_run $energy --out "$TMP/machine/out" || code=$?
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
	set -- idle_latency/latency_test "$@" --cpu-model "$CPU_MODEL" --out /out
	[ -z "$ENERGY" ] || set -- sh -c "latency=0; \"\$@\" || latency=\$?; [ \$latency -le 1 ] || exit \$latency
		idle_latency/energy/energy_test $energy --out /out && exit \$latency" energy "$@"
	machine_job "$TMP/job" "$@"
	# Of several CPUs, there are three phases with two threads in each core.
	phases=${MEASURE:+3}
	machine_run "$TMP/machine" "$TMP/job" $((600 + SAMPLES * steps * ${phases:-1} / 5)) \
		"$(machine_arguments)" || code=$?
fi
# A page about earlier results goes, too.
keep_results "$TMP/machine/out" index.html summary.csv datapoints.csv discards.csv sweep.csv \
	statistics.csv energy.csv residency.csv environment.txt scan.txt truth.csv console.log
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
	cat "$OUT/summary.csv" "$OUT/residency.csv" 2>/dev/null | grep -q ',FAIL,' ||
		die 'the measurement failed, for the reason above'
	die 'a verdict is FAIL, see above'
	;;
5)
	die "TABLE=$TABLE: the kernel did not take all of it, see above; intel_idle in $OUT/console.log may say why, and before v7.3 it takes no table"
	;;
130)
	die_with 130 "interrupted: what was measured until then is in $OUT"
	;;
4)
	die_with 4 'nothing could be measured, for the reason above'
	;;
*)
	die_with "$code" "the run failed with exit code $code (see above, and $OUT/console.log of an emulated machine)"
	;;
esac

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Change one operator, constant or line at a time, and see whether a test notices: the
# unit tests under User Mode Linux, whose kernel checks contexts, locks and freed memory, and
# verdict_test. It prints what no test notices, and fails when that is more than 5 % of the changes.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/kunit.sh

# What is mutated, by the end of its path; after a colon, how the names of the functions begin, if
# not all are.
KERNEL_FILES='convert.c hint.c judge.c sim_spec.c armer.c core.c record.c watch.c chrdev.c timer.c
	nic.c nic_card.c nic_clock.c'
PROGRAM_FILES='verdict.c tally.c figures.c statistics.c accounting.c discards.c causes.c types.c
	packed.c drift.c report.c:explain proposal.c plan.c:launch_distance,capped,counted,DECADE'

# As kunit.py does it, but that time leaps while the kernel waits: a mutant for which a test
# waits in vain is found when KUnit's limit of five minutes is over, which is at once. Freed
# memory that somebody writes to is noticed with the next allocation.
KERNEL_ARGUMENTS="mem=1G console=tty kunit_shutdown=halt kunit.enable=1 uml_dir=DIRECTORY/ \
time-travel slab_debug=FZPU"

# describe DIRECTORY ARGUMENTS PREFIX FILE...: what is made by the commands in the directory BENCH.
describe()
{
	printf '%s\n' "$1" "$2" >"$BENCH/bench"
	prefix=$3
	shift 3
	printf "$prefix/%s\n" "$@" >>"$BENCH/bench"
}

# prepare_kernel: in a copy of its build directory, which others change. It is linked once more,
# because make says how only then. What kallsyms knows stays that of the unmutated kernel, so that
# a mutant may name wrong functions when it crashes.
prepare_kernel()
{
	logged kernel kunit_tool build --kunitconfig "$KUNIT_TESTS" \
		--kconfig_add CONFIG_UML_TIME_TRAVEL_SUPPORT=y \
		--kconfig_add CONFIG_DEBUG_KERNEL=y --kconfig_add CONFIG_SLUB_DEBUG=y \
		--kconfig_add CONFIG_PROVE_LOCKING=y --kconfig_add CONFIG_DEBUG_ATOMIC_SLEEP=y
	rm "$BUILDING/files/vmlinux.unstripped"
	logged kernel make -C "$TREE" ARCH=um O="$BUILDING/files" -j "$JOBS" V=1 vmlinux
	BENCH=$TMP/kernel
	mkdir "$BENCH"
	cp -R "$BUILDING/files" "$BENCH/build"
	find "$BENCH/build/drivers/idle_latency" -name '.*.o.cmd' | sort |
		xargs sed -n 's/^savedcmd_[^ ]* := //p' >"$BENCH/commands"
	grep -a '^+ .* -o vmlinux.unstripped ' "$CACHE/log/kernel.log" | tail -n 1 |
		cut -c 3- >>"$BENCH/commands"
	# shellcheck disable=SC2086 # a list
	describe "$BENCH/build" "$KERNEL_ARGUMENTS" drivers/idle_latency $KERNEL_FILES
}

prepare_program()
{
	BENCH=$TMP/program
	directory=$TREE/tools/testing/selftests/idle_latency
	set -- make -C "$directory" OUTPUT="$BENCH" \
		KHDR_INCLUDES="-isystem $TMP/headers/usr/include" "$BENCH/verdict_test"
	logged kernel kernel_make O="$TMP/headers" headers
	"$@" -n | grep '^gcc ' >"$TMP/commands"
	logged kernel "$@"
	mv "$TMP/commands" "$BENCH"
	# A mutant is not where the cases of verdict_test are.
	cp -R "$directory/verdict" "$TMP/cases"
	export VERDICT_CASES="$TMP/cases"
	# shellcheck disable=SC2086 # a list
	describe "$directory" '' tools/testing/selftests/idle_latency/lib $PROGRAM_FILES
}

progress mutants "building what they are tried in (log: $CACHE/log/kernel.log)"
kunit_begin mutants
prepare_kernel
prepare_program
# In the background, so that a signal ends it at once. It has the lock, too, until it has read the
# sources.
python3 -B checks/mutants/mutants.py "$JOBS" "$TMP/kernel" "$TMP/program" &
BACKGROUND=$!
kunit_end
code=0
wait $BACKGROUND || code=$?
BACKGROUND=
exit $code

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Change one operator, constant or line at a time, and see whether a test notices: the
# unit tests under User Mode Linux, whose kernel checks contexts, locks and freed memory, and
# verdict_test. It prints what no test notices, and fails when that is more than 5 % of the changes.
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/tree.sh
. scripts/lib/kernel.sh
. scripts/lib/kunit.sh

# What is mutated, by its path in the kernel tree: a header as part of the first file
# that includes it; after a colon, how the names of the functions begin, if not all are.
KERNEL_FILES='convert.c hint.c judge.c sim_spec.c armer.c core.c record.c watch.c chrdev.c timer.c
	nic.c nic_card.c nic_clock.c'
PROGRAM_FILES='verdict.c tally.c figures.c statistics.c accounting.c discards.c causes.c
	report.c:explain proposal.c plan.c:launch_distance,capped,counted,DECADE'

# prefixed PREFIX NAME...
prefixed()
{
	prefix=$1
	shift
	printf "$prefix/%s\n" "$@"
}

# prepare KIND NAME DIRECTORY COMMANDS FILE...: make a bench of that kind.
prepare()
{
	kind=$1
	bench=$TMP/$2
	shift 2
	mkdir "$bench"
	python3 -B checks/mutants/prepare.py "$kind" "$bench" "$@"
}

# link_kernel: link it once more, because make says how only then.
link_kernel()
{
	rm "$BUILDING/files/vmlinux.unstripped"
	make -C "$TREE" ARCH=um O="$BUILDING/files" -j "$JOBS" V=1 vmlinux >"$TMP/link" 2>&1 || {
		tail -n 20 "$TMP/link"
		return 1
	}
}

prepare_kernel()
{
	logged kernel kunit_tool build --kunitconfig "$KUNIT_TESTS" \
		--kconfig_add CONFIG_UML_TIME_TRAVEL_SUPPORT=y \
		--kconfig_add CONFIG_DEBUG_KERNEL=y --kconfig_add CONFIG_SLUB_DEBUG=y \
		--kconfig_add CONFIG_PROVE_LOCKING=y --kconfig_add CONFIG_DEBUG_ATOMIC_SLEEP=y
	logged kernel link_kernel
	# shellcheck disable=SC2086,SC2046 # lists
	prepare kernel kernel "$BUILDING/files" "$TMP/link" \
		$(prefixed drivers/idle_latency $KERNEL_FILES)
}

# prepare_program NAME FILE...
prepare_program()
{
	directory=$TREE/tools/testing/selftests/idle_latency
	make -C "$directory" -n OUTPUT="$TMP" KHDR_INCLUDES="-isystem $TMP/headers/usr/include" \
		"$TMP/$1" >"$TMP/commands"
	name=$1
	shift
	# shellcheck disable=SC2046 # a list
	prepare program "$name" "$directory" "$TMP/commands" \
		$(prefixed tools/testing/selftests/idle_latency/lib "$@")
}

progress mutants "building what they are tried in (log: $CACHE/log/kernel.log)"
kunit_begin mutants
prepare_kernel
logged kernel kernel_make O="$TMP/headers" headers
# shellcheck disable=SC2086 # lists
{
	prepare_program verdict_test $PROGRAM_FILES
	cp -R "$directory/verdict" "$TMP/cases"
}
kunit_end

# A mutant is not where the cases of verdict_test are.
export VERDICT_CASES="$TMP/cases"
# In the background, so that a signal ends it at once.
python3 -B checks/mutants/mutants.py "$JOBS" "$TMP/kernel" "$TMP/verdict_test" &
BACKGROUND=$!
code=0
wait $BACKGROUND || code=$?
BACKGROUND=
exit $code

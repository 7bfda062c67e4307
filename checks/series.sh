#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The patches that "make series" writes: how long they are, that they apply in the order of sending
# and make the tree that "make tree" makes, that checkpatch has nothing to say, and that the driver
# is built in at the end of the first series. With LONG=1 it is built at every patch, also as
# modules, and at the end of each series also for other architectures and by other compilers. The
# program idle-latency starts at the end of each series that changes it; with LONG=1 at every patch.
#
# Control: a file that is in no patch or in two, a patch that is too long, one that calls what a later
#   one adds, and a program that imports it, are found.
# Takes: 110 s
. checks/lib/checks.sh
. scripts/lib/kunit.sh

DRIVER=drivers/idle_latency
TOOL=tools/power/idle_latency
# What the patches touch. The rest of the kernel is not linked: whether all is there that our
# objects call is seen from their symbols.
FOLDERS='drivers/cpuidle/ kernel/sched/'
X86_OBJECTS='arch/x86/kernel/irq.o arch/x86/kernel/apic/apic.o arch/x86/kernel/apic/vector.o
	arch/x86/events/intel/cstate.o'
OURS='idle_latency|cpuidle_(devices|force|unforce|stamp)|is_vector_pending|lapic_irq|arch_irq_stat'

applied()
{
	git -C "$TMP/applied" "$@"
}

# Who runs this need not be who sends the patches.
export GIT_AUTHOR_NAME=check GIT_AUTHOR_EMAIL=check@localhost
export GIT_COMMITTER_NAME=check GIT_COMMITTER_EMAIL=check@localhost

# apply_series: what git am makes of the base.
apply_series()
{
	git init --quiet "$TMP/applied"
	for file in $(hunk_files); do
		[ ! -f "$BASE/$file" ] || (cd "$BASE" && cp --parents "$file" "$TMP/applied")
	done
	applied add --all
	applied commit --quiet --message base
	applied tag base
	for series in "$TMP"/series/*; do
		# shellcheck disable=SC2046 # a list
		silent "series: git am $(basename "$series")" \
			applied am --quiet $(find "$series" -name '*.patch' ! -name '0000-*' | sort)
		applied tag "$(basename "$series")"
	done
}

# patches: the files that are sent, without cover letters.
patches()
{
	find "$TMP/series" -name '*.patch' ! -name '0000-*' | sort
}

# patches_and_tool: what checkpatch depends on. Hashes and dates of the commits, which differ in each
# run, are left out.
patches_and_tool()
{
	perl --version
	contents "$BASE/scripts" | grep -E '(checkpatch\.pl|spelling\.txt|const_structs\.checkpatch)$'
	patches | xargs sed -e '/^From [0-9a-f]\{40\} /d' -e '/^Date: /d'
}

# checkpatch_silent: a patch that adds files has to touch MAINTAINERS for checkpatch, though a
# pattern there may cover them already. In a table of cases, a word may follow itself.
checkpatch_silent()
{
	code=0
	patches | xargs "$BASE/scripts/checkpatch.pl" \
		--no-tree --strict --ignore FILE_PATH_CHANGES --quiet --terse --no-summary --show-types \
		--showfile >"$TMP/checkpatch" || code=$?
	grep -v '\.cases:[0-9]*: WARNING:REPEATED_WORD' "$TMP/checkpatch" || true
	# xargs ends with 123 when checkpatch has something to say, and otherwise when it was killed.
	[ "$code" -eq 0 ] || [ "$code" -eq 123 ]
}

# tree_at REVISION: set TREE to the kernel with the patches up to it.
tree_at()
{
	OVERLAY=$TMP/at
	rm -rf "$OVERLAY"
	mkdir "$OVERLAY"
	applied archive "$1" | tar -x -C "$OVERLAY"
	# shellcheck disable=SC2034 # used in lib/tree.sh
	TREE_FOR=series
	update_tree
}

# our_options ANSWER: what machine.config says, with this answer to all options of ours that the
# tree has. Another architecture has cpuidle and the unit tests.
our_options()
{
	if [ "$KERNEL_ARCH" = arm64 ]; then
		printf 'CONFIG_%s=y\n' MODULES CPU_IDLE
	else
		machine_config | grep -v -E 'IDLE_LATENCY|CONFIG_KUNIT'
	fi
	[ "$1" = n ] || echo "CONFIG_KUNIT=$1"
	[ ! -f "$TREE/$DRIVER/Kconfig" ] || awk -v answer="$1" -v architecture="$KERNEL_ARCH" '
		$1 == "config" { option = $2 }
		architecture == "arm64" && option !~ /KUNIT/ { next }
		$1 == "tristate" && NF > 1 && answer != "n" { print "CONFIG_" option "=" answer }
		$1 == "bool" && NF > 1 && answer != "n" { print "CONFIG_" option "=y" }' \
		"$TREE/$DRIVER/Kconfig"
}

# x86_objects: those of them that are built.
x86_objects()
{
	# shellcheck disable=SC2086 # a list
	(cd "$BUILDING/files" && ls $X86_OBJECTS 2>/dev/null) | sed "s|^|$BUILDING/files/|"
}

# single_objects ANSWER: those that no folder leads to, and those of the driver, also of files that
# no list names yet.
single_objects()
{
	[ "$KERNEL_ARCH" != arm64 ] || return 0
	echo "$X86_OBJECTS"
	[ "$1" = n ] || [ ! -d "$TREE/$DRIVER" ] ||
		(cd "$TREE" && find "$DRIVER" -name '*.c') | sed 's/\.c$/.o/'
}

# forget_objects: make says nothing about what it finds built, so that at the first patch with this
# configuration there is nothing of an earlier run.
forget_objects()
{
	[ ! -e "$TMP/forgotten-$(basename "$BUILDING")" ] || return 0
	: >"$TMP/forgotten-$(basename "$BUILDING")"
	# shellcheck disable=SC2046 # a list
	rm -rf "$BUILDING/files/$DRIVER" "$BUILDING/files/drivers/cpuidle" $(x86_objects)
}

# unresolved: what our objects call, and nobody has.
unresolved()
{
	[ -d "$BUILDING/files/$DRIVER" ] || return 0
	find "$BUILDING/files/$DRIVER" -name built-in.a >"$TMP/archives"
	[ -s "$TMP/archives" ] || return 0
	xargs nm --undefined-only <"$TMP/archives" 2>/dev/null | awk 'NF == 2 { print $2 }' |
		grep -E "^($OURS)" | sort -u >"$TMP/called" || true
	# shellcheck disable=SC2046 # a list
	nm --defined-only $(cat "$TMP/archives") $(x86_objects) \
		"$BUILDING/files/drivers/cpuidle/built-in.a" 2>/dev/null |
		awk 'NF == 3 { print $3 }' | sort -u | comm -13 - "$TMP/called"
}

# warnings ANSWER ARGUMENTS...: build what the patches touch, with every warning.
warnings()
{
	answer=$1
	shift
	# What the cache says of a build that was killed is no warning.
	build_begin "$CACHE/build/$(hash_text series "$TREE" "$KERNEL_ARCH" "$answer" "$@")" \
		>"$TMP/begun"
	our_options "$answer" >"$TMP/series.config"
	configure "$BUILDING/files" "$TMP/series.config" "$@"
	logged kernel kernel_make O="$BUILDING/files" W=1 "$@" prepare
	folders=$FOLDERS
	[ ! -d "$TREE/$DRIVER" ] || folders="$folders $DRIVER/"
	forget_objects
	code=0
	# shellcheck disable=SC2086 # a list
	kernel_make -s O="$BUILDING/files" W=1 "$@" $folders 2>&1 || code=$?
	# Apart from folders, of which kbuild would leave some out beside single objects.
	objects=$(single_objects "$answer")
	# shellcheck disable=SC2086 # a list
	[ -z "$objects" ] || kernel_make -s O="$BUILDING/files" W=1 "$@" $objects 2>&1 || code=$?
	[ "$answer" != y ] || unresolved
	build_end
	return "$code"
}

# builds WHERE: of x86_64, built in, and with LONG=1 as modules.
builds()
{
	silent "series: $1: built in" warnings y
	[ -z "$LONG" ] || silent "series: $1: as modules" warnings m
}

selftest_warnings()
{
	[ -f "$TREE/tools/testing/selftests/idle_latency/Makefile" ] || return 0
	logged kernel kernel_make O="$TMP/selftests" headers
	targets=$(cd "$TREE/tools/testing/selftests" &&
		find idle_latency -name Makefile -printf '%h ')
	selftests_make "$TMP/selftests" -s TARGETS="$targets" >/dev/null
}

# kernel_changed FROM TO: what is built of it is another one.
kernel_changed()
{
	! applied diff --quiet "$@" -- . ':!tools' ':!Documentation' ':!MAINTAINERS'
}

# builds_at PATCH BEFORE: what this patch changes, as the rest was built with the patch before it.
builds_at()
{
	tree_at "$1"
	if kernel_changed "$2" "$1"; then
		builds "$(applied log -1 --format='%h %s' "$1")"
	fi
	if ! applied diff --quiet "$2" "$1" -- tools/testing include; then
		silent "series: $1: selftests" selftest_warnings
	fi
}

# sparse_warnings: those about drivers/, as it has much to say of the scheduler.
sparse_warnings()
{
	code=0
	warnings m C=2 CHECK="$SPARSE" >"$TMP/sparse" || code=$?
	grep -E '^[^ ]*/drivers/(idle_latency|cpuidle)/' "$TMP/sparse" | without_macros
	return "$code"
}

# elsewhere WHERE: what else is built at the end of a series.
elsewhere()
{
	silent "series: $1: without the driver" warnings n
	silent "series: $1: clang" warnings m CC=clang-19
	silent "series: $1: sparse" sparse_warnings
	(
		i386_kernel
		silent "series: $1: i386" warnings m
		# What is in TMP is needed further on.
		trap - EXIT
	)
	KERNEL_ARCH=arm64
	silent "series: $1: arm64" warnings m LLVM=-19
	KERNEL_ARCH=x86_64
	build_begin "$CACHE/build/$(hash_text series-kunit "$TREE")"
	expect "series: $1: KUnit" logged kernel kunit_tool run --kunitconfig "$KUNIT_TESTS"
	build_end
}

# tool_at REVISION: the program idle-latency and all that it imports, to $TMP/tool; fails where there is
# none.
tool_at()
{
	rm -rf "$TMP/tool"
	mkdir "$TMP/tool"
	applied cat-file -e "$1:$TOOL/idle-latency" 2>/dev/null || return
	applied archive "$1" "$TOOL" | tar -x -C "$TMP/tool"
}

tool_starts()
{
	/usr/bin/python3 -B "$TMP/tool/$TOOL/idle-latency" --help >/dev/null
}

# tool_changes_at PATCH BEFORE: it starts, if this patch changes it.
tool_changes_at()
{
	if ! applied diff --quiet "$2" "$1" -- "$TOOL" && tool_at "$1"; then
		silent "series: $1: idle-latency starts" tool_starts
	fi
}

# tool_lacks MODULE: it does not start without that.
tool_lacks()
{
	rm "$TMP/tool/$TOOL/idle_latency/$1.py"
	! tool_starts 2>/dev/null
}

# doctored: with a file that no patch has, and a patch more that has one that is not there, and one
# that another patch has: nothing is cut.
doctored()
{
	mkdir "$TMP/doctored"
	cp -R series scripts "$TMP/doctored"
	cp -R "$OVERLAY" "$TMP/doctored/overlay"
	echo '/* nothing */' >"$TMP/doctored/overlay/$DRIVER/orphan.x"
	printf 'Files: %s\n\nx\n' "$DRIVER/nothing.c $DRIVER/Makefile" \
		>"$TMP/doctored/series/1-measure/99-doctored.txt"
	git init --quiet "$TMP/doctored/git"
	(cd "$TMP/doctored" && ! python3 -B scripts/lib/series.py cut "$BASE" overlay git 2>said)
}

# too_long: the last patch, with 13000 lines more.
too_long()
{
	git clone --quiet "$TMP/applied" "$TMP/long"
	seq 13000 >"$TMP/long/long.c"
	git -C "$TMP/long" add long.c
	git -C "$TMP/long" commit --quiet --amend --no-edit
	python3 -B scripts/lib/series.py sizes "$TMP/long" | grep -c '^FAIL .* 1[3-9][0-9][0-9][0-9]' >"$TMP/count"
	# Of code, of the patch, and of the series.
	[ "$(cat "$TMP/count")" -ge 2 ]
}

# missing_symbol: without what another file of the driver has.
missing_symbol()
{
	echo 'void idle_latency_nowhere(void); void idle_latency_lost(void);
		void idle_latency_lost(void) { idle_latency_nowhere(); }' >>"$TREE/$DRIVER/$1"
	warnings y >"$TMP/said" 2>&1 || return
	grep -q -x idle_latency_nowhere "$TMP/said"
}

say series 'cutting the patches and applying them'
scripts/series.sh "$TMP/series" >/dev/null
get_source
make_overlay
apply_series
silent 'series: together they make the tree' \
	diff --recursive --brief --exclude=.git "$OVERLAY" "$TMP/applied"
judged 'series: sizes' python3 -B scripts/lib/series.py sizes "$TMP/applied"
silent 'series: checkpatch' remembered "$(patches_and_tool)" checkpatch_silent
expect 'series: patches that have the wrong files are refused' doctored
expect 'series: a file that is in no patch is named' \
	file_says "$TMP/doctored/said" 'orphan\.x is in no patch'
expect 'series: a file that is not there is named' \
	file_says "$TMP/doctored/said" 'there is no .*/nothing\.c$'
expect 'series: a file that is in two patches is named' \
	file_says "$TMP/doctored/said" "$DRIVER/Makefile is in .* and in 1-measure/99-doctored"
expect 'series: a patch that is too long is found out' too_long

cache_lock
start_log kernel
previous=base
built=base
for series in "$TMP"/series/*; do
	end=$(basename "$series")
	for patch in ${LONG:+$(applied log --reverse --format=%h "$previous..$end")}; do
		builds_at "$patch" "$previous"
		tool_changes_at "$patch" "$previous"
		previous=$patch
	done
	[ -n "$LONG" ] || tool_changes_at "$end" "$previous"
	previous=$end
	[ -n "$LONG" ] || [ "${end%%-*}" = 1 ] || continue
	tree_at "$end"
	if [ -z "$LONG" ]; then
		builds "$end"
		silent "series: $end: selftests" selftest_warnings
	elif kernel_changed "$built" "$end"; then
		elsewhere "$end"
		built=$end
	fi
done
expect 'series: idle-latency is there at the end' tool_at "$end"
expect 'series: idle-latency without a module is found out' tool_lacks table
expect 'series: a symbol that nobody has is found out' missing_symbol judge.c
cache_unlock
checks_end

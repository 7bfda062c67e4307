#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The cache: what is damaged in it is made again, and runs that share it wait for each
# other only where they must.
#
# Control: Entries that were damaged in six ways are found out.
# Takes: 60 s; alone
. checks/lib/checks.sh
# What is damaged has to be noticed at once.
unset IDLE_LATENCY_SEEN

# damaged COMMAND...: an entry of the cache is not valid any more after it.
damaged()
{
	mkdir -p "$TMP/new/files"
	echo one >"$TMP/new/files/one"
	echo two >"$TMP/new/files/two"
	entry_finish "$kind" "$TMP/new" "$TMP/entry"
	entry_valid "$kind" "$TMP/entry" || return 1
	(cd "$TMP/entry" && "$@")
	! entry_valid "$kind" "$TMP/entry" >"$TMP/damage" &&
		grep -q 'damaged or incomplete' "$TMP/damage" && [ ! -e "$TMP/entry" ]
}

check_entries()
{
	for kind in contents listing; do
		expect "cache, $kind: a changed file" damaged sh -c 'echo x >files/one'
		expect "cache, $kind: a shortened file" damaged truncate -s 1 files/one
		expect "cache, $kind: a missing file" damaged rm files/two
		expect "cache, $kind: another file" damaged touch files/three
		expect "cache, $kind: no stamp" damaged rm stamp
		expect "cache, $kind: no files" damaged rm -r files
	done
}

# answers INPUTS PROGRAM SHOWN CODE: what remembered shows of the program, and what it ends with.
answers()
(
	CACHE=$TMP/own
	echo "$2" >"$TMP/program"
	code=0
	shown=$(remembered "$1" sh "$TMP/program") || code=$?
	[ "$shown" = "$3" ] && [ "$code" -eq "$4" ]
)

# edited_meanwhile: scripts of ours are not what they were when the check began.
edited_meanwhile()
(
	OUR_SCRIPTS=
	answers 3 true '' 0 && answers 3 'echo two' two 0
)

check_remembered()
{
	expect 'cache: a command that fails has its exit code' answers 1 'exit 3' '' 3
	expect 'cache: a command that failed is run again' answers 1 'echo one' one 0
	expect 'cache: a command that printed something is run again' answers 1 'echo two' two 0
	expect 'cache: a command that printed nothing' answers 1 true '' 0
	expect 'cache: a command that printed nothing is not run again' answers 1 'echo two' '' 0
	expect 'cache: it is with other inputs' answers 2 'echo two' two 0
	expect 'cache: it is where scripts were edited meanwhile' edited_meanwhile
}

# A damaged kernel is not booted but made again, as it was.
kernel_made_again()
{
	before=$(sha256sum "$BUILT_KERNEL/lib/modules/"*/modules.dep)
	echo x >>"$BUILT_KERNEL/bzImage"
	build_kernel >"$TMP/again"
	grep -q "${BUILT_KERNEL%/files} is damaged" "$TMP/again" &&
		entry_valid contents "${BUILT_KERNEL%/files}" &&
		[ "$before" = "$(sha256sum "$BUILT_KERNEL/lib/modules/"*/modules.dep)" ]
}

# A damaged file of the prepared tree is as in the source again.
tree_repaired()
{
	tree=$(scripts/tree.sh | tail -n 1)
	rm "$tree/COPYING"
	echo x >"$tree/Kbuild.new"
	mv "$tree/Kbuild.new" "$tree/Kbuild"
	scripts/tree.sh >"$TMP/again"
	cmp "$tree/COPYING" "$BASE/COPYING" && cmp "$tree/Kbuild" "$BASE/Kbuild"
}

# The second of two runs says that it waits, and both do what they must.
two_at_once()
{
	cache_lock
	scripts/tree.sh >"$TMP/first" 2>&1 &
	BACKGROUND=$!
	scripts/tree.sh >"$TMP/second" 2>&1 &
	second=$!
	BACKGROUND="$BACKGROUND $second"
	sleep 2
	cache_unlock
	wait "${BACKGROUND% *}" && wait "$second" || return 1
	BACKGROUND=
	grep -q 'waiting for it' "$TMP/first" && grep -q 'waiting for it' "$TMP/second" &&
		[ "$(tail -n 1 "$TMP/first")" = "$(tail -n 1 "$TMP/second")" ]
}

# Who has nothing to build does not wait for who does.
warm_run_does_not_wait()
{
	cache_lock
	code=0
	MACHINE=qemu CPU_MODEL=i7_3770k METHODS=hrt SAMPLES=20 OUT="$TMP/warm" LDIST='' \
		timeout 300 scripts/run.sh >"$TMP/warm.log" 2>&1 9>&- || code=$?
	cache_unlock
	[ "$code" -eq 0 ] && [ -s "$TMP/warm/summary.csv" ] &&
		! grep -q 'waiting for it' "$TMP/warm.log"
}

say cache 'a damaged cache, and two runs at once'
check_entries
check_remembered
build_kernel
expect 'cache: a damaged kernel is made again' kernel_made_again
expect 'cache: a damaged tree is repaired' tree_repaired
expect 'cache: two runs at once' two_at_once
expect 'cache: a run with nothing to build does not wait' warm_run_does_not_wait
checks_end

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

# prints INPUTS TEXT: what remembered shows of a command that prints the text now.
prints()
(
	CACHE=$TMP/own
	echo "$2" >"$TMP/now"
	remembered "$1" cat "$TMP/now"
)

# failure_is_not_remembered: it is shown, and the command is run again.
failure_is_not_remembered()
(
	CACHE=$TMP/own
	! remembered 1 cat "$TMP/missing" >"$TMP/failed" 2>&1 && [ -s "$TMP/failed" ] || return
	echo 'there now' >"$TMP/missing"
	[ "$(remembered 1 cat "$TMP/missing")" = 'there now' ]
)

check_remembered()
{
	expect 'cache: what a command prints' [ "$(prints 1 one)" = one ]
	expect 'cache: is what it printed of the same inputs' [ "$(prints 1 two)" = one ]
	expect 'cache: and not of other ones' [ "$(prints 2 two)" = two ]
	expect 'cache: what failed is run again' failure_is_not_remembered
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

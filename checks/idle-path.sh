#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the stamps add to the idle path while nobody measures: patched-out
# branches, and no other instruction. Compares cpuidle_enter_state() of a kernel
# with and one without CONFIG_CPU_IDLE_STAMPS.
#
# Control: An instruction more is found out.
# Takes: 15 s
. checks/lib/checks.sh

BRANCH='nopl 0x0(%rax,%rax,1)'

# idle_path NAME FRAGMENT BUILD...: the instructions as $TMP/NAME, without addresses, as they are
# built in the directory of that name.
idle_path()
{
	path=$1 fragment=$2
	shift 2
	build_begin "$CACHE/build/$(hash_text "$@")"
	configure "$BUILDING/files" "$fragment"
	logged kernel kernel_make O="$BUILDING/files" drivers/cpuidle/cpuidle.o
	objdump --disassemble=cpuidle_enter_state --no-show-raw-insn \
		"$BUILDING/files/drivers/cpuidle/cpuidle.o" >"$TMP/listing"
	build_end
	sed -n 's/^ *[0-9a-f]*:[[:space:]]*//p' "$TMP/listing" |
		sed -E 's/[[:space:]]+/ /g; s/ *(<|#).*//; s/\<[0-9a-f]{2,}\>/N/g' >"$TMP/$path"
}

# up_to_return NAME: what is executed while no branch is taken, without branches that
# are patched out. The compiler puts what is unlikely, as the stamps, after the return.
# Which of the registers r12 to r15 has which value is no difference.
up_to_return()
{
	sed '/^ret/q' "$TMP/$1" | grep -v -x -F "$BRANCH" | sed 's/%r1[2-5]/%rN/g'
}

# The same instructions up to the return, so that the stamps come after it.
same_path()
{
	up_to_return with >"$TMP/path"
	up_to_return without | diff - "$TMP/path" && tail -n 1 "$TMP/path" | grep -q '^ret'
}

say idle-path 'comparing cpuidle_enter_state() with and without stamps'
cache_lock
find_source
name_kernel
update_tree
start_log kernel
machine_config >"$TMP/with.config"
grep -v IDLE_LATENCY "$TMP/with.config" >"$TMP/without.config"
# Where the kernel of the machines is built, which is the same.
idle_path with "$TMP/with.config" "$TREE" "$config_id"
idle_path without "$TMP/without.config" idle-path "$TREE" "$config_id"
cache_unlock

expect 'idle path: there are stamps to compare' grep -q '^rdtsc' "$TMP/with"
expect 'idle path: two patched-out branches' [ "$(grep -c -x -F "$BRANCH" "$TMP/with")" -eq \
	$(($(grep -c -x -F "$BRANCH" "$TMP/without") + 2)) ]
expect 'idle path: no other instruction' same_path
# The comparison must see an instruction more.
sed -i '2i lfence' "$TMP/with"
expect 'idle path: an added instruction is found out' [ -n "$(same_path || true)" ]
checks_end

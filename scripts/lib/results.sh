# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The programs that read results. They need no kernel tree, and run on any machine.

# tool ARGUMENT...: idle-latency, by the interpreter that Debian's numpy and scipy are for.
tool()
{
	/usr/bin/python3 -B tools/power/idle_latency/idle-latency "$@"
}

SELFTEST=tools/testing/selftests/idle_latency

# results_compile FILE PROGRAM: of these programs, or of their tests.
results_compile()
{
	logged results gcc -O2 -Wall -D_GNU_SOURCE= -I include/uapi -I scripts/host \
		-I "$SELFTEST/lib" -I "$SELFTEST/results" -o "$2" "$1" \
		"$SELFTEST"/lib/*.c "$SELFTEST"/results/*.c -lm -lpthread
}

# results_program NAME: build it in out/results/ where it is not there already, and set
# PROGRAM to its path.
results_program()
{
	PROGRAM=out/results/$1
	id=$(hash_text "$(gcc --version)" "$(contents include)" "$(contents "$SELFTEST")" \
		"$(contents scripts/host)")
	[ "$(cat "$PROGRAM.stamp" 2>/dev/null)" != "$id" ] || return 0
	say results "building $1 (log: $CACHE/log/results.log)"
	start_log results
	mkdir -p out/results
	rm -f "$PROGRAM.stamp"
	results_compile "$SELFTEST/$1.c" "$PROGRAM"
	echo "$id" >"$PROGRAM.stamp"
}

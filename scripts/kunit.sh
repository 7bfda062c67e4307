#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the unit tests under User Mode Linux, or with the argument x86_64 in QEMU.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/kunit.sh

# emulator_command: what the tool is to find as qemu-system-x86_64. The CPUs take turns in
# one thread, as in scripts/lib/machine-qemu.sh.
emulator_command()
{
	cat <<-END
	#!/bin/sh
	for argument; do
		shift
		[ "\$argument" != tcg ] || argument=tcg,thread=single
		set -- "\$@" "\$argument"
	done
	exec $QEMU -L /usr/share/qemu -L /usr/share/seabios "\$@"
	END
}

code=0
case ${1-um} in
um)
	kunit_begin kunit
	progress kunit 'building and running under User Mode Linux'
	kunit_tool run --kunitconfig "$KUNIT_TESTS" || code=$?
	;;
x86_64)
	build_emulator
	kunit_begin kunit-x86_64
	progress kunit 'building and running on x86_64 in QEMU'
	mkdir "$TMP/bin"
	emulator_command >"$TMP/bin/qemu-system-x86_64"
	chmod +x "$TMP/bin/qemu-system-x86_64"
	PATH=$TMP/bin:$PATH
	# Two CPUs, so that one can be unplugged.
	kunit_tool run --arch x86_64 --qemu_args '-smp 2' \
		--kunitconfig "$KUNIT_TESTS/x86.kunitconfig" || code=$?
	;;
*)
	die "scripts/kunit.sh: takes um (default) or x86_64, not $1"
	;;
esac
kunit_end
exit "$code"

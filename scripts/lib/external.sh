# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The driver as modules outside of the kernel tree.

# external_source DIR: put there what they are built from.
external_source()
{
	mkdir -p "$1"
	cp -R drivers/idle_latency/*.[ch] include "$1"
	cp -R arch/x86/include/. "$1/include"
	# stamps.c takes the place of the driver's.
	cp -R scripts/external/* "$1"
	cp drivers/idle_latency/Makefile "$1/Makefile.driver"
}

# external_compiler HEADERS: what to tell make, so that it takes the compiler that the
# kernel was built with.
external_compiler()
{
	version=$(sed -n 's/^CONFIG_CLANG_VERSION=//p' "$1/include/config/auto.conf")
	if [ "${version:-0}" -eq 0 ]; then
		return
	elif command -v "clang-$((version / 10000))" >/dev/null; then
		echo "LLVM=-$((version / 10000))"
	else
		echo LLVM=1
	fi
}

# external_headers: the directory of the kernel headers, KDIR or those of the running kernel.
external_headers()
{
	headers=${KDIR:-/lib/modules/$(uname -r)/build}
	[ -f "$headers/Makefile" ] ||
		die "no kernel headers in $headers: install them (on Debian the package linux-headers-$(uname -r)), or say where they are with KDIR="
	echo "$headers"
}

# external_build DIR HEADERS LOG: build what external_source put into DIR, and say so where
# nobody has tried that with this kernel.
external_build()
{
	start_log "$3"
	# shellcheck disable=SC2046 # one word or none
	logged "$3" make -C "$2" -j "$JOBS" M="$(realpath "$1")" $(external_compiler "$2") modules
	grep -m 1 '^idle_latency: ' "$CACHE/log/$3.log" || true
}

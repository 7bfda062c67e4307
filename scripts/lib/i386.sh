# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The 32-bit kernel of the test machines and the programs that run on it.

# compile_busybox DIR: put the one of Debian's package busybox-static there, for 32 bits. What
# finds asm/ for them is not in libc6-dev-i386, but in gcc-multilib.
compile_busybox()
{
	logged busybox dpkg-source --no-check --no-copy \
		--extract "$DEBIAN_SOURCE"/busybox_*.dsc "$TMP/busybox-unpacked"
	mkdir "$TMP/include"
	ln -s "/usr/include/$(gcc -print-multiarch)/asm" "$TMP/include/asm"
	cp "$TMP/busybox-unpacked/debian/config/pkg/static" "$TMP/busybox-unpacked/.config"
	logged busybox make -C "$TMP/busybox-unpacked" -j "$JOBS" SKIP_STRIP=y \
		CONFIG_EXTRA_CFLAGS="-m32 -idirafter $TMP/include" CONFIG_EXTRA_LDFLAGS=-m32 \
		busybox </dev/null
	cp "$TMP/busybox-unpacked/busybox" "$1"
	rm -rf "$TMP/busybox-unpacked" "$TMP/include"
}

# i386_busybox: set BUSYBOX to a 32-bit one, of the source of this release. The program itself is
# not downloaded: a list of packages for i386 that the mirror does not keep in step would have it
# missing.
i386_busybox()
{
	cache_lock
	debian_source busybox "$(codename)" busybox 'busybox, 3 MB'
	BUSYBOX=$CACHE/busybox-i386/$(hash_text "$(contents "$DEBIAN_SOURCE")" \
		"$(cat scripts/lib/i386.sh)" "$(gcc --version)")
	if ! entry_valid contents "$BUSYBOX"; then
		start_log busybox
		progress busybox "building busybox for 32 bits (log: $CACHE/log/busybox.log)"
		mkdir -p "$TMP/busybox/files"
		compile_busybox "$TMP/busybox/files"
		entry_finish contents "$TMP/busybox" "$BUSYBOX"
	fi
	BUSYBOX=$BUSYBOX/files/busybox
	cache_unlock
}

# i386_kernel: what is built from now on is for 32 bits.
i386_kernel()
{
	# shellcheck disable=SC2034 # used in lib/kernel.sh
	KERNEL_ARCH=i386 MACHINE_CONFIGS='configs/machine.config configs/plain.config'
	# shellcheck disable=SC2034 # used in lib/kernel.sh
	SELFTEST_CFLAGS=-m32 SELFTEST_LDFLAGS=-static
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The 32-bit kernel of the test machines and the programs that run on it.

# download_busybox DIR: put the one of this release there, without making i386 an
# architecture of this machine.
download_busybox()
{
	apt_begin "$(codename)" i386
	apt_download "$TMP" busybox-static
	dpkg-deb --extract "$TMP"/busybox-static_*.deb "$TMP/package"
	# It is in /usr since Debian 13.
	cp "$(find "$TMP/package" -path "*/bin/busybox")" "$1"
	apt_end
}

# i386_busybox: set BUSYBOX to a 32-bit one. What the cache has is used without
# asking the mirror.
i386_busybox()
{
	cache_lock
	if ! entry_valid contents "$CACHE/busybox"; then
		mkdir -p "$TMP/busybox/files"
		download_busybox "$TMP/busybox/files"
		entry_finish contents "$TMP/busybox" "$CACHE/busybox"
	fi
	# shellcheck disable=SC2034 # used in lib/image.sh
	BUSYBOX=$CACHE/busybox/files/busybox
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

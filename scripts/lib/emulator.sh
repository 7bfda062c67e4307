# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The emulator of MACHINE=qemu: QEMU out of the source package of Debian 12, on
# every release, with what emulator/ adds to it.

# The program, once build_emulator has set it.
QEMU=

# Only what the machines need, so that it builds in minutes. The devices are those
# of emulator/devices.mak.
EMULATOR_OPTIONS='--without-default-features --without-default-devices
	--enable-tcg --enable-system --target-list=x86_64-softmmu
	--with-devices-x86_64=idle-latency --enable-trace-backends=nop
	--disable-debug-info --disable-qom-cast-debug
	--extra-cflags=-Werror=implicit-function-declaration'

# unpack_emulator DIR: make DIR the source with the folder emulator/ applied.
unpack_emulator()
{
	logged emulator dpkg-source --no-check --no-copy \
		--extract "$DEBIAN_SOURCE"/qemu_*.dsc "$1"
	cp -R emulator/i210 "$1/hw/net/i210"
	cp -R emulator/idle "$1/target/i386/idle"
	cp emulator/time/local-time.c "$1/accel/tcg"
	cp emulator/time/local-time.h "$1/include/sysemu"
	cp emulator/devices.mak "$1/configs/devices/x86_64-softmmu/idle-latency.mak"
	for file in emulator/patches/*.patch; do
		logged emulator patch -d "$1" -p1 --no-backup-if-mismatch --forward \
			-i "$(realpath "$file")"
	done
}

# make_emulator DIR: bring DIR, which has src/ and build/ of an earlier build or
# is empty, up to date. Only what differs is touched and built again.
make_emulator()
{
	unpack_emulator "$TMP/emulator-unpacked"
	logged emulator rsync -rlp --checksum --delete "$TMP/emulator-unpacked/" "$1/src/"
	rm -rf "$TMP/emulator-unpacked"
	if [ ! -f "$1/build/build.ninja" ]; then
		rm -rf "$1/build"
		mkdir "$1/build"
		# shellcheck disable=SC2086 # a list
		logged emulator env -C "$1/build" "$1/src/configure" $EMULATOR_OPTIONS
	fi
	logged emulator ninja -C "$1/build" -j "$JOBS" qemu-system-x86_64
}

# name_emulator: set QEMU to the entry of the cache that the program is or will be, and
# EMULATOR_BASE to what names its build directory.
name_emulator()
{
	EMULATOR_BASE=$(hash_text "$(contents "$CACHE/emulator-source/files")" \
		"$EMULATOR_OPTIONS" "$(gcc --version)")
	QEMU=$CACHE/emulator/$(hash_text "$EMULATOR_BASE" \
		"$(contents emulator | grep -v -e '\.md$' -e ' \./processors/')")
}

# cached_emulator: what update_emulator does, if nothing has to be built for it.
cached_emulator()
{
	entry_intact contents "$CACHE/emulator-source" || return
	name_emulator
	entry_intact contents "$QEMU" || return
	QEMU=$QEMU/files/qemu-system-x86_64
}

# update_emulator: set QEMU to the program. The lock of the cache must be held.
update_emulator()
{
	debian_source emulator bookworm qemu 'QEMU, 24 MB'
	name_emulator
	if ! entry_valid contents "$QEMU"; then
		start_log emulator
		progress emulator "building QEMU (log: $CACHE/log/emulator.log)"
		build_begin "$CACHE/build/emulator-$EMULATOR_BASE"
		make_emulator "$BUILDING/files"
		mkdir -p "$TMP/emulator/files"
		cp "$BUILDING/files/build/qemu-system-x86_64" "$TMP/emulator/files"
		build_end
		entry_finish contents "$TMP/emulator" "$QEMU"
	fi
	QEMU=$QEMU/files/qemu-system-x86_64
}

# build_emulator: the same for who has no lock.
build_emulator()
{
	cached_emulator && return
	cache_lock
	update_emulator
	cache_unlock
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The kernel of the test machines: bzImage, modules and the installed selftests.

KERNEL_ARCH=x86_64
MACHINE_CONFIGS='configs/machine.config configs/x86_64.config configs/plain.config'
# 32-bit programs are static: there are no libraries for them.
SELFTEST_CFLAGS='' SELFTEST_LDFLAGS=''

: "${HZ:=250}"

# machine_config: the fragments as one, of which a later one overrides an earlier one.
machine_config()
{
	# shellcheck disable=SC2086 # a list
	{
		cat $MACHINE_CONFIGS
		echo "CONFIG_HZ_$HZ=y"
	} | tac | awk '
		!/^(# )?CONFIG_[A-Z0-9_]+(=| is not set$)/ { print; next }
		match($0, /CONFIG_[A-Z0-9_]+/) && !later[substr($0, RSTART, RLENGTH)]++' | tac
}

# kernel_make ARGUMENTS...: make in the prepared tree.
kernel_make()
{
	make -C "$TREE" ARCH="$KERNEL_ARCH" -j "$JOBS" "$@"
}

# configure BUILD FRAGMENT [MAKE ARGUMENTS...]: merge the fragment on
# allnoconfig, and fail when the kernel does not accept a line of it.
configure()
{
	build=$1
	fragment=$(realpath "$2")
	shift 2
	logged kernel kernel_make O="$build" KCONFIG_ALLCONFIG="$fragment" "$@" allnoconfig
	grep -E '^(# )?CONFIG_' "$fragment" | while read -r line; do
		grep -qxF "$line" "$build/.config" ||
			die "$fragment: the kernel did not accept $line"
	done
}

# build_begin DIR: a build directory that an earlier build finished with, or an
# empty one. Between build_begin and build_end it counts as damaged.
build_begin()
{
	entry_valid listing "$1" || mkdir -p "$1/files"
	rm -f "$1/stamp"
	BUILDING=$1
	# An interrupted make leaves nothing half-written, so keep what it did.
	trap 'build_end; clean_up' EXIT
}

build_end()
{
	listing "$BUILDING/files" >"$BUILDING/stamp"
	trap clean_up EXIT
}

# selftests_make BUILD ARGUMENTS...: make in the selftests, which need nothing but
# a kernel. Those of ptp have a program that checks the clock of a card.
selftests_make()
{
	build=$1
	shift
	make -C "$TREE/tools/testing/selftests" ARCH="$KERNEL_ARCH" O="$build" \
		TARGETS="idle_latency idle_latency/stress idle_latency/energy ptp" FORCE_TARGETS=1 \
		USERCFLAGS="$SELFTEST_CFLAGS" USERLDFLAGS="$SELFTEST_LDFLAGS" "$@"
}

# update_selftests: set SELFTESTS to those of the prepared tree, which all kernels of an
# architecture have, however they are configured. Beside them is the log of how they were made. The
# lock of the cache must be held.
update_selftests()
{
	SELFTESTS=$CACHE/selftests/$(hash_text "$SELFTESTS_ID" "$KERNEL_ARCH" \
		"$SELFTEST_CFLAGS $SELFTEST_LDFLAGS" "$(gcc --version | sed 1q)")
	if ! entry_valid contents "$SELFTESTS"; then
		build_begin "$CACHE/build/$(hash_text selftests "$TREE" "$KERNEL_ARCH")"
		logged kernel kernel_make O="$BUILDING/files" headers
		# make does not see that they were linked with other flags.
		rm -rf "$BUILDING/files/kselftest"
		mkdir -p "$TMP/selftests"
		start_log selftests
		logged selftests selftests_make "$BUILDING/files" \
			INSTALL_PATH="$TMP/selftests/files" install
		cp "$CACHE/log/selftests.log" "$TMP/selftests/log"
		build_end
		entry_finish contents "$TMP/selftests" "$SELFTESTS"
	fi
	SELFTESTS=$SELFTESTS/files
}

# install_kernel BUILD DIR: what the machines need, with the module that takes the vectors of a CPU.
install_kernel()
{
	cp "$1/arch/x86/boot/bzImage" "$1/.config" "$2"
	logged kernel kernel_make O="$1" INSTALL_MOD_PATH="$2" INSTALL_MOD_STRIP=1 modules_install
	rm -f "$2"/lib/modules/*/build "$2"/lib/modules/*/source
	rm -rf "$TMP/vectors"
	cp -R scripts/vectors "$TMP"
	logged kernel kernel_make O="$1" M="$TMP/vectors" modules
	cp "$TMP/vectors/vectors.ko" "$2/lib"
	cp -R "$SELFTESTS" "$2/kselftest"
}

# name_kernel: set BUILT_KERNEL to the entry of the cache that the kernel of the source BASE
# is or will be.
name_kernel()
{
	make_overlay
	config_id=$(hash_text "$(machine_config)" "$(gcc --version | sed 1q)")
	BUILT_KERNEL=$CACHE/kernel/$(hash_text "$TREE_ID" "$config_id" "$(cat scripts/vectors/*)" \
		"$SELFTEST_CFLAGS $SELFTEST_LDFLAGS")
}

# cached_kernel: what build_kernel does, if nothing has to be built for it.
cached_kernel()
{
	cached_source || return
	if [ -n "${KERNEL-}" ]; then
		cached_debian || return
	else
		name_kernel
		entry_intact contents "$BUILT_KERNEL" || return
	fi
	[ "$MACHINE" != qemu ] || cached_emulator
}

# update_kernel: set BUILT_KERNEL to the kernel of the prepared tree; lib/debian.sh has what does
# that for KERNEL. The lock of the cache must be held.
update_kernel()
{
	name_kernel
	! entry_valid contents "$BUILT_KERNEL" || return 0
	update_tree
	start_log kernel
	progress kernel "building ${KDIR:-$BASE_ID} (log: $CACHE/log/kernel.log)"
	update_selftests
	build_begin "$CACHE/build/$(hash_text "$TREE" "$config_id")"
	machine_config >"$TMP/machine.config"
	configure "$BUILDING/files" "$TMP/machine.config"
	logged kernel kernel_make O="$BUILDING/files" bzImage modules
	mkdir -p "$TMP/kernel/files"
	install_kernel "$BUILDING/files" "$TMP/kernel/files"
	build_end
	entry_finish contents "$TMP/kernel" "$BUILT_KERNEL"
}

# build_kernel: set BUILT_KERNEL to a directory with bzImage, .config, lib/modules/ and
# kselftest/, of KERNEL or of the prepared tree. Waits for what another run builds only if
# this one has something to build, too.
build_kernel()
{
	if ! cached_kernel; then
		cache_lock
		find_source
		"update_${KERNEL:+debian_}kernel"
		# With the same lock, or the run would wait for what another one builds then.
		[ "$MACHINE" != qemu ] || update_emulator
		cache_unlock
	fi
	BUILT_KERNEL=$BUILT_KERNEL/files
}

# build_kernel_with FILE PATH: after build_kernel, the same with this file in place of the one at PATH,
# which no module has anything of.
build_kernel_with()
{
	with=$CACHE/kernel/$(hash_text "$BUILT_KERNEL" "$2" "$(cat "$1")")
	if ! entry_intact contents "$with"; then
		cache_lock
		update_tree
		start_log kernel
		progress kernel "building $BASE_ID with another $2 (log: $CACHE/log/kernel.log)"
		build_begin "$CACHE/build/$(hash_text "$TREE" "$config_id")"
		# The file gets its old date back, at which make would not notice that it changed.
		object=$BUILDING/files/${2%.c}.o
		trap 'rm -f "$object"; build_end; clean_up' EXIT
		# The tree has links to the source.
		cp --remove-destination "$1" "$TREE/$2"
		logged kernel kernel_make O="$BUILDING/files" bzImage
		mkdir -p "$TMP/kernel"
		cp -R "$BUILT_KERNEL" "$TMP/kernel/files"
		cp "$BUILDING/files/arch/x86/boot/bzImage" "$TMP/kernel/files"
		rm -f "$object"
		build_end
		entry_finish contents "$TMP/kernel" "$with"
		cache_unlock
	fi
	BUILT_KERNEL=$with/files
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The unmodified kernels of Debian, KERNEL=, each in a root file system of its release, in
# which the driver is built for it as a user does.

# What a machine loads beside the driver; crc32c_generic is what ext4 asks for by an alias.
DEBIAN_MODULES='ata_piix crc32c_generic ext4 igb intel_rapl_msr msr overlay rapl sd_mod'

# What the release has to have for a user who measures, installs with DKMS, and builds a
# package.
DEBIAN_PACKAGES='build-essential ca-certificates debhelper dh-dkms dkms git iproute2 kmod
	linux-headers-amd64 linux-image-amd64 lintian make procps udev'

debian_suite()
{
	suite=trixie
	[ "$KERNEL" != debian-12 ] || suite=bookworm
	echo "$suite"
}

# make_root DIR: the root file system of the release.
make_root()
{
	find_mirror
	set -- "$1" "deb $SITE $(debian_suite) main"
	if [ "$KERNEL" = debian-13-backports ]; then
		mkdir "$TMP/apt"
		printf 'Package: linux-*\nPin: release n=trixie-backports\nPin-Priority: 900\n' \
			>"$TMP/apt/preferences"
		set -- --setup-hook="copy-in $TMP/apt/preferences /etc/apt" "$@" \
			"deb $SITE trixie-backports main"
	fi
	# shellcheck disable=SC2086 # a list
	logged root mmdebstrap --quiet --mode=root --variant=minbase \
		--include="$(echo $DEBIAN_PACKAGES | tr ' ' ,)" \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' "$(debian_suite)" "$@"
}

# name_root: set ROOT to the entry of the cache that it is or will be.
name_root()
{
	ROOT=$CACHE/root/$KERNEL-$(hash_text "$DEBIAN_PACKAGES")
}

# update_root: set ROOT to the root file system. The lock of the cache must be held.
update_root()
{
	name_root
	if ! entry_valid listing "$ROOT"; then
		[ "$(id -u)" -eq 0 ] || die "KERNEL=$KERNEL needs root, for a root file system"
		start_log root
		progress root "installing $KERNEL (log: $CACHE/log/root.log)"
		mkdir -p "$TMP/root-entry/files"
		make_root "$TMP/root-entry/files"
		entry_finish listing "$TMP/root-entry" "$ROOT"
	fi
	RELEASE=$(ls "$ROOT/files/lib/modules")
}

# in_namespace SCRIPT ARGUMENT...: run a script of the shell that mounts a root file system on
# /sys/root: nobody else sees that, and it is gone with the script. In a chroot / is no mount
# point, which could be made private, but /sys is one.
in_namespace()
{
	script=$1
	shift
	unshare --mount --propagation unchanged sh -c "
		mount --make-rprivate /sys && mount -t tmpfs tmpfs /sys && mkdir /sys/root || exit
		$script" sh "$@"
}

# in_root DIR COMMAND...: run the command in the root file system, which it leaves as it is,
# with DIR as /mnt.
in_root()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	in_namespace '
		root=$1 dir=$2
		shift 2
		mount --bind "$root" /sys/root && mount --make-private /sys/root &&
			mount --bind "$dir" /sys/root/mnt &&
			mount -t tmpfs tmpfs /sys/root/tmp &&
			mount -t proc proc /sys/root/proc &&
			exec chroot /sys/root "$@"' "$ROOT/files" "$@"
}

# in_copy DIR COMMAND...: run the command in a copy of the root file system, of which DIR has
# what was changed in it, and with the network of this machine.
in_copy()
{
	mkdir -p "$1/upper" "$1/work"
	# shellcheck disable=SC2016 # expanded by the inner shell
	in_namespace '
		options=lowerdir=$1,upperdir=$2/upper,workdir=$2/work
		shift 2
		mount -t overlay -o "$options" overlay /sys/root &&
			{ [ ! -e /etc/resolv.conf ] ||
				cp -L /etc/resolv.conf /sys/root/etc/resolv.conf; } &&
			mount -t proc proc /sys/root/proc &&
			mount --rbind /dev /sys/root/dev &&
			exec env -i HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
				PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot /sys/root "$@"
		' "$ROOT/files" "$@"
}

# build_disk: set DISK to an image with the root file system, for machines.
build_disk()
{
	name_root
	DISK=$CACHE/disk/$KERNEL-$(hash_text "$(cat "$ROOT/stamp")")
	cache_lock
	if ! entry_valid listing "$DISK"; then
		progress root "making a disk of $KERNEL"
		mkdir -p "$TMP/disk-entry/files"
		mkfs.ext4 -q -O ^has_journal -d "$ROOT/files" "$TMP/disk-entry/files/root" \
			"$(du --summarize --block-size=1M "$ROOT/files" | awk '{ print int($1 * 1.2) }')M"
		entry_finish listing "$TMP/disk-entry" "$DISK"
	fi
	cache_unlock
	DISK=$DISK/files/root
}

# debian_modules DIR: the modules of the kernel that a machine loads, decompressed.
debian_modules()
{
	for module in $DEBIAN_MODULES; do
		/usr/sbin/modprobe --dirname "$ROOT/files" --set-version "$RELEASE" \
			--show-depends --ignore-install "$module" 2>/dev/null || true
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
		to=$1/lib/modules/$RELEASE/${file##*/lib/modules/"$RELEASE"/}
		mkdir -p "${to%/*}"
		cp "$file" "$to"
		case $file in
		*.xz)
			unxz "$to"
			;;
		esac
	done
	cp "$ROOT/files/lib/modules/$RELEASE/modules.builtin"* \
		"$ROOT/files/lib/modules/$RELEASE/modules.order" "$1/lib/modules/$RELEASE"
}

# build_debian_modules DIR: the driver, with the compiler of the release.
build_debian_modules()
{
	external_source "$TMP/external"
	in_root "$TMP/external" make -C "/lib/modules/$RELEASE/build" -j "$JOBS" M=/mnt modules \
		>"$1/modules.log" 2>&1 || {
		tail -n 30 "$1/modules.log" >&2
		die "the driver does not build for $KERNEL"
	}
	mkdir -p "$1/lib/modules/$RELEASE/updates"
	cp "$TMP"/external/*.ko "$1/lib/modules/$RELEASE/updates"
	strip --strip-debug "$1/lib/modules/$RELEASE/updates"/*.ko
	rm -rf "$TMP/external"
}

# name_debian: set BUILT_KERNEL to the entry of the cache, with the ROOT that is there.
name_debian()
{
	make_overlay
	BUILT_KERNEL=$CACHE/kernel/$(hash_text "$TREE_ID" "vmlinux of $KERNEL" "$(cat "$ROOT/stamp")" \
		"$DEBIAN_MODULES" "$(contents scripts/external)")
}

cached_debian()
{
	name_root
	[ -f "$ROOT/stamp" ] && name_debian && entry_intact contents "$BUILT_KERNEL"
}

# The selftests are those of the tree, and run with the libraries of this machine.
update_debian_kernel()
{
	update_root
	name_debian
	! entry_valid contents "$BUILT_KERNEL" || return 0
	update_tree
	start_log kernel
	progress kernel "preparing $KERNEL (log: $CACHE/log/kernel.log)"
	files=$TMP/kernel/files
	mkdir -p "$files"
	cp "$ROOT/files/boot/vmlinuz-$RELEASE" "$files/bzImage"
	"$BASE/scripts/extract-vmlinux" "$files/bzImage" >"$files/vmlinux" ||
		die "there is no kernel in $files/bzImage"
	cp "$ROOT/files/boot/config-$RELEASE" "$files/.config"
	debian_modules "$files"
	build_debian_modules "$files"
	logged kernel /usr/sbin/depmod --basedir "$files" "$RELEASE"
	update_selftests
	cp -R "$SELFTESTS" "$files/kselftest"
	entry_finish contents "$TMP/kernel" "$BUILT_KERNEL"
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The boot image of a test machine.

BUSYBOX=/bin/busybox

# Further programs for the machine: static ones, and of this machine with their libraries.
: "${GUEST_PROGRAMS:=}"
: "${GUEST_LINKED:=}"

# A table of ACPI for the machine, compiled; the kernel takes it from the beginning of the
# initramfs, with CONFIG_ACPI_TABLE_UPGRADE.
: "${ACPI_TABLE:=}"

# add_files ROOT FILE...: copy files of this machine to where they are.
add_files()
{
	to=$1
	shift
	for file in "$@"; do
		mkdir -p "$to${file%/*}"
		cp -L "$file" "$to$file"
	done
}

# archive DIR FILE: as an archive, which is the same if the files are, and so is the run.
archive()
{
	find "$1" -exec touch --no-dereference --date=@0 {} +
	(cd "$1" && find . | sort |
		cpio --create --format=newc --owner=0:0 --reproducible --quiet) >"$2"
	rm -rf "$1"
}

# add_applets ROOT: those of busybox, asked of the one of this machine, which may not run
# 32-bit programs.
add_applets()
{
	busybox --list-full | sed 's|/[^/]*$||' | sort -u | sed "s|^|$1/|" | xargs mkdir -p
	for applet in $(busybox --list-full); do
		[ -e "$1/$applet" ] || echo "$1/$applet"
	done | while read -r link; do
		ln -s /bin/busybox "$link"
	done
}

# make_base FILE: the root file system of the machine but for the job: busybox, modules,
# the selftests, and the programs that the job asks for.
make_base()
{
	root=$TMP/root
	mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/out"
	cp -R "$BUILT_KERNEL/lib" "$BUILT_KERNEL/kselftest" "$root"
	cp scripts/guest/init scripts/guest/disk scripts/guest/table "$root"

	# shellcheck disable=SC2086 # a list
	cp "$BUSYBOX" $GUEST_PROGRAMS "$root/bin"
	add_applets "$root"
	linked=$GUEST_LINKED
	if [ "$KERNEL_ARCH" = x86_64 ]; then
		# The runner of kselftest needs an option that busybox does not have.
		rm -f "$root/usr/bin/timeout"
		linked="$linked /usr/bin/timeout"
	fi
	# Those of this machine with the libraries that they need.
	# shellcheck disable=SC2046,SC2086 # lists
	add_files "$root" $linked $(
		ldd $linked $(find "$root/kselftest" "$root/bin" -type f -perm -u+x) 2>/dev/null |
			grep -o '/[^ ]*' | grep -v ':$' | sort -u)
	archive "$root" "$1"
}

# make_initramfs FILE JOB: the root file system of the machine, with JOB to run. Checks run
# many jobs on one and the same, whose name says what it is made of.
make_initramfs()
{
	base=${IDLE_LATENCY_SEEN:-$TMP}/base-$(
		hash_text "$BUILT_KERNEL" "$BUSYBOX" "$GUEST_PROGRAMS" "$GUEST_LINKED")
	once "$base" make_base
	mkdir "$TMP/root"
	cp "$2" "$TMP/root/job"
	archive "$TMP/root" "$TMP/job.archive"
	: >"$TMP/acpi.archive"
	if [ -n "$ACPI_TABLE" ]; then
		mkdir -p "$TMP/acpi/kernel/firmware/acpi"
		cp "$ACPI_TABLE" "$TMP/acpi/kernel/firmware/acpi"
		archive "$TMP/acpi" "$TMP/acpi.archive"
	fi
	cat "$TMP/acpi.archive" "$base" "$TMP/job.archive" >"$1"
}

# make_image FILE JOB KERNEL_ARGUMENTS: a CD image that boots into JOB. isolinux has the
# BIOS read the kernel to where it goes; GRUB copies it byte by byte, which takes the
# emulator longer than all the rest of the boot.
make_image()
{
	iso=$TMP/iso
	mkdir -p "$iso/isolinux"
	cp "$BUILT_KERNEL/bzImage" /usr/lib/ISOLINUX/isolinux.bin \
		/usr/lib/syslinux/modules/bios/ldlinux.c32 "$iso/isolinux"
	make_initramfs "$iso/isolinux/initramfs" "$2"
	cat >"$iso/isolinux/isolinux.cfg" <<-END
	default job
	label job
	kernel bzImage
	initrd initramfs
	append $3
	END
	logged image xorriso -as mkisofs -o "$1" -b isolinux/isolinux.bin -c isolinux/boot.cat \
		-no-emul-boot -boot-load-size 4 -boot-info-table "$iso"
	rm -rf "$iso"
}

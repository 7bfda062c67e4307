# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The boot image of a test machine.

BUSYBOX=/bin/busybox

# Further programs for the machine: static ones, and of this machine with their libraries.
: "${GUEST_PROGRAMS:=}"
: "${GUEST_LINKED:=}"

# add_program ROOT FILE: copy a program of this machine with its libraries.
add_program()
{
	for file in "$2" $(ldd "$2" | grep -o '/[^ ]*'); do
		mkdir -p "$1${file%/*}"
		cp -L "$file" "$1$file"
	done
}

# make_initramfs FILE JOB: the root file system of the machine as FILE: busybox,
# modules, the selftests, and JOB to run.
make_initramfs()
{
	root=$TMP/root
	mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/out"
	cp -R "$KERNEL/lib" "$KERNEL/kselftest" "$root"
	cp scripts/guest/init scripts/guest/disk scripts/guest/table "$root"
	cp "$2" "$root/job"

	# shellcheck disable=SC2086 # a list
	cp "$BUSYBOX" $GUEST_PROGRAMS "$root/bin"
	# Asked of the one of this machine, which may not run 32-bit programs.
	for applet in $(busybox --list-full); do
		mkdir -p "$root/${applet%/*}"
		[ -e "$root/$applet" ] || ln -s /bin/busybox "$root/$applet"
	done
	if [ "$KERNEL_ARCH" = x86_64 ]; then
		# The runner of kselftest needs an option that busybox does not have.
		rm -f "$root/usr/bin/timeout"
		add_program "$root" /usr/bin/timeout
	fi
	for program in $GUEST_LINKED; do
		add_program "$root" "$program"
	done

	# The same files make the same archive, and so the same run.
	find "$root" -exec touch --no-dereference --date=@0 {} +
	(cd "$root" && find . | sort |
		cpio --create --format=newc --owner=0:0 --reproducible --quiet) >"$1"
	rm -rf "$root"
}

# make_image FILE JOB KERNEL_ARGUMENTS: a CD image that boots into JOB.
make_image()
{
	iso=$TMP/iso
	mkdir -p "$iso/boot/grub"
	cp "$KERNEL/bzImage" "$iso/boot"
	make_initramfs "$iso/boot/initramfs" "$2"
	cat >"$iso/boot/grub/grub.cfg" <<-END
	linux /boot/bzImage $3
	initrd /boot/initramfs
	boot
	END
	logged image grub-mkrescue -o "$1" "$iso"
	rm -rf "$iso"
}

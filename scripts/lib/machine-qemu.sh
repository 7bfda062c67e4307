# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The emulated machine: QEMU without acceleration. It has no idle states of its
# own, so the job simulates them. Time is counted in instructions, two ns each,
# and a run can be repeated; or it is that of this machine, which is faster with
# several CPUs.

# Ivy Bridge, of which the kernel knows that its TSC has a constant rate.
QEMU_CPU='max,vendor=GenuineIntel,family=6,model=58,stepping=9'
QEMU_KERNEL_ARGUMENTS='console=ttyS0,115200 loglevel=5 tsc=reliable panic=-1 reboot=triple'

: "${QEMU_CPUS:=1}"

: "${QEMU_COUNTED:=yes}"

# qemu_timing: how time passes. Several CPUs take turns in one thread: with a
# thread for each, a CPU can run into code that another one is patching.
qemu_timing()
{
	if [ "$QEMU_COUNTED" = yes ]; then
		echo '-icount shift=1,sleep=off'
	else
		echo '-accel tcg,thread=single'
	fi
}

# qemu_run DIR SECONDS JOB [KERNEL_ARGUMENTS]: run JOB in the machine and show
# its output. Afterwards DIR has console and disk.
qemu_run()
{
	make_initramfs "$1/initramfs" "$3"
	truncate -s 512M "$1/disk"
	: >"$1/console"

	# shellcheck disable=SC2046 # a list
	timeout --signal=KILL "$2" \
		qemu-system-x86_64 -cpu "$QEMU_CPU" -smp "$QEMU_CPUS" $(qemu_timing) -m 2048 \
		-nodefaults -display none -no-reboot -serial "file:$1/console" \
		-drive "file=$1/disk,format=raw,if=ide" \
		-kernel "$KERNEL/bzImage" -initrd "$1/initramfs" \
		-append "$QEMU_KERNEL_ARGUMENTS ${4-}" </dev/null >"$1/output" 2>&1 &
	follow_machine "$1" "$2" $!
}

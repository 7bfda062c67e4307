# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The emulated machine: QEMU without acceleration, as lib/emulator.sh builds it.
# Time is counted in instructions, two ns each, whatever else this machine does; or
# it is that of this machine, which is faster with several CPUs.

# Ivy Bridge, of which the kernel knows that its TSC has a constant rate.
QEMU_CPU='max,vendor=GenuineIntel,family=6,model=58,stepping=9,invtsc=on'

# Of an i7-3770K, as EDX of CPUID leaf 5: C1 has two, C3 and C6 have one.
QEMU_SUBSTATES=0x1120

QEMU_KERNEL_ARGUMENTS='console=ttyS0,115200 loglevel=5 tsc=reliable panic=-1 reboot=triple'

: "${QEMU_CPUS:=1}"

: "${QEMU_COUNTED:=yes}"

# Whether MWAIT has idle states, for which intel_idle loads. Simulated ones need
# a machine without.
: "${QEMU_INTEL_IDLE:=no}"

# The card for nic, see emulator/README.md: where it is, and its properties. The link
# takes as long as the reads of a real one do.
QEMU_CARD_ADDRESS=0000:00:04.0
: "${QEMU_CARD:=read-out-ns=700,read-back-ns=700}"

# The properties of another one, in a slot that has the same interrupt line.
: "${QEMU_SECOND_CARD:=}"

# qemu_cpu: the CPU with its properties.
qemu_cpu()
{
	if [ "$QEMU_INTEL_IDLE" = yes ]; then
		echo "$QEMU_CPU,mwait-substates=$QEMU_SUBSTATES"
	else
		echo "$QEMU_CPU"
	fi
}

# qemu_cards: the cards with their properties.
qemu_cards()
{
	echo "-device i210,addr=${QEMU_CARD_ADDRESS#0000:00:},$QEMU_CARD"
	[ -z "$QEMU_SECOND_CARD" ] || echo "-device i210,addr=08.0,$QEMU_SECOND_CARD"
}

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
	# Once, so that later runs do not wait for what others build.
	[ -n "$QEMU" ] || build_emulator
	make_initramfs "$1/initramfs" "$3"
	truncate -s 512M "$1/disk"
	: >"$1/console"

	# Without flushing: that takes its time on this machine, while in the emulated
	# one time leaps, until the disk is taken for dead.
	# shellcheck disable=SC2046 # lists
	timeout --signal=KILL "$2" \
		"$QEMU" -L /usr/share/qemu -L /usr/share/seabios \
		-cpu "$(qemu_cpu)" -smp "$QEMU_CPUS" $(qemu_timing) -m 2048 \
		-nodefaults -display none -no-reboot -serial "file:$1/console" $(qemu_cards) \
		-drive "file=$1/disk,format=raw,if=ide,cache=unsafe" \
		-kernel "$KERNEL/bzImage" -initrd "$1/initramfs" \
		-append "$QEMU_KERNEL_ARGUMENTS ${4-}" </dev/null >"$1/output" 2>&1 &
	follow_machine "$1" "$2" $!
}

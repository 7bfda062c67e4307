# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The emulated machine: QEMU without acceleration, as lib/emulator.sh builds it.
# Time is counted in instructions, two ns each, whatever else this machine does; or
# it is that of this machine, which is faster with several CPUs.

# The processor, a file in emulator/processors/; what its idle states cost, and how
# many of it there are: CORES[xTHREADS[xPACKAGES]].
: "${QEMU_MODEL:=i7_3770k}"
: "${TRUTH:=}"
: "${CPUS:=}"

# A test fills the log of the kernel, of which nothing may be lost.
QEMU_KERNEL_ARGUMENTS='console=ttyS0,115200 loglevel=5 log_buf_len=16M tsc=reliable panic=-1 reboot=triple'

: "${QEMU_CPUS:=1}"

: "${QEMU_COUNTED:=yes}"

# Whether MWAIT has the idle states of the processor, for which intel_idle loads.
# Simulated ones need a machine without.
: "${QEMU_INTEL_IDLE:=no}"

# The rate of the TSC, as of a Xeon: a clock that counts whole ns hides what a kernel loses when
# it converts cycles to ns and back.
: "${QEMU_TSC_KHZ:=2095000}"
export QEMU_TSC_KHZ

# Further properties of the CPU.
: "${QEMU_CPU_PROPERTIES:=}"

# A CPU of QEMU's own instead, as -cpu takes it: a guest like anybody's. It has no idle states.
: "${QEMU_CPU_LITERAL:=}"

# The card for nic, see emulator/README.md: where it is, and its properties; empty for none.
# The link takes as long as the reads of a real one do.
QEMU_CARD_ADDRESS=0000:00:04.0
: "${QEMU_CARD:=read-out-ns=700,read-back-ns=700}"

# Ports that are idle states, as lines of the processor's file.
: "${QEMU_IDLE_PORTS:=}"

# Further disks of the machine, files whose contents stay as they are.
: "${QEMU_DISKS:=}"

# The properties of another one, in a slot that has the same interrupt line.
: "${QEMU_SECOND_CARD:=}"

qemu_cpu_models()
{
	ls emulator/processors
}

# qemu_states MODEL: the names of its idle states.
qemu_states()
{
	awk '$1 == "state" { print $2 }' "emulator/processors/$1"
}

# qemu_processor DIR: print the file that the emulator reads: the processor, what its
# states cost, and that what they do is to be written to DIR/truth.csv.
qemu_processor()
{
	cat "emulator/processors/$QEMU_MODEL"
	echo "$QEMU_IDLE_PORTS"
	echo "truth $TRUTH"
	echo "log $1/truth.csv"
}

# qemu_cpu DIR: the CPU with its properties. Without the bit of CPUID that tells of a
# hypervisor, so that the kernel takes it for the processor that it says it is.
qemu_cpu()
{
	if [ -n "$QEMU_CPU_LITERAL" ]; then
		echo "$QEMU_CPU_LITERAL"
		return
	fi
	properties=$(sed -n 's/^cpu //p' "emulator/processors/$QEMU_MODEL")
	if [ "$QEMU_INTEL_IDLE" = yes ]; then
		properties=$properties,hypervisor=off,idle-processor=$1/processor
	else
		properties=${properties%,mwait-substates=*}
	fi
	echo "max,vendor=GenuineIntel,family=6,$properties,invtsc=on,tsc-frequency=${QEMU_TSC_KHZ}000$QEMU_CPU_PROPERTIES"
}

# qemu_topology: the CPUs as an argument.
qemu_topology()
{
	if [ -z "$CPUS" ]; then
		echo "$QEMU_CPUS"
		return
	fi
	echo "$CPUS" | tr x ' ' | {
		read -r cores threads packages
		echo "sockets=${packages:-1},cores=$cores,threads=${threads:-1}"
	}
}

# qemu_cards: the cards with their properties.
qemu_cards()
{
	[ -z "$QEMU_CARD" ] || echo "-device i210,addr=${QEMU_CARD_ADDRESS#0000:00:},$QEMU_CARD"
	[ -z "$QEMU_SECOND_CARD" ] || echo "-device i210,addr=08.0,$QEMU_SECOND_CARD"
}

qemu_disks()
{
	for file in $QEMU_DISKS; do
		echo "-drive file=$file,format=raw,if=ide,cache=unsafe,snapshot=on"
	done
}

# qemu_timing: how time passes. Several CPUs take turns in one thread: with a
# thread for each, a CPU can run into code that another one is patching. When time
# is counted, nothing else varies from run to run either.
qemu_timing()
{
	if [ "$QEMU_COUNTED" = yes ]; then
		echo '-icount shift=1,sleep=off -rtc base=2000-01-01,clock=vm -seed 1'
	else
		echo '-accel tcg,thread=single'
	fi
}

# qemu_run DIR JOB SECONDS KERNEL_ARGUMENTS: run JOB in the machine and show
# its output. Afterwards DIR has console and disk.
qemu_run()
{
	# Once, so that later runs do not wait for what others build.
	[ -n "$QEMU" ] || build_emulator
	make_initramfs "$1/initramfs" "$2"
	qemu_processor "$1" >"$1/processor"

	# Without flushing: that takes its time on this machine, while in the emulated
	# one time leaps, until the disk is taken for dead.
	# shellcheck disable=SC2046 # lists
	timeout --signal=KILL "$3" \
		"$QEMU" -L /usr/share/qemu -L /usr/share/seabios \
		-cpu "$(qemu_cpu "$1")" -smp "$(qemu_topology)" $(qemu_timing) -m 2048 \
		-nodefaults -display none -no-reboot -serial "file:$1/console" $(qemu_cards) \
		-drive "file=$1/disk,format=raw,if=ide,cache=unsafe" \
		$(qemu_disks) -kernel "$BUILT_KERNEL/bzImage" -initrd "$1/initramfs" \
		-append "$QEMU_KERNEL_ARGUMENTS $4" </dev/null >"$1/output" 2>&1 &
	follow_machine "$1" "$3" $!
}

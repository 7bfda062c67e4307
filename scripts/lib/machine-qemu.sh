# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The emulated machine: QEMU without acceleration, as lib/emulator.sh builds it.
# Time is counted in instructions, two ns each, whatever else this machine does, so that nothing varies
# from run to run. Several CPUs take turns in one thread: with a thread for each, a CPU can run into code
# that another one is patching.

# The processor, a file in emulator/processors/; what its idle states cost, and how
# many of it there are: CORES[xTHREADS[xPACKAGES]].
: "${QEMU_MODEL:=i7_3770k}"
: "${TRUTH:=}"
: "${CPUS:=}"

# A test fills the log of the kernel, of which nothing may be lost.
QEMU_KERNEL_ARGUMENTS='console=ttyS0,115200 loglevel=5 log_buf_len=16M tsc=reliable panic=-1 reboot=triple'

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

# The card for nic, see emulator/README.md: which one, its properties, empty for none, and what it
# is plugged into: nothing for the bus of an old machine, "root" or "ptm" for a root port, without
# PTM or with it. The link takes as long as the reads of a real one do, unless CARD says something
# else.
# shellcheck disable=SC2153 # it is of make
QEMU_CARD_MODEL=${CARD%%,*}
: "${QEMU_CARD:=read-out-ns=700,read-back-ns=700${CARD#"$QEMU_CARD_MODEL"}}"
: "${QEMU_CARD_MODEL:=i210}"
QEMU_PORT=$(echo "$QEMU_CARD" | tr , '\n' | sed -n 's/^port=//p')
QEMU_CARD=$(echo "$QEMU_CARD" | sed 's/,port=[a-z]*//')

# Further lines of the processor's file.
: "${QEMU_PROCESSOR_LINES:=}"

# Further disks of the machine, files whose contents stay as they are.
: "${QEMU_DISKS:=}"

# The properties of another one, in a slot that has the same interrupt line.
: "${QEMU_SECOND_CARD:=}"

qemu_cpu_models()
{
	ls emulator/processors
}

# qemu_has MODEL LINE: its file has that line.
qemu_has()
{
	grep -q -x -e "$2" "emulator/processors/$1"
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
	echo "$QEMU_PROCESSOR_LINES"
	# PTM counts a clock that the TSC is made of.
	[ "$QEMU_PORT" != ptm ] && [ "$QEMU_PORT" != switch ] || echo art
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
	case $properties in
	vendor=*)
		;;
	*)
		properties=vendor=GenuineIntel,family=6,$properties
		;;
	esac
	if [ "$QEMU_INTEL_IDLE" = yes ]; then
		properties=$properties,hypervisor=off,idle-processor=$1/processor
	else
		properties=${properties%,mwait-substates=*}
	fi
	echo "max,$properties,invtsc=on,tsc-frequency=${QEMU_TSC_KHZ}000$QEMU_CPU_PROPERTIES"
}

# qemu_topology: the CPUs as an argument.
qemu_topology()
{
	echo "${CPUS:-1}" | tr x ' ' | {
		read -r cores threads packages
		echo "sockets=${packages:-1},cores=$cores,threads=${threads:-1}"
	}
}

# qemu_card_address: where the card is.
qemu_card_address()
{
	case $QEMU_PORT in
	'') echo 0000:00:04.0 ;;
	switch) echo 0000:03:00.0 ;;
	*) echo 0000:01:00.0 ;;
	esac
}

# qemu_board: the kind of machine, which has a root port where one is asked for, and a switch below.
qemu_board()
{
	case $QEMU_PORT in
	root) echo '-machine q35 -device card-root-port,id=card,addr=04.0' ;;
	ptm) echo '-machine q35 -device card-root-port,id=card,addr=04.0,ptm=on' ;;
	switch)
		echo '-machine q35 -device card-root-port,id=root,addr=04.0,ptm=on'
		echo '-device x3130-upstream,id=upstream,bus=root'
		echo '-device xio3130-downstream,id=card,bus=upstream,chassis=1'
		;;
	*) echo '-machine pc' ;;
	esac
}

# qemu_cards: the cards with their properties.
qemu_cards()
{
	if [ -n "$QEMU_PORT" ]; then
		echo "-device $QEMU_CARD_MODEL,bus=card,$QEMU_CARD"
	elif [ -n "$QEMU_CARD" ]; then
		echo "-device $QEMU_CARD_MODEL,addr=04.0,$QEMU_CARD"
	fi
	[ -z "$QEMU_SECOND_CARD" ] || echo "-device i210,addr=08.0,$QEMU_SECOND_CARD"
}

# qemu_disks DIR: that in DIR and the others. A machine with a root port has another kind of disks
# than the kernel knows, so it gets a controller of the kind that the old one has.
qemu_disks()
{
	number=0
	[ -z "$QEMU_PORT" ] || echo '-device piix3-ide,id=disks,addr=06.0'
	for file in "$1/disk" $QEMU_DISKS; do
		[ "$number" -eq 0 ] && lasting=off || lasting=on
		drive=file=$file,format=raw,cache=unsafe,snapshot=$lasting
		if [ -n "$QEMU_PORT" ]; then
			echo "-drive $drive,if=none,id=disk$number"
			echo "-device ide-hd,drive=disk$number,bus=disks.$((number / 2)),unit=$((number % 2))"
		else
			echo "-drive $drive,if=ide"
		fi
		number=$((number + 1))
	done
}

# qemu_run DIR JOB SECONDS KERNEL_ARGUMENTS: run JOB in the machine and show
# its output. Afterwards DIR has console and disk.
qemu_run()
{
	# Once, so that later runs do not wait for what others build.
	[ -n "$QEMU" ] || build_emulator
	make_initramfs "$1/initramfs" "$2"
	qemu_processor "$1" >"$1/processor"

	# What Debian compresses takes QEMU 4 s to decompress.
	kernel=$BUILT_KERNEL/vmlinux
	[ -f "$kernel" ] || kernel=$BUILT_KERNEL/bzImage
	# QEMU ignores flushes (cache=unsafe): nobody needs the disks after this machine has crashed.
	# shellcheck disable=SC2046 # lists
	timeout --signal=KILL "$3" \
		"$QEMU" -L /usr/share/qemu -L /usr/share/seabios \
		-cpu "$(qemu_cpu "$1")" -smp "$(qemu_topology)" -m 2048 \
		-icount shift=1,sleep=off -rtc base=2000-01-01,clock=vm -seed 1 \
		$(qemu_board) -nodefaults -display none -no-reboot -serial "file:$1/console" $(qemu_cards) \
		$(qemu_disks "$1") -kernel "$kernel" -initrd "$1/initramfs" \
		-append "$QEMU_KERNEL_ARGUMENTS $4" </dev/null >"$1/output" 2>&1 &
	follow_machine "$1" "$3" $!
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The emulated machine: Bochs, which has the deadline timer, MWAIT and the idle
# states of the CPU models that it emulates. One tick is one instruction and
# idle time costs nothing, so that nothing depends on the host but what is drawn: RDRAND gives
# other numbers in each run.

# HT: with one CPU Bochs claims hyper-threading without siblings, of which the
# kernel warns. The rest of the lines is for a short and quiet boot: each
# character of the console takes the emulator 10000 instructions.
BOCHS_KERNEL_ARGUMENTS='console=ttyS0,115200 loglevel=5 log_buf_len=4M tsc=reliable panic=-1 reboot=triple clearcpuid=ht'

bochs_cpu_models()
{
	# Bochs ends with 1 after its help.
	{ SDL_VIDEODRIVER=dummy bochs --help cpu 2>&1 || true; } |
		grep -E -x '[a-z][a-z0-9_]+'
}

# bochs_tsc_khz: the ticks of a ms. With 10^6 a tick is 1 ns; of some models the kernel takes the
# rate of the TSC from CPUID, which must agree.
bochs_tsc_khz()
{
	rate=1000000
	[ "$CPU_MODEL" != corei7_skylake_x ] || rate=3500000
	echo "$rate"
}

# MSRs that the model does not have by itself, each with a constant value other than zero.
: "${BOCHS_MSRS:=}"

# bochs_configuration DIR: of the machine whose files are in DIR. Without
# sound, because the sound mixer of Bochs can crash where there is no sound card.
bochs_configuration()
{
	cat <<-END
	config_interface: textconfig
	display_library: sdl2
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
	memory: guest=1024, host=1024
	cpu: model=$CPU_MODEL, count=1, ips=$(bochs_tsc_khz)000, reset_on_triple_fault=0, msrs=$1/msrs
	clock: sync=none, time0=946684800
	pci: enabled=1, chipset=i440fx
	ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
	ata0-master: type=disk, path=$1/disk, mode=flat
	ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
	ata1-master: type=cdrom, path=$1/image, status=inserted
	boot: cdrom
	com1: enabled=1, mode=file, dev=$1/console
	sound: driver=dummy
	speaker: enabled=0
	log: $1/bochs.log
	panic: action=fatal
	error: action=ignore
	info: action=ignore
	debug: action=ignore
	END
}

# bochs_run DIR JOB SECONDS KERNEL_ARGUMENTS: run JOB in the machine and
# show its output. Afterwards DIR has console and disk.
bochs_run()
{
	# Early in the boot the kernel measures the TSC only roughly, and the timer
	# of a CPU without the deadline timer by that, so it is told the rate.
	make_image "$1/image" "$2" "$BOCHS_KERNEL_ARGUMENTS tsc_early_khz=$(bochs_tsc_khz) $4"
	# Number, type, and the halves of value, reserved bits and ignored bits.
	for msr in $BOCHS_MSRS; do
		echo "$msr 0 0 1000 0 0 0 0"
	done >"$1/msrs"
	bochs_configuration "$1" >"$1/bochsrc"

	# The debugger that Debian's Bochs starts in is told to continue.
	echo c >"$1/input"
	SDL_VIDEODRIVER=dummy timeout --signal=KILL "$3" \
		bochs -q -f "$1/bochsrc" <"$1/input" >"$1/output" 2>&1 &
	follow_machine "$1" "$3" $!
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# "make run MACHINE=host" as a user types it, in the root file system of a release of Debian,
# on the emulated processor with four CPUs and a network card: what it measures, that it
# leaves nothing behind, also when a part of it is killed, and what it refuses. One release,
# with what is built already; with LONG=1 both, also from nothing, and more kills.
#
# Control: What names the machine is found in results that are no bundle.
# Takes: 280 s
. checks/lib/bench.sh
. scripts/lib/machine-host.sh
. checks/lib/steps.sh

EXITS='C1=900 C1E=12000 C3=40000 C6=95000'

# prebuilt: what "make run MACHINE=host" would build on the machine.
prebuilt()
{
	rm -rf "$TMP/prebuilt"
	git clone -q . "$TMP/prebuilt"
	mkdir "$TMP/prebuilt/out"
	# shellcheck disable=SC2016 # expanded by the inner shell
	in_root "$TMP/prebuilt" env -C /mnt JOBS="$JOBS" KDIR= FORCE= HOST_RELEASE="$RELEASE" \
		IDLE_LATENCY_CACHE=/tmp/cache sh -euc '
		. scripts/lib/common.sh
		. scripts/lib/external.sh
		. scripts/lib/machine-host.sh
		host_build "/lib/modules/$HOST_RELEASE/build"'
	cp -a "$TMP/prebuilt/out/host" "$TMP/srv/built"
}

# guest NAME CPUS [KERNEL_ARGUMENTS] <STEPS: a user types them, see checks/host/user.
guest()
{
	GUEST=$KERNEL-$1
	steps checks/host/user - >"$TMP/srv/steps"
	tar -C "$TMP/srv" -cf "$TMP/user.tar" .
	CPUS=$2 TRUTH='C1:900 C1E:12000 C3:40000 C6:95000' QEMU_DISKS="$DISK $TMP/user.tar"
	run_job "$GUEST" "host: $GUEST" checks/host/guest 6000 "${3-}"
}

# names DIR: the kinds of identity that its files have, by which they name the machine. The
# addresses are of any card of the maker, but for one without colons that are all digits: that
# begins like a stamp of the TSC at 525.4 s, and a run at that time has one. It counts after
# "enx", and where it is the address that QEMU gives a card.
names()
{
	for identity in \
		'52:54:00:|enx525400|(^|[^0-9a-f])525400[0-9]{0,5}[a-f]|525400123456' \
		secret-host 'dead ?beef' PF2XYZ9 12345678-9abc '192\.0\.2\.' '2001:db8|fe80'; do
		! grep -r -q -i -E "$identity" "$1" || echo "$identity"
	done
}

measures()
{
	guest measures 4 'host_secret=deadbeef' <<-'END'
	hostname secret-host
	modprobe igb
	ip link set eth0 up
	as_before scan-up make scan
	ip link set eth0 down
	as_before scan make scan
	as_before run make run MACHINE=host SAMPLES=300
	cp -r out/run /out
	cat >>out/run/environment.txt <<'IDENTITY'
	secret-host and SECRET-HOST secret-host.example.org at 52:54:00:aa:bb:cc enx525400aabbcc
	12345678-9abc-def0-1234-56789abcdef0 192.0.2.17 2001:db8:0:1::17 fe80::5054:ff:feaa:bbcc
	Serial Number: PF2XYZ9, "product_serial=PF2XYZ9" and service tag: PF2XYZ9
	command line: root=UUID=deadbeef "quoted=dead beef" idle=nomwait quiet -- --token deadbeef
	IDENTITY
	mkdir /out/plain && cp out/run/* /out/plain
	as_before bundle make bundle
	mkdir /out/bundle && tar -C /out/bundle -xf out/run.tar.gz
	as_before interrupted interrupted make run MACHINE=host
	modprobe msr
	registers >/out/registers-before
	as_before keep make run MACHINE=host SAMPLES=100 METHODS=hrt HOLD=package \
		SET=demotion=off,promotion=off
	as_before keep-killed killed 1 make run MACHINE=host SAMPLES=1000 HOLD=package \
		SET=demotion=off,promotion=off
	registers >/out/registers-after
	modprobe -r msr
	END
	said scan-up 'the card is in use' "nic: used 0000:00:04.0 .* run 'ip link set eth0 down' first"
	said scan 'the card can be taken' 'nic: bound 0000:00:04.0 0x1533, driver igb, interface eth0 '
	said scan 'hrt works' '^cpu0: hrt works$'
	said scan 'tdt works' '^cpu0: tdt works$'
	said run 'a verdict that is FAIL' 'FAIL cpu0 nic C6: above the limit'
	ended_with run 2
	said run 'the verdict on C3' 'PASS cpu0 tdt C3'
	true_samples "$GUEST" run --probe "$KERNEL" --exits "$EXITS"
	expect "host: $GUEST: the bundle has all of it" \
		[ "$(cd "$TMP/$GUEST/out/bundle/run" && echo *)" = 'datapoints.csv discards.csv environment.txt scan.txt statistics.csv summary.csv' ]
	expect "host: $GUEST: which say whose machine it is" \
		[ "$(names "$TMP/$GUEST/out/plain" | wc -l)" -eq 7 ]
	silent "host: $GUEST: and do not in the bundle" names "$TMP/$GUEST/out/bundle/run"
	expect "host: $GUEST: which has what matters of the command line" grep -q -x \
		'command line: root=... "quoted=... idle=nomwait quiet' \
		"$TMP/$GUEST/out/bundle/run/environment.txt"
	said interrupted 'it was measuring' 'interrupted'
	said keep 'it holds' 'hold: package'
	said keep 'it sets' 'set: demotion=off promotion=off'
	said keep 'a verdict that is FAIL' 'FAIL cpu0 hrt C6: above the limit'
	expect "host: $GUEST: keep: registers are those of four CPUs" \
		[ "$(grep -c '[0-9a-f]$' "$TMP/$GUEST/out/registers-before")" -eq 8 ]
	expect "host: $GUEST: keep: registers are as before" \
		cmp "$TMP/$GUEST/out/registers-before" "$TMP/$GUEST/out/registers-after"
	said keep-killed 'a process was killed' '^kills '
	left_nothing
}

# kills: at other moments, and other processes.
kills()
{
	guest kills 4 <<-'END'
	modprobe igb
	for seed in $(seq 0 22); do
		as_before "kill-$seed" killed "$seed" make run MACHINE=host SAMPLES=300
	done
	as_before again make run MACHINE=host SAMPLES=20 METHODS=nic
	modprobe msr
	for name in exercise.sh run.sh latency_test make; do
		as_before "exercise-$name" killed_in_fifth "$name" make exercise MACHINE=host METHODS=hrt \
			SAMPLES=1000 VARY="package-limit=pc0,pc2 promotion=on,off hold=none,all" RUNS_EACH=2
	done
	END
	left_nothing
	for seed in $(seq 0 22); do
		said "kill-$seed" 'a process was killed' '^kills '
	done
	said again 'it measures again' 'FAIL cpu0 nic C6: above the limit'
	for name in exercise.sh run.sh latency_test make; do
		said "exercise-$name" 'it was killed in the fifth of eight' '^kills .* in run 5'
	done
}

# from_nothing: the driver and the program are built on the machine.
from_nothing()
{
	mv "$TMP/srv/built" "$TMP/built"
	guest from-nothing 4 <<-'END'
	modprobe igb
	as_before run make run MACHINE=host SAMPLES=100
	END
	mv "$TMP/built" "$TMP/srv/built"
	left_nothing
	said run 'the driver is built' '^\[host\] building the driver for /lib/modules'
	said run 'a verdict that is FAIL' 'FAIL cpu0 nic C6: above the limit'
}

# refused NAME PATTERN KERNEL_ARGUMENT: "make run MACHINE=host" does nothing and says why.
refused()
{
	guest "refused-$1" 1 "$3" <<-'END'
	as_before run make run MACHINE=host
	END
	left_nothing
	said run 'the reason' "$2"
	ended_with run 2
}

refuses()
{
	QEMU_CPU_PROPERTIES=,hypervisor=on
	guest virtual 1 <<-'END'
	as_before run make run MACHINE=host
	as_before forced make run MACHINE=host SAMPLES=20 METHODS=hrt FORCE=1
	as_before no-headers sh -c 'mount -t tmpfs tmpfs /lib/modules
		make run MACHINE=host FORCE=1
		umount /lib/modules'
	END
	QEMU_CPU_PROPERTIES=
	left_nothing
	said run 'the reason' 'this is a virtual machine, .* FORCE=1 measures all the same'
	ended_with run 2
	said forced 'each row says so' '^0 +hrt +C6 .* FAIL virtual: above the limit'
	said no-headers 'the package' 'apt-get install linux-headers-'
	[ -n "$LONG" ] || return 0
	refused no-states 'the kernel was started with idle=poll: boot without that' idle=poll
	refused unstable-tsc 'distrusts the TSC' tsc=unstable
	refused signed 'this kernel takes signed modules only' module.sig_enforce=1
}

for KERNEL in debian-12 ${LONG:+debian-13}; do
	build_kernel
	RELEASE=$(basename "$BUILT_KERNEL/lib/modules"/*)
	name_root
	build_disk
	rm -rf "$TMP/srv"
	mkdir "$TMP/srv"
	git clone -q --bare . "$TMP/srv/repository"
	prebuilt
	measures
	refuses
	if [ -n "$LONG" ]; then
		from_nothing
		kills
	fi
done
checks_end

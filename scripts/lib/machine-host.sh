# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The machine that make runs on, with its running kernel. Everything is built in out/host/,
# and nothing is installed.

HOST=out/host
: "${HOST_RELEASE:=$(uname -r)}"
# Where modprobe is, for a user who became root without a login.
PATH=$PATH:/usr/sbin:/sbin

# is_virtual: a hypervisor decides what the idle states do.
is_virtual()
{
	grep -q -m 1 '^flags.* hypervisor' /proc/cpuinfo &&
		! grep -q -x idle_latency_sim /sys/devices/system/cpu/cpuidle/current_driver
}

# host_refusal: why this machine cannot be measured and what to do, as far as that can be told
# before anything is built; or nothing. latency_test finds the other reasons.
host_refusal()
{
	case $(uname -m) in
	x86_64 | i?86)
		;;
	*)
		echo 'this is no x86 machine, which the driver is for'
		return
		;;
	esac
	if [ "$(id -u)" -ne 0 ]; then
		echo 'measuring this machine needs root'
	elif [ -z "$FORCE" ] && is_virtual; then
		echo 'this is a virtual machine, whose idle states are those of its hypervisor; FORCE=1 measures all the same'
	fi
}

# host_has_driver: the driver is loaded, built in or installed.
host_has_driver()
{
	[ -e /dev/idle_latency ] || modprobe --quiet --dry-run idle_latency 2>/dev/null
}

# host_takes_unsigned: a module that nobody signed can be loaded.
host_takes_unsigned()
{
	lockdown=$(cat /sys/kernel/security/lockdown 2>/dev/null || echo '[none]')
	case $lockdown$(cat /sys/module/module/parameters/sig_enforce 2>/dev/null) in
	*'[none]'*N | *'[none]')
		;;
	*)
		return 1
		;;
	esac
}

# host_modules HEADERS: build the driver, for modprobe to find it beside the modules of the
# kernel.
host_modules()
{
	say host "building the driver for $1 (log: $CACHE/log/host.log)"
	external_source "$HOST/modules"
	external_build "$HOST/modules" "$1" host
	tree=$HOST/lib/modules/$HOST_RELEASE
	mkdir -p "$tree/updates"
	cp "$HOST"/modules/*.ko "$tree/updates"
	# The other modules that a measurement loads are those of the machine.
	for file in kernel modules.builtin modules.builtin.modinfo modules.order; do
		[ ! -e "/lib/modules/$HOST_RELEASE/$file" ] ||
			ln -s "/lib/modules/$HOST_RELEASE/$file" "$tree"
	done
	logged host depmod --basedir "$HOST" "$HOST_RELEASE"
}

# host_program: build latency_test, which needs no kernel tree.
host_program()
{
	from=tools/testing/selftests/idle_latency
	say host 'building latency_test and energy_test'
	logged host gcc -O2 -Wall -D_GNU_SOURCE= -I include/uapi -I scripts/host -I "$from/lib" \
		-o "$HOST/latency_test" "$from/latency_test.c" "$from"/lib/*.c -lm -lpthread
	cp "$from/nic.sh" "$HOST"
	# shellcheck disable=SC2046 # a list
	logged host gcc -O2 -Wall -D_GNU_SOURCE= -I include/uapi -I scripts/host -I "$from/lib" \
		-o "$HOST/energy_test" "$from"/energy/energy_test.c \
		$(find "$from/energy" -name '*.c' ! -name '*_test.c') "$from"/lib/*.c -lm -lpthread
}

# host_headers: those that the driver is built with, which are of the running kernel.
host_headers()
{
	headers=$(external_headers) || exit
	of=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"$/\1/p' "$headers/include/generated/utsrelease.h")
	[ "$of" = "$HOST_RELEASE" ] ||
		die "$headers is of the kernel $of, and $HOST_RELEASE runs: say with KDIR= where its headers are"
	echo "$headers"
}

# host_id HEADERS FILE: what out/host/ is made of.
host_id()
{
	{
		echo "$HOST_RELEASE $1"
		gcc --version
		for folder in arch drivers include scripts/external scripts/host \
			tools/testing/selftests/idle_latency; do
			contents "$folder"
		done
		[ -z "$1" ] || cat "$1/include/generated/autoconf.h" "$1/Module.symvers"
	} | sha256sum >"$2"
}

# host_build [HEADERS]: the program and, with these headers, the driver, of which modprobe is
# told; where out/host/ is not what that would make already. Nobody else builds there
# while what was built runs, as it is needed to put everything back: a program and the process
# that survives it have the lock until they end.
host_build()
{
	id=$TMP/host-id${1:+-with-modules}
	once "$id" host_id "${1-}"
	exec 8>>"$CACHE/host.lock"
	if ! cmp -s "$id" "$HOST/stamp"; then
		flock -n 8 ||
			die 'another measurement of this machine uses out/host/, which has to be built again: end it first'
		start_log host
		rm -rf "$HOST"
		mkdir -p "$HOST"
		[ -z "${1-}" ] || host_modules "$1"
		host_program
		cp "$id" "$HOST/stamp"
	fi
	flock -s 8
	if [ -n "${1-}" ]; then
		MODPROBE_OPTIONS="--dirname $PWD/$HOST"
		export MODPROBE_OPTIONS
	fi
}

# host_prepare: all that a measurement needs. latency_test loads the modules itself, and
# unloads them when it ends, however it does.
host_prepare()
{
	if host_has_driver; then
		host_build
		return
	fi
	host_takes_unsigned ||
		die 'this kernel takes signed modules only (Secure Boot or module.sig_enforce): switch that off, or install the driver with "make dkms" and DKMS, which signs it with a key that you enrol with mokutil'
	host_headers >"$TMP/headers"
	host_build "$(cat "$TMP/headers")"
}

# host_run ARGUMENT...: run latency_test, or another PROGRAM, and wait until it has put everything
# back. It ends itself with Ctrl-C, gets a signal that this script is told to end with, and one when
# this script is killed. Returns its exit code.
host_run()
{
	# A shell has what it starts in the background ignore Ctrl-C.
	setpriv --pdeathsig TERM env --default-signal=INT "$HOST/${PROGRAM:-latency_test}" "$@" &
	program=$!
	trap : INT
	trap 'kill "$program"' TERM HUP
	host_code=0
	wait "$program" || host_code=$?
	# A signal ends the waiting, too.
	while kill -0 "$program" 2>/dev/null; do
		host_code=0
		wait "$program" || host_code=$?
	done
	return "$host_code"
}

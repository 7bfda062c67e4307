# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The machine that make runs on, with its running kernel. Everything is built in out/host/,
# and nothing is installed.

HOST=out/host
: "${HOST_RELEASE:=$(uname -r)}"
# Where modprobe is, for a user who became root without a login.
PATH=$PATH:/usr/sbin:/sbin

# cpuidle_driver: of the running kernel, or "none".
host_cpuidle_driver()
{
	cat /sys/devices/system/cpu/cpuidle/current_driver 2>/dev/null || echo none
}

# host_refusal: why this machine cannot be measured and what to do, or nothing.
host_refusal()
{
	driver=$(host_cpuidle_driver)
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
	elif [ "$driver" = none ]; then
		echo "there are no idle states; $(host_no_states)"
	elif [ -z "$FORCE" ] && [ "$driver" != idle_latency_sim ] &&
		grep -q -m 1 '^flags.* hypervisor' /proc/cpuinfo; then
		echo 'this is a virtual machine, whose idle states are those of its hypervisor; FORCE=1 measures all the same'
	elif ! grep -q -w tsc /sys/devices/system/clocksource/clocksource0/available_clocksource; then
		echo 'the kernel does not trust the TSC, by which wake-ups are stamped; "dmesg | grep -i tsc" says why'
	fi
}

# host_no_states: what to do where there are no idle states.
host_no_states()
{
	against=$(tr ' ' '\n' </proc/cmdline |
		grep -m 1 -E '^(idle=|cpuidle\.off=1|(intel_idle|processor)\.max_cstate=)' || true)
	if [ -n "$against" ]; then
		echo "the kernel was started with $against: boot without that"
	else
		echo 'load a cpuidle driver, or allow C-states in the settings of the firmware'
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

# host_modules: build the driver, for modprobe to find it beside the modules of the kernel.
host_modules()
{
	say host "building the driver for $headers (log: $CACHE/log/host.log)"
	external_source "$HOST/modules"
	external_build "$HOST/modules" "$headers" host
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
	say host 'building latency_test'
	logged host gcc -O2 -Wall -D_GNU_SOURCE= -I include/uapi -I scripts/host -I "$from/lib" \
		-o "$HOST/latency_test" "$from/latency_test.c" "$from"/lib/*.c -lm -lpthread
	cp "$from/nic.sh" "$HOST"
}

# host_build DRIVER: all of it, where out/host/ is not what it would be made to already.
# DRIVER: "installed", or "" for one to build, of which modprobe is told.
host_build()
{
	headers=$1
	[ -n "$1" ] || headers=$(external_headers)
	id=$(hash_text "$headers" "$HOST_RELEASE" "$(gcc --version)" "$(contents drivers)" \
		"$(contents include)" "$(contents tools)" "$(contents scripts/external)")
	if [ "$(cat "$HOST/stamp" 2>/dev/null)" != "$id" ]; then
		start_log host
		rm -rf "$HOST"
		mkdir -p "$HOST"
		[ -n "$1" ] || host_modules
		host_program
		echo "$id" >"$HOST/stamp"
	fi
	if [ -z "$1" ]; then
		MODPROBE_OPTIONS="--dirname $PWD/$HOST"
		export MODPROBE_OPTIONS
	fi
}

# host_prepare: all that latency_test needs. It loads the modules itself, and unloads them
# when it ends, however it does.
host_prepare()
{
	if host_has_driver; then
		host_build installed
		return
	fi
	host_takes_unsigned ||
		die 'this kernel takes signed modules only (Secure Boot or module.sig_enforce): switch that off, or install the driver with "make dkms" and DKMS, which signs it with a key that you enrol with mokutil'
	host_build ''
}

# host_run ARGUMENT...: run latency_test, in the background, so that a signal to this script
# ends it at once. Returns its exit code.
host_run()
{
	"$HOST/latency_test" "$@" &
	BACKGROUND=$!
	host_code=0
	wait "$BACKGROUND" || host_code=$?
	BACKGROUND=
	return "$host_code"
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Take a network card from its driver for the source nic of idle_latency, and give
# it back:
#
#   nic.sh take ADDRESS
#   nic.sh give ADDRESS
#
# ADDRESS is that of an Intel I210 or I211 on the PCI bus, such as 0000:01:00.0.
set -u

drivers=/sys/bus/pci/drivers

die()
{
	echo "nic.sh: $*" >&2
	exit 1
}

# bound_to: the driver of the device, or nothing.
bound_to()
{
	[ ! -e "$device/driver" ] || basename "$(readlink "$device/driver")"
}

# interface_up: the name of an interface of the device that is up.
interface_up()
{
	for net in "$device"/net/*; do
		[ -e "$net/flags" ] || continue
		# IFF_UP is the lowest bit.
		[ $(($(cat "$net/flags") & 1)) -eq 0 ] || basename "$net"
	done
}

override()
{
	echo "$1" >"$device/driver_override"
}

# rebind: let the driver have it that the kernel chooses.
rebind()
{
	override ''
	echo "$address" >/sys/bus/pci/drivers_probe
}

take()
{
	[ -d "$drivers/idle_latency" ] ||
		die "the driver is not loaded: run 'modprobe idle_latency' (CONFIG_IDLE_LATENCY_NIC)"
	from=$(bound_to)
	[ "$from" != idle_latency ] || die "$address is taken already"
	up=$(interface_up)
	[ -z "$up" ] || die "$address is in use: run 'ip link set $up down' first"

	override idle_latency
	[ -z "$from" ] || echo "$address" >"$drivers/$from/unbind"
	if ! echo "$address" 2>/dev/null >"$drivers/idle_latency/bind"; then
		rebind
		die "idle_latency refuses $address: see the kernel log; it takes one I210 or I211"
	fi
}

give()
{
	[ "$(bound_to)" = idle_latency ] || die "$address is not taken"
	echo "$address" >"$drivers/idle_latency/unbind"
	rebind
}

[ $# -eq 2 ] || die 'usage: nic.sh take|give ADDRESS'
address=$2
device=/sys/bus/pci/devices/$address
[ -d "$device" ] || die "there is no PCI device $address: see 'lspci -D'"
[ -w "$device/driver_override" ] || die 'run as root'
case $1 in
take | give)
	"$1"
	;;
*)
	die 'usage: nic.sh take|give ADDRESS'
	;;
esac

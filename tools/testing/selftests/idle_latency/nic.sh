#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Take a network card from its driver for the source nic of idle_latency, and give
# it back:
#
#   nic.sh find
#   nic.sh list
#   nic.sh take ADDRESS
#   nic.sh give ADDRESS [unbound]
#
# ADDRESS is that of an Intel I210, I211, I225 or I226 on the PCI bus, such as 0000:01:00.0. What
# is found is printed: "free ADDRESS", which has no driver; "bound ADDRESS", which has one, but
# whose interface is down, so that it can be taken, too; "taken ADDRESS"; "used ADDRESS", which
# has an interface that is up or part of a bridge, a bond or a VLAN, or a driver but no
# interface that can be seen; or "none". The driver refuses a card that a management controller
# (BMC) uses. Registers of the card tell that, which no driver shows to user space, so it is known
# only when the card was taken from its driver, which gets it back at once then. "list" says the
# same of each card, with what "take" would take it from. What had no driver is given back to none
# with "unbound".
set -u

devices=/sys/bus/pci/devices
drivers=/sys/bus/pci/drivers

# As in drivers/idle_latency/nic_pci.c.
ids='0x1533 0x1536 0x1537 0x1538 0x1539 0x157b 0x157c
	0x15f2 0x15f3 0x15f8 0x0d9f 0x3100 0x3101 0x5502 0x125b 0x125c 0x125d 0x3102 0x5503'

usage='usage: nic.sh find | list | take ADDRESS | give ADDRESS [unbound]'

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

# exists PATTERN: there is such a file.
exists()
{
	[ -e "$1" ]
}

# is_part NET: the interface belongs to a bridge or a bond, or a VLAN to it, which would
# be lost with the interface.
is_part()
{
	exists "$1/master" || exists "$1"/upper_*
}

# hindrance: what to do first with an interface of the device that is used.
hindrance()
{
	for net in "$device"/net/*; do
		[ -e "$net/flags" ] || continue
		# IFF_UP is the lowest bit.
		if [ $(($(cat "$net/flags") & 1)) -ne 0 ]; then
			echo "run 'ip link set ${net##*/} down' first"
		elif is_part "$net"; then
			echo "take ${net##*/} out of its bridge, bond or VLAN first"
		fi
	done
}

# is_card: the device is one that idle_latency takes.
is_card()
{
	[ "$(cat "$device/vendor" 2>/dev/null)" = 0x8086 ] || return
	case " $ids " in
	*[[:space:]]"$(cat "$device/device")"[[:space:]]*) ;;
	*) return 1 ;;
	esac
}

# use: what the card is used for: free, bound, taken or used. A driver that shows no
# interface may have lent the card, or the interface, to somebody else, and one that
# the card is kept for may get it later.
use()
{
	case $(bound_to)/$(cat "$device/driver_override") in
	idle_latency/*) echo taken ;;
	'/(null)' | /idle_latency) echo free ;;
	/*) echo used ;;
	*)
		if exists "$device"/net/* && [ -z "$(hindrance)" ]; then
			echo bound
		else
			echo used
		fi
		;;
	esac
}

# find_card: one that is taken already comes first, as no second one can be.
find_card()
{
	for wanted in taken free bound used; do
		for device in "$devices"/*; do
			if is_card && [ "$(use)" = $wanted ]; then
				echo "$wanted ${device##*/}"
				return
			fi
		done
	done
	echo none
}

# interfaces: of the device, each with its hardware address.
interfaces()
{
	for net in "$device"/net/*; do
		[ ! -e "$net/address" ] || echo "interface ${net##*/} $(cat "$net/address")"
	done
}

list_cards()
{
	for device in "$devices"/*; do
		is_card || continue
		driver=$(bound_to)
		echo "$(use) ${device##*/} $(cat "$device/device"), driver ${driver:-none}$(
			{
				interfaces
				hindrance
			} | sed 's/^/, /' | tr -d '\n')"
	done
}

override()
{
	echo "$1" >"$device/driver_override"
}

# free HAD_DRIVER: let the driver have it that the kernel chooses, if one had it.
free()
{
	override ''
	[ -z "$1" ] || echo "$address" >/sys/bus/pci/drivers_probe
}

take()
{
	[ -d "$drivers/idle_latency" ] ||
		die "the driver is not loaded (CONFIG_IDLE_LATENCY_NIC): modprobe idle_latency"
	from=$(bound_to)
	[ "$from" != idle_latency ] || die "$address is taken already"
	first=$(hindrance)
	[ -z "$first" ] || die "$address is in use: $first"

	override idle_latency
	[ -z "$from" ] || echo "$address" >"$drivers/$from/unbind"
	if ! echo "$address" 2>/dev/null >"$drivers/idle_latency/bind"; then
		free "$from"
		now=$(bound_to)
		again=${from:+", which has the driver ${now:-none} again"}
		what="idle_latency refuses $address$again"
		die "$what: see the kernel log; it takes an I210, I211, I225 or I226"
	fi
}

# give [unbound]: also what was taken halfway only.
give()
{
	[ "$(cat "$device/driver_override")" = idle_latency ] || die "$address is not taken"
	[ "$(bound_to)" != idle_latency ] ||
		echo "$address" >"$drivers/idle_latency/unbind"
	if [ "$1" = unbound ]; then
		free ''
	else
		free any
	fi
}

case $#:${1-}:${3-} in
1:find:) find_card ;;
1:list:) list_cards ;;
2:take: | 2:give: | 3:give:unbound) ;;
*) die "$usage" ;;
esac
[ $# -gt 1 ] || exit 0
address=$2
device=$devices/$address
[ -d "$device" ] || die "there is no PCI device $address: see 'lspci -D'"
[ -w "$device/driver_override" ] || die 'run as root'
"$1" "${3-}"

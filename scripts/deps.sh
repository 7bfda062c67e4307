#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Install the Debian packages that the other scripts need and that are missing.
set -eu

# The version of gcc in Debian 12 and 13. Its part for 32-bit programs comes with
# gcc-multilib, too, but apt would remove every cross compiler for that.
case $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release) in
12)
	gcc=12
	;;
*)
	gcc=14
	;;
esac

packages="
	bc bison flex gcc libc6-dev libelf-dev linux-headers-amd64 libssl-dev lz4 make patch perl python3 rsync xz-utils
	busybox-static cpio kmod
	grub-common grub-pc-bin mtools xorriso
	bochs bochs-sdl bochsbios vgabios
	dpkg-dev libfdt-dev libglib2.0-dev libpixman-1-dev meson ninja-build pkgconf
	qemu-system-data seabios
	ca-certificates debian-archive-keyring git
	clang-19 shellcheck sparse
	libc6-dev-i386 lib32gcc-$gcc-dev
"

missing=
for package in $packages; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	printf 'idle_latency: packages are missing; as root, run: apt-get install%s\n' \
		"$missing" >&2
	exit 1
fi

mkdir -p "$IDLE_LATENCY_CACHE/log"
log=$IDLE_LATENCY_CACHE/log/deps.log
printf '[deps] installing%s (log: %s)\n' "$missing" "$log"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list
if ! { apt-get update &&
	apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 $missing; } \
	>"$log" 2>&1 </dev/null; then
	tail -n 20 "$log" >&2
	printf 'idle_latency: cannot install the packages (log: %s)\n' "$log" >&2
	exit 1
fi

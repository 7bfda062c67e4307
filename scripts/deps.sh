#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh TARGET: install the Debian packages that a target of the Makefile needs and
# that are missing; those of every target for "all".
set -eu

die()
{
	printf 'idle_latency: %s\n' "$*" >&2
	exit 1
}

# The version of gcc in Debian 12 and 13. Its part for 32-bit programs comes with
# gcc-multilib, too, but apt would remove every cross compiler for that.
gcc=14
! grep -q '^VERSION_ID="12"$' /etc/os-release || gcc=12

# The source of the kernel, and the tree with the series applied.
source='ca-certificates debian-archive-keyring patch rsync xz-utils'
kernel='bc bison flex gcc libc6-dev libelf-dev libssl-dev lz4 make perl python3'
modules='gcc kmod libc6-dev linux-headers-amd64 make'
# The boot image of an emulated machine.
image='busybox-static cpio kmod'
bochs='bochs bochs-sdl bochsbios isolinux syslinux-common vgabios xorriso'
# QEMU, which is built here.
qemu='dpkg-dev gcc libc6-dev libfdt-dev libglib2.0-dev libpixman-1-dev make meson ninja-build
	perl pkgconf python3 qemu-system-data seabios'
checks="acpica-tools clang-19 git lib32gcc-$gcc-dev libc6-dev-i386 python3-pyte python3-yaml
	shellcheck sparse ${LONG:+lld-19 llvm-19}"

# What compares results.
compare='python3-numpy python3-scipy'

# Pages about results.
report='python3 python3-matplotlib python3-numpy python3-scipy'

# The root file system of a release, with its kernel.
debian='debian-archive-keyring e2fsprogs kmod mmdebstrap xz-utils zstd'

# machine_packages: what running on MACHINE needs.
machine_packages()
{
	[ -z "$KERNEL" ] || echo "$debian"
	case $MACHINE in
	bochs)
		echo "$source $kernel $image $bochs"
		;;
	qemu)
		echo "$source $kernel $image $qemu"
		;;
	esac
}

# host_lacks HEADERS: what looking at this machine needs and does not find; with HEADERS, what
# measuring it needs. Nothing is installed on a machine that is measured.
host_lacks()
{
	for tool in gcc:gcc make:make setpriv:util-linux modprobe:kmod depmod:kmod; do
		command -v "${tool%:*}" >/dev/null || echo "${tool#*:}"
	done
	[ -e /usr/include/stdio.h ] || echo libc6-dev
	[ -z "$1" ] || host_has_driver || [ -n "$KDIR" ] ||
		[ -e "/lib/modules/$(uname -r)/build/Makefile" ] || echo "linux-headers-$(uname -r)"
}

# check_host HEADERS
check_host()
{
	lacks=$(host_lacks "$1" | sort -u | paste -s -d ' ')
	[ -n "$lacks" ] || exit 0
	[ ! -e /etc/debian_version ] ||
		die "as root, run: apt-get install $lacks; where apt has no headers of the running kernel, say with KDIR= where they are"
	die "this needs what Debian calls $lacks; KDIR= says where the headers of the running kernel are"
}

. scripts/lib/machine-host.sh
. scripts/lib/experiment.sh

# measured_host [PACKAGES]: where MACHINE is this one, it can be measured, and lacks none of these.
measured_host()
{
	[ "$MACHINE" = host ] || return 0
	refusal=$(host_refusal)
	[ -z "$refusal" ] || die "$refusal"
	[ -z "${1-}" ] || die "this needs the packages $1"
	check_host headers
}

# imports MODULES: the interpreter that Debian's packages are for has them.
imports()
{
	/usr/bin/python3 -c "import $1" 2>/dev/null
}

packages=
case ${1-} in
bundle | dkms)
	;;
scan)
	check_host ''
	;;
run | kselftest)
	[ "$1" != run ] || measured_host
	packages=$(machine_packages)
	;;
compare)
	! imports 'numpy, scipy' || compare=
	packages=$compare
	if is_setting "$A"; then
		measured_host "$compare"
		packages="$packages $(machine_packages)"
	fi
	;;
exercise)
	[ -z "$DRY" ] && [ -n "$VARY" ] || exit 0
	# Nothing is installed on a machine that is measured, and the page may be made elsewhere.
	measured_host
	imports 'matplotlib, numpy, scipy' || packages=$report
	packages="$packages $(machine_packages)"
	;;
report)
	imports 'matplotlib, numpy, scipy' || packages=$report
	;;
table)
	imports 'numpy' || packages=$report
	packages="$packages $source"
	;;
tree)
	packages=$source
	;;
series)
	packages="$source git"
	;;
modules)
	command -v dpkg-query >/dev/null || check_host headers
	packages=$modules
	;;
kunit | coverage | mutants)
	packages="$source $kernel"
	;;
check | all)
	[ "$1:${LIST-}" != check:1 ] || exit 0
	packages="$source $kernel $modules $image $bochs $qemu $debian $report $compare $checks"
	;;
*)
	die "no packages are known for \"${1-}\""
	;;
esac

missing=
for package in $packages; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
	case "$state $missing " in
	installed* | *" $package "*)
		;;
	*)
		missing="$missing $package"
		;;
	esac
done
[ -n "$missing" ] || exit 0

[ "$(id -u)" -eq 0 ] || die "packages are missing; as root, run: apt-get install$missing"

mkdir -p "$IDLE_LATENCY_CACHE/log"
log=$IDLE_LATENCY_CACHE/log/deps.log
printf '[deps] installing%s (log: %s)\n' "$missing" "$log"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list
if ! { apt-get update &&
	apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 $missing; } \
	>"$log" 2>&1 </dev/null; then
	tail -n 20 "$log" >&2
	die "cannot install the packages (log: $log)"
fi
# The emulator that was only installed now says which models it has.
exec scripts/check-variables.sh

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The driver by DKMS, in a copy of the root file system of a release of Debian: what "make
# dkms" makes, as a source tree and as a package, from the installation to the removal. One
# release; with LONG=1 both, and an upgrade to the kernel of backports between.
#
# Control: Nothing is installed before, and nothing is left after the removal.
# Takes: 60 s
. checks/lib/checks.sh

NAME=idle-latency/1.0
MODULES='idle_latency idle_latency_sim'

# in_release COMMAND...: in the copy.
in_release()
{
	in_copy "$TMP/$KERNEL" "$@"
}

# step NAME COMMAND...: one that has to succeed.
step()
{
	what=$1
	shift
	code=0
	in_release "$@" >"$TMP/step.log" 2>&1 || code=$?
	[ "$code" -eq 0 ] || tail -n 30 "$TMP/step.log"
	expect "dkms: $KERNEL: $what" [ "$code" -eq 0 ]
}

# modules RELEASE: the modules that are installed for it by DKMS.
modules()
{
	find "$TMP/$KERNEL/upper" -path "*/lib/modules/$1/updates/dkms/*" -type f \
		-name 'idle_latency*.ko*' -printf '%f\n' | sed 's/\.ko.*//' | sort | paste -s -d ' '
}

# left: what a removal has left of it.
left()
{
	find "$TMP/$KERNEL/upper" -type f \( -path '*/lib/modules/*/idle_latency*' \
		-o -path '*/usr/src/idle-latency*' -o -path '*/var/lib/dkms/idle-latency*' \)
}

# is_installed COUNT: for so many kernels, each with all modules.
is_installed()
{
	[ "$(in_release dkms status 2>/dev/null | grep -c "^$NAME, .*: installed")" -eq "$1" ] || return
	for directory in "$TMP/$KERNEL/upper"/usr/lib/modules/*/ "$TMP/$KERNEL/upper"/lib/modules/*/; do
		[ ! -d "$directory/updates/dkms" ] ||
			[ "$(modules "$(basename "$directory")")" = "$MODULES" ] || return
	done
}

# silent_lintian: it has nothing to say but that it runs as root.
silent_lintian()
{
	in_release sh -c 'lintian --allow-root --display-info --pedantic /srv/idle_latency/out/dkms/*.deb' \
		>"$TMP/lintian" 2>&1
	code=$?
	grep -v -i 'running lintian with root' "$TMP/lintian" && return 1
	return "$code"
}

upgrade()
{
	suite=$(debian_suite)-backports
	find_mirror
	echo "deb $SITE $suite main" >"$TMP/$KERNEL/upper/etc/apt/sources.list.d/backports.list"
	step 'an upgrade of the kernel' sh -c "apt-get update &&
		apt-get install -y --no-install-recommends -t $suite linux-image-amd64 linux-headers-amd64"
	expect "dkms: $KERNEL: the new kernel has the driver, too" is_installed 2
}

for KERNEL in debian-12 ${LONG:+debian-13}; do
	cache_lock
	update_root
	cache_unlock
	say dkms "$KERNEL"
	mkdir -p "$TMP/$KERNEL/upper/srv" "$TMP/$KERNEL/upper/etc/apt/sources.list.d"
	git clone -q . "$TMP/$KERNEL/upper/srv/idle_latency"
	step 'make dkms' make -C /srv/idle_latency dkms
	expect "dkms: $KERNEL: lintian is silent" silent_lintian

	step 'the source tree is added' sh -c 'dkms add /srv/idle_latency/out/dkms/idle-latency-1.0'
	step 'built' dkms build "$NAME" -k "$RELEASE"
	step 'installed' dkms install "$NAME" -k "$RELEASE"
	expect "dkms: $KERNEL: all modules are there" is_installed 1
	step 'removed' dkms remove "$NAME" --all
	rm -rf "$TMP/$KERNEL/upper/usr/src/idle-latency-1.0"
	silent "dkms: $KERNEL: nothing is left of it" left

	step 'the package is installed' sh -c 'dpkg -i /srv/idle_latency/out/dkms/*.deb'
	expect "dkms: $KERNEL: all modules of the package are there" is_installed 1
	[ -z "$LONG" ] || upgrade
	step 'the package is removed' dpkg --purge idle-latency-dkms
	silent "dkms: $KERNEL: nothing is left of the package" left
done
checks_end

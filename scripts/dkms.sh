#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Write a source tree that DKMS takes to out/dkms/, and build a Debian package of it there
# where the tools for that are.
set -eu
. scripts/lib/common.sh
. scripts/lib/external.sh

# Counts up when a package is to replace an older one.
VERSION=1.0

package=idle-latency-$VERSION
rm -rf out/dkms
mkdir -p out/dkms
external_source "out/dkms/$package"

# Who builds it, as far as git knows.
ident=$(git var GIT_AUTHOR_IDENT 2>/dev/null) || ident='built locally <nobody@example.org>'
maintainer="${ident%>*}>"

# fill FILE...: what is known only now.
fill()
{
	escaped=$(printf '%s\n' "$maintainer" | sed 's|[\\&/]|\\&|g')
	sed -i -e "s/@VERSION@/$VERSION/g" -e "s/@MAINTAINER@/$escaped/" "$@"
}

# build_package: from a copy of the source tree.
build_package()
{
	source=$TMP/$package
	cp -R "out/dkms/$package" dkms/debian "$TMP"
	mv "$TMP/debian" "$source"
	mv "$source/dkms.conf" "$source/debian/idle-latency-dkms.dkms"
	fill "$source/debian/control" "$source/debian/rules"
	(cd "$source" && find . -mindepth 1 -maxdepth 1 ! -name debian -printf "%P usr/src/$package\n") \
		>"$TMP/install"
	mv "$TMP/install" "$source/debian/install"
	cat >"$source/debian/changelog" <<-END
	idle-latency ($VERSION) unstable; urgency=medium

	  * Built from the repository of idle_latency.

	 -- $maintainer  $(date -R)
	END
	start_log dkms
	logged dkms env -C "$source" dpkg-buildpackage --build=binary --no-sign
	cp "$TMP"/*.deb out/dkms
}

cp dkms/dkms.conf "out/dkms/$package"
fill "out/dkms/$package/dkms.conf"
say dkms "for \"dkms add out/dkms/$package\""

if command -v dpkg-buildpackage >/dev/null && command -v dh_dkms >/dev/null; then
	build_package
	say dkms "for \"apt install ./out/dkms/$(basename out/dkms/*.deb)\""
else
	say dkms 'no Debian package: for that, install dpkg-dev, debhelper and dh-dkms'
fi

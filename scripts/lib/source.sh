# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What is downloaded from the mirror that apt uses already; and the kernel that
# the series is applied to: Debian's source package, or the tree given as KDIR.

# codename: of the Debian release of this machine.
codename()
{
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# find_mirror: set SITE to the address of the Debian mirror in apt's configuration.
find_mirror()
{
	# shellcheck disable=SC2016 # expanded by apt
	SITE=$(apt-get indextargets --format '$(SITE)|$(ORIGIN)|$(CODENAME)|$(COMPONENT)' \
		'Created-By: Packages' |
		sed -n "s/|Debian|$(codename)|main\$//p" | sed 1q)
	[ -n "$SITE" ] ||
		die 'apt knows no Debian mirror of this release; run "apt-get update" as root'
}

# apt_private COMMAND...: apt that knows nothing but what apt_begin told it, and
# leaves the configuration of the machine alone.
apt_private()
{
	command=$1
	shift
	"$command" -o Dir::Etc::SourceList="$CACHE/apt/sources.list" \
		-o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$CACHE/apt/lists" \
		-o Dir::Cache="$CACHE/apt/cache" \
		-o APT::Architecture="$APT_ARCHITECTURE" \
		-o APT::Architectures="$APT_ARCHITECTURE" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

# apt_begin SUITE ARCHITECTURE [deb-src]: read the list of its packages, or of its
# source packages, from the mirror.
apt_begin()
{
	APT_ARCHITECTURE=$2
	find_mirror
	start_log source
	progress source "reading the package list of $1, $2 (log: $CACHE/log/source.log)"
	rm -rf "$CACHE/apt"
	mkdir -p "$CACHE/apt/lists/partial" "$CACHE/apt/cache/archives/partial"
	printf '%s [signed-by=%s] %s %s main\n' "${3:-deb}" \
		/usr/share/keyrings/debian-archive-keyring.gpg "$SITE" "$1" \
		>"$CACHE/apt/sources.list"
	apt_private apt-get update >>"$CACHE/log/source.log" 2>&1 ||
		die "cannot read $1 from the mirror (log: $CACHE/log/source.log)"
}

# apt_download_source DIR PACKAGE: its source package.
apt_download_source()
{
	(
		cd "$1"
		apt_private apt-get source --download-only "$2" >>"$CACHE/log/source.log" 2>&1
	) || die "cannot download the source of $2 (log: $CACHE/log/source.log)"
}

apt_end()
{
	rm -r "$CACHE/apt"
}

# debian_source NAME SUITE PACKAGE TEXT: set DEBIAN_SOURCE to the directory of the source package,
# which the cache has as NAME-source. What it has is used without asking the mirror.
debian_source()
{
	DEBIAN_SOURCE=$CACHE/$1-source
	if ! entry_valid contents "$DEBIAN_SOURCE"; then
		mkdir -p "$TMP/$1-source/files"
		apt_begin "$2" "$(dpkg --print-architecture)" deb-src
		progress "$1" "downloading the source of $4"
		apt_download_source "$TMP/$1-source/files" "$3"
		apt_end
		entry_finish contents "$TMP/$1-source" "$DEBIAN_SOURCE"
	fi
	DEBIAN_SOURCE=$DEBIAN_SOURCE/files
}

# download_source DIR: put linux.tar.xz there, and the name of its package.
download_source()
{
	apt_begin trixie-backports "$(dpkg --print-architecture)"
	package=$(apt_private apt-cache pkgnames linux-source-7. | sort -V |
		grep -E -m 1 '^linux-source-7\.([3-9]|[1-9][0-9]+)$') ||
		die 'the mirror has no linux-source-7.3 or newer; give a kernel tree as KDIR='

	progress source "downloading $package, 170 MB"
	(
		cd "$1"
		apt_private apt-get download "$package" >>"$CACHE/log/source.log" 2>&1
	) || die "cannot download $package (log: $CACHE/log/source.log)"
	apt_end
	basename "$1"/*.deb .deb >"$1/package"
	dpkg-deb --fsys-tarfile "$1"/*.deb >"$TMP/package.tar"
	tar -xOf "$TMP/package.tar" "./usr/src/$package.tar.xz" >"$1/linux.tar.xz"
	rm -r "$1"/*.deb "$TMP/package.tar"
}

# name_source: the names of what is in the cache.
name_source()
{
	BASE_ID=$(cat "$CACHE/download/files/package")
	BASE=$CACHE/source/$BASE_ID
}

# package_source: set BASE to the unpacked source package, and BASE_ID to its
# version. What the cache has is used without asking the mirror.
package_source()
{
	if ! entry_valid contents "$CACHE/download"; then
		mkdir -p "$TMP/download/files"
		download_source "$TMP/download/files"
		entry_finish contents "$TMP/download" "$CACHE/download"
	fi
	name_source
	if ! entry_valid listing "$BASE"; then
		progress source "unpacking $BASE_ID"
		mkdir -p "$TMP/source/files"
		tar -C "$TMP/source/files" --strip-components=1 --use-compress-program='xz -T0' \
			-xf "$CACHE/download/files/linux.tar.xz"
		entry_finish listing "$TMP/source" "$BASE"
	fi
	BASE=$BASE/files
}

# own_source: the same for the tree that the user gave.
own_source()
{
	BASE=$(realpath "$KDIR")
	for file in Kbuild MAINTAINERS drivers/cpuidle/cpuidle.c; do
		[ -f "$BASE/$file" ] ||
			die "KDIR=$KDIR is not the source of a kernel: it has no $file"
	done
	BASE_ID=$(listing "$BASE" | sha256sum | cut -c 1-16)
}

# cached_source: the same as find_source, if nothing has to be done for it.
cached_source()
{
	if [ -n "$KDIR" ]; then
		own_source
		return
	fi
	entry_intact contents "$CACHE/download" && name_source &&
		entry_intact listing "$BASE" || return
	BASE=$BASE/files
}

# find_source: set BASE to the source, and BASE_ID to its version. The lock must be held.
find_source()
{
	cached_source || package_source
}

# get_source: the same for who has no lock.
get_source()
{
	cached_source && return
	cache_lock
	find_source
	cache_unlock
}

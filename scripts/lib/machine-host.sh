# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The machine that make runs on, with its running kernel.

# host_run DIR COMMAND...: build the selftests and run a command of theirs, with
# DIR/out for its files. Returns its exit code.
host_run()
{
	[ -e /dev/idle_latency ] ||
		die 'no /dev/idle_latency: build the driver for this kernel with "make modules" and load it'
	[ "$(id -u)" -eq 0 ] || die 'measuring this machine needs root'

	cache_lock
	find_source
	make_overlay
	update_tree
	start_log host
	say host "building the selftests (log: $CACHE/log/host.log)"
	install_selftests "$TMP/host" "$1/kselftest" host
	cache_unlock

	mkdir -p "$1/out"
	(cd "$1/kselftest" && shift && "$@")
}

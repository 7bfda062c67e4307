# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Messages, logs, temporary files and the cache. Sourced by every script that
# is run by the Makefile, in the root of the repository.

: "${IDLE_LATENCY_CACHE:?is not set; run this through make}"

CACHE=$IDLE_LATENCY_CACHE
mkdir -p "$CACHE/log" "$CACHE/tmp"

# The variables given to make must not reach the makefiles of the kernel.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
unset ARCH CROSS_COMPILE KBUILD_OUTPUT LLVM KCFLAGS KCPPFLAGS KAFLAGS SHELLCHECK_OPTS

export LC_ALL=C

say()
{
	step=$1
	shift
	printf '[%s] %s\n' "$step" "$*"
}

# progress STEP TEXT: the same of what takes minutes. It is shown on
# IDLE_LATENCY_PROGRESS, too, a file descriptor, for who does not see the output of the script.
progress()
{
	say "$@"
	[ -z "${IDLE_LATENCY_PROGRESS-}" ] || say "$@" >&"$IDLE_LATENCY_PROGRESS"
}

die()
{
	die_with 1 "$@"
}

# die_with CODE TEXT...
die_with()
{
	code=$1
	shift
	printf 'idle_latency: %s\n' "$*" >&2
	exit "$code"
}

# A directory of this run, on the file system of the cache, removed at the end.
# Processes that the script leaves in the background end with it.
# Those of runs that were killed go when nothing was written to them for a day.
find "$CACHE/tmp" -mindepth 1 -maxdepth 1 -mmin +1440 -exec sh -c \
	'[ -n "$(find "$1" -mmin -1440 -print -quit)" ] || rm -rf "$1"' sh {} \;
TMP=$(mktemp -d "$CACHE/tmp/run.XXXXXX")
BACKGROUND=

clean_up()
{
	# shellcheck disable=SC2086 # a list
	[ -z "$BACKGROUND" ] || kill $BACKGROUND 2>/dev/null || true
	rm -rf "$TMP"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# logged STEP COMMAND...: run a command with its output in a log, and show the
# end of the log when it fails.
logged()
{
	log=$CACHE/log/$1.log
	shift
	if ! "$@" >>"$log" 2>&1; then
		tail -n 30 "$log" >&2
		die "failed: $* (log: $log)"
	fi
}

# start_log STEP: begin its log anew.
start_log()
{
	: >"$CACHE/log/$1.log"
}

hash_text()
{
	printf '%s\n' "$@" | sha256sum | cut -c 1-16
}

# One run at a time changes the cache. What is in it already is used without the lock.
cache_lock()
{
	exec 9>"$CACHE/lock"
	if ! flock -n 9; then
		progress cache 'another run is building; waiting for it'
		flock 9
	fi
}

cache_unlock()
{
	exec 9>&-
}

# An entry of the cache is a directory with files/ and a stamp that describes
# them, made in one rename. KIND says how: "contents" for what is used as it is,
# "listing" (name, size, time, mode) for the large source trees.
contents()
{
	(
		cd "$1" || exit
		find . ! -type d ! -type f -printf '%P %l\n' | sort
		find . -type f -print0 | sort -z | xargs -0r sha256sum
	)
}

listing()
{
	find "$1" ! -type d -printf '%P %s %T@ %m %l\n' | sort
}

# The checks of a run share IDLE_LATENCY_SEEN, a directory that has what each of them would make or
# find out again; a script that runs by itself has its own.

# once FILE COMMAND...: make it with the command, which gets its name as the last argument.
once()
{
	made=$1
	shift
	[ ! -e "$made" ] || return 0
	mkdir -p "${made%/*}"
	"$@" "$made.$$"
	mv "$made.$$" "$made"
}

# entry_intact KIND DIR: the entry is there and nothing happened to it. Where it is shared that it was
# intact, it is not looked at again: to look at 100000 files takes seconds.
entry_intact()
{
	[ -f "$2/stamp" ] && [ -d "$2/files" ] || return
	seen=${IDLE_LATENCY_SEEN:+$IDLE_LATENCY_SEEN/$(hash_text "$2")}
	[ -z "$seen" ] || [ -z "$(find "$seen" -newer "$2/stamp" 2>/dev/null)" ] || return 0
	"$1" "$2/files" >"$TMP/stamp" && cmp -s "$TMP/stamp" "$2/stamp" || return
	[ -z "$seen" ] || : >"$seen"
}

# entry_valid KIND DIR: the same. Says so when something happened, and removes it: the
# lock of the cache must be held.
entry_valid()
{
	[ -e "$2" ] || return 1
	! entry_intact "$1" "$2" || return 0
	progress cache "$2 is damaged or incomplete; building it again"
	rm -rf "$2"
	return 1
}

# entry_finish KIND TEMPORARY DIR: make TEMPORARY, which has files/, the entry.
entry_finish()
{
	"$1" "$2/files" >"$2/stamp"
	mkdir -p "${3%/*}"
	rm -rf "$3"
	mv "$2" "$3"
}

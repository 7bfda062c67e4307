#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# series.sh [DIR]: write the patch series to DIR, out/series, with the name and address that git has.
# What is in which patch is in series/, and scripts/lib/series.py cuts.
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/tree.sh

git var GIT_AUTHOR_IDENT >/dev/null 2>&1 ||
	die 'git does not know who signs off: set user.name and user.email'

series_git()
{
	git -C "$TMP/series" "$@"
}

get_source
make_overlay
git init --quiet --initial-branch series "$TMP/series"
series_git config user.name "$(git var GIT_AUTHOR_IDENT | sed 's/ <.*//')"
series_git config user.email "$(git var GIT_AUTHOR_IDENT | sed 's/.*<\(.*\)>.*/\1/')"
python3 -B scripts/lib/series.py cut "$BASE" "$OVERLAY" "$TMP/series"

out=$(realpath -m "${1:-out/series}")
rm -rf "$out"
before=base
for cover in series/*/cover-letter.txt; do
	name=$(basename "${cover%/*}")
	mkdir -p "$out/$name"
	series_git checkout --quiet -B series "$name"
	series_git config branch.series.description "$(cat "$cover")"
	series_git format-patch --quiet --cover-letter --cover-from-description=subject \
		--output-directory "$out/$name" "$before"
	before=$name
done
ls "$out"/*/*.patch

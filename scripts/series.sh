#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Write the patch series to out/series/, with the name and address that git has.
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

# add_folder FOLDER: where it belongs in the kernel tree.
add_folder()
{
	case $1 in
	kunit)
		target=drivers/idle_latency/tests
		;;
	*)
		target=$1
		;;
	esac
	mkdir -p "$TMP/series/$target"
	cp -R "$1/." "$TMP/series/$target"
}

# commit_patch NAME: the hunks, the folders and the message of one patch.
commit_patch()
{
	patch -d "$TMP/series" -p1 --no-backup-if-mismatch --forward --silent \
		<"series/hunks/$1.patch" || die "series/hunks/$1.patch does not apply to $BASE"
	folders=$(sed -n 's/^Folders://p' "series/messages/$1.txt")
	for folder in $folders; do
		add_folder "$folder"
	done
	sed 1d "series/messages/$1.txt" >"$TMP/message"
	series_git add --all
	series_git commit --quiet --signoff --file "$TMP/message"
}

cache_lock
find_source
git init --quiet --initial-branch series "$TMP/series"
series_git config user.name "$(git var GIT_AUTHOR_IDENT | sed 's/ <.*//')"
series_git config user.email "$(git var GIT_AUTHOR_IDENT | sed 's/.*<\(.*\)>.*/\1/')"
for file in $(hunk_files); do
	[ ! -f "$BASE/$file" ] || (cd "$BASE" && cp --parents "$file" "$TMP/series")
done
cache_unlock
series_git add --all
series_git commit --quiet --message base
series_git tag base

for message in series/messages/*.txt; do
	commit_patch "$(basename "$message" .txt)"
done

rm -rf out/series
mkdir -p out/series
series_git config branch.series.description "$(cat series/cover-letter.txt)"
series_git format-patch --quiet --cover-letter --cover-from-description=subject \
	--output-directory "$PWD/out/series" base
ls out/series/*.patch

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The kernel tree with the series applied: the source (lib/source.sh), our
# folders, and the hunks to existing files.

# What a build leaves in a tree, as patterns of rsync; not taken over from KDIR.
build_products()
{
	cat <<-END
	/.git
	/.config*
	/vmlinux*
	/System.map
	/Module.symvers
	/include/config
	/include/generated
	/arch/*/include/generated
	modules.order
	.*.cmd
	*.o
	*.a
	*.ko
	*.mod
	*.mod.c
	END
}

# name_sender FILE: who would send the series is its maintainer, as git knows them. A tree
# without git has no maintainer.
name_sender()
{
	sender=$(git var GIT_AUTHOR_IDENT 2>/dev/null | sed 's/>.*/>/; s/[&|\\]/\\&/g') || true
	if [ -n "$sender" ]; then
		sed -i "s|@SENDER@|$sender|" "$1"
	else
		sed -i '/@SENDER@/d' "$1"
	fi
}

# hunk_files: the files that the hunks touch, sorted.
hunk_files()
{
	sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' series/hunks/*.patch | sort -u
}

# make_overlay: set OVERLAY to a directory with every file of the series, as it
# must be in the tree, TREE_ID to the identity of what kernels are built from, and SELFTESTS_ID to
# that of what selftests are: who edits the documents or the tools builds none of them again, and
# who edits the driver no selftests.
make_overlay()
{
	OVERLAY=$TMP/overlay
	rm -rf "$OVERLAY"
	mkdir -p "$OVERLAY/drivers/idle_latency"
	cp -R arch drivers include tools Documentation "$OVERLAY"
	cp -R kunit "$OVERLAY/drivers/idle_latency/tests"

	for file in $(hunk_files); do
		[ ! -f "$BASE/$file" ] || (cd "$BASE" && cp --parents "$file" "$OVERLAY")
	done
	start_log tree
	# In the order of the patches, as one may change what another one adds.
	for hunk in $(sed -n 's/^Hunk: //p' series/*/[0-9]*.txt) lists; do
		hunk=series/hunks/$hunk.patch
		patch -d "$OVERLAY" -p1 --no-backup-if-mismatch --forward \
			<"$hunk" >>"$CACHE/log/tree.log" 2>&1 ||
			die "$hunk does not apply to $BASE (log: $CACHE/log/tree.log)"
	done
	contents "$OVERLAY" >"$TMP/overlay-contents"
	# shellcheck disable=SC2034 # used in lib/kernel.sh
	TREE_ID=$(hash_text "$BASE_ID" \
		"$(grep -v -e ' \./Documentation/' -e ' \./tools/power/' "$TMP/overlay-contents")")
	# shellcheck disable=SC2034 # used in lib/kernel.sh
	SELFTESTS_ID=$(hash_text "$BASE_ID" \
		"$(grep -E '/uapi/| \./tools/(include|testing)/' "$TMP/overlay-contents")")
	# No kernel is another one because of it.
	name_sender "$OVERLAY/MAINTAINERS"
}

# prepare_tree: all of that. The lock of the cache must be held.
prepare_tree()
{
	find_source
	make_overlay
	update_tree
}

# update_tree: set TREE to the prepared tree, brought up to date. Only what
# differs is touched, so that make rebuilds only that; rsync also repairs what
# was damaged. Trees are apart by the files in hunks, because a file that no
# hunk touches any more gets back a date that make would not notice. TREE_FOR, where it is set, says
# who has one of its own.
#
# The lock of the cache must be held.
update_tree()
{
	if [ -n "$KDIR" ]; then
		TREE=$CACHE/tree/$(hash_text "$BASE${TREE_FOR-}" "$(hunk_files)")
		set -- --exclude-from="$TMP/products"
		build_products >"$TMP/products"
	else
		TREE=$CACHE/tree/$(hash_text "$BASE_ID${TREE_FOR-}" "$(hunk_files)")
		set -- --link-dest="$BASE/"
	fi
	say tree "${KDIR:-$BASE_ID} with the series applied"
	mkdir -p "$TREE"
	(cd "$OVERLAY" && find . ! -type d -printf '/%P\n') >"$TMP/overlay-files"
	logged tree rsync -a --delete --exclude-from="$TMP/overlay-files" "$@" "$BASE/" "$TREE/"
	logged tree rsync -rlp --checksum "$OVERLAY/" "$TREE/"
}

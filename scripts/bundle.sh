#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Pack the results in OUT into OUT.tar.gz, to be sent to others: without what identifies the
# machine or its user.
set -eu
. scripts/lib/common.sh

[ -f "$OUT/summary.csv" ] ||
	die "there are no results in $OUT: run \"make run MACHINE=host\" first, or say with OUT= where they are"

# Of the command line of the kernel, the values of these have to do with idle states, time,
# interrupts and the CPU; of all others, the name is kept only.
CONCERNS='idle|cpuidle|intel_idle|processor|intel_pstate|amd_pstate|nohz|nohz_full|isolcpus|rcu_nocbs|tsc|clocksource|hpet|mitigations|maxcpus|nr_cpus|nosmt|pcie_aspm|preempt|threadirqs|lapic|apic|acpi|skew_tick'

# of_concern: the line "command line:" of environment.txt or scan.txt. Quoted values may have
# blanks, and what comes after "--" is for the first process.
of_concern()
{
	awk -v concerns="^($CONCERNS)([._][A-Za-z0-9_]*)*=" '
		function shown(word) {
			if (word ~ concerns || word !~ /=/)
				return word
			sub(/=.*/, "=...", word)
			return word
		}
		!/^command line: / { print; next }
		{
			rest = substr($0, length("command line: ") + 1)
			line = ""
			while (match(rest, /^ *([^ "]|"[^"]*("|$))+/)) {
				word = substr(rest, 1, RLENGTH)
				rest = substr(rest, RLENGTH + 1)
				sub(/^ */, "", word)
				if (word == "--")
					break
				line = line " " shown(word)
			}
			print "command line:" line
		}'
}

# without_identity: replace what is unique to a machine: names, addresses, UUIDs, serial numbers.
without_identity()
{
	host=$(uname -n | sed 's/[^A-Za-z0-9_-]/\\&/g')
	hex='[0-9a-fA-F]'
	sed -E \
		-e "s/($hex{1,4}:)*$hex{1,4}::($hex{1,4}:)*($hex{1,4})?/ADDRESS/g" \
		-e "s/\b($hex{2}:){5}$hex{2}\b/MAC/g" \
		-e "s/\benx$hex{12}\b/enxMAC/g" \
		-e "s/\b$hex{8}(-$hex{4}){3}-$hex{12}\b/UUID/g" \
		-e '/^BIOS version: /!s/\b([0-9]{1,3}\.){3}[0-9]{1,3}\b/ADDRESS/g' \
		-e "s/\b($hex{1,4}:){3,7}$hex{1,4}\b/ADDRESS/g" \
		-e "s/(\b|_)((serial|asset)[ _-]?(number|no\.?|tag)?|service[ _-]?tag|s\/n)(\"?[ :=#]+\"?)[a-z0-9][a-z0-9._-]*/\1\2\5SERIAL/gI" \
		-e "s/\b$host\b/HOST/gI" \
		-e "s/\b${host%%\\.*}\b/HOST/gI"
}

name=${OUT##*/}
mkdir -p "$TMP/packed/$name"
for file in summary.csv datapoints.csv discards.csv sweep.csv statistics.csv energy.csv residency.csv \
	environment.txt scan.txt truth.csv; do
	[ ! -f "$OUT/$file" ] || of_concern <"$OUT/$file" | without_identity >"$TMP/packed/$name/$file"
done
tar -C "$TMP/packed" --owner=0 --group=0 --numeric-owner -czf "$TMP/bundle" "$name"
mv "$TMP/bundle" "$OUT.tar.gz"
tar -tf "$OUT.tar.gz"
say bundle "packed into $OUT.tar.gz; look at environment.txt and scan.txt in it before you send it"

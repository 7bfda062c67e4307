#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Pack the results in OUT into OUT.tar.xz, to be sent to others: without what identifies the
# machine or its user.
set -eu
. scripts/lib/common.sh

[ -f "$OUT/summary.csv" ] ||
	die "there are no results in $OUT: run \"make run MACHINE=host\" first, or say with OUT= where they are"

# of_no_concern: of the command line of the kernel the names only, but for what has to do
# with idle states, time, interrupts and the CPU.
of_no_concern()
{
	awk '
		!/^command line: / { print; next }
		{
			for (i = 3; i <= NF; i++) {
				if ($i ~ /=/ && $i !~ /^(idle|cpuidle|intel_idle|processor|intel_pstate|amd_pstate|nohz|nohz_full|isolcpus|rcu_nocbs|tsc|clocksource|hpet|mitigations|maxcpus|nr_cpus|nosmt|pcie_aspm|preempt|threadirqs|lapic|apic|acpi|skew_tick)[._a-z]*=/)
					sub(/=.*/, "=...", $i)
			}
			print
		}'
}

# without_identity: replace what is unique to a machine: names, addresses, UUIDs.
without_identity()
{
	host=$(uname -n | sed 's/\./\\./g')
	sed -E \
		-e 's/([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}/MAC/g' \
		-e 's/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/UUID/g' \
		-e 's/\b([0-9]{1,3}\.){3}[0-9]{1,3}\b/ADDRESS/g' \
		-e "s/(^|[^A-Za-z0-9])$host([^A-Za-z0-9]|\$)/\\1HOST\\2/g"
}

name=${OUT##*/}
mkdir -p "$TMP/$name"
for file in summary.csv datapoints.csv; do
	cp "$OUT/$file" "$TMP/$name"
done
for file in environment.txt scan.txt truth.csv; do
	[ ! -f "$OUT/$file" ] || of_no_concern <"$OUT/$file" | without_identity >"$TMP/$name/$file"
done
tar -C "$TMP" --owner=0 --group=0 --numeric-owner -cJf "$OUT.tar.xz" "$name"
tar -tf "$OUT.tar.xz"
say bundle "packed into $OUT.tar.xz; look at environment.txt and scan.txt in it before you send it"

#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0
#
# awk -v khz=KHZ -f in_ns.awk FILE: a CSV file whose columns NAME_tsc and NAME_cyc, in cycles
# of a TSC of that rate, are NAME_ns. Of an emulated machine a time is exact: it is a whole
# number of ns, and from 2 GHz on the last cycle before it began less than half a ns before.
BEGIN {
	FS = OFS = ","
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		if (sub(/_(tsc|cyc)$/, "_ns", $i))
			in_cycles[i]
}

NR > 1 {
	for (i in in_cycles)
		if ($i != "")
			$i = sprintf("%.0f", $i / khz * 1000000)
}

{
	print
}

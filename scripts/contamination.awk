# SPDX-License-Identifier: GPL-2.0
#
# Judge the times of simulated states, whose names say their actual latency in
# ns, measured without and with disturbances. Takes datapoints.csv of both, with
# run= quiet or disturbed before each.
#
# Prints PASS or FAIL and the figure, one line each.

BEGIN {
	FS = ","
	# One turn of the loops in which a simulated state waits and spins.
	slack = 50
}

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " contamination: " name ": " figure
}

FNR > 1 {
	states[$4]
	key = run " " $4
	if (!(key in least) || $9 < least[key])
		least[key] = $9
	if (!(key in most) || $9 > most[key])
		most[key] = $9
	count[key]++
}

END {
	for (state in states) {
		measured++
		quiet = "quiet " state
		disturbed = "disturbed " state
		judge("samples of " state, count[quiet] == 2000 && count[disturbed] == 2000,
		      count[quiet] + 0 " and " count[disturbed] + 0 ", must be 2000 each")
		judge("minimum of " state, least[disturbed] >= substr(state, 3) + 0,
		      least[disturbed] " ns with disturbances, must not be less than it takes")
		judge("maximum of " state, most[disturbed] <= most[quiet] + slack,
		      most[disturbed] " ns with disturbances, must be at most " \
		      most[quiet] " + " slack)
	}
	judge("states measured", measured == 2, measured + 0 ", must be 2")
}

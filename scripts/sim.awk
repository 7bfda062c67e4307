# SPDX-License-Identifier: GPL-2.0
#
# Judge what was measured of simulated states, whose names say their actual
# latency in ns, NS500 for example. Takes datapoints.csv of all of them by the
# stamps around enter and by the probe, sorted by stamp, state and wake_ns.
#
# Prints PASS or FAIL and the figure, one line each.

BEGIN {
	# What the instructions around the stamps add, 2 ns each: a turn of the loop that
	# looks for an interrupt and of the one that spins, and the return from ->enter(),
	# some 50 in all; for the probe also the way to the tracepoint, some 85.
	bound["enter"] = 120
	bound["probe"] = 300
}

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " sim: " name ": " figure
}

# Nearest rank: the smallest value with at least that share of the values not
# above it.
function quantile(key, share,    rank)
{
	rank = share * count[key]
	return value[key, int(rank) + (rank > int(rank))]
}

{
	key = $1 " " $2
	value[key, ++count[key]] = $3
}

END {
	for (key in count) {
		split(key, part, " ")
		stamp = part[1]
		states[stamp]++
		constant = quantile(key, 0.5) - substr(part[2], 3)
		if (!(stamp in least) || constant < least[stamp])
			least[stamp] = constant
		if (!(stamp in most) || constant > most[stamp])
			most[stamp] = constant
		spread = quantile(key, 0.99) - quantile(key, 0.01)
		if (spread > widest)
			widest = spread
	}
	judge("states measured", states["enter"] == 9 && states["probe"] == 9,
	      states["enter"] + 0 " and " states["probe"] + 0 ", must be 9 and 9")
	for (stamp in states)
		judge("median - actual, stamp " stamp,
		      least[stamp] >= 0 && most[stamp] <= bound[stamp],
		      least[stamp] " to " most[stamp] " ns, must be 0 to " bound[stamp])
	judge("p99 - p1", states["enter"] && widest <= 200,
	      widest + 0 " ns at most, must be <= 200")
}

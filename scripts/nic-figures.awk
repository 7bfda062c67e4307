# SPDX-License-Identifier: GPL-2.0
#
# Judge what was measured of simulated states, whose names say their actual
# latency in ns, NS500 for example. Takes summary.csv with run=steady before it, by
# all three sources; and those of cards whose clock runs fast and slow, with
# run=fast and run=slow.
#
# Prints PASS or FAIL and the figure, one line each.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " nic: " name ": " figure
}

function apart(a, b)
{
	return a > b ? a - b : b - a
}

# How far the medians of a method or run are from those of nic, at most.
function farthest(other,    state, most)
{
	for (state in states)
		if ((other, state) in median &&
		    apart(median[other, state], median["steady nic", state]) > most)
			most = apart(median[other, state], median["steady nic", state])
	return most + 0
}

BEGIN {
	FS = ","
	# As by hrt, see sim.awk, and at most two more turns of the loop that looks for an
	# interrupt, of 16 instructions of 2 ns each: it looks for that of a card last.
	turns = 2 * 32
	bound = 120 + turns
}

FNR > 1 && $13 != "" {
	rows[run " " $5]++
	states[$7]
	median[run " " $5, $7] = $13
}

END {
	judge("states measured", rows["steady hrt"] == 9 && rows["steady tdt"] == 9 &&
	      rows["steady nic"] == 9 && rows["fast nic"] == 3 && rows["slow nic"] == 3,
	      rows["steady nic"] + 0 ", must be 9 by each source, and 3 with other clocks")
	for (state in states) {
		constant = median["steady nic", state] - substr(state, 3)
		if (least == "" || constant < least)
			least = constant
		if (most == "" || constant > most)
			most = constant
	}
	judge("median - actual", least != "" && least >= 0 && most <= bound,
	      least " to " most " ns, must be 0 to " bound)
	judge("against hrt", farthest("steady hrt") <= turns,
	      farthest("steady hrt") " ns, must be <= " turns)
	judge("against tdt", farthest("steady tdt") <= turns,
	      farthest("steady tdt") " ns, must be <= " turns)
	judge("clock of the card 100 ppm fast", farthest("fast nic") <= 20,
	      farthest("fast nic") " ns, must be <= 20")
	judge("clock of the card 100 ppm slow", farthest("slow nic") <= 20,
	      farthest("slow nic") " ns, must be <= 20")
}

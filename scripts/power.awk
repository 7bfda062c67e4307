# SPDX-License-Identifier: GPL-2.0
#
# Judge the energy that the emulated processor says it took, by its log. Takes truth.csv
# of one CPU, and then pairs of TSC and register, with domain=package or cores; these
# with power="HINT=MW ... awake=MW uncore=MW". With domain=updates, how often the
# register changes is judged instead.
#
# Prints PASS or FAIL and the figure, one line each.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " power: " domain ": " name ": " figure
}

# How much of a period lies between the first and the last reading.
function overlap(begin, end)
{
	if (begin < tsc[1])
		begin = tsc[1]
	if (end > tsc[readings])
		end = tsc[readings]
	return end > begin ? end - begin : 0
}

# In mW times ns: a CPU is awake but while it is idle and has not been woken, and what
# is beside the cores draws nothing while the package sleeps.
function energy(    i, sum, asleep)
{
	sum = (mw["awake"] + mw["uncore"]) * (tsc[readings] - tsc[1])
	for (i = 1; i <= periods; i++) {
		asleep = overlap(enter[i], event[i])
		sum -= asleep * (mw["awake"] - mw[hint[i]])
		if (package[i] != "PC0")
			sum -= asleep * mw["uncore"]
	}
	return sum
}

function judge_energy(    i, counted, wraps, expected, off)
{
	for (i = 2; i <= readings; i++) {
		counted += value[i] - value[i - 1]
		if (value[i] < value[i - 1]) {
			counted += 2 ^ 32
			wraps++
		}
	}
	# Of the 3770K, bits 12 to 8 of MSR_RAPL_POWER_UNIT are 16: the unit is 2^-16 J.
	counted = counted / 2 ^ 16
	expected = energy() / 1e12
	off = (counted - expected) / ((mw["awake"] + mw["uncore"]) / 1e3)
	judge("energy", readings > 1 && off < 0.001 && off > -0.001,
	      sprintf("%.4f J in %.3f s, off by %.3f ms of the highest power, must be < 1",
		      counted, (tsc[readings] - tsc[1]) / 1e9, off * 1e3))
	if (domain == "package")
		judge("the register wraps", wraps == 1, wraps + 0 " times, must be 1")
}

# 976562 ns apart, each being late by up to 50 us, and noticed with the next reading.
# Where that is more than 10 us after the one before, the update is left out.
function judge_updates(    i, gap, changed, updates, least, most)
{
	for (i = 2; i <= readings; i++) {
		if (value[i] == value[i - 1])
			continue
		gap = tsc[i] - changed
		if (tsc[i] - tsc[i - 1] > 10000) {
			changed = 0
			continue
		}
		if (changed && (!updates++ || gap < least))
			least = gap
		if (changed && gap > most)
			most = gap
		changed = tsc[i]
	}
	judge("updates", updates >= 10 && most - least > 20000 && \
	      least >= 976562 - 60000 && most <= 976562 + 60000,
	      updates + 0 " of them, " least " to " most " ns apart")
}

BEGIN {
	for (i = split(power, pairs, " "); i; i--) {
		split(pairs[i], pair, "=")
		mw[pair[1]] = pair[2]
	}
}

FNR == 1 {
	file++
}

file == 1 && FNR > 1 {
	split($0, field, ",")
	hint[++periods] = field[2]
	enter[periods] = field[3]
	event[periods] = field[4]
	package[periods] = field[7]
}

# Not from the first one on, before which the CPU was awake: what it took since the last
# update before a reading is not in that.
file == 2 && FNR > 1 {
	tsc[++readings] = $1
	value[readings] = $2
}

END {
	if (domain == "updates")
		judge_updates()
	else
		judge_energy()
}

# SPDX-License-Identifier: GPL-2.0
#
# Judge the figures that the measurement must reach on the 3770K, where a tick
# is 1 ns. Takes the CSV files of scripts/figures.sh, with run= before each:
#
#   enter, probe             summary.csv of every method and state, by stamp
#   rate-long, rate-short    datapoints.csv of one method in C1
#
# Prints PASS or FAIL and the figure, the worst of all rows, one line each.

function note_worst(figure, value)
{
	value = value == "" ? 1e18 : value + 0
	if (figure in worst && worst[figure] >= value)
		return
	worst[figure] = value
	where[figure] = $(column["method"]) " " $(column["state"])
}

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " figure: " name ": " figure
}

function at_most(name, figure, bound)
{
	judge(name, figure in worst && worst[figure] <= bound,
	      worst[figure] " ns in " where[figure] ", must be <= " bound)
}

function at_least(name, value, bound)
{
	judge(name, value >= bound, int(value) ", must be >= " bound)
}

function rate(name)
{
	return last[name] > first[name] ? \
		(count[name] - 1) * 1e9 / (last[name] - first[name]) : 0
}

BEGIN {
	FS = ","
}

FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

run == "enter" || run == "probe" {
	rows[run]++
	if ($(column["stamp"]) != run)
		strays++
	note_worst(run " median", $(column["median_ns"]))
	note_worst(run " spread", $(column["max_ns"]) == "" ? "" : \
		   $(column["max_ns"]) - $(column["min_ns"]))
	note_worst(run " intr", $(column["intr_median_ns"]))
}

run == "enter" {
	declared[$(column["method"])] = \
		declared[$(column["method"])] " " $(column["declared_ns"])
	valid = $(column["valid"]) + 0
	if (rows[run] == 1 || valid < fewest)
		fewest = valid
}

run ~ /^rate/ {
	if (!count[run]++)
		first[run] = $(column["ltime_ns"])
	last[run] = $(column["ltime_ns"])
}

END {
	judge("rows of both methods and four states, by stamp",
	      rows["enter"] == 8 && rows["probe"] == 8 && !strays,
	      rows["enter"] + 0 " and " rows["probe"] + 0 ", must be 8 and 8")
	judge("declared_ns", declared["hrt"] == " 1000 10000 59000 80000" && \
	      declared["tdt"] == declared["hrt"],
	      "hrt" declared["hrt"] ", tdt" declared["tdt"])
	at_most("WakeLatency median, stamps around enter", "enter median", 16)
	at_most("WakeLatency median, cpu_idle probe", "probe median", 115)
	at_most("WakeLatency spread, stamps around enter", "enter spread", 16)
	# With the tick stopped, tick_nohz_irq_enter() reads the clock and updates jiffies
	# before the handler runs: 51 ns more than the 555 that hold while it goes on.
	at_most("IntrLatency median", "enter intr", 606)
	at_least("valid samples per method and state", fewest, 5000)
	at_least("samples per second, launch distance 0-4 ms",
		 rate("rate-long"), 485)
	at_least("samples per second, launch distance 20-100 us",
		 rate("rate-short"), 5000)
}

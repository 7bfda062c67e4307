# SPDX-License-Identifier: GPL-2.0
#
# Judge samples of the source nic by what the emulated card did. Takes the event log
# of the card, and then datapoints.csv with run=NAME before it; one cycle of the TSC
# is one ns of the emulator.
#
# Prints PASS or FAIL and the figure, one line each.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " nic: " run ": " name ": " figure
}

# When the event of the sample fired. The clock of the card begins anew when that is
# reset, so that there may be several with its target time: the last one before.
function fired_at(target, tsc,    i, times, time)
{
	for (i = split(fired[target], times, " "); i; i--) {
		time = times[i]
		if (time + 0 <= tsc + 0)
			return time
	}
	return -1
}

# Is the time wrong by more than the record says it can be?
function beyond(tsc, time, event_error,    wrong)
{
	wrong = tsc - event - time
	if (wrong < 0)
		wrong = -wrong
	if (wrong > worst)
		worst = wrong
	return wrong > event_error
}

BEGIN {
	FS = ","
}

FNR == 1 {
	file++
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

# A read of the card takes as long as its shortest.
file == 1 && $column["event"] == "latch" {
	split($column["detail"], read, " ")
	if (!link || read[4] - read[2] < link)
		link = read[4] - read[2]
}

# That an event is to come before its time is decided when it is armed.
file == 1 && $column["event"] == "arm" {
	armed = $column["clock_ns"]
}

file == 1 && $column["event"] == "fault" && $column["detail"] ~ /^early / {
	early[armed]
}

# clock_ns of an event that fired is its target time, as is ltime_ns of a sample.
file == 1 {
	if ($column["event"] == "fire")
		fired[$column["clock_ns"]] = fired[$column["clock_ns"]] " " $column["virtual_ns"]
	next
}

$column["method"] == "nic" {
	samples++
	too_early += $column["ltime_ns"] in early
	event_error = $column["error_ns"]
	if (event_error > widest)
		widest = event_error
	event = fired_at($column["ltime_ns"], $column["tintr_tsc"])
	if (event < 0) {
		unknown++
		next
	}
	misread += $column["latch_ns"] < link || $column["latch_ns"] > link + 100
	misread += $column["warmup_ns"] < link
	# The clocks may be 600 ppm apart.
	if ($column["silent_ns"] != "")
		outside += beyond($column["tbi_tsc"], -$column["silent_ns"],
				  event_error + $column["silent_ns"] * 0.0006 + 1)
	if ($column["wake_ns"] != "")
		outside += beyond($column["tai_tsc"], $column["wake_ns"], event_error)
	outside += beyond($column["tintr_tsc"], $column["intr_ns"], event_error)
}

END {
	judge("samples", samples > 0, samples + 0)
	judge("samples of events that never fired", !unknown, unknown + 0)
	judge("samples of events that came too early", !too_early, too_early + 0)
	judge("times outside of their error bound", !outside,
	      outside + 0 ", the worst is wrong by " worst + 0 " ns")
	judge("latch_ns and warmup_ns", !misread,
	      misread + 0 " are not as long as a read of the card, " link " ns")
	judge("error bound", widest <= 750, widest " ns at most, must be <= 750")
}

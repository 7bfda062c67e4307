# SPDX-License-Identifier: GPL-2.0
#
# Is each wake-up that took very long found again? Takes the log of the emulated
# processor, truth.csv, and then summary.csv, datapoints.csv and discarded.csv of CPU 0, whose
# idle states have outliers, with run=NAME and outliers="HINT=STATE=NS ...". One cycle of
# the TSC is one ns there.
#
# An outlier belongs to the first record that ends after it. When the event of that fired
# before the CPU was awake, the latency of the record has to be above the limit; when it
# fired later, something else ended the idle period, and nobody waited.
#
# Prints PASS or FAIL and the figure, one line each.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " outliers: " run ": " name ": " figure
}

function value(name)
{
	return $column[name]
}

# When the event fired, as far as is known: one that was early has no IntrLatency.
function fired_at()
{
	return value("tintr_tsc") - value("intr_ns")
}

# That of an event that fired before the CPU was idle counts from TBI on.
function latency_of()
{
	return value("wake_ns") + 0 ? value("wake_ns") + 0 : value("tai_tsc") - value("tbi_tsc")
}

# An event in which the CPU was never idle has no stamps, and no outlier belongs to it.
function store(key, is_discarded,    n)
{
	if (is_discarded && value("reasons") == "")
		unexplained++
	if (!(value("tbi_tsc") + 0)) {
		without_idle[key]++
		return
	}
	n = ++records[key, is_discarded]
	if (!(key in begin) || value("tbi_tsc") + 0 < begin[key])
		begin[key] = value("tbi_tsc") + 0
	tbi[key, is_discarded, n] = value("tbi_tsc")
	tai[key, is_discarded, n] = value("tai_tsc")
	fired[key, is_discarded, n] = fired_at()
	latency[key, is_discarded, n] = latency_of()
	if (!is_discarded && value("wake_ns") - value("error_ns") > limit[key])
		slow[key]++
}

# The first record that ends after the outlier, of those that are samples or are not.
function next_record(key, is_discarded, when,    n)
{
	n = at[key, is_discarded] + 1
	while (n <= records[key, is_discarded] && tai[key, is_discarded, n] + 0 < when)
		n++
	at[key, is_discarded] = n - 1
	return n
}

# 0: a sample, 1: a discarded event, -1: neither, as the session was over.
function whose(key, when,    sample, other)
{
	sample = next_record(key, 0, when)
	other = next_record(key, 1, when)
	if (sample > records[key, 0])
		return other > records[key, 1] ? -1 : 1
	return other <= records[key, 1] && tai[key, 1, other] + 0 < tai[key, 0, sample] + 0
}

function check_outlier(key, i,    is_discarded, n)
{
	is_discarded = whose(key, exit_at[i])
	if (is_discarded < 0)
		return
	n = at[key, is_discarded] + 1
	if (fired[key, is_discarded, n] + limit[key] > exit_at[i])
		nobody[key]++
	else if (tbi[key, is_discarded, n] + 0 <= enter[i] + 0 && \
		 latency[key, is_discarded, n] > limit[key])
		found[key, is_discarded]++
	else
		hidden[key]++
}

function check_row(key,    i, all)
{
	for (i = 1; i <= outliers_seen; i++)
		if (state[i] == state_of[key] && enter[i] + 0 >= begin[key])
			check_outlier(key, i)
	all = found[key, 0] + found[key, 1] + hidden[key]
	judge(key ": outliers that are hidden", all >= 100 && !hidden[key],
	      hidden[key] + 0 " of " all ", " found[key, 0] + 0 " are samples, " \
	      found[key, 1] + 0 " discarded; nobody waited in " nobody[key] + 0)
	judge(key ": nobody waited", nobody[key] * 10 <= all, nobody[key] + 0 " times")
	# The last event of each of two sessions may be stopped without a record.
	judge(key ": records", records[key, 0] == valid[key] && \
	      discarded[key] - records[key, 1] - without_idle[key] <= 2,
	      records[key, 0] + 0 " of " valid[key] " samples, " \
	      records[key, 1] + without_idle[key] " of " discarded[key] " discarded events")
	judge(key ": verdict", verdict[key] == "FAIL" && above[key] == slow[key] && \
	      discarded_above[key] >= found[key, 1],
	      verdict[key] ", " above[key] " above, must be " slow[key] + 0 ", and " \
	      discarded_above[key] " of the discarded")
}

BEGIN {
	FS = ","
	for (i = split(outliers, words, " "); i; i--) {
		split(words[i], part, "=")
		state_of_hint[part[1]] = part[2]
		takes[part[1]] = part[3]
	}
}

FNR == 1 {
	file++
	delete column
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

file == 1 {
	if (value("cpu") == 0 && value("hint") in takes && \
	    value("exit_ns") - value("event_ns") >= takes[value("hint")]) {
		state[++outliers_seen] = state_of_hint[value("hint")]
		enter[outliers_seen] = value("enter_ns")
		exit_at[outliers_seen] = value("exit_ns")
	}
	next
}

{
	key = value("method") " " value("state")
}

file == 2 {
	state_of[key] = value("state")
	limit[key] = value("declared_ns")
	valid[key] = value("valid")
	discarded[key] = value("discarded")
	verdict[key] = value("verdict")
	above[key] = value("above")
	discarded_above[key] = value("discarded_above")
	rows++
	next
}

{
	store(key, file == 4)
}

END {
	judge("rows", rows == wanted_rows, rows + 0 ", must be " wanted_rows)
	judge("discarded events without a reason", !unexplained, unexplained + 0)
	for (key in valid)
		check_row(key)
}

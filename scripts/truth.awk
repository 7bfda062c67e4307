# SPDX-License-Identifier: GPL-2.0
#
# Judge samples by what the emulated processor did: takes its log, truth.csv, and then
# datapoints.csv of one measured CPU. One cycle of the TSC is one ns there. Set run=NAME.
#
# The idle period of a sample is the last one of its CPU that ended before TAI. With
# exits="C1=900 ..." those are the exit latencies that each period must have had.
# With alone=1 the machine has one CPU, so that the package does what that does.
# With counters="cc3_pct ..." each of these must have counted.
#
# Prints PASS or FAIL and the figure, one line each.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " truth: " run ": " name ": " figure
}

function distance(a, b)
{
	return a > b ? a - b : b - a
}

# What the instruments add to the truth: instructions around the idle one, and with nic
# the steps of the card's clock, too.
function allowed(method)
{
	return method == "nic" ? 40 : 20
}

# The median of what the measurement added in the samples of a row.
function median_added(key,    value, seen)
{
	for (value = lowest[key]; (seen += added[key, value]) * 2 < count[key]; value++)
		;
	return value
}

function note_extremes(method, value)
{
	if (!(method in least) || value < least[method])
		least[method] = value
	if (!(method in most) || value > most[method])
		most[method] = value
}

# Medians are compared within a method: they may not depend on the truth.
function judge_medians(    key, part, method, within)
{
	for (key in count) {
		split(key, part, " ")
		note_extremes(part[1], median_added(key))
	}
	for (method in least) {
		within = method == "nic" ? 8 : 2
		judge(method ": median - truth", most[method] <= allowed(method) &&
		      most[method] - least[method] <= within && least[method] >= 0,
		      least[method] " to " most[method] " ns, must be <= " \
		      allowed(method) " and the same within " within)
	}
}

# Is what a counter has of the interval what it must have, within 1 % of that? It may be
# that the processor has no such counter.
function compare(counter, cycles,    kind, wrong)
{
	if (!(counter in column) || $column[counter] == "")
		return
	compared[counter]++
	kind = counter == "c0_pct" ? "time awake" : "residencies"
	wrong = distance($column[counter], 100 * cycles / $column["interval_cyc"])
	intervals[kind]++
	wrong_shares[kind] += wrong > 1
	if (!(kind in worst) || wrong > worst[kind])
		worst[kind] = wrong
}

# Core and package count until the event, C0 when the CPU is not in its idle period.
function check_residency(n,    idle)
{
	if ($column["interval_cyc"] <= 10000 || $column["idle_periods"] != 1)
		return
	idle = event[cpu, n] - enter[cpu, n]
	# Within the interval counters are read one after the other, which takes 20 ns each.
	if ($column["interval_cyc"] > 40000)
		compare("c0_pct", $column["interval_cyc"] - (exit_at[cpu, n] - enter[cpu, n]))
	if (level[cpu, n] == "C3" || level[cpu, n] == "C6")
		compare("c" tolower(level[cpu, n]) "_pct", idle)
	if (alone && package[cpu, n] != "PC0")
		compare(tolower(package[cpu, n]) "_pct", idle)
}

function check_sample(n,    key, truth, error, extra)
{
	truth = exit_at[cpu, n] - event[cpu, n]
	error = distance($column["wake_ns"], $column["tai_tsc"] - event[cpu, n]) - \
		$column["error_ns"]
	outside += error > allowed($column["method"])
	if (worst_error == "" || error > worst_error)
		worst_error = error

	key = $column["method"] " " $column["state"]
	extra = $column["wake_ns"] - truth
	if (!count[key]++ || extra < lowest[key])
		lowest[key] = extra
	added[key, extra]++
	if ($column["state"] in exit_must_be)
		wrong_exit += truth != exit_must_be[$column["state"]]
	check_residency(n)
}

BEGIN {
	FS = ","
	for (i = split(exits, pairs, " "); i; i--) {
		split(pairs[i], pair, "=")
		exit_must_be[pair[1]] = pair[2]
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
	cpu = $column["cpu"]
	n = ++periods[cpu]
	enter[cpu, n] = $column["enter_ns"]
	event[cpu, n] = $column["event_ns"]
	exit_at[cpu, n] = $column["exit_ns"]
	level[cpu, n] = $column["level"]
	package[cpu, n] = $column["package"]
	next
}

$column["wake_ns"] != "" {
	cpu = $column["cpu"]
	samples++
	while (last[cpu] < periods[cpu] && exit_at[cpu, last[cpu] + 1] + 0 <= $column["tai_tsc"] + 0)
		last[cpu]++
	n = last[cpu]
	if (!n || enter[cpu, n] + 0 < $column["tbi_tsc"] + 0) {
		unknown++
		next
	}
	check_sample(n)
}

END {
	judge("samples", samples > 0, samples + 0)
	judge("samples without an idle period", !unknown, unknown + 0)
	judge("periods with another exit latency", !wrong_exit, wrong_exit + 0)
	judge("samples outside of their error", samples && !outside,
	      outside + 0 ", the worst is " worst_error " ns beyond it")
	judge_medians()
	for (kind in intervals)
		judge(kind " wrong by more than 1 % of the interval", !wrong_shares[kind],
		      wrong_shares[kind] " of " intervals[kind] ", the worst by " \
		      sprintf("%.3f %%", worst[kind]))
	# Did each of these counters count at all?
	for (i = split(counters, names, " "); i; i--)
		judge(names[i] " counts", compared[names[i]] > 0, compared[names[i]] + 0)
}

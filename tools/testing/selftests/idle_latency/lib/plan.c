// SPDX-License-Identifier: GPL-2.0
/*
 * At which launch distances the rows are measured, and how much of the time each of them gets.
 * This is arithmetic: it knows what the states declare, and nothing else of the machine.
 */
#include <stdlib.h>

#include "plan.h"

/* One in so many is taken of wake-ups during entry. */
#define SAMPLES_PER_ENTRY	10

/*
 * Between two events of a session: waking the program and the thread that arms,
 * and going idle again. Some 30 us on an idle machine; more than that leaves the
 * estimate on the safe side, and what is not used goes to the rows that follow.
 */
#define BETWEEN_NS	100000ULL

/* A row has what it needs although as many events are discarded. */
#define DISCARDED_PERCENT	10

/*
 * Before the rows, the awake CPU is measured and the software in the state of each row: for that
 * is one in so many of the seconds, or so many times what the software takes where that is more.
 * It takes as long again to begin and end its sessions, and the awake CPU no longer than that.
 */
#define PREPARATION_PART	20
#define PREPARATION_TIMES	3

static __u64 capped(__u64 ns)
{
	return smaller(ns, IDLE_LATENCY_LDIST_MAX_NS);
}

__u64 launch_distance_least(unsigned int source)
{
	return source == IDLE_LATENCY_SOURCE_NIC ?
	       IDLE_LATENCY_LDIST_MIN_NIC_NS : IDLE_LATENCY_LDIST_MIN_NS;
}

/*
 * Beginning with the target residency, because nobody enters a state for less
 * on purpose, and hardware may demote such an entry to a shallower state.
 */
struct launch_distance launch_distance_counted(__u64 residency_ns, __u64 least_ns,
					       unsigned int times)
{
	__u64 from = capped(larger(residency_ns, least_ns)) + LAUNCH_DISTANCE_ARMING_NS;

	return (struct launch_distance) { capped(from), capped(from * times) };
}

/*
 * Beginning with the minimum of the source, although an event that is nearer
 * than what arming takes is late and gives no sample: what it takes differs
 * between machines, and a larger minimum would leave out the begin of the entry
 * on the quick ones. The price is the few us out of the target residency in
 * which events are discarded. Where it is that short itself, hardly any event
 * would be left.
 */
struct launch_distance launch_distance_entry(__u64 residency_ns, __u64 least_ns)
{
	if (residency_ns < least_ns || residency_ns < LAUNCH_DISTANCE_ARMING_NS)
		return (struct launch_distance) { };
	return (struct launch_distance) { least_ns, capped(residency_ns) };
}

struct launch_distance launch_distance_default(__u64 residency_ns, __u64 least_ns)
{
	struct launch_distance entry = launch_distance_entry(residency_ns, least_ns);
	struct launch_distance all = launch_distance_counted(residency_ns, least_ns,
							     LAUNCH_DISTANCE_DECADE);

	return (struct launch_distance) { entry.to_ns ? entry.from_ns : all.from_ns, all.to_ns };
}

__u64 budget_cost(struct launch_distance ldist, __u64 exit_latency_ns, size_t samples)
{
	return samples * ((ldist.from_ns + ldist.to_ns) / 2 + exit_latency_ns + BETWEEN_NS);
}

__u64 budget_share(__u64 left_ns, __u64 cost, __u64 all_costs)
{
	/* The product of two times in ns has more than 64 bits. */
	return (double)left_ns * cost / all_costs;
}

__u64 stratum_cost(const struct row *row, const struct stratum *stratum)
{
	return budget_cost(stratum->ldist, row->info.exit_latency_ns, stratum->wanted);
}

static void add_costs(struct row *row, const struct stratum *strata, size_t count)
{
	row->cost_ns = 0;
	for (size_t i = 0; i < count; i++)
		row->cost_ns += stratum_cost(row, &strata[i]);
}

struct launch_distance sweep_step(const struct sweep *sweep, __u64 from_ns)
{
	__u64 length = larger(from_ns * sweep->percent / 100, 1);

	return (struct launch_distance) {
		from_ns, smaller(from_ns + length - 1, sweep->ldist.to_ns),
	};
}

size_t sweep_count(const struct sweep *sweep)
{
	__u64 from_ns = sweep->ldist.from_ns;
	size_t count = 0;

	for (; from_ns <= sweep->ldist.to_ns; count++)
		from_ns = sweep_step(sweep, from_ns).to_ns + 1;
	return count;
}

/* In each step as many samples as are wanted of a row otherwise. */
static bool plan_sweep(struct row *row, const struct options *options)
{
	const struct sweep *sweep = &options->sweep;
	__u64 from_ns = sweep->ldist.from_ns;

	row->step_count = sweep_count(sweep);
	row->steps = calloc(row->step_count, sizeof(*row->steps));
	if (!row->steps)
		return false;
	row->strata[STRATUM_COUNTED].ldist = sweep->ldist;
	row->strata[STRATUM_COUNTED].wanted = row->step_count * options->samples;
	for (size_t i = 0; i < row->step_count; i++) {
		row->steps[i].ldist = sweep_step(sweep, from_ns);
		row->steps[i].wanted = options->samples;
		from_ns = row->steps[i].ldist.to_ns + 1;
	}
	add_costs(row, row->steps, row->step_count);
	return true;
}

/* From a distance on where a link may be asleep after each of them, so few are enough. */
#define DELIVERY_SAMPLES	150
#define DELIVERY_FAR_NS		1000000
#define DELIVERY_FAR_SAMPLES	30

size_t delivery_samples(struct launch_distance ldist)
{
	return ldist.from_ns < DELIVERY_FAR_NS ? DELIVERY_SAMPLES :
						 DELIVERY_FAR_SAMPLES;
}

__u64 delivery_cost(const struct row *row)
{
	struct launch_distance ldist = row->strata[STRATUM_COUNTED].ldist;

	/* The awake CPU is woken by the card and by a timer. */
	return row_by_nic(row) ? 2 * budget_cost(ldist, 0, delivery_samples(ldist)) : 0;
}

static void plan_strata(struct row *row, const struct options *options)
{
	__u64 residency_ns = row->info.target_residency_ns;
	__u64 least_ns = launch_distance_least(row->method->source);
	unsigned int times = row->shortened ? LAUNCH_DISTANCE_SHORT : LAUNCH_DISTANCE_DECADE;
	struct stratum *counted = &row->strata[STRATUM_COUNTED];
	struct stratum *entry = &row->strata[STRATUM_ENTRY];
	size_t samples = row->samples ? row->samples : options->samples;

	counted->ldist = options->ldist;
	counted->wanted = samples;
	if (!options->ldist.to_ns) {
		counted->ldist = launch_distance_counted(residency_ns, least_ns, times);
		entry->ldist = launch_distance_entry(residency_ns, least_ns);
		if (entry->ldist.to_ns)
			entry->wanted = larger(samples / SAMPLES_PER_ENTRY, 1);
	}
	add_costs(row, row->strata, STRATA);
	/* Both strata have as many samples more or less as each other. */
	row->least_ns = budget_share(row->cost_ns, smaller(options_least(options), samples),
				     samples) *
			100 / (100 - DISCARDED_PERCENT) + delivery_cost(row);
}

static bool takes_time(const struct row *row)
{
	return !row->hindrance && !row->beside;
}

static bool is_to_come(const struct row *row)
{
	return takes_time(row) && !row->over;
}

static bool comes_before(const struct row *row, const struct row *other)
{
	return row->least_ns < other->least_ns ||
	       (row->least_ns == other->least_ns && row <= other);
}

__u64 plan_least(const struct plan *plan, const struct row *last, bool also_over)
{
	__u64 sum_ns = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct row *row = &plan->rows[i];

		if ((is_to_come(row) || (row->over && also_over && !row->beside)) &&
		    (!last || comes_before(row, last)))
			sum_ns += row->least_ns;
	}
	return sum_ns;
}

/*
 * All rows of the states with the longest target residency of those that have a decade, lest
 * one method has others than the next one. Returns false when there is none.
 */
static bool shorten_longest(struct plan *plan, const struct options *options)
{
	const struct row *longest = NULL;

	for (size_t i = 0; i < plan->count; i++) {
		const struct row *row = &plan->rows[i];

		if (!row->hindrance && !row->shortened &&
		    (!longest ||
		     row->info.target_residency_ns > longest->info.target_residency_ns))
			longest = row;
	}
	for (size_t i = 0; longest && i < plan->count; i++) {
		struct row *row = &plan->rows[i];

		if (row->info.target_residency_ns != longest->info.target_residency_ns)
			continue;
		row->shortened = true;
		plan_strata(row, options);
	}
	return longest;
}

__u64 software_cost(const struct row *row)
{
	static const struct launch_distance at_once = { };

	return budget_cost(at_once, 0, SOFTWARE_ARMED - SOFTWARE_SAMPLES) +
	       budget_cost(at_once, row->info.exit_latency_ns, SOFTWARE_SAMPLES);
}

static __u64 preparation(const struct plan *plan, __u64 seconds_ns)
{
	__u64 costs = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (takes_time(&plan->rows[i]))
			costs += software_cost(&plan->rows[i]);
	return larger(seconds_ns / PREPARATION_PART, PREPARATION_TIMES * costs);
}

__u64 plan_cost(const struct plan *plan)
{
	__u64 sum_ns = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (takes_time(&plan->rows[i]))
			sum_ns += plan->rows[i].cost_ns;
	return sum_ns;
}

bool plan_begin(struct plan *plan, const struct options *options)
{
	__u64 seconds_ns = options->seconds * NS_PER_SEC;

	for (size_t i = 0; i < plan->count; i++) {
		if (!options->sweep.percent)
			plan_strata(&plan->rows[i], options);
		else if (!plan_sweep(&plan->rows[i], options))
			return false;
	}
	plan_together(plan);
	plan->preparation_ns = seconds_ns ? preparation(plan, seconds_ns) : 0;
	if (!seconds_ns || options->sweep.percent || options->ldist.to_ns)
		return true;
	while (plan_least(plan, NULL, false) + plan->preparation_ns + AWAKE_LEAST_NS > seconds_ns &&
	       shorten_longest(plan, options))
		;
	return true;
}

void plan_end(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		free(plan->rows[i].steps);
}

void plan_nearer(struct row *row, const struct options *options, __u64 most_ns)
{
	if (options->sweep.percent || options->ldist.to_ns)
		return;
	for (size_t i = 0; i < STRATA; i++) {
		struct launch_distance *ldist = &row->strata[i].ldist;

		ldist->to_ns = smaller(ldist->to_ns, larger(most_ns, ldist->from_ns));
	}
	add_costs(row, row->strata, STRATA);
}

unsigned int plan_seconds(const struct plan *plan, const struct row *row)
{
	__u64 ns = plan_least(plan, row, true);
	__u64 all_ns = budget_share(ns, PREPARATION_PART, PREPARATION_PART - 1);

	return (ns + preparation(plan, all_ns) + AWAKE_LEAST_NS) / NS_PER_SEC + 1;
}

/* What all samples of a row take beyond what it needs. */
static __u64 more_cost(const struct row *row)
{
	return minus_or_0(row->cost_ns, row->least_ns);
}

static __u64 share(const struct plan *plan, const struct row *row, __u64 left_ns)
{
	__u64 least_ns = plan_least(plan, NULL, false), more_ns = 0;

	left_ns = minus_or_0(left_ns, AWAKE_LEAST_NS);
	if (left_ns < least_ns)
		return plan_least(plan, row, false) <= left_ns ? row->least_ns : 0;
	left_ns -= least_ns;
	for (size_t i = 0; i < plan->count; i++)
		more_ns += is_to_come(&plan->rows[i]) ? more_cost(&plan->rows[i]) : 0;
	return row->least_ns +
	       (more_ns ? budget_share(left_ns, more_cost(row), more_ns) : left_ns);
}

__u64 plan_take(struct plan *plan, struct row *row, __u64 left_ns)
{
	__u64 share_ns = share(plan, row, left_ns);

	for (size_t i = 0; i < plan->count; i++) {
		struct row *other = &plan->rows[i];

		if (other != row && !rows_together(other, row))
			continue;
		other->over = true;
		other->refused = !share_ns;
	}
	return share_ns;
}

void plan_again(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		plan->rows[i].over &= !plan->rows[i].refused;
}

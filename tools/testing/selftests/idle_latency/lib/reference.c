// SPDX-License-Identifier: GPL-2.0
/*
 * What is measured beside the rows: what the awake CPU takes, and the software around the idle
 * instruction, by events for which it does not wait.
 */
#include <math.h>

#include "environment.h"
#include "progress.h"
#include "report.h"

/* Where the awake CPU is measured: for a median, and the largest of what happens often. */
#define SAMPLES	100
static const struct launch_distance timer_near = { .from_ns = 20000, .to_ns = 200000 };

/* And where its timer has no deadline. */
#define FAR_SAMPLES	30
static const struct launch_distance timer_far = { .from_ns = 10000000, .to_ns = 10180000 };

/*
 * Of the awake CPU as many are taken as the row has samples, so that what is as slow on both is
 * seen; of a small row more, so that few slow samples are found; of a large one not more than
 * this, as it would take as long as that.
 */
#define AWAKE_SAMPLES_LEAST	300
#define AWAKE_SAMPLES_MOST	5000

/* Where nothing is known: the tick of a slow timer, and more than any calibration is wrong by. */
#define TICK_NS		1000
#define RATE_PPB	1000000

/* How many events may be armed, and how long it may take, to find some that are pending. */
#define PENDING_ARMED	1000
#define PENDING_NS	300000000ULL
#define PENDING_SAMPLES	100

__u64 timer_tick_ns(FILE *timer_list, unsigned int cpu)
{
	unsigned int number, mult = 0, shift;
	bool found = false;
	char line[128];

	while (timer_list && fgets(line, sizeof(line), timer_list)) {
		if (sscanf(line, "Per CPU device: %u", &number) == 1)
			found = number == cpu;
		else if (found && sscanf(line, " mult: %u", &number) == 1)
			mult = number;
		else if (mult && sscanf(line, " shift: %u", &shift) == 1)
			return shift < 64 ? ((1ULL << shift) - 1) / mult + 1 : TICK_NS;
	}
	return TICK_NS;
}

static __u64 distance(__u64 a, __u64 b)
{
	return a > b ? a - b : b - a;
}

__u64 timer_rate_ppb(const struct summary *near, const struct summary *far, __u64 tick_ns)
{
	__u64 least_ns, median_ns, wrong_ns;

	if (!near->valid || !far->valid)
		return RATE_PPB;
	least_ns = distance(far->intr.min, near->intr.min);
	median_ns = distance(far->intr.median, near->intr.median);
	wrong_ns = least_ns + distance(least_ns, median_ns) + 2 * tick_ns +
		   near->median_error_ns + far->median_error_ns;
	return wrong_ns * 1e9 / (timer_far.from_ns - timer_near.from_ns) + 1;
}

/* Reports what was collected for the others, and frees it. */
static void end_reference(const struct task *task, struct collection *collection,
			  const char *what, struct summary *summary)
{
	const struct instrument none = { };

	if (summarise(task->row, collection, &none, 0, summary) && summary->ran)
		report_counts(summary, what);
	collect_free(collection);
}

/* @row: the awake CPU */
static void measure_reference(struct task *task, const struct row *row,
			      struct launch_distance ldist, size_t samples,
			      struct summary *summary)
{
	struct collection collection = { };

	task_begin(task, row, NULL);
	take_session(task, ldist, samples, NULL, &collection);
	end_reference(task, &collection, "", summary);
}

/* The awake CPU is in the first state that polls, if there is one. */
static void measure_polling(struct task *task, struct measured_cpu *measured, size_t method)
{
	struct summary *awake = &measured->awake[method];
	size_t i = 0;

	while (i < measured->states.count && !(measured->info[i].flags & IDLE_LATENCY_STATE_POLLS))
		i++;
	if (i == measured->states.count)
		return;
	measured->polls[method] = measured_cpu_row(measured, &methods[method], i);
	measure_reference(task, &measured->polls[method], timer_near, SAMPLES, awake);
	if (!awake->valid)
		report_line("cpu%u %s: nothing could be measured while the CPU is awake",
			    measured->cpu, methods[method].name);
}

static void find_rate(struct task *task, struct measured_cpu *measured, size_t method)
{
	FILE *file = fopen("/proc/timer_list", "re");

	measured->tick_ns = timer_tick_ns(file, measured->cpu);
	if (file)
		fclose(file);
	if (measured->awake[method].valid)
		measure_reference(task, &measured->polls[method], timer_far, FAR_SAMPLES,
				  &measured->far);
}

/*
 * Ns of the clock of the source per cycle of the TSC, from the first and the last record: the
 * handler ran at LTime + IntrLatency by the one, and at TIntr by the other. 0: not known.
 */
static double ns_per_cycle(const struct idle_latency_record *records, size_t count)
{
	const struct idle_latency_record *first = NULL, *last = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!records[i].intr_ns)
			continue;
		last = &records[i];
		first = first ? first : last;
	}
	if (!last || last->tintr_cyc <= first->tintr_cyc)
		return 0;
	return (double)(last->ltime_ns + last->intr_ns - first->ltime_ns - first->intr_ns) /
	       (last->tintr_cyc - first->tintr_cyc);
}

void software_add(struct software *software, const struct idle_latency_record *records,
		  size_t count)
{
	double rate = ns_per_cycle(records, count);
	struct launch_distance *ldist = &software->ldist;

	for (size_t i = 0; i < count; i++) {
		const struct idle_latency_record *record = &records[i];
		__u64 ns;

		software->deadline |= !!(record->flags & IDLE_LATENCY_RECORD_DEADLINE);
		if (!record->reasons && record_has_wake(record) &&
		    (!software->least_wake_ns || record->wake_ns < software->least_wake_ns))
			software->least_wake_ns = larger(record->wake_ns, 1);
		if (rate <= 0 || !(record->flags & IDLE_LATENCY_RECORD_PENDING) ||
		    record->reasons != 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE)
			continue;
		ns = ceil((record->tai_cyc - record->tbi_cyc) * rate);
		software->ns = larger(software->ns, ns);
		if (!software->events++ || record->ldist_ns < ldist->from_ns)
			ldist->from_ns = record->ldist_ns;
		ldist->to_ns = larger(ldist->to_ns, record->ldist_ns);
	}
}

static void add_pending(const struct task *task, struct collection *collection,
			struct launch_distance ldist, __u64 time_ns, size_t samples,
			struct software *software)
{
	struct patience patience = {
		.armed = collection->counts.armed + PENDING_ARMED,
		.until_ns = now_ns() + time_ns,
	};
	size_t first = collection->count;

	ldist.from_ns = larger(ldist.from_ns, launch_distance_least(task->row->method->source));
	collection->discarded_count = 0;
	take_session(task, ldist, samples, &patience, collection);
	software_add(software, collection->discarded, collection->discarded_count);
	software_add(software, collection->samples + first, collection->count - first);
}

/* The shortest way from arming to TBI of the samples, 0 without any. */
static __u64 way_to_idle(const struct collection *collection)
{
	__u64 least_ns = 0;

	for (size_t i = 0; i < collection->count; i++) {
		const struct idle_latency_record *sample = &collection->samples[i];
		__u64 ns = sample->ldist_ns - sample->silent_ns;

		if (record_has_wake(sample) && (!least_ns || ns < least_ns))
			least_ns = ns;
	}
	return least_ns;
}

/*
 * An event is pending at TBI when it fires after interrupts were disabled on the way to idle.
 * When that is after arming depends on the machine, and samples tell it; the events that are
 * armed by so much less than that to come are pending.
 */
#define PENDING_WINDOW_NS	300
static const struct launch_distance way_ldist = { 1, 30000 };

static void find_pending(const struct task *task, struct collection *collection,
			 struct software *software)
{
	struct launch_distance ldist = { .from_ns = 1 };

	add_pending(task, collection, way_ldist, PENDING_NS, PENDING_SAMPLES, software);
	ldist.to_ns = way_to_idle(collection);
	ldist.from_ns = larger(1, minus_or_0(ldist.to_ns, PENDING_WINDOW_NS));
	if (ldist.to_ns && !software_known(software))
		add_pending(task, collection, ldist, PENDING_NS, PENDING_SAMPLES, software);
	/* What was pending later was late on its way. */
	if (software->ldist.from_ns <= ldist.to_ns)
		software->ldist.to_ns = smaller(software->ldist.to_ns, ldist.to_ns);
}

/*
 * Where such events are pending depends on the machine and hardly on the state: at the launch
 * distances of @known, which is that of another state, or NULL, with which it takes some 100 ms
 * to find them.
 */
static void measure_software(struct task *task, const struct row *row,
			     const struct software *known, struct software *software)
{
	struct collection collection = { .discarded_room = PENDING_ARMED };
	struct summary summary;

	task_begin(task, row, NULL);
	if (known)
		add_pending(task, &collection, known->ldist, software_cost(row), SOFTWARE_SAMPLES,
			    software);
	else
		find_pending(task, &collection, software);
	end_reference(task, &collection, ", pending events", &summary);
}

/*
 * The first states may be unusable, or entered with interrupts enabled. None that the
 * administrator has disabled is entered, but for those that are to be measured.
 */
static void find_software(struct task *task, struct measured_cpu *measured, size_t method)
{
	for (size_t i = 0; i < measured->states.count; i++) {
		const struct row row = measured_cpu_row(measured, &methods[method], i);
		bool chosen = measured->chosen & 1U << i;

		if (measured_cpu_judges(measured, i) &&
		    (chosen || (!row.state.disable &&
				!software_shallowest_wake_ns(measured, method))))
			measure_software(task, &row, software_shallowest(measured, method),
					 &measured->software[method][i]);
	}
}

void measured_cpu_prepare(struct task *task, struct measured_cpu *measured)
{
	const unsigned int chosen = task->options->methods;
	const size_t hrt = method_index(IDLE_LATENCY_SOURCE_HRT);
	const size_t tdt = method_index(IDLE_LATENCY_SOURCE_TDT);

	/* The awake CPU first, because nothing stands in for it where the time is short. */
	for (size_t i = 0; i < METHODS; i++) {
		if (!(chosen & 1u << methods[i].source))
			continue;
		measure_polling(task, measured, i);
		if (!measured_cpu_by_deadline(measured, i))
			find_rate(task, measured, i);
	}
	/* What nic adds is known only beside a timer. */
	if (chosen == 1u << IDLE_LATENCY_SOURCE_NIC) {
		measure_polling(task, measured, tdt);
		if (!measured->awake[tdt].valid)
			measure_polling(task, measured, hrt);
	}
	for (size_t i = 0; i < METHODS; i++)
		if (chosen & 1u << methods[i].source)
			find_software(task, measured, i);
}

static __u64 largest_of(const struct order_stats *awake)
{
	return awake->has_p99 ? awake->p99 : awake->max;
}

__u64 delivery_at_most(const struct order_stats *nic, const struct order_stats *timer)
{
	__u64 by_ns = minus_or_0(largest_of(nic), largest_of(timer));

	by_ns = larger(by_ns, minus_or_0(nic->median, timer->median));
	return larger(by_ns, minus_or_0(nic->min, timer->min));
}

static size_t awake_samples(const struct summary *summary)
{
	if (summary->has_wake)
		return delivery_samples(summary->strata[STRATUM_COUNTED].ldist);
	return larger(AWAKE_SAMPLES_LEAST, smaller(summary->valid, AWAKE_SAMPLES_MOST));
}

static void measure_by(const struct task *task, const struct measured_cpu *measured,
		       const struct method *method, const struct summary *of, FILE *environment,
		       struct summary *awake)
{
	const struct row *polls = &measured->polls[method - methods];
	struct launch_distance ldist = of->strata[STRATUM_COUNTED].ldist;
	__u64 least_ns = now_ns() + AWAKE_LEAST_NS;
	struct task by = *task;

	if (by.until_ns)
		by.until_ns = larger(by.until_ns, least_ns);
	measure_reference(&by, polls, ldist, awake_samples(of), awake);
	if (awake->valid)
		environment_line(environment,
				 "cpu%u: awake IntrLatency by %s at launch distances of %llu to %llu ns: median %llu ns, largest %llu ns, in %zu samples",
				 polls->cpu, method->name, ldist.from_ns, ldist.to_ns,
				 awake->intr.median, awake->intr.max, awake->valid);
}

/*
 * The longer a CPU was away, the more may have to be done before the handler: the kernel brings
 * its time up to date once a tick has gone by. So where the verdict depends on what the awake
 * CPU takes, that is measured at the launch distances of the row. What is known from others does
 * not count then. A WakeLatency by nic contains the delivery by the card, which may grow, too.
 */
bool measure_awake(const struct task *task, const struct measured_cpu *measured,
		   const struct summary *summary, FILE *environment, struct verdict_rule *rule)
{
	struct instrument *instrument = &rule->instrument;
	const struct row *row = summary->row;
	struct summary awake, timer = { };

	if (!summary_above(summary) || !measured->awake[row->method - methods].valid ||
	    (summary->has_wake && !row_by_nic(row)))
		return false;
	measure_by(task, measured, row->method, summary, environment, &awake);
	if (!summary->has_wake) {
		rule->awake_count = awake.valid;
		rule->awake = awake.intr;
		return false;
	}
	if (rule->timer)
		measure_by(task, measured, rule->timer, summary, environment, &timer);
	if (!awake.valid || !timer.valid)
		instrument->unknown = "delivery by the card";
	instrument->delivery_ns = larger(instrument->delivery_ns,
					 delivery_at_most(&awake.intr, &timer.intr));
	return true;
}

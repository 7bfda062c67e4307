// SPDX-License-Identifier: GPL-2.0
/*
 * What is measured beside the rows: what the awake CPU takes, and the software around the idle
 * instruction, by events for which it does not wait.
 */
#include <math.h>
#include <stdlib.h>

#include "environment.h"
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

/* What is measured beside the rows, on one of the CPUs that are measured at once. */
struct reference {
	struct task *task;
	const struct row *row;
	struct launch_distance ldist;
	size_t samples;
	/* without an end: what is usual */
	struct patience patience;
	struct collection collection;
	/* of those that look for pending events: the way from arming to TBI, or 0 */
	__u64 way_ns;
	/* what comes of it: one of the two */
	struct summary *summary;
	struct software *software;
};

/* The CPUs that are measured at once, each with a task, and room for a reference of each. */
struct together {
	struct task *tasks;
	struct measured_cpu **cpus;
	size_t count;
	struct reference *references;
	struct take *takes;
};

/* Reports what was collected for the others, and frees it. */
static void end_reference(struct reference *reference, const char *what, struct summary *summary)
{
	const struct instrument none = { };

	if (summarise(reference->row, &reference->collection, &none, 0, summary) && summary->ran)
		report_counts(summary, what);
	collect_free(&reference->collection);
}

/* A session of each of these; by nic as many at once as there are cards. */
static void take_references(const struct together *together, size_t count)
{
	struct reference *references = together->references;
	size_t most = count;

	if (count && row_by_nic(references->row))
		most = larger(card_count(), 1);
	for (size_t i = 0; i < count; i++) {
		struct reference *reference = &references[i];

		together->takes[i] = (struct take) {
			reference->task, reference->ldist, reference->samples,
			reference->patience.until_ns ? &reference->patience : NULL,
			&reference->collection,
		};
	}
	for (size_t i = 0; i < count; i += most)
		take_sessions(together->takes + i, smaller(most, count - i));
}

/* @references: of awake CPUs */
static void measure_references(const struct together *together, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct reference *reference = &together->references[i];

		task_begin(reference->task, reference->row, NULL);
	}
	take_references(together, count);
	for (size_t i = 0; i < count; i++)
		end_reference(&together->references[i], "",
			      together->references[i].summary);
}

/* The awake CPU is in the first state that polls, if there is one. */
static bool find_polling(struct measured_cpu *measured, size_t method)
{
	size_t i = 0;

	while (i < measured->states.count && !(measured->info[i].flags & IDLE_LATENCY_STATE_POLLS))
		i++;
	if (i < measured->states.count)
		measured->polls[method] = measured_cpu_row(measured, &methods[method], i);
	return i < measured->states.count;
}

static void measure_polling(const struct together *together, size_t method)
{
	size_t count = 0;

	for (size_t i = 0; i < together->count; i++)
		if (find_polling(together->cpus[i], method))
			together->references[count++] = (struct reference) {
				.task = &together->tasks[i],
				.row = &together->cpus[i]->polls[method],
				.ldist = timer_near,
				.samples = SAMPLES,
				.summary = &together->cpus[i]->awake[method],
			};
	measure_references(together, count);
	for (size_t i = 0; i < count; i++) {
		const struct reference *reference = &together->references[i];

		if (!reference->summary->valid)
			report_line("cpu%u %s: nothing could be measured while the CPU is awake",
				    reference->row->cpu, methods[method].name);
	}
}

static void read_tick(struct measured_cpu *measured)
{
	FILE *file = fopen("/proc/timer_list", "re");

	measured->tick_ns = timer_tick_ns(file, measured->cpu);
	if (file)
		fclose(file);
}

/* Of those CPUs of which the timer has no deadline. */
static void find_rates(const struct together *together, size_t method)
{
	size_t count = 0;

	for (size_t i = 0; i < together->count; i++) {
		struct measured_cpu *measured = together->cpus[i];

		if (measured_cpu_by_deadline(measured, method))
			continue;
		read_tick(measured);
		if (measured->awake[method].valid)
			together->references[count++] = (struct reference) {
				.task = &together->tasks[i],
				.row = &measured->polls[method],
				.ldist = timer_far,
				.samples = FAR_SAMPLES,
				.summary = &measured->far,
			};
	}
	measure_references(together, count);
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
		if (rate <= 0 || !record_pending(record))
			continue;
		ns = ceil((record->tai_cyc - record->tbi_cyc) * rate);
		software->ns = larger(software->ns, ns);
		if (!software->events++ || record->ldist_ns < ldist->from_ns)
			ldist->from_ns = record->ldist_ns;
		ldist->to_ns = larger(ldist->to_ns, record->ldist_ns);
	}
}

/* Sets what is asked for next. */
static void ask_pending(struct reference *reference, struct launch_distance ldist, __u64 time_ns,
			size_t samples)
{
	reference->patience = (struct patience) {
		.armed = reference->collection.counts.armed + PENDING_ARMED,
		.until_ns = now_ns() + time_ns,
	};
	reference->ldist = ldist;
	reference->ldist.from_ns =
		larger(ldist.from_ns, launch_distance_least(reference->row->method->source));
	reference->samples = samples;
	reference->collection.discarded_count = 0;
}

/* In those references that come first. */
static void add_pending(const struct together *together, size_t count)
{
	size_t *first = calloc(count + 1, sizeof(*first));

	for (size_t i = 0; i < count && first; i++)
		first[i] = together->references[i].collection.count;
	if (first)
		take_references(together, count);
	for (size_t i = 0; i < count && first; i++) {
		const struct collection *collection = &together->references[i].collection;
		struct software *software = together->references[i].software;

		software_add(software, collection->discarded, collection->discarded_count);
		software_add(software, collection->samples + first[i],
			     collection->count - first[i]);
	}
	free(first);
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

static void swap(struct reference *a, struct reference *b)
{
	const struct reference c = *a;

	*a = *b;
	*b = c;
}

static void find_pending(const struct together *together, size_t count)
{
	struct reference *references = together->references;
	size_t again = 0;

	for (size_t i = 0; i < count; i++)
		ask_pending(&references[i], way_ldist, PENDING_NS, PENDING_SAMPLES);
	add_pending(together, count);
	for (size_t i = 0; i < count; i++) {
		const __u64 way_ns = way_to_idle(&references[i].collection);
		const struct launch_distance ldist = {
			larger(1, minus_or_0(way_ns, PENDING_WINDOW_NS)), way_ns,
		};

		references[i].way_ns = way_ns;
		if (!way_ns || software_known(references[i].software))
			continue;
		ask_pending(&references[i], ldist, PENDING_NS, PENDING_SAMPLES);
		swap(&references[i], &references[again++]);
	}
	add_pending(together, again);
	for (size_t i = 0; i < count; i++) {
		struct software *software = references[i].software;
		const __u64 way_ns = references[i].way_ns;

		/* What was pending later was late on its way. */
		if (software->ldist.from_ns <= way_ns)
			software->ldist.to_ns = smaller(software->ldist.to_ns, way_ns);
	}
}

/*
 * Where such events are pending depends on the machine and hardly on the state: at the launch
 * distances of another state of the CPU where these are known, without which it takes some 100 ms
 * to find them.
 * @rows: of the CPUs that take part; the method of the others is NULL
 */
static void measure_software(const struct together *together, const struct row *rows, size_t method,
			     bool is_known)
{
	struct reference *references = together->references;
	struct summary summary;
	size_t count = 0;

	for (size_t i = 0; i < together->count; i++) {
		struct measured_cpu *measured = together->cpus[i];
		const struct software *known = software_shallowest(measured, method);

		if (!rows[i].method || !known != !is_known)
			continue;
		references[count] = (struct reference) {
			.task = &together->tasks[i],
			.row = &rows[i],
			.collection.discarded_room = PENDING_ARMED,
			.software = &measured->software[method][rows[i].state.index],
		};
		task_begin(&together->tasks[i], &rows[i], NULL);
		if (known)
			ask_pending(&references[count], known->ldist, software_cost(&rows[i]),
				    SOFTWARE_SAMPLES);
		count++;
	}
	if (is_known)
		add_pending(together, count);
	else
		find_pending(together, count);
	for (size_t i = 0; i < count; i++)
		end_reference(&references[i], ", pending events", &summary);
}

/*
 * The first states may be unusable, or entered with interrupts enabled. None that the
 * administrator has disabled is entered, but for those that are to be measured.
 */
static bool wants_software(const struct measured_cpu *measured, size_t method, size_t state)
{
	return measured_cpu_judges(measured, state) &&
	       (measured->chosen & 1U << state ||
		(!measured->states.state[state].disable &&
		 !software_shallowest_wake_ns(measured, method)));
}

static void find_software(const struct together *together, size_t method)
{
	struct row *rows = calloc(together->count, sizeof(*rows));

	for (size_t i = 0; i < IDLE_STATES_MAX && rows; i++) {
		for (size_t j = 0; j < together->count; j++) {
			const struct measured_cpu *measured = together->cpus[j];

			rows[j] = i < measured->states.count &&
				  wants_software(measured, method, i) ?
				  measured_cpu_row(measured, &methods[method], i) :
				  (struct row) { };
		}
		measure_software(together, rows, method, true);
		measure_software(together, rows, method, false);
	}
	free(rows);
}

/* What nic adds is known only beside a timer: one that is not measured anyway, where none works. */
static void find_timer(const struct together *together, unsigned int chosen)
{
	const size_t timers[] = {
		method_index(IDLE_LATENCY_SOURCE_TDT), method_index(IDLE_LATENCY_SOURCE_HRT),
	};
	const struct summary *awake = together->cpus[0]->awake;

	for (size_t i = 0; i < 2 && !awake[timers[0]].valid && !awake[timers[1]].valid; i++)
		if (!(chosen & 1u << methods[timers[i]].source))
			measure_polling(together, timers[i]);
}

static void prepare_all(const struct together *together, unsigned int chosen)
{
	/* The awake CPU first, because nothing stands in for it where the time is short. */
	for (size_t i = 0; i < METHODS; i++) {
		if (!(chosen & 1u << methods[i].source))
			continue;
		measure_polling(together, i);
		find_rates(together, i);
	}
	if (chosen & 1u << IDLE_LATENCY_SOURCE_NIC)
		find_timer(together, chosen);
	for (size_t i = 0; i < METHODS; i++)
		if (chosen & 1u << methods[i].source)
			find_software(together, i);
}

void measured_cpus_prepare(struct task *tasks, struct measured_cpu **cpus, size_t count)
{
	const struct together together = {
		.tasks = tasks, .cpus = cpus, .count = count,
		.references = calloc(count, sizeof(struct reference)),
		.takes = calloc(count, sizeof(struct take)),
	};

	if (together.references && together.takes)
		prepare_all(&together, tasks->options->methods);
	free(together.references);
	free(together.takes);
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

/*
 * By one of methods[] for each of them.
 * @summaries: of the awake CPUs; those that have no method keep theirs
 */
static void measure_by(const struct together *together, struct measurement * const *awake,
		       const struct method * const *by, struct summary *summaries,
		       FILE *environment)
{
	size_t count = 0;

	for (size_t i = 0; i < together->count; i++) {
		const __u64 least_ns = now_ns() + AWAKE_LEAST_NS;
		const struct summary *of = &awake[i]->result->summary;
		struct task *task = &together->tasks[i];

		if (!by[i])
			continue;
		if (task->until_ns)
			task->until_ns = larger(task->until_ns, least_ns);
		together->references[count++] = (struct reference) {
			.task = task,
			.row = &awake[i]->measured->polls[by[i] - methods],
			.ldist = of->strata[STRATUM_COUNTED].ldist,
			.samples = awake_samples(of),
			.summary = &summaries[i],
		};
	}
	measure_references(together, count);
	for (size_t i = 0; i < count; i++) {
		const struct reference *reference = &together->references[i];
		const struct summary *summary = reference->summary;

		if (summary->valid)
			environment_cpu(environment,
					"cpu%u: awake IntrLatency by %s at launch distances of %llu to %llu ns: median %llu ns, largest %llu ns, in %zu samples",
					reference->row->cpu, reference->row->method->name,
					reference->ldist.from_ns, reference->ldist.to_ns,
					summary->intr.median, summary->intr.max, summary->valid);
	}
}

static void set_rule(struct measurement *awake, const struct summary *by_method,
		     const struct summary *by_timer)
{
	struct verdict_rule *rule = &awake->rule;

	if (!awake->result->summary.has_wake) {
		rule->awake_count = by_method->valid;
		rule->awake = by_method->intr;
		return;
	}
	if (!by_method->valid || !by_timer->valid)
		rule->instrument.unknown = "delivery by the card";
	rule->instrument.delivery_ns =
		larger(rule->instrument.delivery_ns,
		       delivery_at_most(&by_method->intr, &by_timer->intr));
}

/* Those of a WakeLatency by nic by a timer, too, where there is one. */
static void measure_all_awake(const struct together *together, struct measurement * const *awake,
			      FILE *environment)
{
	const size_t count = together->count;
	const struct method **by = calloc(count, sizeof(const struct method *));
	struct summary *summaries = calloc(2 * count, sizeof(*summaries));

	for (size_t i = 0; i < count && by && summaries; i++)
		by[i] = awake[i]->task.row->method;
	if (by && summaries)
		measure_by(together, awake, by, summaries, environment);
	for (size_t i = 0; i < count && by && summaries; i++)
		by[i] = awake[i]->result->summary.has_wake ? awake[i]->rule.timer : NULL;
	if (by && summaries)
		measure_by(together, awake, by, summaries + count, environment);
	for (size_t i = 0; i < count && by && summaries; i++)
		set_rule(awake[i], &summaries[i], &summaries[count + i]);
	free(by);
	free(summaries);
}

/*
 * The longer a CPU was away, the more may have to be done before the handler: the kernel brings
 * its time up to date once a tick has gone by. So where the verdict depends on what the awake
 * CPU takes, that is measured at the launch distances of the row. What is known from others does
 * not count then. A WakeLatency by nic contains the delivery by the card, which may grow, too.
 */
bool needs_awake(const struct measured_cpu *measured, const struct summary *summary)
{
	const struct row *row = summary->row;

	return summary_above(summary) && measured->awake[row->method - methods].valid &&
	       (!summary->has_wake || row_by_nic(row));
}

void measure_awake(struct measurement *measurements, size_t count, FILE *environment)
{
	struct measurement **awake = calloc(count, sizeof(struct measurement *));
	struct together together = {
		.tasks = calloc(count, sizeof(struct task)),
		.references = calloc(count, sizeof(struct reference)),
		.takes = calloc(count, sizeof(struct take)),
	};
	const bool memory = awake && together.tasks && together.references && together.takes;

	for (size_t i = 0; i < count && memory; i++) {
		struct measurement *one = &measurements[i];

		if (!needs_awake(one->measured, &one->result->summary))
			continue;
		together.tasks[together.count] = one->task;
		awake[together.count++] = one;
	}
	if (together.count)
		measure_all_awake(&together, awake, environment);
	free(awake);
	free(together.tasks);
	free(together.references);
	free(together.takes);
}

// SPDX-License-Identifier: GPL-2.0
/* What is measured beside the rows: the software, and what the awake CPU takes. */
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

/* With what the awake CPU and the software are measured. */
struct preparation {
	int fd;
	struct measured_cpu *measured;
	const struct options *options;
	__u64 until_ns;
	struct progress progress;
	/* what was wrong with the accounting of the driver last, or NULL */
	const char *wrong;
};

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

/*
 * Takes samples of a row that is not judged, and needs no plan. Returns NULL, or what was wrong
 * with the accounting of the driver.
 */
static const char *measure_reference(const struct task *task, struct launch_distance ldist,
				     size_t samples, struct summary *summary)
{
	const struct instrument none = { };
	struct collection collection;

	if (collect_alloc(&collection, task->row, 0)) {
		task->progress->wanted = samples;
		task->progress->all_cost_ns = budget_cost(ldist, task->row->info.exit_latency_ns,
							  samples);
		take_session(task, ldist, samples, NULL, &collection);
	}
	if (summarise(task->row, &collection, &none, 0, summary) && summary->ran)
		report_counts(summary, "");
	collect_free(&collection);
	return collection.wrong;
}

static struct task task_of(struct preparation *preparation, const struct row *row)
{
	return task_begin(preparation->fd, row, preparation->options, preparation->until_ns,
			  &preparation->progress);
}

static const char *note_wrong(struct preparation *preparation, const char *wrong)
{
	if (wrong)
		preparation->wrong = wrong;
	return wrong;
}

/* The awake CPU is in the first state that polls, if there is one. */
static const char *measure_polling(struct preparation *preparation, size_t method)
{
	struct measured_cpu *measured = preparation->measured;
	struct summary *awake = &measured->awake[method];
	const char *wrong;
	struct task task;
	size_t i = 0;

	while (i < measured->states.count && !(measured->info[i].flags & IDLE_LATENCY_STATE_POLLS))
		i++;
	if (i == measured->states.count)
		return NULL;
	measured->polls[method] = measured_cpu_row(measured, &methods[method], i);
	task = task_of(preparation, &measured->polls[method]);
	wrong = measure_reference(&task, timer_near, SAMPLES, awake);
	if (!awake->valid)
		report_line("cpu%u %s: nothing could be measured while the CPU is awake",
			    measured->cpu, methods[method].name);
	return note_wrong(preparation, wrong);
}

static void find_rate(struct preparation *preparation, size_t method)
{
	struct measured_cpu *measured = preparation->measured;
	FILE *file = fopen("/proc/timer_list", "re");
	struct task task;

	measured->tick_ns = timer_tick_ns(file, measured->cpu);
	if (file)
		fclose(file);
	if (!measured->awake[method].valid)
		return;
	task = task_of(preparation, &measured->polls[method]);
	note_wrong(preparation, measure_reference(&task, timer_far, FAR_SAMPLES, &measured->far));
}

/* What nic adds is known only beside a timer. */
static void add_timer(struct preparation *preparation)
{
	static const unsigned int timers[] = {
		IDLE_LATENCY_SOURCE_TDT, IDLE_LATENCY_SOURCE_HRT,
	};

	for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
		size_t method = method_index(timers[i]);

		if (measure_polling(preparation, method) ||
		    preparation->measured->awake[method].valid)
			break;
	}
}

/*
 * The first states may be unusable, or entered with interrupts enabled. None that the
 * administrator has disabled is entered, but for those that are to be measured.
 */
static void find_software(struct preparation *preparation, size_t method)
{
	struct measured_cpu *measured = preparation->measured;

	for (size_t i = 0; i < measured->states.count; i++) {
		struct row row = measured_cpu_row(measured, &methods[method], i);
		bool chosen = measured->chosen & 1U << i;
		struct task task;

		if (!measured_cpu_judges(measured, i) ||
		    (!chosen && (row.state.disable ||
				 software_shallowest_wake_ns(measured, method))))
			continue;
		task = task_of(preparation, &row);
		note_wrong(preparation,
			   measure_software(&task, software_shallowest(measured, method),
					    &measured->software[method][i]));
	}
}

const char *measured_cpu_prepare(int fd, struct measured_cpu *measured,
				 const struct options *options, __u64 until_ns)
{
	struct preparation preparation = {
		.fd = fd, .measured = measured, .options = options, .until_ns = until_ns,
	};

	/* The awake CPU first, because nothing stands in for it where the time is short. */
	for (size_t i = 0; i < METHODS; i++) {
		if (!(options->methods & 1u << methods[i].source))
			continue;
		measure_polling(&preparation, i);
		if (!measured_cpu_by_deadline(measured, i))
			find_rate(&preparation, i);
	}
	if (options->methods == 1u << IDLE_LATENCY_SOURCE_NIC)
		add_timer(&preparation);
	for (size_t i = 0; i < METHODS; i++)
		if (options->methods & 1u << methods[i].source)
			find_software(&preparation, i);
	return preparation.wrong;
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

static const char *measure_by(const struct task *task, const struct measured_cpu *measured,
			      const struct options *options, const struct method *method,
			      const struct summary *of, FILE *environment, struct summary *awake)
{
	const struct row *polls = &measured->polls[method - methods];
	struct launch_distance ldist = of->strata[STRATUM_COUNTED].ldist;
	__u64 least_ns = now_ns() + AWAKE_LEAST_NS;
	__u64 until_ns = task->until_ns ? larger(task->until_ns, least_ns) : 0;
	struct progress progress;
	struct task by = task_begin(task->fd, polls, options, until_ns, &progress);
	const char *wrong = measure_reference(&by, ldist, awake_samples(of), awake);

	if (awake->valid)
		environment_line(environment,
				 "cpu%u: awake IntrLatency by %s at launch distances of %llu to %llu ns: median %llu ns, largest %llu ns, in %zu samples",
				 polls->cpu, method->name, ldist.from_ns, ldist.to_ns,
				 awake->intr.median, awake->intr.max, awake->valid);
	return wrong;
}

/* A WakeLatency by nic contains the delivery by the card, which may grow, too. */
static bool awake_decides(const struct summary *summary, const struct measured_cpu *measured)
{
	const struct row *row = summary->row;

	return summary_above(summary) && measured->awake[row->method - methods].valid &&
	       (!summary->has_wake || row_by_nic(row));
}

/*
 * The longer a CPU was away, the more may have to be done before the handler: the kernel brings
 * its time up to date once a tick has gone by. So where the verdict depends on what the awake
 * CPU takes, that is measured at the launch distances of the row. What is known from others does
 * not count then.
 */
const char *measure_awake(const struct task *task, const struct measured_cpu *measured,
			  const struct options *options, const struct summary *summary,
			  FILE *environment, struct verdict_rule *rule)
{
	struct instrument *instrument = &rule->instrument;
	const struct method *method = summary->row->method;
	struct summary awake, timer = { };
	const char *wrong, *also = NULL;

	if (!awake_decides(summary, measured))
		return NULL;
	wrong = measure_by(task, measured, options, method, summary, environment, &awake);
	if (!summary->has_wake) {
		rule->awake_count = awake.valid;
		rule->awake = awake.intr;
		return wrong;
	}
	if (rule->timer)
		also = measure_by(task, measured, options, rule->timer, summary, environment,
				  &timer);
	if (!awake.valid || !timer.valid)
		instrument->unknown = "delivery by the card";
	instrument->delivery_ns = larger(instrument->delivery_ns,
					 delivery_at_most(&awake.intr, &timer.intr));
	return wrong ? wrong : also;
}

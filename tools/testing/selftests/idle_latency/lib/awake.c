// SPDX-License-Identifier: GPL-2.0
/* The awake CPU at the launch distances of a row, where the verdict depends on it. */
#include "environment.h"
#include "progress.h"
#include "report.h"

/*
 * Of the awake CPU as many are taken as the row has samples, so that what is as slow on both is
 * seen; of a small row more, so that few slow samples are found; of a large one not more than
 * this, as it would take as long as that.
 */
#define AWAKE_SAMPLES_LEAST	300
#define AWAKE_SAMPLES_MOST	5000

const char *measure_reference(const struct task *task, struct launch_distance ldist,
			      size_t samples, struct summary *summary)
{
	const struct instrument none = { };
	struct collection collection;
	struct patience patience;

	if (collect_alloc(&collection, task->row, 0)) {
		patience = collect_patience(&collection, samples, ldist.to_ns);
		if (task->until_ns)
			patience.until_ns = smaller(task->until_ns, patience.until_ns);
		task->progress->wanted = samples;
		task->progress->all_cost_ns = budget_cost(ldist, task->row->info.exit_latency_ns,
							  samples);
		take_session(task, ldist, samples, &patience, &collection);
	}
	if (summarise(task->row, &collection, &none, 0, summary) && summary->ran)
		report_counts(summary, "");
	collect_free(&collection);
	return collection.wrong;
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

// SPDX-License-Identifier: GPL-2.0
/* What module and package add to an idle state, by samples in which they are asleep or not. */
#include <stdlib.h>

#include "report.h"

/*
 * As many of each kind as "compare" wants of a row. The median of fewer may be anywhere: of 20
 * samples, the interval of 95 % goes from the sixth to the fifteenth. The normal approximation
 * of the ranks takes ten of each.
 */
#define PACKAGE_LEAST	20

/* A machine has hundreds of rows, so that one of 1000 is wrong. There is a test each way. */
#define PACKAGE_ALPHA	(0.001 / 2)

/* From here on, whole us say enough. */
#define IN_US_NS	10000

/* WakeLatency of one kind of samples that count, in order. Returns how many there are. */
static size_t take_wakes(enum scope scope, const struct summary *summary,
			 const struct idle_latency_record *samples, bool asleep, __u64 *wakes)
{
	const __u32 needed = IDLE_LATENCY_RECORD_WAKE | IDLE_LATENCY_RECORD_REACHED;
	size_t count = 0;

	for (size_t i = 0; i < summary->valid; i++) {
		const struct idle_latency_record *sample = &samples[i];

		if ((sample->flags & needed) == needed &&
		    (asleep ? scope_known(sample, scope) && scope_asleep(sample, scope) :
			      scope_awake(sample, scope)) &&
		    sample->silent_ns >= summary->row->info.target_residency_ns)
			wakes[count++] = sample->wake_ns;
	}
	sort_samples(wakes, count);
	return count;
}

static void add_time(struct text *text, __u64 ns)
{
	if (ns < IN_US_NS)
		text_add(text, "%llu ns", ns);
	else
		text_add(text, "%llu us", (ns + 500) / 1000);
}

/* Says nothing where the medians do not differ as the samples do: only slow ones do then. */
static void say_difference(struct text *text, enum scope scope, const struct summary *summary,
			   const struct sample_set *asleep, const struct sample_set *awake,
			   bool longer)
{
	__u64 asleep_ns = order_stat(asleep->sorted, asleep->count, QUANTILE_ONE / 2);
	__u64 awake_ns = order_stat(awake->sorted, awake->count, QUANTILE_ONE / 2);

	if (longer ? asleep_ns <= awake_ns : asleep_ns >= awake_ns)
		return;
	text_add(text, "%s: with the %s asleep %s takes ", row_name(summary->row),
		 scope_name(scope), summary->row->state.name);
	add_time(text, distance(asleep_ns, awake_ns));
	text_add(text,
		 " %s: a median WakeLatency of %llu ns in %zu samples, and of %llu ns in %zu without its state",
		 longer ? "longer" : "shorter", asleep_ns, asleep->count, awake_ns, awake->count);
}

bool scope_text(enum scope scope, const struct summary *summary,
		const struct idle_latency_record *samples, char *line, size_t size)
{
	const struct margin margin = {
		.error_ns = 2 * summary->median_error_ns,
		.least_ns = MARGIN_LEAST_NS,
		.percent = MARGIN_PERCENT,
	};
	__u64 *wakes = calloc(3 * summary->valid + 1, sizeof(*wakes)), *others, *room;
	struct text text = text_begin(line, size);
	struct sample_set asleep, awake;
	bool longer, shorter;

	if (!wakes)
		return false;
	others = wakes + summary->valid;
	room = others + summary->valid;
	asleep = (struct sample_set) { wakes, take_wakes(scope, summary, samples, true, wakes) };
	awake = (struct sample_set) { others, take_wakes(scope, summary, samples, false, others) };
	if (asleep.count >= PACKAGE_LEAST && awake.count >= PACKAGE_LEAST) {
		longer = is_larger(&awake, &asleep, &margin, PACKAGE_ALPHA, room);
		shorter = is_larger(&asleep, &awake, &margin, PACKAGE_ALPHA, room);
		if (longer != shorter)
			say_difference(&text, scope, summary, &asleep, &awake, longer);
	}
	free(wakes);
	return text.used;
}

// SPDX-License-Identifier: GPL-2.0
/* What is said of the first samples of rows, which are drawn. */
#include "verdict_situation.h"

#define DRAWN		2000
#define ROWS_WITHOUT	1000
#define ROWS_WITH	100

/*
 * Of with.n samples: 50000 and by chance up to with.k more; one in with.number takes 40 us
 * longer. The first with.of[0] take with.of[1] longer, or if with.terminal is 1, all others do.
 */
static bool find_in_row(struct dice *dice)
{
	static __u32 latencies[DRAWN];

	for (size_t i = 0; i < now.with.n; i++) {
		latencies[i] = 50000 + dice_below(dice, now.with.k + 1);
		if (now.with.number && dice_once_in(dice, now.with.number))
			latencies[i] += 40000;
		if (now.with.terminal ? i >= now.with.of[0] : i < now.with.of[0])
			latencies[i] += now.with.of[1];
	}
	now.result.summary.drift = (struct drift) { };
	drift_find(&now.result.summary, latencies, now.with.n);
	return now.result.summary.drift.first;
}

SAYING(drift)
{
	const struct drift *drift = &now.result.summary.drift;
	struct dice dice = { .state = 1 };
	char line[CASE_BYTES];

	if (!find_in_row(&dice))
		return;
	drift_text(drift, line, now.with.size);
	text_add(text, "%s: %llu ns, %llu ns", line, drift->median_ns, drift->others_ns);
}

SAYING(drift_alarms)
{
	struct dice dice = { .state = 1 };
	size_t alarms = 0;

	for (size_t i = 0; i < ROWS_WITHOUT; i++)
		alarms += find_in_row(&dice);
	text_add(text, "%s", alarms <= ROWS_WITHOUT / 1000 ? "at most 1 of 1000" : "more");
}

/* How many rows have a difference, and how many of the first ones it is said of. */
SAYING(drift_found)
{
	const struct drift *drift = &now.result.summary.drift;
	size_t found = 0, wrong = 0, least = ~0UL, most = 0;
	struct dice dice = { .state = 1 };

	for (size_t i = 0; i < ROWS_WITH; i++) {
		if (!find_in_row(&dice))
			continue;
		found++;
		wrong += drift->slower == now.with.terminal;
		least = smaller(least, drift->first);
		most = larger(most, drift->first);
	}
	text_add(text, "%zu of %d", found, ROWS_WITH);
	if (found)
		text_add(text, ": %zu to %zu%s", least, most,
			 wrong ? " IN THE OTHER DIRECTION" : "");
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "break_even.h"
#include "watts.h"
#include "statistics.h"

/* The reader wakes up so long before an update, which may be early; and waking up takes time. */
#define LEAD_NS		100000.0

/* Who wakes up as often while 64 updates pass is not asleep (Oberhauser, 4.1). */
#define WOKEN_MOST	10
#define TRIES		10

double sleep_until(void *with __always_unused, __u64 until_ns)
{
	const struct timespec until = {
		.tv_sec = until_ns / NS_PER_SEC, .tv_nsec = until_ns % NS_PER_SEC,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	return 0;
}

bool interval_take(struct meters *meters, size_t updates, between_updates between, void *with,
		   struct interval *interval)
{
	struct edge begin[METERS_MAX], end[METERS_MAX];
	__u64 first_ns = ~0ULL, asleep_ns, woken_ns;
	double awake_ns;

	if (!meters_next_update(meters, begin))
		return false;
	for (size_t i = 0; i < meters->count; i++)
		if (!meters->meter[i].still)
			first_ns = smaller(first_ns, begin[i].ns);
	asleep_ns = now_ns();
	interval->periods = 1;
	awake_ns = (between ?: sleep_until)(with, first_ns + updates * meters->period_ns - LEAD_NS);
	woken_ns = now_ns();
	if (!meters_next_update(meters, end))
		return false;
	for (size_t i = 0; i < meters->count; i++) {
		interval->ns[i] = end[i].ns - begin[i].ns;
		interval->nj[i] = end[i].nj - begin[i].nj;
		interval->awake_ns[i] = awake_ns + (asleep_ns - begin[i].ns) +
					(end[i].ns - woken_ns);
	}
	return true;
}

bool awake_power(struct meters *meters, double *watts)
{
	struct edge first[METERS_MAX], last[METERS_MAX];

	if (!meters_next_update(meters, first))
		return false;
	for (size_t i = 0; i < POWER_UPDATES / 4; i++)
		if (!meters_next_update(meters, last))
			return false;
	for (size_t i = 0; i < meters->count; i++)
		watts[i] = meters->meter[i].still ? 0 :
			   (last[i].nj - first[i].nj) / (last[i].ns - first[i].ns);
	return true;
}

/* What CPUs that are held did, and the first of them, which is the reader. */
struct slept {
	struct idle_sum all, reader;
};

static bool slept_read(const struct cpu_list *held, unsigned int state, struct slept *slept)
{
	return idle_sum_read(held->cpu, held->count, state, &slept->all) &&
	       idle_sum_read(held->cpu, 1, state, &slept->reader);
}

/*
 * Who wakes the reader meanwhile takes energy that is not the state's. The reader polls when its
 * time in the state is read, so that this is complete, as that of other CPUs is not. In POLL all
 * of the time is alike.
 */
static void note_reader(const struct meters *meters, unsigned int state,
			const struct idle_sum *before, const struct idle_sum *after,
			struct interval *interval)
{
	if (!state || after->entries == before->entries)
		return;
	interval->periods = after->entries - before->entries;
	for (size_t i = 0; i < meters->count; i++)
		interval->awake_ns[i] = interval->ns[i] - (after->ns - before->ns);
}

/* The same once more where CPUs that are held did not sleep. */
static bool take_asleep(struct meters *meters, const struct cpu_list *held, unsigned int state,
			size_t updates, struct interval *interval, size_t *disturbed)
{
	for (size_t i = 0; i < TRIES; i++) {
		struct slept before, after;

		if (!slept_read(held, state, &before) ||
		    !interval_take(meters, updates, NULL, NULL, interval) ||
		    !slept_read(held, state, &after))
			return false;
		note_reader(meters, state, &before.reader, &after.reader, interval);
		/* Each wakes up once for what came before; and POLL is entered again and again. */
		if (!state || after.all.entries - before.all.entries <
			      held->count + WOKEN_MOST * updates / POWER_UPDATES)
			break;
		++*disturbed;
	}
	return true;
}

/* What was taken of a counter, by how long the reader slept. */
struct taken {
	struct energy_point point[POWER_REPEATS * POWER_DOUBLINGS];
	size_t count;
};

/* All that was awake beside the reader while it polled, to fall asleep and wake up, is in each. */
static void take_note(struct taken *taken, const struct interval *interval, size_t i,
		      double awake_w)
{
	taken->point[taken->count++] = (struct energy_point) {
		.length_ns = interval->ns[i] - interval->awake_ns[i],
		.nj = interval->nj[i] - awake_w * interval->awake_ns[i],
		.periods = interval->periods,
	};
}

/*
 * The power is the slope: what the reader takes to fall asleep and to wake up is the same each
 * time. Where it woke up in proportion to the length, the two cannot be told apart, and the power
 * is not known. Returns whether it is precise enough.
 */
static bool find_slope(const struct taken *taken, struct power *power)
{
	struct energy_line line;
	double half;

	if (!energy_line_fit_sums(taken->point, taken->count, &line)) {
		power->mw = NAN;
		return false;
	}
	half = student_975(taken->count - 2) * sqrt(line.power_variance);
	power->mw = 1000 * fmax(0, line.power_w);
	power->low_mw = 1000 * fmax(0, line.power_w - half);
	power->high_mw = 1000 * fmax(0, line.power_w + half);
	power->still = power->high_mw <= POWER_LEAST_MW;
	return power->still || 2 * half <= POWER_PRECISION * line.power_w;
}

/* Returns whether all of them are precise enough. */
static bool find_powers(const struct meters *meters, const struct taken *taken, size_t updates,
			struct power *powers)
{
	bool precise = true;

	for (size_t i = 0; i < meters->count; i++) {
		powers[i] = (struct power) {
			.updates = updates, .still = meters->meter[i].still,
		};
		if (!powers[i].still)
			precise &= find_slope(&taken[i], &powers[i]);
	}
	return precise;
}

bool power_measure(struct meters *meters, const struct cpu_list *held, unsigned int state,
		   __u64 until_ns, struct power *powers, size_t *disturbed)
{
	static struct taken taken[METERS_MAX];
	double awake_w[METERS_MAX];
	size_t all = 0, updates = POWER_UPDATES;

	memset(taken, 0, sizeof(taken));
	meters_calibrate(meters);
	if (!awake_power(meters, awake_w))
		return false;
	for (size_t i = 0; i < POWER_DOUBLINGS; i++) {
		for (size_t repeat = 0; repeat < POWER_REPEATS; repeat++) {
			struct interval interval;

			if (!take_asleep(meters, held, state, updates, &interval, disturbed))
				return false;
			for (size_t j = 0; j < meters->count; j++)
				take_note(&taken[j], &interval, j, awake_w[j]);
			all += updates;
		}
		if (i && find_powers(meters, taken, all, powers))
			break;
		updates *= 2;
		if (i && now_ns() + POWER_REPEATS * updates * meters->period_ns > until_ns)
			break;
	}
	return true;
}

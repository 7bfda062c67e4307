// SPDX-License-Identifier: GPL-2.0
/* What the sessions of --self-check say of the instruments. */
#include <math.h>
#include <stdlib.h>

#include "self_check.h"

/* Fewer tell nothing. */
#define PENDING_LEAST	30
#define PHASES_LEAST	100

/* Of what the counter of a state advanced. */
#define BETWEEN_PERCENT	5.0

/* Of the records: one late access is no link that sleeps. */
#define ASLEEP_PERCENT	5

/* Fewer samples tell nothing. */
#define SELF_CHECK_SAMPLES	20

/*
 * Of the normal distribution: an interval this wide misses the truth once in 1000 times, and
 * there are some ten of them.
 */
#define SELF_CHECK_DEVIATIONS	3.29

/* Of the launch distance: what is more is no rounding. */
#define SLOPE_PPM	1.0

/* @reason: in what it differs, or NULL */
__printf(3, 4)
static void say(struct self_check *check, const char *reason, const char *format, ...)
{
	va_list args;

	check->result = reason ? VERDICT_FAIL : VERDICT_PASS;
	check->reason = reason;
	va_start(args, format);
	vsnprintf(check->figures, sizeof(check->figures), format, args);
	va_end(args);
}

/*
 * The median IntrLatency, and the interval that has the true one. The ranks of the interval
 * hold whatever the distribution is.
 */
struct median {
	__s64 ns;
	__s64 low_ns;
	__s64 high_ns;
	__u64 error_ns;
};

/* Returns false without memory, or with too few samples. */
static bool find_median(const struct collection *collection, struct median *median)
{
	size_t count = collection->count, half = SELF_CHECK_DEVIATIONS * sqrt(count) / 2 + 1;
	__u64 *values = count < SELF_CHECK_SAMPLES ? NULL : calloc(count, sizeof(*values));

	if (!values)
		return false;
	for (size_t i = 0; i < count; i++)
		values[i] = collection->samples[i].error_ns;
	median->error_ns = median_of_samples(values, count);
	for (size_t i = 0; i < count; i++)
		values[i] = collection->samples[i].intr_ns;
	median->ns = median_of_samples(values, count);
	median->low_ns = values[(count - 1) / 2 - half] - median->error_ns;
	median->high_ns = values[count / 2 + half] + median->error_ns;
	free(values);
	return true;
}

bool self_check_difference(const struct collection *timer, const struct collection *other,
			   __s64 *ns)
{
	struct median one, two;

	if (!find_median(timer, &one) || !find_median(other, &two))
		return false;
	*ns = two.ns - one.ns;
	return true;
}

const char *self_check_agree(const struct collection *timer, const struct collection *other,
			     __s64 delivery_ns, struct self_check *check)
{
	struct median one, two;
	__s64 early, late;
	bool agree;

	if (!find_median(timer, &one) || !find_median(other, &two))
		return SELF_TOO_FEW;
	early = one.low_ns + delivery_ns - two.high_ns;
	late = two.low_ns - one.high_ns - delivery_ns;
	agree = delivery_ns >= -(__s64)(one.error_ns + two.error_ns) && early <= 0 && late <= 0;
	say(check, agree ? NULL : "the sources see different latencies",
	    "medians %lld ns (%lld to %lld) and %lld ns (%lld to %lld), of which delivery %lld ns",
	    one.ns, one.low_ns, one.high_ns, two.ns, two.low_ns, two.high_ns, delivery_ns);
	return NULL;
}

/* Of the launch distance: what is wider tells nothing. */
#define SLOPE_WIDE_PPM	10.0

struct slopes {
	double *ppm;
	size_t count;
	/* of how many pairs rise less how many fall, when it is chance */
	double deviation;
};

static int compare_slopes(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double pairs_variance(double n)
{
	return n * (n - 1) * (2 * n + 5) / 18;
}

/* From the first of those that have the same launch distance on. */
static size_t count_same(const struct idle_latency_record *records, size_t first, size_t count)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++) {
		if (records[i].ldist_ns != records[first].ldist_ns)
			continue;
		if (i < first)
			return 0;
		same++;
	}
	return same;
}

static double slope_ppm(const struct idle_latency_record *a, const struct idle_latency_record *b)
{
	return ((double)b->wake_ns - a->wake_ns) / ((double)b->ldist_ns - a->ldist_ns) * 1e6;
}

/* That of each pair with two launch distances, sorted. Returns false without memory. */
static bool find_slopes(const struct collection *collection, struct slopes *slopes)
{
	const struct idle_latency_record *records = collection->samples;
	size_t count = collection->count;
	double variance = pairs_variance(count);

	*slopes = (struct slopes) { .ppm = calloc(count * count / 2 + 1, sizeof(*slopes->ppm)) };
	if (!slopes->ppm)
		return false;
	for (size_t i = 0; i < count; i++) {
		variance -= pairs_variance(count_same(records, i, count));
		for (size_t j = i + 1; j < count; j++)
			if (records[i].ldist_ns != records[j].ldist_ns)
				slopes->ppm[slopes->count++] = slope_ppm(&records[i], &records[j]);
	}
	slopes->deviation = sqrt(variance);
	qsort(slopes->ppm, slopes->count, sizeof(*slopes->ppm), compare_slopes);
	return true;
}

/* @rank: from 0, and what is outside is the first or last one */
static double slope_at(const struct slopes *slopes, double rank)
{
	return slopes->ppm[(size_t)fmin(fmax(rank, 0), slopes->count - 1)];
}

/*
 * The median slope of all pairs (Theil and Sen) and its interval by ranks, because a CPU that
 * is late once is as late as by many ppm.
 */
static const char *judge_slope(const struct slopes *slopes, size_t samples,
			       struct self_check *check)
{
	double half = SELF_CHECK_DEVIATIONS * slopes->deviation / 2, middle = slopes->count / 2.0;
	double low = slope_at(slopes, floor(middle - half - 1));
	double high = slope_at(slopes, ceil(middle + half));
	double ppm = slope_at(slopes, middle);
	bool differs = (low > 0 || high < 0) && fabs(ppm) > SLOPE_PPM;

	say(check, differs ? "the latency changes with the launch distance" : NULL,
	    "%.2f ppm of the launch distance (%.2f to %.2f), in %zu samples",
	    ppm, low, high, samples);
	if (!differs && (low < -SLOPE_WIDE_PPM || high > SLOPE_WIDE_PPM))
		return "the latencies spread too far";
	return NULL;
}

const char *self_check_slope(const struct collection *collection, struct self_check *check)
{
	const char *why = SELF_TOO_FEW;
	struct slopes slopes = { };

	if (collection->count >= SELF_CHECK_SAMPLES && find_slopes(collection, &slopes) &&
	    slopes.count)
		why = judge_slope(&slopes, collection->count, check);
	free(slopes.ppm);
	return why;
}

static __u64 common_divisor(__u64 a, __u64 b)
{
	return b ? common_divisor(b, a % b) : a;
}

/*
 * Reading the TSC takes longer than a short step of it, so that the smallest difference says
 * how long a step can be at most. It is at least what divides all of them.
 */
const char *self_check_step(const __u64 *tsc, size_t count, double cyc_per_ns, __u64 error_ns,
			    struct self_check *check)
{
	__u64 smallest = ~0ULL, step = 0;
	const char *reason = NULL;

	for (size_t i = 1; i < count; i++) {
		__u64 difference = tsc[i] - tsc[i - 1];

		if (tsc[i] < tsc[i - 1])
			reason = "the TSC goes back";
		step = common_divisor(step, difference);
		if (difference && difference < smallest)
			smallest = difference;
	}
	if (!step) {
		say(check, "the TSC does not advance", "%zu readings", count);
		return NULL;
	}
	/* The error is in whole ns. */
	if (!reason && error_ns && step / cyc_per_ns >= error_ns + 1)
		reason = "a step of the TSC is longer than the error of a sample";
	say(check, reason,
	    "at least %llu cycles (%.1f ns), at most %llu (%.1f ns), error of a sample %llu ns",
	    step, step / cyc_per_ns, smallest, smallest / cyc_per_ns, error_ns);
	return reason || error_ns ? NULL : SELF_TOO_FEW;
}

/*
 * Both the time of the timer and that of its deadline, which is converted from cycles, are whole
 * ns, so that their difference may be wrong by 2 ns. And a kernel converts from the tick before,
 * by a factor that is wrong by up to 0.48 ppm: 5 ns of a tick of 10 ms, the longest there is.
 */
#define ROUNDED_NS	(2 + 5)

static double deadline_ppm(const struct idle_latency_record *record)
{
	int ns = abs(record->deadline_ns) - ROUNDED_NS;

	return ns > 0 ? ns * 1e6 / record->ldist_ns : 0;
}

const char *self_check_deadline(const struct collection *collection, struct self_check *check)
{
	size_t count = collection->count, told = 0;
	const char *reason = NULL;
	double most_ppm = 0;
	int low = 0, high = 0;

	for (size_t i = 0; i < count; i++) {
		const struct idle_latency_record *record = &collection->samples[i];

		told += !!(record->flags & IDLE_LATENCY_RECORD_DEADLINE);
		low = record->deadline_ns < low ? record->deadline_ns : low;
		high = record->deadline_ns > high ? record->deadline_ns : high;
		most_ppm = fmax(most_ppm, deadline_ppm(record));
	}
	if (count < SELF_CHECK_SAMPLES)
		return SELF_TOO_FEW;
	if (!told)
		return "the timer is not programmed to a time of the TSC";
	if (told < count)
		reason = "some timers are not programmed to a time of the TSC";
	else if (most_ppm > SLOPE_PPM)
		reason = "the timer is programmed to another time";
	say(check, reason,
	    "%d to %d ns after the timer is due, up to %.2f ppm of the launch distance; %zu of %zu records tell",
	    low, high, most_ppm, told, count);
	return NULL;
}

const char *self_check_residency(const struct idle_latency_counts *counts,
				 struct self_check *check)
{
	__u64 sum = counts->advanced_cyc + counts->between_cyc;
	double percent = sum ? 100.0 * counts->between_cyc / sum : 0;
	const char *reason = NULL;

	if (counts->delivered < SELF_CHECK_SAMPLES)
		return SELF_TOO_FEW;
	if (!sum)
		reason = "the counter does not advance";
	else if (percent > BETWEEN_PERCENT)
		reason = "the counter advances when the CPU is awake";
	say(check, reason, "%.2f %% of %llu cycles are between events, of which %llu were samples",
	    percent, sum, counts->delivered);
	return NULL;
}

const char *self_check_software(const struct collection *collection, double cyc_per_ns,
				__u64 declared_ns, struct self_check *check)
{
	__u64 *times = calloc(collection->discarded_count + 1, sizeof(*times));
	const char *why = "too few events were pending before idle";
	__u64 median_ns;
	size_t count = 0;

	for (size_t i = 0; times && i < collection->discarded_count; i++) {
		const struct idle_latency_record *record = &collection->discarded[i];

		if (record_pending(record))
			times[count++] = (record->tai_cyc - record->tbi_cyc) / cyc_per_ns;
	}
	if (count >= PENDING_LEAST) {
		median_ns = median_of_samples(times, count);
		say(check, median_ns > declared_ns ?
		    "the software takes longer than the state declares" : NULL,
		    "median %llu ns, largest %llu ns, in %zu events; the state declares %llu ns",
		    median_ns, times[count - 1], count, declared_ns);
		why = NULL;
	}
	free(times);
	return why;
}

/*
 * The interrupt may wake the link before that access; then it is the delivery that takes
 * longer than an access to the card and back.
 */
const char *self_check_warmup(const struct collection *collection, __s64 delivery_ns,
			      struct self_check *check)
{
	size_t count = collection->count, asleep = 0;
	__u64 *latches = calloc(2 * count + 1, sizeof(*latches)), *warmups;
	__u64 from_ns = ~0ULL, latch_ns, warmup_ns;
	char from[64] = "";
	bool sleeps;

	if (!latches || count < SELF_CHECK_SAMPLES) {
		free(latches);
		return SELF_TOO_FEW;
	}
	warmups = latches + count;
	for (size_t i = 0; i < count; i++) {
		const struct idle_latency_record *record = &collection->samples[i];

		latches[i] = record->latch_ns;
		warmups[i] = record->warmup_ns;
		asleep += record_link_asleep(record);
		if (record_link_asleep(record) && record->ldist_ns < from_ns)
			from_ns = record->ldist_ns;
	}
	latch_ns = median_of_samples(latches, count);
	warmup_ns = median_of_samples(warmups, count);
	if (asleep)
		snprintf(from, sizeof(from), ", from a launch distance of %llu ns on", from_ns);
	sleeps = 100 * asleep > ASLEEP_PERCENT * count ||
		 2 * delivery_ns > 3 * (__s64)latch_ns;
	say(check, sleeps ? "the link sleeps" : NULL,
	    "delivery %lld ns, first access %llu ns, largest %llu ns, latch %llu ns; asleep in %zu of %zu samples%s",
	    delivery_ns, warmup_ns, warmups[count - 1], latch_ns, asleep, count, from);
	free(latches);
	return NULL;
}

/* Sums of unit vectors: 1 when all of them show the same way. */
struct vectors {
	double x;
	double y;
	size_t count;
};

static void add_phase(struct vectors *vectors, double turns)
{
	const double whole = 8 * atan(1);

	vectors->x += cos(turns * whole);
	vectors->y += sin(turns * whole);
	vectors->count++;
}

static double resultant(const struct vectors *vectors)
{
	return hypot(vectors->x, vectors->y) / vectors->count;
}

/*
 * Where the timer fires at ticks of the crystal only, so do the wake-ups, but for how their
 * exit varies: TAI is at the same place of a tick more often than by chance. WakeLatency then
 * has what the timer waits for the next tick, which is anything up to a tick.
 */
const char *self_check_crystal(const struct collection *collection, const struct crystal *crystal,
			       double cyc_per_ns, struct self_check *check)
{
	struct vectors tai = { }, wake = { };
	double period, chance;

	if (!crystal->denominator || crystal->numerator <= crystal->denominator)
		return "CPUID 15H tells of no crystal";
	period = (double)crystal->numerator / crystal->denominator;
	for (size_t i = 0; i < collection->count; i++) {
		const struct idle_latency_record *record = &collection->samples[i];

		if (!(record->flags & IDLE_LATENCY_RECORD_WAKE))
			continue;
		/* A TSC value and a part of it do not fit into one double. */
		add_phase(&tai, record->tai_cyc % crystal->numerator / period);
		add_phase(&wake, record->wake_ns * cyc_per_ns / period);
	}
	if (tai.count < PHASES_LEAST)
		return SELF_TOO_FEW;
	/* As much as phases by chance have once in 1000 times (Rayleigh). */
	chance = sqrt(log(1000) / tai.count);
	say(check, resultant(&tai) > chance ? "wake-ups keep to ticks of the crystal" : NULL,
	    "resultant of TAI %.3f, of WakeLatency %.3f, by chance up to %.3f, in %zu samples; a tick is %.1f ns",
	    resultant(&tai), resultant(&wake), chance, tai.count, period / cyc_per_ns);
	return NULL;
}

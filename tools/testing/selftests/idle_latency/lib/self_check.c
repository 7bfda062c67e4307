// SPDX-License-Identifier: GPL-2.0
/* What the sessions of --self-check say of the instruments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "self_check.h"

/* Fewer tell nothing. */
#define PENDING_LEAST	30
#define PHASES_LEAST	100

/* Of what the counter of a state advanced. */
#define BETWEEN_PERCENT	5.0

/* Of the records: one late access is no link that sleeps. */
#define ASLEEP_PERCENT	5

void self_say(struct self_check *check, enum self_verdict verdict,
	      const char *reason, const char *format, ...)
{
	va_list args;

	check->verdict = verdict;
	check->reason = reason;
	va_start(args, format);
	vsnprintf(check->figures, sizeof(check->figures), format, args);
	va_end(args);
}

void self_check_impossible(struct self_check *check, const char *reason)
{
	self_say(check, SELF_IMPOSSIBLE, reason, "%s", "");
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

void self_check_agree(const struct collection *timer, const struct collection *other,
		      __s64 delivery_ns, struct self_check *check)
{
	struct median one, two;
	__s64 early, late;
	bool agree;

	if (!find_median(timer, &one) || !find_median(other, &two)) {
		self_check_impossible(check, SELF_TOO_FEW);
		return;
	}
	early = one.low_ns + delivery_ns - two.high_ns;
	late = two.low_ns - one.high_ns - delivery_ns;
	agree = delivery_ns >= -(__s64)(one.error_ns + two.error_ns) && early <= 0 && late <= 0;
	self_say(check, agree ? SELF_OK : SELF_DIFFERS,
		 agree ? NULL : "the sources see different latencies",
		 "medians %lld ns (%lld to %lld) and %lld ns (%lld to %lld), of which delivery %lld ns",
		 one.ns, one.low_ns, one.high_ns, two.ns, two.low_ns, two.high_ns,
		 delivery_ns);
}

static __u64 common_divisor(__u64 a, __u64 b)
{
	while (b) {
		__u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Reading the TSC takes longer than a short step of it, so that the smallest difference says
 * how long a step can be at most. It is at least what divides all of them.
 */
void self_check_step(const __u64 *tsc, size_t count, double cyc_per_ns, __u64 error_ns,
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
		self_say(check, SELF_DIFFERS, "the TSC does not advance", "%zu readings", count);
		return;
	}
	/* The error is in whole ns. */
	if (!reason && error_ns && step / cyc_per_ns >= error_ns + 1)
		reason = "a step of the TSC is longer than the error of a sample";
	self_say(check, reason ? SELF_DIFFERS : error_ns ? SELF_OK : SELF_IMPOSSIBLE,
		 reason ? reason : error_ns ? NULL : SELF_TOO_FEW,
		 "at least %llu cycles (%.1f ns), at most %llu (%.1f ns), error of a sample %llu ns",
		 step, step / cyc_per_ns, smallest, smallest / cyc_per_ns, error_ns);
}

/*
 * Both the time of the timer and that of its deadline, which is converted from cycles, are whole
 * ns, so that their difference may be wrong by 2 ns: 2 ppm where the launch distance is short.
 */
#define ROUNDED_NS	2

static double deadline_ppm(const struct idle_latency_record *record)
{
	int ns = abs(record->deadline_ns) - ROUNDED_NS;

	return ns > 0 ? ns * 1e6 / record->ldist_ns : 0;
}

void self_check_deadline(const struct collection *collection, struct self_check *check)
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
	if (count < SELF_CHECK_SAMPLES || !told) {
		self_check_impossible(check, count < SELF_CHECK_SAMPLES ? SELF_TOO_FEW :
				      "the timer is not programmed to a time of the TSC");
		return;
	}
	if (told < count)
		reason = "some timers are not programmed to a time of the TSC";
	else if (most_ppm > SLOPE_PPM)
		reason = "the timer is programmed to another time";
	self_say(check, reason ? SELF_DIFFERS : SELF_OK, reason,
		 "%d to %d ns after the timer is due, up to %.2f ppm of the launch distance; %zu of %zu records tell",
		 low, high, most_ppm, told, count);
}

void self_check_residency(const struct idle_latency_counts *counts, struct self_check *check)
{
	__u64 sum = counts->advanced_cyc + counts->between_cyc;
	double percent = sum ? 100.0 * counts->between_cyc / sum : 0;
	const char *reason = NULL;

	if (counts->delivered < SELF_CHECK_SAMPLES) {
		self_check_impossible(check, SELF_TOO_FEW);
		return;
	}
	if (!sum)
		reason = "the counter does not advance";
	else if (percent > BETWEEN_PERCENT)
		reason = "the counter advances when the CPU is awake";
	self_say(check, reason ? SELF_DIFFERS : SELF_OK, reason,
		 "%.2f %% of %llu cycles are between events, of which %llu were samples",
		 percent, sum, counts->delivered);
}

/* What was discarded for another reason, too, may have been longer for that reason. */
static bool is_pending(const struct idle_latency_record *record)
{
	return record->flags & IDLE_LATENCY_RECORD_PENDING &&
	       record->reasons == 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE;
}

void self_check_software(const struct collection *collection, double cyc_per_ns,
			 __u64 declared_ns, struct self_check *check)
{
	__u64 *times = calloc(collection->discarded_count + 1, sizeof(*times));
	bool slow;
	size_t count = 0;

	for (size_t i = 0; times && i < collection->discarded_count; i++) {
		const struct idle_latency_record *record = &collection->discarded[i];

		if (is_pending(record))
			times[count++] = (record->tai_cyc - record->tbi_cyc) / cyc_per_ns;
	}
	if (count < PENDING_LEAST) {
		self_check_impossible(check, "too few events were pending before idle");
	} else {
		slow = median_of_samples(times, count) > declared_ns;
		self_say(check, slow ? SELF_DIFFERS : SELF_OK,
			 slow ? "the software takes longer than the state declares" : NULL,
			 "median %llu ns, largest %llu ns, in %zu events; the state declares %llu ns",
			 order_stat(times, count, QUANTILE_ONE / 2), times[count - 1], count,
			 declared_ns);
	}
	free(times);
}

/* The first access takes half as long again when the link has to wake up. */
static bool was_asleep(const struct idle_latency_record *record)
{
	return 2ULL * record->warmup_ns > 3ULL * record->latch_ns;
}

/* @values: room for all samples */
static void judge_warmup(const struct collection *collection, __s64 delivery_ns, __u64 *values,
			 struct self_check *check)
{
	size_t count = collection->count, asleep = 0;
	__u64 from_ns = ~0ULL, latch_ns, warmup_ns;
	char from[64] = "";
	bool sleeps;

	for (size_t i = 0; i < count; i++) {
		const struct idle_latency_record *record = &collection->samples[i];

		values[i] = record->latch_ns;
		asleep += was_asleep(record);
		if (was_asleep(record) && record->ldist_ns < from_ns)
			from_ns = record->ldist_ns;
	}
	latch_ns = median_of_samples(values, count);
	for (size_t i = 0; i < count; i++)
		values[i] = collection->samples[i].warmup_ns;
	warmup_ns = median_of_samples(values, count);
	if (asleep)
		snprintf(from, sizeof(from), ", from a launch distance of %llu ns on", from_ns);
	sleeps = 100 * asleep > ASLEEP_PERCENT * count ||
		 2 * delivery_ns > 3 * (__s64)latch_ns;
	self_say(check, sleeps ? SELF_DIFFERS : SELF_OK, sleeps ? "the link sleeps" : NULL,
		 "delivery %lld ns, first access %llu ns, largest %llu ns, latch %llu ns; asleep in %zu of %zu samples%s",
		 delivery_ns, warmup_ns, values[count - 1], latch_ns, asleep, count, from);
}

/*
 * The interrupt may wake the link before that access; then it is the delivery that takes
 * longer than an access to the card and back.
 */
void self_check_warmup(const struct collection *collection, __s64 delivery_ns,
		       struct self_check *check)
{
	__u64 *values = calloc(collection->count + 1, sizeof(*values));

	if (!values || collection->count < SELF_CHECK_SAMPLES)
		self_check_impossible(check, SELF_TOO_FEW);
	else
		judge_warmup(collection, delivery_ns, values, check);
	free(values);
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

/* As much as phases by chance have once in 1000 times (Rayleigh). */
static double resultant_by_chance(size_t count)
{
	return sqrt(log(1000) / count);
}

/*
 * Where the timer fires at ticks of the crystal only, so do the wake-ups, but for how their
 * exit varies: TAI is at the same place of a tick more often than by chance. WakeLatency then
 * has what the timer waits for the next tick, which is anything up to a tick.
 */
void self_check_crystal(const struct collection *collection, const struct crystal *crystal,
			double cyc_per_ns, struct self_check *check)
{
	struct vectors tai = { }, wake = { };
	double period, chance;
	bool ticks;

	if (!crystal->denominator || crystal->numerator <= crystal->denominator) {
		self_check_impossible(check, "CPUID 15H tells of no crystal");
		return;
	}
	period = (double)crystal->numerator / crystal->denominator;
	for (size_t i = 0; i < collection->count; i++) {
		const struct idle_latency_record *record = &collection->samples[i];

		if (!(record->flags & IDLE_LATENCY_RECORD_WAKE))
			continue;
		/* A TSC value and a part of it do not fit into one double. */
		add_phase(&tai, record->tai_cyc % crystal->numerator / period);
		add_phase(&wake, record->wake_ns * cyc_per_ns / period);
	}
	if (tai.count < PHASES_LEAST) {
		self_check_impossible(check, SELF_TOO_FEW);
		return;
	}
	chance = resultant_by_chance(tai.count);
	ticks = resultant(&tai) > chance;
	self_say(check, ticks ? SELF_DIFFERS : SELF_OK,
		 ticks ? "wake-ups keep to ticks of the crystal" : NULL,
		 "resultant of TAI %.3f, of WakeLatency %.3f, by chance up to %.3f, in %zu samples; a tick is %.1f ns",
		 resultant(&tai), resultant(&wake), chance, tai.count, period / cyc_per_ns);
}

// SPDX-License-Identifier: GPL-2.0
/* A difference in whole sentences. */
#include <string.h>

#include "compare.h"

#define TIME_BYTES	24

/* Three digits of us, or whole ns where all is below one us. */
static void time_text(__s64 ns, bool us, char text[TIME_BYTES])
{
	double value = ns / 1000.0, size = value < 0 ? -value : value;

	if (us)
		snprintf(text, TIME_BYTES, "%.*f",
			 size < 10 ? 2 : size < 100 ? 1 : 0, value);
	else
		snprintf(text, TIME_BYTES, "%lld", ns);
}

static bool is_us(__s64 ns)
{
	return ns <= -1000 || ns >= 1000;
}

void moved_text(const struct moved *moved, struct text *text)
{
	bool us = (moved->has_low && is_us(moved->low_ns)) ||
		  (moved->has_high && is_us(moved->high_ns));
	const char *unit = us ? "us" : "ns";
	char low[TIME_BYTES], high[TIME_BYTES];

	time_text(moved->low_ns, us, low);
	time_text(moved->high_ns, us, high);
	if (!moved->has_low && !moved->has_high)
		text_add(text, "an unknown time");
	else if (!moved->has_high)
		text_add(text, "at least %s %s", low, unit);
	else if (!moved->has_low)
		text_add(text, "at most %s %s", high, unit);
	else if (!strcmp(low, high))
		text_add(text, "%s %s", low, unit);
	else
		text_add(text, "%s to %s %s", low, high, unit);
}

/* What is said of a run that became faster is by how much, without a sign. */
static struct moved turned(const struct moved *moved, bool slower)
{
	if (slower)
		return *moved;
	return (struct moved) {
		.has_low = moved->has_high,
		.has_high = moved->has_low,
		.low_ns = -moved->high_ns,
		.high_ns = -moved->low_ns,
	};
}

static void add_body(struct text *text, const struct part_difference *part,
		     bool slower)
{
	struct moved by = turned(&part->median, slower);

	if (by.has_low && by.low_ns > 0) {
		text_add(text, " by ");
		moved_text(&by, text);
		return;
	}
	text_add(text, ", though its median moved by ");
	moved_text(&part->median, text);
}

static void add_tail(struct text *text, const struct part_difference *part,
		     const struct run_names *names, enum tested tested)
{
	const struct finding *finding = &part->findings[tested];
	struct moved by = turned(&part->p99, finding->slower);

	text_add(text, " in some of its samples: %zu of %zu in %s and %zu of %zu in %s",
		 finding->above_a, part->a.count, names->a, finding->above_b,
		 part->b.count, names->b);
	text_add(text, " are above %s%llu ns",
		 tested == TESTED_DECLARED ? "the declared " : "",
		 finding->threshold_ns);
	if (tested == TESTED_P99 && by.has_low && by.low_ns > 0) {
		text_add(text, ", the 99th percentile moved by ");
		moved_text(&part->p99, text);
	}
}

static bool is_change(const struct finding *finding, bool slower)
{
	return finding->p <= COMPARE_ALPHA && finding->slower == slower;
}

/* The first test that found it; it is in the order of how many samples each is about. */
static void add_part(struct text *text, const struct part_difference *part,
		     const struct run_names *names, bool entry, bool slower)
{
	for (enum tested i = TESTED_BODY; part->compared && i < TESTED; i++) {
		if (!is_change(&part->findings[i], slower))
			continue;
		text_add(text, "%s%s %s", text->used ? "; " : "",
			 entry ? "when woken before its target residency, it became" :
				 "became",
			 slower ? "slower" : "faster");
		if (i == TESTED_BODY)
			add_body(text, part, slower);
		else
			add_tail(text, part, names, i);
		return;
	}
}

static void add_same(struct text *text, const struct difference *difference)
{
	const struct part_difference *part = &difference->parts[PART_COUNTED];
	__u64 median = order_stat(part->b.sorted, part->b.count,
				  QUANTILE_ONE / 2);
	__s64 within = margin_of(&part->margin, median);
	char margin[TIME_BYTES];

	time_text(within, is_us(within), margin);
	if (difference->change == CHANGE_SAME)
		text_add(text, "is the same within %s %s: ", margin,
			 is_us(within) ? "us" : "ns");
	else
		text_add(text, "is not decided: more samples may show a change above %s %s: ",
			 margin, is_us(within) ? "us" : "ns");
	text_add(text, "its median moved by ");
	moved_text(&part->median, text);
	if (!part->p99.has_low || !part->p99.has_high)
		return;
	text_add(text, ", its 99th percentile by ");
	moved_text(&part->p99, text);
}

static void add_changes(struct text *text, const struct difference *difference,
			const struct run_names *names)
{
	for (int slower = 1; slower >= 0; slower--)
		for (enum part i = PART_COUNTED; i < PARTS; i++)
			add_part(text, &difference->parts[i], names,
				 i == PART_ENTRY, slower);
}

void difference_what(const struct difference *difference,
		     const struct run_names *names, char *text, size_t size)
{
	struct text what = text_begin(text, size);

	switch (difference->change) {
	case CHANGE_UNMEASURED:
		text_add(&what, "was measured neither in %s nor in %s",
			 names->a, names->b);
		break;
	case CHANGE_UNCOMPARABLE:
		text_add(&what, "cannot be compared: %s", difference->reason);
		break;
	case CHANGE_SAME:
	case CHANGE_UNDECIDED:
		add_same(&what, difference);
		break;
	default:
		add_changes(&what, difference, names);
	}
}

void difference_text(const struct difference *difference, char *text,
		     size_t size)
{
	static const struct run_names names = { .a = "A", .b = "B" };
	const struct result *of = difference->a ? difference->a : difference->b;
	size_t used = snprintf(text, size, "cpu%u %s %s ", of->cpu, of->method,
			       of->state);

	if (used < size)
		difference_what(difference, &names, text + used, size - used);
}

void set_header(char *text, size_t size)
{
	snprintf(text, size, "%7s | %-28s | %-28s | %7s | %s", "samples",
		 "median (95 % interval)", "99 % (95 % interval)", "max",
		 "above A's limit");
}

static void add_quantile(struct text *text, const struct sample_set *set,
			 __u64 quantile)
{
	struct rank_interval ranks = quantile_ranks(set->count, quantile,
						    COMPARE_ALPHA);
	char interval[48];
	struct text inner = text_begin(interval, sizeof(interval));

	text_add(&inner, "%llu",
		 order_stat(set->sorted, set->count, quantile));
	if (ranks.low && ranks.high <= set->count)
		text_add(&inner, " (%llu to %llu)", set->sorted[ranks.low - 1],
			 set->sorted[ranks.high - 1]);
	else if (ranks.low)
		text_add(&inner, " (%llu or more)",
			 set->sorted[ranks.low - 1]);
	else if (ranks.high <= set->count)
		text_add(&inner, " (%llu or less)",
			 set->sorted[ranks.high - 1]);
	text_add(text, " | %-28s", interval);
}

void set_text(const struct sample_set *set, __u64 declared_ns, char *text,
	      size_t size)
{
	struct text line = text_begin(text, size);

	text_add(&line, "%7zu", set->count);
	add_quantile(&line, set, QUANTILE_ONE / 2);
	add_quantile(&line, set, QUANTILE_ONE / 100 * 99);
	text_add(&line, " | %7llu | %zu", set->sorted[set->count - 1],
		 count_above(set, declared_ns));
}

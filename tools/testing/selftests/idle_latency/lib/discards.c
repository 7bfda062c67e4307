// SPDX-License-Identifier: GPL-2.0
/* What counts and records say beside the latencies, in words. */
#include <stdio.h>

#include "verdict.h"

static const struct {
	const char *name;
	/* it is not the machine that has selected what is left */
	bool fair;
	/* who makes the CPU do what no idle state is to blame for */
	const char *whose;
} reasons[IDLE_LATENCY_DISCARD_SLOTS] = {
	[IDLE_LATENCY_DISCARD_STOPPED] = { .name = "stopped", .fair = true },
	[IDLE_LATENCY_DISCARD_SPURIOUS] = { .name = "spurious" },
	[IDLE_LATENCY_DISCARD_LATE] = { .name = "late", .fair = true },
	[IDLE_LATENCY_DISCARD_LOST] = { .name = "lost", .fair = true },
	[IDLE_LATENCY_DISCARD_OTHER_CPU] = { .name = "other_cpu" },
	[IDLE_LATENCY_DISCARD_NO_IDLE] = { .name = "no_idle", .fair = true },
	[IDLE_LATENCY_DISCARD_OTHER_STATE] = { .name = "other_state" },
	[IDLE_LATENCY_DISCARD_TSC] = { .name = "tsc" },
	[IDLE_LATENCY_DISCARD_FOREIGN_TIMER] = { .name = "foreign_timer" },
	[IDLE_LATENCY_DISCARD_FOREIGN_IRQ] = { .name = "foreign_irq" },
	[IDLE_LATENCY_DISCARD_NMI] = { .name = "nmi", .whose = "; the watchdog's or perf's" },
	[IDLE_LATENCY_DISCARD_SMI] = { .name = "smi", .whose = "; the firmware's" },
	[IDLE_LATENCY_DISCARD_WOKEN] = { .name = "woken" },
	[IDLE_LATENCY_DISCARD_STAMPS] = { .name = "stamps" },
	[IDLE_LATENCY_DISCARD_BEFORE_IDLE] = { .name = "before_idle", .fair = true },
	[IDLE_LATENCY_DISCARD_AFTER_IDLE] = { .name = "after_idle" },
	[IDLE_LATENCY_DISCARD_EARLY_INTR] = { .name = "early_intr" },
};

#define UNKNOWN_BYTES	sizeof("unknown_4294967295")

/* A newer kernel may know more reasons and counters than this program. */
static const char *unknown_name(char *name, unsigned int number)
{
	snprintf(name, UNKNOWN_BYTES, "unknown_%u", number);
	return name;
}

static const char *reason(size_t slot)
{
	static char unknown[UNKNOWN_BYTES];

	return reasons[slot].name ?: unknown_name(unknown, slot);
}

static __u64 sum(const __u64 *slots)
{
	__u64 total = 0;

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		total += slots[i];
	return total;
}

__u64 discards_total(const struct idle_latency_counts *counts)
{
	return sum(counts->discarded);
}

__u64 discards_selecting(const struct idle_latency_counts *counts)
{
	__u64 selecting = 0;

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		selecting += reasons[i].fair ? 0 : counts->discarded[i];
	return selecting;
}

__u64 discards_above(const struct idle_latency_counts *counts)
{
	return sum(counts->above);
}

void discards_text(const struct idle_latency_counts *counts, bool above, char *text, size_t size)
{
	struct text all = text_begin(text, size);

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		if (!(above ? counts->above : counts->discarded)[i])
			continue;
		text_add(&all, "%s%s %llu", all.used ? ", " : "", reason(i),
			 counts->discarded[i]);
		if (counts->above[i])
			text_add(&all, " (%llu above, largest %llu ns%s)", counts->above[i],
				 counts->largest_ns[i],
				 above && reasons[i].whose ? reasons[i].whose : "");
	}
}

const char *discards_reasons(__u32 bits)
{
	static char words[256];
	struct text all = text_begin(words, sizeof(words));

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (bits & 1U << i)
			text_add(&all, "%s%s", all.used ? "+" : "", reason(i));
	return words;
}

static size_t find_most(const struct idle_latency_counts *counts)
{
	size_t most = 0;

	for (size_t i = 1; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (counts->discarded[i] > counts->discarded[most])
			most = i;
	return most;
}

bool discards_mostly_interrupts(const struct idle_latency_counts *counts)
{
	return find_most(counts) == IDLE_LATENCY_DISCARD_FOREIGN_IRQ;
}

void discards_add_most(struct text *text, const struct idle_latency_counts *counts)
{
	size_t most = find_most(counts);

	if (counts->discarded[most])
		text_add(text, "%s %llu", reason(most), counts->discarded[most]);
	else
		text_add(text, "none");
}

/* In the order of enum idle_latency_residency_counter, which never changes. */
static const char * const counter_names[IDLE_LATENCY_RESIDENCY_MAX] = {
	"CC1", "CC3", "CC6", "CC7", "MC6", "PC2", "PC3", "PC6", "PC7", "PC8", "PC9", "PC10", "C0",
};

const char *residency_name(unsigned int counter)
{
	static char unknown[UNKNOWN_BYTES];

	if (counter == IDLE_LATENCY_RESIDENCY_NONE)
		return NULL;
	return counter < IDLE_LATENCY_RESIDENCY_MAX ? counter_names[counter] :
						      unknown_name(unknown, counter);
}

unsigned int residency_by_depth(unsigned int n)
{
	if (!n)
		return IDLE_LATENCY_RESIDENCY_C0;
	return n < IDLE_LATENCY_RESIDENCY_MAX ? n - 1 : n;
}

/* What C0 and the deeper core states leave. */
static bool c1_share(const struct idle_latency_record *record, double *percent)
{
	static const enum idle_latency_residency_counter others[] = {
		IDLE_LATENCY_RESIDENCY_C0, IDLE_LATENCY_RESIDENCY_CC3,
		IDLE_LATENCY_RESIDENCY_CC6, IDLE_LATENCY_RESIDENCY_CC7,
	};
	double rest = 100, share;

	/* Without any counter of a deeper state, nobody knows whether it was one of these. */
	if (!(record->residency_present & COUNTER(C0)) ||
	    !(record->residency_present & (COUNTER(CC3) | COUNTER(CC6) | COUNTER(CC7))))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		/* A core state without a counter was not entered; an invalid one is unknown. */
		if (record->residency_invalid & 1U << others[i])
			return false;
		if (residency_share(record, others[i], &share))
			rest -= share;
	}
	*percent = rest;
	return rest >= 0;
}

bool residency_share(const struct idle_latency_record *record, unsigned int counter,
		     double *percent)
{
	const __u32 valid = record->residency_present & ~record->residency_invalid;

	if (counter == IDLE_LATENCY_RESIDENCY_CC1 && !(record->residency_present & COUNTER(CC1)))
		return c1_share(record, percent);
	if (!(valid & 1U << counter) || !record->interval_cyc)
		return false;
	*percent = 100.0 * record->residency_cyc[counter] / record->interval_cyc;
	return true;
}

const char *residency_package(const struct idle_latency_record *record)
{
	const char *deepest = "";

	for (unsigned int i = IDLE_LATENCY_RESIDENCY_PC2; i <= IDLE_LATENCY_RESIDENCY_PC10; i++) {
		if (record->residency_present & 1U << i && !*deepest)
			deepest = "PC0";
		if (record->residency_cyc[i])
			deepest = counter_names[i];
	}
	return deepest;
}

const char *scope_name(enum scope scope)
{
	static const char * const names[SCOPES] = { "module", "package" };

	return names[scope];
}

bool scope_known(const struct idle_latency_record *record, enum scope scope)
{
	if (scope == SCOPE_PACKAGE)
		return record->residency_present & PACKAGE_COUNTERS;
	return record->residency_present & ~record->residency_invalid & COUNTER(MC6);
}

/* Which of its states the package has to be in, only the driver knows. */
bool scope_asleep(const struct idle_latency_record *record, enum scope scope)
{
	if (scope == SCOPE_PACKAGE)
		return record->flags & IDLE_LATENCY_RECORD_PACKAGE;
	return record->flags & IDLE_LATENCY_RECORD_MODULE;
}

bool scope_awake(const struct idle_latency_record *record, enum scope scope)
{
	return scope_known(record, scope) && !scope_asleep(record, scope) &&
	       (scope == SCOPE_PACKAGE || !record->residency_cyc[IDLE_LATENCY_RESIDENCY_MC6]);
}

void residency_add(struct text *text, const struct idle_latency_record *record)
{
	double percent;

	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++) {
		const unsigned int counter = residency_by_depth(i);

		if (residency_share(record, counter, &percent) && percent > 0)
			text_add(text, "%s%s %.1f %%", text->used ? ", " : "",
				 counter ? residency_name(counter) : "C1", percent);
	}
}

bool residency_frequency(const struct idle_latency_record *record, double *percent)
{
	if (!record->mperf_cyc)
		return false;
	*percent = 100.0 * record->aperf_cyc / record->mperf_cyc;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "discards.h"
#include "text.h"

static const char * const names[IDLE_LATENCY_DISCARD_MAX] = {
	[IDLE_LATENCY_DISCARD_STOPPED] = "stopped",
	[IDLE_LATENCY_DISCARD_SPURIOUS] = "spurious",
	[IDLE_LATENCY_DISCARD_LATE] = "late",
	[IDLE_LATENCY_DISCARD_LOST] = "lost",
	[IDLE_LATENCY_DISCARD_OTHER_CPU] = "other_cpu",
	[IDLE_LATENCY_DISCARD_NO_IDLE] = "no_idle",
	[IDLE_LATENCY_DISCARD_OTHER_STATE] = "other_state",
	[IDLE_LATENCY_DISCARD_TSC] = "tsc",
	[IDLE_LATENCY_DISCARD_FOREIGN_TIMER] = "foreign_timer",
	[IDLE_LATENCY_DISCARD_FOREIGN_IRQ] = "foreign_irq",
	[IDLE_LATENCY_DISCARD_NMI] = "nmi",
	[IDLE_LATENCY_DISCARD_SMI] = "smi",
	[IDLE_LATENCY_DISCARD_WOKEN] = "woken",
	[IDLE_LATENCY_DISCARD_STAMPS] = "stamps",
	[IDLE_LATENCY_DISCARD_BEFORE_IDLE] = "before_idle",
	[IDLE_LATENCY_DISCARD_AFTER_IDLE] = "after_idle",
	[IDLE_LATENCY_DISCARD_EARLY_INTR] = "early_intr",
};

/* A newer kernel may know more reasons than this program. */
static const char *reason(size_t slot)
{
	return slot < IDLE_LATENCY_DISCARD_MAX ? names[slot] : "unknown";
}

/* Who makes the CPU do what no idle state is to blame for. */
static const char *owner(size_t slot)
{
	switch (slot) {
	case IDLE_LATENCY_DISCARD_SMI:
		return "; the firmware's";
	case IDLE_LATENCY_DISCARD_NMI:
		return "; the watchdog's or perf's";
	default:
		return "";
	}
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

__u64 discards_above(const struct idle_latency_counts *counts)
{
	return sum(counts->above);
}

static void add_slot(struct text *text,
		     const struct idle_latency_counts *counts, size_t slot,
		     const char *whose)
{
	text_add(text, "%s%s %llu", text->used ? ", " : "", reason(slot),
		 counts->discarded[slot]);
	if (counts->above[slot])
		text_add(text, " (%llu above, largest %llu ns%s)",
			 counts->above[slot], counts->largest_ns[slot], whose);
}

void discards_text(const struct idle_latency_counts *counts, char *text,
		   size_t size)
{
	struct text all = text_begin(text, size);

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (counts->discarded[i])
			add_slot(&all, counts, i, "");
}

void discards_above_text(const struct idle_latency_counts *counts, char *text,
			 size_t size)
{
	struct text above = text_begin(text, size);

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (counts->above[i])
			add_slot(&above, counts, i, owner(i));
}

void discards_reasons_text(__u32 reasons, char *text, size_t size)
{
	struct text all = text_begin(text, size);

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (reasons & 1U << i)
			text_add(&all, "%s%s", all.used ? "+" : "", reason(i));
}

void discards_most_text(const struct idle_latency_counts *counts, char *text,
			size_t size)
{
	size_t most = 0;

	for (size_t i = 1; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (counts->discarded[i] > counts->discarded[most])
			most = i;
	if (counts->discarded[most])
		snprintf(text, size, "%s %llu", reason(most),
			 counts->discarded[most]);
	else
		snprintf(text, size, "none");
}

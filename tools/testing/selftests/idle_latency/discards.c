// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "discards.h"

static const char * const reasons[IDLE_LATENCY_DISCARD_MAX] = {
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
	return slot < IDLE_LATENCY_DISCARD_MAX ? reasons[slot] : "unknown";
}

__u64 discards_total(const struct idle_latency_counts *counts)
{
	__u64 total = 0;

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		total += counts->discarded[i];
	return total;
}

void discards_text(const struct idle_latency_counts *counts, char *text,
		   size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		if (!counts->discarded[i] || used >= size)
			continue;
		used += snprintf(text + used, size - used, "%s%s %llu",
				 used ? ", " : "", reason(i),
				 counts->discarded[i]);
	}
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

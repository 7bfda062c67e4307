// SPDX-License-Identifier: GPL-2.0
/* What is said of several CPUs that are measured at once. */
#include <string.h>

#include "verdict_situation.h"

/* Samples in less memory, whether they are the same again, and how many bytes each takes. */
SAYING(packed)
{
	struct packed packed = { };
	struct unpacking unpacking = { .packed = &packed };
	bool same = packed_reserve(&packed, 1);
	size_t count = 0;

	for (size_t i = 0; i < now.evidence.count; i++)
		same &= packed_add(&packed, &samples[i]);
	while (packed_next(&unpacking)) {
		same &= !memcmp(&samples[count], &unpacking.record, sizeof(unpacking.record));
		count++;
	}
	text_add(text, "%zu %s, %zu bytes each", count, same ? "the same" : "others",
		 packed.used / (count ?: 1));
	packed_free(&packed);
}

/* Of two rows, the second one of CPU 9 with half of the latencies more, or without any. */
static void make_two(struct progress *two)
{
	static struct row second;

	second = now.row;
	second.cpu = 9;
	two[0] = now.progress;
	two[1] = now.progress;
	two[1].row = &second;
	if (now.with.terminal) {
		two[1].samples = 0;
		two[1].done_cost_ns = 0;
		two[1].sum_ns = 0;
	} else {
		two[1].largest_ns += two[1].largest_ns / 2;
		two[1].sum_ns += two[1].sum_ns / 2;
	}
}

SAYING(progress_together)
{
	char line[CASE_BYTES];
	struct progress two[2];
	const struct progress *running[] = { &two[0], &two[1] };

	make_two(two);
	progress_text(running, 2, now.with.n, line, sizeof(line));
	text_add(text, "%s", line);
}

SAYING(top_together)
{
	char line[CASE_BYTES];
	const struct verdict skipped = { .result = VERDICT_SKIP, .reason = "interrupted" };
	const struct verdict *verdicts[] = { &now.result.verdict, &skipped };
	struct progress two[2];
	const struct progress *rows[] = { &two[0], &two[1] };

	make_two(two);
	progress_top_text(rows, verdicts, 2, line, sizeof(line));
	text_add(text, "%s", line);
}

/*
 * A machine has with.n cores of with.k threads, the first ones of all cores before the second
 * ones, in with.number packages. with.list is to be measured, and with.text allowed.
 */
static const struct phases *make_phases(void)
{
	static struct cpu_list measured, allowed;
	static struct phases phases;

	cpu_list_parse(now.with.list, &measured);
	cpu_list_parse(now.with.text, &allowed);
	phases.cpus = now.with.n * now.with.k;
	for (size_t i = 0; i < phases.cpus; i++)
		phases.cpu[i] = (struct phase_cpu) {
			.cpu = i,
			.core = i % now.with.n,
			.package = i % now.with.n * now.with.number / now.with.n,
			.allowed = cpu_list_has(&allowed, i),
			.wanted = cpu_list_has(&measured, i),
		};
	phases_plan(&phases, now.with.of[0] ?: CPU_LIST_MAX);
	return &phases;
}

/* "1-7 by 0; 0 by 1" */
SAYING(phases)
{
	const struct phases *phases = make_phases();
	static struct cpu_list list;
	char line[CASE_BYTES];

	for (unsigned int i = 1; i <= phases->count; i++) {
		list.count = 0;
		for (size_t j = 0; j < phases->cpus; j++)
			if (phases->cpu[j].phase == i)
				list.cpu[list.count++] = phases->cpu[j].cpu;
		cpu_list_text(&list, line, sizeof(line));
		text_add(text, "%s%s by %d", i > 1 ? "; " : "", line, phases->housekeeping[i]);
	}
}

SAYING(phase_sizes)
{
	const struct phases *phases = make_phases();

	for (unsigned int i = 1; i <= phases->count; i++)
		text_add(text, "%s%zu", i > 1 ? " " : "", phases_size(phases, i));
	text_add(text, ", %zu at most", phases_largest(phases));
}

SAYING(first_of_packages)
{
	const struct phases *phases = make_phases();

	for (size_t i = 0; i < phases->cpus; i++)
		if (phases->cpu[i].wanted && phases_first_of_package(phases, i))
			text_add(text, "%s%zu", text->used ? " " : "", i);
}

SAYS(buffer, "%u", phases_buffer(now.with.n, now.with.k))

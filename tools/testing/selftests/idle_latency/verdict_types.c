// SPDX-License-Identifier: GPL-2.0
/*
 * Functions about all CPUs of a core type: rows[] are theirs, and with.n how many there are.
 */
#include <stdlib.h>
#include <string.h>

#include "verdict_situation.h"

#define SAMPLES		3000
#define SEEDS		20

/* Types are judged, and their rows say so. */
static bool judge_types(struct types *types)
{
	if (!types_begin(types, now.rows, now.with.n))
		return false;
	for (size_t i = 0; i < now.with.n; i++)
		now.results[i].verdict.reason = now.results[i].verdict.reason ?: "";
	types_judge(types, now.results, now.with.n, &now.options);
	return true;
}

static void say_type(struct text *text, const struct type *type)
{
	const struct verdict *verdict = &type->result.verdict;
	const char *qualifiers = verdict_qualifiers(verdict->qualifiers);

	text_add(text, "%s: %s%s%s%s%s: %s", row_name(&type->row), verdict_name(verdict->result),
		 *qualifiers ? " " : "", qualifiers, *verdict->reason ? " " : "", verdict->reason,
		 verdict->figures);
}

/* And then the row of the summary of the first one. */
SAYING(types)
{
	struct types types;

	if (!judge_types(&types))
		return;
	for (size_t i = 0; i < types.count; i++) {
		text_add(text, i ? "; and " : "");
		say_type(text, &types.types[i]);
	}
	if (types.count) {
		now.row = types.types[0].row;
		now.result = types.types[0].result;
		/* The name is in what is freed. */
		now.row.all = strdup(now.row.all);
	}
	types_end(&types);
}

/* How many results there are in KTAP, and which rows are in the table. */
SAYING(results)
{
	struct types types;

	if (!judge_types(&types))
		return;
	text_add(text, "%zu:", types_results(&types, now.rows, now.with.n, &now.options));
	for (size_t i = 0; i < now.with.n; i++)
		if (now.results[i].shown)
			text_add(text, " %u", now.rows[i].cpu);
	types_end(&types);
}

SAYING(latencies)
{
	static __u32 latencies[SAMPLES_ROOM];
	const size_t count = verdict_latencies(&now.rule, &now.evidence, latencies);

	for (size_t i = 0; i < count; i++)
		text_add(text, "%s%u", i ? " " : "", latencies[i]);
}

/* The bound of the mean, of what was counted of the CPUs. */

static size_t take_trials(struct trials *trials)
{
	for (size_t i = 0; i < now.with.n; i++)
		trials[i] = (struct trials) {
			now.results[i].verdict.counted, now.results[i].verdict.counted_open,
		};
	return now.with.n;
}

SAYING(mean_upper)
{
	struct trials trials[ROWS];

	text_add(text, "%.15g", binomial_mean_upper(trials, take_trials(trials)));
}

/* So many of n that have this probability, in parts per million. */
static __u64 draw(struct dice *dice, __u64 n, __u64 ppm)
{
	__u64 k = 0;

	while (n--)
		k += dice_below(dice, 1000000) < ppm;
	return k;
}

/*
 * Of 2000 draws of CPUs with the probabilities swept.levels, or 0 for those after them: in how
 * many the bound is below their mean, in percent; and the bound that takes all as one.
 */
SAYING(mean_bounds)
{
	struct dice dice = { .state = 73 };
	struct trials trials[ROWS];
	const size_t count = take_trials(trials), draws = 2000;
	size_t wrong = 0, wrong_as_one = 0;
	double mean = 0;

	for (size_t i = 0; i < LEVELS && i < count; i++)
		mean += now.swept.levels[i] / 1e6 / count;
	for (size_t j = 0; j < draws; j++) {
		struct trials all = { };

		for (size_t i = 0; i < count; i++) {
			trials[i].k = draw(&dice, trials[i].n,
					   i < LEVELS ? now.swept.levels[i] : 0);
			all.n += trials[i].n;
			all.k += trials[i].k;
		}
		wrong += binomial_mean_upper(trials, count) < mean;
		wrong_as_one += binomial_upper(all.n, all.k) < mean;
	}
	text_add(text, "%s, as one %s", 100 * wrong <= 5 * draws ? "holds" : "is wrong",
		 100 * wrong_as_one <= 5 * draws ? "holds" : "is wrong");
}

/*
 * The slowest of CPUs whose latency is with.n and by chance up to with.k more, and one in 100
 * takes 20 us more; each CPU has with.of[0] more than the one before, and with.number more has
 * CPU with.of[1].
 */
static const struct row *name_slowest(struct dice *dice)
{
	static __u32 latencies[ROWS][SAMPLES];
	const struct row *slowest;
	struct types types;

	for (size_t i = 0; i < ROWS; i++) {
		struct result *result = &now.results[i];

		now.rows[i] = (struct row) { .cpu = i, .method = &methods[0] };
		result->summary.has_wake = true;
		result->verdict.reason = "";
		result->latencies = latencies[i];
		result->latency_count = SAMPLES;
		for (size_t j = 0; j < SAMPLES; j++)
			latencies[i][j] = now.with.n + i * now.with.of[0] +
					  dice_below(dice, now.with.k + 1) +
					  (i == now.with.of[1] ? now.with.number : 0) +
					  (dice_once_in(dice, 100) ? 20000 : 0);
	}
	if (!types_begin(&types, now.rows, ROWS))
		return NULL;
	types_judge(&types, now.results, ROWS, &now.options);
	slowest = types.types[0].slowest.row;
	types_end(&types);
	return slowest;
}

SAYING(slowest)
{
	size_t right = 0, wrong = 0;

	for (size_t seed = 1; seed <= SEEDS; seed++) {
		const struct row *slowest = name_slowest(&(struct dice) { .state = seed });

		right += slowest && slowest->cpu == now.with.of[1];
		wrong += slowest && slowest->cpu != now.with.of[1];
	}
	text_add(text, "named %zu, another %zu", right, wrong);
}

/* What is printed and written of many CPUs. */

#define MANY	256

/* Of all of these, with.k take longer than is declared, and the last of them by far the longest. */
static void make_many(struct row *rows, struct result *results)
{
	static const __u32 latencies[] = { [0 ... 99] = 2000 }, slow[] = { [0 ... 99] = 9000 };

	for (size_t i = 0; i < MANY; i++) {
		const bool fails = i < now.with.k, slowest = i + 1 == now.with.k;

		rows[i] = (struct row) {
			.cpu = i, .method = &methods[0], .state.name = "C6",
			.info.exit_latency_ns = 2500,
		};
		results[i] = (struct result) {
			.summary = { .row = &rows[i], .ran = true, .valid = 100, .has_wake = true },
			.verdict = {
				.result = fails ? VERDICT_FAIL : VERDICT_PASS,
				.reason = fails ? "above the limit" : "",
				.counted = 100, .counted_above = fails, .counted_open = fails,
				.above = fails, .none_above_ns = slowest ? 9000 : 3000,
			},
			.latencies = (__u32 *)(slowest ? slow : latencies), .latency_count = 100,
		};
	}
}

static void print_many(const struct types *types, struct result *results)
{
	report_begin(&now.options);
	for (size_t i = 0; i < MANY; i++) {
		report_verdict(&results[i], NULL);
		report_result(&results[i]);
	}
	types_report(types, results, MANY, NULL);
	for (size_t i = 0; i < MANY; i++)
		if (results[i].shown)
			table_row(&results[i]);
	for (size_t i = 0; i < types->count; i++)
		table_row(&types->types[i].result);
}

/* All lines that begin with one of these, and how many there are of all. */
static void say_lines(struct text *text, char *printed)
{
	size_t lines = 0, results = 0;
	char *rest = printed, *line;

	while ((line = strsep(&rest, "\n")) && rest) {
		results += !!strstr(line, "ok ") && *line != '#';
		if (!lines++ || !strchr("no#", *line))
			continue;
		if (lines < 16)
			text_add(text, "%s; ", line);
	}
	text_add(text, "%zu results in %zu lines", results, lines);
}

SAYING(many)
{
	static struct row rows[MANY];
	static struct result results[MANY];
	FILE *const saved = stdout;
	struct types types;
	char *printed;
	size_t size;

	now.options.cpus.count = MANY;
	make_many(rows, results);
	if (!types_begin(&types, rows, MANY))
		return;
	types_judge(&types, results, MANY, &now.options);
	stdout = open_memstream(&printed, &size);
	print_many(&types, results);
	fclose(stdout);
	stdout = saved;
	say_lines(text, printed);
	text_add(text, ", %zu announced", types_results(&types, rows, MANY, &now.options));
	free(printed);
	types_end(&types);
}

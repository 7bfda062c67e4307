// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "report.h"
#include "types.h"

/* Beyond so many ranges, a line only says how many CPUs there are more. */
#define RANGES	8

/*
 * Of 1000 rows of a type whose CPUs do not differ, one names a CPU at most. As any of them may be
 * the one with the largest median, the test of that has this, divided by their number.
 */
#define SLOWEST_ALPHA	0.001

/* As many samples as comparisons of runs take: the normal approximation of the ranks is good. */
#define SLOWEST_LEAST	20

/* Of so many it is said what they need of a table. */
#define TYPES_SERVED	4

static bool are_together(const struct row *a, const struct row *b)
{
	return a->type == b->type && a->method == b->method && a->state.index == b->state.index &&
	       !strcmp(a->state.name, b->state.name) && !a->phase == !b->phase &&
	       a->hold == b->hold;
}

/* The first row of its type and of each other CPU has it. */
static bool is_first(const struct row *rows, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (are_together(&rows[j], &rows[i]))
			return false;
	return true;
}

static bool has_other(const struct row *rows, size_t count, size_t i)
{
	for (size_t j = i + 1; j < count; j++)
		if (are_together(&rows[j], &rows[i]))
			return true;
	return false;
}

static void begin_type(struct type *type, struct row *rows, size_t count, size_t first)
{
	char name[16];

	cores_type_name(rows[first].type, name, sizeof(name));
	snprintf(type->name, sizeof(type->name), "all:%s", *name ? name : "cpu");
	for (size_t i = first; i < count; i++)
		rows[i].typed |= are_together(&rows[i], &rows[first]);
	type->row = rows[first];
	type->row.all = type->name;
	type->result.summary.row = &type->row;
}

bool types_begin(struct types *types, struct row *rows, size_t count)
{
	*types = (struct types) {
		.of = calloc(count + 1, sizeof(*types->of)),
		.trials = calloc(count + 1, sizeof(*types->trials)),
		.medians = calloc(count + 1, sizeof(*types->medians)),
	};
	for (size_t i = 0; i < count; i++) {
		rows[i].typed = false;
		types->count += is_first(rows, i) && has_other(rows, count, i);
	}
	types->types = calloc(types->count + 1, sizeof(*types->types));
	if (!types->of || !types->trials || !types->medians || !types->types)
		return false;
	for (size_t i = 0, at = 0; i < count; i++)
		if (is_first(rows, i) && has_other(rows, count, i))
			begin_type(&types->types[at++], rows, count, i);
	return true;
}

void types_end(struct types *types)
{
	free(types->of);
	free(types->trials);
	free(types->medians);
	free(types->types);
}

size_t types_results(const struct types *types, const struct row *rows, size_t count,
		     const struct options *options)
{
	size_t results = types->count;

	for (size_t i = 0; i < count; i++)
		results += options_each_cpu(options) || !rows[i].typed;
	return results;
}

static void add_counts(struct idle_latency_counts *all, const struct idle_latency_counts *counts)
{
	all->armed += counts->armed;
	all->delivered += counts->delivered;
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		all->discarded[i] += counts->discarded[i];
}

static void add_samples(struct summary *all, const struct summary *summary)
{
	const bool first = !all->valid;

	all->stamp = first || all->stamp == summary->stamp ? summary->stamp : 0;
	all->has_wake = summary->has_wake && (first || all->has_wake);
	all->wake.min = first ? summary->wake.min : smaller(all->wake.min, summary->wake.min);
	all->wake.max = larger(all->wake.max, summary->wake.max);
	all->intr.max = larger(all->intr.max, summary->intr.max);
	all->median_error_ns = larger(all->median_error_ns, summary->median_error_ns);
	all->median_uncertain_ns = larger(all->median_uncertain_ns, summary->median_uncertain_ns);
	all->counted |= summary->counted;
	all->package_counted |= summary->package_counted;
	all->valid += summary->valid;
}

/* Launch distances are known where all CPUs have the same. */
static void add_summary(struct summary *all, const struct summary *summary)
{
	struct launch_distance *ldist = &all->strata[STRATUM_COUNTED].ldist;
	const struct launch_distance *of = &summary->strata[STRATUM_COUNTED].ldist;

	if (!summary->ran)
		return;
	if (!all->ran)
		*ldist = *of;
	else if (ldist->from_ns != of->from_ns || ldist->to_ns != of->to_ns)
		*ldist = (struct launch_distance) { };
	all->ran = true;
	add_counts(&all->counts, &summary->counts);
	if (summary->valid)
		add_samples(all, summary);
}

/* That of the CPUs' medians: one of all samples would be that of those that have most. */
static __u64 median_of(struct types *types, size_t count, size_t offset)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		const struct summary *summary = &types->of[i]->summary;

		if (summary->valid)
			types->medians[known++] =
				*(const __u64 *)((const char *)summary + offset);
	}
	return known ? median_of_samples(types->medians, known) : 0;
}

static void summarise_type(struct types *types, struct summary *all, size_t count)
{
	*all = (struct summary) { .row = all->row };
	for (size_t i = 0; i < count; i++)
		add_summary(all, &types->of[i]->summary);
	all->wake.median = median_of(types, count, offsetof(struct summary, wake.median));
	all->intr.median = median_of(types, count, offsetof(struct summary, intr.median));
}

/* Of those that came to this, what most say. */
static const char *usual_reason(const struct result **of, size_t count, enum verdict_result result,
				bool firmware)
{
	const char *usual = "";
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct verdict *verdict = &of[i]->verdict;
		size_t same = 0;

		if (verdict->result != result || verdict->firmware != firmware)
			continue;
		for (size_t j = i; j < count; j++)
			same += of[j]->verdict.result == result &&
				of[j]->verdict.firmware == firmware &&
				!strcmp(of[j]->verdict.reason, verdict->reason);
		if (same > most)
			usual = verdict->reason;
		most = larger(most, same);
	}
	return usual;
}

/* "0-3,7", and how many more there are. */
static void add_cpus(struct text *text, struct cpu_list *cpus)
{
	const size_t all = cpus->count;
	size_t ranges = 0, shown = 0;
	char list[RANGES * 12];

	while (shown < all) {
		ranges += !shown || cpus->cpu[shown] != cpus->cpu[shown - 1] + 1;
		if (ranges > RANGES)
			break;
		shown++;
	}
	cpus->count = shown;
	cpu_list_text(cpus, list, sizeof(list));
	text_add(text, "%s", list);
	if (shown < all)
		text_add(text, " and %zu more", all - shown);
}

/* "1 of 8 CPUs FAIL (3), 7 PASS"; those of a PASS need no names. */
static void say_cpus(struct text *text, const struct result **of, size_t count)
{
	static const enum verdict_result order[] = { VERDICT_FAIL, VERDICT_SKIP, VERDICT_PASS };
	static struct cpu_list cpus;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		cpus.count = 0;
		for (size_t j = 0; j < count; j++)
			if (of[j]->verdict.result == order[i])
				cpus.cpu[cpus.count++] = of[j]->summary.row->cpu;
		if (!cpus.count)
			continue;
		if (text->used)
			text_add(text, ", %zu %s", cpus.count, verdict_name(order[i]));
		else
			text_add(text, "%zu of %zu CPUs %s", cpus.count, count,
				 verdict_name(order[i]));
		if (order[i] == VERDICT_PASS)
			continue;
		text_add(text, " (");
		add_cpus(text, &cpus);
		text_add(text, ")");
	}
}

/* The mean of the CPUs' shares of samples that are above, of those that count. */
static double mean_above(const struct result **of, size_t count)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		const struct verdict *verdict = &of[i]->verdict;

		if (!verdict->counted)
			continue;
		sum += (double)verdict->counted_above / verdict->counted;
		known++;
	}
	return known ? sum / known : 0;
}

static void say_type(struct verdict *verdict, const struct result **of, size_t count, size_t valid)
{
	struct text text = text_begin(verdict->figures, sizeof(verdict->figures));

	say_cpus(&text, of, count);
	if (valid)
		text_add(&text,
			 "; above in %zu of %zu samples; of those that count, p is %.3g in the mean of the CPUs, and at most %.3g at 95 %%",
			 verdict->above, valid, mean_above(of, count), verdict->p_upper);
}

static void add_verdict(struct verdict *all, const struct verdict *verdict)
{
	all->qualifiers |= verdict->qualifiers;
	all->above += verdict->above;
	all->discarded_above += verdict->discarded_above;
	all->reached += verdict->reached;
	all->package += verdict->package;
	all->counted += verdict->counted;
	all->counted_above += verdict->counted_above;
	all->counted_open += verdict->counted_open;
	all->smallest_pass_ns = larger(all->smallest_pass_ns, verdict->smallest_pass_ns);
	all->none_above_ns = larger(all->none_above_ns, verdict->none_above_ns);
}

/* What the firmware declares is to blame where it is for each CPU. */
static void conclude_type(struct types *types, struct result *result, size_t count)
{
	size_t failing = 0, by_firmware = 0, passing = 0;
	struct verdict *verdict = &result->verdict;

	*verdict = (struct verdict) { };
	for (size_t i = 0; i < count; i++) {
		const struct verdict *of = &types->of[i]->verdict;

		failing += of->result == VERDICT_FAIL;
		by_firmware += of->result == VERDICT_FAIL && of->firmware;
		passing += of->result == VERDICT_PASS;
		types->trials[i] = (struct trials) { of->counted, of->counted_open };
		add_verdict(verdict, of);
	}
	verdict->result = failing ? VERDICT_FAIL :
			  passing == count ? VERDICT_PASS : VERDICT_SKIP;
	verdict->firmware = failing && by_firmware == failing;
	verdict->reason = usual_reason(types->of, count, verdict->result, verdict->firmware);
	verdict->p_upper = binomial_mean_upper(types->trials, count);
	/* The others say what a PASS leaves open. */
	if (verdict->result != VERDICT_PASS)
		verdict->qualifiers &= QUALIFIER_VIRTUAL;
	say_type(verdict, types->of, count, result->summary.valid);
}

static struct sample_set take_others(const struct result **of, size_t count,
				     const struct result *but, __u64 *latencies)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; of[i] != but && j < of[i]->latency_count; j++)
			latencies[all++] = of[i]->latencies[j];
	sort_samples(latencies, all);
	return (struct sample_set) { latencies, all };
}

static __u64 median_of_set(const struct sample_set *set)
{
	return order_stat(set->sorted, set->count, QUANTILE_ONE / 2);
}

/* @room: for all samples, and those of one CPU once more */
static void test_slowest(const struct result **of, size_t count, __u64 *room,
			 struct slowest *slowest)
{
	const struct result *largest = NULL;
	struct margin margin = { .least_ns = MARGIN_LEAST_NS, .percent = MARGIN_PERCENT };
	struct sample_set own, others;

	for (size_t i = 0; i < count; i++) {
		const struct sample_set set =
			sample_set_of(of[i]->latencies, of[i]->latency_count, room);
		const __u64 median_ns = median_of_set(&set);

		if (largest && median_ns <= slowest->median_ns)
			continue;
		largest = of[i];
		slowest->median_ns = median_ns;
	}
	for (size_t i = 0; i < count; i++)
		if (of[i] != largest)
			margin.error_ns = larger(margin.error_ns, of[i]->summary.median_error_ns);
	margin.error_ns += largest->summary.median_error_ns;
	own = sample_set_of(largest->latencies, largest->latency_count, room);
	others = take_others(of, count, largest, room + own.count);
	slowest->others_ns = median_of_set(&others);
	if (is_larger(&others, &own, &margin, SLOWEST_ALPHA / count,
		      room + own.count + others.count))
		slowest->row = largest->summary.row;
}

/* Those with enough samples, and the same kind of latency. Returns false without memory. */
static bool find_slowest(const struct result **of, size_t count, struct slowest *slowest)
{
	size_t comparable = 0, samples = 0, most = 0;
	__u64 *room;

	*slowest = (struct slowest) { };
	for (size_t i = 0; i < count; i++) {
		if (of[i]->latency_count < SLOWEST_LEAST ||
		    (comparable && of[i]->summary.has_wake != of[0]->summary.has_wake))
			continue;
		samples += of[i]->latency_count;
		most = larger(most, of[i]->latency_count);
		of[comparable++] = of[i];
	}
	if (comparable < 2)
		return true;
	room = malloc((samples + most) * sizeof(*room));
	if (room)
		test_slowest(of, comparable, room, slowest);
	free(room);
	return room;
}

/* Of those that FAIL, the ones that take the longest. */
static void show_failing(struct result *results, size_t count, const struct row *type)
{
	for (size_t n = 0; n < TYPES_FAILING; n++) {
		struct result *worst = NULL;

		for (size_t i = 0; i < count; i++)
			if (are_together(results[i].summary.row, type) && !results[i].shown &&
			    results[i].verdict.result == VERDICT_FAIL &&
			    (!worst || results[i].verdict.none_above_ns >
				       worst->verdict.none_above_ns))
				worst = &results[i];
		if (worst)
			worst->shown = true;
	}
}

static void show_row(struct result *results, size_t count, const struct row *row)
{
	for (size_t i = 0; i < count; i++)
		results[i].shown |= results[i].summary.row == row;
}

static void judge_type(struct types *types, struct type *type, struct result *results,
		       size_t count)
{
	size_t cpus = 0;

	for (size_t i = 0; i < count; i++)
		if (are_together(results[i].summary.row, &type->row))
			types->of[cpus++] = &results[i];
	summarise_type(types, &type->result.summary, cpus);
	conclude_type(types, &type->result, cpus);
	if (!find_slowest(types->of, cpus, &type->slowest))
		report_line("%s: out of memory: its CPUs are not compared", row_name(&type->row));
	type->result.shown = true;
	show_failing(results, count, &type->row);
	show_row(results, count, type->slowest.row);
}

void types_judge(struct types *types, struct result *results, size_t count,
		 const struct options *options)
{
	for (size_t i = 0; i < count; i++)
		results[i].shown = !options_many(options) || !results[i].summary.row->typed;
	for (size_t i = 0; i < types->count; i++)
		judge_type(types, &types->types[i], results, count);
}

static void report_slowest(const struct type *type, FILE *environment)
{
	const struct slowest *slowest = &type->slowest;

	if (slowest->row)
		environment_line(environment,
				 "%s: cpu%u is slower than the others: a median %s of %llu ns, of theirs %llu ns",
				 row_name(&type->row), slowest->row->cpu,
				 summary_latency(&type->result.summary), slowest->median_ns,
				 slowest->others_ns);
}

void types_report(const struct types *types, const struct result *results, size_t count,
		  FILE *environment)
{
	for (size_t i = 0; i < types->count; i++) {
		const struct type *type = &types->types[i];

		report_verdict(&type->result, environment);
		for (size_t j = 0; j < count; j++)
			if (results[j].shown && are_together(results[j].summary.row, &type->row))
				report_failing(&results[j]);
		report_slowest(type, environment);
		report_result(&type->result);
	}
}

/* Those of which there are samples. Returns how many of them there is room for. */
static size_t find_types(const struct result *results, size_t count, __u32 *types)
{
	size_t found = 0;

	for (size_t i = 0; i < count && found < TYPES_SERVED; i++) {
		size_t j = 0;

		while (j < found && types[j] != results[i].summary.row->type)
			j++;
		if (j == found && results[i].summary.valid)
			types[found++] = results[i].summary.row->type;
	}
	return found;
}

/* "C6 220 and 305 us", where the types do not need the same. */
static void add_needs(struct text *text, const char *separator, const char *name,
		      const __u64 *needed_us, size_t types)
{
	bool differ = false;

	for (size_t i = 1; i < types; i++)
		differ |= needed_us[i] != needed_us[0];
	for (size_t i = 0; i < types && differ; i++) {
		if (i)
			text_add(text, " and %llu", needed_us[i]);
		else
			text_add(text, "%s %s %llu", separator, name, needed_us[i]);
	}
	if (differ)
		text_add(text, " us");
}

bool types_remark(const struct result *results, size_t count, const struct method *method,
		  const struct idle_states *states, char *line, size_t size)
{
	struct text text = text_begin(line, size);
	__u64 needed_us[TYPES_SERVED];
	__u32 types[TYPES_SERVED];
	const size_t found = find_types(results, count, types);
	size_t said;
	char name[16];

	if (found < 2)
		return false;
	text_add(&text, "One table serves the core types ");
	for (size_t i = 0; i < found; i++) {
		cores_type_name(types[i], name, sizeof(name));
		text_add(&text, "%s%s", i ? " and " : "", name);
	}
	text_add(&text, ", and has what is larger");
	said = text.used;
	for (size_t i = 0; i < states->count; i++) {
		for (size_t j = 0; j < found; j++)
			needed_us[j] = (proposal_needed(results, count, method, i,
							&types[j]) + 999) / 1000;
		add_needs(&text, text.used == said ? ":" : ",", states->state[i].name, needed_us,
			  found);
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that say what comes of the values of a case. Each calls one of those that are
 * tested, and makes a text of what that gives.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include <sys/stat.h>
#include <sys/timex.h>

#include "verdict_situation.h"

/* Those that write to memory may use with.size of it, and are told off when they use more. */
static char memory[1024];

static void add_memory(struct text *text)
{
	const size_t behind = sizeof(memory) - 1 - now.with.size;

	text_add(text, "%s%s", memory, strspn(memory + now.with.size, "x") == behind ? "" :
		 " WITH MORE BEHIND IT");
}

static FILE *page;

static struct function {
	const char *name;
	void (*say)(struct text *text);
} functions[256];

static size_t function_count;

void add_function(const char *name, void (*say)(struct text *text))
{
	if (function_count == ARRAY_SIZE(functions))
		abort();
	functions[function_count++] = (struct function) { name, say };
}

/* What a call writes to memory; nothing if it returns false. */
#define WRITES_IF(what, ...) \
	static void say_##what(struct text *text); \
	SAYING(what) \
	{ \
		memset(memory, 'x', sizeof(memory) - 1); \
		if (__VA_ARGS__) \
			add_memory(text); \
	}
#define WRITES(what, ...) WRITES_IF(what, ((__VA_ARGS__), true))
#define PRINTS(what, ...) \
	static void say_##what(struct text *text); \
	SAYING(what) \
	{ \
		char printed[CASE_BYTES] = ""; \
\
		page = fmemopen(printed, sizeof(printed), "w"); \
		__VA_ARGS__; \
		fclose(page); \
		text_add(text, "%s", printed); \
	}

SAYING(verdict)
{
	const char *qualifiers;

	verdict_judge(&now.rule, &now.evidence, &now.verdict);
	qualifiers = verdict_qualifiers(now.verdict.qualifiers);
	text_add(text, "%s%s%s%s%s", verdict_name(now.verdict.result), *qualifiers ? " " : "",
		 qualifiers, *now.verdict.reason ? " " : "", now.verdict.reason);
}

/* Whatever was there before. */
SAYING(skipped)
{
	memset(&now.verdict, 0xff, sizeof(now.verdict));
	verdict_skip(&now.verdict, now.with.text);
	text_add(text, "%s", verdict_name(now.verdict.result));
}

static const char * const zones[] = { "below", "within", "above" };

SAYS(zone, "%s", zones[verdict_zone(&now.rule.instrument, now.rule.limit_ns, samples)])
SAYS(uncertain, "%llu", instrument_uncertain(&now.rule.instrument, samples))
SAYS(least, "%llu", verdict_least(samples))
SAYS(ldist_most, "%llu", instrument_ldist_most(&now.rule.instrument, now.rule.limit_ns))
SAYS(delivery, "%llu", delivery_at_most(&now.nic, &now.timer))
SAYS(delivery_samples, "%zu", delivery_samples(now.distance))

static struct verdict_counted count_samples(void)
{
	struct verdict_counting counting = { };

	for (size_t i = 0; i < now.evidence.count; i++)
		verdict_count(&counting, &samples[i], now.rule.residency_ns);
	return verdict_counted(&counting);
}

SAYS(counting, "%zu", count_samples().all)
SAYS(counting_package, "%zu", count_samples().asleep[SCOPE_PACKAGE])
SAYS(counting_module, "%zu", count_samples().asleep[SCOPE_MODULE])
SAYS(qualifiers, "%s", verdict_qualifiers(now.verdict.qualifiers))
WRITES(quantile_name, quantile_name(now.rule.quantile, memory, now.with.size))

static const char * const codes[] = { "pass", "fail", "xfail", "xpass", "skip" };

SAYS(code, "%s", codes[report_code(&now.verdict)])

/* Exact probabilities. */

SAYS(at_least, "%.15g", binomial_at_least(now.with.n, now.with.k, now.with.p))
SAYS(at_most, "%.15g", binomial_at_most(now.with.n, now.with.k, now.with.p))
SAYS(smallest_n, "%llu", binomial_smallest_n(now.with.k, now.with.p))
SAYS(contradicts, "%d", verdict_contradicts(now.with.n, now.with.k, now.rule.quantile))

SAYING(bounds)
{
	text_add(text, "%.15g %.15g", binomial_lower(now.with.n, now.with.k),
		 binomial_upper(now.with.n, now.with.k));
}

/* Order statistics, of the WakeLatency of the samples. */

static __u64 sorted[SAMPLES_ROOM];

static void sort_wake(void)
{
	for (size_t i = 0; i < now.evidence.count; i++)
		sorted[i] = samples[i].wake_ns;
	sort_samples(sorted, now.evidence.count);
}

SAYING(order)
{
	struct order_stats stats;

	sort_wake();
	stats = order_stats(sorted, now.evidence.count);
	text_add(text, "min %llu, median %llu", stats.min, stats.median);
	if (stats.has_p99)
		text_add(text, ", p99 %llu", stats.p99);
	if (stats.has_p9999)
		text_add(text, ", p9999 %llu", stats.p9999);
	text_add(text, ", max %llu", stats.max);
}

SAYING(order_stat)
{
	sort_wake();
	text_add(text, "%llu", order_stat(sorted, now.evidence.count, now.rule.quantile));
}

SAYING(sorted)
{
	sort_wake();
	for (size_t i = 0; i < now.evidence.count; i++)
		text_add(text, "%s%llu", i ? " " : "", sorted[i]);
}

/* Two sets: the WakeLatency of the samples and of the discarded events, which are sorted. */

static void make_sets(struct sample_set *a, struct sample_set *b)
{
	static __u64 other[KEPT_ROOM];

	sort_wake();
	for (size_t i = 0; i < now.evidence.discarded_count; i++)
		other[i] = kept[i].wake_ns;
	*a = (struct sample_set) { sorted, now.evidence.count };
	*b = (struct sample_set) { other, now.evidence.discarded_count };
}

SAYING(ranks)
{
	struct sample_set a, b;
	struct rank_test test;

	make_sets(&a, &b);
	test = rank_test(&a, &b);
	text_add(text, "%.15g %.15g %.15g %.15g", test.u, test.variance, test.z,
		 rank_test_p(&test));
}

/* Whether the second set is larger, or the first one. */
SAYING(larger)
{
	__u64 room[KEPT_ROOM + 1] = { [KEPT_ROOM] = ~0ULL };
	struct sample_set a, b;

	make_sets(&a, &b);
	text_add(text, "%.15g ", larger_p(&a, &b, &now.margin, room));
	text_add(text, "%.15g%s", larger_p(&b, &a, &now.margin, room),
		 room[KEPT_ROOM] == ~0ULL ? "" : " WITH MORE THAN THERE IS ROOM FOR");
}

SAYS(tail, "%.15g", tail_test_p(now.with.of[0], now.with.of[1], now.with.of[2], now.with.of[3]))
SAYS(margin, "%llu", margin_reduce(&now.margin, now.with.n))

/* Discarded events, and the accounting. */

SAYS(discarded_total, "%llu", discards_total(&now.counts))
SAYS(above_total, "%llu", discards_above(&now.counts))
WRITES(discards, discards_text(&now.counts, false, memory, now.with.size))
WRITES(discards_above, discards_text(&now.counts, true, memory, now.with.size))

SAYING(discards_most)
{
	discards_add_most(text, &now.counts);
}

static void parse_interrupts(const char *text, struct interrupt_table *table)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");

	if (!file)
		return;
	interrupts_parse(file, table);
	fclose(file);
}

SAYING(interrupts)
{
	static struct interrupt_table before, after;

	parse_interrupts(now.with.text, &before);
	parse_interrupts(now.with.args, &after);
	interrupts_between(&before, &after, now.with.number, now.with.name, now.with.k, memory,
			   now.with.size);
	text_add(text, "%s", memory);
	interrupts_free(&before);
	interrupts_free(&after);
}

SAYS(reasons, "%s", discards_reasons(samples[0].reasons))
SAYS(accounting, "%s", accounting_counts(&now.counts) ?: "")
SAYS(accounting_limit, "%s", accounting_limit(&now.counts, now.rule.limit_ns) ?: "")
SAYS(accounting_end, "%s", accounting_end(&now.counts, now.with.n) ?: "")
SAYS(accounting_known, "%s", accounting_known(samples) ?: "")
SAYS(accounting_known_counts, "%s", accounting_known_counts(&now.counts) ?: "")
SAYS(accounting_record, "%s", accounting_record(samples, 5, &now.config) ?: "")

/* What to declare instead. */

WRITES_IF(line, proposal_line(now.table, now.with.n, memory, now.with.size))

SAYING(too_high)
{
	const bool is_high = proposal_too_high(now.with.n, now.with.k, memory, now.with.size);

	text_add(text, "%s%s", is_high == !!*memory ? "" : "in spite of that: ", memory);
}

SAYING(method)
{
	const struct method *method = proposal_method(now.results, now.with.n);

	text_add(text, "%s", method ? method->name : "none");
}

SAYS(needed, "%llu", proposal_needed(now.results, now.with.n, now.with.method, now.with.k, NULL))

WRITES_IF(types_remark, types_remark(now.results, now.with.n, now.with.method, &now.named, memory,
				     now.with.size))

/* CPUs, their states and the options. */

static struct cpu_list cpus, chosen;

WRITES(cpus, cpu_list_text(&cpus, memory, now.with.size))
SAYS(cpus_parsed, "%s", cpu_list_parse(now.with.list, &cpus) ? "yes" : "no")
SAYS(cpus_count, "%zu", cpus.count)
SAYS(cpus_have, "%d", cpu_list_has(&cpus, now.with.number))
SAYS(postponed, "%.0d", (cpu_list_postpone(&cpus, now.with.number), 0))
SAYS(cores_chosen, "%.0d", (cores_first_of_each(&cpus, now.types, &chosen), 0))
WRITES(cores, cpu_list_text(&chosen, memory, now.with.size))

WRITES(core_type, cores_type_name(now.with.number, memory, now.with.size))

SAYING(timekeeper)
{
	unsigned int cpu;

	if (cpu_list_timekeeper(&cpus, now.with.text, &cpu))
		text_add(text, "%u", cpu);
}

static void add_names(struct text *text, const struct idle_states *states)
{
	for (size_t i = 0; i < states->count; i++)
		text_add(text, "%s%s", i ? " " : "", states->state[i].name);
}

SAYING(judged)
{
	struct idle_states judged;

	idle_states_judged(&now.named, &judged);
	add_names(text, &judged);
}

SAYING(chosen)
{
	struct idle_states judged, chosen;
	char unknown[32];

	idle_states_judged(&now.named, &judged);
	if (idle_states_choose(&judged, now.with.list, &chosen, unknown, sizeof(unknown)))
		add_names(text, &chosen);
	else
		text_add(text, "there is no %s", unknown);
}

/* Arguments are separated by blanks, as those of a shell. */
SAYING(accepted)
{
	wordexp_t words;

	if (wordexp(now.with.args, &words, WRDE_NOCMD))
		return;
	text_add(text, "%s", options_parse((const char **)words.we_wordv, &now.options,
					   now.with.error, sizeof(now.with.error)) ? "yes" : "no");
}

SAYS(options_least, "%zu", options_least(&now.options))
SAYS(options_asleep, "%zu", options_asleep(&now.options))
WRITES(settings, settings_text(&now.options.set, memory, now.with.size))
PRINTS(help, options_help(page))

static const char * const styles[] = { "none", "lines", "in place", "top" };

SAYS(style, "%s", styles[progress_style(&now.options, now.with.terminal)])

/* Outputs. */

#define FILE_OF(file_of) (&(struct csv) { .file[file_of] = page })
#define PRINTS_RECORD(what, file_of, ...) \
	PRINTS(what, csv_records(FILE_OF(file_of), &now.result.summary, \
				 &(struct collection) { __VA_ARGS__ }))

PRINTS(summary, csv_result(FILE_OF(CSV_SUMMARY), &now.run, &now.result))
PRINTS(summary_header, csv_header(FILE_OF(CSV_SUMMARY), CSV_SUMMARY))
PRINTS_RECORD(datapoint, CSV_DATAPOINTS, .samples = samples, .count = 1)
PRINTS(datapoints_header, csv_header(FILE_OF(CSV_DATAPOINTS), CSV_DATAPOINTS))
PRINTS_RECORD(discarded_record, CSV_DISCARDED, .discarded = samples, .discarded_count = 1)
PRINTS(discarded_header, csv_header(FILE_OF(CSV_DISCARDED), CSV_DISCARDED))
PRINTS(discards_csv, csv_result(FILE_OF(CSV_DISCARDS), &now.run, &now.result))
PRINTS(discards_header, csv_header(FILE_OF(CSV_DISCARDS), CSV_DISCARDS))
PRINTS(sweep_csv, csv_result(FILE_OF(CSV_SWEEP), &now.run, &now.result))
PRINTS(sweep_header, csv_header(FILE_OF(CSV_SWEEP), CSV_SWEEP))
SAYS(package_state, "%s", residency_package(samples))
SAYS(counter, "%s", residency_name(now.with.number) ?: "NULL")

SAYING(residencies)
{
	residency_add(text, samples);
}

SAYING(shares)
{
	double percent;

	if (residency_share(samples, IDLE_LATENCY_RESIDENCY_CC1, &percent))
		text_add(text, "C1 %.2f", percent);
	if (residency_share(samples, IDLE_LATENCY_RESIDENCY_CC7, &percent))
		text_add(text, ", CC7 %.2f", percent);
	if (residency_frequency(samples, &percent))
		text_add(text, ", frequency %.2f", percent);
}

#define SCOPE_LINE(what, scope) WRITES_IF(what, scope_text(scope, &now.result.summary, samples, \
							 memory, now.with.size))
SCOPE_LINE(package_line, SCOPE_PACKAGE)
SCOPE_LINE(module_line, SCOPE_MODULE)

SAYING(worst)
{
	const struct idle_latency_record *worst[WORST_SAMPLES];
	const size_t count = worst_find(samples, now.evidence.count, worst);

	for (size_t i = 0; i < count; i++)
		text_add(text, "%s%td", i ? " " : "", worst[i] - samples);
}

SAYING(worst_line)
{
	worst_text(samples, kept, now.evidence.discarded_count, memory, now.with.size);
	text_add(text, "%s", memory);
}

SAYING(explained)
{
	int error = 0;

	while (error < 200 && strcmp(strerrorname_np(error) ?: "", now.with.name))
		error++;
	text_add(text, "%s", explain_session(&now.row, error));
}

WRITES(against, explain_command_line(now.with.text, memory, now.with.size))

/* The environment. */

/* How many lines of the report begin as with.text does, and have a value. */
SAYING(environment_lines)
{
	static struct options options = { .cpus.count = 1 };
	static char *report;
	const size_t length = strlen(now.with.text);
	unsigned int count = 0;
	size_t size;

	if (!report) {
		page = open_memstream(&report, &size);
		environment_report(&options, page);
		environment_line(page, "cpu%u: added %s", 0, "later");
		environment_after(&options, 1234567890, page);
		fclose(page);
		/* Without a file it only prints. */
		environment_report(&options, NULL);
	}
	for (const char *line = report; *line; line += strspn(line, "\n")) {
		count += !strncmp(line, now.with.text, length) && line[length] == ' ' &&
			 line[length + 1] > ' ';
		line += strcspn(line, "\n");
	}
	text_add(text, "%u", count);
}

/* The arguments are words, and with.args what a shell makes words of. */
SAYING(arguments)
{
	wordexp_t words;

	if (wordexp(now.with.args ?: "", &words, WRDE_NOCMD))
		return;
	memset(memory, 'x', sizeof(memory) - 1);
	environment_arguments((const char * const *)words.we_wordv, memory, now.with.size);
	add_memory(text);
	wordfree(&words);
}

SAYING(clock)
{
	const struct timex clock = {
		.status = now.with.number, .freq = now.with.of[0], .offset = now.with.of[1],
	};

	environment_clock(&clock, memory, now.with.size);
	text_add(text, "%s", memory);
}

SAYING(clock_moved)
{
	const struct timex before = {
		.status = now.with.number, .freq = now.with.of[0], .tick = now.with.n,
	};
	const struct timex after = {
		.status = now.with.of[2], .freq = now.with.of[1], .tick = now.with.k,
	};

	if (environment_clock_moved(&before, &after, memory, now.with.size))
		text_add(text, "%s", memory);
}

/* What the machine did meanwhile. */

SAYS(busy_pct, "%llu", meanwhile_busy_pct(&now.before, &now.after))
SAYS(power_mw, "%llu", meanwhile_power_mw(now.with.n, now.with.k, now.with.number,
					  now.with.of[0]))

/* Of a CPU that has a file for its core, where with.text is what is in there. */
SAYING(throttled)
{
	char cpu[] = "/tmp/throttled-XXXXXX", dir[64], path[96];
	__u64 count = 0;

	if (!mkdtemp(cpu))
		return;
	snprintf(dir, sizeof(dir), "%s/thermal_throttle", cpu);
	snprintf(path, sizeof(path), "%s/core_throttle_count", dir);
	mkdir(dir, 0700);
	page = now.with.text ? fopen(path, "we") : NULL;
	if (page)
		fprintf(page, "%s\n", now.with.text);
	if (page)
		fclose(page);
	if (meanwhile_throttled(cpu, now.with.name, &count))
		text_add(text, "%llu", count);
	unlink(path);
	rmdir(dir);
	rmdir(cpu);
}

SAYING(complains)
{
	const struct complaints before = { now.with.n, now.with.k, now.with.number };
	const struct complaints after = { now.with.of[0], now.with.of[1], now.with.of[2] };

	text_add(text, "%d", complaints_rose(&before, &after));
}

WRITES_IF(complaint, complaints_line(now.with.text, memory, now.with.size))

SAYS(demotion_is_one, "%d", keep_demotion_is_one(now.with.number))
SAYS(link_control, "%d", environment_link_control(now.pci, now.with.number))
SAYS(aspm, "%s", environment_aspm(now.with.number))
SAYS(prewake, "%s", power_meaning(NULL, POWER_PREWAKE, now.with.number))
SAYS(field, "%s", parse_field(now.with.text, now.with.name) ?: "NULL")
SAYS(matters, "%d", environment_command_line_matters(now.with.text))

SAYING(package_limit)
{
	const struct power_model *model = power_model(now.with.vendor, now.with.family,
						      now.with.model);

	text_add(text, "%s", model ? power_meaning(model, POWER_PACKAGE_LIMIT, now.with.number) :
				     "NULL");
}

SAYING(cpu_time)
{
	struct cpu_time time;
	unsigned int cpu;

	if (causes_parse(now.with.text, &cpu, &time))
		text_add(text, "cpu %u, busy %llu, idle %llu", cpu, time.busy, time.idle);
	else
		text_add(text, "rejected");
}

SAYS(busy, "%d", causes_busy(&now.before, &now.after))
SAYS(by_firmware, "%d", causes_firmware(now.with.name, now.with.text, now.with.list))

/* CPUs 0 to 5 are a package, in which 1 and 4 are a core; those of the list are busy. */
SAYING(causes)
{
	static struct cpu_list busy;

	cpu_list_parse("1,4", &now.causes.siblings);
	cpu_list_parse("0-5", &now.causes.package);
	cpu_list_parse(now.with.list, &busy);
	for (unsigned int cpu = 0; cpu < 6; cpu++) {
		const bool is_busy = cpu_list_has(&busy, cpu);

		now.causes.before[cpu] = (struct cpu_time) { 1, 1 };
		now.causes.after[cpu] = (struct cpu_time) {
			is_busy ? 100 : 1, is_busy ? 1 : 100,
		};
	}
	memset(memory, 'x', sizeof(memory) - 1);
	*memory = '\0';
	causes_describe(&now.causes, &now.row.info, memory, now.with.size);
	add_memory(text);
}

/* Progress; the time is with.n. */

WRITES(progress, progress_text(&(const struct progress *) { &now.progress }, 1, now.with.n,
			       memory, now.with.size))
SAYS(top_head, "%s", progress_top_head)
WRITES(top, progress_top_text(&(const struct progress *) { &now.progress },
			      &(const struct verdict *) { &now.result.verdict }, 1,
			      memory, now.with.size))
SAYS(left, "%llu", progress_left_ns(&now.progress, now.with.n))
SAYS(first_row, "%zu", progress_first(now.with.k, now.with.number, now.with.n))
SAYS(noted, "%.0d", (progress_note(&now.progress, samples), 0))
SAYS(numbered, "%.0d", (progress_count(&now.progress, &now.counts), 0))
SAYS(wished, "%.0d", (progress_want(&now.progress, now.with.k), 0))

/* What is known of a CPU. */

SAYING(measured)
{
	struct idle_states judged;

	measured_cpu_judged(&now.cpu, &judged);
	add_names(text, &judged);
}

PRINTS(measured_report, measured_cpu_report(&now.cpu, page))
SAYS(measured_virtual, "%d", measured_cpu_virtual(&now.cpu))
SAYS(ruled, "%.0d", (measured_cpu_rule(&now.cpu, now.with.method, now.with.number, &now.rule), 0))
SAYS(software_add, "%.0d", (software_add(&now.seen, samples, now.evidence.count), 0))
SAYS(software_note, "%.0d", (software_add(&now.seen, samples, 1), 0))
SAYS(software_known, "%d", software_known(&now.seen))
SAYS(rate_ppb, "%llu", timer_rate_ppb(&now.result.summary, &now.far, now.cpu.tick_ns))
SAYS(has_package, "%d", state_includes(&now.row.info, SCOPE_PACKAGE))
SAYS(has_module, "%d", state_includes(&now.row.info, SCOPE_MODULE))

SAYING(is_lower_bound)
{
	const struct summary *nic = now.with.by_nic ? &now.results[0].summary : NULL;

	text_add(text, "%d", is_lower_bound(&now.result.summary, nic));
}

SAYING(tick)
{
	FILE *file = now.with.text ? fmemopen((char *)now.with.text, strlen(now.with.text), "r") :
				     NULL;

	text_add(text, "%llu", timer_tick_ns(file, now.with.number));
	if (file)
		fclose(file);
}

SAYING(summarised)
{
	struct summary *summary = &now.result.summary;

	now.collection.samples = samples;
	now.collection.count = now.evidence.count;
	now.collection.counts = now.counts;
	now.collection.steps = now.parts;
	if (!summarise(&now.row, &now.collection, &now.rule.instrument, now.rule.limit_ns,
		       summary) || summary->row != &now.row)
		return;
	for (size_t i = 0; i < summary->step_count; i++)
		now.steps[i] = summary->steps[i];
	free(summary->steps);
	text_add(text, "%s, %zu above", summary_latency(summary), summary_above(summary));
}

WRITES_IF(frequency, summary_frequency_text(&now.result.summary, memory, now.with.size))

/* The plan. */

#define DISTANCES(name, ...) SAYS(ldist_##name, "%llu-%llu", \
	launch_distance_##__VA_ARGS__.from_ns, launch_distance_##__VA_ARGS__.to_ns)
DISTANCES(counted, counted(now.with.n, now.with.k, LAUNCH_DISTANCE_DECADE))
DISTANCES(short, counted(now.with.n, now.with.k, LAUNCH_DISTANCE_SHORT))
DISTANCES(default, default(now.with.n, now.with.k))

SAYING(ldist_entry)
{
	const struct launch_distance entry = launch_distance_entry(now.with.n, now.with.k);

	if (entry.to_ns)
		text_add(text, "%llu-%llu", entry.from_ns, entry.to_ns);
}

SAYS(ldist_least, "%llu", launch_distance_least(now.row.method->source))
SAYS(cost, "%llu", budget_cost(now.distance, now.row.info.exit_latency_ns, now.with.n))
SAYS(share, "%llu", budget_share(now.with.n, now.with.k, now.with.number))

/* Sweeps. */

SAYS(step_count, "%zu", sweep_count(&now.sweep))
SAYS(step_end, "%llu", sweep_step(&now.sweep, now.with.n).to_ns)

SAYING(planned)
{
	const struct row *row = &now.row;
	struct plan plan = { .rows = &now.row, .count = 1 };

	now.options.sweep = now.sweep;
	now.options.samples = now.with.n;
	if (!plan_begin(&plan, &now.options))
		return;
	for (size_t i = 0; i < row->step_count; i++)
		text_add(text, "%s%llu-%llu: %zu", i ? ", " : "", row->steps[i].ldist.from_ns,
			 row->steps[i].ldist.to_ns, row->steps[i].wanted);
	plan_end(&plan);
}

static __u64 swept_latency_ns(__u64 silent_ns)
{
	__u64 ns = now.swept.levels[0];

	for (size_t i = 0; i < LEVELS - 1 && now.swept.until_ns[i]; i++)
		if (silent_ns >= now.swept.until_ns[i])
			ns = now.swept.levels[i + 1];
	if (now.swept.wobble)
		ns += silent_ns % now.swept.wobble;
	return ns + (now.swept.divisor ? silent_ns / now.swept.divisor : 0);
}

#define STEP_SAMPLES	100

/* SilentTime is spread evenly over each step. */
static void sweep_samples(struct summary *summary)
{
	struct stratum parts[40];
	struct collection collection = { .samples = samples, .steps = parts };
	struct plan plan = { .rows = &now.row, .count = 1 };

	now.options.sweep = now.sweep;
	now.options.samples = STEP_SAMPLES;
	plan_begin(&plan, &now.options);
	collection.count = now.row.step_count * STEP_SAMPLES;
	for (size_t i = 0; i < collection.count; i++) {
		const struct launch_distance ldist = now.row.steps[i / STEP_SAMPLES].ldist;
		const __u64 silent_ns = ldist.from_ns + (ldist.to_ns - ldist.from_ns) *
					(i % STEP_SAMPLES) / (STEP_SAMPLES - 1);

		parts[i / STEP_SAMPLES] = (struct stratum) {
			.first = i / STEP_SAMPLES * STEP_SAMPLES, .count = STEP_SAMPLES,
		};
		samples[i] = (struct idle_latency_record) {
			.silent_ns = silent_ns, .wake_ns = swept_latency_ns(silent_ns),
			.intr_ns = 70, .error_ns = 3, .flags = IDLE_LATENCY_RECORD_WAKE,
		};
	}
	summarise(&now.row, &collection, &(struct instrument) { }, 2500, summary);
	plan_end(&plan);
}

/* "slower 40-42 us of 20-198": the SilentTime around each, and that of all steps. */
SAYING(slopes)
{
	struct slope slope = { };
	struct summary summary;

	sweep_samples(&summary);
	for (size_t from = 0; sweep_slope(&summary, from, &slope); from = slope.last + 1)
		text_add(text, "%s %llu-%llu, ", changes[slope.change],
			 summary.steps[slope.before].silent.median,
			 summary.steps[slope.last].silent.median);
	text_add(text, "steps %llu-%llu to %llu", summary.steps[0].silent.min,
		 summary.steps[0].silent.max,
		 summary.steps[summary.step_count - 1].silent.median);
	summary_free(&summary);
}

/* Whether there is one slope, of two steps at most, around a level that ends. */
static bool one_is_found(void)
{
	struct slope slope = { };
	struct summary summary;
	bool found;

	sweep_samples(&summary);
	found = sweep_slope(&summary, 0, &slope) && slope.change == STEP_SLOWER &&
		slope.last - slope.before <= 2 &&
		summary.steps[slope.before].silent.median <= now.swept.until_ns[0] &&
		summary.steps[slope.last].silent.median >= now.swept.until_ns[0] &&
		!sweep_slope(&summary, slope.last + 1, &slope);
	summary_free(&summary);
	return found;
}

/* Wherever the steps begin below with.n, and so however much of one is before the jump. */
SAYING(jumps)
{
	size_t tried = 0, found = 0;

	for (; now.sweep.ldist.from_ns < now.with.n; now.sweep.ldist.from_ns += 37) {
		found += one_is_found();
		tried++;
	}
	text_add(text, "%zu of %zu are found", found, tried);
}

SAYING(changed)
{
	struct slope slope = { };

	if (!sweep_summarise(&now.result.summary, samples))
		return;
	for (size_t i = 0; i < now.result.summary.step_count; i++)
		text_add(text, "%s ", changes[now.steps[i].change]);
	for (size_t from = 0; sweep_slope(&now.result.summary, from, &slope); from = slope.last + 1)
		text_add(text, "(%zu-%zu)", slope.before, slope.last);
}

SAYING(slope_text)
{
	struct slope slope = { };

	if (!sweep_slope(&now.result.summary, 0, &slope))
		return;
	if (now.with.terminal)
		slope.change = STEP_FASTER;
	sweep_slope_text(&now.result.summary, &slope, memory, now.with.size);
	text_add(text, "%s", memory);
}

SAYS(ended, "%d", sweep_ended(&now.result.summary))

WRITES_IF(edge, sweep_edge_text(&now.result.summary, memory, now.with.size))
WRITES_IF(hidden, sweep_hidden_text(&now.result.summary, now.distance, memory, now.with.size))

/*
 * The self-check, with a TSC of 2.1 GHz. The records that were kept are samples by another source
 * or discarded events.
 */

#define CYC_PER_NS	2.1

static struct collection of, other;

static void collect(void)
{
	of = (struct collection) {
		.samples = samples, .count = now.evidence.count,
		.discarded = kept, .discarded_count = now.evidence.discarded_count,
	};
	other = (struct collection) { .samples = kept, .count = of.discarded_count };
}

/* @impossible: why nothing can be told, or NULL */
static void add_check(struct text *text, const char *impossible)
{
	if (impossible)
		text_add(text, "not possible here: %s", impossible);
	else if (now.check.result == VERDICT_FAIL)
		text_add(text, "differs: %s", now.check.reason);
	else
		text_add(text, "ok");
}

#define JUDGES(what, ...) \
	static void say_##what(struct text *text); \
	SAYING(what) \
	{ \
		collect(); \
		add_check(text, self_check_##what(__VA_ARGS__, &now.check)); \
	}

JUDGES(agree, &of, &other, now.with.n)
JUDGES(slope, &of)
JUDGES(deadline, &of)
JUDGES(residency, &now.counts)
JUDGES(software, &of, CYC_PER_NS, now.with.n)
JUDGES(warmup, &of, now.with.n)
JUDGES(crystal, &of, &(struct crystal) { now.with.of[0], now.with.of[1] }, CYC_PER_NS)

SAYING(step)
{
	for (size_t i = 0; i < now.evidence.count; i++)
		sorted[i] = samples[i].tai_cyc;
	add_check(text, self_check_step(sorted, now.evidence.count, CYC_PER_NS, now.with.n,
					&now.check));
}

SAYING(difference)
{
	__s64 ns;

	collect();
	if (self_check_difference(&of, &other, &ns))
		text_add(text, "%lld", ns);
	else
		text_add(text, "none");
}

/*
 * A WakeLatency of with.n and by chance up to with.k more, which has with.number ppb of the
 * launch distance; one in with.of[0] is late.
 */
static void deal(void)
{
	static struct dice dice;
	const __s64 ppb = now.with.number;

	for (size_t i = 0; i < now.evidence.count; i++) {
		samples[i].wake_ns = now.with.n + dice_below(&dice, now.with.k) +
				     (__s64)samples[i].ldist_ns * ppb / 1000000000;
		if (now.with.of[0] && i % now.with.of[0] == 3)
			samples[i].wake_ns += 100000;
	}
}

SAYS(dealt, "%.0d", (deal(), 0))

/* Whether few of 1000 sets of samples have a slope. */
SAYING(few_slopes)
{
	size_t differ = 0;

	collect();
	for (size_t i = 0; i < 1000; i++) {
		deal();
		self_check_slope(&of, &now.check);
		differ += now.check.result == VERDICT_FAIL;
	}
	text_add(text, "%d", differ <= 6);
}

bool say(const char *name, struct text *text)
{
	for (size_t i = 0; i < function_count; i++)
		if (!strcmp(functions[i].name, name)) {
			functions[i].say(text);
			return true;
		}
	return false;
}

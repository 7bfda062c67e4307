// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of latency_test that need no device, foremost its verdict: for
 * each verdict there is a case in which it must be that one.
 */
#include "accounting.h"
#include "causes.h"
#include "csv.h"
#include "discards.h"
#include "environment.h"
#include "kselftest_harness.h"
#include "power_msr.h"
#include "residency.h"
#include "sysfs.h"

#define DECLARED	2000
/* The largest WakeLatency that passes with a floor of 0. */
#define BOUND		(DECLARED + 999)

struct verdict_case {
	const char *name;
	struct verdict_rule rule;
	/* sorted WakeLatency */
	__u64 wake[10];
	size_t wake_count;
	size_t valid;
	__u64 floor_ns;
	enum verdict_result result;
	const char *reason;
};

#define MAXIMUM(number) \
	{ .declared_ns = DECLARED, .quantile = QUANTILE_ONE, .wanted = number }
#define P50(number) \
	{ .declared_ns = DECLARED, .quantile = QUANTILE_ONE / 2, \
	  .wanted = number }
#define LIMITED(number, limit) \
	{ .declared_ns = DECLARED, .quantile = QUANTILE_ONE, \
	  .wanted = number, .has_limit = true, .limit_ns = limit }

static const struct verdict_case cases[] = {
	{
		"all below", MAXIMUM(4), { 1, 2, 3, 4 }, 4, 4, 0,
		VERDICT_PASS,
		"none of 4 samples above 2999 ns (declared 2000 + truncation 999 + floor 0): p < 3/4 at 95 %",
	}, {
		"too few for a bound on the probability", MAXIMUM(3),
		{ 1, 2, 3 }, 3, 3, 0, VERDICT_PASS,
		"none of 3 samples above 2999 ns (declared 2000 + truncation 999 + floor 0)",
	}, {
		"exactly at the bound", MAXIMUM(4), { 1, 2, 3, BOUND }, 4, 4,
		0, VERDICT_PASS, NULL,
	}, {
		"one sample one ns above", MAXIMUM(4), { 1, 2, 3, BOUND + 1 },
		4, 4, 0, VERDICT_FAIL,
		"maximum 3000 ns is above 2999 ns (declared 2000 + truncation 999 + floor 0); 1 of 4 samples are",
	}, {
		"all above", MAXIMUM(2), { 3000, 4000 }, 2, 2, 0, VERDICT_FAIL,
		"maximum 4000 ns is above 2999 ns (declared 2000 + truncation 999 + floor 0); 2 of 2 samples are",
	}, {
		"the floor is allowed for", MAXIMUM(2), { 1, BOUND + 7 }, 2, 2,
		7, VERDICT_PASS, NULL,
	}, {
		"one ns above the floor", MAXIMUM(2), { 1, BOUND + 8 }, 2, 2,
		7, VERDICT_FAIL, NULL,
	}, {
		"quantile not above, maximum above", P50(4),
		{ 1, 2, BOUND + 1, BOUND + 2 }, 4, 4, 0, VERDICT_PASS,
		"quantile 0.5 is not above 2999 ns (declared 2000 + truncation 999 + floor 0); 2 of 4 samples are",
	}, {
		"quantile above", P50(4), { 1, BOUND + 1, BOUND + 1, 9000 },
		4, 4, 0, VERDICT_FAIL,
		"quantile 0.5 3000 ns is above 2999 ns (declared 2000 + truncation 999 + floor 0); 3 of 4 samples are",
	}, {
		"at a limit, which is not truncated", LIMITED(4, 50),
		{ 1, 2, 3, 50 }, 4, 4, 0, VERDICT_PASS,
		"none of 4 samples above 50 ns (limit 50 + floor 0): p < 3/4 at 95 %",
	}, {
		"above a limit that is below the declared latency",
		LIMITED(4, 50), { 1, 2, 3, 51 }, 4, 4, 0, VERDICT_FAIL,
		"maximum 51 ns is above 50 ns (limit 50 + floor 0); 1 of 4 samples are",
	}, {
		"below a limit that is above the declared latency",
		LIMITED(4, 9000), { 1, 2, 3, 8000 }, 4, 4, 0, VERDICT_PASS,
		NULL,
	}, {
		"the floor is allowed for above a limit", LIMITED(2, 50),
		{ 1, 57 }, 2, 2, 7, VERDICT_PASS, NULL,
	}, {
		"one ns above the floor above a limit", LIMITED(2, 50),
		{ 1, 58 }, 2, 2, 7, VERDICT_FAIL,
		"maximum 58 ns is above 57 ns (limit 50 + floor 7); 1 of 2 samples are",
	}, {
		"a limit of 0", LIMITED(1, 0), { 1 }, 1, 1, 0, VERDICT_FAIL,
		NULL,
	}, {
		"one sample too few", MAXIMUM(5), { 1, 2, 3, 4 }, 4, 4, 0,
		VERDICT_SKIP,
		"too few samples: 4 of 60 armed, 0 of them above the limit; most discarded: foreign_timer 40",
	}, {
		"too few, some of them above", MAXIMUM(5), { 1, 2, 3, 4000 },
		4, 4, 0, VERDICT_SKIP,
		"too few samples: 4 of 60 armed, 1 of them above the limit; most discarded: foreign_timer 40",
	}, {
		"no sample", MAXIMUM(1), { }, 0, 0, 0, VERDICT_SKIP,
		"too few samples: 0 of 60 armed, 0 of them above the limit; most discarded: foreign_timer 40",
	}, {
		"entered with interrupts enabled", MAXIMUM(4), { }, 0, 4, 0,
		VERDICT_SKIP,
		"the state is entered with interrupts enabled, so only IntrLatency is known",
	}, {
		"some without WakeLatency", MAXIMUM(4), { 1, 2 }, 2, 4, 0,
		VERDICT_SKIP,
		"the state is entered with interrupts enabled, so only IntrLatency is known",
	},
};

static const struct idle_latency_counts case_counts = {
	.armed = 60,
	.delivered = 4,
	.discarded = {
		[IDLE_LATENCY_DISCARD_NO_IDLE] = 16,
		[IDLE_LATENCY_DISCARD_FOREIGN_TIMER] = 40,
	},
};

TEST(verdicts)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct verdict_case *c = &cases[i];
		const struct verdict_evidence evidence = {
			.wake = c->wake,
			.wake_count = c->wake_count,
			.valid = c->valid,
			.floor_ns = c->floor_ns,
			.counts = &case_counts,
		};
		struct verdict verdict;

		verdict_judge(&c->rule, &evidence, &verdict);
		EXPECT_EQ(c->result, verdict.result)
			TH_LOG("%s", c->name);
		if (c->reason) {
			EXPECT_STREQ(c->reason, verdict.reason)
				TH_LOG("%s", c->name);
		}
	}
}

TEST(order_statistics_of_one_sample)
{
	const __u64 one = 7;
	struct order_stats stats = order_stats(&one, 1);

	EXPECT_EQ(7ULL, stats.min);
	EXPECT_EQ(7ULL, stats.median);
	EXPECT_EQ(7ULL, stats.p9999);
	EXPECT_EQ(7ULL, stats.max);
}

TEST(order_statistics_by_nearest_rank)
{
	static __u64 samples[10000];
	struct order_stats stats;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = ARRAY_SIZE(samples) - i;
	sort_samples(samples, ARRAY_SIZE(samples));
	stats = order_stats(samples, ARRAY_SIZE(samples));
	EXPECT_EQ(1ULL, stats.min);
	EXPECT_EQ(5000ULL, stats.median);
	EXPECT_EQ(9900ULL, stats.p99);
	EXPECT_EQ(9990ULL, stats.p999);
	EXPECT_EQ(9999ULL, stats.p9999);
	EXPECT_EQ(10000ULL, stats.max);
	/* Between two ranks it is the higher one. */
	EXPECT_EQ(9900ULL, order_stat(samples, 9999, 990000000));
	EXPECT_EQ(10ULL, order_stat(samples, 10, 900000001));
	EXPECT_EQ(9ULL, order_stat(samples, 10, 900000000));
	EXPECT_EQ(1ULL, order_stat(samples, 10, 1));
	EXPECT_EQ(10ULL, order_stat(samples, 10, QUANTILE_ONE));
}

TEST(samples_are_sorted_as_unsigned_numbers)
{
	__u64 samples[] = { ~0ULL, 1ULL << 32, 5, 1ULL << 63, 0 };

	sort_samples(samples, ARRAY_SIZE(samples));
	EXPECT_EQ(0ULL, samples[0]);
	EXPECT_EQ(5ULL, samples[1]);
	EXPECT_EQ(1ULL << 32, samples[2]);
	EXPECT_EQ(1ULL << 63, samples[3]);
	EXPECT_EQ(~0ULL, samples[4]);
}

TEST(launch_distances)
{
	static const struct {
		__u64 residency_us, from_ns, to_ns;
	} distances[] = {
		{ 0, 20000, 200000 },
		{ 1, 20000, 200000 },
		{ 20, 20000, 200000 },
		{ 21, 21000, 210000 },
		{ 300, 300000, 3000000 },
		{ 5000, 5000000, 50000000 },
		{ 5001, 5001000, 50000000 },
		{ 90000, 50000000, 50000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		struct launch_distance ldist =
			launch_distance_for(distances[i].residency_us);

		EXPECT_EQ(distances[i].from_ns, ldist.from_ns);
		EXPECT_EQ(distances[i].to_ns, ldist.to_ns);
	}
}

TEST(discards_in_words)
{
	const struct idle_latency_counts none = { };
	struct idle_latency_counts later = { };
	char text[256];

	discards_text(&case_counts, text, sizeof(text));
	EXPECT_STREQ("no_idle 16, foreign_timer 40", text);
	EXPECT_EQ(56ULL, discards_total(&case_counts));
	discards_text(&none, text, sizeof(text));
	EXPECT_STREQ("", text);
	discards_most_text(&none, text, sizeof(text));
	EXPECT_STREQ("none", text);
	later.discarded[IDLE_LATENCY_DISCARD_SLOTS - 1] = 1;
	discards_text(&later, text, sizeof(text));
	EXPECT_STREQ("unknown 1", text);
}

TEST(every_discard_has_a_name)
{
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_MAX; i++) {
		struct idle_latency_counts counts = { };
		char text[64];

		counts.discarded[i] = 1;
		discards_text(&counts, text, sizeof(text));
		EXPECT_EQ(NULL, strstr(text, "null"));
		EXPECT_EQ(NULL, strstr(text, "unknown"));
	}
}

TEST(counts_that_add_up)
{
	struct idle_latency_counts counts = case_counts;

	EXPECT_EQ(NULL, accounting_end(&counts, 4));
	counts.pending = 1;
	counts.armed++;
	EXPECT_EQ(NULL, accounting_counts(&counts));
}

TEST(counts_that_do_not_add_up)
{
	struct idle_latency_counts counts = case_counts;

	EXPECT_NE(NULL, accounting_end(&counts, 3));
	EXPECT_NE(NULL, accounting_end(&counts, 5));
	counts.armed++;
	EXPECT_NE(NULL, accounting_counts(&counts));
	counts.pending = 1;
	EXPECT_NE(NULL, accounting_end(&counts, 4));
	counts.armed++;
	counts.pending = 2;
	EXPECT_NE(NULL, accounting_counts(&counts));
	counts = case_counts;
	counts.discarded[IDLE_LATENCY_DISCARD_SLOTS - 1] = 1;
	EXPECT_NE(NULL, accounting_counts(&counts));
}

static const struct idle_latency_config good_config = {
	.ldist_from_ns = 100,
	.ldist_to_ns = 200,
	.cpu = 1,
	.state = 2,
	.source = IDLE_LATENCY_SOURCE_TDT,
};

static const struct idle_latency_record good_record = {
	.seq = 5,
	.ldist_ns = 150,
	.ltime_ns = 1000,
	.silent_ns = 90,
	.wake_ns = 10,
	.intr_ns = 20,
	.error_ns = 1,
	.tbi_tsc = 100,
	.tai_tsc = 200,
	.tintr_tsc = 210,
	.interval_cyc = 200,
	.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 110,
	.residency_present = 1U << IDLE_LATENCY_RESIDENCY_C0,
	.flags = IDLE_LATENCY_RECORD_WAKE,
	.cpu = 1,
	.state = 2,
	.source = IDLE_LATENCY_SOURCE_TDT,
	.stamp = IDLE_LATENCY_STAMP_ENTER,
	.idle_periods = 1,
};

static bool is_good(const struct idle_latency_record *record)
{
	return !accounting_record(record, 5, &good_config);
}

TEST(good_records)
{
	struct idle_latency_record record = good_record;

	EXPECT_TRUE(is_good(&record));
	record.ldist_ns = 100;
	EXPECT_TRUE(is_good(&record));
	record.ldist_ns = 200;
	EXPECT_TRUE(is_good(&record));
	record.intr_ns = 10;
	EXPECT_TRUE(is_good(&record));
	/* Without WakeLatency, the handler may have run first. */
	record.flags = 0;
	record.tintr_tsc = 150;
	record.wake_ns = 0;
	record.silent_ns = 0;
	EXPECT_TRUE(is_good(&record));
}

TEST(bad_records)
{
	struct idle_latency_record bad[24];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good_record;
	bad[0].seq = 4;
	bad[1].seq = 6;
	bad[2].cpu = 0;
	bad[3].state = 1;
	bad[4].source = IDLE_LATENCY_SOURCE_HRT;
	bad[5].flags |= 2;
	bad[6].flags |= 1U << 31;
	bad[7].warmup_ns = 1;
	bad[8].latch_ns = 1;
	bad[9].stamp = 0;
	bad[10].stamp = 3;
	bad[11].ldist_ns = 99;
	bad[12].ldist_ns = 201;
	bad[13].idle_periods = 0;
	bad[14].tai_tsc = 99;
	bad[15].tintr_tsc = 99;
	bad[16].tintr_tsc = 199;
	bad[17].intr_ns = 9;
	bad[18].wake_ns = 21;
	bad[19].residency_present |= 1U << IDLE_LATENCY_RESIDENCY_MAX;
	bad[20].residency_invalid = 1U << IDLE_LATENCY_RESIDENCY_CC6;
	bad[21].residency_cyc[IDLE_LATENCY_RESIDENCY_CC6] = 1;
	bad[22].residency_present |= 1U << IDLE_LATENCY_RESIDENCY_CC6;
	bad[22].residency_invalid = 1U << IDLE_LATENCY_RESIDENCY_CC6;
	bad[22].residency_cyc[IDLE_LATENCY_RESIDENCY_CC6] = 1;
	bad[23].interval_cyc = 0;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_FALSE(is_good(&bad[i]))
			TH_LOG("record %zu", i);
	}
}

TEST(record_stamped_elsewhere_than_asked_for)
{
	struct idle_latency_config config = good_config;
	struct idle_latency_record record = good_record;

	config.flags = IDLE_LATENCY_CONFIG_PROBE;
	EXPECT_NE(NULL, accounting_record(&record, 5, &config));
	record.stamp = IDLE_LATENCY_STAMP_PROBE;
	EXPECT_EQ(NULL, accounting_record(&record, 5, &config));
}

TEST(cpu_lists)
{
	static const char * const bad[] = {
		"", ",", "1,", ",1", "a", "1a", "-1", "1-", "2-1", "1--2",
		"1 2", "8192", "99999999999999999999", "0-8192",
	};
	static struct cpu_list list;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_FALSE(cpu_list_parse(bad[i], &list))
			TH_LOG("'%s'", bad[i]);
	}
	ASSERT_TRUE(cpu_list_parse("4,0-2,1", &list));
	EXPECT_EQ(4UL, list.count);
	EXPECT_EQ(4U, list.cpu[0]);
	EXPECT_EQ(2U, list.cpu[3]);
	EXPECT_TRUE(cpu_list_has(&list, 1));
	EXPECT_FALSE(cpu_list_has(&list, 3));
	ASSERT_TRUE(cpu_list_parse("0-8191,0-8191", &list));
	EXPECT_EQ(8192UL, list.count);
}

static const struct idle_states four_states = {
	.state = {
		{ .name = "POLL", .index = 0 },
		{ .name = "C1", .index = 1, .latency_us = 1 },
		{ .name = "C6", .index = 2, .latency_us = 80 },
		{ .name = "FREE", .index = 3 },
	},
	.count = 4,
};

TEST(idle_states)
{
	struct idle_states judged, chosen;
	char unknown[32];

	idle_states_judged(&four_states, &judged);
	ASSERT_EQ(2UL, judged.count);
	EXPECT_STREQ("C1", judged.state[0].name);
	EXPECT_STREQ("C6", judged.state[1].name);
	ASSERT_TRUE(idle_states_choose(&judged, "2,C1,C6", &chosen, unknown,
				       sizeof(unknown)));
	ASSERT_EQ(2UL, chosen.count);
	EXPECT_STREQ("C6", chosen.state[0].name);
	EXPECT_STREQ("C1", chosen.state[1].name);
	EXPECT_FALSE(idle_states_choose(&judged, "C1,C9", &chosen, unknown,
					sizeof(unknown)));
	EXPECT_STREQ("C9", unknown);
	EXPECT_FALSE(idle_states_choose(&judged, "POLL", &chosen, unknown,
					sizeof(unknown)));
	EXPECT_FALSE(idle_states_choose(&judged, "0", &chosen, unknown,
					sizeof(unknown)));
	EXPECT_FALSE(idle_states_choose(&judged, "C1,", &chosen, unknown,
					sizeof(unknown)));
}

static bool parse(struct options *options, const char *name, const char *value)
{
	const char * const arguments[] = { name, value, NULL };
	char error[256];

	return options_parse(arguments, options, error, sizeof(error));
}

TEST(default_options)
{
	static struct options options;

	ASSERT_TRUE(parse(&options, NULL, NULL));
	EXPECT_FALSE(options.plain);
	EXPECT_EQ(1U << IDLE_LATENCY_SOURCE_HRT | 1U << IDLE_LATENCY_SOURCE_TDT |
		  1U << IDLE_LATENCY_SOURCE_NIC, options.methods);
	EXPECT_EQ(1000UL, options.samples);
	EXPECT_EQ(QUANTILE_ONE, options.quantile);
	EXPECT_FALSE(options.has_limit);
	EXPECT_EQ(0U, options.stamp);
	EXPECT_EQ(0ULL, options.ldist.to_ns);
	EXPECT_EQ(NULL, options.out);
}

TEST(good_options)
{
	static struct options options;

	EXPECT_TRUE(parse(&options, "--plain", NULL));
	EXPECT_TRUE(options.plain);
	EXPECT_TRUE(parse(&options, "--methods", " tdt "));
	EXPECT_EQ(1U << IDLE_LATENCY_SOURCE_TDT, options.methods);
	EXPECT_TRUE(parse(&options, "--methods=hrt,tdt", NULL));
	EXPECT_EQ(1U << IDLE_LATENCY_SOURCE_HRT | 1U << IDLE_LATENCY_SOURCE_TDT,
		  options.methods);
	EXPECT_TRUE(parse(&options, "--samples", "1000000"));
	EXPECT_EQ(1000000UL, options.samples);
	EXPECT_TRUE(parse(&options, "--ldist", "1:50000000"));
	EXPECT_EQ(1ULL, options.ldist.from_ns);
	EXPECT_EQ(50000000ULL, options.ldist.to_ns);
	EXPECT_TRUE(parse(&options, "--stamp", "probe"));
	EXPECT_EQ((unsigned int)IDLE_LATENCY_STAMP_PROBE, options.stamp);
	EXPECT_TRUE(parse(&options, "--stamp", "enter"));
	EXPECT_EQ((unsigned int)IDLE_LATENCY_STAMP_ENTER, options.stamp);
	EXPECT_TRUE(parse(&options, "--quantile", "0.9999"));
	EXPECT_EQ(999900000ULL, options.quantile);
	EXPECT_TRUE(parse(&options, "--quantile", "0.000000001"));
	EXPECT_EQ(1ULL, options.quantile);
	EXPECT_TRUE(parse(&options, "--quantile", "1"));
	EXPECT_EQ(QUANTILE_ONE, options.quantile);
	EXPECT_TRUE(parse(&options, "--limit-ns", "0"));
	EXPECT_TRUE(options.has_limit);
	EXPECT_EQ(0ULL, options.limit_ns);
	EXPECT_TRUE(parse(&options, "--machine", "a, b"));
	EXPECT_STREQ("a, b", options.machine);
}

struct bad_option {
	const char *name;
	const char *value;
};

static const struct bad_option rejected[] = {
	{ "--plain=", NULL }, { "--plain", "yes" }, { "plain", NULL },
	{ "--", NULL }, { "-p", NULL }, { "--plai", NULL }, { "", NULL },
	{ "--methods", NULL }, { "--methods", "" }, { "--methods", "ipi" },
	{ "--methods", "hrt tdtt" }, { "--methods", "hr" },
	{ "--cpus", "x" }, { "--cpus", "" }, { "--states", "" },
	{ "--samples", NULL }, { "--samples", "0" }, { "--samples", "-1" },
	{ "--samples", "1000001" }, { "--samples", "1x" },
	{ "--samples", " 1" }, { "--samples", "18446744073709551617" },
	{ "--ldist", "1" }, { "--ldist", "1:" }, { "--ldist", ":1" },
	{ "--ldist", "0:1" }, { "--ldist", "2:1" },
	{ "--ldist", "1:50000001" }, { "--ldist", "1:2:3" },
	{ "--stamp", "" }, { "--stamp", "ENTER" },
	{ "--quantile", "0" }, { "--quantile", "0." }, { "--quantile", "1.1" },
	{ "--quantile", "99" }, { "--quantile", "0.0" },
	{ "--quantile", "0.9x" }, { "--quantile", "0.0000000001" },
	{ "--limit-ns", "" }, { "--limit-ns", "-5" }, { "--limit-ns", "1us" },
	{ "--out", "" }, { "--machine", "" }, { "--cpu-model", NULL },
};

TEST(bad_options)
{
	static struct options options;

	for (size_t i = 0; i < ARRAY_SIZE(rejected); i++) {
		EXPECT_FALSE(parse(&options, rejected[i].name,
				   rejected[i].value))
			TH_LOG("%s %s", rejected[i].name,
			       rejected[i].value ?: "");
	}
}

TEST(errors_name_the_option_and_what_it_takes)
{
	static struct options options;
	static const char * const bad_value[] = { "--stamp", "late", NULL };
	static const char * const no_value[] = { "--stamp", NULL };
	static const char * const unknown[] = { "--foo=1", NULL };
	char error[256];

	EXPECT_FALSE(options_parse(bad_value, &options, error, sizeof(error)));
	EXPECT_STREQ("--stamp takes enter or probe, not 'late'", error);
	EXPECT_FALSE(options_parse(no_value, &options, error, sizeof(error)));
	EXPECT_STREQ("--stamp takes enter or probe", error);
	EXPECT_FALSE(options_parse(unknown, &options, error, sizeof(error)));
	EXPECT_STREQ(error,
		     "unknown argument '--foo=1'; takes --plain --machine --cpu-model --methods --cpus --states --samples --ldist --stamp --quantile --limit-ns --out");
}

static const struct row good_row = {
	.cpu = 3,
	.method = &methods[1],
	.state = { .name = "C1", .latency_us = 2 },
	.ran = true,
	.stamp = IDLE_LATENCY_STAMP_ENTER,
	.counts = { .armed = 9, .delivered = 7, .discarded = { 1, 1 } },
	.valid = 7,
	.intr = { 20, 21, 22, 23, 24, 25 },
	.has_wake = true,
	.wake = { 10, 11, 12, 13, 14, 15 },
	.verdict = { .result = VERDICT_FAIL },
};

static const struct csv_run good_run = { "bochs", "i7", "intel_idle" };

static void summary_line(const struct csv_run *run, const struct row *row,
			 char *line, size_t size)
{
	FILE *file = fmemopen(line, size, "w");

	csv_summary_row(file, run, row);
	fclose(file);
}

TEST(summary_row)
{
	char line[256];

	summary_line(&good_run, &good_row, line, sizeof(line));
	EXPECT_STREQ("bochs,i7,intel_idle,3,tdt,enter,C1,2000,9,7,2,10,11,12,14,15,21,25,FAIL\n",
		     line);
}

TEST(summary_row_without_wake_latency)
{
	struct row row = good_row;
	char line[256];

	row.has_wake = false;
	row.verdict.result = VERDICT_SKIP;
	summary_line(&good_run, &row, line, sizeof(line));
	EXPECT_STREQ("bochs,i7,intel_idle,3,tdt,enter,C1,2000,9,7,2,,,,,,21,25,SKIP\n",
		     line);
}

TEST(summary_row_without_session)
{
	const struct row row = {
		.cpu = 3,
		.method = &methods[0],
		.state = { .name = "C1", .latency_us = 2 },
		.verdict = { .result = VERDICT_SKIP },
	};
	char line[256];

	summary_line(&good_run, &row, line, sizeof(line));
	EXPECT_STREQ("bochs,i7,intel_idle,3,hrt,,C1,,,,,,,,,,,,SKIP\n",
		     line);
}

TEST(summary_quotes_what_needs_it)
{
	const struct csv_run run = { "a,b", "say \"hi\"", "plain" };
	char line[256];

	summary_line(&run, &good_row, line, sizeof(line));
	EXPECT_EQ(0, strncmp("\"a,b\",\"say \"\"hi\"\"\",plain,3,", line, 27))
		TH_LOG("%s", line);
}

TEST(summary_header)
{
	char line[256];
	FILE *file = fmemopen(line, sizeof(line), "w");

	ASSERT_NE(NULL, file);
	csv_summary_header(file);
	fclose(file);
	EXPECT_STREQ(line,
		     "machine,cpu_model,driver,cpu,method,stamp,state,declared_ns,armed,valid,discarded,min_ns,median_ns,p99_ns,p9999_ns,max_ns,intr_median_ns,intr_max_ns,verdict\n");
}

/* Only a card has accesses that take time. */
TEST(accesses_to_the_card)
{
	struct idle_latency_record record = good_record;
	char text[256];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	record.source = IDLE_LATENCY_SOURCE_NIC;
	record.warmup_ns = 5400;
	record.latch_ns = 1400;
	csv_datapoint(file, &good_row, &record);
	fclose(file);
	EXPECT_STREQ(text,
		     "3,tdt,enter,C1,5,150,1000,90,10,20,1,5400,1400,100,200,210,1,55.00,45.00,,,,,,,,,,,,,200\n");
}

TEST(datapoints)
{
	struct idle_latency_record record = good_record;
	char text[1024];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_datapoints_header(file);
	csv_datapoint(file, &good_row, &record);
	record.flags = 0;
	csv_datapoint(file, &good_row, &record);
	fclose(file);
	EXPECT_STREQ(text,
		     "cpu,method,stamp,state,seq,ldist_ns,ltime_ns,silent_ns,wake_ns,intr_ns,error_ns,warmup_ns,latch_ns,tbi_tsc,tai_tsc,tintr_tsc,idle_periods,c0_pct,c1_pct,cc3_pct,cc6_pct,cc7_pct,mc6_pct,pc2_pct,pc3_pct,pc6_pct,pc7_pct,pc8_pct,pc9_pct,pc10_pct,frequency_pct,interval_cyc\n"
		     "3,tdt,enter,C1,5,150,1000,90,10,20,1,,,100,200,210,1,55.00,45.00,,,,,,,,,,,,,200\n"
		     "3,tdt,enter,C1,5,150,1000,,,20,1,,,100,200,210,1,55.00,45.00,,,,,,,,,,,,,200\n");
}

#define COUNTER(name) (1U << IDLE_LATENCY_RESIDENCY_##name)

static const struct idle_latency_record resident_record = {
	.interval_cyc = 10000,
	.residency_present = COUNTER(CC3) | COUNTER(CC6) | COUNTER(PC10) |
			     COUNTER(C0),
	.residency_cyc = {
		[IDLE_LATENCY_RESIDENCY_CC3] = 1000,
		[IDLE_LATENCY_RESIDENCY_CC6] = 7001,
		[IDLE_LATENCY_RESIDENCY_PC10] = 5000,
		[IDLE_LATENCY_RESIDENCY_C0] = 500,
	},
	.aperf_cyc = 300,
	.mperf_cyc = 200,
};

TEST(residencies)
{
	char text[128];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_datapoint(file, &good_row, &resident_record);
	fclose(file);
	EXPECT_STREQ(text,
		     "3,tdt,enter,C1,0,0,0,,,0,0,,,0,0,0,0,5.00,14.99,10.00,70.01,,,,,,,,,50.00,150.00,10000\n");
}

static bool c1_share(struct idle_latency_record record, __u32 present,
		     __u32 invalid, double *percent)
{
	record.residency_present |= present;
	record.residency_invalid |= invalid;
	return residency_c1_share(&record, percent);
}

TEST(c1_shares)
{
	struct idle_latency_record record = resident_record;
	double percent;

	EXPECT_TRUE(c1_share(record, 0, 0, &percent));
	EXPECT_EQ(1499, (int)(100 * percent + 0.5));
	/* No counter for the others: nothing to subtract. */
	record.residency_present = COUNTER(C0);
	EXPECT_TRUE(c1_share(record, 0, 0, &percent));
	EXPECT_EQ(9500, (int)(100 * percent + 0.5));
	/* A counter of its own goes before what the others leave. */
	record = resident_record;
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC1] = 1400;
	EXPECT_TRUE(c1_share(record, COUNTER(CC1), 0, &percent));
	EXPECT_EQ(1400, (int)(100 * percent + 0.5));
}

TEST(c1_share_that_is_not_known)
{
	struct idle_latency_record record = resident_record;
	double percent;

	EXPECT_FALSE(c1_share(record, COUNTER(CC1), COUNTER(CC1), &percent));
	EXPECT_FALSE(c1_share(record, 0, COUNTER(C0), &percent));
	EXPECT_FALSE(c1_share(record, 0, COUNTER(CC3), &percent));
	EXPECT_FALSE(c1_share(record, 0, COUNTER(CC6), &percent));
	EXPECT_FALSE(c1_share(record, COUNTER(CC7), COUNTER(CC7), &percent));
	EXPECT_FALSE(residency_share(&record, IDLE_LATENCY_RESIDENCY_CC7,
				     &percent));
	/* More than all of the time. */
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC3] = 2500;
	EXPECT_FALSE(c1_share(record, 0, 0, &percent));
	record = resident_record;
	record.residency_present &= ~COUNTER(C0);
	EXPECT_FALSE(c1_share(record, 0, 0, &percent));
	record.mperf_cyc = 0;
	EXPECT_FALSE(residency_frequency(&record, &percent));
}

TEST(csv_files_appear_when_they_are_complete)
{
	char dir[] = "/tmp/idle_latency.XXXXXX";
	struct csv csv;

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, chdir(dir));
	/* Left over from an earlier run. */
	ASSERT_EQ(0, symlink("nowhere", "summary.csv"));
	ASSERT_TRUE(csv_open(&csv, "out"));
	ASSERT_TRUE(csv_close(&csv));
	ASSERT_TRUE(csv_open(&csv, "out"));
	EXPECT_EQ(-1, access("out/summary.csv", F_OK));
	EXPECT_EQ(-1, access("out/datapoints.csv", F_OK));
	EXPECT_EQ(-1, access("out/environment.txt", F_OK));
	ASSERT_TRUE(csv_close(&csv));
	EXPECT_EQ(0, access("out/summary.csv", F_OK));
	EXPECT_EQ(0, access("out/datapoints.csv", F_OK));
	EXPECT_EQ(0, unlink("out/summary.csv"));
	EXPECT_EQ(0, unlink("out/datapoints.csv"));
	EXPECT_EQ(0, unlink("out/environment.txt"));
	/* Nothing else is there. */
	EXPECT_EQ(0, rmdir("out"));
	EXPECT_FALSE(csv_open(&csv, "absent/out"));
	EXPECT_EQ(0, unlink("summary.csv"));
	EXPECT_EQ(0, rmdir(dir));
}

/* Power management at 0x40, PCI Express at 0x70. */
static void pci_config(unsigned char config[256])
{
	memset(config, 0, 256);
	config[0x06] = 0x10;
	config[0x34] = 0x40;
	config[0x40] = 0x01;
	config[0x41] = 0x70;
	config[0x70] = 0x10;
	config[0x80] = 0x42;
	config[0x81] = 0x01;
}

TEST(link_control)
{
	unsigned char config[256];

	pci_config(config);
	EXPECT_EQ(0x142, environment_link_control(config, sizeof(config)));
	/* Without root, the first 64 bytes can be read. */
	EXPECT_EQ(-1, environment_link_control(config, 64));
	config[0x70] = 0x05;
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
	/* A list that has no end. */
	config[0x71] = 0x40;
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
	pci_config(config);
	config[0x06] = 0;
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
	/* A device that does not answer. */
	memset(config, 0xff, sizeof(config));
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
}

TEST(aspm)
{
	EXPECT_STREQ("off", environment_aspm(0x140));
	EXPECT_STREQ("L0s", environment_aspm(0x141));
	EXPECT_STREQ("L1", environment_aspm(0x142));
	EXPECT_STREQ("L0s and L1", environment_aspm(0x143));
}

TEST(prewake)
{
	EXPECT_STREQ("off", environment_prewake(0x40000000));
	EXPECT_STREQ("on, where the CPU has it", environment_prewake(0xbfffffff));
}

TEST(fields_of_a_file)
{
	EXPECT_STREQ("62\n", parse_field("model\t\t: 62\n", "model"));
	EXPECT_STREQ("Some CPU", parse_field("model name\t: Some CPU",
					     "model name"));
	EXPECT_STREQ("", parse_field("power management:", "power management"));
	EXPECT_EQ(NULL, parse_field("model name\t: Some CPU", "model"));
	EXPECT_EQ(NULL, parse_field("flags: model", "model"));
	EXPECT_EQ(NULL, parse_field("model", "model name"));
	EXPECT_EQ(NULL, parse_field("", "model"));
}

TEST(package_limits)
{
	static const struct {
		const char *model;
		__u64 cst_config;
		const char *limit;
	} limits[] = {
		/* Bits that say something else do not matter. */
		{ "62", 0x8400, "PC0" },
		{ "62", 0x8403, "PC6 with retention" },
		{ "58", 0x5, "PC7s" },
		{ "58", 0x6, "unknown" },
		{ "63", 0x8403, "PC6" },
		{ "79", 0x2, "PC3" },
		{ "85", 0xf, "none" },
		{ "143", 0x14000402, "PC6 without retention" },
		{ "207", 0x1, "PC2" },
		{ "173", 0x22, "PC6" },
		{ "173", 0x3, "unknown" },
		{ "151", 0x74000008, "none" },
		{ "151", 0x7, "PC9" },
		{ "151", 0xf, "unknown" },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct power_model *model =
			power_model("GenuineIntel", "6", limits[i].model);

		ASSERT_NE(NULL, model);
		EXPECT_STREQ(limits[i].limit,
			     power_package_limit(model, limits[i].cst_config));
	}
}

TEST(models_whose_bits_are_not_known)
{
	EXPECT_EQ(NULL, power_model("AuthenticAMD", "6", "62"));
	EXPECT_EQ(NULL, power_model("GenuineIntel", "15", "62"));
	EXPECT_EQ(NULL, power_model("GenuineIntel", "6", "1"));
	EXPECT_EQ(NULL, power_model("GenuineIntel", "6", "unknown"));
}

TEST(command_lines_that_matter)
{
	EXPECT_TRUE(environment_command_line_matters("quiet idle=poll"));
	EXPECT_TRUE(environment_command_line_matters("intel_idle.table=C1:1:1"));
	EXPECT_TRUE(environment_command_line_matters("processor.max_cstate=1"));
	EXPECT_FALSE(environment_command_line_matters("ro quiet isolcpus=2"));
}

/* How often a line begins so, and nothing after it is missing. */
static unsigned int lines_with(const char *text, const char *key)
{
	unsigned int count = 0;

	while (*text) {
		const size_t length = strlen(key);

		count += !strncmp(text, key, length) && text[length] == ' ' &&
			 text[length + 1] > ' ';
		text += strcspn(text, "\n");
		text += strspn(text, "\n");
	}
	return count;
}

TEST(environment_has_each_thing_once)
{
	static const char * const keys[] = {
		"kernel:", "kernel version:", "architecture:", "command line:",
		"CPU vendor:", "CPU model:", "CPU family:", "CPU model number:",
		"CPU stepping:", "microcode:", "hypervisor:",
		"cpuidle driver:", "cpuidle governor:", "intel_c1_demotion:",
		"intel_idle.max_cstate:", "intel_idle.states_off:",
		"intel_idle.table:", "SMT control:", "online CPUs:",
		"isolated CPUs:", "nohz_full CPUs:", "clocksource:", "turbo:",
		"cpu_dma_latency:", "cpu0: package id", "cpu0: core id",
		"cpu0: SMT siblings", "cpu0: cpufreq driver",
		"cpu0: cpufreq governor", "cpu0: EPB", "cpu0: EPP",
		"cpu0: pm_qos_resume_latency_us", "cpu0: timer pre-wake",
		"cpu0: C1E promotion", "cpu0: C1 demotion", "cpu0: C3 demotion",
		"cpu0: package C-state limit", "cpu0: MSR 0x1fc",
		"cpu0: MSR 0xe2", "cpu0: added",
	};
	static struct options options = { .cpus.count = 1 };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	size_t i;

	ASSERT_NE(NULL, file);
	environment_report(&options, file);
	environment_line(file, "cpu%u: added %s", 0, "later");
	ASSERT_EQ(0, fclose(file));
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		EXPECT_EQ(1U, lines_with(text, keys[i]))
			TH_LOG("key %zu", i);
	free(text);
	/* Without a file it only prints. */
	environment_report(&options, NULL);
}

TEST(times_of_cpus)
{
	struct cpu_time time;
	unsigned int cpu;

	ASSERT_TRUE(causes_parse("cpu12 1 20 300 4000 50000 600000 7000000 80000000 900 900\n",
				 &cpu, &time));
	EXPECT_EQ(12U, cpu);
	EXPECT_EQ(87600321ULL, time.busy);
	EXPECT_EQ(54000ULL, time.idle);
	/* The sum of all, which would be taken for CPU 1. */
	EXPECT_FALSE(causes_parse("cpu  1 2 3 4 5 6 7 8 9 10\n", &cpu, &time));
	EXPECT_FALSE(causes_parse("cpu8192 1 2 3 4 5 6 7 8 9 10\n", &cpu, &time));
	EXPECT_FALSE(causes_parse("cpu0 1 2 3 4 5 6 7\n", &cpu, &time));
	EXPECT_FALSE(causes_parse("intr 960522 0 0 0 0 0 0 0 0 0 0\n", &cpu,
				  &time));
}

TEST(busy_cpus)
{
	static const struct {
		struct cpu_time before;
		struct cpu_time after;
		bool busy;
	} cases[] = {
		{ { 100, 100 }, { 105, 195 }, true },
		{ { 100, 100 }, { 104, 196 }, false },
		{ { 100, 100 }, { 101, 109 }, true },
		{ { 100, 100 }, { 100, 110 }, false },
		/* Fewer than ten ticks. */
		{ { 100, 100 }, { 101, 108 }, false },
		{ { 100, 100 }, { 101, 100 }, true },
		{ { 100, 100 }, { 104, 104 }, false },
		{ { 100, 100 }, { 105, 104 }, true },
		{ { 100, 100 }, { 100, 100 }, false },
		/* Idle time that was corrected. */
		{ { 100, 100 }, { 110, 95 }, true },
		/* It came online, or went offline. */
		{ { 0, 0 }, { 500, 100 }, false },
		{ { 500, 100 }, { 0, 0 }, false },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_EQ(cases[i].busy, causes_busy(&cases[i].before,
						     &cases[i].after))
			TH_LOG("case %zu", i);
}

/* CPU 1 of 0 to 5, whose sibling is 4, and these are busy. */
static struct causes *causes_on_six(const char *busy)
{
	static struct causes causes;
	static struct cpu_list list;

	memset(&causes, 0, sizeof(causes));
	causes.cpu = 1;
	cpu_list_parse("1,4", &causes.siblings);
	cpu_list_parse("0-5", &causes.package);
	cpu_list_parse(busy, &list);
	for (unsigned int cpu = 0; cpu < 6; cpu++) {
		bool is_busy = cpu_list_has(&list, cpu);

		causes.before[cpu] = (struct cpu_time) { 1, 1 };
		causes.after[cpu] = (struct cpu_time) {
			is_busy ? 100 : 1, is_busy ? 1 : 100,
		};
	}
	return &causes;
}

TEST(causes_in_words)
{
	const __u32 all = IDLE_LATENCY_STATE_DEMOTION |
			  IDLE_LATENCY_STATE_C1E | IDLE_LATENCY_STATE_NO_PC6;
	const __u32 none = IDLE_LATENCY_RESIDENCY_NONE;
	const __u32 cc1 = IDLE_LATENCY_RESIDENCY_CC1;
	const __u32 cc6 = IDLE_LATENCY_RESIDENCY_CC6;
	const __u32 pc6 = IDLE_LATENCY_RESIDENCY_PC6;
	const struct {
		const char *busy;
		__u32 core;
		__u32 package;
		__u32 flags;
		const char *text;
	} cases[] = {
		{ "1", cc6, pc6, 0, "" },
		{ "1,4", cc6, pc6, 0, "busy SMT sibling cpu 4" },
		{ "3", cc6, pc6, 0, "cpu 3 of the package was busy" },
		{ "0,2-5", cc6, pc6, 0,
		  "busy SMT sibling cpu 4, cpu 0 and 3 more of the package were busy" },
		{ "0-5", cc6, none, 0, "busy SMT sibling cpu 4" },
		{ "1", cc6, pc6, all, "demotion on, package C6 is off" },
		{ "1", cc6, none, all, "demotion on" },
		{ "1", cc1, none, all, "C1E promotion on" },
		{ "1", none, none, all, "C1E promotion on" },
		{ "3-4", cc6, pc6, IDLE_LATENCY_STATE_DEMOTION,
		  "busy SMT sibling cpu 4, demotion on, cpu 3 of the package was busy" },
	};
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct idle_latency_state state = {
			.core_counter = cases[i].core,
			.package_counter = cases[i].package,
			.flags = cases[i].flags,
		};

		causes_describe(causes_on_six(cases[i].busy), &state, text,
				sizeof(text));
		EXPECT_STREQ(cases[i].text, text);
	}
}

TEST(causes_that_are_cut_off)
{
	const struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_PC6,
		.flags = IDLE_LATENCY_STATE_DEMOTION | IDLE_LATENCY_STATE_NO_PC6,
	};
	char text[65];

	for (size_t size = 1; size <= 32; size++) {
		memset(text, 'x', sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		causes_describe(causes_on_six("4"), &state, text, size);
		EXPECT_EQ(size - 1, strlen(text));
		/* Nothing is written behind it. */
		EXPECT_EQ(sizeof(text) - 1 - size, strlen(text + size));
		EXPECT_EQ(0, strncmp("busy SMT sibling cpu 4, demotion on", text,
				     size - 1));
	}
}

TEST(causes_on_this_machine)
{
	const struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_NONE,
		.flags = IDLE_LATENCY_STATE_DEMOTION,
	};
	static struct causes causes;
	static struct cpu_list online;
	char text[256];

	ASSERT_TRUE(cpu_list_online(&online));
	causes_begin(&causes, online.cpu[0]);
	/* Kernels for a single CPU have no topology. */
	if (online.count > 1) {
		EXPECT_TRUE(cpu_list_has(&causes.siblings, online.cpu[0]));
		EXPECT_TRUE(cpu_list_has(&causes.package, online.cpu[0]));
	}
	causes_text(&causes, &state, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "demotion on"));
	for (size_t i = 0; i < online.count; i++)
		EXPECT_NE(0ULL, causes.before[online.cpu[i]].busy +
				causes.before[online.cpu[i]].idle);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of latency_test: which rows get their samples within the time of the runner, for each
 * table of intel_idle. The tables are lines of a file that INTEL_IDLE_TABLES names: the name of a
 * table, and exit latency and target residency of one of its states in us, the shallowest first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "plan.h"

#define TABLES_MAX	64
#define NAME_BYTES	32
#define ROWS_MAX	(2 * METHODS * IDLE_STATES_MAX)

#define LEAST		300
#define SECONDS		40

struct table {
	char name[NAME_BYTES];
	struct idle_latency_state state[IDLE_STATES_MAX];
	size_t count;
};

static struct table tables[TABLES_MAX];
static size_t table_count;

static const struct table *find_table(const char *name)
{
	for (size_t i = 0; i < table_count; i++)
		if (!strcmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

static void add_state(const char *name, unsigned int latency_us, unsigned int residency_us)
{
	struct table *table = &tables[table_count ? table_count - 1 : 0];

	if (!table_count || strcmp(table->name, name)) {
		table = &tables[table_count++];
		snprintf(table->name, sizeof(table->name), "%s", name);
	}
	table->state[table->count++] = (struct idle_latency_state) {
		.exit_latency_ns = 1000ULL * latency_us,
		.target_residency_ns = 1000ULL * residency_us,
	};
}

static bool read_tables(void)
{
	const char *path = getenv("INTEL_IDLE_TABLES");
	FILE *file = path ? fopen(path, "re") : NULL;
	unsigned int latency_us, residency_us;
	char name[NAME_BYTES];

	table_count = 0;
	memset(tables, 0, sizeof(tables));
	while (file && table_count < TABLES_MAX &&
	       fscanf(file, "%31s %u %u", name, &latency_us, &residency_us) == 3)
		add_state(name, latency_us, residency_us);
	if (file)
		fclose(file);
	return table_count;
}

static struct options default_options(void)
{
	const char * const none[] = { NULL };
	struct options options;
	char error[256];

	options_parse(none, &options, error, sizeof(error));
	return options;
}

/* A run on so many CPUs, by hrt, tdt and, with a card, nic. */
struct run {
	struct row rows[ROWS_MAX];
	struct plan plan;
	struct options options;
};

static void add_rows(struct run *run, const struct table *table, unsigned int cpu, bool card)
{
	for (size_t i = 0; i < METHODS; i++)
		for (size_t j = 0; j < table->count; j++)
			run->rows[run->plan.count++] = (struct row) {
				.cpu = cpu,
				.method = &methods[i],
				.info = table->state[j],
				.hindrance = methods[i].source == IDLE_LATENCY_SOURCE_NIC &&
					     !card ? "no card" : NULL,
			};
}

static void begin(struct run *run, const struct table *table, unsigned int cpus, bool card)
{
	run->options = default_options();
	run->plan = (struct plan) { .rows = run->rows };
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		add_rows(run, table, cpu, card);
	plan_begin(&run->plan, &run->options);
}

/* What so many samples take, and the wake-ups during entry that belong to them. */
static __u64 cost_of(const struct row *row, size_t samples)
{
	const struct stratum *counted = &row->strata[STRATUM_COUNTED];
	const struct stratum *entry = &row->strata[STRATUM_ENTRY];
	__u64 cost = budget_cost(counted->ldist, row->info.exit_latency_ns, samples);

	if (entry->wanted)
		cost += budget_cost(entry->ldist, row->info.exit_latency_ns, samples / 10);
	return cost;
}

/* How many samples a row gets in its time, where some of a hundred events are discarded. */
static size_t samples_in(const struct row *row, __u64 share_ns, unsigned int discarded)
{
	size_t samples = share_ns * (100 - discarded) / 100 * 1000 / cost_of(row, 1000);

	return samples < 3000 ? samples : 3000;
}

/*
 * Measures as latency_test does: nic first; each row takes what it has to, or its share. Returns
 * how many rows get what they need, and the time at the end.
 */
static size_t measure_all(struct run *run, unsigned int discarded, size_t *samples,
			  __u64 *now_ns)
{
	__u64 until_ns = SECONDS * NS_PER_SEC;
	size_t enough = 0;

	*now_ns = run->plan.preparation_ns;
	memset(samples, 0, run->plan.count * sizeof(*samples));
	for (int nic = 1; nic >= 0; nic--)
		for (size_t i = 0; i < run->plan.count; i++) {
			struct row *row = &run->rows[i];
			__u64 share;

			if (row->hindrance || row_by_nic(row) != nic)
				continue;
			share = plan_take(&run->plan, row, until_ns > *now_ns ?
					  until_ns - *now_ns : 0);
			samples[i] = samples_in(row, share, discarded);
			*now_ns += cost_of(row, samples[i]) * 100 / (100 - discarded);
			enough += samples[i] >= LEAST;
		}
	return enough;
}

static size_t rows_to_measure(const struct run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->plan.count; i++)
		count += !run->rows[i].hindrance;
	return count;
}

/* Which tables do not get all their rows, in one line. */
static void unfit(unsigned int cpus, bool card, unsigned int discarded, char *memory, size_t size)
{
	static size_t samples[ROWS_MAX];
	static struct run run;
	struct text text = text_begin(memory, size);
	__u64 now_ns;

	for (size_t i = 0; i < table_count; i++) {
		memset(&run, 0, sizeof(run));
		begin(&run, &tables[i], cpus, card);
		if (measure_all(&run, discarded, samples, &now_ns) < rows_to_measure(&run))
			text_add(&text, "%s ", tables[i].name);
	}
}

FIXTURE(tables) {
	struct run run;
	size_t samples[ROWS_MAX];
	char text[1024];
};

FIXTURE_SETUP(tables)
{
	if (!read_tables())
		SKIP(return, "no tables of intel_idle: INTEL_IDLE_TABLES names a file of them");
}

FIXTURE_TEARDOWN(tables)
{
}

TEST_F(tables, are_all_there)
{
	const struct table *skl = find_table("skl");

	EXPECT_LT(25UL, table_count);
	ASSERT_FALSE(!skl);
	ASSERT_EQ(8UL, skl->count);
	EXPECT_EQ(890000ULL, skl->state[7].exit_latency_ns);
	EXPECT_EQ(5000000ULL, skl->state[7].target_residency_ns);
}

TEST_F(tables, every_row_gets_its_samples)
{
	for (unsigned int discarded = 0; discarded <= 10; discarded += 10) {
		unfit(1, false, discarded, self->text, sizeof(self->text));
		EXPECT_STREQ("", self->text);
		unfit(1, true, discarded, self->text, sizeof(self->text));
		EXPECT_STREQ("byt cht tangier ", self->text);
	}
}

/* Of a processor with two core types, both have this table. */
TEST_F(tables, of_two_core_types)
{
	unfit(2, false, 10, self->text, sizeof(self->text));
	EXPECT_STREQ("byt cht tangier bxt ", self->text);
	unfit(2, true, 10, self->text, sizeof(self->text));
	EXPECT_STREQ("byt cht hsw bdw skl tangier bxt ", self->text);
}

/* In all of them, it is over in time, and what is cheaper is not left out. */
TEST_F(tables, the_cheapest_rows_come_first)
{
	__u64 now;

	for (size_t i = 0; i < 4 * table_count; i++) {
		memset(&self->run, 0, sizeof(self->run));
		begin(&self->run, &tables[i / 4], 1 + i % 2, i & 2);
		measure_all(&self->run, 10, self->samples, &now);
		EXPECT_GE(SECONDS * NS_PER_SEC, now)
			TH_LOG("%s", tables[i / 4].name);
		for (size_t j = 0; j < self->run.plan.count; j++)
			for (size_t k = 0; k < self->run.plan.count; k++)
				EXPECT_FALSE(self->samples[j] >= LEAST && !self->samples[k] &&
					     !self->run.rows[k].hindrance &&
					     self->run.rows[k].least_ns <
					     self->run.rows[j].least_ns);
	}
}

/* What 300 samples of all rows take, in s, as they are planned. */
static unsigned int least_seconds(struct run *run, const char *name, bool card)
{
	__u64 ns = 0;

	memset(run, 0, sizeof(*run));
	begin(run, find_table(name), 1, card);
	for (size_t i = 0; i < run->plan.count; i++)
		if (!run->rows[i].hindrance)
			ns += cost_of(&run->rows[i], LEAST);
	return ns / NS_PER_SEC;
}

TEST_F(tables, what_they_take)
{
	EXPECT_EQ(0U, least_seconds(&self->run, "avn", true));
	EXPECT_EQ(32U, least_seconds(&self->run, "bxt", true));
	EXPECT_EQ(47U, least_seconds(&self->run, "byt", true));
}

/* Only what does not fit otherwise has fewer launch distances, by all methods the same. */
TEST_F(tables, the_longest_are_shortened)
{
	memset(&self->run, 0, sizeof(self->run));
	begin(&self->run, find_table("skl"), 1, false);
	for (size_t i = 0; i < self->run.plan.count; i++) {
		const struct row *row = &self->run.rows[i];
		struct launch_distance ldist = row->strata[STRATUM_COUNTED].ldist;
		bool long_state = row->info.target_residency_ns == 5000000;

		if (row->hindrance)
			continue;
		EXPECT_EQ(long_state, row->shortened);
		EXPECT_EQ(ldist.from_ns * (long_state ? 2 : 10), ldist.to_ns);
	}
}

static const struct table shallow_and_deep = {
	.state = {
		{ .exit_latency_ns = 2000, .target_residency_ns = 2000 },
		{ .exit_latency_ns = 900000, .target_residency_ns = 20000000 },
	},
	.count = 2,
};

FIXTURE(plan) {
	struct run run;
	size_t samples[ROWS_MAX];
};

FIXTURE_SETUP(plan)
{
}

FIXTURE_TEARDOWN(plan)
{
}

/* They would be 68 s, of which a row with the deep state is 11. */
TEST_F(plan, a_row_that_does_not_fit_says_how_long_it_needs)
{
	struct row *deepest;
	__u64 now;

	begin(&self->run, &shallow_and_deep, 2, true);
	EXPECT_EQ(9UL, measure_all(&self->run, 0, self->samples, &now));
	deepest = &self->run.rows[11];
	EXPECT_EQ(0UL, self->samples[5]);
	EXPECT_LT(10 * NS_PER_SEC, deepest->least_ns);
	EXPECT_GT(13 * NS_PER_SEC, deepest->least_ns);
	EXPECT_EQ(73U, plan_seconds(&self->run.plan, deepest));
	EXPECT_EQ(1U, plan_seconds(&self->run.plan, &self->run.rows[0]));
}

/* Of these, the deep state by one method on one CPU does not fit, until the others end early. */
TEST_F(plan, a_row_without_time_comes_again)
{
	struct row *deepest = &self->run.rows[11];
	__u64 now;

	begin(&self->run, &shallow_and_deep, 2, true);
	measure_all(&self->run, 0, self->samples, &now);
	EXPECT_FALSE(self->run.rows[0].refused);
	EXPECT_TRUE(deepest->refused);
	for (size_t i = 0; i < self->run.plan.count; i++)
		if (&self->run.rows[i] != deepest)
			self->run.rows[i].refused = false;
	plan_again(&self->run.plan);
	EXPECT_EQ(deepest->least_ns, self->run.plan.least_ns);
	EXPECT_EQ(0ULL, plan_take(&self->run.plan, deepest, 10 * NS_PER_SEC));
	EXPECT_TRUE(deepest->refused);
	plan_again(&self->run.plan);
	EXPECT_EQ(14 * NS_PER_SEC - AWAKE_LEAST_NS,
		  plan_take(&self->run.plan, deepest, 14 * NS_PER_SEC));
	EXPECT_FALSE(deepest->refused);
}

/*
 * 1/20 of 40 s. Of a second, that is less than three times what the software of the rows takes,
 * each 120 times 100 us and 10 times the exit.
 */
TEST_F(plan, the_preparation_has_its_time)
{
	begin(&self->run, &shallow_and_deep, 2, true);
	EXPECT_EQ(2 * NS_PER_SEC, self->run.plan.preparation_ns);
	self->run.options.seconds = 1;
	plan_begin(&self->run.plan, &self->run.options);
	EXPECT_EQ(3 * (12 * 12000000ULL + 6 * (20000 + 9000000)),
		  self->run.plan.preparation_ns);
	self->run.options.seconds = 0;
	plan_begin(&self->run.plan, &self->run.options);
	EXPECT_EQ(0ULL, self->run.plan.preparation_ns);
}

TEST_F(plan, a_source_that_does_not_work_gets_nothing)
{
	__u64 all, share;

	begin(&self->run, &shallow_and_deep, 1, false);
	all = self->run.plan.least_ns;
	EXPECT_EQ(all, self->run.rows[0].least_ns + self->run.rows[1].least_ns +
		       self->run.rows[2].least_ns + self->run.rows[3].least_ns);
	for (size_t i = 0; i < 2; i++)
		self->run.rows[i].hindrance = "it does not work";
	plan_begin(&self->run.plan, &self->run.options);
	EXPECT_LT(self->run.plan.least_ns, all);
	plan_take(&self->run.plan, &self->run.rows[2], 40 * NS_PER_SEC);
	share = plan_take(&self->run.plan, &self->run.rows[3], 35 * NS_PER_SEC);
	EXPECT_EQ(35 * NS_PER_SEC - AWAKE_LEAST_NS, share);
}

/* Whatever a row costs, all get the same number where all get what they need. */
TEST_F(plan, the_rest_is_shared)
{
	static const struct table table = {
		.state = {
			{ .exit_latency_ns = 2000, .target_residency_ns = 2000 },
			{ .exit_latency_ns = 133000, .target_residency_ns = 600000 },
			{ .exit_latency_ns = 680000, .target_residency_ns = 2000000 },
		},
		.count = 3,
	};
	__u64 now;

	begin(&self->run, &table, 1, false);
	EXPECT_EQ(6UL, measure_all(&self->run, 0, self->samples, &now));
	for (size_t i = 0; i < 6; i++) {
		EXPECT_LT(1000UL, self->samples[i]);
		EXPECT_GT(self->samples[0] + 60, self->samples[i]);
		EXPECT_LT(self->samples[0] - 60, self->samples[i]);
	}
}

TEST_F(plan, without_seconds_nothing_is_shortened)
{
	const char * const arguments[] = { "--samples", "3000", NULL };
	char error[256];

	begin(&self->run, &shallow_and_deep, 1, true);
	EXPECT_TRUE(self->run.rows[1].shortened);
	memset(&self->run, 0, sizeof(self->run));
	ASSERT_TRUE(options_parse(arguments, &self->run.options, error, sizeof(error)));
	self->run.plan.rows = self->run.rows;
	add_rows(&self->run, &shallow_and_deep, 0, true);
	ASSERT_TRUE(plan_begin(&self->run.plan, &self->run.options));
	EXPECT_FALSE(self->run.rows[1].shortened);
	EXPECT_EQ(50000000ULL, self->run.rows[1].strata[STRATUM_COUNTED].ldist.to_ns);
}

TEST(launch_distances_that_count)
{
	static const struct {
		__u64 residency_ns, least_ns, from_ns, to_ns;
	} distances[] = {
		{ 0, 1, 20001, 200010 },
		{ 2000, 1, 22000, 220000 },
		{ 500, 1000, 21000, 210000 },
		{ 300000, 1000, 320000, 3200000 },
		{ 4980000, 1, 5000000, 50000000 },
		{ 4990000, 1, 5010000, 50000000 },
		{ 49980000, 1, 50000000, 50000000 },
		{ 49990000, 1, 50000000, 50000000 },
		{ ~0ULL, 1, 50000000, 50000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		struct launch_distance ldist =
			launch_distance_counted(distances[i].residency_ns,
						distances[i].least_ns);

		EXPECT_EQ(distances[i].from_ns, ldist.from_ns);
		EXPECT_EQ(distances[i].to_ns, ldist.to_ns);
	}
}

TEST(launch_distances_during_entry)
{
	struct launch_distance ldist;

	EXPECT_FALSE(launch_distance_entry(2000, 1, &ldist));
	EXPECT_FALSE(launch_distance_entry(19999, 1, &ldist));
	ASSERT_TRUE(launch_distance_entry(20000, 1, &ldist));
	EXPECT_EQ(1ULL, ldist.from_ns);
	EXPECT_EQ(20000ULL, ldist.to_ns);
	ASSERT_TRUE(launch_distance_entry(300000, 1000, &ldist));
	EXPECT_EQ(1000ULL, ldist.from_ns);
	EXPECT_EQ(300000ULL, ldist.to_ns);
	EXPECT_FALSE(launch_distance_entry(29999, 30000, &ldist));
	ASSERT_TRUE(launch_distance_entry(30000, 30000, &ldist));
	EXPECT_EQ(ldist.from_ns, ldist.to_ns);
	ASSERT_TRUE(launch_distance_entry(~0ULL, 1, &ldist));
	EXPECT_EQ(50000000ULL, ldist.to_ns);
}

TEST(launch_distances_of_the_sources)
{
	EXPECT_EQ(1ULL, launch_distance_least(IDLE_LATENCY_SOURCE_HRT));
	EXPECT_EQ(1ULL, launch_distance_least(IDLE_LATENCY_SOURCE_TDT));
	EXPECT_EQ(1000ULL, launch_distance_least(IDLE_LATENCY_SOURCE_NIC));
}

/* All get the same number of samples out of their shares, whatever one costs. */
TEST(shares_of_the_time)
{
	static const struct launch_distance ldist[] = {
		{ 20000, 200000 }, { 320000, 3200000 }, { 2020000, 20200000 },
	};
	__u64 left_ns = 10000000000ULL, costs = 0, cost[3];

	for (size_t i = 0; i < ARRAY_SIZE(cost); i++) {
		cost[i] = budget_cost(ldist[i], 50000, 3000);
		costs += cost[i];
	}
	EXPECT_EQ(3000 * (110000ULL + 50000 + 100000), cost[0]);
	for (size_t i = 0; i < ARRAY_SIZE(cost); i++) {
		__u64 share = budget_share(left_ns, cost[i], costs);

		EXPECT_LT(740ULL, share / (cost[i] / 3000));
		EXPECT_GT(760ULL, share / (cost[i] / 3000));
		left_ns -= share;
		costs -= cost[i];
	}
	EXPECT_GT(10ULL, left_ns);
	EXPECT_EQ(0ULL, budget_share(0, 1, 2));
	EXPECT_EQ(7ULL, budget_share(7, 5, 5));
}

TEST(sweep_is_planned)
{
	const char * const one[] = { "--sweep", "1000:1003:1%", NULL };
	const char * const two[] = { "--sweep", "10000:21000:100%", NULL };
	static struct options options;
	struct row row = {
		.method = &methods[0],
		.info = { .exit_latency_ns = 50000 },
	};
	struct plan plan = { .rows = &row, .count = 1 };
	char error[256];

	ASSERT_TRUE(options_parse(one, &options, error, sizeof(error)));
	ASSERT_TRUE(plan_begin(&plan, &options));
	EXPECT_EQ(1UL, row.step_count);
	plan_end(&plan);
	ASSERT_TRUE(options_parse(two, &options, error, sizeof(error)));
	ASSERT_TRUE(plan_begin(&plan, &options));
	EXPECT_EQ(2UL, row.step_count);
	EXPECT_EQ(6000UL, row.strata[STRATUM_COUNTED].wanted);
	EXPECT_EQ(10000ULL, row.strata[STRATUM_COUNTED].ldist.from_ns);
	EXPECT_EQ(21000ULL, row.strata[STRATUM_COUNTED].ldist.to_ns);
	EXPECT_EQ(0UL, row.strata[STRATUM_ENTRY].wanted);
	/* The first step is 10000 to 19999, the second one 20000 to 21000. */
	EXPECT_EQ(3000 * (14999ULL + 20500 + 2 * (50000 + 100000)),
		  row.cost_ns);
	plan_end(&plan);
}

TEST(default_launch_distances)
{
	struct launch_distance all = launch_distance_default(20000, 1);

	EXPECT_EQ(1ULL, all.from_ns);
	EXPECT_EQ(400000ULL, all.to_ns);
	all = launch_distance_default(1000, 1);
	EXPECT_EQ(21000ULL, all.from_ns);
}

TEST(the_timekeeper_of_nohz_full_is_the_last)
{
	static struct cpu_list online, list;
	unsigned int cpu;

	ASSERT_TRUE(cpu_list_parse("0-3", &online));
	EXPECT_FALSE(cpu_list_timekeeper(&online, "(null)", &cpu));
	EXPECT_FALSE(cpu_list_timekeeper(&online, "", &cpu));
	ASSERT_TRUE(cpu_list_timekeeper(&online, "1-3", &cpu));
	EXPECT_EQ(0U, cpu);
	ASSERT_TRUE(cpu_list_timekeeper(&online, "0,2-3", &cpu));
	EXPECT_EQ(1U, cpu);
	ASSERT_TRUE(cpu_list_parse("1-3", &list));
	cpu_list_postpone(&list, 0);
	EXPECT_EQ(1U, list.cpu[0]);
	cpu_list_postpone(&list, 1);
	ASSERT_EQ(3UL, list.count);
	EXPECT_EQ(2U, list.cpu[0]);
	EXPECT_EQ(3U, list.cpu[1]);
	EXPECT_EQ(1U, list.cpu[2]);
}

TEST_HARNESS_MAIN

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
#include "measure.h"
#include "phases.h"

#define TABLES_MAX	64
#define NAME_BYTES	32
/* hrt, tdt and nic, which are the first ones */
#define TRIED		3
#define ROWS_MAX	(2 * TRIED * IDLE_STATES_MAX)

#define LEAST		300
#define SECONDS		40

struct table {
	char name[NAME_BYTES];
	struct idle_latency_state state[IDLE_STATES_MAX];
	size_t count;
};

#define STATE(latency_us, residency_us) { \
	.exit_latency_ns = 1000ULL * (latency_us), .target_residency_ns = 1000ULL * (residency_us) }

static struct table tables[TABLES_MAX];
static size_t table_count;

static const struct table *find_table(const char *name)
{
	for (size_t i = 0; i < table_count; i++)
		if (!strcmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

static bool read_tables(void)
{
	FILE *file = fopen(getenv("INTEL_IDLE_TABLES") ?: "", "re");
	struct table *table = NULL;
	unsigned int latency_us, residency_us;
	char name[NAME_BYTES];

	while (file && table_count < TABLES_MAX &&
	       fscanf(file, "%31s %u %u", name, &latency_us, &residency_us) == 3) {
		if (!table || strcmp(table->name, name)) {
			table = &tables[table_count++];
			snprintf(table->name, sizeof(table->name), "%s", name);
		}
		table->state[table->count++] =
			(struct idle_latency_state)STATE(latency_us, residency_us);
	}
	if (file)
		fclose(file);
	return table_count;
}

/* A run on so many CPUs, by hrt, tdt and, with a card, nic; and the samples that rows get. */
static struct run {
	struct row rows[ROWS_MAX];
	struct plan plan;
	struct options options;
	size_t samples[ROWS_MAX];
	/* what has gone by */
	__u64 ns;
} run;

static void begin(const struct table *table, unsigned int cpus, bool card)
{
	static const char * const none[] = { NULL };
	char error[256];

	memset(&run, 0, sizeof(run));
	run.plan.rows = run.rows;
	options_parse(none, &run.options, error, sizeof(error));
	for (size_t i = 0; i < cpus * TRIED * table->count; i++) {
		const struct method *method = &methods[i / table->count % TRIED];

		run.rows[run.plan.count++] = (struct row) {
			.cpu = i / table->count / TRIED,
			.method = method,
			.info = table->state[i % table->count],
			.hindrance = method->source == IDLE_LATENCY_SOURCE_NIC && !card ?
				     "no card" : NULL,
		};
	}
	plan_begin(&run.plan, &run.options);
}

/*
 * What so many samples take, and the wake-ups during entry that belong to them; not by what the
 * plan adds up, which is tested here.
 */
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
	return smaller(share_ns * (100 - discarded) / 100 * 1000 / cost_of(row, 1000), 3000);
}

/*
 * Measures as latency_test does: nic first; each row takes what it has to, or its share. Returns
 * how many rows get what they need.
 */
static size_t measure_all(unsigned int discarded)
{
	__u64 until_ns = SECONDS * NS_PER_SEC;
	size_t enough = 0;

	run.ns = run.plan.preparation_ns;
	for (size_t i = 0; i < 2 * run.plan.count; i++) {
		struct row *row = &run.rows[i % run.plan.count];
		const bool by_nic = i < run.plan.count;
		size_t *samples = &run.samples[i % run.plan.count];

		if (row->hindrance || row_by_nic(row) != by_nic)
			continue;
		*samples = samples_in(row, plan_take(&run.plan, row, minus_or_0(until_ns, run.ns)),
				      discarded);
		run.ns += cost_of(row, *samples) * 100 / (100 - discarded);
		enough += *samples >= LEAST;
	}
	return enough;
}

/* Which tables do not get all their rows, in one line. */
static const char *unfit(unsigned int cpus, bool card, unsigned int discarded)
{
	static char memory[1024];
	struct text text = text_begin(memory, sizeof(memory));

	for (size_t i = 0; i < table_count; i++) {
		begin(&tables[i], cpus, card);
		if (measure_all(discarded) < cpus * (TRIED - !card) * tables[i].count)
			text_add(&text, "%s ", tables[i].name);
	}
	return memory;
}

FIXTURE(tables) {
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
		EXPECT_STREQ("", unfit(1, false, discarded));
		EXPECT_STREQ("byt cht tangier ", unfit(1, true, discarded));
	}
}

/* Of a processor with two core types, both have this table. */
TEST_F(tables, of_two_core_types)
{
	EXPECT_STREQ("byt cht tangier bxt ", unfit(2, false, 10));
	EXPECT_STREQ("byt cht hsw bdw skl tangier bxt ", unfit(2, true, 10));
}

/* In all of them, it is over in time, and what is cheaper is not left out. */
TEST_F(tables, the_cheapest_rows_come_first)
{
	const struct row *rows = run.rows;

	for (size_t i = 0; i < 4 * table_count; i++) {
		begin(&tables[i / 4], 1 + i % 2, i & 2);
		measure_all(10);
		EXPECT_GE(SECONDS * NS_PER_SEC, run.ns)
			TH_LOG("%s", tables[i / 4].name);
		for (size_t j = 0; j < run.plan.count; j++)
			for (size_t k = 0; k < run.plan.count; k++)
				EXPECT_FALSE(run.samples[j] >= LEAST && !run.samples[k] &&
					     !rows[k].hindrance &&
					     rows[k].least_ns < rows[j].least_ns);
	}
}

/* What 300 samples of all rows take, in s, as they are planned. */
static unsigned int least_seconds(const char *name)
{
	__u64 ns = 0;

	begin(find_table(name), 1, true);
	for (size_t i = 0; i < run.plan.count; i++)
		ns += cost_of(&run.rows[i], LEAST);
	return ns / NS_PER_SEC;
}

TEST_F(tables, what_they_take)
{
	EXPECT_EQ(0U, least_seconds("avn"));
	EXPECT_EQ(32U, least_seconds("bxt"));
	EXPECT_EQ(47U, least_seconds("byt"));
}

/* Only what does not fit otherwise has fewer launch distances, by all methods the same. */
TEST_F(tables, the_longest_are_shortened)
{
	begin(find_table("skl"), 1, false);
	for (size_t i = 0; i < run.plan.count; i++) {
		const struct row *row = &run.rows[i];
		struct launch_distance ldist = row->strata[STRATUM_COUNTED].ldist;
		bool long_state = row->info.target_residency_ns == 5000000;

		if (row->hindrance)
			continue;
		EXPECT_EQ(long_state, row->shortened);
		EXPECT_EQ(ldist.from_ns * (long_state ? 2 : 10), ldist.to_ns);
	}
}

static const struct table shallow_and_deep = {
	.state = { STATE(2, 2), STATE(900, 20000) }, .count = 2,
};

/* They would be 68 s, of which a row with the deep state is 11. */
TEST(a_row_that_does_not_fit_says_how_long_it_needs)
{
	const struct row *deepest = &run.rows[11];

	begin(&shallow_and_deep, 2, true);
	EXPECT_EQ(9UL, measure_all(0));
	EXPECT_EQ(0UL, run.samples[5]);
	EXPECT_LT(10 * NS_PER_SEC, deepest->least_ns);
	EXPECT_GT(13 * NS_PER_SEC, deepest->least_ns);
	EXPECT_EQ(73U, plan_seconds(&run.plan, deepest));
	EXPECT_EQ(1U, plan_seconds(&run.plan, &run.rows[0]));
}

/* Of these, the deep state by one method on one CPU does not fit, until the others end early. */
TEST(a_row_without_time_comes_again)
{
	struct row *deepest = &run.rows[11];

	begin(&shallow_and_deep, 2, true);
	measure_all(0);
	EXPECT_FALSE(run.rows[0].refused);
	EXPECT_TRUE(deepest->refused);
	for (size_t i = 0; i < run.plan.count; i++)
		run.rows[i].refused &= &run.rows[i] == deepest;
	plan_again(&run.plan);
	EXPECT_EQ(deepest->least_ns, plan_least(&run.plan, NULL, false));
	EXPECT_EQ(0ULL, plan_take(&run.plan, deepest, 10 * NS_PER_SEC));
	EXPECT_TRUE(deepest->refused);
	plan_again(&run.plan);
	EXPECT_EQ(14 * NS_PER_SEC - AWAKE_LEAST_NS,
		  plan_take(&run.plan, deepest, 14 * NS_PER_SEC));
	EXPECT_FALSE(deepest->refused);
}

/*
 * 1/20 of 40 s. Of a second, that is less than three times what the software of the rows takes,
 * each 120 times 100 us and 10 times the exit.
 */
TEST(the_preparation_has_its_time)
{
	begin(&shallow_and_deep, 2, true);
	EXPECT_EQ(2 * NS_PER_SEC, run.plan.preparation_ns);
	run.options.seconds = 1;
	plan_begin(&run.plan, &run.options);
	EXPECT_EQ(3 * (12 * 12000000ULL + 6 * (20000 + 9000000)), run.plan.preparation_ns);
	run.options.seconds = 0;
	plan_begin(&run.plan, &run.options);
	EXPECT_EQ(0ULL, run.plan.preparation_ns);
}

TEST(a_source_that_does_not_work_gets_nothing)
{
	struct row *rows = run.rows;
	__u64 all;

	begin(&shallow_and_deep, 1, false);
	all = plan_least(&run.plan, NULL, false);
	EXPECT_EQ(all, rows[0].least_ns + rows[1].least_ns + rows[2].least_ns + rows[3].least_ns);
	rows[0].hindrance = "it does not work";
	rows[1].hindrance = "it does not work";
	plan_begin(&run.plan, &run.options);
	EXPECT_LT(plan_least(&run.plan, NULL, false), all);
	plan_take(&run.plan, &rows[2], 40 * NS_PER_SEC);
	EXPECT_EQ(35 * NS_PER_SEC - AWAKE_LEAST_NS,
		  plan_take(&run.plan, &rows[3], 35 * NS_PER_SEC));
}

/* Whatever a row costs, all get the same number where all get what they need. */
TEST(the_rest_is_shared)
{
	static const struct table table = {
		.state = { STATE(2, 2), STATE(133, 600), STATE(680, 2000) }, .count = 3,
	};

	begin(&table, 1, false);
	EXPECT_EQ(6UL, measure_all(0));
	for (size_t i = 0; i < 6; i++) {
		EXPECT_LT(1000UL, run.samples[i]);
		EXPECT_GT(run.samples[0] + 60, run.samples[i]);
		EXPECT_LT(run.samples[0] - 60, run.samples[i]);
	}
}

TEST(without_seconds_nothing_is_shortened)
{
	begin(&shallow_and_deep, 1, true);
	EXPECT_TRUE(run.rows[1].shortened);
	run.rows[1].shortened = false;
	run.options.seconds = 0;
	plan_begin(&run.plan, &run.options);
	EXPECT_FALSE(run.rows[1].shortened);
	EXPECT_EQ(50000000ULL, run.rows[1].strata[STRATUM_COUNTED].ldist.to_ns);
}

/* What is measured of a machine by hrt and tdt, and what that takes. */
struct phased {
	struct phases phases;
	struct plan plan;
	struct options options;
};

static void add_row(struct phased *phased, unsigned int cpu, unsigned int phase,
		    const struct method *method, unsigned int state,
		    const struct idle_latency_state *info)
{
	struct row *row = &phased->plan.rows[phased->plan.count++];

	*row = (struct row) {
		.cpu = cpu, .phase = phase, .method = method, .state.index = state, .info = *info,
	};
	if (!phase)
		row->samples = PACKAGE_READ_EVERY * LEAST;
}

/* The first threads of all cores come before the second ones. */
static void make_machine(struct phased *phased, size_t cores, size_t threads, size_t packages,
			 bool phases)
{
	struct phases *of = &phased->phases;

	of->cpus = cores * threads;
	for (size_t i = 0; i < of->cpus; i++)
		of->cpu[i] = (struct phase_cpu) {
			.cpu = i, .core = i % cores, .package = i % cores * packages / cores,
			.allowed = true, .wanted = true,
		};
	phases_plan(of, phases ? CPU_LIST_MAX : 1);
}

/* What all samples of all rows take with 5000 each, and the package's. */
static __u64 phased_ns(const struct table *table, size_t cores, size_t threads,
		       size_t packages, bool phases)
{
	static const char * const arguments[] = { "--samples", "5000", NULL };
	static struct phased phased;
	struct phases *of = &phased.phases;
	char error[256];
	__u64 ns;

	memset(&phased, 0, sizeof(phased));
	make_machine(&phased, cores, threads, packages, phases);
	options_parse(arguments, &phased.options, error, sizeof(error));
	phased.plan.rows = calloc(of->cpus * 4 * table->count, sizeof(struct row));
	for (size_t i = 0; i < of->cpus * 2 * table->count && phased.plan.rows; i++) {
		const struct phase_cpu *cpu = &of->cpu[i / table->count / 2];
		const struct method *method = &methods[i / table->count % 2];
		const size_t state = i % table->count;
		struct idle_latency_state info = table->state[state];

		/* C6 and deeper. */
		if (info.exit_latency_ns > 100000)
			info.flags |= IDLE_LATENCY_STATE_PACKAGE;
		info.core_counter = IDLE_LATENCY_RESIDENCY_CC1;
		add_row(&phased, cpu->cpu, cpu->phase, method, state, &info);
		if (phases && phases_first_of_package(of, cpu->cpu) &&
		    state_includes(&info, SCOPE_PACKAGE))
			add_row(&phased, cpu->cpu, 0, method, state, &info);
	}
	plan_begin(&phased.plan, &phased.options);
	ns = plan_cost(&phased.plan);
	plan_end(&phased.plan);
	free(phased.plan.rows);
	return ns;
}

static const struct table granite_rapids = {
	.state = { STATE(1, 1), STATE(4, 4), STATE(170, 650), STATE(210, 1000) }, .count = 4,
};

/* That of Documentation/admin-guide/pm/idle-latency.rst. */
TEST(the_table_of_phases)
{
	static const struct {
		size_t cores, packages;
		/* in phases, and one CPU after the other */
		__u64 seconds, before;
	} machines[] = {
		{ 8, 1, 362, 1674 }, { 32, 1, 362, 6699 }, { 128, 2, 410, 26798 },
		{ 224, 2, 410, 46896 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		const size_t cores = machines[i].cores, packages = machines[i].packages;

		EXPECT_EQ(machines[i].seconds,
			  phased_ns(&granite_rapids, cores, 2, packages, true) / NS_PER_SEC);
		EXPECT_EQ(machines[i].before,
			  phased_ns(&granite_rapids, cores, 2, packages, false) / NS_PER_SEC);
	}
}

/* Of all CPUs but one, and of that one. */
TEST(a_phase_takes_the_time_of_one)
{
	static const struct table table = {
		.state = { STATE(2, 2), STATE(90, 2000) }, .count = 2,
	};
	const __u64 one = phased_ns(&table, 1, 1, 1, false);

	EXPECT_EQ(2 * one, phased_ns(&table, 8, 1, 1, true));
	EXPECT_EQ(8 * one, phased_ns(&table, 8, 1, 1, false));
}

TEST_HARNESS_MAIN

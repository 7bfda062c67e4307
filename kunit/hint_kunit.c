// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the counters that belong to MWAIT hints.
 */
#include <kunit/test.h>
#include <linux/bits.h>

#include <uapi/linux/idle_latency.h>

#include "../hint.h"

#define NONE	IDLE_LATENCY_RESIDENCY_NONE
#define CC1	IDLE_LATENCY_RESIDENCY_CC1
#define CC3	IDLE_LATENCY_RESIDENCY_CC3
#define CC6	IDLE_LATENCY_RESIDENCY_CC6
#define CC7	IDLE_LATENCY_RESIDENCY_CC7
#define MC6	IDLE_LATENCY_RESIDENCY_MC6
#define PC2	IDLE_LATENCY_RESIDENCY_PC2
#define PC3	IDLE_LATENCY_RESIDENCY_PC3
#define PC6	IDLE_LATENCY_RESIDENCY_PC6
#define PC7	IDLE_LATENCY_RESIDENCY_PC7
#define PC8	IDLE_LATENCY_RESIDENCY_PC8
#define PC9	IDLE_LATENCY_RESIDENCY_PC9
#define PC10	IDLE_LATENCY_RESIDENCY_PC10
#define C0	IDLE_LATENCY_RESIDENCY_C0

#define ALL	GENMASK(C0, 0)

/* Families of models, as in arch/x86/include/asm/intel-cstates.h. */
enum family { SNB, HSWULT, ICX, ADL, SLM, FAMILIES };

static const u32 present[FAMILIES] = {
	[SNB]	 = BIT(CC3) | BIT(CC6) | BIT(CC7) | BIT(PC2) | BIT(PC3) | BIT(PC6) |
		   BIT(PC7) | BIT(C0),
	[HSWULT] = BIT(CC3) | BIT(CC6) | BIT(CC7) | BIT(PC2) | BIT(PC3) | BIT(PC6) |
		   BIT(PC7) | BIT(PC8) | BIT(PC9) | BIT(PC10) | BIT(C0),
	[ICX]	 = BIT(CC1) | BIT(CC6) | BIT(PC2) | BIT(PC6) | BIT(C0),
	[ADL]	 = BIT(CC1) | BIT(CC6) | BIT(CC7) | BIT(PC2) | BIT(PC3) | BIT(PC6) |
		   BIT(PC8) | BIT(PC10) | BIT(C0),
	[SLM]	 = BIT(CC1) | BIT(CC6) | BIT(C0),
};

struct hint_case {
	const char *name;
	u32 hint;
	u32 core[FAMILIES];
	u32 package[FAMILIES];
};

/* All hints in the tables of intel_idle, on all families. */
static const struct hint_case hint_cases[] = {
	/*		      SNB   HSWULT ICX  ADL   SLM */
	{ "C1: 0x00", 0x00, { NONE, NONE, CC1,  CC1,  CC1 },
			    { NONE, NONE, NONE, NONE, NONE } },
	{ "C1E: 0x01", 0x01, { NONE, NONE, CC1,	CC1,  CC1 },
			    { NONE, NONE, NONE, NONE, NONE } },
	{ "C3: 0x10", 0x10, { CC3,  CC3,  NONE, NONE, NONE },
			    { PC3,  PC3,  NONE, PC3,  NONE } },
	{ "C6: 0x20", 0x20, { CC6,  CC6,  CC6,  CC6,  CC6 },
			    { PC6,  PC6,  PC6,  PC6,  NONE } },
	{ "C6P: 0x21", 0x21, { CC6, CC6,  CC6,  CC6,  CC6 },
			    { PC6,  PC6,  PC6,  PC6,  NONE } },
	{ "C6S: 0x22", 0x22, { CC6, CC6,  CC6,  CC6,  CC6 },
			    { PC6,  PC6,  PC6,  PC6,  NONE } },
	{ "C6SP: 0x23", 0x23, { CC6, CC6, CC6,  CC6,  CC6 },
			    { PC6,  PC6,  PC6,  PC6,  NONE } },
	{ "C7: 0x30", 0x30, { CC7,  CC7,  CC6,  CC7,  CC6 },
			    { PC7,  PC7,  NONE, NONE, NONE } },
	{ "C7s: 0x31", 0x31, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { PC7,  PC7,  NONE, NONE, NONE } },
	{ "C7s: 0x32", 0x32, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { PC7,  PC7,  NONE, NONE, NONE } },
	{ "C7s: 0x33", 0x33, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { PC7,  PC7,  NONE, NONE, NONE } },
	{ "C8: 0x40", 0x40, { CC7,  CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC8,  NONE, PC8,  NONE } },
	{ "C9: 0x50", 0x50, { CC7,  CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC9,  NONE, NONE, NONE } },
	{ "C6: 0x51", 0x51, { CC7,  CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC9,  NONE, NONE, NONE } },
	{ "C6S: 0x52", 0x52, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC9,  NONE, NONE, NONE } },
	{ "C6N: 0x58", 0x58, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC9,  NONE, NONE, NONE } },
	{ "C10: 0x60", 0x60, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC10, NONE, PC10, NONE } },
	{ "C7S: 0x64", 0x64, { CC7, CC7,  CC6,  CC7,  CC6 },
			    { NONE, PC10, NONE, PC10, NONE } },
};

KUNIT_ARRAY_PARAM_DESC(hint, hint_cases, name);

static void counters_of_hint(struct kunit *test)
{
	const struct hint_case *c = test->param_value;

	for (int i = 0; i < FAMILIES; i++) {
		KUNIT_EXPECT_EQ_MSG(test, idle_latency_core_counter(c->hint, present[i]),
				    c->core[i], "family %d", i);
		KUNIT_EXPECT_EQ_MSG(test, idle_latency_package_counter(c->hint, present[i]),
				    c->package[i], "family %d", i);
	}
}

/* A counter that does not tell of the state is no substitute for one that does. */
static void counters_absent(struct kunit *test)
{
	const struct hint_case *c = test->param_value;
	const u32 useless = BIT(MC6) | BIT(PC2) | BIT(C0);

	KUNIT_EXPECT_EQ(test, idle_latency_core_counter(c->hint, 0), NONE);
	KUNIT_EXPECT_EQ(test, idle_latency_package_counter(c->hint, 0), NONE);
	KUNIT_EXPECT_EQ(test, idle_latency_core_counter(c->hint, useless), NONE);
	KUNIT_EXPECT_EQ(test, idle_latency_package_counter(c->hint, useless), NONE);
}

/* Nothing is known of them: the deepest core state is the best guess. */
static void counters_beyond_the_tables(struct kunit *test)
{
	for (u32 hint = 0x70; hint <= 0xff; hint++) {
		KUNIT_EXPECT_EQ(test, idle_latency_core_counter(hint, ALL), CC7);
		KUNIT_EXPECT_EQ(test, idle_latency_package_counter(hint, ALL), NONE);
	}
}

struct prewake_case {
	const char *name;
	int hint;
	bool can_prewake;
	bool prevented;
	u32 flags;
};

#define PREWAKE		IDLE_LATENCY_STATE_PREWAKE
#define NO_PREWAKE	IDLE_LATENCY_STATE_NO_PREWAKE

static const struct prewake_case prewake_cases[] = {
	{ "C1", 0x00, true, false, NO_PREWAKE },
	{ "C1E", 0x01, true, false, NO_PREWAKE },
	{ "C1 of any model", 0x0f, false, false, NO_PREWAKE },
	{ "C3", 0x10, true, false, PREWAKE },
	{ "C6", 0x20, true, false, PREWAKE },
	{ "C6, prevented", 0x20, true, true, NO_PREWAKE },
	{ "C6 of another model", 0x20, false, false, 0 },
	{ "C6 of another model, where the bit is something else", 0x20, false, true, 0 },
	{ "nobody knows which state", -1, true, false, PREWAKE },
	{ "nobody knows which state, prevented", -1, true, true, NO_PREWAKE },
	{ "nobody knows anything", -1, false, false, 0 },
};

KUNIT_ARRAY_PARAM_DESC(prewake, prewake_cases, name);

static void prewake(struct kunit *test)
{
	const struct prewake_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_prewake_flags(c->hint, c->can_prewake, c->prevented),
			c->flags);
}

/* As the kernel and the firmware describe a state. */
static void acpi_hint(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint("ACPI FFH MWAIT 0x0"), 0);
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint("ACPI FFH MWAIT 0x60"), 0x60);
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint("ACPI FFH MWAIT 0x10033"), 0x33);
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint("ACPI HLT"), -1);
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint("ACPI IOPORT 0x1814"), -1);
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint("ACPI FFH MWAIT "), -1);
	KUNIT_EXPECT_EQ(test, idle_latency_acpi_hint(""), -1);
}

static struct kunit_case hint_test_cases[] = {
	KUNIT_CASE_PARAM(counters_of_hint, hint_gen_params),
	KUNIT_CASE_PARAM(counters_absent, hint_gen_params),
	KUNIT_CASE(counters_beyond_the_tables),
	KUNIT_CASE_PARAM(prewake, prewake_gen_params),
	KUNIT_CASE(acpi_hint),
	{}
};

static struct kunit_suite hint_suite = {
	.name = "idle_latency_hint",
	.test_cases = hint_test_cases,
};

kunit_test_suite(hint_suite);

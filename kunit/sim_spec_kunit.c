// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the description of simulated idle states.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../sim_spec.h"

#define ROOM	3

struct sim_spec_case {
	const char *name;
	const char *text;
	int ret;
	struct sim_spec specs[ROOM];
};

static const struct sim_spec_case sim_spec_cases[] = {
	{ "one state", "A:2000:1000", 1, { { "A", 2000, 1000 } } },
	{ "two states", "A:2000:1000 B:50000:40000", 2,
	  { { "A", 2000, 1000 }, { "B", 50000, 40000 } } },
	{ "blanks and a newline around", "  A:1:2   B:3:4\n", 2, { { "A", 1, 2 }, { "B", 3, 4 } } },
	{ "no latency at all", "A:0:0", 1, { { "A", 0, 0 } } },
	{ "as many as there is room for", "A:1:1 B:2:2 C:3:3", 3,
	  { { "A", 1, 1 }, { "B", 2, 2 }, { "C", 3, 3 } } },
	{ "the longest name", "ABCDEFGHIJKLMNO:1:1", 1, { { "ABCDEFGHIJKLMNO", 1, 1 } } },
	{ "the longest latency", "A:1000000000:1000000000", 1,
	  { { "A", 1000000000, 1000000000 } } },
	{ "every option", "A:1:1 B:9:8:spread=7,outlier=6/5,demote=4,reject=3,mwait,irqs", 2,
	  { { "A", 1, 1 }, { "B", 9, 8, 7, 6, 5, 4, 3, true, true } } },
	{ "a count of two digits", "A:1:1 B:9:8:demote=10", 2,
	  { { "A", 1, 1 }, { "B", 9, 8, .demote_every = 10 } } },
	{ "nothing", "", -EINVAL },
	{ "blanks only", "\n  ", -EINVAL },
	{ "too many", "A:1:1 B:2:2 C:3:3 D:4:4", -E2BIG },
	{ "no name", ":1:1", -EINVAL },
	{ "a name that is too long", "ABCDEFGHIJKLMNOP:1:1", -EINVAL },
	{ "no latencies", "A", -EINVAL },
	{ "no actual latency", "A:1", -EINVAL },
	{ "an empty latency", "A::1", -EINVAL },
	{ "a negative latency", "A:1:-1", -EINVAL },
	{ "not a number", "A:1:1us", -EINVAL },
	{ "a latency that is too long", "A:1:1000000001", -ERANGE },
	{ "a latency that does not fit into 32 bits", "A:4294967296:1", -ERANGE },
	{ "an unknown option", "A:1:1:colour=3", -EINVAL },
	{ "an empty option", "A:1:1:", -EINVAL },
	{ "an option without its value", "A:1:1:spread", -EINVAL },
	{ "an option without its count", "A:1:1:reject", -EINVAL },
	{ "a count that is no number", "A:1:1:reject=x", -EINVAL },
	{ "a flag with a value", "A:1:1:irqs=1", -EINVAL },
	{ "another flag with a value", "A:1:1:mwait=1", -EINVAL },
	{ "an outlier without its values", "A:1:1:outlier", -EINVAL },
	{ "an outlier without a size", "A:1:1:outlier=5", -EINVAL },
	{ "an outlier each zero entries", "A:1:1:outlier=0/5", -ERANGE },
	{ "a rejection each zero entries", "A:1:1:reject=0", -ERANGE },
	{ "nothing shallower to demote to", "A:1:1:demote=2", -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(sim_spec, sim_spec_cases, name);

static void expect_spec(struct kunit *test, const struct sim_spec *expected,
			const struct sim_spec *spec)
{
	KUNIT_EXPECT_STREQ(test, spec->name, expected->name);
	KUNIT_EXPECT_EQ(test, spec->declared_ns, expected->declared_ns);
	KUNIT_EXPECT_EQ(test, spec->actual_ns, expected->actual_ns);
	KUNIT_EXPECT_EQ(test, spec->spread_ns, expected->spread_ns);
	KUNIT_EXPECT_EQ(test, spec->outlier_every, expected->outlier_every);
	KUNIT_EXPECT_EQ(test, spec->outlier_ns, expected->outlier_ns);
	KUNIT_EXPECT_EQ(test, spec->demote_every, expected->demote_every);
	KUNIT_EXPECT_EQ(test, spec->reject_every, expected->reject_every);
	KUNIT_EXPECT_EQ(test, spec->mwait, expected->mwait);
	KUNIT_EXPECT_EQ(test, spec->irqs, expected->irqs);
}

static void sim_parse(struct kunit *test)
{
	const struct sim_spec_case *c = test->param_value;
	struct sim_spec specs[ROOM];

	/* Nothing of what was there before is left, or makes a difference. */
	for (int before = 0; before <= 0xff; before += 0xff) {
		memset(specs, before, sizeof(specs));
		KUNIT_ASSERT_EQ(test, idle_latency_sim_parse(c->text, specs, ROOM), c->ret);

		for (int i = 0; i < c->ret; i++)
			expect_spec(test, &c->specs[i], &specs[i]);
	}
}

/* A text that is longer than what can be allocated, of which the allocator warns. */
static void sim_parse_without_memory(struct kunit *test)
{
	char *text = vmalloc(KMALLOC_MAX_SIZE + 1);
	struct sim_spec specs[ROOM];

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'A', KMALLOC_MAX_SIZE);
	text[KMALLOC_MAX_SIZE] = '\0';
	kunit_warning_suppress(test) {
		KUNIT_EXPECT_EQ(test, idle_latency_sim_parse(text, specs, ROOM), -ENOMEM);
	}
	vfree(text);
}

static struct kunit_case sim_spec_test_cases[] = {
	KUNIT_CASE_PARAM(sim_parse, sim_spec_gen_params),
	KUNIT_CASE(sim_parse_without_memory),
	{}
};

static struct kunit_suite sim_spec_suite = {
	.name = "idle_latency_sim_spec",
	.test_cases = sim_spec_test_cases,
};

kunit_test_suite(sim_spec_suite);

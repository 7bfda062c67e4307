// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for what the limit of idle injection can make a CPU enter.
 */
#include <kunit/test.h>
#include <linux/bits.h>

#include "../limit.h"

enum state { POLL, C1, C1E, C3, C6, STATES };

struct limit_case {
	const char *name;
	u64 exit_ns[STATES];
	u32 by_user;
	u32 by_driver;
	u64 limit_ns[STATES];
};

/* A limit of 0: the state cannot be reached. */
static const struct limit_case limit_cases[] = {
	{ "each state has another exit latency", { 0, 2000, 10000, 40000, 133000 }, 0, 0,
	  { 1, 2000, 10000, 40000, 133000 } },
	{ "two have the same: the first one is entered", { 0, 2000, 10000, 10000, 133000 }, 0, 0,
	  { 1, 2000, 10000, 0, 133000 } },
	{ "one has that of POLL", { 0, 0, 10000, 40000, 133000 }, 0, 0,
	  { 1, 0, 10000, 40000, 133000 } },
	{ "one ns is not that of POLL", { 0, 1, 2, 40000, 133000 }, 0, 0,
	  { 0, 1, 2, 40000, 133000 } },
	{ "one before a state takes longer", { 0, 2000, 10000, 40000, 5000 }, 0, 0,
	  { 1, 2000, 10000, 40000, 5000 } },
	{ "user space has disabled some", { 0, 2000, 10000, 40000, 133000 },
	  BIT(C1) | BIT(C6), 0, { 1, 0, 10000, 40000, 0 } },
	{ "the driver has disabled one", { 0, 2000, 10000, 40000, 133000 }, 0, BIT(C3),
	  { 1, 2000, 10000, 0, 133000 } },
	{ "the first of two with the same is disabled", { 0, 2000, 10000, 10000, 133000 },
	  BIT(C1E), 0, { 1, 2000, 0, 10000, 133000 } },
	{ "nothing looks whether POLL is disabled", { 0, 2000, 10000, 40000, 133000 },
	  BIT(POLL), BIT(POLL), { 1, 2000, 10000, 40000, 133000 } },
	{ "all are disabled", { 0, 2000, 10000, 40000, 133000 }, GENMASK(C6, POLL), 0, { 1 } },
};

KUNIT_ARRAY_PARAM_DESC(limit, limit_cases, name);

/* What is too large for the stack. */
struct limit_machine {
	struct cpuidle_driver drv;
	struct cpuidle_device dev;
};

static struct limit_machine *machine_of(struct kunit *test, const struct limit_case *c)
{
	struct limit_machine *machine = kunit_kzalloc(test, sizeof(*machine), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, machine);
	machine->drv.state_count = STATES;
	for (int i = 0; i < STATES; i++) {
		machine->drv.states[i].exit_latency_ns = c->exit_ns[i];
		if (c->by_user & BIT(i))
			machine->dev.states_usage[i].disable |= CPUIDLE_STATE_DISABLED_BY_USER;
		if (c->by_driver & BIT(i))
			machine->dev.states_usage[i].disable |= CPUIDLE_STATE_DISABLED_BY_DRIVER;
	}

	return machine;
}

static void limits_are_found(struct kunit *test)
{
	const struct limit_case *c = test->param_value;
	struct limit_machine *machine = machine_of(test, c);

	for (int i = 0; i < STATES; i++)
		KUNIT_EXPECT_EQ_MSG(test, idle_latency_find_limit(&machine->drv, &machine->dev, i),
				    c->limit_ns[i], "state %d", i);
}

static struct kunit_case limit_test_cases[] = {
	KUNIT_CASE_PARAM(limits_are_found, limit_gen_params),
	{}
};

static struct kunit_suite limit_suite = {
	.name = "idle_latency_limit",
	.test_cases = limit_test_cases,
};

kunit_test_suite(limit_suite);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the settings that are kept, with a CPU whose registers are in memory.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/smp.h>

/* The functions below take the place of those of hardware.h. */
#define _IDLE_LATENCY_HARDWARE_H

enum { HW_CST_CONFIG, HW_POWER_CTL, REGISTERS };

/**
 * struct fake_register - a register
 * @value: what it says
 * @fixed: bits that do not change when they are written
 * @absent: it cannot be read
 * @read_only: it cannot be written
 */
static struct fake_register {
	u64 value;
	u64 fixed;
	bool absent;
	bool read_only;
} registers[REGISTERS];

static int allowed;

static int hw_settings_allowed(void)
{
	return allowed;
}

static int hw_read_setting(u32 reg, u64 *value)
{
	*value = registers[reg].value;
	return registers[reg].absent ? -EIO : 0;
}

static int hw_write_setting(u32 reg, u64 value)
{
	const u64 fixed = registers[reg].fixed;

	if (registers[reg].read_only)
		return -EIO;

	registers[reg].value = (value & ~fixed) | (registers[reg].value & fixed);
	return 0;
}

static void hw_call_on(unsigned int cpu, smp_call_func_t function, void *data)
{
	function(data);
}

#include "../settings.c"

#define PREWAKE		IDLE_LATENCY_SETTING_PREWAKE
#define C1_DEMOTION	IDLE_LATENCY_SETTING_C1_DEMOTION
#define C3_DEMOTION	IDLE_LATENCY_SETTING_C3_DEMOTION
#define PROMOTION	IDLE_LATENCY_SETTING_C1E_PROMOTION
#define LIMIT		IDLE_LATENCY_SETTING_PACKAGE_LIMIT

/* Values 1 and 2 are both PC2. */
static const u8 limits[] = {
	0, 2, 2, 6, IDLE_LATENCY_LIMIT_UNKNOWN, IDLE_LATENCY_LIMIT_UNKNOWN,
	IDLE_LATENCY_LIMIT_UNKNOWN, IDLE_LATENCY_LIMIT_NONE,
};

static const struct idle_latency_model server = {
	.limit_mask	= GENMASK(2, 0),
	.limits		= limits,
	.demotion	= IDLE_LATENCY_C1_DEMOTION | IDLE_LATENCY_C3_DEMOTION,
	.prewake	= true,
};

/* Bits of the registers that are no setting, and stay. */
#define OTHERS		0xaa00000010000400ULL

struct settings_case {
	const char *name;
	struct idle_latency_settings settings;
	/* before and while they are kept, by register */
	u64 before[REGISTERS];
	u64 kept[REGISTERS];
};

static const struct settings_case settings_cases[] = {
	{ "no setting", { }, { 0x403, 0x2 }, { 0x403, 0x2 } },
	{ "pre-wake off", { PREWAKE }, { 0x403, 0 }, { 0x403, BIT(30) } },
	{ "pre-wake on", { PREWAKE, PREWAKE }, { 0, BIT(30) | 2 }, { 0, 2 } },
	{ "what is so already", { PREWAKE }, { 0, BIT(30) }, { 0, BIT(30) } },
	{ "promotion off", { PROMOTION }, { 0, 0x2 }, { 0, 0 } },
	{ "promotion on", { PROMOTION, PROMOTION }, { 0, 0 }, { 0, 0x2 } },
	{ "demotion off", { C1_DEMOTION | C3_DEMOTION }, { 0x6000403, 0 }, { 0x403, 0 } },
	{ "demotion of C1 only", { C1_DEMOTION }, { 0x6000000, 0 }, { 0x2000000, 0 } },
	{ "demotion to C3 on", { C3_DEMOTION, C3_DEMOTION }, { 0, 0 }, { 0x2000000, 0 } },
	{ "demotion although the limit is locked", { C3_DEMOTION }, { 0x2008403, 0 },
	  { 0x8403, 0 } },
	{ "the package awake", { LIMIT }, { 0x403, 0 }, { 0x400, 0 } },
	{ "the largest value of a package state", { LIMIT, .package_limit = 2 }, { 0x407, 0 },
	  { 0x402, 0 } },
	{ "a limit that is locked, but right", { LIMIT, .package_limit = 6 }, { 0x8403, 0 },
	  { 0x8403, 0 } },
	{ "all of them", { GENMASK(4, 0), PREWAKE | C1_DEMOTION, 6 }, { 0x2000000, BIT(30) | 2 },
	  { 0x4000003, 0 } },
};

KUNIT_ARRAY_PARAM_DESC(settings, settings_cases, name);

static void set_registers(const u64 *values)
{
	for (u32 i = 0; i < REGISTERS; i++)
		registers[i] = (struct fake_register) { .value = values[i] | OTHERS };
}

static void expect_registers(struct kunit *test, const u64 *values)
{
	for (u32 i = 0; i < REGISTERS; i++)
		KUNIT_EXPECT_EQ_MSG(test, registers[i].value, values[i] | OTHERS, "register %u", i);
}

static void settings_are_kept_and_put_back(struct kunit *test)
{
	const struct settings_case *c = test->param_value;
	struct idle_latency_settings settings = c->settings;

	set_registers(c->before);
	KUNIT_ASSERT_EQ(test, idle_latency_check_settings(&settings), 0);
	KUNIT_ASSERT_EQ(test, idle_latency_keep_settings(&server, &settings), 0);
	expect_registers(test, c->kept);
	KUNIT_EXPECT_EQ(test, settings.refused, 0);

	idle_latency_put_back_settings(settings.kept);
	expect_registers(test, c->before);
}

struct refusal {
	const char *name;
	struct idle_latency_settings settings;
	int allowed;
	/* of HW_CST_CONFIG */
	struct fake_register reg;
	int err;
	u32 refused;
};

static const struct refusal refusals[] = {
	{ "locked down", { PREWAKE }, .allowed = -EPERM, .err = -EPERM },
	{ "no such limit", { PREWAKE | LIMIT, 0, 3 }, .err = -ERANGE, .refused = LIMIT },
	{ "locked", { LIMIT, 0, 2 }, .reg.value = 0x8003, .err = -EROFS, .refused = LIMIT },
	{ "no register", { PREWAKE | C1_DEMOTION }, .reg.absent = true, .err = -EOPNOTSUPP,
	  .refused = C1_DEMOTION },
	{ "not written", { C3_DEMOTION, C3_DEMOTION }, .reg.read_only = true, .err = -EIO,
	  .refused = C3_DEMOTION },
	{ "a part is not taken", { LIMIT, 0, 6 }, .reg.fixed = 1, .err = -EIO, .refused = LIMIT },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusals, name);

/* All registers are as before, also where another setting was kept first. */
static void settings_are_refused(struct kunit *test)
{
	const struct refusal *c = test->param_value;
	struct idle_latency_settings settings = c->settings;

	registers[HW_POWER_CTL] = (struct fake_register) { .value = OTHERS };
	registers[HW_CST_CONFIG] = c->reg;
	allowed = c->allowed;
	KUNIT_EXPECT_EQ(test, idle_latency_keep_settings(&server, &settings), c->err);
	allowed = 0;
	KUNIT_EXPECT_EQ(test, settings.refused, c->refused);
	KUNIT_EXPECT_EQ(test, registers[HW_CST_CONFIG].value, c->reg.value);
	KUNIT_EXPECT_EQ(test, registers[HW_POWER_CTL].value, OTHERS);
}

static void nothing_is_known_of_a_model(struct kunit *test)
{
	const struct idle_latency_model unknown = { };

	for (unsigned int i = 0; i < SETTINGS; i++) {
		struct idle_latency_settings settings = { .kept = BIT(i) };

		KUNIT_EXPECT_EQ(test, idle_latency_keep_settings(&unknown, &settings), -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, settings.refused, BIT(i));
	}
}

static void settings_that_are_none(struct kunit *test)
{
	const struct idle_latency_settings wrong[] = {
		{ .kept = BIT(SETTINGS) },
		{ .kept = PREWAKE, .on = PROMOTION },
		{ .kept = LIMIT, .on = LIMIT },
		{ .kept = PREWAKE, .package_limit = 6 },
		{ .kept = PREWAKE, .refused = PREWAKE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_EQ_MSG(test, idle_latency_check_settings(&wrong[i]), -EINVAL,
				    "%zu", i);
}

/* As long as one of them keeps the setting, it stays, and nobody else may have it otherwise. */
static void two_files_keep_a_setting(struct kunit *test)
{
	struct idle_latency_settings off = { PREWAKE }, same = off, on = { PREWAKE, PREWAKE };

	set_registers((const u64[REGISTERS]) { });
	KUNIT_ASSERT_EQ(test, idle_latency_keep_settings(&server, &off), 0);
	KUNIT_EXPECT_EQ(test, idle_latency_keep_settings(&server, &on), -EBUSY);
	KUNIT_EXPECT_EQ(test, on.refused, PREWAKE);
	KUNIT_ASSERT_EQ(test, idle_latency_keep_settings(&server, &same), 0);
	idle_latency_put_back_settings(PREWAKE);
	expect_registers(test, (const u64[REGISTERS]) { 0, BIT(30) });
	idle_latency_put_back_settings(PREWAKE);
	expect_registers(test, (const u64[REGISTERS]) { });
}

static void what_others_write_meanwhile_stays(struct kunit *test)
{
	struct idle_latency_settings settings = { C1_DEMOTION | C3_DEMOTION | LIMIT, 0, 2 };

	/* Of PC2 there are two values, and the larger one is written. */
	set_registers((const u64[REGISTERS]) { 0x6000003 });
	KUNIT_ASSERT_EQ(test, idle_latency_keep_settings(&server, &settings), 0);
	/* The limit, as somebody else wants it, and a bit that is no setting. */
	registers[HW_CST_CONFIG].value ^= BIT_ULL(40) | 3;
	idle_latency_put_back_settings(settings.kept);
	expect_registers(test, (const u64[REGISTERS]) { 0x6000001 | BIT_ULL(40) });
}

/* A CPU whose registers were reset while it was offline. */
static void a_cpu_comes_back(struct kunit *test)
{
	struct idle_latency_settings settings = { PREWAKE | LIMIT };

	set_registers((const u64[REGISTERS]) { 3 });
	KUNIT_ASSERT_EQ(test, idle_latency_keep_settings(&server, &settings), 0);
	idle_latency_settings_offline(0);
	expect_registers(test, (const u64[REGISTERS]) { 3 });

	set_registers((const u64[REGISTERS]) { 7 });
	idle_latency_settings_online(0);
	expect_registers(test, (const u64[REGISTERS]) { 0, BIT(30) });
	/* Once only, so that who writes there keeps that. */
	registers[HW_POWER_CTL].value &= ~BIT(30);
	idle_latency_settings_online(0);
	expect_registers(test, (const u64[REGISTERS]) { });
	idle_latency_put_back_settings(settings.kept);
	expect_registers(test, (const u64[REGISTERS]) { 7 });
}

static struct kunit_case settings_test_cases[] = {
	KUNIT_CASE_PARAM(settings_are_kept_and_put_back, settings_gen_params),
	KUNIT_CASE_PARAM(settings_are_refused, refusal_gen_params),
	KUNIT_CASE(nothing_is_known_of_a_model),
	KUNIT_CASE(settings_that_are_none),
	KUNIT_CASE(two_files_keep_a_setting),
	KUNIT_CASE(what_others_write_meanwhile_stays),
	KUNIT_CASE(a_cpu_comes_back),
	{}
};

static struct kunit_suite settings_suite = {
	.name = "idle_latency_settings",
	.test_cases = settings_test_cases,
};

kunit_test_suite(settings_suite);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep settings of the processor that the firmware has made, on all CPUs.
 *
 * The kernel and other programs write to the same registers meanwhile, such as intel_idle, whose
 * file intel_c1_demotion switches demotion. So each CPU has a note of the bits of a setting that
 * were changed there, and only these are put back, as long as they say what was written. A
 * register that CPUs share is changed on the first of them and found to be so on the others, which
 * have no note then; when the first one goes offline, it puts its bits back, and another one
 * changes them again.
 *
 * Whoever calls this holds the lock of keep.c and keeps CPUs from going on- and offline.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/percpu.h>

#include "hardware.h"
#include "keep.h"

#define SETTINGS	5

static_assert(ilog2(IDLE_LATENCY_SETTING_PACKAGE_LIMIT) + 1 == SETTINGS);

/**
 * struct field - where a setting is, and what it is to be
 * @reg: HW_CST_CONFIG or HW_POWER_CTL
 * @mask: the bits of the setting there
 * @bits: what they are to be
 * @lock: a bit of the register that keeps them from being written, or 0
 */
struct field {
	u32 reg;
	u64 mask;
	u64 bits;
	u64 lock;
};

/**
 * struct kept - a setting that is kept
 * @files: how many files keep it; the rest is valid when there is one
 * @field: what they have it be
 */
struct kept {
	unsigned int files;
	struct field field;
};

/**
 * struct note - what was changed on a CPU
 * @changed: something was
 * @before: the bits of the setting before that
 */
struct note {
	bool changed;
	u64 before;
};

static struct kept kept[SETTINGS];
static DEFINE_PER_CPU(struct note [SETTINGS], notes);

/**
 * struct access - what is done on a CPU
 * @setting: number of the setting
 * @err: 0 or a negative errno
 */
struct access {
	unsigned int setting;
	int err;
};

static bool same_field(const struct field *a, const struct field *b)
{
	return a->reg == b->reg && a->mask == b->mask && a->bits == b->bits;
}

/* The largest value that means this package state, so that C6 is C6 with retention. */
static int find_limit(const struct idle_latency_model *model, u32 limit, u64 *bits)
{
	if (!model->limit_mask)
		return -EOPNOTSUPP;

	for (u32 value = model->limit_mask + 1; value--;) {
		if (model->limits[value] != limit)
			continue;
		*bits = value;
		return 0;
	}

	return -ERANGE;
}

static int find_bit(const struct idle_latency_model *model, u32 setting, bool on,
		    struct field *field)
{
	switch (setting) {
	case IDLE_LATENCY_SETTING_PREWAKE:
		*field = (struct field) { HW_POWER_CTL, IDLE_LATENCY_NO_PREWAKE };
		/* The bit switches it off. */
		field->bits = on ? 0 : field->mask;
		return model->prewake ? 0 : -EOPNOTSUPP;
	case IDLE_LATENCY_SETTING_C1E_PROMOTION:
		*field = (struct field) { HW_POWER_CTL, IDLE_LATENCY_C1E_PROMOTION };
		break;
	case IDLE_LATENCY_SETTING_C1_DEMOTION:
		*field = (struct field) { HW_CST_CONFIG,
					  model->demotion & IDLE_LATENCY_C1_DEMOTION };
		break;
	default:
		*field = (struct field) { HW_CST_CONFIG,
					  model->demotion & IDLE_LATENCY_C3_DEMOTION };
		break;
	}

	field->bits = on ? field->mask : 0;
	/* Of a model that is not known, not even the limit is. */
	return field->mask && model->limit_mask ? 0 : -EOPNOTSUPP;
}

static int find_field(const struct idle_latency_model *model,
		      const struct idle_latency_settings *settings, u32 setting,
		      struct field *field)
{
	if (setting != IDLE_LATENCY_SETTING_PACKAGE_LIMIT)
		return find_bit(model, setting, settings->on & setting, field);

	*field = (struct field) {
		.reg	= HW_CST_CONFIG,
		.mask	= model->limit_mask,
		.lock	= IDLE_LATENCY_LIMIT_LOCK,
	};
	return find_limit(model, settings->package_limit, &field->bits);
}

static int change(const struct field *field, u64 value)
{
	u64 now;

	if (value & field->lock)
		return -EROFS;
	if (hw_write_setting(field->reg, (value & ~field->mask) | field->bits))
		return -EIO;
	if (!hw_read_setting(field->reg, &now) && (now & field->mask) == field->bits)
		return 0;

	/* It may have taken a part of it. */
	hw_write_setting(field->reg, value);
	return -EIO;
}

/*
 * On the CPU, with interrupts disabled, so that nobody on it writes to the register meanwhile.
 * Where threads share that, a write on the sibling is not kept out, such as that of
 * intel_c1_demotion in intel_idle: there is no lock for the register.
 */
static void change_here(void *data)
{
	struct access *access = data;
	const struct field *field = &kept[access->setting].field;
	struct note *note = this_cpu_ptr(&notes[access->setting]);
	u64 value;

	/* What somebody has written there since is left to them. */
	if (note->changed)
		return;
	if (hw_read_setting(field->reg, &value)) {
		access->err = -EOPNOTSUPP;
		return;
	}
	if ((value & field->mask) == field->bits)
		return;

	access->err = change(field, value);
	note->changed = !access->err;
	note->before = value & field->mask;
}

/* Likewise. */
static void put_back_here(void *data)
{
	const struct access *access = data;
	const struct field *field = &kept[access->setting].field;
	struct note *note = this_cpu_ptr(&notes[access->setting]);
	u64 value;

	if (note->changed && !hw_read_setting(field->reg, &value) &&
	    (value & field->mask) == field->bits)
		hw_write_setting(field->reg, (value & ~field->mask) | note->before);
	note->changed = false;
}

static void put_back(unsigned int setting)
{
	struct access access = { .setting = setting };
	unsigned int cpu;

	for_each_online_cpu(cpu)
		hw_call_on(cpu, put_back_here, &access);
}

static int change_all(unsigned int setting)
{
	struct access access = { .setting = setting };
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		hw_call_on(cpu, change_here, &access);
		if (access.err)
			break;
	}
	if (access.err)
		put_back(setting);

	return access.err;
}

static int keep(unsigned int setting, const struct field *field)
{
	int err;

	if (kept[setting].files && !same_field(&kept[setting].field, field))
		return -EBUSY;

	if (!kept[setting].files) {
		kept[setting].field = *field;
		err = change_all(setting);
		if (err)
			return err;
	}

	kept[setting].files++;
	return 0;
}

/**
 * idle_latency_check_settings() - can these be settings at all?
 * @settings: as they came from user space
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int idle_latency_check_settings(const struct idle_latency_settings *settings)
{
	const u32 limit = IDLE_LATENCY_SETTING_PACKAGE_LIMIT;

	if (settings->kept & ~GENMASK(SETTINGS - 1, 0) ||
	    settings->on & ~(settings->kept & ~limit) ||
	    (settings->package_limit && !(settings->kept & limit)) || settings->refused)
		return -EINVAL;

	return 0;
}

/**
 * idle_latency_keep_settings() - keep settings on all CPUs
 * @model: the model of these
 * @settings: which; @refused is set where that fails
 *
 * Context: process context. May sleep.
 * Return: 0, or an error as listed for IDLE_LATENCY_KEEP_IOC_SET; none of them is kept then.
 */
int idle_latency_keep_settings(const struct idle_latency_model *model,
			       struct idle_latency_settings *settings)
{
	struct field field;
	int err;

	err = settings->kept ? hw_settings_allowed() : 0;
	if (err)
		return err;

	for (unsigned int i = 0; i < SETTINGS; i++) {
		if (!(settings->kept & BIT(i)))
			continue;
		err = find_field(model, settings, BIT(i), &field);
		err = err ?: keep(i, &field);
		if (!err)
			continue;
		settings->refused = BIT(i);
		idle_latency_put_back_settings(settings->kept & (BIT(i) - 1));
		return err;
	}

	return 0;
}

/**
 * idle_latency_put_back_settings() - undo idle_latency_keep_settings()
 * @settings: IDLE_LATENCY_SETTING_* bits of those that one file keeps
 *
 * Context: process context. May sleep.
 */
void idle_latency_put_back_settings(u32 settings)
{
	for (unsigned int i = 0; i < SETTINGS; i++) {
		if (settings & BIT(i) && !--kept[i].files)
			put_back(i);
	}
}

/**
 * idle_latency_settings_online() - a CPU comes online
 * @cpu: the CPU
 *
 * Context: process context. May sleep.
 */
void idle_latency_settings_online(unsigned int cpu)
{
	struct access access = { };

	for (; access.setting < SETTINGS; access.setting++) {
		if (kept[access.setting].files)
			hw_call_on(cpu, change_here, &access);
	}
}

/**
 * idle_latency_settings_offline() - a CPU goes offline
 * @cpu: the CPU
 *
 * What it shares with others is changed by one of these afterwards.
 *
 * Context: process context. May sleep.
 */
void idle_latency_settings_offline(unsigned int cpu)
{
	struct access access = { };
	unsigned int other;

	for (; access.setting < SETTINGS; access.setting++) {
		if (!kept[access.setting].files)
			continue;
		hw_call_on(cpu, put_back_here, &access);
		for_each_online_cpu(other) {
			if (other != cpu)
				hw_call_on(other, change_here, &access);
		}
	}
}

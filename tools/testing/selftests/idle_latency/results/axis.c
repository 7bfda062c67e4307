// SPDX-License-Identifier: GPL-2.0
/* Axes, and the numbers along them. */
#include <math.h>
#include <string.h>

#include "plot.h"

/* As many as there is room for without numbers that touch each other. */
#define INTERVALS	5

void axis_fit(struct axis *axis, double low, double high)
{
	bool logarithm = axis->scale >= SCALE_LOG_NS;
	double margin = (high - low) / 25;

	/* Times and counts are whole numbers. */
	if (!logarithm && margin < 1)
		margin = 1;
	if (logarithm && margin < 0.02)
		margin = 0.02;
	axis->from = logarithm ? low - margin : floor(low - margin);
	axis->to = logarithm ? high + margin : ceil(high + margin);
}

double axis_step(double least)
{
	double step = 1;

	for (;; step *= 10) {
		if (step >= least)
			return step;
		if (2 * step >= least)
			return 2 * step;
		if (5 * step >= least)
			return 5 * step;
	}
}

/* The largest unit in which all multiples of @step are whole numbers. */
static double unit_of(double step, const char **unit)
{
	if (fmod(step, 1e6) == 0) {
		*unit = "ms";
		return 1e6;
	}
	if (fmod(step, 1e3) == 0) {
		*unit = "us";
		return 1e3;
	}
	*unit = "ns";
	return 1;
}

static size_t linear_ticks(const struct axis *axis,
			   struct tick ticks[TICKS_MAX], const char **unit)
{
	double step = axis_step((axis->to - axis->from) / INTERVALS);
	double divisor = 1, at = ceil(fmax(axis->from, 0) / step) * step;
	size_t count = 0;

	*unit = axis->scale == SCALE_PERCENT ? "%" : "";
	if (axis->scale == SCALE_NS)
		divisor = unit_of(step, unit);
	for (; at <= axis->to && count < TICKS_MAX; at += step) {
		ticks[count].at = at;
		snprintf(ticks[count].label, sizeof(ticks[count].label), "%.0f",
			 at / divisor);
		count++;
	}
	return count;
}

static void name_logarithm(const struct axis *axis, struct tick *tick,
			   double value)
{
	const char *unit = "";

	if (axis->scale == SCALE_LOG_NS)
		value /= unit_of(value, &unit);
	/* gnuplot takes it for a format, and makes one percent sign of two. */
	if (axis->scale == SCALE_LOG_SHARE)
		snprintf(tick->label, sizeof(tick->label), "%g %%%%",
			 value * 100);
	else
		snprintf(tick->label, sizeof(tick->label), "%.0f%s%s", value,
			 *unit ? " " : "", unit);
}

/*
 * Each power of ten; of a time that spans few of them also what is between these, so that there
 * are three ticks at least.
 */
static size_t log_ticks(const struct axis *axis, struct tick ticks[TICKS_MAX])
{
	static const int all[] = { 1, 2, 5 }, some[] = { 1, 3 };
	double decades = axis->scale == SCALE_LOG_NS ? axis->to - axis->from :
						       INFINITY;
	const int *factors = decades < 2 ? all : some;
	size_t factor_count = decades < 2 ? ARRAY_SIZE(all) :
			      decades < 3 ? ARRAY_SIZE(some) : 1;
	size_t count = 0;

	for (int power = floor(axis->from); power <= axis->to; power++)
		for (size_t i = 0; i < factor_count; i++) {
			double at = power + log10(factors[i]);

			if (at < axis->from || at > axis->to || count == TICKS_MAX)
				continue;
			ticks[count].at = at;
			name_logarithm(axis, &ticks[count++],
				       factors[i] * pow(10, power));
		}
	return count;
}

size_t axis_ticks(const struct axis *axis, struct tick ticks[TICKS_MAX],
		  const char **unit)
{
	if (axis->scale < SCALE_LOG_NS)
		return linear_ticks(axis, ticks, unit);
	*unit = "";
	return log_ticks(axis, ticks);
}

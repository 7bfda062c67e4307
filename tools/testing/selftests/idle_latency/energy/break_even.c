// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "break_even.h"
#include "kselftest.h"

/* Quantiles of Student's distribution, by degrees of freedom from 1 on; then of the normal one. */
static const double quantiles_999[] = {
	318.309, 22.327, 10.215, 7.173, 5.893, 5.208, 4.785, 4.501, 4.297, 4.144,
	4.025, 3.930, 3.852, 3.787, 3.733, 3.686, 3.646, 3.610, 3.579, 3.552,
	3.527, 3.505, 3.485, 3.467, 3.450, 3.435, 3.421, 3.408, 3.396, 3.385,
};

static const double quantiles_975[] = {
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
};

/* With more degrees of freedom, the last one of the table errs on the safe side. */
static double quantile(const double *quantiles, size_t count, size_t freedom)
{
	if (!freedom)
		return INFINITY;
	return quantiles[freedom < count ? freedom - 1 : count - 1];
}

double student_999(size_t freedom)
{
	return quantile(quantiles_999, ARRAY_SIZE(quantiles_999), freedom);
}

double student_975(size_t freedom)
{
	return quantile(quantiles_975, ARRAY_SIZE(quantiles_975), freedom);
}

typedef double (*weight_of)(const struct energy_point *point);

static double weight_of_mean(const struct energy_point *point)
{
	return 1 / (point->nj * point->nj);
}

static double weight_of_sum(const struct energy_point *point)
{
	return 1 / point->length_ns;
}

/* Weighted sums of a regression: Draper and Smith, Applied Regression Analysis, chapter 9. */
struct sums {
	double periods, length, energy, squares, products;
};

static struct sums sum_up(const struct energy_point *points, size_t count, weight_of weight_of)
{
	struct sums sums = { };

	for (size_t i = 0; i < count; i++) {
		const double weight = weight_of(&points[i]);

		sums.periods += weight * points[i].periods * points[i].periods;
		sums.length += weight * points[i].periods * points[i].length_ns;
		sums.energy += weight * points[i].periods * points[i].nj;
		sums.squares += weight * points[i].length_ns * points[i].length_ns;
		sums.products += weight * points[i].length_ns * points[i].nj;
	}
	return sums;
}

static bool fit(const struct energy_point *points, size_t count, weight_of weight_of,
		struct energy_line *line)
{
	const struct sums sums = sum_up(points, count, weight_of);
	const double determinant = sums.periods * sums.squares - sums.length * sums.length;
	double squares = 0;

	*line = (struct energy_line) { .points = count };
	if (count < 3 || !(determinant > sums.periods * sums.squares / 1000000000))
		return false;
	line->power_w = (sums.periods * sums.products - sums.length * sums.energy) / determinant;
	line->cost_nj = (sums.squares * sums.energy - sums.length * sums.products) / determinant;
	for (size_t i = 0; i < count; i++) {
		const double off = (points[i].nj - line->cost_nj * points[i].periods -
				    line->power_w * points[i].length_ns) *
				   sqrt(weight_of(&points[i]));

		squares += off * off;
		line->residual = fmax(line->residual, fabs(off));
	}
	squares /= count - 2;
	line->cost_variance = squares * sums.squares / determinant;
	line->power_variance = squares * sums.periods / determinant;
	line->covariance = -squares * sums.length / determinant;
	return true;
}

bool energy_line_fit(const struct energy_point *points, size_t count, struct energy_line *line)
{
	for (size_t i = 0; i < count; i++)
		if (!(points[i].nj > 0) || !(points[i].length_ns > 0))
			return false;
	return fit(points, count, weight_of_mean, line);
}

bool energy_line_fit_sums(const struct energy_point *points, size_t count,
			  struct energy_line *line)
{
	for (size_t i = 0; i < count; i++)
		if (!(points[i].length_ns > 0))
			return false;
	return fit(points, count, weight_of_sum, line);
}

static double variance_at(const struct energy_line *line, double ns)
{
	return line->cost_variance + ns * ns * line->power_variance + 2 * ns * line->covariance;
}

/*
 * The bounds are those lengths at which the difference of the lines is just as large as chance may
 * make it (Fieller's theorem): the roots of gain * l - cost = -+ t * deviation(l).
 */
static void find_bounds(const struct energy_line *state, const struct energy_line *above, double t,
			struct break_even *found)
{
	const double gain = above->power_w - state->power_w;
	const double cost = state->cost_nj - above->cost_nj;
	const double gain_variance = state->power_variance + above->power_variance;
	const double cost_variance = state->cost_variance + above->cost_variance;
	/* That of gain and -cost has the other sign. */
	const double covariance = -state->covariance - above->covariance;
	const double a = gain * gain - t * t * gain_variance;
	const double b = gain * cost - t * t * covariance;
	const double c = cost * cost - t * t * cost_variance;
	const double root = sqrt(fmax(0, b * b - a * c));

	found->low_ns = (b - root) / a;
	found->high_ns = (b + root) / a;
}

struct break_even break_even_find(const struct energy_line *state, const struct energy_line *above)
{
	const double gain = above->power_w - state->power_w;
	const double deviation = sqrt(state->power_variance + above->power_variance);
	const double t = student_999(state->points + above->points - 4);
	const struct break_even never = {
		.result = BREAK_EVEN_NEVER, .ns = INFINITY,
		.low_ns = BREAK_EVEN_MOST_NS, .high_ns = INFINITY,
	};
	struct break_even found = { };

	if (fabs(gain) <= t * deviation) {
		/* Whether it is or not, the state costs more at the longest length. */
		const double more = state->cost_nj - above->cost_nj - gain * BREAK_EVEN_MOST_NS;
		const double chance = sqrt(variance_at(state, BREAK_EVEN_MOST_NS) +
					   variance_at(above, BREAK_EVEN_MOST_NS));

		if (more > t * chance)
			return never;
		return (struct break_even) { .result = BREAK_EVEN_UNKNOWN, .ns = INFINITY,
					     .high_ns = INFINITY };
	}
	if (gain < 0)
		return never;
	found.ns = (state->cost_nj - above->cost_nj) / gain;
	find_bounds(state, above, t, &found);
	if (found.low_ns > BREAK_EVEN_MOST_NS)
		return never;
	if (found.high_ns <= 0) {
		found = (struct break_even) { .result = BREAK_EVEN_AT_ONCE };
		return found;
	}
	found.low_ns = fmax(0, found.low_ns);
	found.ns = fmax(0, found.ns);
	return found;
}

static double width_of(const struct break_even *found)
{
	return (found->high_ns - found->low_ns) / found->ns;
}

bool break_even_is_within(const struct break_even *found, double part)
{
	return found->result == BREAK_EVEN_KNOWN ? width_of(found) < part :
						   found->result != BREAK_EVEN_UNKNOWN;
}

double break_even_takes(const struct break_even *found)
{
	const double times = width_of(found) / BREAK_EVEN_NARROW;

	return found->result == BREAK_EVEN_KNOWN && isfinite(times) ? ceil(times * times) : 0;
}

struct residency residency_judge(const struct break_even *found, __u64 declared_ns)
{
	const double declared = declared_ns;

	if (found->result == BREAK_EVEN_UNKNOWN)
		return (struct residency) {
			KSFT_SKIP, "its power is not told from that above: measure longer"
		};
	if (found->result == BREAK_EVEN_NEVER)
		return (struct residency) {
			KSFT_FAIL, "the state does not pay below 50 ms"
		};
	if (found->low_ns > declared)
		return (struct residency) {
			KSFT_FAIL, "to enter the state for as short costs energy"
		};
	if (declared < found->high_ns && !break_even_is_within(found, BREAK_EVEN_NARROW))
		return (struct residency) { KSFT_SKIP, "too noisy: measure longer" };
	return (struct residency) {
		KSFT_PASS, declared > RESIDENCY_TOO_LONG * found->high_ns ?
			   "energy is left: the state pays after less than half of that" : ""
	};
}

bool residency_too_short(__u64 latency_ns, __u64 residency_ns)
{
	return residency_ns < latency_ns;
}

// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "crossing.h"
#include "statistics.h"

/*
 * A state is compared with the one above it at lengths between two wake-ups from this part of the
 * declared target residency to so many times of it, each of them fixed and random.
 */
#define LENGTHS		6
#define LENGTH_FIRST	0.5
#define LENGTH_LAST	6.0
/*
 * In less than so many times that for which a CPU is not idle when it is woken, too little is left
 * of it. Where it polls, that has what it takes to poll again and again, too.
 */
#define LENGTH_AWAKES	2
/* At which a thread wakes up while its CPU polls, to know by how much it is late. */
#define LENGTH_POLL_NS	200000.0
/* So many times all lengths are measured at most. */
#define ROUNDS_MOST	32

struct curve {
	struct energy_point point[2 * LENGTHS * ROUNDS_MOST];
	size_t count;
};

void crossing_prepare(struct crossing_take *take, const struct crossing_state *poll)
{
	const struct wakes wakes = {
		.package = take->package, .state = poll->index, .length_ns = LENGTH_POLL_NS,
	};
	struct woken woken = { };

	if (!keep_hold(take->keep, &take->package->cpus, wakes.state))
		wakes_measure(take->meters, &wakes, poll->awake_w, &woken);
	take->prompt_ns = woken.late_ns;
	take->awake_ns = woken.awake_ns;
}

/* All lengths once. */
static bool take_round(const struct crossing_take *take, const struct crossing_state *state,
		       double first_ns, double last_ns, struct curve *curve)
{
	struct wakes wakes = {
		.package = take->package, .state = state->index, .prompt_ns = take->prompt_ns,
		.awake_w = take->poll_w,
	};

	for (size_t i = 0; i < 2 * LENGTHS; i++) {
		struct woken woken;

		wakes.random = i % 2;
		wakes.length_ns = first_ns * pow(last_ns / first_ns, i / 2 / (LENGTHS - 1.0));
		if (!wakes_measure(take->meters, &wakes, state->awake_w, &woken))
			return false;
		curve->point[curve->count++] = woken.point;
	}
	return true;
}

static bool take_rounds(const struct crossing_take *take, const struct crossing_state *state,
			__u64 declared_ns, size_t rounds, struct curve *curve)
{
	const double first_ns = larger(LENGTH_FIRST * declared_ns,
				       LENGTH_AWAKES * take->awake_ns +
				       2000 * state->latency_us);
	const double last_ns = larger(LENGTH_LAST * declared_ns, 4 * first_ns);

	if (keep_hold(take->keep, &take->package->cpus, state->index))
		return false;
	for (size_t i = 0; i < rounds; i++)
		if (!take_round(take, state, first_ns, last_ns, curve))
			return false;
	return true;
}

bool crossing_find(const struct crossing_take *take, const struct crossing_state *state,
		   const struct crossing_state *above, __u64 declared_ns,
		   struct crossing *crossing)
{
	static struct curve of_state, of_above;
	const __u64 begin_ns = now_ns();

	of_state.count = 0;
	of_above.count = 0;
	/* As many again as there are: that halves the variance. */
	for (size_t all = 0, rounds = 1; all < ROUNDS_MOST; all += rounds, rounds = all) {
		if (!take_rounds(take, state, declared_ns, rounds, &of_state) ||
		    !take_rounds(take, above, declared_ns, rounds, &of_above) ||
		    !energy_line_fit(of_state.point, of_state.count, &crossing->state) ||
		    !energy_line_fit(of_above.point, of_above.count, &crossing->above))
			return false;
		crossing->found = break_even_find(&crossing->state, &crossing->above);
		if (break_even_is_within(&crossing->found, BREAK_EVEN_TARGET) ||
		    2 * now_ns() - begin_ns > take->until_ns)
			break;
	}
	return true;
}

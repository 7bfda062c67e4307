// SPDX-License-Identifier: GPL-2.0
/* What a run measures: which CPUs at once, and a row of each for each method and state. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include "run.h"

/*
 * Returns NULL where the driver takes a session of this row, or why not: a source that does not
 * work gets no time.
 */
static const char *try_row(const struct run *run, const struct row *row)
{
	struct idle_latency_config config = {
		.cpu = row->cpu,
		.state = row->state.index,
		.source = row->method->source,
		.waker = row->waker,
		.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS,
		.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS,
		.buffer_records = IDLE_LATENCY_BUFFER_MIN,
	};
	int ret;

	if (cpu_keeps_time(row->cpu))
		return "the CPU keeps the time of a nohz_full system: measure another one";
	/* That may be because the machine does not come back from it. */
	if (row->state.disable && !run->options.states)
		return "disabled by the administrator";
	if (row_by_nic(row) && run->no_card.reason)
		return run->no_card.reason;
	ret = device_config(run->fd, &config);
	return ret ? explain_session(row, -ret) : NULL;
}

static void add_row(struct run *run, struct measured_cpu *measured, const struct row *added)
{
	const size_t at = run->plan.count++;
	struct row *row = &run->plan.rows[at];

	*row = *added;
	if (!row->hindrance)
		row->hindrance = try_row(run, row);
	if (!row->hindrance)
		measured->chosen |= 1U << row->state.index;
	run->progress[at].row = row;
	run->results[at].summary.row = row;
}

unsigned int run_phase(const struct run *run, unsigned int cpu)
{
	for (size_t i = 0; run->phases.count && i < run->phases.cpus; i++)
		if (run->phases.cpu[i].cpu == cpu)
			return run->phases.cpu[i].phase;
	return 0;
}

static void add_rows(struct run *run, struct measured_cpu *measured,
		     const struct idle_states *states)
{
	static struct cpu_list others;
	enum hold hold = keep_others(run->options.hold, measured->cpu, &others) ?
			 run->options.hold : HOLD_NONE;
	const unsigned int phase = run_phase(run, measured->cpu);

	for (size_t i = 0; i < METHODS; i++) {
		for (size_t j = 0; j < states->count && run_by_method(run, &methods[i]); j++) {
			struct row row = measured_cpu_row(measured, &methods[i],
							  states->state[j].index);

			row.hold = hold;
			row.phase = phase;
			add_row(run, measured, &row);
		}
	}
}

/* So many that the counter is read of as many as are wanted. */
static size_t held_samples(const struct options *options, const struct idle_latency_state *state)
{
	const bool counted = state->package_counter != IDLE_LATENCY_RESIDENCY_NONE &&
			     state_includes(state, SCOPE_PACKAGE);

	return options_asleep(options) * (counted ? PACKAGE_READ_EVERY : 1);
}

static enum hold held_scope(const struct idle_latency_state *state)
{
	return state_includes(state, SCOPE_PACKAGE) ? HOLD_PACKAGE :
	       state_includes(state, SCOPE_MODULE) ? HOLD_MODULE : HOLD_NONE;
}

/*
 * While all cores are woken again and again, module and package hardly sleep: where that belongs
 * to what is declared, one CPU of each package is measured once more, with the others held.
 */
static void add_package_rows(struct run *run, struct measured_cpu *measured,
			     const struct idle_states *states)
{
	static struct cpu_list others;

	if (!run_phase(run, measured->cpu) || run->options.sweep.percent ||
	    !phases_first_of_package(&run->phases, measured->cpu))
		return;
	for (size_t i = 0; i < METHODS; i++) {
		for (size_t j = 0; j < states->count && run_by_method(run, &methods[i]); j++) {
			const size_t state = states->state[j].index;
			struct row row = measured_cpu_row(measured, &methods[i], state);

			row.hold = held_scope(&row.info);
			if (!keep_others(row.hold, measured->cpu, &others))
				continue;
			row.samples = held_samples(&run->options, &row.info);
			row.hindrance = keep_offers(&run->keep);
			add_row(run, measured, &row);
		}
	}
}

static bool alloc_rows(struct run *run)
{
	const size_t cpus = run->options.cpus.count;
	const size_t most = 2 * cpus * METHODS * IDLE_STATES_MAX; /* twice: for the package */

	run->cpus = calloc(cpus, sizeof(*run->cpus));
	run->plan.rows = calloc(most, sizeof(*run->plan.rows));
	run->progress = calloc(most, sizeof(*run->progress));
	run->results = calloc(most, sizeof(*run->results));
	return run->cpus && run->plan.rows && run->progress && run->results;
}

/* Those CPUs that have not all states that are named are left out, unless none has them. */
static bool plan_rows(struct run *run, struct obstacle *obstacle)
{
	const struct cpu_list *cpus = &run->options.cpus;
	struct idle_states states;

	*obstacle = (struct obstacle) {
		.reason = "out of memory: ask for fewer CPUs",
		.fails = true,
	};
	if (!alloc_rows(run))
		return false;
	for (size_t i = 0; i < cpus->count; i++) {
		struct obstacle missing = { };

		measured_cpu_read(run->fd, cpus->cpu[i], &run->cpus[i]);
		if (options_have_waker(&run->options))
			run->cpus[i].waker = waker_choose(&run->options, cpus->cpu[i]);
		if (choose_states(&run->options, &run->cpus[i], &states, &missing)) {
			add_rows(run, &run->cpus[i], &states);
			add_package_rows(run, &run->cpus[i], &states);
			continue;
		}
		*obstacle = missing;
		run->without_states.cpu[run->without_states.count++] = cpus->cpu[i];
		memcpy(run->states_said, missing.said, sizeof(run->states_said));
	}
	run->plan.cards = card_count();
	run->units = run->phases.count;
	for (size_t i = 0; i < cpus->count; i++)
		run->units += !run_phase(run, cpus->cpu[i]);
	return run->without_states.count < cpus->count &&
	       types_begin(&run->types, run->plan.rows, run->plan.count) &&
	       plan_begin(&run->plan, &run->options);
}

/* What other files the program has are few. */
#define OTHER_FILES	64

/*
 * Opens the device as often as is wanted, in all, for sessions at the same time, in files that do
 * not block. Returns how many there are, as far as limits and memory go: 1 at least.
 * @files: gets the memory with them, the first of which is @fd
 */
static size_t device_open_more(int **files, int fd, size_t wanted)
{
	struct rlimit limit;
	size_t count = 0;

	*files = calloc(wanted, sizeof(**files));
	if (!*files)
		return 1;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < wanted + OTHER_FILES) {
		limit.rlim_cur = wanted + OTHER_FILES;
		if (limit.rlim_max < limit.rlim_cur)
			limit.rlim_max = limit.rlim_cur;
		/* More than the hard limit takes a privilege. */
		if (setrlimit(RLIMIT_NOFILE, &limit) && !getrlimit(RLIMIT_NOFILE, &limit)) {
			limit.rlim_cur = limit.rlim_max;
			setrlimit(RLIMIT_NOFILE, &limit);
		}
	}
	for ((*files)[count++] = fd; count < wanted; count++) {
		(*files)[count] = device_open(O_NONBLOCK);
		if ((*files)[count] < 0)
			break;
	}
	return count;
}

/* Several CPUs that the user names are measured at once, unless the others are held. */
static void plan_phases(struct run *run)
{
	const struct options *options = &run->options;
	const size_t steps = options->sweep.percent ? sweep_count(&options->sweep) : 1;
	size_t most = collect_most(steps * options->samples), wanted;

	/* A waker would disturb the CPUs that are measured beside. */
	if (!run->cpus_named || options->cpus.count < 2 || options->hold || options->self_check ||
	    options_have_waker(options))
		return;
	phases_read(&run->phases, &options->cpus);
	phases_plan(&run->phases, CPU_LIST_MAX);
	wanted = smaller(phases_largest(&run->phases), most);
	run->file_count = device_open_more(&run->files, run->fd, wanted);
	if (run->file_count == phases_largest(&run->phases))
		return;
	run->at_once = run->file_count;
	phases_plan(&run->phases, run->at_once);
}

bool run_plan(struct run *run, struct obstacle *obstacle)
{
	plan_phases(run);
	return plan_rows(run, obstacle);
}

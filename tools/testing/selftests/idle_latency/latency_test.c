// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long a CPU needs to come back from each of its idle states, by
 * each method of /dev/idle_latency, and judges that against the exit latency
 * that the state declares. See
 * Documentation/admin-guide/pm/idle-latency.rst.
 *
 * Run by kselftest, it measures one CPU of each core type, ends within the time
 * that the runner gives it, and speaks KTAP; with --plain it prints for people.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/utsname.h>

#include "environment.h"
#include "keep.h"
#include "meanwhile.h"
#include "prepare.h"
#include "progress.h"
#include "report.h"
#include "self_check.h"

#define TABLE_PARAMETER "/sys/module/intel_idle/parameters/table"

/* What --self-check may take. */
#define SELF_CHECK_NS	(120 * NS_PER_SEC)

struct run {
	struct options options;
	int fd;
	struct keep keep;
	/* as summary.csv has what is set */
	char set[SETTINGS_BYTES];
	char driver[32];
	char cpu_model[128];
	struct utsname uts;
	/* by index of options.cpus */
	struct measured_cpu *cpus;
	struct plan plan;
	/* of each row of the plan */
	struct progress *progress;
	struct result *results;
	/* by CLOCK_MONOTONIC: when it began, and when all is to be over, or 0 */
	__u64 began_ns;
	__u64 until_ns;
	struct csv csv;
	/* what was wrong with the accounting of the driver last, or NULL */
	const char *wrong;
	/* why there is no card for nic, where there is none */
	struct obstacle no_card;
};

static int usage(const struct options *options, const char *error)
{
	if (options->plain) {
		fprintf(stderr, "latency_test: %s\n", error);
		return EXIT_CODE_FAIL;
	}
	ksft_print_header();
	ksft_exit_fail_msg("%s\n", error);
}

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
		.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS,
		.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS,
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

static bool by_method(const struct run *run, const struct method *method)
{
	return run->options.methods & 1u << method->source;
}

static void add_rows(struct run *run, struct measured_cpu *measured,
		     const struct idle_states *states)
{
	static struct cpu_list others;
	enum hold hold = keep_others(run->options.hold, measured->cpu, &others) ?
			 run->options.hold : HOLD_NONE;

	for (size_t i = 0; i < METHODS; i++) {
		for (size_t j = 0; j < states->count && by_method(run, &methods[i]); j++) {
			size_t state = states->state[j].index, at = run->plan.count++;
			struct row *row = &run->plan.rows[at];

			*row = measured_cpu_row(measured, &methods[i], state);
			row->hold = hold;
			row->hindrance = try_row(run, row);
			if (!row->hindrance)
				measured->chosen |= 1U << state;
			run->progress[at].row = row;
			run->results[at].summary.row = row;
		}
	}
}

static bool plan_rows(struct run *run, struct obstacle *obstacle)
{
	const struct cpu_list *cpus = &run->options.cpus;
	size_t most = cpus->count * METHODS * IDLE_STATES_MAX;
	struct idle_states states;

	run->cpus = calloc(cpus->count, sizeof(*run->cpus));
	run->plan.rows = calloc(most, sizeof(*run->plan.rows));
	run->progress = calloc(most, sizeof(*run->progress));
	run->results = calloc(most, sizeof(*run->results));
	*obstacle = (struct obstacle) {
		.reason = "out of memory: ask for fewer CPUs",
		.fails = true,
	};
	if (!run->cpus || !run->plan.rows || !run->progress || !run->results)
		return false;
	for (size_t i = 0; i < cpus->count; i++) {
		measured_cpu_read(run->fd, cpus->cpu[i], &run->cpus[i]);
		if (!choose_states(&run->options, &run->cpus[i], &states, obstacle))
			return false;
		add_rows(run, &run->cpus[i], &states);
	}
	return plan_begin(&run->plan, &run->options);
}

/* Has what is measured with there, and the plan. Returns false, and why there is none. */
static bool prepare(struct run *run, struct obstacle *obstacle)
{
	const struct options *options = &run->options;

	run->fd = driver_open(O_NONBLOCK, obstacle);
	if (run->fd < 0)
		return false;
	if (!cpuidle_driver(run->driver, sizeof(run->driver))) {
		obstacle->reason = "there are no idle states: load a cpuidle driver";
		explain_no_idle_states(obstacle->said, sizeof(obstacle->said));
		return false;
	}
	module_load_msr();
	if (!by_method(run, &methods[method_index(IDLE_LATENCY_SOURCE_NIC)]) ||
	    driver_take_card(options->methods_named, &run->no_card))
		run->no_card.reason = NULL;
	if (!keep_begin(&run->keep, &run->options, obstacle) ||
	    !choose_cpus(&run->options, obstacle) || !plan_rows(run, obstacle))
		return false;
	if (options->out && !csv_open(&run->csv, options)) {
		obstacle->fails = true;
		obstacle->reason = "--out takes a directory whose parent exists";
		snprintf(obstacle->said, sizeof(obstacle->said), "cannot write to '%s': %s",
			 options->out, strerror(errno));
		return false;
	}
	*obstacle = (struct obstacle) { .reason = "no idle state declares an exit latency" };
	return run->plan.count;
}

static void note_wrong(struct run *run, const char *of)
{
	const char *wrong = collect_wrong();

	if (!wrong)
		return;
	run->wrong = wrong;
	report_line("%s: accounting: %s", of, wrong);
}

/* What simulates idle states does so in a virtual machine, too. */
static bool is_virtual(const struct run *run,
		       const struct measured_cpu *measured)
{
	return measured_cpu_virtual(measured) &&
	       strcmp(run->driver, "idle_latency_sim");
}

/* Returns NULL, or why a row, or none of the CPU, is not measured. */
static const char *find_hindrance(const struct run *run,
				  const struct measured_cpu *measured,
				  const struct row *row)
{
	if (collect_interrupted())
		return "interrupted";
	if (is_virtual(run, measured) && !run->options.force)
		return "in a virtual machine";
	return row ? row->hindrance : NULL;
}

/* What a row does not need of its time, the others get. @until_ns: 0 where there is no end */
static bool set_time(struct run *run, struct row *row, __u64 *until_ns)
{
	__u64 now = now_ns(), share_ns;

	*until_ns = 0;
	if (row->hindrance || !run->until_ns)
		return true;
	share_ns = plan_take(&run->plan, row, minus_or_0(run->until_ns, now));
	*until_ns = now + share_ns;
	return share_ns;
}

/* What nic says of the CPU and state of a row by a timer, or NULL. */
static const struct result *find_nic(const struct run *run, const struct row *row)
{
	for (size_t i = 0; i < run->plan.count; i++) {
		const struct row *nic = &run->plan.rows[i];

		if (nic->cpu == row->cpu && nic->state.index == row->state.index &&
		    row_by_nic(nic) && !row_by_nic(row))
			return &run->results[i];
	}
	return NULL;
}

static void measure_row(struct run *run, const struct measured_cpu *measured, size_t i,
			__u64 until_ns)
{
	struct task task = {
		.fd = run->fd, .options = &run->options, .until_ns = until_ns, .keep = &run->keep,
	};
	struct row *row = &run->plan.rows[i];

	measured_cpu_nearer(measured, row, &run->options);
	task_begin(&task, row, &run->progress[i]);
	measure(&task, measured, is_virtual(run, measured), find_nic(run, row), &run->csv,
		&run->results[i]);
	note_wrong(run, row_name(row));
}

/* @last: a row for which there is no time does not come again */
static void try_to_measure(struct run *run, const struct measured_cpu *measured, size_t i,
			   bool last)
{
	struct row *row = &run->plan.rows[i];
	struct verdict *verdict = &run->results[i].verdict;
	const char *hindrance = find_hindrance(run, measured, row);
	__u64 until_ns;

	if (set_time(run, row, &until_ns) && !hindrance) {
		measure_row(run, measured, i, until_ns);
	} else if (hindrance || last) {
		verdict_skip(verdict, hindrance ? hindrance : "too few samples");
		if (!hindrance)
			snprintf(verdict->figures, sizeof(verdict->figures),
				 "it needs %.1f s, and all up to it --seconds %u",
				 (double)row->least_ns / NS_PER_SEC,
				 plan_seconds(&run->plan, row));
		report_verdict(&run->results[i]);
	} else {
		return;
	}
	report_result(&run->results[i]);
}

/*
 * nic comes first, because what a timer gives is judged beside it, and shown as
 * soon as it is known.
 */
static void measure_rows(struct run *run, const struct measured_cpu *measured, bool last)
{
	for (size_t i = 0; i < 2 * run->plan.count; i++) {
		const struct row *row = &run->plan.rows[i % run->plan.count];
		bool nic = i < run->plan.count;

		if (row->cpu == measured->cpu && row_by_nic(row) == nic &&
		    (!last || row->refused))
			try_to_measure(run, measured, i % run->plan.count, last);
	}
}

static void say_alone(const struct run *run, unsigned int cpu, FILE *environment)
{
	static struct cpu_list others;
	const enum hold hold = run->options.hold;

	if (hold && !keep_others(hold, cpu, &others))
		environment_line(environment, "cpu%u: nothing is held: its %s has no other CPU",
				 cpu, hold == HOLD_ALL ? "machine" : hold_name(hold));
}

static void measure_cpu(struct run *run, struct measured_cpu *measured)
{
	const size_t nic = method_index(IDLE_LATENCY_SOURCE_NIC);
	FILE *environment = run->csv.file[CSV_ENVIRONMENT];
	char name[16];
	struct task task = { .fd = run->fd, .options = &run->options };
	/* Some ms where the CPU is idle; where it is not, the rows need the time more. */
	__u64 until_ns = run->plan.preparation_ns / run->options.cpus.count;

	cores_type_name(cores_type(measured->cpu), name, sizeof(name));
	if (*name)
		environment_line(environment, "cpu%u: core type %s", measured->cpu, name);
	say_alone(run, measured->cpu, environment);
	snprintf(name, sizeof(name), "cpu%u", measured->cpu);
	if (!find_hindrance(run, measured, NULL)) {
		task.until_ns = run->until_ns ? now_ns() + until_ns : 0;
		measured_cpu_prepare(&task, measured);
		note_wrong(run, name);
		measured_cpu_report(measured, environment);
		if (measured->awake[nic].valid)
			environment_card(run->fd, &measured->polls[nic], environment);
	} else if (!collect_interrupted()) {
		report_line("%s: in a virtual machine, --force measures all the same", name);
	}
	measure_rows(run, measured, false);
}

static void print_table(const struct run *run)
{
	const struct measured_cpu *measured = run->cpus;

	table_begin();
	for (size_t i = 0; i < run->plan.count; i++) {
		const struct row *row = &run->plan.rows[i];

		/* The rows are in the order of the CPUs. */
		while (measured->cpu != row->cpu)
			measured++;
		if (!i || row->method != row[-1].method || row->cpu != row[-1].cpu)
			table_awake(&measured->awake[row->method - methods]);
		table_row(&run->results[i]);
	}
	table_end(run->results, run->plan.count, &run->options);
}

/* All CPUs have the same table. Another one does not help where events were lost. */
static void propose(const struct run *run)
{
	const struct method *method = proposal_method(run->results, run->plan.count);
	const struct measured_cpu *measured = &run->cpus[0];
	struct proposal_state states[IDLE_STATES_MAX];
	char line[PROPOSAL_BYTES];
	bool above = false;

	for (size_t i = 0; i < run->plan.count; i++)
		above |= run->results[i].verdict.result == VERDICT_FAIL &&
			 run->results[i].verdict.above;
	if (!above || run->options.has_limit || strcmp(run->driver, "intel_idle"))
		return;
	for (size_t i = 0; i < measured->states.count; i++)
		states[i] = (struct proposal_state) {
			.name = measured->states.state[i].name,
			.latency_ns = measured->info[i].exit_latency_ns,
			.residency_ns = measured->info[i].target_residency_ns,
			.needed_ns = proposal_needed(run->results, run->plan.count, method, i),
		};
	if (proposal_line(states, measured->states.count, line, sizeof(line)))
		report_line("All samples of %s would have passed with %s%s",
			    method->name, line, access(TABLE_PARAMETER, F_OK) ?
			    ", which Linux v7.3 or newer takes" : "");
}

static bool write_summary(struct run *run)
{
	const struct csv_run csv_run = {
		.machine = run->options.machine,
		.cpu_model = run->options.cpu_model,
		.driver = run->driver,
		.kernel = run->uts.release,
		.quantile = run->options.quantile,
		.set = run->set,
	};

	if (!run->options.out)
		return true;
	for (size_t i = 0; i < run->plan.count; i++)
		csv_result(&run->csv, &csv_run, &run->results[i]);
	if (csv_close(&run->csv))
		return true;
	report_line("cannot write to '%s': %s; make room there",
		    run->options.out, strerror(errno));
	return false;
}

/* By the first method, as all have the same. */
static void say_shortened(const struct run *run, const struct measured_cpu *measured)
{
	char memory[IDLE_STATES_MAX * (IDLE_STATE_NAME_LEN + 1)];
	struct text names = text_begin(memory, sizeof(memory));
	const struct row *first = NULL;

	for (size_t i = 0; i < run->plan.count; i++) {
		const struct row *row = &run->plan.rows[i];

		if (row->cpu != measured->cpu || !row->shortened || row->hindrance)
			continue;
		if (!first)
			first = row;
		if (row->method == first->method)
			text_add(&names, "%s%s", row == first ? "" : ",", row->state.name);
	}
	if (first)
		report_line("cpu%u %s: %s %u", measured->cpu, memory,
			    "launch distances of 1 to 2 times the target residency, as 10 times take longer than --seconds",
			    run->options.seconds);
}

/* Returns false when the results could not be written. */
static bool measure_all(struct run *run)
{
	const size_t cpus = run->options.cpus.count;

	for (size_t i = 0; i < cpus; i++)
		measure_cpu(run, &run->cpus[i]);
	plan_again(&run->plan);
	for (size_t i = 0; i < cpus; i++)
		measure_rows(run, &run->cpus[i], true);
	print_table(run);
	propose(run);
	environment_after(&run->options, now_ns() - run->began_ns,
			  run->csv.file[CSV_ENVIRONMENT]);
	return write_summary(run);
}

static void check_self(struct run *run)
{
	struct task task = { .fd = run->fd, .options = &run->options };
	const size_t cpus = run->options.cpus.count;

	for (size_t i = 0; i < cpus; i++) {
		task.until_ns = now_ns() + SELF_CHECK_NS / cpus;
		self_check(&task, &run->cpus[i], run->no_card.reason);
	}
	run->wrong = collect_wrong();
}

static void report_environment(const struct run *run)
{
	FILE *file = run->csv.file[CSV_ENVIRONMENT];

	if (*run->set)
		environment_line(file, "set: %s", run->set);
	if (run->options.hold)
		environment_line(file, "hold: %s", hold_name(run->options.hold));
	environment_report(&run->options, file);
}

static int measure_and_report(struct run *run)
{
	const bool self = run->options.self_check;
	size_t results = self ? 0 : run->plan.count;
	bool written = true;

	for (size_t i = 0; i < run->options.cpus.count; i++)
		results += self ? self_check_results(&run->cpus[i]) : 0;
	/* Two more, for the accounting and for the kernel. */
	report_plan(results + 2);
	if (run->no_card.reason && *run->no_card.said)
		report_line("nic: %s", run->no_card.said);
	for (size_t i = 0; !self && i < run->options.cpus.count; i++)
		say_shortened(run, &run->cpus[i]);
	report_environment(run);
	collect_catch_signals();
	if (self)
		check_self(run);
	else
		written = measure_all(run);
	report_accounting(run->wrong);
	report_kernel(complaints_end());
	return report_end(!written);
}

static int run_test(struct run *run)
{
	struct obstacle obstacle = { };

	complaints_begin();
	run->began_ns = now_ns();
	if (run->options.seconds)
		run->until_ns = run->began_ns + run->options.seconds * NS_PER_SEC;
	uname(&run->uts);
	settings_text(&run->options.set, run->set, sizeof(run->set));
	if (!run->options.cpu_model) {
		environment_cpuinfo("model name", run->cpu_model, sizeof(run->cpu_model));
		run->options.cpu_model = run->cpu_model;
	}
	if (!prepare(run, &obstacle))
		return report_obstacle(&run->options, &obstacle);
	report_begin(&run->options);
	if (!run->options.self_check)
		progress_show(progress_style(&run->options, isatty(STDOUT_FILENO)),
			      run->progress, run->results, run->plan.count);
	return measure_and_report(run);
}

int main(int argc __always_unused, char **argv)
{
	static struct run run = { .keep.fd = -1 };
	char error[512];
	int code;

	if (!options_parse((const char * const *)argv + 1, &run.options,
			   error, sizeof(error)))
		return usage(&run.options, error);
	if (run.options.help) {
		options_help(stdout);
		return EXIT_CODE_OK;
	}
	if (run.options.version) {
		options_version(stdout);
		return EXIT_CODE_OK;
	}
	if (run.options.scan)
		return scan();
	if (run.options.top && !isatty(STDOUT_FILENO))
		return usage(&run.options, "--top takes a terminal as its output");
	code = run_test(&run);
	/* The driver can be unloaded then. */
	keep_end(&run.keep);
	close(run.fd);
	for (size_t i = 0; i < run.plan.count; i++)
		summary_free(&run.results[i].summary);
	plan_end(&run.plan);
	free(run.cpus);
	free(run.plan.rows);
	free(run.progress);
	free(run.results);
	return code;
}

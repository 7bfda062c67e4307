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

#include "environment.h"
#include "meanwhile.h"
#include "run.h"
#include "self_check.h"

#define TABLE_PARAMETER "/sys/module/intel_idle/parameters/table"

/* What --self-check may take. */
#define SELF_CHECK_NS	(120 * NS_PER_SEC)

static int usage(const struct options *options, const char *error)
{
	if (options->plain) {
		fprintf(stderr, "latency_test: %s\n", error);
		return EXIT_CODE_FAIL;
	}
	ksft_print_header();
	ksft_exit_fail_msg("%s\n", error);
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
	if (!run_by_method(run, &methods[method_index(IDLE_LATENCY_SOURCE_NIC)]) ||
	    driver_take_card(options->methods_named, &run->no_card))
		run->no_card.reason = NULL;
	run->cpus_named = options->all_cpus || options->core_type || options->cpus.count;
	if (!keep_begin(&run->keep, &run->options, obstacle) ||
	    !choose_cpus(&run->options, &run->offline, obstacle))
		return false;
	if (!run_plan(run, obstacle))
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

static void print_table(const struct run *run)
{
	const struct measured_cpu *measured = run->cpus;
	const struct row *above = NULL;

	table_begin();
	for (size_t i = 0; i < run->plan.count; i++) {
		const struct row *row = &run->plan.rows[i];

		if (!run->results[i].shown)
			continue;
		/* The rows are in the order of the CPUs. */
		while (measured->cpu != row->cpu)
			measured++;
		if (!row_of_package(row) &&
		    (!above || row->method != above->method || row->cpu != above->cpu))
			table_awake(&measured->awake[row->method - methods]);
		above = row;
		table_row(&run->results[i]);
	}
	for (size_t i = 0; i < run->types.count; i++)
		table_row(&run->types.types[i].result);
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
			.needed_ns = proposal_needed(run->results, run->plan.count, method, i,
						     NULL),
		};
	if (!proposal_line(states, measured->states.count, line, sizeof(line)))
		return;
	report_line("All samples of %s would have passed with %s%s",
		    method->name, line, access(TABLE_PARAMETER, F_OK) ?
		    ", which Linux v7.3 or newer takes" : "");
	if (types_remark(run->results, run->plan.count, method, &measured->states, line,
			 sizeof(line)))
		report_line("%s", line);
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
	for (size_t i = 0; i < run->types.count; i++)
		csv_result(&run->csv, &csv_run, &run->types.types[i].result);
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
	run_measure(run);
	types_judge(&run->types, run->results, run->plan.count, &run->options);
	types_report(&run->types, run->results, run->plan.count,
		     run->csv.file[CSV_ENVIRONMENT]);
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

/* What is measured of what the user asks for, and how. */
static void report_cpus(const struct run *run, FILE *file)
{
	const struct phases *phases = &run->phases;
	static struct cpu_list list;
	char text[512];

	cpu_list_text(&run->offline, text, sizeof(text));
	if (run->offline.count)
		environment_line(file, "not online, and so not measured: CPU %s", text);
	cpu_list_text(&run->without_states, text, sizeof(text));
	if (run->without_states.count)
		environment_line(file, "not measured: CPU %s: %s", text, run->states_said);
	if (run->at_once)
		environment_line(file,
				 "no more than %zu CPUs are measured at once: there is no room for more files or samples",
				 run->at_once);
	for (unsigned int i = 1; i <= phases->count; i++) {
		list.count = 0;
		for (size_t j = 0; j < phases->cpus; j++)
			if (phases->cpu[j].phase == i)
				list.cpu[list.count++] = phases->cpu[j].cpu;
		cpu_list_text(&list, text, sizeof(text));
		if (phases->housekeeping[i] == NO_CPU)
			environment_line(file, "phase %u: CPU %s, and read there", i, text);
		else
			environment_line(file, "phase %u: CPU %s at once, read on CPU %u", i, text,
					 phases->housekeeping[i]);
	}
	if (phases->count)
		environment_line(file, "all samples of all phases: some %llu s",
				 plan_cost(&run->plan) / NS_PER_SEC + 1);
}

static void report_environment(const struct run *run)
{
	FILE *file = run->csv.file[CSV_ENVIRONMENT];

	report_cpus(run, file);
	if (*run->set)
		environment_line(file, "set: %s", run->set);
	if (run->options.hold)
		environment_line(file, "hold: %s", hold_name(run->options.hold));
	environment_report(&run->options, file);
}

static int measure_and_report(struct run *run)
{
	const bool self = run->options.self_check;
	size_t results = self ? 0 : types_results(&run->types, run->plan.rows, run->plan.count,
						  &run->options);
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
	if (run.options.scan)
		return scan();
	if (run.options.top && !isatty(STDOUT_FILENO))
		return usage(&run.options, "--top takes a terminal as its output");
	code = run_test(&run);
	/* The driver can be unloaded then. */
	keep_end(&run.keep);
	close(run.fd);
	for (size_t i = 1; i < run.file_count; i++)
		close(run.files[i]);
	free(run.files);
	for (size_t i = 0; i < run.plan.count; i++)
		result_free(&run.results[i]);
	types_end(&run.types);
	plan_end(&run.plan);
	free(run.cpus);
	free(run.plan.rows);
	free(run.progress);
	free(run.results);
	return code;
}

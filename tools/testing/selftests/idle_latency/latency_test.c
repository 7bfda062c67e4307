// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long a CPU needs to come back from each of its idle states, by
 * each method of /dev/idle_latency, and judges that against the exit latency
 * that the state declares. See
 * Documentation/admin-guide/pm/idle-latency.rst.
 *
 * Run by kselftest, it measures the lowest online CPU and speaks KTAP; with
 * --plain it prints for people.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "device.h"
#include "environment.h"
#include "explain.h"
#include "measure.h"
#include "report.h"
#include "sysfs.h"
#include "table.h"

struct run {
	struct options options;
	char driver[32];
	char cpu_model[128];
	struct row *rows;
	size_t count;
	struct csv csv;
};

static int usage(const char *error)
{
	fprintf(stderr, "latency_test: %s\n", error);
	return EXIT_CODE_USAGE;
}

static void read_cpu_model(char *model, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(model, size, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "model name", 10) || !strchr(line, ':'))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(model, size, "%s", strchr(line, ':') + 2);
		break;
	}
	if (file)
		fclose(file);
}

/* Returns NULL, or why nothing can be measured here. */
static const char *find_obstacle(struct run *run)
{
	int fd;

	if (geteuid())
		return explain_open(EPERM);
	fd = device_open(0);
	if (fd < 0)
		return explain_open(-fd);
	close(fd);
	if (!cpuidle_driver(run->driver, sizeof(run->driver)))
		return "no cpuidle driver is loaded: there are no idle states to measure";
	return NULL;
}

static bool choose_cpus(struct options *options, char *error, size_t size)
{
	static struct cpu_list online;

	if (!cpu_list_online(&online))
		online = (struct cpu_list) { .cpu = { 0 }, .count = 1 };
	if (!options->cpus.count) {
		options->cpus.cpu[options->cpus.count++] = online.cpu[0];
		return true;
	}
	for (size_t i = 0; i < options->cpus.count; i++) {
		if (cpu_list_has(&online, options->cpus.cpu[i]))
			continue;
		snprintf(error, size, "--cpus takes online CPUs, and CPU %u is not",
			 options->cpus.cpu[i]);
		return false;
	}
	return true;
}

static void say_states(const struct idle_states *states, const char *unknown,
		       char *error, size_t size)
{
	size_t used = snprintf(error, size, "--states takes some of");

	for (size_t i = 0; i < states->count && used < size; i++)
		used += snprintf(error + used, size - used, "%s %s",
				 i ? "," : "", states->state[i].name);
	if (used < size)
		snprintf(error + used, size - used, ", not '%s'", unknown);
}

static bool choose_states(const struct options *options, unsigned int cpu,
			  struct idle_states *chosen, char *error, size_t size)
{
	struct idle_states all, judged;
	char unknown[64];

	cpuidle_states(cpu, &all);
	idle_states_judged(&all, &judged);
	if (!options->states) {
		*chosen = judged;
		return true;
	}
	if (idle_states_choose(&judged, options->states, chosen, unknown,
			       sizeof(unknown)))
		return true;
	say_states(&judged, unknown, error, size);
	return false;
}

static void add_rows(struct run *run, unsigned int cpu,
		     const struct idle_states *states)
{
	for (size_t i = 0; i < METHODS; i++) {
		if (!(run->options.methods & 1u << methods[i].source))
			continue;
		for (size_t j = 0; j < states->count; j++)
			run->rows[run->count++] = (struct row) {
				.cpu = cpu,
				.method = &methods[i],
				.state = states->state[j],
			};
	}
}

static bool plan_rows(struct run *run, char *error, size_t size)
{
	const struct cpu_list *cpus = &run->options.cpus;
	struct idle_states states;

	run->rows = calloc(cpus->count * METHODS * IDLE_STATES_MAX,
			   sizeof(*run->rows));
	if (!run->rows) {
		snprintf(error, size, "out of memory: ask for fewer CPUs");
		return false;
	}
	for (size_t i = 0; i < cpus->count; i++) {
		if (!choose_states(&run->options, cpus->cpu[i], &states, error,
				   size))
			return false;
		add_rows(run, cpus->cpu[i], &states);
	}
	return true;
}

static bool open_out(struct run *run)
{
	if (!run->options.out || csv_open(&run->csv, run->options.out))
		return true;
	fprintf(stderr,
		"latency_test: cannot write to '%s': %s; --out takes a directory whose parent exists\n",
		run->options.out, strerror(errno));
	return false;
}

/* Returns what was wrong with the accounting last, or NULL. */
static const char *measure_rows(struct run *run)
{
	const char *wrong, *last = NULL;

	for (size_t i = 0; i < run->count; i++) {
		struct row *row = &run->rows[i];

		wrong = measure(row, &run->options, run->csv.datapoints);
		if (!wrong)
			continue;
		last = wrong;
		report_line("cpu%u %s %s: accounting: %s", row->cpu,
			    row->method->name, row->state.name, wrong);
	}
	return last;
}

static bool write_summary(struct run *run)
{
	const struct csv_run csv_run = {
		.machine = run->options.machine,
		.cpu_model = run->options.cpu_model,
		.driver = run->driver,
	};

	if (!run->options.out)
		return true;
	for (size_t i = 0; i < run->count; i++)
		csv_summary_row(run->csv.summary, &csv_run, &run->rows[i]);
	if (csv_close(&run->csv))
		return true;
	report_line("cannot write to '%s': %s; make room there",
		    run->options.out, strerror(errno));
	return false;
}

static int measure_and_report(struct run *run)
{
	const char *wrong;
	bool written;

	/* One more for the accounting. */
	report_plan(run->count + 1);
	environment_report(&run->options, run->csv.environment);
	wrong = measure_rows(run);
	table_print(run->rows, run->count, &run->options);
	written = write_summary(run);
	for (size_t i = 0; i < run->count; i++)
		report_row(&run->rows[i]);
	report_accounting(wrong);
	return report_end(!written);
}

static int run_test(struct run *run)
{
	const char *obstacle;
	char error[256];

	if (!run->options.cpu_model) {
		read_cpu_model(run->cpu_model, sizeof(run->cpu_model));
		run->options.cpu_model = run->cpu_model;
	}
	obstacle = find_obstacle(run);
	if (obstacle) {
		report_begin(run->options.plain);
		return report_skip_all(obstacle);
	}
	if (!choose_cpus(&run->options, error, sizeof(error)) ||
	    !plan_rows(run, error, sizeof(error)))
		return usage(error);
	if (!open_out(run))
		return EXIT_CODE_USAGE;
	report_begin(run->options.plain);
	if (!run->count)
		return report_skip_all("no idle state declares an exit latency");
	return measure_and_report(run);
}

int main(int argc __always_unused, char **argv)
{
	static struct run run;
	char error[256];
	int code;

	if (!options_parse((const char * const *)argv + 1, &run.options,
			   error, sizeof(error)))
		return usage(error);
	code = run_test(&run);
	free(run.rows);
	return code;
}

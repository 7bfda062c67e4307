// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "report.h"
#include "results.h"

#define ENERGY_CSV	"energy.csv"
#define RESIDENCY_CSV	"residency.csv"
#define ENERGY_COLUMNS	"package,state,idle_cpus,domain,mw,mw_low,mw_high,updates,cost_uj"
#define RESIDENCY_COLUMNS "core_type,state,declared_ns,break_even_ns,low_ns,high_ns,verdict,reason"

static FILE *open_file(int dir, const char *name, const char *columns)
{
	FILE *file = csv_begin(dir, name);

	if (file)
		fprintf(file, "%s\n", columns);
	return file;
}

bool results_open(struct results *results, const char *out)
{
	*results = (struct results) { .dir = -1 };
	if (!out)
		return true;
	if (mkdir(out, 0777) && errno != EEXIST)
		return false;
	results->dir = open(out, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (results->dir < 0)
		return false;
	results->energy = open_file(results->dir, ENERGY_CSV, ENERGY_COLUMNS);
	results->residency = open_file(results->dir, RESIDENCY_CSV, RESIDENCY_COLUMNS);
	return results->energy && results->residency;
}

static void write_powers(const struct results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		const struct power_line *line = &results->lines[i];
		const struct power *power = &line->power;

		fprintf(results->energy, "%u,%s,%zu,%s,%.1f,%.1f,%.1f,%zu,", line->package,
			line->state, line->idle, line->domain, power->mw, power->low_mw,
			power->high_mw, power->updates);
		if (!isnan(line->cost_nj))
			fprintf(results->energy, "%.1f", line->cost_nj / 1000);
		fputc('\n', results->energy);
	}
}

bool results_close(struct results *results)
{
	bool ok;

	if (results->dir < 0)
		return true;
	write_powers(results);
	free(results->lines);
	ok = csv_end(results->energy, results->dir, ENERGY_CSV, true);
	ok = csv_end(results->residency, results->dir, RESIDENCY_CSV, ok);
	close(results->dir);
	return ok;
}

static void keep_line(struct results *results, const struct power_line *line)
{
	void *room = reallocarray(results->lines, results->count + 1, sizeof(*line));

	if (!room)
		ksft_exit_fail_perror("no memory for the results");
	results->lines = room;
	results->lines[results->count++] = *line;
}

void results_cost(struct results *results, unsigned int package, const char *state, double nj)
{
	for (size_t i = 0; i < results->count; i++) {
		struct power_line *line = &results->lines[i];

		if (line->package == package && line->idle == line->cpus &&
		    !strcmp(line->state, state) && !strcmp(line->domain, "package"))
			line->cost_nj = nj;
	}
}

void results_power(struct results *results, const struct power_line *line)
{
	const struct power *power = &line->power;
	char memory[80];
	struct text share = text_begin(memory, sizeof(memory));

	if (isnan(power->mw)) {
		report_say(false,
			   "package %u %s, %zu of %zu CPUs idle, %s: not known: the CPU that reads the counter was woken up in proportion to the time",
			   line->package, line->state, line->idle, line->cpus, line->domain);
		return;
	}
	keep_line(results, line);
	if (power->still) {
		report_say(false,
			   "package %u %s, %zu of %zu CPUs idle, %s: 0 W: the counter stands still",
			   line->package, line->state, line->idle, line->cpus, line->domain);
		return;
	}
	if (line->poll_mw > 0)
		text_add(&share, ", %.1f %% of POLL", 100 * power->mw / line->poll_mw);
	report_line("package %u %s, %zu of %zu CPUs idle, %s: %.3f W (%.3f to %.3f)%s",
		    line->package, line->state, line->idle, line->cpus, line->domain,
		    power->mw / 1000, power->low_mw / 1000, power->high_mw / 1000, memory);
}

/* Of a length that no CPU is asked to be idle for, there is none. */
static void put_ns(FILE *file, double ns)
{
	if (isfinite(ns))
		fprintf(file, "%.0f,", ns);
	else
		fputc(',', file);
}

static const char *verdict_word(int result)
{
	return result == KSFT_PASS ? "PASS" : result == KSFT_FAIL ? "FAIL" : "SKIP";
}

static void write_residency(FILE *file, const struct residency_line *line)
{
	fprintf(file, "%s,%s,%llu,", line->type, line->state, line->declared_ns);
	put_ns(file, line->found ? line->found->ns : NAN);
	put_ns(file, line->found ? line->found->low_ns : NAN);
	put_ns(file, line->found ? line->found->high_ns : NAN);
	fprintf(file, "%s,%s\n", verdict_word(line->verdict.result), line->verdict.reason);
}

static void describe(const struct break_even *found, struct text *text)
{
	switch (found->result) {
	case BREAK_EVEN_KNOWN:
		text_add(text, " pays after %.1f us (%.1f to %.1f at 99.9 %% each),",
			 found->ns / 1000, found->low_ns / 1000, found->high_ns / 1000);
		break;
	case BREAK_EVEN_AT_ONCE:
		text_add(text, " pays at once,");
		break;
	default:
		break;
	}
}

void results_residency(struct results *results, const struct residency_line *line)
{
	char memory[160], name[64];
	struct text text = text_begin(memory, sizeof(memory));
	const struct residency *verdict = &line->verdict;

	if (line->found)
		describe(line->found, &text);
	report_line("%s %s:%s declares %llu us%s%s", verdict_word(verdict->result),
		    line->state, memory, line->declared_ns / 1000,
		    *verdict->reason ? ": " : "", verdict->reason);
	if (residency_too_short(line->latency_ns, line->declared_ns))
		report_say(false,
			   "%s: its target residency of %llu us is below its exit latency of %llu us",
			   line->state, line->declared_ns / 1000, line->latency_ns / 1000);
	if (results->residency)
		write_residency(results->residency, line);
	snprintf(name, sizeof(name), "residency.%s", line->state);
	report_named(verdict->result, name, verdict->reason);
}

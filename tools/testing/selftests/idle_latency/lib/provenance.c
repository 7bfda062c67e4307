// SPDX-License-Identifier: GPL-2.0
/* When and by what it was measured, and what may change while it is. */
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/timex.h>

#include "environment.h"
#include "plan.h"

#define SYS_CPU		"/sys/devices/system/cpu"
#define SYS_MODULE	"/sys/module/idle_latency"

/* The frequency that adjtimex(2) sets has 16 bits behind the point. */
#define FREQUENCY_ONE	65536.0

/* A us more in each tick of USER_HZ, which is the other way to set it. */
#define TICK_PPM	100.0

#define MILLION		1000000

#define note(file, ...) environment_say(file, false, __VA_ARGS__)

/* When the run began; only one is measured. */
static struct timex clock_before;
static bool clock_known;

/* Minimum, maximum, and what it is now. */
#define RANGE_FILES	3

static const char * const cpu_range[RANGE_FILES] = {
	"scaling_min_freq", "scaling_max_freq", "scaling_cur_freq",
};

static const char * const uncore_range[RANGE_FILES] = {
	"min_freq_khz", "max_freq_khz", "current_freq_khz",
};

static void add_quoted(struct text *text, const char *argument)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,%+@-";
	const char *quote = !*argument || argument[strspn(argument, plain)] ? "'" : "";

	text_add(text, "%s%s", text->used ? " " : "", quote);
	/* A line is a thing. */
	for (; *argument; argument++)
		text_add(text, "%s%c", *argument == '\'' ? "'\\'" : "",
			 *argument == '\n' ? ' ' : *argument);
	text_add(text, "%s", quote);
}

void environment_arguments(const char * const *arguments, char *memory, size_t size)
{
	struct text text = text_begin(memory, size);

	for (; arguments && *arguments; arguments++) {
		if (!strcmp(*arguments, "--out"))
			arguments++;
		else if (strncmp(*arguments, "--out=", strlen("--out=")))
			add_quoted(&text, *arguments);
	}
	if (!text.used)
		text_add(&text, "none");
}

void environment_clock(const struct timex *clock, char *memory, size_t size)
{
	snprintf(memory, size, "%ssynchronised, status 0x%x, frequency %.3f ppm, offset %lld %s",
		 clock->status & STA_UNSYNC ? "un" : "", clock->status,
		 clock->freq / FREQUENCY_ONE, (long long)clock->offset,
		 clock->status & STA_NANO ? "ns" : "us");
}

bool environment_clock_moved(const struct timex *before, const struct timex *after,
			     char *memory, size_t size)
{
	struct text text = text_begin(memory, size);
	const double ppm = (after->freq - before->freq) / FREQUENCY_ONE +
			   (after->tick - before->tick) * TICK_PPM;

	/* One ns of the longest launch distance. */
	if (fabs(ppm) * IDLE_LATENCY_LDIST_MAX_NS >= MILLION)
		text_add(&text, "its rate by %.3f ppm", ppm);
	if (before->status != after->status)
		text_add(&text, "%sstatus 0x%x became 0x%x", text.used ? "; " : "",
			 before->status, after->status);
	return text.used;
}

static void describe_date(FILE *file)
{
	const time_t now = time(NULL);
	char date[32] = "unknown";
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &utc);
	note(file, "date: %s", date);
}

/* A module has what it was built from, and a kernel is its own version. */
static void describe_driver(FILE *file)
{
	char version[64], taint[32];

	if (access(SYS_MODULE "/initstate", F_OK)) {
		note(file, "driver: built in");
		return;
	}
	sysfs_read_text(SYS_MODULE "/srcversion", version, sizeof(version));
	sysfs_read_text(SYS_MODULE "/taint", taint, sizeof(taint));
	note(file, "driver: module, srcversion %s, taint %s", version, taint);
}

static void describe_vulnerabilities(FILE *file)
{
	glob_t found = { };
	char text[256];

	glob(SYS_CPU "/vulnerabilities/*", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		sysfs_read_text(found.gl_pathv[i], text, sizeof(text));
		note(file, "vulnerability %s: %s", strrchr(found.gl_pathv[i], '/') + 1, text);
	}
	globfree(&found);
}

static bool is_running(const char *program)
{
	glob_t found = { };
	bool runs = false;
	char name[32];

	glob("/proc/[0-9]*/comm", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !runs; i++)
		runs = sysfs_read_line(found.gl_pathv[i], name, sizeof(name)) &&
		       !strcmp(name, program);
	globfree(&found);
	return runs;
}

/* What is set is in a line of its own before, by which runs are compared. */
static void describe_range(FILE *file, bool is_after, const char *of, const char *dir,
			   const char * const *files)
{
	char path[PATH_MAX], khz[RANGE_FILES][32];

	for (size_t i = 0; i < RANGE_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		sysfs_read_text(path, khz[i], sizeof(khz[i]));
	}
	if (is_after) {
		note(file, "after: %s: frequency %s to %s kHz, %s now", of, khz[0], khz[1], khz[2]);
		return;
	}
	note(file, "%s: frequency %s to %s kHz", of, khz[0], khz[1]);
	note(file, "before: %s: frequency %s kHz", of, khz[2]);
}

static void describe_ranges(const struct options *options, bool is_after, FILE *file)
{
	char of[64], dir[128];
	glob_t found = { };

	for (size_t i = 0; i < options->cpus.count; i++) {
		snprintf(of, sizeof(of), "cpu%u", options->cpus.cpu[i]);
		snprintf(dir, sizeof(dir), SYS_CPU "/%s/cpufreq", of);
		describe_range(file, is_after, of, dir, cpu_range);
	}
	glob(SYS_CPU "/intel_uncore_frequency/*", GLOB_ONLYDIR, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		snprintf(of, sizeof(of), "uncore %s", strrchr(found.gl_pathv[i], '/') + 1);
		describe_range(file, is_after, of, found.gl_pathv[i], uncore_range);
	}
	globfree(&found);
}

/* Returns false where nothing is known of it. */
static bool describe_clock(FILE *file, const char *when, struct timex *clock)
{
	char text[128] = "unknown";
	bool known;

	*clock = (struct timex) { };
	known = adjtimex(clock) >= 0;
	if (known)
		environment_clock(clock, text, sizeof(text));
	note(file, "%s: clock %s", when, text);
	return known;
}

void environment_provenance(const struct options *options, FILE *file)
{
	char arguments[4096];

	describe_date(file);
	environment_arguments(options->arguments, arguments, sizeof(arguments));
	note(file, "arguments: %s", arguments);
	note(file, "latency_test: version %u, records of %zu bytes", VERSION,
	     sizeof(struct idle_latency_record));
	describe_driver(file);
	note(file, "irqbalance: %s", is_running("irqbalance") ? "runs" : "does not run");
	describe_vulnerabilities(file);
	clock_known = describe_clock(file, "before", &clock_before);
	describe_ranges(options, false, file);
}

void environment_after(const struct options *options, __u64 duration_ns, FILE *file)
{
	struct timex clock;
	char text[256];

	if (describe_clock(file, "after", &clock) && clock_known &&
	    environment_clock_moved(&clock_before, &clock, text, sizeof(text)))
		environment_line(file, "after: clock was adjusted, by which hrt goes: %s", text);
	describe_ranges(options, true, file);
	note(file, "duration: %.1f s", (double)duration_ns / NS_PER_SEC);
}

/* A message has a number of its own, and a line that of the card. */
static bool find_interrupt(char *number, size_t size)
{
	char address[32], path[128];
	glob_t found = { };
	bool known;

	if (!card_find(address, sizeof(address)))
		return false;
	snprintf(path, sizeof(path), CARD_DRIVER "/%s/msi_irqs/*", address);
	known = !glob(path, 0, NULL, &found);
	if (known)
		snprintf(number, size, "%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	snprintf(path, sizeof(path), CARD_DRIVER "/%s/irq", address);
	return known || sysfs_read_line(path, number, size);
}

void environment_card(int fd, const struct row *row, FILE *file)
{
	const struct idle_latency_config config = {
		.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS,
		.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS,
		.cpu = row->cpu,
		.state = row->state.index,
		.source = row->method->source,
		.entry_ns = ENTRY_NS_DEFAULT,
		.record_size = sizeof(struct idle_latency_record),
	};
	char number[16], path[64], chip[64];

	if (!file || device_begin(fd, &config))
		return;
	if (find_interrupt(number, sizeof(number))) {
		snprintf(path, sizeof(path), "/sys/kernel/irq/%s/chip_name", number);
		sysfs_read_text(path, chip, sizeof(chip));
		note(file, "cpu%u: interrupt of the card by %s", row->cpu, chip);
	}
	device_stop(fd);
}

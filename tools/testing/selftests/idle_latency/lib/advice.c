// SPDX-License-Identifier: GPL-2.0
/*
 * What a user is told beside the verdict: what kept a CPU out of a state, what an
 * error means, and what to declare instead.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

/* From which share of the time on a CPU is called busy. */
#define BUSY_PERCENT	5

/* In fewer ticks than these a share cannot be told from chance. */
#define SHARE_TICKS	10

bool causes_parse(const char *line, unsigned int *cpu, struct cpu_time *time)
{
	__u64 user, nice, system, idle, iowait, irq, softirq, steal;

	if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", cpu,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq,
		   &steal) != 9)
		return false;
	/* The line that begins with "cpu " is the sum of all. */
	if (!isdigit((unsigned char)line[3]) || *cpu >= CPU_LIST_MAX)
		return false;
	/* What follows, time in guests, is contained in user and nice. */
	time->busy = user + nice + system + irq + softirq + steal;
	time->idle = idle + iowait;
	return true;
}

/* The kernel may correct idle time downwards. */
static __u64 advance(__u64 before, __u64 after)
{
	return after > before ? after - before : 0;
}

bool causes_busy(const struct cpu_time *before, const struct cpu_time *after)
{
	const __u64 busy = advance(before->busy, after->busy);
	const __u64 idle = advance(before->idle, after->idle);

	/* A CPU that was offline has no time before. */
	if (!before->busy && !before->idle)
		return false;
	if (busy + idle < SHARE_TICKS)
		return busy > idle;
	return 100 * busy >= BUSY_PERCENT * (busy + idle);
}

static void read_times(struct cpu_time *times)
{
	FILE *file = fopen("/proc/stat", "re");
	struct cpu_time time;
	unsigned int cpu;
	char line[256];

	memset(times, 0, CPU_LIST_MAX * sizeof(*times));
	while (file && fgets(line, sizeof(line), file))
		if (causes_parse(line, &cpu, &time))
			times[cpu] = time;
	if (file)
		fclose(file);
}

static void read_list(unsigned int cpu, const char *name, struct cpu_list *list)
{
	char path[128], line[4096];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s",
		 cpu, name);
	if (!sysfs_read_line(path, line, sizeof(line)) ||
	    !cpu_list_parse(line, list))
		list->count = 0;
}

bool causes_keeps_time(const char *nohz_full, unsigned int cpu)
{
	static struct cpu_list others;

	return cpu_list_parse(nohz_full, &others) && others.count &&
	       !cpu_list_has(&others, cpu);
}

bool causes_firmware(const char *driver, const char *state, const char *table)
{
	static const char suffix[] = "_ACPI";
	size_t length = strlen(state);
	const char *at = table;

	if (!strcmp(driver, "acpi_idle"))
		return true;
	if (length < strlen(suffix) ||
	    strcmp(state + length - strlen(suffix), suffix))
		return false;
	while (at && *at) {
		if (!strncmp(at, state, length) && at[length] == ':')
			return false;
		at = strchr(at, ',');
		at += !!at;
	}
	return true;
}

void causes_begin(struct causes *causes, unsigned int cpu)
{
	causes->cpu = cpu;
	read_list(cpu, "thread_siblings_list", &causes->siblings);
	read_list(cpu, "package_cpus_list", &causes->package);
	read_times(causes->before);
}

static __printf(3, 4) void add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	if (used)
		used += snprintf(text + used, size - used, ", ");
	if (used >= size)
		return;
	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

static bool was_busy(const struct causes *causes, unsigned int cpu)
{
	return cpu != causes->cpu &&
	       causes_busy(&causes->before[cpu], &causes->after[cpu]);
}

static void add_siblings(const struct causes *causes, char *text, size_t size)
{
	for (size_t i = 0; i < causes->siblings.count; i++)
		if (was_busy(causes, causes->siblings.cpu[i]))
			add(text, size, "busy SMT sibling cpu %u",
			    causes->siblings.cpu[i]);
}

static void add_package(const struct causes *causes, char *text, size_t size)
{
	unsigned int first = 0;
	size_t busy = 0;

	for (size_t i = 0; i < causes->package.count; i++) {
		unsigned int cpu = causes->package.cpu[i];

		if (cpu_list_has(&causes->siblings, cpu) ||
		    !was_busy(causes, cpu))
			continue;
		if (!busy++)
			first = cpu;
	}
	if (busy == 1)
		add(text, size, "cpu %u of the package was busy", first);
	else if (busy)
		add(text, size, "cpu %u and %zu more of the package were busy",
		    first, busy - 1);
}

/* Deeper than C1 and C1E: a state that can be demoted. */
static bool is_deep(const struct idle_latency_state *state)
{
	return state->core_counter != IDLE_LATENCY_RESIDENCY_CC1 &&
	       state->core_counter != IDLE_LATENCY_RESIDENCY_NONE;
}

void causes_describe(const struct causes *causes,
		     const struct idle_latency_state *state, char *text,
		     size_t size)
{
	const bool package =
		state->package_counter != IDLE_LATENCY_RESIDENCY_NONE;

	*text = '\0';
	add_siblings(causes, text, size);
	if (is_deep(state) && state->flags & IDLE_LATENCY_STATE_DEMOTION)
		add(text, size, "demotion on");
	if (!is_deep(state) && state->flags & IDLE_LATENCY_STATE_C1E)
		add(text, size, "C1E promotion on");
	if (package)
		add_package(causes, text, size);
	if (package && state->flags & IDLE_LATENCY_STATE_NO_PC6)
		add(text, size, "package C6 is off");
}

void causes_text(struct causes *causes, const struct idle_latency_state *state,
		 char *text, size_t size)
{
	read_times(causes->after);
	causes_describe(causes, state, text, size);
}

/* As they are in Documentation/admin-guide/kernel-parameters.txt. */
static const char * const against_idle_states[] = {
	"idle=", "cpuidle.off=1", "intel_idle.max_cstate=", "processor.max_cstate=",
};

void explain_command_line(const char *line, char *argument, size_t size)
{
	*argument = '\0';
	for (; *line; line += strcspn(line, " "), line += strspn(line, " ")) {
		for (size_t i = 0; i < ARRAY_SIZE(against_idle_states); i++) {
			const char *against = against_idle_states[i];

			if (strncmp(line, against, strlen(against)))
				continue;
			snprintf(argument, size, "%.*s",
				 (int)strcspn(line, "\n "), line);
			return;
		}
	}
}

void explain_no_idle_states(char *said, size_t size)
{
	char line[4096], argument[64] = "";

	if (sysfs_read_line("/proc/cmdline", line, sizeof(line)))
		explain_command_line(line, argument, sizeof(argument));
	*said = '\0';
	if (*argument)
		snprintf(said, size, "the kernel was started with %s: boot without that",
			 argument);
}

static const char *explain_unsupported(const struct row *row)
{
	if (row->info.flags & IDLE_LATENCY_STATE_TIMER_STOP && !row_by_nic(row))
		return "the timer of the CPU stops in this state: use nic";
	if (row->state.disable)
		return "the state is disabled in sysfs: enable it";
	switch (row->method->source) {
	case IDLE_LATENCY_SOURCE_TDT:
		return "the kernel does not use the TSC-deadline timer here or distrusts the TSC";
	case IDLE_LATENCY_SOURCE_NIC:
		return "no network card is bound to idle_latency: run 'nic.sh take ADDRESS'";
	default:
		return "the kernel has no high-resolution timers here or distrusts the TSC";
	}
}

/* Errors of the commands of the driver and of read(). */
const char *explain_session(const struct row *row, int error)
{
	switch (error) {
	case EINTR:
		return "interrupted";
	case EOPNOTSUPP:
		return explain_unsupported(row);
	case ENXIO:
		return "the CPU is offline: bring it online";
	case ENODEV:
		if (row_by_nic(row))
			return "the network card went away or was reset or cpuidle changed";
		return "the CPU has no cpuidle driver or it or the governor changed";
	case ENOENT:
		return "the cpuidle driver made the idle state unusable or declares another";
	case ENOMEM:
		return "out of memory: free some or ask for fewer samples";
	case ENOSPC:
		return "the network card got no interrupt on the CPU: measure another CPU";
	case ETIMEDOUT:
		return "the network card failed its reset: give it to igb once or power-cycle it";
	case ECANCELED:
		return "the machine was suspended meanwhile";
	case EBUSY:
		return "somebody else forces an idle state of the CPU: end that";
	case ENOTTY:
	case EINVAL:
	case ERANGE:
		return "the driver refuses the session: it and this program differ in version";
	default:
		return strerror(error);
	}
}

/*
 * What intel_idle of Linux v7.3 takes: see cmdline_table_adjust() and
 * validate_cmdline_cstate() in drivers/idle/intel_idle.c. Besides, latencies
 * and residencies rise from state to state, no residency is below its latency,
 * no latency is 0, and POLL stays as it is.
 */
#define TABLE_LENGTH_MAX	255
#define LATENCY_MAX_US		5000
#define RESIDENCY_MAX_US	100000

#define PARAMETER		"intel_idle.table="

/* Tables have whole us, so that up to one of them may be from rounding up. */
#define TOO_HIGH_NS		1000

struct us {
	__u64 latency;
	__u64 residency;
};

static __u64 most(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static __u64 rounded_up_us(__u64 ns)
{
	return ns / 1000 + !!(ns % 1000);
}

/* The smallest values that suffice and come after those of @previous. */
static struct us raise_state(const struct proposal_state *state,
			     struct us previous)
{
	__u64 suffices = rounded_up_us(most(state->latency_ns,
					    state->needed_ns));
	struct us raised = { .latency = most(suffices, previous.latency + 1) };

	raised.residency = most(rounded_up_us(state->residency_ns),
				most(raised.latency, previous.residency + 1));
	return raised;
}

static bool add_state(struct text *text, const char *name, struct us us)
{
	return us.latency <= LATENCY_MAX_US &&
	       us.residency <= RESIDENCY_MAX_US &&
	       text_add(text, "%s:%llu:%llu", name, us.latency, us.residency);
}

bool proposal_line(const struct proposal_state *states, size_t count,
		   char *line, size_t size)
{
	struct text text = text_begin(line, size);
	const char *separator = PARAMETER;
	struct us us = { };

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(states[i].name, "POLL"))
			continue;
		us = raise_state(&states[i], us);
		if (!text_add(&text, "%s", separator) ||
		    !add_state(&text, states[i].name, us))
			return false;
		separator = ",";
	}
	return text.used && text.used <= strlen(PARAMETER) + TABLE_LENGTH_MAX;
}

static size_t rows_with_samples(const struct row *rows, size_t count,
				const struct method *method, __u64 *error_ns)
{
	size_t found = 0;

	*error_ns = 0;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].method != method || !rows[i].valid)
			continue;
		*error_ns += rows[i].median_error_ns;
		found++;
	}
	return found;
}

const struct method *proposal_method(const struct row *rows, size_t count)
{
	const struct method *best = NULL;
	__u64 best_error_ns = 0;
	size_t most_rows = 0;

	for (size_t i = 0; i < METHODS; i++) {
		__u64 error_ns;
		size_t found = rows_with_samples(rows, count, &methods[i],
						 &error_ns);

		if (found < most_rows || !found ||
		    (found == most_rows && error_ns >= best_error_ns))
			continue;
		best = &methods[i];
		best_error_ns = error_ns;
		most_rows = found;
	}
	return best;
}

__u64 proposal_needed(const struct row *rows, size_t count,
		      const struct method *method, unsigned int state)
{
	__u64 needed_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct verdict *verdict = &rows[i].verdict;

		if (rows[i].state.index != state || !rows[i].valid)
			continue;
		needed_ns = most(needed_ns, rows[i].method == method ?
				 verdict->smallest_pass_ns :
				 verdict->none_above_ns);
	}
	return needed_ns;
}

bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark,
		       size_t size)
{
	struct text text = text_begin(remark, size);

	if (largest_ns >= declared_ns / 2 ||
	    declared_ns - 2 * largest_ns <= TOO_HIGH_NS)
		return false;
	text_add(&text,
		 "declared %llu ns is more than twice the largest latency with its error, %llu ns",
		 declared_ns, largest_ns);
	return true;
}

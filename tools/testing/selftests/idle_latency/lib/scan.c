// SPDX-License-Identifier: GPL-2.0
/* What this machine can do and what would spoil results, in one screen. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/utsname.h>

#include "environment.h"
#include "report.h"

#define SYS_CPU		"/sys/devices/system/cpu"
#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Far enough for every method, and what the driver needs only to accept a session. */
#define LDIST_FROM_NS	1000000
#define LDIST_TO_NS	2000000

static void scan_kernel(void)
{
	char line[4096], driver[32], governor[32];
	struct utsname name;

	if (!uname(&name))
		printf("kernel: %s\n", name.release);
	sysfs_read_text("/proc/cmdline", line, sizeof(line));
	if (environment_command_line_matters(line))
		printf("command line: %s\n", line);
	if (!cpuidle_driver(driver, sizeof(driver)))
		snprintf(driver, sizeof(driver), "none");
	sysfs_read_text(SYS_CPU "/cpuidle/current_governor", governor, sizeof(governor));
	printf("cpuidle: driver %s, governor %s\n", driver, governor);
	explain_no_idle_states(line, sizeof(line));
	if (*line && !strcmp(driver, "none"))
		printf("cpuidle: %s\n", line);
}

static void scan_type(const struct cpu_list *online, __u32 type)
{
	static struct cpu_list same;
	char name[16], text[4096];

	cores_type_name(type, name, sizeof(name));
	if (!*name)
		return;
	same.count = 0;
	for (size_t i = 0; i < online->count; i++)
		if (cores_type(online->cpu[i]) == type)
			same.cpu[same.count++] = online->cpu[i];
	cpu_list_text(&same, text, sizeof(text));
	printf("CPU: core type %s, cpus %s\n", name, text);
}

static void scan_cpus(const struct cpu_list *online, const struct cpu_list *chosen)
{
	char model[128], text[4096];

	environment_cpuinfo("model name", model, sizeof(model));
	cpu_list_text(online, text, sizeof(text));
	printf("CPU: %s, online %s\n", model, text);
	for (size_t i = 0; i < chosen->count; i++)
		scan_type(online, cores_type(chosen->cpu[i]));
}

static void scan_states(const struct measured_cpu *measured)
{
	printf("cpu%u: exit latencies:", measured->cpu);
	for (size_t i = 0; i < measured->states.count; i++) {
		const struct idle_state *state = &measured->states.state[i];

		printf("%s %s %llu us%s", i ? "," : "", state->name,
		       state->latency_us, state->disable ? " (disabled)" : "");
		if (measured->info[i].flags & IDLE_LATENCY_STATE_TIMER_STOP)
			printf(" (stops the timer: nic only)");
	}
	printf("%s\n", measured->states.count ? "" : " no idle states");
}

/*
 * Returns NULL when a session in the shallowest state that is judged and not disabled begins, or
 * why not.
 */
static const char *try_method(int fd, const struct measured_cpu *measured,
			      const struct method *method)
{
	struct idle_latency_config config = {
		.cpu = measured->cpu,
		.source = method->source,
		.ldist_from_ns = LDIST_FROM_NS,
		.ldist_to_ns = LDIST_TO_NS,
	};
	struct idle_states judged;
	struct row row;
	size_t i = 0;
	int error;

	measured_cpu_judged(measured, &judged);
	while (i < judged.count && judged.state[i].disable)
		i++;
	if (i == judged.count)
		return "no idle state declares an exit latency and is enabled";
	row = measured_cpu_row(measured, method, judged.state[i].index);
	config.state = row.state.index;
	error = -device_begin(fd, &config);
	if (error)
		return explain_session(&row, error);
	device_stop(fd);
	return NULL;
}

static void scan_cpu(int fd, unsigned int cpu)
{
	static struct measured_cpu measured;

	measured_cpu_read(fd, cpu, &measured);
	scan_states(&measured);
	if (fd < 0)
		return;
	if (measured_cpu_virtual(&measured))
		printf("cpu%u: in a virtual machine: --force measures all the same\n", cpu);
	for (size_t i = 0; i < METHODS; i++) {
		const char *hindrance;

		/* Which card it would use is said of the cards. Who wants a waker names it. */
		if (methods[i].source == IDLE_LATENCY_SOURCE_NIC || methods[i].has_waker)
			continue;
		hindrance = try_method(fd, &measured, &methods[i]);
		printf("cpu%u: %s %s%s\n", cpu, methods[i].name,
		       hindrance ? "does not work: " : "works", hindrance ?: "");
	}
}

/*
 * A line of nic.sh is "free ADDRESS ..." or the like; what it complains about comes with its
 * lines. Returns whether it is one.
 */
static bool scan_card(char *line)
{
	char use[8], address[32];

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%7s %31s", use, address) != 2 ||
	    (strcmp(use, "free") && strcmp(use, "bound") && strcmp(use, "used") &&
	     strcmp(use, "taken")))
		return false;
	printf("nic: %s, ASPM %s\n", line, environment_link(address));
	return true;
}

static void scan_cards(void)
{
	char nic_sh[COMMAND_BYTES / 2], command[COMMAND_BYTES];
	unsigned int cards = 0;
	FILE *file = NULL;
	char *line = NULL;
	size_t size = 0;
	pid_t list = -1;

	if (nic_sh_find(nic_sh, sizeof(nic_sh))) {
		snprintf(command, sizeof(command), "sh %s list", nic_sh);
		file = command_start(command, SIGTERM, &list);
	}
	while (file && getline(&line, &size, file) > 0)
		cards += scan_card(line);
	command_end(list, file);
	free(line);
	if (!cards)
		printf("nic: no network card: it needs an Intel I210, I211, I225 or I226\n");
}

static bool is_on(unsigned int cpu, enum power_setting setting)
{
	return !strncmp(power_value(cpu, setting), "on", 2);
}

static void spoils(const char *what)
{
	printf("may spoil results: %s\n", what);
}

static void scan_settings(unsigned int cpu)
{
	static const enum power_setting shown[] = { POWER_PACKAGE_LIMIT, POWER_PREWAKE };
	char text[64];
	__u64 number;

	if (sysfs_read_number(SYS_CPU "/smt/active", &number) && number)
		spoils("SMT is on: a busy sibling keeps a core out of its state");
	sysfs_read_text(CLOCKSOURCE, text, sizeof(text));
	if (strcmp(text, "tsc"))
		spoils("the clock source is not the TSC");
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		printf("cpu%u: %s %s\n", cpu, power_name(shown[i]), power_value(cpu, shown[i]));
	if (is_on(cpu, POWER_PREWAKE))
		spoils("timer pre-wake: hrt and tdt see a lower bound, nic does not");
	if (is_on(cpu, POWER_C1E_PROMOTION))
		spoils("C1E promotion: C1 may be C1E");
	if (is_on(cpu, POWER_C1_DEMOTION) || is_on(cpu, POWER_C3_DEMOTION))
		spoils("demotion: a deep state may be a shallower one");
}

int scan(void)
{
	static struct options online = { .all_cpus = true }, chosen;
	const struct cpu_list *cpus = &chosen.cpus;
	static struct cpu_list offline;
	struct obstacle obstacle;
	int fd;

	choose_cpus(&online, &offline, &obstacle);
	choose_cpus(&chosen, &offline, &obstacle);
	fd = driver_open(O_NONBLOCK, &obstacle);
	module_load_msr();
	scan_kernel();
	scan_cpus(&online.cpus, cpus);
	if (fd < 0)
		printf("driver: %s%s%s\n", obstacle.reason, *obstacle.said ? ": " : "",
		       obstacle.said);
	for (size_t i = 0; i < cpus->count; i++)
		scan_cpu(fd, cpus->cpu[i]);
	scan_cards();
	scan_settings(cpus->cpu[0]);
	if (fd < 0)
		return EXIT_CODE_NOTHING;
	close(fd);
	return EXIT_CODE_OK;
}

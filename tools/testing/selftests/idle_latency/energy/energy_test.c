// SPDX-License-Identifier: GPL-2.0
/*
 * Measures by the energy counters of the kernel what packages draw while their CPUs are held in
 * each idle state, and from which length of an idle period on a state costs less than the one above
 * it; and judges the target residency that the state declares by that. See
 * Documentation/admin-guide/pm/idle-latency.rst.
 *
 * It holds all CPUs of a package, and so is not for a machine that somebody uses.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>

#include "crossing.h"
#include "prepare.h"
#include "report.h"
#include "results.h"
#include "statistics.h"

#define SECONDS_DEFAULT	120

#define POLL	0

struct measured {
	struct idle_state named;
	__u64 declared_ns;
	/* of each counter: in mW, and in W while the reader polls */
	double mw[METERS_MAX];
	double awake_w[METERS_MAX];
};

struct run {
	/* what latency_test has: only whether to print for people */
	struct options options;
	bool force;
	const char *out;
	const char *states;
	__u64 seconds;
	__u64 until_ns;
	struct keep keep;
	struct meters meters;
	struct measured state[IDLE_STATES_MAX];
	size_t count;
	struct results results;
};

static void usage(FILE *file)
{
	fprintf(file,
		"energy_test takes these; what applies without one is in parentheses:\n"
		"  --plain          print for people, not KTAP\n"
		"  --out DIR        write energy.csv and residency.csv there\n"
		"  --states LIST    the idle states to measure, and POLL (all)\n"
		"  --seconds N      how long all of it may take (%d)\n"
		"  --force          measure on battery, too\n"
		"  --help           print this\n", SECONDS_DEFAULT);
}

/* Returns false where the arguments are wrong. */
static bool parse(int argc, char **argv, struct run *run)
{
	static const struct option options[] = {
		{ "plain", no_argument, NULL, 'p' },
		{ "force", no_argument, NULL, 'f' },
		{ "out", required_argument, NULL, 'o' },
		{ "states", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ },
	};
	int option;

	run->seconds = SECONDS_DEFAULT;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'p':
			run->options.plain = true;
			break;
		case 'f':
			run->force = true;
			break;
		case 'o':
			run->out = optarg;
			break;
		case 's':
			run->states = optarg;
			break;
		case 't':
			if (parse_number(optarg, &run->seconds) && run->seconds)
				break;
			fprintf(stderr,
				"energy_test: --seconds takes a number from 1 on, not '%s'\n",
				optarg);
			return false;
		case 'h':
			usage(stdout);
			exit(EXIT_CODE_OK);
		default:
			usage(stderr);
			return false;
		}
	}
	if (optind == argc)
		return true;
	fprintf(stderr, "energy_test: unknown argument '%s'; see --help\n", argv[optind]);
	return false;
}

/* Its charging, and the limits that it brings, change what a package draws. */
static bool on_battery(void)
{
	char line[32];
	bool found = false;
	glob_t paths;

	if (glob("/sys/class/power_supply/*/status", 0, NULL, &paths))
		return false;
	for (size_t i = 0; i < paths.gl_pathc; i++)
		found |= sysfs_read_line(paths.gl_pathv[i], line, sizeof(line)) &&
			 !strcmp(line, "Discharging");
	globfree(&paths);
	return found;
}

static bool prepare(struct run *run, int *fd, struct obstacle *obstacle)
{
	char driver[32];

	*obstacle = (struct obstacle) { };
	if (on_battery() && !run->force) {
		obstacle->reason = "the machine runs on battery: plug it in or use --force";
		return false;
	}
	*fd = driver_open(O_NONBLOCK, obstacle);
	if (*fd < 0)
		return false;
	if (cpuidle_driver(driver, sizeof(driver)))
		return keep_open(&run->keep, obstacle);
	obstacle->reason = "there are no idle states: load a cpuidle driver";
	return false;
}

/* POLL and those that are named, or all that are not disabled. */
static bool take_states(struct run *run, unsigned int cpu, struct obstacle *obstacle)
{
	struct idle_states all, judged, chosen;
	char unknown[64];

	if (!cpuidle_states(cpu, &all) || strcmp(all.state[POLL].name, "POLL")) {
		obstacle->reason =
			"the first idle state is not POLL, which others are compared with";
		return false;
	}
	idle_states_judged(&all, &judged);
	chosen = judged;
	if (run->states &&
	    !idle_states_choose(&all, run->states, &chosen, unknown, sizeof(unknown))) {
		obstacle->reason = "a state that --states names is not there";
		snprintf(obstacle->said, sizeof(obstacle->said), "no state is called %s", unknown);
		return false;
	}
	run->count = 0;
	run->state[run->count++].named = all.state[POLL];
	for (size_t i = 0; i < chosen.count; i++)
		if (chosen.state[i].index != POLL)
			run->state[run->count++].named = chosen.state[i];
	for (size_t i = 0; i < run->count; i++)
		run->state[i].declared_ns = 1000 * run->state[i].named.residency_us;
	return run->count > 1;
}

/*
 * The CPUs of a package behind the first @idle ones are awake: they poll, which is an idle state as
 * well, so that the scheduler does not wake others for them.
 */
static const char *hold(struct run *run, const struct package *package, size_t idle,
			unsigned int state, struct keep *awake)
{
	struct cpu_list held = package->cpus, rest = { };
	struct obstacle obstacle;
	const char *wrong;

	held.count = idle;
	while (idle + rest.count < package->cpus.count) {
		rest.cpu[rest.count] = package->cpus.cpu[idle + rest.count];
		rest.count++;
	}
	wrong = keep_hold(&run->keep, &held, state);
	if (wrong || !rest.count)
		return wrong;
	if (!keep_open(awake, &obstacle))
		return obstacle.reason;
	return keep_hold(awake, &rest, run->state[POLL].named.index);
}

static bool take_power(struct run *run, const struct package *package, struct measured *state,
		       size_t idle, struct power *powers)
{
	struct cpu_list held = package->cpus;
	size_t disturbed = 0;

	held.count = idle;
	if (!power_measure(&run->meters, &held, state->named.index, run->until_ns, powers,
			   &disturbed))
		return false;
	if (disturbed)
		report_line("package %u %s: %zu intervals were repeated, as CPUs woke up",
			    package->number, state->named.name, disturbed);
	return idle < package->cpus.count || awake_power(&run->meters, state->awake_w);
}

static bool measure_power(struct run *run, const struct package *package, size_t of, size_t idle)
{
	struct measured *state = &run->state[of];
	struct power powers[METERS_MAX] = { };
	struct keep awake = { .fd = -1 };
	const char *wrong = hold(run, package, idle, state->named.index, &awake);
	bool ok;

	if (wrong)
		report_line("%s: %s", state->named.name, wrong);
	ok = !wrong && take_power(run, package, state, idle, powers);
	keep_end(&awake);
	if (!ok)
		return false;
	for (size_t i = 0; i < run->meters.count; i++) {
		const bool all = idle == package->cpus.count;

		if (all)
			state->mw[i] = powers[i].mw;
		results_power(&run->results, &(struct power_line) {
			.package = package->number, .state = state->named.name, .idle = idle,
			.cpus = package->cpus.count, .domain = run->meters.meter[i].name,
			.power = powers[i], .poll_mw = of == POLL ? 0 : run->state[POLL].mw[i],
			.cost_nj = NAN,
		});
	}
	return true;
}

/* Returns false where a counter of the package stands still, or its CPUs cannot be held. */
static bool measure_package(struct run *run, const struct package *package)
{
	bool ok = affinity_pin(package->cpus.cpu[0]);

	for (size_t i = 0; ok && i < run->count; i++)
		ok = measure_power(run, package, i, package->cpus.count);
	/* How much each CPU, or its core, adds. */
	for (size_t idle = 1; ok && idle < package->cpus.count; idle++)
		ok = measure_power(run, package, run->count - 1, idle);
	return ok;
}

static const char *residency_hindrance(const struct run *run, const struct package *package,
				       size_t of)
{
	const __u32 type = cores_type(package->cpus.cpu[0]);

	affinity_pin(package->cpus.cpu[0]);
	if (of < 2)
		return "the state above is POLL: what is to be told is too short";
	if (strcmp(run->meters.meter[0].name, "package"))
		return "the package has no counter";
	if (run->meters.meter[0].still)
		return "the counter of the package stands still";
	for (size_t i = 1; i < package->cpus.count; i++)
		if (cores_type(package->cpus.cpu[i]) != type)
			return "two types of core share the counter of the package";
	affinity_pin(package->cpus.cpu[0]);
	return NULL;
}

static struct crossing_state crossing_state_of(const struct measured *state)
{
	return (struct crossing_state) {
		.index = state->named.index, .latency_us = state->named.latency_us,
		.awake_w = state->awake_w,
	};
}

static void say_crossing(struct run *run, const struct package *package, size_t of,
			 const struct crossing *crossing)
{
	const char *name = run->state[of].named.name, *above = run->state[of - 1].named.name;

	report_say(false,
		   "%s: a transition takes %.1f uJ of a CPU, %s %.1f uJ; points are within %.1f and %.1f %% of their lines",
		   name, crossing->state.cost_nj / 1000, above, crossing->above.cost_nj / 1000,
		   100 * crossing->state.residual, 100 * crossing->above.residual);
	if (!break_even_is_within(&crossing->found, BREAK_EVEN_NARROW) &&
	    break_even_takes(&crossing->found))
		report_say(false,
			   "%s: it takes some %.0f times as long until its length is known within %.0f %%",
			   name, break_even_takes(&crossing->found), 100 * BREAK_EVEN_NARROW);
	results_cost(&run->results, package->number, above, crossing->above.cost_nj);
	results_cost(&run->results, package->number, name, crossing->state.cost_nj);
}

static void judge_residency(struct run *run, const struct crossing_take *take, size_t of,
			    bool measured)
{
	const struct measured *state = &run->state[of];
	const char *hindrance = residency_hindrance(run, take->package, of);
	struct crossing_state judged, above;
	struct crossing crossing;
	char type[16];
	struct residency_line result = {
		.type = type, .state = state->named.name, .declared_ns = state->declared_ns,
		.latency_ns = 1000 * state->named.latency_us,
		.verdict = {
			KSFT_SKIP, hindrance ?: "a counter stood still or CPUs were not held"
		},
	};

	cores_type_name(cores_type(take->package->cpus.cpu[0]), type, sizeof(type));
	if (!hindrance && measured) {
		judged = crossing_state_of(state);
		above = crossing_state_of(state - 1);
		if (crossing_find(take, &judged, &above, state->declared_ns, &crossing)) {
			result.found = &crossing.found;
			result.verdict = residency_judge(&crossing.found, state->declared_ns);
			say_crossing(run, take->package, of, &crossing);
		}
	}
	results_residency(&run->results, &result);
}

/* @measured: what the package draws in each state */
static void judge_residencies(struct run *run, const struct package *package, bool measured)
{
	const struct crossing_state poll = crossing_state_of(&run->state[POLL]);
	struct crossing_take take = {
		.keep = &run->keep, .meters = &run->meters, .package = package,
		.poll_w = run->state[POLL].mw[0] / 1000 / package->cpus.count,
	};

	crossing_prepare(&take, &poll);
	for (size_t i = 1; i < run->count; i++) {
		const __u64 begin_ns = now_ns();

		/* Each has its share of the time that is left. */
		take.until_ns = begin_ns + (larger(run->until_ns, begin_ns) - begin_ns) /
					   (run->count - i);
		judge_residency(run, &take, i, measured);
	}
}

static int measure_all(struct run *run)
{
	static struct package packages[PACKAGES_MAX];
	const size_t count = packages_find(packages);
	struct obstacle obstacle = { };
	bool measured = false;

	obstacle.reason = "there is no state beside POLL";
	if (!count || !take_states(run, packages[0].cpus.cpu[0], &obstacle) ||
	    !meters_open(&packages[0], &run->meters, &obstacle))
		return report_obstacle(&run->options, &obstacle);
	report_begin(&run->options);
	report_plan(run->count - 1);
	/* That of which the residencies are judged is the last. */
	for (size_t i = count; i--;) {
		meters_close(&run->meters);
		measured = meters_open(&packages[i], &run->meters, &obstacle) &&
			   measure_package(run, &packages[i]);
	}
	judge_residencies(run, &packages[0], measured);
	meters_close(&run->meters);
	return report_end(false);
}

int main(int argc, char **argv)
{
	static struct run run = { .keep.fd = -1 };
	struct obstacle obstacle;
	int fd = -1, code;

	if (!parse(argc, argv, &run))
		return EXIT_CODE_FAIL;
	run.until_ns = now_ns() + run.seconds * NS_PER_SEC;
	/* Timers are to fire when they are set to, not up to 50 us later with others. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (!prepare(&run, &fd, &obstacle))
		return report_obstacle(&run.options, &obstacle);
	if (!results_open(&run.results, run.out)) {
		fprintf(stderr, "energy_test: cannot write to '%s': %s\n", run.out,
			strerror(errno));
		return EXIT_CODE_FAIL;
	}
	code = measure_all(&run);
	if (!results_close(&run.results)) {
		fprintf(stderr, "energy_test: cannot write to '%s': %s; make room there\n",
			run.out, strerror(errno));
		code = EXIT_CODE_FAIL;
	}
	keep_end(&run.keep);
	close(fd);
	return code;
}

// SPDX-License-Identifier: GPL-2.0
/* What is known of a CPU, and what is measured of it. */
#include <string.h>

#include "environment.h"
#include "report.h"

/* Those that are online. Returns false where there is none. */
static bool choose_type(const char *name, const struct cpu_list *online, struct cpu_list *cpus,
			struct obstacle *obstacle)
{
	struct text said = text_begin(obstacle->said, sizeof(obstacle->said));
	static struct cpu_list first;
	static __u32 types[CPU_LIST_MAX];
	char type[16];

	cpus->count = 0;
	for (size_t i = 0; i < online->count; i++) {
		types[i] = cores_type(online->cpu[i]);
		cores_type_name(types[i], type, sizeof(type));
		if (!strcmp(type, name))
			cpus->cpu[cpus->count++] = online->cpu[i];
	}
	if (cpus->count)
		return true;
	obstacle->reason = "no CPU that is online is of the core type that --cpus names";
	cores_first_of_each(online, types, &first);
	text_add(&said, "core types here:");
	for (size_t i = 0; i < first.count; i++) {
		cores_type_name(cores_type(first.cpu[i]), type, sizeof(type));
		text_add(&said, " %s", *type ? type : "one only");
	}
	return false;
}

bool choose_cpus(struct options *options, struct cpu_list *offline, struct obstacle *obstacle)
{
	static struct cpu_list online;
	struct cpu_list *cpus = &options->cpus;
	char text[80];

	if (!cpu_list_online(&online))
		online = (struct cpu_list) { .cpu = { 0 }, .count = 1 };
	if (options->core_type)
		return choose_type(options->core_type, &online, cpus, obstacle);
	if (options->all_cpus)
		*cpus = online;
	else if (!cpus->count && !cores_choose(cpus))
		cpus->cpu[cpus->count++] = online.cpu[0];
	cpu_list_split(cpus, &online, offline);
	if (cpus->count)
		return true;
	cpu_list_text(offline, text, sizeof(text));
	obstacle->reason = "a CPU that --cpus names is not online";
	snprintf(obstacle->said, sizeof(obstacle->said), "CPU %s is not online", text);
	return false;
}

bool choose_states(const struct options *options, const struct measured_cpu *measured,
		   struct idle_states *chosen, struct obstacle *obstacle)
{
	struct text said = text_begin(obstacle->said, sizeof(obstacle->said));
	struct idle_states judged;
	char unknown[64];

	measured_cpu_judged(measured, &judged);
	*chosen = judged;
	if (!options->states)
		return true;
	/* A CPU that polls is awake: it is measured for who asks, to compare states with that. */
	for (size_t i = 0; i < measured->states.count; i++)
		if (measured->info[i].flags & IDLE_LATENCY_STATE_POLLS)
			judged.state[judged.count++] = measured->states.state[i];
	if (idle_states_choose(&judged, options->states, chosen, unknown, sizeof(unknown)))
		return true;
	obstacle->fails = false;
	obstacle->reason = "a state that --states names is not there";
	text_add(&said, "%s is none of", unknown);
	for (size_t i = 0; i < judged.count; i++)
		text_add(&said, "%s %s", i ? "," : "", judged.state[i].name);
	return false;
}

void measured_cpu_read(int fd, unsigned int cpu, struct measured_cpu *measured)
{
	*measured = (struct measured_cpu) { .cpu = cpu, .type = cores_type(cpu) };
	cpuidle_states(cpu, &measured->states);
	for (size_t i = 0; i < measured->states.count; i++) {
		struct idle_latency_state info = { .cpu = cpu, .state = i };

		if (!device_state(fd, &info))
			measured->info[i] = info;
	}
}

bool measured_cpu_judges(const struct measured_cpu *measured, size_t state)
{
	const struct idle_latency_state *info = &measured->info[state];
	const struct idle_state *named = &measured->states.state[state];

	/* The driver says nothing of a state that it cannot measure. */
	if (!info->exit_latency_ns && !info->flags)
		return named->latency_us && strcmp(named->name, "POLL");
	return info->exit_latency_ns &&
	       !(info->flags & IDLE_LATENCY_STATE_POLLS);
}

void measured_cpu_judged(const struct measured_cpu *measured, struct idle_states *judged)
{
	judged->count = 0;
	for (size_t i = 0; i < measured->states.count; i++)
		if (measured_cpu_judges(measured, i))
			judged->state[judged->count++] = measured->states.state[i];
}

bool measured_cpu_virtual(const struct measured_cpu *measured)
{
	for (size_t i = 0; i < measured->states.count; i++)
		if (measured->info[i].flags & IDLE_LATENCY_STATE_VIRTUAL)
			return true;
	return false;
}

struct row measured_cpu_row(const struct measured_cpu *measured, const struct method *method,
			    size_t state)
{
	struct row row = {
		.cpu = measured->cpu,
		.type = measured->type,
		.method = method,
		.state = measured->states.state[state],
		.info = measured->info[state],
	};

	if (method->has_waker) {
		row.waker = measured->waker.cpu;
		row.waker_place = measured->waker.place;
		row.hindrance = measured->waker.hindrance;
	}
	return row;
}

const struct software *software_shallowest(const struct measured_cpu *measured, size_t method)
{
	for (size_t i = 0; i < IDLE_STATES_MAX; i++)
		if (software_known(&measured->software[method][i]))
			return &measured->software[method][i];
	return NULL;
}

__u64 software_shallowest_wake_ns(const struct measured_cpu *measured, size_t method)
{
	for (size_t i = 0; i < IDLE_STATES_MAX; i++)
		if (measured->software[method][i].least_wake_ns)
			return measured->software[method][i].least_wake_ns;
	return 0;
}

/* Any record tells it, so that it is known where none is of the awake CPU. */
bool measured_cpu_by_deadline(const struct measured_cpu *measured, size_t method)
{
	const struct summary *awake = &measured->awake[method];
	bool deadline = awake->deadline;

	for (size_t i = 0; i < IDLE_STATES_MAX && !awake->valid; i++)
		deadline |= measured->software[method][i].deadline;
	return methods[method].source != IDLE_LATENCY_SOURCE_HRT || deadline;
}

static const struct summary *awake_by_timer(const struct measured_cpu *measured)
{
	const struct summary *tdt = &measured->awake[method_index(IDLE_LATENCY_SOURCE_TDT)];

	return tdt->valid ? tdt : &measured->awake[method_index(IDLE_LATENCY_SOURCE_HRT)];
}

/* What the card adds, in ns. Returns false, and 0, where that is not known. */
static bool find_delivery(const struct measured_cpu *measured, __u64 *ns)
{
	const struct summary *nic = &measured->awake[method_index(IDLE_LATENCY_SOURCE_NIC)];
	const struct summary *timer = awake_by_timer(measured);
	bool known = nic->valid && timer->valid;

	*ns = known ? minus_or_0(nic->intr.median, timer->intr.median) : 0;
	return known;
}

static __u64 rate_ppb(const struct measured_cpu *measured, size_t method)
{
	return timer_rate_ppb(&measured->awake[method], &measured->far,
			      measured->tick_ns);
}

/* The firmware may declare a state without an exit latency. */
static bool declares_nothing(const struct measured_cpu *measured, size_t state)
{
	return !measured_cpu_judges(measured, state) &&
	       !(measured->info[state].flags & IDLE_LATENCY_STATE_POLLS) &&
	       strcmp(measured->states.state[state].name, "POLL");
}

/* By another method it is the same, and in another state it may be less. NULL: not known. */
static const struct software *known_software(const struct measured_cpu *measured,
					     size_t method, unsigned int state)
{
	const struct software *known = NULL;

	if (software_known(&measured->software[method][state]))
		return &measured->software[method][state];
	for (size_t i = 0; i < METHODS; i++) {
		const struct software *software = &measured->software[i][state];

		if (software_known(software) && (!known || software->ns > known->ns))
			known = software;
	}
	if (!known)
		known = software_shallowest(measured, method);
	for (size_t i = 0; i < METHODS && !known; i++)
		known = software_shallowest(measured, i);
	return known;
}

static void report_software(const struct measured_cpu *measured, size_t method, FILE *file)
{
	__u64 least_wake_ns = software_shallowest_wake_ns(measured, method);
	char memory[512];
	struct text states = text_begin(memory, sizeof(memory));

	for (size_t i = 0; i < measured->states.count; i++) {
		const struct software *software = &measured->software[method][i];

		if (software_known(software))
			text_add(&states, "%s %s at most %llu ns in %zu events",
				 states.used ? "," : "", measured->states.state[i].name,
				 software->ns, software->events);
	}
	if (!states.used && least_wake_ns && !known_software(measured, method, 0))
		text_add(&states, " at most %llu ns, the shortest WakeLatency", least_wake_ns);
	if (states.used)
		environment_cpu(file, "cpu%u: software around the idle instruction by %s:%s",
				measured->cpu, methods[method].name, memory);
}

void measured_cpu_report(const struct measured_cpu *measured, FILE *file)
{
	__u64 ns;

	for (size_t i = 0; i < measured->states.count; i++)
		if (declares_nothing(measured, i))
			environment_cpu(file, "cpu%u: %s declares nothing, not judged",
					measured->cpu, measured->states.state[i].name);
	if (measured->waker.place)
		environment_cpu(file, "cpu%u: woken by cpu%u: %s", measured->cpu,
				measured->waker.cpu, waker_place_name(measured->waker.place));
	for (size_t i = 0; i < METHODS; i++) {
		const struct summary *awake = &measured->awake[i];

		if (awake->valid)
			environment_cpu(file,
					"cpu%u: awake IntrLatency by %s: median %llu ns, largest %llu ns",
					measured->cpu, methods[i].name,
					awake->intr.median, awake->intr.max);
		if (awake->valid && !measured_cpu_by_deadline(measured, i))
			environment_cpu(file,
					"cpu%u: timer without a deadline: tick %llu ns, rate within %llu ppm",
					measured->cpu, measured->tick_ns,
					rate_ppb(measured, i) / 1000 + 1);
		report_software(measured, i, file);
	}
	if (find_delivery(measured, &ns))
		environment_cpu(file, "cpu%u: delivery by nic against a timer: %llu ns",
				measured->cpu, ns);
}

/* What the samples of a method may be wrong by in a state at short launch distances. */
static __u64 wrong_ns(const struct measured_cpu *measured, size_t method,
		      unsigned int state, __u64 software_ns)
{
	const struct software *software = &measured->software[method][state];
	__u64 delivery_ns = 0;

	if (methods[method].source == IDLE_LATENCY_SOURCE_NIC)
		find_delivery(measured, &delivery_ns);
	return measured->awake[method].median_error_ns + delivery_ns +
	       (software_known(software) ? software->ns : software_ns) +
	       (measured_cpu_by_deadline(measured, method) ? 0 : measured->tick_ns);
}

/* By the errors that the methods have on the awake CPU. */
static void set_best(const struct measured_cpu *measured, const struct method *method,
		     unsigned int state, struct verdict_rule *rule)
{
	for (size_t i = 0; i < METHODS; i++) {
		__u64 error_ns = wrong_ns(measured, i, state,
					  rule->instrument.software_ns);

		if (!measured->awake[i].valid || &methods[i] == method || methods[i].has_waker ||
		    (rule->best && rule->best_error_ns <= error_ns))
			continue;
		rule->best = methods[i].name;
		rule->best_error_ns = error_ns;
	}
}

/*
 * The way into the state is a part of its software. Of some 30 events, the largest is not that of
 * all: a CPU that has to fetch what it executes from memory takes some 100 ns longer. So it is
 * rounded up to what counts for a state of which nothing is known, or a multiple of that.
 */
static __u64 entry_ns(const struct software *known)
{
	/* The driver takes no more than that, and no event is later. */
	return smaller((known->ns / ENTRY_NS_DEFAULT + 1) * ENTRY_NS_DEFAULT,
		       IDLE_LATENCY_LDIST_MAX_NS);
}

void measured_cpu_rule(const struct measured_cpu *measured, const struct method *method,
		       unsigned int state, struct verdict_rule *rule)
{
	size_t i = method_index(method->source);
	const struct software *known = known_software(measured, i, state);
	struct instrument *instrument = &rule->instrument;

	*instrument = (struct instrument) { };
	rule->entry_ns = known ? entry_ns(known) : ENTRY_NS_DEFAULT;
	/* The shortest WakeLatency of a state contains the software: a bound, if a wide one. */
	instrument->software_ns = known ? known->ns : software_shallowest_wake_ns(measured, i);
	if (!known && !instrument->software_ns)
		instrument->unknown = "the software around the idle instruction";
	if (!measured_cpu_by_deadline(measured, i)) {
		instrument->tick_ns = measured->tick_ns;
		instrument->rate_ppb = rate_ppb(measured, i);
	}
	if (method->source == IDLE_LATENCY_SOURCE_NIC) {
		if (find_delivery(measured, &instrument->delivery_ns))
			rule->timer = awake_by_timer(measured)->row->method;
		else
			instrument->unknown = "delivery by the card";
	}
	set_best(measured, method, state, rule);
	rule->awake_count = measured->awake[i].valid;
	rule->awake = measured->awake[i].intr;
}

void measured_cpu_nearer(const struct measured_cpu *measured, struct row *row,
			 const struct options *options)
{
	struct verdict_rule rule = { };

	measured_cpu_rule(measured, row->method, row->state.index, &rule);
	if (rule.instrument.rate_ppb)
		plan_nearer(row, options, instrument_ldist_most(&rule.instrument,
								row_limit_ns(row, options)));
}

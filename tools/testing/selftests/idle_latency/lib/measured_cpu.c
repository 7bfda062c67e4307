// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "environment.h"
#include "report.h"

void measured_cpu_read(int fd, unsigned int cpu, struct measured_cpu *measured)
{
	*measured = (struct measured_cpu) { .cpu = cpu };
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

void measured_cpu_judged(const struct measured_cpu *measured,
			 struct idle_states *judged)
{
	judged->count = 0;
	for (size_t i = 0; i < measured->states.count; i++)
		if (measured_cpu_judges(measured, i))
			judged->state[judged->count++] =
				measured->states.state[i];
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
	return (struct row) {
		.cpu = measured->cpu,
		.method = method,
		.state = measured->states.state[state],
		.info = measured->info[state],
	};
}

/* Of the states in their order, the first one in which enough events were pending, or NULL. */
const struct software *software_shallowest(const struct measured_cpu *measured,
					   size_t method)
{
	for (size_t i = 0; i < IDLE_STATES_MAX; i++)
		if (software_known(&measured->software[method][i]))
			return &measured->software[method][i];
	return NULL;
}

__u64 software_shallowest_wake_ns(const struct measured_cpu *measured, size_t method)
{
	size_t i = 0;

	while (i < IDLE_STATES_MAX - 1 && !measured->software[method][i].least_wake_ns)
		i++;
	return measured->software[method][i].least_wake_ns;
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

static const struct summary *awake_by(const struct measured_cpu *measured,
				      unsigned int source)
{
	return &measured->awake[method_index(source)];
}

static const struct summary *awake_by_timer(const struct measured_cpu *measured)
{
	const struct summary *tdt = awake_by(measured, IDLE_LATENCY_SOURCE_TDT);

	return tdt->valid ? tdt : awake_by(measured, IDLE_LATENCY_SOURCE_HRT);
}

static bool delivery_known(const struct measured_cpu *measured)
{
	return awake_by(measured, IDLE_LATENCY_SOURCE_NIC)->valid &&
	       awake_by_timer(measured)->valid;
}

static __u64 delivery_ns(const struct measured_cpu *measured)
{
	const struct summary *nic = awake_by(measured, IDLE_LATENCY_SOURCE_NIC);
	const struct summary *timer = awake_by_timer(measured);

	if (!delivery_known(measured) || nic->intr.median < timer->intr.median)
		return 0;
	return nic->intr.median - timer->intr.median;
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
		environment_line(file, "cpu%u: software around the idle instruction by %s:%s",
				 measured->cpu, methods[method].name, memory);
}

void measured_cpu_report(const struct measured_cpu *measured, FILE *file)
{
	for (size_t i = 0; i < measured->states.count; i++)
		if (declares_nothing(measured, i))
			environment_line(file,
					 "cpu%u: %s declares nothing, not judged",
					 measured->cpu,
					 measured->states.state[i].name);
	for (size_t i = 0; i < METHODS; i++) {
		const struct summary *awake = &measured->awake[i];

		if (awake->valid)
			environment_line(file,
					 "cpu%u: awake IntrLatency by %s: median %llu ns, largest %llu ns",
					 measured->cpu, methods[i].name,
					 awake->intr.median, awake->intr.max);
		if (awake->valid && !measured_cpu_by_deadline(measured, i))
			environment_line(file,
					 "cpu%u: timer without a deadline: tick %llu ns, rate within %llu ppm",
					 measured->cpu, measured->tick_ns,
					 rate_ppb(measured, i) / 1000 + 1);
		report_software(measured, i, file);
	}
	if (delivery_known(measured))
		environment_line(file,
				 "cpu%u: delivery by nic against a timer: %llu ns",
				 measured->cpu, delivery_ns(measured));
}

/* What the samples of a method may be wrong by in a state at short launch distances. */
static __u64 wrong_ns(const struct measured_cpu *measured, size_t method,
		      unsigned int state, __u64 software_ns)
{
	const struct software *software = &measured->software[method][state];
	__u64 ns = measured->awake[method].median_error_ns +
		   (software_known(software) ? software->ns : software_ns);

	if (methods[method].source == IDLE_LATENCY_SOURCE_NIC)
		ns += delivery_ns(measured);
	return measured_cpu_by_deadline(measured, method) ? ns : ns + measured->tick_ns;
}

/* By the errors that the methods have on the awake CPU. */
static void set_best(const struct measured_cpu *measured, const struct method *method,
		     unsigned int state, struct verdict_rule *rule)
{
	for (size_t i = 0; i < METHODS; i++) {
		__u64 error_ns = wrong_ns(measured, i, state,
					  rule->instrument.software_ns);

		if (!measured->awake[i].valid || &methods[i] == method ||
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
	__u64 ns = (known->ns / ENTRY_NS_DEFAULT + 1) * ENTRY_NS_DEFAULT;

	/* The driver takes no more, and no event is later than that. */
	return ns < IDLE_LATENCY_LDIST_MAX_NS ? ns : IDLE_LATENCY_LDIST_MAX_NS;
}

/* The shortest WakeLatency of a state contains the software, and is a bound, if a wide one. */
static void set_software(const struct measured_cpu *measured, size_t method,
			 unsigned int state, struct verdict_rule *rule)
{
	const struct software *known = known_software(measured, method, state);

	rule->entry_ns = known ? entry_ns(known) : ENTRY_NS_DEFAULT;
	rule->instrument.software_ns = known ? known->ns :
					       software_shallowest_wake_ns(measured, method);
	if (!known && !rule->instrument.software_ns)
		rule->instrument.unknown =
			"the software around the idle instruction";
}

void measured_cpu_rule(const struct measured_cpu *measured, const struct method *method,
		       unsigned int state, struct verdict_rule *rule)
{
	size_t i = method_index(method->source);

	rule->instrument = (struct instrument) { };
	set_software(measured, i, state, rule);
	if (!measured_cpu_by_deadline(measured, i)) {
		rule->instrument.tick_ns = measured->tick_ns;
		rule->instrument.rate_ppb = rate_ppb(measured, i);
	}
	if (method->source == IDLE_LATENCY_SOURCE_NIC) {
		rule->instrument.delivery_ns = delivery_ns(measured);
		if (delivery_known(measured))
			rule->timer = awake_by_timer(measured)->row->method;
		else
			rule->instrument.unknown = "delivery by the card";
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

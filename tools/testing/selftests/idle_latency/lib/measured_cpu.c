// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report.h"

/* Enough for a median, and for the largest of what happens often. */
#define SAMPLES	100

static const struct launch_distance ldist = {
	.from_ns = 20000,
	.to_ns = 200000,
};

static size_t method_index(unsigned int source)
{
	size_t i = 0;

	while (methods[i].source != source)
		i++;
	return i;
}

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

static bool is_judged(const struct measured_cpu *measured, size_t state)
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
		if (is_judged(measured, i))
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

static struct row reference_row(const struct measured_cpu *measured,
				size_t method, size_t state)
{
	return (struct row) {
		.cpu = measured->cpu,
		.method = &methods[method],
		.state = measured->states.state[state],
		.info = measured->info[state],
		.until_ns = measured->until_ns,
	};
}

static const char *measure_awake(int fd, struct measured_cpu *measured,
				 size_t method, const struct options *options)
{
	const char *wrong;

	for (size_t i = 0; i < measured->states.count; i++) {
		if (!(measured->info[i].flags & IDLE_LATENCY_STATE_POLLS))
			continue;
		measured->awake[method] = reference_row(measured, method, i);
		wrong = measure_samples(fd, &measured->awake[method], options,
					ldist, SAMPLES);
		if (!measured->awake[method].valid)
			report_line("cpu%u %s: nothing could be measured while the CPU is awake",
				    measured->cpu, methods[method].name);
		return wrong;
	}
	return NULL;
}

/* The first states may be unusable, disabled, or entered with interrupts enabled. */
static const char *find_software(int fd, const struct measured_cpu *measured,
				 size_t method, const struct options *options,
				 struct software *software)
{
	const char *wrong, *last = NULL;

	for (size_t i = 0;
	     i < measured->states.count && !software->has_wake; i++) {
		struct row row = reference_row(measured, method, i);

		if (!is_judged(measured, i))
			continue;
		*software = (struct software) { };
		wrong = measure_software(fd, &row, options, software);
		if (wrong)
			last = wrong;
	}
	return last;
}

static const char *prepare_method(int fd, struct measured_cpu *measured,
				  size_t method, const struct options *options)
{
	const char *wrong = measure_awake(fd, measured, method, options);
	const char *also = find_software(fd, measured, method, options,
					 &measured->software[method]);

	return wrong ? wrong : also;
}

/* What nic adds is known only beside a timer. */
static const char *add_timer(int fd, struct measured_cpu *measured,
			     const struct options *options)
{
	static const unsigned int timers[] = {
		IDLE_LATENCY_SOURCE_TDT, IDLE_LATENCY_SOURCE_HRT,
	};
	const char *wrong = NULL;

	if (options->methods != 1u << IDLE_LATENCY_SOURCE_NIC)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(timers) && !wrong; i++) {
		size_t method = method_index(timers[i]);

		wrong = measure_awake(fd, measured, method, options);
		if (measured->awake[method].valid)
			break;
	}
	return wrong;
}

const char *measured_cpu_prepare(int fd, struct measured_cpu *measured,
				 const struct options *options)
{
	const char *wrong, *last = NULL;

	for (size_t i = 0; i < METHODS; i++) {
		if (!(options->methods & 1u << methods[i].source))
			continue;
		wrong = prepare_method(fd, measured, i, options);
		if (wrong)
			last = wrong;
	}
	wrong = add_timer(fd, measured, options);
	return wrong ? wrong : last;
}

static const struct row *awake_by(const struct measured_cpu *measured,
				  unsigned int source)
{
	return &measured->awake[method_index(source)];
}

static const struct row *awake_by_timer(const struct measured_cpu *measured)
{
	const struct row *tdt = awake_by(measured, IDLE_LATENCY_SOURCE_TDT);

	return tdt->valid ? tdt : awake_by(measured, IDLE_LATENCY_SOURCE_HRT);
}

static bool delivery_known(const struct measured_cpu *measured)
{
	return awake_by(measured, IDLE_LATENCY_SOURCE_NIC)->valid &&
	       awake_by_timer(measured)->valid;
}

static __u64 delivery_ns(const struct measured_cpu *measured)
{
	const struct row *nic = awake_by(measured, IDLE_LATENCY_SOURCE_NIC);
	const struct row *timer = awake_by_timer(measured);

	if (!delivery_known(measured) || nic->intr.median < timer->intr.median)
		return 0;
	return nic->intr.median - timer->intr.median;
}

void measured_cpu_report(const struct measured_cpu *measured, FILE *file)
{
	for (size_t i = 0; i < METHODS; i++) {
		const struct row *awake = &measured->awake[i];
		const struct software *software = &measured->software[i];

		if (awake->valid)
			environment_line(file,
					 "cpu%u: awake IntrLatency by %s: median %llu ns, largest %llu ns",
					 measured->cpu, methods[i].name,
					 awake->intr.median, awake->intr.max);
		if (software_known(software))
			environment_line(file,
					 "cpu%u: software around the idle instruction by %s: at most %llu ns, in %zu events",
					 measured->cpu, methods[i].name,
					 software->ns, software->events);
	}
	if (delivery_known(measured))
		environment_line(file,
				 "cpu%u: delivery by nic against a timer: %llu ns",
				 measured->cpu, delivery_ns(measured));
}

/* By the errors that the methods have on the awake CPU. */
static void set_best(const struct measured_cpu *measured,
		     const struct method *method, struct verdict_rule *rule)
{
	for (size_t i = 0; i < METHODS; i++) {
		__u64 error_ns = measured->awake[i].median_error_ns;

		if (!measured->awake[i].valid || &methods[i] == method ||
		    (rule->best && rule->best_error_ns <= error_ns))
			continue;
		rule->best = methods[i].name;
		rule->best_error_ns = error_ns;
	}
}

void measured_cpu_rule(const struct measured_cpu *measured,
		       const struct method *method, struct verdict_rule *rule)
{
	size_t i = method_index(method->source);

	rule->instrument = (struct instrument) { };
	if (software_known(&measured->software[i]))
		rule->instrument.software_ns = measured->software[i].ns;
	else
		rule->instrument.unknown =
			"the software around the idle instruction";
	if (method->source == IDLE_LATENCY_SOURCE_NIC) {
		rule->instrument.delivery_ns = delivery_ns(measured);
		if (!delivery_known(measured))
			rule->instrument.unknown = "delivery by the card";
	}
	set_best(measured, method, rule);
	rule->awake_count = measured->awake[i].valid;
	rule->awake = measured->awake[i].intr;
}

// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "environment.h"
#include "progress.h"
#include "report.h"

/* Enough for a median, and for the largest of what happens often. */
#define SAMPLES	100

static const struct launch_distance ldist = {
	.from_ns = 20000,
	.to_ns = 200000,
};

/* Of the awake CPU by a timer without a deadline. */
#define FAR_SAMPLES	30

static const struct launch_distance far_ldist = {
	.from_ns = 10000000,
	.to_ns = 10180000,
};

/* Where nothing is known: the tick of a slow timer, and more than any calibration is wrong by. */
#define TICK_NS		1000
#define RATE_PPB	1000000

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

/* With what the awake CPU and the software are measured. */
struct preparation {
	int fd;
	const struct options *options;
	__u64 until_ns;
	struct progress progress;
};

static void note_wrong(const char **last, const char *wrong)
{
	if (wrong)
		*last = wrong;
}

static struct task task_of(struct preparation *preparation, const struct row *row)
{
	return task_begin(preparation->fd, row, preparation->options, preparation->until_ns,
			  &preparation->progress);
}

static const char *measure_polling(struct preparation *preparation,
				   struct measured_cpu *measured, size_t method)
{
	struct row *row = &measured->polls[method];
	const char *wrong;
	struct task task;

	for (size_t i = 0; i < measured->states.count; i++) {
		if (!(measured->info[i].flags & IDLE_LATENCY_STATE_POLLS))
			continue;
		*row = measured_cpu_row(measured, &methods[method], i);
		task = task_of(preparation, row);
		wrong = measure_reference(&task, ldist, SAMPLES, &measured->awake[method]);
		if (!measured->awake[method].valid)
			report_line("cpu%u %s: nothing could be measured while the CPU is awake",
				    measured->cpu, methods[method].name);
		return wrong;
	}
	return NULL;
}

/* Of the states in their order, the first one in which enough events were pending, or NULL. */
static const struct software *shallowest_software(const struct measured_cpu *measured,
						  size_t method)
{
	for (size_t i = 0; i < IDLE_STATES_MAX; i++)
		if (software_known(&measured->software[method][i]))
			return &measured->software[method][i];
	return NULL;
}

static __u64 shallowest_wake_ns(const struct measured_cpu *measured, size_t method)
{
	size_t i = 0;

	while (i < IDLE_STATES_MAX - 1 && !measured->software[method][i].least_wake_ns)
		i++;
	return measured->software[method][i].least_wake_ns;
}

/*
 * The first states may be unusable, or entered with interrupts enabled. None that the
 * administrator has disabled is entered, but for those that are to be measured.
 */
static const char *find_software(struct preparation *preparation,
				 struct measured_cpu *measured, size_t method)
{
	const char *last = NULL;

	for (size_t i = 0; i < measured->states.count; i++) {
		struct row row = measured_cpu_row(measured, &methods[method], i);
		bool chosen = measured->chosen & 1U << i;
		struct task task;

		if (!measured_cpu_judges(measured, i) ||
		    (!chosen && (row.state.disable || shallowest_wake_ns(measured, method))))
			continue;
		task = task_of(preparation, &row);
		note_wrong(&last, measure_software(&task, shallowest_software(measured, method),
						   &measured->software[method][i]));
	}
	return last;
}

__u64 timer_tick_ns(FILE *timer_list, unsigned int cpu)
{
	unsigned int number, mult = 0, shift;
	bool found = false;
	char line[128];

	while (timer_list && fgets(line, sizeof(line), timer_list)) {
		if (sscanf(line, "Per CPU device: %u", &number) == 1)
			found = number == cpu;
		else if (found && sscanf(line, " mult: %u", &number) == 1)
			mult = number;
		else if (mult && sscanf(line, " shift: %u", &shift) == 1)
			return shift < 64 ? ((1ULL << shift) - 1) / mult + 1 :
					    TICK_NS;
	}
	return TICK_NS;
}

static __u64 distance(__u64 a, __u64 b)
{
	return a > b ? a - b : b - a;
}

__u64 timer_rate_ppb(const struct summary *near, const struct summary *far,
		     __u64 tick_ns)
{
	__u64 least_ns, median_ns, wrong_ns;

	if (!near->valid || !far->valid)
		return RATE_PPB;
	least_ns = distance(far->intr.min, near->intr.min);
	median_ns = distance(far->intr.median, near->intr.median);
	wrong_ns = least_ns + distance(least_ns, median_ns) + 2 * tick_ns +
		   near->median_error_ns + far->median_error_ns;
	return wrong_ns * 1e9 / (far_ldist.from_ns - ldist.from_ns) + 1;
}

static const char *find_rate(struct preparation *preparation, struct measured_cpu *measured,
			     size_t method)
{
	struct task task = task_of(preparation, &measured->polls[method]);
	FILE *file = fopen("/proc/timer_list", "re");

	measured->tick_ns = timer_tick_ns(file, measured->cpu);
	if (file)
		fclose(file);
	if (!measured->awake[method].valid)
		return NULL;
	return measure_reference(&task, far_ldist, FAR_SAMPLES, &measured->far);
}

/* Any record tells it, so that it is known where none is of the awake CPU. */
static bool by_deadline(const struct measured_cpu *measured, size_t method)
{
	const struct summary *awake = &measured->awake[method];
	bool deadline = awake->deadline;

	for (size_t i = 0; i < IDLE_STATES_MAX && !awake->valid; i++)
		deadline |= measured->software[method][i].deadline;
	return methods[method].source != IDLE_LATENCY_SOURCE_HRT || deadline;
}

static const char *prepare_awake(struct preparation *preparation,
				 struct measured_cpu *measured, size_t method)
{
	const char *last = measure_polling(preparation, measured, method);

	if (!by_deadline(measured, method))
		note_wrong(&last, find_rate(preparation, measured, method));
	return last;
}

/* What nic adds is known only beside a timer. */
static const char *add_timer(struct preparation *preparation, struct measured_cpu *measured)
{
	static const unsigned int timers[] = {
		IDLE_LATENCY_SOURCE_TDT, IDLE_LATENCY_SOURCE_HRT,
	};
	const char *wrong = NULL;

	if (preparation->options->methods != 1u << IDLE_LATENCY_SOURCE_NIC)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(timers) && !wrong; i++) {
		size_t method = method_index(timers[i]);

		wrong = measure_polling(preparation, measured, method);
		if (measured->awake[method].valid)
			break;
	}
	return wrong;
}

const char *measured_cpu_prepare(int fd, struct measured_cpu *measured,
				 const struct options *options, __u64 until_ns)
{
	struct preparation preparation = {
		.fd = fd, .options = options, .until_ns = until_ns,
	};
	const char *last = NULL;

	/* The awake CPU first, because nothing stands in for it where the time is short. */
	for (size_t i = 0; i < METHODS; i++)
		if (options->methods & 1u << methods[i].source)
			note_wrong(&last, prepare_awake(&preparation, measured, i));
	note_wrong(&last, add_timer(&preparation, measured));
	for (size_t i = 0; i < METHODS; i++)
		if (options->methods & 1u << methods[i].source)
			note_wrong(&last, find_software(&preparation, measured, i));
	return last;
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
		known = shallowest_software(measured, method);
	for (size_t i = 0; i < METHODS && !known; i++)
		known = shallowest_software(measured, i);
	return known;
}

static void report_software(const struct measured_cpu *measured, size_t method, FILE *file)
{
	__u64 least_wake_ns = shallowest_wake_ns(measured, method);
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
		if (awake->valid && !by_deadline(measured, i))
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
	return by_deadline(measured, method) ? ns : ns + measured->tick_ns;
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
					       shallowest_wake_ns(measured, method);
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
	if (!by_deadline(measured, i)) {
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

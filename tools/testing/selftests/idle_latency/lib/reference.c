// SPDX-License-Identifier: GPL-2.0
/* What is measured of a CPU before its rows. */
#include "progress.h"
#include "report.h"

/* Enough for a median, and for the largest of what happens often. */
#define SAMPLES	100

const struct launch_distance timer_near = { .from_ns = 20000, .to_ns = 200000 };

/* Of the awake CPU by a timer without a deadline. */
#define FAR_SAMPLES	30

const struct launch_distance timer_far = { .from_ns = 10000000, .to_ns = 10180000 };

/* Where nothing is known: the tick of a slow timer, and more than any calibration is wrong by. */
#define TICK_NS		1000
#define RATE_PPB	1000000

/* With what the awake CPU and the software are measured. */
struct preparation {
	int fd;
	struct measured_cpu *measured;
	const struct options *options;
	__u64 until_ns;
	struct progress progress;
	/* what was wrong with the accounting of the driver last, or NULL */
	const char *wrong;
};

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
			return shift < 64 ? ((1ULL << shift) - 1) / mult + 1 : TICK_NS;
	}
	return TICK_NS;
}

static __u64 distance(__u64 a, __u64 b)
{
	return a > b ? a - b : b - a;
}

__u64 timer_rate_ppb(const struct summary *near, const struct summary *far, __u64 tick_ns)
{
	__u64 least_ns, median_ns, wrong_ns;

	if (!near->valid || !far->valid)
		return RATE_PPB;
	least_ns = distance(far->intr.min, near->intr.min);
	median_ns = distance(far->intr.median, near->intr.median);
	wrong_ns = least_ns + distance(least_ns, median_ns) + 2 * tick_ns +
		   near->median_error_ns + far->median_error_ns;
	return wrong_ns * 1e9 / (timer_far.from_ns - timer_near.from_ns) + 1;
}

static struct task task_of(struct preparation *preparation, const struct row *row)
{
	return task_begin(preparation->fd, row, preparation->options, preparation->until_ns,
			  &preparation->progress);
}

static const char *note_wrong(struct preparation *preparation, const char *wrong)
{
	if (wrong)
		preparation->wrong = wrong;
	return wrong;
}

/* The awake CPU is in the first state that polls, if there is one. */
static const char *measure_polling(struct preparation *preparation, size_t method)
{
	struct measured_cpu *measured = preparation->measured;
	struct summary *awake = &measured->awake[method];
	const char *wrong;
	struct task task;
	size_t i = 0;

	while (i < measured->states.count && !(measured->info[i].flags & IDLE_LATENCY_STATE_POLLS))
		i++;
	if (i == measured->states.count)
		return NULL;
	measured->polls[method] = measured_cpu_row(measured, &methods[method], i);
	task = task_of(preparation, &measured->polls[method]);
	wrong = measure_reference(&task, timer_near, SAMPLES, awake);
	if (!awake->valid)
		report_line("cpu%u %s: nothing could be measured while the CPU is awake",
			    measured->cpu, methods[method].name);
	return note_wrong(preparation, wrong);
}

static void find_rate(struct preparation *preparation, size_t method)
{
	struct measured_cpu *measured = preparation->measured;
	FILE *file = fopen("/proc/timer_list", "re");
	struct task task;

	measured->tick_ns = timer_tick_ns(file, measured->cpu);
	if (file)
		fclose(file);
	if (!measured->awake[method].valid)
		return;
	task = task_of(preparation, &measured->polls[method]);
	note_wrong(preparation, measure_reference(&task, timer_far, FAR_SAMPLES, &measured->far));
}

/* What nic adds is known only beside a timer. */
static void add_timer(struct preparation *preparation)
{
	static const unsigned int timers[] = {
		IDLE_LATENCY_SOURCE_TDT, IDLE_LATENCY_SOURCE_HRT,
	};

	for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
		size_t method = method_index(timers[i]);

		if (measure_polling(preparation, method) ||
		    preparation->measured->awake[method].valid)
			break;
	}
}

/*
 * The first states may be unusable, or entered with interrupts enabled. None that the
 * administrator has disabled is entered, but for those that are to be measured.
 */
static void find_software(struct preparation *preparation, size_t method)
{
	struct measured_cpu *measured = preparation->measured;

	for (size_t i = 0; i < measured->states.count; i++) {
		struct row row = measured_cpu_row(measured, &methods[method], i);
		bool chosen = measured->chosen & 1U << i;
		struct task task;

		if (!measured_cpu_judges(measured, i) ||
		    (!chosen && (row.state.disable ||
				 software_shallowest_wake_ns(measured, method))))
			continue;
		task = task_of(preparation, &row);
		note_wrong(preparation,
			   measure_software(&task, software_shallowest(measured, method),
					    &measured->software[method][i]));
	}
}

const char *measured_cpu_prepare(int fd, struct measured_cpu *measured,
				 const struct options *options, __u64 until_ns)
{
	struct preparation preparation = {
		.fd = fd, .measured = measured, .options = options, .until_ns = until_ns,
	};

	/* The awake CPU first, because nothing stands in for it where the time is short. */
	for (size_t i = 0; i < METHODS; i++) {
		if (!(options->methods & 1u << methods[i].source))
			continue;
		measure_polling(&preparation, i);
		if (!measured_cpu_by_deadline(measured, i))
			find_rate(&preparation, i);
	}
	if (options->methods == 1u << IDLE_LATENCY_SOURCE_NIC)
		add_timer(&preparation);
	for (size_t i = 0; i < METHODS; i++)
		if (options->methods & 1u << methods[i].source)
			find_software(&preparation, i);
	return preparation.wrong;
}

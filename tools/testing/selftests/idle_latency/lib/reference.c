// SPDX-License-Identifier: GPL-2.0
/* What is measured of a CPU before its rows. */
#include "progress.h"
#include "report.h"

/* Enough for a median, and for the largest of what happens often. */
#define SAMPLES	100

const struct launch_distance timer_near = {
	.from_ns = 20000,
	.to_ns = 200000,
};

/* Of the awake CPU by a timer without a deadline. */
#define FAR_SAMPLES	30

const struct launch_distance timer_far = {
	.from_ns = 10000000,
	.to_ns = 10180000,
};

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
		wrong = measure_reference(&task, timer_near, SAMPLES, &measured->awake[method]);
		if (!measured->awake[method].valid)
			report_line("cpu%u %s: nothing could be measured while the CPU is awake",
				    measured->cpu, methods[method].name);
		return wrong;
	}
	return NULL;
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
		    (!chosen && (row.state.disable ||
				 software_shallowest_wake_ns(measured, method))))
			continue;
		task = task_of(preparation, &row);
		note_wrong(&last, measure_software(&task, software_shallowest(measured, method),
						   &measured->software[method][i]));
	}
	return last;
}

static const char *find_rate(struct preparation *preparation, struct measured_cpu *measured,
			     size_t method)
{
	FILE *file = fopen("/proc/timer_list", "re");
	struct task task;

	measured->tick_ns = timer_tick_ns(file, measured->cpu);
	if (file)
		fclose(file);
	if (!measured->awake[method].valid)
		return NULL;
	task = task_of(preparation, &measured->polls[method]);
	return measure_reference(&task, timer_far, FAR_SAMPLES, &measured->far);
}

static const char *prepare_awake(struct preparation *preparation,
				 struct measured_cpu *measured, size_t method)
{
	const char *last = measure_polling(preparation, measured, method);

	if (!measured_cpu_by_deadline(measured, method))
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

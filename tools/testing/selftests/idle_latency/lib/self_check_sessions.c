// SPDX-License-Identifier: GPL-2.0
/* The sessions of --self-check, on one CPU. */
#include <cpuid.h>
#include <x86intrin.h>

#include "report.h"
#include "self_check.h"

/* Enough for a median. */
#define SAMPLES		100
/* Launch distances that a rate error makes a difference at, in some s. */
#define FAR_SAMPLES	120
/* Enough to tell where in a tick of the crystal a wake-up is. */
#define CRYSTAL_SAMPLES	300

/*
 * Of events that are so near, some fire on the way into idle. As many records of them are kept as
 * there may be samples among them.
 */
#define PENDING_TO_NS	LAUNCH_DISTANCE_ARMING_NS
#define PENDING_KEPT	1000

/* Sessions end by themselves, long before. */
#define SESSION_NS	(20 * NS_PER_SEC)

#define READINGS	100000

#define CPUID_TSC	0x15

static const struct launch_distance near = { .from_ns = 20000, .to_ns = 200000 };
static const struct launch_distance far = { .from_ns = 100000, .to_ns = 48000000 };

/* Indexes of methods[], of which those with a waker are not checked. */
enum { HRT, TDT, NIC, CHECKED };

struct checked {
	const struct task *task;
	const struct measured_cpu *measured;
	const char *no_card;
	double cyc_per_ns;
	/* those that can be judged, and those of them that nobody has disabled */
	struct idle_states judged;
	struct idle_states enabled;
	/* the state that polls, and the shallowest one with a WakeLatency, or NULL */
	const struct idle_state *poll;
	const struct idle_state *shallow;
	/*
	 * By each of methods[]: why there is nothing, or NULL; near ones of the awake CPU,
	 * twice, and far ones in the shallow state.
	 */
	const char *why[CHECKED];
	const char *why_far[CHECKED];
	struct collection first[CHECKED];
	struct collection second[CHECKED];
	struct collection far[CHECKED];
};

/*
 * Records of discarded events are kept as many as there is room for. Returns NULL, or why there
 * is less than was asked for.
 */
static const char *take(struct checked *checked, size_t method, const struct idle_state *state,
			struct launch_distance ldist, size_t samples,
			struct collection *collection)
{
	const struct row row = measured_cpu_row(checked->measured, &methods[method], state->index);
	struct task task = *checked->task;

	if (!(task.options->methods & 1u << methods[method].source))
		return "--methods leaves it out";
	if (method == NIC && checked->no_card)
		return checked->no_card;
	task.until_ns = smaller(task.until_ns, now_ns() + SESSION_NS);
	task_begin(&task, &row, NULL);
	task.config.flags = collection->discarded_room ? IDLE_LATENCY_CONFIG_KEEP : 0;
	take_sessions(&(struct take) { &task, ldist, samples, NULL, collection }, 1);
	return collection->error ? explain_session(&row, collection->error) : NULL;
}

/* Twice one after the other, so that a source that changes meanwhile does not agree. */
static void take_all_awake(struct checked *checked)
{
	for (size_t i = 0; i < 2 * CHECKED; i++) {
		size_t method = i % CHECKED;
		struct collection *to = i < CHECKED ? checked->first : checked->second;

		if (!checked->poll)
			checked->why[method] = "no state polls that is enabled";
		else if (!checked->why[method])
			checked->why[method] = take(checked, method, checked->poll, near, SAMPLES,
						    &to[method]);
	}
}

/* The first method that works here, or that of which it is known why it does not. */
static size_t any_method(const struct checked *checked)
{
	for (size_t i = 0; i < CHECKED; i++)
		if (!checked->why[i])
			return i;
	return HRT;
}

static bool has_wake_latency(struct checked *checked, const struct idle_state *state)
{
	struct collection collection = { };
	bool has;

	take(checked, any_method(checked), state, near, 1, &collection);
	has = collection.count && collection.samples[0].flags & IDLE_LATENCY_RECORD_WAKE;
	collect_free(&collection);
	return has;
}

static const struct idle_state *find_shallow(struct checked *checked)
{
	for (size_t i = 0; i < checked->enabled.count; i++)
		if (has_wake_latency(checked, &checked->enabled.state[i]))
			return &checked->enabled.state[i];
	return NULL;
}

/*
 * Not of the awake CPU, whose handlers have to wait until the kernel has made up for ticks that
 * went by: at some launch distances more often than at others.
 */
static void take_all_far(struct checked *checked)
{
	for (size_t i = 0; i < CHECKED; i++)
		checked->why_far[i] = checked->shallow ?
			take(checked, i, checked->shallow, far, FAR_SAMPLES,
			     &checked->far[i]) :
			"no state has a WakeLatency that is enabled";
}

/* The timer that nic is compared with. */
static size_t best_timer(const struct checked *checked)
{
	return checked->why[TDT] ? HRT : TDT;
}

/* @why: why it cannot be judged, as all functions of self_check.h return it, or NULL */
static void report(const struct checked *checked, const char *name, const char *of,
		   const char *why, struct self_check *check)
{
	snprintf(check->name, sizeof(check->name), "cpu%u.%s%s", checked->measured->cpu, name, of);
	if (why) {
		check->result = VERDICT_SKIP;
		check->reason = why;
	}
	report_self_check(check);
	*check = (struct self_check) { };
}

static const char *judge_agree(const struct checked *checked, size_t method,
			       struct self_check *check)
{
	size_t timer = method == NIC ? best_timer(checked) : HRT;
	__s64 delivery_ns = 0;

	if (checked->why[method])
		return checked->why[method];
	if (checked->why[timer])
		return checked->why[timer];
	if (method == NIC &&
	    !self_check_difference(&checked->first[timer], &checked->first[NIC], &delivery_ns))
		return SELF_TOO_FEW;
	return self_check_agree(&checked->second[timer], &checked->second[method], delivery_ns,
				check);
}

static __u64 smallest_error(const struct checked *checked)
{
	__u64 least = 0;

	for (size_t i = HRT; i <= TDT; i++)
		for (size_t j = 0; j < checked->first[i].count; j++) {
			__u64 error_ns = checked->first[i].samples[j].error_ns;

			if (!least || error_ns < least)
				least = error_ns;
		}
	return least;
}

static const char *judge_step(const struct checked *checked, struct self_check *check)
{
	static __u64 tsc[READINGS];

	if (!affinity_pin(checked->measured->cpu))
		return "this program may not run on the CPU";
	for (size_t i = 0; i < READINGS; i++)
		tsc[i] = __rdtsc();
	affinity_avoid(checked->measured->cpu);
	return self_check_step(tsc, READINGS, checked->cyc_per_ns, smallest_error(checked), check);
}

static const char *judge_warmup(const struct checked *checked, struct self_check *check)
{
	__s64 delivery_ns = 0;

	self_check_difference(&checked->first[best_timer(checked)], &checked->first[NIC],
			      &delivery_ns);
	return self_check_warmup(&checked->far[NIC], delivery_ns, check);
}

static const char *judge_residency(struct checked *checked, const struct idle_state *state,
				   struct self_check *check)
{
	const struct idle_latency_state *info = &checked->measured->info[state->index];
	size_t method = info->flags & IDLE_LATENCY_STATE_TIMER_STOP ? NIC : any_method(checked);
	struct launch_distance ldist =
		launch_distance_counted(info->target_residency_ns,
					launch_distance_least(methods[method].source),
					LAUNCH_DISTANCE_SHORT);
	struct collection collection = { };
	const char *why;

	if (state->disable)
		return "the state is disabled";
	if (info->core_counter == IDLE_LATENCY_RESIDENCY_NONE || !info->exit_latency_ns)
		return "no counter is known";
	why = take(checked, method, state, ldist, SAMPLES, &collection);
	if (!why)
		why = self_check_residency(&collection.counts, check);
	collect_free(&collection);
	return why;
}

static const char *judge_pending(struct checked *checked, const struct idle_state *state,
				 struct self_check *check)
{
	const size_t method = any_method(checked);
	const struct launch_distance ldist = {
		.from_ns = launch_distance_least(methods[method].source),
		.to_ns = PENDING_TO_NS,
	};
	struct collection collection = { .discarded_room = PENDING_KEPT };
	const char *why = take(checked, method, state, ldist, PENDING_KEPT, &collection);

	if (!why)
		why = self_check_software(&collection, checked->cyc_per_ns,
					  checked->measured->info[state->index].exit_latency_ns,
					  check);
	collect_free(&collection);
	return why;
}

/* In the shallowest state in which there are such events. */
static const char *judge_software(struct checked *checked, struct self_check *check)
{
	const char *why = "no idle state is enabled";

	for (size_t i = 0; i < checked->enabled.count && why; i++)
		why = judge_pending(checked, &checked->enabled.state[i], check);
	return why;
}

/* In the deepest state. */
static const char *judge_crystal(struct checked *checked, struct self_check *check)
{
	struct launch_distance ldist = near;
	struct collection collection = { };
	const struct idle_state *state;
	struct crystal crystal = { };
	const char *why = NULL;
	__u32 frequency, unused;

	if (!checked->enabled.count)
		return "no idle state is enabled";
	state = &checked->enabled.state[checked->enabled.count - 1];
	__get_cpuid_count(CPUID_TSC, 0, &crystal.denominator, &crystal.numerator, &frequency,
			  &unused);
	if (crystal.denominator) {
		ldist.from_ns += checked->measured->info[state->index].target_residency_ns;
		ldist.to_ns = 2 * ldist.from_ns;
		why = take(checked, TDT, state, ldist, CRYSTAL_SAMPLES, &collection);
	}
	if (!why)
		why = self_check_crystal(&collection, &crystal, checked->cyc_per_ns, check);
	collect_free(&collection);
	return why;
}

static void report_all(struct checked *checked)
{
	struct self_check check = { };

	for (size_t i = TDT; i <= NIC; i++)
		report(checked, "agree.", methods[i].name, judge_agree(checked, i, &check),
		       &check);
	for (size_t i = 0; i < CHECKED; i++)
		report(checked, "slope.", methods[i].name, checked->why_far[i] ?:
		       self_check_slope(&checked->far[i], &check), &check);
	report(checked, "tsc-step", "", judge_step(checked, &check), &check);
	report(checked, "deadline", "", checked->why_far[HRT] ?:
	       self_check_deadline(&checked->far[HRT], &check), &check);
	report(checked, "warmup", "", checked->why_far[NIC] ?:
	       judge_warmup(checked, &check), &check);
	for (size_t i = 0; i < checked->judged.count; i++)
		report(checked, "residency.", checked->judged.state[i].name,
		       judge_residency(checked, &checked->judged.state[i], &check), &check);
	report(checked, "software", "", judge_software(checked, &check), &check);
	report(checked, "crystal", "", judge_crystal(checked, &check), &check);
}

/* Of those that are reported whatever the idle states are. */
#define RESULTS		(2 + CHECKED + 5)

size_t self_check_results(const struct measured_cpu *measured)
{
	struct idle_states judged;

	measured_cpu_judged(measured, &judged);
	return RESULTS + judged.count;
}

static const struct idle_state *find_poll(const struct measured_cpu *measured)
{
	for (size_t i = 0; i < measured->states.count; i++)
		if (measured->info[i].flags & IDLE_LATENCY_STATE_POLLS &&
		    !measured->states.state[i].disable)
			return &measured->states.state[i];
	return NULL;
}

void self_check(const struct task *task, const struct measured_cpu *measured,
		const char *no_card)
{
	struct checked checked = {
		.task = task,
		.measured = measured,
		.no_card = no_card,
		.cyc_per_ns = machine_tsc_rate(),
		.poll = find_poll(measured),
	};

	measured_cpu_judged(measured, &checked.judged);
	for (size_t i = 0; i < checked.judged.count; i++)
		if (!checked.judged.state[i].disable)
			checked.enabled.state[checked.enabled.count++] = checked.judged.state[i];
	affinity_avoid(measured->cpu);
	take_all_awake(&checked);
	checked.shallow = find_shallow(&checked);
	take_all_far(&checked);
	report_all(&checked);
	for (size_t i = 0; i < CHECKED; i++) {
		collect_free(&checked.first[i]);
		collect_free(&checked.second[i]);
		collect_free(&checked.far[i]);
	}
}

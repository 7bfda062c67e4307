// SPDX-License-Identifier: GPL-2.0
/* The fuzzer: what it knows, see fuzz_model.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_model.h"

bool results_have(const struct results *results, int result)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->result[i] == result)
			return true;
	return false;
}

void results_add(struct results *results, int result)
{
	if (!results_have(results, result) && results->count < RESULTS_MAX)
		results->result[results->count++] = result;
}

void results_add_all(struct results *results, const struct results *more)
{
	for (size_t i = 0; i < more->count; i++)
		results_add(results, more->result[i]);
}

void result_print(int result, char *text, size_t size)
{
	if (result < 0)
		snprintf(text, size, "%d (%s)", result, strerror(-result));
	else
		snprintf(text, size, "%d", result);
}

void results_print(const struct results *results, char *text, size_t size)
{
	char one[64];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < results->count && used < size; i++) {
		result_print(results->result[i], one, sizeof(one));
		used += snprintf(text + used, size - used, "%s%s",
				 i ? " or " : "", one);
	}
}

/* No run lasts so long that a session delivers as many. */
#define SAMPLES_FOREVER 1000000000000ULL

bool model_has_end(const struct idle_latency_config *config)
{
	return config->samples && config->samples < SAMPLES_FOREVER;
}

static bool may_run(const struct model *model)
{
	return model->phase == PHASE_MAYBE || model->phase == PHASE_RUNS;
}

static bool keeps(const struct model *model)
{
	return model->config.flags & IDLE_LATENCY_CONFIG_KEEP;
}

static void forget_session(struct model *model)
{
	model->started = false;
	model->counts = (struct idle_latency_counts) { };
	model->is_final = false;
	model->seen = (struct reader) { .config = &model->config };
	model->last = (struct idle_latency_record) { };
	model->polled = false;
}

void model_opened(struct model *model, int flags)
{
	int access = flags & O_ACCMODE;

	*model = (struct model) {
		.phase = PHASE_STILL,
		.readable = access == O_RDONLY || access == O_RDWR,
		.writable = access == O_WRONLY || access == O_RDWR,
		.nonblock = flags & O_NONBLOCK,
	};
}

void model_closed(struct model *model)
{
	*model = (struct model) { };
}

void model_expect_config(const struct model *model,
			 const struct results *errors,
			 struct results *expected)
{
	if (may_run(model))
		results_add(expected, -EBUSY);
	results_add_all(expected, errors);
	if (!errors->count && model->phase != PHASE_RUNS)
		results_add(expected, 0);
}

void model_configured(struct model *model,
		      const struct idle_latency_config *config)
{
	forget_session(model);
	model->phase = PHASE_STILL;
	model->configured = true;
	model->config = *config;
}

void model_expect_start(const struct model *model, struct results *expected)
{
	if (may_run(model))
		results_add(expected, -EBUSY);
	if (!model->configured)
		results_add(expected, -EINVAL);
	else if (model->phase != PHASE_RUNS)
		results_add(expected, 0);
}

void model_started(struct model *model)
{
	bool has_end = model_has_end(&model->config);

	forget_session(model);
	model->started = true;
	model->phase = has_end ? PHASE_MAYBE : PHASE_RUNS;
}

void model_expect_stop(const struct model *model, struct results *expected)
{
	if (may_run(model))
		results_add(expected, 0);
	if (model->phase != PHASE_RUNS)
		results_add(expected, -EINVAL);
}

void model_stopped(struct model *model)
{
	model->phase = PHASE_STILL;
}

void model_ended(struct model *model)
{
	if (model->phase != PHASE_MAYBE)
		return;
	model->phase = PHASE_STILL;
	model->counts.delivered = model->config.samples;
	/* How many discarded events there are, is not known by that. */
	model->is_final = !keeps(model);
}

static const char *compare_counts(const struct idle_latency_counts *old,
				  const struct idle_latency_counts *new)
{
	if (new->armed < old->armed)
		return "the count of armed events went back";
	if (new->delivered < old->delivered)
		return "the count of delivered samples went back";
	if (new->kept < old->kept)
		return "the count of kept events went back";
	if (new->advanced_cyc < old->advanced_cyc ||
	    new->between_cyc < old->between_cyc)
		return "a sum of residencies went back";
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (new->discarded[i] < old->discarded[i] ||
		    new->above[i] < old->above[i] ||
		    new->largest_ns[i] < old->largest_ns[i])
			return "a count of discarded events went back";
	return NULL;
}

static bool is_zero(const struct idle_latency_counts *counts)
{
	static const struct idle_latency_counts zero;

	return !memcmp(counts, &zero, sizeof(zero));
}

static const char *check_limits(const struct model *model,
				const struct idle_latency_counts *counts)
{
	if (!model->started && !is_zero(counts))
		return "the counts of a session that was not started are not zero";
	if (counts->delivered < model->seen.samples ||
	    counts->kept < model->seen.records - model->seen.samples)
		return "more records were read than delivered";
	if (counts->kept && !keeps(model))
		return "discarded events were kept without being asked for";
	if (counts->discarded[IDLE_LATENCY_DISCARD_STOPPED] > 1)
		return "more than one event was stopped in flight";
	if (model_has_end(&model->config) &&
	    counts->delivered > model->config.samples)
		return "more samples were delivered than asked for";
	if (may_run(model) && counts->discarded[IDLE_LATENCY_DISCARD_STOPPED])
		return "an event was stopped in flight without a stop";
	return NULL;
}

static __u64 records(const struct idle_latency_counts *counts)
{
	return counts->delivered + counts->kept;
}

const char *model_counted(struct model *model,
			  const struct idle_latency_counts *counts)
{
	const char *wrong = accounting_limit(counts, model->config.limit_ns);

	if (!wrong)
		wrong = compare_counts(&model->counts, counts);
	if (!wrong)
		wrong = check_limits(model, counts);
	if (!wrong && model->phase == PHASE_STILL)
		wrong = accounting_end(counts, model->is_final ?
				       records(&model->counts) :
				       records(counts));
	model->counts = *counts;
	model->is_final = model->phase == PHASE_STILL;
	return wrong;
}

static __u64 smaller(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static __u64 left(__u64 all, __u64 taken)
{
	return all > taken ? all - taken : 0;
}

/* Records that are certainly there. */
static __u64 surely_there(const struct model *model)
{
	__u64 there = larger(left(records(&model->counts), model->seen.records),
			     left(model->counts.delivered, model->seen.samples));

	return larger(there, model->polled && may_run(model));
}

/* Samples that come before the session ends by itself. */
static __u64 samples_left(const struct model *model)
{
	return model_has_end(&model->config) ?
		model->config.samples - model->seen.samples : ~0ULL;
}

/* Records that can be there when read() returns; the last one is a sample. */
static __u64 at_most_there(const struct model *model)
{
	if (model->is_final)
		return records(&model->counts) - model->seen.records;
	if (keeps(model) && samples_left(model))
		return ~0ULL;
	return samples_left(model);
}

static __u64 asked_for(const struct read_call *call)
{
	return call->count / RECORD_SIZE;
}

static bool waits_for_all(const struct model *model,
			  const struct read_call *call)
{
	return may_run(model) && !model->nonblock && !call->signals;
}

static bool may_be_empty(const struct model *model,
			 const struct read_call *call)
{
	if (waits_for_all(model, call))
		return !at_most_there(model);
	return !surely_there(model);
}

static void expect_nothing(const struct model *model,
			   const struct read_call *call,
			   struct results *expected)
{
	if (may_run(model) && model->nonblock)
		results_add(expected, -EAGAIN);
	if (may_run(model) && !model->nonblock && call->signals)
		results_add(expected, -EINTR);
	if (model->phase == PHASE_STILL ||
	    (model->phase == PHASE_MAYBE && !at_most_there(model)))
		results_add(expected, 0);
}

static void expect_records(const struct model *model,
			   const struct read_call *call,
			   struct read_results *expected)
{
	__u64 fit = call->room / RECORD_SIZE;
	__u64 most = smaller(asked_for(call), at_most_there(model));
	__u64 least = surely_there(model);

	if (!most)
		return;
	if (waits_for_all(model, call))
		least = larger(least, samples_left(model));
	least = smaller(larger(least, 1), most);
	/* Whole records only. */
	expected->most = smaller(most, fit);
	expected->least = smaller(least, fit);
}

void model_expect_read(const struct model *model,
		       const struct read_call *call,
		       struct read_results *expected)
{
	*expected = (struct read_results) { };
	if (!model->readable) {
		results_add(&expected->results, -EBADF);
		return;
	}
	if (call->room < call->count && call->room < RECORD_SIZE)
		results_add(&expected->results, -EFAULT);
	if (!asked_for(call) || !model->started) {
		results_add(&expected->results, -EINVAL);
		return;
	}
	if (may_be_empty(model, call))
		expect_nothing(model, call, &expected->results);
	expect_records(model, call, expected);
}

static const char *check_sequel(const struct idle_latency_record *last,
				const struct idle_latency_record *next)
{
	if (next->ltime_ns <= last->ltime_ns)
		return "an event fired before the one before it";
	if (next->tbi_cyc < last->tintr_cyc)
		return "an idle period began before the last event";
	return NULL;
}

static const char *take_record(struct model *model,
			       const struct idle_latency_record *record)
{
	const char *wrong = NULL;

	reader_take(&model->seen, record);
	if (model->seen.wrong || record->reasons)
		return model->seen.wrong;
	if (model->seen.samples > 1)
		wrong = check_sequel(&model->last, record);
	model->last = *record;
	return wrong;
}

/* It did not get all that it asked for and had room for. */
static bool saw_the_end(const struct model *model,
			const struct read_call *call, __u64 count)
{
	if (waits_for_all(model, call))
		return count < asked_for(call) && !at_most_there(model);
	return !count || (model->phase == PHASE_STILL &&
			  count < smaller(asked_for(call),
					  call->room / RECORD_SIZE));
}

const char *model_read(struct model *model, const struct read_call *call,
		       const struct idle_latency_record *records, __u64 count)
{
	const char *wrong = NULL;

	for (__u64 i = 0; i < count && !wrong; i++)
		wrong = take_record(model, &records[i]);
	if (count)
		model->polled = false;
	if (!wrong && waits_for_all(model, call) && count < asked_for(call) &&
	    at_most_there(model))
		wrong = "a read that waits did not wait for the end";
	if (!saw_the_end(model, call, count))
		return wrong;
	model_ended(model);
	model->is_final = true;
	model->counts.delivered = model->seen.samples;
	model->counts.kept = model->seen.records - model->seen.samples;
	return wrong;
}

const char *model_polled(struct model *model, short events, short revents)
{
	const short in = (POLLIN | POLLRDNORM) & events;

	if (revents & ~(in | POLLHUP))
		return "poll() reports what was not asked for or cannot be";
	if (revents & in && (revents & in) != in)
		return "poll() reports only some of what means the same";
	if (!model->started)
		return revents ? "poll() reports more than nothing" : NULL;
	if (model->phase == PHASE_STILL)
		return revents == (in | POLLHUP) ? NULL :
			"poll() does not report the end";
	if (model->phase == PHASE_RUNS && revents & POLLHUP)
		return "poll() reports the end of a session that has none";
	if (revents & POLLHUP && (revents & in) != in)
		return "poll() reports the end, but nothing to read";
	if (revents & POLLHUP)
		model_ended(model);
	else if (revents & in)
		model->polled = true;
	return NULL;
}

#define REFERENCES "/sys/module/idle_latency/refcnt"

/* Idle periods of this length, until one of them was in a state. */
#define ENTER_MS	1
#define ENTER_TIMES	100

static bool enable_only(const struct machine_cpu *cpu, size_t state)
{
	for (size_t i = 0; i < cpu->states.count; i++)
		if (!cpuidle_disable(cpu->cpu, i, i != state))
			return false;
	return true;
}

static bool enable_as_before(const struct machine_cpu *cpu)
{
	for (size_t i = 0; i < cpu->states.count; i++)
		if (!cpuidle_disable(cpu->cpu, i,
				     cpu->states.state[i].disable))
			return false;
	return true;
}

static bool enters(const struct machine_cpu *cpu, size_t state)
{
	struct idle_states before, after;

	if (!enable_only(cpu, state) || !cpuidle_states(cpu->cpu, &before))
		return false;
	for (unsigned int i = 0; i < ENTER_TIMES; i++) {
		sleep_ms(ENTER_MS);
		if (!cpuidle_states(cpu->cpu, &after))
			return false;
		if (after.state[state].usage > before.state[state].usage)
			return true;
	}
	return false;
}

/* There, so that the CPU leaves and enters idle states. */
static bool go_to(const struct machine_cpu *cpu, cpu_set_t *before)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu->cpu, &one);
	return !sched_getaffinity(0, sizeof(*before), before) &&
	       !sched_setaffinity(0, sizeof(one), &one);
}

static const char *find_entered(const struct machine_cpu *cpu, bool *entered)
{
	cpu_set_t before;
	bool enabled;

	if (!go_to(cpu, &before))
		return "this program cannot run on the CPU";
	for (size_t i = 0; i < cpu->states.count; i++)
		entered[i] = enters(cpu, i);
	enabled = enable_as_before(cpu);
	sched_setaffinity(0, sizeof(before), &before);
	return enabled ? NULL : "a disable file cannot be written";
}

static const char *try_entering(struct machine *machine)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < machine->cpu_count && !wrong; i++)
		wrong = find_entered(&machine->cpus[i],
				     machine->cpus[i].entered);
	return wrong;
}

static bool add_cpu(struct machine *machine, unsigned int number)
{
	struct machine_cpu *cpu = &machine->cpus[machine->cpu_count++];

	cpu->cpu = number;
	if (!cpuidle_states(number, &cpu->found))
		return false;
	cpu->states = cpu->found;
	for (size_t i = 0; i < cpu->found.count; i++)
		if (cpuidle_undo_disable(number, i) < 0)
			return false;
	return true;
}

static bool find_cpus(struct machine *machine)
{
	static struct cpu_list online, possible;
	char line[256];

	if (!cpu_list_online(&online) ||
	    !sysfs_read_line("/sys/devices/system/cpu/possible", line,
			     sizeof(line)) ||
	    !cpu_list_parse(line, &possible))
		return false;
	for (size_t i = 0; i < online.count && i < MACHINE_CPUS_MAX; i++)
		if (!add_cpu(machine, online.cpu[i]))
			return false;
	machine->beyond_cpus = possible.cpu[possible.count - 1] + 1;
	machine->has_offline_cpu = machine_offline_cpu(&machine->offline_cpu);
	return true;
}

static int ask(struct idle_latency_state *state)
{
	int fd = device_open(0), ret;

	if (fd < 0)
		return fd;
	ret = device_state(fd, state);
	close(fd);
	return ret;
}

static void ask_for_states(struct machine_cpu *cpu)
{
	for (size_t i = 0; i < cpu->found.count; i++) {
		cpu->known[i] = (struct idle_latency_state) {
			.cpu = cpu->cpu, .state = i,
		};
		cpu->usable[i] = !ask(&cpu->known[i]);
	}
}

static int try_config(unsigned int cpu, unsigned int state, __u32 source)
{
	const struct idle_latency_config config = {
		.ldist_from_ns = TEST_LDIST_FROM_NS,
		.ldist_to_ns = TEST_LDIST_TO_NS,
		.cpu = cpu,
		.state = state,
		.source = source,
	};
	int fd = device_open(0), ret;

	if (fd < 0)
		return fd;
	ret = device_config(fd, &config);
	close(fd);
	return ret;
}

static bool try_source(const struct machine_cpu *cpu, __u32 source)
{
	for (size_t i = 0; i < cpu->found.count; i++)
		if (!try_config(cpu->cpu, i, source))
			return true;
	return false;
}

const char *machine_find(struct machine *machine)
{
	*machine = (struct machine) { };
	if (!find_cpus(machine))
		return "no idle states: load a cpuidle driver";
	for (__u32 i = IDLE_LATENCY_SOURCE_HRT;
	     i <= IDLE_LATENCY_SOURCE_NIC; i++)
		machine->has_source[i] = try_source(&machine->cpus[0], i);
	if (!machine->has_source[IDLE_LATENCY_SOURCE_HRT])
		return "no high-resolution timers, or no trusted TSC";
	for (size_t i = 0; i < machine->cpu_count; i++)
		ask_for_states(&machine->cpus[i]);
	return try_entering(machine);
}

const struct machine_cpu *find_cpu(const struct machine *machine,
				   unsigned int cpu)
{
	for (size_t i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].cpu == cpu)
			return &machine->cpus[i];
	return NULL;
}

/* A session does not show there. */
static const char *look_at_states(const struct machine_cpu *cpu)
{
	struct idle_states now;

	if (!cpuidle_states(cpu->cpu, &now) || now.count != cpu->states.count)
		return "the idle states have changed";
	return same_disable(&cpu->states, &now) ? NULL :
		"a disable file has changed";
}

static const char *look_at_references(const struct model *model)
{
	__u64 references;

	/* A driver that is built in has none. */
	if (!sysfs_read_number(REFERENCES, &references))
		return NULL;
	if (model->phase == PHASE_CLOSED && references)
		return "the module is in use after the last close";
	if (model->phase != PHASE_CLOSED && !references)
		return "the module is not in use while a file is open";
	return NULL;
}

const char *machine_look(const struct machine *machine,
			 const struct model *model)
{
	const struct machine_cpu *cpu = &machine->cpus[0];

	if (model->configured)
		cpu = find_cpu(machine, model->config.cpu);
	return look_at_states(cpu) ?: look_at_references(model);
}

const char *machine_enter(const struct machine *machine)
{
	for (size_t i = 0; i < machine->cpu_count; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];
		bool entered[IDLE_STATES_MAX] = { };
		const char *wrong = find_entered(cpu, entered);

		if (wrong)
			return wrong;
		if (memcmp(entered, cpu->entered, sizeof(entered)))
			return "the CPU enters other idle states than before";
	}
	return NULL;
}

const char *machine_toggle(struct machine *machine, struct dice *dice)
{
	struct machine_cpu *cpu =
		&machine->cpus[dice_below(dice, machine->cpu_count)];
	size_t i = dice_below(dice, cpu->states.count);
	__u64 *disable = &cpu->states.state[i].disable;

	if (!cpuidle_disable(cpu->cpu, i, !*disable))
		return "a disable file cannot be written";
	*disable = !*disable;
	return NULL;
}

const char *machine_restore(struct machine *machine)
{
	for (size_t i = 0; i < machine->cpu_count; i++) {
		struct machine_cpu *cpu = &machine->cpus[i];

		cpu->states = cpu->found;
		if (!enable_as_before(cpu))
			return "a disable file cannot be written";
	}
	return NULL;
}

#define CONFIG_FLAGS (IDLE_LATENCY_CONFIG_PROBE | IDLE_LATENCY_CONFIG_KEEP)

/* Samples of a session that ends by itself. */
#define SAMPLES_MOST	40

static const char *const fault_names[FAULTS] = {
	[FAULT_FLAG] = "unknown flag",
	[FAULT_RECORD_SIZE] = "no size of a record",
	[FAULT_PADDING] = "padding",
	[FAULT_ENTRY] = "way to the idle instruction too long",
	[FAULT_SOURCE] = "unknown source",
	[FAULT_LDIST_REVERSED] = "launch distances reversed",
	[FAULT_LDIST_FROM_ZERO] = "smallest launch distance 0",
	[FAULT_LDIST_FROM_FAR] = "smallest launch distance too far",
	[FAULT_LDIST_TO_ZERO] = "largest launch distance 0",
	[FAULT_LDIST_TO_FAR] = "largest launch distance too far",
	[FAULT_CPU_ABSENT] = "absent CPU",
	[FAULT_CPU_OFFLINE] = "offline CPU",
	[FAULT_STATE] = "unknown idle state",
	[FAULT_SOURCE_ABSENT] = "source that cannot work",
};

const char *fault_name(enum fault fault)
{
	return fault_names[fault];
}

bool fault_is_possible(const struct machine *machine, enum fault fault)
{
	if (fault == FAULT_CPU_OFFLINE)
		return machine->has_offline_cpu;
	if (fault == FAULT_SOURCE_ABSENT)
		return !machine->has_source[IDLE_LATENCY_SOURCE_TDT] ||
		       !machine->has_source[IDLE_LATENCY_SOURCE_NIC];
	return true;
}

/* One that the machine has, or one that it has not; 0 where there is none. */
static __u32 choose_source(const struct machine *machine, bool present,
			   struct dice *dice)
{
	__u32 chosen = 0, seen = 0;

	for (__u32 i = IDLE_LATENCY_SOURCE_HRT;
	     i <= IDLE_LATENCY_SOURCE_NIC; i++)
		if (machine->has_source[i] == present &&
		    dice_once_in(dice, ++seen))
			chosen = i;
	return chosen;
}

static __u64 ldist_min(__u32 source)
{
	return source == IDLE_LATENCY_SOURCE_NIC ? IDLE_LATENCY_LDIST_MIN_NIC_NS :
						   IDLE_LATENCY_LDIST_MIN_NS;
}

/* The least, the greatest, or some number from low to ~0. */
static __u32 at_least(struct dice *dice, __u32 low)
{
	switch (dice_below(dice, 3)) {
	case 0:
		return low;
	case 1:
		return ~0U;
	default:
		return dice_scale(dice, low, ~0U);
	}
}

static __u64 too_far(struct dice *dice)
{
	const __u64 low = IDLE_LATENCY_LDIST_MAX_NS + 1;

	switch (dice_below(dice, 3)) {
	case 0:
		return low;
	case 1:
		return ~0ULL;
	default:
		return dice_scale(dice, low, 1ULL << 62);
	}
}

static void reverse_ldist(struct idle_latency_config *config,
			  struct dice *dice)
{
	config->ldist_to_ns = dice_scale(dice, IDLE_LATENCY_LDIST_MIN_NS,
					 IDLE_LATENCY_LDIST_MAX_NS - 1);
	config->ldist_from_ns = config->ldist_to_ns + 1;
	if (dice_once_in(dice, 2))
		config->ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
}

static void spoil_ldist(struct idle_latency_config *config, enum fault fault,
			struct dice *dice)
{
	if (fault == FAULT_LDIST_REVERSED)
		reverse_ldist(config, dice);
	else if (fault == FAULT_LDIST_FROM_ZERO)
		config->ldist_from_ns = 0;
	else if (fault == FAULT_LDIST_FROM_FAR)
		config->ldist_from_ns = too_far(dice);
	else if (fault == FAULT_LDIST_TO_ZERO)
		config->ldist_to_ns = 0;
	else
		config->ldist_to_ns = too_far(dice);
}

void fault_apply(struct idle_latency_config *config, enum fault fault,
		 const struct machine *machine, struct dice *dice)
{
	switch (fault) {
	case FAULT_FLAG:
		config->flags |= 1ULL << (2 + dice_below(dice, 62));
		break;
	case FAULT_RECORD_SIZE:
		config->record_size = 1 + dice_below(dice, RECORD_SIZE - 1);
		break;
	case FAULT_PADDING:
		config->padding = 1U << dice_below(dice, 32);
		break;
	case FAULT_ENTRY:
		config->entry_ns = at_least(dice, IDLE_LATENCY_LDIST_MAX_NS + 1);
		break;
	case FAULT_SOURCE:
		config->source = dice_once_in(dice, 3) ? 0 :
			at_least(dice, IDLE_LATENCY_SOURCE_NIC + 1);
		break;
	case FAULT_LDIST_REVERSED ... FAULT_LDIST_TO_FAR:
		spoil_ldist(config, fault, dice);
		break;
	case FAULT_CPU_ABSENT:
		config->cpu = at_least(dice, machine->beyond_cpus);
		break;
	case FAULT_CPU_OFFLINE:
		config->cpu = machine->offline_cpu;
		break;
	case FAULT_STATE:
		config->state = at_least(dice, machine->cpus[0].found.count);
		break;
	default:
		config->source = choose_source(machine, false, dice);
	}
}

static bool is_timer(__u32 source)
{
	return source == IDLE_LATENCY_SOURCE_HRT ||
	       source == IDLE_LATENCY_SOURCE_TDT;
}

/* A timer that stops in the state is no source. */
static bool source_works_in(const struct machine_cpu *cpu, __u32 state,
			    __u32 source)
{
	return !is_timer(source) ||
	       !(cpu->known[state].flags & IDLE_LATENCY_STATE_TIMER_STOP);
}

static void choose_state(struct idle_latency_config *config,
			 const struct machine *machine, struct dice *dice)
{
	const struct machine_cpu *cpu =
		&machine->cpus[dice_below(dice, machine->cpu_count)];

	config->cpu = cpu->cpu;
	do
		config->state = dice_below(dice, cpu->found.count);
	while (!cpu->usable[config->state] ||
	       !source_works_in(cpu, config->state, config->source));
}

/* Mostly what gives records; also what gives none, or none soon. */
static void choose_ldist(struct idle_latency_config *config,
			 struct dice *dice)
{
	__u64 from = TEST_LDIST_FROM_NS, to = TEST_LDIST_TO_NS;
	__u64 least = ldist_min(config->source);

	switch (dice_below(dice, 8)) {
	case 0:
		from = least;
		to = least;
		break;
	case 1:
		from = IDLE_LATENCY_LDIST_MAX_NS;
		to = IDLE_LATENCY_LDIST_MAX_NS;
		break;
	case 2:
		to = dice_scale(dice, least, IDLE_LATENCY_LDIST_MAX_NS);
		from = dice_scale(dice, least, to);
		break;
	}
	config->ldist_from_ns = from;
	config->ldist_to_ns = to;
}

static __u64 choose_samples(struct dice *dice)
{
	switch (dice_below(dice, 4)) {
	case 0:
		return 0;
	case 1:
		return ~dice_below(dice, 2);
	default:
		return dice_scale(dice, 1, SAMPLES_MOST);
	}
}

static __u64 choose_limit(struct dice *dice)
{
	switch (dice_below(dice, 4)) {
	case 0:
		return 0;
	case 1:
		return ~dice_below(dice, 2);
	default:
		return dice_scale(dice, 1, 1ULL << 40);
	}
}

/* Mostly what a CPU may need; also nothing, and more than any event is ahead. */
static __u32 choose_entry(struct dice *dice)
{
	switch (dice_below(dice, 8)) {
	case 0:
		return 0;
	case 1:
		return IDLE_LATENCY_LDIST_MAX_NS;
	default:
		return ENTRY_NS_DEFAULT;
	}
}

void config_choose(struct idle_latency_config *config,
		   const struct machine *machine, struct dice *dice)
{
	*config = (struct idle_latency_config) {
		.source = choose_source(machine, true, dice),
		.samples = choose_samples(dice),
		.limit_ns = choose_limit(dice),
		.entry_ns = choose_entry(dice),
	};
	if (dice_once_in(dice, 2))
		config->flags |= IDLE_LATENCY_CONFIG_PROBE;
	if (dice_once_in(dice, 2))
		config->flags |= IDLE_LATENCY_CONFIG_KEEP;
	choose_state(config, machine, dice);
	choose_ldist(config, dice);
}

static bool ldist_in_range(__u32 source, __u64 ns)
{
	return ns >= ldist_min(source) && ns <= IDLE_LATENCY_LDIST_MAX_NS;
}

static bool source_is_known(__u32 source)
{
	return source >= IDLE_LATENCY_SOURCE_HRT &&
	       source <= IDLE_LATENCY_SOURCE_NIC;
}

static bool is_invalid(const struct idle_latency_config *config)
{
	return config->record_size || config->padding ||
	       config->flags & ~CONFIG_FLAGS ||
	       !source_is_known(config->source) ||
	       config->ldist_from_ns > config->ldist_to_ns ||
	       config->entry_ns > IDLE_LATENCY_LDIST_MAX_NS;
}

void config_errors(const struct idle_latency_config *config,
		   const struct machine *machine, struct results *errors)
{
	const struct machine_cpu *cpu = find_cpu(machine, config->cpu);

	if (is_invalid(config))
		results_add(errors, -EINVAL);
	if (!ldist_in_range(config->source, config->ldist_from_ns) ||
	    !ldist_in_range(config->source, config->ldist_to_ns))
		results_add(errors, -ERANGE);
	if (!cpu)
		results_add(errors, -ENXIO);
	else if (config->state >= cpu->found.count ||
		 !cpu->usable[config->state])
		results_add(errors, -ENOENT);
	else if (!source_works_in(cpu, config->state, config->source))
		results_add(errors, -EOPNOTSUPP);
	if (source_is_known(config->source) &&
	    !machine->has_source[config->source])
		results_add(errors, -EOPNOTSUPP);
}

void state_errors(const struct idle_latency_state *state,
		  const struct machine *machine, struct results *errors)
{
	const struct machine_cpu *cpu = find_cpu(machine, state->cpu);

	if (state->padding[0] || state->padding[1] || state->padding[2])
		results_add(errors, -EINVAL);
	if (!cpu)
		results_add(errors, -ENXIO);
	else if (state->state >= cpu->found.count || !cpu->usable[state->state])
		results_add(errors, -ENOENT);
}

bool config_is_productive(const struct idle_latency_config *config)
{
	/* State 0 polls, and may be left long before the event. */
	return config->state && config->ldist_to_ns >= TEST_LDIST_TO_NS &&
	       config->entry_ns <= ENTRY_NS_DEFAULT;
}

void config_print(const struct idle_latency_config *config, char *text,
		  size_t size)
{
	snprintf(text, size,
		 "flags %#llx ldist %llu-%llu samples %llu limit %llu cpu %u state %u source %u entry %u record %u padding %#x",
		 config->flags, config->ldist_from_ns, config->ldist_to_ns,
		 config->samples, config->limit_ns, config->cpu, config->state,
		 config->source, config->entry_ns, config->record_size,
		 config->padding);
}

static const char *const call_names[CALLS] = {
	[CALL_OPEN] = "open",
	[CALL_OPEN_UNPRIVILEGED] = "open without CAP_SYS_ADMIN",
	[CALL_OPEN_DIRECT] = "open with O_DIRECT",
	[CALL_DUP] = "dup",
	[CALL_CLOSE] = "close",
	[CALL_CHILD] = "close in a child",
	[CALL_NONBLOCK] = "fcntl O_NONBLOCK",
	[CALL_CONFIG] = "CONFIG",
	[CALL_CONFIG_WRONG] = "CONFIG, wrong",
	[CALL_CONFIG_ABSENT] = "CONFIG, not on this machine",
	[CALL_CONFIG_POINTER] = "CONFIG, bad pointer",
	[CALL_START] = "START",
	[CALL_STOP] = "STOP",
	[CALL_COUNTS] = "COUNTS",
	[CALL_COUNTS_POINTER] = "COUNTS, bad pointer",
	[CALL_STATE] = "STATE",
	[CALL_STATE_WRONG] = "STATE, wrong",
	[CALL_STATE_POINTER] = "STATE, bad pointer",
	[CALL_UNKNOWN_COMMAND] = "unknown command",
	[CALL_READ] = "read",
	[CALL_READ_WAITING] = "read, waiting",
	[CALL_READ_SIGNALLED] = "read, with signals",
	[CALL_READ_SHORT] = "read, less than a record",
	[CALL_READ_PARTIAL] = "read, too little memory",
	[CALL_READ_FULL] = "read, until the memory was full",
	[CALL_READ_POINTER] = "read, bad pointer",
	[CALL_POLL] = "poll",
	[CALL_POLL_FILLING] = "poll until half of the buffer is filled",
	[CALL_UNSUPPORTED] = "what the device cannot do",
	[CALL_SLEEP] = "sleep",
	[CALL_LOOK] = "look at the machine",
	[CALL_ENTER] = "enter each idle state",
	[CALL_TOGGLE] = "disable or enable a state",
};

/* What include/uapi/linux/idle_latency.h lists, and any machine can have. */
static const struct {
	enum call call;
	int result;
} needed[] = {
	{ CALL_OPEN, 0 },
	{ CALL_OPEN, -EBUSY },
	{ CALL_OPEN_UNPRIVILEGED, -EPERM },
	{ CALL_OPEN_DIRECT, -EINVAL },
	{ CALL_DUP, 0 },
	{ CALL_CLOSE, 0 },
	{ CALL_CHILD, 0 },
	{ CALL_NONBLOCK, 0 },
	{ CALL_CONFIG, 0 },
	{ CALL_CONFIG, -EBUSY },
	{ CALL_CONFIG_WRONG, -EINVAL },
	{ CALL_CONFIG_WRONG, -ERANGE },
	{ CALL_CONFIG_WRONG, -ENXIO },
	{ CALL_CONFIG_ABSENT, -ENOENT },
	{ CALL_CONFIG_POINTER, -EFAULT },
	{ CALL_START, 0 },
	{ CALL_START, -EBUSY },
	{ CALL_START, -EINVAL },
	{ CALL_STOP, 0 },
	{ CALL_STOP, -EINVAL },
	{ CALL_COUNTS, 0 },
	{ CALL_COUNTS_POINTER, -EFAULT },
	{ CALL_STATE, 0 },
	{ CALL_STATE_WRONG, -EINVAL },
	{ CALL_STATE_WRONG, -ENXIO },
	{ CALL_STATE_WRONG, -ENOENT },
	{ CALL_STATE_POINTER, -EFAULT },
	{ CALL_UNKNOWN_COMMAND, -ENOTTY },
	{ CALL_READ, 1 },
	{ CALL_READ, 0 },
	{ CALL_READ, -EINVAL },
	{ CALL_READ, -EAGAIN },
	{ CALL_READ, -EBADF },
	{ CALL_READ_WAITING, 1 },
	{ CALL_READ_WAITING, 0 },
	{ CALL_READ_SIGNALLED, 1 },
	{ CALL_READ_SIGNALLED, -EINTR },
	{ CALL_READ_SHORT, -EINVAL },
	{ CALL_READ_PARTIAL, 1 },
	{ CALL_READ_FULL, 1 },
	{ CALL_READ_POINTER, -EFAULT },
	{ CALL_POLL, 0 },
	{ CALL_POLL, POLLIN | POLLHUP },
	{ CALL_POLL_FILLING, POLLIN },
	{ CALL_UNSUPPORTED, -EINVAL },
	{ CALL_UNSUPPORTED, -EBADF },
	{ CALL_UNSUPPORTED, -ESPIPE },
	{ CALL_UNSUPPORTED, -ENODEV },
	{ CALL_LOOK, 0 },
	{ CALL_TOGGLE, 0 },
};

const char *call_name(enum call call)
{
	return call_names[call];
}

static size_t slot(int result)
{
	return result < 0 ? -result : TALLY_ERRORS + result;
}

void tally_add(struct tally *tally, enum call call, int result)
{
	tally->seen[call][slot(result)]++;
}

bool tally_has(const struct tally *tally, enum call call, int result)
{
	return tally->seen[call][slot(result)];
}

static void print_call(const struct tally *tally, enum call call)
{
	char text[512], one[64];
	size_t used = 0;

	text[0] = '\0';
	for (int i = -TALLY_ERRORS + 1; i < TALLY_RESULTS - TALLY_ERRORS; i++) {
		if (!tally_has(tally, call, i))
			continue;
		result_print(i, one, sizeof(one));
		used += snprintf(text + used, sizeof(text) - used, "%s%s: %llu",
				 used ? ", " : "", one,
				 tally->seen[call][slot(i)]);
		if (used >= sizeof(text))
			break;
	}
	ksft_print_msg("%s: %s\n", call_name(call), text);
}

void tally_print(const struct tally *tally)
{
	for (int i = 0; i < CALLS; i++)
		print_call(tally, i);
}

static unsigned int missing_results(const struct tally *tally)
{
	unsigned int missing = 0;
	char result[64];

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (tally_has(tally, needed[i].call, needed[i].result))
			continue;
		result_print(needed[i].result, result, sizeof(result));
		ksft_print_msg("never seen: %s: %s\n",
			       call_name(needed[i].call), result);
		missing++;
	}
	return missing;
}

static unsigned int missing_faults(const struct tally *tally,
				   const struct machine *machine)
{
	unsigned int missing = 0;

	for (int i = 0; i < FAULTS; i++) {
		if (tally->faults[i] || !fault_is_possible(machine, i))
			continue;
		ksft_print_msg("never seen: CONFIG, %s\n", fault_name(i));
		missing++;
	}
	return missing;
}

unsigned int tally_missing(const struct tally *tally,
			   const struct machine *machine)
{
	return missing_results(tally) + missing_faults(tally, machine);
}

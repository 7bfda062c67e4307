// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl() commands that the fuzzer gives: configurations, right and wrong, with all errors
 * that apply to them, and the others.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"

#define CONFIG_FLAGS (IDLE_LATENCY_CONFIG_PROBE | IDLE_LATENCY_CONFIG_KEEP)

/* Samples of a session that ends by itself. */
#define SAMPLES_MOST	40

/* Of one configuration */
#define FAULTS_MOST 3

/* More than a session may be ahead of now, whenever it is configured. */
#define TOO_LATE_NS	(2 * IDLE_LATENCY_START_MAX_NS)

enum fault {
	FAULT_FLAG,
	FAULT_RECORD_SIZE,
	FAULT_WAKER,
	FAULT_ENTRY,
	FAULT_SOURCE,
	FAULT_LDIST_REVERSED,
	FAULT_LDIST_FROM_ZERO,
	FAULT_LDIST_FROM_FAR,
	FAULT_LDIST_TO_ZERO,
	FAULT_LDIST_TO_FAR,
	FAULT_START,
	FAULT_ROOM,
	FAULT_CARD,
	FAULT_CPU_ABSENT,
	FAULT_CPU_OFFLINE,
	/* From here on, the kernel has to look at the idle states. */
	FAULT_STATE,
	FAULT_SOURCE_ABSENT,
	FAULTS
};

/* Configurations with this fault alone that failed because of it; FAULTS: all others. */
static __u64 faults_seen[FAULTS + 1];

/* The one that is given now. */
static struct idle_latency_config config;

static __u64 ldist_min(__u32 source)
{
	return source == IDLE_LATENCY_SOURCE_NIC ? IDLE_LATENCY_LDIST_MIN_NIC_NS :
						   IDLE_LATENCY_LDIST_MIN_NS;
}

/* The least, the greatest, or some number from low to high. */
static __u64 at_least(__u64 low, __u64 high, __u64 greatest)
{
	switch (dice_below(&dice, 3)) {
	case 0:
		return low;
	case 1:
		return greatest;
	default:
		return dice_scale(&dice, low, high);
	}
}

static __u32 word_at_least(__u32 low)
{
	return at_least(low, ~0U, ~0U);
}

static __u64 too_far(void)
{
	return at_least(IDLE_LATENCY_LDIST_MAX_NS + 1, 1ULL << 62, ~0ULL);
}

/* Too small, a multiple of 8 that is too large, or none. */
static __u32 wrong_record_size(void)
{
	switch (dice_below(&dice, 3)) {
	case 0:
		return dice_scale(&dice, 1, IDLE_LATENCY_RECORD_SIZE_VER0 - 1);
	case 1:
		return 8 * at_least(IDLE_LATENCY_RECORD_SIZE_MAX / 8 + 1,
				    ~0U / 8, ~0U / 8);
	default:
		return 8 * dice_scale(&dice, IDLE_LATENCY_RECORD_SIZE_VER0 / 8,
				      IDLE_LATENCY_RECORD_SIZE_MAX / 8 - 1) +
		       1 + dice_below(&dice, 7);
	}
}

/* Any is wrong for a source without; else it is the measured CPU, or none. */
static __u32 wrong_waker(void)
{
	if (!source_has_waker(config.source))
		return 1U << dice_below(&dice, 32);
	return dice_once_in(&dice, 2) ? config.cpu : word_at_least(machine.beyond_cpus);
}

/* Returns what is wrong with the configuration then, or NULL where the machine cannot have it. */
static const char *fault_apply(enum fault fault)
{
	switch (fault) {
	case FAULT_FLAG:
		config.flags |= 1ULL << (2 + dice_below(&dice, 62));
		return "unknown flag";
	case FAULT_RECORD_SIZE:
		config.record_size = wrong_record_size();
		return "no size of a record";
	case FAULT_WAKER:
		config.waker = wrong_waker();
		return "wrong waker, or one of a source without";
	case FAULT_ENTRY:
		config.entry_ns = word_at_least(IDLE_LATENCY_LDIST_MAX_NS + 1);
		return "way to the idle instruction too long";
	case FAULT_SOURCE:
		config.source = dice_once_in(&dice, 3) ? 0 :
			word_at_least(IDLE_LATENCY_SOURCE_IPI + 1);
		return "unknown source";
	case FAULT_LDIST_REVERSED:
		config.ldist_to_ns = dice_scale(&dice, IDLE_LATENCY_LDIST_MIN_NS,
						IDLE_LATENCY_LDIST_MAX_NS - 1);
		config.ldist_from_ns = dice_once_in(&dice, 2) ? IDLE_LATENCY_LDIST_MAX_NS :
								config.ldist_to_ns + 1;
		return "launch distances reversed";
	case FAULT_LDIST_FROM_ZERO:
		config.ldist_from_ns = 0;
		return "smallest launch distance 0";
	case FAULT_LDIST_FROM_FAR:
		config.ldist_from_ns = too_far();
		return "smallest launch distance too far";
	case FAULT_LDIST_TO_ZERO:
		config.ldist_to_ns = 0;
		return "largest launch distance 0";
	case FAULT_LDIST_TO_FAR:
		config.ldist_to_ns = too_far();
		return "largest launch distance too far";
	case FAULT_START:
		config.start_ns = at_least(now_ns() + TOO_LATE_NS, 1ULL << 63, ~0ULL);
		return "start too far ahead";
	case FAULT_ROOM:
		config.buffer_records = dice_once_in(&dice, 2) ?
			1 : word_at_least(IDLE_LATENCY_BUFFER_MAX + 1);
		return "no size of the buffer";
	case FAULT_CARD:
		config.card = ~0U;
		return config.source == IDLE_LATENCY_SOURCE_NIC ? NULL : "card for a timer";
	case FAULT_CPU_ABSENT:
		config.cpu = word_at_least(machine.beyond_cpus);
		return "absent CPU";
	case FAULT_CPU_OFFLINE:
		config.cpu = machine.offline_cpu;
		return machine.has_offline_cpu ? "offline CPU" : NULL;
	case FAULT_STATE:
		config.state = word_at_least(machine.cpus[0].found.count);
		return "unknown idle state";
	default:
		config.source = machine_source(false);
		return config.source ? "source that cannot work" : NULL;
	}
}

unsigned int config_report_missing(void)
{
	unsigned int missing = 0;

	config = (struct idle_latency_config) { };
	for (int i = 0; i < FAULTS; i++) {
		const char *name = fault_apply(i);

		if (faults_seen[i] || !name)
			continue;
		ksft_print_msg("never seen: CONFIG, %s\n", name);
		missing++;
	}
	return missing;
}

static void choose_state(void)
{
	const struct machine_cpu *cpu = choose_cpu();

	config.cpu = cpu->cpu;
	do
		config.state = dice_below(&dice, cpu->found.count);
	while (!cpu->usable[config.state] ||
	       !source_works_in(cpu, config.state, config.source));
	if (!source_has_waker(config.source))
		return;
	do
		config.waker = choose_cpu()->cpu;
	while (config.waker == config.cpu);
}

/* Mostly what gives records; also what gives none, or none soon. */
static void choose_ldist(void)
{
	__u64 from = TEST_LDIST_FROM_NS, to = TEST_LDIST_TO_NS;
	__u64 least = ldist_min(config.source);

	if (dice_once_in(&dice, 8)) {
		to = dice_scale(&dice, least, IDLE_LATENCY_LDIST_MAX_NS);
		from = dice_scale(&dice, least, to);
	} else if (dice_once_in(&dice, 4)) {
		to = dice_once_in(&dice, 2) ? least : IDLE_LATENCY_LDIST_MAX_NS;
		from = to;
	}
	config.ldist_from_ns = from;
	config.ldist_to_ns = to;
}

/* Mostly the usual, and once in @times each of the others. */
static __u64 mostly(__u64 times, __u64 usual, __u64 other, __u64 another)
{
	__u64 chosen = dice_below(&dice, times);

	return chosen > 1 ? usual : chosen ? another : other;
}

/* 0, one of the two greatest numbers, or some number from 1 to @most. */
static __u64 choose_number(__u64 most)
{
	return mostly(4, dice_scale(&dice, 1, most), 0, ~dice_below(&dice, 2));
}

static void config_choose(void)
{
	config = (struct idle_latency_config) {
		.source = machine_source(true),
		.samples = choose_number(SAMPLES_MOST),
		.limit_ns = choose_number(1ULL << 40),
		/* Also nothing, and more than any event is ahead. */
		.entry_ns = mostly(8, ENTRY_NS_DEFAULT, 0, IDLE_LATENCY_LDIST_MAX_NS),
		/* Also what a caller of later may know, and the largest. */
		.record_size = mostly(4, sizeof(struct idle_latency_record), 0,
				      8 * at_least(IDLE_LATENCY_RECORD_SIZE_VER0 / 8,
						   IDLE_LATENCY_RECORD_SIZE_MAX / 8,
						   IDLE_LATENCY_RECORD_SIZE_MAX / 8)),
		/* Over, and soon enough for who waits. */
		.start_ns = mostly(8, 0, 1, now_ns() + dice_scale(&dice, 1, 1000000)),
		.buffer_records = mostly(8, 0, IDLE_LATENCY_BUFFER_MIN, IDLE_LATENCY_BUFFER_MAX),
	};
	if (dice_once_in(&dice, 2))
		config.flags |= IDLE_LATENCY_CONFIG_PROBE;
	if (dice_once_in(&dice, 2))
		config.flags |= IDLE_LATENCY_CONFIG_KEEP;
	choose_state();
	choose_ldist();
}

static bool in_range(__u64 number, __u64 least, __u64 most)
{
	return number >= least && number <= most;
}

static bool is_out_of_range(void)
{
	const __u64 least = ldist_min(config.source);

	return !in_range(config.ldist_from_ns, least, IDLE_LATENCY_LDIST_MAX_NS) ||
	       !in_range(config.ldist_to_ns, least, IDLE_LATENCY_LDIST_MAX_NS) ||
	       (config.buffer_records && !in_range(config.buffer_records, IDLE_LATENCY_BUFFER_MIN,
						   IDLE_LATENCY_BUFFER_MAX)) ||
	       config.start_ns >= now_ns() + TOO_LATE_NS / 2;
}

static bool is_known_source(void)
{
	return in_range(config.source, IDLE_LATENCY_SOURCE_HRT, IDLE_LATENCY_SOURCE_IPI);
}

static bool is_invalid(void)
{
	const bool has_waker = source_has_waker(config.source);

	return (config.record_size &&
		(!in_range(config.record_size, IDLE_LATENCY_RECORD_SIZE_VER0,
			   IDLE_LATENCY_RECORD_SIZE_MAX) || config.record_size % 8)) ||
	       (has_waker ? config.waker == config.cpu : config.waker) ||
	       config.flags & ~CONFIG_FLAGS || !is_known_source() ||
	       config.ldist_from_ns > config.ldist_to_ns ||
	       (config.card && config.source != IDLE_LATENCY_SOURCE_NIC) ||
	       config.entry_ns > IDLE_LATENCY_LDIST_MAX_NS;
}

/* Returns the CPU, or NULL where it has no such state, which a call may say. */
static const struct machine_cpu *find_state(__u32 cpu, __u32 state)
{
	const struct machine_cpu *found = find_cpu(cpu);

	if (found && state < found->found.count && found->usable[state])
		return found;
	fuzz_may(found ? -ENOENT : -ENXIO);
	return NULL;
}

/* Every error that applies; none where the configuration is right. */
static void config_errors(void)
{
	const struct machine_cpu *cpu = find_state(config.cpu, config.state);

	if (is_invalid())
		fuzz_may(-EINVAL);
	if (is_out_of_range())
		fuzz_may(-ERANGE);
	if (config.card)
		fuzz_may(-ENODEV);
	if (source_has_waker(config.source) && !find_cpu(config.waker))
		fuzz_may(-ENXIO);
	if ((cpu && !source_works_in(cpu, config.state, config.source)) ||
	    (is_known_source() && !machine.has_source[config.source]))
		fuzz_may(-EOPNOTSUPP);
}

/* @fault: the only one, or FAULTS where there is none, or several; and what that is, or NULL */
static bool configure(enum fault fault, const char *name)
{
	void *argument = memory_place(sizeof(config));
	int result;

	config_errors();
	model_expect_still();
	memcpy(argument, &config, sizeof(config));
	result = device_config(fuzz_file(), argument);
	if (!fuzz_expect(result)) {
		text_add(&fuzz_wrong,
			 "; flags %#llx ldist %llu-%llu samples %llu limit %llu cpu %u state %u source %u entry %u record %u start %llu room %u card %#x waker %u%s%s",
			 config.flags, config.ldist_from_ns, config.ldist_to_ns,
			 config.samples, config.limit_ns, config.cpu, config.state,
			 config.source, config.entry_ns, config.record_size,
			 config.start_ns, config.buffer_records, config.card,
			 config.waker, name ? "; " : "", name ?: "");
		return false;
	}
	faults_seen[fault] += result != -EBUSY;
	if (!result)
		model_configured(&config);
	return true;
}

bool call_config(void)
{
	config_choose();
	return configure(FAULTS, NULL);
}

/* One of those from @from on and before @to that the machine can have; and what it is. */
static enum fault have_fault(enum fault from, enum fault to, const char **name)
{
	const struct idle_latency_config without = config;
	enum fault fault;

	do {
		config = without;
		fault = from + dice_below(&dice, to - from);
		*name = fault_apply(fault);
	} while (!*name);
	return fault;
}

/* With one fault, or with several, of which one is seen without the machine. */
bool call_config_wrong(void)
{
	const char *name;
	enum fault fault;
	bool alone;

	config_choose();
	alone = dice_once_in(&dice, 2);
	for (__u64 i = alone ? 0 : dice_below(&dice, FAULTS_MOST); i; i--)
		have_fault(0, FAULTS, &name);
	fault = have_fault(0, FAULT_STATE, &name);
	return configure(alone ? fault : FAULTS, alone ? name : NULL);
}

/* Right, but not on this machine, or not possible everywhere. */
bool call_config_absent(void)
{
	const char *name;
	enum fault fault;

	config_choose();
	fault = have_fault(FAULT_STATE, FAULTS, &name);
	return configure(fault, name);
}

bool call_config_pointer(void)
{
	void *argument = memory_bad(sizeof(struct idle_latency_config), true);

	fuzz_may(-EFAULT);
	model_expect_still();
	return fuzz_expect(device_config(fuzz_file(), argument));
}

bool call_start(void)
{
	int result;

	if (!model.configured)
		fuzz_may(-EINVAL);
	model_expect_still();
	result = device_start(fuzz_file());
	if (!result)
		model_started();
	return fuzz_expect(result);
}

bool call_stop(void)
{
	int result;

	model_expect_stop();
	result = device_stop(fuzz_file());
	if (result)
		model_ended();
	else
		model.phase = PHASE_STILL;
	return fuzz_expect(result);
}

bool call_counts(void)
{
	struct idle_latency_counts *counts = memory_place(sizeof(*counts));

	memory_mark(counts, sizeof(*counts));
	return fuzz_expect_one(device_counts(fuzz_file(), counts), 0) &&
	       fuzz_check(model_counted(counts));
}

bool call_counts_pointer(void)
{
	void *argument = memory_bad(sizeof(struct idle_latency_counts), false);

	return fuzz_expect_one(device_counts(fuzz_file(), argument), -EFAULT);
}

/* What the kernel fills in may say anything before. */
static struct idle_latency_state *place_state(__u32 cpu, __u32 index)
{
	struct idle_latency_state *state = memory_place(sizeof(*state));

	memory_mark(state, sizeof(*state));
	memset(state->padding, 0, sizeof(state->padding));
	state->cpu = cpu;
	state->state = index;
	return state;
}

static bool ask(struct idle_latency_state *state)
{
	if (state->padding[0] || state->padding[1] || state->padding[2])
		fuzz_may(-EINVAL);
	find_state(state->cpu, state->state);
	if (!made.may.count)
		fuzz_may(0);
	return fuzz_expect(device_state(fuzz_file(), state));
}

/* The answer is always the same. */
bool call_state(void)
{
	const struct machine_cpu *cpu = choose_cpu();
	__u32 index = dice_below(&dice, cpu->found.count);
	struct idle_latency_state *state = place_state(cpu->cpu, index);

	if (!ask(state))
		return false;
	return !cpu->usable[index] || !memcmp(state, &cpu->known[index], sizeof(*state)) ||
	       fuzz_check("another answer than before");
}

bool call_state_wrong(void)
{
	const struct machine_cpu *cpu = choose_cpu();
	struct idle_latency_state *state = place_state(cpu->cpu, 0);

	switch (dice_below(&dice, 4)) {
	case 0:
		state->padding[dice_below(&dice, 3)] = 1U << dice_below(&dice, 32);
		break;
	case 1:
		state->cpu = dice_scale(&dice, machine.beyond_cpus, ~0U);
		break;
	case 2:
		state->state = dice_scale(&dice, cpu->found.count, ~0U);
		break;
	default:
		if (machine.has_offline_cpu)
			state->cpu = machine.offline_cpu;
		state->state = ~0U;
	}
	return ask(state);
}

/* What can be read but not written is all zero there: state 0 of CPU 0. */
bool call_state_pointer(void)
{
	void *argument = memory_bad(sizeof(struct idle_latency_state), false);

	fuzz_may(-EFAULT);
	find_state(0, 0);
	return fuzz_expect(device_state(fuzz_file(), argument));
}

static bool is_known(unsigned int command)
{
	return command == IDLE_LATENCY_IOC_CONFIG || command == IDLE_LATENCY_IOC_START ||
	       command == IDLE_LATENCY_IOC_STOP || command == IDLE_LATENCY_IOC_COUNTS ||
	       command == IDLE_LATENCY_IOC_STATE;
}

/* A known command, or a number beside it, with something else. */
static unsigned int choose_command(void)
{
	static const unsigned int sizes[] = {
		0, sizeof(struct idle_latency_config),
		sizeof(struct idle_latency_counts),
		sizeof(struct idle_latency_state),
	};
	unsigned int direction = dice_below(&dice, 4);
	unsigned int type = IDLE_LATENCY_IOC_MAGIC;
	unsigned int number = dice_below(&dice, 7);
	unsigned int size = sizes[dice_below(&dice, 4)];

	if (dice_once_in(&dice, 4))
		type += dice_once_in(&dice, 2) ? 1 : -1;
	if (dice_once_in(&dice, 4))
		number = dice_below(&dice, 256);
	if (dice_once_in(&dice, 4))
		size = dice_below(&dice, 1 << _IOC_SIZEBITS);
	return _IOC(direction, type, number, size);
}

bool call_unknown_command(void)
{
	unsigned int command;

	do
		command = choose_command();
	while (is_known(command));
	return fuzz_expect_one(device_call(fuzz_file(), command, memory_place(MEMORY_ROOM)),
			       -ENOTTY);
}

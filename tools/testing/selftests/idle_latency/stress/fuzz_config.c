// SPDX-License-Identifier: GPL-2.0
/* Configurations of the fuzzer. */
#include <errno.h>

#include "fuzz.h"

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

/* The least, the greatest, or some number from low to high. */
static __u64 at_least(struct dice *dice, __u64 low, __u64 high, __u64 greatest)
{
	switch (dice_below(dice, 3)) {
	case 0:
		return low;
	case 1:
		return greatest;
	default:
		return dice_scale(dice, low, high);
	}
}

static __u32 word_at_least(struct dice *dice, __u32 low)
{
	return at_least(dice, low, ~0U, ~0U);
}

static __u64 too_far(struct dice *dice)
{
	return at_least(dice, IDLE_LATENCY_LDIST_MAX_NS + 1, 1ULL << 62, ~0ULL);
}

/* Too small, a multiple of 8 that is too large, or none. */
static __u32 wrong_record_size(struct dice *dice)
{
	switch (dice_below(dice, 3)) {
	case 0:
		return dice_scale(dice, 1, IDLE_LATENCY_RECORD_SIZE_VER0 - 1);
	case 1:
		return 8 * at_least(dice, IDLE_LATENCY_RECORD_SIZE_MAX / 8 + 1,
				    ~0U / 8, ~0U / 8);
	default:
		return 8 * dice_scale(dice, IDLE_LATENCY_RECORD_SIZE_VER0 / 8,
				      IDLE_LATENCY_RECORD_SIZE_MAX / 8 - 1) +
		       1 + dice_below(dice, 7);
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

void fault_apply(struct idle_latency_config *config, enum fault fault,
		 const struct machine *machine, struct dice *dice)
{
	switch (fault) {
	case FAULT_FLAG:
		config->flags |= 1ULL << (2 + dice_below(dice, 62));
		break;
	case FAULT_RECORD_SIZE:
		config->record_size = wrong_record_size(dice);
		break;
	case FAULT_PADDING:
		config->padding = 1U << dice_below(dice, 32);
		break;
	case FAULT_ENTRY:
		config->entry_ns = word_at_least(dice, IDLE_LATENCY_LDIST_MAX_NS + 1);
		break;
	case FAULT_SOURCE:
		config->source = dice_once_in(dice, 3) ? 0 :
			word_at_least(dice, IDLE_LATENCY_SOURCE_NIC + 1);
		break;
	case FAULT_LDIST_REVERSED:
		reverse_ldist(config, dice);
		break;
	case FAULT_LDIST_FROM_ZERO:
		config->ldist_from_ns = 0;
		break;
	case FAULT_LDIST_FROM_FAR:
		config->ldist_from_ns = too_far(dice);
		break;
	case FAULT_LDIST_TO_ZERO:
		config->ldist_to_ns = 0;
		break;
	case FAULT_LDIST_TO_FAR:
		config->ldist_to_ns = too_far(dice);
		break;
	case FAULT_CPU_ABSENT:
		config->cpu = word_at_least(dice, machine->beyond_cpus);
		break;
	case FAULT_CPU_OFFLINE:
		config->cpu = machine->offline_cpu;
		break;
	case FAULT_STATE:
		config->state = word_at_least(dice, machine->cpus[0].found.count);
		break;
	default:
		config->source = choose_source(machine, false, dice);
	}
}

/* A timer that stops in the state is no source. */
static bool source_works_in(const struct machine_cpu *cpu, __u32 state,
			    __u32 source)
{
	return (source != IDLE_LATENCY_SOURCE_HRT && source != IDLE_LATENCY_SOURCE_TDT) ||
	       !(cpu->known[state].flags & IDLE_LATENCY_STATE_TIMER_STOP);
}

static void choose_state(struct idle_latency_config *config,
			 const struct machine *machine, struct dice *dice)
{
	const struct machine_cpu *cpu = choose_cpu(machine, dice);

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

/* 0, one of the two greatest numbers, or some number from 1 to @most. */
static __u64 choose_number(struct dice *dice, __u64 most)
{
	switch (dice_below(dice, 4)) {
	case 0:
		return 0;
	case 1:
		return ~dice_below(dice, 2);
	default:
		return dice_scale(dice, 1, most);
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

/* Mostly what a caller of today knows; also what one of later may know, and the largest. */
static __u32 choose_record_size(struct dice *dice)
{
	switch (dice_below(dice, 4)) {
	case 0:
		return 0;
	case 1:
		return at_least(dice, IDLE_LATENCY_RECORD_SIZE_VER0 / 8,
				IDLE_LATENCY_RECORD_SIZE_MAX / 8,
				IDLE_LATENCY_RECORD_SIZE_MAX / 8) * 8;
	default:
		return sizeof(struct idle_latency_record);
	}
}

void config_choose(struct idle_latency_config *config,
		   const struct machine *machine, struct dice *dice)
{
	*config = (struct idle_latency_config) {
		.source = choose_source(machine, true, dice),
		.samples = choose_number(dice, SAMPLES_MOST),
		.limit_ns = choose_number(dice, 1ULL << 40),
		.entry_ns = choose_entry(dice),
		.record_size = choose_record_size(dice),
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

static bool is_record_size(__u32 size)
{
	return !size || (size >= IDLE_LATENCY_RECORD_SIZE_VER0 &&
			 size <= IDLE_LATENCY_RECORD_SIZE_MAX && size % 8 == 0);
}

static bool is_invalid(const struct idle_latency_config *config)
{
	return !is_record_size(config->record_size) || config->padding ||
	       config->flags & ~CONFIG_FLAGS ||
	       !source_is_known(config->source) ||
	       config->ldist_from_ns > config->ldist_to_ns ||
	       config->entry_ns > IDLE_LATENCY_LDIST_MAX_NS;
}

/* Returns the CPU, or NULL where it has no such state, and why. */
static const struct machine_cpu *find_state(const struct machine *machine, __u32 cpu,
					    __u32 state, struct results *errors)
{
	const struct machine_cpu *found = find_cpu(machine, cpu);

	if (found && state < found->found.count && found->usable[state])
		return found;
	results_add(errors, found ? -ENOENT : -ENXIO);
	return NULL;
}

void config_errors(const struct idle_latency_config *config,
		   const struct machine *machine, struct results *errors)
{
	const struct machine_cpu *cpu =
		find_state(machine, config->cpu, config->state, errors);

	if (is_invalid(config))
		results_add(errors, -EINVAL);
	if (!ldist_in_range(config->source, config->ldist_from_ns) ||
	    !ldist_in_range(config->source, config->ldist_to_ns))
		results_add(errors, -ERANGE);
	if ((cpu && !source_works_in(cpu, config->state, config->source)) ||
	    (source_is_known(config->source) && !machine->has_source[config->source]))
		results_add(errors, -EOPNOTSUPP);
}

void state_errors(const struct idle_latency_state *state,
		  const struct machine *machine, struct results *errors)
{
	if (state->padding[0] || state->padding[1] || state->padding[2])
		results_add(errors, -EINVAL);
	find_state(machine, state->cpu, state->state, errors);
}

bool config_is_productive(const struct idle_latency_config *config)
{
	/* State 0 polls, and may be left long before the event. */
	return config->state && config->ldist_to_ns >= TEST_LDIST_TO_NS &&
	       config->entry_ns <= ENTRY_NS_DEFAULT;
}

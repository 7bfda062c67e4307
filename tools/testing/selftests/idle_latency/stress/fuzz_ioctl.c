// SPDX-License-Identifier: GPL-2.0
/* The ioctl() commands that the fuzzer gives. */
#include <errno.h>
#include <string.h>

#include <sys/ioctl.h>

#include "fuzz.h"

/* Of one configuration */
#define FAULTS_MOST 3

/* Of a configuration that did not do what it must. */
static bool add_config(struct text *text, const struct idle_latency_config *config,
		       enum fault fault)
{
	text_add(text,
		 "; flags %#llx ldist %llu-%llu samples %llu limit %llu cpu %u state %u source %u entry %u record %u padding %#x",
		 config->flags, config->ldist_from_ns, config->ldist_to_ns,
		 config->samples, config->limit_ns, config->cpu, config->state,
		 config->source, config->entry_ns, config->record_size,
		 config->padding);
	if (fault < FAULTS)
		text_add(text, "; %s", fault_name(fault));
	return false;
}

/* @fault: the only one, or FAULTS where there is none, or several */
static bool configure(struct fuzz *fuzz, const struct idle_latency_config *config,
		      enum fault fault)
{
	void *argument = memory_place(&fuzz->memory, sizeof(*config));
	struct results expected = { };
	int result;

	config_errors(config, &fuzz->machine, &expected);
	model_expect_config(&fuzz->model, &expected);
	memcpy(argument, config, sizeof(*config));
	result = device_config(fuzz_file(fuzz), argument);
	if (!fuzz_expect(fuzz, result, &expected))
		return add_config(&fuzz->wrong, config, fault);
	fuzz->faults[fault] += result != -EBUSY;
	if (!result)
		model_configured(&fuzz->model, config);
	return true;
}

bool call_config(struct fuzz *fuzz)
{
	struct idle_latency_config config;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	return configure(fuzz, &config, FAULTS);
}

static enum fault choose_fault(struct fuzz *fuzz, enum fault from,
			       enum fault to)
{
	enum fault fault;

	do
		fault = from + dice_below(&fuzz->dice, to - from);
	while (!fault_is_possible(&fuzz->machine, fault));
	return fault;
}

/* With one fault, or with several, of which one is seen without the machine. */
bool call_config_wrong(struct fuzz *fuzz)
{
	enum fault fault = choose_fault(fuzz, 0, FAULT_STATE);
	struct idle_latency_config config;
	bool alone;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	alone = dice_once_in(&fuzz->dice, 2);
	for (__u64 i = alone ? 0 : dice_below(&fuzz->dice, FAULTS_MOST); i; i--)
		fault_apply(&config, choose_fault(fuzz, 0, FAULTS),
			    &fuzz->machine, &fuzz->dice);
	fault_apply(&config, fault, &fuzz->machine, &fuzz->dice);
	return configure(fuzz, &config, alone ? fault : FAULTS);
}

/* Right, but not on this machine, or not possible everywhere. */
bool call_config_absent(struct fuzz *fuzz)
{
	struct idle_latency_config config;
	enum fault fault;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	fault = choose_fault(fuzz, FAULT_STATE, FAULTS);
	fault_apply(&config, fault, &fuzz->machine, &fuzz->dice);
	return configure(fuzz, &config, fault);
}

bool call_config_pointer(struct fuzz *fuzz)
{
	void *argument = memory_bad(&fuzz->memory, sizeof(struct idle_latency_config),
				    true, &fuzz->dice);
	struct results expected = RESULTS(-EFAULT);

	model_expect_config(&fuzz->model, &expected);
	return fuzz_expect(fuzz, device_config(fuzz_file(fuzz), argument), &expected);
}

bool call_start(struct fuzz *fuzz)
{
	struct results expected = { };
	int result;

	model_expect_start(&fuzz->model, &expected);
	result = device_start(fuzz_file(fuzz));
	if (!result)
		model_started(&fuzz->model);
	return fuzz_expect(fuzz, result, &expected);
}

bool call_stop(struct fuzz *fuzz)
{
	struct results expected = { };
	int result;

	model_expect_stop(&fuzz->model, &expected);
	result = device_stop(fuzz_file(fuzz));
	if (result)
		model_ended(&fuzz->model);
	else
		fuzz->model.phase = PHASE_STILL;
	return fuzz_expect(fuzz, result, &expected);
}

bool call_counts(struct fuzz *fuzz)
{
	struct idle_latency_counts *counts = memory_place(&fuzz->memory,
							  sizeof(*counts));

	memory_mark(counts, sizeof(*counts));
	return fuzz_expect_one(fuzz, device_counts(fuzz_file(fuzz), counts), 0) &&
	       fuzz_check(fuzz, model_counted(&fuzz->model, counts));
}

bool call_counts_pointer(struct fuzz *fuzz)
{
	void *argument = memory_bad(&fuzz->memory, sizeof(struct idle_latency_counts),
				    false, &fuzz->dice);

	return fuzz_expect_one(fuzz, device_counts(fuzz_file(fuzz), argument), -EFAULT);
}

/* What the kernel fills in may say anything before. */
static struct idle_latency_state *place_state(const struct fuzz *fuzz,
					      __u32 cpu, __u32 index)
{
	struct idle_latency_state *state = memory_place(&fuzz->memory,
							sizeof(*state));

	memory_mark(state, sizeof(*state));
	memset(state->padding, 0, sizeof(state->padding));
	state->cpu = cpu;
	state->state = index;
	return state;
}

static bool ask(struct fuzz *fuzz, struct idle_latency_state *state)
{
	struct results expected = { };

	state_errors(state, &fuzz->machine, &expected);
	if (!expected.count)
		results_add(&expected, 0);
	return fuzz_expect(fuzz, device_state(fuzz_file(fuzz), state), &expected);
}

/* The answer is always the same. */
bool call_state(struct fuzz *fuzz)
{
	const struct machine_cpu *cpu = choose_cpu(&fuzz->machine, &fuzz->dice);
	__u32 index = dice_below(&fuzz->dice, cpu->found.count);
	struct idle_latency_state *state = place_state(fuzz, cpu->cpu, index);

	if (!ask(fuzz, state))
		return false;
	return !cpu->usable[index] || !memcmp(state, &cpu->known[index], sizeof(*state)) ||
	       fuzz_check(fuzz, "another answer than before");
}

bool call_state_wrong(struct fuzz *fuzz)
{
	const struct machine_cpu *cpu = choose_cpu(&fuzz->machine, &fuzz->dice);
	struct idle_latency_state *state = place_state(fuzz, cpu->cpu, 0);
	struct dice *dice = &fuzz->dice;

	switch (dice_below(dice, 4)) {
	case 0:
		state->padding[dice_below(dice, 3)] = 1U << dice_below(dice, 32);
		break;
	case 1:
		state->cpu = dice_scale(dice, fuzz->machine.beyond_cpus, ~0U);
		break;
	case 2:
		state->state = dice_scale(dice, cpu->found.count, ~0U);
		break;
	default:
		if (fuzz->machine.has_offline_cpu)
			state->cpu = fuzz->machine.offline_cpu;
		state->state = ~0U;
	}
	return ask(fuzz, state);
}

/* What can be read but not written is all zero there: state 0 of CPU 0. */
bool call_state_pointer(struct fuzz *fuzz)
{
	const struct idle_latency_state zero = { };
	struct results expected = RESULTS(-EFAULT);
	void *argument = memory_bad(&fuzz->memory, sizeof(zero), false, &fuzz->dice);

	state_errors(&zero, &fuzz->machine, &expected);
	return fuzz_expect(fuzz, device_state(fuzz_file(fuzz), argument), &expected);
}

static bool is_known(unsigned int command)
{
	return command == IDLE_LATENCY_IOC_CONFIG ||
	       command == IDLE_LATENCY_IOC_START ||
	       command == IDLE_LATENCY_IOC_STOP ||
	       command == IDLE_LATENCY_IOC_COUNTS ||
	       command == IDLE_LATENCY_IOC_STATE;
}

/* A known command, or a number beside it, with something else. */
static unsigned int choose_command(struct dice *dice)
{
	static const unsigned int sizes[] = {
		0, sizeof(struct idle_latency_config),
		sizeof(struct idle_latency_counts),
		sizeof(struct idle_latency_state),
	};
	unsigned int direction = dice_below(dice, 4);
	unsigned int type = IDLE_LATENCY_IOC_MAGIC;
	unsigned int number = dice_below(dice, 7);
	unsigned int size = sizes[dice_below(dice, 4)];

	if (dice_once_in(dice, 4))
		type += dice_once_in(dice, 2) ? 1 : -1;
	if (dice_once_in(dice, 4))
		number = dice_below(dice, 256);
	if (dice_once_in(dice, 4))
		size = dice_below(dice, 1 << _IOC_SIZEBITS);
	return _IOC(direction, type, number, size);
}

bool call_unknown_command(struct fuzz *fuzz)
{
	unsigned int command;
	int result;

	do
		command = choose_command(&fuzz->dice);
	while (is_known(command));
	result = ioctl(fuzz_file(fuzz), command, fuzz->memory.begin);
	return fuzz_expect_one(fuzz, result ? -errno : 0, -ENOTTY);
}

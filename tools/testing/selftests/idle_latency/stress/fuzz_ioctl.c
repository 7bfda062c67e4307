// SPDX-License-Identifier: GPL-2.0
/* The ioctl() commands that the fuzzer gives. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sys/ioctl.h>

#include "fuzz.h"

/* Of one configuration */
#define FAULTS_MOST 3

/* Adds to what is wrong, and returns false. */
static bool add_wrong(struct fuzz *fuzz, const char *text)
{
	size_t used = strlen(fuzz->wrong);

	snprintf(fuzz->wrong + used, sizeof(fuzz->wrong) - used, "; %s", text);
	return false;
}

static bool configure(struct fuzz *fuzz, enum call call,
		      const struct idle_latency_config *config, int *result)
{
	void *argument = memory_place(&fuzz->memory, sizeof(*config));
	struct results errors = { }, expected = { };
	char text[256];

	config_errors(config, &fuzz->machine, &errors);
	model_expect_config(&fuzz->model, &errors, &expected);
	memcpy(argument, config, sizeof(*config));
	*result = device_config(fuzz_file(fuzz), argument);
	if (!fuzz_expect(fuzz, call, *result, &expected)) {
		config_print(config, text, sizeof(text));
		return add_wrong(fuzz, text);
	}
	if (!*result)
		model_configured(&fuzz->model, config);
	return true;
}

bool call_config(struct fuzz *fuzz)
{
	struct idle_latency_config config;
	int result;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	return configure(fuzz, CALL_CONFIG, &config, &result);
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

static bool configure_with_fault(struct fuzz *fuzz, enum call call,
				 struct idle_latency_config *config,
				 enum fault fault)
{
	int result;

	fault_apply(config, fault, &fuzz->machine, &fuzz->dice);
	if (!configure(fuzz, call, config, &result))
		return add_wrong(fuzz, fault_name(fault));
	fuzz->tally.faults[fault] += result != -EBUSY;
	return true;
}

/* With one fault, or with several, of which one is seen without the machine. */
bool call_config_wrong(struct fuzz *fuzz)
{
	enum fault fault = choose_fault(fuzz, 0, FAULT_STATE);
	struct idle_latency_config config;
	int result;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	if (dice_once_in(&fuzz->dice, 2))
		return configure_with_fault(fuzz, CALL_CONFIG_WRONG, &config,
					    fault);
	for (__u64 i = dice_below(&fuzz->dice, FAULTS_MOST); i; i--)
		fault_apply(&config, choose_fault(fuzz, 0, FAULTS),
			    &fuzz->machine, &fuzz->dice);
	fault_apply(&config, fault, &fuzz->machine, &fuzz->dice);
	return configure(fuzz, CALL_CONFIG_WRONG, &config, &result);
}

/* Right, but not on this machine, or not possible everywhere. */
bool call_config_absent(struct fuzz *fuzz)
{
	struct idle_latency_config config;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	return configure_with_fault(fuzz, CALL_CONFIG_ABSENT, &config,
				    choose_fault(fuzz, FAULT_STATE, FAULTS));
}

bool call_config_pointer(struct fuzz *fuzz)
{
	const struct results errors = { .result = { -EFAULT }, .count = 1 };
	struct results expected = { };
	void *argument = memory_bad(&fuzz->memory,
				    sizeof(struct idle_latency_config), true,
				    &fuzz->dice);

	model_expect_config(&fuzz->model, &errors, &expected);
	return fuzz_expect(fuzz, CALL_CONFIG_POINTER,
			   device_config(fuzz_file(fuzz), argument), &expected);
}

bool call_start(struct fuzz *fuzz)
{
	struct results expected = { };
	int result;

	model_expect_start(&fuzz->model, &expected);
	result = device_start(fuzz_file(fuzz));
	if (!fuzz_expect(fuzz, CALL_START, result, &expected))
		return false;
	if (!result)
		model_started(&fuzz->model);
	return true;
}

bool call_stop(struct fuzz *fuzz)
{
	struct results expected = { };
	int result;

	model_expect_stop(&fuzz->model, &expected);
	result = device_stop(fuzz_file(fuzz));
	if (!fuzz_expect(fuzz, CALL_STOP, result, &expected))
		return false;
	if (result)
		model_ended(&fuzz->model);
	else
		model_stopped(&fuzz->model);
	return true;
}

bool call_counts(struct fuzz *fuzz)
{
	struct idle_latency_counts *counts = memory_place(&fuzz->memory,
							  sizeof(*counts));
	int result;

	memory_mark(counts, sizeof(*counts));
	result = device_counts(fuzz_file(fuzz), counts);
	return fuzz_expect_one(fuzz, CALL_COUNTS, result, 0) &&
	       fuzz_check(fuzz, CALL_COUNTS,
			  model_counted(&fuzz->model, counts));
}

bool call_counts_pointer(struct fuzz *fuzz)
{
	void *argument = memory_bad(&fuzz->memory,
				    sizeof(struct idle_latency_counts), false,
				    &fuzz->dice);

	return fuzz_expect_one(fuzz, CALL_COUNTS_POINTER,
			       device_counts(fuzz_file(fuzz), argument),
			       -EFAULT);
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

static bool ask(struct fuzz *fuzz, enum call call,
		struct idle_latency_state *state)
{
	struct results expected = { };

	state_errors(state, &fuzz->machine, &expected);
	if (!expected.count)
		results_add(&expected, 0);
	return fuzz_expect(fuzz, call, device_state(fuzz_file(fuzz), state),
			   &expected);
}

static const struct machine_cpu *choose_cpu(struct fuzz *fuzz)
{
	return &fuzz->machine.cpus[dice_below(&fuzz->dice,
					      fuzz->machine.cpu_count)];
}

/* The answer is always the same. */
bool call_state(struct fuzz *fuzz)
{
	const struct machine_cpu *cpu = choose_cpu(fuzz);
	struct idle_latency_state *state;
	__u32 index;

	index = dice_below(&fuzz->dice, cpu->found.count);
	state = place_state(fuzz, cpu->cpu, index);
	if (!ask(fuzz, CALL_STATE, state))
		return false;
	if (cpu->usable[index] &&
	    memcmp(state, &cpu->known[index], sizeof(*state)))
		return fuzz_wrong(fuzz, "STATE: another answer than before");
	return true;
}

bool call_state_wrong(struct fuzz *fuzz)
{
	const struct machine_cpu *cpu = choose_cpu(fuzz);
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
	return ask(fuzz, CALL_STATE_WRONG, state);
}

/* What can be read but not written is all zero there: state 0 of CPU 0. */
bool call_state_pointer(struct fuzz *fuzz)
{
	const struct idle_latency_state zero = { };
	struct results expected = { .result = { -EFAULT }, .count = 1 };
	void *argument = memory_bad(&fuzz->memory, sizeof(zero), false,
				    &fuzz->dice);

	state_errors(&zero, &fuzz->machine, &expected);
	return fuzz_expect(fuzz, CALL_STATE_POINTER,
			   device_state(fuzz_file(fuzz), argument), &expected);
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
	return fuzz_expect_one(fuzz, CALL_UNKNOWN_COMMAND,
			       result ? -errno : 0, -ENOTTY);
}

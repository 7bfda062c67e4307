/* SPDX-License-Identifier: GPL-2.0 */
/* Configurations, right and wrong, and what is wrong with them. */
#ifndef FUZZ_CONFIG_H
#define FUZZ_CONFIG_H

#include "fuzz_machine.h"

/* Ways to make a configuration wrong. */
enum fault {
	FAULT_FLAG,
	FAULT_RECORD_SIZE,
	FAULT_PADDING,
	FAULT_ENTRY,
	FAULT_SOURCE,
	FAULT_LDIST_REVERSED,
	FAULT_LDIST_FROM_ZERO,
	FAULT_LDIST_FROM_FAR,
	FAULT_LDIST_TO_ZERO,
	FAULT_LDIST_TO_FAR,
	FAULT_CPU_ABSENT,
	FAULT_CPU_OFFLINE,
	/* From here on, the kernel has to look at the idle states. */
	FAULT_STATE,
	FAULT_SOURCE_ABSENT,
	FAULTS
};

const char *fault_name(enum fault fault);
/* The machine can have it. */
bool fault_is_possible(const struct machine *machine, enum fault fault);
void fault_apply(struct idle_latency_config *config, enum fault fault,
		 const struct machine *machine, struct dice *dice);

void config_choose(struct idle_latency_config *config,
		   const struct machine *machine, struct dice *dice);
/* Every error that applies; none where the configuration is right. */
void config_errors(const struct idle_latency_config *config,
		   const struct machine *machine, struct results *errors);
/* Likewise when the device is asked for a state. */
void state_errors(const struct idle_latency_state *state,
		  const struct machine *machine, struct results *errors);
/* A session of it delivers records whenever the CPU is idle. */
bool config_is_productive(const struct idle_latency_config *config);
void config_print(const struct idle_latency_config *config, char *text,
		  size_t size);

#endif

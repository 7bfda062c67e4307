// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "fuzz_calls.h"

/* How often a call is made among others, in each phase of a session. */
struct choice {
	bool (*make)(struct fuzz *fuzz);
	unsigned int weight[PHASES];
};

/*
 * Those that wait for the kernel, such as a START that succeeds, take as long
 * as thousands of others, and are as much rarer.
 */
static const struct choice choices[] = {
	/*                        closed  still  maybe   runs */
	{ call_open,              {   100,   300,   300,   300 } },
	{ call_open_unprivileged, {    50,   100,   100,   100 } },
	{ call_open_direct,       {    20,   100,   100,   100 } },
	{ call_dup,               {     0,    30,    30,    30 } },
	{ call_close,             {     0,    30,    20,    20 } },
	{ call_child,             {     0,     2,     2,     2 } },
	{ call_nonblock,          {     0,   100,   100,   100 } },
	{ call_unsupported,       {     0,   500,   500,   500 } },
	{ call_config,            {     0,    15,     5,   300 } },
	{ call_config_wrong,      {     0,  2000,  1000,  1000 } },
	{ call_config_absent,     {     0,    10,     5,   200 } },
	{ call_config_pointer,    {     0,   300,   200,   200 } },
	{ call_start,             {     0,    25,     5,   300 } },
	{ call_stop,              {     0,   500,     5,     5 } },
	{ call_counts,            {     0,  1000,  1500,  1500 } },
	{ call_counts_pointer,    {     0,   200,   200,   200 } },
	{ call_state,             {     0,   100,   100,   100 } },
	{ call_state_wrong,       {     0,   200,   100,   100 } },
	{ call_state_pointer,     {     0,   100,   100,   100 } },
	{ call_unknown_command,   {     0,  1500,  1000,  1000 } },
	{ call_read,              {     0,  1000,  1500,  1500 } },
	{ call_read_waiting,      {     0,   300,    10,    10 } },
	{ call_read_signalled,    {     0,   100,    20,    20 } },
	{ call_read_short,        {     0,   200,   200,   200 } },
	{ call_read_partial,      {     0,   500,   300,   300 } },
	{ call_read_pointer,      {     0,   500,   300,   300 } },
	{ call_poll,              {     0,   500,   500,   500 } },
	{ call_poll_filling,      {     0,     0,     0,    40 } },
	{ call_sleep,             {     1,     1,   100,   100 } },
	{ call_look,              {    10,     5,     5,     5 } },
	{ call_enter,             {     1,     1,     0,     0 } },
	{ call_toggle,            {     5,     5,     5,     5 } },
};

#define CHOICES (sizeof(choices) / sizeof(*choices))

static unsigned int sum_weights(enum phase phase)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < CHOICES; i++)
		sum += choices[i].weight[phase];
	return sum;
}

bool fuzz_any_call(struct fuzz *fuzz)
{
	static unsigned int sums[PHASES];
	enum phase phase = fuzz->model.phase;
	const struct choice *choice = choices;
	unsigned int chosen;

	if (!sums[phase])
		sums[phase] = sum_weights(phase);
	chosen = dice_below(&fuzz->dice, sums[phase]);
	while (chosen >= choice->weight[phase])
		chosen -= (choice++)->weight[phase];
	return choice->make(fuzz);
}

bool call_sleep(struct fuzz *fuzz)
{
	const struct timespec time = {
		.tv_nsec = dice_scale(&fuzz->dice, 1000, 1000000),
	};

	tally_add(&fuzz->tally, CALL_SLEEP, 0);
	nanosleep(&time, NULL);
	return true;
}

bool call_look(struct fuzz *fuzz)
{
	tally_add(&fuzz->tally, CALL_LOOK, 0);
	return fuzz_check(fuzz, CALL_LOOK,
			  machine_look(&fuzz->machine, &fuzz->model));
}

bool call_enter(struct fuzz *fuzz)
{
	tally_add(&fuzz->tally, CALL_ENTER, 0);
	return fuzz_check(fuzz, CALL_ENTER, machine_enter(&fuzz->machine));
}

bool call_toggle(struct fuzz *fuzz)
{
	tally_add(&fuzz->tally, CALL_TOGGLE, 0);
	return fuzz_check(fuzz, CALL_TOGGLE,
			  machine_toggle(&fuzz->machine, &fuzz->dice));
}

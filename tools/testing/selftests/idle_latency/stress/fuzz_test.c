// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of /dev/idle_latency, of which each must do what the interface
 * says: fuzz_test [CALLS [SEED]]. The same seed makes the same calls, as far as
 * the results, which depend on time, are the same.
 */
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "stress.h"

#define CALLS_DEFAULT	20000
#define SEED_DEFAULT	1

/* With so many, each result that the machine can have is seen. */
#define CALLS_FOR_ALL	100000

#define SAMPLES		16

static bool call_sleep(struct fuzz *fuzz)
{
	const struct timespec time = {
		.tv_nsec = dice_scale(&fuzz->dice, 1000, 1000000),
	};

	tally_add(&fuzz->tally, CALL_SLEEP, 0);
	nanosleep(&time, NULL);
	return true;
}

static bool call_look(struct fuzz *fuzz)
{
	tally_add(&fuzz->tally, CALL_LOOK, 0);
	return fuzz_check(fuzz, CALL_LOOK,
			  machine_look(&fuzz->machine, &fuzz->model));
}

static bool call_enter(struct fuzz *fuzz)
{
	tally_add(&fuzz->tally, CALL_ENTER, 0);
	return fuzz_check(fuzz, CALL_ENTER, machine_enter(&fuzz->machine));
}

static bool call_toggle(struct fuzz *fuzz)
{
	tally_add(&fuzz->tally, CALL_TOGGLE, 0);
	return fuzz_check(fuzz, CALL_TOGGLE,
			  machine_toggle(&fuzz->machine, &fuzz->dice));
}

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

static unsigned int sum_weights(enum phase phase)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		sum += choices[i].weight[phase];
	return sum;
}

/* One of all, chosen by chance. */
static bool fuzz_any_call(struct fuzz *fuzz)
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

static struct fuzz fuzz;

static __u64 argument(int argc, char **argv, int i, __u64 otherwise)
{
	__u64 number;

	if (i >= argc)
		return otherwise;
	if (!parse_number(argv[i], &number))
		ksft_exit_fail_msg("usage: fuzz_test [CALLS [SEED]]\n");
	return number;
}

static bool make_calls(__u64 calls)
{
	for (__u64 i = 0; i < calls; i++) {
		if (fuzz_any_call(&fuzz))
			continue;
		ksft_print_msg("call %llu: %s\n", i, fuzz.wrong);
		return false;
	}
	return true;
}

/* Whatever happened before, all is as it was now. */
static const char *look_behind(void)
{
	const char *wrong;

	if (!fuzz_close_all(&fuzz))
		return fuzz.wrong;
	wrong = machine_restore(&fuzz.machine);
	if (!wrong)
		wrong = machine_look(&fuzz.machine, &fuzz.model);
	if (!wrong)
		wrong = machine_enter(&fuzz.machine);
	return wrong;
}

static const char *read_session(int fd,
				const struct idle_latency_config *config)
{
	struct reader reader = { .fd = fd, .config = config };

	if (device_begin(fd, config))
		return "it cannot be started";
	if (reader_read(&reader, NULL, SAMPLES + 1) != SAMPLES)
		return "it has not as many records as asked for";
	if (reader_drain(&reader))
		return reader.wrong ?: "it ended with an error";
	return NULL;
}

static const char *normal_session(void)
{
	struct idle_latency_config config;
	const char *wrong;
	int fd;

	if (!machine_config(&config))
		return "no idle states";
	config.samples = SAMPLES;
	fd = device_open(0);
	if (fd < 0)
		return "the device cannot be opened";
	alarm(PATIENCE_S);
	wrong = read_session(fd, &config);
	if (!alarm(0))
		wrong = "nobody woke its reader";
	close(fd);
	return wrong;
}

static void report(const char *wrong, const char *name)
{
	if (wrong)
		ksft_print_msg("%s\n", wrong);
	ksft_test_result(!wrong, "%s\n", name);
}

static void report_results(__u64 calls)
{
	unsigned int missing = tally_missing(&fuzz.tally, &fuzz.machine);

	if (calls < CALLS_FOR_ALL)
		ksft_test_result_skip("each result was seen: needs %d calls\n",
				      CALLS_FOR_ALL);
	else
		ksft_test_result(!missing, "each result was seen\n");
}

static void prepare(void)
{
	const char *obstacle = machine_find(&fuzz.machine);

	if (obstacle)
		ksft_exit_skip("%s\n", obstacle);
	if (!memory_map(&fuzz.memory) || !fuzz_take_alarms())
		ksft_exit_fail_perror("no memory or no signals");
}

int main(int argc, char **argv)
{
	__u64 calls = argument(argc, argv, 1, CALLS_DEFAULT);
	__u64 seed = argument(argc, argv, 2, SEED_DEFAULT);
	bool fine;

	stress_begin("fuzz_test disables and enables idle states of up to 8 CPUs", NULL);
	stress_take_card();
	ksft_print_header();
	prepare();
	ksft_set_plan(4);
	ksft_print_msg("%llu calls, seed %llu\n", calls, seed);
	fuzz.dice.state = seed;
	fine = make_calls(calls);
	tally_print(&fuzz.tally);
	ksft_test_result(fine, "each call did what it must\n");
	report_results(calls);
	report(look_behind(), "the machine is as it was");
	report(normal_session(), "a normal session works");
	ksft_finished();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of /dev/idle_latency, of which each must do what the interface
 * says: fuzz_test [CALLS [SEED]]. The same seed makes the same calls, as far as
 * the results, which depend on time, are the same.
 */
#include <unistd.h>

#include "fuzz_calls.h"
#include "idle_latency_util.h"

#define CALLS_DEFAULT	20000
#define SEED_DEFAULT	1

/* With so many, each result that the machine can have is seen. */
#define CALLS_FOR_ALL	100000

#define SAMPLES		16

/* A session of so few takes a small part of that. */
#define PATIENCE_S	3

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

	machine_required();
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

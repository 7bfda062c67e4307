// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of /dev/idle_latency, of which each must do what the interface
 * says: fuzz_test [CALLS [SEED]]. The same seed makes the same calls, as far as
 * the results, which depend on time, are the same.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "fuzz.h"
#include "stress.h"

#define CALLS_DEFAULT	20000
#define SEED_DEFAULT	1

/* Results that are told apart: those that fail, and 0 to 63. */
#define TALLY_ERRORS	134
#define TALLY_RESULTS	(TALLY_ERRORS + 64)

/* With so many, each result that the machine can have is seen. */
#define CALLS_FOR_ALL	100000

#define SAMPLES		16

/*
 * Those that wait for the kernel, such as a START that succeeds, take as long
 * as thousands of others, and are as much rarer.
 */
static const struct call calls[] = {
	/* weights: closed, still, maybe, runs */
	{ "open", call_open, { 100, 300, 300, 300 }, RESULTS(0) },
	{ "open without CAP_SYS_ADMIN", call_open_unprivileged, { 50, 100, 100, 100 },
	  RESULTS(-EPERM) },
	{ "open with O_DIRECT", call_open_direct, { 20, 100, 100, 100 }, RESULTS(-EINVAL) },
	{ "dup", call_dup, { 0, 30, 30, 30 }, RESULTS(0) },
	{ "close", call_close, { 0, 30, 20, 20 }, RESULTS(0) },
	{ "close in a child", call_child, { 0, 2, 2, 2 }, RESULTS(0) },
	{ "fcntl O_NONBLOCK", call_nonblock, { 0, 100, 100, 100 }, RESULTS(0) },
	{ "CONFIG", call_config, { 0, 15, 5, 300 }, RESULTS(0, -EBUSY) },
	{ "CONFIG, wrong", call_config_wrong, { 0, 2000, 1000, 1000 },
	  RESULTS(-EINVAL, -ERANGE, -ENXIO) },
	{ "CONFIG, not on this machine", call_config_absent, { 0, 10, 5, 200 }, RESULTS(-ENOENT) },
	{ "CONFIG, bad pointer", call_config_pointer, { 0, 300, 200, 200 }, RESULTS(-EFAULT) },
	{ "START", call_start, { 0, 25, 5, 300 }, RESULTS(0, -EBUSY, -EINVAL) },
	{ "START of another file", call_start_another, { 0, 5, 2, 60 }, RESULTS(0, -EBUSY) },
	{ "STOP", call_stop, { 0, 500, 5, 5 }, RESULTS(0, -EINVAL) },
	{ "COUNTS", call_counts, { 0, 1000, 1500, 1500 }, RESULTS(0) },
	{ "COUNTS, bad pointer", call_counts_pointer, { 0, 200, 200, 200 }, RESULTS(-EFAULT) },
	{ "STATE", call_state, { 0, 100, 100, 100 }, RESULTS(0) },
	{ "STATE, wrong", call_state_wrong, { 0, 200, 100, 100 },
	  RESULTS(-EINVAL, -ENXIO, -ENOENT) },
	{ "STATE, bad pointer", call_state_pointer, { 0, 100, 100, 100 }, RESULTS(-EFAULT) },
	{ "unknown command", call_unknown_command, { 0, 1500, 1000, 1000 }, RESULTS(-ENOTTY) },
	{ "read", call_read, { 0, 1000, 1500, 1500 }, RESULTS(1, 0, -EINVAL, -EAGAIN, -EBADF) },
	{ "read, waiting", call_read_waiting, { 0, 300, 10, 10 }, RESULTS(1, 0) },
	{ "read, with signals", call_read_signalled, { 0, 100, 20, 20 }, RESULTS(1, -EINTR) },
	{ "read, less than a record", call_read_short, { 0, 200, 200, 200 }, RESULTS(-EINVAL) },
	{ "read, too little memory", call_read_partial, { 0, 500, 300, 300 }, RESULTS(1) },
	{ "read, until the memory was full", call_read_full, { 0, 0, 0, 0 }, RESULTS(1) },
	{ "read, bad pointer", call_read_pointer, { 0, 500, 300, 300 }, RESULTS(-EFAULT) },
	{ "poll", call_poll, { 0, 500, 500, 500 }, RESULTS(0, POLLIN | POLLHUP) },
	{ "poll until half of the buffer is filled", call_poll_filling, { 0, 0, 0, 40 },
	  RESULTS(POLLIN) },
	{ "what the device cannot do", call_unsupported, { 0, 500, 500, 500 },
	  RESULTS(-EINVAL, -EBADF, -ESPIPE, -ENODEV) },
	{ "sleep", call_sleep, { 1, 1, 100, 100 }, { } },
	{ "look at the machine", call_look, { 10, 5, 5, 5 }, RESULTS(0) },
	{ "enter each idle state", call_enter, { 1, 1, 0, 0 }, { } },
	{ "disable or enable a state", call_toggle, { 5, 5, 5, 5 }, RESULTS(0) },
};

struct dice dice;
struct made made;
struct text fuzz_wrong;

#define CALLS ARRAY_SIZE(calls)

/* How often each call had each result. */
static __u64 seen[CALLS][TALLY_RESULTS];

bool results_have(const struct results *results, int result)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->result[i] == result)
			return true;
	return false;
}

void text_add_result(struct text *text, int result)
{
	text_add(text, "%d", result);
	if (result < 0)
		text_add(text, " (%s)", strerror(-result));
}

void text_add_results(struct text *text, const struct results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		text_add(text, i ? " or " : "");
		text_add_result(text, results->result[i]);
	}
}

bool fuzz_make(fuzz_call *make)
{
	const struct made outer = made;
	bool fine;

	made = (struct made) { .call = calls };
	while (made.call->make != make)
		made.call++;
	fine = make();
	made = outer;
	return fine;
}

void fuzz_may(int result)
{
	if (!results_have(&made.may, result) && made.may.count < RESULTS_MAX)
		made.may.result[made.may.count++] = result;
}

__u64 *fuzz_counter(const struct call *call, int result)
{
	return &seen[call - calls][result < 0 ? -result : TALLY_ERRORS + result];
}

void fuzz_count(int result)
{
	(*fuzz_counter(made.call, result))++;
}

bool fuzz_expect(int result)
{
	fuzz_count(result);
	if (results_have(&made.may, result))
		return true;
	text_add(&fuzz_wrong, "%s: got ", made.call->name);
	text_add_result(&fuzz_wrong, result);
	text_add(&fuzz_wrong, ", expected ");
	text_add_results(&fuzz_wrong, &made.may);
	return false;
}

bool fuzz_expect_one(int result, int expected)
{
	fuzz_may(expected);
	return fuzz_expect(result);
}

bool fuzz_check(const char *what)
{
	if (what)
		text_add(&fuzz_wrong, "%s: %s", made.call->name, what);
	return !what;
}

#define MARK 0xa5

/* The page that cannot be used, and one that can only be read. */
static char *guard, *read_only;

static void *map(size_t size, int protection)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

bool memory_map(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *room = map(MEMORY_ROOM + page, PROT_READ | PROT_WRITE);

	read_only = map(page, PROT_READ);
	guard = room + MEMORY_ROOM;
	return room != MAP_FAILED && read_only != MAP_FAILED && !mprotect(guard, page, PROT_NONE);
}

void *memory_place(size_t size)
{
	return guard - size;
}

void *memory_bad(size_t size, bool reading)
{
	/* Not mapped, of the kernel, and of nobody. */
	static const unsigned long nowhere[] = {
		0, 1, 1UL << (8 * sizeof(long) - 1), ~0UL, ~0UL << 12,
	};
	__u64 chosen = dice_below(&dice, 8);

	if (chosen < ARRAY_SIZE(nowhere))
		return (void *)nowhere[chosen];
	return chosen == 5 && !reading ? read_only : guard - dice_below(&dice, size);
}

void memory_mark(void *bytes, size_t size)
{
	memset(bytes, MARK, size);
}

bool memory_is_marked(const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	/* Each byte is like the one before it. */
	return !size || (*byte == MARK && !memcmp(byte, byte + 1, size - 1));
}

/* One of all, chosen by chance. */
static bool fuzz_any_call(void)
{
	const struct call *call = calls;
	unsigned int chosen, sum = 0;

	for (size_t i = 0; i < CALLS; i++)
		sum += calls[i].weight[model.phase];
	chosen = dice_below(&dice, sum);
	while (chosen >= call->weight[model.phase])
		chosen -= (call++)->weight[model.phase];
	return fuzz_make(call->make);
}

static void print_call(const struct call *call)
{
	char memory[512];
	struct text text = text_begin(memory, sizeof(memory));

	for (int i = -TALLY_ERRORS + 1; i < TALLY_RESULTS - TALLY_ERRORS; i++) {
		__u64 count = *fuzz_counter(call, i);

		if (!count)
			continue;
		text_add(&text, text.used ? ", " : "");
		text_add_result(&text, i);
		text_add(&text, ": %llu", count);
	}
	ksft_print_msg("%s: %s\n", call->name, memory);
}

/* Says which results of a call were never seen. Returns how many of them. */
static unsigned int report_missing(const struct call *call)
{
	unsigned int missing = 0;

	for (size_t i = 0; i < call->needed.count; i++) {
		char memory[64];
		struct text text = text_begin(memory, sizeof(memory));

		if (*fuzz_counter(call, call->needed.result[i]))
			continue;
		text_add_result(&text, call->needed.result[i]);
		ksft_print_msg("never seen: %s: %s\n", call->name, memory);
		missing++;
	}
	return missing;
}

static bool make_calls(__u64 count)
{
	for (__u64 i = 0; i < count; i++) {
		if (fuzz_any_call())
			continue;
		ksft_print_msg("call %llu: %s\n", i, fuzz_wrong.text);
		return false;
	}
	return true;
}

/* Whatever happened before, all is as it was now. */
static const char *look_behind(void)
{
	bool fine;

	fuzz_wrong = text_begin(fuzz_wrong.text, fuzz_wrong.size);
	fine = fuzz_close_all();
	if (!machine_restore())
		return "a disable file cannot be written";
	return fine && fuzz_make(call_look) && fuzz_make(call_enter) ? NULL : fuzz_wrong.text;
}

static const char *normal_session(void)
{
	struct idle_latency_config config;
	const char *wrong;
	int fd;

	if (!machine_config(&config))
		return "no idle states";
	fd = device_open(0);
	alarm(PATIENCE_S);
	wrong = session_take(fd, &config, SAMPLES, NULL);
	if (!alarm(0))
		wrong = "nobody woke its reader";
	close(fd);
	return wrong;
}

/* Those that the machine can have, and its faults. */
static void report_results(__u64 count)
{
	unsigned int missing = 0;

	for (size_t i = 0; i < CALLS; i++)
		missing += report_missing(&calls[i]);
	missing += config_report_missing();
	if (count < CALLS_FOR_ALL)
		ksft_test_result_skip("each result was seen: needs %d calls\n",
				      CALLS_FOR_ALL);
	else
		ksft_test_result(!missing, "each result was seen\n");
}

static void ignore(int signal __always_unused)
{
}

static void prepare(void)
{
	/* Without SA_RESTART, so that it interrupts read(). */
	const struct sigaction action = { .sa_handler = ignore };
	const char *obstacle = machine_find();

	if (obstacle)
		ksft_exit_skip("%s\n", obstacle);
	if (!memory_map() || sigaction(SIGALRM, &action, NULL))
		ksft_exit_fail_perror("no memory or no signals");
}

int main(int argc, char **argv)
{
	char memory[512];
	__u64 numbers[] = { CALLS_DEFAULT, SEED_DEFAULT }, count;
	bool fine;

	for (int i = 1; i < argc && i <= (int)ARRAY_SIZE(numbers); i++)
		if (!parse_number(argv[i], &numbers[i - 1]))
			ksft_exit_fail_msg("usage: fuzz_test [CALLS [SEED]]\n");
	count = numbers[0];
	dice.state = numbers[1];
	stress_begin("fuzz_test disables and enables idle states of up to 8 CPUs", NULL);
	stress_take_card();
	ksft_print_header();
	prepare();
	ksft_set_plan(4);
	ksft_print_msg("%llu calls, seed %llu\n", count, dice.state);
	fuzz_wrong = text_begin(memory, sizeof(memory));
	fine = make_calls(count);
	for (size_t i = 0; i < CALLS; i++)
		print_call(&calls[i]);
	ksft_test_result(fine, "each call did what it must\n");
	report_results(count);
	stress_report(look_behind(), "the machine is as it was");
	stress_report(normal_session(), "a normal session works");
	ksft_finished();
}

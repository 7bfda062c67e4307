// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of /dev/idle_latency, of which each must do what the interface
 * says: fuzz_test [CALLS [SEED]]. The same seed makes the same calls, as far as
 * the results, which depend on time, are the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "fuzz_model.h"
#include "stress.h"

#define CALLS_DEFAULT	20000
#define SEED_DEFAULT	1

/* With so many, each result that the machine can have is seen. */
#define CALLS_FOR_ALL	100000

#define SAMPLES		16

/* The largest object that memory_place() has room for. */
#define MEMORY_ROOM 16384

struct memory {
	/* MEMORY_ROOM bytes that can be used, before a page that cannot */
	char *begin;
	char *guard;
	/* a page that can only be read */
	char *read_only;
};

/* Copies of the open file. */
#define FUZZ_FILES_MAX 4

struct fuzz {
	struct dice dice;
	struct machine machine;
	struct memory memory;
	struct model model;
	struct tally tally;
	int files[FUZZ_FILES_MAX];
	size_t file_count;
	/* of the first call that went wrong */
	char wrong[512];
};

/* One of the copies of the open file. */
static int fuzz_file(struct fuzz *fuzz)
{
	return fuzz->files[dice_below(&fuzz->dice, fuzz->file_count)];
}

/* Says what is wrong, and returns false. */
__printf(2, 3)
static bool fuzz_wrong(struct fuzz *fuzz, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fuzz->wrong, sizeof(fuzz->wrong), format, arguments);
	va_end(arguments);
	return false;
}

/* Counts the result, and says what is wrong if it is not one of @expected. */
static bool fuzz_expect(struct fuzz *fuzz, enum call call, int result,
			const struct results *expected)
{
	char got[64], wanted[256];

	tally_add(&fuzz->tally, call, result);
	if (results_have(expected, result))
		return true;
	result_print(result, got, sizeof(got));
	results_print(expected, wanted, sizeof(wanted));
	return fuzz_wrong(fuzz, "%s: got %s, expected %s", call_name(call),
			  got, wanted);
}

static bool fuzz_expect_one(struct fuzz *fuzz, enum call call, int result,
			    int expected)
{
	const struct results one = { .result = { expected }, .count = 1 };

	return fuzz_expect(fuzz, call, result, &one);
}

/* Says what is wrong unless it is NULL. */
static bool fuzz_check(struct fuzz *fuzz, enum call call, const char *wrong)
{
	return !wrong || fuzz_wrong(fuzz, "%s: %s", call_name(call), wrong);
}

/* Adds to what is wrong, and returns false. */
static bool fuzz_add(struct fuzz *fuzz, const char *text)
{
	size_t used = strlen(fuzz->wrong);

	snprintf(fuzz->wrong + used, sizeof(fuzz->wrong) - used, "; %s", text);
	return false;
}

#define MARK 0xa5

static char *map(size_t size, int protection)
{
	void *bytes = mmap(NULL, size, protection,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

static bool memory_map(struct memory *memory)
{
	size_t page = sysconf(_SC_PAGESIZE);

	memory->begin = map(MEMORY_ROOM + page, PROT_READ | PROT_WRITE);
	memory->read_only = map(page, PROT_READ);
	if (!memory->begin || !memory->read_only)
		return false;
	memory->guard = memory->begin + MEMORY_ROOM;
	return !mprotect(memory->guard, page, PROT_NONE);
}

/* The last bytes before the guard, of which a call must not use more. */
static void *memory_place(const struct memory *memory, size_t size)
{
	return memory->guard - size;
}

/*
 * An address with fewer than @size bytes that can be used, or that can be read
 * where @reading.
 */
static void *memory_bad(const struct memory *memory, size_t size, bool reading,
			struct dice *dice)
{
	/* Not mapped, of the kernel, and of nobody. */
	static const unsigned long nowhere[] = {
		0, 1, 1UL << (8 * sizeof(long) - 1), ~0UL, ~0UL << 12,
	};
	__u64 chosen = dice_below(dice, 8);

	if (chosen < ARRAY_SIZE(nowhere))
		return (void *)nowhere[chosen];
	if (chosen == 5 && !reading)
		return memory->read_only;
	return memory->guard - dice_below(dice, size);
}

/* Marks bytes, and finds out whether the marks are still there. */
static void memory_mark(void *bytes, size_t size)
{
	memset(bytes, MARK, size);
}

static bool memory_is_marked(const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	/* Each byte is like the one before it. */
	return !size || (*byte == MARK && !memcmp(byte, byte + 1, size - 1));
}

/*
 * The calls. Each is made with random arguments, its result is compared with what
 * the model allows, and the model learns from it. They return false when something
 * was wrong.
 *
 * First: opening and closing, and what the device cannot do.
 */

static bool is_open(const struct fuzz *fuzz)
{
	return fuzz->model.phase != PHASE_CLOSED;
}

/* Mostly to read from; the rest makes no difference but O_NONBLOCK. */
static int choose_flags(struct dice *dice)
{
	static const int more[] = {
		O_NONBLOCK, O_APPEND, O_NOCTTY, O_DSYNC, O_LARGEFILE, O_TRUNC,
	};
	int flags = dice_once_in(dice, 4) ? dice_below(dice, 4) : O_RDONLY;

	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (dice_once_in(dice, 2))
			flags |= more[i];
	return flags;
}

static void take_file(struct fuzz *fuzz, int file, int flags)
{
	fuzz->files[fuzz->file_count++] = file;
	model_opened(&fuzz->model, flags);
}

static bool call_open(struct fuzz *fuzz)
{
	int flags = choose_flags(&fuzz->dice);
	int file = device_open(flags);

	if (!fuzz_expect_one(fuzz, CALL_OPEN, file < 0 ? file : 0,
			     is_open(fuzz) ? -EBUSY : 0))
		return false;
	if (file >= 0)
		take_file(fuzz, file, flags);
	return true;
}

static bool call_open_unprivileged(struct fuzz *fuzz)
{
	struct results expected = { };
	int file;

	results_add(&expected, -EPERM);
	if (is_open(fuzz))
		results_add(&expected, -EBUSY);
	if (!set_sys_admin(false))
		return fuzz_wrong(fuzz, "cannot drop CAP_SYS_ADMIN");
	file = device_open(choose_flags(&fuzz->dice));
	if (!set_sys_admin(true))
		return fuzz_wrong(fuzz, "cannot get CAP_SYS_ADMIN back");
	return fuzz_expect(fuzz, CALL_OPEN_UNPRIVILEGED, file < 0 ? file : 0,
			   &expected);
}

/* Refused after the driver has opened it. */
static bool call_open_direct(struct fuzz *fuzz)
{
	struct results expected = { };
	int file = device_open(choose_flags(&fuzz->dice) | O_DIRECT);

	results_add(&expected, -EINVAL);
	if (is_open(fuzz))
		results_add(&expected, -EBUSY);
	return fuzz_expect(fuzz, CALL_OPEN_DIRECT, file < 0 ? file : 0,
			   &expected);
}

static bool call_close(struct fuzz *fuzz)
{
	size_t i = dice_below(&fuzz->dice, fuzz->file_count);
	int file = fuzz->files[i];

	fuzz->files[i] = fuzz->files[--fuzz->file_count];
	if (!fuzz->file_count)
		model_closed(&fuzz->model);
	return fuzz_expect_one(fuzz, CALL_CLOSE, close(file) ? -errno : 0, 0);
}

static bool call_dup(struct fuzz *fuzz)
{
	int file;

	if (fuzz->file_count == FUZZ_FILES_MAX)
		return call_close(fuzz);
	file = dup(fuzz_file(fuzz));
	if (!fuzz_expect_one(fuzz, CALL_DUP, file < 0 ? -errno : 0, 0))
		return false;
	fuzz->files[fuzz->file_count++] = file;
	return true;
}

/* Closes all copies of the file. */
static bool fuzz_close_all(struct fuzz *fuzz)
{
	while (fuzz->file_count)
		if (!call_close(fuzz))
			return false;
	return true;
}

/* It inherits the files, and its end or its close() is not the last one. */
static bool call_child(struct fuzz *fuzz)
{
	bool closes = dice_once_in(&fuzz->dice, 2);
	pid_t child = fork();
	int status;

	if (!child)
		_exit(closes && !fuzz_close_all(fuzz));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return fuzz_wrong(fuzz, "cannot have a child");
	return fuzz_expect_one(fuzz, CALL_CHILD, status, 0);
}

static bool call_nonblock(struct fuzz *fuzz)
{
	bool nonblock = !fuzz->model.nonblock;
	int result = fcntl(fuzz_file(fuzz), F_SETFL, nonblock ? O_NONBLOCK : 0);

	fuzz->model.nonblock = nonblock;
	return fuzz_expect_one(fuzz, CALL_NONBLOCK, result ? -errno : 0, 0);
}

static int try_write(struct fuzz *fuzz, struct results *expected)
{
	results_add(expected, fuzz->model.writable ? -EINVAL : -EBADF);
	return write(fuzz_file(fuzz), fuzz->memory.begin,
		     dice_below(&fuzz->dice, MEMORY_ROOM));
}

static int try_pread(struct fuzz *fuzz, struct results *expected)
{
	results_add(expected, -ESPIPE);
	if (!fuzz->model.readable)
		results_add(expected, -EBADF);
	return pread(fuzz_file(fuzz), fuzz->memory.begin, MEMORY_ROOM, 0);
}

static int try_lseek(struct fuzz *fuzz, struct results *expected)
{
	results_add(expected, -ESPIPE);
	return lseek(fuzz_file(fuzz), dice_below(&fuzz->dice, 4096), SEEK_SET);
}

static int try_mmap(struct fuzz *fuzz, struct results *expected)
{
	results_add(expected, -ENODEV);
	if (!fuzz->model.readable)
		results_add(expected, -EACCES);
	return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fuzz_file(fuzz), 0) ==
	       MAP_FAILED ? -1 : 0;
}

static bool call_unsupported(struct fuzz *fuzz)
{
	static int (*const tries[])(struct fuzz *fuzz,
				    struct results *expected) = {
		try_write, try_pread, try_lseek, try_mmap,
	};
	struct results expected = { };
	int result = tries[dice_below(&fuzz->dice, 4)](fuzz, &expected);

	return fuzz_expect(fuzz, CALL_UNSUPPORTED, result < 0 ? -errno : 0,
			   &expected);
}

/* The ioctl() commands. */

/* Of one configuration */
#define FAULTS_MOST 3

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
		return fuzz_add(fuzz, text);
	}
	if (!*result)
		model_configured(&fuzz->model, config);
	return true;
}

static bool call_config(struct fuzz *fuzz)
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
		return fuzz_add(fuzz, fault_name(fault));
	fuzz->tally.faults[fault] += result != -EBUSY;
	return true;
}

/* With one fault, or with several, of which one is seen without the machine. */
static bool call_config_wrong(struct fuzz *fuzz)
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
static bool call_config_absent(struct fuzz *fuzz)
{
	struct idle_latency_config config;

	config_choose(&config, &fuzz->machine, &fuzz->dice);
	return configure_with_fault(fuzz, CALL_CONFIG_ABSENT, &config,
				    choose_fault(fuzz, FAULT_STATE, FAULTS));
}

static bool call_config_pointer(struct fuzz *fuzz)
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

static bool call_start(struct fuzz *fuzz)
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

static bool call_stop(struct fuzz *fuzz)
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

static bool call_counts(struct fuzz *fuzz)
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

static bool call_counts_pointer(struct fuzz *fuzz)
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
static bool call_state(struct fuzz *fuzz)
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

static bool call_state_wrong(struct fuzz *fuzz)
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
static bool call_state_pointer(struct fuzz *fuzz)
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

static bool call_unknown_command(struct fuzz *fuzz)
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

/* read() and poll(). */

#define RECORDS_MOST	(MEMORY_ROOM / RECORD_SIZE)

/* A read that waits, waits for few records, and rarely for long. */
#define WAIT_RECORDS	8
#define WAIT_FAR_NS	1000000
#define WAIT_FAR_ONCE_IN 8

/*
 * Many times the longest launch distance, and than a session of SAMPLES takes: nothing
 * that comes takes as long.
 */
#define PATIENCE_S	3

/* Half of the buffer is filled by then. That takes long, so it is rare. */
#define FILL_MS		2000
#define FILL_ONCE_IN	100

static void ignore(int signal)
{
	(void)signal;
}

/* Must be called first: signals interrupt calls that wait. */
static bool fuzz_take_alarms(void)
{
	/* Without SA_RESTART, so that it interrupts read(). */
	const struct sigaction action = { .sa_handler = ignore };

	return !sigaction(SIGALRM, &action, NULL);
}

static bool may_run(const struct fuzz *fuzz)
{
	return fuzz->model.phase == PHASE_MAYBE ||
	       fuzz->model.phase == PHASE_RUNS;
}

static bool set_nonblock(struct fuzz *fuzz, bool nonblock)
{
	return fuzz->model.nonblock == nonblock || call_nonblock(fuzz);
}

/* SIGALRM after that time, and again and again; 0 for never. */
static void set_alarm(__u64 us)
{
	const struct timeval time = {
		.tv_sec = us / 1000000, .tv_usec = us % 1000000,
	};
	const struct itimerval timer = {
		.it_value = time, .it_interval = time,
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static bool unexpected(struct fuzz *fuzz, enum call call,
		       const struct read_results *expected, const char *got)
{
	char records[64] = "", others[256];

	if (expected->most)
		snprintf(records, sizeof(records), "%llu to %llu records",
			 expected->least, expected->most);
	results_print(&expected->results, others, sizeof(others));
	return fuzz_wrong(fuzz, "%s: got %s, expected %s%s%s", call_name(call),
			  got, records, *records && *others ? " or " : "",
			  others);
}

static bool took_records(struct fuzz *fuzz, enum call call,
			 const struct read_call *arguments,
			 const struct read_results *expected,
			 const char *bytes, size_t size)
{
	__u64 count = size / RECORD_SIZE;
	char got[64];

	tally_add(&fuzz->tally, call, 1);
	if (arguments->room < arguments->count &&
	    count == arguments->room / RECORD_SIZE)
		tally_add(&fuzz->tally, CALL_READ_FULL, 1);
	if (size % RECORD_SIZE || count < expected->least ||
	    count > expected->most) {
		snprintf(got, sizeof(got), "%zu bytes", size);
		return unexpected(fuzz, call, expected, got);
	}
	if (arguments->room >= arguments->count &&
	    !memory_is_marked(bytes + size, arguments->count - size))
		return fuzz_wrong(fuzz, "%s: wrote more than it returned",
				  call_name(call));
	return fuzz_check(fuzz, call, model_read(&fuzz->model, arguments,
						 (const void *)bytes, count));
}

static bool took_nothing(struct fuzz *fuzz, enum call call,
			 const struct read_call *arguments,
			 const struct read_results *expected, int result)
{
	char got[64];

	tally_add(&fuzz->tally, call, result);
	if (!results_have(&expected->results, result)) {
		result_print(result, got, sizeof(got));
		return unexpected(fuzz, call, expected, got);
	}
	return result || fuzz_check(fuzz, call, model_read(&fuzz->model,
							   arguments, NULL, 0));
}

static bool read_to(struct fuzz *fuzz, enum call call,
		    const struct read_call *arguments, char *bytes)
{
	struct read_results expected;
	ssize_t size;

	model_expect_read(&fuzz->model, arguments, &expected);
	size = read(fuzz_file(fuzz), bytes, arguments->count);
	if (size > 0)
		return took_records(fuzz, call, arguments, &expected, bytes,
				    size);
	return took_nothing(fuzz, call, arguments, &expected,
			    size ? -errno : 0);
}

/* Into memory for @count bytes and not more, but for the alignment. */
static bool read_whole(struct fuzz *fuzz, enum call call, size_t count,
		       bool signals)
{
	const struct read_call arguments = {
		.count = count, .room = count, .signals = signals,
	};
	char *bytes = memory_place(&fuzz->memory, (count + 7) & ~7UL);

	memory_mark(bytes, count);
	return read_to(fuzz, call, &arguments, bytes);
}

static size_t choose_count(struct dice *dice, size_t records)
{
	size_t count = RECORD_SIZE * dice_scale(dice, 1, records);

	return dice_once_in(dice, 4) ? count - dice_below(dice, RECORD_SIZE) :
		count;
}

static bool call_read(struct fuzz *fuzz)
{
	if (may_run(fuzz) && !set_nonblock(fuzz, true))
		return false;
	return read_whole(fuzz, CALL_READ,
			  choose_count(&fuzz->dice, RECORDS_MOST), false);
}

static bool call_read_signalled(struct fuzz *fuzz)
{
	bool fine;

	if (!set_nonblock(fuzz, false))
		return false;
	set_alarm(dice_scale(&fuzz->dice, 100, 2000));
	fine = read_whole(fuzz, CALL_READ_SIGNALLED,
			  choose_count(&fuzz->dice, RECORDS_MOST), true);
	set_alarm(0);
	return fine;
}

/* Only where records will come, or the end. */
static bool call_read_waiting(struct fuzz *fuzz)
{
	const struct idle_latency_config *config = &fuzz->model.config;
	bool far = config->ldist_to_ns > WAIT_FAR_NS;
	bool fine;

	if (may_run(fuzz) && !config_is_productive(config))
		return call_read_signalled(fuzz);
	if (may_run(fuzz) && far && !dice_once_in(&fuzz->dice, WAIT_FAR_ONCE_IN))
		return call_read(fuzz);
	if (!set_nonblock(fuzz, false))
		return false;
	alarm(PATIENCE_S);
	fine = read_whole(fuzz, CALL_READ_WAITING,
			  choose_count(&fuzz->dice, far ? 1 : WAIT_RECORDS),
			  false);
	if (!alarm(0) && fine)
		return fuzz_wrong(fuzz, "%s: nobody woke it",
				  call_name(CALL_READ_WAITING));
	return fine;
}

static bool call_read_short(struct fuzz *fuzz)
{
	return read_whole(fuzz, CALL_READ_SHORT,
			  dice_below(&fuzz->dice, RECORD_SIZE), false);
}

/* Memory for one record at least, but not for all that is asked for. */
static bool call_read_partial(struct fuzz *fuzz)
{
	const size_t room = dice_scale(&fuzz->dice, RECORD_SIZE, MEMORY_ROOM) &
			    ~7UL;
	const struct read_call arguments = {
		.count = room + dice_scale(&fuzz->dice, 1, 1 << 20),
		.room = room,
	};

	if (may_run(fuzz) && !set_nonblock(fuzz, true))
		return false;
	return read_to(fuzz, CALL_READ_PARTIAL, &arguments,
		       memory_place(&fuzz->memory, room));
}

static bool call_read_pointer(struct fuzz *fuzz)
{
	const struct read_call arguments = {
		.count = choose_count(&fuzz->dice, RECORDS_MOST),
	};
	char *bytes = memory_bad(&fuzz->memory, RECORD_SIZE, false,
				 &fuzz->dice);

	if (may_run(fuzz) && !set_nonblock(fuzz, true))
		return false;
	return read_to(fuzz, CALL_READ_POINTER, &arguments, bytes);
}

static bool poll_for(struct fuzz *fuzz, enum call call, short events,
		     int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fuzz_file(fuzz), .events = events };
	int result = poll(&poll_fd, 1, timeout_ms);
	short seen = 0;

	if (result < 0)
		return fuzz_expect_one(fuzz, call, -errno, 0);
	if (poll_fd.revents & (POLLIN | POLLRDNORM))
		seen |= POLLIN;
	if (poll_fd.revents & POLLHUP)
		seen |= POLLHUP;
	tally_add(&fuzz->tally, call, seen);
	return fuzz_check(fuzz, call, model_polled(&fuzz->model, events,
						   poll_fd.revents));
}

static bool call_poll(struct fuzz *fuzz)
{
	static const short events[] = {
		POLLIN, POLLRDNORM, POLLIN | POLLRDNORM, POLLOUT | POLLPRI,
	};
	int timeout_ms = dice_once_in(&fuzz->dice, 64) ? 1 : 0;

	return poll_for(fuzz, CALL_POLL,
			events[dice_below(&fuzz->dice, 4)], timeout_ms);
}

static bool call_poll_filling(struct fuzz *fuzz)
{
	const struct idle_latency_config *config = &fuzz->model.config;
	bool seen = tally_has(&fuzz->tally, CALL_POLL_FILLING, POLLIN);

	if (fuzz->model.phase != PHASE_RUNS ||
	    !config_is_productive(config) ||
	    config->ldist_to_ns > TEST_LDIST_TO_NS ||
	    (seen && !dice_once_in(&fuzz->dice, FILL_ONCE_IN)))
		return call_poll(fuzz);
	return poll_for(fuzz, CALL_POLL_FILLING, POLLIN, FILL_MS);
}

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

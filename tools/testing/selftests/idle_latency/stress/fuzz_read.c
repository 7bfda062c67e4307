// SPDX-License-Identifier: GPL-2.0
/* The fuzzer reads and polls the device. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <sys/time.h>

#include "fuzz.h"

#define RECORDS_MOST	(MEMORY_ROOM / RECORD_SIZE)

/* A read that waits, waits for few records, and rarely for long. */
#define WAIT_RECORDS	8
#define WAIT_FAR_NS	1000000
#define WAIT_FAR_ONCE_IN 8

/* Half of the buffer is filled by then. That takes long, so it is rare. */
#define FILL_MS		2000
#define FILL_ONCE_IN	100

static void ignore(int signal)
{
	(void)signal;
}

bool fuzz_take_alarms(void)
{
	/* Without SA_RESTART, so that it interrupts read(). */
	const struct sigaction action = { .sa_handler = ignore };

	return !sigaction(SIGALRM, &action, NULL);
}

static bool set_nonblock(struct fuzz *fuzz, bool nonblock)
{
	return fuzz->model.nonblock == nonblock || call_nonblock(fuzz);
}

/* While a session may run, a read would wait where the file is one that blocks. */
static bool avoid_waiting(struct fuzz *fuzz)
{
	return !model_may_run(&fuzz->model) || set_nonblock(fuzz, true);
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

bool call_read(struct fuzz *fuzz)
{
	if (!avoid_waiting(fuzz))
		return false;
	return read_whole(fuzz, CALL_READ,
			  choose_count(&fuzz->dice, RECORDS_MOST), false);
}

bool call_read_signalled(struct fuzz *fuzz)
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
bool call_read_waiting(struct fuzz *fuzz)
{
	const struct idle_latency_config *config = &fuzz->model.config;
	bool runs = model_may_run(&fuzz->model);
	bool far = config->ldist_to_ns > WAIT_FAR_NS;
	bool fine;

	if (runs && !config_is_productive(config))
		return call_read_signalled(fuzz);
	if (runs && far && !dice_once_in(&fuzz->dice, WAIT_FAR_ONCE_IN))
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

bool call_read_short(struct fuzz *fuzz)
{
	return read_whole(fuzz, CALL_READ_SHORT,
			  dice_below(&fuzz->dice, RECORD_SIZE), false);
}

/* Memory for one record at least, but not for all that is asked for. */
bool call_read_partial(struct fuzz *fuzz)
{
	const size_t room = dice_scale(&fuzz->dice, RECORD_SIZE, MEMORY_ROOM) &
			    ~7UL;
	const struct read_call arguments = {
		.count = room + dice_scale(&fuzz->dice, 1, 1 << 20),
		.room = room,
	};

	if (!avoid_waiting(fuzz))
		return false;
	return read_to(fuzz, CALL_READ_PARTIAL, &arguments,
		       memory_place(&fuzz->memory, room));
}

bool call_read_pointer(struct fuzz *fuzz)
{
	const struct read_call arguments = {
		.count = choose_count(&fuzz->dice, RECORDS_MOST),
	};
	char *bytes = memory_bad(&fuzz->memory, RECORD_SIZE, false,
				 &fuzz->dice);

	if (!avoid_waiting(fuzz))
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

bool call_poll(struct fuzz *fuzz)
{
	static const short events[] = {
		POLLIN, POLLRDNORM, POLLIN | POLLRDNORM, POLLOUT | POLLPRI,
	};
	int timeout_ms = dice_once_in(&fuzz->dice, 64) ? 1 : 0;

	return poll_for(fuzz, CALL_POLL,
			events[dice_below(&fuzz->dice, 4)], timeout_ms);
}

bool call_poll_filling(struct fuzz *fuzz)
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

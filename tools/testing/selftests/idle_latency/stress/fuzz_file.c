// SPDX-License-Identifier: GPL-2.0
/* The fuzzer opens, reads, polls and closes the device, and tries what it cannot do. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "fuzz.h"
#include "statistics.h"

/* A read that waits, waits for few records, and rarely for long. */
#define WAIT_RECORDS	8
#define WAIT_FAR_NS	1000000
#define WAIT_FAR_ONCE_IN 8

/* Half of the buffer is filled by then. That takes long, so it is rare. */
#define FILL_MS		2000
#define FILL_ONCE_IN	100
/* A larger one would take longer. */
#define FILL_RECORDS	4096

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

bool call_open(struct fuzz *fuzz)
{
	int flags = choose_flags(&fuzz->dice);
	int file = device_open(flags);

	if (!fuzz_expect_one(fuzz, file < 0 ? file : 0, 0))
		return false;
	/* Another session, which never begins. */
	if (is_open(fuzz))
		return fuzz_check(fuzz, close(file) ? "cannot close it" : NULL);
	fuzz->files[fuzz->file_count++] = file;
	model_opened(&fuzz->model, flags);
	return true;
}

/* The same session in another file, which is closed at once: the CPU is free, or it is not. */
bool call_start_another(struct fuzz *fuzz)
{
	const enum phase phase = fuzz->model.phase;
	struct results expected = { };
	int fd, result;

	if (!fuzz->model.configured)
		return fuzz_make(fuzz, call_open);
	if (phase != PHASE_STILL)
		results_add(&expected, -EBUSY);
	if (phase != PHASE_RUNS)
		results_add(&expected, 0);
	fd = device_open(0);
	if (fd < 0)
		return fuzz_check(fuzz, "cannot open another file");
	result = device_begin(fd, &fuzz->model.config);
	close(fd);
	return fuzz_expect(fuzz, result, &expected);
}

bool call_open_unprivileged(struct fuzz *fuzz)
{
	int file;

	if (!set_sys_admin(false))
		return fuzz_check(fuzz, "cannot drop CAP_SYS_ADMIN");
	file = device_open(choose_flags(&fuzz->dice));
	if (!set_sys_admin(true))
		return fuzz_check(fuzz, "cannot get CAP_SYS_ADMIN back");
	return fuzz_expect_one(fuzz, file < 0 ? file : 0, -EPERM);
}

/* Refused after the driver has opened it. */
bool call_open_direct(struct fuzz *fuzz)
{
	int file = device_open(choose_flags(&fuzz->dice) | O_DIRECT);

	return fuzz_expect_one(fuzz, file < 0 ? file : 0, -EINVAL);
}

bool call_close(struct fuzz *fuzz)
{
	size_t i = dice_below(&fuzz->dice, fuzz->file_count);
	int file = fuzz->files[i];

	fuzz->files[i] = fuzz->files[--fuzz->file_count];
	if (!fuzz->file_count)
		fuzz->model = (struct model) { };
	return fuzz_expect_one(fuzz, close(file) ? -errno : 0, 0);
}

bool call_dup(struct fuzz *fuzz)
{
	int file;

	if (fuzz->file_count == FUZZ_FILES_MAX)
		return fuzz_make(fuzz, call_close);
	file = dup(fuzz_file(fuzz));
	if (!fuzz_expect_one(fuzz, file < 0 ? -errno : 0, 0))
		return false;
	fuzz->files[fuzz->file_count++] = file;
	return true;
}

bool fuzz_close_all(struct fuzz *fuzz)
{
	while (fuzz->file_count)
		if (!fuzz_make(fuzz, call_close))
			return false;
	return true;
}

/* It inherits the files, and its end or its close() is not the last one. */
bool call_child(struct fuzz *fuzz)
{
	bool closes = dice_once_in(&fuzz->dice, 2);
	pid_t child = fork();
	int status;

	if (!child)
		_exit(closes && !fuzz_close_all(fuzz));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return fuzz_check(fuzz, "cannot have a child");
	if (!WIFEXITED(status))
		return fuzz_check(fuzz, "a child was killed");
	return fuzz_expect_one(fuzz, WEXITSTATUS(status), 0);
}

bool call_nonblock(struct fuzz *fuzz)
{
	bool nonblock = !fuzz->model.nonblock;
	int result = fcntl(fuzz_file(fuzz), F_SETFL, nonblock ? O_NONBLOCK : 0);

	fuzz->model.nonblock = nonblock;
	return fuzz_expect_one(fuzz, result ? -errno : 0, 0);
}

bool call_unsupported(struct fuzz *fuzz)
{
	const struct model *model = &fuzz->model;
	struct results expected = { };
	int result;

	switch (dice_below(&fuzz->dice, 4)) {
	case 0:
		results_add(&expected, model->writable ? -EINVAL : -EBADF);
		result = write(fuzz_file(fuzz), fuzz->memory.begin,
			       dice_below(&fuzz->dice, MEMORY_ROOM));
		break;
	case 1:
		results_add(&expected, -ESPIPE);
		if (!model->readable)
			results_add(&expected, -EBADF);
		result = pread(fuzz_file(fuzz), fuzz->memory.begin, MEMORY_ROOM, 0);
		break;
	case 2:
		results_add(&expected, -ESPIPE);
		result = lseek(fuzz_file(fuzz), dice_below(&fuzz->dice, 4096), SEEK_SET);
		break;
	default:
		results_add(&expected, -ENODEV);
		if (!model->readable)
			results_add(&expected, -EACCES);
		result = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fuzz_file(fuzz), 0) ==
			 MAP_FAILED ? -1 : 0;
	}
	return fuzz_expect(fuzz, result < 0 ? -errno : 0, &expected);
}

static bool set_nonblock(struct fuzz *fuzz, bool nonblock)
{
	return fuzz->model.nonblock == nonblock || fuzz_make(fuzz, call_nonblock);
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

/* @got: bytes, the end, or an error; @size: of a record */
static bool is_expected(const struct read_results *expected, ssize_t got, size_t size)
{
	if (got <= 0)
		return results_have(&expected->results, got);
	return got % size == 0 && got / size >= expected->least &&
	       got / size <= expected->most;
}

static void say_unexpected(struct text *text, const struct read_results *expected,
			   ssize_t got)
{
	text_add(text, "got ");
	if (got > 0)
		text_add(text, "%zd bytes", got);
	else
		text_add_result(text, got);
	text_add(text, ", expected ");
	if (expected->most)
		text_add(text, "%llu to %llu records%s", expected->least, expected->most,
			 expected->results.count ? " or " : "");
	text_add_results(text, &expected->results);
}

bool call_read_full(struct fuzz *fuzz)
{
	fuzz_count(fuzz, 1);
	return true;
}

static bool read_to(struct fuzz *fuzz, const struct read_call *arguments, char *bytes)
{
	struct read_results expected = model_expect_read(&fuzz->model, arguments);
	ssize_t got = read(fuzz_file(fuzz), bytes, arguments->count);
	const bool fits = arguments->room >= arguments->count;
	const size_t size = model_record_size(&fuzz->model);

	if (got < 0)
		got = -errno;
	fuzz_count(fuzz, got > 0 ? 1 : got);
	if (!is_expected(&expected, got, size)) {
		text_add(&fuzz->wrong, "%s: ", fuzz->call->name);
		say_unexpected(&fuzz->wrong, &expected, got);
		return false;
	}
	if (got < 0)
		return true;
	if (!fits && got && got / size == arguments->room / size)
		fuzz_make(fuzz, call_read_full);
	if (fits && !memory_is_marked(bytes + got, arguments->count - got))
		return fuzz_check(fuzz, "wrote more than it returned");
	return fuzz_check(fuzz, model_read(&fuzz->model, arguments, bytes, got / size));
}

/* Into memory for @count bytes and not more, but for the alignment. */
static bool read_whole(struct fuzz *fuzz, size_t count, bool signals)
{
	const struct read_call arguments = {
		.count = count, .room = count, .signals = signals,
	};
	char *bytes = memory_place(&fuzz->memory, (count + 7) & ~7UL);

	memory_mark(bytes, count);
	return read_to(fuzz, &arguments, bytes);
}

/* At most so many records, and no more than there is room for. */
static size_t choose_count(struct fuzz *fuzz, __u64 most)
{
	const size_t size = model_record_size(&fuzz->model);
	size_t count = size * dice_scale(&fuzz->dice, 1, smaller(most, MEMORY_ROOM / size));

	return dice_once_in(&fuzz->dice, 4) ? count - dice_below(&fuzz->dice, size) :
		count;
}

bool call_read(struct fuzz *fuzz)
{
	return avoid_waiting(fuzz) &&
	       read_whole(fuzz, choose_count(fuzz, MEMORY_ROOM), false);
}

bool call_read_signalled(struct fuzz *fuzz)
{
	bool fine;

	if (!set_nonblock(fuzz, false))
		return false;
	set_alarm(dice_scale(&fuzz->dice, 100, 2000));
	fine = read_whole(fuzz, choose_count(fuzz, MEMORY_ROOM), true);
	set_alarm(0);
	return fine;
}

/* A session of it delivers records whenever the CPU is idle. */
static bool config_is_productive(const struct idle_latency_config *config)
{
	/* State 0 polls, and may be left long before the event. */
	return config->state && config->ldist_to_ns >= TEST_LDIST_TO_NS &&
	       config->entry_ns <= ENTRY_NS_DEFAULT;
}

/* Only where records will come, or the end. */
bool call_read_waiting(struct fuzz *fuzz)
{
	const struct idle_latency_config *config = &fuzz->model.config;
	bool runs = model_may_run(&fuzz->model);
	bool far = config->ldist_to_ns > WAIT_FAR_NS;
	bool fine;

	if (runs && !config_is_productive(config))
		return fuzz_make(fuzz, call_read_signalled);
	if (runs && far && !dice_once_in(&fuzz->dice, WAIT_FAR_ONCE_IN))
		return fuzz_make(fuzz, call_read);
	if (!set_nonblock(fuzz, false))
		return false;
	alarm(PATIENCE_S);
	fine = read_whole(fuzz, choose_count(fuzz, far ? 1 : WAIT_RECORDS), false);
	return fine && (alarm(0) || fuzz_check(fuzz, "nobody woke it"));
}

bool call_read_short(struct fuzz *fuzz)
{
	return read_whole(fuzz, dice_below(&fuzz->dice, model_record_size(&fuzz->model)), false);
}

/* Memory for one record at least, but not for all that is asked for. */
bool call_read_partial(struct fuzz *fuzz)
{
	const size_t room = dice_scale(&fuzz->dice, model_record_size(&fuzz->model),
				       MEMORY_ROOM) & ~7UL;
	const struct read_call arguments = {
		.count = room + dice_scale(&fuzz->dice, 1, 1 << 20),
		.room = room,
	};

	return avoid_waiting(fuzz) &&
	       read_to(fuzz, &arguments, memory_place(&fuzz->memory, room));
}

bool call_read_pointer(struct fuzz *fuzz)
{
	const struct read_call arguments = {
		.count = choose_count(fuzz, MEMORY_ROOM),
	};
	char *bytes = memory_bad(&fuzz->memory, model_record_size(&fuzz->model), false,
				 &fuzz->dice);

	return avoid_waiting(fuzz) && read_to(fuzz, &arguments, bytes);
}

static bool poll_for(struct fuzz *fuzz, short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fuzz_file(fuzz), .events = events };
	int result = poll(&poll_fd, 1, timeout_ms);
	short seen = 0;

	if (result < 0)
		return fuzz_expect_one(fuzz, -errno, 0);
	if (poll_fd.revents & (POLLIN | POLLRDNORM))
		seen |= POLLIN;
	if (poll_fd.revents & POLLHUP)
		seen |= POLLHUP;
	fuzz_count(fuzz, seen);
	return fuzz_check(fuzz, model_polled(&fuzz->model, events, poll_fd.revents));
}

bool call_poll(struct fuzz *fuzz)
{
	static const short events[] = {
		POLLIN, POLLRDNORM, POLLIN | POLLRDNORM, POLLOUT | POLLPRI,
	};
	int timeout_ms = dice_once_in(&fuzz->dice, 64) ? 1 : 0;

	return poll_for(fuzz, events[dice_below(&fuzz->dice, 4)], timeout_ms);
}

bool call_poll_filling(struct fuzz *fuzz)
{
	const struct idle_latency_config *config = &fuzz->model.config;
	bool seen = fuzz_counted(fuzz, fuzz->call, POLLIN);

	if (fuzz->model.phase != PHASE_RUNS ||
	    !config_is_productive(config) ||
	    config->ldist_to_ns > TEST_LDIST_TO_NS || config->buffer_records > FILL_RECORDS ||
	    (seen && !dice_once_in(&fuzz->dice, FILL_ONCE_IN)))
		return fuzz_make(fuzz, call_poll);
	return poll_for(fuzz, POLLIN, FILL_MS);
}

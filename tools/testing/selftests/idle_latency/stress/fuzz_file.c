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

/* Copies of the open file. */
#define FILES_MAX	4

static int files[FILES_MAX];
static size_t file_count;

int fuzz_file(void)
{
	return files[dice_below(&dice, file_count)];
}

/* Mostly to read from; the rest makes no difference but O_NONBLOCK. */
static int choose_flags(void)
{
	static const int more[] = {
		O_NONBLOCK, O_APPEND, O_NOCTTY, O_DSYNC, O_LARGEFILE, O_TRUNC,
	};
	int flags = dice_once_in(&dice, 4) ? dice_below(&dice, 4) : O_RDONLY;

	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (dice_once_in(&dice, 2))
			flags |= more[i];
	return flags;
}

bool call_open(void)
{
	int flags = choose_flags();
	int file = device_open(flags);

	if (!fuzz_expect_one(file < 0 ? file : 0, 0))
		return false;
	/* Another session, which never begins. */
	if (model.phase != PHASE_CLOSED)
		return fuzz_check(close(file) ? "cannot close it" : NULL);
	files[file_count++] = file;
	model_opened(flags);
	return true;
}

/* The same session in another file, which is closed at once: the CPU is free, or it is not. */
bool call_start_another(void)
{
	int fd, result;

	if (!model.configured)
		return fuzz_make(call_open);
	model_expect_still();
	fd = device_open(0);
	if (fd < 0)
		return fuzz_check("cannot open another file");
	result = device_begin(fd, &model.config);
	close(fd);
	return fuzz_expect(result);
}

bool call_open_unprivileged(void)
{
	int file;

	if (!set_sys_admin(false))
		return fuzz_check("cannot drop CAP_SYS_ADMIN");
	file = device_open(choose_flags());
	if (!set_sys_admin(true))
		return fuzz_check("cannot get CAP_SYS_ADMIN back");
	return fuzz_expect_one(file < 0 ? file : 0, -EPERM);
}

/* Refused after the driver has opened it. */
bool call_open_direct(void)
{
	int file = device_open(choose_flags() | O_DIRECT);

	return fuzz_expect_one(file < 0 ? file : 0, -EINVAL);
}

bool call_close(void)
{
	size_t i = dice_below(&dice, file_count);
	int file = files[i];

	files[i] = files[--file_count];
	if (!file_count)
		model = (struct model) { };
	return fuzz_expect_one(close(file) ? -errno : 0, 0);
}

bool call_dup(void)
{
	int file;

	if (file_count == FILES_MAX)
		return fuzz_make(call_close);
	file = dup(fuzz_file());
	if (!fuzz_expect_one(file < 0 ? -errno : 0, 0))
		return false;
	files[file_count++] = file;
	return true;
}

bool fuzz_close_all(void)
{
	while (file_count)
		if (!fuzz_make(call_close))
			return false;
	return true;
}

/* It inherits the files, and its end or its close() is not the last one. */
bool call_child(void)
{
	bool closes = dice_once_in(&dice, 2);
	pid_t child = fork();
	int status;

	if (!child)
		_exit(closes && !fuzz_close_all());
	if (child < 0 || waitpid(child, &status, 0) != child)
		return fuzz_check("cannot have a child");
	if (!WIFEXITED(status))
		return fuzz_check("a child was killed");
	return fuzz_expect_one(WEXITSTATUS(status), 0);
}

bool call_nonblock(void)
{
	bool nonblock = !model.nonblock;
	int result = fcntl(fuzz_file(), F_SETFL, nonblock ? O_NONBLOCK : 0);

	model.nonblock = nonblock;
	return fuzz_expect_one(result ? -errno : 0, 0);
}

bool call_unsupported(void)
{
	void *bytes = memory_place(MEMORY_ROOM);
	int result;

	switch (dice_below(&dice, 4)) {
	case 0:
		fuzz_may(model.writable ? -EINVAL : -EBADF);
		result = write(fuzz_file(), bytes, dice_below(&dice, MEMORY_ROOM));
		break;
	case 1:
		fuzz_may(-ESPIPE);
		if (!model.readable)
			fuzz_may(-EBADF);
		result = pread(fuzz_file(), bytes, MEMORY_ROOM, 0);
		break;
	case 2:
		fuzz_may(-ESPIPE);
		result = lseek(fuzz_file(), dice_below(&dice, 4096), SEEK_SET);
		break;
	default:
		fuzz_may(-ENODEV);
		if (!model.readable)
			fuzz_may(-EACCES);
		result = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fuzz_file(), 0) ==
			 MAP_FAILED ? -1 : 0;
	}
	return fuzz_expect(result < 0 ? -errno : 0);
}

static bool set_nonblock(bool nonblock)
{
	return model.nonblock == nonblock || fuzz_make(call_nonblock);
}

/* While a session may run, a read would wait where the file is one that blocks. */
static bool avoid_waiting(void)
{
	return !model_may_run() || set_nonblock(true);
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

static bool say_unexpected(const struct read_call *call, ssize_t got)
{
	text_add(&fuzz_wrong, "%s: got ", made.call->name);
	if (got > 0)
		text_add(&fuzz_wrong, "%zd bytes", got);
	else
		text_add_result(&fuzz_wrong, got);
	text_add(&fuzz_wrong, ", expected ");
	if (call->most)
		text_add(&fuzz_wrong, "%llu to %llu records%s", call->least, call->most,
			 made.may.count ? " or " : "");
	text_add_results(&fuzz_wrong, &made.may);
	return false;
}

bool call_read_full(void)
{
	fuzz_count(1);
	return true;
}

/* So many bytes into memory for @room. @signals: they come while it waits */
static bool read_to(char *bytes, size_t count, size_t room, bool signals)
{
	const size_t size = model_record_size();
	struct read_call call = {
		.asked = count / size, .fit = room / size, .is_cut = room < count,
		.waits = model_may_run() && !model.nonblock && !signals,
	};
	ssize_t got;

	model_expect_read(&call);
	got = read(fuzz_file(), bytes, count);
	if (got < 0)
		got = -errno;
	fuzz_count(got > 0 ? 1 : got);
	if (got <= 0 ? !results_have(&made.may, got) :
		       got % size || got / size < call.least || got / size > call.most)
		return say_unexpected(&call, got);
	if (got < 0)
		return true;
	if (call.is_cut && got && got / size == call.fit)
		fuzz_make(call_read_full);
	if (!call.is_cut && !memory_is_marked(bytes + got, count - got))
		return fuzz_check("wrote more than it returned");
	return fuzz_check(model_read(&call, bytes, got / size));
}

/* Into memory for @count bytes and not more, but for the alignment. */
static bool read_whole(size_t count, bool signals)
{
	char *bytes = memory_place((count + 7) & ~7UL);

	memory_mark(bytes, count);
	return read_to(bytes, count, count, signals);
}

/* At most so many records, and no more than there is room for. */
static size_t choose_count(__u64 most)
{
	const size_t size = model_record_size();
	size_t count = size * dice_scale(&dice, 1, smaller(most, MEMORY_ROOM / size));

	return dice_once_in(&dice, 4) ? count - dice_below(&dice, size) : count;
}

bool call_read(void)
{
	return avoid_waiting() && read_whole(choose_count(MEMORY_ROOM), false);
}

bool call_read_signalled(void)
{
	bool fine;

	if (!set_nonblock(false))
		return false;
	set_alarm(dice_scale(&dice, 100, 2000));
	fine = read_whole(choose_count(MEMORY_ROOM), true);
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
bool call_read_waiting(void)
{
	bool far = model.config.ldist_to_ns > WAIT_FAR_NS;
	bool runs = model_may_run();
	bool fine;

	if (runs && !config_is_productive(&model.config))
		return fuzz_make(call_read_signalled);
	if (runs && far && !dice_once_in(&dice, WAIT_FAR_ONCE_IN))
		return fuzz_make(call_read);
	if (!set_nonblock(false))
		return false;
	alarm(PATIENCE_S);
	fine = read_whole(choose_count(far ? 1 : WAIT_RECORDS), false);
	return fine && (alarm(0) || fuzz_check("nobody woke it"));
}

bool call_read_short(void)
{
	return read_whole(dice_below(&dice, model_record_size()), false);
}

/* Memory for one record at least, but not for all that is asked for. */
bool call_read_partial(void)
{
	const size_t room = dice_scale(&dice, model_record_size(), MEMORY_ROOM) & ~7UL;
	const size_t count = room + dice_scale(&dice, 1, 1 << 20);

	return avoid_waiting() && read_to(memory_place(room), count, room, false);
}

bool call_read_pointer(void)
{
	const size_t count = choose_count(MEMORY_ROOM);
	char *bytes = memory_bad(model_record_size(), false);

	return avoid_waiting() && read_to(bytes, count, 0, false);
}

static bool poll_for(short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fuzz_file(), .events = events };
	int result = poll(&poll_fd, 1, timeout_ms);
	short seen = 0;

	if (result < 0)
		return fuzz_expect_one(-errno, 0);
	if (poll_fd.revents & (POLLIN | POLLRDNORM))
		seen |= POLLIN;
	if (poll_fd.revents & POLLHUP)
		seen |= POLLHUP;
	fuzz_count(seen);
	return fuzz_check(model_polled(events, poll_fd.revents));
}

bool call_poll(void)
{
	static const short events[] = {
		POLLIN, POLLRDNORM, POLLIN | POLLRDNORM, POLLOUT | POLLPRI,
	};
	int timeout_ms = dice_once_in(&dice, 64) ? 1 : 0;

	return poll_for(events[dice_below(&dice, 4)], timeout_ms);
}

bool call_poll_filling(void)
{
	bool seen = *fuzz_counter(made.call, POLLIN);

	if (model.phase != PHASE_RUNS || !config_is_productive(&model.config) ||
	    model.config.ldist_to_ns > TEST_LDIST_TO_NS ||
	    model.config.buffer_records > FILL_RECORDS ||
	    (seen && !dice_once_in(&dice, FILL_ONCE_IN)))
		return fuzz_make(call_poll);
	return poll_for(POLLIN, FILL_MS);
}

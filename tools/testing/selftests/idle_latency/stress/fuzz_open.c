// SPDX-License-Identifier: GPL-2.0
/* The fuzzer opens and closes the device, and tries what it cannot do. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "fuzz.h"

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

	if (!fuzz_expect_one(fuzz, file < 0 ? file : 0, is_open(fuzz) ? -EBUSY : 0))
		return false;
	if (file >= 0) {
		fuzz->files[fuzz->file_count++] = file;
		model_opened(&fuzz->model, flags);
	}
	return true;
}

/* It fails even where no file is open. */
static bool expect_refused(struct fuzz *fuzz, int file, int error)
{
	struct results expected = RESULTS(error);

	if (is_open(fuzz))
		results_add(&expected, -EBUSY);
	return fuzz_expect(fuzz, file < 0 ? file : 0, &expected);
}

bool call_open_unprivileged(struct fuzz *fuzz)
{
	int file;

	if (!set_sys_admin(false))
		return fuzz_check(fuzz, "cannot drop CAP_SYS_ADMIN");
	file = device_open(choose_flags(&fuzz->dice));
	if (!set_sys_admin(true))
		return fuzz_check(fuzz, "cannot get CAP_SYS_ADMIN back");
	return expect_refused(fuzz, file, -EPERM);
}

/* Refused after the driver has opened it. */
bool call_open_direct(struct fuzz *fuzz)
{
	int file = device_open(choose_flags(&fuzz->dice) | O_DIRECT);

	return expect_refused(fuzz, file, -EINVAL);
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

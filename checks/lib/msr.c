// SPDX-License-Identifier: GPL-2.0
/*
 * Reads or writes a model-specific register of a CPU, for the jobs of test machines.
 *
 *	msr CPU NUMBER			prints the time and the value, or "fault"
 *	msr CPU NUMBER COUNT MS		the same, COUNT times, every MS ms
 *	msr CPU NUMBER = VALUE		writes the value, or prints "fault"
 *
 * The time is the first ns in which a TSC of TSC_KHZ shows what it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

static int fail(const char *what)
{
	fprintf(stderr, "msr: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Returns 0, or an error of which a fault is no error. */
static int result(ssize_t done)
{
	if (done == sizeof(uint64_t))
		return 0;
	if (errno != EIO)
		return fail("cannot access the register");
	puts("fault");
	return -1;
}

static int print_value(int fd, off_t number)
{
	uint64_t value, ns;
	int code;

	code = result(pread(fd, &value, sizeof(value), number));
	ns = ((unsigned __int128)__rdtsc() * 1000000 + TSC_KHZ - 1) / TSC_KHZ;
	if (!code)
		printf("%llu %llu\n", (unsigned long long)ns, (unsigned long long)value);
	return code;
}

static int print_values(int fd, off_t number, unsigned long count, unsigned long ms)
{
	int code = 0;

	for (unsigned long i = 0; i < count && !code; i++) {
		if (i)
			usleep(ms * 1000);
		code = print_value(fd, number);
	}
	return code;
}

static int access_register(int fd, int argc, char **argv)
{
	off_t number = strtoul(argv[2], NULL, 0);
	uint64_t value;

	if (argc == 3)
		return print_value(fd, number);
	if (strcmp(argv[3], "="))
		return print_values(fd, number, strtoul(argv[3], NULL, 0),
				    strtoul(argv[4], NULL, 0));
	value = strtoull(argv[4], NULL, 0);
	return result(pwrite(fd, &value, sizeof(value), number));
}

int main(int argc, char **argv)
{
	char path[64];
	int fd;

	if (argc != 3 && argc != 5) {
		fprintf(stderr, "usage: msr CPU NUMBER [COUNT MS | = VALUE]\n");
		return 1;
	}
	snprintf(path, sizeof(path), "/dev/cpu/%s/msr", argv[1]);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail(path);
	return access_register(fd, argc, argv) > 0;
}

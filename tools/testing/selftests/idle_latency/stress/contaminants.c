// SPDX-License-Identifier: GPL-2.0
/* What can spoil a sample. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>

#include <x86intrin.h>

#include "contaminants.h"
#include "prepare.h"
#include "statistics.h"
#include "stress.h"

struct disturb_log *disturb_start(unsigned int cpu, disturb_once *once, struct contaminant *with)
{
	struct disturb_log *log = mmap(NULL, sizeof(*log),
				       PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	__u64 tsc, count = 0;
	pid_t child;

	if (log == MAP_FAILED)
		return NULL;
	child = fork();
	if (child) {
		log->child = child;
		return child > 0 ? log : NULL;
	}
	/* Its timers must not be late by 50 us, as they may by default. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (!affinity_pin(cpu))
		_exit(1);
	while (once(with, &tsc)) {
		if (count < DISTURB_STAMPS_MAX)
			log->tsc[count] = tsc;
		__atomic_store_n(&log->count, ++count, __ATOMIC_RELEASE);
	}
	_exit(1);
}

bool disturb_stop(const struct disturb_log *log)
{
	return stress_kill(log->child);
}

/* The times are sorted. Returns how many of them are before this one. */
static size_t stamps_before(const struct disturb_log *log, __u64 tsc)
{
	size_t low = 0, high = smaller(log->count, DISTURB_STAMPS_MAX);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->tsc[middle] < tsc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool disturb_between(const struct disturb_log *log, __u64 from_tsc,
		     __u64 to_tsc)
{
	return to_tsc > from_tsc &&
	       stamps_before(log, to_tsc) > stamps_before(log, from_tsc);
}

#define MSR_TSC		0x10
#define BLOCK_SIZE	4096

/*
 * Who was woken stays awake for a while, so that events fire before the CPU can
 * go idle again. The CPU is idle for about as long as events are ahead.
 */
#define AWAKE_NS	30000
#define ASLEEP_NS	90000

static void stay_awake(__u64 ns)
{
	__u64 begin = now_ns();

	while (now_ns() - begin < ns)
		;
}

bool contaminate_by_timer(struct contaminant *with __always_unused, __u64 *tsc)
{
	sleep_ns(ASLEEP_NS);
	*tsc = __rdtsc();
	stay_awake(AWAKE_NS);
	return true;
}

bool contaminate_by_known_timer(struct contaminant *with, __u64 *tsc)
{
	struct timespec at;
	__u64 ns;

	machine_read_clocks(CLOCK_MONOTONIC, tsc, &ns);
	*tsc += ASLEEP_NS * with->rate;
	ns += ASLEEP_NS;
	at.tv_sec = ns / 1000000000;
	at.tv_nsec = ns % 1000000000;
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		return false;
	stay_awake(AWAKE_NS);
	return true;
}

int contaminant_msr_open(unsigned int cpu)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* An emulator may not know this register and read 0, which proves nothing. */
bool contaminate_by_ipi(struct contaminant *with, __u64 *tsc)
{
	return pread(with->fd, tsc, sizeof(*tsc), MSR_TSC) == sizeof(*tsc);
}

/* A disk that is hardware, not made of memory or of other disks. */
static bool is_disk(const char *sysfs_path)
{
	char removable[300], size[300], device[300];
	__u64 is_removable, sectors;

	snprintf(removable, sizeof(removable), "%s/removable", sysfs_path);
	snprintf(size, sizeof(size), "%s/size", sysfs_path);
	snprintf(device, sizeof(device), "%s/device", sysfs_path);
	return sysfs_read_number(removable, &is_removable) && !is_removable &&
	       sysfs_read_number(size, &sectors) && sectors && !access(device, F_OK);
}

static int open_block(const char *sysfs_path)
{
	char path[300];

	snprintf(path, sizeof(path), "/dev/%s", strrchr(sysfs_path, '/') + 1);
	return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

int contaminant_disk_open(void)
{
	glob_t found = { };
	int fd = -1;

	if (!glob("/sys/block/*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && fd < 0; i++)
			if (is_disk(found.gl_pathv[i]))
				fd = open_block(found.gl_pathv[i]);
	globfree(&found);
	return fd;
}

bool contaminate_by_disk(struct contaminant *with, __u64 *tsc)
{
	static char block[2 * BLOCK_SIZE];
	char *aligned = block + BLOCK_SIZE - (uintptr_t)block % BLOCK_SIZE;

	*tsc = 0;
	return pread(with->fd, aligned, BLOCK_SIZE, 0) == BLOCK_SIZE;
}

bool contaminate_by_waking(struct contaminant *with, __u64 *tsc)
{
	*tsc = 0;
	sleep_ns(ASLEEP_NS);
	return write(with->fd, "", 1) == 1;
}

bool contaminate_by_being_woken(struct contaminant *with, __u64 *tsc)
{
	char byte;
	ssize_t got = read(with->fd, &byte, 1);

	*tsc = __rdtsc();
	return got == 1;
}

bool contaminant_irqs_move(unsigned int cpu)
{
	glob_t found = { };
	char text[16];
	int step = 0;

	snprintf(text, sizeof(text), "%u", cpu);
	if (!glob("/proc/irq/*/smp_affinity_list", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && step >= 0; i++) {
			step = undo_file(found.gl_pathv[i]);
			if (step >= 0 && !sysfs_write(found.gl_pathv[i], text))
				undo_withdraw(step);
		}
	globfree(&found);
	return step >= 0;
}

#define SYSRQ		"/proc/sysrq-trigger"
#define CONSOLE		"/proc/sys/kernel/printk"
/* Which by itself takes ten messages of a program in 5 s. */
#define LOG_LIMIT	"/proc/sys/kernel/printk_devkmsg"
/* Whether a CPU that is idle says more than that. */
#define IDLE_TOO	"/sys/module/nmi_backtrace/parameters/backtrace_idle"

/* So that each meets an event of its own. */
#define NMI_DISTANCE_NS		3000000

/* What the log has from us: the time at which we wrote that is known by both clocks. */
#define MARK		"idle_latency: an NMI comes"
/* As exactly as this. */
#define MARK_NS		10000
#define MARK_TRIES	20

/* The kernel refuses to write what its command line has fixed, even if that is the same. */
static bool set(const char *path, const char *text)
{
	char now[64];

	return (sysfs_read_line(path, now, sizeof(now)) && !strcmp(now, text)) ||
	       undo_change(path, text);
}

const char *contaminant_nmi_open(struct contaminant *sender, unsigned int cpu, double rate)
{
	*sender = (struct contaminant) { .cpu = cpu, .rate = rate };
	if (access(SYSRQ, W_OK))
		return "no CONFIG_MAGIC_SYSRQ to have NMIs sent with";
	sender->fd = open("/dev/kmsg", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (sender->fd < 0)
		return "the log of the kernel cannot be read";
	if (!set(CONSOLE, "1") || !set(LOG_LIMIT, "on") || !set(IDLE_TOO, "Y"))
		return "the kernel cannot be told what to print of an NMI";
	return NULL;
}

/*
 * Reads the log on to what begins like this. Returns the time of the message in us, by
 * the clock of the log, or 0 when there is none.
 */
static __u64 find_message(int kmsg, const char *begins)
{
	char record[1024];
	__u64 us;
	ssize_t got;
	char *text;

	while ((got = read(kmsg, record, sizeof(record) - 1)) > 0 ||
	       (got < 0 && errno == EPIPE)) {
		if (got < 0)
			continue;
		record[got] = '\0';
		text = strchr(record, ';');
		if (text && !strncmp(text + 1, begins, strlen(begins)) &&
		    sscanf(record, "%*u,%*u,%llu", &us) == 1)
			return us;
	}
	return 0;
}

/* Writes to the log. Returns when that was, or 0 when it is not known well enough. */
static __u64 mark(const struct contaminant *sender)
{
	__u64 begin, end;

	for (unsigned int i = 0; i < MARK_TRIES; i++) {
		lseek(sender->fd, 0, SEEK_END);
		begin = __rdtsc();
		if (write(sender->fd, MARK, strlen(MARK)) < 0)
			return 0;
		end = __rdtsc();
		if (end - begin < MARK_NS * sender->rate)
			return begin + (end - begin) / 2;
	}
	return 0;
}

bool contaminate_by_nmi(struct contaminant *sender, __u64 *tsc)
{
	__u64 mark_us, nmi_us;
	char handled[64];

	if (sender->sent++ == NMI_MAX)
		pause();
	sleep_ns(NMI_DISTANCE_NS);
	*tsc = mark(sender);
	if (!*tsc || !sysfs_write(SYSRQ, "l"))
		return false;
	snprintf(handled, sizeof(handled), "NMI backtrace for cpu %u",
		 sender->cpu);
	mark_us = find_message(sender->fd, MARK);
	nmi_us = find_message(sender->fd, handled);
	*tsc += (nmi_us - mark_us) * 1000 * sender->rate;
	return mark_us && nmi_us;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all programs share: files of the kernel, CPUs and their idle states, the
 * device and its sessions, and the machine that they run on.
 */
#ifndef IDLE_LATENCY_UTIL_H
#define IDLE_LATENCY_UTIL_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

#include <linux/idle_latency.h>
#include <linux/types.h>

#include "kselftest.h"

/* Numbers of reasons and of counters that are known here; the kernel may have more. */
#define IDLE_LATENCY_DISCARD_MAX	(IDLE_LATENCY_DISCARD_EARLY_INTR + 1)
#define IDLE_LATENCY_RESIDENCY_MAX	(IDLE_LATENCY_RESIDENCY_C0 + 1)
/* Likewise the flags of records. */
#define IDLE_LATENCY_RECORD_KNOWN	(2 * IDLE_LATENCY_RECORD_MODULE - 1)

/* Residency counters as bits, as records have them. */
#define COUNTER(name)	(1U << IDLE_LATENCY_RESIDENCY_##name)
#define PACKAGE_COUNTERS \
	(COUNTER(PC2) | COUNTER(PC3) | COUNTER(PC6) | COUNTER(PC7) | COUNTER(PC8) | \
	 COUNTER(PC9) | COUNTER(PC10))

/* Files that hold one short line, or one line per thing. */

/* Reads the first line of a file, without its end. */
bool sysfs_read_line(const char *path, char *line, size_t size);
/* The same for people: "unknown" where it cannot be read, "none" where it is empty. */
void sysfs_read_text(const char *path, char *text, size_t size);
bool sysfs_read_number(const char *path, __u64 *number);
bool sysfs_write(const char *path, const char *text);

/* Was the kernel started with this, such as idle=poll? */
bool command_line_has(const char *argument);

/* A decimal number that is the whole text. */
bool parse_number(const char *text, __u64 *number);

/* The value in a line "name: value", or NULL when that is not its name. */
const char *parse_field(const char *line, const char *name);

/* A text that is put together piece by piece; what does not fit is cut off. */

struct text {
	char *text;
	size_t size;
	size_t used;
};

/* An empty text in this memory, of at least one byte. */
struct text text_begin(char *memory, size_t size);

/* Returns false when not all of it fitted. */
__printf(2, 3) bool text_add(struct text *text, const char *format, ...);

/* Random numbers that a seed repeats, for the fuzzer. */

struct dice {
	__u64 state;
};

/* From 0 to sides - 1. */
__u64 dice_below(struct dice *dice, __u64 sides);

/* From low to high, each order of magnitude as probable as the others. */
__u64 dice_scale(struct dice *dice, __u64 low, __u64 high);

/* True once in @times. */
bool dice_once_in(struct dice *dice, __u64 times);

#define NS_PER_SEC 1000000000ULL

/* Of CLOCK_MONOTONIC. */
__u64 now_ns(void);
void sleep_ns(__u64 ns);

static inline void sleep_ms(unsigned int ms)
{
	sleep_ns(ms * 1000000ULL);
}

/* Takes CAP_SYS_ADMIN from this process, or gives it back. */
bool set_sys_admin(bool effective);

/* Lists of CPUs in the format of sysfs, such as 0,2-3. */

/* As many as the kernel supports on x86. */
#define CPU_LIST_MAX 8192

struct cpu_list {
	unsigned int cpu[CPU_LIST_MAX];
	size_t count;
};

bool cpu_list_parse(const char *text, struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, unsigned int cpu);
/* One that sysfs has of all CPUs: online, offline or possible. */
bool cpu_list_read(const char *name, struct cpu_list *list);
#define cpu_list_online(list)	cpu_list_read("online", list)
/* One of the topology of a CPU, such as core_cpus_list, with itself; false: it is empty. */
bool cpu_list_near(unsigned int cpu, const char *what, struct cpu_list *list);
void cpu_list_text(const struct cpu_list *list, char *memory, size_t size);

/* Where this program runs. */

/*
 * The online CPUs that this program was allowed to run on when it began. CPUs
 * that were isolated at boot or by a cpuset are not among them, unless the
 * caller has asked for them. One that keeps the time of a nohz_full system is the last.
 */
bool affinity_allowed(struct cpu_list *cpus);

/*
 * The CPU whose tick never stops, because others have none (nohz_full=): the first that is
 * online and not among those. Returns false where all are alike.
 */
bool cpu_list_timekeeper(const struct cpu_list *online, const char *nohz_full, unsigned int *cpu);
/* Leaves those of a list that are in another one, and sets the others. */
void cpu_list_split(struct cpu_list *list, const struct cpu_list *of, struct cpu_list *others);
/* Moves a CPU of the list to its end. */
void cpu_list_postpone(struct cpu_list *list, unsigned int cpu);
bool cpu_keeps_time(unsigned int cpu);

bool affinity_pin(unsigned int cpu);

/* Run anywhere that the caller allows but there, where that is possible. */
void affinity_avoid(unsigned int cpu);

/*
 * The type of a CPU: leaf 0x1a of CPUID, EAX (SDM volume 2, CPUID), the core type
 * in bits 31-24 and the native model in bits 23-0. 0: the processor has one type
 * only, or the CPU cannot be asked. Leaves the calling thread on a CPU that was asked.
 */
__u32 cores_type(unsigned int cpu);

/* "core", "atom", or the number; "" for 0. */
void cores_type_name(__u32 type, char *name, size_t size);

/* The first CPU of each type; types[i] is that of cpus->cpu[i]. */
void cores_first_of_each(const struct cpu_list *cpus, const __u32 *types, struct cpu_list *chosen);

/* The same of the CPUs that this program may run on; false where none is known. */
bool cores_choose(struct cpu_list *chosen);

/* What cpuidle says about the idle states of a CPU. */

/* CPUIDLE_STATE_MAX and CPUIDLE_NAME_LEN of the kernel */
#define IDLE_STATES_MAX		10
#define IDLE_STATE_NAME_LEN	16

/* More than the kernel has. */
#define IDLE_GOVERNORS_MAX	8

struct idle_state {
	char name[IDLE_STATE_NAME_LEN + 1];
	unsigned int index;
	__u64 latency_us;
	__u64 residency_us;
	__u64 disable;
	__u64 usage;
};

struct idle_states {
	struct idle_state state[IDLE_STATES_MAX];
	size_t count;
};

struct idle_governors {
	char name[IDLE_GOVERNORS_MAX][IDLE_STATE_NAME_LEN + 1];
	size_t count;
	/* the one that is used */
	char used[IDLE_STATE_NAME_LEN + 1];
};

/* Returns false where no cpuidle driver is registered. */
bool cpuidle_driver(char *name, size_t size);

/* Returns false where the CPU has no idle states. */
bool cpuidle_states(unsigned int cpu, struct idle_states *states);

/* Writes the disable file of a state; as undo_change(), see prepare.h. */
bool cpuidle_disable(unsigned int cpu, unsigned int state, bool disable);

/* Whether the CPU has the same states as before, and their disable files say the same. */
bool same_disable(unsigned int cpu, const struct idle_states *before);

/* How often other states than this one were entered between two readings. */
__u64 other_usage(const struct idle_states *before,
		  const struct idle_states *after, unsigned int state);

/* Returns false where the governor cannot be changed. */
bool cpuidle_governors(struct idle_governors *governors);
/* As undo_change(). */
bool cpuidle_use_governor(const char *name);

/*
 * The states that can be judged: POLL is not idle, what declares no latency has nothing to
 * be held to, and what the administrator has disabled may hang the machine.
 */
void idle_states_judged(const struct idle_states *all, struct idle_states *judged);

/*
 * Those of @all in a comma-separated list of names and indexes. Returns false,
 * and the item in @unknown, where there is no such state.
 */
bool idle_states_choose(const struct idle_states *all, const char *list,
			struct idle_states *chosen, char *unknown, size_t size);

/* The calls of /dev/idle_latency; each returns 0 or more, or -errno. */

#define DEVICE_PATH "/dev/idle_latency"

/* For the entry_ns of a session, where nobody has measured how long that takes. */
#define ENTRY_NS_DEFAULT	1000

int device_open(int flags);

/* ioctl(), also of another device */
int device_call(int fd, unsigned long command, const void *argument);
int device_config(int fd, const struct idle_latency_config *config);
int device_start(int fd);
/* Both of them. */
int device_begin(int fd, const struct idle_latency_config *config);
int device_stop(int fd);
int device_counts(int fd, struct idle_latency_counts *counts);
/* @state: with the CPU and the index set */
int device_state(int fd, struct idle_latency_state *state);

/* Returns the number of records read. */
ssize_t device_read(int fd, struct idle_latency_record *records, size_t room);

/* The network cards that are bound to the driver idle_latency. */

#define CARD_DRIVER	"/sys/bus/pci/drivers/idle_latency"

size_t card_count(void);

/* Finds the address of the first one, such as 0000:01:00.0; false when there is none. */
bool card_find(char *address, size_t size);

#include "session.h"
#include "machine.h"

#endif

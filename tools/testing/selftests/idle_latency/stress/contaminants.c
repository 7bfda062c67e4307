// SPDX-License-Identifier: GPL-2.0
/* What can spoil a sample. */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <x86intrin.h>

#include "contaminants.h"

static void disturb(struct disturb_log *log, disturb_once *once, void *context)
{
	__u64 tsc, count = 0;

	while (once(context, &tsc)) {
		if (count < DISTURB_STAMPS_MAX)
			log->tsc[count] = tsc;
		__atomic_store_n(&log->count, ++count, __ATOMIC_RELEASE);
	}
}

bool disturb_start(struct disturbance *disturbance, unsigned int cpu,
		   disturb_once *once, void *context)
{
	struct disturb_log *log = mmap(NULL, sizeof(*log),
				       PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (log == MAP_FAILED)
		return false;
	disturbance->log = log;
	disturbance->child = fork();
	if (disturbance->child)
		return disturbance->child > 0;
	/* A test that fails must not leave it behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Its timers must not be late by 50 us, as they may by default. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (affinity_pin(cpu))
		disturb(log, once, context);
	_exit(1);
}

bool disturb_stop(struct disturbance *disturbance)
{
	int status;

	kill(disturbance->child, SIGKILL);
	return waitpid(disturbance->child, &status, 0) == disturbance->child &&
	       WIFSIGNALED(status);
}

void disturb_free(struct disturbance *disturbance)
{
	if (disturbance->log)
		munmap(disturbance->log, sizeof(*disturbance->log));
	disturbance->log = NULL;
}

static size_t stamps(const struct disturb_log *log)
{
	return log->count < DISTURB_STAMPS_MAX ? log->count :
						 DISTURB_STAMPS_MAX;
}

/* The times are sorted. Returns how many of them are before this one. */
static size_t stamps_before(const struct disturb_log *log, __u64 tsc)
{
	size_t low = 0, high = stamps(log);

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

size_t disturb_inside(const struct disturb_log *log,
		      const struct idle_latency_record *records, size_t count)
{
	size_t inside = 0;

	for (size_t i = 0; i < count; i++)
		inside += !records[i].reasons &&
			  disturb_between(log, records[i].tbi_tsc,
					  records[i].tintr_tsc);
	return inside;
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

static bool sleep_ns(__u64 ns)
{
	const struct timespec time = { .tv_nsec = ns };

	return !nanosleep(&time, NULL);
}

bool contaminate_by_timer(void *context, __u64 *tsc)
{
	(void)context;
	if (!sleep_ns(ASLEEP_NS))
		return false;
	*tsc = __rdtsc();
	stay_awake(AWAKE_NS);
	return true;
}

bool contaminate_by_known_timer(void *context, __u64 *tsc)
{
	const double *rate = context;
	struct timespec at;
	__u64 ns;

	machine_read_clocks(CLOCK_MONOTONIC, tsc, &ns);
	*tsc += ASLEEP_NS * *rate;
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
bool contaminate_by_ipi(void *context, __u64 *tsc)
{
	const int *fd = context;

	return pread(*fd, tsc, sizeof(*tsc), MSR_TSC) == sizeof(*tsc);
}

/* A disk that is hardware, not made of memory or of other disks. */
static bool is_disk(const char *sysfs_path)
{
	char path[300];
	__u64 removable, sectors;

	snprintf(path, sizeof(path), "%s/removable", sysfs_path);
	if (!sysfs_read_number(path, &removable) || removable)
		return false;
	snprintf(path, sizeof(path), "%s/size", sysfs_path);
	if (!sysfs_read_number(path, &sectors) || !sectors)
		return false;
	snprintf(path, sizeof(path), "%s/device", sysfs_path);
	return !access(path, F_OK);
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

bool contaminate_by_disk(void *context, __u64 *tsc)
{
	static char block[2 * BLOCK_SIZE];
	char *aligned = block + BLOCK_SIZE - (uintptr_t)block % BLOCK_SIZE;
	const int *fd = context;

	*tsc = 0;
	return pread(*fd, aligned, BLOCK_SIZE, 0) == BLOCK_SIZE;
}

bool contaminate_by_waking(void *context, __u64 *tsc)
{
	const int *fd = context;

	*tsc = 0;
	return sleep_ns(ASLEEP_NS) && write(*fd, "", 1) == 1;
}

bool contaminate_by_being_woken(void *context, __u64 *tsc)
{
	const int *fd = context;
	char byte;
	ssize_t got = read(*fd, &byte, 1);

	*tsc = __rdtsc();
	return got == 1;
}

static bool move(struct irq_affinity *before, const char *path, const char *cpu)
{
	snprintf(before->path, sizeof(before->path), "%s", path);
	return sysfs_read_line(path, before->cpus, sizeof(before->cpus)) &&
	       sysfs_write(path, cpu);
}

void irq_affinity_move(struct irq_affinities *before, unsigned int cpu)
{
	glob_t found = { };
	char text[16];
	size_t i;

	snprintf(text, sizeof(text), "%u", cpu);
	before->count = 0;
	if (glob("/proc/irq/*/smp_affinity_list", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc && i < IRQ_AFFINITY_MAX; i++)
		before->count += move(&before->irq[before->count],
				      found.gl_pathv[i], text);
	globfree(&found);
}

void irq_affinity_restore(struct irq_affinities *before)
{
	for (size_t i = 0; i < before->count; i++)
		sysfs_write(before->irq[i].path, before->irq[i].cpus);
	before->count = 0;
}

/* Intel SDM volume 3, "Local APIC" and "Interrupt Command Register". */
#define MSR_APIC_BASE		0x1b
#define APIC_BASE_ENABLED	0x800ULL
#define APIC_BASE_X2APIC	0x400ULL
#define APIC_BASE_ADDRESS	0xffffff000ULL
#define APIC_PAGE_SIZE		4096

#define APIC_ID			0x20
#define APIC_ICR_COMMAND	0x300
#define APIC_ICR_DESTINATION	0x310
#define ICR_DELIVERY_NMI	0x400
#define ICR_PENDING		0x1000
#define ICR_LEVEL_ASSERT	0x4000

/* So that each meets an event of its own. */
#define NMI_DISTANCE_NS		3000000

static bool is_zero(const char *path)
{
	__u64 number;

	return sysfs_read_number(path, &number) && !number;
}

static __u32 apic_read(const struct nmi_sender *sender, unsigned int offset)
{
	return __atomic_load_n(sender->apic + offset / sizeof(*sender->apic),
			       __ATOMIC_SEQ_CST);
}

static void apic_write(const struct nmi_sender *sender, unsigned int offset,
		       __u32 value)
{
	__atomic_store_n(sender->apic + offset / sizeof(*sender->apic), value,
			 __ATOMIC_RELEASE);
}

static bool read_apic_base(unsigned int cpu, __u64 *base)
{
	int fd = contaminant_msr_open(cpu);
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, base, sizeof(*base), MSR_APIC_BASE);
	close(fd);
	return got == sizeof(*base);
}

static bool map_apic(struct nmi_sender *sender, __u64 address)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	void *page;

	if (fd < 0)
		return false;
	page = mmap64(NULL, APIC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, address);
	close(fd);
	if (page == MAP_FAILED)
		return false;
	sender->apic = page;
	return true;
}

const char *nmi_sender_open(struct nmi_sender *sender, unsigned int cpu)
{
	__u64 base;

	*sender = (struct nmi_sender) { };
	if (!is_zero("/proc/sys/kernel/unknown_nmi_panic") ||
	    !is_zero("/proc/sys/kernel/panic_on_unrecovered_nmi"))
		return "an NMI may panic this machine";
	if (!read_apic_base(cpu, &base))
		return "no /dev/cpu/*/msr: run 'modprobe msr' (CONFIG_X86_MSR)";
	if (!(base & APIC_BASE_ENABLED) || base & APIC_BASE_X2APIC)
		return "the registers of the local APIC are not in memory";
	if (!map_apic(sender, base & APIC_BASE_ADDRESS))
		return "/dev/mem does not give access to the local APIC";
	/* Each CPU sees its own local APIC there. */
	if (!affinity_pin(cpu))
		return "cannot run on the CPU";
	sender->destination = apic_read(sender, APIC_ID);
	affinity_avoid(cpu);
	return NULL;
}

static void send(const struct nmi_sender *sender)
{
	while (apic_read(sender, APIC_ICR_COMMAND) & ICR_PENDING)
		;
	apic_write(sender, APIC_ICR_DESTINATION, sender->destination);
	apic_write(sender, APIC_ICR_COMMAND,
		   ICR_DELIVERY_NMI | ICR_LEVEL_ASSERT);
}

bool contaminate_by_nmi(void *context, __u64 *tsc)
{
	const struct timespec distance = { .tv_nsec = NMI_DISTANCE_NS };
	struct nmi_sender *sender = context;

	if (sender->sent++ == NMI_MAX)
		pause();
	nanosleep(&distance, NULL);
	send(sender);
	*tsc = __rdtsc();
	return true;
}

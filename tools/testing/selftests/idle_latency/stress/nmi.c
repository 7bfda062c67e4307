// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>

#include <x86intrin.h>

#include "contaminants.h"
#include "idle_latency_util.h"
#include "nmi.h"

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

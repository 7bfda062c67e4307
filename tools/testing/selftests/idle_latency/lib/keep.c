// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sys/ioctl.h>

#include "environment.h"
#include "keep.h"
#include "prepare.h"
#include "report.h"

#define KEEP_PATH	"/dev/idle_latency_keep"

/* That of intel_idle, of which the driver would not know when somebody writes to it. */
#define C1_DEMOTION	"/sys/devices/system/cpu/cpuidle/intel_c1_demotion"
/* It changes both, and says of the first one. */
#define C1_DEMOTION_BIT		CST_CONFIG_C1_DEMOTION
#define C1_UNDEMOTION_BIT	28

/* Of the PCI device with this address, where the kernel switches both ends of its link. */
#define LINK_FILE	"/sys/bus/pci/devices/%s/link/%s"

#define WORD_BITS	64

static int keep_call(const struct keep *keep, unsigned long command, void *argument)
{
	return ioctl(keep->fd, command, argument) ? errno : 0;
}

bool keep_open(struct keep *keep, struct obstacle *obstacle)
{
	keep->fd = open(KEEP_PATH, O_RDWR | O_CLOEXEC);
	if (keep->fd >= 0)
		return true;
	obstacle->reason = errno == ENOENT ?
			   "no /dev/idle_latency_keep: load a driver that has it" :
			   "/dev/idle_latency_keep cannot be opened";
	snprintf(obstacle->said, sizeof(obstacle->said), "%s: %s", KEEP_PATH, strerror(errno));
	return false;
}

static const char *explain_set(int error)
{
	switch (error) {
	case EPERM:
		return "settings are refused: the kernel is locked down";
	case EOPNOTSUPP:
		return file_has("/proc/cpuinfo", "flags", " hypervisor") ?
		       "settings are refused: this is a virtual machine" :
		       "a setting is not known on this model of CPU";
	case ERANGE:
		return "the model of CPU has no such package limit";
	case EROFS:
		return "a setting is locked by the firmware: unlock it in the setup of that";
	case EBUSY:
		return "another program keeps a setting otherwise: end that";
	case EIO:
		return "the CPU does not take a setting: it reads back differently";
	default:
		return strerror(error);
	}
}

/* @kept: those of the settings that are refused */
static void explain_refused(const struct idle_latency_settings *set, __u32 kept,
			    struct obstacle *obstacle)
{
	struct idle_latency_settings refused = *set;
	char words[SETTINGS_BYTES];

	refused.kept = kept;
	settings_text(&refused, words, sizeof(words));
	if (*words)
		snprintf(obstacle->said, sizeof(obstacle->said), "%s cannot be set", words);
}

bool keep_demotion_is_one(__u64 cst_config)
{
	return !((cst_config >> C1_DEMOTION_BIT ^ cst_config >> C1_UNDEMOTION_BIT) & 1);
}

/*
 * Whether there is the file, and what it says can be put back by it: where the firmware has set
 * only one of its two bits, the driver, which changes that of demotion alone, does it.
 */
static bool has_c1_demotion(void)
{
	static struct cpu_list cpus;
	__u64 value;

	if (access(C1_DEMOTION, F_OK) || !cpu_list_online(&cpus))
		return false;
	for (size_t i = 0; i < cpus.count; i++)
		if (!power_msr_read(cpus.cpu[i], MSR_PKG_CST_CONFIG_CONTROL, &value) &&
		    !keep_demotion_is_one(value))
			return false;
	return true;
}

static bool set_c1_demotion(const struct idle_latency_settings *set, struct obstacle *obstacle)
{
	bool on = set->on & IDLE_LATENCY_SETTING_C1_DEMOTION;

	if (undo_change(C1_DEMOTION, on ? "1" : "0"))
		return true;
	obstacle->reason = "intel_c1_demotion cannot be written";
	explain_refused(set, IDLE_LATENCY_SETTING_C1_DEMOTION, obstacle);
	return false;
}

/* Switching L1 off does the same to its substates, which switching it on does not put back. */
static bool undo_substates(const char *address)
{
	static const char * const names[] = {
		"l1_1_aspm", "l1_2_aspm", "l1_1_pcipm", "l1_2_pcipm",
	};
	char path[128], now[8];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), LINK_FILE, address, names[i]);
		sysfs_read_text(path, now, sizeof(now));
		if (!strcmp(now, "1") && undo_file(path) < 0)
			return false;
	}
	return true;
}

/* What the file says afterwards is what counts: a policy may be against L1. Returns why not. */
static const char *switch_aspm(bool on)
{
	const char *wanted = on ? "1" : "0";
	char address[32], path[128], now[8];

	if (!card_find(address, sizeof(address)))
		return "there is no card whose link could be set: measure by nic";
	snprintf(path, sizeof(path), LINK_FILE, address, "l1_aspm");
	if (access(path, F_OK))
		return "the kernel does not switch the link of the card: it has no L1 or no ASPM";
	if (!undo_substates(address) || !undo_change(path, wanted))
		return "l1_aspm of the link of the card cannot be written";
	sysfs_read_text(path, now, sizeof(now));
	return strcmp(now, wanted) ?
	       "the policy of the kernel leaves L1 off: write powersave to that of pcie_aspm" :
	       NULL;
}

static bool set_aspm(const struct idle_latency_settings *set, struct obstacle *obstacle)
{
	const char *wrong = switch_aspm(set->on & SETTING_ASPM);

	if (!wrong)
		return true;
	obstacle->reason = wrong;
	explain_refused(set, SETTING_ASPM, obstacle);
	return false;
}

/*
 * Demotion is that to C1 and that to C3, and a model may have only the former: then that is all
 * of it. Where the former is not known either, the driver says so the second time.
 */
static int set_by_driver(struct keep *keep, const struct idle_latency_settings *set,
			 struct idle_latency_settings *left)
{
	int error = left->kept ? keep_call(keep, IDLE_LATENCY_KEEP_IOC_SET, left) : 0;

	if (error == EOPNOTSUPP && left->refused == IDLE_LATENCY_SETTING_C3_DEMOTION &&
	    set->kept & IDLE_LATENCY_SETTING_C1_DEMOTION) {
		left->kept &= ~IDLE_LATENCY_SETTING_C3_DEMOTION;
		left->on &= left->kept;
		left->refused = 0;
		error = left->kept ? keep_call(keep, IDLE_LATENCY_KEEP_IOC_SET, left) : 0;
	}
	keep->settings = error ? 0 : left->kept;
	return error;
}

static bool keep_set(struct keep *keep, const struct idle_latency_settings *set,
		     struct obstacle *obstacle)
{
	struct idle_latency_settings left = *set;
	int error;

	left.kept &= ~SETTING_ASPM;
	left.on &= left.kept;
	if (set->kept & IDLE_LATENCY_SETTING_C1_DEMOTION && has_c1_demotion()) {
		if (!set_c1_demotion(set, obstacle))
			return false;
		left.kept &= ~IDLE_LATENCY_SETTING_C1_DEMOTION;
		left.on &= left.kept;
	}
	error = set_by_driver(keep, set, &left);
	if (!error)
		return true;
	obstacle->reason = explain_set(error);
	explain_refused(set, left.refused, obstacle);
	return false;
}

bool keep_begin(struct keep *keep, const struct options *options, struct obstacle *obstacle)
{
	*keep = (struct keep) { .fd = -1 };
	*obstacle = (struct obstacle) { };
	if (options->set.kept & SETTING_ASPM && !set_aspm(&options->set, obstacle))
		return false;
	if (!options->hold && !(options->set.kept & ~SETTING_ASPM))
		return true;
	return keep_open(keep, obstacle) && keep_set(keep, &options->set, obstacle);
}

const char *keep_offers(struct keep *keep)
{
	struct obstacle obstacle = { };

	return keep->fd >= 0 || keep_open(keep, &obstacle) ? NULL : obstacle.reason;
}

void keep_end(struct keep *keep)
{
	if (keep->fd >= 0)
		close(keep->fd);
	keep->fd = -1;
}

static bool read_scope(enum hold hold, unsigned int cpu, struct cpu_list *cpus)
{
	static const char * const names[HOLDS] = {
		[HOLD_CORE] = "core_cpus_list",
		[HOLD_MODULE] = "cluster_cpus_list",
		[HOLD_PACKAGE] = "package_cpus_list",
	};

	return names[hold] ? cpu_list_near(cpu, names[hold], cpus) : hold && cpu_list_online(cpus);
}

bool keep_others(enum hold hold, unsigned int cpu, struct cpu_list *others)
{
	others->count = 0;
	if (!read_scope(hold, cpu, others))
		others->count = 0;
	if (cpu_list_has(others, cpu)) {
		cpu_list_postpone(others, cpu);
		others->count--;
	}
	return others->count;
}

static const char *explain_hold(int error)
{
	switch (error) {
	case ENXIO:
		return "a CPU that is to be held went offline";
	case EBUSY:
		return "somebody else measures or forces a CPU that is to be held: end that";
	case ENODEV:
		return "a CPU that is to be held has no cpuidle driver";
	case ENOENT:
		return "a CPU that is to be held has not this state";
	case EOPNOTSUPP:
		return "nobody can force this state on a CPU that is to be held";
	default:
		return strerror(error);
	}
}

const char *keep_hold(const struct keep *keep, const struct cpu_list *cpus, unsigned int state)
{
	static __u64 words[CPU_LIST_MAX / WORD_BITS];
	struct idle_latency_hold hold = { .cpus = (unsigned long)words, .state = state };
	int error;

	memset(words, 0, sizeof(words));
	for (size_t i = 0; i < cpus->count; i++) {
		const unsigned int cpu = cpus->cpu[i];

		words[cpu / WORD_BITS] |= 1ULL << cpu % WORD_BITS;
		hold.words = larger(hold.words, cpu / WORD_BITS + 1);
	}
	error = keep_call(keep, IDLE_LATENCY_KEEP_IOC_HOLD, &hold);
	return error ? explain_hold(error) : NULL;
}

/* Those that are held for the row that is measured. */
static struct cpu_list others;

static const char *hold_others(const struct keep *keep, const struct row *row)
{
	const char *wrong;

	keep_others(row->hold, row->cpu, &others);
	wrong = keep_hold(keep, &others, row->state.index);
	if (wrong)
		others.count = 0;
	return wrong;
}

const char *keep_row_begin(const struct keep *keep, const struct row *row)
{
	struct idle_latency_kept kept = { };

	others.count = 0;
	if (!keep || keep->fd < 0)
		return NULL;
	keep_call(keep, IDLE_LATENCY_KEEP_IOC_KEPT, &kept);
	if (keep->settings & ~kept.settings)
		return "the machine was suspended and its settings were put back";
	return row->hold ? hold_others(keep, row) : NULL;
}

void keep_row_end(const struct keep *keep, const struct row *row)
{
	struct idle_latency_hold none = { };
	struct idle_latency_kept kept = { };

	if (!keep || keep->fd < 0 || !row->hold)
		return;
	if (!keep_call(keep, IDLE_LATENCY_KEEP_IOC_KEPT, &kept) && kept.cpus < others.count)
		report_line("%s: at its end %u of %zu CPUs were held: %s", row_name(row),
			    kept.cpus, others.count,
			    "the others went offline, or somebody changed their idle states");
	keep_call(keep, IDLE_LATENCY_KEEP_IOC_HOLD, &none);
}

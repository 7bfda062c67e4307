// SPDX-License-Identifier: GPL-2.0
/* Which CPU wakes the measured one by write and ipi. */
#include "measure.h"

/* Without --waker, the nearest one that is no sibling, as that keeps the core awake. */
static const enum waker_place preferred[] = {
	WAKER_MODULE, WAKER_PACKAGE, WAKER_REMOTE, WAKER_SIBLING,
};

static bool shares(const char *what, unsigned int cpu, unsigned int other)
{
	static struct cpu_list cpus;

	return cpu_list_near(cpu, what, &cpus) && cpu_list_has(&cpus, other);
}

static enum waker_place place_of(unsigned int cpu, unsigned int other)
{
	return shares("core_cpus_list", cpu, other) ? WAKER_SIBLING :
	       shares("cluster_cpus_list", cpu, other) ? WAKER_MODULE :
	       shares("package_cpus_list", cpu, other) ? WAKER_PACKAGE : WAKER_REMOTE;
}

/* Nothing is to run there but what somebody puts there. */
static bool is_isolated(unsigned int cpu)
{
	static struct cpu_list cpus;

	return (cpu_list_read("isolated", &cpus) && cpu_list_has(&cpus, cpu)) ||
	       (cpu_list_read("nohz_full", &cpus) && cpu_list_has(&cpus, cpu));
}

/* Returns whether there is one at that place. */
static bool find(const struct cpu_list *online, enum waker_place place, unsigned int cpu,
		 struct waker *waker)
{
	for (size_t i = 0; i < online->count; i++) {
		const unsigned int other = online->cpu[i];

		if (other == cpu || is_isolated(other) || place_of(cpu, other) != place)
			continue;
		*waker = (struct waker) { .cpu = other, .place = place };
		return true;
	}
	return false;
}

static struct waker named(const struct cpu_list *online, unsigned int cpu, __u64 other)
{
	struct waker waker = { .cpu = cpu };

	if (other == cpu)
		waker.hindrance = "the waker is the CPU itself: name another one";
	else if (other >= CPU_LIST_MAX || !cpu_list_has(online, other))
		waker.hindrance = "the waker is offline: bring it online or name another CPU";
	else if (is_isolated(other))
		waker.hindrance = "the waker is isolated or nohz_full: name another CPU";
	else
		waker = (struct waker) { .cpu = other, .place = place_of(cpu, other) };
	return waker;
}

struct waker waker_choose(const struct options *options, unsigned int cpu)
{
	static const char * const missing[WAKER_PLACES] = {
		[WAKER_ANY] = "there is no other CPU to wake this one that is not isolated",
		[WAKER_SIBLING] = "no other thread of the core is online and not isolated",
		[WAKER_MODULE] = "no other core of the module is online and not isolated",
		[WAKER_PACKAGE] = "no other core of the package is online and not isolated",
		[WAKER_REMOTE] = "no other package has a CPU that is online and not isolated",
	};
	struct waker waker = { .cpu = cpu, .hindrance = missing[options->waker] };
	static struct cpu_list online;

	if (!cpu_list_online(&online))
		return waker;
	if (options->has_waker_cpu)
		return named(&online, cpu, options->waker_cpu);
	if (options->waker) {
		find(&online, options->waker, cpu, &waker);
		return waker;
	}
	for (size_t i = 0; i < ARRAY_SIZE(preferred); i++)
		if (find(&online, preferred[i], cpu, &waker))
			break;
	return waker;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* What latency_test is asked to do. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdio.h>

#include <linux/idle_latency_keep.h>

#include "idle_latency_util.h"
#include "statistics.h"

/* How far ahead events are armed. */
struct launch_distance {
	__u64 from_ns;
	__u64 to_ns;
};

/*
 * One launch distance after the other: each range is so many percent of its begin long, at
 * least 1 ns, and the last one ends where all of them do.
 */
struct sweep {
	struct launch_distance ldist;
	/* 0: no sweep */
	unsigned int percent;
};

struct method {
	unsigned int source;
	const char *name;
	/* another CPU wakes the measured one; only where --methods names it */
	bool has_waker;
};

/* In the order of enum idle_latency_source. */
#define METHODS 5
extern const struct method methods[METHODS];

static inline size_t method_index(unsigned int source)
{
	return source - IDLE_LATENCY_SOURCE_HRT;
}

/* NULL where there is none. */
const struct method *method_named(const char *name);

const char *stamp_name(unsigned int stamp);

/* All records of a row are kept in memory until it is judged. */
#define SAMPLES_MAX	1000000

/* Which CPUs beside the measured one are held in the state that is measured. */
enum hold {
	HOLD_NONE,
	HOLD_CORE,
	HOLD_MODULE,
	HOLD_PACKAGE,
	HOLD_ALL,
	HOLDS
};

/*
 * Where the CPU is that wakes the measured one: another thread of its core, another core of its
 * module or of its package, or another package.
 */
enum waker_place {
	WAKER_ANY,
	WAKER_SIBLING,
	WAKER_MODULE,
	WAKER_PACKAGE,
	WAKER_REMOTE,
	WAKER_PLACES,
};

/* As --waker has it; "" for WAKER_ANY. */
const char *waker_place_name(enum waker_place place);

/* As --hold has it; "" where none are. */
const char *hold_name(enum hold hold);

/* "demotion" of --set is both. */
#define SETTING_DEMOTION \
	(IDLE_LATENCY_SETTING_C1_DEMOTION | IDLE_LATENCY_SETTING_C3_DEMOTION)

/* Whether the link to the card may sleep in L1, which the driver leaves to the kernel. */
#define SETTING_ASPM	0x80000000U

/* Room for all settings as a text. */
#define SETTINGS_BYTES	80

/* As --set has them, but in an order of their own: "prewake=off package-limit=pc6". */
void settings_text(const struct idle_latency_settings *settings, char *text, size_t size);

/* Counts up when the meaning of an option, a column or a result changes. */
#define VERSION 1

/* An option of the same name says what each is for. */
struct options {
	/* all of them, as they were given */
	const char * const *arguments;
	bool help;
	bool scan;
	bool self_check;
	bool plain;
	bool quiet;
	bool top;
	bool force;
	bool keep_discarded;
	const char *machine;
	const char *cpu_model;
	/* BIT(source) of each enum idle_latency_source to measure with */
	unsigned int methods;
	/* the user has chosen them */
	bool methods_named;
	/* empty: one CPU of each core type */
	struct cpu_list cpus;
	bool all_cpus;
	/* NULL, or the name of a core type: all of its CPUs */
	const char *core_type;
	/* NULL: every state that can be judged */
	const char *states;
	unsigned int samples;
	/* 0: as long as the samples take */
	unsigned int seconds;
	/* to_ns is 0 where each state gets what suits it */
	struct launch_distance ldist;
	struct sweep sweep;
	/* enum idle_latency_stamp; 0: the closest that the kernel has */
	unsigned int stamp;
	/* parts per billion; QUANTILE_ONE: the maximum */
	__u64 quantile;
	bool has_limit;
	__u64 limit_ns;
	/* each CPU has a result in KTAP, and lines, also where there are many */
	bool ktap_per_cpu;
	enum hold hold;
	/* the CPU that is named, where one is */
	enum waker_place waker;
	bool has_waker_cpu;
	__u64 waker_cpu;
	/* for the whole run; kept is 0 where there are none */
	struct idle_latency_settings set;
	const char *out;
};

/*
 * How many samples that count make a PASS. Where the time is limited, the bound of
 * 1 % that 300 samples give is better than no verdict.
 */
size_t options_least(const struct options *options);

/* A method that was chosen has another CPU wake the measured one. */
bool options_have_waker(const struct options *options);

/*
 * Where other CPUs are held, in how many of these module or package must be asleep, so that a PASS
 * is one of these, too.
 */
size_t options_asleep(const struct options *options);

/* So many CPUs have a row each in what people read; of more, those that matter. */
#define CPUS_SHOWN	8

static inline bool options_many(const struct options *options)
{
	return options->cpus.count > CPUS_SHOWN;
}

static inline bool options_each_cpu(const struct options *options)
{
	return !options_many(options) || options->ktap_per_cpu;
}

/* "max", or a quantile such as "0.9999". */
void quantile_name(__u64 quantile, char *name, size_t size);

/*
 * Parses what follows the name of the program. Returns false, and a line that
 * names what is wrong in @error.
 */
bool options_parse(const char * const *arguments, struct options *options,
		   char *error, size_t size);
void options_help(FILE *file);

#endif

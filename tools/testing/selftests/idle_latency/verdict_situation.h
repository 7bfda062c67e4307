/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files in verdict/ can say of the parts of latency_test that need no device: what
 * verdict_case.c sets, and verdict_says.c gives to the functions that it calls.
 */
#ifndef VERDICT_SITUATION_H
#define VERDICT_SITUATION_H

#include "causes.h"
#include "environment.h"
#include "interrupts.h"
#include "keep.h"
#include "meanwhile.h"
#include "packed.h"
#include "phases.h"
#include "progress.h"
#include "report.h"
#include "self_check.h"
#include "summary.h"
#include "types.h"

/* Room for the longest text that is said. */
#define CASE_BYTES	4096

#define SAMPLES_ROOM	110000
#define KEPT_ROOM	400
#define ROWS		8
#define STEPS		5
#define STATES		5
#define LEVELS		3

/* All that a case can be about. */
struct situation {
	struct verdict_rule rule;
	struct verdict_evidence evidence;
	struct idle_latency_counts counts;
	struct verdict verdict;
	struct idle_latency_config config;
	struct row row, rows[ROWS];
	struct result result, results[ROWS];
	struct summary far;
	struct collection collection;
	struct stratum parts[STEPS];
	struct progress progress;
	struct stratum steps[STEPS];
	struct sweep sweep;
	struct launch_distance distance;
	struct order_stats nic, timer;
	struct margin margin;
	struct csv_run run;
	struct options options;
	struct measured_cpu cpu;
	struct software seen;
	struct idle_states named;
	struct proposal_state table[STATES];
	struct causes causes;
	struct self_check check;
	struct cpu_time before, after;
	unsigned char pci[256];
	__u32 types[STATES];
	/* of calls that take no structure */
	struct {
		/* room for what a function writes */
		size_t size;
		__u64 n, k, number, of[4];
		double p;
		bool terminal, by_nic;
		const char *list, *name, *text, *vendor, *family, *model, *args;
		const struct method *method;
		char error[512];
	} with;
	/* a latency that depends on SilentTime: levels[i] below until_ns[i] */
	struct {
		__u64 levels[LEVELS], until_ns[LEVELS], wobble, divisor;
	} swept;
};

extern struct situation now;

extern struct idle_latency_record samples[SAMPLES_ROOM], kept[KEPT_ROOM];

/* Of enum step_change. */
extern const char * const changes[];

/* Sets what "rule.limit_ns" or "wake_ns[1-3]" names. Returns NULL, or what is wrong. */
const char *case_set(const char *name, const char *value);

/* Adds what the function or the value with this name says. Returns false where there is none. */
bool case_say(const char *name, struct text *text);

/* The same of functions alone, which are those that the files of functions add. */
bool say(const char *name, struct text *text);
void add_function(const char *name, void (*say)(struct text *text));

#define SAYING(what) \
	static void say_##what(struct text *text); \
	static void __attribute__((constructor)) add_##what(void) \
	{ \
		add_function(#what, say_##what); \
	} \
	static void say_##what(struct text *text)
#define SAYS(what, ...) \
	static void say_##what(struct text *text); \
	SAYING(what) \
	{ \
		text_add(text, __VA_ARGS__); \
	}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The values that a case of the verdict sets, or looks at.
 */
#include <stdlib.h>
#include <string.h>

#include "verdict_situation.h"

struct situation now;
struct idle_latency_record samples[SAMPLES_ROOM], kept[KEPT_ROOM];

/* Names of values, by value or by bit. */

static const char * const record_flags[] = {
	"wake", "forced", "counted", "reached", "package", "pending", "deadline", NULL,
};

static const char * const state_flags[] = {
	"polls", "timer_stop", "package", "prewake", "demotion", "c1e", "no_pc6", "virtual",
	"no_prewake", NULL,
};

static const char * const reasons[] = {
	"stopped", "spurious", "late", "lost", "other_cpu", "no_idle", "other_state", "tsc",
	"foreign_timer", "foreign_irq", "nmi", "smi", "woken", "stamps", "before_idle",
	"after_idle", "early_intr", NULL,
};

static const char * const counters[] = {
	"CC1", "CC3", "CC6", "CC7", "MC6", "PC2", "PC3", "PC6", "PC7", "PC8", "PC9", "PC10", "C0",
	NULL,
};

static const char * const results[] = { "PASS", "FAIL", "SKIP", NULL };
static const char * const sources[] = { "none", "hrt", "tdt", "nic", NULL };
static const char * const stamps[] = { "unknown", "probe", "enter", NULL };
const char * const changes[] = { "same", "slower", "faster", NULL };

enum kind {
	NUMBER,
	REAL,
	TEXT,
	CHARS,
	METHOD,
};

struct value {
	const char *name;
	void *first;
	size_t size;
	enum kind kind;
	const char * const *names;
	/* the names are of bits */
	bool bits;
};

#define IS(type, as) __builtin_types_compatible_p(type, as)
#define KIND(type) (IS(type, const char *) ? TEXT : IS(type, char[sizeof(type)]) ? CHARS : \
		    IS(type, double) ? REAL : IS(type, const struct method *) ? METHOD : NUMBER)
#define A(as, of) { as, &(of), sizeof(of), KIND(typeof(of)), NULL, false }
#define V(of) A(#of, of)
#define N(of, names) { #of, &(of), sizeof(of), NUMBER, names, false }
#define B(of, names) { #of, &(of), sizeof(of), NUMBER, names, true }

/* Of an array that is in an array, the first element has it. */
static const struct value values[] = {
	V(now.rule.limit_ns), V(now.rule.residency_ns), V(now.rule.quantile), V(now.rule.wanted),
	V(now.rule.counter_known), V(now.rule.counter), V(now.rule.package_included),
	V(now.rule.firmware), V(now.rule.keeps_time), V(now.rule.by_card), V(now.rule.lower_bound),
	V(now.rule.virtual), V(now.rule.instrument.delivery_ns), V(now.rule.instrument.software_ns),
	V(now.rule.instrument.tick_ns), V(now.rule.instrument.rate_ppb),
	V(now.rule.instrument.unknown), V(now.rule.entry_ns), V(now.rule.best),
	V(now.rule.best_error_ns), V(now.rule.awake_count), V(now.rule.nic_count),
	V(now.rule.nic_reached), V(now.rule.awake.min), V(now.rule.awake.median),
	V(now.rule.awake.p99), V(now.rule.awake.p9999), V(now.rule.awake.max),
	V(now.rule.awake.has_p99), V(samples[0].seq), V(samples[0].event), V(samples[0].ldist_ns),
	V(samples[0].ltime_ns), V(samples[0].silent_ns), V(samples[0].wake_ns),
	V(samples[0].intr_ns), V(samples[0].error_ns), V(samples[0].tbi_cyc), V(samples[0].tai_cyc),
	V(samples[0].tintr_cyc), V(samples[0].interval_cyc), V(samples[0].aperf_cyc),
	V(samples[0].mperf_cyc), B(samples[0].residency_present, counters),
	B(samples[0].residency_invalid, counters), B(samples[0].flags, record_flags),
	V(samples[0].cpu), V(samples[0].state), N(samples[0].source, sources),
	N(samples[0].stamp, stamps), V(samples[0].idle_periods), V(samples[0].warmup_ns),
	V(samples[0].latch_ns), B(samples[0].reasons, reasons), V(samples[0].deadline_ns),
	V(samples[0].residency_cyc[0]), V(now.evidence.count), V(now.evidence.discarded_count),
	V(now.evidence.error), V(now.evidence.causes), V(now.counts.armed), V(now.counts.delivered),
	V(now.counts.pending), V(now.counts.kept), V(now.counts.discarded[0]),
	V(now.counts.above[0]), V(now.counts.largest_ns[0]), V(now.counts.advanced_cyc),
	V(now.counts.between_cyc), N(now.verdict.result, results), V(now.verdict.qualifiers),
	V(now.verdict.firmware), V(now.verdict.reason), V(now.verdict.figures),
	V(now.verdict.above), V(now.verdict.discarded_above), V(now.verdict.reached),
	V(now.verdict.package), V(now.verdict.p_upper), V(now.verdict.p_lower),
	V(now.verdict.smallest_pass_ns), V(now.verdict.none_above_ns),
	V(now.verdict.smallest_p9999_ns), V(now.verdict.has_p9999), V(now.config.ldist_from_ns),
	V(now.config.ldist_to_ns), V(now.config.flags), V(now.config.cpu), V(now.config.state),
	N(now.config.source, sources), V(now.row.cpu), V(now.row.method), V(now.row.state.name),
	V(now.row.state.disable), V(now.row.info.exit_latency_ns),
	N(now.row.info.core_counter, counters), N(now.row.info.package_counter, counters),
	B(now.row.info.flags, state_flags), V(now.result.summary.ran),
	N(now.result.summary.stamp, stamps), V(now.result.summary.valid),
	V(now.result.summary.counted), V(now.result.summary.package_counted),
	V(now.result.summary.wake.min), V(now.result.summary.wake.median),
	V(now.result.summary.wake.p99), V(now.result.summary.wake.p9999),
	V(now.result.summary.wake.max), V(now.result.summary.wake.has_p99),
	V(now.result.summary.wake.has_p9999), V(now.result.summary.intr.min),
	V(now.result.summary.intr.median), V(now.result.summary.intr.p99),
	V(now.result.summary.intr.p9999), V(now.result.summary.intr.max),
	V(now.result.summary.has_wake), V(now.result.summary.median_error_ns),
	V(now.result.summary.median_uncertain_ns), V(now.result.summary.instrument.delivery_ns),
	V(now.result.summary.instrument.software_ns), V(now.result.summary.instrument.tick_ns),
	V(now.result.summary.instrument.rate_ppb), V(now.result.summary.instrument.unknown),
	V(now.result.summary.counts.armed), V(now.result.summary.counts.delivered),
	V(now.result.summary.counts.discarded[0]), V(now.result.summary.counts.above[0]),
	V(now.result.summary.counts.largest_ns[0]), N(now.result.verdict.result, results),
	V(now.result.verdict.reason), V(now.result.verdict.qualifiers), V(now.result.verdict.above),
	V(now.result.verdict.reached), V(now.result.verdict.discarded_above),
	V(now.result.verdict.package), V(now.result.verdict.smallest_pass_ns),
	V(now.result.summary.step_count), V(now.row.step_count), V(now.progress.until_ns),
	V(now.result.summary.strata[0].ldist.from_ns), V(now.result.summary.strata[0].ldist.to_ns),
	V(now.progress.wanted), V(now.progress.samples), V(now.progress.step),
	V(now.progress.all_cost_ns), V(now.progress.done_cost_ns), V(now.progress.sample_cost_ns),
	V(now.progress.latency), V(now.progress.smallest_ns), V(now.progress.largest_ns),
	V(now.progress.sum_ns), V(now.progress.armed), V(now.progress.discarded),
	V(now.progress.began_ns), V(now.far.valid), V(now.far.median_error_ns), V(now.far.intr.min),
	V(now.far.intr.median), V(now.far.intr.p99), V(now.far.intr.p9999), V(now.far.intr.max),
	V(now.rows[0].method), V(now.rows[0].state.index), V(now.results[0].summary.valid),
	V(now.results[0].summary.has_wake), V(now.results[0].summary.median_error_ns),
	V(now.results[0].summary.wake.median), V(now.results[0].verdict.smallest_pass_ns),
	V(now.results[0].verdict.none_above_ns), V(now.steps[0].range.ldist.from_ns),
	V(now.steps[0].range.ldist.to_ns), V(now.steps[0].range.count), V(now.steps[0].first),
	V(now.steps[0].range.above), V(now.steps[0].latency.min), V(now.steps[0].latency.median),
	V(now.steps[0].latency.p99), V(now.steps[0].latency.has_p99), V(now.steps[0].latency.max),
	V(now.steps[0].silent_min_ns), V(now.steps[0].silent_median_ns),
	V(now.steps[0].silent_max_ns), V(now.steps[0].median_error_ns), V(now.steps[0].discarded),
	N(now.steps[0].change, changes), V(now.sweep.ldist.from_ns), V(now.sweep.ldist.to_ns),
	V(now.sweep.percent), V(now.distance.from_ns), V(now.distance.to_ns), V(now.nic.min),
	V(now.nic.median), V(now.nic.p99), V(now.nic.p9999), V(now.nic.max), V(now.nic.has_p99),
	V(now.timer.min), V(now.timer.median), V(now.timer.p99), V(now.timer.p9999),
	V(now.timer.max), V(now.timer.has_p99), V(now.run.machine), V(now.run.cpu_model),
	V(now.run.driver), V(now.run.kernel), V(now.run.quantile), V(now.options.plain),
	V(now.options.scan), V(now.options.methods), V(now.options.samples), V(now.options.seconds),
	V(now.options.cpus.count), V(now.options.cpus.cpu[0]), V(now.options.all_cpus),
	V(now.options.quantile), V(now.options.has_limit), V(now.options.limit_ns),
	N(now.options.stamp, stamps), V(now.options.ldist.from_ns), V(now.options.ldist.to_ns),
	V(now.options.sweep.ldist.from_ns), V(now.options.sweep.ldist.to_ns),
	V(now.options.sweep.percent), V(now.options.machine), V(now.options.out),
	V(now.options.help), V(now.options.version), V(now.options.force),
	V(now.options.keep_discarded), V(now.options.quiet), V(now.options.top),
	B(now.cpu.info[0].flags, state_flags), V(now.cpu.states.state[0].name),
	V(now.cpu.states.count), V(now.cpu.tick_ns), V(now.cpu.awake[0].valid),
	N(now.cpu.awake[0].stamp, stamps), V(now.cpu.awake[0].deadline),
	V(now.cpu.awake[0].intr.median), V(now.cpu.awake[0].intr.max),
	V(now.cpu.awake[0].median_error_ns), A("by_hrt.events", now.cpu.software[0][0].events),
	A("by_hrt.ns", now.cpu.software[0][0].ns),
	A("by_hrt.least_wake_ns", now.cpu.software[0][0].least_wake_ns),
	A("by_tdt.events", now.cpu.software[1][0].events),
	A("by_tdt.ns", now.cpu.software[1][0].ns),
	A("by_tdt.least_wake_ns", now.cpu.software[1][0].least_wake_ns),
	V(now.cpu.info[0].exit_latency_ns), V(now.cpu.states.state[0].index),
	V(now.cpu.states.state[0].latency_us), V(now.named.state[0].index),
	V(now.named.state[0].latency_us), V(now.seen.events), V(now.seen.ns),
	V(now.seen.least_wake_ns), V(now.seen.ldist.from_ns), V(now.seen.ldist.to_ns),
	V(now.named.state[0].name), V(now.named.count), V(now.table[0].needed_ns),
	V(now.table[0].residency_ns), V(now.causes.cpu), V(now.before.busy), V(now.before.idle),
	V(now.after.busy), V(now.after.idle), V(now.pci[0]), V(now.types[0]), V(now.with.size),
	V(now.with.n), V(now.with.k), V(now.with.number), V(now.with.p), V(now.with.alpha),
	V(now.with.terminal), V(now.with.by_nic), V(now.with.list), V(now.with.name),
	V(now.with.text), V(now.with.vendor), V(now.with.family), V(now.with.model),
	V(now.with.args), V(now.with.method), V(now.with.error), V(now.swept.levels[0]),
	V(now.swept.until_ns[0]), V(now.swept.wobble), V(now.swept.divisor),
};

/* Where a value is one of several. */
static const struct array {
	void *first;
	size_t stride, count;
	/* how many there are now, if not all */
	const size_t *used;
	const char * const *names;
} arrays[] = {
	{ samples[0].residency_cyc, 8, IDLE_LATENCY_RESIDENCY_SLOTS, NULL, counters },
	{ samples, sizeof(*samples), SAMPLES_ROOM, &now.evidence.count, NULL },
	{ kept, sizeof(*kept), KEPT_ROOM, &now.evidence.discarded_count, NULL },
	{ now.counts.discarded, 8, IDLE_LATENCY_DISCARD_SLOTS, NULL, reasons },
	{ now.counts.above, 8, IDLE_LATENCY_DISCARD_SLOTS, NULL, reasons },
	{ now.counts.largest_ns, 8, IDLE_LATENCY_DISCARD_SLOTS, NULL, reasons },
	{ now.result.summary.counts.discarded, 8, IDLE_LATENCY_DISCARD_SLOTS, NULL, reasons },
	{ now.result.summary.counts.above, 8, IDLE_LATENCY_DISCARD_SLOTS, NULL, reasons },
	{ now.result.summary.counts.largest_ns, 8, IDLE_LATENCY_DISCARD_SLOTS, NULL, reasons },
	{ now.rows, sizeof(*now.rows), ROWS, NULL, NULL },
	{ now.results, sizeof(*now.results), ROWS, NULL, NULL },
	{ now.steps, sizeof(*now.steps), STEPS, NULL, NULL },
	{ now.table, sizeof(*now.table), STATES, NULL, NULL },
	{ now.types, sizeof(*now.types), STATES, NULL, NULL },
	{ now.pci, 1, sizeof(now.pci), NULL, NULL },
	{ now.swept.levels, 8, LEVELS, NULL, NULL },
	{ now.swept.until_ns, 8, LEVELS, NULL, NULL },
	{ now.named.state, sizeof(*now.named.state), IDLE_STATES_MAX, NULL, NULL },
	{ now.cpu.info, sizeof(*now.cpu.info), IDLE_STATES_MAX, NULL, NULL },
	{ now.cpu.states.state, sizeof(*now.cpu.states.state), IDLE_STATES_MAX, NULL, NULL },
	{ now.cpu.awake, sizeof(*now.cpu.awake), METHODS, NULL, NULL },
	{ now.cpu.software[0], sizeof(struct software), IDLE_STATES_MAX, NULL, NULL },
	{ now.cpu.software[1], sizeof(struct software), IDLE_STATES_MAX, NULL, NULL },
};

/* What has to be found behind the pointers. */
static void tie(void)
{
	now.evidence.samples = samples;
	now.evidence.counts = &now.counts;
	now.evidence.discarded = kept;
	now.result.summary.row = &now.row;
	now.result.summary.steps = now.steps;
	now.progress.row = &now.row;
	for (size_t i = 0; i < ROWS; i++)
		now.results[i].summary.row = &now.rows[i];
	for (size_t i = 0; i < METHODS; i++) {
		now.cpu.polls[i].method = &methods[i];
		now.cpu.awake[i].row = &now.cpu.polls[i];
	}
}

static void make_samples(struct idle_latency_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records[i] = (struct idle_latency_record) {
			.wake_ns = 2000, .intr_ns = 2000, .silent_ns = 5000,
			.ldist_ns = 5000 + LAUNCH_DISTANCE_ARMING_NS,
			.flags = IDLE_LATENCY_RECORD_WAKE | IDLE_LATENCY_RECORD_COUNTED |
				 IDLE_LATENCY_RECORD_REACHED | IDLE_LATENCY_RECORD_PACKAGE,
		};
}

void case_begin(void)
{
	memset(&now, 0, sizeof(now));
	now.rule = (struct verdict_rule) {
		.limit_ns = 2000, .residency_ns = 5000, .quantile = QUANTILE_ONE, .wanted = 4,
		.counter_known = true, .counter = "CC6",
	};
	make_samples(samples, 4);
	now.evidence.count = 4;
	now.evidence.causes = "";
	now.counts.armed = 156;
	now.counts.delivered = 100;
	now.counts.discarded[IDLE_LATENCY_DISCARD_NO_IDLE] = 16;
	now.counts.discarded[IDLE_LATENCY_DISCARD_FOREIGN_TIMER] = 40;
	now.verdict.reason = "";
	now.row.method = &methods[1];
	for (size_t i = 0; i < ROWS; i++)
		now.rows[i].method = &methods[2];
	for (size_t i = 0; i < STATES; i++) {
		static const char * const names[] = { "POLL", "C1", "C1E", "C3", "C6" };
		static const __u64 latency_us[] = { 0, 1, 10, 59, 82 };
		static const __u64 residency_us[] = { 0, 1, 80, 156, 300 };

		now.table[i] = (struct proposal_state) {
			names[i], 1000 * latency_us[i], 1000 * residency_us[i], 0,
		};
	}
	now.with.size = 512;
	now.with.list = "";
	now.with.args = "";
	now.with.method = &methods[1];
}

static bool find_name(const char * const *names, const char *name, __u64 *number)
{
	for (*number = 0; names && names[*number]; ++*number)
		if (!strcmp(names[*number], name))
			return true;
	return false;
}

/* Whether @whole is the name, but for each "[0]". */
static bool is_name(const char *whole, const char *name, size_t length)
{
	for (;; whole++, name++, length--) {
		while (!strncmp(whole, "[0]", 3))
			whole += 3;
		if (!length || *whole != *name)
			return !length && !*whole;
	}
}

/* By its whole name, or by what comes after one of the points in it: the first that has it. */
static const struct value *find_value(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		for (const char *at = values[i].name; at; at = strchr(at, '.')) {
			at += *at == '.';
			if (is_name(at, name, length))
				return &values[i];
		}
	return NULL;
}

/* Some elements of one value, or the value itself. */
struct place {
	const struct value *value;
	char *at;
	size_t count, stride;
};

static const struct array *find_array(const char *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		const char *first = arrays[i].first;

		if (at >= first && at < first + arrays[i].count * arrays[i].stride)
			return &arrays[i];
	}
	return NULL;
}

/*
 * From "wake_ns[1-3]", or "wake_ns" for all; "kept.wake_ns" is of the discarded events. Returns
 * NULL, or what is wrong.
 */
static const char *find_place(const char *name, struct place *place)
{
	const bool is_kept = !strncmp(name, "kept.", 5);
	const size_t length = strcspn(name + 5 * is_kept, "[");
	const struct array *array;
	char index[32], *end;
	__u64 first, last;

	name += 5 * is_kept;
	place->value = find_value(name, length);
	if (!place->value)
		return "there is no such value";
	place->at = place->value->first;
	place->at += is_kept ? (char *)kept - (char *)samples : 0;
	array = find_array(place->at);
	place->stride = array ? array->stride : 0;
	place->count = !array ? 1 : array->used ? *array->used : array->count;
	if (!name[length])
		return NULL;
	snprintf(index, sizeof(index), "%s", name + length + 1);
	index[strcspn(index, "]")] = '\0';
	if (!array || !find_name(array->names, index, &first)) {
		first = strtoull(index, &end, 0);
		last = *end == '-' ? strtoull(end + 1, &end, 0) : first;
		if (!array || end == index || *end || first > last || last >= array->count)
			return "there is no such element";
	} else {
		last = first;
	}
	place->at += first * place->stride;
	place->count = last - first + 1;
	return NULL;
}

/* "\t" and "\n" are as in C. */
static const char *unescaped(const char *word)
{
	char *text = strdup(word), *to = text;

	for (const char *from = text; text && *from; from++)
		if (*from == '\\') {
			from++;
			*to++ = *from == 'n' ? '\n' : '\t';
		} else {
			*to++ = *from;
		}
	if (text)
		*to = '\0';
	return text;
}

/* Bits by their names, joined by "+"; behind a sign they are added or removed. */
static bool parse_bits(const struct value *value, const char *word, __u64 *number)
{
	const char sign = strchr("+-", *word) ? *word++ : 0;
	__u64 bits = 0, bit;
	char copy[CASE_BYTES], *rest = copy, *name;

	snprintf(copy, sizeof(copy), "%s", word);
	while ((name = strsep(&rest, "+"))) {
		if (!find_name(value->names, name, &bit))
			return false;
		bits |= 1ULL << bit;
	}
	*number = sign == '+' ? *number | bits : sign == '-' ? *number & ~bits : bits;
	return true;
}

static bool parse_word(const struct value *value, const char *word, __u64 *number)
{
	char *end;

	if (value->names &&
	    (value->bits ? parse_bits(value, word, number) :
			   find_name(value->names, word, number)))
		return true;
	*number = strtoull(word, &end, 0);
	return end != word && !*end;
}

static bool set_one(const struct value *value, void *at, const char *word)
{
	const char *text = strcmp(word, "NULL") ? unescaped(word) : NULL;
	const struct method *method = NULL;
	__u64 number = 0;
	double real;
	char *end;

	switch (value->kind) {
	case TEXT:
		memcpy(at, &text, sizeof(text));
		return true;
	case CHARS:
		return snprintf(at, value->size, "%s", word) < (int)value->size;
	case METHOD:
		for (size_t i = 0; i < METHODS; i++)
			if (!strcmp(methods[i].name, word))
				method = &methods[i];
		memcpy(at, &method, sizeof(method));
		return method;
	case REAL:
		real = strtod(word, &end);
		memcpy(at, &real, sizeof(real));
		return end != word && !*end;
	default:
		memcpy(&number, at, value->size);
		if (!parse_word(value, word, &number))
			return false;
		memcpy(at, &number, value->size);
		return true;
	}
}

/* Words in turn, or "from..to" in equal steps. */
static bool set_place(const struct place *place, const char *words)
{
	const char *ramp = place->value->kind == NUMBER ? strstr(words, "..") : NULL;
	const __u64 from = strtoull(words, NULL, 0);
	const __s64 rise = ramp ? strtoull(ramp + 2, NULL, 0) - from : 0;
	char copy[CASE_BYTES], *rest = NULL, *word;

	for (size_t i = 0; i < place->count; i++) {
		word = rest ? strtok_r(NULL, " ", &rest) : NULL;
		if (!word) {
			snprintf(copy, sizeof(copy), "%s", words);
			word = place->stride ? strtok_r(copy, " ", &rest) : copy;
		}
		if (ramp) {
			word = copy;
			sprintf(copy, "%llu",
				from + rise * (__s64)i / (__s64)(place->count - 1 ?: 1));
		}
		if (!word || !set_one(place->value, place->at + i * place->stride, word))
			return false;
	}
	return true;
}

const char *case_set(const char *name, const char *text)
{
	const bool is_kept = !strcmp(name, "kept");
	struct place place;
	const char *wrong;

	if (is_kept || !strcmp(name, "samples")) {
		const size_t count = strtoull(text, NULL, 0);

		if (count > (is_kept ? KEPT_ROOM : SAMPLES_ROOM))
			return "there is no room for so many";
		make_samples(is_kept ? kept : samples, count);
		*(is_kept ? &now.evidence.discarded_count : &now.evidence.count) = count;
		return NULL;
	}
	wrong = find_place(name, &place);
	if (wrong)
		return wrong;
	return set_place(&place, text) ? NULL : "it cannot have this value";
}

static void say_value(const struct value *value, const void *at, struct text *text)
{
	const struct method *method;
	const char *string;
	__u64 number = 0;
	double real;

	switch (value->kind) {
	case TEXT:
		memcpy(&string, at, sizeof(string));
		text_add(text, "%s", string ?: "NULL");
		break;
	case CHARS:
		text_add(text, "%s", (const char *)at);
		break;
	case METHOD:
		memcpy(&method, at, sizeof(method));
		text_add(text, "%s", method ? method->name : "NULL");
		break;
	case REAL:
		memcpy(&real, at, sizeof(real));
		text_add(text, "%.15g", real);
		break;
	default:
		memcpy(&number, at, value->size);
		if (value->names && !value->bits)
			text_add(text, "%s", value->names[number]);
		else
			text_add(text, "%llu", number);
	}
}

bool case_say(const char *name, struct text *text)
{
	struct place place;

	tie();
	if (say(name, text))
		return true;
	if (find_place(name, &place))
		return false;
	say_value(place.value, place.at, text);
	return true;
}

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
	"wake", "forced", "counted", "reached", "package", "pending", "deadline",
	"module", NULL,
};

static const char * const state_flags[] = {
	"polls", "timer_stop", "package", "prewake", "demotion", "c1e", "no_pc6", "virtual",
	"no_prewake", "module", NULL,
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
static const char * const sources[] = { "none", "hrt", "tdt", "nic", "write", "ipi", NULL };
static const char * const stamps[] = { "unknown", "probe", "enter", NULL };
static const char * const scopes[] = { "module", "package", NULL };
static const char * const holds[] = { "none", "core", "module", "package", "all", NULL };
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
#define NAMED(as, of, names, bits) { as, &(of), sizeof(of), NUMBER, names, bits }
/* Of the situation, and of samples: a value, a number with names and one of which the bits have. */
#define V(of) A(#of, now.of)
#define N(of, names) NAMED(#of, now.of, names, false)
#define B(of, names) NAMED(#of, now.of, names, true)
#define S(of) A("samples[0]." #of, samples[0].of)
#define SN(of, names) NAMED("samples[0]." #of, samples[0].of, names, false)
#define SB(of, names) NAMED("samples[0]." #of, samples[0].of, names, true)

/* Of an array that is in an array, the first element has it. */
static const struct value values[] = {
	V(rule.limit_ns), V(rule.residency_ns), V(rule.quantile), V(rule.wanted),
	V(rule.counter_known), V(rule.counter), V(rule.included[0]), V(rule.firmware),
	V(rule.by_card), V(rule.lower_bound), V(rule.virtual), V(rule.promoted),
	V(rule.instrument.delivery_ns), V(rule.instrument.software_ns), V(rule.instrument.tick_ns),
	V(rule.instrument.rate_ppb), V(rule.instrument.unknown), V(rule.entry_ns), V(rule.best),
	V(rule.best_error_ns), V(rule.awake_count), V(rule.nic_count), V(rule.nic_reached),
	V(rule.awake.median), V(rule.awake.p99), V(rule.awake.max), V(rule.awake.has_p99), S(seq),
	S(event), S(ldist_ns), S(ltime_ns), S(silent_ns), S(wake_ns), S(intr_ns), S(error_ns),
	S(tbi_cyc), S(tai_cyc), S(tintr_cyc), S(interval_cyc), S(aperf_cyc), S(mperf_cyc),
	SB(residency_present, counters), SB(residency_invalid, counters), SB(flags, record_flags),
	S(cpu), S(state), SN(source, sources), SN(stamp, stamps), S(idle_periods), S(warmup_ns),
	S(latch_ns), SB(reasons, reasons), S(deadline_ns), S(residency_cyc[0]),
	V(evidence.discarded_count), V(evidence.error), V(evidence.causes),
	V(evidence.interrupts), V(counts.armed), V(counts.delivered), V(counts.pending),
	V(counts.kept), V(counts.discarded[0]), V(counts.above[0]), V(counts.largest_ns[0]),
	V(counts.advanced_cyc), V(counts.between_cyc),
	N(verdict.result, results), V(verdict.qualifiers), V(verdict.firmware), V(verdict.reason),
	V(verdict.figures), V(verdict.above), V(verdict.discarded_above), V(verdict.reached),
	V(verdict.package), V(verdict.p_upper), V(verdict.p_lower), V(verdict.smallest_pass_ns),
	V(verdict.none_above_ns), V(verdict.smallest_p9999_ns), V(verdict.has_p9999),
	V(config.ldist_from_ns), V(config.ldist_to_ns), V(config.flags), V(config.cpu),
	V(config.state), N(config.source, sources), V(row.cpu), V(row.method), V(row.state.name),
	V(row.state.disable), V(row.info.exit_latency_ns), N(row.info.core_counter, counters),
	N(row.info.package_counter, counters), B(row.info.flags, state_flags),
	V(result.summary.ran), N(result.summary.stamp, stamps), V(result.summary.valid),
	V(result.summary.counted), V(result.summary.package_counted), V(result.summary.wake.min),
	V(result.summary.wake.median), V(result.summary.wake.p99), V(result.summary.wake.p9999),
	V(result.summary.wake.max), V(result.summary.wake.has_p99),
	V(result.summary.wake.has_p9999), V(result.summary.intr.min), V(result.summary.intr.median),
	V(result.summary.intr.p99), V(result.summary.intr.p9999), V(result.summary.intr.max),
	V(result.summary.has_wake), V(result.summary.median_error_ns),
	V(result.summary.median_uncertain_ns), V(result.summary.instrument.delivery_ns),
	V(result.summary.instrument.software_ns), V(result.summary.counts.armed),
	V(result.summary.counts.delivered), V(result.summary.counts.discarded[0]),
	V(result.summary.counts.above[0]), V(result.summary.counts.largest_ns[0]),
	N(result.verdict.result, results), V(result.verdict.reason), V(result.verdict.qualifiers),
	V(result.verdict.above), V(result.verdict.reached), V(result.verdict.discarded_above),
	V(result.verdict.package), V(result.verdict.smallest_pass_ns), V(result.summary.step_count),
	V(row.step_count), V(row.phase), V(row.samples), V(progress.until_ns),
	V(result.summary.strata[0].ldist.from_ns), V(result.summary.strata[0].ldist.to_ns),
	V(progress.wanted), V(progress.samples),
	V(progress.step), V(progress.all_cost_ns), V(progress.done_cost_ns),
	V(progress.sample_cost_ns), V(progress.latency), V(progress.smallest_ns),
	V(progress.largest_ns), V(progress.sum_ns), V(progress.armed), V(progress.discarded),
	V(progress.began_ns), V(far.valid), V(far.median_error_ns), V(far.intr.min),
	V(far.intr.median), V(far.intr.max), V(rows[0].method), V(rows[0].state.index),
	V(results[0].summary.valid), V(results[0].summary.has_wake),
	V(results[0].summary.median_error_ns), V(results[0].summary.wake.median),
	V(results[0].verdict.smallest_pass_ns), V(results[0].verdict.none_above_ns),
	V(steps[0].ldist.from_ns), V(steps[0].ldist.to_ns), V(steps[0].count),
	V(steps[0].first), V(steps[0].above), V(steps[0].latency.min),
	V(steps[0].latency.median), V(steps[0].latency.p99), V(steps[0].latency.has_p99),
	V(steps[0].latency.max), V(steps[0].silent.min), V(steps[0].silent.median),
	V(steps[0].silent.max), V(steps[0].median_error_ns), V(steps[0].discarded),
	N(steps[0].change, changes), V(sweep.ldist.from_ns), V(sweep.ldist.to_ns), V(sweep.percent),
	V(distance.from_ns), V(distance.to_ns), V(nic.min), V(nic.median), V(nic.p99), V(nic.max),
	V(nic.has_p99), V(timer.min), V(timer.median), V(timer.p99), V(timer.max), V(timer.has_p99),
	V(run.machine), V(run.cpu_model), V(run.driver), V(run.kernel), V(run.quantile),
	V(options.plain), V(options.scan), V(options.methods), V(options.samples),
	V(options.seconds), V(options.cpus.count), V(options.cpus.cpu[0]), V(options.all_cpus),
	V(options.core_type), V(options.quantile), V(options.has_limit), V(options.limit_ns),
	N(options.stamp, stamps), V(options.ldist.from_ns), V(options.ldist.to_ns),
	V(options.sweep.ldist.from_ns),
	V(options.sweep.ldist.to_ns), V(options.sweep.percent), V(options.machine), V(options.out),
	V(options.help), V(options.force), V(options.keep_discarded),
	V(options.quiet), V(options.top), B(cpu.info[0].flags, state_flags),
	V(cpu.states.state[0].name), V(cpu.states.count), V(cpu.tick_ns), V(cpu.awake[0].valid),
	N(cpu.awake[0].stamp, stamps), V(cpu.awake[0].deadline), V(cpu.awake[0].intr.median),
	V(cpu.awake[0].intr.max), V(cpu.awake[0].median_error_ns),
	A("by_hrt.events", now.cpu.software[0][0].events),
	A("by_hrt.ns", now.cpu.software[0][0].ns),
	A("by_hrt.least_wake_ns", now.cpu.software[0][0].least_wake_ns),
	A("by_tdt.events", now.cpu.software[1][0].events),
	A("by_tdt.ns", now.cpu.software[1][0].ns),
	A("by_tdt.least_wake_ns", now.cpu.software[1][0].least_wake_ns),
	V(cpu.info[0].exit_latency_ns), V(cpu.states.state[0].index),
	V(cpu.states.state[0].latency_us), V(named.state[0].index), V(named.state[0].latency_us),
	V(seen.events), V(seen.ns), V(seen.least_wake_ns), V(seen.ldist.from_ns),
	V(seen.ldist.to_ns), V(named.state[0].name), V(named.count), V(table[0].name),
	V(table[0].latency_ns), V(table[0].needed_ns), V(table[0].residency_ns), V(causes.cpu),
	V(before.busy), V(before.idle), V(after.busy), V(after.idle), V(pci[0]), V(types[0]),
	V(with.size), V(with.n), V(with.k), V(with.number), V(with.p),
	V(with.terminal), V(with.by_nic), V(with.list), V(with.name), V(with.text), V(with.vendor),
	V(with.family), V(with.model), V(with.args), V(with.method), V(with.error),
	V(swept.levels[0]), V(swept.until_ns[0]), V(swept.wobble), V(swept.divisor),
	V(margin.error_ns), V(margin.least_ns), V(margin.percent), V(with.of[0]),
	V(row.strata[0].ldist.from_ns), V(row.strata[0].ldist.to_ns), V(row.strata[0].wanted),
	V(row.cost_ns), V(collection.strata[0].first), V(collection.strata[0].count),
	V(collection.elapsed_ns), V(parts[0].first), V(parts[0].count), V(parts[0].discarded),
	V(collection.strata[0].ldist.from_ns), V(collection.strata[0].wanted),
	V(parts[0].ldist.from_ns), V(result.summary.deadline), V(result.summary.strata[0].wanted),
	V(result.summary.strata[0].count), V(result.summary.strata[0].above),
	V(result.summary.strata[0].slowest_ns), V(steps[0].slowest_ns),
	V(check.figures), V(options.self_check), V(rule.asleep_wanted[0]), N(row.hold, holds),
	V(run.set), N(options.hold, holds), V(options.set.kept), V(options.set.on),
	V(options.set.package_limit), V(row.info.target_residency_ns),
	V(result.summary.frequency_low), V(result.summary.frequency_high),
	V(result.summary.interrupts), V(row.waker_place), V(options.waker),
	V(options.has_waker_cpu), V(options.waker_cpu), V(rows[0].cpu),
	V(rows[0].type), V(rows[0].state.name), V(rows[0].info.exit_latency_ns),
	V(rows[0].phase), N(rows[0].hold, holds), N(results[0].verdict.result, results),
	V(results[0].verdict.reason), V(results[0].verdict.firmware),
	V(results[0].verdict.qualifiers), V(results[0].verdict.above),
	V(results[0].verdict.reached), V(results[0].verdict.counted),
	V(results[0].verdict.counted_above), V(results[0].verdict.counted_open),
	V(results[0].summary.ran), N(results[0].summary.stamp, stamps),
	V(results[0].summary.counted), V(results[0].summary.counts.armed),
	V(results[0].summary.counts.discarded[0]), V(results[0].summary.wake.min),
	V(results[0].summary.wake.max), V(results[0].summary.intr.median),
	V(results[0].summary.intr.max), V(results[0].summary.strata[0].ldist.from_ns),
	V(results[0].summary.strata[0].ldist.to_ns), V(options.ktap_per_cpu),
	V(result.verdict.firmware),
};

#define ALL(of, used, names) { of, sizeof((of)[0]), sizeof(of), used, names }

/* Where a value is one of several. */
static const struct array {
	void *first;
	size_t stride, size;
	/* how many there are now, if not all */
	const size_t *used;
	const char * const *names;
} arrays[] = {
	ALL(now.rule.included, NULL, scopes), ALL(now.rule.asleep_wanted, NULL, scopes),
	ALL(samples[0].residency_cyc, NULL, counters), ALL(samples, &now.evidence.count, NULL),
	ALL(kept, &now.evidence.discarded_count, NULL), ALL(now.counts.discarded, NULL, reasons),
	ALL(now.counts.above, NULL, reasons), ALL(now.counts.largest_ns, NULL, reasons),
	ALL(now.result.summary.counts.discarded, NULL, reasons),
	ALL(now.result.summary.counts.above, NULL, reasons),
	ALL(now.result.summary.counts.largest_ns, NULL, reasons), ALL(now.rows, NULL, NULL),
	ALL(now.results, NULL, NULL), ALL(now.steps, NULL, NULL), ALL(now.table, NULL, NULL),
	ALL(now.types, NULL, NULL), ALL(now.pci, NULL, NULL), ALL(now.swept.levels, NULL, NULL),
	ALL(now.swept.until_ns, NULL, NULL), ALL(now.named.state, NULL, NULL),
	ALL(now.cpu.info, NULL, NULL), ALL(now.cpu.states.state, NULL, NULL),
	ALL(now.with.of, NULL, NULL), ALL(now.row.strata, NULL, NULL),
	ALL(now.collection.strata, NULL, NULL), ALL(now.parts, NULL, NULL),
	ALL(now.result.summary.strata, NULL, NULL),
	ALL(now.cpu.awake, NULL, NULL), ALL(now.cpu.software[0], NULL, NULL),
	ALL(now.cpu.software[1], NULL, NULL),
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

		if (at >= first && at < first + arrays[i].size)
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
	size_t room;

	name += 5 * is_kept;
	place->value = find_value(name, length);
	if (!place->value)
		return "there is no such value";
	place->at = place->value->first;
	place->at += is_kept ? (char *)kept - (char *)samples : 0;
	array = find_array(place->at);
	place->stride = array ? array->stride : 0;
	room = array ? array->size / array->stride : 1;
	place->count = array && array->used ? *array->used : room;
	if (!name[length])
		return NULL;
	snprintf(index, sizeof(index), "%s", name + length + 1);
	index[strcspn(index, "]")] = '\0';
	if (!array || !find_name(array->names, index, &first)) {
		first = strtoull(index, &end, 0);
		last = *end == '-' ? strtoull(end + 1, &end, 0) : first;
		if (!array || end == index || *end || first > last || last >= room)
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
	const struct method *method;
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
		method = method_named(word);
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
	for (size_t i = 0; i < place.count; i++) {
		text_add(text, i ? " " : "");
		say_value(place.value, place.at + i * place.stride, text);
	}
	return true;
}

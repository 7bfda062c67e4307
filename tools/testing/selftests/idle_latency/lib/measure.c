// SPDX-License-Identifier: GPL-2.0
/* The measurement of one row. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "progress.h"
#include "report.h"
#include "sweep.h"

/* Discarded records are kept as many as samples, and as these. */
#define DISCARDED_AT_LEAST	1000

/*
 * The first samples of a session may miss the state, because the machine was
 * busy, so that a session is not made for a single sample. Of as few, the part
 * that counts says nothing either.
 */
#define SESSION_AT_LEAST	10

/* Of ten samples, one must count. */
#define SAMPLES_PER_COUNTED	10

/*
 * Of the awake CPU as many are taken as the row has samples, so that what is as slow on both is
 * seen; of a small row more, so that few slow samples are found; of a large one not more than
 * this, as it would take as long as that.
 */
#define AWAKE_SAMPLES_LEAST	300
#define AWAKE_SAMPLES_MOST	5000

/* How many events may be armed, and how long it may take, to find some that are pending. */
#define PENDING_ARMED	1000
#define PENDING_NS	300000000ULL
#define PENDING_SAMPLES	100

static const char no_stamps[] =
	"the kernel does not stamp around ->enter(): build it with CONFIG_CPU_IDLE_STAMPS";

static struct causes causes;

struct measurement {
	int fd;
	struct row *row;
	const struct options *options;
	struct verdict_rule rule;
	struct idle_latency_config config;
	struct collection collection;
	/* of what is still to be measured */
	__u64 costs_ns;
};

static __u64 limit_of(const struct measurement *m)
{
	return m->options->has_limit ? m->options->limit_ns :
				       m->row->info.exit_latency_ns;
}

/* What --limit-ns says, nobody declares. */
static bool by_firmware(const struct measurement *m)
{
	char driver[32], table[512] = "";

	if (m->options->has_limit || !cpuidle_driver(driver, sizeof(driver)))
		return false;
	sysfs_read_line("/sys/module/intel_idle/parameters/table", table,
			sizeof(table));
	return causes_firmware(driver, m->row->state.name, table);
}

static bool keeps_time(unsigned int cpu)
{
	char line[4096];

	return sysfs_read_line("/sys/devices/system/cpu/nohz_full", line,
			       sizeof(line)) && causes_keeps_time(line, cpu);
}

static void begin_rule(struct measurement *m, const struct verdict_rule *known)
{
	const struct row *row = m->row;
	__u32 counter = row->info.core_counter;

	m->rule = *known;
	m->rule.limit_ns = limit_of(m);
	m->rule.residency_ns = row->info.target_residency_ns;
	m->rule.quantile = m->options->quantile;
	m->rule.wanted = options_least(m->options);
	m->rule.counter_known = counter != IDLE_LATENCY_RESIDENCY_NONE;
	m->rule.counter = residency_name(counter);
	m->rule.package_included = state_has_package(&row->info);
	m->rule.by_card = row_by_nic(row);
	m->rule.firmware = by_firmware(m);
	m->rule.keeps_time = keeps_time(row->cpu);
	if (row->nic) {
		m->rule.nic_count = row->nic->valid;
		m->rule.nic_reached = row->nic->verdict.reached;
	}
	m->config.entry_ns = m->rule.entry_ns;
}

static void begin(struct measurement *m)
{
	struct row *row = m->row;
	size_t wanted = 0;

	for (size_t i = 0; i < STRATA; i++)
		wanted += row->strata[i].wanted;
	progress_begin(row, wanted);
	m->costs_ns = row->cost_ns;
	m->config = (struct idle_latency_config) {
		.flags = IDLE_LATENCY_CONFIG_KEEP,
		.limit_ns = limit_of(m),
		.cpu = row->cpu,
		.state = row->state.index,
		.source = row->method->source,
		.entry_ns = ENTRY_NS_DEFAULT,
	};
	if (m->options->stamp == IDLE_LATENCY_STAMP_PROBE)
		m->config.flags |= IDLE_LATENCY_CONFIG_PROBE;
	affinity_avoid(row->cpu);
}

/* Samples that count towards a PASS, of those of a stratum so far. */
static size_t count_counted(const struct measurement *m,
			    const struct stratum *stratum)
{
	return verdict_counted(m->collection.samples + stratum->first,
			       stratum->count, m->rule.residency_ns);
}

static int run_session(struct measurement *m, struct stratum *stratum,
		       size_t samples, const struct patience *patience)
{
	int ret;

	m->config.samples = samples;
	m->config.ldist_from_ns = stratum->ldist.from_ns;
	m->config.ldist_to_ns = stratum->ldist.to_ns;
	m->row->progress.sample_cost_ns = budget_cost(stratum->ldist,
						      m->row->info.exit_latency_ns,
						      1);
	ret = collect(m->fd, &m->config, patience, m->row, &m->collection);
	stratum->count = m->collection.count - stratum->first;
	return ret;
}

static struct patience patience_with(const struct measurement *m,
				     const struct stratum *stratum)
{
	struct patience patience = collect_patience(&m->collection,
						    stratum->wanted,
						    stratum->ldist.to_ns);
	__u64 now = now_ns(), until_ns = m->row->until_ns;

	/* The others need their part of the time. */
	if (until_ns > now)
		until_ns = now + budget_share(until_ns - now,
					      stratum_cost(m->row, stratum),
					      m->costs_ns);
	if (until_ns && until_ns < patience.until_ns)
		patience.until_ns = until_ns;
	return patience;
}

static bool may_top_up(const struct measurement *m,
		       const struct stratum *stratum, size_t counted,
		       const struct patience *patience)
{
	if (collect_gives_up(&m->collection, patience) ||
	    stratum->count >= 2 * SAMPLES_MAX)
		return false;
	return stratum->count < SESSION_AT_LEAST ||
	       counted >= stratum->count / SAMPLES_PER_COUNTED;
}

/* Until as many samples count as are wanted, or it is clear that they will not. */
static int fill_counted(struct measurement *m)
{
	struct stratum *stratum = &m->row->strata[STRATUM_COUNTED];
	size_t wanted = stratum->wanted, missing = wanted, counted;
	struct patience patience = patience_with(m, stratum);
	int ret;

	stratum->first = m->collection.count;
	for (;;) {
		ret = run_session(m, stratum, missing, &patience);
		counted = count_counted(m, stratum);
		if (ret || counted >= wanted ||
		    !may_top_up(m, stratum, counted, &patience))
			break;
		missing = wanted - counted;
		if (missing < SESSION_AT_LEAST)
			missing = SESSION_AT_LEAST;
		progress_want(&m->row->progress, missing);
	}
	m->costs_ns -= stratum_cost(m->row, stratum);
	return ret;
}

static int fill_once(struct measurement *m, struct stratum *stratum)
{
	struct patience patience = patience_with(m, stratum);

	m->costs_ns -= stratum_cost(m->row, stratum);
	stratum->first = m->collection.count;
	return run_session(m, stratum, stratum->wanted, &patience);
}

static int fill_strata(struct measurement *m)
{
	struct stratum *entry = &m->row->strata[STRATUM_ENTRY];
	int ret = fill_counted(m);

	if (ret || !entry->wanted)
		return ret;
	return fill_once(m, entry);
}

static bool out_of_time(const struct row *row)
{
	return row->until_ns && now_ns() >= row->until_ns;
}

/* Even a session that ends at once takes some ms, which steps without time would add up. */
static int fill_steps(struct measurement *m)
{
	struct row *row = m->row;
	__u64 discarded = 0;
	int ret = 0;

	for (size_t i = 0; i < row->step_count && !ret; i++) {
		struct step *step = &row->steps[i];

		row->progress.step = i + 1;
		ret = fill_once(m, &step->stratum);
		step->discarded = discards_total(&m->collection.counts) -
				  discarded;
		discarded += step->discarded;
		if (out_of_time(row))
			break;
	}
	row->strata[STRATUM_COUNTED].count = m->collection.count;
	return ret;
}

static int fill(struct measurement *m)
{
	return m->row->steps ? fill_steps(m) : fill_strata(m);
}

static void report_shortage(const struct row *row,
			    const struct stratum *stratum)
{
	if (stratum->count < stratum->wanted)
		report_detail("cpu%u %s %s: %zu of %zu samples at %llu to %llu ns: see --seconds",
			      row->cpu, row->method->name, row->state.name,
			      stratum->count, stratum->wanted,
			      stratum->ldist.from_ns, stratum->ldist.to_ns);
}

static void print_counts(const struct row *row)
{
	double seconds = row->elapsed_ns / 1e9;
	char discards[256];

	discards_text(&row->counts, discards, sizeof(discards));
	report_detail("cpu%u %s %s: %zu samples in %.2f s (%.0f/s), armed %llu, discarded %llu%s%s",
		      row->cpu, row->method->name, row->state.name, row->valid,
		      seconds, seconds > 0 ? row->valid / seconds : 0.0,
		      row->counts.armed, discards_total(&row->counts),
		      *discards ? ": " : "", discards);
}

static void summarise_flags(struct row *row, const struct collection *collection)
{
	row->deadline = true;
	for (size_t i = 0; i < collection->count; i++) {
		const __u32 flags = collection->samples[i].flags;

		row->counted |= !!(flags & IDLE_LATENCY_RECORD_COUNTED);
		row->deadline &= !!(flags & IDLE_LATENCY_RECORD_DEADLINE);
	}
	row->package_counted = row->counted && row->info.package_counter !=
					       IDLE_LATENCY_RESIDENCY_NONE;
	row->stamp = collection->samples[0].stamp;
}

static __u64 median_of(__u64 *times, size_t count)
{
	sort_samples(times, count);
	return order_stat(times, count, QUANTILE_ONE / 2);
}

static void summarise_doubts(struct row *row, __u64 *times,
			     const struct collection *collection)
{
	for (size_t i = 0; i < collection->count; i++)
		times[i] = instrument_uncertain(&row->instrument,
						&collection->samples[i]);
	row->median_uncertain_ns = median_of(times, collection->count);
}

static void summarise_errors(struct row *row, __u64 *times,
			     const struct collection *collection)
{
	const struct idle_latency_record *samples = collection->samples;
	size_t count = collection->count;

	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].error_ns;
	row->median_error_ns = median_of(times, count);
	summarise_doubts(row, times, collection);
}

/* @times: room for all samples */
static void summarise_times(struct row *row, __u64 *times,
			    const struct collection *collection)
{
	const struct idle_latency_record *samples = collection->samples;
	size_t count = collection->count, waked = 0;

	summarise_errors(row, times, collection);
	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].intr_ns;
	sort_samples(times, count);
	row->intr = order_stats(times, count);
	for (size_t i = 0; i < count; i++)
		if (samples[i].flags & IDLE_LATENCY_RECORD_WAKE)
			times[waked++] = samples[i].wake_ns;
	row->has_wake = waked == count;
	if (!row->has_wake)
		return;
	sort_samples(times, count);
	row->wake = order_stats(times, count);
}

static __u64 sample_ns(const struct idle_latency_record *sample)
{
	return sample->flags & IDLE_LATENCY_RECORD_WAKE ? sample->wake_ns :
							  sample->intr_ns;
}

static void summarise_stratum(const struct measurement *m,
			      struct stratum *stratum)
{
	size_t above = 0;

	for (size_t i = 0; i < stratum->count; i++) {
		const struct idle_latency_record *sample =
			&m->collection.samples[stratum->first + i];
		__u64 ns = sample_ns(sample);

		above += verdict_zone(&m->rule.instrument, m->rule.limit_ns,
				      sample) == ZONE_ABOVE;
		if (ns > stratum->slowest_ns)
			stratum->slowest_ns = ns;
	}
	stratum->above = above;
}

static void summarise_strata(struct measurement *m)
{
	struct row *row = m->row;

	for (size_t i = 0; i < STRATA; i++)
		summarise_stratum(m, &row->strata[i]);
	for (size_t i = 0; i < row->step_count; i++)
		summarise_stratum(m, &row->steps[i].stratum);
}

static void summarise_session(struct row *row,
			      const struct collection *collection)
{
	row->counts = collection->counts;
	row->elapsed_ns = collection->elapsed_ns;
}

/* Returns 0 or -ENOMEM. */
static int summarise(struct measurement *m)
{
	const struct collection *collection = &m->collection;
	struct row *row = m->row;
	__u64 *times;

	row->ran = collection->elapsed_ns;
	summarise_session(row, collection);
	if (!collection->count)
		return 0;
	times = malloc(collection->count * sizeof(*times));
	if (!times)
		return -ENOMEM;
	row->valid = collection->count;
	summarise_flags(row, collection);
	row->instrument = m->rule.instrument;
	summarise_times(row, times, collection);
	free(times);
	summarise_strata(m);
	if (row->steps && !sweep_summarise(row, collection->samples))
		return -ENOMEM;
	return 0;
}

bool state_has_package(const struct idle_latency_state *state)
{
	const bool counted =
		state->package_counter != IDLE_LATENCY_RESIDENCY_NONE;

	if (state->flags & IDLE_LATENCY_STATE_PACKAGE)
		return true;
	switch (state->core_counter) {
	case IDLE_LATENCY_RESIDENCY_CC6:
	case IDLE_LATENCY_RESIDENCY_CC7:
		return !counted;
	case IDLE_LATENCY_RESIDENCY_NONE:
		/* Of a state that is known to be C1 or C1E, all is known. */
		return !counted &&
		       !(state->flags & IDLE_LATENCY_STATE_NO_PREWAKE);
	default:
		return false;
	}
}

/*
 * The CPU may know when a timer is due, and wake up ahead of it: then the same state takes
 * longer by nic, which it cannot foresee. It does not where nic takes no longer with all that
 * both may be wrong by, or by a tenth at most.
 */
static bool nic_agrees(const struct row *row)
{
	const struct row *nic = row->nic;
	__u64 most_ns, error_ns;

	if (!nic || !nic->has_wake || !row->has_wake)
		return false;
	most_ns = nic->wake.median + nic->median_error_ns;
	/* The software is in both. */
	error_ns = row->median_error_ns + row->median_uncertain_ns -
		   row->instrument.software_ns;
	return most_ns - most_ns / 10 + error_ns <= row->wake.median;
}

bool row_is_lower_bound(const struct row *row)
{
	if (row_by_nic(row) || row->info.flags & IDLE_LATENCY_STATE_NO_PREWAKE)
		return false;
	return row->info.flags & IDLE_LATENCY_STATE_PREWAKE ||
	       !nic_agrees(row);
}

/* The kernel falls back to the probe where it has nothing closer. */
static const char *find_error(const struct measurement *m, int error)
{
	unsigned int stamp = m->row->stamp;

	if (error)
		return explain_session(m->row, -error);
	if (stamp && m->options->stamp && stamp != m->options->stamp)
		return no_stamps;
	if (m->row->steps && !sweep_ended(m->row))
		return "the sweep did not get to its end: see --seconds";
	return NULL;
}

static void judge(struct measurement *m, int error)
{
	struct row *row = m->row;
	char text[256];
	const struct verdict_evidence evidence = {
		.samples = m->collection.samples,
		.count = m->collection.count,
		.counts = &m->collection.counts,
		.discarded = m->collection.discarded,
		.discarded_count = m->collection.discarded_count,
		.error = find_error(m, error),
		.causes = text,
	};

	if (!row->ran) {
		verdict_skip(&row->verdict, evidence.error);
		return;
	}
	causes_text(&causes, &row->info, text, sizeof(text));
	m->rule.lower_bound = row_is_lower_bound(row);
	verdict_judge(&m->rule, &evidence, &row->verdict);
}

/* Where nothing suggests that the state takes longer than what was seen. */
static void remark(const struct row *row)
{
	const unsigned int doubts = QUALIFIER_VIRTUAL | QUALIFIER_LOWER_BOUND |
				    QUALIFIER_CORE_ONLY;
	char text[160];

	if (row->verdict.result == VERDICT_PASS &&
	    !(row->verdict.qualifiers & doubts) &&
	    proposal_too_high(row->info.exit_latency_ns,
			      row->verdict.smallest_pass_ns, text, sizeof(text)))
		report_detail("cpu%u %s %s: %s", row->cpu, row->method->name,
			      row->state.name, text);
}

static void write_records(const struct measurement *m, const struct csv *csv)
{
	const struct collection *collection = &m->collection;
	FILE *discarded = csv->file[CSV_DISCARDED];

	for (size_t i = 0; i < collection->count; i++)
		csv_datapoint(csv->file[CSV_DATAPOINTS], m->row,
			      &collection->samples[i]);
	for (size_t i = 0; discarded && i < collection->discarded_count; i++)
		csv_discarded(discarded, m->row, &collection->discarded[i]);
	if (discarded && collection->counts.kept > collection->discarded_count)
		report_line("cpu%u %s %s: discarded.csv has the first %zu of %llu discarded events",
			    m->row->cpu, m->row->method->name,
			    m->row->state.name, collection->discarded_count,
			    collection->counts.kept);
}

const char *measure_samples(int fd, struct row *row,
			    const struct options *options,
			    struct launch_distance ldist, size_t samples)
{
	struct measurement m = { .fd = fd, .row = row, .options = options };

	row->strata[STRATUM_COUNTED] = (struct stratum) {
		.ldist = ldist, .wanted = samples,
	};
	row->cost_ns = stratum_cost(row, &row->strata[STRATUM_COUNTED]);
	begin(&m);
	if (collect_alloc(&m.collection, 0)) {
		fill_once(&m, &row->strata[STRATUM_COUNTED]);
		summarise(&m);
		if (row->ran)
			print_counts(row);
	}
	collect_free(&m.collection);
	return m.collection.wrong;
}

static bool is_pending(const struct idle_latency_record *record)
{
	return record->flags & IDLE_LATENCY_RECORD_PENDING &&
	       record->reasons == 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE;
}

/*
 * Ns of the clock of the source per cycle of the TSC, from the first and the last record: the
 * handler ran at LTime + IntrLatency by the one, and at TIntr by the other. 0: not known.
 */
static double ns_per_cycle(const struct idle_latency_record *records,
			   size_t count)
{
	const struct idle_latency_record *first = NULL, *last = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!records[i].intr_ns)
			continue;
		last = &records[i];
		if (!first)
			first = last;
	}
	if (!last || last->tintr_tsc <= first->tintr_tsc)
		return 0;
	return (double)(last->ltime_ns + last->intr_ns - first->ltime_ns -
			first->intr_ns) /
	       (last->tintr_tsc - first->tintr_tsc);
}

static void note_pending(struct software *software, const struct idle_latency_record *record,
			 double rate)
{
	__u64 ns = ceil((record->tai_tsc - record->tbi_tsc) * rate);

	if (!software->events++ || record->ldist_ns < software->ldist.from_ns)
		software->ldist.from_ns = record->ldist_ns;
	if (record->ldist_ns > software->ldist.to_ns)
		software->ldist.to_ns = record->ldist_ns;
	if (ns > software->ns)
		software->ns = ns;
}

void software_add(struct software *software,
		  const struct idle_latency_record *records, size_t count)
{
	double rate = ns_per_cycle(records, count);

	for (size_t i = 0; i < count; i++) {
		software->deadline |= !!(records[i].flags & IDLE_LATENCY_RECORD_DEADLINE);
		if (rate > 0 && is_pending(&records[i]))
			note_pending(software, &records[i], rate);
	}
}

void software_note(struct software *software,
		   const struct idle_latency_record *sample)
{
	software->deadline |= !!(sample->flags & IDLE_LATENCY_RECORD_DEADLINE);
	if (!(sample->flags & IDLE_LATENCY_RECORD_WAKE))
		return;
	if (!software->least_wake_ns || sample->wake_ns < software->least_wake_ns)
		software->least_wake_ns = sample->wake_ns ? sample->wake_ns : 1;
}

/*
 * An event is pending at TBI when it fires after interrupts were disabled on the way to idle.
 * When that is after arming depends on the machine, and samples tell it; the events that are
 * armed by so much less than that to come are pending.
 */
#define PENDING_WINDOW_NS	300
static const struct launch_distance way_ldist = { 1, 30000 };

static void add_pending(struct measurement *m, struct launch_distance ldist, __u64 time_ns,
			size_t samples, struct software *software)
{
	struct patience patience = {
		.armed = m->collection.counts.armed + PENDING_ARMED,
		.until_ns = now_ns() + time_ns,
	};
	__u64 least_ns = launch_distance_least(m->row->method->source);
	struct stratum stratum = {
		.ldist = ldist, .first = m->collection.count,
	};

	if (m->row->until_ns && m->row->until_ns < patience.until_ns)
		patience.until_ns = m->row->until_ns;
	if (stratum.ldist.from_ns < least_ns)
		stratum.ldist.from_ns = least_ns;
	m->collection.discarded_count = 0;
	run_session(m, &stratum, samples, &patience);
	software_add(software, m->collection.discarded,
		     m->collection.discarded_count);
	for (size_t i = 0; i < stratum.count; i++)
		software_note(software,
			      &m->collection.samples[stratum.first + i]);
}

/* The shortest way from arming to TBI of the samples, 0 without any. */
static __u64 way_to_idle(const struct collection *collection)
{
	__u64 least_ns = 0;

	for (size_t i = 0; i < collection->count; i++) {
		const struct idle_latency_record *sample =
			&collection->samples[i];
		__u64 ns = sample->ldist_ns - sample->silent_ns;

		if ((sample->flags & IDLE_LATENCY_RECORD_WAKE) &&
		    (!least_ns || ns < least_ns))
			least_ns = ns;
	}
	return least_ns;
}

static void find_pending(struct measurement *m, struct software *software)
{
	struct launch_distance ldist = { .from_ns = 1 };

	add_pending(m, way_ldist, PENDING_NS, PENDING_SAMPLES, software);
	ldist.to_ns = way_to_idle(&m->collection);
	if (ldist.to_ns > PENDING_WINDOW_NS)
		ldist.from_ns = ldist.to_ns - PENDING_WINDOW_NS;
	if (ldist.to_ns && !software_known(software))
		add_pending(m, ldist, PENDING_NS, PENDING_SAMPLES, software);
	/* What was pending later was late on its way. */
	if (software->ldist.to_ns > ldist.to_ns && software->ldist.from_ns <= ldist.to_ns)
		software->ldist.to_ns = ldist.to_ns;
}

const char *measure_software(int fd, struct row *row, const struct options *options,
			     const struct software *known, struct software *software)
{
	struct measurement m = { .fd = fd, .row = row, .options = options };

	begin(&m);
	if (collect_alloc(&m.collection, PENDING_ARMED)) {
		if (known)
			add_pending(&m, known->ldist, software_cost(row), SOFTWARE_SAMPLES,
				    software);
		else
			find_pending(&m, software);
		summarise_session(row, &m.collection);
		row->valid = m.collection.count;
		print_counts(row);
	}
	collect_free(&m.collection);
	return m.collection.wrong;
}

static size_t samples_above(const struct row *row)
{
	size_t above = 0;

	for (size_t i = 0; i < STRATA; i++)
		above += row->strata[i].above;
	return above;
}

static struct row awake_row(const struct row *row, const struct method *method)
{
	__u64 least_ns = now_ns() + AWAKE_LEAST_NS;

	return (struct row) {
		.cpu = row->cpu,
		.method = method,
		.state = row->awake->state,
		.info = row->awake->info,
		.until_ns = row->until_ns && row->until_ns < least_ns ?
			    least_ns : row->until_ns,
	};
}

/* From a distance on where a link may be asleep after each of them, so few are enough. */
#define DELIVERY_SAMPLES	150
#define DELIVERY_FAR_NS		1000000
#define DELIVERY_FAR_SAMPLES	30

size_t delivery_samples(struct launch_distance ldist)
{
	return ldist.from_ns < DELIVERY_FAR_NS ? DELIVERY_SAMPLES :
						 DELIVERY_FAR_SAMPLES;
}

static __u64 longer_by(__u64 ns, __u64 than_ns)
{
	return ns > than_ns ? ns - than_ns : 0;
}

static __u64 largest_of(const struct order_stats *awake)
{
	return awake->has_p99 ? awake->p99 : awake->max;
}

__u64 delivery_at_most(const struct order_stats *nic,
		       const struct order_stats *timer)
{
	__u64 by_ns = longer_by(largest_of(nic), largest_of(timer));
	__u64 median_ns = longer_by(nic->median, timer->median);
	__u64 least_ns = longer_by(nic->min, timer->min);

	if (median_ns > by_ns)
		by_ns = median_ns;
	return least_ns > by_ns ? least_ns : by_ns;
}

static size_t awake_samples(const struct row *row)
{
	if (row->has_wake)
		return delivery_samples(row->strata[STRATUM_COUNTED].ldist);
	if (row->valid < AWAKE_SAMPLES_LEAST)
		return AWAKE_SAMPLES_LEAST;
	return row->valid < AWAKE_SAMPLES_MOST ? row->valid :
						 AWAKE_SAMPLES_MOST;
}

static void note_delivery(struct measurement *m, const struct row *nic,
			  const struct row *timer)
{
	struct instrument *instrument = &m->rule.instrument;
	__u64 delivery_ns = delivery_at_most(&nic->intr, &timer->intr);
	__u64 *times;

	if (!nic->valid || !timer->valid)
		instrument->unknown = "delivery by the card";
	if (delivery_ns > instrument->delivery_ns) {
		/* It is in that of each sample. */
		m->row->median_uncertain_ns += delivery_ns -
					       instrument->delivery_ns;
		instrument->delivery_ns = delivery_ns;
	}
	m->row->instrument = *instrument;
	summarise_strata(m);
	times = malloc(m->collection.count * sizeof(*times));
	if (times)
		summarise_doubts(m->row, times, &m->collection);
	free(times);
}

/* A WakeLatency by nic contains the delivery by the card, which may grow, too. */
static bool awake_decides(const struct row *row)
{
	return samples_above(row) && row->awake->valid &&
	       (!row->has_wake || row_by_nic(row));
}

/*
 * The longer a CPU was away, the more may have to be done before the handler: the kernel brings
 * its time up to date once a tick has gone by. So where the verdict depends on what the awake
 * CPU takes, that is measured at the launch distances of the row. What is known from others does
 * not count then. Returns NULL, or what is wrong with the accounting of the driver.
 */
static const char *measure_awake_by(const struct measurement *m,
				    const struct method *method,
				    struct row *awake, FILE *environment)
{
	struct launch_distance ldist = m->row->strata[STRATUM_COUNTED].ldist;
	const char *wrong;

	*awake = awake_row(m->row, method);
	wrong = measure_samples(m->fd, awake, m->options, ldist,
				awake_samples(m->row));
	if (awake->valid)
		environment_line(environment,
				 "cpu%u: awake IntrLatency by %s at launch distances of %llu to %llu ns: median %llu ns, largest %llu ns, in %zu samples",
				 awake->cpu, method->name, ldist.from_ns,
				 ldist.to_ns, awake->intr.median,
				 awake->intr.max, awake->valid);
	return wrong;
}

static const char *measure_awake(struct measurement *m, FILE *environment)
{
	struct row awake, timer = { };
	const char *wrong, *also = NULL;

	if (!awake_decides(m->row))
		return NULL;
	wrong = measure_awake_by(m, m->row->method, &awake, environment);
	if (!m->row->has_wake) {
		m->rule.awake_count = awake.valid;
		m->rule.awake = awake.intr;
		return wrong;
	}
	if (m->rule.timer)
		also = measure_awake_by(m, m->rule.timer, &timer, environment);
	note_delivery(m, &awake, &timer);
	return wrong ? wrong : also;
}

/*
 * Where the rate of the timer is not exact, far events say less. What counts cannot come nearer
 * than the target residency, and what the user asked for is done.
 */
static void shorten(struct row *row, const struct options *options,
		    __u64 most_ns)
{
	if (options->sweep.percent || options->ldist.to_ns)
		return;
	for (size_t i = 0; i < STRATA; i++) {
		struct launch_distance *ldist = &row->strata[i].ldist;

		row->cost_ns -= stratum_cost(row, &row->strata[i]);
		if (ldist->to_ns > most_ns)
			ldist->to_ns = most_ns > ldist->from_ns ? most_ns :
								  ldist->from_ns;
		row->cost_ns += stratum_cost(row, &row->strata[i]);
	}
}

const char *measure(int fd, struct row *row, const struct options *options,
		    const struct verdict_rule *known, const struct csv *csv)
{
	struct measurement m = { .fd = fd, .row = row, .options = options };
	int ret = -ENOMEM, summarised;
	const char *wrong;

	if (known->instrument.rate_ppb)
		shorten(row, options,
			instrument_ldist_most(&known->instrument, limit_of(&m)));
	begin(&m);
	/* For the awake CPU, which comes last. */
	m.costs_ns += delivery_cost(row);
	begin_rule(&m, known);
	causes_begin(&causes, row->cpu);
	if (collect_alloc(&m.collection, row->strata[STRATUM_COUNTED].wanted +
			  DISCARDED_AT_LEAST))
		ret = fill(&m);
	summarised = summarise(&m);
	if (row->ran) {
		print_counts(row);
		for (size_t i = 0; row->until_ns && i < STRATA; i++)
			report_shortage(row, &row->strata[i]);
	}
	wrong = measure_awake(&m, csv ? csv->file[CSV_ENVIRONMENT] : NULL);
	judge(&m, ret ? ret : summarised);
	report_verdict(row);
	if (row->verdict.result == VERDICT_FAIL)
		worst_report(row, &m.collection);
	else
		remark(row);
	if (row->steps)
		sweep_report(row);
	if (csv)
		write_records(&m, csv);
	collect_free(&m.collection);
	return m.collection.wrong ? m.collection.wrong : wrong;
}

// SPDX-License-Identifier: GPL-2.0
/* What the fuzzer knows of the device. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "fuzz.h"
#include "statistics.h"

/* No run lasts so long that a session delivers as many. */
#define SAMPLES_FOREVER 1000000000000ULL

struct model model;

/* The session will end by itself once it has its samples. */
static bool has_end(void)
{
	return model.config.samples && model.config.samples < SAMPLES_FOREVER;
}

size_t model_record_size(void)
{
	return model.config.record_size ?: IDLE_LATENCY_RECORD_SIZE_VER0;
}

bool model_may_run(void)
{
	return model.phase == PHASE_MAYBE || model.phase == PHASE_RUNS;
}

static bool keeps(void)
{
	return model.config.flags & IDLE_LATENCY_CONFIG_KEEP;
}

/* Another session, of the file as it was opened. */
static void begin_session(bool started, enum phase phase)
{
	model = (struct model) {
		.readable = model.readable, .writable = model.writable,
		.nonblock = model.nonblock, .configured = true, .config = model.config,
		.seen.config = &model.config, .started = started, .phase = phase,
	};
}

void model_opened(int flags)
{
	int access = flags & O_ACCMODE;

	model = (struct model) {
		.phase = PHASE_STILL,
		.readable = access == O_RDONLY || access == O_RDWR,
		.writable = access == O_WRONLY || access == O_RDWR,
		.nonblock = flags & O_NONBLOCK,
	};
}

void model_expect_still(void)
{
	bool good = !made.may.count;

	if (model_may_run())
		fuzz_may(-EBUSY);
	if (good && model.phase != PHASE_RUNS)
		fuzz_may(0);
}

void model_configured(const struct idle_latency_config *config)
{
	begin_session(false, PHASE_STILL);
	model.config = *config;
}

void model_started(void)
{
	begin_session(true, has_end() ? PHASE_MAYBE : PHASE_RUNS);
}

void model_expect_stop(void)
{
	if (model_may_run())
		fuzz_may(0);
	if (model.phase != PHASE_RUNS)
		fuzz_may(-EINVAL);
}

void model_ended(void)
{
	if (model.phase != PHASE_MAYBE)
		return;
	model.phase = PHASE_STILL;
	model.counts.delivered = model.config.samples;
	/* How many discarded events there are, is not known by that. */
	model.is_final = !keeps();
}

static const char *compare_counts(const struct idle_latency_counts *old,
				  const struct idle_latency_counts *new)
{
	if (new->armed < old->armed)
		return "the count of armed events went back";
	if (new->delivered < old->delivered)
		return "the count of delivered samples went back";
	if (new->kept < old->kept)
		return "the count of kept events went back";
	if (new->advanced_cyc < old->advanced_cyc ||
	    new->between_cyc < old->between_cyc)
		return "a sum of residencies went back";
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (new->discarded[i] < old->discarded[i] ||
		    new->above[i] < old->above[i] ||
		    new->largest_ns[i] < old->largest_ns[i])
			return "a count of discarded events went back";
	return NULL;
}

static const char *check_limits(const struct idle_latency_counts *counts)
{
	static const struct idle_latency_counts zero;

	if (!model.started && memcmp(counts, &zero, sizeof(zero)))
		return "the counts of a session that was not started are not zero";
	if (counts->delivered < model.seen.samples ||
	    counts->kept < model.seen.records - model.seen.samples)
		return "more records were read than delivered";
	if (counts->kept && !keeps())
		return "discarded events were kept without being asked for";
	if (counts->discarded[IDLE_LATENCY_DISCARD_STOPPED] > 1)
		return "more than one event was stopped in flight";
	if (has_end() && counts->delivered > model.config.samples)
		return "more samples were delivered than asked for";
	if (model_may_run() && counts->discarded[IDLE_LATENCY_DISCARD_STOPPED])
		return "an event was stopped in flight without a stop";
	return NULL;
}

static __u64 records(const struct idle_latency_counts *counts)
{
	return counts->delivered + counts->kept;
}

const char *model_counted(const struct idle_latency_counts *counts)
{
	const char *wrong = accounting_limit(counts, model.config.limit_ns) ?:
			    compare_counts(&model.counts, counts) ?:
			    check_limits(counts);

	if (!wrong && model.phase == PHASE_STILL)
		wrong = accounting_end(counts, records(model.is_final ? &model.counts : counts));
	model.counts = *counts;
	model.is_final = model.phase == PHASE_STILL;
	return wrong;
}

/* Records that are certainly there. */
static __u64 surely_there(void)
{
	__u64 there = larger(minus_or_0(records(&model.counts), model.seen.records),
			     minus_or_0(model.counts.delivered, model.seen.samples));

	return larger(there, model.polled && model_may_run());
}

/* Samples that come before the session ends by itself. */
static __u64 samples_left(void)
{
	return has_end() ? model.config.samples - model.seen.samples : ~0ULL;
}

/* Records that can be there when read() returns; the last one is a sample. */
static __u64 at_most_there(void)
{
	if (model.is_final)
		return records(&model.counts) - model.seen.records;
	return keeps() && samples_left() ? ~0ULL : samples_left();
}

static void expect_records(struct read_call *call)
{
	__u64 most = smaller(call->asked, at_most_there());
	__u64 least = surely_there();

	if (!most)
		return;
	if (call->waits)
		least = larger(least, samples_left());
	least = smaller(larger(least, 1), most);
	/* Whole records only. */
	call->most = smaller(most, call->fit);
	call->least = smaller(least, call->fit);
}

void model_expect_read(struct read_call *call)
{
	bool nothing;

	if (!model.readable) {
		fuzz_may(-EBADF);
		return;
	}
	if (call->is_cut && !call->fit)
		fuzz_may(-EFAULT);
	if (!call->asked || !model.started) {
		fuzz_may(-EINVAL);
		return;
	}
	nothing = call->waits ? !at_most_there() : !surely_there();
	if (nothing && model_may_run() && !call->waits)
		fuzz_may(model.nonblock ? -EAGAIN : -EINTR);
	if (nothing && (model.phase == PHASE_STILL ||
			(model.phase == PHASE_MAYBE && !at_most_there())))
		fuzz_may(0);
	expect_records(call);
}

static bool is_all_zero(const char *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return !size;
}

/* Of what the kernel knows, the caller gets as much as it knows; what it knows more is zero. */
static const char *take_record(const char *bytes)
{
	const size_t size = model_record_size();
	const size_t known = smaller(size, sizeof(struct idle_latency_record));
	struct idle_latency_record record = { };
	const char *wrong = NULL;

	memcpy(&record, bytes, known);
	if (!is_all_zero(bytes + known, size - known))
		return "the end of a record is not zero that the kernel does not know";
	reader_take(&model.seen, &record);
	if (model.seen.wrong || record.reasons)
		return model.seen.wrong;
	if (model.seen.samples > 1 && record.ltime_ns <= model.last.ltime_ns)
		wrong = "an event fired before the one before it";
	else if (model.seen.samples > 1 && record.tbi_cyc < model.last.tintr_cyc)
		wrong = "an idle period began before the last event";
	model.last = record;
	return wrong;
}

/* It did not get all that it asked for and had room for. */
static bool saw_the_end(const struct read_call *call, __u64 count)
{
	if (call->waits)
		return count < call->asked && !at_most_there();
	return !count || (model.phase == PHASE_STILL && count < smaller(call->asked, call->fit));
}

const char *model_read(const struct read_call *call, const char *records, __u64 count)
{
	const char *wrong = NULL;

	for (__u64 i = 0; i < count && !wrong; i++)
		wrong = take_record(records + i * model_record_size());
	if (count)
		model.polled = false;
	if (!wrong && call->waits && count < call->asked && at_most_there())
		wrong = "a read that waits did not wait for the end";
	if (!saw_the_end(call, count))
		return wrong;
	model_ended();
	model.is_final = true;
	model.counts.delivered = model.seen.samples;
	model.counts.kept = model.seen.records - model.seen.samples;
	return wrong;
}

const char *model_polled(short events, short revents)
{
	const short in = (POLLIN | POLLRDNORM) & events;

	if (revents & ~(in | POLLHUP))
		return "poll() reports what was not asked for or cannot be";
	if (revents & in && (revents & in) != in)
		return "poll() reports only some of what means the same";
	if (!model.started)
		return revents ? "poll() reports more than nothing" : NULL;
	if (model.phase == PHASE_STILL)
		return revents == (in | POLLHUP) ? NULL : "poll() does not report the end";
	if (model.phase == PHASE_RUNS && revents & POLLHUP)
		return "poll() reports the end of a session that has none";
	if (revents & POLLHUP && (revents & in) != in)
		return "poll() reports the end, but nothing to read";
	if (revents & POLLHUP)
		model_ended();
	else if (revents & in)
		model.polled = true;
	return NULL;
}

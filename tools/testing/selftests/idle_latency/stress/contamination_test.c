// SPDX-License-Identifier: GPL-2.0
/*
 * What can spoil a sample is seen: another timer, an IPI, the interrupt of a
 * device, an NMI, a wake-up by another CPU, another idle state. A session with
 * one of them comes after one without. What was hit is discarded for the reason
 * of what hit it, and no sample contradicts what the disturbing process saw. What
 * was hit has a latency all the same, and is told from samples in the records.
 */
#include <unistd.h>

#include "contaminants.h"
#include "interrupts.h"
#include "kselftest_harness.h"
#include "prepare.h"
#include "records.h"
#include "stress.h"

/* Enough to tell a reason from chance. */
#define EVENTS		600
#define MANY_EVENTS	2000
#define FAR_EVENTS	150

/* Far enough ahead for several disturbances before each event. */
#define FAR_FROM_NS	1000000
#define FAR_TO_NS	2000000

/* By which times of two processes, or of two clocks, may be wrong. */
#define MARGIN_NS	2000
/* By which the time of an NMI may be wrong; see contaminate_by_nmi(). */
#define NMI_MARGIN_NS	10000

/* Two sessions of the same configuration, without and with a disturbance. */
static struct session_result quiet, disturbed;
static struct disturb_log *disturbing;

FIXTURE(contamination) {
	int fd;
	__u64 events;
	struct idle_latency_config config;
};

FIXTURE_VARIANT(contamination) {
	struct source_variant by;
};

FIXTURE_VARIANT_ADD(contamination, hrt) { VARIANT_HRT };
FIXTURE_VARIANT_ADD(contamination, hrt_probe) { VARIANT_HRT, VARIANT_PROBE };
FIXTURE_VARIANT_ADD(contamination, tdt) { VARIANT_TDT };
FIXTURE_VARIANT_ADD(contamination, tdt_probe) { VARIANT_TDT, VARIANT_PROBE };
FIXTURE_VARIANT_ADD(contamination, nic) { VARIANT_NIC };
FIXTURE_VARIANT_ADD(contamination, nic_probe) { VARIANT_NIC, VARIANT_PROBE };

FIXTURE_SETUP(contamination)
{
	MACHINE_OPEN(return, &variant->by, &self->config);
	self->events = EVENTS;
	self->config.flags |= IDLE_LATENCY_CONFIG_KEEP;
	affinity_avoid(self->config.cpu);
}

FIXTURE_TEARDOWN(contamination)
{
	EXPECT_TRUE(undo_now());
	close(self->fd);
}

/* The limit of these sessions is 0. */
static const char *check_result(const struct session_result *result)
{
	for (size_t i = 0; i < result->count; i++) {
		const struct idle_latency_record *record = &result->record[i];

		/* TBI comes after arming. */
		if (record->silent_ns > record->ldist_ns + record->error_ns)
			return "TBI is not between arming and LTime";
		/*
		 * Nothing but an interrupt was wrong: the stamps are right. Only where the handler
		 * ran before the CPU left idle, there is no WakeLatency.
		 */
		if (record->reasons == 1U << IDLE_LATENCY_DISCARD_FOREIGN_IRQ &&
		    !(record->flags & IDLE_LATENCY_RECORD_WAKE) &&
		    record->tai_cyc <= record->tintr_cyc)
			return "what was discarded for an interrupt has no latency";
	}
	return accounting_kept(result, 0);
}

static const char *run_quiet(struct _test_data_contamination *self)
{
	return session_run(self->fd, &self->config, self->events, &quiet) ?:
	       check_result(&quiet);
}

/* With the session started, and the disturbance, whose times may be any. */
static const char *end_both(struct _test_data_contamination *self)
{
	const char *wrong = session_end(self->fd, &self->config, self->events,
					&disturbed);

	if (!disturb_stop(disturbing))
		return "the disturbing process ended by itself";
	return wrong ?: check_result(&disturbed);
}

/* A process on that CPU disturbs, and its times are such that the measured one is awake. */
static const char *run_disturbed(struct _test_data_contamination *self, unsigned int cpu,
				 disturb_once *once, struct contaminant *with)
{
	const char *wrong;

	disturbing = disturb_start(cpu, once, with);
	if (!disturbing)
		return "the disturbing process did not start";
	if (device_begin(self->fd, &self->config))
		return "the session did not start";
	wrong = end_both(self);
	for (size_t i = 0; i < disturbed.count && !wrong; i++)
		if (!disturbed.record[i].reasons &&
		    disturb_between(disturbing, disturbed.record[i].tbi_cyc,
				    disturbed.record[i].tintr_cyc))
			wrong = "the CPU was seen awake between TBI and TIntr";
	return wrong;
}

static void log_counts(struct __test_metadata *_metadata, const char *name,
		       const struct session_result *result)
{
	char text[256];

	discards_text(&result->counts, false, text, sizeof(text));
	TH_LOG("%s: armed %llu, delivered %llu, discarded: %s", name,
	       result->counts.armed, result->counts.delivered, text);
}

/* How often a reason may have been counted if the disturbance had no effect. */
static __u64 by_chance(enum idle_latency_discard reason)
{
	return 3 * quiet.counts.discarded[reason] * disturbed.counts.armed / quiet.counts.armed;
}

/*
 * The reason explains what was done: it was counted at least so many times, no
 * more often than there were disturbances, and not by chance.
 */
static void expect_reason(struct __test_metadata *_metadata,
			  enum idle_latency_discard reason, __u64 least, __u64 most)
{
	__u64 hits = disturbed.counts.discarded[reason];

	EXPECT_LE(least, hits);
	EXPECT_GE(most + by_chance(reason), hits);
	EXPECT_GT(hits, by_chance(reason));
	if (_metadata->exit_code) {
		log_counts(_metadata, "without", &quiet);
		log_counts(_metadata, "with", &disturbed);
	}
}

/* What comes as often as the events spoils more than a few of them. */
static __u64 few(const struct session_result *result)
{
	return 1 + result->counts.armed / 40;
}

/* A card knows nothing of timers: theirs are interrupts like all others. */
TEST_F(contamination, second_timer)
{
	const bool by_card = variant->by.source == IDLE_LATENCY_SOURCE_NIC;

	ASSERT_FINE(run_quiet(self));
	ASSERT_FINE(run_disturbed(self, self->config.cpu, contaminate_by_timer, NULL));
	expect_reason(_metadata, by_card ? IDLE_LATENCY_DISCARD_FOREIGN_IRQ :
					   IDLE_LATENCY_DISCARD_FOREIGN_TIMER,
		      few(&disturbed), disturbing->count);
}

/* What came of the events that another timer was close to. */
struct neighbours {
	/* it was due before the event, and how many of these were believed */
	unsigned int earlier;
	unsigned int earlier_believed;
	/* it was due after the event, before the CPU had woken up; likewise */
	unsigned int later;
	unsigned int later_believed;
};

static void tally_neighbour(struct neighbours *neighbours, double rate,
			    const struct idle_latency_record *record)
{
	const __u64 margin = MARGIN_NS * rate;
	const __u64 ltime_tsc = record->tai_cyc - record->wake_ns * rate;
	const __u64 tbi_cyc = record->tbi_cyc, tai_cyc = record->tai_cyc;

	if (disturb_between(disturbing, tbi_cyc + margin, ltime_tsc - margin)) {
		neighbours->earlier++;
		neighbours->earlier_believed += !record->reasons;
	} else if (disturb_between(disturbing, ltime_tsc + margin, tai_cyc - margin) &&
		   !disturb_between(disturbing, tbi_cyc - margin, ltime_tsc + margin)) {
		neighbours->later++;
		neighbours->later_believed += !record->reasons;
	}
}

/*
 * A state that takes long to leave, and timers all the time: one that is due before
 * the event has woken the CPU, one that is due after it has not, although both are
 * handled together with the event. Something else may have interrupted the CPU in
 * some of the latter.
 */
TEST_F(contamination, timer_before_or_after_the_event)
{
	struct contaminant timer = { .rate = machine_tsc_rate() };
	struct neighbours seen = { };
	bool fits_in = false;

	ASSERT_TRUE(machine_deepest(self->fd, &self->config));
	disturbing = disturb_start(self->config.cpu, contaminate_by_known_timer, &timer);
	ASSERT_TRUE(!!disturbing);
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_FINE(end_both(self));
	for (size_t i = 0; i < disturbed.count; i++) {
		const struct idle_latency_record *record = &disturbed.record[i];

		if (record->flags & IDLE_LATENCY_RECORD_WAKE)
			tally_neighbour(&seen, timer.rate, record);
		/* Between an event and the first instruction after idle. */
		fits_in |= !record->reasons && record->wake_ns > 2 * MARGIN_NS;
	}
	EXPECT_EQ(0U, seen.earlier_believed);
	if (!fits_in)
		SKIP(return, "no idle state takes long enough to leave");
	TH_LOG("earlier: %u, believed %u; later: %u, believed %u", seen.earlier,
	       seen.earlier_believed, seen.later, seen.later_believed);
	EXPECT_LE(few(&disturbed), seen.later);
	EXPECT_LE(3 * seen.later / 4, seen.later_believed);
}

TEST_F(contamination, ipi_storm)
{
	struct contaminant msr = { .fd = contaminant_msr_open(self->config.cpu) };
	__u64 first, last;
	unsigned int other;

	if (!machine_other_cpu(false, &other))
		SKIP(return, "one CPU, none to send an IPI from");
	if (msr.fd < 0)
		SKIP(return, "no /dev/cpu/*/msr: run 'modprobe msr'");
	ASSERT_FINE(run_quiet(self));
	ASSERT_TRUE(interrupts_of_row(self->config.cpu, "CAL", &first));
	ASSERT_FINE(run_disturbed(self, other, contaminate_by_ipi, &msr));
	ASSERT_TRUE(interrupts_of_row(self->config.cpu, "CAL", &last));
	ASSERT_LT(0ULL, disturbing->count);
	if (last - first < disturbing->count / 2)
		SKIP(return, "an idle CPU is called here without an IPI");
	expect_reason(_metadata, IDLE_LATENCY_DISCARD_FOREIGN_IRQ, few(&disturbed), last - first);
}

static __u64 count_reason(const struct session_result *result,
			  enum idle_latency_discard reason)
{
	__u64 count = 0;

	for (size_t i = 0; i < result->count; i++)
		count += !!(result->record[i].reasons & 1U << reason);
	return count;
}

/* Each interrupt of an idle CPU ends an idle period, the last one or another. */
static __u64 count_ended(const struct session_result *result)
{
	__u64 count = count_reason(result, IDLE_LATENCY_DISCARD_FOREIGN_IRQ);

	for (size_t i = 0; i < result->count; i++)
		if (result->record[i].idle_periods)
			count += result->record[i].idle_periods - 1;
	return count;
}

/*
 * How many of the interrupts should come while the CPU wakes up, if they come at any time. What one
 * hits may have no WakeLatency, so the quiet session tells how long that takes.
 */
static __u64 while_waking(__u64 interrupts)
{
	double waking_ns = 0;

	for (size_t i = 0; i < quiet.count; i++)
		waking_ns += (double)quiet.record[i].wake_ns / quiet.count;
	return interrupts * disturbed.count * waking_ns * machine_tsc_rate() /
	       (disturbed.record[disturbed.count - 1].tintr_cyc - disturbed.record->tintr_cyc);
}

/* The state that takes longest to leave: interrupts have most of their chance to come meanwhile. */
TEST_F(contamination, device_interrupt)
{
	struct contaminant disk = { .fd = contaminant_disk_open() };
	__u64 first, foreign, waking;
	unsigned int reader;

	/* Where there is another CPU, only the interrupt is on this one. */
	if (!machine_other_cpu(false, &reader))
		reader = self->config.cpu;
	self->events = MANY_EVENTS;
	if (disk.fd < 0)
		SKIP(return, "no disk to read from");
	ASSERT_TRUE(machine_deepest(self->fd, &self->config));
	ASSERT_FINE(run_quiet(self));
	ASSERT_TRUE(contaminant_irqs_move(self->config.cpu));
	interrupts_of_row(self->config.cpu, NULL, &first);
	ASSERT_FINE(run_disturbed(self, reader, contaminate_by_disk, &disk));
	interrupts_of_row(self->config.cpu, NULL, &foreign);
	foreign -= first;
	ASSERT_LT(0ULL, disturbing->count);
	waking = while_waking(foreign);
	TH_LOG("%llu interrupts, %zu reads: %llu ended idle, about %llu expected while waking up",
	       foreign, (size_t)disturbing->count, count_ended(&disturbed), waking);
	if (foreign < disturbing->count / 2)
		SKIP(return, "the interrupts of the disk go to another CPU");
	expect_reason(_metadata, IDLE_LATENCY_DISCARD_FOREIGN_IRQ, 1 + waking / 4, foreign);
	/*
	 * The CPU is idle for more than half of the time, unless it is the one
	 * that reads: then it is idle only while it waits for the disk, and how
	 * long that takes is not known.
	 */
	EXPECT_LE(reader == self->config.cpu ? few(&disturbed) : foreign / 2,
		  count_ended(&disturbed));
}

/* What came of the NMIs. */
struct hits {
	/* between TBI and TIntr of an event, and how many of these events say so */
	unsigned int events;
	unsigned int recognised;
	/* before TBI, so that it ended an idle period that was not the last */
	unsigned int earlier;
};

static bool is_hit(double from_tsc, double to_tsc, double rate)
{
	const double margin = NMI_MARGIN_NS * rate;

	return to_tsc - margin > from_tsc + margin &&
	       disturb_between(disturbing, from_tsc + margin, to_tsc - margin);
}

static void tally_hit(struct hits *hits, double rate, const struct idle_latency_record *record)
{
	double armed_tsc = record->tbi_cyc -
			   ((double)record->ldist_ns - record->silent_ns) * rate;

	if (!record->idle_periods)
		return;
	if (is_hit(record->tbi_cyc, record->tintr_cyc, rate)) {
		hits->events++;
		hits->recognised += !!(record->reasons & 1U << IDLE_LATENCY_DISCARD_NMI);
	} else if (is_hit(armed_tsc, record->tbi_cyc, rate)) {
		hits->earlier++;
	}
}

/*
 * All of them must be recognised that come between TBI and TIntr, by a margin for the
 * two clocks. As an NMI takes longer here than events are ahead, an event falls into it
 * wherever one is in flight, which is most of the time. NMIs come only when the session
 * has started, which may take long.
 */
TEST_F(contamination, nmi)
{
	double rate = machine_tsc_rate();
	struct hits hits = { };
	struct contaminant sender;
	__u64 first, last;
	unsigned int other;
	const char *wrong;

	/* There are few NMIs to a hundred events, and enough of them have to hit one. */
	self->events = MANY_EVENTS;
	if (!machine_other_cpu(false, &other))
		SKIP(return, "one CPU, none to send an NMI from");
	wrong = contaminant_nmi_open(&sender, self->config.cpu, rate);
	if (wrong)
		SKIP(return, "%s", wrong);
	ASSERT_FINE(run_quiet(self));
	ASSERT_TRUE(interrupts_of_row(self->config.cpu, "NMI", &first));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	disturbing = disturb_start(other, contaminate_by_nmi, &sender);
	ASSERT_TRUE(!!disturbing);
	ASSERT_FINE(end_both(self));
	ASSERT_TRUE(interrupts_of_row(self->config.cpu, "NMI", &last));
	expect_reason(_metadata, IDLE_LATENCY_DISCARD_NMI, 1, last - first);
	for (size_t i = 0; i < disturbed.count; i++)
		tally_hit(&hits, rate, &disturbed.record[i]);
	/* The others came with no event in flight, or too close to the end of one to tell. */
	TH_LOG("NMIs: %llu; between TBI and TIntr %u, recognised %u; before TBI %u",
	       disturbing->count, hits.events, hits.recognised, hits.earlier);
	/* Of some 75, 40 to 60 % do: this many by far, whatever the launch distances are. */
	EXPECT_LE(disturbing->count / 6, hits.events);
	EXPECT_EQ(hits.events, hits.recognised);
}

static double mean_idle_periods(const struct session_result *result)
{
	double sum = 0;

	for (size_t i = 0; i < result->count; i++)
		if (!result->record[i].reasons)
			sum += result->record[i].idle_periods;
	return sum / result->counts.delivered;
}

/*
 * Disturbances come many times before an event, the tick at most once or twice.
 * That the times are those of the last idle period, run_disturbed() has found
 * out: the disturbing process ran between the first one and the event.
 */
static void expect_entered_again(struct __test_metadata *_metadata)
{
	double without = mean_idle_periods(&quiet), with = mean_idle_periods(&disturbed);

	ASSERT_LT(0ULL, quiet.counts.delivered);
	ASSERT_LT(0ULL, disturbed.counts.delivered);
	EXPECT_GT(with, 2 * without)
		TH_LOG("idle periods: %g without, %g with", without, with);
}

static void go_far(struct _test_data_contamination *self)
{
	self->config.ldist_from_ns = FAR_FROM_NS;
	self->config.ldist_to_ns = FAR_TO_NS;
	self->events = FAR_EVENTS;
}

TEST_F(contamination, idle_is_left_and_entered_again)
{
	go_far(self);
	ASSERT_FINE(run_quiet(self));
	ASSERT_FINE(run_disturbed(self, self->config.cpu, contaminate_by_timer, NULL));
	expect_entered_again(_metadata);
}

/* Two sessions; in the second, another CPU wakes a task on the measured one. */
static const char *run_woken(struct _test_data_contamination *self, unsigned int waking_cpu)
{
	const char *wrong = run_quiet(self);
	struct contaminant woken, waking;
	struct disturb_log *waker = NULL;
	int ends[2];

	if (wrong)
		return wrong;
	if (!pipe(ends)) {
		woken.fd = ends[0];
		waking.fd = ends[1];
		waker = disturb_start(waking_cpu, contaminate_by_waking, &waking);
	}
	if (!waker)
		return "the waking process did not start";
	wrong = run_disturbed(self, self->config.cpu, contaminate_by_being_woken, &woken);
	if (!disturb_stop(waker))
		return "the waking process ended by itself";
	return wrong;
}

TEST_F(contamination, woken_by_another_cpu)
{
	unsigned int other;

	if (!machine_other_cpu(false, &other))
		SKIP(return, "one CPU, none to wake it from");
	go_far(self);
	ASSERT_FINE(run_woken(self, other));
	expect_entered_again(_metadata);
}

/* As the idle states of MWAIT do, MONITORS sees a task to run by itself. */
TEST_F(contamination, woken_without_an_interrupt)
{
	unsigned int other;

	if (!machine_other_cpu(false, &other))
		SKIP(return, "one CPU, none to wake it from");
	if (!machine_state(self->config.cpu, "MONITORS", &self->config.state))
		SKIP(return, "no simulated state MONITORS");
	ASSERT_FINE(run_woken(self, other));
	expect_reason(_metadata, IDLE_LATENCY_DISCARD_WOKEN, few(&disturbed), disturbing->count);
}

/* Each tenth entry into DEMOTES is into the state before it. */
TEST_F(contamination, another_state_is_entered)
{
	__u64 hits;

	if (!machine_state(self->config.cpu, "DEMOTES", &self->config.state))
		SKIP(return, "no simulated state DEMOTES");
	ASSERT_FINE(run_quiet(self));
	hits = quiet.counts.discarded[IDLE_LATENCY_DISCARD_OTHER_STATE];
	EXPECT_LE(few(&quiet), hits)
		log_counts(_metadata, "DEMOTES", &quiet);
	EXPECT_LE(hits, count_reason(&quiet, IDLE_LATENCY_DISCARD_OTHER_STATE));
}

int main(int argc, char **argv)
{
	stress_begin("contamination_test interrupts and wakes up a CPU all the time",
		     "moves the interrupts of all devices to it, and reads from a disk",
		     "sends NMIs to all CPUs by SysRq, which fills the kernel log, and has the console show no messages then",
		     NULL);
	stress_take_card();
	return test_harness_run(argc, argv);
}

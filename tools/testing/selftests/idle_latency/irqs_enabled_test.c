// SPDX-License-Identifier: GPL-2.0
/*
 * States that are entered with interrupts enabled: the handler runs before the
 * first instruction after idle, and TAI says nothing about the wake-up. That is
 * told from the stamps of each sample.
 */
#include <stdint.h>
#include <unistd.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"

/* Of the events of a slow machine few become a sample. */
#define SAMPLES		300

/* Farther ahead than POLL polls at a time, which is 250 us at most. */
#define FAR_TO_NS	1000000

FIXTURE(irqs_enabled) {
	int fd;
	struct idle_latency_config config;
};

FIXTURE_VARIANT(irqs_enabled) {
	const char *state;
	struct source_variant by;
};

FIXTURE_VARIANT_ADD(irqs_enabled, poll) { "POLL", VARIANT_HRT };
FIXTURE_VARIANT_ADD(irqs_enabled, poll_probe) { "POLL", VARIANT_HRT, VARIANT_PROBE };
/* A simulated state that enables interrupts on its way back. */
FIXTURE_VARIANT_ADD(irqs_enabled, simulated) { "IRQS", VARIANT_HRT };
FIXTURE_VARIANT_ADD(irqs_enabled, simulated_probe) { "IRQS", VARIANT_HRT, VARIANT_PROBE };

FIXTURE_SETUP(irqs_enabled)
{
	MACHINE_OPEN(return, &variant->by, &self->config);
	if (!machine_state(self->config.cpu, variant->state, &self->config.state))
		SKIP(return, "no state %s", variant->state);
	affinity_avoid(self->config.cpu);
	ASSERT_EQ(0, device_config(self->fd, &self->config));
}

FIXTURE_TEARDOWN(irqs_enabled)
{
	close(self->fd);
}

static void expect_intr_only(struct __test_metadata *_metadata, int fd,
			     const struct idle_latency_config *config)
{
	static struct idle_latency_record records[SAMPLES];

	ASSERT_FINE(session_take(fd, config, SAMPLES, records));
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct idle_latency_record *record = &records[i];

		EXPECT_EQ(0U, record->flags & IDLE_LATENCY_RECORD_WAKE);
		EXPECT_EQ(0ULL, record->wake_ns);
		EXPECT_EQ(0ULL, record->silent_ns);
		EXPECT_LT(record->tbi_cyc, record->tintr_cyc);
		EXPECT_LT(record->tintr_cyc, record->tai_cyc);
		/* A negative time would be a huge one. */
		EXPECT_GE((__u64)INT64_MAX, record->intr_ns);
	}
}

TEST_F(irqs_enabled, gives_intr_latency_only)
{
	expect_intr_only(_metadata, self->fd, &self->config);
}

/* POLL is left after a time and entered again, until the event comes. */
TEST_F(irqs_enabled, also_after_several_idle_periods)
{
	self->config.ldist_to_ns = FAR_TO_NS;
	expect_intr_only(_metadata, self->fd, &self->config);
}

int main(int argc, char **argv)
{
	machine_required(false);
	return test_harness_run(argc, argv);
}

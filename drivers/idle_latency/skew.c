// SPDX-License-Identifier: GPL-2.0-only
/*
 * By how much the TSC of one CPU is ahead of that of another one, which the kernel does not say. A
 * CPU asks for the TSC of the other one again and again, and reads its own before and after that.
 */
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/processor.h>
#include <linux/smp.h>

#include "hardware.h"
#include "x86.h"

/* So often the other CPU answers, within some 10 us. */
#define ROUNDS		32

/* For so long one CPU waits for all that the other one says, in ms; it may be interrupted. */
#define PATIENCE_MS	10

/**
 * struct question - what one CPU asks the other one
 * @csd: has the CPU ask
 * @asked: it asks no more
 * @turn: odd: the other CPU is to read its TSC; even: it has
 * @answer: the TSC of the other CPU, in cycles
 * @skew: what is known by now
 */
struct question {
	call_single_data_t csd;
	struct completion asked;
	unsigned int turn;
	u64 answer;
	struct idle_latency_skew *skew;
};

/* Of two CPUs that wait for each other with interrupts disabled, neither would answer. */
static DEFINE_MUTEX(skew_lock);

/* At which TSC a CPU that begins now has waited long enough. */
static u64 end_of_patience(void)
{
	return hw_tsc() + (u64)PATIENCE_MS * hw_tsc_khz();
}

static bool wait_for_turn(const struct question *question, unsigned int turn, u64 end)
{
	/* Pairs with smp_store_release() of the other CPU. */
	while (smp_load_acquire(&question->turn) != turn) {
		if (hw_tsc() > end)
			return false;
		cpu_relax();
	}

	return true;
}

static void ask_for_tsc(void *data)
{
	const u64 end = end_of_patience();
	struct question *question = data;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		u64 before = hw_tsc_ordered();

		/* Pairs with wait_for_turn() of the CPU that answers. */
		smp_store_release(&question->turn, 2 * i + 1);
		if (!wait_for_turn(question, 2 * i + 2, end))
			break;
		idle_latency_skew_add(question->skew, before, question->answer, hw_tsc_ordered());
	}
	complete(&question->asked);
}

/* Returns 0 or a negative errno. */
static int answer_with_tsc(struct question *question, unsigned int cpu, unsigned int own)
{
	u64 end;
	int err;

	guard(irqsave)();

	if (smp_processor_id() != own)
		return -ENXIO;

	err = smp_call_function_single_async(cpu, &question->csd);
	if (err)
		return err;

	end = end_of_patience();
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (!wait_for_turn(question, 2 * i + 1, end))
			return -ETIMEDOUT;
		question->answer = hw_tsc_ordered();
		/* Pairs with wait_for_turn() of the CPU that asks. */
		smp_store_release(&question->turn, 2 * i + 2);
	}

	return 0;
}

/**
 * idle_latency_find_skew() - by how much the TSC of this CPU is ahead of that of another one
 * @cpu: the other one
 * @own: number of this CPU, to which the caller is bound until it goes offline
 * @skew: what is found
 *
 * Context: process context. May sleep, and disables interrupts for up to 10 ms.
 * Return: 0; -ENXIO when one of the CPUs is offline; -ETIMEDOUT when one did not answer.
 */
int idle_latency_find_skew(unsigned int cpu, unsigned int own, struct idle_latency_skew *skew)
{
	struct question question = { .skew = skew };
	int err;

	idle_latency_skew_init(skew);
	INIT_CSD(&question.csd, ask_for_tsc, &question);
	init_completion(&question.asked);

	guard(mutex)(&skew_lock);

	err = answer_with_tsc(&question, cpu, own);
	/* What was queued runs, whether it was answered or not. */
	if (!err || err == -ETIMEDOUT)
		wait_for_completion(&question.asked);

	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "disturb.h"
#include "idle_latency_util.h"

static void disturb(struct disturb_log *log, disturb_once *once, void *context)
{
	__u64 tsc, count = 0;

	while (once(context, &tsc)) {
		if (count < DISTURB_STAMPS_MAX)
			log->tsc[count] = tsc;
		__atomic_store_n(&log->count, ++count, __ATOMIC_RELEASE);
	}
}

bool disturb_start(struct disturbance *disturbance, unsigned int cpu,
		   disturb_once *once, void *context)
{
	struct disturb_log *log = mmap(NULL, sizeof(*log),
				       PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (log == MAP_FAILED)
		return false;
	disturbance->log = log;
	disturbance->child = fork();
	if (disturbance->child)
		return disturbance->child > 0;
	/* A test that fails must not leave it behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Its timers must not be late by 50 us, as they may by default. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (affinity_pin(cpu))
		disturb(log, once, context);
	_exit(1);
}

bool disturb_stop(struct disturbance *disturbance)
{
	int status;

	kill(disturbance->child, SIGKILL);
	return waitpid(disturbance->child, &status, 0) == disturbance->child &&
	       WIFSIGNALED(status);
}

void disturb_free(struct disturbance *disturbance)
{
	if (disturbance->log)
		munmap(disturbance->log, sizeof(*disturbance->log));
	disturbance->log = NULL;
}

static size_t stamps(const struct disturb_log *log)
{
	return log->count < DISTURB_STAMPS_MAX ? log->count :
						 DISTURB_STAMPS_MAX;
}

/* The times are sorted. Returns how many of them are before this one. */
static size_t stamps_before(const struct disturb_log *log, __u64 tsc)
{
	size_t low = 0, high = stamps(log);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->tsc[middle] < tsc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool disturb_between(const struct disturb_log *log, __u64 from_tsc,
		     __u64 to_tsc)
{
	return to_tsc > from_tsc &&
	       stamps_before(log, to_tsc) > stamps_before(log, from_tsc);
}

size_t disturb_inside(const struct disturb_log *log,
		      const struct idle_latency_record *records, size_t count)
{
	size_t inside = 0;

	for (size_t i = 0; i < count; i++)
		inside += !records[i].reasons &&
			  disturb_between(log, records[i].tbi_tsc,
					  records[i].tintr_tsc);
	return inside;
}

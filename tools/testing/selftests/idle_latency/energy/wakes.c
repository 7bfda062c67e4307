// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "statistics.h"
#include "wakes.h"

/* All threads are there before the first timer fires, and are still there after the last update. */
#define MARGIN_NS	5000000
/* So many wake-ups tell by how much a thread is late. */
#define LATE_MOST	1000
/* An interval has as many idle periods at least. */
#define PERIODS_LEAST	20

/* Of one CPU. Times of all CPUs are the same ones. */
struct waker {
	const struct wakes *wakes;
	unsigned int cpu;
	__u64 begin_ns;
	__u64 until_ns;
};

/* One of them, which reads the counters and looks at the last CPU of the package. */
struct observer {
	struct waker waker;
	bool begun;
	struct idle_sum before, after;
	__u64 before_ns, after_ns;
	double reading_ns;
	__u64 late_ns[LATE_MOST];
	size_t late_count;
};

/* When the next one is due. */
static __u64 next_wake(const struct wakes *wakes, struct dice *dice)
{
	const __u64 length_ns = wakes->length_ns;

	return wakes->random ? length_ns / 2 + dice_below(dice, length_ns + 1) : length_ns;
}

static void read_idle(struct observer *observer, struct idle_sum *sum, __u64 *ns)
{
	const struct wakes *wakes = observer->waker.wakes;
	const struct cpu_list *cpus = &wakes->package->cpus;

	*ns = now_ns();
	idle_sum_read(&cpus->cpu[cpus->count - 1], 1, wakes->state, sum);
	observer->reading_ns += now_ns() - *ns;
}

static void note_wake(struct observer *observer, __u64 due_ns)
{
	const __u64 woken_ns = now_ns();

	if (observer->late_count < LATE_MOST)
		observer->late_ns[observer->late_count++] = woken_ns - due_ns;
	/* In phase with the others, each of which has ended as many idle periods. */
	if (!observer->begun)
		read_idle(observer, &observer->before, &observer->before_ns);
	observer->begun = true;
}

/* @observer: NULL for the others */
static void wake_up(const struct waker *waker, struct observer *observer)
{
	struct dice dice = { .state = 1 };
	__u64 due_ns = waker->begin_ns;

	while (due_ns < waker->until_ns) {
		/* What is over by now is left out. */
		while (due_ns <= now_ns())
			due_ns += next_wake(waker->wakes, &dice);
		sleep_until(NULL, due_ns);
		if (observer)
			note_wake(observer, due_ns);
	}
}

static void *run_waker(void *waker)
{
	affinity_pin(((struct waker *)waker)->cpu);
	wake_up(waker, NULL);
	return NULL;
}

/* Between two updates. */
static double run_observer(void *with, __u64 until_ns)
{
	struct observer *observer = with;

	observer->waker.until_ns = until_ns;
	wake_up(&observer->waker, observer);
	read_idle(observer, &observer->after, &observer->after_ns);
	return observer->reading_ns;
}

/* The other CPUs of the package wake up until all threads have ended. */
struct crew {
	pthread_t *threads;
	struct waker *wakers;
	size_t count;
};

static bool crew_begin(struct crew *crew, const struct waker *first)
{
	const struct cpu_list *cpus = &first->wakes->package->cpus;

	*crew = (struct crew) {
		.threads = calloc(cpus->count, sizeof(*crew->threads)),
		.wakers = calloc(cpus->count, sizeof(*crew->wakers)),
	};
	while (crew->threads && crew->wakers && crew->count < cpus->count - 1) {
		struct waker *waker = &crew->wakers[crew->count];

		*waker = *first;
		waker->cpu = cpus->cpu[crew->count + 1];
		if (pthread_create(&crew->threads[crew->count], NULL, run_waker, waker))
			break;
		crew->count++;
	}
	return crew->count == cpus->count - 1;
}

static void crew_end(struct crew *crew)
{
	while (crew->count)
		pthread_join(crew->threads[--crew->count], NULL);
	free(crew->threads);
	free(crew->wakers);
}

/*
 * The mean of the middle half: a few are very late, and a median would jump from one of the few
 * times that a thread takes to the next.
 */
static double middle_mean(__u64 *late_ns, size_t count)
{
	const size_t first = count / 4;
	double sum = 0;

	sort_samples(late_ns, count);
	for (size_t i = first; i < count - first; i++)
		sum += late_ns[i];
	return sum / (count - 2 * first);
}

static bool find_point(const struct observer *observer, double watts, double late_ns,
		       struct energy_point *point)
{
	const struct wakes *wakes = observer->waker.wakes;
	const double cpus = wakes->package->cpus.count;
	const double entries = observer->after.entries - observer->before.entries;
	const double passed_ns = observer->after_ns - observer->before_ns;
	const double idle_ns = observer->after.ns - observer->before.ns;
	double each_ns, idle_each_ns;

	if (entries < PERIODS_LEAST / 2)
		return false;
	each_ns = passed_ns / entries;
	idle_each_ns = idle_ns / entries;
	*point = (struct energy_point) {
		/* cpuidle counts until the CPU has come back. */
		.length_ns = idle_each_ns - (late_ns - wakes->prompt_ns),
		.nj = watts * each_ns / cpus - wakes->awake_w * (each_ns - idle_each_ns),
		.periods = 1,
	};
	return point->length_ns > 0 && point->nj > 0;
}

bool wakes_measure(struct meters *meters, const struct wakes *wakes, const double *watts,
		   struct woken *woken)
{
	const size_t least = PERIODS_LEAST * wakes->length_ns / meters->period_ns + 1;
	const size_t updates = larger(POWER_UPDATES, least);
	static struct observer observer;
	struct interval interval;
	struct crew crew;
	bool ok;

	observer = (struct observer) { .waker.wakes = wakes };
	observer.waker.begin_ns = now_ns() + MARGIN_NS;
	observer.waker.until_ns = observer.waker.begin_ns + 2 * MARGIN_NS +
				  (updates + 2) * meters->period_ns;
	ok = crew_begin(&crew, &observer.waker);
	sleep_until(NULL, observer.waker.begin_ns);
	ok = ok && interval_take(meters, updates, run_observer, &observer, &interval);
	crew_end(&crew);
	if (!ok || !observer.late_count)
		return false;
	woken->awake_ns = (observer.after_ns - observer.before_ns -
			   (double)(observer.after.ns - observer.before.ns)) / observer.late_count;
	woken->late_ns = middle_mean(observer.late_ns, observer.late_count);
	return find_point(&observer,
			  (interval.nj[0] - watts[0] * interval.awake_ns[0]) /
			  (interval.ns[0] - interval.awake_ns[0]), woken->late_ns,
			  &woken->point);
}

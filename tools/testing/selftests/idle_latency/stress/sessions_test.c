// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of up to 8 CPUs at once, one each, are started and stopped, again and again and each in
 * its own time, while CPUs go offline and the program that has the sessions is killed: each START
 * does what it must, each event is accounted for, and no CPU stays behind. And sessions of all CPUs
 * are started at once, for the same time.
 *
 * Takes the number of sessions that are started, 2000 when it is not given.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "idle_latency_util.h"
#include "kselftest.h"
#include "machine.h"
#include "prepare.h"
#include "stress.h"

#define STARTS_DEFAULT	2000

#define SLOTS_MAX	8

/* Of a session that ends by itself. */
#define SAMPLES_MOST	8
/* A thread rests for so long at most, and a session waits so long for its time. */
#define REST_US		2000
/* The program is killed, and another CPU taken offline, after so many sessions at most. */
#define SESSIONS_MOST	128
/* All CPUs are started within this time, and begin after it. */
#define START_NS	NS_PER_SEC

/* A CPU, and the thread that measures it. */
struct slot {
	struct idle_latency_config config;
	bool may_go;
	unsigned int seed;
};

static struct slot slots[SLOTS_MAX];
static size_t slot_count;
static bool any_may_go;

/* What all programs of this test have in common. */
static struct shared {
	atomic_ullong starts;
	/* because the CPU was offline */
	atomic_ullong refused;
	atomic_uint kills;
	atomic_bool has_failed;
	char wrong[160];
} *shared;

/* The first that goes wrong is what counts. */
static bool fail(const struct slot *slot, const char *format, ...)
{
	char *wrong = shared->wrong;
	int length;
	va_list more;

	if (atomic_exchange(&shared->has_failed, true))
		return false;
	length = snprintf(wrong, sizeof(shared->wrong), "CPU %u: ", slot->config.cpu);
	va_start(more, format);
	vsnprintf(wrong + length, sizeof(shared->wrong) - length, format, more);
	va_end(more);
	return false;
}

static unsigned int below(struct slot *slot, unsigned int limit)
{
	return rand_r(&slot->seed) % limit;
}

static void rest(struct slot *slot)
{
	sleep_ns(below(slot, REST_US) * 1000ULL);
}

/* The CPU goes, or is on its way back and has no idle states yet. */
static bool is_gone(const struct slot *slot, int ret)
{
	return slot->may_go && (ret == -ENXIO || ret == -ENODEV);
}

static void choose(struct slot *slot, struct idle_latency_config *config)
{
	*config = slot->config;
	config->samples = below(slot, SAMPLES_MOST);
	config->buffer_records = IDLE_LATENCY_BUFFER_MIN;
	if (below(slot, 2))
		config->flags |= IDLE_LATENCY_CONFIG_KEEP;
	if (!below(slot, 4))
		config->start_ns = now_ns() + below(slot, REST_US) * 1000ULL;
}

/* To the end of a session that was stopped, or has an end. */
static bool read_to_end(struct slot *slot, int fd)
{
	struct idle_latency_record records[SAMPLES_MOST];
	struct idle_latency_counts counts;
	const char *wrong;
	ssize_t got;

	do
		got = device_read(fd, records, SAMPLES_MOST);
	while (got > 0);
	if (got && !is_gone(slot, got))
		return fail(slot, "reading ended with %zd", got);
	if (device_counts(fd, &counts))
		return fail(slot, "the counts cannot be read");
	wrong = accounting_counts(&counts);
	if (wrong || counts.pending)
		return fail(slot, "%s", wrong ?: "an event is pending after the end");
	return true;
}

/* A session that was started: it is stopped, ends by itself, or is closed as it is. */
static bool end_session(struct slot *slot, const struct idle_latency_config *config, int fd)
{
	struct idle_latency_record record;
	int ret;

	switch (below(slot, 4)) {
	case 0:
		rest(slot);
		return true;
	case 1:
		if (device_read(fd, &record, 1) < 0 && !slot->may_go)
			return fail(slot, "no record comes");
		break;
	case 2:
		if (config->samples)
			return read_to_end(slot, fd);
		rest(slot);
		break;
	default:
		break;
	}
	ret = device_stop(fd);
	if (ret && ret != -EINVAL)
		return fail(slot, "STOP returned %d", ret);
	return read_to_end(slot, fd);
}

static bool run_session(struct slot *slot)
{
	struct idle_latency_config config;
	bool fine = true;
	int fd, ret;

	fd = device_open(0);
	if (fd < 0)
		return fail(slot, "open returned %d", fd);
	choose(slot, &config);
	ret = device_begin(fd, &config);
	if (!ret) {
		shared->starts++;
		fine = end_session(slot, &config, fd);
	} else if (is_gone(slot, ret)) {
		shared->refused++;
		rest(slot);
	} else {
		fine = fail(slot, "CONFIG and START returned %d", ret);
	}
	close(fd);
	return fine;
}

static __u64 wanted;

static bool goes_on(void)
{
	return !shared->has_failed && shared->starts < wanted;
}

static void *run_slot(void *slot)
{
	while (goes_on() && run_session(slot))
		;
	return NULL;
}

/*
 * Waits until some more sessions were started. Their number is drawn, as is the moment after that:
 * on a slow machine as many of them are started between as on a fast one.
 */
static void await_sessions(void)
{
	__u64 last = shared->starts + random() % SESSIONS_MOST;

	while (goes_on() && shared->starts < last)
		sleep_ms(1);
	sleep_ns(random() % REST_US * 1000ULL);
}

/* A program that has a session of each CPU. */
static pid_t fork_sessions(void)
{
	pthread_t threads[SLOTS_MAX];
	pid_t child = fork();

	if (child)
		return child;
	for (size_t i = 0; i < slot_count; i++) {
		slots[i].seed = random();
		if (pthread_create(&threads[i], NULL, run_slot, &slots[i]))
			_exit(1);
	}
	for (size_t i = 0; i < slot_count; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* A program that takes CPUs offline, and online again. */
static pid_t fork_hotplug(void)
{
	pid_t child = fork();
	struct slot *slot;

	if (child)
		return child;
	for (;;) {
		slot = &slots[random() % slot_count];
		if (!slot->may_go)
			continue;
		await_sessions();
		machine_set_online(slot->config.cpu, false);
		machine_set_online(slot->config.cpu, true);
	}
}

/* Returns NULL, or what went wrong. */
static const char *run_all(void)
{
	pid_t hotplug = any_may_go ? fork_hotplug() : 0, child;

	while (goes_on()) {
		/* Each of them goes its own way. */
		srandom(shared->kills);
		child = fork_sessions();
		if (child < 0 || hotplug < 0)
			return "no more processes";
		await_sessions();
		/* Unless it is done. */
		if (stress_kill(child))
			shared->kills++;
	}
	if (hotplug)
		stress_kill(hotplug);
	return shared->has_failed ? shared->wrong : NULL;
}

/* The CPUs that have idle states, and which of them can be taken offline. */
static void find_slots(void)
{
	struct cpu_list online;
	struct idle_latency_config config;
	struct idle_states states;
	int fd;

	if (!machine_config(&config) || !cpu_list_online(&online))
		return;
	fd = device_open(0);
	for (size_t i = 0; i < online.count && slot_count < SLOTS_MAX; i++) {
		struct slot *slot = &slots[slot_count];

		config.cpu = online.cpu[i];
		if (!cpuidle_states(config.cpu, &states) || device_config(fd, &config))
			continue;
		slot->config = config;
		slot->may_go = machine_undo_offline(config.cpu);
		any_may_go |= slot->may_go;
		slot_count++;
	}
	close(fd);
}

/* Opens and configures a session of each CPU. Returns how many. */
static size_t open_all(int *fds, __u64 start_ns)
{
	struct idle_latency_config config = slots->config;
	struct cpu_list online;
	size_t count = 0;

	if (!cpu_list_online(&online))
		return 0;
	config.buffer_records = IDLE_LATENCY_BUFFER_MIN;
	config.samples = SAMPLES_MOST;
	config.start_ns = start_ns;
	for (size_t i = 0; i < online.count; i++) {
		config.cpu = online.cpu[i];
		fds[count] = device_open(0);
		if (fds[count] < 0)
			break;
		if (!device_config(fds[count], &config))
			count++;
		else
			close(fds[count]);
	}
	return count;
}

/* Returns NULL, or what went wrong when all CPUs were started, and began at the same time. */
static const char *start_all(void)
{
	struct idle_latency_record records[SAMPLES_MOST];
	const __u64 start_ns = now_ns() + 4 * START_NS;
	static int fds[CPU_LIST_MAX];
	size_t count = open_all(fds, start_ns), started = 0, read = 0;
	__u64 begin = now_ns(), took;

	while (started < count && !device_start(fds[started]))
		started++;
	took = now_ns() - begin;
	for (size_t i = 0; i < started; i++)
		read += device_read(fds[i], records, SAMPLES_MOST) == SAMPLES_MOST;
	begin = now_ns();
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	ksft_print_msg("START of %zu CPUs: %llu us; to close the files: %llu us\n", count,
		       took / 1000, (now_ns() - begin) / 1000);
	if (started < count || read < count)
		return "a session does not start, or does not have its samples";
	if (begin < start_ns)
		return "they ended before they were to begin";
	return took < START_NS ? NULL : "to start them takes too long";
}

/* Returns NULL, or what one of the sessions that ran last has left behind. */
static const char *measure_each(void)
{
	const char *wrong = NULL;
	int fd;

	for (size_t i = 0; i < slot_count && !wrong; i++) {
		fd = device_open(0);
		wrong = session_take(fd, &slots[i].config, SAMPLES_MOST, NULL);
		close(fd);
		if (!wrong && machine_is_forced(slots[i].config.cpu, slots[i].config.state))
			wrong = "a state is still forced";
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static struct kernel_text before;
	bool known;

	wanted = STARTS_DEFAULT;
	stress_begin("sessions_test kills programs of its own", "takes CPUs offline and online",
		     NULL);
	kernel_text_find();
	ksft_print_header();
	if (argc > 2 || (argc == 2 && !parse_number(argv[1], &wanted)) || !wanted)
		ksft_exit_fail_msg("takes the number of sessions that are started\n");
	find_slots();
	if (slot_count < 2)
		ksft_exit_skip("one CPU with idle states: needs a second one\n");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		ksft_exit_fail_msg("no memory\n");
	known = kernel_text_read(&before);
	ksft_set_plan(4);
	stress_report(start_all(), "sessions of all CPUs are started in time, and begin together");
	stress_report(run_all(), "each START and each event is accounted for");
	ksft_print_msg("%zu CPUs: %llu sessions started, %llu did not, %u programs were killed\n",
		       slot_count, shared->starts, shared->refused,
		       shared->kills);
	if (!undo_now())
		ksft_exit_fail_msg("a CPU is not online again\n");
	stress_report(measure_each(), "each CPU can be measured, and none is forced");
	if (known)
		ksft_test_result(kernel_text_same(&before), "the kernel is as it was\n");
	else
		ksft_test_result_skip("the kernel is as it was: no /proc/kcore, or 32 bits\n");
	ksft_finished();
}

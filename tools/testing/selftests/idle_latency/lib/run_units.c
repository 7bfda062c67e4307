// SPDX-License-Identifier: GPL-2.0
/* The CPUs of a run in their turn: each phase, and those that are measured alone. */
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "run.h"

/* CPUs that are measured at once: those of a phase, or one. */
struct unit {
	/* 0: not of a phase */
	unsigned int phase;
	/* where this program runs meanwhile, or NO_CPU */
	unsigned int housekeeping;
	struct measured_cpu **cpus;
	/* of each */
	struct task *tasks;
	size_t count;
};

static void note_wrong(struct run *run, const char *of)
{
	const char *wrong = collect_wrong();

	if (!wrong)
		return;
	run->wrong = wrong;
	report_line("%s: accounting: %s", of, wrong);
}

/* What simulates idle states does so in a virtual machine, too. */
static bool is_virtual(const struct run *run,
		       const struct measured_cpu *measured)
{
	return measured_cpu_virtual(measured) &&
	       strcmp(run->driver, "idle_latency_sim");
}

/* Returns NULL, or why a row, or none of the CPU, is not measured. */
static const char *find_hindrance(const struct run *run,
				  const struct measured_cpu *measured,
				  const struct row *row)
{
	if (collect_interrupted())
		return "interrupted";
	if (is_virtual(run, measured) && !run->options.force)
		return "in a virtual machine";
	return row ? row->hindrance : NULL;
}

/*
 * What a row does not need of its time, the others get.
 * @row: the longest of those that are measured at once
 * @until_ns: 0 where there is no end
 */
static bool set_time(struct run *run, struct row *row, __u64 *until_ns)
{
	__u64 now = now_ns(), share_ns;

	*until_ns = 0;
	if (!run->until_ns)
		return true;
	share_ns = plan_take(&run->plan, row, minus_or_0(run->until_ns, now));
	*until_ns = now + share_ns;
	return share_ns;
}

/* For a row by a timer: what nic says of its CPU and state, in the same phase. Else NULL. */
static const struct result *find_nic(const struct run *run, const struct row *row)
{
	for (size_t i = 0; i < run->plan.count && row_by_timer(row); i++) {
		const struct row *nic = &run->plan.rows[i];

		if (nic->cpu == row->cpu && nic->state.index == row->state.index &&
		    nic->phase == row->phase && nic->hold == row->hold &&
		    row_by_nic(nic))
			return &run->results[i];
	}
	return NULL;
}

/* The index of a CPU among those that are measured at once. */
static size_t index_in(const struct unit *unit, unsigned int cpu)
{
	size_t i = 0;

	while (i < unit->count && unit->cpus[i]->cpu != cpu)
		i++;
	return i;
}

static void skip_row(struct run *run, size_t i, const char *hindrance, const struct row *longest)
{
	struct verdict *verdict = &run->results[i].verdict;

	verdict_skip(verdict, hindrance ? hindrance : "too few samples");
	if (!hindrance)
		snprintf(verdict->figures, sizeof(verdict->figures),
			 "it needs %.1f s, and all up to it --seconds %u",
			 (double)longest->least_ns / NS_PER_SEC,
			 plan_seconds(&run->plan, longest));
	report_verdict(&run->results[i], run->csv.file[CSV_ENVIRONMENT]);
	report_result(&run->results[i]);
}

static void measure_together(struct run *run, const struct unit *unit, const size_t *rows,
			     size_t count, __u64 until_ns)
{
	struct measurement *measurements = calloc(count, sizeof(*measurements));

	for (size_t i = 0; i < count && measurements; i++) {
		struct row *row = &run->plan.rows[rows[i]];
		const size_t at = index_in(unit, row->cpu);
		struct measurement *one = &measurements[i];

		*one = (struct measurement) {
			.task = unit->tasks[at],
			.measured = unit->cpus[at],
			.virtual = is_virtual(run, unit->cpus[at]),
			.nic = find_nic(run, row),
			.result = &run->results[rows[i]],
		};
		one->task.until_ns = until_ns;
		one->task.keep = &run->keep;
		task_begin(&one->task, row, &run->progress[rows[i]]);
	}
	if (!measurements || !measure(measurements, count, &run->csv)) {
		for (size_t i = 0; i < count; i++)
			skip_row(run, rows[i], "out of memory", NULL);
		free(measurements);
	}
	note_wrong(run, row_name(&run->plan.rows[rows[0]]));
}

/*
 * Rows that are measured at once, of which none has a hindrance, or one that has.
 * @last: those for which there is no time do not come again
 */
static void try_to_measure(struct run *run, const struct unit *unit, const size_t *rows,
			   size_t count, bool last)
{
	struct row *first = &run->plan.rows[rows[0]];
	struct row *longest = plan_longest(&run->plan, first);
	const char *hindrance = find_hindrance(run, unit->cpus[index_in(unit, first->cpu)], first);
	__u64 until_ns;

	if (!hindrance && set_time(run, longest, &until_ns))
		return measure_together(run, unit, rows, count, until_ns);
	for (size_t i = 0; i < count && (hindrance || last); i++)
		skip_row(run, rows[i], hindrance, longest);
}

/* Those that are measured at once with a row, but for those that came before it, and itself. */
static size_t find_together(const struct run *run, size_t row, size_t *rows)
{
	size_t count = 0;

	rows[count++] = row;
	for (size_t i = 0; i < run->plan.count; i++) {
		if (i == row || !rows_together(&run->plan.rows[i], &run->plan.rows[row]))
			continue;
		if (i < row)
			return 0;
		rows[count++] = i;
	}
	return count;
}

/*
 * nic comes first, because what a timer gives is judged beside it, and shown as
 * soon as it is known.
 */
static void measure_rows(struct run *run, const struct unit *unit, bool last)
{
	size_t *rows = calloc(run->plan.count, sizeof(*rows));

	for (size_t i = 0; rows && i < 2 * run->plan.count; i++) {
		const size_t at = i % run->plan.count;
		const struct row *row = &run->plan.rows[at];
		bool nic = i < run->plan.count;
		size_t count;

		if (row->phase != unit->phase || index_in(unit, row->cpu) == unit->count ||
		    row_by_nic(row) != nic || (last && !row->refused))
			continue;
		count = find_together(run, at, rows);
		if (count)
			try_to_measure(run, unit, rows, count, last);
	}
	free(rows);
}

static void say_held(const struct run *run, unsigned int cpu, FILE *environment)
{
	static struct cpu_list others;
	const enum hold hold = run->options.hold;

	if (!hold)
		return;
	if (!keep_others(hold, cpu, &others))
		environment_cpu(environment, "cpu%u: nothing is held: its %s has no other CPU",
				cpu, hold == HOLD_ALL ? "machine" : hold_name(hold));
	for (size_t i = 0; i < others.count; i++)
		if (cpu_keeps_time(others.cpu[i]))
			environment_cpu(environment,
					"cpu%u: held cpu %u keeps the time of a nohz_full system: its tick goes on",
					cpu, others.cpu[i]);
}

/* Returns whether it is to be measured. */
static bool introduce_cpu(const struct run *run, const struct measured_cpu *measured)
{
	FILE *environment = run->csv.file[CSV_ENVIRONMENT];
	char name[16];

	cores_type_name(measured->type, name, sizeof(name));
	if (*name)
		environment_cpu(environment, "cpu%u: core type %s", measured->cpu, name);
	say_held(run, measured->cpu, environment);
	if (!find_hindrance(run, measured, NULL))
		return true;
	if (!collect_interrupted())
		report_line("cpu%u: in a virtual machine, --force measures all the same",
			    measured->cpu);
	return false;
}

/* This program reads the records of several CPUs where none of them is measured. */
static void go_apart(const struct unit *unit)
{
	const bool is_apart = unit->housekeeping != NO_CPU && affinity_pin(unit->housekeeping);

	for (size_t i = 0; i < unit->count; i++)
		unit->tasks[i].is_apart = is_apart;
}

static void prepare_cpus(struct run *run, const struct unit *unit)
{
	const size_t nic = method_index(IDLE_LATENCY_SOURCE_NIC);
	struct plan *plan = &run->plan;
	/* Some ms where the CPU is idle; where it is not, the rows need the time more. */
	__u64 until_ns = plan->preparation_ns / run->units;
	FILE *environment = run->csv.file[CSV_ENVIRONMENT];

	for (size_t i = 0; i < unit->count; i++)
		unit->tasks[i].until_ns = run->until_ns ? now_ns() + until_ns : 0;
	measured_cpus_prepare(unit->tasks, unit->cpus, unit->count);
	note_wrong(run, "preparation");
	for (size_t i = 0; i < unit->count; i++) {
		const struct measured_cpu *measured = unit->cpus[i];

		measured_cpu_report(measured, environment);
		if (measured->awake[nic].valid)
			environment_card(run->fd, &measured->polls[nic], environment);
	}
	/* Before any of them is given its time. */
	for (size_t i = 0; i < plan->count; i++) {
		const size_t at = index_in(unit, plan->rows[i].cpu);

		if (at < unit->count)
			measured_cpu_nearer(unit->cpus[at], &plan->rows[i], &run->options);
	}
}

static bool unit_begin(struct run *run, unsigned int phase, struct unit *unit)
{
	const size_t most = run->options.cpus.count;

	*unit = (struct unit) {
		.phase = phase,
		.housekeeping = phase ? run->phases.housekeeping[phase] : NO_CPU,
		.cpus = calloc(most, sizeof(struct measured_cpu *)),
		.tasks = calloc(most, sizeof(struct task)),
	};
	return unit->cpus && unit->tasks;
}

static void unit_add(struct run *run, struct unit *unit, struct measured_cpu *measured)
{
	const size_t at = unit->count++;

	unit->cpus[at] = measured;
	unit->tasks[at] = (struct task) {
		.fd = run->files ? run->files[at] : run->fd, .options = &run->options,
	};
}

static void unit_end(struct unit *unit)
{
	free(unit->cpus);
	free(unit->tasks);
}

/*
 * The CPUs of a phase, or one of them for its rows that belong to none; with phases, those of its
 * package.
 * @alone: that CPU, or NULL
 */
static void measure_unit(struct run *run, unsigned int phase, struct measured_cpu *alone, bool last)
{
	/* With its phase, a CPU was prepared before. */
	const bool is_new = !last && !(alone && run_phase(run, alone->cpu));
	bool measured = is_new;
	struct unit unit;

	if (unit_begin(run, phase, &unit)) {
		for (size_t i = 0; i < run->options.cpus.count; i++) {
			struct measured_cpu *cpu = &run->cpus[i];

			if (alone ? cpu == alone : run_phase(run, cpu->cpu) == phase)
				unit_add(run, &unit, cpu);
		}
		for (size_t i = 0; i < unit.count && is_new; i++)
			measured &= introduce_cpu(run, unit.cpus[i]);
		go_apart(&unit);
		if (measured)
			prepare_cpus(run, &unit);
		measure_rows(run, &unit, last);
	}
	unit_end(&unit);
}

/* Phase after phase, and then what is measured alone. */
static void measure_units(struct run *run, bool last)
{
	for (unsigned int i = 1; i <= run->phases.count; i++)
		measure_unit(run, i, NULL, last);
	for (size_t i = 0; i < run->options.cpus.count; i++)
		measure_unit(run, 0, &run->cpus[i], last);
}

void run_measure(struct run *run)
{
	measure_units(run, false);
	plan_again(&run->plan);
	measure_units(run, true);
	measure_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Rows, until they have what they want: sessions at their launch distances, one stratum after the
 * other, of all rows that are measured at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "take.h"

/*
 * The first samples of a session may miss the state, because the machine was
 * busy, so that a session is not made for a single sample. Of as few, the part
 * that counts says nothing either.
 */
#define SESSION_AT_LEAST	10

/* Of ten samples, one must count. */
#define SAMPLES_PER_COUNTED	10

/*
 * The others need their part of the time, and the awake CPU after them.
 * @costs_ns: of what is still to be measured
 */
static struct patience patience_with(const struct task *task, const struct stratum *stratum,
				     __u64 costs_ns, const struct collection *collection)
{
	const __u64 package = PACKAGE_READ_EVERY * task->asleep_wanted[SCOPE_PACKAGE];
	const __u64 wanted = larger(stratum->wanted, package);
	struct patience patience = collect_patience(collection, wanted, stratum->ldist.to_ns);
	__u64 now = now_ns(), left_ns = minus_or_0(task->until_ns, now);

	left_ns = minus_or_0(left_ns, delivery_cost(task->row));
	if (left_ns && costs_ns)
		left_ns = budget_share(left_ns, stratum_cost(task->row, stratum), costs_ns);
	if (task->until_ns)
		patience.until_ns = smaller(patience.until_ns, now + left_ns);
	return patience;
}

/* For how many more records there is memory. */
static size_t records_left(const struct collection *collection)
{
	if (!collection->packed_bytes)
		return ~0UL;
	return minus_or_0(collection->packed_bytes, collection->packed.used) / PACKED_BYTES;
}

/* One of so many tells where it was. */
static size_t scope_events(enum scope scope)
{
	return scope == SCOPE_PACKAGE ? PACKAGE_READ_EVERY : 1;
}

/*
 * How many samples it is still worth to ask for, so that as many count as are wanted, and module
 * and package are asleep in as many.
 */
static size_t still_missing(const struct row_take *row)
{
	struct collection *collection = row->collection;
	const struct stratum *stratum = row->stratum;
	const struct verdict_counted counted = verdict_counted(&collection->counting);
	size_t missing = minus_or_0(stratum->wanted, counted.all);

	for (enum scope scope = 0; scope < SCOPES; scope++)
		missing = larger(missing, scope_events(scope) *
				 minus_or_0(row->task->asleep_wanted[scope],
					    counted.asleep[scope]));
	if (collection->error || !missing || collect_gives_up(collection, &row->patience) ||
	    stratum->count >= 2 * SAMPLES_MAX ||
	    (stratum->count >= SESSION_AT_LEAST &&
	     counted.all < stratum->count / SAMPLES_PER_COUNTED))
		return 0;
	missing = larger(missing, SESSION_AT_LEAST);
	return missing <= records_left(collection) ? missing : 0;
}

/* @at_once: others wait while this one takes again what did not count */
static void begin_stratum(struct row_take *row, struct stratum *stratum, bool at_once)
{
	struct collection *collection = row->collection;

	row->stratum = stratum;
	row->missing = collection->error ? 0 : stratum->wanted;
	if (row->missing && at_once && stratum == &collection->strata[STRATUM_COUNTED]) {
		row->missing += SESSION_AT_LEAST;
		progress_want(row->task->progress, SESSION_AT_LEAST);
	}
	if (row->missing > records_left(collection)) {
		collection->error = ENOMEM;
		row->missing = 0;
	}
	row->patience = patience_with(row->task, stratum, row->costs_ns, collection);
	row->discarded = discards_total(&collection->counts);
	stratum->first = collection->count;
	collection->counting = (struct verdict_counting) { };
}

/* A session of each row that misses samples. Returns false where none does. */
static bool take_missing(struct row_take *rows, size_t count, struct take *takes)
{
	size_t missing = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].missing)
			takes[missing++] = (struct take) {
				rows[i].task, rows[i].stratum->ldist, rows[i].missing,
				&rows[i].patience, rows[i].collection,
			};
	if (missing)
		take_sessions(takes, missing);
	for (size_t i = 0; i < count; i++) {
		struct row_take *row = &rows[i];
		struct stratum *stratum = row->stratum;

		if (!row->missing)
			continue;
		stratum->count = row->collection->count - stratum->first;
		row->missing = stratum == &row->collection->strata[STRATUM_COUNTED] ?
			       still_missing(row) : 0;
		progress_want(row->task->progress, row->missing);
	}
	return missing;
}

static struct stratum *stratum_at(const struct row_take *row, size_t i)
{
	struct collection *collection = row->collection;
	struct stratum *strata = row->task->row->step_count ? collection->steps :
							      collection->strata;

	return strata && i < (row->task->row->step_count ?: STRATA) ? &strata[i] : NULL;
}

/*
 * Those that count, until they are as many as are wanted, or it is clear that they will not be. A
 * row that has its samples waits for the others.
 */
static void take_strata(struct row_take *rows, size_t count, size_t at, struct take *takes)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].task->row->step_count)
			rows[i].task->progress->step = at + 1;
		begin_stratum(&rows[i], stratum_at(&rows[i], at), count > 1);
	}
	while (take_missing(rows, count, takes))
		;
	for (size_t i = 0; i < count; i++) {
		struct stratum *stratum = rows[i].stratum;

		if (stratum->wanted)
			stratum->discarded = discards_total(&rows[i].collection->counts) -
					     rows[i].discarded;
		rows[i].costs_ns -= stratum_cost(rows[i].task->row, stratum);
	}
}

static bool begin_row(struct row_take *row)
{
	struct collection *collection = row->collection;
	const struct row *of = row->task->row;
	size_t bytes = of->step_count * sizeof(*of->steps);

	row->costs_ns = of->cost_ns;
	memcpy(collection->strata, of->strata, sizeof(of->strata));
	if (!bytes)
		return true;
	collection->steps = malloc(bytes);
	return collection->steps && memcpy(collection->steps, of->steps, bytes);
}

/* All rows have as many steps, and the same time. */
static bool ends(const struct row_take *rows, size_t count, size_t at)
{
	const struct task *task = rows->task;
	bool error = true;

	for (size_t i = 0; i < count; i++)
		error &= !!rows[i].collection->error;
	/* Even a session that ends at once takes ms, which steps would add up. */
	return error || !stratum_at(rows, at) ||
	       (at && task->row->step_count && task->until_ns && now_ns() >= task->until_ns);
}

void take_rows(struct row_take *rows, size_t count)
{
	struct take *takes = calloc(count, sizeof(*takes));
	bool memory = takes;

	for (size_t i = 0; i < count; i++)
		memory &= begin_row(&rows[i]);
	for (size_t i = 0; i < count && !memory; i++)
		rows[i].collection->error = ENOMEM;
	for (size_t at = 0; !ends(rows, count, at); at++)
		take_strata(rows, count, at, takes);
	for (size_t i = 0; i < count; i++)
		if (rows[i].task->row->step_count)
			rows[i].collection->strata[STRATUM_COUNTED].count =
				rows[i].collection->count;
	free(takes);
}

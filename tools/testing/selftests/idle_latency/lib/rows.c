// SPDX-License-Identifier: GPL-2.0
/* Rows: their names, and which of a plan are measured at once, and so take the time of one. */
#include "plan.h"

const char *row_cpus(const struct row *row)
{
	static char number[16];

	snprintf(number, sizeof(number), "%u", row->cpu);
	return row->all ?: number;
}

const char *row_state(const struct row *row)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s%s", row->state.name, row_of_package(row) ? " held" : "");
	return name;
}

const char *row_name(const struct row *row)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s%s %s %s", row->all ? "" : "cpu", row_cpus(row),
		 row->method->name, row_state(row));
	return name;
}

bool rows_together(const struct row *a, const struct row *b)
{
	return a->phase && a->phase == b->phase && a->method == b->method &&
	       a->state.index == b->state.index && a->turn == b->turn &&
	       !a->hindrance && !b->hindrance;
}

/* There are as many turns of nic as one card is needed for. */
static void set_turn(const struct plan *plan, struct row *row)
{
	size_t before = 0;

	row->turn = 0;
	if (!row_by_nic(row) || !row->phase || row->hindrance)
		return;
	for (const struct row *other = plan->rows; other < row; other++)
		before += row_by_nic(other) && other->phase == row->phase &&
			  other->state.index == row->state.index && !other->hindrance;
	row->turn = before / larger(plan->cards, 1);
}

struct row *plan_longest(const struct plan *plan, const struct row *row)
{
	size_t longest = row - plan->rows;

	for (size_t i = 0; i < plan->count; i++)
		if (rows_together(&plan->rows[i], row) &&
		    (plan->rows[i].cost_ns > plan->rows[longest].cost_ns ||
		     (plan->rows[i].cost_ns == plan->rows[longest].cost_ns && i < longest)))
			longest = i;
	return &plan->rows[longest];
}

void plan_together(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		set_turn(plan, &plan->rows[i]);
	for (size_t i = 0; i < plan->count; i++)
		plan->rows[i].beside = plan_longest(plan, &plan->rows[i]) != &plan->rows[i];
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Samples are noted as they come, between two events of a session, so that nothing but sums is
 * kept; the text is put together when it is shown.
 */
#include <stdlib.h>
#include <unistd.h>

#include <sys/ioctl.h>

#include "measure.h"
#include "progress.h"
#include "report.h"

#define IN_PLACE_NS	NS_PER_SEC
#define LINES_NS	(10 * NS_PER_SEC)

#define LINE_BYTES	256

/* Of a terminal that does not say how many lines it has, such as a serial line. */
#define TERMINAL_LINES	24

/* Terminals cut off a line that is too long instead of continuing it in the next one. */
#define WRAP_OFF	"\033[?7l"
#define WRAP_ON		"\033[?7h"
#define LINES_UP	"\033[%zuA"
#define ERASE_LINE	"\033[K"
#define ERASE_BELOW	"\033[J"

static struct {
	enum progress_style style;
	const struct progress *progress;
	const struct result *results;
	size_t count;
	/* by CLOCK_MONOTONIC: when something was shown last */
	__u64 shown_ns;
	/* lines that are shown in place, above the cursor */
	size_t lines;
	/* of --top: which line is about the row that was measured last */
	size_t at;
} display;

enum progress_style progress_style(const struct options *options, bool terminal)
{
	if (options->quiet)
		return PROGRESS_NONE;
	if (!options->plain || !terminal)
		return PROGRESS_LINES;
	return options->top ? PROGRESS_TOP : PROGRESS_IN_PLACE;
}

void progress_show(enum progress_style style, const struct progress *progress,
		   const struct result *results, size_t count)
{
	display.style = style;
	display.progress = progress;
	display.results = results;
	display.count = count;
}

/* To the first line that is shown in place. */
static void go_back(void)
{
	if (display.lines)
		printf(LINES_UP, display.lines);
	display.lines = 0;
}

void progress_hide(void)
{
	if (!display.lines)
		return;
	go_back();
	printf(ERASE_BELOW);
}

void progress_begin(struct progress *progress, const struct row *row, __u64 until_ns)
{
	*progress = (struct progress) {
		.row = row,
		.until_ns = until_ns,
		.wanted = row->strata[STRATUM_COUNTED].wanted + row->strata[STRATUM_ENTRY].wanted,
		.all_cost_ns = row->cost_ns,
		.began_ns = now_ns(),
	};
	/* A line comes only where a row takes long; what is in place is shown on and on. */
	if (display.style == PROGRESS_LINES)
		display.shown_ns = progress->began_ns;
}

void progress_want(struct progress *progress, size_t more)
{
	progress->wanted += more;
	progress->all_cost_ns += more * progress->sample_cost_ns;
}

void progress_note(struct progress *progress, const struct idle_latency_record *record)
{
	__u64 ns = record_latency(record);

	progress->latency = record_has_wake(record) ? "WakeLatency" : "IntrLatency";
	if (!progress->samples++ || ns < progress->smallest_ns)
		progress->smallest_ns = ns;
	if (ns > progress->largest_ns)
		progress->largest_ns = ns;
	progress->sum_ns += ns;
	progress->done_cost_ns += progress->sample_cost_ns;
}

void progress_count(struct progress *progress, const struct idle_latency_counts *counts)
{
	progress->armed = counts->armed;
	progress->discarded = discards_total(counts);
}

__u64 progress_left_ns(const struct progress *progress, __u64 now)
{
	double elapsed = now - progress->began_ns, ns;
	__u64 limit = progress->until_ns ? minus_or_0(progress->until_ns, now) : PROGRESS_UNKNOWN;

	if (progress->done_cost_ns >= progress->all_cost_ns)
		return 0;
	if (!progress->done_cost_ns || elapsed <= 0)
		return limit;
	ns = elapsed * (progress->all_cost_ns - progress->done_cost_ns) / progress->done_cost_ns;
	return ns < limit ? (__u64)ns : limit;
}

/* Sums, and of the smallest and the largest latency those; its row is that of the largest. */
static struct progress sum_up(const struct progress * const *rows, size_t count)
{
	struct progress sum = *rows[0];

	for (size_t i = 1; i < count; i++) {
		const struct progress *progress = rows[i];

		sum.wanted += progress->wanted;
		sum.armed += progress->armed;
		sum.discarded += progress->discarded;
		sum.sum_ns += progress->sum_ns;
		if (!progress->samples)
			continue;
		if (!sum.samples || progress->smallest_ns < sum.smallest_ns)
			sum.smallest_ns = progress->smallest_ns;
		if (progress->largest_ns > sum.largest_ns) {
			sum.largest_ns = progress->largest_ns;
			sum.latency = progress->latency;
			sum.row = progress->row;
		}
		sum.samples += progress->samples;
	}
	return sum;
}

/* Samples per second so far. */
static double sample_rate(const struct progress *progress, __u64 now)
{
	__u64 elapsed = now - progress->began_ns;

	return elapsed ? (double)progress->samples * NS_PER_SEC / elapsed : 0;
}

/* Discarded events of those that were armed, in percent; 0 where none was. */
static double discarded_percent(const struct progress *progress)
{
	return progress->armed ? 100.0 * progress->discarded / progress->armed : 0;
}

void progress_text(const struct progress * const *running, size_t count, __u64 now,
		   char *line, size_t size)
{
	const struct progress sum = sum_up(running, count);
	struct text text = text_begin(line, size);
	__u64 left = 0;

	for (size_t i = 0; i < count; i++)
		left = larger(left, progress_left_ns(running[i], now));
	if (count > 1 && sum.row->phase)
		text_add(&text, "phase %u: ", sum.row->phase);
	if (count > 1)
		text_add(&text, "%zu CPUs %s %s: ", count, sum.row->method->name,
			 sum.row->state.name);
	else
		text_add(&text, "%s: ", row_name(sum.row));
	if (sum.step)
		text_add(&text, "step %zu of %zu, ", sum.step, sum.row->step_count);
	text_add(&text, "%zu of %zu samples, %.0f/s", sum.samples, sum.wanted,
		 sample_rate(&sum, now));
	if (left != PROGRESS_UNKNOWN)
		text_add(&text, ", %llu s left", left / NS_PER_SEC);
	if (sum.armed)
		text_add(&text, ", %.1f %% discarded", discarded_percent(&sum));
	if (sum.samples)
		text_add(&text, ", largest %s %llu ns", sum.latency, sum.largest_ns);
	if (sum.samples && count > 1)
		text_add(&text, " on cpu%u", sum.row->cpu);
}

const char progress_top_head[] =
	"cpu  method state   | latency | samples discarded |     min    mean     max | verdict";

void progress_top_text(const struct progress * const *rows, const struct verdict * const *verdicts,
		       size_t count, char *line, size_t size)
{
	const struct progress sum = sum_up(rows, count);
	const struct row *row = sum.row;
	struct text text = text_begin(line, size);
	size_t judged[VERDICT_SKIP + 1] = { };
	char cpus[24];

	/* There is a reason, which may be "", when it was judged. */
	for (size_t i = 0; i < count; i++)
		if (verdicts[i]->reason)
			judged[verdicts[i]->result]++;
	snprintf(cpus, sizeof(cpus), "%s%zu", count > 1 ? "x" : "", count > 1 ? count : row->cpu);
	text_add(&text, "%-4s %-6s %-7s | %7llu | %7zu %7.1f %% |", cpus, row->method->name,
		 row_state(row), row->info.exit_latency_ns, sum.samples, discarded_percent(&sum));
	if (sum.samples)
		text_add(&text, " %7llu %7llu %7llu", sum.smallest_ns, sum.sum_ns / sum.samples,
			 sum.largest_ns);
	else
		text_add(&text, " %7s %7s %7s", "-", "-", "-");
	text_add(&text, " | ");
	for (size_t i = 0; i < ARRAY_SIZE(judged); i++)
		if (judged[i] && count > 1)
			text_add(&text, "%zu %s, ", judged[i], verdict_name(i));
		else if (judged[i])
			text_add(&text, "%s", verdict_name(i));
	if (sum.samples && count > 1)
		text_add(&text, "slowest cpu%u", row->cpu);
}

static void show_line(const char *line)
{
	printf(WRAP_OFF "%s" ERASE_LINE WRAP_ON "\n", line);
	display.lines++;
}

/* How many rows fit below the head, with a line for the cursor. */
static size_t rows_that_fit(void)
{
	struct winsize window;
	size_t lines = TERMINAL_LINES;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) && window.ws_row > 2)
		lines = window.ws_row;
	return lines - 2;
}

size_t progress_first(size_t at, size_t fit, size_t count)
{
	size_t first = at > fit / 2 ? at - fit / 2 : 0;

	if (count <= fit)
		return 0;
	return first < count - fit ? first : count - fit;
}

/*
 * The rows that are in the line of one, which begins with it; none where it is in the line of one
 * before it. Returns how many there are.
 */
static size_t find_line(size_t at, const struct progress **rows, const struct verdict **verdicts)
{
	const struct row *row = display.progress[at].row;
	size_t count = 0;

	for (size_t i = 0; i < display.count; i++) {
		if (i != at && !rows_together(row, display.progress[i].row))
			continue;
		if (i < at)
			return 0;
		rows[count] = &display.progress[i];
		verdicts[count++] = &display.results[i].verdict;
	}
	return count;
}

static bool show_top_line(size_t at, bool is_counted_only, const struct progress **rows,
			  const struct verdict **verdicts)
{
	size_t count = find_line(at, rows, verdicts);
	char line[LINE_BYTES];

	if (!count || is_counted_only)
		return count;
	progress_top_text(rows, verdicts, count, line, sizeof(line));
	show_line(line);
	return true;
}

/* What is measured while the CPU is awake is no row of the table. */
static size_t find_row(const struct progress *progress)
{
	for (size_t i = 0; i < display.count; i++)
		if (&display.progress[i] == progress)
			return i;
	return display.count;
}

static void show_top(const struct progress *progress)
{
	const struct progress **rows = calloc(display.count + 1, sizeof(const struct progress *));
	const struct verdict **verdicts = calloc(display.count + 1, sizeof(const struct verdict *));
	const size_t fit = rows_that_fit(), at = find_row(progress);
	size_t lines = 0, line = 0, first;

	for (size_t i = 0; i < display.count && rows && verdicts; i++) {
		if (i == at)
			display.at = lines;
		lines += show_top_line(i, true, rows, verdicts);
	}
	first = progress_first(display.at, fit, lines);
	show_line(progress_top_head);
	for (size_t i = 0; i < display.count && lines; i++)
		line += show_top_line(i, line < first || line >= first + fit, rows, verdicts);
	free(rows);
	free(verdicts);
}

void progress_update(const struct progress * const *running, size_t count)
{
	__u64 period = display.style == PROGRESS_LINES ? LINES_NS : IN_PLACE_NS;
	char line[LINE_BYTES];
	__u64 now;

	if (display.style == PROGRESS_NONE)
		return;
	now = now_ns();
	if (now - display.shown_ns < period)
		return;
	display.shown_ns = now;
	progress_text(running, count, now, line, sizeof(line));
	if (display.style == PROGRESS_LINES) {
		report_line("%s", line);
	} else {
		go_back();
		if (display.style == PROGRESS_TOP)
			show_top(*running);
		else
			show_line(line);
		printf(ERASE_BELOW);
	}
	fflush(stdout);
}

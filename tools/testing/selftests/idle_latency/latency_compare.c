// SPDX-License-Identifier: GPL-2.0
/*
 * Compares two runs of latency_test, or several of each of two kinds: what became slower or
 * faster by more than chance and by more than a margin. It needs no driver. See
 * Documentation/admin-guide/pm/idle-latency.rst.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_SLOWER = 1,
	/* also where the arguments or the files are wrong */
	EXIT_CODE_UNCOMPARABLE = 2,
};

static const char usage_text[] =
	"usage: latency_compare [--ktap] [--margin PERCENT] A B\n"
	"  A and B are directories that latency_test --out has written, before and after,\n"
	"  or comma-separated lists of such: several runs of each of two kernels\n"
	"  --ktap            print KTAP\n"
	"  --margin PERCENT  what is called the same, 0 to 1000 (default 2); never less than what\n"
	"                    both may be wrong by together, or 50 ns\n"
	"Exit code 0: B is the same or faster; 1: slower; 2: they cannot be compared, too few runs\n"
	"decide nothing, or an argument or a file is wrong.\n";

struct arguments {
	bool ktap;
	struct margin margin;
	char *a;
	char *b;
};

struct runs {
	struct run run[REPLICATES_MAX];
	size_t count;
};

static bool ktap_output;

/* A line for people; in KTAP a diagnostic one. */
static __printf(1, 2) void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (ktap_output)
		fputs("# ", stdout);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static bool parse_margin(const char *text, struct margin *margin)
{
	__u64 percent;

	if (!parse_number(text, &percent) || percent > 1000)
		return false;
	margin->percent = percent;
	return true;
}

/* Returns NULL, or what is wrong. */
static const char *parse(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {
		{ "ktap", no_argument, NULL, 'k' },
		{ "margin", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			exit(EXIT_CODE_OK);
		}
		if (option == 'k')
			arguments->ktap = true;
		else if (option != 'm')
			return "takes --ktap, --margin PERCENT and --help";
		else if (!parse_margin(optarg, &arguments->margin))
			return "--margin takes a number of percent from 0 to 1000";
	}
	if (argc - optind != 2)
		return "takes two directories, or two lists of directories with commas";
	arguments->a = argv[optind];
	arguments->b = argv[optind + 1];
	return NULL;
}

static bool read_runs(char *list, struct runs *runs)
{
	char error[PATH_MAX + 256];

	for (char *dir = strtok(list, ","); dir; dir = strtok(NULL, ",")) {
		if (runs->count == REPLICATES_MAX / 2) {
			fprintf(stderr, "latency_compare: takes %d runs of each kind at most\n",
				REPLICATES_MAX / 2);
			return false;
		}
		if (!run_read(dir, &runs->run[runs->count], error,
			      sizeof(error))) {
			fprintf(stderr, "latency_compare: %s\n", error);
			return false;
		}
		runs->count++;
	}
	if (!runs->count)
		fprintf(stderr, "latency_compare: A and B take a directory each\n");
	return runs->count;
}

static void free_runs(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		run_free(&runs->run[i]);
}

/* Each run with the first: what is of another machine cannot be compared at all. */
static const char *find_difference(const struct runs *a, const struct runs *b)
{
	const char *differ = NULL;

	for (size_t i = 1; !differ && i < a->count; i++)
		differ = runs_differ(a->run, &a->run[i]);
	for (size_t i = 0; !differ && i < b->count; i++)
		differ = runs_differ(a->run, &b->run[i]);
	return differ;
}

/* Copies of a run, and runs of an emulator with the same seed, tell nothing more than one. */
static bool all_differ(const struct runs *runs)
{
	for (size_t i = 1; i < runs->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!same_samples(&runs->run[j], &runs->run[i]))
				continue;
			fprintf(stderr,
				"latency_compare: %s and %s have the same samples, as copies have, and emulated runs with the same seed= of TRUTH\n",
				runs->run[j].dir, runs->run[i].dir);
			return false;
		}
	}
	return true;
}

/* What only this one has in environment.txt. Returns how many lines that are. */
static size_t say_lines(const char *name, const struct run *run,
			const struct run *other)
{
	size_t count;
	const char **lines = environment_only(run, other, &count);

	for (size_t i = 0; i < count; i++)
		say("  only in %s: %s", name, lines[i]);
	free(lines);
	return count;
}

static void say_environment(const struct runs *a, const struct runs *b)
{
	for (size_t i = 0; i < a->count; i++)
		say("A: %s", a->run[i].dir);
	for (size_t i = 0; i < b->count; i++)
		say("B: %s", b->run[i].dir);
	if (say_lines("A", a->run, b->run) +
	    say_lines("B", b->run, a->run))
		return;
	say("  environment.txt of both is the same");
}

static void print_result(size_t number, enum change change,
			 const struct result *of, const char *reason)
{
	if (!ktap_output)
		return;
	printf("%s %zu cpu%u.%s.%s", change == CHANGE_SLOWER ? "not ok" : "ok",
	       number, of->cpu, of->method, of->state);
	if (change != CHANGE_SLOWER && change != CHANGE_FASTER &&
	    change != CHANGE_SAME)
		printf(" # SKIP %s", reason ? reason : change_name(change));
	putchar('\n');
}

/* Of the samples that count; those during entry are a tenth as many. */
static void say_sets(const struct difference *difference)
{
	const struct part_difference *part = &difference->parts[PART_COUNTED];
	const struct result *of = difference->a;
	char text[160];

	if (!part->compared)
		return;
	set_text(&part->a, of->declared_ns, text, sizeof(text));
	say("%-4u %-6s %-7s A | %s", of->cpu, of->method, of->state, text);
	set_text(&part->b, of->declared_ns, text, sizeof(text));
	say("%-19s B | %s", "", text);
}

static void say_table(const struct comparison *comparison)
{
	char header[160];

	set_header(header, sizeof(header));
	say("%s", "");
	say("%-4s %-6s %-7s   | %s", "cpu", "method", "state", header);
	for (size_t i = 0; i < comparison->count; i++)
		say_sets(&comparison->differences[i]);
	say("%s", "");
	say("In ns, of the samples at the launch distances that count;");
	say("A's limit is the exit latency that A declares.");
	say("%s", "");
}

/* A sweep goes from short to long launch distances, and is not expected to stay the same. */
static void say_drift(const char *name, const struct run *run,
		      const struct margin *margin)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct result *of = &run->results[i];

		if (of->step_count || of->count < 2 * COMPARE_LEAST ||
		    drift_p(of, margin) * run->count > COMPARE_ALPHA)
			continue;
		say("cpu%u %s %s changed while %s was measured: compare several runs of each kind",
		    of->cpu, of->method, of->state, name);
	}
}

static void say_declared(const struct difference *difference)
{
	const struct result *a = difference->a, *b = difference->b;

	if (!a || !b || !a->count || !b->count)
		return;
	if (a->declared_ns != b->declared_ns)
		say("  A declares %llu ns, B %llu ns", a->declared_ns,
		    b->declared_ns);
	if (strcmp(a->verdict, b->verdict))
		say("  A is %s, B is %s", a->verdict, b->verdict);
}

static void begin(const struct runs *a, const struct runs *b, size_t results)
{
	if (ktap_output)
		printf("TAP version 13\n1..%zu\n", results);
	say_environment(a, b);
}

static enum change compare_two(const struct runs *a, const struct runs *b,
			       const struct margin *margin)
{
	struct comparison comparison;
	enum change change;
	char text[1024];

	compare_runs(a->run, b->run, margin, &comparison);
	begin(a, b, comparison.count);
	say_drift("A", a->run, margin);
	say_drift("B", b->run, margin);
	say_table(&comparison);
	for (size_t i = 0; i < comparison.count; i++) {
		const struct difference *difference = &comparison.differences[i];

		difference_text(difference, text, sizeof(text));
		say("%s", text);
		say_declared(difference);
		print_result(i + 1, difference->change,
			     difference->a ? difference->a : difference->b,
			     difference->reason);
	}
	change = comparison.change;
	comparison_free(&comparison);
	return change;
}

static enum change compare_many(const struct runs *a, const struct runs *b,
				const struct margin *margin)
{
	struct replication replication = {
		.a = a->run, .a_count = a->count,
		.b = b->run, .b_count = b->count,
	};
	char text[1024];

	compare_replicates(&replication, margin);
	begin(a, b, replication.count);
	for (size_t i = 0; i < replication.count; i++) {
		const struct replicated *row = &replication.rows[i];

		replicated_text(&replication, row, text, sizeof(text));
		say("%s", text);
		print_result(i + 1, row->change, row->result, row->reason);
	}
	if (replication.too_few)
		say("%zu and %zu runs are too few for %zu rows: take %zu of each, or fewer rows",
		    a->count, b->count, replication.count,
		    replication.needed);
	replication_free(&replication);
	return replication.change;
}

static void say_end(enum change change)
{
	switch (change) {
	case CHANGE_SAME:
		say("B is the same");
		break;
	case CHANGE_SLOWER:
	case CHANGE_FASTER:
		say("B is %s", change_name(change));
		break;
	default:
		say("A and B are %s, or not in all rows", change_name(change));
	}
}

static int code_of(enum change change)
{
	switch (change) {
	case CHANGE_SLOWER:
		return EXIT_CODE_SLOWER;
	case CHANGE_SAME:
	case CHANGE_FASTER:
		return EXIT_CODE_OK;
	default:
		return EXIT_CODE_UNCOMPARABLE;
	}
}

static int compare(const struct arguments *arguments, const struct runs *a,
		   const struct runs *b)
{
	const char *differ = find_difference(a, b);
	enum change change;

	if (!all_differ(a) || !all_differ(b))
		return EXIT_CODE_UNCOMPARABLE;
	if (differ) {
		fprintf(stderr, "latency_compare: the runs cannot be compared: %s\n",
			differ);
		return EXIT_CODE_UNCOMPARABLE;
	}
	ktap_output = arguments->ktap;
	change = a->count > 1 || b->count > 1 ?
		 compare_many(a, b, &arguments->margin) :
		 compare_two(a, b, &arguments->margin);
	say_end(change);
	return code_of(change);
}

int main(int argc, char **argv)
{
	static struct runs a, b;
	struct arguments arguments = { .margin = margin_default };
	const char *error;
	int code = EXIT_CODE_UNCOMPARABLE;

	error = parse(argc, argv, &arguments);
	if (error) {
		fprintf(stderr, "latency_compare: %s\n", error);
		return EXIT_CODE_UNCOMPARABLE;
	}
	if (read_runs(arguments.a, &a) && read_runs(arguments.b, &b))
		code = compare(&arguments, &a, &b);
	free_runs(&a);
	free_runs(&b);
	if (fflush(stdout) || ferror(stdout)) {
		perror("latency_compare: cannot write");
		return EXIT_CODE_UNCOMPARABLE;
	}
	return code;
}

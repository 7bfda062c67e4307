// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of latency_test that need no device, foremost its verdict: for each verdict there
 * is a case in which it must be that one.
 *
 * The cases are in the files verdict/ beside this program, one for each subject:
 *
 *	given limit_ns 2000, samples 30000	what the cases below begin with, or nothing
 *	tells verdict				the function whose text a row tells
 *	One sample above is enough:		a case, whose name begins with a capital letter
 *		wake_ns[0] 2001 | FAIL above the limit | verdict.above = 1
 *		delivery_ns 1 | SKIP undecided | figures ~ would decide
 *		- wake_ns 1000..2001 | FAIL above the limit
 *
 * A row sets values, and then tells what must come of them: the text of the function, and of
 * other functions or values with "=", parts of it with "~" or what is no part of it with "!~".
 * It goes on from the row before, or with "- " from the begin of the case. A row with {a/b/c}
 * is a row for each of the three; where it has several choices, the first ones belong together,
 * and so on. Behind a backslash a line goes on. In what is told, a bar is "!", the end of a line is
 * "\n", and of an array there are all elements that are named. verdict_case.c has the values, and
 * verdict_says.c the functions.
 */
#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <math.h>

#include "kselftest_harness.h"
#include "verdict_situation.h"

struct line {
	const char *file;
	unsigned int number;
	char *text;
};

/* A test of the harness for each case, and of each file one fixture. */
struct test_case {
	struct __test_metadata test;
	/* the name, and behind it the rows */
	const struct line *line;
	const char *given;
	const char *tells;
	/* NULL, or what is wrong with the line itself */
	const char *wrong;
};

#define LINES_ROOM	2000

static struct line lines[LINES_ROOM];
static size_t line_count;

static char *trimmed(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && isspace(end[-1]))
		*--end = '\0';
	return text;
}

/* Cuts what is before the separator off the rest, which is NULL when it was the last. */
static char *next_part(char **rest, const char *separator)
{
	char *part = *rest, *end = part;
	bool quoted = false;

	for (; *end && (quoted || strncmp(end, separator, strlen(separator))); end++)
		quoted ^= *end == '"';
	*rest = *end ? end + strlen(separator) : NULL;
	*end = '\0';
	return trimmed(part);
}

/* "name value, name "v, w"". Returns NULL, or what is wrong. */
static const char *set_values(char *values)
{
	static char wrong[256];

	while (values && *values) {
		char *setting = next_part(&values, ", ");
		const size_t length = strcspn(setting, " ");
		char *value = setting + length;
		const char *why;

		if (*value)
			*value++ = '\0';
		if (*value == '"') {
			value[strlen(value) - 1] = '\0';
			value++;
		}
		why = case_set(setting, value);
		if (why) {
			snprintf(wrong, sizeof(wrong), "%s %s: %s", setting, value, why);
			return wrong;
		}
	}
	return NULL;
}

/* Numbers with a fraction may differ in the tenth digit. */
static bool same_text(const char *wanted, const char *said)
{
	char *wanted_end, *said_end;

	if (!strcmp(wanted, said) || !strchr(wanted, '.'))
		return !strcmp(wanted, said);
	for (; *wanted; wanted = wanted_end, said = said_end) {
		const double reference = strtod(wanted, &wanted_end);
		const double value = strtod(said, &said_end);

		if (wanted_end == wanted || said_end == said ||
		    !(fabs(value - reference) <= 0.000000001 * fabs(reference)))
			return false;
	}
	return !*said;
}

/* A line has neither its end nor the bar that separates what is told. */
static char *in_a_line(char *said)
{
	char copy[CASE_BYTES], *to = said;

	snprintf(copy, sizeof(copy), "%s", said);
	for (const char *from = copy; *from && to - said < CASE_BYTES - 3; from++) {
		if (*from == '\n')
			*to++ = '\\';
		*to++ = *from == '\n' ? 'n' : *from == '|' ? '!' : *from;
	}
	*to = '\0';
	return trimmed(said);
}

/* One of those that a row tells, of which @said is the first. Returns NULL, or what is wrong. */
static const char *check(char *told, const char *tells, const char *said)
{
	static char wrong[3 * CASE_BYTES];
	char name[64], sign[3], other[CASE_BYTES];
	struct text text = text_begin(other, sizeof(other));
	int length = 0;
	bool is_there;

	if (sscanf(told, "%63[]a-z0-9_.[-] %2[!~=]%n", name, sign, &length) == 2 && length &&
	    strchr(" ", told[length])) {
		told = trimmed(told + length);
		tells = name;
		if (!case_say(name, &text))
			said = "not a function or a value";
		else
			said = in_a_line(other);
	} else {
		sign[0] = '=';
		sign[1] = '\0';
	}
	is_there = *sign == '=' ? same_text(told, said) : !!strstr(said, told);
	if (is_there == (*sign != '!'))
		return NULL;
	snprintf(wrong, sizeof(wrong), "%s is '%s', not %s '%s'", tells, said, sign, told);
	return wrong;
}

static const char *run_part(const char *tells, const char *row)
{
	char copy[CASE_BYTES], said[CASE_BYTES], *rest = copy;
	struct text text = text_begin(said, sizeof(said));
	const char *wrong;

	snprintf(copy, sizeof(copy), "%s", row);
	wrong = set_values(next_part(&rest, " |"));
	if (wrong || !rest)
		return wrong;
	if (!case_say(tells, &text))
		return "it is not known what a row tells";
	in_a_line(said);
	while (rest && !wrong)
		wrong = check(next_part(&rest, " |"), tells, said);
	return wrong;
}

/* Begins a case: one row in which 4 samples are at the limit, so that it is PASS. */
static const char *begin(const char *given)
{
	const char * const all[] = {
		"samples 4, limit_ns 2000, residency_ns 5000, quantile 1000000000",
		"wanted 4, counter_known 1, counter CC6, causes \"\", interrupts \"\", armed 156",
		"delivered 100, discarded[no_idle] 16, discarded[foreign_timer] 40, verdict.reason \"\"",
		"row.method tdt, with.method tdt, with.size 512, with.list \"\", with.args \"\"",
		"run.set \"\"",
		strcmp(given, "nothing") ? given : "",
	};
	const char *wrong = NULL;
	char copy[CASE_BYTES];

	memset(&now, 0, sizeof(now));
	for (size_t i = 0; !wrong && i < ARRAY_SIZE(all); i++) {
		snprintf(copy, sizeof(copy), "%s", all[i]);
		wrong = set_values(copy);
	}
	return wrong;
}

/*
 * Writes a row with the n-th of each of its choices. Returns how many of these have so many, or
 * -1 where some have and others have not, or one has no end.
 */
static int choose(const char *row, size_t n, char *chosen)
{
	int choices = 0, missing = 0;

	while (*row) {
		if (*row != '{') {
			*chosen++ = *row++;
			continue;
		}
		if (!strchr(row, '}'))
			return -1;
		for (size_t i = 0; i < n && *row != '}'; i++)
			row = strpbrk(row + 1, "/}");
		missing += *row == '}';
		choices++;
		while (*row != '}' && *++row != '/' && *row != '}')
			*chosen++ = *row;
		row = strchr(row, '}') + 1;
	}
	*chosen = '\0';
	return missing ? -(missing < choices) : choices;
}

/* With each choice in turn. Returns NULL, or what is wrong. */
static const char *run_row(const char *given, const char *tells, const char *row)
{
	const bool anew = !strncmp(row, " -", 2) && strchr(" ", row[2]);
	const char *wrong = NULL;
	char chosen[CASE_BYTES];

	for (size_t n = 0; !wrong && (!n || choose(row, n, chosen)); n++) {
		if (choose(row, n, chosen) < 0)
			return "choices that have no end, or are not equally many";
		if (anew)
			wrong = begin(given);
		if (!wrong)
			wrong = run_part(tells, chosen + 2 * anew);
	}
	return wrong;
}

/* Returns NULL, or the line and what is wrong there. */
static const char *run_case(const struct test_case *test)
{
	static char wrong[4 * CASE_BYTES];
	const struct line *line = test->line;
	const char *why = test->wrong ?: begin(test->given);
	bool tells = false;

	while (!why && line[1].text && *line[1].text == ' ') {
		line++;
		why = run_row(test->given, test->tells, line->text);
		tells |= !!strstr(line->text, " |");
	}
	if (!why && tells)
		return NULL;
	snprintf(wrong, sizeof(wrong), "%s:%u: %s", line->file, line->number,
		 why ?: "the rows of this case tell nothing");
	return wrong;
}

static void run_test(struct __test_metadata *test,
		     struct __fixture_variant_metadata *variant __maybe_unused)
{
	const char *wrong = run_case((const struct test_case *)test);

	if (!wrong)
		return;
	ksft_print_msg("%s\n", wrong);
	test->exit_code = KSFT_FAIL;
}

/* The lines without comments, and those joined that go on in the next one. */
static bool read_lines(FILE *file, const char *name)
{
	static char joined[CASE_BYTES];
	char part[256];
	unsigned int number = 0, first = 1;
	struct text text = text_begin(joined, sizeof(joined));

	while (fgets(part, sizeof(part), file)) {
		char *line = trimmed(part);
		const bool is_row = line > part, goes_on = *line && line[strlen(line) - 1] == '\\';

		while (strchr(line, '\t'))
			*strchr(line, '\t') = ' ';

		number++;
		if (*line == '#')
			continue;
		if (!*joined)
			first = number;
		if (goes_on)
			line[strlen(line) - 1] = '\0';
		text_add(&text, "%s%s", is_row && first == number ? " " : "", line);
		if (goes_on)
			continue;
		if (*joined) {
			if (line_count == LINES_ROOM - 1)
				return false;
			lines[line_count++] = (struct line) { name, first, strdup(joined) };
		}
		text = text_begin(joined, sizeof(joined));
	}
	return true;
}

/* The value of "key value", or NULL. */
static const char *keyword(const char *line, const char *key)
{
	return strncmp(line, key, strlen(key)) ? NULL : line + strlen(key);
}

/* Makes a test of each case, and of each line that is none. */
static void read_cases(FILE *file, const char *name, struct __fixture_metadata *fixture)
{
	const char *given = "", *tells = "";
	const size_t from = line_count;
	bool has_case = false;

	if (!read_lines(file, name))
		ksft_exit_fail_msg("%s: there is no room for so many lines\n", name);
	for (const struct line *line = &lines[from]; line < &lines[line_count]; line++) {
		const char *text = line->text;
		struct test_case *test;

		if (has_case && *text == ' ')
			continue;
		has_case = isupper(*text);
		given = keyword(text, "given ") ?: given;
		tells = keyword(text, "tells ") ?: tells;
		if (keyword(text, "given ") || keyword(text, "tells "))
			continue;
		test = calloc(1, sizeof(*test));
		if (!test)
			ksft_exit_fail_perror("calloc");
		*test = (struct test_case) {
			.test = { .name = text, .fn = run_test, .fixture = fixture,
				  .termsig = -1, .timeout = TEST_TIMEOUT_DEFAULT, },
			.line = line, .given = given, .tells = tells,
			.wrong = has_case ? NULL : "neither a case nor a row of one",
		};
		__register_test(&test->test);
	}
}

static void open_cases(const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		ksft_exit_fail_msg("no file %s: VERDICT_CASES names their directory\n", pattern);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct __fixture_metadata *fixture = calloc(1, sizeof(*fixture));
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;
		FILE *file = fopen(found.gl_pathv[i], "re");

		if (!fixture || !file)
			ksft_exit_fail_perror(name);
		fixture->name = strndup(name, strcspn(name, "."));
		__register_fixture(fixture);
		read_cases(file, name, fixture);
		fclose(file);
		if (!fixture->tests)
			ksft_exit_fail_msg("%s has no case\n", name);
	}
}

/* Files that are wrong, and what is said of them. */
TEST(malformed_files)
{
	static const struct {
		const char *text, *wrong;
	} files[] = {
		{ "\t| PASS\n", "" },
		{ "\t| FAIL\n", "3: verdict is 'PASS', not = 'FAIL'" },
		{ "\t| PASS | verdict.above = 1", "3: verdict.above is '0', not = '1'" },
		{ "\t| PASS | figures !~ above", "3: figures is '" },
		{ "\t| PASS | figures ~ below", "3: figures is '" },
		{ "\t| PASS\n\t- wake_ns {1/2001} | PASS",
		  "4: verdict is 'FAIL above the limit', not = 'PASS'" },
		{ "\tlimit_ns 1, \\\n\t\tlimit_ns x | PASS",
		  "3: limit_ns x: it cannot have this value" },
		{ "\tspeed 1 | PASS", "3: speed 1: there is no such value" },
		{ "\twake_ns[9-8] 1 | PASS", "3: wake_ns[9-8] 1: there is no such element" },
		{ "\t| PASS | speed = 1", "3: speed is 'not a function or a value', not = '1'" },
		{ "\twake_ns {1/2001} | {PASS}", "3: choices that have no end, or" },
		{ "\twake_ns {1/2 | PASS", "3: choices that have no end, or" },
		{ "\twake_ns {2000/2001} | {PASS/FAIL above the limit}", "" },
		{ "given speed 1\nB\n\t| PASS", "2: the rows of this case tell nothing" },
		{ "\twake_ns 1\n", "3: the rows of this case tell nothing" },
		{ "tells nothing\n", "2: the rows of this case tell nothing" },
		{ "\twith.n 5, with.k 1, with.p 0.5 | PASS | at_least = 0.96875001",
		  "3: at_least is '0.96875', not = '0.96875001'" },
		{ "\twith.n 5, with.k 1, with.p 0.5 | PASS | at_least = 0.9687500001", "" },
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct __fixture_metadata fixture = { };
		const char *wrong;
		FILE *file;

		snprintf(text, sizeof(text), "tells verdict\nA\n%s", files[i].text);
		file = fmemopen(text, strlen(text), "r");
		read_cases(file, "f", &fixture);
		fclose(file);
		ASSERT_NE(NULL, fixture.tests);
		wrong = run_case((struct test_case *)fixture.tests) ?: "f:";
		EXPECT_EQ(0, strncmp(files[i].wrong, wrong + 2, strlen(files[i].wrong) ?: 1))
			TH_LOG("%zu: %s", i, wrong);
	}
}

/*
 * A table that is exactly at its quantile: of 40 rows, one or more may fail with 4 % at most,
 * whatever the number of samples, and a table that is far above is found out.
 */
TEST(runs_of_a_table_at_its_quantile)
{
	const double p = 0.0001;
	double most = 0;
	__u64 above = 1;

	for (__u64 n = 300; n <= 30000; n++) {
		double fails;

		/* The smallest number that contradicts grows with n. */
		while (!verdict_contradicts(n, above, 999900000))
			above++;
		ASSERT_FALSE(verdict_contradicts(n, above - 1, 999900000));
		fails = 1 - pow(1 - binomial_at_least(n, above, p), 40);
		if (fails > most)
			most = fails;
	}
	EXPECT_GE(0.04, most);
	EXPECT_LT(0.03, most);
}

/* The names of files, which are removed at once if that is asked for. */
static const char *files(const char *pattern, bool removed)
{
	static char names[256];
	struct text text = text_begin(names, sizeof(names));
	glob_t found = { };

	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		text_add(&text, "%s ", strrchr(found.gl_pathv[i], '/') + 1);
		if (removed)
			unlink(found.gl_pathv[i]);
	}
	globfree(&found);
	return names;
}

TEST(csv_files_appear_when_they_are_complete)
{
	static struct options options = {
		.out = "out", .sweep = { .percent = 1 }, .keep_discarded = true,
	};
	static const char all[] =
		"datapoints.csv discarded.csv discards.csv statistics.csv summary.csv sweep.csv ";
	const char *complete = "out/*.csv";
	char dir[] = "/tmp/idle_latency.XXXXXX";
	struct csv csv;

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, chdir(dir));
	/* Left over from an earlier run. */
	ASSERT_EQ(0, symlink("nowhere", "summary.csv"));
	ASSERT_TRUE(csv_open(&csv, &options));
	ASSERT_TRUE(csv_close(&csv));
	EXPECT_STREQ(all, files(complete, false));
	EXPECT_STREQ("environment.txt ", files("out/*.txt", false));
	options.keep_discarded = false;
	options.sweep.percent = 0;
	ASSERT_TRUE(csv_open(&csv, &options));
	EXPECT_STREQ("", files(complete, false));
	ASSERT_TRUE(csv_close(&csv));
	EXPECT_STREQ("datapoints.csv discards.csv environment.txt statistics.csv summary.csv ",
		     files("out/*", true));
	EXPECT_EQ(0, rmdir("out"));
	options.out = "absent/out";
	EXPECT_FALSE(csv_open(&csv, &options));
	EXPECT_EQ(0, unlink("summary.csv"));
	EXPECT_EQ(0, rmdir(dir));
}

TEST(causes_on_this_machine)
{
	const struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_NONE,
		.flags = IDLE_LATENCY_STATE_DEMOTION,
	};
	static struct causes causes;
	static struct cpu_list online;
	char text[256];

	ASSERT_TRUE(cpu_list_online(&online));
	causes_read_times(causes.before);
	causes_read_times(causes.after);
	causes_text(&causes, online.cpu[0], &state, text, sizeof(text));
	/* Kernels for a single CPU have no topology. */
	if (online.count > 1) {
		EXPECT_TRUE(cpu_list_has(&causes.siblings, online.cpu[0]));
		EXPECT_TRUE(cpu_list_has(&causes.package, online.cpu[0]));
	}
	EXPECT_NE(NULL, strstr(text, "demotion on"));
	for (size_t i = 0; i < online.count; i++) {
		EXPECT_NE(0ULL, causes.before[online.cpu[i]].busy +
				causes.before[online.cpu[i]].idle);
		EXPECT_LE(causes.before[online.cpu[i]].busy,
			  causes.after[online.cpu[i]].busy);
	}
}

/* No system has that many CPUs: nothing of what was there before is left. */
TEST(causes_on_a_cpu_that_is_not_there)
{
	const struct idle_latency_state state = { };
	static struct causes causes;
	int before, after;
	char text[256];

	memset(&causes, 0xff, sizeof(causes));
	before = open("/dev/null", O_RDONLY);
	ASSERT_LE(0, before);
	ASSERT_EQ(0, close(before));
	causes_read_times(causes.before);
	causes_read_times(causes.after);
	causes_text(&causes, CPU_LIST_MAX - 1, &state, text, sizeof(text));
	after = open("/dev/null", O_RDONLY);
	/* The files that were read are closed. */
	EXPECT_EQ(before, after);
	EXPECT_EQ(0, close(after));
	EXPECT_EQ(CPU_LIST_MAX - 1U, causes.cpu);
	EXPECT_EQ(0UL, causes.siblings.count);
	EXPECT_EQ(0UL, causes.package.count);
	EXPECT_EQ(0ULL, causes.before[CPU_LIST_MAX - 1].busy);
	EXPECT_EQ(0ULL, causes.before[CPU_LIST_MAX - 1].idle);
}

int main(int argc, char **argv)
{
	char program[PATH_MAX] = "", pattern[PATH_MAX + 32];
	const char *directory = getenv("VERDICT_CASES");

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		ksft_exit_fail_perror("/proc/self/exe");
	*strrchr(program, '/') = '\0';
	snprintf(pattern, sizeof(pattern), "%s%s/*.cases", directory ?: program,
		 directory ? "" : "/verdict");
	open_cases(pattern);
	return test_harness_run(argc, argv);
}

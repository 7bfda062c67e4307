// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* A bound of 0.1 % per state: 1 - 0.05^(1/3000). */
#define SAMPLES_DEFAULT	3000
/* The same of 1 %. */
#define SAMPLES_LEAST	300

/*
 * The runner of kselftest ends a program after 45 s. Loading the driver and printing
 * the results take the rest, on a slow machine, too.
 */
#define SECONDS_DEFAULT	40
#define SECONDS_MAX	1000000

/* That of the deepest package state that Intel has, PC10. */
#define PACKAGE_LIMIT_MAX	10

const struct method methods[METHODS] = {
	{ .source = IDLE_LATENCY_SOURCE_HRT, .name = "hrt" },
	{ .source = IDLE_LATENCY_SOURCE_TDT, .name = "tdt" },
	{ .source = IDLE_LATENCY_SOURCE_NIC, .name = "nic" },
	{ .source = IDLE_LATENCY_SOURCE_WRITE, .name = "write", .has_waker = true },
	{ .source = IDLE_LATENCY_SOURCE_IPI, .name = "ipi", .has_waker = true },
};

const struct method *method_named(const char *name)
{
	for (size_t i = 0; i < METHODS; i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

static const char * const stamps[] = {
	[IDLE_LATENCY_STAMP_PROBE] = "probe", [IDLE_LATENCY_STAMP_ENTER] = "enter",
};

const char *stamp_name(unsigned int stamp)
{
	return stamp && stamp < ARRAY_SIZE(stamps) ? stamps[stamp] : "";
}

void quantile_name(__u64 quantile, char *name, size_t size)
{
	if (quantile == QUANTILE_ONE)
		snprintf(name, size, "max");
	else
		snprintf(name, size, "%.9g", (double)quantile / QUANTILE_ONE);
}

size_t options_least(const struct options *options)
{
	if (options->seconds && options->samples > SAMPLES_LEAST)
		return SAMPLES_LEAST;
	return options->samples;
}

size_t options_asleep(const struct options *options)
{
	return smaller(options_least(options), SAMPLES_LEAST);
}

static const char * const holds[HOLDS] = { "", "core", "module", "package", "all" };

const char *hold_name(enum hold hold)
{
	return holds[hold];
}

static const char * const places[WAKER_PLACES] = { "", "sibling", "module", "package", "remote" };

const char *waker_place_name(enum waker_place place)
{
	return places[place];
}

static const struct {
	const char *name;
	__u32 bits;
} settings[] = {
	{ "prewake", IDLE_LATENCY_SETTING_PREWAKE },
	{ "demotion", SETTING_DEMOTION },
	{ "promotion", IDLE_LATENCY_SETTING_C1E_PROMOTION },
	{ "package-limit", IDLE_LATENCY_SETTING_PACKAGE_LIMIT },
	{ "aspm", SETTING_ASPM },
};

void settings_text(const struct idle_latency_settings *set, char *text, size_t size)
{
	struct text all = text_begin(text, size);

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!(set->kept & settings[i].bits))
			continue;
		text_add(&all, "%s%s=", all.used ? " " : "", settings[i].name);
		if (settings[i].bits == IDLE_LATENCY_SETTING_PACKAGE_LIMIT)
			text_add(&all, "pc%u", set->package_limit);
		else
			text_add(&all, "%s", set->on & settings[i].bits ? "on" : "off");
	}
}

static bool parse_methods(struct options *options, const char *text)
{
	char *rest = strdupa(text), *name;

	options->methods = 0;
	options->methods_named = true;
	while ((name = strtok_r(rest, " ,", &rest))) {
		const struct method *method = method_named(name);

		if (!method)
			return false;
		options->methods |= 1u << method->source;
	}
	return options->methods;
}

static bool parse_cpus(struct options *options, const char *text)
{
	static const char type[] = "type=";
	const bool is_type = !strncmp(text, type, strlen(type));

	options->all_cpus = !strcmp(text, "all");
	options->core_type = is_type ? text + strlen(type) : NULL;
	if (is_type)
		return *options->core_type;
	return options->all_cpus || cpu_list_parse(text, &options->cpus);
}

static bool set_range(struct launch_distance *ldist, const char *from, const char *to)
{
	return parse_number(from, &ldist->from_ns) && parse_number(to, &ldist->to_ns) &&
	       ldist->from_ns >= IDLE_LATENCY_LDIST_MIN_NS && ldist->from_ns <= ldist->to_ns &&
	       ldist->to_ns <= IDLE_LATENCY_LDIST_MAX_NS;
}

static bool parse_ldist(struct options *options, const char *text)
{
	char from[24], to[24];
	int end = 0;

	return sscanf(text, "%23[0-9]:%23[0-9]%n", from, to, &end) == 2 && !text[end] &&
	       set_range(&options->ldist, from, to);
}

/* 0 where it is none from 1 on. */
static __u64 parse_count(const char *text, __u64 most)
{
	__u64 number;

	return parse_number(text, &number) && number <= most ? number : 0;
}

static bool parse_sweep(struct options *options, const char *text)
{
	struct sweep *sweep = &options->sweep;
	char from[24], to[24], percent[8];
	int end = 0;

	if (sscanf(text, "%23[0-9]:%23[0-9]:%7[0-9]%%%n", from, to, percent, &end) != 3 ||
	    !end || text[end])
		return false;
	sweep->percent = parse_count(percent, 100);
	return set_range(&sweep->ldist, from, to) && sweep->percent;
}

static bool parse_stamp(struct options *options, const char *text)
{
	options->stamp = ARRAY_SIZE(stamps) - 1;
	while (options->stamp && strcmp(stamp_name(options->stamp), text))
		options->stamp--;
	return options->stamp;
}

/* Digits after "0." as an integer, because a floating-point quantile has no exact rank. */
static bool parse_quantile(struct options *options, const char *text)
{
	char digits[10] = "";
	int end = 0;

	if (!strcmp(text, "1")) {
		options->quantile = QUANTILE_ONE;
		return true;
	}
	if (sscanf(text, "0.%9[0-9]%n", digits, &end) != 1 || text[end])
		return false;
	options->quantile = atoi(digits);
	for (size_t i = strlen(digits); i < sizeof(digits) - 1; i++)
		options->quantile *= 10;
	return options->quantile;
}

static bool parse_limit(struct options *options, const char *text)
{
	options->has_limit = parse_number(text, &options->limit_ns);
	return options->has_limit;
}

static bool parse_hold(struct options *options, const char *text)
{
	options->hold = HOLDS - 1;
	while (options->hold && strcmp(hold_name(options->hold), text))
		options->hold--;
	return options->hold;
}

static bool parse_waker(struct options *options, const char *text)
{
	options->has_waker_cpu = parse_number(text, &options->waker_cpu);
	options->waker = options->has_waker_cpu ? 0 : WAKER_PLACES - 1;
	while (options->waker && strcmp(waker_place_name(options->waker), text))
		options->waker--;
	return options->has_waker_cpu || options->waker;
}

static bool parse_package_limit(const char *text, __u32 *limit)
{
	__u64 number;

	if (strncmp(text, "pc", 2) || !parse_number(text + 2, &number) ||
	    number > PACKAGE_LIMIT_MAX)
		return false;
	*limit = number;
	return true;
}

/* One word. Who asks for the same twice wants two things at once. */
static bool parse_setting(struct idle_latency_settings *set, const char *word)
{
	const size_t length = strcspn(word, "=");
	const char *value = word + length + !!word[length];
	size_t i = 0;

	while (i < ARRAY_SIZE(settings) && (strlen(settings[i].name) != length ||
					    strncmp(settings[i].name, word, length)))
		i++;
	if (i == ARRAY_SIZE(settings) || set->kept & settings[i].bits)
		return false;
	set->kept |= settings[i].bits;
	if (settings[i].bits == IDLE_LATENCY_SETTING_PACKAGE_LIMIT)
		return parse_package_limit(value, &set->package_limit);
	if (!strcmp(value, "on"))
		set->on |= settings[i].bits;
	return !strcmp(value, "on") || !strcmp(value, "off");
}

static bool parse_set(struct options *options, const char *text)
{
	char *rest = strdupa(text), *word;

	options->set = (struct idle_latency_settings) { };
	while ((word = strtok_r(rest, " ,", &rest)))
		if (!parse_setting(&options->set, word))
			return false;
	return options->set.kept;
}

#define IN(of)	.member = offsetof(struct options, of)

/*
 * An option that takes nothing sets a bool; one without a parser takes a number from 1 to the
 * most, or any text.
 */
static const struct option_spec {
	const char *name;
	/* NULL: takes no argument */
	const char *takes;
	const char *does;
	bool (*parse)(struct options *options, const char *text);
	/* in struct options */
	size_t member;
	unsigned int most;
} specs[] = {
	{ "plain", NULL, "print for people, not KTAP", IN(plain) },
	{ "quiet", NULL,
	  "print the table, each FAIL, errors and what is said of the machine, and no progress nor details of rows",
	  IN(quiet) },
	{ "top", NULL,
	  "on a terminal, show all rows as they grow, and then what --plain --quiet prints",
	  IN(top) },
	{ "ktap-per-cpu", NULL,
	  "with more than 8 CPUs, give a result and lines for each (for each core type)",
	  IN(ktap_per_cpu) },
	{ "machine", "a name", "what summary.csv calls the machine", IN(machine) },
	{ "cpu-model", "a name", "what summary.csv calls the CPU", IN(cpu_model) },
	{ "methods", "one or more of hrt, tdt, nic, write and ipi, separated by blanks or commas",
	  "what wakes the CPU (hrt, tdt and nic)", .parse = parse_methods },
	{ "waker", "sibling, module, package, remote or a CPU",
	  "which CPU wakes the measured one by write and ipi (one that is near, but no sibling if there is another)",
	  .parse = parse_waker },
	{ "cpus", "a list of CPUs such as 0,2-3, or all, or type= and a core type such as atom",
	  "the CPUs to measure, as many of several at once as do not disturb each other (the lowest of each core type that this program may run on)",
	  .parse = parse_cpus },
	{ "states", "a comma-separated list of state names or indexes",
	  "the idle states to measure (all)", IN(states) },
	{ "samples", "a number from 1 to 1000000",
	  "how many samples that count are taken of each state (3000); without --seconds, so many make a PASS",
	  IN(samples), .most = SAMPLES_MAX },
	{ "seconds", "a number from 1 to 1000000",
	  "how long all of it may take (40, without --samples); 300 samples that count make a PASS then",
	  IN(seconds), .most = SECONDS_MAX },
	{ "ldist", "FROM:TO in ns, 1 <= FROM <= TO <= 50000000",
	  "launch distances (what suits the state)", .parse = parse_ldist },
	{ "sweep", "FROM:TO:STEP% in ns and whole percent, such as 20000:2000000:10%",
	  "take as many samples as --samples says at each of the launch distances from FROM to TO, each STEP longer than the one before",
	  .parse = parse_sweep },
	{ "stamp", "enter or probe", "where the TSC is read (the closest that the kernel has)",
	  .parse = parse_stamp },
	{ "quantile", "a number such as 0.9999, 0 < number <= 1",
	  "judge this quantile (1, the maximum)", .parse = parse_quantile },
	{ "limit-ns", "a number of ns", "judge against this (the declared exit latency)",
	  .parse = parse_limit },
	{ "hold", "core, module, package or all",
	  "hold the other CPUs of that scope in the state that is measured", .parse = parse_hold },
	{ "set",
	  "prewake=, demotion=, promotion= and aspm=, each with on or off, and package-limit=pc0 to pc10, separated by blanks or commas",
	  "keep these settings of the processor, and of the link to the card, for the run (as they are)",
	  .parse = parse_set },
	{ "out", "a directory", "write CSV files and environment.txt there", IN(out) },
	{ "keep-discarded", NULL, "write discarded.csv there, too", IN(keep_discarded) },
	{ "force", NULL, "measure in a virtual machine, too", IN(force) },
	{ "scan", NULL, "say what can be measured on this machine, and do not measure",
	  IN(scan) },
	{ "self-check", NULL,
	  "say in two minutes whether what measures can be relied on here, and judge no state",
	  IN(self_check) },
	{ "help", NULL, "print this", IN(help) },
};

static bool parse(const struct option_spec *spec, struct options *options, const char *text)
{
	void *member = (char *)options + spec->member;

	if (spec->parse)
		return spec->parse(options, text);
	if (!spec->takes)
		return *(bool *)member = true;
	if (!spec->most)
		return *(*(const char **)member = text);
	*(unsigned int *)member = parse_count(text, spec->most);
	return *(unsigned int *)member;
}

static void set_defaults(struct options *options)
{
	memset(options, 0, sizeof(*options));
	options->machine = "host";
	options->quantile = QUANTILE_ONE;
	for (size_t i = 0; i < METHODS; i++)
		if (!methods[i].has_waker)
			options->methods |= 1u << methods[i].source;
}

/* Returns false, as all that an error is said by. */
static bool list_options(const char *unknown, char *error, size_t size)
{
	struct text text = text_begin(error, size);

	text_add(&text, "unknown argument '%s'; takes", unknown);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		text_add(&text, " --%s", specs[i].name);
	return false;
}

static bool say_takes(const struct option_spec *spec, const char *value, char *error, size_t size)
{
	struct text text = text_begin(error, size);

	text_add(&text, "--%s takes %s", spec->name, spec->takes ?: "no value");
	if (spec->takes && value)
		text_add(&text, ", not '%s'", value);
	return false;
}

static const struct option_spec *find_spec(const char *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs) && !strncmp(argument, "--", 2); i++) {
		size_t length = strlen(specs[i].name);

		if (!strncmp(specs[i].name, argument + 2, length) &&
		    strchr("=", argument[2 + length]))
			return &specs[i];
	}
	return NULL;
}

/* The value of --name=value or, for an option that takes one, --name value. */
static const char *find_value(const struct option_spec *spec, const char * const **argument)
{
	const char *equals = strchr(**argument, '=');

	if (equals)
		return equals + 1;
	return spec->takes ? *++*argument : NULL;
}

bool options_have_waker(const struct options *options)
{
	for (size_t i = 0; i < METHODS; i++)
		if (methods[i].has_waker && options->methods & 1u << methods[i].source)
			return true;
	return false;
}

static bool check_combination(const struct options *options, char *error, size_t size)
{
	size_t steps = options->sweep.percent ? sweep_count(&options->sweep) : 0;
	struct text text = text_begin(error, size);

	if (steps && options->ldist.to_ns)
		text_add(&text, "--sweep takes no --ldist beside it");
	else if (steps && options->samples > SAMPLES_MAX / steps)
		text_add(&text,
			 "--sweep takes %d samples in all, and %zu steps of %u are more: ask for fewer --samples or longer steps",
			 SAMPLES_MAX, steps, options->samples);
	else if (options->keep_discarded && !options->out)
		text_add(&text, "--keep-discarded takes --out beside it");
	else if (options->self_check && (options->scan || options->out))
		text_add(&text, "--self-check takes no --scan and no --out beside it");
	else if ((options->self_check || options->scan) && (options->hold || options->set.kept))
		text_add(&text, "--self-check and --scan take no --hold and no --set beside them");
	else if ((options->waker || options->has_waker_cpu) && !options_have_waker(options))
		text_add(&text, "--waker takes --methods with write or ipi beside it");
	else if (options->top && options->quiet)
		text_add(&text, "--top takes no --quiet beside it");
	return !text.used;
}

bool options_parse(const char * const *arguments, struct options *options, char *error, size_t size)
{
	set_defaults(options);
	options->arguments = arguments;
	for (const char * const *argument = arguments; *argument; argument++) {
		const struct option_spec *spec = find_spec(*argument);
		const char *value;

		if (!spec)
			return list_options(*argument, error, size);
		value = find_value(spec, &argument);
		if (!value == !spec->takes && parse(spec, options, value))
			continue;
		return say_takes(spec, value, error, size);
	}
	options->plain |= options->top;
	if (!options->samples && !options->seconds)
		options->seconds = SECONDS_DEFAULT;
	if (!options->samples)
		options->samples = SAMPLES_DEFAULT;
	return options->help || check_combination(options, error, size);
}

void options_help(FILE *file)
{
	fprintf(file, "latency_test takes these; what applies without one is in parentheses:\n");
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		fprintf(file, "  --%-14s %s\n", specs[i].name, specs[i].does);
		if (specs[i].takes)
			fprintf(file, "  %-16s takes %s\n", "", specs[i].takes);
	}
}

// SPDX-License-Identifier: GPL-2.0
/* The script for gnuplot, and gnuplot as a child. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "plot.h"

#define FONT_SIZE	12
/* Of the lines of text above and below the area. */
#define TOP_TEXT	10
#define BOTTOM_TEXT	276

/* gnuplot has 0 at the bottom. */
static double screen_x(int pixels)
{
	return (double)pixels / PLOT_WIDTH;
}

static double screen_y(int pixels)
{
	return 1 - (double)pixels / PLOT_HEIGHT;
}

static void put_ticks(FILE *script, const char *name, const struct axis *axis,
		      const char **unit)
{
	struct tick ticks[TICKS_MAX];
	size_t count = axis_ticks(axis, ticks, unit);

	fprintf(script, "set %stics (", name);
	for (size_t i = 0; i < count; i++)
		fprintf(script, "%s\"%s\" %.10g", i ? ", " : "", ticks[i].label,
			ticks[i].at);
	fputs(")\n", script);
	fprintf(script, "set %srange [%.10g:%.10g]\n", name, axis->from,
		axis->to);
}

/* Labels lie along the upper edge, where they are read without turning the head. */
static void put_axis(FILE *script, const char *name, const struct axis *axis,
		     int x, int y, const char *side)
{
	const char *unit;

	put_ticks(script, name, axis, &unit);
	fprintf(script, "set label \"%s%s%s\" at screen %.6f, screen %.6f %s\n",
		axis->label, *unit ? ", " : "", unit, screen_x(x), screen_y(y),
		side);
}

static void put_frame(FILE *script, const struct plot *plot)
{
	int right = plot->y2.label ? AREA_RIGHT_2 : AREA_RIGHT;

	fprintf(script,
		"set terminal svg noenhanced size %d,%d font \"sans-serif,%d\"\n",
		PLOT_WIDTH, PLOT_HEIGHT, FONT_SIZE);
	fprintf(script,
		"set lmargin at screen %.6f\nset rmargin at screen %.6f\n",
		screen_x(AREA_LEFT), screen_x(right));
	fprintf(script,
		"set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
		screen_y(AREA_TOP), screen_y(AREA_BOTTOM));
	fprintf(script, "unset key\nset border %d\n", plot->y2.label ? 11 : 3);
	fputs("set tics nomirror out scale 0.4\nset grid\n", script);
	fputs("set style fill solid noborder\n", script);
	put_axis(script, "x", &plot->x, right, BOTTOM_TEXT, "right");
	put_axis(script, "y", &plot->y, 4, TOP_TEXT, "left");
	if (plot->y2.label)
		put_axis(script, "y2", &plot->y2, PLOT_WIDTH - 4, TOP_TEXT,
			 "right");
}

static void put_bar(FILE *script, const struct plot *plot,
		    const struct series *series, const struct point *point)
{
	fprintf(script, "%.10g %.10g %.10g %.10g %.10g %.10g\n", point->x,
		point->y, point->x - series->width / 2,
		point->x + series->width / 2, plot->y.from, point->y);
}

static void put_data(FILE *script, const struct plot *plot)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = &plot->series[i];

		fprintf(script, "$d%zu << END\n", i);
		for (size_t j = 0; j < series->count; j++)
			if (series->style == STYLE_BARS)
				put_bar(script, plot, series, &series->points[j]);
			else
				fprintf(script, "%.10g %.10g\n",
					series->points[j].x, series->points[j].y);
		fputs("END\n", script);
	}
}

static void put_plot(FILE *script, const struct plot *plot)
{
	static const char * const styles[] = {
		[STYLE_MARKS] = "points pointtype 7 pointsize 0.3",
		[STYLE_RINGS] = "points pointtype 7 pointsize 0.3",
		[STYLE_BARS] = "boxxyerror",
		[STYLE_LINE] = "lines",
		[STYLE_STEPS] = "fsteps",
	};

	for (size_t i = 0; i < plot->count; i++)
		fprintf(script, "%s$d%zu axes x1y%d with %s",
			i ? ", " : "plot ", i, plot->series[i].second ? 2 : 1,
			styles[plot->series[i].style]);
	fputc('\n', script);
}

static bool begin(const struct plot *plot, FILE **script, int output[2])
{
	*script = tmpfile();
	if (!*script)
		return false;
	put_frame(*script, plot);
	put_data(*script, plot);
	put_plot(*script, plot);
	if (!fflush(*script) && !fseek(*script, 0, SEEK_SET) && !pipe(output))
		return true;
	fclose(*script);
	return false;
}

/* Without the settings of the user, and of a terminal that is not asked for. */
static void become_gnuplot(FILE *script, const int output[2])
{
	if (dup2(fileno(script), STDIN_FILENO) >= 0 &&
	    dup2(output[1], STDOUT_FILENO) >= 0) {
		close(output[0]);
		close(output[1]);
		execlp("gnuplot", "gnuplot", "-d", NULL);
	}
	_exit(errno == ENOENT ? 127 : 126);
}

static bool reap(pid_t child, bool rewritten, char *error, size_t size)
{
	int status;

	if (waitpid(child, &status, 0) == child && WIFEXITED(status)) {
		if (WEXITSTATUS(status) == 127) {
			snprintf(error, size,
				 "there is no gnuplot: install the package gnuplot-nox");
			return false;
		}
		if (!WEXITSTATUS(status) && rewritten)
			return true;
	}
	snprintf(error, size,
		 "gnuplot failed: see above; \"gnuplot --version\" must work, and TMPDIR must have space");
	return false;
}

bool plot_draw(const struct plot *plot, FILE *page, char *error, size_t size)
{
	bool rewritten;
	int output[2];
	FILE *script, *drawn;
	pid_t child;

	if (!begin(plot, &script, output)) {
		snprintf(error, size, "cannot make a file for gnuplot: %s",
			 strerror(errno));
		return false;
	}
	/* Or the child would write it, too. */
	fflush(page);
	child = fork();
	if (!child)
		become_gnuplot(script, output);
	close(output[1]);
	fclose(script);
	drawn = fdopen(output[0], "r");
	rewritten = drawn && svg_rewrite(drawn, plot, page);
	if (drawn)
		fclose(drawn);
	else
		close(output[0]);
	return reap(child, rewritten, error, size);
}

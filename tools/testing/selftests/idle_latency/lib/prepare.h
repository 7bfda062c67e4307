/* SPDX-License-Identifier: GPL-2.0 */
/* What a program does to a machine so that it can measure, and how that is undone. */
#ifndef PREPARE_H
#define PREPARE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "idle_latency_util.h"

/*
 * What a program changes in the machine is put back, however the program ends.
 *
 * A step is noted before what it undoes is done, so that there is no moment at
 * which a program that is killed leaves something behind. At its end the steps are
 * performed, the last one first: by the program, or by a second process, the survivor,
 * which sees them as well. That performs what is left when the program was killed, and
 * all of it after undo_end_children() or while another program runs.
 */

/*
 * To be called before a program looks at what others may be about to put back:
 * waits for those that put something back at this moment, and has those that
 * were killed earlier wait until this one has ended.
 */
void undo_begin(void);

/*
 * Have a text written to a file, or a command run. Each returns the number of the
 * step, or -1 when it cannot be promised: then do not do what it would undo. When that is
 * because the survivor is gone, the steps that this process noted earlier have been
 * performed already.
 */
int undo_write(const char *path, const char *text);
__printf(1, 2) int undo_run(const char *format, ...);
/* Have a file, which shows one line, say again what it says now. */
int undo_file(const char *path);

/*
 * Writes a text of one line to a file, and has what it said before written to it again
 * unless the program does so. Returns false when the text was not written.
 */
bool undo_change(const char *path, const char *text);

/* The step is done already, or what it undoes was not done after all. */
void undo_withdraw(int step);

/*
 * Performs those that this process has noted itself, so that a test undoes what it did
 * before the next one begins. Returns false when something cannot be undone now.
 */
bool undo_now(void);

/* The process that has the steps, too, or 0 when there is none. */
pid_t undo_survivor(void);

/*
 * From now on a child is killed when its parent ends, as the runner of kselftest ends
 * the program only. Returns false when there is no survivor to whom children can tell
 * their steps.
 */
bool undo_end_children(void);

/* A command is not longer than that. */
#define COMMAND_BYTES		1024

/*
 * A program and its arguments, quoted as for a shell. It is looked for in PATH and where those
 * for root are. Returns its output, of both kinds, which is to be read to the end, or NULL.
 * @signal: what it gets when this program is killed, or 0
 */
FILE *command_start(const char *command, int signal, pid_t *child);
/* Waits for its end. Returns its exit code, or -1 when it was killed or did not start. */
int command_end(pid_t child, FILE *out);

/* What a program that is not there returns, as in a shell. */
#define COMMAND_NOT_FOUND	127

/*
 * Both at once, and to the end even when this program is killed: what undoes it waits.
 * @said: gets the first line of its output, without its end
 */
int command_run(const char *command, char *said, size_t size);

/* Why something cannot be used. */
struct obstacle {
	/* constant, without figures and commas */
	const char *reason;
	/* nothing is missing, so that this is no reason to skip a test */
	bool fails;
	/* what others say about it, such as modprobe, or "" */
	char said[160];
};

/* Says it as a test that has no other result, and returns its exit code. */
int obstacle_report(const struct obstacle *obstacle);

/* Would modprobe find it? */
bool module_installed(const char *name);

/* Loads the module msr, without which what the CPU does is known from the driver only. */
void module_load_msr(void);

/*
 * Opens /dev/idle_latency, for which the driver is loaded where it is not. Where another
 * program has it, waits some seconds; others wait for this program then. Returns the
 * descriptor, or a negative number and why.
 */
int driver_open(int flags, struct obstacle *obstacle);

/* From now on others may have the device, while this program runs. */
void driver_leave(void);

/*
 * Has simulated idle states where the machine has none; what has them is not touched.
 * @states: as idle_latency_sim takes them
 * @cpu: the only one that has them, as it spins while it is idle; NULL for all
 */
bool driver_simulate(const char *states, const unsigned int *cpu,
		     struct obstacle *obstacle);

/*
 * Has a network card for the source nic, with the driver loaded: one that is not used,
 * until the end of the program. @bound_too: also one that its driver has for an interface,
 * if that is down; the interface may be what somebody comes back to
 */
bool driver_take_card(bool bound_too, struct obstacle *obstacle);

/* nic.sh as a word of a command, in quotes. Returns false when it is not installed. */
bool nic_sh_find(char *word, size_t size);

/* The same of a file that is installed beside the program. */
bool beside_program(const char *name, char *word, size_t size);

#endif

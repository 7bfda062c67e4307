/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of the fuzzer. Each is made with random arguments, its result is
 * compared with what the model allows, and the model learns from it. They
 * return false when something was wrong.
 */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "fuzz.h"

/* One of all, chosen by chance. */
bool fuzz_any_call(struct fuzz *fuzz);

/* Must be called first: signals interrupt calls that wait. */
bool fuzz_take_alarms(void);

/* Closes all copies of the file. */
bool fuzz_close_all(struct fuzz *fuzz);

/* Files: open, close, and what the device cannot do. */
bool call_open(struct fuzz *fuzz);
bool call_open_unprivileged(struct fuzz *fuzz);
bool call_open_direct(struct fuzz *fuzz);
bool call_dup(struct fuzz *fuzz);
bool call_close(struct fuzz *fuzz);
bool call_child(struct fuzz *fuzz);
bool call_nonblock(struct fuzz *fuzz);
bool call_unsupported(struct fuzz *fuzz);

/* Commands */
bool call_config(struct fuzz *fuzz);
bool call_config_wrong(struct fuzz *fuzz);
bool call_config_absent(struct fuzz *fuzz);
bool call_config_pointer(struct fuzz *fuzz);
bool call_start(struct fuzz *fuzz);
bool call_stop(struct fuzz *fuzz);
bool call_counts(struct fuzz *fuzz);
bool call_counts_pointer(struct fuzz *fuzz);
bool call_state(struct fuzz *fuzz);
bool call_state_wrong(struct fuzz *fuzz);
bool call_state_pointer(struct fuzz *fuzz);
bool call_unknown_command(struct fuzz *fuzz);

/* Reading */
bool call_read(struct fuzz *fuzz);
bool call_read_waiting(struct fuzz *fuzz);
bool call_read_signalled(struct fuzz *fuzz);
bool call_read_short(struct fuzz *fuzz);
bool call_read_partial(struct fuzz *fuzz);
bool call_read_pointer(struct fuzz *fuzz);
bool call_poll(struct fuzz *fuzz);
bool call_poll_filling(struct fuzz *fuzz);

/* The rest of the machine */
bool call_sleep(struct fuzz *fuzz);
bool call_look(struct fuzz *fuzz);
bool call_enter(struct fuzz *fuzz);
bool call_toggle(struct fuzz *fuzz);

#endif

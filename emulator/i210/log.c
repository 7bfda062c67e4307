/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: the log of its events, one line each, complete when
 * the emulator is killed.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "i210.h"

bool i210_log_init(I210State *s, Error **errp)
{
    if (!s->log_path) {
        return true;
    }
    s->log = fopen(s->log_path, "w");
    if (!s->log) {
        error_setg_file_open(errp, errno, s->log_path);
        return false;
    }
    setvbuf(s->log, NULL, _IOLBF, BUFSIZ);
    fputs("virtual_ns,event,clock_ns,detail\n", s->log);
    return true;
}

void i210_log_at(I210State *s, int64_t when, const char *event,
                 uint64_t clock_ns, const char *detail, ...)
{
    va_list args;

    if (!s->log) {
        return;
    }
    fprintf(s->log, "%" PRId64 ",%s,%" PRIu64 ",", when, event, clock_ns);
    va_start(args, detail);
    vfprintf(s->log, detail, args);
    va_end(args);
    fputc('\n', s->log);
}

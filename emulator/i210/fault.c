/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: faults on demand. Each of them counts its own kind
 * of occasion, and happens on every fault_every-th.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "i210.h"

static const char *const fault_names[] = {
    [I210_FAULT_NONE] = "none",
    [I210_FAULT_NEVER] = "never",
    [I210_FAULT_TWICE] = "twice",
    [I210_FAULT_EARLY] = "early",
    [I210_FAULT_WRONG_CAUSE] = "wrong-cause",
    [I210_FAULT_ALL_ONES] = "all-ones",
    [I210_FAULT_NO_RESET] = "no-reset",
    [I210_FAULT_NO_AUTO_READ] = "no-auto-read",
    [I210_FAULT_NO_MASTER_DISABLE] = "no-master-disable",
    [I210_FAULT_THROTTLE] = "throttle",
    [I210_FAULT_PTM_NEVER] = "ptm-never",
    [I210_FAULT_PTM_WRONG] = "ptm-wrong",
};

bool i210_fault_init(I210State *s, Error **errp)
{
    if (!s->fault_every) {
        error_setg(errp, "fault-every must not be 0");
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(fault_names); i++) {
        if (!s->fault_name || !strcmp(s->fault_name, fault_names[i])) {
            s->fault = i;
            return true;
        }
    }
    error_setg(errp, "fault=%s is not known", s->fault_name);
    return false;
}

/* There is an occasion for a fault: does it happen? */
bool i210_fault_hits(I210State *s, I210Fault fault, const char *detail)
{
    if (s->fault != fault || ++s->fault_count % s->fault_every) {
        return false;
    }
    i210_log(s, "fault", i210_clock_ns(s), "%s %s", fault_names[fault], detail);
    return true;
}

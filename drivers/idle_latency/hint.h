/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_HINT_H
#define _IDLE_LATENCY_HINT_H

#include <linux/types.h>

u32 idle_latency_core_counter(u32 hint, u32 present);
u32 idle_latency_package_counter(u32 hint, u32 present);
int idle_latency_acpi_hint(const char *desc);
u32 idle_latency_prewake_flags(int hint, bool can_prewake, bool prevented);

#endif /* _IDLE_LATENCY_HINT_H */

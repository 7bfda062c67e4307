/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpuid() of kernels that have no header of its own for it. Those that have one do not find
 * this: their folders are searched first.
 */
#include <asm/processor.h>

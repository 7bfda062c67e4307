/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that a seed repeats, for the fuzzer. */
#ifndef DICE_H
#define DICE_H

#include <stdbool.h>

#include <linux/types.h>

struct dice {
	__u64 state;
};

__u64 dice_word(struct dice *dice);

/* From 0 to sides - 1. */
__u64 dice_below(struct dice *dice, __u64 sides);

/* From low to high, each order of magnitude as probable as the others. */
__u64 dice_scale(struct dice *dice, __u64 low, __u64 high);

/* True once in @times. */
bool dice_once_in(struct dice *dice, __u64 times);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "dice.h"

/* The generator splitmix64, by Steele, Lea and Flood. */
__u64 dice_word(struct dice *dice)
{
	__u64 word = dice->state += 0x9e3779b97f4a7c15;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
	word = (word ^ word >> 27) * 0x94d049bb133111eb;
	return word ^ word >> 31;
}

__u64 dice_below(struct dice *dice, __u64 sides)
{
	return dice_word(dice) % sides;
}

__u64 dice_scale(struct dice *dice, __u64 low, __u64 high)
{
	unsigned int doublings = 0;
	__u64 top;

	while (low << doublings < high)
		doublings++;
	top = low << dice_below(dice, doublings + 1);
	if (top > high)
		top = high;
	return low + dice_below(dice, top - low + 1);
}

bool dice_once_in(struct dice *dice, __u64 times)
{
	return !dice_below(dice, times);
}

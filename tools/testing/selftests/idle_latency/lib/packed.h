/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in less memory, one after the other: what of a record is not that of the one before.
 * The records of a row on hundreds of CPUs have to be kept until the row is over, and a quarter
 * of their size suffices for that.
 */
#ifndef PACKED_H
#define PACKED_H

#include "idle_latency_util.h"

/* What a record takes about: its times, and some counters. */
#define PACKED_BYTES	80

struct packed {
	__u8 *bytes;
	size_t used;
	size_t room;
	struct idle_latency_record last;
};

/* Has room for about so many more records. Returns false without memory. */
bool packed_reserve(struct packed *packed, size_t records);

/* Returns false where there was no memory for it. */
bool packed_add(struct packed *packed, const struct idle_latency_record *record);

void packed_free(struct packed *packed);

/* Reads them again, in their order. */
struct unpacking {
	const struct packed *packed;
	size_t at;
	struct idle_latency_record record;
};

/* Sets the next record. Returns false after the last one. */
bool packed_next(struct unpacking *unpacking);

#endif

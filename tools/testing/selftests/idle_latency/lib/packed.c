// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "packed.h"
#include "statistics.h"

/* A record is fields of 64 bits, and behind them fields of 32 bits. */
#define NARROW_AT	offsetof(struct idle_latency_record, residency_present)
#define WIDE		(NARROW_AT / sizeof(__u64))
#define FIELDS		(WIDE + (sizeof(struct idle_latency_record) - NARROW_AT) / sizeof(__u32))

/* A bit for each field that differs, and its difference in groups of 7 bits. */
#define MAP_BYTES	((FIELDS + 7) / 8)
#define DIGITS		7
#define MORE		0x80
#define MOST_BYTES	(MAP_BYTES + FIELDS * (64 / DIGITS + 1))

static __u64 get_field(const struct idle_latency_record *record, size_t i)
{
	const char *memory = (const char *)record;
	__u64 wide;
	__u32 narrow;

	if (i < WIDE) {
		memcpy(&wide, memory + i * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, memory + NARROW_AT + (i - WIDE) * sizeof(narrow), sizeof(narrow));
	return narrow;
}

static void set_field(struct idle_latency_record *record, size_t i, __u64 wide)
{
	char *memory = (char *)record;
	__u32 narrow = wide;

	if (i < WIDE)
		memcpy(memory + i * sizeof(wide), &wide, sizeof(wide));
	else
		memcpy(memory + NARROW_AT + (i - WIDE) * sizeof(narrow), &narrow, sizeof(narrow));
}

/* Differences of either sign that are small become numbers that are. */
static __u64 fold(__u64 difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static __u64 unfold(__u64 folded)
{
	return folded >> 1 ^ -(folded & 1);
}

static bool make_room(struct packed *packed, size_t more)
{
	const size_t room = larger(packed->used + more, packed->room);
	__u8 *bytes = room == packed->room ? packed->bytes : realloc(packed->bytes, room);

	if (!bytes)
		return false;
	/* Now, lest page faults keep a CPU from being idle later. */
	memset(bytes + packed->room, 0, room - packed->room);
	packed->bytes = bytes;
	packed->room = room;
	return true;
}

bool packed_reserve(struct packed *packed, size_t records)
{
	return make_room(packed, records * PACKED_BYTES);
}

static void add_number(struct packed *packed, __u64 number)
{
	for (; number >= MORE; number >>= DIGITS)
		packed->bytes[packed->used++] = number | MORE;
	packed->bytes[packed->used++] = number;
}

bool packed_add(struct packed *packed, const struct idle_latency_record *record)
{
	size_t map;

	/* By as many as it may take several times, as each time takes a copy. */
	if (packed->room - packed->used < MOST_BYTES &&
	    !make_room(packed, larger(packed->room / 4, MOST_BYTES)))
		return false;
	map = packed->used;
	memset(packed->bytes + map, 0, MAP_BYTES);
	packed->used += MAP_BYTES;
	for (size_t i = 0; i < FIELDS; i++) {
		const __u64 difference = get_field(record, i) - get_field(&packed->last, i);

		if (!difference)
			continue;
		packed->bytes[map + i / 8] |= 1U << i % 8;
		add_number(packed, fold(difference));
	}
	packed->last = *record;
	return true;
}

void packed_free(struct packed *packed)
{
	free(packed->bytes);
	*packed = (struct packed) { };
}

static __u64 take_number(struct unpacking *unpacking)
{
	const __u8 *bytes = unpacking->packed->bytes;
	unsigned int shift = 0;
	__u64 number = 0;

	for (; bytes[unpacking->at] & MORE; shift += DIGITS)
		number |= (__u64)(bytes[unpacking->at++] & (MORE - 1)) << shift;
	return number | (__u64)bytes[unpacking->at++] << shift;
}

bool packed_next(struct unpacking *unpacking)
{
	const __u8 *map = unpacking->packed->bytes + unpacking->at;

	if (unpacking->at == unpacking->packed->used)
		return false;
	unpacking->at += MAP_BYTES;
	for (size_t i = 0; i < FIELDS; i++)
		if (map[i / 8] & 1U << i % 8)
			set_field(&unpacking->record, i,
				  get_field(&unpacking->record, i) +
				  unfold(take_number(unpacking)));
	return true;
}

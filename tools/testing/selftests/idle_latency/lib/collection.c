// SPDX-License-Identifier: GPL-2.0
/* A collection: its memory, packed or not, and how long it is worth to go on with it. */
#include <stdlib.h>

#include "collect.h"

#define ARMED_PER_SAMPLE	10
#define ARMED_AT_LEAST		1000
#define NS_AT_LEAST		10000000000ULL

/* For the records of all rows that are taken at once. */
#define ALL_ROWS_BYTES	(160ULL << 20)

void collect_free(struct collection *collection)
{
	free(collection->samples);
	free(collection->discarded);
	free(collection->steps);
	packed_free(&collection->packed);
}

size_t collect_most(size_t samples)
{
	/* A tenth more is taken during entry, and some do not count. */
	const size_t records = samples + samples / 5 + DISCARDED_PACKED;

	return larger(ALL_ROWS_BYTES / (records * PACKED_BYTES), 1);
}

size_t collect_bytes(size_t rows)
{
	return ALL_ROWS_BYTES / rows;
}

struct idle_latency_record *collect_alloc(size_t count)
{
	return calloc(count + 1, sizeof(struct idle_latency_record));
}

bool collect_unpack(const struct collection *collection, struct collection *copy)
{
	struct unpacking unpacking = { .packed = &collection->packed };
	size_t samples = 0, discarded = 0;

	*copy = *collection;
	if (!collection->packed_bytes)
		return true;
	copy->samples = collect_alloc(collection->count);
	copy->discarded = collect_alloc(collection->discarded_count);
	if (!copy->samples || !copy->discarded) {
		copy->count = 0;
		copy->discarded_count = 0;
		return false;
	}
	while (packed_next(&unpacking))
		if (unpacking.record.reasons)
			copy->discarded[discarded++] = unpacking.record;
		else
			copy->samples[samples++] = unpacking.record;
	return true;
}

void collect_free_copy(struct collection *copy)
{
	if (!copy->packed_bytes)
		return;
	free(copy->samples);
	free(copy->discarded);
}

struct patience collect_patience(const struct collection *collection, size_t wanted,
				 __u64 ldist_to_ns)
{
	return (struct patience) {
		.armed = collection->counts.armed + ARMED_AT_LEAST +
			 ARMED_PER_SAMPLE * wanted,
		.until_ns = now_ns() + NS_AT_LEAST +
			    ARMED_PER_SAMPLE * wanted * ldist_to_ns,
	};
}

bool collect_gives_up(const struct collection *collection, const struct patience *patience)
{
	return collection->counts.armed > patience->armed || now_ns() > patience->until_ns;
}

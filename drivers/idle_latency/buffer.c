// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffer of a session, from which its reader takes records. Its memory is that of the reader,
 * and is near the CPU that writes to it.
 */
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "session.h"

/* To configure a session fails without memory, which needs no warning in the log. */
#define FLAGS	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN)

/*
 * No vmalloc function that modules may call both takes a node and charges the memory cgroup, so
 * allocate pages and map them.
 */
static void *alloc_buffer(size_t size, int node)
{
	const unsigned int count = DIV_ROUND_UP(size, PAGE_SIZE);
	struct page **pages = kvmalloc_array(count, sizeof(*pages), FLAGS);
	unsigned int got;
	void *buffer;

	if (!pages)
		return NULL;

	for (got = 0; got < count; got++) {
		pages[got] = alloc_pages_node(node, FLAGS, 0);
		if (!pages[got])
			goto free;
	}

	/* vfree() frees the pages and the array then. */
	buffer = vmap(pages, count, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (buffer)
		return buffer;

free:
	while (got)
		__free_page(pages[--got]);
	kvfree(pages);
	return NULL;
}

/**
 * idle_latency_make_room() - have a buffer for as many records as are asked for
 * @session: the session, which does not run
 * @config: says how many, and for which CPU
 *
 * Records that were not read are dropped with a buffer of another size.
 *
 * Context: process context. May sleep.
 * Return: 0, or -ENOMEM, where the buffer is as it was.
 */
int idle_latency_make_room(struct idle_latency_session *session,
			   const struct idle_latency_config *config)
{
	const u32 wanted = config->buffer_records ?: IDLE_LATENCY_BUFFER_RECORDS;
	const unsigned int records = roundup_pow_of_two(wanted);
	const size_t size = records * sizeof(struct idle_latency_record);
	void *buffer;

	lockdep_assert_held(&session->lock);

	if (session->records.kfifo.data && kfifo_size(&session->records) == records)
		return 0;

	buffer = alloc_buffer(size, cpu_to_node(config->cpu));
	if (!buffer)
		return -ENOMEM;

	guard(mutex)(&session->read_lock);
	idle_latency_free_buffer(session);
	kfifo_init(&session->records, buffer, size);
	session->wake_at = records / 2;
	return 0;
}

/**
 * idle_latency_free_buffer() - free the buffer of a session
 * @session: the session, of which nobody reads
 *
 * Context: process context. May sleep.
 */
void idle_latency_free_buffer(struct idle_latency_session *session)
{
	vfree(session->records.kfifo.data);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM idle_latency

#if !defined(_TRACE_IDLE_LATENCY_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IDLE_LATENCY_H

#include <linux/tracepoint.h>
#include <uapi/linux/idle_latency.h>

TRACE_DEFINE_ENUM(IDLE_LATENCY_SOURCE_HRT);
TRACE_DEFINE_ENUM(IDLE_LATENCY_SOURCE_TDT);
TRACE_DEFINE_ENUM(IDLE_LATENCY_SOURCE_NIC);
TRACE_DEFINE_ENUM(IDLE_LATENCY_SOURCE_WRITE);
TRACE_DEFINE_ENUM(IDLE_LATENCY_SOURCE_IPI);

/*
 * What a record that is delivered to the reader says of its event. Names and units are those
 * of struct idle_latency_record; bits of reasons are those of enum idle_latency_discard.
 */
TRACE_EVENT(idle_latency_record,
	    TP_PROTO(const struct idle_latency_record *record),

	    TP_ARGS(record),

	    TP_STRUCT__entry(__field(u64, seq)
			     __field(u64, ldist_ns)
			     __field(u64, silent_ns)
			     __field(u64, wake_ns)
			     __field(u64, intr_ns)
			     __field(u64, error_ns)
			     __field(u32, flags)
			     __field(u32, cpu)
			     __field(u32, state)
			     __field(u32, source)
			     __field(u32, reasons)),

	    TP_fast_assign(__entry->seq = record->seq;
			   __entry->ldist_ns = record->ldist_ns;
			   __entry->silent_ns = record->silent_ns;
			   __entry->wake_ns = record->wake_ns;
			   __entry->intr_ns = record->intr_ns;
			   __entry->error_ns = record->error_ns;
			   __entry->flags = record->flags;
			   __entry->cpu = record->cpu;
			   __entry->state = record->state;
			   __entry->source = record->source;
			   __entry->reasons = record->reasons;),

	    TP_printk("cpu=%u state=%u source=%s seq=%llu ldist_ns=%llu silent_ns=%llu wake_ns=%llu intr_ns=%llu error_ns=%llu flags=%s reasons=0x%x",
		      __entry->cpu, __entry->state,
		      __print_symbolic(__entry->source,
				       { IDLE_LATENCY_SOURCE_HRT, "hrt" },
				       { IDLE_LATENCY_SOURCE_TDT, "tdt" },
				       { IDLE_LATENCY_SOURCE_NIC, "nic" },
				       { IDLE_LATENCY_SOURCE_WRITE, "write" },
				       { IDLE_LATENCY_SOURCE_IPI, "ipi" }),
		      __entry->seq, __entry->ldist_ns, __entry->silent_ns,
		      __entry->wake_ns, __entry->intr_ns, __entry->error_ns,
		      __print_flags(__entry->flags, "|",
				    { IDLE_LATENCY_RECORD_WAKE, "wake" },
				    { IDLE_LATENCY_RECORD_FORCED, "forced" },
				    { IDLE_LATENCY_RECORD_COUNTED, "counted" },
				    { IDLE_LATENCY_RECORD_REACHED, "reached" },
				    { IDLE_LATENCY_RECORD_PACKAGE, "package" },
				    { IDLE_LATENCY_RECORD_PENDING, "pending" },
				    { IDLE_LATENCY_RECORD_DEADLINE, "deadline" },
				    { IDLE_LATENCY_RECORD_MODULE, "module" }),
		      __entry->reasons)
);

#endif /* _TRACE_IDLE_LATENCY_H */

#include <trace/define_trace.h>

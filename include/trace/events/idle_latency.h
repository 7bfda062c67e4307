/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM idle_latency

#if !defined(_TRACE_IDLE_LATENCY_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IDLE_LATENCY_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include <uapi/linux/idle_latency.h>

/*
 * A record as it is delivered to the reader. Names and units are those of
 * struct idle_latency_record; bits of reasons are those of
 * enum idle_latency_discard.
 */
TRACE_EVENT(idle_latency_record,
	    TP_PROTO(const struct idle_latency_record *record),

	    TP_ARGS(record),

	    TP_STRUCT__entry(__field(u64, seq)
			     __field(u64, event)
			     __field(u64, ldist_ns)
			     __field(u64, ltime_ns)
			     __field(u64, silent_ns)
			     __field(u64, wake_ns)
			     __field(u64, intr_ns)
			     __field(u64, error_ns)
			     __field(u64, tbi_tsc)
			     __field(u64, tai_tsc)
			     __field(u64, tintr_tsc)
			     __field(u64, interval_cyc)
			     __array(u64, residency_cyc, IDLE_LATENCY_RESIDENCY_SLOTS)
			     __field(u64, aperf_cyc)
			     __field(u64, mperf_cyc)
			     __field(u32, residency_present)
			     __field(u32, residency_invalid)
			     __field(u32, flags)
			     __field(u32, cpu)
			     __field(u32, state)
			     __field(u32, source)
			     __field(u32, stamp)
			     __field(u32, idle_periods)
			     __field(u32, warmup_ns)
			     __field(u32, latch_ns)
			     __field(s32, deadline_ns)
			     __field(u32, reasons)),

	    TP_fast_assign(__entry->seq = record->seq;
			   __entry->event = record->event;
			   __entry->ldist_ns = record->ldist_ns;
			   __entry->ltime_ns = record->ltime_ns;
			   __entry->silent_ns = record->silent_ns;
			   __entry->wake_ns = record->wake_ns;
			   __entry->intr_ns = record->intr_ns;
			   __entry->error_ns = record->error_ns;
			   __entry->tbi_tsc = record->tbi_tsc;
			   __entry->tai_tsc = record->tai_tsc;
			   __entry->tintr_tsc = record->tintr_tsc;
			   __entry->interval_cyc = record->interval_cyc;
			   memcpy(__entry->residency_cyc, record->residency_cyc,
				  sizeof(__entry->residency_cyc));
			   __entry->aperf_cyc = record->aperf_cyc;
			   __entry->mperf_cyc = record->mperf_cyc;
			   __entry->residency_present = record->residency_present;
			   __entry->residency_invalid = record->residency_invalid;
			   __entry->flags = record->flags;
			   __entry->cpu = record->cpu;
			   __entry->state = record->state;
			   __entry->source = record->source;
			   __entry->stamp = record->stamp;
			   __entry->idle_periods = record->idle_periods;
			   __entry->warmup_ns = record->warmup_ns;
			   __entry->latch_ns = record->latch_ns;
			   __entry->deadline_ns = record->deadline_ns;
			   __entry->reasons = record->reasons;),

	    TP_printk("cpu=%u state=%u source=%s stamp=%s seq=%llu event=%llu ldist_ns=%llu ltime_ns=%llu silent_ns=%llu wake_ns=%llu intr_ns=%llu error_ns=%llu flags=%s reasons=0x%x idle_periods=%u warmup_ns=%u latch_ns=%u deadline_ns=%d tbi_tsc=%llu tai_tsc=%llu tintr_tsc=%llu interval_cyc=%llu residency_cyc=%s residency_present=0x%x residency_invalid=0x%x aperf_cyc=%llu mperf_cyc=%llu",
		      __entry->cpu, __entry->state,
		      __print_symbolic(__entry->source,
				       { IDLE_LATENCY_SOURCE_HRT, "hrt" },
				       { IDLE_LATENCY_SOURCE_TDT, "tdt" },
				       { IDLE_LATENCY_SOURCE_NIC, "nic" }),
		      __print_symbolic(__entry->stamp,
				       { IDLE_LATENCY_STAMP_PROBE, "probe" },
				       { IDLE_LATENCY_STAMP_ENTER, "enter" }),
		      __entry->seq, __entry->event, __entry->ldist_ns,
		      __entry->ltime_ns, __entry->silent_ns, __entry->wake_ns,
		      __entry->intr_ns, __entry->error_ns,
		      __print_flags(__entry->flags, "|",
				    { IDLE_LATENCY_RECORD_WAKE, "wake" },
				    { IDLE_LATENCY_RECORD_FORCED, "forced" },
				    { IDLE_LATENCY_RECORD_COUNTED, "counted" },
				    { IDLE_LATENCY_RECORD_REACHED, "reached" },
				    { IDLE_LATENCY_RECORD_PACKAGE, "package" },
				    { IDLE_LATENCY_RECORD_PENDING, "pending" },
				    { IDLE_LATENCY_RECORD_DEADLINE, "deadline" }),
		      __entry->reasons, __entry->idle_periods,
		      __entry->warmup_ns, __entry->latch_ns, __entry->deadline_ns,
		      __entry->tbi_tsc, __entry->tai_tsc, __entry->tintr_tsc,
		      __entry->interval_cyc,
		      __print_array(__entry->residency_cyc, IDLE_LATENCY_RESIDENCY_SLOTS,
				    sizeof(u64)),
		      __entry->residency_present, __entry->residency_invalid,
		      __entry->aperf_cyc, __entry->mperf_cyc)
);

#endif /* _TRACE_IDLE_LATENCY_H */

#include <trace/define_trace.h>

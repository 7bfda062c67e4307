/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Interface of /dev/idle_latency, which measures how long a CPU needs to come back from idle.
 *
 * One open file is one measuring session. Any number of them can be open; each of those that
 * run measures a CPU of its own, and they do not disturb each other. A session is configured,
 * started, read until it ends, and leaves nothing behind when the file is closed.
 *
 * An event fires at LTime. The CPU is stamped before idle (TBI), after it (TAI) and in the handler
 * of the event (TIntr), see Documentation/admin-guide/pm/idle-latency-measurement.rst.
 *
 * open(2) fails with
 *
 * * EPERM: the caller lacks CAP_SYS_ADMIN.
 * * ENOMEM: out of memory.
 *
 * A command that is not listed below, or has another size, fails with ENOTTY;
 * one whose argument cannot be read or written fails with EFAULT.
 */
#ifndef _UAPI_LINUX_IDLE_LATENCY_H
#define _UAPI_LINUX_IDLE_LATENCY_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * Bounds of the launch distance in ns. An event further ahead than the upper
 * one says nothing more about an idle state, and would make stopping slow.
 */
#define IDLE_LATENCY_LDIST_MIN_NS	1
#define IDLE_LATENCY_LDIST_MAX_NS	50000000

/* The lower bound of nic in ns: less has passed when the card knows of it. */
#define IDLE_LATENCY_LDIST_MIN_NIC_NS	1000

/* Room for reasons to discard in struct idle_latency_counts, most unused. */
#define IDLE_LATENCY_DISCARD_SLOTS	32

/**
 * enum idle_latency_source - what wakes the measured CPU
 * @IDLE_LATENCY_SOURCE_HRT: a high-resolution timer; the clock of the source
 *	is CLOCK_MONOTONIC
 * @IDLE_LATENCY_SOURCE_TDT: the TSC-deadline timer of the local APIC; the
 *	clock of the source is the TSC, counted in ns since it was zero
 * @IDLE_LATENCY_SOURCE_NIC: the clock of an Intel I210, I211, I225 or I226 network card, which
 *	is also the clock of the source
 * @IDLE_LATENCY_SOURCE_WRITE: another CPU that writes to what the measured one watches while it
 *	is idle, as the scheduler does where it wakes a task there; the clock of the source
 *	is the TSC, as for tdt
 * @IDLE_LATENCY_SOURCE_IPI: another CPU that sends the reschedule interrupt; likewise
 */
enum idle_latency_source {
	IDLE_LATENCY_SOURCE_HRT = 1,
	IDLE_LATENCY_SOURCE_TDT = 2,
	IDLE_LATENCY_SOURCE_NIC = 3,
	IDLE_LATENCY_SOURCE_WRITE = 4,
	IDLE_LATENCY_SOURCE_IPI = 5,
};

/**
 * enum idle_latency_stamp - where the CPU reads the TSC before and after idle
 * @IDLE_LATENCY_STAMP_PROBE: in a probe of the cpu_idle tracepoint
 * @IDLE_LATENCY_STAMP_ENTER: directly around the ->enter() callback of the
 *	idle state, where the kernel has CONFIG_CPU_IDLE_STAMPS
 */
enum idle_latency_stamp {
	IDLE_LATENCY_STAMP_PROBE = 1,
	IDLE_LATENCY_STAMP_ENTER = 2,
};

/**
 * enum idle_latency_discard - why an armed event is not believed
 * @IDLE_LATENCY_DISCARD_STOPPED: the session ended with the event in flight
 * @IDLE_LATENCY_DISCARD_SPURIOUS: the source interrupted after the event was armed,
 *	but not for it
 * @IDLE_LATENCY_DISCARD_LATE: the launch time had passed when the event was armed or sent
 * @IDLE_LATENCY_DISCARD_LOST: the event had not fired 100 ms after LTime
 * @IDLE_LATENCY_DISCARD_OTHER_CPU: the event was handled on another CPU
 * @IDLE_LATENCY_DISCARD_NO_IDLE: no idle period began between arming and event
 * @IDLE_LATENCY_DISCARD_OTHER_STATE: another idle state was entered than the
 *	configured one, or its entry was rejected
 * @IDLE_LATENCY_DISCARD_TSC: the kernel has found the TSC to be unstable
 * @IDLE_LATENCY_DISCARD_FOREIGN_TIMER: another timer was to fire first
 * @IDLE_LATENCY_DISCARD_FOREIGN_IRQ: the CPU took another interrupt after the
 *	begin of the last idle period, before the handler or right after it. The timer
 *	of the CPU does not count when it was programmed to fire after LTime
 * @IDLE_LATENCY_DISCARD_NMI: likewise an NMI
 * @IDLE_LATENCY_DISCARD_SMI: likewise an SMI, where the CPU counts them
 * @IDLE_LATENCY_DISCARD_WOKEN: another CPU woke a task on the CPU, without an
 *	interrupt, before the handler ran
 * @IDLE_LATENCY_DISCARD_STAMPS: the stamps contradict each other:
 *	TAI < TBI or TIntr < TBI
 * @IDLE_LATENCY_DISCARD_BEFORE_IDLE: the event may have fired before the CPU
 *	executed the idle instruction, or was no longer armed at TBI
 * @IDLE_LATENCY_DISCARD_AFTER_IDLE: the last idle period had ended when the
 *	event fired: TAI < LTime; or it ended by itself, in a state that polls
 * @IDLE_LATENCY_DISCARD_EARLY_INTR: the handler ran before the event was due:
 *	TIntr < LTime
 *
 * Several can apply to an event. It is counted under one of them, and a record of it has them
 * all. Which one that is, is not part of the interface: today it is the first in this order.
 * More reasons may come; a program that does not know one takes the event for discarded.
 */
enum idle_latency_discard {
	IDLE_LATENCY_DISCARD_STOPPED,
	IDLE_LATENCY_DISCARD_SPURIOUS,
	IDLE_LATENCY_DISCARD_LATE,
	IDLE_LATENCY_DISCARD_LOST,
	IDLE_LATENCY_DISCARD_OTHER_CPU,
	IDLE_LATENCY_DISCARD_NO_IDLE,
	IDLE_LATENCY_DISCARD_OTHER_STATE,
	IDLE_LATENCY_DISCARD_TSC,
	IDLE_LATENCY_DISCARD_FOREIGN_TIMER,
	IDLE_LATENCY_DISCARD_FOREIGN_IRQ,
	IDLE_LATENCY_DISCARD_NMI,
	IDLE_LATENCY_DISCARD_SMI,
	IDLE_LATENCY_DISCARD_WOKEN,
	IDLE_LATENCY_DISCARD_STAMPS,
	IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	IDLE_LATENCY_DISCARD_AFTER_IDLE,
	IDLE_LATENCY_DISCARD_EARLY_INTR,
};

/**
 * define IDLE_LATENCY_CONFIG_PROBE - stamp in the tracepoint probe
 *
 * Without this flag the kernel takes the closest stamps that it has.
 */
#define IDLE_LATENCY_CONFIG_PROBE	_BITULL(0)

/**
 * define IDLE_LATENCY_CONFIG_KEEP - deliver discarded events, too
 *
 * Events that were handled give a record then even when they are not believed;
 * @reasons of struct idle_latency_record tells these from samples.
 */
#define IDLE_LATENCY_CONFIG_KEEP	_BITULL(1)

/*
 * Sizes of struct idle_latency_record in bytes, as record_size of struct idle_latency_config:
 * that of its first version, and the largest that is accepted. A multiple of 8.
 *
 * Fields are only ever appended. A kernel that knows fewer of them than the caller leaves the
 * rest of each record zero; one that knows more leaves out what the caller does not know.
 */
#define IDLE_LATENCY_RECORD_SIZE_VER0	272
#define IDLE_LATENCY_RECORD_SIZE_MAX	4096

/* Bounds of buffer_records of struct idle_latency_config. */
#define IDLE_LATENCY_BUFFER_MIN		256
#define IDLE_LATENCY_BUFFER_MAX		65536

/* How far ahead start_ns of struct idle_latency_config may be, in ns. */
#define IDLE_LATENCY_START_MAX_NS	60000000000ULL

/**
 * struct idle_latency_config - what a session measures
 * @flags: IDLE_LATENCY_CONFIG_* bits
 * @ldist_from_ns: smallest launch distance, in ns of the clock of the source
 * @ldist_to_ns: largest launch distance, likewise; the launch distance of each
 *	event is uniformly random between the two, both included
 * @samples: number of samples after which the session ends, 0 for no end
 * @limit_ns: events that were discarded are counted when their latency was above this
 * @start_ns: no event is armed before this time, in ns of CLOCK_MONOTONIC; 0, or one that has
 *	passed: at once. Until then the state is forced and the session runs, so that sessions
 *	with the same time begin together, if all of them were started before it.
 * @cpu: number of the CPU to measure
 * @state: index of the cpuidle state to measure
 * @source: one of &enum idle_latency_source
 * @entry_ns: what the CPU may need from TBI to the idle instruction, in ns: an event
 *	that fires within this time is discarded, because it may have found the CPU
 *	still awake. Records with %IDLE_LATENCY_RECORD_PENDING tell how long it is.
 * @record_size: size of struct idle_latency_record as the caller knows it, in bytes;
 *	0 for %IDLE_LATENCY_RECORD_SIZE_VER0
 * @buffer_records: room for so many records that were not read, rounded up to a power of two;
 *	0 for 4096. The buffer is kept until the file is closed, or configured with another room.
 * @card: nic: address of the card, domain << 16 | bus << 8 | device << 3 | function; 0 for the
 *	first that no session has. Other sources: 0
 * @waker: write and ipi: number of the CPU that wakes the measured one. Other sources: 0
 */
struct idle_latency_config {
	__aligned_u64 flags;
	__aligned_u64 ldist_from_ns;
	__aligned_u64 ldist_to_ns;
	__aligned_u64 samples;
	__aligned_u64 limit_ns;
	__aligned_u64 start_ns;
	__u32 cpu;
	__u32 state;
	__u32 source;
	__u32 entry_ns;
	__u32 record_size;
	__u32 buffer_records;
	__u32 card;
	__u32 waker;
};

/**
 * define IDLE_LATENCY_RECORD_WAKE - wake_ns and silent_ns are valid
 *
 * Missing in records of states that are entered with interrupts enabled: there
 * the handler runs before the first instruction after idle, and TAI says
 * nothing about the wake-up.
 */
#define IDLE_LATENCY_RECORD_WAKE	_BITUL(0)

/**
 * define IDLE_LATENCY_RECORD_FORCED - cpuidle was told to enter this state only
 *
 * It was so when the last idle period of the event began. Missing where the state is
 * forced by the limit of idle injection, which other things may overrule.
 */
#define IDLE_LATENCY_RECORD_FORCED	_BITUL(1)

/**
 * define IDLE_LATENCY_RECORD_COUNTED - a counter tells whether the state was reached
 */
#define IDLE_LATENCY_RECORD_COUNTED	_BITUL(2)

/**
 * define IDLE_LATENCY_RECORD_REACHED - the CPU was in the state when the event fired
 *
 * That counter covers SilentTime, but for entry_ns of struct idle_latency_config and the
 * declared exit latency, within which the CPU may still have been on its way into the state.
 */
#define IDLE_LATENCY_RECORD_REACHED	_BITUL(3)

/**
 * define IDLE_LATENCY_RECORD_PACKAGE - the package reached what belongs to the state
 *
 * The counter of the package state that @package_counter of struct idle_latency_state
 * names advanced, or that of a deeper one. Counters of the package are read for one
 * event of eight only, because reading them takes the CPU longer than all others.
 */
#define IDLE_LATENCY_RECORD_PACKAGE	_BITUL(4)

/**
 * define IDLE_LATENCY_RECORD_PENDING - the event had fired before TBI
 *
 * The idle instruction does not wait then: TAI - TBI is what the software around it
 * takes. Only in records of events that were discarded, and not in a state that is
 * entered with interrupts enabled, where the handler is part of that.
 */
#define IDLE_LATENCY_RECORD_PENDING	_BITUL(5)

/**
 * define IDLE_LATENCY_RECORD_DEADLINE - the timer was programmed to a time of the TSC
 *
 * hrt and tdt: the event has fired at that time, and the latencies begin there; hrt: by how
 * much it differs from LTime is in @deadline_ns of struct idle_latency_record. Missing where
 * the timer counts down a distance: then error_ns has neither the tick of the timer
 * nor the error of its rate, which grows with the launch distance.
 */
#define IDLE_LATENCY_RECORD_DEADLINE	_BITUL(6)

/**
 * define IDLE_LATENCY_RECORD_MODULE - the module was in C6 when the event fired
 *
 * Its counter covers SilentTime as that of %IDLE_LATENCY_RECORD_REACHED does: all cores that share
 * a second-level cache were idle all the while.
 */
#define IDLE_LATENCY_RECORD_MODULE	_BITUL(7)

/* Room for residency counters in struct idle_latency_record. */
#define IDLE_LATENCY_RESIDENCY_SLOTS	14

/**
 * enum idle_latency_residency_counter - what the CPU counts of its idle states
 * @IDLE_LATENCY_RESIDENCY_CC1: core in C1
 * @IDLE_LATENCY_RESIDENCY_CC3: core in C3
 * @IDLE_LATENCY_RESIDENCY_CC6: core in C6
 * @IDLE_LATENCY_RESIDENCY_CC7: core in C7
 * @IDLE_LATENCY_RESIDENCY_MC6: module in C6
 * @IDLE_LATENCY_RESIDENCY_PC2: package in C2
 * @IDLE_LATENCY_RESIDENCY_PC3: package in C3
 * @IDLE_LATENCY_RESIDENCY_PC6: package in C6
 * @IDLE_LATENCY_RESIDENCY_PC7: package in C7
 * @IDLE_LATENCY_RESIDENCY_PC8: package in C8
 * @IDLE_LATENCY_RESIDENCY_PC9: package in C9
 * @IDLE_LATENCY_RESIDENCY_PC10: package in C10
 * @IDLE_LATENCY_RESIDENCY_C0: CPU executing instructions (MPERF). What is left
 *	of the interval beside this and the core states is C1, where the CPU has
 *	no counter for it.
 */
enum idle_latency_residency_counter {
	IDLE_LATENCY_RESIDENCY_CC1,
	IDLE_LATENCY_RESIDENCY_CC3,
	IDLE_LATENCY_RESIDENCY_CC6,
	IDLE_LATENCY_RESIDENCY_CC7,
	IDLE_LATENCY_RESIDENCY_MC6,
	IDLE_LATENCY_RESIDENCY_PC2,
	IDLE_LATENCY_RESIDENCY_PC3,
	IDLE_LATENCY_RESIDENCY_PC6,
	IDLE_LATENCY_RESIDENCY_PC7,
	IDLE_LATENCY_RESIDENCY_PC8,
	IDLE_LATENCY_RESIDENCY_PC9,
	IDLE_LATENCY_RESIDENCY_PC10,
	IDLE_LATENCY_RESIDENCY_C0,
};

/**
 * struct idle_latency_record - one sample, or one discarded event
 * @seq: number of the record in its session, from 0 and without a gap
 * @event: number of the event in its session, from 0; events without a record
 *	leave gaps
 * @ldist_ns: launch distance, in ns of the clock of the source
 * @ltime_ns: launch time, in ns of the clock of the source; write and ipi: the middle of the time
 *	that the waker needed, which comes later than @ldist_ns says, as it has to wake up
 * @silent_ns: SilentTime = LTime - TBI, in ns of the clock of the source
 * @wake_ns: WakeLatency = TAI - LTime, in ns of the clock of the source; nic, and hrt with
 *	%IDLE_LATENCY_RECORD_DEADLINE: as long as by the TSC
 * @intr_ns: IntrLatency = TIntr - LTime, in ns of the clock of the source.
 *	In a discarded event wake_ns and silent_ns are 0 where LTime was not between
 *	TBI and TAI, and so is intr_ns where TIntr was before LTime
 * @error_ns: bound on the error of wake_ns and intr_ns, either way, in ns; that of
 *	silent_ns is larger by the drift between the clocks over silent_ns
 * @tbi_cyc: TBI, in TSC cycles
 * @tai_cyc: TAI, in TSC cycles
 * @tintr_cyc: TIntr, in TSC cycles
 * @interval_cyc: time between the two readings of the residency counters, one
 *	before TBI and one after TIntr, in TSC cycles
 * @residency_cyc: time in each of &enum idle_latency_residency_counter during
 *	that interval, in TSC cycles; 0 where absent or invalid
 * @aperf_cyc: cycles at the actual frequency since the wake-up; absent where
 *	@mperf_cyc is 0
 * @mperf_cyc: cycles at the rate of the TSC in the same time: the frequency after
 *	the wake-up is that of the TSC times aperf_cyc / mperf_cyc
 * @residency_present: counters that were read around this event, a bit for each of
 *	&enum idle_latency_residency_counter
 * @residency_invalid: counters that advanced by more than the interval, likewise
 * @flags: IDLE_LATENCY_RECORD_* bits
 * @cpu: number of the measured CPU
 * @state: index of the state that cpuidle was asked for; undefined without @idle_periods
 * @source: one of &enum idle_latency_source
 * @stamp: one of &enum idle_latency_stamp, where TBI and TAI were read
 * @idle_periods: number of idle periods that began between arming the event
 *	and handling it; the times above belong to the last of them
 * @warmup_ns: how long the first access to the card took after the event, in ns; nic
 *	only, else 0
 * @latch_ns: nic: how long the access took in which the card latched its time, in ns; write and
 *	ipi: how long it took the waker, in ns; else 0
 * @reasons: 0 for a sample; else why the event is not believed, a bit for each of
 *	&enum idle_latency_discard, and only with %IDLE_LATENCY_CONFIG_KEEP
 * @deadline_ns: hrt with %IDLE_LATENCY_RECORD_DEADLINE: how much later than LTime the timer
 *	was programmed to fire, in ns of CLOCK_MONOTONIC, else 0. The kernel computes the
 *	deadline with a rate that it has rounded
 */
struct idle_latency_record {
	__aligned_u64 seq;
	__aligned_u64 event;
	__aligned_u64 ldist_ns;
	__aligned_u64 ltime_ns;
	__aligned_u64 silent_ns;
	__aligned_u64 wake_ns;
	__aligned_u64 intr_ns;
	__aligned_u64 error_ns;
	__aligned_u64 tbi_cyc;
	__aligned_u64 tai_cyc;
	__aligned_u64 tintr_cyc;
	__aligned_u64 interval_cyc;
	__aligned_u64 residency_cyc[IDLE_LATENCY_RESIDENCY_SLOTS];
	__aligned_u64 aperf_cyc;
	__aligned_u64 mperf_cyc;
	__u32 residency_present;
	__u32 residency_invalid;
	__u32 flags;
	__u32 cpu;
	__u32 state;
	__u32 source;
	__u32 stamp;
	__u32 idle_periods;
	__u32 warmup_ns;
	__u32 latch_ns;
	__u32 reasons;
	__s32 deadline_ns;
};

/**
 * struct idle_latency_counts - what became of the events of a session
 * @armed: events armed since the session was started
 * @delivered: samples put into the buffer, read or not
 * @pending: 1 while an event is in flight, else 0
 * @kept: discarded events put into the buffer, read or not
 * @discarded: events that are no sample, by &enum idle_latency_discard; the rest
 *	is zero
 * @above: how many of them had a latency above limit_ns of struct
 *	idle_latency_config, as far as their error_ns lets that be known. The latency is
 *	that of a sample: the WakeLatency, or the IntrLatency in a state that is entered
 *	with interrupts enabled; of an event that fired before TBI + entry_ns, only the
 *	part after that. An event that was lost is above every limit
 * @largest_ns: the largest of these latencies, above the limit or not; of a lost event
 *	the time after LTime for which it was waited
 * @advanced_cyc: by how much the counter of the state advanced around events that had
 *	one idle period, in TSC cycles
 * @between_cyc: by how much it advanced between two of them that followed each other
 *	without a wait for the reader, in TSC cycles. A CPU that updates the counter late
 *	adds to this what belongs to the event before.
 *
 * At every moment armed = delivered + pending + sum of discarded, and kept is not
 * more than that sum.
 */
struct idle_latency_counts {
	__aligned_u64 armed;
	__aligned_u64 delivered;
	__aligned_u64 pending;
	__aligned_u64 kept;
	__aligned_u64 discarded[IDLE_LATENCY_DISCARD_SLOTS];
	__aligned_u64 above[IDLE_LATENCY_DISCARD_SLOTS];
	__aligned_u64 largest_ns[IDLE_LATENCY_DISCARD_SLOTS];
	__aligned_u64 advanced_cyc;
	__aligned_u64 between_cyc;
};

/* The state polls: it is left when a task is to run, not because of an interrupt. */
#define IDLE_LATENCY_STATE_POLLS	_BITUL(0)

/* The timer of the CPU stops in this state, and another device wakes the CPU. */
#define IDLE_LATENCY_STATE_TIMER_STOP	_BITUL(1)

/*
 * The exit latency includes that of the package. intel_idle declares the worst case,
 * that of package C6, for C6 and deeper, unless it has changed the table because the
 * firmware switched package C6 off, or the table has a state of its own for it.
 */
#define IDLE_LATENCY_STATE_PACKAGE	_BITUL(2)

/* The CPU may wake up ahead of its timers (MSR_POWER_CTL bit 30 is clear). */
#define IDLE_LATENCY_STATE_PREWAKE	_BITUL(3)

/* The CPU may enter a shallower state (MSR_PKG_CST_CONFIG_CONTROL bits 25 and 26). */
#define IDLE_LATENCY_STATE_DEMOTION	_BITUL(4)

/* The CPU enters C1E where C1 is asked for (MSR_POWER_CTL bit 1). */
#define IDLE_LATENCY_STATE_C1E		_BITUL(5)

/* The firmware keeps the package out of C6 (MSR_PKG_CST_CONFIG_CONTROL bits 2 to 0). */
#define IDLE_LATENCY_STATE_NO_PC6	_BITUL(6)

/* A hypervisor runs the CPU, which decides what its idle states do. */
#define IDLE_LATENCY_STATE_VIRTUAL	_BITUL(7)

/*
 * The CPU does not wake up ahead of its timers: MSR_POWER_CTL bit 30 is set, on a model of
 * which that is known; or the state is C1 or C1E, in which nothing is switched off; or it is
 * one of idle_latency_sim. Where IDLE_LATENCY_STATE_PREWAKE is clear, too, nobody knows.
 */
#define IDLE_LATENCY_STATE_NO_PREWAKE	_BITUL(8)

/*
 * The exit latency includes that of the module, the cores that share a second-level cache, and
 * the CPU has a counter for module C6: C6S and C6SP of intel_idle have that cache flushed. Set as
 * well for C6 and deeper where nobody knows.
 */
#define IDLE_LATENCY_STATE_MODULE	_BITUL(9)

/* In the state the CPU watches memory: it polls, or waits in MWAIT. Others wake it by a write. */
#define IDLE_LATENCY_STATE_WATCHES	_BITUL(10)

/* In core_counter and package_counter: there is none. */
#define IDLE_LATENCY_RESIDENCY_NONE	0xffffffffU

/**
 * struct idle_latency_state - what the kernel and the CPU say about an idle state
 * @cpu: number of the CPU; set by the caller
 * @state: index of the cpuidle state; set by the caller
 * @exit_latency_ns: exit latency that the cpuidle driver declares, in ns
 * @target_residency_ns: target residency that it declares, in ns
 * @flags: IDLE_LATENCY_STATE_* bits; those of the hardware are clear where this
 *	driver does not know the model of the CPU
 * @core_counter: the counter that advances when the core is in this state, one of
 *	&enum idle_latency_residency_counter, or %IDLE_LATENCY_RESIDENCY_NONE
 * @package_counter: likewise for the package state that belongs to it
 * @padding: must be zero, and is
 */
struct idle_latency_state {
	__u32 cpu;
	__u32 state;
	__aligned_u64 exit_latency_ns;
	__aligned_u64 target_residency_ns;
	__u32 flags;
	__u32 core_counter;
	__u32 package_counter;
	__u32 padding[3];
};

#define IDLE_LATENCY_IOC_MAGIC	0xBB

/**
 * define IDLE_LATENCY_IOC_CONFIG - say what the next session measures
 *
 * Drops records that were not read; there is nothing to read until the session
 * is started. When it fails, nothing changes. Fails with
 *
 * * EBUSY: the session is running.
 * * EINVAL: an unknown flag or source, ldist_from_ns > ldist_to_ns, entry_ns >
 *   IDLE_LATENCY_LDIST_MAX_NS, a record_size that is neither 0 nor as said above, a card for a
 *   source other than nic, a waker for one other than write and ipi, or the measured CPU as waker.
 * * ERANGE: a launch distance outside of IDLE_LATENCY_LDIST_MIN_NS and
 *   IDLE_LATENCY_LDIST_MAX_NS; for nic also one below
 *   IDLE_LATENCY_LDIST_MIN_NIC_NS. A start_ns that is more than
 *   IDLE_LATENCY_START_MAX_NS ahead. A buffer_records that is neither 0 nor between
 *   IDLE_LATENCY_BUFFER_MIN and IDLE_LATENCY_BUFFER_MAX.
 * * ENXIO: the CPU or the waker does not exist or is offline.
 * * ENODEV: no cpuidle driver serves the CPU; or no such card is bound to the driver
 *   idle_latency.
 * * ENOMEM: no memory for the buffer.
 * * ENOENT: the state does not exist on the CPU, or its driver marked it as
 *   unusable.
 * * EOPNOTSUPP: the source cannot work here. hrt needs high-resolution timers,
 *   tdt needs the TSC-deadline timer to be what fires them, both need a state in
 *   which the timer of the CPU goes on, nic needs a card that is bound to the driver
 *   idle_latency, write needs a state in which the CPU watches memory, ipi needs the
 *   tracepoint reschedule_entry, and all need a TSC that the kernel trusts.
 */
#define IDLE_LATENCY_IOC_CONFIG \
	_IOW(IDLE_LATENCY_IOC_MAGIC, 1, struct idle_latency_config)

/**
 * define IDLE_LATENCY_IOC_START - force the idle state and begin to measure
 *
 * The counts and the sequence numbers begin at zero, and records that were not
 * read are dropped. Fails with
 *
 * * EBUSY: the session is running; or another one measures the CPU, somebody else forces a
 *   state of it or injects idle on it; or another session has the card of nic; or the
 *   machine is about to be suspended.
 * * EINVAL: the session was never configured.
 * * ENXIO, ENODEV, ENOENT, EOPNOTSUPP: as for IDLE_LATENCY_IOC_CONFIG, where
 *   the machine has changed since. ENOENT also when what is declared for the state is
 *   not what it was, EOPNOTSUPP also when nobody can force it, because CPUs enter it
 *   together only; or because only the limit of idle injection can, and user space has
 *   disabled the state, or one before it has the same exit latency.
 * * ENOMEM: out of memory.
 * * ENOSPC: the card of nic got no interrupt on the CPU.
 * * EXDEV: the TSCs of the CPU and the waker cannot be told to agree within 1 us.
 * * ETIMEDOUT: one of the two did not answer the other one within 10 ms.
 * * ENODEV, ETIMEDOUT: the card of nic does not answer; or it needed a reset, and does
 *   not come out of it, or its clock has a wrong rate afterwards.
 */
#define IDLE_LATENCY_IOC_START	_IO(IDLE_LATENCY_IOC_MAGIC, 2)

/**
 * define IDLE_LATENCY_IOC_STOP - end the session
 *
 * When it returns, no event is armed and the machine is as it was before
 * IDLE_LATENCY_IOC_START. Records that were not read can still be read. Fails
 * with
 *
 * * EINVAL: the session is not running.
 */
#define IDLE_LATENCY_IOC_STOP	_IO(IDLE_LATENCY_IOC_MAGIC, 3)

/**
 * define IDLE_LATENCY_IOC_COUNTS - what became of the events so far
 *
 * Allowed at any time, also after the end of the session.
 */
#define IDLE_LATENCY_IOC_COUNTS \
	_IOR(IDLE_LATENCY_IOC_MAGIC, 4, struct idle_latency_counts)

/**
 * define IDLE_LATENCY_IOC_STATE - what is known of an idle state
 *
 * Allowed at any time. Fails with
 *
 * * EINVAL: padding that is not zero.
 * * ENXIO, ENODEV, ENOENT: as for IDLE_LATENCY_IOC_CONFIG.
 */
#define IDLE_LATENCY_IOC_STATE \
	_IOWR(IDLE_LATENCY_IOC_MAGIC, 5, struct idle_latency_state)

/*
 * read(2) returns whole records, and 0 after the last one of a session that
 * has ended. Without O_NONBLOCK it waits until as many as asked for are there,
 * or half of the buffer is filled, or the session ends, so that the reader
 * does not disturb the measured CPU after each event; poll(2) reports EPOLLIN
 * in the last two cases, and EPOLLHUP when the session has ended. When the
 * buffer is full, no event is armed until there is room; after a second the state is
 * not forced any more, until there is. It fails with
 *
 * * EINVAL: the buffer is smaller than one record, or the session was never
 *   started.
 * * EAGAIN: O_NONBLOCK is set and no record is there.
 * * EINTR: a signal came while no record was there.
 * * ENXIO: after the last record, the measured CPU or the waker went offline.
 * * ECANCELED: after the last record, the machine was suspended.
 * * ENODEV: after the last record, the card of nic went away, or was reset; or the
 *   state was not forced any more, because the cpuidle driver or the governor changed, or,
 *   where only the limit of idle injection forces it, because idle was injected on the CPU or
 *   user space disabled the state.
 * * EBUSY, EOPNOTSUPP: after the last record, somebody else forced a state of the CPU while
 *   the buffer was full; or nobody could force it any more, as for IDLE_LATENCY_IOC_START.
 * * ENOENT: after the last record, while the buffer was full, the state became unusable or
 *   what is declared for it changed.
 */

#endif /* _UAPI_LINUX_IDLE_LATENCY_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clock for each CPU, where instructions are counted and all CPUs share a thread.
 *
 * Upstream, the time of all CPUs is one: it passes while one of them runs, and so a
 * CPU that an event wakes is late by what the others do until it has its turn. Here
 * each CPU has a clock of its own, local_ns, as if CPUs ran side by side. The one
 * whose clock is least runs next, and the clock of the emulator is its clock then.
 * Timers run when no CPU that has work is behind them, and read exactly the time
 * that they were set to. A CPU that an event wakes goes on at the time of the event.
 *
 * A CPU may be ahead of another one by LEAD_NS and an instruction, because taking
 * turns after each instruction would cost too much. What has a place in time waits,
 * however, until no other CPU is behind (local_time_wait_turn()): reading the TSC
 * and other clocks, giving orders to devices and the local APIC, going idle, writing
 * to what a sleeping CPU watches. So clocks never run backwards from one CPU to the
 * next, and an interrupt or a write by which one CPU wakes another comes no earlier
 * than it was sent. Only what one CPU writes to other memory another one can see up
 * to LEAD_NS too early or too late, or PAUSE_LEAD_NS where it executes PAUSE while it
 * waits for that.
 *
 * What happens depends on nothing but the guest: when the host ends a turn, to have
 * its timers looked at for example, the same CPU goes on with the rest of it.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "sysemu/block-backend.h"
#include "sysemu/cpus.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/local-time.h"
#include "exec/exec-all.h"
#include "exec/gdbstub.h"
#include "hw/core/tcg-cpu-ops.h"

#include "internal.h"
#include "tcg-accel-ops.h"
#include "tcg-accel-ops-icount.h"

/*
 * 1000 instructions: enough for changing the CPU to cost little, and more than are
 * ever translated at once, so that each turn gets somewhere.
 */
#define LEAD_NS 2000

/* Some rounds of a loop, where changing the CPU after each would be most of the work. */
#define PAUSE_LEAD_NS 100

/*
 * While all CPUs are idle and a disk works on a request, time leaps by at most this, about as long
 * as a disk made of flash takes for one. The guest has idle CPUs meanwhile, and however slow the
 * host is, no timeout of a driver expires.
 */
#define DISK_NS 200000

#define NEVER   INT64_MAX

/* Everything that is due before it has been done. */
static int64_t done_until;

/* The CPU that runs until turn_end, or NULL. */
static CPUState *turn;
static int64_t turn_end;

/* Until then, PAUSE does nothing. */
static int64_t pause_until;
static bool ends_anywhere;

static bool waits_for_main_loop;
static bool main_loop_looked;

/* How often time leapt since the main loop last looked at what the host has. */
static unsigned int leaps;

/*
 * After so many, time waits until it has looked. That the main loop may take the lock while a CPU
 * runs is not enough: its thread may come too late each time.
 */
#define LEAPS_MAX 100

bool local_time_end_turn(void)
{
    if (ends_anywhere) {
        turn = NULL;
    }
    return ends_anywhere;
}

/* Another thread wants something of the CPU. Its kick comes after the order. */
static bool has_orders(CPUState *cpu)
{
    return cpu->stop || !QSIMPLEQ_EMPTY_ATOMIC(&cpu->work_list);
}

static bool is_awake(CPUState *cpu)
{
    return cpu_can_run(cpu) && (!cpu->halted || cpu_has_work(cpu));
}

/* As !cpu_thread_is_idle(), which takes a lock. */
static bool has_work(CPUState *cpu)
{
    return is_awake(cpu) || (cpu_can_run(cpu) && has_orders(cpu));
}

void local_time_wait_turn(CPUState *cpu, uintptr_t pc)
{
    CPUState *other;
    int64_t begin;

    if (!local_time_enabled() || !CPU_NEXT(first_cpu)) {
        return;
    }
    /* The clock counts this instruction already. */
    begin = icount_get() - icount_to_ns(1);
    CPU_FOREACH(other) {
        if (other != cpu && other->local_ns < begin && has_work(other)) {
            turn = NULL;
            cpu->exception_index = EXCP_INTERRUPT;
            cpu_loop_exit_restore(cpu, pc);
        }
    }
}

void local_time_write(CPUState *cpu, ram_addr_t address, unsigned size, uintptr_t pc)
{
    if (!local_time_enabled() || !cpu->cc->tcg_ops->memory_watched(address, size)) {
        return;
    }
    if (pc && !cpu->can_do_io) {
        cpu_io_recompile(cpu, pc);
    }
    if (pc) {
        local_time_wait_turn(cpu, pc);
    }
    /* After this instruction, run_cpu() has a look at memory. */
    turn = NULL;
    cpu_exit(cpu);
}

bool local_time_pause(CPUState *cpu)
{
    int64_t now = icount_get();
    CPUState *other;

    if (!turn) {
        return true;
    }
    if (now < pause_until) {
        return false;
    }
    pause_until = now + PAUSE_LEAD_NS;
    CPU_FOREACH(other) {
        if (other != cpu && other->local_ns < now - PAUSE_LEAD_NS && has_work(other)) {
            return true;
        }
    }
    return false;
}

void local_time_event(CPUState *cpu)
{
    if (!local_time_enabled() || !cpu->halted) {
        return;
    }
    cpu->local_ns = MAX(cpu->local_ns, icount_get());
    if (qemu_in_vcpu_thread() && current_cpu->running) {
        /* Its turn may have been as long as no other CPU had work. */
        turn = NULL;
        cpu_exit(current_cpu);
    }
}

void local_time_yield(void)
{
    turn = NULL;
}

void local_time_main_loop_looked(void)
{
    if (qemu_in_vcpu_thread()) {
        return;
    }
    leaps = 0;
    if (waits_for_main_loop) {
        main_loop_looked = true;
        qemu_cond_broadcast(first_cpu->halt_cond);
    }
}

/* The CPU with work whose clock is least, and what the next one shows. */
static CPUState *choose_least(int64_t *next_ns)
{
    CPUState *least = NULL;
    CPUState *cpu;

    *next_ns = NEVER;
    CPU_FOREACH(cpu) {
        if (!has_work(cpu)) {
            continue;
        }
        if (!least) {
            least = cpu;
        } else if (cpu->local_ns < least->local_ns) {
            *next_ns = least->local_ns;
            least = cpu;
        } else {
            *next_ns = MIN(*next_ns, cpu->local_ns);
        }
    }
    return least;
}

/* When the next timer is due. What is overdue is due now. */
static int64_t next_deadline(void)
{
    int64_t ns;

    icount_set(done_until);
    ns = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL);
    return ns < 0 ? NEVER : done_until + ns;
}

static void wait_for_main_loop(void)
{
    waits_for_main_loop = true;
    qemu_cond_wait_iothread(first_cpu->halt_cond);
    waits_for_main_loop = false;
}

static void run_timers(int64_t deadline)
{
    icount_set(deadline);
    done_until = deadline;
    /* They may wake a CPU. */
    turn = NULL;
    /* Devices have their timers here. Those of the block layer are run by the main loop only. */
    if (!qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL)) {
        icount_handle_deadline();
        wait_for_main_loop();
    }
}

/* Whether time must not leap to the deadline: a disk would have worked for longer than DISK_NS. */
static bool disk_is_late(int64_t deadline)
{
    static int64_t waits_since = NEVER;
    static unsigned int ended;

    if (!blk_any_in_flight()) {
        waits_since = NEVER;
        return false;
    }
    if (waits_since == NEVER || ended != blk_requests_ended()) {
        ended = blk_requests_ended();
        waits_since = done_until;
    }
    return deadline - waits_since > DISK_NS;
}

/*
 * No CPU has work. While a disk works on a request, the main loop has a look at what the host has
 * ready before time leaps to the next timer, because a block of that disk may be work; once the
 * request takes longer than DISK_NS, time stands still until it has ended. Otherwise time leaps at
 * once, LEAPS_MAX times in a row: changing to the thread of the main loop and back takes longer
 * than what a CPU does between two idle periods.
 */
static void leap(int64_t deadline)
{
    if (deadline != NEVER && disk_is_late(deadline)) {
        deadline = NEVER;
    }
    if (deadline != NEVER &&
        (main_loop_looked || (leaps < LEAPS_MAX && !blk_any_in_flight()))) {
        leaps++;
        main_loop_looked = false;
        run_timers(deadline);
        return;
    }
    if (deadline != NEVER) {
        qemu_notify_event();
    }
    wait_for_main_loop();
}

/*
 * Up to this time everything has been done: no CPU that is awake is behind it, nor is a timer, and
 * who sleeps fell asleep before. What the host brings comes then.
 */
static int64_t time_of_all(void)
{
    int64_t awake = NEVER, asleep = done_until;
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (is_awake(cpu)) {
            awake = MIN(awake, cpu->local_ns);
        } else {
            asleep = MAX(asleep, cpu->local_ns);
        }
    }
    return MAX(done_until, MIN(awake == NEVER ? asleep : awake, next_deadline()));
}

/* Give the CPU a turn, unless it is in one. */
static void begin_turn(CPUState *cpu, int64_t next_ns)
{
    turn = cpu;
    turn_end = next_ns > NEVER - LEAD_NS ? NEVER : next_ns + LEAD_NS;
    pause_until = cpu->local_ns + PAUSE_LEAD_NS;
}

static void run_cpu(CPUState *cpu, int64_t until)
{
    int64_t begin = cpu->local_ns;
    int r;

    icount_set(begin);
    cpu->icount_budget = icount_round(MIN(until - begin, INT32_MAX));
    cpu_neg(cpu)->icount_decr.u16.low = MIN(0xffff, cpu->icount_budget);
    cpu->icount_extra = cpu->icount_budget - cpu_neg(cpu)->icount_decr.u16.low;
    qatomic_mb_set(&cpu->exit_request, 0);
    current_cpu = cpu;

    qemu_mutex_unlock_iothread();
    r = tcg_cpus_exec(cpu);
    icount_process_data(cpu);
    qemu_mutex_lock_iothread();

    cpu->local_ns = icount_get();
    if (r == EXCP_DEBUG) {
        cpu_handle_guest_debug(cpu);
    }
    /* Not where the host ended the run: when a write is seen may not depend on that. */
    if (turn != cpu || cpu->local_ns >= until || !has_work(cpu)) {
        cpu->cc->tcg_ops->memory_written();
    }
}

static void run_once(void)
{
    int64_t next_ns, deadline;
    CPUState *cpu = choose_least(&next_ns);

    deadline = next_deadline();
    if (!cpu) {
        done_until = time_of_all();
        icount_set(done_until);
        leap(deadline);
        return;
    }
    main_loop_looked = false;
    if (deadline <= cpu->local_ns) {
        run_timers(deadline);
        return;
    }
    done_until = MAX(done_until, cpu->local_ns);

    if (turn && has_work(turn) && turn->local_ns < MIN(turn_end, deadline)) {
        cpu = turn;
    } else {
        begin_turn(cpu, next_ns);
    }
    ends_anywhere = turn_end < deadline;
    run_cpu(cpu, MIN(turn_end, deadline));
}

void local_time_loop(void)
{
    CPUState *cpu;

    for (;;) {
        CPU_FOREACH(cpu) {
            if (has_orders(cpu)) {
                icount_set(time_of_all());
                qemu_wait_io_event_common(cpu);
            }
        }
        run_once();
    }
}

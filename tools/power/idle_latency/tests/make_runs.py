#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""make_runs.py KIND DIR: write a directory of results as latency_test does, of samples that are
made up. KIND is

small    few samples, and each thing that a row can be: FAIL, SKIP, without samples, never
         measured, with interrupts enabled, with a sweep; and text that looks like markup
moved    the same later: one row slower, one in some of its samples, one without any; another
         environment
cores    CPUS (8 without it) CPUs at once, of which the last one is slow and FAIL, and the first
         one alone, too
eight    8 rows of 5000 samples that are spread as widely as possible
million  one row of 1000000 samples
"""
import math
import os
import random
import sys

SUMMARY = ('machine,cpu_model,driver,cpu,method,stamp,state,declared_ns,armed,valid,discarded,'
           'min_ns,median_ns,p99_ns,p9999_ns,max_ns,intr_median_ns,intr_max_ns,verdict,kernel,'
           'rule,ldist_from_ns,ldist_to_ns,reached,package,above,discarded_above,'
           'smallest_pass_ns,qualifier,reason,error_ns,uncertain_ns,set,hold,concurrent').split(',')
DATAPOINTS = ('cpu,method,stamp,state,seq,ldist_ns,ltime_ns,silent_ns,wake_ns,intr_ns,error_ns,'
              'warmup_ns,latch_ns,tbi_tsc,tai_tsc,tintr_tsc,idle_periods,c0_pct,c1_pct,cc3_pct,'
              'cc6_pct,cc7_pct,mc6_pct,pc2_pct,pc3_pct,pc6_pct,pc7_pct,pc8_pct,pc9_pct,pc10_pct,'
              'frequency_pct,interval_cyc,event,reached,package,uncertain_ns')
SWEEP = ('cpu,method,stamp,state,declared_ns,ldist_from_ns,ldist_to_ns,samples,discarded,'
         'silent_min_ns,silent_median_ns,silent_max_ns,min_ns,median_ns,p99_ns,max_ns,above,'
         'change')
STATISTICS = 'time_s,seconds,cpu,method,state,what,of,value'
# What the software around the idle instruction takes
UNCERTAIN_NS = 18
MARKUP = 'Model <b>&"7"'


def quoted(text):
    if any(character in text for character in ',"\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def rank(values, parts):
    """The quantile by nearest rank, and nothing where no sample may lie above it."""
    if len(values) * (10000 - parts) < 10000:
        return ''
    return values[max(math.ceil(parts * len(values) / 10000) - 1, 0)]


class Run:
    def __init__(self, path):
        os.makedirs(path, exist_ok=True)
        self.path = path
        self.rows = []
        self.cpu, self.concurrent = 0, 'no'
        self.discards = []
        self.steps = []
        self.statistics = []
        self.datapoints = self.open('datapoints.csv')
        print(DATAPOINTS, file=self.datapoints)

    def open(self, name):
        return open(f'{self.path}/{name}', 'w', encoding='utf-8')

    def sample(self, key, seq, ldist, wake, silent, handler=900, error=3, frequency='100.00'):
        """One line of datapoints.csv. A cycle of the TSC is a ns."""
        event = 10 ** 9 + 10 ** 5 * seq
        c0 = min(100 * 4000 / (silent + 4000), 100)
        wakes = f'{silent},{wake}' if wake is not None else ','
        tai = event + (wake or 0)
        self.datapoints.write(
            f'{key},{seq},{ldist},{event},{wakes},{tai + handler - event},{error},,,'
            f'{event - silent},{tai},{tai + handler},1,{c0:.2f},0.00,,{100 - c0:.2f},0.00,,0.00,'
            f',{max(0, 60 - c0):.2f},0.00,,,,{frequency},{silent},{seq},1,PC6,{UNCERTAIN_NS}\n')

    def row(self, method, state, declared, samples, verdict, qualifier='', reason='', lost=0,
            ran=True, error=3, frequencies=('100.00',)):
        """SAMPLES: pairs of launch distance and WakeLatency, or None. FREQUENCIES: in turn."""
        key = f'{self.cpu},{method},{"enter" if samples else ""},{state}'
        wakes = []
        for seq, (ldist, wake) in enumerate(samples):
            self.sample(key, seq, ldist, wake, ldist - 700, error=error,
                        frequency=frequencies[seq % len(frequencies)])
            wakes.append(wake)
        return self.summarize(method, state, declared, wakes, verdict, qualifier, reason, lost,
                              ran, error)

    def type_row(self, name, verdict, rows):
        """Of a core type, whose CPUs have these rows."""
        row = {**dict.fromkeys(SUMMARY, ''), **rows[0], 'cpu': name, 'verdict': verdict}
        row.update({column: sum(each[column] for each in rows) for column in
                    ('armed', 'valid', 'discarded', 'above', 'discarded_above', 'reached')})
        row.update({column: max(each[column] for each in rows) for column in
                    ('max_ns', 'intr_max_ns', 'smallest_pass_ns')})
        row.update(p99_ns='', p9999_ns='')
        self.rows.append(','.join(str(row[column]) for column in SUMMARY))

    def summarize(self, method, state, declared, wakes, verdict, qualifier, reason, lost, ran,
                  error):
        times = sorted(wake for wake in wakes if wake is not None)
        intr = sorted((wake or 0) + 900 for wake in wakes)
        row = dict.fromkeys(SUMMARY, '')
        row.update(machine='qemu', cpu_model=quoted(MARKUP), driver='intel_idle', cpu=self.cpu,
                   concurrent=self.concurrent, declared_ns=declared,
                   method=method, state=state, verdict=verdict, kernel='7.3.0', rule='max',
                   qualifier=qualifier, reason=quoted(reason))
        if ran:
            row.update(armed=len(wakes) + lost, valid=len(wakes),
                       discarded=lost, ldist_from_ns=21000, ldist_to_ns=210000,
                       above=sum(wake - error - UNCERTAIN_NS > declared for wake in times),
                       discarded_above=0)
        if wakes:
            row.update(stamp='enter', intr_median_ns=rank(intr, 5000), intr_max_ns=intr[-1],
                       reached=len(wakes), package=0,
                       smallest_pass_ns=(times or intr)[-1] + error, error_ns=error,
                       uncertain_ns=UNCERTAIN_NS)
        if times:
            row.update(min_ns=times[0], median_ns=rank(times, 5000), p99_ns=rank(times, 9900),
                       p9999_ns=rank(times, 9999), max_ns=times[-1])
        self.rows.append(','.join(str(row[name]) for name in SUMMARY))
        return row

    def finish(self, environment):
        self.datapoints.close()
        tables = {'summary.csv': [','.join(SUMMARY)] + self.rows, 'environment.txt': environment,
                  'discards.csv': ['cpu,method,state,reason,count,above,largest_ns,'
                                   'meanwhile'] + self.discards, 'sweep.csv': [SWEEP] + self.steps,
                  'statistics.csv': [STATISTICS] + self.statistics}
        for name, lines in tables.items():
            if len(lines) > 1:
                with self.open(name) as file:
                    file.write('\n'.join(lines) + '\n')


def spread(count, low, high):
    """Far from each other, so that each has a mark of its own, and in no order."""
    return [(21000 + (i * 7919) % count * (189000 // count),
             low + (i * 104729) % count * (high - low) // count) for i in range(count)]


def small(path, later):
    run = Run(path)
    # Less its error, none of these took any time at all.
    run.row('hrt', 'C1', 1000, spread(40, 700, 900), 'PASS', 'unverified+virtual', error=2000)
    # Launch distances below 21000 do not count where runs are compared.
    run.row('hrt', 'C1E', 10000, spread(120, 9000, 10400 + 800 * later) + [(5000, 12000)] * 3,
            'FAIL', reason='above the limit', lost=12)
    run.row('nic', 'C3<i>', 59000, [], 'SKIP', reason='the "state" <u>was not reached', lost=20)
    run.row('nic', 'C6', 80000, [], 'SKIP', reason='no network card', ran=False)
    run.row('tdt', 'C1', 1000, [(21000 + 900 * i, None) for i in range(30)], 'PASS',
            'upper-bound')
    run.row('tdt', 'C6', 80000, [] if later else [(90000, 40018)] * 5, 'PASS',
            'lower-bound+core-only')
    run.row('tdt', 'C3', 59000, spread(160, 30000, 31000) +
            spread(40, 30000 + 20000 * later, 31000 + 20000 * later), 'PASS',
            frequencies=('100.00', '61.50', '', '99.07', '100.00'))
    run.discards = ['0,hrt,C1E,nmi,2,1,812000,', '0,hrt,C1E,no_idle,3,0,,',
                    '0,hrt,C1E,foreign_irq,7,0,,"CAL 9, 27 <b>eth0 2"',
                    '0,nic,C3<i>,other_state,20,0,,']
    run.statistics = [f'{8 + time}.000,{seconds},0,hrt,C1E,{what}' for time, seconds, what in (
        (1, '1.000', 'interrupts,LOC,600'), (1, '1.000', 'interrupts,27 <b>eth0,2'),
        (1, '1.000', 'busy_pct,3,30'), (1, '1.000', 'smi,,0'), (1, '1.000', 'power_mw,0,15000'),
        (2, '0.500', 'interrupts,LOC,150'), (2, '0.500', 'smi,,0'),
        (2, '0.500', 'throttled,core,7'), (2, '0.500', 'power_mw,0,30000'))]
    for i in range(4):
        run.steps.append(f'0,hrt,enter,C1,1000,{21000 + 40000 * i},{61000 + 40000 * i},10,0,0,0,0,'
                         f'{700 + i},800,,{880 + i},0,')
    for i in range(8):
        run.steps.append(f'0,hrt,enter,C1E,10000,{1000 * 2 ** i},{2000 * 2 ** i},'
                         f'{15 + 3 * (i == 7)},0,0,0,0,'
                         f'{900 + i},{1000 + 300 * (i > 4)},{1200 if i else ""},{1500 + i},0,'
                         f'{"slower" if i == 5 else ""}')
    run.finish(['kernel: 7.3.0', 'command line: a=<script>alert(1)</script> & "b"',
                f'cpu0: timer pre-wake {"on" if later else "off"}', 'no colon',
                f'cpu0: awake IntrLatency by hrt: median {797 + later} ns, largest 834 ns',
                f'cpu0 tdt C3: the first {50 + later} samples are slower by 4 us: a median '
                'WakeLatency of 34500 ns, and of 30500 ns after them',
                'cpu0 hrt C1E: WakeLatency becomes longer from a SilentTime of 24000 to 192000 ns: '
                'the median from 1000 to 1300 ns',
                f'date: 2026-11-25 18:00:0{later + 1} UTC', f'duration: {later + 1}.5 s'])


def cores(path, cpus=8, samples=110):
    """The last CPU is slower; the first one is measured alone at the end."""
    run = Run(path)
    run.concurrent = 'yes'
    rows = []
    for run.cpu in range(cpus):
        wakes = [(ldist, wake + 3000 * (run.cpu == cpus - 1))
                 for ldist, wake in spread(samples, 60000 + run.cpu % 7, 60100 + run.cpu % 7)]
        fails = wakes[0][1] > 62000
        rows.append(run.row('hrt', 'C6', 62000, wakes, 'FAIL' if fails else 'PASS',
                            reason='above the limit' * fails, lost=2))
        run.discards += [f'{run.cpu},hrt,C6,nmi,2,0,,']
    run.cpu, run.concurrent = 0, 'no'
    run.row('hrt', 'C6', 62000, spread(samples, 60400, 60500), 'PASS', lost=1)
    run.discards += ['0,hrt,C6,no_idle,1,0,,']
    run.concurrent = 'yes'
    run.type_row('all:core', 'FAIL' if fails else 'PASS', rows)
    said = f'all:core hrt C6: 1 of {cpus} CPUs FAIL ({cpus - 1}), {cpus - 1} PASS', (
        f'all:core hrt C6: cpu{cpus - 1} is slower than the others: a median WakeLatency of 63049 '
        'ns, of theirs 60052 ns')
    run.finish(['kernel: 7.3.0', *(f'cpu{cpu}: core type core' for cpu in range(cpus)), *said])


def wide(path, rows, count):
    random.seed(1)
    run = Run(path)
    for method, state in rows:
        key = f'0,{method},enter,{state}'
        wakes = []
        for seq in range(count):
            wakes.append(random.randrange(40000, 90000))
            run.sample(key, seq, random.randrange(300000, 3000000), wakes[-1],
                       random.randrange(290000, 2990000),
                       frequency=f'{random.uniform(40, 100):.2f}')
        run.summarize(method, state, 95000, wakes, 'PASS', '', '', 0, True, 3)
    run.finish([f'line {i}: value' for i in range(60)])


def main():
    kind, path = sys.argv[1:]
    if kind in ('small', 'moved'):
        small(path, kind == 'moved')
    elif kind == 'cores':
        cores(path, int(os.environ.get('CPUS', 8)))
    elif kind == 'eight':
        wide(path, [(method, state) for method in ('hrt', 'nic')
                    for state in ('C1', 'C1E', 'C3', 'C6')], 5000)
    elif kind == 'million':
        wide(path, [('nic', 'C6')], 1000000)


if __name__ == '__main__':
    main()

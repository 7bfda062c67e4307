# SPDX-License-Identifier: GPL-2.0
"""Reads a run of latency_test, and sees whether its files are what latency_test writes.

Times are in ns. A file that has something else is refused with one line that names it: whoever
takes a run from somebody else learns what is wrong with it, and no figure is drawn from it.
"""
import functools
import os
import re

import numpy as np

from idle_latency.lines import Problem, Table, read, shown

TIME_MAX_NS = 1000 * 10 ** 9    # Nothing that is measured takes as long as that.
LDIST_MAX_NS = 50000000         # as include/uapi/linux/idle_latency.h has it
ARMING_NS = 20000               # as lib/plan.h has it: what arming takes of a launch distance
NUMBER_MAX = 10 ** 18
SHARE_MAX = 10 ** 6             # A counter that is updated late shows more than 100 %.

METHODS = 'hrt', 'tdt', 'nic', 'write', 'ipi'
VERDICTS = 'PASS', 'FAIL', 'SKIP'
RESIDENCIES = tuple(f'{name}_pct' for name in (
    'c0', 'c1', 'cc3', 'cc6', 'cc7', 'mc6', 'pc2', 'pc3', 'pc6', 'pc7', 'pc8', 'pc9', 'pc10'))
SHARES = *RESIDENCIES, 'frequency_pct'
KEY = 'cpu', 'method', 'stamp', 'state'
SUMMARY_TEXTS = ('machine', 'cpu_model', 'driver', *KEY, 'verdict', 'kernel', 'rule',
                 'qualifier', 'reason')
SUMMARY_NUMBERS = ('declared_ns', 'armed', 'valid', 'discarded', 'min_ns', 'median_ns', 'p99_ns',
                   'p9999_ns', 'max_ns', 'intr_median_ns', 'intr_max_ns', 'ldist_from_ns',
                   'ldist_to_ns', 'reached', 'package', 'above', 'discarded_above',
                   'smallest_pass_ns', 'error_ns', 'uncertain_ns')
# What a row has that was measured, and what it has where there is a sample.
OF_MEASURED = 'valid', 'discarded', 'ldist_from_ns', 'ldist_to_ns', 'above', 'discarded_above'
OF_SAMPLES = 'intr_median_ns', 'intr_max_ns', 'smallest_pass_ns'
SAMPLE_NUMBERS = ('seq', 'ldist_ns', 'ltime_ns', 'silent_ns', 'wake_ns', 'intr_ns', 'error_ns',
                  'warmup_ns', 'latch_ns', 'tbi_tsc', 'tai_tsc', 'tintr_tsc', 'idle_periods',
                  'interval_cyc', 'event', 'reached', 'uncertain_ns')
OPTIONAL = 'silent_ns', 'wake_ns', 'warmup_ns', 'latch_ns', 'reached', 'uncertain_ns'
SAMPLE_TYPE = np.dtype([(name, 'u8' if name.endswith('_tsc') else 'f8') for name in SAMPLE_NUMBERS]
                       + [(name, 'f4') for name in SHARES] + [('package', 'U4')])
# A state has a name of 15 letters at most.
SAMPLE_KINDS = {'cpu': 'U8', 'method': 'U6', 'stamp': 'U6', 'state': 'U16',
                **{name: kind for name, (kind, _) in SAMPLE_TYPE.fields.items()}}
STEP_NUMBERS = 'ldist_from_ns', 'ldist_to_ns', 'samples', 'median_ns', 'p99_ns', 'max_ns'

ROUNDING_NS = 4     # Both times of a difference are rounded, and so are those they are compared to.
# The clock of a card is slower or faster than the TSC, and while a run takes minutes that changes
# by less than this part.
DRIFT = 0.0005

# What is said of a CPU without a colon after the name, as lib/environment.c has it.
OF_CPU = re.compile(r'(cpu\d+: (?:package id|core id|SMT siblings|cpufreq driver|cpufreq governor|'
                    r'EPB|EPP|pm_qos_resume_latency_us|timer pre-wake|C1E promotion|C1 demotion|'
                    r'C3 demotion|package C-state limit|MSR \w+|state\d+|[^:]*(?=: )))[ :]+(.*)')
STATE = re.compile(r'cpu(\d+): state\d+ (.*), exit latency \d+ us, target residency (\d{1,12}) us')


def most(name):
    """The largest number of a column."""
    if name.startswith('ldist_'):
        return LDIST_MAX_NS
    if name.endswith('_pct'):
        return SHARE_MAX
    if name == 'reached':
        return 1
    return TIME_MAX_NS if name.endswith('_ns') and name != 'ltime_ns' else NUMBER_MAX


def quantile(ordered, part):
    """By nearest rank. None where not one of the samples may lie above it.

    PART is a number of 100000, so that the rank is exact.
    """
    count = len(ordered)
    if not count or (part != 50000 and count * (100000 - part) < 100000):
        return None
    return float(ordered[max(-(-part * count // 100000), 1) - 1])


class Row:
    """One CPU, method and state: a line of summary.csv, and what the other files have of it. The
    columns are attributes, but for how many samples reached the state: that is reached_count."""

    def __init__(self, fields, line):
        self.line = line
        self.text = {name: '' if value is None else str(value) for name, value in fields.items()}
        self.key = fields['cpu'], fields['method'], fields['state']
        self.samples = np.empty(0, SAMPLE_TYPE)
        self.discards, self.steps = [], []
        self.residency_ns = 0
        for name, value in fields.items():
            setattr(self, 'reached_count' if name == 'reached' else name, value)

    @property
    def name(self):
        """Such as "cpu0 hrt C6"."""
        return shown(('cpu' if self.cpu.isdigit() else '') + ' '.join(self.key))

    @functools.cached_property
    def has_wake(self):
        """All samples have a WakeLatency. Without one, a state was entered with interrupts on."""
        return bool(len(self.samples)) and not np.isnan(self.samples['wake_ns']).any()

    @functools.cached_property
    def latency(self):
        """WakeLatency, or IntrLatency where the row has none."""
        return self.samples['wake_ns' if self.has_wake else 'intr_ns'].copy()

    @functools.cached_property
    def ordered(self):
        """The same in order, and IntrLatency in order."""
        intr = np.sort(self.samples['intr_ns'])
        return (np.sort(self.latency) if self.has_wake else intr), intr

    @property
    def reach_known(self):
        return bool((~np.isnan(self.samples['reached'])).any())

    @property
    def silent(self):
        """Which samples are in the part that counts, and long enough for the state to pay."""
        wake = ~np.isnan(self.samples['wake_ns'])
        ldist = self.samples['ldist_ns']
        silent = np.where(wake, self.samples['silent_ns'], ldist - ARMING_NS)
        return ((wake == (2 * wake.sum() > len(wake))) & (silent >= self.residency_ns) &
                (ldist >= (self.ldist_from_ns or 0)) & (ldist <= (self.ldist_to_ns or 0)))

    @property
    def counted(self):
        """Which samples count for a PASS, as lib/tally.c says it."""
        return self.silent & ((self.samples['reached'] == 1) | (not self.reach_known))

    @property
    def reached(self):
        """Of the samples in the part that counts, the share that reached the state, or None."""
        silent = self.silent
        if not self.reach_known or not silent.any():
            return None
        return float((self.samples['reached'][silent] == 1).mean())


class Run:
    def __init__(self, path):
        self.path, self.name = path, shown(path)
        self.environment = {}
        self.lines, self.rows, self.truth = [], [], []

    def table(self, name, needed):
        return Table(os.path.join(self.path, name), needed)

    def find(self, key):
        """The row with this key, or None."""
        return next((row for row in self.rows if row.key == key), None)

    def find_at(self, table, number, key):
        """The row that a line is of."""
        row = self.find(key)
        return row or table.wrong(number, f'summary.csv has no row cpu{" ".join(key)}')


def one_of(table, number, what, text, choices):
    if text not in choices:
        table.wrong(number, f"{what} is '{text}', not {', '.join(choices[:-1])} or {choices[-1]}")


def read_summary(run):
    table = run.table('summary.csv', (*SUMMARY_TEXTS, *SUMMARY_NUMBERS))
    for number, fields in table.rows(dict.fromkeys(SUMMARY_NUMBERS, 0), lambda name: NUMBER_MAX
                                     if name == 'reached' else most(name)):
        check_texts(run, table, number, fields)
        check_counts(table, number, fields)
        run.rows.append(Row(fields, number))
    if not run.rows:
        table.wrong(1, 'there is no row')


def check_texts(run, table, number, fields):
    if not re.fullmatch(r'[0-9]{1,6}|all:.+', fields['cpu']):
        table.wrong(number, f"cpu is '{fields['cpu']}', which is no CPU")
    one_of(table, number, 'method', fields['method'], METHODS)
    one_of(table, number, 'verdict', fields['verdict'], VERDICTS)
    if not re.fullmatch(r'max|0\.[0-9]{1,9}|1', fields['rule']):
        table.wrong(number, f"rule is '{fields['rule']}', neither max nor a quantile")
    if not fields['state']:
        table.wrong(number, 'state is empty')
    first = run.rows[0] if run.rows else None
    if first and (first.machine, first.cpu_model) != (fields['machine'], fields['cpu_model']):
        table.wrong(number, 'the row is of another machine than the first one')
    key = fields['cpu'], fields['method'], fields['state']
    if run.find(key):
        table.wrong(number, f'the row cpu{" ".join(key)} is there already')


def check_counts(table, number, fields):
    needed = OF_MEASURED if fields['armed'] is not None else ()
    needed += OF_SAMPLES if fields['valid'] else ()
    for column in ('declared_ns', *needed):
        if fields[column] is None:
            table.wrong(number, f'{column} is empty')
    if (fields['armed'] or 0) != (fields['valid'] or 0) + (fields['discarded'] or 0):
        table.wrong(number, 'armed is not the sum of valid and discarded')
    for column in 'reached', 'package', 'above':
        if (fields[column] or 0) > (fields['valid'] or 0):
            table.wrong(number, f'{column} is larger than valid')


def read_samples(run):
    """datapoints.csv, of which there may be millions of lines."""
    table = run.table('datapoints.csv', (*KEY, *SAMPLE_TYPE.names))
    numbers = {**dict.fromkeys(SAMPLE_NUMBERS, 0), **dict.fromkeys(SHARES, 2)}
    samples = table.load(numbers, SAMPLE_KINDS, most)
    for column in set(SAMPLE_NUMBERS) - set(OPTIONAL):
        if np.isnan(samples[column]).any():
            table.wrong(np.argmax(np.isnan(samples[column])) + 2, f'{column} is empty')
    samples['package'][samples['package'] == 'nan'] = ''
    for name in np.unique(samples['package']):
        if not re.fullmatch('(PC[0-9]+)?', name):
            table.wrong(np.argmax(samples['package'] == name) + 2, f"package is '{name}'")
    changes = np.ones(len(samples) + 1, bool)
    changes[1:-1] = np.any([samples[name][1:] != samples[name][:-1] for name in KEY], axis=0)
    starts = np.flatnonzero(changes)
    parts = {row.key: [] for row in run.rows}
    for start, end in zip(starts, starts[1:]):
        cpu, method, stamp, state = (str(samples[column][start]) for column in KEY)
        row = run.find_at(table, start + 2, (cpu, method, state))
        if stamp != row.stamp:
            table.wrong(start + 2, f"stamp is '{stamp}', not that of summary.csv")
        parts[row.key].append(slice(start, end))
    for row in run.rows:
        own = parts[row.key]
        if own:
            row.samples = samples[own[0]] if len(own) == 1 else np.concatenate(
                [samples[part] for part in own])
            check_samples(table, row.samples, np.r_[tuple(own)] + 2)


def check_samples(table, samples, places):
    """That no line is missing, and that times are those of the stamps."""
    def refuse(wrong, what):
        if wrong.any():
            table.wrong(places[np.argmax(wrong)], what)

    refuse(samples['seq'] != np.arange(len(samples)),
           'seq does not follow: lines are missing, doubled or moved')
    wake = ~np.isnan(samples['wake_ns'])
    refuse(wake == np.isnan(samples['silent_ns']), 'only one of wake_ns and silent_ns is there')
    away, handler = ((samples[end] - samples[begin]).astype('i8').astype(float)
                     for begin, end in (('tbi_tsc', 'tai_tsc'), ('tai_tsc', 'tintr_tsc')))
    slept = samples['silent_ns'] + samples['wake_ns']
    known = wake & (away > 0)
    # ns per cycle: the median, which one line that was changed does not move
    cycle = np.median(slept[known] / away[known]) if known.any() else 0
    handled = samples['intr_ns'] - samples['wake_ns']
    refuse(wake & ~(near(slept, away * cycle) & near(handled, handler * cycle)),
           'the times are not those of the stamps: one was changed')


def near(ns, expected):
    return np.abs(ns - expected) <= ROUNDING_NS + np.abs(expected) * DRIFT


def read_extra(run, name, numbers, text, optional):
    """A file that a run may lack, with lines that are each of a row."""
    if not os.path.exists(os.path.join(run.path, name)):
        return
    key = 'cpu', 'method', 'state'
    table = run.table(name, (*key, *numbers, text))
    for number, fields in table.rows(dict.fromkeys(numbers, 0), most):
        row = run.find_at(table, number, tuple(fields[column] for column in key))
        for column in numbers:
            if fields[column] is None and column not in optional(fields):
                table.wrong(number, f'{column} is empty')
        if text == 'change':
            one_of(table, number, 'change', fields['change'], ('', 'slower', 'faster'))
            if not 0 < fields['ldist_from_ns'] <= fields['ldist_to_ns']:
                table.wrong(number, 'ldist_from_ns and ldist_to_ns are no launch distances')
        yield row, fields


def read_truth(run):
    """What the idle states of an emulated processor did."""
    if os.path.exists(os.path.join(run.path, 'truth.csv')):
        columns = 'cpu', 'enter_ns', 'event_ns', 'exit_ns'
        run.truth = [fields for _, fields in run.table('truth.csv', columns).rows(
            dict.fromkeys(columns, 0), lambda name: NUMBER_MAX)]


def read_environment(run):
    for line in read(os.path.join(run.path, 'environment.txt')).decode('utf-8', 'replace').split(
            '\n')[:-1]:
        text = shown(line)
        run.lines.append(text)
        of_cpu = OF_CPU.fullmatch(text)
        key, value = of_cpu.groups() if of_cpu else text.partition(': ')[::2]
        run.environment[key] = value
        state = STATE.fullmatch(line)
        for row in run.rows if state else ():
            if (row.cpu, row.state) == (state[1], state[2]):
                row.residency_ns = 1000 * int(state[3])


def stats_agree(row):
    """The summary has the statistics of WakeLatency where all samples have one."""
    times, intr = row.ordered
    if (quantile(intr, 50000), intr[-1]) != (row.intr_median_ns, row.intr_max_ns):
        return False
    wake = (None,) * 5
    if row.has_wake:
        wake = *(quantile(times, part) for part in (50000, 99000, 99990)), times[0], times[-1]
    return wake == (row.median_ns, row.p99_ns, row.p9999_ns, row.min_ns, row.max_ns)


def check_row(run, row):
    """Whether what a run says twice is the same: by hand, only one of both was changed."""
    def wrong(what):
        raise Problem(f'{os.path.join(run.path, "summary.csv")}:{row.line}: {what}')

    if row.cpu.startswith('all:'):
        return
    if (row.valid or 0) != len(row.samples):
        wrong('datapoints.csv has not as many samples of this row as valid says')
    if (row.discards and sum(discard['count'] for discard in row.discards) != row.discarded or
            row.steps and sum(step['samples'] for step in row.steps) != len(row.samples)):
        wrong('discards.csv or sweep.csv counts other events of this row')
    if len(row.samples) and not stats_agree(row):
        wrong('the latencies of this row are not those of its samples in datapoints.csv')


def load(path):
    """The run in a directory; Problem where a file is missing or not as latency_test writes it."""
    run = Run(path)
    read_summary(run)
    read_samples(run)
    for row, discard in read_extra(run, 'discards.csv', ('count', 'above', 'largest_ns'), 'reason',
                                   lambda discard: ('largest_ns',)):
        row.discards.append(discard)
    for row, step in read_extra(run, 'sweep.csv', STEP_NUMBERS, 'change', lambda step: (
            ('p99_ns',) if step['samples'] else ('p99_ns', 'median_ns', 'max_ns'))):
        row.steps.append(step)
    read_truth(run)
    read_environment(run)
    for row in run.rows:
        check_row(run, row)
    return run

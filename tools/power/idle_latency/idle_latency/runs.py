# SPDX-License-Identifier: GPL-2.0
"""Reads a run of latency_test, and sees whether its files say the same. Times are in ns."""
import collections
import functools
import os
import re

import numpy as np

from idle_latency import statistics
from idle_latency.files import Table, read, shown

ARMING_NS = 20000               # as lib/plan.h has it: what arming takes of a launch distance
SLOWEST = 10

METHODS = 'hrt', 'tdt', 'nic', 'write', 'ipi'
RESIDENCIES = tuple(f'{name}_pct' for name in (
    'c0', 'c1', 'cc3', 'cc6', 'cc7', 'mc6', 'pc2', 'pc3', 'pc6', 'pc7', 'pc8', 'pc9', 'pc10'))
SHARES = *RESIDENCIES, 'frequency_pct'
ROW = 'cpu', 'method', 'state'
KEY = 'cpu', 'method', 'stamp', 'state'
SUMMARY_TEXTS = ('machine', 'cpu_model', 'driver', *KEY, 'verdict', 'kernel', 'rule',
                 'qualifier', 'reason')
SUMMARY_NUMBERS = ('declared_ns', 'armed', 'valid', 'discarded', 'min_ns', 'median_ns', 'p99_ns',
                   'p9999_ns', 'max_ns', 'intr_median_ns', 'intr_max_ns', 'ldist_from_ns',
                   'ldist_to_ns', 'reached', 'package', 'above', 'discarded_above',
                   'smallest_pass_ns', 'error_ns', 'uncertain_ns')
# What earlier runs lack: there, one CPU was measured after the other.
SUMMARY_LATER = {'set': '', 'hold': '', 'concurrent': 'no'}
# What texts are.
SETTING = '(?:(?:prewake|demotion|promotion|aspm)=(?:on|off)|package-limit=pc[0-9]{1,2})'
FORMS = (('cpu', '[0-9]{1,6}|all:.+'), ('method', '|'.join(METHODS)), ('state', '.+'),
         ('verdict', 'PASS|FAIL|SKIP'), ('rule', r'max|0\.[0-9]{1,9}|1'),
         ('set', f'({SETTING}( {SETTING})*)?'), ('hold', '|core|module|package|all'),
         ('concurrent', 'no|yes'), ('change', '|slower|faster'))
# What a row has that was measured, and what it has where there is a sample.
OF_MEASURED = 'valid', 'discarded', 'ldist_from_ns', 'ldist_to_ns', 'above', 'discarded_above'
OF_SAMPLES = 'intr_median_ns', 'intr_max_ns', 'smallest_pass_ns'
# What a core type has as the sum of its CPUs.
OF_TYPE = 'armed', 'valid', 'discarded', 'above', 'discarded_above'
SAMPLE_NUMBERS = ('seq', 'ldist_ns', 'ltime_ns', 'silent_ns', 'wake_ns', 'intr_ns', 'error_ns',
                  'warmup_ns', 'latch_ns', 'tbi_tsc', 'tai_tsc', 'tintr_tsc', 'idle_periods',
                  'interval_cyc', 'event', 'reached', 'uncertain_ns')
OPTIONAL = 'silent_ns', 'wake_ns', 'warmup_ns', 'latch_ns', 'reached', 'uncertain_ns'
# A state has a name of 15 letters at most.
SAMPLE_TYPE = {'cpu': 'U8', 'method': 'U6', 'stamp': 'U6', 'state': 'U16',
               **{name: 'u8' if name.endswith('_tsc') else 'f8' for name in SAMPLE_NUMBERS},
               **dict.fromkeys(SHARES, 'f4'), 'package': 'U4'}
# Lines of environment.txt about one run: a time that was measured, and when, are others in each
# run, by chance at least, so that they would be among the differences of any two runs.
MEASURED = re.compile('cpu[0-9]+: (?:awake IntrLatency by|delivery by|software around) |'
                      '(?:date|duration|before|after): ')
# A file whose lines are each of a row, and may not be there: where a row has them, their numbers, a
# text of them, and which number adds up to what of the row.
Extra = collections.namedtuple('Extra', 'name lines numbers text counts total')
DISCARDS = Extra('discards.csv', 'discards', ('count', 'above', 'largest_ns'), 'reason', 'count',
                 'discarded')
SWEEP = Extra('sweep.csv', 'steps', ('ldist_from_ns', 'ldist_to_ns', 'samples', 'median_ns',
                                     'p99_ns', 'max_ns'), 'change', 'samples', 'valid')
STATISTICS = Extra('statistics.csv', 'meanwhile', ('seconds', 'value'), 'what', None, None)

ROUNDING_NS = 4     # Both times of a difference are rounded, and so are those they are compared to.
# The clock of a card is slower or faster than the TSC, and while a run takes minutes that changes
# by less than this part.
DRIFT = 0.0005

STATE = re.compile(r'cpu(?P<cpu>\d+): state\d+ (?P<name>.*), exit latency (?P<latency>\d+) us, '
                   r'target residency (?P<residency>\d{1,12}) us(?:, desc (?P<desc>.*))?')
CORE_TYPE = re.compile(r'cpu(\d+): core type (\S+)')


def counter_name(column):
    return column.partition('_')[0].upper()


def quantile(ordered, part):
    """By nearest rank. None where not one of the samples may lie above it.

    PART is a number of 100000, so that the rank is exact.
    """
    count = len(ordered)
    if not count or (part != 50000 and count * (100000 - part) < 100000):
        return None
    return statistics.quantile(ordered, part, 100000)


class Row:
    """One CPU, method and state: a line of summary.csv, whose columns that are known are
    attributes, and what the other files have of it."""

    def __init__(self, fields, line):
        self.line = line
        self.remarks = []       # what latency_test says of it in environment.txt
        self.samples = np.empty(0, list(SAMPLE_TYPE.items()))
        self.discards, self.steps, self.meanwhile = [], [], []
        self.residency_ns = 0
        vars(self).update((name, {**SUMMARY_LATER, **fields}[name]) for name in (
            *SUMMARY_TEXTS, *SUMMARY_NUMBERS, *SUMMARY_LATER))
        # Of all CPUs of a core type, which are rows of their own and have the samples.
        self.is_type = not self.cpu.isdigit()
        self.at_once = self.concurrent == 'yes'
        self.place = tuple(fields[name] for name in ROW)
        # A CPU that is measured at once with others and alone has two rows.
        self.key = (*self.place, 'at once') if self.at_once else self.place
        # Such as "cpu0 hrt C6"
        self.name = shown(('' if self.is_type else 'cpu') + ' '.join(self.key))

    def settle(self):
        """What follows from its samples, once all files are read."""
        wake, reached = ~np.isnan(self.samples['wake_ns']), self.samples['reached']
        # All samples have a WakeLatency. Without one, a state was entered with interrupts on.
        self.has_wake = bool(len(wake)) and bool(wake.all())
        self.latency_name = 'WakeLatency' if self.has_wake else 'IntrLatency'
        # What counts has a WakeLatency: the verdict takes what most samples have.
        self.counts_wake = bool(2 * wake.sum() > len(wake))
        # The 1st, the 50th and the 99th percentile of the frequency after the wake-up, in 0.01 % of
        # the rate of the TSC, of the samples of which it is known; None of none.
        shares = self.samples['frequency_pct'].astype(float)
        known = np.sort(np.round(100 * shares[~np.isnan(shares)]).astype(int))
        self.frequency = [statistics.quantile(known, percent) for percent in (1, 50, 99)] \
            if len(known) else None
        # By more than 5 % from sample to sample, as lib/summary.c says it.
        low, _, high = self.frequency or (0, 0, 0)
        self.frequency_differs = 20 * high > 21 * low
        # Which samples are in the part that counts, and long enough for the state to pay; and which
        # count for a PASS, as lib/tally.c says it.
        ldist = self.samples['ldist_ns']
        silent = np.where(wake, self.samples['silent_ns'], ldist - ARMING_NS)
        self.silent = ((wake == self.counts_wake) & (silent >= self.residency_ns) &
                       (ldist >= (self.ldist_from_ns or 0)) & (ldist <= (self.ldist_to_ns or 0)))
        self.reach_known = bool((~np.isnan(reached)).any())
        self.counted = self.silent & ((reached == 1) | (not self.reach_known))
        # How many samples reached the state, as a share of those that could count
        self.reached_of = int((reached[self.silent] == 1).sum()), int(self.silent.sum())
        self.reached_share = self.reached_of[0] / max(self.reached_of[1], 1)
        # A sweep has other launch distances than a run without, even in the same range.
        self.launched = (self.ldist_from_ns, self.ldist_to_ns,
                         [step['ldist_from_ns'] for step in self.steps])

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
    def least_ns(self):
        """For sure, a sample takes no less than this: the largest, less what it may be wrong by."""
        least = self.latency - self.samples['error_ns'] - self.samples['uncertain_ns']
        return int(np.nan_to_num(least).max())      # of nan nothing is known

    @property
    def distance(self):
        """Without a WakeLatency, there is no SilentTime either."""
        return self.samples['silent_ns' if self.has_wake else 'ldist_ns']

    @functools.cached_property
    def slowest(self):
        """By the latency less its error; of those that are the same, the larger latency first."""
        less = self.samples['error_ns'] - self.latency
        last = np.partition(less, min(SLOWEST, len(less)) - 1)[:SLOWEST].max()
        among = np.flatnonzero(less <= last)
        return among[np.lexsort((-self.latency[among], less[among]))[:SLOWEST]]

    @functools.cached_property
    def residencies(self):
        """The shares of the counters that ever advanced, by column."""
        return {c: self.samples[c].copy() for c in RESIDENCIES if (self.samples[c] > 0).any()}


class Run:
    """TYPES are the rows of core types, ROWS those of CPUs."""

    def __init__(self, path):
        self.path, self.name = path, shown(path)
        self.lines, self.states, self.rows, self.types = [], [], [], []
        self.by_key, self.by_place, self.core_types = {}, {}, {}
        self.find = self.by_key.get     # the row with this key, or None

    def add(self, row):
        (self.types if row.is_type else self.rows).append(row)
        self.by_key[row.key] = row
        if not row.is_type:
            self.by_place.setdefault(row.place, []).append(row)

    def cpus_of(self, row):
        """The rows of the CPUs that the row of a core type is of."""
        return [cpu for cpu in self.rows if
                cpu.place[1:] == row.place[1:] and
                (cpu.concurrent, cpu.hold) == (row.concurrent, row.hold) and
                self.core_types.get(cpu.cpu, 'cpu') == row.cpu.removeprefix('all:')]

    def said(self, row):
        """The name of a row as latency_test says it"""
        held = row.hold and self.find((*row.place, 'at once'))
        return 'cpu' * (not row.is_type) + ' '.join(row.place) + ' held' * bool(held)

    def find_at(self, table, number, fields, missing):
        """The row that a line is of: of those of the same CPU, method and state, which the files
        have in the same order, the first of which something is MISSING yet."""
        place = tuple(str(fields[name]) for name in ROW)
        found = self.by_place.get(place)
        if not found:
            table.wrong(number, f'summary.csv has no row cpu{" ".join(place)}')
        return next((row for row in found if missing[row.key] > 0), found[-1])


def read_summary(run):
    table = Table(run.path, 'summary.csv', (*SUMMARY_TEXTS, *SUMMARY_NUMBERS))
    for number, fields in table.rows(SUMMARY_NUMBERS, FORMS):
        row = Row(fields, number)
        if run.find(row.key):
            table.wrong(number, f'the row {row.name} is there already')
        run.add(row)
    if not run.rows:
        table.wrong(1, 'there is no row')
    return table


def read_samples(run):
    """datapoints.csv, of which there may be millions of lines."""
    table = Table(run.path, 'datapoints.csv', SAMPLE_TYPE)
    samples = table.load((*SAMPLE_NUMBERS, *SHARES), SAMPLE_TYPE)
    for column in SAMPLE_NUMBERS:
        if column not in OPTIONAL:
            table.refuse(np.isnan(samples[column]), f'{column} is empty')
    table.refuse(samples['reached'] > 1, 'reached is neither 0 nor 1')
    samples['package'][samples['package'] == 'nan'] = ''
    for name in sorted(set(samples['package'].tolist())):
        if not re.fullmatch('(PC[0-9]+)?', name):
            table.refuse(samples['package'] == name, f"package is '{name}'")
    changes = np.ones(len(samples) + 1, bool)
    changes[1:-1] = np.any([samples[name][1:] != samples[name][:-1] for name in KEY], axis=0) | \
        (samples['seq'][1:] == 0)
    starts = np.flatnonzero(changes)
    parts = {row.key: [] for row in run.rows}
    missing = {row.key: row.valid or 0 for row in run.rows}
    for start, end in zip(starts, starts[1:]):
        row = run.find_at(table, start + 2, samples[start], missing)
        if samples['stamp'][start] != row.stamp:
            table.wrong(start + 2, f"stamp is '{samples['stamp'][start]}', not that of summary.csv")
        parts[row.key].append(slice(start, end))
        missing[row.key] -= end - start
    for row in run.rows:
        own = parts[row.key]
        if own:
            row.samples = samples[own[0]] if len(own) == 1 else np.concatenate(
                [samples[part] for part in own])
            check_samples(row.samples, functools.partial(table.refuse, places=np.r_[tuple(own)]))


def check_samples(samples, refuse):
    """That no line is missing, and that times are those of the stamps."""
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
    refuse(wake & np.any([np.abs(ns - cycles * cycle) > ROUNDING_NS + np.abs(cycles * cycle) * DRIFT
                          for ns, cycles in ((slept, away), (handled, handler))], axis=0),
           'the times are not those of the stamps: one was changed')


def read_extra(run, extra):
    if not os.path.exists(os.path.join(run.path, extra.name)):
        return
    table = Table(run.path, extra.name, (*ROW, extra.text, *extra.numbers))
    missing = {row.key: (getattr(row, extra.total) or 0) if extra.total else 1 for row in run.rows}
    for number, fields in table.rows(extra.numbers, FORMS):
        row = run.find_at(table, number, fields, missing)
        may_lack = ['largest_ns', 'p99_ns'] + ['median_ns', 'max_ns'] * (not fields.get('samples'))
        table.all_there(number, fields, [name for name in extra.numbers if name not in may_lack])
        if extra is SWEEP and not 0 < fields['ldist_from_ns'] <= fields['ldist_to_ns']:
            table.wrong(number, 'ldist_from_ns and ldist_to_ns are no launch distances')
        missing[row.key] -= fields[extra.counts] if extra.counts else 0
        getattr(row, extra.lines).append(fields)


def read_environment(run):
    data = read(os.path.join(run.path, 'environment.txt')).decode('utf-8', 'replace')
    said = collections.defaultdict(list)
    for row in run.rows + run.types:
        said[run.said(row)].append(row)
    for line in data.split('\n')[:-1]:
        name, _, remark = line.partition(': ')
        for row in said.get(name, ()):
            row.remarks.append(remark)
        if name in said:
            continue
        run.lines.append(shown(line))
        core_type, state = (form.fullmatch(line) for form in (CORE_TYPE, STATE))
        if core_type:
            run.core_types[core_type[1]] = core_type[2]
        elif state:
            run.states.append(state)
            for row in run.rows:
                if (row.cpu, row.state) == (state['cpu'], state['name']):
                    row.residency_ns = 1000 * int(state['residency'])


def wrong_of(run, row):
    """What is wrong with a row whose fields are right by themselves. What a run says twice is the
    same: by hand, only one of both was changed."""
    first = run.rows[0]
    if (first.machine, first.cpu_model) != (row.machine, row.cpu_model):
        yield 'the row is of another machine than the first one'
    # CPUs of a type can have been measured at different launch distances.
    of_measured = [name for name in OF_MEASURED if not row.is_type or not name.startswith('ldist')]
    needed = ('declared_ns', *of_measured * (row.armed is not None),
              *OF_SAMPLES * bool(row.valid))
    yield from (f'{name} is empty' for name in needed if getattr(row, name) is None)
    if (row.armed or 0) != (row.valid or 0) + (row.discarded or 0):
        yield 'armed is not the sum of valid and discarded'
    counts = {'reached': row.reached, 'package': row.package, 'above': row.above}
    yield from (f'{name} is larger than valid' for name, count in counts.items()
                if (count or 0) > (row.valid or 0))
    if row.is_type:
        cpus = run.cpus_of(row)
        if len(cpus) < 2:
            yield f'there are no rows of CPUs that {row.name} is of'
        yield from (f'{name} is not the sum of that of its CPUs' for name in OF_TYPE
                    if (getattr(row, name) or 0) != sum(getattr(cpu, name) or 0 for cpu in cpus))
        return
    if (row.valid or 0) != len(row.samples):
        yield 'datapoints.csv has not as many samples of this row as valid says'
    for extra in DISCARDS, SWEEP:
        lines = getattr(row, extra.lines)
        if lines and sum(line[extra.counts] for line in lines) != getattr(row, extra.total):
            yield f'{extra.name} counts other events of this row'
    if len(row.samples):
        # The summary has the statistics of WakeLatency where all samples have one.
        times, intr = row.ordered
        wake = (None,) * 5
        if row.has_wake:
            wake = *(quantile(times, part) for part in (50000, 99000, 99990)), times[0], times[-1]
        if (*wake, quantile(intr, 50000), intr[-1]) != (
                row.median_ns, row.p99_ns, row.p9999_ns, row.min_ns, row.max_ns,
                row.intr_median_ns, row.intr_max_ns):
            yield 'the latencies of this row are not those of its samples in datapoints.csv'


def load(path):
    """The run in a directory; Problem where a file is missing or not as latency_test writes it."""
    run = Run(path)
    summary = read_summary(run)
    read_samples(run)
    for extra in DISCARDS, SWEEP, STATISTICS:
        read_extra(run, extra)
    read_environment(run)
    for row in run.rows + run.types:
        row.settle()
        for what in wrong_of(run, row):
            summary.wrong(row.line, what)
    return run


def common_lines(of):
    """What all these runs have in environment.txt, but for what is measured in each."""
    return [line for line in of[0].lines
            if not MEASURED.match(line) and all(line in run.lines for run in of[1:])]

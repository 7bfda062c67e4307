# SPDX-License-Identifier: GPL-2.0
"""Reads a run of latency_test, and sees whether its files are what latency_test writes.

Times are in ns. A file that has something else is refused with one line that names it: whoever
takes a run from somebody else learns what is wrong with it, and no figure is drawn from it.
"""
import csv
import functools
import os
import re

import numpy as np

from idle_latency import lines

TIME_MAX_NS = 1000 * 10 ** 9    # Nothing that is measured takes as long as that.
LDIST_MAX_NS = 50000000         # as include/uapi/linux/idle_latency.h has it
ARMING_NS = 20000               # as lib/measure.h has it: what arming takes of a launch distance
NUMBER_MAX = 10 ** 18           # All numbers of 18 digits fit into 64 bits.
SHARE_MAX = 10 ** 6             # A counter that is updated late shows more than 100 %.
RUN_BYTES_MAX = 2 ** 31         # All of it is in memory.

METHODS = 'hrt', 'tdt', 'nic', 'write', 'ipi'
VERDICTS = 'PASS', 'FAIL', 'SKIP'
RESIDENCIES = tuple(f'{name}_pct' for name in (
    'c0', 'c1', 'cc3', 'cc6', 'cc7', 'mc6', 'pc2', 'pc3', 'pc6', 'pc7', 'pc8', 'pc9', 'pc10'))

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

# The largest number of each column of datapoints.csv; those of OPTIONAL may be empty.
SAMPLE_NUMBERS = {
    'seq': NUMBER_MAX, 'ldist_ns': LDIST_MAX_NS, 'ltime_ns': NUMBER_MAX, 'silent_ns': TIME_MAX_NS,
    'wake_ns': TIME_MAX_NS, 'intr_ns': TIME_MAX_NS, 'error_ns': TIME_MAX_NS,
    'warmup_ns': TIME_MAX_NS, 'latch_ns': TIME_MAX_NS, 'tbi_tsc': NUMBER_MAX,
    'tai_tsc': NUMBER_MAX, 'tintr_tsc': NUMBER_MAX, 'idle_periods': NUMBER_MAX,
    'interval_cyc': NUMBER_MAX, 'event': NUMBER_MAX, 'reached': 1, 'uncertain_ns': TIME_MAX_NS}
OPTIONAL = 'silent_ns', 'wake_ns', 'warmup_ns', 'latch_ns', 'reached', 'uncertain_ns'
COUNTED = 'seq', 'tbi_tsc', 'tai_tsc', 'tintr_tsc'
SAMPLE_SHARES = (*RESIDENCIES, 'frequency_pct')
SAMPLE_TYPE = np.dtype([(name, 'u8' if name in COUNTED else 'f8') for name in SAMPLE_NUMBERS] +
                       [(name, 'f4') for name in SAMPLE_SHARES] + [('package', 'S8')])

# Both times of a difference are rounded to ns, and so are the two that it is compared with.
ROUNDING_NS = 4
# The clock of a card is slower or faster than the TSC, and while a run takes minutes that changes
# by less than this part.
DRIFT = 0.0005

# What is said of a CPU without a colon after the name, as lib/environment.c has it.
OF_CPU = re.compile(r'(cpu\d+: (?:package id|core id|SMT siblings|cpufreq driver|cpufreq governor|'
                    r'EPB|EPP|pm_qos_resume_latency_us|timer pre-wake|C1E promotion|C1 demotion|'
                    r'C3 demotion|package C-state limit|MSR \w+|state\d+))[ :]+(.*)')
STATE = re.compile(r'cpu(\d+): state\d+ (.*), exit latency \d+ us, '
                   r'target residency (\d{1,12}) us')
# Control characters, those that change the direction of text, and directives of KTAP.
HARMFUL = re.compile('[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]|'
                     '#(?=[ \t]*(?:skip|todo|xfail|timeout|error))', re.I)


class Problem(Exception):
    """One line for people: FILE:LINE: what is wrong."""

    def __init__(self, text):
        super().__init__(shown(text))


def shown(text):
    """The text where a terminal or a reader of KTAP takes it for nothing but text."""
    return HARMFUL.sub(lambda found: f'<{ord(found[0]):02x}>', text)


def quantile(ordered, part):
    """By nearest rank. None where not one of the samples may lie above it.

    PART is a number of 100000, so that the rank is exact.
    """
    count = len(ordered)
    if not count or (part != 50000 and count * (100000 - part) < 100000):
        return None
    return float(ordered[max(-(-part * count // 100000), 1) - 1])


class Row:
    """One CPU, method and state: a line of summary.csv, and what the other files have of it."""

    def __init__(self, text, line):
        self.text = text
        self.line = line
        self.key = text['cpu'], text['method'], text['state']
        self.samples = np.empty(0, SAMPLE_TYPE)
        self.discards = []
        self.steps = []
        self.residency_ns = 0
        for name in (*SUMMARY_TEXTS, *SUMMARY_NUMBERS):
            setattr(self, 'reached_count' if name == 'reached' else name, text[name])

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
        silent = np.where(wake, self.samples['silent_ns'], self.samples['ldist_ns'] - ARMING_NS)
        ldist = self.samples['ldist_ns']
        return ((wake == (2 * wake.sum() > len(wake))) & (silent >= self.residency_ns) &
                (ldist >= (self.ldist_from_ns or 0)) & (ldist <= (self.ldist_to_ns or 0)))

    @property
    def counted(self):
        """Which samples count for a PASS, as lib/verdict.c says it."""
        if not self.reach_known:
            return self.silent
        return self.silent & (self.samples['reached'] == 1)

    @property
    def reached(self):
        """The share of the samples in the part that counts that reached the state, or None."""
        silent = self.silent
        if not self.reach_known or not silent.any():
            return None
        return float((self.samples['reached'][silent] == 1).mean())


class Run:
    def __init__(self, path):
        self.path = path
        self.name = shown(path)
        self.environment = {}
        self.lines = []
        self.rows = []
        self.truth = []

    def find(self, key):
        """The row with this key, or None."""
        return next((row for row in self.rows if row.key == key), None)


class Reader:
    """A CSV file line by line; each line is a dict of its columns."""

    def __init__(self, run, name):
        self.path = os.path.join(run.path, name)
        self.line = 1
        self.texts = split(self.path, read_bytes(self.path))
        if not self.texts:
            raise Problem(f'{self.path}:1: there is no header')
        self.columns = self.fields(self.texts[0])
        for column in self.columns:
            if self.columns.count(column) > 1:
                self.wrong(f'the column {column} is there twice')

    def wrong(self, what):
        raise Problem(f'{self.path}:{self.line}: {what}')

    def fields(self, text):
        try:
            return next(csv.reader([text], strict=True), [''])
        except csv.Error:
            self.wrong('this is no line of CSV')

    def need(self, columns):
        missing = [column for column in columns if column not in self.columns]
        if missing:
            self.wrong(f'there is no column {missing[0]}: take what this version of latency_test '
                       'has written')

    def __iter__(self):
        for self.line, text in enumerate(self.texts[1:], 2):
            fields = self.fields(text)
            if len(fields) != len(self.columns):
                self.wrong(f'{len(fields)} fields instead of {len(self.columns)}')
            yield dict(zip(self.columns, fields))

    def number(self, fields, column, most=NUMBER_MAX):
        """None where the field is empty."""
        text = fields[column]
        if text == '':
            return None
        if not re.fullmatch('[0-9]+', text):
            self.wrong(f"{column} is '{text}', which is no number")
        if len(text) > 18 or int(text) > most:
            self.wrong(f'{column} is {text}, more than latency_test writes')
        return int(text)

    def present(self, fields, column, most=NUMBER_MAX):
        number = self.number(fields, column, most)
        if number is None:
            self.wrong(f'{column} is empty')
        return number

    def one_of(self, text, what, choices):
        if text not in choices:
            self.wrong(f"{what} is '{text}', not {', '.join(choices[:-1])} or {choices[-1]}")


def read_bytes(path):
    try:
        if os.path.getsize(path) > RUN_BYTES_MAX:
            raise Problem(f'{path}:1: the file has more than {RUN_BYTES_MAX >> 30} GB')
        with open(path, 'rb') as file:
            return file.read()
    except OSError as error:
        raise Problem(f'{path}:1: {error.strerror}; this takes what latency_test --out has '
                      'written') from error


def split(path, data):
    """The lines of a text file."""
    for number, line in enumerate(data.split(b'\n'), 1):
        if b'\0' in line:
            raise Problem(f'{path}:{number}: a byte is 0')
        if b'\r' in line:
            raise Problem(f'{path}:{number}: there is a carriage return')
    if data and not data.endswith(b'\n'):
        raise Problem(f'{path}:{number}: the line has no end: the file was cut off')
    return data.decode('utf-8', 'replace').split('\n')[:-1]


def read_summary(run):
    reader = Reader(run, 'summary.csv')
    reader.need((*SUMMARY_TEXTS, *SUMMARY_NUMBERS))
    for fields in reader:
        texts = dict(fields)
        for column in SUMMARY_NUMBERS:
            most = TIME_MAX_NS if column.endswith('_ns') else NUMBER_MAX
            fields[column] = reader.number(fields, column, most)
        check_summary(reader, run, fields)
        row = Row(fields, reader.line)
        row.text = texts
        run.rows.append(row)
    if not run.rows:
        reader.wrong('there is no row')


def check_summary(reader, run, fields):
    if not re.fullmatch(r'[0-9]{1,6}|all:.+', fields['cpu']):
        reader.wrong(f"cpu is '{fields['cpu']}', which is no CPU")
    reader.one_of(fields['method'], 'method', METHODS)
    reader.one_of(fields['verdict'], 'verdict', VERDICTS)
    if not re.fullmatch(r'max|0\.[0-9]{1,9}|1', fields['rule']):
        reader.wrong(f"rule is '{fields['rule']}', neither max nor a quantile")
    if not fields['state']:
        reader.wrong('state is empty')
    first = run.rows[0] if run.rows else None
    if first and (first.machine, first.cpu_model) != (fields['machine'], fields['cpu_model']):
        reader.wrong('the row is of another machine than the first one')
    key = fields['cpu'], fields['method'], fields['state']
    if run.find(key):
        reader.wrong(f'the row cpu{" ".join(key)} is there already')
    check_counts(reader, fields)


def check_counts(reader, fields):
    needed = OF_MEASURED if fields['armed'] is not None else ()
    needed += OF_SAMPLES if fields['valid'] else ()
    for column in ('declared_ns', *needed):
        if fields[column] is None:
            reader.wrong(f'{column} is empty')
    if fields['armed'] is None:
        if fields['valid'] or fields['discarded']:
            reader.wrong('armed is empty')
    elif fields['armed'] != fields['valid'] + fields['discarded']:
        reader.wrong('armed is not the sum of valid and discarded')
    for column in 'reached', 'package', 'above':
        if (fields[column] or 0) > (fields['valid'] or 0):
            reader.wrong(f'{column} is larger than valid')


def read_samples(run):
    """datapoints.csv, of which there may be millions of lines."""
    path = os.path.join(run.path, 'datapoints.csv')
    reader = lines.Table(path, read_bytes(path), Problem)
    for column in (*KEY, *SAMPLE_NUMBERS, *SAMPLE_SHARES, 'package'):
        if column not in reader.columns:
            reader.wrong(0, f'there is no column {column}: take what this version of '
                            'latency_test has written')
    parts = {row.key: [] for row in run.rows}
    places = {row.key: [] for row in run.rows}
    for block in reader.blocks():
        samples = read_block(block)
        for at, stamp, key, which in groups(block, reader, KEY):
            if key not in parts:
                reader.wrong(at, f'summary.csv has no row cpu{" ".join(key)}')
            if stamp != run.find(key).stamp:
                reader.wrong(at, f"stamp is '{stamp}', not that of summary.csv")
            parts[key].append(samples[which])
            places[key].append(which + block.first)
    for row in run.rows:
        if parts[row.key]:
            row.samples = np.concatenate(parts[row.key])
            check_samples(reader, row, np.concatenate(places[row.key]))


def groups(block, reader, columns):
    """Lines with the same key: the first one, its stamp and key, and the indexes of all."""
    found = {}
    starts = block.changes([reader.columns.index(column) for column in columns])
    for start, end in zip(starts, np.append(starts[1:], block.count)):
        cpu, method, stamp, state = (block.text(start, column) for column in columns)
        found.setdefault((stamp, (cpu, method, state)), []).append(np.arange(start, end))
    for (stamp, key), pieces in found.items():
        which = np.concatenate(pieces)
        yield which[0] + block.first, stamp, key, which


def read_block(block):
    samples = np.empty(block.count, SAMPLE_TYPE)
    for column, most in SAMPLE_NUMBERS.items():
        numbers, empty = block.numbers(column, most)
        if column not in OPTIONAL:
            block.refuse(empty, lambda at, name=column: f'{name} is empty')
        samples[column] = numbers
        if column in OPTIONAL:
            samples[column][empty] = np.nan
    for column in SAMPLE_SHARES:
        samples[column] = block.shares(column, SHARE_MAX)
    samples['package'] = block.words('package', 8)
    return samples


def check_samples(reader, row, places):
    """That no line is missing, and that times are those of the stamps."""
    samples = row.samples

    def refuse(wrong, what):
        if wrong.any():
            reader.wrong(places[np.argmax(wrong)], what)

    refuse(samples['seq'] != np.arange(len(samples)),
           'seq does not follow: lines are missing, doubled or moved')
    refuse(np.isnan(samples['wake_ns']) != np.isnan(samples['silent_ns']),
           'only one of wake_ns and silent_ns is there')
    wake = ~np.isnan(samples['wake_ns'])
    away = (samples['tai_tsc'] - samples['tbi_tsc']).astype('i8').astype(float)
    handler = (samples['tintr_tsc'] - samples['tai_tsc']).astype('i8').astype(float)
    slept = samples['silent_ns'] + samples['wake_ns']
    known = wake & (away > 0)
    # ns per cycle: the median, which one line that was changed does not move
    cycle = np.median(slept[known] / away[known]) if known.any() else 0
    handled = samples['intr_ns'] - samples['wake_ns']
    refuse(wake & ~(near(slept, away * cycle) & near(handled, handler * cycle)),
           'the times are not those of the stamps: one was changed')


def near(ns, expected):
    return np.abs(ns - expected) <= ROUNDING_NS + np.abs(expected) * DRIFT


def read_extra(run, name, columns, read):
    """A file that a run may lack, with lines that are each of a row."""
    if not os.path.exists(os.path.join(run.path, name)):
        return
    reader = Reader(run, name)
    reader.need(('cpu', 'method', 'state', *columns))
    for fields in reader:
        row = run.find((fields['cpu'], fields['method'], fields['state']))
        if not row:
            reader.wrong(f'summary.csv has no row cpu{fields["cpu"]} {fields["method"]} '
                         f'{fields["state"]}')
        read(reader, row, fields)


def read_discard(reader, row, fields):
    row.discards.append({
        'reason': fields['reason'], 'count': reader.present(fields, 'count'),
        'above': reader.present(fields, 'above'),
        'largest_ns': reader.number(fields, 'largest_ns', TIME_MAX_NS)})


STEP_LDIST = 'ldist_from_ns', 'ldist_to_ns'
STEP_COUNTS = 'samples', 'discarded', 'above'
STEP_TIMES = 'silent_min_ns', 'silent_max_ns', 'min_ns', 'median_ns', 'p99_ns', 'max_ns'


def read_step(reader, row, fields):
    step = {column: reader.present(fields, column, LDIST_MAX_NS) for column in STEP_LDIST}
    if not 0 < step['ldist_from_ns'] <= step['ldist_to_ns']:
        reader.wrong('ldist_from_ns and ldist_to_ns are no launch distances')
    step.update((column, reader.present(fields, column)) for column in STEP_COUNTS)
    step.update((column, reader.number(fields, column, TIME_MAX_NS)) for column in STEP_TIMES)
    if step['samples'] and (step['median_ns'] is None or step['max_ns'] is None):
        reader.wrong('a step with samples has no median_ns or no max_ns')
    step['change'] = fields['change']
    reader.one_of(step['change'], 'change', ('', 'slower', 'faster'))
    row.steps.append(step)


def read_truth(run):
    """What the idle states of an emulated processor did."""
    if not os.path.exists(os.path.join(run.path, 'truth.csv')):
        return
    reader = Reader(run, 'truth.csv')
    reader.need(('cpu', 'enter_ns', 'event_ns', 'exit_ns'))
    for fields in reader:
        for column in 'cpu', 'enter_ns', 'event_ns', 'exit_ns':
            fields[column] = reader.present(fields, column)
        run.truth.append(fields)


def read_environment(run):
    path = os.path.join(run.path, 'environment.txt')
    for line in split(path, read_bytes(path)):
        text = shown(line)
        run.lines.append(text)
        of_cpu = OF_CPU.fullmatch(text)
        key, value = of_cpu.groups() if of_cpu else (text.rpartition if text.startswith('cpu')
                                                     else text.partition)(': ')[::2]
        run.environment[key or text] = value
        state = STATE.fullmatch(line)
        for row in run.rows if state else ():
            if (row.cpu, row.state) == (state[1], state[2]):
                row.residency_ns = 1000 * int(state[3])


def stats_agree(row):
    """The summary has the statistics of WakeLatency where all samples have one."""
    def order(times):
        return tuple(quantile(times, part) for part in (50000, 99000, 99990)) + (
            times[0], times[-1])

    times, intr = row.ordered
    intr = order(intr)
    if (intr[0], intr[4]) != (row.intr_median_ns, row.intr_max_ns):
        return False
    wake = order(times) if row.has_wake else (None,) * 5
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
    read_extra(run, 'discards.csv', ('reason', 'count', 'above', 'largest_ns'), read_discard)
    read_extra(run, 'sweep.csv', (*STEP_LDIST, *STEP_COUNTS, *STEP_TIMES, 'change'), read_step)
    read_truth(run)
    read_environment(run)
    for row in run.rows:
        check_row(run, row)
    return run

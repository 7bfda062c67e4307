# SPDX-License-Identifier: GPL-2.0
"""judge.py QUESTION RUN CPUS DIR [FIRST ALL]: what was measured of many CPUs at once, on the emulated
processor. DIR has the log of that, all/summary.csv and, with ns for cycles of the TSC, rows of
datapoints.csv: all.ns, of one of the CPUs one.ns, and together.ns.

phases: which phases there were, and whether the first one and all of them took at most FIRST and ALL
    times as long as one CPU.
rows: there is a row for each CPU, of its phase, and one for all.
together: CPUs that woke up at the same time did so on time.
started: how long it took to start their sessions.
"""
import collections
import itertools
import sys

import figures
from readers import Judge, ProcessorLog, row_key, table

# Of CPUs that go on within this time, one executes what leads to its handler, more than 1000 ns,
# while the other one comes to its stamp.
TOGETHER_NS = 500
ADDED = 'median - truth, hrt and tdt'

# 448 sessions have to start in a second.
START_MOST_NS = 1000000000 / 448


def of_phases(rows):
    """Rows of one CPU each, without what was measured of its package while others were held."""
    return [row for row in rows if row['cpu'].isdigit() and not row['hold']]


def cpu_key(row):
    return row['cpu'], row_key(row)


def valid(rows):
    """The samples of each CPU, source and state."""
    counts = collections.Counter()
    for row in rows:
        counts[cpu_key(row)] += int(row['valid'])
    return counts


def taken_in_phases(directory):
    """What was measured of the package came after all phases."""
    left = valid(of_phases(table(f'{directory}/all/summary.csv')))
    for row in table(f'{directory}/all.ns'):
        left[cpu_key(row)] -= 1
        if left[cpu_key(row)] >= 0:
            yield row


def spans(samples):
    """When the samples of each CPU began, and ended, in order."""
    found = {}
    for row in samples:
        begin, end = found.get(row['cpu'], (float('inf'), 0))
        found[row['cpu']] = min(begin, int(row['tbi_ns'])), max(end, int(row['tai_ns']))
    return sorted(found.values())


def find_phases(samples):
    """The spans of those that overlap, as (CPUs, begin, end)."""
    found = []
    for begin, end in spans(samples):
        if found and begin < found[-1][2]:
            count, first, last = found.pop()
            begin, end = first, max(end, last)
        else:
            count = 0
        found.append((count + 1, begin, end))
    return found


def phases(judge, cpus, directory, *most_times):
    found = find_phases(taken_in_phases(directory))
    sizes = [count for count, _, _ in found]
    judge('all CPUs at once but one, and then that one', sizes == [int(cpus) - 1, 1], sizes)
    alone = sum(end - begin for begin, end in spans(table(f'{directory}/one.ns'))) or 1
    ends = [end - found[0][1] for _, _, end in found]
    names = 'the first phase', 'all phases'
    for name, most, end in zip(names, map(float, most_times), ends[:1] + ends[-1:]):
        judge(f'{name} against the time of one CPU', end / alone <= most,
              f'{end / alone:.3f}, must be <= {most}')


def rows(judge, cpus, directory, *_):
    everything = table(f'{directory}/all/summary.csv')
    phase = of_phases(everything)
    keys = {row_key(row) for row in phase}
    found = collections.Counter(map(cpu_key, phase))
    wanted = {(str(cpu), key): 1 for cpu, key in itertools.product(range(int(cpus)), keys)}
    judge('a row for each CPU, source and state', wanted and found == wanted, len(phase))
    concurrent = {row['concurrent'] for row in phase}
    judge('they say that they are concurrent', concurrent == {'yes'}, ', '.join(concurrent))

    package = [row for row in everything if row['hold']]
    wrong = [row for row in package if row['concurrent'] != 'no' or row['hold'] != 'package']
    judge('rows of the package are apart', package and not wrong, len(package))
    taken = collections.Counter(map(cpu_key, table(f'{directory}/all.ns')))
    judge('each row has the samples of its own CPU', taken == valid(phase + package),
          sum(taken.values()))

    types = {row_key(row): row for row in everything if row['cpu'].startswith('all:')}
    judge('a row for the core type, source and state', types.keys() == keys, len(types))
    pooled = [key for key, row in types.items() if int(row['valid']) !=
              sum(int(of['valid']) for of in phase if row_key(of) == key)]
    judge('it has the samples of the phases', not pooled, len(types) - len(pooled))
    failing = {row_key(row) for row in phase if row['verdict'] == 'FAIL'}
    passing = {key for key, row in types.items() if row['verdict'] == 'PASS'}
    judge('it is never PASS where a CPU is FAIL', not failing & passing, len(failing & passing))


def together(judge, _cpus, directory, *_):
    log = ProcessorLog(f'{directory}/truth.csv')
    pin = figures.read()[ADDED].high
    added = []
    for row in table(f'{directory}/together.ns'):
        period = log.last_before(row['cpu'], int(row['tai_ns']))
        at = period.exit
        others = (log.last_before(cpu, at + TOGETHER_NS) for cpu in log.exits if cpu != row['cpu'])
        if any(other and other.exit > at - TOGETHER_NS for other in others):
            added.append(int(row['wake_ns']) - (period.exit - period.event))
    judge('samples of CPUs that go on at the same time', len(added) >= 100, len(added))
    judge('they are what the log has', added and 0 <= min(added) and max(added) <= pin,
          f'{min(added, default="")} to {max(added, default="")} ns more, 0 to {pin:g} may be')


def started(judge, cpus, directory, *_):
    times = {row['round']: int(row['started_ns']) for row in table(f'{directory}/together.ns')}
    longest = max(times.values(), default=float('inf'))
    judge(f'START of {cpus} sessions, the longest of {len(times)}',
          longest <= int(cpus) * START_MOST_NS, f'{longest / 1000:g} us as measured')


def main():
    command, run, *arguments = sys.argv[1:]
    judges = {'phases': phases, 'rows': rows, 'together': together, 'started': started}
    judges[command](Judge(f'all: {run}'), *arguments)


main()

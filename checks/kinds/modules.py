# SPDX-License-Identifier: GPL-2.0
"""modules.py TRUTH_CSV COUNTERS: judge the modules of four cores in the log of the emulated
processor: one sleeps from when the last of its CPUs asked for that until the first one is woken.
COUNTERS has a line for each module: two times in ns, and what its counter advanced between them,
in us.
"""
import collections
import sys

from readers import Judge, table

CORES = 4
# Those of the processor whose states let the module sleep.
HINTS = ('0x22', '0x23')
# The clocks of two CPUs are so far apart: that one sleeps before another one is woken may be seen
# the other way round.
SKEW_NS = 2500
# Reading a register takes that long, and the counter shows whole us.
READING_US = 3


def asleep(periods):
    """From when until when a module sleeps: while none of its CPUs is outside of a period. One that
    falls asleep in the ns in which another one is woken, as by a disk that has waited for that, is
    taken to be the first: then the module sleeps for 0 ns.
    """
    changes = sorted([(period['enter'], 1) for period in periods] +
                     [(period['event'], -1) for period in periods],
                     key=lambda change: (change[0], -change[1]))
    count = 0
    since = None
    for time, change in changes:
        count += change
        if count == CORES:
            since = time
        elif since is not None:
            yield since, time
            since = None


def main():
    truth, counters = sys.argv[1:]
    judge = Judge('modules')
    periods = collections.defaultdict(list)
    for row in table(truth):
        if row['hint'] in HINTS:
            row['enter'], row['event'] = int(row['enter_ns']), int(row['event_ns'])
            periods[int(row['cpu']) // CORES].append(row)
    with open(counters, encoding='utf-8') as file:
        readings = [tuple(map(int, line.split())) for line in file]

    wrong = count = 0
    errors = []
    for module, of_module in sorted(periods.items()):
        slept = list(asleep(of_module))
        count += len(slept)
        # Of several that are woken at the same time, one finds it asleep.
        woken = sorted(row['event'] for row in of_module if row['module'] == 'MC6')
        wrong += len(woken) - len({until for _, until in slept} & set(woken))
        wrong += len({until for since, until in slept if until - since > SKEW_NS} - set(woken))
        first, last, advanced = readings[module]
        total = sum(max(min(until, last) - max(since, first), 0) for since, until in slept)
        errors.append(abs(advanced - total / 1000))
    judge('modules in the log', count > 100 and not wrong,
          f'{wrong} are wrong, modules slept {count} times')
    judge('counters of modules', len(errors) == len(readings) and max(errors) <= READING_US,
          f'{max(errors):.1f} us from the log at most, must be up to {READING_US}')


main()

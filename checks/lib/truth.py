# SPDX-License-Identifier: GPL-2.0
"""truth.py [OPTION...] RUN TRUTH_CSV DATAPOINTS_CSV: judge samples of one measured CPU by what
the emulated processor did.

The idle period of a sample is the last one of its CPU that ended before TAI.
"""
import argparse
import collections
import statistics

import figures
from readers import Judge, ProcessorLog, number, pairs, row_key, table

# What the instruments add to the truth: instructions around the idle one, with nic the steps of the
# card's clock, too, and with the stamps of the tracepoint what the kernel does until that, which
# differs from state to state. Each is pinned in README.md, under these names. Medians are compared
# within a method: they may not depend on the truth. That no sample is outside of its error and what
# is pinned there is what the verdict needs.
RESIDENCY = 'residency of a sample against the log, in percent of the interval'
METHODS = {'hrt': 'hrt and tdt', 'tdt': 'hrt and tdt', 'nic': 'nic'}
# Before v7.3 the kernel reads the time and only then programs the timer relative to now, so
# that it comes some 20 instructions late.
PROBE_LATE = {'hrt': 40, 'tdt': 0, 'nic': 0}


class Residencies:
    """Is what a counter has of an interval what it must have?"""

    def __init__(self, alone, shortest):
        self.alone = alone
        self.shortest = shortest
        self.compared = collections.Counter()
        self.errors = collections.defaultdict(list)

    def compare(self, row, counter, cycles):
        """It may be that the processor has no such counter."""
        if not row.get(counter):
            return
        self.compared[counter] += 1
        kind = 'time awake' if counter == 'c0_pct' else 'residency'
        share = 100 * cycles / int(row['interval_ns'])
        self.errors[kind].append(abs(float(row[counter]) - share))

    def check(self, row, period):
        """Core and package count until the event, C0 when the CPU is not in its period."""
        interval = number(row['interval_ns'])
        if interval <= 10000 or row['idle_periods'] != '1':
            return
        idle = period.event - period.enter
        # Within the interval counters are read one after the other, which takes 20 ns each.
        if interval > self.shortest:
            self.compare(row, 'c0_pct', interval - (period.exit - period.enter))
        if period.level in ('C3', 'C6'):
            self.compare(row, f'c{period.level.lower()}_pct', idle)
        if self.alone and period.package != 'PC0':
            self.compare(row, f'{period.package.lower()}_pct', idle)

    def judge(self, judge, counters, probe):
        for kind, errors in sorted(self.errors.items()):
            worst = round(max(errors), 3)
            # Where another CPU is busy, its clock may be ahead: how far differs with each build.
            if kind == 'residency' and self.alone and not probe:
                judge.figure(RESIDENCY, [worst], f' at most in {len(errors)} intervals')
            else:
                judge(f'{kind}, in percent of the interval', worst <= figures.read()[RESIDENCY].high,
                      f'{worst} at most in {len(errors)} intervals')
        for counter in counters:
            judge(f'{counter} counts', self.compared[counter] > 0, self.compared[counter])


def judge_medians(judge, added, probe):
    medians = collections.defaultdict(list)
    for (method, _), values in added.items():
        medians[method].append(statistics.median_low(values))
    for method, values in sorted(medians.items()):
        judge.figure(', '.join(filter(None, ['median - truth', probe, METHODS[method]])), values,
                     f' by {method}')
        where = 'by the tracepoint' if probe else METHODS[method]
        judge.figure(f'median - truth, largest less smallest, {where}',
                     [max(values) - min(values)], f' by {method}')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--exits', default='', help='STATE=NS ..., the truth of each period')
    parser.add_argument('--alone', action='store_true',
                        help='there is one CPU, so that the package does what that does')
    parser.add_argument('--probe', default='',
                        help='the kernel, whose stamps are those of the cpu_idle tracepoint')
    parser.add_argument('--counters', default='', help='those that must have counted')
    parser.add_argument('run')
    parser.add_argument('truth')
    parser.add_argument('datapoints')
    arguments = parser.parse_args()

    judge = Judge(f'truth: {arguments.run}')
    late = PROBE_LATE if arguments.probe else dict.fromkeys(METHODS, 0)
    pinned = {method: figures.read()[f'median - truth, {name}'].high
              for method, name in METHODS.items()}
    exits = pairs(arguments.exits)
    log = ProcessorLog(arguments.truth)
    # The kernels that have the tracepoint only need up to 460 ns around the idle period.
    residencies = Residencies(arguments.alone, 50000 if arguments.probe else 40000)
    added = collections.defaultdict(list)
    beyond = []
    samples = unknown = wrong_exits = outside = 0
    for row in table(arguments.datapoints):
        if not row['wake_ns']:
            continue
        samples += 1
        tai, wake = int(row['tai_ns']), int(row['wake_ns'])
        period = log.last_before(row['cpu'], tai)
        if not period or period.enter < int(row['tbi_ns']):
            unknown += 1
            continue
        truth = period.exit - period.event
        beyond.append(abs(wake - (tai - period.event)) - int(row['error_ns']))
        outside += beyond[-1] > pinned[row['method']] + late[row['method']]
        added[row['method'], row['state']].append(wake - truth)
        wrong_exits += truth != exits.get(row['state'], truth)
        residencies.check(row, period)

    judge('samples', samples > 0, samples)
    judge('samples without an idle period', not unknown, unknown)
    judge('periods with another exit latency', not wrong_exits, wrong_exits)
    judge.figure('samples further from the log than their error plus the pin above',
                 [outside] if samples else [],
                 f' of {samples}, the worst is {max(beyond, default="")} ns beyond its error')
    judge_medians(judge, added, arguments.probe)
    residencies.judge(judge, arguments.counters.split(), arguments.probe)


if __name__ == '__main__':
    main()

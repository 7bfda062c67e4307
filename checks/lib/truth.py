# SPDX-License-Identifier: GPL-2.0
"""truth.py [OPTION...] RUN TRUTH_CSV DATAPOINTS_CSV: judge samples of one measured CPU by what
the emulated processor did.

The idle period of a sample is the last one of its CPU that ended before TAI.
"""
import argparse
import collections
import statistics

import figures
from readers import Judge, ProcessorLog, number, pairs, table

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
# Where nothing is pinned: for the instructions around the idle one.
BEYOND_NS = 20


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


def judge_errors(judge, added, errors, most, software, probe):
    """Medians are within the error, and that is not larger than MOST."""
    for (method, state), values in sorted(added.items()):
        off, error = statistics.median(values), statistics.median(errors[method, state])
        off -= software.get(state, 0)
        if not probe:
            judge(f'{method}:{state}: median - truth', abs(off) <= error,
                  f'{off:.0f} ns, error {error:.0f} ns')
        largest = max(errors[method, state])
        judge(f'{method}:{state}: largest error', largest <= most, f'{largest} ns')


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--exits', default='', help='STATE=NS ..., the truth of each period; or '
                        'METHOD:STATE=NS ... of those that reached the state: then other methods '
                        'are not judged')
    parser.add_argument('--alone', action='store_true',
                        help='there is one CPU, so that the package does what that does')
    parser.add_argument('--probe', default='',
                        help='the kernel, whose stamps are those of the cpu_idle tracepoint')
    parser.add_argument('--counters', default='', help='those that must have counted')
    parser.add_argument('--error', type=int, help='what is promised is the error of a sample, '
                        'which is no larger than this, in ns, and not what is pinned')
    parser.add_argument('--software', default='', help='STATE=NS ..., what the cpuidle driver does '
                        'after the state where that is more than the instructions around it')
    parser.add_argument('run')
    parser.add_argument('truth')
    parser.add_argument('datapoints')
    return parser.parse_args()


def main():
    arguments = parse()
    judge = Judge(f'truth: {arguments.run}')
    beyond_error = {method: figures.read()[f'median - truth, {name}'].high +
                    (PROBE_LATE[method] if arguments.probe else 0)
                    for method, name in METHODS.items()}
    if arguments.error:
        beyond_error = collections.defaultdict(lambda: BEYOND_NS)
    exits = pairs(arguments.exits)
    methods = {key.partition(':')[0] for key in exits if ':' in key}
    log = ProcessorLog(arguments.truth)
    # The kernels that have the tracepoint only need up to 460 ns around the idle period.
    residencies = Residencies(arguments.alone, 50000 if arguments.probe else 40000)
    added, errors = collections.defaultdict(list), collections.defaultdict(list)
    beyond = []
    samples = unknown = wrong_exits = outside = 0
    for row in table(arguments.datapoints):
        if not row['wake_ns'] or (methods and row['method'] not in methods):
            continue
        samples += 1
        tai, wake = int(row['tai_ns']), int(row['wake_ns'])
        period = log.last_before(row['cpu'], tai)
        if not period or period.enter < int(row['tbi_ns']):
            unknown += 1
            continue
        truth = period.exit - period.event
        beyond.append(abs(wake - (tai - period.event)) - int(row['error_ns']))
        outside += beyond[-1] > beyond_error[row['method']]
        added[row['method'], row['state']].append(wake - truth)
        errors[row['method'], row['state']].append(int(row['error_ns']))
        # While a sibling is awake, a CPU is in C1, whatever it asks for.
        must = exits.get(f'{row["method"]}:{row["state"]}', truth) \
            if period.level == row['state'] else truth
        wrong_exits += truth != exits.get(row['state'], must)
        residencies.check(row, period)

    judge('samples', samples > 0, samples)
    judge('samples without an idle period', not unknown, unknown)
    judge('periods with another exit latency', not wrong_exits, wrong_exits)
    where = f' of {samples}, the worst is {max(beyond, default="")} ns beyond its error'
    if arguments.error:
        judge(f'samples further from the log than their error and {BEYOND_NS} ns',
              samples and not outside, f'{outside}{where}')
        judge_errors(judge, added, errors, arguments.error, pairs(arguments.software),
                     arguments.probe)
        found = {':'.join(key) for key in added}
        judge('methods', {key for key in exits if ':' in key} <= found, ', '.join(sorted(found)))
        return
    judge.figure('samples further from the log than their error plus the pin above',
                 [outside] if samples else [], where)
    judge_medians(judge, added, arguments.probe)
    residencies.judge(judge, arguments.counters.split(), arguments.probe)


if __name__ == '__main__':
    main()

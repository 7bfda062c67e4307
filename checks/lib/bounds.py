# SPDX-License-Identifier: GPL-2.0
"""Are samples within the error that they state of what the emulated processor did?"""
import argparse
import collections
import statistics

from readers import Judge, ProcessorLog, pairs, table

# What is promised of a sample: its error, and these for the instructions around the idle one.
BEYOND_NS = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tracepoint', action='store_true',
                        help='the stamps are those of the tracepoint, which are later')
    parser.add_argument('--check', default='waker', help='which check it is')
    parser.add_argument('--error', type=int, default=300, help='the largest error, in ns')
    parser.add_argument('--software', default='', help='STATE=NS ..., what the cpuidle driver does '
                        'after the state where that is more than the instructions around it')
    parser.add_argument('exits', nargs='*', help='METHOD:STATE=NS, what idle periods of CPU 0 took '
                        'from when the write or the IPI was sent; other methods are not judged')
    parser.add_argument('name')
    parser.add_argument('truth')
    parser.add_argument('datapoints')
    arguments = parser.parse_args()

    judge = Judge(f'{arguments.check}: {arguments.name}')
    log = ProcessorLog(arguments.truth)
    must = pairs(' '.join(arguments.exits))
    software = pairs(arguments.software)
    methods = {key.partition(':')[0] for key in must}
    added = collections.defaultdict(list)
    errors = collections.defaultdict(list)
    outside, worst, other = 0, 0, 0
    for row in table(arguments.datapoints):
        if methods and row['method'] not in methods:
            continue
        tai, wake, error = (int(row[column]) for column in ('tai_ns', 'wake_ns', 'error_ns'))
        period = log.last_before(row['cpu'], tai)
        beyond = abs(wake - (tai - period.event)) - error
        key = f'{row["method"]}:{row["state"]}'
        wrong = beyond > BEYOND_NS or period.enter < int(row['tbi_ns'])
        # While a sibling is awake, a CPU is in C1, whatever it asks for.
        expected = must.get(key, period.exit - period.event)
        is_other = period.level == row['state'] and period.exit - period.event != expected
        if wrong or is_other:
            print(f'    {dict(row)} {period}')
        outside += wrong
        worst = max(worst, beyond)
        other += is_other
        added[key].append(wake - (period.exit - period.event))
        errors[key].append(error)
    judge(f'samples further from the log than their error and {BEYOND_NS} ns',
          added and not outside,
          f'{outside} of {sum(map(len, added.values()))}, the worst is {worst} ns beyond')
    judge('idle periods that took something else', not other, other)
    for key in added:
        off, error = statistics.median(added[key]), statistics.median(errors[key])
        off -= software.get(key.partition(':')[2], 0)
        if not arguments.tracepoint:
            judge(f'{key}: median - truth', abs(off) <= error,
                  f'{off:.0f} ns, error {error:.0f} ns')
        judge(f'{key}: largest error', max(errors[key]) <= arguments.error,
              f'{max(errors[key])} ns')
    judge('methods', set(must) <= set(added), ', '.join(sorted(added)))


main()

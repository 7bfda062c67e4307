# SPDX-License-Identifier: GPL-2.0
"""judge.py DIR: judge the figures that the measurement must reach on the 3770K, where a tick is
1 ns. DIR has directories with the CSV files of checks/figures/check.sh:

enter, probe             every method and state, by stamp
rate-long, rate-short    one method in C1

The bounds are in README.md, see checks/lib/figures.py.
"""
import math
import sys

from readers import Judge, number, row_key, table

DECLARED = ['1000', '10000', '59000', '80000']


def cell(row, column):
    """What is missing is worse than anything."""
    return int(row[column]) if row[column] else math.inf


def rate(path):
    """Samples per second."""
    times = [int(row['ltime_ns']) for row in table(path)]
    return (len(times) - 1) * 1e9 / (times[-1] - times[0]) if len(times) > 1 else 0


def beyond(path):
    """From one event to the next, in ns without the launch distance, which is drawn. Between two
    samples that do not follow each other are the launch distances of discarded events, too.
    """
    rows = table(path)
    took = [int(row['ltime_ns']) - int(before['ltime_ns']) - int(row['ldist_ns'])
            for before, row in zip(rows, rows[1:])
            if int(row['event']) == int(before['event']) + 1]
    return sum(took) / len(took) if took else math.inf


def main():
    judge = Judge('figure')
    folder = sys.argv[1]
    enter, probe = (table(f'{folder}/{stamp}/summary.csv') for stamp in ('enter', 'probe'))

    def largest(name, rows, column, less=None):
        figure, row = max(((cell(row, column) - (number(row[less]) if less else 0), row_key(row))
                           for row in rows),
                          key=lambda each: each[0], default=(math.inf, 'no row'))
        judge.figure(name, [figure], f' in {row}')

    by_stamp = all(row['stamp'] == 'enter' for row in enter) and \
        all(row['stamp'] == 'probe' for row in probe)
    judge('rows of both methods and four states, by stamp',
          len(enter) == len(probe) == 8 and by_stamp,
          f'{len(enter)} and {len(probe)}, must be 8 and 8')
    declared = {method: [row['declared_ns'] for row in enter if row['method'] == method]
                for method in ('hrt', 'tdt')}
    judge('declared_ns', declared['hrt'] == declared['tdt'] == DECLARED,
          f'hrt {" ".join(declared["hrt"])}, tdt {" ".join(declared["tdt"])}')
    largest('WakeLatency median, stamps around enter', enter, 'median_ns')
    largest('WakeLatency median, cpu_idle probe', probe, 'median_ns')
    largest('WakeLatency spread, stamps around enter', enter, 'max_ns', 'min_ns')
    # With the tick stopped, tick_nohz_irq_enter() reads the clock and updates jiffies before the
    # handler runs.
    largest('IntrLatency median', enter, 'intr_median_ns')
    judge.figure('valid samples per method and state', [number(row['valid']) for row in enter])
    # How many there are per second is drawn with the distances.
    long = f'{folder}/rate-long/datapoints.csv'
    judge.figure('ns between samples beyond a launch distance of 0-4 ms', [round(beyond(long))],
                 f'; {int(rate(long))} samples per second')
    judge.figure('samples per second, launch distance 20-100 us',
                 [int(rate(f'{folder}/rate-short/datapoints.csv'))])


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""judge.py package RUN DATAPOINTS_CSV: how many of the samples for which a counter of the package
was read had its state, while the other CPUs were held.

judge.py medians RUN SUMMARY_CSV: how far the medians of all rows are apart.
"""
import sys

from readers import Judge, table


def package(judge, path):
    states = [row['package'] for row in table(path) if row['package']]
    judge('samples that tell of the package', len(states) >= 300, len(states))
    judge.figure('samples with the package state while other CPUs are held, in percent',
                 [100 * sum(state != 'PC0' for state in states) / len(states)] if states else [])


def medians(judge, path):
    values = {row['method']: int(row['median_ns']) for row in table(path) if row['median_ns']}
    judge.figure('medians without pre-wake, largest less smallest',
                 [max(values.values()) - min(values.values())] if len(values) > 1 else [],
                 ': ' + ', '.join(f'{method} {value}' for method, value in values.items()))


def main():
    command, run, path = sys.argv[1:]
    {'package': package, 'medians': medians}[command](Judge(f'keep: {run}'), path)


if __name__ == '__main__':
    main()

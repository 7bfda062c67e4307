#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""resample.py DIR PAIRS PERMILLE [exact]: pairs of runs that are drawn from the samples of a run,
with replacement; in the second of each, all samples take that much longer.

Prints a line for each row, "METHOD STATE", how many pairs found it slower, faster and the same,
and the median latency and error of the run; and a last line with how many pairs found anything.
With "exact" there is no margin, and samples have no errors, so that each finding counts.
"""
import copy
import os
import sys

import numpy as np
from numpy.lib.recfunctions import repack_fields

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from idle_latency import pairs, runs, statistics  # noqa: E402
from idle_latency.pairs import Change  # noqa: E402


# What a comparison takes of a sample: only these are drawn, thousands of times.
COLUMNS = 'ldist_ns', 'silent_ns', 'wake_ns', 'intr_ns', 'error_ns', 'reached', 'frequency_pct'


def draw(run, generator, permille, exact):
    """Of those at the same kind of launch distance, so that there are as many as before."""
    drawn = runs.Run(run.path)
    for row in run.rows:
        early = row.samples['ldist_ns'] < row.ldist_from_ns
        chosen = np.arange(len(early))
        for kind in (early, ~early):
            chosen[kind] = generator.choice(np.flatnonzero(kind), kind.sum())
        other = copy.copy(row)
        other.samples = samples = row.samples[chosen]
        drawn.add(other)
        for column in ('wake_ns', 'intr_ns'):
            samples[column] += np.floor(samples[column] * permille / 1000)
        if exact:
            samples['error_ns'] = 0
        other.settle()
    return drawn


def main():
    run = runs.load(sys.argv[1])
    for row in run.rows:
        row.samples = repack_fields(row.samples[list(COLUMNS)])
    count, permille, exact = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ['exact']
    margin = statistics.Margin(0, 0) if exact else statistics.Margin()
    generator = np.random.default_rng(17)
    found = {row.key: [] for row in run.rows}
    changed = 0
    for _ in range(count):
        of_pair = pairs.compare(draw(run, generator, 0, exact),
                                draw(run, generator, permille, exact), margin)
        for pair in of_pair:
            found[pair.a.key].append(pair.change)
        changed += any(pair.change in (Change.SLOWER, Change.FASTER) for pair in of_pair)
    for row in run.rows:
        times = [found[row.key].count(change)
                 for change in (Change.SLOWER, Change.FASTER, Change.SAME)]
        print(row.method, row.state, *times,
              statistics.quantile(pairs.counted(row, 'wake'), 50), int(pairs.median_error(row)))
    print(f'any {changed} of {count}')


if __name__ == '__main__':
    main()

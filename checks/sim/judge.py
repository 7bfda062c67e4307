# SPDX-License-Identifier: GPL-2.0
"""judge.py DATAPOINTS_CSV...: judge what was measured of simulated states, whose names say their
actual latency in ns, NS500 for example, by the stamps around enter and by the probe.
"""
import collections
import math
import sys

from readers import Judge, table

# What the instructions around the stamps add, 2 ns each, is pinned: a turn of the loop that looks for
# an interrupt and of the one that spins, and the return from ->enter(), some 50 in all; for the probe
# also the way to the tracepoint, some 85. Nothing varies there but the turn of the loop in which the
# interrupt comes.
STAMPS = {'enter': 'stamps around enter', 'probe': 'cpu_idle probe'}


def quantile(values, share):
    """Nearest rank: the smallest with at least that share of the sorted values not above it."""
    return values[math.ceil(share * len(values)) - 1]


def main():
    judge = Judge('sim')
    wake = collections.defaultdict(list)
    for path in sys.argv[1:]:
        for row in table(path):
            wake[row['stamp'], row['state']].append(int(row['wake_ns']))

    constant = {'enter': [], 'probe': []}
    spread = []
    for (stamp, state), values in wake.items():
        values.sort()
        constant[stamp].append(quantile(values, 0.5) - int(state[len('NS'):]))
        spread.append(quantile(values, 0.99) - quantile(values, 0.01))

    judge('states measured', all(len(values) == 9 for values in constant.values()),
          f'{len(constant["enter"])} and {len(constant["probe"])}, must be 9 and 9')
    for stamp, values in constant.items():
        judge.figure(f'median - actual, {STAMPS[stamp]}', values)
    judge.figure('p99 - p1', spread if constant['enter'] else [])


main()

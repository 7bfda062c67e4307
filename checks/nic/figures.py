#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""nic_figures.py STEADY FAST SLOW: judge what was measured of simulated states, whose names
say their actual latency in ns, NS500 for example. Takes the summary.csv of all three sources,
and of nic with cards whose clock runs fast and slow.
"""
import sys

from readers import Judge, table

# As by hrt, see sim.py, and at most two more turns of the loop that looks for an interrupt, of
# 16 instructions of 2 ns each: it looks for that of a card last.
TURNS = 2 * 32
BOUND = 120 + TURNS


def medians(path, method):
    return {row['state']: int(row['median_ns']) for row in table(path)
            if row['method'] == method and row['median_ns']}


def farthest(nic, other):
    """How far the medians are from those of nic, at most."""
    return max((abs(other[state] - nic[state]) for state in other if state in nic), default=0)


def main():
    judge = Judge('nic')
    steady, fast, slow = sys.argv[1:]
    nic, hrt, tdt = (medians(steady, method) for method in ('nic', 'hrt', 'tdt'))
    fast, slow = medians(fast, 'nic'), medians(slow, 'nic')

    judge('states measured', len(nic) == len(hrt) == len(tdt) == 9 and
          len(fast) == len(slow) == 3,
          f'{len(nic)}, must be 9 by each source, and 3 with other clocks')
    constant = [median - int(state[len('NS'):]) for state, median in nic.items()]
    least, most = min(constant, default=-1), max(constant, default=-1)
    judge('median - actual', least >= 0 and most <= BOUND,
          f'{least} to {most} ns, is pinned at 0 to {BOUND}')
    for name, other, bound in (('against hrt', hrt, TURNS), ('against tdt', tdt, TURNS),
                               ('clock of the card 100 ppm fast', fast, 20),
                               ('clock of the card 100 ppm slow', slow, 20)):
        apart = farthest(nic, other)
        judge(name, apart <= bound, f'{apart} ns, is pinned at <= {bound}')


if __name__ == '__main__':
    main()

# SPDX-License-Identifier: GPL-2.0
"""medians.py STEADY OTHER...: judge what was measured of simulated states, whose names
say their actual latency in ns, NS500 for example. Takes the summary.csv of all three sources,
and of nic with other cards, whose clock runs fast or slow.
"""
import sys

from readers import Judge, table

def medians(path, method):
    return {row['state']: int(row['median_ns']) for row in table(path)
            if row['method'] == method and row['median_ns']}


def farthest(nic, other):
    """How far the medians are from those of nic, at most."""
    apart = [abs(other[state] - nic[state]) for state in other if state in nic]
    return [max(apart)] if apart else []


def main():
    judge = Judge('nic')
    steady, *others = sys.argv[1:]
    nic, hrt, tdt = (medians(steady, method) for method in ('nic', 'hrt', 'tdt'))
    others = [medians(other, 'nic') for other in others]

    judge('states measured', len(nic) == len(hrt) == len(tdt) == 9 and
          all(len(other) == 3 for other in others),
          f'{len(nic)}, must be 9 by each source, and 3 with other cards')
    # As by hrt, and at most two more turns of the loop that looks for an interrupt, of 16
    # instructions of 2 ns each: it looks for that of a card last.
    judge.figure('median - actual, nic',
                 [median - int(state[len('NS'):]) for state, median in nic.items()])
    for other in (hrt, tdt):
        judge.figure('median against hrt and tdt, nic', farthest(nic, other))
    for other in others:
        judge.figure('medians, clock of the card 100 ppm fast or slow', farthest(nic, other))


main()

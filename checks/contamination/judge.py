# SPDX-License-Identifier: GPL-2.0
"""judge.py QUIET_CSV DISTURBED_CSV: judge the times of simulated states, whose names
say their actual latency in ns, measured without and with disturbances.
"""
import collections
import sys

from readers import Judge, table

# One turn of the loops in which a simulated state waits and spins.
SLACK = 50
SAMPLES = 2000


def wake_latencies(path):
    states = collections.defaultdict(list)
    for row in table(path):
        states[row['state']].append(int(row['wake_ns']))
    return states


def main():
    judge = Judge('contamination')
    quiet, disturbed = (wake_latencies(path) for path in sys.argv[1:])
    states = sorted(set(quiet) | set(disturbed))
    for state in states:
        before, after = quiet[state], disturbed[state]
        judge(f'samples of {state}', len(before) == len(after) == SAMPLES,
              f'{len(before)} and {len(after)}, must be {SAMPLES} each')
        least = min(after, default=-1)
        judge(f'minimum of {state}', least >= int(state[len('NS'):]),
              f'{least} ns with disturbances, must not be less than it takes')
        most, bound = max(after, default=-1), max(before, default=-1)
        judge(f'maximum of {state}', most <= bound + SLACK,
              f'{most} ns with disturbances, must be at most {bound} + {SLACK}')
    judge('states measured', len(states) == 2, f'{len(states)}, must be 2')


main()

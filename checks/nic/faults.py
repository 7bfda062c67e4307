# SPDX-License-Identifier: GPL-2.0
"""faults.py FAULT CARD_CSV DIR: judge whether a row of the source nic, which latency_test has
written to DIR, counts each fault of the emulated card once, and nothing else as one.

All launch distances of the row are so large that each event is armed in time and waited for.
What becomes of an event with the fault is then known. Sessions before the row have events that
are nearer, of which that is not known.
"""
import os
import sys

from readers import Judge, table

# Few events make a row in which a fault that is not counted is chance.
FAULTS = 10

# For what the driver discards an event with the fault, and nothing else in this row.
REASONS = {'never': 'lost', 'twice': 'spurious', 'wrong-cause': 'spurious', 'early': 'early_intr'}


def faults_of_row(card, samples, armed):
    """The faults at the events of the row: as many as were armed, up to that of its last sample,
    with which it ends.
    """
    last = max(i for i, row in enumerate(card)
               if row['event'] == 'arm' and row['clock_ns'] == samples[-1]['ltime_ns'])
    arms = [i for i, row in enumerate(card[:last + 1]) if row['event'] == 'arm']
    return sum(row['event'] == 'fault' for row in card[arms[-armed]:last])


def discarded_for(reason, out):
    """How many events of the row. That the handler ran before LTime is said of each such event,
    which may be counted under a reason that comes first.
    """
    if reason == 'early_intr':
        return sum(reason in row['reasons'].split('+')
                   for row in table(os.path.join(out, 'discarded.csv')))
    return sum(int(row['count']) for row in table(os.path.join(out, 'discards.csv'))
               if row['reason'] == reason)


def main():
    fault, card, out = sys.argv[1:]
    judge = Judge(f'nic: {fault}')
    row, = table(os.path.join(out, 'summary.csv'))
    faults = faults_of_row(table(card), table(os.path.join(out, 'datapoints.csv')),
                           int(row['armed']))
    discarded = discarded_for(REASONS[fault], out)

    judge('faults of the row', faults >= FAULTS, f'{faults}, must be at least {FAULTS}')
    judge('each is counted once', discarded == faults,
          f'{discarded} events discarded as {REASONS[fault]}, {faults} faults')


main()

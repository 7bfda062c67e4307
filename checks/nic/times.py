# SPDX-License-Identifier: GPL-2.0
"""times.py RUN CARD_CSV DATAPOINTS_CSV: judge samples of the source nic by what the emulated
card did.
"""
import collections
import sys

from readers import Judge, table


class CardLog:
    """The events of the card."""

    def __init__(self, path):
        self.fired = collections.defaultdict(list)
        # Target times of events that came before their time: that is decided when they are armed.
        self.early = set()
        # A read of the card takes as long as its shortest.
        self.link = None
        armed = None
        for row in table(path):
            event, clock = row['event'], row['clock_ns']
            if event == 'latch':
                _, begin, _, end = row['detail'].split()[:4]
                took = int(end) - int(begin)
                self.link = took if self.link is None else min(self.link, took)
            elif event == 'arm':
                armed = clock
            elif event == 'fault' and row['detail'].startswith('early '):
                self.early.add(armed)
            elif event == 'fire':
                # clock_ns is the target time then, as is ltime_ns of a sample.
                self.fired[clock].append(int(row['virtual_ns']))

    def fired_at(self, target, before):
        """When the event fired. The clock of the card begins anew when that is reset, so that
        there may be several with its target time: the last one before.
        """
        return max((time for time in self.fired[target] if time <= before), default=None)


def times(row, event):
    """How far each time of a sample is wrong, and by how much it may be."""
    error = int(row['error_ns'])
    if row['silent_ns']:
        silent = int(row['silent_ns'])
        # The clocks may be 600 ppm apart.
        yield abs(int(row['tbi_ns']) - event + silent), error + silent * 0.0006 + 1
    if row['wake_ns']:
        yield abs(int(row['tai_ns']) - event - int(row['wake_ns'])), error
    yield abs(int(row['tintr_ns']) - event - int(row['intr_ns'])), error


def main():
    run, card, datapoints = sys.argv[1:]
    judge = Judge(f'nic: {run}')
    log = CardLog(card)
    samples = [row for row in table(datapoints) if row['method'] == 'nic']
    unknown = misread = outside = worst = 0
    for row in samples:
        event = log.fired_at(row['ltime_ns'], int(row['tintr_ns']))
        if event is None:
            unknown += 1
            continue
        misread += not log.link <= int(row['latch_ns']) <= log.link + 100
        misread += int(row['warmup_ns']) < log.link
        for wrong, error in times(row, event):
            outside += wrong > error
            worst = max(worst, wrong)
    too_early = sum(row['ltime_ns'] in log.early for row in samples)
    widest = max((int(row['error_ns']) for row in samples), default=0)

    judge('samples', samples, len(samples))
    judge('samples of events that never fired', not unknown, unknown)
    judge('samples of events that came too early', not too_early, too_early)
    judge.figure('times outside of their error bound, nic', [outside],
                 f', the worst is wrong by {worst} ns')
    judge('latch_ns and warmup_ns', not misread,
          f'{misread} are not as long as a read of the card, {log.link} ns')
    judge.figure('error bound of a sample, nic', [widest] if samples else [])


main()

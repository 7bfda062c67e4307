# SPDX-License-Identifier: GPL-2.0
"""judge.py RUN OUTLIERS TRUTH_CSV SUMMARY_CSV DATAPOINTS_CSV DISCARDED_CSV: is each wake-up
of CPU 0 that took very long found again? OUTLIERS are "HINT=STATE=NS ...".

An outlier belongs to the first record that ends after it. When the event of that fired
before the CPU was awake, the latency of the record has to be above the limit; when it
fired later, something else ended the idle period, and nobody waited.
"""
import collections
import sys

from readers import Judge, ProcessorLog, number, row_key, table

# Three states by three methods
ROWS = 9
# Launch distances end at 90 us.
LONGEST_LDIST_NS = 90000

Record = collections.namedtuple('Record', 'tbi tai fired latency above')


def read_record(row, limit):
    """Without an IntrLatency, of an event that was early, TIntr is when it fired as far as is
    known. The latency of one that fired before the CPU was idle counts from TBI on.
    """
    tbi, tai, wake = number(row['tbi_ns']), number(row['tai_ns']), number(row['wake_ns'])
    return Record(tbi, tai, number(row['tintr_ns']) - number(row['intr_ns']),
                  wake or tai - tbi, wake - number(row['error_ns']) > limit)


class Row:
    """What was measured of a state by a method."""

    def __init__(self, summary):
        self.summary = summary
        self.limit = int(summary['declared_ns'])
        self.samples = []
        self.discarded = []
        # An event in which the CPU was never idle has no stamps, and no outlier belongs to it.
        self.never_idle = 0

    def add(self, row, records):
        if number(row['tbi_ns']):
            records.append(read_record(row, self.limit))
        else:
            self.never_idle += 1

    def begin(self):
        return min(record.tbi for record in self.samples + self.discarded)

    def search(self, outliers):
        """How many outliers are among the samples, the discarded, hidden, of no concern."""
        found = collections.Counter()
        records = sorted([(record.tai, 0, record) for record in self.samples] +
                         [(record.tai, 1, record) for record in self.discarded],
                         key=lambda each: each[0])
        at = 0
        for period in outliers:
            while at < len(records) and records[at][0] < period.exit:
                at += 1
            if at == len(records):
                # Then the session was over, but for an event that had been armed.
                found['after'] += period.event < records[-1][0] + LONGEST_LDIST_NS
                continue
            _, is_discarded, record = records[at]
            if record.fired + self.limit > period.exit:
                found['nobody'] += 1
            elif record.tbi <= period.enter and record.latency > self.limit:
                found['discarded' if is_discarded else 'samples'] += 1
            else:
                found['hidden'] += 1
        return found


def judge_row(judge, key, row, outliers):
    summary = row.summary
    begin = row.begin() if row.samples or row.discarded else 0
    found = row.search([period for period in outliers if period.enter >= begin])
    waited = found['samples'] + found['discarded'] + found['hidden']
    judge.figure('wake-ups of 0.9, 5 and 20 ms, one in 20, that are neither a sample nor counted among '
                 'the discarded', [found['hidden']],
                 f', {key}: hidden; {found["samples"]} are samples, {found["discarded"]} discarded; '
                 f'nobody waited in {found["nobody"]}')
    judge(f'{key}: an event had to wait', waited >= 100, f'{waited} times')
    judge(f'{key}: nobody waited', found['nobody'] * 10 <= waited, f'{found["nobody"]} times')

    judge(f'{key}: outliers after the last record', found['after'] <= 1, found['after'])

    # The last event of each of two sessions may be stopped without a record.
    events = len(row.discarded) + row.never_idle
    judge(f'{key}: records', len(row.samples) == int(summary['valid']) and
          int(summary['discarded']) - events <= 2,
          f'{len(row.samples)} of {summary["valid"]} samples, {events} of '
          f'{summary["discarded"]} discarded events')
    slow = sum(record.above for record in row.samples)
    judge(f'{key}: verdict', summary['verdict'] == 'FAIL' and number(summary['above']) == slow and
          number(summary['discarded_above']) >= found['discarded'],
          f'{summary["verdict"]}, {summary["above"]} above, must be {slow}, and '
          f'{summary["discarded_above"]} of the discarded')


def main():
    run, wanted, truth, summary, datapoints, discarded = sys.argv[1:]
    judge = Judge(f'outliers: {run}')
    outliers = {}
    periods = ProcessorLog(truth).periods['0']
    for hint, state, takes in (each.split('=') for each in wanted.split()):
        outliers[state] = [period for period in periods
                           if period.hint == hint and period.exit - period.event >= int(takes)]

    rows = {row_key(row): Row(row) for row in table(summary)}
    for row in table(datapoints):
        rows[row_key(row)].add(row, rows[row_key(row)].samples)
    unexplained = 0
    for row in table(discarded):
        rows[row_key(row)].add(row, rows[row_key(row)].discarded)
        unexplained += not row['reasons']

    judge('rows', len(rows) == ROWS, f'{len(rows)}, must be {ROWS}')
    judge('discarded events without a reason', not unexplained, unexplained)
    for key, row in sorted(rows.items()):
        judge_row(judge, key, row, outliers.get(row.summary['state'], []))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""waited.py METHOD STATE TRUTH_CSV SUMMARY_CSV DATAPOINTS_CSV DISCARDED_CSV: print a line for each
event of CPU 0 that had to wait for longer than its state declares, by the log of the emulated
processor: "sample" or "discarded", for how many ns the CPU was idle, and how long the event waited.

It waits from when it fires until the CPU has left the idle period that it ends; one that had
fired before the CPU went idle waits for none.
"""
import sys

from readers import ProcessorLog, number, row_key, table


def main():
    method, state, truth, summary, *files = sys.argv[1:]
    log = ProcessorLog(truth)
    key = f'{method} {state}'
    declared, = (int(row['declared_ns']) for row in table(summary) if row_key(row) == key)
    for kind, path in zip(('sample', 'discarded'), files):
        for row in table(path):
            period = log.last_before(row['cpu'], number(row['tai_ns']))
            fired = number(row['tintr_ns']) - number(row['intr_ns'])
            if row_key(row) == key and period and period.exit > fired + declared and \
                    number(row['tbi_ns']) <= period.enter <= fired:
                print(kind, period.exit - period.enter, period.exit - fired)


if __name__ == '__main__':
    main()

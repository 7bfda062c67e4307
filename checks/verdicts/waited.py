# SPDX-License-Identifier: GPL-2.0
"""waited.py QUESTION METHOD STATE TRUTH_CSV SUMMARY_CSV DATAPOINTS_CSV DISCARDED_CSV ARGUMENT: which
events of CPU 0 had to wait for longer than their state declares, by the log of the emulated
processor?

row	prints what the row must be, where nothing waited: METHOD STATE and ARGUMENT.
within	fails when the CPU was idle for more than ARGUMENT ns before one of them, whether it was
	discarded or not.
counted	fails unless as many samples and discarded events are above the limit, but for those that
	are within the error of the measurement.

An event waits from when it fires until the CPU has left the idle period that it ends; one that had
fired before the CPU went idle waits for none.
"""
import sys

from readers import ProcessorLog, number, row_key, table


def read(method, state, truth, summary, *files):
    """The row of the summary, and of its samples and discarded events that waited for how many ns
    the CPU was idle, and how long they waited.
    """
    log = ProcessorLog(truth)
    key = f'{method} {state}'
    summary, = (row for row in table(summary) if row_key(row) == key)
    waits = {'sample': [], 'discarded': []}
    for kind, path in zip(waits, files):
        for row in table(path):
            period = log.last_before(row['cpu'], number(row['tai_ns']))
            fired = number(row['tintr_ns']) - number(row['intr_ns'])
            if row_key(row) == key and period and \
                    period.exit > fired + int(summary['declared_ns']) and \
                    number(row['tbi_ns']) <= period.enter <= fired:
                waits[kind].append((period.exit - period.enter, period.exit - fired))
    return summary, waits


def counted(summary, waits):
    surely_above = sum(number(summary[column])
                       for column in ('declared_ns', 'error_ns', 'uncertain_ns'))
    right = True
    for kind, column in (('sample', 'above'), ('discarded', 'discarded_above')):
        surely = sum(waited > surely_above for _, waited in waits[kind])
        above = number(summary[column])
        print(f'verdicts: by the log {surely} to {len(waits[kind])} of {kind} are above, '
              f'{above} are counted')
        right = right and surely <= above <= len(waits[kind])
    return right


def main():
    question, *files, argument = sys.argv[1:]
    summary, waits = read(*files)
    if question == 'row':
        print(row_key(summary), 'FAIL' if waits['sample'] else
              'SKIP discarded events above the limit' if waits['discarded'] else argument)
    elif question == 'within':
        sys.exit(any(idle > int(argument) for each in waits.values() for idle, _ in each))
    else:
        sys.exit(not counted(summary, waits))


main()

# SPDX-License-Identifier: GPL-2.0
"""What the judges of a measurement read, and how they say what they found.

A judge prints PASS or FAIL and a figure, one line each. Where a file has cycles of the TSC,
in_ns of scripts/lib/machine.sh makes ns of them before.
"""
import bisect
import collections
import csv

import figures


class Judge:
    """Prints results, which begin with SUBJECT."""

    def __init__(self, subject):
        self.subject = subject

    def __call__(self, name, reached, figure):
        print(f'{"PASS" if reached else "FAIL"} {self.subject}: {name}: {figure}')

    def figure(self, name, values, where=''):
        """One of those in the documents, which have its bounds."""
        figures.judge_figure(self.subject, name, values, where)


def table(path):
    """The rows of a CSV file, each a dictionary of text."""
    with open(path, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def number(text):
    """Of a cell, which may be empty."""
    return int(text) if text else 0


def pairs(text):
    """NAME=NUMBER ..., as a dictionary."""
    return {name: int(value) for name, value in (pair.split('=') for pair in text.split())}


def row_key(row):
    return f'{row["method"]} {row["state"]}'


Period = collections.namedtuple('Period', 'hint enter event exit level package')


class ProcessorLog:
    """truth.csv of the emulated processor: the idle periods of each CPU, in order."""

    def __init__(self, path):
        self.periods = collections.defaultdict(list)
        for row in table(path):
            self.periods[row['cpu']].append(Period(
                row['hint'], int(row['enter_ns']), int(row['event_ns']), int(row['exit_ns']),
                row['level'], row['package']))
        self.exits = {cpu: [period.exit for period in periods]
                      for cpu, periods in self.periods.items()}

    def last_before(self, cpu, time):
        """The last period of the CPU that ended by then."""
        count = bisect.bisect_right(self.exits.get(cpu, []), time)
        return self.periods[cpu][count - 1] if count else None

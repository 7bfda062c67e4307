# SPDX-License-Identifier: GPL-2.0
"""What was measured, by what papers found: TABLES has that, and DIR/RUN/out/MEASURED what was measured.

judge.py table TABLES PAPER DIR: a table; a run has the name of the processor, and measured is PAPER.

judge.py changed NAME ROW LOG: what "idle-latency compare" says of a row, in us, by the figure NAME.

judge.py procedure STEPS SAMPLES DIR <ROWS: sweeps of so many steps of so many samples, of rows as in
TABLES, in the runs PROCESSOR-STATE; "all" is measured, and its times in ns are in samples.csv.
"""
import collections
import re
import statistics
import sys

import figures
from readers import Judge, ProcessorLog, number, row_key, table
from truth import METHODS

# From the fastest to what the paper found, as its figure 4 shows them.
FASTEST_NS = 2000
PROCEDURE = 'waltr, procedure of chapter 4.7'

Row = collections.namedtuple('Row', 'paper processor method state ns must')


def rows_of(lines):
    for line in lines:
        paper, *fields = line.split() or '#'
        if paper not in ('#', 'paper'):
            processor, method, state, ns, *must = fields
            yield Row(paper, processor, method, state, int(ns), must)


def read(path, paper):
    """The title of a paper's table, and its rows by processor."""
    with open(path, encoding='utf-8') as file:
        lines = file.readlines()
    title, = (line.split(' ', 2)[2].strip() for line in lines if line.startswith(f'paper {paper} '))
    rows = collections.defaultdict(list)
    for row in rows_of(lines):
        if row.paper == paper:
            rows[row.processor].append(row)
    return title, rows


def summary(directory, run, measured):
    return {row_key(row): row for row in table(f'{directory}/{run}/out/{measured}/summary.csv')}


def added_figure(method, driver='intel_idle', state=''):
    """The name of the figure that says what the instruments add to a median, see added_by_row().

    acpi_idle runs for longer than intel_idle before the driver reads its stamp.
    """
    if driver == 'intel_idle':
        return f'median - truth, {METHODS[method]}'
    return f'sample - truth at no distance, {driver} of v7.3, {state} by {method}'


def added_most(figure):
    return figures.read()[figure].high


def added_by_row(row, measured, directory):
    """What the instruments add to the state.

    The processor of which acpi_idle has the states has a timer without a deadline, whose rate the
    kernel found out at boot, to some ppm: launch distances of 3.6 ms are wrong by some 40 ns, one way
    with this kernel and the other way with that. Hence it is what they add at a distance of 0.
    """
    if measured['driver'] == 'intel_idle':
        return number(measured['median_ns']) - row.ns
    samples = [sample for sample in table(f'{directory}/{row.processor}/out/{row.paper}/datapoints.csv')
               if row_key(sample) == row_key(measured) and sample['wake_ns']]
    line = statistics.linear_regression([number(sample['ldist_ns']) for sample in samples],
                                        [number(sample['wake_ns']) for sample in samples])
    return round(line.intercept) - row.ns


def judge_row(judge, row, measured, directory, added_by):
    """The verdict, and that the state takes what the paper says. added_by has what was added."""
    name = f'{row.processor} {row.state} by {row.method}'
    verdict = [measured['verdict'], *filter(None, measured['qualifier'].split('+'))]
    added = added_by_row(row, measured, directory) if measured['median_ns'] else 0
    figure = added_figure(row.method, measured['driver'], row.state)
    right = 0 <= added <= added_most(figure)
    if measured['median_ns'] and measured['driver'] != 'intel_idle':
        added_by[figure].append(added)
    judge(name, sorted(verdict) == sorted(row.must) and right,
          f'{measured["max_ns"] or measured["intr_max_ns"]} of {measured["declared_ns"]} ns, '
          f'{" ".join(verdict)} {measured["reason"]}, must be {row.ns} ns and {" ".join(row.must)}')


def judge_table(path, paper, directory):
    title, processors = read(path, paper)
    judge = Judge(f'papers: {paper}')
    failed, beyond, added_by = 0, [], collections.defaultdict(list)
    for processor, rows in processors.items():
        found = summary(directory, processor, paper)
        for row in rows:
            measured = found.pop(f'{row.method} {row.state}', None)
            if not measured:
                judge(f'{processor} {row.state} by {row.method}', False, 'was not measured')
                continue
            judge_row(judge, row, measured, directory, added_by)
            if measured['verdict'] == 'FAIL':
                failed += 1
                if measured['max_ns']:
                    beyond.append(number(measured['max_ns']) - number(measured['declared_ns']))
        judge(f'{processor}: rows that the paper has not', not found, ' '.join(found) or 'none')
    for figure, added in added_by.items():
        Judge('papers').figure(figure, [min(added), max(added)], ' ns')
    judge.figure(f'{title}: FAIL', [failed], f' of {sum(map(len, processors.values()))}')
    if beyond:
        judge.figure(f'{title}: longer than declared, where it is FAIL',
                     [min(beyond), max(beyond)], ' ns')


def judge_changed(name, row, log):
    with open(log, encoding='utf-8') as file:
        said = re.search(rf'^{row} became \w+ by ([\d.]+)(?: to ([\d.]+))? us', file.read(), re.M)
    Judge('papers').figure(name, map(float, filter(None, said.groups() if said else ())), ' us')


class Sweep:
    """What the procedure found in a state."""

    def __init__(self, directory, row):
        run = f'{row.processor}-{row.state}'
        path = f'{directory}/{run}'
        key = f'{row.method} {row.state}'
        self.found = summary(directory, run, 'all')[key]
        self.steps = [number(step['samples']) for step in table(f'{path}/out/all/sweep.csv')
                      if row_key(step) == key]
        log = ProcessorLog(f'{path}/out/truth.csv')
        self.samples = table(f'{path}/samples.csv')
        self.outside = sum(not self.is_true(sample, log) for sample in self.samples)

    @staticmethod
    def is_true(sample, log):
        """Whether its times are those of the log, but for its error and what is pinned."""
        within = number(sample['error_ns']) + added_most(added_figure(sample['method']))
        handled, tai = number(sample['tintr_ns']), number(sample['tai_ns'])
        period = log.last_before(sample['cpu'], handled)
        if not period or abs(handled - number(sample['intr_ns']) - period.event) > within:
            return False
        return not sample['wake_ns'] or \
            abs(tai - number(sample['wake_ns']) - period.event) <= within


def judge_procedure(steps, samples, directory):
    judge = Judge('papers: procedure')
    sets = taken = outside = failed = 0
    beyond = []
    for row in rows_of(sys.stdin):
        sweep = Sweep(directory, row)
        name = f'{row.processor} {row.state}'
        judge(f'{name}: steps', sweep.steps == [int(samples)] * int(steps),
              f'{len(sweep.steps)}, {min(sweep.steps)} to {max(sweep.steps)} samples each')
        verdict = sweep.found['verdict']
        judge(f'{name}: verdict', verdict == row.must[0], f'{verdict}, must be {row.must[0]}')
        sets += len(sweep.steps)
        taken += len(sweep.samples)
        outside += sweep.outside
        failed += verdict == 'FAIL'
        if sweep.found['max_ns']:
            least, most = number(sweep.found['min_ns']), number(sweep.found['max_ns'])
            judge(f'{name}: a cloud', FASTEST_NS <= least <= FASTEST_NS + 100, f'{least} to {most} ns')
            beyond.append(most - row.ns)
    judge.figure(f'{PROCEDURE}: samples', [taken], f' in {sets} sets')
    judge.figure(f'{PROCEDURE}: samples outside of their bound', [outside])
    judge.figure(f'{PROCEDURE}: FAIL', [failed])
    judge.figure(f'{PROCEDURE}: largest sample of a state less what it takes at most',
                 [min(beyond), max(beyond)] if beyond else [], ' ns')


def main():
    command, *arguments = sys.argv[1:]
    {'table': judge_table, 'changed': judge_changed, 'procedure': judge_procedure}[command](
        *arguments)


main()

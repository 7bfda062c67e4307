# SPDX-License-Identifier: GPL-2.0
"""judge.py RUN FROM:TO:PERCENT% KNEES DIR LOG: judge a sweep by what the processor does: KNEES,
joined by commas, are the times in ns from which on its states take longer, or "none". LOG is
what latency_test said.
"""
import collections
import re
import statistics
import sys

from readers import Judge, number, row_key, table

SLOPE = re.compile(r'cpu\d+ (\w+ \w+): WakeLatency becomes (\w+) from a SilentTime of '
                   r'(\d+) to (\d+) ns')
# A knee is between the medians of the step before the one that it lies in and of the one after:
# two steps of 10 %. Of 70 us, 10 us and more pass until the CPU is idle.
WIDTH = ('a state that takes longer from a time on: the SilentTimes between which a sweep finds '
         'that, the last by the first')


def slopes(path):
    """What was said of each row."""
    said = collections.defaultdict(list)
    with open(path, encoding='utf-8') as file:
        for row, change, begin, end in SLOPE.findall(file.read()):
            said[row].append((change, int(begin), int(end)))
    return said


def judge_knees(judge, row, knees, said):
    text = ', '.join(f'{change} {begin} to {end}' for change, begin, end in said) or 'none'
    right = len(said) == len(knees) and all(
        change == 'longer' and begin <= knee <= end
        for knee, (change, begin, end) in zip(knees, said))
    judge(f'{row}: knees', right, f'{text}, must be at {knees or "none"}')
    if said:
        judge.figure(WIDTH, [round(max(end / begin for _, begin, end in said), 3)], f' in {row}')


def steps_of(spec):
    """FROM and TO of each step."""
    begin, end, percent = (int(number) for number in spec.rstrip('%').split(':'))
    steps = []
    while begin <= end:
        following = begin + max(begin * percent // 100, 1)
        steps.append((begin, min(following - 1, end)))
        begin = following
    return steps


def agrees(step, samples):
    """Whether a line says what the samples at its launch distances do."""
    times = sorted(number(row['wake_ns']) for row in samples)
    if not times:
        return step['samples'] == '0' and not step['max_ns']
    return ([number(step[key]) for key in ('samples', 'min_ns', 'median_ns', 'max_ns', 'above')] ==
            [len(times), times[0], statistics.median_low(times), times[-1],
             sum(number(row['wake_ns']) - number(row['error_ns']) > number(step['declared_ns'])
                 for row in samples)])


def main():
    run, spec, knees, directory, log = sys.argv[1:]
    judge = Judge(f'sweep: {run}')
    knees = [] if knees == 'none' else [int(knee) for knee in knees.split(',')]
    lines, samples = collections.defaultdict(list), collections.defaultdict(list)
    for line in table(f'{directory}/sweep.csv'):
        lines[row_key(line)].append(line)
    for row in table(f'{directory}/datapoints.csv'):
        samples[row_key(row)].append(row)
    said = slopes(log)
    for row, steps in lines.items():
        judge_knees(judge, row, knees, said[row])
        seen = [(number(step['ldist_from_ns']), number(step['ldist_to_ns'])) for step in steps]
        judge(f'{row}: steps', seen == steps_of(spec), f'{len(seen)} from {seen[0]} to {seen[-1]}')
        wrong = [step['ldist_from_ns'] for step, (begin, end) in zip(steps, seen)
                 if not agrees(step, [sample for sample in samples[row]
                                      if begin <= number(sample['ldist_ns']) <= end])]
        judge(f'{row}: lines say what the samples do', not wrong, f'{wrong or "all"}')
    judge('rows', bool(lines), f'{len(lines)}')


main()

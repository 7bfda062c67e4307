#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""recipes.py DOCUMENT DIR: run what the section "Recipes" of the document has in a directory
with results, and judge what each command prints by what the files there have.
"""
import json
import math
import re
import subprocess
import sys

from readers import Judge, number, table


def questions(path):
    """The first words of each question, and its commands."""
    with open(path, encoding='utf-8') as file:
        section = re.search(r'^Recipes\n=+\n(.*?)\n(?=[^\n]+\n=+\n)', file.read(),
                            re.MULTILINE | re.DOTALL).group(1)
    for text, block in re.findall(r'^(\S.*(?:\n\S.*)*)::\n\n((?:    .*\n|\n)+)', section,
                                  re.MULTILINE):
        lines = '\n'.join(line[4:] for line in block.rstrip().split('\n'))
        yield ' '.join(text.split()), lines.split('\n\n')


def printed(command, directory):
    """The fields of each line, or of each object."""
    said = subprocess.run(['sh', '-euc', command], cwd=directory, check=True,
                          stdout=subprocess.PIPE, encoding='utf-8').stdout
    if said.startswith('['):
        return [[str(value) for value in row.values()] for row in json.loads(said)]
    return [re.split('[ ,]+', line.strip('\r')) for line in said.splitlines()]


def comparable(row):
    """Numbers are the same however many digits they are printed with."""
    return [round(float(cell), 6) if re.fullmatch(r'[0-9.]+', cell) else cell for cell in row]


def by_key(rows):
    return sorted(map(comparable, rows))


class Answers:
    """What must be printed, from the same files."""

    def __init__(self, directory):
        self.samples = table(f'{directory}/datapoints.csv')
        self.summary = table(f'{directory}/summary.csv')

    def largest(self, rows):
        times = sorted((number(row['wake_ns']) for row in self.samples), reverse=True)
        keys = 'method', 'state', 'seq', 'silent_ns', 'wake_ns', 'cc6_pct'
        known = [comparable([row[key] for key in keys]) for row in self.samples]
        return [number(row[4]) for row in rows] == times[:10] and all(
            comparable(row) in known for row in rows)

    def share(self, rows):
        must = [[row['cpu'], row['method'], row['state'],
                 str(number(row['reached']) / number(row['valid']))]
                for row in self.summary if row['reached']]
        return by_key(rows) == by_key(must)

    def filtered(self, rows):
        must = [[row['method'], row['state'], row['seq'], row['wake_ns']] for row in self.samples
                if row['state'] == 'C6' and number(row['wake_ns']) > 60000 and
                float(row['cc6_pct']) < 90]
        return must and by_key(rows) == by_key(must)

    def percentile(self, rows):
        for cpu, method, state, seen in rows:
            times = sorted(number(row['wake_ns']) for row in self.samples
                           if [row['cpu'], row['method'], row['state']] == [cpu, method, state])
            rank = math.ceil(len(times) * 99 / 100)
            after = rank if len(times) % 100 == 0 else rank - 1
            if number(seen) not in (times[rank - 1], times[after]):
                return False
        return len(rows) == len(self.summary)

    @staticmethod
    def picture(rows):
        """Axes with labels, and at least 20 marks between them."""
        text = '\n'.join(' '.join(row) for row in rows)
        return 'SilentTime' in text and text.count('*') >= 20

    def judge_of(self, question):
        for begin, judge in (('The ten largest', self.largest), ('The share', self.share),
                             ('Samples of C6', self.filtered),
                             ('The 99th percentile', self.percentile),
                             ('WakeLatency against', self.picture)):
            if question.startswith(begin):
                return judge
        return None


def main():
    document, directory = sys.argv[1:]
    judge = Judge('recipes')
    answers = Answers(directory)
    count = 0
    for question, commands in questions(document):
        right = answers.judge_of(question)
        for command in commands:
            count += 1
            tool = command.split()[0]
            rows = printed(command, directory)
            judge(f'{" ".join(question.split()[:3])}, {tool}', right is not None and right(rows),
                  f'{len(rows)} lines, {" ".join(rows[0]) if rows else "nothing"} ...')
    judge('commands', count == 11, f'{count}, must be 11')


if __name__ == '__main__':
    main()

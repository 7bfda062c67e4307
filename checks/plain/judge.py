# SPDX-License-Identifier: GPL-2.0
"""judge.py --kunit KUNIT_PY [--cases FILE] CHECK MACHINE LOG...: judge a run of the collection.

LOG is what run_kselftest.sh printed on MACHINE; with -p, a directory has what the programs did.
Each program that checks/CHECK/table has for MACHINE has to have run and come to what the table
says, and no other one has run. What is skipped, a program or a case of one that is not skipped, is
skipped for the reason that the table has, and what the table has is skipped; '-' is the reason of a
program whose cases say why. 'not ok' is a FAIL, unless the table has it with what stands behind
'#'. Prints PASS, SKIP or FAIL for each result.
"""
import argparse
import collections
import re
import sys

import ktap

Row = collections.namedtuple('Row', 'what verdict reason')


def is_program(what):
    return what.endswith('_test')


def read_table(path, machine):
    """The rows of the machine, one for each program."""
    rows = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            if not line.strip() or line.startswith('#'):
                continue
            machines, what, verdict, reason = \
                (part.strip() for part in f'{line.rstrip()} | '.split(' | ')[:4])
            if verdict not in ('PASS', 'SKIP', 'FAIL'):
                sys.exit(f'{path}: none of PASS, SKIP and FAIL: {line}')
            # It is a part of the name of the test for the fleets.
            if verdict == 'SKIP' and re.search(r'\b\d', reason):
                sys.exit(f'{path}: the reason has a figure: {line}')
            if re.fullmatch(machines, machine):
                rows += [Row(each, verdict, reason)
                         for each in (what.split() if is_program(what) else [what])]
    return rows


def cases_of(row):
    return f'selftests: \\S+: {row.what}' if is_program(row.what) else row.what


class TableJudge(ktap.Judge):
    """Knows what has to be FAIL, too."""

    def __init__(self, run, rows):
        # What may be skipped, as ktap.py takes it.
        super().__init__(run, [
            ktap.Skip('.*', cases_of(row), '' if row.reason == '-' else row.reason, row.reason)
            for row in rows if row.verdict == 'SKIP'])
        self.failing = [row for row in rows if row.verdict == 'FAIL']

    def take_over(self, result):
        name, _, reason = (part.strip() for part in result.name.partition(' # '))
        for row in self.failing:
            if re.fullmatch(cases_of(row), name):
                if (result.verdict, reason) == ('FAIL', row.reason):
                    result = result._replace(verdict='PASS')
                else:
                    self.fail(f'{name}: is to be FAIL: {row.reason}')
        super().take_over(result)


def judge_programs(judge, rows):
    """Have those run that the table has, once each? Says so also where all of them are SKIP."""
    wanted = collections.Counter(row.what for row in rows if is_program(row.what))
    ran = collections.Counter(match[1] for match in
                              (ktap.PROGRAM.search(name) for _, name, *_ in judge.cases) if match)
    if wanted == ran:
        judge.show('PASS', 'the programs that the table has ran, and no other one')
    for program in sorted(set(wanted) | set(ran)):
        if not wanted[program]:
            judge.fail(f'{program}: is not in the table')
        elif wanted[program] > 1:
            judge.fail(f'{program}: has {wanted[program]} rows in the table')
        elif ran[program] != 1:
            judge.fail(f'{program}: has {ran[program]} results')


def judge_rows(judge, rows):
    """Does each row say something of this machine?"""
    names = [name.partition(' # ')[0] for _, name, *_ in judge.cases]
    for row in rows:
        if not any(re.fullmatch(cases_of(row), name) for name in names):
            judge.fail(f'{row.what}: is in the table and is not there: {row.reason}')


def judge_names(judge, documents, kunit):
    """Has each case a name of its own where the fleets run it?"""
    names = collections.Counter(
        re.sub(r'[^A-Za-z0-9_-]+', '_', f'{document.name} {result.name} {result.reason}')
        for document in documents for result in document.read(kunit)[0])
    for name in (name for name, count in names.items() if count > 1):
        judge.fail(f'{name}: is the name of two cases')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--kunit', required=True)
    parser.add_argument('--cases')
    parser.add_argument('check')
    parser.add_argument('machine')
    parser.add_argument('logs', nargs='+')
    arguments = parser.parse_args()
    table = f'checks/{arguments.check}/table'
    rows = read_table(table, arguments.machine)
    if not rows:
        sys.exit(f'{table} has no machine {arguments.machine}')
    judge = TableJudge(f'{arguments.check}: {arguments.machine}', rows)
    documents = ktap.judge_logs(judge, ktap.read_logs(arguments.logs), arguments.kunit)
    judge_programs(judge, rows)
    judge_rows(judge, rows)
    judge_names(judge, documents, arguments.kunit)
    if arguments.cases:
        judge.write_cases(arguments.cases)


main()

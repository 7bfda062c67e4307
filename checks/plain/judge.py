# SPDX-License-Identifier: GPL-2.0
"""judge.py --kunit KUNIT_PY [--cases FILE] TABLE MACHINE LOG: judge a default run.

LOG is what run_kselftest.sh printed on MACHINE. Each program that TABLE has for MACHINE has to
have run and come to what TABLE says, and no other one has run. What is skipped, a program or a
case of one that is not skipped, is skipped for the reason that TABLE has, and what TABLE has is
skipped; '-' is the reason of a program whose cases say why. 'not ok' is a FAIL in any case. Prints
PASS, SKIP or FAIL for each result.
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
            if verdict not in ('PASS', 'SKIP'):
                sys.exit(f'{path}: neither PASS nor SKIP: {line}')
            if re.fullmatch(machines, machine):
                rows += [Row(each, verdict, reason)
                         for each in (what.split() if is_program(what) else [what])]
    return rows


def skips_of(rows):
    """What may be skipped, as ktap.py takes it."""
    for row in rows:
        if row.verdict == 'SKIP':
            cases = f'selftests: \\S+: {row.what}' if is_program(row.what) else row.what
            reason = '' if row.reason == '-' else row.reason
            yield ktap.Skip('.*', cases, reason, row.reason)


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


def judge_rows(judge, skips):
    """Does each row say something of this machine?"""
    names = [name for _, name, *_ in judge.cases]
    for skip in skips:
        if not any(re.fullmatch(skip.cases, name) for name in names):
            judge.fail(f'{skip.cases}: is in the table and is not there: {skip.reason}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--kunit', required=True)
    parser.add_argument('--cases')
    parser.add_argument('table')
    parser.add_argument('machine')
    parser.add_argument('log')
    arguments = parser.parse_args()
    rows = read_table(arguments.table, arguments.machine)
    if not rows:
        sys.exit(f'{arguments.table} has no machine {arguments.machine}')
    skips = list(skips_of(rows))
    judge = ktap.Judge(f'plain: {arguments.machine}', skips)
    ktap.judge_logs(judge, ktap.read_logs([arguments.log]), arguments.kunit)
    judge_programs(judge, rows)
    judge_rows(judge, skips)
    if arguments.cases:
        judge.write_cases(arguments.cases)


main()

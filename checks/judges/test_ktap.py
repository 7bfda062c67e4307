# SPDX-License-Identifier: GPL-2.0
"""test_ktap.py KUNIT_PY: does ktap.py find what is wrong? Prints PASS or FAIL for each."""
import contextlib
import io
import os
import sys
import tempfile

import ktap

CASES = '''TAP version 13
1..2
# what it says
ok 1 a.b
ok 2 a.c # SKIP no card
'''
PERMITTED = 'run | a\\.c | no card | none here\n'


def runner(cases, line):
    """As run_kselftest.sh prints a program."""
    nested = ''.join(f'# {each}\n' for each in cases.splitlines())
    return ('TAP version 13\n1..1\n# timeout set to 9\n# selftests: idle_latency: prog\n'
            f'{nested}{line} 1 selftests: idle_latency: prog')


# What is tried, the log, what may be skipped, and what begins or ends the lines of FAIL
TRIALS = [
    ('a program', CASES, PERMITTED, []),
    ('a case that fails', CASES.replace('ok 1', 'not ok 1'), PERMITTED, ['a.b']),
    ('a skip that is not permitted', CASES, '', ['a.c: is not to be skipped']),
    ('a skip for another reason', CASES.replace('no card', 'no CPU'), PERMITTED,
     ['a.c: is not to be skipped', 'a\\.c: is permitted']),
    ('a permitted skip that is none', CASES.replace(' # SKIP no card', ''), PERMITTED,
     ['a\\.c: is permitted']),
    ('too few results', CASES.replace('1..2', '1..3'), PERMITTED, ['the output: has other results']),
    ('too many results', CASES.replace('1..2', '1..1'), PERMITTED, ['the output: has other results']),
    ('a number twice', CASES.replace('ok 2', 'ok 1'), PERMITTED, ['the output: has other results']),
    ('no plan', CASES.replace('1..2\n', ''), PERMITTED, ['the output: has other results']),
    ('no output', '', '', ['no test ran']),
    ('the runner', runner(CASES, 'ok'), PERMITTED, []),
    ('the runner, a case that fails', runner(CASES.replace('ok 1', 'not ok 1'), 'not ok') +
     ' # exit=1\n', PERMITTED, ['selftests: idle_latency: prog # exit=1', 'a.b']),
    ('the runner, a time-out', runner(CASES.replace('1..2', '1..3'), 'not ok') +
     ' # TIMEOUT 9 seconds\n', PERMITTED,
     ['selftests: idle_latency: prog # TIMEOUT 9 seconds', 'prog: has other results']),
    ('the runner, nothing there', runner('TAP version 13\n1..0 # SKIP no device', 'ok') +
     ' # SKIP\n', 'run | selftests: .*: prog | no device | none here\n', []),
    ('the runner, output that got lost', runner('', 'ok'), '', ['prog: passed, though']),
    ('the runner does not see a FAIL', runner(CASES.replace('ok 1', 'not ok 1'), 'ok'), PERMITTED,
     ['a.b', 'prog: passed, though']),
    ('the runner sees one that is none', runner(CASES, 'not ok') + ' # exit=1\n', PERMITTED,
     ['selftests: idle_latency: prog # exit=1', 'prog: failed, though']),
    ('KUnit', 'KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: s\n    1..2\n'
     '    ok 1 x\n    not ok 2 y\nnot ok 1 s\n', '', ['s.y']),
    ('KUnit, cut off', 'KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: s\n    1..2\n'
     '    ok 1 x\n', '', ['the output: has other results']),
]


RUNS = [
    ('one', 'a', 'SKIP', 'no card', 'none here'),
    ('one', 'b', 'SKIP', 'no card', 'none here'),
    ('one', 'c', 'SKIP', 'no CPU', 'one here'),
    ('two', 'a', 'PASS', '', ''),
    ('two', 'b', 'SKIP', 'no CPU', 'one here'),
    ('two', 'c', 'FAIL', '', ''),
]

# What is tried, what may be skipped in all runs, and all that is printed
UNIONS = [
    ('what no run does', '', ['FAIL everywhere: b: is skipped wherever it is run: no CPU; no card',
                              '2 skipped: none here', '2 skipped: one here']),
    ('what no run does and may not', 'everywhere | b | no card | none\n',
     ['2 skipped: none here', '2 skipped: one here']),
    ('what is not run', 'everywhere | b | no card | none\n'
     'everywhere | d | no CPU | none\n',
     ['2 skipped: none here', '2 skipped: one here']),
    ('what a run does and none need', 'everywhere | a|b | no card | none\n'
     'everywhere | c | no CPU | none\n',
     ['FAIL everywhere: c: is permitted to be skipped and is not: no CPU',
      '2 skipped: none here', '2 skipped: one here']),
]


def shown_by(do, *arguments):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        do(*arguments)
    return shown.getvalue().splitlines()


def judge_log(kunit, log, skips):
    judge = ktap.Judge('run', skips)
    ktap.judge_logs(judge, [(log, None)], kunit)


def failures(kunit, log, skips):
    return [line[len('FAIL run: '):] for line in shown_by(judge_log, kunit, log, skips)
            if line.startswith('FAIL ')]


def written(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def conclude(name, right, found):
    if not right:
        print('\n'.join(found))
    print(f'{"PASS" if right else "FAIL"} judges: KTAP: {name}')


def main():
    with tempfile.TemporaryDirectory() as directory:
        for name, log, skips, wanted in TRIALS:
            skips = ktap.read_skips(written(directory, 'skips', skips))
            found = failures(sys.argv[1], log, skips)
            conclude(name, len(found) == len(wanted) and
                     all(each.startswith(want) for each, want in zip(found, wanted)), found)
        cases = written(directory, 'cases', ''.join('\t'.join(run) + '\n' for run in RUNS))
        for name, skips, wanted in UNIONS:
            found = shown_by(ktap.everywhere, written(directory, 'skips', skips), [cases])
            conclude(name, found == wanted, found)


main()

# SPDX-License-Identifier: GPL-2.0
"""The subcommand compare: what became slower or faster from A to B."""
import argparse
import sys

from idle_latency import pairs, replicates, runs, statistics, words
from idle_latency.pairs import Change
from idle_latency.statistics import LEVELS, MOST_BLOCKED, MOST_FREE

DESCRIPTION = '''
A and B are directories that latency_test --out has written, before and after, or comma-separated
lists of such: several runs of each of two kernels, in the order in which they were measured.'''
EPILOG = '''
Exit code 0: B is the same; 1: B is slower; 2: an argument or a file is wrong; 3: A and B are one
run each, and these runs differ; 4: B is faster; 5: they are not comparable, or not in all rows;
6: not decided, or not in all rows, as with too few samples or runs. The last line says which.'''
WRONG = 2
CODES = {Change.SAME: 0, Change.SLOWER: 1, Change.FASTER: 4, Change.UNCOMPARABLE: 5,
         Change.UNDECIDED: 6}
DIFFER = 3


def add_arguments(parser):
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument('a', metavar='A')
    parser.add_argument('b', metavar='B', nargs='?')
    parser.add_argument('--ktap', action='store_true', help='print KTAP')
    parser.add_argument('--margin', metavar='PERCENT', type=percent, default=2,
                        help='what is called the same, 0 to 1000 (default 2); never less than '
                             'what both may be wrong by together, or 50 ns')
    parser.add_argument('--latency', choices=('wake', 'intr'), default='wake',
                        help='what is compared: WakeLatency (default) or IntrLatency')
    parser.add_argument('--planned', metavar='RUNS', type=planned,
                        help='this is a look at an experiment that is to have so many runs of '
                             'each, which may be given after some 60 and 80 percent of them; '
                             'with one run only: say whether so many are enough for its rows')


def number(text, least, most, what):
    if text.isascii() and text.isdigit() and len(text) < 5 and least <= int(text) <= most:
        return int(text)
    raise argparse.ArgumentTypeError(f'takes {what} from {least} to {most}')


def percent(text):
    return number(text, 0, 1000, 'a number of percent')


def planned(text):
    count = number(text, 2, MOST_BLOCKED, 'an even number')
    if count % 2:
        raise argparse.ArgumentTypeError('takes an even number: blocks have two runs of each')
    return count


class Report:
    """Lines for people, which are diagnostic ones in KTAP, and results."""

    def __init__(self, ktap):
        self.ktap = ktap

    def say(self, text=''):
        print(f'# {text}' if self.ktap else text)

    def begin(self, results):
        if self.ktap:
            print(f'TAP version 13\n1..{results}')

    def result(self, i, row, name):
        if not self.ktap:
            return
        bad = row.change in (Change.SLOWER, Change.FAILED)
        skip = row.change not in (Change.SAME, Change.FASTER) and not bad
        print(f'{"not ok" if bad else "ok"} {i} {name.replace(" ", ".")}' +
              (f' # SKIP {row.reason or row.change.value}' if skip else ''))


def load(text, kind):
    paths = [path for path in text.split(',') if path]
    if not paths:
        raise runs.Problem(f'{kind} takes a directory, or several with commas')
    return [runs.load(path) for path in paths]


def check_count(a, b):
    most = MOST_BLOCKED if statistics.is_blocked(len(a), len(b)) else MOST_FREE
    if max(len(a), len(b)) > most:
        raise runs.Problem(f'this takes {MOST_FREE} runs of each kind at most, or {MOST_BLOCKED} '
                           'of each')


def check_copies(all_runs):
    for i, run in enumerate(all_runs):
        for other in all_runs[:i]:
            if replicates.same_samples(other, run):
                raise runs.Problem(
                    f'{other.name} and {run.name} have the same samples, as copies have, and '
                    'emulated runs with the same seed= of TRUTH')


def say_environment(report, a, b):
    """What each run of one kind has, and none of the other."""
    for name, of in ('A', a), ('B', b):
        for run in of:
            report.say(f'{name}: {run.name}')
    count = 0
    for name, of, other in ('A', a, b), ('B', b, a):
        elsewhere = {line for run in other for line in run.lines}
        everywhere = set.intersection(*(set(run.lines) for run in of)) - elsewhere
        for line in of[0].lines:
            if line in everywhere:
                report.say(f'  only in {name}: {line}')
                count += 1
    if not count:
        report.say('  environment.txt of both is the same')


def say_drift_within(report, of, name, margin, latency):
    changed = {}
    for run in of:
        for row in pairs.drifts(run, margin, latency, len(of)):
            changed[row.name] = changed.get(row.name, 0) + 1
    for row, count in changed.items():
        if len(of) == 1:
            report.say(f'{row} changed while {name} was measured: compare several runs of each kind')
        else:
            report.say(f'{row} changed while a run was measured: {count} of {len(of)} of {name}')


def say_table(report, found):
    report.say()
    report.say(f'{"cpu":<4} {"method":<6} {"state":<7}   | {words.HEADER}')
    for pair in found:
        if not pair.counted:
            continue
        cpu, method, state = map(runs.shown, pair.a.key)
        for name, of in (f'{cpu:<4} {method:<6} {state:<7} A', pair.counted.a), \
                (f'{"":<19} B', pair.counted.b):
            report.say(f'{name} | {words.samples(of, pair.counted.declared_ns)}')
    report.say()
    report.say('In ns, of the samples that count;')
    report.say("A's limit is the exit latency that A declares.")
    report.say()


def say_declared(report, a, b):
    if not pairs.has_samples(a) or not pairs.has_samples(b):
        return
    if a.declared_ns != b.declared_ns:
        report.say(f'  A declares {a.declared_ns} ns, B {b.declared_ns} ns')
    if a.verdict != b.verdict:
        report.say(f'  A is {a.verdict}, B is {b.verdict}')


def compare_two(report, a, b, margin, latency):
    found = pairs.compare(a, b, margin, latency)
    report.begin(len(found))
    say_environment(report, [a], [b])
    for name, run in ('A', a), ('B', b):
        say_drift_within(report, [run], name, margin, latency)
    say_table(report, found)
    for i, pair in enumerate(found, 1):
        report.say(f'{pair.name} {words.what(pair)}')
        say_declared(report, pair.a, pair.b)
        report.result(i, pair, pair.name)
    changes = {pair.change for pair in found}
    if changes & {Change.SLOWER, Change.FASTER, Change.FAILED}:
        report.say('these runs differ')
        return DIFFER
    return answer(report, pairs.overall(changes))


def compare_many(report, a, b, args, margin):
    level = statistics.ALPHA
    if args.planned:
        level = statistics.looks(args.planned).get(len(a)) if len(a) == len(b) else None
    if level is None:
        report.say(f'{len(a)} and {len(b)} of {args.planned} runs of each are not looked at')
        return answer(report, Change.UNDECIDED)
    rows, experiment = replicates.compare(a, b, margin, args.latency, level)
    report.begin(len(rows))
    say_environment(report, a, b)
    for name, of in ('A', a), ('B', b):
        say_drift_within(report, of, name, margin, args.latency)
    blocked = statistics.is_blocked(len(a), len(b))
    for row in replicates.drifting(rows, len(a)):
        report.say(f'{row.name} drifts from run to run' + (
            ', which blocks of two runs of each that were measured in turn allow for' if blocked
            else ': measure in turn, the same even number of each'))
    for i, row in enumerate(rows, 1):
        report.say(words.replicated(row, experiment))
        report.result(i, row, row.name)
    compared = sum(row.figures is not None for row in rows)
    if not experiment.is_enough(compared):
        say_too_few(report, len(a), len(b), compared, level, args.planned)
    return answer(report, pairs.overall(row.change for row in rows))


def say_too_few(report, count_a, count_b, rows, level, is_planned):
    if is_planned and count_a < is_planned:
        report.say(f'after {count_a} of {is_planned} runs of each nothing can be found in {rows} '
                   'rows yet')
    else:
        count = statistics.needed(rows, level, 2 if is_planned else 1)
        report.say(f'{count_a} and {count_b} runs are too few for {rows} rows: take {count} of '
                   'each, or measure fewer rows')


def check_plan(report, run, count):
    rows = sum(map(pairs.has_samples, run.rows))
    if statistics.rows_at_most(statistics.divisions(count, count), LEVELS[-1]) < rows:
        say_too_few(report, count, count, rows, LEVELS[-1], count)
        return answer(report, Change.UNDECIDED)
    report.say(f'{count} runs of each are enough for {rows} rows')
    return CODES[Change.SAME]


def answer(report, change):
    if change in (Change.UNCOMPARABLE, Change.UNDECIDED):
        report.say(f'A and B are {change.value}, or not in all rows')
    else:
        report.say(f'B is {change.value}')
    return CODES[change]


def compare(args):
    report = Report(args.ktap)
    margin = statistics.Margin(args.margin)
    a = load(args.a, 'A')
    if args.b is None and args.planned and len(a) == 1:
        return check_plan(report, a[0], args.planned)
    if args.b is None:
        raise runs.Problem('compare takes two directories, or two lists of directories with commas')
    b = load(args.b, 'B')
    differ = next(filter(None, (pairs.runs_differ(a[0], run) for run in a[1:] + b)), '')
    if differ:
        report.say(f'the runs cannot be compared: {differ}')
        return answer(report, Change.UNCOMPARABLE)
    if len(a) == len(b) == 1 and not args.planned:
        return compare_two(report, a[0], b[0], margin, args.latency)
    check_count(a, b)
    check_copies(a + b)
    return compare_many(report, a, b, args, margin)


def run(args):
    try:
        return compare(args)
    except runs.Problem as problem:
        print(f'idle-latency: {problem}', file=sys.stderr)
        return WRONG

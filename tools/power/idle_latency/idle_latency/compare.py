# SPDX-License-Identifier: GPL-2.0
"""The subcommand compare: what became slower or faster from A to B."""
import argparse

from idle_latency import files, pairs, runs, statistics, words
from idle_latency.pairs import Change
from idle_latency.statistics import ALPHA, LEVELS, MOST_BLOCKED, MOST_FREE

DESCRIPTION = '''
A and B are directories that latency_test --out has written, before and after, or comma-separated
lists of such: several runs of each of two kernels, in the order in which they were measured. Of
one directory alone, its methods are compared with each other: with hrt where that was measured.'''
EPILOG = '''
Exit code 0: B is the same; 1: B is slower; 2: an argument or a file is wrong; 3: A and B are one
run each, and these runs differ, which says nothing of two kernels, or the methods of one run do;
4: B is faster; 5: they are not comparable, or not in all rows; 6: not decided, or not in all rows:
with more samples or runs they may be. The last line says which.'''
DIFFER = 3
CODES = {Change.SAME: 0, Change.SLOWER: 1, Change.FASTER: 4, Change.UNCOMPARABLE: 5,
         Change.UNDECIDED: 6}


def number(least, most, step, what):
    def parse(text):
        if not text.isascii() or not text.isdigit() or len(text) > 4 or \
                int(text) not in range(least, most + 1, step):
            raise argparse.ArgumentTypeError(f'takes {what} from {least} to {most}')
        return int(text)
    return parse


def add_margin(parser):
    parser.add_argument('--margin', metavar='PERCENT', default=2,
                        type=number(0, 1000, 1, 'a number of percent'),
                        help='what is called the same, 0 to 1000 (default 2); never less than '
                             'what both may be wrong by together, or 50 ns')


def add_arguments(parser):
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument('a', metavar='A')
    parser.add_argument('b', metavar='B', nargs='?')
    parser.add_argument('--ktap', action='store_true', help='print KTAP')
    add_margin(parser)
    parser.add_argument('--latency', choices=('wake', 'intr'), default='wake',
                        help='what is compared: WakeLatency (default) or IntrLatency')
    parser.add_argument('--planned', metavar='RUNS',
                        type=number(2, MOST_BLOCKED, 2, 'an even number'),
                        help='this is a look at an experiment that is to have so many runs of '
                             'each, which may be given after some 60 and 80 percent of them; '
                             'with one run only: say whether so many are enough for its rows')


class Comparison:
    """What is said of it: lines for people, which are diagnostic ones in KTAP, and results."""

    def __init__(self, args):
        self.args = args
        self.margin = statistics.Margin(args.margin)
        self.a, self.b = ([runs.load(path) for path in (text or '').split(',') if path]
                          for text in (args.a, args.b))

    def say(self, text):
        print(f'# {text}' if self.args.ktap else text)

    def begin(self, results):
        """What each run of one kind has, and none of the other; and what changed while it ran."""
        if self.args.ktap:
            print(f'TAP version 13\n1..{results}')
        kinds = ('A', self.a, self.b), ('B', self.b, self.a)
        for name, of, _ in kinds:
            for run in of:
                self.say(f'{name}: {run.name}')
        only = [(name, line) for name, of, other in kinds for line in runs.common_lines(of)
                if not any(line in run.lines for run in other)]
        for name, line in only:
            self.say(f'  only in {name}: {line}')
        if not only:
            self.say('  environment.txt of both is the same')
        for name, of, _ in kinds:
            changed = [row.name for run in of for row in pairs.drifts(
                run, self.margin, self.args.latency, len(of))]
            for row in dict.fromkeys(changed):
                self.say(f'{row} changed while {name} was measured: compare several runs of each '
                         'kind' if len(of) == 1 else f'{row} changed while a run was measured: '
                         f'{changed.count(row)} of {len(of)} of {name}')

    def results(self, found):
        """A line of KTAP for each row; a name has one word and no directive."""
        for i, (row, texts) in enumerate(found, 1):
            for text in texts:
                self.say(text)
            if self.args.ktap:
                bad = row.change in (Change.SLOWER, Change.FAILED)
                skip = '' if bad or row.change in (Change.SAME, Change.FASTER) else \
                    f' # SKIP {row.reason or row.change.value}'
                print(f'{"not " * bad}ok {i} {row.name.replace(" ", ".")}{skip}')

    def skip(self, why, change):
        print(f'TAP version 13\n1..0 # SKIP {why}' if self.args.ktap else why)
        return self.answer([change])

    def answer(self, changes, both='A and B are', one='B is'):
        change = pairs.overall(changes)
        missing = change in (Change.UNCOMPARABLE, Change.UNDECIDED)
        self.say(f'{both} {change.value}, or not in all rows' if missing else
                 f'{one} {change.value}')
        return CODES[change]

    def answer_of_one(self, found, differ, *which):
        """Of one run of each, of which nobody knows whether others would differ, too."""
        changes = {pair.change for pair in found}
        if changes & {Change.SLOWER, Change.FASTER, Change.FAILED}:
            self.say(differ)
            return DIFFER
        return self.answer(changes, *which)

    def two(self):
        found = pairs.compare(self.a[0], self.b[0], self.margin, self.args.latency)
        self.begin(len(found))
        self.results([(pair, [f'{pair.name} {words.what(pair)}', *(
            f'  {text}' for text in (*words.samples(pair), *words.declared(pair)))])
                      for pair in found])
        return self.answer_of_one(found, 'these runs differ')

    def several(self):
        count_a, count_b, planned = len(self.a), len(self.b), self.args.planned
        blocked = len(statistics.blocks(count_a, count_b)) > 1
        if max(count_a, count_b) > (MOST_BLOCKED if blocked else MOST_FREE):
            raise files.Problem(f'compare takes {MOST_FREE} runs of each kind at most, or '
                               f'{MOST_BLOCKED} of each')
        pairs.refuse_copies(self.a + self.b)
        level = statistics.looks(planned).get(count_a) if planned else ALPHA
        if level is None or (planned and count_a != count_b):
            return self.skip(f'{count_a} and {count_b} of {planned} runs of each are not looked at',
                             Change.UNDECIDED)
        rows, experiment = pairs.replicated(self.a, self.b, self.margin, self.args.latency, level)
        self.begin(len(rows))
        self.results([(row, [words.replicated(row, experiment)]) for row in rows])
        compared = sum(row.figures is not None for row in rows)
        if not statistics.are_enough(count_a, count_b, compared, level):
            if planned and count_a < planned:
                self.say(f'after {count_a} of {planned} runs of each nothing can be found in '
                         f'{compared} rows yet')
            else:
                self.say_needed(count_a, count_b, compared, level)
        return self.answer([row.change for row in rows])

    def say_needed(self, count_a, count_b, rows, level):
        needed = statistics.needed(rows, level, 2 if self.args.planned else 1)
        self.say(f'{count_a} and {count_b} runs are too few for {rows} rows: ' +
                 f'take {needed} of each, or ' * (needed <= MOST_BLOCKED) + 'measure fewer rows')

    def check_plan(self):
        count, rows = self.args.planned, sum(map(pairs.has_samples, self.a[0].rows))
        if not statistics.are_enough(count, count, rows, LEVELS[-1]):
            self.say_needed(count, count, rows, LEVELS[-1])
            return self.answer([Change.UNDECIDED])
        self.say(f'{count} runs of each are enough for {rows} rows')
        return CODES[Change.SAME]

    def methods(self):
        """Of one run: what another kind of event makes of the same state."""
        found = pairs.methods(self.a[0], self.margin, self.args.latency)
        if not found:
            raise files.Problem(f'{self.args.a} has one method of each state: compare takes two '
                               'directories then, or two lists of directories with commas')
        if self.args.ktap:
            raise files.Problem('--ktap takes A and B: that methods differ is no failure')
        for pair in found:
            self.say(words.longer(pair))
        return self.answer_of_one(found, 'the methods differ', *['the methods are'] * 2)

    def compare(self):
        if self.args.b is None and len(self.a) == 1:
            return self.check_plan() if self.args.planned else self.methods()
        if not self.a or not self.b:
            raise files.Problem('compare takes two directories, or two lists of directories with '
                               'commas')
        differ = pairs.runs_differ(self.a + self.b)
        if differ:
            return self.skip(f'the runs cannot be compared: {differ}', Change.UNCOMPARABLE)
        if len(self.a) == len(self.b) == 1 and not self.args.planned:
            return self.two()
        return self.several()


def run(options):
    return Comparison(options).compare()

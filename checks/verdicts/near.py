# SPDX-License-Identifier: GPL-2.0
"""near.py NAME DRAWN MEASURED: judge verdicts on states whose truth is near what is declared.
Takes lines of what was drawn, "KEY DECLARED_NS TRUTH_NS", and of what was measured, "KEY METHOD
VERDICT LARGEST_NS ERROR_NS UNCERTAIN_NS", where VERDICT is "undecided" of a SKIP for that reason.
Each verdict that is wrong is a result, too.

A truth further above than the error, what is uncertain and MARGIN_NS has to be FAIL, one as far
below PASS. Between, the verdict may be undecided, but not wrong.
"""
import collections
import sys

from readers import Judge

# What the emulated card and the instructions around the idle one add.
MARGIN_NS = 25

Drawn = collections.namedtuple('Drawn', 'declared truth')


def zone_of(beyond, width):
    return 'above' if beyond > width else 'below' if beyond < -width else 'within'


def allowed(zone, beyond):
    """The verdicts that are right there."""
    if zone == 'within':
        return 'undecided', 'FAIL' if beyond > 0 else 'PASS'
    return ('FAIL',) if zone == 'above' else ('PASS',)


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [line.split() for line in file]


class Method:
    """How many truths there are in each zone, and how many verdicts are right."""

    def __init__(self):
        self.count, self.right = collections.Counter(), collections.Counter()
        self.widths = collections.defaultdict(list)

    def add(self, drawn, verdict, width):
        """Is the verdict right?"""
        beyond = drawn.truth - drawn.declared
        zone = zone_of(beyond, width)
        must = allowed(zone, beyond)
        self.count[zone] += 1
        self.right[zone] += verdict in must
        self.widths[drawn.declared].append(width)
        return verdict in must, zone

    def judge(self, judge, name):
        for zone in ('above', 'below', 'within'):
            judge(f'{name}: {zone}', self.right[zone] == self.count[zone] and
                  (self.count[zone] or zone == 'within'),
                  f'{self.right[zone]} of {self.count[zone]} are right')
        widths = '; '.join(f'{min(widths)} to {max(widths)} ns of {declared} ns'
                           for declared, widths in sorted(self.widths.items()))
        print(f'{judge.subject}: {name}: width on each side, with {MARGIN_NS} ns: {widths}')


def main():
    name, by, drawn_path, measured_path = sys.argv[1:]
    judge = Judge(f'verdicts: {name}')
    drawn = {key: Drawn(int(declared), int(truth))
             for key, declared, truth in lines(drawn_path)}
    measured = set()
    methods = {method: Method() for method in by.split()}
    for key, method, verdict, *figures in lines(measured_path):
        if key not in drawn or method not in methods:
            continue
        # What was not measured is undecided about everything, and wrong.
        largest, error, uncertain = map(int, figures) if len(figures) == 3 else (0, 0, 0)
        measured.add((key, method))
        right, zone = methods[method].add(drawn[key], verdict, error + uncertain + MARGIN_NS)
        if not right:
            judge(f'{key} by {method}, of {drawn[key].truth} ns, declared '
                  f'{drawn[key].declared}', False,
                  f'is {verdict}, but {zone}; largest {largest}, error {error}, '
                  f'uncertain {uncertain} ns')
    missing = [key for key in drawn
               if any((key, method) not in measured for method in methods)]
    judge('truths', drawn and not missing,
          f'{len(drawn)}, of which {len(missing)} were not measured')
    for method, found in methods.items():
        found.judge(judge, method)


main()

# SPDX-License-Identifier: GPL-2.0
"""The figures of the documents, which are those of the checks.

A row of a table there with the header "figure | measured | must be" has the name of a figure, what
was measured and what it must be, which no other file has. A judge takes the bound from there and
says what it measured; after all checks, what the documents say was measured is compared with that.

figures.py bound NAME: print the bound, the upper one if there are two.
figures.py judge SUBJECT NAME VALUE: one that was measured.
figures.py compare [--all] FILE...: the documents with what was measured, from which "judged" of
checks/lib/checks.sh made FILEs; with --all, each row has to be measured, unless its name ends with
"LONG=1", which is not a part of it.
"""
import collections
import functools
import math
import re
import sys

DOCUMENTS = ('README.md', 'emulator/processor.md')
HEADER = '| figure | measured | must be |'
LONG = ', LONG=1'
NUMBER = r'-?\d+(?:\.\d+)?'
# A figure is right in a document as long as it is off by less than that: a kernel that another
# compiler built, or an update of Debian's, has some instructions more or less.
SHARE = 0.1

Figure = collections.namedtuple('Figure', 'document long measured differs must low high')


def measured_range(cell):
    """"A to B ...", "up to B ...", which is 0 to B, or "A ...", and by how much two runs differ: C
    if "+-C" is next, or else the value of the last digit.
    """
    first, last, differs = re.match(rf'({NUMBER})(?: to ({NUMBER}))?(?: \+-({NUMBER}))?',
                                    re.sub('^up to', '0 to', cell)).groups()
    digits = max(len(number.partition('.')[2]) for number in filter(None, (first, last)))
    return (float(first), float(last or first)), float(differs or 10 ** -digits)


def bounds(cell):
    """"pin: " may be first; "<= A", "< A", ">= A", "A to B" or "A" are."""
    match = re.match(rf'(?:pin: )?(<=|<|>=|)\s*({NUMBER})(?: to ({NUMBER}))?', cell)
    sign, first, last = match.groups()
    value = float(first)
    if sign == '>=':
        return value, math.inf
    if sign == '<=':
        return 0, value
    if sign == '<':
        return 0, math.nextafter(value, 0)
    return value, float(last or first)


@functools.cache
def read():
    """The figures of all documents by their names."""
    figures = {}
    for path in DOCUMENTS:
        with open(path, encoding='utf-8') as file:
            table = False
            for line in map(str.strip, file):
                table = line == HEADER or (table and line.startswith('|'))
                if not table or line == HEADER or line.startswith('|---'):
                    continue
                title, measured, must = (cell.strip() for cell in line.strip('|').split('|'))
                name = title.removesuffix(LONG)
                if name in figures:
                    sys.exit(f'{path}: "{name}" is there twice')
                try:
                    figures[name] = Figure(path, title != name, *measured_range(measured), must, *bounds(must))
                except AttributeError:
                    sys.exit(f'{path}: "{name}" has no number')
    return figures


def shown(least, most):
    """A value, or a range of them."""
    return f'{least:g}' if least == most else f'{least:g} to {most:g}'


def judge_figure(subject, name, values, where=''):
    """Say what was measured and whether it is what the document says it must be. What is missing
    is worse than anything.
    """
    figure = read()[name]
    values = list(values)
    least, most = min(values, default=math.inf), max(values, default=math.inf)
    right = figure.low <= least and most <= figure.high and most < math.inf
    print(f'{"PASS" if right else "FAIL"} {subject}: {name}: {shown(least, most)}{where}, must be '
          f'{figure.must.removeprefix("pin: ")}')
    if most < math.inf:
        print(f'FIGURE {name}\t{least}\t{most}')


def off(figure, values, all_of_them):
    """Is a value not in the range that the document has, or the largest of all not at its end?"""
    low, high = figure.measured
    below, above = (max(SHARE * abs(end), figure.differs) for end in figure.measured)
    return (min(values) < low - below or max(values) > high + above or
            (all_of_them and max(values) < high - above))


def compare(all_of_them, paths):
    values = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for line in file:
                name, *numbers = line.rstrip('\n').split('\t')
                values[name] += map(float, numbers)
    for name, figure in read().items():
        if not values[name]:
            if all_of_them and not figure.long:
                print(f'FAIL figures: {figure.document}: no check measured "{name}"')
        elif off(figure, values[name], all_of_them):
            print(f'FAIL figures: {figure.document} says that "{name}" was '
                  f'{shown(*figure.measured)}: it is '
                  f'{shown(min(values[name]), max(values[name]))}')
        else:
            print(f'PASS figures: {figure.document}: {name}')


def main():
    command, *arguments = sys.argv[1:]
    if command == 'bound':
        figure = read()[arguments[0]]
        print(f'{figure.high if figure.high < math.inf else figure.low:g}')
    elif command == 'judge':
        subject, name, value = arguments
        judge_figure(subject, name, [float(value)] if value else [])
    else:
        paths = [path for path in arguments if path != '--all']
        compare('--all' in arguments, paths)


if __name__ == '__main__':
    main()

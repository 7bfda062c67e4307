# SPDX-License-Identifier: GPL-2.0
"""Differences in whole sentences."""
from idle_latency import statistics
from idle_latency.pairs import BODY, DECLARED, P99, Change
from idle_latency.replicates import NAMES as FIGURE_NAMES, SHARE_ABOVE
from idle_latency.statistics import ALPHA


def time(ns, is_us):
    """Three digits of us, or whole ns where all is below one us."""
    if not is_us:
        return f'{ns:.0f}'
    value = ns / 1000
    return f'{value:.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}'


def span(interval, unit='time'):
    """"1.90 to 2.30 us", "-12 to 15 ns", "at least 1.90 us"; of shares "-0.05 to 0.12 points"."""
    known = [end for end in interval if end is not None]
    if not known:
        return 'an unknown time' if unit == 'time' else 'an unknown share'
    is_us = unit == 'time' and max(map(abs, known)) >= 1000
    low, high = (None if end is None else time(end, is_us) if unit == 'time' else
                 f'{100 * end:.2f}' for end in interval)
    name = 'points' if unit != 'time' else 'us' if is_us else 'ns'
    if high is None:
        return f'at least {low} {name}'
    if low is None:
        return f'at most {high} {name}'
    return f'{low} {name}' if low == high else f'{low} to {high} {name}'


def turned(interval, slower):
    """What became faster did so by a time without a sign."""
    low, high = interval
    return interval if slower else tuple(None if end is None else -end for end in (high, low))


def body(part, slower):
    by = turned(part.quantile_moved(50), slower)
    if by[0] is not None and by[0] > 0:
        return f' by {span(by)}'
    return f', though its median moved by {span(part.quantile_moved(50))}'


def tail(part, finding, names):
    text = (f' in some of its samples: {finding.above_a} of {len(part.a)} in {names[0]} and '
            f'{finding.above_b} of {len(part.b)} in {names[1]} are above '
            f'{"the declared " if finding.test == DECLARED else ""}{finding.threshold} ns')
    moved = part.quantile_moved(99)
    by = turned(moved, finding.slower)
    if finding.test == P99 and by[0] is not None and by[0] > 0:
        text += f', the 99th percentile moved by {span(moved)}'
    return text


def changes(pair, names):
    """By the first test that found it; they are in the order of how many samples each is of."""
    for slower in (True, False):
        for part in pair.parts:
            for finding in part.findings:
                if finding.p > ALPHA or finding.slower != slower:
                    continue
                yield (('when woken before its target residency, it ' if part is pair.entry else '')
                       + f'became {"slower" if slower else "faster"}' +
                       (body(part, slower) if finding.test == BODY else
                        tail(part, finding, names)))
                break


def bounds(pair):
    part = pair.counted
    return (f'its median moved by {span(part.quantile_moved(50, pair.alpha))}, '
            f'its 99th percentile by {span(part.quantile_moved(99, pair.alpha))}, '
            f"its share above A's limit by {span(part.share_moved(pair.alpha), 'share')}")


def what(pair, names=('A', 'B')):
    """A sentence without the name of the row: "became slower by 1.90 to 2.30 us"."""
    if pair.change == Change.UNMEASURED:
        return f'was measured neither in {names[0]} nor in {names[1]}'
    if pair.change == Change.UNCOMPARABLE:
        return f'cannot be compared: {pair.reason}'
    if pair.change in (Change.SLOWER, Change.FASTER):
        return '; '.join(changes(pair, names))
    if pair.change == Change.FAILED:
        return f'is PASS in {names[0]} and FAIL in {names[1]}: {bounds(pair)}'
    within = pair.counted.within_ns()
    if pair.change == Change.SAME:
        return f'is the same within {span((within, within))}: {bounds(pair)}'
    return (f'is not decided: more samples may show a change above {span((within, within))}: '
            f'{bounds(pair)}')


HEADER = (f'{"samples":>7} | {"median (95 % interval)":<28} | {"99 % (95 % interval)":<28} | '
          f"{'max':>7} | above A's limit")


def quantile(ordered, percent):
    low, high = statistics.quantile_interval(ordered, percent, ALPHA)
    text = str(statistics.quantile(ordered, percent))
    if low is not None and high is not None:
        text += f' ({low} to {high})'
    elif low is not None:
        text += f' ({low} or more)'
    elif high is not None:
        text += f' ({high} or less)'
    return f'{text:<28}'


def samples(ordered, declared_ns):
    """A line of the table."""
    return (f'{len(ordered):7} | {quantile(ordered, 50)} | {quantile(ordered, 99)} | '
            f'{ordered[-1]:7} | {statistics.above(ordered, declared_ns)}')


def replicated(row, experiment):
    """A sentence of a row of several runs."""
    count_a = experiment.count_a
    if row.change == Change.UNMEASURED:
        return f'{row.name}: was measured in none of them'
    if row.reason:
        return f'{row.name}: cannot be compared: {row.reason}'
    text = []
    for figure, name in enumerate(FIGURE_NAMES):
        of, unit = row.figures[figure], 'share' if figure == SHARE_ABOVE else 'time'
        ranges = [f'{value(part.min(), unit)} to {value(part.max(), unit)}'
                  for part in (of[:count_a], of[count_a:])]
        name_of_unit = '%' if unit == 'share' else 'ns'
        text.append(f'{name} {"from " if not figure else ""}{ranges[0]} {name_of_unit} in A, '
                    f'{ranges[1]} {name_of_unit} in B, moved by '
                    f'{span(experiment.moved(row, figure), unit)}')
    failed = experiment.failed(row)
    if failed:
        text.append(f'PASS in all of A and FAIL in {failed} of {experiment.count_b} of B')
    return f'{row.name}: {row.change.value}: {"; ".join(text)}'


def value(number, unit):
    return f'{100 * number:.2f}' if unit == 'share' else f'{number:.0f}'

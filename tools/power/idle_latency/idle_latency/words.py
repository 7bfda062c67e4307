# SPDX-License-Identifier: GPL-2.0
"""What is said in whole sentences: of a row, of what the CPUs of a core type come to together, and
of differences. Times are in ns."""
import collections
import re

import numpy as np

from idle_latency import files, runs, statistics
from idle_latency.pairs import BODY, DECLARED, NAMES, PERCENT, SHARE_ABOVE, Change
from idle_latency.statistics import ALPHA

# As lib/verdict.h has them.
QUALIFIERS = {
    'unverified': 'no counter of the CPU tells whether the state was reached',
    'virtual': 'a hypervisor decides what the state does',
    'lower-bound': 'the CPU may have woken ahead of the timer, or nobody knows; nic is the '
                   'reference',
    'core-only': 'what is declared may include the module or the package, which mostly missed its '
                 'state',
    'upper-bound': 'only IntrLatency is known, which is not below WakeLatency',
    'unproven': 'it takes more samples to show that the quantile is not above the exit latency',
    'few-above': 'some are or may be above, but no more than the quantile lets be'}

# A knee has this many samples on each side, and all but one part in so many agree with it.
KNEE_LEAST = 10
KNEE_PART = 20


def number(value, unit):
    """Three digits of us, whole ns, and two digits after the point of a percentage."""
    if unit == 'ns':
        return f'{value:.0f}'
    value = value / 1000 if unit == 'us' else value * 100
    return f'{value:.{2 if abs(value) < 10 or unit != "us" else 1 if abs(value) < 100 else 0}f}'


def span(interval, share=False):
    """"1.90 to 2.30 us", "-12 to 15 ns", "at least 1.90 us"; of shares "-0.05 to 0.12 points"."""
    known = [end for end in interval if end is not None]
    if not known:
        return 'an unknown share' if share else 'an unknown time'
    unit = 'points' if share else 'us' if max(map(abs, known)) >= 1000 else 'ns'
    texts = [number(end, unit) for end in known]
    if len(known) == 1:
        return f'{"at most" if interval[0] is None else "at least"} {texts[0]} {unit}'
    return f'{texts[0]} {unit}' if texts[0] == texts[1] else f'{" to ".join(texts)} {unit}'


def grown(interval, slower):
    """By how much it became slower, or faster, for sure: an interval without a sign, or nothing."""
    low, high = interval if slower else (None if end is None else -end for end in interval[::-1])
    return (low, high) if low is not None and low > 0 else None


def apart(difference, interval, than=''):
    """"17.6 us longer (17.5 to 17.7 us)", of an interval on one side of 0."""
    return (f'{span((abs(difference),) * 2)} {"longer" if difference > 0 else "less"}{than} '
            f'({span(grown(interval, difference > 0))})')


def named(text, a, b, before=''):
    """The text with these names instead of A and B, and of what is BEFORE them."""
    return re.sub(rf'{before}\b[AB]\b', lambda name: a if name[0][-1] == 'A' else b, text)


def finding_text(part, finding):
    if finding.test == BODY:
        moved = part.quantile_moved(50)
        by = grown(moved, finding.slower)
        return f' by {span(by)}' if by else f', though its median moved by {span(moved)}'
    of_a, of_b = part.above(finding.threshold)
    declared = 'the declared ' if finding.test == DECLARED else ''
    text = (f' in some of its samples: {of_a} of {len(part.a)} in A and {of_b} of '
            f'{len(part.b)} in B are above {declared}{finding.threshold} ns')
    moved = part.quantile_moved(99)
    if finding.test == PERCENT and grown(moved, finding.slower):
        text += f', the 99th percentile moved by {span(moved)}'
    return text


def changes(pair):
    """By the first test that found it; they are in the order of how many samples each is of."""
    for slower in True, False:
        for part in pair.parts:
            found = [each for each in part.findings if each.p <= ALPHA and each.slower == slower]
            if found:
                early = 'when woken before its target residency, it ' * (part is not pair.counted)
                yield (f'{early}became {"slower" if slower else "faster"}'
                       f'{finding_text(part, found[0])}')


def what(pair):
    """A sentence without the name of the row: "became slower by 1.90 to 2.30 us"."""
    if pair.refusal:
        return pair.refusal
    if pair.change.is_found:
        return '; '.join(changes(pair))
    part, within = pair.counted, span((pair.counted.within_ns(),) * 2)
    text = {Change.FAILED: 'is PASS in A and FAIL in B',
            Change.SAME: f'is the same within {within}',
            Change.UNDECIDED: f'is not decided: more samples may show a change above {within}'}
    moved = [span(part.quantile_moved(percent, pair.alpha)) for percent in (50, 99)]
    return (f'{text[pair.change]}: its median moved by {moved[0]}, its 99th percentile by '
            f"{moved[1]}, its share above A's limit by {span(part.share_moved(pair.alpha), True)}")


def longer(pair):
    """Of two methods: "by write C6 takes 9.50 us longer than by hrt (9.44 to 9.55 us)"."""
    state = files.shown(pair.b.state)
    lead, first = f'cpu{pair.b.cpu}: by {pair.b.method} {state}', f'by {pair.a.method}'
    if pair.refusal:
        reason = named(pair.reason or 'neither was measured', pair.a.method, pair.b.method)
        return f'{lead} cannot be compared with {pair.a.method}: {reason}'
    part = pair.counted
    moved = part.quantile_moved(50, pair.alpha)
    difference = statistics.quantile(part.b, 50) - statistics.quantile(part.a, 50)
    if {Change.SLOWER: difference > 0, Change.FASTER: difference < 0}.get(pair.change) and \
            grown(moved, difference > 0):
        return f'{lead} takes {apart(difference, moved, f" than {first}")}'
    return lead + {
        Change.SLOWER: f' takes longer in some of its samples than {first}',
        Change.FASTER: f' takes less in some of its samples than {first}',
        Change.UNDECIDED: f' and {first}: not decided, more samples may show a difference',
        Change.SAME: f' takes as long as {first}, within {span((part.within_ns(),) * 2)}',
    }[pair.change]


def kept(row):
    """What was set, and which other CPUs were held in the state that was measured; or nothing."""
    held = {'': '', 'all': 'all other CPUs held'}.get(
        row.hold, f'the other CPUs of its {row.hold} held')
    return ' and '.join(filter(None, (row.set, held)))


def declared(pair):
    """What else differs, a line each."""
    a, b = pair.a, pair.b
    if a and b and len(a.samples) and len(b.samples):
        if kept(a) != kept(b):
            of_a, of_b = (f'with {kept(row)}' if kept(row) else 'as the machine was'
                          for row in (a, b))
            yield f'A was measured {of_a}, B {of_b}'
        if a.declared_ns != b.declared_ns:
            yield f'A declares {a.declared_ns} ns, B {b.declared_ns} ns'
    if a and b and a.verdict != b.verdict:
        yield f'A is {a.verdict}, B is {b.verdict}'
    if pair.frequencies:
        yield pair.frequencies


def quantile(ordered, percent):
    low, high = statistics.quantile_interval(ordered, percent, ALPHA)
    text = str(statistics.quantile(ordered, percent))
    if low is not None or high is not None:
        text += (f' ({high} or less)' if low is None else f' ({low} or more)' if high is None else
                 f' ({low} to {high})')
    return text


def samples(pair):
    """Of the samples of A and B that count, a line each; with intervals of 95 %."""
    part = pair.counted
    for name, of in (('A', part.a), ('B', part.b)) if part else ():
        yield (f'{name}: {len(of)} samples, median {quantile(of, 50)} ns, 99 % {quantile(of, 99)} '
               f'ns, largest {of[-1]} ns, {statistics.above(of, part.declared_ns)} above '
               f'{part.declared_ns} ns')


def replicated(row, experiment):
    """A sentence of a row of several runs."""
    if row.refusal:
        return f'{row.name} {row.refusal}'
    text = []
    for figure, name in NAMES.items():
        share = figure == SHARE_ABOVE
        of_a, of_b = (' to '.join(number(end, '%' if share else 'ns') for end in (
            part.min(), part.max())) + (' %' if share else ' ns')
            for part in (row.figures[figure][:experiment.count_a],
                         row.figures[figure][experiment.count_a:]))
        text.append(f'{name} from {of_a} in A, {of_b} in B, moved by '
                    f'{span(experiment.permutations.interval(row.figures[figure], ALPHA), share)}')
    failed = experiment.failed(row)
    if failed:
        text.append(f'PASS in all of A and FAIL in {failed} of {experiment.count_b} of B')
    if row.frequencies:
        text.append(row.frequencies)
    return f'{row.name}: {row.change.value}: {"; ".join(text)}'


def qualified(row):
    return ' '.join(f'{name}: {meaning}.' for name, meaning in QUALIFIERS.items()
                    if name in row.qualifier.split('+'))


class Cores:
    """What a core type comes to. ROW: of the type; CPUS: the rows of its CPUs, and those with samples
    ORDERED by their medians; SLOWEST: that of the CPU which latency_test says is slower than the
    others, or None; ABOVE: the mean of the CPUs' shares of samples above the limit, or None."""

    def __init__(self, run, row):
        self.row, self.cpus = row, run.cpus_of(row)
        self.failing = sorted((cpu for cpu in self.cpus if cpu.verdict == 'FAIL'),
                              key=lambda cpu: -(cpu.smallest_pass_ns or 0))
        self.ordered = sorted((cpu for cpu in self.cpus if len(cpu.samples)),
                              key=lambda cpu: statistics.quantile(cpu.ordered[0], 50))
        shares = [cpu.above / cpu.valid for cpu in self.cpus if cpu.valid]
        self.above = sum(shares) / len(shares) if shares else None
        said = re.search(r'\bcpu(\d+) is slower than the others: ', '\n'.join(row.remarks))
        self.slowest = next((cpu for cpu in self.cpus if said and cpu.cpu == said[1]), None)


def knee(apart, advanced):
    """Of samples in order of their distance, where a counter begins or ends to advance: the two
    distances between which it does, whether it begins, and how many samples do not agree; None
    where there is no such place."""
    below = np.concatenate(([0], np.cumsum(advanced)))      # that advance among the first i
    i = np.arange(len(apart) + 1)
    begins = below + (len(apart) - i) - (below[-1] - below)  # that disagree with a begin at i
    inside = (i >= KNEE_LEAST) & (i <= len(apart) - KNEE_LEAST)
    inside[1:-1] &= apart[1:] > apart[:-1]
    if not inside.any():
        return None
    wrong, begin, at = min((int(each[inside].min()), begin, i[inside][each[inside].argmin()])
                           for begin, each in ((True, begins), (False, len(apart) - begins)))
    # Those on the smaller side have to agree, too.
    if wrong * KNEE_PART > min(at, len(apart) - at):
        return None
    return apart[at - 1], apart[at], begin, wrong


def knees(row):
    """From which distance on a counter advances, or does no more: there the CPU begins to enter
    another state than the one that it enters for shorter ones."""
    text = []
    order = np.argsort(row.distance, kind='stable')
    apart = row.distance[order]
    for column, shares in row.residencies.items():
        shares = shares[order]
        known = ~np.isnan(shares)
        found = knee(apart[known], shares[known] > 0)
        if not found:
            continue
        low, high, begins, wrong = found
        text.append(f'{runs.counter_name(column)} {"begins" if begins else "ends"} to advance at a '
                    f'{"SilentTime" if row.has_wake else "launch distance"} of {low:.0f} to '
                    f'{high:.0f} ns' + (f', but for {wrong} of {known.sum()} samples' if wrong
                                        else '') + '.')
    return ' '.join(text)


def reached_states(row):
    """How many samples were longest in which state of the core, by its counters, and in which state
    of the package. A counter that is not there counts nothing."""
    core = ('c1_pct', 'cc3_pct', 'cc6_pct', 'cc7_pct')
    names = 'C0', *map(runs.counter_name, core)
    shares = np.column_stack([row.samples[column] for column in core])
    known = ~np.isnan(row.samples['c0_pct']) | ~np.isnan(shares).all(axis=1)
    shares = np.nan_to_num(shares[known])
    longest = np.where(shares.max(axis=1) > 0, shares.argmax(axis=1) + 1, 0)
    counts = np.bincount(longest, minlength=len(names)).tolist()
    return collections.Counter(dict(zip(names, counts))) + collections.Counter(
        filter(None, row.samples['package'].tolist()))

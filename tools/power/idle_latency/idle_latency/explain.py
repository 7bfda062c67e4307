# SPDX-License-Identifier: GPL-2.0
"""What a row's verdict, sweep and residency counters say, in words, and what the CPUs of a core
type come to together. Times are in ns."""
import collections
import itertools

import numpy as np

from idle_latency import pairs, statistics
from idle_latency.figures import counter_name
from idle_latency.statistics import LEAST

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

SLOWEST_ALPHA = 0.001       # of all CPUs together: any of them may have the largest median


def verdict(row):
    text = []
    if row.above:
        text.append(f'In {row.above} of {len(row.samples)} samples, {row.latency_name} is above '
                    f'the declared {row.declared_ns} ns even when all that the sample may be too '
                    'long by is taken off. The smallest limit that all samples are below with '
                    f'their errors is {row.smallest_pass_ns} ns.')
    elif len(row.samples):
        text.append(f'In none of {len(row.samples)} samples, {row.latency_name} less the '
                    f"sample's error is above the declared {row.declared_ns} ns.")
    if row.discarded_above:
        text.append(f'Of the discarded events, {row.discarded_above} are above it.')
    text += [f'{name}: {meaning}.' for name, meaning in QUALIFIERS.items()
             if name in row.qualifier.split('+')]
    if len(row.samples):
        text.append('Judged by the maximum.' if row.rule == 'max' else
                    f'Judged by the quantile {row.rule}.')
    return ' '.join(text)


def numbers(cpus):
    """"0-3,7" of the rows of CPUs."""
    text, ordered = [], sorted(int(cpu.cpu) for cpu in cpus)
    for _, group in itertools.groupby(enumerate(ordered), lambda each: each[1] - each[0]):
        group = [number for _, number in group]
        text.append(f'{group[0]}-{group[-1]}' if len(group) > 1 else f'{group[0]}')
    return ','.join(text)


class Cores:
    """As lib/types.c says it. ROW: of a type; CPUS: the rows of its CPUs, and those with samples
    ORDERED by their medians; ABOVE: the mean of the CPUs' shares of samples above the limit, or
    None."""

    def __init__(self, run, row):
        self.row, self.cpus = row, run.cpus_of(row)
        self.failing = sorted((cpu for cpu in self.cpus if cpu.verdict == 'FAIL'),
                              key=lambda cpu: -(cpu.smallest_pass_ns or 0))
        self.ordered = sorted((cpu for cpu in self.cpus if len(cpu.samples)),
                              key=lambda cpu: statistics.quantile(cpu.ordered[0], 50))
        shares = [cpu.above / cpu.valid for cpu in self.cpus if cpu.valid]
        self.above = sum(shares) / len(shares) if shares else None
        self.slowest, self.median_ns, self.others_ns = self.find_slowest()

    def find_slowest(self):
        """The row of the CPU with the largest median, where it is larger than those of all others
        together by more than chance and the margin; that median, and the one of the others."""
        times = {cpu: pairs.counted(cpu, 'wake') for cpu in self.cpus}
        enough = [cpu for cpu in self.cpus if len(times[cpu]) >= LEAST]
        comparable = [cpu for cpu in enough if cpu.has_wake == enough[0].has_wake]
        if len(comparable) < 2:
            return None, None, None
        medians = {cpu: statistics.quantile(times[cpu], 50) for cpu in comparable}
        slowest = max(comparable, key=medians.get)
        others = [cpu for cpu in comparable if cpu is not slowest]
        margin = pairs.common_margin(statistics.Margin(), [slowest], others)
        pooled = np.sort(np.concatenate([times[cpu] for cpu in others]))
        own = margin.reduce(times[slowest])
        alpha = SLOWEST_ALPHA / len(comparable) / 2
        both = np.sort(np.concatenate([pooled, own]))
        if statistics.ranks_p(pooled, own) > alpha and \
                statistics.tail_p(pooled, own, both[len(pooled) - 1]) > alpha:
            return None, None, None
        return slowest, medians[slowest], statistics.quantile(pooled, 50)

    def words(self):
        text = []
        for verdict in 'FAIL', 'SKIP', 'PASS':
            cpus = [cpu for cpu in self.cpus if cpu.verdict == verdict]
            if cpus:
                text.append(f'{len(cpus)} of {len(self.cpus)} CPUs are {verdict}: {numbers(cpus)}.')
        if self.above is not None:
            text.append(f'In the mean of the CPUs, {100 * self.above:.3g} % of the samples are '
                        'above the limit.')
        if self.slowest:
            text.append(f'cpu{self.slowest.cpu} is slower than the others: a median of '
                        f'{self.median_ns} ns, of theirs {self.others_ns} ns.')
        return ' '.join(text)


def sweep(row):
    """Steps that changed in the same direction, one after the other, are one change."""
    text, before = [], None
    for change, group in itertools.groupby((step for step in row.steps if step['samples']),
                                           lambda step: step['change']):
        first, *more = group
        last = more[-1] if more else first
        if change and before:
            text.append(f'{"Longer" if change == "slower" else "Shorter"} from launch distances of '
                        f'{first["ldist_from_ns"]} to {first["ldist_to_ns"]}\u00a0ns on: the '
                        f'median from {before["median_ns"]} to {last["median_ns"]}\u00a0ns.')
        before = last
    return ' '.join(text) or 'No step of the sweep is slower or faster than the one before.'


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
        text.append(f'{counter_name(column)} {"begins" if begins else "ends"} to advance at a '
                    f'{"SilentTime" if row.has_wake else "launch distance"} of {low:.0f} to '
                    f'{high:.0f} ns' + (f', but for {wrong} of {known.sum()} samples' if wrong
                                        else '') + '.')
    return ' '.join(text)


def reached_states(row):
    """How many samples were longest in which state of the core, by its counters, and in which state
    of the package. A counter that is not there counts nothing."""
    core = ('c1_pct', 'cc3_pct', 'cc6_pct', 'cc7_pct')
    names = 'C0', *map(counter_name, core)
    shares = np.column_stack([row.samples[column] for column in core])
    known = ~np.isnan(row.samples['c0_pct']) | ~np.isnan(shares).all(axis=1)
    shares = np.nan_to_num(shares[known])
    longest = np.where(shares.max(axis=1) > 0, shares.argmax(axis=1) + 1, 0)
    counts = np.bincount(longest, minlength=len(names)).tolist()
    return collections.Counter(dict(zip(names, counts))) + collections.Counter(
        filter(None, row.samples['package'].tolist()))

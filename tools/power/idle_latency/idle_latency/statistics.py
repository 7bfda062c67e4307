# SPDX-License-Identifier: GPL-2.0
"""Tests on samples of two runs, and on one figure of each of several runs.

Tests are one-sided unless they say something else: p is the probability of what was seen, or of
more, where B has no larger samples than A. Only the order of samples counts, so that all of it
holds for skewed data and for such that has many equal samples. Times are in ns.
"""
from dataclasses import dataclass
import itertools
import math

import numpy as np
from scipy import stats

# Of all that is tested in one comparison, wrong alarms are at most as probable as this.
ALPHA = 0.05
# From fewer samples, the normal approximation of the test of ranks is not good.
LEAST = 20
# A share that moves by less moves neither the median nor the 99th percentile by more than a rank
# in a hundred.
SHARE = 0.01
# What an experiment may spend at each of its three looks; the sum is below ALPHA.
LEVELS = (0.001, 0.004, 0.025)
# Two runs of A and two of B, in any order.
BLOCK = 4
# Runs of each kind; all divisions are tried, which are 6^6 in blocks and 20 over 10 without.
MOST_BLOCKED, MOST_FREE = 12, 10


@dataclass(frozen=True)
class Margin:
    """What A and B may differ by without being called different: the largest of a part of the
    latency, a time that is less than two boots differ by, and what both may be wrong by."""
    percent: int = 2
    least_ns: int = 50
    error_ns: int = 0

    def of(self, ns):
        return np.maximum(ns * self.percent // 100, max(self.least_ns, self.error_ns))

    def reduce(self, ns):
        """Samples less the margin, 0 at least: they keep their order."""
        return np.maximum(ns - self.of(ns), 0)


def quantile(ordered, percent):
    """By nearest rank."""
    return int(ordered[max(-(-len(ordered) * percent // 100) - 1, 0)])


def quantile_interval(ordered, percent, alpha):
    """Exact, from order statistics: the two samples between which the quantile is with a
    confidence of 1 - alpha or more; None where no sample is far enough out."""
    count = len(ordered)
    low, high = stats.binom.ppf([alpha / 2, 1 - alpha / 2], count, percent / 100).astype(int)
    return (int(ordered[low - 1]) if low > 0 else None,
            int(ordered[high]) if high < count else None)


def share_moved(part_a, count_a, part_b, count_b, alpha):
    """By how much the second share is above the first: from exact intervals of both (Clopper and
    Pearson), whose errors are independent (Newcombe)."""
    a, b = part_a / count_a, part_b / count_b
    ends = []
    for part, count in (part_a, count_a), (part_b, count_b):
        low = stats.beta.ppf(alpha / 2, part, count - part + 1) if part else 0
        high = stats.beta.ppf(1 - alpha / 2, part + 1, count - part) if part < count else 1
        ends.append((low, high))
    (low_a, high_a), (low_b, high_b) = ends
    return (b - a - math.hypot(b - low_b, high_a - a), b - a + math.hypot(high_b - b, a - low_a))


def moved(of_a, of_b):
    """What is between B and A, of an interval of each that is wrong with half of alpha."""
    return (None if of_b[0] is None or of_a[1] is None else of_b[0] - of_a[1],
            None if of_b[1] is None or of_a[0] is None else of_b[1] - of_a[0])


def within(interval, margin):
    low, high = interval
    return low is not None and high is not None and low >= -margin and high <= margin


def above(ordered, threshold):
    return len(ordered) - int(np.searchsorted(ordered, threshold, 'right'))


def pool(a, b):
    return np.sort(np.concatenate([a, b]), kind='stable')


def ranks_p(a, b):
    """The test of Mann and Whitney. The approximation takes, of either set, ten samples that are
    not the value that most have; else the exact tests have to tell, and p is 0.5."""
    both = len(a) + len(b)
    ties = np.diff(np.flatnonzero(np.diff(pool(a, b), prepend=-1, append=2 ** 62))).max()
    if min(len(a), len(b)) * (both - ties) < 10 * both:
        return 0.5
    return stats.mannwhitneyu(b, a, use_continuity=False, alternative='greater',
                              method='asymptotic').pvalue


def tail_p(a, b, threshold):
    """That of the samples above the threshold so many are of B: exact, where samples can be
    exchanged."""
    of_b = above(b, threshold)
    if not of_b:
        return 1.0
    return stats.hypergeom.sf(of_b - 1, len(a) + len(b), above(a, threshold) + of_b, len(b))


def shares_p(part_a, count_a, part_b, count_b):
    """That two shares are the same: two-sided (Fisher)."""
    return stats.fisher_exact([[part_a, count_a - part_a], [part_b, count_b - part_b]])[1]


def holm(p):
    """p such that all of them hold together, 1 at most."""
    p = np.asarray(p, float)
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    p[order] = np.minimum(adjusted, 1)
    return p


def is_blocked(count_a, count_b):
    """The same even number of each is taken to have been measured in turn: two of A and two of B
    after the other are a block."""
    return count_a == count_b and count_a % 2 == 0


def divisions(count_a, count_b):
    """In how many ways runs could have been A and B."""
    if is_blocked(count_a, count_b):
        return math.comb(BLOCK, BLOCK // 2) ** (count_a // 2)
    return math.comb(count_a + count_b, count_b)


def rows_at_most(count, alpha):
    """In how many rows something can be found: the least p is that of two divisions, the one that
    was measured and the one with A and B exchanged."""
    return int(alpha * count / 2 + 1e-9)


def needed(rows, level, step=1):
    """How many runs of each kind it takes to find something in so many rows."""
    count = 2
    while rows_at_most(divisions(count, count), level) < rows:
        count += step
    return count


def looks(planned):
    """After how many runs of each an experiment is looked at, in whole blocks, and the level of
    each: those for 10 are after 6, 8 and 10."""
    counts = [-(-planned * tenths // 20) * 2 for tenths in (6, 8, 10)]
    return dict(zip(counts, LEVELS))


def choices(count, chosen):
    """All ways to choose some, as rows of True for these."""
    every = np.array(list(itertools.combinations(range(count), chosen)))
    rows = np.zeros((len(every), count), bool)
    np.put_along_axis(rows, every, True, axis=1)
    return rows


class Permutations:
    """All ways in which runs could have been of A and of B. Figures are arrays whose last axis is
    the runs, those of A first. Only runs of the same block are exchanged."""

    def __init__(self, count_a, count_b):
        runs = list(range(count_a + count_b))
        groups = [runs]
        if is_blocked(count_a, count_b):
            groups = [runs[i:i + 2] + runs[count_a + i:count_a + i + 2]
                      for i in range(0, count_a, 2)]
        self.prepare(groups, count_a, count_b)

    def prepare(self, groups, count_a, count_b):
        self.groups = np.array(groups)
        self.of_b = np.arange(count_a + count_b) >= count_a
        each = choices(len(groups[0]), count_b // len(groups))
        every = np.empty((1, 0), bool)
        for _ in groups:
            every = np.hstack([np.repeat(every, len(each), axis=0),
                               np.tile(each, (len(every), 1))])
        of_b = np.empty_like(every)
        of_b[:, self.groups.ravel()] = every
        # What gives the mean of B less that of A: as it was measured, and of all divisions
        self.measured, self.weights = (np.where(of, 1 / count_b, -1 / count_a)
                                       for of in (self.of_b, of_b))

    def scale(self, figures):
        """The standard deviation within blocks, which no division changes."""
        grouped = figures[..., self.groups]
        return grouped.var(axis=-1).mean(axis=-1) ** 0.5

    def p(self, figures):
        """Two-sided, of figures[..., figure, run] together: that the one that moved most, as a
        multiple of its own deviation, moved so much. Also by how many of these each moved."""
        figures = np.asarray(figures, float)
        deviation = self.scale(figures)
        scaled = np.zeros_like(figures)
        np.divide(figures - figures.mean(axis=-1, keepdims=True), deviation[..., None],
                     out=scaled, where=deviation[..., None] > 0)
        most = np.abs(scaled @ self.weights.T).max(axis=-2)
        by = scaled @ self.measured
        seen = np.abs(by).max(axis=-1, keepdims=True)
        return (most >= seen - 1e-9).mean(axis=-1), by

    def interval(self, figure, alpha):
        """By how much B is above A, two-sided: all that the test does not contradict. For each
        other division there is one shift of B up to which the one that was measured is the more
        extreme of both; of few divisions no shift is contradicted."""
        rank = rows_at_most(len(self.weights), alpha)
        if not rank:
            return None, None
        moved_with_b = self.weights @ self.of_b
        others = moved_with_b < 1 - 1e-9
        shifts = np.sort((self.measured @ figure - self.weights[others] @ figure) /
                            (1 - moved_with_b[others]))
        return float(shifts[rank - 1]), float(shifts[-rank])

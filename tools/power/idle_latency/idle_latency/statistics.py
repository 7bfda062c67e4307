# SPDX-License-Identifier: GPL-2.0
"""Tests on samples of two runs, and on one figure of each of several runs.

Tests are one-sided unless they say something else: p is the probability of what was seen, or of
more, where B has no larger samples than A. Only the order of samples counts, so that all of it
holds for skewed data and for such that has many equal samples. Samples are sorted; times in ns.
"""
from dataclasses import dataclass
import functools
import itertools
import math

import numpy as np
from scipy import special, stats

ALPHA = 0.05        # Of all that is tested in one comparison, so many alarms may be wrong.
LEAST = 20          # From fewer samples, the normal approximation of the test of ranks is not good.
SHARE = 0.01        # A share that moves by less moves a percentile by a rank in a hundred at most.
LEVELS = 0.001, 0.004, 0.025    # of the three looks at an experiment; their sum is below ALPHA
EFFECTS, PAIRS = 0.04, 0.01     # of what settings change, and of how two of them act together
BLOCK = 2           # runs of A, and as many of B, that were measured in turn
MOST_BLOCKED, MOST_FREE = 12, 10    # runs of each: 6^6 divisions, and 20 over 10


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


def quantile(ordered, part, of=100):
    """By nearest rank."""
    return int(ordered[max(-(-len(ordered) * part // of) - 1, 0)])


def quantile_interval(ordered, percent, alpha):
    """Exact: the two samples between which the quantile is; None where none is far enough out."""
    count = len(ordered)
    low, high = stats.binom.ppf([alpha / 2, 1 - alpha / 2], count, percent / 100).astype(int)
    return (int(ordered[low - 1]) if low > 0 else None,
            int(ordered[high]) if high < count else None)


def share_moved(part_a, count_a, part_b, count_b, alpha):
    """The same of a share: from exact intervals of both (Clopper and Pearson), whose errors are
    independent (Newcombe)."""
    a, b = part_a / count_a, part_b / count_b
    (low_a, high_a), (low_b, high_b) = (
        (stats.beta.ppf(alpha / 2, part, count - part + 1) if part else 0,
         stats.beta.ppf(1 - alpha / 2, part + 1, count - part) if part < count else 1)
        for part, count in ((part_a, count_a), (part_b, count_b)))
    return (b - a - math.hypot(b - low_b, high_a - a), b - a + math.hypot(high_b - b, a - low_a))


def within(interval, margin):
    return None not in interval and interval[0] >= -margin and interval[1] <= margin


def beyond(interval, margin):
    """On which side all of it is: 1 above the margin, -1 below it, else 0."""
    low, high = interval
    return (low is not None and low > margin) - (high is not None and high < -margin)


def above(ordered, threshold):
    return len(ordered) - int(np.searchsorted(ordered, threshold, 'right'))


def ranks_p(a, b):
    """The test of Mann and Whitney. The approximation takes, of either set, ten samples that are
    not the value that most have; else the exact tests have to tell, and p is 0.5."""
    count = len(a) + len(b)
    ties = np.unique(np.concatenate([a, b]), return_counts=True)[1].astype(float)
    if min(len(a), len(b)) * (count - ties.max()) < 10 * count:
        return 0.5
    # Mann and Whitney's U, and its variance with the correction for ties. scipy's function sorts
    # again what is sorted, three times.
    u = (np.searchsorted(a, b, 'left') + np.searchsorted(a, b, 'right')).sum() / 2
    variance = len(a) * len(b) / 12 * (count + 1 - (ties ** 3 - ties).sum() / (count * (count - 1)))
    return math.erfc((u - len(a) * len(b) / 2) / math.sqrt(2 * variance)) / 2


def tail_p(a, b, threshold):
    """That of the samples above a threshold so many are of B: exact, if they can be exchanged."""
    of_b = above(b, threshold)
    if not of_b:
        return 1.0
    return stats.hypergeom.sf(of_b - 1, len(a) + len(b), above(a, threshold) + of_b, len(b))


def means_p(a, b, least):
    """Two-sided, that figures of runs have the same mean (Welch); 1 of one run, of which nobody knows
    how it varies. LEAST: the deviation that they have at least."""
    of_a, of_b = ((np.mean(of), max(np.std(of, ddof=min(len(of) - 1, 1)), least), len(of))
                  for of in (a, b))
    return float(stats.ttest_ind_from_stats(*of_a, *of_b, equal_var=False).pvalue) \
        if min(len(a), len(b)) > 1 else 1.0


def holm(p):
    """p such that all of them hold together, 1 at most."""
    p = np.asarray(p, float)
    order = np.argsort(p)
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return p


@dataclass(frozen=True)
class Contrast:
    """By how much one half of some cells is above the other half, on average, where a cell has one
    figure in each block."""
    effect: float
    deviation: float
    freedom: float

    def p(self):
        """Two-sided, of no difference."""
        return float(2 * special.stdtr(self.freedom, -abs(self.effect) / self.deviation))

    def interval(self, alpha):
        reach = self.deviation * float(special.stdtrit(self.freedom, 1 - alpha / 2))
        return self.effect - reach, self.effect + reach


def contrast(figures, signs, rounding=1):
    """Of figures[block, cell]; SIGNS: 1 and -1, as many of each. ROUNDING: what a figure is a
    multiple of.

    What a block has in common is taken out, and what is left varies as it does in each cell, since
    a setting may be what makes runs differ (Welch and Satterthwaite, with normal figures). The mean
    of a block, which has a part of each cell, costs one cell of them.
    """
    blocks, cells = figures.shape
    left = figures - figures.mean(axis=1, keepdims=True)
    variances = np.maximum(left.var(axis=0, ddof=1), rounding ** 2 / 12) * cells / (cells - 1)
    freedom = ((blocks - 1) * (cells - 1) / cells * variances.sum() ** 2 / (variances ** 2).sum())
    return Contrast(float(left.mean(axis=0) @ signs * 2 / cells),
                    float(2 / cells * math.sqrt(variances.sum() / blocks)), float(freedom))


def blocks(count_a, count_b):
    """Which runs may be exchanged, those of A first: the same even number of each is taken to have
    been measured in turn."""
    runs = list(range(count_a + count_b))
    if count_a != count_b or count_a % BLOCK:
        return [runs]
    return [runs[i:i + BLOCK] + runs[count_a + i:count_a + i + BLOCK]
            for i in range(0, count_a, BLOCK)]


def divisions(count_a, count_b):
    """In how many ways runs could have been A and B."""
    groups = blocks(count_a, count_b)
    return math.comb(len(groups[0]), count_b // len(groups)) ** len(groups)


def rows_at_most(count, alpha):
    """In how many rows something can be found: the least p is that of two divisions, the one that
    was measured and the one with A and B exchanged."""
    return int(alpha * count / 2 + 1e-9)


def are_enough(count_a, count_b, rows, level):
    """Whether something can be found in so many rows."""
    return rows_at_most(divisions(count_a, count_b), level) >= rows


def needed(rows, level, step=1):
    """How many runs of each kind it takes for that."""
    return next(count for count in itertools.count(2, step)
                if are_enough(count, count, rows, level))


def looks(planned):
    """After how many runs of each an experiment is looked at, in whole blocks, and the level of
    each: after 6, 8 and 10 of 10."""
    return dict(zip((-(-planned * tenths // 20) * 2 for tenths in (6, 8, 10)), LEVELS))


@functools.cache
class Permutations:
    """All ways in which runs could have been of A and of B. Figures are arrays whose last axis is
    the runs, those of A first. Only runs of the same group are exchanged. Nobody changes them, so
    that those of the same numbers are made once."""

    def __init__(self, count_a, count_b, groups=None):
        self.groups = np.array(groups or blocks(count_a, count_b))
        chosen = np.array(list(itertools.product(*(
            itertools.combinations(group, count_b // len(self.groups)) for group in self.groups))))
        of_b = np.zeros((len(chosen), count_a + count_b), bool)
        np.put_along_axis(of_b, chosen.reshape(len(chosen), -1), True, axis=1)
        self.of_b = np.arange(count_a + count_b) >= count_a
        # What gives the mean of B less that of A: as it was measured, and of all divisions
        self.measured, self.weights = (np.where(of, 1 / count_b, -1 / count_a)
                                       for of in (self.of_b, of_b))
        # How much of a shift of B the mean of each division moves by; that of the measured one, 1
        self.moved_with_b = self.weights @ self.of_b
        self.others = self.moved_with_b < 1 - 1e-9

    def p(self, figures):
        """Two-sided, of figures[figure, run] together: that the one which moved most, as a multiple
        of its deviation within groups, which no division changes, moved so much."""
        figures = np.asarray(figures, float)
        deviation = figures[:, self.groups].var(axis=-1).mean(axis=-1, keepdims=True) ** 0.5
        deviation[deviation == 0] = np.inf
        scaled = (figures - figures.mean(axis=-1, keepdims=True)) / deviation
        most = np.abs(scaled @ self.weights.T).max(axis=0)
        return float((most >= np.abs(scaled @ self.measured).max() - 1e-9).mean())

    def interval(self, figure, alpha):
        """By how much B is above A, two-sided: all that the test does not contradict. For each
        other division there is one shift of B up to which the one that was measured is the more
        extreme of both; of few divisions no shift is contradicted."""
        rank = rows_at_most(len(self.weights), alpha)
        if not rank:
            return None, None
        shifts = (self.measured @ figure - (self.weights @ figure)[self.others]) / \
            (1 - self.moved_with_b[self.others])
        ends = [rank - 1, len(shifts) - rank]
        return tuple(np.partition(shifts, ends)[ends].tolist())

# SPDX-License-Identifier: GPL-2.0
"""Several runs of each of two kinds, which say something of what they are runs of, such as two
kernels. Samples of one run have its boot, temperature and neighbours in common, so that many of
them say no more of a kernel than one figure does. Times are in ns."""
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from idle_latency import pairs, statistics
from idle_latency.pairs import Change
from idle_latency.statistics import ALPHA, LEAST, SHARE

# What each run gives of a row. The last one is the share above what the first run of A declares
# of samples less the margin, which tells whether a latency near that has really moved.
MEDIAN, P99, SHARE_ABOVE, SHARE_REDUCED = FIGURES = range(4)
TESTED = (MEDIAN, P99, SHARE_ABOVE)
NAMES = ('median', '99th percentile', "share above A's limit")


@dataclass
class Replicated:
    """A row of all runs. Figures are an array with a row for each figure, and the runs of A
    before those of B; intervals of how far B is above A are two-sided."""
    name: str
    figures: np.ndarray = None
    margin: statistics.Margin = None
    verdicts: tuple = ()
    change: Change = Change.SAME
    reason: str = ''
    found: tuple = ()


class Experiment:
    """LEVEL: how probable wrong alarms of all rows together may be."""

    def __init__(self, count_a, count_b, level=ALPHA):
        self.count_a, self.count_b, self.level = count_a, count_b, level
        self.permutations = statistics.Permutations(count_a, count_b)
        self.divisions = len(self.permutations.weights)

    def is_enough(self, rows):
        return rows <= statistics.rows_at_most(self.divisions, self.level)

    def margin_of(self, row, figure):
        """Of times; a share is one of samples less the margin."""
        if figure == SHARE_ABOVE:
            return 0
        return int(row.margin.of(row.figures[figure][:self.count_a].mean()))

    def moved(self, row, figure, alpha=ALPHA):
        return self.permutations.interval(row.figures[figure], alpha)

    def is_beyond(self, row, figure):
        """By more than the margin, of which this row alone is as sure as of ALPHA, on the side that
        matters: 1 when slower, -1 when faster, else 0."""
        figures, margin = row.figures[figure], self.margin_of(row, figure)
        ends = self.permutations.interval(figures, 2 * ALPHA)
        if figure == SHARE_ABOVE:
            mixed = np.where(self.permutations.of_b, row.figures[SHARE_REDUCED], figures)
            other = np.where(self.permutations.of_b, figures, row.figures[SHARE_REDUCED])
            ends = [self.permutations.interval(each, 2 * ALPHA)[i]
                    for i, each in enumerate((mixed, other))]
        low, high = ends
        return (low is not None and low > margin) - (high is not None and high < -margin)

    def find(self, row, p, adjusted):
        """The figures that moved: that which moved most by the test of all figures, and others
        by their own. Both are corrected for the number of rows."""
        if adjusted > self.level:
            return ()
        own = [self.permutations.p(row.figures[[figure]])[0] for figure in TESTED]
        return tuple((figure, direction) for figure in TESTED
                     if own[figure] * adjusted / p <= self.level and
                     (direction := self.is_beyond(row, figure)))

    def is_same(self, row, rows):
        alpha = self.level / rows
        return not self.failed(row) and all(
            statistics.within(self.moved(row, figure, alpha),
                              SHARE if figure == SHARE_ABOVE else self.margin_of(row, figure))
            for figure in TESTED)

    def failed(self, row):
        """How many runs of B are FAIL where all of A are PASS."""
        if set(row.verdicts[:self.count_a]) != {'PASS'}:
            return 0
        return row.verdicts[self.count_a:].count('FAIL')

    def judge(self, rows):
        """Fills in what comes of rows that have figures."""
        if not rows:
            return
        tested = [self.permutations.p(row.figures[list(TESTED)])[0] for row in rows]
        for row, p, adjusted in zip(rows, tested, statistics.holm(tested)):
            row.found = self.find(row, p, adjusted)
            directions = [direction for _, direction in row.found]
            if directions:
                row.change = Change.SLOWER if 1 in directions else Change.FASTER
            elif not self.is_enough(len(rows)) or not self.is_same(row, len(rows)):
                row.change = Change.UNDECIDED


def take(key, runs, count_a, margin, latency):
    """A row of all runs, each compared with the first."""
    rows = [run.find(key) for run in runs]
    row = Replicated(next(each for each in rows if each).name)
    if not any(map(pairs.has_samples, rows)):
        row.change = Change.UNMEASURED
        return row
    if not all(map(pairs.has_samples, rows)):
        row.reason = 'a run has no sample of it'
        return row
    row.reason = next(filter(None, (pairs.rows_differ(rows[0], each, latency)
                                    for each in rows[1:])), '') or reach_differs(rows, count_a)
    times = [pairs.counted(each, latency) for each in rows]
    if not row.reason and min(map(len, times)) < LEAST:
        row.reason = f'fewer than {LEAST} samples of a run count'
    if row.reason:
        return row
    row.margin = replace(margin, error_ns=margin.error_ns + 2 * max(map(pairs.median_error, rows)))
    row.verdicts = tuple(each.verdict for each in rows)
    limit = rows[0].declared_ns
    row.figures = np.array([[
        statistics.quantile(of, 50), statistics.quantile(of, 99),
        statistics.above(of, limit) / len(of),
        statistics.above(row.margin.reduce(of), limit) / len(of)] for of in times], float).T
    return row


def reach_differs(rows, count_a):
    """Of the runs of A and of B other shares of samples reached the state, so that others count."""
    if not rows[0].reach_known:
        return ''
    shares = [part / max(count, 1) for part, count in map(pairs.reached, rows)]
    of_a, of_b = np.mean(shares[:count_a]), np.mean(shares[count_a:])
    p = statistics.Permutations(count_a, len(rows) - count_a).p([shares])[0]
    return pairs.reach_text(of_a, of_b) if abs(of_a - of_b) > SHARE and p <= ALPHA else ''


def compare(a, b, margin=statistics.Margin(), latency='wake', level=ALPHA):
    """The rows that any run has, and the experiment, of runs of A and of B in the order in which
    they were measured."""
    runs = a + b
    rows = [take(key, runs, len(a), margin, latency)
            for key in {row.key: None for run in runs for row in run.rows}]
    experiment = Experiment(len(a), len(b), level)
    for row in rows:
        if row.reason:
            row.change = Change.UNCOMPARABLE
    experiment.judge([row for row in rows if row.figures is not None])
    return rows, experiment


def drifting(rows, count_a):
    """Rows whose medians rise or fall from run to run in A and in B alike."""
    tested = [row for row in rows if row.figures is not None]
    for row in tested:
        medians = row.figures[MEDIAN]
        order = np.concatenate([np.linspace(0, 1, count) if count > 1 else [0.5]
                                for count in (count_a, len(medians) - count_a)])
        level = np.concatenate([medians[:count_a] - medians[:count_a].mean(),
                                medians[count_a:] - medians[count_a:].mean()])
        if np.ptp(level) and stats.spearmanr(order, level).pvalue * len(tested) <= ALPHA:
            yield row


def same_samples(a, b):
    """Copies of a run, and emulated runs with the same seed, tell nothing more than one does."""
    def times(run):
        return [(row.key, row.samples['ldist_ns'].tobytes(), row.samples['intr_ns'].tobytes())
                for row in run.rows]
    return times(a) == times(b)

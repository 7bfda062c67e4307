# SPDX-License-Identifier: GPL-2.0
"""Several runs of each of two kinds, which say something of what they are runs of, such as two
kernels. Samples of one run have its boot, temperature and neighbours in common, so that many of
them say no more of a kernel than one figure does. Times are in ns."""
from dataclasses import dataclass

import numpy as np

from idle_latency import pairs, statistics
from idle_latency.runs import Problem
from idle_latency.pairs import Change
from idle_latency.statistics import ALPHA, SHARE

# What each run gives of a row. The last one is the share above what the first run of A declares of
# samples less the margin, which tells whether a latency near that has really moved.
MEDIAN, P99, SHARE_ABOVE, SHARE_REDUCED = range(4)
NAMES = {MEDIAN: 'median', P99: '99th percentile', SHARE_ABOVE: "share above A's limit"}


@dataclass
class Replicated(pairs.Compared):
    """A row of all runs. Figures are an array with a row for each, and the runs of A first."""
    name: str
    figures: np.ndarray = None
    verdicts: tuple = ()


class Experiment:
    """LEVEL: how probable wrong alarms of all rows together may be."""

    def __init__(self, count_a, count_b, level=ALPHA):
        self.count_a, self.count_b, self.level = count_a, count_b, level
        self.permutations = statistics.Permutations(count_a, count_b)

    def margin_of(self, row, figure):
        """Of times; a share is one of samples less the margin."""
        return 0 if figure == SHARE_ABOVE else \
            int(row.margin.of(row.figures[figure][:self.count_a].mean()))

    def beyond(self, row, figure):
        """By more than the margin, of which this row alone is as sure as of ALPHA, on the side that
        matters: 1 when slower, -1 when faster, else 0."""
        faster = slower = row.figures[figure]
        if figure == SHARE_ABOVE:
            slower = np.where(self.permutations.of_b, row.figures[SHARE_REDUCED], slower)
            faster = np.where(self.permutations.of_b, faster, row.figures[SHARE_REDUCED])
        low, high = (self.permutations.interval(of, 2 * ALPHA) for of in (slower, faster))
        return statistics.beyond((low[0], high[1]), self.margin_of(row, figure))

    def find(self, row, p, adjusted):
        """Which figures moved, and where to. Each is tested alone once all together have, and is
        corrected for the number of rows as these are."""
        if adjusted > self.level:
            return set()
        return {self.beyond(row, figure) for figure in NAMES
                if self.permutations.p(row.figures[[figure]]) * adjusted / p <= self.level} - {0}

    def is_same(self, row, rows):
        return not self.failed(row) and all(
            statistics.within(self.permutations.interval(row.figures[figure], self.level / rows),
                              SHARE if figure == SHARE_ABOVE else self.margin_of(row, figure))
            for figure in NAMES)

    def failed(self, row):
        """How many runs of B are FAIL where all of A are PASS."""
        passed = set(row.verdicts[:self.count_a]) == {'PASS'}
        return row.verdicts[self.count_a:].count('FAIL') if passed else 0

    def judge(self, rows):
        """Fills in what comes of rows that have figures."""
        p = [self.permutations.p(row.figures[list(NAMES)]) for row in rows]
        enough = statistics.are_enough(self.count_a, self.count_b, len(rows), self.level)
        for row, alone, adjusted in zip(rows, p, statistics.holm(p)):
            row.change = Change.of(self.find(row, alone, adjusted),
                                   lambda: enough and self.is_same(row, len(rows)))


def take(rows, permutations, count_a, margin, latency):
    """A row of all runs, each compared with the first."""
    row = Replicated(next(filter(None, rows)).name, margin=margin)
    times = pairs.take(row, rows[:count_a], rows[count_a:], latency, 'a run has no sample of it',
                       lambda: permutations.p([[each.reached_share for each in rows]]))
    if not times:
        return row
    row.verdicts = tuple(each.verdict for each in rows)
    limit = rows[0].declared_ns
    row.figures = np.array([[
        statistics.quantile(of, 50), statistics.quantile(of, 99),
        statistics.above(of, limit) / len(of),
        statistics.above(row.margin.reduce(of), limit) / len(of)] for of in times], float).T
    return row


def compare(a, b, margin=statistics.Margin(), latency='wake', level=ALPHA):
    """The rows that any run has, and the experiment, of runs of A and of B in the order in which
    they were measured."""
    experiment = Experiment(len(a), len(b), level)
    rows = [take(found, experiment.permutations, len(a), margin, latency)
            for found in pairs.keys(a + b)]
    experiment.judge([row for row in rows if row.figures is not None])
    return rows, experiment


def refuse_copies(runs):
    """Each is another one: copies say nothing of how runs differ."""
    seen = {}
    for run in runs:
        times = tuple((row.key, row.samples['ldist_ns'].tobytes(), row.samples['intr_ns'].tobytes())
                      for row in run.rows)
        other = seen.setdefault(times, run)
        if other is not run:
            raise Problem(f'{other.name} and {run.name} have the same samples, as copies have, and '
                          'emulated runs with the same seed= of TRUTH')

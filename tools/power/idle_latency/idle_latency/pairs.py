# SPDX-License-Identifier: GPL-2.0
"""What differs between two runs, by more than chance and by more than a margin. A is the run
before and B the one after. Times are in ns."""
from dataclasses import dataclass, field, replace
import enum

import numpy as np

from idle_latency import statistics
from idle_latency.statistics import ALPHA, LEAST, SHARE


class Change(enum.Enum):
    """What became of a row, and of all."""
    SAME = 'the same'
    FASTER = 'faster'
    SLOWER = 'slower'
    # PASS before, with latencies that do not differ by what could be found
    FAILED = 'now FAIL'
    # measured, but the difference would mean nothing
    UNCOMPARABLE = 'not comparable'
    UNMEASURED = 'not measured'
    # nothing was found, but so few samples or runs might not have shown it
    UNDECIDED = 'not decided'


# What is tested: all samples by their ranks; of whom those are that are above a threshold, which
# is a quantile of both runs together, the 20 slowest of both, and what A declares.
BODY, P50, P75, P90, P99, SLOWEST, DECLARED = TESTS = range(7)
PERCENT_ABOVE = {P50: 50, P75: 25, P90: 10, P99: 1}
SLOWEST_COUNT = 20


@dataclass
class Finding:
    """Of one test: p is two-sided, and becomes that of all tests of the comparison."""
    test: int
    p: float
    slower: bool
    threshold: int
    above_a: int
    above_b: int


@dataclass
class Part:
    """The samples of a row that count, or those that were armed to come before the target
    residency: each kind is compared with its like. Intervals are of B less A."""
    a: np.ndarray
    b: np.ndarray
    declared_ns: int
    margin: statistics.Margin
    findings: list = field(default_factory=list)

    def thresholds(self, a, b):
        both = statistics.pool(a, b)
        ranks = [len(both) * PERCENT_ABOVE[test] // 100 for test in TESTS[P50:SLOWEST]]
        return [int(both[-1 - rank]) for rank in (*ranks, SLOWEST_COUNT)] + [self.declared_ns]

    def larger(self, a, b):
        """One-sided p of each test: that the second is larger by more than the margin."""
        reduced = self.margin.reduce(b)
        return [statistics.ranks_p(a, reduced)] + [
            statistics.tail_p(a, reduced, threshold) for threshold in self.thresholds(a, reduced)]

    def test(self):
        slower, faster = self.larger(self.a, self.b), self.larger(self.b, self.a)
        thresholds = self.thresholds(self.a, self.b)
        for test, threshold in zip(TESTS, thresholds[:1] + thresholds):
            self.findings.append(Finding(
                test, min(2 * min(slower[test], faster[test]), 1), slower[test] < faster[test],
                threshold, statistics.above(self.a, threshold),
                statistics.above(self.b, threshold)))

    def quantile_moved(self, percent, alpha=ALPHA):
        return statistics.moved(*(statistics.quantile_interval(of, percent, alpha / 2)
                                  for of in (self.a, self.b)))

    def share_moved(self, alpha=ALPHA):
        """How much the share above what A declares did."""
        (above_a, count_a), (above_b, count_b) = (
            (statistics.above(of, self.declared_ns), len(of)) for of in (self.a, self.b))
        return statistics.share_moved(above_a, count_a, above_b, count_b, alpha)

    def within_ns(self):
        return int(self.margin.of(statistics.quantile(self.b, 50)))

    def is_same(self, alpha):
        return all(statistics.within(self.quantile_moved(percent, alpha), self.margin.of(
            statistics.quantile(self.b, percent))) for percent in (50, 99)) and \
            statistics.within(self.share_moved(alpha), SHARE)


@dataclass
class Pair:
    """A row of A and the same of B; one of them may be None."""
    a: object
    b: object
    change: Change = Change.SAME
    reason: str = ''
    counted: Part = None
    entry: Part = None
    # of what is called the same: that all rows together are
    alpha: float = ALPHA

    @property
    def name(self):
        return (self.a or self.b).name

    @property
    def parts(self):
        return [part for part in (self.counted, self.entry) if part]

    def failed(self):
        return self.a.verdict == 'PASS' and self.b.verdict == 'FAIL'


def has_samples(row):
    return row is not None and len(row.samples) > 0


def has_wake(row):
    """Whether what counts has a WakeLatency: the verdict takes what most samples have."""
    return 2 * np.isnan(row.samples['wake_ns']).sum() < len(row.samples)


def latencies(row, chosen, latency):
    """The times of some samples, in order."""
    times = row.samples['wake_ns' if latency == 'wake' and has_wake(row) else 'intr_ns'][chosen]
    return np.sort(times[~np.isnan(times)].astype(np.int64))


def counted(row, latency):
    return latencies(row, row.counted, latency)


def entered(row, latency):
    return latencies(row, row.samples['ldist_ns'] < row.ldist_from_ns, latency)


def median_error(row):
    return statistics.quantile(np.sort(row.samples['error_ns']), 50)


def reached(row):
    """How many samples reached the state, of how many that could count."""
    silent = row.silent
    return int((row.samples['reached'][silent] == 1).sum()), int(silent.sum())


def launched(row):
    """A sweep has other launch distances than a run without, even where their range is the same."""
    return (row.ldist_from_ns, row.ldist_to_ns,
            [(step['ldist_from_ns'], step['samples']) for step in row.steps])


def rows_differ(a, b, latency):
    """Why a row of two runs cannot be compared, or nothing."""
    if not has_samples(a):
        return 'A has no sample'
    if not has_samples(b):
        return 'B has no sample'
    if a.stamp != b.stamp:
        return 'the stamps differ: choose one with --stamp'
    if latency == 'wake' and has_wake(a) != has_wake(b):
        return 'one has WakeLatency and the other IntrLatency'
    if launched(a) != launched(b):
        return 'the launch distances differ: measure both with the same LDIST or SWEEP'
    if a.reach_known != b.reach_known:
        return 'only of one it is known which samples reached the state'
    return ''


def reach_differs(a, b, rows):
    """The same for samples of which others reached the state, so that others count."""
    of_a, of_b = reached(a), reached(b)
    if not a.reach_known or not of_a[1] or not of_b[1] or abs(of_a[0] / of_a[1] - of_b[0] / of_b[1]) <= SHARE or \
            statistics.shares_p(*of_a, *of_b) > ALPHA / rows:
        return ''
    return reach_text(of_a[0] / of_a[1], of_b[0] / of_b[1])


def reach_text(share_a, share_b):
    return (f'{100 * share_a:.1f} % of the samples of A reached the state and '
            f'{100 * share_b:.1f} % of those of B')


def runs_differ(a, b):
    """What makes two runs of other machines, or nothing. The rows of a run are of one."""
    if a.rows[0].machine != b.rows[0].machine:
        return 'they are of different machines'
    if a.rows[0].cpu_model != b.rows[0].cpu_model:
        return 'they are of different CPU models'
    return ''


def test_pair(pair, rows, margin, latency):
    if not has_samples(pair.a) and not has_samples(pair.b):
        pair.change = Change.UNMEASURED
        return
    pair.reason = rows_differ(pair.a, pair.b, latency) or reach_differs(pair.a, pair.b, rows)
    if pair.reason:
        return
    error = median_error(pair.a) + median_error(pair.b)
    margin = replace(margin, error_ns=margin.error_ns + error)
    for name, take in (('counted', counted), ('entry', entered)):
        a, b = take(pair.a, latency), take(pair.b, latency)
        if min(len(a), len(b)) >= LEAST:
            setattr(pair, name, Part(a, b, pair.a.declared_ns, margin))
    if not pair.counted:
        pair.reason = f'fewer than {LEAST} samples of a run count'
        return
    for part in pair.parts:
        part.test()


def conclude(pair, compared):
    """Slower in one respect is slower, whatever else."""
    if pair.change == Change.UNMEASURED:
        return
    if pair.reason:
        pair.change = Change.UNCOMPARABLE
        return
    pair.alpha = ALPHA / compared
    found = [finding for part in pair.parts for finding in part.findings if finding.p <= ALPHA]
    if found:
        slower = any(finding.slower for finding in found)
        pair.change = Change.SLOWER if slower else Change.FASTER
    elif pair.failed():
        pair.change = Change.FAILED
    elif not pair.counted.is_same(pair.alpha):
        pair.change = Change.UNDECIDED


def compare(a, b, margin=statistics.Margin(), latency='wake'):
    """All rows of A, and those that only B has. Holm's correction is over all that is tested."""
    of_a, of_b = ({row.key: row for row in run.rows} for run in (a, b))
    pairs = [Pair(of_a.get(key), of_b.get(key)) for key in {**of_a, **of_b}]
    for pair in pairs:
        test_pair(pair, len(pairs), margin, latency)
    findings = [finding for pair in pairs if not pair.reason for part in pair.parts
                for finding in part.findings]
    for finding, p in zip(findings, statistics.holm([finding.p for finding in findings])):
        finding.p = p
    compared = sum(pair.counted is not None and not pair.reason for pair in pairs)
    for pair in pairs:
        conclude(pair, compared)
    return pairs


def overall(changes):
    """Of all rows: the first of these that one is."""
    changes = list(changes)
    for change in (Change.SLOWER, Change.FAILED, Change.UNCOMPARABLE, Change.UNDECIDED,
                   Change.FASTER, Change.SAME):
        if change in changes:
            return change
    return Change.UNCOMPARABLE


def drifts(run, margin, latency, of=1):
    """Rows of which one half of the samples is slower than the other by more than the margin:
    those cannot be exchanged for samples of another run. A sweep goes from short to long launch
    distances, and is not expected to stay the same. OF: so many runs are looked at."""
    for row in run.rows:
        if row.steps or len(row.samples) < 2 * LEAST:
            continue
        half = np.arange(len(row.samples)) < len(row.samples) // 2
        earlier, later = (latencies(row, row.counted & of, latency) for of in (half, ~half))
        if min(len(earlier), len(later)) < LEAST:
            continue
        both = replace(margin, error_ns=margin.error_ns + 2 * median_error(row))
        p = 2 * min(statistics.ranks_p(earlier, both.reduce(later)),
                    statistics.ranks_p(later, both.reduce(earlier)))
        if p * len(run.rows) * of <= ALPHA:
            yield row

# SPDX-License-Identifier: GPL-2.0
"""What differs between two runs, by more than chance and by more than a margin. A is the run
before and B the one after. Times are in ns."""
from dataclasses import dataclass, field, replace
import enum

import numpy as np
from scipy import stats

from idle_latency import statistics
from idle_latency.statistics import ALPHA, LEAST, SHARE


class Change(enum.Enum):
    """What became of a row, and of all."""
    SAME = 'the same'
    FASTER = 'faster'
    SLOWER = 'slower'
    FAILED = 'now FAIL'             # after PASS, and no difference of latencies was found
    UNCOMPARABLE = 'not comparable'     # measured, but the difference would mean nothing
    UNMEASURED = 'not measured'
    UNDECIDED = 'not decided'       # so few samples or runs might not have shown it

    @property
    def is_found(self):
        return self in (Change.SLOWER, Change.FASTER)


# What is tested: all samples by their ranks; of whom those are that are above a threshold, which
# is a quantile of both runs together, the 20 slowest of both, and what A declares.
BODY, P50, P75, P90, P99, SLOWEST, DECLARED = TESTS = range(7)
PERCENT_ABOVE = 50, 25, 10, 1
SLOWEST_COUNT = 20


@dataclass
class Finding:
    """Of one test: p is two-sided, and becomes that of all tests of the comparison."""
    test: int
    p: float
    slower: bool
    threshold: int


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
        both = np.sort(np.concatenate([a, b]), kind='stable')
        ranks = [len(both) * percent // 100 for percent in PERCENT_ABOVE] + [SLOWEST_COUNT]
        return [int(both[-1 - rank]) for rank in ranks] + [self.declared_ns]

    def larger(self, a, b):
        """One-sided p of each test: that the second is larger by more than the margin."""
        reduced = self.margin.reduce(b)
        return [statistics.ranks_p(a, reduced)] + [
            statistics.tail_p(a, reduced, threshold) for threshold in self.thresholds(a, reduced)]

    def test(self):
        thresholds = self.thresholds(self.a, self.b)
        self.findings = [
            Finding(test, min(2 * min(slower, faster), 1), slower < faster, threshold)
            for test, slower, faster, threshold in zip(
                TESTS, self.larger(self.a, self.b), self.larger(self.b, self.a),
                thresholds[:1] + thresholds)]

    def above(self, threshold):
        return statistics.above(self.a, threshold), statistics.above(self.b, threshold)

    def quantile_moved(self, percent, alpha=ALPHA):
        """Each interval is wrong with half of alpha."""
        (low_a, high_a), (low_b, high_b) = (
            statistics.quantile_interval(of, percent, alpha / 2) for of in (self.a, self.b))
        return (None if None in (low_b, high_a) else low_b - high_a,
                None if None in (high_b, low_a) else high_b - low_a)

    def share_moved(self, alpha=ALPHA):
        """How much the share above what A declares did."""
        of_a, of_b = self.above(self.declared_ns)
        return statistics.share_moved(of_a, len(self.a), of_b, len(self.b), alpha)

    def within_ns(self, percent=50):
        return int(self.margin.of(statistics.quantile(self.b, percent)))

    def is_same(self, alpha):
        return statistics.within(self.share_moved(alpha), SHARE) and all(
            statistics.within(self.quantile_moved(percent, alpha), self.within_ns(percent))
            for percent in (50, 99))


@dataclass
class Pair:
    """A row of A and the same of B; one of them may be None."""
    a: object
    b: object
    change: Change = Change.SAME
    reason: str = ''
    parts: list = field(default_factory=list)   # what counts, and what was woken early, if any
    alpha: float = ALPHA    # of what is called the same, which all rows together are

    @property
    def key(self):
        return (self.a or self.b).key

    @property
    def name(self):
        return (self.a or self.b).name

    @property
    def counted(self):
        return self.parts[0] if self.parts else None


def has_samples(row):
    return row is not None and len(row.samples) > 0


def latencies(row, chosen, latency):
    """The times of some samples, in order."""
    times = row.samples['wake_ns' if latency == 'wake' and row.counts_wake else 'intr_ns'][chosen]
    return np.sort(times[~np.isnan(times)].astype(np.int64))


def counted(row, latency):
    return latencies(row, row.counted, latency)


def median_error(row):
    return statistics.quantile(np.sort(row.samples['error_ns']), 50)


def launched(row):
    """A sweep has other launch distances than a run without, even where their range is the same."""
    return (row.ldist_from_ns, row.ldist_to_ns,
            [(step['ldist_from_ns'], step['samples']) for step in row.steps])


def rows_differ(a, b, latency):
    """Why a row of two runs cannot be compared, or nothing."""
    reasons = {
        'one was measured at once with other CPUs and the other alone: measure both alike':
            a.at_once != b.at_once,
        'the stamps differ: choose one with --stamp': a.stamp != b.stamp,
        'one has WakeLatency and the other IntrLatency':
            latency == 'wake' and a.counts_wake != b.counts_wake,
        'the launch distances differ: measure both with the same LDIST or SWEEP':
            launched(a) != launched(b),
        'only of one it is known which samples reached the state': a.reach_known != b.reach_known}
    return next((reason for reason, is_so in reasons.items() if is_so), '')


def reach_text(share_a, share_b):
    return (f'{100 * share_a:.1f} % of the samples of A reached the state and '
            f'{100 * share_b:.1f} % of those of B')


def reach_differs(a, b, rows):
    """The same where other shares of the samples reached the state, so that others count."""
    (part_a, count_a), (part_b, count_b) = a.reached, b.reached
    if not (a.reach_known and count_a and count_b) or \
            abs(part_a / count_a - part_b / count_b) <= SHARE or stats.fisher_exact(
                [[part_a, count_a - part_a], [part_b, count_b - part_b]])[1] > ALPHA / rows:
        return ''
    return reach_text(part_a / count_a, part_b / count_b)


def frequencies_differ(of_a, of_b):
    """Of a row that is compared, by more than 5 %: the medians of the runs of each kind, or
    nothing."""
    medians = [[row.frequency[1] for row in rows if row.frequency] for rows in (of_a, of_b)]
    if not all(medians):
        return ''
    a, b = map(np.median, medians)
    if 20 * max(a, b) <= 21 * min(a, b):
        return ''
    return ("the median frequency after the wake-up is "
            f"{a / 100:.0f} % of the TSC's rate in A and {b / 100:.0f} % in B")


def runs_differ(a, b):
    """What makes two runs of other machines, or nothing. The rows of a run are of one."""
    for what, name in ('machines', 'machine'), ('CPU models', 'cpu_model'):
        if getattr(a.rows[0], name) != getattr(b.rows[0], name):
            return f'they are of different {what}'
    return ''


def comparable(rows, latency, lacking, reach_differs):
    """Whether a row of several runs can be compared with that of the first, and why not; and the
    latencies that count. LACKING: what is said when one has no sample."""
    if not any(map(has_samples, rows)):
        return Change.UNMEASURED, '', []
    reason, times = lacking, []
    if all(map(has_samples, rows)):
        reason = next(filter(None, (rows_differ(rows[0], row, latency) for row in rows)),
                      '') or reach_differs()
        times = [counted(row, latency) for row in rows]
    if not reason and min(map(len, times)) < LEAST:
        reason = f'fewer than {LEAST} samples of a run count'
    return (Change.UNCOMPARABLE, reason, []) if reason else (Change.SAME, '', times)


def test_pair(pair, rows, margin, latency):
    a, b = pair.a, pair.b
    lacking = f'{"B" if has_samples(a) else "A"} has no sample'
    pair.change, pair.reason, times = comparable((a, b), latency, lacking,
                                                 lambda: reach_differs(a, b, rows))
    if times:
        margin = replace(margin, error_ns=median_error(a) + median_error(b))
        early = [latencies(row, row.samples['ldist_ns'] < row.ldist_from_ns, latency)
                 for row in (a, b)]
        pair.parts = [Part(*of, a.declared_ns, margin) for of in (times, early)
                      if min(map(len, of)) >= LEAST]
    for part in pair.parts:
        part.test()


def conclude(pair, verdicts):
    """Slower in one respect is slower, whatever else."""
    found = [finding for part in pair.parts for finding in part.findings if finding.p <= ALPHA]
    if found:
        pair.change = Change.FASTER
        if any(finding.slower for finding in found):
            pair.change = Change.SLOWER
    elif verdicts and (pair.a.verdict, pair.b.verdict) == ('PASS', 'FAIL'):
        pair.change = Change.FAILED
    elif not pair.counted.is_same(pair.alpha):
        pair.change = Change.UNDECIDED


def find_alike(run, row):
    """The same row of another run, or the one that was measured at once with others instead of
    alone, or the other way round, or None."""
    return run.find(row.key) or next(iter(run.by_place.get(row.place, ())), None)


def keys(runs):
    """Of the rows of all runs; what one has at once and another one alone is one row."""
    return list({tuple(id(each) for each in found): found for found in (
        tuple(find_alike(run, row) for run in runs) for of in runs for row in of.rows)}.values())


def settle(found, margin, latency, verdicts=True):
    """Say what became of each pair; of verdicts, too, where both rows have the same to be judged.
    Holm's correction is over all that is tested."""
    for pair in found:
        test_pair(pair, len(found), margin, latency)
    findings = [finding for pair in found for part in pair.parts for finding in part.findings]
    for finding, p in zip(findings, statistics.holm([finding.p for finding in findings])):
        finding.p = p
    compared = [pair for pair in found if pair.counted]
    for pair in compared:
        pair.alpha = ALPHA / len(compared)
        conclude(pair, verdicts)
    return found


def compare(a, b, margin=statistics.Margin(), latency='wake'):
    """All rows of A, and those that only B has."""
    return settle([Pair(*rows) for rows in keys((a, b))], margin, latency)


def methods(run, margin=statistics.Margin(), latency='wake'):
    """Each state of a CPU by each further method against the first one, which is hrt where that
    was measured."""
    found = []
    for row in run.rows:
        alike = [other for other in run.rows
                 if (other.cpu, other.state, other.at_once) == (row.cpu, row.state, row.at_once)]
        first = min(alike, key=lambda other: other.method != 'hrt')
        if row is not first:
            found.append(Pair(first, row))
    return settle(found, margin, latency, verdicts=False)


def overall(changes):
    """Of all rows: the first of these that one is."""
    order = (Change.SLOWER, Change.FAILED, Change.UNCOMPARABLE, Change.UNDECIDED, Change.FASTER,
             Change.SAME)
    return min(set(changes) & set(order), key=order.index, default=Change.UNCOMPARABLE)


def drifts(run, margin, latency, count=1):
    """Rows of which one half of the samples is slower than the other by more than the margin:
    those cannot be exchanged for samples of another run. A sweep goes from short to long launch
    distances, and is not expected to stay the same. COUNT: so many runs are looked at."""
    for row in run.rows:
        late = np.arange(len(row.samples)) >= len(row.samples) // 2
        if row.steps or len(late) < 2 * LEAST:
            continue
        earlier, later = (latencies(row, row.counted & half, latency) for half in (~late, late))
        if min(len(earlier), len(later)) < LEAST:
            continue
        both = replace(margin, error_ns=2 * median_error(row))
        p = 2 * min(statistics.ranks_p(earlier, both.reduce(later)),
                    statistics.ranks_p(later, both.reduce(earlier)))
        if p * len(run.rows) * count <= ALPHA:
            yield row

# SPDX-License-Identifier: GPL-2.0
"""What differs between two runs, by more than chance and by more than a margin. A is the run
before and B the one after. Times are in ns.

Or there are several runs of each of two kinds, which say something of what they are runs of, such
as two kernels. Samples of one run have its boot, temperature and neighbours in common, so that many
of them say no more of a kernel than one figure does."""
from dataclasses import dataclass, field, replace
import enum

import numpy as np
from scipy import stats

from idle_latency import statistics
from idle_latency.files import Problem
from idle_latency.statistics import ALPHA, LEAST, SHARE


class Change(enum.Enum):
    """What became of a row; and of all, the first of these that one is."""
    SLOWER = 'slower'
    FAILED = 'now FAIL'             # after PASS, and no difference of latencies was found
    UNCOMPARABLE = 'not comparable'     # measured, but the difference would mean nothing
    UNDECIDED = 'not decided'       # so few samples or runs might not have shown it
    FASTER = 'faster'
    SAME = 'the same'
    UNMEASURED = 'not measured'

    @property
    def is_found(self):
        return self in (Change.SLOWER, Change.FASTER)

    @staticmethod
    def of(signs, is_same):
        """Of a row of which some figures moved up, 1, or down, -1. Slower in one respect is slower,
        whatever else. IS_SAME: whether the rest cannot have moved."""
        if 1 in signs:
            return Change.SLOWER
        return Change.FASTER if -1 in signs else Change.SAME if is_same() else Change.UNDECIDED


# What is tested: all samples by their ranks; of whom those are that are above a threshold, which
# is a quantile of both runs together, the 20 slowest of both, and what A declares.
BODY, SLOWEST, DECLARED, PERCENT = 'body', 'slowest', 'declared', 1
PERCENT_ABOVE = 50, 25, 10, PERCENT
TESTS = BODY, *PERCENT_ABOVE, SLOWEST, DECLARED
SLOWEST_COUNT = 20

# Why a row of two runs cannot be compared, by what of both is not the same.
DIFFER = {
    'at_once': 'one was measured at once with other CPUs and the other alone: measure both alike',
    'stamp': 'the stamps differ: choose one with --stamp',
    'counts_wake': 'one has WakeLatency and the other IntrLatency',
    'launched': 'the launch distances differ: measure both with the same LDIST or SWEEP',
    'reach_known': 'only of one it is known which samples reached the state'}

# What each run gives of a row. The last one is the share above what the first run of A declares of
# samples less the margin, which tells whether a latency near that has really moved.
MEDIAN, P99, SHARE_ABOVE, SHARE_REDUCED = range(4)
NAMES = {MEDIAN: 'median', P99: '99th percentile', SHARE_ABOVE: "share above A's limit"}


@dataclass
class Finding:
    """Of one test: p is two-sided, and becomes that of all tests of the comparison."""
    test: object
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
    findings: list = field(init=False)

    def thresholds(self, a, b):
        both = np.sort(np.concatenate([a, b]), kind='stable')
        ranks = [len(both) * percent // 100 for percent in PERCENT_ABOVE] + [SLOWEST_COUNT]
        return [int(both[-1 - rank]) for rank in ranks] + [self.declared_ns]

    def larger(self, a, b):
        """One-sided p of each test: that the second is larger by more than the margin."""
        reduced = self.margin.reduce(b)
        return [statistics.ranks_p(a, reduced)] + [
            statistics.tail_p(a, reduced, threshold) for threshold in self.thresholds(a, reduced)]

    def __post_init__(self):
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


@dataclass(kw_only=True)
class Compared:
    """What is found out of each row that is compared, of however many runs."""
    margin: statistics.Margin = None
    change: Change = Change.SAME
    reason: str = ''
    frequencies: str = ''       # how they differ, in words

    @property
    def refusal(self):
        """Why nothing else is said of it; or nothing."""
        return 'was not measured' if self.change == Change.UNMEASURED else \
            f'cannot be compared: {self.reason}' if self.reason else ''


@dataclass
class Pair(Compared):
    """A row of A and the same of B; one of them may be None."""
    a: object
    b: object
    parts: list = field(default_factory=list)   # what counts, and what was woken early, if any
    alpha: float = ALPHA    # of what is called the same, which all rows together are

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


def common_margin(margin, of_a, of_b):
    """With what the rows of both kinds may be wrong by together."""
    return replace(margin, error_ns=sum(max(map(median_error, rows)) for rows in (of_a, of_b)))


def rows_differ(a, b, latency):
    found = next((reason for name, reason in DIFFER.items()
                  if getattr(a, name) != getattr(b, name) and
                  (name, latency) != ('counts_wake', 'intr')), '')
    shares = [np.array([step['samples'] for step in row.steps]) / max(len(row.samples), 1)
              for row in (a, b)]
    return found or 'the steps of the sweeps have other parts of the samples: give them more time' * \
        bool(np.abs(shares[0] - shares[1]).max(initial=0) > SHARE)


def reach_differs(of_a, of_b, p):
    """Where other shares of the samples reached the state, others count. P: a function that says
    how probable such shares are if all runs are alike."""
    a, b = (np.mean([row.reached_share for row in rows]) for rows in (of_a, of_b))
    if not of_a[0].reach_known or abs(a - b) <= SHARE or p() > ALPHA:
        return ''
    return (f'{100 * a:.1f} % of the samples of A reached the state and '
            f'{100 * b:.1f} % of those of B')


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


def runs_differ(runs):
    """What makes runs of other machines, or nothing. The rows of a run are of one."""
    for what, name in ('machines', 'machine'), ('CPU models', 'cpu_model'):
        if len({getattr(run.rows[0], name) for run in runs}) > 1:
            return f'they are of different {what}'
    return ''


def take(row, of_a, of_b, latency, lacking, reach_p):
    """Fills in why the rows of runs of each kind cannot be compared, or what their difference is
    judged by. Returns the latencies that count, if they can. LACKING: what is said when one has no
    sample; REACH_P: as reach_differs() takes it."""
    rows = of_a + of_b
    measured = list(map(has_samples, rows))
    if not any(measured):
        row.change = Change.UNMEASURED
        return []
    row.reason, times = lacking, []
    if all(measured):
        row.margin = common_margin(row.margin, of_a, of_b)
        row.frequencies = frequencies_differ(of_a, of_b)
        row.reason = next(filter(None, (rows_differ(rows[0], each, latency) for each in rows)),
                          '') or reach_differs(of_a, of_b, reach_p)
        times = [counted(each, latency) for each in rows]
    if not row.reason and min(map(len, times)) < LEAST:
        row.reason = f'fewer than {LEAST} samples of a run count'
    if row.reason:
        row.change = Change.UNCOMPARABLE
    return [] if row.reason else times


def test_pair(pair, rows, latency):
    both = pair.a, pair.b
    times = take(pair, [pair.a], [pair.b], latency,
                 f'{"B" if has_samples(pair.a) else "A"} has no sample',
                 lambda: rows * stats.fisher_exact([
                     [part, count - part] for part, count in (row.reached_of for row in both)])[1])
    if times:
        early = [latencies(row, row.samples['ldist_ns'] < row.ldist_from_ns, latency)
                 for row in both]
        pair.parts = [Part(*of, pair.a.declared_ns, pair.margin) for of in (times, early)
                      if min(map(len, of)) >= LEAST]


def keys(runs):
    """Of the rows of all runs, those that are the same, or None. What one run has at once with
    others and another one alone is the same, where a run has only one of both."""
    found = [tuple(run.find(row.key) or next((
        other for other in run.by_place.get(row.place, ()) if not of.find(other.key)), None)
                   for run in runs) for of in runs for row in of.rows]
    return list(dict.fromkeys(found))


def settle(found, latency, verdicts=True):
    """Say what became of each pair; of verdicts, too, where both rows have the same to be judged.
    Holm's correction is over all that is tested."""
    for pair in found:
        test_pair(pair, len(found), latency)
    findings = [finding for pair in found for part in pair.parts for finding in part.findings]
    for finding, p in zip(findings, statistics.holm([finding.p for finding in findings])):
        finding.p = p
    compared = [pair for pair in found if pair.parts]
    for pair in compared:
        pair.alpha = ALPHA / len(compared)
        signs = {1 if finding.slower else -1 for part in pair.parts for finding in part.findings
                 if finding.p <= ALPHA}
        pair.change = Change.of(signs, lambda: pair.counted.is_same(pair.alpha))
        if not signs and verdicts and (pair.a.verdict, pair.b.verdict) == ('PASS', 'FAIL'):
            pair.change = Change.FAILED
    return found


def compare(a, b, margin=statistics.Margin(), latency='wake'):
    """All rows of A, and those that only B has."""
    return settle([Pair(*rows, margin=margin) for rows in keys((a, b))], latency)


def methods(run, margin=statistics.Margin(), latency='wake'):
    """Each state of a CPU by each further method against the first one, which is hrt where that
    was measured."""
    first = {}
    for row in sorted(run.rows, key=lambda row: row.method != 'hrt'):
        first.setdefault((row.cpu, row.state, row.at_once), row)
    pairs = [Pair(first[row.cpu, row.state, row.at_once], row, margin=margin) for row in run.rows]
    return settle([pair for pair in pairs if pair.a is not pair.b], latency, verdicts=False)


@dataclass
class Replicated(Compared):
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


def take_all(rows, count_a, margin, latency, of):
    """A row of all runs, each compared with the first. OF: so many rows are."""
    row = Replicated(next(filter(None, rows)).name, margin=margin)
    kinds = rows[:count_a], rows[count_a:]
    times = take(row, *kinds, latency, 'a run has no sample of it', lambda: of * statistics.means_p(
        *([each.reached_share for each in kind] for kind in kinds), SHARE / 100))
    if not times:
        return row
    row.verdicts = tuple(each.verdict for each in rows)
    limit = rows[0].declared_ns
    row.figures = np.array([[
        statistics.quantile(of, 50), statistics.quantile(of, 99),
        statistics.above(of, limit) / len(of),
        statistics.above(row.margin.reduce(of), limit) / len(of)] for of in times], float).T
    return row


def replicated(a, b, margin=statistics.Margin(), latency='wake', level=ALPHA):
    """The rows that any run has, and the experiment, of runs of A and of B in the order in which
    they were measured."""
    experiment = Experiment(len(a), len(b), level)
    found = keys(a + b)
    rows = [take_all(each, len(a), margin, latency, len(found)) for each in found]
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


def overall(changes):
    """Of all rows that were measured."""
    return min(set(changes) - {Change.UNMEASURED}, key=list(Change).index,
               default=Change.UNCOMPARABLE)


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
        both = common_margin(margin, [row], [row])
        p = 2 * min(statistics.ranks_p(earlier, both.reduce(later)),
                    statistics.ranks_p(later, both.reduce(earlier)))
        if p * len(run.rows) * count <= ALPHA:
            yield row

# SPDX-License-Identifier: GPL-2.0
"""What the CPUs of one core type come to together, as lib/types.c says it: which of them FAIL, the
mean share of samples above the limit, and the slowest one. Times are in ns."""
import numpy as np

from idle_latency import pairs, statistics
from idle_latency.statistics import LEAST

SLOWEST_ALPHA = 0.001       # of all CPUs together: any of them may have the largest median
FEW = 8                     # Of so many CPUs each has a section of its own.
FAILING = 4                 # else so many of those that FAIL


class Cores:
    """ROW: of a type; CPUS: the rows of its CPUs, and those with samples ORDERED by their medians;
    ABOVE: the mean of the CPUs' shares of samples above the limit, or None."""

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


def shown_rows(run, cores):
    """The rows that have a section of a page: of many CPUs those that matter, and each that no
    type has."""
    if len({row.cpu for row in run.rows}) <= FEW:
        return run.rows
    typed = {cpu for each in cores for cpu in each.cpus}
    shown = {cpu for each in cores for cpu in (*each.failing[:FAILING], each.slowest)}
    return [row for row in run.rows if row in shown or row not in typed]

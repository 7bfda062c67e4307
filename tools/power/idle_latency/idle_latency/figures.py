# SPDX-License-Identifier: GPL-2.0
"""The figures of a row, and those in which several rows are on the same axes."""
import numpy as np

from idle_latency import runs
from idle_latency.plot import COUNT, LOG_COUNT, LOG_NS, LOG_SHARE, NS, PERCENT, Axis, Plot

SLOWEST = 10
BARS_MAX = 120                  # a bar for each three pixels, or less
LEVEL = -4                      # the logarithm of what may be above a 99.99th percentile
PACKAGE = runs.RESIDENCIES[runs.RESIDENCIES.index('pc2_pct'):]
SERIES_MAX = 7                  # so many colours differ for those who see few of them


def counter_name(column):
    return column.partition('_')[0].upper()


def distance(row):
    """Without a WakeLatency, there is no SilentTime either."""
    return row.samples['silent_ns' if row.has_wake else 'ldist_ns']


def slowest(row):
    """By the latency less its error; of those that are the same, the larger latency first."""
    less = row.samples['error_ns'] - row.latency
    last = np.partition(less, min(SLOWEST, len(less)) - 1)[:SLOWEST].max()
    among = np.flatnonzero(less <= last)
    return among[np.lexsort((-row.latency[among], less[among]))[:SLOWEST]]


def sample_title(row, i):
    sample = row.samples[i]
    parts = [f'sample {sample["seq"]:.0f}', f'launch distance {sample["ldist_ns"]:.0f} ns']
    if row.has_wake:
        parts += [f'SilentTime {sample["silent_ns"]:.0f} ns',
                  f'WakeLatency {sample["wake_ns"]:.0f} ns']
    return ', '.join(parts + [f'IntrLatency {sample["intr_ns"]:.0f} ns'])


class Axes:
    """The same for a row of all runs, so that a difference can be seen, or for an overlay. It
    has room for the declared exit latency; nothing is left out, as what is slow is what matters."""

    def __init__(self, rows):
        wake = all(row.has_wake for row in rows)
        self.latency_name = ('WakeLatency' if wake else 'Latency' if any(
            row.has_wake for row in rows) else 'IntrLatency')
        self.distance_name = 'SilentTime' if wake else 'Launch distance'
        latency = np.concatenate([row.latency for row in rows])
        intr = np.concatenate([row.samples['intr_ns'] for row in rows])
        declared = [row.declared_ns for row in rows]
        self.distance = self.fit(self.distance_name, NS, *map(distance, rows))
        self.latency = self.fit(self.latency_name, NS, latency)
        self.intr = self.fit('IntrLatency', NS, intr)
        self.ldist = self.fit('Launch distance', NS, *(row.samples['ldist_ns'] for row in rows))
        self.place = Axis('Sample', COUNT, 1, max(len(row.samples) for row in rows))
        self.time = self.fit('Latency', NS, latency, intr, declared)
        share = min(LEVEL, -np.log10(max(len(row.samples) for row in rows)))
        shares = np.concatenate([row.samples['frequency_pct'] for row in rows])
        # Also where the TSC is, which all of it is compared to.
        self.frequency = self.fit('Frequency', PERCENT, np.append(shares[~np.isnan(shares)], 100))
        self.share = Axis('Share of samples', LOG_SHARE, share - 0.1, 0)
        self.fit_bars(rows, latency, declared)
        self.fit_steps(rows)

    @staticmethod
    def fit(label, scale, *values):
        return Axis(label, scale, min(map(np.min, values)), max(map(np.max, values)))

    def fit_bars(self, rows, latency, declared):
        low, high = min(latency.min(), *declared), max(latency.max(), *declared)
        least = max((high - low) * 1.08 / BARS_MAX, 1)
        power = 10 ** np.floor(np.log10(least))
        self.bar = int(next(step * power for step in (1, 2, 5, 10) if step * power >= least))
        self.bars = Axis(self.latency_name, NS, low - self.bar / 2, high + self.bar / 2)
        most = max(bars(row, self.bar)[1].max() for row in rows)
        self.samples = Axis('Samples', LOG_COUNT, np.log10(0.5), np.log10(most), np.log10(0.5))

    def fit_steps(self, rows):
        steps = [step for row in rows for step in row.steps if step['samples']]
        self.step = self.step_latency = None
        if steps:
            self.step = self.fit('Launch distance', LOG_NS, list(map(middle, steps)))
            self.step_latency = self.fit(self.latency_name, NS, [
                step[name] for step in steps for name in ('median_ns', 'max_ns')])


def middle(step):
    return np.log10((step['ldist_from_ns'] + step['ldist_to_ns']) / 2)


def add_shares(plot, classes, times, name, label=None):
    """The share of samples that take at least so long, for each latency that there is."""
    values, first = np.unique(times, return_index=True)
    shares = np.log10((len(times) - first) / len(times))
    last = range(max(len(values) - SLOWEST, 0), len(values))
    titles = {i: f'{name}: {len(times) - first[i]} of {len(times)} samples take '
                 f'{values[i]:.0f} ns or more' for i in last}
    kept = plot.add_marks(classes, values, shares, name, 'distinct latencies', label, last, titles)
    plot.add_line(classes, values[kept], shares[kept], steps=True)


def ecdf(row, axes):
    """Not F, but 1 - F, and on a logarithmic axis: the verdict is about the slowest samples, and
    of F all above 99 % would be within two pixels of the upper edge."""
    plot = Plot('ecdf', 'Share of samples that take at least so long', axes.time, axes.share,
                note='A logarithmic axis gives the slowest samples as much room as the others.')
    add_declared(plot, row)
    plot.add_line('level', axes.time.ends, [LEVEL, LEVEL], '0.01 %, the 99.99th percentile')
    if row.has_wake:
        add_shares(plot, 'intr', row.ordered[1], 'IntrLatency', 'IntrLatency')
        add_shares(plot, 'wake', row.ordered[0], 'WakeLatency', 'WakeLatency')
    else:
        add_shares(plot, 'wake', row.ordered[0], 'IntrLatency', 'IntrLatency')
    return plot


def add_declared(plot, row):
    plot.add_line('declared', [row.declared_ns] * 2, plot.y.ends, 'declared exit latency')


def bars(row, bar):
    """Which bars of that width have samples, and how many."""
    numbers = (row.latency // bar).astype(int)
    counts = np.bincount(numbers - numbers.min())
    found = np.flatnonzero(counts)
    return found + numbers.min(), counts[found]


def histogram(row, axes):
    plot = Plot('histogram', 'Histogram', axes.bars, axes.samples,
                note=f'All {len(row.samples)} samples are counted, in steps of {axes.bar} ns.')
    numbers, counts = bars(row, axes.bar)
    plot.add_bars('wake', numbers, np.log10(counts), axes.bar,
                  [f'{count} of {number * axes.bar:.0f} to {(number + 1) * axes.bar - 1:.0f} ns'
                   for number, count in zip(numbers, counts)])
    add_declared(plot, row)
    return plot


def scatter(row, axes, name='scatter', latency=None):
    times = row.latency if latency is None else latency
    y = axes.latency if latency is None else axes.intr
    plot = Plot(name, f'{y.label} against {axes.distance.label}', axes.distance, y)
    slow = slowest(row)
    plot.add_marks('wake' if latency is None else 'intr', distance(row), times, y.label, 'samples',
                   always=slow, titles={i: sample_title(row, i) for i in slow})
    return plot


def order(row, axes):
    plot = Plot('order', 'In order of time', axes.place, axes.latency, axes.ldist)
    slow = slowest(row)
    place = np.arange(1, len(row.samples) + 1)
    plot.add_marks('ldist', place, row.samples['ldist_ns'], 'Launch distance', 'launch distances',
                   'launch distance, right', slow, second=True)
    name = axes.latency.label
    plot.add_marks('wake', place, row.latency, name, 'latencies', f'{name}, left', slow,
                   {i: sample_title(row, i) for i in slow})
    return plot


def residency(row, axes, peers):
    """None where no counter ever advanced. Samples of which one is not known have no mark."""
    high = max([100, *(np.nanmax(shares) for each in peers
                       for shares in each.residencies.values())])
    plot = Plot('residency', 'Where the CPU was', axes.distance,
                Axis('Residency', PERCENT, 0, high),
                note='Each counter that was ever above 0, as a share of the interval.')
    slow = slowest(row)
    for column, shares in row.residencies.items():
        known = np.flatnonzero(~np.isnan(shares))
        classes = 'package ' * (column in PACKAGE) + f'k{len(plot.drawn)}'
        plot.add_marks(classes, distance(row)[known], shares[known], counter_name(column),
                       counter_name(column), counter_name(column),
                       np.flatnonzero(np.isin(known, slow)))
    return plot if plot.drawn else None


def frequency(row, axes):
    """Does a slow clock explain a slow wake-up? None where it was the same for all samples."""
    if not row.frequency_differs:
        return None
    plot = Plot('frequency', f'{axes.latency.label} against frequency', axes.frequency,
                axes.latency, note="After the wake-up, in percent of the TSC's rate.")
    shares = row.samples['frequency_pct']
    known = np.flatnonzero(~np.isnan(shares))
    slow = np.flatnonzero(np.isin(known, slowest(row)))
    plot.add_marks('wake', shares[known], row.latency[known], axes.latency.label, 'samples',
                   always=slow, titles={i: sample_title(row, known[i]) for i in slow})
    return plot


def sweep(row, axes):
    """What a sweep found at each of its steps; None where the row has none."""
    steps = [step for step in row.steps if step['samples']]
    if not steps:
        return None
    changes = [step for step in steps if step['change']]
    plot = Plot('sweep', 'By launch distance', axes.step, axes.step_latency,
                note='Rings: slower or faster than the step before.' if changes else '')
    for classes, label in ('max', 'maximum'), ('p99', '99 %'), ('median', 'median'):
        known = [step for step in steps if step[f'{classes}_ns'] is not None]
        if not known:
            continue
        x, y = list(map(middle, known)), [step[f'{classes}_ns'] for step in known]
        plot.add_line(classes, x, y)
        plot.add_marks(classes, x, y, label, label=label)
    if changes:
        plot.add_rings('change', list(map(middle, changes)), [
            step['median_ns'] for step in changes], 'change', 'change')
    return plot


def of_type(each):
    """All CPUs of a core type in the order of their medians, so that hundreds of them can be told
    from each other: medians and 99th percentiles, and the largest with what is declared. EACH: a
    Cores"""
    cpus = each.ordered
    place = np.arange(1, len(cpus) + 1)
    name = 'WakeLatency' if all(cpu.has_wake for cpu in cpus) else 'Latency'
    x = Axis('CPUs, by their medians', COUNT, 1, len(cpus))
    times = {classes: [runs.quantile(cpu.ordered[0], part) if part else float(cpu.ordered[0][-1])
                       for cpu in cpus]
             for classes, part in (('median', 50000), ('p99', 99000), ('max', 0))}
    plots = []
    for kind, title, series in (
            ('cpus', 'Medians of all CPUs', {'p99': '99 %', 'median': 'median'}),
            ('worst', 'The largest of all CPUs', {'max': 'maximum'})):
        known = [value for classes in series for value in times[classes] if value is not None]
        low, high = min(known), max(known)
        if kind == 'worst':
            low, high = min(low, each.row.declared_ns), max(high, each.row.declared_ns)
        plot = Plot(kind, title, x, Axis(name, NS, low, high))
        if kind == 'worst':
            plot.add_line('declared', x.ends, [each.row.declared_ns] * 2, 'declared exit latency')
        for classes, label in series.items():
            at = [i for i, value in enumerate(times[classes]) if value is not None]
            plot.add_marks(classes, place[at], [times[classes][i] for i in at], label, None, label,
                           titles={j: f'cpu{cpus[i].cpu}: {label} {times[classes][i]:.0f} ns, '
                                   f'{cpus[i].verdict}' for j, i in enumerate(at)})
        plots.append(plot)
    return plots


def of_row(row, peers):
    """PEERS: this row in all runs that have samples of the same latency."""
    axes = Axes(peers)
    plots = [ecdf(row, axes), histogram(row, axes), scatter(row, axes)]
    if row.has_wake:
        plots.append(scatter(row, axes, 'intr', row.samples['intr_ns']))
    plots += [order(row, axes), residency(row, axes, peers), frequency(row, axes),
              sweep(row, axes)]
    return [plot for plot in plots if plot]


def of_overlay(names, rows):
    """The distribution and the latency of several rows; of those of which there is no
    WakeLatency, IntrLatency."""
    axes = Axes(rows)
    shares = Plot('ecdf', 'Share of samples that take at least so long', axes.time, axes.share)
    points = Plot('scatter', f'{axes.latency_name} against {axes.distance_name}', axes.distance,
                  axes.latency)
    for i, (name, row) in enumerate(zip(names, rows)):
        add_shares(shares, f'k{i}', row.ordered[0], name, name)
        slow = slowest(row)
        points.add_marks(f'k{i}', distance(row), row.latency, name, 'samples', name, slow,
                         {j: f'{name}: {sample_title(row, j)}' for j in slow})
    return [shares, points]

# SPDX-License-Identifier: GPL-2.0
"""The figures of a row, and those in which several rows are on the same axes."""
import numpy as np

from idle_latency import runs
from idle_latency.plot import COUNT, LOG_COUNT, LOG_NS, LOG_SHARE, NS, PERCENT, Axis, Plot

BARS_MAX = 120                  # a bar for each three pixels, or less
LEVEL = -4                      # the logarithm of what may be above a 99.99th percentile
PACKAGE = runs.RESIDENCIES[runs.RESIDENCIES.index('pc2_pct'):]
SERIES_MAX = 7                  # so many colours differ for those who see few of them
SHARES = 'Share of samples that take at least so long'


def counter_name(column):
    return column.partition('_')[0].upper()


def titles(row, lead=''):
    """What the slowest samples say of themselves, by index."""
    words = 'sample {seq:.0f}, launch distance {ldist_ns:.0f} ns, ' + (
        'SilentTime {silent_ns:.0f} ns, WakeLatency {wake_ns:.0f} ns, ' * row.has_wake +
        'IntrLatency {intr_ns:.0f} ns')
    return {i: lead + words.format_map(row.samples[i]) for i in row.slowest}


class Axes:
    """The same for a row of all runs, so that a difference can be seen, or for an overlay. It
    has room for the declared exit latency; nothing is left out, as what is slow is what matters."""

    def __init__(self, rows):
        wake = all(row.has_wake for row in rows)
        name = ('WakeLatency' if wake else 'Latency' if any(row.has_wake for row in rows) else
                'IntrLatency')
        latency = [row.latency for row in rows]
        intr, ldist, frequency = ([row.samples[column] for row in rows]
                                  for column in ('intr_ns', 'ldist_ns', 'frequency_pct'))
        declared = [row.declared_ns for row in rows]
        most = max(map(len, latency))
        self.distance = Axis('SilentTime' if wake else 'Launch distance', NS,
                             *(row.distance for row in rows))
        self.latency = Axis(name, NS, *latency)
        self.intr = Axis('IntrLatency', NS, *intr)
        self.ldist = Axis('Launch distance', NS, *ldist)
        self.place = Axis('Sample', COUNT, 1, most)
        self.time = Axis('Latency', NS, *latency, *intr, declared)
        # Also where the TSC is, which all of it is compared to.
        self.frequency = Axis('Frequency', PERCENT, 100, *(
            each for each in frequency if not np.isnan(each).all()))
        self.share = Axis('Share of samples', LOG_SHARE,
                          min(LEVEL, -np.log10(most)) - 0.1, 0)
        self.fit_bars(rows, [*latency, declared])
        steps = sum(map(measured_steps, rows), [])
        if steps:
            self.step = Axis('Launch distance', LOG_NS, middles(steps))
            self.step_latency = Axis(name, NS, [step[column] for step in steps
                                                for column in ('median_ns', 'max_ns')])

    def fit_bars(self, rows, times):
        low, high = min(map(np.min, times)), max(map(np.max, times))
        least = max((high - low) * 1.08 / BARS_MAX, 1)
        power = 10 ** np.floor(np.log10(least))
        self.bar = int(next(step * power for step in (1, 2, 5, 10) if step * power >= least))
        self.bars = Axis(self.latency.label, NS, low - self.bar / 2, high + self.bar / 2)
        most = max(bars(row, self.bar)[1].max() for row in rows)
        self.samples = Axis('Samples', LOG_COUNT, np.log10([0.5, most]), begin=np.log10(0.5))


def measured_steps(row):
    return [step for step in row.steps if step['samples']]


def middles(steps):
    return np.log10([(step['ldist_from_ns'] + step['ldist_to_ns']) / 2 for step in steps])


def add_shares(plot, classes, times, name):
    """The share of samples that take at least so long, for each latency that there is."""
    values, first = np.unique(times, return_index=True)
    shares = np.log10((len(times) - first) / len(times))
    kept = plot.add_marks(classes, values, shares, name, 'distinct latencies', titles={
        i: f'{name}: {len(times) - first[i]} of {len(times)} samples take {values[i]:.0f} ns or '
           'more' for i in range(max(len(values) - runs.SLOWEST, 0), len(values))})
    plot.add_line(classes, values[kept], shares[kept], steps=True)


def ecdf(row, axes):
    """Not F, but 1 - F, and on a logarithmic axis: the verdict is about the slowest samples, and
    of F all above 99 % would be within two pixels of the upper edge."""
    plot = Plot('ecdf', SHARES, axes.time, axes.share,
                note='A logarithmic axis gives the slowest samples as much room as the others.')
    plot.add_declared(row.declared_ns)
    plot.add_line('level', axes.time.ends, [LEVEL, LEVEL], '0.01 %, the 99.99th percentile')
    if row.has_wake:
        add_shares(plot, 'intr', row.ordered[1], 'IntrLatency')
    add_shares(plot, 'wake', row.ordered[0], row.latency_name)
    return plot


def bars(row, bar):
    """Which bars of that width have samples, and how many."""
    return np.unique((row.latency // bar).astype(int), return_counts=True)


def histogram(row, axes):
    plot = Plot('histogram', 'Histogram', axes.bars, axes.samples,
                note=f'All {len(row.samples)} samples are counted, in steps of {axes.bar} ns.')
    numbers, counts = bars(row, axes.bar)
    plot.add_bars('wake', numbers, np.log10(counts), axes.bar,
                  [f'{count} of {number * axes.bar:.0f} to {(number + 1) * axes.bar - 1:.0f} ns'
                   for number, count in zip(numbers, counts)])
    plot.add_declared(row.declared_ns)
    return plot


def scatter(row, kind, x, y, classes='wake', against='', note=''):
    """X and Y: an axis and the values of the samples."""
    plot = Plot(kind, f'{y[0].label} against {against or x[0].label}', x[0], y[0], note=note)
    plot.add_marks(classes, x[1], y[1], y[0].label, 'samples', '', titles=titles(row))
    return plot


def order(row, axes):
    plot = Plot('order', 'In order of time', axes.place, axes.latency, axes.ldist)
    place = np.arange(1, len(row.samples) + 1)
    plot.add_marks('ldist', place, row.samples['ldist_ns'], 'Launch distance', 'launch distances',
                   'launch distance, right', row.slowest, second=True)
    name = axes.latency.label
    plot.add_marks('wake', place, row.latency, name, 'latencies', f'{name}, left',
                   titles=titles(row))
    return plot


def residency(row, axes, peers):
    """Samples of which a counter is not known have no mark."""
    plot = Plot('residency', 'Where the CPU was', axes.distance,
                Axis('Residency', PERCENT, 0, 100, *(
                    shares for each in peers for shares in each.residencies.values())),
                note='Each counter that was ever above 0, as a share of the interval.')
    for i, (column, shares) in enumerate(row.residencies.items()):
        name = counter_name(column)
        plot.add_marks('package ' * (column in PACKAGE) + f'k{i}', row.distance, shares, name, name,
                       always=row.slowest)
    return plot


def sweep(row, axes):
    """What a sweep found at each of its steps."""
    steps = measured_steps(row)
    changes = [step for step in steps if step['change']]
    plot = Plot('sweep', 'By launch distance', axes.step, axes.step_latency,
                note='Rings: slower or faster than the step before.' if changes else '')
    for classes, label in ('max', 'maximum'), ('p99', '99 %'), ('median', 'median'):
        known = [step for step in steps if step[f'{classes}_ns'] is not None]
        if known:
            x, y = middles(known), [step[f'{classes}_ns'] for step in known]
            plot.add_line(classes, x, y)
            plot.add_marks(classes, x, y, label)
    if changes:
        plot.add_rings('change', middles(changes), [step['median_ns'] for step in changes])
    return plot


def of_type(each):
    """All CPUs of a core type in the order of their medians, so that hundreds of them can be told
    from each other: medians and 99th percentiles, and the largest with what is declared. EACH: a
    Cores"""
    cpus = each.ordered
    name = 'WakeLatency' if all(cpu.has_wake for cpu in cpus) else 'Latency'
    x = Axis('CPUs, by their medians', COUNT, 1, len(cpus))
    place = np.arange(1, len(cpus) + 1)
    median, p99 = (np.array([runs.quantile(cpu.ordered[0], part) for cpu in cpus], float)
                   for part in (50000, 99000))
    largest = np.array([cpu.ordered[0][-1] for cpu in cpus])
    medians = Plot('cpus', 'Medians of all CPUs', x, Axis(name, NS, [*median, *p99]))
    worst = Plot('worst', 'The largest of all CPUs', x,
                 Axis(name, NS, largest, each.row.declared_ns))
    worst.add_declared(each.row.declared_ns, across=True)
    for plot, classes, label, times in ((medians, 'p99', '99 %', p99),
                                        (medians, 'median', 'median', median),
                                        (worst, 'max', 'maximum', largest)):
        plot.add_marks(classes, place, times, label, titles={
            i: f'cpu{cpu.cpu}: {label} {times[i]:.0f} ns, {cpu.verdict}'
            for i, cpu in enumerate(cpus)})
    return [medians, worst]


def of_row(row, peers):
    """PEERS: this row in all runs that have samples of the same latency."""
    axes = Axes(peers)
    distance, wake = (axes.distance, row.distance), (axes.latency, row.latency)
    yield from (ecdf(row, axes), histogram(row, axes), scatter(row, 'scatter', distance, wake))
    if row.has_wake:
        yield scatter(row, 'intr', distance, (axes.intr, row.samples['intr_ns']), 'intr')
    yield order(row, axes)
    if row.residencies:
        yield residency(row, axes, peers)
    if row.frequency_differs:
        # Does a slow clock explain a slow wake-up?
        yield scatter(row, 'frequency', (axes.frequency, row.samples['frequency_pct']), wake,
                      against='frequency', note="After the wake-up, in percent of the TSC's rate.")
    if measured_steps(row):
        yield sweep(row, axes)


def of_overlay(names, rows):
    """The distribution and the latency of several rows; of those of which there is no
    WakeLatency, IntrLatency."""
    axes = Axes(rows)
    shares = Plot('ecdf', SHARES, axes.time, axes.share)
    points = Plot('scatter', f'{axes.latency.label} against {axes.distance.label}', axes.distance,
                  axes.latency)
    for i, (name, row) in enumerate(zip(names, rows)):
        add_shares(shares, f'k{i}', row.ordered[0], name)
        points.add_marks(f'k{i}', row.distance, row.latency, name, 'samples',
                         titles=titles(row, f'{name}: '))
    return [shares, points]

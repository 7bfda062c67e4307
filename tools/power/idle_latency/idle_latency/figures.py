# SPDX-License-Identifier: GPL-2.0
"""The figures of a page, of a row and those in which several rows are on the same axes: their marks
are chosen here, and drawn as SVG.

Marks are put at tenths of a pixel and thousands of them into one path, so that a page stays small.
How they look is said by page.css. matplotlib says which numbers an axis has.
"""
import html
import math

from matplotlib.ticker import LogLocator, MaxNLocator
import numpy as np

from idle_latency import runs

# The drawing and the area between its axes, in pixels. On a phone it is a sixth narrower, with text
# that can still be read; on a screen three are side by side.
WIDTH, HEIGHT = 440, 284
LEFT, TOP, RIGHT, RIGHT_2, BOTTOM = 72, 30, 412, 384, 236
CELL = 2                        # Of marks in the same square of so many pixels, one is enough.
TICKS = 5                       # so many intervals, between numbers that do not touch each other
LOG_TICKS = 6
FEW = 200                       # So few marks would be lost if they were as small as many are.
NAME_Y, NAME_X = 14, 274        # where the names of the axes are
GAP, HALF, BELOW = 3.5, 4.5, 19     # between numbers and axes, and half the height of a number

NS, COUNT, PERCENT, LOG_NS, LOG_COUNT, LOG_SHARE = range(6)
UNITS = (10 ** 6, 'ms'), (1000, 'us'), (1, 'ns')

BARS_MAX = 120                  # a bar for each three pixels, or less
LEVEL = -4                      # the logarithm of what may be above a 99.99th percentile
PACKAGE = runs.RESIDENCIES[runs.RESIDENCIES.index('pc2_pct'):]
SERIES_MAX = 7                  # so many colours differ for those who see few of them
SHARES = 'Share of samples that take at least so long'


class Axis:
    """Room for all values and a little more; those of a logarithmic one are logarithms."""

    def __init__(self, label, scale, *values, begin=None):
        self.label, self.scale = label, scale
        low, high = min(map(np.nanmin, values)), max(map(np.nanmax, values))
        is_log = scale >= LOG_NS
        margin = max((high - low) / 25, 0.02 if is_log else 1)
        self.ends = ((low - margin, high + margin) if is_log else
                     (math.floor(low - margin), math.ceil(high + margin)))
        if begin is not None:
            self.ends = begin, self.ends[1]

    def part(self, values):
        return (np.asarray(values, float) - self.ends[0]) / (self.ends[1] - self.ends[0])

    def ticks(self):
        """Values and their labels, and the name of the axis with its unit. Of logarithmic ones
        these are powers of ten; of a time that spans few of them also what is between these."""
        low, high = self.ends
        if self.scale < LOG_NS:
            ticks = MaxNLocator(TICKS, steps=[1, 2, 5, 10], integer=True).tick_values(low, high)
            ticks = ticks[(ticks >= max(low, 0)) & (ticks <= high)]
            step = ticks[1] - ticks[0] if len(ticks) > 1 else ticks.max(initial=1)
            factor, unit = self.unit(lambda size: step % size == 0) if self.scale == NS else (
                1, '%' * (self.scale == PERCENT))
            return (ticks, [f'{tick / factor:.0f}' for tick in ticks],
                    f'{self.label}, {unit}' if unit else self.label)
        decades = high - low if self.scale == LOG_NS else math.inf
        between = (1, 2, 5) if decades < 2 else (1, 3) if decades < 3 else (1,)
        values = LogLocator(subs=between, numticks=50).tick_values(10 ** low, 10 ** high)
        values = values[(np.log10(values) >= low) & (np.log10(values) <= high)]
        if self.scale == LOG_NS:
            values = values[::-(-len(values) // LOG_TICKS)]
        return np.log10(values), list(map(self.log_name, values)), self.label

    @staticmethod
    def unit(fits):
        """The largest one that fits."""
        return next(pair for pair in UNITS if fits(pair[0]) or pair[0] == 1)

    def log_name(self, value):
        if self.scale == LOG_NS:
            factor, unit = self.unit(lambda size: value >= size * 0.999)
            return f'{value / factor:.0f} {unit}'
        return f'{value * 100:.6g} %' if self.scale == LOG_SHARE else f'{value:.0f}'


class Plot:
    def __init__(self, name, title, x, y, y2=None, note=''):
        self.name, self.title, self.note = name, title, note
        self.x, self.y, self.y2 = x, y, y2
        self.right = RIGHT_2 if y2 else RIGHT
        self.pieces, self.keys, self.drawn = [], [], []
        self.marks, self.bin = 0, None

    def across(self, x):
        return LEFT + self.x.part(x) * (self.right - LEFT)

    def pixels(self, x, y, second=False):
        """Where points are in the drawing, in tenths of a pixel."""
        at = self.across(x), down(self.y2 if second else self.y, y)
        return np.round(np.column_stack(np.broadcast_arrays(*at)), 1)

    def key(self, kind, classes, label):
        if label:
            self.keys.append(f' <span class="key {kind} {classes}">{html.escape(label)}</span>')

    def thin(self, x, y, second):
        """The first mark in each cell, and those with the smallest and the largest value of an
        axis."""
        column = (self.x.part(x) * ((self.right - LEFT) // CELL)).astype(int)
        row = ((self.y2 if second else self.y).part(y) * ((BOTTOM - TOP) // CELL)).astype(int)
        first = np.full(WIDTH * HEIGHT, -1)
        first[(column * HEIGHT + row)[::-1]] = np.arange(len(x))[::-1]
        ends = [values.argmin() for values in (x, y)] + [values.argmax() for values in (x, y)]
        return np.concatenate([first[first >= 0], ends])

    def add_marks(self, classes, x, y, name, noun=None, label=None, always=(), titles=None,
                  second=False):
        """Dots, but for those of which x or y is nan; where NOUN says what they are, most of many
        are left out, but for those of ALWAYS, and of TITLES, which have a hover text of their own:
        both by index. LABEL: of the key, if that is not NAME. Returns which ones are drawn."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        titles = titles or {}
        kept = known = np.flatnonzero(~np.isnan(x + y))
        if noun:
            always = np.isin(known, [*always, *titles])
            kept = np.union1d(known[self.thin(x[known], y[known], second)], known[always])
            self.drawn.append((len(kept), len(known), noun))
        self.key('dot', classes, name if label is None else label)
        self.marks += len(kept)
        classes = f'marks dots {"few " * (len(kept) < FEW)}{classes}'
        at = self.pixels(x[kept], y[kept], second)
        own = np.isin(kept, list(titles))
        self.add(classes, dots(at[~own]), name)
        for i, point in zip(kept[own], at[own]):
            self.add(classes, dots([point]), titles[i])
        return kept

    def add_bars(self, classes, numbers, tops, width, titles):
        """Bars of whole ns: bar N is from half a ns before N * WIDTH."""
        self.bin = width
        self.marks += len(numbers)
        low = self.pixels(numbers * width - 0.5, self.y.ends[0])
        high = self.pixels(numbers * width + width - 0.5, tops)
        for (left, bottom), (right, top), title in zip(low, high, titles):
            self.add(f'marks bars {classes}', path(
                [(left, bottom), (left, top), (right, top), (right, bottom)], 'z'), title)

    def add_line(self, classes, x, y, label=None, steps=False):
        """Through points; STEPS: vertically first."""
        self.key('dash', classes, label)
        at = self.pixels(x, y)
        if steps:
            at = np.repeat(at, 2, axis=0)
            at = np.column_stack((at[:-1, 0], at[1:, 1]))
        self.add(f'line {classes}', path(at), label)

    def add_declared(self, ns, across=False):
        x, y = (self.x.ends, [ns] * 2) if across else ([ns] * 2, self.y.ends)
        self.add_line('declared', x, y, 'declared exit latency')

    def add(self, classes, drawn, title=''):
        title = f'<title>{html.escape(title)}</title>' if title else ''
        if drawn:
            self.pieces.append(f'<g class="{classes}">{title}\n<path d="{drawn}"/>\n</g>\n')

    def axes(self):
        """Their names and numbers, and the lines of those below and at the left."""
        ticks, labels, name = self.x.ticks()
        yield text(self.right, NAME_X, 'end', name)
        grid = ''
        for x, label in zip(self.across(ticks), labels):
            yield text(x, BOTTOM + BELOW, 'middle', label)
            grid += path([(x, BOTTOM), (x, TOP)])
        for axis, at, outer, edge, inner in (
                (self.y, 2, 'start', LEFT - GAP, 'end'),
                (self.y2, WIDTH - 2, 'end', self.right + GAP, 'start')):
            ticks, labels, name = axis.ticks() if axis else ((), (), '')
            yield text(at, NAME_Y, outer, name)
            for y, label in zip(down(axis, ticks) if axis else (), labels):
                yield text(edge, y + HALF, inner, label)
                grid += path([(LEFT, y), (self.right, y)]) * (axis is self.y)
        yield f'<path class="grid" d="{grid}"/>\n'
        yield f'<path class="frame" d="{path([(LEFT, BOTTOM), (self.right, BOTTOM)])}"/>\n'

    def html(self):
        """The figure with its keys, and how many marks there are of how many."""
        ranges = ''.join(f' data-{name}="{axis.ends[0]:.17g} {axis.ends[1]:.17g}"' for name, axis in
                         (('x', self.x), ('y', self.y), ('y2', self.y2)) if axis)
        if self.bin:
            ranges += f' data-bin="{self.bin}"'
        note = [self.note] if self.note else []
        if any(count != of for count, of, _ in self.drawn):
            note.append(', '.join(f'{count} of {of} {noun}' for count, of, noun in self.drawn) +
                        f' are drawn: one in each {CELL} by {CELL} pixels, all extremes among '
                        'them.')
        note = f'<span class="note">{html.escape(" ".join(note))}</span>' if note else ''
        return (f'<figure data-plot="{self.name}" data-marks="{self.marks}" '
                f'data-area="{LEFT} {TOP} {self.right} {BOTTOM}"{ranges}>\n'
                f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">\n'
                f'{"".join([*self.axes(), *self.pieces])}</svg>\n'
                f'<figcaption><b>{html.escape(self.title)}</b>{"".join(self.keys)}{note}'
                '</figcaption>\n</figure>\n')


def down(axis, y):
    return BOTTOM - axis.part(y) * (BOTTOM - TOP)


def path(points, end=''):
    return 'M' + 'L'.join(f'{x:g} {y:g}' for x, y in points) + end


def dots(points):
    """Each is a line that ends where it begins, with round ends."""
    return ''.join(f'M{x:g} {y:g}z' for x, y in points)


def text(x, y, anchor, words):
    return (f'<text text-anchor="{anchor}" x="{x:g}" y="{y:g}">{html.escape(words)}</text>\n'
            if words else '')


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
        name = runs.counter_name(column)
        plot.add_marks('package ' * (column in PACKAGE) + f'k{i}', row.distance, shares, name, name,
                       always=row.slowest)
    return plot


def sweep(row, axes):
    """What a sweep found at each of its steps."""
    steps = measured_steps(row)
    changes = [step for step in steps if step['change']]
    plot = Plot('sweep', 'By launch distance', axes.step, axes.step_latency,
                note='Changes are around the medians that are slower or faster than the step '
                     'before.' * bool(changes))
    if changes:
        plot.add_marks('change', middles(changes), [step['median_ns'] for step in changes],
                       'change')
    for classes, label in ('max', 'maximum'), ('p99', '99 %'), ('median', 'median'):
        known = [step for step in steps if step[f'{classes}_ns'] is not None]
        if known:
            x, y = middles(known), [step[f'{classes}_ns'] for step in known]
            plot.add_line(classes, x, y)
            plot.add_marks(classes, x, y, label)
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

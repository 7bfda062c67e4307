# SPDX-License-Identifier: GPL-2.0
"""The marks that the plots of a row must have: counted and placed from the samples in
datapoints.csv, with nothing of the page but the ranges of its axes.
"""
import math
import re
import struct

CELL = 2
SLOWEST = 10
UNITS = {'ns': 1, 'us': 1000, 'ms': 1000000}
# A page has tenths of a pixel, and gnuplot hundredths.
NEAR = 0.16
# A dot, or a ring around it.
MARK = re.compile('M([0-9.]+) ([0-9.]+)(?:h0|m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0)$')
COUNTERS = ('c0', 'c1', 'cc3', 'cc6', 'cc7', 'mc6', 'pc2', 'pc3', 'pc6', 'pc7', 'pc8', 'pc9',
            'pc10')


def single(text):
    """As latency_report has a share."""
    return struct.unpack('f', struct.pack('f', float(text)))[0]


class Area:
    """Where a value is, in pixels and in cells."""

    def __init__(self, data, second=False):
        self.left, self.top, self.right, self.bottom = map(int, data['area'].split())
        self.x = [float(value) for value in data['x'].split()]
        self.y = [float(value) for value in data['y2' if second else 'y'].split()]

    def parts(self, point):
        return [(value - low) / (high - low)
                for value, (low, high) in zip(point, (self.x, self.y))]

    def cell(self, point):
        x, y = self.parts(point)
        return (int(x * ((self.right - self.left) // CELL)),
                int(y * ((self.bottom - self.top) // CELL)))

    def pixel(self, point):
        x, y = self.parts(point)
        return (self.left + x * (self.right - self.left),
                self.bottom - y * (self.bottom - self.top))


def thinned(points, always, area):
    """One in each cell, the first; the extremes; and those that are always there."""
    if not points:
        return []
    kept = set(always)
    for axis in 0, 1:
        values = [point[axis] for point in points]
        kept |= {values.index(min(values)), values.index(max(values))}
    taken = set()
    for i, point in enumerate(points):
        cell = area.cell(point)
        if cell not in taken:
            taken.add(cell)
            kept.add(i)
    return [points[i] for i in sorted(kept)]


def complaint_of_numbers(figure):
    """Each number along the lower axis is where it says; that of a sweep is logarithmic."""
    area = Area(figure['data'])
    ends = [text for anchor, x, text in figure['texts'] if anchor == 'end' and x == area.right]
    factor = UNITS.get(ends[-1].rpartition(', ')[2], 1)
    for anchor, x, text in figure['texts']:
        if anchor != 'middle':
            continue
        number, _, unit = text.partition(' ')
        value = math.log10(float(number) * UNITS[unit]) if unit else float(number) * factor
        if abs(area.pixel((value, 0))[0] - x) > NEAR:
            return f'{text} is at {x}'
    return ''


class Row:
    def __init__(self, row, samples, steps):
        self.row = row
        self.samples = samples
        self.steps = [step for step in steps if int(step['samples'])]
        self.wake = all(sample['wake_ns'] for sample in samples)
        self.times = [self.time(sample) for sample in samples]
        order = [(int(sample['error_ns']) - time, -time, i)
                 for i, (time, sample) in enumerate(zip(self.times, samples))]
        self.slowest = [i for _, _, i in sorted(order)[:SLOWEST]]

    def time(self, sample):
        return int(sample['wake_ns' if self.wake else 'intr_ns'])

    def distance(self, sample):
        return int(sample['silent_ns' if self.wake else 'ldist_ns'])

    def plots(self):
        if not self.samples:
            return []
        names = ['ecdf', 'histogram', 'scatter', 'order']
        if self.counters():
            names.append('residency')
        if self.steps:
            names.append('sweep')
        return names

    def counters(self):
        return [i for i, counter in enumerate(COUNTERS)
                if any(float(sample[f'{counter}_pct'] or 0) > 0 for sample in self.samples)]

    def ecdf(self, data):
        times = sorted(self.times)
        points = [(time, math.log10((len(times) - i) / len(times)))
                  for i, time in enumerate(times) if not i or time != times[i - 1]]
        always = range(max(len(points) - SLOWEST, 0), len(points))
        return {'wake': thinned(points, always, Area(data))}

    def scatter(self, data):
        points = [(self.distance(sample), self.time(sample)) for sample in self.samples]
        return {'wake': thinned(points, self.slowest, Area(data))}

    def order(self, data):
        ldists = [(i, int(sample['ldist_ns'])) for i, sample in enumerate(self.samples, 1)]
        return {'ldist': thinned(ldists, self.slowest, Area(data, second=True)),
                'wake': thinned(list(enumerate(self.times, 1)), self.slowest, Area(data))}

    def residency(self, data):
        series = {}
        for place, counter in enumerate(self.counters()):
            column = f'{COUNTERS[counter]}_pct'
            known = [i for i, sample in enumerate(self.samples) if sample[column]]
            points = [(self.distance(self.samples[i]), single(self.samples[i][column]))
                      for i in known]
            always = [j for j, i in enumerate(known) if i in self.slowest]
            series[f'k{place}'] = thinned(points, always, Area(data))
        return series

    def sweep(self, _data):
        def points(column, steps):
            return [(math.log10((int(step['ldist_from_ns']) + int(step['ldist_to_ns'])) / 2),
                     int(step[column])) for step in steps if step[column]]
        series = {'max': points('max_ns', self.steps), 'p99': points('p99_ns', self.steps),
                  'median': points('median_ns', self.steps),
                  'change': points('median_ns', [step for step in self.steps if step['change']])}
        return {name: marks for name, marks in series.items() if marks}

    def words(self):
        """What is said of the sweep: changes in one direction are one."""
        words = ''
        for i, step in enumerate(self.steps):
            change = step['change']
            if not i or not change or self.steps[i - 1]['change'] == change:
                continue
            last = i
            while self.steps[last + 1:] and self.steps[last + 1]['change'] == change:
                last += 1
            words += (f'{"Longer" if change == "slower" else "Shorter"} from launch distances of '
                      f'{step["ldist_from_ns"]} to {step["ldist_to_ns"]}\u00a0ns on: the median '
                      f'from {self.steps[i - 1]["median_ns"]} to '
                      f'{self.steps[last]["median_ns"]}\u00a0ns. ')
        return words

    def complaint_of_bars(self, figure):
        width = int(figure['data']['bin'])
        bins = sorted({time // width for time in self.times})
        drawn = figure['series'][0]['marks']
        if len(drawn) != len(bins):
            return f'{len(drawn)} bars instead of {len(bins)}'
        area = Area(figure['data'])
        for path, number in zip(drawn, bins):
            corners = [float(text) for text in re.findall('[0-9.]+', path)]
            count = sum(time // width == number for time in self.times)
            x, y = area.pixel((number * width + (width - 1) / 2, math.log10(count)))
            middle = (min(corners[::2]) + max(corners[::2])) / 2
            if abs(middle - x) > 1 or abs(min(corners[1::2]) - y) > 1:
                return f'a bar at {middle}, {min(corners[1::2])} instead of {x:.1f}, {y:.1f}'
        return ''

    def complaint_of_lines(self, figure):
        """The declared exit latency, and the 99.99th percentile of the distribution."""
        area = Area(figure['data'])
        x, y = area.pixel((int(self.row['declared_ns']), -4))
        for name, place, wanted in ('declared', 0, x), ('level', 1, y):
            path = figure['lines'].get(name)
            if path and max(abs(float(text) - wanted)
                            for text in re.findall('[0-9.]+', path)[place::2]) > NEAR:
                return f'the line {name} is at {path} instead of {wanted:.1f}'
        needed = {'ecdf': {'declared', 'level'}, 'histogram': {'declared'}}
        if set(figure['lines']) != needed.get(figure['data']['plot'], set()):
            return f'has the lines {list(figure["lines"])}'
        return ''

    def complaint(self, figure):
        """What is wrong with a figure, or nothing."""
        return (self.complaint_of_lines(figure) or complaint_of_numbers(figure) or
                self.complaint_of_marks(figure))

    def complaint_of_marks(self, figure):
        if figure['data']['plot'] == 'histogram':
            return self.complaint_of_bars(figure)
        wanted = getattr(self, figure['data']['plot'])(figure['data'])
        drawn = {series['of']: series['marks'] for series in figure['series']}
        if list(drawn) != list(wanted):
            return f'has {list(drawn)} and needs {list(wanted)}'
        for name, points in wanted.items():
            area = Area(figure['data'], second=name == 'ldist')
            if len(points) != len(drawn[name]):
                return f'{len(drawn[name])} marks of {name} instead of {len(points)}'
            for point, path in zip(points, drawn[name]):
                at = [float(text) for text in MARK.match(path).groups()]
                if ('a' in path) != (name == 'change'):
                    return f'{name} is drawn as {path}'
                if max(abs(a - b) for a, b in zip(at, area.pixel(point))) > NEAR:
                    return f'{name} {point} is at {at}'
        return ''

# SPDX-License-Identifier: GPL-2.0
"""What is wrong with a page about runs: each mark, number and text of a figure is computed from
the CSV files with nothing of the page but the ranges of its axes, and nothing of its program.
"""
import csv
import html.parser
import math
import os
import re
import struct
import xml.etree.ElementTree as tree

CELL = 2
SLOWEST = 10
FEW = 8
UNITS = {'ns': 1, 'us': 1000, 'ms': 1000000}
NEAR = 0.06                     # A page has tenths of a pixel.
NEAR_TEXT = 0.01
COUNTERS = ('c0', 'c1', 'cc3', 'cc6', 'cc7', 'mc6', 'pc2', 'pc3', 'pc6', 'pc7', 'pc8', 'pc9',
            'pc10')
# The widest digits and letters of sans-serif fonts, as a part of their height, and the height.
LETTER, ASCENT, DESCENT = 0.64, 0.75, 0.25
LEAST_CONTRAST = 4.5
LEAST_TEXT, PHONE = 9, 376      # pixels


class Parser(html.parser.HTMLParser):
    """The elements of a page, as a tree; each that is begun has to end."""

    VOID = 'meta', 'link', 'br', 'wbr', 'img'

    def __init__(self, text):
        super().__init__()
        self.wrong = []
        self.open = []
        self.builder = tree.TreeBuilder()
        self.builder.start('page', {})
        self.feed(text)
        self.close()
        self.wrong += [f'{tag} has no end' for tag in self.open]
        for tag in ['page', *self.open][::-1]:
            self.builder.end(tag)
        self.root = self.builder.close()

    def handle_starttag(self, tag, attrs):
        self.builder.start(tag, {name: value or '' for name, value in attrs})
        if tag in self.VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f'</{tag}> ends nothing')
            return
        self.builder.end(self.open.pop())

    def handle_data(self, data):
        self.builder.data(data)


def text_of(element):
    return ''.join(element.itertext()).strip()


def with_class(element, name, tag='*'):
    return [each for each in element.iter() if name in each.get('class', '').split() and
            tag in ('*', each.tag)]


def table(path):
    with open(path, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def by_key(rows):
    groups = {}
    for row in rows:
        groups.setdefault((row['cpu'], row['method'], row['state']), []).append(row)
    return groups


class Area:
    """Where a value is, in pixels and in cells."""

    def __init__(self, figure, second=False):
        self.left, self.top, self.right, self.bottom = map(int, figure.get('data-area').split())
        self.x = [float(value) for value in figure.get('data-x').split()]
        self.y = [float(value) for value in figure.get('data-y2' if second else 'data-y').split()]

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
    kept = set(always)
    for axis in (0, 1) if points else ():
        values = [point[axis] for point in points]
        kept |= {values.index(min(values)), values.index(max(values))}
    taken = set()
    for i, point in enumerate(points):
        cell = area.cell(point)
        if cell not in taken:
            taken.add(cell)
            kept.add(i)
    return [points[i] for i in sorted(kept)]


def single(text):
    """A share as the program keeps it."""
    return struct.unpack('f', struct.pack('f', float(text)))[0]


class Row:
    """Which marks each figure of a row has to have, by their class."""

    def __init__(self, row, samples, steps):
        self.row = row
        self.samples = samples
        self.steps = [step for step in steps if int(step['samples'])]
        self.wake = bool(samples) and all(sample['wake_ns'] for sample in samples)
        self.times = [int(sample['wake_ns' if self.wake else 'intr_ns']) for sample in samples]
        self.intrs = [int(sample['intr_ns']) for sample in samples]
        self.distances = [int(sample['silent_ns' if self.wake else 'ldist_ns'])
                          for sample in samples]
        order = [(int(sample['error_ns']) - time, -time, i)
                 for i, (time, sample) in enumerate(zip(self.times, samples))]
        self.slowest = [i for _, _, i in sorted(order)[:SLOWEST]]

    def counters(self):
        return [counter for counter in COUNTERS
                if any(float(sample[f'{counter}_pct'] or 0) > 0 for sample in self.samples)]

    def frequency_differs(self):
        """Two digits after the point are a whole number of hundredths."""
        known = sorted(int(sample['frequency_pct'].replace('.', '')) for sample in self.samples
                       if sample['frequency_pct'])
        low, high = (known[(len(known) * percent + 99) // 100 - 1] if known else 0
                     for percent in (1, 99))
        return 100 * high > 105 * low

    def plots(self):
        if not self.samples:
            return []
        return (['ecdf', 'histogram', 'scatter'] + ['intr'] * self.wake + ['order'] +
                ['residency'] * bool(self.counters()) + ['frequency'] * self.frequency_differs() +
                ['sweep'] * bool(self.steps))

    @staticmethod
    def shares(times, area):
        times = sorted(times)
        points = [(time, math.log10((len(times) - i) / len(times)))
                  for i, time in enumerate(times) if not i or time != times[i - 1]]
        return thinned(points, range(max(len(points) - SLOWEST, 0), len(points)), area)

    def ecdf(self, figure):
        area = Area(figure)
        series = {'intr': self.shares(self.intrs, area)} if self.wake else {}
        return {**series, 'wake': self.shares(self.times, area)}

    def scatter(self, figure):
        return {'wake': thinned(list(zip(self.distances, self.times)), self.slowest,
                                Area(figure))}

    def intr(self, figure):
        return {'intr': thinned(list(zip(self.distances, self.intrs)), self.slowest,
                                Area(figure))}

    def order(self, figure):
        ldists = [(i, int(sample['ldist_ns'])) for i, sample in enumerate(self.samples, 1)]
        return {'ldist': thinned(ldists, self.slowest, Area(figure, second=True)),
                'wake': thinned(list(enumerate(self.times, 1)), self.slowest, Area(figure))}

    def residency(self, figure):
        series = {}
        for place, counter in enumerate(self.counters()):
            column = f'{counter}_pct'
            known = [i for i, sample in enumerate(self.samples) if sample[column]]
            points = [(self.distances[i], single(self.samples[i][column])) for i in known]
            always = [j for j, i in enumerate(known) if i in self.slowest]
            series[f'k{place}'] = thinned(points, always, Area(figure))
        return series

    def frequency(self, figure):
        known = [i for i, sample in enumerate(self.samples) if sample['frequency_pct']]
        points = [(single(self.samples[i]['frequency_pct']), self.times[i]) for i in known]
        always = [j for j, i in enumerate(known) if i in self.slowest]
        return {'wake': thinned(points, always, Area(figure))}

    def sweep(self, _figure):
        def points(column, steps):
            return [(math.log10((int(step['ldist_from_ns']) + int(step['ldist_to_ns'])) / 2),
                     int(step[column])) for step in steps if step[column]]
        series = {'max': points('max_ns', self.steps), 'p99': points('p99_ns', self.steps),
                  'median': points('median_ns', self.steps),
                  'change': points('median_ns', [step for step in self.steps if step['change']])}
        return {name: marks for name, marks in series.items() if marks}

    def histogram(self, figure):
        """The upper left corners of bars."""
        width = int(figure.get('data-bin'))
        counts = {}
        for time in self.times:
            counts[time // width] = counts.get(time // width, 0) + 1
        return {'wake': [(number * width - 0.5, math.log10(count))
                         for number, count in counts.items()]}

    def slow_titles(self, name):
        return {f'sample {self.samples[i]["seq"]}, launch distance {self.samples[i]["ldist_ns"]} '
                'ns, ' + (f'SilentTime {self.distances[i]} ns, WakeLatency {self.times[i]} ns, '
                          if self.wake else '') + f'IntrLatency {self.intrs[i]} ns'
                for i in self.slowest
                if name != 'frequency' or self.samples[i]['frequency_pct']}


def numbers_in(path):
    return [float(text) for text in re.findall(r'-?[0-9.]+', path)]


def drawn(figure):
    """The marks of each series: where each is."""
    series = {}
    for group in with_class(figure, 'marks', 'g'):
        classes = group.get('class').split()
        for path in group.iter('path'):
            at = series.setdefault(classes[-1], [])
            numbers = numbers_in(path.get('d'))
            if 'dots' in classes:
                at += zip(numbers[::2], numbers[1::2])
            else:
                at.append((min(numbers[::2]), min(numbers[1::2])))
    return series


def wrong_marks(figure, wanted):
    found = drawn(figure)
    count = sum(map(len, found.values()))
    if count != int(figure.get('data-marks')):
        yield f'{count} marks, and it says {figure.get("data-marks")}'
    if set(found) != set(wanted):
        yield f'has {sorted(found)} and needs {sorted(wanted)}'
        return
    for name, points in wanted.items():
        area = Area(figure, second=name == 'ldist')
        pixels = sorted(map(area.pixel, points))
        if len(found[name]) != len(pixels):
            yield f'{len(found[name])} marks of {name} instead of {len(pixels)}'
            continue
        # Rounded, so that those that are near each other have another order.
        at = sorted(found[name])
        for i, pixel in enumerate(pixels):
            if not any(max(abs(a - b) for a, b in zip(pixel, each)) <= NEAR
                       for each in at[max(i - 60, 0):i + 60]):
                yield f'{name}: no mark is at {pixel[0]:.1f} {pixel[1]:.1f}'
                break


def wrong_lines(figure, row):
    """The declared exit latency, and the 99.99th percentile of the distribution."""
    needed = {'ecdf': {'declared', 'level'}, 'histogram': {'declared'}}
    lines = {group.get('class').split()[-1]: numbers_in(group.find('path').get('d'))
             for group in with_class(figure, 'line', 'g')
             if group.get('class').split()[-1] in ('declared', 'level')}
    if set(lines) != needed.get(figure.get('data-plot'), set()):
        yield f'has the lines {sorted(lines)}'
    x, y = Area(figure).pixel((int(row['declared_ns']), -4))
    for name, place, wanted in ('declared', 0, x), ('level', 1, y):
        if any(abs(value - wanted) > NEAR for value in lines.get(name, [])[place::2]):
            yield f'the line {name} is not at {wanted:.1f}'


def labels(figure):
    return [(text.get('text-anchor'), float(text.get('x')), float(text.get('y')), text_of(text))
            for text in figure.iter('text')]


def wrong_numbers(figure):
    """Each number along the lower axis is where it says; those of a time may be logarithms."""
    area = Area(figure)
    texts = labels(figure)
    ends = [text for anchor, x, _, text in texts if anchor == 'end' and x == area.right]
    factor = UNITS.get(ends[-1].rpartition(', ')[2], 1)
    for anchor, x, _, text in texts:
        if anchor != 'middle':
            continue
        number, _, unit = text.partition(' ')
        value = math.log10(float(number) * UNITS[unit]) if unit else float(number) * factor
        if abs(area.pixel((value, 0))[0] - x) > NEAR_TEXT:
            yield f'{text} is at {x}'


def box(font, anchor, x, y, text):
    width = len(text) * LETTER * font
    left = x - width * {'start': 0, 'middle': 0.5, 'end': 1}[anchor]
    return left, y - ASCENT * font, left + width, y + DESCENT * font


def wrong_texts(figure, font):
    """No text is on another one, or outside of the drawing, by the widest letters there are."""
    _, _, width, height = map(float, figure.find('svg').get('viewbox').split())
    boxes = [(text, box(font, *text)) for text in labels(figure)]
    for i, (text, (left, top, right, bottom)) in enumerate(boxes):
        if left < 0 or right > width or top < 0 or bottom > height:
            yield f'"{text[-1]}" is not within the drawing'
        for other, (left2, top2, right2, bottom2) in boxes[:i]:
            if min(right, right2) > max(left, left2) and min(bottom, bottom2) > max(top, top2):
                yield f'"{text[-1]}" is on "{other[-1]}"'
    if font * PHONE / width < LEAST_TEXT:
        yield f'text of {font * PHONE / width:.1f} px on a phone'


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else ''.join(2 * digit for digit in colour[1:])
    red, green, blue = (value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
                        for value in (int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def wrong_style(style):
    """Each colour of a text is there in light and in dark, and can be read on the page."""
    schemes = re.findall(r'(@media[^{]*\{)?:root\{(?:color-scheme:light dark;)?(--[^}]*)\}', style)
    if [bool(dark) for dark, _ in schemes] != [False, True] or \
            schemes[1][0] != '@media screen and (prefers-color-scheme:dark){':
        return ['there is no dark scheme for screens only']
    colours = [dict(re.findall('--([a-z]+):(#[0-9a-f]+)', text)) for _, text in schemes]
    wrong = [] if set(colours[0]) == set(colours[1]) else ['light and dark have other colours']
    if colours[0]['page'] == colours[1]['page']:
        wrong.append('light and dark do not differ')
    used = set(re.findall(r'[{;](?:color|fill):var\(--([a-z]+)\)', style)) - {'mark', 'shade'}
    used -= {'grid', 'level'}   # of lines, which no text has
    for scheme in colours:
        page = luminance(scheme['page'])
        for name in used:
            front = luminance(scheme.get(name, scheme['page']))
            contrast = (max(front, page) + 0.05) / (min(front, page) + 0.05)
            if contrast < LEAST_CONTRAST:
                wrong.append(f'{name} has a contrast of {contrast:.1f}')
    return wrong


def wrong_page(root):
    """It needs nothing from elsewhere, and its links lead to something."""
    ids = [element.get('id') for element in root.iter() if element.get('id')]
    yield from (f'the id {name} is there twice' for name in set(ids) if ids.count(name) > 1)
    for element in root.iter():
        if element.tag in ('script', 'img', 'iframe', 'object') or any(
                name.startswith('on') for name in element.attrib):
            yield f'there is a {element.tag}'
        link = element.get('href') or element.get('src') or '#'
        if not link.startswith(('#', 'data:')):
            yield f'{link} is elsewhere'
        if link.startswith('#') and link != '#' and link[1:] not in ids:
            yield f'{link} leads to nothing'


def remarks_of(path, row):
    """What environment.txt says of a row."""
    place = [row[name] for name in ('cpu', 'method', 'state')]
    held = ' held' * any(row.get('hold') and each.get('concurrent') == 'yes' and
                         [each[name] for name in ('cpu', 'method', 'state')] == place
                         for each in cpu_rows(path))
    lead = f'cpu{" ".join(place)}{held}: '
    with open(f'{path}/environment.txt', encoding='utf-8') as file:
        return [line.rstrip('\n').removeprefix(lead) for line in file if line.startswith(lead)]


def wrong_section(section, row, remarks):
    """ROW: a Row."""
    heading = text_of(section.find('h2'))
    if not heading.startswith('cpu{cpu} {method} {state}'.format(**row.row)):
        yield f'{section.get("id")} is of {heading}'
    said = list(map(text_of, with_class(section, 'said')))
    yield from (f'{said} is without {remark}' for remark in remarks
                if remark not in said)
    slowest = [text_of(line.find('td')) for part in with_class(section, 'ten')
               for line in part.find('tbody')]
    if slowest != [row.samples[i]['seq'] for i in row.slowest]:
        yield f'{slowest} are not the slowest'
    figures = list(section.iter('figure'))
    if [figure.get('data-plot') for figure in figures] != row.plots():
        yield f'has {[figure.get("data-plot") for figure in figures]} and needs {row.plots()}'
        return
    for figure in figures:
        name = figure.get('data-plot')
        found = [*wrong_lines(figure, row.row), *wrong_numbers(figure),
                 *wrong_marks(figure, getattr(row, name)(figure))]
        titles = {text_of(title) for title in figure.iter('title')}
        if name in ('scatter', 'intr', 'order', 'frequency') and \
                not row.slow_titles(name) <= titles:
            found.append('the slowest have other hover texts')
        yield from (f'{heading}: {name}: {each}' for each in found)


def name_of(row):
    once = ' at once' * (row.get('concurrent') == 'yes')
    return 'cpu{cpu} {method} {state}'.format(**row) + once


def cpu_rows(path):
    """Those of core types have no section."""
    return [row for row in table(f'{path}/summary.csv') if row['cpu'].isdigit()]


def samples_of(path):
    """By the name of their row: those of a CPU that was measured twice begin with 0 again."""
    waiting, found = {}, {}
    for row in cpu_rows(path):
        if row['valid'] not in ('', '0'):
            waiting.setdefault((row['cpu'], row['method'], row['state']), []).append(row)
    for key, samples in by_key(table(f'{path}/datapoints.csv')).items():
        for sample in samples:
            if sample['seq'] == '0':
                name = name_of(waiting[key].pop(0))
            found.setdefault(name, []).append(sample)
    return found


def wrong_types(root, path, files):
    """The figures of a core type have all its CPUs, in the order of their medians. All CPUs of the
    run that were measured at once are of one type here."""
    rows, samples, _ = files
    row = next(row for row in table(f'{path}/summary.csv') if not row['cpu'].isdigit())
    section = with_class(root, 'type', 'section')[0]
    if text_of(section.find('h2')) != f'{row["cpu"]} {row["method"]} {row["state"]} at once':
        yield f'{text_of(section.find("h2"))} is no name of a type'
    cpus = sorted((Row(each, samples[name_of(each)], []) for each in rows
                   if each['concurrent'] == 'yes'), key=lambda cpu: int(cpu.row['median_ns']))
    wanted = {'cpus': {name: [(i, int(cpu.row[f'{name}_ns'])) for i, cpu in enumerate(cpus, 1)
                              if cpu.row[f'{name}_ns']] for name in ('median', 'p99')},
              'worst': {'max': [(i, max(cpu.times)) for i, cpu in enumerate(cpus, 1)]}}
    for figure in section.iter('figure'):
        name = figure.get('data-plot')
        marks = {key: points for key, points in wanted.pop(name).items() if points}
        yield from (f'the type: {name}: {each}' for each in wrong_marks(figure, marks))
        line = with_class(figure, 'declared', 'g')
        y = Area(figure).pixel((0, int(row['declared_ns'])))[1]
        if [abs(numbers_in(each.find('path').get('d'))[1] - y) <= NEAR for each in line] != \
                [True] * (name == 'worst'):
            yield f'the type: {name}: declared is not at {y:.1f}'
    yield from (f'the type has no figure {name}' for name in wanted)


def cells(row):
    """What the table of verdicts has to have of a row of the summary, where that knows it."""
    return [name_of(row),
            row['verdict'] + f' {row["qualifier"]}' * bool(row['qualifier']) +
            f': {row["reason"]}' * bool(row['reason']),
            row['declared_ns'], row['median_ns'], row['p99_ns'], row['p9999_ns'],
            row['max_ns'], row['valid']]


def wrong_table(root, paths):
    tables = [part for part in with_class(root, 'cards', 'table')
              if text_of(part.find('thead')).startswith('CPU')]
    for part, path in zip(tables, paths):
        rows = {name_of(row): row for row in cpu_rows(path)}
        for line in part.find('tbody'):
            shown = [text_of(cell) for cell in line]
            row = rows.pop(shown[0])
            if any(want not in ('', have) for have, want in zip(shown, cells(row))):
                yield f'the table has {shown} instead of {cells(row)}'


def sections(root):
    for section in root.iter('section'):
        name = re.fullmatch('run([0-9]+)-row([0-9]+)', section.get('id', ''))
        if name:
            yield section, int(name[1]) - 1, int(name[2]) - 1


def wrong_axes(root, paths):
    """The same row of all runs: one after the other, and drawn with the same axes."""
    rows = [cpu_rows(path) for path in paths]
    order, axes = [], {}
    for section, run, number in sections(root):
        row = rows[run][number]
        key = name_of(row)
        order.append((key, run))
        for figure in section.iter('figure'):
            # How many samples there are is no matter of the row, but of the run.
            names = ['y', 'y2', 'bin', *['x'] * (figure.get('data-plot') != 'order')]
            axes.setdefault((key, figure.get('data-plot')), set()).add(
                tuple(figure.get(f'data-{name}') for name in names))
    keys = list(dict.fromkeys(key for key, _ in order))
    if order != sorted(order, key=lambda place: (keys.index(place[0]), place[1])):
        yield 'the runs of a row do not follow each other'
    # Of many CPUs, those that matter have a section.
    if len({row['cpu'] for row in rows[0]}) <= FEW and len(order) != sum(map(len, rows)):
        yield f'{len(order)} sections of {sum(map(len, rows))} rows'
    yield from (f'{key} {plot} has several axes' for (key, plot), each in axes.items()
                if len(each) > 1)


def wrong_changes(root, paths):
    """Median and maximum at the launch distances that count, and what is said of them."""
    part = next(each for each in root.iter('section') if each.get('id') == 'differences')
    lines = list(part.find('.//tbody'))
    shown = {text_of(line[0]): [text_of(cell) for cell in line[2:]] for line in lines}
    for number, path in enumerate(paths):
        samples = by_key(table(f'{path}/datapoints.csv'))
        for row in table(f'{path}/summary.csv'):
            own = Row(row, samples.get((row['cpu'], row['method'], row['state']), []), [])
            times = sorted(time for time, sample in zip(own.times, own.samples)
                           if int(row['ldist_from_ns']) <= int(sample['ldist_ns']) <=
                           int(row['ldist_to_ns']))
            want = f'{times[(len(times) - 1) // 2]}{times[-1]}' if times else '-'
            have = shown.get('cpu{cpu} {method} {state}'.format(**row), [''] * 9)
            if have[number] != want:
                yield f'{row["state"]} has {have} instead of {want} in run {number + 1}'
            if re.search(r'\b[AB]\b', have[-1]):
                yield f'{have[-1]} does not name the runs as the columns do'
            if want == '-' and row['valid'] == '0' and any(
                    value != '-' for value in have[:-1]) and \
                    f'run {number + 1} has no sample' not in have[-1]:
                yield f'{have[-1]} names another run'
    coloured = [i for i, line in enumerate(lines)
                if with_class(line, 'slower') or with_class(line, 'faster')]
    if coloured != list(range(len(coloured))):
        yield 'what changed is not first'
    if re.search('awake IntrLatency|date: |duration: ', text_of(part)):
        yield 'what was measured is a difference of environments'


def judge_form(text):
    """A page, and what is wrong with it whatever it is about."""
    parser = Parser(text)
    root = parser.root
    found = parser.wrong + list(wrong_page(root))
    style = text_of(next(root.iter('style')))
    found += wrong_style(style)
    font = float(re.search('svg text{font:([0-9.]+)px', style)[1])
    return root, found + [each for figure in root.iter('figure')
                          for each in wrong_texts(figure, font)]


def complaints(text, paths):
    """All that is wrong with a page about the runs in these directories."""
    root, found = judge_form(text)
    found += [*wrong_table(root, paths), *wrong_axes(root, paths)]
    if len(paths) > 1:
        found += wrong_changes(root, paths)
    files = []
    for path in paths:
        sweep = f'{path}/sweep.csv'
        files.append((cpu_rows(path), samples_of(path),
                      by_key(table(sweep)) if os.path.exists(sweep) else {}))
        if len(files[-1][0]) < len(table(f'{path}/summary.csv')):
            found += wrong_types(root, path, files[-1])
    for section, run, number in sections(root):
        rows, samples, steps = files[run]
        row = rows[number]
        key = row['cpu'], row['method'], row['state']
        found += wrong_section(section, Row(row, samples.get(name_of(row), []),
                                            steps.get(key, [])), remarks_of(paths[run], row))
    return found

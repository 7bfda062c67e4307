# SPDX-License-Identifier: GPL-2.0
"""One figure of a page: its marks are chosen here, and drawn as SVG by matplotlib.

Marks are put at tenths of a pixel and thousands of them into one path, so that a page stays small.
How they look is said by page.css; an id of matplotlib's ("gid") becomes classes and a hover text.
"""
import html
import io
import math
import re

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import LogLocator, MaxNLocator
from matplotlib.transforms import IdentityTransform

# The drawing and the area between its axes, in pixels, y downwards. On a phone it is a sixth
# narrower, with text that can still be read; on a screen three are side by side.
WIDTH, HEIGHT = 440, 284
LEFT, TOP, RIGHT, RIGHT_2, BOTTOM = 72, 30, 412, 384, 236
FONT = 12
CELL = 2                        # Of marks in the same square of so many pixels, one is enough.
TICKS = 5                       # so many intervals, between numbers that do not touch each other
LOG_TICKS = 6
FEW = 200                       # So few marks would be lost if they were as small as many are.
RING = 5
X_PAD = 10                      # below the lowest number of the other axis
GAP, HALF = 3.5, 4.5            # between a number and its axis, and half the height of a number

NS, COUNT, PERCENT, LOG_NS, LOG_COUNT, LOG_SHARE = range(6)
UNITS = (10 ** 6, 'ms'), (1000, 'us'), (1, 'ns')

matplotlib.rcParams.update({'svg.fonttype': 'none', 'font.size': FONT, 'path.simplify': False})


class Axis:
    """Room for all values and a little more; those of a logarithmic one are logarithms."""

    def __init__(self, label, scale, low, high, begin=None):
        self.label, self.scale = label, scale
        is_log = scale >= LOG_NS
        margin = max((high - low) / 25, 0.02 if is_log else 1)
        self.ends = ((low - margin, high + margin) if is_log else
                     (math.floor(low - margin), math.ceil(high + margin)))
        if begin is not None:
            self.ends = begin, self.ends[1]

    def part(self, values):
        return (np.asarray(values, float) - self.ends[0]) / (self.ends[1] - self.ends[0])

    def ticks(self):
        """Values and their labels, and the name of the axis with its unit."""
        if self.scale >= LOG_NS:
            return *self.log_ticks(), self.label
        ticks = MaxNLocator(TICKS, steps=[1, 2, 5, 10], integer=True).tick_values(*self.ends)
        ticks = ticks[(ticks >= max(self.ends[0], 0)) & (ticks <= self.ends[1])]
        step = ticks[1] - ticks[0] if len(ticks) > 1 else ticks.max(initial=1)
        factor, unit = 1, '%' * (self.scale == PERCENT)
        if self.scale == NS:
            factor, unit = next(pair for pair in UNITS if step % pair[0] == 0 or pair[0] == 1)
        return ticks, [f'{tick / factor:.0f}' for tick in ticks], ', '.join(
            filter(None, (self.label, unit)))

    def log_ticks(self):
        """Powers of ten; of a time that spans few of them also what is between these."""
        decades = self.ends[1] - self.ends[0] if self.scale == LOG_NS else math.inf
        between = (1, 2, 5) if decades < 2 else (1, 3) if decades < 3 else (1,)
        values = LogLocator(subs=between, numticks=50).tick_values(
            10 ** self.ends[0], 10 ** self.ends[1])
        ticks = np.log10(values)
        inside = (ticks >= self.ends[0]) & (ticks <= self.ends[1])
        every = -(-int(inside.sum()) // LOG_TICKS) if self.scale == LOG_NS else 1
        return ticks[inside][::every], [self.log_name(value) for value in values[inside][::every]]

    def log_name(self, value):
        if self.scale == LOG_SHARE:
            return f'{value * 100:.6g} %'
        factor, unit = 1, ''
        if self.scale == LOG_NS:
            factor, unit = next(pair for pair in UNITS if value >= pair[0] * 0.999 or pair[0] == 1)
        return f'{value / factor:.0f} {unit}'.strip()


class Plot:
    def __init__(self, name, title, x, y, y2=None, note=''):
        self.name, self.title, self.note = name, title, note
        self.x, self.y, self.y2 = x, y, y2
        self.right = RIGHT_2 if y2 else RIGHT
        self.pieces, self.keys, self.drawn = [], [], []
        self.marks, self.bin = 0, None

    def pixels(self, x, y, second=False):
        """Where points are in the drawing, y upwards, in tenths of a pixel."""
        across = LEFT + self.x.part(x) * (self.right - LEFT)
        up = HEIGHT - BOTTOM + (self.y2 if second else self.y).part(y) * (BOTTOM - TOP)
        return np.round(np.column_stack(np.broadcast_arrays(across, up)), 1)

    def key(self, kind, classes, label):
        if label:
            self.keys.append(f' <span class="key {kind} {classes}">{html.escape(label)}</span>')

    def thin(self, x, y, always, second):
        """The first mark in each cell, those with the smallest and the largest value of an axis,
        and those of ALWAYS, which are indexes."""
        column = (self.x.part(x) * ((self.right - LEFT) // CELL)).astype(int)
        row = ((self.y2 if second else self.y).part(y) * ((BOTTOM - TOP) // CELL)).astype(int)
        first = np.full(WIDTH * HEIGHT, -1)
        first[(column * HEIGHT + row)[::-1]] = np.arange(len(x))[::-1]
        kept = first[first >= 0]
        ends = [values.argmin() for values in (x, y)] + [values.argmax() for values in (x, y)]
        return np.unique(np.concatenate([kept, ends, np.asarray(always, int)]))

    def add_marks(self, classes, x, y, name, noun=None, label=None, always=(), titles=None,
                  second=False):
        """Dots; where NOUN says what they are, most of many are left out. TITLES: hover texts of
        those that have their own, by index. Returns which ones are drawn."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        kept = self.thin(x, y, always, second) if noun else np.arange(len(x))
        if noun:
            self.drawn.append((len(kept), len(x), noun))
        self.key('dot', classes, label)
        self.marks += len(kept)
        classes = 'few ' * (len(kept) < FEW) + classes
        titles = titles or {}
        at = self.pixels(x, y, second)
        plain = kept[~np.isin(kept, list(titles))]
        self.add_dots(classes, at[plain], name)
        for i, title in titles.items():
            self.add_dots(classes, at[[i]], title)
        return kept

    def add_dots(self, classes, at, title):
        """Each is a line that ends where it begins, with round ends."""
        vertices = np.zeros((2 * len(at), 2))
        vertices[::2] = at
        self.add(f'marks dots {classes}', vertices,
                 np.tile([Path.MOVETO, Path.CLOSEPOLY], len(at)), title)

    def add_rings(self, classes, x, y, name, label):
        """Around marks, which are seen within them."""
        circle = Path.unit_circle()
        self.key('dot', classes, label)
        self.marks += len(x)
        for at in self.pixels(x, y):
            self.add(f'marks rings {classes}', circle.vertices * RING + at, circle.codes, name)

    def add_bars(self, classes, numbers, heights, width, titles):
        """Bars of whole ns: bar N is from half a ns before N * WIDTH."""
        self.bin = width
        self.marks += len(numbers)
        low = self.pixels(numbers * width - 0.5, self.y.ends[0])
        high = self.pixels(numbers * width + width - 0.5, heights)
        for (left, bottom), (right, top), title in zip(low, high, titles):
            self.add(f'marks bars {classes}',
                     [(left, bottom), (left, top), (right, top), (right, bottom), (0, 0)],
                     Path(np.zeros((5, 2)), closed=True).codes, title)

    def add_line(self, classes, x, y, label=None, steps=False):
        """Through points; STEPS: vertically first."""
        self.key('dash', classes, label)
        at = self.pixels(x, y)
        if steps:
            at = np.repeat(at, 2, axis=0)
            at = np.column_stack((at[:-1, 0], at[1:, 1]))
        self.add(f'line {classes}', at, None, label)

    def add(self, classes, vertices, codes, title):
        if len(vertices):
            self.pieces.append((Path(vertices, codes), classes, title))

    def svg(self):
        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72)
        figure.patch.set_visible(False)
        self.draw_axes(figure)
        for i, (path, _, _) in enumerate(self.pieces):
            draw(figure, path, f'piece{i}')
        file = io.StringIO()
        figure.savefig(file, format='svg', metadata=dict.fromkeys(
            ('Date', 'Creator', 'Format', 'Type')))
        return tidy(file.getvalue(), self.pieces)

    def draw_axes(self, figure):
        """Lines and texts only: Axes of matplotlib take longer than all else."""
        bottom, grid = HEIGHT - BOTTOM, []
        ticks, labels, name = self.x.ticks()
        write(figure, self.right, 10, name, 'right')
        for x, label in zip(LEFT + self.x.part(ticks) * (self.right - LEFT), labels):
            write(figure, x, bottom - X_PAD - 2 * HALF, label, 'center')
            grid += (x, bottom), (x, HEIGHT - TOP)
        for y, label in heights(figure, self.y, 2, 'left'):
            write(figure, LEFT - GAP, y - HALF, label, 'right')
            grid += (LEFT, y), (self.right, y)
        for y, label in heights(figure, self.y2, WIDTH - 2, 'right') if self.y2 else ():
            write(figure, self.right + GAP, y - HALF, label, 'left')
        for ends, name in (grid, 'grid'), ([(LEFT, bottom), (self.right, bottom)], 'frame'):
            draw(figure, Path(ends, [Path.MOVETO, Path.LINETO] * (len(ends) // 2)), name)

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
                f'data-area="{LEFT} {TOP} {self.right} {BOTTOM}"{ranges}>\n{self.svg()}'
                f'<figcaption><b>{self.title}</b>{"".join(self.keys)}{note}</figcaption>\n'
                '</figure>\n')


def heights(figure, axis, x, side):
    """Where the numbers of an axis are, above which its name is."""
    ticks, labels, name = axis.ticks()
    write(figure, x, HEIGHT - 14, name, side)
    return zip(HEIGHT - BOTTOM + axis.part(ticks) * (BOTTOM - TOP), labels)


def write(figure, x, y, text, side):
    figure.text(x, y, text, ha=side, transform=IdentityTransform(), zorder=0)


def draw(figure, path, name):
    figure.add_artist(PathPatch(path, transform=IdentityTransform(), gid=name))


def tidy(svg, pieces):
    """The drawing without what a page has no use for: page.css says how it looks."""
    svg = svg.partition('<g id="figure_1">')[2].rpartition('</g>')[0]
    svg = re.sub(r'<text style="[^"]*?(?: text-anchor: (\w+))?" x="([^"]*)" y="([^"]*)"[^>]*>',
                 r'<text text-anchor="\1" x="\2" y="\3">', svg)
    svg = re.sub(' (?:style|clip-path)="[^"]*"', '', svg)
    svg = re.sub(' ?\n(?=[MLCQz"])', '', svg)
    svg = re.sub('(?<= d=")[^"]*', lambda path: re.sub(
        '(?<=[MLCQz]) | (?=[MLCQz])', '', path[0]), svg)
    svg = re.sub(r'<g id="(grid|frame)">', r'<g class="\1">', svg)
    svg = re.sub(r'<g id="piece(\d+)">', lambda found: begin(*pieces[int(found[1])][1:]), svg)
    svg = re.sub(r'<g id="[^"]*"/?>', lambda found: '' if found[0][-2] == '/' else '<g>', svg)
    svg = re.sub(r'\n\s*', '\n', svg).replace(' text-anchor=""', '')
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">\n{svg}</svg>\n'


def begin(classes, title):
    title = f'<title>{html.escape(title)}</title>' if title else ''
    return f'<g class="{classes}">{title}'

# SPDX-License-Identifier: GPL-2.0
"""What each setting changes, from runs of all combinations of settings, in blocks that have every
combination once. A combination is a tuple of values, one of each factor. Times are in ns."""
from dataclasses import dataclass, field
import os

import numpy as np
from numpy.lib.recfunctions import repack_fields

from idle_latency import pairs, replicates, runs, statistics
from idle_latency.pairs import Change
from idle_latency.statistics import ALPHA, EFFECTS, PAIRS, SHARE

PLAN = 'exercise.csv'
COLUMNS = 'run', 'block', 'reason'
MEDIAN, P99 = FIGURES = 50, 99
# What is needed of a sample: there may be a hundred runs.
NEEDED = 'ldist_ns', 'silent_ns', 'wake_ns', 'intr_ns', 'error_ns', 'reached', 'frequency_pct'


class Exercise:
    """The runs in a directory, as its exercise.csv says. FACTORS: their names; REFUSED: why a
    combination was not measured; RUNS[combination]: a run of each block."""

    def __init__(self, path):
        self.name = runs.shown(path)
        table = runs.Table(path, PLAN, COLUMNS)
        self.factors = [name for name in table.columns if name not in COLUMNS]
        self.refused, found = {}, {}
        for number, line in table.rows(('block',)):
            combination = tuple(line[name] for name in self.factors)
            if line['block'] is None or not (line['run'] or line['reason']) or \
                    not all(combination):
                table.wrong(number, 'a field is empty')
            if line['reason']:
                self.refused[combination] = line['reason']
            if line['block'] in found.setdefault(combination, {}):
                table.wrong(number, f'block {line["block"]} has this combination already')
            found[combination][line['block']] = os.path.join(path, line['run'])
        self.combinations = [each for each in found if each not in self.refused]
        blocks = [sorted(found[each]) for each in self.combinations]
        if not self.factors or not blocks or len(blocks[0]) < 2 or blocks.count(blocks[0]) < len(
                blocks):
            table.wrong(1, 'this takes two blocks at least, each with one run of all combinations')
        self.runs = {each: [self.load(found[each][block]) for block in blocks[0]]
                     for each in self.combinations}
        self.all_runs = [run for each in self.combinations for run in self.runs[each]]
        self.keys = list(dict.fromkeys(row.key for run in self.all_runs for row in run.rows))
        replicates.refuse_copies(self.all_runs)

    @staticmethod
    def load(path):
        run = runs.load(path)
        for row in run.rows:
            known = row.samples['package'][row.samples['package'] != '']
            row.package_share = (known != 'PC0').mean() if len(known) else None
            row.samples = repack_fields(row.samples[list(NEEDED)])
        return run

    def rows(self, key, combination):
        return [run.find(key) for run in self.runs[combination]]

    def text(self, combination):
        """Such as "prewake=on hold=none"."""
        return runs.shown(' '.join(map('='.join, zip(self.factors, combination))))

    def settings(self):
        """Each value of a factor that is compared with the first one which could be measured."""
        for place, factor in enumerate(self.factors):
            values = list({each[place]: None for each in self.combinations})
            for value in values[1:]:
                yield Setting(place, runs.shown(f'{factor}={values[0]}'),
                              runs.shown(f'{factor}={value}'), values[0], value)


@dataclass(frozen=True)
class Setting:
    """BASE and NAME: what is compared, in words."""
    place: int
    base: str
    name: str
    base_value: str
    value: str

    def of(self, combination, value):
        return (*combination[:self.place], value, *combination[self.place + 1:])

    def matched(self, combinations):
        """Those with the base of which there is the same with the value."""
        return [each for each in combinations if each[self.place] == self.base_value and
                self.of(each, self.value) in combinations]


@dataclass
class Effect(pairs.Compared):
    """What a setting changes in a row. CELLS: combinations with the base; figures[block, cell] have
    these and then those with the value."""
    setting: Setting
    key: tuple
    cells: list
    figures: dict = field(default_factory=dict)
    contrasts: dict = field(default_factory=dict)
    within: dict = field(default_factory=dict)      # intervals that hold together
    moved: dict = field(default_factory=dict)       # 1 where it takes longer, -1 where less
    parts: dict = field(default_factory=dict)       # of each figure, [(setting, contrast)]

    @property
    def name(self):
        """Such as "C6 by hrt" of CPU 0, or "C6 by hrt on cpu3 at once" with others."""
        cpu, method, state, *at_once = map(runs.shown, self.key)
        return ' '.join([f'{state} by {method}', *[f'on cpu{cpu}'] * (cpu != '0'), *at_once])

    def margin_ns(self, figure):
        return int(self.margin.of(self.figures[figure][:, :len(self.cells)].mean()))

    def contrast(self, figure, base, less=()):
        """Of cells of the base and their like; and by how much more it is than with those of LESS,
        halved."""
        chosen = np.array([*less, *base])
        signs = np.repeat([1, -1], [len(less), len(base)])
        return statistics.contrast(self.figures[figure][:, [*chosen, *chosen + len(self.cells)]],
                                   np.concatenate([signs, -signs]))

    def partners(self, other):
        """Cells that differ in the other setting only, as indexes."""
        return [(self.cells.index(each), self.cells.index(other.of(each, other.value)))
                for each in other.matched(self.cells)]


def take(exercise, setting, key, margin):
    cells = setting.matched(exercise.combinations)
    rows = [exercise.rows(key, each)
            for each in [*cells, *(setting.of(each, setting.value) for each in cells)]]
    of_base, of_value = (sum(of, []) for of in (rows[:len(cells)], rows[len(cells):]))
    effect = Effect(setting, key, cells, margin=margin)
    lacking = 'a run has no sample of it: ' + next(
        (row.reason for row in of_base + of_value if row and not len(row.samples)),
        'it was not measured')

    def reach_p():
        shares = np.array([[row.reached_share for row in of] for of in rows]).T
        return statistics.contrast(shares, np.repeat([-1, 1], len(cells)), SHARE / 100).p()

    times = pairs.take(effect, of_base, of_value, 'wake', lacking, reach_p)
    if not times:
        return effect
    for figure in FIGURES:
        effect.figures[figure] = np.array([statistics.quantile(of, figure) for of in times],
                                          float).reshape(len(rows), -1).T
    return effect


def judge(effects, settings):
    """Fills in what comes of effects that have figures."""
    tests = [(effect, figure) for effect in effects for figure in FIGURES]
    for effect, figure in tests:
        effect.contrasts[figure] = effect.contrast(figure, range(len(effect.cells)))
        effect.within[figure] = effect.contrasts[figure].interval(ALPHA / len(tests))
    adjusted = statistics.holm([effect.contrasts[figure].p() for effect, figure in tests])
    for (effect, figure), p in zip(tests, adjusted):
        # Beyond the margin each alone has to be as sure as of ALPHA.
        alone = effect.contrasts[figure].interval(2 * ALPHA)
        effect.moved[figure] = (p <= EFFECTS) * statistics.beyond(alone, effect.margin_ns(figure))
    for effect in effects:
        effect.change = Change.of(effect.moved.values(), lambda: all(
            statistics.within(effect.within[figure], effect.margin_ns(figure))
            for figure in FIGURES))
    judge_together(effects, settings)


def judge_together(effects, settings):
    """Does what was found depend on another setting? Nobody asks that of what was not found."""
    tests = [(effect, figure, other, *zip(*partners))
             for effect in effects for figure in FIGURES if effect.moved[figure]
             for other in settings if other.place != effect.setting.place
             for partners in [effect.partners(other)] if partners]
    found = [effect.contrast(figure, value, base) for effect, figure, _, base, value in tests]
    adjusted = statistics.holm([each.p() for each in found])
    for (effect, figure, other, base, value), contrast, p in zip(tests, found, adjusted):
        if p <= PAIRS and statistics.beyond(contrast.interval(2 * ALPHA),
                                            effect.margin_ns(figure) / 2):
            effect.parts.setdefault(figure, []).append(
                ((other.base, effect.contrast(figure, base)),
                 (other.name, effect.contrast(figure, value))))


def analyse(exercise, margin=statistics.Margin()):
    settings = list(exercise.settings())
    effects = [take(exercise, setting, key, margin) for setting in settings
               for key in exercise.keys if setting.matched(exercise.combinations)]
    judge([effect for effect in effects if effect.figures], settings)
    return effects

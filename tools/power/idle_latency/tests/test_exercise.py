# SPDX-License-Identifier: GPL-2.0
"""What exercise says that settings change, of experiments that are drawn, and how often that is
wrong."""
import argparse
import contextlib
import io
import itertools
import os
import shutil
import tempfile
import unittest

import numpy as np

from idle_latency import exercise, files, statistics
from idle_latency.pairs import Change
import judge
import made

VALUES = {'prewake': ('on', 'off'), 'hold': ('none', 'package')}
BLOCKS, ROWS, EXPERIMENTS, DEVIATION = 6, 12, 1000, 0.02


class Known(unittest.TestCase):
    def test_paired(self):
        """Two cells: Student's test of the differences, -1, -2, -3 and -6."""
        figures = np.array([[1, 0], [2, 0], [3, 0], [6, 0]], float)
        found = statistics.contrast(figures, np.array([-1, 1]))
        self.assertEqual(found.effect, -3)
        self.assertAlmostEqual(found.deviation, (14 / 3 / 4) ** 0.5)
        self.assertAlmostEqual(found.freedom, 3)
        self.assertAlmostEqual(found.p(), 0.06914, 5)
        low, high = found.interval(0.05)
        self.assertAlmostEqual(high - low, 2 * 3.18245 * (14 / 3 / 4) ** 0.5, 4)

    def test_blocks_are_taken_out(self):
        figures = np.random.default_rng(1).normal(0, 1, (5, 4))
        signs = np.array([-1, -1, 1, 1])
        found, moved = (statistics.contrast(of, signs)
                        for of in (figures, figures + 1000 * np.arange(5)[:, None]))
        self.assertAlmostEqual(found.effect, moved.effect)
        self.assertAlmostEqual(found.deviation, moved.deviation)

    def test_rounding(self):
        """Figures that are all equal are no infinite certainty."""
        found = statistics.contrast(np.full((3, 4), 700.0), np.array([-1, -1, 1, 1]))
        self.assertEqual((found.effect, found.p()), (0, 1))
        self.assertGreater(found.deviation, 0.1)


def combinations(values):
    return list(itertools.product(*values.values()))


class Drawn:
    """An experiment of which the figures are drawn: a run is off by 2 %, and what it leaves of a
    99th percentile by 0.2 %."""
    def __init__(self, generator, blocks=BLOCKS, values=None, deviations=None, drift=0,
                 margin=statistics.Margin()):
        self.values, self.margin = values or VALUES, margin
        self.combinations = combinations(self.values)
        shape = ROWS, blocks, len(self.combinations)
        errors = self.errors(generator, shape) * (1 if deviations is None else deviations)
        self.median = generator.uniform(2000, 100000, (ROWS, 1, 1)) * (
            1 + DEVIATION * errors + drift * np.arange(blocks)[:, None] / blocks)
        self.p99 = 1.05 * self.median * generator.normal(1, 0.002, shape)

    def errors(self, generator, shape):
        return generator.normal(0, 1, shape)

    def scale(self, row, chosen, by):
        for figures in self.median, self.p99:
            figures[row][:, [chosen(each) for each in self.combinations]] *= by

    def settings(self):
        return [exercise.Setting(place, f'{name}={values[0]}', f'{name}={value}', values[0], value)
                for place, (name, values) in enumerate(self.values.items()) for value in values[1:]]

    def effects(self, judge=exercise.judge):
        found = []
        for setting in self.settings():
            cells = setting.matched(self.combinations)
            columns = [self.combinations.index(each) for each in cells] + [
                self.combinations.index(setting.of(each, setting.value)) for each in cells]
            for row in range(ROWS):
                effect = exercise.Effect(setting, ('0', 'hrt', f'C{row}'), cells)
                effect.margin = self.margin
                effect.figures = {exercise.MEDIAN: np.round(self.median[row][:, columns]),
                                  exercise.P99: np.round(self.p99[row][:, columns])}
                found.append(effect)
        judge(found, self.settings())
        return found


class HeavyTails(Drawn):
    def errors(self, generator, shape):
        return generator.standard_t(3, shape) / 3 ** 0.5


def differ(effects):
    return [effect for effect in effects if effect.change in (Change.SLOWER, Change.FASTER)]


def careless(effects, settings):
    """Takes each row alone."""
    holm, statistics.holm = statistics.holm, np.asarray
    try:
        exercise.judge(effects, settings)
    finally:
        statistics.holm = holm


class Simulated(unittest.TestCase):
    def alarms(self, count, seed, kind=Drawn, judge=exercise.judge, **more):
        generator = np.random.default_rng(seed)
        return sum(bool(differ(kind(generator, **more).effects(judge))) for _ in range(count))

    def test_alarms(self):
        """Without a margin: whatever is found counts."""
        self.assertLessEqual(self.alarms(EXPERIMENTS, 1, margin=statistics.Margin(0, 0)),
                             EXPERIMENTS * 0.05)

    def test_alarms_where_runs_differ_with_a_setting(self):
        """With hold=none, runs differ ten times as much as with hold=package."""
        self.assertLessEqual(self.alarms(300, 2, deviations=np.array([3, 0.3, 3, 0.3])),
                             300 * 0.05)

    def test_alarms_of_heavy_tails(self):
        self.assertLessEqual(self.alarms(300, 3, HeavyTails), 300 * 0.05)

    def test_alarms_of_few_blocks(self):
        values = {**VALUES, 'promotion': ('on', 'off')}
        self.assertLessEqual(self.alarms(200, 4, blocks=3, values=values), 200 * 0.05)

    def test_careless(self):
        self.assertGreater(self.alarms(50, 5, judge=careless, margin=statistics.Margin(0, 0)), 25)

    def found(self, seed, by, chosen, setting, **more):
        """Of 100 experiments with one row that a setting changes, in how many that is found; and in
        how many anything else is."""
        generator = np.random.default_rng(seed)
        right = wrong = 0
        for _ in range(100):
            drawn = Drawn(generator, **more)
            drawn.scale(0, chosen, by)
            names = {(effect.setting.name, effect.key[2], effect.change)
                     for effect in differ(drawn.effects())}
            right += (setting, 'C0', Change.SLOWER) in names
            wrong += bool(names - {(setting, 'C0', Change.SLOWER)})
        return right, wrong

    def test_effect(self):
        """6 % in one of 12 rows; and where all drifts by 30 % meanwhile."""
        for drift in 0, 0.3:
            right, wrong = self.found(6, 1.06, lambda each: each[0] == 'off', 'prewake=off',
                                      drift=drift)
            self.assertGreaterEqual(right, 95)
            self.assertLessEqual(wrong, 8)

    def test_effect_of_eight(self):
        """As many runs as "make exercise" takes for eight combinations."""
        values = {**VALUES, 'promotion': ('on', 'off')}
        right, _ = self.found(7, 1.06, lambda each: each[2] == 'off', 'promotion=off', blocks=4,
                              values=values)
        self.assertGreaterEqual(right, 95)

    def test_together(self):
        """Of 20 % with one value of the other setting only."""
        generator = np.random.default_rng(8)
        both = alone = 0
        for _ in range(100):
            drawn = Drawn(generator)
            drawn.scale(0, lambda each: each == ('off', 'package'), 1.2)
            drawn.scale(1, lambda each: each[0] == 'off', 1.2)
            effects = {effect.key[2]: effect for effect in drawn.effects()
                       if effect.setting.name == 'prewake=off'}
            parts = effects['C0'].parts.get(exercise.MEDIAN, [])
            names = [[name for name, _ in each] for each in parts]
            both += names == [['hold=none', 'hold=package']]
            alone += bool(effects['C1'].parts)
        self.assertGreaterEqual(both, 95)
        self.assertLessEqual(alone, 5)


class Made(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.generator = np.random.default_rng(1)

    def write(self, latency, values=None, blocks=BLOCKS, extra=(), **more):
        """LATENCY: of C6, by combination; None where there is no sample."""
        values = values or VALUES
        lines = [','.join(['run,block,reason', *values])]
        for block in range(1, blocks + 1):
            for number, each in enumerate(combinations(values), 1):
                reached = more['reached'](each) if 'reached' in more else 1
                mean = latency(each)
                wake = [] if mean is None else mean * self.generator.normal(1, 0.003) * \
                    self.generator.normal(1, 0.01, 300)
                rows = [made.row('C6', wake, reached=self.generator.random(len(wake)) < reached,
                                 **({'reason': 'no card'} if mean is None else {})),
                        made.row('C1', 900 * self.generator.normal(1, 0.01, 100), declared=1000)]
                made.write(os.path.join(self.dir, f'{number}-{block}'), rows)
                lines.append(','.join([f'{number}-{block}', str(block), '', *each]))
        self.plan([*lines, *extra])

    def plan(self, lines):
        with open(os.path.join(self.dir, 'exercise.csv'), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')

    def lines(self):
        with open(os.path.join(self.dir, 'exercise.csv'), encoding='utf-8') as file:
            return file.read().splitlines()

    def expect(self, code, *texts, arguments=()):
        parser = argparse.ArgumentParser()
        exercise.add_arguments(parser)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                got = exercise.run(parser.parse_args([self.dir, *arguments]))
            except files.Problem as problem:
                got = 2
                print(problem)
        said = out.getvalue()
        self.assertEqual(got, code, said)
        for text in texts:
            self.assertRegex(said, text)
        if code != 2:
            self.check_page(said)
        return said

    def check_page(self, said):
        """It has the same sentences, and two marks for each run that has samples."""
        with open(os.path.join(self.dir, 'index.html'), encoding='utf-8') as file:
            root, wrong = judge.judge_form(file.read())
        self.assertEqual(wrong, [])
        text = judge.text_of(root)
        for line in said.splitlines():
            self.assertIn(line.split(' was not measured: ')[-1], text)
        chosen = exercise.Exercise(self.dir)
        counts = [sum(len(run.find(key).samples) > 0 for run in chosen.all_runs)
                  for key in chosen.keys]
        self.assertEqual([int(figure.get('data-marks')) for figure in root.iter('figure')],
                         [2 * count for count in counts])

    def test_slower(self):
        self.write(lambda each: 75250 + 17580 * (each[0] == 'off'))
        said = self.expect(1, r'(?m)^prewake=off: C6 by hrt takes 17\.\d us longer \(17\.\d to '
                           r'1[78]\.\d us\); its 99th percentile 1[78]\.\d us longer',
                           r'(?m)^hold=package: C6 by hrt: no difference found \(at most \d+ ns, ',
                           r'(?m)^settings make a difference: of 4 comparisons 1 are slower and '
                           r'0 faster$')
        self.assertNotIn('with hold=', said)
        self.expect(0, 'no setting makes a difference', arguments=['--margin=100'])

    def test_faster(self):
        self.write(lambda each: 60000 - 9000 * (each[1] == 'package'))
        self.expect(4, r'hold=package: C6 by hrt takes [89]\.\d\d us less \(8\.\d* to 9\.\d* us\)')

    def test_together(self):
        self.write(lambda each: 50000 + 41000 * (each == ('off', 'package')))
        self.expect(1, r'hold=package: C6 by hrt takes 20\.\d us longer \([0-9. to]* us\) on '
                       r'average: with prewake=on no difference found \(at most [^)]*\), '
                       r'with prewake=off 4[01]\.\d us longer')

    def test_undecided(self):
        self.write(lambda each: 60000, blocks=2)
        self.expect(6, 'C6 by hrt: no difference found .*; more runs may show one')

    def test_three_values(self):
        values = {'hold': ('none', 'core', 'package')}
        self.write(lambda each: 60000 + 9000 * (each[0] == 'package'), values)
        said = self.expect(1, 'hold=package: C6 by hrt takes [89]',
                           'hold=core: C6 by hrt: no difference')
        self.assertNotIn('hold=none:', said)

    def test_reached(self):
        self.write(lambda each: 60000, reached=lambda each: 1 if each[0] == 'off' else 0.7)
        self.expect(5, r'prewake=off: C6 by hrt cannot be compared: (69|70)\.\d % of the samples '
                    r'with prewake=on reached the state and 100\.0 % of those with prewake=off')

    def test_without_samples(self):
        self.write(lambda each: None if each[1] == 'package' else 60000)
        self.expect(5, 'hold=package: C6 by hrt cannot be compared: a run has no sample of it: '
                    'no card')

    def test_refused(self):
        """Of what is left, settings are compared all the same."""
        self.write(lambda each: 60000 + 9000 * (each[0] == 'off'), extra=[
            ',1,"no such limit",low,none', '4-1,9,it was refused later,off,package'])
        said = self.expect(1, 'prewake=low hold=none was not measured: no such limit',
                           'prewake=off hold=package was not measured: it was refused later',
                           'prewake=off: C6 by hrt takes [89]')
        self.assertNotIn('prewake=low:', said)

    def test_plans(self):
        self.write(lambda each: 60000, blocks=2)
        good = self.lines()
        for lines, text in (
                (good[:-1], 'exercise.csv:1: this takes two blocks at least'),
                (good[:5], 'exercise.csv:1: this takes two blocks at least'),
                (good[:1], 'exercise.csv:1: this takes two blocks at least'),
                ([*good, good[-1]], 'exercise.csv:10: block 2 has this combination'),
                ([*good[:-1], 'nowhere,2,,off,package'], 'nowhere/summary.csv:1: No such'),
                ([*good[:-1], '1-1,2,,off,package'], 'have the same samples'),
                ([*good[:-1], '4-2,2,,,package'], 'exercise.csv:9: a field is empty'),
                ([*good[:-1], '4-2,two,,off,package'], "exercise.csv:9: block is 'two'"),
                (['run,block,why,prewake,hold', *good[1:]], 'no column reason')):
            self.plan(lines)
            self.expect(2, text)


if __name__ == '__main__':
    unittest.main()

# SPDX-License-Identifier: GPL-2.0
"""What a page says of energy, of files that are made up."""
import os
import re
import tempfile
import unittest

import numpy as np

from idle_latency import energy, page, runs
from idle_latency.files import Problem
import made

# Two CPUs: C1E takes 2 uJ + 3 W, C6 8 uJ + 0.5 W of each, so that C6 pays from 2.4 us on.
POWERS = ('0,POLL,2,package,20000.0,19990.0,20010.0,576,',
          '0,POLL,2,core,16000.0,15990.0,16010.0,576,',
          '0,C1E,2,package,6000.0,5990.0,6010.0,576,2.0', '0,C1E,2,core,2000.0,1990.0,2010.0,576,',
          '0,C6,2,package,1000.0,990.0,1010.0,1152,8.0', '0,C6,2,core,0.0,0.0,0.0,576,',
          '0,C6,1,package,12000.0,11990.0,12010.0,576,', '0,C6,1,core,8000.0,7990.0,8010.0,576,')
RESIDENCIES = ('cpu,C1E,20000,,,,SKIP,the state above is POLL',
               'cpu,C6,300000,2400,2390,2410,PASS,energy is left')


class Page(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.path = made.write(os.path.join(self.dir.name, 'run'),
                               [made.row('C6', np.full(100, 70000))])

    def page(self, powers=POWERS, residencies=RESIDENCIES):
        made.write_energy(self.path, powers, residencies)
        return page.Page([runs.load(self.path)], None).write()

    def line_of(self, text, plot, classes):
        """The points of a line of a figure, in units of its axes."""
        figure = re.search(rf'<figure data-plot="{plot}".*?</figure>', text, re.S)[0]
        left, top, right, bottom = map(float, re.search('data-area="([^"]*)"', figure)[1].split())
        ends = {name: [*map(float, re.search(f'data-{name}="([^"]*)"', figure)[1].split())]
                for name in 'xy'}
        path = re.search(rf'<g class="line {classes}">.*? d="([^"]*)"', figure, re.S)[1]
        for x, y in re.findall(r'(-?[\d.]+) (-?[\d.]+)', path):
            yield (ends['x'][0] + (float(x) - left) / (right - left) * np.diff(ends['x'])[0],
                   ends['y'][0] + (bottom - float(y)) / (bottom - top) * np.diff(ends['y'])[0])

    def test_tables(self):
        text = re.sub('(<[^>]*>)+', '|', self.page())
        for what in ('cpu C6|PASS|: energy is left|300000|2400|2390|2410',
                     'cpu C1E|SKIP|: the state above is POLL|20000|-|-|-',
                     '0 C6 package|2|1000.0|990.0|1010.0|5.0|8.0',
                     '0 C6 core|1|8000.0|7990.0|8010.0|50.0|-'):
            self.assertTrue(what in text, what)

    def test_figures(self):
        text = self.page()
        idle = list(self.line_of(text, 'idle', 'k0'))
        np.testing.assert_allclose(idle, [(1, 12000), (2, 1000)], rtol=0.01, atol=60)
        shallow, deep = (list(self.line_of(text, 'length', name)) for name in ('k0', 'k1'))
        end = 1.5 * 2410
        np.testing.assert_allclose(shallow, [(0, 2), (end, 2 + 3e-3 * end)], rtol=0.01, atol=0.1)
        np.testing.assert_allclose(deep, [(0, 8), (end, 8 + 0.5e-3 * end)], rtol=0.01, atol=0.1)

    def test_none(self):
        """A run without has no section, and one CPU no figure by their number."""
        self.assertNotIn('class="energy"', page.Page([runs.load(self.path)], None).write())
        alone = [line.replace(',2,', ',1,') for line in POWERS if ',C6,1,' not in line]
        self.assertNotIn('data-plot="idle"', self.page(alone))

    def test_refused(self):
        for powers, residencies, what in (
                (['0,C6,2,package,1e3,990.0,1010.0,1152,8.0'], [], "energy.csv:2: mw is '1e3'"),
                (['0,C6,2,package,,990.0,1010.0,1152,8.0'], [], "energy.csv:2: mw is empty"),
                (['0,C6,2,package'], [], 'energy.csv:2: 4 fields'),
                (POWERS, ['cpu,C6,300000,2400,2390,2410,WON,'], "residency.csv:2: verdict is"),
                (POWERS, ['cpu,C6,300000,-1,2390,2410,PASS,'], 'residency.csv:2: break_even_ns')):
            with self.subTest(what), self.assertRaisesRegex(Problem, re.escape(what)):
                self.page(powers, residencies)
        os.unlink(os.path.join(self.path, 'energy.csv'))
        with self.assertRaisesRegex(Problem, 'energy.csv:1: No such file'):
            energy.Energy(runs.load(self.path))


if __name__ == '__main__':
    unittest.main()

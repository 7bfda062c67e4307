# SPDX-License-Identifier: GPL-2.0
"""Is the page about runs what it should be, and does what judges that find one that is not?"""
import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import judge
import made
import make_runs
from idle_latency import page, runs, words

# A change of the page about one run or about two, and what the judge has to say of it. Only the
# first that is found is changed.
DOCTORED = (
    (1, 'a text of a figure on another one', '"middle" x="[0-9.]*" y="[0-9.]*"',
     '"middle" x="390" y="274"', 'is on'),
    (1, 'a text outside of the drawing', '(<text [^>]*x=")2"', r'\g<1>-20"', 'is not within'),
    (1, 'a missing mark', r'(class="marks dots[^\0]*?d="M)[0-9. ]*zM', r'\1', 'marks, and it says'),
    (1, 'a missing mark that nothing counts', r'data-marks="40"([^\0]*?d="M)[0-9. ]*zM',
     r'data-marks="39"\1', 'marks of'),
    (1, 'a mark that has moved', r'(class="marks dots[^\0]*?d="M)[0-9.]*', r'\g<1>99',
     'no mark is'),
    (1, 'a bar that has moved', r'(class="marks bars[^\0]*?d="M)[0-9.]*', r'\g<1>73', 'no mark is'),
    (1, 'a frequency that has moved',
     r'(data-plot="frequency"[^\0]*?class="marks dots[^\0]*?d="M)[0-9.]*', r'\g<1>99',
     'no mark is'),
    (1, 'no figure of frequencies', '<figure data-plot="frequency"[^\0]*?</figure>', '', 'and needs'),
    (1, 'another hover text', 'SilentTime [0-9]* ns', 'SilentTime 7 ns', 'other hover texts'),
    (1, 'a declared latency that has moved', r'(class="line declared[^\0]*?d="M)', r'\g<1>9',
     'the line declared is not at'),
    (1, 'another number at an axis', '("middle"[^>]*>)([0-9])', r'\g<1>9\2', ' is at '),
    (1, 'another median in the table', 'data-label="median">', 'data-label="median">9',
     'the table has'),
    (1, 'another slowest sample', r'(class="cards ten"[^\0]*?<td class="n"[^>]*>)', r'\g<1>9',
     'the slowest'),
    (1, 'a script', '<h1>', '<script>x()</script><h1>', 'there is a script'),
    (1, 'an image from elsewhere', '<h1>', '<img src="http://192.0.2.1/a.png"><h1>', 'elsewhere'),
    (1, 'an id twice', '<h1>', '<h1 id="verdicts">', 'is there twice'),
    (1, 'a link to nothing', '<h1>', '<h1><a href="#nothing">a</a>', 'leads to nothing'),
    (1, 'what is no HTML', '<h1>', '<h1></b>', 'ends nothing'),
    (1, 'text that is too small', 'svg text{font:12px', 'svg text{font:9px', 'on a phone'),
    (1, 'text that is too pale', '--soft:#57606a', '--soft:#a0a8b0', 'soft has a contrast'),
    (1, 'a page that is never dark', 'color-scheme:dark', 'color-scheme:no', 'no dark scheme'),
    (1, 'a dark page on paper', '@media screen and', '@media', 'no dark scheme'),
    (1, 'another remark', 'the median from [0-9]*', 'the median from 3', 'is without WakeLatency'),
    (2, 'another median in what changed', '(data-label="run 2">)', r'\g<1>9', 'instead of'),
    (2, 'a change that is not first', 'class="slower"', 'class=""', 'what changed is not first'),
    (2, 'a run by another name', ' in run 1 and ', ' in A and ', 'does not name the runs'),
    (2, 'the run without samples', 'run 2 has no sample', 'run 1 has no sample', 'another run'),
    (2, 'a measured time as a difference', '<h2>What changed', '<h2>What awake IntrLatency changed',
     'what was measured'),
    (2, 'another axis in one run', 'data-y="[^"]*"', 'data-y="1 2"', 'several axes'),
)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.paths = [f'{directory.name}/{name}' for name in ('small', 'moved')]
        for later, path in enumerate(cls.paths):
            make_runs.small(path, later)
        cls.runs = [runs.load(path) for path in cls.paths]
        cls.pages = {1: page.Page(cls.runs[:1], None).write(), 2: page.Page(cls.runs, None).write()}

    def judged(self, text, count):
        return judge.complaints(text, self.paths[:count])

    def test_as_they_are(self):
        for count, text in self.pages.items():
            self.assertEqual(self.judged(text, count), [])

    def test_the_judge_finds(self):
        for count, name, pattern, instead, complaint in DOCTORED:
            with self.subTest(name):
                text, changed = re.subn(pattern, instead, self.pages[count], count=1)
                self.assertEqual(changed, 1)
                self.assertTrue([each for each in self.judged(text, count) if complaint in each])

    def test_runs_in_another_order(self):
        names = {'run1-row1': 'run2-row1', 'run2-row1': 'run1-row1'}
        text = re.sub('id="(run[12]-row1)"', lambda found: f'id="{names[found[1]]}"',
                      self.pages[2])
        self.assertIn('the runs of a row do not follow each other', self.judged(text, 2))

    def test_markup_is_text(self):
        self.assertIn('Model &lt;b&gt;&amp;&quot;7&quot;', self.pages[1])
        self.assertIn('a=&lt;script&gt;alert(1)', self.pages[1])
        self.assertIn('of the event source: CAL 9, 27 &lt;b&gt;eth0 2.', self.pages[1])

    def test_statistics(self):
        for part in ('<dt>mean</dt><dd>797.5 ns', '<dt>standard deviation</dt><dd>58.5 ns',
                     '<dt>90 %</dt><dd>875 ns', '<dt>IntrLatency, maximum</dt><dd>1795 ns',
                     "<dt>frequency after the wake-up</dt><dd>100 % of the TSC's rate",
                     "<dt>frequency after the wake-up</dt><dd>62 to 100 % of the TSC's rate"):
            self.assertIn(part, self.pages[1])

    def test_first_samples(self):
        said = '<p class="said">the first {} samples are slower by 4 us: a median WakeLatency of '
        self.assertEqual(self.pages[1].count(said.format(50)), 1)
        for number in 50, 51:
            self.assertEqual(self.pages[2].count(said.format(number)), 1)
        self.assertEqual(self.pages[2].count('class="said"'), 4)
        self.assertNotIn('the first 5', judge.text_of(
            judge.Parser(self.pages[2]).root.find(".//section[@id='differences']")))

    def test_after_the_wake_up(self):
        """Until the handler, C1 takes as long as a CPU that is awake, and C6 2000 ns more; nothing
        is said of a method without a CPU that is awake."""
        noise = np.random.default_rng(1).integers(-20, 21, (3, 400))
        rows = [made.row('POLL', noise[0] + 900, intr=noise[0] + 900),
                *(made.row(state, wake, intr=wake + ns + drawn)
                  for state, ns, drawn in (('C1', 900, noise[1]), ('C6', 2900, noise[2]))
                  for wake in [np.full(400, 40000)]),
                made.row('C6', np.full(400, 40000), method='nic')]
        with tempfile.TemporaryDirectory() as directory:
            run = runs.load(made.write(f'{directory}/run', rows))
        root = judge.Parser(page.Page([run], None).write()).root
        table = next(each for each in root.iter('table')
                     if 'until the handler' in judge.text_of(each.find('thead')))
        found = {cells[0]: cells[1:] for cells in
                 ([judge.text_of(cell) for cell in line] for line in table.find('tbody'))}
        self.assertEqual(list(found), ['cpu0 hrt C1', 'cpu0 hrt C6'])
        for name, longer in ('cpu0 hrt C1', 0), ('cpu0 hrt C6', 2000):
            self.assertLess(abs(int(found[name][2]) - longer), 5)
        self.assertGreater(float(found['cpu0 hrt C1'][3]), 0.01)
        self.assertLess(float(found['cpu0 hrt C6'][3]), 1e-9)

    def test_requested_and_reached(self):
        root = judge.Parser(self.pages[1]).root
        table = next(each for each in root.iter('table')
                     if judge.text_of(each.find('thead')).startswith('requested'))
        rows = [[judge.text_of(cell) for cell in line] for line in table.find('tbody')]
        self.assertEqual(rows[1], ['cpu0 hrt C1E', '123', '123', '123'])

    def meanwhile(self, row):
        root = judge.Parser(page.meanwhile(row)).root
        return [[judge.text_of(cell) for cell in line] for line in root.find('.//tbody')]

    def test_meanwhile(self):
        row = self.runs[0].find(('0', 'hrt', 'C1E'))
        self.assertEqual(self.meanwhile(row), [
            ['interrupts LOC', '500', '600', '750'], ['interrupts 27 <b>eth0', '1', '2', '2'],
            ['CPU 3 busy, %', '20', '30', '-'], ['SMIs', '0', '0', '0'],
            ['package 0, mW', '20000', '30000', '-'], ['throttled with its core', '5', '7', '7']])
        self.assertEqual(page.meanwhile(self.runs[0].find(('0', 'hrt', 'C1'))), '')
        self.assertEqual(self.pages[1].count('What the machine did meanwhile'), 1)

    def test_much_meanwhile(self):
        row = runs.load(self.paths[0]).find(('0', 'hrt', 'C1E'))
        row.meanwhile = [{'time_s': '9.000', 'seconds': 1.0, 'what': 'busy_pct', 'of': str(cpu),
                          'value': cpu} for cpu in range(1, 12)]
        self.assertEqual([line[0] for line in self.meanwhile(row)],
                         [f'CPU {cpu} busy, %' for cpu in range(11, 3, -1)])
        self.assertIn(' 3 more are in statistics.csv.', page.meanwhile(row))

    def overlay(self, kind, members, *expected):
        text = page.Page(members, kind).write()
        self.assertEqual(judge.complaints(text, self.paths[:len(members)]), [])
        root = judge.Parser(text).root
        overlays = judge.with_class(root, 'overlay')
        self.assertEqual([judge.text_of(each.find('h2')) for each in overlays], list(expected))
        return overlays

    def test_overlay_of_rows(self):
        overlays = self.overlay('rows', self.runs[:1], 'By rows: run 1')
        keys = judge.with_class(overlays[0].find('.//figure'), 'key')
        self.assertEqual([judge.text_of(key) for key in keys],
                         ['cpu0 hrt C1', 'cpu0 hrt C1E', 'cpu0 tdt C1', 'cpu0 tdt C6',
                          'cpu0 tdt C3'])

    def test_overlay_of_methods(self):
        self.overlay('methods', self.runs[:1], 'By methods: run 1, cpu0 C1')

    def test_overlay_of_runs_and_machines(self):
        names = [f'cpu0 {name}' for name in ('hrt C1', 'hrt C1E', 'tdt C1', 'tdt C3')]
        overlays = self.overlay('runs', self.runs, *(f'By runs: {name}' for name in names))
        marks = judge.drawn(overlays[3].findall('.//figure')[1])
        self.assertEqual(sorted(marks), ['k0', 'k1'])
        self.overlay('machines', self.runs, *(f'By machines: {name[5:]}' for name in names))


class Types(unittest.TestCase):
    """Pages of runs in which many CPUs were measured at once."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = f'{directory.name}/run'

    def page(self, **many):
        make_runs.cores(self.path, **many)
        text = page.Page([runs.load(self.path)], None).write()
        self.assertEqual(judge.complaints(text, [self.path]), [])
        return text

    def test_eight(self):
        text = self.page()
        for part in ('<p class="said">1 of 8 CPUs FAIL (7), 7 PASS</p>',
                     '<td class="n" data-label="above, %">12.5</td>',
                     '<p class="said">cpu7 is slower than the others: a median WakeLatency of '
                     '63049 ns, of theirs 60052 ns</p>',
                     '<dt>measured</dt><dd>at once with other CPUs</dd>'):
            self.assertIn(part, text)
        self.assertEqual(len(re.findall('<section id="run1-row', text)), 9)
        for doctored, complaint in (
                (r'(data-plot="cpus"[^\0]*?class="marks dots[^\0]*?d="M)[0-9.]*', 'no mark is'),
                (r'(data-plot="worst"[^\0]*?class="line declared[^\0]*?d="M[0-9.]* )[0-9.]*',
                 'declared is not')):
            changed = re.sub(doctored, r'\g<1>99', text, count=1)
            self.assertRegex('\n'.join(judge.complaints(changed, [self.path])), complaint)

    def test_hundreds(self):
        """Those that matter have a section: the slowest one, and what no type has."""
        text = self.page(cpus=256, samples=30)
        self.assertEqual(re.findall('<section id="(run1-(?:row|type)[0-9]+)', text),
                         ['run1-type1', 'run1-row256', 'run1-row257'])
        self.assertIn('1 of 256 CPUs FAIL (255), 255 PASS', text)
        self.assertIn('summary.csv has all', text)
        self.assertLess(len(text), 400000)


class Knees(unittest.TestCase):
    def test_a_counter_that_begins(self):
        apart = np.arange(100.0)
        self.assertEqual(words.knee(apart, apart >= 40), (39, 40, True, 0))

    def test_a_counter_that_ends(self):
        apart = np.arange(100.0)
        self.assertEqual(words.knee(apart, apart < 40), (39, 40, False, 0))

    def test_few_that_do_not_agree(self):
        apart = np.arange(200.0)
        advanced = apart >= 100
        advanced[[3, 150]] = [True, False]
        self.assertEqual(words.knee(apart, advanced), (99, 100, True, 2))

    def test_none(self):
        apart = np.arange(200.0)
        for advanced in apart >= 195, apart >= 0, apart % 2 == 0, apart % 10 > 3, apart < 0:
            self.assertIsNone(words.knee(apart, advanced))
        self.assertIsNone(words.knee(np.ones(100), apart[:100] > 50))

    def test_words(self):
        with tempfile.TemporaryDirectory() as path:
            make_runs.small(path, False)
            row = runs.load(path).rows[1]
        row.samples['cc6_pct'] = np.where(row.samples['silent_ns'] >= 100000, 50, 0)
        self.assertRegex(words.knees(row), '^CC6 begins to advance at a SilentTime of 99[0-9]* '
                                           'to 10[0-9]* ns.$')


if __name__ == '__main__':
    unittest.main()

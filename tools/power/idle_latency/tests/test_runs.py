# SPDX-License-Identifier: GPL-2.0
"""What is read of a run, and what is refused of one that latency_test did not write."""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import judge
import make_runs
from idle_latency import files, page, runs
from test_compare import CODES, answered

PROGRAM = HERE.parent / 'idle-latency'
# Each takes a tenth of a second where a page is drawn; a check of the repository asks for 2000.
MUTATIONS = int(os.environ.get('MUTATIONS', 200))
FILES = ('summary.csv', 'datapoints.csv', 'discards.csv', 'sweep.csv', 'statistics.csv',
         'environment.txt')
EVIL = ('-1e30', '-9.00', '-1', '', 'nan', 'inf', '1e400', '99999999999999999999', '1.5', '0',
        '0.00', '100.00', '999999.99', '1000000000000', '18446744073709551615', 'C1 # SKIP',
        '\033]0;title\a', '"', '"a,b"', 'x' * 5000, '\0', '\r', '\u202e', '\u0661', ' 1', '1_0',
        'PC6', 'hrt', 'all:core', 'PASS', 'probe', 'slower')


class TestCase(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.path = f'{self.dir.name}/small'
        make_runs.small(self.path, False)

    def change(self, name, change):
        path = pathlib.Path(self.path, name)
        before = path.read_bytes()
        path.write_bytes(change(before))
        self.assertNotEqual(path.read_bytes(), before)


class Reading(TestCase):
    def test_rows(self):
        run = runs.load(self.path)
        self.assertEqual([row.key for row in run.rows][:3],
                         [('0', 'hrt', 'C1'), ('0', 'hrt', 'C1E'), ('0', 'nic', 'C3<i>')])
        row = run.find(('0', 'hrt', 'C1E'))
        self.assertEqual((row.declared_ns, row.verdict, row.reason, len(row.samples)),
                         (10000, 'FAIL', 'above the limit', 123))
        self.assertIsNone(run.find(('0', 'nic', 'C6')).armed)
        self.assertIn('cpu0: timer pre-wake off', run.lines)
        self.assertIn('kernel: 7.3.0', run.lines)

    def test_what_counts(self):
        row = runs.load(self.path).find(('0', 'hrt', 'C1E'))
        self.assertEqual(row.counted.sum(), 120, 'three are from shorter launch distances')
        self.assertEqual(row.reached_of, (120, 120))
        row.samples['reached'][:30] = 0
        row.settle()
        self.assertEqual(row.counted.sum(), 90)
        self.assertEqual(row.reached_of, (90, 120))
        row.residency_ns = int(row.samples['silent_ns'].max())
        row.settle()
        self.assertEqual(row.silent.sum(), 1)
        row.samples['reached'] = float('nan')
        row.settle()
        self.assertFalse(row.reach_known)
        self.assertEqual(row.counted.sum(), 1, 'nobody knows, so it counts')

    def test_target_residency(self):
        line = b'cpu0: state2 C1E, exit latency 10 us, target residency 90 us\n'
        self.change('environment.txt', lambda data: data + line)
        run = runs.load(self.path)
        row = run.find(('0', 'hrt', 'C1E'))
        self.assertEqual(row.residency_ns, 90000)
        self.assertTrue(0 < row.counted.sum() < 120)
        self.assertEqual(run.find(('0', 'hrt', 'C1')).residency_ns, 0)

    def test_names_with_commas_and_quotes(self):
        for name in FILES[:5]:
            self.change(name, lambda data: data.replace(b',C1E,', b',"C1,""E""",'))
        row = runs.load(self.path).find(('0', 'hrt', 'C1,"E"'))
        self.assertEqual(len(row.samples), 123)

    def test_what_was_kept(self):
        key = '0', 'hrt', 'C1'
        row = runs.load(self.path).find(key)
        self.assertEqual((row.set, row.hold), ('', ''))
        self.change('summary.csv', lambda data: data.replace(
            b',,,no\n', b',prewake=off package-limit=pc10,package,no\n', 1))
        row = runs.load(self.path).find(key)
        self.assertEqual((row.set, row.hold), ('prewake=off package-limit=pc10', 'package'))
        text = page.Page([runs.load(self.path)], None).write()
        what = 'prewake=off package-limit=pc10 and the other CPUs of its package held'
        self.assertEqual(text.count(f'<p class="kept">Measured with <b>{what}</b>.</p>'), 1)
        self.assertEqual(text.count(f'<dt>measured with</dt><dd>{what}</dd>'), 1)

    def test_run_before_anything_could_be_kept(self):
        self.change('summary.csv', lambda data: re.sub(rb'(,set,hold,concurrent|,,,no)\n', rb'\n', data))
        row = runs.load(self.path).rows[0]
        self.assertEqual((row.set, row.hold), ('', ''))
        self.assertNotIn('easured with', page.Page([runs.load(self.path)], None).write())

    def test_measured_at_once_and_alone(self):
        self.path = f'{self.dir.name}/cores'
        make_runs.cores(self.path)
        run = runs.load(self.path)
        self.assertEqual(len(run.rows), 9)
        once, alone = run.find(('0', 'hrt', 'C6', 'at once')), run.find(('0', 'hrt', 'C6'))
        self.assertEqual((once.name, alone.name), ('cpu0 hrt C6 at once', 'cpu0 hrt C6'))
        self.assertEqual((once.median_ns, alone.median_ns), (60049, 60449))
        self.assertEqual([len(row.samples) for row in (once, alone)], [110, 110])
        self.assertEqual([row.discards[0]['reason'] for row in (once, alone)], ['nmi', 'no_idle'])
        self.assertEqual([row.name for row in run.types], ['all:core hrt C6 at once'])
        self.assertEqual([row.cpu for row in run.cpus_of(run.types[0])], list('01234567'))

    def test_remarks_at_once_and_held(self):
        self.path = f'{self.dir.name}/cores'
        make_runs.cores(self.path)
        self.change('summary.csv', lambda data: data.replace(b',,,no\n', b',,package,no\n'))
        self.change('environment.txt', lambda data: data + (
            b'cpu0 hrt C6: the first 20 samples are slower by 4 us: a\n'
            b'cpu0 hrt C6 held: the first 250 or more samples are faster by 99 ns: b\n'
            b'cpu9 hrt C6: the first 20 samples are slower by 4 us: c\n'))
        self.assertEqual({row.name: row.remarks for row in runs.load(self.path).rows
                          if row.remarks}, {
            'cpu0 hrt C6 at once': ['the first 20 samples are slower by 4 us: a'],
            'cpu0 hrt C6': ['the first 250 or more samples are faster by 99 ns: b']})

    def test_remarks_of_types_at_once_and_held(self):
        self.path = f'{self.dir.name}/packages'
        run = make_runs.Run(self.path)
        for run.concurrent, cpus in ('yes', range(4)), ('no', (0, 2)):
            rows = []
            for run.cpu in cpus:
                rows.append(run.row('hrt', 'C6', 62000, make_runs.spread(20, 60000, 60100), 'PASS'))
            run.type_row('all:core', 'PASS', rows)
        run.finish([*(f'cpu{cpu}: core type core' for cpu in range(4)),
                    'cpu0 hrt C6: c', 'cpu0 hrt C6 held: d',
                    'all:core hrt C6: cpu3 is slower than the others: a',
                    'all:core hrt C6 held: cpu2 is slower than the others: b'])
        self.change('summary.csv', lambda data: data.replace(b',,,no\n', b',,package,no\n'))
        run = runs.load(self.path)
        self.assertEqual({row.name: row.remarks for row in run.types}, {
            'all:core hrt C6 at once': ['cpu3 is slower than the others: a'],
            'all:core hrt C6': ['cpu2 is slower than the others: b']})
        self.assertEqual(len(run.lines), 4)
        text = page.Page([run], None).write()
        self.assertEqual(judge.complaints(text, [self.path]), [])
        self.assertEqual([text.count(f'"said">{remark}<') for remark in 'cd'], [1, 1])

    def test_run_before_anything_was_measured_at_once(self):
        self.change('summary.csv', lambda data: re.sub(rb'(,concurrent|,no)\n', rb'\n', data))
        self.assertEqual({row.concurrent for row in runs.load(self.path).rows}, {'no'})

    def test_columns_that_are_not_known(self):
        self.change('summary.csv', lambda data: data.replace(b',no\n', b',no,x,y\n').replace(
            b',concurrent', b',concurrent,samples,settle'))
        self.assertEqual(len(runs.load(self.path).rows[0].samples), 40)

    def test_shown(self):
        self.assertEqual(files.shown('a\033[0m\u202e C1 # SKIP #1'),
                         'a<1b>[0m<202e> C1 <23> SKIP #1')


class Refused(TestCase):
    def refused(self, pattern):
        with self.assertRaises(files.Problem) as caught:
            runs.load(self.path)
        text = str(caught.exception)
        self.assertRegex(text, pattern)
        self.assertEqual(len(text.splitlines()), 1)

    def test_lines_that_are_wrong(self):
        for name, old, new, pattern in (
                ('summary.csv', b',FAIL,', b',MAYBE,', "summary.csv:3: verdict is 'MAYBE'"),
                ('summary.csv', b'hrt,enter,C1E', b'hrt,enter,C1', 'summary.csv:3: .*already'),
                ('summary.csv', b',40,40,0,', b',41,40,0,', 'summary.csv:2: armed is not the sum'),
                ('summary.csv', b',700,', b',701,', 'summary.csv:2: .*not those of its samples'),
                ('summary.csv', b'declared_ns', b'x', 'summary.csv:1: .*no column declared_ns'),
                ('summary.csv', b',,no\n', b',cores,no\n', "summary.csv:2: hold is 'cores'"),
                ('summary.csv', b',,no\n', b',,maybe\n', "summary.csv:2: concurrent is 'maybe'"),
                ('summary.csv', b',,,no\n', b',prewake=no,,no\n',
                 "summary.csv:2: set is 'prewake=no'"),
                ('datapoints.csv', b',94.01,', b',-9.00,', 'datapoints.csv:33: cc6_pct is'),
                ('datapoints.csv', b',94.01,', b',-1e30,', 'datapoints.csv:33: cc6_pct is'),
                ('datapoints.csv', b',C1,5,', b',C1,6,', 'datapoints.csv:7: seq'),
                ('datapoints.csv', b',C1,5,', b',C9,5,', 'datapoints.csv:7: .*no row cpu0 hrt C9'),
                ('datapoints.csv', b',2000,,,', b',many,,,',
                 "datapoints.csv:2: error_ns is 'many'"),
                ('datapoints.csv', b',9900,3,', b',9950,3,', 'datapoints.csv:42: .*stamps'),
                ('datapoints.csv', b',PC6,18\n', b',PC6\n',
                 'datapoints.csv:2: 35 fields instead of 36'),
                ('discards.csv', b'nmi,2', b'nmi,3', 'summary.csv:3: discards.csv'),
                ('statistics.csv', b'1.000,0', b'1,0', "statistics.csv:2: seconds is '1'"),
                ('statistics.csv', b',600', b',', 'statistics.csv:2: value is empty'),
                ('statistics.csv', b',C1E,', b',C7,', 'statistics.csv:2: .*no row cpu0 hrt C7'),
                ('sweep.csv', b',800,,', b',,,', 'sweep.csv:2: median_ns is empty'),
                ('sweep.csv', b'slower', b'odd', "sweep.csv:11: change is 'odd'")):
            with self.subTest(pattern):
                self.setUp()
                self.change(name, lambda data, old=old, new=new: data.replace(old, new, 1))
                self.refused(pattern)

    def test_core_types_that_are_wrong(self):
        for name, old, new, pattern in (
                ('summary.csv', b',880,16,', b',881,15,', 'valid is not the sum'),
                ('summary.csv', b'all:core', b'all:atom', 'there are no rows of CPUs'),
                ('summary.csv', b'all:core', b'all', "cpu is 'all'"),
                ('environment.txt', b'cpu3: core type core', b'cpu3: core type atom',
                 'armed is not the sum')):
            with self.subTest(pattern):
                self.path = f'{self.dir.name}/cores'
                make_runs.cores(self.path)
                self.change(name, lambda data, old=old, new=new: data.replace(old, new, 1))
                self.refused(f'summary.csv:11: {pattern}')

    def test_a_file_that_was_cut_off(self):
        for name in FILES:
            with self.subTest(name):
                self.setUp()
                self.change(name, lambda data: data[:-3])
                self.refused(f'{name}:[0-9]+: the line has no end')

    def test_control_characters_are_text(self):
        self.change('summary.csv', lambda data: data.replace(b',FAIL,', b',\x1b]0;a\x07,', 1))
        self.refused("verdict is '<1b>]0;a<07>'")

    def test_missing(self):
        shutil.rmtree(self.path)
        self.refused('summary.csv:1: No such file or directory')


def changed(data, chance):
    """The file as somebody, or something, changed it in one place."""
    lines = data.split(b'\n')
    i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
    at = chance.randrange(len(data))
    part = data[at:at + chance.choice((1, chance.randrange(1, 40)))]
    kind = chance.randrange(11)
    if kind == 0:
        return data[:at] + bytes([chance.randrange(256)]) + data[at + 1:]
    if kind == 1:
        return data[:at] + data[at + len(part):]
    if kind == 2:
        return data[:at] + part + data[at:]
    if kind == 3:
        return data[:at] + bytes(chance.choices(b'0123456789-.,"\n\re \x00\xff', k=2)) + data[at:]
    if kind == 4:
        return data[:at]
    if kind == 5:
        lines.insert(i, lines[j])
    elif kind == 6:
        del lines[i]
    elif kind == 7:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        fields = lines[i].split(b',')
        fields[chance.randrange(len(fields))] = (
            chance.choice(EVIL).encode() if kind < 10 else str(chance.randrange(10 ** 6)).encode())
        lines[i] = b','.join(fields)
    return b'\n'.join(lines)


def mutated(data, chance):
    """In one place, or in some."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        data = changed(data, chance) if data else data
    return data


class Mutations(TestCase):
    def setUp(self):
        super().setUp()
        self.unchanged = f'{self.dir.name}/unchanged'
        for path in self.path, self.unchanged:
            run = make_runs.Run(path)
            # Of these some were woken early, and enough to compare them.
            run.row('hrt', 'C1E', 10000, make_runs.spread(40, 9000, 10400) +
                    [(5000, 9000 + 40 * i) for i in range(25)], 'FAIL', 'virtual',
                    'above the limit', lost=12)
            run.row('hrt', 'C3', 59000, make_runs.spread(30, 30000, 31000), 'PASS', 'virtual')
            run.discards = ['0,hrt,C1E,nmi,2,1,812000,', '0,hrt,C1E,no_idle,10,0,,']
            run.steps = ['0,hrt,enter,C1E,10000,1000,21000,25,0,0,0,0,700,800,,880,0,',
                         '0,hrt,enter,C1E,10000,21000,210000,40,0,0,0,0,700,900,950,980,0,slower']
            run.statistics = ['9.000,1.000,0,hrt,C1E,busy_pct,3,30',
                              '9.000,1.000,0,hrt,C1E,smi,,0']
            run.finish(['kernel: 7.3.0',
                        'cpu0: state2 C1E, exit latency 10 us, target residency 20 us'])

    def test_a_line_or_answers(self):
        # Whatever is in the files: one line that names file and line, or a page with numbers, and
        # what changed against another run.
        chance = random.Random(1)
        refusals = 0
        names = chance.choices(FILES, (6, 10, 2, 2, 2, 5), k=MUTATIONS)
        for number, name in enumerate(names):
            path = pathlib.Path(self.path, name)
            original = path.read_bytes()
            path.write_bytes(mutated(original, chance))
            with self.subTest(number=number, name=name), warnings.catch_warnings():
                warnings.simplefilter('error')
                refusals += self.is_refused()
            path.write_bytes(original)
        self.assertTrue(MUTATIONS / 3 < refusals < MUTATIONS)

    def is_refused(self):
        compared = [answered(*both) for both in ((self.unchanged, self.path),
                                                 (self.path, self.unchanged))]
        try:
            run = runs.load(self.path)
        except files.Problem as problem:
            self.assertRegex(str(problem), rf'^{self.path}/[a-z]+\.(csv|txt):[0-9]+: .')
            self.assertTrue(str(problem).isprintable(), str(problem))
            self.assertEqual(compared, [(2, '', f'idle-latency: {problem}\n')] * 2)
            return True
        text = page.Page([run], None).write()
        self.assertIsNone(re.search(r'(class="n"[^>]*>|<dd>|="|[ML]|[0-9] )-?(nan|inf)\b', text))
        self.assertIsNone(re.search('[\0-\x08\x0b-\x1f\x7f]', text))
        for code, out, errors in compared:
            self.assertEqual((code in CODES.values(), errors), (True, ''), code)
            self.assertNotRegex(out, '[\0-\x09\x0b-\x1f]')
            self.assertNotRegex(re.sub('(?m)^  only in .*', '', out), r'\b(nan|inf)\b')
        return False


class Program(TestCase):
    def run_program(self, *arguments, **keywords):
        return subprocess.run([sys.executable, '-B', PROGRAM, *arguments], text=True, check=False,
                              capture_output=True, **keywords)

    def test_a_page(self):
        out = f'{self.dir.name}/new/page'
        done = self.run_program('report', self.path, '-o', out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))
        self.assertEqual(os.listdir(out), ['index.html'])

    def test_a_refusal_leaves_what_was_there(self):
        out = pathlib.Path(self.dir.name, 'out')
        out.mkdir()
        (out / 'index.html').write_text('before', encoding='utf-8')
        self.change('datapoints.csv', lambda data: data.replace(b'hrt', b'hurt', 9))
        done = self.run_program('report', self.path, '-o', str(out))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'^idle-latency: .*/datapoints.csv:2: .*\n$')
        self.assertEqual([path.name for path in out.iterdir()], ['index.html'])
        self.assertEqual((out / 'index.html').read_text(encoding='utf-8'), 'before')

    def test_a_page_that_cannot_be_written(self):
        out = pathlib.Path(self.dir.name, 'out')
        out.mkdir()
        (out / 'index.html').write_text('before', encoding='utf-8')
        done = subprocess.run(['sh', '-c', 'ulimit -f 8; trap "" XFSZ; exec "$@"', 'sh',
                               sys.executable, '-B', PROGRAM, 'report', self.path, '-o', str(out)],
                              text=True, check=False, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (2, 'idle-latency: File too large\n'))
        self.assertEqual([path.name for path in out.iterdir()], ['index.html'])
        self.assertEqual((out / 'index.html').read_text(encoding='utf-8'), 'before')

    def test_a_directory_that_cannot_be_made(self):
        done = self.run_program('report', self.path, '-o', f'{self.path}/summary.csv/page')
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'^idle-latency: .*Not a directory\n$')

    def test_without_the_packages(self):
        # An interpreter without Debian's packages names them.
        for package in 'numpy', 'scipy', 'matplotlib':
            with self.subTest(package):
                stub = pathlib.Path(self.dir.name, package)
                stub.mkdir()
                (stub / f'{package}.py').write_text(
                    f'raise ModuleNotFoundError("no {package}", name="{package}")',
                    encoding='utf-8')
                done = self.run_program('report', self.path, '-o', self.dir.name, env={
                    **os.environ, 'PYTHONPATH': str(stub)})
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, '^idle-latency: .*python3-numpy python3-scipy '
                                              'python3-matplotlib\n$')

    def test_help(self):
        for arguments in ['--help'], ['report', '--help'], ['compare', '--help']:
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertIn('usage: idle-latency', done.stdout)


if __name__ == '__main__':
    unittest.main()

# SPDX-License-Identifier: GPL-2.0
"""What compare answers for runs that are made up."""
import argparse
import contextlib
import io
import os
import shutil
import tempfile
import types
import unittest

import numpy as np

from idle_latency import compare, files, pairs
import made

CODES = {'the methods are the same': 0, 'the methods differ': 3,
         'the methods are not comparable, or not in all rows': 5,
         'the methods are not decided, or not in all rows': 6,
         'B is the same': 0, 'B is slower': 1, 'these runs differ': 3, 'B is faster': 4,
         'A and B are not comparable, or not in all rows': 5,
         'A and B are not decided, or not in all rows': 6}


def answered(*arguments):
    """The exit code, what was printed, and the errors."""
    parser = argparse.ArgumentParser()
    compare.add_arguments(parser)
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = compare.run(parser.parse_args([str(argument) for argument in arguments]))
        except SystemExit as end:
            code = end.code
        except files.Problem as problem:     # idle-latency says it
            code = 2
            print(f'idle-latency: {problem}', file=errors)
    return code, out.getvalue(), errors.getvalue()


class Made(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.generator = np.random.default_rng(1)
        self.runs = 0

    def draw(self, count=3000, by=1.0):
        return self.generator.normal(60000, 900, count) * by

    def write(self, *rows, **more):
        self.runs += 1
        return made.write(os.path.join(self.dir, f'run{self.runs}'), rows, **more)

    def expect(self, code, text, *arguments):
        got, out, errors = answered(*arguments)
        self.assertEqual(got, code, out + errors)
        self.assertRegex(out + errors, text)
        if code != 2:
            self.assertEqual(CODES[out.splitlines()[-1].removeprefix('# ')], code)
        return out


class Pairs(Made):
    def test_same(self):
        out = self.expect(0, r'cpu0 hrt C6 is the same within 1\.20 us: its median moved by -', *(
            self.write(made.row('C6', self.draw()), environment=(
                f'date: 2026-11-25 18:00:0{i} UTC', f'duration: {i}.5 s',
                f'after: clock synchronised, status 0x1, frequency {i}.000 ppm, offset 0 us'))
            for i in range(2)))
        self.assertIn('environment.txt of both is the same', out)

    def test_at_once_and_alone(self):
        """What was measured both ways in one run is compared with its like."""
        alone = made.row('C6', self.draw())
        a = self.write(made.row('C6', self.draw(), concurrent='yes'), alone)
        b = self.write(made.row('C6', self.draw(), concurrent='yes'))
        for runs in (a, b), (b, a):
            out = self.expect(5, 'cpu0 hrt C6 at once is the same', *runs)
            self.assertIn('cpu0 hrt C6 cannot be compared', out)

    def test_slower(self):
        a = self.write(made.row('C6', self.draw()))
        b = self.write(made.row('C6', self.draw(by=1.1)), environment=('cpu0: other',))
        out = self.expect(3, r'cpu0 hrt C6 became slower by 5\.\d* to 6\.\d* us', a, b)
        self.assertIn('  only in B: cpu0: other', out)
        self.expect(3, 'became faster by', b, a)
        self.expect(0, 'is the same', '--margin', 20, a, b)

    def test_steps(self):
        """A sample less in one of them is nothing; a tenth less is another sweep."""
        a, b, c = (types.SimpleNamespace(
            at_once=False, stamp='enter', counts_wake=True, launched=(1, 2, [1, 2]),
            reach_known=True, samples=range(500 + last),
            steps=[{'samples': 500}, {'samples': last}]) for last in (500, 499, 450))
        self.assertEqual(pairs.rows_differ(a, b, 'wake'), '')
        self.assertIn('give them more time', pairs.rows_differ(a, c, 'wake'))

    def test_intr(self):
        wake = self.draw().astype(int)
        a = self.write(made.row('C6', wake))
        b = self.write(made.row('C6', wake, intr=wake + 9000))
        self.expect(0, 'is the same', a, b)
        self.expect(3, r'became slower by [78]\.\d\d', '--latency', 'intr', a, b)

    def test_some_samples(self):
        slow = self.draw()
        slow[::40] *= 1.4
        self.expect(3, r'slower in some of its samples: 0 of 3000 in A and 60 of 3000 in B are '
                    r'above \d+ ns, the 99th percentile moved by 2\d\.\d to 2\d\.\d us', self.write(made.row('C6', self.draw())),
                    self.write(made.row('C6', slow)))

    def test_entry(self):
        self.expect(3, 'when woken before its target residency, it became slower',
                    self.write(made.row('C6', self.draw(), early=self.draw(300))),
                    self.write(made.row('C6', self.draw(), early=self.draw(300, 1.2))))

    def test_at_once_and_alone(self):
        times = self.draw(), self.draw()
        alone, once = (self.write(made.row('C6', of, concurrent=concurrent))
                       for of, concurrent in zip(times, ('no', 'yes')))
        why = 'cannot be compared: one was measured at once with other CPUs and the other alone'
        for a, b in (alone, once), (once, alone):
            out = self.expect(5, why, a, b)
            self.assertEqual(out.count('cannot be compared'), 1)
        again = self.write(made.row('C6', self.draw(), concurrent='yes'))
        self.expect(0, 'cpu0 hrt C6 at once is the same', once, again)
        more = self.write(made.row('C6', self.draw()))
        self.expect(5, why, f'{alone},{more}', f'{once},{again}')

    def test_one_percentile_is_not_bounded(self):
        """The median says that nothing moved, the slowest of few samples may have."""
        self.expect(6, 'its 99th percentile by an unknown time',
                    self.write(made.row('C6', self.draw(200))),
                    self.write(made.row('C6', self.draw(200))))

    def test_share_is_not_bounded(self):
        """The median and the 99th percentile are, and the limit is in the middle."""
        rows = [made.row('C6', self.draw(), declared=60000) for _ in range(2)]
        self.expect(6, r'its share above A.s limit by -\d\.\d\d to \d\.\d\d points',
                    *map(self.write, rows))

    def test_pass_to_fail(self):
        slow = self.draw()
        slow[:11] = 5000000
        fails = self.write(made.row('C6', slow, cpu=1), *(made.row('C6', self.draw(), cpu=cpu)
                                                          for cpu in range(2, 13)))
        passes = self.write(*(made.row('C6', self.draw(), cpu=cpu) for cpu in range(1, 13)))
        self.expect(3, 'cpu1 hrt C6 is PASS in A and FAIL in B', passes, fails)
        few = np.concatenate([self.draw(16), 10 * self.draw(4)])
        self.expect(3, 'is PASS in A and FAIL in B', self.write(made.row('C6', self.draw(20))),
                    self.write(made.row('C6', few)))

    def test_what_did_not_reach_the_state(self):
        """A sibling that is busy makes C6 fast, and nothing of that is in C6."""
        a = self.write(made.row('C6', self.draw()))
        b = self.write(made.row('C6', self.draw() / 30, reached=np.zeros(3000)))
        for both in (a, b), (b, a):
            self.expect(5, r' 0\.0 % of .*the state|the state and 0\.0 % of', *both)
        few = np.arange(3000) % 10 > 0
        self.expect(5, r'100\.0 % of the samples of A reached the state and 90\.0 % of those of B',
                    a, self.write(made.row('C6', self.draw(), reached=few)))
        self.expect(3, 'became slower', self.write(made.row('C6', self.draw(), reached=few)),
                    self.write(made.row('C6', np.where(few, 1.1, .1) * self.draw(), reached=few)))

    def test_what_was_kept(self):
        """Whoever tries a setting wants to know what it changes: that is no reason to refuse."""
        a = self.write(made.row('C6', self.draw()))
        kept = made.row('C6', self.draw(), set='prewake=off', hold='all')
        self.expect(0, 'A was measured as the machine was, B with prewake=off and all other CPUs '
                       'held', '--margin=5', a, self.write(kept))
        out = self.expect(0, 'only in B: set: prewake=off', '--margin=5', self.write(kept),
                          self.write(kept, environment=('set: prewake=off',)))
        self.assertNotIn('was measured', out)

    def test_refusals(self):
        a = self.write(made.row('C6', self.draw()))
        for text, more in (('the stamps differ', {'stamp': 'probe'}),
                           ('launch distances differ', {'ldist_to_ns': made.TO + 1}),
                           ('of different machines', {'machine': 'bochs'}),
                           ('of different CPU models', {'cpu_model': 'Model 8'})):
            self.expect(5, text, a, self.write(made.row('C6', self.draw(), **more)))
        self.expect(5, 'C6 cannot be compared: B has no sample', a,
                    self.write(made.row('C3', self.draw())))
        self.expect(5, 'fewer than 20 samples', a, self.write(made.row('C6', self.draw(19))))
        self.expect(5, 'cpu0 hrt C6 was not measured', *(
            self.write(made.row('C6', [], armed='', valid='', discarded='')) for _ in range(2)))

    def test_frequency(self):
        a = self.write(made.row('C6', self.draw()))
        said = "is 100 % of the TSC's rate in A and 95 % in B"
        for frequency in 95.23, 95.24, None:
            out = self.expect(0, 'is the same', a, self.write(
                made.row('C6', self.draw(), frequency=frequency)))
            self.assertEqual(said in out, frequency == 95.23, out)

    def test_arguments(self):
        a = self.write(made.row('C6', self.draw(30)))
        self.expect(2, 'takes two directories', a)
        self.expect(2, 'nowhere/summary.csv:1: No such file', a, '/nowhere')
        self.expect(2, 'takes two directories', ',', a)
        for margin in '2.5', '1001', '-1', '':
            self.expect(2, 'takes a number of percent from 0 to 1000', f'--margin={margin}', a, a)
        self.expect(2, 'invalid choice', '--latency=exit', a, a)
        self.expect(2, 'takes an even number', '--planned=5', a, a)

    def test_methods(self):
        """Of one run: each against hrt, wherever that is."""
        later = self.draw() + 9500
        run = self.write(made.row('C6', later, method='write'), made.row('C6', self.draw()),
                         made.row('C6', self.draw(), method='ipi'),
                         made.row('C1', self.draw(10), method='hrt'),
                         made.row('C1', self.draw(10), method='write'))
        out = self.expect(3, r'cpu0: by write C6 takes 9\.\d\d us longer than by hrt '
                             r'\(9\.\d\d to 9\.\d\d us\)', run)
        self.assertRegex(out, 'cpu0: by ipi C6 takes as long as by hrt, within 1.2. us')
        self.assertRegex(out, 'by write C1 cannot be compared with hrt: fewer than 20 samples')
        self.expect(2, '--ktap takes A and B', '--ktap', run)
        same = [made.row('C6', self.draw(), method=method) for method in ('hrt', 'tdt')]
        self.expect(0, 'by tdt C6 takes as long as by hrt', self.write(*same))
        # They may have verdicts of their own.
        same[0]['verdict'], same[1]['verdict'] = 'PASS', 'FAIL'
        self.expect(0, 'by tdt C6 takes as long as by hrt', self.write(*same))
        # The median says nothing of what takes longer in some samples only.
        part = np.arange(3000) % 20 == 0
        self.expect(3, 'by tdt C6 takes longer in some of its samples than by hrt', self.write(
            same[0], made.row('C6', self.draw() - 4000 + 40000 * part, method='tdt')))
        same[1]['reached'] = np.where(part, 0, 1)
        self.expect(5, '100.0 % of the samples of hrt reached the state and 95.0 % of those of tdt',
                    self.write(*same))
        self.expect(5, 'by tdt C6 cannot be compared with hrt: tdt has no sample', self.write(
            same[0], made.row('C6', [], method='tdt')))

    def test_text_that_is_more_than_text(self):
        """Of a name and of the environment; KTAP has one directive only."""
        name = 'C1 # SKIP \x1b]0;x'
        out = ''
        for arguments in (), ('--ktap',):
            out = self.expect(3, 'slower', *arguments, *(
                self.write(made.row(name, self.draw(by=by)), environment=(f'x: \x1b[1m{by}',))
                for by in (1, 1.1)))
            self.assertNotIn('\x1b', out)
        results = [line for line in out.splitlines() if not line.startswith('# ')]
        self.assertEqual(results[:2], ['TAP version 13', '1..1'])
        self.assertRegex(results[2], '^not ok 1 cpu0.hrt.C1.')
        self.assertNotIn('#', results[2])
        self.assertEqual(len(results), 3)

    def test_ktap_skip(self):
        a, b = (self.write(made.row(state, self.draw())) for state in ('C6', 'C3'))
        out = self.expect(5, '(?m)^ok 1 cpu0.hrt.C6 # SKIP B has no sample$', '--ktap', a, b)
        self.assertEqual(out.splitlines()[1], '1..2')

    def test_drift(self):
        a = self.write(made.row('C6', self.draw() * np.linspace(1, 1.2, 3000)))
        b = self.write(made.row('C6', self.draw() * np.linspace(1, 1.2, 3000)))
        self.expect(0, 'C6 changed while B was measured: compare several runs', '--margin=5', a, b)


class Replicates(Made):
    def lists(self, count, by=1.0, **more):
        """A and B, which is slower by so much, with runs that differ by half a percent."""
        return [','.join(self.write(made.row(
            'C6', self.draw(400) * kind * self.generator.normal(1, 0.005), **more))
            for _ in range(count)) for kind in (1, by)]

    def test_answers(self):
        a, b = self.lists(5, 1.1)
        self.expect(1, 'cpu0 hrt C6: slower: median from', a, b)
        self.expect(4, 'cpu0 hrt C6: faster: median from', b, a)
        self.expect(1, '(?m)^not ok 1 cpu0.hrt.C6$', '--ktap', a, b)
        self.expect(0, 'cpu0 hrt C6: the same: median from', '--margin=5', *self.lists(5))
        self.expect(6, 'cpu0 hrt C6: not decided', '--margin=1', *self.lists(5))

    def test_too_few(self):
        self.expect(6, '4 and 4 runs are too few for 1 rows: take 5 of each,', *self.lists(4, 1.1))

    def test_copies(self):
        a, b = self.lists(5)
        self.expect(2, 'have the same samples', a, b.rsplit(',', 1)[0] + ',' + a.split(',')[0])

    def test_too_many(self):
        path = self.write(made.row('C6', self.draw(30)))
        self.expect(2, 'takes 10 runs of each kind at most', ','.join([path] * 11), path)

    def test_fail_in_some(self):
        a, b = self.lists(5)
        slow = self.draw(400)
        slow[0] = 10 ** 6
        b = b.rsplit(',', 1)[0] + ',' + self.write(made.row('C6', slow))
        self.expect(6, 'PASS in all of A and FAIL in 1 of 5 of B', '--margin=5', a, b)

    def test_share(self):
        """Latencies near the limit that moved by less than the margin are no finding."""
        lists = [','.join(self.write(made.row('C6', np.sort(self.draw(400)) + more, verdict='FAIL',
                                              declared=60500)) for _ in range(5))
                 for more in (0, 500)]
        self.expect(6, r'share above A.s limit from \d\d.* moved by [12]\d\.\d\d to \d\d\.\d\d points',
                    *lists)

    def test_frequency(self):
        lists = [','.join(self.write(made.row('C6', self.draw(400), frequency=frequency + i))
                          for i in range(5)) for frequency in (100, 130)]
        self.expect(0, "the median frequency after the wake-up is 102 % of the TSC's rate in A and "
                       '132 % in B', '--margin=5', *lists)

    def test_reached(self):
        lists = [','.join(self.write(made.row('C6', self.draw(400),
                                              reached=self.generator.random(400) < share))
                          for _ in range(5)) for share in (1, 0.8)]
        self.expect(5, r'100\.0 % of the samples of A reached the state', *lists)

    def test_reached_by_chance(self):
        """Of twelve rows, of which the first reaches the state less often."""
        lists = [','.join(self.write(*(made.row(
            f'C{i}', self.draw(300), reached=self.generator.random(300) < (share if i == 1 else 0.9))
            for i in range(1, 13))) for _ in range(6)) for share in (0.9, 0.6)]
        out = self.expect(5, r'cpu0 hrt C1 cannot be compared: \d\d.\d % of the samples', *lists)
        self.assertEqual(out.count('reached the state'), 1)

    def test_looks(self):
        a, b = (text.split(',') for text in self.lists(8, 1.1))
        plan = '--planned=8', ','.join(a[:6]), ','.join(b[:6])
        self.expect(6, 'after 6 of 8 runs of each nothing can be found in 1 rows yet', *plan)
        self.expect(1, 'slower', '--planned=8', ','.join(a), ','.join(b))
        self.expect(6, '1 and 1 of 8 runs of each are not looked at', '--planned=8', a[0], b[0])
        self.assertEqual(answered('--planned=6', a[0])[0], 0)
        code, out, _ = answered('--planned=4', a[0])
        self.assertEqual(code, 6)
        self.assertIn('4 and 4 runs are too few for 1 rows: take 6 of each', out)

    def test_drift(self):
        a, b = self.lists(5)
        b = b.rsplit(',', 1)[0] + ',' + self.write(
            made.row('C6', self.draw(400) * np.linspace(1, 1.2, 400)))
        self.expect(6, 'C6 changed while a run was measured: 1 of 5 of B', a, b)


if __name__ == '__main__':
    unittest.main()

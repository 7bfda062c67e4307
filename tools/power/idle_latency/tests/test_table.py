# SPDX-License-Identifier: GPL-2.0
"""The table that "idle-latency table" writes, of runs and of a source that are made up."""
import argparse
import contextlib
import io
import os
import tempfile
import unittest

import numpy as np

from idle_latency import table
from idle_latency.files import Problem
import made

ROW = '''\t{{
\t\t.name = "{name}",
\t\t.desc = "MWAIT 0x{hint}",
\t\t.flags = MWAIT2flg(0x{hint}){flags},
\t\t.exit_latency = {latency},
\t\t.target_residency = {residency},
\t\t.enter = intel_idle,
\t\t.enter_s2idle = intel_idle_s2idle, }},
'''
FLUSHES, UNUSABLE = ' | CPUIDLE_FLAG_TLB_FLUSHED', ' | CPUIDLE_FLAG_UNUSABLE'
STATES = ('C1', '00', '', 1, 1), ('C1E', '01', UNUSABLE, 10, 20), ('C6', '20', FLUSHES, 80, 300)
LARGER = ('C1', '00', '', 1, 1), ('C1E', '01', UNUSABLE, 10, 20), ('C6', '20', FLUSHES, 95, 250)
FACTS = ['CPU vendor: GenuineIntel', 'CPU family: 6', 'CPU model number: 58', 'CPU stepping: 9',
         'microcode: 0x21']


def rows_of(states):
    return ''.join(ROW.format(name=name, hint=hint, flags=flags, latency=latency,
                              residency=residency)
                   for name, hint, flags, latency, residency in states)


def written(name, states):
    return (f'static struct cpuidle_state {name}[] __initdata = {{\n{rows_of(states)}'
            '\t{\n\t\t.enter = NULL }\n};\n')


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def make_kernel(path):
    write(os.path.join(path, table.SOURCE),
          written('other_cstates', STATES[:1]) + written('ivb_cstates', STATES) +
          written('ivb_cstates_4s', LARGER) +
          'static const struct idle_cpu idle_cpu_ivb __initconst = {\n'
          '\t.state_table = ivb_cstates,\n};\n'
          'static const struct x86_cpu_id intel_idle_ids[] __initconst = {\n'
          '\tX86_MATCH_VFM(INTEL_IVYBRIDGE,\t\t&idle_cpu_ivb),\n};\n')
    write(os.path.join(path, table.FAMILIES),
          '#define INTEL_IVYBRIDGE\t\t\tIFM(6, 0x3A) /* Ivy Bridge */\n')
    return path


def state(name, wake, declared, **others):
    return made.row(name, np.full(100, wake), declared=declared, **others)


class Tables(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.kernel = make_kernel(os.path.join(self.dir.name, 'linux'))
        self.path = os.path.join(self.dir.name, 'run')

    def measured(self, *rows, environment=(), residencies=()):
        made.write(self.path, rows, [*FACTS, *environment])
        if residencies:
            made.write_energy(self.path, residencies=residencies)

    def said(self, **options):
        parser = argparse.ArgumentParser()
        table.add_arguments(parser)
        args = parser.parse_args([self.path, '--kernel', self.kernel, *(
            f'--{name}={value}' for name, value in options.items())])
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.code = table.run(args)
        return out.getvalue()

    def part(self, part, **options):
        return self.said(part=part, **options)

    def test_numbers(self):
        """Up to whole us; what was not judged, and what was not there, stays."""
        self.measured(state('C1', 1200, 1000), state('C6', 70000, 80000),
                      residencies=('cpu,C6,250000,240000,238000,241001,PASS,',
                                   'cpu,C1,250000,,,,SKIP,too short'))
        self.assertEqual(self.part('table'), written('ivb_cstates', (
            ('C1', '00', '', 2, 250), STATES[1], ('C6', '20', FLUSHES, 71, 242))))
        said = self.said()
        for what in ('the target residency of C1 was not judged', 'C1E was not there'):
            self.assertIn(what, said)
        self.assertNotIn('residency of C6 was not', said)

    def test_slowest_cpu(self):
        self.measured(state('C1', 900, 1000), state('C1', 5100, 1000, cpu=1))
        self.assertIn('.exit_latency = 6,', self.part('table'))

    def test_core_types(self):
        self.measured(state('C1', 900, 1000), state('C1', 5100, 1000, cpu=1),
                      environment=['cpu0: core type core', 'cpu1: core type atom'])
        self.assertIn('C1 takes 6 us for atom and 1 us for core, and has the larger one',
                      self.said())

    def test_of_declared_numbers(self):
        """Of the tables of a model that with the numbers of the run."""
        self.measured(state('C6', 70000, 95000))
        self.assertIn(' ivb_cstates_4s[]', self.part('table'))
        self.measured(state('C6', 70000, 80000))
        self.assertIn(' ivb_cstates[]', self.part('table'))

    def test_usable(self):
        """C1E was there instead of C1."""
        self.measured(state('C1E', 9000, 10000))
        self.assertEqual(self.part('table'), written('ivb_cstates', (
            ('C1', '00', UNUSABLE, 1, 1), ('C1E', '01', '', 10, 250),
            ('C6', '20', FLUSHES + UNUSABLE, 80, 300))))

    def test_never_pays(self):
        self.measured(state('C6', 70000, 80000),
                      residencies=('cpu,C6,250000,,50000000,,FAIL,never pays',))
        self.assertIn('.target_residency = 250,', self.part('table'))
        self.assertIn('C6 does not pay below 50 ms', self.said())

    def test_other_method_that_is_uncertain(self):
        """Of samples whose uncertainty is not known nothing is sure."""
        self.measured(state('C6', 70000, 80000), state('C1', 900, 1000),
                      state('C6', 90000, 80000, method='nic'))
        self.assertIn('.exit_latency = 90,', self.part('table', method='hrt'))
        path = os.path.join(self.path, 'datapoints.csv')
        with open(path, encoding='utf-8') as file:
            lines = [line[:-3] + '\n' if line.startswith('0,nic') else line for line in file]
        write(path, ''.join(lines))
        self.assertIn('.exit_latency = 71,', self.part('table', method='hrt'))

    def test_pays_at_once(self):
        """Which is the least of two core types, and not the most."""
        self.measured(state('C6', 70000, 80000), residencies=(
            'core,C6,250000,0,0,0,PASS,', 'atom,C6,250000,290000,280000,300000,FAIL,x'))
        self.assertIn('.target_residency = 300,', self.part('table'))

    def test_worth(self):
        """What is judged with reserve is said; a CPU that is measured twice is one."""
        self.measured(state('C6', 70000, 80000, qualifier='core-only'),
                      state('C6', 60000, 80000, concurrent='yes', verdict='SKIP',
                            reason='too few samples'),
                      environment=['cpu0: core type core'])
        said = ' '.join(self.said().split())
        for what in ('cpu0 hrt C6 is PASS core-only', 'cpu0 hrt C6 at once is SKIP too few samples',
                     '200 samples of 1 CPUs, the largest of 70000 ns, passes from 70003 ns'):
            self.assertIn(what, said)
        self.assertNotIn('one table serves', said)

    def test_new_model(self):
        """Its rows are made of the hints."""
        self.measured(state('C2', 70000, 80000), state('C3', 90000, 100000),
                      environment=['CPU model number: 999'])
        with open(os.path.join(self.path, 'environment.txt'), encoding='utf-8') as file:
            text = file.read().replace('CPU model number: 58\n', '')
        of_c2 = 'C2, exit latency 80 us, target residency 250 us'
        write(os.path.join(self.path, 'environment.txt'),
              text.replace(of_c2, f'{of_c2}, desc ACPI FFH MWAIT 0x20'))
        self.assertEqual(self.part('table'),
                         written('x_cstates', (('C2', '20', FLUSHES, 71, 250),)))
        self.assertIn('C3 is not entered by MWAIT', self.said())

    def test_line(self):
        """Numbers rise from state to state."""
        self.measured(state('C1', 5000, 1000), state('C6', 4000, 80000))
        self.assertEqual(self.part('line'), 'intel_idle.table=C1:6:250,C6:7:251\n')
        self.assertEqual(self.code, 0)
        self.assertIn('it raises C6 to 7 and 251 us', self.said())

    def test_no_line(self):
        self.measured(state('C6', 5001000, 80000))
        self.assertIn('takes no such table', self.part('line'))
        self.assertEqual(self.code, 1)

    def test_text(self):
        self.measured(state('C6', 70000, 80000),
                      residencies=('cpu,C6,250000,240000,238000,241001,PASS,',))
        said = self.part('text')
        self.assertIn('C6: 100 samples of 1 CPUs, the largest of 70000 ns, passes from 70003 ns '
                      'on; pays after 240000 ns (238000 to 241001 ns).', ' '.join(said.split()))
        self.assertLessEqual(max(map(len, said.split('\n'))), 72)

    def test_method(self):
        self.measured(state('C6', 70000, 80000), state('C6', 60000, 80000, method='tdt'),
                      state('C1', 900, 1000, method='tdt'))
        # By tdt it is 61, and by hrt 69979 ns are for sure.
        self.assertIn('.exit_latency = 70,', self.part('table'))
        self.assertIn('.exit_latency = 71,', self.part('table', method='hrt'))
        with self.assertRaisesRegex(Problem, 'nothing was measured by nic'):
            self.part('table', method='nic')

    def test_no_source(self):
        self.measured(state('C6', 70000, 80000))
        self.kernel = self.dir.name
        with self.assertRaisesRegex(Problem, '--kernel takes the source of Linux'):
            self.part('table')


if __name__ == '__main__':
    unittest.main()

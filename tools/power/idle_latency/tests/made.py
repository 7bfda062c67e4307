# SPDX-License-Identifier: GPL-2.0
"""Writes runs as latency_test does, of samples that are made up. All times are in ns, and a cycle
of the TSC is one."""
import csv
import os
import shutil

import numpy as np

from idle_latency import runs
from make_runs import DATAPOINTS

FROM, TO, RESIDENCY = 300000, 3000000, 250000
AWAKE = 'POLL'                  # its samples have an IntrLatency only


def row(state, wake, declared=95000, cpu=0, method='hrt', reached=None, early=None, intr=None,
        verdict='', frequency=100, **summary):
    """WAKE: of samples that are armed early enough, in order of time; EARLY: of others. REACHED:
    of each of WAKE, whether it reached the state. FREQUENCY: in percent, None where the CPU does
    not count that. SUMMARY: what it is to say."""
    wake = np.asarray(wake, int)
    ldist = FROM + np.arange(len(wake)) * 7919 % (TO - FROM)
    reached = np.ones(len(wake), int) if reached is None else np.asarray(reached, int)
    if early is not None:
        wake = np.concatenate([wake, np.asarray(early, int)])
        ldist = np.concatenate([ldist, np.full(len(early), 50000)])
        reached = np.concatenate([reached, np.zeros(len(early), int)])
    intr = wake + 900 if intr is None else np.asarray(intr, int)
    verdict = verdict or ('FAIL' if (wake - 3 > declared).any() else 'PASS')
    return {'key': (str(cpu), method, state), 'wake': wake, 'intr': intr, 'ldist': ldist,
            'reached': reached, 'declared': declared, 'verdict': verdict, 'summary': summary,
            'frequency': '' if frequency is None else f'{frequency:.2f}'}


def quantile(ordered, part):
    value = runs.quantile(ordered, part)
    return '' if value is None else int(value)


def datapoints(of):
    cpu, method, state = of['key']
    stamp = of['summary'].get('stamp', 'enter')
    error = of['summary'].get('error_ns', 3)
    for seq, (wake, intr, ldist, reached) in enumerate(zip(of['wake'], of['intr'], of['ldist'],
                                                           of['reached'])):
        event, silent = 10 ** 9 + 10 ** 7 * seq, ldist - 700
        slept = ('', '') if state == AWAKE else (silent, wake)
        yield [cpu, method, stamp, state, seq, ldist, event, *slept, intr, error, '', '',
               event - silent, event + wake, event + intr, 1, '1.00', '0.00', '', '99.00', '0.00',
               '', '0.00', '', '0.00', '0.00', '', '', '', of['frequency'], silent, seq, reached,
               'PC6', 18]


def summary(of):
    cpu, method, state = of['key']
    says = dict.fromkeys((*runs.SUMMARY_TEXTS, *runs.SUMMARY_NUMBERS, 'concurrent'), '')
    says.update(machine='qemu', cpu_model='Model 7', driver='intel_idle', cpu=cpu, method=method,
                state=state, declared_ns=of['declared'], verdict=of['verdict'], kernel='7.3.0',
                rule='max', concurrent='no', armed=len(of['wake']), valid=len(of['wake']), discarded=0,
                ldist_from_ns=FROM, ldist_to_ns=TO, above=0, discarded_above=0)
    if len(of['wake']) and state == AWAKE:
        intr = np.sort(of['intr'])
        says.update(stamp='enter', intr_median_ns=quantile(intr, 50000), intr_max_ns=intr[-1],
                    smallest_pass_ns=intr[-1] + 3)
    elif len(of['wake']):
        wake, intr = np.sort(of['wake']), np.sort(of['intr'])
        says.update(stamp='enter', reached=of['reached'].sum(), package=0, error_ns=3,
                    uncertain_ns=18, min_ns=wake[0], max_ns=wake[-1],
                    median_ns=quantile(wake, 50000), p99_ns=quantile(wake, 99000),
                    p9999_ns=quantile(wake, 99990), intr_median_ns=quantile(intr, 50000),
                    intr_max_ns=intr[-1], smallest_pass_ns=wake[-1] + 3)
    says.update(of['summary'])
    return says


def write(path, rows, environment=()):
    """Returns the path."""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    with open(os.path.join(path, 'datapoints.csv'), 'w', encoding='utf-8') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(DATAPOINTS.split(','))
        for of in rows:
            out.writerows(datapoints(of))
    with open(os.path.join(path, 'summary.csv'), 'w', encoding='utf-8') as file:
        says = [summary(of) for of in rows]
        out = csv.DictWriter(file, list(says[0]), lineterminator='\n')
        out.writeheader()
        out.writerows(says)
    states = [f'cpu{of["key"][0]}: state{i} {of["key"][2]}, exit latency '
              f'{of["declared"] // 1000} us, target residency {RESIDENCY // 1000} us'
              for i, of in enumerate(rows)]
    with open(os.path.join(path, 'environment.txt'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(['kernel: 7.3.0', *states, *environment]) + '\n')
    with open(os.path.join(path, 'discards.csv'), 'w', encoding='utf-8') as file:
        file.write('cpu,method,state,reason,count,above,largest_ns\n')
    return path


def write_energy(path, powers=(), residencies=()):
    """What energy_test writes; lines of both files. Returns the path."""
    for name, columns, lines in (
            ('energy.csv', 'package,state,idle_cpus,domain,mw,mw_low,mw_high,updates,cost_uj',
             powers),
            ('residency.csv',
             'core_type,state,declared_ns,break_even_ns,low_ns,high_ns,verdict,reason',
             residencies)):
        with open(os.path.join(path, name), 'w', encoding='utf-8') as file:
            file.write('\n'.join([columns, *lines]) + '\n')
    return path

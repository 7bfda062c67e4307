# SPDX-License-Identifier: GPL-2.0
"""What energy_test has written beside the results of latency_test: power, and target residencies.
Both files are there, or none. Powers are in mW, energies in uJ, and times in ns."""
import os
import types

from idle_latency import files, markup, runs
from idle_latency.figures import COUNT, NS, Axis, Plot
from idle_latency.markup import esc

POWERS = 'mw', 'mw_low', 'mw_high'
NUMBERS = 'package', 'idle_cpus', 'updates', *POWERS, 'cost_uj'
RESIDENCIES = 'declared_ns', 'break_even_ns', 'low_ns', 'high_ns'
PACKAGE, POLL = 'package', 'POLL'


class Energy:
    """Of a run. The columns of a line are its attributes: what a package draws with so many CPUs
    idle, and what a transition of a CPU costs, or None; and target residencies."""

    def __init__(self, run):
        self.powers, self.residencies = [], []
        if not any(os.path.exists(os.path.join(run.path, name))
                   for name in ('energy.csv', 'residency.csv')):
            return
        table = files.Table(run.path, 'energy.csv', ('state', 'domain', *NUMBERS))
        for number, row in table.rows(NUMBERS):
            table.all_there(number, row, ('package', 'idle_cpus', *POWERS))
            if not row['idle_cpus']:
                table.wrong(number, 'idle_cpus is 0')
            self.powers.append(types.SimpleNamespace(**row))
        table = files.Table(run.path, 'residency.csv',
                           ('core_type', 'state', *RESIDENCIES, 'verdict', 'reason'))
        self.residencies = [types.SimpleNamespace(**row)
                            for _, row in table.rows(RESIDENCIES, runs.FORMS)]

    def of(self, **wanted):
        return [power for power in self.powers
                if all(getattr(power, name) == value for name, value in wanted.items())]

    def all_idle(self, package):
        """The number of CPUs of a package: POLL is measured with all of them only."""
        return max(power.idle_cpus for power in self.of(package=package))


def by_idle(energy, package):
    """Of the state that was measured with each number of idle CPUs; None of a package with one."""
    count = energy.all_idle(package)
    if count < 2:
        return None
    state = energy.of(package=package, idle_cpus=count)[-1].state
    found = energy.of(package=package, state=state)
    drawn = Plot('idle', f'Power by the number of CPUs in {files.shown(state)}',
                 Axis('Idle CPUs', COUNT, 1, count),
                 Axis('Power, mW', COUNT, 0, *(power.mw_high for power in found), begin=0),
                 note='Core by core; the other CPUs are busy.')
    for i, domain in enumerate(dict.fromkeys(power.domain for power in found)):
        x, y = zip(*sorted((power.idle_cpus, power.mw) for power in found
                           if power.domain == domain))
        drawn.add_line(f'k{i}', x, y)
        drawn.add_marks(f'k{i}', x, y, files.shown(domain))
    return drawn


def by_length(energy, package):
    """What an idle period of a CPU takes in each state, by its length; None where no cost is
    known."""
    cpus = energy.all_idle(package)
    found = [power for power in energy.of(package=package, idle_cpus=cpus, domain=PACKAGE)
             if power.cost_uj is not None]
    ends = [residency.high_ns for residency in energy.residencies
            if residency.high_ns and residency.verdict != 'SKIP']
    if not found or not ends:
        return None
    end = 1.5 * max(ends)
    taken = [[power.cost_uj, power.cost_uj + power.mw * end / 1e6 / cpus] for power in found]
    drawn = Plot('length', 'Energy of an idle period of a CPU',
                 Axis('Length', NS, 0, end, begin=0),
                 Axis('Energy, uJ', COUNT, 0, *(most for _, most in taken), begin=0),
                 note='From the entry until the event. A state pays from where its line is below '
                      'that of the state above it.')
    for i, (power, ends) in enumerate(zip(found[:7], taken)):
        drawn.add_line(f'k{i}', [0, end], ends, files.shown(power.state))
    return drawn


def power_row(energy, power):
    poll = energy.of(package=power.package, domain=power.domain, state=POLL)
    share = 100 * power.mw / poll[0].mw if poll and poll[0].mw else None
    return [esc(f'{power.package} {power.state} {power.domain}'), power.idle_cpus,
            *('-' if value is None else f'{value:.1f}' for value in (
                power.mw, power.mw_low, power.mw_high, share, power.cost_uj))]


def section(run, name, where):
    """Of a page: what packages draw, and from which length on states pay. '' where that was not
    measured."""
    energy = Energy(run)
    text = markup.table(
        ['target residency of', 'verdict', '#declared', '#pays from', '#low', '#high'],
        ([esc(f'{each.core_type} {each.state}'), markup.verdict_text(each), each.declared_ns,
          each.break_even_ns, each.low_ns, each.high_ns] for each in energy.residencies),
        'In ns; low and high are bounds of the length from which a state costs less than the one '
        'above it, with a confidence of 99.9 % each.')
    text += markup.plots(filter(None, (
        draw(energy, package) for package in dict.fromkeys(each.package for each in energy.powers)
        for draw in (by_idle, by_length))))
    text += markup.table(
        ['package, state, domain', '#idle CPUs', '#mW', '#low', '#high', '#of POLL, %',
         '#transition, uJ'], (power_row(energy, power) for power in energy.powers),
        'By the counters of the processor, which are a model and no meter; low and high are the '
        'interval of 95 %. A transition is that of a CPU.')
    return markup.section(f'Energy{where}', text, name, 'energy')

# SPDX-License-Identifier: GPL-2.0
"""What energy_test has written beside the results of latency_test: power, and target residencies.
Both files are there, or none. Powers are in mW, energies in uJ, and times in ns."""
import collections
import os
import re

from idle_latency import markup, plot, runs
from idle_latency.markup import esc

POWERS = 'mw', 'mw_low', 'mw_high', 'cost_uj'
RESIDENCIES = 'declared_ns', 'break_even_ns', 'low_ns', 'high_ns'
PACKAGE, POLL = 'package', 'POLL'

# Of a package with so many CPUs idle: power and its interval in mW; the cost of a transition of a
# CPU in uJ, or None.
Power = collections.namedtuple('Power', 'package state idle domain mw low high cost')
Residency = collections.namedtuple('Residency', 'core_type state verdict reason declared_ns '
                                   'break_even_ns low_ns high_ns')


class Energy:
    """Of a run."""

    def __init__(self, powers, residencies):
        self.powers, self.residencies = powers, residencies

    def of(self, **wanted):
        return [power for power in self.powers
                if all(getattr(power, name) == value for name, value in wanted.items())]

    @property
    def packages(self):
        return list(dict.fromkeys(power.package for power in self.powers))

    def all_idle(self, package):
        """The number of CPUs of a package: POLL is measured with all of them only."""
        return max(power.idle for power in self.of(package=package))


def decimal(table, number, name, text):
    if not re.fullmatch(r'[0-9]{1,9}\.[0-9]', text) and (text or name != 'cost_uj'):
        table.wrong(number, f"{name} is '{text[:40]}', which is no number that energy_test writes")
    return float(text) if text else None


def read_powers(run):
    table = run.table('energy.csv', ('package', 'state', 'idle_cpus', 'domain', *POWERS))
    for number, row in table.rows(('package', 'idle_cpus', 'updates')):
        yield Power(row['package'], row['state'], row['idle_cpus'], row['domain'],
                    *(decimal(table, number, name, row[name]) for name in POWERS))


def read_residencies(run):
    table = run.table('residency.csv', ('core_type', 'state', *RESIDENCIES, 'verdict', 'reason'))
    for number, row in table.rows(RESIDENCIES):
        table.one_of(number, 'verdict', row['verdict'], runs.VERDICTS)
        yield Residency(**{name: row[name] for name in Residency._fields})


def read(run):
    """None where energy was not measured."""
    names = [name for name in ('energy.csv', 'residency.csv')
             if os.path.exists(os.path.join(run.path, name))]
    return Energy(list(read_powers(run)), list(read_residencies(run))) if names else None


def states_of(energy, package):
    """In the order in which they were measured, with all CPUs idle."""
    return list(dict.fromkeys(power.state for power in
                              energy.of(package=package, idle=energy.all_idle(package))))


def domains_of(energy, package):
    return list(dict.fromkeys(power.domain for power in energy.of(package=package)))


def share_of_poll(energy, power):
    polls = energy.of(package=power.package, domain=power.domain, state=POLL)
    return 100 * power.mw / polls[0].mw if polls and polls[0].mw else None


def by_idle(energy, package):
    """Of the state that was measured with each number of idle CPUs; None of a package with one."""
    count = energy.all_idle(package)
    if count < 2:
        return None
    state = states_of(energy, package)[-1]
    found = energy.of(package=package, state=state)
    drawn = plot.Plot('idle', f'Power by the number of CPUs in {runs.shown(state)}',
                      plot.Axis('Idle CPUs', plot.COUNT, 1, count),
                      plot.Axis('Power, mW', plot.COUNT, 0, *(power.high for power in found),
                                begin=0),
                      note='Core by core; the other CPUs are busy.')
    for i, domain in enumerate(domains_of(energy, package)):
        known = sorted((power for power in found if power.domain == domain),
                       key=lambda power: power.idle)
        x, y = [power.idle for power in known], [power.mw for power in known]
        drawn.add_line(f'k{i}', x, y)
        drawn.add_marks(f'k{i}', x, y, domain, label=domain)
    return drawn


def by_length(energy, package):
    """What an idle period of a CPU takes in each state, by its length; None where no cost is
    known."""
    cpus = energy.all_idle(package)
    found = [power for power in energy.of(package=package, idle=cpus, domain=PACKAGE)
             if power.cost is not None]
    ends = [residency.high_ns or residency.declared_ns for residency in energy.residencies
            if residency.high_ns and residency.verdict != 'SKIP']
    if not found or not ends:
        return None
    end = 1.5 * max(ends)

    def taken(power, ns):
        return power.cost + power.mw * ns / 1e6 / cpus

    drawn = plot.Plot('length', 'Energy of an idle period of a CPU',
                      plot.Axis('Length', plot.NS, 0, end, begin=0),
                      plot.Axis('Energy, uJ', plot.COUNT, 0, *(
                          taken(power, end) for power in found), begin=0),
                      note='From the entry until the event. A state pays from where its line is '
                           'below that of the state above it.')
    for i, power in enumerate(found[:7]):
        drawn.add_line(f'k{i}', [0, end], [taken(power, 0), taken(power, end)],
                       runs.shown(power.state))
    return drawn


def plots(energy):
    return [drawn for package in energy.packages
            for drawn in (by_idle(energy, package), by_length(energy, package)) if drawn]


def residency_row(found):
    reason = f': {esc(found.reason)}' if found.reason else ''
    return [esc(f'{found.core_type} {found.state}'), markup.verdict_mark(found) + reason,
            found.declared_ns, found.break_even_ns, found.low_ns, found.high_ns]


def power_row(energy, power):
    def one_place(value):
        return '-' if value is None else f'{value:.1f}'

    return [esc(f'{power.package} {power.state} {power.domain}'), power.idle,
            *map(one_place, (power.mw, power.low, power.high, share_of_poll(energy, power),
                             power.cost))]


def section(run, name, names_run):
    """Of a page: what packages draw, and from which length on states pay. '' where that was not
    measured."""
    energy = read(run)
    if not energy:
        return ''
    where = f' <span class="soft">in {esc(run.path)}</span>' if names_run else ''
    return (f'<section id="{name}" class="energy">\n<h2>Energy{where}</h2>\n' +
            markup.table(['target residency of', 'verdict', '#declared', '#pays from', '#low',
                          '#high'], map(residency_row, energy.residencies), 'cards') +
            markup.paragraph('In ns; low and high are bounds of the length from which a state '
                             'costs less than the one above it, with a confidence of 99.9 % each.',
                             'soft') +
            markup.plots(plots(energy)) +
            markup.table(['package, state, domain', '#idle CPUs', '#mW', '#low', '#high',
                          '#of POLL, %', '#transition, uJ'],
                         (power_row(energy, power) for power in energy.powers), 'cards') +
            markup.paragraph('By the counters of the processor, which are a model and no meter; '
                             'low and high are the interval of 95 %. A transition is that of a '
                             'CPU.', 'soft') + '</section>\n')

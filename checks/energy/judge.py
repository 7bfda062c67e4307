# SPDX-License-Identifier: GPL-2.0
"""What energy_test has found, by what the emulated processor was told to draw.

judge.py NAME CPUS TRUTH DIR PACKAGE_STATES: energy.csv and residency.csv in DIR. TRUTH is that of
make run; PACKAGE_STATES are the states, separated by commas, in which the package sleeps.
"""
import math
import sys

from readers import Judge, number, table

# What is promised of a power, in percent of it, or of this many mW where it is less; and of a
# break-even.
POWER_PERCENT = 1
POWER_LEAST_MW = 100
BREAK_EVEN_PERCENT = 5
# Busy CPUs wake idle ones to balance what they run, so often in so many ns at most: then the program
# measures once more.
WOKEN_MOST, WOKEN_IN_NS = 10, 64000000
# The program measures none beyond.
MOST_NS = 50000000


class Processor:
    """One package of CORES with THREADS each, all of which are in the same state."""

    def __init__(self, cpus, truth, package_states):
        shape = [int(part) for part in cpus.split('x')] + [1, 1]
        self.cores, self.threads = shape[0], shape[1]
        self.package_states = package_states
        self.words = {'awake': 0, 'rest': 0, 'thread': 0}
        self.states = {}
        for word in truth.split():
            name, _, rest = word.partition(':')
            if rest:
                exit_ns, _, options = rest.partition(':')
                self.states[name] = {'exit': float(exit_ns), 'power': 0, 'rest': 0, 'package': 0,
                                     'entry': 0}
                for option in filter(None, options.split(',')):
                    key, value = option.split('=')
                    self.states[name][key] = float(value)
            elif '=' in word:
                key, value = word.split('=')
                self.words[key] = float(value)

    def awake(self):
        """In mW, of all cores and the package."""
        core = self.words['awake'] + (self.threads - 1) * self.words['thread']
        return self.cores * core + self.words['rest']

    def cores_mw(self, state, idle_cpus):
        """With the first CPUs idle, core by core."""
        asleep = 0 if state == 'POLL' else idle_cpus // self.threads
        busy = self.cores - asleep
        draws = asleep * (self.states[state]['power'] if asleep else 0)
        threads_idle = 0 if state == 'POLL' else idle_cpus % self.threads
        return draws + busy * self.words['awake'] + \
            (busy * (self.threads - 1) - threads_idle) * self.words['thread']

    def power(self, state, idle_cpus, domain):
        cores = self.cores_mw(state, idle_cpus)
        if domain == 'core':
            return cores
        if domain == 'psys':    # Where a processor has its register, that stands still.
            return 0
        sleeps = state in self.package_states and idle_cpus == self.cores * self.threads
        return cores + (self.states[state]['rest'] if sleeps else self.words['rest'])

    def woken_mw(self, state):
        """By how much a power is larger while busy CPUs wake idle ones."""
        return self.words['awake'] * WOKEN_MOST * self.states[state]['exit'] / WOKEN_IN_NS

    def break_even(self, state, above):
        """Where energies are the same: those of the idle period, of entry and exit."""
        cpus = self.cores * self.threads

        def transition(name):
            of = self.states[name]
            return of['exit'] + of['entry'] + (of['package'] if name in self.package_states else 0)

        gain = self.power(above, cpus, 'package') - self.power(state, cpus, 'package')
        cost = self.awake() * (transition(state) - transition(above)) - \
            self.power(state, cpus, 'package') * self.states[state]['entry'] + \
            self.power(above, cpus, 'package') * self.states[above]['entry']
        return cost / gain if gain > 0 else math.inf


def judge_powers(judge, processor, rows):
    cpus = processor.cores * processor.threads
    worst = 0
    for row in rows:
        must = processor.power(row['state'], int(row['idle_cpus']), row['domain'])
        off = 100 * (float(row['mw']) - must) / max(must, POWER_LEAST_MW)
        most = POWER_PERCENT
        if int(row['idle_cpus']) == cpus:
            worst = max(worst, abs(off))
        elif must:
            most += 100 * processor.woken_mw(row['state']) / must
        judge(f'{row["state"]}, {row["idle_cpus"]} of {cpus} idle, {row["domain"]}',
              abs(off) <= most,
              f'{row["mw"]} mW, must be {must:.0f}: {off:+.2f} %')
    judge('powers', len(rows) > 4, f'{len(rows)} of them, up to {worst:.2f} % off')


def judge_residencies(judge, processor, rows):
    judge(f'{rows[0]["state"]}: too short', rows[0]['verdict'] == 'SKIP', rows[0]['reason'])
    for above, row in zip(rows, rows[1:]):
        must = processor.break_even(row['state'], above['state'])
        found = number(row['break_even_ns']) if row['break_even_ns'] else math.inf
        if must > MOST_NS:
            judge(f'{row["state"]}: never pays', row['verdict'] == 'FAIL' and found > MOST_NS,
                  row['reason'])
            continue
        off = 100 * (found / must - 1)
        low, high = (number(row[name]) if row[name] else math.inf for name in ('low_ns', 'high_ns'))
        # Of what the program does not know within 10 %, as it says, its interval has to be right.
        right = low <= must <= high if high - low > found * 0.1 else \
            abs(off) <= BREAK_EVEN_PERCENT
        judge(f'{row["state"]}: break-even', right,
              f'{found:.0f} ns, must be {must:.0f}: {off:+.2f} %, declared {row["declared_ns"]}, '
              f'{row["low_ns"]} to {row["high_ns"]}')
        declared = number(row['declared_ns'])
        wrong = row['verdict'] == 'FAIL' and declared >= must or \
            row['verdict'] == 'PASS' and declared < must * 0.9
        decided = row['verdict'] != 'SKIP' or 0.9 < declared / must < 1.1
        judge(f'{row["state"]}: verdict', not wrong and decided,
              f'{row["verdict"]} {row["reason"]}, declared {declared / must:.2f} times of it')


def main():
    name, cpus, truth, directory, package_states = sys.argv[1:]
    judge = Judge(f'energy: {name}')
    processor = Processor(cpus, truth, package_states.split(','))
    judge_powers(judge, processor, table(f'{directory}/energy.csv'))
    judge_residencies(judge, processor, table(f'{directory}/residency.csv'))


main()

# SPDX-License-Identifier: GPL-2.0
"""Writes what a patch of intel_idle's tables takes, from a run: the table as C, the same as
"intel_idle.table=" for who wants to try it, and a paragraph for the commit message.

Exit latencies are the smallest ones that pass, by the rule of the run, and target residencies the
upper bounds of the break-even, both as whole us. Where one was not measured, it stays as declared.
"""
import collections
import os
import re
import textwrap

from idle_latency import energy, files, runs
from idle_latency.files import Problem

# What intel_idle takes: validate_cmdline_cstate() and MAX_CMDLINE_TABLE_LEN of v7.3.
LATENCY_MOST_US, RESIDENCY_MOST_US, LINE_MOST = 5000, 100000, 255
PARAMETER = 'intel_idle.table='

SOURCE = 'drivers/idle/intel_idle.c'
FAMILIES = 'arch/x86/include/asm/intel-family.h'

TABLE = re.compile(r'^static struct cpuidle_state (\w+)\[\] __initdata = (\{\n.*?^\};)',
                   re.M | re.S)
ROW = re.compile(r'^\t\{\n(?:\t\t.*\n)+', re.M)
MODEL = re.compile(r'X86_MATCH_VFM\((INTEL_\w+),\s*&(\w+)\)')
CPU = re.compile(r'^static const struct idle_cpu (\w+) __initconst = \{(.*?)^\};', re.M | re.S)
FAMILY = re.compile(r'^#define\s+(INTEL_\w+)\s+IFM\((\d+), (0x[0-9A-Fa-f]+)\)', re.M)
UNUSABLE = ' | CPUIDLE_FLAG_UNUSABLE'

HINT = re.compile(r'MWAIT (0x[0-9a-fA-F]{1,2})$')

# In us; DECLARED are the exit latency and the target residency of the run. ROWS were measured by
# the method; found is a line of residency.csv, or None.
State = collections.namedtuple('State', 'name declared latency_us residency_us hint rows found')
# What the source has: of each row its text, by the name of the state.
Table = collections.namedtuple('Table', 'name rows')


def add_arguments(parser):
    parser.add_argument('results', metavar='RUN', help='a directory that latency_test has written')
    parser.add_argument('--kernel', required=True, metavar='DIR',
                        help='the source of Linux, which has the tables')
    parser.add_argument('--method', choices=runs.METHODS,
                        help='the event source to believe (that with the most rows)')
    parser.add_argument('--part', choices=('table', 'line', 'text'), help='print nothing else')


def field(text, name):
    found = re.search(rf'\.{name} = "?([\w-]+)"?,', text)
    return found[1] if found else ''


def numbers(text):
    return int(field(text, 'exit_latency')), int(field(text, 'target_residency'))


def read_source(kernel, name):
    data = files.read(os.path.join(kernel, name), '--kernel takes the source of Linux')
    return data.decode('utf-8', 'replace')


def find_table(kernel, family, model, declared):
    """The table of a model, by its numbers as texts, or None. intel_idle has several ones of some
    models, such as for so many packages: of these it is the one with the numbers that are DECLARED,
    a dictionary of (us, us) by name, if there is one."""
    source = read_source(kernel, SOURCE)
    models = {(found[2], str(int(found[3], 16))): found[1]
              for found in FAMILY.finditer(read_source(kernel, FAMILIES))}
    cpu = dict(MODEL.findall(source)).get(models.get((family, model)))
    first = field(dict(CPU.findall(source)).get(cpu, ''), 'state_table')
    tables = [Table(name, {field(row, 'name'): row for row in ROW.findall(text)
                           if field(row, 'name')})
              for name, text in TABLE.findall(source)
              if first and (name == first or name.startswith(f'{first}_'))]
    return next((table for table in tables if declared == {
        name: numbers(row) for name, row in table.rows.items() if name in declared}),
        tables[0] if tables else None)


def usable(text, is_usable):
    """The same row with the flag that keeps cpuidle from using it, or without."""
    text = text.replace(UNUSABLE, '')
    return text if is_usable else re.sub(r'(\.flags = [^,]*)', rf'\1{UNUSABLE}', text)


def new_row(name, hint):
    """Of a model that has no table. All rows of v7.3 that are deeper than C1E flush the TLB."""
    flushes = ' | CPUIDLE_FLAG_TLB_FLUSHED' * (hint >= 0x10)
    return ('\t{\n'
            f'\t\t.name = "{name}",\n'
            f'\t\t.desc = "MWAIT 0x{hint:02x}",\n'
            f'\t\t.flags = MWAIT2flg(0x{hint:02x}){flushes},\n'
            '\t\t.exit_latency = 0,\n'
            '\t\t.target_residency = 0,\n'
            '\t\t.enter = intel_idle,\n'
            '\t\t.enter_s2idle = intel_idle_s2idle, },\n')


def filled(text, state):
    """The row with the numbers of a state."""
    text = re.sub(r'(\.exit_latency = )\d+', rf'\g<1>{state.latency_us}', text)
    return re.sub(r'(\.target_residency = )\d+', rf'\g<1>{state.residency_us}', text)


def written(name, rows):
    return (f'static struct cpuidle_state {name}[] __initdata = {{\n{"".join(rows)}'
            '\t{\n\t\t.enter = NULL }\n};\n')


def up_us(ns):
    return -(-ns // 1000)


def method_of(run, asked):
    """As lib/proposal.c takes one: with the most rows, and then the smallest errors."""
    rows = {method: [row for row in run.rows if row.method == method and row.valid]
            for method in runs.METHODS}
    best = asked or min(runs.METHODS, key=lambda method: (
        -len(rows[method]), sum(row.error_ns or 0 for row in rows[method])))
    if not rows[best]:
        raise Problem(f'{run.path}: nothing was measured' + f' by {asked}' * bool(asked))
    return best


def states_of(run, method):
    """Of the CPUs that were measured, which all have the same ones under one table."""
    cpus = {row.cpu for row in run.rows}
    measured = energy.Energy(run).residencies
    states = {}
    for found in run.states:
        name = found['name']
        if found['cpu'] not in cpus or name == 'POLL' or name in states:
            continue
        declared = int(found['latency']), int(found['residency'])
        hint = HINT.search(found['desc'] or '')
        rows = [row for row in run.rows if (row.method, row.state) == (method, name) and row.valid]
        judged = max((each for each in measured if each.state == name and each.verdict != 'SKIP'),
                     key=lambda each: float('inf') if each.high_ns is None else each.high_ns,
                     default=None)
        # The slowest CPU counts, and what another method shows for sure; and of a state that never
        # pays, what is declared.
        others = [row for row in run.rows if row.state == name and row.method != method]
        latency = max([up_us(row.smallest_pass_ns) for row in rows] or declared[:1])
        latency = max([latency, *(up_us(row.least_ns) for row in others if row.has_wake)])
        pays = judged and judged.high_ns is not None
        residency = max(up_us(judged.high_ns) if pays else declared[1], latency)
        states[name] = State(name, declared, latency, residency, hint and int(hint[1], 16), rows,
                             judged)
    if not states:
        raise Problem(f'{run.path}/environment.txt:1: there is no idle state of a CPU that was '
                      'measured')
    return list(states.values())


def source_of(states, table):
    """The name and the rows, with the numbers of the run in them."""
    if not table:
        return 'x_cstates', [filled(new_row(state.name, state.hint), state)
                             for state in states if state.hint is not None]
    found = {state.name: state for state in states}
    rows = table.rows
    if any(UNUSABLE in text for text in rows.values()):
        # The driver takes C1 or C1E, as it is told.
        rows = {name: usable(text, name in found) for name, text in rows.items()}
    return table.name, [filled(text, found[name]) if name in found else text
                        for name, text in rows.items()]


def line_of(states):
    """The parameter, and the names of the states whose numbers were raised for it: they rise from
    state to state there. None where it takes no such table."""
    parts, raised, latency, residency = [], [], 0, 0
    for state in states:
        latency = max(state.latency_us, latency + 1)
        residency = max(state.residency_us, latency, residency + 1)
        if latency > LATENCY_MOST_US or residency > RESIDENCY_MOST_US:
            return None, raised
        if (latency, residency) != (state.latency_us, state.residency_us):
            raised.append(f'{state.name} to {latency} and {residency} us')
        parts.append(f'{state.name}:{latency}:{residency}')
    line = PARAMETER + ','.join(parts)
    return (line if len(line) <= len(PARAMETER) + LINE_MOST else None), raised


def remarks(run, states, table, raised):
    """What somebody has to know before they paste it."""
    for state in states:
        if not state.rows:
            yield f'the exit latency of {state.name} was not measured: it is the declared one'
        if not state.found:
            yield f'the target residency of {state.name} was not judged: it is the declared one'
        elif state.found.high_ns is None:
            yield f'{state.name} does not pay below 50 ms: think of leaving it out'
        for row in state.rows:
            if row.verdict == 'SKIP' or row.qualifier:
                yield f'{row.name} is {row.verdict} {files.shown(row.reason or row.qualifier)}'
        most = collections.defaultdict(int)
        for row in state.rows:
            of = run.core_types.get(row.cpu, '')
            most[of] = max(most[of], up_us(row.smallest_pass_ns))
        if len(set(most.values())) > 1:
            asked = ' and '.join(f'{us} us for {of}' for of, us in sorted(most.items()))
            yield (f'one table serves all core types: {state.name} takes {asked}, and has the '
                   'larger one')
        if not table and state.hint is None:
            yield f'{state.name} is not entered by MWAIT: the table has no row for it'
    if not table:
        yield 'intel_idle has no table of this model: the name, and the flags, are to be looked at'
    for name in table.rows if table else ():
        if name not in {state.name for state in states}:
            yield f'{name} was not there: its row is that of the source'
    if raised:
        yield f'the parameter takes rising numbers only: it raises {", ".join(raised)}'


def measured_text(state):
    text = 'the exit latency was not measured'
    if state.rows:
        text = (f'{sum(row.valid for row in state.rows)} samples of '
                f'{len({row.cpu for row in state.rows})} CPUs, the largest of '
                f'{max(row.ordered[0][-1] for row in state.rows):.0f} ns, passes from '
                f'{max(row.smallest_pass_ns for row in state.rows)} ns on')
    found = state.found
    if found and found.break_even_ns is not None:
        text += f'; pays after {found.break_even_ns} ns ({found.low_ns} to {found.high_ns} ns)'
    return f'{state.name}: {text}.'


def paragraph(run, states, method, facts):
    rule = run.rows[0].rule
    rule = 'the largest sample' if rule == 'max' else f'the quantile {rule}'
    settings = {row.set for row in run.rows} | {f'held: {row.hold}' for row in run.rows if row.hold}
    said = [
        f'Measured by the selftest idle_latency on {facts["CPU model"]} (family '
        f'{facts["CPU family"]}, model {facts["CPU model number"]}, stepping '
        f'{facts["CPU stepping"]}, microcode {facts["microcode"]}), {facts["machine vendor"]} '
        f'{facts["machine product"]}, BIOS {facts["BIOS vendor"]} {facts["BIOS version"]} of '
        f'{facts["BIOS date"]}, turbo {facts["turbo"]}, under Linux {facts["kernel"]} with '
        f'{facts["cpuidle driver"]}, intel_idle.table {facts["intel_idle.table"]}, '
        f'settings {", ".join(sorted(filter(None, settings))) or "as they were"}.',
        f'Exit latencies are by {method}, by the rule: {rule}, with its error, must be within.',
        *map(measured_text, states)]
    if any(state.found for state in states):
        said.append('Target residencies are the upper bounds, each with 99.9 %, of the length from '
                    'which a state costs less energy than the one above it, by the counter of the '
                    'package (RAPL, which is a model and no meter).')
    said.append(f'latency_test {facts["latency_test"]}; {facts["arguments"]}')
    return '\n\n'.join(textwrap.fill(text, 72, break_on_hyphens=False) for text in said)


def run(options):
    measured = runs.load(options.results)
    method = method_of(measured, options.method)
    facts = collections.defaultdict(lambda: 'unknown', (
        line.partition(': ')[::2] for line in measured.lines))
    states = states_of(measured, method)
    table = None
    if facts['CPU vendor'] in ('GenuineIntel', 'unknown'):
        table = find_table(options.kernel, facts['CPU family'], facts['CPU model number'],
                           {state.name: state.declared for state in states})
    line, raised = line_of(states)
    parts = {'table': written(*source_of(states, table)).rstrip('\n'),
             'line': line or 'intel_idle.table= takes no such table: a number is too large for it',
             'text': paragraph(measured, states, method, facts)}
    if options.part:
        print(parts[options.part])
        return 0 if options.part != 'line' or line else 1
    print(parts['table'], '', parts['line'], '', *remarks(measured, states, table, raised), '',
          parts['text'], sep='\n')
    return 0

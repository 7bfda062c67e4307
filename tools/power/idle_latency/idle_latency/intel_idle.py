# SPDX-License-Identifier: GPL-2.0
"""Reads the tables of idle states in a kernel's own drivers/idle/intel_idle.c."""
import collections
import os
import re

from idle_latency.lines import Problem

SOURCE = 'drivers/idle/intel_idle.c'
FAMILIES = 'arch/x86/include/asm/intel-family.h'

TABLE = re.compile(r'^static struct cpuidle_state (\w+)\[\] __initdata = (\{\n.*?^\};)',
                   re.M | re.S)
ROW = re.compile(r'^\t\{\n(?:\t\t.*\n)+', re.M)
MODEL = re.compile(r'X86_MATCH_VFM\((INTEL_\w+),\s*&(\w+)\)')
CPU = re.compile(r'^static const struct idle_cpu (\w+) __initconst = \{(.*?)^\};', re.M | re.S)
FAMILY = re.compile(r'^#define\s+(INTEL_\w+)\s+IFM\((\d+), (0x[0-9A-Fa-f]+)\)', re.M)
UNUSABLE = ' | CPUIDLE_FLAG_UNUSABLE'

# TEXT is that of the source.
State = collections.namedtuple('State', 'name latency_us residency_us text')
Table = collections.namedtuple('Table', 'name states')


def field(text, name):
    found = re.search(rf'\.{name} = "?([\w-]+)"?,', text)
    return found[1] if found else ''


def states_of(text):
    for row in ROW.findall(text):
        if field(row, 'name'):
            yield State(field(row, 'name'), int(field(row, 'exit_latency')),
                        int(field(row, 'target_residency')), row)


def read(kernel, name):
    path = os.path.join(kernel, name)
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except OSError as error:
        raise Problem(f'{path}:1: {error.strerror}; --kernel takes the source of Linux') from error


def find(kernel, family, model, declared):
    """The table of a model, by its numbers as texts, or None. intel_idle has several ones of some
    models, such as for so many packages: of these it is the one with the numbers that are DECLARED,
    a dictionary of (us, us) by name, if there is one."""
    source = read(kernel, SOURCE)
    models = {(found[2], str(int(found[3], 16))): found[1]
              for found in FAMILY.finditer(read(kernel, FAMILIES))}
    cpu = dict(MODEL.findall(source)).get(models.get((family, model)))
    first = field(dict(CPU.findall(source)).get(cpu, ''), 'state_table')
    tables = [Table(name, list(states_of(text))) for name, text in TABLE.findall(source)
              if first and (name == first or name.startswith(f'{first}_'))]
    return next((table for table in tables if declared == {
        state.name: (state.latency_us, state.residency_us) for state in table.states
        if state.name in declared}), tables[0] if tables else None)


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

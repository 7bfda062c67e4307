# SPDX-License-Identifier: GPL-2.0
"""judge.py package RUN DATAPOINTS_CSV: how many of the samples for which a counter of the package
was read had its state, while the other CPUs were held.

judge.py kills RUN KILLS_CSV: whether each bit is what it was before a program that had set some was
killed, or what a user wrote meanwhile.

judge.py medians RUN SUMMARY_CSV: how far the medians of all rows are apart.
"""
import sys

from readers import Judge, table


def package(judge, path):
    states = [row['package'] for row in table(path) if row['package']]
    judge('samples that tell of the package', len(states) >= 300, len(states))
    judge.figure('samples with the package state while other CPUs are held, in percent',
                 [100 * sum(state != 'PC0' for state in states) / len(states)] if states else [])


def medians(judge, path):
    values = {row['method']: int(row['median_ns']) for row in table(path) if row['median_ns']}
    judge.figure('medians without pre-wake, largest less smallest',
                 [max(values.values()) - min(values.values())] if len(values) > 1 else [],
                 ': ' + ', '.join(f'{method} {value}' for method, value in values.items()))


# Where settings are: bits that are one by one, and the limit of the package, which is a number.
BITS = {'0x1fc': 1 << 1 | 1 << 30, '0xe2': 7 << 25 | 1 << 28, 'file': 1}
LIMIT = {'0xe2': 7}
# intel_c1_demotion, in the register
BY_FILE = 1 << 26 | 1 << 28


def wrong_bits(row, of_other):
    """OF_OTHER: bits that the user wrote by another name."""
    before, after, user = (int(row[name] or row['before']) for name in ('before', 'after', 'user'))
    limit = LIMIT.get(row['what'], 0)
    wrong = (after ^ user) & ~BITS[row['what']] & ~limit
    wrong |= (after ^ before) & (after ^ user) & BITS[row['what']]
    wrong |= limit * (after & limit not in (before & limit, user & limit))
    return wrong & ~of_other


def kills(judge, path):
    rows = table(path)
    written = {row['kill']: row['what'] for row in rows if row['user']}
    wrong, were_set = [], set()
    for row in rows:
        other = {('file', '0xe2'): BY_FILE, ('0xe2', 'file'): 1}.get(
            (written.get(row['kill']), row['what']), 0)
        if wrong_bits(row, other):
            wrong.append(f'kill {row["kill"]}, {row["what"]}: {int(row["before"]):#x}, by the user '
                         f'{int(row["user"] or 0):#x}, then {int(row["after"]):#x}')
        if row['meanwhile'] != row['before'] and not row['user']:
            were_set.add(row['kill'])
    count = len({row['kill'] for row in rows})
    judge('every bit is what it was, or what the user wrote', count and not wrong,
          '; '.join(wrong) or f'{count} kills')
    judge('settings were kept when it was killed', 4 * len(were_set) >= count, len(were_set))


def main():
    command, run, path = sys.argv[1:]
    {'package': package, 'medians': medians, 'kills': kills}[command](Judge(f'keep: {run}'), path)


main()

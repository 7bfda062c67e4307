# SPDX-License-Identifier: GPL-2.0
"""idle-latency report: writes a page about runs: what came of them first, and what that is from
below it."""
import numpy as np

from idle_latency import energy, files, figures, markup, pairs, runs, words
from idle_latency.markup import esc, lines, paragraph, plots, section, table, verdict_text
from idle_latency.pairs import Change
from idle_latency.statistics import LEAST, ranks_p

OVERLAYS = 'rows', 'methods', 'runs', 'machines'
QUANTILES = {'median': 50000, '90 %': 90000, '99 %': 99000, '99.9 %': 99900, '99.99 %': 99990,
             '99.999 %': 99999}
SLOW_COLUMNS = {'seq': 'seq', 'LDist': 'ldist_ns', 'SilentTime': 'silent_ns',
                'WakeLatency': 'wake_ns', 'IntrLatency': 'intr_ns', 'error': 'error_ns'}
# Of the values of statistics.csv
MEANWHILE = {'busy_pct': 'CPU {} busy, %', 'interrupts': 'interrupts {}',
             'throttled': 'throttled with its {}', 'smi': 'SMIs', 'power_mw': 'package {}, mW'}
MEANWHILE_MOST = 8
FEW = 8                         # Of so many CPUs each has a section of its own.
FAILING = 4                     # else so many of those that FAIL


class Page:
    def __init__(self, all_runs, overlay):
        self.runs = all_runs
        self.numbered = list(enumerate(all_runs, 1))
        self.several = len(all_runs) > 1
        self.overlay = overlay
        self.cores = {run: [words.Cores(run, row) for row in run.types] for run in all_runs}
        self.shown = {run: shown_rows(run, self.cores[run]) for run in all_runs}
        self.ids = {row: f'run{i}-row{j}' for i, run in self.numbered
                    for j, row in enumerate(run.rows, 1) if row in self.shown[run]}
        self.ids.update({row: f'run{i}-type{j}' for i, run in self.numbered
                         for j, row in enumerate(run.types, 1)})
        self.keys = list(dict.fromkeys(row.key for run in all_runs for row in run.rows))

    def link(self, row):
        return f'<a href="#{self.ids[row]}">{esc(row.name)}</a>' if row in self.ids else \
            esc(row.name)

    def where(self, run):
        return f' <span class="soft">in {esc(run.path)}</span>' * self.several

    def write(self):
        parts = [self.differences()] if self.several else []
        parts += [self.verdicts(), *self.overlays()]
        parts += [energy.section(run, f'run{number}-energy', self.where(run))
                  for number, run in self.numbered]
        parts += [self.type_section(run, each) for run in self.runs for each in self.cores[run]]
        for key in self.keys:
            rows = {run: run.find(key) for run in self.runs if run.find(key)}
            parts += [self.row_section(run, row, rows.values()) for run, row in rows.items()
                      if row in self.ids]
        return markup.document([*parts, self.environment()])

    def verdicts(self):
        text = ''
        for number, run in self.numbered:
            text += f'<h3>Run {number}</h3>\n' if self.several else ''
            text += markup.machine(run.rows[0], run.path)
            for kept in {words.kept(row): None for row in run.rows if words.kept(row)}:
                text += paragraph(f'Measured with <b>{esc(kept)}</b>.', 'kept')
            text += self.type_table(run)
            left_out = (f'Of {len(run.rows)} rows, these are what no core type has, the slowest '
                        f'CPUs, and up to {FAILING} CPUs of a type that FAIL; summary.csv '
                        'has all.') if len(self.shown[run]) < len(run.rows) else ''
            text += table(['CPU, method, state', 'verdict', '#declared', '#median', '#99 %',
                           '#99.99 %', '#max', '#samples'],
                          map(self.verdict_row, self.shown[run]), left_out)
            text += reached_table(self.shown[run]) + afterwards_table(run, self.shown[run])
        text += paragraph('Times are in ns. They are WakeLatency, or IntrLatency where a state is '
                          'entered with interrupts enabled. A quantile that less than one of the '
                          'samples may exceed is not given.', 'soft')
        used = {name for run in self.runs for row in run.rows for name in row.qualifier.split('+')}
        text += ''.join(paragraph(f'<b>{name}</b>: {meaning}.', 'soft')
                        for name, meaning in words.QUALIFIERS.items() if name in used)
        return section('Verdicts', text, 'verdicts')

    def type_table(self, run):
        """What the CPUs of each core type come to together."""
        return table(
            ['core type, method, state', 'verdict', '#CPUs', '#FAIL', '#declared', '#median',
             '#max', '#samples', '#above, %', 'slowest'],
            map(self.type_row, self.cores[run]),
            'The median of a type is that of its CPUs; above is the mean of their shares of '
            'samples above the limit. The slowest CPU is named where latency_test says that it is '
            'slower than the others together: by more than the margin of comparisons and, with '
            '0.001 for all CPUs, by more than chance.')

    def type_row(self, each):
        row, slowest = each.row, each.slowest
        above = '-' if each.above is None else f'{100 * each.above:.3g}'
        return [self.link(row), verdict_text(row, row.qualifier), len(each.cpus),
                len(each.failing), row.declared_ns, row.median_ns or row.intr_median_ns,
                row.max_ns or row.intr_max_ns, row.valid,
                above, self.link(slowest) if slowest else '-']

    def type_section(self, run, each):
        row = each.row
        text = paragraph(f'{verdict_text(row, row.qualifier)}.') + remarks(row)
        text += plots(figures.of_type(each)) if each.ordered else ''
        return section(f'{esc(row.name)}{self.where(run)}', text, self.ids[row], 'type')

    def verdict_row(self, row):
        times = row.ordered[0]
        return [self.link(row), verdict_text(row, row.qualifier), row.declared_ns,
                *(runs.quantile(times, part) for part in (50000, 99000, 99990)),
                times[-1] if len(times) else None, None if row.armed is None else len(times)]

    def row_section(self, run, row, peers):
        text = paragraph(f'{verdict_text(row)}. {esc(words.qualified(row))}')
        text += remarks(row)
        below = ['' if row.armed is None else discards(row), meanwhile(row)]
        if len(row.samples):
            peers = [each for each in peers
                     if len(each.samples) and each.has_wake == row.has_wake]
            text += paragraph(esc(words.knees(row)), 'knees') + facts(row) + plots(
                figures.of_row(row, peers))
            below.append(slowest(row))
        elif row.armed is None:
            text += paragraph('There is no plot, as it was not measured, for the reason above.')
        else:
            text += paragraph(f'There is no plot, as there is no sample: of {row.armed} events '
                              f'that were armed, {row.discarded} were discarded.')
        below = ''.join(f'<div>{part}</div>\n' for part in below if part)
        return section(f'{esc(row.name)}{self.where(run)}',
                       f'{text}<div class="below">\n{below}</div>\n', self.ids[row])

    def overlays(self):
        """Groups of rows that are on the same axes, by what they differ in."""
        groups = {}
        for number, run in self.numbered if self.overlay else ():
            for row in run.rows:
                cpu, method, state = row.place
                state += ' at once' * row.at_once
                group, name = {
                    'rows': (f'run {number}', row.name),
                    'methods': (f'run {number}, cpu{cpu} {state}', method),
                    'runs': (row.name, f'run {number}'),
                    'machines': (f'{method} {state}', f'{row.machine} {row.cpu_model} cpu{cpu}' +
                                 f', run {number}' * self.several),
                }[self.overlay]
                if len(row.samples):
                    groups.setdefault(group, []).append((files.shown(name), row))
        for group, members in groups.items():
            for first in range(0, len(members) if len(members) > 1 else 0, figures.SERIES_MAX):
                drawn = figures.of_overlay(*zip(*members[first:first + figures.SERIES_MAX]))
                yield section(f'By {self.overlay}: {esc(group)}', plots(drawn), classes='overlay')

    def differences(self):
        """From the first run to each of the others of the same machine."""
        first = self.runs[0]
        found, answers = {}, ''
        for number, run in self.numbered[1:]:
            why = pairs.runs_differ([first, run])
            if not why:
                found[number] = {row.key: pair for pair in pairs.compare(first, run)
                                 for row in (pair.b, pair.a) if row}
            change = Change.UNCOMPARABLE if why else pairs.overall(
                pair.change for pair in found[number].values())
            answers += (f'<b>Run {number} against run 1: {change.value}</b>' +
                        (f': {why}. ' if why else '. '))
        changed = [key for key in self.keys if any(
            key in rows and rows[key].change.is_found for rows in found.values())]
        order = changed + [key for key in self.keys if key not in changed and
                           any(run.find(key) in self.ids for run in self.runs)]
        text = paragraph(answers)
        text += lines([f'Run {number} is {run.path}' for number, run in self.numbered], '', 'runs')
        text += table(['row', '#in ns', *(f'#run {number}' for number, _ in self.numbered),
                       *['result'] * bool(found)],
                      [self.difference_row(key, found) for key in order],
                      'Of the samples that count; the tables below have all samples.')
        text += '<h2>Differences in environment</h2>\n'
        common = runs.common_lines(self.runs)
        for number, run in self.numbered:
            own = [line for line in runs.common_lines([run]) if line not in common]
            text += (f'<h3>Run {number}, {esc(run.path)}</h3>\n' +
                     lines(own, 'Nothing that another run has not.'))
        return section('What changed', text, 'differences')

    def difference_row(self, key, found):
        rows = [run.find(key) for run in self.runs]
        yield self.link(next(filter(None, rows)))
        yield 'median<br>max'
        for row in rows:
            times = pairs.counted(row, 'wake') if pairs.has_samples(row) else ()
            yield f'{runs.quantile(times, 50000):.0f}<br>{times[-1]}' if len(times) else '-'
        yield '<br>'.join((f'in run {number}, it ' if len(rows) > 2 else '') + result(
            number, of.get(key)) for number, of in found.items())

    def environment(self):
        text = paragraph('What all runs have; for the rest, see <a href="#differences">the '
                         'differences</a>.') if self.several else ''
        text += lines(runs.common_lines(self.runs), 'Nothing is known of it.')
        for number, run in self.numbered:
            measured = list(filter(runs.MEASURED.match, run.lines))
            where = f', in run {number}' if self.several else ''
            text += f'<h3>Measured beside it{where}</h3>\n{lines(measured)}' if measured else ''
        return section('Environment', text, 'environment')


def shown_rows(run, cores):
    """The rows that have a section of a page: of many CPUs those that matter, and each that no
    type has."""
    if len({row.cpu for row in run.rows}) <= FEW:
        return run.rows
    typed = {cpu for each in cores for cpu in each.cpus}
    shown = {cpu for each in cores for cpu in (*each.failing[:FAILING], each.slowest)}
    return [row for row in run.rows if row in shown or row not in typed]


def result(number, pair):
    """What became of a row from the first run to another one."""
    if not pair:
        return 'was not measured'
    moved = pair.change.value if pair.change.is_found else ''
    what = '; '.join([words.what(pair), *words.declared(pair)])
    return f'<span class="{moved}">{esc(words.named(what, "run 1", f"run {number}"))}</span>'


def reached_table(shown):
    """Which state was requested, and where the core and the package were for the longest time."""
    found = [(row, words.reached_states(row)) for row in shown if len(row.samples)]
    columns = sorted({name for _, states in found for name in states},
                     key=lambda name: (name.startswith('PC'), len(name), name))
    rows = [(esc(row.name), (row.samples['reached'] == 1).sum() if row.reach_known else None,
             *(states[name] for name in columns)) for row, states in found]
    return table(
        ['requested', '#reached', *(f'#{name}' for name in columns)], rows,
        title='Requested and reached states', note=(
            'Samples that reached what was requested, and how many were longest in which state of '
            'the core, and of which the package reached which state.'))


def afterwards_table(run, shown):
    """What it takes from the wake-up to the handler, beside all of the way to it while awake."""
    awake = {(*row.place[:2], row.at_once): row.ordered[1] for row in run.rows
             if row.state == 'POLL' and len(row.samples)}
    rows = []
    for row in shown:
        poll = awake.get((*row.place[:2], row.at_once))
        if row.has_wake and poll is not None and row.state != 'POLL':
            handled = np.sort(row.samples['intr_ns'] - row.samples['wake_ns'])
            medians = [runs.quantile(times, 50000) for times in (handled, poll)]
            rows.append((esc(row.name), *medians, f'{medians[0] - medians[1]:+.0f}',
                         f'{ranks_p(poll, handled):.2g}' if len(row.samples) >= LEAST else '-'))
    return table(
        ['row', '#until the handler', '#awake', '#longer', '#p'], rows,
        title='After the wake-up', note=(
            'Medians in ns: from the end of WakeLatency until the handler of the event runs, and '
            'IntrLatency of POLL, where the CPU is awake. It is longer by what the kernel does '
            'before it enables interrupts, and by caches that are cold and a clock that is slow. '
            'p: that chance alone makes it so much longer (Mann and Whitney). No verdict goes by '
            'it.'))


def facts(row):
    """Statistics are of all samples."""
    times, intr = row.ordered
    known = {'declared': row.declared_ns, 'smallest limit that passes': row.smallest_pass_ns,
             'minimum': times[0], 'mean': times.mean(),
             'standard deviation': times.std(ddof=1) if len(times) > 1 else None,
             **{name: runs.quantile(times, part) for name, part in QUANTILES.items()},
             'maximum': times[-1]}
    if row.has_wake:
        known.update({'IntrLatency, median': runs.quantile(intr, 50000),
                      'IntrLatency, 99 %': runs.quantile(intr, 99000),
                      'IntrLatency, maximum': intr[-1]})
    texts = {name: f'{value:.{1 if name in ("mean", "standard deviation") else 0}f} ns'
             for name, value in known.items() if value is not None}
    low, middle, high = (f'{value / 100:.0f}' for value in row.frequency or (0, 0, 0))
    frequency = f'{low} to {high}' if row.frequency_differs else middle
    texts.update({
        'rule': row.rule, 'armed': row.armed, 'samples': len(times), 'above the limit': row.above,
        'discarded': row.discarded,
        'reached the state': row.reached,
        'launch distance': f'{row.ldist_from_ns} to {row.ldist_to_ns} ns' +
                           f', a sweep of {len(row.steps)} steps' * bool(row.steps),
        'measured with': esc(words.kept(row)) or None,
        'measured': 'at once with other CPUs' if row.at_once else None,
        'frequency after the wake-up':
            f"{frequency} % of the TSC's rate" if row.frequency else None,
        'stamps': 'of the cpu_idle tracepoint' if row.stamp == 'probe' else
                  'around the idle state'})
    return '<dl class="facts">\n' + ''.join(
        f'<div><dt>{name}</dt><dd>{text}</dd></div>\n' for name, text in texts.items()
        if text is not None) + '</dl>\n'


def remarks(row):
    return ''.join(paragraph(esc(each), 'said') for each in row.remarks)


def discards(row):
    text = '<h3>Discarded events</h3>\n'
    if row.discards and row.discarded:
        # Runs of an earlier version have no such column.
        took = ', '.join(filter(None, (each.get('meanwhile') for each in row.discards)))
        text += table(['reason', '#events', '#above', '#largest, ns'], [
            (esc(each['reason']), each['count'], each['above'], each['largest_ns'])
            for each in row.discards])
        text += paragraph('While this row was measured, the CPU also took, beside the interrupts '
                          f'of the event source: {esc(took)}.') if took else ''
    elif row.discarded:
        text += paragraph(f'{row.discarded}, for reasons that this run did not write (it has no '
                          'discards.csv).')
    else:
        text += paragraph('None.')
    return text


def meanwhile(row):
    """What the machine did beside the row, of each kind that of which there was most."""
    kinds = {}
    for each in row.meanwhile:
        kinds.setdefault(each['what'], {}).setdefault(each.get('of', ''), []).append(each)
    seconds = sum({each.get('time_s'): each['seconds'] for each in row.meanwhile}.values())
    lines, left_out = [], 0
    for what, of_kind in kinds.items():
        shares = what.endswith(('_pct', '_mw'))
        found = []
        for of, readings in of_kind.items():
            values = [float(each['value']) for each in readings]
            in_all = sum(value * each['seconds'] if shares else value
                         for value, each in zip(values, readings))
            found.append((in_all, MEANWHILE.get(what, what + ' {}').replace('{}', of), max(values)))
        found.sort(reverse=True)
        left_out += len(found[MEANWHILE_MOST:])
        lines += [(esc(name), in_all / seconds if seconds else None, most,
                   None if shares else in_all) for in_all, name, most in found[:MEANWHILE_MOST]]
    more = f' {left_out} more are in statistics.csv.' * bool(left_out)
    return table(['what', '#mean', '#largest', '#in all'], lines,
                 title='What the machine did meanwhile', note=(
                     'Means of the whole time, of what is counted in a second; the largest is that '
                     f'of a reading, which is once a second.{more}'))


def slowest(row):
    rows = []
    for sample in row.samples[row.slowest]:
        shares = ', '.join(f'{runs.counter_name(column)} {sample[column]:.1f}&nbsp;%'
                           for column in runs.RESIDENCIES if sample[column] > 0)
        rows.append([*(sample[name] for name in SLOW_COLUMNS.values()), shares or 'no counter'])
    count = {1: 'one sample', runs.SLOWEST: 'ten samples'}.get(len(rows), f'{len(rows)} samples')
    return table([*(f'#{name}' for name in SLOW_COLUMNS), 'residency'], rows, classes='cards ten',
                 title=f'The {count} with the largest {row.latency_name} less its error, in ns')


def add_arguments(parser):
    parser.add_argument('runs', nargs='+', metavar='RUN',
                        help='a directory that latency_test --out has written')
    parser.add_argument('-o', '--out', required=True, metavar='DIR',
                        help='where the page is to be; it is made if it is not there')
    parser.add_argument('--overlay', choices=OVERLAYS,
                        help='also draw what differs in this on the same axes')


def run(options):
    page = Page(list(map(runs.load, options.runs)), options.overlay)
    markup.save(page.write(), options.out)
    return 0

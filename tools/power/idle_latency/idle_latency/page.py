# SPDX-License-Identifier: GPL-2.0
"""idle-latency report: writes a page about runs: what came of them first, and what that is from
below it. It is one file without scripts that needs no network."""
import html
import os
import re

import numpy as np

from idle_latency import explain, figures, pairs, runs, words
from idle_latency.pairs import Change

RUNS_MAX = 64                   # Beyond that nobody compares runs by looking at them.
OVERLAYS = 'rows', 'methods', 'runs', 'machines'
QUANTILES = {'90 %': 90000, '99 %': 99000, '99.9 %': 99900, '99.99 %': 99990, '99.999 %': 99999}
SLOW_COLUMNS = {'seq': 'seq', 'LDist': 'ldist_ns', 'Silent<wbr>Time': 'silent_ns',
                'Wake<wbr>Latency': 'wake_ns', 'Intr<wbr>Latency': 'intr_ns', 'error': 'error_ns'}
KINDS = {'#': 'n', '.': 'name'}     # of columns of a table
# A browser asks for an icon where the page names none.
PAGE = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
<title>Exit latency of idle states</title>
<style>
{style}</style>
</head>
<body>
<h1>Exit latency of idle states</h1>
{body}</body>
</html>
'''


def esc(text):
    return html.escape(runs.shown(text))


def table(columns, rows, classes=''):
    """Columns of numbers begin with #, and a name of these with a dot. A number that is not known
    is -."""
    cards = classes == 'cards'      # each row by itself, where there is no room for a table

    def cell(column, value):
        kind = KINDS.get(column[0])
        if not kind:
            return f'<td class="all">{value}</td>' if cards else f'<td>{value}</td>'
        if not isinstance(value, str):
            value = '-' if value is None or np.isnan(value) else f'{value:.0f}'
        label = f' data-label="{column[1:]}"' * cards
        return f'<td class="{kind}"{label}>{value}</td>'

    head = ''.join(f'<th class="{KINDS[name[0]]}">{name[1:]}</th>' if name[0] in KINDS else
                   f'<th>{name}</th>' for name in columns)
    return (f'<div class="wide"><table class="{classes}"><thead><tr>{head}</tr></thead><tbody>\n' +
            ''.join(f'<tr>{"".join(map(cell, columns, row))}</tr>\n' for row in rows) +
            '</tbody></table></div>\n')


def paragraph(text, classes=''):
    return (f'<p class="{classes}">' if classes else '<p>') + f'{text}</p>\n' if text else ''


def lines(all_lines, otherwise='', classes='environment'):
    if not all_lines:
        return paragraph(otherwise)
    return (f'<ul class="{classes}">\n' + ''.join(f'<li>{esc(line)}</li>\n' for line in all_lines) +
            '</ul>\n')


def verdict_mark(row):
    return f'<span class="{row.verdict}">{row.verdict}</span>'


class Page:
    def __init__(self, all_runs, overlay):
        self.runs = all_runs
        self.numbered = list(enumerate(all_runs, 1))
        self.several = len(all_runs) > 1
        self.overlay = overlay
        self.ids = {id(row): f'run{i}-row{j}' for i, run in self.numbered
                    for j, row in enumerate(run.rows, 1)}
        self.keys = list({row.key: None for run in all_runs for row in run.rows})
        self.common = set.intersection(*(set(run.lines) for run in all_runs))

    def link(self, row):
        return f'<a href="#{self.ids[id(row)]}">{esc(row.name)}</a>'

    def write(self):
        parts = [self.differences()] if self.several else []
        parts += [self.verdicts(), *self.overlays()]
        for key in self.keys:
            rows = [row for run in self.runs for row in run.rows if row.key == key]
            parts += [self.section(run, run.find(key), rows) for run in self.runs if run.find(key)]
        parts.append(self.environment())
        with open(os.path.join(os.path.dirname(__file__), 'page.css'), encoding='utf-8') as file:
            return PAGE.format(style=file.read(), body=''.join(parts))

    def verdicts(self):
        text = '<section id="verdicts">\n<h2>Verdicts</h2>\n'
        for number, run in self.numbered:
            first = run.rows[0]
            machine = first.machine, first.cpu_model, first.driver, first.kernel, run.path
            text += f'<h3>Run {number}</h3>\n' if self.several else ''
            text += paragraph(' &middot; '.join(map(esc, filter(None, machine))), 'soft')
            for kept in {words.kept(row): None for row in run.rows if words.kept(row)}:
                text += paragraph(f'Measured with <b>{esc(kept)}</b>.', 'kept')
            text += table(['CPU, method, state', 'verdict', '#declared', '#median', '#99 %',
                           '#99.99 %', '#max', '#samples'],
                          map(self.verdict_row, run.rows), 'cards')
            text += reached_table(run)
        text += paragraph('Times are in ns. They are WakeLatency, or IntrLatency where a state is '
                          'entered with interrupts enabled. A quantile that less than one of the '
                          'samples may exceed is not given.', 'soft')
        used = {name for run in self.runs for row in run.rows for name in row.qualifier.split('+')}
        return text + ''.join(paragraph(f'<b>{name}</b>: {meaning}.', 'soft') for name, meaning in
                              explain.QUALIFIERS.items() if name in used) + '</section>\n'

    def verdict_row(self, row):
        times = row.ordered[0]
        what = esc(f' {row.qualifier}' * bool(row.qualifier) + f': {row.reason}' * bool(row.reason))
        return [self.link(row), verdict_mark(row) + what, row.declared_ns,
                *(runs.quantile(times, part) for part in (50000, 99000, 99990)),
                times[-1] if len(times) else None, None if row.armed is None else len(times)]

    def section(self, run, row, peers):
        where = f' <span class="soft">in {esc(run.path)}</span>' if self.several else ''
        reason = f': {esc(row.reason)}' if row.reason else ''
        verdict = re.sub(f'({"|".join(explain.QUALIFIERS)}):', r'<b>\1</b>:',
                         esc(explain.verdict(row)))
        text = (f'<section id="{self.ids[id(row)]}">\n<h2>{esc(row.name)}{where}</h2>\n' +
                paragraph(f'{verdict_mark(row)}{reason}. {verdict}'))
        text += paragraph(esc(explain.sweep(row)), 'sweep') if row.steps else ''
        if len(row.samples):
            peers = [each for each in peers
                     if len(each.samples) and each.has_wake == row.has_wake]
            text += paragraph(esc(explain.knees(row)), 'knees') + facts(row) + plots(
                figures.of_row(row, peers))
        elif row.armed is None:
            text += paragraph('There is no plot, as it was not measured, for the reason above.')
        else:
            text += paragraph(f'There is no plot, as there is no sample: of {row.armed} events '
                              f'that were armed, {row.discarded} were discarded.')
        below = '' if row.armed is None else discards(row)
        below += slowest(row) if len(row.samples) else ''
        return text + f'<div class="below">\n{below}</div>\n</section>\n'

    def overlays(self):
        """Groups of rows that are on the same axes, by what they differ in."""
        groups = {}
        for number, run in self.numbered if self.overlay else ():
            for row in run.rows:
                cpu, method, state = row.key
                group, name = {
                    'rows': (f'run {number}', row.name),
                    'methods': (f'run {number}, cpu{cpu} {state}', method),
                    'runs': (row.name, f'run {number}'),
                    'machines': (f'{method} {state}', f'{row.machine} {row.cpu_model} cpu{cpu}'),
                }[self.overlay]
                if len(row.samples):
                    groups.setdefault(group, []).append((runs.shown(name), row))
        for group, members in groups.items():
            for first in range(0, len(members) if len(members) > 1 else 0, figures.SERIES_MAX):
                drawn = figures.of_overlay(*zip(*members[first:first + figures.SERIES_MAX]))
                yield (f'<section class="overlay">\n<h2>By {self.overlay}: {esc(group)}</h2>\n'
                       f'{plots(drawn)}</section>\n')

    def differences(self):
        """From the first run to each of the others of the same machine."""
        first = self.runs[0]
        found, answers = {}, ''
        for number, run in self.numbered[1:]:
            why = pairs.runs_differ(first, run)
            if not why:
                found[number] = {pair.key: pair for pair in pairs.compare(first, run)}
            change = Change.UNCOMPARABLE if why else pairs.overall(
                pair.change for pair in found[number].values())
            answers += (f'<b>Run {number} against run 1: {change.value}</b>' +
                        (f': {why}. ' if why else '. '))
        changed = [key for key in self.keys if any(
            rows[key].change in (Change.SLOWER, Change.FASTER) for rows in found.values()
            if key in rows)]
        order = changed + [key for key in self.keys if key not in changed]
        text = '<section id="differences">\n<h2>What changed</h2>\n' + paragraph(answers)
        text += lines([f'Run {number} is {run.path}' for number, run in self.numbered], '', 'runs')
        text += table(['row', '.in ns', *(f'#run {number}' for number, _ in self.numbered),
                       *['result'] * bool(found)],
                      [self.difference_row(key, found) for key in order], 'cards')
        text += paragraph('Of the samples that count; the tables below have all samples.', 'soft')
        text += '<h2>Differences in environment</h2>\n'
        for number, run in self.numbered:
            own = [line for line in run.lines
                   if line not in self.common and not runs.MEASURED.match(line)]
            text += (f'<h3>Run {number}, {esc(run.path)}</h3>\n' +
                     lines(own, 'Nothing that another run has not.'))
        return text + '</section>\n'

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
        text = '<section id="environment">\n<h2>Environment</h2>\n'
        if self.several:
            text += paragraph('What all runs have; for the rest, see <a href="#differences">the '
                              'differences</a>.')
        text += lines([line for line in self.runs[0].lines if line in self.common and
                       not runs.MEASURED.match(line)], 'Nothing is known of it.')
        for number, run in self.numbered:
            measured = list(filter(runs.MEASURED.match, run.lines))
            where = f', in run {number}' if self.several else ''
            text += f'<h3>Measured beside it{where}</h3>\n{lines(measured)}' if measured else ''
        return text + '</section>\n'


def plots(drawn):
    return f'<div class="plots">\n{"".join(plot.html() for plot in drawn)}</div>\n'


def result(number, pair):
    """What became of a row from the first run to another one."""
    if not pair:
        return 'was not measured, nor in run 1'
    moved = pair.change.value if pair.change in (Change.SLOWER, Change.FASTER) else ''
    names = {'A': 'run 1', 'B': f'run {number}'}
    what = '; '.join(filter(None, (words.what(pair), words.frequencies(pair))))
    what = re.sub(r'\b[AB]\b', lambda name: names[name[0]], what)
    text = f'<span class="{moved}">{esc(what)}</span>'
    if pair.a and pair.b and pair.a.verdict != pair.b.verdict:
        text += f'; {verdict_mark(pair.a)} became {verdict_mark(pair.b)}'
    return text


def reached_table(run):
    """Which state was requested, and where the core and the package were for the longest time."""
    found = [(row, *explain.reached_state(row)) for row in run.rows if len(row.samples)]
    columns = sorted({name for _, *states in found for state in states for name in state},
                     key=lambda name: (name.startswith('PC'), len(name), name))
    if not columns:
        return ''
    rows = [(esc(row.name), (row.samples['reached'] == 1).sum() if row.reach_known else None,
             *({**core, **package}.get(name, 0) for name in columns))
            for row, core, package in found]
    return ('<h3>Requested and reached states</h3>\n' +
            table(['requested', '#reached', *(f'#{name}' for name in columns)], rows) +
            paragraph('Samples that reached what was requested, and how many were longest in which '
                      'state of the core, and of which the package reached which state.', 'soft'))


def facts(row):
    """Statistics are of all samples."""
    times, intr = row.ordered
    known = {'declared': row.declared_ns, 'minimum': times[0], 'mean': times.mean(),
             'standard deviation': times.std(ddof=1) if len(times) > 1 else None,
             'median': runs.quantile(times, 50000),
             **{name: runs.quantile(times, part) for name, part in QUANTILES.items()},
             'maximum': times[-1]}
    if row.has_wake:
        known.update({'IntrLatency, median': runs.quantile(intr, 50000),
                      'IntrLatency, 99 %': runs.quantile(intr, 99000),
                      'IntrLatency, maximum': intr[-1]})
    texts = {name: f'{value:.{1 if name in ("mean", "standard deviation") else 0}f} ns'
             for name, value in known.items() if value is not None}
    texts.update({'armed': row.armed, 'samples': len(times), 'discarded': row.discarded})
    if row.reached_count is not None:
        texts['reached the state'] = row.reached_count
    texts['launch distance'] = f'{row.ldist_from_ns} to {row.ldist_to_ns} ns' + (
        f', a sweep of {len(row.steps)} steps' if row.steps else '')
    if words.kept(row):
        texts['measured with'] = esc(words.kept(row))
    if row.frequency:
        low, middle, high = (f'{value / 100:.0f}' for value in row.frequency)
        texts['frequency after the wake-up'] = (
            f'{low} to {high} %' if row.frequency_differs else f'{middle} %') + " of the TSC's rate"
    texts['stamps'] = ('of the cpu_idle tracepoint' if row.stamp == 'probe' else
                       'around the idle state')
    return '<dl class="facts">\n' + ''.join(
        f'<div><dt>{name}</dt><dd>{text}</dd></div>\n' for name, text in texts.items()) + '</dl>\n'


def discards(row):
    text = paragraph('None.')
    if row.discards and row.discarded:
        text = table(['reason', '#events', '#above', '#largest, ns'], [
            (esc(each['reason']), each['count'], each['above'], each['largest_ns'])
            for each in row.discards])
        # Runs of an earlier version have no such column.
        took = ', '.join(filter(None, (each.get('meanwhile') for each in row.discards)))
        text += paragraph('While this row was measured, the CPU also took, beside the interrupts '
                          f'of the event source: {esc(took)}.') if took else ''
    elif row.discarded:
        text = paragraph(f'{row.discarded}, for reasons that this run did not write (it has no '
                         'discards.csv).')
    return f'<div><h3>Discarded events</h3>\n{text}</div>\n'


def slowest(row):
    rows = []
    for sample in row.samples[figures.slowest(row)]:
        shares = ', '.join(f'{figures.counter_name(column)} {sample[column]:.1f}&nbsp;%'
                           for column in runs.RESIDENCIES if sample[column] > 0)
        rows.append([*(sample[name] for name in SLOW_COLUMNS.values()), shares or 'no counter'])
    count = {1: 'one sample', figures.SLOWEST: 'ten samples'}.get(len(rows), f'{len(rows)} samples')
    return (f'<div><h3>The {count} with the largest '
            f'{"WakeLatency" if row.has_wake else "IntrLatency"} less its error, in ns</h3>\n' +
            table([*(f'#{name}' for name in SLOW_COLUMNS), 'residency'], rows, 'ten') + '</div>\n')


def add_arguments(parser):
    parser.add_argument('runs', nargs='+', metavar='RUN',
                        help='a directory that latency_test --out has written')
    parser.add_argument('-o', '--out', required=True, metavar='DIR',
                        help='where the page is to be; it is made if it is not there')
    parser.add_argument('--overlay', choices=OVERLAYS,
                        help='also draw what differs in this on the same axes')


def run(options):
    """A page that is not complete never has the name of one."""
    if len(options.runs) > RUNS_MAX:
        raise runs.Problem(f'{options.runs[RUNS_MAX]}:1: this is a run too many, give '
                           f'{RUNS_MAX} at most')
    text = Page([runs.load(path) for path in options.runs], options.overlay).write()
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, 'index.html')
    try:
        with open(f'{path}.partial', 'w', encoding='utf-8') as file:
            file.write(text)
        os.replace(f'{path}.partial', path)
    except OSError:
        if os.path.exists(f'{path}.partial'):
            os.unlink(f'{path}.partial')
        raise
    return 0

# SPDX-License-Identifier: GPL-2.0
"""The page about runs: what came of it first, and what that is from below it. It is one file
without scripts that needs no network."""
import html
import os
import re

import numpy as np

from idle_latency import explain, figures, pairs, runs, words

RUNS_MAX = 64                   # Beyond that nobody compares runs by looking at them.
QUANTILES = {'90 %': 90000, '99 %': 99000, '99.9 %': 99900, '99.99 %': 99990, '99.999 %': 99999}
# A time that was measured is another one in each run, by chance at least, so that it would be
# among the differences of any two runs.
MEASURED = re.compile('cpu[0-9]+: (?:awake IntrLatency by|delivery by|software around) ')
SLOW_COLUMNS = {'seq': 'seq', 'LDist': 'ldist_ns', 'Silent<wbr>Time': 'silent_ns',
                'Wake<wbr>Latency': 'wake_ns', 'Intr<wbr>Latency': 'intr_ns', 'error': 'error_ns'}


def esc(text):
    return html.escape(runs.shown(text))


def cell(value, label=None):
    """A number of a table; - where it is not known."""
    label = f' data-label="{label}"' if label else ''
    known = value is not None and not np.isnan(value)
    return f'<td class="n"{label}>{format(value, ".0f") if known else "-"}</td>'


def table(columns, rows, classes='', first='row', more=()):
    """COLUMNS are of numbers. MORE: of text, behind them."""
    head = ''.join(f'<th class="n">{name}</th>' for name in columns)
    head += ''.join(f'<th>{name}</th>' for name in more)
    first = ''.join(f'<th>{name}</th>' for name in first.split('|') if name)
    return (f'<div class="wide"><table class="{classes}"><thead><tr>{first}{head}</tr></thead>'
            '<tbody>\n' + ''.join(f'<tr>{row}</tr>\n' for row in rows) +
            '</tbody></table></div>\n')


def verdict_mark(row):
    return f'<span class="{row.verdict}">{row.verdict}</span>'


class Page:
    def __init__(self, all_runs, overlay):
        self.runs = all_runs
        self.overlay = overlay
        self.ids = {id(row): f'run{i}-row{j}' for i, run in enumerate(all_runs, 1)
                    for j, row in enumerate(run.rows, 1)}
        self.keys = list({row.key: None for run in all_runs for row in run.rows})

    def several(self):
        return len(self.runs) > 1

    def link(self, row):
        return f'<td class="all"><a href="#{self.ids[id(row)]}">{esc(row.name)}</a></td>'

    def write(self):
        parts = [self.differences()] if self.several() else []
        parts += [self.verdicts(), *self.overlays()]
        for key in self.keys:
            rows = [row for run in self.runs for row in run.rows if row.key == key]
            parts += [self.section(run, run.find(key), rows) for run in self.runs if run.find(key)]
        parts.append(self.environment())
        with open(os.path.join(os.path.dirname(__file__), 'page.css'), encoding='utf-8') as file:
            style = file.read()
        # A browser asks for an icon where the page names none.
        return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
                '<link rel="icon" href="data:,">\n<title>Exit latency of idle states</title>\n'
                f'<style>\n{style}</style>\n</head>\n<body>\n<h1>Exit latency of idle states</h1>\n'
                f'{"".join(parts)}</body>\n</html>\n')

    def verdicts(self):
        text = '<section id="verdicts">\n<h2>Verdicts</h2>\n'
        for number, run in enumerate(self.runs, 1):
            first = run.rows[0]
            machine = (first.machine, first.cpu_model, first.driver, first.kernel, run.path)
            text += f'<h3>Run {number}</h3>\n' if self.several() else ''
            text += f'<p class="soft">{" &middot; ".join(map(esc, filter(None, machine)))}</p>\n'
            text += table(['declared', 'median', '99 %', '99.99 %', 'max', 'samples'],
                          map(self.verdict_row, run.rows), 'cards',
                          'CPU, method, state|verdict')
            text += reached_table(run)
        text += ('<p class="soft">Times are in ns. They are WakeLatency, or IntrLatency where a '
                 'state is entered with interrupts enabled. A quantile that less than one of the '
                 'samples may exceed is not given.</p>\n')
        used = {name for run in self.runs for row in run.rows for name in row.qualifier.split('+')}
        for name, meaning in explain.QUALIFIERS.items():
            text += f'<p class="soft"><b>{name}</b>: {meaning}.</p>\n' if name in used else ''
        return text + '</section>\n'

    def verdict_row(self, row):
        times = row.ordered[0]
        what = verdict_mark(row) + esc(f' {row.qualifier}' * bool(row.qualifier) +
                                       f': {row.reason}' * bool(row.reason))
        ran = row.armed is not None
        return (self.link(row) + f'<td class="all">{what}</td>' +
                cell(row.declared_ns, 'declared') +
                cell(runs.quantile(times, 50000), 'median') +
                cell(runs.quantile(times, 99000), '99 %') +
                cell(runs.quantile(times, 99990), '99.99 %') +
                cell(times[-1] if len(times) else None, 'max') +
                cell(len(times) if ran else None, 'samples'))

    def section(self, run, row, peers):
        where = f' <span class="soft">in {esc(run.path)}</span>' if self.several() else ''
        reason = f': {esc(row.reason)}' if row.reason else ''
        verdict = re.sub(f'({"|".join(explain.QUALIFIERS)}):', r'<b>\1</b>:',
                         esc(explain.verdict(row)))
        text = (f'<section id="{self.ids[id(row)]}">\n<h2>{esc(row.name)}{where}</h2>\n'
                f'<p>{verdict_mark(row)}{reason}. {verdict}</p>\n')
        if row.steps:
            text += f'<p class="sweep">{esc(explain.sweep(row))}</p>\n'
        below = ''
        if len(row.samples):
            knees = explain.knees(row)
            text += f'<p class="knees">{esc(knees)}</p>\n' if knees else ''
            peers = [each for each in peers
                     if len(each.samples) and each.has_wake == row.has_wake]
            text += facts(row) + '<div class="plots">\n' + ''.join(
                plot.html() for plot in figures.of_row(row, peers)) + '</div>\n'
            below = slowest(row)
        elif row.armed is None:
            text += '<p>There is no plot, as it was not measured, for the reason above.</p>\n'
        else:
            text += ('<p>There is no plot, as there is no sample: of '
                     f'{row.armed} events that were armed, {row.discarded} were discarded.</p>\n')
        if row.armed is not None:
            below = discards(row) + below
        return text + f'<div class="below">\n{below}</div>\n</section>\n'

    def overlays(self):
        """Groups of rows that are on the same axes, by what they differ in."""
        groups = {}
        for number, run in enumerate(self.runs, 1):
            for row in run.rows if self.overlay else ():
                cpu, method, state = row.key
                group, name = {
                    'rows': (f'run {number}', row.name),
                    'methods': (f'run {number}, cpu{cpu} {state}', method),
                    'runs': (row.name, f'run {number}'),
                    'machines': (f'{method} {state}', f'{row.machine} {row.cpu_model} cpu{cpu}'),
                }[self.overlay]
                if len(row.samples):
                    groups.setdefault(group, []).append((name, row))
        for group, members in groups.items():
            for first in range(0, len(members) if len(members) > 1 else 0, figures.SERIES_MAX):
                names, rows = zip(*members[first:first + figures.SERIES_MAX])
                plots = figures.of_overlay(list(map(runs.shown, names)), rows)
                yield (f'<section class="overlay">\n<h2>By {self.overlay}: {esc(group)}</h2>\n'
                       f'<div class="plots">\n{"".join(plot.html() for plot in plots)}</div>\n'
                       '</section>\n')

    def differences(self):
        """From the first run to each of the others of the same machine."""
        first = self.runs[0]
        differ = {run: pairs.runs_differ(first, run) for run in self.runs[1:]}
        found = {run: {(pair.a or pair.b).key: pair for pair in pairs.compare(first, run)}
                 for run in self.runs[1:] if not differ[run]}
        text = '<section id="differences">\n<h2>What changed</h2>\n<p>'
        for number, run in enumerate(self.runs[1:], 2):
            change = (pairs.Change.UNCOMPARABLE if differ[run] else
                      pairs.overall(pair.change for pair in found[run].values()))
            why = f': {differ[run]}' if differ[run] else ''
            text += f'<b>Run {number} against run 1: {change.value}</b>{why}. '
        text += '</p>\n<ul class="runs">\n' + ''.join(
            f'<li>Run {number} is {esc(run.path)}</li>\n' for number, run in
            enumerate(self.runs, 1)) + '</ul>\n'
        moved = pairs.Change.SLOWER, pairs.Change.FASTER
        changed = [key for key in self.keys if any(
            key in rows and rows[key].change in moved for rows in found.values())]
        order = changed + [key for key in self.keys if key not in changed]
        text += table([f'run {i + 1}' for i in range(len(self.runs))],
                      [self.difference_row(key, found) for key in order], 'cards', 'row|in ns',
                      ['result'] if found else [])
        text += ('<p class="soft">Of the samples that count; the tables below have all samples.'
                 '</p>\n<h2>Differences in environment</h2>\n')
        common = self.common()
        for number, run in enumerate(self.runs, 1):
            own = [line for line in run.lines if line not in common and not MEASURED.match(line)]
            text += (f'<h3>Run {number}, {esc(run.path)}</h3>\n' +
                     (lines(own) if own else '<p>Nothing that another run has not.</p>\n'))
        return text + '</section>\n'

    def difference_row(self, key, found):
        rows = [run.find(key) for run in self.runs]
        text = self.link(next(row for row in rows if row))
        text += '<td class="name" data-label="in ns">median<br>max</td>'
        for number, row in enumerate(rows, 1):
            times = pairs.counted(row, 'wake') if pairs.has_samples(row) else ()
            values = f'{runs.quantile(times, 50000):.0f}<br>{times[-1]}' if len(times) else '-'
            text += f'<td class="n" data-label="run {number}">{values}</td>'
        results = []
        for number, run in enumerate(self.runs, 1):
            if run not in found:
                continue
            pair = found[run].get(key)
            result = f'in run {number}, it ' if len(self.runs) > 2 else ''
            if not pair:
                results.append(result + 'was not measured, nor in run 1')
                continue
            classes = {pairs.Change.SLOWER: 'slower', pairs.Change.FASTER: 'faster'}
            names = {'A': 'run 1', 'B': f'run {number}'}
            what = re.sub(r'\b[AB]\b', lambda name: names[name[0]], words.what(pair))
            result += f'<span class="{classes.get(pair.change, "")}">{esc(what)}</span>'
            if pair.a and pair.b and pair.a.verdict != pair.b.verdict:
                result += f'; {verdict_mark(pair.a)} became {verdict_mark(pair.b)}'
            results.append(result)
        return text + (f'<td class="all">{"<br>".join(results)}</td>' if found else '')

    def common(self):
        return set.intersection(*(set(run.lines) for run in self.runs))

    def environment(self):
        common = self.common()
        text = '<section id="environment">\n<h2>Environment</h2>\n'
        if self.several():
            text += ('<p>What all runs have; for the rest, see <a href="#differences">the '
                     'differences</a>.</p>\n')
        known = [line for line in self.runs[0].lines if line in common and not MEASURED.match(line)]
        text += lines(known) if known else '<p>Nothing is known of it.</p>\n'
        for number, run in enumerate(self.runs, 1):
            measured = list(filter(MEASURED.match, run.lines))
            where = f', in run {number}' if self.several() else ''
            text += f'<h3>Measured beside it{where}</h3>\n{lines(measured)}' if measured else ''
        return text + '</section>\n'


def lines(all_lines):
    return ('<ul class="environment">\n' +
            ''.join(f'<li>{esc(line)}</li>\n' for line in all_lines) + '</ul>\n')


def reached_table(run):
    """Which state was requested, and where the core and the package were for the longest time."""
    found = [(row, *explain.reached_state(row)) for row in run.rows if len(row.samples)]
    columns = sorted({name for _, *states in found for state in states for name in state},
                     key=lambda name: (name.startswith('PC'), len(name), name))
    if not columns:
        return ''
    rows = []
    for row, core, package in found:
        flags = row.samples['reached']
        rows.append(f'<td>{esc(row.name)}</td>' +
                    cell((flags == 1).sum() if row.reach_known else None) +
                    ''.join(cell((package if name.startswith('PC') else core).get(name, 0))
                            for name in columns))
    return ('<h3>Requested and reached states</h3>\n' +
            table(['reached', *columns], rows, first='requested') +
            '<p class="soft">Samples that reached what was requested, and how many were longest '
            'in which state of the core, and of which the package reached which state.</p>\n')


def facts(row):
    """Statistics are of all samples."""
    times, intr = row.ordered
    known = {'declared': row.declared_ns, 'minimum': times[0], 'mean': times.mean(),
             'standard deviation': times.std(ddof=1) if len(times) > 1 else None,
             'median': runs.quantile(times, 50000)}
    known.update((name, runs.quantile(times, part)) for name, part in QUANTILES.items())
    known['maximum'] = times[-1]
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
    texts['stamps'] = ('of the cpu_idle tracepoint' if row.stamp == 'probe' else
                       'around the idle state')
    return '<dl class="facts">\n' + ''.join(
        f'<div><dt>{name}</dt><dd>{text}</dd></div>\n' for name, text in texts.items()) + '</dl>\n'


def discards(row):
    text = '<div><h3>Discarded events</h3>\n'
    if not row.discarded:
        return text + '<p>None.</p>\n</div>\n'
    if not row.discards:
        return text + (f'<p>{row.discarded}, for reasons that this run did not write (it has no '
                       'discards.csv).</p>\n</div>\n')
    return text + table(['events', 'above', 'largest, ns'], [
        f'<td>{esc(each["reason"])}</td>' + ''.join(
            cell(each[name]) for name in ('count', 'above', 'largest_ns'))
        for each in row.discards], first='reason') + '</div>\n'


def slowest(row):
    chosen = figures.slowest(row)
    rows = []
    for sample in row.samples[chosen]:
        shares = ', '.join(f'{figures.counter_name(column)} {sample[column]:.1f}&nbsp;%'
                           for column in runs.RESIDENCIES if sample[column] > 0)
        rows.append(''.join(cell(float(sample[name])) for name in SLOW_COLUMNS.values()) +
                    f'<td>{shares or "no counter"}</td>')
    count = {1: 'one sample', figures.SLOWEST: 'ten samples'}.get(len(rows), f'{len(rows)} samples')
    return (f'<div><h3>The {count} with the largest '
            f'{"WakeLatency" if row.has_wake else "IntrLatency"} less its error, in ns</h3>\n' +
            table(list(SLOW_COLUMNS), rows, 'ten', '', ['residency']) + '</div>\n')

# SPDX-License-Identifier: GPL-2.0
"""The subcommand exercise: what each setting changes, from runs of all combinations of settings, in
blocks that have every combination once; in words and on a page. A combination is a tuple of values,
one of each factor. Times are in ns."""
from dataclasses import dataclass, field
import os

import numpy as np
from numpy.lib.recfunctions import repack_fields

from idle_latency import compare, files, markup, pairs, runs, statistics, words
from idle_latency.figures import COUNT, NS, Axis, Plot
from idle_latency.markup import esc, paragraph, table
from idle_latency.pairs import Change
from idle_latency.statistics import ALPHA, EFFECTS, PAIRS, SHARE

DESCRIPTION = '''
DIR has exercise.csv, which says which runs there are of each combination of settings, as "make
exercise" writes it.'''
EPILOG = '''
Exit code 0: no setting makes a difference; 1: some make states slower; 2: an argument or a file is
wrong; 4: some make states faster, and none slower; 5: they are not comparable, or not in all rows;
6: not decided, or not in all rows: with more runs they may be. The last line says which.'''
ANSWERS = {Change.SAME: 'no setting makes a difference',
           Change.UNCOMPARABLE: 'not all rows can be compared',
           Change.UNDECIDED: 'not all is decided'}
PLAN = 'exercise.csv'
COLUMNS = 'run', 'block', 'reason'
MEDIAN, P99 = FIGURES = 50, 99
# What is needed of a sample once it is read: there may be a hundred runs.
NEEDED = 'ldist_ns', 'wake_ns', 'intr_ns', 'error_ns'
NAMES = {MEDIAN: 'median', P99: '99th percentile'}


def add_arguments(parser):
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument('directory', metavar='DIR')
    parser.add_argument('-o', '--out', metavar='DIR',
                        help='where the page is to be (default: with the runs)')
    compare.add_margin(parser)


class Exercise:
    """The runs in a directory, as its exercise.csv says. FACTORS: their names; REFUSED: why a
    combination was not measured; RUNS[combination]: a run of each block."""

    def __init__(self, path):
        self.name = files.shown(path)
        table = files.Table(path, PLAN, COLUMNS)
        self.factors = [name for name in table.columns if name not in COLUMNS]
        self.refused, found = {}, {}
        for number, line in table.rows(('block',)):
            combination = tuple(line[name] for name in self.factors)
            if line['block'] is None or not (line['run'] or line['reason']) or \
                    not all(combination):
                table.wrong(number, 'a field is empty')
            if line['reason']:
                self.refused[combination] = line['reason']
            if line['block'] in found.setdefault(combination, {}):
                table.wrong(number, f'block {line["block"]} has this combination already')
            found[combination][line['block']] = os.path.join(path, line['run'])
        self.combinations = [each for each in found if each not in self.refused]
        blocks = [sorted(found[each]) for each in self.combinations]
        if not self.factors or not blocks or len(blocks[0]) < 2 or blocks.count(blocks[0]) < len(
                blocks):
            table.wrong(1, 'this takes two blocks at least, each with one run of all combinations')
        self.runs = {each: [self.load(found[each][block]) for block in blocks[0]]
                     for each in self.combinations}
        self.all_runs = [run for each in self.combinations for run in self.runs[each]]
        self.keys = list(dict.fromkeys(row.key for run in self.all_runs for row in run.rows))
        pairs.refuse_copies(self.all_runs)
        if not any(each.matched(self.combinations) for each in self.settings()):
            table.wrong(1, 'no two combinations differ in one setting: there is nothing to compare')

    @staticmethod
    def load(path):
        run = runs.load(path)
        for row in run.rows:
            known = row.samples['package'][row.samples['package'] != '']
            row.package_share = (known != 'PC0').mean() if len(known) else None
            row.samples = repack_fields(row.samples[list(NEEDED)])
        return run

    def rows(self, key, combination):
        return [run.find(key) for run in self.runs[combination]]

    def text(self, combination):
        """Such as "prewake=on hold=none"."""
        return files.shown(' '.join(map('='.join, zip(self.factors, combination))))

    def settings(self):
        """Each value of a factor that is compared with the first one which could be measured."""
        for place, factor in enumerate(self.factors):
            values = list({each[place]: None for each in self.combinations})
            for value in values[1:]:
                yield Setting(place, files.shown(f'{factor}={values[0]}'),
                              files.shown(f'{factor}={value}'), values[0], value)


@dataclass(frozen=True)
class Setting:
    """BASE and NAME: what is compared, in words."""
    place: int
    base: str
    name: str
    base_value: str
    value: str

    def of(self, combination, value):
        return (*combination[:self.place], value, *combination[self.place + 1:])

    def matched(self, combinations):
        """Those with the base of which there is the same with the value."""
        return [each for each in combinations if each[self.place] == self.base_value and
                self.of(each, self.value) in combinations]


@dataclass
class Effect(pairs.Compared):
    """What a setting changes in a row. CELLS: combinations with the base; figures[block, cell] have
    these and then those with the value."""
    setting: Setting
    key: tuple
    cells: list
    figures: dict = field(default_factory=dict)
    contrasts: dict = field(default_factory=dict)
    within: dict = field(default_factory=dict)      # intervals that hold together
    moved: dict = field(default_factory=dict)       # 1 where it takes longer, -1 where less
    parts: dict = field(default_factory=dict)       # of each figure, [(setting, contrast)]

    @property
    def name(self):
        """Such as "C6 by hrt" of CPU 0, or "C6 by hrt on cpu3 at once" with others."""
        cpu, method, state, *at_once = map(files.shown, self.key)
        return ' '.join([f'{state} by {method}', *[f'on cpu{cpu}'] * (cpu != '0'), *at_once])

    def margin_ns(self, figure):
        return int(self.margin.of(self.figures[figure][:, :len(self.cells)].mean()))

    def contrast(self, figure, base, less=()):
        """Of cells of the base and their like; and by how much more it is than with those of LESS,
        halved."""
        chosen = np.array([*less, *base])
        signs = np.repeat([1, -1], [len(less), len(base)])
        return statistics.contrast(self.figures[figure][:, [*chosen, *chosen + len(self.cells)]],
                                   np.concatenate([signs, -signs]))

    def partners(self, other):
        """Cells that differ in the other setting only, as indexes."""
        return [(self.cells.index(each), self.cells.index(other.of(each, other.value)))
                for each in other.matched(self.cells)]


def take(exercise, setting, key, margin, of):
    """OF: so many are taken."""
    cells = setting.matched(exercise.combinations)
    rows = [exercise.rows(key, each)
            for each in [*cells, *(setting.of(each, setting.value) for each in cells)]]
    of_base, of_value = (sum(of, []) for of in (rows[:len(cells)], rows[len(cells):]))
    effect = Effect(setting, key, cells, margin=margin)
    lacking = 'a run has no sample of it: ' + files.shown(next(
        (row.reason for row in of_base + of_value if row and row.reason and not len(row.samples)),
        'it was not measured'))

    def reach_p():
        shares = np.array([[row.reached_share for row in of] for of in rows]).T
        return of * statistics.contrast(shares, np.repeat([-1, 1], len(cells)), SHARE / 100).p()

    times = pairs.take(effect, of_base, of_value, 'wake', lacking, reach_p)
    if not times:
        return effect
    for figure in FIGURES:
        effect.figures[figure] = np.array([statistics.quantile(of, figure) for of in times],
                                          float).reshape(len(rows), -1).T
    return effect


def judge(effects, settings):
    """Fills in what comes of effects that have figures."""
    tests = [(effect, figure) for effect in effects for figure in FIGURES]
    for effect, figure in tests:
        effect.contrasts[figure] = effect.contrast(figure, range(len(effect.cells)))
        effect.within[figure] = effect.contrasts[figure].interval(ALPHA / len(tests))
    adjusted = statistics.holm([effect.contrasts[figure].p() for effect, figure in tests])
    for (effect, figure), p in zip(tests, adjusted):
        # Beyond the margin each alone has to be as sure as of ALPHA.
        alone = effect.contrasts[figure].interval(2 * ALPHA)
        effect.moved[figure] = (p <= EFFECTS) * statistics.beyond(alone, effect.margin_ns(figure))
    for effect in effects:
        effect.change = Change.of(effect.moved.values(), lambda: all(
            statistics.within(effect.within[figure], effect.margin_ns(figure))
            for figure in FIGURES))
    judge_together(effects, settings)


def judge_together(effects, settings):
    """Does what was found depend on another setting? Nobody asks that of what was not found."""
    tests = [(effect, figure, other, *zip(*partners))
             for effect in effects for figure in FIGURES if effect.moved[figure]
             for other in settings if other.place != effect.setting.place
             for partners in [effect.partners(other)] if partners]
    found = [effect.contrast(figure, value, base) for effect, figure, _, base, value in tests]
    adjusted = statistics.holm([each.p() for each in found])
    for (effect, figure, other, base, value), contrast, p in zip(tests, found, adjusted):
        if p <= PAIRS and statistics.beyond(contrast.interval(2 * ALPHA),
                                            effect.margin_ns(figure) / 2):
            effect.parts.setdefault(figure, []).append(
                ((other.base, effect.contrast(figure, base)),
                 (other.name, effect.contrast(figure, value))))


def analyse(exercise, margin=statistics.Margin()):
    settings = list(exercise.settings())
    asked = [(setting, key) for setting in settings for key in exercise.keys
             if setting.matched(exercise.combinations)]
    effects = [take(exercise, *each, margin, len(asked)) for each in asked]
    judge([effect for effect in effects if effect.figures], settings)
    return effects


def at_most(interval):
    return f'at most {words.span((max(map(abs, interval)),) * 2)}'


def change(contrast):
    return words.apart(contrast.effect, contrast.interval(ALPHA))


def part(name, contrast, margin):
    """What it is where the setting depends on another one."""
    interval = contrast.interval(ALPHA)
    return f'with {name} ' + (change(contrast) if statistics.beyond(interval, margin) else
                              f'no difference found ({at_most(interval)})')


def figure_text(effect, figure):
    parts = [': ' + ', '.join(part(*each, effect.margin_ns(figure)) for each in both)
             for both in effect.parts.get(figure, ())]
    return (f'{NAMES[figure]} {change(effect.contrasts[figure])}' + ' on average' * bool(parts) +
            ''.join(parts))


def sentence(effect):
    """Without the setting: "C6 by hrt takes 17.6 us longer (17.5 to 17.7 us)"."""
    a, b = f'with {effect.setting.base}', f'with {effect.setting.name}'
    refusal, frequencies = (words.named(text, a, b, '(?:in|of) ')
                            for text in (effect.refusal, effect.frequencies))
    if refusal:
        return f'{effect.name} {refusal}'
    found = [figure for figure in FIGURES if effect.moved[figure]]
    text = f'{effect.name}: ' + '; '.join(figure_text(effect, figure) for figure in found)
    if MEDIAN in found:
        text = text.replace(': median', ' takes', 1).replace('; 99th', '; its 99th')
    rest = [figure for figure in FIGURES if figure not in found]
    if rest:
        limits = [at_most(effect.within[figure]) + ' of the 99th percentile' * (figure == P99)
                  for figure in rest]
        text += '; ' * bool(found) + f'no difference found ({", ".join(limits)})'
    if effect.change == Change.UNDECIDED:
        text += '; more runs may show one'
    return '; '.join(filter(None, (text, frequencies)))


def overall(effects):
    """The answer, and its exit code."""
    change_of_all = pairs.overall(effect.change for effect in effects)
    slower, faster = (sum(effect.change == kind for effect in effects)
                      for kind in (Change.SLOWER, Change.FASTER))
    found = (f'settings make a difference: of {len(effects)} comparisons {slower} are slower and '
             f'{faster} faster') if slower or faster else ''
    texts = filter(None, (found, ANSWERS.get(change_of_all)))
    return '; '.join(texts), compare.CODES[change_of_all]


class Page:
    def __init__(self, exercise, effects):
        self.exercise, self.effects = exercise, effects
        self.ids = {key: f'row{i}' for i, key in enumerate(exercise.keys, 1)}

    def write(self):
        lines = markup.lines(runs.common_lines(self.exercise.all_runs), 'Nothing is known of it.')
        return markup.document([
            self.changes(), self.refused(), *map(self.section, self.exercise.keys),
            markup.section('Environment of all runs', lines, 'environment')])

    def changes(self):
        text = markup.machine(self.exercise.all_runs[0].rows[0], self.exercise.name)
        text += paragraph(f'<b>{esc(overall(self.effects)[0])}</b>')
        for setting in dict.fromkeys(effect.setting for effect in self.effects):
            own = [effect for effect in self.effects if effect.setting == setting]
            own.sort(key=lambda effect: not effect.change.is_found)
            items = ''.join(
                f'<li><a href="#{self.ids[effect.key]}">{esc(setting.name)}</a>: <span class="'
                f'{effect.change.value * effect.change.is_found}">{esc(sentence(effect))}</span>'
                '</li>\n' for effect in own)
            text += (f'<h3>{esc(setting.name)} instead of {esc(setting.base)}</h3>\n'
                     f'<ul class="runs">\n{items}</ul>\n')
        count = len(self.exercise.all_runs) // len(self.exercise.combinations)
        text += paragraph(
            f'Of {len(self.exercise.combinations)} combinations with {count} runs each, in '
            'blocks that have every combination once. A setting is compared in runs that have all '
            'others in common; times are means of these. Intervals are of 95 %, and include what '
            'runs differ by; those after "at most" hold together. All that is tested is corrected '
            'for its number (Holm): where settings change nothing, one in twenty such experiments '
            'at most finds something by chance.', 'soft')
        return markup.section('What each setting changes', text, 'changes')

    def refused(self):
        """What the machine did not take."""
        return markup.section('What was not measured', table(['combination', 'reason'], [
            (esc(self.exercise.text(each)), esc(reason))
            for each, reason in self.exercise.refused.items()]), 'refused')

    def section(self, key):
        """A table of all combinations, and a figure in which each run is two marks."""
        found = [(number, each, list(filter(pairs.has_samples, self.exercise.rows(key, each))))
                 for number, each in enumerate(self.exercise.combinations, 1)]
        name = next(filter(None, (run.find(key) for run in self.exercise.all_runs))).name
        text = paragraph('There is no sample of it that counts.')
        if any(len(pairs.counted(row, 'wake')) for *_, rows in found for row in rows):
            text = table(['#number', 'combination', 'verdicts', '#median', '#99 %', '#max',
                          '#reached, %', '#package, %'],
                         [self.line(number, each, rows) for number, each, rows in found if rows],
                         'Times are in ns, of the samples that count: means of the runs, and the '
                         'largest of all. Reached: the state, and the state of the package.')
            text += markup.plots([self.figure(found)])
        return markup.section(esc(name), text, self.ids[key])

    def line(self, number, combination, rows):
        times = [pairs.counted(row, 'wake') for row in rows]
        known = [of for of in times if len(of)]
        means = [np.mean([statistics.quantile(of, figure) for of in known]) if known else None
                 for figure in FIGURES]
        shares = [row.reached_share for row in rows if row.reach_known]
        packages = [row.package_share for row in rows if row.package_share is not None]
        verdicts = {f'{row.verdict} {row.qualifier}'.strip(): row.verdict for row in rows}
        return [number, esc(self.exercise.text(combination)),
                ', '.join(f'<span class="{verdict}">{esc(text)}</span>'
                          for text, verdict in verdicts.items()),
                *means, max(of[-1] for of in known) if known else None,
                *(100 * np.mean(of) if of else None for of in (shares, packages))]

    def figure(self, found):
        """Of each run, above the number of its combination."""
        times = [(number, row, pairs.counted(row, 'wake'))
                 for number, _, rows in found for row in rows]
        numbers, rows, times = zip(*(each for each in times if len(each[2])))
        values = {figure: [statistics.quantile(of, figure) for of in times] for figure in FIGURES}
        declared = [row.declared_ns for row in rows]
        drawn = Plot('combinations', 'Median and 99th percentile of each run',
                     Axis('Combination', COUNT, 1, len(found)),
                     Axis('Latency', NS, *values.values(), declared))
        drawn.add_declared(declared[0], across=True)
        for figure, classes in (P99, 'p99'), (MEDIAN, 'median'):
            drawn.add_marks(classes, numbers, values[figure], NAMES[figure])
        return drawn


def run(options):
    exercise = Exercise(options.directory)
    differ = pairs.runs_differ(exercise.all_runs)
    if differ:
        print(f'the runs cannot be compared: {differ}')
        return compare.CODES[Change.UNCOMPARABLE]
    effects = analyse(exercise, statistics.Margin(options.margin))
    markup.save(Page(exercise, effects).write(), options.out or options.directory)
    for combination, reason in exercise.refused.items():
        print(f'{exercise.text(combination)} was not measured: {files.shown(reason)}')
    for effect in effects:
        print(f'{effect.setting.name}: {sentence(effect)}')
    text, code = overall(effects)
    print(text)
    return code

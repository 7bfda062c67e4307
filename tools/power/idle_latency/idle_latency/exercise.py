# SPDX-License-Identifier: GPL-2.0
"""The subcommand exercise: what each setting of an experiment changes, in words and on a page."""
import numpy as np

from idle_latency import compare, factors, markup, pairs, plot, runs, statistics, words
from idle_latency.factors import FIGURES, MEDIAN, P99
from idle_latency.markup import esc, paragraph, table
from idle_latency.pairs import Change
from idle_latency.statistics import ALPHA

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
NAMES = {MEDIAN: 'median', P99: '99th percentile'}


def add_arguments(parser):
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument('directory', metavar='DIR')
    parser.add_argument('-o', '--out', metavar='DIR',
                        help='where the page is to be (default: with the runs)')
    compare.add_margin(parser)


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
        text = table(['combination', 'reason'], [
            (esc(self.exercise.text(each)), esc(reason))
            for each, reason in self.exercise.refused.items()])
        return markup.section('What was not measured', text, 'refused') if text else ''

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
                         'cards', 'Times are in ns, of the samples that count: means of the runs, '
                         'and the largest of all. Reached: the state, and the state of the '
                         'package.') + markup.plots([self.figure(found)])
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
        drawn = plot.Plot('combinations', 'Median and 99th percentile of each run',
                          plot.Axis('Combination', plot.COUNT, 1, len(found)),
                          plot.Axis('Latency', plot.NS, *values.values(), declared))
        drawn.add_declared(declared[0], across=True)
        for figure, classes in (P99, 'p99'), (MEDIAN, 'median'):
            drawn.add_marks(classes, numbers, values[figure], NAMES[figure])
        return drawn


def run(options):
    exercise = factors.Exercise(options.directory)
    differ = pairs.runs_differ(exercise.all_runs)
    if differ:
        print(f'the runs cannot be compared: {differ}')
        return compare.CODES[Change.UNCOMPARABLE]
    effects = factors.analyse(exercise, statistics.Margin(options.margin))
    markup.save(Page(exercise, effects).write(), options.out or options.directory)
    for combination, reason in exercise.refused.items():
        print(f'{exercise.text(combination)} was not measured: {runs.shown(reason)}')
    for effect in effects:
        print(f'{effect.setting.name}: {sentence(effect)}')
    text, code = overall(effects)
    print(text)
    return code

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""page.py NAME PAGE RUN...: judge a page about these runs in a browser: what it shows, at the
width of a phone and of a screen, light and dark, and whether each plot has the marks that
follow from the samples.
"""
import os
import re
import sys
import tempfile

import html5lib
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import marks
from readers import Judge, table

WIDTHS = 400, 1400
SCHEMES = 'light', 'dark'
LEAST_TEXT = 9
LEAST_CONTRAST = 4.5

ARGUMENTS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run',
             '--disable-background-networking', '--disable-component-update', '--disable-sync')

# Each returns a list of what is wrong; the helpers are in all of them.
HELPERS = '''
const name = e => e.tagName + ' ' + (e.id || e.textContent.trim().slice(0, 30));
const all = (what, root) => [...(root || document).querySelectorAll(what)];
const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.6 &&
                          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.6;
const overlaps = elements => {
  const boxes = elements.map(e => [e, e.getBoundingClientRect()])
                        .filter(([e, box]) => box.width && box.height);
  const found = [];
  boxes.sort((a, b) => a[1].top - b[1].top);
  boxes.forEach(([e, box], i) => {
    for (let j = i + 1; j < boxes.length && boxes[j][1].top < box.bottom; j++)
      if (overlap(box, boxes[j][1])) found.push(name(e) + ' and ' + name(boxes[j][0]));
  });
  return found;
};
const texts = () => all('body *').filter(e => !e.closest('svg') || e.tagName == 'text').filter(
  e => [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) &&
       e.getClientRects().length);
const rgb = text => text.match(/[0-9.]+/g).map(Number);
const luminance = c => { const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(
  v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = e => { for (; e; e = e.parentElement) {
  const c = rgb(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] == 1) return c; } return [255, 255, 255]; };
const scale = e => { const svg = e.closest('svg');
  return svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1; };
'''

CHECKS = {
    'no request': "return performance.getEntriesByType('resource').map(e => e.name)",
    'no script': "return all('script, [onload], [onerror], [onclick]').map(name)",
    'nothing from elsewhere': '''return all('[src], [href]').map(
        e => e.getAttribute('src') || e.getAttribute('href')).filter(
        link => !/^#|^data:/.test(link))''',
    'as wide as the window': '''return [document.scrollingElement.scrollWidth].filter(
        width => width > innerWidth)''',
    'nothing overlaps': '''return ['body', 'section', 'tbody', 'tr', '.plots', '.below', 'figure',
        '.below > div', 'dl', 'ul'].flatMap(parents => all(parents).flatMap(
        parent => overlaps([...parent.children])))''',
    'nothing sticks out': '''return all('section *').filter(e => !e.closest('svg')).filter(e => {
        const box = e.getBoundingClientRect();
        return box.right > innerWidth + 0.6 || box.left < -0.6; }).map(name)''',
    'texts of plots do not overlap': "return all('svg').flatMap(svg => overlaps(all('text', svg)))",
    'texts of plots are within them': '''return all('svg text').filter(e => {
        const box = e.getBoundingClientRect();
        const svg = e.closest('svg').getBoundingClientRect();
        return box.left < svg.left - 0.6 || box.right > svg.right + 0.6 ||
               box.top < svg.top - 0.6 || box.bottom > svg.bottom + 0.6; }).map(name)''',
    f'text of {LEAST_TEXT} px and more': f'''return texts().filter(
        e => parseFloat(getComputedStyle(e).fontSize) * scale(e) < {LEAST_TEXT}).map(name)''',
    f'contrast of {LEAST_CONTRAST} and more': f'''return texts().filter(e => {{
        const style = getComputedStyle(e);
        const front = luminance(rgb(e.tagName == 'text' ? style.fill : style.color));
        const back = luminance(behind(e));
        return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05) <
               {LEAST_CONTRAST}; }}).map(name)''',
    'each id once': '''const ids = all('[id]').map(e => e.id);
        return ids.filter((id, i) => ids.indexOf(id) != i)''',
    'links lead to something': '''return all('a[href^="#"]').map(
        a => a.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))''',
    'figures have the marks that they say': '''return all('figure').filter(
        f => all('.marks > *', f).length != Number(f.dataset.marks)).map(name)''',
    'marks are within their axes': '''return all('figure').filter(f => {
        const [left, top, right, bottom] = f.dataset.area.split(' ').map(Number);
        return all('.dots > *', f).some(e => { const box = e.getBBox();
          return box.x < left - 1 || box.x > right + 1 || box.y < top - 1 ||
                 box.y > bottom + 1; }); }).map(name)''',
}

FIGURES = '''
return [...document.querySelectorAll('section[id^=run]')].map(section => ({
  id: section.id,
  heading: section.querySelector('h2').textContent,
  sweep: section.querySelector('.sweep')?.textContent || '',
  slowest: [...section.querySelectorAll('.ten tbody tr')].map(
    row => row.cells[0].textContent),
  figures: [...section.querySelectorAll('figure')].map(figure => ({
    data: {...figure.dataset},
    lines: Object.fromEntries([...figure.querySelectorAll('.declared, .level')].filter(
      group => group.tagName == 'g').map(
      group => [group.getAttribute('class').split(' ').pop(),
                group.firstElementChild.getAttribute('d')])),
    texts: [...figure.querySelectorAll('text')].map(text => [
      text.getAttribute('text-anchor'), Number(text.getAttribute('x')), text.textContent]),
    series: [...figure.querySelectorAll('.marks')].map(group => ({
      of: group.getAttribute('class').split(' ').pop(),
      marks: [...group.children].map(e => e.getAttribute('d'))}))}))}))
'''


TABLES = '''
return [...document.querySelectorAll('#verdicts table')].map(table => [
  ...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent)))
'''


CHANGES = '''
return [...document.querySelectorAll('#differences table tbody tr')].map(
  row => [...row.cells].map(cell => cell.innerText.trim()))
'''

CHANGED = '''
return [...document.querySelectorAll('#differences table tbody tr')].map(
  (row, i) => row.querySelector('.slower, .faster') ? i : -1).filter(i => i >= 0)
'''


def browser(profile):
    options = Options()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.add_argument(f'--user-data-dir={profile}')
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    return webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)


def show(driver, page, width, scheme):
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
        'width': width, 'height': 900, 'deviceScaleFactor': 1, 'mobile': False})
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {
        'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
    driver.get(f'file://{os.path.abspath(page)}')


def background(driver):
    return driver.execute_script('return getComputedStyle(document.body).backgroundColor')


def look(driver, judge, page):
    """What there is to see, in each of the four ways; each thing is one result."""
    wrong = {check: [] for check in CHECKS}
    wrong['no message on the console'] = []
    colours = set()
    for width in WIDTHS:
        for scheme in SCHEMES:
            show(driver, page, width, scheme)
            for check, script in CHECKS.items():
                found = driver.execute_script(HELPERS + script)
                wrong[check] += [f'{width} {scheme}: {each}' for each in found]
            wrong['no message on the console'] += [
                entry['message'] for entry in driver.get_log('browser')]
            colours.add(background(driver))
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {
        'media': 'print', 'features': [{'name': 'prefers-color-scheme', 'value': 'dark'}]})
    printed = driver.execute_script(f'{HELPERS}return luminance(behind(document.body))')
    judge('printed on white paper', printed == 1, f'luminance {printed}')
    for check, found in wrong.items():
        judge(check, not found, '; '.join(found[:3]) or 'none')
    judge('light and dark differ', len(colours) == len(SCHEMES), ' '.join(sorted(colours)))


def valid(judge, page):
    """As the standard has it."""
    parser = html5lib.HTMLParser()
    with open(page, 'rb') as file:
        parser.parse(file)
    judge('valid HTML', not parser.errors,
          ' '.join(f'line {place[0]}: {error}' for place, error, _ in parser.errors[:3]) or 'yes')


def is_shown(section, rows, samples, steps):
    """What is wrong with the marks of a section, or nothing."""
    number = int(re.fullmatch('run[0-9]+-row([0-9]+)', section['id'])[1])
    row = rows[number - 1]
    key = row['cpu'], row['method'], row['state']
    if not section['heading'].startswith('cpu{} {} {}'.format(*key)):
        return f'{section["id"]} is of {section["heading"]}'
    wanted = marks.Row(row, samples.get(key, []), steps.get(key, []))
    if wanted.words() not in section['sweep'] or bool(wanted.steps) != bool(section['sweep']):
        return f'{section["heading"]}: {section["sweep"]} instead of {wanted.words()}'
    slowest = [wanted.samples[i]['seq'] for i in wanted.slowest]
    if section['slowest'] != slowest:
        return f'{section["heading"]}: {section["slowest"]} are not the slowest: {slowest}'
    drawn = [figure['data']['plot'] for figure in section['figures']]
    if drawn != wanted.plots():
        return f'{section["heading"]}: has {drawn} and needs {wanted.plots()}'
    for figure in section['figures']:
        complaint = wanted.complaint(figure)
        if complaint:
            return f'{section["heading"]}: {figure["data"]["plot"]}: {complaint}'
    return ''


def by_key(rows):
    groups = {}
    for row in rows:
        groups.setdefault((row['cpu'], row['method'], row['state']), []).append(row)
    return groups


def compare(driver, judge, runs):
    """The marks that follow from the samples, counted and placed independently of the page."""
    sections = driver.execute_script(FIGURES)
    count = 0
    complaints = []
    for number, run in enumerate(runs, 1):
        rows = table(f'{run}/summary.csv')
        samples = by_key(table(f'{run}/datapoints.csv'))
        path = f'{run}/sweep.csv'
        steps = by_key(table(path)) if os.path.exists(path) else {}
        own = [section for section in sections if section['id'].startswith(f'run{number}-')]
        if len(own) != len(rows):
            complaints.append(f'{run} has {len(rows)} rows, the page {len(own)} sections')
        for section in own:
            complaints.append(is_shown(section, rows, samples, steps))
            count += sum(len(series['marks']) for figure in section['figures']
                         for series in figure['series'])
    complaints = [complaint for complaint in complaints if complaint]
    judge('the marks are those of the samples', count and not complaints,
          '; '.join(complaints[:3]) or f'{count} marks')


def compare_axes(driver, judge, runs):
    """The same row of all runs: one after the other, and drawn with the same axes."""
    rows = [table(f'{run}/summary.csv') for run in runs]
    order = []
    axes = {}
    for section in driver.execute_script(FIGURES):
        run, number = map(int, re.fullmatch('run([0-9]+)-row([0-9]+)', section['id']).groups())
        row = rows[run - 1][number - 1]
        key = row['cpu'], row['method'], row['state']
        order.append((key, run))
        for figure in section['figures']:
            data = figure['data']
            # How many samples there are is no matter of the row, but of the run.
            names = 'y', 'y2', 'bin', *['x'] * (data['plot'] != 'order')
            axes.setdefault((key, data['plot']), []).append([data.get(name) for name in names])
    keys = list(dict.fromkeys(key for key, _ in order))
    judge('runs of a row follow each other',
          order == sorted(order, key=lambda place: (keys.index(place[0]), place[1])),
          f'{len(order)} sections')
    wrong = [f'{key} {plot}' for (key, plot), each in axes.items() if each != each[:1] * len(each)]
    judge('a row has the same axes in all runs', not wrong,
          '; '.join(wrong[:3]) or f'{len(axes)} plots')


def compared_values(runs):
    """Median and maximum of each row's samples at the launch distances that count."""
    values = {}
    for number, run in enumerate(runs):
        samples = by_key(table(f'{run}/datapoints.csv'))
        for row in table(f'{run}/summary.csv'):
            key = row['cpu'], row['method'], row['state']
            own = marks.Row(row, samples.get(key, []), [])
            times = sorted(time for time, sample in zip(own.times, own.samples)
                           if int(row['ldist_from_ns']) <= int(sample['ldist_ns']) <=
                           int(row['ldist_to_ns']))
            name = 'cpu{} {} {}'.format(*key)
            values.setdefault(name, ['-'] * len(runs))
            if times:
                values[name][number] = f'{times[(len(times) - 1) // 2]}\n{times[-1]}'
    return values


def misnamed(shown, values):
    """What is wrong with how the result of a row names the runs, or nothing."""
    *_, result = shown
    without = [number for number, value in enumerate(values, 1) if value == '-']
    if re.search(r'\b[AB]\b', result):
        return result
    if len(values) == 2 and len(without) == 1 and f'run {without[0]} has no sample' not in result:
        return result
    # A line each, which begins with the run where there are more than two.
    for line in result.splitlines():
        begin = re.match('in run ([0-9]+), it ', line) if len(values) > 2 else None
        compared = begin[1] if begin else '2'
        if re.search('some of its samples(?!: [0-9]+ of [0-9]+ in run 1 '
                     rf'and [0-9]+ of [0-9]+ in run {compared} )', line):
            return line
    return ''


def compare_changes(driver, judge, runs):
    shown = {row[0]: row[2:] for row in driver.execute_script(CHANGES)}
    wanted = compared_values(runs)
    wrong = [f'{name}: {shown.get(name)} instead of {values}' for name, values in wanted.items()
             if shown.get(name, [])[:len(runs)] != values]
    judge('what changed has the samples that were compared',
          not wrong and len(shown) == len(wanted), '; '.join(wrong[:3]) or f'{len(shown)} rows')
    wrong = [misnamed(shown[name], values) for name, values in wanted.items() if name in shown]
    judge('what changed names the runs as its columns do', not any(wrong),
          '; '.join(filter(None, wrong)) or f'{len(shown)} results')
    # Rows with a result in a colour come first.
    places = driver.execute_script(CHANGED)
    judge('what changed comes first', places == list(range(len(places))), f'rows {places}')
    measured = driver.execute_script("return document.querySelector('#differences').textContent")
    judge('what was measured is no difference of environments',
          'awake IntrLatency' not in measured, 'it is not there')


def cells(row):
    """What the table of verdicts has to have of a row of the summary, where that knows it."""
    return [f'cpu{row["cpu"]} {row["method"]} {row["state"]}',
            row['verdict'] + f' {row["qualifier"]}' * bool(row['qualifier']) +
            f': {row["reason"]}' * bool(row['reason']),
            row['declared_ns'], row['median_ns'], row['p99_ns'], row['p9999_ns'],
            row['max_ns'], row['valid']]


def compare_tables(driver, judge, runs):
    tables = driver.execute_script(TABLES)
    wanted = [[cells(row) for row in table(f'{run}/summary.csv')] for run in runs]
    # IntrLatency is in the place of a WakeLatency that there is not.
    wrong = [f'{there} instead of {here}' for shown, rows in zip(tables, wanted)
             for there, here in zip(shown, rows) for a, b in zip(there, here)
             if a != (b or '-') and (b or not a.isdigit())]
    judge('the table is the summary',
          not wrong and [len(rows) for rows in tables] == [len(rows) for rows in wanted],
          '; '.join(wrong[:3]) or f'{sum(map(len, tables))} rows')


def main():
    name, page, *runs = sys.argv[1:]
    judge = Judge(f'page: {name}')
    valid(judge, page)
    # The browser may still write to it when it has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        driver = browser(profile)
        try:
            look(driver, judge, page)
            compare(driver, judge, runs)
            compare_axes(driver, judge, runs)
            if len(runs) > 1:
                compare_changes(driver, judge, runs)
            compare_tables(driver, judge, runs)
        finally:
            driver.quit()


if __name__ == '__main__':
    main()

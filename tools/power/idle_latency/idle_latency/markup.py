# SPDX-License-Identifier: GPL-2.0
"""The parts that a page is made of: one file without scripts that needs no network."""
import html
import pathlib

import numpy as np

from idle_latency import files

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
    return html.escape(files.shown(text))


def document(parts):
    style = pathlib.Path(__file__).with_name('page.css').read_text(encoding='utf-8')
    return PAGE.format(style=style, body=''.join(parts))


def save(text, directory):
    """A page that is not complete never has the name of one, and nothing of it is left."""
    path = pathlib.Path(directory, 'index.html')
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix('.partial')
    try:
        partial.write_text(text, encoding='utf-8')
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def table(columns, rows, note='', title='', classes='cards'):
    """Columns of numbers begin with #. A number that is not known is -. Where there is no room for
    a table, each row is a card. NOTE: what is said of it all, as markup. '' without rows."""
    def cell(column, value):
        if column[0] != '#':
            return f'<td class="all">{value}</td>'
        if not isinstance(value, str):
            value = '-' if value is None or np.isnan(value) else f'{value:.0f}'
        return f'<td class="n" data-label="{column[1:]}">{value}</td>'

    head = ''.join(f'<th class="n">{name[1:]}</th>' if name[0] == '#' else f'<th>{name}</th>'
                   for name in columns)
    body = ''.join(f'<tr>{"".join(map(cell, columns, row))}</tr>\n' for row in rows)
    return (f'<h3>{title}</h3>\n' * bool(title) + f'<div class="wide"><table class="{classes}">'
            f'<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n' +
            paragraph(note, 'soft')) if body else ''


def paragraph(text, classes=''):
    return (f'<p class="{classes}">' if classes else '<p>') + f'{text}</p>\n' if text else ''


def section(title, text, name='', classes=''):
    """TITLE and TEXT are markup. '' without a text."""
    attributes = f' id="{name}"' * bool(name) + f' class="{classes}"' * bool(classes)
    return f'<section{attributes}>\n<h2>{title}</h2>\n{text}</section>\n' if text else ''


def machine(row, name):
    """What was measured, and where that is."""
    what = row.machine, row.cpu_model, row.driver, row.kernel, name
    return paragraph(' &middot; '.join(map(esc, filter(None, what))), 'soft')


def lines(all_lines, otherwise='', classes='environment'):
    if not all_lines:
        return paragraph(otherwise)
    return (f'<ul class="{classes}">\n' + ''.join(f'<li>{esc(line)}</li>\n' for line in all_lines) +
            '</ul>\n')


def verdict_text(row, qualifier=''):
    """With what it is qualified by, and its reason."""
    return f'<span class="{row.verdict}">{row.verdict}</span>' + esc(
        f' {qualifier}' * bool(qualifier) + f': {row.reason}' * bool(row.reason))


def plots(drawn):
    text = ''.join(plot.html() for plot in drawn)
    return f'<div class="plots">\n{text}</div>\n' if text else ''

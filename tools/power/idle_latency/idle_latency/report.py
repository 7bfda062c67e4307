# SPDX-License-Identifier: GPL-2.0
"""idle-latency report: writes a page about runs."""
import os

from idle_latency import page, runs

OVERLAYS = 'rows', 'methods', 'runs', 'machines'


def add_arguments(parser):
    parser.add_argument('runs', nargs='+', metavar='RUN',
                        help='a directory that latency_test --out has written')
    parser.add_argument('-o', '--out', required=True, metavar='DIR',
                        help='where the page is to be; it is made if it is not there')
    parser.add_argument('--overlay', choices=OVERLAYS,
                        help='also draw what differs in this on the same axes')


def run(options):
    """A page that is not complete never has the name of one."""
    if len(options.runs) > page.RUNS_MAX:
        raise runs.Problem(f'{options.runs[page.RUNS_MAX]}:1: this is a run too many, give '
                           f'{page.RUNS_MAX} at most')
    text = page.Page([runs.load(path) for path in options.runs], options.overlay).write()
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

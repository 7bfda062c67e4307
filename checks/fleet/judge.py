# SPDX-License-Identifier: GPL-2.0
"""judge.py KUNIT_PY TABLE MACHINE LOG [DIR]: judge a run of run_kselftest.sh.

LOG is what a fleet keeps of a run on MACHINE; with -p DIR, what the programs printed is
in DIR. What the runner and the programs say has to be what TABLE has for MACHINE. A line with
PASS or FAIL for each question.
"""
import re
import sys

import ktap

COLLECTION = 'idle_latency'
VERDICTS = ('PASS', 'FAIL', 'SKIP')


class Table:
    """What a machine must give."""

    def __init__(self, path, machine):
        self.programs, self.counts, self.cases, self.names = {}, {}, {}, set()
        with open(path, encoding='utf-8') as file:
            for line in file:
                kind, *fields = line.split('#')[0].split() or ['']
                if not kind or fields.pop(0) != machine:
                    continue
                if kind == 'program':
                    end, *counts = fields[:4]
                    self.programs.update(dict.fromkeys(fields[4:], end))
                    self.counts.update(dict.fromkeys(fields[4:], counts))
                elif kind == 'case':
                    program, verdict, *cases = fields
                    self.cases.setdefault(program, []).extend((case, verdict) for case in cases)
                elif kind == 'name':
                    self.names.add(tuple(fields))
                else:
                    sys.exit(f'{path}: a row is a program, case or name, not {kind}')
        if not self.programs:
            sys.exit(f'{path} has no machine {machine}')


class Part:
    """The KTAP of the runner or of a program."""

    def __init__(self, kunit, document):
        results, self.complete = document.read(kunit)
        self.results = [(result.name.split(' # ')[0], result.verdict, result.reason)
                        for result in results]
        self.cases = [(name, verdict) for name, verdict, _ in self.results]
        # How many results have which verdict, and why something was skipped
        self.counts = [sum(each == verdict for _, each in self.cases) for verdict in VERDICTS]
        self.reasons = {reason for _, verdict, reason in self.results if verdict == 'SKIP'} | \
            {document.plan()[1] or ''}


def word(text):
    """A name or a reason as the fleets have it in the name of a test."""
    return re.sub(r'[^A-Za-z0-9_-]+', '_', text).strip('_')


def fleet_names(programs):
    """The cases as the fleets call them, and their verdicts. The reason of a SKIP is a part
    of the name there."""
    return [(f'{COLLECTION}_{program}_{word(f"{name} {reason}")}', verdict)
            for program, part in programs.items()
            for name, verdict, reason in part.results]


def ended(runner, kunit):
    """How each program ended, in the order of the run."""
    ends = {}
    for result in runner.read(kunit)[0]:
        program = ktap.PROGRAM.search(result.name)
        if program:
            timeout = ' # TIMEOUT ' in result.name
            ends[program[1]] = 'TIMEOUT' if timeout else result.verdict
    return ends


def other_ends(table, ends):
    """Programs that end in another way, or in another order."""
    if list(ends.items()) == list(table.programs.items()):
        return []
    wrong = [f'{name}: {ends.get(name)}, not {table.programs.get(name)}'
             for name in {**table.programs, **ends}
             if ends.get(name) != table.programs.get(name)]
    return wrong or ['their order']


def other_counts(table, programs):
    """Programs with other numbers of results. A + stands for any from 1 on."""
    wrong = []
    for name, expected in table.counts.items():
        counts = programs[name].counts if name in programs else [-1, -1, -1]
        if not all(count > 0 if number == '+' else count == int(number)
                   for count, number in zip(counts, expected)):
            wrong.append(f'{name}: {counts}, not {" ".join(expected)}')
    return wrong


def other_cases(table, programs):
    """Cases that are only in the table, or only in the run."""
    wrong = []
    for name, expected in table.cases.items():
        printed = programs[name].cases if name in programs else []
        wrong += [f'no {case} {verdict}' for case, verdict in expected
                  if (case, verdict) not in printed]
        wrong += [f'{case} {verdict}' for case, verdict in printed
                  if (case, verdict) not in expected]
    return wrong


def other_names(table, programs):
    """Two cases with one name, and names of the table that are not there."""
    names = fleet_names(programs)
    wrong = ['two cases have one name'] if len(dict(names)) < len(names) else []
    return wrong + [f'no {name} {verdict}' for name, verdict in sorted(table.names)
                    if (name, verdict) not in names]


def main():
    """Ask all questions."""
    kunit, path, machine, *logs = sys.argv[1:]
    table = Table(path, machine)
    documents = [document for log in ktap.read_logs(logs) for document in ktap.split(*log)]
    runner = documents[0]
    programs = {document.name: Part(kunit, document) for document in documents[1:]}
    parts = {'run_kselftest.sh': Part(kunit, runner), **programs}

    def ask(question, wrong):
        for line in wrong:
            print(line)
        print(f"{'FAIL' if wrong else 'PASS'} fleet: {machine}: {question}")

    ask('each program ends as it must', other_ends(table, ended(runner, kunit)))
    ask('plans are what was run', [name for name, part in parts.items() if not part.complete])
    ask('numbers of results', other_counts(table, programs))
    ask('results of latency_test', other_cases(table, programs))
    ask('names of tests', other_names(table, programs))
    ask('no reason of a SKIP has a figure',
        sorted({reason for part in parts.values() for reason in part.reasons
                if re.search('[0-9]', reason)}))


main()

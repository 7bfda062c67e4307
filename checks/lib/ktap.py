# SPDX-License-Identifier: GPL-2.0
"""Judge KTAP, as programs print it and as run_kselftest.sh does for all of them.

ktap.py results --kunit KUNIT_PY [--skips FILE] [--cases FILE] RUN LOG...
    Print PASS, FAIL or SKIP and the name of each result, and before a FAIL what explains it.
    LOG is what a program printed, one after the other, or the runner; a directory has the
    logs of run_kselftest.sh -p.

ktap.py everywhere --skips FILE CASES...
    Of the files that --cases wrote, print how many cases were skipped for each reason, and
    FAIL for each that was skipped wherever it was run.

What a result is the parser of KUnit says (KUNIT_PY parse). Which program it is of, why it was
skipped and what explains it is not in what that parser prints, and is read here.

FILE has what may be skipped, see checks/lib/skips.
"""
import argparse
import collections
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

HEADER = re.compile(r'(# )?(K?TAP) version \d+$')
PLAN = re.compile(r'1\.\.(\d+)(?: # SKIP ?(.*))?$')
RESULT = re.compile(r'(ok|not ok) (\d+)(?: -)?(?: ([^#]*?))?(?: ?# ?(.*))?$')
PROGRAM = re.compile(r'selftests: \S+: (\S+)')

Result = collections.namedtuple('Result', 'verdict name reason explained')


class Document:
    """The KTAP of one program, or of the runner."""

    def __init__(self, name, nested, kind):
        self.name = name
        self.nested = nested
        self.kind = kind
        self.lines = []

    def text(self):
        return '\n'.join(self.lines) + '\n'

    def plan(self):
        """How many results it announces, and why it has none."""
        for line in self.lines:
            match = PLAN.match(line)
            if match:
                return int(match[1]), match[2]
        return None, None

    def said(self):
        """Of each line with a result what the line has, and what was said before."""
        results, before = [], []
        for line in self.lines:
            match = RESULT.match(line.strip() if self.kind == 'KTAP' else line)
            if match:
                # What explains the result of a program is in the document of that.
                results.append(read_result(match, [] if PROGRAM.search(line) else before))
                before = []
            elif not re.match(r'# +RUN  |# +OK  |1\.\.', line):
                before.append(line)
        return results

    @functools.lru_cache
    def read(self, kunit):
        """The results, and whether these are all, counted without a gap."""
        cases, complete = kunit_reads(kunit, self)
        said = self.said()
        if self.kind == 'KTAP':
            reasons = {result.name: result.reason for result in said}
            return [Result(verdict, name, reasons.get(name.rpartition('.')[2], '')
                           if verdict == 'SKIP' else '', [])
                    for verdict, name in cases], complete and bool(cases)
        count, nothing = self.plan()
        numbers = [int(match[2]) for match in map(RESULT.match, self.lines) if match]
        # Who announces no result gives none: an error for that parser.
        complete = (complete or count == 0 and nothing is not None) and count is not None and \
            numbers == list(range(1, count + 1)) and len(cases) == count
        return [result._replace(verdict=verdict)
                for result, (verdict, _) in zip(said, cases)], complete


def read_result(match, said):
    name, directive = match[3] or '', match[4] or ''
    verdict = 'PASS' if match[1] == 'ok' else 'FAIL'
    reason = ''
    if verdict == 'PASS' and directive.startswith('SKIP'):
        verdict, reason = 'SKIP', directive[len('SKIP'):].strip()
        if not name:
            # ksft_test_result_skip() has one text only.
            name, _, reason = reason.partition(': ')
    elif directive:
        name += ' # ' + directive
    return Result(verdict, name, reason, said)


def split(text, name=None):
    """The documents of a log. What the runner adds to the lines of programs is taken off."""
    documents, program, inner, outer = [], name, None, None
    for line in text.splitlines():
        line = line.rstrip('\r')
        match = HEADER.match(line)
        header = PROGRAM.search(line) if line.startswith('# selftests: ') else None
        if header:
            program, inner = header[1], None
        elif match and match[1]:
            inner = Document(program, True, match[2])
            documents.append(inner)
        elif match:
            outer, inner = Document(name, False, match[2]), None
            documents.append(outer)
        elif inner and line.startswith('# '):
            inner.lines.append(line[2:])
            continue
        elif outer and (not inner or RESULT.match(line)):
            inner = None
            outer.lines.append(line)
    return documents


def kunit_reads(kunit, document):
    """The results by the parser of KUnit: verdicts and names, and whether that is all."""
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, 'log')
        parsed = os.path.join(directory, 'json')
        with open(log, 'w', encoding='utf-8') as file:
            version = 1 if document.kind == 'KTAP' else 13
            file.write(f'{document.kind} version {version}\n{document.text()}')
        # Python must not leave anything beside the parser, in the source of the kernel.
        subprocess.run([sys.executable, '-B', os.path.abspath(kunit), 'parse',
                        f'--json={parsed}', log], check=False, stdout=subprocess.DEVNULL)
        with open(parsed, encoding='utf-8') as file:
            group = json.load(file)
    cases = []
    walk(group, '', cases)
    # What is missing is an error, too.
    cases = [case for case in cases if case[0] != 'ERROR']
    return cases, not group['misc']['errors'] and not group['misc']['crashed']


def walk(group, suite, cases):
    """Cases of KUnit by suite and, where there are parameters, case."""
    cases += [(case['status'], suite + case['name']) for case in group['test_cases']]
    for sub_group in group['sub_groups']:
        walk(sub_group, f'{suite}{sub_group["name"]}.', cases)


class Judge:
    """Prints results, and remembers what became of each case."""

    def __init__(self, run, skips):
        self.run = run
        self.skips = [skip for skip in skips if re.fullmatch(skip.run, run)]
        self.used = set()
        self.cases = []

    def show(self, verdict, text):
        print(f'{verdict} {self.run}: {text}')

    def fail(self, text, explained=()):
        for line in explained:
            print(line)
        self.show('FAIL', text)

    def permits(self, name, reasons):
        for skip in self.skips:
            if re.fullmatch(skip.cases, name) and skip.reason in reasons:
                self.used.add(skip)
                return skip.why
        return None

    def take_over(self, result):
        why = self.permits(result.name, [result.reason]) if result.verdict == 'SKIP' else ''
        self.cases.append((self.run, result.name, result.verdict, result.reason, why or ''))
        if result.verdict == 'FAIL':
            self.fail(result.name, result.explained)
        elif why is None:
            self.fail(f'{result.name}: is not to be skipped: {result.reason}')
        else:
            reason = f' # SKIP {result.reason}' if result.verdict == 'SKIP' else ''
            self.show(result.verdict, result.name + reason)

    def write_cases(self, path):
        """For 'everywhere'."""
        with open(path, 'a', encoding='utf-8') as file:
            for case in self.cases:
                file.write('\t'.join(case) + '\n')

    def unused(self, names):
        """Of who got to the end, with these cases."""
        for skip in self.skips:
            concerned = any(re.fullmatch(skip.cases, name) for name in names)
            if concerned and skip not in self.used:
                self.fail(f'{skip.cases}: is permitted to be skipped and is not: {skip.reason}')


def judge_document(judge, document, kunit, nothing_of):
    """Take over the results of a document. Returns whether it is complete without a FAIL.

    The runner does not know the reason of a program that skips all, nothing_of does.
    """
    results, complete = document.read(kunit)
    for result in results:
        program = PROGRAM.search(result.name)
        if program and not result.reason:
            result = result._replace(reason=nothing_of.get(program[1]) or '')
        judge.take_over(result)
    if not complete:
        judge.fail(f'{document.name or "the output"}: has other results than its plan says',
                   document.lines[-20:])
    return complete and all(result.verdict != 'FAIL' for result in results)


def judge_runner(judge, document, kunit, well):
    """Does the runner say of each program what its cases do?"""
    for result in document.read(kunit)[0]:
        match = PROGRAM.search(result.name)
        program = match[1] if match else result.name
        if result.verdict == 'PASS' and not well.get(program):
            judge.fail(f'{program}: passed, though its results do not say so')
        if result.verdict == 'FAIL' and well.get(program) and ' # TIMEOUT ' not in result.name:
            judge.fail(f'{program}: failed, though its results do not say so')


def judge_logs(judge, logs, kunit):
    """Returns the documents."""
    documents = []
    for log in logs:
        documents += split(*log)
    nothing_of = {document.name: document.plan()[1] for document in documents}
    well = {}
    for document in documents:
        well[document.name] = judge_document(judge, document, kunit, nothing_of)
    for document in documents:
        if not document.nested and any(PROGRAM.search(line) for line in document.lines):
            judge_runner(judge, document, kunit, well)
    if not judge.cases:
        judge.fail('no test ran')
    if judge.cases and all(document.read(kunit)[1] for document in documents):
        # Some cases are run with LONG=1 only.
        judge.unused({name for _, name, *_ in judge.cases})
    return documents


def read_logs(paths):
    """The text of each log, and the name of its program where the file has that. A machine that
    failed left none.
    """
    for path in filter(os.path.exists, paths):
        files = [os.path.join(path, name) for name in sorted(os.listdir(path))] \
            if os.path.isdir(path) else [path]
        for file in files:
            with open(file, encoding='utf-8', errors='backslashreplace') as log:
                yield log.read(), os.path.basename(file) if os.path.isdir(path) else None


Skip = collections.namedtuple('Skip', 'run cases reason why')


def read_skips(path):
    skips = []
    if path:
        with open(path, encoding='utf-8') as file:
            for line in file:
                if line.strip() and not line.startswith('#'):
                    skips.append(Skip(*(part.strip() for part in line.split(' | '))))
    return skips


def results(arguments):
    judge = Judge(arguments.run, read_skips(arguments.skips))
    judge_logs(judge, read_logs(arguments.logs), arguments.kunit)
    if arguments.cases:
        judge.write_cases(arguments.cases)


def everywhere(permitted, paths):
    judge = Judge('everywhere', read_skips(permitted))
    reasons = collections.Counter()
    ran, skipped = set(), collections.defaultdict(set)
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for line in file:
                _, name, verdict, reason, why = line.rstrip('\n').split('\t')
                if verdict != 'SKIP':
                    ran.add(name)
                    continue
                skipped[name].add(reason)
                if why:
                    reasons[why] += 1
    for name in sorted(set(skipped) - ran):
        if judge.permits(name, skipped[name]) is None:
            judge.fail(f'{name}: is skipped wherever it is run: {"; ".join(sorted(skipped[name]))}')
    # Some runs are made with LONG=1 only.
    judge.unused(ran | set(skipped))
    for why, count in reasons.most_common():
        print(f'{count} skipped: {why}')


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser('results')
    command.add_argument('--kunit', required=True)
    command.add_argument('--skips')
    command.add_argument('--cases')
    command.add_argument('run')
    command.add_argument('logs', nargs='+')
    command.set_defaults(do=results)
    command = commands.add_parser('everywhere')
    command.add_argument('--skips')
    command.add_argument('cases', nargs='*')
    command.set_defaults(do=lambda given: everywhere(given.skips, given.cases))
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == '__main__':
    main()

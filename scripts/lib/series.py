#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""series.py cut BASE OVERLAY REPOSITORY: commit the patches of series/ to REPOSITORY, an empty git
repository, one tag for each series. BASE is the source of the kernel, OVERLAY has every file of all
series as it is at the end.

series.py sizes REPOSITORY: judge how long the patches are.

series/README.md says how a patch is described, and how a list is cut.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# What somebody reads in one sitting; and what a mailing list takes at once.
CODE, ALL, PATCHES, SERIES = 600, 1000, 20, 12000

TESTS_AND_DOCUMENTS = re.compile(
    r'(^|/)tests/|\.cases$|(?<!latency)_(test|case|says|situation)\.\w+$|^Documentation/|/README$')


def fail(problems):
    for problem in problems:
        print(f'idle_latency: {problem}', file=sys.stderr)
    sys.exit(1)


class Patch:
    """series/SERIES/NAME.txt: fields, an empty line, and the message."""

    def __init__(self, path):
        self.name = f'{path.parent.name}/{path.stem}'
        self.series = path.parent
        head, self.message = path.read_text().split('\n\n', 1)
        fields = {'Files': '', 'Waiting': '', 'Hunk': '', 'Lines': '', 'Option': ''}
        for line in head.replace('\n ', ' ').splitlines():
            field, value = line.split(':', 1)
            if field not in fields:
                fail([f'{path}: takes {", ".join(fields)}, not {field}'])
            fields[field] += f' {value}'
        self.waiting = fields['Waiting'].split()
        self.patterns = fields['Files'].split() + self.waiting
        self.hunks = fields['Hunk'].split()
        self.options = fields['Option'].split()
        self.lines = [line.split(':', 1) for line in fields['Lines'].split()]
        # Filled in by share_files(), in terms of the final tree.
        self.files = []


def read_patches():
    return [Patch(path) for path in sorted(Path('series').glob('*/[0-9]*.txt'))]


def hunk_of(name):
    return Path(f'series/hunks/{name}.patch').read_text()


def touched(hunk):
    return re.findall(r'^\+\+\+ b/(\S+)', hunk, re.M)


def share_files(patches, final, hunks):
    """Give each file to the one patch that names it."""
    problems = []
    ours = final - {path for name in hunks for path in touched(hunk_of(name))}
    for path in sorted(ours):
        takers = [patch for patch in patches
                  if any(fnmatch.fnmatch(path, pattern) for pattern in patch.patterns)]
        for patch in takers:
            patch.files.append(path)
        if len(takers) != 1:
            problems.append(f'{path} is in ' + (' and in '.join(
                patch.name for patch in takers) or 'no patch') + ' of series/')
    for patch in patches:
        problems += [f'series/{patch.name}.txt: there is no {pattern}' for pattern in patch.patterns
                     if not fnmatch.filter(ours, pattern)]
        problems += [f'series/{patch.name}.txt: there is no series/hunks/{name}.patch'
                     for name in patch.hunks if name not in hunks]
    named = [name for patch in patches for name in patch.hunks] + ['lists']
    problems += [f'series/hunks/{name}.patch is in {named.count(name) or "no"} patches'
                 for name in hunks if named.count(name) != 1]
    if problems:
        fail(problems)


class Lists:
    """Cuts what is not there yet out of lists."""

    def __init__(self, overlay, final, patches):
        self.overlay = overlay
        self.final = final
        self.folders = {str(parent) for path in final for parent in Path(path).parents}
        self.patches = patches
        self.listed = set()
        self.later = []
        self.waits = set()
        options = re.findall(r'^config (\S+)', self.read('drivers/idle_latency/Kconfig'), re.M)
        lost = set(options) - {option for patch in patches for option in patch.options}
        if lost:
            fail([f'the option {option} is in no patch of series/' for option in sorted(lost)])

    def move_on(self, done):
        """With the patches up to number @done."""
        self.listed = {path for patch in self.patches[:done] for name in patch.hunks
                       for path in touched(hunk_of(name))}
        pending = []
        for patch in self.patches[:done]:
            pending += patch.files
            if not patch.waiting:
                self.listed.update(pending)
                pending = []
        self.later = [line for patch in self.patches[done:] for line in patch.lines]
        self.waits = {option for patch in self.patches[done:] for option in patch.options}

    def read(self, path):
        return (self.overlay / path).read_text()

    def named(self, word, folder):
        """The file or the folder of ours that a word of a list names."""
        word = re.sub(r'^\$\((OUTPUT|src)\)/', '', word.strip('"')).rstrip('/:)')
        # What another makefile includes may name files beside that.
        for place in (folder, os.path.dirname(folder)):
            for name in (word, re.sub(r'\.o$', '.c', word), f'{word}.c', f'{word}.rst'):
                path = os.path.normpath(os.path.join(place, name))
                if path in self.final or word and path in self.folders - {folder, place, '.'}:
                    return path
        return word if '/' in word and word in self.final | self.folders else None

    def is_listed(self, path):
        return any(each == path or each.startswith(f'{path}/') for each in self.listed)

    def absent(self, word, folder):
        path = self.named(word, folder)
        return path is not None and not self.is_listed(path)

    def makefile(self, path, text):
        """Without words that name what is absent, and lines that name nothing else."""
        folder = os.path.dirname(path)
        result, comment, dropped = [], [], False
        for line in re.findall(r'(?:.*\\\n)*.*\n', text):
            if line.startswith('\t'):
                result += [] if dropped else [line]
                continue
            if line.startswith('#') and 'SPDX' not in line:
                comment.append(line)
                continue
            option = re.match(r'obj-\$\(CONFIG_(\w+)\)', line)
            kept = self.without(line, lambda word: self.absent(word, folder))
            if option and option[1] in self.waits:
                kept = ''
            dropped = not kept
            result += comment + [kept] if kept else []
            comment = []
        kept = re.sub(r'^ifdef .*\nendif\n', '', ''.join(result + comment), flags=re.M)
        return re.sub(r'\n{3,}', '\n\n', kept).rstrip('\n') + '\n'

    @staticmethod
    def without(line, gone):
        """A line of a makefile without some words, or nothing when no other is left."""
        words = [word for word in line.split() if word != '\\']
        # What is assigned, included or a prerequisite; and what that is done for.
        sign = next((word for word in words if word.endswith((':', '=')) or word == 'include'), '')
        at = words.index(sign) + 1 if sign else 0
        drop = {word for word in words[at if sign.endswith('=') else 0:] if gone(word)}
        if not drop:
            return line
        left, right = ([word for word in some if word not in drop]
                       for some in (words[:at], words[at:]))
        # What is left of a function is nothing.
        if all(re.fullmatch(r'\$\(\w+|.*,', word) for word in right) or sign and not left:
            return ''
        if sign in drop:
            left[-1] += ':'
            line = line.replace(f' {sign}', ':', 1)
        for word in drop:
            bracket = ')' if word.endswith(')') else ''
            line = re.sub(rf'(?<!\S){re.escape(word)}(?:[ \t]+(?=\S)|(?=\s))', bracket, line)
        line = re.sub(r'(?<=\n)[ \t]*\\\n', '', line)
        line = re.sub(r'(?:\s|\\\n)+\)', ')', line)
        return re.sub(r'(?:[ \t]*\\\n)*\s+$', '\n', line)

    def kconfig(self, text):
        """Without options that wait."""
        blocks = re.split(r'\n(?=\n(?:#.*\n)*(?:config|menu|endmenu|if|endif)\b)', text)
        kept = '\n'.join(block for block in blocks
                         if not self.waits & set(re.findall(r'^config (\S+)', block, re.M)))
        return re.sub(r'^\tselect (\S+)\n',
                      lambda line: '' if line[1] in self.waits else line[0],
                      kept, flags=re.M).rstrip('\n') + '\n'

    def other(self, path, text):
        """Without lines that a later patch names."""
        # No more empty lines in a row than the whole file has.
        most = max(map(len, re.findall('\n+', text)))
        for where, what in self.later:
            if where == path:
                text = re.sub(rf'^.*{re.escape(what)}.*\n', '', text, flags=re.M)
        text = re.sub(r'^#if.*\n#endif.*\n', '', text, flags=re.M)
        return re.sub(rf'\n{{{most},}}', '\n' * most, text)

    def cut(self, path):
        """The text of a file, or None where nothing is to be cut."""
        name = os.path.basename(path)
        if name in ('Makefile', '.gitignore') or name.endswith('.mk'):
            return self.makefile(path, self.read(path))
        if name == 'Kconfig':
            return self.kconfig(self.read(path))
        if name == 'config' or name.endswith('config'):
            waiting = '|'.join(self.waits) or '$'
            return re.sub(rf'^CONFIG_({waiting})=.*\n', '', self.read(path), flags=re.M)
        if any(where == path for patch in self.patches for where, _ in patch.lines):
            return self.other(path, self.read(path))
        return None

    def kernel_list(self, path, before, added):
        """A list of the kernel: what we add to it names our files; without any, it is as before."""
        folder = os.path.dirname(path)
        lines = self.read(path).splitlines(True)
        naming = [line for line in added if any(self.named(word, folder) for word in line.split())]
        gone = {line for line in naming if any(self.absent(word, folder) for word in line.split())}
        if gone == set(naming):
            return before
        return ''.join(line for line in lines if line not in gone)


class Cutter:
    def __init__(self, base, overlay, repository):
        self.base, self.overlay, self.repository = Path(base), Path(overlay), Path(repository)
        self.final = {str(path.relative_to(overlay)) for path in self.overlay.rglob('*')
                      if not path.is_dir()}
        hunks = [path.stem for path in sorted(Path('series/hunks').glob('*.patch'))]
        self.patches = read_patches()
        share_files(self.patches, self.final, hunks)
        self.lists = Lists(self.overlay, self.final, self.patches)
        for path in {path for name in hunks for path in touched(hunk_of(name))}:
            if (self.base / path).exists():
                self.copy(self.base, path)
        self.commit('base')
        self.git('tag', 'base')
        self.kernel_lists = self.read_kernel_lists()

    def git(self, *arguments, **options):
        subprocess.run(['git', '-C', self.repository, *arguments], check=True, **options)

    def copy(self, source, path):
        (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, self.repository / path)

    def read_kernel_lists(self):
        hunk = hunk_of('lists')
        return {path: re.findall(r'^\+(?!\+\+)(.*\n)', part, re.M) for path, part in
                zip(touched(hunk), re.split(r'^diff .*\n', hunk, flags=re.M)[1:])}

    def commit(self, message, *arguments):
        self.git('add', '--all')
        self.git('commit', '--quiet', '--file', '-', *arguments, input=message, text=True)

    def write_lists(self, done):
        self.lists.move_on(done)
        for patch in self.patches[:done]:
            for path in patch.files:
                text = self.lists.cut(path)
                if text is not None:
                    (self.repository / path).write_text(text)
        for path, added in self.kernel_lists.items():
            before = (self.base / path).read_text()
            (self.repository / path).write_text(self.lists.kernel_list(path, before, added))

    def run(self):
        for done, patch in enumerate(self.patches, 1):
            for name in patch.hunks:
                self.git('apply', '-', input=hunk_of(name), text=True)
            for path in patch.files:
                self.copy(self.overlay, path)
            self.write_lists(done)
            self.commit(patch.message, '--signoff')
            self.git('tag', '--force', patch.series.name, stdout=subprocess.DEVNULL)


def sizes(repository):
    """A line for each limit that is kept or not, as checks print results."""
    def judge(name, number, what, limit):
        print('PASS' if number <= limit else 'FAIL',
              f'series: {name}: {number} {what}, at most {limit}')

    log = subprocess.run(['git', '-C', repository, 'log', '--reverse', '--numstat',
                          '--format=%n%x01', 'base..'], check=True, capture_output=True, text=True)
    total = {}
    for patch, stat in zip(read_patches(), log.stdout.split('\x01')[1:]):
        added = [(path, int(lines)) for lines, path in re.findall(r'^(\d+)\t\d+\t(.+)', stat, re.M)]
        every = sum(lines for _, lines in added)
        judge(patch.name, sum(lines for path, lines in added if not TESTS_AND_DOCUMENTS.search(path)),
              'lines of code', CODE)
        judge(patch.name, every, 'lines', ALL)
        total.setdefault(patch.series.name, []).append(every)
    for series, patches in total.items():
        judge(series, len(patches), 'patches', PATCHES)
        judge(series, sum(patches), 'lines', SERIES)


def main():
    if sys.argv[1] == 'cut':
        Cutter(*sys.argv[2:]).run()
    else:
        sizes(sys.argv[2])


main()

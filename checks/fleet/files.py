# SPDX-License-Identifier: GPL-2.0
"""files.py DIR: judge the files for those who test kernels.

PASS or FAIL and a text in each line. That patches apply to what they are for can only be
tried there.
"""
import glob
import re
import subprocess
import sys

import yaml

COLLECTION = 'idle_latency'
# A table that is exactly right must not fail now and then.
ARGUMENTS = 'KSELFTEST_LATENCY_TEST_ARGS=--quantile=0.9999'


def added(patch):
    """The lines that a patch adds to each file."""
    files, name = {}, None
    for line in patch.splitlines():
        if line.startswith('+++ b/'):
            name = line[len('+++ b/'):]
            files[name] = []
        elif name and line.startswith('+'):
            files[name].append(line[1:])
    return files


def load(lines):
    """What these lines of a YAML file mean, with an empty node for each alias of the rest
    of the file."""
    text = '\n'.join(lines)
    stubs = [f'- &{name} {{}}' for name in sorted(set(re.findall(r'\*([\w-]+)', text)))]
    documents = '\n'.join(['stubs:', *stubs, 'lines:', text])
    return yaml.safe_load(documents)['lines']


def only_adds(patch):
    """Has it no line of the repository that it is for?"""
    hunks = re.sub(r'\A.*?^diff ', 'diff ', patch, flags=re.DOTALL | re.MULTILINE)
    return not re.search(r'^( |-(?!-- (a/|/dev/null)))', hunks, re.MULTILINE)


def main():
    """Ask all questions."""
    folder = sys.argv[1]

    def ask(question, answer):
        print('PASS' if answer else 'FAIL', f'fleet: {question}')

    jobs, entries, skips = {}, [], []
    for path in sorted(glob.glob(f'{folder}/*.patch')):
        with open(path, encoding='utf-8') as file:
            patch = file.read()
        parsed = subprocess.run(['git', 'apply', '--unidiff-zero', '--numstat', path],
                                check=False, stdout=subprocess.DEVNULL)
        ask(f'{path} is a patch that only adds lines',
            parsed.returncode == 0 and only_adds(patch))
        for name, lines in added(patch).items():
            if name.startswith('config/jobs'):
                jobs.update(load(lines))
            elif name.startswith('config/scheduler'):
                entries += load(lines)
            elif name.endswith('.yaml'):
                skips += load(lines)
            elif name.endswith('.py'):
                compile('class KSelfTest:\n    pass\n' + '\n'.join(lines), name, 'exec')

    ask('KernelCI has entries of its jobs, and for each of them',
        jobs and {entry['job'] for entry in entries} == set(jobs))
    ask('jobs of KernelCI run the collection',
        all(job['params']['collections'] == COLLECTION and
            job['kcidb_test_suite'] == f'kselftest.{COLLECTION}' for job in jobs.values()))
    ask('jobs of KernelCI on machines judge by a quantile',
        all(job['params'].get('env') == ARGUMENTS for job in jobs.values()
            if 'qemu_modules' not in job['params']))
    ask('the skiplist has nothing of the collection itself',
        skips and not any(re.fullmatch(test, f'{COLLECTION}:latency_test')
                          for skip in skips for test in skip['tests']))

    with open(f'{folder}/lava-job.yaml', encoding='utf-8') as file:
        actions = yaml.safe_load(file)['actions']
    test = actions[2]['test']['definitions'][0]['parameters']
    ask('the job for LAVA deploys, boots and runs the collection',
        [list(action) for action in actions] == [['deploy'], ['boot'], ['test']] and
        test['TST_CMDFILES'] == COLLECTION and test['ENV'] == ARGUMENTS)


main()

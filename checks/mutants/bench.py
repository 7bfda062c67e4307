# SPDX-License-Identifier: GPL-2.0
"""A program that tests, in which single files are replaced by mutants.

It is verdict_test, or a kernel with KUnit under User Mode Linux. What does not change
was compiled and linked together before, and what does was preprocessed: neither the
kernel tree nor its build directory is needed any more.
"""
import bisect
import collections
import json
import math
import os
import re
import selectors
import signal
import subprocess
import time

# A loop that does not end uses up its CPU time. The factor is for mutants that do more
# than the original, and for a CPU that is slower for a while; the second, because the
# kernel counts whole ones.
CPU_FACTOR = 10
CPU_MORE_S = 1

# What waits for ever uses no CPU time. It is long, because a mutant that has to wait for
# its turn, on a machine with much else to do, must not count as killed.
WALL_FACTOR = 20
WALL_MORE_S = 20

# Only a loop that does not end prints that much more than the original.
OUTPUT_FACTOR = 100

# A result in TAP, which the kernel indents.
RESULT = re.compile(rb"^[ \t]*(not )?ok [0-9]+.*$", re.MULTILINE)

# What the kernel complains of.
SPLAT = re.compile(rb"^(BUG|WARNING|INFO: trying to register).*$", re.MULTILINE)

LINEMARKER = re.compile(r'# ([0-9]+) "(.*?)"')

# What came of a run; wrong says why it failed, or is None.
Run = collections.namedtuple("Run", "wrong results cpu_s wall_s size")


# The processes of the programs that are running, each a group.
RUNNING = set()


class Failure(Exception):
    """What is wrong, in words for the user."""


class Text:
    """What a unit has been preprocessed to."""

    def __init__(self, unit):
        with open(unit["text"], encoding="latin-1") as preprocessed:
            self.all = preprocessed.read()
        self.begins = []
        self.numbers = []
        self.own = self.blank_out(unit["directory"], "/" + unit["file"])

    def blank_out(self, directory, file):
        """The same, with blanks for what is not of that file."""
        own, of_file, number, begin = [], False, 0, 0
        for line in self.all.splitlines(keepends=True):
            marker = LINEMARKER.match(line)
            if marker:
                path = os.path.normpath(os.path.join(directory, marker[2]))
                of_file = path.endswith(file)
                number = int(marker[1]) - 1
            keep = of_file and not marker
            own.append(line if keep else " " * (len(line) - 1) + "\n")
            self.begins.append(begin)
            self.numbers.append(number)
            begin += len(line)
            number += 1
        return "".join(own)

    def number(self, offset):
        """The number of the line in the file."""
        return self.numbers[bisect.bisect(self.begins, offset) - 1]

    def lines(self, mutant):
        """The lines that the mutant changes, before and after that, each as one."""
        first = self.own.rfind("\n", 0, mutant.begin) + 1
        last = self.own.find("\n", mutant.end)
        before = self.own[first:last]
        after = self.own[first:mutant.begin] + mutant.text + self.own[mutant.end:last]
        return " ".join(before.split()), " ".join(after.split())

    def mutated(self, mutant):
        return self.all[:mutant.begin] + mutant.text + self.all[mutant.end:]


class Bench:
    """Its description, bench.json, is written by prepare.py."""

    def __init__(self, directory):
        with open(os.path.join(directory, "bench.json"), encoding="utf-8") as file:
            description = json.load(file)
        self.units = description["units"]
        self.link_command = description["link"]
        self.arguments = description["arguments"]
        self.limits = []
        self.expected = None

    def compile(self, unit, text, to):
        """Return: whether it could be compiled."""
        return subprocess.run([*unit["compile"], "-o", to, "-"], input=text,
                              encoding="latin-1", stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def link(self, program, unit=None, replacement=None):
        """With another object for that unit. Return: whether it could be linked."""
        changed = {"PROGRAM": program}
        if unit:
            changed[unit["object"]] = replacement
        command = [changed.get(word, word) for word in self.link_command]
        return subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def run(self, program, directory):
        begin = time.monotonic()
        process = subprocess.Popen(
            ["prlimit", "--core=0", *self.limits, program,
             *[argument.replace("DIRECTORY", directory) for argument in self.arguments]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            cwd=directory, start_new_session=True)
        RUNNING.add(process.pid)
        try:
            wrong, output = self.read(process, begin)
            cpu_s = 0
            if not wrong:
                _, process.returncode, usage = os.wait4(process.pid, 0)
                cpu_s = usage.ru_utime + usage.ru_stime
        finally:
            end(process)
        if not wrong and process.returncode:
            wrong = "it ended with status %d" % process.returncode
        results = [match[0].strip() for match in RESULT.finditer(output)]
        return Run(wrong, results, cpu_s, time.monotonic() - begin, len(output))

    def read(self, process, begin):
        """All of its output, or up to the failure that comes first."""
        wall_s = size = None
        if self.expected:
            wall_s = WALL_FACTOR * self.expected.wall_s + WALL_MORE_S
            size = OUTPUT_FACTOR * self.expected.size
        output = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                left_s = wall_s and begin + wall_s - time.monotonic()
                if wall_s and left_s <= 0:
                    return "it did not end", output
                if size and len(output) > size:
                    return "it printed without end", output
                if not selector.select(left_s):
                    continue
                more = os.read(process.stdout.fileno(), 1 << 16)
                if not more:
                    return None, output
                output += more
                for match in RESULT.finditer(output):
                    if match[1]:
                        return match[0].decode(errors="replace").strip(), output
                splat = SPLAT.search(output)
                if splat:
                    return splat[0].decode(errors="replace"), output

    def expect(self, runs):
        """What the original gave, a few times: mutants are compared with it."""
        for run in runs:
            if run.wrong:
                raise Failure("the tests fail without any change: " + run.wrong)
            if run.results != runs[0].results:
                different = set(run.results) ^ set(runs[0].results)
                raise Failure("the tests differ from run to run, without any change: %s" %
                              b", ".join(different).decode(errors="replace"))
        if not runs[0].results:
            raise Failure("no test ran")
        self.expected = runs[0]._replace(cpu_s=max(run.cpu_s for run in runs),
                                         wall_s=max(run.wall_s for run in runs))
        cpu_s = math.ceil(CPU_FACTOR * self.expected.cpu_s) + CPU_MORE_S
        self.limits = ["--cpu=%d" % cpu_s]

    def passes(self, program, directory):
        run = self.run(program, directory)
        return not run.wrong and run.results == self.expected.results


def kill(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end(process):
    """Also what it has left running."""
    kill(process.pid)
    RUNNING.discard(process.pid)
    process.stdout.close()
    process.wait()


def stop(*_):
    """All that runs, and this."""
    for group in list(RUNNING):
        kill(group)
    os._exit(143)

# SPDX-License-Identifier: GPL-2.0
"""Try every mutant, and name those that survive.

  mutants.py JOBS BENCH...

A mutant is killed when a test fails that passes without it, does not run, or does not
end, or when the kernel complains. What the compiler refuses is no mutant, nor is what
becomes the same object as the original, or as a mutant before it.

A BENCH is a directory for what is made of a program that tests: verdict_test, or a kernel with
KUnit under User Mode Linux. Its file "commands" has what was executed to compile the program and to
link it. Its file "bench" says, a line each, in which directory that was, with which arguments the
program is called, and the files to mutate, by the end of their path; after a colon, separated by
commas, how the names of functions and macros begin that are, if not all are. They are preprocessed
at the beginning, under the lock of the cache, so that the sources are not needed any more.
"""
import collections
import concurrent.futures
import hashlib
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutate

# The lock, which the shell has, too, and gives up sooner.
LOCK = 9

# With the macros still in the text, so that it is the one of the file.
PREPROCESS = ["-E", "-fdirectives-only"]
COMPILE = ["-x", "c", "-fpreprocessed", "-fdirectives-only", "-c"]

# What gcc warns of in this way does not get as far as a test.
REFUSE = ["-Werror=return-type", "-Werror=uninitialized"]

# An access outside of an array fails then, whatever happens to be there.
TRAP = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]

# Some change nothing that a test could see, such as which of two equal times is taken.
MOST_SURVIVORS_PERCENT = 5

# The original runs that often before, as many at a time as mutants later.
TRIALS = 10

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

# A result in TAP, which the kernel indents; and what the kernel complains of.
RESULT = re.compile(rb"[ \t]*(not )?ok [0-9]+")
SPLAT = re.compile(rb"BUG|WARNING|INFO: trying to register")

LINEMARKER = re.compile(r'^(# ([0-9]+) "(.*?)".*\n)', re.M)

# What came of a run; wrong says why it failed, or is None.
Run = collections.namedtuple("Run", "wrong results size wall_s")

# The processes of the programs that are running, each a group.
RUNNING = set()


class Failure(Exception):
    """What is wrong, in words for the user."""


def kill(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def stop(*_):
    """All that runs, and this."""
    for group in list(RUNNING):
        kill(group)
    os._exit(143)


def cpu_time_s():
    """Of the programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


def flags_of(words):
    """A command without what it makes of which sources."""
    return [word for i, word in enumerate(words) if not (
        word in ("-c", "-o") or words[i - 1] == "-o" or word.endswith((".c", ".o")) or
        word.startswith(("-l", "-Wp,-M")))]


class Bench:
    def __init__(self, directory):
        self.directory = os.path.abspath(directory)
        with open(os.path.join(directory, "bench"), encoding="utf-8") as file:
            self.made_in, arguments, *wanted = file.read().splitlines()
        self.arguments = arguments.split()
        self.wanted = dict((file + ":").split(":")[:2] for file in wanted)
        # What is linked in the place of what the commands name.
        self.files, self.objects = [], {}
        with open(os.path.join(directory, "commands"), encoding="utf-8") as commands:
            self.linking = self.link_of(self.compile_all(commands))
        if self.wanted or self.objects:
            raise Failure("not compiled or not linked into the program: %s" %
                          " ".join([*self.wanted, *self.objects]))
        self.expected, self.size, self.cpu_s, self.wall_s = None, math.inf, "unlimited", 3600

    def output_of(self, command):
        done = subprocess.run(command, cwd=self.made_in, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="latin-1", check=False)
        if done.returncode:
            raise Failure("%sfailed: %s" % (done.stdout, shlex.join(command)))
        return done.stdout

    def compile(self, words, source, to):
        """A source, which is mutated when it or what it includes is one of the files."""
        made = os.path.join(self.directory, source.replace("/", "_"))
        flags = flags_of(words)
        self.output_of([*flags, *PREPROCESS, source, "-o", made + ".i"])
        with open(made + ".i", encoding="latin-1") as text:
            paths = {os.path.normpath(path)
                     for path in re.findall(r'^# [0-9]+ "(.*?)"', text.read(), re.M)}
        found = [file for file in self.wanted
                 if any(("/" + path).endswith("/" + file) for path in paths)]
        compiling = [*flags, *TRAP, *REFUSE, *COMPILE]
        if found or to.endswith(".c"):
            self.output_of([*compiling, made + ".i", "-o", made + ".o"])
            self.objects[to] = made + ".o"
        self.files += [File(self, file, self.wanted.pop(file), compiling, made) for file in found]

    def compile_all(self, commands):
        """Return: the words of the last command that links."""
        link = []
        for line in commands:
            words = shlex.split(line)
            sources = [word for word in words if word.endswith(".c")]
            if "-c" in words:
                self.compile(words, *sources, words[words.index("-o") + 1])
            else:
                for source in sources:
                    self.compile(words, source, source)
                link = words
        if not link:
            raise Failure("none of the commands links the program")
        return link

    def link_of(self, words):
        """The same with the objects that are in archives one by one."""
        words[words.index("-o") + 1] = "PROGRAM"
        parts = [part for word in words for part in (
            self.output_of(["ar", "t", word]).split() if word.endswith(".a") else [word])]
        return [self.objects.pop(part, part) for part in parts]

    def call(self, command, **options):
        """Return: whether it succeeded."""
        done = subprocess.run(command, cwd=self.made_in, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, check=False, **options)
        return done.returncode == 0

    def link(self, program, unit=None, replacement=None):
        """With another object for that of the unit. Return: whether it could be linked."""
        changed = {"PROGRAM": program, unit: replacement}
        return self.call([changed.get(word, word) for word in self.linking])

    def read(self, output):
        """All of its output, or up to the failure that comes first."""
        results, size = [], 0
        for line in iter(lambda: output.readline(1 << 16), b""):
            size += len(line)
            result = RESULT.match(line)
            if result:
                results.append(line.strip())
            if SPLAT.match(line) or result and result[1]:
                return line.decode(errors="replace").strip(), results, size
            if size > self.size:
                return "it printed without end", results, size
        return None, results, size

    def run(self, program):
        """In a directory of its own."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            process = subprocess.Popen(
                ["prlimit", "--core=0", "--cpu=%s" % self.cpu_s, program,
                 *[word.replace("DIRECTORY", directory) for word in self.arguments]],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                cwd=directory, start_new_session=True)
            RUNNING.add(process.pid)
            clock = threading.Timer(self.wall_s, kill, [process.pid])
            clock.start()
            try:
                wrong, results, size = self.read(process.stdout)
                if not wrong and process.wait():
                    wrong = "it ended with status %d" % process.returncode
            finally:
                clock.cancel()
                # Also what it has left running.
                kill(process.pid)
                RUNNING.discard(process.pid)
                process.stdout.close()
                process.wait()
        return Run(wrong, results, size, time.monotonic() - begin)

    def try_original(self, pool):
        """What it gives, a few times: mutants are compared with it."""
        program = os.path.join(self.directory, "original")
        if not self.link(program):
            raise Failure("%s: cannot be linked" % self.directory)
        cpu_s = cpu_time_s()
        runs = list(pool.map(self.run, [program] * TRIALS))
        cpu_s = (cpu_time_s() - cpu_s) / TRIALS
        for run in runs:
            if run.wrong:
                raise Failure("the tests fail without any change: " + run.wrong)
            if run.results != runs[0].results:
                different = set(run.results) ^ set(runs[0].results)
                raise Failure("the tests differ from run to run, without any change: %s" %
                              b", ".join(different).decode(errors="replace"))
        if not runs[0].results:
            raise Failure("no test ran")
        self.expected = runs[0].results
        self.size = OUTPUT_FACTOR * runs[0].size
        self.cpu_s = math.ceil(CPU_FACTOR * cpu_s) + CPU_MORE_S
        self.wall_s = WALL_FACTOR * max(run.wall_s for run in runs) + WALL_MORE_S

    def survives(self, unit, changed):
        """Return: whether no test notices; None where it cannot even be linked."""
        program = changed + ".program"
        if not self.link(program, unit, changed):
            return None
        run = self.run(program)
        os.unlink(program)
        return not run.wrong and run.results == self.expected


class File:
    """The mutants of one file, each known by its number, and what became of them."""

    def __init__(self, bench, name, prefixes, compiling, made):
        self.bench, self.name, self.compiling, self.made = bench, name, compiling, made + ".o"
        with open(made + ".i", encoding="latin-1") as preprocessed:
            self.all = preprocessed.read()
        self.own = self.blank_out(bench.made_in)
        self.mutants = [mutant for mutant in mutate.mutants_of(self.own)
                        if mutant.function.startswith(tuple(prefixes.split(",")))]
        if not self.mutants:
            raise Failure("%s: nothing to change" % name)
        self.refused = self.same = self.killed = 0
        self.survivors = []

    def blank_out(self, directory):
        """What it has been preprocessed to, with blanks for what is not of the file."""
        begin, *parts = LINEMARKER.split(self.all)
        own = [(begin, False)]
        for marker, path, text in zip(parts[::4], parts[2::4], parts[3::4]):
            path = os.path.normpath(os.path.join(directory, path))
            own += [(marker, False), (text, path.endswith("/" + self.name))]
        return "".join(text if keep else re.sub(".+", lambda line: " " * len(line[0]), text)
                       for text, keep in own)

    def object(self, mutant):
        return "%s.%d" % (self.made, mutant)

    def compile(self, mutant):
        """Return: whether it could be compiled."""
        changed = self.mutants[mutant]
        text = self.all[:changed.begin] + changed.text + self.all[changed.end:]
        return self.bench.call([*self.compiling, "-o", self.object(mutant), "-"],
                               input=text, encoding="latin-1")

    def choose(self, compiled):
        """Return: what is left of what could be compiled."""
        seen = {digest(self.made)}
        chosen = []
        for mutant, done in enumerate(compiled):
            if not done:
                self.refused += 1
            elif digest(self.object(mutant)) in seen:
                self.same += 1
            else:
                seen.add(digest(self.object(mutant)))
                chosen.append(mutant)
        return chosen

    def try_all(self, pool):
        begin = time.monotonic()
        chosen = self.choose(list(pool.map(self.compile, range(len(self.mutants)))))
        survived = pool.map(lambda mutant: self.bench.survives(
            self.made, self.object(mutant)), chosen)
        for mutant, result in zip(chosen, survived):
            if result is None:
                self.refused += 1
            elif result:
                self.survivors.append(mutant)
            else:
                self.killed += 1
        print("[mutants] %s: %s in %d s" % (self.name, counts([self]), time.monotonic() - begin),
              flush=True)

    def describe(self, mutant):
        """Where it is, and the lines that it changes, before and after that, each as one."""
        changed = self.mutants[mutant]
        *_, marker = LINEMARKER.finditer(self.all, 0, changed.begin)
        number = int(marker[2]) + self.all.count("\n", marker.end(), changed.begin)
        first = self.own.rfind("\n", 0, changed.begin) + 1
        last = self.own.find("\n", changed.end)
        before = self.own[first:last]
        after = self.own[first:changed.begin] + changed.text + self.own[changed.end:last]
        return "%s:%d: %s:\n- %s\n+ %s" % (self.name, number, changed.function,
                                           " ".join(before.split()), " ".join(after.split()))


def percent(files):
    """Of the mutants, which survived."""
    survived = sum(len(file.survivors) for file in files)
    return 100 * survived / max(survived + sum(file.killed for file in files), 1)


def counts(files):
    killed = sum(file.killed for file in files)
    survived = sum(len(file.survivors) for file in files)
    return "%d mutants, %d killed, %d survived (%.1f %%)" % (
        killed + survived, killed, survived, percent(files))


def report(files):
    """Return: whether all is as it must be."""
    for file in files:
        for mutant in file.survivors:
            print("survived: " + file.describe(mutant))
    for file in files:
        print("%s: %s; %d refused by the compiler, %d the same as another" % (
            file.name, counts([file]), file.refused, file.same))
    print(counts(files))
    return any(file.killed for file in files) and percent(files) <= MOST_SURVIVORS_PERCENT


def main():
    jobs, *directories = sys.argv[1:]
    signal.signal(signal.SIGTERM, stop)
    try:
        benches = [Bench(directory) for directory in directories]
        os.close(LOCK)
        with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
            for bench in benches:
                bench.try_original(pool)
                for file in bench.files:
                    file.try_all(pool)
    except Failure as error:
        sys.exit("idle_latency: mutants: %s" % error)
    sys.exit(not report([file for bench in benches for file in bench.files]))


main()

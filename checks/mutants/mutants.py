# SPDX-License-Identifier: GPL-2.0
"""Try every mutant, and name those that survive.

  mutants.py JOBS BENCH...

A mutant is killed when a test fails that passes without it, does not run, or does not
end, or when the kernel complains. What the compiler refuses is no mutant, nor is what
becomes the same object as the original, or as a mutant before it.
"""
import concurrent.futures
import hashlib
import os
import signal
import sys
import tempfile
import time

import bench
import mutate

# Some change nothing that a test could see, such as which of two equal times is taken.
MOST_SURVIVORS_PERCENT = 5

# The original runs that often before, as many at a time as mutants later.
TRIALS = 10


class File:
    """The mutants of one file."""

    def __init__(self, tester, unit):
        self.tester = tester
        self.unit = unit
        self.name = unit["file"]
        self.text = bench.Text(unit)
        self.mutants = [mutant for mutant in mutate.mutants_of(self.text.own)
                        if mutant.function.startswith(tuple(unit["prefixes"]))]
        if not self.mutants:
            raise bench.Failure("%s: nothing to change" % self.name)
        self.refused = 0
        self.same = 0
        self.killed = 0
        self.survivors = []

    def object(self, mutant):
        """A mutant is known by its number."""
        return "%s.%d" % (self.unit["object"], mutant)

    def compile(self, mutant):
        return self.tester.bench.compile(
            self.unit, self.text.mutated(self.mutants[mutant]), self.object(mutant))

    def choose(self, compiled):
        """Return: what is left of what could be compiled."""
        seen = {digest(self.unit["object"])}
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

    def survives(self, mutant):
        return self.tester.survives(self.unit, self.object(mutant))

    def try_all(self, pool):
        chosen = self.choose(list(pool.map(self.compile, range(len(self.mutants)))))
        for mutant, survived in zip(chosen, pool.map(self.survives, chosen)):
            if survived is None:
                self.refused += 1
            elif survived:
                self.survivors.append(mutant)
            else:
                self.killed += 1

    def describe(self, mutant):
        changed = self.mutants[mutant]
        return "%s:%d: %s:\n- %s\n+ %s" % (
            self.name, self.text.number(changed.begin), changed.function,
            *self.text.lines(changed))


class Tester:
    """Runs the program of a bench, each time in a directory of its own."""

    def __init__(self, directory):
        self.directory = os.path.abspath(directory)
        self.bench = bench.Bench(self.directory)
        self.files = [File(self, unit) for unit in self.bench.units]

    def try_original(self, pool):
        program = os.path.join(self.directory, "original")
        if not self.bench.link(program):
            raise bench.Failure("%s: cannot be linked" % self.directory)
        self.bench.expect(list(pool.map(lambda _: self.run(program), range(TRIALS))))

    def run(self, program):
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            return self.bench.run(program, directory)

    def survives(self, unit, changed):
        """Return: whether no test notices; None where it cannot even be linked."""
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            program = os.path.join(directory, "mutant")
            if not self.bench.link(program, unit, changed):
                return None
            return self.bench.passes(program, directory)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


def percent(part, whole):
    return 100 * part / whole if whole else 0


def counts(killed, survived):
    return "%d mutants, %d killed, %d survived (%.1f %%)" % (
        killed + survived, killed, survived, percent(survived, killed + survived))


def report(files):
    """Return: whether all is as it must be."""
    killed = survived = 0
    for file in files:
        for mutant in file.survivors:
            print("survived: " + file.describe(mutant))
        killed += file.killed
        survived += len(file.survivors)
    for file in files:
        print("%s: %s; %d refused by the compiler, %d the same as another" % (
            file.name, counts(file.killed, len(file.survivors)), file.refused, file.same))
    print(counts(killed, survived))
    return bool(killed) and percent(survived, killed + survived) <= MOST_SURVIVORS_PERCENT


def try_files(tester, pool):
    tester.try_original(pool)
    for file in tester.files:
        begin = time.monotonic()
        file.try_all(pool)
        print("[mutants] %s: %s in %d s" % (
            file.name, counts(file.killed, len(file.survivors)), time.monotonic() - begin),
              flush=True)


def main():
    jobs, *directories = sys.argv[1:]
    signal.signal(signal.SIGTERM, bench.stop)
    try:
        testers = [Tester(directory) for directory in directories]
        with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
            for tester in testers:
                try_files(tester, pool)
    except bench.Failure as error:
        sys.exit("idle_latency: mutants: %s" % error)
    sys.exit(not report([file for tester in testers for file in tester.files]))


if __name__ == "__main__":
    main()

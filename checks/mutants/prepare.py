# SPDX-License-Identifier: GPL-2.0
"""Make a bench (bench.py) of what the makefiles compile and link.

  prepare.py program BENCH DIRECTORY COMMANDS FILE...
  prepare.py kernel BENCH BUILD COMMANDS FILE...

FILEs are those to mutate, by their path in the kernel tree; after a colon, separated by
commas, how the names of functions and macros begin that are, if not all are. COMMANDS is what make says
that it executes, in that directory: how a program is made, or how the kernel is linked.
"""
import filecmp
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

# With the macros still in the text, so that it is the one of the file.
PREPROCESS = ["-E", "-fdirectives-only"]
COMPILE = ["-x", "c", "-fpreprocessed", "-fdirectives-only", "-c"]

# What gcc warns of in this way does not get as far as a test.
REFUSE = ["-Werror=return-type", "-Werror=uninitialized"]

# An access outside of an array fails then, whatever happens to be there.
TRAP = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]

# As kunit.py does it, but that time leaps while the kernel waits: a mutant for which a test
# waits in vain is found when KUnit's limit of five minutes is over, which is at once. Freed
# memory that somebody writes to is noticed with the next allocation.
KERNEL_ARGUMENTS = ["mem=1G", "console=tty", "kunit_shutdown=halt", "kunit.enable=1",
                    "uml_dir=DIRECTORY/", "time-travel", "slab_debug=FZPU"]


def run(command, directory):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                          check=False)
    if done.returncode:
        sys.exit("%sfailed: %s" % (done.stdout, shlex.join(command)))
    return done.stdout


class Command:
    """A line that compiles sources."""

    def __init__(self, line):
        self.compiler, *words = shlex.split(line)
        self.sources = []
        self.libraries = []
        self.flags = []
        words = iter(words)
        for word in words:
            if word == "-o":
                next(words)
            elif word.startswith("-l"):
                self.libraries.append(word)
            elif word.endswith(".c"):
                self.sources.append(word)
            elif word != "-c" and not word.startswith("-Wp,-M") and not word.endswith(".o"):
                self.flags.append(word)

    def of_preprocessed(self):
        """The command without what was for the preprocessor."""
        flags = []
        words = iter(self.flags)
        for word in words:
            if word in ("-include", "-isystem"):
                next(words)
            elif not word.startswith(("-I", "-D", "-U")):
                flags.append(word)
        return [self.compiler, *flags, *TRAP, *REFUSE, *COMPILE]


class Preparation:
    def __init__(self, bench, directory):
        self.bench = bench
        self.directory = directory
        self.units = []

    def path(self, name):
        return os.path.join(self.bench, name)

    def compile(self, command, source, name, *more):
        to = self.path(name)
        run([command.compiler, *command.flags, *more, "-c", source, "-o", to], self.directory)
        return to

    def add_unit(self, file, prefixes, command, source):
        """To mutate a file, which is the source or is included by it."""
        name = source.replace("/", "_")
        unit = {"file": file, "prefixes": prefixes, "directory": self.directory,
                "compile": command.of_preprocessed(),
                "text": self.path(name + ".i"), "object": self.path(name + ".o")}
        run([command.compiler, *command.flags, *PREPROCESS, source, "-o", unit["text"]],
            self.directory)
        run([*unit["compile"], unit["text"], "-o", unit["object"]], self.directory)
        direct = self.compile(command, source, "direct.o", *TRAP)
        if not filecmp.cmp(direct, unit["object"], False):
            sys.exit("%s: gcc makes something else of what it has preprocessed" % source)
        self.units.append(unit)
        return unit["object"]

    def save(self, link, arguments):
        with open(self.path("bench.json"), "w", encoding="utf-8") as file:
            json.dump({"units": self.units, "link": link, "arguments": arguments}, file)


def one(found, file):
    if not found:
        sys.exit("%s is compiled by none of the commands" % file)
    return found[0]


def prepare_program(preparation, commands, files):
    with open(commands, encoding="utf-8") as lines:
        commands = [Command(line) for line in lines if re.match(r"\S*gcc ", line)]
    sources = [(command, source) for command in commands for source in command.sources]
    objects = {}
    for file, prefixes in files:
        command, source = one([
            found for found in sources if os.path.abspath(
                os.path.join(preparation.directory, found[1])).endswith("/" + file)], file)
        objects[source] = preparation.add_unit(file, prefixes, command, source)
    for i, (command, source) in enumerate(sources):
        if source not in objects:
            objects[source] = preparation.compile(command, source, "rest-%d.o" % i)
    last = commands[-1]
    preparation.save([last.compiler, "-o", "PROGRAM", *objects.values(), *last.libraries], [])


def command_files(build):
    return sorted(glob.glob(build + "/drivers/idle_latency/**/.*.o.cmd", recursive=True) +
                  glob.glob(build + "/drivers/idle_latency/.*.o.cmd"))


def saved_command(path):
    with open(path, encoding="utf-8") as file:
        return Command(file.readline().split(":=", 1)[1])


def object_of(build, file):
    """The object that a file, or else the first one that includes it, becomes."""
    for path in command_files(build):
        with open(path, encoding="utf-8") as lines:
            words = lines.read().split()
        if any(os.path.normpath(word).endswith("/" + file) for word in words):
            return path
    return one([], file)


def link_of_kernel(commands):
    """The last link of it, as the shell says it."""
    with open(commands, encoding="utf-8", errors="replace") as lines:
        found = [line for line in lines if " -o vmlinux.unstripped " in line]
    if not found:
        sys.exit("make does not say how it links the kernel")
    return shlex.split(found[-1].lstrip("+ "))


def objects_of(preparation, parts):
    """The objects, also those in archives, in the order in which they are linked."""
    return [name for part in parts for name in (
        run(["ar", "t", part], preparation.directory).split() if part.endswith(".a") else
        [part])]


def merge(preparation, names, mutated):
    """As few objects as possible: between those to mutate, what is linked is made one."""
    merged, rest = [], []
    for name in [*names, None]:
        if name is not None and name not in mutated:
            rest.append(name)
            continue
        if rest:
            merged.append(preparation.path("rest-%d.o" % len(merged)))
            run(["ld", "-r", "-z", "noexecstack", "-o", merged[-1], *rest],
                preparation.directory)
            rest = []
        if name is not None:
            merged.append(mutated.pop(name))
    if mutated:
        sys.exit("not linked into the kernel: %s" % " ".join(mutated))
    return merged


def prepare_kernel(preparation, commands, files):
    """
    What kallsyms knows stays that of the unmutated kernel, so that a mutant may name
    wrong functions when it crashes.
    """
    mutated = {}
    for file, prefixes in files:
        path = object_of(preparation.directory, file)
        command = saved_command(path)
        name = os.path.join(os.path.dirname(path), os.path.basename(path)[1:-len(".cmd")])
        mutated[os.path.relpath(name, preparation.directory)] = \
            preparation.add_unit(file, prefixes, command, command.sources[0])
    parts, libraries, link = [], [], []
    words = iter(link_of_kernel(commands))
    for word in words:
        if word == "-o":
            next(words)
        elif word.endswith((".o", ".a")):
            parts.append(word)
        elif word.startswith("-l"):
            libraries.append(word)
        elif word.startswith("-Wl,--script="):
            shutil.copy(os.path.join(preparation.directory, word.split("=", 1)[1]),
                        preparation.path("script.lds"))
            link.append("-Wl,--script=" + preparation.path("script.lds"))
        elif word not in ("-Wl,--whole-archive", "-Wl,--no-whole-archive",
                          "-Wl,--start-group", "-Wl,--end-group"):
            link.append(word)
    objects = merge(preparation, objects_of(preparation, parts), mutated)
    preparation.save([*link, "-o", "PROGRAM", *objects, *libraries], KERNEL_ARGUMENTS)


def split(file):
    file, _, prefixes = file.partition(":")
    return file, prefixes.split(",")


def main():
    kind, bench, directory, commands, *files = sys.argv[1:]
    prepare = {"program": prepare_program, "kernel": prepare_kernel}[kind]
    prepare(Preparation(bench, directory), commands, [split(file) for file in files])


main()

# SPDX-License-Identifier: GPL-2.0
"""Write down, in BENCH, how a program is made of mutants of some files.

  prepare.py BENCH DIRECTORY COMMANDS ARGUMENTS FILE...

COMMANDS has what was executed in that directory to compile the program and to link it, which is
called with the ARGUMENTS. FILEs are those to mutate, by the end of their path; after a colon,
separated by commas, how the names of functions and macros begin that are, if not all are. They
are preprocessed here, so that the sources are not needed any more.
"""
import json
import os
import re
import shlex
import subprocess
import sys

# With the macros still in the text, so that it is the one of the file.
PREPROCESS = ["-E", "-fdirectives-only"]
COMPILE = ["-x", "c", "-fpreprocessed", "-fdirectives-only", "-c"]

# What gcc warns of in this way does not get as far as a test.
REFUSE = ["-Werror=return-type", "-Werror=uninitialized"]

# An access outside of an array fails then, whatever happens to be there.
TRAP = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]


def run(command, directory):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="latin-1", check=False)
    if done.returncode:
        sys.exit("%sfailed: %s" % (done.stdout, shlex.join(command)))
    return done.stdout


def flags_of(words):
    """A command without what it makes of which sources."""
    return [word for i, word in enumerate(words) if not (
        word in ("-c", "-o") or words[i - 1] == "-o" or word.endswith((".c", ".o")) or
        word.startswith(("-l", "-Wp,-M")))]


class Preparation:
    def __init__(self, bench, directory, files):
        self.bench, self.directory = bench, directory
        self.files = dict((file + ":").split(":")[:2] for file in files)
        self.units = []
        # What is linked in the place of what the commands name.
        self.objects = {}

    def compile(self, words, source, to):
        """A source, which is mutated when it or what it includes is one of the files."""
        made = os.path.join(self.bench, source.replace("/", "_"))
        flags = flags_of(words)
        run([*flags, *PREPROCESS, source, "-o", made + ".i"], self.directory)
        with open(made + ".i", encoding="latin-1") as text:
            paths = {os.path.normpath(path)
                     for path in re.findall(r'^# [0-9]+ "(.*?)"', text.read(), re.M)}
        found = [file for file in self.files
                 if any(("/" + path).endswith("/" + file) for path in paths)]
        compiling = [*flags, *TRAP, *REFUSE, *COMPILE]
        if found or to.endswith(".c"):
            run([*compiling, made + ".i", "-o", made + ".o"], self.directory)
            self.objects[to] = made + ".o"
        self.units += [{"file": file, "prefixes": self.files.pop(file).split(","),
                        "compile": compiling, "text": made + ".i", "object": made + ".o"}
                       for file in found]

    def read(self, commands):
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
        if self.files:
            sys.exit("compiled by none of the commands: %s" % " ".join(self.files))
        if not link:
            sys.exit("none of the commands links the program")
        return link

    def link(self, words):
        """With the objects that are in archives one by one."""
        words[words.index("-o") + 1] = "PROGRAM"
        parts = [part for word in words for part in (
            run(["ar", "t", word], self.directory).split() if word.endswith(".a") else [word])]
        return [self.objects.pop(part, part) for part in parts]


def main():
    bench, directory, commands, arguments, *files = sys.argv[1:]
    preparation = Preparation(bench, directory, files)
    with open(commands, encoding="utf-8") as lines:
        link = preparation.link(preparation.read(lines))
    if preparation.objects:
        sys.exit("not linked into the program: %s" % " ".join(preparation.objects))
    with open(os.path.join(bench, "bench.json"), "w", encoding="utf-8") as file:
        json.dump({"units": preparation.units, "directory": directory, "link": link,
                   "arguments": arguments.split()}, file)


main()

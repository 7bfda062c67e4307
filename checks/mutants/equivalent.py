# SPDX-License-Identifier: GPL-2.0
"""The list of mutants that no test can tell from the original.

Paragraphs of it are parted by blank lines. Each has the name of a function, table or
macro; after "- ", the text that is changed; after "+ ", what it becomes; and in the end
the reason why nobody notices. There can be several of both: what becomes of a text is
below it, or after "? " where another compiler or C library makes a difference, so that it may
be killed, too. Lines that are changed together are joined, and numbers of lines are not part
of the list, so that it stays valid when lines move.
"""
import collections
import re

Key = collections.namedtuple("Key", "function before after")


class Error(Exception):
    """What is wrong with the list."""


def keys_of(paragraph):
    """The mutants that a paragraph is about, each with whether it always survives."""
    function, *lines = [line for line in paragraph.splitlines() if line[:1] != "#"]
    before, reason, keys = None, False, []
    for line in lines:
        if line.startswith("- "):
            before = line[2:]
        elif line[:2] in ("+ ", "? ") and before:
            keys.append((line[0] == "+", Key(function, before, line[2:])))
        else:
            reason = True
    if not keys or not reason:
        raise Error("not a function, what is changed, what it becomes, and the reason:\n" +
                    paragraph)
    return keys


def read(path):
    """Return: how often each mutant is listed, as often as the same text is changed: those
    that always survive, and those that may.
    """
    with open(path, encoding="utf-8") as file:
        paragraphs = re.split(r"\n\s*\n", file.read().strip())
    keys = [key for paragraph in paragraphs
            if any(line[:1] != "#" for line in paragraph.splitlines())
            for key in keys_of(paragraph)]
    return (collections.Counter(key for always, key in keys if always),
            collections.Counter(key for always, key in keys if not always))

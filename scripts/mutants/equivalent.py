# SPDX-License-Identifier: GPL-2.0
"""The list of mutants that no test can tell from the original.

Paragraphs of it are parted by blank lines. Each has the name of a function, table or
macro; after "- ", the text that is changed; after "+ ", what it becomes; and in the end
the reason why nobody notices. There can be several of both: what becomes of a text is
below it. Lines that are changed together are joined, and numbers of lines are not part
of the list, so that it stays valid when lines move.
"""
import collections
import re

Key = collections.namedtuple("Key", "function before after")


class Error(Exception):
    """What is wrong with the list."""


def keys_of(paragraph):
    """The mutants that a paragraph is about."""
    function, *lines = [line for line in paragraph.splitlines() if line[:1] != "#"]
    before, reason, keys = None, False, []
    for line in lines:
        if line.startswith("- "):
            before = line[2:]
        elif line.startswith("+ ") and before:
            keys.append(Key(function, before, line[2:]))
        else:
            reason = True
    if not keys or not reason:
        raise Error("not a function, what is changed, what it becomes, and the reason:\n" +
                    paragraph)
    return keys


def read(path):
    """Return: how often each mutant is listed, as often as the same text is changed."""
    with open(path, encoding="utf-8") as file:
        paragraphs = re.split(r"\n\s*\n", file.read().strip())
    return collections.Counter(
        key for paragraph in paragraphs
        if any(line[:1] != "#" for line in paragraph.splitlines())
        for key in keys_of(paragraph))

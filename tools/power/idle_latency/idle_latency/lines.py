# SPDX-License-Identifier: GPL-2.0
"""Reads CSV files, of millions of lines where need be: a block of lines at a time, and in it all
fields of a column at once."""
import csv
import re

import numpy as np

BLOCK_BYTES = 1 << 19           # so that a block with its numbers fits into a cache
DIGITS_MAX = 18                 # All such numbers fit into 64 bits.
# Control characters, those that change the direction of text, and directives of KTAP.
HARMFUL = re.compile('[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]|'
                     '#(?=[ \t]*(?:skip|todo|xfail|timeout|error))', re.I)


def shown(text):
    """The text where a terminal or a reader of KTAP takes it for nothing but text."""
    return HARMFUL.sub(lambda found: f'<{ord(found[0]):02x}>', text)


class Problem(Exception):
    """One line for people: FILE:LINE: what is wrong."""

    def __init__(self, text):
        super().__init__(shown(text))


def read(path):
    """The bytes of a file of whole lines."""
    try:
        with open(path, 'rb') as file:
            data = file.read()
    except OSError as error:
        raise Problem(f'{path}:1: {error.strerror}; this takes what latency_test --out has '
                      'written') from error
    for byte, what in (b'\0', 'a byte is 0'), (b'\r', 'there is a carriage return'):
        if byte in data:
            raise Problem(f'{path}:{data[:data.index(byte)].count(10) + 1}: {what}')
    if not data.endswith(b'\n'):
        raise Problem(f'{path}:{data.count(10) + 1}: the line has no end: the file was cut off')
    return data


class Table:
    """The header of a file, and its other lines in blocks. The first line has the index 0."""

    def __init__(self, path, needed):
        self.path = path
        self.data = read(path)
        self.begin = self.data.index(b'\n') + 1
        self.columns = self.data[:self.begin - 1].decode('utf-8', 'replace').split(',')
        for column in needed:
            if self.columns.count(column) != 1:
                self.wrong(0, f'there is no column {column}, or two: take what this version of '
                              'latency_test has written')

    def wrong(self, index, what):
        raise Problem(f'{self.path}:{index + 1}: {what}')

    def blocks(self, size=BLOCK_BYTES):
        begin, first = self.begin, 1
        while begin < len(self.data):
            end = self.data.find(b'\n', min(begin + size, len(self.data)) - 1) + 1
            block = Block(self, self.data[begin:end], first)
            yield block
            begin, first = end, first + block.count

    def rows(self, numbers, texts, most):
        """All lines of a small file: the index, and a dictionary of numbers, None where a field
        is empty, and texts."""
        for block in self.blocks(len(self.data)):
            columns = {name: block.numbers(name, most(name)) for name in numbers}
            for i in range(block.count):
                row = {name: None if empty[i] else int(value[i])
                       for name, (value, empty) in columns.items()}
                row.update((name, block.text(i, name)) for name in texts)
                yield i + 1, row


class Block:
    """Lines that follow each other; the first of the file's is FIRST."""

    def __init__(self, table, data, first):
        self.table, self.data, self.first = table, data, first
        # A field at the end may be read beyond its end, where it is not looked at.
        self.bytes = np.frombuffer(data + bytes(DIGITS_MAX), np.uint8)
        ends = self.bytes == ord('\n')
        separators = (self.bytes == ord(',')) | ends
        if b'"' in data:
            separators &= (np.cumsum(self.bytes == ord('"')) % 2 == 0) | ends
        places = np.flatnonzero(separators)
        fields = np.diff(np.flatnonzero(ends[places]), prepend=-1)
        wanted = len(table.columns)
        self.refuse(fields != wanted, lambda at: f'{fields[at]} fields instead of {wanted}')
        places = places.reshape(-1, wanted)
        self.count = len(places)
        self.start = np.concatenate(([0], places.ravel()[:-1] + 1)).reshape(places.shape)
        self.length = places - self.start

    def refuse(self, wrong, what):
        """The first line that is wrong is named."""
        if wrong.any():
            at = int(np.argmax(wrong))
            self.table.wrong(self.first + at, what(at))

    def place(self, name):
        column = self.table.columns.index(name)
        return self.start[:, column], self.length[:, column]

    def text(self, line, name):
        """A field without quotes."""
        start, length = (part[line] for part in self.place(name))
        text = self.data[start:start + length].decode('utf-8', 'replace')
        return next(csv.reader([text]), [''])[0] if '"' in text else text

    def changes(self, names):
        """The first line, and those in which one of the columns is not as in the line before."""
        changed = np.zeros(self.count, bool)
        changed[:1] = True
        for start, length in map(self.place, names):
            changed[1:] |= length[1:] != length[:-1]
            for i in range(length.max(initial=0)):
                byte = np.where(i < length, self.bytes[np.minimum(start + i, len(self.data))], 0)
                changed[1:] |= byte[1:] != byte[:-1]
        return np.flatnonzero(changed)

    def texts(self, name):
        """The column as text."""
        starts = self.changes([name])
        return np.repeat([self.text(start, name) for start in starts],
                         np.diff(np.append(starts, self.count)))

    def numbers(self, name, most, decimals=0):
        """The column as numbers without their decimal point, and which fields are empty."""
        start, length = self.place(name)
        value = np.zeros(self.count, np.uint64)
        wrong = (length > DIGITS_MAX) | ((length > 0) & (length < 2 * bool(decimals) + decimals))
        point = length - decimals - 1
        if decimals:
            wrong |= (length > 0) & (self.bytes[start + np.maximum(point, 0)] != ord('.'))
        for i in range(min(int(length.max(initial=0)), DIGITS_MAX)):
            inside = (i < length) & ((i != point) | (not decimals))
            digit = self.bytes[np.minimum(start + i, len(self.data))] - ord('0')
            wrong |= inside & (digit > 9)
            np.copyto(value, value * np.uint64(10) + digit, where=inside)
        self.refuse(wrong, lambda at: f"{name} is '{self.text(at, name)[:40]}', which is no number"
                    f'{f" with {decimals} digits after the point" if decimals else ""} '
                    'that latency_test writes')
        self.refuse(value > most * 10 ** decimals, lambda at: f'{name} is {self.text(at, name)}, '
                    'more than latency_test writes')
        return value, length == 0

# SPDX-License-Identifier: GPL-2.0
"""Reads a CSV file of millions of lines, a block of them at a time and each column at once."""
import csv

import numpy as np

BLOCK_BYTES = 1 << 19
DIGITS_MAX = 18


class Table:
    """The header of a file, and its other lines in blocks. The first line has the index 0."""

    def __init__(self, path, data, problem):
        self.path = path
        self.data = data
        self.problem = problem
        self.begin = data.find(b'\n') + 1
        if not data:
            self.wrong(0, 'there is no header')
        if not data.endswith(b'\n'):
            self.wrong(data.count(b'\n'), 'the line has no end: the file was cut off')
        self.columns = data[:self.begin - 1].decode('utf-8', 'replace').split(',')

    def wrong(self, index, what):
        raise self.problem(f'{self.path}:{index + 1}: {what}')

    def blocks(self):
        begin, first = self.begin, 1
        while begin < len(self.data):
            end = self.data.find(b'\n', min(begin + BLOCK_BYTES, len(self.data) - 1)) + 1
            block = Block(self, self.data[begin:end], first)
            yield block
            begin, first = end, first + block.count


class Block:
    """Lines that follow each other."""

    def __init__(self, table, data, first):
        self.table = table
        self.first = first
        self.data = data
        # A field at the end may be read beyond its end, where it is not looked at.
        self.bytes = np.frombuffer(data + bytes(DIGITS_MAX), np.uint8)
        ends = self.bytes == ord('\n')
        separators = (self.bytes == ord(',')) | ends
        if b'"' in data:
            separators &= (np.cumsum(self.bytes == ord('"')) % 2 == 0) | ends
        places = np.flatnonzero(separators)
        self.check_fields(np.flatnonzero(ends[places]))
        places = places.reshape(-1, len(table.columns))
        self.count = len(places)
        self.start = np.concatenate(([0], places.ravel()[:-1] + 1)).reshape(places.shape)
        self.length = places - self.start
        for byte, what in (b'\0', 'a byte is 0'), (b'\r', 'there is a carriage return'):
            if byte in data:
                table.wrong(first + data[:data.index(byte)].count(b'\n'), what)

    def check_fields(self, last):
        fields = np.diff(last, prepend=-1)
        wanted = len(self.table.columns)
        self.refuse(fields != wanted, lambda at: f'{fields[at]} fields instead of {wanted}')

    def refuse(self, wrong, what):
        """The first line that is wrong is named."""
        if wrong.any():
            at = int(np.argmax(wrong))
            self.table.wrong(self.first + at, what(at))

    def column(self, name):
        return self.table.columns.index(name)

    def text(self, line, name):
        """A field as it is read by a program, without quotes."""
        begin, length = (part[line, self.column(name)] for part in (self.start, self.length))
        text = self.data[begin:begin + length].decode('utf-8', 'replace')
        return next(csv.reader([text]), [''])[0] if text.startswith('"') else text

    def changes(self, columns):
        """The first line, and those in which one of the columns is not as in the line before."""
        changed = np.zeros(self.count, bool)
        changed[:1] = True
        for column in columns:
            start, length = self.start[:, column], self.length[:, column]
            changed[1:] |= length[1:] != length[:-1]
            for i in range(length.max(initial=0)):
                inside = (i < length[1:]) & ~changed[1:]
                at = np.where(inside, start[1:] + i, 0)
                before = np.where(inside, start[:-1] + i, 0)
                changed[1:] |= self.bytes[at] != self.bytes[before]
        return np.flatnonzero(changed)

    def digits(self, name, start, length, skip=None):
        """The digits of all fields as numbers, and where there is none; SKIP bytes are no digit."""
        column = self.column(name)
        value = np.zeros(self.count, np.uint64)
        wrong = length > DIGITS_MAX
        for i in range(min(int(length.max(initial=0)), DIGITS_MAX)):
            inside = i < length
            if skip is not None:
                inside &= i != skip
            digit = self.bytes[np.minimum(start + i, len(self.data))] - ord('0')
            wrong |= inside & (digit > 9)
            np.copyto(value, value * np.uint64(10) + digit, where=inside)
        self.refuse(wrong, lambda at: f"{name} is '{self.text(at, name)[:40]}', which is no number "
                                      'of 18 digits at most')
        return value, self.length[:, column] == 0

    def most(self, name, value, most):
        self.refuse(value > most, lambda at: f'{name} is {value[at]}, more than latency_test writes')
        return value

    def numbers(self, name, most):
        """The column as numbers, and which fields are empty."""
        column = self.column(name)
        value, empty = self.digits(name, self.start[:, column], self.length[:, column])
        return self.most(name, value, most), empty

    def shares(self, name, most):
        """Numbers with two digits after the point, and NAN where the field is empty."""
        column = self.column(name)
        start, length = self.start[:, column], self.length[:, column]
        point = self.bytes[np.maximum(start + length - 3, 0)] == ord('.')
        self.refuse((length > 0) & ((length < 4) | ~point),
                    lambda at: f"{name} is '{self.text(at, name)[:40]}', which is no number with "
                               'two digits after the point')
        value, empty = self.digits(name, start, length, length - 3)
        return np.where(empty, np.nan, self.most(name, value, 100 * most) / 100)

    def words(self, name, size):
        """The column as bytes."""
        column = self.column(name)
        start, length = self.start[:, column], self.length[:, column]
        self.refuse(length > size, lambda at: f'{name} is longer than latency_test writes it')
        letters = np.zeros((self.count, size), np.uint8)
        for i in range(min(int(length.max(initial=0)), size)):
            inside = i < length
            letters[inside, i] = self.bytes[start[inside] + i]
        return letters.view(f'S{size}').ravel()

# SPDX-License-Identifier: GPL-2.0
"""Reads files of lines, and refuses one that has something else than what the selftests write, with
one line that names it: whoever takes a run from somebody else learns what is wrong with it, and no
figure is drawn from it."""
import csv
import functools
import io
import os
import re
import warnings

import numpy as np

# Control characters, those that change the direction of text, and directives of KTAP.
HARMFUL = re.compile('[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]|'
                     '#(?=[ \t]*(?:skip|todo|xfail|timeout|error))', re.I)

# Of columns, by their names: how many digits a number has after the point, and the largest one:
# that of a launch distance is as include/uapi/linux/idle_latency.h has it, nothing that is measured
# takes 1000 s, and a counter that is updated late shows more than 100 %.
KINDS = {'ldist_.*': (0, 50000000), 'ltime_ns': (0, 10 ** 18), '.*_ns': (0, 10 ** 12),
         '.*_pct': (2, 10 ** 6), 'seconds': (3, 10 ** 18), 'mw.*|.*_uj': (1, 10 ** 9),
         '.*': (0, 10 ** 18)}


csv.field_size_limit(2 ** 31 - 1)     # A longer one is another mistake.


@functools.cache
def kind(name):
    return next(kind for form, kind in KINDS.items() if re.fullmatch(form, name))


def shown(text):
    """The text where a terminal or a reader of KTAP takes it for nothing but text."""
    return HARMFUL.sub(lambda found: f'<{ord(found[0]):02x}>', text)


class Problem(Exception):
    """One line for people: FILE:LINE: what is wrong."""

    def __init__(self, text):
        super().__init__(shown(text))


def read(path, takes='this takes what latency_test --out has written'):
    """The bytes of a file of whole lines."""
    try:
        with open(path, 'rb') as file:
            data = file.read()
    except OSError as error:
        raise Problem(f'{path}:1: {error.strerror}; {takes}') from error
    for byte, what in (b'\0', 'a byte is 0'), (b'\r', 'there is a carriage return'):
        if byte in data:
            raise Problem(f'{path}:{data[:data.index(byte)].count(10) + 1}: {what}')
    if not data.endswith(b'\n'):
        raise Problem(f'{path}:{data.count(10) + 1}: the line has no end: the file was cut off')
    return data


class Table:
    """The header of a file, and its other lines. The header has the number 1."""

    def __init__(self, directory, name, needed):
        self.path = os.path.join(directory, name)
        self.data = read(self.path)
        self.columns = self.data[:self.data.index(b'\n')].decode('utf-8', 'replace').split(',')
        for column in needed:
            if self.columns.count(column) != 1:
                self.wrong(1, f'there is no column {column}, or two: take what this version of '
                              'latency_test has written')

    def wrong(self, number, what):
        raise Problem(f'{self.path}:{number}: {what}')

    def check(self, number, name, text, form):
        if not re.fullmatch(form, text):
            self.wrong(number, f"{name} is '{text[:40]}', which the selftests do not write")

    def all_there(self, number, fields, needed):
        for name in needed:
            if fields[name] is None:
                self.wrong(number, f'{name} is empty')

    def refuse(self, wrong, what, places=None):
        """The first line of an array that is wrong. PLACES: where its lines are in the file."""
        if wrong.any():
            first = np.argmax(wrong)
            self.wrong((first if places is None else places[first]) + 2, what)

    def rows(self, numbers, forms=()):
        """The number of each line and its fields. One of NUMBERS is None where it is empty. FORMS:
        pairs of a column and of what its texts are, if it is there."""
        lines = self.data.decode('utf-8', 'replace').split('\n')[1:-1]
        for number, line in enumerate(lines, 2):
            fields = next(csv.reader([line]), [''])
            if len(fields) != len(self.columns):
                self.wrong(number, f'{len(fields)} fields instead of {len(self.columns)}')
            row = dict(zip(self.columns, fields))
            for name, form in forms:
                if name in row:
                    self.check(number, name, row[name], form)
            row.update((name, self.number(number, name, row[name])) for name in numbers)
            yield number, row

    def number(self, number, name, text):
        if text == '':
            return None
        digits, most = kind(name)
        self.check(number, name, text, '[0-9]{1,18}' + f'[.][0-9]{{{digits}}}' * bool(digits))
        if float(text) > most:
            self.wrong(number, f'{name} is {text}, more than the selftests write')
        return float(text) if digits else int(text)

    def load(self, numbers, kinds):
        """All lines as an array; an empty field is nan. KINDS: the types of columns. What is wrong
        with a line only rows() tells, which takes longer."""
        data = self.data.replace(b',,', b',nan,').replace(b',,', b',nan,')
        data = data.replace(b',\n', b',nan\n')
        types = [(name, kinds.get(name, 'U1')) for name in self.columns]
        found = np.empty(0, types)
        lines = data.count(b'\n') - 1
        try:
            with warnings.catch_warnings():
                # A whole number that is written as another one, which numpy takes with a warning.
                warnings.simplefilter('error', DeprecationWarning)
                if lines:
                    found = np.loadtxt(io.BytesIO(data), types, delimiter=',', quotechar='"',
                                       skiprows=1, comments=None, encoding='utf-8', ndmin=1)
            if len(found) != lines:     # It leaves out empty ones.
                raise ValueError('there are empty lines')
            for name in numbers:
                values = found[name].copy()     # so that they are next to each other
                digits, most = kind(name)
                whole = digits > 0 or values.dtype.kind != 'f'
                if not (np.isnan(values) | (values >= 0) & (values <= most) &
                        (whole or np.trunc(values) == values)).all():
                    raise ValueError(f'a number of {name} is none that latency_test writes')
        except (ValueError, DeprecationWarning) as error:
            for _ in self.rows(numbers):
                pass
            self.wrong(1, str(error).split('\n', maxsplit=1)[0])
        return found

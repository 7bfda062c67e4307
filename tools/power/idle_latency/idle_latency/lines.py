# SPDX-License-Identifier: GPL-2.0
"""Reads CSV files, in lines and with a check of each field, or at once where they are large."""
import csv
import io
import re
import warnings

import numpy as np

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
    """The header of a file, and its other lines. The header has the number 1."""

    def __init__(self, path, needed):
        self.path = path
        self.data = read(path)
        self.columns = self.data[:self.data.index(b'\n')].decode('utf-8', 'replace').split(',')
        for column in needed:
            if self.columns.count(column) != 1:
                self.wrong(1, f'there is no column {column}, or two: take what this version of '
                              'latency_test has written')

    def wrong(self, number, what):
        raise Problem(f'{self.path}:{number}: {what}')

    def rows(self, numbers, most):
        """The number of each line and its fields. Those of NUMBERS have as many decimals as that
        says, and are None where they are empty."""
        lines = self.data.decode('utf-8', 'replace').split('\n')[1:-1]
        for number, line in enumerate(lines, 2):
            fields = next(csv.reader([line]), [''])
            if len(fields) != len(self.columns):
                self.wrong(number, f'{len(fields)} fields instead of {len(self.columns)}')
            row = dict(zip(self.columns, fields))
            for name, decimals in numbers.items():
                row[name] = self.number(number, name, row[name], decimals, most(name))
            yield number, row

    def number(self, number, name, text, decimals, most):
        if text == '':
            return None
        pattern = '[0-9]{1,18}' + f'[.][0-9]{{{decimals}}}' * bool(decimals)
        if not re.fullmatch(pattern, text):
            self.wrong(number, f"{name} is '{text[:40]}', which is no number that latency_test "
                               'writes')
        if float(text) > most:
            self.wrong(number, f'{name} is {text}, more than latency_test writes')
        return float(text) if decimals else int(text)

    def load(self, numbers, kinds, most):
        """All lines as an array; an empty field is nan. KINDS: the types of columns."""
        data = self.data.replace(b',,', b',nan,').replace(b',,', b',nan,')
        data = data.replace(b',\n', b',nan\n')
        types = [(name, kinds.get(name, 'U1')) for name in self.columns]
        try:
            with warnings.catch_warnings():
                # A whole number that is written as another one, which numpy takes with a warning.
                warnings.simplefilter('error', DeprecationWarning)
                found = np.loadtxt(io.BytesIO(data), types, delimiter=',', quotechar='"',
                                   skiprows=1, comments=None, encoding='utf-8', ndmin=1) if \
                    data.count(b'\n') > 1 else np.empty(0, types)
        except (ValueError, DeprecationWarning) as error:
            self.find_wrong(numbers, most, error)
        # It leaves out empty lines.
        if len(found) != data.count(b'\n') - 1:
            self.find_wrong(numbers, most, 'there are empty lines')
        for name, decimals in numbers.items():
            values = found[name].copy()     # so that they are next to each other
            wrong = (values < 0) | (values > most(name))
            if not decimals and values.dtype.kind == 'f':
                wrong |= np.trunc(values) < values
            if wrong.any():
                self.wrong(np.argmax(wrong) + 2, f'{name} is {values[np.argmax(wrong)]:.17g}, '
                                                 'which latency_test does not write')
        return found

    def find_wrong(self, numbers, most, error):
        """The line, as only rows() tells it."""
        for _ in self.rows(numbers, most):
            pass
        self.wrong(1, str(error).split('\n', maxsplit=1)[0])

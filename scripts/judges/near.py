#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""near.py DRAWN MEASURED: judge verdicts on states whose truth is near what is declared. Takes
lines of what was drawn, "KEY DECLARED_NS TRUTH_NS", and of what was measured, "KEY VERDICT
LARGEST_NS". Each verdict that is wrong is a result, too.
"""
import collections
import sys

from readers import Judge

# What the verdict has to be; between the two, either.
ABOVE, BELOW, BETWEEN = ('FAIL',), ('PASS',), ('PASS', 'FAIL')


def must_be(beyond):
    return ABOVE if beyond >= 25 else BELOW if beyond <= -25 else BETWEEN


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [line.split() for line in file]


def main():
    judge = Judge('verdicts: near')
    drawn = lines(sys.argv[1])
    measured = {key: result for key, *result in lines(sys.argv[2])}
    right, count = collections.Counter(), collections.Counter()
    for key, declared, truth in drawn:
        must = must_be(int(truth) - int(declared))
        verdict, *largest = measured.get(key) or ['']
        count[must] += 1
        if verdict in must:
            right[must] += 1
            continue
        judge(f'{key} of {truth} ns, declared {declared}', False,
              f'is {verdict}, must be {" or ".join(must)}, largest {" ".join(largest)} ns')
    judge('truths', len(drawn) >= 100, f'{len(drawn)}, must be 100 or more')
    for name, must, least in (('25 ns or more above is FAIL', ABOVE, 30),
                              ('25 ns or more below is PASS', BELOW, 30),
                              ('between these is PASS or FAIL', BETWEEN, 0)):
        judge(name, count[must] >= least and right[must] == count[must],
              f'{right[must]} of {count[must]}')


if __name__ == '__main__':
    main()

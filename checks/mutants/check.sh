#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tests notice 95 of 100 changes to arithmetic, sessions, event sources and verdict, one at
# a time. The others are printed; most of them change nothing that a test could see.
#
# Control: Each changed program is one that the tests must refuse.
# Takes: 1800 s; LONG, alone
. checks/lib/checks.sh

expect 'mutants: the tests notice 95 of 100' scripts/mutants.sh
checks_end

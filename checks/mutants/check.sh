#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tests notice every change to arithmetic, sessions, event sources and verdict, one at
# a time, but for a few that change nothing.
#
# Control: -
# Takes: 1800 s; LONG, alone
set -eu
. scripts/lib/common.sh
. checks/lib/checks.sh

expect 'mutants: the tests notice each of them, or it is listed with the reason' \
	scripts/mutants.sh
checks_end mutants

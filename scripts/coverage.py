#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Line coverage of the driver by its unit tests, out of what gcov counted.

Usage: coverage.py SOURCE BUILD

SOURCE is drivers/idle_latency of the kernel tree, BUILD the directory of a User Mode Linux
that was built from it with CONFIG_GCOV and has run.
"""

import collections
import json
import pathlib
import subprocess
import sys

LEAST = 95

# What does not count: it cannot run where there is neither an x86 CPU nor a card, and has
# no decision that could be made without. All other files do, whether they were built or
# not.
GLUE = {
    "x86.c": "joins cpuidle and the files below to a session",
    "limit.c": "joins what limit.h decides to cpuidle",
    "force.c": "calls cpuidle",
    "hold.c": "forces states on CPUs, likewise",
    "keep.c": "a device that hands on to hold.c and settings.c",
    "model.c": "matches the boot CPU with tables",
    "skew.c": "the TSCs of two CPUs; convert.c has the arithmetic",
    "waker.c": "interrupts between CPUs",
    "counters.c": "model-specific registers",
    "interrupts.c": "the counters and the local APIC of an x86 CPU",
    "probe.c": "reads the TSC in the idle loop",
    "residency.c": "model-specific registers",
    "stamps.c": "stamps that cpuidle takes, which User Mode Linux does not have",
    "declared.c": "states of cpuidle, likewise",
    "hardware.h": "instructions and accesses that the tests have a fake of",
    "nic_pci.c": "binds a PCI device and gets its interrupt",
    "sim.c": "idle states that the local APIC ends",
    "sim_log.c": "the log of sim.c, written in its idle states",
    "sim_log.h": "likewise",
}


def gcov(notes):
    """What gcov says of one object, as a list of files with their lines."""
    run = subprocess.run(
        ["gcov", "--json-format", "--stdout", notes.name],
        cwd=notes.parent, check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout)["files"]


def count_lines(source, build):
    """For each file of the driver its lines with code, and how often each was executed."""
    lines = collections.defaultdict(collections.Counter)
    directory = build / "drivers/idle_latency"
    if not any(directory.rglob("*.gcda")):
        sys.exit("coverage: the kernel has not written what it counted")
    for notes in sorted(directory.rglob("*.gcno")):
        for file in gcov(notes):
            path = (build / file["file"]).resolve()
            if path.parent == source:
                for line in file["lines"]:
                    lines[path.name][line["line_number"]] += line["count"]
    return lines


def ranges(numbers):
    """Numbers as text, with those that follow each other as FIRST-LAST."""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in runs)


def row(name, covered, total, missed=()):
    """Percent are rounded down, so that 95.0 is not less than 95."""
    percent = f"{covered * 1000 // total / 10:.1f}"
    print(f"{name:12} {covered:5} {total:5} {percent:>6} %" +
          (f"  not {ranges(missed)}" if missed else ""))


def main():
    """Print the table. Returns the exit code."""
    source = pathlib.Path(sys.argv[1]).resolve()
    lines = count_lines(source, pathlib.Path(sys.argv[2]).resolve())

    names = {path.name for path in source.glob("*.[ch]")}
    unknown = sorted(set(GLUE) - names)
    unbuilt = sorted(name for name in names - set(GLUE) - set(lines) if name.endswith(".c"))
    if unknown:
        print(f"coverage: scripts/coverage.py names files that are no more: {unknown}",
              file=sys.stderr)
    if unbuilt:
        print("coverage: not built under User Mode Linux, test them or say in "
              f"scripts/coverage.py why not: {unbuilt}", file=sys.stderr)
    if unknown or unbuilt:
        return 1

    total = covered = 0
    for name in sorted(set(lines) - set(GLUE)):
        missed = [number for number, count in lines[name].items() if not count]
        row(name, len(lines[name]) - len(missed), len(lines[name]), missed)
        total += len(lines[name])
        covered += len(lines[name]) - len(missed)
    row("total", covered, total)

    if covered * 100 < total * LEAST:
        print(f"coverage: less than {LEAST} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

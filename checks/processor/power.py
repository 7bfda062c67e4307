# SPDX-License-Identifier: GPL-2.0
"""power.py package|cores|updates MW TRUTH_CSV READINGS: judge the energy that the emulated
processor of one CPU says it took, by its log. READINGS are pairs of ns and register, MW is
"HINT=MW ... awake=MW rest=MW". Of updates, how often the register changes is judged.
"""
import sys

from readers import Judge, ProcessorLog, pairs

# Of the 3770K, bits 12 to 8 of MSR_RAPL_POWER_UNIT are 16: the unit is 2^-16 J.
UNIT_J = 2 ** -16
# The register is updated so often, each time being late by up to 50 us, which is noticed with
# the next reading.
PERIOD_NS = 976562
LATE_NS = 60000
# Where a reading is later than that after the one before, nobody knows when an update between them
# was.
GAP_NS = 10000


def energy(periods, readings, milliwatts):
    """In J: a CPU is awake but while it is idle and has not been woken, and what is beside the
    cores draws nothing while the package sleeps.
    """
    first, last = readings[0][0], readings[-1][0]
    total = (milliwatts['awake'] + milliwatts['rest']) * (last - first)
    for period in periods:
        asleep = max(min(period.event, last) - max(period.enter, first), 0)
        total -= asleep * (milliwatts['awake'] - milliwatts[period.hint])
        if period.package != 'PC0':
            total -= asleep * milliwatts['rest']
    return total / 1e12


def updates(readings):
    """The readings that are the first ones after an update, and whether it is known when that was. The
    register says what was taken up to its last update, so that energy is compared between two of them.
    """
    return [(time, value, time - before <= GAP_NS)
            for (before, old), (time, value) in zip(readings, readings[1:]) if value != old]


def judge_energy(judge, periods, readings, milliwatts):
    """Either update may have been up to a gap before its reading, so that much of the highest power
    is what the energy may be off by.
    """
    values = [value for _, value in readings]
    wraps = sum(after < before for before, after in zip(values, values[1:]))
    seen = [(time, value) for time, value, known in updates(readings) if known]
    highest = (milliwatts['awake'] + milliwatts['rest']) / 1e3
    if not seen:
        judge('energy', False, 'no update of the register was seen')
        return wraps
    (first, least), (last, most) = seen[0], seen[-1]
    counted = (most - least + wraps * 2 ** 32) * UNIT_J
    off_ns = abs(counted - energy(periods, seen, milliwatts)) / highest * 1e9
    judge('energy', last - first > 1e10 and off_ns <= GAP_NS,
          f'{counted:.4f} J in {(last - first) / 1e9:.3f} s, off by that of {off_ns:.0f} ns at the '
          f'highest power, must be up to {GAP_NS} after 10 s')
    return wraps


def judge_updates(judge, readings):
    seen = updates(readings)
    gaps = [time - before for (before, _, since), (time, _, known) in zip(seen, seen[1:])
            if since and known]
    least, most = min(gaps, default=0), max(gaps, default=0)
    judge('updates', len(gaps) >= 10 and most - least > 20000 and
          PERIOD_NS - LATE_NS <= least and most <= PERIOD_NS + LATE_NS,
          f'{len(gaps)} of them, {least} to {most} ns apart')


def main():
    domain, milliwatts, truth, path = sys.argv[1:]
    judge = Judge(f'power: {domain}')
    with open(path, encoding='utf-8') as file:
        readings = [tuple(map(int, line.split())) for line in file]
    if domain == 'updates':
        judge_updates(judge, readings)
        return
    wraps = judge_energy(judge, ProcessorLog(truth).periods['0'], readings, pairs(milliwatts))
    if domain == 'package':
        judge('the register wraps', wraps == 1, f'{wraps} times, must be 1')


main()

# SPDX-License-Identifier: GPL-2.0
"""frequency.py FREQUENCY RAMP_NS RAMP TRUTH_CSV RECORDS_CSV: judge what the frequency after the
wake-up is computed from, in percent of the TSC's rate, by the exits that the emulated processor
has logged.

APERF and MPERF are read after TIntr, and once more when the record is made. MPERF tells how long that
was: the CPU does not sleep meanwhile.
"""
import sys

from readers import Judge, ProcessorLog, table

WITHIN = 0.01
# From TIntr to the first reading: 180 instructions of 2 ns.
READ_NS = 360


def main():
    frequency, ramp_ns, ramp = map(int, sys.argv[1:4])
    log = ProcessorLog(sys.argv[4])
    worst, during, after = 0, 0, 0
    for row in table(sys.argv[5]):
        begin = int(row['tintr_ns']) + READ_NS - log.last_before(row['cpu'], int(row['tai_ns'])).exit
        end = begin + int(row['mperf_ns'])
        slow = max(min(ramp_ns, end) - begin, 0)
        truth = (slow * ramp + (end - begin - slow) * frequency) / (end - begin)
        found = 100 * int(row['aperf_ns']) / int(row['mperf_ns'])
        worst = max(worst, abs(found - truth) / truth)
        during += slow > 0
        after += end - begin > slow
    judge = Judge('frequency')
    judge(f'within {WITHIN:.0%} of the truth', during >= 500 and after >= 500 and worst <= WITHIN,
          f'{worst:.2%} at most, {during} samples begin before the end of the ramp and {after} end '
          'after it')


main()

# SPDX-License-Identifier: GPL-2.0
"""rows.py RUN WANTED SUMMARY_CSV: judge the rows of a summary.csv by what they must be,
"METHOD STATE VERDICT [TEXT]; ...", a row each and no others. TEXT are the qualifiers of a
PASS, joined by +, or the reason of a SKIP.
"""
import re
import sys

from readers import Judge, number, row_key, table


def parse(wanted):
    """The verdict and the text of each row."""
    rows = {}
    for entry in re.split(' *; *', wanted):
        method, state, verdict, *text = entry.split(' ', 3)
        rows[f'{method} {state}'] = verdict, ' '.join(text)
    return rows


def contradiction(row):
    """What the verdict says and the figures beside it do not."""
    verdict = row['verdict']
    declared, smallest = number(row['declared_ns']), number(row['smallest_pass_ns'])
    if verdict == 'FAIL' and smallest <= declared:
        return 'FAIL of what would have passed'
    above = number(row['above']) + number(row['discarded_above'])
    if verdict == 'FAIL' and not above:
        return 'FAIL with nothing above'
    if verdict != 'PASS':
        return f'{verdict} {row["qualifier"]}' if row['qualifier'] not in ('', 'virtual') else ''
    if smallest > declared:
        return 'PASS of what would not have passed'
    if bool(above) != ('few-above' in row['qualifier']):
        return 'few-above and what is above do not agree'
    if (not row['reached']) != ('unverified' in row['qualifier']):
        return 'unverified and reached do not agree'
    return ''


def kept(verdict, text, must, must_text):
    if verdict == must == 'PASS':
        # In whatever order.
        return sorted(text.split('+')) == sorted(must_text.split('+'))
    return verdict == must and (verdict != 'SKIP' or text == must_text)


def main():
    run, wanted, path = sys.argv[1:]
    judge = Judge(f'verdicts: {run}')
    missing = parse(wanted)
    contradictions = ''
    for row in table(path):
        key = row_key(row)
        if key not in missing:
            judge(key, False, 'nobody asked for it')
            continue
        must, must_text = missing.pop(key)
        verdict = row['verdict']
        text = row['qualifier' if verdict == 'PASS' else 'reason']
        judge(key, kept(verdict, text, must, must_text),
              f'is {verdict} {text}, must be {must} {must_text}; {row["max_ns"]} of '
              f'{row["declared_ns"]} ns, {row["valid"]} samples, {row["reached"]} reached, '
              f'{row["package"]} with the package')
        if contradiction(row):
            contradictions += f' {key}: {contradiction(row)};'
    for key in missing:
        judge(key, False, 'there is no such row')
    judge('contradictions', not contradictions, contradictions or 'none')


main()

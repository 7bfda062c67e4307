# SPDX-License-Identifier: GPL-2.0
"""What somebody sees of latency_test --top: its output on a terminal of this size.

    screen.py NAME LINES COLUMNS OUTPUT

A frame is what is on the screen when the cursor goes back. Each has the head once, at the top of
what is in place, and nothing of it has scrolled away; a line that is too long goes on in the next
one, unless the program has switched that off. After the last frame is what remains.
"""
import re
import sys

HEAD = 'cpu  method state'
WRAP = {'\x1b[?7l': False, '\x1b[?7h': True}
ROW = re.compile(r'x?\d+ +\w+ +\w+( held)? +\| +\d+ \| +\d+ ')
WORDS = re.compile(r'\x1b\[\?7[lh]|\x1b\[(\d*)([A-Z])|\r|\n|[^\x1b\r\n]+')


class Screen:
    """A terminal, as far as it is used. What scrolls away is gone."""

    def __init__(self, lines, columns):
        self.lines, self.columns = lines, columns
        self.text = ['']
        self.row = 0
        self.beyond = False
        self.wraps = True

    def up(self, count):
        self.beyond |= count > self.row
        self.row = max(self.row - count, 0)

    def feed(self):
        self.row += 1
        if self.row == len(self.text):
            self.text.append('')
        if self.row == self.lines:
            self.text.pop(0)
            self.row -= 1

    def write(self, text):
        self.text[self.row] = text[:self.columns]
        if self.wraps and text[self.columns:]:
            self.feed()
            self.write(text[self.columns:])

    def erase_below(self):
        del self.text[self.row + 1:]
        self.text[self.row] = ''


def frames(output, screen):
    """What is on the screen each time that the cursor goes back, and at the end."""
    for match in WORDS.finditer(output):
        word = match[0]
        if match[2] == 'A':
            yield list(screen.text)
            screen.up(int(match[1]))
        elif match[2] == 'J':
            screen.erase_below()
        elif word in WRAP:
            screen.wraps = WRAP[word]
        elif match[2] == 'K' or word == '\r' or word.startswith('\x1b'):
            continue
        elif word == '\n':
            screen.feed()
        else:
            screen.write(word)
    yield list(screen.text)


def judge(seen, screen):
    """What is wrong."""
    *during, after = seen
    wrong = []
    if len(during) < 2:
        wrong.append('it was shown fewer than twice')
    for frame in during:
        if sum(line.startswith(HEAD) for line in frame) != 1:
            wrong.append('a frame has not one head')
        rows = frame[next((i for i, line in enumerate(frame) if line.startswith(HEAD)), 0) + 1:-1]
        if not rows or not all(ROW.match(line) for line in rows):
            wrong.append('a frame has other lines than rows')
    if not any(re.match(r'x\d+ ', line) for frame in during for line in frame):
        wrong.append('no line is of several CPUs')
    if screen.beyond:
        wrong.append('a part of a frame has scrolled away')
    if not screen.wraps:
        wrong.append('lines that are too long are cut off at the end')
    if any(line.startswith(HEAD) for line in after):
        wrong.append('a frame is there at the end')
    return sorted(set(wrong))


def main():
    name, lines, columns, path = sys.argv[1:]
    screen = Screen(int(lines), int(columns))
    with open(path, encoding='utf-8', newline='') as file:
        seen = list(frames(file.read(), screen))
    wrong = judge(seen, screen)
    print('\n'.join(seen[-2] if len(seen) > 1 else seen[-1]))
    for text in wrong:
        print(f'{name}: {text}')
    print(f'{"FAIL" if wrong else "PASS"} {name}: {len(seen) - 1} frames of {lines} lines')


main()

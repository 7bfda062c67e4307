# SPDX-License-Identifier: GPL-2.0
"""What somebody sees of latency_test --top: its output on a terminal of this size.

    screen.py NAME LINES COLUMNS OUTPUT

A frame is what is on the screen when the cursor goes back. Each has the head once, at the top of
what is in place, and nothing of it has scrolled away; a line that is too long goes on in the next
one, unless the program has switched that off. After the last frame is what remains.
"""
import re
import sys

import pyte

HEAD = 'cpu  method state'
ROW = re.compile(r'x?\d+ +\w+ +\w+( held)? +\| +\d+ \| +\d+ ')


class Screen(pyte.Screen):
    """A terminal that keeps what was seen."""

    def __init__(self, columns, lines):
        self.frames, self.beyond = [], False
        super().__init__(columns, lines)

    def cursor_up(self, count=None):
        self.frames.append(self.display[:self.cursor.y + 1])
        self.beyond |= (count or 1) > self.cursor.y
        super().cursor_up(count)


def judge(screen):
    """What is wrong."""
    wrong = []
    if len(screen.frames) < 2:
        wrong.append('it was shown fewer than twice')
    for frame in screen.frames:
        if sum(line.startswith(HEAD) for line in frame) != 1:
            wrong.append('a frame has not one head')
        rows = frame[next((i for i, line in enumerate(frame) if line.startswith(HEAD)), 0) + 1:-1]
        if not rows or not all(ROW.match(line) for line in rows):
            wrong.append('a frame has other lines than rows')
    if not any(re.match(r'x\d+ ', line) for frame in screen.frames for line in frame):
        wrong.append('no line is of several CPUs')
    if screen.beyond:
        wrong.append('a part of a frame has scrolled away')
    if pyte.modes.DECAWM not in screen.mode:
        wrong.append('lines that are too long are cut off at the end')
    if any(line.startswith(HEAD) for line in screen.display):
        wrong.append('a frame is there at the end')
    return sorted(set(wrong))


def main():
    name, lines, columns, path = sys.argv[1:]
    screen = Screen(int(columns), int(lines))
    with open(path, encoding='utf-8', newline='') as file:
        pyte.Stream(screen).feed(file.read())
    wrong = judge(screen)
    seen = (screen.frames or [screen.display])[-1]
    print('\n'.join(line.rstrip() for line in seen))
    for text in wrong:
        print(f'{name}: {text}')
    print(f'{"FAIL" if wrong else "PASS"} {name}: {len(screen.frames)} frames of {lines} lines')


main()

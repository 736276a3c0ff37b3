#!/usr/bin/env python3
"""Checks a certificate, as docs/certificates.md describes it: check_certificate.py FILE

Exit codes: 0 proven, 1 refused, 2 nothing to check. A set of regions is a number with a bit for each region.
"""

import re
import sys


def demand(holds, what):
    if not holds:
        raise ValueError(what)


class Board:
    """The regions of a board, numbered by their first cells, row by row."""

    def __init__(self, rows, cols, colours, start, cells):
        def beside(cell):
            row, col = divmod(cell, cols)
            steps = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
            return [r * cols + c for r, c in steps if 0 <= r < rows and 0 <= c < cols]

        region, count = [None] * len(cells), 0
        self.of_colour = [0] * colours
        for first, colour in enumerate(cells):
            if region[first] is None:
                waiting = [first]
                while waiting:
                    cell = waiting.pop()
                    region[cell] = count
                    waiting += [c for c in beside(cell) if region[c] is None and cells[c] == colour]
                self.of_colour[colour] |= 1 << count
                count += 1
        self.neighbours = [0] * count
        for cell in range(len(cells)):
            for other in beside(cell):
                self.neighbours[region[cell]] |= (region[cell] != region[other]) << region[other]
        self.all, self.start = (1 << count) - 1, 1 << region[start]

    def touching(self, regions):
        found = 0
        while regions:
            found |= self.neighbours[(regions & -regions).bit_length() - 1]
            regions &= regions - 1
        return found

    def around(self, flood):
        """The regions beside a flood, and those that are neither in it nor beside it."""
        beside = self.touching(flood) & ~flood
        return beside, self.all & ~flood & ~beside

    def play(self, flood, colour):
        return flood | self.touching(flood) & self.of_colour[colour]

    def settle(self, flood):
        beside, unseen = self.around(flood)
        closed = beside & ~self.touching(unseen)
        for regions in self.of_colour:
            if regions & ~(flood | closed):
                flood |= regions & closed
        return flood

    def choices(self, flood):
        beside, unseen = self.around(flood)
        colours = [colour for colour, regions in enumerate(self.of_colour) if regions & beside]
        finished = [colour for colour in colours if not self.of_colour[colour] & unseen]
        return finished[:1] or colours

    def elimination(self, flood):
        (reached, unseen), turns = self.around(flood), 0
        left = [regions for regions in self.of_colour if regions & ~flood]
        while unseen:
            done = [regions for regions in left if not regions & unseen]
            left = [regions for regions in left if regions & unseen]
            turns += len(done) or 1
            expanded = reached & sum(done or left)
            found = self.touching(expanded) & unseen
            reached, unseen = reached & ~expanded | found, unseen & ~found
        return turns + len(left)


def take(codes):
    code = next(codes, None)
    demand(code and code[0][-1] < 128, "a code is missing, cut off, or too long")
    return sum((byte & 127) << 7 * place for place, byte in enumerate(code[0]))


def follow(board, bound, most, text):
    """Each choice at each record leads to a set that the bound refutes, or that a record holds."""
    records, held, at = [(board.settle(board.start), 0)], [], 0
    codes = re.finditer(rb"(?s)[\x80-\xff]{0,5}[\x00-\x7f]|.", text)
    while at < len(records) and records[at][1] < bound:
        flood, g = records[at]
        demand(flood != board.all, f"record {at} floods everything with fewer than {bound} moves")
        for choice, colour in enumerate(board.choices(flood)):
            bits = take(codes) if choice % 7 == 0 else bits >> 1
            child = board.settle(board.play(flood, colour))
            if bits % 2 == 0:
                demand(g + 1 + board.elimination(child) >= bound, f"record {at}: the bound does not refute {colour}")
                continue
            if (code := take(codes)) == 0:
                records.append((child, g + 1))
            else:
                held.append((at, child, len(records) + (code // 2 if code % 2 else -code // 2)))
        at += 1
    demand(len(records) == most and not next(codes, None), f"there are fewer records than {most}, or more codes")
    for at, child, of in held:
        holds = 0 <= of < most and not child & ~records[of][0] and records[of][1] <= records[at][1] + 1
        demand(holds, f"record {of} does not hold a child of record {at}")


def check(text, memory=4 << 30):
    demand(text.startswith(b"GHCERT 1 flood-it\n"), "expected GHCERT 1 flood-it in the first line")
    at = text.index(b"\n") + 1

    def number(least, most):
        nonlocal at
        found = re.compile(rb"(0|[1-9][0-9]{0,18})[ \n]").match(text, at)
        demand(found and least <= int(found[1]) <= most, f"byte {at}: expected a number from {least} to {most}")
        at = found.end()
        return int(found[1])

    rows, cols, colours = number(1, 255), number(1, 255), number(1, 255)
    bound, start = number(0, rows * cols), number(0, rows * cols - 1)
    cells = [number(0, colours - 1) for _ in range(rows * cols)]
    moves = [number(0, colours - 1) for _ in range(number(0, bound))]
    demand(len(moves) in (0, bound), f"found {len(moves)} moves, expected 0 or {bound}")
    most = number(1, len(text))
    needed = (most + rows * cols + len(text) - at) * (rows * cols // 7 + 160)
    demand(needed <= memory, f"checking takes {needed} bytes of memory, expected at most {memory}")
    board = Board(rows, cols, colours, start, cells)
    flood = board.start
    for colour in moves:
        flood = board.play(flood, colour)
    demand(len(moves) < bound or flood == board.all, "the solution does not solve the board")
    follow(board, bound, most, text[at:])
    lines = [" ".join(map(str, cells[row * cols :][:cols])) for row in range(rows)]
    claim = f"the optimum is {'at least ' if len(moves) < bound else ''}{bound} moves, proven by {most} records"
    return "\n".join([*lines, f"start {start // cols + 1},{start % cols + 1}: {claim}"])


if __name__ == "__main__":
    try:
        print(check(open(sys.argv[1], "rb").read()))
    except (OSError, IndexError) as error:
        sys.exit(print(error, __doc__, sep="\n", file=sys.stderr) or 2)
    except ValueError as reason:
        sys.exit(print("refused:", reason) or 1)

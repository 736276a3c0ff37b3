#!/usr/bin/env python3
"""Checks a certificate, as docs/certificates.md describes it: check_certificate.py FILE

Exit codes: 0 proven, 1 refused, 2 nothing to check. A set of regions is a number with a bit for each region.
"""

import re
import sys
from functools import reduce
from operator import or_


def demand(holds, what):
    if not holds:
        raise ValueError(what)


class Board:
    """The regions of a board. Each has the bit of its first cell."""

    def __init__(self, rows, cols, colours, start, cells):
        def adjacent(cell):
            row, col = divmod(cell, cols)
            steps = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
            return [r * cols + c for r, c in steps if 0 <= r < rows and 0 <= c < cols]

        region, self.neighbours, self.of_colour = [None] * len(cells), [0] * len(cells), [0] * colours
        for first, colour in enumerate(cells):
            stack = [first] if region[first] is None else []
            self.of_colour[colour] |= len(stack) << first
            while stack:
                cell = stack.pop()
                region[cell] = first
                stack += [c for c in adjacent(cell) if region[c] is None and cells[c] == colour]
        for cell, other in ((cell, other) for cell in range(len(cells)) for other in adjacent(cell)):
            self.neighbours[region[cell]] |= (region[cell] != region[other]) << region[other]
        self.all, self.start = reduce(or_, self.of_colour), 1 << region[start]

    def neighbours_of(self, regions):
        found = 0
        while regions:
            found |= self.neighbours[(regions & -regions).bit_length() - 1]
            regions &= regions - 1
        return found

    def play(self, flood, colour):
        return flood | self.neighbours_of(flood) & self.of_colour[colour]

    def refutes(self, previous, seen, flood, least):
        """Whether the lower bound of a flood is at least `least`. `seen`: the flood `previous` and its neighbours."""
        value = sum(1 for regions in self.of_colour if regions & ~flood)
        while True:
            seen, previous = seen | self.neighbours_of(flood & ~previous), flood
            if value >= least or seen == self.all:
                return value >= least
            flood = reduce(or_, (regions for regions in self.of_colour if not regions & ~seen), flood)
            if flood == previous:
                value, flood = value + 1, seen


def next_code(codes):
    code = next(codes, None)
    demand(code and code[0][-1] < 128, "found a broken code, expected 1 to 6 bytes")
    return sum((byte & 127) << 7 * place for place, byte in enumerate(code[0]))


def verify_records(board, bound, code_bytes, max_sets):
    """Demands that each move at each set of a level is refuted by the bound, or leads into a set of the next level."""
    level, records = [board.start], 0
    codes = re.finditer(rb"(?s)[\x80-\xff]{0,5}[\x00-\x7f]|.", code_bytes)
    for moves_left in reversed(range(bound)):
        next_level = []
        for flood in level:
            records += 1
            demand(flood != board.all, f"record {records} holds all, with {moves_left} moves left")
            demand(len(level) + len(next_level) < max_sets, f"memory has no room for {max_sets} sets")
            seen = flood | board.neighbours_of(flood)
            for child in (child for regions in board.of_colour if (child := flood | seen & regions) != flood):
                code = next_code(codes)
                demand(code or board.refutes(flood, seen, child, moves_left), f"record {records}: a bound is too low")
                if code > 0:
                    index = len(next_level) + 1 - code
                    demand(index >= 0, "a code refers to no record")
                    next_level[index : index + 1] = [reduce(or_, next_level[index : index + 1], child)]
        level = next_level
    demand(not next(codes, None), "bytes follow the last record")
    return records


def check(text, memory=4 << 30):
    demand(text.startswith(b"GHCERT 3 flood-it\n"), "expected GHCERT 3 flood-it in the first line")
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
    board = Board(rows, cols, colours, start, cells)
    solves = reduce(board.play, moves, board.start) == board.all
    demand(not moves and bound or len(moves) == bound and solves, "the moves do not solve the board")
    records = verify_records(board, bound, text[at:], memory // (rows * cols + 64))
    lines = [" ".join(map(str, cells[row * cols :][:cols])) for row in range(rows)]
    claim = f"the optimum is {'at least ' if len(moves) < bound else ''}{bound} move{'s' * (bound != 1)}, proven by "
    return "\n".join([*lines, f"start {start // cols + 1},{start % cols + 1}: {claim}{records} record{'s' * (records != 1)}"])


if __name__ == "__main__":
    try:
        print(check(open(sys.argv[1], "rb").read()))
    except (OSError, IndexError) as error:
        sys.exit(print(error, __doc__, sep="\n", file=sys.stderr) or 2)
    except ValueError as reason:
        sys.exit(print("refused:", reason) or 1)

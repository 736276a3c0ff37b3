#!/usr/bin/env python3
"""Checks a certificate of a Clickomania board: a bound on the clicks that clear it, or on the cells that are left.

    scripts/check_clickomania.py FILE    exit code 0: proven; 1: refused; 2: nothing to check

Written from docs/certificates.md alone. A position is a tuple of columns, each a tuple of cells from the floor up.
"""

import re
import sys
from itertools import compress, islice

GOALS, CLOSE = ("clicks that clear it", "cells left"), ("close", "stay")


def demand(holds, what):
    if not holds:
        raise ValueError(what)


def children(position, least, stays):
    """The positions after a click on each group, in the order of the groups."""
    seen = set()
    for first in ((col, row) for col, column in enumerate(position) for row in range(len(column))):
        colour, group, waiting = position[first[0]][first[1]], set(), [first]
        while waiting:
            col, row = waiting.pop()
            is_cell = 0 <= col < len(position) and 0 <= row < len(position[col])
            if is_cell and position[col][row] == colour and (col, row) not in seen:
                group.add((col, row))
                seen.add((col, row))
                waiting += [(col + 1, row), (col - 1, row), (col, row + 1), (col, row - 1)]
        if len(group) >= least:
            kept = [[(col, row) not in group for row in range(len(column))] for col, column in enumerate(position)]
            left = [tuple(compress(*both)) for both in zip(position, kept)]
            yield tuple(column for column in left if stays or column)


def fallen(rows, corner, stays):
    """The position of a board whose cells have fallen."""
    rows = rows if corner & 2 else rows[::-1]
    columns = [column[: len(column) - column.count(0)] for column in zip(*rows)]
    columns = columns[::-1] if corner & 1 else columns
    position = tuple(columns if stays else columns[: len(columns) - columns.count(())])
    demand(not any(0 in column for column in position), "a cell has not fallen")
    demand(stays or () not in position, "a column has not closed up")
    return position


def check(text):
    demand(text.startswith(b"GHCERT 1 clickomania\n"), "expected GHCERT 1 clickomania in the first line")
    at = text.index(b"\n") + 1

    def number(least, most):
        nonlocal at
        found = re.compile(rb"(0|[1-9][0-9]{0,18})[ \n]").match(text, at)
        demand(found and least <= int(found[1]) <= most, f"byte {at}: expected a number from {least} to {most}")
        at = found.end()
        return int(found[1])

    rows, cols, colours = number(1, 255), number(1, 255), number(1, 255)
    bound, goal, least = number(0, rows * cols), number(0, 1), number(1, rows * cols + 1)
    stays, corner = number(0, 1), number(0, 3)
    board = [[number(0, colours) for _ in range(cols)] for _ in range(rows)]
    is_solved, moves = number(0, 1), [number(0, rows * cols) for _ in range(number(0, rows * cols))]
    most, position = number(1, len(text)), fallen(board, corner, stays)
    demand(is_solved or not moves, "a solution, and none")
    records, of, now, codes = [(position, 0)], 0, position, re.findall(rb"[\x80-\xff]*[\x00-\x7f]", text[at:])
    # At most 6 bytes of 7 bits, the lowest first. -1 stands for a code that is missing: no record has this number.
    demand(b"".join(codes) == text[at:] and all(len(code) < 7 for code in codes), "found a broken code, expected 1 to 6 bytes")
    numbers = iter([sum((byte & 127) << 7 * at for at, byte in enumerate(code)) for code in codes])
    for group in moves:
        now = next(islice(children(now, least, stays), group, None), None)
        demand(now is not None, "the solution clicks on a group that is not there")
    left = sum(map(len, now))
    demand(not is_solved or (left == bound if goal else not left and len(moves) == bound), "the solution is none")
    while of < len(records) and (records[of][1] < bound or goal and bound > 0):
        position, clicks = records[of][0], records[of][1] + 1
        demand(sum(map(len, position)) >= (bound if goal else 1), f"record {of} has too few cells")
        for choice, child in enumerate(children(position, least, stays)):
            held = next(numbers, -1) if choice % 7 == 0 else held >> 1
            code = next(numbers, -1) if held & 1 else None
            cells = [cell for column in child for cell in column]
            dead = [cell for cell in cells if cells.count(cell) < least]
            if code is None:
                refuted = len(dead) >= bound if goal else dead or clicks + len(set(cells)) >= bound
                demand(refuted, f"record {of}: the bound does not refute group {choice}")
            elif code == 0:
                records.append((child, clicks))
            else:
                holds = code % 2 == 0 and code // 2 <= len(records) and records[-(code // 2)][0] == child
                demand(holds, f"record {of}: code {code} of group {choice} is wrong")
        of += 1
    demand(len(records) == most and next(numbers, None) is None, f"the codes are not those of {most} records")
    side = ("bottom left", "bottom right", "top left", "top right")[corner]
    lines = [*(" ".join(map(str, row)) for row in board), f"groups of {least}, columns {CLOSE[stays]}, to the {side}: "]
    claim = f"the fewest {GOALS[goal]} are {'' if is_solved else 'at least '}{bound}, proven by {most} records"
    return "\n".join(lines) + claim


if __name__ == "__main__":
    try:
        with open(sys.argv[1], "rb") as certificate:
            print(check(certificate.read()))
    except (OSError, IndexError) as error:
        sys.exit(print(error, __doc__, sep="\n", file=sys.stderr) or 2)
    except ValueError as reason:
        sys.exit(print(f"refused: {reason}") or 1)

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


def children(position, min_group, keeps_columns):
    """The positions after a click on each group, in the order of the groups."""
    seen = set()
    for first in ((col, row) for col, column in enumerate(position) for row in range(len(column))):
        colour, group, stack = position[first[0]][first[1]], set(), [first]
        while stack:
            col, row = stack.pop()
            is_cell = 0 <= col < len(position) and 0 <= row < len(position[col])
            if is_cell and position[col][row] == colour and (col, row) not in seen:
                group.add((col, row))
                seen.add((col, row))
                stack += [(col + 1, row), (col - 1, row), (col, row + 1), (col, row - 1)]
        if len(group) >= min_group:
            kept = [[(col, row) not in group for row in range(len(column))] for col, column in enumerate(position)]
            columns = [tuple(compress(*both)) for both in zip(position, kept)]
            yield tuple(column for column in columns if keeps_columns or column)


def position_of(rows, corner, keeps_columns):
    """The position of a board. Demands that all cells have fallen and, unless columns stay, columns have closed up."""
    rows = rows if corner & 2 else rows[::-1]
    columns = [column[: len(column) - column.count(0)] for column in zip(*rows)]
    columns = columns[::-1] if corner & 1 else columns
    position = tuple(columns if keeps_columns else columns[: len(columns) - columns.count(())])
    demand(not any(0 in column for column in position), "a cell has not fallen")
    demand(keeps_columns or () not in position, "a column has not closed up")
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
    bound, goal, min_group = number(0, rows * cols), number(0, 1), number(1, rows * cols + 1)
    keeps_columns, corner = number(0, 1), number(0, 3)
    board = [[number(0, colours) for _ in range(cols)] for _ in range(rows)]
    is_solved, moves = number(0, 1), [number(0, rows * cols) for _ in range(number(0, rows * cols))]
    record_count, position = number(1, len(text)), position_of(board, corner, keeps_columns)
    demand(is_solved or not moves, "found moves without a solution, expected none")
    records, index, reached, codes = [(position, 0)], 0, position, re.findall(rb"[\x80-\xff]*[\x00-\x7f]", text[at:])
    # A code has at most 6 bytes of 7 bits, the lowest first. A missing code becomes -1, which refers to no record.
    demand(b"".join(codes) == text[at:] and all(len(code) < 7 for code in codes), "found a broken code, expected 1 to 6 bytes")
    numbers = iter([sum((byte & 127) << 7 * place for place, byte in enumerate(code)) for code in codes])
    for group in moves:
        reached = next(islice(children(reached, min_group, keeps_columns), group, None), None)
        demand(reached is not None, "the solution clicks on a group that is not there")
    left = sum(map(len, reached))
    demand(not is_solved or (left == bound if goal else not left and len(moves) == bound), "the moves do not reach the optimum")
    while index < len(records) and (records[index][1] < bound or goal and bound > 0):
        position, clicks = records[index][0], records[index][1] + 1
        demand(sum(map(len, position)) >= (bound if goal else 1), f"record {index} has too few cells")
        for choice, child in enumerate(children(position, min_group, keeps_columns)):
            has_code = next(numbers, -1) if choice % 7 == 0 else has_code >> 1  # a bit for each of 7 choices
            code = next(numbers, -1) if has_code & 1 else None
            cells = [cell for column in child for cell in column]
            dead = [cell for cell in cells if cells.count(cell) < min_group]
            if code is None:
                refuted = len(dead) >= bound if goal else dead or clicks + len(set(cells)) >= bound
                demand(refuted, f"record {index}: the bound does not refute group {choice}")
            elif code == 0:
                records.append((child, clicks))
            else:
                holds = code % 2 == 0 and code // 2 <= len(records) and records[-(code // 2)][0] == child
                demand(holds, f"record {index}: code {code} of group {choice} is wrong")
        index += 1
    demand(len(records) == record_count and next(numbers, None) is None, f"the codes do not match {record_count} records")
    side = ("bottom left", "bottom right", "top left", "top right")[corner]
    lines = [*(" ".join(map(str, row)) for row in board), f"groups of {min_group}, columns {CLOSE[keeps_columns]}, to the {side}: "]
    claim = f"the fewest {GOALS[goal]} are {'' if is_solved else 'at least '}{bound}, proven by {record_count} record{'s' * (record_count != 1)}"
    return "\n".join(lines) + claim


if __name__ == "__main__":
    try:
        with open(sys.argv[1], "rb") as certificate:
            print(check(certificate.read()))
    except (OSError, IndexError) as error:
        sys.exit(print(error, __doc__, sep="\n", file=sys.stderr) or 2)
    except ValueError as reason:
        sys.exit(print(f"refused: {reason}") or 1)

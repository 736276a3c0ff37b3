#!/usr/bin/env python3
"""Checks a certificate: a proof that no solution of a Flood-It board has fewer than C moves.

    scripts/check_certificate.py FILE    exit code 0: proven; 1: refused; 2: nothing to check

Written from docs/certificates.md alone. A set of regions is a number with a bit for each region.
"""

import sys


def demand(holds, what):
    if not holds:
        raise ValueError(what)


def bits(regions):
    """The regions of a set."""
    while regions:
        yield (regions & -regions).bit_length() - 1
        regions &= regions - 1


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
        for region in bits(regions):
            found |= self.neighbours[region]
        return found

    def play(self, flood, colour):
        return flood | self.touching(flood) & self.of_colour[colour]

    def settle(self, flood):
        """A flood with its idle regions."""
        near = self.touching(flood) & ~flood
        seen = flood | near
        closed = sum(1 << region for region in bits(near) if not self.neighbours[region] & ~seen)
        for regions in self.of_colour:
            if regions & ~(flood | closed):
                flood |= regions & closed
        return flood

    def choices(self, flood):
        """The colours of which a solution may play one first."""
        near = self.touching(flood) & ~flood
        unseen = self.all & ~flood & ~near
        touching = [colour for colour, regions in enumerate(self.of_colour) if regions & near]
        finishing = [colour for colour in touching if not self.of_colour[colour] & unseen]
        return finishing[:1] or touching

    def elimination(self, flood):
        """The lower bound."""
        reached, turns = self.touching(flood) & ~flood, 0
        unseen = self.all & ~flood & ~reached
        left = [regions for regions in self.of_colour if regions & ~flood]
        while unseen:
            done = [regions for regions in left if not regions & unseen]
            turns += max(len(done), 1)
            left = [regions for regions in left if regions & unseen]
            expanded = reached & sum(done) if done else reached
            found = self.touching(expanded) & unseen
            reached, unseen = reached & ~expanded | found, unseen & ~found
        return turns + len(left)


def codes(text):
    """The numbers behind the head: 7 bits a byte, the lowest first."""
    value = shift = 0
    for byte in text:
        value |= (byte & 127) << shift
        shift += 7
        demand(shift <= 42, "a code is too long")
        if byte < 128:
            yield value
            value = shift = 0
    demand(shift == 0, "the last code is cut off")


def follow(board, bound, most, numbers):
    """Each choice at each record leads to a set that the bound refutes, or that a record holds."""
    records, held, at = [(board.settle(board.start), 0)], [], 0
    while at < len(records) and records[at][1] < bound:
        flood, g = records[at]
        demand(flood != board.all, f"record {at} floods everything with fewer than {bound} moves")
        for colour in board.choices(flood):
            child, code = board.settle(board.play(flood, colour)), next(numbers, None)
            demand(code is not None, f"the codes end at record {at}")
            if code == 0:
                demand(g + 1 + board.elimination(child) >= bound, f"record {at}: the bound does not refute {colour}")
            elif code == 1:
                records.append((child, g + 1))
                demand(len(records) <= most, f"there are more records than {most}")
            else:
                by = (code - 1) // 2
                held.append((at, child, len(records) + (by if code % 2 == 0 else -by)))
        at += 1
    demand(len(records) == most and next(numbers, None) is None, f"there are fewer records than {most}, or more codes")
    for at, child, of in held:
        holds = 0 <= of < most and not child & ~records[of][0] and records[of][1] <= records[at][1] + 1
        demand(holds, f"record {of} does not hold a child of record {at}")


def check(text):
    lines = text.split(b"\n", 2)
    demand(lines[0] == b"GHCERT 1 flood-it" and len(lines) == 3, "expected GHCERT 1 flood-it in the first line")
    rows, cols, colours, bound, start = map(int, lines[1].split())
    *lines, rest = lines[2].split(b"\n", rows + 2)
    demand(len(lines) == rows + 2, "the head is cut off")
    cells = [int(cell) for line in lines[:rows] for cell in line.split()]
    demand(all(0 < side < 256 for side in (rows, cols, colours)) and len(cells) == rows * cols, "the board is damaged")
    demand(0 <= start < rows * cols and all(0 <= cell < colours for cell in cells), "the board is damaged")
    count, *moves = map(int, lines[rows].split())
    demand(count == len(moves) and count in (0, bound) and all(0 <= c < colours for c in moves), "wrong solution")
    board, most = Board(rows, cols, colours, start, cells), int(lines[rows + 1])
    if count == bound:
        flood = board.start
        for colour in moves:
            flood = board.play(flood, colour)
        demand(flood == board.all, "the solution does not solve the board")
    follow(board, bound, most, codes(rest))
    claim = "the optimum is" if count == bound else "the optimum is at least"
    return "\n".join(line.decode() for line in lines[:rows]) + f"\nstart {start // cols},{start % cols}: {claim} {bound}"


if __name__ == "__main__":
    try:
        with open(sys.argv[1], "rb") as certificate:
            print(check(certificate.read()))
    except (OSError, IndexError) as error:
        sys.exit(print(error, __doc__, sep="\n", file=sys.stderr) or 2)
    except ValueError as reason:
        sys.exit(print(f"refused: {reason}") or 1)

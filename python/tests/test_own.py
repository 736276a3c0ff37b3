"""Bounds and puzzles written in Python, beside those of the program and beside exhaustive search."""

import signal
import threading
from collections import deque
from itertools import permutations

import pytest
from gridhunt import BoundCheck, OptionError, bounds, generate, solve_puzzle


def layers(cells):
    """The bound ``layers`` in Python: the colours of a shortest way to the farthest cell."""
    spots = {(row, col): cell for row, line in enumerate(cells) for col, cell in enumerate(line)}
    queue, far = deque((0, spot) for spot, cell in spots.items() if cell < 0), {}
    while queue:
        steps, spot = queue.popleft()
        if spot in far:
            continue
        far[spot] = steps
        row, col = spot
        for to in (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1):
            if spots.get(to) == spots[spot]:
                queue.appendleft((steps, to))
            elif to in spots:
                queue.append((steps + 1, to))
    return max(far.values())


def test_a_bound_in_python_is_held_against_every_state():
    for board in generate(5, colours=4, count=4, seed=3):
        built_in, own = bounds(board, ["layers"], own=[layers])
        assert own.keys() == built_in.keys() and own["bound"] == "layers" and own["sound"]
        assert (own["cost"], own["checked_states"]) == (built_in["cost"], built_in["checked_states"])
        assert all(value <= left for _, left, value in own["path"]) and own["path"][0][2] > 2


def test_a_bound_that_is_too_high_is_found_out():
    def optimist(cells):
        return layers(cells) + 1

    (row,) = bounds(generate(4, colours=3), ["layers"], own=[optimist])[1:]
    assert not row["sound"] and row["bound"] == "optimist"


def test_what_a_bound_raises_is_raised():
    def broken(cells):
        return {}[len(cells)]

    board = generate(4, colours=3)[0]
    with pytest.raises(KeyError):
        bounds(board, ["layers"], own=[broken])
    for value in "1", -1, 0.5, None:
        with pytest.raises(ValueError, match=f"<lambda>: found {value}, expected a whole number from 0"):
            bounds(board, ["layers"], own=[lambda cells, value=value: value])
    with pytest.raises(OptionError, match="15x15"):
        bounds(generate(30, colours=6)[0], ["layers"], own=[layers], time_limit="1s")
    with pytest.raises(OptionError, match="expected flood-it"):
        bounds(generate(4, kind="clearable")[0], ["colours"], own=[layers])


class Sorting:
    """Numbers to be sorted by reversing a beginning: pancakes."""

    def __init__(self, numbers):
        self.numbers = bytes(numbers)

    def start(self):
        return self.numbers

    def moves(self, state):
        for many in range(2, len(state) + 1):
            yield many, state[:many][::-1] + state[many:], 1

    def is_goal(self, state):
        return list(state) == sorted(state)

    def bound(self, state):
        beside = zip(state, [*state[1:], len(state) + 1])
        return sum(abs(one - other) > 1 for one, other in beside)


def distances(puzzle):
    """The cost of every state, by breadth-first search from the goal: each move undoes itself."""
    goal = bytes(sorted(puzzle.numbers))
    known, queue = {goal: 0}, deque([goal])
    while queue:
        state = queue.popleft()
        for _, to, _ in puzzle.moves(state):
            if to not in known:
                known[to] = known[state] + 1
                queue.append(to)
    return known


ENGINES = ["auto", "best-first", "ida"]


def test_every_engine_solves_a_puzzle_in_python():
    known = distances(Sorting(range(1, 6)))
    assert len(known) == 120
    for number, numbers in enumerate(permutations(range(1, 6))):
        puzzle = Sorting(numbers)
        outcome = solve_puzzle(puzzle, engine=ENGINES[number % len(ENGINES)])
        assert (outcome.status, outcome.cost, outcome.lower_bound) == ("optimal", *[known[bytes(numbers)]] * 2)
        state = bytes(numbers)
        for many in outcome.moves:
            state = dict((name, to) for name, to, _ in puzzle.moves(state))[many]
        assert puzzle.is_goal(state) and len(outcome.moves) == outcome.cost


def test_the_bound_of_a_puzzle_is_checked():
    puzzle = Sorting([3, 1, 5, 2, 4, 6])
    outcome = solve_puzzle(puzzle, exhaustive=1_000)
    assert outcome.check == BoundCheck(states=720, above=0, excess=0, falls=0)
    blind = solve_puzzle(type("Blind", (), {key: getattr(puzzle, key) for key in ("start", "moves", "is_goal")})())
    assert blind.cost == outcome.cost and blind.expanded > outcome.expanded and blind.check is None
    assert solve_puzzle(puzzle, exhaustive=719).check is None

    class Wrong(Sorting):
        def bound(self, state):
            return 2 * super().bound(state)

    wrong = solve_puzzle(Wrong(puzzle.numbers), exhaustive=1_000)
    assert wrong.status == "feasible" and wrong.lower_bound is None and wrong.check.above > 0


def test_a_puzzle_without_a_solution_has_none():
    class Stuck(Sorting):
        def is_goal(self, state):
            return False

    outcome = solve_puzzle(Stuck([2, 1, 3]))
    assert (outcome.status, outcome.cost, outcome.lower_bound, outcome.moves) == ("unsolvable", None, None, [])
    class Dear(Stuck):
        def moves(self, state):
            return [(name, to, 6_000) for name, to, _ in super().moves(state)]

    # Paths to some states cost more than a search can tell.
    for engine in ENGINES:
        outcome = solve_puzzle(Dear([2, 1, 3, 4]), engine=engine)
        assert (outcome.status, outcome.lower_bound) == ("unknown", 16_384)
        assert solve_puzzle(Stuck([2, 1, 3]), engine=engine).status == "unsolvable"
    outcome = solve_puzzle(Stuck([2, 1, 3, 4, 5, 6, 7]), engine="best-first", expansions=10)
    assert (outcome.status, outcome.stopped) == ("unknown", "expansion-limit")


def test_faults_of_a_puzzle_are_said():
    def faulty(**methods):
        return type("Faulty", (Sorting,), {name: lambda self, *_, value=value: value for name, value in methods.items()})(
            [2, 1, 3]
        )

    for methods, kind, text in [
        ({"moves": [(1, b"ab", 1)]}, ValueError, "found a state of 2 bytes, expected 3"),
        ({"moves": [(1, b"abc", 0)]}, ValueError, "costs from 1"),
        ({"moves": [(1, "abc", 1)]}, TypeError, "bytes as state"),
        ({"moves": 3}, TypeError, "iterable"),
        ({"start": b""}, ValueError, "at least one"),
        ({"start": "abc"}, TypeError, "bytes"),
        ({"bound": None}, ValueError, "bound: found None"),
    ]:
        with pytest.raises(kind, match=text):
            solve_puzzle(faulty(**methods))
    for options in {"threads": 2}, {"bound": "layers"}, {"domain": "clickomania"}:
        with pytest.raises(OptionError, match="expected only engine, memory"):
            solve_puzzle(Sorting([2, 1]), **options)
    with pytest.raises(OptionError, match="searches programs"):
        solve_puzzle(Sorting([2, 1]), engine="synthesis")


def test_ctrl_c_ends_a_search_in_python():
    class Endless:
        calls = 0

        def start(self):
            return bytes(8)

        def moves(self, state):
            self.calls += 1
            if self.calls == 50:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            for bit in 0, 1:
                yield bit, ((int.from_bytes(state, "big") * 2 + bit + 1) % 2**64).to_bytes(8, "big"), 1

        def is_goal(self, state):
            return False

    with pytest.raises(KeyboardInterrupt):
        solve_puzzle(Endless())

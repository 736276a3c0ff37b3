"""Puzzles written in Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Protocol, Tuple

from . import _native
from ._options import refuse_negative, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


class Puzzle(Protocol):
    """What :func:`solve_puzzle` asks of a puzzle. Its states are ``bytes``, all of one length.

    A method ``bound(state) -> int`` may be there too: a lower bound, which is never above the cost of the cheapest way
    from the state to a goal.
    """

    def start(self) -> bytes:
        """The state in which the search begins."""
        ...

    def moves(self, state: bytes) -> Iterable[Tuple[Any, bytes, int]]:
        """The moves from a state: a name, the state to which the move leads, and its cost, at least 1. The same state
        always has the same moves, in the same order; at most 4,096."""
        ...

    def is_goal(self, state: bytes) -> bool:
        """Whether the puzzle is solved."""
        ...


@dataclass(frozen=True)
class BoundCheck:
    """A lower bound beside the true cost of every state."""

    states: int
    """The number of states."""
    above: int
    """States at which the bound is too high. A lower bound has none."""
    excess: int
    """By how much it is too high, at most."""
    falls: int
    """Moves along which the bound falls by more than they cost. A consistent bound has none."""


@dataclass(frozen=True)
class Outcome:
    """What a search has found and proven of a puzzle: ``lower_bound <= optimum <= cost``."""

    status: str
    """``optimal``, ``feasible`` (a solution without a proof), ``unsolvable``, ``unknown``."""
    cost: Optional[int]
    """The cost of the best solution."""
    lower_bound: Optional[int]
    """No solution costs less, if the bound of the puzzle is right. None if there is no solution, or the bound is
    wrong."""
    moves: List[Any] = field(default_factory=list)
    """The names of the moves of the best solution."""
    stopped: Optional[str] = None
    """What ended the search early, as in :attr:`Result.stopped`."""
    expanded: int = 0
    """States whose moves were asked for."""
    generated: int = 0
    """Moves that these states had."""
    evaluated: int = 0
    """Evaluations of the bound."""
    check: Optional[BoundCheck] = None
    """The bound beside the truth; None if the puzzle has more than ``exhaustive`` states."""


def solve_puzzle(puzzle: Puzzle, *, exhaustive: int = 0, **options: Unpack[Options]) -> Outcome:
    """Searches a puzzle that is written in Python, with any engine that searches states, on one thread.

    It is for ideas, for teaching and for small puzzles: each state costs calls of Python, some microseconds each.
    ``crates/search`` has the same contract in Rust.

    Args:
        puzzle: The puzzle.
        exhaustive: If the puzzle has at most this many states, its bound is compared with the true cost of each.
        options: ``engine``, ``memory``, ``time_limit``, ``expansions`` and ``parameters`` of :func:`solve`.

    Returns:
        The outcome. The moves of the solution have been checked by playing them.

    Raises:
        OptionError: There is no such option, or the engine does not search states.
        TypeError, ValueError: A method of the puzzle returns what is no state, move or bound.
        Exception: Whatever a method of the puzzle raises.

    >>> class Doubling:
    ...     '''From 1 to 100 by doubling and adding 1.'''
    ...     def start(self):
    ...         return bytes([1])
    ...     def is_goal(self, state):
    ...         return state[0] == 100
    ...     def moves(self, state):
    ...         for name, to in ("double", 2 * state[0]), ("add", state[0] + 1):
    ...             if to <= 100:
    ...                 yield name, bytes([to]), 1
    >>> outcome = solve_puzzle(Doubling())
    >>> outcome.status, outcome.cost, outcome.moves[:3]
    ('optimal', 8, ['double', 'add', 'double'])
    """
    refuse_negative(exhaustive=exhaustive)
    status, cost, lower_bound, moves, stopped, counts, check = _native.solve_puzzle(puzzle, exhaustive, to_json(options))
    return Outcome(
        status, cost, lower_bound, moves, stopped, *counts, check=None if check is None else BoundCheck(*check)
    )

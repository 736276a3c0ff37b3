"""Replays, certificates, and comparisons of lower bounds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Literal,
    NamedTuple,
    Optional,
    Sequence,
    Union,
    overload,
)

from . import _native
from ._board import boards_of, one_board, solution_text
from ._errors import CertificateError, OptionError, in_python
from ._options import refuse_negative, to_json
from ._result import Result
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


@dataclass(frozen=True)
class Verdict:
    """The verdict of the plain rules on a solution: the fields of ``gridhunt verify --json``."""

    board: str
    """The name of the board."""
    right: bool
    """Whether the solution is correct."""
    cost: Optional[int]
    """Moves, clicks, cells left, tokens, or the score; None if the solution is wrong."""
    wasted: List[int] = field(default_factory=list)
    """The numbers, from 1, of the moves that add no cells."""
    error: Optional[str] = None
    """Why the solution is wrong."""
    failed_move: Optional[int] = None
    """The number, from 1, of the move that fails."""
    published: Optional[int] = None
    """The optimum that the file of the board names."""


@dataclass(frozen=True)
class AllSolutions:
    """All optimal solutions of a board."""

    result: Result
    """What the search has proven."""
    count: Optional[int]
    """Their exact number; None if the optimum is not proven, or a limit ended the count."""
    first: List[List[str]]
    """The first ones, in the order of their moves."""


@dataclass(frozen=True)
class Proven:
    """What a certificate proves."""

    bound: int
    """No solution costs less."""
    is_optimum: bool
    """Whether a solution costs so much."""
    records: int
    """The number of its records."""
    text: str
    """The board and the claim in words."""


class VeripbProof(NamedTuple):
    """A lower bound of Flood-It for VeriPB, a checker by others: the two files of ``gridhunt certify --veripb``."""

    opb: bytes
    """The formula, which says that fewer moves are enough."""
    pbp: bytes
    """The proof that it has no solution."""


def verify(board: Any, solution: Union[Result, str, Iterable[str]], **options: Unpack[Options]) -> Verdict:
    """Replays a solution by the plain rules, which share no code with the search.

    Args:
        board: A board, as :func:`solve` takes it.
        solution: A result, a list of moves, or a text in any notation that the program reads.
        options: Puzzle and rules; by default those of the board, and those that the text claims.

    Returns:
        The verdict. A wrong solution is a verdict, not an error.

    Raises:
        SolutionError: The text is no solution of the puzzle.

    >>> verify([[1, 2, 1, 3]], "2 1 3").cost
    3
    >>> verify([[1, 2, 1, 3]], ["2"]).right
    False
    """
    verdict = json.loads(_native.verify(one_board(board)._native, solution_text(solution), to_json(options)))
    verdict["error"] = in_python(verdict["error"]) if verdict.get("error") else None
    return Verdict(**verdict)


def all_solutions(board: Any, *, most: int = 1000, **options: Unpack[Options]) -> AllSolutions:
    """Counts all optimal solutions of a board, and lists the first of them, as ``gridhunt solve --all``.

    Args:
        board: A board, as :func:`solve` takes it.
        most: How many solutions are listed at most.
        options: As those of :func:`solve`. Its limits hold for search and count together.

    Raises:
        BoardError: The board is none of the puzzle.
        OptionError: Programs solve the puzzle, or an option is wrong.

    >>> found = all_solutions([[0, 1], [2, 1]])
    >>> found.count, found.first
    (2, [['1', '2'], ['2', '1']])
    """
    refuse_negative(most=most)
    board = one_board(board)
    record, count, first = _native.all_solutions(board._native, most, to_json(options))
    fields = json.loads(record)
    for of_count in "optimal_solutions", "count_stopped":
        fields.pop(of_count, None)
    return AllSolutions(Result._of(fields, board), None if count is None else int(count), first)


_Known = Union[Result, str, Iterable[str], None]


@overload
def certify(
    board: Any, *, from_: _Known = None, after: int = 0, veripb: Literal[False] = False, **options: Unpack[Options]
) -> bytes: ...
@overload
def certify(
    board: Any, *, from_: _Known = None, after: int = 0, veripb: Literal[True], **options: Unpack[Options]
) -> VeripbProof: ...
def certify(
    board: Any, *, from_: _Known = None, after: int = 0, veripb: bool = False, **options: Unpack[Options]
) -> Union[bytes, VeripbProof]:
    """Searches a board, and makes a certificate of the lower bound that the search has proven.

    Args:
        board: A board of Flood-It or Clickomania, as :func:`solve` takes it.
        from_: A known solution from which the search starts, to prove it or to find a better one: a result, a list of
            moves, or a text. ``from`` is a word of Python.
        after: With ``from_``: the position after this many moves of the solution is searched and certified.
        veripb: Instead a formula and a proof for VeriPB; Flood-It up to 21x21.
        options: As those of :func:`solve`. Limits hold for the search and for the certificate, each by itself.

    Returns:
        The file: :func:`check`, ``gridhunt check`` and ``scripts/check_certificate.py`` check it. With ``veripb`` two
        files.

    Raises:
        CertificateError: A limit was reached before anything was proven or certified; the board is too large.
        SolutionError: ``from_`` is no solution of the board.
        OptionError: The puzzle has no certificates, or as :func:`solve`; ``after`` without ``from_``.

    >>> board = [[1, 2, 1, 3]]
    >>> check(certify(board)).bound
    3
    >>> check(certify(board, from_=["2", "1", "3"], after=1)).bound
    2
    >>> certify(board, veripb=True).opb.splitlines()[0]
    b'* #variable= ... #constraint= ...'
    """
    if from_ is None and after:
        raise OptionError("found after without from_, expected both: certify(board, from_=result, after=1)")
    solution = None if from_ is None else solution_text(from_)
    certificate, formula = _native.certify(one_board(board)._native, solution, after, veripb, to_json(options))
    return certificate if formula is None else VeripbProof(formula, certificate)


def check(certificate: bytes, board: Any = None, **options: Unpack[Options]) -> Proven:
    """Checks a certificate without a search, by a program that shares no code with the solver.

    Args:
        certificate: The file.
        board: The board that it has to be of, as :func:`solve` takes it.
        options: Puzzle and rules of the board.

    Raises:
        CertificateError: The certificate is refused; the message says why.

    >>> check(b"GHCERT 3 flood-it\\n")
    Traceback (most recent call last):
    ...
    gridhunt.CertificateError: expected a number in the head
    """
    if isinstance(certificate, str):
        raise CertificateError(f"found the text {certificate!r:.60}, expected the bytes of a certificate")
    native = None if board is None else one_board(board)._native
    return Proven(*_native.check(certificate, native, to_json(options)))


def bounds(
    boards: Any,
    names: Sequence[str] = (),
    *,
    own: Sequence[Callable[[List[List[int]]], int]] = (),
    exhaustive: int = 50_000,
    **options: Unpack[Options],
) -> Table:
    """Compares lower bounds on boards: gap, time, states expanded, and whether each is sound.

    Args:
        boards: A board or several, as :func:`solve` takes them.
        names: The bounds, such as ``["layers", "elimination"]``; by default all that apply to the board.
        own: Bounds of your own, for boards of Flood-It of up to 15x15: functions that take the cells row by row, as
            :attr:`Board.cells` with -1 for flooded ones, and return a whole number.
        exhaustive: On boards with at most this many states, bounds are compared with the exact cost of every state.
        options: As those of :func:`solve`, for each search; by default one thread and one minute, which ``config`` does
            not change. ``bound`` is the bound with which the boards are solved beforehand.

    Returns:
        A row for each board and bound: the fields of ``gridhunt bounds --json``; see ``gridhunt schema trial``.

    Raises:
        BoardError, OptionError: As :func:`solve`.
        ValueError: A function of ``own`` returns no whole number from 0.
        Exception: Whatever a function of ``own`` raises.

    >>> from gridhunt import generate
    >>> def colours_left(cells):
    ...     return len({cell for row in cells for cell in row} - {-1})
    >>> table = bounds(generate(5, colours=3), ["layers", "elimination"], own=[colours_left])
    >>> [(row["bound"], row["sound"]) for row in table]
    [('layers', True), ('elimination', True), ('colours_left', True)]
    """
    settings: Dict[str, Any] = {"threads": 1, "time_limit": "1m", **options}
    functions = [(getattr(function, "__name__", repr(function)), function) for function in own]
    rows = Table()
    for number, board in enumerate(boards_of(boards)[0], 1):
        for text in _native.bounds(board._native, list(names), functions, exhaustive, to_json(settings)):
            rows.append({**json.loads(text), "number": number})
    return rows

"""gridhunt hunts for provably optimal solutions of puzzle boards, on all cores.

>>> import gridhunt
>>> board = gridhunt.Board.from_array([[0, 1, 0], [2, 1, 2], [0, 0, 1]])
>>> result = gridhunt.solve(board)
>>> result.status, result.cost
('optimal', 4)
>>> gridhunt.verify(board, result.moves).right
True

Errors are a :class:`GridhuntError`. A search that ends without a proof is no error: ``result.status`` says so.
Nothing is global: searches may go on in several threads at once, and each releases the lock of Python.
"""

from ._board import Board, generate, parse_boards, read_boards
from ._errors import BoardError, CertificateError, GridhuntError, OptionError, RunError, SolutionError
from ._hunt import Hunt, solve
from ._native import VERSION as __version__
from ._options import Options
from ._puzzle import BoundCheck, Outcome, Puzzle, solve_puzzle
from ._result import Layer, Result, Results
from ._run import Run, open_run
from ._table import Table
from ._tools import AllSolutions, Proven, Verdict, VeripbProof, all_solutions, bounds, certify, check, verify

__all__ = [
    "AllSolutions",
    "Board",
    "BoardError",
    "BoundCheck",
    "CertificateError",
    "GridhuntError",
    "Hunt",
    "Layer",
    "OptionError",
    "Options",
    "Outcome",
    "Proven",
    "Puzzle",
    "Result",
    "Results",
    "Run",
    "RunError",
    "SolutionError",
    "Table",
    "Verdict",
    "VeripbProof",
    "all_solutions",
    "bounds",
    "certify",
    "check",
    "generate",
    "open_run",
    "parse_boards",
    "read_boards",
    "solve",
    "solve_puzzle",
    "verify",
]

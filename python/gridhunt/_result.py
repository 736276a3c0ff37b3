"""Results."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ._board import Board
from ._errors import in_python
from ._table import Table


@dataclass(frozen=True)
class Layer:
    """The work of one layer: all nodes of one f."""

    f: int
    expanded: int
    generated: int


@dataclass(frozen=True, repr=False)
class Result:
    """What a search has found and proven of a board: ``lower_bound <= optimum <= cost``.

    The fields are those of ``gridhunt solve --json``, which ``docs/output.md`` explains: times are in seconds, sizes in
    bytes, all other numbers are counts. A value that does not exist is None.
    """

    number: Optional[int]
    """The number of the board, from 1."""
    board: Optional[str]
    """The name of the board."""
    status: str
    """``optimal``, ``feasible`` (a solution without a proof), ``unsolvable``, ``unknown``; of a board without a search
    ``error`` or ``not-begun``."""
    error: Optional[str] = None
    """Why the board was not searched."""
    rows: int = 0
    cols: int = 0
    colours: int = 0
    domain: Optional[str] = None
    objective: Optional[str] = None
    ceiling: Optional[int] = None
    stopped: Optional[str] = None
    """What ended the search early: ``time-limit``, ``memory-limit``, ``expansion-limit``, ``disk-limit``,
    ``disk-failed``, ``interrupted``."""
    cost: Optional[int] = None
    """The cost of the best solution: moves, clicks, cells left, tokens."""
    score: Optional[int] = None
    published: Optional[int] = None
    lower_bound: Optional[int] = None
    """Proven: no solution costs less. None if the board is proven to have no solution."""
    upper_score: Optional[int] = None
    min_group: Optional[int] = None
    columns: Optional[str] = None
    corner: Optional[str] = None
    score_rule: Optional[str] = None
    clear_bonus: Optional[int] = None
    left_penalty: Optional[str] = None
    moves: List[str] = field(default_factory=list)
    """The moves of the best solution: names of colours, cells ``ROW,COLUMN`` from 1, or one program."""
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    stored: int = 0
    layers: List[Layer] = field(default_factory=list)
    bytes_per_state: Optional[float] = None
    threads: int = 0
    ranks: int = 0
    seconds: float = 0.0
    """Wall-clock time of this board, in all sessions of its run."""
    cpu_seconds: float = 0.0
    """CPU time of this board in all sessions, all threads together."""
    peak_memory_bytes: int = 0
    """The largest memory of the whole process so far."""
    engine: Optional[str] = None
    bound: Optional[str] = None
    identity: Optional[str] = None
    _board: Optional[Board] = field(default=None, repr=False, compare=False)

    @classmethod
    def _of(cls, record: Dict[str, Any], board: Optional[Board] = None) -> Result:
        layers = [Layer(**layer) for layer in record.get("layers", [])]
        error = in_python(record["error"]) if record.get("error") else None
        return cls(**{**record, "layers": layers, "error": error, "_board": board})

    @property
    def is_proven(self) -> bool:
        """Whether the board is solved for good: ``optimal`` or ``unsolvable``."""
        return self.status in ("optimal", "unsolvable")

    def __str__(self) -> str:
        found = [self.status]
        found += [] if self.cost is None else [f"cost {self.cost}"]
        found += [] if self.is_proven or self.lower_bound is None else [f"at least {self.lower_bound} proven"]
        found += [text for text in (self.error, self.stopped) if text]
        return f"{self.board}: {', '.join(found)}"

    def __repr__(self) -> str:
        return f"<Result {self}>"

    def to_dict(self) -> Dict[str, Any]:
        """The fields as a dict of plain values, as in ``gridhunt solve --json``."""
        values = dataclasses.asdict(dataclasses.replace(self, _board=None))
        del values["_board"]
        return values

    def to_svg(self, *, symbols: bool = False) -> str:
        """The solution that plays, as a document of SVG; the board alone if there is none.

        Raises:
            ValueError: The result was read from a run directory, and its board is not at hand.
        """
        if self._board is None:
            raise ValueError("this result has no board: use Board.to_svg(result.moves)")
        rules = ("domain", "objective", "min_group", "columns", "corner")
        options: Dict[str, Any] = {key: getattr(self, key) for key in rules}
        if options["domain"] != "clickomania":
            del options["objective"]
        return self._board.to_svg(self.moves or None, symbols=symbols, **options)

    def _repr_svg_(self) -> Optional[str]:
        return None if self._board is None else self.to_svg()


class Results(List[Result]):
    """A list of results, for pandas and polars."""

    def table(self) -> Table:
        """The fields of the results as rows."""
        return Table(result.to_dict() for result in self)

    def to_pandas(self) -> Any:
        """The fields of the results as a ``pandas.DataFrame``, a row for each. Needs pandas."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """The fields of the results as a ``polars.DataFrame``, a row for each. Needs polars."""
        return self.table().to_polars()

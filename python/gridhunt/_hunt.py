"""Searches."""

from __future__ import annotations

import json
import logging
import os
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Union, overload

from . import _native
from ._board import Board, boards_of, read_boards
from ._errors import GridhuntError, OptionError, in_python
from ._options import Path, to_json
from ._result import Result, Results
from ._run import framed_page

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import Options

_log = logging.getLogger("gridhunt")


@overload
def solve(board: Union[Board, str, bytes, List[List[int]]], **options: Unpack[Options]) -> Result: ...
@overload
def solve(board: Iterable[Board], **options: Unpack[Options]) -> Results: ...
@overload
def solve(board: Any, **options: Unpack[Options]) -> Any: ...
def solve(board: Any, **options: Unpack[Options]) -> Union[Result, Results]:
    """Searches a board, or several, until the optimum is proven or a limit ends the search.

    The lock of Python is released. Ctrl-C ends the search within 50 ms and what the engine needs to stop, and raises
    KeyboardInterrupt. Notes of the search go to the logger ``gridhunt``.

    Args:
        board: A board, or what :meth:`Board.parse` or :meth:`Board.from_array` takes: a text, nested lists, an array of
            numpy, a data frame. Several of these are searched side by side if there are as many as threads. Three
            levels of lists, or an array of three dimensions, are several boards. They are refused if they may be one
            board whose cells are lists (one, three or four numbers, or a 1 among zeros), or one-hot planes of a board.
        options: Those of ``gridhunt solve`` with ``_`` for ``-``, such as ``threads``, ``memory``, ``time_limit``,
            ``engine``, ``bound``; ``config`` names a set of them, as ``solve --config`` does.

    Returns:
        The result; the results in the order of the boards if there were several. A search that a limit ends has a result
        too: :attr:`Result.status` and :attr:`Result.stopped` say so.

    Raises:
        BoardError: The board is none of the puzzle. Of several boards, such a board has the status ``error``.
        OptionError: There is no such option, it has no such value, or options contradict each other.

    >>> from gridhunt import generate
    >>> board = generate(6, colours=4, seed=2)[0]
    >>> solve(board, expansions=0, engine="best-first").stopped
    'expansion-limit'
    >>> [result.status for result in solve([board, board], threads=2)]
    ['optimal', 'optimal']
    >>> solve([[0, 1], [1, 0]]).moves
    ['1', '0']
    """
    boards, is_one = boards_of(board)
    search = Hunt(boards, **options)
    search._wants_rows = False  # nobody reads them
    with search as hunt:
        results = hunt.wait()
    return results[0] if is_one else results


class Hunt:
    """A search under way, in threads of its own, that tells its progress and may be kept in a run directory.

    Entering the context begins the search. Leaving it ends the search, with a checkpoint if there is a run directory;
    :meth:`resume` goes on with it, and so does ``gridhunt resume``.

    Args:
        boards: A board or several, as :func:`solve` takes them. None takes those that the option ``config`` names, as ``gridhunt hunt`` does.
        run: The run directory, which must not exist or be empty. States that do not fit into memory go there.
        options: As those of :func:`solve`, and ``spill``, ``disk``, ``checkpoint`` for the run directory.

    Raises:
        RunError: When it begins: the run directory cannot be used.
        BoardError, OptionError: When it begins, as :func:`solve`; the configuration has no data set, or a wrong one.

    >>> from gridhunt import generate
    >>> board = generate(8, colours=4, seed=2)[0]
    >>> with Hunt(board, threads=1) as hunt:
    ...     kinds = [event["event"] for event in hunt.events()]
    >>> kinds[0], kinds[-1], hunt.results[0].status
    ('session', 'end', 'optimal')
    """

    def __init__(
        self,
        boards: Any = None,
        /,
        *,
        run: Optional[Path] = None,
        **options: Unpack[Options],
    ) -> None:
        if boards is None:
            if "config" not in options:
                raise OptionError("found neither boards nor config, expected one: Hunt(config='hundred')")
            boards = [Board._of(native) for native in _native.Board.of_config(os.fspath(options["config"]))]
        self._boards: List[Board] = boards_of(boards)[0]
        self._run = None if run is None else os.fspath(run)
        self._options = to_json(options)
        self._resumes = False
        self._wants_rows = True
        self._is_over = False
        self._search: Optional[_native.Search] = None
        self._results: Dict[int, Result] = {}

    @classmethod
    def resume(cls, run: Path, **options: Unpack[Options]) -> Hunt:
        """A hunt that goes on with a run directory, once it is entered.

        Args:
            run: The run directory. It keeps puzzle, rules, engine and bound.
            options: Only ``threads``, ``memory``, ``time_limit``, ``expansions``, ``parallel``, ``spill``, ``disk``,
                ``checkpoint``.

        Raises:
            RunError: When it begins: there is no run, it is damaged, or a process searches it.
        """
        hunt = cls([], run=run, **options)
        hunt._resumes = True
        return hunt

    def __enter__(self) -> Self:
        if self._search is not None:
            raise GridhuntError("this hunt has begun already, expected a new one")
        if self._resumes and self._run is not None:
            self._search = _native.Search.resume(self._run, self._options, self._wants_rows)
            self._boards = read_boards(os.path.join(self._run, "boards.json"))
        else:
            natives = [board._native for board in self._boards]
            self._search = _native.Search(natives, self._options, self._run, self._wants_rows)
        return self

    def __exit__(self, kind: Optional[type], *_: object) -> None:
        self.stop()
        self._under_way().join()
        self._is_over = True
        try:
            self.wait()
        except GridhuntError:
            if kind is None:
                raise

    def _under_way(self) -> _native.Search:
        if self._search is None:
            raise GridhuntError("this hunt has not begun, expected `with Hunt(..) as hunt:`")
        return self._search

    def _news(self) -> Iterator[Dict[str, Any]]:
        """Rows of progress until the end. Takes results and notes on the way."""
        search = self._under_way()
        while (news := search.next()) is not None:
            kind, text = news
            if kind == "row":
                yield json.loads(text)
            elif kind == "note":
                _log.warning("%s", in_python(text))
            else:
                record = json.loads(text)
                number = record["number"] or len(self._results) + 1
                board = self._boards[number - 1] if number <= len(self._boards) else None
                self._results[number] = Result._of(record, board)
        self._is_over = True

    def events(self, every: float = 1.0) -> Iterator[Dict[str, Any]]:
        """The progress, until the search ends: rows as those of ``progress.jsonl`` (``gridhunt schema`` has their fields).

        A row comes at once where ``event`` is ``session``, ``begin``, ``layer``, ``range``, ``board`` or ``end``; rows
        of the event ``time`` come in between. The search never waits for whoever reads: rows that nobody has taken are
        dropped, the oldest first, beyond 4096.

        Args:
            every: The least number of seconds between two rows of the event ``time``; they come once per second at most.

        Raises:
            BoardError, OptionError: The only board cannot be searched.
            RunError: The run directory cannot be written.
        """
        last = time.monotonic()
        for row in self._news():
            if row["event"] == "time":
                now = time.monotonic()
                if now - last < every * 0.99:
                    continue
                last = now
            yield row

    def wait(self) -> Results:
        """Waits until the search ends. Returns the :attr:`results`.

        Raises:
            BoardError, OptionError: The only board cannot be searched.
            RunError: The run directory cannot be written.
        """
        for _event in self._news():
            pass
        return self.results

    def stop(self) -> None:
        """Asks the search to end, with a checkpoint if there is a run directory. Any thread may call it."""
        if self._search is not None:
            self._search.stop()

    @property
    def results(self) -> Results:
        """The results so far, in the order of the boards; of a run that goes on, those of earlier sessions too."""
        return Results(self._results[number] for number in sorted(self._results))

    def __repr__(self) -> str:
        count = len(self._boards)
        boards = f"{count} board{'' if count == 1 else 's'}" if count or not self._resumes else "the run"
        kept = "" if self._run is None else f" in {self._run!r}"
        state = "not begun" if self._search is None else "ended" if self._is_over else "running"
        return f"<Hunt of {boards}{kept}: {state}>"

    def _repr_html_(self) -> Optional[str]:
        """The page of the run directory, once there is one."""
        return None if self._run is None or self._search is None else framed_page(self._run)

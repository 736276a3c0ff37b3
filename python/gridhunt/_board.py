"""Boards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _native
from ._native import Board as _Native
from ._options import Path, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

_EMPTY = 255
_MOST_COLOURS = 255


class Board:
    """A rectangular board of coloured cells. Boards do not change, and may be used in several threads.

    A board is read or made by :meth:`parse`, :meth:`from_file`, :meth:`from_link`, :meth:`from_array`, or
    :func:`generate`. Rows, columns and cells are counted from 0 here. Moves of Clickomania are texts, as the program
    writes them: ``ROW,COLUMN``, counted from 1.
    """

    __slots__ = ("_native",)
    _native: _Native

    def __init__(self) -> None:
        raise TypeError("a board is made by Board.parse, from_file, from_link or from_array")

    @classmethod
    def _of(cls, native: _Native) -> Board:
        board = object.__new__(cls)
        board._native = native
        return board

    @classmethod
    def parse(cls, text: Union[str, bytes], *, name: str = "text", **reading: Any) -> Board:
        """The only board in a text, in any format that the program reads.

        Options are those of :func:`parse_boards`.

        Raises:
            BoardError: The text holds no board, several, or has several readings.

        >>> Board.parse("1 2 1\\n3 2 3").shape
        (2, 3)
        """
        return _the_only(parse_boards(text, name=name, **reading), name)

    @classmethod
    def from_file(cls, path: Path, **reading: Any) -> Board:
        """The only board in a file, or in a data set that is part of gridhunt.

        Options are those of :func:`parse_boards`.

        Raises:
            BoardError: The file cannot be read, or holds no board or several: :func:`read_boards` reads several.

        >>> Board.from_file("14x14-6c-01.txt").colours
        6
        """
        return _the_only(read_boards(path, **reading), os.fspath(path))

    @classmethod
    def from_link(cls, link: str) -> Board:
        """The board of a link of ``gridhunt play``, with the puzzle and the rules that the link holds.

        Raises:
            BoardError: The link holds no game.

        >>> Board.from_link("p=clickomania&b=2x2c2s0.0110").options
        {'domain': 'clickomania'}
        """
        return cls._of(_Native.link(link))

    @classmethod
    def from_array(
        cls,
        cells: Any,
        *,
        symbols: Optional[Sequence[str]] = None,
        start: Tuple[int, int] = (0, 0),
        name: str = "array",
        **options: Unpack[Options],
    ) -> Board:
        """A board from an array of numpy, or from nested lists.

        Args:
            cells: Whole numbers of shape ``(rows, cols)``: colours from 0; a negative number is an empty cell.
            symbols: The names of the colours, of which there may be more than the cells have. By default the numbers
                themselves, so that a move of Flood-It is the number of a colour as text.
            start: Row and column of the start cell of Flood-It.
            name: The name in results.
            options: Puzzle and rules that a search takes over, such as ``domain="clickomania"``.

        Raises:
            BoardError: The cells do not form a rectangle, or a colour has no name.
            OptionError: There is no such option.

        >>> board = Board.from_array([[0, 1, -1], [2, 1, 2]], domain="clickomania")
        >>> board.cells
        [[0, 1, -1], [2, 1, 2]]
        """
        data, size, most = _from_numpy(cells) if hasattr(cells, "__array_interface__") else _from_lists(cells)
        if symbols is None:
            symbols = [str(colour) for colour in range(max(most + 1, 1))]
        return cls._of(_Native(name, size, data, list(symbols), (start[0], start[1]), to_json(options)))

    @property
    def name(self) -> str:
        """The name in results."""
        return self._native.name

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._native.size[0]

    @property
    def cols(self) -> int:
        """The number of columns."""
        return self._native.size[1]

    @property
    def shape(self) -> Tuple[int, int]:
        """The number of rows and of columns."""
        return self._native.size

    @property
    def colours(self) -> int:
        """The number of colours. A colour need not have a cell."""
        return len(self._native.symbols)

    @property
    def symbols(self) -> List[str]:
        """The names of the colours, which moves of Flood-It use."""
        return self._native.symbols

    @property
    def start(self) -> Tuple[int, int]:
        """Row and column of the start cell."""
        return self._native.start

    @property
    def published(self) -> Optional[int]:
        """The optimum that the file of the board names; nobody has checked it."""
        return self._native.published

    @property
    def options(self) -> Dict[str, str]:
        """What the board's file, link or maker says of puzzle and rules. A search takes it over."""
        return self._native.settings

    @property
    def cells(self) -> List[List[int]]:
        """The colours, row by row: indices of :attr:`symbols`; -1 for an empty cell."""
        data, cols = self._native.cells, self.cols
        return [[-1 if c == _EMPTY else c for c in data[at : at + cols]] for at in range(0, len(data), cols)]

    def to_array(self) -> Any:
        """The cells as an array of numpy, of shape ``(rows, cols)`` and type int16. The inverse of :meth:`from_array`.

        Needs numpy: ``pip install gridhunt[numpy]``.
        """
        import numpy

        data = numpy.frombuffer(self._native.cells, dtype=numpy.uint8).astype(numpy.int16)
        data[data == _EMPTY] = -1
        return data.reshape(self.shape)

    def to_text(self, format: str = "text") -> str:
        """The board in a format that the program writes: text, numbers, lines, csv, json, bunny.

        Raises:
            BoardError: The format cannot hold the board; ``json`` holds every board.
            OptionError: There is no such format.
        """
        return self._native.text(format)

    def to_svg(
        self, moves: Optional[Sequence[str]] = None, *, symbols: bool = False, **options: Unpack[Options]
    ) -> str:
        """A picture as a document of SVG: of the board, or of a solution that plays.

        Args:
            moves: The moves of a solution, as :attr:`Result.moves` has them.
            symbols: Whether each cell shows the symbol of its colour.
            options: Puzzle and rules.

        Raises:
            BoardError: The board is none of the puzzle.
            SolutionError: The rules refuse the moves.
        """
        return self._native.svg(None if moves is None else solution_text(moves), symbols, to_json(options))

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _key(self) -> Tuple[Any, ...]:
        native = self._native
        return native.size, native.cells, tuple(native.symbols), native.start

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        try:
            return self.to_text()
        except _native.BoardError:
            return self.to_text("json")

    def __repr__(self) -> str:
        return f"<Board {self.name!r}: {self.rows} x {self.cols}, {self.colours} colours>"

    def __reduce__(self) -> Tuple[Any, ...]:
        native = self._native
        return _rebuilt, (native.name, *self._key(), native.settings)


def _rebuilt(name: str, size: Any, cells: bytes, symbols: Any, start: Any, options: Dict[str, str]) -> Board:
    return Board._of(_Native(name, size, cells, list(symbols), start, to_json(options)))


def _the_only(boards: List[Board], name: str) -> Board:
    if len(boards) != 1:
        raise _native.BoardError(f"{name}: found {len(boards)} boards, expected one")
    return boards[0]


def _from_numpy(cells: Any) -> Tuple[bytes, Tuple[int, int], int]:
    import numpy

    array = numpy.asarray(cells)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        found = f"an array of shape {array.shape} and type {array.dtype}"
        raise _native.BoardError(f"found {found}, expected whole numbers of shape (rows, cols)")
    most = int(array.max()) if array.size else -1
    if most >= _MOST_COLOURS:
        raise _native.BoardError(f"found the colour {most}, expected one below {_MOST_COLOURS}")
    colours = array.astype(numpy.uint8)
    if array.dtype.kind == "i":
        colours[array < 0] = _EMPTY
    return colours.tobytes(), array.shape, most


def _from_lists(cells: Any) -> Tuple[bytes, Tuple[int, int], int]:
    rows = [list(row) for row in cells]
    cols = len(rows[0]) if rows else 0
    if any(len(row) != cols for row in rows):
        raise _native.BoardError("found rows of several lengths, expected a rectangle")
    flat = [cell for row in rows for cell in row]
    wrong = next((cell for cell in flat if not isinstance(cell, int) or cell >= _MOST_COLOURS), None)
    if wrong is not None:
        raise _native.BoardError(f"found the cell {wrong!r}, expected a whole number below {_MOST_COLOURS}")
    return bytes(_EMPTY if cell < 0 else cell for cell in flat), (len(rows), cols), max(flat, default=-1)


def boards_of(given: Any) -> Tuple[List[Board], bool]:
    """Boards from what a caller has: a board, a text, an array or nested lists, or several of these. The flag says
    whether it was one board.

    Raises:
        BoardError: A text or an array is no board, or several texts may be rows of one board.
    """
    if isinstance(given, (Board, str, bytes)) or hasattr(given, "__array_interface__"):
        return [_board_of(given)], True
    items = list(given)
    if items and all(_is_row(item) for item in items):
        return [Board.from_array(items)], True
    if any(isinstance(item, (str, bytes)) for item in items):
        found = "a list of texts, which may be boards or rows of a board"
        raise _native.BoardError(f"found {found}, expected one text, or [Board.parse(text) for text in ...]")
    return [_board_of(item) for item in items], False


def one_board(given: Any) -> Board:
    """The board from what :func:`boards_of` takes.

    Raises:
        BoardError: As :func:`boards_of`; or there are several boards, or none.
    """
    boards, _ = boards_of(given)
    if len(boards) != 1:
        raise _native.BoardError(f"found {len(boards)} boards, expected one")
    return boards[0]


def _board_of(given: Any) -> Board:
    if isinstance(given, Board):
        return given
    return Board.parse(given) if isinstance(given, (str, bytes)) else Board.from_array(given)


def _is_row(item: Any) -> bool:
    if hasattr(item, "__array_interface__"):
        return len(item.shape) == 1
    return isinstance(item, (list, tuple)) and all(isinstance(cell, int) for cell in item)


def parse_boards(text: Union[str, bytes], *, name: str = "text", **reading: Any) -> List[Board]:
    """All boards in a text, in any format that the program reads; bytes may be compressed, or a picture.

    Args:
        text: The text.
        name: The name in messages, and of the boards.
        format: The format; by default it is recognised by the content.
        domain: The puzzle; by default that which the text names, otherwise Flood-It.
        size: Rows and columns, for texts that do not say it.
        start: Row and column of the start cell, from 0; by default what the text says, or the top left.
        colours: The number of colours, for texts that do not say it.
        empty: What stands for an empty cell, besides ``.`` and ``-1``.

    Raises:
        BoardError: The text holds no board, a wrong one, or has several readings; the message says where.
        OptionError: There is no such option, format or puzzle.

    >>> [board.name for board in parse_boards("112212221\\n121212121\\n", format="lines")]
    ['text#1', 'text#2']
    """
    data = text.encode() if isinstance(text, str) else bytes(text)
    return [Board._of(native) for native in _Native.parse(data, name, _reading(reading))]


def read_boards(path: Path, **reading: Any) -> List[Board]:
    """All boards in a file, or in a data set that is part of gridhunt. Options as those of :func:`parse_boards`.

    Raises:
        BoardError: The file cannot be read, or as :func:`parse_boards`.

    >>> len(read_boards("14x14-6c-100.lines"))
    100
    """
    return [Board._of(native) for native in _Native.read(os.fspath(path), _reading(reading))]


def _reading(given: Dict[str, Any]) -> Dict[str, Any]:
    known = dict.fromkeys(("format", "domain", "size", "start", "colours", "empty"))
    for key in given:
        if key not in known:
            raise _native.OptionError(f"found the option {key!r}, expected one of: {', '.join(known)}")
    return {**known, **given}


def generate(
    rows: int = 14,
    cols: Optional[int] = None,
    colours: int = 6,
    *,
    seed: int = 1,
    count: int = 1,
    kind: Optional[str] = None,
    fill: int = 75,
    **options: Unpack[Options],
) -> List[Board]:
    """Random boards: those of ``gridhunt generate``, the same on every machine.

    Args:
        rows: The number of rows.
        cols: The number of columns; by default as many as rows.
        colours: The number of colours.
        seed: Equal seeds give equal boards.
        count: How many boards.
        kind: The kind of the boards: clearable (Clickomania); random, lattice, spiral, carved, grown (Hopping Bunny).
        fill: The percentage of squares that exist, of kinds where squares may be missing.
        options: Puzzle and rules that a search takes over.

    Raises:
        OptionError: Size, number of colours or another option is out of range.

    >>> [board.shape for board in generate(4, colours=3, count=2)]
    [(4, 4), (4, 4)]
    """
    size = (rows, rows if cols is None else cols)
    json = to_json(options)
    made = _native.generate(size, colours, seed, count, kind=kind, fill=fill, json=json)
    return [Board._of(native) for native in made]


def solution_text(moves: Union[str, Iterable[str]]) -> str:
    """A solution as a text that the program reads: as it is, or a JSON object of its moves."""
    import json

    return moves if isinstance(moves, str) else json.dumps({"moves": [str(move) for move in moves]})

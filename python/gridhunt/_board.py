"""Boards."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _native
from ._errors import BoardError, OptionError
from ._native import Board as _Native
from ._options import Path, refuse_negative, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

_EMPTY = 255
_MOST_COLOURS = 255
# Columns of tables that name the place of a cell.
_PLACES = ({"row", "col"}, {"row", "column"}, {"x", "y"})


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
        """A board from an array of numpy, a data frame, or nested lists.

        Args:
            cells: Whole numbers of shape ``(rows, cols)``: colours from 0; a negative number is an empty cell. Or
                texts: the names of colours, such as ``[["red", "blue"]]``, read as :meth:`parse` reads them.
            symbols: The names of the colours, of which there may be more than the cells have. By default the numbers
                themselves, so that a move of Flood-It is the number of a colour as text.
            start: Row and column of the start cell of Flood-It.
            name: The name in results.
            options: Puzzle and rules that a search takes over, such as ``domain="clickomania"``.

        Raises:
            BoardError: The cells do not form a rectangle, or a colour has no name, or there are no such names.
            OptionError: There is no such option.

        >>> board = Board.from_array([[0, 1, -1], [2, 1, 2]], domain="clickomania")
        >>> board.cells
        [[0, 1, -1], [2, 1, 2]]
        """
        rows = _rectangle(cells)
        flat: List[Any] = [cell for row in rows for cell in row]
        if flat and all(isinstance(cell, str) for cell in flat):
            flat, symbols = _named_colours(rows, symbols, name)
        wrong = [cell for cell in flat if not _is_whole(cell) or cell >= _MOST_COLOURS]
        if wrong:
            raise BoardError(f"found the cell {wrong[0]!r}, expected a whole number below {_MOST_COLOURS}")
        if symbols is None:
            symbols = [str(colour) for colour in range(int(max(flat, default=0)) + 1)] or ["0"]
        data = bytes(_EMPTY if cell < 0 else int(cell) for cell in flat)
        size = (len(rows), len(rows[0]) if rows else 0)
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
        except BoardError:
            return self.to_text("json")

    def __repr__(self) -> str:
        return f"<Board {self.name!r}: {self.rows} x {self.cols}, {self.colours} colour{'s' * (self.colours != 1)}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        native = self._native
        return _rebuilt, (native.name, *self._key(), native.settings)


def _rebuilt(name: str, size: Any, cells: bytes, symbols: Any, start: Any, options: Dict[str, str]) -> Board:
    return Board._of(_Native(name, size, cells, list(symbols), start, to_json(options)))


def _the_only(boards: List[Board], name: str) -> Board:
    if len(boards) != 1:
        raise BoardError(f"{name}: found {len(boards)} boards, expected one")
    return boards[0]


def _is_array(given: Any) -> bool:
    """Whether a value is an array, a data frame, or a number of numpy."""
    return hasattr(given, "to_numpy") or hasattr(given, "tolist")


def _plain(given: Any) -> Any:
    """Arrays, data frames and sequences as nested lists of the numbers and texts of Python."""
    columns = {str(name).lower() for name in getattr(given, "columns", ())}
    if any(place <= columns for place in _PLACES):
        expected = 'one row for each row of the board: frame.pivot(index="row", columns="col", values="colour")'
        raise BoardError(f"found a table with a row for each cell, expected {expected}")
    if hasattr(given, "to_numpy"):
        given = given.to_numpy()
    if hasattr(given, "tolist"):
        given = given.tolist()
    return [_plain(item) for item in given] if _is_sequence(given) else given


def _is_sequence(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping, Set))


def _shape(nested: Any) -> Tuple[int, ...]:
    """The shape of nested lists, if all lists of a level have one length."""
    return (len(nested), *_shape(nested[0] if nested else None)) if isinstance(nested, list) else ()


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer())


def _rectangle(cells: Any) -> List[List[Any]]:
    """The rows of a board.

    Raises:
        BoardError: The cells are not two levels of lists of one length.
    """
    expected = "whole numbers, or names of colours, of shape (rows, cols)"
    rows = _plain(cells)
    if not isinstance(rows, list):
        raise BoardError(f"found {type(cells).__name__} {cells!r:.60}, expected {expected}; files: Board.from_file")
    if any(not isinstance(row, list) or any(isinstance(cell, list) for cell in row) for row in rows):
        raise BoardError(f"found cells of shape {_shape(rows)}, expected {expected}")
    if len({len(row) for row in rows}) > 1:
        raise BoardError("found rows of several lengths, expected a rectangle")
    return rows


def _named_colours(
    rows: List[List[str]], symbols: Optional[Sequence[str]], name: str
) -> Tuple[List[int], Sequence[str]]:
    """The cells of a board whose colours are named, and the names. The program reads them as a board in JSON."""
    board = Board.parse(json.dumps(rows), format="json", name=name)
    names = board.symbols if symbols is None else list(symbols)
    unknown = next((symbol for symbol in board.symbols if symbol not in names), None)
    if unknown is not None:
        raise BoardError(f"found the cell {unknown!r}, expected one of the symbols: {', '.join(names)}")
    place = [names.index(symbol) for symbol in board.symbols]
    return [-1 if cell < 0 else place[cell] for row in board.cells for cell in row], names


def _refuse_channels(boards: List[Any]) -> None:
    """Refuses three levels of lists that may be one board whose cells are lists: of one number; of red, green, blue and
    perhaps alpha; or of a 1 among zeros. The 1 may also be in one of several planes.
    """
    shape = _shape(boards)
    cells = [cell for board in boards for cell in board]
    if any(len(board) != shape[1] for board in boards) or any(_shape(cell) != shape[2:] for cell in cells):
        return
    if len(shape) != 3 or not all(_is_whole(value) for cell in cells for value in cell):
        return
    across = [values for rows in zip(*boards) for values in zip(*rows)]
    is_one_hot = any(all(sum(cell) == 1 and min(cell) >= 0 for cell in some) for some in (cells, across))
    if shape[2] in (1, 3, 4) or is_one_hot:
        found = f"lists of shape {shape}: {shape[0]} boards, or one board whose cells are lists"
        expected = "[Board.from_array(cells) for cells in ...], or one number for each cell"
        raise BoardError(f"found {found}, expected {expected}")


def _refuse_places(rows: List[Any]) -> None:
    """Refuses rows that may be the row, the column and the colour of each cell. The program decides, as for JSON."""
    if len(rows) < 4 or any(len(row) != 3 or not all(map(_is_whole, row)) for row in rows):
        return
    try:
        parse_boards(json.dumps([[max(int(cell), -1) for cell in row] for row in rows]), name="cells", format="json")
    except BoardError as error:
        raise BoardError(f"{error}; Board.from_array(cells) takes them as rows") from None


def boards_of(given: Any) -> Tuple[List[Board], bool]:
    """Boards from what a caller has: a board, a text, an array, a data frame or nested lists, or several of these. The
    flag says whether it was one board.

    Raises:
        BoardError: A text or an array is no board; several texts may be rows of one board; nested lists may be several
            boards or one.
    """
    if isinstance(given, (Board, str, bytes)):
        return [_board_of(given)], True
    given = _plain(given) if _is_array(given) else given
    items = list(given) if _is_sequence(given) else [given]
    plain = [_plain(item) for item in items]
    if any(isinstance(item, (str, bytes)) for item in plain):
        found = "a list of texts, which may be boards or rows of a board"
        raise BoardError(f"found {found}, expected one text, or [Board.parse(text) for text in ...]")
    if plain and not any(isinstance(item, Board) or len(_shape(item)) > 1 for item in plain):
        if all(isinstance(item, list) for item in plain):
            _refuse_places(plain)
        return [Board.from_array(plain if _is_sequence(given) else given)], True
    if all(isinstance(item, list) for item in plain) and not any(_is_array(item) for item in items):
        _refuse_channels(plain)
    return [_board_of(item) for item in plain], False


def one_board(given: Any) -> Board:
    """The board from what :func:`boards_of` takes.

    Raises:
        BoardError: As :func:`boards_of`; or there are several boards, or none.
    """
    boards, _ = boards_of(given)
    if len(boards) != 1:
        raise BoardError(f"found {len(boards)} boards, expected one")
    return boards[0]


def _board_of(given: Any) -> Board:
    if isinstance(given, Board):
        return given
    if not isinstance(given, (str, bytes)):
        return Board.from_array(given)
    try:
        return Board.parse(given)
    except BoardError as error:
        is_line = isinstance(given, str) and "\n" not in given
        raise BoardError(f"{error}{'; Board.from_file reads files, Board.from_link links' * is_line}") from None


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
            raise OptionError(f"found the option {key!r}, expected one of: {', '.join(known)}")
    for key in ("size", "start"):
        if not isinstance(given.get(key, ()), (tuple, list)):
            raise OptionError(f"{key}: found {given[key]!r}, expected two numbers, as in {key}=(2, 3)")
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
    refuse_negative(rows=size[0], cols=size[1], colours=colours, seed=seed, count=count, fill=fill)
    json = to_json(options)
    made = _native.generate(size, colours, seed, count, kind=kind, fill=fill, json=json)
    return [Board._of(native) for native in made]


def solution_text(moves: Any) -> str:
    """A solution as a text that the program reads: as it is, or a JSON object of its moves, or of those of a result."""
    moves = getattr(moves, "moves", moves)
    return moves if isinstance(moves, str) else json.dumps({"moves": [str(move) for move in moves]})

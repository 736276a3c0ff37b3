import pickle
import xml.etree.ElementTree as xml

import numpy
import pandas
import pytest
from gridhunt import Board, BoardError, GridhuntError, OptionError, generate, parse_boards, read_boards, solve
from gridhunt._board import boards_of


def test_an_array_comes_back():
    cells = numpy.random.default_rng(1).integers(-1, 5, size=(7, 9))
    board = Board.from_array(cells, domain="clickomania")
    assert board.shape == (7, 9) and board.colours == 5 and board.symbols == list("01234")
    assert (board.to_array() == cells).all() and board.cells == cells.tolist()
    assert Board.from_array(board.to_array()) == board == Board.from_array(cells.tolist())
    assert Board.from_array(cells.T).shape == (9, 7), "an array need not be contiguous"


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "uint64"])
def test_every_type_of_whole_numbers_is_taken(dtype):
    assert Board.from_array(numpy.array([[0, 1], [2, 0]], dtype)).cells == [[0, 1], [2, 0]]


@pytest.mark.parametrize(
    "cells, found",
    [
        (numpy.full((2, 2), 0.5), "the cell 0.5"),
        (numpy.full((2, 2), numpy.nan), "the cell nan"),
        (numpy.zeros(4, int), r"shape \(4,\)"),
        ([0, 1, 2], r"shape \(3,\)"),
        (numpy.zeros((1, 2, 2), int), r"shape \(1, 2, 2\)"),
        (numpy.full((2, 2), 255), "the cell 255"),
        (numpy.full((2, 2), 2**63, "uint64"), "the cell 9223372036854775808"),
        (numpy.zeros((0, 3), int), "0 x 0 cells"),
        (numpy.zeros((101, 100), int), "101 x 100 cells"),
        ([[0, 1], [0]], "rows of several lengths"),
        ([[0, 255]], "the cell 255"),
        ([[0, 1.5]], "the cell 1.5"),
        ([[0, "b"]], "the cell 'b'"),
        ([["ab", "cd"]], '"ab"'),
        (["01", "10"], r"shape \(2,\)"),
        (7, "int 7"),
        ({"a": [0]}, "dict {"),
        ([], "0 x 0 cells"),
    ],
)
def test_what_is_no_board_is_refused(cells, found):
    with pytest.raises(BoardError, match=f"found .*{found}.*, expected"):
        Board.from_array(cells)


@pytest.mark.parametrize(
    "cells",
    [
        numpy.array([[-1, 1], [0, 2]], float),
        [[-1.0, 1.0], [0, 2]],
        list(numpy.array([[-1, 1], [0, 2]])),
        [[numpy.int64(-1), numpy.uint8(1)], (numpy.float32(0), 2)],
        pandas.DataFrame([[-1, 1], [0, 2]]),
        numpy.array([[".", "b"], ["a", "c"]]),
        pandas.DataFrame([[".", "b"], ["a", "c"]]),
    ],
)
def test_whatever_is_certainly_a_board_is_one(cells):
    assert Board.from_array(cells).cells == [[-1, 1], [0, 2]]
    assert len(boards_of(cells)[0]) == 1 and len(boards_of([cells, [[0, 0]]])[0]) == 2


def test_names_of_colours_are_the_moves():
    assert solve([["red", "blue", "green"]]).moves == ["blue", "green"]
    board = Board.from_array([["red", "blue"], ["blue", "."]], symbols=["red", "green", "blue"])
    assert (board.cells, board.symbols) == ([[0, 2], [2, -1]], ["red", "green", "blue"])
    with pytest.raises(BoardError, match="found the cell 'blue', expected one of the symbols: red"):
        Board.from_array([["red", "blue"]], symbols=["red"])


@pytest.mark.parametrize(
    "cells",
    [
        numpy.arange(18).reshape(3, 2, 3) * 14,
        numpy.zeros((4, 5, 1), int),
        numpy.zeros((1, 5, 4), int),
        numpy.eye(5, dtype=int)[[[0, 1, 2], [3, 4, 0]]],
        numpy.array([[[1, 0], [0, 0]], [[0, 1], [1, 1]]]),
    ],
    ids=["red, green, blue", "one number", "with alpha", "one-hot cells", "one-hot planes"],
)
def test_three_levels_that_may_be_one_board_are_refused(cells):
    for given in cells, cells.tolist():
        with pytest.raises(BoardError, match=r"found lists of shape \(.*expected \[Board.from_array"):
            boards_of(given)


def test_a_row_for_each_cell_is_no_board():
    places = [[0, 0, 1], [0, 1, 2], [1, 0, 2], [1, 1, 1]]
    for names in ["row", "col", "colour"], ["X", "y", "value"]:
        frame = pandas.DataFrame(places, columns=names)
        for read in boards_of, Board.from_array:
            with pytest.raises(BoardError, match="a row for each cell, expected .* frame.pivot"):
                read(frame)
    for rows in places, [places[at] for at in (0, 2, 1, 3)], numpy.array(places):
        with pytest.raises(BoardError, match="may be the row, the column and the colour"):
            boards_of(rows)
    assert Board.from_array(places).shape == (4, 3) and boards_of(places[::-1])[1]


def test_three_levels_that_are_no_board_are_several():
    cells = numpy.array([[[0, 1], [2, 0]], [[1, 1], [0, 2]]])
    for given in cells, cells.tolist(), list(cells), [[[0, 1, 2]], [[0, 1, 2], [2, 1, 0]]]:
        assert len(boards_of(given)[0]) == 2


def test_symbols_name_the_moves():
    board = Board.from_array([[0, 1, 0, 2]], symbols=["red", "green", "blue"])
    assert solve(board).moves == ["green", "red", "blue"]
    with pytest.raises(BoardError, match="colour 2"):
        Board.from_array([[0, 1, 2]], symbols=["red", "green"])
    with pytest.raises(BoardError, match="start cell 2,1"):
        Board.from_array([[0, 1]], start=(1, 0))


def test_texts_and_files_are_read_as_the_program_reads_them(tmp_path):
    text = "1 2 1\n3 2 3\n"
    (tmp_path / "a.txt").write_text(text)
    board = Board.from_file(tmp_path / "a.txt")
    assert board == Board.parse(text) == Board.parse(text.encode()) and board.name == "a.txt"
    assert board.cells == [[0, 1, 0], [2, 1, 2]] and str(board) == "2 3 3\n121\n323\n"
    assert Board.parse(board.to_text("json")) == board
    assert len(read_boards("14x14-6c-100.lines")) == 100
    assert Board.parse("..1\n221", domain="clickomania").options == {"domain": "clickomania"}
    assert Board.parse("112212221", format="lines", start=(1, 1)).start == (1, 1)
    with pytest.raises(BoardError, match="found 2 boards, expected one"):
        Board.parse("112212221\n121212121", format="lines")
    with pytest.raises(BoardError, match="text:2"):
        parse_boards("123\n12\n", format="text")
    with pytest.raises(BoardError, match="missing.txt"):
        Board.from_file(tmp_path / "missing.txt")
    with pytest.raises(OptionError, match="'fromat'"):
        parse_boards(text, fromat="text")
    with pytest.raises(OptionError, match="did you mean json"):
        parse_boards(text, format="jsom")


def test_a_link_holds_puzzle_and_rules():
    board = Board.from_link("https://example.org/#p=clickomania&b=2x2c2s0.0110&o=objective~clicks")
    assert board.options == {"domain": "clickomania", "objective": "clicks"}
    result = solve(board)
    assert (result.domain, result.objective) == ("clickomania", "clicks")
    with pytest.raises(BoardError, match="link"):
        Board.from_link("https://example.org/")


def test_generated_boards_are_those_of_the_program(program):
    printed = program("generate", "--rows", 5, "--cols", 6, "--colours", 4, "--seed", 3, "--count", 2, "--format", "json")
    boards = generate(5, 6, 4, seed=3, count=2)
    assert [object_["cells"] for object_ in printed] == [(board.to_array() + 1).tolist() for board in boards]
    assert generate(6, 6, 3, kind="clearable")[0].options["domain"] == "clickomania"
    assert solve(generate(5, kind="spiral")[0]).domain == "bunny"
    with pytest.raises(OptionError, match="colours"):
        generate(4, colours=256)


def test_a_picture_is_that_of_the_program(program, tmp_path):
    (tmp_path / "a.txt").write_text("121\n323\n")
    program("render", tmp_path / "a.txt", "--svg", "-o", tmp_path / "a.svg", json_lines=False)
    board = Board.from_file(tmp_path / "a.txt")
    assert board._repr_svg_() == (tmp_path / "a.svg").read_text()
    still, played = xml.fromstring(board.to_svg()), xml.fromstring(solve(board)._repr_svg_())
    assert len(list(played.iter())) > len(list(still.iter()))
    click = generate(4, 4, 2, kind="clearable")[0]
    assert xml.fromstring(solve(click, objective="clicks")._repr_svg_()) is not None
    with pytest.raises(GridhuntError):
        board.to_svg(["9"])


def test_boards_are_values():
    board = Board.from_array([[0, 1]], domain="clickomania", min_group=1)
    copy = pickle.loads(pickle.dumps(board))
    assert copy == board and hash(copy) == hash(board) and copy.options == board.options and copy.name == board.name
    assert board != Board.from_array([[1, 0]]) and board != 1
    assert repr(board) == "<Board 'array': 1 x 2, 2 colours>"
    with pytest.raises(TypeError, match="Board.parse"):
        Board()

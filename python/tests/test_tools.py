import subprocess
import sys
from pathlib import Path

import pytest
from gridhunt import (
    Board,
    BoardError,
    CertificateError,
    OptionError,
    SolutionError,
    all_solutions,
    bounds,
    certify,
    check,
    generate,
    solve,
    verify,
)

BOARD = generate(6, colours=4, seed=9)[0]
CLICKS = generate(4, colours=3, seed=2, kind="clearable")[0]


def test_a_solution_is_replayed():
    result = solve(BOARD)
    assert verify(BOARD, result).cost == verify(BOARD, " ".join(result.moves)).cost == result.cost
    short = verify(BOARD, result.moves[:-1])
    assert (short.right, short.cost) == (False, None) and short.error
    with pytest.raises(SolutionError):
        verify(BOARD, "\x89PNG\r\n\x1a\n")


def test_tools_take_arrays_and_texts():
    for board in ([[0, 1, 0], [2, 1, 2]], Board.from_array([[0, 1, 0], [2, 1, 2]]).to_array(), "010\n212"):
        result = solve(board)
        assert verify(board, result.moves).cost == all_solutions(board).result.cost == result.cost
        assert check(certify(board), board).bound == result.cost
        assert [row["bound"] for row in bounds(board, ["layers"])] == ["layers"]
    for boards in ([], [[[0, 2]], [[2, 0]]]):
        for tool in (all_solutions, certify, lambda board: verify(board, ["1"]), lambda board: check(b"", board)):
            with pytest.raises(BoardError, match=f"found {len(boards)} boards, expected one"):
                tool(boards)


def test_a_solution_says_its_puzzle(program):
    result = solve(CLICKS, objective="clicks")
    verdict = verify(CLICKS, result.moves, objective="clicks")
    assert (verdict.right, verdict.cost) == (True, result.cost)
    array = Board.from_array(CLICKS.to_array(), symbols=CLICKS.symbols)
    text = '{"domain": "clickomania", "objective": "clicks", "moves": %s}' % str(result.moves).replace("'", '"')
    assert verify(array, text).cost == result.cost
    assert verify(CLICKS, [*result.moves, "1,1"], objective="clicks").failed_move == len(result.moves) + 1
    with pytest.raises(SolutionError, match="9,9, expected a cell ROW,COLUMN counted from 1, at most 4,4$"):
        verify(CLICKS, ["9,9"])


def test_a_certificate_proves_the_optimum(program, tmp_path):
    for board, options in ((BOARD, {}), (CLICKS, {"objective": "clicks"})):
        certificate = certify(board, **options)
        proven = check(certificate, board, **options)
        assert (proven.bound, proven.is_optimum) == (solve(board, **options).cost, True)
        assert check(certificate) == proven and str(proven.bound) in proven.text
        (tmp_path / "a.cert").write_bytes(certificate)
        (checked,) = program("check", tmp_path / "a.cert", "--json")
        assert (checked["bound"], checked["records"]) == (proven.bound, proven.records)


def test_a_certificate_starts_from_a_solution(program, tmp_path):
    (tmp_path / "a.json").write_text(BOARD.to_text("json"))
    (tmp_path / "a.cert").touch()
    result = solve(BOARD)
    (tmp_path / "moves").write_text(" ".join(result.moves))
    for options in {}, {"after": 2}:
        flags = [text for key, value in options.items() for text in (f"--{key}", value)]
        start = [tmp_path / "a.json", "--from", tmp_path / "moves", *flags]
        program("certify", *start, "-o", tmp_path / "a.cert", "--threads", 1, "--json", "--quiet")
        for known in result, result.moves, " ".join(result.moves):
            assert certify(BOARD, from_=known, threads=1, **options) == (tmp_path / "a.cert").read_bytes()
    assert check(certify(BOARD, from_=result, after=2)).bound == result.cost - 2
    clicks = solve(CLICKS, objective="clicks")
    assert check(certify(CLICKS, from_=clicks, objective="clicks"), CLICKS, objective="clicks").bound == clicks.cost
    with pytest.raises(SolutionError):
        certify(BOARD, from_=result.moves[:-1])
    with pytest.raises(OptionError, match="after without from_"):
        certify(BOARD, after=2)
    with pytest.raises(SolutionError, match="expected at least 9 for after"):
        certify(BOARD, from_=[], after=9)


def test_a_proof_for_veripb_is_that_of_the_program(program, tmp_path):
    (tmp_path / "a.json").write_text(BOARD.to_text("json"))
    program("certify", tmp_path / "a.json", "--veripb", "-o", tmp_path / "a", "--threads", 1, "--json", "--quiet")
    opb, pbp = certify(BOARD, veripb=True, threads=1)
    assert (opb, pbp) == ((tmp_path / "a.opb").read_bytes(), (tmp_path / "a.pbp").read_bytes())
    with pytest.raises(OptionError, match="a proof for VeriPB"):
        certify(CLICKS, veripb=True, objective="clicks")
    with pytest.raises(CertificateError, match="21 x 21"):
        certify(generate(22, colours=2)[0], veripb=True)


def test_a_wrong_certificate_is_refused():
    certificate = certify(BOARD)
    with pytest.raises(CertificateError, match="another board"):
        check(certificate, generate(6, colours=4, seed=10)[0])
    with pytest.raises(CertificateError):
        check(certificate[:-1])
    with pytest.raises(OptionError, match="certificates"):
        certify(generate(5, kind="spiral")[0])
    with pytest.raises(CertificateError, match="no certificate"):
        certify(generate(9, colours=6)[0], domain="clickomania", engine="beam", parameters={"beam_width": 1})


def test_bounds_are_those_of_the_program(program, tmp_path):
    (tmp_path / "a.json").write_text(BOARD.to_text("json"))
    printed = program("bounds", tmp_path / "a.json", "--json", "--quiet", "--threads", 1)
    table = bounds(BOARD)
    keys = ("bound", "optimum", "at_start", "expanded", "sound", "layers")
    kept = [key for key in keys if key in printed[0]]
    assert len(kept) >= 4, printed[0].keys()
    assert [[row[key] for key in kept] for row in table] == [[row[key] for key in kept] for row in printed]
    assert [row["bound"] for row in bounds([BOARD, BOARD], ["layers"])] == ["layers", "layers"]
    assert len(table.to_pandas()) == len(table)
    with pytest.raises(OptionError, match="did you mean elimination"):
        bounds(BOARD, ["eliminatoin"])
    with pytest.raises(BoardError):
        bounds(Board.from_array([[0, -1]]))


def test_the_package_says_its_types():
    import gridhunt

    folder = Path(gridhunt.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()
    missing = [name for name in gridhunt.__all__ if not getattr(gridhunt, name).__doc__]
    assert missing == []


def test_the_stub_names_what_is_there():
    from gridhunt import _native

    code = (Path(_native.__file__).parent / "_native.pyi").read_text()
    public = [name for name in dir(_native) if not name.startswith("_")]
    assert [name for name in public if name not in code] == []


def test_numpy_pandas_and_polars_are_not_needed():
    code = """
import sys
sys.modules.update(numpy=None, pandas=None, polars=None)
import gridhunt
print(gridhunt.solve(gridhunt.Board.from_array([[0, 1, 0]])).cost)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"

import logging
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree as xml
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import numpy
import pytest
from gridhunt import (
    Board,
    BoardError,
    GridhuntError,
    Hunt,
    OptionError,
    Options,
    Result,
    RunError,
    Table,
    generate,
    open_run,
    read_boards,
    solve,
)

EASY = generate(7, colours=4, seed=5, count=6)
HARD = generate(40, colours=10, seed=1)[0]
COUNTS = ("status", "cost", "lower_bound", "moves", "layers", "expanded", "generated", "stored", "bound", "identity")


@pytest.mark.parametrize(
    "name, options",
    [
        ("14x14-6c-01.txt", {"engine": "best-first"}),
        ("10x10-6c-01.txt", {"engine": "ida", "bound": "layers"}),
        ("10x10-3c-01.txt", {}),
        ("14x14-6c-01.txt", {"engine": "beam", "parameters": {"beam_width": 50}}),
        ("14x14-6c-01.txt", {"engine": "best-first", "expansions": 20}),
        ("12x12-6c-clearable-01.txt", {"domain": "clickomania", "objective": "clear"}),
        ("spiral-7x7-01.txt", {"domain": "bunny"}),
    ],
)
def test_a_search_is_that_of_the_program(program, name, options):
    options = {"memory": "1GiB", "threads": 1, **options}
    flags = {**options, **options.get("parameters", {})}
    flags.pop("parameters", None)
    flags = [text for key, value in flags.items() for text in ("--" + key.replace("_", "-"), value)]
    (expected,) = program("solve", name, "--json", "--quiet", *flags)
    result = solve(Board.from_file(name, domain=options.get("domain")), **options).to_dict()
    assert {key: result[key] for key in COUNTS} == {key: expected[key] for key in COUNTS}
    assert set(result) == {*expected, "error"}, "the fields are those of the program"


def test_options_are_those_of_the_configuration():
    assert set(Options.__annotations__) - {"parameters", "config"} == configured() - {"run", "dataset", "boards", "format"}


def test_a_configuration_holds_where_a_call_says_nothing(tmp_path, program):
    mine = tmp_path / "mine.toml"
    mine.write_text("engine = 'beam'\nthreads = 1\n[parameters]\nbeam-width = 1\n")
    board = Board.from_file("14x14-6c-01.txt")
    narrow = solve(board, config=mine)
    (expected,) = program("solve", "14x14-6c-01.txt", "--config", mine, "--json", "--quiet")
    assert (narrow.engine, narrow.threads) == ("beam", 1)
    assert {key: narrow.to_dict()[key] for key in COUNTS} == {key: expected[key] for key in COUNTS}
    assert solve(board, config=mine, parameters={"beam_width": 9}).expanded > narrow.expanded
    assert solve(board, config=mine, parameters={"auto_beam_width": 9}).expanded == narrow.expanded
    assert solve(EASY[0], config=str(mine), engine="ida").engine == "ida"
    with pytest.raises(OptionError, match='found .*"qick".*did you mean quick'):
        solve(board, config="qick")
    with pytest.raises(OptionError, match="missing.toml"):
        solve(board, config=tmp_path / "missing.toml")
    with pytest.raises(OptionError, match="config: found 3, expected a name or a path"):
        solve(board, config=3)


def test_a_hunt_has_the_boards_of_its_configuration(tmp_path):
    assert len(Hunt(config="hundred")._boards) == 100
    (tmp_path / "few.lines").write_text("112212221\n121212121\n111212121\n")
    mine = tmp_path / "mine.toml"
    mine.write_text("run = 'no'\ndataset = 'few.lines'\nformat = 'lines'\nboards = '2-3'\nengine = 'ida'\n")
    with Hunt(config=mine) as hunt:
        assert [(result.board, result.engine) for result in hunt.wait()] == [("few.lines#2", "ida"), ("few.lines#3", "ida")]
    assert solve(EASY[0], config=mine).engine == "ida" and not Path("no").exists()
    mine.write_text("dataset = 'few.lines'\nformat = 'lines'\nboards = '4'\n")
    with pytest.raises(OptionError, match="few.lines: found 3 boards, expected board 4"):
        Hunt(config=mine)
    with pytest.raises(OptionError, match="quick: found no dataset"):
        Hunt(config="quick")
    with pytest.raises(OptionError, match="neither boards nor config"):
        Hunt()


def configured():
    with pytest.raises(OptionError) as caught:
        solve(EASY[0], colour=1)
    _, known = str(caught.value).split("expected one of: ")
    return {key.replace("-", "_") for key in known.split(", ")} - {"parameters"}


def test_values_are_those_of_python():
    result = solve(
        EASY[0], threads=numpy.int64(1), memory=1 << 30, time_limit=timedelta(seconds=9), expansions=1e6, bound=None
    )
    assert result.is_proven and result.threads == 1
    for limit in 0.2, Fraction(1, 5), numpy.timedelta64(200, "ms"), numpy.timedelta64(200_000_000, "ns"):
        assert solve(HARD, time_limit=limit, memory=1e9).stopped == "time-limit"
    assert [layer.f for layer in result.layers] == sorted({layer.f for layer in result.layers})
    assert result.cpu_seconds > 0


@pytest.mark.parametrize(
    "options, message",
    [
        ({"enginn": "ida"}, 'found the key "enginn", did you mean engine?'),
        ({"engine": "bestfirst"}, "did you mean best-first?"),
        ({"engine": "synthesis"}, "found the engine synthesis"),
        ({"threads": 0}, 'found "0", expected a whole number from 1'),
        ({"time_limit": "5"}, "time_limit: found \"5\", expected a unit: 5s"),
        ({"objective": "left"}, "found objective for the domain flood-it"),
        ({"parameters": {"beam_widht": 1}}, 'found the key "beam_widht", did you mean beam_width?'),
        ({"time_limt": 1}, 'found the key "time_limt", did you mean time_limit?'),
        ({"time_limit": -1}, "time_limit: found -1, expected a number of seconds above 0"),
        ({"time_limit": timedelta(-1)}, "time_limit: found datetime.timedelta(days=-1), expected"),
        ({"checkpoint": float("nan")}, "checkpoint: found nan, expected"),
        ({"memory": 1 << 60}, "memory: found 1152921504606846976, expected"),
        ({"memory": "1MiB"}, "raise memory"),
        ({"memory": True}, "memory: found True, expected"),
        ({"engine": {"ida"}}, "found {'ida'} among the options, expected texts and numbers"),
        ({"boards": "1"}, 'found the key "boards"'),
        ({"run": "somewhere"}, 'found the key "run", which is not a search option'),
    ],
)
def test_a_wrong_option_is_named(options, message):
    with pytest.raises(OptionError) as caught:
        solve([EASY[0]], **options) if "run" not in options else solve(EASY[0], **{"dataset": "x"})
    assert message.replace('"run"', '"dataset"') in str(caught.value)
    assert isinstance(caught.value, GridhuntError)


@pytest.mark.parametrize(
    "said, in_python",
    [
        ("--format text for one board; or --format lines --size 2x3", 'format="text" for one board; or format="lines", size=(2, 3)'),
        ("found --size 5, expected --size 2x3", "found size=5, expected size=(2, 3)"),
        ("or --size ROWSxCOLS; --start 2,1", "or size=(rows, cols); start=(1, 0)"),
        ("(or --empty '_' if it is; or --empty SYMBOL)", '(or empty="_" if it is; or empty=...)'),
        ("--after N: leave out --veripb, raise --memory", "after=...: leave out veripb, raise memory"),
        ("4 cells in every row, or --json-layout columns-up; or", "4 cells in every row; or"),
        ("two (for cells with a letter: --origin, such as bottom-left,1)", "two"),
        ("with: gridhunt solve BOARD --run 'my run'", 'with: Hunt(board, run="my run")'),
        ("gridhunt status RUN --check, and", "gridhunt status RUN --check, and"),
        ('found "--size time-limit" in a/time-limit.txt, time-limit', 'found "--size time-limit" in a/time-limit.txt, time_limit'),
    ],
)
def test_messages_name_arguments_as_python_spells_them(said, in_python):
    for error in GridhuntError, BoardError, RunError:
        assert str(error(said)) == str(error(in_python)) == in_python and error.__module__ == "gridhunt"
        assert str(pickle.loads(pickle.dumps(error(said)))) == in_python


def test_a_board_of_another_puzzle_is_an_error_alone_and_a_status_among_others():
    holes = Board.from_array([[0, -1]])
    with pytest.raises(BoardError, match="array"):
        solve(holes)
    good, bad = solve([EASY[0], holes])
    assert good.status == "optimal" and bad.status == "error" and bad.error.endswith('or domain="clickomania"')
    with pytest.raises(OptionError, match="several puzzles"):
        solve([EASY[0], Board.from_array([[0, 0]], domain="clickomania")])


def test_a_board_may_be_a_text_a_list_or_an_array():
    cells = [[0, 1, 0], [2, 1, 2]]
    costs = {solve(board).cost for board in ("121\n323", cells, numpy.array(cells), Board.from_array(cells))}
    assert len(costs) == 1
    several = solve([cells, numpy.array(cells)])
    assert [result.cost for result in several] == [*costs] * 2
    assert "_board" not in several.to_pandas() and several.to_polars()["cost"].to_list() == [*costs] * 2
    for board in (["121", "323"], numpy.zeros((2, 2, 3), int)):
        with pytest.raises(BoardError):
            solve(board)


def test_results_say_in_a_line_what_was_found():
    assert str(solve([[0, 1], [1, 0]])) == "array: optimal, cost 2"
    stopped = repr(solve(HARD, time_limit=0.2))
    assert re.fullmatch(r"<Result .*: (feasible|unknown), .*at least \d+ proven, time-limit>", stopped)


def test_results_of_many_boards_are_in_their_order():
    boards = read_boards("14x14-6c-100.lines")[:8]
    results = solve(boards, threads=2)
    assert [result.board for result in results] == [board.name for board in boards]
    assert [result.number for result in results] == list(range(1, 9))
    assert solve([]) == []


def test_no_proof_is_no_error():
    result = solve(HARD, expansions=10, engine="best-first", threads=1)
    assert (result.stopped, result.is_proven) == ("expansion-limit", False)
    unsolvable = solve(Board.from_array([[0, 1]], domain="clickomania"))
    assert (unsolvable.status, unsolvable.lower_bound, unsolvable.is_proven) == ("unsolvable", None, True)


def test_searches_go_on_side_by_side_in_threads():
    expected = [solve(board, threads=1).expanded for board in EASY]
    found = [0] * len(EASY)

    def search(at):
        found[at] = solve(EASY[at], threads=1).expanded

    threads = [threading.Thread(target=search, args=(at,)) for at in range(len(EASY))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == expected


def test_other_threads_run_while_a_search_goes_on():
    """The main thread stops a hunt that another one waits for: with the lock held, neither would go on."""
    begun = threading.Event()
    results = []
    with Hunt(HARD, threads=1, engine="best-first") as hunt:

        def wait():
            for _ in hunt.events():
                begun.set()
            results.extend(hunt.results)

        thread = threading.Thread(target=wait)
        thread.start()
        assert begun.wait(60)
        hunt.stop()
        thread.join(60)
    assert results[0].stopped == "interrupted"


INTERRUPTED = """
import gridhunt, os, signal, threading
board = gridhunt.generate(40, colours=10, seed=1)[0]
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(
    "call",
    [
        "gridhunt.solve(board)",
        "gridhunt.certify(board)",
        "gridhunt.bounds(board, ['layers'], time_limit='10m')",
        "list(gridhunt.Hunt(board).__enter__().events())",
    ],
)
def test_ctrl_c_ends_a_search(call):
    code = INTERRUPTED.format(call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


@pytest.mark.parametrize("call", ["Hunt([[1, 2], [2, 1]], run='run').__enter__()", "certify(gridhunt.Board.from_array([[1, 2], [2, 1]]))"])
def test_a_thread_that_the_system_refuses_is_an_error_and_leaves_no_run(tmp_path, call):
    environment = {**os.environ, "RUST_MIN_STACK": str(1 << 60)}
    command = [sys.executable, "-c", f"import gridhunt\ngridhunt.{call}"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "gridhunt.GridhuntError" in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_events_are_rows_of_progress():
    with Hunt(EASY[0], threads=1) as hunt:
        rows = list(hunt.events())
    assert [rows[0]["event"], rows[-1]["event"]] == ["session", "end"]
    assert {"begin", "layer", "board"} <= {row["event"] for row in rows}
    (result,) = hunt.results
    proven = [row["lower_bound"] for row in rows if row.get("board")]
    assert proven == sorted(proven) and proven[-1] == result.cost
    assert hunt.wait() == [result], "at the end, nothing is waited for"


def test_rows_that_nobody_takes_are_dropped_and_results_are_not():
    boards = generate(2, colours=2, count=1500)
    with Hunt(boards, threads=1, parallel="search") as hunt:
        hunt._search.join()  # waits, and takes nothing
        rows = list(hunt.events(every=0))
    assert len(rows) == 4096 and rows[0]["event"] != "session" and rows[-1]["event"] == "end"
    assert len(hunt.results) == 1500 and all(result.is_proven for result in hunt.results)


def test_a_hunt_is_kept_and_goes_on(tmp_path):
    run = tmp_path / "run"
    with Hunt(HARD, run=run, threads=1, engine="best-first") as hunt:
        for row in hunt.events():
            if row.get("expanded", 0) > 0:
                break
    (first,) = hunt.results
    assert first.stopped == "interrupted"
    kept = open_run(run)
    status = kept.status()
    assert status["boards"] == 1 and status["process"] is None and len(status["checkpoints"]) == 1
    assert kept.progress()[-1]["event"] == "end"
    assert [row["stopped"] for row in kept.results()] == ["interrupted"]
    with Hunt.resume(run, expansions=first.expanded + 50, threads=1) as hunt:
        (second,) = hunt.wait()
    assert second.engine == "best-first" and second.expanded > first.expanded
    assert second.lower_bound >= first.lower_bound
    assert [repr(Hunt(EASY, run="a")), repr(Hunt.resume("a"))] == [
        "<Hunt of 6 boards in 'a': not begun>",
        "<Hunt of the run in 'a': not begun>",
    ]
    assert repr(hunt) == f"<Hunt of 1 board in {str(run)!r}: ended>"
    with pytest.raises(RunError, match=r'found a run.*: Hunt\.resume\(".*/run"\)'):
        Hunt(HARD, run=run).__enter__()
    with pytest.raises(OptionError, match="the run keeps all others"):
        Hunt.resume(run, bound="layers").__enter__()
    with pytest.raises(RunError, match="found nothing"):
        open_run(tmp_path / "nowhere")


def without_ends(run):
    for path in run.glob("boards/*/*"):
        path.write_bytes(path.read_bytes()[:-9])


def of_another_board(run):
    board = generate(8, colours=5, seed=6)[0]
    (run / "boards.json").write_text(board.to_text("json"))


@pytest.mark.parametrize(
    "change, message",
    [
        (shutil.rmtree, r"found nothing, expected a run directory; Hunt\(board, run=\.\.\.\) makes one"),
        (lambda run: (run / "run.toml").unlink(), "found no run.toml, expected a run directory; .* makes one"),
        (lambda run: (shutil.rmtree(run), run.mkdir()), r'did not finish, .* start again with: Hunt\(board, run=".*/run"\), or: Hunt\(config=\.\.\., run=".*/run"\)'),
        (lambda run: (shutil.rmtree(run), run.write_text("no run")), r"found a file, .* Hunt\(board, run=\.\.\.\) makes one"),
        (lambda run: (run / "boards.json").write_text("{"), "boards.json: whole file: found .* restore the file from"),
        (of_another_board, "boards.json: whole file: found the checksum .* restore the file from a copy"),
        (without_ends, "(?s)no checkpoint that can be used.*restore these files .* or remove .* to continue without them"),
    ],
    ids=["nothing", "no run.toml", "an empty folder", "a file", "damage", "another board", "a checkpoint cut short"],
)
def test_what_is_no_run_does_not_go_on(tmp_path, change, message):
    run = tmp_path / "run"
    with Hunt(HARD, run=run, threads=1, expansions=20, engine="best-first") as hunt:
        hunt.wait()
    change(run)
    with pytest.raises(RunError, match=message) as caught:
        with Hunt.resume(run) as hunt:
            hunt.wait()
    assert type(caught.value) is RunError


def test_results_of_a_run_that_goes_on_have_their_pictures(tmp_path):
    with Hunt(EASY[:2], run=tmp_path / "run", expansions=0) as hunt:
        hunt.wait()
    with Hunt.resume(tmp_path / "run") as hunt:
        assert all("<svg" in result.to_svg() for result in hunt.wait())


def test_the_program_goes_on_with_a_run_and_the_module_reads_it(program, tmp_path):
    run = tmp_path / "run"
    with Hunt(EASY, run=run, expansions=0, engine="best-first"):
        pass
    program("resume", run, "--expansions", 1000000, "--json", "--quiet")
    results = open_run(run).results()
    assert [row["status"] for row in results] == ["optimal"] * len(EASY)
    assert [row["cost"] for row in results] == [result.cost for result in solve(EASY)]
    with Hunt.resume(run) as hunt:
        done = hunt.wait()
    assert [Result.to_dict(result)["cost"] for result in done] == [row["cost"] for row in results]


def test_what_is_about_another_run_is_left_out(tmp_path):
    runs = {name: tmp_path / name for name in ("own", "other")}
    for run, boards in zip(runs.values(), (EASY[:2], EASY[2:4])):
        with Hunt(boards, run=run, threads=1, parallel="search") as hunt:
            hunt.wait()
    for name in ("results.jsonl", "progress.jsonl", "events.jsonl"):
        shutil.copy(runs["other"] / name, runs["own"] / name)
    kept, notes = open_run(runs["own"]), open_run(runs["own"]).status()["notes"]
    assert all(any(name in note and "ignored" in note for note in notes) for name in ("results", "progress", "events"))
    assert kept.status()["done"] == 0 and list(kept.results()) == []
    assert kept.progress() and all((row["done"], row["lower_bound"]) == (0, 0) for row in kept.progress())
    assert "optimum " not in kept.to_html() and "optimum " in open_run(runs["other"]).to_html()
    with Hunt.resume(runs["own"]) as hunt:
        assert [result.cost for result in hunt.wait()] == [result.cost for result in solve(EASY[:2])]


def test_a_run_is_shown_as_its_report(program, tmp_path):
    run = tmp_path / "run"
    assert Hunt(EASY, run=run)._repr_html_() is None and Hunt(EASY)._repr_html_() is None
    with Hunt(EASY, run=run, threads=1) as hunt:
        hunt.wait()
    kept = open_run(run)
    made, printed = re.compile("gridhunt [0-9.]+, [0-9: -]+ UTC"), program("report", run, json_lines=False)
    assert made.sub("", kept.to_html()) == made.sub("", printed)
    assert "--films 6 draws more" in kept.to_html(films=1)
    for shown in kept._repr_html_(), hunt._repr_html_():
        (frame,) = xml.fromstring(f"<div>{shown}</div>")
        assert (frame.tag, frame.get("sandbox")) == ("iframe", "allow-scripts") and not frame.text
        assert made.sub("", frame.get("srcdoc")).split() == made.sub("", printed).split()
    with Hunt(HARD, run=tmp_path / "begun", threads=1) as begun:
        assert "<iframe" in begun._repr_html_() and "<iframe" in open_run(tmp_path / "begun")._repr_html_()
    shutil.rmtree(run)
    assert kept._repr_html_() == hunt._repr_html_() and re.fullmatch("<pre>.*found nothing.*</pre>", kept._repr_html_())
    with pytest.raises(RunError, match="found nothing"):
        kept.to_html()


def test_boards_that_were_not_begun_are_named():
    with Hunt([HARD, *EASY], threads=1, parallel="search") as hunt:
        next(hunt.events())
    assert [result.status for result in hunt.results[1:]] == ["not-begun"] * len(EASY)
    assert hunt.results[0].stopped in ("interrupted", None)


def test_bad_input_leaves_nothing_behind(tmp_path):
    with pytest.raises(BoardError):
        with Hunt(Board.from_array([[0, -1]]), run=tmp_path / "run") as hunt:
            hunt.wait()
    assert list(Path(tmp_path).iterdir()) == []


def test_a_hunt_that_nobody_waits_for_ends():
    hunt = Hunt(HARD, threads=1).__enter__()
    assert repr(hunt) == "<Hunt of 1 board: running>"
    with pytest.raises(GridhuntError, match="has begun already"):
        hunt.__enter__()
    del hunt
    with pytest.raises(GridhuntError, match="has not begun"):
        Hunt(HARD).wait()


def test_notes_go_to_the_log(caplog):
    with caplog.at_level(logging.WARNING, "gridhunt"):
        assert solve(Board.parse("S#\n..\n##\n", domain="bunny")).status == "unsolvable"
    (record,) = caplog.records
    assert record.name == "gridhunt" and "cannot be reached" in record.message


def test_tables_are_frames(tmp_path):
    run = tmp_path / "run"
    with Hunt(EASY, run=run) as hunt:
        hunt.wait()
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for table in (open_run(run).progress(), open_run(run).results()):
        assert isinstance(table.to_pandas(), pandas.DataFrame) and isinstance(table.to_polars(), polars.DataFrame)
        assert len(table.to_pandas()) == len(table.to_polars()) == len(table)
    assert open_run(run).results().to_polars()["cost"].to_list() == [result.cost for result in solve(EASY)]
    assert Table().to_polars().shape == (0, 0) and Table().to_pandas().empty

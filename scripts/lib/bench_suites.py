"""The suites of scripts/bench. Each measures the release binary and returns the rows of one table."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple

import bench_limits
from gridhunt import ROOT, Failure, binary, execute, generate, run

BOUNDS = ["layers", "elimination"]


# ---- What the suites share ----


def total(results, field):
    return sum(result[field] or 0 for result in results)


def proven(results):
    return [result for result in results if result["status"] == "optimal"]


def optimum_or_range(result):
    """The optimum, or the proven range if the optimum is open."""
    if result["status"] == "optimal":
        return result["cost"]
    return f"{result['lower_bound'] or 0}..{'' if result['cost'] is None else result['cost']}"


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def mib(count):
    return f"{count / 2**20:,.0f}"


def solve(options, paths, *more):
    """Solves boards with the limits of the command line. Fails if no board has a result."""
    limits = ["--time-limit", f"{options.time_limit}s", "--memory", options.memory]
    paths = paths if isinstance(paths, list) else [paths]
    done = run(["solve", *paths, *limits, *more])
    if not done.results:
        raise Failure(f"gridhunt solve {paths[0]} {' '.join(map(str, more))}: exit code {done.exit_code}: {done.errors.strip()}")
    return done


def data(options, *parts):
    """A file or folder of published boards, which are not part of the repository."""
    path = options.data.joinpath(*parts)
    if not path.exists():
        raise Failure(f"{path}: no such file or folder")
    return path


# ---- Flood-It ----


def published(options):
    rows = []
    for name in ("pc19", "b14c8n1000", "b18c6n1000", "b24c6n1000", "99-problems"):
        path = data(options, "flood-it", name if name == "99-problems" else f"{name}.txt")
        paths, form = (sorted(path.iterdir()), []) if path.is_dir() else (path, ["--format", "lines"])
        done = solve(options, paths, *form, "--parallel", "boards", "--threads", os.cpu_count())
        cpu = [result["cpu_seconds"] for result in done.results]
        rows.append([name, len(cpu), len(proven(done.results)), total(done.results, "cost"), f"{done.cpu_seconds:.1f}",
                     f"{max(cpu):.1f}", mib(done.peak_bytes)])  # fmt: skip
    return rows


def bounds(options):
    rows = []
    for side in (14, 21):
        path = generate(side, 6, 20, options.seed)
        for bound in BOUNDS:
            done = solve(options, path, "--format", "lines", "--parallel", "boards", "--bound", bound)
            solved = proven(done.results)
            count = max(len(solved), 1)
            means = [round(total(solved, field) / count) for field in ("expanded", "generated", "evaluated")]
            cpu = f"{total(solved, 'cpu_seconds') / count:.3f}"
            rows.append([f"{side}x{side}", f"`{bound}`", f"{len(solved)} of {len(done.results)}", *means, cpu])
    return rows


def boards24(options):
    path = data(options, "flood-it", "b24c6n1000.txt")
    results = solve(options, path, "--format", "lines", "--boards", "1-10", "--threads", 1).results
    return [[result["number"], optimum_or_range(result), result["expanded"], f"{result['cpu_seconds']:.1f}"] for result in results]


# ---- Clickomania ----

CLICKOMANIA = ["--domain", "clickomania", "--threads", 1, "--parallel", "search"]
FORMER = ["--objective", "clicks", "--min-group", 1, "--columns", "stay"]


def clearing(options):
    rows = []
    for side, count in ((12, 20), (15, 20), (20, 20), (37, 4)):
        row = [f"{side}x{side}", count]
        for colours in (3, 4, 5, 6):
            results = solve(options, generate(side, colours, count, options.seed), "--format", "lines", *CLICKOMANIA).results
            cleared = proven(results)
            cpu = [result["cpu_seconds"] for result in cleared] or [0]
            row.append(f"{len(cleared)}; {median(cpu):.3f}; {max(cpu):.2f}")
        rows.append(row)
    return rows


def objectives(options):
    rows = []

    def add(objective, boards, *more):
        done = solve(options, boards, "--format", "lines", *CLICKOMANIA, "--objective", objective, *more)
        cpu = [result["cpu_seconds"] for result in done.results]
        score = total(done.results, "score") if objective == "score" else None
        rows.append([f"`{objective}`", boards.stem, len(cpu), len(proven(done.results)), score, total(done.results, "expanded"),
                     f"{sum(cpu):.0f}", f"{median(cpu):.1f}", f"{max(cpu):.1f}", mib(done.peak_bytes)])  # fmt: skip

    add("clicks", generate(8, 5, 20, options.seed))
    add("clicks", generate(10, 3, 20, options.seed))
    add("left", generate(7, 4, 20, options.seed), "--columns", "stay")
    add("score", generate(15, 5, 20, options.seed), "--engine", "anneal", "--anneal-rounds", 5)
    return rows


def former(options):
    rows = []
    for path in sorted(data(options, "clickomania", "former").glob("*.txt")):
        result = solve(options, path, *CLICKOMANIA, *FORMER).results[0]
        rows.append([path.stem.split("_")[0], optimum_or_range(result), result["expanded"], f"{result['cpu_seconds']:.2f}"])
    return rows


def permanent(options):
    rows = []
    for objective, side, colours in (("clear", 7, 4), ("clear", 7, 3), ("clear", 8, 3), ("left", 7, 4), ("left", 8, 3)):
        path = generate(side, colours, 20, options.seed)
        search = ["--format", "lines", *CLICKOMANIA, "--objective", objective, "--columns", "stay", "--engine", "best-first"]
        cpu = [total(solve(options, path, *search, "--bound", bound).results, "cpu_seconds") for bound in ("colours", "permanent")]
        rows.append([f"`{objective}`", f"{side}x{side}, {colours} colours", *(f"{seconds:.2f}" for seconds in cpu)])
    return rows


# ---- Hopping Bunny ----


def bunny_row(name, results):
    cpu = [result["cpu_seconds"] for result in results]
    solved = proven(results)
    tokens = sorted({result["cost"] for result in solved})
    peak = max(result["peak_memory_bytes"] for result in results)
    range_ = f"{tokens[0]} to {tokens[-1]}" if len(tokens) > 1 else "".join(map(str, tokens))
    return [name, len(results), len(solved), range_, total(solved, "cost"), f"{sum(cpu):.2f}", f"{max(cpu):.2f}", mib(peak)]


def bunny(options):
    search = ["--domain", "bunny", "--parallel", "search", "--threads", 1]
    twelve = solve(options, ROOT / "datasets/bunny/twelve.txt", *search).results
    rows = [bunny_row("the twelve", twelve)]
    for kind, side in (("random", 10), ("random", 14), ("grown", 10), ("grown", 14), ("carved", 10)):
        path = generate(side, 2, 20, options.seed, "--kind", kind)
        rows.append(bunny_row(f"{kind} {side}x{side}", solve(options, path, *search).results))
    return rows


def bunny_threads(options):
    """Random boards on one thread and on two; each board is a row."""
    rows = []
    for side in (8, 10, 14):
        path = generate(side, 2, 3, options.seed, "--kind", "random")
        search = ["--domain", "bunny", "--parallel", "search"]
        one, two = (solve(options, path, *search, "--threads", workers).results for workers in (1, 2))
        for result, other in zip(one, two):
            both = len(proven([result, other])) == 2
            rows.append([
                f"{side}x{side} #{result['number']}",
                optimum_or_range(result),
                result["stored"], result["expanded"], f"{result['cpu_seconds']:.2f}", mib(result["peak_memory_bytes"]),
                f"{result['seconds'] / other['seconds']:.2f}" if both else None,
            ])  # fmt: skip
    return rows


# ---- The store, limits ----


def criterion_rows(folder, group):
    """{(operation, name): million elements a second}, read from the files that criterion writes."""
    rates = {}
    for path in folder.glob(f"{group}/**/new/benchmark.json"):
        about = json.loads(path.read_text())
        nanoseconds = json.loads((path.parent / "estimates.json").read_text())["median"]["point_estimate"]
        rates[about["function_id"], about["value_str"]] = about["throughput"]["Elements"] / nanoseconds * 1000
    return rates


def store(options):
    target_dir = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    code, _, errors, _, _ = execute(["cargo", "bench", "--locked", "-p", "gridhunt-benches", "--bench", "store"], cwd=ROOT)
    if code:
        raise Failure(f"cargo bench -p gridhunt-benches --bench store: exit code {code}: {errors.strip()[-400:]}")
    rates = criterion_rows(target_dir / "criterion", "store")
    resident_bytes = dict(re.findall(r"^ *(\S.*?): +([\d.]+) resident bytes per state", errors, re.MULTILINE))
    rows = []
    for name in dict.fromkeys(value.rpartition(", ")[0] for _, value in rates):
        speeds = [
            " / ".join(f"{rates.get((operation, f'{name}, {workers} threads'), 0):.1f}" for workers in (1, 2))
            for operation in ("insert", "update", "miss")
        ]
        rows.append([name, *speeds, resident_bytes.get(name)])
    return rows


def limits(options):
    """How far a search exceeds a limit before the limit ends it."""
    return bench_limits.rows(options.seed)


# ---- Building and testing ----


def copy_tree(folder):
    """Copies every file that git tracks or would add, so that a build finds no earlier output."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True)
    for name in listed.stdout.decode().split("\0"):
        source = ROOT / name
        if name and source.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)


def cargo(tree, what, *arguments):
    """Seconds and CPU seconds of one cargo command, whose target directory is in `tree`."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(tree / "target")}
    started = time.monotonic()
    code, _, errors, cpu, _ = execute(["cargo", *arguments], cwd=tree, env=environment)
    if code:
        raise Failure(f"{what}: exit code {code}: {errors.strip()[-400:]}")
    return time.monotonic() - started, cpu


EDITED_FILE = "elimination.rs"


def edit(tree):
    """The file of a lower bound, and its text with an edit that changes the compiled code but no result."""
    for path in sorted((tree / "crates").rglob(EDITED_FILE)):
        heads = r"(\n(?:pub\S* )?fn evaluate\b[^{]*\{\n)"
        text, changes = re.subn(heads, r"\1    std::hint::black_box(0_u8);\n", path.read_text(), count=1)
        if changes:
            return path, text
    raise Failure(f"crates/**/{EDITED_FILE}: found no function `evaluate` to edit")


def building(_options):
    rows = []
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place)
        copy_tree(tree)
        path, text = edit(tree)
        cargo(tree, "fetching", "fetch", "--locked")
        build = ["build", "--locked", "--offline", "--bin", "gridhunt"]
        seconds, cpu = cargo(tree, "release build", *build, "--release")
        program = tree / "target" / "release" / "gridhunt"
        stripped = tree / "stripped"
        if execute(["strip", "-o", stripped, program])[0]:
            raise Failure("`strip` is missing or failed (Debian: apt-get install binutils)")
        size = f"{stripped.stat().st_size / 2**20:.1f}"
        rows.append(["`cargo build --release`, empty target directory", f"{seconds:.0f}", f"{cpu:.0f}", size])
        seconds, cpu = cargo(tree, "fast build", *build, "--profile", "fast")
        rows.append(["`cargo build --profile fast`, empty target directory", f"{seconds:.0f}", f"{cpu:.0f}", None])
        path.write_text(text)
        seconds, cpu = cargo(tree, "fast build after an edit", *build, "--profile", "fast")
        rows.append([f"`cargo build --profile fast`, `{EDITED_FILE}` edited", f"{seconds:.1f}", f"{cpu:.1f}", None])
    return rows


def tests(_options):
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place)
        copy_tree(tree)
        environment = {**os.environ, "CARGO_TARGET_DIR": str(tree / "target"), "CARGO_INCREMENTAL": "0"}
        rows = []
        for name, command in (
            ("build of the tests", ["bash", "-c", '. scripts/lib/common.sh && cargo test --locked "${tested[@]}" --no-run']),
            ("`scripts/test` after that", ["scripts/test"]),
        ):
            started = time.monotonic()
            code, _, errors, cpu, _ = execute(command, cwd=tree, env=environment)
            if code:
                raise Failure(f"{name}: exit code {code}: {errors.strip()[-400:]}")
            rows.append([name, f"{time.monotonic() - started:.0f}", f"{cpu:.0f}"])
    return rows


class Suite(NamedTuple):
    run: Callable
    about: str  # one line of --help
    columns: list
    is_long: bool = False  # takes long: runs only when it is named
    needs_data: bool = False  # needs the published boards (--data): runs only when it is named


SUITES = {
    "published": Suite(published, "Flood-It, the published sets",
                       ["set", "boards", "proven", "total cost", "CPU s, all", "CPU s, most", "peak MiB"], needs_data=True),
    "bounds": Suite(bounds, "Flood-It, each lower bound, on 14x14 and 21x21",
                    ["boards of", "bound", "proven", "expanded", "generated", "evaluated", "CPU s"]),
    "boards24": Suite(boards24, "Flood-It, boards 1 to 10 of b24c6n1000, one by one",
                      ["board", "optimum", "expanded", "CPU s"], needs_data=True),
    "clearing": Suite(clearing, "Clickomania, boards of 12x12 to 37x37 with 3 to 6 colours to be cleared",
                      ["boards of", "boards of each", "3 colours", "4 colours", "5 colours", "6 colours"]),
    "objectives": Suite(objectives, "Clickomania, fewest clicks, fewest cells left, highest score",
                        ["objective", "boards of", "boards", "proven", "total score", "expanded", "CPU s, all", "CPU s, median",
                         "CPU s, most", "peak MiB"], is_long=True),
    "former": Suite(former, "Clickomania, fewest clicks on the boards called Former, one by one",
                    ["board", "optimum", "expanded", "CPU s"], needs_data=True),
    "permanent": Suite(permanent, "Clickomania, bounds `colours` and `permanent`",
                       ["objective", "boards of", "CPU s, `colours`", "CPU s, `permanent`"]),
    "bunny": Suite(bunny, "Hopping Bunny, the twelve boards, random, grown and carved ones",
                   ["boards", "number", "proven", "tokens", "tokens, all", "CPU s, all", "CPU s, most", "peak MiB"]),
    "bunny-threads": Suite(bunny_threads, "Hopping Bunny, random boards with 1 and 2 threads",
                           ["board", "tokens", "fragments", "bodies", "CPU s", "peak MiB", "ratio of s, 1 to 2 threads"]),
    "store": Suite(store, "the store and the table of IDA* (cargo bench)",
                   ["map", "insert", "update", "miss", "resident bytes per state"], is_long=True),
    "limits": Suite(limits, "how far searches exceed limits of time and memory, and how soon SIGTERM ends them",
                    ["puzzle", *bench_limits.ENGINES]),
    "building": Suite(building, "clean builds, size of the stripped program, build after an edit",
                      ["build", "s", "CPU s", "stripped, MiB"], is_long=True),
    "tests": Suite(tests, "building and running all tests in an empty target directory", ["step", "s", "CPU s"], is_long=True),
}  # fmt: skip

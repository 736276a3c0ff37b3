"""Makes a release of the data set: boards with proven optima as Parquet and CSV, certificates, data card, checksums.

    release.py JOBS DIR [--small]

A line of JOBS describes a set of boards, in four fields with tabs between them: its name, `certify` or `-`, options of
`gridhunt solve`, arguments of `gridhunt generate` (empty if the set is a file of datasets/). This script proves every
optimum by a search. It replays solutions and checks certificates on the boards that it reads back from the table.
"""

import csv
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow
import pyarrow.parquet

ROOT = Path(__file__).resolve().parent.parent.parent
GRIDHUNT = os.environ.get("GRIDHUNT", ROOT / "target/release/gridhunt")
SYMBOLS = "123456789abcdefghijklmnopqrstuvwxyz"
# A small release: the number of boards of each set, and the first letters of the names of its sets.
SMALL_COUNT = 6
SMALL_SETS = ("floodit/10x10", "floodit/12x12-12c", "clickomania/6x6", "clickomania/9x7", "freeflood/", "bunny/random", "bunny/twelve")

# The columns: name, type (with `?`: may be null), meaning. The data card has this table.
COLUMNS = [
    ("puzzle", "text", "`flood-it`, `clickomania`, `free-flood` or `bunny`"),
    ("set", "text", "set of boards of one kind; a name that ends in `.txt` or `.lines` is a file that gridhunt ships"),
    ("board", "text", "name, unique within the puzzle"),
    ("rows", "number", "rows of the board"),
    ("cols", "number", "columns of the board"),
    ("colours", "number", "colours of the board"),
    ("cells", "text", "rows from the top with `/` between them, a character per cell: colours 1 to 9, then a, b, c; in "
                      "`bunny`, `#` is a square, `S` the start, a blank no square"),
    ("start", "text?", "Flood-It: row and column of the start, from 1"),
    ("min_group", "number?", "Clickomania: fewest cells that a click removes"),
    ("columns", "text?", "Clickomania: an empty column can `close` or `stay`"),
    ("corner", "text?", "Clickomania: the corner to which cells fall and columns close up"),
    ("objective", "text", "what the optimum counts: `moves`, `clicks`, cells `left`, `tokens` of a program; for `clear` "
                          "it is 0: the board can be cleared"),
    ("optimum", "number", "the proven minimum"),
    ("solution", "text", "an optimal solution: moves with blanks between them, each a colour, or a cell `row,column` "
                         "of the board before this click, in Free flood `row,column,colour`; or a program"),
    ("proof", "text", "`certificate`: can be checked without a search; `search`: a finished search, which gridhunt can "
                      "repeat"),
    ("certificate", "text?", "file of the certificate, for `gridhunt check`"),
    ("certificate_sha256", "text?", "its SHA-256"),
    ("expanded", "number", "states that the search expanded, on one thread"),
    ("engine", "text", "engine of the search"),
    ("bound", "text", "lower bound of the search"),
    ("identity", "text", "checksum of puzzle, rules and board, as in results of gridhunt"),
    ("generate", "text?", "arguments of `gridhunt generate` that make the set; the cells are the same on every machine"),
    ("number", "number", "number of the board in its set, from 1"),
]
ARROW_TYPES = {"number": pyarrow.int64(), "text": pyarrow.string()}


def run(*arguments):
    """The JSON values that gridhunt prints, one per line."""
    done = subprocess.run([GRIDHUNT, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"gridhunt {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def boards_of(name, generate, limit):
    """The boards of a set (the first `limit`) in the format `json`, named after the set."""
    if generate:
        boards = run("generate", *generate, "--format", "json")
    else:
        # A run directory contains the boards in JSON, so a short search converts the file.
        with tempfile.TemporaryDirectory() as folder:
            search = ["solve", ROOT / "datasets" / name, "--run", f"{folder}/run", "--expansions", "1", "--quiet"]
            subprocess.run([GRIDHUNT, *search], stdout=subprocess.DEVNULL, check=False)
            boards = [json.loads(line) for line in Path(folder, "run", "boards.json").read_text().splitlines()]
    is_numbered, base = len(boards) > 1, name.split("/")[1]
    for number, board in enumerate(boards, 1):
        board["name"] = f"{base}#{number}" if is_numbered else base
    return boards[:limit]


def check_documents(jobs):
    """Compares the numbers of boards and of certificates in the documents with the sets of a whole release."""

    def boards_in(name, generate):
        if not (ROOT / "datasets" / name).is_file():
            return int(generate[generate.index("--count") + 1])
        puzzle, base = name.split("/")
        lines = (ROOT / "datasets" / puzzle / "optima.csv").read_text().splitlines()
        return sum(line.startswith((f"{base},", f"{base}#")) for line in lines)

    boards = sum(boards_in(name, generate) for name, _, _, generate in jobs)
    certified = sum(boards_in(name, generate) for name, certify, _, generate in jobs if certify)
    expected = {"README.md": [f" {boards:,} boards"], "datasets/README.md": [f" {boards:,} boards", f" {certified:,} of"]}
    for name, texts in expected.items():
        for text in texts:
            if text not in (ROOT / name).read_text():
                sys.exit(f"{name}: the numbers of a release differ: expected {text!r}")


def write_lines(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def row_of(board, result, job, number, proof):
    """The row of a board. `proof` is the output of `certify`; `None` without a certificate."""
    name, _, _, generate = job
    if result["status"] != "optimal":
        sys.exit(f"{board['name']}: found status {result['status']}, expected optimal")
    rows = board.get("bunny") or ["".join(SYMBOLS[cell - 1] for cell in row) for row in board["cells"]]
    if proof and (proof["bound"], proof["optimal"]) != (result["cost"], True):
        sys.exit(f"{board['name']}: found {proof}, expected the optimum {result['cost']}")
    is_flood = result["domain"] == "flood-it"
    row = {name: result[name] for name in ("rows", "cols", "colours", "objective", "expanded", "engine", "bound")}
    row |= {name: result[name] for name in ("min_group", "columns", "corner", "identity")}
    return row | {
        "puzzle": result["domain"],
        "set": name,
        "board": board["name"],
        "cells": "/".join(rows),
        "start": ",".join(map(str, board["start"])) if is_flood else None,
        "optimum": result["cost"],
        "solution": " ".join(result["moves"]),
        "proof": "certificate" if proof else "search",
        "certificate": f"certificates/{Path(proof['file']).name}" if proof else None,
        "certificate_sha256": proof["sha256"] if proof else None,
        "generate": " ".join(generate) or None,
        "number": number,
    }


def board_of(row):
    """The board of a row, in the format `json`."""
    rows = row["cells"].split("/")
    if row["puzzle"] == "bunny":
        return {"name": row["board"], "bunny": rows}
    start = {"start": [int(part) for part in row["start"].split(",")]} if row["start"] else {}
    cells = [[SYMBOLS.index(cell) + 1 for cell in line] for line in rows]
    return {"name": row["board"], "colours": row["colours"], **start, "cells": cells}


def verify(rows, options, folder):
    """Replays the solutions of a set, and checks its certificates, which are in `folder`."""
    boards = write_lines(folder / "read-back.json", map(board_of, rows))
    solutions = [{"board": row["board"], "moves": row["solution"].split(" ")} for row in rows]
    solutions = write_lines(folder / "solutions.json", solutions)
    verdicts = run("verify", boards, solutions, "--json", "--quiet", *options)
    for row, verdict in zip(rows, verdicts, strict=True):
        proof = verdict.get("certificate")
        is_valid = verdict["right"] and (verdict["board"], verdict["cost"]) == (row["board"], row["optimum"])
        if row["proof"] == "certificate":
            is_valid = is_valid and proof and proof["optimal"] and proof["bound"] == row["optimum"]
        if not is_valid:
            sys.exit(f"{row['board']}: {verdict}, expected the optimum {row['optimum']}")


def prove(job, certificates, limit):
    """Proves the optima of a set, moves its certificates into the folder `certificates`, and returns its rows."""
    name, certify, options, generate = job
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        boards = boards_of(name, generate, limit)
        file = write_lines(folder / "boards.json", boards)
        # On one thread, a search has the same counts and solution each time.
        results = run("solve", file, *options, "--json", "--quiet", "--threads", 1)
        proofs = [None] * len(boards)
        if certify:
            proofs = run("certify", file, *options, "-o", folder, "--json", "--quiet", "--threads", 1)
        numbered = enumerate(zip(boards, results, proofs, strict=True), 1)
        rows = [row_of(board, result, job, number, proof) for number, (board, result, proof) in numbered]
        verify(rows, [option for option in options if option not in ("--engine", "synthesis")], folder)
        for proof in filter(None, proofs):
            shutil.move(proof["file"], certificates)
    print(f"{name}: {len(rows)} optima proven", flush=True)
    return rows


def provenance():
    """The version of the program, the commit, and a remark if files differ from the commit."""
    version = subprocess.run([GRIDHUNT, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    git = ["git", "-C", ROOT]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False).stdout
    return version, commit or "unknown", " with changes" if changed else ""


def card(rows, version, commit, changes):
    """The data card."""
    columns = "".join(f"| `{name}` | {kind.replace('?', ' or null')} | {text} |\n" for name, kind, text in COLUMNS)
    sets = {}
    for row in rows:
        sets.setdefault((row["puzzle"], row["set"], row["objective"]), []).append(row)
    set_rows = "".join(
        f"| {puzzle} | {name} | {objective} | {len(boards)} | {sum(row['proof'] == 'certificate' for row in boards)} | "
        f"{min(row['optimum'] for row in boards)} to {max(row['optimum'] for row in boards)} |\n"
        for (puzzle, name, objective), boards in sets.items()
    )
    certified = sum(row["proof"] == "certificate" for row in rows)
    size = "n<1K" if len(rows) < 1000 else "1K<n<10K"
    return f"""---
pretty_name: Puzzle boards with proven optima
license: [mit, apache-2.0]
size_categories: ["{size}"]
tags: [combinatorial-optimization, heuristic-search, flood-it, samegame]
configs:
- config_name: default
  data_files: boards.parquet
---

# Puzzle boards with proven optima

{len(rows)} boards of Flood-It, Clickomania (SameGame), Free flood and Hopping Bunny, each with its optimum and an optimal
solution.
{certified} optima have a certificate, which a program of 200 lines checks without a search.

```python
boards = pandas.read_parquet("boards.parquet")
```

`boards.csv` has the same rows, in UTF-8; null is an empty field there.

## Columns

| column | type | meaning |
| --- | --- | --- |
{columns}
## Sets

| puzzle | set | objective | boards | certified | optima |
| --- | --- | --- | ---: | ---: | --- |
{set_rows}
## Origin

Made with gridhunt {version}, commit {commit}{changes}, by `scripts/datasets --release DIR`.
All boards come from seeds: `gridhunt generate` with the arguments in the column `generate`; except `bunny/twelve.txt`,
the boards of Code Golf question 151096. Every optimum was proven by a finished search. Every solution was replayed by
the plain rules, and every certificate was checked, on the board of the table. The same commit makes the same bytes.

The boards are uniformly random, or as the arguments of their set say; they are no sample of the boards that people
play. An optimum without a certificate rests on the search of one program.

## Licence and citation

MIT or Apache-2.0, at your option: `LICENSE-MIT`, `LICENSE-APACHE`. `CITATION.cff` says how to cite; name the version
and the commit. `sha256sum -c SHA256SUMS` checks the files.
"""


def citation(board_count, version, commit, day):
    """The CITATION.cff of the data set, with authors, licence and keywords of the program."""
    text = (ROOT / "CITATION.cff").read_text()
    return f"""cff-version: 1.2.0
message: If these boards help your work, please cite them as below.
type: dataset
title: Puzzle boards with proven optima
abstract: {board_count} boards of Flood-It, Clickomania, Free flood and Hopping Bunny with proven optima, made by gridhunt {version}.
date-released: {day}
commit: {commit}
""" + text[text.index("authors:"):]


def write_tables(rows, folder):
    """Writes the rows as Parquet and as CSV."""
    names = [name for name, _, _ in COLUMNS]
    fields = [pyarrow.field(name, ARROW_TYPES[kind.rstrip("?")], nullable=kind.endswith("?")) for name, kind, _ in COLUMNS]
    table = pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(fields))
    pyarrow.parquet.write_table(table, folder / "boards.parquet", compression="zstd")
    with (folder / "boards.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_sums(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(sums))


def pack(folder, timestamp):
    """Makes a reproducible archive beside the folder: no user, the time of the commit, files sorted by name."""

    def anonymous(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime, info.mode = timestamp, 0o755 if info.isdir() else 0o644
        return info

    archive = folder.with_name(folder.name + ".tar.gz")
    with archive.open("wb") as raw, gzip.GzipFile("", "wb", mtime=timestamp, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in [folder, *sorted(folder.rglob("*"))]:
                tar.add(path, path.relative_to(folder.parent), recursive=False, filter=anonymous)
    return archive


def main(jobs, release_folder, *small):
    jobs = [line.split("\t") for line in Path(jobs).read_text().splitlines()]
    jobs = [(name, certify == "certify", options.split(), generate.split()) for name, certify, options, generate in jobs]
    check_documents(jobs)
    if small:
        jobs = [job for job in jobs if job[0].startswith(SMALL_SETS)]
    version, commit, changes = provenance()
    timestamp = int(os.environ["SOURCE_DATE_EPOCH"])
    folder = Path(release_folder) / f"gridhunt-boards-{version}"
    if folder.exists():
        sys.exit(f"{folder}: exists already, expected a new folder")
    (folder / "certificates").mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        of_jobs = pool.map(lambda job: prove(job, folder / "certificates", SMALL_COUNT if small else None), jobs)
        rows = [row for of_job in of_jobs for row in of_job]
    write_tables(rows, folder)
    (folder / "README.md").write_text(card(rows, version, commit, changes))
    day = time.strftime("%Y-%m-%d", time.gmtime(timestamp))
    (folder / "CITATION.cff").write_text(citation(len(rows), version, commit, day))
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copyfile(ROOT / licence, folder / licence)
    write_sums(folder)
    print(f"{pack(folder, timestamp)}: {len(rows)} boards, all proven")


if __name__ == "__main__":
    main(*sys.argv[1:])

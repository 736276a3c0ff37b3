"""Makes a release of the data set: boards with proven optima as Parquet and CSV, and what a reader needs to know.

    release.py JOBS DIR [--small]

A line of JOBS is a set of boards: its name, whether it is certified, options of `gridhunt solve`, arguments of
`gridhunt generate`; between tabs. A set without arguments is a file of datasets/. Every optimum is proven by a search
here. Its solution is replayed, and its certificate is checked, on the board that is read back from the table.
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
# Of a small release: the sets, the boards of each.
FEW = 6
SMALL = ("floodit/10x10", "floodit/12x12-12c", "clickomania/6x6", "clickomania/9x7", "bunny/random", "bunny/twelve")

# The columns: name, type (`text?` may be missing), meaning. The data card has this table.
COLUMNS = [
    ("puzzle", "text", "`flood-it`, `clickomania` or `bunny`"),
    ("set", "text", "boards of one kind; a set that ends in `.txt` or `.lines` is a file that gridhunt ships"),
    ("board", "text", "name; with `puzzle` unique"),
    ("rows", "number", "rows of the board"),
    ("cols", "number", "columns of the board"),
    ("colours", "number", "colours of the board"),
    ("cells", "text", "rows from the top with `/` between them, a character a cell: colours 1 to 9, then a, b, c; of "
                      "`bunny` `#` a square, `S` the start, a blank nothing"),
    ("start", "text?", "Flood-It: row and column of the start, from 1"),
    ("min_group", "number?", "Clickomania: fewest cells that a click removes"),
    ("columns", "text?", "Clickomania: an empty column can `close` or `stay`"),
    ("corner", "text?", "Clickomania: the corner to which cells fall and columns close up"),
    ("objective", "text", "what the optimum counts: `moves`, `clicks`, cells `left`, `tokens` of a program; 0 for `clear`: "
                          "a way to clear the board"),
    ("optimum", "number", "proven: no solution has less"),
    ("solution", "text", "a solution that has so much: moves with blanks between them, a colour, or a cell `row,column` "
                         "as the board lies at this click; or a program"),
    ("proof", "text", "`certificate`: can be checked without a search; `search`: a finished search, which "
                      "gridhunt repeats"),
    ("certificate", "text?", "file of the certificate, for `gridhunt check`"),
    ("certificate_sha256", "text?", "its SHA-256"),
    ("expanded", "number", "states that the search expanded, on one thread"),
    ("engine", "text", "engine of the search"),
    ("bound", "text", "lower bound of the search"),
    ("identity", "text", "checksum of puzzle, rules and board, as in results of gridhunt"),
    ("generate", "text?", "arguments of `gridhunt generate` that make the set; the cells are the same on every machine"),
    ("number", "number", "number of the board in its set, from 1"),
]
OF_TABLE = {"number": pyarrow.int64(), "text": pyarrow.string()}


def run(*arguments):
    """What gridhunt prints, line by line, each a JSON value."""
    done = subprocess.run([GRIDHUNT, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"gridhunt {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def boards_of(name, generate, few):
    """The boards of a set, as the format `json` has them, with names of their own."""
    if generate:
        boards = run("generate", *generate, "--format", "json")
    else:
        # A run directory has the boards of a file in JSON.
        with tempfile.TemporaryDirectory() as folder:
            search = ["solve", ROOT / "datasets" / name, "--run", f"{folder}/run", "--expansions", "1", "--quiet"]
            subprocess.run([GRIDHUNT, *search], stdout=subprocess.DEVNULL, check=False)
            boards = [json.loads(line) for line in Path(folder, "run", "boards.json").read_text().splitlines()]
    many, base = len(boards) > 1, name.split("/")[1]
    for number, board in enumerate(boards, 1):
        board["name"] = f"{base}#{number}" if many else base
    return boards[:few]


def check_documents(jobs):
    """Compares what the documents say of a whole release with its sets: the number of boards, and of certificates."""

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
                sys.exit(f"{name}: found other numbers of a release, expected {text!r}")


def written(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def row_of(board, result, job, number, proof):
    """The row of a board. `proof` is what `certify` says of it, if it is certified."""
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
    """The board in a row, in the format `json`."""
    rows = row["cells"].split("/")
    if row["puzzle"] == "bunny":
        return {"name": row["board"], "bunny": rows}
    start = {"start": [int(part) for part in row["start"].split(",")]} if row["start"] else {}
    cells = [[SYMBOLS.index(cell) + 1 for cell in line] for line in rows]
    return {"name": row["board"], "colours": row["colours"], **start, "cells": cells}


def verify(rows, options, folder):
    """Replays the solutions of a set, and checks its certificates, which lie in `folder`."""
    boards = written(folder / "read-back.json", map(board_of, rows))
    solutions = [{"board": row["board"], "moves": row["solution"].split(" ")} for row in rows]
    solutions = written(folder / "solutions.json", solutions)
    verdicts = run("verify", boards, solutions, "--json", "--quiet", *options)
    for row, verdict in zip(rows, verdicts, strict=True):
        proof = verdict.get("certificate")
        right = verdict["right"] and (verdict["board"], verdict["cost"]) == (row["board"], row["optimum"])
        if row["proof"] == "certificate":
            right = right and proof and proof["optimal"] and proof["bound"] == row["optimum"]
        if not right:
            sys.exit(f"{row['board']}: {verdict}, expected the optimum {row['optimum']}")


def prove(job, certificates, few):
    """The rows of a set."""
    name, certify, options, generate = job
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        boards = boards_of(name, generate, few)
        file = written(folder / "boards.json", boards)
        # One thread per board: then every search is the same each time.
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


def facts():
    """The version of the program, and the commit."""
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
    kinds = "".join(
        f"| {puzzle} | {name} | {objective} | {len(of)} | {sum(row['proof'] == 'certificate' for row in of)} | "
        f"{min(row['optimum'] for row in of)} to {max(row['optimum'] for row in of)} |\n"
        for (puzzle, name, objective), of in sets.items()
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

{len(rows)} boards of Flood-It, Clickomania (SameGame) and Hopping Bunny, each with its optimum and a solution that has it.
{certified} optima have a certificate, which a program of 200 lines checks without a search.

```python
boards = pandas.read_parquet("boards.parquet")
```

`boards.csv` has the same rows, in UTF-8; what is missing is empty there.

## Columns

| column | type | meaning |
| --- | --- | --- |
{columns}
## Sets

| puzzle | set | objective | boards | certified | optima |
| --- | --- | --- | ---: | ---: | --- |
{kinds}
## How it was made

gridhunt {version}, commit {commit}{changes}, made it with `scripts/datasets --release DIR`.
All boards come from seeds: `gridhunt generate` with the column `generate`; but for `bunny/twelve.txt`, the boards of
Code Golf question 151096. Every optimum was proven by a finished search. Every solution was replayed by the plain
rules, and every certificate was checked, on the board as the table has it. The same commit makes the same bytes.

The boards are drawn uniformly, or as the sets say; they are no sample of what people play. Where an optimum has no
certificate, its proof is the search of one program.

## Licence and citation

MIT or Apache-2.0, at your option: `LICENSE-MIT`, `LICENSE-APACHE`. `CITATION.cff` says how to cite; name the version
and the commit. `sha256sum -c SHA256SUMS` checks the files.
"""


def citation(many, version, commit, day):
    """How to cite the data set: authors, licence and keywords are those of the program."""
    text = (ROOT / "CITATION.cff").read_text()
    return f"""cff-version: 1.2.0
message: If these boards help your work, please cite them as below.
type: dataset
title: Puzzle boards with proven optima
abstract: {many} boards of Flood-It, Clickomania and Hopping Bunny with proven optima, made by gridhunt {version}.
date-released: {day}
commit: {commit}
""" + text[text.index("authors:"):]


def write_tables(rows, folder):
    """The same rows as Parquet and as CSV."""
    names = [name for name, _, _ in COLUMNS]
    fields = [pyarrow.field(name, OF_TABLE[kind.rstrip("?")], nullable=kind.endswith("?")) for name, kind, _ in COLUMNS]
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


def pack(folder, when):
    """An archive beside the folder: no user, no time but that of the commit, files in the order of their names."""

    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime, info.mode = when, 0o755 if info.isdir() else 0o644
        return info

    archive = folder.with_name(folder.name + ".tar.gz")
    with archive.open("wb") as raw, gzip.GzipFile("", "wb", mtime=when, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in [folder, *sorted(folder.rglob("*"))]:
                tar.add(path, path.relative_to(folder.parent), recursive=False, filter=plain)
    return archive


def main(jobs, to, *small):
    jobs = [line.split("\t") for line in Path(jobs).read_text().splitlines()]
    jobs = [(name, certify == "certify", options.split(), generate.split()) for name, certify, options, generate in jobs]
    check_documents(jobs)
    if small:
        jobs = [job for job in jobs if job[0].startswith(SMALL)]
    version, commit, changes = facts()
    when = int(os.environ["SOURCE_DATE_EPOCH"])
    folder = Path(to) / f"gridhunt-boards-{version}"
    if folder.exists():
        sys.exit(f"{folder}: found something there, expected nothing")
    (folder / "certificates").mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        of_jobs = pool.map(lambda job: prove(job, folder / "certificates", FEW if small else None), jobs)
        rows = [row for of_job in of_jobs for row in of_job]
    write_tables(rows, folder)
    (folder / "README.md").write_text(card(rows, version, commit, changes))
    day = time.strftime("%Y-%m-%d", time.gmtime(when))
    (folder / "CITATION.cff").write_text(citation(len(rows), version, commit, day))
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copyfile(ROOT / licence, folder / licence)
    write_sums(folder)
    print(f"{pack(folder, when)}: {len(rows)} boards, all proven")


if __name__ == "__main__":
    main(*sys.argv[1:])

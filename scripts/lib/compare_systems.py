#!/usr/bin/env python3
"""Compares hunts with the program for another system (in an emulator) with hunts of the native program.

    scripts/lib/compare_systems.py MEMORY NATIVE OTHER...

MEMORY is the limit of a hunt whose states take 105 MiB, so that they spill to disk; or "none", without spill.
NATIVE is the native program; OTHER is the command that runs the other one. The same searches must have the same proof on
both, and on one thread the same counts. A hunt must survive spilling, up to two kills with resumes, a stop, and a resume
by NATIVE. Both programs verify the solution of OTHER.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from child_processes import ENVIRONMENT, fail, send, wait_until  # noqa: E402

MEMORY, NATIVE, OTHER = sys.argv[1], [os.path.realpath(sys.argv[2])], sys.argv[3:]
SIGKILL = 9

# Options of `generate`, of `solve`, and the memory limit of the hunt.
CASES = [
    (["--rows", "18", "--colours", "7", "--seed", "8"], ["--engine", "best-first", "--bound", "elimination"], [] if MEMORY == "none" else ["--memory", MEMORY]),
    (["--rows", "20", "--colours", "6", "--seed", "5"], [], []),
    (["--domain", "clickomania", "--rows", "8", "--colours", "4", "--seed", "7"], ["--objective", "clicks"], []),
]


def run(program, *arguments, code=0):
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    if done.returncode != code:
        fail(f"{arguments}: exit {done.returncode}, expected {code}: {done.stderr[-2000:]}")
    return done.stdout


def proof(lines):
    """What must be the same on every system; and the counts, which must be the same on one thread."""
    result = json.loads(lines.splitlines()[-1])
    cost = result["cost"]
    layers = [(layer["f"], layer["expanded"]) for layer in result["layers"] if cost is None or layer["f"] < cost]
    return (result["status"], cost, result["lower_bound"], layers), (result["expanded"], result["generated"])


def equal(what, found, expected):
    if found != expected:
        fail(f"{what}: found {found}, expected {expected}")


def checkpoints(hunt):
    found = set()
    for path in hunt.glob("boards/*/manifest-*"):
        try:
            found.add((path, path.stat().st_mtime_ns))
        except FileNotFoundError:
            pass
    return found


def start_session(hunt, *command):
    """Starts a session and waits until it has taken a checkpoint, or has ended."""
    before = checkpoints(hunt)
    search = subprocess.Popen(
        [*OTHER, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    wait_until(lambda: checkpoints(hunt) != before or search.poll() is not None, "a search takes a checkpoint or ends")
    return search


def output_at_end(search, what, *codes):
    out, said = search.communicate(timeout=600)
    if search.returncode not in codes:
        fail(f"{what}: exit {search.returncode}, expected one of {codes}: {said[-2000:]}")
    return out


def max_cold_records(hunt):
    """The maximum, over the progress rows, of the number of records that are only on disk."""
    rows = [json.loads(line) for path in hunt.glob("progress.jsonl") for line in path.read_text().splitlines()]
    return max((row.get("cold") or row.get("value", {}).get("cold") or 0 for row in rows), default=0)


def compare_case(folder, number, case):
    generate, solve, memory = case
    board, hunt, solution = folder / f"{number}.txt", folder / f"run-{number}", folder / f"{number}.json"
    board_text = run(NATIVE, "generate", *generate)
    equal("a generated board", run(OTHER, "generate", *generate), board_text)
    board.write_text(board_text)
    one_thread = ["solve", board, *solve, "--json", "--quiet", "--threads", 1]
    expected, counts = proof(run(NATIVE, *one_thread))
    found = run(OTHER, *one_thread)
    equal(f"{board.name} with one thread", proof(found), (expected, counts))
    solution.write_text(found)
    run(NATIVE, "verify", board, solution)
    run(OTHER, "verify", board, solution)

    common = ["--threads", 2, "--json", "--quiet"]
    begin = ["solve", board, *solve, *memory, "--run", hunt, "--checkpoint", "100ms", *common]
    search, printed, kills = start_session(hunt, *begin), "", 0
    while search.poll() is None and kills < 2:
        send(SIGKILL, search.pid)
        printed += output_at_end(search, "a killed session", -SIGKILL, 0)
        kills += search.returncode == -SIGKILL
        search = start_session(hunt, "resume", hunt, *common)
    if search.poll() is None:
        run(OTHER, "stop", hunt)
        printed += output_at_end(search, "a session that was stopped", 130, 0)
    else:
        printed += output_at_end(search, "a session", 0)
    printed += run(NATIVE, "resume", hunt, *common)
    # On Flood-It the threads of the default engine share what they learn, so their layers differ from hunt to hunt.
    kept = len(expected) if solve else 3
    equal(f"{board.name} as a hunt", proof(printed)[0][:kept], expected[:kept])
    if memory and not max_cold_records(hunt):
        fail(f"{board.name}: no record was only on disk")
    if memory and not kills:
        fail(f"{board.name}: no session was killed")
    print(f"  {board.name}: {expected[0]}, cost {expected[1]}, {counts[0]} expanded; {kills} kills, {max_cold_records(hunt)} records cold")


def main():
    with tempfile.TemporaryDirectory(dir=".") as name:
        for number, case in enumerate(CASES, 1):
            compare_case(Path(name), number, case)


main()

"""The frame of a check over the sources of all crates: run it on a tree, or on planted violations of its own."""

import os
import sys
import tempfile
from pathlib import Path


def self_test(name, cases, check):
    """Writes each (file, text, lines) of `cases` into a crate and compares the lines found with those planted.

    Files are named from `src`: `../docs/a.md` lies beside it.
    """
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "src"
        for path, text, _ in cases:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found, _ = check(root)
    for path, _, planted in cases:
        shown = os.path.normpath(f"src/{path}")
        lines = sorted(int(v.split(":")[1]) for v in found if v.startswith(f"{shown}:"))
        if lines != planted:
            failed.append(f"{shown}: violations found in lines {lines}, planted in {planted}")
    print("\n".join(failed) or f"{name}: self-test passed, {len(found)} of {len(found)} planted violations found")
    return 1 if failed else 0


# The sources of the crates, from the top of the project.
ROOTS = ("src", "crates/boards/src", "crates/search/src", "python/src")


def run(name, cases, check, summary):
    """The command line; `check(root)` gives the violations and a count for `summary`. Returns the exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test(name, cases, check)
    home = Path(__file__).resolve().parent.parent.parent
    found, count = [], 0
    for root in [Path(argument) for argument in arguments] or [home / root for root in ROOTS]:
        if not root.is_dir():
            print(f"{name}: {root}: no such folder", file=sys.stderr)
            return 2
        root = root.resolve()
        violations, counted = check(root)
        crate = root.parent.relative_to(home).as_posix() if root.parent.is_relative_to(home) else str(root.parent)
        found += violations if crate == "." else [f"{crate}/{violation}" for violation in violations]
        count += counted
    print("\n".join(found) or f"{name}: {summary.format(count)}")
    return 1 if found else 0

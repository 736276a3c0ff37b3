"""Results of benchmarks: JSON files in docs/benchmarks, and the tables of them in Markdown documents.

A document shows the results of docs/benchmarks/NAME.json behind the line `<!-- bench: NAME -->`. All lines from there to
the next heading belong to the table: text of a document stands before that line.
"""

import json
import re
import tempfile
import textwrap
from pathlib import Path

from gridhunt import ROOT, Failure

COLUMNS = 120
FIELDS = {
    "suite": str,
    "commit": str,  # of the program that was measured
    "date": str,
    "machine": str,
    "compiler": str,  # not shown
    "conditions": str,  # what else the machine did
    "command": str,
    "columns": list,
    "rows": list,
    "notes": str,  # one paragraph behind the table; may be empty
}
BLOCK = re.compile(r"^<!-- bench: (\S+) -->\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


def folder(root):
    return root / "docs" / "benchmarks"


def documents(root):
    """Every Markdown file that may show results."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def problem(name, result):
    """What is wrong with the content of NAME.json; None if nothing is."""
    if not isinstance(result, dict):
        return "expected an object"
    for field, kind in FIELDS.items():
        if not isinstance(result.get(field), kind):
            return f"field {field!r}: found {result.get(field)!r}, expected a {kind.__name__}"
    if unknown := sorted(set(result) - set(FIELDS)):
        return f"unknown field {unknown[0]!r}"
    if result["suite"] != name:
        return f"field 'suite': found {result['suite']!r}, expected {name!r}"
    for number, row in enumerate(result["rows"], 1):
        if not isinstance(row, list) or len(row) != len(result["columns"]):
            return f"row {number}: expected {len(result['columns'])} cells"
    return None


def load(root, name):
    path = folder(root) / f"{name}.json"
    try:
        result = json.loads(path.read_text())
    except OSError:
        raise Failure(f"docs/benchmarks/{name}.json: no such file") from None
    except ValueError as error:
        raise Failure(f"docs/benchmarks/{name}.json: {error}") from None
    if found := problem(name, result):
        raise Failure(f"docs/benchmarks/{name}.json: {found}")
    return result


def save(root, result):
    """Writes one row per line, so that a diff shows which rows changed."""
    if found := problem(result.get("suite"), result):
        raise Failure(f"results of suite {result.get('suite')!r}: {found}")
    lines = []
    for field in FIELDS:
        value = json.dumps(result[field], ensure_ascii=False)
        if field == "rows" and result[field]:
            value = "[\n" + ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in result[field]) + "\n  ]"
        lines.append(f'  "{field}": {value}')
    folder(root).mkdir(parents=True, exist_ok=True)
    (folder(root) / f"{result['suite']}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def cell(value):
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def paragraph(text):
    lines = textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False)
    for line in lines:
        if re.match(r"#|([>|+*-]|\d+[.)])( |$)", line):
            raise Failure(f"a line of a paragraph would begin with a mark of Markdown: {line!r}")
    return lines


def markdown(result):
    """The lines of a table and where its figures come from."""
    lines = []
    if result["rows"]:
        lines.append("| " + " | ".join(result["columns"]) + " |")
        lines.append("|" + "|".join(" --- " if n == 0 else " ---: " for n in range(len(result["columns"]))) + "|")
        lines += ["| " + " | ".join(map(cell, row)) + " |" for row in result["rows"]]
        lines.append("")
        commit = result["commit"] if " " in result["commit"] else f"Commit {result['commit']}"
        said = [f"{commit}, {result['date']}", result["machine"], result["conditions"]]
        text = "; ".join(part for part in said if part) + f": `{result['command']}`."
        lines += paragraph(f"{text} {result['notes']}".strip())
    else:
        lines += paragraph(f"Not measured yet: `{result['command']}`. {result['notes']}".strip())
    return "\n".join(lines) + "\n"


def rendered(root, text):
    """The text of a document with every table made anew."""
    if len(BLOCK.findall(text)) != text.count("<!-- bench: "):
        raise Failure("a line `<!-- bench: NAME -->` has no heading between itself and the next, or is no line of its own")

    def block(found):
        last = found.end() == len(text)
        return f"<!-- bench: {found[1]} -->\n{markdown(load(root, found[1]))}" + ("" if last else "\n")

    return BLOCK.sub(block, text)


def tables(root, write):
    """Renders every document, and writes those that change if `write`. Returns what was out of date or is wrong."""
    found, shown = [], []
    for path in documents(root):
        text = path.read_text()
        name = path.relative_to(root).as_posix()
        try:
            new = rendered(root, text)
        except Failure as failure:
            found.append(f"{name}: {failure}")
            continue
        shown += [block[0] for block in BLOCK.findall(text)]
        if new != text and write:
            path.write_text(new)
        elif new != text:
            found.append(f"{name}: differs from docs/benchmarks/*.json: run scripts/bench --tables")
    for path in sorted(folder(root).glob("*.json")):
        if shown.count(path.stem) != 1:
            found.append(f"docs/benchmarks/{path.name}: shown by {shown.count(path.stem)} tables, expected one")
    return found


EXAMPLE = {
    "suite": "one",
    "commit": "abc1234",
    "date": "2026-01-02",
    "machine": "two cores",
    "compiler": "rustc 1.0.0",
    "conditions": "nothing else running",
    "command": "scripts/bench one",
    "columns": ["board", "expanded"],
    "rows": [["9x9", 1234567]],
    "notes": "",
}
SHOWN = "| board | expanded |\n| --- | ---: |\n| 9x9 | 1,234,567 |\n\nCommit abc1234, 2026-01-02; two cores; nothing else running: `scripts/bench one`.\n"
DOCUMENT = "# Title\n\nText.\n\n<!-- bench: one -->\n{}\n# Next\n\nText.\n"


def self_test():
    """Differences between what the functions above do and what they should do."""
    failed = []

    def expect(what, found, expected):
        if found != expected:
            failed.append(f"{what}: found {found!r}, expected {expected!r}")

    def found_with(document, results):
        with tempfile.TemporaryDirectory() as place:
            root = Path(place)
            folder(root).mkdir(parents=True)
            (root / "A.md").write_text(document)
            for name, result in results.items():
                (folder(root) / f"{name}.json").write_text(json.dumps(result))
            return len(tables(root, write=False))

    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        save(root, EXAMPLE)
        (root / "A.md").write_text(DOCUMENT.format("old\n"))
        expect("what is saved", load(root, "one"), EXAMPLE)
        expect("an old table", len(tables(root, write=False)), 1)
        expect("writing", tables(root, write=True), [])
        expect("the document", (root / "A.md").read_text(), DOCUMENT.format(SHOWN))
        expect("a second look", tables(root, write=False), [])
    right = DOCUMENT.format(SHOWN)
    expect("a figure changed by hand", found_with(right.replace("567", "568"), {"one": EXAMPLE}), 1)
    expect("no results", found_with(right, {}), 1)
    expect("text behind a table", found_with(right.replace("# Next", ""), {"one": EXAMPLE}), 1)
    expect("two marks below one heading", found_with(right.replace("# Next", "<!-- bench: one -->"), {"one": EXAMPLE}), 2)
    expect("the last table of a document", found_with(right.partition("\n# Next")[0], {"one": EXAMPLE}), 0)
    expect("results that nobody shows", found_with("", {"one": EXAMPLE}), 1)
    expect("results shown twice", found_with(right + right, {"one": EXAMPLE}), 1)
    expect("a row that is too short", found_with(right, {"one": {**EXAMPLE, "rows": [["9x9"]]}}), 2)
    expect("another suite's name", found_with(right, {"one": {**EXAMPLE, "suite": "two"}}), 2)
    expect("a missing field", found_with(right, {"one": {k: v for k, v in EXAMPLE.items() if k != "date"}}), 2)
    expect("an unknown field", found_with(right, {"one": {**EXAMPLE, "more": 1}}), 2)
    expect("no rows", markdown({**EXAMPLE, "rows": []}), "Not measured yet: `scripts/bench one`.\n")
    expect("long notes", max(map(len, markdown({**EXAMPLE, "notes": "word " * 100}).splitlines())) <= COLUMNS, True)
    expect("repository root", (ROOT / "scripts" / "bench").is_file(), True)
    return failed

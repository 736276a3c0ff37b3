"""Results of benchmarks: JSON files in docs/benchmarks, and their tables in Markdown documents.

A document shows the results of docs/benchmarks/NAME.json after the line `<!-- bench: NAME -->`. All lines from this line
to the next heading are generated: other text of the document must stand before it.
"""

import json
import re
import tempfile
import textwrap
from pathlib import Path

from gridhunt import ROOT, Failure

MAX_COLUMNS = 120
FIELDS = {
    "suite": str,
    "commit": str,  # of the program that was measured
    "date": str,
    "machine": str,
    "compiler": str,  # not shown
    "conditions": str,  # load of the machine, special settings
    "command": str,
    "columns": list,
    "rows": list,
    "notes": str,  # one paragraph after the table; may be empty
}
BLOCK = re.compile(r"^<!-- bench: (\S+) -->\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


def folder(root):
    return root / "docs" / "benchmarks"


def documents(root):
    """Every Markdown file that may show results."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def problem(name, result):
    """What is wrong with the content of NAME.json; None if nothing."""
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
    if message := problem(name, result):
        raise Failure(f"docs/benchmarks/{name}.json: {message}")
    return result


def save(root, result):
    """Writes one row per line, so that a diff shows which rows changed."""
    if message := problem(result.get("suite"), result):
        raise Failure(f"results of suite {result.get('suite')!r}: {message}")
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
    lines = textwrap.wrap(text, MAX_COLUMNS, break_long_words=False, break_on_hyphens=False)
    for line in lines:
        if re.match(r"#|([>|+*-]|\d+[.)])( |$)", line):
            raise Failure(f"a line of a paragraph would begin with Markdown syntax: {line!r}")
    return lines


def markdown(result):
    """A table, and a paragraph about the origin of its numbers."""
    lines = []
    if result["rows"]:
        lines.append("| " + " | ".join(result["columns"]) + " |")
        lines.append("|" + "|".join(" --- " if n == 0 else " ---: " for n in range(len(result["columns"]))) + "|")
        lines += ["| " + " | ".join(map(cell, row)) + " |" for row in result["rows"]]
        lines.append("")
        commit = result["commit"] if " " in result["commit"] else f"Commit {result['commit']}"
        origin = [f"{commit}, {result['date']}", result["machine"], result["conditions"]]
        text = "; ".join(part for part in origin if part) + f": `{result['command']}`."
        lines += paragraph(f"{text} {result['notes']}".strip())
    else:
        lines += paragraph(f"Not measured yet: `{result['command']}`. {result['notes']}".strip())
    return "\n".join(lines) + "\n"


def rendered(root, text):
    """The text of a document with every table regenerated."""
    if len(BLOCK.findall(text)) != text.count("<!-- bench: "):
        raise Failure("`<!-- bench: NAME -->` must be a whole line, with a heading before the next one")

    def block(match):
        is_last = match.end() == len(text)
        return f"<!-- bench: {match[1]} -->\n{markdown(load(root, match[1]))}" + ("" if is_last else "\n")

    return BLOCK.sub(block, text)


def update_or_check(root, update):
    """Renders every document. Writes the changed documents if `update`, else reports them. Returns the problems."""
    problems, shown = [], []
    for path in documents(root):
        text = path.read_text()
        name = path.relative_to(root).as_posix()
        try:
            new = rendered(root, text)
        except Failure as failure:
            problems.append(f"{name}: {failure}")
            continue
        shown += [block[0] for block in BLOCK.findall(text)]
        if new != text and update:
            path.write_text(new)
        elif new != text:
            problems.append(f"{name}: differs from docs/benchmarks/*.json: run scripts/bench --tables")
    for path in sorted(folder(root).glob("*.json")):
        if shown.count(path.stem) != 1:
            problems.append(f"docs/benchmarks/{path.name}: shown by {shown.count(path.stem)} tables, expected one")
    return problems


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
    """Tests of the functions above. Returns the failures."""
    failed = []

    def expect(what, found, expected):
        if found != expected:
            failed.append(f"{what}: found {found!r}, expected {expected!r}")

    def problem_count(document, results):
        with tempfile.TemporaryDirectory() as place:
            root = Path(place)
            folder(root).mkdir(parents=True)
            (root / "A.md").write_text(document)
            for name, result in results.items():
                (folder(root) / f"{name}.json").write_text(json.dumps(result))
            return len(update_or_check(root, update=False))

    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        save(root, EXAMPLE)
        (root / "A.md").write_text(DOCUMENT.format("old\n"))
        expect("what is saved", load(root, "one"), EXAMPLE)
        expect("an old table", len(update_or_check(root, update=False)), 1)
        expect("writing", update_or_check(root, update=True), [])
        expect("the document", (root / "A.md").read_text(), DOCUMENT.format(SHOWN))
        expect("a second check", update_or_check(root, update=False), [])
    document = DOCUMENT.format(SHOWN)
    expect("a number changed by hand", problem_count(document.replace("567", "568"), {"one": EXAMPLE}), 1)
    expect("no results", problem_count(document, {}), 1)
    expect("text after a table", problem_count(document.replace("# Next", ""), {"one": EXAMPLE}), 1)
    expect("two marks below one heading", problem_count(document.replace("# Next", "<!-- bench: one -->"), {"one": EXAMPLE}), 2)
    expect("the last table of a document", problem_count(document.partition("\n# Next")[0], {"one": EXAMPLE}), 0)
    expect("results that nobody shows", problem_count("", {"one": EXAMPLE}), 1)
    expect("results shown twice", problem_count(document + document, {"one": EXAMPLE}), 1)
    expect("a row that is too short", problem_count(document, {"one": {**EXAMPLE, "rows": [["9x9"]]}}), 2)
    expect("another suite's name", problem_count(document, {"one": {**EXAMPLE, "suite": "two"}}), 2)
    expect("a missing field", problem_count(document, {"one": {k: v for k, v in EXAMPLE.items() if k != "date"}}), 2)
    expect("an unknown field", problem_count(document, {"one": {**EXAMPLE, "more": 1}}), 2)
    expect("no rows", markdown({**EXAMPLE, "rows": []}), "Not measured yet: `scripts/bench one`.\n")
    expect("long notes", max(map(len, markdown({**EXAMPLE, "notes": "word " * 100}).splitlines())) <= MAX_COLUMNS, True)
    expect("repository root", (ROOT / "scripts" / "bench").is_file(), True)
    return failed

"""Reads Rust source just closely enough for the checks beside it: tokens with their lines, comments
apart, strings and characters out of the way, and which lines belong to tests only."""

import re
from pathlib import Path
from typing import NamedTuple


class Token(NamedTuple):
    kind: str  # "ident", "punct", "literal" or "lifetime"
    text: str
    line: int


class Comment(NamedTuple):
    text: str
    line: int  # of its first character


_IDENT = re.compile(r"(?:r#)?[A-Za-z_][A-Za-z0-9_]*")
_RAW_STRING = re.compile(r'(?:br|cr|r)(#*)"')
_STRING = re.compile(r'[bc]?"')
_CHAR = re.compile(r"b?'(?:\\(?:x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f_]+\}|.)|[^\\'])'", re.DOTALL)
_LIFETIME = re.compile(r"'[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9][0-9A-Za-z_]*(?:\.[0-9][0-9A-Za-z_]*)?")


def _end_of_block_comment(text, at):
    """Block comments nest."""
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _end_of_string(text, at):
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def lex(text):
    """The tokens and the comments of a source text."""
    tokens, comments = [], []
    at, line = 0, 1
    while at < len(text):
        start = at
        if text[at].isspace():
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            comments.append(Comment(text[start:at], line))
        elif text.startswith("/*", at):
            at = _end_of_block_comment(text, at)
            comments.append(Comment(text[start:at], line))
        elif match := _RAW_STRING.match(text, at):
            close = '"' + match.group(1)
            end = text.find(close, match.end())
            at = len(text) if end < 0 else end + len(close)
            tokens.append(Token("literal", '""', line))
        elif match := _STRING.match(text, at):
            at = _end_of_string(text, match.end())
            tokens.append(Token("literal", '""', line))
        elif match := _CHAR.match(text, at):
            at = match.end()
            tokens.append(Token("literal", "''", line))
        elif match := _LIFETIME.match(text, at):
            at = match.end()
            tokens.append(Token("lifetime", match.group(), line))
        elif match := _IDENT.match(text, at):
            at = match.end()
            tokens.append(Token("ident", match.group().removeprefix("r#"), line))
        elif match := _NUMBER.match(text, at):
            at = match.end()
            tokens.append(Token("literal", "0", line))
        elif text.startswith("::", at):
            at += 2
            tokens.append(Token("punct", "::", line))
        else:
            at += 1
            tokens.append(Token("punct", text[start], line))
        line += text.count("\n", start, at)
    return tokens, comments


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def after_group(tokens, at):
    """The index behind the group that opens at `at`."""
    stack = []
    while at < len(tokens):
        text = tokens[at].text if tokens[at].kind == "punct" else ""
        if text in _CLOSING:
            stack.append(_CLOSING[text])
        elif stack and text == stack[-1]:
            stack.pop()
            if not stack:
                return at + 1
        at += 1
    return at


def _after_item(tokens, at):
    """The index behind the item (or statement) at `at`: up to its `;` or its closing brace."""
    while at < len(tokens):
        text = tokens[at].text
        if text == ";":
            return at + 1
        if text == "{":
            return after_group(tokens, at)
        at = after_group(tokens, at) if text in ("(", "[") else at + 1
    return at


def _is_test_attribute(words):
    """`test`, `cfg(test)`, `cfg(all(loom, test))`; not `cfg(not(test))`, not `cfg_attr(test, ..)`."""
    return words == ["test"] or (words[:1] == ["cfg"] and "test" in words and "not" not in words)


class TestItem(NamedTuple):
    first: int  # token of its first attribute
    end: int  # token behind it
    module: str | None  # `name` of a `mod name;` whose code is in a file of its own


def test_items(tokens):
    """The items that exist in test builds only, outermost ones."""
    items, at = [], 0
    while at < len(tokens):
        if tokens[at].text != "#" or at + 1 >= len(tokens) or tokens[at + 1].text != "[":
            at += 1
            continue
        first, is_test = at, False
        while at + 1 < len(tokens) and tokens[at].text == "#" and tokens[at + 1].text == "[":
            end = after_group(tokens, at + 1)
            is_test |= _is_test_attribute([t.text for t in tokens[at + 2 : end] if t.kind == "ident"])
            at = end
        if is_test:
            end = _after_item(tokens, at)
            words = [t.text for t in tokens[at:end]]
            name = words[words.index("mod") + 1] if "mod" in words[:6] and words[-1] == ";" else None
            items.append(TestItem(first, end, name))
            at = end
    return items


class Source:
    """One file of the crate."""

    def __init__(self, root, path):
        self.path = path
        self.shown = path.relative_to(root.parent).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()
        self.tokens, self.comments = lex(self.text)
        self.tests = test_items(self.tokens)
        self.only_tests = False  # set by `load`
        below = path.relative_to(root).with_suffix("").parts
        self.module = () if below in (("lib",), ("main",)) else below[:-1] if below[-1] == "mod" else below

    def child_files(self, name):
        """Where `mod name;` of this file may have its code."""
        own_folder = self.path.name in ("mod.rs", "lib.rs", "main.rs")
        folder = self.path.parent if own_folder else self.path.with_suffix("")
        return [folder / f"{name}.rs", folder / name / "mod.rs"]

    def plain_tokens(self):
        """Tokens outside tests."""
        if self.only_tests:
            return
        at = 0
        for item in self.tests:
            yield from self.tokens[at : item.first]
            at = item.end
        yield from self.tokens[at:]


def load(root):
    """Every `.rs` file below `root`, a crate's `src`."""
    sources = [Source(root, path) for path in sorted(Path(root).rglob("*.rs"))]
    by_path = {source.path: source for source in sources}
    for source in sources:
        for item in source.tests:
            for path in source.child_files(item.module) if item.module else []:
                if path in by_path:
                    by_path[path].only_tests = True
    tests = {source.module for source in sources if source.only_tests}
    for source in sources:
        source.only_tests |= any(source.module[:n] in tests for n in range(1, len(source.module)))
    return sources

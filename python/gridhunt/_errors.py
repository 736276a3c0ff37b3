"""The exceptions. Their messages name arguments as Python spells them."""

from __future__ import annotations

import json
import re
import shlex
from typing import Optional

from . import _native

# Arguments that are no options of a search.
_ARGUMENTS = (
    *("after", "colours", "cols", "count", "empty", "exhaustive", "fill", "films", "format", "kind", "most", "rows", "run"),
    *("seed", "size", "start", "veripb"),
)
# After these flags the next word is the value. After all others it belongs to the sentence.
_NAMED = ("bound", "domain", "engine", "format", "objective")
# Commands, and the calls of Python that replace them. `{}` is the path.
_CALLS = {"solve BOARD": "Hunt(board, run={})", "hunt CONFIG": "Hunt(config=..., run={})", "resume": "Hunt.resume({})"}

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_SHELL_WORD = rf"(?:'[^']*'|{_QUOTED}|[^\s'\"`;,()])+"
_PARTS = re.compile(
    rf"""
    (?P<quoted>{_QUOTED})  # Stays as it is.
    | gridhunt\ (?P<command>{"|".join(map(re.escape, _CALLS))})\b(?:\ --run)?(?:\ (?P<path>{_SHELL_WORD}))?(?!\ --)
    | (?P<kept>(?:gridhunt\ [a-z]+|\bsolve)(?:\ (?:--[a-z-]+|[A-Z]+)\b)+)
    | (?<![^\s(`])--(?P<flag>[a-z][a-z-]*)
      (?:\ (?P<value>'[^']*'|\d[\w.]*(?:,\d+)?|[A-Z]+(?:x[A-Z]+)?\b|[a-z]+-[a-z-]+))?
      (?P<word>\ [a-z]+\b)?
      (?P<more>\ (?=--))?
    | (?<![\w./\\-])(?P<key>{"|".join(name for name in _native.OPTIONS if "-" in name)})(?![\w/\\-]|\.\w)
    """,
    re.VERBOSE,
)


def in_python(text: str) -> str:
    """A message of the program in the words of Python: arguments for flags, calls for commands. Removes a hint that
    contains a flag which no function takes.

    >>> in_python("expected one: --format lines --size 2x3; or --start 2,1")
    'expected one: format="lines", size=(2, 3); or start=(1, 0)'
    >>> in_python("expected a cell (for cells with another origin: --origin)")
    'expected a cell'
    """
    while (at := next((part.start() for part in _PARTS.finditer(text) if _is_foreign(part["flag"])), None)) is not None:
        text = _without_hint(text, at)
    return _PARTS.sub(_respelled, text)


def _is_foreign(flag: Optional[str]) -> bool:
    return flag is not None and flag not in _native.OPTIONS and flag not in _ARGUMENTS


def _without_hint(text: str, at: int) -> str:
    """The text without the hint around a place: a part in brackets, or one between commas or semicolons. Without such a
    sign before the place, the hint begins there.
    """
    begin = max([text.rfind(sign, 0, at) for sign in (" (", "; ", ", ") if sign in text[:at]], default=at)
    end = re.compile(r"\)" if text.startswith(" (", begin) else "(?=[;,])").search(text, at)
    return text[:begin] + (text[end.end() :] if end else "")


def _respelled(part: re.Match[str]) -> str:
    if part["command"]:
        path = part["path"]
        if path is None:
            return _CALLS[part["command"]].split("(")[0]
        return _CALLS[part["command"]].format("..." if path.isupper() else _text(shlex.split(path)[0]))
    if part["key"]:
        return part["key"].replace("-", "_")
    if not part["flag"]:
        return part[0]
    name, value, word = part["flag"].replace("-", "_"), part["value"], part["word"] or ""
    if value is None and name in _NAMED and word:
        value, word = word.strip(), ""
    after = word + (", " if part["more"] and value and not word else part["more"] or "")
    return name + ("" if value is None else f"={_value(name, value)}") + after


def _value(name: str, value: str) -> str:
    if name == "size" and "x" in value.lower():
        return "({}, {})".format(*value.lower().split("x"))
    if value.isupper():
        return "..."
    if "," in value:
        row, col = value.split(",")
        return f"({int(row) - 1}, {int(col) - 1})"
    return value if value.isdecimal() else _text(value.strip("'"))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


class GridhuntError(Exception):
    """The base of all errors of gridhunt."""

    def __init__(self, message: str = "") -> None:
        super().__init__(in_python(message))


class BoardError(GridhuntError):
    """A text, file, link or array is not a board of the puzzle."""


class OptionError(GridhuntError):
    """There is no such option, or it has no such value."""


class SolutionError(GridhuntError):
    """A text is not a solution of the puzzle."""


class CertificateError(GridhuntError):
    """A certificate is refused, or cannot be made."""


class RunError(GridhuntError):
    """A run directory cannot be used."""


# Tracebacks name the exceptions as users import them.
for _error in (GridhuntError, BoardError, OptionError, SolutionError, CertificateError, RunError):
    _error.__module__ = "gridhunt"

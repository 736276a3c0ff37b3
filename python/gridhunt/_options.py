"""The options of a search: those of the program and of its configuration files, with ``_`` for ``-``."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from numbers import Real
from typing import Any, Mapping, Sequence, TypedDict, Union

from . import _native
from ._errors import OptionError

Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]
Time = Union[float, str, timedelta]


class Options(TypedDict, total=False):
    """Options of a search. ``gridhunt solve --help`` and ``docs/hunts.md`` say what each does.

    ``config`` is the name or the path of a configuration, whose options hold where the call says nothing; what it says
    about boards and run directories is left out. It is found as by ``gridhunt solve --config``.

    Sizes are bytes or texts such as ``"8GiB"``; times are seconds, texts such as ``"90s"`` or a
    :class:`~datetime.timedelta`.
    """

    config: Path
    domain: str
    objective: str
    min_group: int
    columns: str
    corner: str
    target: str
    score: str
    clear_bonus: int
    left_penalty: str
    engine: str
    bound: str
    threads: int
    memory: Size
    time_limit: Time
    expansions: int
    parallel: str
    spill: Sequence[Path]
    disk: Size
    checkpoint: Time
    parameters: Mapping[str, int]


_SIZES = ("memory", "disk")
_MOST_BYTES = 1 << 50
_TIMES = ("time-limit", "checkpoint")
_MOST_SECONDS = 100 * 31_557_600


def to_json(options: Mapping[str, Any]) -> str:
    """The options as the native part reads them: messages quote a text, or an unknown key, as it is written here.

    >>> to_json({"time_limit": 1.5, "bound": None, "parameters": {"beam_width": 7}})
    '{"time-limit": "1500ms", "parameters": {"beam-width": 7}}'
    """
    plain = _plain(options)
    for given, found in options.items():
        key = _key(given)
        value = plain.get(key)
        if key in _SIZES and isinstance(value, (int, float)):
            if isinstance(value, bool) or not 0 < value <= _MOST_BYTES:
                expected = 'a number of bytes from 1 to 1 PiB, or a text such as "4GiB"'
                raise OptionError(f"{given}: found {found!r}, expected {expected}")
            plain[key] = f"{int(value)}B"
        elif key in _TIMES and isinstance(value, (int, float)):
            if isinstance(value, bool) or not 0 < value <= _MOST_SECONDS:
                expected = 'a number of seconds above 0, at most 100 years, or a text such as "10m"'
                raise OptionError(f"{given}: found {found!r}, expected {expected}")
            plain[key] = f"{max(round(value * 1000), 1)}ms"
    return json.dumps(plain, default=_plain)


def refuse_negative(**numbers: int) -> None:
    """Refuses an argument below 0."""
    for name, number in numbers.items():
        if number < 0:
            raise OptionError(f"{name}: found {number}, expected a whole number from 0")


def _key(key: str) -> str:
    """The key of a configuration; an unknown one as it is."""
    name = key.replace("_", "-")
    return name if name in _native.OPTIONS else key


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_key(key): _plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__name__ == "timedelta64":
        value = value.astype("timedelta64[us]")
    if hasattr(value, "item"):
        return _plain(value.item())  # a number of numpy
    if value is None or isinstance(value, (str, int, float, list, tuple)):
        return value
    if isinstance(value, Real):
        return float(value)
    raise OptionError(f"found {value!r:.60} among the options, expected texts and numbers, or lists of them")

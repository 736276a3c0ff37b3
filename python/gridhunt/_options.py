"""The options of a search: those of the program and of its configuration files, with ``_`` for ``-``."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import Any, Mapping, Sequence, TypedDict, Union

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
_TIMES = ("time-limit", "checkpoint")


def to_json(options: Mapping[str, Any]) -> str:
    """The options as the native part reads them.

    >>> to_json({"time_limit": 1.5, "bound": None, "parameters": {"beam_width": 7}})
    '{"time-limit": "1500ms", "parameters": {"beam-width": 7}}'
    """
    plain = _plain(options)
    for key in _SIZES:
        if isinstance(plain.get(key), int):
            plain[key] = f"{plain[key]}B"
    for key in _TIMES:
        if isinstance(plain.get(key), (int, float)):
            plain[key] = f"{round(plain[key] * 1000)}ms"
    return json.dumps(plain, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key.replace("_", "-"): _plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, timedelta):
        return f"{round(value.total_seconds() * 1000)}ms"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()  # a number of numpy
    return value

"""Run directories."""

from __future__ import annotations

import json
import os
from typing import Any, Dict

from . import _native
from ._options import Path
from ._table import Table


class Run:
    """A run directory, read without changing it: a search may go on in it, in this process or in another one.

    Each method reads the directory anew, and raises RunError when it cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path: str = os.fspath(path)
        """The path of the directory."""
        self.status()

    def status(self) -> Dict[str, Any]:
        """How far the run is: the object of ``gridhunt status --json``."""
        status: Dict[str, Any] = json.loads(_native.run_status(self.path))
        return status

    def progress(self) -> Table:
        """The rows of ``progress.jsonl``: a curve over time of bounds, states, memory. Times are in seconds."""
        return Table(json.loads(_native.run_progress(self.path)))

    def results(self) -> Table:
        """The results as rows, of all boards that have one: the fields of :class:`Result`."""
        return Table(json.loads(_native.run_results(self.path)))

    def __repr__(self) -> str:
        return f"<Run {self.path!r}>"


def open_run(path: Path) -> Run:
    """Opens a run directory to read it.

    Raises:
        RunError: There is no run, or it is damaged.
    """
    return Run(path)

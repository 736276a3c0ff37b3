"""Run directories."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Dict

from . import _native
from ._options import Path
from ._table import Table


# The most solutions on a page in a notebook, which keeps it.
_FEW_FILMS = 20


class Run:
    """A run directory, read without changing it: a search may go on in it, in this process or in another one.

    Each method reads the directory anew, and raises RunError when it cannot be used. What is about another board,
    puzzle or rules than the run is left out.
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

    def to_html(self, films: int = 200) -> str:
        """The page that ``gridhunt report`` writes: one document of HTML, which needs no network.

        Args:
            films: Draw at most this many solutions.
        """
        return _native.run_page(self.path, films)

    def _repr_html_(self) -> str:
        return framed_page(self.path)

    def __repr__(self) -> str:
        return f"<Run {self.path!r}>"


def framed_page(path: str) -> str:
    """The page of a run for a notebook, in a frame: its styles and scripts stay inside. Never raises.

    >>> framed_page("no<where")
    '<pre>no&lt;where: found nothing, expected ...</pre>'
    """
    try:
        page = html.escape(_native.run_page(path, _FEW_FILMS))
    except Exception as error:
        return f"<pre>{html.escape(str(error))}</pre>"
    style = "width: 100%; height: 40em; border: 0"
    return f'<iframe title="{html.escape(path)}" sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'


def open_run(path: Path) -> Run:
    """Opens a run directory to read it.

    Raises:
        RunError: There is no run, or it is damaged.
    """
    return Run(path)

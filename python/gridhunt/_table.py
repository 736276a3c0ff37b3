"""Tables: lists of dicts, for pandas and polars."""

from __future__ import annotations

from typing import Any, Dict, List


class Table(List[Dict[str, Any]]):
    """A list of rows, each a dict from names of columns to values.

    >>> Table([{"bound": "layers", "expanded": 7}])[0]["expanded"]
    7
    """

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``. Needs pandas: ``pip install gridhunt[pandas]``.

        A value that a row does not have is missing in it.
        """
        import pandas

        return pandas.DataFrame(list(self))

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``. Needs polars: ``pip install gridhunt[polars]``.

        A value that a row does not have is null in it.
        """
        import polars

        return polars.from_dicts(list(self), infer_schema_length=None) if self else polars.DataFrame()

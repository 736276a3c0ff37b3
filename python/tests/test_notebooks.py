"""The notebooks run, and are kept without what they print."""

from pathlib import Path

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 3 and not any(cell.outputs or cell.execution_count for cell in code)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_there_are_notebooks():
    assert len(list(FOLDER.glob("*.ipynb"))) == 5

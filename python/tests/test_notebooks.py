"""The notebooks run, and are kept without what they print."""

from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "notebooks"
# What a notebook needs besides the packages that the tests have anyway.
NEEDS = {"6-planners": ("didppy", "up_fast_downward")}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    for package in NEEDS.get(path.stem, ()):
        pytest.importorskip(package, reason=f"{package} is not installed: need_planners of scripts/lib/common.sh does it")
    # A folder of its own, from which ../../scripts is what it is beside the notebooks.
    folder = tmp_path / "examples" / "notebooks"
    folder.mkdir(parents=True)
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 3 and not any(cell.outputs or cell.execution_count for cell in code)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()


def test_there_are_notebooks():
    assert len(list(FOLDER.glob("*.ipynb"))) == 6

"""The notebooks run, and are kept with what they print and draw.

With GRIDHUNT_KEEP=1 in the environment they are written anew.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "notebooks"
# What a notebook needs besides the packages that the tests have anyway.
NEEDS = {"6-planners": ("didppy", "up_fast_downward")}


def kept(cell):
    """The outputs of a cell as they are kept: without pages in frames, which are large, and without their numbers."""
    html = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
    cell.outputs = [output for output, page in zip(cell.outputs, html) if not page.startswith("<iframe")]
    for output in cell.outputs:
        if "execution_count" in output:
            output["execution_count"] = None
    return cell.outputs


def kinds(outputs):
    """What is the same in each run: numbers of seconds are not. Texts to one stream may come in one piece or in two."""
    found = {(output.output_type, *sorted(output.get("data", {"text": 0}))) for output in outputs}
    return found - {("stream", "text")}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="GRIDHUNT_LONG=1 scripts/python installs it")
    nbformat = pytest.importorskip("nbformat")
    for package in NEEDS.get(path.stem, ()):
        pytest.importorskip(package, reason=f"{package} is not installed: need_planners of scripts/lib/common.sh does it")
    # A folder of its own, from which ../../scripts is what it is beside the notebooks.
    folder = tmp_path / "examples" / "notebooks"
    folder.mkdir(parents=True)
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    before = [kinds(cell.outputs) for cell in code]
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in code:
        cell.execution_count = None
        cell.metadata.pop("execution", None)
    after = [kinds(kept(cell)) for cell in code]
    if os.environ.get("GRIDHUNT_KEEP"):
        nbformat.write(notebook, path)
    else:
        assert len(code) >= 3 and any(after) and before == after, f"GRIDHUNT_KEEP=1 writes {path.name} anew"


def test_there_are_notebooks():
    assert len(list(FOLDER.glob("*.ipynb"))) == 6

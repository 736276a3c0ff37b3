"""Loads a release of the data set with pandas, and compares it with its data card, checksums and certificates.

    check_release.py DIR
"""

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

import pandas
from release import COLUMNS, ROOT

[folder] = [path for path in Path(sys.argv[1]).iterdir() if path.is_dir()]
boards = pandas.read_parquet(folder / "boards.parquet")
assert list(boards.columns) == [name for name, _, _ in COLUMNS], boards.columns
for name, kind, _ in COLUMNS:
    assert kind.endswith("?") or boards[name].notna().all(), name
assert set(boards.puzzle) == {"flood-it", "clickomania", "free-flood", "bunny"} and len(boards) > 10, len(boards)
assert not boards.duplicated(["puzzle", "board", "objective"]).any()
card = (folder / "README.md").read_text()
assert f"\n{len(boards)} boards of " in card and f"{(boards.proof == 'certificate').sum()} optima have" in card

# CSV has no types: the CSV file is read with the types of the Parquet file.
table = pandas.read_csv(folder / "boards.csv", dtype=boards.dtypes.to_dict())
pandas.testing.assert_frame_equal(table, boards)

# Moves and cells agree with the numbers of the row.
flood = boards[boards.puzzle == "flood-it"]
assert (flood.solution.str.split().str.len() == flood.optimum).all()
assert (boards.cells.str.split("/").str.len() == boards.rows).all()
shipped = 0
for puzzle in ("floodit", "clickomania", "freeflood", "bunny"):
    optima = pandas.read_csv(ROOT / "datasets" / puzzle / "optima.csv").set_index("board").optimum
    for row in boards[boards.set.str.contains(rf"^{puzzle}/.*\.(?:txt|lines)$")].itertuples():
        assert row.optimum == optima[row.board], row
        shipped += 1
assert shipped > 10, shipped

checksums = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
assert set(files) == {*checksums, "SHA256SUMS"}
for name, path in files.items():
    assert name == "SHA256SUMS" or hashlib.sha256(path.read_bytes()).hexdigest() == checksums[name], name
certified = boards.dropna(subset="certificate")
assert set(certified.certificate) == {name for name in files if name.startswith("certificates/")}
checkers = {"flood-it": "check_certificate.py", "clickomania": "check_clickomania.py"}
for row in certified.itertuples():
    assert checksums[row.certificate] == row.certificate_sha256, row
    # The checkers share no code with gridhunt.
    subprocess.run([ROOT / "scripts" / checkers[row.puzzle], folder / row.certificate], check=True, stdout=subprocess.DEVNULL)
with tarfile.open(folder.with_name(folder.name + ".tar.gz")) as archive:
    packed = {member.name.split("/", 1)[1]: archive.extractfile(member).read() for member in archive if member.isfile()}
assert packed == {name: path.read_bytes() for name, path in files.items()}
print(f"{folder.name}: {len(boards)} boards, {len(certified)} certificates, as in the data card")

#!/usr/bin/env python3
"""Writes the licences of everything in the program: each crate with its licence and the texts that come with it.

    scripts/lib/licences.py TARGET

Fails where a crate comes without a text and without a licence that the project's own texts cover.
"""

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def texts(folder):
    """The texts of a crate, also of code in other languages that it brings along."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name.upper().startswith(NAMES)]
    return sorted(path for path in found if path.suffix in ("", ".md", ".txt", ".rst") or path.stem.upper().startswith(NAMES))


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", sys.argv[1]]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    own = set(metadata["workspace_members"])
    [program] = [package["id"] for package in metadata["packages"] if package["name"] == "gridhunt"]
    reached, waiting = set(), [program]
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            for dependency in nodes[node]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    said = {}
    print("gridhunt is linked with the libraries below. Their licences follow, each text once.\n")
    for package in sorted((packages[node] for node in reached - own), key=lambda package: package["name"]):
        folder = Path(package["manifest_path"]).parent
        numbers = []
        for path in texts(folder):
            text = path.read_text(errors="replace").strip()
            numbers.append(said.setdefault(text, len(said) + 1))
        licence = package["license"] or "see the text"
        if not numbers and not {"MIT", "Apache-2.0"} & set(licence.replace("/", " ").split()):
            sys.exit(f"{package['name']}: found no licence text, expected one beside its Cargo.toml ({folder})")
        where = ", ".join(f"text {number}" for number in dict.fromkeys(numbers)) or "no text of its own"
        print(f"{package['name']} {package['version']}: {licence}; {where}")
    for text, number in said.items():
        print(f"\n{'=' * 40} text {number}\n\n{text}")


main()

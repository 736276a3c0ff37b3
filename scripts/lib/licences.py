#!/usr/bin/env python3
"""Writes the licences of all crates that the program is linked with, and the licence texts in their packages.

    scripts/lib/licences.py TARGET

Fails if a crate has no licence text, and its licence is neither MIT nor Apache-2.0 (the project ships these texts).
"""

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def texts(folder):
    """The licence files of a crate, also in folders of bundled code of other languages."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name.upper().startswith(NAMES)]
    return sorted(path for path in found if path.suffix in ("", ".md", ".txt", ".rst") or path.stem.upper().startswith(NAMES))


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", sys.argv[1]]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    workspace = set(metadata["workspace_members"])
    [program] = [package["id"] for package in metadata["packages"] if package["name"] == "gridhunt"]
    reached, stack = set(), [program]
    while stack:
        node = stack.pop()
        if node not in reached:
            reached.add(node)
            for dependency in nodes[node]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    stack.append(dependency["pkg"])
    text_numbers = {}
    print("gridhunt is linked with the libraries below. Their licences follow, each text once.\n")
    for package in sorted((packages[node] for node in reached - workspace), key=lambda package: package["name"]):
        folder = Path(package["manifest_path"]).parent
        numbers = []
        for path in texts(folder):
            text = path.read_text(errors="replace").strip()
            numbers.append(text_numbers.setdefault(text, len(text_numbers) + 1))
        licence = package["license"] or "see the text"
        if not numbers and not {"MIT", "Apache-2.0"} & set(licence.replace("/", " ").split()):
            sys.exit(f"{package['name']}: found no licence text, expected one beside its Cargo.toml ({folder})")
        references = ", ".join(f"text {number}" for number in dict.fromkeys(numbers)) or "no text in its package"
        print(f"{package['name']} {package['version']}: {licence}; {references}")
    for text, number in text_numbers.items():
        print(f"\n{'=' * 40} text {number}\n\n{text}")


main()

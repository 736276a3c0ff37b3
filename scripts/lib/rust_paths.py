"""Reads the paths of a Rust source: what `use` trees and plain code name, and where such a path leads."""

from typing import NamedTuple

from rust_source import after_group

# The name under which a file outside the library reaches the library's root.
LIBRARY = "gridhunt"


class NamedPath(NamedTuple):
    segments: tuple
    line: int
    around: tuple  # names of the inline modules around the path
    bound: str | None  # the name that a `use` gives to the path; None in plain code
    is_reexport: bool  # of a `use` with a visibility: `pub use`, `pub(super) use`


def _use_tree(tokens, at, prefix):
    """Every leaf of the use tree at `at`, as (segments, line, bound name), and the index behind the tree."""
    path, line, leaves = list(prefix), tokens[at].line if at < len(tokens) else 0, []

    def bound():
        return (path[-2] if len(path) > 1 and path[-1] == "self" else path[-1]) if path else None

    while at < len(tokens):
        token = tokens[at]
        if token.text == "::":
            at += 1
        elif token.text == "{":
            end = after_group(tokens, at)
            at += 1
            while at < end - 1:
                inner, at = _use_tree(tokens, at, path)
                leaves += inner
                at += at < end - 1 and tokens[at].text == ","
            return leaves, end
        elif token.kind == "ident" and token.text == "as":
            leaves.append((path, line, tokens[at + 1].text if at + 1 < len(tokens) else None))
            return leaves, at + 2
        elif token.kind == "ident" or token.text == "*":
            path.append(token.text)
            line = token.line
            at += 1
        else:
            break
    leaves.append((path, line, bound()))
    return leaves, at


def _is_visibility(tokens, at):
    """Whether the path at `at` is the one of `pub(in path)`: nothing is imported by it."""
    return [t.text for t in tokens[max(0, at - 3) : at]] == ["pub", "(", "in"]


def paths(tokens, children=frozenset()):
    """Every path of `tokens` that begins at `crate`, the library, `super`, `self` or a name in `children`, and every
    leaf of a `use`."""
    inline, depth, at = [], 0, 0  # inline: (name, depth of its braces)
    roots = {"crate", "super", "self", LIBRARY} | set(children)
    while at < len(tokens):
        token = tokens[at]
        if token.text == "{":
            depth += 1
        elif token.text == "}":
            depth -= 1
            while inline and inline[-1][1] > depth:
                inline.pop()
        around = tuple(name for name, _ in inline)
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        before = tokens[at - 1].text if at else ""
        if token.text == "mod" and at + 2 < len(tokens) and tokens[at + 2].text == "{":
            inline.append((following, depth + 1))
            at += 2
        elif token.kind == "ident" and token.text == "use" and following != "<":
            leaves, at = _use_tree(tokens, at + 1, [])
            is_reexport = before in ("pub", ")")
            yield from (NamedPath(tuple(path), line, around, bound, is_reexport) for path, line, bound in leaves)
        elif token.kind == "ident" and token.text in roots and following == "::" and before != "::":
            segments, line, first = [token.text], token.line, at
            while at + 2 < len(tokens) and tokens[at + 1].text == "::" and tokens[at + 2].kind == "ident":
                at += 2
                segments.append(tokens[at].text)
            if not _is_visibility(tokens, first):
                yield NamedPath(tuple(segments), line, around, None, False)
            at += 1
        else:
            at += 1


def resolve(segments, module):
    """The path from the crate root, or None for one that does not begin there (another crate's, a local one)."""
    if segments[0] in ("crate", LIBRARY):
        return list(segments[1:])
    if segments[0] not in ("super", "self"):
        return None
    here, rest = list(module), list(segments)
    while rest and rest[0] in ("super", "self"):
        if rest.pop(0) == "super" and here:
            here.pop()
    return here + rest

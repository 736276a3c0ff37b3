"""Finds circles of imports between the files of a crate. The rule stands in the head of scripts/floors."""

from typing import NamedTuple

from rust_paths import paths, resolve


class Import(NamedTuple):
    target: str  # the file that is imported, as it is shown
    line: int


class Crate:
    """The files of a crate, and which file defines what a path names. Test code is left out."""

    def __init__(self, sources, is_flat):
        self.is_flat = is_flat
        self.files = {source.module: source for source in sources if source.module and not source.only_tests}
        self.named = {module: self._paths(module) for module in self.files}

    def _used_names(self, module):
        """The names in a file's code outside tests, outside `use` items and `mod name;`."""
        names, tokens, at = set(), list(self.files[module].plain_tokens()), 0
        while at < len(tokens):
            if tokens[at].text == "use" and tokens[at].kind == "ident" and tokens[at + 1].text != "<":
                at = next((end for end in range(at, len(tokens)) if tokens[end].text == ";"), len(tokens))
            elif tokens[at].kind == "ident" and (at == 0 or tokens[at - 1].text != "mod"):
                names.add(tokens[at].text)
            at += 1
        return names

    def _paths(self, module):
        """The paths of a file's code outside tests, with segments from the crate root."""
        source = self.files[module]
        children = {other[-1] for other in self.files if other[:-1] == module}
        found = []
        for path in paths(list(source.plain_tokens()), children):
            if not path.segments:
                continue
            absolute = resolve(path.segments, module + path.around)
            if absolute is None and path.segments[0] in children:
                absolute = [*module, *path.segments]
            if absolute:
                # A name that is bound inside an inline module is no name of the file.
                bound = None if path.around else path.bound
                found.append(path._replace(segments=tuple(absolute), bound=bound))
        return found

    def definer(self, segments, followed=()):
        """The module whose file defines what `segments` name; None when no file of the crate does.

        A name that another file only binds by a `use` is looked for where that `use` leads.
        """
        length = next((n for n in range(len(segments), 0, -1) if segments[:n] in self.files), 0)
        module, rest = segments[:length], tuple(name for name in segments[length:] if name != "self")
        if not module:
            return None
        if not rest or module in followed:
            return module
        for path in self.named[module]:
            if path.bound == rest[0] and path.segments != segments[: length + 1]:
                return self.definer(path.segments + rest[1:], (*followed, module)) or module
        return module

    def imports(self):
        """For each file the files of its top folder, or of a flat crate, that it imports from, with the first line.

        A re-export is no import, unless the file uses the name itself. Imports of another top folder are a matter of
        floors, which allow one direction only.
        """
        graph = {}
        for module, source in self.files.items():
            lines, used = {}, self._used_names(module)
            for path in self.named[module]:
                is_import = not path.is_reexport or path.bound in used
                target = self.definer(path.segments) if is_import else None
                if target not in (None, module) and (self.is_flat or target[0] == module[0]):
                    lines.setdefault(self.files[target].shown, path.line)
            graph[source.shown] = [Import(target, line) for target, line in sorted(lines.items())]
        return graph


def _components(graph):
    """The strongly connected components of more than one file (Tarjan's algorithm, without recursion)."""
    number, lowest, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in number:
            continue
        work = [(root, iter(graph[root]))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            file, edges = work[-1]
            for edge in edges:
                if edge.target not in graph:
                    continue
                if edge.target not in number:
                    number[edge.target] = lowest[edge.target] = len(number)
                    stack.append(edge.target)
                    on_stack.add(edge.target)
                    work.append((edge.target, iter(graph[edge.target])))
                    break
                if edge.target in on_stack:
                    lowest[file] = min(lowest[file], number[edge.target])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[file])
                if lowest[file] == number[file]:
                    component = set()
                    while file not in component:
                        component.add(stack.pop())
                    on_stack -= component
                    if len(component) > 1:
                        found.append(component)
    return found


def _shortest_circle(graph, component):
    """The shortest circle within a component, as a list of (file, line of its import of the next file)."""
    best = None
    for first in sorted(component):
        ways, queue = {first: []}, [first]
        while queue and (best is None or len(ways[queue[0]]) + 1 < len(best)):
            file = queue.pop(0)
            for edge in graph[file]:
                way = [*ways[file], (file, edge.line)]
                if edge.target == first and (best is None or len(way) < len(best)):
                    best = way
                if edge.target in component and edge.target not in ways:
                    ways[edge.target] = way
                    queue.append(edge.target)
    return best


def circles(sources, is_excused, is_flat):
    """Each group of files that import each other in circles, as (its shortest circle, its files).

    A circle through a file that `is_excused` does not count.
    """
    graph = {file: edges for file, edges in Crate(sources, is_flat).imports().items() if not is_excused(file)}
    return [(_shortest_circle(graph, component), component) for component in _components(graph)]

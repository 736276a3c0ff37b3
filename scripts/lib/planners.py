"""Solves the same boards with general solvers: Fast Downward on files of `gridhunt export`, and DIDP models in didppy.

    planners.py boards BINARY FOLDER COUNT SIDExCOLOURS..    optima of gridhunt and of the others, and a table of times
    planners.py pancakes FILE COSTS                          compares optima of stacks by didppy with those in COSTS

Run by scripts/yardsticks in a virtual environment with didppy and up-fast-downward; examples/notebooks/6-planners.ipynb
uses the same functions. The models are built from the cells alone, so they share no code with gridhunt. Times are wall
times, each the least of three runs.
"""

import importlib.util
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import didppy as dp

RUNS = 3
SECONDS = 300
MERGE_AND_SHRINK = (
    "astar(merge_and_shrink(shrink_strategy=shrink_bisimulation(greedy=false),merge_strategy=merge_sccs("
    "order_of_sccs=topological,merge_selector=score_based_filtering(scoring_functions=[goal_relevance(),dfp(),"
    "total_order()])),label_reduction=exact(before_shrinking=true,before_merging=false),max_states=50k,"
    "threshold_before_merge=1))"
)
SEARCHES = {"blind": "astar(blind())", "hmax": "astar(hmax())", "merge-and-shrink": MERGE_AND_SHRINK}


def fail(text):
    sys.exit(f"{Path(sys.argv[0]).name}: {text}")


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        fail(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def least(solve, runs=RUNS):
    """The result of a solver, which must be the same in all runs, and its least time in seconds."""
    results, times = [], []
    for _ in range(runs):
        started = time.perf_counter()
        results.append(solve())
        times.append(time.perf_counter() - started)
    if len(set(results)) > 1:
        fail(f"found different results in several runs: {results}")
    return results[0], min(times)


def by_gridhunt(binary, board):
    result = json.loads(run([binary, "solve", board, "--threads", 1, "--json", "--quiet"]))
    return result["cost"] if result["status"] == "optimal" else fail(f"{board}: not proven")


def exported(binary, board, folder):
    """Exports the file `board` as PDDL into `folder`. Returns the files of the domain and of the problem."""
    name = re.match(r".*: (.+)\n", run([binary, "export", board, "--to", "pddl", "-o", folder]))[1]
    return folder / "domain.pddl", Path(name)


def by_fast_downward(rules, problem, search):
    """The cost of an optimal plan. Moves have unit cost, so this is their number."""
    place = importlib.util.find_spec("up_fast_downward").submodule_search_locations[0]
    driver = Path(place) / "downward" / "fast-downward.py"
    files = ["--plan-file", problem.with_suffix(".plan"), "--sas-file", problem.with_suffix(".sas"), rules, problem]
    output = run([sys.executable, driver, *files, "--search", search])
    return int(re.search(r"Plan cost: (\d+)", output)[1])


def regions_of(rows):
    """The colours and the neighbours of all regions. The first cell is in region 0."""
    cells = {(r, c): colour for r, row in enumerate(rows) for c, colour in enumerate(row)}
    region, colours = {}, []
    adjacent = lambda r, c: [at for at in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)) if at in cells]
    for first in cells:
        if first in region:
            continue
        stack = [first]
        region[first] = len(colours)
        while stack:
            for at in adjacent(*stack.pop()):
                if at not in region and cells[at] == cells[first]:
                    region[at] = len(colours)
                    stack.append(at)
        colours.append(cells[first])
    neighbours = [set() for _ in colours]
    for at in cells:
        neighbours[region[at]] |= {region[other] for other in adjacent(*at)} - {region[at]}
    return colours, neighbours


def proven(model, solver=dp.CABS):
    solution = solver(model, quiet=True, time_limit=SECONDS).search()
    return solution.cost if solution.is_optimal else fail("didppy: not proven")


def flood_by_didp(rows):
    """The state is the flood, a set of regions; a move adds the neighbouring regions of its colour. Dual bound: the
    number of colours outside the flood."""
    colours, neighbours = regions_of(rows)
    model = dp.Model()
    region = model.add_object_type(number=len(colours))
    flood = model.add_set_var(object_type=region, target={0})
    everything = model.create_set_const(object_type=region, value=range(len(colours)))
    model.add_base_case([everything.issubset(flood)])
    colours_left = dp.IntExpr(0)
    for colour in sorted(set(colours)):
        of_colour = {index for index, region_colour in enumerate(colours) if region_colour == colour}
        added = model.add_set_table([regions & of_colour for regions in neighbours], object_type=region).union(flood)
        effects, preconditions = [(flood, flood | added)], [~added.issubset(flood)]
        move = dp.Transition(f"{colour}", 1 + dp.IntExpr.state_cost(), effects=effects, preconditions=preconditions)
        model.add_transition(move)
        colours_left += model.create_set_const(object_type=region, value=of_colour).issubset(flood).if_then_else(0, 1)
    model.add_dual_bound(colours_left)
    return proven(model)


def pancakes_by_didp(stack):
    """The state is the size in each place; a move reverses the upper ones. Dual bound: the gap heuristic."""
    sizes = len(stack)
    model = dp.Model()
    size = model.add_object_type(number=sizes)
    places = [model.add_element_var(object_type=size, target=pancake - 1) for pancake in stack]
    model.add_base_case([place == at for at, place in enumerate(places)])
    gap = model.add_int_table([[int(abs(a - b) > 1) for b in range(sizes)] for a in range(sizes)])
    plate = model.add_int_table([int(at < sizes - 1) for at in range(sizes)])
    for turned in range(2, sizes + 1):
        effects = [(places[at], places[turned - 1 - at]) for at in range(turned)]
        model.add_transition(dp.Transition(f"{turned}", 1 + dp.IntExpr.state_cost(), effects=effects))
    model.add_dual_bound(sum((gap[a, b] for a, b in zip(places, places[1:])), plate[places[-1]]))
    # CABS, the default of `proven`, does not end if moves can be undone.
    return proven(model, dp.CAASDy)


def boards(binary, folder, count, sizes):
    folder, names = Path(folder), ["gridhunt", *(f"Fast Downward, {name}" for name in SEARCHES), "didppy"]
    print(f"| boards | optima | {' | '.join(f'{name}, s' for name in names)} |")
    print("| --- | --- |" + " ---: |" * len(names))
    for size in sizes:
        side, colours = size.split("x")
        generated = run([binary, "generate", "--rows", side, "--colours", colours, "--count", count, "--format", "json"])
        optima, times = [], {name: [] for name in names}
        for number, line in enumerate(generated.splitlines(), 1):
            board = folder / f"{size}-{number}.json"
            board.write_text(line + "\n")
            rules, problem = exported(binary, board, folder)
            solvers = [lambda: by_gridhunt(binary, board)]
            solvers += [lambda how=how: by_fast_downward(rules, problem, how) for how in SEARCHES.values()]
            solvers += [lambda: flood_by_didp(json.loads(line)["cells"])]
            found = {name: least(solve) for name, solve in zip(names, solvers)}
            costs = {name: cost for name, (cost, _) in found.items()}
            if len(set(costs.values())) > 1:
                fail(f"{board}: found different optima: {costs}")
            optima.append(costs["gridhunt"])
            for name, (_, seconds) in found.items():
                times[name].append(seconds)
        row = [f"{sum(seconds) / len(seconds):.3f} ({max(seconds):.3f})" for seconds in times.values()]
        print(f"| {count} of {side}x{side}, {colours} colours | {', '.join(map(str, optima))} | {' | '.join(row)} |", flush=True)


def pancakes(path, costs):
    expected = {int(number): int(cost) for number, cost in (line.split()[:2] for line in Path(costs).read_text().splitlines())}
    seconds = 0
    for line in Path(path).read_text().splitlines():
        number, *stack = map(int, line.split())
        stack = stack[: max(stack)]
        cost, taken = least(lambda: pancakes_by_didp(stack))
        seconds += taken
        if cost != expected[number]:
            fail(f"{path}: stack {number}: didppy has found {cost}, gridhunt {expected[number]}")
    print(f"{len(expected)} stacks: the optima of didppy are the same; {seconds:.2f} s")


def main():
    what, *rest = sys.argv[1:]
    if what == "boards":
        boards(rest[0], rest[1], int(rest[2]), rest[3:])
    else:
        pancakes(*rest)


if __name__ == "__main__":
    main()

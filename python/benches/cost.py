"""What a search from Python costs beside one from the command line, and how long boards take that come from numpy.

python cost.py PROGRAM [BOARD] [PAIRS]     both built with the same profile; the runs of a pair follow each other
"""

import json
import resource
import statistics
import subprocess
import sys
import time

import numpy

PYTHON = "import gridhunt; r = gridhunt.solve(gridhunt.Board.from_file({board!r}), {options}); print(r.expanded)"


def cpu(command):
    """User and system time of a process, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, printed


def main(program, board="24x24-6c-01.txt", pairs="5"):
    code = PYTHON.format(board=board, options="engine='best-first', threads=1, memory='4GiB'")
    line = [program, "solve", board, "--engine", "best-first", "--threads", "1", "--memory", "4GiB", "--json", "--quiet"]
    start, _ = cpu([sys.executable, "-c", "import gridhunt"])
    ratios, times = [], []
    for _ in range(int(pairs)):
        of_line, printed = cpu(line)
        of_python, expanded = cpu([sys.executable, "-c", code])
        assert json.loads(printed)["expanded"] == int(expanded), "the same search"
        ratios.append((of_python - start) / of_line)
        times.append((of_line, of_python))
    print(f"{board}: {expanded.strip()} states; CPU s of program and Python:", times)
    print(f"median ratio without the start of Python ({start:.2f} s): {statistics.median(ratios):.3f}")

    import gridhunt

    arrays = numpy.random.default_rng(1).integers(0, 6, size=(1000, 14, 14))
    best = []
    for _ in range(9):
        began = time.perf_counter()
        [gridhunt.Board.from_array(array) for array in arrays]
        best.append(time.perf_counter() - began)
    print(f"1000 boards of 14x14 from numpy: {statistics.median(best) * 1000:.1f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])

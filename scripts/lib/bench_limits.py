"""How well searches keep to their limits: each engine on a small and on a huge board of each puzzle."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

from gridhunt import Failure, binary, generate

# Seconds after which a search that does not end is killed.
PATIENCE = 60

# The limits: seconds; MiB, within more seconds; seconds after which SIGTERM asks a search to end.
TIME = 1
BUDGET, LONGER = 64, 5
MOMENT = 0.3

TIME_LIMIT = 5
# Done, unsolvable, time limit, memory limit, nothing found, ended by SIGTERM.
EXPECTED = (0, 4, TIME_LIMIT, 6, 8, 143)

STATE_ENGINES = ("auto", "best-first", "ida", "beam", "anneal")
PROGRAM_ENGINES = ("auto", "synthesis", "anneal")
ENGINES = tuple(dict.fromkeys((*STATE_ENGINES, *PROGRAM_ENGINES)))
PUZZLES = ("Flood-It", "Clickomania", "Hopping Bunny")

CLICKS = ("--domain", "clickomania", "--objective")
OBJECTIVES = ("clear", "clicks")
SIZES = {
    "small": {"Flood-It": 14, "Clickomania": 14, "Hopping Bunny": 14},
    "huge": {"Flood-It": 100, "Clickomania": 60, "Hopping Bunny": 100},
}


class Ended(NamedTuple):
    code: int  # the exit code, or minus the signal
    seconds: float  # from the start to the end
    late: float | None  # from the signal to the end; None if the search ended before the signal
    peak: int  # largest resident set, in bytes
    result: dict  # the JSON object of the board; empty if there is none
    errors: str


def watched(arguments, after=None, core=None):
    """Runs `gridhunt ARGUMENTS --json --quiet`. `after` seconds later SIGTERM asks it to end."""

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if core is not None:
            os.sched_setaffinity(0, {core})

    command = [str(word) for word in (binary(), *arguments, "--json", "--quiet")]
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        began = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, preexec_fn=prepare)
        asked, usage = None, None
        while usage is None:
            found, status, used = os.wait4(child.pid, os.WNOHANG)
            now = time.monotonic() - began
            if found:
                usage = used
                break
            if after is not None and asked is None and now >= after:
                child.send_signal(signal.SIGTERM)
                asked = now
            if now > PATIENCE:
                child.kill()
            time.sleep(0.002)
        child.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        lines = [line for line in stdout.read().splitlines() if line.strip()]
        result = json.loads(lines[0]) if lines else {}
        late = now - asked if asked is not None else None
        return Ended(child.returncode, now, late, usage.ru_maxrss * 1024, result, stderr.read())


def searches(seed):
    """The searches that are measured, as (puzzle, size, engine, arguments)."""
    for size, sides in SIZES.items():
        for puzzle, objectives in (("Flood-It", [None]), ("Clickomania", OBJECTIVES)):
            side = sides[puzzle]
            board = generate(side, 6 if size == "small" else 12, 1, seed)
            for objective in objectives:
                game = [*CLICKS, objective] if objective else []
                for engine in STATE_ENGINES:
                    yield puzzle, size, engine, [board, "--format", "lines", *game, "--engine", engine]
        board = generate(sides["Hopping Bunny"], 2, 1, seed, "--kind", "random")
        for engine in PROGRAM_ENGINES:
            yield "Hopping Bunny", size, engine, [board, "--domain", "bunny", "--engine", engine]


class Worst:
    """The worst that one engine did on the boards of one puzzle."""

    def __init__(self):
        self.over = self.late = None
        self.peak = 0

    def take(self, arguments):
        """Searches with each limit, on one thread."""
        search = ["solve", *arguments, "--threads", 1]
        ended = self.checked(watched([*search, "--time-limit", f"{TIME}s"]))
        if ended.code == TIME_LIMIT:
            self.over = max(self.over or 0, ended.seconds - TIME)
        ended = self.checked(watched([*search, "--memory", f"{BUDGET}MiB", "--time-limit", f"{LONGER}s"]))
        self.peak = max(self.peak, ended.peak)
        ended = self.checked(watched(search, after=MOMENT))
        if ended.late is not None:
            self.late = max(self.late or 0, ended.late)

    @staticmethod
    def checked(ended):
        if ended.code not in EXPECTED:
            raise Failure(f"exit code {ended.code} after {ended.seconds:.1f} s: {ended.errors.strip()}")
        return ended

    def cell(self):
        over, late = ("-" if value is None else f"{value:.2f}" for value in (self.over, self.late))
        return f"{over}; {self.peak / 2**20:.0f}; {late}"


def rows(seed):
    """For each puzzle: how far each engine passes its limits on the boards of the puzzle."""
    worst = {}
    for puzzle, _, engine, arguments in searches(seed):
        worst.setdefault((engine, puzzle), Worst()).take(arguments)
    found = lambda engine, puzzle: worst[engine, puzzle].cell() if (engine, puzzle) in worst else None
    return [[puzzle, *(found(engine, puzzle) for engine in ENGINES)] for puzzle in PUZZLES]

"""How far searches exceed their limits: each engine on a small and on a huge board of each puzzle."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

from gridhunt import Failure, binary, generate

# A search that runs longer than these seconds is killed.
KILL_SECONDS = 60

# Limits of three searches: seconds; MiB, with a longer time limit in seconds; seconds until SIGTERM.
TIME_LIMIT = 1
MEMORY_LIMIT, MEMORY_TIME_LIMIT = 64, 5
SIGTERM_AFTER = 0.3

TIME_LIMIT_CODE = 5
# Exit codes: done, unsolvable, time limit, memory limit, nothing found, ended by SIGTERM.
EXPECTED_CODES = (0, 4, TIME_LIMIT_CODE, 6, 8, 143)

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
    seconds: float  # wall time from the start to the end
    delay: float | None  # seconds from the signal to the end; None if the search ended before the signal
    peak: int  # largest resident set, in bytes
    result: dict  # the JSON object of the board; empty if there is none
    errors: str


def run_until_end(arguments, sigterm_after=None, core=None):
    """Runs `gridhunt ARGUMENTS --json --quiet`, and sends SIGTERM after `sigterm_after` seconds."""

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if core is not None:
            os.sched_setaffinity(0, {core})

    command = [str(word) for word in (binary(), *arguments, "--json", "--quiet")]
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        started = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, preexec_fn=prepare)
        signalled_at, usage = None, None
        while usage is None:
            found, status, used = os.wait4(child.pid, os.WNOHANG)
            now = time.monotonic() - started
            if found:
                usage = used
                break
            if sigterm_after is not None and signalled_at is None and now >= sigterm_after:
                child.send_signal(signal.SIGTERM)
                signalled_at = now
            if now > KILL_SECONDS:
                child.kill()
            time.sleep(0.002)
        child.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        lines = [line for line in stdout.read().splitlines() if line.strip()]
        result = json.loads(lines[0]) if lines else {}
        delay = now - signalled_at if signalled_at is not None else None
        return Ended(child.returncode, now, delay, usage.ru_maxrss * 1024, result, stderr.read())


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
    """The largest excesses of one engine on the boards of one puzzle."""

    def __init__(self):
        self.excess = self.delay = None
        self.peak = 0

    def measure(self, arguments):
        """Searches a board with each of the three limits, on one thread."""
        search = ["solve", *arguments, "--threads", 1]
        ended = self.checked(run_until_end([*search, "--time-limit", f"{TIME_LIMIT}s"]))
        if ended.code == TIME_LIMIT_CODE:
            self.excess = max(self.excess or 0, ended.seconds - TIME_LIMIT)
        ended = self.checked(run_until_end([*search, "--memory", f"{MEMORY_LIMIT}MiB", "--time-limit", f"{MEMORY_TIME_LIMIT}s"]))
        self.peak = max(self.peak, ended.peak)
        ended = self.checked(run_until_end(search, sigterm_after=SIGTERM_AFTER))
        if ended.delay is not None:
            self.delay = max(self.delay or 0, ended.delay)

    @staticmethod
    def checked(ended):
        if ended.code not in EXPECTED_CODES:
            raise Failure(f"exit code {ended.code} after {ended.seconds:.1f} s: {ended.errors.strip()}")
        return ended

    def cell(self):
        excess, delay = ("-" if value is None else f"{value:.2f}" for value in (self.excess, self.delay))
        return f"{excess}; {self.peak / 2**20:.0f}; {delay}"


def rows(seed):
    """For each puzzle, how far each engine exceeds its limits on the boards of the puzzle."""
    worst = {}
    for puzzle, _, engine, arguments in searches(seed):
        worst.setdefault((engine, puzzle), Worst()).measure(arguments)
    cell = lambda engine, puzzle: worst[engine, puzzle].cell() if (engine, puzzle) in worst else None
    return [[puzzle, *(cell(engine, puzzle) for engine in ENGINES)] for puzzle in PUZZLES]

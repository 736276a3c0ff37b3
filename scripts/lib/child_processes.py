"""Finds, signals and ends the processes that this script has started, directly or indirectly."""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

# Every descendant inherits this variable. Sessions and parents would not find all: MPICH gives each rank its own
# session, and a rank may outlive its launcher.
MARK = {"GRIDHUNT_STARTED_BY": f"{Path(sys.argv[0]).name}-{os.getpid()}"}

# A long time-out: on a busy machine, a slow rank must not be taken for lost. Tests of lost ranks set a shorter one.
ENVIRONMENT = {
    **os.environ, **MARK, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "GRIDHUNT_RANK_TIMEOUT": "3600",
}  # fmt: skip


def processes(program=None):
    """{process id: environment} of all processes that were started with ENVIRONMENT, or of those that run `program`."""
    [mark] = (f"{name}={value}".encode() for name, value in MARK.items())
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        # A process may end at any moment, and processes of other users cannot be read.
        with contextlib.suppress(OSError):
            variables = Path("/proc", number, "environ").read_bytes().split(b"\0")
            if mark in variables and program in (None, os.readlink(f"/proc/{number}/exe")):
                found[int(number)] = variables
    return found


def send(number, pid):
    """Sends a signal to a process, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def end_all():
    """Ends launchers and ranks. A rank that hangs may outlive its launcher, and hold its output open."""
    for pid in processes():
        send(signal.SIGKILL, pid)


def fail(message):
    end_all()
    sys.exit(f"{sys.argv[0]}: {message}")


def wait_until(condition, what, seconds=300):
    started = time.monotonic()
    while not condition():
        if time.monotonic() - started > seconds:
            fail(f"waited {seconds} s in vain until {what}")
        time.sleep(0.02)

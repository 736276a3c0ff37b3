"""What the tests share: the program, whose results are compared with those of the module."""

import json
import os
import shutil
import signal
import subprocess

import pytest


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Ctrl-C raises, also where it was ignored when Python began, as in a job in the background of a script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program():
    """Runs `gridhunt ARGUMENTS`, and returns the objects of JSON that it prints. Its exit code may say "not proven"."""
    path = shutil.which(os.environ.get("GRIDHUNT", "gridhunt"))
    if path is None:
        pytest.skip("GRIDHUNT names no program")

    def run(*arguments, json_lines=True):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode < 64, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()] if json_lines else done.stdout

    return run

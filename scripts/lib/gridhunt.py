"""Runs the release binary and reads its output."""

import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent


class Failure(Exception):
    """A needed file or program is missing or unusable; the message names it."""


class Done(NamedTuple):
    results: list  # one object per board, in the order of the output
    cpu_seconds: float  # of the whole process, as the system counted them
    peak_bytes: int  # largest resident set of the process
    exit_code: int | None  # None if the CPU limit ended the process
    errors: str


def binary():
    path = Path(os.environ.get("GRIDHUNT", ROOT / "target" / "release" / "gridhunt"))
    if not os.access(path, os.X_OK):
        raise Failure(f"{path}: no such program; build it with `cargo build --release --locked`")
    return path


def memory_info(field):
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise Failure(f"/proc/meminfo does not say {field}")


def available_memory():
    return memory_info("MemAvailable")


def total_memory():
    return memory_info("MemTotal")


def execute(command, cpu_seconds=None, output=None, stdin=None, cwd=None, env=None):
    """Runs a command to its end: (exit code or minus the signal, stdout, stderr, CPU seconds, peak bytes)."""

    def limit():
        if cpu_seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))

    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        child = subprocess.Popen(
            [str(word) for word in command],
            stdin=stdin or subprocess.DEVNULL,
            stdout=output or stdout,
            stderr=stderr,
            cwd=cwd,
            env=env,
            preexec_fn=limit if cpu_seconds is not None else None,
        )
        # wait4 gives this child's own resource use; Popen.wait would lose it.
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return child.returncode, stdout.read(), stderr.read(), cpu, usage.ru_maxrss * 1024


def run(arguments, cpu_seconds=None):
    """Runs `gridhunt ARGUMENTS --json --quiet`."""
    command = [binary(), *arguments, "--json", "--quiet"]
    code, stdout, stderr, cpu, peak = execute(command, cpu_seconds)
    results = [json.loads(line) for line in stdout.splitlines() if line.strip()]
    hit_cpu_limit = cpu_seconds is not None and code < 0 and cpu >= cpu_seconds - 1
    return Done(results, cpu, peak, None if hit_cpu_limit else code, stderr)


def generate(side, colours, count, seed, *more):
    """A file of random square boards, one a line, the same on every machine. `more` are further flags of generate."""
    suffix = "".join(more).replace("--", "-")
    path = ROOT / "target" / "bench" / f"{side}x{side}-{colours}c-{count}-seed{seed}{suffix}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    size = ["--rows", side, "--cols", side, "--colours", colours, "--count", count, "--seed", seed, *more]
    # Without --format, a single board would be written as text, a row per line.
    format_flags = [] if "--kind" in more else ["--format", "lines", "--no-head"]
    with path.open("w") as output:
        code, _, errors, _, _ = execute([binary(), "generate", *size, *format_flags], output=output)
    if code:
        raise Failure(f"gridhunt generate: exit code {code}: {errors.strip()}")
    return path

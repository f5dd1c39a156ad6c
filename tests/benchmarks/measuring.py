"""Times, memory and tables for all benchmarks."""

import argparse
import ctypes
import gc
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from fnmatch import fnmatch
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

Call = Callable[[], Any]
Clock = Callable[[], float]
MB = 1e6


# ------------------------------------------------------------------------------------- time


def seconds(call: Call, clock: Clock = time.perf_counter) -> float:
    start = clock()
    call()
    return clock() - start


# ----------------------------------------------------------------------------------- memory


@dataclass(frozen=True)
class Memory:
    """The peak memory of a process during a call, and the part that the call added, in bytes."""

    peak: int
    added: int


@dataclass(frozen=True)
class Command:
    """A command that prints a measure's mean as its last word; a call returns the mean."""

    argv: tuple[str, ...]

    def run(self) -> str:
        return subprocess.run(self.argv, capture_output=True, text=True, check=True).stdout

    def __call__(self) -> float:
        return float(self.run().split()[-1])

    def memory(self) -> Memory:
        """The memory of the process.

        A bare interpreter starts it, because a process inherits its parent's peak.
        """
        start = (
            "import resource as r, subprocess as s, sys;"
            "s.run(sys.argv[1:], stdout=s.DEVNULL, check=True);"
            "print(r.getrusage(r.RUSAGE_CHILDREN).ru_maxrss)"
        )
        peak = 1024 * int(Command((sys.executable, "-ISc", start, *self.argv))())
        return Memory(peak, peak)


def memory_of(call: Call) -> Memory:
    """The memory that a call needs beyond the memory of this process. Call it in a new process."""
    if isinstance(call, Command):
        return call.memory()
    gc.collect()
    with suppress(OSError, AttributeError):
        # The call would reuse memory freed after building its input.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # Linux forgets the peak so far
    before = _bytes_of("VmRSS")
    call()
    peak = _bytes_of("VmHWM")
    return Memory(peak, peak - before)


def _bytes_of(field: str) -> int:
    """The memory of this process under Linux: current (VmRSS) or peak (VmHWM)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, size = line.partition(":")
        if name == field:
            kilobytes, _ = size.split()
            return int(kilobytes) * 1024
    raise KeyError(field)


def in_fresh_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function in a new interpreter."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


# ----------------------------------------------------------------------------------- report


def options(description: str | None, workloads: Iterable[str] = ()) -> argparse.ArgumentParser:
    """The options of every benchmark."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if workloads:
        parser.add_argument("workloads", nargs="*", choices=list(workloads), help="default: M")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions")
    parser.add_argument(
        "--patience", type=float, default=60, help="seconds of a call; then it is not repeated"
    )
    parser.add_argument(
        "--only", nargs="+", default=["*"], help="such as 'KendallTau*', files or 'dicts*/ranx'"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all numbers")
    return parser


def processor() -> str:
    """The name of the processor under Linux; otherwise what Python knows of it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor()


def memory_of_machine() -> int:
    """The bytes of memory of the machine under Linux, otherwise 0."""
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 0


class Report:
    """Tables in Markdown, printed row by row; --json saves them at the end or on an interrupt.

    `programs` are the versions of measured programs that are no packages of Python.
    """

    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.tables: dict[str, list[dict[str, Any]]] = {}
        self.programs: dict[str, str] = {}

    def __enter__(self) -> "Report":
        return self

    def __exit__(self, *_: object) -> None:
        if self.arguments.json:
            measured = {"programs": self.programs, "tables": self.tables}
            content = json.dumps({**machine(), **measured}, indent=1)
            self.arguments.json.write_text(f"{content}\n")

    def wanted(self, name: str) -> bool:
        """Whether --only selects a measurement, or all whose names begin so, up to a slash."""
        for pattern in self.arguments.only:
            if fnmatch(name, pattern) or fnmatch(name, f"{pattern}/*"):
                return True
        return False

    def medians(
        self, calls: Mapping[str, Call], clock: Clock = time.perf_counter
    ) -> dict[str, float]:
        """The median seconds of each call, their repetitions interleaved.

        Each call is made at least once, and not repeated once its calls have taken `--patience`
        seconds. `time.process_time` is a clock of processor time, of all threads.
        """
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(self.arguments.repeat):
            for name, call in calls.items():
                if sum(times[name]) <= self.arguments.patience:
                    times[name].append(seconds(call, clock))
        return {name: statistics.median(of_call) for name, of_call in times.items()}

    def row(self, title: str, **cells: Any) -> None:
        """Add a row to the table of that title; the first row starts the table."""
        rows = self.tables.setdefault(title, [])
        if not rows:
            head = " | ".join(cells).replace("_", " ")
            print(f"\n### {title}\n\n| {head} |\n|" + "---|" * len(cells))
        rows.append(cells)
        print(f"| {' | '.join(map(text_of, cells.values()))} |", flush=True)


def text_of(cell: Any) -> str:
    """A cell of a table of measurements, a dash for none."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.1f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return str(cell)


def machine() -> dict[str, Any]:
    """The machine and the versions of the packages."""
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "system": platform.platform(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory": memory_of_machine(),
        "python": platform.python_version(),
        "packages": {package.metadata["Name"]: package.version for package in distributions()},
    }

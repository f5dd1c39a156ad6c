"""Settings of all tests, and fixtures that several test modules share."""

import gc
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from ir_measures_graded import cli
from ir_measures_graded.errors import PACKAGE

# Compiling ranx takes longer than all tests of it; only the order of many ties differs without.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# Threads that wait for others spin, which takes the processor from the tests of other processes.
os.environ.setdefault("OMP_NUM_THREADS", "1")

hypothesis.settings.register_profile(
    "repeatable", max_examples=8, derandomize=True, deadline=None, print_blob=True
)
hypothesis.settings.register_profile("thorough", max_examples=300, deadline=None, print_blob=True)
hypothesis.settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    # statsmodels collects garbage at each correction of p-values. It need not look at what is
    # loaded by now, nor at the many datasets of ir-datasets.
    import ir_datasets  # noqa: F401

    gc.freeze()
    # Tests make few cycles, and Hypothesis does some work at each collection.
    gc.set_threshold(20_000)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """The workers of `-n auto` in tox: half of the cores, because two environments run at a time.

    Each worker imports and collects everything, so on two cores none starts: both run tests.
    """
    if "TOX_ENV_NAME" not in os.environ or "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # xdist reads the variable, and counts the cores otherwise
    half = (os.cpu_count() or 1) // 2
    return half if half > 1 else 0


SLOW = Path(__file__).with_name("slow.txt")
"""The tests that take longer than `LONG` with all their cases, which `-m "not slow"` leaves out."""
LONG = 0.1  # seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-slow", action="store_true", help="write tests/slow.txt anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = set(SLOW.read_text().splitlines())
    for item in items:
        if name_of(item.nodeid) in slow:
            item.add_marker(pytest.mark.slow)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.generated)
    if "thorough" not in config.option.markexpr:
        repeats = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=repeats)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


def name_of(nodeid: str) -> str:
    """The name of a test without its case."""
    return nodeid.partition("[")[0]


class Seconds:
    """The time of each test, summed over its cases; the slow ones are written at the end."""

    def __init__(self) -> None:
        self.by_name: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.by_name[name_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        slow = [name for name, seconds in self.by_name.items() if seconds > LONG]
        SLOW.write_text("".join(f"{name}\n" for name in sorted(slow)))


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if config.getoption("--update-slow") and not is_worker:
        config.pluginmanager.register(Seconds())


EXTRAS = (
    *("matplotlib", "scipy", "statsmodels", "jinja2", "docutils", "duckdb"),
    *("pandas", "pyarrow"),
)
LACKING = [name for name in EXTRAS if find_spec(name) is None]
MISSING = [f"No module named '{name}" for name in LACKING]


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Where an extra is not installed, modules of tests that import it are skipped."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.failed and any(name in str(report.longrepr) for name in MISSING):
        report.outcome = "skipped"
        report.longrepr = report.nodeid, None, f"Skipped: {' and '.join(LACKING)} are not installed"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Where an extra is not installed, tests skip if the package refuses to work without it."""
    outcome: Any = yield
    report = outcome.get_result()
    reason = str(call.excinfo.value) if call.excinfo else ""
    is_missing = f"pip install '{PACKAGE}[" in reason or any(name in reason for name in MISSING)
    if LACKING and report.failed and is_missing:
        report.outcome = "skipped"
        report.longrepr = str(item.path), None, f"Skipped: {reason.splitlines()[0]}"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real qrels and runs beside the repository; tests that need them skip without them."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data with real qrels and runs is absent")
    return folder


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Run a command that must succeed without a message; return the lines that it prints."""

    def run(*argv: object) -> list[str]:
        status = cli.main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        assert (status, err) == (0, ""), err
        return out.splitlines()

    return run

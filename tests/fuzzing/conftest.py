"""The option `--minutes`, and a count of what the command did."""

import time
from collections import Counter
from collections.abc import Callable, Iterator

import hypothesis
import pytest

COUNTS = pytest.StashKey[Counter[str]]()
EXAMPLES = 25
"""The number of examples between two looks at the clock."""

hypothesis.settings.register_profile(
    "fuzzing",
    max_examples=EXAMPLES,
    derandomize=False,  # the profile of the other tests is the parent of this one
    deadline=None,
    print_blob=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, default=1.0, help="duration of the fuzzing; default: 1")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COUNTS] = Counter()
    hypothesis.settings.load_profile("fuzzing")  # random examples, where other tests repeat theirs


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for what, number in sorted(config.stash[COUNTS].items()):
        terminalreporter.write_line(f"{what}: {number:,}")


@pytest.fixture
def counts(request: pytest.FixtureRequest) -> Counter[str]:
    """How often each thing happened; the summary shows it."""
    return request.config.stash[COUNTS]


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[[], Iterator[int]]:
    """Rounds of examples, until the test's share of the time is over."""
    tests = len(request.session.items)

    def until() -> Iterator[int]:
        end = time.monotonic() + 60 * request.config.getoption("--minutes") / tests
        number = 0
        while not number or time.monotonic() < end:
            yield number
            number += 1

    return until

"""The option `--minutes`, and a count of what the command did."""

import time
from collections import Counter
from collections.abc import Callable

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
def repeat(request: pytest.FixtureRequest) -> Callable[[Callable[[], None]], None]:
    """Repeats examples until the test's share of the time is over."""

    def repeat(examples: Callable[[], None]) -> None:
        end = time.monotonic() + 60 * request.config.getoption("--minutes") / len(request.session.items)
        examples()
        while time.monotonic() < end:
            examples()

    return repeat

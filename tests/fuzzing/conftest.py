"""The option `--minutes`, and examples that differ from run to run."""

import time
from collections.abc import Callable

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "fuzzing",
    max_examples=25,  # between two looks at the clock
    derandomize=False,  # the profile of the other tests is the parent of this one
    deadline=None,
    print_blob=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--minutes", type=float, default=1.0, help="duration of the fuzzing; default: 1"
    )


def pytest_configure() -> None:
    hypothesis.settings.load_profile("fuzzing")


@pytest.fixture
def repeat(request: pytest.FixtureRequest) -> Callable[[Callable[[], None]], None]:
    """Repeats examples until the test's share of the time is over."""

    def repeat(examples: Callable[[], None]) -> None:
        end = time.monotonic() + 60 * request.config.getoption("--minutes") / len(
            request.session.items
        )
        examples()
        while time.monotonic() < end:
            examples()

    return repeat

"""What several test modules share."""

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from ir_measures_graded import cli

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real qrels and runs, kept beside the repository; tests that need them skip where they are absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data with real qrels and runs is absent")
    return folder


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Run the command here; returns the lines it prints, after checking that it is content."""

    def run(*argv: object) -> list[str]:
        status = cli.main([str(argument) for argument in argv])
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out.splitlines()

    return run

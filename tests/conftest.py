"""What several test modules share."""

from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real qrels and runs, kept beside the repository; tests that need them skip where they are absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data with real qrels and runs is absent")
    return folder

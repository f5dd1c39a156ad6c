"""Every step of "Write your own measure", from an empty folder to a wheel."""

from pathlib import Path

import pytest

from distributions import REPOSITORY
from documents import follow

pytestmark = pytest.mark.install


def test_every_step_of_the_tutorial_works(built: Path, tmp_path: Path) -> None:
    tutorial = REPOSITORY / "docs" / "write-your-own-measure.md"
    assert follow(tutorial, tmp_path, {"PIP_FIND_LINKS": str(built)}) > 10

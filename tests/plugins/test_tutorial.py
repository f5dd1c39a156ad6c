"""Every step of "Write your own measure", from an empty folder to a wheel."""

from pathlib import Path

import pytest

from rounds import thorough

pytestmark = [pytest.mark.install, thorough]  # pip, as on the page, takes most of a minute


def test_every_step_of_the_tutorial_works(followed: tuple[Path, int]) -> None:
    folder, commands = followed
    assert commands > 10
    assert list(folder.glob("dist/*.whl"))

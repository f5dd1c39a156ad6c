"""Every step of "Write your own measure", from an empty folder to a wheel."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.install


def test_every_step_of_the_tutorial_works(followed: tuple[Path, int]) -> None:
    folder, commands = followed
    assert commands > 10
    assert list(folder.glob("dist/*.whl"))

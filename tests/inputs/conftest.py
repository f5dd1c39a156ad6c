"""Fixtures of tests of inputs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@pytest.fixture
def without_arrow():
    """A context in which pyarrow seems not to be installed."""

    @contextmanager
    def hidden() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "pyarrow", None)
            yield

    return hidden

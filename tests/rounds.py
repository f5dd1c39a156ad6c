"""Two rounds of tests: the short one, and the thorough one with more cases of the same kind.

The short round has a case of each kind. A test marked `thorough` repeats one of them with other
data, so it runs only if `-m` asks for it; `tox -e thorough` does.
"""

from collections.abc import Iterable
from typing import Any

import hypothesis
import pytest

thorough = pytest.mark.thorough


def sampled(cases: Iterable[Any], step: int) -> list[Any]:
    """The cases of a parametrisation, of which the short round has the first of each `step`.

    >>> [case if isinstance(case, str) else case.marks[0].name for case in sampled("abcd", 3)]
    ['a', 'thorough', 'thorough', 'd']
    """
    return [case if number % step == 0 else repeated(case) for number, case in enumerate(cases)]


def only(cases: Iterable[Any], short: Iterable[Any]) -> list[Any]:
    """The cases of a parametrisation, of which the short round has those named."""
    named = list(short)
    listed = list(cases)
    assert all(case in listed for case in named), "the short round names a case that there is not"
    return [case if case in named else repeated(case) for case in listed]


def repeated(case: Any) -> Any:
    """A case of the thorough round; a tuple has the values of several arguments."""
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=thorough)


def examples(few: int) -> hypothesis.settings:
    """Few examples of a test whose examples are slow; the thorough round has as many as of others."""
    usual = hypothesis.settings.default.max_examples
    most = few if usual < 100 else usual
    return hypothesis.settings(max_examples=most)

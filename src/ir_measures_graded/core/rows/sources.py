"""Qrels and runs in any form that is no file, read into `Rows`.

Their readers, in `in_memory`, are imported when they are needed, because this takes time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .roles import QRELS, RUN, Role
from .rows import Rows

if TYPE_CHECKING:
    from .in_memory import InMemory

Source = Any
"""Qrels or a run: a dict of dicts, a DataFrame, an export of Arrow, or an iterable of tuples or
dicts.
"""


def in_memory(source: Source, role: Role, name: str = "") -> InMemory:
    """The source in its form. `name` is its name in warnings.

    An iterator is kept as a list. Raises `GradedError` for any other source.
    """
    from .in_memory import InMemory

    return source if isinstance(source, InMemory) else InMemory(source, role, name)


def read_qrels(source: Source) -> Rows:
    """Qrels as a table of levels.

    Raises `GradedError` if an id or a level is missing or invalid.
    """
    return source if isinstance(source, Rows) else in_memory(source, QRELS).rows()


def read_run(source: Source) -> Rows:
    """A run as a table of scores.

    Raises `GradedError` if a topic or a score is missing or invalid.
    """
    from .in_memory import InMemory

    return InMemory(source, RUN).checked()

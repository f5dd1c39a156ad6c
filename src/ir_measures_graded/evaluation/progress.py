"""The progress bar of long computations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from ..errors import GradedError, install_hint

Item = TypeVar("Item")


def tracked(items: Iterable[Item], unit: str, progress: bool, count: int | None = None) -> Iterable[Item]:
    """The items; if `progress` is true, a bar on stderr follows them after the first second."""
    if not progress:
        return items
    try:
        from tqdm import tqdm
    except ImportError:
        raise GradedError(f"progress bars need tqdm: {install_hint('progress')}") from None
    return tqdm(items, total=count, unit=unit, delay=1, leave=False)

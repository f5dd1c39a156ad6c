"""The progress bar of everything that takes long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from ..errors import GradedError

Item = TypeVar("Item")


def tracked(items: Iterable[Item], unit: str, progress: bool, count: int | None = None) -> Iterable[Item]:
    """The items, with a progress bar on stderr if `progress` is true and they take more than a second."""
    if not progress:
        return items
    try:
        from tqdm import tqdm
    except ImportError:
        raise GradedError("progress bars need tqdm: pip install 'ir-measures-graded[progress]'") from None
    return tqdm(items, total=count, unit=unit, delay=1, leave=False)

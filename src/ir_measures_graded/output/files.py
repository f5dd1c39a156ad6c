"""Writes a file completely or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..errors import GradedError


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file in one step, so that no partly written file is ever visible.

    A symbolic link remains, and its target is replaced. A pipe or a device is written to. Raises
    `GradedError` for a file that cannot be written.
    """
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name[:100]}.{os.getpid()}")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        partial.write_bytes(content)
        os.replace(partial, target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise GradedError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}") from None

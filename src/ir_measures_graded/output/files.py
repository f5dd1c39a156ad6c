"""Writes files completely or not at all."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from ..errors import GradedError


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file in one step, as `write_files` does."""
    write_files({os.fspath(path): content})


def write_files(contents: Mapping[str, bytes]) -> None:
    """Replace files, each in one step: all of them, or none if one cannot be written.

    No partly written file is ever visible. A file keeps its mode. A symbolic link remains, and its target is
    replaced. Pipes and devices are written to. Raises `GradedError` for a file that cannot be written, and if
    two paths name one file.
    """
    refuse_repeated(contents)
    partials: dict[str, str] = {}
    path = ""
    try:
        for path in sorted(contents, key=_is_channel):
            target = written = os.path.realpath(path)
            if not _is_channel(path):
                name = f".ir_measures_graded.{os.getpid()}.{len(partials)}"
                written = partials[path] = os.path.join(os.path.dirname(target), name)
            with open(written, "wb") as file:
                file.write(contents[path])
            if written != target and os.path.exists(target):
                open(target, "rb+").close()  # a file without permission to write is not replaced
                os.chmod(written, os.stat(target).st_mode & 0o777)
        for path, partial in partials.items():
            os.replace(partial, os.path.realpath(path))
    except OSError as error:
        for partial in partials.values():
            with suppress(OSError):
                os.unlink(partial)
        raise GradedError(f"{path}: cannot be written: {error.strerror or error}") from None


def refuse_repeated(paths: Iterable[str]) -> None:
    """Raise `GradedError` if two paths name one file."""
    targets: set[str] = set()
    for path in paths:
        target = os.path.realpath(path)
        if target in targets:
            raise GradedError(f"cannot write {path!r} twice; give each output a file of its own")
        targets.add(target)


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of a path in lower case, without the dot."""
    return os.path.splitext(path)[1].lower().removeprefix(".")


def _is_channel(path: str) -> bool:
    """Whether the path names a pipe, a device or a folder."""
    return os.path.exists(path) and not os.path.isfile(path)

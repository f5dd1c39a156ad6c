"""Writes files completely or not at all."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from ..arguments import refused
from ..errors import GradedError


def canonical(path: str | os.PathLike[str]) -> str:
    """The path of the file that is written for `path`.

    Links are followed, and ``no/../a`` is ``a``.
    Whoever asks whether a file may be written must ask for this path, because `write_files` writes
    it. Raises `GradedError` for a text that cannot be a path.

    >>> canonical("no/../a.csv") == canonical("a.csv")
    True
    """
    name = os.fspath(path)
    refuse_impossible(name)
    try:
        target = os.path.realpath(name)
    except OSError as error:
        raise GradedError(f"{path}: cannot be written: {error.strerror or error}") from None
    if os.path.islink(target):
        raise GradedError(f"{path}: cannot be written: it is a link that leads back to itself")
    return target


def refuse_impossible(path: str) -> None:
    """Raise `GradedError` for a text that no path can be: with a NUL character, or not encodable.

    >>> refuse_impossible("a\\0b")
    Traceback (most recent call last):
    ...
    ir_measures_graded.errors.GradedError: 'a\\x00b' cannot be a path: it has a NUL character
    """
    if "\0" in path:
        raise GradedError(f"{path!r} cannot be a path: it has a NUL character")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        reason = "it has a character that the file system cannot encode"
        raise GradedError(f"{path!r} cannot be a path: {reason}") from None


def refuse_inputs(outputs: Iterable[str], inputs: Iterable[str | int]) -> None:
    """Raise `GradedError` if writing an output would replace an input or a file of an input folder.

    Both are compared by the file that they lead to, by links or by parts such as ``no/..``. A
    number is an open file, such as standard input.
    """
    existing: list[str | int] = []
    for file in inputs:
        if isinstance(file, int):
            existing.append(file)
        elif is_possible(file) and os.path.exists(file):
            existing.append(canonical(file))
    for path in outputs:
        target = canonical(path)
        for source in existing:
            if os.path.exists(target) and os.path.samefile(target, source):
                raise GradedError(f"cannot write {path!r}: the command reads this file")
            if isinstance(source, int):
                continue
            if os.path.isdir(source) and target.startswith(os.path.join(source, "")):
                raise GradedError(
                    f"cannot write {path!r}: the command reads the folder of this file"
                )


def is_possible(path: str) -> bool:
    """Whether a text can be a path; see `refuse_impossible`."""
    try:
        refuse_impossible(path)
    except GradedError:
        return False
    return True


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file in one step, as `write_files` does."""
    write_files({os.fspath(path): content})


def write_files(contents: Mapping[str, bytes]) -> None:
    """Replace files, each in one step: all of them, or none if one cannot be written.

    No partly written file is ever visible, and none stays behind after an error or an interruption.
    A file keeps its mode. A symbolic link remains, and its target is replaced. Pipes and devices
    are written to. Raises `GradedError` for a file that cannot be written, and if two paths name
    one file.
    """
    refuse_unwritable(contents)
    partials: dict[str, str] = {}
    path = ""
    try:
        for path in sorted(contents, key=_is_channel):
            target = canonical(path)
            if _is_channel(path):
                with open(target, "wb") as file:
                    file.write(contents[path])
                continue
            # The name is new, so it is no link to another file, and nobody else writes there.
            name = f".ir_measures_graded.{os.urandom(8).hex()}"
            partial = os.path.join(os.path.dirname(target), name)
            partials[partial] = target
            with open(partial, "xb") as file:
                file.write(contents[path])
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(target):
                open(target, "rb+").close()  # a file without permission to write is not replaced
                os.chmod(partial, os.stat(target).st_mode & 0o777)
        for partial, target in partials.items():
            path = target
            os.replace(partial, target)
    except OSError as error:
        raise GradedError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        for partial in partials:
            with suppress(OSError):
                os.unlink(partial)


def refuse_unwritable(paths: Iterable[str]) -> None:
    """Raise `GradedError` for paths that cannot be written.

    A path is a folder, its folder does not exist, or two paths name one file.
    """
    targets: set[str] = set()
    for path in paths:
        target = canonical(path)
        folder = os.path.dirname(target)
        if target in targets:
            raise GradedError(f"cannot write {path!r} twice; give each output a file of its own")
        if not os.path.isdir(folder):
            reason = "is a file" if os.path.exists(folder) else "does not exist; create it"
            name = os.path.dirname(path) or folder
            raise GradedError(f"cannot write {path!r}: folder {name!r} {reason}")
        if os.path.isdir(target):
            raise GradedError(f"cannot write {path!r}: it is a folder")
        targets.add(target)


def refuse_bad_date() -> None:
    """Raise `GradedError` if SOURCE_DATE_EPOCH, which libraries read, is no time in seconds."""
    name = "SOURCE_DATE_EPOCH"
    seconds = os.environ.get(name, "0")
    if not re.fullmatch(r"\d{1,11}", seconds):
        raise GradedError(f"{name} is {seconds!r}; set it to whole seconds since 1970, or unset it")


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of a path in lower case, without the dot.

    Raises `GradedError` for anything but a path.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise refused("path", path, "the path of a file")
    return os.path.splitext(path)[1].lower().removeprefix(".")


def checked_ending(path: str | os.PathLike[str], allowed: Iterable[str], hint: str = "") -> str:
    """The ending of a path. Raises `GradedError` if it is not allowed."""
    ending = ending_of(path)
    if ending not in allowed:
        endings = ", ".join(allowed)
        raise GradedError(f"cannot write {os.fspath(path)!r}: endings are {endings}{hint}")
    return ending


def _is_channel(path: str) -> bool:
    """Whether the path names a pipe or a device."""
    target = canonical(path)
    return os.path.exists(target) and not os.path.isfile(target)

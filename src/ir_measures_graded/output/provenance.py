"""The origin of a result: the versions of the packages and the SHA-256 of the files."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

DISTRIBUTIONS = ["ir-measures-graded", "ir-measures", "pytrec-eval-terrier", "ir-datasets", "numpy"]
DISTRIBUTIONS += ["scipy"]  # optional


def versions() -> Iterator[tuple[str, str]]:
    """Python and the distributions that are installed, each with its version."""
    import platform  # These imports take time.
    from importlib.metadata import PackageNotFoundError, version

    yield "Python", platform.python_version()
    for name in DISTRIBUTIONS:
        # A distribution may be optional, or run from a source folder without being installed.
        with suppress(PackageNotFoundError):
            yield name, version(name)


def sha256(path: str) -> str:
    """The SHA-256 of a file."""
    return sha256_of_all([path])


def sha256_of_all(paths: Iterable[str]) -> str:
    """The SHA-256 of files one after the other, as ``cat FILE… | sha256sum`` has it."""
    import hashlib  # This import takes time.

    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()

"""The origin of a result: the versions of the packages and the SHA-256 of the files."""

from collections.abc import Iterator
from contextlib import suppress

DISTRIBUTIONS = ["ir-measures-graded", "ir-measures", "pytrec-eval-terrier", "ir-datasets", "numpy"]
DISTRIBUTIONS += ["scipy", "statsmodels", "scikit-posthocs"]  # optional


def versions() -> Iterator[tuple[str, str]]:
    """Python and the distributions that are installed, each with its version."""
    import platform  # These imports take time.
    from importlib.metadata import PackageNotFoundError, version

    yield "Python", platform.python_version()
    for name in DISTRIBUTIONS:
        with suppress(
            PackageNotFoundError
        ):  # optional, or run from a source folder without being installed
            yield name, version(name)


def sha256(path: str) -> str:
    """The SHA-256 of a file."""
    import hashlib  # This import takes time.

    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

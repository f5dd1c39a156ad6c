"""The origin of a result: the versions of the packages and the SHA-256 of the files."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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


def without_folders(paths: Iterable[str]) -> dict[str, str]:
    """The name of each file without its folders; paths whose names are the same stay as they are.

    >>> without_folders(["/home/ann/a.run", "b/c.run", "d/c.run", "runs/"])
    {'/home/ann/a.run': 'a.run', 'b/c.run': 'b/c.run', 'd/c.run': 'd/c.run', 'runs/': 'runs/'}
    """
    distinct = dict.fromkeys(paths)
    names = {}
    for path in distinct:
        name = os.path.basename(path.rstrip("/"))
        names[path] = f"{name}/" if path.endswith("/") else name
    count = Counter(names.values())
    unique = {path: name for path, name in names.items() if name and count[name] == 1}
    return {path: unique.get(path, path) for path in distinct}


def with_names(words: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """The words of a command, with the names of files in place of their paths.

    A path is a word, or stands behind an equals sign or the letter of an option, and before a
    colon, as in NAME=PATH, --option=PATH, -oPATH and PATH:COLUMN.

    >>> names = {"runs/a": "a", "qrels/t.csv": "t.csv"}
    >>> with_names(["runs/a", "A=runs/a", "-oruns/a", "runs/ab", "--by=qrels/t.csv:kind"], names)
    ['a', 'A=a', '-oa', 'runs/ab', '--by=t.csv:kind']
    """
    if not names:
        return list(words)
    longest_first = sorted(names, key=len, reverse=True)
    paths = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(^-\w|^|=)({paths})(?=:|$)")
    return [pattern.sub(lambda found: found[1] + names[found[2]], word) for word in words]


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

"""Golden tables of messages: a line that fails, and below it its message."""

from pathlib import Path


def table(path: Path) -> list[tuple[str, str]]:
    """The lines and messages of a file; a line starts with `>`, a comment with `# `."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[:2] != "# "]
    assert all(line.startswith(">") for line in lines[::2])
    return [(line[1:].strip(), message) for line, message in zip(lines[::2], lines[1::2], strict=True)]


def shown(message: str, expected: str) -> str:
    """The message, cut where the expected one ends with `…`: what follows depends on the installation."""
    start = expected.removesuffix("…")
    return expected if start != expected and message.startswith(start) else message

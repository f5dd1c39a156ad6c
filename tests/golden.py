"""Golden tables of messages: a line that fails, and below it its whole message."""

from pathlib import Path


def table(path: Path) -> list[tuple[str, str]]:
    """The lines and messages of a file; a line starts with `> `, a comment with `# `."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("# ")]
    assert all(line.startswith("> ") for line in lines[::2])
    return [(line.removeprefix("> "), message) for line, message in zip(lines[::2], lines[1::2], strict=True)]

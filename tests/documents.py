"""Runs the files and commands of a Markdown document and compares their output.

A fenced block after a line with only a bold file name is the content of that file. In a ``console`` block
each line after ``$ `` is a command; the lines up to the next command are its output, which is compared
unless it is empty. ``# exit status 2`` after a command is the expected exit status instead of 0.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(
    r"(?:^\*\*(?P<file>[^*\n]+?)\*\*\n\n)?^```(?P<language>[^`\n]*)\n(?P<text>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class File:
    path: str
    text: str


@dataclass(frozen=True)
class Command:
    line: str
    status: int
    output: str


def steps(document: Path) -> Iterator[File | Command]:
    """The files and commands of a document, in order."""
    for block in BLOCK.finditer(document.read_text(encoding="utf-8")):
        if block["file"]:
            yield File(block["file"].replace("\\_", "_"), block["text"])
        elif block["language"] == "console":
            for part in re.split(r"^\$ ", block["text"], flags=re.M)[1:]:
                line, _, output = part.partition("\n")
                line, _, status = line.partition("  # exit status ")
                yield Command(line, int(status or 0), output)


def follow(document: Path, folder: Path, environment: Mapping[str, str]) -> int:
    """Write the files and run the commands of a document in `folder`; returns the number of commands.

    Fails if the exit status or the output of a command differs.
    """
    commands = 0
    for step in steps(document):
        if isinstance(step, File):
            target = folder / step.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.text, encoding="utf-8")
            continue
        done = subprocess.run(
            step.line,
            shell=True,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == step.status, f"$ {step.line}\n{done.stdout}"
        if step.output:
            assert done.stdout == step.output, f"$ {step.line}"
        commands += 1
    return commands

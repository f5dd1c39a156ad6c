"""Writes the files and runs the commands that a Markdown document shows, and compares their output.

A fenced block after a line that contains only a bold file name is that file. In a ``console`` block
each line after ``$ `` is a command. A command continues on the next line after a backslash. The
lines up to the next command are its output, which is compared if there is any. ``# exit status 2``
after a command gives its exit status; otherwise the command must succeed.
"""

import os
import re
import subprocess
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from ir_measures_graded import cli
from ir_measures_graded.errors import InputWarning

BLOCK = re.compile(
    r"(?:^\*\*(?P<file>[^*\n]+?)\*\*\n\n)?^```(?P<language>[^`\n]*)\n(?P<text>.*?)^```$",
    re.M | re.S,
)
COMMAND = re.compile(
    r"(?P<line>(?:[^\n]*\\\n)*[^\n]*?)(?:  # exit status (?P<status>\d+))?\n(?P<output>.*)",
    re.DOTALL,
)
PROGRAM = "ir_measures_graded "
WARNING = "ir_measures_graded: warning: "
WARNINGS = re.compile(f"(?m)^{WARNING}.*\n")
"""Most commands on the demo warn of the topic that run B lacks. A document may omit these lines."""


class File(NamedTuple):
    path: str
    text: str


class Command(NamedTuple):
    line: str
    status: int
    output: str


class Done(NamedTuple):
    status: int
    output: str


Runner = Callable[[str, Path, Mapping[str, str]], Done]


def steps(document: Path) -> Iterator[File | Command]:
    """The files and commands of a document, in order."""
    for block in BLOCK.finditer(document.read_text(encoding="utf-8")):
        if block["file"]:
            yield File(block["file"].replace("\\_", "_"), block["text"])
        elif block["language"] == "console":
            _, *texts = re.split(r"^\$ ", block["text"], flags=re.M)
            for text in texts:
                command = COMMAND.fullmatch(text)
                assert command, text
                yield Command(command["line"], int(command["status"] or 0), command["output"])


def in_shell(
    line: str, folder: Path, environment: Mapping[str, str], stdin: str | None = None
) -> Done:
    """Run a command as a user does."""
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env={**os.environ, **environment},
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    return Done(done.returncode, done.stdout)


def in_process(line: str, folder: Path, environment: Mapping[str, str]) -> Done:
    """Run a command of this package without starting Python again.

    The shell still expands its arguments, and it runs all other commands and what follows a pipe.
    """
    command, _, following = line.partition(" | ")
    if not command.startswith(PROGRAM) or "<" in command:
        return in_shell(line, folder, environment)
    arguments = in_shell(f"printf '%s\\0' {command.removeprefix(PROGRAM)}", folder, environment)
    printed = StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(printed),
        redirect_stderr(printed),
        warnings.catch_warnings(),
    ):
        # The tests' own filter ignores what users see.
        warnings.simplefilter("default", InputWarning)
        patch.chdir(folder)
        for name, value in environment.items():
            patch.setenv(name, value)
        status = cli.main(arguments.output.split("\0")[:-1])
    if following:
        return in_shell(following, folder, environment, WARNINGS.sub("", printed.getvalue()))
    return Done(status, printed.getvalue())


def follow(
    document: Path, folder: Path, environment: Mapping[str, str], run: Runner = in_shell
) -> int:
    """Write the files and run the commands of a document in `folder`.

    Fails if the exit status of a command or its output differs; returns the number of commands.
    """
    commands = 0
    for step in steps(document):
        if isinstance(step, File):
            target = folder / step.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.text, encoding="utf-8")
            continue
        done = run(step.line, folder, environment)
        assert done.status == step.status, f"$ {step.line}\n{done.output}"
        if step.output:
            output = done.output if WARNING in step.output else WARNINGS.sub("", done.output)
            assert output == step.output, f"$ {step.line}\n{output}"
        commands += 1
    return commands

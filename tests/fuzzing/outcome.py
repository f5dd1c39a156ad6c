"""Runs the command and checks what every run of it must keep to."""

import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ir_measures_graded import cli
from ir_measures_graded.errors import InputWarning

SECONDS = 60
"""No small input may take longer, also on a busy machine."""
MESSAGE = re.compile(r"ir_measures_graded: (error|warning|note): \S.*", re.DOTALL)
SAID_BY_IR_MEASURES = re.compile(r"^skipped \['gm_map'\]: .*\n", re.MULTILINE)
STATUSES = {"gate": (0, 1, 2, 3), "check": (0, 1, 2)}
"""The exit statuses of commands with verdicts."""


class Outcome(NamedTuple):
    """What a command did: exit status, standard output and standard error."""

    status: int
    out: str
    err: str


class TooSlow(BaseException):
    """The command takes too long. No handler of `Exception` may hide it."""


def _stop(*_: object) -> None:
    raise TooSlow


def _run(words: Sequence[str], stdin: bytes) -> Outcome:
    # Python's own streams have these settings for errors.
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", errors="strict")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", errors="backslashreplace")
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    try:
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("default", InputWarning)  # which pytest ignores
            status = cli.main(list(words))
    except TooSlow:
        raise AssertionError(f"more than {SECONDS} seconds") from None
    finally:
        signal.alarm(0)
        sys.stdin = before
    return Outcome(status, _text_of(out), _text_of(err))


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8", "surrogateescape")  # type: ignore[attr-defined]


def check(words: Sequence[str], stdin: bytes = b"") -> Outcome:
    """Run the command; it must succeed, or say in a few lines why not and leave nothing behind."""
    before = _files()
    outcome = _run(words, stdin)
    after = _files()
    own = SAID_BY_IR_MEASURES.sub("", outcome.err)
    _, *messages = re.split(r"^(?=ir_measures_graded: )", own, flags=re.MULTILINE)
    errors = [message for message in messages if ": error: " in message]
    command = words[0] if words else ""
    assert outcome.status in STATUSES.get(command, (0, 2)), outcome
    assert "".join(messages) == own, outcome.err  # no traceback, and no warning of NumPy
    assert all(MESSAGE.match(message) for message in messages), outcome.err
    assert len(errors) == (outcome.status == 2), outcome
    assert all(len(error) < 3_000 and error.count("\n") <= 5 for error in errors), outcome.err
    if outcome.status == 2:
        assert outcome.out == "", outcome
        assert after == before, outcome
    assert not [name for name in after if name.startswith(".")], after  # partly written files
    return outcome


def _files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@contextmanager
def folder(**files: bytes) -> Iterator[None]:
    """An empty working directory with these files."""
    before = Path.cwd()
    with TemporaryDirectory() as name:
        os.chdir(name)
        try:
            for file, content in files.items():
                Path(file).write_bytes(content)
            yield
        finally:
            os.chdir(before)

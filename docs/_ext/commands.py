"""What each command says of itself."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from unittest.mock import patch

from ir_measures_graded import cli


def help_of(*command: str) -> str:
    """The ``--help`` of a command, or without one of the whole, as a block of text."""
    if command and command[0] not in cli.COMMANDS:
        raise KeyError(f"there is no command {command[0]!r}")
    text = io.StringIO()
    with redirect_stdout(text), patch.dict(os.environ, COLUMNS="96"):
        cli.main([*command, "--help"])
    return f"```text\n{text.getvalue().rstrip()}\n```"

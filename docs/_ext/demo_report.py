"""The report of the demo runs, which is part of the site."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from io import StringIO
from shutil import copy
from tempfile import TemporaryDirectory

from sphinx.application import Sphinx

from ir_measures_graded import cli
from ir_measures_graded.demo import run_paths

NAME = "demo-report.html"
COMMAND = ("report", "graded-demo", *(path.name for path in run_paths().values()))
OPTIONS = ("nDCG_JK(gains=2:10,3:100)@100", "ERR_G@10", "AP", "--baseline", "A.run", "-o", NAME)


def link() -> str:
    """A link to the report, which `write` puts next to the page."""
    return f'<p><a href="{NAME}"><strong>Open the report of the demo runs</strong></a></p>'


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the report into the finished site, as its command does in a folder of the runs."""
    if exception is None and app.builder.format == "html":
        with TemporaryDirectory() as folder:
            for path in run_paths().values():
                copy(path, folder)
            before = os.getcwd()
            os.chdir(folder)
            try:
                with redirect_stdout(StringIO()):
                    assert cli.main([*COMMAND, *OPTIONS]) == 0
                copy(NAME, app.outdir)
            finally:
                os.chdir(before)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the report after the build."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

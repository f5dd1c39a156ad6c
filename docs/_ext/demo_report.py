"""The pages of the demo runs on the site: the report, and what if the levels had other gains."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from io import StringIO
from shutil import copy
from tempfile import TemporaryDirectory

from sphinx.application import Sphinx

from ir_measures_graded import cli
from ir_measures_graded.demo import run_paths

RUNS = [path.name for path in run_paths().values()]
REPORT = "demo-report.html"
WHAT_IF = "demo-what-if.html"
MEASURES = ("nDCG_JK(gains=2:10,3:100)@100", "ERR_G@10", "AP")
WEIGHTINGS = ("--gains", "w1", "--gains", "w3", "--gains", "w10", "--gains", "w100")
COMMANDS = (
    ("report", "graded-demo", *RUNS, *MEASURES, "--baseline", "A.run", "-o", REPORT),
    ("sensitivity", "graded-demo", *RUNS, "nDCG_JK@100", *WEIGHTINGS, "-o", WHAT_IF),
)


def link() -> str:
    """A link to the report, which `write` puts next to the page."""
    return f'<p><a href="{REPORT}"><strong>Open the report of the demo runs</strong></a></p>'


AS_TALL_AS_ITS_CONTENT = """<script>
document.querySelector("iframe.what-if").addEventListener("load", function () {
  const section = this.contentDocument && this.contentDocument.querySelector("#what-if");
  if (!section) return; // a file may not look into another one; the style sheet has a height
  new ResizeObserver(() => {
    this.style.height = section.offsetHeight + 16 + "px";
    this.contentWindow.scrollTo(0, section.offsetTop);
  }).observe(section);
});
</script>"""


def what_if() -> str:
    """The what-if page in a frame, and a link to it."""
    frame = (
        f'<iframe class="what-if" src="{WHAT_IF}#what-if" title="What if" loading="lazy"></iframe>'
    )
    return f'{frame}{AS_TALL_AS_ITS_CONTENT}\n<p><a href="{WHAT_IF}">Open this page alone</a></p>'


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages into the finished site, as their commands do in a folder of the runs."""
    if exception is not None or app.builder.format != "html":
        return
    with TemporaryDirectory() as folder:
        for path in run_paths().values():
            copy(path, folder)
        before = os.getcwd()
        os.chdir(folder)
        try:
            with redirect_stdout(StringIO()):
                for command in COMMANDS:
                    assert cli.main(list(command)) == 0
            for name in (REPORT, WHAT_IF):
                copy(name, app.outdir)
        finally:
            os.chdir(before)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages after the build."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

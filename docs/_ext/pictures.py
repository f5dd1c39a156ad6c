"""The pictures of the README and the front page: `python docs/_ext/pictures.py` makes them with
Chromium.

The site does not make them, because not every machine that builds it has Chromium.
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from ir_measures_graded import cli
from ir_measures_graded.analysis import compare, figures, sensitivity
from ir_measures_graded.demo import run_paths

STATIC = Path(__file__).parents[1] / "_static"
RUNS = [path.name for path in run_paths().values()]
STYLE = """<meta charset="utf-8"><style>
  body { margin: 24px; background: #fff; color: #111; font: 15px/1.5 "DejaVu Sans", sans-serif; }
  pre { font: 14px/1.5 "DejaVu Sans Mono", monospace; white-space: pre-wrap; margin: 0; }
  table { border-spacing: 14px 3px; } caption { padding: 0 14px 8px; text-align: left; }
  pre b { color: #06c; font-weight: normal; }
</style>"""


def printed(*words: str) -> str:
    """A command and what it prints, as HTML."""
    lines = StringIO()
    with redirect_stdout(lines):
        cli.main([*words])
    command = html.escape(" ".join(["ir_measures_graded", *words]))
    return f"{STYLE}<pre><b>$ {command}</b>\n{html.escape(lines.getvalue())}</pre>"


def photograph(page: str, name: str, width: int, height: int) -> None:
    """Write a picture of a page of the current folder to `STATIC`."""
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    )
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--force-device-scale-factor=1.4",
    ]
    picture = f"--screenshot={STATIC / name}"
    address = f"file://{os.path.abspath(page)}"
    subprocess.run(
        [chromium, *flags, f"--window-size={width},{height}", picture, address], check=True
    )


def main() -> None:
    """Make all pictures in a folder with the demo collection."""
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        cli.main(["demo", "--copy", "."])
        measures = ["nDCG_JK@10", "ERR_G@10", "AP"]
        cli.main(["report", "qrels.txt", *RUNS, *measures, "--baseline", "A.run"])
        photograph("report.html", "report.png", 1120, 820)
        weightings = ["--gains", "w1", "--gains", "w10", "--gains", "w100"]
        cli.main(["sensitivity", "qrels.txt", *RUNS, "nDCG_JK@100", *weightings, "-o", "if.html"])
        photograph("if.html", "what-if.png", 1120, 820)
        orders = sensitivity("qrels.txt", RUNS, ["nDCG_JK@100"])
        figures.save(orders.figure(), STATIC / "gains.png")
        table = compare("qrels.txt", RUNS, ["nDCG_JK@10", "nDCG_JK@100", "Q", "AP"], baseline="D")
        Path("table.html").write_text(STYLE + table.to_html(places=3), encoding="utf-8")
        photograph("table.html", "paper-table.png", 560, 320)
        Path("identify.html").write_text(
            printed("identify", "qrels.txt", "A.run", "lightgbm.csv"), encoding="utf-8"
        )
        photograph("identify.html", "identify.png", 1060, 330)


if __name__ == "__main__":
    main()

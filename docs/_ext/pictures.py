"""The pictures of the README and the front page: `python docs/_ext/pictures.py` makes them with
Chromium.

The site does not make them, because not every machine that builds it has Chromium.
"""

from __future__ import annotations

import html
import os
import shutil
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from ir_measures_graded import cli
from ir_measures_graded.analysis import compare, figures, sensitivity
from ir_measures_graded.demo import run_paths

COLOURS = 256  # a palette makes a file a third as large
STATIC = Path(__file__).parents[1] / "_static"
STEEPER = "b=2&g=1,2,10&k=100&m=nDCG_JK"
"""The setting of the picture of the sliders."""
RUNS = [path.name for path in run_paths().values()]
STYLE = """<meta charset="utf-8"><style>
  body { margin: 24px; background: #fff; color: #111; font: 15px/1.5 "DejaVu Sans", sans-serif; }
  pre { font: 14px/1.5 "DejaVu Sans Mono", monospace; white-space: pre-wrap; margin: 0; }
  table { border-spacing: 14px 3px; } caption { padding: 0 14px 8px; text-align: left; }
  pre b { color: #06c; font-weight: normal; }
  @media (prefers-color-scheme: dark) {
    body { background: #131416; color: #ddd; } pre b { color: #6af; }
  }
</style>"""


def printed(*words: str) -> str:
    """A command and what it prints, as HTML."""
    lines = StringIO()
    with redirect_stdout(lines):
        cli.main(list(words))
    command = html.escape(" ".join(["ir_measures_graded", *words]))
    return f"{STYLE}<pre><b>$ {command}</b>\n{html.escape(lines.getvalue())}</pre>"


SCHEMES = {"light": "", "dark": "-dark"}
"""The colour schemes, and the ends of the names of their files."""


FIRST_RANKING = "() => document.querySelector('#rankings details')?.setAttribute('open', '')"
"""A script that opens the first topic among the rankings of a report."""


class Camera:
    """Takes pictures of pages of the current folder, light and dark, with Chromium."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def take(
        self,
        page: str,
        name: str,
        width: int,
        height: int,
        part: str = "",
        schemes: Iterable[str] = SCHEMES,
        setting: str = "",
    ) -> None:
        """Write `name`.png and `name`-dark.png of the first `height` pixels of a page or of the
        part with that id. `setting` is what follows # in the address.
        """
        for scheme in schemes:
            context = self.browser.new_context(
                viewport={"width": width, "height": height},
                device_scale_factor=1.4,
                color_scheme=scheme,
            )
            tab = context.new_page()
            tab.goto(f"{Path(page).absolute().as_uri()}#{setting}")
            tab.evaluate(FIRST_RANKING)
            top = tab.locator(f"#{part}").bounding_box()["y"] if part else 0
            area = {"x": 0, "y": top, "width": width, "height": height}
            path = STATIC / f"{name}{SCHEMES[scheme]}.png"
            tab.screenshot(path=path, clip=area, full_page=True)
            picture = Image.open(path).convert("RGB")
            picture.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(path, optimize=True)
            context.close()


def main() -> None:
    """Make all pictures in a folder with the demo collection."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        os.chdir(folder)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser)
        cli.main(["demo", "--copy", "."])
        measures = ["nDCG_JK@10", "ERR_G@10", "AP"]
        cli.main(["report", "qrels.txt", *RUNS, *measures, "--baseline", "A.run"])
        camera.take("report.html", "report", 900, 990)
        camera.take("report.html", "report-curves", 900, 560, "curves")
        camera.take("report.html", "report-topics", 900, 560, "topics")
        camera.take("report.html", "report-rankings", 900, 560, "rankings")
        weightings = ["--gains", "w1", "--gains", "w10", "--gains", "w100"]
        cli.main(["sensitivity", "qrels.txt", *RUNS, "nDCG_JK@100", *weightings, "-o", "if.html"])
        where = {"part": "what-if", "schemes": ["light"], "setting": STEEPER}
        camera.take("if.html", "what-if", 1100, 890, **where)
        orders = sensitivity("qrels.txt", RUNS, ["nDCG_JK@100"])
        figures.save(orders.figure(), STATIC / "gains.png")
        table = compare("qrels.txt", RUNS, ["nDCG_JK@10", "nDCG_JK@100", "Q", "AP"], baseline="D")
        Path("table.html").write_text(STYLE + table.to_html(places=3), encoding="utf-8")
        camera.take("table.html", "paper-table", 560, 440)
        Path("identify.html").write_text(
            printed("identify", "qrels.txt", "A.run", "lightgbm.csv"), encoding="utf-8"
        )
        camera.take("identify.html", "identify", 1060, 338)
        browser.close()


if __name__ == "__main__":
    main()

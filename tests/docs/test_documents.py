"""Runs every command and every example on the pages, and compares the output.

A line such as ``% needs: pyterrier`` skips the page or the next block if that module is missing.
``% needs: collections`` skips it if no collection of ir-datasets was downloaded for the tests.
``% needs: llmjudge`` or ``cast21-doc`` skips it if these data of `DATA` were not downloaded.
``% needs: spark`` skips it, because tests/integrations/test_spark.py runs it.
"""

import doctest
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from site_extensions import DOCS

from documents import Done, follow, in_process, in_shell

DOWNLOADED = "msmarco-passage/"
DATA = DOCS.parents[1] / "shared" / "data"
COLLECTIONS = DATA / "ir_datasets"
DATASETS = ("llmjudge", "cast21-doc")
RUN_ELSEWHERE = {"write-your-own-measure.md", "answers.md"}  # tests/plugins runs them
PAGES = sorted(
    path.relative_to(DOCS)
    for path in DOCS.rglob("*.md")
    if not {"_build", "measures", "example-plugins"} & {*path.relative_to(DOCS).parts}
    and path.name not in RUN_ELSEWHERE
)
FENCE = re.compile(r"^```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# `sh`: commands that no test can run, such as installing
ONLY_READ = {"text", "sh", "toml", "bibtex", "ini", "yaml"}
BESIDE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
every_page = pytest.mark.parametrize("page", PAGES, ids=str)


def missing(needs: str) -> bool:
    if needs in ("collections", *DATASETS):
        return not (COLLECTIONS if needs == "collections" else DATA / needs).is_dir()
    return needs == "spark" or importlib.util.find_spec(needs) is None


def runnable(page: Path) -> str:
    """The page without the blocks whose requirements are missing."""
    text = (DOCS / page).read_text(encoding="utf-8")
    head = re.match(r"% needs: (\S+)\n", text)
    if head and missing(head[1]):
        pytest.skip(f"the page needs {head[1]}")
    block = rf"^% needs: (\S+)\n\n{FENCE.pattern.removeprefix('^')}"
    return re.sub(
        block, lambda found: "" if missing(found[1]) else found[0], text, flags=re.M | re.S
    )


@every_page
def test_every_block_is_executed_or_only_read(page: Path) -> None:
    for block in FENCE.finditer((DOCS / page).read_text(encoding="utf-8")):
        language, text = block["language"], block["text"]
        if language == "python":
            assert text.startswith(">>> "), text
        elif language == "console":
            assert text.startswith("$ "), text
        else:
            assert language in ONLY_READ or language.startswith("{"), f"```{language}"


def run(line: str, folder: Path, environment: Mapping[str, str]) -> Done:
    # ir_datasets keeps the folder of its collections from when it was imported, so they need a new process.
    return (in_shell if DOWNLOADED in line else in_process)(line, folder, environment)


@every_page
def test_commands_print_the_output_shown(page: Path, tmp_path: Path) -> None:
    copy = tmp_path / "page.md"
    copy.write_text(runnable(page), encoding="utf-8")
    folder = tmp_path / "here"
    folder.mkdir()
    for name in re.findall(r"\{download\}`.*? <(.*?)>`", copy.read_text(encoding="utf-8")):
        shutil.copy(DOCS / name, folder)
    if COLLECTIONS.is_dir():
        shutil.copytree(COLLECTIONS, tmp_path / "ir_datasets", copy_function=shutil.copyfile)
    for name in DATASETS:
        if f"% needs: {name}" in copy.read_text(encoding="utf-8"):
            (folder / name).symlink_to(DATA / name)
    environment = {**BESIDE, "IR_DATASETS_HOME": str(tmp_path / "ir_datasets"), "COLUMNS": "100"}
    follow(copy, folder, environment, run)


def test_every_cell_of_a_notebook_shows_a_figure_or_a_table() -> None:
    pytest.importorskip("sphinx", reason="the site's tools are not installed")
    pytest.importorskip("scipy", reason="a cell needs statistics")
    import cells

    assert doctest.testmod(cells).failed == 0
    names: dict[str, object] = {}
    pages = (DOCS / "notebooks.md").read_text(encoding="utf-8")
    shown = [
        cells.display(block["text"], names)
        for block in FENCE.finditer(pages)
        if "{cell}" in block[0]
    ]
    assert len(shown) >= 5
    assert all("<svg" in each or "dataframe" in each for each in shown)
    assert all("<td" in each for each in shown)


@every_page
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:pyterrier"
)  # raised by PyTerrier's calls of pandas
def test_examples_print_the_output_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blanked = re.sub(r"^```.*$", "", runnable(page), flags=re.MULTILINE)  # a fence is not output
    examples = doctest.DocTestParser().get_doctest(blanked, {}, str(page), str(page), 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples)
    assert result.failed == 0


def test_the_architecture_names_what_exists() -> None:
    package = DOCS.parent / "src" / "ir_measures_graded"
    folders = "|".join(path.name for path in package.iterdir() if path.is_dir())
    named = re.findall(
        rf"`((?:{folders})(?:\.\w+)+)`", (DOCS / "architecture.md").read_text(encoding="utf-8")
    )
    assert len(named) > 40
    for name in named:
        *module, last = name.split(".")
        path = package.joinpath(*module, last)
        if not path.is_dir() and not path.with_suffix(".py").exists():
            source = package.joinpath(*module)
            text = (
                source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
            ).read_text()
            assert re.search(rf"^(class|def) {last}\b", text, re.MULTILINE), name

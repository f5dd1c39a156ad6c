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
FOLDERS_LEFT_OUT = {"_build", "measures", "example-plugins"}
ALL_PAGES = sorted(path.relative_to(DOCS) for path in DOCS.rglob("*.md"))
PAGES = [
    page
    for page in ALL_PAGES
    if FOLDERS_LEFT_OUT.isdisjoint(page.parts) and page.name not in RUN_ELSEWHERE
]
FENCE = re.compile(r"^```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# `sh`: commands that no test can run, such as installing
ONLY_READ = {"text", "sh", "toml", "bibtex", "ini", "yaml"}
BESIDE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
every_page = pytest.mark.parametrize("page", PAGES, ids=str)


def missing(needs: str) -> bool:
    if needs == "collections":
        return not COLLECTIONS.is_dir()
    if needs in DATASETS:
        return not (DATA / needs).is_dir()
    return needs == "spark" or importlib.util.find_spec(needs) is None


def runnable(page: Path) -> str:
    """The page without the blocks whose requirements are missing."""
    text = (DOCS / page).read_text(encoding="utf-8")
    head = re.match(r"% needs: (\S+)\n", text)
    if head and missing(head[1]):
        pytest.skip(f"the page needs {head[1]}")

    def kept(block: re.Match[str]) -> str:
        return "" if missing(block[1]) else block[0]

    block_with_needs = rf"^% needs: (\S+)\n\n{FENCE.pattern.removeprefix('^')}"
    return re.sub(block_with_needs, kept, text, flags=re.M | re.S)


@every_page
def test_every_block_is_executed_or_only_read(page: Path) -> None:
    for block in FENCE.finditer((DOCS / page).read_text(encoding="utf-8")):
        language = block["language"]
        text = block["text"]
        if language == "python":
            assert text.startswith(">>> "), text
        elif language == "console":
            assert text.startswith("$ "), text
        else:
            assert language in ONLY_READ or language.startswith("{"), f"```{language}"


def run(line: str, folder: Path, environment: Mapping[str, str]) -> Done:
    if DOWNLOADED in line:
        # ir_datasets keeps the folder of its collections from when it was imported.
        return in_shell(line, folder, environment)
    return in_process(line, folder, environment)


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
    page = (DOCS / "notebooks.md").read_text(encoding="utf-8")
    displays = []
    for block in FENCE.finditer(page):
        if "{cell}" in block[0]:
            displays.append(cells.display(block["text"], names))
    assert len(displays) >= 5
    assert all("<svg" in display or "dataframe" in display for display in displays)
    assert all("<td" in display for display in displays)


@every_page
# PyTerrier's calls of pandas raise it.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyterrier")
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
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    names = re.findall(rf"`((?:{folders})(?:\.\w+)+)`", page)
    assert len(names) > 40
    for name in names:
        if source_of(package.joinpath(*name.split("."))) is None:
            *module, last = name.split(".")
            source = source_of(package.joinpath(*module))
            assert source is not None, name
            definition = rf"^(class|def) {last}\b"
            assert re.search(definition, source.read_text(), re.MULTILINE), name


def source_of(path: Path) -> Path | None:
    """The file of a package or a module; None if there is neither."""
    if path.is_dir():
        return path / "__init__.py"
    module = path.with_suffix(".py")
    return module if module.exists() else None

"""What the pages show is what happens: every command and every example; and every block is one or the other.

A line such as ``% needs: pyterrier`` makes a page, or the block that follows it, be skipped where that module
is not there; ``% needs: collections``, where no collection of ir-datasets was downloaded for the tests.
"""

import doctest
import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from site_extensions import DOCS

from documents import follow

COLLECTIONS = DOCS.parents[1] / "shared" / "data" / "ir_datasets"
RUN_ELSEWHERE = {"write-your-own-measure.md"}  # step by step in a fresh environment, by a test of its own
PAGES = sorted(
    path.relative_to(DOCS)
    for path in DOCS.rglob("*.md")
    if not {"_build", "measures", "example-plugin"} & {*path.relative_to(DOCS).parts}
    and path.name not in RUN_ELSEWHERE
)
FENCE = re.compile(r"^```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
ONLY_READ = {"text", "sh", "toml", "bibtex", "ini"}  # `sh`: what no test can run, as installing
BESIDE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
every_page = pytest.mark.parametrize("page", PAGES, ids=str)


def missing(needs: str) -> bool:
    if needs == "collections":
        return not COLLECTIONS.is_dir()
    return importlib.util.find_spec(needs) is None


def runnable(page: Path) -> str:
    """The page without the blocks that need what is not there."""
    text = (DOCS / page).read_text(encoding="utf-8")
    head = re.match(r"% needs: (\S+)\n", text)
    if head and missing(head[1]):
        pytest.skip(f"it needs {head[1]}")
    block = rf"^% needs: (\S+)\n\n{FENCE.pattern.removeprefix('^')}"
    return re.sub(block, lambda found: "" if missing(found[1]) else found[0], text, flags=re.M | re.S)


@every_page
def test_every_block_is_run_or_known_to_be_only_read(page: Path) -> None:
    for block in FENCE.finditer((DOCS / page).read_text(encoding="utf-8")):
        language, text = block["language"], block["text"]
        if language == "python":
            assert text.startswith(">>> "), text
        elif language == "console":
            assert text.startswith("$ "), text
        else:
            assert language in ONLY_READ or language.startswith("{"), f"```{language}"


@every_page
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    copy = tmp_path / "page.md"
    copy.write_text(runnable(page), encoding="utf-8")
    folder = tmp_path / "here"
    folder.mkdir()
    if COLLECTIONS.is_dir():
        shutil.copytree(COLLECTIONS, tmp_path / "ir_datasets", copy_function=shutil.copyfile)
    follow(copy, folder, {**BESIDE, "IR_DATASETS_HOME": str(tmp_path / "ir_datasets"), "COLUMNS": "100"})


@every_page
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyterrier")  # PyTerrier's own calls of pandas
def test_examples_print_what_is_shown(page: Path) -> None:
    blanked = re.sub(r"^```.*$", "", runnable(page), flags=re.MULTILINE)  # a fence is no expected output
    examples = doctest.DocTestParser().get_doctest(blanked, {}, str(page), str(page), 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples)
    assert result.failed == 0

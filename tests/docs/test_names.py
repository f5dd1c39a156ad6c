"""The commands, options, functions, parameters and files that the pages name exist."""

import inspect
import re

from site_extensions import DOCS

import ir_measures_graded
from ir_measures_graded import analysis, cli, demo, testing, vectors
from ir_measures_graded.cli.parser import commands_with
from ir_measures_graded.integrations import boosting, scikit_learn

ROOT = DOCS.parent
FOLDERS = [ROOT, DOCS, ROOT / ".github"]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in FOLDERS
    for path in folder.glob("*.md")
}
FENCE = re.compile(r"^```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = ("console", "sh")
CALL_OF_COMMAND = re.compile(r"(?:^|(?<!from)[ /])ir_measures_graded ([a-z]\w*)([^|;&]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z]\w*(?:[-_]\w+)*")
GENERAL = {"--help", "--version", "--no_progress", "--quiet", cli.COMPLETION}
OF_OTHERS = {"--logb", "--beta", "--json", "--py-files"}
"""Options of NTCIREVAL, the benchmarks and Spark."""
OTHER_TOOLS = r"(?:pip|tox|uv|git|pytest|trec_eval|python|twine)\b"
MODULES = (ir_measures_graded, analysis, demo, testing, vectors, boosting, scikit_learn)
CALL = re.compile(r"(?<![\w.])([a-z_]\w+)\(([^()]*)\)")
PARAMETER = re.compile(r"(?<![\w.])([a-z_]\w*)=")
PATH = re.compile(r"(?:docs|tests|src|\.github|\.ci)/[\w./-]+\w")


def inline(text):
    """The inline code of a page."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCE.sub("", text))


def command_lines(text):
    """The commands of this package on a page, in code and in blocks."""
    for block in FENCE.finditer(text):
        if block["language"] in SHELL:
            lines = block["text"].replace("\\\n", " ").splitlines()
            yield from (line for line in lines if "ir_measures_graded " in line)
    yield from (code for code in inline(text) if code.startswith("ir_measures_graded "))


def test_commands_and_their_options_exist():
    problems = []
    count = 0
    for page, text in PAGES.items():
        for line in command_lines(text):
            for command, rest in CALL_OF_COMMAND.findall(line):
                count += 1
                if command not in (*cli.COMMANDS, "help"):
                    problems.append((page, command))
                for option in OPTION.findall(rest):
                    commands = commands_with(option.replace("-", "_").replace("__", "--", 1))
                    if command not in commands and option not in GENERAL:
                        problems.append((page, command, option))
    assert count > 200
    assert problems == []


def test_options_alone_are_those_of_a_command():
    problems = []
    for page, text in PAGES.items():
        for code in inline(text):
            if re.match(OTHER_TOOLS, code):
                continue
            for option in {*OPTION.findall(code)} - GENERAL - OF_OTHERS:
                if not commands_with(option):
                    problems.append((page, option))
    assert problems == []


def test_functions_have_the_parameters_that_pages_give():
    problems = []
    count = 0
    for page, text in PAGES.items():
        for code in inline(text):
            for name, arguments in CALL.findall(code):
                owners = [module for module in MODULES if name in getattr(module, "__all__", ())]
                if not owners:
                    continue
                function = getattr(owners[0], name)
                names = inspect.signature(function).parameters
                any_name = any(item.kind is item.VAR_KEYWORD for item in names.values())
                for parameter in PARAMETER.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", arguments)):
                    count += 1
                    if parameter not in names and not any_name:
                        problems.append((page, name, parameter))
    assert count > 20
    assert problems == [("docs/migrating.md", "compare", "stat_test")]  # ranx's function


def test_files_of_the_repository_exist():
    problems = []
    for page, text in PAGES.items():
        for code in inline(text):
            for path in PATH.findall(code):
                if not (ROOT / path).exists() and "_build" not in path:
                    problems.append((page, path))
    assert problems == []

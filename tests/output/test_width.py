"""Tables and text fit the terminal; numbers are never folded."""

import re
import sys

import pytest

from ir_measures_graded import cli
from ir_measures_graded.demo import NAME, run_paths
from ir_measures_graded.output.formats import text
from ir_measures_graded.output.width import of_width, width

RUNS = [str(path) for path in run_paths().values()]
LONG = "a-very-long-name-of-a-run-with-the-model-and-all-of-its-settings_768"
COMMANDS = [
    ["compare", NAME, *RUNS[:3], "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"],
    ["sensitivity", NAME, *RUNS, "nDCG_JK@10", "--show", "swaps"],
    ["evaluate", NAME, *RUNS, "nDCG_JK(gains=2:10,3:100)@100", "nDCG@10", "AP", "muAP", "P@5", "Q"],
    ["measures", "--all"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_command_fits_the_terminal_with_the_numbers_of_a_wide_one(capsys, monkeypatch, words):
    pytest.importorskip("scipy")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    def printed_in(columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert cli.main(words) == 0
        return capsys.readouterr().out

    wide = printed_in(1000)
    narrow = printed_in(64)
    assert max(map(len, wide.splitlines())) <= 120
    assert max(map(len, narrow.splitlines())) <= 64
    if words[0] != "measures":
        number = r"(?<![\w.])\d\.\d{4}\b"
        assert sorted(re.findall(number, narrow)) == sorted(re.findall(number, wide))


def test_names_are_folded_and_numbers_are_not():
    rows = [[LONG, 0.123456, "x"], ["b", -1.5, "y"]]
    with of_width(40):
        lines = list(text(["run", "mean over topics", "note"], rows))
    assert max(map(len, lines)) <= 40
    assert any(re.search(r" 0\.1235 ", line) for line in lines)
    names = [line.split()[0] for line in lines if line.startswith(("a-", "run-"))]
    assert names == ["a-very-long-name-of-a-", "run-with-the-model-and-"]


def test_a_table_that_cannot_fit_has_a_block_a_row():
    values = [0.25] * 12
    head = ["run", *[f"measure{number}" for number in range(12)]]
    with of_width(60):
        lines = list(text(head, [["run0", *values], ["run1", *values]]))
    assert lines[:2] == ["run       run0", "measure0  0.2500"]
    assert lines.count("") == 1


def test_the_width_without_a_terminal_is_fixed(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    assert width() == 100
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert width() == 70
    with of_width():
        assert width() == 100

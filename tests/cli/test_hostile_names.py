"""Names with markup and control characters: no format of any command lets them act."""

import csv
import html
import io
import json
import re
from pathlib import Path

import pytest

from ir_measures_graded import cli
from ir_measures_graded.cli import COMMANDS
from rounds import sampled

NAMES = [
    "a\n\\input{evil}",
    "<img src=x onerror=alert(1)>",
    "\x1b[2Jc\x9b31m\u202egnp",
    "# *d* `e` [f](javascript:g) | % & $h$ \u2028\\end{tabular}",
]
LINES = {
    "evaluate": "qrels.parquet runs.parquet nCG@2 AP",
    "evaluate --show topics": "qrels.parquet runs.parquet nCG@2 AP",
    "check": "qrels.parquet runs.parquet P(rel=3)@2",
    "levels": "qrels.parquet",
    "measures": "",
    "explain": "qrels.parquet two.parquet nCG@2 --topic TOPIC",
    "curves": "qrels.parquet runs.parquet CG --depth 3",
    "effort": "qrels.parquet runs.parquet CG --depth 3",
    "sensitivity": "qrels.parquet runs.parquet nCG@1 nCG@2",
    "ranges": "qrels.parquet runs.parquet nCG@2 nDCG_JK",
    "identify": "qrels.parquet run values --measure nDCG@2",
    "compare": "qrels.parquet runs.parquet nCG(gains=exp)@2 --tests wilcoxon --resamples 9",
    "compare --show topics": "qrels.parquet runs.parquet nCG(gains=exp)@2",
    "gate": "qrels.parquet two.parquet nCG@2",
    "power": "qrels.parquet runs.parquet nCG@2 AP --differences 0.1",
    "holes": "qrels.parquet runs.parquet nCG@2 --ask ask.csv",
    "leaderboards": "board.parquet board.parquet",
    "reproduce": "board.parquet board.parquet --baseline base --advanced other",
    "judges": "qrels.parquet machine.parquet runs.parquet P@2 --resamples 100",
}
FORMATS = "txt md tex tsv csv json jsonl html svg".split()
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]")


@pytest.fixture(autouse=True)
def hostile(folder):
    """Qrels and runs whose topics, documents and runs have hostile names."""
    topics = [f"{number}{name}" for number in range(3) for name in NAMES][:10]
    judged = [(topic, doc, place % 3) for topic in topics for place, doc in enumerate(NAMES)]
    _write("qrels.parquet", ["topic", "document", "relevance"], judged)
    by_machine = [(topic, doc, (level + 1) % 3) for topic, doc, level in judged]
    _write("machine.parquet", ["topic", "document", "relevance"], by_machine)

    rows = []
    for number, run in enumerate(NAMES):
        for topic in topics[number:]:
            for place, doc in enumerate([*NAMES, f"unjudged {run}"]):
                score = (7 * place + 3 * number * len(topic)) % 5
                rows.append((run, topic, doc, score))
    of_two = [row for row in rows if row[0] in NAMES[:2]]
    _write("runs.parquet", ["run", "topic", "document", "sim"], rows)
    _write("two.parquet", ["run", "topic", "document", "sim"], of_two)
    of_one = [(topic, doc, score) for run, topic, doc, score in rows if run == NAMES[0]]
    _write("run", ["topic", "document", "score"], of_one)

    values = [(topic, place / 7) for place, topic in enumerate(topics)]
    _write("values", ["topic", "value"], values)
    board = []
    for number, run in enumerate([*NAMES, "base", "other"]):
        for place, topic in enumerate(topics):
            value = (3 * place + number) % 7 / 7
            board += [(run, topic, measure, value) for measure in NAMES]
    _write("board.parquet", ["run", "topic", "measure", "value"], board)
    return topics[1]


def _write(path, columns, rows):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow.parquet import write_table

    cells = [list(column) for column in zip(*rows)]
    write_table(pyarrow.table(cells, columns), path)


def test_every_command_is_tested():
    names = {name.split()[0] for name in LINES}
    assert {*names, "convert", "demo", "report"} == set(COMMANDS)


UNDRAWN = "measures"
"""The command without a figure."""


@pytest.mark.parametrize("name", sampled(LINES, 3))
def test_no_name_acts_in_any_format(name, hostile, capsys):
    words = [hostile if word == "TOPIC" else word for word in LINES[name].split()]
    # The pages have the figures, too.
    endings = [ending for ending in FORMATS if ending != "svg" or name == "curves"]
    files = {ending: Path(f"result.{ending}") for ending in endings}
    outputs = []
    for path in files.values():
        outputs += ["-o", str(path)]
    status = cli.main([*name.split(), *words, *outputs, "-f", "text"])
    out, err = capsys.readouterr()
    assert status in (0, 1, 3), err
    assert not CONTROL.search(out + err)
    written = {ending: path.read_text(encoding="utf-8") for ending, path in files.items()}
    for ending in ("txt", "tsv", "html"):
        assert not CONTROL.search(written[ending])
    _check_latex(written["tex"])
    _check_markdown(written["md"])
    page = written["html"]
    assert "<img" not in page
    assert ("<svg" in page) == (name != UNDRAWN)
    assert not CONTROL.search(written.get("svg", ""))
    csv_rows = csv.reader(io.StringIO(written["csv"], newline=""))
    assert len({len(row) for row in csv_rows}) == 1
    tsv_rows = csv.reader(io.StringIO(written["tsv"], newline=""), delimiter="\t")
    assert len({len(row) for row in tsv_rows}) == 1
    records = json.loads(written["json"])
    if isinstance(records, list):
        assert records == list(map(json.loads, _lines_of(written["jsonl"])))


def _lines_of(text):
    """The lines, which end at a line feed only."""
    return text.removesuffix("\n").split("\n")


def _check_latex(text):
    assert not CONTROL.search(text)
    live = re.sub(r"(?m)^% .*$", "", text)
    live = re.sub(r"\$(\\uparrow|-|\^\\dagger)\$", "", live)
    assert not re.search(r"\\(input|end\{tabular\}.)|(?<!\\)[#$%](?!\\)", live)


def _check_markdown(text):
    assert not CONTROL.search(text)
    parser = pytest.importorskip("markdown_it", reason="markdown-it is not installed")
    page = parser.MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    assert not re.search("<(img|h1|a|em|code)\\b", page), page
    assert html.unescape(page)

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
    "check": "qrels.parquet runs.parquet P(rel=3)@2",
    "levels": "qrels.parquet",
    "measures": "",
    "explain": "qrels.parquet two.parquet nCG@2 --topic TOPIC",
    "curves": "qrels.parquet runs.parquet CG --depth 3",
    "effort": "qrels.parquet runs.parquet CG --depth 3",
    "sensitivity": "qrels.parquet runs.parquet nCG@1 nCG@2",
    "ranges": "qrels.parquet runs.parquet nCG@2 nDCG_JK",
    "identify": "qrels.parquet run values --measure nDCG@2",
    "compare": "qrels.parquet runs.parquet nCG@2 --tests wilcoxon --resamples 9",
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
    for name, rows in {
        "qrels": judged,
        "machine": [(t, d, (n + 1) % 3) for t, d, n in judged],
    }.items():
        _write(f"{name}.parquet", ["topic", "document", "relevance"], rows)
    scores = [
        (run, topic, doc, (7 * place + 3 * number * len(topic)) % 5)
        for number, run in enumerate(NAMES)
        for topic in topics[number:]
        for place, doc in enumerate([*NAMES, f"unjudged {run}"])
    ]
    for name, runs in {"runs": NAMES, "two": NAMES[:2]}.items():
        _write(
            f"{name}.parquet",
            ["run", "topic", "document", "sim"],
            [r for r in scores if r[0] in runs],
        )
    _write("run", ["topic", "document", "score"], [row[1:] for row in scores if row[0] == NAMES[0]])
    _write("values", ["topic", "value"], [(topic, place / 7) for place, topic in enumerate(topics)])
    boards = [
        (run, topic, measure, (3 * place + number) % 7 / 7)
        for number, run in enumerate([*NAMES, "base", "other"])
        for place, topic in enumerate(topics)
        for measure in NAMES
    ]
    _write("board.parquet", ["run", "topic", "measure", "value"], boards)
    return topics[1]


def _write(path, columns, rows):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table(dict(zip(columns, map(list, zip(*rows))))), path)


def test_every_command_is_tested():
    assert {*LINES} | {"convert", "demo", "report"} == {*COMMANDS}


UNDRAWN = "measures"
"""The command without a figure."""


@pytest.mark.parametrize("name", sampled(LINES, 3))
def test_no_name_acts_in_any_format(name, hostile, capsys):
    words = [hostile if word == "TOPIC" else word for word in LINES[name].split()]
    # The pages have the figures, too.
    endings = [ending for ending in FORMATS if ending != "svg" or name == "curves"]
    files = {ending: Path(f"result.{ending}") for ending in endings}
    outputs = [word for path in files.values() for word in ("-o", str(path))]
    status = cli.main([name, *words, *outputs, "-f", "text"])
    out, err = capsys.readouterr()
    assert status in (0, 1, 3), err
    assert not CONTROL.search(out + err)
    written = {ending: path.read_text(encoding="utf-8") for ending, path in files.items()}
    assert not CONTROL.search("".join(written[ending] for ending in ("txt", "tsv", "html")))
    _check_latex(written["tex"])
    _check_markdown(written["md"])
    page = written["html"]
    assert "<img" not in page
    assert ("<svg" in page) == (name != UNDRAWN)
    assert not CONTROL.search(written.get("svg", ""))
    assert len({len(row) for row in csv.reader(io.StringIO(written["csv"], newline=""))}) == 1
    assert len({line.count("\t") for line in written["tsv"].removesuffix("\n").split("\n")}) == 1
    rows = json.loads(written["json"])
    if isinstance(rows, list):
        assert rows == [
            json.loads(line) for line in written["jsonl"].removesuffix("\n").split("\n")
        ]


def _check_latex(text):
    assert not CONTROL.search(text)
    live = re.sub(r"(?m)^% .*$", "", text)
    live = re.sub(r"\$(\\uparrow|-)\$", "", live)
    assert not re.search(r"\\(input|end\{tabular\}.)|(?<!\\)[#$%](?!\\)", live)


def _check_markdown(text):
    assert not CONTROL.search(text)
    parser = pytest.importorskip("markdown_it", reason="markdown-it is not installed")
    page = parser.MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    assert not re.search("<(img|h1|a|em|code)\\b", page), page
    assert html.unescape(page)

"""The command `convert`: what it writes, and what it refuses."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import command
from ir_measures_graded import RunFile, cli
from ir_measures_graded.core.rows.id_matching import Ids
from ir_measures_graded.core.rows.roles import RUN
from ir_measures_graded.core.rows.rows import Facts, Part
from ir_measures_graded.files.conversion import ConvertedRows, read_rows, written

TWO = {"q1": {"d1": 9.2, "d10": 9.2, "d2": 1e-17}, "q2": {"d4": 3.0}}


def dicts(path):
    """The run in a file as a dict of dicts."""
    run = {}
    for topic, document, score in RunFile(path):
        run.setdefault(topic, {})[document] = score
    return run


@pytest.fixture
def convert(capsys):
    def run(*argv):
        assert cli.main(["convert", *argv]) == 0, capsys.readouterr().err
        return capsys.readouterr()

    return run


@pytest.mark.parametrize(
    "ending", ["run", "trec", "txt.gz", "tsv", "csv.gz", "parquet", "json", "json.GZ"]
)
def test_run_survives_every_form(convert, ending):
    Path("in.json").write_text(json.dumps(TWO))
    target = f"out.{ending}"
    printed = convert("in.json", target, "--run").out
    assert printed == "in.json: run, JSON dict of dicts: 2 topics, 4 rows\n"
    assert dicts(target) == TWO
    is_gzip = Path(target).read_bytes().startswith(b"\x1f\x8b")
    assert is_gzip == target.lower().endswith("gz")


@pytest.mark.parametrize("ending", ["tsv", "csv", "parquet"])
def test_blanks_around_an_id_survive_in_tables(convert, ending):
    run = {" q": {"d ": 2.0, " ": 1.5, 'a " b': 1.0}}
    Path("run.json").write_text(json.dumps(run))
    convert("run.json", f"again.{ending}", "--run")
    assert dicts(f"again.{ending}") == run


def test_trec_run_is_in_the_order_of_this_package(convert):
    Path("in.json").write_text(json.dumps(TWO))
    convert("in.json", "mine.run", "--run")
    text = "q1 Q0 d10 1 9.2 in\nq1 Q0 d1 2 9.2 in\nq1 Q0 d2 3 1e-17 in\nq2 Q0 d4 1 3 in\n"
    assert Path("mine.run").read_text() == text
    done = command("convert", "-", "-", "--run", input=Path("in.json").read_bytes())
    assert done.stdout.decode() == text.replace(" in\n", " standard_input\n")


@pytest.mark.filterwarnings("default")
def test_qrels_keep_iterations_and_levels(convert):
    Path("in").write_text("q1 a d1 2\nq2 b d1 -1\nq1 b d1 0.5\n")
    printed = convert("in", "out.qrels")
    assert printed.out == "in: qrels, TREC: 2 topics, 3 rows\n"
    assert "trec_eval reads only levels that are whole numbers from -1" in printed.err
    assert Path("out.qrels").read_text() == "q1 a d1 2\nq1 b d1 0.5\nq2 b d1 -1\n"
    convert("in", "-o", "out.tsv")
    table = Path("out.tsv").read_text()
    assert table.startswith("query_id\tdoc_id\trelevance\titeration\nq1\td1\t2\ta\n")
    summary = convert("in", "out.json", "--duplicates", "best").out
    assert summary == "in: qrels, TREC: 2 topics, 2 rows; skipped 1 repeated documents\n"
    assert json.loads(Path("out.json").read_text()) == {"q1": {"d1": 2}, "q2": {"d1": -1}}


def test_rows_that_are_skipped_are_counted(convert):
    Path("in.csv").write_text("query,docid,rating\na b,d1,3\na b,d2,\n")
    skipped = "in.csv: qrels, CSV: 1 topics, 1 rows; skipped 1 rows without a rating\n"
    assert convert("in.csv", "out.csv").out == skipped
    Path("in.run").write_text("q Q0 d 1 2 t\nq Q0 e 2 2 t\nq Q0 d 3 3 t\n")
    for rule, score in (("first", 2), ("best", 3)):
        summary = convert("in.run", f"{rule}.run", "--duplicates", rule).out
        assert summary == "in.run: run, TREC: 1 topics, 2 rows; skipped 1 repeated documents\n"
        assert dicts(f"{rule}.run") == {"q": {"d": score, "e": 2}}


def test_runs_of_a_table_become_a_column(convert):
    Path("in.csv").write_text("run,query_id,doc_id,sim\nB,q1,d1,1\nA,q1,d1,2\n")
    convert("in.csv", "out.parquet", "--run")
    assert list(RunFile("out.parquet").runs()) == ["B", "A"]


@pytest.mark.parametrize("target", ["b.run", "nodir/../b.run", "./b.run", "link.run"])
def test_file_with_other_content_is_replaced_only_with_force(convert, refusal, target):
    first = "q Q0 d 1 1 t\n"
    second = "q Q0 e 1 1 t\n"
    Path("a.run").write_text(first)
    Path("b.run").write_text(second)
    Path("link.run").symlink_to("b.run")
    assert f"{target!r} exists and has other content" in refusal("convert", "a.run", target)
    assert Path("b.run").read_text() == second
    convert("a.run", target, "--force")
    convert("a.run", target)  # the same content again
    assert dicts("b.run") == {"q": {"d": 1}}
    Path("b.run").write_text("")
    convert("a.run", target)
    assert dicts("b.run") == {"q": {"d": 1}}


TABLE = "query_id,doc_id,relevance\n"
RUNS = "run,qid,docno,score\nA,q,d,4\nB,q,d,4\n"
LINE = "q Q0 d 1 1 t\n"
REFUSED = [
    (
        "in.json",
        '{"q": {"d": 1}}',
        "out.tsv",
        "in.json could be qrels or a run; use --qrels or --run",
    ),
    ("in", LINE, "out.xlsx", "out.xlsx: the ending chooses the form: .run, .qrels, .trec, .txt,"),
    ("in", LINE, "", "convert writes one file; give IN and OUT, or IN -o OUT"),
    (
        "in.json",
        '{"q": {"a\\u2028b": 1}}',
        "o.csv --qrels",
        "in.json: 'a\\u2028b' has a line break; use",
    ),
    (
        "in.json",
        '{"q": {"\\ufeffa": 1}}',
        "o.csv --qrels",
        "in.json: '\\ufeffa' has a line break; use",
    ),
    ("in.csv", TABLE + "q,d\r,1\n", "- --qrels", "in.csv:2: a carriage return inside a line"),
    ("in.json", '{"{\\"a": {"d": 1}}', "- --qrels", "would begin a comment or JSON; use"),
    (
        "in.csv",
        TABLE + "a b,d,1\n",
        "-",
        "in.csv: 'a b' has a blank, which separates fields; use .tsv",
    ),
    ("in.csv", TABLE + "#1,d,1\n", "-", "in.csv: topic '#1' would begin a comment or JSON; use"),
    (
        "in",
        "q 1 d 1\nq 2 d 2\n",
        "o.json",
        "in: topic 'q', document 'd' has several levels; choose one",
    ),
    ("in", "q 0 d 1\n", "in", "cannot write 'in': the command reads this file"),
    (
        "in",
        LINE + LINE,
        "- --run",
        "in: 1 rows list a document of a topic again; --duplicates first",
    ),
    ("in.json", "{}", "- --qrels", "in.json: there are no rows to convert"),
    (
        "in.csv",
        RUNS,
        "- --run",
        "-: the file has 2 runs; write .tsv, .csv, .parquet, with the column run",
    ),
]


@pytest.mark.parametrize(("name", "text", "words", "message"), REFUSED)
def test_what_a_form_cannot_hold_is_refused(refusal, name, text, words, message):
    Path(name).write_bytes(text.encode())
    assert message in refusal("convert", name, *words.split())


@pytest.mark.filterwarnings("default")
def test_infinite_scores_are_written_with_a_warning(convert):
    Path("in").write_text("q Q0 d 1 inf t\n")
    assert "JSON has no infinite numbers" in convert("in", "out.json").err
    assert dicts("out.json") == {"q": {"d": float("inf")}}


@pytest.mark.filterwarnings("default")
def test_scores_that_are_ranks_are_written_with_a_warning(convert):
    rows = "".join(f"q,d{rank},{rank}\n" for rank in range(1, 7))
    Path("in.csv").write_text(f'qid,docno,"Place, in the list"\n{rows}')
    columns = ["--run", "--columns"]
    converted = convert("in.csv", "out.run", *columns, "score=Place, in the list")
    assert "the scores are 1, 2, 3 … in the order of the rows of a topic" in converted.err
    converted = convert("in.csv", "out.run", *columns, "rank=Place, in the list", "--force")
    assert not converted.err
    assert dicts("out.run")["q"]["d1"] == -1


TOPICS = st.sampled_from(["q1", "é"])
DOCUMENTS = st.text("ab1_é", min_size=1, max_size=3)
SCORES = st.floats(allow_nan=False)
ROWS = st.lists(
    st.tuples(TOPICS, DOCUMENTS, SCORES), min_size=1, unique_by=lambda row: (row[0], row[1])
)


@pytest.mark.parametrize("ending", ["run", "csv", "tsv", "parquet", "json"])
@given(rows=ROWS)
def test_values_survive_to_the_last_bit(tmp_path_factory, ending, rows):
    in_order = sorted(rows, key=lambda row: row[0])
    topics, documents, values = map(list, zip(*in_order))
    columns = {"query_id": Ids.of(topics), "doc_id": Ids.of(documents), "score": np.array(values)}
    converted = ConvertedRows(RUN, "in", Part(columns, np.arange(len(values)), Facts()))
    path = str(tmp_path_factory.mktemp("run") / f"out.{ending}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of infinite numbers in JSON
        content = written(converted, path)
    Path(path).write_bytes(content)
    read = read_rows(path, RUN)
    read_rows_of_file = zip(read.column("query_id"), read.column("doc_id"), read.column("score"))
    expected = {(topic, document, repr(value)) for topic, document, value in rows}
    assert {(topic, doc, repr(value)) for topic, doc, value in read_rows_of_file} == expected

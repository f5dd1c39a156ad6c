"""Tables of values: every form has the values that were written, and groups of topics."""

import csv
import gzip
import json
import sys
import warnings
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest

from ir_measures_graded import GradedError, cli, demo
from ir_measures_graded.analysis import Evaluation, compare, evaluate, gate, intervals, power
from ir_measures_graded.analysis.leaderboards.reading import read_leaderboard
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.evaluation.attributes import groups_of
from ir_measures_graded.evaluation.values import _numbers, cells_of, frame_of, number_in
from rounds import sampled

MEASURES = ["nDCG_JK@10", "AP", "NDPM"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def evaluated():
    return evaluate(demo.NAME, demo.run_paths(), MEASURES)


def write_lines(rows, path):
    Path(path).write_text("\n".join(map(json.dumps, rows.to_dict("records"))))


def write_wide(rows, path):
    wide = rows.pivot(index=["run", "topic"], columns="measure", values="value").reset_index()
    wide["kind"] = "a text"
    wide.rename(columns={"run": "System", "topic": "queryId"}).to_csv(path, index=False)


def write_csv(rows, path):
    rows.to_csv(path, index=False)


def write_packed_tsv(rows, path):
    text = rows.rename(columns={"topic": "qid", "value": "score"}).to_csv(None, sep="\t")
    Path(path).write_bytes(gzip.compress(text.encode()))


def write_parquet(rows, path):
    rows.astype({"topic": int}).to_parquet(path)


def write_feather(rows, path):
    rows.astype({"run": "category"}).to_feather(path)


def write_records(rows, path):
    Path(path).write_text(json.dumps(rows.to_dict("records")))


def write_columns(rows, path):
    Path(path).write_text(json.dumps(rows.to_dict("list")))


FORMS = {
    "values.csv": write_csv,
    "values.tsv.gz": write_packed_tsv,
    "wide.csv": write_wide,
    "values.parquet": write_parquet,
    "values.feather": write_feather,
    "values.json": write_records,
    "columns.json": write_columns,
    "values.jsonl": write_lines,
}


NAMES = {"run": "name", "topic": "qid"}  # as in PyTerrier's perquery.csv


@pytest.mark.parametrize("words", [["--run_column", "name"], ["--gains", "exp"]])
def test_values_take_the_columns_of_pyterrier_and_no_options_of_runs(words, evaluated, capsys):
    rows = pandas.DataFrame(evaluated.records())
    rows.to_csv("plain.csv", index=False)
    rows.rename(columns=NAMES).to_csv("values.csv", index=False)
    printed = []
    for file in ("plain.csv", "values.csv"):
        cli.main(["compare", "--values", file])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""
    assert cli.main(["compare", "--values", "values.csv", *words]) == 2
    message = capsys.readouterr().err
    assert "needs QRELS and runs" in message
    assert ("--columns run=name" in message) == ("--run_column" in words)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_the_values_that_were_written(name, evaluated):
    FORMS[name](pandas.DataFrame(evaluated.records()), name)
    read = Evaluation.from_values(name)
    assert read.runs == evaluated.runs
    assert read.topics == evaluated.topics
    assert set(read.measures) == set(evaluated.measures)
    for measure in MEASURES:
        assert np.array_equal(read.of(measure), evaluated.of(measure))


def test_tables_in_memory_are_read_as_files(evaluated):
    rows = evaluated.records()
    frame = pandas.DataFrame(rows)
    for table in (rows, frame, pyarrow.Table.from_pandas(frame), frame.to_dict("list")):
        assert np.array_equal(Evaluation.from_values(table).values, evaluated.values)


def without_rankings(records):
    """The records without what only rankings tell."""
    unknown = dict.fromkeys(("may_turn", "ties_turn", "unjudged", "other_unjudged"))
    return [record | unknown for record in records]


def test_analyses_of_values_equal_those_of_files(evaluated, capsys):
    pytest.importorskip("statsmodels", reason="the extra stats is not installed")
    source = [demo.NAME, *map(str, demo.run_paths().values()), *MEASURES]
    assert cli.main(["evaluate", *source, "-q", "-f", "csv", "-p", "-1"]) == 0
    Path("v.csv").write_text(capsys.readouterr().out)
    table = pandas.DataFrame(evaluated.records())
    compared = without_rankings(compare(evaluated).records())
    grouped = compare(evaluated, by={"351": 1}).means.drop(columns="unjudged")
    powers = power(evaluated, differences=[0.1]).records()
    for values in ("v.csv", table):
        assert compare(values).records() == compared
        assert compare(values, by={"351": 1}).means.equals(grouped)
        assert power(values, differences=[0.1]).records() == powers

    two = {name: demo.run_paths()[name] for name in "AB"}
    of_runs = gate(demo.NAME, two, MEASURES).verdicts
    of_values = gate(table[table.run.isin(["A", "B"])]).verdicts
    for verdict, other_verdict in zip(of_runs, of_values, strict=True):
        record = verdict.record()
        other = other_verdict.record()
        different = {key for key in record if record[key] != other[key]}
        assert different <= {"stands_over_ties", "stands_over_judgments", "may_turn"}

    def printed(words):
        assert cli.main(["compare", *words, "-f", "jsonl"]) == 0
        return list(map(json.loads, capsys.readouterr().out.splitlines()))

    assert without_rankings(printed(source)) == printed(["--values", "v.csv"])


def test_trec_eval_names_a_single_run_for_its_file():
    text = "map\t1\t0.5\nP_5\t1\t0.2\nrunid\tall\tSTANDARD\nmap\tall\t0.5\n"
    Path("old.txt").write_text(text)
    Path("new.txt").write_text(text)
    evaluation = Evaluation.from_values(["old.txt", "new.txt"])
    assert evaluation.runs == ("old", "new")
    assert list(map(str, evaluation.measures)) == ["AP", "P@5"]
    assert evaluation.files == ("old.txt", "new.txt")
    Path("ir_measures.tsv").write_text("1\tAP\t0.5\n2\tAP\t0.25\nall\tAP\t0.375\n")
    assert Evaluation.from_values("ir_measures.tsv").of("AP").tolist() == [[0.5, 0.25]]


def test_smaller_values_are_better_by_name_or_on_request():
    pytest.importorskip("scipy", reason="SciPy is not installed")
    topics = [f"q{n}" for n in range(12)]
    random = np.random.default_rng(0)
    rows = []
    for run, low in (("A", 0.5), ("B", 0.1)):
        for topic, value in zip(topics, low + random.random(12) / 10):
            values = {"NDPM": value, "seconds": value, "quality": value}
            rows.append({"run": run, "topic": topic, **values})
    comparison = compare(Evaluation.from_values(rows, smaller=["seconds"]))
    better = {str(test.measure): test.better for test in comparison.outcomes}
    assert better == {"NDPM": "B", "seconds": "B", "quality": "A"}
    message = "smaller: size is not among the measures of the table: NDPM, sec"
    with pytest.raises(GradedError, match=message):
        Evaluation.from_values(rows, smaller=["size"])


def test_numbers_are_cut_at_quartiles_and_equal_numbers_stay_together():
    lengths = dict(zip("abcdefghij", [1, 1, 1, 1, 5, "6", 7.5, 8, None, float("nan")]))
    assert groups_of("abcdefghijk", lengths) == {
        "1": [0, 1, 2, 3], "5–6": [4, 5], "7.5–8": [6, 7], "no group": [8, 9, 10],
    }  # fmt: skip
    assert groups_of("abc", dict(zip("abc", [2022, 2021, 2022]))) == {"2021": [1], "2022": [0, 2]}
    assert groups_of("abc", {"a": "x", "b": "7", "c": "x"}) == {"x": [0, 2], "7": [1]}


def test_a_column_per_topic_has_the_measure_of_the_file_name(evaluated, tmp_path):
    rows = pandas.DataFrame(evaluated.records())
    wide = rows[rows.measure == "AP"].pivot(index="run", columns="topic", values="value")
    wide.to_csv(tmp_path / "AP.csv")
    for table, name in (
        (tmp_path / "AP.csv", "AP"),
        (wide, "value"),
        (wide.reset_index(), "value"),
    ):
        read = Evaluation.from_values(table)
        assert read.runs == evaluated.runs
        assert list(map(str, read.measures)) == [name]
        assert (read.of(name) == evaluated.of("AP")).all()
    wide.iloc[2, 3] = np.inf
    message = f"values: row 3, column {wide.columns[3]}: inf is not a finite"
    with pytest.raises(GradedError, match=message):
        Evaluation.from_values(wide)


def test_a_table_of_means_is_not_one_with_a_column_per_topic(tmp_path):
    means = pandas.DataFrame({"run": ["A", "B"], "precision": [0.5, 0.6], "recall": [0.3, 0.4]})
    means.to_csv(tmp_path / "m5.csv", index=False)
    for table in (means, tmp_path / "m5.csv"):
        with pytest.raises(GradedError, match="has no column query_id"):
            Evaluation.from_values(table)


def test_lines_of_the_command_without_means_begin_with_the_topic(tmp_path):
    (tmp_path / "A.tsv").write_text(
        '"red shoes\tAP\t0.5\n"green\tAP\t0.25\nblue\tnDCG@10\t1.0\n'
        '"red shoes\tnDCG@10\t0.5\n"green\tnDCG@10\t0.75\nblue\tAP\t0.0\n'
    )
    read = Evaluation.from_values(tmp_path / "A.tsv")
    assert list(map(str, read.measures)) == ["AP", "nDCG@10"]
    assert read.topics == ('"red shoes', '"green', "blue")
    assert read.of("AP").tolist() == [[0.5, 0.25, 0.0]]


def test_a_key_that_occurs_twice_in_json_is_an_error(tmp_path):
    (tmp_path / "b.json").write_text('[{"run": "B", "topic": "q1", "AP": 0.7, "AP": 0.1}]')
    with pytest.raises(GradedError, match="the key 'AP' occurs twice"):
        Evaluation.from_values(tmp_path / "b.json")


def write_inputs(topics):
    """Qrels and two runs over these topics, of which the second finds only half of the gain."""
    judgments = [f"{topic} 0 x 1\n{topic} 0 y 2\n" for topic in topics]
    Path("qrels").write_text("".join(judgments))
    rows = [f"{topic} Q0 y 1 {score} A\n" for score, topic in enumerate(topics, 1)]
    Path("A").write_text("".join(rows))
    rows = [f"{topic} Q0 x 1 {score} B\n" for score, topic in enumerate(topics[1:], 1)]
    Path("B").write_text("".join(rows))


PLACES_OF_ALL = [("all", "b", "c"), ("b", "all", "c"), ("b", "c", "all")]


@pytest.mark.parametrize("runs", [["A", "B"], ["A"]])
def test_topics_with_tabs_and_line_feeds_are_read_back(runs, tmp_path, capsys):
    topics = ["a\tb", "a\nb", '"q"', 'e"f', "a b"]
    qrels = [{"query_id": topic, "doc_id": "d", "relevance": 1} for topic in topics]
    run = [{"query_id": topic, "doc_id": "d", "score": 1.0} for topic in topics]
    files = {"qrels.json": qrels, **dict.fromkeys(runs, run)}
    for name, rows in files.items():
        (tmp_path / name).write_text(json.dumps(rows), encoding="utf-8")
    paths = [str(tmp_path / name) for name in files]
    assert cli.main(["evaluate", *paths, "AP", "-q", "-f", "tsv"]) == 0
    (tmp_path / "values.tsv").write_text(capsys.readouterr().out, encoding="utf-8")
    assert Evaluation.from_values(tmp_path / "values.tsv").topics == tuple(topics)


PRINTED = product(PLACES_OF_ALL, [[], ["-n"]], [["A", "B"], ["A"]], ["csv", "tsv", "json", "jsonl"])


@pytest.mark.parametrize(("topics", "summary", "runs", "form"), sampled(map(tuple, PRINTED), 5))
def test_a_topic_named_all_is_no_aggregate(topics, summary, runs, form, capsys):
    if form == "json" and len(runs) == 2:
        pytest.skip("the JSON of several runs has no table")
    write_inputs(topics)
    expected = evaluate("qrels", runs, ["CG@1", "NumRet", "RR"])
    words = ["CG@1", "NumRet", "RR", "-q", "-f", form, *summary]
    if (form, runs, summary) == ("tsv", ["A"], ["-n"]):
        pytest.skip("the lines of the ir_measures command have no column for it")
    assert cli.main(["evaluate", "qrels", *runs, *words]) == 0
    Path("A").write_text(capsys.readouterr().out)
    read = Evaluation.from_values("A")
    assert set(read.topics) == set(topics)
    means = dict(zip(expected.runs, expected.means().tolist(), strict=True))
    assert dict(zip(read.runs, read.means().tolist(), strict=True)) == means
    board = read_leaderboard("A", "first").boards["CG@1"]
    assert set(board.systems) == set(read.runs)
    assert set(board.topics) == set(topics)
    means = dict(zip(expected.runs, expected.means()[:, 0].tolist(), strict=True))
    assert dict(zip(board.systems, board.means.tolist(), strict=True)) == means


@pytest.mark.parametrize("all_is", ["mean", "sum", "topic"])
@pytest.mark.parametrize("form", ["long", "wide", "trec_eval", "frame"])
def test_rows_named_all_that_are_no_aggregate_are_told(all_is, form):
    value = {"mean": 0.25, "sum": 0.5, "topic": 0.9}[all_is]
    rows = [("b", 0.0), ("c", 0.5), ("all", value)]
    frame = pandas.DataFrame(rows, columns=["topic", "AP"])
    table = "v"
    if form == "long":
        long = pandas.DataFrame({"run": "A", "topic": frame.topic, "measure": "AP"})
        long.assign(value=frame.AP).to_csv(table, index=False)
    elif form == "wide":
        frame.to_csv(table, index=False)
    elif form == "trec_eval":
        lines = [f"map\t{topic}\t{value:.4f}\n" for topic, value in rows]
        Path(table).write_text("".join(lines))
    else:
        table = frame
    if all_is == "topic":
        with pytest.warns(InputWarning, match="none of them is the mean or the sum"):
            read = Evaluation.from_values(table)
    else:
        read = Evaluation.from_values(table)
    assert read.topics == ("b", "c")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("run,topic,AP,P@5\nA,1,0.5\nA,2,0.5\n", "row 1 has 3 fields, and the first line has 4"),
        ("run,topic,AP,P@5\nA,1,0.5,1\nA,2,0.5\n", "row 2 has 3 fields, and the first line has 4"),
        ("run,topic,x\nA,1,0.5\nA,2\n", "row 2 has 2 fields, and the first line has 3"),
        ("run\ttopic\tAP\tP@5\nA\t1\t0.5\n", "row 1 has 3 fields"),
        ("run topic AP P@5\nA 1 0.5 1\nA 2 0.5\n", "row 2 has 3 fields"),
        ("run,topic,AP,P@5\nA,1,0.5,\nA,2,0.5,\n", "column P@5 has no value"),
        ("run,topic,AP,P@5\nA,1,0.5,good\n", "column P@5: 'good' is not a finite number"),
        ("run;topic;AP;x\nA;1;0.5;0,25\n", "column x: '0,25' is not a finite number such as"),
        ("run,topic,AP\nA,1,0.5,7\n", "2: 4 fields, and the first line has 3"),
        ("[" * 100_000, "with a header: it nests more than 100 deep"),
        ('{"run":' * 100_000, "with a header: it nests more than 100 deep"),
        ("run,topic,AP,Accuracy@2\nA,1,0.5,1\nA,2,,1\n", "'' is not a finite number"),
    ],
)
def test_no_column_of_a_ragged_table_is_lost(content, message):
    Path("v").write_text(content)
    with pytest.raises(GradedError) as caught:
        Evaluation.from_values("v")
    assert message in str(caught.value)
    assert str(caught.value).startswith("v:")


HEADER = b"run,topic,measure,value\n"
ROW = b"A,1,AP,0.5\n"
LONG_FIELD = b'"%b",\n' % (b"x" * 200_000)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 xl/workbook.xml", "v: an Excel file (xlsx); export the sheet as CSV, as a "),
        (HEADER + b"A\xe9,1,AP,0.5\n", "v:2: not UTF-8 text (byte 0xe9 at position 1); convert"),
        (HEADER + ROW + b"A,2," + LONG_FIELD, "v: a field has more than 131,072 characters; "),
        (HEADER + b'A,1,AP,"0.5\n' + ROW, "v:2: a quoted field does not end (a quote in it is "),
        (
            gzip.compress(HEADER + ROW, mtime=0)[:-9],
            "v:3: the gzip file is damaged or cut off here (",
        ),
        (b"", "v: the table is empty"),
        (b'{"qid": 1, "AP": 1}\n{"qid": }\n', "v:2: cannot be read as JSON: Expecting value"),
        (b'{"qid": 1,\n"AP": }', "v:2: cannot be read as JSON: Expecting value"),
    ],
)
def test_what_is_no_table_is_told_with_its_line(content, message):
    Path("v").write_bytes(content)
    with pytest.raises(GradedError) as caught:
        Evaluation.from_values("v")
    assert str(caught.value).startswith(message)
    assert "doc_id" not in str(caught.value)


def test_a_directory_is_no_table_of_values():
    Path("folder").mkdir()
    with pytest.raises(GradedError, match=r"^.folder. is a directory; pass the file of a table$"):
        Evaluation.from_values("folder")


def test_a_whole_number_of_more_than_64_bits_is_a_value():
    rows = [{"run": "A", "topic": topic, "cost": cost} for topic, cost in enumerate([10**30, 1])]
    Path("v.json").write_text(json.dumps(rows))
    evaluation = Evaluation.from_values("v.json")
    assert evaluation.values[0, 0].tolist() == [1e30, 1]


@pytest.mark.parametrize("read", [Evaluation.from_values, partial(read_leaderboard, name="v")])
def test_values_whose_squares_exceed_all_floats_are_refused(read):
    rows = [
        {"run": "A", "topic": "1", "cost": 1e150},
        {"run": "A", "topic": "2", "cost": -1e151},
    ]
    with pytest.raises(GradedError, match=r"-1e\+151 is too large; values are from -1e\+150"):
        read(rows)


@pytest.mark.parametrize("form", ["wide.csv", "long.csv", "frame", "records.json"])
def test_measures_of_other_providers_may_lack_values(form):
    rows = [
        ("A", "1", 1.0, 0.5),
        ("A", "2", None, 0.25),
        ("B", "1", 0.0, 1.0),
        ("B", "2", 1.0, 0.0),
    ]
    frame = pandas.DataFrame(rows, columns=["run", "topic", "Accuracy@2", "P@1"])
    table = form
    if form == "wide.csv":
        frame.to_csv(form, index=False)
    elif form == "long.csv":
        long = frame.melt(["run", "topic"], var_name="measure").dropna()
        long.to_csv(form)
    elif form == "records.json":
        Path(form).write_text(frame.to_json(orient="records"))
    else:
        table = frame
    read = Evaluation.from_values(table)
    assert read.of("Accuracy@2")[1].tolist() == [0.0, 1.0]
    assert np.isnan(read.of("Accuracy@2")[0]).tolist() == [False, True]
    assert [str(remark) for remark in read.remarks] == [
        "Accuracy@2: no value for 1 of 2 topics of A; means and tests leave them out (2)"
    ]
    frame.loc[1, "P@1"] = None
    with pytest.raises(GradedError, match="not a finite number"):
        Evaluation.from_values(frame)


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "--values", "none.csv"],
        ["leaderboards", "none.csv", "none.csv"],
        ["evaluate", demo.NAME, str(demo.run_paths()["A"]), "--weights", "none.csv:w", "AP"],
    ],
)
def test_a_missing_file_is_told_before_a_missing_package(words, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert cli.main(words) == 2
    assert "none.csv: cannot be read: No such file" in capsys.readouterr().err


def test_percentages_are_not_cut_at_the_range_of_the_measure():
    def rows(scale):
        return [
            {"run": run, "topic": topic, "nDCG@10": scale * (level + topic / 50)}
            for run, level in (("a", 0.4), ("b", 0.5))
            for topic in range(12)
        ]

    plain = intervals(Evaluation.from_values(rows(1)))
    with pytest.warns(InputWarning, match="nDCG@10: values from 40 to 72 are outside the range"):
        percentages = Evaluation.from_values(rows(100))
    scaled = intervals(percentages)
    np.testing.assert_allclose(scaled.lower, 100 * plain.lower)
    np.testing.assert_allclose(scaled.upper, 100 * plain.upper)


def test_tables_of_other_topics_may_be_several_collections():
    rows = "run,topic,P@5\n{run},{topic},.5\nb,{topic},.4\n"
    for name, topic, run in (("x", 1, "a"), ("y", 2, "a"), ("same", 1, "a"), ("z", 1, "c")):
        Path(f"{name}.csv").write_text(rows.format(topic=topic, run=run))
    with pytest.warns(InputWarning) as issued:
        assert Evaluation.from_values(["x.csv", "y.csv"]).topics == ("1", "2")
    assert [str(warning.message) for warning in issued] == [
        "the 2 topics of x.csv and y.csv, which share none, count as one collection; if the tables "
        "are several collections, add a column collection"
    ]
    with pytest.raises(GradedError, match="for topic 1; if the tables are several collections"):
        Evaluation.from_values(["x.csv", "same.csv"])
    with pytest.raises(GradedError, match=r"two values of P@5 for topic 1$"):
        Evaluation.from_values(pandas.concat([pandas.read_csv("x.csv")] * 2))


def test_collections_of_a_table_that_are_not_told_apart_are_a_remark():
    rows = {"run": ["a", "a"], "topic": ["1", "2"], "P@5": [0.5, 0.4], "collection": ["x", "y"]}
    told = "compare and power tell collections apart"
    with pytest.warns(InputWarning, match=f"the 2 topics of x and y count as one .*; {told}"):
        assert Evaluation.from_values(rows).topics == ("1", "2")
    with pytest.raises(GradedError, match=f"two values of P@5 for topic 1; {told}"):
        Evaluation.from_values(rows | {"topic": ["1", "1"]})
    assert Evaluation.from_values(rows | {"collection": ["x", "x"]}).remarks == ()


@pytest.mark.parametrize(
    ("values", "aggregate", "is_one"),
    [
        (("0.3333", "0.6667", "0.3333"), "0.4445", True),
        (("0.3333", "0.6667", "0.3333"), "0.4447", False),
        (("0.33", "0.67", "0.33"), "0.45", True),
        (("0.33", "0.67", "0.33"), "0.4533", False),
        (("0.3", "0.7", "0.3"), "1.5", True),
        (("0.3", "0.7", "0.3"), "1.6", False),
        (("1", "0", "1"), "2", True),
        (("1", "0", "1"), "0.6667", True),
        (("1", "0", "1"), "1", False),
    ],
)
def test_an_aggregate_is_known_by_the_decimals_shown(values, aggregate, is_one, tmp_path):
    rows = [f"A,{topic},{value}\n" for topic, value in zip((1, 2, 3, "all"), (*values, aggregate))]
    (tmp_path / "v.csv").write_text("run,topic,nDCG@10\n" + "".join(rows))
    frame = pandas.read_csv(tmp_path / "v.csv")
    for table in (tmp_path / "v.csv", frame):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert Evaluation.from_values(table).topics == ("1", "2", "3")
        assert ("none of them is the mean" not in "".join(str(w.message) for w in caught)) == is_one


NUMBERS_IN_TEXT = [
    "1",
    "+1",
    ".5",
    "1.",
    "2.5e-3",
    "1e400",
    "-inf",
    "0.30000000000000004",
    "5e-324",
]
OTHER_TEXTS = ["", " 1", "1_0", "0x10", "1,5", "\u0661", "1f", "infinit", b"1", True]


@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_a_column_of_text_has_the_numbers_of_its_cells(dtype):
    for cell in NUMBERS_IN_TEXT + OTHER_TEXTS:
        column = pandas.Series(["2", cell], dtype=dtype)
        expected = list(map(number_in, column))
        np.testing.assert_array_equal(_numbers(column), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run;topic;AP\na;1,5;0,5\na;2;1\n", {"AP": [0.5, 1.0]}),
        ("run;topic;nDCG(gains={2:10,3:9})@5;x\na;1;.5;\na;2;1;\n", {None: [0.5, 1.0]}),
        ("measure;topic;value\nAP;1;,5\nAP;2;-1e0\n", {"AP": [0.5, -1.0]}),
        ("run;topic;AP;Zeit\na;1;0,5;1.200\na;2;1;2\n", "'0,5' is not a finite number"),
    ],
)
def test_a_spreadsheet_has_semicolons_and_decimal_commas(text, expected, tmp_path):
    (tmp_path / "v.csv").write_text(text)
    if isinstance(expected, str):
        with pytest.raises(GradedError, match=expected):
            Evaluation.from_values(tmp_path / "v.csv")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        values = Evaluation.from_values(tmp_path / "v.csv")
    assert values.values[0].tolist() == list(expected.values())
    assert len(values.topics) == 2


NTCIREVAL = """\
0001 # syslen=20 jrel=13 jnonrel=141
0001 # r1=7 rp=9
0001 NCUgu,P=             0.0538
0001 MSnDCG@0010=         0.1600
0002 # syslen=20 jrel=3 jnonrel=10
0002 NCUgu,P=             0.5
0002 MSnDCG@0010=         1.0000
"""


def test_output_of_ntcireval_keeps_the_names_of_its_measures():
    Path("A.nev").write_text(NTCIREVAL)
    for source in ("A.nev", ["A.nev"]):
        read = Evaluation.from_values(source)
        assert list(map(str, read.measures)) == ["NCUgu,P", "MSnDCG@0010"]
        assert read.topics == ("0001", "0002")
        assert read.of("MSnDCG@0010").tolist() == [[0.16, 1.0]]
    board = read_leaderboard("A.nev", "first").boards["MSnDCG@0010"]
    assert (board.topics, board.values.tolist()) == (("0001", "0002"), [[0.16, 1.0]])
    Path("A.nev").write_text(NTCIREVAL + "0003 1.0\n")
    with pytest.raises(GradedError, match=r"^A.nev:8: '0003 1.0' is no line of NTCIREVAL"):
        Evaluation.from_values("A.nev")


def test_every_published_output_is_read(shared_data):
    files = list(shared_data.glob("*/ntcireval/*.nev"))
    assert len(files) == 7
    for path in files:
        expected = {}
        for line in path.read_text().splitlines():
            topic, name, *_, value = line.split()
            if name != "#":
                expected[name.removesuffix("="), topic] = float(value)
        read = cells_of(frame_of(path), "v", "A")
        keys = zip(read["measure"], read["topic"], strict=True)
        assert dict(zip(keys, read["value"], strict=True)) == expected
    for path in shared_data.glob("*/trec_eval/*eval"):
        lines = [line.split() for line in path.read_text().splitlines()]
        count = sum(topic != "all" for _, topic, _ in lines)
        assert Evaluation.from_values(path).values.size == count


@pytest.fixture
def column_per_run(evaluated):
    rows = pandas.DataFrame(evaluated.records())
    rows = rows[rows.measure == "AP"].assign(topic=rows.topic.astype(str))
    return rows.pivot(index="topic", columns="run", values="value")


@pytest.mark.parametrize("how", ["file", "name", "word", "frame"])
def test_a_column_per_run_has_the_measure_that_is_named(how, column_per_run, evaluated):
    column_per_run.to_csv("AP.csv")
    column_per_run.to_csv("published.csv")
    if how == "file":
        result = compare("AP.csv")
    elif how == "name":
        result = compare("AP=published.csv")
    elif how == "word":
        result = compare("published.csv", measures=["AP"])
    else:
        result = compare(column_per_run, measures=["AP"])
    expected = compare(evaluated.part(evaluated.runs, ["AP"]))
    assert result.records() == without_rankings(expected.records())
    assert result.remarks == ()


@pytest.mark.filterwarnings("always::ir_measures_graded.errors.InputWarning")
def test_a_comparison_takes_columns_without_known_names_as_runs_and_says_so(column_per_run):
    column_per_run.to_csv("published.csv")
    taken = "the columns A, B, C, D and E are taken as runs"
    for analysis in (compare, power):
        with pytest.warns(InputWarning, match=taken):
            result = analysis("published.csv")
        assert any(taken in note for note in result.sentences())
    pair = column_per_run[["B", "A"]].reset_index().rename_axis(columns=None)
    with pytest.warns(InputWarning, match="columns B and A are taken as runs"):
        gated = gate(pair)
    assert (gated.old, gated.new) == ("B", "A")
    assert Evaluation.from_values("published.csv").runs == ("published",)
    # The names that the user gives tell that a column is a measure.
    for table, smaller in (("run=published.csv", ()), ("published.csv", ["A"])):
        with pytest.raises(GradedError, match="at least 2 runs, not 1"):
            compare(Evaluation.from_values(table, smaller=smaller))


@pytest.mark.parametrize("separator", [",", "\t", ";", " "])
@pytest.mark.parametrize("names", [["1", "2"], ["1", "2", "3"], ["bm25", "0.5"]])
def test_names_of_runs_may_be_numbers(names, separator):
    lines = [["topic", *names], ["q1", *"123"[: len(names)]], ["q2", *"456"[: len(names)]]]
    Path("AP.csv").write_text("".join(separator.join(line) + "\n" for line in lines))
    read = Evaluation.from_values("DCG_JK@5=AP.csv")
    assert read.runs == tuple(names)
    assert read.topics == ("q1", "q2")


@pytest.mark.parametrize("separator", [",", "\t", ";", " "])
def test_lines_of_a_table_may_end_with_a_carriage_return_alone(separator):
    lines = [["topic", "A", "B"], ["q1", "1", "2"], ["q2", "4", "5"]]
    text = "".join(separator.join(line) + "\r" for line in lines)
    Path("AP.csv").write_bytes(text.encode())
    read = Evaluation.from_values("DCG_JK@5=AP.csv")
    assert read.runs == ("A", "B")
    assert read.topics == ("q1", "q2")


def test_name_of_a_column_that_is_longer_than_csv_reads_is_refused():
    name = "x" * (csv.field_size_limit() + 1)
    Path("AP.csv").write_text(f"topic,{name},B\nq1,1,2\n")
    with pytest.raises(GradedError, match=r"AP\.csv: the name of the column 'x+…' is longer than"):
        Evaluation.from_values("AP.csv")


def test_a_report_says_that_columns_without_known_names_are_measures(column_per_run, capsys):
    pytest.importorskip("jinja2", reason="the extra report is not installed")
    column_per_run[["A", "B"]].to_csv("published.csv")
    taken = "the columns A and B are taken as measures of one run"
    assert cli.main(["report", "--values", "published.csv"]) == 0
    assert taken in " ".join(capsys.readouterr().out.split())
    assert taken in Path("report.html").read_text()
    assert cli.main(["report", "--values", "published.csv", "AP"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "B beats A: AP" in printed
    assert "taken as" not in printed


def test_values_without_a_measure_have_the_one_that_is_named(evaluated, capsys):
    rows = pandas.DataFrame(evaluated.records())
    rows[rows.measure == "AP"].drop(columns="measure").to_csv("long.csv", index=False)
    assert cli.main(["compare", "--values", "long.csv", "AP", "P@5"]) == 2
    assert "are by one measure, not by AP and P@5" in capsys.readouterr().err
    for words in (["long.csv", "AP"], ["AP=long.csv"]):
        assert cli.main(["compare", "--values", *words]) == 0
        assert "8 of 10 pairs differ significantly by AP" in capsys.readouterr().out

"""Judges in one table with a column of levels for each."""

from pathlib import Path

import pandas
import pytest

from ir_measures_graded import GradedError, evaluate, read_qrels
from ir_measures_graded.analysis import judges, merge_judges
from ir_measures_graded.analysis.judging.one_table import judges_of_table
from ir_measures_graded.analysis.judging.rows_by_judge import rows_by_judge
from ir_measures_graded.core.rows.roles import QRELS
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.files.conversion import read_rows

pytest.importorskip("scipy", reason="SciPy is not installed")

ROWS = {
    "query": ["q1", "q1", "q1", "q2", "q2"],
    "doc": ["a", "b", "c", "a", "b"],
    "human": [0, 1, 2, 0, 2],
    "llm": [0, 2, 2, 1, 2],
}
NAMED = "name them: ir_measures_graded judges labels.csv:human labels.csv:llm"


@pytest.fixture
def labels(folder):
    """The table with both judges."""
    frame = pandas.DataFrame(ROWS)
    frame.to_csv("labels.csv", index=False)
    return frame


def kappa(result):
    return round(result.judges[0].statistics["kappa"].value, 4)


@pytest.mark.parametrize(
    "words",
    [
        ["labels.csv"],
        ["labels.csv", "labels.csv"],
        ["labels.csv:human", "labels.csv:llm"],
        ["labels.csv:human", "GPT=labels.csv:llm", "--columns", "query_id=query"],
    ],
)
def test_command_reads_both_judges_of_a_table(labels, output, words):
    lines = " ".join(output("judges", *words))
    assert "agrees with the human on 60 % of 5 documents" in lines
    assert (NAMED in lines) is (words[0] == "labels.csv")


@pytest.mark.parametrize("runs", [["runs/a.run", "runs/b.run"], ["runs"], ["runs/*.run"]])
def test_a_table_of_judges_stands_before_runs(labels, output, runs):
    Path("runs").mkdir()
    Path("runs/a.run").write_text("q1 Q0 b 1 2 a\nq2 Q0 b 1 2 a\n")
    Path("runs/b.run").write_text("q1 Q0 a 1 2 b\nq2 Q0 b 1 2 b\n")
    lines = output("judges", "labels.csv", *runs, "P@1", "--show", "agreement")
    assert lines[-1].startswith("ir_measures_graded judges labels.csv:human")


def test_a_judge_whose_levels_have_a_probability_beside_them_is_no_run(folder, output):
    rows = {**ROWS, "label": ROWS["llm"], "prob": [0.9, 0.4, 0.8, 0.7, 0.6]}
    frame = pandas.DataFrame(rows)
    frame.rename(columns={"human": "level"})[["query", "doc", "level"]].to_csv(
        "human.csv", index=False
    )
    frame[["query", "doc", "label", "prob"]].to_csv("first.csv", index=False)
    frame[["query", "doc", "label", "prob"]].to_csv("second.csv", index=False)
    Path("a.run").write_text("q1 Q0 b 1 2 a\nq2 Q0 b 1 2 a\n")
    Path("b.run").write_text("q1 Q0 a 1 2 b\nq2 Q0 b 1 2 b\n")
    files = ["human.csv", "first.csv", "second.csv", "a.run", "b.run"]
    lines = output("judges", *files, "P@1", "--show", "agreement")
    assert lines[1].split()[0] == "first"
    assert lines[2].split()[0] == "second"
    assert read_rows("first.csv").role is QRELS


def test_estimates_are_left_out_where_the_human_judged_all_topics(folder, output):
    topics = [f"q{number}" for number in range(12)]
    rows = [
        f"{topic},{doc},{level},{level}" for topic in topics for doc, level in (("a", 0), ("b", 1))
    ]
    Path("labels.csv").write_text("\n".join(["query,doc,human,llm", *rows]))
    Path("a.run").write_text("".join(f"{topic} Q0 b 1 2 a\n" for topic in topics))
    lines = " ".join(output("judges", "labels.csv", "a.run", "P@1"))
    assert "the machine adds nothing to the means of the runs; --show estimates" in lines
    assert "lambda" not in lines
    assert "lambda" in " ".join(
        output("judges", "labels.csv", "a.run", "P@1", "--show", "estimates")
    )


@pytest.mark.parametrize("form", ["frame", "arrow", "rows", "csv", "parquet", "jsonl"])
def test_python_reads_every_form_of_a_table(labels, form):
    """A document without a level of the human is not judged by the human."""
    labels.loc[0, "human"] = None
    labels.to_csv("labels.csv", index=False)
    if form in ("arrow", "parquet"):
        pyarrow = pytest.importorskip("pyarrow")
        labels.to_parquet("labels.parquet")
        table = pyarrow.Table.from_pandas(labels)
    labels.to_json("labels.jsonl", orient="records", lines=True)
    if form == "frame":
        table = labels
    elif form == "rows":
        table = labels.to_dict("records")
    elif form != "arrow":
        table = f"labels.{form}"
    with pytest.warns(InputWarning, match="the human is the column human, the machine is llm"):
        found = judges(table)
    assert found.judges[0].judge == "llm"
    assert found.judges[0].counts["documents"] == 4
    columns = read_qrels(labels.dropna(), {"relevance": "human"})
    assert kappa(found) == kappa(judges(columns, {"llm": read_qrels(labels, {"relevance": "llm"})}))


@pytest.mark.parametrize(
    ("names", "human", "machines"),
    [
        (("relevance", "llm"), "relevance", ["llm"]),
        (("gpt4o", "nist_grade"), "nist_grade", ["gpt4o"]),
        (("Gold", "auto label"), "Gold", ["auto label"]),
    ],
)
def test_words_of_the_header_tell_the_human(folder, names, human, machines):
    table = pandas.DataFrame(ROWS).rename(columns=dict(zip(("human", "llm"), names, strict=True)))
    table["llm_confidence"] = 0.5
    table["title"] = "text"
    table.to_csv("table.csv", index=False)
    of_file = judges_of_table("table.csv")
    assert of_file.human == f"table.csv:{human}"
    assert list(of_file.machines) == machines == list(judges_of_table(table).machines)


@pytest.mark.parametrize("names", [("Ann", "Ben"), ("relevance", "rating"), ("gold", "nist")])
def test_names_that_do_not_tell_the_human_are_asked_about(folder, names):
    table = pandas.DataFrame(ROWS).rename(columns=dict(zip(("human", "llm"), names, strict=True)))
    table.to_csv("book.csv", index=False)
    line = (
        f"name the human first: ir_measures_graded judges book.csv:{names[0]} book.csv:{names[1]}"
    )
    with pytest.raises(GradedError, match=line):
        judges("book.csv")
    with pytest.raises(
        GradedError, match=rf"judges\(read_qrels\(table, {{'relevance': '{names[0]}'"
    ):
        judges(table)


def test_levels_that_are_words_need_their_numbers(labels, output, refusal):
    labels.replace({0: "Bad", 1: "Good", 2: "Best"}).to_csv("words.csv", index=False)
    assert "--levels 'Bad:…" in refusal("judges", "words.csv")
    lines = output("judges", "words.csv", "--levels", "Bad:0,Good:1,Best:2")
    assert lines[0].startswith("llm agrees with the human on 60 %")


def test_one_source_for_both_judges_is_refused(labels, refusal):
    line = "name the columns: ir_measures_graded judges labels.csv:human labels.csv:llm"
    words = ["judges", "labels.csv", "./labels.csv", "--columns", "relevance=llm"]
    assert line in refusal(*words)
    assert line in refusal("judges", "labels.csv:llm", "labels.csv:llm")
    with pytest.raises(GradedError, match="the human and a machine are the same judgments"):
        judges(labels, {"llm": labels})


def test_equal_judgments_are_told(output):
    levels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0}}
    (remark,) = judges(
        levels, {"copy": {topic: dict(docs) for topic, docs in levels.items()}}
    ).remarks
    assert str(remark).startswith("copy: all judgments are those of the human")
    lines = " ".join(output("judges", "qrels", "qrels", "--show", "agreement"))
    assert "qrels: all judgments are those of the human; it may be a copy" in lines


def test_qrels_with_several_columns_of_levels_are_asked_about(labels, refusal, output):
    Path("a.run").write_text("q1 Q0 b 1 2 a\n")
    message = refusal("evaluate", "labels.csv", "a.run", "P@1")
    assert "human and llm may have levels: name one, as in --columns relevance=human" in message
    with pytest.raises(GradedError, match="if human or llm has it, name that column relevance"):
        evaluate(labels, {"a": {"q1": {"a": 1.0}}}, "P@1")
    assert "--columns relevance=human" in refusal("evaluate", "labels.csv:human", "a.run", "P@1")
    labels.rename(columns={"human": "score"}).to_csv("scores.csv", index=False)
    assert "llm and score may have levels" in refusal("evaluate", "scores.csv", "a.run", "P@1")
    labels.rename(columns={"human": "relevance"}).to_csv("named.csv", index=False)
    with pytest.warns(InputWarning, match="the levels are those of relevance, not of llm"):
        read_qrels("named.csv")


def test_names_of_every_kind_are_read(labels, output, refusal):
    """Words tell topics and documents too, or the user; names may have colons and blanks."""
    names = {"query": "Search Phrase", "doc": "SKU No", "human": "Human grade", "llm": "GPT-4o: v2"}
    labels.rename(columns=names).to_csv("words.csv", index=False)
    words = ["words.csv:Human grade", "words.csv:GPT-4o: v2", "--columns", "query_id=Search Phrase"]
    assert output("judges", *words, "--columns", "doc_id=SKU No")[0].startswith("GPT-4o: v2 agrees")
    assert judges_of_table("words.csv").human == "words.csv:Human grade"
    own = {"query": "person", "doc": "film"}
    labels.rename(columns=own).to_csv("own.csv", index=False)
    message = refusal("judges", "own.csv")
    option = "query_id=person,doc_id=film,relevance=human"
    assert f"--columns {option}" in message
    assert output("judges", "own.csv", "--columns", option)[0].startswith("llm agrees")


def test_one_judge_alone_is_answered_with_what_is_missing(labels, refusal):
    assert "judges needs the qrels of a machine" in refusal("judges", "qrels")
    assert "neither a file nor an ir-datasets id" in refusal("judges", "no.csv")
    assert "this is a run" in refusal("judges", "run")
    rows = labels.melt(["query", "doc"], var_name="judge", value_name="label")
    rows.iloc[[0, 6]].to_csv("apart.csv", index=False)
    message = "the column judge seems to name the judge of each row, and no two judges judged the"
    assert message in refusal("judges", "apart.csv")


@pytest.fixture
def rows(labels):
    """The same judgments, each in a row of its own."""
    rows = labels.melt(["query", "doc"], var_name="annotator", value_name="label")
    rows.to_csv("rows.csv", index=False)
    return rows


def test_rows_of_judges_are_the_same_judges_as_columns(rows, labels, output, refusal):
    of_columns = output("judges", "labels.csv:human", "labels.csv:llm", "-f", "csv")
    assert output("judges", "rows.csv", "-f", "csv") == of_columns
    assert output("judges", "rows.csv:human", "rows.csv:llm", "-f", "csv") == of_columns
    assert output("judges", "rows.csv", "-f", "csv", "--columns", "judge=annotator") == of_columns
    rows.rename(columns={"annotator": "by whom"}).to_csv("other.csv", index=False)
    message = refusal("judges", "other.csv")
    assert "--columns judge=NAME" in message
    assert message.endswith("if by whom names the judge of each row: --columns 'judge=by whom'")
    assert output("judges", "other.csv", "-f", "csv", "--columns", "judge=by whom") == of_columns
    assert "no column and no judge x; its judges are human and llm" in refusal(
        "judges", "rows.csv:human", "rows.csv:x"
    )
    assert "no column x" in refusal("judges", "rows.csv", "--columns", "judge=x")
    assert output("judges", "rows.csv", "rows.csv", "-f", "csv") == of_columns
    rows.assign(annotator=["", *rows["annotator"][1:]]).to_csv("rows.csv", index=False)
    assert "rows.csv:2: the field annotator is empty" in refusal("judges", "rows.csv")


@pytest.mark.parametrize("form", ["frame", "arrow", "rows", "csv", "parquet", "jsonl"])
def test_python_reads_rows_of_judges_in_every_form(rows, labels, form):
    if form in ("arrow", "parquet"):
        pyarrow = pytest.importorskip("pyarrow")
        rows.to_parquet("rows.parquet")
        table = pyarrow.Table.from_pandas(rows)
    rows.to_json("rows.jsonl", orient="records", lines=True)
    if form == "frame":
        table = rows
    elif form == "rows":
        table = rows.to_dict("records")
    elif form != "arrow":
        table = f"rows.{form}"
    with pytest.warns(
        InputWarning, match="human stands for the human, by its name; the other judge is llm"
    ):
        found = judges(table)
    assert kappa(found) == kappa(judges("labels.csv"))


@pytest.mark.parametrize(
    "name", ["judge", "Annotator ID", "_annotator_id", "WorkerId", "completed_by", "user_name"]
)
def test_the_column_of_judges_is_known_by_its_name(rows, name):
    """Numbers are ids of judges where a document has several rows."""
    numbered = rows.replace({"human": 7, "llm": 12}).rename(columns={"annotator": name})
    assert list(rows_by_judge(numbered)) == ["7", "12"]
    assert rows_by_judge(numbered.drop_duplicates(["query", "doc"])) == {}


def test_the_judge_of_most_documents_is_first_if_names_do_not_tell_the_human(rows, output):
    people = rows.replace({"human": "Ann", "llm": "Ben"})
    apart = pandas.DataFrame([["q9", "z", "Cem", 1]], columns=people.columns)
    pandas.concat([people.iloc[1:], apart]).to_csv("people.csv", index=False)
    lines = " ".join(output("judges", "people.csv"))
    assert "Ann agrees with Ben on" in lines
    assert "Ben stands for the human, with the most documents (5; Ann has 4); the other" in lines
    assert "taken as the human" not in lines
    with pytest.warns(InputWarning, match="Ben stands for the human, with the most documents"):
        result = judges("people.csv")
    assert [remark.kind for remark in result.remarks] == ["judges"]
    assert "taken as the human" not in " ".join(map(str, result.notes()))
    assert "without a document of Ben, and not compared: Cem" in lines
    assert "ir_measures_graded judges people.csv:Ann people.csv:Ben" in lines


def test_judges_of_rows_are_refused_if_neither_names_nor_counts_tell_the_human(rows, refusal):
    """A machine without a telling name must not stand for the human."""
    unknown = rows[rows["label"].notna()].replace({"human": "Olz", "llm": "Mensch"})
    unknown = unknown[unknown.duplicated(["query", "doc"], keep=False)]
    unknown.to_csv("unknown.csv", index=False)
    message = refusal("judges", "unknown.csv")
    assert "no name of a judge tells the human, and 2 judges have the most documents, " in message
    assert message.endswith(
        "each (Olz and Mensch); name the human first: ir_measures_graded judges unknown.csv:Olz "
        "unknown.csv:Mensch"
    )
    with pytest.raises(GradedError, match=r"judges\(frames\.pop\(name\), frames\)"):
        judges(unknown)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("human1", "Olz", "GPT"), "human1 stands for the human, by its name; the other judges"),
        (("annotator_2", "Olz", "x"), "annotator_2 stands for the human, by its name; the other"),
        (("Mensch", "gpt", "bot2"), "Mensch stands for the human, because the names of all others"),
        (("assessor2", "llm", "assessor1"), "assessor2 stands for the human, by its name, as one"),
    ],
)
def test_a_remark_says_why_a_judge_of_rows_stands_for_the_human(rows, names, reason, output):
    """The human's documents may be fewer than those of the others."""
    human, machine, other = names
    llm = rows[rows["annotator"] == "llm"]
    third = llm.assign(annotator=other)
    named = rows.replace({"human": human, "llm": machine})
    if other == "assessor1":
        third = named[named["annotator"] == human].assign(annotator=other)
    pandas.concat([third, named]).iloc[::-1].to_csv("named.csv", index=False)
    assert f"named.csv: {reason}" in " ".join(output("judges", "named.csv"))


def test_the_option_for_unknown_names_also_names_the_column_of_the_judge(rows, output, refusal):
    names = {"query": "Anfrage", "doc": "Dokument", "annotator": "Richter", "label": "Note"}
    unknown = rows[["query", "doc", "annotator", "label"]].rename(columns=names)
    unknown.to_csv("unknown.csv", index=False)
    option = refusal("judges", "unknown.csv").partition("perhaps with ")[2].split(" (")[0]
    pairs = "query_id=Anfrage,doc_id=Dokument,relevance=Note,judge=Richter"
    assert option == f"--columns {pairs}"
    lines = " ".join(output("judges", "unknown.csv", "--columns", pairs))
    assert "llm agrees with the human on" in lines
    unknown.insert(2, "Dauer", 3)
    unknown.to_csv("timed.csv", index=False)
    assert f"--columns {pairs} (" in refusal("judges", "timed.csv")
    assert "judge=" not in refusal("evaluate", "unknown.csv", "run", "P@5")
    unknown.drop(columns=["Richter", "Dauer"]).to_csv("unknown.csv", index=False)
    assert "judge=" not in refusal("judges", "unknown.csv")


def test_documents_judged_twice_are_answered_with_the_command_for_their_judges(
    rows, output, refusal
):
    Path("a.run").write_text("q1 Q0 b 1 2 a\n")
    message = refusal("evaluate", "rows.csv", "a.run", "P@1")
    line = "ir_measures_graded judges rows.csv"
    assert "if the column annotator names who judged, make one judge of them: " in message
    assert message.endswith(f"{line} --merge majority -o merged.txt; to compare them: {line}")
    output("judges", "rows.csv", "--merge", "highest", "-o", "merged.txt")
    assert output("evaluate", "merged.txt", "a.run", "P@1") == ["P@1\t0.5000"]
    with pytest.raises(GradedError, match="merge_judges") as error:
        evaluate(rows, {"a": {"q1": {"b": 1.0}}}, "P@1")
    frame = rows
    call = str(error.value).partition("make one judge of them: ")[2].partition("; to")[0]
    merged = eval(call, {"merge_judges": merge_judges, "frame": frame})
    assert merged["q1"]["b"] == 1
    people = rows.drop(columns="annotator")
    with pytest.raises(GradedError, match=r"keep one judgment per document$"):
        evaluate(people, {"a": {"q1": {"b": 1.0}}}, "P@1")


def test_a_table_to_merge_needs_the_names_of_its_columns(refusal):
    rows = ["query_id,doc_id,human,llm,gpt4", "q1,a,2,2,1", "q1,b,0,1,0", "q2,a,2,1,1"]
    Path("labels.csv").write_text("\n".join(rows) + "\n")
    message = refusal("judges", "labels.csv", "--merge", "median")
    assert message == (
        "merging needs at least 2 judges; of a table with a column for each judge, name the "
        "columns: ir_measures_graded judges labels.csv:human labels.csv:llm labels.csv:gpt4 "
        "--merge median"
    )
    assert "by name, or paths of qrels" in refusal("judges", "qrels", "--merge", "median")

"""Rules that hold for every form of qrels and runs: ids, comments, ranks, floats, names of runs."""

import io
import json
import math
import warnings
from operator import methodcaller

import ir_measures
import numpy as np
import pandas
import pyarrow
import pytest
from ir_measures import Qrel, ScoredDoc
from reading import in_pieces, opened, refused, run_file

from input_forms import FORMS, ONLY_GRADED
from ir_measures_graded import RunFile, nDCG_Burges
from ir_measures_graded.analysis import check, evaluate
from ir_measures_graded.core.rows.id_matching import LONGEST_ID
from ir_measures_graded.core.rows.rank_order import reversed_topics
from ir_measures_graded.core.rows.roles import RUN
from ir_measures_graded.core.rows.rows import RunSource
from ir_measures_graded.core.rows.sources import in_memory, read_qrels
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.files.files import qrels_in

EVERY = {**FORMS, **ONLY_GRADED}
FLAWS = {
    "": "is empty",
    "d\0004": "contains the character NUL",
    "d" * (LONGEST_ID + 1): "is longer than 4,096 bytes",
    "é" * (LONGEST_ID // 2) + "d": "is longer than 4,096 bytes",
}


def json_rows(source):
    """JSON lines with an object for each row."""
    lines = []
    for topic, docs in source.items():
        for doc, score in docs.items():
            lines.append(json.dumps({"query_id": topic, "doc_id": doc, "score": score}))
    return "\n".join(lines)


def json_lists(source):
    return json.dumps({topic: list(docs) for topic, docs in source.items()})


def json_items(source):
    """JSON lines with an object for each topic."""
    lines = []
    for topic, docs in source.items():
        results = [{"corpus_id": doc, "score": score} for doc, score in docs.items()]
        lines.append(json.dumps({"query_id": topic, "results": results}))
    return "\n".join(lines)


JSON = {
    "JSON dict of dicts": json.dumps,
    "JSON lines": json_rows,
    "JSON dict of lists": json_lists,
    "JSON items": json_items,
}


def read(run):
    """A run in any form, as a dict of dicts, from which the readers take all ids."""
    if not isinstance(run, RunSource):
        run = in_memory(run, RUN)
    rows = run.rows()
    list(rows.docs.ids())
    return rows.dicts()


def made(form, source):
    """A run in a form among `EVERY` and `JSON`."""
    if form in JSON:
        return run_file(JSON[form](source))
    return EVERY[form](source, "score")


@pytest.mark.parametrize("role", ["topic", "document"])
@pytest.mark.parametrize("flaw", FLAWS, ids=["empty", "NUL", "long", "long in UTF-8"])
@pytest.mark.parametrize("form", [*EVERY, *JSON])
def test_text_that_is_no_id_is_refused_in_every_form(form, flaw, role):
    if role == "document":
        source = {"q": {"a": 2.0, flaw: 1.0}}
    else:
        source = {"q": {"a": 1.0}, flaw: {"b": 1.0}}
    message = refused(lambda: read(made(form, source)))
    if form != "TREC file" or flaw:  # an empty field shifts the others
        assert FLAWS[flaw] in message


@pytest.mark.parametrize("form", [*EVERY, *JSON])
def test_other_text_is_an_id_in_every_form(form):
    longest = "é" * (LONGEST_ID // 2)
    source = {"\ufeffq": {longest: 2.0, "\ufeffd": 1.0}, "q": {"d": 1.0}}
    run = made(form, source)
    if form == "TREC file":  # its own mark, which is removed once
        run = RunFile(io.BytesIO(b"\xef\xbb\xbf" + run.file.getvalue()))
    ids = {topic: list(docs) for topic, docs in read(run).items()}
    assert ids == {topic: list(docs) for topic, docs in source.items()}


def test_category_without_rows_is_not_refused():
    ids = pandas.Categorical(["q", "q"], categories=["", "q"])
    frame = pandas.DataFrame({"query_id": ids, "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    assert read(frame) == {"q": {"a": 1.0, "b": 2.0}}


@pytest.mark.parametrize("size", [8, 1000], ids=["first in its block", "in the only block"])
def test_mark_inside_a_file_is_a_remark(size):
    lines = opened("q 0 a 1\nq 0 b 1\n\ufeffp 0 a 1\n")
    with pytest.warns(InputWarning, match=r"line 3 begins with U\+FEFF"):
        qrels = qrels_in(lines, sizes=in_pieces(size))
    assert qrels.topics == ["q", "\ufeffp"]


# Comments

COMMENTS = [
    ("q Q0 d 1 1 t\n#p Q0 d 1 1 t\n#r Q0 d 1 1 t\n", "line 2", "'#p'"),
    ("#p Q0 d 1 1 my tag\nq Q0 d 1 1 t\n", "line 1", "'#p'"),
    ("q d 0.5\n#p d 0.25\n", "line 2", "'#p'"),
    ("q d 1 9.5\n# a comment\n#p d 2 8.5\n", "line 3", "'#p'"),
]
NO_ROWS = [
    "# a comment\nq Q0 d 1 1 t\n",
    "# one two three four five\nq Q0 d 1 1 t\n",
    "q d 0.5\n# p d e f\n",
    "q Q0 #d 1 1 t\n",
]


@pytest.mark.parametrize("size", [8, 1 << 20])
@pytest.mark.parametrize(("text", "line", "topic"), COMMENTS)
def test_comment_that_is_a_row_of_the_form_is_a_remark(text, line, topic, size):
    run = run_file(text, in_pieces(size, start=1 << 20))
    qrels = {"q": {"d": 1}}
    with pytest.warns(InputWarning, match=f"{line} begins with #.* topic {topic}"):
        evaluate(qrels, {"mine": run}, ["P@1"])
    (remark,) = check(qrels, {"mine": run_file(text)}).remarks
    assert line in remark.text


@pytest.mark.parametrize("text", NO_ROWS)
def test_other_comment_is_no_remark(text):
    assert check({"q": {"d": 1, "#d": 1}}, {"mine": run_file(text)}).remarks == ()


def test_comment_in_qrels_is_a_remark_in_check(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("#a 0 d1 1\n#a 0 d2 0\nb 0 d1 1\n")
    with pytest.warns(InputWarning, match="line 1 begins with #"):
        (remark,) = check(path).remarks
    assert remark.subject == str(path)
    assert "topic '#a'" in remark.text


def test_table_has_no_comments():
    assert read(run_file("query_id,doc_id,score\n#p,d,1\n")) == {"#p": {"d": 1.0}}


# Ranks


def ranked(reverse, topics):
    """Rows of so many topics as a DataFrame; the scores of `reverse` topics rise with the rank."""
    rows = []
    for number in range(topics):
        for rank in (1, 2, 3):
            score = rank if number < reverse else -rank
            rows.append((f"t{number}", f"d{rank}", rank, score / 4))
    return pandas.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])


def trec_lines(frame):
    rows = frame.itertuples()
    lines = [f"{row.query_id} Q0 {row.doc_id} {row.rank} {row.score} t\n" for row in rows]
    return "".join(lines)


def ranked_items(frame):
    """JSON lines with an object for each topic."""
    lines = []
    for topic, rows in frame.groupby("query_id"):
        results = rows[["doc_id", "rank", "score"]].to_dict("records")
        lines.append(json.dumps({"query_id": topic, "results": results}))
    return "\n".join(lines)


def parquet_file(frame):
    content = io.BytesIO()
    frame.to_parquet(content)
    return content.getvalue()


def feather_file(frame):
    content = io.BytesIO()
    frame.to_feather(content)
    return content.getvalue()


def named_rows(frame):
    return list(frame.itertuples(index=False))


RANKED_FILES = {
    "TREC": trec_lines,
    "CSV": methodcaller("to_csv", index=False),
    "TSV": methodcaller("to_csv", index=False, sep="\t"),
    "JSON lines": methodcaller("to_json", orient="records", lines=True),
    "JSON array": methodcaller("to_json", orient="records"),
    "JSON items": ranked_items,
    "Parquet": parquet_file,
    "Feather": feather_file,
}
RANKED_IN_MEMORY = {
    "DataFrame": pandas.DataFrame.copy,
    "Arrow": pyarrow.Table.from_pandas,
    "named tuples": named_rows,
    "dicts": methodcaller("to_dict", "records"),
    "columns": methodcaller("to_dict", "list"),
}


def ranked_run(form, frame):
    """A run with ranks in a form among `RANKED_FILES` and `RANKED_IN_MEMORY`."""
    if form in RANKED_FILES:
        return run_file(RANKED_FILES[form](frame))
    return RANKED_IN_MEMORY[form](frame)


JUDGED = {f"t{number}": {"d1": 1, "d2": 0, "d3": 0} for number in range(10)}


@pytest.mark.parametrize(("reverse", "is_said"), [(10, True), (9, True), (8, False), (0, False)])
@pytest.mark.parametrize("form", [*RANKED_FILES, *RANKED_IN_MEMORY])
def test_scores_in_the_reverse_order_of_ranks_are_a_remark(form, reverse, is_said):
    frame = ranked(reverse, 10)
    remarks = check(JUDGED, {"mine": ranked_run(form, frame)}).remarks
    texts = [remark.text for remark in remarks if remark.kind == "reverse ranks"]
    if is_said:
        (text,) = texts
        assert f"in {reverse} of 10 topics" in text
        assert "--ascending (ascending=True)" in text
    else:
        assert texts == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = evaluate(JUDGED, {"mine": ranked_run(form, frame)}, ["RR"], ascending=True)
    assert values.means() == pytest.approx((reverse + (10 - reverse) / 3) / 10)


def test_ascending_leaves_ranks_in_place_of_scores():
    for text in (
        "q d1 1\nq d2 2\n",
        "query_id,doc_id,rank\nq,d1,1\nq,d2,2\n",
        '{"q": ["d1", "d2"]}',
    ):
        assert read(run_file(text, ascending=True)) == {"q": {"d1": -1.0, "d2": -2.0}}


def test_ascending_holds_for_dicts_and_for_each_run_of_a_file():
    run = {"t0": {"d1": 0.5, "d2": 1}}
    assert evaluate(JUDGED, {"mine": run}, ["RR"], ascending=True).values.max() == 1
    text = "run,qid,docno,score\nA,t0,d1,.5\nA,t0,d2,1\nB,t0,d1,2\nB,t0,d2,1\n"
    runs = run_file(text, ascending=True).runs()
    assert {name: read(run) for name, run in runs.items()} == {
        "A": {"t0": {"d1": -0.5, "d2": -1.0}},
        "B": {"t0": {"d1": -2.0, "d2": -1.0}},
    }


def test_topic_counts_as_reverse_only_if_no_score_falls():
    rows = [
        *[("a", 1, 1), ("a", 2, 2), ("a", 3, 2)],
        *[("b", 1, 1), ("b", 2, 3), ("b", 3, 2)],
        ("c", 1, 5),
        *[("d", 1, 1), ("d", 2, 1)],
        *[("e", math.nan, 1), ("e", 2, 2)],
    ]
    assert reversed_topics(*zip(*rows)) == (1, 2)


# Short floats

SHORT = {
    "float32": np.float32,
    "float16": np.float16,
}


def columns_of(levels):
    return {"qid": ["q", "q"], "docno": ["a", "b"], "label": levels}


def frame_of(levels):
    return pandas.DataFrame(columns_of(levels))


def nullable_frame(levels):
    return frame_of(pandas.array(levels, "Float32"))


def arrow_frame(levels):
    return frame_of(pandas.array(levels, "float[pyarrow]"))


def arrow_table(levels):
    return pyarrow.table(columns_of(levels))


def dict_of_dicts(levels):
    return {"q": dict(zip("ab", levels))}


def named_tuples(levels):
    return [Qrel("q", doc, level, "0") for doc, level in zip("ab", levels)]


LEVELS = {
    "frame": frame_of,
    "nullable frame": nullable_frame,
    "Arrow frame": arrow_frame,
    "Arrow": arrow_table,
    "dict": dict_of_dicts,
    "tuples": named_tuples,
    "columns": columns_of,
}


@pytest.mark.parametrize("dtype", SHORT)
@pytest.mark.parametrize("form", [*LEVELS, "Parquet"])
def test_short_float_level_means_its_shortest_decimal(form, dtype):
    if form in ("nullable frame", "Arrow frame") and dtype == "float16":
        pytest.skip("there is no such column")
    levels = np.array([0.1, 2.5], SHORT[dtype])
    if form == "Parquet":
        rows = qrels_in(io.BytesIO(parquet_file(frame_of(levels))))
    else:
        rows = read_qrels(LEVELS[form](levels))
    assert rows.dicts() == {"q": {"a": 0.1, "b": 2.5}}
    measure = nDCG_Burges(gains={0.1: 5}, cutoff=1)
    assert measure.calc_aggregate({"q": {"a": rows.values[0]}}, {"q": {"a": 1.0}}) == 1


# Names of runs, files and iterators


def test_run_that_the_file_lacks_is_named(tmp_path):
    path = tmp_path / "A.run"
    path.write_text("q Q0 d 1 1 t\n")
    message = refused(RunFile(path, run="typo").rows)
    assert "no column names the runs of the file, so there is no run 'typo'" in message
    text = "run,qid,docno,score\nbm25,q,d,1\ndense,q,d,2\n"
    for read_all in (RunFile.rows, lambda run: list(run.blocks())):
        message = refused(read_all, run_file(text, run="bm52"))
        assert "there is no run 'bm52'; the file has bm25 and dense; did you mean bm25?" in message
    assert read(run_file(text, run="dense")) == {"q": {"d": 2.0}}


@pytest.mark.parametrize(
    "options", [{"run": 5}, {"run_column": ["run"]}, {"ascending": "yes"}], ids=str
)
def test_options_of_a_run_of_another_type_are_refused(options):
    (name,) = options
    assert refused(lambda: RunFile("a.run", **options)).startswith(f"{name} is ")


def test_used_up_iterator_is_said(tmp_path):
    path = tmp_path / "file"
    path.write_text("q 0 d 1\n")
    judged = ir_measures.read_trec_qrels(str(path))
    runs = {"mine": {"q": {"d": 1.0}}}
    evaluate(judged, runs, ["P@1"])
    assert "qrels: the iterator is used up" in refused(evaluate, judged, runs, ["P@1"])
    path.write_text("q Q0 d 1 1 t\n")
    runs = {"mine": ir_measures.read_trec_run(str(path))}
    qrels = {"q": {"d": 1}}
    evaluate(qrels, runs, ["P@1"])
    assert "run: the iterator is used up" in refused(evaluate, qrels, runs, ["P@1"])
    rows = iter([Qrel("q", "d", 1, "0")])
    read_qrels(rows)
    assert "the iterator has no item; it is used up" in refused(read_qrels, rows)


def test_generator_without_rows_is_an_empty_run():
    rows = (row for row in list[ScoredDoc]())
    with pytest.warns(InputWarning, match="the run is empty"):
        evaluate({"q": {"d": 1}}, {"mine": rows}, ["P@1"])


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "a\0*.parquet"], ids=ascii)
def test_path_that_no_file_can_have_is_refused(path):
    assert "cannot be read" in refused(RunFile(path).rows)
    runs = {"mine": {"q": {"d": 1.0}}}
    assert "neither a file nor" in refused(evaluate, path, runs, ["P@1"])

"""Levels that are words: the numbers that a user names for them, in every form."""

import io
import json

import pandas
import pytest
from reading import in_pieces, refused

from ir_measures_graded import GradedError, cli, read_qrels
from ir_measures_graded.core.rows.chosen import words_as_levels
from ir_measures_graded.core.rows.level_words import levels_named
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.files.files import qrels_in

ROWS = [("q1", "d1", "Perfect"), ("q1", "d2", "not relevant"), ("q2", "d1", "2")]
LEVELS = {"perfect": 3, "Not_Relevant": 0}
EXPECTED = {"q1": {"d1": 3.0, "d2": 0.0}, "q2": {"d1": 2.0}}


def frame():
    return pandas.DataFrame(ROWS, columns=["qid", "docno", "label"])


def in_csv():
    return io.BytesIO(frame().to_csv(index=False).encode())


def in_parquet():
    return io.BytesIO(frame().to_parquet())


def in_lines_of_json():
    return io.BytesIO(frame().to_json(orient="records", lines=True).encode())


def by_topic():
    qrels = {}
    for topic, document, level in ROWS:
        qrels.setdefault(topic, {})[document] = level
    return qrels


def in_json():
    return io.BytesIO(json.dumps(by_topic()).encode())


@pytest.mark.parametrize("source", [in_csv, in_lines_of_json, in_json], ids=lambda f: f.__name__)
def test_words_and_numbers_are_levels_in_files(source):
    assert read_qrels(source(), levels=LEVELS).dicts() == EXPECTED


def in_trec_lines():
    lines = [f"{topic} 0 {document} {level.replace(' ', '_')}" for topic, document, level in ROWS]
    return io.BytesIO("\n".join(lines).encode())


def of_words():
    rows = frame().replace("2", "good")
    return io.BytesIO(rows.to_parquet())


@pytest.mark.parametrize("source", [in_trec_lines, in_csv, of_words], ids=lambda f: f.__name__)
def test_words_are_levels_in_large_files_that_another_thread_reads(tmp_path, source):
    path = tmp_path / "qrels"
    path.write_bytes(source().getvalue())
    with words_as_levels(levels_named({**LEVELS, "good": 2})):
        assert qrels_in(path, sizes=in_pieces(20, start=20)).dicts() == EXPECTED


@pytest.mark.parametrize("source", [in_parquet, frame, by_topic], ids=lambda f: f.__name__)
def test_words_are_levels_in_columns_and_dicts(source):
    levels = {**LEVELS, "2": 2}
    with pytest.raises(GradedError, match="'2' is a number, and levels names words"):
        read_qrels(source(), levels=levels)
    with pytest.raises(GradedError, match=r"the level '2' is not a number$"):
        read_qrels(source(), levels=LEVELS)


@pytest.mark.parametrize("source", [in_csv, in_parquet, in_lines_of_json, in_json])
def test_unknown_words_are_refused_with_the_words(source):
    message = refused(lambda: read_qrels(source()))
    assert message.endswith("--levels 'not relevant:0,Perfect:1' (levels= of read_qrels)")
    message = refused(lambda: read_qrels(source(), levels={"Perfect": 3}))
    assert message.endswith("--levels names perfect, and not 'not relevant'")


def test_words_of_trec_qrels_are_levels(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 d1 high\nq1 0 d2 low\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 9 t\n")
    words = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "CG@1"]
    assert cli.main([*words, "--levels", "low:1,high=3"]) == 0
    assert capsys.readouterr().out == "CG@1\t3.0000\n"
    for wrong in ("low", "1:2", "low:1,low:2", "low:nan"):
        assert cli.main([*words, "--levels", wrong]) == 2


def test_the_only_other_column_has_the_words_that_are_named(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text("query,sku,verdict\nq1,a,Hit\nq1,b,Miss\n")
    with pytest.warns(InputWarning, match="verdict is read as relevance"):
        qrels = read_qrels(path, levels={"hit": 1, "miss": 0})
    assert qrels.dicts() == {"q1": {"a": 1.0, "b": 0.0}}
    assert "--columns relevance=verdict" in refused(lambda: read_qrels(path))


def after_a_number():
    return io.BytesIO(frame()[::-1].to_parquet(index=False))


@pytest.mark.parametrize(
    "source",
    [in_trec_lines, in_csv, of_words, after_a_number, in_lines_of_json, in_json],
    ids=lambda f: f.__name__,
)
def test_a_message_has_the_words_of_the_whole_file(tmp_path, source):
    path = tmp_path / "qrels"
    path.write_bytes(source().getvalue())
    whole = refused(qrels_in, path)
    assert refused(qrels_in, path, (), in_pieces(20, start=20, rows=1)) == whole
    assert "Perfect" in whole
    assert "relevant" in whole

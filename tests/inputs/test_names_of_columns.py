"""--columns and columns= name the columns of tables, and known names are those of recommenders."""

import io
import json
import re

import pandas
import pytest
from reading import refused

from ir_measures_graded import GradedError, RunFile, read_qrels
from ir_measures_graded.analysis import Evaluation
from ir_measures_graded.core.rows.chosen import JUDGE, OUR_NAMES, RANK
from ir_measures_graded.core.rows.columns import NAMES as KNOWN_NAMES
from ir_measures_graded.core.rows.roles import RUN
from ir_measures_graded.core.rows.sources import in_memory
from ir_measures_graded.errors import InputWarning

ROWS = [("7", "d1", 5.0), ("7", "d2", 1.0)]
NAMES = ("who", "what", "howmuch")
EXPECTED = {"7": {"d1": 5.0, "d2": 1.0}}


def table(path, names):
    separators = {".tsv": "\t", ".csv": ",", ".semi": ";"}
    frame = pandas.DataFrame(ROWS, columns=names)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".json":
        path.write_text(frame.to_json(orient="records"))
    elif path.suffix == ".columns":
        path.write_text(json.dumps(frame.to_dict("list")))
    else:
        frame.to_csv(path, index=False, sep=separators[path.suffix])
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "semi", "parquet", "json", "columns"])
def test_columns_are_those_that_the_user_names(tmp_path, ending):
    path = table(tmp_path / f"t.{ending}", NAMES)
    run_names = dict(zip(("query_id", "doc_id", "score"), NAMES))
    qrels_names = dict(zip(("query_id", "doc_id", "relevance"), NAMES))
    assert RunFile(path, columns=run_names).rows().dicts() == EXPECTED
    assert read_qrels(path, qrels_names).dicts() == EXPECTED


def test_a_named_column_takes_precedence_over_a_known_name(tmp_path):
    (tmp_path / "t.csv").write_text("query_id,doc_id,score,cosine\n7,d1,1,5\n7,d2,5,1\n")
    run = RunFile(tmp_path / "t.csv", columns={"score": "cosine"})
    assert run.rows().dicts() == EXPECTED


@pytest.mark.parametrize(
    "names",
    [
        ("user_id", "item_id", "rating"),
        ("user_id:token", "item_id:token", "rating:float"),
        ("uid", "iid", "r_ui"),
        ("user", "item", "rating"),
        ("userId", "itemId", "Rating"),
        ("query", "product", "rating"),
        ("Search Term", "SKU", "grade"),
        ("question_id", "chunk_id", "label"),
        ("query", "objectID", "rating"),
    ],
)
def test_names_of_recommenders_shops_and_answers_are_known(tmp_path, names):
    assert read_qrels(table(tmp_path / "t.tsv", names)).dicts() == EXPECTED


def test_the_text_of_a_query_is_the_topic_rather_than_its_user(tmp_path):
    (tmp_path / "t.csv").write_text("user_id,query,doc_id,rating\nu,7,d1,5\nu,7,d2,1\n")
    assert read_qrels(tmp_path / "t.csv").dicts() == EXPECTED


@pytest.mark.parametrize(
    ("header", "meanings"),
    [
        (
            "Search Phrase,Article Number,Relevance Grade,Annotator",
            "Search Phrase is read as query_id; if other columns are meant: --columns query_id=…",
        ),
        ("question,chunk,human_score", "human_score is read as relevance"),
        ("user_query,item_sku,judgment_0_3", "user_query is read as query_id; if other"),
    ],
)
def test_qrels_are_read_by_the_words_of_their_columns_with_a_remark(tmp_path, header, meanings):
    delimiter = ";" if ";" in header else ","
    further = delimiter + "x" if header.endswith("Annotator") else ""
    rows = [f"7{delimiter}d1{delimiter}5{further}", f"7{delimiter}d2{delimiter}1{further}"]
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    with pytest.warns(InputWarning, match=re.escape(meanings)):
        assert read_qrels(tmp_path / "t.csv").dicts() == EXPECTED


@pytest.mark.parametrize("header", ["Search Term;SKU;Rating (0-4)", "question,item_sku,Label 0-3"])
def test_columns_whose_words_all_mean_the_same_have_no_remark(tmp_path, header):
    delimiter = ";" if ";" in header else ","
    rows = [delimiter.join(row) for row in (("7", "d1", "5"), ("7", "d2", "1"))]
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    assert read_qrels(tmp_path / "t.csv").dicts() == EXPECTED  # a warning would be an error


def test_a_frame_with_unknown_names_is_answered_with_a_renaming():
    frame = pandas.DataFrame(ROWS, columns=["who", "film", "stars"])
    message = refused(lambda: in_memory(frame, RUN).checked())
    assert message.endswith(
        "rename them, perhaps with .rename(columns={'who': 'query_id', 'film': 'doc_id', 'stars': "
        "'score'})"
    )


def test_a_frame_with_distances_is_answered_with_their_direction():
    for names in (["qid", "docno", "l2_distance"], ["who", "film", "l2_distance"]):
        frame = pandas.DataFrame(ROWS, columns=names)
        message = refused(lambda source=frame: in_memory(source, RUN).checked())
        assert message.endswith(" and give ascending=True, as a smaller l2_distance is better")


@pytest.mark.parametrize("name", ["prob", "probability", "pred", "logit", "Logits", "cosine"])
def test_names_of_scores_of_classifiers_are_known_unless_another_name_is_better(tmp_path, name):
    assert RunFile(table(tmp_path / "t.csv", ("qid", "docno", name))).rows().dicts() == EXPECTED
    rows = [(*row, 1 - number) for number, row in enumerate(ROWS)]
    for better in ("score", "similarity"):
        frame = pandas.DataFrame(rows, columns=["qid", "docno", better, name])
        assert in_memory(frame, RUN).checked().dicts() == EXPECTED


def test_ids_in_the_index_of_a_frame_are_told():
    frame = pandas.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])
    pivot = frame.pivot(index="query_id", columns="doc_id", values="score")
    for lacking in (frame.set_index("query_id"), pivot):
        message = refused(lambda source=lacking: in_memory(source, RUN).checked())
        assert "has query_id in its index, not in a column; pass frame.reset_index()" in message
    both = frame.set_index("query_id", drop=False)
    assert in_memory(both, RUN).checked().dicts() == EXPECTED
    stacked = pivot.stack().reset_index(name="score")
    assert in_memory(stacked, RUN).checked().dicts() == EXPECTED


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_run_is_read_by_the_words_of_its_columns_with_a_remark(tmp_path, form):
    frame = pandas.DataFrame({"search phrase": ["7", "7"], "sku": ["a", "b"], "serp rank": [2, 1]})
    path = tmp_path / f"t.{form}"
    if form == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    run = RunFile(path)
    assert run.rows().dicts() == {"7": {"a": -2.0, "b": -1.0}}
    (remark,) = run.remarks
    assert str(remark).startswith("search phrase is read as query_id, serp rank as rank; if other")


@pytest.mark.parametrize(
    ("text", "columns", "fact"),
    [
        (
            "person,film,stars\n7,d1,5\n",
            None,
            "the columns person, film, stars have no known names; "
            "name them, perhaps with --columns "
            "query_id=person,doc_id=film,score=stars",
        ),
        (
            "stars;movie;customer\n4,5;d1;7\n",
            None,
            "--columns query_id=customer,doc_id=movie,score=stars",
        ),
        ("qid,docno,cos\n7,d1,5\n", None, "if another column is meant: --columns score=cos"),
        (
            "a,b,c\n7,d1,5\n",
            {"query_id": "a", "doc_id": "a", "score": "c"},
            "the column a is named as query_id and as doc_id",
        ),
        ("a,b,c\n7,d1,5\n", {"query_id": "x"}, "the columns a, b, c have no known names"),
        (
            "qid,text,score\n7,d1,5\n",
            {"query_id": "x", "doc_id": "y"},
            "has no column y; it has qid, text, score; if its columns have names of their own, add "
            "--columns doc_id=text; it needs query_id, doc_id and score",
        ),
        (
            "session_id,qid,docno,score\n7,7,d1,5\n",
            {"query_id": "sesion_id"},
            "has no column sesion_id; it has session_id, qid, docno, score; did you mean "
            "session_id?",
        ),
        (
            "phrase,sku,BM25 (raw)\n7,d1,5\n",
            None,
            "of the columns phrase, sku, BM25 (raw), only phrase and sku are recognised; name "
            "those of scores, perhaps with --columns 'query_id=phrase,score=BM25 (raw)'",
        ),
        (
            "qid,docno,Place in List\n7,d1,5\n",
            None,
            "if another column is meant: --columns 'rank=Place in List'",
        ),
        ("qid,docno,bm25 score,dense score\n7,d1,5,2\n", None, "if another column is meant"),
        ("qid,docno,reciprocal rank\n7,d1,5\n", None, "'score=reciprocal rank'"),
        ("qid,docno,Irrelevance Score\n7,d1,5\n", None, "'score=Irrelevance Score'"),
        ("qid,docno,cosine distance\n7,d1,5\n", None, "'score=cosine distance' --ascending"),
        (
            "qid,docno,distance\n7,d1,5\n",
            None,
            "a smaller distance is better; if another column is meant: --columns score=distance "
            "--ascending",
        ),
        ("qid,docno,loss\n7,d1,5\n", None, "a smaller loss is better"),
        ("phrase,sku,dist\n7,d1,5\n", None, "scores, whose smaller values are better, perhaps"),
        (
            "qid,docno,score\n7,d1,5\n",
            {"query_id": ["qid", "docno"]},
            "has 2 columns qid and docno",
        ),
    ],
)
def test_other_headers_are_answered_with_the_option(tmp_path, text, columns, fact):
    (tmp_path / "t.csv").write_text(text)
    assert fact in refused(RunFile(tmp_path / "t.csv", columns=columns).rows)


def test_the_message_names_the_column_that_is_not_recognised(tmp_path):
    frame = pandas.DataFrame([("7", "d1", 5)], columns=["user_query", "product_id", "bm25"])
    frame.to_parquet(tmp_path / "t.parquet")
    message = refused(RunFile(tmp_path / "t.parquet").rows)
    assert "has no column score (or sim, rank …); it has user_query, product_id, bm25" in message
    assert message.endswith("--columns query_id=user_query,score=bm25")


@pytest.mark.parametrize("columns", ["query_id=a", {"topics": "a"}, {"query_id": 3}, [1]])
def test_wrong_names_are_refused(columns):
    with pytest.raises(GradedError, match="columns"):
        RunFile("t.csv", columns=columns)


def test_a_column_of_values_has_one_meaning(tmp_path):
    pandas.DataFrame({"who": ["1", "2"], "quality": [0.5, 0.25]}).to_csv(tmp_path / "v.csv")
    with pytest.raises(GradedError, match="the column who is named as query_id and as run"):
        Evaluation.from_values(tmp_path / "v.csv", columns={"query_id": "who", "run": "who"})


def test_tables_of_values_have_columns_of_other_names(tmp_path):
    (tmp_path / "v.csv").write_text("who,note,quality\n1,x,0.5\n2,y,0.25\n")
    frame = pandas.DataFrame({"who": ["1", "2"], "quality": [0.5, 0.25]})
    values = Evaluation.from_values(frame, columns={"query_id": "who"})
    assert values.topics == ("1", "2")
    of_others = {"query_id": "phrase", "doc_id": "article", "rank": "place"}
    (tmp_path / "known.csv").write_text("topic,quality\n1,0.5\n2,0.25\n")
    known = Evaluation.from_values(tmp_path / "known.csv", columns=of_others)
    assert known.values.tolist() == [[[0.5, 0.25]]]
    with pytest.raises(GradedError, match="has no column whom"):
        Evaluation.from_values(tmp_path / "v.csv", columns={"query_id": "whom"})


def test_files_without_names_do_not_use_them(tmp_path):
    (tmp_path / "t.run").write_text("7 Q0 d1 1 5 t\n7 Q0 d2 2 1 t\n")
    assert RunFile(tmp_path / "t.run", columns={"query_id": "who"}).rows().dicts() == EXPECTED


def test_a_known_id_stays_known_if_a_file_lacks_the_given_one(tmp_path):
    run = RunFile(
        table(tmp_path / "t.csv", ("qid", "docno", "points")),
        columns={"query_id": "phrase", "doc_id": "article", "score": "points"},
    )
    assert run.rows().dicts() == EXPECTED


RANKED = {"7": {"d1": -1.0, "d2": -5.0}, "8": {"d1": -2.0}}


@pytest.mark.parametrize("name", ["position", "result_rank", "place"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_ranks_are_known_or_named(tmp_path, name, ending):
    path = tmp_path / f"t.{ending}"
    rows = [("7", "d1", 1), ("7", "d2", 5), ("8", "d1", 2)]
    frame = pandas.DataFrame(rows, columns=["qid", "docno", name])
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text(frame.to_json(orient="records"))
    columns = {"rank": "place"} if name == "place" else None
    for ascending in (False, True):
        run = RunFile(path, columns=columns, ascending=ascending)
        assert run.rows().dicts() == RANKED


def test_scores_that_count_up_are_said_to_be_ranks(tmp_path):
    counting = "".join(f"q{row // 3},d{row},{row % 3 + 1}\n" for row in range(12))
    falling = "".join(f"q{row // 3},d{row},{3 - row % 3}\n" for row in range(12))
    rows = {"up": counting, "down": falling}
    remarks = {}
    for name, text in rows.items():
        (tmp_path / "t.csv").write_text(f"qid,docno,place\n{text}")
        for ascending in (False, True):
            columns = {"score": "place"}
            run = RunFile(tmp_path / "t.csv", ascending=ascending, columns=columns)
            run.rows()
            remarks[name, ascending] = len(run.remarks)
    frame = pandas.read_csv(io.StringIO(f"qid,docno,score\n{counting}"))
    in_frame = in_memory(frame, RUN)
    in_frame.rows()
    assert "as ranks are" in in_frame.remarks[0].text
    assert remarks == {
        ("up", False): 1,
        ("up", True): 0,
        ("down", False): 0,
        ("down", True): 0,
    }


def test_a_user_may_name_each_column_that_has_known_names_and_those_of_ranks_and_judges():
    assert {*OUR_NAMES} == {*KNOWN_NAMES, RANK, JUDGE}

"""Remarks on runs and measures: the warnings of `evaluate` and of studies, and `check`."""

import warnings
from functools import partial

import pyarrow
import pytest

from ir_measures_graded import array_mean
from ir_measures_graded.analysis import check, compare, curves, evaluate, intervals
from ir_measures_graded.errors import EmptyRunWarning, InputWarning, Remark
from ir_measures_graded.evaluation.alike_ids import AlikeIds
from ir_measures_graded.evaluation.named import study_of
from ir_measures_graded.output.remarks import merged

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "d": 0}}
USUAL = {"q1": {"a": 3.0, "b": 2.0, "x": 1.0}, "q2": {"d": 2.0, "a": 1.0}}
UNJUDGED = {"q1": {"u": 4.0, "v": 3.0, "w": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
LACKS_ALL = (
    "the run lacks 2 of 2 topics of the qrels; "
    "it has topics such as 'q9', and the qrels such as 'q1'"
)
NONE_IS_JUDGED = (
    "no document is judged; check that run and qrels use the same ids, "
    "such as 'u' of the run and 'a' of the qrels"
)

RUNS = [
    (USUAL, []),
    (
        {"q1": USUAL["q1"]},
        [
            "the run lacks 1 of 2 topics of the qrels (q2); it counts, mostly as 0, as in trec_eval -c"
        ],
    ),
    ({"q9": {"a": 1.0}}, [LACKS_ALL]),
    ({"q1": {"u": 2.0, "v": 1.0}, "q2": {"w": 1.0}}, [NONE_IS_JUDGED]),
    (UNJUDGED, ["60 % of the top 10 are unjudged"]),
    (
        {"q1": {"a": 7.0, "b": 7.0}, "q2": {"a": 1.0}},
        ["all scores of a topic are equal, so the document ids decide"],
    ),
]


def warned_of(analysis, run, *arguments, **options):
    """The warnings of an analysis of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        analysis(QRELS, {"x": run}, *arguments, **options)
    return [(warning.category, str(warning.message)) for warning in caught]


@pytest.mark.parametrize(("run", "remarks"), RUNS)
def test_a_run_has_its_remarks_in_every_way_of_use(run, remarks):
    lines = [(InputWarning, f"x: {remark}") for remark in remarks]
    assert warned_of(evaluate, run, ["AP"]) == lines
    assert warned_of(curves, run, "nCG", depth=10) == lines
    assert [remark.text for remark in check(QRELS, {"x": run}, ["Bpref"]).remarks] == remarks


def test_ids_of_a_kept_run_are_compared_once(monkeypatch):
    compared = []
    monkeypatch.setattr(AlikeIds, "add", lambda self, ranks, hits: compared.append(ranks))
    run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
    compare({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"a": run, "b": run}, ["AP"])
    assert len(compared) == 2


def test_one_note_on_ties_names_all_runs(tmp_path):
    equal = {"q1": {"a": 7.0, "b": 7.0}, "q2": {"a": 1.0}}
    runs = {"x": equal, "y": equal}
    text = "x and y: all scores of a topic are equal, so the document ids decide"
    with pytest.warns(InputWarning) as caught:
        evaluate(QRELS, runs, ["AP"])
    assert [str(warning.message) for warning in caught] == [text]
    labels = tmp_path / "test.svm"
    labels.write_text("".join(f"{label} qid:1 1:1\n" for label in (2, 1, 0)))
    predictions = {}
    for name, scores in (("m1", "5\n5\n1\n"), ("m2", "3\n3\n3\n")):
        (tmp_path / name).write_text(scores)
        predictions[name] = str(tmp_path / name)
    with pytest.warns(InputWarning) as caught:
        evaluate(str(labels), predictions, ["nDCG@3"])
    texts = [str(warning.message) for warning in caught]
    assert texts[-1].startswith("2 to 3 of 3 predictions are tied in m1 and m2; ids decide; ")
    assert sum("ids decide" in text for text in texts) == 2  # all scores of m2 are equal, too


def test_all_is_100_percent_only_if_none_is_judged():
    qrels = {f"q{number}": {"a": 2, "b": 1, "c": 0} for number in range(250)}
    run = {topic: dict.fromkeys("opqrstuvwx", 1.0) for topic in qrels} | {"q1": {"a": 1.0}}
    texts = [remark.text for remark in check(qrels, {"x": run}, ["AP"]).remarks]
    assert "99 % of the top 10 are unjudged" in texts


def test_what_holds_for_several_runs_is_said_once():
    runs = {"x": UNJUDGED, "y": UNJUDGED, "z": {"q1": UNJUDGED["q1"]}}
    for analysis in (evaluate, partial(curves, depth=10)):
        with pytest.warns(InputWarning) as caught:
            analysis(QRELS, runs, "nCG")
        assert [str(warning.message) for warning in caught] == [
            "z: the run lacks 1 of 2 topics of the qrels (q2); it counts, mostly as 0, as in trec_eval -c",
            "60 % to 75 % of the top 10 are unjudged in x, y and z",
        ]
    with pytest.warns(InputWarning) as caught:
        evaluate({"q1": {"a": 2}, "q2": {"a": 1}}, {"x": UNJUDGED, "y": UNJUDGED}, "nCG")
    lines = [str(warning.message) for warning in caught]
    assert len(lines) == 1
    assert lines[0].startswith("the qrels are sparse: a topic has at most 1 judged document")


@pytest.mark.parametrize(
    ("measures", "remarks"),
    [
        (["P@1"], []),  # documents below the cutoff may be unjudged
        (["AP", "P@3"], ["67 % of the top 3 are unjudged"]),
        (["nDCG(judged_only=True)@3"], []),
    ],
)
def test_unjudged_documents_count_down_to_the_smallest_cutoff(measures, remarks):
    run = {"q1": {"a": 9.0, "u": 4.0, "v": 3.0}}
    result = check({"q1": QRELS["q1"]}, {"x": run}, measures)
    assert [remark.text for remark in result.remarks] == remarks


ORDERS = (
    "{} % of the top 2 of {}, which breaks ties by descending ids (Judged@2: ascending), are judged"
)


@pytest.mark.parametrize(
    ("measures", "remarks"),
    [
        (["Judged@2", "AP", "P@2", "nDCG@2"], [ORDERS.format(50, "P@2")]),
        (["nDCG_JK@2", "Judged@2"], [ORDERS.format(50, "nDCG_JK@2")]),
        (["Judged@2"], []),
        (["Judged@2", "P@3"], []),
        (["Judged@2", "RR@2", "P(judged_only=True)@2", "nDCG_JK(ties='mean')@2"], []),
        (["Judged@3", "P@3"], []),  # both orders have the same documents
    ],
)
def test_judged_in_another_order_of_ties_has_a_remark(measures, remarks):
    run = {"q1": {"a": 9.0, "b": 4.0, "u": 4.0}}
    result = evaluate({"q1": QRELS["q1"]}, {"x": run}, measures)
    texts = [remark.text for remark in result.remarks if "Judged" in remark.kind]
    assert texts == remarks
    study = study_of({"q1": QRELS["q1"]}, {"x": run})
    kept = evaluate(study.judgments, study.runs, measures)
    assert [remark.text for remark in kept.remarks if "Judged" in remark.kind] == remarks


@pytest.mark.parametrize(
    "run", [{}, {"q1": {}}, pyarrow.table({"query_id": [], "doc_id": [], "score": []})]
)
def test_an_empty_run_has_one_remark_in_every_way_of_use(run):
    warning = (EmptyRunWarning, "x: the run is empty")
    assert warned_of(evaluate, run, ["AP"]) == [warning]
    assert warned_of(curves, run, "nCG", depth=10) == [warning]
    (remark,) = check(QRELS, {"x": run}).remarks
    assert remark.subject == "x"
    assert remark.text == "the run is empty"


def test_levels_that_measures_name_and_the_qrels_lack():
    measures = [
        "nDCG_JK(gains=2:5,3:9,4:20)@2",
        "nDCG(gains={9:1})@2",
        "P(rel=3)@2",
        "AP(rel=2)",
        "CG(gains=0,5)@2",
        "Q",
    ]
    with pytest.warns(InputWarning) as caught:
        evaluate(QRELS, {"x": USUAL}, measures)
    assert [str(warning.message).split(": ")[-1] for warning in caught] == [
        "the qrels have no document of level 3 or 4",
        "the qrels have no document of level 9",
        "no level of the qrels reaches rel=3; the highest is 2",
        "level 2 has a gain of 2, less than the 5 of level 1",
    ]


@pytest.mark.parametrize("name", ["ERR_G", "nERR", "EBR", "iRBU", "RBP_G"])
def test_the_top_gain_of_an_absent_level_is_told_with_the_parameter_that_fixes_it(name):
    """Without the level, values of a validation set are on another scale than those of training."""
    ending = "so the top gain is 3, not 30 (level 4); max_gain=30 fixes it"
    with pytest.warns(InputWarning, match="no document of level 3 or 4, so the top") as caught:
        evaluate(QRELS, {"x": USUAL}, [f"{name}(gains=1:1,2:3,3:10,4:30)@2"])
    assert str(caught[0].message).endswith(ending)
    with pytest.warns(InputWarning, match="no document of level 3 or 4$"):
        evaluate(QRELS, {"x": USUAL}, [f"{name}(gains=1:1,2:3,3:10,4:30,max_gain=30)@2"])
    with pytest.warns(InputWarning, match="no document of level 1.5$"):
        evaluate(QRELS, {"x": USUAL}, [f"{name}(gains=1:1,1.5:2,2:3)@2"])
    with pytest.warns(InputWarning, match=r"the labels .* level 4, so the top gain is 3, not 30"):
        array_mean(f"{name}(gains=2:3,4:30)@2", [2, 0], [1, 2], [2])


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize(("run", "texts"), RUNS)
def test_results_keep_the_remarks_of_which_they_warn(run, texts, is_kept):
    qrels = QRELS
    runs = {"x": run}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if is_kept:
            study = study_of(QRELS, runs)
            qrels = study.judgments
            runs = study.runs
            assert [remark.text for remark in study.remarks] == texts
        evaluation = evaluate(qrels, runs, ["nDCG(gains={9:1})@10"])
    on_measure = "the qrels have no document of level 9"
    assert [remark.text for remark in evaluation.remarks] == [*texts, on_measure]
    assert len(caught) == len(evaluation.remarks)
    assert evaluation.part(["x"], evaluation.measures).remarks == evaluation.remarks


SOME = [
    Remark("unjudged", "A", "40 % of the top 10 are unjudged", 0.4),
    Remark("unjudged", "B", "60 % of the top 10 are unjudged", 0.6),
    Remark("unjudged", "C", "60 % of the top 10 are unjudged", 0.6),
    Remark("sparse", "", "the qrels are sparse"),
    Remark("topics", "A", "the run lacks 1 of 9 topics"),
    Remark("topics", "A", "the run lacks 1 of 9 topics"),
    Remark("levels", "qrels", "no level is above 0"),
]


@pytest.mark.parametrize("several", [SOME, SOME[::-1], SOME[:1] + SOME[3:], SOME[3:], []])
def test_merging_loses_no_kind_and_no_subject(several):
    lines = [str(remark) for remark in merged(several)]
    assert len({*lines}) == len(lines)
    for remark in several:
        assert any(remark.subject in line for line in lines)
        assert any(remark.text.split("% ")[-1] in line for line in lines)


@pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.InputWarning")
@pytest.mark.parametrize(
    ("unjudged", "is_said"), [(0, False), (1, False), (2, True), (19, True), (21, False)]
)
def test_unjudged_documents_are_noted_from_5_percent_on_unless_a_remark_tells_them(
    unjudged, is_said
):
    docs = [f"d{number}" for number in range(40)]
    qrels = {"q": {doc: 1 - number % 2 for number, doc in enumerate(docs) if number >= unjudged}}
    runs = {"x": {}}
    for topic in range(4):
        qrels[f"q{topic}"] = dict(qrels["q"])
        first_rank = topic * 10
        ten_docs = docs[first_rank : first_rank + 10]
        runs["x"][f"q{topic}"] = {doc: 1.0 - rank for rank, doc in enumerate(ten_docs)}
    del qrels["q"]
    share = evaluate(qrels, runs, ["P@10"]).unjudged.shares["x"]
    assert share == pytest.approx(unjudged / 40)
    for measures in (["P@10"], ["AP"]):
        notes = [str(note) for note in evaluate(qrels, runs, measures).notes()]
        documents = "all documents" if measures == ["AP"] else "the top 10 documents"
        text = f"Unjudged of {documents}: {100 * share:.0f} % of x."
        assert (text in notes) == is_said, notes


def test_notes_tell_what_levels_mean_in_every_table():
    """For one run, several runs and intervals; ERR is for levels up to 4."""
    qrels = {"1": QRELS["q1"], "2": QRELS["q2"]}  # gdeval takes no other topics
    run = {"1": USUAL["q1"], "2": USUAL["q2"]}
    evaluation = evaluate(qrels, {"x": run}, ["AP", "ERR@20"])
    notes = [str(note) for note in evaluation.notes()]
    assert notes == [
        "AP: relevant from level 1 (rel=1).",
        "ERR@20 is for levels up to 4 and divides by 2^4; the qrels end at 2: "
        "ERR_G(max_gain=3)@20.",
        "Unjudged of all documents: 20 % of x.",
    ]
    assert [str(note) for note in intervals(evaluation).notes()][-3:] == notes
    assert notes[1] in compare(qrels, {"x": run, "y": run}, "ERR@20").notes()
    of_4 = evaluate({**qrels, "3": {"a": 4}}, {"x": run}, "ERR@20")
    assert not of_4.notes_on_levels()


GRADES = {"q1": {f"d{number}": number % 5 for number in range(50)}}


def _texts(qrels):
    return [remark.text for remark in check(qrels).remarks]


@pytest.mark.parametrize(
    ("levels", "texts"),
    [
        (
            {"a": 40},
            ["1 document has level 40, and the others levels from 0 to 4; is it a typing e"],
        ),
        (
            {"a": -1},
            ["1 document has level −1, and the others levels from 0 to 4; is it a typing e"],
        ),
        ({"a": -2, "b": -2}, []),  # several documents are spam
        ({"a": 40, "b": 40}, []),
        ({"a": 7}, ["1 document has level 7, and the others levels from 0 to 4"]),
        ({"a": 9}, ["1 document has level 9, and the others levels from 0 to 4"]),
        ({"a": 6}, []),  # a scale may lack one or two of its levels
        ({"a": 7, "b": 7}, []),
    ],
)
def test_check_tells_levels_that_hardly_any_document_has(levels, texts):
    all_texts = _texts({"q1": GRADES["q1"] | levels})
    assert [text[: len(start)] for text, start in zip(all_texts, texts, strict=True)] == texts


@pytest.mark.parametrize("scale", [[0, 1, 10, 100, 1000], range(0, 101, 5), [0, 1, 3, 7, 15]])
def test_check_tells_no_level_of_a_scale(scale):
    most = {f"d{number}": min(scale) for number in range(50)}
    assert _texts({"q1": most | {f"e{level}": level for level in scale}}) == []


def test_check_tells_no_number_of_clicks():
    clicks = [0] * 500 + [1] * 60 + [2] * 12 + [3] * 3 + [4] + [8]
    assert _texts({"q1": {f"d{number}": count for number, count in enumerate(clicks)}}) == []


@pytest.mark.parametrize("level", [7, 8, 9])
def test_check_tells_one_wrong_digit_in_a_track_and_nothing_of_the_track(level, shared_data):
    lines = (shared_data / "cast21-doc" / "qrels.txt").read_text().splitlines()
    rows = [line.split() for line in lines]
    qrels = {}
    for topic, _, document, own_level in rows:
        qrels.setdefault(topic, {})[document] = int(own_level)
    rare = [remark for remark in check(qrels).remarks if remark.kind == "rare level"]
    assert rare == []
    qrels[rows[0][0]][rows[0][2]] = level
    (rare,) = [remark for remark in check(qrels).remarks if remark.kind == "rare level"]
    assert rare.text.startswith(f"1 document has level {level}, and the others levels from 0 to 4")


def test_check_tells_repeated_judgments(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 a 1\nq2 0 c 1\nq2 0 c 1\n")
    (text,) = _texts(tmp_path / "qrels")
    assert text == (
        "2 judgments repeat earlier ones with the same level, as that of document 'a' of topic "
        "'q1' (line 3)"
    )
    (tmp_path / "intents").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 b 0\n")
    assert _texts(tmp_path / "intents") == []

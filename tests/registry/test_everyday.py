"""Names of measures as people type them."""

import warnings

import pytest

from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.registry.everyday import AMBIGUOUS, NEEDED, NONE, WORDS
from ir_measures_graded.core.registry.notation import parse_measure, parse_measures
from ir_measures_graded.errors import GradedError


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("ndcg@10", ["nDCG@10"]),
        ("NDCG_at_10", ["nDCG@10"]),
        ("NDCG_AT_10", ["nDCG@10"]),
        ("ndcg-at-5", ["nDCG@5"]),
        ("map@100", ["AP@100"]),
        ("map@100-l2", ["AP(rel=2)@100"]),
        ("mrr@10", ["RR@10"]),
        ("Mean Reciprocal Rank", ["RR"]),
        ("recall_at_100", ["R@100"]),
        ("precision@5,10", ["P@5", "P@10"]),
        ("hit_rate@10", ["Success@10"]),
        ("hit rate@10", ["Success@10"]),
        ("f1@10-l2", ["F1(rel=2)@10"]),
        ("capped-recall@5,10", ["R_cap@5", "R_cap@10"]),
        ("ndcg_burges@10", ["nDCG_Burges@10"]),
        ("r-precision", ["Rprec"]),
        ("P@5,10", ["P@5", "P@10"]),
        ("nDCG@5,10,20", ["nDCG@5", "nDCG@10", "nDCG@20"]),
        ("nDCG_JK(b=3,gains=2:10,3:100)@5,10", None),
        ("ndcg@10,map@100,nDCG_JK(gains=2:5,3:9)@10,P@5,10", None),
        ("ndcg_cut_10", ["nDCG@10"]),
        ("P_5,10", ["P@5", "P@10"]),
        ("MAP@10", ["AP@10"]),
        ("err@10", ["ERR@10"]),
        ("q_measure", ["Q"]),
        ("ndcg_jk(b=3,gains=2:10)@10", ["nDCG_JK(b=3,gains=2:10)@10"]),
        ("nerr@5,10", ["nERR@5", "nERR@10"]),
    ],
)
def test_a_text_names_these_measures(text, strings):
    measures = parse_measures(text)
    if strings is None:
        assert len(measures) > 1
    else:
        assert measures == tuple(map(parse_measure, strings))


def with_underscores(word):
    return word.replace(" ", "_")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("spelling", [str.upper, str.title, with_underscores])
def test_case_and_separators_do_not_count(word, spelling):
    text = spelling(word) + ("" if WORDS[word].cutoff == NONE else "@7")
    if text in ("R@7", "P@7"):
        return
    (measure,) = parse_measures(text)
    assert measure.NAME == parse_measure(WORDS[word].measure).NAME


@pytest.mark.parametrize("name", ["ndcg", "nDCG_JK", "hits", "P"])
@pytest.mark.parametrize("cutoff", ["05", "1,000", "-1", "10%", "ten", "5;10"])
def test_a_wrong_cutoff_is_said_to_be_one(name, cutoff):
    with pytest.raises(GradedError, match=" is not a cutoff; a cutoff is a whole number ≥ 1"):
        parse_measures(f"{name}@{cutoff}")


def test_the_least_relevant_level_of_ranx_is_at_least_1():
    with pytest.raises(GradedError, match="least relevant level is 0, but it is a whole number"):
        parse_measures("map@100-l0")


@pytest.mark.parametrize("word", AMBIGUOUS)
def test_an_ambiguous_word_is_refused_with_strings_that_can_be_typed(word):
    with pytest.raises(GradedError, match="means several measures; write ") as caught:
        parse_measures(f"{word}@5")
    _, advice = str(caught.value).split("write ")
    strings = [choice.split()[0].strip(",;") for choice in advice.split(" or ")]
    for string in strings:
        if "@" in string:
            parse_measures(string)


TREC_EVAL = ("recall", "success", "r", "p")  # these words alone are names of trec_eval or aliases
WITH_CUTOFF = [word for word in WORDS if WORDS[word].cutoff == NEEDED and word not in TREC_EVAL]


@pytest.mark.parametrize("word", WITH_CUTOFF)
def test_a_missing_cutoff_is_named(word):
    with pytest.raises(GradedError, match=f"{word} needs a cutoff, as in {word}@10"):
        parse_measures(word)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("r-precision@5", "r-precision takes no cutoff; write Rprec"),
        ("ndcg@10-l2", "nDCG has no least relevant level; leave out -l2"),
        ("foo*", "no measure matches 'foo\\*'"),
        ("hit rate(rel=2)@10", r"takes no parameters; write Success\(rel=2\)@10"),
        ("hits(rel=2)@5", "means several measures; write Success@5"),
        ("sdcg@10", "'sdcg@10' means several measures; write SDCG@10 or sDCG@10"),
        ("hitz@10", "measure not found: hitz; did you mean Success@10"),
    ],
)
def test_other_texts_are_refused(text, sentence):
    with pytest.raises(GradedError, match=sentence):
        parse_measures(text)


def test_a_pattern_names_all_measures_that_match():
    names = {measure.NAME for measure in parse_measures("nDCG*@10")}
    assert {"nDCG", "nDCG_JK", "nDCG_Burges"} <= names
    assert "nDCG_IA" not in names
    assert all(measure.params["cutoff"] == 10 for measure in parse_measures("nDCG*@10"))


def test_results_print_the_measures_own_names():
    evaluation = evaluate({"q": {"a": 1}}, {"run": {"q": {"a": 1.0}}}, ["ndcg@10", "mrr"])
    assert list(map(str, evaluation.measures)) == ["nDCG@10", "RR"]


GRADED = {"q": {"a": 2, "b": 1, "c": 1}}
BINARY = {"q": {"a": 1, "b": 1, "c": 0}}


@pytest.mark.parametrize(
    ("qrels", "measures", "remark"),
    [
        (GRADED, "ndcg@10,ndcg@5", "nDCG@10: levels count linearly; 2^level − 1 is nDCG_Burges@10"),
        (GRADED, "nDCG@10", None),
        (BINARY, "ndcg@10", None),
        (GRADED, "map@2", "AP@2: divides by R; division by min(R, 2) is Q(beta=0)@2"),
        (GRADED, "map@3", None),
        # ir-measures' other names for nDCG and AP, which other tools define differently.
        (GRADED, "NDCG@10", "nDCG@10: levels count linearly; 2^level − 1 is nDCG_Burges@10"),
        (GRADED, "MAP@2", "AP@2: divides by R; division by min(R, 2) is Q(beta=0)@2"),
        (GRADED, "MRR@10", None),
        (GRADED, "AP@2", None),
        (
            {"q": {"a": 3, "b": 3, "c": 1}},
            "map@1-l2",
            "AP(rel=2)@1: divides by R; division by min(R, 1) is Q(beta=0,gains=1:0)@1",
        ),
        (
            BINARY,
            "Accuracy@5",
            "Accuracy@5: the share of pairs of documents in the right order; the accuracy of "
            "Sentence Transformers and BEIR is Success@5",
        ),
    ],
)
def test_a_word_is_remarked_if_its_other_definition_gives_another_value(qrels, measures, remark):
    run = {"run": {"q": {"b": 3.0, "a": 2.0, "x": 1.0, "c": 0.5}}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluation = evaluate(qrels, run, measures)
    remarks = [str(item) for item in evaluation.remarks if item.kind == "everyday name"]
    assert remarks == ([remark] if remark else [])
    assert [str(warning.message) for warning in caught] == remarks
    if remark and "Q(" in remark:
        other = evaluate(qrels, run, remark.rpartition(" ")[2])
        assert other.values[0, 0, 0] != evaluation.values[0, 0, 0]

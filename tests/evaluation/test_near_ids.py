"""Runs whose documents match judgments by a rule only, in every form and analysis."""

import json
import pickle
import random
import shlex
import warnings

import pandas
import pytest

from ir_measures_graded import RunFile, parse_measure
from ir_measures_graded.analysis import check, curves, document_runs, evaluate
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.evaluation import near_ids
from ir_measures_graded.evaluation.named import named_runs
from ir_measures_graded.evaluation.near_ids import SAMPLED_TOPICS, OtherIds, SomeIds
from ir_measures_graded.evaluation.run_evaluator import RunEvaluator

TOPICS = [f"q{number}" for number in range(60)]
JUDGED = [f"Doc{number:03}" for number in range(8)]
QRELS = {}
for topic in TOPICS:
    QRELS[topic] = {f"{topic}-{name}": place % 3 for place, name in enumerate(JUDGED)}


SAME = "{id}"
TXT = "{id}.txt"
RULES = {
    "in the same case": "{lower}",
    r"without '.txt' (--passages_pattern '(.+?)(?:\.txt)?')": TXT,
    "without '/data/' (--passages_pattern '(?:/data/)?(.+)')": "/data/{id}",
    "with the text before '#' (--passages '#')": "{id}#{place}",
    "with the text before '%p' (--passages '%p')": "{id}%p{place}",
    "with the text before '_' (--passages '_')": "{id}_{place}",
    "with the text before '-' (--passages '-')": "{id}-{place}",
    "with 'q' before it": "{without_q}",
    "in the same case and without '.txt'": "{lower}.txt",
    "in the same case and without '/data/'": "/data/{upper}",
    "in the same case and with 'q' before it": "{upper_without_q}",
    "with the text before '#' (--passages '#') and without '.pdf'": "{id}.pdf#{place}",
    "with the text before '_' (--passages '_') and in the same case": "{lower}_{place}",
    "without '/data/' and without '.txt' "
    r"(--passages_pattern '(?:/data/)?(.+?)(?:\.txt)?')": "/data/{id}.txt",
}
"""The id that a run has for a judged document, by the rule with which the two match."""


def changed_id(template, id_, place=0):
    """The id that a run has for a judged document; `place` counts the documents of the run."""
    return template.format(
        id=id_,
        lower=id_.lower(),
        upper=id_.upper(),
        without_q=id_[1:],
        upper_without_q=id_[1:].upper(),
        place=place,
        place_before=max(place - 1, 0),
    )


def run_of(template, least=0, strangers=4):
    """Every second judged document, with a changed id from the place `least` on, and others."""
    run = {}
    for topic, judgments in QRELS.items():
        listed = list(judgments)[::2]
        ids = listed[:least]
        for place, id_ in enumerate(listed[least:]):
            ids.append(changed_id(template, id_, place))
        ids += [f"unknown {place} of {topic}" for place in range(strangers)]
        run[topic] = {id_: 100.0 - rank for rank, id_ in enumerate(ids)}
    return run


def texts_of(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return [remark.text for remark in call(*arguments).remarks]


@pytest.mark.parametrize("analysis", [evaluate, check])
@pytest.mark.parametrize("words", RULES)
def test_the_rule_that_makes_documents_match_is_said(words, analysis):
    first = "q0-Doc000"
    changed = changed_id(RULES[words], first)
    texts = texts_of(analysis, QRELS, {"x": run_of(RULES[words])}, ["nDCG@10"])
    assert texts == [
        "no document is judged; 50 % of the unjudged documents in the top 10 of 50 topics would "
        f"match {words}, as {changed!r} and {first!r} of the qrels"
    ]


def test_the_rule_by_which_most_documents_match_is_said():
    """Half of the documents are the passage 0, so they would also match without '#0'."""
    run = run_of("{id}#{place_before}")
    (text,) = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    assert "50 % of the unjudged documents" in text
    assert "would match with the text before '#' (--passages '#')" in text


@pytest.mark.parametrize("template", ["id:prod:prod::{id}", TXT, "/data/{id}.txt"])
def test_the_pattern_of_the_sentence_gives_the_values_of_the_ids_of_the_qrels(template):
    run = run_of(template)
    (text,) = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    pattern = shlex.split(text.partition("(--passages_pattern ")[2].partition("), as ")[0])[0]
    of_pattern = document_runs({"x": run}, pattern=pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = evaluate(QRELS, of_pattern, ["nDCG@10"])
        expected = evaluate(QRELS, {"x": run_of(SAME)}, ["nDCG@10"])
    assert found.to_frame().value.tolist() == expected.to_frame().value.tolist()
    first = template.format(id="q0-Doc000")
    said = f"480 ids by the pattern, as 'q0-Doc000' for {first!r}"
    assert [remark.text for remark in found.remarks if remark.kind == "passages"] == [said]


def test_a_long_ending_is_cut_off_in_the_sentence():
    run = run_of(SAME + "x" * 3000)
    (text,) = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    assert "would match without 'xxx" in text
    assert len(text) < 400


def test_an_ending_of_the_qrels_alone_is_said():
    qrels = {}
    for topic, levels in QRELS.items():
        qrels[topic] = {f"{id_}.txt": level for id_, level in levels.items()}
    (text,) = texts_of(evaluate, qrels, {"x": run_of(SAME)}, ["nDCG@10"])
    ids = "'q0-Doc000' and 'q0-Doc000.txt' of the qrels"
    assert f"would match with '.txt' at the end, as {ids}" in text


def written(form, run, folder):
    """A run in another form."""
    rows = [
        {"query_id": topic, "doc_id": id_, "score": score}
        for topic, scores in run.items()
        for id_, score in scores.items()
    ]
    frame = pandas.DataFrame(rows)
    if form == "DataFrame":
        return frame
    path = folder / f"x.{form}"
    if form == "run":
        lines = [f"{row['query_id']} Q0 {row['doc_id']} 0 {row['score']} x\n" for row in rows]
        path.write_text("".join(lines))
    elif form == "parquet":
        frame.to_parquet(path)
    elif form == "csv":
        frame.to_csv(path, index=False)
    else:
        path.write_text(json.dumps(run))
    return RunFile(path)


@pytest.mark.parametrize("form", ["DataFrame", "run", "parquet", "csv", "json"])
def test_every_form_of_a_run_has_the_same_remark(form, tmp_path):
    run = {}
    for topic, scores in run_of(TXT, least=1, strangers=2).items():
        run[topic] = {id_.replace(" ", ""): score for id_, score in scores.items()}
    expected = texts_of(evaluate, QRELS, {"x": run}, ["nDCG@10"])
    assert expected[-1].startswith(
        "60 % of the unjudged documents in the top 10 of 50 topics would match without '.txt'"
    )
    in_form = written(form, run, tmp_path)
    assert texts_of(evaluate, QRELS, {"x": in_form}, ["nDCG@10"]) == expected


def test_the_curves_say_it_as_well():
    with pytest.warns(InputWarning, match="would match without '.txt'"):
        curves(QRELS, {"x": run_of(TXT)}, "nCG", depth=3)


def test_a_single_relevant_document_for_a_topic_is_found_among_others():
    qrels = {topic: {list(judgments)[2]: 1} for topic, judgments in QRELS.items()}
    texts = texts_of(evaluate, qrels, {"x": run_of(TXT)}, ["RR@10"])
    assert texts[0].startswith("no document is judged; 12 % of the unjudged")
    assert "would match without '.txt' (--" in texts[0]
    assert ", as 'q0-Doc002.txt' and 'q0-Doc002'" in texts[0]


def test_few_matches_without_a_rule_name_both_sides():
    run = {topic: {f"{place} {topic}": -place for place in range(8)} for topic in QRELS}
    run["q0"] = {"q0-Doc000": 2.0, "other": 1.0}
    texts = texts_of(check, QRELS, {"x": run}, ["nDCG@10"])
    assert texts[-1].startswith(
        "few documents are judged; check that run and qrels use the same ids, such as 'other' of "
    )


@pytest.mark.parametrize("depth", [1, 10])
def test_runs_with_new_documents_have_no_remark_on_ids(depth):
    """Unjudged documents alone are no reason: half of the run's documents are judged."""
    run = {}
    for topic, scores in run_of(SAME, strangers=8).items():
        run[topic] = {id_: -score for id_, score in scores.items()}
    texts = texts_of(evaluate, QRELS, {"x": run}, [f"nDCG@{depth}"])
    assert not [text for text in texts if " ids" in text or "would match" in text]


def test_an_unjudged_document_that_is_no_id_stays_unjudged():
    not_ids = dict.fromkeys(range(900), 1.0)
    run = {topic: {f"{topic}-Doc000": 2.0, **not_ids} for topic in QRELS}
    texts = texts_of(evaluate, QRELS, {"x": run}, ["P@5"])
    assert texts == ["80 % of the top 5 are unjudged"]


def test_numbered_ids_of_one_kind_do_not_match_each_other():
    # Every id up to its hyphen with the ending of one judged document would be this document.
    qrels = {topic: {f"SKU-{number:03d}": 1 for number in range(8)} for topic in ("q1", "q2")}
    run = {topic: {f"SKU-{number:03d}": -number for number in range(7, 20)} for topic in qrels}
    texts = texts_of(evaluate, qrels, {"run": run}, ["AP@10"])
    assert not any("would match" in text for text in texts)


def judged_and_retrieved(topics, size, seed=1):
    """Qrels and a run that share most documents, whose ids have 6 digits; a tenth begin with 0."""
    chance = random.Random(seed)
    qrels = {}
    run = {}
    for topic in range(topics):
        ids = [f"{number:06d}" for number in chance.sample(range(1_000_000), size)]
        qrels[f"q{topic}"] = dict.fromkeys(ids[: size * 3 // 4], 1)
        run[f"q{topic}"] = {id_: chance.random() for id_ in ids[size // 4 :]}
    return qrels, run


def with_ids(change, by_topic):
    return {
        topic: {change(id_): value for id_, value in of_topic.items()}
        for topic, of_topic in by_topic.items()
    }


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("without leading zeros", "{number}"),
        ("without the blanks around them", " {id_} "),
        ("without '.0'", "{id_}.0"),
        ("without '.0' and without leading zeros", "{number}.0"),
        ("in the same case", "X{id_}"),
    ],
)
def test_few_documents_whose_ids_changed_are_told(words, form):
    """Ids that begin with 0 change; no other id has leading zeros."""
    qrels, run = judged_and_retrieved(10, 40)
    unchanged_form = "{id_}"
    if "case" in words:
        unchanged_form = "x{id_}"
        qrels = with_ids(lambda id_: f"x{id_}", qrels)

    def change(id_):
        form_of_id = form if id_.startswith("0") else unchanged_form
        return form_of_id.format(id_=id_, number=int(id_))

    changed = with_ids(change, run)
    affected = []
    for topic, judgments in qrels.items():
        for id_ in judgments.keys() - changed[topic].keys():
            if id_ in run[topic] or id_[1:] in run[topic]:
                affected.append(id_)
    assert 0 < len(affected) < 40
    unjudged = sum(len(changed[topic].keys() - qrels[topic].keys()) for topic in qrels)
    evaluation = evaluate(qrels, {"x": changed}, ["AP"])
    texts = [remark.text for remark in evaluation.remarks if remark.kind == "ids"]
    assert len(texts) == 1
    start = f"{len(affected)} of {unjudged} unjudged documents would match {words}, as "
    assert texts[0].startswith(start)
    unchanged = texts_of(evaluate, qrels, {"x": qrels}, ["AP"])
    assert not any("would match" in text for text in unchanged)


@pytest.mark.parametrize("ending", ["csv", "run", "parquet"])
def test_lost_zeros_are_told_of_a_sample_of_large_files(ending, tmp_path):
    qrels, run = judged_and_retrieved(60, 400)
    lost = with_ids(lambda id_: str(int(id_)), qrels)
    rows = [(topic, id_, 1) for topic, judgments in lost.items() for id_ in judgments]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    frame.to_csv(tmp_path / "qrels.csv", index=False)
    path = tmp_path / f"x.{ending}"
    rows = [(topic, id_, score) for topic, scores in run.items() for id_, score in scores.items()]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        lines = [f"{topic} Q0 {id_} 1 {score} x" for topic, id_, score in rows]
        path.write_text("\n".join(lines))
    qrels_path = str(tmp_path / "qrels.csv")
    texts = texts_of(evaluate, qrels_path, {"x": str(path)}, ["AP"])
    assert any(" would match without leading zeros, as '0" in text for text in texts), texts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 100, 1000])
def test_two_documents_whose_ids_are_alike_are_not_taken_for_one(size, seed):
    """The collection has both 12 and 0012."""
    chance = random.Random(seed)
    collection = [form.format(number) for number in range(size) for form in ("{}", "{:04d}")]
    qrels = {}
    run = {}
    for topic in range(20):
        ids = chance.sample(collection, min(size, 60))
        qrels[f"q{topic}"] = dict.fromkeys(ids[: len(ids) * 2 // 3], 1)
        run[f"q{topic}"] = {id_: chance.random() for id_ in ids[len(ids) // 3 :]}
    texts = texts_of(evaluate, qrels, {"x": run}, ["AP"])
    assert not any("would match" in text for text in texts), texts


def test_a_document_that_the_qrels_have_for_another_topic_is_its_own():
    topics = range(101, 121)
    qrels = {f"q{topic}": {str(topic): 1, f"0{topic + 1}": 1} for topic in topics}
    run = {f"q{topic}": {str(topic): 2.0, str(topic + 1): 1.0} for topic in topics}
    texts = texts_of(evaluate, qrels, {"x": run}, ["AP"])
    assert not any("would match" in text for text in texts), texts
    missed = {topic: {id_: 1 for id_ in ids if id_[0] == "0"} for topic, ids in qrels.items()}
    (text,) = texts_of(evaluate, missed, {"x": run}, ["AP"])
    assert "would match with '0' before it, as '102' and '0102' of the qrels" in text
    all_ids = {id_: 0 for ids in run.values() for id_ in ids}
    texts = texts_of(evaluate, {**missed, "other": all_ids}, {"x": run}, ["AP"])
    assert not any("would match" in text for text in texts), texts


@pytest.mark.parametrize(
    ("id_", "words"),
    [
        ("100000", "with numbers written out"),
        ("1.00E+05", "with numbers written out"),
        ("100000.0", "with numbers written out and without '.0'"),
        ("1e5", "in the same case"),
    ],
)
def test_an_id_that_a_spreadsheet_took_for_a_number_with_an_exponent_is_told(id_, words):
    qrels = {"q1": {"1E5": 2, "d3": 1, "2e": 0}}
    texts = texts_of(evaluate, qrels, {"x": {"q1": {id_: 2.0, "d3": 1.0, "e7": 0.5}}}, ["AP"])
    said = f"1 of 2 unjudged documents would match {words}, as {id_!r} and '1E5' of the qrels"
    assert said in texts
    both = {"q1": {**qrels["q1"], id_: 0}}
    texts = texts_of(evaluate, both, {"x": {"q1": {id_: 2.0, "e7": 1.0}}}, ["AP"])
    assert not any("would match" in text for text in texts), texts


@pytest.mark.parametrize("sizes", [(20_000, 1), (3_000, 7_500), (12_000,)])
def test_topics_of_any_size_can_follow_those_that_are_compared(sizes, tmp_path):
    rows = []
    judged = []
    for topic, size in enumerate(sizes):
        rows += [f"q{topic} Q0 {number:05d} 1 {-number} x" for number in range(size)]
        judged += [f"q{topic} 0 {number} 1" for number in range(10, 13)]
    rows.append("lost Q0 a 1 1 x")
    (tmp_path / "x.run").write_text("\n".join(rows))
    (tmp_path / "qrels.txt").write_text("\n".join(judged))
    texts = texts_of(evaluate, str(tmp_path / "qrels.txt"), {"x": str(tmp_path / "x.run")}, ["AP"])
    assert "would match without leading zeros" in texts[0]


def test_ids_of_qrels_are_kept_for_further_runs_in_files(tmp_path):
    runs = {}
    for name in ("A", "B"):
        folder = tmp_path / name
        folder.mkdir()
        runs[name] = written("run", run_of("{lower}", strangers=0), folder)
    work = RunEvaluator(QRELS, [parse_measure("nDCG@10")])
    for run in named_runs(runs):
        work(run)
    results = work.judgments.documents.computed.items()
    kept = [ids for key, ids in results if key[0] is near_ids._judged_ids]
    assert len(kept) == SAMPLED_TOPICS
    size = max(len(pickle.dumps(ids)) for ids in kept)
    assert size < 3_000  # those of all topics take more


def test_qrels_keep_few_parts_of_their_ids_for_further_runs():
    ids = [f"{number:040}" for number in range(100)]
    judgments = SomeIds(ids)
    of_run = OtherIds(judgments, ids[:1])
    for length in range(1, 40):
        assert of_run.parts(length, at_end=True) >= {id_[-length:] for id_ in ids[1:]}
    kept = sum(map(len, vars(judgments)["_parts"].values()))
    assert 0 < kept <= 5 * len(ids)

"""Explanations: the vectors of the papers, any ranking rank by rank, and errors."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, P, R, nDCG

import strategies
from all_measures import WITH_GAINS
from ir_measures_graded import CG, GradedError, demo, parse_measure
from ir_measures_graded.analysis import evaluate, explain, explain_difference
from ir_measures_graded.analysis.explanation import explanations
from ir_measures_graded.core.ranking.order import as_compared
from ir_measures_graded.output.formats import decimal
from ir_measures_graded.output.width import of_width
from papers import test_jarvelin_kekalainen as jk
from ranked import ranked

# --------------------------------------------------------------------------- values of the papers


def test_the_vectors_of_discounted_cumulated_gain():
    explanation = explain(jk.QRELS, jk.RUN, "DCG_JK(b=2)@10", "q")
    discounts = np.log(np.arange(3, 11)) / np.log(2)
    assert explanation.weights.tolist() == [1, 1, *(1 / discounts)]
    products = explanation.gains * explanation.weights
    np.testing.assert_allclose(explanation.contributions, products, rtol=1e-15)
    assert explanation.values == pytest.approx(jk.DCG_VECTOR, abs=jk.A_HUNDREDTH)


@pytest.mark.parametrize("measure", ["ERR_G@4", "nERR", "EBR(max_gain=19)", "iRBU(p=.5)@3"])
def test_the_steps_of_a_user_who_stops_multiply_to_the_contributions(measure):
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": 2, "e": 3}, "p": {"z": 4}}
    explanation = explain(qrels, {"q": ["a", "x", "b", "c", "d"]}, measure, "q", depth=4)
    stops = np.nan_to_num(explanation.stops)
    assert [row["stop"] or 0.0 for row in explanation.records()] == stops.tolist()
    last = explanation.measure.params.get("cutoff", 4)
    steps = explanation.reach * explanation.stops * np.nan_to_num(explanation.worth)
    divisor = 1
    if measure == "nERR":
        ideal = {"q": ["b", "e", "d", "a"]}
        divisor = evaluate(qrels, {"ideal": ideal}, ["ERR_G"]).of("ERR_G")[0, 0]
    contributions = explanation.contributions[:last]
    np.testing.assert_allclose(steps[:last] / divisor, contributions, rtol=1e-14)
    assert explanation.reach[:2].tolist() == [1, 1 - explanation.stops[0]]


def test_the_highest_gain_stands_in_the_sentence():
    qrels = {"q": {"a": 1}, "p": {"z": 4}}
    explanation = explain(qrels, {"q": ["a"]}, "ERR_G@4", "q")
    assert explanation.summary.endswith("; the highest gain is 15.")
    assert "stops = gain / (15 + 1)" in explanation.notes()[1]
    assert explain(qrels, {"q": ["a"]}, "RBP_G@4", "q").notes()[1] == "Adds = gain / 4 × weight."
    assert "stop" not in explain(qrels, {"q": ["a"]}, "Q", "q").data().columns


SEVERAL = ["nDCG@4", "nDCG_JK@3", "ERR_G@4", "P_measure@4"]


def test_several_measures_stand_side_by_side_as_each_alone():
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": 2, "e": 3}, "p": {"z": 4}}
    run = {"q": ["a", "x", "b", "c", "d"], "p": ["z"]}
    explanation = explain(qrels, {"A": run}, SEVERAL, "q", depth=5)
    (table,) = explanation.tables()
    records = table.records()
    assert [record["document"] for record in records] == run["q"]
    for measure, one in zip(SEVERAL, explanation.explanations, strict=True):
        alone = explain(qrels, {"A": run}, measure, "q", depth=5)
        assert one.value == alone.value
        long = [row for row in explanation.records() if row["measure"] == measure]
        for row, of_alone, record in zip(long, alone.records(), records, strict=True):
            assert {name: row[name] for name in of_alone} == of_alone
            for name in ("weight", "stop", "contribution"):
                if f"{measure} {name}" in record:
                    assert record[f"{measure} {name}"] == of_alone[name]
    assert {name for name in records[0] if "weight" in name} == {
        "nDCG@4 weight",
        "nDCG_JK@3 weight",
    }
    assert records[1]["nDCG@4 weight"] == 1 / np.log2(3)
    assert records[1]["nDCG_JK@3 weight"] == 1
    answer, of_list, *sentences = explanation.answer()
    assert of_list.startswith("First relevant document at rank 1; 3 of its 4 relevant ones")
    assert answer.startswith(
        f"Topic q: nDCG@4 of A = {decimal(explanation.explanations[0].value)}, nDCG_"
    )
    assert len(sentences) == len(SEVERAL)
    first = explanation.explanations[0]
    quotient = f"nDCG@4 = {decimal(first.sums[3])} / {decimal(first.ideal[3])} = "
    assert sentences[0].startswith(quotient)
    assert "the gain at rank i is divided by log2(i + 1)" in sentences[0]
    assert "gains from rank b on are divided by the logarithm of the rank" in sentences[1]
    assert "P_measure@4 is no sum over documents." in explanation.notes()


def test_several_measures_on_short_lines_have_a_table_each():
    qrels = {"q": {"a": 1, "b": 3, "c": 0}}
    explanation = explain(qrels, {"A": {"q": ["a", "x", "b"]}}, SEVERAL, "q", depth=3)
    alone = [explain(qrels, {"A": {"q": ["a", "x", "b"]}}, one, "q", depth=3) for one in SEVERAL]
    with of_width(80):
        lines = explanation.lines()
    assert max(map(len, lines)) <= 80
    for measure, one in zip(SEVERAL, alone, strict=True):
        start = lines.index(measure)
        headings = lines[start + 1].split()
        assert headings[:4] == ["rank", "document", "level", "gain"]
        assert len(lines[start + 2 : start + 5]) == 3
        assert lines[start + 5] == ""
        if one.contributions is not None:
            last = lines[start + 4].split()
            assert last[headings.index("adds")] == f"{one.contributions[2]:.4f}"
    with of_width(200):
        assert any(line.split().count("adds") == 3 for line in explanation.lines())


def test_two_runs_by_several_measures_are_explained_as_by_each_alone():
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": 2}, "p": {"z": 1}}
    runs = {"old": {"q": ["a", "x", "b"], "p": ["z"]}, "new": {"q": ["b", "d"], "p": ["z"]}}
    measures = ["nDCG@3", "AP", "P_measure@3"]
    result = explain(qrels, runs, measures)
    values, *tables = result.tables()
    records = result.records()
    for measure, row, table in zip(measures, values.rows, tables, strict=True):
        alone = explain(qrels, runs, measure, "q")
        assert row == [measure, alone.other.value, alone.run.value, alone.difference]
        assert table.title == measure
        assert table.rows == alone.tables()[0].rows
        of_measure = [record for record in records if record["measure"] == measure]
        assert of_measure == [{"measure": measure, **record} for record in alone.records()]
    (ndcg,) = evaluate(qrels, runs, ["nDCG@3"]).values[:, 0, :1].T
    assert values.rows[0][1:3] == ndcg.tolist()
    sentences = [str(note) for note in result.answer()]
    assert [sentence.split()[2] for sentence in sentences[:3]] == measures
    # Only by the first measure is the topic that of the largest difference.
    assert ["largest of 2 topics" in sentence for sentence in sentences[:3]] == [True, False, False]
    assert [sentence[:4] for sentence in sentences[3:]] == ["old:", "new:"]
    notes = [str(note) for note in result.notes()]
    assert "AP: relevant from level 1 (rel=1)." in notes
    assert "P_measure@3 is no sum over documents; the documents are in the order of their" in str(
        notes
    )
    assert len(result.figure().axes) >= 3


def test_several_measures_have_the_worst_topic_of_the_first_and_one_depth():
    qrels = {"q": {"a": 1, "b": 3}, "p": {"z": 4}}
    run = {"q": ["b", "a"], "p": ["x", "y", "z"]}
    explanation = explain(qrels, run, ["nDCG_JK@2", "CG"])
    assert explanation.summary.startswith(
        "Topic p: nDCG_JK@2 = .0000 and CG = 4.0000, by nDCG_JK@2 the"
    )
    assert [one.levels.size for one in explanation.explanations] == [3, 3]
    assert explanation.explanations[0].documents == ("x", "y", "z")
    with pytest.raises(GradedError, match="ranks other documents than CG in topic p; explain each"):
        explain(qrels, run, ["CG", "CG(judged_only=True)"], "p")


def test_the_figure_of_several_measures_has_their_weights_and_contributions():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    qrels = {"q": {"a": 1, "b": 3, "d": 2}}
    explanation = explain(qrels, {"q": ["a", "x", "b", "d"]}, ["nDCG@3", "nDCG_JK@3"], "q")
    weights, added, _ = explanation.figure().axes
    for line, one in zip(weights.get_lines(), explanation.explanations, strict=True):
        assert line.get_ydata().tolist() == one.weights.tolist()
    for bars, one in zip(added.containers, explanation.explanations, strict=True):
        assert [bar.get_height() for bar in bars] == one.contributions.tolist()
    names = [text.get_text() for text in added.get_legend().get_texts()]
    assert names == ["nDCG@3", "nDCG_JK@3"]


# ------------------------------------------------------------------------------------ any ranking


finite = [measure for measure in WITH_GAINS if measure.NAME not in ("ADM", "RelativeRelevance")]
options = st.fixed_dictionaries({"gains": strategies.GAINS, "judged_only": st.booleans()})
cutoffs = st.sampled_from([None, 1, 2, 3, 5, 12])


@given(strategies.collections(), st.sampled_from(finite), options, cutoffs)
def test_any_ranking_is_explained_rank_by_rank(collection, measure, parameters, cutoff):
    qrels, run = collection
    measure = measure(**parameters)
    if measure.CUTOFF:
        measure = measure(cutoff=cutoff)
    values = dict.fromkeys(qrels)
    values |= {topic: value for topic, _, value in ir_measures.iter_calc([measure], qrels, run)}
    for topic, judged in qrels.items():
        explanation = explain(qrels, run, measure, topic, 12)
        assert explanation.value == values[topic]
        scores = run.get(topic, {})
        kept = [doc for doc in scores if doc in judged or not parameters["judged_only"]]
        compared = as_compared(np.array([scores[doc] for doc in kept]))
        score = dict(zip(kept, compared.tolist()))
        in_order = sorted(sorted(kept, reverse=True), key=lambda doc: -score[doc])
        assert list(explanation.documents) == in_order[:12]
        for doc, level, gain in zip(
            explanation.documents, explanation.levels.tolist(), explanation.gains.tolist()
        ):
            if doc in judged:
                assert level == judged[doc]
                assert gain == parameters["gains"].get(level, max(level, 0))
            else:
                assert np.isnan(level)
                assert gain == 0
        assert np.isnan(explanation.gains[len(explanation.documents) :]).all()
        if explanation.contributions is not None:
            total = explanation.contributions.sum()
            assert total == pytest.approx(explanation.value, rel=1e-12, abs=1e-12)
        if measure.CUTOFF and cutoff:
            assert explanation.values[cutoff - 1] == explanation.value
            assert np.isnan(explanation.values[cutoff:]).all()


@given(
    strategies.collections(),
    strategies.collections(),
    st.sampled_from(["nDCG_JK@3", "ERR_G", "Q@4", "P_plus"]),
)
def test_the_differences_of_documents_sum_to_that_of_the_values(collection, another, measure):
    qrels, old = collection
    _, new = another
    runs = {"old": old, "new": new}
    old_values, new_values = evaluate(qrels, runs, [measure]).values[:, 0]
    explanation = explain_difference(qrels, runs, measure)
    assert abs(explanation.difference) == max(abs(new_values - old_values))
    topic = explanation.run.topic
    rows = explanation.records()
    if measure == "P_plus":
        assert all(row["difference"] is None for row in rows)
    else:
        differences = [row["difference"] for row in rows]
        assert sum(differences) == pytest.approx(explanation.difference, abs=1e-12)
        assert len(rows) == len(old.get(topic, {}).keys() | new.get(topic, {}).keys())
        sizes = [abs(difference) for difference in differences]
        assert sizes == sorted(sizes, reverse=True)
        adding = [row for row in rows if row["contribution"] or row["other_contribution"]]
        cutoff = explanation.run.measure.params.get("cutoff") or 10
        at_top = []
        for row in rows:
            last = cutoff if row["level"] is None else min(cutoff, 10)
            is_at_top = min(row["rank"] or np.inf, row["other_rank"] or np.inf) <= last
            if is_at_top and row not in adding:
                at_top.append(row)
        _, table_rows = explanation.table()
        assert len(table_rows) == len(adding) + len(at_top)
        cut = explain_difference(qrels, runs, measure, topic, 1)
        assert cut.records() == [row for row in rows if 1 in (row["rank"], row["other_rank"])]


@pytest.mark.parametrize(("measure", "depth"), [("nDCG@2", None), ("nDCG@2", 3), ("CG", 1)])
def test_two_runs_are_described_as_far_as_each_alone(measure, depth):
    qrels = {"q": {"a": 1, "b": 1, "d": 1}}
    runs = {"old": {"q": ["a", "x", "b", "d"]}, "new": {"q": ["x", "b", "a", "y"]}}
    _, *lists = explain_difference(qrels, runs, measure, "q", depth).answer()
    for sentence, (name, run) in zip(lists, runs.items(), strict=True):
        found = explain(qrels, run, measure, "q", depth).found
        assert sentence == f"{name}: {found[0].lower()}{found[1:]}."


@given(
    strategies.collections(),
    strategies.collections(),
    st.sampled_from(["P_plus", "P_measure", "P_plus@2", "KendallTau", "Q"]),
    st.sampled_from([None, 1, 3]),
)
def test_differences_show_every_rank_of_a_listed_document(collection, another, measure, depth):
    qrels, old = collection
    _, new = another
    explanation = explain_difference(qrels, {"old": old, "new": new}, measure, depth=depth)
    topic = explanation.run.topic
    old_documents = explain(qrels, old, measure, topic, depth=100).documents
    new_documents = explain(qrels, new, measure, topic, depth=100).documents
    assert explanation.other.documents == old_documents
    assert explanation.run.documents == new_documents
    old_ranks = {doc: rank for rank, doc in enumerate(old_documents, start=1)}
    new_ranks = {doc: rank for rank, doc in enumerate(new_documents, start=1)}
    rows = explanation.records()
    for row in rows:
        assert row["other_rank"] == old_ranks.get(row["document"])
        assert row["rank"] == new_ranks.get(row["document"])
    if depth is None and measure in ("P_plus", "P_measure"):  # one depth for both lists
        last = 1
        for doc, rank in [*old_ranks.items(), *new_ranks.items()]:
            if doc in qrels[topic]:
                last = max(last, rank)
        listed = set(old_documents[:last] + new_documents[:last])
        assert {row["document"] for row in rows} == listed


def test_ties_of_unjudged_documents_are_in_the_order_of_the_measure():
    run = {"q": {"z": 1.0, "m": 1.0, "a": 1.0, "k": 1.0 + 1e-9, "y": 2.0}}
    assert explain({"q": {"m": 1}}, run, "RR@5", "q").documents == ("y", "k", "a", "m", "z")


@pytest.mark.parametrize(
    "measure", [P @ 3, P(rel=2) @ 3, R @ 2, AP, AP(judged_only=True), nDCG, nDCG(gains={1: 5}) @ 3]
)
def test_standard_measures_have_values_at_all_ranks(measure):
    qrels = {"1": {"a": 3, "b": 1, "c": 0, "d": 2}, "2": {"a": 1}}  # gdeval needs numbers of topics
    run = {"1": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}}
    explanation = explain(qrels, run, measure, "1")
    assert explanation.value == evaluate(qrels, {"run": run}, [measure]).values[0, 0, 0]
    depth = measure.params.get("cutoff") or len(explanation.levels)
    at_ranks = [measure @ rank for rank in range(1, depth + 1)]
    values = evaluate(qrels, {"run": run}, at_ranks).values[0, :, 0]
    assert explanation.values.tolist() == values.tolist()
    assert explanation.contributions.sum() == pytest.approx(explanation.value, abs=1e-15)
    ideal = [1, 3, 2] if "gains" in measure.params else [3, 2, 1]
    least = measure.params.get("rel", 0)
    relevant = [level for level in ideal[: len(explanation.levels)] if level >= least]
    levels = explanation.ideal_levels[:3]
    assert levels[~np.isnan(levels)].tolist() == relevant


# --------------------------------------------------------------------- ties, cutoffs, other cases


def test_scores_are_those_that_are_compared_and_only_ties_look_equal():
    scores = 18.9544120, 18.9544121, 18.95440, 2.0
    explanation = explain({"q": {"a": 1}}, {"q": dict(zip("abcd", scores))}, "CG@4", "q")
    compared = [float(np.float32(score)) for score in scores]
    assert compared[0] == compared[1]
    assert explanation.scores.tolist() == sorted(compared, reverse=True)
    columns, rows = explanation.table()
    texts = [f"{row[columns.index('score')]:.4f}" for row in rows]
    assert texts == ["18.954412", "18.954412", "18.9544", "2.0"]
    records = explanation.records()
    assert [record["score"] for record in records] == [18.954412, 18.954412, 18.9544, 2.0]


def test_the_default_depth_is_the_cutoff_or_the_last_judged_document():
    qrels, run = ranked([1, None, 1, None, None])
    assert len(explain(qrels, run, "CG@4", "q").ranks) == 4
    assert len(explain(qrels, run, "CG", "q").ranks) == 3
    assert len(explain(qrels, {}, "CG", "q").ranks) == 1


def test_a_topic_that_the_run_lacks_is_an_empty_list():
    for measure in (CG @ 2, P @ 2, "RBP_G(residual=True)@2"):
        explanation = explain({"q": {"a": 1}}, {"r": {"a": 1.0}}, measure, "q")
        assert explanation.documents == ()
        assert explanation.ideal_levels[0] == 1
        assert [record["document"] for record in explanation.records()] == [None, None]


def test_the_worst_topic_with_a_relevant_document_comes_without_a_topic():
    qrels = {"none": {"a": 0}, "good": {"a": 1}, "bad": {"a": 2, "b": 1, "c": 1}}
    run = {"good": {"a": 1.0}, "bad": {"x": 4.0, "y": 3.0, "b": 2.0}}
    for measure in ("nDCG_JK@3", "AP@3", "ERR_G", "NR"):
        explanation = explain(qrels, run, measure)
        assert (explanation.topic, explanation.topics) == ("bad", 2)
        assert (
            "the worst of 2 topics with a relevant document. "
            "First relevant document at rank 3; 1 of its 3"
        ) in explanation.summary
        assert "1 of the 3 judged, not the first 2" in explanation.summary
    with pytest.raises(GradedError, match="no topic has a relevant document"):
        explain({"q": {"a": 0}}, run, "Q")


def test_explanations_of_many_topics_equal_single_ones():
    qrels = jk.QRELS | {"p": {"a": 2, "d1": 1}}
    runs = {"one": jk.RUN, "two": {"p": {"x": 2.0, "a": 1.0}}}
    for measure in map(parse_measure, ("nDCG_JK@4", "Q", "nDCG@4", "nDCG_Burges@20")):
        for name, of_topics in explanations(qrels, runs, measure, 6).items():
            for topic, explanation in zip(qrels, of_topics, strict=True):
                alone = explain(qrels, runs[name], measure, topic, 6, name=name)
                assert explanation.records() == alone.records()
                assert explanation.summary == alone.summary
                start = f"Topic {topic}: {measure} of {name} = {decimal(alone.value)}. "
                assert alone.summary.startswith(start)
    (of_p,) = explanations(qrels, runs, "CG", 6, ["p"])["two"]
    assert of_p.documents == ("x", "a")


# -------------------------------------------------------------------------------- condensed lists


def test_condensed_lists_have_the_documents_that_the_measure_sees():
    qrels = {"q": {"a": -1, "b": 1, "c": 0}}
    run = {"q": {"a": 4.0, "x": 3.0, "c": 2.0, "b": 1.0}}
    # Negative levels are unjudged for trec_eval.
    explanation = explain(qrels, run, AP(judged_only=True), "q")
    assert explanation.documents == ("c", "b")
    assert explanation.values.tolist() == [0, 0.5]
    assert explain(qrels, run, "CG(judged_only=True)", "q").documents == ("a", "c", "b")
    assert explain(qrels, run, "KendallTau", "q").documents == ("a", "c", "b")  # its default


def test_unjudged_documents_are_not_relevant_where_level_0_has_a_gain():
    run = {"t": {"x": 4.0, "y": 3.0, "a": 2.0}}
    explanation = explain({"t": {"a": 1, "b": 0}}, run, "nDCG_JK(gains=0:1,1:2)@3")
    assert ". First relevant document at rank 3; 1" in explanation.summary
    assert "worst of" not in explanation.summary  # of a single topic


@pytest.mark.parametrize(
    "measure", ["CG@3", "AP", "ERR_G@4", "P@2", "Fallout@3", "RBP_G", "NDPM@3"]
)
def test_the_ideal_column_is_the_value_of_the_judged_documents_in_the_best_order(measure):
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": 2}}
    explanation = explain(qrels, {"q": {"c": 3.0, "x": 2.0, "a": 1.0}}, measure, "q", 4)
    if "NDPM" in measure:
        assert explanation.ideal is None
        return
    best = {"q": {"b": 4.0, "d": 3.0, "a": 2.0, "c": 1.0}}
    expected = explain(qrels, best, measure, "q", 4)
    np.testing.assert_array_equal(explanation.ideal, expected.values)
    assert "ideal is that of the ideal list" in explanation.notes()[0]


@pytest.mark.parametrize(("measure", "has_note"), [("ERR@2", True), ("AP@2", False)])
def test_a_measure_is_headed_by_the_name_that_the_user_types(measure, has_note):
    """The graded measure that explains ERR is in a note."""
    qrels = {"q": {"a": 2, "b": 1}}
    runs = {"old": {"q": {"b": 2.0, "a": 1.0}}, "new": {"q": {"a": 2.0}}}
    for result in (explain(qrels, runs["old"], measure), explain(qrels, runs, measure)):
        assert f"Topic q: {measure}" in result.summary
        notes = " ".join(map(str, result.notes()))
        assert ("ERR@2 has the values of ERR_G(max_gain=15)@2." in notes) is has_note
        assert ("has the values of" in notes) is has_note


@pytest.mark.parametrize(
    ("measure", "column", "head"),
    [("nDCG_JK@10", "weights", "weight"), ("ERR_G@10", "worth", "worth"), ("P@10", None, None)],
)
def test_the_figure_has_the_weight_of_each_rank_unless_all_count_alike(measure, column, head):
    pytest.importorskip("matplotlib")
    run = demo.run_paths()["A"]
    explanation = explain(demo.qrels_path(), run, measure, "351")
    texts = [text.get_text() for text in explanation.figure().axes[0].texts]
    caption = explanation.figure().texts[-1].get_text()
    assert ("weight" in texts, "worth" in texts) == (head == "weight", head == "worth")
    assert ("Weight:" in caption, "Worth:" in caption) == (head == "weight", head == "worth")
    if column is not None:
        numbers = getattr(explanation, column)
        expected = [f"{number:.3f}" for number in numbers[~np.isnan(numbers)].tolist()]
        first = texts.index(head) + 1
        assert texts[first : first + len(expected)] == expected


@given(
    strategies.collections(),
    st.sampled_from(["nDCG_JK@3", "nDCG_Burges", "NDCNG@4", "nCG@2", "SR@3"]),
)
def test_terms_are_what_documents_add_to_the_sum_that_is_divided(collection, measure):
    qrels, run = collection
    explanation = explain(qrels, run, measure, min(qrels))
    terms = explanation.terms[: len(explanation.documents)]
    sums = explanation.sums[: len(explanation.documents)]
    counted = ~np.isnan(sums)
    assert np.nancumsum(terms)[counted] == pytest.approx(sums[counted])
    table = explanation.tables()[0]
    if "term" in table.cells()[0]:
        shown_terms = [row["term"] for row in table.records()][: terms.size]
        assert shown_terms == pytest.approx(terms.tolist(), nan_ok=True)
    products = (explanation.gains * explanation.weights)[: terms.size]
    is_product = "Term is gain × weight" in str(explanation)
    assert is_product == bool(np.allclose(products, terms, equal_nan=True))


def test_the_table_for_80_columns_has_terms_and_ranks_without_any_document_are_left_out():
    qrels = {"q": {"a": 2, "b": 1}}
    run = {"q": {f"d{number:04}": 1 / (number + 7) for number in range(5)} | {"a": 0.01}}
    explanation = explain(qrels, run, "nDCG@20")
    (table,) = explanation.tables()
    assert len(table.rows) == 6
    assert len(explain(qrels, {"q": ["b"]}, "nDCG@20").tables()[0].rows) == 2
    for columns, has_scores in ((80, False), (100, True)):
        with of_width(columns):
            lines = list(table.lines("text", 4))
        assert max(map(len, lines)) <= columns
        assert " term " in lines[0]
        assert (" score " in lines[0]) == has_scores


def test_unjudged_documents_at_the_top_are_rows_of_a_difference():
    """They take the ranks of judged documents, which is the reason of a loss."""
    qrels = {"q": {"a": 1, "b": 1}}
    new = ["x", "y", "a", "b", "z"]
    for measure, rows in (("nDCG@2", ["a", "b", "x", "y"]), ("nDCG", ["a", "b", "x", "y", "z"])):
        explanation = explain_difference(
            qrels, {"old": {"q": ["a", "b"]}, "new": {"q": new}}, measure
        )
        assert [row["document"] for row in explanation.tables()[0].records()] == rows
        note = "A document without a level is not judged and adds nothing at its rank."
        assert note in explanation.notes()


@pytest.mark.parametrize("measure", ["nDCG@10", "RR", "AP"])
def test_the_axis_of_what_documents_add_ends_at_a_label_that_no_bar_passes(measure):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    figure = explain(demo.qrels_path(), demo.run_paths()["E"], measure, "351").figure()
    (bars,) = [axes for parent in figure.axes for axes in parent.child_axes]
    longest = max(patch.get_width() for patch in bars.patches)
    assert longest <= bars.get_xlim()[1] == bars.get_xticks()[-1]

"""The paragraph about a measure: it tells every two measures apart, and it is true."""

import re

import pytest
from ir_measures import AP, ERR, RR, Bpref, Judged, P, nDCG

from ir_measures_graded import GradedError, parse_measure, ratio, sentence
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.measures.base import GradedMeasure, TopicMeasure
from ir_measures_graded.core.measures.gain_sums import GainSum
from ir_measures_graded.core.measures.parameters import Choice, Flag
from ir_measures_graded.core.registry import plugins
from ir_measures_graded.core.registry.facts import defined
from ir_measures_graded.core.registry.listing import facts_of, references_of

OURS = [measure for plugin in plugins.plugins() for measure in plugin.measures]
STANDARD = [AP, RR, P, nDCG, AP @ 10, RR @ 10, P @ 10, nDCG @ 10, nDCG(dcg="exp-log2") @ 10]
every_measure = pytest.mark.parametrize("measure", OURS + STANDARD, ids=str)


def body(measure):
    """The paragraph without the string of the measure."""
    return sentence(measure).partition(": ")[2]


def variants(measure):
    """The measure with each of its parameters changed."""
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        values = [3]
        if name == "gains":
            values = [{1: 1, 2: 10}, {1: 1, 2: 100}]
            if type(measure) in map(type, OURS):
                values += ["exp", "linear"]
        elif isinstance(parameter, Flag):
            values = [True, False]
        elif isinstance(parameter, Choice):
            values = parameter.choices
        elif name in ("p", "gamma"):
            values = [0.37]
        elif name == "max_gain":
            values = [77]
        for value in values:
            try:
                yield measure(**{name: value})
            except GradedError:  # not with the other parameters
                continue


@every_measure
def test_other_parameters_have_another_paragraph(measure):
    graded = defined(measure, "sentence")
    if graded.CUTOFF and graded["cutoff"] is None:
        graded = graded @ 10
    of_text = {body(graded): graded}
    count = 0
    for other in variants(graded):
        count += other != graded
        text = body(other)
        assert of_text.setdefault(text, other) == other, text
    assert len(of_text) > count >= 1


@every_measure
def test_a_paragraph_has_every_part_once(measure):
    text = sentence(measure)
    for start in ("The value is ", "Unjudged documents ", " is over all "):
        assert text.count(start) == 1
    assert text.endswith(".")
    assert not re.search(r"\.\.|None|nan|\{\}| ,|  ", text)
    source = text.partition("Source: ")[2]
    assert source
    if measure in OURS:
        assert references_of(source)
        graded = measure
        if isinstance(graded, GainSum) and graded.LINEAR:
            weights = graded.rank_weights(10)
            is_flat = (weights == weights[0]).all()
            assert ("All ranks count alike." in text) == is_flat
            assert is_flat or f"{weights[4]:.3g}".lstrip("0") in text


@pytest.mark.parametrize(
    "measure", [P @ 1, RR, RR @ 1, AP, AP @ 1, nDCG @ 1, "nDCG_JK@1", "CG@1"], ids=str
)
def test_tied_documents_are_in_the_order_that_the_paragraph_tells(measure):
    tied = {"run": {"q": {"a": 1.0, "b": 1.0}}}
    of_first = evaluate({"q": {"a": 1, "b": 0}}, tied, [measure]).means()[0, 0]
    of_last = evaluate({"q": {"a": 0, "b": 1}}, tied, [measure]).means()[0, 0]
    assert ("in ascending order of the document ids" in sentence(measure)) == (of_first > of_last)


def test_the_ndcg_of_each_tool_is_told_apart():
    names = ("nDCG@10", "nDCG_JK@10", "nDCG_Burges@10", "nDCG(dcg='exp-log2')@10")
    assert len({body(name) for name in names}) == 4
    text = sentence("nDCG_JK(b=2,gains=2:10,3:100)@10")
    for fact in (
        "Level 2 gains 10 and level 3 gains 100; any other level gains its value, at least 0.",
        "The weights of the ranks 1 to 5 are 1, 1, .631, .5 and .431, that of rank 10 is .301.",
        "The ideal list has all judged documents of the topic, the highest gain first, and ends at",
        "DCG[k] = Σ_{i≤k} G[i] / d(i), d(i) = 1 for i < b, log_b(i) for i ≥ b",
        "b = 2: base of the logarithm",
        "Only the first 10 ranks count.",
    ):
        assert fact in text
    assert "the documents of the whole list of the run" in sentence("SR(ideal=retrieved)@5")
    assert "all judged documents" not in sentence("SR(ideal=retrieved)@5")


def test_the_measure_of_a_plugin_has_a_paragraph():
    class Hits(GradedMeasure):
        """Hits: The relevant documents in the list.

        :formula: C[k]
        """

        def values(self, topics):
            return ratio(topics.run.relevant.total, 1.0)

    assert sentence(Hits() @ 3).startswith(
        "Hits@3: Hits. The relevant documents in the list. The value is C[k]. Here k = 3; C[i] is"
    )


@pytest.mark.parametrize("base", [GradedMeasure, TopicMeasure, GainSum])
def test_a_measure_is_described_by_its_own_docstring(base):
    class Untitled(base):
        """The mean gain of the first two documents."""

    facts = facts_of(Untitled())
    assert facts["title"] == "Untitled"
    assert facts["description"] == "The mean gain of the first two documents."


def test_a_measure_without_definition_is_refused():
    assert sentence(ERR @ 5).startswith("ERR@5 has the values of ERR_G(max_gain=15)@5. ERR_G(")
    with pytest.raises(GradedError, match="Bpref has no sentence"):
        sentence(Bpref)
    assert "A document counts if it is judged" in sentence(Judged @ 3)


def test_a_paragraph_tells_what_divides_the_value_at_a_cutoff():
    # R = 4 documents with a positive global gain: Σ_{i≤2} of b (global gain 4/3), x (none) is 1.
    qrels = [("q", "a", 2, "1"), ("q", "b", 1, "1"), ("q", "b", 3, "2"), ("q", "c", 1, "2")]
    qrels += [("q", "d", 1, "3")]
    assert parse_measure("D_Q@2").calc_aggregate(qrels, {"q": {"b": 9.0, "x": 8.0}}) == 0.5
    for name in ("D_Q@2", "Q@2", "WAP@2", "AGR@2"):
        assert "with @k the sum ends at k and divides by min(R, k)" in sentence(name)
    assert "or by k if that is less" in sentence("Dsharp_Q@2")
    assert "divided by the number of all these documents, also with @k" in sentence("muAP@2")


def test_a_paragraph_about_two_orders_tells_where_other_documents_are():
    for name in ("NDPM", "KendallTau(tied_by=rank)", "ESL", "ASL", "NR"):
        assert "not retrieved are tied with each other, below all others" in sentence(name)
    assert "not retrieved or are behind the cutoff are tied" in sentence("Spearman@10")

"""Arrays of labels and scores have the values of `evaluate` for the same data with ids."""

from itertools import pairwise

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from all_measures import MEASURES
from ir_measures_graded import ArrayEvaluator, array_mean, array_values, parse_measure
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.core.ranking.top import TopRows
from ir_measures_graded.core.uncertainty import with_option
from ir_measures_graded.core.uncertainty.first_ranks import Groups
from ir_measures_graded.errors import InputWarning
from rounds import examples

NAN = float("nan")
OPTIONS = "nDCG_JK(gains=2:10)@3 CG(judged_only=True)@2 nDCG_JK(unjudged='max')@3 NDPM(tied_by='rank') Q(beta=20)@5"
STANDARD = "nDCG@3 nDCG P@2 AP AP(rel=2)@3 RR Rprec Bpref SetP NumRet NumRel"
ASCENDING = [*map(parse_measure, "RR@3 RR(rel=2)@2 Judged@3 Judged".split())]
"""Measures for which ir-measures orders tied documents by ascending id."""
GRADED = [*MEASURES, *(measure @ 3 for measure in MEASURES if measure.CUTOFF)]
GRADED += map(parse_measure, OPTIONS.split())
UNIT = {"ADM", "RelativeRelevance"}  # their scores are between 0 and 1


def groups_of(levels, scores):
    document = st.tuples(st.sampled_from([*levels, NAN]), st.sampled_from(scores))
    return st.lists(st.lists(document, max_size=9), min_size=1, max_size=4).filter(
        # As many sizes as documents would be ids.
        lambda groups: (
            sum(map(len, groups)) > len(groups) and any(with_ids(groups, DESCENDING_IDS)[0])
        )
    )


def flat(groups):
    """Labels, scores and group sizes."""
    labels, scores = zip(*[document for group in groups for document in group])
    return labels, scores, [*map(len, groups)]


def with_ids(groups, ids):
    """Qrels, which have the groups with a judged document, and a run."""
    named = {str(number): [*zip(ids, group)] for number, group in enumerate(groups)}
    judged = {
        name: {id_: level for id_, (level, _) in group if level == level}
        for name, group in named.items()
    }
    run = {name: {id_: score for id_, (_, score) in group} for name, group in named.items()}
    return {name: levels for name, levels in judged.items() if levels}, run


DESCENDING_IDS = [str(99 - number) for number in range(90)]
"""The order given is that of trec_eval."""


def assert_equal_to_ids(groups, measures, ids=DESCENDING_IDS, ties="given"):
    qrels, run = with_ids(groups, ids)
    optional = [ties != "given" and with_option(each, "ties", ties) for each in measures]
    expected = evaluate(
        qrels, {"run": run}, [option or each for option, each in zip(optional, measures)]
    )
    labels, scores, sizes = flat(groups)
    evaluator = ArrayEvaluator(measures, labels, sizes, ties)
    of_groups = dict(zip(expected.topics, expected.values[0].T.tolist()))
    found = evaluator.values(scores).T
    assert np.isnan(found).all(axis=1).tolist() == [
        name not in of_groups for name in map(str, range(len(sizes)))
    ]
    assert found[[*map(int, of_groups)]].tolist() == [*of_groups.values()]
    assert evaluator.means(scores).tolist() == expected.means()[0].tolist()
    assert {metric.query_id for metric in evaluator.iter_calc(scores)} == {*of_groups}


@examples(6)
@given(groups_of(strategies.REAL, [*strategies.UNIT_SCORES, -0.0]))
def test_graded_measures_equal_those_of_ids(groups):
    assert_equal_to_ids(groups, GRADED)


def test_groups_of_many_documents_are_those_of_one_call_each():
    """Arrays are reduced in blocks of some sixty thousand documents."""
    random = np.random.default_rng(1)
    labels, scores = random.integers(0, 4, 100_000), random.integers(0, 900, 100_000)
    parts, measures = (
        np.split(np.arange(100_000), [30_000, 70_000, 70_001]),
        ["nDCG_JK", "Q@50", "AP", "ESL"],
    )
    each = [
        array_values(measures, labels[part], scores[part], [*"x" * part.size]) for part in parts
    ]
    found = array_values(measures, labels, scores, [part.size for part in parts])
    assert found.tolist() == np.concatenate(each, axis=1).tolist()


@examples(6)
@given(groups_of([0, 1, 2.5, 4], strategies.UNIT_SCORES), st.sampled_from(["mean", "min", "max"]))
def test_ties_equal_those_of_ids(groups, ties):
    assert_equal_to_ids(groups, MEASURES, ties=ties)


@pytest.mark.parametrize(("sizes", "ties"), [([30] * 6, "mean"), ([40, 1, 7, 33], "max")])
@pytest.mark.parametrize("levels", [[0, 0, 1, 2.5], [0, 1, 2, NAN]])
def test_first_ranks_of_long_groups_equal_those_of_ids(sizes, ties, levels):
    """Only documents that can have one of the first ranks are sorted; without NaN in one pass."""
    random = np.random.default_rng(5)
    groups = [
        [*zip(random.choice(levels, size), random.integers(0, 12, size) / 12)] for size in sizes
    ]
    groups[0][0] = (1, 0.5)
    at_three = [measure @ 3 for measure in MEASURES if measure.CUTOFF]
    assert_equal_to_ids(groups, at_three, ties=ties)
    for measure in at_three[:6]:
        assert_equal_to_ids(groups, [measure], ties=ties)


@pytest.mark.parametrize("sizes", [[7] * 9, [70] * 3, [5, 0, 1, 30]])
@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("has_keys", [True, False])
def test_groups_are_ordered_down_to_a_depth(sizes, depth, has_keys):
    offsets = np.cumsum([0, *sizes])
    score = np.random.default_rng(3).integers(-4, 4, offsets[-1]).astype(np.float32)
    groups = Groups(offsets, TopRows(offsets, depth) if depth else None)
    if not has_keys:
        groups.keys = None
    row, topic, opens = groups.in_order(score)
    expected = []
    for number, (first, stop) in enumerate(pairwise(offsets.tolist())):
        in_order = sorted(range(first, stop), key=lambda place: -score[place])
        least = score[in_order[depth - 1]] if depth and depth < stop - first else -np.inf
        before = None
        for place in in_order:
            if score[place] >= least:
                expected.append((place, number, score[place] != before))
                before = score[place]
    assert list(zip(row.tolist(), topic.tolist(), opens.tolist())) == expected


@given(groups_of(strategies.WHOLE, strategies.TIED_SCORES))
def test_standard_measures_equal_those_of_ids(groups):
    assert_equal_to_ids(groups, [*map(parse_measure, STANDARD.split())])
    assert_equal_to_ids(groups, ASCENDING, ids=DESCENDING_IDS[::-1])


@examples(6)
@given(groups_of(strategies.REAL, strategies.ANY_SCORES), st.randoms(use_true_random=False))
def test_every_form_has_the_same_values(groups, random):
    measures = [measure for measure in GRADED if measure.NAME not in UNIT]
    labels, scores, sizes = flat(groups)
    expected = array_values(measures, labels, scores, sizes)
    code = np.repeat(np.arange(len(sizes)), sizes)
    mixed = np.array(random.sample(code.tolist(), code.size))
    row = np.empty_like(mixed)
    row[np.argsort(mixed, kind="stable")] = np.arange(
        mixed.size
    )  # the documents of a group keep their order
    ids = [f"q{number}" for number in mixed]
    by_id = array_values(measures, np.array(labels)[row], np.array(scores)[row], ids)
    np.testing.assert_array_equal(by_id, expected[:, [*dict.fromkeys(mixed.tolist())]])
    padded = np.full((2, len(sizes), max(sizes) + 1), NAN)
    for number, group in enumerate(groups):
        padded[:, number, : len(group)] = np.array(group).reshape(-1, 2).T
    np.testing.assert_array_equal(array_values(measures, *padded), expected)


@pytest.mark.parametrize("ties", ["mean", "given"])
def test_padding_changes_no_mean_and_is_counted(ties):
    labels, scores = [[3, 0, 1], [0, 1, NAN]], [[0.2, 0.7, 0.1], [0.5, 0.4, NAN]]
    padding = [[NAN, NAN, NAN], [NAN, 0.5, NAN]]  # the second one has a scored, unjudged document
    measures = ["nDCG_JK@10", "ASL", "ERR_G", "P@1", "NumRet"]
    with pytest.warns(
        InputWarning, match="labels: 2 of 4 groups lack a judged document; they have no value"
    ):
        padded = ArrayEvaluator(measures, [*labels, [NAN] * 3, [NAN] * 3], ties=ties)
    plain = ArrayEvaluator(measures, labels, ties=ties)
    for factor in (1, -1):  # many scores for one reduction of the labels
        given = factor * np.array(scores)
        assert padded.means([*given, *padding]).tolist() == plain.means(given).tolist()
        assert np.isnan(padded.values([*given, *padding])[:, 2:]).all()


def test_padding_in_32_bits_meets_labels_in_32_bits():
    labels = np.float32([[1, 0, -0.1], [2, -0.1, -0.1]])
    scores = np.ones_like(labels)
    for padding in (-0.1, np.float32(-0.1), float(np.float32(-0.1))):
        assert array_mean("Judged", labels, scores, padding=padding) == 1
        assert array_mean("NumRet", labels, scores, padding=padding) == 3


def test_any_array_is_read():
    class Exported:
        def __array__(self, dtype=None, copy=None):
            return np.array([2, 0, 1], dtype=np.uint8)

    masked = np.ma.masked_array([2, 0, 5], mask=[False, False, True])
    for labels in (
        [2, 0, 1],
        Exported(),
        np.array([2, 0, 1], np.float16),
        np.array([True, False, True]),
    ):
        assert array_values("CG@2", labels, np.float32([0.1, 0.5, 0.7]), [3]).tolist() == [1.0]
    assert array_values(["CG", "Judged"], masked, [3, 2, 1], [3]).tolist() == [[2.0], [2 / 3]]
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    for dtype in (torch.float64, torch.bfloat16):
        tensor = torch.tensor([0.1, 0.5, 0.7], dtype=dtype, requires_grad=True)
        assert array_mean("CG@2", torch.tensor([2, 0, 1]), tensor, torch.tensor([3])) == 1.0


def test_one_measure_has_one_value_per_group_and_names_do_not_hide_options():
    labels, scores = [1, 0, 1, 0], [1.0, 1.0, 2.0, 3.0]
    assert array_values("P@1", labels, scores, [2, 2]).tolist() == [0.5, 0.0]
    assert array_values("P@1", labels, scores, [2, 2], "given").tolist() == [1.0, 0.0]
    assert array_values("RBP(rel=1)@1", labels, scores, [2, 2], "max").round(9).tolist() == [
        0.2,
        0.0,
    ]
    assert array_values("CG@1", labels, scores, [2, 2]).tolist() == [0.5, 0.0]
    assert array_values("CG(ties='max')@1", labels, scores, [2, 2]).tolist() == [1.0, 0.0]
    assert (
        array_values(["CG@1", "CG(ties='mean')@1"], labels, scores, [2, 2]).tolist()
        == [[0.5, 0.0]] * 2
    )
    assert array_mean(["NumRet", "CG@1"], labels, scores, [*"aaab"]).tolist() == [4.0, 0.5]


def test_the_evaluator_is_one_of_ir_measures():
    evaluator = ArrayEvaluator("CG@1", [3, 0, 1], ["x", "x", "y"])
    assert [*evaluator.iter_calc([1, 2, 3])] == [
        ir_measures.Metric("x", evaluator.in_order[0], 0.0),
        ir_measures.Metric("y", evaluator.in_order[0], 1.0),
    ]


def test_each_measure_given_has_a_row_also_if_it_equals_another():
    labels, scores, twice = [3, 0, 1], [0.1, 0.9, 0.5], ["nDCG_JK@10", "nDCG_JK(b=2)@10", "CG"]
    one = array_values("nDCG_JK@10", labels, scores, [3])[0]
    assert array_values(twice, labels, scores, [3]).tolist() == [[one], [one], [4.0]]
    assert array_mean(np.array(twice), labels, scores, [3]).tolist() == [one, one, 4.0]
    assert array_mean(["CG", "CG"], labels, scores, [3]).tolist() == [4.0, 4.0]
    assert array_values(["CG", "CG"], labels, scores, [3]).tolist() == [[4.0]] * 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_level_of_few_bits_means_its_shortest_decimal_text(dtype, recwarn):
    labels = np.array([[0.1, 2.7, 0], [1e-3, 1, 3]], dtype)
    measure = "CG(gains=0.1:5,2.7:7,0.001:11,1:1,3:3)"
    assert array_values(measure, labels, -labels).tolist() == [12.0, 15.0]
    assert not recwarn


def test_levels_of_gains_that_no_document_has_are_told():
    with pytest.warns(InputWarning, match=r"gains=.*: the labels have no document of level 0\.25$"):
        array_mean("CG(gains=0.25:5,1:2)", [1, 0], [1, 2], [2])
    with pytest.warns(InputWarning, match="the qrels have no document of level 7$"):
        parse_measure("CG(gains=7:5)").calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}})


AMBIGUOUS = [[2, 0], [3, 0, 0], [1, 1], [0, 1, 2], [0, 4, 0, 0]]


@pytest.mark.parametrize("groups", AMBIGUOUS)
def test_groups_that_may_be_sizes_or_ids_are_refused_and_can_be_named(groups):
    labels, scores = np.arange(len(groups)) + 1, np.arange(len(groups))
    with pytest.raises(ValueError, match="may be sizes or ids; pass them as sizes=… or as ids=…"):
        array_values("CG", labels, scores, groups)
    # The empty groups of sizes have no value.
    bounds = np.cumsum([0, *groups])
    of_sizes = [labels[a:b].sum() if b > a else NAN for a, b in pairwise(bounds)]
    np.testing.assert_array_equal(array_values("CG", labels, scores, sizes=groups), of_sizes)
    of_ids = [labels[np.array(groups) == id_].sum() for id_ in dict.fromkeys(groups)]
    assert array_values("CG", labels, scores, ids=groups).tolist() == of_ids


@pytest.mark.parametrize("padding", [-1, -100.0, NAN])
def test_padding_of_any_label_is_no_document_whatever_its_score(padding):
    labels, scores = [[3, 0, 1], [0, 1, padding]], [[0.2, 0.7, 0.1], [0.5, 0.4, 0.9]]
    measures = ["nDCG_JK", "P@1", "Judged@3", "NumRet"]
    plain = array_values(measures, [3, 0, 1, 0, 1], [0.2, 0.7, 0.1, 0.5, 0.4], [3, 2])
    assert array_values(measures, labels, scores, padding=padding).tolist() == plain.tolist()
    assert (
        array_mean(measures, labels, scores, padding=padding).tolist()
        == array_mean(measures, [3, 0, 1, 0, 1], [0.2, 0.7, 0.1, 0.5, 0.4], [3, 2]).tolist()
    )


def test_minus_1_where_padding_would_be_is_told(recwarn):
    scores = [[3, 2, 1], [3, 2, 1]]
    with pytest.warns(InputWarning, match="1 of 2 rows end with -1, which stands nowhere else"):
        array_mean("CG", [[1, 2, 3], [1, -1, -1]], scores)
    recwarn.clear()
    array_mean("CG", [[1, -1, 3], [1, -1, -1]], scores)  # a level, as it stands before others
    array_mean("CG", [[1, 2, 3], [1, -1, -1]], scores, padding=-1)
    array_mean("CG", [1, 2, -1], [3, 2, 1], [3])
    assert not recwarn


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"sizes": [2], "ids": [1, 1]}, "sizes and ids are given; give one of them"),
        ({"sizes": [1.0, 1.0]}, r"sizes \[1\.0, 1\.0\] do not fit 2 labels"),
        ({"sizes": [3, -1]}, r"sizes \[3, -1\] do not fit 2 labels"),
        ({"sizes": "ab"}, "sizes 'ab' do not fit"),
        ({"ids": ["a"]}, r"ids have the shape \(1,\); give a group id for each of 2"),
        ({"ids": ["a", None]}, "ids: document 1 has no group id"),
        ({"sizes": [2], "padding": -1}, "padding is for two-dimensional labels"),
        ({"sizes": [2], "ties": True}, "ties=True is not allowed; ties is 'mean'"),
        ({"sizes": [2], "ties": ["mean"]}, r"ties=\['mean'\] is not allowed"),
        ({"sizes": [2], "measure": None}, "measures=None is not allowed"),
        ({"sizes": [2], "measure": iter([])}, "measures: the iterator has no item"),
        ({"sizes": [2], "measure": ["CG", 7]}, "a measure is a string .* not a int"),
    ],
)
def test_arguments_of_a_wrong_kind_are_named(named, told):
    with pytest.raises(ValueError, match=told):
        array_values(**({"measure": "CG", "labels": [1, 0], "scores": [1, 2]} | named))

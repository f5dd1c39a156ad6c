"""Arrays of labels and scores have the values of `evaluate` for the same data with ids."""

import math
import re
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
from ir_measures_graded.core.registry.facts import reads_scores
from ir_measures_graded.core.uncertainty import first_ranks, with_option
from ir_measures_graded.errors import GradedError, InputWarning
from ir_measures_graded.integrations.boosting import lightgbm_metric
from rounds import examples


def parsed(names):
    """Measures from their names, with blanks between."""
    return [parse_measure(name) for name in names.split()]


NAN = float("nan")
AT_THREE = [measure @ 3 for measure in MEASURES if measure.CUTOFF]
WITH_OPTIONS = parsed(
    "nDCG_JK(gains=2:10)@3 CG(judged_only=True)@2 nDCG_JK(unjudged='max')@3 "
    "NDPM(tied_by='rank') Q(beta=20)@5"
)
GRADED = [*MEASURES, *AT_THREE, *WITH_OPTIONS]
STANDARD = parsed("nDCG@3 nDCG P@2 AP AP(rel=2)@3 RR Rprec Bpref SetP NumRet NumRel")
ASCENDING = parsed("RR@3 RR(rel=2)@2 Judged@3 Judged")
"""Measures for which ir-measures orders tied documents by ascending id."""
UNIT = {"ADM", "RelativeRelevance"}  # their scores are between 0 and 1


def can_be_evaluated(groups):
    """Whether the groups have a judged document, and sizes that cannot be ids of the documents."""
    if sum(map(len, groups)) <= len(groups):
        return False
    qrels, _ = with_ids(groups, DESCENDING_IDS)
    return any(qrels)


def groups_of(levels, scores):
    document = st.tuples(st.sampled_from([*levels, NAN]), st.sampled_from(scores))
    groups = st.lists(st.lists(document, max_size=9), min_size=1, max_size=4)
    return groups.filter(can_be_evaluated)


def flat(groups):
    """Labels, scores and group sizes."""
    labels, scores = zip(*[document for group in groups for document in group])
    return labels, scores, [len(group) for group in groups]


def with_ids(groups, ids):
    """Qrels, which have the groups with a judged document, and a run."""
    qrels = {}
    run = {}
    for number, group in enumerate(groups):
        levels = {id_: level for id_, (level, _) in zip(ids, group) if not math.isnan(level)}
        if levels:
            qrels[str(number)] = levels
        run[str(number)] = {id_: score for id_, (_, score) in zip(ids, group)}
    return qrels, run


DESCENDING_IDS = [str(99 - number) for number in range(90)]
"""The order given is that of trec_eval."""


def assert_equal_to_ids(groups, measures, ids=DESCENDING_IDS, ties="given"):
    qrels, run = with_ids(groups, ids)
    of_ids = list(measures)
    if ties != "given":
        of_ids = [with_option(measure, "ties", ties) or measure for measure in measures]
    expected = evaluate(qrels, {"run": run}, of_ids)
    values_of = dict(zip(expected.topics, expected.values[0].T.tolist()))

    labels, scores, sizes = flat(groups)
    evaluator = ArrayEvaluator(measures, labels, sizes, ties)
    for name, values in zip(map(str, range(len(sizes))), evaluator.values(scores).T.tolist()):
        if name in values_of:
            assert values == values_of[name]
        else:
            assert np.isnan(values).all()
    assert evaluator.means(scores).tolist() == expected.means()[0].tolist()
    assert {metric.query_id for metric in evaluator.iter_calc(scores)} == set(values_of)


@examples(6)
@given(groups_of(strategies.REAL, [*strategies.UNIT_SCORES, -0.0]))
def test_graded_measures_equal_those_of_ids(groups):
    assert_equal_to_ids(groups, GRADED)


def test_groups_of_many_documents_are_those_of_one_call_each():
    """Arrays are reduced in blocks of some sixty thousand documents."""
    random = np.random.default_rng(1)
    labels = random.integers(0, 4, 100_000)
    scores = random.integers(0, 900, 100_000)
    measures = ["nDCG_JK", "Q@50", "AP", "ESL"]
    groups = np.split(np.arange(100_000), [30_000, 70_000, 70_001])
    of_one_call = array_values(measures, labels, scores, [group.size for group in groups])
    of_groups = []
    for group in groups:
        ids = ["x"] * group.size
        of_groups.append(array_values(measures, labels[group], scores[group], ids))
    assert of_one_call.tolist() == np.concatenate(of_groups, axis=1).tolist()


@examples(6)
@given(groups_of([0, 1, 2.5, 4], strategies.UNIT_SCORES), st.sampled_from(["mean", "min", "max"]))
def test_ties_equal_those_of_ids(groups, ties):
    assert_equal_to_ids(groups, of_ties(MEASURES, ties), ties=ties)


def of_ties(measures, ties):
    """The measures that take these `ties`."""
    return [
        measure
        for measure in measures
        if ties == "mean" or with_option(measure, "ties", ties) or reads_scores(measure)
    ]


@pytest.mark.parametrize(("sizes", "ties"), [([30] * 6, "mean"), ([40, 1, 7, 33], "max")])
@pytest.mark.parametrize("levels", [[0, 0, 1, 2.5], [0, 1, 2, NAN]])
def test_first_ranks_of_long_groups_equal_those_of_ids(sizes, ties, levels):
    """Only documents that can have one of the first ranks are sorted; without NaN in one pass."""
    random = np.random.default_rng(5)
    groups = []
    for size in sizes:
        labels = random.choice(levels, size)
        scores = random.integers(0, 12, size) / 12
        groups.append(list(zip(labels, scores)))
    groups[0][0] = (1, 0.5)
    assert_equal_to_ids(groups, of_ties(AT_THREE, ties), ties=ties)
    for measure in AT_THREE[:6]:
        assert_equal_to_ids(groups, [measure], ties=ties)


@pytest.mark.parametrize(
    "sizes", [[7] * 9, [70] * 3, [5, 0, 1, 30], [40, 0, 90, 30, 60, 2], [70, 80, 5]]
)
@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("levels", [8, 10_000])
@pytest.mark.parametrize("has_keys", [True, False])
def test_groups_are_ordered_down_to_a_depth(sizes, depth, levels, has_keys):
    """With few levels, ties reach beyond the depth."""
    offsets = np.cumsum([0, *sizes])
    random = np.random.default_rng(3)
    with_ties = levels < offsets[-1]
    score = random.choice(levels, offsets[-1], replace=with_ties) - levels / 2
    groups = first_ranks.groups_of(offsets, depth)
    if not has_keys:
        groups.keys = None
    row, topic, rank, opens = groups.ranking(score)
    ranked = list(zip(row.tolist(), topic.tolist(), rank.tolist(), opens.tolist()))
    expected = []
    for number, (first, stop) in enumerate(pairwise(offsets.tolist())):
        in_order = sorted(range(first, stop), key=lambda place: -score[place])
        least = -np.inf
        if depth and depth < stop - first:
            least = score[in_order[depth - 1]]
        before = None
        for rank_of_place, place in enumerate(in_order, start=1):
            if score[place] >= least:
                expected.append((place, number, rank_of_place, score[place] != before))
                before = score[place]
    if not with_ties:  # then no other row follows
        assert ranked == expected
    assert [entry for entry in ranked if entry in expected] == expected


@given(groups_of(strategies.WHOLE, strategies.TIED_SCORES))
def test_standard_measures_equal_those_of_ids(groups):
    assert_equal_to_ids(groups, STANDARD)
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
    # The documents of a group keep their order.
    row[np.argsort(mixed, kind="stable")] = np.arange(mixed.size)
    ids = [f"q{number}" for number in mixed]
    by_id = array_values(measures, np.array(labels)[row], np.array(scores)[row], ids)
    in_first_order = list(dict.fromkeys(mixed.tolist()))
    np.testing.assert_array_equal(by_id, expected[:, in_first_order])
    shape = (len(sizes), max(sizes) + 1)
    padded_labels = np.full(shape, NAN)
    padded_scores = np.full(shape, NAN)
    for number, group in enumerate(groups):
        for place, (label, score) in enumerate(group):
            padded_labels[number, place] = label
            padded_scores[number, place] = score
    np.testing.assert_array_equal(array_values(measures, padded_labels, padded_scores), expected)


@pytest.mark.parametrize("ties", ["mean", "given"])
def test_padding_changes_no_mean_and_is_counted(ties):
    labels = [[3, 0, 1], [0, 1, NAN]]
    scores = [[0.2, 0.7, 0.1], [0.5, 0.4, NAN]]
    padding = [[NAN, NAN, NAN], [NAN, 0.5, NAN]]  # the second one has a scored, unjudged document
    measures = ["nDCG_JK@10", "ASL", "ERR_G", "P@1", "NumRet"]
    plain = ArrayEvaluator(measures, labels, ties=ties)
    message = "labels: 2 of 4 groups lack a judged document; they have no value"
    with pytest.warns(InputWarning, match=message):
        padded = ArrayEvaluator(measures, [*labels, [NAN] * 3, [NAN] * 3], ties=ties)
    for sign in (1, -1):  # many scores for one reduction of the labels
        signed = sign * np.array(scores)
        with_padding = np.concatenate((signed, padding))
        assert padded.means(with_padding).tolist() == plain.means(signed).tolist()
        assert np.isnan(padded.values(with_padding)[:, 2:]).all()


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

    scores = np.float32([0.1, 0.5, 0.7])
    for labels in (
        [2, 0, 1],
        Exported(),
        np.array([2, 0, 1], np.float16),
        np.array([True, False, True]),
    ):
        assert array_values("CG@2", labels, scores, [3]).tolist() == [1.0]
    masked = np.ma.masked_array([2, 0, 5], mask=[False, False, True])
    assert array_values(["CG", "Judged"], masked, [3, 2, 1], [3]).tolist() == [[2.0], [2 / 3]]
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    for dtype in (torch.float64, torch.bfloat16):
        tensor = torch.tensor([0.1, 0.5, 0.7], dtype=dtype, requires_grad=True)
        assert array_mean("CG@2", torch.tensor([2, 0, 1]), tensor, torch.tensor([3])) == 1.0


def test_one_measure_has_one_value_per_group_and_names_do_not_hide_options():
    labels = [1, 0, 1, 0]
    scores = [1.0, 1.0, 2.0, 3.0]

    def values(measure, ties="mean"):
        return array_values(measure, labels, scores, [2, 2], ties).tolist()

    assert values("P@1") == [0.5, 0.0]
    assert values("P@1", "given") == [1.0, 0.0]
    assert values("RBP(rel=1)@1", "max") == pytest.approx([0.2, 0.0], abs=1e-9)
    assert values("CG@1") == [0.5, 0.0]
    assert values("CG(ties='max')@1") == [1.0, 0.0]
    assert values(["CG@1", "CG(ties='mean')@1"]) == [[0.5, 0.0], [0.5, 0.0]]
    for measure in ("EBR@1", "Bpref", "P_measure"):
        with pytest.raises(GradedError, match="ties"):
            values(measure, "max")  # it was the value in the given order
    assert array_mean(["NumRet", "CG@1"], labels, scores, list("aaab")).tolist() == [4.0, 0.5]


def test_the_evaluator_is_one_of_ir_measures():
    evaluator = ArrayEvaluator("CG@1", [3, 0, 1], ["x", "x", "y"])
    assert list(evaluator.iter_calc([1, 2, 3])) == [
        ir_measures.Metric("x", evaluator.in_order[0], 0.0),
        ir_measures.Metric("y", evaluator.in_order[0], 1.0),
    ]


def test_each_measure_given_has_a_row_also_if_it_equals_another():
    labels = [3, 0, 1]
    scores = [0.1, 0.9, 0.5]
    measures = ["nDCG_JK@10", "nDCG_JK(b=2)@10", "CG"]
    value = array_values("nDCG_JK@10", labels, scores, [3])[0]
    assert array_values(measures, labels, scores, [3]).tolist() == [[value], [value], [4.0]]
    assert array_mean(np.array(measures), labels, scores, [3]).tolist() == [value, value, 4.0]
    assert array_mean(["CG", "CG"], labels, scores, [3]).tolist() == [4.0, 4.0]
    assert array_values(["CG", "CG"], labels, scores, [3]).tolist() == [[4.0], [4.0]]


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
    labels = np.arange(len(groups)) + 1
    scores = np.arange(len(groups))
    with pytest.raises(ValueError, match="may be sizes or ids; pass them as sizes=… or as ids=…"):
        array_values("CG", labels, scores, groups)
    of_sizes = []
    for first, stop in pairwise(np.cumsum([0, *groups])):
        if first == stop:
            of_sizes.append(NAN)  # an empty group has no value
        else:
            of_sizes.append(labels[first:stop].sum())
    np.testing.assert_array_equal(array_values("CG", labels, scores, sizes=groups), of_sizes)
    of_ids = [labels[np.array(groups) == id_].sum() for id_ in dict.fromkeys(groups)]
    assert array_values("CG", labels, scores, ids=groups).tolist() == of_ids


@pytest.mark.parametrize("padding", [-1, -100.0, NAN])
def test_padding_of_any_label_is_no_document_whatever_its_score(padding):
    measures = ["nDCG_JK", "P@1", "Judged@3", "NumRet"]
    flat_arrays = ([3, 0, 1, 0, 1], [0.2, 0.7, 0.1, 0.5, 0.4], [3, 2])
    values = array_values(measures, *flat_arrays).tolist()
    means = array_mean(measures, *flat_arrays).tolist()
    labels = [[3, 0, 1], [0, 1, padding]]
    scores = [[0.2, 0.7, 0.1], [0.5, 0.4, 0.9]]
    assert array_values(measures, labels, scores, padding=padding).tolist() == values
    assert array_mean(measures, labels, scores, padding=padding).tolist() == means


def test_minus_1_where_padding_would_be_is_told(recwarn):
    scores = [[3, 2, 1], [3, 2, 1]]
    with pytest.warns(InputWarning, match="1 of 2 rows end with -1, which stands nowhere else"):
        array_mean("CG", [[1, 2, 3], [1, -1, -1]], scores)
    recwarn.clear()
    array_mean("CG", [[1, -1, 3], [1, -1, -1]], scores)  # a level, as it stands before others
    array_mean("CG", [[1, 2, 3], [1, -1, -1]], scores, padding=-1)
    array_mean("CG", [1, 2, -1], [3, 2, 1], [3])
    assert not recwarn


def test_swapped_labels_and_scores_are_said_before_a_wrong_level():
    with pytest.raises(GradedError, match="labels come before scores"):
        array_mean("nDCG@5", labels=[0.5, -1.5, 0.25], scores=[1, 0, 2], sizes=[3])
    with pytest.raises(GradedError, match="takes whole levels"):
        array_mean("nDCG@5", labels=[0.5, 1, 0], scores=[1.5, 0, 2], sizes=[3])


@pytest.mark.parametrize(
    ("named", "message"),
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
        ({"sizes": [2], "measure": ["CG", 7]}, "a measure is a string .* not 7"),
    ],
)
def test_arguments_of_a_wrong_kind_are_named(named, message):
    arguments = {"measure": "CG", "labels": [1, 0], "scores": [1, 2]}
    with pytest.raises(ValueError, match=message):
        array_values(**(arguments | named))


@pytest.mark.parametrize("no_relevant", ["zero", "skip", "one"])
def test_groups_without_relevant_documents_count_as_in_evaluate(no_relevant):
    names = ["nDCG_Burges@2", "AP(rel=2)", "nDCG_JK"]
    labels = [3, 0, 1, 1, 0, 0]
    scores = [0.3, 0.4, 0.9, 0.2, 0.5, 0.1]
    qrels = {}
    run = {}
    for number, (label, score) in enumerate(zip(labels, scores, strict=True)):
        topic = str(number // 2)
        qrels.setdefault(topic, {})[f"d{number}"] = label
        run.setdefault(topic, {})[f"d{number}"] = score
    means = array_mean(names, labels, scores, group=[2, 2, 2], no_relevant=no_relevant)
    expected = evaluate(qrels, {"run": run}, names, no_relevant=no_relevant)
    assert means.tolist() == expected.means()[0].tolist()
    values = array_values(names, labels, scores, qid=[1, 1, 2, 2, 3, 3], no_relevant=no_relevant)
    np.testing.assert_array_equal(values, expected.values[0])


def test_words_of_boosting_libraries_are_taken_once():
    assert array_mean("P@1", [1, 0], [2, 1], group=[2]) == 1
    with pytest.raises(GradedError, match="sizes and group are the same; give one of them"):
        array_mean("P@1", [1, 0], [2, 1], group=[2], sizes=[2])
    with pytest.raises(
        GradedError, match=r"CG.*: no_relevant=one is for measures whose best value"
    ):
        array_mean("CG", [1, 0], [2, 1], qid=[1, 1], no_relevant="one")
    with pytest.raises(GradedError, match=r"P.*@1: no group has a relevant document"):
        array_mean("P@1", [0, 0], [2, 1], qid=[1, 1], no_relevant="skip")


def test_labels_in_ranked_order_need_no_scores():
    by_rank = [7 / 8, 1 / 8 * 3 / 8 / 2, 1 / 8 * 5 / 8 * 1 / 8 / 4]
    by_hand = sum(by_rank)
    assert array_mean("ERR_G@10", [3, 2, 0, 1], ties="given") == pytest.approx(by_hand, abs=1e-15)
    labels = [3, 2, 0, 1, 0, 2]
    scores = [6, 5, 4, 3, 2, 1]
    measures = ["nDCG_JK@3", "Q", "NDPM", "P@2"]
    for groups in ({"sizes": [4, 2]}, {"ids": list("ababab")}):
        ours = array_values(measures, labels, ties="given", **groups)
        assert ours.tolist() == array_values(measures, labels, scores, **groups).tolist()
    rows = [[3, NAN, 1], [2, NAN, NAN]]
    with_scores = [[3, 2, 1], [3, NAN, NAN]]
    ours = array_values(["P@2", "CG@2", "NumRet"], rows, ties="given")
    assert ours.tolist() == array_values(["P@2", "CG@2", "NumRet"], rows, with_scores).tolist()


def test_missing_scores_are_told_with_the_call_for_ranked_labels():
    for function in (array_values, array_mean):
        with pytest.raises(
            TypeError, match=r"lacks scores; for labels in ranked order write ties="
        ):
            function("ERR_G@10", [3, 2, 0, 1])
    with pytest.raises(GradedError, match="ADM compares scores with gains; give scores"):
        array_mean("ADM", [3, 2, 0, 1], ties="given")


def test_flat_labels_without_groups_are_told_the_call_for_one_query_and_for_several():
    measures = ["ERR_G@10"]
    labels = [3, 2, 0, 1, 2]
    scores = [5, 4, 3, 2, 1]
    with pytest.raises(GradedError, match="flat labels need groups") as error:
        array_mean(measures, labels, scores)
    call, of_several = re.findall(r"array_mean\(.*?\]\)|sizes=\[[^]]*, [^]]*\]", str(error.value))
    assert eval(call) == array_mean(measures, labels, ties="given")
    assert of_several == "sizes=[3, 2]"


def test_the_message_on_err_names_both_graded_measures_and_what_differs():
    with pytest.raises(GradedError) as refused:
        array_mean(["Q@10", "ERR"], [3, 2, 0, 1], [4, 3, 2, 1], sizes=[4])
    assert "ERR_G(max_gain=15) has the same formula, with the top level 4" in str(refused.value)
    assert "in ERR_G, as in its paper, the highest judged level is the top" in str(refused.value)


@pytest.mark.parametrize("cutoff", [1, 10])
def test_err_of_arrays_is_that_of_gdeval_with_all_decimals(cutoff):
    random = np.random.default_rng(4)
    labels = random.integers(0, 5, (20, 15))
    scores = random.permutation(300).reshape(20, 15).astype(float)
    qrels = {}
    run = {}
    for topic in range(20):
        documents = [f"d{number}" for number in range(15)]
        qrels[str(topic)] = dict(zip(documents, labels[topic].tolist()))
        run[str(topic)] = dict(zip(documents, scores[topic].tolist()))
    name = f"ERR@{cutoff}"
    values = array_values(name, labels, scores)
    (of_gdeval,) = evaluate(qrels, {"mine": run}, [name]).values[0]
    order = np.argsort(np.array(list(qrels), dtype=int))
    assert values.round(5) == pytest.approx(of_gdeval[order], abs=1.1e-5)
    evaluator = ArrayEvaluator([name, f"ERR_G(max_gain=15)@{cutoff}"], labels)
    means = evaluator.calc_aggregate(scores)
    assert next(map(str, means)) == name
    assert len(set(means.values())) == 1
    assert lightgbm_metric(name).names == [name]
    for ties, extreme in (("min", min), ("max", max)):
        orders = [array_values(name, [row], ties="given")[0] for row in ([2, 1], [1, 2])]
        assert array_mean(name, [[2, 1]], [[1, 1]], ties=ties) == extreme(orders)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[5, 0]], r"ERR@3 takes whole labels up to 4, not 5; use ERR_G\(max_gain=31\)@3"),
        ([[0.5, 0]], r"ERR@3 takes whole labels up to 4, not 0.5; use ERR_G\(max_gain=15\)@3"),
    ],
)
def test_err_of_arrays_refuses_the_levels_that_gdeval_does(labels, message):
    with pytest.raises(GradedError, match=message):
        array_mean("ERR@3", labels, [[2, 1]])

"""Measures of batches equal those of all documents at once."""

import pickle
import sys
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_graded import GradedError, RankingMetric, array_mean
from ir_measures_graded.errors import InputWarning

ASKED = ["nDCG_Burges@5", "ERR_G@5", "P@3"]


def data(seed):
    random = np.random.default_rng(seed)
    queries = random.integers(0, 6, 60)
    labels = random.choice([0, 0, 1, 2, 3, np.nan], 60)
    labels[0] = 1
    return random.integers(0, 8, 60) / 4, labels, queries


@pytest.mark.filterwarnings("ignore::ir_measures_graded.errors.InputWarning")
@given(st.integers(0, 99), st.lists(st.integers(0, 60), max_size=4), st.integers(0, 5))
def test_batches_and_parts_of_other_processes_have_the_value_of_all_documents_at_once(
    seed, cuts, first
):
    scores, labels, queries = data(seed)
    here = RankingMetric(ASKED)
    elsewhere = RankingMetric(ASKED)
    for number, (start, end) in enumerate(pairwise([0, *sorted(cuts), 60])):
        metric = here if number <= first else elsewhere
        metric.update(labels[start:end], scores[start:end], queries[start:end])
    sent = pickle.loads(pickle.dumps(elsewhere))
    means = here.merge(sent).compute()
    # P@3 reads tied documents in their order, which merging keeps.
    assert list(means) == ASKED
    assert list(means.values()) == array_mean(ASKED, labels, scores, queries).tolist()


def test_sizes_and_rows_end_with_the_batch_and_ids_go_on():
    metric = RankingMetric("CG")
    metric.update([3, 1], [0.2, 0.1], [2])
    metric.update([[1, 1], [2, np.nan]], [[0.2, 0.1], [0.5, np.nan]])
    metric.update(scores=[0.5, 0.4], labels=[1, 1], ids=[1, 1])
    metric.update([4], [0.9], [1])
    assert metric.compute() == np.mean([4, 2, 2, 6])
    metric.reset()
    metric.update([], [], [])
    metric.update([2, 4], [1, 2], ["a", "b"])
    assert metric.compute() == 3


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("compute", (), "call update before compute"),
        ("update", ([1], [1, 2], [1]), "give a score per label"),
        ("update", ([1, 2], [1, np.nan], [2]), "a score is NaN"),
        ("update", ([np.inf], [1], [1]), "a label is infinite"),
        ("update", ([1, 2], [1, 2]), "flat labels need groups"),
        ("merge", (RankingMetric("AP"),), "other measures or other ties"),
    ],
)
def test_mistakes_are_named_and_change_nothing(method, arguments, message):
    metric = RankingMetric("CG")
    with pytest.raises(GradedError, match=message):
        getattr(metric, method)(*arguments)
    with pytest.raises(GradedError, match="no batch"):
        metric.compute()


def test_a_new_metric_does_not_warn_of_levels_before_it_has_labels():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = RankingMetric("CG(gains=2:10,3:100)@1")
        metric.update(labels=[3, 2], scores=[0.9, 0.1], sizes=[2])
        assert metric.compute() == 100


def test_unknown_measures_and_ties_are_refused():
    with pytest.raises(GradedError, match="did you mean"):
        RankingMetric("nDCGG")
    with pytest.raises(GradedError, match="ties is 'mean', 'min', 'max' or 'given'"):
        RankingMetric("AP", ties="any")


def test_it_does_not_import_torch_and_takes_tensors():
    RankingMetric("CG").update([1], [1.0], [1])
    assert "torch" not in sys.modules
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    metric = RankingMetric("CG")
    score = torch.tensor([0.5], dtype=torch.bfloat16, requires_grad=True)
    metric.update(torch.tensor([3]), score, torch.tensor([7]))
    assert metric.compute() == 3


def test_labels_and_scores_that_seem_to_be_swapped_are_told():
    labels = [0, 2, 1]
    scores = [0.5, 0.25, 0.75]
    message = "all scores are whole numbers and no label is one"
    for call in (RankingMetric("CG").update, partial(array_mean, "CG")):
        with pytest.warns(InputWarning, match=message):
            call(scores, labels, [3])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(labels, scores, [3])
            call([0.5, 2, 1], labels, [3])


def test_minus_1_where_padding_would_be_is_told_of_a_batch():
    labels = [[1, 2, 3], [1, -1, -1]]
    scores = [[3, 2, 1], [3, 2, 1]]
    metric = RankingMetric("CG")
    with pytest.warns(InputWarning, match="1 of 2 rows end with -1, which stands nowhere else"):
        metric.update(labels, scores)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.update(labels, scores, padding=-1)

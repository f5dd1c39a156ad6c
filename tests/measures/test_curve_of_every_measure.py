"""For every measure with a cutoff: one pass over all ranks gives the values of all cutoffs."""

import numpy as np
import pytest
from test_every_measure import QRELS, RUN, variants, with_ties

from all_measures import MEASURES
from ir_measures_graded import GradedEvaluator, GradedMeasure
from ir_measures_graded.evaluation.at_ranks import values_at_ranks
from ir_measures_graded.evaluation.named import study_of

DEPTH = 70  # longer than every list of the collection, so that curves become constant
CUTOFFS = [1, 3, 8, 20, DEPTH]
RANKED = [measure for measure in MEASURES if measure.CUTOFF]
ranked = pytest.mark.parametrize("measure", RANKED, ids=str)


def values(measures, run):
    """Each measure's values (T), in the order of the measures."""
    evaluator = GradedEvaluator(measures, QRELS)
    of_topics = np.array([metric.value for metric in evaluator.iter_calc(run)])
    return of_topics.reshape(len(measures), len(QRELS))


def curves(measures, run, depth=DEPTH):
    (studied,) = study_of(QRELS, {"run": run}).runs
    return [values_at_ranks(measure, studied, studied.judgments, depth).T for measure in measures]


def assert_values_of_all_cutoffs(measures, run, depth=DEPTH):
    for measure, curve in zip(measures, curves(measures, run, depth)):
        assert curve.shape == (len(QRELS), depth)
        cutoffs = [cutoff for cutoff in CUTOFFS if cutoff <= depth]
        at_cutoffs = curve[:, np.array(cutoffs) - 1]
        one_by_one = values([measure @ cutoff for cutoff in cutoffs], run).T
        # Only means over ranks are added in another order.
        rtol = 1e-12 if measure.params.get("avg") else 0
        np.testing.assert_allclose(at_cutoffs, one_by_one, rtol, atol=0, err_msg=str(measure))


@ranked
def test_a_curve_has_the_values_of_all_cutoffs(measure):
    # The default implementation and the options evaluate each cutoff by itself, whatever the depth.
    few_ranks = 8
    if type(measure).curve is GradedMeasure.curve:
        assert_values_of_all_cutoffs([measure(cutoff=None)], RUN, few_ranks)
    else:
        assert_values_of_all_cutoffs(uncut(variants(measure)), RUN)
    assert_values_of_all_cutoffs(uncut(with_ties(measure)[:4]), RUN, few_ranks)


def uncut(measures):
    """The different measures without their cutoffs."""
    return list(dict.fromkeys(measure(cutoff=None) for measure in measures))

"""`accelerate`: which provider computes ir-measures' standard measures."""

import ir_measures
import pytest
from ir_measures import AP, RR, Judged, Metric, NumRet, P, nDCG

from ir_measures_graded import CG, GradedProvider, accelerate

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "b": 1}, "lost": {"a": 1}}
RUN = {
    "2": {"x": 3.0, "b": 2.0, "a": 1.0},
    "1": {"c": 3.0, "x": 3.0, "a": 1.0},
    "other": {"a": 1.0},
}
STANDARD = [AP, P @ 2, nDCG @ 2, RR @ 10, Judged @ 2, NumRet]
PIPELINE = ir_measures.DefaultPipeline.providers


@pytest.fixture(autouse=True)
def restored():
    """Restore ir-measures after each test."""
    before = list(PIPELINE)
    yield
    accelerate(False)
    assert before == PIPELINE


@pytest.fixture
def without_others(monkeypatch):
    """Make ir-measures' own providers of the standard measures fail."""

    def refuse(measures, qrels):
        raise RuntimeError("asked after all")

    for name in ("pytrec_eval", "judged", "msmarco"):
        monkeypatch.setattr(ir_measures.providers.registry[name], "_evaluator", refuse)


@pytest.mark.usefixtures("without_others")
def test_our_provider_computes_standard_measures_only_after_accelerate():
    for measure in STANDARD:
        with pytest.raises(RuntimeError, match="asked after all"):
            ir_measures.calc_aggregate([measure, CG], QRELS, RUN)
    accelerate()
    accelerate()
    assert ir_measures.calc_aggregate([P @ 2, NumRet, CG], QRELS, RUN) == {
        P @ 2: 1 / 3,
        NumRet: 6,
        CG: 5 / 3,
    }
    assert (P @ 2).calc_aggregate(QRELS, RUN) == 1 / 3
    assert [type(provider) for provider in PIPELINE].count(GradedProvider) == 1
    accelerate(False)
    accelerate(False)
    with pytest.raises(RuntimeError, match="asked after all"):
        ir_measures.calc_aggregate([AP, CG], QRELS, RUN)


@pytest.mark.parametrize("calculator", [ir_measures, ir_measures.DefaultPipeline])
def test_values_means_and_topic_order_equal_those_of_ir_measures(calculator):
    before = [calculator.calc([measure], QRELS, RUN) for measure in STANDARD]
    accelerate()
    assert [calculator.calc([measure], QRELS, RUN) for measure in STANDARD] == before
    assert list(calculator.iter_calc([P @ 2], QRELS, RUN)) == [
        Metric("2", P @ 2, 0.5),  # topics of the run in its order, then the others
        Metric("1", P @ 2, 0.5),
        Metric("lost", P @ 2, 0.0),
    ]


def test_user_defined_measures_keep_their_provider():
    own = ir_measures.define_byquery(lambda qrels, run: 7.0, name="AP")
    before = own.calc(QRELS, RUN)
    assert before.aggregated > 1
    accelerate()
    assert own.calc(QRELS, RUN) == before

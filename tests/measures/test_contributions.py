"""For every measure and parameter, the contributions sum to the value, and the curve ends at it."""

import pytest
from test_every_measure import QRELS as COLLECTION
from test_every_measure import RUN as LISTS
from test_every_measure import VARIANTS

from all_measures import MEASURES
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.analysis.explanation import explanations

NO_SUMS = {
    "P_measure",
    "P_plus",
    "Fallout",
    "NDPM",
    "KendallTau",
    "Spearman",
    "ADM",
    "RelativeRelevance",
}
NO_SUMS |= {"ESL", "ASL", "NR"}
TOPICS = ("1", "θ", "lost", "poor", "flat")
"""Topics with few documents: every rank is evaluated."""
QRELS = {topic: COLLECTION[topic] for topic in TOPICS}
RUN = {topic: docs for topic, docs in LISTS.items() if topic in TOPICS}
LONGEST = max(map(len, RUN.values()))


@pytest.mark.parametrize("name", [measure.NAME for measure in MEASURES])
def test_contributions_sum_to_the_value_and_the_last_running_value_equals_it(name):
    of_measure = [variant for variant in VARIANTS if name == variant.NAME]
    variants = [variant for variant in of_measure if not variant.option("ties")]
    values = evaluate(QRELS, {"run": RUN}, variants)
    for measure, value in zip(variants, values.values[0]):
        cutoff = measure.params.get("cutoff")
        deepest = 5 if name in NO_SUMS else LONGEST
        depth = min(cutoff or LONGEST, deepest)
        is_sum = name not in NO_SUMS and not measure.params.get("residual")
        by_topic = explanations(QRELS, {"run": RUN}, measure, depth)["run"]
        assert [topic.value for topic in by_topic] == value.tolist(), measure
        for topic in by_topic:
            assert (topic.contributions is not None) == is_sum
            if is_sum:
                total = topic.contributions.sum()
                assert total == pytest.approx(topic.value, rel=1e-12, abs=1e-12), measure
            if cutoff and cutoff <= topic.levels.size:
                assert topic.values[cutoff - 1] == topic.value, measure

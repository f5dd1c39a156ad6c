"""For every measure and parameter, the contributions sum to the value, and the curve ends at it."""

import numpy as np
import pytest
from test_every_measure import QRELS, RUN, VARIANTS

from all_measures import MEASURES
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.analysis.explain import explanations

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
LONGEST = max(map(len, RUN.values()))


@pytest.mark.parametrize("name", [measure.NAME for measure in MEASURES])
def test_contributions_sum_to_the_value_and_the_last_running_value_equals_it(name):
    variants = [each for each in VARIANTS if name == each.NAME and not each.option("ties")]
    values = evaluate(QRELS, {"run": RUN}, variants)
    for measure, value in zip(variants, values.values[0]):
        cutoff = measure.params.get("cutoff")
        depth = min(cutoff or LONGEST, 5 if name in NO_SUMS else LONGEST)
        found = explanations(QRELS, {"run": RUN}, measure, depth)["run"]
        assert [each.value for each in found] == value.tolist(), measure
        for each in found:
            assert (each.contributions is None) == bool(
                name in NO_SUMS or measure.params.get("residual")
            )
            if each.contributions is not None:
                np.testing.assert_allclose(
                    each.contributions.sum(),
                    each.value,
                    rtol=1e-12,
                    atol=1e-12,
                    err_msg=str(measure),
                )
            if cutoff and cutoff <= each.levels.size:
                assert each.values[cutoff - 1] == each.value, measure

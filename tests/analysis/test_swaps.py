"""The swap experiment: random rankings, their values, and invalid requests."""

import numpy as np
import pytest

from ir_measures_graded import parse_measure
from ir_measures_graded.analysis import swaps
from ir_measures_graded.analysis.swaps import LEVELS, _reference, _swapped

NDCNG, MUAP, NDCG = "NDCNG(avg=True)", "muAP", "NDCNG(avg=True,max_gain=1)"


@pytest.fixture(scope="module", params=[False, True], ids=["even", "uneven"])
def found(request):
    # With even levels, all numbers of levels share their rankings, so that few rankings suffice.
    return swaps(uneven=request.param, most=60, repetitions=60 if request.param else 20)


def test_ndcg_depends_on_the_number_of_levels_but_ndcng_and_muap_do_not(found):
    """Figures 4 and 5 of Scheel et al. 2011."""
    assert tuple(map(str, found.measures)) == (NDCNG, MUAP, NDCG)
    assert found.levels == LEVELS == (2, 10, 20, 50)
    ndcng, muap, ndcg = found.gaps().max(axis=1)
    assert ndcng < 0.05
    assert muap < 0.05
    assert ndcg > 0.2
    means = found.means()[:, 2, 10:]
    assert (np.diff(means, axis=0) < 0).all()  # more levels give lower values


def test_values_start_at_1_and_fall_with_swaps(found):
    means = found.means()
    np.testing.assert_allclose(means[:, :, 0], 1.0)
    np.testing.assert_allclose(found.deviations()[:, :, 0], 0.0, atol=1e-12)
    assert (means[:, :, -1] < 0.8).all()
    assert (np.diff(means[:, :, ::10], axis=2) < 0).all()


def test_values_equal_those_of_single_rankings():
    found = swaps(["nDCG_JK", "AP"], levels=[3], documents=6, most=2, repetitions=4, seed=9)
    orders = _swapped(6, 2, 4, np.random.default_rng(9))
    qrels = {"q": dict(zip("abcdef", [2, 2, 1, 1, 0, 0]))}
    for number, measure in enumerate(map(parse_measure, ["nDCG_JK", "AP"])):
        for swap in range(3):
            for repetition in range(4):
                order = orders[swap, repetition].tolist()
                run = {"q": {"abcdef"[doc]: -float(place) for place, doc in enumerate(order)}}
                assert found.values[0, number, swap, repetition] == measure.calc_aggregate(qrels, run)


@pytest.mark.parametrize(("levels", "documents"), [(2, 100), (10, 100), (50, 100), (3, 10), (7, 7)])
def test_even_levels_differ_by_at_most_one_document(levels, documents):
    reference = _reference(levels, documents, False, np.random.default_rng(0)).tolist()
    assert reference == sorted(reference, reverse=True)
    sizes = np.bincount(reference)
    assert (len(reference), len(sizes)) == (documents, levels)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("levels", LEVELS)
def test_uneven_levels_always_use_the_highest_and_the_lowest_level(levels):
    generator = np.random.default_rng(levels)
    references = [_reference(levels, 100, True, generator) for _ in range(50)]
    sizes = np.array([np.bincount(reference, minlength=levels) for reference in references])
    assert sizes.shape == (50, levels)
    assert (sizes.sum(axis=1) == 100).all()
    assert (sizes[:, [0, -1]] >= 1).all()
    assert len(set(map(tuple, sizes.tolist()))) > 40
    if levels == 50:
        assert (sizes == 0).any(axis=1).all()  # "some relevance levels may not be used"


def test_values_of_one_scale_do_not_depend_on_the_others():
    options = {"documents": 20, "most": 9, "repetitions": 5, "uneven": True}
    alone = swaps([MUAP], levels=[5], **options).values[0, 0]
    np.testing.assert_array_equal(alone, swaps([NDCNG, MUAP], levels=[2, 5], **options).values[1, 1])


def test_table_and_records_hold_means_deviations_and_gaps():
    found = swaps([MUAP, "NDPM"], levels=[2, 4], documents=8, most=3, repetitions=6)
    columns, rows = found.table()
    assert columns == ["measure", "2 levels", "4 levels", "widest gap", "at swaps"]
    assert rows[0][:3] == ["muAP", *map(pytest.approx, found.means()[:, 0].mean(axis=1))]
    gap = np.abs(found.means()[0, 1] - found.means()[1, 1])
    assert rows[1][3:] == [gap.max(), gap.argmax()]
    records, values = found.records(), found.values[1, 0, 3]
    assert len(records) == 2 * 2 * 4
    assert (swaps([MUAP], levels=[2], documents=4, most=2, repetitions=1).deviations() == 0).all()
    names = {"levels": 4, "measure": "muAP", "swaps": 3}
    mean, deviation = pytest.approx(values.mean()), pytest.approx(values.std(ddof=1))
    assert records[2 * 4 + 3] == names | {"mean": mean, "standard_deviation": deviation}

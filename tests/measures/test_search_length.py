"""ESL, ASL and NR: small cases computed by hand, and the mean over all orders of tied documents."""

from fractions import Fraction
from itertools import chain, combinations, product
from math import comb, prod

import pytest

from ir_measures_graded import ASL, ESL, NR, Fallout, GradedError


def value(measure, qrels, run):
    return measure.calc_aggregate({"q": qrels}, {"q": run})


def levels_of(*levels):
    """Qrels and a run from levels of tied documents; ``"rnn"`` has one relevant document of three.

    The last level is not retrieved.
    """
    qrels = {
        f"d{i}.{j}": int(kind == "r")
        for i, level in enumerate(levels)
        for j, kind in enumerate(level)
    }
    run = {f"d{i}.{j}": -i for i, level in enumerate(levels[:-1]) for j in range(len(level))}
    return qrels, run


def arrangements(levels):
    """All orders of the documents that keep the order of the levels."""
    each = [
        [
            [place in chosen for place in range(len(level))]
            for chosen in combinations(range(len(level)), r)
        ]
        for level in levels
        for r in [level.count("r")]
    ]
    return [list(chain(*parts)) for parts in product(*each)]


CASES = [
    ("r", "n", ""), ("n", "r", ""), ("rnn", ""), ("nn", "rrn", "n", ""), ("nrn", "rrnnn", "nr"),
    ("", "rrnnnn"), ("n", "rr"), ("rr", ""), ("nnnn", "rnrn", "rnn"), ("r", "r", "n", "rn", "rrnnn"),
]  # fmt: skip


@pytest.mark.parametrize("levels", CASES, ids="|".join)
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_values_are_means_over_all_orders_of_tied_documents(levels, n):
    qrels, run = levels_of(*levels)
    lists = arrangements(levels)
    assert len(lists) == prod(comb(len(level), level.count("r")) for level in levels)
    relevant, size = sum(qrels.values()), len(qrels)

    passed = [
        [place for place, hit in enumerate(read) if hit][min(n, relevant) - 1] for read in lists
    ]
    expected = Fraction(sum(passed), len(lists)) - (min(n, relevant) - 1)
    assert value(ESL(n=n), qrels, run) == pytest.approx(float(expected), rel=1e-14)

    positions = [sum(place for place, hit in enumerate(read, 1) if hit) for read in lists]
    mean = Fraction(sum(positions), len(lists))
    assert value(ASL, qrels, run) == pytest.approx(float(mean / relevant), rel=1e-14)
    if size > relevant:
        late = (mean - Fraction(relevant * (relevant + 1), 2)) / (relevant * (size - relevant))
        assert value(NR, qrels, run) == pytest.approx(float(1 - late), rel=1e-14)
    else:
        assert value(NR, qrels, run) == 1


@pytest.mark.parametrize(
    "measure", [ESL(docs=4), ASL(docs=4), NR(docs=4), NR(docs=4, tied_by="rank")], ids=str
)
def test_a_collection_size_below_the_known_documents_is_an_error(measure):
    qrels = {"full": {"a": 1, "b": 0}, "small": {"a": 1}, "large": {"a": 1, "b": 0, "c": 0}}
    run = {"full": {"x": 2, "y": 1}, "small": {"a": 1}, "large": {"x": 3, "y": 2, "a": 1}}
    with pytest.raises(GradedError, match=r"docs=4.*topic 'large' has 5 judged and retrieved"):
        measure.calc_aggregate(qrels, run)
    assert measure(docs=5).calc_aggregate(qrels, run) > 0
    # Only three documents are judged.
    assert measure(judged_only=True).calc_aggregate(qrels, run) >= 0


@pytest.mark.parametrize("docs", [10**9, 2**53 + 1, 10**18, 2**63 - 1])
def test_products_with_a_large_collection_do_not_overflow(docs):
    qrels = {f"d{number}": int(number < 40) for number in range(60)}
    run = {"d50": 3.0, "d0": 2.0, "d1": 1.0}
    last_level = Fraction(3 + 1 + docs, 2)  # the mean position of the 38 documents not retrieved
    positions = 2 + 3 + 38 * last_level
    late = (positions - Fraction(40 * 41, 2)) / (40 * (docs - 40))
    not_relevant = docs - 3 - 38
    expected = {
        ASL: positions / 40,
        NR: 1 - late,
        ESL(n=40): 1 + not_relevant * Fraction(38, 39),
        Fallout: Fraction(1, docs - 40),
    }
    found = {measure: value(measure(docs=docs), qrels, run) for measure in expected}
    assert found == pytest.approx({name: float(right) for name, right in expected.items()})


@pytest.mark.parametrize("docs", [2**63, 10**30, 1e19])
def test_a_collection_size_beyond_whole_numbers_is_refused(docs):
    with pytest.raises(GradedError, match=r"docs=.* is not allowed \(it must be less than 2\^63\)"):
        NR(docs=docs)

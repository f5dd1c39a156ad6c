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
    qrels = {}
    run = {}
    for number, level in enumerate(levels):
        for place, kind in enumerate(level):
            doc = f"d{number}.{place}"
            qrels[doc] = int(kind == "r")
            if number < len(levels) - 1:
                run[doc] = -number
    return qrels, run


def orders_of(level):
    """All orders of the documents of a level, True for a relevant one."""
    places = range(len(level))
    for relevant in combinations(places, level.count("r")):
        yield [place in relevant for place in places]


def arrangements(levels):
    """All orders of the documents that keep the order of the levels."""
    return [list(chain(*orders)) for orders in product(*map(orders_of, levels))]


CASES = (
    "r|n| n|r| rnn| nn|rrn|n| nrn|rrnnn|nr |rrnnnn n|rr rr| nnnn|rnrn|rnn r|r|n|rn|rrnnn".split()
)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_values_are_means_over_all_orders_of_tied_documents(case, n):
    levels = case.split("|")
    qrels, run = levels_of(*levels)
    lists = arrangements(levels)
    assert len(lists) == prod(comb(len(level), level.count("r")) for level in levels)
    relevant = sum(qrels.values())
    size = len(qrels)

    sought = min(n, relevant)
    passed = 0
    positions = 0
    for hits in lists:
        places = [place for place, hit in enumerate(hits) if hit]
        passed += places[sought - 1] - (sought - 1)
        positions += sum(place + 1 for place in places)
    expected = Fraction(passed, len(lists))
    assert value(ESL(n=n), qrels, run) == pytest.approx(float(expected), rel=1e-14)

    mean = Fraction(positions, len(lists))
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
    for measure, exact in expected.items():
        assert value(measure(docs=docs), qrels, run) == pytest.approx(float(exact)), measure


@pytest.mark.parametrize("docs", [2**63, 10**30, 1e19])
def test_a_collection_size_beyond_whole_numbers_is_refused(docs):
    with pytest.raises(GradedError, match=r"docs=.* is not allowed \(it must be less than 2\^63\)"):
        NR(docs=docs)

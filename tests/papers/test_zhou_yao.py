"""The worked examples and tables of Zhou & Yao 2010.

Section 6.2 compares systems by the relevance scores d_i that they themselves give to five documents
d1 to d5, listed in that order. For measures of gains the tables use these scores as the gains of
the run and the user's scores (UR) as the ideal list; the run's documents are not judged. `Listed`
implements this. With this reading and

- dcg = nDCG_JK(b=2), the quotient at the end of the list, and ndcg = nDCG_JK(b=2, avg=True),
- Q over the scores as printed, while each document counts as 1,
- every position counted as relevant in wap and Q, also with score 0,
- agr as wap over g′, with "l − 1" one step of the scale lower and R_l counted in each list
  separately,
- ndpm as 1 − the distance,

all cells of tables 2 to 4 are reproduced except those in `NOT_REPRODUCED`. Row IRS3 of table 4 is
misprinted: seven of its eight values are those of the scores 0, 0, .2, .2, .1.
"""

import numpy as np
import pytest

from ir_measures_graded import ADM, AGR, MSR, NDPM, WAP, Q, nDCG_JK, parse_measure
from ir_measures_graded.core.measures.topics import GainList, Topics
from ir_measures_graded.core.reduction import judged_of, reduced
from ir_measures_graded.core.rows.sources import read_qrels, read_run

TWO_DECIMALS = 0.005 + 1e-9
NEXT_TO_NOTHING = 1e-9
"""The gain of documents with score 0: relevant, but too small to change two decimals."""


def documents(scores):
    return {"q": {f"d{number}": score for number, score in enumerate(scores, 1)}}


def listed(scores):
    """A run that lists the documents in the order d1, d2, …"""
    return {"q": {f"d{number}": -number for number in range(1, len(scores) + 1)}}


class Listed(Topics):
    """One topic: the system's scores are the gains of the run, the user's the recall base."""

    def __init__(self, user, system, gains=None):
        qrels = read_qrels(documents(user))
        ranks = reduced(judged_of(qrels), read_run(listed(user)))
        super().__init__(ranks, gains or {}, cutoff=None)
        self.run = GainList(1, np.zeros(5, int), np.arange(1, 6), np.array(system, float))


def over_listed_gains(measure):
    def value(user, system):
        return measure.values(Listed(user, system))[0]

    return value


def counting_every_position(measure):
    def value(user, system):
        return measure.values(Listed(user, np.maximum(system, NEXT_TO_NOTHING)))[0]

    return value


def adjusted_gains(topics):
    """g′ of each document."""
    return AGR.adjusted(topics, topics.document_topic, topics.document_level)


def adjusted_scores(scores):
    """g′ of a list whose scores are whole steps of the scale, so that l − 1 is one step."""
    steps = [round(10 * score) for score in scores]
    return adjusted_gains(Listed(steps, steps, gains={0: NEXT_TO_NOTHING}))


def average_gain_ratio(user, system):
    """WAP over g′ of the two lists."""
    return WAP.values(Listed(adjusted_scores(user), adjusted_scores(system)))[0]


def of_two_orders(measure):
    def value(user, system):
        return measure.calc_aggregate(documents(user), documents(system))

    return value


COLUMNS = {
    "msr": over_listed_gains(MSR),
    "dcg": over_listed_gains(nDCG_JK(b=2)),
    "ndcg": over_listed_gains(nDCG_JK(b=2, avg=True)),
    "wap": counting_every_position(WAP),
    "Q": counting_every_position(Q),
    "agr": average_gain_ratio,
    "ndpm": of_two_orders(NDPM(performance=True)),
    "adm": of_two_orders(ADM(norm="none", max_gain=1)),
}
USER = {2: (0.6, 0.5, 0.4, 0.3, 0.1), 3: (0.6, 0.5, 0.4, 0.3, 0.1), 4: (0.3, 0.3, 0.2, 0.1, 0.1)}
ROWS = {  # (table, system): its scores, then the printed cells in the order of COLUMNS
    (2, "IRS1"): ((0.6, 0.5, 0.3, 0.2, 0.1), (0.95, 0.93, 0.96, 0.94, 0.98, 0.94, 1.00, 0.96)),
    (2, "IRS2"): ((0.5, 0.3, 0.4, 0.2, 0.1), (0.79, 0.77, 0.78, 0.79, 0.93, 0.78, 0.90, 0.92)),
    (2, "IRS3"): ((0.4, 0.6, 0.2, 0.3, 0.1), (0.80, 0.85, 0.82, 0.81, 0.94, 0.80, 0.80, 0.90)),
    (2, "IRS4"): ((0.1, 0.2, 0.2, 0.4, 0.5), (0.43, 0.54, 0.34, 0.40, 0.80, 0.36, 0.05, 0.70)),
    (3, "IRS2"): ((0.6, 0.4, 0.5, 0.3, 0.1), (0.98, 0.98, 0.97, 0.97, 0.99, 0.98)),
    (3, "IRS3"): ((0.5, 0.6, 0.3, 0.4, 0.1), (0.95, 0.99, 0.95, 0.95, 0.98, 0.95)),
    (4, "IRS1"): ((0.2, 0.2, 0.0, 0.0, 0.0), (0.53, 0.49, 0.58, 0.54, 0.91, 0.24, 0.89, 0.88)),
    (4, "IRS2"): ((0.0, 0.3, 0.2, 0.1, 0.1), (0.47, 0.63, 0.46, 0.50, 0.89, 0.55, 0.63, 0.94)),
    (4, "IRS3"): ((0.0, 0.0, 0.2, 0.2, 0.1), (0.24, 0.33, 0.16, 0.24, 0.84, 0.25, 0.19, 0.86)),
    (4, "IRS4"): ((0.0, 0.0, 0.0, 0.1, 0.1), (0.08, 0.11, 0.04, 0.06, 0.81, 0.05, 0.13, 0.84)),
}
CELLS = {}
for (table, system), (scores, cells) in ROWS.items():
    for column, printed in zip(COLUMNS, cells):
        CELLS[table, system, column] = (USER[table], scores, printed)
NOT_REPRODUCED = {  # our value, and the reason for the difference from the printed value
    (3, "IRS2", "wap"): (0.9818, "the cell repeats ndcg's .97"),
    (4, "IRS1", "ndpm"): (0.875, "2 of 8 preferences are tied, which is 14/16, rounded .88"),
    (4, "IRS2", "ndcg"): (0.4668, "cut to .46, not rounded"),
    (4, "IRS1", "agr"): (0.4998, "no reading of R_l gives .24 here and the rest of the column"),
    (4, "IRS2", "agr"): (0.5174, "no reading of R_l gives .55 here and the rest of the column"),
    (4, "IRS3", "agr"): (0.2275, "no reading of R_l gives .25 here and the rest of the column"),
}


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell not in NOT_REPRODUCED], ids=str)
def test_cells_of_tables_2_to_4(cell):
    user, scores, printed = CELLS[cell]
    assert COLUMNS[cell[-1]](user, scores) == pytest.approx(printed, abs=TWO_DECIMALS)


@pytest.mark.parametrize("cell", NOT_REPRODUCED, ids=str)
def test_cells_that_are_not_reproduced(cell):
    user, scores, printed = CELLS[cell]
    ours, _ = NOT_REPRODUCED[cell]
    assert COLUMNS[cell[-1]](user, scores) == pytest.approx(ours, abs=0.00005)
    assert abs(ours - printed) > TWO_DECIMALS


def listed_only(docs):
    return {doc: -float(rank) for rank, doc in enumerate(docs)}


USER_2 = {"a": 6, "b": 1, "c": 3, "d": 5, "e": 4}
SYSTEM_2 = {"a": 5, "b": 6, "c": 4, "d": 3, "e": 2}
USER_3 = {"d1": 4, "d3": 3, "d2": 2, "d4": 1}
USER_4 = {"a": 0.3, "b": 0.2, "c": 0.2, "d": 0.1, "e": 0.1}
USER_5 = {"a": 3, "b": 2, "c": 1}
THIRD = listed_only("xyb")
FIFTH = listed_only("vwxyb")
USER_6 = {"d1": 3, "d2": 3, "d3": 2, "d4": 1, "d5": 1, "d6": 0}
SYSTEM_6 = {"d1": 4, "d3": 4, "d2": 3, "d5": 3, "d6": 2, "d4": 1}
USER_61 = {"d1": 0.3, "d2": 0.2, "d3": 0.1}
ADM_1 = "ADM(norm='none',max_gain=1)"
EXAMPLES = [  # the place, the measure, the printed value, the user's scores and the system's
    ("Example 2", "Spearman", -0.3, USER_2, SYSTEM_2),
    ("Example 3", "KendallTau", 0.67, USER_3, listed_only(["d1", "d3", "d4", "d2"])),
    ("Example 4, IRS1", "SR@5", 0.78, USER_4, listed_only("abdex")),
    ("Example 4, IRS2", "SR@5", 0.78, USER_4, listed_only("debax")),
    ("Example 4, IRS1", "MSR@5", 0.90, USER_4, listed_only("abdex")),
    ("Example 4, IRS2", "MSR@5", 0.57, USER_4, listed_only("debax")),
    ("Example 5, IRS1", "WAP", 0.11, USER_5, THIRD),
    ("Example 5, IRS2", "WAP", 0.11, USER_5, FIFTH),
    ("Example 5, IRS1", "Q", 0.11, USER_5, THIRD),
    ("Example 5, IRS2", "Q", 0.09, USER_5, FIFTH),
    ("Example 6", "NDPM", 0.23, USER_6, SYSTEM_6),
    ("Example 6", "NDPM(performance=True)", 0.77, USER_6, SYSTEM_6),
    ("Section 6.1, IRS1", ADM_1, 0.80, USER_61, {"d1": 0.6, "d2": 0.4, "d3": 0.2}),
    ("Section 6.1, IRS2", ADM_1, 0.87, USER_61, {"d1": 0.1, "d2": 0.2, "d3": 0.3}),
]


@pytest.mark.parametrize(("where", "measure", "printed", "user", "system"), EXAMPLES)
def test_worked_examples(where, measure, printed, user, system):
    value = parse_measure(measure).calc_aggregate({"q": user}, {"q": system})
    assert value == pytest.approx(printed, abs=TWO_DECIMALS), where


def test_section_5_6_average_gain_ratio():
    qrels = {"q": {"high": 3, **{f"low{number}": 1 for number in range(9)}}}
    ranks = reduced(judged_of(read_qrels(qrels)), read_run({"q": {"high": 1}}))
    judged = Topics(ranks, {}, None)
    assert adjusted_gains(judged)[0] == pytest.approx(3 - (3 - 2) * 1 / 10)
    # The document gains 2.9; at rank 1 that is the whole ideal gain.
    assert AGR.calc_aggregate(qrels, {"q": {"high": 1}}) == pytest.approx(1 / 10)
    late = {"q": {"high": 1, "x": 2, "y": 3}}
    assert AGR.calc_aggregate(qrels, late) == pytest.approx(2.9 / (2.9 + 0.1 + 0.1) / 10)

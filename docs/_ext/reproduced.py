"""Tables that compare the numbers printed in the papers with computed ones.

The printed numbers and the procedure of the tables of Zhou & Yao are in tests/papers, which checks
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from statistics import fmean

import swaps
from computed import figure, markdown

from ir_measures_graded import CG, DCG_JK, muAP, nCG, parse_measure
from papers import test_jarvelin_kekalainen as jk
from papers import test_scheel as scheel
from papers import test_zhou_yao as zy


def beside(printed: float, value: float, places: int) -> str:
    """A printed number and the computed one with one more digit; bold if they differ.

    >>> beside(0.17, 1 / 6, 2), beside(0.16, 1 / 6, 2), beside(3, 3.0, 0)
    ('0.17 / 0.167', '**0.16 / 0.167**', '3 / 3')
    """
    more_places = places + 1 if places else 0
    text = f"{printed:.{places}f} / {value:.{more_places}f}".replace("-", "−")
    if abs(printed - value) <= 0.5 * 10**-places + 1e-9:
        return text
    return f"**{text}**"


# ---------------------------------------------------------------------- Järvelin & Kekäläinen


def jarvelin_vectors() -> str:
    """The worked vectors of sections 2.1 to 2.3, one row per rank."""
    ideal = jk.IDEAL_QRELS, jk.IDEAL_RUN
    columns = {"gain": list(map(str, jk.G))}
    columns["CG"] = _vector(jk.CG_VECTOR, jk.vector(CG, 10), 0)
    columns["DCG, b = 2"] = _vector(jk.DCG_VECTOR, jk.vector(DCG_JK, 10), 2)
    columns["ideal CG"] = _vector(jk.CG_IDEAL, jk.vector(CG, 13, *ideal), 0)
    columns["ideal DCG"] = _vector(jk.DCG_IDEAL, jk.vector(DCG_JK, 12, *ideal), 2)
    columns["nCG"] = _vector(jk.NCG_VECTOR, jk.vector(nCG, 10), 2)
    ranks = map(str, range(1, 14))
    return markdown(["rank", *columns], zip_longest(ranks, *columns.values(), fillvalue=""))


def _vector(printed: Sequence[float], values: Sequence[float], places: int) -> list[str]:
    return [beside(*pair, places) for pair in zip(printed, values, strict=True)]


def jarvelin_table_1() -> str:
    """Table I: the share of each level, computed from the printed counts."""
    counts = {
        "TREC relevant": ([691, 1004, 724, 353], [25.0, 36.2, 26.1, 12.7]),
        "TREC irrelevant": ([2780, 134, 40, 11], [93.8, 4.5, 1.3, 0.4]),
        "total": ([3471, 1138, 764, 364], [60.5, 19.8, 13.3, 6.4]),
    }
    rows = []
    for level in range(4):
        row = [f"Rel = {level}"]
        for numbers, shares in counts.values():
            share = 100 * numbers[level] / sum(numbers)
            row += [str(numbers[level]), beside(shares[level], share, 1)]
        rows.append(row)
    head = ["level"]
    for name in counts:
        head += [name, "%"]
    return markdown(head, rows)


def jarvelin_numbers() -> str:
    """Numbers in the text of sections 2.2 and 3 that follow from other printed numbers."""
    relevant_per_topic = 1182 / 20
    share_of_levels_2_and_3 = (30.5 + 20.1) / 100
    judged_again = 100 * (1 - 691 / 2772)
    at_1024 = (DCG_JK @ 1024).calc_aggregate(*jk.topic([0] * 1023 + [1], [1]))
    numbers = {
        "documents of levels 2 and 3 per topic": beside(
            29.9, relevant_per_topic * share_of_levels_2_and_3, 1
        ),
        "TREC relevant documents judged relevant again, %": beside(75, judged_again, 0),
        "share of its gain that a document keeps at rank 1024 (b = 2)": beside(0.1, at_1024, 1),
    }
    return markdown(["", "printed / computed"], numbers.items())


# ----------------------------------------------------------------------------------- Zhou & Yao


def zhou_examples() -> str:
    """The worked examples of sections 5 and 6.1."""
    rows = []
    for where, measure, printed, qrels, run in zy.EXAMPLES:
        value = parse_measure(measure).calc_aggregate({"q": qrels}, {"q": run})
        rows.append([where, f"`{measure}`", beside(printed, value, 2)])
    return markdown(["example", "measure", "printed / computed"], rows)


def zhou_table(number: str) -> str:
    """Table 2, 3 or 4, computed as the authors did, one row per system."""
    systems = {system: row for (table, system), row in zy.ROWS.items() if table == int(number)}
    rows = []
    for system, (scores, printed) in systems.items():
        user = zy.USER[int(number)]
        cells = []
        for value, compute in zip(printed, zy.COLUMNS.values()):
            cells.append(beside(value, compute(user, scores), 2))
        rows.append([system, *cells])
    columns = list(zy.COLUMNS)[: len(rows[0]) - 1]
    return markdown(["", *columns], rows)


def zhou_by_definition() -> str:
    """Tables 2 and 4 by the definitions: documents in the system's order, gains from the user."""
    names = (
        "MSR nDCG_JK nDCG_JK(avg=True) WAP Q AGR NDPM(performance=True) ADM(norm='none',max_gain=1)"
    )
    measures = [parse_measure(name) for name in names.split()]
    rows = []
    for (table, system), (scores, _) in zy.ROWS.items():
        if table == 3:
            continue
        qrels = zy.documents(zy.USER[table])
        score_of = zy.documents(scores)["q"]
        run = {doc: score for doc, score in score_of.items() if score > 0}
        values = [measure.calc_aggregate(qrels, {"q": run}) for measure in measures]
        rows.append([f"Table {table}, {system}", *(f"{value:.2f}" for value in values)])
    return markdown(["", *zy.COLUMNS], rows)


def zhou_differences() -> str:
    """The cells that cannot be reproduced, and the reason."""
    rows = []
    for (table, system, column), (value, why) in zy.NOT_REPRODUCED.items():
        _, _, printed = zy.CELLS[table, system, column]
        rows.append([f"Table {table}, {system}", column, beside(printed, value, 2), why])
    return markdown(["cell", "column", "printed / computed", "reason"], rows)


# ------------------------------------------------------------- Scheel, Lommatzsch & Albayrak


def scheel_table_1() -> str:
    """Table 1: average precision by threshold, and µAP."""
    rows = []
    for t in sorted(scheel.AP_AT, reverse=True):
        at_t = muAP(gains={level: int(level >= t) for level in range(5)})
        value = at_t.calc_aggregate(scheel.QRELS, scheel.RUN)
        rows.append([f"t = {t}", f"`{at_t}`", beside(scheel.AP_AT[t], value, 3)])
    mean_of_all = sum(scheel.AP_AT.values()) / len(scheel.AP_AT)
    rows.append(["mean of all", "", beside(0.465, mean_of_all, 3)])
    mu_ap = muAP.calc_aggregate(scheel.QRELS, scheel.RUN)
    rows.append(["µAP", "`muAP`", beside(0.448, mu_ap, 3)])
    return markdown(["threshold", "measure", "AP, printed / computed"], rows)


def scheel_table_2() -> str:
    """Table 2: NDCG and NDCNG at each rank under three weightings."""
    marks = [mark for mark in scheel.test_table_2.pytestmark if mark.name == "parametrize"]
    (parametrized,) = marks
    _, cases = parametrized.args
    gains = ["rel(i)", "rel(i) · 2", "normalised"]
    rows = []
    for gain, (measure, factor, printed, mean) in zip(gains, cases):
        qrels, _ = scheel.topic([factor * level for level in scheel.LEVELS])
        at_ranks = scheel.by_rank(measure, qrels)
        average = beside(mean, fmean(at_ranks), 2)
        rows.append([gain, f"`{measure}`", *_vector(printed, at_ranks, 2), average])
    ranks = [f"@{rank}" for rank in range(1, 9)]
    return markdown(["gain", "measure", *ranks, "mean"], rows)


def scheel_figure(number: str) -> str:
    """Figure 4 (even levels) or 5 (uneven levels), and the widest gap between the curves of each
    measure.
    """
    values = swaps.values_of(uneven=number == "5")
    widest = ", ".join(f"{name} {gap:.2f}" for name, gap in swaps.gaps(values).items())
    alt = (
        "Three panels of curves that fall from 1; the curves of NDCG differ. "
        f"Widest gaps: {widest}."
    )
    picture = figure(f"scheel-{number}", swaps.figure(values), alt)
    return f"{picture}\n\nWidest gap between the curves: {widest}."

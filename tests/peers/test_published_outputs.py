"""Published outputs of NTCIREVAL and trec_eval for real runs, topic by topic, to four decimals.

NTCIREVAL's AP divides by min(R, k) at a cutoff, as its Q does, and is Q with β = 0. The outputs are
those of runs in trec_eval's order, and not in the order of the lines of the files, which differs.
"""

from functools import cache

import ir_measures
import pytest

from ir_measures_graded import CG, Q, muAP, nDCG_JK

HALF_A_DIGIT = 0.00005 + 1e-9
CUTOFFS = [5, 10, 20, 100, 1000]
CASES = [
    ("dl19-passage", "ICT-BERT2", "ICT-BERT2.g1-3-7", {1: 1, 2: 3, 3: 7}),
    ("dl19-passage", "ICT-BERT2", "ICT-BERT2.g1-2-3", {}),
    ("dl19-passage", "ICT-CKNRM_B", "ICT-CKNRM_B.g1-3-7", {1: 1, 2: 3, 3: 7}),
    ("dl19-passage", "ICT-CKNRM_B", "ICT-CKNRM_B.g1-2-3", {}),
    ("cast21-doc", "org_manual_ance_bert", "org_manual_ance_bert.run.g1-2-3-4", {}),
    ("cast21-doc", "org_manual_bm25", "org_manual_bm25.run.g1-2-3-4", {}),
    ("cast21-doc", "org_convdr_bert", "org_convdr_bert.run.g1-2-3-4", {}),
]


@cache
def qrels_of(shared_data, folder):
    if folder == "dl19-passage":
        path = shared_data / "ir_datasets" / "msmarco-passage" / "trec-dl-2019" / "qrels"
    else:
        path = shared_data / folder / "qrels.txt"
    return list(ir_measures.read_trec_qrels(str(path)))


@cache
def run_of(shared_data, folder, name):
    (path,) = (shared_data / folder).rglob(f"{name}.run.gz")
    return list(ir_measures.read_trec_run(str(path)))


def values(measures, qrels, run):
    return {(m, topic): v for topic, m, v in ir_measures.iter_calc(measures, qrels, run)}


def four_decimals(value):
    return pytest.approx(value, abs=HALF_A_DIGIT)


def printed_by_ntcireval(path):
    """(name, topic) to value, from lines such as ``1037798 nDCG@0010=           0.1499``."""
    printed = {}
    for line in path.read_text().splitlines():
        topic, name, *_, value = line.split()
        if name != "#":
            printed[name.rstrip("="), topic] = float(value)
    return printed


@pytest.mark.parametrize(
    ("folder", "run", "output", "gains"), CASES, ids=[case[2] for case in CASES]
)
def test_ntcireval(shared_data, folder, run, output, gains):
    printed = printed_by_ntcireval(shared_data / folder / "ntcireval" / f"{output}.nev")
    q = Q(beta=1.0, gains=gains)
    ap = Q(beta=0, gains=gains)
    ndcg = nDCG_JK(b=2, gains=gains)
    measures = {"Q-measure": q, "AP": ap}
    for k in CUTOFFS:
        measures[f"nDCG@{k:04}"] = ndcg @ k
        measures[f"Q@{k:04}"] = q @ k
        measures[f"AP@{k:04}"] = ap @ k
    qrels = qrels_of(shared_data, folder)
    computed = values(measures.values(), qrels, run_of(shared_data, folder, run))
    topics = {topic for _, topic in printed}
    count = 43 if folder == "dl19-passage" else 158
    assert len(topics) == count
    assert {topic for _, topic in computed} == topics
    for name, measure in measures.items():
        for topic in topics:
            assert computed[measure, topic] == four_decimals(printed[name, topic]), (name, topic)


DL19 = ["ICT-BERT2", "ICT-CKNRM_B", "ICT-CKNRM_B50"]
DL21 = ["p_bm25", "p_bm25rm3", "p_f10_mdt53b", "p_f10_mdt5base", "pash_f1", "paug_bm25"]


@pytest.mark.parametrize(
    ("folder", "run"),
    [*(("dl19-passage", run) for run in DL19), *(("dl21-passage", run) for run in DL21)],
)
def test_trec_eval(shared_data, folder, run):
    cutoffs = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    binary = {1: 1, 2: 1, 3: 1}
    qrels = qrels_of(shared_data, folder)
    measures = {f"P_{k}": CG(gains=binary) @ k for k in cutoffs}
    measures |= {"map": muAP(gains=binary), "num_rel_ret": CG(gains=binary)}
    computed = values(measures.values(), qrels, run_of(shared_data, folder, run))
    output = shared_data / folder / "trec_eval" / f"{run}.treceval"
    checked = 0
    for line in output.read_text().splitlines():
        name, topic, printed = line.split()
        if name in measures and topic != "all":
            measure = measures[name]
            value = computed[measure, topic] / (measure["cutoff"] or 1)
            assert value == four_decimals(float(printed)), (name, topic)
            checked += 1
    assert checked == len(measures) * len({row.query_id for row in qrels})

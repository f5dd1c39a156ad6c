"""Q as NTCIREVAL has it: pyNTCIREVAL's QMeasure, and AP, Q's β = 0, in NTCIREVAL's published outputs.

That its Q-measure and Q@k come out too is in `test_published_outputs`. NTCIREVAL's AP divides by
min(R, k) at a cutoff, as its Q does. The published outputs are of runs in trec_eval's order (score
descending, then document id descending), not in the order of the files' lines and ranks: shown on
the topics where the two part.
"""

from random import Random

import ir_measures
import pytest

from ir_measures_graded import AGR, WAP, Q

CUTOFFS = [5, 10, 20, 100, 1000]
FOUR_DECIMALS = 0.00005 + 1e-9
OUTPUTS = [
    ("dl19-passage", "ICT-BERT2", "ICT-BERT2.g1-3-7"),
    ("dl19-passage", "ICT-CKNRM_B", "ICT-CKNRM_B.g1-2-3"),
    ("cast21-doc", "org_manual_ance_bert", "org_manual_ance_bert.run.g1-2-3-4"),
    ("cast21-doc", "org_manual_bm25", "org_manual_bm25.run.g1-2-3-4"),
    ("cast21-doc", "org_convdr_bert", "org_convdr_bert.run.g1-2-3-4"),
]


def q_measure(qrels, ranked, grades, beta, cutoff):
    """The value of pyNTCIREVAL."""
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL.metrics import QMeasure

    labeler = Labeler(qrels)
    metric = QMeasure(labeler.compute_per_level_doc_num(len(grades) + 1), grades, beta, cutoff)
    return metric.compute(labeler.label(ranked))


def random_topic(random):
    docs = [f"d{number}" for number in range(60)]
    judged = {doc: random.choice([0, 0, 1, 1, 2, 3, 4]) for doc in random.sample(docs, random.randint(1, 50))}
    judged["d0"] = random.randint(1, 4)  # pyNTCIREVAL divides by 0 where nothing is relevant
    return judged, random.sample(docs, random.randint(1, 60))


@pytest.mark.parametrize("beta", [0, 0.1, 1, 10])
@pytest.mark.parametrize("grades", [[1, 2, 3, 4], [1, 3, 7, 15], [0.5, 0.5, 10, 100], [4, 3, 2, 1]])
@pytest.mark.parametrize("cutoff", [None, 1, 2, 5, 10, 100])
def test_q_of_random_topics(beta, grades, cutoff):
    pytest.importorskip("pyNTCIREVAL", reason="pyNTCIREVAL is not installed")
    random = Random(f"{beta} {grades} {cutoff}")
    topics = {f"q{number}": random_topic(random) for number in range(8)}
    qrels = {name: judged for name, (judged, _) in topics.items()}
    run = {name: {doc: -rank for rank, doc in enumerate(docs)} for name, (_, docs) in topics.items()}
    measure = Q(beta=beta, gains=dict(enumerate(grades, 1)), cutoff=cutoff)
    for topic, _, value in measure.iter_calc(qrels, run):
        expected = q_measure(*topics[topic], grades, beta, cutoff)
        assert value == pytest.approx(expected, rel=1e-12)


def test_a_large_beta_leads_to_wap():
    random = Random(1)
    topics = {f"q{number}": random_topic(random) for number in range(20)}
    qrels = {name: judged for name, (judged, _) in topics.items()}
    run = {name: {doc: -rank for rank, doc in enumerate(docs)} for name, (_, docs) in topics.items()}
    for measure in (WAP, WAP @ 10):
        wanted = [value for *_, value in measure.iter_calc(qrels, run)]
        near = Q(beta=1e12, cutoff=measure["cutoff"]).iter_calc(qrels, run)
        assert [value for *_, value in near] == pytest.approx(wanted, rel=1e-9)
        assert wanted != [value for *_, value in AGR(cutoff=measure["cutoff"]).iter_calc(qrels, run)]


def real(shared_data, folder, name, output):
    """Qrels, the run, and NTCIREVAL's values by name and topic."""
    qrels = shared_data / "ir_datasets" / "msmarco-passage" / "trec-dl-2019" / "qrels"
    if folder != "dl19-passage":
        qrels = shared_data / folder / "qrels.txt"
    printed = {}
    for line in (shared_data / folder / "ntcireval" / f"{output}.nev").read_text().splitlines():
        topic, key, *_, value = line.split()
        if key != "#":
            printed[key.rstrip("="), topic] = float(value)
    run = shared_data / folder / "runs" / f"{name}.run.gz"
    return list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run))), printed


@pytest.mark.parametrize(("folder", "name", "output"), OUTPUTS, ids=str)
def test_without_gains_q_is_average_precision(shared_data, folder, name, output):
    qrels, run, printed = real(shared_data, folder, name, output)
    named = {"AP": Q(beta=0)} | {f"AP@{k:04}": Q(beta=0) @ k for k in CUTOFFS}
    names = {measure: name for name, measure in named.items()}
    found = list(ir_measures.iter_calc(named.values(), qrels, run))
    assert len(found) == len(named) * len({topic for _, topic in printed})
    for topic, measure, value in found:
        assert value == pytest.approx(printed[names[measure], topic], abs=FOUR_DECIMALS), (measure, topic)


@pytest.mark.parametrize(
    ("folder", "name", "output"), OUTPUTS[2:], ids=[output for *_, output in OUTPUTS[2:]]
)
def test_tied_documents_stand_in_trec_evals_order_not_in_the_files(shared_data, folder, name, output):
    qrels, run, printed = real(shared_data, folder, name, output)
    as_in_the_file = [row._replace(score=-place) for place, row in enumerate(run)]
    differ = 0
    ours, of_file = Q.iter_calc(qrels, run), Q.iter_calc(qrels, as_in_the_file)
    for (topic, _, value), (_, _, other) in zip(ours, of_file):
        if value != pytest.approx(other, abs=1e-4):
            assert value == pytest.approx(printed["Q-measure", topic], abs=FOUR_DECIMALS)
            assert other != pytest.approx(printed["Q-measure", topic], abs=FOUR_DECIMALS)
            differ += 1
    assert differ

"""One measure against the peers, side by side in one process, for every form of input.

    python tests/benchmarks/peers.py [WORKLOAD …] [--json FILE] [--repeat N]

Ours is nDCG_JK(b=2)@100, theirs nDCG@100, each through ``ir_measures.calc_aggregate`` with all that a
user pays: the qrels and the run as they are, the mean over topics as the result. Repetitions are
interleaved, the median counts, and `ratio` is a peer's time divided by ours on the same input.

Workloads, generated from fixed seeds, with string ids and some tied scores: S 50 topics × 1000
retrieved, 300 judged, levels 0–3; M 250 × 1000, 1250 judged, levels 0–2; L 6980 × 1000, 1–2 judged; X
1000 × 1000, 1000 judged, levels 0–4. Half of the judged documents are retrieved, or all of them where
they are few. Qrels and run have id strings of their own, as when they are read from two files.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas
from ir_measures import Qrel, ScoredDoc, nDCG

from ir_measures_graded import nDCG_JK

WORKLOADS = {
    "S": (50, 1000, 300, 4),
    "M": (250, 1000, 1250, 3),
    "L": (6980, 1000, 2, 3),
    "X": (1000, 1000, 1000, 5),
}
Rows = tuple[list[str], list[str], list[Any]]
Call = Callable[[], Any]
HEAD = "{:10}{:24}{:>12}{:>12}{:>8}"
ROW = "{:10}{:24}{:>9.1f} ms{:>9.1f} ms{:>8.1f}"


def workload(topics: int, retrieved: int, judged: int, levels: int) -> tuple[Rows, Rows]:
    """Columns of qrels and of a run: topics, documents, levels or scores."""
    random = np.random.default_rng(topics)
    qrels: Rows = ([], [], [])
    run: Rows = ([], [], [])
    for number in range(topics):
        pool = random.permutation(3 * retrieved + judged)
        both = min(judged, retrieved // 2)
        of_topic = np.concatenate((random.permutation(pool[:retrieved])[:both], pool[-(judged - both) :]))
        if judged <= both:
            of_topic = of_topic[: random.integers(1, judged + 1)]
        for rows, documents, values in (
            (qrels, of_topic, random.integers(min(1, judged > both), levels, of_topic.size)),
            (run, pool[:retrieved], np.sort(np.round(random.normal(size=retrieved), 3))[::-1]),
        ):
            rows[0].extend([f"{number + 1}"] * documents.size)
            rows[1].extend(f"doc-{number:04}-{document:06}" for document in documents.tolist())
            rows[2].extend(values.tolist())
    return qrels, run


def forms(qrels: Rows, run: Rows) -> Iterator[tuple[str, Any, Any]]:
    """Qrels and run in each form that ir-measures takes."""
    for name in ("str", "object", "category"):
        yield (
            f"frame, {name}",
            *(
                pandas.DataFrame(dict(zip(names, rows))).astype({"query_id": name, "doc_id": name})
                for names, rows in ((Qrel._fields[:3], qrels), (ScoredDoc._fields, run))
            ),
        )
    yield "dicts", by_topic(qrels), by_topic(run)
    yield "tuples", [Qrel(*row) for row in zip(*qrels)], [ScoredDoc(*row) for row in zip(*run)]


def by_topic(rows: Rows) -> dict[str, dict[str, Any]]:
    """A dict of dicts."""
    result: dict[str, dict[str, Any]] = {}
    for topic, document, value in zip(*rows):
        result.setdefault(topic, {})[document] = value
    return result


def peers(form: str, qrels: Any, run: Any, topics: int) -> Iterator[tuple[str, Call]]:
    """What there is to compare with on this input; those that are not installed are left out."""
    yield "ir_measures, pytrec_eval", lambda: ir_measures.calc_aggregate([nDCG @ 100], qrels, run)
    if form == "frame, object" and topics <= 250:
        measure = ir_measures.define_byquery(_ndcg_by_query, name="byquery")
        yield "define_byquery", lambda: ir_measures.calc_aggregate([measure], qrels, run)
    if form == "dicts":
        import pytrec_eval

        def raw() -> Any:
            return pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.100"}).evaluate(run)

        yield "pytrec_eval", raw
        with suppress(ImportError):
            import ranx

            def with_ranx() -> Any:
                return ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "ndcg@100")

            with_ranx()  # compiles
            yield "ranx", with_ranx
        with suppress(ImportError):
            if topics <= 50:
                yield "pyNTCIREVAL", _pyntcireval(qrels, run)


def _ndcg_by_query(qrels: pandas.DataFrame, run: pandas.DataFrame) -> float:
    """The measure as a user of `define_byquery` would write it."""
    gains = dict(zip(qrels["doc_id"], qrels["relevance"]))
    ranks = np.arange(1, 101)
    weight = 1 / np.maximum(1, np.log2(ranks))
    own = np.array([gains.get(doc, 0) for doc in run["doc_id"][:100]], dtype=float)
    best = np.sort(qrels["relevance"].to_numpy(dtype=float))[::-1][:100]
    ideal = (best * weight[: best.size]).sum()
    return (own * weight[: own.size]).sum() / ideal if ideal else 0.0


def _pyntcireval(qrels: Any, run: Any) -> Call:
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL.metrics import nDCG as Metric

    def evaluate() -> list[float]:
        values = []
        for topic, levels in qrels.items():
            labeler = Labeler(levels)
            ranked = sorted(run[topic], key=run[topic].__getitem__, reverse=True)
            counts = labeler.compute_per_level_doc_num(4)
            values.append(Metric(counts, [1, 2, 3], 2, 100).compute(labeler.label(ranked)))
        return values

    return evaluate


def medians(calls: dict[str, Call], repeat: int) -> dict[str, float]:
    """The median seconds of each call, their repetitions interleaved."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(of_call) for name, of_call in times.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("workloads", nargs="*", choices=[[], *WORKLOADS], default=["S", "M"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    results = []
    print(HEAD.format("workload", "input, peer", "peer", "ours", "ratio"))
    for name in arguments.workloads:
        for form, qrels, run in forms(*workload(*WORKLOADS[name])):
            calls: dict[str, Call] = {
                "ours": lambda qrels=qrels, run=run: ir_measures.calc_aggregate([nDCG_JK @ 100], qrels, run),
                **dict(peers(form, qrels, run, WORKLOADS[name][0])),
            }
            seconds = medians(calls, arguments.repeat)
            ours = seconds.pop("ours")
            print(f"{name:10}{form}")
            for peer, theirs in seconds.items():
                print(ROW.format("", peer, 1e3 * theirs, 1e3 * ours, theirs / ours))
                results.append(
                    {"workload": name, "form": form, "peer": peer, "seconds": theirs, "ours": ours}
                )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

"""Makes vectors.json of the package: small collections, and the exact value of each measure for
each topic.

Run ``python docs/_ext/vectors.py`` after a change of a measure; tests/docs/test_vectors.py compares
the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ir_measures import Measure

from ir_measures_graded import GradedError, __version__, parse_measure
from ir_measures_graded.analysis import Evaluation, evaluate
from ir_measures_graded.core.measures import measures_of_levels

FILE = Path(__file__).parents[2] / "src" / "ir_measures_graded" / "vectors" / "vectors.json"

Collection = tuple[str, dict[str, dict[str, float]], dict[str, dict[str, float]]]
WORKED = {"a": 2, "b": 0, "c": 3, "e": 1, "f": 1, "x": 2, "y": 1, "z": 0}
LISTED = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.5, "f": 0.25}
COLLECTIONS: dict[str, Collection] = {
    "plain": (
        "all retrieved documents are judged, no scores are tied",
        {"q1": {"a": 3, "b": 2, "c": 0, "d": 1, "e": 1}, "q2": {"f": 1, "g": 0, "h": 2, "i": 0}},
        {
            "q1": {"c": 0.75, "a": 0.5, "e": 0.25, "b": 0.125},
            "q2": {"h": 1.0, "g": 0.5, "f": 0.25, "i": 0.0},
        },
    ),
    "ties": (
        "tied scores: ids decide, descending by UTF-8 bytes; in q2, scores that only differ as "
        "64-bit floats",
        {"q1": {"a": 3, "b": 0, "c": 1, "d": 2}, "q2": {"é": 2, "z": 0, "10": 1, "9": 3}},
        {
            "q1": {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25, "u": 0.5},
            "q2": {"é": 0.5, "z": 0.5 + 1e-12, "10": 0.5 + 2e-12, "9": 0.25},
        },
    ),
    "unjudged": (
        "retrieved documents without a judgment, and judged ones that are not retrieved",
        {"q1": WORKED, "q2": {"a": 1, "b": 3}},
        {"q1": LISTED, "q2": {"u": 0.9, "v": 0.5, "b": 0.25}},
    ),
    "missing topic": (
        "the run lacks q2; the qrels lack q3, which has no value",
        {"q1": {"a": 2, "b": 1}, "q2": {"a": 1, "b": 0}},
        {"q1": {"b": 0.5, "a": 0.25}, "q3": {"a": 1.0}},
    ),
    "nothing relevant": (
        "no document of q1 is relevant; q2 retrieves none of its relevant documents",
        {"q1": {"a": 0, "b": 0}, "q2": {"a": 2, "b": 0, "c": 1}},
        {"q1": {"a": 0.5, "b": 0.25}, "q2": {"b": 0.5, "u": 0.25}},
    ),
    "real levels": (
        "levels that are not whole numbers",
        {"q1": {"a": 0.5, "b": 2.25, "c": 0, "d": 1.75}, "q2": {"a": 0.125, "b": 0.5}},
        {"q1": {"a": 0.75, "c": 0.5, "b": 0.25}, "q2": {"a": 0.5, "b": 0.25}},
    ),
    "negative levels": (
        "a negative level gains nothing, but its document is judged",
        {"q1": {"a": -2, "b": 1, "c": 2, "d": 0}, "q2": {"a": -1, "b": -1, "c": 1}},
        {"q1": {"a": 0.75, "c": 0.5, "u": 0.375, "b": 0.25}, "q2": {"a": 0.5, "c": 0.25}},
    ),
    "short lists": (
        "cutoffs beyond the end of the list, and fewer relevant documents than the cutoff",
        {"q1": {"a": 1}, "q2": {"a": 3, "b": 2, "c": 2, "d": 1, "e": 1, "f": 1}},
        {"q1": {"a": 0.5}, "q2": {"c": 0.5, "f": 0.25}},
    ),
    "large levels": (
        "levels above those that many tools expect; 2^level is above the limit of 32-bit integers",
        {"q1": {"a": 40, "b": 7, "c": 5, "d": 0}, "q2": {"a": 31, "b": 32, "c": 1}},
        {"q1": {"b": 0.75, "d": 0.5, "a": 0.25, "c": 0.125}, "q2": {"a": 0.5, "u": 0.25}},
    ),
}
MEASURES = measures_of_levels()
GRADED = {measure.NAME for measure in MEASURES}
CUTOFFS = (1, 3, 10)
OPTIONS = """DCG_JK(b=10) DCG_JK(b=3.5) nDCG_JK(b=10) nDCG_JK(b=3.5) NDCNG(max_gain=10) Q(beta=10)
    ERR_G(max_gain=15) nERR(max_gain=15) EBR(beta=0.5) iRBU(p=0.5) RBP_G(p=0.5)
    RBP_G(residual=True) O_measure(beta=10) P_measure(beta=10) P_plus(beta=10)
    NCU(stop='gu',utility='BR') NCU(stop='rb',utility='P') NCU(stop='rb',utility='BR')
    SR(ideal='retrieved') MSR(ideal='retrieved') gP(max_gain=10) NDPM(performance=True)
    KendallTau(variant='a') KendallTau(variant='c') ADM(norm='none',max_gain=10)
    RelativeRelevance(norm='none') ESL(n=3) ESL(docs=100) ASL(docs=100) NR(docs=100)
    Fallout(docs=100) R_cap(rel=2) F1(rel=2)"""
"""The options of each measure besides cutoffs, gains, avg, judged_only, ties and tied_by."""
SHARED: list[dict[str, Any]] = [
    {"gains": "exp"},
    {"gains": "linear"},
    {"gains": {1: 1, 2: 10, 3: 100}},
    {"judged_only": True},
    {"judged_only": False},
    {"ties": "mean"},
    {"tied_by": "rank"},
    {"avg": True},
]


STANDARD = """P@1 P@3 P@10 P(rel=2)@3 R@3 R@10 R(rel=2)@3 RR RR(rel=2) AP AP(rel=2) AP@3 nDCG nDCG@3
    nDCG@10 Rprec Success@1 Success@3 Bpref IPrec@0.5 SetP SetR SetF"""


def measures() -> Iterator[Measure]:
    """Standard measures, then every graded measure at its defaults, at cutoffs, and with its
    options.
    """
    yield from map(parse_measure, STANDARD.split())
    for measure in MEASURES:
        of_all = map(parse_measure, OPTIONS.split())
        variants = [measure, *(variant for variant in of_all if variant.NAME == measure.NAME)]
        for options in SHARED:
            with suppress(GradedError):  # not an option of this measure
                variants.append(measure(**options))
        variants = list(dict.fromkeys(variants))
        kept = [] if measure.CUTOFF_REQUIRED else list(variants)
        if measure.CUTOFF:
            kept += [variant @ k for variant in variants[:3] for k in CUTOFFS]
        yield from dict.fromkeys(kept)


def evaluations(measures: list[Measure], qrels: Any, run: Any) -> Iterator[Evaluation]:
    """Evaluations of the measures that have values: a gain may be above max_gain, for example."""
    try:
        yield evaluate(qrels, {"run": run}, measures)
    except GradedError:
        half = len(measures) // 2
        if half:
            yield from evaluations(measures[:half], qrels, run)
            yield from evaluations(measures[half:], qrels, run)


def without_values(measure: Measure) -> dict[str, Any]:
    """The entry of a measure in the file, before it is evaluated."""
    options = {name: value for name, value in measure.params.items() if name != "cutoff"}
    return {
        "measure": str(measure),
        "name": measure.NAME,
        "options": options,
        "cutoff": measure.params.get("cutoff"),
        "values": {},
        "means": {},
    }


def vectors() -> dict[str, Any]:
    """The content of the file."""
    values = {measure: without_values(measure) for measure in measures()}
    for name, (_, qrels, run) in COLLECTIONS.items():
        # ir-measures cuts real levels.
        of_all = [measure for measure in values if measure.NAME in GRADED or name != "real levels"]
        for result in evaluations(of_all, qrels, run):
            means = result.means()[0].tolist()
            for measure, mean, by_topic in zip(result.measures, means, result.values[0]):
                values[measure]["values"][name] = dict(zip(result.topics, by_topic.tolist()))
                values[measure]["means"][name] = mean
    return {
        "license": "CC0-1.0",
        "version": __version__,
        "collections": {
            name: {"about": about, "qrels": qrels, "run": run}
            for name, (about, qrels, run) in COLLECTIONS.items()
        },
        "measures": list(values.values()),
    }


def text() -> str:
    """The file: one line per collection and per measure, floats with all their digits."""

    def lines(items: list[str]) -> str:
        return ",\n".join(f"  {item}" for item in items)

    content = vectors()
    collections = []
    for name, collection in content["collections"].items():
        collections.append(f"{json.dumps(name)}: {_json(collection)}")
    measures = list(map(_json, content["measures"]))
    license = f'"license": {json.dumps(content["license"])}'
    version = f'"version": {json.dumps(content["version"])}'
    return (
        f"{{\n{license},\n{version},\n"
        f'"collections": {{\n{lines(collections)}\n}},\n'
        f'"measures": [\n{lines(measures)}\n]\n}}\n'
    )


def _json(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

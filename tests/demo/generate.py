"""Writes the files of ``graded-demo``: ``python tests/demo/generate.py [FOLDER]``.

For each topic, the documents are shuffled. The first ones are judged at the levels that `TOPICS`
counts; the next ones are unjudged. A system scores a document by its level (`System.lift`), times
a factor for the topic, plus noise that all systems share and noise of its own. It returns the best
`DEPTH` documents.

The bytes are the same on every Python and platform. All random numbers come from
``random.Random.random()``, whose sequence Python guarantees. The arithmetic is ``+ - * /`` in a
fixed order, because ``math`` rounds as the platform does, ``random.shuffle`` may change and
``sum`` of floats changed in Python 3.12. `lightgbm` rounds to four decimals, so such differences
do not show.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ir_measures_graded.demo import DATA, NAME

SEED = 2002
COLLECTION = 6000  # documents
UNJUDGED = 200  # unjudged documents of a topic that a system may retrieve
DEPTH = 100  # documents that a system returns for a topic

Draw = Callable[[], float]


class Topic(NamedTuple):
    """A topic: its id, the query, and the number of documents judged at each level 0, 1, 2, 3."""

    id: str
    query: str
    judged: tuple[int, int, int, int]


# The topic numbers are the paper's, the queries are ours. The sums are the paper's: 1182 relevant
# documents, 49.4 % of them at level 1, 30.5 % at 2, 20.1 % at 3; 60.5 % of all judgments at 0 (its
# Table I).
TOPICS = [
    Topic("351", "beekeeping on city roofs rules", (96, 31, 22, 14)),
    Topic("353", "tidal power stations harm to wildlife", (88, 43, 30, 17)),
    Topic("355", "restoration of medieval frescoes", (107, 26, 13, 9)),
    Topic("358", "bicycle helmet laws and head injuries", (74, 19, 13, 11)),
    Topic("360", "who pays for free school meals", (113, 48, 31, 22)),
    Topic("362", "illegal trade in wild orchids", (62, 14, 8, 5)),
    Topic("364", "seed banks for old vegetable varieties", (70, 12, 11, 9)),
    Topic("365", "coastal erosion and house insurance", (93, 35, 19, 12)),
    Topic("372", "television in minority languages", (85, 22, 15, 6)),
    Topic("373", "counterfeit medicines found by customs", (101, 40, 27, 15)),
    Topic("377", "tea auctions and the income of growers", (58, 10, 6, 4)),
    Topic("378", "withdrawal of night train services", (118, 58, 33, 21)),
    Topic("384", "growing vegetables on space stations", (66, 16, 9, 8)),
    Topic("385", "converting old city buses to electric drive", (109, 37, 24, 17)),
    Topic("387", "removal of asbestos from schools", (120, 30, 20, 13)),
    Topic("392", "milking robots on small dairy farms", (91, 33, 23, 15)),
    Topic("393", "consent to organ donation", (98, 28, 17, 12)),
    Topic("396", "street lighting and migrating birds", (77, 17, 10, 7)),
    Topic("399", "lighthouses without keepers", (69, 13, 7, 3)),
    Topic("400", "paying farmers to restore peat bogs", (115, 52, 22, 18)),
]


class System(NamedTuple):
    """A retrieval system: its scores of documents, and the topics for which it returns nothing.

    `lift` has the score of a document at level 0, 1, 2 and 3, `chance` is the weight of the noise
    of its own, and `write` gives its scores their format.
    """

    lift: tuple[float, float, float, float]
    chance: float
    write: Callable[[float], str]
    unanswered: tuple[str, ...] = ()


def above_12(score: float) -> str:
    return f"{12 + score:.5f}"


def below_0(score: float) -> str:
    return f"{score - 8:.5f}"


def whole(score: float) -> str:
    return f"{int(3 * (score + 10)) - 24}"


def probability(score: float) -> str:
    return f"{(score + 6) / 15:.7f}"


def above_40(score: float) -> str:
    return f"{40 + 8 * score:.5f}"


SYSTEMS = {
    "A": System((0.0, 0.6, 0.7, 0.7), 1.1, above_12),
    "B": System((0.0, 1.8, 1.5, 1.2), 1.0, below_0, unanswered=("362",)),
    "C": System((0.0, 1.0, 1.2, 1.4), 1.0, whole),
    "D": System((0.0, 0.3, 1.2, 2.3), 1.0, probability),
    "E": System((0.0, 1.5, 1.9, 2.2), 1.0, above_40),
}


def files() -> dict[str, str]:
    """The text of each file of the collection, by file name."""
    draw = random.Random(SEED).random
    queries = [f"{topic.id}\t{topic.query}" for topic in TOPICS]
    qrels: list[str] = []
    runs: dict[str, list[str]] = {name: [] for name in SYSTEMS}
    for topic in TOPICS:
        levels = [level for level, count in enumerate(topic.judged) for _ in range(count)]
        docs = deck(draw)[: len(levels) + UNJUDGED]
        qrels += sorted(f"{topic.id} 0 {doc} {level}" for doc, level in zip(docs, levels))
        levels += [0] * UNJUDGED
        easy = 0.6 + 0.8 * draw()
        shared = [bell(draw) for _ in docs]
        for name, system in SYSTEMS.items():
            factor = easy * (0.7 + 0.6 * draw())
            scores = []
            for level, noise in zip(levels, shared):
                own_noise = system.chance * bell(draw)
                score = factor * system.lift[level] + noise + own_noise
                scores.append(system.write(score))
            if topic.id not in system.unanswered:
                runs[name] += ranking(topic.id, docs, scores, name)
    contents = {"queries.tsv": queries, "qrels.txt": qrels}
    contents |= {f"{name}.run": run for name, run in runs.items()}
    contents["lightgbm.csv"] = ["topic,value", *lightgbm(qrels, runs["A"])]
    texts = {name: text_of(lines) for name, lines in contents.items()}
    return texts | {"metadata.json": metadata(len(runs["A"]))}


def text_of(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def deck(draw: Draw) -> list[str]:
    """The ids of all documents of the collection, shuffled."""
    keyed = sorted((draw(), number) for number in range(COLLECTION))
    return [f"d{number:04d}" for _, number in keyed]


def bell(draw: Draw) -> float:
    """A nearly normal number of mean 0 and variance 1: the sum of twelve uniform ones, − 6."""
    total = -6.0
    for _ in range(12):
        total += draw()
    return total


def ranking(topic: str, docs: Iterable[str], scores: Iterable[str], tag: str) -> list[str]:
    """The lines of a topic in a TREC run, in trec_eval's order: ties by descending document id."""
    order = sorted(((float(score), doc, score) for doc, score in zip(docs, scores)), reverse=True)
    lines = []
    for rank, (_, doc, score) in enumerate(order[:DEPTH], start=1):
        lines.append(f"{topic} Q0 {doc} {rank} {score} {tag}")
    return lines


def lightgbm(qrels: list[str], run: list[str]) -> Iterator[str]:
    """The lines of LightGBM's ndcg@10: gains 2^level - 1, and ideal lists of what was retrieved."""
    levels: dict[tuple[str, str], int] = {}
    for line in qrels:
        topic, _, doc, level = line.split()
        levels[topic, doc] = int(level)
    gains_of_topic: dict[str, list[int]] = {}
    for line in run:
        topic, _, doc, *_ = line.split()
        gains_of_topic.setdefault(topic, []).append(2 ** levels.get((topic, doc), 0) - 1)
    for topic, gains in gains_of_topic.items():
        ideal = sorted(gains, reverse=True)
        yield f"{topic},{dcg_at_10(gains) / dcg_at_10(ideal):.4f}"


def dcg_at_10(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:10], start=1))


def metadata(scoreddocs: int) -> str:
    """The counts that ir-datasets shows without reading the files, in its format."""
    levels = {str(level): sum(topic.judged[level] for topic in TOPICS) for level in range(4)}
    qrels = {"count": sum(levels.values()), "fields": {"relevance": {"counts_by_value": levels}}}
    counts = {
        "queries": {"count": len(TOPICS)},
        "qrels": qrels,
        "scoreddocs": {"count": scoreddocs},
    }
    return json.dumps({NAME: counts}, indent=2) + "\n"


def write(folder: Path) -> None:
    """Write all files into `folder`, and create it if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_bytes(text.encode("ascii"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=f"Write the files of the collection {NAME}.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=DATA, help="where to (default: %(default)s)"
    )
    write(parser.parse_args().folder)

"""``graded-demo``, the bundled demo collection: a small graded collection with five runs.

It has twenty topics and four levels of relevance, in the proportions of Järvelin & Kekäläinen 2002
(section 3.2): 1182 of 2992 judged documents are relevant, 49.4 % of them marginally, 30.5 % fairly
and 20.1 % highly. All data is synthetic; there are no document texts.

Each run returns 100 documents per topic, judged and unjudged:

- **A** is the weakest, a plain baseline that hardly distinguishes the levels. It is also the
  collection's ``scoreddocs``.
- **B** prefers marginal documents, so it is good only when all relevant documents count equally. It
  returns nothing for topic 362.
- **C** scores in whole numbers, so it ties many documents.
- **D** is strong on highly relevant documents and ignores marginal ones.
- **E** is the best overall: only B finds more marginal documents, only D more highly relevant ones.

``nCG@100`` and ``nDCG_JK@100`` order the runs E, B, C, D, A with the gains 0-1-1-1, and D, E, C, B,
A with 0-1-10-100.

>>> from ir_measures_graded import demo
>>> list(demo.run_paths())
['A', 'B', 'C', 'D', 'E']
>>> demo.register_demo()
>>> import ir_datasets
>>> next(ir_datasets.load("graded-demo").queries_iter()).text
'beekeeping on city roofs rules'
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..errors import warn_of_registration

NAME = "graded-demo"
DATA = Path(__file__).parent / "data"

# Condensed from section 3.2 of the paper.
LEVELS = {
    0: "Irrelevant: contains no information about the topic.",
    1: "Marginally relevant: only points to the topic; no more or other information than the topic "
    "statement.",
    2: "Fairly relevant: more information than the topic statement, but not exhaustive; of a "
    "multifaceted topic only some subthemes are covered.",
    3: "Highly relevant: discusses the themes of the topic exhaustively; of a multifaceted topic "
    "all or most subthemes are covered.",
}


def queries_path() -> Path:
    """The file of queries: topic and text, tab-separated."""
    return DATA / "queries.tsv"


def qrels_path() -> Path:
    """The qrels file, in TREC format."""
    return DATA / "qrels.txt"


def run_paths() -> dict[str, Path]:
    """The files of the five runs by name, in TREC format."""
    return {name: DATA / f"{name}.run" for name in "ABCDE"}


def register_demo() -> None:
    """Register ``graded-demo`` with ir-datasets, and so with PyTerrier as ``irds:graded-demo``.

    Files are read only when they are used, nothing is downloaded, and a second call has no effect.
    If another collection has the id, it is kept and a `RegistrationWarning` is issued. The function
    imports ir-datasets, which takes half a second.

    >>> register_demo()
    >>> import ir_datasets
    >>> ir_datasets.load("graded-demo").queries_count()
    20
    """
    import ir_datasets

    if NAME not in ir_datasets.registry:
        ir_datasets.registry.register(NAME, _collection())
    elif getattr(ir_datasets.registry[NAME], "origin", None) != __name__:
        warn_of_registration(
            f"the demo collection is not registered: ir_datasets already has a {NAME}"
        )


def _collection() -> Any:
    """The collection, made of ir-datasets' components."""
    from ir_datasets import Dataset
    from ir_datasets.formats import TrecQrels, TrecScoredDocs, TsvQueries
    from ir_datasets.util import LocalDownload, MetadataComponent, MetadataProvider

    def local(path: Path) -> Any:
        return LocalDownload(path, mkdir=False)

    queries = TsvQueries(local(queries_path()), namespace=NAME, lang="en")
    qrels = TrecQrels(local(qrels_path()), LEVELS)
    scoreddocs = TrecScoredDocs(local(run_paths()["A"]))
    mark = SimpleNamespace(origin=__name__)  # identifies our collection in `register_demo`
    parts = Dataset(queries, qrels, scoreddocs, mark)
    counts = MetadataProvider(MetadataProvider.json_loader(local(DATA / "metadata.json")))
    return Dataset(MetadataComponent(NAME, parts, counts), parts)

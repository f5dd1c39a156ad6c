"""``graded-demo``, a small graded collection in the box, with five runs.

Twenty topics and four levels of relevance in the proportions of Järvelin & Kekäläinen 2002 (section
3.2): 1182 relevant documents, 49.4 % of them marginal, 30.5 % fair, 20.1 % high, among 2992 judged
ones. Everything is made up, by `ir_measures_graded.demo.generate`; there are no document texts.

The runs return 100 documents a topic, judged or not:

- **A** is the weakest, a plain baseline that hardly tells levels apart. It is also the collection's
  ``scoreddocs``.
- **B** likes marginal documents best, and so looks good only where every relevant document counts
  alike. It has no answer for topic 362.
- **C** scores in whole numbers, and so ties many documents.
- **D** is strong on highly relevant documents and passes over marginal ones.
- **E** is the best all round: only B finds more marginal documents, only D more highly relevant ones.

By ``nCG@100`` as by ``nDCG_JK@100`` their order is E, B, C, D, A with the gains 0-1-1-1 and D, E, C,
B, A with 0-1-10-100.

>>> from ir_measures_graded import demo
>>> list(demo.run_paths())
['A', 'B', 'C', 'D', 'E']
>>> demo.register()
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

# The paper's section 3.2, condensed.
LEVELS = {
    0: "Irrelevant: contains no information about the topic.",
    1: "Marginally relevant: only points to the topic; no more or other information than the topic "
    "statement.",
    2: "Fairly relevant: more information than the topic statement, but not exhaustive; of a multifaceted "
    "topic only some subthemes are covered.",
    3: "Highly relevant: discusses the themes of the topic exhaustively; of a multifaceted topic all or "
    "most subthemes are covered.",
}


def queries_path() -> Path:
    """The file of queries: topic and text, separated by a tab."""
    return DATA / "queries.tsv"


def qrels_path() -> Path:
    """The file of qrels, in TREC's form."""
    return DATA / "qrels.txt"


def run_paths() -> dict[str, Path]:
    """The five runs by name, files in TREC's form."""
    return {name: DATA / f"{name}.run" for name in "ABCDE"}


def register() -> None:
    """Make ``graded-demo`` known to ir-datasets, and so to PyTerrier as ``irds:graded-demo``.

    Nothing is read before it is asked for, nothing is downloaded, and a second call does nothing.
    Where another collection has that id, it stays, and a `RegistrationWarning` says so. Imports
    ir-datasets, which takes half a second.
    """
    import ir_datasets

    if NAME not in ir_datasets.registry:
        ir_datasets.registry.register(NAME, _collection())
    elif getattr(ir_datasets.registry[NAME], "origin", None) != __name__:
        warn_of_registration(f"the demo collection is not registered: ir_datasets already has a {NAME}")


def _collection() -> Any:
    """The collection in ir-datasets' own parts."""
    from ir_datasets import Dataset
    from ir_datasets.formats import TrecQrels, TrecScoredDocs, TsvQueries
    from ir_datasets.util import LocalDownload, MetadataComponent, MetadataProvider

    def local(path: Path) -> Any:
        return LocalDownload(path, mkdir=False)

    parts = Dataset(
        TsvQueries(local(queries_path()), namespace=NAME, lang="en"),
        TrecQrels(local(qrels_path()), LEVELS),
        TrecScoredDocs(local(run_paths()["A"])),
        SimpleNamespace(origin=__name__),  # by which we know it again
    )
    counts = MetadataProvider(MetadataProvider.json_loader(local(DATA / "metadata.json")))
    return Dataset(MetadataComponent(NAME, parts, counts), parts)

"""The collection `graded-demo`: its statistics, files and five runs, and ir-datasets."""

import sys
from collections import Counter
from functools import cache
from pathlib import Path

import ir_measures
import pytest

from distributions import run
from ir_measures_graded import RegistrationWarning, demo
from ir_measures_graded.analysis import evaluate

FLAT = "gains=0:0,1:1,2:1,3:1"
STEEP = "gains=0:0,1:1,2:10,3:100"


@cache
def best_first(measure):
    evaluation = evaluate(demo.qrels_path(), demo.run_paths(), [measure])
    return [evaluation.runs[row] for row in evaluation.best_first()]


# The data


def test_levels_have_the_proportions_of_the_paper():
    qrels = list(ir_measures.read_trec_qrels(str(demo.qrels_path())))
    levels = Counter(qrel.relevance for qrel in qrels)
    relevant = levels[1] + levels[2] + levels[3]
    assert relevant == 1182
    percentages = [round(100 * levels[level] / relevant, 1) for level in (1, 2, 3)]
    assert percentages == [49.4, 30.5, 20.1]
    assert round(100 * levels[0] / len(qrels), 1) == 60.5
    assert len({(qrel.query_id, qrel.doc_id) for qrel in qrels}) == len(qrels)
    sizes = Counter(qrel.query_id for qrel in qrels if qrel.relevance > 0).values()
    assert min(sizes) < 30
    assert max(sizes) > 100


def test_script_reproduces_the_files_byte_for_byte(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    run(sys.executable, Path(__file__).parent / "generate.py", tmp_path / "again")
    written = {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    shipped = {path.name: path.read_bytes() for path in demo.DATA.iterdir()}
    assert written == shipped


# The runs


def test_order_of_runs_depends_on_the_gains():
    for measure in ("nCG", "nDCG_JK"):
        assert best_first(f"{measure}({FLAT})@100") == ["E", "B", "C", "D", "A"]
        assert best_first(f"{measure}({STEEP})@100") == ["D", "E", "C", "B", "A"]


# In ir-datasets


COLLECTION = """
import socket, sys
from pathlib import Path

def no_network(*args, **kwargs):
    raise AssertionError("the network is asked")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = no_network

from ir_measures_graded import demo
assert "ir_datasets" not in sys.modules
demo.register_demo()

opened = []
def watch(event, args):
    if event == "open" and str(args[0]).startswith(str(demo.DATA)):
        opened.append(Path(args[0]).name)
sys.addaudithook(watch)

import ir_datasets
collection = ir_datasets.load("graded-demo")
assert not collection.has_docs()
levels = collection.qrels_defs()
assert opened == [], opened

qrels = list(collection.qrels_iter())
queries = list(collection.queries_iter())
scored = list(collection.scoreddocs_iter())
assert opened == ["qrels.txt", "queries.tsv", "A.run"], opened

topics = {query.query_id for query in queries}
assert {qrel.relevance for qrel in qrels} == set(levels) == {0, 1, 2, 3}
assert {qrel.query_id for qrel in qrels} == {doc.query_id for doc in scored} == topics
assert collection.queries_count() == len(queries) == 20
assert collection.scoreddocs_count() == len(scored) == 2000
counts = collection.qrels_metadata()["fields"]["relevance"]["counts_by_value"]
for level, count in counts.items():
    assert sum(qrel.relevance == int(level) for qrel in qrels) == count
"""


def test_collection_is_read_lazily_and_offline(tmp_path, monkeypatch):
    for name in ("HOME", "USERPROFILE", "IR_DATASETS_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    run(sys.executable, "-c", COLLECTION)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_taken_id_is_kept_with_a_warning(monkeypatch):
    import ir_datasets

    monkeypatch.setattr(ir_datasets, "registry", ir_datasets.util.Registry())
    ir_datasets.registry.register(demo.NAME, ir_datasets.Dataset())
    other = ir_datasets.load(demo.NAME)
    with pytest.warns(RegistrationWarning, match="ir_datasets already has a graded-demo"):
        demo.register_demo()
    assert ir_datasets.load("graded-demo") is other


IN_EITHER_ORDER = {
    "ir_datasets first": "import ir_datasets, ir_measures_graded",
    "ir_datasets second": "import ir_measures_graded, ir_datasets",
    "a measure first": "from ir_measures_graded import Q; import ir_datasets",
    "after the package was only found": """
import copy
from importlib.util import find_spec
import ir_measures_graded
spec = find_spec("ir_datasets")
assert spec.loader.is_package("ir_datasets")
assert copy.copy(spec.loader).get_filename("ir_datasets") == spec.origin
import ir_datasets
kind = type(ir_measures_graded.__loader__)
assert type(ir_datasets.__spec__.loader) is type(ir_datasets.__loader__) is kind
""",
    "after the package was imported twice": """
import sys
import ir_measures_graded
for name in [name for name in sys.modules if name.startswith("ir_measures_graded")]:
    del sys.modules[name]
import ir_measures_graded, ir_datasets
""",
    "in a thread": """
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
with ThreadPoolExecutor(2) as pool:
    list(pool.map(import_module, ["ir_measures_graded", "ir_datasets"] * 4))
import ir_datasets
""",
}


@pytest.mark.parametrize("imports", IN_EITHER_ORDER.values(), ids=list(IN_EITHER_ORDER))
def test_collection_is_there_after_the_imports_in_either_order(imports):
    code = 'print(ir_datasets.load("graded-demo").queries_count())'
    assert run(sys.executable, "-W", "error", "-c", f"{imports}\n{code}") == "20\n"


PACKAGE_THAT_FAILS = """
import sys
from pathlib import Path
import ir_measures_graded

package = Path("ir_datasets.py")
sys.path.insert(0, "")
for text in ("raise ValueError('broken')", "registry = 1"):
    package.write_text(text)
    try:
        import ir_datasets
    except ValueError as error:
        print(error, "ir_datasets" in sys.modules)
print(ir_datasets.registry)
"""


def test_import_of_ir_datasets_fails_by_itself_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert run(sys.executable, "-c", PACKAGE_THAT_FAILS) == "broken False\n1\n"


def test_package_works_without_ir_datasets():
    missing = "import sys, ir_measures_graded; sys.modules['ir_datasets'] = None"
    again = "del sys.modules['ir_measures_graded']; import ir_measures_graded; print('done')"
    assert run(sys.executable, "-W", "error", "-c", f"{missing}; {again}") == "done\n"

"""Every command that reads qrels reads those with columns of other names: --columns."""

import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

KNOWN = {"query_id": "query_id", "doc_id": "doc_id", "relevance": "relevance", "score": "score"}
OWN = {"query_id": "person", "doc_id": "film", "relevance": "stars", "score": "points"}
COLUMNS = "query_id=person,doc_id=film,relevance=stars,score=points"
HUMAN = {"q1": [3, 0, 1, 0, 2], "q2": [0, 1, 0, 0, 3]}
MACHINE = {"q1": [3, 1, 1, 0, 1], "q2": [0, 2, 0, "", 3]}
FIRST = {"q1": [0.5, 4.5, 2.5, 1.5, 3.5], "q2": [0.5, 1.5, 2.5, 4.5, 3.5]}
SECOND = {"q1": [4.5, 0.5, 2.5, 1.5, 3.5], "q2": [0.5, 3.5, 2.5, 1.5, 4.5]}
CALLS = [
    "levels human.csv",
    "check human.csv first.csv",
    "evaluate human.csv first.csv second.csv nDCG@3 -q",
    "compare human.csv first.csv second.csv nDCG@3",
    "gate human.csv first.csv second.csv nDCG@3 --undecided pass",
    "explain human.csv first.csv nDCG@3",
    "ranges human.csv first.csv nDCG@3",
    "holes machine.csv first.csv second.csv nDCG@3",
    "judges human.csv machine.csv",
    "judges human.csv machine.csv first.csv second.csv nDCG@3 --resamples 100",
    "judges human.csv machine.csv --merge highest",
]


def _write(folder, names):
    folder.mkdir()
    judges = {"human": HUMAN, "machine": MACHINE}
    runs = {"first": FIRST, "second": SECOND}
    for tables, value in ((judges, "relevance"), (runs, "score")):
        header = ",".join(names[ours] for ours in ("query_id", "doc_id", value))
        for name, numbers_by_topic in tables.items():
            rows = [header]
            for topic, numbers in numbers_by_topic.items():
                rows += [f"{topic},d{place},{number}" for place, number in enumerate(numbers)]
            (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize("line", CALLS)
def test_a_command_reads_columns_of_other_names(output, tmp_path, monkeypatch, line):
    _write(tmp_path / "known", KNOWN)
    _write(tmp_path / "own", OWN)
    monkeypatch.chdir(tmp_path / "known")
    expected = output(*line.split())
    monkeypatch.chdir(tmp_path / "own")
    assert output(*line.split(), "--columns", COLUMNS) == expected

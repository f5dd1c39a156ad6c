"""Every command that reads qrels reads those with columns of other names: --columns."""

import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

KNOWN = {"query_id": "query_id", "doc_id": "doc_id", "relevance": "relevance", "score": "score"}
OWN = {"query_id": "person", "doc_id": "film", "relevance": "stars", "score": "points"}
COLUMNS = "query_id=person,doc_id=film,relevance=stars,score=points"
HUMAN = {"q1": [3, 0, 1, 0, 2], "q2": [0, 1, 0, 0, 3]}
MACHINE = {"q1": [3, 1, 1, 0, 1], "q2": [0, 2, 0, "", 3]}
REST = {"q2": ["", "", "", 1, ""]}
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
    "holes machine.csv first.csv second.csv nDCG@3 --answers rest.csv",
    "judges human.csv machine.csv",
    "judges human.csv machine.csv first.csv second.csv nDCG@3 --resamples 100",
    "judges human.csv machine.csv --merge highest",
    "evaluate human.csv first.csv nDCG@3 --by topics.csv:kind",
    "evaluate human.csv first.csv nDCG@3 -q --by topics.csv:kind",
    "evaluate human.csv first.csv nDCG@3 --weights topics.csv:weight",
    "evaluate human.csv first.csv nDCG@3 --sessions=topics.csv",
    "compare human.csv first.csv second.csv nDCG@3 --by topics.csv:kind",
    "gate human.csv first.csv second.csv nDCG@3 --undecided pass --by topics.csv:kind",
    "power human.csv first.csv second.csv nDCG@3 --by topics.csv:kind",
    "compare --collections collections.csv nDCG@3",
]
TOPICS = ["q1,web,a,1,2", "q2,shop,a,2,1"]
COLLECTIONS = "collection,qrels,runs\nA,human.csv,first.csv\nA,human.csv,second.csv\n"
COLLECTIONS += COLLECTIONS.partition("\n")[2].replace("A,", "B,")


def _write(folder, names):
    folder.mkdir()
    judges = {"human": HUMAN, "machine": MACHINE, "rest": REST}
    runs = {"first": FIRST, "second": SECOND}
    for tables, value in ((judges, "relevance"), (runs, "score")):
        header = ",".join(names[ours] for ours in ("query_id", "doc_id", value))
        for name, numbers_by_topic in tables.items():
            rows = [header]
            for topic, numbers in numbers_by_topic.items():
                rows += [f"{topic},d{place},{number}" for place, number in enumerate(numbers)]
            (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    rows = [f"{names['query_id']},kind,session,turn,weight", *TOPICS]
    (folder / "topics.csv").write_text("\n".join(rows) + "\n")
    (folder / "collections.csv").write_text(COLLECTIONS)


@pytest.mark.parametrize("line", CALLS)
def test_a_command_reads_columns_of_other_names(output, tmp_path, monkeypatch, line):
    _write(tmp_path / "known", KNOWN)
    _write(tmp_path / "own", OWN)
    monkeypatch.chdir(tmp_path / "known")
    expected = output(*line.split())
    monkeypatch.chdir(tmp_path / "own")
    assert output(*line.split(), "--columns", COLUMNS) == expected


def test_a_page_reads_columns_of_other_names(output, tmp_path, monkeypatch):
    pytest.importorskip("plotly", reason="plotly is not installed")
    _write(tmp_path / "own", OWN)
    monkeypatch.chdir(tmp_path / "own")
    files = "report human.csv first.csv second.csv nDCG@3 --judge machine.csv"
    output(*files.split(), "--by", "topics.csv:kind", "--columns", COLUMNS)
    page = (tmp_path / "own" / "report.html").read_text()
    assert "web (1), shop (1)" in page
    assert "machine" in page


@pytest.fixture
def own_files(tmp_path, monkeypatch):
    """A folder with files of other names, and a second run with usual ones."""
    _write(tmp_path / "known", KNOWN)
    _write(tmp_path / "own", OWN)
    (tmp_path / "known" / "second.csv").rename(tmp_path / "own" / "second.csv")
    monkeypatch.chdir(tmp_path / "own")
    return tmp_path / "own"


def test_a_name_that_one_file_lacks_is_for_the_others(output, own_files, monkeypatch):
    line = "evaluate human.csv first.csv second.csv nDCG@3"
    values = output(*line.split(), "--columns", COLUMNS)
    _write(own_files / "own", OWN)
    monkeypatch.chdir(own_files / "own")
    assert output(*line.split(), "--columns", COLUMNS) == values


def test_a_name_that_no_file_has_is_refused(refusal, own_files):
    line = "evaluate human.csv second.csv nDCG@3 --columns "
    line += COLUMNS.replace("points", "cosine")
    assert "second.csv has no column cosine; it has query_id, doc_id, score" in refusal(
        *line.split()
    )


def test_the_judgments_may_have_the_groups(output, refusal, own_files):
    judged = pytest.importorskip("pandas", reason="pandas is not installed").read_csv("human.csv")
    group_of = {"q1": "web", "q2": "shop"}
    judged.assign(kind=judged["person"].map(group_of)).to_parquet("human.parquet")
    line = "evaluate human.parquet first.csv nDCG@3 --columns " + COLUMNS
    in_judgments = output(*line.split(), "--by", "human.parquet:kind")
    assert in_judgments == output(*line.split(), "--by", "topics.csv:kind")
    message = refusal(*line.split(), "--by", "human.parquet:film")
    assert message.endswith("human.parquet: topic q1 has two values of film")


def test_topics_are_read_by_the_words_of_a_column(output, own_files):
    (own_files / "groups.csv").write_text("user_query,kind\nq1,web\nq2,shop\n")
    line = "evaluate human.csv first.csv nDCG@3 --columns " + COLUMNS
    by_words = output(*line.split(), "--by", "groups.csv:kind")
    assert by_words == output(*line.split(), "--by", "topics.csv:kind")

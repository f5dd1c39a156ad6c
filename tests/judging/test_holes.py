"""What to judge next: the page's algorithm step by step, the order of depth, judges' answers."""

import re
from dataclasses import dataclass
from itertools import combinations
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest

from ir_measures_graded import GradedError, read_qrels
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.analysis.judging.holes import holes
from ir_measures_graded.analysis.judging.panel import add_answers
from ir_measures_graded.errors import InputWarning

isotonic = pytest.importorskip("sklearn.isotonic", reason="scikit-learn is not installed")

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1, "d": 2}, "q3": {"e": 0}}
RUNS = {
    "A": {"q1": {"x": 4, "a": 3, "y": 2}, "q2": {"c": 3, "z": 2}, "q9": {"w": 1}},
    "B": {"q1": {"a": 4, "y": 3, "b": 2, "x": 1}, "q2": {"z": 2, "d": 1}, "q3": {"v": 1}},
    "C": {"q1": {"y": 2, "u": 1}, "q2": {"z": 9, "c": 2, "t": 1}},
}


def ndcg_jk_weight(rank):
    return 1 / max(1, np.log2(rank))


def ndcg_burges_weight(rank):
    return 1 / np.log2(rank + 1)


def equal_weight(rank):
    return 1.0


WEIGHTS = {
    "nDCG_JK": ndcg_jk_weight,
    "nDCG_Burges(gains=linear)": ndcg_burges_weight,
    "CG": equal_weight,
    "gR": equal_weight,
}


def random_collection(seed):
    """The levels of all documents, a part of them as qrels, and runs whose scores have ties."""
    generator = np.random.default_rng(seed)
    topics = generator.integers(1, 6)
    documents = generator.integers(8, 25)
    count = generator.integers(2, 6)
    latent = generator.normal(size=(topics, documents))

    def as_dicts(values, share):
        """A part of the values, by topic and document."""
        by_topic = {}
        for topic, row in enumerate(values.tolist()):
            kept = {f"d{d}": value for d, value in enumerate(row) if generator.random() < share}
            by_topic[f"t{topic}"] = kept
        return by_topic

    noise = generator.normal(size=(count, topics, documents))
    levels = as_dicts(np.clip((latent + noise[0] / 2).round().astype(int), 0, 3), 1)
    levels["t0"]["known"] = 3
    qrels = {}
    for topic, row in levels.items():
        judged = [doc for doc in row if doc == "known" or generator.random() < 0.6]
        qrels[topic] = {doc: row[doc] for doc in judged}
    runs = {}
    for number, of_run in enumerate(noise):
        runs[f"r{number}"] = as_dicts((latent + of_run).round(1), 0.7)
    return levels, qrels, runs


@dataclass
class Candidate:
    """A document of the reference: what the definition of a batch needs of it."""

    topic: str
    document: str
    gain: float
    """The level, or nan without a judgment."""
    closeness: float
    """The sum over runs of 1 / (rank + 5)."""
    weights: list[float]
    """The weight of its rank in each run."""


def ranks_of(scores):
    """The rank of each document; documents with one score are in the order of descending ids."""
    in_order = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
    return {doc: rank for rank, doc in enumerate(in_order, start=1)}


def candidates_of(qrels, runs, weight_at, depth):
    """The judged documents, and those that a run ranks within the depth."""
    candidates = []
    for topic, judged in qrels.items():
        ranks_by_run = [ranks_of(run.get(topic, {})) for run in runs.values()]
        listed = {doc for ranks in ranks_by_run for doc in ranks if ranks[doc] <= depth}
        for doc in sorted(judged.keys() | listed):
            ranks = [ranks_of_run.get(doc, np.inf) for ranks_of_run in ranks_by_run]
            closeness = sum(1 / (rank + 5) for rank in ranks)
            weights = [weight_at(rank) * (rank <= depth) for rank in ranks]
            gain = judged.get(doc, np.nan)
            candidates.append(Candidate(topic, doc, gain, closeness, weights))
    return candidates


def expected_gains(gains, closeness):
    """The gains, fitted by closeness where there is no judgment, and the variance of residuals."""
    is_judged = ~np.isnan(gains)
    fitted = is_judged & (closeness > 0)
    regression = isotonic.IsotonicRegression(out_of_bounds="clip")
    weight_of_0 = np.append(1e12, np.ones(fitted.sum()))
    regression.fit(np.append(0, closeness[fitted]), np.append(0, gains[fitted]), weight_of_0)
    predicted = regression.predict(closeness)
    variance = np.mean((gains - predicted)[fitted] ** 2)
    return np.where(is_judged, gains, predicted), variance


def by_definition(qrels, runs, measure, depth):
    """The expected gain and the score of each document, the means, and the count of open pairs."""
    weight_at = WEIGHTS[measure]
    candidates = candidates_of(qrels, runs, weight_at, depth)
    gains = np.array([candidate.gain for candidate in candidates])
    closeness = np.array([candidate.closeness for candidate in candidates])
    expected, variance = expected_gains(gains, closeness)
    ideal = dict.fromkeys(qrels, 1)
    if measure != "CG":
        for topic in qrels:
            of_topic = np.array([candidate.topic == topic for candidate in candidates])
            best = sorted(expected[of_topic], reverse=True)
            if measure != "gR":
                best = best[:depth]
            total = sum(weight_at(rank) * gain for rank, gain in enumerate(best, start=1))
            ideal[topic] = total or 1
    weights = np.array([np.array(one.weights) / ideal[one.topic] for one in candidates])
    means = expected @ weights / len(qrels)
    scores = np.zeros(len(candidates))
    open_pairs = 0
    for a, b in combinations(range(len(runs)), 2):
        influence = (weights[:, a] - weights[:, b]) ** 2 * np.isnan(gains)
        spread = variance * influence.sum()
        if spread > 1e-15:
            z = abs(len(qrels) * (means[a] - means[b])) / spread**0.5
            open_pairs += z < 3
            scores += np.exp(-(z**2) / 2) / spread * influence
    names = [(candidate.topic, candidate.document) for candidate in candidates]
    documents = dict(zip(names, zip(expected, scores)))
    return documents, means, open_pairs


@pytest.mark.parametrize("measure", WEIGHTS)
@pytest.mark.parametrize("seed", range(4))
def test_a_batch_follows_the_definition(measure, seed):
    levels, qrels, runs = random_collection(seed)
    depth = 3 + seed % 5
    string = f"{measure}@{depth}"
    result = holes(qrels, runs, string, batch=1000)
    documents, means, open_pairs = by_definition(qrels, runs, measure, depth)
    assert result.expected == pytest.approx(means)
    assert result.values == pytest.approx(evaluate(qrels, runs, [string]).means()[:, 0])
    assert result.open == open_pairs
    if open_pairs:
        assert len(result) == result.unjudged
        in_batch = [documents[name] for name in zip(result.topics, result.documents)]
        gains, scores = np.transpose(in_batch)
        assert result.gains == pytest.approx(gains)
        assert (np.diff(scores) <= 1e-9 * scores.max()).all()
    full = holes(levels, runs, string)
    assert (full.unjudged, full.open, len(full)) == (0, 0, 0)
    assert full.expected == pytest.approx(full.values)


def answers_to(batch, levels):
    """The levels of the documents of a batch."""
    answers = {}
    for topic, document in zip(batch.topics, batch.documents):
        answers.setdefault(topic, {})[document] = levels[topic][document]
    return answers


def test_batches_are_answered_until_no_pair_is_open():
    levels, qrels, runs = random_collection(3)
    answers = []
    batch = holes(qrels, runs, "nDCG_JK@5", batch=2)
    assert batch.open > 0
    while batch.open:
        answers.append(answers_to(batch, levels))
        assert len(answers) < 100
        batch = holes(qrels, runs, "nDCG_JK@5", answers=answers, batch=2)
    assert batch.open == 0
    assert len(batch) == min(2, batch.unjudged)  # a batch that was asked for is filled
    assert len(holes(qrels, runs, "nDCG_JK@5", answers=answers)) == 0
    assert batch.merged.qrels == add_answers(qrels, *answers).qrels
    assert "o pair of 2 runs is open" in batch.summary


@pytest.mark.parametrize("qrels", [{}, {"q1": {}, "q2": {}}])
def test_without_judgments_the_first_50_come_by_depth(qrels):
    runs = {}
    for name in "AB":
        scores = {}
        for rank in range(60):
            owner = "d" if rank % 3 == 0 else name  # both runs have every third document
            scores[f"{owner}{rank}"] = -rank
        runs[name] = {"q1": scores, "q2": scores}
    batch = holes(qrels, runs, "nDCG_JK@30")
    assert (len(batch), batch.open) == (50, 1)
    ranks = [row["best_rank"] for row in batch.records()]
    assert ranks == sorted(ranks)
    assert batch.documents[:2] == ("d0", "d0")
    one_answer = {batch.topics[0]: {"d0": 1}}
    rest = holes(qrels, runs, "nDCG_JK@30", answers=[one_answer], batch=999)
    assert set(rest.topics) == {"q1", "q2"}


@pytest.mark.parametrize(
    "measure",
    ["gP@3", "NDPM@3", "nDCG_JK(avg=True)@3", "AP@3", "nDCG_JK(unjudged=max)@3", "IRec@5"],
)
def test_measures_without_weights_by_rank_are_refused(measure):
    message = "holes needs fixed weights of ranks, as nDCG_JK@10 has; "
    with pytest.raises(GradedError, match=message):
        holes(QRELS, RUNS, measure)


@pytest.mark.parametrize("level", [1, 0.1, 0.7])
def test_a_pair_stays_open_while_equal_levels_leave_no_residual(level):
    topics = [f"q{number}" for number in range(12)]
    runs = {}
    for name in "AB":
        scores = {}
        for rank in range(10):
            owner = "" if rank % 2 == 0 else name  # both runs have every other document
            scores[f"{owner}{rank}"] = -rank
        runs[name] = dict.fromkeys(topics, scores)
    qrels = {topic: {"0": level} for topic in topics[:10]}
    qrels |= {topic: {} for topic in topics[10:]}
    assert holes(qrels, runs, "CG@5").open == 1


def test_a_file_that_exists_is_never_overwritten(tmp_path):
    path = tmp_path / "to-judge.csv"
    path.touch()
    few = holes(QRELS, RUNS, "CG@1", batch=9)
    more = holes(QRELS, RUNS, "CG@3", batch=9)
    few.ask(path)
    few.ask(path)  # the same list
    more.ask(path)  # another list, because the first has no answer
    few.ask(path)
    path.write_text(path.read_text().replace("q1,x,,", "q1,x,3,"))
    other = tmp_path / "other.csv"
    other.write_text("x" * 200_000)  # a longer field than csv reads
    with pytest.raises(GradedError, match=r"other\.csv: the file exists, perhaps with"):
        few.ask(other)
    assert add_answers(QRELS, path).qrels["q1"]["x"] == 3
    answered = path.read_bytes()
    for batch in (few, more):
        with pytest.raises(GradedError, match=r"to-judge\.csv: the file exists, perhaps with"):
            batch.ask(path)
    assert path.read_bytes() == answered


def test_a_list_with_all_unjudged_documents_names_a_deeper_cutoff():
    asked = holes(QRELS, RUNS, "CG@1", batch=9)
    assert len(asked) == asked.unjudged < 9
    assert "These are all; a deeper cutoff, as CG@10, has more." in map(str, asked.answer())
    assert "deeper" not in " ".join(map(str, holes(QRELS, RUNS, "CG@1", batch=1).answer()))


def test_cells_that_a_spreadsheet_would_compute_come_back_unchanged(tmp_path):
    names = ["=1+2", "+1", "-1", "@x", "'=x", "''-x", "'x", "x=1", "d,1"]
    scores = {doc: number for number, doc in enumerate(names)}
    reversed_scores = {doc: -number for number, doc in enumerate(names)}
    runs = {"=1": dict.fromkeys(names, scores), "=-1": dict.fromkeys(names, reversed_scores)}
    path = tmp_path / "ask"
    holes({}, runs, "nDCG_JK@9", batch=100).ask(path)
    text = path.read_text()
    assert not re.search(r"^[=+@-]|,[=+@-]", text.replace('"', ""), re.MULTILINE)
    path.write_text(text.replace(",,", ",2,"))
    assert add_answers({}, path).qrels == {topic: dict.fromkeys(names, 2) for topic in names}


def test_ids_that_a_spreadsheet_changed_are_refused():
    """They would count as judgments of documents that no run retrieves."""
    runs = {"A": {"001": {"0012": 3, "1E5": 2, "12x": 1}}, "B": {"001": {"1E5": 2, "0012": 1}}}
    with pytest.raises(GradedError) as caught:
        holes({}, runs, "CG@2", answers=[{"1": {"12": 1, "100000": 0}, "001": {"13": 2}}])
    text = str(caught.value)
    assert text.startswith("no run retrieves the documents of 2 answers, such as '12' of topic '1'")
    assert "the runs have '0012' of topic '001'" in text
    with catch_warnings():
        simplefilter("error", InputWarning)
        holes({"001": {"0012": 0, "12": 1}}, runs, "CG@2", answers=[{"001": {"1E5": 1, "12x": 2}}])


@pytest.fixture
def settled():
    """Runs of which judged documents leave no pair open, with one unjudged document at rank 3."""
    runs = {"A": {}, "B": {}}
    qrels = {}
    for number in range(9):
        qrels[f"q{number}"] = {"a": 2, "b": 1 - number % 2, "z": 0}
        runs["A"][f"q{number}"] = {"a": 4, "b": 3, "x": 2}
        runs["B"][f"q{number}"] = {"z": 4, "a": 3, "x": 2}
    return qrels, runs


def test_documents_are_listed_without_an_open_pair_if_they_are_wanted(settled, tmp_path):
    qrels, runs = settled
    none = holes(qrels, runs, "nDCG@3")
    assert (none.open, len(none), none.unjudged) == (0, 0, 9)
    assert str(none.answer()[1]).startswith("--batch N (batch= in Python) lists N of 9 unjudged ")
    with pytest.raises(GradedError, match="there is no document to judge; fill=True lists some of"):
        none.ask(tmp_path / "ask.csv")
    filled = holes(qrels, runs, "nDCG@3", fill=True)
    assert len(filled) == 9
    filled.ask(tmp_path / "ask.csv")
    assert len((tmp_path / "ask.csv").read_text().splitlines()) == 10


HEADS = [
    ("Query", "SKU", "Rating"),
    ("query-id", "corpus-id", "score"),
    ("person", "film", "stars"),
    ("topic", "runs", "level"),
]


@pytest.mark.parametrize("heads", HEADS, ids=",".join)
def test_the_file_for_a_judge_has_the_heads_of_the_qrels_and_is_read_as_answers(
    heads, settled, tmp_path
):
    """Heads that are those of other columns of the file are not taken."""
    qrels, runs = settled
    rows = [f"{topic},{doc},{level}" for topic in qrels for doc, level in qrels[topic].items()]
    table = tmp_path / "judgments.csv"
    table.write_text("\n".join([",".join(heads), *rows]) + "\n")
    source = read_qrels(table, dict(zip(["query_id", "doc_id", "relevance"], heads)))
    path = tmp_path / "ask.csv"
    holes(source, runs, "nDCG@3", fill=True).ask(path)
    expected = ("topic", "document", "level") if "runs" in heads else heads
    assert path.read_text().splitlines()[0] == ",".join([*expected, "runs"])
    path.write_text(path.read_text().replace(",x,,", ",x,1,"))
    later = holes(source, runs, "nDCG@3", answers=[path])
    assert (later.unjudged, later.merged.added[str(path)]) == (0, 9)


@pytest.mark.parametrize("name", ["ask.xlsx", "ask.json", "ask.parquet", "ask.csv.gz"])
def test_a_file_for_a_judge_is_not_csv_under_the_name_of_another_format(name, settled, tmp_path):
    qrels, runs = settled
    with pytest.raises(GradedError, match="the documents for a judge are CSV; name a file that"):
        holes(qrels, runs, "nDCG@3", fill=True).ask(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_random_sample_is_set_aside_and_marked(tmp_path):
    """The sample of two calls is that of one, whatever was judged in between."""
    levels, qrels, runs = random_collection(4)
    batch = holes(qrels, runs, "nDCG_JK@8", batch=5, random=0.3)
    chosen = holes(qrels, runs, "nDCG_JK@8", batch=5)
    assert 0 < batch.sampled < batch.unjudged / 2
    names = list(zip(batch.topics, batch.documents))
    assert len(set(names)) == len(names)
    sample = names[: batch.sampled]
    assert set(names) == set(sample) | set(zip(chosen.topics, chosen.documents))
    path = tmp_path / "ask.csv"
    batch.ask(path)
    assert path.read_text().count("random") == batch.sampled
    half = batch.sampled // 2
    answers = {topic: {} for topic in levels}
    for topic, document in sample[:half] + names[batch.sampled :]:
        answers[topic][document] = levels[topic][document]
    later = holes(qrels, runs, "nDCG_JK@8", answers=[answers], random=0.3)
    later_names = list(zip(later.topics, later.documents))
    assert later_names[: later.sampled] == sample[half:]
    with pytest.raises(GradedError, match="random=1 is not allowed; it is above 0 and below 1"):
        holes(qrels, runs, "nDCG_JK@8", random=1)


def test_unjudged_documents_tied_with_others_are_cut_off_by_descending_id():
    runs = {"A": {"t": {"a": 5, "b": 5, "c": 5, "z": 1}}, "B": {"t": {"z": 1}}}
    batch = holes({"t": {"z": 1}}, runs, "CG@2", batch=9)
    assert sorted(zip(batch.documents, batch.ranks[:, 0].tolist())) == [("b", 2), ("c", 1)]


@pytest.mark.parametrize("orders", [("cabd", "dcba", "bdac"), ("xcad", "ycad", "cabd")])
def test_the_order_of_the_runs_does_not_matter(orders):
    a, b, c = ({"q": {doc: 4.0 - rank for rank, doc in enumerate(order)}} for order in orders)
    qrels = {"q": {"c": 1, "d": 0}}
    acb = holes(qrels, {"A": a, "C": c, "B": b}, "nDCG_JK@3")
    bac = holes(qrels, {"B": b, "A": a, "C": c}, "nDCG_JK@3")
    assert (acb.open, acb.documents) == (bac.open, bac.documents)
    expected = dict(zip(bac.runs, bac.expected))
    assert dict(zip(acb.runs, acb.expected)) == pytest.approx(expected)


def test_the_pool_of_one_run_settles_nothing():
    """The judged documents are those of the old run. The new run finds as many others."""
    topics = [f"q{number}" for number in range(40)]
    old = {topic: {f"o{rank}": 10.0 - rank for rank in range(10)} for topic in topics}
    new = {topic: {f"n{rank}": 10.0 - rank for rank in range(10)} for topic in topics}
    for number, topic in enumerate(topics):
        new[topic]["o9"] = number % 2 + 0.5
    qrels = {topic: {f"o{rank}": int(rank < 6) for rank in range(10)} for topic in topics}
    runs = {"old": old, "new": new}
    batch = holes(qrels, runs, "nDCG_JK@10")
    assert (batch.open, len(batch)) == (1, 10)
    assert batch.shares.tolist() == [0, 1.0 - judged_share(new, qrels)]
    assert str(batch.answer()[0]).startswith("new is 9")
    assert str(batch.answer()[0]).endswith("is a lower bound.")
    halves = {
        topic: judged | {f"n{rank}": 0 for rank in range(6)} for topic, judged in qrels.items()
    }
    settled = holes(halves, runs, "nDCG_JK@10", batch=7)
    assert (settled.open, len(settled)) == (0, 7)
    needed, anyway = map(str, settled.answer())
    expected = "is open by nDCG_JK@10: unjudged documents are not expected to reverse a difference."
    assert needed.endswith(expected)
    assert anyway == (
        f"The list has 7 documents of {settled.unjudged} unjudged ones within rank 10 all the "
        "same, because documents were asked for."
    )


def judged_share(run, qrels):
    """The share of the first ten documents that are judged."""
    first = {topic: sorted(run[topic], key=run[topic].get)[-10:] for topic in run}
    judged = sum(doc in qrels[topic] for topic, docs in first.items() for doc in docs)
    return judged / sum(map(len, first.values()))


def test_ids_with_blanks_around_them_survive_a_list_for_a_judge(tmp_path):
    qrels = {" q": {"a": 1, "b": 0}}
    runs = {"A": {" q": {" x": 2.0, "a": 1.0}}, "B": {" q": {"y ": 2.0, "b": 1.0}}}
    holes(qrels, runs, "P@2", batch=2).ask(tmp_path / "ask.csv")
    filled = tmp_path.joinpath("ask.csv").read_text().replace(",,", ",1,")
    (tmp_path / "answers.csv").write_text(filled)
    merged = add_answers(qrels, tmp_path / "answers.csv")
    assert merged.qrels == {" q": {"a": 1, "b": 0, " x": 1, "y ": 1}}

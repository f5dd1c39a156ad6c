"""What to judge next: the page's algorithm step by step, the order of depth, and judges' answers."""

import re
from itertools import combinations

import numpy as np
import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.analysis.judging.holes import holes
from ir_measures_graded.analysis.judging.panel import add_answers

isotonic = pytest.importorskip("sklearn.isotonic", reason="scikit-learn is not installed")

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1, "d": 2}, "q3": {"e": 0}}
RUNS = {
    "A": {"q1": {"x": 4, "a": 3, "y": 2}, "q2": {"c": 3, "z": 2}, "q9": {"w": 1}},
    "B": {"q1": {"a": 4, "y": 3, "b": 2, "x": 1}, "q2": {"z": 2, "d": 1}, "q3": {"v": 1}},
    "C": {"q1": {"y": 2, "u": 1}, "q2": {"z": 9, "c": 2, "t": 1}},
}
WEIGHTS = {
    "nDCG_JK": lambda rank: 1 / max(1, np.log2(rank)),
    "nDCG_Burges(gains=linear)": lambda rank: 1 / np.log2(rank + 1),
    "CG": lambda rank: 1.0,
    "gR": lambda rank: 1.0,
}


def drawn(seed):
    """The levels of all documents, a part of them as qrels, and runs whose scores have ties."""
    generator = np.random.default_rng(seed)
    topics, documents, count = (
        generator.integers(1, 6),
        generator.integers(8, 25),
        generator.integers(2, 6),
    )
    latent = generator.normal(size=(topics, documents))

    def as_dicts(values, share):
        return {
            f"t{topic}": {
                f"d{doc}": value for doc, value in enumerate(row) if generator.random() < share
            }
            for topic, row in enumerate(values.tolist())
        }

    noise = generator.normal(size=(count, topics, documents))
    levels = as_dicts(np.clip((latent + noise[0] / 2).round().astype(int), 0, 3), 1)
    levels["t0"]["known"] = 3
    qrels = {
        t: {d: v for d, v in row.items() if d == "known" or generator.random() < 0.6}
        for t, row in levels.items()
    }
    runs = {
        f"r{number}": as_dicts((latent + each).round(1), 0.7) for number, each in enumerate(noise)
    }
    return levels, qrels, runs


def by_definition(qrels, runs, measure, depth):
    """The documents with their expected gains and scores, the means, and the number of open pairs."""
    weight = WEIGHTS[measure]
    ranks = {
        (name, topic, doc): rank
        for name, run in runs.items()
        for topic, scores in run.items()
        for rank, doc in enumerate(
            sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True), 1
        )
    }
    near, found, gain, weights = [], [], [], []
    for topic, judged in qrels.items():
        listed = {doc for (_, t, doc), rank in ranks.items() if t == topic and rank <= depth}
        for doc in [*judged, *(listed - {*judged})]:
            of_runs = [ranks.get((name, topic, doc), np.inf) for name in runs]
            found.append((topic, doc))
            near.append(sum(1 / (rank + 5) for rank in of_runs))
            gain.append(judged.get(doc, np.nan))
            weights.append([weight(rank) if rank <= depth else 0 for rank in of_runs])
    near, gain, weights = map(np.array, (near, gain, weights))
    judged = ~np.isnan(gain)
    known = judged & (near > 0)
    regression = isotonic.IsotonicRegression(out_of_bounds="clip")
    weight_of_0 = np.append(1e12, np.ones(known.sum()))
    regression.fit(np.append(0, near[known]), np.append(0, gain[known]), weight_of_0)
    fit = regression.predict(near)
    variance = np.mean((gain - fit)[known] ** 2)
    e = np.where(judged, gain, fit)
    h = weights
    if measure != "CG":
        ideal = {}
        for topic in qrels:
            best = sorted((each for each, (t, _) in zip(e, found) if t == topic), reverse=True)
            best = best if measure == "gR" else best[:depth]
            ideal[topic] = sum(weight(rank) * each for rank, each in enumerate(best, 1)) or 1
        h = np.array([row / ideal[topic] for row, (topic, _) in zip(weights, found)])
    means = e @ h / len(qrels)
    score, still_open = np.zeros(len(found)), 0
    for a, b in combinations(range(len(runs)), 2):
        apart = (h[:, a] - h[:, b]) ** 2 * ~judged
        spread = variance * apart.sum()
        if spread > 1e-15:
            z = abs(len(qrels) * (means[a] - means[b])) / spread**0.5
            still_open += z < 3
            score += np.exp(-(z**2) / 2) / spread * apart
    return dict(zip(found, zip(e, score))), means, still_open


@pytest.mark.parametrize("measure", WEIGHTS)
@pytest.mark.parametrize("seed", range(4))
def test_a_batch_follows_the_definition(measure, seed):
    levels, qrels, runs = drawn(seed)
    depth = 3 + seed % 5
    found = holes(qrels, runs, f"{measure}@{depth}", batch=1000)
    documents, means, still_open = by_definition(qrels, runs, measure, depth)
    assert found.expected == pytest.approx(means)
    assert found.values == pytest.approx(
        evaluate(qrels, runs, [f"{measure}@{depth}"]).means()[:, 0]
    )
    assert found.open == still_open
    if still_open:
        assert len(found) == found.unjudged
        gains, scores = np.transpose(
            [documents[name] for name in zip(found.topics, found.documents)]
        )
        assert found.gains == pytest.approx(gains)
        assert (np.diff(scores) <= 1e-9 * scores.max()).all()
    full = holes(levels, runs, f"{measure}@{depth}")
    assert (full.unjudged, full.open, len(full)) == (0, 0, 0)
    assert full.expected == pytest.approx(full.values)


def test_batches_are_answered_until_no_pair_is_open():
    levels, qrels, runs = drawn(3)
    answers, counts = [], []
    while (found := holes(qrels, runs, "nDCG_JK@5", answers=answers, batch=2)).open:
        counts.append(found.open)
        assert len(counts) < 100
        answers.append({})
        for topic, document in zip(found.topics, found.documents):
            answers[-1].setdefault(topic, {})[document] = levels[topic][document]
    assert found.open == 0 < min(counts)
    assert len(found) == min(2, found.unjudged)  # a batch that was asked for is filled
    assert len(holes(qrels, runs, "nDCG_JK@5", answers=answers)) == 0
    assert found.merged.qrels == add_answers(qrels, *answers).qrels
    assert "no pair of 2 runs is open" in found.summary


@pytest.mark.parametrize("qrels", [{}, {"q1": {}, "q2": {}}])
def test_without_judgments_the_first_50_come_by_depth(qrels):
    runs = {}
    for name in "AB":
        scores = {f"{name}{doc}" if doc % 3 else f"d{doc}": -doc for doc in range(60)}
        runs[name] = {"q1": scores, "q2": scores}
    found = holes(qrels, runs, "nDCG_JK@30")
    assert (len(found), found.open) == (50, 1)
    ranks = [row["best_rank"] for row in found.records()]
    assert ranks == sorted(ranks)
    assert found.documents[:2] == ("d0", "d0")
    one = {found.topics[0]: {"d0": 1}}
    assert {*holes(qrels, runs, "nDCG_JK@30", answers=[one], batch=999).topics} == {"q1", "q2"}


@pytest.mark.parametrize(
    "measure",
    ["gP@3", "NDPM@3", "nDCG_JK(avg=True)@3", "AP@3", "nDCG_JK(unjudged=max)@3", "IRec@5"],
)
def test_measures_without_weights_by_rank_are_refused(measure):
    with pytest.raises(
        GradedError, match="holes needs fixed weights of ranks, as nDCG_JK@10 has; "
    ):
        holes(QRELS, RUNS, measure)


@pytest.mark.parametrize("level", [1, 0.1, 0.7])
def test_a_pair_stays_open_while_equal_levels_leave_no_residual(level):
    runs = {
        name: {
            f"q{topic}": {f"{name * (doc % 2)}{doc}": -doc for doc in range(10)}
            for topic in range(12)
        }
        for name in "AB"
    }
    qrels = {f"q{topic}": {"0": level} if topic < 10 else {} for topic in range(12)}
    assert holes(qrels, runs, "CG@5").open == 1


def test_a_file_that_exists_is_never_overwritten(tmp_path):
    path = tmp_path / "to-judge.csv"
    path.touch()
    few, every = (holes(QRELS, RUNS, f"CG@{depth}", batch=9) for depth in (1, 3))
    few.ask(path)
    few.ask(path)  # the same list
    path.write_text(path.read_text().replace("q1,x,,", "q1,x,3,"))
    assert add_answers(QRELS, path).qrels["q1"]["x"] == 3
    kept = path.read_bytes()
    for found in (few, every):
        with pytest.raises(GradedError, match=r"to-judge\.csv: the file exists, perhaps with"):
            found.ask(path)
    assert path.read_bytes() == kept


def test_cells_that_a_spreadsheet_would_compute_come_back_unchanged(tmp_path):
    names = ["=1+2", "+1", "-1", "@x", "'=x", "''-x", "'x", "x=1", "d,1"]
    runs = {
        f"={sign}": {
            topic: {doc: sign * number for number, doc in enumerate(names)} for topic in names
        }
        for sign in (1, -1)
    }
    path = tmp_path / "ask"
    holes({}, runs, "nDCG_JK@9", batch=100).ask(path)
    text = path.read_text()
    assert not re.search(r"^[=+@-]|,[=+@-]", text.replace('"', ""), re.MULTILINE)
    path.write_text(text.replace(",,", ",2,"))
    assert add_answers({}, path).qrels == {topic: dict.fromkeys(names, 2) for topic in names}


def test_a_random_sample_is_set_aside_and_marked(tmp_path):
    """The sample of two calls is that of one, whatever was judged in between."""
    levels, qrels, runs = drawn(4)
    found, chosen = (
        holes(qrels, runs, "nDCG_JK@8", batch=5, random=share) for share in (0.3, None)
    )
    assert 0 < found.sampled < found.unjudged / 2
    named = list(zip(found.topics, found.documents))
    assert len({*named}) == len(named)
    assert {*named} == {*named[: found.sampled], *zip(chosen.topics, chosen.documents)}
    path = tmp_path / "ask.csv"
    found.ask(path)
    assert path.read_text().count("random") == found.sampled
    some = {topic: {} for topic in levels}
    for topic, document in named[: found.sampled // 2] + named[found.sampled :]:
        some[topic][document] = levels[topic][document]
    later = holes(qrels, runs, "nDCG_JK@8", answers=[some], random=0.3)
    assert [*zip(later.topics, later.documents)][: later.sampled] == named[
        found.sampled // 2 : found.sampled
    ]
    with pytest.raises(GradedError, match="random=1 is not allowed; it is above 0 and below 1"):
        holes(qrels, runs, "nDCG_JK@8", random=1)


def test_unjudged_documents_tied_with_others_are_cut_off_by_descending_id():
    runs = {"A": {"t": {"a": 5, "b": 5, "c": 5, "z": 1}}, "B": {"t": {"z": 1}}}
    found = holes({"t": {"z": 1}}, runs, "CG@2", batch=9)
    assert sorted(zip(found.documents, found.ranks[:, 0].tolist())) == [("b", 2), ("c", 1)]


@pytest.mark.parametrize("orders", [("cabd", "dcba", "bdac"), ("xcad", "ycad", "cabd")])
def test_the_order_of_the_runs_does_not_matter(orders):
    runs = {
        name: {"q": {doc: 4.0 - rank for rank, doc in enumerate(of)}}
        for name, of in zip("ABC", orders)
    }
    first, other = (
        holes({"q": {"c": 1, "d": 0}}, {run: runs[run] for run in order}, "nDCG_JK@3")
        for order in ("ACB", "BAC")
    )
    assert (first.open, first.documents) == (other.open, other.documents)
    assert dict(zip(first.runs, first.expected)) == pytest.approx(
        dict(zip(other.runs, other.expected))
    )


def test_the_pool_of_one_run_settles_nothing():
    """The judged documents are those of the old run. The new run finds as many others."""
    topics = [f"q{number}" for number in range(40)]
    old = {topic: {f"o{rank}": 10.0 - rank for rank in range(10)} for topic in topics}
    new = {topic: {f"n{rank}": 10.0 - rank for rank in range(10)} for topic in topics}
    for number, topic in enumerate(topics):
        new[topic]["o9"] = number % 2 + 0.5
    qrels = {topic: {f"o{rank}": int(rank < 6) for rank in range(10)} for topic in topics}
    runs = {"old": old, "new": new}
    found = holes(qrels, runs, "nDCG_JK@10")
    assert (found.open, len(found)) == (1, 10)
    assert found.shares.tolist() == [0, 1.0 - found_share(new, qrels)]
    assert str(found.answer()[0]).startswith("new is 9")
    assert str(found.answer()[0]).endswith("is a lower bound.")
    halves = {
        topic: judged | {f"n{rank}": 0 for rank in range(6)} for topic, judged in qrels.items()
    }
    settled = holes(halves, runs, "nDCG_JK@10", batch=7)
    assert (settled.open, len(settled)) == (0, 7)
    assert str(settled.answer()[0]).startswith("No further judgment is needed")


def found_share(run, qrels):
    """The share of the first ten documents that are judged."""
    first = {topic: sorted(run[topic], key=run[topic].get)[-10:] for topic in run}
    judged = sum(doc in qrels[topic] for topic, docs in first.items() for doc in docs)
    return judged / sum(map(len, first.values()))

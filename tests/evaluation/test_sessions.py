"""Values of sessions: the worked table, a plain reference, and all analyses on sessions."""

import math
from collections import defaultdict
from random import Random

import ir_measures
import numpy as np
import pytest

import reference
from ir_measures_graded import RunFile, nsDCG, parse_measure, sDCG
from ir_measures_graded.analysis import (
    Evaluation,
    compare,
    evaluate,
    gate,
    intervals,
    power,
    sensitivity,
)
from ir_measures_graded.files.files import qrels_in

QRELS = {"7_1": {"a": 2, "b": 1, "c": 0}, "7_2": {"d": 3, "e": 1}, "7_10": {"f": 1}}
RUN = {"7_1": {"b": 3.0, "a": 2.0, "c": 1.0}, "7_2": {"x": 2.0, "d": 1.0}}
VARIANTS = [
    measure(discount=form, **given)
    for measure in (sDCG, nsDCG)
    for form in ("2008", "2011")
    for given in ({}, {"cutoff": 3}, {"b": 3.5, "bq": 1.5}, {"gains": {1: 5}, "judged_only": True})
]
ORDINARY = [
    parse_measure(text) for text in ("AP", "nDCG@5", "Q", "ERR_G(ties='mean')@5", "NumRet", "ESL")
]


def value(measure, qrels, run):
    """The value of a session, from lists of the judgments and of the rankings of its turns."""

    def total(gains, discounts):
        kept = gains[: measure["cutoff"]] if measure["cutoff"] else gains
        return sum(gain / discounts(rank, measure["b"]) for rank, gain in enumerate(kept, 1))

    def discounts(number, base):
        if measure["discount"] == "2008":
            return 1 + math.log(number, base)
        return math.log(number + base - 1, base)

    found = ideal = 0
    for place, (judged, ranked) in enumerate(zip(qrels, run), 1):
        weight = 1 / discounts(place, measure["bq"])
        of = reference.run_gains(judged, ranked, measure["gains"], measure["judged_only"])
        found += weight * total(of, discounts)
        ideal += weight * total(reference.ideal_gains(judged, measure["gains"]), discounts)
    return found if measure.NAME == "sDCG" else found / ideal if ideal else 0


def collection(seed):
    """Qrels and a run of sessions in any order, with turns that the run lacks or that are not judged."""
    random, qrels, run = Random(seed), {}, {}
    for session in range(6):
        for turn in random.sample(range(200), random.randint(1, 7)):
            topic = f"s-{session}{random.choice('_-.')}{turn}"
            docs = [f"d{number}" for number in range(12)]
            if random.random() < 0.9:
                qrels[topic] = {
                    doc: random.choice([-1, 0, 0, 1, 2, 3]) for doc in random.sample(docs, 8)
                }
            if random.random() < 0.8:
                run[topic] = {
                    doc: random.choice([0.5, random.random()]) for doc in random.sample(docs, 9)
                }
    shuffled = random.sample(list(qrels), len(qrels))
    return {topic: qrels[topic] for topic in shuffled}, run


def grouped(topics):
    """The turns of each session, in order; ids end in a number."""
    sessions = defaultdict(list)
    for topic in topics:
        stem = topic.rstrip("0123456789")
        sessions[stem[:-1]].append((int(topic[len(stem) :]), topic))
    return {session: [topic for _, topic in sorted(turns)] for session, turns in sessions.items()}


def check(qrels, runs, measures):
    """Compare all values of sessions with the plain reference, and with values of topics by hand."""
    found, sessions = evaluate(qrels, runs, measures, sessions=True), grouped(qrels)
    assert found.topics == tuple(sessions)
    by_topic = evaluate(qrels, runs, [measure for measure in measures if measure not in VARIANTS])
    for row, run in enumerate(runs.values()):
        for turns, missing in zip(sessions.values(), found.missing[row]):
            assert missing == set(turns).isdisjoint(run)
        for measure in measures:
            if measure in VARIANTS:
                ranked = [[run.get(turn, {}) for turn in turns] for turns in sessions.values()]
                judged = [[qrels[turn] for turn in turns] for turns in sessions.values()]
                wanted = [value(measure, *each) for each in zip(judged, ranked)]
            else:
                of = dict(zip(by_topic.topics, by_topic.of(measure)[row]))
                parts = [[of[turn] for turn in turns] for turns in sessions.values()]
                wanted = [
                    sum(part) / (1 if measure == ir_measures.NumRet else len(part))
                    for part in parts
                ]
            np.testing.assert_allclose(
                found.of(measure)[row], wanted, rtol=1e-12, err_msg=str(measure)
            )
    total = by_topic.means()[:, -1] if measures[-1] == ir_measures.NumRet else None
    assert total is None or (found.means()[:, -1] == total).all()


@pytest.mark.parametrize("seed", range(5))
def test_values_of_random_sessions_equal_a_plain_reference(seed):
    qrels, run = collection(seed)
    check(qrels, {"mine": run, "other": dict(list(run.items())[::2])}, [*VARIANTS, *ORDINARY])


def test_values_of_cast_sessions_equal_a_plain_reference(shared_data):
    folder = shared_data / "cast21-doc"
    qrels = qrels_in(folder / "qrels.txt").dicts()
    paths = {name: folder / "runs" / f"{name}.run.gz" for name in ("org_convdr", "org_manual_bm25")}
    runs = {name: RunFile(path).rows().dicts() for name, path in paths.items()}
    check(qrels, runs, [*VARIANTS, *ORDINARY[:3], ir_measures.NumRet])


def test_the_worked_table():
    wanted = {
        "sDCG": 3.0, "nsDCG": 0.5565, "sDCG(discount='2011')": 6.6970, "nsDCG(discount='2011')": 0.6101,
        "sDCG@1": 1.0, "nsDCG@1": 0.2194,
    }  # fmt: skip
    found = evaluate(QRELS, {"run": RUN}, [*wanted], sessions=True).to_dict()["run"]
    assert {name: round(value, 4) for name, value in found.items()} == wanted
    ideal = evaluate(QRELS, {"run": QRELS}, [nsDCG, nsDCG(discount="2011") @ 2], sessions=True)
    assert ideal.values.tolist() == [[[1.0], [1.0]]]


def test_turns_have_an_order_and_sessions_do_not():
    def found(names):
        changed = [{names[topic]: docs for topic, docs in each.items()} for each in (QRELS, RUN)]
        return evaluate(changed[0], {"run": changed[1]}, VARIANTS, sessions=True).values

    own = found({topic: topic for topic in QRELS})
    assert (found({topic: "x.9-" + topic[2:] for topic in QRELS}) == own).all()
    assert (found({"7_1": "7_2", "7_2": "7_1", "7_10": "7_10"}) != own).all()
    how = {topic: (7, number) for number, topic in enumerate(QRELS)}
    assert (evaluate(QRELS, {"run": RUN}, VARIANTS, sessions=how).values == own).all()


def test_default_gains_follow_the_discount():
    assert [sDCG["gains"], sDCG(discount="2011")["gains"]] == ["linear", "exp"]
    assert parse_measure(str(nsDCG(gains="exp")))["gains"] == "exp"


def of_sessions(found):
    """The values of an `Evaluation` of topics, averaged by hand."""
    sessions = grouped(found.topics)
    columns = [[found.topics.index(turn) for turn in turns] for turns in sessions.values()]
    values = np.stack([found.values[..., each].mean(axis=-1) for each in columns], axis=-1)
    return Evaluation(found.runs, found.measures, tuple(sessions), values)


def test_analyses_take_sessions_as_topics():
    qrels, run = collection(1)
    random = Random(3)
    noise = {topic: {doc: random.random() for doc in docs} for topic, docs in run.items()}
    given, sessions = (qrels, {"a": run, "b": noise}, ["nDCG_JK@5", "AP"]), True
    hand = of_sessions(evaluate(*given))
    pairs = [(each(*given, sessions=sessions), each(hand)) for each in (compare, power, gate)]
    pairs.append((intervals(evaluate(*given, sessions=sessions)), intervals(hand)))
    for of_runs, of_values in pairs:
        for one, other in zip(of_runs.records(), of_values.records(), strict=True):
            numbers = {key: value for key, value in other.items() if isinstance(value, float)}
            assert {key: one[key] for key in numbers} == pytest.approx(numbers, rel=1e-9)
    for found, _ in pairs:
        texts = " ".join([found.summary, *found.notes()])
        assert f"{len(hand.topics)} sessions" in texts
        assert f"{len(hand.topics)} topics" not in texts
    ranked = sensitivity(*given, sessions=sessions)
    np.testing.assert_allclose(ranked.means, hand.means())


def test_the_shell_takes_ids_or_a_table(output, tmp_path):
    turns, qrels, run = (tmp_path / name for name in ("turns.csv", "qrels", "run"))
    turns.write_text("topic,session,turn\n7_1,7,1\n7_2,7,2\n7_10,7,10\n")
    qrels.write_text(
        "".join(f"{q} 0 {d} {v}\n" for q, docs in QRELS.items() for d, v in docs.items())
    )
    run.write_text(
        "".join(f"{q} 0 {d} 1 {v} r\n" for q, docs in RUN.items() for d, v in docs.items())
    )
    for how in ("--sessions", f"--sessions={turns}"):
        printed = output("evaluate", how, qrels, run, "nsDCG", "-q", "-n", "-f", "tsv")
        assert printed == ["7\tnsDCG\t0.5565"]

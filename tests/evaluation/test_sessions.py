"""Values of sessions: the worked table, a plain reference, and all analyses on sessions."""

import math
from collections import defaultdict
from random import Random

import ir_measures
import numpy as np
import pytest

import reference
from ir_measures_graded import GradedError, RunFile, nsDCG, parse_measure, sDCG
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
OPTIONS = [{}, {"cutoff": 3}, {"b": 3.5, "bq": 1.5}, {"gains": {1: 5}, "judged_only": True}]
VARIANTS = [
    measure(discount=form, **options)
    for measure in (sDCG, nsDCG)
    for form in ("2008", "2011")
    for options in OPTIONS
]
ORDINARY = [
    parse_measure(text) for text in ("AP", "nDCG@5", "Q", "ERR_G(ties='mean')@5", "NumRet", "ESL")
]


def value(measure, qrels, run):
    """The value of a session, from lists of the judgments and of the rankings of its turns."""

    def discount(number, base):
        if measure["discount"] == "2008":
            return 1 + math.log(number, base)
        return math.log(number + base - 1, base)

    def discounted(gains):
        first_gains = gains[: measure["cutoff"]]  # all if there is no cutoff
        return sum(gain / discount(rank, measure["b"]) for rank, gain in enumerate(first_gains, 1))

    total = 0
    ideal_total = 0
    for turn, (judged, ranked) in enumerate(zip(qrels, run), 1):
        weight = 1 / discount(turn, measure["bq"])
        gains = reference.run_gains(judged, ranked, measure["gains"], measure["judged_only"])
        ideal_gains = reference.ideal_gains(judged, measure["gains"])
        total += weight * discounted(gains)
        ideal_total += weight * discounted(ideal_gains)
    if measure.NAME == "sDCG":
        return total
    if ideal_total == 0:
        return 0
    return total / ideal_total


def collection(seed):
    """Qrels and a run of sessions in any order; some turns lack a ranking or judgments."""
    random = Random(seed)
    docs = [f"d{number}" for number in range(12)]
    levels = [-1, 0, 0, 1, 2, 3]
    qrels = {}
    run = {}
    for session in range(6):
        for turn in random.sample(range(200), random.randint(1, 7)):
            topic = f"s-{session}{random.choice('_-.')}{turn}"
            if random.random() < 0.9:
                judged = random.sample(docs, 8)
                qrels[topic] = {doc: random.choice(levels) for doc in judged}
            if random.random() < 0.8:
                ranked = random.sample(docs, 9)
                run[topic] = {doc: random.choice([0.5, random.random()]) for doc in ranked}
    shuffled = random.sample(list(qrels), len(qrels))
    return {topic: qrels[topic] for topic in shuffled}, run


def grouped(topics):
    """The turns of each session, in order; ids end in a number."""
    sessions = defaultdict(list)
    for topic in topics:
        stem = topic.rstrip("0123456789")
        turn = int(topic[len(stem) :])
        sessions[stem[:-1]].append((turn, topic))
    return {session: [topic for _, topic in sorted(turns)] for session, turns in sessions.items()}


def check(qrels, runs, measures):
    """Compare values of sessions with the plain reference and with values of topics by hand."""
    evaluation = evaluate(qrels, runs, measures, sessions=True)
    sessions = grouped(qrels)
    assert evaluation.topics == tuple(sessions)
    by_topic = evaluate(qrels, runs, [measure for measure in measures if measure not in VARIANTS])
    for row, run in enumerate(runs.values()):
        for turns, missing in zip(sessions.values(), evaluation.missing[row]):
            assert missing == set(turns).isdisjoint(run)
        for measure in measures:
            wanted = []
            if measure in VARIANTS:
                for turns in sessions.values():
                    judged = [qrels[turn] for turn in turns]
                    ranked = [run.get(turn, {}) for turn in turns]
                    wanted.append(value(measure, judged, ranked))
            else:
                value_of = dict(zip(by_topic.topics, by_topic.of(measure)[row]))
                for turns in sessions.values():
                    total = sum(value_of[turn] for turn in turns)
                    is_sum = measure == ir_measures.NumRet
                    wanted.append(total if is_sum else total / len(turns))
            values = evaluation.of(measure)[row]
            np.testing.assert_allclose(values, wanted, rtol=1e-12, err_msg=str(measure))
    if measures[-1] == ir_measures.NumRet:
        assert (evaluation.means()[:, -1] == by_topic.means()[:, -1]).all()


@pytest.mark.parametrize("seed", range(5))
def test_values_of_random_sessions_equal_a_plain_reference(seed):
    qrels, run = collection(seed)
    every_second = dict(list(run.items())[::2])
    check(qrels, {"mine": run, "other": every_second}, VARIANTS + ORDINARY)


def test_values_of_cast_sessions_equal_a_plain_reference(shared_data):
    folder = shared_data / "cast21-doc"
    qrels = qrels_in(folder / "qrels.txt").dicts()
    runs = {}
    for name in ("org_convdr", "org_manual_bm25"):
        runs[name] = RunFile(folder / "runs" / f"{name}.run.gz").rows().dicts()
    check(qrels, runs, [*VARIANTS, *ORDINARY[:3], ir_measures.NumRet])


def test_the_worked_table():
    wanted = {
        "sDCG": 3.0,
        "nsDCG": 0.5565,
        "sDCG(discount='2011')": 6.6970,
        "nsDCG(discount='2011')": 0.6101,
        "sDCG@1": 1.0,
        "nsDCG@1": 0.2194,
    }
    values = evaluate(QRELS, {"run": RUN}, list(wanted), sessions=True).to_dict()["run"]
    assert {name: round(value, 4) for name, value in values.items()} == wanted
    ideal = evaluate(QRELS, {"run": QRELS}, [nsDCG, nsDCG(discount="2011") @ 2], sessions=True)
    assert ideal.values.tolist() == [[[1.0], [1.0]]]


def test_turns_have_an_order_and_sessions_do_not():
    def values_with(new_names):
        qrels = {new_names[topic]: docs for topic, docs in QRELS.items()}
        run = {new_names[topic]: docs for topic, docs in RUN.items()}
        return evaluate(qrels, {"run": run}, VARIANTS, sessions=True).values

    own = values_with({topic: topic for topic in QRELS})
    assert (values_with({topic: "x.9-" + topic[2:] for topic in QRELS}) == own).all()
    assert (values_with({"7_1": "7_2", "7_2": "7_1", "7_10": "7_10"}) != own).all()
    sessions = {topic: (7, number) for number, topic in enumerate(QRELS)}
    assert (evaluate(QRELS, {"run": RUN}, VARIANTS, sessions=sessions).values == own).all()


def test_default_gains_follow_the_discount():
    assert [sDCG["gains"], sDCG(discount="2011")["gains"]] == ["linear", "exp"]
    assert parse_measure(str(nsDCG(gains="exp")))["gains"] == "exp"


def of_sessions(by_topic):
    """The values of an `Evaluation` of topics, averaged by hand."""
    sessions = grouped(by_topic.topics)
    means = []
    for turns in sessions.values():
        columns = [by_topic.topics.index(turn) for turn in turns]
        means.append(by_topic.values[..., columns].mean(axis=-1))
    values = np.stack(means, axis=-1)
    return Evaluation(by_topic.runs, by_topic.measures, tuple(sessions), values)


def floats_of(record):
    return {key: value for key, value in record.items() if isinstance(value, float)}


def test_analyses_take_sessions_as_topics():
    qrels, run = collection(1)
    random = Random(3)
    noise = {topic: {doc: random.random() for doc in docs} for topic, docs in run.items()}
    arguments = (qrels, {"a": run, "b": noise}, ["nDCG_JK@5", "AP"])
    by_hand = of_sessions(evaluate(*arguments))
    pairs = [
        (compare(*arguments, sessions=True), compare(by_hand)),
        (power(*arguments, sessions=True), power(by_hand)),
        (gate(*arguments, sessions=True), gate(by_hand)),
        (intervals(evaluate(*arguments, sessions=True)), intervals(by_hand)),
    ]
    for of_runs, of_values in pairs:
        for record, expected in zip(of_runs.records(), of_values.records(), strict=True):
            numbers = floats_of(expected)
            assert {key: record[key] for key in numbers} == pytest.approx(numbers, rel=1e-9)
        texts = " ".join([of_runs.summary, *of_runs.notes()])
        assert f"{len(by_hand.topics)} sessions" in texts
        assert f"{len(by_hand.topics)} topics" not in texts
    ranked = sensitivity(*arguments, sessions=True)
    np.testing.assert_allclose(ranked.means, by_hand.means())


def test_the_shell_takes_ids_or_a_table(output, tmp_path):
    turns = tmp_path / "turns.csv"
    turns.write_text("topic,session,turn\n7_1,7,1\n7_2,7,2\n7_10,7,10\n")
    qrels = tmp_path / "qrels"
    with qrels.open("w") as file:
        for topic, docs in QRELS.items():
            file.writelines(f"{topic} 0 {doc} {level}\n" for doc, level in docs.items())
    run = tmp_path / "run"
    with run.open("w") as file:
        for topic, docs in RUN.items():
            file.writelines(f"{topic} 0 {doc} 1 {score} r\n" for doc, score in docs.items())
    for option in ("--sessions", f"--sessions={turns}"):
        printed = output("evaluate", option, qrels, run, "nsDCG", "-q", "-n", "-f", "tsv")
        assert printed == ["7\tnsDCG\t0.5565"]


@pytest.mark.parametrize("sessions", [4, 5])
def test_a_comparison_of_turns_says_that_they_are_not_independent(sessions):
    turns = [f"{session}_{turn}" for session in range(sessions) for turn in (1, 2, 3)]
    random = Random(1)
    qrels = {turn: {"a": 2, "b": 1} for turn in turns}
    runs = {name: {turn: {"a": random.random(), "b": 0.5} for turn in turns} for name in "AB"}
    by_turns = str(compare(qrels, runs, ["nDCG@2"]))
    assert (f"seem to be turns of {sessions} sessions, such as 0_1." in by_turns) == (sessions > 4)
    assert "seem to be turns" not in str(compare(qrels, runs, ["nDCG@2"], sessions=True))


def test_no_note_proposes_sessions_in_which_two_topics_have_one_turn():
    topics = [f"{part}{mark}1" for part in range(6) for mark in ("_", "-")]
    qrels = {topic: {"a": 2, "b": 1} for topic in topics}
    runs = {name: {topic: {"a": 1, "b": 2} for topic in topics} for name in "AB"}
    assert "seem to be turns" not in str(compare(qrels, runs, ["nDCG@2"]))
    with pytest.raises(GradedError, match="are both turn 1 of session '0'"):
        compare(qrels, runs, ["nDCG@2"], sessions=True)

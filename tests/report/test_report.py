"""The report holds what the analyses compute, needs no other file, and omits what it cannot say."""

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from ir_measures_graded import GradedError, demo, parse_measure

pytest.importorskip("jinja2", reason="the extra report is not installed")
pytest.importorskip("scipy", reason="the extra stats is not installed")
pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

from ir_measures_graded.analysis import (
    Evaluation,
    compare,
    evaluate,
    intervals,
    judges,
    ordered_runs,
    ranges,
    report,
    sensitivity,
)
from ir_measures_graded.analysis.report.pages import drawing, result_page
from ir_measures_graded.analysis.report.report import MEASURES as DEFAULT_MEASURES
from ir_measures_graded.analysis.report.sections import by_topic, method
from ir_measures_graded.analysis.report.verdict import verdict
from ir_measures_graded.core import reduction
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.evaluation.named import study_of
from ir_measures_graded.files.files import RunFile
from rounds import thorough

QRELS = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 2, "d": 1}, "q3": {"e": 1}}
RUNS = {
    "good": {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 2.0, "d": 1.0}, "q3": {"e": 1.0}},
    "poor": {"q1": {"c": np.inf, "x": 2.0}, "q2": {"x": 2.0, "d": 2.0}, "other": {"a": 1.0}},
}


DEMO_RUNS = demo.run_paths()
MEASURES = ["nDCG_JK@10", "ERR_G@10", "AP"]


class Read(HTMLParser):
    """The elements of a page with their attributes, and the texts of its styles and scripts."""

    def __init__(self, html):
        super().__init__()
        self.elements = [("", {})]
        self.texts = {"style": [], "script": []}
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        tag, attributes = self.elements[-1]
        if tag in self.texts and "type" not in attributes:
            self.texts[tag].append(data)
            self.elements.append(("", {}))


def sections(html):
    return re.findall(r'<section id="(\w+)"', html)


@pytest.fixture(scope="module")
def of_demo():
    return report("graded-demo", DEMO_RUNS, MEASURES, baseline="A")


@pytest.fixture(scope="module")
def of_two():
    """A small report."""
    return report(QRELS, RUNS, ["AP"])


def between(html, start, end):
    """What stands between two pieces of a page."""
    return html.partition(start)[2].partition(end)[0]


def text_of(html):
    """The text of a piece of a page, without tags."""
    return " ".join(re.sub("<[^>]*>", "", html).split())


def section_text(html, title):
    return text_of(between(html, f'<section id="{title}"', "</section>"))


def test_the_method_tells_how_intervals_of_means_are_bounded(of_two):
    text = section_text(of_two.html, "method")
    assert "Their bounds stay within the range of the measure; if fewer than 10 and fewer" in text
    assert (
        "than half of the topics differ from the most frequent value, they are those with" in text
    )


def families_counted(text):
    return re.findall(r"\d+ families", text)


def test_without_a_baseline_the_best_run_is_compared_with_the_others():
    result = report("graded-demo", DEMO_RUNS, MEASURES)
    pairs = compare("graded-demo", DEMO_RUNS, MEASURES)
    assert result.verdict.baseline is None
    assert result.verdict.tested is None
    for verdict_by_measure in result.verdict.measures:
        measure = verdict_by_measure.measure
        first, *others = verdict_by_measure.lines
        assert first.run == pairs.best_first(measure)[0]
        assert first.test is None
        assert len(others) == 4
        tests = {frozenset((test.run, test.other)): test for test in pairs.find(measure)}
        for line in others:
            test = tests[frozenset((first.run, line.run))]
            if test.run != line.run:
                test = test.turned()
            assert line.test.difference == test.difference
            assert (line.test.lower, line.test.upper) == (test.lower, test.upper)
            assert (line.test.adjusted, line.test.better) == (test.adjusted, test.better)
            assert line.test.difference == pytest.approx(line.mean - first.mean)
    assert "aseline" not in section_text(result.html, "verdict").replace(".baseline", "")
    families = [f"{len(MEASURES)} families"]
    assert families_counted(section_text(result.html, "method")) == families
    assert families_counted(text_of(result.html)) == families
    assert result.by_topic.reference == result.verdict.measures[0].best.run


def test_the_head_compares_the_best_run_with_the_baseline_or_the_next_run(of_demo):
    (test,) = [test for test in of_demo.verdict.tested.find("nDCG_JK@10") if test.run == "D"]
    numbers = f"+{test.difference:.4f} ({test.lower:.4f} to {test.upper:.4f})"
    assert of_demo.summary.startswith("D beats A: nDCG_JK@10 ")
    assert numbers.replace("0.", ".") in of_demo.summary
    turn = ", but judgments of unjudged documents could turn the sign."
    assert of_demo.summary.endswith(f", p < .001, 20 topics{turn}")
    assert test.may_turn
    html = of_demo.html.replace("\xa0", " ")
    assert f'<p class="head">{of_demo.summary.replace("<", "&lt;")}</p>' in html
    best_first = [line.run for line in of_demo.verdict.measures[0].lines]
    assert list(of_demo.evaluation.runs) == best_first
    assert [of_demo.curves.runs[row] for row in of_demo.curves.order] == best_first
    spreads = [of_demo.by_topic.spread(topic) for topic in of_demo.by_topic.listed_topics]
    assert spreads == sorted(spreads, reverse=True)


def test_the_page_counts_families_once(of_demo):
    text = text_of(of_demo.html)
    assert families_counted(text) == [f"{2 * len(MEASURES)} families"]
    assert "the 4 differences from A and the 10 differences between all pairs of runs" in text


def test_topics_without_a_value_are_left_out_of_a_report():
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(12)}
    runs = {
        "A": {topic: {"a": 2.0, "b": 1.0} for topic in qrels},
        "B": {topic: {"b": 2.0, "a": 1.0 + int(topic) % 4} for topic in qrels},
    }
    runs["B"]["3"] = {"x": 1.0}
    with pytest.warns(InputWarning, match="no value for 1 of 12 topics of B"):
        result = report(qrels, runs, ["Accuracy@2"])
    means = {line.run: line.mean for line in result.verdict.measures[0].lines}
    evaluation = result.evaluation
    assert means == dict(zip(evaluation.runs, evaluation.means()[:, 0].tolist()))
    assert result.by_topic.differences["B"].size == 11
    without_scripts = re.sub("<script.*?</script>", "", result.html, flags=re.DOTALL)
    assert not re.search(r"\bnan\b", without_scripts)


def test_a_report_with_the_default_measures_says_what_they_do_not_discount(of_two):
    assert not of_two.notes_on_input()
    of_defaults = replace(of_two, evaluation=evaluate(QRELS, RUNS, DEFAULT_MEASURES))
    (note,) = of_defaults.notes_on_input()
    assert note.startswith("nDCG_JK@10, ERR_G@10 and Q are the measures of a report for which none")
    assert "does not discount rank 2" in note
    turned = {"old": {"q1": ["a", "b"]}, "new": {"q1": ["b", "a"]}}
    old, new = evaluate(QRELS, turned, ["nDCG_JK@10", "nDCG@10"]).means()
    assert old[0] == new[0]
    assert old[1] > new[1]


def test_the_key_of_the_curves_has_the_ideal_list_if_it_is_drawn():
    keys = {}
    for measure in ("CG@2", "nCG@2"):
        page = report(QRELS, RUNS, [measure]).html
        keys[measure] = text_of(between(page, '<ul class="key', "</ul>").partition(">")[2])
    assert keys == {"CG@2": "good poor ideal list", "nCG@2": "good poor"}


def test_the_table_of_a_report_has_no_p_of_0_and_no_answer_for_the_baseline(of_demo):
    _, rows = of_demo.table()
    p_and_answer = {tuple(row[:2]): row[-2:] for row in rows}
    assert p_and_answer["nDCG_JK@10", "A"] == [None, None]
    assert p_and_answer["nDCG_JK@10", "D"] == ["< 0.001", True]
    records = json.loads(json.dumps(of_demo.records()))
    p = next(record["p"] for record in records if record["run"] == "D")
    assert 0 < p < 0.001
    assert "<svg" in of_demo._repr_html_()


def test_save_writes_the_page_and_the_table(of_demo, tmp_path):
    for name, start in (("r.html", "<!doctype html>"), ("r.csv", "measure,run,mean")):
        of_demo.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_every_run_is_read_once_and_reduced_once(monkeypatch):
    calls = {"read": 0, "reduced": 0}

    def counting(name, function):
        def counted(*arguments):
            calls[name] += 1
            return function(*arguments)

        return counted

    monkeypatch.setattr(RunFile, "_every", counting("read", RunFile._every))
    monkeypatch.setattr(reduction, "reduced", counting("reduced", reduction.reduced))
    report("graded-demo", DEMO_RUNS, ["nDCG_JK@10", "AP", "muAP"])
    assert calls == {"read": 5, "reduced": 5}


def test_the_page_needs_nothing_but_itself(of_demo):
    page = Read(of_demo.html)
    metas = [attributes for _, attributes in page.elements if attributes.get("http-equiv")]
    policy = metas[0]["content"]
    assert policy.startswith("default-src 'none'; ")
    for kind in ("style", "script"):
        (text,) = page.texts[kind]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    for tag, attributes in page.elements:
        assert not {"style", "src", "srcset", "action"} & attributes.keys(), tag
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "xlink:href"):
            target = attributes.get(name, "#")
            assert target.startswith("#") or target == "data:,"
    name = "k=0.925 style=\"font: x\" 'DejaVu Sans'"
    comparison = compare(QRELS, {**RUNS, name: {"q1": {"b": 1.0}}}, ["CG@1", "AP"])
    matrices = drawing(comparison.drawing(), "")
    assert name in matrices
    for html in (of_demo.html, matrices):
        ids = re.findall(r' id="([^"]*)"', html)
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("gains", "sentence"),
    [
        (
            (0.2, -0.2),
            "The best run depends on the measure: new is significantly better than old by AP, and",
        ),
        (
            (0.2, -0.01),
            "new has the best mean by AP, old has the best mean by P@5; the tests do not show",
        ),
        (
            (0.2, 0.2),
            "new has the best mean by every measure and is significantly better than every",
        ),
        (
            (0.2, 0.01),
            "new has the best mean by every measure; the tests separate it from every other",
        ),
        (
            (0.01, 0.01),
            "new has the best mean by every measure; the tests do not separate it from every",
        ),
        (
            (0.0, -0.01),
            "new and old have the best mean by AP, old has the best mean by P@5; the tests",
        ),
        ((0.0, 0.0), "new and old have the best mean by every measure."),
    ],
)
def test_the_first_sentence_says_what_the_tests_support(of_two, gains, sentence):
    noise = np.random.default_rng(0).normal(0, 0.1, (2, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    old = np.full((2, 30), 0.5)
    values = np.stack([old, old + noise + np.array(gains)[:, None]])
    measures = (parse_measure("AP"), parse_measure("P@5"))
    topics = tuple(str(number) for number in range(30))
    evaluation = Evaluation(("old", "new"), measures, topics, values)
    page = replace(of_two, verdict=verdict(evaluation, study_of(QRELS, RUNS), None, 0.05)).html
    _, _, second_lead = page.split('<p class="lead">')[:3]
    assert text_of(second_lead.partition("</p>")[0]).startswith(sentence)


def test_the_detectable_difference_is_that_of_the_pairs_that_are_named():
    """It is the largest one of these pairs, so that it holds for each of them."""
    for names in ("DE", "ABCDE"):
        runs = {name: DEMO_RUNS[name] for name in names}
        result = report(demo.qrels_path(), runs, ["nDCG_JK@10"])
        tests = [line.test for line in result.verdict.measures[0].lines if line.test]
        detectable = max(test.detectable for test in tests if not test.significant)
        what = "E" if names == "DE" else "any of E and B"
        difference = f"{detectable:.4f}".removeprefix("0")
        text = f"detects a true difference of {difference} between D and {what} with"
        assert text in text_of(result.html)


def test_percentages_of_a_report_keep_the_0_before_the_point():
    judged = {"q": {f"d{n}": 1 for n in range(2)}}
    run = {"q": {f"d{n}": -float(n) for n in range(300)}}
    html = report(judged, {"one": run}, ["nDCG_JK@300"]).html
    assert "0.7 %" in text_of(html)
    assert not re.search(r"[^\d]\.\d %", text_of(html))


def test_a_report_claims_no_test_and_no_difference_where_there_is_none():
    html = report(QRELS, {"one": RUNS["good"], **RUNS}, ["nDCG_JK@2"]).html
    text = text_of(between(html, "<main>", 'id="data"'))
    assert "good and one have the best mean. nDCG_JK@2" in text
    assert "Of 2 differences between runs, 2 keep their sign in every order" in text
    assert not re.search("significant|distinguish|separate|detects|Against the baseline", text)
    assert html.count('<td data-label="differs">–</td>') == 2
    assert "Panels reach from −1.0000 to 1.0000." in html
    same = report(QRELS, {"one": RUNS["good"], "other": RUNS["good"]}, ["nDCG_JK@2"]).html
    assert "between runs," not in same


def test_one_difference_is_one_in_the_sentence_on_its_sign(of_two):
    sentence = "The difference between the runs keeps its sign in every order of tied documents"
    assert sentence in text_of(of_two.html)


def test_a_page_has_numbers_in_the_style_of_its_sentences(of_demo):
    tables = "".join(re.findall("<tbody>.*?</tbody>", of_demo.html, flags=re.DOTALL))
    assert not re.search(r">[+−]?0\.\d+<", tables)
    assert re.search(r">[+−]?\.\d{4}<", tables)


def test_the_verdict_has_the_numbers_of_the_analyses(of_demo):
    tests = compare("graded-demo", DEMO_RUNS, MEASURES, baseline="A")
    pairs = compare("graded-demo", DEMO_RUNS, MEASURES)
    spans = ranges("graded-demo", DEMO_RUNS, MEASURES[:2])
    for by_measure in of_demo.verdict.measures:
        measure = by_measure.measure
        assert [line.run for line in by_measure.lines] == tests.best_first(measure)
        against_a = {test.run: test for test in tests.find(measure)}
        for line in by_measure.lines:
            assert line.mean == tests.mean(measure, line.run)
            assert line.test == against_a.get(line.run)
            if line.test is not None:
                assert line.test.significant == (line.test.adjusted < 0.05)
        assert by_measure.separated == sum(test.significant for test in pairs.find(measure))
    first = of_demo.verdict.measures[0]
    differences = [pair.record() for pair in spans.differences if pair.measure == first.measure]
    assert first.standing.differences == len(differences)
    over_ties = sum(record["stands_over_ties"] for record in differences)
    assert first.standing.over_ties == over_ties
    over_judgments = sum(record["stands_over_judgments"] for record in differences)
    assert first.standing.over_judgments == over_judgments
    span_of_run = {span.run: span for span in spans.values if span.measure == first.measure}
    assert {line.run: line.span for line in first.lines} == span_of_run


def test_equal_inputs_give_equal_pages():
    first = report(QRELS, RUNS, MEASURES, baseline="poor").html
    second = report(QRELS, RUNS, MEASURES, baseline="poor").html
    assert first == second


def test_the_material_of_small_runs():
    material = report(QRELS, RUNS, ["nDCG_JK@2"]).material
    assert material["depths"] == [2, 10, 100]
    assert [list(row.values())[2:] for row in material["runs"]] == [
        [[1.0, 1.0, 1.0], 0.0, [], []],
        [[0.5, 0.5, 0.5], 0.5, ["q3"], ["other"]],
    ]


def test_the_lists_of_a_topic():
    rankings = report(QRELS, RUNS, ["nDCG_JK@2"]).rankings
    topic = rankings.topics[0]
    assert (rankings.depth, rankings.levels) == (2, {"0": 0, "1": 1, "2": 2, "3": 3})
    assert (topic["topic"], topic["ideal"]) == ("q1", "3 1")
    assert topic["lists"] == [("good", 1.0, "3 1"), ("poor", 0.0, "0 –")]
    assert topic["data"]["documents"] == ["a", "b", "c", "x"]
    good, poor = topic["data"]["runs"]
    assert (good["documents"], good["values"]) == ([0, 1], [10_000, 10_000])
    assert (poor["documents"], poor["values"]) == ([2, 3], [0, 0])


def test_one_run_has_no_tests_and_no_weighting():
    html = report(QRELS, {"good": RUNS["good"]}, ["nDCG_JK@2"], alpha=1e-4).html
    assert ">99.99 % interval<" in html
    assert sections(html) == ["verdict", "data", "curves", "topics", "rankings", "method"]
    assert "baseline" not in html.partition("<body>")[2].partition("<script>")[0]


@pytest.mark.parametrize(
    ("measure", "absent"),
    [
        ("Q", []),
        ("ESL", ["curves"]),  # without a cutoff
        ("nDCG_JK(ties=mean)@2", ["rankings"]),  # of several rankings at once
        ("P@2", ["weighting"]),
        ("NumRet", ["curves", "rankings", "power", "weighting"]),
    ],
)
def test_a_measure_may_lack_sections(measure, absent):
    result = report(QRELS, RUNS, [measure])
    every = ["verdict", "data", "curves", "topics", "rankings", "power", "weighting", "method"]
    assert sections(result.html) == [name for name in every if name not in absent]
    of_evaluate = intervals(evaluate(QRELS, RUNS, [measure]))
    for line in result.verdict.measures[0].lines:
        expected = of_evaluate.of(line.run, measure)
        if np.isnan(expected).any():
            assert line.interval is None
        else:
            assert line.interval == expected


def test_queries_may_be_a_file(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text("q1\tbees on roofs\n")
    assert "bees on roofs" in report(QRELS, RUNS, ["CG@2"], queries=path).html
    with pytest.raises(GradedError, match=r"queries=\['q1'\] is not allowed"):
        report(QRELS, RUNS, ["CG@2"], queries=["q1"])


def test_names_cannot_become_markup():
    name = "</script><script>alert(1)</script>"
    runs = {f"{name}{number}": run for number, run in enumerate(RUNS.values())}
    qrels = {topic: judged | {name: 1} for topic, judged in QRELS.items()}
    qrels[name] = {name: 2}
    html = report(qrels, runs, ["nDCG_JK(gains=2:9)@2"], queries={name: name}, title=name).html
    assert '"reference":"nDCG_JK(gains={2:9})@2 as named"' in html
    named = Read(html)
    scripts = [attributes.get("id") for tag, attributes in named.elements if tag == "script"]
    of_topics = [None] * 4
    of_sections = ["rankings-data", "what-if-data"]
    assert scripts == [*of_topics, *of_sections, None]  # the last is the page's own script


@thorough
def test_a_large_report_is_below_a_megabyte():
    ids = [f"msmarco_passage_{number % 97:02}_{7919 * number:09}" for number in range(6000)]
    topics = [f"{10007 * number}" for number in range(50)]
    qrels = {}
    for number, topic in enumerate(topics):
        judged = ids[number * 100 : (number + 1) * 100]
        qrels[topic] = {doc: place % 4 for place, doc in enumerate(judged)}

    def ranking(run, number):
        """Documents at and behind those judged of a topic, in an order of the run's own."""
        places = [number * 100 + (rank * (run + 3)) % 131 for rank in range(20)]
        return {ids[place]: 30 - 0.0371 * (rank + run) for rank, place in enumerate(places)}

    runs = {
        f"system-{run}": {topic: ranking(run, number) for number, topic in enumerate(topics)}
        for run in range(24)
    }
    result = report(qrels, runs, ["nDCG_JK@100"])
    assert [len(topic["data"]["runs"]) for topic in result.rankings.topics] == [24] * 50
    assert len(result.html.encode()) < 1_000_000


def test_the_page_with_sliders_leaves_the_turns_to_them():
    result = sensitivity(QRELS, RUNS, ["nDCG_JK@2"], gains=["linear", "exp"])
    assert result.turns
    html = result_page(result, "as typed", 4)
    assert "what-if-data" in html
    assert all(sentence not in html for sentence in result.turns)


def test_the_method_says_by_which_gain_a_measure_divides():
    names = ["ERR@2", "ERR_G@2", "ERR_G(max_gain=31)@2"]
    measures = tuple(parse_measure(name) for name in names)
    values = np.zeros((1, 3, 2))
    evaluation = Evaluation(("run",), measures, ("1", "2"), values, levels=(0.0, 3.0))
    definitions = method(evaluation, None, "")["definitions"]
    err, by_highest, by_max_gain = [definition["paragraph"] for definition in definitions]
    assert "max_gain = 15: the top gain H." in err
    assert by_highest.endswith("In these qrels, H is 7.")
    assert "In these qrels" not in by_max_gain


def test_the_method_names_inputs_and_sources(tmp_path):
    path = tmp_path / "mine.run"
    path.write_text("q1 Q0 a 1 2.0 mine\nq2 Q0 a 1 2.0 mine\n")
    method = report(QRELS, {"mine": path, **RUNS}, ["nDCG_JK@2"], command="as typed").method
    qrels, good, mine, poor = method["inputs"]
    assert (qrels["name"], qrels["path"]) == ("", "")
    assert (good["name"], good["path"]) == ("good", "")
    assert (mine["name"], mine["path"], mine["file"]) == ("mine", str(path), "mine.run")
    assert (poor["name"], poor["path"]) == ("poor", "")
    assert mine["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [work.key for work in method["works"]] == ["jarvelin2002", "ir_measures_graded"]
    assert method["command"] == "as typed"


def test_many_topics_are_limited_to_those_in_which_the_runs_differ():
    result = report(QRELS, RUNS, ["nDCG_JK@2"])
    relevant = result.by_topic.relevant
    few = by_topic(result.evaluation, relevant, result.by_topic.measure, "good", {}, 2)
    assert few.listed_topics == [0, 2]
    html = replace(result, by_topic=few).html
    assert "These are the 2 of 3 topics in which the runs differ most." in html
    one = report(QRELS, {"good": RUNS["good"]}, ["nDCG_JK@2"])
    assert "the 2 of 3 topics with the highest values." in replace(one, by_topic=few).html


def test_documents_with_levels_for_intents_count_at_their_highest():
    several = [("q1", "a", 3, "1"), ("q1", "a", 0, "2"), ("q1", "b", 1, "2"), ("q2", "a", 2, "1")]
    result = report(several, RUNS, ["Dsharp_nDCG@2"])
    levels = result.material["levels"]
    assert dict(zip(levels.levels, levels.documents)) == {1: 1, 2: 1, 3: 1}
    assert result.rankings is None
    assert result.curves is not None


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(GradedError, match=r"pip install .*\[report\]"):
        report(QRELS, RUNS, ["nDCG_JK@2"])


# ---------------------------------------------------------------- values, sessions, groups, judges

TOPICS = evaluate(demo.qrels_path(), {"A": DEMO_RUNS["A"]}, ["AP"]).topics
KINDS = {topic: "even" for topic in TOPICS if int(topic) % 2 == 0}
KINDS |= {topic: "odd" for topic in TOPICS if int(topic) % 2 == 1}


def test_a_report_on_values_has_what_values_tell(of_demo):
    values = evaluate(demo.qrels_path(), DEMO_RUNS, MEASURES)
    result = report(values, baseline="A")
    assert sections(result.html) == ["verdict", "topics", "power", "method"]
    assert result.records() == of_demo.records()
    text = re.sub("<[^>]+>", "", result.html)
    assert "Ranges over ties" not in text
    assert "Inputs" not in text
    assert "relevant</th>" not in result.html
    with pytest.raises(GradedError, match="machines need qrels and runs"):
        report(values, machines={"other": demo.qrels_path()})


def test_a_report_of_sessions_counts_sessions():
    sessions = {topic: divmod(number, 2) for number, topic in enumerate(TOPICS)}
    measures = ["sDCG@5", "nDCG_JK@10"]
    result = report(demo.qrels_path(), DEMO_RUNS, measures, sessions=sessions)
    expected = evaluate(demo.qrels_path(), DEMO_RUNS, measures, sessions=sessions)
    in_order = expected.part(result.evaluation.runs, expected.measures)
    np.testing.assert_array_equal(result.evaluation.values, in_order.values)
    assert sections(result.html) == ["verdict", "data", "topics", "power", "weighting", "method"]
    text = text_of(result.html)
    assert "5 runs, 10 sessions, 2 measures" in text
    assert "confidence interval over sessions" in text


def test_groups_and_judges_have_the_tables_of_their_analyses():
    two = {name: DEMO_RUNS[name] for name in "EA"}  # the best run first, as in a report
    machine = {"other": demo.qrels_path()}
    result = report(demo.qrels_path(), two, ["nDCG_JK@10"], by=KINDS, machines=machine)
    names = sections(result.html)
    assert names[-3:] == ["groups", "judges", "method"]
    for name in names:
        assert f'href="#{name}"' in result.html
    of_groups, of_judges = result.further
    compared = compare(demo.qrels_path(), two, ["nDCG_JK@10"], by=KINDS)
    expected_rows = [table.rows for table in compared.tables()[1:]]
    assert [table.rows for table in of_groups.tables] == expected_rows
    assert "even (" in of_groups.sentences[0]
    assert "odd (" in of_groups.sentences[0]
    assert of_groups.notes[0].endswith("their p and intervals are corrected for all of these.")
    assert [note for note in compared.notes() if note in of_groups.notes] == of_groups.notes
    expected = judges(demo.qrels_path(), machine, two, ["nDCG_JK@10"])
    assert of_judges.sentences == expected.answer()
    assert expected.tables()[0].title in result.html


def test_the_page_tells_the_order_of_tied_documents():
    runs = {"one": {"q1": {"a": 1, "b": 1}}, "two": {"q1": {"b": 1}}}
    by_id = report(QRELS, runs, ["nDCG_JK@2"]).html
    assert "tied documents, which have equal scores, are ordered by their ids." in by_id
    by_row = report(QRELS, ordered_runs(runs), ["nDCG_JK@2"]).html
    assert "which have equal scores, are in the order of the rows of the run." in by_row


def test_report_says_how_many_comparisons_p_is_corrected_for():
    qrels = {f"q{number}": {"a": 1, "b": 0} for number in range(12)}
    good = {topic: {"a": 2.0 + number % 3, "b": 3.0} for number, topic in enumerate(qrels)}
    poor = {topic: {"b": 1.0} for topic in qrels}
    alone = report(qrels, {"good": good, "poor": poor}, ["RR"])
    assert "Holm" not in alone.html
    one_of_five = report(qrels, {"good": good, "poor": poor}, ["RR"], comparisons=5)
    assert "corrected for 5 comparisons" in str(one_of_five.answer()[0])
    assert "with Holm’s correction for 5 comparisons by each measure" in one_of_five.html
    (test,) = one_of_five.verdict.every_pair.find("RR")
    assert test.adjusted == pytest.approx(5 * test.p)


@pytest.mark.parametrize(
    ("measures", "main"),
    [
        (["AP", "nDCG@10", "P@5"], "nDCG@10"),
        (["R_cap@5", "nDCG@10"], "nDCG@10"),
        (["AP", "nDCG@10", "nDCG_JK@10"], "nDCG@10"),
        (["AP(rel=2)", "P@5"], "AP(rel=2)"),
    ],
)
def test_sections_of_one_measure_use_one_that_depends_on_the_gains(measures, main):
    result = report(QRELS, RUNS, measures)
    assert str(result.by_topic.measure) == main
    assert (result.weighting is not None) == (main.startswith("nDCG"))


def test_a_report_names_the_intervals_of_few_changes():
    topics = [f"q{number}" for number in range(30)]
    qrels = {topic: {"a": 1} for topic in topics}
    few = {topic: {"a" if number else "x": 1.0} for number, topic in enumerate(topics)}
    many = {topic: {"a" if number % 2 else "x": 1.0} for number, topic in enumerate(topics)}
    result = report(qrels, {"few": few, "many": many}, ["RR@10"])
    names = "Student's t of the values and two more, at the ends of the range of the measure: "
    assert "They are those with two more topics for RR@10 of few." in result.html
    assert f"{names}RR@10 of few." in " ".join(result.lines("markdown"))
    assert [record["few_changes"] for record in result.records()] == [True, False]


def test_two_runs_have_their_difference_under_each_weighting():
    runs = {run: demo.run_paths()[run] for run in "AB"}
    made = report("graded-demo", runs, ["nDCG_JK@10"])
    weighting = section_text(made.html, "weighting").replace("&lt;", "<")
    assert made.weighting.summary in weighting
    assert "Difference of the two runs by weighting" in made.html
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    caption = made.figure_of_weightings().texts[0].get_text()
    assert caption.startswith("Dot: the difference of the means under a setting.")

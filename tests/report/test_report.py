"""The report holds what the analyses compute, needs no other file, and leaves out what it cannot say."""

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

from ir_measures_graded.analysis import Evaluation, compare, evaluate, judges, ranges, report
from ir_measures_graded.analysis.report.pages import drawing
from ir_measures_graded.analysis.report.sections import by_topic
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
        self.elements, self.texts = [("", {})], {"style": [], "script": []}
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


def sentences(html, title="verdict"):
    """The text of a section, by default that on the verdict; of the whole page without a title."""
    section = html
    if title:
        section = html.partition(f'<section id="{title}"')[2].partition("</section>")[0]
    return " ".join(re.sub("<[^>]*>", "", section).split())


def test_without_a_baseline_the_best_run_is_compared_with_the_others():
    found = report("graded-demo", DEMO_RUNS, MEASURES)
    pairs = compare("graded-demo", DEMO_RUNS, MEASURES)
    assert (found.verdict.baseline, found.verdict.tested) == (None, None)
    for of in found.verdict.measures:
        best = pairs.best_first(of.measure)[0]
        tests = {frozenset((test.run, test.other)): test for test in pairs.find(of.measure)}
        assert [line.test is None for line in of.lines] == [True] + [False] * 4
        for line in of.lines[1:]:
            test = tests[frozenset((best, line.run))]
            sign = 1 if test.run == line.run else -1
            ends = sorted((sign * test.lower, sign * test.upper))
            assert line.test.difference == sign * test.difference
            assert [line.test.lower, line.test.upper] == ends
            assert (line.test.adjusted, line.test.better) == (test.adjusted, test.better)
            assert line.test.difference == pytest.approx(line.mean - of.best.mean)
    text = sentences(found.html)
    assert "aseline" not in re.sub(r"\.baseline", "", text)
    families = [f"{len(MEASURES)} families"]
    assert re.findall(r"\d+ families", sentences(found.html, "method")) == families
    assert re.findall(r"\d+ families", sentences(found.html, "")) == families
    assert found.by_topic.reference == found.verdict.measures[0].best.run


def test_the_head_compares_the_best_run_with_the_baseline_or_the_next_run(of_demo):
    head = "D beats A: nDCG_JK@10 "
    (pair,) = (test for test in of_demo.verdict.tested.find("nDCG_JK@10") if test.run == "D")
    assert of_demo.summary.startswith(head)
    assert (
        f"+{pair.difference:.4f} ({pair.lower:.4f} to {pair.upper:.4f})".replace("0.", ".")
        in of_demo.summary
    )
    assert of_demo.summary.endswith(", p < .001, 20 topics.")
    assert f'<p class="head">{of_demo.summary.replace("<", "&lt;")}</p>' in of_demo.html
    orders = [
        of_demo.evaluation.runs,
        tuple(of_demo.curves.runs[row] for row in of_demo.curves.order),
    ]
    assert orders == [tuple(line.run for line in of_demo.verdict.measures[0].lines)] * 2
    spreads = [of_demo.by_topic.spread(topic) for topic in of_demo.by_topic.listed_topics]
    assert spreads == sorted(spreads, reverse=True)


def test_the_page_counts_families_once(of_demo):
    text = sentences(of_demo.html, "")
    count = 2 * len(MEASURES)
    assert re.findall(r"\d+ families", text) == [f"{count} families"]
    assert "the 4 differences from A and the 10 differences between all pairs of runs" in text


def test_topics_without_a_value_are_left_out_of_a_report():
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(12)}
    runs = {
        "A": {topic: {"a": 2.0, "b": 1.0} for topic in qrels},
        "B": {topic: {"b": 2.0, "a": 1.0 + int(topic) % 4} for topic in qrels},
    }
    runs["B"]["3"] = {"x": 1.0}
    with pytest.warns(InputWarning, match="no value for 1 of 12 topics of B"):
        found = report(qrels, runs, ["Accuracy@2"])
    lines = {line.run: line.mean for line in found.verdict.measures[0].lines}
    evaluation = found.evaluation
    assert lines == dict(zip(evaluation.runs, evaluation.means()[:, 0].tolist()))
    assert found.by_topic.differences["B"].size == 11
    assert not re.search(r"\bnan\b", re.sub("<script.*?</script>", "", found.html, flags=re.DOTALL))


def test_the_table_of_a_report_has_no_p_of_0_and_no_answer_for_the_baseline(of_demo):
    rows = {tuple(row[:2]): row[-2:] for row in of_demo.table()[1]}
    assert rows["nDCG_JK@10", "A"] == [None, None]
    assert rows["nDCG_JK@10", "D"] == ["< 0.001", True]
    p = next(row["p"] for row in json.loads(json.dumps(of_demo.records())) if row["run"] == "D")
    assert 0 < p < 0.001
    assert "<svg" in of_demo._repr_html_()


def test_save_writes_the_page_and_the_table(of_demo, tmp_path):
    for name, start in (("r.html", "<!doctype html>"), ("r.csv", "measure,run,mean")):
        of_demo.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_every_run_is_read_once_and_reduced_once(monkeypatch):
    read, reduced = [], []
    parts, of_run = RunFile._every, reduction.reduced
    monkeypatch.setattr(
        RunFile, "_every", lambda self, *sizes: read.append(self) or parts(self, *sizes)
    )
    monkeypatch.setattr(
        reduction, "reduced", lambda *given: reduced.append(given) or of_run(*given)
    )
    report("graded-demo", DEMO_RUNS, ["nDCG_JK@10", "AP", "muAP"])
    assert (len(read), len(reduced)) == (5, 5)


def test_the_page_needs_nothing_but_itself(of_demo):
    page = Read(of_demo.html)
    policy = next(each["content"] for tag, each in page.elements if each.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    for kind in ("style", "script"):
        (text,) = page.texts[kind]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    for tag, attributes in page.elements:
        assert not {"style", "src", "srcset", "action"} & {*attributes}, tag
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "xlink:href"):
            assert attributes.get(name, "#")[0] == "#" or attributes[name] == "data:,"
    name = "k=0.925 style=\"font: x\" 'DejaVu Sans'"
    matrices = drawing(
        compare(QRELS, {**RUNS, name: {"q1": {"b": 1.0}}}, ["CG@1", "AP"]).drawing(), ""
    )
    assert name in matrices
    for html in (of_demo.html, matrices):
        ids = re.findall(r' id="([^"]*)"', html)
        assert len(ids) == len({*ids})


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
    measures = tuple(map(parse_measure, ("AP", "P@5")))
    evaluation = Evaluation(("old", "new"), measures, tuple(map(str, range(30))), values)
    page = replace(of_two, verdict=verdict(evaluation, study_of(QRELS, RUNS), None, 0.05)).html
    lead = (
        page.partition('<p class="lead">')[2].partition('<p class="lead">')[2].partition("</p>")[0]
    )
    assert " ".join(re.sub("<[^>]*>", "", lead).split()).startswith(sentence)


def test_a_report_claims_no_test_and_no_difference_where_there_is_none():
    html = report(QRELS, {"one": RUNS["good"], **RUNS}, ["nDCG_JK@2"]).html
    told = " ".join(
        re.sub("<[^>]*>", "", html.partition("<main>")[2].partition('id="data"')[0]).split()
    )
    assert "good and one have the best mean. nDCG_JK@2" in told
    assert "Of 2 differences between runs, 2 keep their sign in every order" in told
    assert not re.search("significant|distinguish|separate|detects|Against the baseline", told)
    assert html.count('<td data-label="differs">–</td>') == 2
    assert "Panels reach from −1.0000 to 1.0000." in html
    same = report(QRELS, {"one": RUNS["good"], "other": RUNS["good"]}, ["nDCG_JK@2"]).html
    assert "between runs," not in same


def test_the_verdict_has_the_numbers_of_the_analyses(of_demo):
    tests = compare("graded-demo", DEMO_RUNS, MEASURES, baseline="A")
    pairs = compare("graded-demo", DEMO_RUNS, MEASURES)
    spans = ranges("graded-demo", DEMO_RUNS, MEASURES[:2])
    for of in of_demo.verdict.measures:
        assert [line.run for line in of.lines] == tests.best_first(of.measure)
        against = {test.run: test for test in tests.find(of.measure)}
        for line in of.lines:
            assert (
                line.mean
                == tests.values[tests.runs.index(line.run), tests.measures.index(of.measure)]
            )
            assert line.test == against.get(line.run)
            assert line.test is None or line.test.significant == (line.test.adjusted < 0.05)
        assert of.separated == sum(test.significant for test in pairs.find(of.measure))
    first = of_demo.verdict.measures[0]
    kept = [each.record() for each in spans.differences if each.measure == first.measure]
    names = "stands_over_ties", "stands_over_judgments"
    assert first.standing[1:] == (
        len(kept),
        *(sum(record[name] for record in kept) for name in names),
    )
    of_runs = {each.run: each for each in spans.values if each.measure == first.measure}
    assert {line.run: line.span for line in first.lines} == of_runs


def test_equal_inputs_give_equal_pages():
    pages = {report(QRELS, RUNS, MEASURES, baseline="poor").html for _ in range(2)}
    assert len(pages) == 1


def test_the_material_of_small_runs():
    found = report(QRELS, RUNS, ["nDCG_JK@2"]).material
    assert found["depths"] == [2, 10, 100]
    assert [[*each.values()][2:] for each in found["runs"]] == [
        [[1.0, 1.0, 1.0], 0.0, [], []],
        [[0.5, 0.5, 0.5], 0.5, ["q3"], ["other"]],
    ]


def test_the_lists_of_a_topic():
    found = report(QRELS, RUNS, ["nDCG_JK@2"]).rankings
    topic = found.topics[0]
    assert (found.depth, found.levels) == (2, {"0": 0, "1": 1, "2": 2, "3": 3})
    assert (topic["topic"], topic["ideal"]) == ("q1", "3 1")
    assert topic["lists"] == [("good", 1.0, "3 1"), ("poor", 0.0, "0 –")]
    assert topic["data"]["documents"] == ["a", "b", "c", "x"]
    assert [each["documents"] for each in topic["data"]["runs"]] == [[0, 1], [2, 3]]
    assert [each["values"] for each in topic["data"]["runs"]] == [[10_000, 10_000], [0, 0]]


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
    found = report(QRELS, RUNS, [measure])
    every = ["verdict", "data", "curves", "topics", "rankings", "power", "weighting", "method"]
    assert sections(found.html) == [name for name in every if name not in absent]
    for line in found.verdict.measures[0].lines:
        assert line.interval[0] <= line.mean <= line.interval[1]


def test_queries_may_be_a_file(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text("q1\tbees on roofs\n")
    assert "bees on roofs" in report(QRELS, RUNS, ["CG@2"], queries=path).html
    with pytest.raises(GradedError, match=r"queries=\['q1'\] is not allowed"):
        report(QRELS, RUNS, ["CG@2"], queries=["q1"])


def test_names_cannot_become_markup():
    name = "</script><script>alert(1)</script>"
    runs = {f"{name}{number}": run for number, run in enumerate(RUNS.values())}
    qrels = {topic: {**judged, name: 1} for topic, judged in QRELS.items()} | {name: {name: 2}}
    named = Read(report(qrels, runs, ["nDCG_JK@2"], queries={name: name}, title=name).html)
    scripts = [attributes.get("id") for tag, attributes in named.elements if tag == "script"]
    of_topics = [None] * 4
    of_sections = ["rankings-data", "what-if-data"]
    assert scripts == [*of_topics, *of_sections, None]  # the last is the page's own script


@thorough
def test_a_large_report_is_below_a_megabyte():
    documents = [f"msmarco_passage_{number % 97:02}_{7919 * number:09}" for number in range(6000)]
    qrels = {
        f"{10007 * topic}": {
            documents[(topic * 100 + number) % 6000]: number % 4 for number in range(100)
        }
        for topic in range(50)
    }
    runs = {
        f"system-{run}": {
            topic: {
                documents[(number * 100 + (rank * (run + 3)) % 131) % 6000]: 30
                - 0.0371 * (rank + run)
                for rank in range(20)
            }
            for number, topic in enumerate(qrels)
        }
        for run in range(24)
    }
    found = report(qrels, runs, ["nDCG_JK@100"])
    assert [len(each["data"]["runs"]) for each in found.rankings.topics] == [24] * 50
    assert len(found.html.encode()) < 1_000_000


def test_the_method_names_inputs_and_sources(tmp_path):
    path = tmp_path / "mine.run"
    path.write_text("q1 Q0 a 1 2.0 mine\nq2 Q0 a 1 2.0 mine\n")
    found = report(QRELS, {"mine": path, **RUNS}, ["nDCG_JK@2"], command="as typed").method
    assert [(each["name"], each["path"]) for each in found["inputs"]] == [
        ("", ""), ("good", ""), ("mine", str(path)), ("poor", ""),
    ]  # fmt: skip
    assert found["inputs"][2]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [work.key for work in found["works"]] == ["jarvelin2002"]
    assert found["command"] == "as typed"


def test_many_topics_are_limited_to_those_in_which_the_runs_differ():
    found = report(QRELS, RUNS, ["nDCG_JK@2"])
    few = by_topic(found.evaluation, found.by_topic.relevant, found.by_topic.measure, "good", {}, 2)
    assert few.listed_topics == [0, 2]
    assert (
        "These are the 2 of 3 topics in which the runs differ most."
        in replace(found, by_topic=few).html
    )
    one = report(QRELS, {"good": RUNS["good"]}, ["nDCG_JK@2"])
    assert "the 2 of 3 topics with the highest values." in replace(one, by_topic=few).html


def test_documents_with_levels_for_intents_count_at_their_highest():
    several = [("q1", "a", 3, "1"), ("q1", "a", 0, "2"), ("q1", "b", 1, "2"), ("q2", "a", 2, "1")]
    found = report(several, RUNS, ["Dsharp_nDCG@2"])
    levels = found.material["levels"]
    assert dict(zip(levels.levels, levels.documents)) == {1: 1, 2: 1, 3: 1}
    assert found.rankings is None
    assert found.curves is not None


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(GradedError, match=r"pip install .*\[report\]"):
        report(QRELS, RUNS, ["nDCG_JK@2"])


# ------------------------------------------------------------------- values, sessions, groups, judges

KINDS = {topic: "odd" if int(topic) % 2 else "even" for topic in evaluate(
    demo.qrels_path(), {"A": DEMO_RUNS["A"]}, ["AP"]).topics}  # fmt: skip


def test_a_report_on_values_has_what_values_tell(of_demo):
    values = evaluate(demo.qrels_path(), DEMO_RUNS, MEASURES)
    found = report(values, baseline="A")
    assert sections(found.html) == ["verdict", "topics", "power", "method"]
    assert found.records() == of_demo.records()
    text = re.sub("<[^>]+>", "", found.html)
    assert "Ranges over ties" not in text
    assert "Inputs" not in text
    assert "relevant</th>" not in found.html
    with pytest.raises(GradedError, match="machines need qrels and runs"):
        report(values, machines={"other": demo.qrels_path()})


def test_a_report_of_sessions_counts_sessions():
    number = {topic: place for place, topic in enumerate(KINDS)}
    sessions = {topic: (number[topic] // 2, number[topic] % 2) for topic in KINDS}
    found = report(demo.qrels_path(), DEMO_RUNS, ["sDCG@5", "nDCG_JK@10"], sessions=sessions)
    expected = evaluate(demo.qrels_path(), DEMO_RUNS, ["sDCG@5", "nDCG_JK@10"], sessions=sessions)
    in_order = expected.part(found.evaluation.runs, expected.measures)
    np.testing.assert_array_equal(found.evaluation.values, in_order.values)
    assert sections(found.html) == ["verdict", "data", "topics", "power", "weighting", "method"]
    text = " ".join(re.sub("<[^>]+>", "", found.html).split())
    assert "5 runs, 10 sessions, 2 measures" in text
    assert "confidence interval over sessions" in text


def test_groups_and_judges_have_the_tables_of_their_analyses():
    two = {name: DEMO_RUNS[name] for name in "EA"}  # the best run first, as in a report
    machine = {"other": demo.qrels_path()}
    found = report(demo.qrels_path(), two, ["nDCG_JK@10"], by=KINDS, machines=machine)
    names = sections(found.html)
    assert names[-3:] == ["groups", "judges", "method"]
    for name in names:
        assert f'href="#{name}"' in found.html
    of_groups, of_judges = found.further
    compared = compare(demo.qrels_path(), two, ["nDCG_JK@10"], by=KINDS)
    assert [table.rows for table in of_groups.tables] == [
        table.rows for table in compared.tables()[1:]
    ]
    assert "even (" in of_groups.sentences[0]
    assert "odd (" in of_groups.sentences[0]
    expected = judges(demo.qrels_path(), machine, two, ["nDCG_JK@10"])
    assert of_judges.sentences == expected.answer()
    assert expected.tables()[0].title in found.html

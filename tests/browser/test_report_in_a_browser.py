"""The report and the pages of other commands in a browser: what a reader sees, does and hears."""

import re

import pytest

from ir_measures_graded import demo

pytest.importorskip("jinja2", reason="the extra report is not installed")
pytest.importorskip("scipy", reason="the extra stats is not installed")
pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

from ir_measures_graded import cli
from ir_measures_graded.analysis import evaluate, explain, report
from ir_measures_graded.analysis.judging.panel import answers_in

STEEP = "nDCG_JK(gains=2:10,3:100)@100"
AVERAGED = "nDCG_JK(avg=True)@25"
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end": "</script><img src=x onerror=alert(2)>",
    "quotes": "\"'`><b>bold</b>",
    "right to left": "\u202eהרצה\u202c",
    "long": "x" * 4_000,
    "template": "{{ 7 * 7 }} ${7 * 7} $\\frac$",
    "comment": "<!--<script>",
}


@pytest.fixture(scope="session")
def demo_report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "demo.html"
    report("graded-demo", demo.run_paths(), [STEEP, "ERR_G@10", "AP"]).save(path)
    return path


@pytest.fixture(scope="session")
def small_report(tmp_path_factory):
    """Three topics and runs: a page with every kind of element."""
    path = tmp_path_factory.mktemp("report") / "small.html"
    qrels = answers_in(demo.qrels_path())[0]
    topics = list(qrels)[:3]
    few = {topic: qrels[topic] for topic in topics}
    runs = {name: demo.run_paths()[name] for name in "BCD"}
    queries = dict.fromkeys(topics, "the text of a topic")
    report(few, runs, [AVERAGED, "AP"], queries=queries).save(path)
    return path


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory):
    """Topics, documents, runs and a title whose texts could break a page."""
    names = list(HOSTILE.values())
    documents = {topic: [f"{topic[-300:]}{number}" for number in range(11)] for topic in names}
    qrels = {}
    for topic, ids in documents.items():
        qrels[topic] = {ids[number]: number % 4 / 2 - 0.5 for number in range(8)}
    runs = {}
    for step, name in enumerate(names, start=1):
        runs[name] = {
            topic: {ids[rank * step % 11]: -rank for rank in range(8)}
            for topic, ids in documents.items()
        }
    queries = {topic: topic for topic in names}
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    page = report(qrels, runs, ["nDCG_JK@10"], queries=queries, title=HOSTILE["script"])
    page.save(path)
    return path


def facts(page):
    """What the panel of an opened topic tells about the current cell."""
    terms = page.locator(".told dt").all_inner_texts()
    values = page.locator(".told dd").all_inner_texts()
    return dict(zip(terms, values))


def column(table, number):
    return table.locator("tbody tr").evaluate_all(
        "(rows, number) => rows.map((row) => row.cells[number].innerText)", number
    )


def test_reading_makes_no_request_and_no_error(opened, demo_report):
    tab = opened(demo_report)
    for topic in tab.page.locator("details.topic summary").all()[:2]:
        topic.click()
    tab.page.locator("td.c:visible").nth(25).hover()
    tab.check(demo_report)


def test_tables_are_sorted_by_mouse_and_keyboard(opened, demo_report):
    page = opened(demo_report).page
    table = page.locator("#verdict table").first
    assert column(table, 0) == ["D", "E", "C", "B", "A"]
    table.get_by_role("button", name="run").click()
    assert column(table, 0) == ["A", "B", "C", "D", "E"]
    assert table.locator("th").first.get_attribute("aria-sort") == "ascending"
    table.get_by_role("button", name="difference").focus()
    page.keyboard.press("Enter")
    # The best run, with which the others are compared, has no difference and stays last.
    assert column(table, 0) == ["E", "C", "B", "A", "D"]
    page.keyboard.press("Space")
    assert column(table, 0) == ["A", "B", "C", "E", "D"]


def test_a_topic_is_opened_by_mouse_and_read_with_the_keyboard(opened, demo_report):
    page = opened(demo_report).page
    page.get_by_role("link", name="355").click()
    topic = page.locator("details.topic[open]")
    assert topic.locator("summary").inner_text().startswith("355")
    page.keyboard.press("Tab")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    panel = facts(page)
    best = topic.locator("tbody tr").nth(1).locator("th").inner_text()
    record = explain("graded-demo", demo.run_paths()[best], STEEP, "355").records()[2]
    assert (panel["list"], panel["rank"]) == (best, "3")
    assert panel["document"] == record["document"]
    assert float(panel["gain"]) == (record["gain"] or 0)
    assert float(panel["weight"]) == pytest.approx(record["weight"], abs=1e-4)
    assert float(panel["contributes"]) == pytest.approx(record["contribution"], abs=1e-4)
    page.keyboard.press("Home")
    assert facts(page)["rank"] == "1"


@pytest.mark.parametrize(("name", "measure"), [("demo_report", STEEP), ("small_report", AVERAGED)])
def test_the_last_cell_of_each_list_has_the_value_of_the_measure(opened, request, name, measure):
    page = opened(request.getfixturevalue(name), "#topic-1").page
    if page.locator(".more").count():
        page.locator(".more").click()
    evaluation = evaluate("graded-demo", demo.run_paths(), [measure])
    of_second_topic = dict(zip(evaluation.runs, evaluation.of(measure)[:, 1]))
    rows = page.locator("details.topic[open] tbody tr").all()[1:]
    assert rows
    for row in rows:
        row.locator("td.c:visible").last.hover()
        panel = facts(page)
        (value,) = [float(text) for term, text in panel.items() if term.startswith("value")]
        expected = of_second_topic[panel["list"]]
        assert value == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_curves_are_switched_off_and_on(opened, demo_report):
    page = opened(demo_report).page
    line = page.locator('#curves svg [data-run="4"]').first
    button = page.locator("#curves .key").get_by_role("button", name="A", exact=True)
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert not line.is_visible()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert line.is_visible()


def test_topics_are_filtered(opened, demo_report):
    page = opened(demo_report).page
    page.get_by_label("Filter").fill("BEEKEEPING")
    assert page.locator("#topic-table tbody tr:visible th").all_inner_texts() == ["351"]
    assert page.get_by_role("status").inner_text() == "1 of 20 topics"


def test_ten_topics_are_listed_and_a_link_opens_the_list_of_the_others(opened, demo_report):
    page = opened(demo_report, width=390).page
    assert page.locator("details.topic:visible").count() == 10
    page.locator("#topic-table tbody tr").last.get_by_role("link").click()
    assert page.locator("details.topic:visible").count() == 20
    assert page.locator("details.topic[open]").is_visible()


def test_everything_is_readable_with_scripts_blocked(without_scripts, demo_report):
    page = without_scripts
    page.goto(demo_report.as_uri())
    text = page.locator("body").inner_text()
    assert "D has the highest mean, .5463" in text
    assert page.get_by_role("button").count() == 0
    assert not page.get_by_text("Point at a cell").is_visible()
    page.locator("#topic-0 summary").click()
    row = page.locator("details.topic[open] tbody tr").nth(1).inner_text()
    assert re.fullmatch(r"D\s+\.9274\s+([0-3–] ?)+", row.strip())


def test_names_and_ids_stay_text(opened, hostile_report):
    tab = opened(hostile_report)
    page = tab.page
    assert page.title() == HOSTILE["script"]
    for summary in page.locator("details.topic summary").all():
        summary.click()
    levels = "cells => cells.map((cell) => [cell.textContent, cell.className.split(' ')[1]].join())"
    legend = page.locator(".levels .cell").evaluate_all(levels)
    assert set(page.locator("td.c").evaluate_all(levels)) == set(legend)
    names = page.locator("#verdict .cards tbody th").all_inner_texts()
    expected = set()
    for name in HOSTILE.values():
        text = re.sub("[\u202c\u202e]", "", name)  # these turn a text around
        if len(text) > 300:
            text = f"{text[:300]}…"
        expected.add(text)
    assert set(names) == expected
    assert page.locator("img, b").count() == 0
    page.locator("details.topic").first.locator("td.c:visible").nth(9).hover()
    assert facts(page)["document"].startswith(HOSTILE["script"])
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    heads = page.locator("#topic-table thead th")
    fits = "heads => heads.every((head) => head.scrollWidth <= head.clientWidth)"
    assert heads.evaluate_all(fits)
    tab.check(hostile_report)


def test_no_page_scrolls_sideways_on_a_phone(opened, demo_report, hostile_report):
    for path in (demo_report, hostile_report):
        page = opened(path, "#topic-0", width=360).page
        assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize(("width", "colours"), [(1280, "light"), (360, "dark")])
def test_assistive_technology_finds_no_problem(opened, small_report, width, colours):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    )
    page = opened(small_report, "#topic-0", width, colours).page
    page.locator("td.c:visible").nth(25).focus()
    problems = []
    for violation in axe.Axe().run(page).response["violations"]:
        places = [node["html"] for node in violation["nodes"]]
        problems.append((violation["id"], places[:3]))
    assert problems == []


def test_a_result_page_is_a_page_like_the_report(opened, tmp_path, monkeypatch):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    )
    monkeypatch.chdir(tmp_path)
    runs = [str(path) for path in demo.run_paths().values()]
    words = ["compare", "graded-demo", *runs, "nDCG@10", "--baseline", "A", "--resamples", "9"]
    assert cli.main([*words, "-o", "c.html"]) == 0
    tab = opened(tmp_path / "c.html")
    tab.page.get_by_role("button", name="mean").click()
    assert column(tab.page.locator("table"), 2)[:2] == [".5069", ".4514"]
    tab.check(tmp_path / "c.html")
    assert axe.Axe().run(tab.page).response["violations"] == []

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
    report(
        {topic: qrels[topic] for topic in topics},
        {name: demo.run_paths()[name] for name in "BCD"},
        [AVERAGED, "AP"],
        queries=dict.fromkeys(topics, "the text of a topic"),
    ).save(path)
    return path


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory):
    topics = list(HOSTILE.values())
    documents = {topic: [f"{topic[-300:]}{number}" for number in range(11)] for topic in topics}
    qrels = {topic: {ids[n]: n % 4 / 2 - 0.5 for n in range(8)} for topic, ids in documents.items()}

    def run(step):
        return {q: {ids[n * step % 11]: -n for n in range(8)} for q, ids in documents.items()}

    runs = {name: run(step) for step, name in enumerate(topics, start=1)}
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    report(
        qrels, runs, ["nDCG_JK@10"], queries=dict(zip(topics, topics)), title=HOSTILE["script"]
    ).save(path)
    return path


def facts(page):
    """What the panel of an opened topic tells about the current cell."""
    terms, values = (page.locator(f".told {part}").all_inner_texts() for part in ("dt", "dd"))
    return dict(zip(terms, values))


def column(table, number):
    return table.locator("tbody tr").evaluate_all(
        "(rows, number) => rows.map((row) => row.cells[number].innerText)", number
    )


def test_reading_makes_no_request_and_no_error(opened, demo_report):
    found = opened(demo_report)
    for topic in found.page.locator("details.topic summary").all()[:2]:
        topic.click()
    found.page.locator("td.c:visible").nth(25).hover()
    found.check(demo_report)


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
    told = facts(page)
    best = topic.locator("tbody tr").nth(1).locator("th").inner_text()
    record = explain("graded-demo", demo.run_paths()[best], STEEP, "355").records()[2]
    assert (told["list"], told["rank"], told["document"]) == (best, "3", record["document"])
    assert float(told["gain"]) == (record["gain"] or 0)
    assert float(told["weight"]) == pytest.approx(record["weight"], abs=1e-4)
    assert float(told["contributes"]) == pytest.approx(record["contribution"], abs=1e-4)
    page.keyboard.press("Home")
    assert facts(page)["rank"] == "1"


@pytest.mark.parametrize(("name", "measure"), [("demo_report", STEEP), ("small_report", AVERAGED)])
def test_the_last_cell_of_each_list_has_the_value_of_the_measure(opened, request, name, measure):
    page = opened(request.getfixturevalue(name), "#topic-1").page
    if page.locator(".more").count():
        page.locator(".more").click()
    values = evaluate("graded-demo", demo.run_paths(), [measure])
    rows = page.locator("details.topic[open] tbody tr").all()[1:]
    for row in rows:
        row.locator("td.c:visible").last.hover()
        told = facts(page)
        shown = float(next(text for name, text in told.items() if name.startswith("value")))
        expected = values.values[values.runs.index(told["list"]), 0, 1]
        assert shown == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert rows


def test_curves_are_switched_off_and_on(opened, demo_report):
    page = opened(demo_report).page
    line = page.locator('#curves svg [data-run="4"]').first
    button = page.locator("#curves .key").get_by_role("button", name="A", exact=True)
    button.click()
    assert (button.get_attribute("aria-pressed"), line.is_visible()) == ("false", False)
    page.keyboard.press("Enter")
    assert (button.get_attribute("aria-pressed"), line.is_visible()) == ("true", True)


def test_topics_are_filtered(opened, demo_report):
    page = opened(demo_report).page
    page.get_by_label("Filter").fill("BEEKEEPING")
    assert page.locator("#topic-table tbody tr:visible th").all_inner_texts() == ["351"]
    assert page.get_by_role("status").inner_text() == "1 of 20 topics"


def test_everything_is_readable_with_scripts_blocked(without_scripts, demo_report):
    page = without_scripts
    page.goto(demo_report.as_uri())
    text = page.locator("body").inner_text()
    assert "D has the highest mean, .5463" in text
    assert page.get_by_role("button").count() == 0
    assert not page.get_by_text("Point at a cell").is_visible()
    page.locator("#topic-0 summary").click()
    row = page.locator("details.topic[open] tbody tr").nth(1).inner_text()
    assert re.fullmatch(r"D\s+0\.9274\s+([0-3–] ?)+", row.strip())


def test_names_and_ids_stay_text(opened, hostile_report):
    found = opened(hostile_report)
    page = found.page
    assert page.title() == HOSTILE["script"]
    for summary in page.locator("details.topic summary").all():
        summary.click()
    levels = "cells => cells.map((cell) => [cell.textContent, cell.className.split(' ')[1]].join())"
    legend = page.locator(".levels .cell").evaluate_all(levels)
    assert {*page.locator("td.c").evaluate_all(levels)} == {*legend}
    names = page.locator("#verdict .cards tbody th").all_inner_texts()
    shown = [
        re.sub("[\u202c\u202e]", "", name) for name in HOSTILE.values()
    ]  # which turn a text around
    assert {*names} == {name if len(name) < 300 else f"{name[:300]}…" for name in shown}
    assert page.locator("img, b").count() == 0
    page.locator("details.topic").first.locator("td.c:visible").nth(9).hover()
    assert facts(page)["document"].startswith(HOSTILE["script"])
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    heads = page.locator("#topic-table thead th")
    assert heads.evaluate_all(
        "heads => heads.every((head) => head.scrollWidth <= head.clientWidth)"
    )
    found.check(hostile_report)


def test_no_page_scrolls_sideways_on_a_phone(opened, demo_report, hostile_report):
    for path in (demo_report, hostile_report):
        page = opened(path, "#topic-0", width=360).page
        assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize(("width", "colours"), [(1280, "light"), (360, "dark")])
def test_assistive_technology_finds_no_serious_problem(opened, small_report, width, colours):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    )
    page = opened(small_report, "#topic-0", width, colours).page
    page.locator("td.c:visible").nth(25).focus()
    found = axe.Axe().run(page).response["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in serious] == []


def test_a_result_page_is_a_page_like_the_report(opened, tmp_path, monkeypatch):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    )
    monkeypatch.chdir(tmp_path)
    runs = [str(path) for path in demo.run_paths().values()]
    words = ["compare", "graded-demo", *runs, "nDCG@10", "--baseline", "A", "--resamples", "9"]
    assert cli.main([*words, "-o", "c.html"]) == 0
    found = opened(tmp_path / "c.html")
    found.page.get_by_role("button", name="mean").click()
    assert column(found.page.locator("table"), 2)[:2] == ["0.5069", "0.4514"]
    found.check(tmp_path / "c.html")
    impacts = {each["impact"] for each in axe.Axe().run(found.page).response["violations"]}
    assert impacts <= {"minor", "moderate"}

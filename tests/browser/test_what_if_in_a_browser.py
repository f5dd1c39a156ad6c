"""The what-if page in a browser: its values are those of Python, and its controls work."""

import random
import re

import pytest

from ir_measures_graded import demo

pytest.importorskip("jinja2", reason="the extra report is not installed")
pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

from ir_measures_graded import cli, parse_measure
from ir_measures_graded.analysis import evaluate, sensitivity
from ir_measures_graded.analysis.report import pages
from rounds import repeated

SETTINGS = 200
MEASURES = ("nDCG", "nDCG_JK", "DCG_JK", "nCG", "muAP", "Q", "ERR_G", "RBP_G")
GAINS = (0, 0.1, 0.5, 1, 1, 2, 3.17, 10, 31.6, 100)
MEANS = "(setting) => whatIf.meansFor(setting)"
DRAG_DOWN = """() => {
  // The gains before and after the best run changes, as the slider of the highest level moves down.
  const slider = document.getElementById("what-if-gain-2");
  const best = () => whatIf.answer.textContent.slice(0, 1);
  const first = best();
  let before = whatIf.setting.gains;
  while (best() === first) {
    before = whatIf.setting.gains;
    slider.value -= 1;
    slider.dispatchEvent(new Event("input"));
  }
  return [before, whatIf.setting.gains];
}"""
STRING = "(setting) => whatIf.stringFor(setting)"


def page_of(folder, measure="nDCG_JK@10", qrels=None, runs=None):
    qrels = qrels or "graded-demo"
    runs = runs or demo.run_paths()
    result = sensitivity(qrels, runs, [measure], gains=["w1", "w10"])
    path = folder / "what-if.html"
    path.write_text(pages.result_page(result, "sensitivity", 4), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory):
    return page_of(tmp_path_factory.mktemp("what-if"))


def lines_of(page):
    """The lines that tell where the best run changes."""
    return [line for line in page.locator(".what-if-tipping").inner_text().splitlines() if line]


def random_settings(seed):
    generator = random.Random(seed)
    for number in range(SETTINGS):
        yield {
            "measure": MEASURES[number % len(MEASURES)],
            "b": round(generator.uniform(1.1, 20), 1),
            "cutoff": generator.choice([1, 2, 3, 5, 10, 30, 100]),
            "gains": generator.choices(GAINS, k=3),
        }


def test_values_equal_those_of_python(opened, demo_page):
    page = opened(demo_page).page
    settings = list(random_settings(seed=1))
    strings = [page.evaluate(STRING, setting) for setting in settings]
    evaluation = evaluate("graded-demo", demo.run_paths(), list(dict.fromkeys(strings)))
    measures = [str(measure) for measure in evaluation.measures]
    means = dict(zip(measures, evaluation.means().T.tolist(), strict=True))
    for setting, string in zip(settings, strings, strict=True):
        expected = means[str(parse_measure(string))]
        assert page.evaluate(MEANS, setting) == pytest.approx(expected, abs=1e-9), string


def test_condensed_lists_keep_their_ranks(opened, tmp_path):
    path = page_of(tmp_path, "nDCG_JK(judged_only=True)@10")
    string = "nDCG_JK(judged_only=True,gains=1:1,2:2,3:3)@10"
    means = evaluate("graded-demo", demo.run_paths(), [string]).means()[:, 0]
    page = opened(path).page
    assert page.evaluate("whatIf.means") == pytest.approx(means.tolist(), abs=1e-9)
    assert parse_measure(page.evaluate(STRING, {})) == parse_measure(string)


def test_the_page_begins_with_the_measure_as_named(opened, demo_page):
    named = "nDCG_JK@10"
    means = evaluate("graded-demo", demo.run_paths(), [named]).means()[:, 0]
    page = opened(demo_page).page
    assert page.evaluate("whatIf.means") == pytest.approx(means.tolist(), abs=1e-9)
    pressed = page.get_by_role("button", pressed=True).all_inner_texts()
    assert pressed == ["as named (1, 2, 3)", "w3, linear (1, 2, 3)"]
    answer = page.locator(".what-if-answers .lead").inner_text()
    assert answer == "D is best, with a mean of .5077."
    agreed = page.locator(".what-if-answers > p:not(.lead)")
    assert agreed.inner_text() == "The order is that of nDCG_JK@10 as named."
    assert set(page.locator(".what-if-moved").all_inner_texts()) == {"="}
    page.get_by_role("button", name="w1 (1, 1, 1)").click()
    answer = page.locator(".what-if-answers .lead").inner_text()
    assert answer.startswith("B is best")
    assert "with the order of nDCG_JK@10 as named is" in agreed.inner_text()


def test_equal_runs_are_equally_good(opened, tmp_path):
    runs = {"a": {"1": ["d"]}, "b": {"1": ["d"]}, "c": {"1": ["e"]}}
    path = page_of(tmp_path, qrels={"1": {"d": 1, "e": 2, "f": 3}}, runs=runs)
    page = opened(path, "#g=2,1,1").page
    answer = page.locator(".what-if-answers .lead").inner_text()
    assert answer.startswith("a and b are equally good and best, with a mean of")


def test_controls_change_the_order_and_the_address_keeps_the_setting(opened, demo_page):
    open_page = opened(demo_page)
    page = open_page.page
    page.get_by_label("gain of level 3, as a number").fill("50")
    page.get_by_label("gain of level 3, as a number").press("Enter")
    page.get_by_label("cutoff").fill("30")
    page.wait_for_url("**k=30**")
    assert page.evaluate("location.hash") == "#b=2&g=1,2,50&k=30&m=nDCG_JK"
    assert "nDCG_JK(gains=1:1,2:2,3:50)@30" in page.locator("#what-if code").all_inner_texts()
    rows = page.locator(".what-if-runs tbody tr")
    assert rows.count() == len(demo.run_paths())
    answer = page.locator(".what-if-answers .lead").inner_text()
    assert answer.startswith(f"{rows.nth(0).locator('th').inner_text()} is best")
    open_page.check(demo_page)
    again = opened(demo_page, "#b=2&g=1,2,50&k=30&m=nDCG_JK")
    assert again.page.locator(".what-if-answers .lead").inner_text() == answer


def test_levels_stay_in_order_until_that_is_unlocked(opened, demo_page):
    page = opened(demo_page).page
    gain = page.get_by_label("gain of level 1, as a number")
    gain.fill("20")
    gain.press("Enter")
    assert page.evaluate("whatIf.setting.gains") == [20, 20, 20]
    page.get_by_label("a higher level is worth at least as much").uncheck()
    gain.fill("30")
    gain.press("Enter")
    assert page.evaluate("whatIf.setting.gains") == [30, 20, 20]


ALLOWED = "a gain is a number from 0 to 1,000,000. Level 2 still gains 2."


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("-3", f"−3 is no gain: {ALLOWED}"),
        ("1e999", f"That is no gain: {ALLOWED}"),
        ("1e300", f"1e300 is no gain: {ALLOWED}"),
        ("", f"That is no gain: {ALLOWED}"),
        ("e", f"That is no gain: {ALLOWED}"),
    ],
)
def test_an_entry_that_is_no_gain_changes_nothing_and_says_what_is_allowed(
    opened, demo_page, keys, sentence
):
    page = opened(demo_page).page
    gain = page.get_by_label("gain of level 2, as a number")
    gain.focus()
    gain.press("Control+a")
    gain.press("Delete")
    gain.press_sequentially(keys)
    gain.press("Tab")
    assert page.locator(".what-if-entry").inner_text() == sentence
    assert page.evaluate("whatIf.setting.gains") == [1, 2, 3]
    assert gain.input_value() == "2"
    gain.fill("2.5")
    gain.press("Tab")
    assert page.locator(".what-if-entry").is_hidden()
    assert page.evaluate("whatIf.setting.gains") == [1, 2.5, 3]


def test_a_lower_level_above_a_higher_one_says_which_levels_went_along(opened, demo_page):
    page = opened(demo_page).page
    gain = page.get_by_label("gain of level 1, as a number")
    gain.fill("2.5")
    gain.press("Enter")
    assert page.locator(".what-if-entry").inner_text() == (
        "Level 2 went along, since a higher level is worth at least as much."
    )
    page.get_by_label("gain of level 3, as a number").fill("0")
    page.get_by_label("gain of level 3, as a number").press("Enter")
    answer = page.locator(".what-if-answers .lead").inner_text()
    assert answer == "No level has a gain, so all means are 0."


@pytest.mark.parametrize("gains", ["-3,1,2", "1,,2", "1,2", "1,2,1e999"])
def test_an_address_without_a_setting_says_so(opened, demo_page, gains):
    page = opened(demo_page, f"#g={gains}").page
    assert page.locator(".what-if-entry").inner_text().startswith("The address has no setting")
    assert page.evaluate("whatIf.setting.gains") == [1, 2, 3]


def test_the_setting_as_named_is_pressed_until_the_cutoff_changes(opened, demo_page):
    page = opened(demo_page).page
    page.get_by_label("cutoff").fill("30")
    pressed = page.get_by_role("button", pressed=True)
    assert pressed.all_inner_texts() == ["w3, linear (1, 2, 3)"]
    page.get_by_role("button", name="as named (1, 2, 3)").click()
    assert page.evaluate("whatIf.setting.cutoff") == 10
    assert "as named (1, 2, 3)" in pressed.all_inner_texts()


def test_a_turn_where_documents_become_relevant_is_at_0(opened, demo_page):
    # Q counts a document with any gain as relevant.
    page = opened(demo_page, "#g=1,2,3&k=30&m=Q").page
    page.wait_for_selector(".what-if-tipping:not(:empty)")
    lines = lines_of(page)
    at_zero, above_zero = lines[-3:-1]
    assert at_zero == "at 0: B"
    assert re.fullmatch(r"above 0 to [.\d]+: E, now", above_zero)
    gains = page.get_by_label("gain of level 3, as a number")
    page.get_by_label("a higher level is worth at least as much").uncheck()
    gains.fill("0")
    gains.press("Enter")
    page.get_by_text("at 0: B, now").wait_for()
    assert lines_of(page)[0] == (
        "E overtakes B when level 3 has a gain above 0, with level 1 at 1 and level 2 at 2."
    )
    means = page.evaluate("[0, 1e-9].map((gain) => whatIf.meansFor({ gains: [1, 2, gain] }))")
    names = list(demo.run_paths())
    assert [names[run.index(max(run))] for run in means] == ["B", "E"]


def test_sliders_and_map_work_by_keyboard(opened, demo_page):
    page = opened(demo_page).page
    page.wait_for_selector(".what-if-map [aria-current]")
    page.get_by_label("level 3", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("whatIf.setting.gains") == [1, 2, 3.16]
    page.locator(".what-if-map [aria-current]").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert page.evaluate("whatIf.setting.b") == 2.5


def test_the_tipping_point_is_where_the_best_run_changes(opened, tmp_path):
    qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 1}}
    runs = {
        "low": {"1": {"a": 2, "x": 1}, "2": {"a": 2, "b": 1}},
        "high": {"1": {"b": 2, "x": 1}, "2": {"x": 2, "a": 1}},
    }
    # CG@1 summed over topics: low has g1 + g1, high has g2, so high wins from g2 = 2 · g1 on.
    path = tmp_path / "tip.html"
    result = sensitivity(qrels, runs, ["DCG_JK@1"], gains=["flat=1:1,2:1", "steep=1:1,2:10"])
    path.write_text(pages.result_page(result, "sensitivity", 4), encoding="utf-8")
    page = opened(path, "#g=1,1").page
    page.wait_for_selector(".what-if-tipping:not(:empty)")
    tipping = page.locator(".what-if-tipping").inner_text()
    assert tipping == "high overtakes low when level 2 is worth more than 2 times level 1."


def test_map_of_a_sum_that_is_not_normalised_has_such_sums_without_a_discount(opened, tmp_path):
    # CG: low has 1 and high the gain of level 3; nCG: low has 1 and high 1/3 for any gain.
    qrels = {"1": {"a": 1}, "2": {"b": 3, "c": 3, "d": 3}}
    runs = {"low": {"1": {"a": 2}}, "high": {"2": {"b": 2}}}
    page = opened(page_of(tmp_path, "DCG_JK@3", qrels, runs), "#g=1,3").page
    page.wait_for_selector(".what-if-map [aria-current]")
    without_discount = page.evaluate("whatIf.cells[0].map(cell => cell.title)")
    assert without_discount[-1] == "high: gain 100, no discount"
    page.evaluate("whatIf.cells[0].at(-1).click()")
    assert page.evaluate("whatIf.texts[0].textContent") == "DCG_JK(b=101,gains=1:1,3:100)@3"


def test_all_turns_are_those_of_python_and_the_map_has_the_colours_of_the_figure(opened, demo_page):
    page = opened(demo_page, "#g=1,1,1").page
    page.wait_for_selector(".what-if-map [aria-current]")
    assert lines_of(page) == [
        "E overtakes B when level 3 is worth more than 1.12 times level 1, with level 2 at 1.",
        "Best run by the gain of level 3:",
        "0 to 1.12: B, now",
        "1.12 to 1.59: E",
        "from 1.59: D",
    ]
    gains = (1.11, 1.13, 1.58, 1.6)
    measures = [f"nDCG_JK(gains=1:1,2:1,3:{gain})@10" for gain in gains]
    means = evaluate("graded-demo", demo.run_paths(), measures).means()
    names = list(demo.run_paths())
    assert [names[run] for run in means.argmax(axis=0)] == ["B", "E", "E", "D"]
    cell = page.locator(".what-if-map [aria-current]")
    assert cell.inner_text() == "B"
    colour = page.evaluate("whatIf.data.colours.B")
    assert colour.lower() in page.locator(".figure").inner_html().lower()
    assert cell.evaluate("cell => cell.style.getPropertyValue('--run')") == colour
    assert page.get_by_role("button", pressed=True).all_inner_texts() == ["w1 (1, 1, 1)"]


def test_a_turn_below_another_level_says_that_the_slider_takes_it_along(opened, demo_page):
    page = opened(demo_page, "#b=2&g=1,2,3&k=10&m=nDCG_JK").page
    page.wait_for_selector(".what-if-tipping:not(:empty)")
    assert lines_of(page)[:3] == [
        "E overtakes D when level 3 is worth less than 1.89 times level 1, with level 2 at 2; by "
        "the slider, which takes lower levels along while the box is checked, below a gain of "
        "1.83.",
        "Best run by the gain of level 3 alone:",
        "0 to .711: B",
    ]
    alone = [f"nDCG_JK(gains=1:1,2:2,3:{gain})@10" for gain in (1.88, 1.9)]
    along = [f"nDCG_JK(gains=1:1,2:{gain},3:{gain})@10" for gain in (1.82, 1.84)]
    means = evaluate("graded-demo", demo.run_paths(), alone + along).means()
    assert [list(demo.run_paths())[run] for run in means.argmax(axis=0)] == ["E", "D"] * 2
    assert page.evaluate(DRAG_DOWN) == [[1, 1.88, 1.88], [1, 1.78, 1.78]]


def test_turns_have_one_unit_if_the_lowest_level_gains_no_1(opened, demo_page):
    page = opened(demo_page, "#b=2&g=0.94,1,1&k=10&m=nDCG_JK").page
    page.wait_for_selector(".what-if-tipping:not(:empty)")
    first, _, *turns = lines_of(page)
    assert "worth more than 1.1 times level 1 (a gain of 1.03), with level 2" in first
    assert turns[0] == "0 to 1.03: B, now"


PLACE = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [box.top, box.bottom];
}"""


def test_sliders_and_order_of_the_runs_fit_on_the_screen_of_a_phone(opened, demo_page):
    page = opened(demo_page, width=390).page
    top, below_first = page.evaluate(PLACE, "#what-if-gain-0")
    above_runs, bottom = page.evaluate(PLACE, ".what-if-runs")
    assert below_first < above_runs
    assert bottom - top < 600
    above_answer, below_answer = page.evaluate(PLACE, "#what-if .lead")
    assert below_first < above_answer
    assert below_answer < above_runs
    wide_bar = "document.querySelector('.what-if-bar').offsetWidth > 80"
    assert page.evaluate(wide_bar)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator(".what-if-answers .what-if-runs .what-if-bars .what-if-bar").count() == 5
    assert page.locator(".what-if-answers .lead").count() == 1
    assert page.evaluate(wide_bar)


def test_wide_elements_say_that_they_scroll_until_their_end(opened, demo_page):
    page = opened(demo_page, width=390).page
    page.wait_for_selector(".figure[data-scrolls=more]")
    hint = "getComputedStyle(document.querySelector('.figure'), '::before').content"
    assert "Scroll sideways" in page.evaluate(hint)
    page.evaluate("document.querySelector('.figure').scrollLeft = 1000")
    page.wait_for_selector(".figure[data-scrolls=end]")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_selector(".figure:not([data-scrolls])")
    assert page.locator(".what-if-runs").count() == 1


def test_a_slider_that_turns_nothing_says_so(opened, demo_page):
    page = opened(demo_page, "#g=0,1,2&m=Q").page
    page.wait_for_selector(".what-if-tipping:not(:empty)")
    assert lines_of(page) == [
        "E overtakes D when level 3 is worth nothing, with level 1 at 0 and level 2 at 1; by the "
        "slider, which takes lower levels along while the box is checked, no other run is best at "
        "lower gains.",
    ]
    page.get_by_label("a higher level is worth at least as much").uncheck()
    page.wait_for_function(
        "!document.querySelector('.what-if-tipping').textContent.includes('box')"
    )


def test_the_slider_says_up_to_which_gain_no_other_run_is_best(opened, demo_page):
    page = opened(demo_page, "#b=2&g=1,5,2&k=10&m=nDCG_JK").page
    page.wait_for_selector(".what-if-tipping:not(:empty)")
    assert lines_of(page)[0].endswith(
        "; by the slider, which takes lower levels along while the box is checked, no other run is "
        "best at higher gains, up to 100, and E overtakes D below a gain of 1.83."
    )


@pytest.mark.parametrize(
    ("width", "colours"),
    [(1280, "light"), (390, "dark"), repeated((1280, "dark")), repeated((390, "light"))],
)
def test_nothing_overflows_or_is_hidden_from_assistive_technology(
    opened, demo_page, width, colours
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    page = opened(demo_page, width=width, colours=colours).page
    page.wait_for_selector(".what-if-map [aria-current]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    checked = axe.Axe().run(page)
    assert checked.violations_count == 0, checked.generate_report()


def test_without_scripts_the_figure_and_a_sentence_stand(without_scripts, demo_page):
    without_scripts.goto(demo_page.as_uri())
    assert without_scripts.locator(".figure svg").is_visible()
    assert not without_scripts.locator("#what-if-page").is_visible()
    assert without_scripts.get_by_text("The sliders need scripts.").is_visible()


def test_the_command_writes_the_page(tmp_path):
    path = tmp_path / "page.html"
    runs = [str(run) for run in demo.run_paths().values()]
    status = cli.main(["sensitivity", "graded-demo", *runs, "nDCG_JK@10", "-o", str(path)])
    assert status in (0, None)
    assert 'id="what-if-data"' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG(gains={2:5,3:9})@5", "nDCG_Burges@10"])
def test_a_page_of_ndcg_begins_with_its_values(opened, tmp_path, measure):
    result = sensitivity("graded-demo", demo.run_paths(), [measure, "AP"])
    path = tmp_path / "what-if.html"
    path.write_text(pages.result_page(result, "sensitivity", 4), encoding="utf-8")
    page = opened(path).page
    expected = evaluate("graded-demo", demo.run_paths(), [measure]).means()[:, 0]
    assert page.evaluate("whatIf.means") == pytest.approx(expected.tolist(), abs=1e-12)
    assert page.evaluate("whatIf.agreed.textContent") == f"The order is that of {measure} as named."


def test_a_map_of_one_run_is_a_sentence(opened, tmp_path):
    runs = {"good": {"1": ["d", "e"]}, "poor": {"1": ["x", "e"]}}
    path = page_of(tmp_path, qrels={"1": {"d": 3, "e": 1, "f": 2}}, runs=runs)
    page = opened(path).page
    text = page.get_by_text("good is best at every gain of level 3 from .1 to 100")
    text.wait_for()
    assert "with the bases 1.2 to 20 and without a discount" in text.inner_text()
    assert not page.locator(".what-if-map").is_visible()

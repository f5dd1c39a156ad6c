"""Every result says once from which level documents are relevant, if the measures leave it open."""

import pytest

from ir_measures_graded import demo
from ir_measures_graded.analysis import (
    compare,
    compare_collections,
    compare_leaderboards,
    curves,
    effort,
    estimate,
    evaluate,
    explain,
    explain_difference,
    gate,
    holes,
    intervals,
    judges,
    power,
    ranges,
    sensitivity,
)
from ir_measures_graded.output.formats import escaped_html, escaped_latex

pytest.importorskip("scipy", reason="SciPy is not installed")
pytest.importorskip("statsmodels", reason="statsmodels is not installed")

GRADED = {f"q{topic}": {"a": topic % 3, "b": 1, "c": 0} for topic in range(12)}
BINARY = {f"q{topic}": {"a": 1, "b": topic % 2} for topic in range(12)}
FIRST = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in GRADED}
SECOND = {topic: {"c": 3.0, "a": 1.0 + number % 2, "b": 1.5} for number, topic in enumerate(GRADED)}
RUNS = {"first": FIRST, "second": SECOND}
NOTE = "P@2: relevant from level 1 (rel=1)."


def of_collections(qrels, runs, measures):
    return compare_collections({"x": (qrels, runs), "y": (qrels, runs)}, measures)


def of_leaderboards(qrels, runs, measures):
    evaluation = evaluate(qrels, runs, measures)
    return compare_leaderboards(evaluation, evaluation)


def of_judges(qrels, runs, measures):
    return judges(qrels, {"llm": qrels}, runs, measures)


def of_estimates(qrels, runs, measures):
    return estimate(qrels, qrels, runs, measures)


def of_settings(qrels, runs, measures):
    return sensitivity(qrels, runs, [*measures, "nDCG@2"])


def of_one_run(qrels, runs, measures):
    return explain(qrels, runs["first"], measures[0], "q1")


def with_one_measure(analysis):
    return lambda qrels, runs, measures: analysis(qrels, runs, measures[0])


ANALYSES = {
    "evaluate": evaluate,
    "compare": compare,
    "collections": of_collections,
    "leaderboards": of_leaderboards,
    "gate": gate,
    "power": power,
    "ranges": ranges,
    "sensitivity": of_settings,
    "curves": with_one_measure(curves),
    "effort": with_one_measure(effort),
    "explain": of_one_run,
    "explain_difference": with_one_measure(explain_difference),
    "holes": with_one_measure(holes),
    "judges": of_judges,
    "estimates": of_estimates,
}


@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)
@pytest.mark.filterwarnings("ignore")
def test_the_least_relevant_level_is_said_once_and_only_of_graded_qrels(analysis):
    on_graded = analysis(GRADED, RUNS, ["P@2"])
    for text in (str(on_graded), on_graded.to_markdown(), on_graded.to_latex()):
        assert " ".join(text.split()).count(": relevant from level 1 (rel=1).") == 1
    assert "rel=1" not in str(analysis(BINARY, RUNS, ["P@2"]))


def test_a_measure_that_names_its_level_has_no_note():
    assert "rel=1" not in str(compare(GRADED, RUNS, ["P(rel=1)@2", "P(rel=2)@2"]))


def test_groups_of_topics_do_not_repeat_it():
    by = {topic: str(number % 2) for number, topic in enumerate(GRADED)}
    assert str(compare(GRADED, RUNS, ["P@2"], by=by)).count(NOTE) == 1


def test_two_levels_above_0_are_graded_and_a_negative_one_is_not():
    positive = {"q": {"a": 1, "b": 2}}
    negative = {"q": {"a": -1, "b": 0, "c": 1}}
    run = {"run": {"q": {"a": 1.0}}}
    assert [str(note) for note in evaluate(positive, run, ["P@2"]).notes()] == [NOTE]
    assert not evaluate(negative, run, ["P@2"]).notes()


def test_gains_of_0_tell_the_least_relevant_level():
    """One sentence has the measures that count from the same level."""
    measures = ["Q(gains=1:0)", "P(rel=2)@2", "P@2"]
    note = "Q(gains={1:0}): relevant from level 2, as P(rel=2)@2, because lower levels gain 0."
    for result in (evaluate(GRADED, RUNS, measures), compare(GRADED, RUNS, measures)):
        assert [str(text) for text in result.notes()].count(note) == 1
    assert "relevant from level 2, as" in compare(GRADED, RUNS, measures).to_latex()
    assert "because" not in str(compare(BINARY, RUNS, measures))
    assert "because" not in str(compare(GRADED, RUNS, ["Q(gains=2:5)", "nDCG@2"]))


def test_html_of_the_demo_has_it_in_the_caption():
    runs = {name: str(path) for name, path in list(demo.run_paths().items())[:2]}
    page = compare(demo.qrels_path(), runs, ["AP", "nDCG@10"]).to_html()
    assert page.count("AP: relevant from level 1 (rel=1).") == 1
    assert page.index("AP: relevant") < page.index("</caption>")


def test_the_caption_has_the_top_gain_that_the_strings_lack():
    """Measures divide by a gain of the qrels or of the topic; the docstring has ERR."""
    measures = ["ERR_G@2", "EBR@2", "gP@2", "RBP_G(max_gain=5)"]
    caption = compare(GRADED, RUNS, measures).papers()[0].caption
    for sentence in (
        "ERR_G@2 and EBR@2: the top gain H is 3, the highest gain in the qrels, over all topics.",
        "gP@2: the gain m that counts as 1 is the topic's highest gain.",
    ):
        assert caption.count(sentence) == 1
    assert caption.count("RBP_G") == 2  # its head and its measure string


def test_collections_with_other_levels_have_no_common_top_gain():
    apart = {"graded": (GRADED, RUNS), "binary": (BINARY, RUNS)}
    alike = {"graded": (GRADED, RUNS), "again": (GRADED, RUNS)}
    captions = [
        compare_collections(collections, ["ERR_G@2"]).papers()[0].caption
        for collections in (apart, alike)
    ]
    assert "the top gain H is the highest gain in the qrels" in captions[0]
    assert "the top gain H is 3, the highest gain" in captions[1]


def test_captions_have_the_gains_of_all_levels_and_no_table_of_a_terminal_has():
    """A measure string leaves out gains that equal their levels: level 1 looks as if it gained
    nothing."""
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    measure = "nDCG_JK(gains={2:3,3:10})@10"
    gains = f"{measure}: gain of levels 1/2/3: 1/3/10."
    runs = {name: demo.run_paths()[name] for name in "DE"}
    values = evaluate(demo.qrels_path(), runs, [measure, "AP"])
    comparison = compare(values)
    assert escaped_latex(gains) in comparison.to_latex()
    assert escaped_html(gains) in comparison.to_html()
    for result in (values, intervals(values), comparison, gate(values)):
        assert gains in result.figure().texts[-1].get_text().replace("\n", " ")
        assert gains not in " ".join(map(str, [*result.answer(), *result.notes()]))

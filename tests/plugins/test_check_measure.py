"""`check_measure` finds what is wrong with a measure and says what to change; ours pass."""

import shutil

import pytest

import ir_measures_graded
from all_measures import MEASURES
from distributions import EXAMPLE, GOOD, REPOSITORY, distribution, python
from ir_measures_graded import (
    NDPM,
    GradedError,
    GradedMeasure,
    Q,
    Real,
    TopicMeasure,
    nDCG_JK,
    parse_measure,
    register,
)
from ir_measures_graded.core.measures import intents
from ir_measures_graded.testing import check_measure, checks, parametrize_with_checks


@parametrize_with_checks([nDCG_JK, NDPM, Q, *intents.MEASURES[:1]])
def test_our_own_measures_pass(check):
    check()


@pytest.mark.parametrize("measure", [*MEASURES, *intents.MEASURES], ids=str)
@pytest.mark.parametrize("check", ["declaration", "parameters", "order"])
def test_every_measure_is_declared_as_a_plugin_must_be(measure, check):
    """tests/measures compares all values and options with plain formulas and brute force."""
    checks(measure)[check]()


class Good(TopicMeasure):
    """Gain at rank 1: The gain of the first document.

    :formula: G[1]
    :range: [0, ∞)
    :undefined: 0 without a retrieved document
    :source: this test
    """

    PARAMETERS = {"p": Real(default=1, above=0, desc="a factor")}

    def value(self, topic):
        return self["p"] * topic.gains[0] if topic.retrieved else 0


class Unsourced(Good):
    """Gain at rank 1: The gain of the first document.

    :formula: G[1]
    :range: [0, ∞)
    :undefined: 0
    """


class Narrow(Good):
    __doc__ = Good.__doc__.replace("[0, ∞)", "[0, 1]")


class Lax(Real):
    def canonical(self, value):
        return value


class Careless(Good):
    __doc__ = Good.__doc__
    PARAMETERS = {"p": Lax(default=1, desc="a factor")}


class Remembering(Good):
    __doc__ = Good.__doc__
    seen = [0]

    def value(self, topic):
        self.seen[0] += 1
        return float(self.seen[0])


class Failing(Good):
    __doc__ = Good.__doc__

    def value(self, topic):
        return topic.gains[0]


class Tied(GradedMeasure):
    __doc__ = Good.__doc__
    TIES = ("max",)

    def values(self, topics):
        return 100 - topics.run.total


@pytest.mark.parametrize(
    ("measure", "check", "message"),
    [
        (Unsourced, "declaration", r"lacks :source:, the paper that defines the measure"),
        (Narrow, "values", r"is 2 for the levels .*, outside its :range: \[0, 1\]"),
        (Careless, "parameters", r"is accepted; let `canonical` raise GradedError"),
        (Tied, "order", r"declare SMALLER_IS_BETTER = True"),
        (Remembering, "values", r"keep no state and use no other topics"),
        (Failing, "values", r"IndexError.*; a measure has a value for every topic"),
        (Tied, "options", r"Tied\(ties='max'\).* is .* where .* is right"),
    ],
)
def test_each_fault_is_found_by_its_check(measure, check, message):
    with pytest.raises(AssertionError, match=message):
        checks(measure())[check]()
    with pytest.raises(AssertionError, match=f"(?m)^{check}: .*{message}"):
        check_measure(measure())


def test_a_good_measure_passes_and_is_not_registered_by_it():
    check_measure(Good())
    with pytest.raises(GradedError, match="Good"):
        parse_measure("Good")


def test_a_registered_measure_is_read_from_strings_until_another_wants_its_name(monkeypatch):
    names = ir_measures_graded.core.registry.names
    monkeypatch.setattr("ir_measures.measures.registry", dict(names.registry()))
    assert register(Good()) == parse_measure("Good(p=1)")
    assert register(Good()) == Good()  # a cell of a notebook is run again
    of_another_module = type("Good", (Good,), {"__module__": "other"})
    of_a_taken_name = type("AP", (Good,), {})
    for measure, message in (
        (of_another_module(), "the name 'Good' is taken by user code"),
        (of_a_taken_name(), "the name 'AP' is taken by ir-measures"),
        (Tied(), "is right"),
        (Good(p=2), r"Good\(p=2\) has parameters; register it with its defaults, Good\(\)"),
    ):
        with pytest.raises(GradedError, match=message):
            register(measure)


def test_a_plugin_for_another_version_of_the_hook_is_skipped_with_one_sentence(tmp_path):
    distribution(tmp_path, "from-the-future", GOOD + "\nHOOK_API = 2\n")
    done = python(tmp_path, "import ir_measures_graded as m; m.parse_measure('First')")
    reason = "it is made for version 2 of the hook, and this package has version 1; install"
    assert reason in done.stderr


def test_the_example_plugin_is_a_template_after_three_names_are_changed(tmp_path):
    copy = tmp_path / "plugin"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "src" / "ir_measures_rhl").rename(copy / "src" / "my_measures")
    names = {"ir-measures-rhl": "my-measures", "ir_measures_rhl": "my_measures", "RHL": "Mine"}
    for path in copy.rglob("*"):
        if path.is_dir():
            continue
        text = path.read_text(encoding="utf-8")
        for old, new in names.items():
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    distribution(tmp_path, "my-measures", "", entry="rhl")
    (tmp_path / "my_measures.py").unlink()
    sources = [str(copy / "src"), str(REPOSITORY / "src")]
    code = f"""
        import sys, pytest
        sys.path[:0] = {sources!r}
        sys.exit(pytest.main(["-q", {str(copy)!r}]))
    """
    done = python(tmp_path, code)
    assert done.returncode == 0, done.stdout + done.stderr

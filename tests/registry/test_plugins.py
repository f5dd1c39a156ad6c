"""Plugins: the features that a measure inherits, and the handling of broken plugins.

Broken distributions are written into a temporary folder and used in a separate interpreter.
"""

import json
import shutil
from pathlib import Path

import ir_measures
import numpy as np
import pytest

from distributions import GOOD, STRICT, distribution, hooked, python
from ir_measures_graded import GradedError, GradedMeasure, TopicMeasure, nDCG_JK


def met(folder: Path) -> tuple[dict[str, str], list[str], dict[str, float]]:
    """The status of each plugin, the warnings and some values, from a new interpreter."""
    code = """
        import json, warnings
        import ir_measures, ir_measures_graded
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ir_measures_graded.core.registry.plugins.load()
            plugins = ir_measures_graded.core.registry.plugins.plugins()
        qrels = {"q": {"a": 3, "b": 1}}
        run = {"q": {"a": 2.0, "b": 1.0}}
        values = {}
        for name in ("First(p=2)", "nDCG_JK(b=2)@10", "nDCG@10"):
            try:
                values[name] = ir_measures.parse_measure(name).calc_aggregate(qrels, run)
            except NameError:
                pass
        status = {plugin.distribution: plugin.status for plugin in plugins}
        warned = [f"{warning.category.__name__}: {warning.message}" for warning in caught]
        print(json.dumps([status, warned, values]))
    """
    done = python(folder, code)
    assert done.returncode == 0, done.stderr
    return tuple(json.loads(done.stdout))  # type: ignore[return-value]


# Measures for one topic at a time


QRELS = {"q1": {"a": 3, "b": 1, "c": -2}, "q2": {"a": 2}, "q3": {"a": 1}}
RUN = {"q1": {"x": 5.0, "a": 4.0, "b": 3.0}, "q2": {"a": 1.0}, "unjudged": {"a": 1.0}}


def test_topic_has_documented_attributes():
    seen = {}

    class Look(TopicMeasure):
        def value(self, topic):
            seen.update({name: getattr(topic, name) for name in vars(topic)})
            return 0

    qrels = {"q": {"a": 3, "b": 0, "c": 1, "d": 2}}
    run = {"q": {"x": 9.0, "c": 8.0, "a": 7.5, "b": 7.5, "y": 1.0}}
    (Look() @ 4).calc_aggregate(qrels, run)
    arrays = {name: value for name, value in seen.items() if isinstance(value, np.ndarray)}
    plain = seen | {name: array.tolist() for name, array in arrays.items()}
    assert plain == {
        "name": "q",
        "cutoff": 4,
        "depth": 4,
        "best": 3,
        "retrieved": 4,
        "judged": 4,
        "relevant": 3,
        "gains": [0, 1, 0, 3],  # b before a: tied documents stand in descending order of their ids
        "ideal": [3, 2, 1],
        "ranks": [2, 3, 4],
        "levels": [1, 0, 3],
        "scores": [8, 7.5, 7.5],
        "ties": [0, 1, 1],
    }


def test_measure_cannot_modify_shared_arrays():
    class Vandal(GradedMeasure):
        def values(self, topics):
            for gains in (topics.ideal.gain, topics.run.gain, topics.document_gain):
                gains *= 2
            return np.zeros(topics.count)

    class TopicVandal(TopicMeasure):
        def value(self, topic):
            topic.ideal[:] = 0
            return 0

    for vandal in (Vandal(), TopicVandal()):
        evaluator = ir_measures.providers.registry["graded"].evaluator([vandal, nDCG_JK], QRELS)
        with pytest.raises(GradedError, match=f"{vandal} of user code failed .*read-only"):
            evaluator.calc_aggregate(RUN)


def test_measure_cannot_replace_shared_arrays():
    class Replacing(GradedMeasure):
        def values(self, topics):
            topics.run.gain = np.ones(topics.run.gain.size)

    evaluator = ir_measures.providers.registry["graded"].evaluator([Replacing(), nDCG_JK], QRELS)
    with pytest.raises(GradedError, match="gain of a GainList cannot be changed"):
        evaluator.calc_aggregate(RUN)


# Measures that fail


def raises(self, topics):
    raise KeyError("no such thing")


def returning(value):
    """A method of a measure that returns this value."""

    def method(self, topics):
        return value

    return method


@pytest.mark.parametrize(
    ("kind", "compute", "problem"),
    [
        ("values", raises, "failed over 3 topics ('q1' …): KeyError: 'no such thing'"),
        ("values", np.array([0, np.nan, 0]), "is nan for topic 'q2'; a value must be finite"),
        ("values", np.array([0, 0, -np.inf]), "is -inf for topic 'q3'; a value must be finite"),
        ("values", np.zeros(2), "returned the shape (2,) for 3 topics (first ['q1']); it must be"),
        ("values", np.zeros((3, 1)), "returned the shape (3, 1) for 3 topics"),
        ("values", None, "returned the shape () for 3 topics"),
        ("values", ["0.5"] * 3, "returned values of type <U3; a value must be a real number"),
        ("values", np.ones(3) + 2j, "returned values of type complex128; a value must be"),
        ("value", raises, "failed for topic 'q1': KeyError: 'no such thing'"),
        ("value", float("nan"), "is nan for topic 'q1'; a value must be finite"),
        ("value", np.zeros(2), "failed for topic 'q1': TypeError"),
        ("value", None, "failed for topic 'q1': TypeError"),
        ("value", "0.5", "failed for topic 'q1': TypeError: '0.5' is not a number"),
    ],
)
def test_failing_measure_is_named(kind, compute, problem):
    method = compute if compute is raises else returning(compute)
    base = GradedMeasure if kind == "values" else TopicMeasure
    broken = type("Broken", (base,), {kind: method})
    with pytest.raises(GradedError) as error:
        broken(gains={1: 2}).calc_aggregate(QRELS, RUN)
    assert str(error.value).startswith(f"measure Broken(gains={{1:2}}) of user code {problem}")


# Plugins that cannot be used


def summed(method: str) -> str:
    """A plugin with a sum of weighted gains."""
    return (
        "from ir_measures_graded import GainSum, hookimpl\n\n"
        f"class Summed(GainSum):\n    NAME = 'Summed'\n    {method}\n\n"
        "@hookimpl\ndef graded_measures():\n    return [Summed()]\n"
    )


BROKEN = {
    "fails to import": ("raise RuntimeError('out of\\n  order')", "RuntimeError: out of order"),
    "exits at import": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "has an unknown hook": (
        GOOD.replace("def graded_measures", "def graded_measure"),
        "unknown hook",
    ),
    "has no hook": (
        GOOD.replace("@hookimpl", ""),
        "it implements no hook; mark graded_measures with",
    ),
    "fails in the hook": (hooked("return 1 / 0"), "ZeroDivisionError: division by zero"),
    "brings no measure": (hooked("return []"), "graded_measures returned no measure"),
    "returns nothing": (
        hooked("[First()]"),
        "graded_measures returned None, not a list of measures",
    ),
    "brings a class": (
        hooked("return [First]"),
        "<class 'brings_a_class.First'> is not an instance of",
    ),
    "claims a name of ir-measures": (
        GOOD.replace('"First"', '"nDCG"'),
        "'nDCG' is taken by ir-measures",
    ),
    "claims an alias": (
        GOOD.replace("    NAME", '    ALIASES = ("MAP",)\n    NAME'),
        "'MAP' is taken by",
    ),
    "claims the other micro sign": (
        GOOD.replace('"First"', '"\u00b5AP"'),
        "the name '\u00b5AP' is taken by ir-measures-graded",
    ),
    "claims a name twice": (
        GOOD.replace("[First()]", "[First(), First()]"),
        "claims the name 'First' twice",
    ),
    "declares an unknown word of ties": (
        GOOD.replace("    NAME", '    TIES = ("median",)\n    NAME'),
        "declares TIES = ('median',)",
    ),
    "has a keyword for a name": (
        GOOD.replace('"First"', '"lambda"'),
        "'lambda', which is not an identifier",
    ),
    "has a plain parameter": (
        GOOD.replace("Real(", "dict("),
        "parameter 'p' of First is not a Parameter",
    ),
    "rises with the rank": (
        summed("def discount(self, rank): return 1 / rank"),
        "must not rise with the rank",
    ),
    "has no mean": (
        GOOD.replace("    NAME", '    TIES = ("mean",)\n    NAME'),
        "no method for ties='mean'",
    ),
    "takes over a parameter": (GOOD.replace('"p"', '"gains"'), "'gains' of First replaces one"),
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """The status, the warnings and the values of `met` beside many plugins."""
    folder = tmp_path_factory.mktemp("plugins")
    for what, (code, _) in BROKEN.items():
        distribution(folder, what.replace(" ", "-"), code, version="0.3")
    for name in ("aa-works", "zz-works"):  # loaded before and after the broken ones
        own = name.partition("-")[0]
        distribution(folder, name, GOOD.replace('NAME = "First"', f'NAME = "{own}First"'))
    for name in ("same-one", "same-two"):
        code = GOOD.replace('"First"', f'"First{name[5:]}"')
        distribution(folder, name, code, entry="measures")  # the name of our own, too
    distribution(folder, "zz-first", GOOD)  # no broken plugin may have left its name
    distribution(folder, "zz-second", GOOD.replace("topic.gains[0]", "-1"))
    distribution(folder, "nameless", "raise RuntimeError('boom')")
    (folder / "nameless-1.2.dist-info" / "METADATA").unlink()
    return met(folder)


def test_broken_plugins_are_skipped_with_one_warning_each(loaded):
    status, warned, values = loaded
    assert len(warned) == len(BROKEN) + len(["zz-second", "nameless"])
    for what, (_, reason) in BROKEN.items():
        name = what.replace(" ", "-")
        assert status[name].startswith("skipped: ")
        begin = f"PluginWarning: plugin {name.replace('-', '_')!r} of {name} 0.3 is skipped: "
        (warning,) = (warning for warning in warned if warning.startswith(begin))
        assert reason in warning
        assert "\n" not in warning
    assert (values["nDCG_JK(b=2)@10"], values["nDCG@10"]) == (1, 1)


def test_plugins_load_beside_broken_ones_and_can_share_a_name(loaded):
    status, _, _ = loaded
    used = [name for name, words in status.items() if words == "loaded"]
    own = ["ir-measures-graded"]
    assert used == own + "aa-works same-one same-two zz-first zz-works".split()


def test_first_of_two_plugins_keeps_a_measure_name(loaded):
    status, warned, values = loaded
    assert status["zz-second"] == "skipped: the name 'First' is taken by zz-first 1.2"
    assert sum("zz-second" in warning for warning in warned) == 1
    assert values["First(p=2)"] == 6


def test_plugin_without_readable_metadata_is_reported(loaded):
    status, warned, _ = loaded
    assert len(status) == len(BROKEN) + 8
    (warning,) = (warning for warning in warned if "'nameless'" in warning)
    assert warning.startswith("PluginWarning: plugin 'nameless' of ")
    assert warning.endswith("is skipped: RuntimeError: boom")


def test_plugins_are_found_in_folders_and_archives(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    distribution(folder, "works", GOOD)
    archive = shutil.make_archive(tmp_path / "archive", "zip", folder)
    code = "import ir_measures_graded; print(ir_measures_graded.parse_measure('First@5'))"
    for path in (folder, archive):
        done = python(path, code)
        assert (done.stdout, done.stderr) == ("First@5\n", "")


def test_metadata_is_not_imported_without_a_plugin(tmp_path):
    code = f"""
        import sys
        from ir_measures_graded.core.registry import plugins
        sys.path[:] = [{str(tmp_path)!r}, {str(tmp_path / "missing")!r}]
        imported = "importlib.metadata" in sys.modules
        plugins.load()
        print(len(plugins.plugins()), imported == ("importlib.metadata" in sys.modules))
    """
    assert python(tmp_path, code).stdout == "1 True\n"


def test_plugins_can_be_switched_off(tmp_path):
    distribution(tmp_path, "works", GOOD)
    distribution(tmp_path, "broken", "raise RuntimeError")
    code = """
        import ir_measures, ir_measures_graded
        for plugin in ir_measures_graded.core.registry.plugins.plugins():
            print(plugin.distribution)
        ir_measures.parse_measure("First")
    """
    done = python(tmp_path, code, mode="off")
    assert done.stdout == "ir-measures-graded\n"
    assert "measure not found: First" in done.stderr
    assert "skipped" not in done.stderr


def test_warning_of_a_skipped_plugin_can_be_an_error(tmp_path):
    distribution(tmp_path, "works", GOOD)
    distribution(tmp_path, "broken", "raise RuntimeError('boom')")
    code = """
        import ir_measures, ir_measures_graded
        try:
            ir_measures_graded.core.registry.plugins.load()
        except ir_measures_graded.PluginWarning as error:
            print(error)
        print(ir_measures.parse_measure("First"))
    """
    done = python(tmp_path, code, STRICT)
    complaint = "plugin 'broken' of broken 1.2 is skipped: RuntimeError: boom\n"
    assert (done.stdout, done.stderr) == (complaint + "First\n", "")


def test_plugins_are_imported_for_the_first_unknown_name(tmp_path):
    with_alias = GOOD.replace("    NAME", '    ALIASES = ("\u00b5First",)\n    NAME')
    distribution(tmp_path, "works", with_alias)
    code = """
        import sys
        import ir_measures, ir_measures_graded
        ir_measures.parse_measure("nDCG_JK@10")
        print("works" in sys.modules)
        from ir_measures_graded.core.registry.plugins import origin
        print(ir_measures_graded.First(p=2) @ 3, origin(ir_measures_graded.First))
        print("works" in sys.modules)
        print(*map(ir_measures.parse_measure, ("First", "\u00b5First", "\u03bcFirst")))
    """
    done = python(tmp_path, code, STRICT)
    assert done.stdout == "False\nFirst(p=2)@3 works 1.2\nTrue\nFirst First First\n"
    assert done.stderr == ""  # silent without a skipped plugin

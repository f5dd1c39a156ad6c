"""The effects of importing the package on ir-measures, each case in a new interpreter."""

import inspect
import pickle
import subprocess
import sys
from importlib.metadata import version
from operator import attrgetter
from textwrap import dedent, indent

import ir_measures
import ir_measures.util
import pytest

from ir_measures_graded import nDCG_JK
from ir_measures_graded.integrations import pyterrier

TEXT = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"
VALUE = f"""
from ir_measures import parse_measure as after
measure = after("{TEXT}")
value = measure.calc_aggregate({{"q": {{"a": 3, "b": 2, "c": 1}}}}, {{"q": {{"b": 2, "a": 1}}}})
assert str(measure) == "nDCG_JK(gains={{2:10,3:100}})@100"
assert 0.99 < value < 1, value
"""
FOREIGN = """
import ir_measures

class Foreign(ir_measures.Measure):
    __name__ = NAME = "CG"
    SUPPORTED_PARAMS = {"cutoff": ir_measures.ParamInfo(dtype=int)}

foreign = Foreign()
ir_measures.measures.register(foreign)
"""


def python(code, *flags, fails=False):
    """Run code in a new interpreter, which must succeed; returns stdout and stderr."""
    command = [sys.executable, *flags, "-c", dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stdout + done.stderr


def test_parser_bound_before_the_import_knows_the_measures():
    code = f"""
    from ir_measures import parse_measure
    from ir_measures.util import parse_measure as deep
    import ir_measures
    try:
        parse_measure("{TEXT}")
    except ValueError:
        pass
    else:
        raise AssertionError
    import ir_measures_graded
    assert parse_measure is deep is ir_measures.parse_measure is ir_measures.util.parse_measure
    assert parse_measure("{TEXT}") == ir_measures_graded.parse_measure("{TEXT}")
    """
    assert python(code, "-W", "error") == ""


def test_import_has_no_other_effect():
    code = """
    import inspect, logging, sys, warnings
    import ir_measures, ir_measures.measures, ir_measures.providers, ir_measures.util, numpy

    def identities(mapping):
        return {key: id(value) for key, value in mapping.items()}

    def state():
        modules = (ir_measures, ir_measures.measures, ir_measures.providers, ir_measures.util)
        parser = ir_measures.parse_measure
        return {
            "names": [identities(vars(module)) for module in modules],
            "measures": identities(ir_measures.measures.registry),
            "providers": dict(ir_measures.providers.registry),
            "pipeline": list(ir_measures.DefaultPipeline.providers),
            "trec": ir_measures.util.parse_trec_measure.__code__,
            "signature": str(inspect.signature(parser)),
            "parser": [parser.__name__, parser.__module__, parser.__doc__],
            "warnings": list(warnings.filters),
            "logging": (logging.root.handlers, logging.root.level),
            "numpy": numpy.geterr(),
        }

    before = state()
    import ir_measures_graded
    after = state()

    from ir_measures_graded.core import measures
    names = set()
    for module in (*measures.families().values(), measures.trec_eval):
        for measure in module.MEASURES:
            names |= {measure.NAME, *measure.ALIASES}
    measures_before = before.pop("measures")
    measures_after = after.pop("measures")
    assert measures_after.keys() - measures_before.keys() == names, measures_after.keys()
    assert measures_after.items() >= measures_before.items()
    providers = {**before.pop("providers"), "graded": ir_measures_graded.graded}
    assert after.pop("providers") == providers
    *others, ours = after.pop("pipeline")
    assert others == before.pop("pipeline")
    assert type(ours) is ir_measures_graded.GradedProvider
    assert ours.supports(ir_measures_graded.CG)
    assert not ours.supports(ir_measures.AP)
    assert after == before
    heavy = {"ir_datasets", "pandas", "pyarrow", "scipy", "pyterrier", "tqdm", "matplotlib"}
    assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
    own = [name for name in sys.modules if name.startswith("ir_measures_graded.")]
    folders = {name.split(".")[1] for name in own}
    assert folders == {"arguments", "core", "docstrings", "errors"}, folders
    assert ir_measures_graded.RunFile.__module__ == "ir_measures_graded.files.files"
    for name in ir_measures_graded.__all__:
        assert hasattr(ir_measures_graded, name), name
    """
    assert python(code, "-W", "error") == ""


def test_repeated_imports_are_harmless():
    code = f"""
import importlib, sys, ir_measures, ir_measures_graded
from ir_measures_graded.integrations import pyterrier
pyterrier.load()
ir_measures_graded.accelerate()
others = ir_measures.DefaultPipeline.providers[1:]

def check(again):
    importlib.import_module("ir_measures_graded.integrations.pyterrier").load()
    assert ir_measures.parse_trec_measure("map") == [ir_measures.AP]
    assert ir_measures.parse_trec_measure("CG@5") == [again.CG @ 5]
    try:
        ir_measures.parse_measure("no_such_measure")
    except NameError:
        pass
    ours, *theirs = ir_measures.DefaultPipeline.providers
    assert type(ours) is again.GradedProvider
    assert ours.supports(ir_measures.AP)  # still accelerated
    assert theirs == others
    assert ir_measures.providers.registry["graded"] is again.graded
    from ir_measures_graded.core.registry.plugins import plugins
    assert [plugin.status for plugin in plugins()] == ["loaded"], plugins()
{indent(VALUE, "    ")}
    assert type(measure) is type(again.nDCG_JK)

import ir_measures_graded as again
check(again)
check(importlib.reload(ir_measures_graded))
check(importlib.reload(ir_measures_graded))
for name, module in list(sys.modules.items()):
    if name.startswith("ir_measures_graded."):
        importlib.reload(module)
check(importlib.reload(ir_measures_graded))
for name in [name for name in sys.modules if name.startswith("ir_measures_graded")]:
    del sys.modules[name]
import ir_measures_graded as again
check(again)
"""
    environment = "import os; os.environ['IR_MEASURES_GRADED_PLUGINS'] = 'off'\n"
    assert python(environment + code, "-W", "error") == ""


def test_a_command_imports_the_family_of_a_measure_alone_until_it_needs_all():
    code = """
    import sys
    import ir_measures
    import ir_measures_graded_command
    ir_measures_graded_command.prepare_process()
    import ir_measures_graded
    from ir_measures_graded.core import measures
    from ir_measures_graded.core.registry.names import registered, registry

    def imported():
        return [name for name in measures.QUESTIONS if f"{measures.__name__}.{name}" in sys.modules]

    ir_measures_graded.parse_measure("nDCG_JK@10")
    ir_measures_graded.parse_measure("nDCG@10")
    assert registered("no measure") is None
    assert registered("AP") is ir_measures.AP
    assert imported() == ["cumulated_gain", "sessions"], imported()
    found = {name: registered(name) for name in measures.MODULE_OF}
    assert imported() == [*measures.QUESTIONS]
    assert "GAP" not in ir_measures.measures.registry
    expected = {}
    for module in (*measures.families().values(), measures.trec_eval):
        for measure in module.MEASURES:
            expected |= dict.fromkeys([measure.NAME, *measure.ALIASES], measure)
    assert found.keys() == expected.keys()
    assert all(found[name] is measure for name, measure in expected.items())
    assert all(getattr(measures, name) is found[name] for name in measures.__all__)
    assert all(registry()[name] is measure for name, measure in found.items())
    assert ir_measures_graded.GAP is found["GAP"]
    """
    assert python(code, "-W", "error") == ""


def test_taken_names_are_kept_and_reported_but_never_fail_the_import():
    code = f"""
{FOREIGN}
class Other(ir_measures.Provider):
    NAME = "graded"
other = ir_measures.providers.register(Other())
ir_measures.DefaultPipeline.providers.append(other)
import ir_measures_graded
assert ir_measures.providers.registry["graded"] is other
assert ir_measures.DefaultPipeline.providers[-2] is other
assert type(ir_measures.DefaultPipeline.providers[-1]) is ir_measures_graded.GradedProvider
assert ir_measures.parse_measure("CG@5") == foreign @ 5
assert not ir_measures_graded.graded.supports(foreign)
assert ir_measures_graded.CG.calc_aggregate({{"q": {{"a": 3}}}}, {{"q": {{"a": 1}}}}) == 3
{VALUE}
"""
    messages = python(code, "-W", "error")
    assert "CG is not registered: ir_measures already has CG" in messages
    assert "the provider graded is not registered" in messages
    assert "RegistrationWarning: CG is not registered" in python(code)


def test_a_command_reports_taken_names_as_the_import_does():
    code = f"""
{FOREIGN}
taken = ir_measures.measures.registry["μMAP"] = foreign
import ir_measures_graded_command
ir_measures_graded_command.prepare_process()
from ir_measures_graded import UnknownMeasureError, parse_measure
for name in ("muAP", "muMAP"):
    try:
        parse_measure(name)
    except UnknownMeasureError:
        continue
    raise AssertionError(name)
"""
    messages = python(code)
    assert "CG is not registered: ir_measures already has CG" in messages
    assert "muAP is not registered: ir_measures already has μMAP" in messages


def test_a_measure_is_found_while_another_thread_registers_all():
    code = """
    import threading
    import ir_measures_graded_command
    ir_measures_graded_command.prepare_process()
    from ir_measures_graded.core.registry import names
    begun, asked = threading.Event(), threading.Event()
    register_built_in = names._waiting.pop()

    def register_slowly():
        begun.set()
        asked.wait()
        register_built_in()

    names.register_when_needed(register_slowly)
    thread = threading.Thread(target=names.registry)
    thread.start()
    begun.wait()
    asked.set()
    assert names.registered("GAP") is not None
    thread.join()
    """
    assert python(code, "-W", "error") == ""


def test_a_command_before_a_prompt_registers_all_measures():
    code = """
    import os
    import ir_measures
    import ir_measures_graded_command
    os.environ["PYTHONINSPECT"] = "1"
    ir_measures_graded_command.prepare_process()
    os.environ["PYTHONINSPECT"] = ""
    import ir_measures_graded
    assert "GAP" in ir_measures.measures.registry
    """
    assert python(code, "-W", "error") == ""


def test_another_program_whose_argument_is_the_package_has_all_measures(tmp_path):
    package = tmp_path / "program"
    package.mkdir()
    (package / "__init__.py").write_text("import ir_measures_graded\n")
    main = "import gc, ir_measures.measures\n"
    main += "assert gc.isenabled() and 'GAP' in ir_measures.measures.registry\n"
    (package / "__main__.py").write_text(main)
    command = [sys.executable, "-m", "program", "ir_measures_graded", "GAP"]
    subprocess.run(command, cwd=tmp_path, check=True)


def test_unpickling_a_measure_imports_the_package():
    pickled = pickle.dumps(nDCG_JK(gains={2: 10, 3: 100}) @ 100)
    code = f"""
import pickle, sys
measure = pickle.loads({pickled!r})
import ir_measures
assert measure == ir_measures.parse_measure("{TEXT}")
"""
    assert python(code, "-W", "error") == ""


SWAPPED = {
    "parse_measure": ["measure"],
    "parse_trec_measure": ["measure"],
    "QrelsConverter.__init__": ["self", "qrels", "strict"],
    "RunConverter.__init__": ["self", "run", "strict"],
}
"""The functions of `ir_measures.util` whose bodies are replaced, and their parameters."""


@pytest.mark.parametrize("name", SWAPPED)
def test_the_installed_ir_measures_has_the_functions_whose_bodies_are_replaced(name):
    release = f"ir_measures {version('ir_measures')}: ir_measures.util.{name}"
    pyterrier.load()
    function = attrgetter(name)(ir_measures.util)
    assert inspect.isfunction(function), f"{release} is no function, so it has no body to replace"
    original = function._original
    parameters = list(inspect.signature(original).parameters)
    assert parameters == SWAPPED[name], f"{release} has other parameters"
    assert list(inspect.signature(function).parameters) == parameters, "the swap changes them"
    assert not original.__code__.co_freevars, f"{release} is a closure, which keeps its body"
    public = name.partition(".")[0]
    if hasattr(ir_measures, public):
        problem = f"{release} is another object than ir_measures.{public}, which stays as it was"
        assert getattr(ir_measures, public) is getattr(ir_measures.util, public), problem


def test_the_installed_ir_measures_keeps_its_providers_in_a_list():
    release = f"ir_measures {version('ir_measures')}"
    providers = ir_measures.DefaultPipeline.providers
    assert isinstance(providers, list), f"{release} keeps the providers of its pipeline elsewhere"
    assert isinstance(ir_measures.providers.registry, dict), f"{release} has another registry"
    assert any(provider.NAME == "graded" for provider in providers)

"""The names of `analysis`, whose modules are imported on first use."""

import pickle
from importlib import import_module
from inspect import isfunction

import pytest

from ir_measures_graded import analysis

SHADOWED = [name for name in analysis.__all__ if analysis._MODULE_OF.get(name) == f".{name}"]


def test_every_name_has_its_module():
    assert {*analysis._MODULE_OF, "figures"} == set(analysis.__all__)
    assert all(hasattr(analysis, name) for name in analysis.__all__)
    with pytest.raises(AttributeError, match="no attribute 'comparison'"):
        _ = analysis.comparison


@pytest.mark.parametrize("name", [*SHADOWED, "identify", "report"])
def test_a_function_keeps_its_name_when_its_module_is_imported(name):
    import_module(f"ir_measures_graded.analysis.{name}")
    assert isfunction(getattr(analysis, name))


def test_a_function_of_a_notebook_that_names_the_module_is_sent_to_workers():
    """Picklers take a function of a notebook with the modules that it names."""
    assert pickle.loads(pickle.dumps(analysis)) is analysis

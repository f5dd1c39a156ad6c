"""The finder that calls a function when another package has been imported."""

import sys

from ir_measures_graded.core.registry.after_import import AfterImport


class WithoutFindSpec:
    """A finder of an old interface, which Python skips."""


def test_a_finder_without_find_spec_is_skipped_as_python_skips_it(monkeypatch):
    calls = []
    finder = AfterImport("json", lambda: calls.append("called"))
    monkeypatch.setattr(sys, "meta_path", [finder, WithoutFindSpec(), *sys.meta_path])
    spec = finder.find_spec("json")
    assert spec is not None
    assert spec.name == "json"
    assert not calls

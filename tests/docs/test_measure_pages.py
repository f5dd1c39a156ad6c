"""Every measure has a complete page."""

import doctest

import pytest
from site_extensions import DOCS

from ir_measures_graded.core import measures
from ir_measures_graded.core.registry import listing

pytest.importorskip("sphinx", reason="the site's tools are not installed")
latex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml")

import measure_pages  # noqa: E402
import symbols  # noqa: E402
from measure_pages import MEASURES  # noqa: E402


def test_symbols_of_formulas_have_definitions():
    explained = {symbol.tex for symbol in symbols.of(measures.nDCG_JK)}
    assert {r"\mathrm{DCG}_I", "d", "b"} <= explained
    assert doctest.testmod(symbols).failed == 0


@pytest.mark.parametrize("field", ["formula", "tex", "range", "undefined", "source"])
def test_a_measure_without_a_field_has_no_page(field):
    class Incomplete(type(measures.CG)):
        NAME = "CG"
        __doc__ = type(measures.CG).__doc__.replace(f":{field}:", ":removed:")

    with pytest.raises(measure_pages.IncompleteMeasure, match=f"CG.*:{field}:"):
        measure_pages.page(Incomplete())


def test_every_work_is_cited():
    sources = {work.key for measure in MEASURES for work in measure_pages.sources(measure)}
    paths = [*DOCS.glob("*.md"), *(DOCS / "papers").glob("*.md")]
    pages = "".join(path.read_text(encoding="utf-8") for path in paths)
    for key in listing.references():
        assert key in sources or f"`{key}`" in pages, key

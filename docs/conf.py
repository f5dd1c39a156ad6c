"""Configuration of Sphinx; `tox -e docs` builds the site."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "tests")]

import ir_measures_graded  # noqa: E402
from ir_measures_graded.core.registry import listing  # noqa: E402

project = "ir-measures-graded"
author = f"the authors of {project}"
version = release = ir_measures_graded.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
    "cells",
    "computed",
    "demo_report",
    "installation",
    "line_breaks",
    "mathml",
    "measure_pages",
    "navigation",
]
exclude_patterns = [
    "_build",
    "_ext",
    "**/.pytest_cache",
    "example-plugins/*/src",
    "example-plugins/*/tests",
]
nitpicky = True
nitpick_ignore_regex = [
    # Other packages:
    (
        r"py:.*",
        r"(numpy|np|pandas|pyarrow|ir_measures|pluggy|collections|pathlib|os|re|typing)\b.*",
    ),
    (r"py:class", r"matplotlib\..*"),
    # Short names of type aliases:
    (
        r"py:class",
        r"Measures?|(figures.)?Figure|Axes|DataFrame|Number|Source|Qrels|Runs|File|Given|By|Repeats|Names|Progress",
    ),
    # Classes that are not public:
    (r"py:class", r".*\.report\.\w+\.\w+|.*\.JudgedRanks|.*\.judged\.\w+"),
    (r"py:class", r".*\.(study|reduction|paper|definitions|conclusions)\.\w+"),
    (r"py:class", r"(.*\.)?Judgments|Weightings|.*\.Tau|.*\.named\.(Run|Study)"),
    (r"py:class", r".*\.contracts\.Contract|.*\.rows\.rows\.Rows|.*\.Unjudged"),
    (r"py:class", r".*\.output\.figures\.\w+\.\w+|(figures\.)?Drawing|.*\.corrections\.Correction"),
    (r"py:class", r".*\.holes\w*\.Outlook|.*\.difference\.KappaDifference|(.*\.)?MeanBounds"),
    (
        r"py:class",
        r"(.*\.tables\.)?(Table|Note)|.*\.Scorer|.*\.leaderboards\.\w+\.(Board|RunAgain)",
    ),
    # Single backticks in docstrings are code; a link is optional.
    (r"py:obj", r".*"),
]
default_role = "py:obj"

myst_enable_extensions = ["attrs_block", "dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_use_legacy_class_based = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120

bibtex_bibfiles = [str(listing.REFERENCES)]
bibtex_reference_style = "author_year"
bibtex_default_style = "plain"

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"

html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

"""gdeval, the Perl script behind ERR: it gets only what it reads correctly."""

import shutil

import pandas
import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import evaluate

pytestmark = pytest.mark.skipif(shutil.which("perl") is None, reason="Perl is not installed")
GOOD = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}


def test_whole_levels_of_a_float_column_have_the_same_value():
    qrels = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1.0, 2.0]})
    values = [evaluate(given, {"run": GOOD[1]}, ["ERR@5"]).values for given in (qrels, GOOD[0])]
    assert values[0] == values[1] == 0.15039


@pytest.mark.parametrize("provider", [None, "gdeval"])
@pytest.mark.parametrize(
    ("qrels", "run", "told"),
    [
        (GOOD[0], {"1": {"b": 2.0, "a c": 1.0}}, "ids without blanks, but topic 1 retrieves document 'a c'"),
        ({"1": {"a\x0bb": 1}}, GOOD[1], r"ids without blanks, but topic 1 judges document 'a\\x0bb'"),
        ({"1": {"a": 1, "": 1}}, GOOD[1], "ids without blanks, but topic 1 judges document ''"),
        ({"q1": {"a": 1}}, {"q1": {"a": 1}}, "topics that are whole numbers, not 'q1'"),
        ({"x-1": {"a": 1}, "y-1": {"a": 0}}, {"x-1": {"a": 1}}, "topics that are whole numbers, not 'x-1'"),
        ({"1": {"a": 1}, "01": {"a": 0}}, GOOD[1], "topics as numbers, so 1 and 01 are the same"),
        ({"1": {"a": 5}}, GOOD[1], "whole levels up to 4, but topic 1 judges document 'a' with 5"),
        ({"1": {"a": 0.5}}, GOOD[1], "whole levels up to 4, but topic 1 judges document 'a' with 0.5"),
    ],
)
def test_other_input_is_refused_without_a_line_of_perl(capfd, qrels, run, told, provider):
    with pytest.raises(GradedError, match=rf"cannot compute .*ERR@5.*: gdeval takes {told}"):
        evaluate(
            qrels,
            {"run": run},
            ["ERR@5", "nDCG(dcg='exp-log2')@5", "RR"][: 1 if provider else 3],
            provider=provider,
        )
    assert capfd.readouterr().err == ""

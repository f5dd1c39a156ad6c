"""Changed measure strings: refused with a message, or a measure whose string names it again."""

from hypothesis import given
from hypothesis import strategies as st
from mutations import measure_strings
from outcome import check, folder

from command_line import QRELS, RUN
from ir_measures_graded import GradedError, GradedMeasure, parse_measure


def test_changed_measure_strings_are_refused_or_read(repeat, counts):
    @given(measure_strings(), st.sampled_from(["measures", "evaluate", "curves", "sensitivity"]))
    def one(text, command):
        inputs = [] if command == "measures" else ["qrels", "run"]
        with folder(qrels=QRELS.encode(), run=RUN.encode()):
            outcome = check([command, *inputs, text])
        counts[f"measure strings, exit status {outcome.status}"] += 1
        try:
            measure = parse_measure(text)
        except GradedError:
            return
        if isinstance(measure, GradedMeasure):
            assert parse_measure(str(measure)) == measure
            assert hash(parse_measure(str(measure))) == hash(measure)

    repeat(one)

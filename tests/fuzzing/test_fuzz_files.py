"""Changed files are refused with a message, or evaluated, TREC files as by a second reader and formulas."""

import json
from functools import partial
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import QRELS, RUNS, files, tables
from outcome import as_process, check, folder, in_process
from plain_files import OtherForm, Refused, Topics, read_qrels, read_run, read_table

import reference
from ir_measures_graded import GradedMeasure, RunFile, parse_measure
from ir_measures_graded.core.measures import MEASURES
from ir_measures_graded.files.content import Sizes

SIMPLE = [measure for measure in MEASURES if "norm" not in measure.PARAMETERS]  # any score may be evaluated
CUTOFFS = [None, 1, 3, 10]
HUGE = 100
"""The gains of higher levels may overflow."""

measures = st.lists(
    st.builds(
        lambda measure, cutoff: measure(cutoff=cutoff) if measure.CUTOFF else measure,
        st.sampled_from(SIMPLE),
        st.sampled_from(CUTOFFS),
    ),
    min_size=1,
    max_size=3,
    unique=True,
)
sizes = st.sampled_from([1, 7, 50, 1 << 20])


def plainly(measure: GradedMeasure, qrels: Topics, run: Topics) -> dict[str, float]:
    """The value of each topic by the plain formulas; without a top gain it is that of the qrels."""
    levels = [level for docs in qrels.values() for level in docs.values()]
    if measure.needs_all_topics:
        measure = measure(max_gain=max([reference.gain(level, measure["gains"]) for level in levels]) or 1)
    return {topic: reference.value(measure, docs, run.get(topic, {})) for topic, docs in qrels.items()}


def compared(chosen, outcome, judged, listed):
    """The values of a command must be those of the plain formulas."""
    found = {name: {} for name in map(str, chosen)}
    for line in map(json.loads, outcome.out.splitlines()):
        found[line["measure"]][line["query_id"]] = line["value"]
    for name, values in found.items():
        wanted = plainly(parse_measure(name), judged, listed)
        assert values == pytest.approx(wanted, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize(
    ("kind", "kinds", "readers"),
    [
        ("files", (files(QRELS), files(RUNS)), (read_qrels, read_run)),
        (
            "tables",
            (tables("relevance"), tables("score")),
            (partial(read_table, value="relevance"), partial(read_table, value="score")),
        ),
    ],
)
def test_changed_files_are_refused_or_evaluated_as_a_second_reader_does(repeat, counts, kind, kinds, readers):
    """Plain code also knows which TREC files are valid; only valid tables are read a second time."""

    @given(*kinds, measures, sizes, sizes, st.sampled_from(["run", "-"]))
    def one(qrels, run, chosen, piece, rows, given_as):
        words = ["evaluate", "qrels", given_as, *map(str, chosen), "-q", "-n", "-f", "jsonl"]
        with (
            folder(qrels=qrels, run=run),
            patch.object(RunFile, "sizes", Sizes(block=2 * piece, rows=rows)),
        ):
            outcome = check(words, stdin=run)
        counts[f"changed {kind}, exit status {outcome.status}"] += 1
        if kind == "tables" and outcome.status == 2:
            return
        try:
            judged, listed = (read(content) for read, content in zip(readers, (qrels, run)))
        except OtherForm:
            return
        except Refused:
            assert outcome.status == 2, outcome
            return
        if kind == "files" and judged.keys().isdisjoint(listed):  # also if a file is empty
            assert outcome.status == 2, outcome
        elif all(level <= HUGE for docs in judged.values() for level in docs.values()):
            assert outcome.status == 0, outcome
            compared(chosen, outcome, judged, listed)

    repeat(one)


def test_a_process_does_what_the_function_does(repeat, counts):
    @settings(max_examples=10)
    @given(files(QRELS), files(RUNS), st.sampled_from(["run", "-"]), st.sampled_from([[], ["--jobs", "2"]]))
    def one(qrels, run, given_as, jobs):
        words = ["evaluate", "qrels", given_as, "run2", "nDCG_JK@5", "ERR_G", "AP", *jobs]
        with folder(qrels=qrels, run=run, run2=run):
            outcome = check(words, stdin=run, run=as_process)
            assert outcome == check(words, stdin=run, run=in_process)
        counts[f"processes, exit status {outcome.status}"] += 1

    repeat(one)

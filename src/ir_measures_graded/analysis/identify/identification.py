"""`identify`: from qrels, runs and somebody's values to the definitions that give them. Values by
topic are read from any table of values."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ir_measures import Measure

from ...arguments import names as names_in
from ...arguments import number as finite_number
from ...core.by_topic import bounds_of
from ...core.measures import standard
from ...core.registry.notation import NamedMeasure, parse_measures
from ...core.rows.id_matching import Ids
from ...core.rows.rows import Rows, repeated_documents
from ...errors import GradedError, quoted, shown
from ...evaluation.checked import checks_arguments, pairs
from ...evaluation.named import (
    Judgments,
    NamedSource,
    Qrels,
    Run,
    about,
    named_runs,
    read_judgments,
    run_names,
)
from ...evaluation.remarks import issue
from ...evaluation.value_columns import number_in
from ...evaluation.values import MOST_DECIMALS, decimals_of
from ...evaluation.values_of_run import RunNames, ValuesOfRun, values_of_run
from ...evaluation.vespa_ids import remarks_on_ids
from ...files.files import RunFile, file_name
from ...files.forms import WITH_PREDICTIONS
from ...progress import Progress
from ..statistics.options import whole_number
from .answer import Identification, answered
from .case import TWICE_ROUNDED, Case
from .dimensions import (
    AVERAGED,
    CUTOFF,
    DISCOUNT,
    DOCUMENTS,
    IDEAL,
    NDCG,
    NOTHING,
    ORDER,
    PERCENT,
    PRECISION,
    ROUNDED,
    SHOWN,
    TRUNCATED,
    Space,
    Way,
    cutoff_way,
    gains_for,
    log_way,
)
from .formulas import WITHOUT_STRING, family, measures_for
from .search import Search, searched
from .solving import solved_gains
from .tools import is_usual

DEPTH = 100  # cutoffs to this one are tried if nothing fits
ANY_DCG = r"(?i)^dcg(?=@|$)"


@dataclass(frozen=True, eq=False)
class GivenRun:
    """A run with the numbers given for it, which are values by topic, or a mean under an empty
    name.

    `name` is unique among the runs. `values` tells where values by topic came from.
    """

    name: str
    rows: Rows
    repeated: list[str]
    numbers: dict[str, float]
    decimals: int
    values: ValuesOfRun | None = None


@dataclass(frozen=True)
class Settings:
    """What is taken from tables of values: the measures that are `wanted`, unless the `names` tell
    the measure or the run, once or for each run; and the names of `columns`."""

    wanted: Collection[Measure]
    names: Sequence[str]
    columns: Any = None

    def name_for(self, number: int) -> str | None:
        """The name for the run of this number."""
        if len(self.names) < 2:
            return next(iter(self.names), None)
        return self.names[number]


@checks_arguments("identify(qrels, run, values)", also=pairs, name=names_in)
def identify(
    qrels: Qrels,
    run: Any,
    values: Any = None,
    *,
    mean: float | str | None = None,
    also: Iterable[tuple[Any, Any]] = (),
    measure: Measure | str | None = None,
    name: str | Sequence[str] | None = None,
    any_cutoff: bool = False,
    decimals: int | None = None,
    columns: Mapping[str, Any] | Sequence[tuple[str, str]] | None = None,
    progress: Progress = False,
) -> Identification:
    """Find the definition and conventions of a measure that give somebody's values of a run.

    `qrels` and `run` may be in any form. `values` has one value per topic: the path of a file
    (lines of a topic and a value, trec_eval's output with -q, CSV, JSON), a mapping, a DataFrame,
    or ir-measures' metrics. Of a table with several runs, in a column for them or each in a column,
    the one with the name of the `run` is taken, which is that of its file. `name` selects one of
    several measures, or the run, and may be a list with a name for each run. `columns` are the
    names of the columns of the table, as for `Evaluation.from_values`. `mean`, or a number in place
    of `values`, is a mean instead, best as a string, which keeps its zeros. `also` has more runs,
    each with its values (or its mean): a definition must give the values of all. Of a document that
    a topic retrieves twice, the first row is used.

    `measure` is the measure, if it is known, such as ``nDCG``, ``DCG`` or ``AP``, perhaps with its
    cutoff. Its parameters are tried, too. `any_cutoff` tries all cutoffs. `decimals` (0 to 15) is
    the number of decimals compared, by default those that the values show, at most 6. A relative
    difference of 3e-7 is allowed in any case, because some tools compute with 32-bit floats.

    `progress` is as for `evaluate`.

    >>> qrels = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"d": 2, "e": 1}, "q3": {"f": 1, "g": 3}}
    >>> run = {"q1": {"b": 3, "x": 2, "a": 1}, "q2": {"d": 2, "y": 1}, "q3": {"z": 2, "f": 1}}
    >>> values = {"q1": 0.1125, "q2": 0.8262, "q3": 0.0827}
    >>> answer = identify(qrels, run, values, measure="nDCG@2")
    >>> answer.measure, answer.equal
    ('nDCG_Burges@2', True)

    Raises `GradedError` for values that cannot be read, if no topic of the values is in the qrels,
    for the same values of two runs, for an unknown measure, and for qrels or a run that cannot be
    used."""
    if isinstance(values, (float, int, np.floating)) and mean is None:
        mean = finite_number("values", values)
        values = None
    if (values is None) == (mean is None):
        raise GradedError("give values by topic or a mean, one of the two")
    wanted_decimals = None
    if decimals is not None:
        wanted_decimals = whole_number(decimals, "decimals", 0, 15)
    by_mean = values is None
    numbers_of_run = mean if by_mean else values
    sources = [(run, numbers_of_run), *also]
    judgments = read_judgments(qrels)
    names = list(name or ())
    if len(names) not in (0, 1, len(sources)):
        raise GradedError(
            f"name has {len(names)} names for {len(sources)} runs; give one, or one for each run"
        )
    wanted = _wanted_measures(measure)
    settings = Settings(wanted, names, columns)
    names_of_runs = _unique_names([source for source, _ in sources])
    runs = []
    for number, (of_source, numbers) in enumerate(sources):
        others = [other for place, (other, _) in enumerate(sources) if place != number]
        called = RunNames.of(of_source, others)
        of_run = _read(judgments, number, of_source, numbers, by_mean, called, settings)
        runs.append(replace(of_run, name=names_of_runs[number]))
    if not by_mean:
        _refuse_same_values(sources, runs)
    _refuse_two_measures_of_one_run(sources, runs)
    files = _files([(judgments.name, "QRELS"), *((run, "RUN") for run, _ in sources)])
    case = _case(judgments, runs, by_mean, wanted_decimals, files, _named(measure, wanted))
    space = _space(case, measure)
    search = _searched_further(case, space, any_cutoff)
    if not search.tried:
        raise GradedError(
            f"identify cannot compute {measure}; give another measure, or none to try all"
        )
    return answered(case, search)


def _searched_further(case: Case, usual: Space, any_cutoff: bool) -> Search:
    """The search of the usual definitions, and if nothing fits, or if asked for, of others."""
    search = searched(usual, case)
    is_by_topic = not case.by_mean
    if any_cutoff or (is_by_topic and not search.fitting):
        deepest = np.inf if any_cutoff else DEPTH
        further = _all_cutoffs(usual, case, deepest)
        if further["cutoff"]:
            search = search.plus(searched(further, case))
    if NDCG not in usual["measure"] or search.fitting:
        return search
    gains = solved_gains(usual, case)
    if not gains:
        return search
    only_ndcg = {NDCG: usual["measure"][NDCG]}
    solved = searched({**usual, "gain": gains, "measure": only_ndcg}, case)
    return search.plus(solved) if solved.fitting else search


def _read(
    judgments: Judgments,
    number: int,
    run: Any,
    numbers: Any,
    by_mean: bool,
    called: RunNames,
    settings: Settings,
) -> GivenRun:
    """A run with the numbers given for it, see `Settings`. `number` is its place, from 0.

    Raises `GradedError` for a run without any topic of the qrels, and numbers that cannot be read.
    """
    if isinstance(run, NamedSource):
        run = run.file
    path = run.file if isinstance(run, RunFile) else run
    run_name = file_name(path) if isinstance(path, str) else f"run {number + 1}"
    if isinstance(run, RunFile):
        run = run.with_repeated_documents()
    (named,) = named_runs([(run_name, run)])
    with about(named.name):
        rows, repeated = repeated_documents(named.rows(judgments))
    _refuse_other_topics(named, rows, judgments)
    issue(remarks_on_ids(rows.facts.shortened, named.name))
    if not by_mean:
        topics = judgments.judged.code.keys()
        name = settings.name_for(number)
        values = values_of_run(numbers, topics, name, settings.wanted, called, settings.columns)
        by_topic = values.by_topic
        decimals = decimals_of(by_topic.values())
        return GivenRun(run_name, rows, repeated, by_topic, decimals, values)
    mean = number_in(numbers)
    if not np.isfinite(mean):
        raise GradedError(f"the mean is {shown(numbers)}; it must be a finite number")
    return GivenRun(run_name, rows, repeated, {"": mean}, decimals_of([numbers]))


def _unique_names(sources: Sequence[Any]) -> list[str]:
    """A name for each run that no other has: its own, that of its file, or its place."""
    numbered = [f"run {number}" for number in range(1, len(sources) + 1)]
    paths = [_path_of(source) or name for source, name in zip(sources, numbered, strict=True)]
    names = run_names(paths)
    for number, source in enumerate(sources):
        if isinstance(source, NamedSource):
            names[number] = source.name
    counts = Counter(names)
    for number, name in enumerate(names):
        if counts[name] > 1:
            names[number] = f"{paths[number]}, {numbered[number]}"
    return names


def _path_of(source: Any) -> str:
    """The path of a run; empty for one in memory."""
    while isinstance(source, (NamedSource, RunFile)):
        source = source.file
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else ""


def _refuse_two_measures_of_one_run(
    sources: Sequence[tuple[Any, Any]], runs: Sequence[GivenRun]
) -> None:
    """Raise `GradedError` for a run with different numbers of a topic, or different means.

    No definition could give both.
    """
    decimals = min(run.decimals for run in runs)
    of_source: dict[str | int, list[GivenRun]] = {}
    for (source, _), run in zip(sources, runs, strict=True):
        others = of_source.setdefault(_path_of(source) or id(source), [])
        for other in others:
            for topic, number in run.numbers.items():
                gap = abs(number - other.numbers.get(topic, number))
                if gap <= TWICE_ROUNDED * 10.0**-decimals:
                    continue
                what = f"values of topic {shown(topic)}" if topic else "means"
                raise GradedError(
                    f"{_path_of(source) or run.name} is given twice, with different {what}: one "
                    "definition cannot give both; identify each measure in a call of its own"
                )
        others.append(run)


def _refuse_same_values(sources: Sequence[tuple[Any, Any]], runs: Sequence[GivenRun]) -> None:
    """Raise `GradedError` if two runs would have the same values of a file or an object."""
    run_of: dict[tuple[str | int, str, str], GivenRun] = {}
    for (_, numbers), run in zip(sources, runs, strict=True):
        values = run.values
        if values is None:
            continue
        table: str | int = id(numbers)
        name = "values"
        if isinstance(numbers, (str, os.PathLike)):
            table = name = os.fspath(numbers)
        other = run_of.setdefault((table, values.run, values.measure), run)
        if other is not run:
            column = shown(values.measure)
            of_run = f" of {values.run}" if values.run else ""
            raise GradedError(
                f"{name}: {run.name} would have the values of {other.name}, which are {column}"
                f"{of_run}; give each run its own values, or --name once for each run"
            )


def _refuse_other_topics(named: Run, rows: Rows, judgments: Judgments) -> None:
    """Raise `GradedError` for a run without any topic of the qrels, which tells nothing."""
    if not rows.topics:
        raise GradedError(f"{named.name}: the run is empty, so its values tell nothing")
    named.check(rows.topics, judgments)


def _files(sources: Iterable[tuple[Any, str]]) -> str:
    """The paths of qrels and runs as a command names them, and for others what stands for them."""
    words = []
    for source, placeholder in sources:
        path: Any = source.file if isinstance(source, (RunFile, NamedSource)) else source
        if isinstance(path, RunFile):
            path = path.file
        word = placeholder
        if isinstance(path, (str, os.PathLike)):
            word = quoted(str(path))
        words.append(word)
    return " ".join(words)


def _case(
    judgments: Judgments,
    runs: Sequence[GivenRun],
    by_mean: bool,
    decimals: int | None,
    files: str,
    named: Measure | None,
) -> Case:
    """The runs with their numbers. Several runs become one, with the qrels for each."""
    judged = judgments.judged
    topics = list(judged.topics)
    if len(runs) > 1:
        topics = []
        for run in runs:
            topics += [f"{topic} ({run.name})" for topic in judged.topics]
    topics_of_runs = np.tile(np.arange(len(judged.topics)), len(runs))
    values = np.full(len(topics), np.nan)
    means = None
    if by_mean:
        means = np.array([run.numbers[""] for run in runs])
    else:
        numbers = [run.numbers.get(topic, np.nan) for run in runs for topic in judged.topics]
        values = np.array(numbers)
    if decimals is None:
        decimals = min(run.decimals for run in runs)
    left_out: list[str] = []
    if not by_mean:
        for run in runs:
            left_out += [topic for topic in run.numbers if topic not in judged.code]
    parts = [run.rows.of_topics(judged.code) for run in runs]
    others = [_count_others(run.rows, judgments) for run in runs]
    is_repeated = [np.isin(judged.topics, run.repeated) for run in runs]
    judged_by_run = judged.part(topics_of_runs)
    judged_by_run.topics = topics
    return Case(
        judged=judged_by_run,
        run=_joined(parts, topics),
        values=values,
        means=means,
        decimals=decimals,
        others=np.array(others),
        repeated=np.concatenate(is_repeated),
        left_out=tuple(dict.fromkeys(left_out)),
        files=files,
        named=named,
        asked=_whole(named),
        has_predictions=judgments.rows.facts.form in WITH_PREDICTIONS,
    )


def _count_others(rows: Rows, judgments: Judgments) -> int:
    """The number of topics of a run that the qrels lack."""
    return sum(topic not in judgments.judged.code for topic in rows.topics)


def _joined(runs: Sequence[Rows], topics: Sequence[str]) -> Rows:
    """One run with the topics of each, one run after another."""
    sizes = np.concatenate([np.diff(run.offsets) for run in runs])
    docs = Ids.concatenated([run.docs.ids() for run in runs])
    scores = np.concatenate([run.values for run in runs])
    return Rows(runs[0].role, topics, bounds_of(sizes), docs, scores, distinct=True)


def _space(case: Case, measure: Measure | str | None) -> Space:
    """The definitions to try. Raises `GradedError` for a measure that is unknown."""
    levels = np.unique(case.judged.level)
    wanted = _wanted_measures(measure)
    averaged = AVERAGED.by_text if case.by_mean else {}
    cutoffs = {}
    discounts = dict(DISCOUNT.by_text)
    for wanted_measure in wanted:
        if "cutoff" in wanted_measure.params:
            text = str(wanted_measure.params["cutoff"])
            cutoffs[text] = cutoff_way(text)
        if "b" in wanted_measure.params:
            way = log_way(wanted_measure.params["b"])
            discounts[way.text] = way
    return {
        "measure": _measures(wanted, levels),
        "cutoff": cutoffs or CUTOFF.by_text,
        "gain": gains_for(levels),
        "discount": discounts,
        "ideal": IDEAL.by_text,
        "nothing": NOTHING.by_text,
        "order": ORDER.by_text,
        "precision": PRECISION.by_text,
        "documents": DOCUMENTS.by_text,
        "averaged": averaged,
        "shown": _ways_to_show(case),
    }


def _wanted_measures(measure: Measure | str | None) -> Sequence[Measure]:
    """The measures that the user names, if any; DCG, Hole and Rank alone are no measure strings."""
    if measure is None or not str(measure):
        return ()
    names = "|".join(WITHOUT_STRING)
    pattern = rf"(?i)(?P<name>{names})(?:@(?P<cutoff>\d{{1,9}}))?"
    only_here = re.fullmatch(pattern, str(measure))
    if only_here is not None:
        named = NamedMeasure(only_here["name"].title())
        if only_here["cutoff"]:
            named.params["cutoff"] = int(only_here["cutoff"])
        return (named,)
    # DCG alone is no measure string; DCG_JK stands for its family.
    text = re.sub(ANY_DCG, "DCG_JK", str(measure))
    return parse_measures(text, uncut=True)


def _named(measure: Measure | str | None, wanted: Sequence[Measure]) -> Measure | None:
    """The measure that the user names, if it is one and a measure string."""
    if len(wanted) != 1 or re.match(ANY_DCG, str(measure)):
        return None
    (named,) = wanted
    return named if _is_computed_here(named) else None


def _whole(named: Measure | None) -> Measure | None:
    """The measure that the user names, if it has its cutoff."""
    if named is None:
        return None
    has_cutoff = "cutoff" in named.params or "cutoff" not in named.SUPPORTED_PARAMS
    return named if has_cutoff else None


def _measures(wanted: Sequence[Measure], levels: np.ndarray) -> dict[str, Way]:
    """The measures to try: those wanted with their parameters, and all of their families."""
    ways: dict[str, Way] = {}
    for measure in wanted:
        params = {name: value for name, value in measure.params.items() if name != "cutoff"}
        if params:
            uncut = type(measure)(**params)
            if _is_computed_here(uncut):
                ways[str(uncut)] = Way(str(uncut), uncut)
    ways |= measures_for(levels)
    families = {family(measure.NAME) for measure in wanted}
    if not families:
        return ways
    return {name: way for name, way in ways.items() if family(name) in families}


def _is_computed_here(measure: Measure) -> bool:
    """Whether this package computes the measure, perhaps with a cutoff."""
    has_definition = standard.definition_of(measure) is not None
    return has_definition or bool(standard.formula_of(measure))


def _ways_to_show(case: Case) -> dict[str, Way]:
    """The ways in which the numbers may be shown: for values by topic, no other is rounded
    first."""
    is_tried = {
        ROUNDED: True,
        TRUNCATED: case.decimals < MOST_DECIMALS,
        PERCENT: case.digits > case.decimals,
    }
    return {way.text: way for way in SHOWN.ways if is_tried.get(way, case.by_mean)}


def _all_cutoffs(space: Space, case: Case, most: float) -> Space:
    """The other cutoffs to the depth of the runs, or to `most`, for what some tool computes
    otherwise."""
    deepest = int(min(case.rows.ranks.retrieved.max(initial=0), most))
    texts = [str(cutoff) for cutoff in range(1, deepest + 1)]
    cutoffs = {text: cutoff_way(text) for text in texts if text not in space["cutoff"]}
    smaller: dict[str, Mapping[str, Way]] = {**space, "cutoff": cutoffs}
    for name in ("gain", "discount", "ideal", "precision", "documents"):
        ways = space[name].items()
        smaller[name] = {text: way for text, way in ways if is_usual(name, text)}
    formulas = {}
    for name, way in space["measure"].items():
        if not isinstance(way.apply, Measure):
            formulas[name] = way
    if formulas:
        smaller["measure"] = formulas
    return smaller

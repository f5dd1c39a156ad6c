"""The sections on data, curves, topics, weighting and method."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ...core.registry.facts import sign_of
from ...core.registry.listing import cited_for, facts_of
from ...core.registry.sentences import sentence
from ...errors import NotApplicableError
from ...evaluation.at_ranks import uncut
from ...evaluation.evaluation import Evaluation
from ...evaluation.level_notes import top_gain_of
from ...evaluation.named import Run, Study
from ...evaluation.order_of_runs import best_first
from ...files.content import is_lasting
from ...files.files import RunFile
from ...files.sources import files_of_folder
from ...output import figures
from ...output.provenance import sha256_of_all, versions, without_folders
from ..curves import Curves, curves
from ..levels import Levels
from ..mean_intervals import on_bounds
from ..power import Power, power
from ..sensitivity import Sensitivity, sensitivity
from ..statistics.defaults import POWER
from .verdict import mean_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTHS = (10, 100)
"""The share of judged documents is shown for these depths and for the cutoffs of the measures."""
DEPTH = 100
"""Curves end at least at this rank."""
MOST = 250
"""The maximum number of topics listed; of more topics, those in which the runs differ most are
listed, or those with the highest values of a single run."""

# ---------------------------------------------------------------------------------- data


def material(study: Study, judged_levels: Levels, measures: tuple[Measure, ...]) -> dict[str, Any]:
    """The ``levels`` of the qrels and, for each of the ``runs``, the documents that it
    ``retrieved``.

    ``judged`` has, for each of the ``depths``, the share of judged documents among those retrieved
    down to this rank; None if there are none. ``tied`` is the share of documents with the score of
    another document of the topic. ``missing`` are the topics of the qrels for which the run
    retrieves nothing, and ``ignored`` the topics of the run that the qrels lack.
    """
    cutoffs = {measure.params.get("cutoff") for measure in measures} - {None}
    depths = sorted({*DEPTHS, *cutoffs})
    runs = []
    for run in study.runs:
        ranks = run.ranks
        retrieved = int(ranks.retrieved.sum())
        of_depth = []
        for depth in depths:
            within = int(np.minimum(ranks.retrieved, depth).sum())
            judged_within = int((ranks.rank <= depth).sum())
            share = judged_within / within if within else None
            of_depth.append(share)
        missing = np.flatnonzero(ranks.retrieved == 0).tolist()
        of_run = {"run": run.name, "retrieved": retrieved, "judged": of_depth}
        of_run["tied"] = ranks.ties[0].size / retrieved if retrieved else None
        of_run["missing"] = [ranks.judged.topics[number] for number in missing]
        of_run["ignored"] = [topic for topic in run.topics if topic not in ranks.judged.code]
        runs.append(of_run)
    return {"levels": judged_levels, "depths": depths, "runs": runs}


# ---------------------------------------------------------------------------------- curves


def profile(study: Study, measure: Measure, baseline: str | None) -> Curves | None:
    """The curves of a measure down to its cutoff, but at least to rank 100; the baseline is in
    colour.

    None for a measure that `curves` refuses.
    """
    try:
        open_end = uncut(measure)
        depth = max(DEPTH, measure.params.get("cutoff") or 0)
        highlight = [baseline] if baseline else []
        by_rank = curves(study.judgments, study.runs, open_end, depth, highlight=highlight)
        return replace(by_rank, cutoff=measure.params.get("cutoff"))
    except NotApplicableError:
        return None


def figure(by_rank: Curves, cutoff: int | None) -> Figure:
    """Draw curves without a legend, and a line at the cutoff; the gid of the line of run 3 is
    ``run-3``."""
    lines = replace(by_rank, cutoff=cutoff).drawing_of_lines(shows_legend=False)
    return figures.picture([lines])


# ---------------------------------------------------------------------------------- power


def power_of(
    evaluation: Evaluation, measure: Measure, baseline: str | None, alpha: float
) -> Power | None:
    """What the topics find by the measure; None if no difference shows a spread."""
    few = len(evaluation.runs) < 2 or len(evaluation.paired_topics(measure)) < 2
    if few or alpha >= POWER:
        return None
    of_measure = evaluation.part(evaluation.runs, [measure])
    result = power(of_measure, baseline=baseline, alpha=alpha)
    if np.isnan(result.spread(measure)).any():
        return None
    return result


# ---------------------------------------------------------------------------------- topics


class ByTopic(NamedTuple):
    """The `values` of all runs by one measure (runs × topics), NaN where a provider gives none.

    Topics are in the order of the qrels. `listed_topics` has the numbers of the topics that are
    listed. `relevant` has, for each topic, the number of documents above level 0, None if it is not
    known. `differences` has the sorted differences of each other run from the `reference` over the
    topics for which both have a value, the run with the largest mean difference first. A positive
    difference means that the run is better. With only one run, there are none.
    """

    measure: Measure
    values: np.ndarray
    relevant: np.ndarray | None
    queries: dict[str, str]
    listed_topics: list[int]
    reference: str
    differences: dict[str, np.ndarray]

    @property
    def reach(self) -> float:
        """The largest difference of any run, without its sign; 1 if all are 0."""
        largest = [np.abs(of_run).max(initial=0) for of_run in self.differences.values()]
        return float(max(largest, default=0)) or 1.0

    def wins(self, run: str) -> str:
        """In how many topics a run is better and worse than the reference."""
        differences = self.differences[run]
        return f"better in {(differences > 0).sum()}, worse in {(differences < 0).sum()}"

    def spread(self, topic: int) -> float | None:
        """The largest difference of two runs in the topic with this number; None without any."""
        spread = float(np.ptp(self.values[:, topic]))
        return None if np.isnan(spread) else spread

    def bars(self, run: str, sign: int) -> str:
        """The positive or negative differences of a run as bars, one unit wide: the path of an SVG.

        The heights are in percent of `reach`.
        """
        heights = (100 * self.differences[run] / self.reach).tolist()
        bars = []
        for place, height in enumerate(heights):
            if sign * height > 0:
                bars.append(f"M{place} 0v{-height:.1f}h1V0")
        return "".join(bars)


def by_topic(
    evaluation: Evaluation,
    relevant: np.ndarray | None,
    measure: Measure,
    baseline: str | None,
    queries: dict[str, str],
    most: int = MOST,
) -> ByTopic:
    """The values of a measure for each topic. `relevant` (T) has the numbers of documents above
    level 0. At `most` so many topics are shown. Without a baseline, runs are compared with the best
    one."""
    runs = evaluation.runs
    values = evaluation.of(measure)
    sign = sign_of(measure)
    spread = values[0]
    if len(runs) > 1:
        spread = np.ptp(values, axis=0)
    # Topics without some value come last.
    listed_topics = np.argsort(-spread, kind="stable")[:most].tolist()
    reference = baseline
    if reference is None:
        means = np.array([mean_of(of_run) for of_run in values])
        reference = runs[best_first(sign * means, runs)[0]]
    above = sign * (values - values[runs.index(reference)])
    differences = {}
    for run, of_run in zip(runs, above, strict=True):
        if run != reference:
            differences[run] = np.sort(of_run[~np.isnan(of_run)])[::-1]
    others = list(differences)
    mean_differences = np.array([_mean_difference(differences[run]) for run in others])
    by_mean = [others[number] for number in best_first(mean_differences, others)]
    ordered = {run: differences[run] for run in by_mean}
    return ByTopic(measure, values, relevant, queries, listed_topics, reference, ordered)


def _mean_difference(differences: np.ndarray) -> float:
    return float(differences.mean()) if differences.size else 0.0


# ---------------------------------------------------------------------------------- weighting


def weightings(study: Study, judged_levels: Levels, measure: Measure) -> Sensitivity | None:
    """The order of the runs under each weighting that `levels` suggests.

    None for fewer than two runs, for a measure that takes no gains, and if the order cannot be
    computed.
    """
    gains = judged_levels.gains()
    if len(study.runs) < 2 or len(gains) < 2 or "gains" not in measure.SUPPORTED_PARAMS:
        return None
    other_params = {name: value for name, value in measure.params.items() if name != "gains"}
    without_gains = type(measure)(**other_params)
    try:
        return sensitivity(study.judgments, study.runs, [without_gains], gains=gains)
    except NotApplicableError:
        return None


# ---------------------------------------------------------------------------------- method


def _paragraph_on(measure: Measure, levels: Sequence[float]) -> str:
    """The paragraph about a measure, with the top gain that it takes from the qrels; empty if it
    has none."""
    try:
        paragraph = sentence(measure)
    except NotApplicableError:
        return ""
    highest = top_gain_of(measure, levels)
    if highest is None:
        return paragraph
    return f"{paragraph} In these qrels, H is {highest:g}."


def method(evaluation: Evaluation, study: Study | None, command: str) -> dict[str, Any]:
    """The facts that a reader needs to check the values and to reproduce them.

    ``inputs`` are the qrels and the runs with their ``kind``, ``name``, ``path`` as given,
    ``file``, the path without folders if that is clear, and ``sha256`` of the file, which are empty
    where there is none. ``definitions`` have the facts
    about each measure and its paragraph, if it has one, ``bounds`` tells how the intervals of means
    are bounded, and ``works`` are what a paper cites.
    """
    inputs = []
    runs: Sequence[Run] = ()
    if study is not None:
        inputs.append({"kind": "qrels", "name": "", "path": study.judgments.name or ""})
        runs = study.runs
    for run in runs:
        file = run.source.file if isinstance(run.source, RunFile) else None
        path = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
        inputs.append({"kind": "run", "name": run.name, "path": str(path)})
    file_of = without_folders(source["path"] for source in inputs)
    for source in inputs:
        path = source["path"]
        source["file"] = file_of[path]
        source["sha256"] = ""
        if is_lasting(path):
            source["sha256"] = sha256_of_all(files_of_folder(path) or [path])
    definitions = []
    for measure in evaluation.measures:
        paragraph = _paragraph_on(measure, evaluation.levels)
        definitions.append(facts_of(measure) | {"measure": measure, "paragraph": paragraph})
    return {
        "definitions": definitions,
        "bounds": on_bounds(evaluation.unit),
        "inputs": inputs,
        "versions": list(versions()),
        "command": command,
        "works": cited_for(evaluation.measures),
    }

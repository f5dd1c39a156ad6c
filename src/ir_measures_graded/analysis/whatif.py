"""What a page needs to compute measures under any gains in a browser: the what-if page.

The order of the runs depends on what a level is worth. `what_if` reduces qrels and runs to the
ranks of the documents above level 0 and the number of judged documents of each level. From these,
the script ``whatif.js`` computes the mean of every run for gains, cutoffs and bases that a reader
chooses.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np
from ir_measures import Measure

from ..core.ranking.gains import EXP, LINEAR, PRESETS, Gains, Number, gain_of, plain_number
from ..core.ranking.ranks import JudgedRanks
from ..core.registry.facts import gains_of, graded_err, is_err
from ..core.registry.notation import parse_measure
from ..core.rows.chosen import named_levels
from ..errors import GradedError
from ..evaluation.named import Run, Study, short_names
from ..files.files import RunFile
from ..output.figures import COLOURS
from ..output.provenance import with_names, without_folders

DEPTH = 100
"""The last rank that the page knows."""
MOST_LEVELS = 12
"""A slider for each level above 0 must fit on the page."""
MOST_LISTS = 20_000
"""The page holds at most this many lists (runs × topics), which is about 2 MB."""
MOST_NAMED_RUNS = 5
"""The command to copy names at most so many files of runs."""
PLACEHOLDER = "RUN…"
"""What the command has in place of runs that no file holds."""
OFFERED = {
    "nDCG": (),
    "nDCG_Burges": (),
    "nDCG_JK": ("b",),
    "DCG_JK": ("b",),
    "nCG": (),
    "muAP": (),
    "Q": ("beta",),
    "ERR_G": (),
    "RBP_G": ("p",),
}
"""The measures that the page computes, and the parameters that they have beside gains and
cutoff."""
GAINS_BY = frozenset(["gains", "dcg"])
"""The parameters that set the gains of levels, which the page changes."""
STANDARD = "nDCG_JK"
"""The measure at first, if the page does not compute the one that was named."""
AS_NAMED = "as named"
"""The button of the setting at first."""
NOTHING = "."
"""The character of a rank without a document above level 0."""


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf:
    """The rankings of the runs, as the page has them, and the setting at first.

    `levels` are the distinct levels above 0, ascending. `judged` is the number of judged documents
    of each topic at each of them (topics × levels). `lists` has a text for each run and topic: one
    character a rank, ``.`` for a document that is unjudged or not above level 0, ``a`` for the
    lowest of `levels`, and so on. `gains` are those of `levels` at first, and `reference` names the
    setting at first in a sentence. `weightings` are gains of `levels` by name, besides the presets.
    `is_condensed` tells whether unjudged documents were left out of the lists. `colours` are those
    that the figure beside the sliders gives to some of the runs.
    """

    runs: tuple[str, ...]
    levels: tuple[Number, ...]
    judged: np.ndarray
    lists: tuple[tuple[str, ...], ...]
    measure: str
    parameters: dict[str, Number]
    cutoff: int
    gains: tuple[Number, ...]
    reference: str
    weightings: Mapping[str, list[Number]]
    is_condensed: bool
    command: str
    colours: Mapping[str, str]

    def data(self) -> dict[str, Any]:
        """The page's data, which can be written as JSON."""
        return {
            "runs": self.runs,
            "levels": self.levels,
            "judged": self.judged.tolist(),
            "lists": self.lists,
            "measure": self.measure,
            "parameters": self.parameters,
            "cutoff": self.cutoff,
            "gains": self.gains,
            "reference": self.reference,
            "condensed": self.is_condensed,
            "presets": self.buttons(),
            "measures": list(OFFERED),
            "command": self.command,
            "colours": dict(self.colours),
            "palette": COLOURS[:-1],  # black letters stand on the others
        }

    def buttons(self) -> list[tuple[str, list[Number]]]:
        """The names and the gains of the setting at first and of the presets; presets of equal
        gains share one button."""
        names: dict[tuple[Number, ...], list[str]] = {}
        for name, gains in self.presets().items():
            names.setdefault(tuple(gains), []).append(name)
        buttons = [(AS_NAMED, list(self.gains))]
        for equal_gains, equal_names in names.items():
            buttons.append((", ".join(equal_names), list(equal_gains)))
        return buttons

    def presets(self) -> dict[str, list[Number]]:
        """The gains of `levels` under each named weighting that has a gain for all of them.

        `weightings` come first. The last one, for several levels, is that of a user whom the
        highest level alone interests.
        """
        gains = dict(self.weightings)
        for name, preset in PRESETS.items():
            if all(level in preset for level in self.levels):
                gains[name] = [preset[level] for level in self.levels]
        for name in (LINEAR, EXP):
            with suppress(GradedError):  # 2^level − 1 has no number for high levels
                gains[name] = gains_of_levels(self.levels, name)
        *lower, highest = self.levels
        if lower:
            only_highest: list[Number] = [0] * len(lower)
            gains[f"only level {highest}"] = [*only_highest, 1]
        return gains


def what_if(
    study: Study,
    measure: Measure,
    colours: Mapping[str, str] | None = None,
    weightings: Mapping[str, Gains] | None = None,
) -> WhatIf | None:
    """The what-if page's content for the runs of a study. `measure` is the setting at first,
    `weightings` are offered besides the presets, and `colours` are those of runs in the figure
    beside the sliders.

    A measure that the page does not compute is replaced by nDCG_JK with the same gains and cutoff.
    None if the page cannot show these data: if the measure has no gains or an option for ties or
    unjudged documents, if not all topics count as the measure defines, if a level of 0 or below has
    a gain, or if there are no levels above 0, fewer than two runs, more than 12 levels above 0, or
    more than 20,000 lists.
    """
    plain_levels = sliders_of(study, measure)
    if not plain_levels:
        return None
    levels = np.array(plain_levels, dtype=float)
    gains = gains_of(measure)
    first = _offered(measure)
    cutoff = first.params.get("cutoff") or DEPTH
    is_condensed = bool(measure.params.get("judged_only"))
    lists = [_lists(run.ranks, levels, is_condensed) for run in study.runs]
    names = [run.name for run in study.runs]
    parameters = {name: first[name] for name in OFFERED[first.NAME]}
    gains_by_name = {}
    for name, weighting in (weightings or {}).items():
        gains_by_name[name] = gains_of_levels(plain_levels, weighting)
    return WhatIf(
        runs=tuple(names),
        levels=plain_levels,
        judged=_judged_by_level(study, levels),
        lists=tuple(lists),
        measure=first.NAME,
        parameters=parameters,
        cutoff=min(cutoff, DEPTH),
        gains=tuple(gains_of_levels(plain_levels, gains)),
        reference=_reference(measure, first),
        weightings=gains_by_name,
        is_condensed=is_condensed,
        command=_command(study),
        colours=colours or {},
    )


def sliders_of(study: Study, measure: Measure) -> tuple[Number, ...]:
    """The levels above 0, whose gains a reader can change; none where `what_if` has no page."""
    if why_no_sliders(study, measure):
        return ()
    all_levels = np.unique(study.judgments.documents.level)
    return tuple(map(plain_number, all_levels[all_levels > 0].tolist()))


def why_no_sliders(study: Study | None, measure: Measure) -> str:
    """Why a reader cannot change the gains of the levels, as the end of a sentence; empty if a
    reader can."""
    if study is None:
        return "values do not tell at which ranks the judged documents are"
    if "gains" not in measure.SUPPORTED_PARAMS:
        if is_err(measure):
            return f"{measure} takes no gains; {graded_err(measure)} has the same formula and does"
        return f"{measure} takes no gains of levels"
    for option in ("ties", "unjudged"):
        if measure.params.get(option):
            return f"{measure} has the option {option}"
    if study.judgments.sessions:
        return "topics are in sessions"
    if not study.judgments.counting.is_plain:
        return "topics have weights or are left out"
    judged = study.judgments.documents
    if judged.conflict:
        return "a document of a topic has several levels"
    lists = len(study.runs) * len(judged.topics)
    if len(study.runs) < 2:
        return "one run has no order"
    if lists > MOST_LISTS:
        return f"{lists:,} lists (runs × topics) are more than the {MOST_LISTS:,} of a page"
    all_levels = np.unique(judged.level)
    levels = all_levels[all_levels > 0]
    if not levels.size:
        return "no document has a level above 0"
    if levels.size > MOST_LEVELS:
        return f"there are more than {MOST_LEVELS} levels above 0"
    if gain_of(all_levels[all_levels <= 0], gains_of(measure)).any():
        return f"{measure} gives a gain to a level that is not above 0"
    return ""


def _offered(measure: Measure) -> Measure:
    """The measure, or nDCG_JK at its cutoff if the page does not compute it."""
    if measure.NAME in OFFERED:
        offered = {*GAINS_BY, "cutoff", "judged_only", *OFFERED[measure.NAME]}
        if measure.params.keys() <= offered:
            return measure
    cutoff = measure.params.get("cutoff")
    standard = parse_measure(STANDARD)
    return standard if cutoff is None else standard @ cutoff


def _reference(measure: Measure, first: Measure) -> str:
    """The setting at first, as a sentence names it: the measure, or what stands for it."""
    cutoff = measure.params.get("cutoff")
    depth = "" if cutoff and cutoff <= DEPTH else f", down to rank {DEPTH}"
    if first is measure:
        return f"{measure} as named{depth}"
    return f"{first} with the gains of {measure}{depth}"


def gains_of_levels(levels: Sequence[Number], gains: Gains) -> list[Number]:
    """The gains of levels as numbers that JSON can represent."""
    values = gain_of(np.array(levels, dtype=float), gains)
    return [plain_number(value) for value in values.tolist()]


def _judged_by_level(study: Study, levels: np.ndarray) -> np.ndarray:
    """The number of judged documents of each topic at each of the levels (topics × levels)."""
    judged = study.judgments.judged
    topics = len(judged.topics)
    counts = [
        np.bincount(judged.topic[judged.level == level], minlength=topics) for level in levels
    ]
    return np.stack(counts, axis=1)


def _lists(ranks: JudgedRanks, levels: np.ndarray, is_condensed: bool) -> tuple[str, ...]:
    """The text of each topic: the level at each of the first ranks, without the empty ranks at its
    end."""
    if is_condensed:
        ranks = ranks.condensed
    level = ranks.judged.level[ranks.doc]
    is_shown = (level > 0) & (ranks.rank <= DEPTH)
    letters = np.array([NOTHING, *ascii_lowercase[: levels.size]], dtype="U1")
    table = np.zeros((len(ranks.judged.topics), DEPTH), dtype=np.int64)
    columns = ranks.rank[is_shown] - 1
    table[ranks.topic[is_shown], columns] = 1 + np.searchsorted(levels, level[is_shown])
    return tuple("".join(row).rstrip(NOTHING) for row in letters[table].tolist())


def _command(study: Study) -> str:
    """The command that evaluates the runs, up to the measure; placeholders for data in memory."""
    words = ["ir_measures_graded", "evaluate", study.judgments.name or "QRELS"]
    words_of_runs = _words_of(study.runs)
    names = without_folders([words[-1], *_files_of(study.runs)])
    words[-1] = names[words[-1]]
    words_of_runs = with_names(words_of_runs, names)
    levels = named_levels()
    if levels:
        pairs = [f"{word}:{plain_number(level)}" for word, level in levels.items()]
        words_of_runs += ["--levels", ",".join(pairs)]
    line = shlex.join([*words, *words_of_runs])
    return line.replace(shlex.quote(PLACEHOLDER), PLACEHOLDER)


def _files_of(runs: Sequence[Run]) -> list[str]:
    """The paths of the files of runs."""
    files = [run.source.file for run in runs if isinstance(run.source, RunFile)]
    return [os.fspath(file) for file in files if isinstance(file, (str, os.PathLike))]


def _words_of(runs: Sequence[Run]) -> list[str]:
    """The files of the runs, and the options with which they are read; a placeholder if they are in
    memory, many, or read with several options.
    """
    words: list[str] = []
    options: list[list[str]] = []
    for run in runs:
        source = run.source
        if not isinstance(source, RunFile) or not isinstance(source.file, (str, os.PathLike)):
            return [PLACEHOLDER]
        word = str(os.fspath(source.file))
        is_of_table = source.run is not None
        if not is_of_table and run.name not in short_names(word):
            word = f"{run.name}={word}"
        if not is_of_table or word not in words:
            words.append(word)
        options.append(_options_of(run, source))
    is_alike = all(of_run == options[0] for of_run in options)
    if not is_alike or len(words) > MOST_NAMED_RUNS:
        return [PLACEHOLDER]
    return words + options[0]


def _options_of(run: Run, source: RunFile) -> list[str]:
    """The options of a command that reads the run as it was read."""
    options: list[str] = []
    if source.is_ascending:
        options.append("--ascending")
    if source.run_column is not None:
        options += ["--run_column", source.run_column]
    if source.names_of_columns:
        columns = [f"{ours}={theirs}" for ours, theirs in source.names_of_columns]
        options += ["--columns", ",".join(columns)]
    if run.in_order_given:
        options += ["--ties", "given"]
    if run.ignore_identical_ids:
        options.append("--ignore_identical_ids")
    return options

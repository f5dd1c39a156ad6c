"""The measure strings of definitions, and the definitions of measure strings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import product

import numpy as np
from ir_measures import Measure

from ...core.ranking.gains import Number, plain_number
from ...core.registry.facts import with_options
from ...core.registry.notation import parse_measure
from ...errors import NotApplicableError
from .case import Case
from .dimensions import (
    ALL_RANKS,
    BEST,
    DESCENDING,
    EVERY,
    JUDGED_ONLY,
    MEAN,
    QRELS_TOPICS,
    ROUNDED,
    SINGLE,
    WORST,
    Definition,
    LogFrom,
    Space,
)
from .formulas import WITHOUT_STRING, at_cutoff, equal_string, family
from .tools import HERE, TOOLS, admits

TIES = {MEAN.text: "mean", WORST.text: "min", BEST.text: "max"}
"""The parameter `ties` of a measure for orders of tied documents that are no sort."""


class MeasureStrings:
    """The measure strings of the definitions in a space, for the levels of some qrels."""

    def __init__(self, case: Case, space: Space):
        self.case = case
        self.space = space

    def string(self, definition: Definition, tool: Mapping[str, str]) -> Measure | None:
        """The measure string of a row in the table that is nearest to a definition."""
        metric = tool["metric"].replace("@{k}", "")
        metric = metric.replace("{gains}", self._gains_in_string(definition))
        metric = metric.replace("{b}", self._base_in_string(definition))
        string = equal_string(definition.measure, self.levels_above_0)
        if string.partition("(")[0] in WITHOUT_STRING:
            return None
        measure = parse_measure(metric or string)
        is_judged_only = definition.documents == JUDGED_ONLY.text
        if is_judged_only and "judged_only" in measure.SUPPORTED_PARAMS:
            measure = type(measure)(**measure.params, judged_only=True)
        if definition.order in TIES:
            with suppress(NotApplicableError):
                measure = with_options(measure, {"ties": TIES[definition.order]})
        return at_cutoff(measure, definition.cutoff)

    def definition_of(self, measure: Measure) -> Definition | None:
        """The definition of a measure string, in trec_eval's order; None if none that is tried
        is."""
        cutoff = str(measure.params.get("cutoff", ALL_RANKS))
        params = {name: value for name, value in measure.params.items() if name != "cutoff"}
        uncut = str(type(measure)(**params))
        usual = Definition(
            measure=uncut,
            cutoff=cutoff,
            order=DESCENDING.text,
            precision=SINGLE.text,
            documents=EVERY.text,
            averaged=QRELS_TOPICS.text,
            shown=ROUNDED.text,
        )
        for definition, tool in self._weighted(usual):
            if self.string(definition, tool) == measure:
                return definition
        return usual if uncut in self.space["measure"] else None

    def _weighted(self, usual: Definition) -> Iterator[tuple[Definition, dict[str, str]]]:
        """The nDCG and DCG that have a measure string here, with the row of the string in the
        table."""
        for tool in TOOLS:
            if not tool["discount"] or tool["known"] != HERE:
                continue
            if tool["measure"] != family(usual.measure):
                continue
            if (tool["cutoff"] == ALL_RANKS) != (usual.cutoff == ALL_RANKS):
                continue
            for gain, discount in product(self.space["gain"], self.space["discount"]):
                if admits(tool["gain"], gain) and admits(tool["discount"], discount):
                    same = {name: tool[name] for name in ("measure", "ideal", "nothing")}
                    yield usual._replace(gain=gain, discount=discount, **same), tool

    def _gains_in_string(self, definition: Definition) -> str:
        """The gains of a definition as in a measure string, ``1:1,2:3``."""
        levels = np.array(self.levels_above_0, dtype=float)
        gains = levels
        if definition.gain in self.space["gain"]:
            gains = self.space["gain"][definition.gain].apply(levels)
        pairs = zip(self.levels_above_0, map(plain_number, gains.tolist()), strict=True)
        return ",".join(f"{level}:{gain}" for level, gain in pairs)

    @cached_property
    def levels_above_0(self) -> list[Number]:
        """The levels of the qrels above 0."""
        levels = np.unique(self.case.judged.all_levels)
        return [plain_number(level) for level in levels[levels > 0].tolist()]

    def _base_in_string(self, definition: Definition) -> str:
        """The base of the logarithm of a definition's discount; empty if it has none."""
        base = self.base(definition)
        return "" if base is None else str(base)

    def base(self, definition: Definition) -> float | None:
        """The base of the logarithm up to which a definition discounts nothing; None if it has no
        such base."""
        if definition.discount not in self.space["discount"]:
            return None
        discount = self.space["discount"][definition.discount].apply
        return discount.base if isinstance(discount, LogFrom) else None

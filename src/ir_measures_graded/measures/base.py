"""The base classes of all graded measures, built-in or from plugins.

A measure consists of a declaration, a docstring, and one short method. `GradedMeasure` computes all topics
at once with arrays, `TopicMeasure` one topic at a time. Both handle parameters, canonical names, gains,
cutoffs, condensed lists, missing topics and every input form.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

import ir_measures
import numpy as np

from ..by_topic import mean_over_topics
from ..errors import GradedError, shown
from ..ranking.gains import LINEAR
from .holes import extreme_in_order
from .parameters import ORDERS, UNJUDGED, Choice, Count, Flag, Gains, Parameter
from .ties import ordered
from .topics import GainList, Topic, Topics


class GradedMeasure(ir_measures.Measure):
    """A measure over graded judgments that computes all topics at once: override `values`.

    Declare `NAME`, `PRETTY_NAME`, `SHORT_DESC` and `PARAMETERS` (name to `Parameter`); declare `ALIASES`,
    `CUTOFF`, `GAINS` and `JUDGED_ONLY` (their defaults), `DEFAULT` and `SMALLER_IS_BETTER` if they differ
    from the values below. `gains`, `judged_only` and `cutoff` are added to the parameters. Listings of
    measures show the docstring's fields `:formula:`, `:undefined:` and `:source:`; the documentation also
    shows `:tex:` (the formula in TeX) and `:range:` (of the values, as ``[0, 1]``).

    Instances are immutable and hold every value in one canonical form. They are equal, hash alike and print
    alike exactly if they compute the same; `parse_measure(str(m)) == m`. Calling an instance changes
    parameters, `@` sets the cutoff. Unknown parameters and values out of range raise `GradedError`.
    """

    ALIASES: ClassVar[tuple[str, ...]] = ()
    PRETTY_NAME: ClassVar[str] = ""
    SHORT_DESC: ClassVar[str] = ""
    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {}
    CUTOFF: ClassVar[bool] = True
    GAINS: ClassVar[str] = LINEAR
    JUDGED_ONLY: ClassVar[bool] = False
    SMALLER_IS_BETTER: ClassVar[bool] = False
    TIES: ClassVar[tuple[str, ...]] = ()
    """Those of 'mean', 'min' and 'max' that the option `ties` accepts besides 'docid'. 'min' and 'max' order
    tied documents by `merit`; `values` must compute 'mean' itself."""
    UNJUDGED: ClassVar[bool] = False
    """Whether the measure has the option `unjudged`; see `over_judgments`."""
    RECALL_BASE: ClassVar[bool] = True
    """Whether judged documents that a run did not retrieve affect its value."""
    DEFAULT: Any = 0.0
    """The value of an empty ranking; None if it depends on the topic (and is computed)."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls.SUPPORTED_PARAMS = {
            **cls.PARAMETERS,
            **({"ties": Choice("docid", *cls.TIES, default="docid", desc=ORDERS)} if cls.TIES else {}),
            **({"unjudged": UNJUDGED} if cls.UNJUDGED else {}),
            "gains": Gains(default=cls.GAINS),
            "judged_only": Flag(
                default=cls.JUDGED_ONLY, desc="remove unjudged documents before ranks are counted"
            ),
        }
        if cls.CUTOFF:
            cls.SUPPORTED_PARAMS["cutoff"] = Count(default=None, desc="evaluate only the first k ranks")

    def __init__(self, **params: Any):
        super().__init__()
        for name in params.keys() - self.SUPPORTED_PARAMS.keys():
            raise GradedError(self._unknown(name))
        for name, parameter in self.SUPPORTED_PARAMS.items():
            value = params.get(name)
            if name not in params or (value is None and parameter.default is None):
                continue
            try:
                value = parameter.canonical(value)
            except (TypeError, ValueError) as error:
                reason = f" ({error})" if str(error) else ""
                raise GradedError(
                    f"{self.NAME}: {name}={shown(value)} is not allowed{reason}; "
                    f"{name} is {parameter.allowed()}"
                ) from None
            if value != parameter.default:
                self.params[name] = value
        if reason := self.refusal():
            raise GradedError(f"{self.NAME}: {reason}")
        self._text = super().__repr__()
        self.validated = True

    def values(self, topics: Topics) -> np.ndarray:
        """The values of all topics: an array of `topics.count` finite floats."""
        raise NotImplementedError

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        """The value of each topic with the cutoffs 1 … `depth` (T × depth); `topics` have no cutoff.

        This implementation computes one cutoff after the other and works for every measure with a cutoff.
        Override it if one pass over the ranks gives all values.
        """
        cutoffs = range(1, depth + 1)
        return np.column_stack([(self @ cutoff).values(topics.cut(cutoff)) for cutoff in cutoffs])

    def evaluated(self, topics: Topics) -> np.ndarray:
        """The reported value of each topic, under the options `ties` and `unjudged` (T)."""
        if self._option("unjudged"):
            return self.over_judgments(topics, highest=self["unjudged"] == "max")
        return self.values(self.in_order(topics))

    def evaluated_curve(self, topics: Topics, depth: int) -> np.ndarray:
        """`evaluated` with the cutoffs 1 … `depth` (T × depth); `topics` are uncut."""
        if self._option("unjudged"):
            return np.column_stack([(self @ k).evaluated(topics.cut(k)) for k in range(1, depth + 1)])
        return self.curve(self.in_order(topics), depth)

    def contributions(self, topics: Topics) -> GainList | None:
        """The amount that each document of the run's list adds to the value, in place of its gain. Documents
        without an entry add nothing. None if the value is not a sum over documents."""
        return None

    def in_order(self, topics: Topics) -> Topics:
        """The topics in the order of tied documents that ties='min' or 'max' asks for."""
        if not self._option("ties") or self["ties"] == "mean":
            return topics
        merit = self.merit(topics)
        ranks = ordered(topics.ranks, merit if self["ties"] == "max" else -merit)
        return Topics(ranks, topics.gains, topics.cutoff)

    def merit(self, topics: Topics) -> np.ndarray:
        """The merit of each of the H judged documents of `topics.ranks`. The value is highest if tied
        documents are in descending order of their merit. Unjudged documents have the merit 0."""
        return topics.whole_run.gain

    def over_judgments(self, topics: Topics, highest: bool) -> np.ndarray:
        """The highest or lowest value of each topic (T) over all judgments of its unjudged documents within
        the cutoff. Each may gain 0 or what any level of the collection gains.

        This evaluates only judgments that give higher gains to earlier documents (for the highest value) or
        to later ones (for the lowest). This is correct for measures whose value never falls when two
        documents, at any distance, change places so that the better one stands higher.
        """
        return extreme_in_order(topics, self.values, highest)

    def difference_over_judgments(
        self, one: Topics, other: Topics, shared: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """The lowest and the highest difference (T each) of two runs' values over all judgments of the
        documents that either has unjudged within the cutoff; None if it is not known.

        `shared` are the numbers of the holes of `one` and of `other` that hold the same document.
        """
        return None

    def refusal(self) -> str:
        """The reason why these parameters cannot be combined; empty if they can."""
        if not self._option("unjudged"):
            return ""
        given = f"unjudged={self['unjudged']!r}"
        if self["judged_only"]:
            return f"judged_only=True leaves out the documents that {given} is about; use one of the two"
        if self._option("ties"):
            return f"{given} and ties={self['ties']!r} cannot be combined; use one of the two"
        return ""

    def with_option(self, name: str, word: str) -> GradedMeasure | None:
        """This measure with the option `ties` or `unjudged`; None if it does not have the option."""
        if not (word in self.TIES if name == "ties" else self.UNJUDGED):
            return None
        try:
            return self(**{name: word})
        except GradedError:
            return None

    def _option(self, name: str) -> bool:
        """Whether the option `ties` or `unjudged` is set."""
        offered = {"ties": self.TIES, "unjudged": self.UNJUDGED}
        return bool(offered[name]) and name in self.params

    @property
    def needs_all_topics(self) -> bool:
        """Whether the value of a topic depends on the judgments of the other topics, with these parameters.

        Declare it if a measure uses `possible_gains`, so that engines that distribute topics take care.
        """
        return self._option("unjudged")

    @property
    def smaller_is_better(self) -> bool:
        """Whether smaller values are better, with these parameters."""
        return self.SMALLER_IS_BETTER

    def aggregator(self) -> ir_measures.MeanAgg:
        return OrderlessMean()

    @classmethod
    def doc_field(cls, field: str) -> str:
        """A field of the docstring, such as `formula`, on one line; empty if there is none."""
        text = inspect.cleandoc(cls.__doc__ or "")
        found = re.search(rf"^:{field}:(.*(?:\n[ ]+.*)*)", text, re.MULTILINE)
        return " ".join(found[1].split()) if found else ""

    def _unknown(self, name: str) -> str:
        if name == "cutoff":
            return f"{self.NAME} has no cutoff: it reads the whole list; leave out @"
        close = get_close_matches(name, self.SUPPORTED_PARAMS, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        return (
            f"{self.NAME} has no parameter {shown(name)}{hint}; it takes {', '.join(self.SUPPORTED_PARAMS)}"
        )

    def validate_params(self) -> None:
        """Do nothing: the constructor has validated the parameters."""

    def __repr__(self) -> str:
        return self._text

    @property
    def __name__(self) -> str:
        return str(self.NAME)


class TopicMeasure(GradedMeasure):
    """A measure over graded judgments that computes one topic at a time: override `value`."""

    def value(self, topic: Topic) -> float:
        """The value of one topic, a finite number."""
        raise NotImplementedError

    def values(self, topics: Topics) -> np.ndarray:
        return np.fromiter(map(self._checked, topics), np.float64, topics.count)

    def _checked(self, topic: Topic) -> float:
        try:
            return float(self.value(topic))
        except GradedError:
            raise
        except Exception as error:
            raise TopicError(topic.name, f"{type(error).__name__}: {error}") from error


class OrderlessMean(ir_measures.MeanAgg):
    """The mean, rounded once: the order of the topics cannot change its last bit."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        return float(mean_over_topics(np.array(self.values))) if self.values else self.default


class TopicError(Exception):
    """A `TopicMeasure` failed on a topic."""

    def __init__(self, topic: str, message: str):
        super().__init__(message)
        self.topic = topic

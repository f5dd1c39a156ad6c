"""The base classes of all graded measures, built-in or from plugins.

A measure consists of a declaration, a docstring, and one short method. `GradedMeasure` computes all
topics at once with arrays, `TopicMeasure` one topic at a time. Both handle parameters, canonical
names, gains, cutoffs, condensed lists, missing topics and every input form. `MaxGainMeasure`,
`TopGainMeasure` and `collection_size` are for parameters whose default comes from the judgments.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import ir_measures
import numpy as np

from ...docstrings import field_of, summary_of
from ...errors import GradedError, NotApplicableError, did_you_mean, shown
from ..by_topic import mean_over_topics
from ..ranking.gains import LINEAR, gains_in_place_of, plain_number
from ..ranking.gains import Gains as Weighting
from ..ranking.judged import Judged
from ..ranking.ranks import JudgedRanks
from .parameters import (
    CUTOFF,
    JUDGED_ONLY,
    NEEDED_CUTOFF,
    ORDERS,
    UNJUDGED,
    Choice,
    Flag,
    Gains,
    Parameter,
)
from .topics import GainList, StopSteps, Topic, Topics, topics_of

Own = TypeVar("Own", bound="GradedMeasure")
LEAST_IN_GEOMETRIC_MEAN = 1e-5
"""trec_eval's MIN_GEO_MEAN, the least value in a geometric mean."""
EXTREMES = ("min", "max")
IN_ORDER = "in the order of the gains"
ALL_OR_NONE = "all unjudged documents have the highest gain, or none gains"
BY_THRESHOLD = "a quotient of sums of weights by threshold"
BY_PRECISION = "a quotient of precisions by threshold"
BY_BEST_GAIN = "a mean over the highest gain of the topic"
AT_RELEVANT = "all numbers of documents of each gain"
BY_RECALL_BASE = "a sum over the cutoff and the number of relevant documents"
NO_EXTREMES = "the least and the greatest value are not computed over the"


@lru_cache(typed=True)
def _orders(*words: str) -> Choice:
    """The option `ties` of the measures that have these values besides 'docid'."""
    return Choice("docid", *words, default="docid", desc=ORDERS)


@lru_cache(typed=True)
def _judged_only(default: bool) -> Flag:
    """The parameter `judged_only` of the measures with this default."""
    return Flag(default=default, desc=JUDGED_ONLY)


def options(cls: "type[GradedMeasure]") -> dict[str, Parameter | None]:
    """The parameters that every measure has besides its own; None if a measure is declared
    without.
    """
    ties = _orders(*cls.TIES) if cls.TIES else None
    unjudged = UNJUDGED if cls.UNJUDGED else None
    gains = Gains(default=cls.GAINS) if cls.HAS_GAINS else None
    cutoff = None
    if cls.CUTOFF:
        cutoff = NEEDED_CUTOFF if cls.CUTOFF_REQUIRED else CUTOFF
    return {
        "ties": ties,
        "unjudged": unjudged,
        "gains": gains,
        "judged_only": _judged_only(cls.JUDGED_ONLY),
        "cutoff": cutoff,
    }


class GradedMeasure(ir_measures.Measure):
    """A measure over graded judgments that computes all topics at once: override `values`.

    Declare `PARAMETERS` (name to `Parameter`), and `NAME` unless it is the name of the class
    without a leading underscore. The docstring begins with the title and a description, as in
    ``Cumulated gain: The gain …``; `PRETTY_NAME` and `SHORT_DESC` can replace it. Declare
    `ALIASES`, `GAINS` and `JUDGED_ONLY` (their defaults), and the facts below, if they differ. The
    function `options` adds the parameters of all measures. Listings of measures show the
    docstring's fields `:formula:`, `:undefined:` and `:source:`; the documentation also shows
    `:tex:` (the formula in TeX) and `:range:` (of the values, as ``[0, 1]``).

    Instances are immutable and hold every value in one canonical form. They are equal, hash alike
    and print alike exactly if they compute the same; `parse_measure(str(m)) == m`. Calling an
    instance changes parameters, `@` sets the cutoff. Unknown parameters and values out of range
    raise `GradedError`.

    These class attributes are facts about a measure:

    - `DEFAULT`: the value of an empty ranking; None if it depends on the topic (and is computed).
    - `CUTOFF`: whether the measure can have a cutoff; `CUTOFF_REQUIRED`: whether it needs one.
    - `HAS_GAINS`: whether the measure has the parameter `gains`; without it, define `weighting`.
    - `SMALLER_IS_BETTER`: whether smaller values are better; with parameters, override
      `smaller_is_better`.
    - `TIES`: the values of the option `ties` besides 'docid', some of 'mean', 'min' and 'max'. The
      package `uncertainty` computes them. Declare 'min' and 'max' only if a value is extreme if
      tied documents are in the order of their gains.
    - `UNJUDGED`: whether the measure has the option `unjudged`; if not, `NO_UNJUDGED` may be the
      reason. Without further code, a value must never fall when two documents, at any distance,
      change places so that the better one stands higher.
    - `RISES`: whether a value never falls if the gain of a retrieved document rises. Then the
      extremes over all judgments are those in which all unjudged documents have the highest gain,
      or none.
    - `INTENTS`: whether the measure evaluates the judgments for the intents of a topic.
    - `RECALL_BASE`: whether judged documents that a run did not retrieve affect its value.
    - `LINEAR`: whether the value is Σ `rank_weights` · gain over the run's list, perhaps divided by
      the same sum over an ideal list, or the mean of such values over ranks. Only a `GainSum` can
      be linear.
    """

    ALIASES: ClassVar[tuple[str, ...]] = ()
    PRETTY_NAME: ClassVar[str] = ""
    SHORT_DESC: ClassVar[str] = ""
    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {}
    CUTOFF: ClassVar[bool] = True
    CUTOFF_REQUIRED: ClassVar[bool] = False
    HAS_GAINS: ClassVar[bool] = True
    GAINS: ClassVar[str | None] = LINEAR
    JUDGED_ONLY: ClassVar[bool] = False
    SMALLER_IS_BETTER: ClassVar[bool] = False
    TIES: ClassVar[tuple[str, ...]] = ()
    UNJUDGED: ClassVar[bool] = False
    NO_UNJUDGED: ClassVar[str] = ""
    RISES: ClassVar[bool] = False
    INTENTS: ClassVar[bool] = False
    RECALL_BASE: ClassVar[bool] = True
    LINEAR: ClassVar[bool] = False
    DEFAULT: Any = 0.0

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls.NAME = vars(cls).get("NAME", cls.__qualname__.rpartition(".")[2].removeprefix("_"))
        summary = summary_of(cls)
        title, colon, description = summary.partition(": ")
        has_own_texts = bool({"PRETTY_NAME", "SHORT_DESC"} & vars(cls).keys())
        if colon and not has_own_texts:
            cls.PRETTY_NAME = title
            cls.SHORT_DESC = description
        elif summary and not has_own_texts:
            # Otherwise the class would have the title of its base class.
            cls.PRETTY_NAME = ""
            cls.SHORT_DESC = summary
        offered = {name: parameter for name, parameter in options(cls).items() if parameter}
        cls.SUPPORTED_PARAMS = {**cls.PARAMETERS, **offered}

    def __init__(self, **params: Any):
        super().__init__()
        unknown = [name for name in params if name not in self.SUPPORTED_PARAMS]
        if unknown:
            raise GradedError(self._unknown(unknown[0], params))
        for name, parameter in self.SUPPORTED_PARAMS.items():
            value = params.get(name)
            if name not in params or (value is None and parameter.default is None):
                continue
            canonical = self._canonical(name, parameter, value)
            if canonical != self.unset(name):
                self.params[name] = canonical
        reason = self.refusal()
        if reason:
            raise GradedError(f"{self.__name__}: {reason}")
        self._text = super().__repr__()
        self.validated = True

    def _canonical(self, name: str, parameter: Parameter, value: Any) -> Any:
        """The stored form of a value; raises `GradedError` with the reason if it is not allowed."""
        try:
            return parameter.canonical(value)
        except (TypeError, ValueError) as error:
            reason = str(error)
            if name == "ties" and str(value) in EXTREMES:
                reason = f"{NO_EXTREMES} orders of tied documents"
            remark = f" ({reason})" if reason else ""
            raise GradedError(
                f"{self.__name__}: {name}={shown(value)} is not allowed{remark}; {name} is "
                f"{parameter.allowed}"
            ) from None

    def __call__(self: Own, *args: Any, **params: Any) -> Own:
        """The measure with these values of parameters in place of its own."""
        if args:
            raise GradedError(
                f"{self.__name__}: {shown(args[0])} has no name; give parameters by name, as in "
                f"{self.__name__}(gains='exp'), and a cutoff with @, as in {self.__name__}@10"
            )
        changed: Own = super().__call__(**params)
        return changed

    def unset(self, name: str) -> Any:
        """The value of a parameter that is not given."""
        return self.SUPPORTED_PARAMS[name].default

    def __getitem__(self, name: str) -> Any:
        return self.params[name] if name in self.params else self.unset(name)

    def values(self, topics: Topics) -> np.ndarray:
        """The values of all topics: an array of `topics.count` finite floats."""
        raise NotImplementedError("define values(self, topics)")

    def curve(self, topics: Topics, depth: int) -> np.ndarray:
        """The value of each topic with the cutoffs 1 … `depth` (T × depth); `topics` have no
        cutoff.

        This implementation computes one cutoff after the other and works for every measure with a
        cutoff. Override it if one pass over the ranks gives all values.
        """
        cutoffs = range(1, depth + 1)
        return np.column_stack([(self @ cutoff).values(topics.cut(cutoff)) for cutoff in cutoffs])

    def contributions(self, topics: Topics) -> GainList | None:
        """The amount that each document of the run's list adds to the value, in place of its gain.
        Documents without an entry add nothing. None if the value is not a sum over documents.
        """
        return None

    def stop_steps(self, topics: Topics) -> StopSteps | None:
        """The probabilities whose products the contributions are; None if the measure has no user
        who stops.
        """
        return None

    def refusal(self) -> str:
        """The reason why these parameters cannot be combined; empty if they can."""
        if not self.option("unjudged"):
            return ""
        option = f"unjudged={self['unjudged']!r}"
        if self["judged_only"]:
            return (
                f"judged_only=True leaves out the documents that {option} is about; use one of the "
                "two"
            )
        if self.option("ties"):
            return f"{option} and ties={self['ties']!r} cannot be combined; use one of the two"
        return ""

    @property
    def weighting(self) -> Weighting:
        """The gain of each level."""
        gains: Weighting = self["gains"]
        return gains

    def has_relevant(self, judged: Judged) -> np.ndarray:
        """Whether each topic has a document that is relevant by this measure (T).

        Such a document has a gain above 0. Override it if another one is relevant.
        """
        return judged.relevant(self.weighting) > 0

    def listed(self, ranks: JudgedRanks) -> JudgedRanks:
        """The list that the measure evaluates, in trec_eval's order."""
        return ranks.condensed if self["judged_only"] else ranks

    @property
    def ascends(self) -> bool:
        """Whether documents of equal score are in ascending order of their ids, and scores are
        compared as 64-bit floats.
        """
        return False

    def in_order(self, ranks: JudgedRanks) -> JudgedRanks:
        """The list with tied documents in the measure's own order, which is trec_eval's."""
        return ranks

    def view(self, ranks: JudgedRanks, cut: bool = True) -> Topics:
        """The run as the measure sees it, with its gains, its list and, if `cut`, its cutoff.

        Raises `GradedError` if the measure has no cutoff and needs one.
        """
        if cut:
            self.need_cutoff()
        cutoff = self["cutoff"] if cut and self.CUTOFF else None
        return topics_of(self.in_order(self.listed(ranks)), self.weighting, cutoff)

    def need_cutoff(self) -> None:
        """Raise `GradedError` if the measure has no cutoff and needs one."""
        if self.CUTOFF_REQUIRED and self["cutoff"] is None:
            name = self.__name__
            raise GradedError(f"{name} needs cutoff, {NEEDED_CUTOFF.allowed}, as in {name}@10")

    @property
    def ideal_documents(self) -> str:
        """The documents of the ideal list that divides a sum of gains: 'judged', 'retrieved' for
        those of the run's whole list, or empty if there is no such list or it is not known.
        """
        return ""

    def option(self, name: str) -> str:
        """The value of the option `ties` or `unjudged` if it is set; empty if it is not."""
        return str(self.params.get(name, ""))

    @property
    def extremes_by(self) -> str:
        """How the package `uncertainty` finds the extremes over judgments, one of the constants
        above.

        The classes of sums declare it. Other measures rise with each gain (`RISES`), or never fall
        when two documents change places so that the better one stands higher.
        """
        return ALL_OR_NONE if self.RISES else IN_ORDER

    @property
    def needs_all_topics(self) -> bool:
        """Whether the value of a topic depends on the judgments of the other topics, with these
        parameters.

        Declare it if a measure uses `possible_gains`, so that engines that distribute topics take
        care.
        """
        return bool(self.option("unjudged"))

    @property
    def smaller_is_better(self) -> bool:
        """Whether smaller values are better, with these parameters."""
        return self.SMALLER_IS_BETTER

    def aggregator(self) -> ir_measures.MeanAgg:
        return OrderlessMean()

    @classmethod
    def doc_field(cls, field: str) -> str:
        """A field of the docstring, such as `formula`, on one line; empty if there is none."""
        return field_of(cls, field)

    def _unknown(self, name: str, params: Mapping[str, Any]) -> str:
        if name == "cutoff":
            return f"{self.__name__} has no cutoff: it reads the whole list; leave out @"
        offered = ", ".join(self.SUPPORTED_PARAMS)
        if name not in options(type(self)):
            hint = did_you_mean(name, self.SUPPORTED_PARAMS)
            if name == "rel" and "gains" in self.SUPPORTED_PARAMS:
                gains = self.SUPPORTED_PARAMS["gains"].default
                hint = gains_in_place_of(params[name], self.__name__, params.get("cutoff"), gains)
            return f"{self.__name__} has no parameter {shown(name)}; it takes {offered}{hint}"
        refused = f"{self.__name__} has no option {shown(name)}; it takes {offered}"
        if name != "unjudged":
            return refused
        reason = self.NO_UNJUDGED or f"{NO_EXTREMES} judgments of unjudged documents"
        return f"{refused}; {reason}"

    def __repr__(self) -> str:
        return self._text

    @property
    def __name__(self) -> str:
        return str(self.NAME)


class MaxGainMeasure(GradedMeasure):
    """A measure with the parameter `max_gain`, by default the highest gain of the topic."""

    def given_max(self, topics: Topics) -> float | None:
        """`max_gain`, None if it is not set.

        Raises `NotApplicableError` if a judged document of the qrels has a higher gain.
        """
        max_gain = self["max_gain"]
        if max_gain is None:
            return None
        highest, topic, level = topics.ranks.judged.top(topics.gains)
        if highest > max_gain:
            raise NotApplicableError(
                f"{self}: topic {topic!r} has a document of level {level:g}, whose gain "
                f"{highest:g} is above max_gain; max_gain must be at least {plain_number(highest)}"
            )
        return float(max_gain)

    def perfect_gains(self, topics: Topics) -> np.ndarray:
        """The gain of a perfect document for each topic (T)."""
        return self.best(topics)

    def best(self, topics: Topics) -> np.ndarray:
        """The highest gain of each topic, or `max_gain` if it is set (T)."""
        max_gain = self.given_max(topics)
        if max_gain is None:
            return topics.best
        return np.full(topics.count, max_gain)


class TopGainMeasure(MaxGainMeasure):
    """A measure with the parameter `max_gain`, by default the highest gain of all topics of the
    qrels.

    This top gain stands for a perfect document. It is not the highest gain of a topic, because the
    value of a document would then depend on the other documents found for its topic.
    """

    GAINS = "exp"

    @property
    def needs_all_topics(self) -> bool:
        return super().needs_all_topics or self["max_gain"] is None

    def perfect_gains(self, topics: Topics) -> np.ndarray:
        return np.full(topics.count, self.top_gain(topics))

    def top_gain(self, topics: Topics) -> float:
        """H; raises `NotApplicableError` if `max_gain` is less than the gain of a judged
        document.
        """
        max_gain = self.given_max(topics)
        if max_gain is not None:
            return max_gain
        return float(topics.possible_gains.max(initial=0.0))


def collection_size(measure: GradedMeasure, topics: Topics) -> np.ndarray:
    """The parameter `docs` of the measure or, for each topic, the number of judged and retrieved
    documents.

    The numbers are floats, because products of whole numbers overflow for a large `docs`. Raises
    `GradedError` if a topic has more such documents than `docs`.
    """
    docs = measure["docs"]
    if docs is None:
        return topics.known.astype(np.float64)
    is_too_large = topics.known > docs
    if is_too_large.any():
        number = int(np.argmax(is_too_large))
        raise GradedError(
            f"{measure}: topic {topics.names[number]!r} has {topics.known[number]} judged and "
            "retrieved documents; docs, the size of the collection, must be at least that"
        )
    return np.full(topics.count, float(docs))


class TopicMeasure(GradedMeasure):
    """A measure over graded judgments that computes one topic at a time: override `value`.

    Raises `MeasureError` with the topic if `value` fails, and for a value that is not finite.

    >>> class FirstGain(TopicMeasure):
    ...     def value(self, topic):
    ...         return topic.gains[0]
    >>> FirstGain(gains="exp").calc_aggregate({"q": {"a": 2}}, {"q": {"a": 1.0}})
    3.0
    """

    # A measure without a docstring has neither a title nor a description.
    PRETTY_NAME = ""
    SHORT_DESC = ""

    def value(self, topic: Topic) -> float:
        """The value of one topic, a finite number."""
        raise NotImplementedError("define value(self, topic)")

    def values(self, topics: Topics) -> np.ndarray:
        values = np.empty(topics.count)
        for number, topic in enumerate(topics):
            try:
                value: Any = self.value(topic)
                if isinstance(value, (str, bytes)):
                    raise TypeError(f"{value!r} is not a number")
                values[number] = float(value)
            except GradedError:
                raise
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                raise MeasureError(f"failed for topic {shown(topic.name)}: {reason}") from error
        return values


class OrderlessMean(ir_measures.MeanAgg):
    """The mean, rounded once: the order of the topics cannot change its last bit."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        if not self.values:
            return self.default
        return float(mean_over_topics(np.array(self.values)))


class GeometricMean(OrderlessMean):
    """The geometric mean of values; none counts as less than `LEAST_IN_GEOMETRIC_MEAN`."""

    def result(self) -> float:
        if not self.values:
            return float(self.default)
        logarithms = np.log(np.maximum(self.values, LEAST_IN_GEOMETRIC_MEAN))
        return float(np.exp(mean_over_topics(logarithms)))


class ScoreError(GradedError):
    """A measure refuses the score at a `position` of `ranks.whole.score`; `topic` and `rule` say
    why.
    """

    def __init__(self, topic: str, position: int, rank: int, rule: str):
        super().__init__(f"{topic}, rank {rank} {rule}")
        self.topic = topic
        self.position = position
        self.rule = rule


class MeasureError(GradedError):
    """A measure failed, or returned something other than a finite number for each topic."""

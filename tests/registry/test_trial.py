"""The trial of a plugin's measure: wrong declarations are refused with the reason."""

import re

import numpy as np
import pytest

from ir_measures_graded import (
    AtRelevant,
    Choice,
    GainList,
    GradedError,
    GradedMeasure,
    NormalisedGainSum,
    TopicMeasure,
    gP,
    nERR,
    ratio,
)
from ir_measures_graded.core.measures import sessions
from ir_measures_graded.testing import problem


class OwnIdeal(NormalisedGainSum):
    """A share of the gains of the judged or of the retrieved documents, which is not declared."""

    PARAMETERS = {"ideal": Choice("all", "retrieved", default="all", desc="the ideal list")}

    def ideal(self, topics):
        if self["ideal"] == "all":
            return topics.ideal
        run = topics.whole_run
        order = np.lexsort((-run.gain, run.topic))
        ideal = GainList(topics.count, run.topic, run.number, run.gain[order])
        return ideal.where(ideal.rank <= (topics.cutoff or np.inf))


class UnknownIdeal(OwnIdeal):
    """The same, with the documents of the ideal list declared as not known."""

    @property
    def ideal_documents(self):
        return "judged" if self["ideal"] == "all" else ""


class KnownIdeal(OwnIdeal):
    @property
    def ideal_documents(self):
        return "judged" if self["ideal"] == "all" else "retrieved"


class Stop(AtRelevant):
    """A user who stops at a relevant document in proportion to its gain. Sorting is not extreme."""

    LIMIT = np.inf

    PARAMETERS = {"stop": Choice("gu", "rb", default="rb", desc="where users stop")}

    def stops(self, gain, topics):
        return gain if self["stop"] == "rb" else 1.0

    def achieved(self, number, gain):
        return number

    def possible(self, rank, topic, topics):
        return rank


SORTED = {"TIES": ("mean", "min", "max")}
SHY = {**SORTED, "stops": lambda self, gain, topics: 1 / (1 + gain)}


class Squares(NormalisedGainSum):
    """Gains normalised by the best of the topic, without a parameter max_gain."""

    SCALES = True
    LINEAR = False

    def scale_gain(self, gain, best):
        return ratio(gain, best) ** 2


class ByTop(GradedMeasure):
    def values(self, topics):
        return topics.run.total / topics.run.gain.max(initial=1)


class Found(GradedMeasure):
    RECALL_BASE = False

    def values(self, topics):
        return ratio(topics.run.total, topics.relevant)


class Curved(GradedMeasure):
    def values(self, topics):
        return topics.run.total

    def curve(self, topics, depth):
        return np.zeros((topics.count, depth))


class Fails(TopicMeasure):
    def value(self, topic):
        return 1 / 0


@pytest.mark.parametrize("measure", [UnknownIdeal(), KnownIdeal(), Stop(), Squares()], ids=str)
def test_right_declarations_pass(measure):
    assert problem(measure) == ""


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (
            OwnIdeal(),
            "ideal='retrieved'.*no ideal list of the judged documents; declare ideal_documents",
        ),
        (type("SortedStop", (Stop,), SORTED)(), "where .* is right"),
        (type("Shy", (AtRelevant,), SHY)(), "Shy.ties='min'.@2 is .* where .* is right"),
        (type("Rising", (type(nERR),), {"RISES": True})(), "where .* is right"),
        (
            type("LinearSquares", (Squares,), {"LINEAR": True})(),
            "is no weighted sum of gains; declare LINEAR = False",
        ),
        (type("OldRatio", (type(gP),), {"LINEAR": True})(), "is no weighted sum of gains"),
        (ByTop(), "depends on other topics; declare needs_all_topics"),
        (Found(), "depends on documents that are not retrieved; declare RECALL_BASE = True"),
        (Curved(), "has a curve that differs from the values"),
        (Fails(), "ZeroDivisionError: division by zero"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_declarations_are_refused(measure, reason):
    assert re.search(reason, problem(measure))


def test_an_ideal_list_of_unknown_documents_has_no_judgments():
    assert UnknownIdeal(unjudged="max")
    with pytest.raises(GradedError, match="declare ideal_documents"):
        UnknownIdeal(unjudged="max", ideal="retrieved")


def test_sessions_are_not_tried():
    assert [problem(measure) for measure in sessions.MEASURES] == ["", ""]

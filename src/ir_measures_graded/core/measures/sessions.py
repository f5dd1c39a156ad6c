"""Sessions of several queries: Järvelin et al. 2008, with the discounts of Kanoulas et al. 2011.

A session is a sequence of turns, each with a query and judgments of its own. Evaluation with the
option `sessions` turns the values of the turns into one value per session.

K. Järvelin, S. Price, L. Delcambre, M. Nielsen: Discounted cumulated gain based evaluation of
multiple-query IR sessions. ECIR 2008. E. Kanoulas, B. Carterette, P. Clough, M. Sanderson:
Evaluating multi-query sessions. SIGIR 2011.
"""

from typing import Any

import numpy as np

from ...errors import NotApplicableError
from ..ranking.gains import LINEAR
from .base import GradedMeasure
from .gain_sums import GainSum
from .parameters import Choice, Real
from .topics import Topics, share

FORM = Choice(
    "2008", "2011", default="2008", desc="the discounts of Järvelin et al. or of Kanoulas et al."
)
BASE = Real(default=2, above=1, desc="base of the logarithm that discounts ranks")
TURN_BASE = Real(default=4, above=1, desc="base of the logarithm that discounts turns")


class Turns:
    """The turns of S sessions; T topics are turns.

    `session` (T) has the number of the session of each turn, and `place` (T) the turn's place in
    it, from 1.
    """

    def __init__(self, session: np.ndarray, place: np.ndarray):
        self.session = session
        self.place = place

    @property
    def sizes(self) -> np.ndarray:
        """The number of turns of each session (S)."""
        return np.bincount(self.session)

    def total(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value per turn (T) over each session (S), added in the order of the turns.

        >>> Turns(np.array([0, 1, 0]), np.array([2, 1, 1])).total(np.array([1.0, 5.0, 2.0]))
        array([3., 5.])
        """
        order = np.lexsort((self.place, self.session))
        return np.bincount(self.session[order], weights=values[order])


def discount(number: np.ndarray, base: float, form: str) -> np.ndarray:
    """The divisor at a rank or at a turn.

    >>> discount(np.array([1, 2, 4]), 2, "2008"), discount(np.array([1, 3]), 2, "2011")
    (array([1., 2., 3.]), array([1., 2.]))
    """
    if form == "2008":
        return 1 + np.log(number) / np.log(base)
    return np.log(number + base - 1) / np.log(base)


class Turn(GainSum):
    """The discounted cumulated gain of one turn, whose ranks start at 1."""

    PARAMETERS = {"b": BASE, "discount": FORM}

    def discount(self, rank: np.ndarray) -> np.ndarray:
        return discount(rank, self["b"], self["discount"])


class SessionMeasure(GradedMeasure):
    """A measure with one value for each session: override `of_sessions`.

    It has no value for a topic. Evaluation computes its `turn` for each topic and combines the
    values.
    """

    GAINS = None
    PARAMETERS = {"b": BASE, "bq": TURN_BASE, "discount": FORM}

    def unset(self, name: str) -> Any:
        if name == "gains":
            return LINEAR if self["discount"] == "2008" else "exp"
        return super().unset(name)

    @property
    def turn(self) -> Turn:
        """The measure that is computed for each turn."""
        names = Turn.SUPPORTED_PARAMS.keys() & self.SUPPORTED_PARAMS.keys()
        return Turn(**{name: self[name] for name in names})

    def of_sessions(self, values: np.ndarray, turns: Turns, topics: Topics) -> np.ndarray:
        """The value of each session (S), from the value of `turn` for each turn (T).

        `topics` have the ideal lists of the turns.
        """
        raise NotImplementedError

    def sum_over_turns(self, values: np.ndarray, turns: Turns) -> np.ndarray:
        """The sum over each session (S) of a value per turn (T), divided by the discount of the
        turn.
        """
        return turns.total(values / discount(turns.place, self["bq"], self["discount"]))

    def values(self, topics: Topics) -> np.ndarray:
        raise NotApplicableError(
            f"{self.__name__} has a value for a session, not for a topic; evaluate, compare, "
            "power, gate and sensitivity compute it with sessions=True (--sessions)"
        )


class _sDCG(SessionMeasure):
    r"""Session discounted cumulated gain: The discounted cumulated gain of all turns of a session,
    in which later turns are discounted as well.

    :formula: Σ_q 1/(1 + log_bq q) · Σ_{i≤k} G_q[i]/(1 + log_b i); with discount='2011',
        Σ_q 1/log_bq(q + bq − 1) · Σ_{i≤k} G_q[i]/log_b(i + b − 1)
    :tex: \mathrm{sDCG} = \sum_{q} \frac{1}{1 + \log_{b_q} q} \sum_{i=1}^{k} \frac{G_q[i]}{1 +
        \log_b i}
    :range: [0, ∞)
    :undefined: 0 without relevant documents
    :source: Järvelin, Price, Delcambre & Nielsen 2008; Kanoulas, Carterette, Clough & Sanderson
        2011

    The measure needs the option `sessions` of evaluation. The rank starts again at 1 in each turn,
    and a cutoff cuts each turn. Without `gains`, the gain is the level for discount='2008' and
    2^level − 1 for discount='2011'. A document that is found in two turns counts in both.

    >>> from ir_measures_graded.analysis import evaluate
    >>> qrels = {"7_1": {"a": 2, "b": 1}, "7_2": {"d": 3}}
    >>> run = {"7_1": {"a": 2.0, "b": 1.0}, "7_2": {"x": 2.0, "d": 1.0}}
    >>> evaluate(qrels, {"mine": run}, [sDCG], sessions=True).to_dict()
    {'mine': {'sDCG': 3.5}}
    """

    def of_sessions(self, values: np.ndarray, turns: Turns, topics: Topics) -> np.ndarray:
        return self.sum_over_turns(values, turns)


class _nsDCG(SessionMeasure):
    r"""Normalised session discounted cumulated gain: Session discounted cumulated gain as a share
    of the same sum over the ideal list of each turn.

    :formula: sDCG / sDCG_I, sDCG_I the same sum over the ideal list I_q of each turn q
    :tex: \mathrm{nsDCG} = \frac{\mathrm{sDCG}}{\mathrm{sDCG}_I}
    :range: [0, 1]
    :undefined: 0 without relevant documents
    :source: Kanoulas, Carterette, Clough & Sanderson 2011

    The measure needs the option `sessions` of evaluation. Its parameters are those of `sDCG`. It is
    not the mean of the turns' normalised values: a turn with more relevant documents counts more.

    >>> from ir_measures_graded.analysis import evaluate
    >>> qrels = {"7_1": {"a": 2, "b": 1}, "7_2": {"d": 3}}
    >>> run = {"7_1": {"a": 2.0, "b": 1.0}, "7_2": {"x": 2.0, "d": 1.0}}
    >>> evaluate(qrels, {"mine": run}, [nsDCG], sessions=True).means().round(4)
    array([[0.7778]])
    """

    def of_sessions(self, values: np.ndarray, turns: Turns, topics: Topics) -> np.ndarray:
        ideal = self.turn.discounted(topics.ideal).total
        return share(self.sum_over_turns(values, turns), self.sum_over_turns(ideal, turns))


sDCG = _sDCG()
nsDCG = _nsDCG()
MEASURES = (sDCG, nsDCG)

"""Ranks against scores: whether a run seems to rank smaller scores first, as distances do.

Scores decide the order of documents, and ranks are not used. A run whose scores are distances is
then evaluated in reverse order, which only its ranks can show. A run whose scores are ranks shows
this without a column of ranks.
"""

from collections.abc import Iterable, Sequence

import numpy as np

SHARE = 0.9
"""The share of topics in reverse order from which on the run is said to be so."""
ROWS = 1 << 12
"""The rows that a sample has at most."""
STEPS = 4
"""The rows, without the first one of each topic, from which on scores are said to be ranks."""


class RankSample:
    """The ranks and scores of some rows of a run, by topic."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        self.ranks: list[float] = []
        self.scores: list[float] = []

    def add(self, topics: Iterable[str], ranks: Iterable[float], scores: Iterable[float]) -> None:
        """Add rows; a rank or a score of NaN is unknown."""
        self.topics += topics
        self.ranks += ranks
        self.scores += scores

    @property
    def is_full(self) -> bool:
        return len(self.topics) >= ROWS

    def counts(self) -> tuple[int, int]:
        """The counts of `reversed_topics`."""
        return reversed_topics(self.topics, self.ranks, self.scores)

    def remark(self, is_part: bool = False) -> str:
        """The remark that the ranks are in the reverse order of the scores; empty if they are not.

        It says so if the sample `is_part` of the rows only.
        """
        reverse, comparable = self.counts()
        if not comparable or reverse < SHARE * comparable:
            return ""
        share = f"{reverse:,} of {comparable:,} topics"
        if is_part:
            share += " among the first rows"
        return (
            f"the order by score is the reverse of the ranks in {share}, as with distances; if "
            "smaller scores are better, use --ascending (ascending=True)"
        )


def reversed_topics(
    topics: Sequence[str], ranks: Sequence[float], scores: Sequence[float]
) -> tuple[int, int]:
    """The number of topics whose scores rise with the ranks, and of those with differing ranks and
    scores.

    >>> reversed_topics(["q1", "q1", "q2", "q2"], [1, 2, 1, 2], [0.1, 0.3, 9.0, 8.0])
    (1, 2)
    """
    numbers: dict[str, int] = {}
    topic = np.array([numbers.setdefault(name, len(numbers)) for name in topics], dtype=np.int64)
    rank = np.array(ranks, dtype=np.float64)
    order = np.lexsort((rank, topic))
    topic = topic[order]
    rank = rank[order]
    score = np.array(scores, dtype=np.float64)[order]
    is_pair = (topic[1:] == topic[:-1]) & (rank[1:] > rank[:-1])
    is_larger = is_pair & (score[1:] > score[:-1])
    is_smaller = is_pair & (score[1:] < score[:-1])
    rises = np.zeros(len(numbers), bool)
    rises[topic[1:][is_larger]] = True
    falls = np.zeros(len(numbers), bool)
    falls[topic[1:][is_smaller]] = True
    reverse = np.count_nonzero(rises & ~falls)
    comparable = np.count_nonzero(rises | falls)
    return int(reverse), int(comparable)


def remark_on_counting(offsets: np.ndarray, scores: np.ndarray) -> str:
    """The remark that the scores of a run are ranks; empty if they are not.

    In nearly all topics of the first rows, they then are 1, 2, 3 … or 0, 1, 2 … in the order of the
    rows. `offsets` (T + 1) are the bounds of the topics. Scores of an engine fall, or are no such
    numbers, and so are ranks that were turned into scores, as the best one is then the largest.

    >>> remark_on_counting(np.array([0, 3, 6]), np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0]))[:39]
    'the scores are 1, 2, 3 … in the order o'
    >>> remark_on_counting(np.array([0, 3, 6]), np.array([3.0, 2.0, 1.0, 1.0, 2.0, 3.0]))
    ''
    """
    first_scores = scores[:ROWS]
    is_step = first_scores[1:] == first_scores[:-1] + 1
    # This alone tells the scores of nearly all runs.
    if 3 * np.count_nonzero(is_step) < first_scores.size or first_scores.size <= STEPS:
        return ""
    sizes = np.diff(np.minimum(offsets, first_scores.size))
    sizes = sizes[sizes > 0]
    starts = np.cumsum(sizes) - sizes
    lowest = first_scores[starts]
    expected = np.repeat(lowest - starts, sizes) + np.arange(first_scores.size)
    is_rank = np.logical_and.reduceat(first_scores == expected, starts)
    is_counting = is_rank & ((lowest == 0) | (lowest == 1)) & (sizes > 1)
    comparable = np.count_nonzero(sizes > 1)
    steps = np.sum(sizes[is_counting] - 1)
    if steps < STEPS or np.count_nonzero(is_counting) < SHARE * comparable:
        return ""
    example = "0, 1, 2 …" if lowest[is_counting].max() == 0 else "1, 2, 3 …"
    return (
        f"the scores are {example} in the order of the rows of a topic, as ranks are; if the "
        "smallest is the best, use --ascending (ascending=True)"
    )

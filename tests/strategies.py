"""Hypothesis strategies for valid qrels and runs with unusual ids, levels and scores."""

from typing import Any

from hypothesis import strategies as st

DOCS = ["a", "b", "ab", "B", "10", "9", "-1", "1e3", "é", "ñandú", "文書", "\uffff", "\U00010000", "d 1", ""]
"""Ids outside ASCII, ids that look like numbers, ids whose UTF-16 order differs from code point order."""

WHOLE = st.integers(-2, 4)
REAL = st.one_of(WHOLE, st.sampled_from([-0.5, 0.1, 0.25, 2 / 3, 1.2, 1.5, 2.718, 4.2, 5.2, 7.5, 100.0]))
INFINITE = [float("inf"), float("-inf")]
TIED_SCORES = st.sampled_from([0.0, -0.0, 1e-50, 0.1, 1.0, 1.0 + 1e-9, -3.5, 1e39, 1e300, -1e300, *INFINITE])
"""Scores of which some are equal as 32-bit floats only."""

UNIT_SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5 + 1e-9, 1.0])


def documents(values: st.SearchStrategy[Any], max_size: int = 10) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(DOCS), values, max_size=max_size)


def collections(
    levels: st.SearchStrategy[Any] = REAL,
    scores: st.SearchStrategy[Any] = TIED_SCORES,
    min_judged: int = 0,
) -> st.SearchStrategy[tuple[dict[str, Any], dict[str, Any]]]:
    """Qrels and a run with missing and additional topics, unjudged documents, ties and empty topics."""
    topics = st.sampled_from(["1", "02", "q", "θ"])
    judged = documents(levels).filter(lambda docs: len(docs) >= min_judged)
    return st.tuples(
        st.dictionaries(topics, judged, max_size=4), st.dictionaries(topics, documents(scores), max_size=4)
    )


GAINS = st.dictionaries(st.integers(-2, 5), st.sampled_from([0, 1, 2.5, 10, 100]), max_size=4)

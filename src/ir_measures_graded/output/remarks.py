"""Remarks as people read them: those that differ only in their share and subject become one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import EQUAL_SCORES, ON_COLUMNS, Remark
from .formats import listed

ALIKE = (ON_COLUMNS, EQUAL_SCORES)
"""The kinds of remarks of which one stands for all subjects with the same text."""


def merged(remarks: Iterable[Remark]) -> list[Remark]:
    """The remarks without duplicates, with one remark for all that hold for several subjects alike.

    These are the remarks with a share: one remark names the lowest and the highest share, and all
    subjects. It stands after the others, as does a remark without a subject. One remark of a kind
    in `ALIKE` stands for all subjects with the same text.

    >>> of_a = Remark("unjudged", "A", "40 % of the top 10 are unjudged", 0.4)
    >>> of_b = Remark("unjudged", "B", "60 % of the top 10 are unjudged", 0.6)
    >>> for remark in merged([of_a, Remark("topics", "A", "the run lacks 1 of 9 topics"), of_b]):
    ...     print(remark)
    A: the run lacks 1 of 9 topics
    40 % to 60 % of the top 10 are unjudged in A and B
    """
    distinct = dict.fromkeys(_of_equal_texts(remarks))
    by_kind: dict[str, list[Remark]] = {}
    for remark in distinct:
        if remark.share is not None:
            by_kind.setdefault(remark.kind, []).append(remark)
    joined = {kind: _joined(group) for kind, group in by_kind.items() if len(group) > 1}
    others = [remark for remark in distinct if remark.share is None or remark.kind not in joined]
    return sorted([*others, *joined.values()], key=lambda remark: remark.subject == "")


def _of_equal_texts(remarks: Iterable[Remark]) -> Iterator[Remark]:
    """The remarks, with one for all subjects of the same text of a kind in `ALIKE`, at the place of
    the first."""
    subjects_of: dict[str, dict[str, None]] = {}
    every = list(remarks)
    for remark in every:
        if remark.kind in ALIKE:
            subjects_of.setdefault(remark.text, {})[remark.subject] = None
    for remark in every:
        if remark.kind not in ALIKE:
            yield remark
            continue
        subjects = subjects_of.pop(remark.text, None)
        if subjects:
            yield remark._replace(subject=listed(subjects))


def in_collection(name: str, remarks: Iterable[Remark]) -> list[Remark]:
    """The remarks of one of several collections, `merged`, whose subjects name the collection.

    >>> lacking = Remark("topics", "A", "the run lacks 1 of 9 topics")
    >>> for remark in in_collection("web", [lacking, Remark("levels", "", "all levels are 0")]):
    ...     print(remark)
    A in web: the run lacks 1 of 9 topics
    web: all levels are 0
    """
    of_collection = []
    for remark in merged(remarks):
        subject = f"{remark.subject} in {name}" if remark.subject else name
        of_collection.append(remark._replace(subject=subject))
    return of_collection


def _joined(remarks: list[Remark]) -> Remark:
    """One remark for several of a kind, which begin with their shares.

    >>> of_a = Remark("tied", "A", "2 of 9 are tied; ids decide", 2 / 9)
    >>> str(_joined([of_a, Remark("tied", "B", "4 of 9 are tied; ids decide", 4 / 9)]))
    '2 to 4 of 9 are tied in A and B; ids decide'
    """
    in_order = sorted(remarks, key=lambda remark: remark.share or 0.0)
    lowest = in_order[0]
    highest = in_order[-1]
    fact, semicolon, advice = highest.text.partition("; ")
    if lowest.text != highest.text:
        fact = f"{lowest.text.partition(' of ')[0]} to {fact}"
    names = listed(remark.subject for remark in remarks)
    return Remark(highest.kind, "", f"{fact} in {names}{semicolon}{advice}")

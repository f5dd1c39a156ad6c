"""Labels, scores and groups in arrays, as learning to rank has them: the measures without any ids.

`array_values` and `array_mean` evaluate once. `ArrayEvaluator` keeps the reduction of the labels
for many evaluations.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from ir_measures import Measure

from ..errors import GradedError, InputWarning, shown
from .by_topic import blocks, bounds_of, changes, positions
from .measures.standard import definition_of
from .provider import GradedEvaluator, GradedProvider, refuse_unsupported
from .ranking.judged import Judged
from .ranking.ranks import JudgedRanks
from .registry.notation import parse_measures
from .rows.columns import QRELS, RUN
from .rows.id_columns import Cells
from .rows.id_matching import Ids
from .rows.rows import Rows
from .uncertainty import with_option

Array = Any
"""A NumPy array, a list of numbers, a PyTorch tensor on the CPU, or anything else with `__array__`.
"""
Measures: TypeAlias = Measure | str | Iterable[Measure | str]

TIES = ("mean", "min", "max", "given")
LABELS = QRELS._replace(
    kind="labels",
    rule="the label is {}; a label is a finite number, or NaN if the document is unjudged",
)
SCORES = RUN._replace(kind="scores")


class ArrayEvaluator(GradedEvaluator):
    """Evaluates any number of score arrays with measures over one array of labels, which is reduced
    once.

    `labels` is flat (N documents), with `groups`: the sizes of consecutive groups, or one group id
    per document, in any order. An array with one entry per document has ids. Or `labels` is
    two-dimensional (groups × documents) without `groups`. A document whose label is NaN is
    unjudged.

    Scores have the shape of the labels. In two dimensions, NaN in both labels and scores is
    padding; a document with a score and without a label is unjudged, as in flat arrays. Scores are
    compared as 32-bit floats, as everywhere in this package.

    The documents have no ids. `ties` says how tied documents are ordered for a measure that has the
    option `ties`, unless the measure has it set: 'mean' (over all orders), 'min' or 'max'. With
    'given', and for all other measures, tied documents stay in the order given. In a measure,
    ``ties='docid'`` is the default and does not count as set.

    A group without a judged document, such as a row of padding or a size of 0, has no value:
    `values` has NaN for it, no mean counts it, and a warning (`InputWarning`) counts such groups.

    The other groups are the topics of the inherited methods `iter_calc` and `calc_aggregate`, which
    take scores. Their names are the ids, or the numbers 0, 1, 2, …; error messages number the
    documents of a group alike.

    >>> evaluator = ArrayEvaluator(["CG@1", "P@2"], labels=[3, 1, 0, 2], groups=[2, 2])
    >>> evaluator.values([0.9, 0.1, 0.4, 0.4])
    array([[3. , 1. ],
           [1. , 0.5]])
    >>> evaluator.means([0.1, 0.9, 0.2, 0.4])
    array([1.5 , 0.75])

    Raises `GradedError` for arrays that do not fit together, labels that are infinite, labels that
    judge no document, and measures that only other providers of ir-measures compute, which need
    ids.
    """

    def __init__(
        self, measures: Measures, labels: Array, groups: Array | None = None, ties: str = "mean"
    ):
        if ties not in TIES:
            raise GradedError(f"ties={shown(ties)} is not allowed; ties is {', '.join(TIES)}")
        self.in_order = [_with_ties(measure, ties) for measure in parse_measures(measures)]
        refuse_unsupported(GradedProvider(), self.in_order)
        level = numbers_in("labels", labels)
        self._shape = level.shape
        names, sizes, self._documents = groups_of(level.shape, groups)
        level = level.ravel()[self._documents]
        judged = ~np.isnan(level)
        self._has_value = np.diff(np.append(0, np.cumsum(judged))[bounds_of(sizes)]) > 0
        if not (self._has_value.size and self._has_value.all()):
            _warn_of_unjudged(self._has_value)
            kept = np.repeat(self._has_value, sizes)
            names = [
                name for name, has_value in zip(names, self._has_value, strict=True) if has_value
            ]
            sizes, level, judged = sizes[self._has_value], level[kept], judged[kept]
            self._documents = np.arange(kept.size)[self._documents][kept]
        ids = Ids.of(_numbered(int(sizes.max(initial=0))))
        self._listed = Rows(
            SCORES, names, bounds_of(sizes), Cells(positions(sizes), ids.take), level
        )
        self._judged_document = np.where(judged, np.cumsum(judged) - 1, -1)
        qrels = replace(self._listed, role=LABELS, distinct=True).where(judged).checked()
        found = Judged(qrels.topics, qrels.offsets, qrels.values)
        super().__init__(dict.fromkeys(self.in_order), qrels, found)
        self._blocks = [(slice(a, b), self.judged.part(np.arange(a, b))) for a, b in blocks(sizes)]

    def reduced(self, run: Any) -> Iterator[JudgedRanks]:
        """The scores, reduced to the ranks of the judged documents."""
        scores = scores_in(run, self._shape)
        listed = replace(self._listed, values=scores.ravel()[self._documents])
        document = self._judged_document
        if scores.ndim == 2:
            present = (document >= 0) | ~np.isnan(listed.values)
            listed, document = listed.where(present), document[present]
        listed.checked()
        for numbers, judged in self._blocks:
            rows = listed.block(numbers.start, numbers.stop)
            start, first = listed.offsets[numbers.start], self.judged.offsets[numbers.start]
            matched = partial(
                _given, document[start : start + rows.values.size] - first, rows.offsets
            )
            yield JudgedRanks.of(
                judged, rows, matched, numbers, np.arange(numbers.start, numbers.stop)
            )

    def values(self, scores: Array) -> np.ndarray:
        """The value of each measure for each group (measures × groups); NaN if no document is
        judged.
        """
        found = {measure: values for measure, _, values in self.reported(self.reduced(scores))}
        values = np.full((len(self.in_order), self._has_value.size), np.nan)
        values[:, self._has_value] = [found[measure] for measure in self.in_order]
        return values

    def means(self, scores: Array) -> np.ndarray:
        """The mean of each measure over the groups with a value; the sum of counts such as NumRet.
        """
        found = self.calc_aggregate(scores)
        return np.array([found[measure] for measure in self.in_order], dtype=np.float64)


def array_values(
    measure: Measures, labels: Array, scores: Array, groups: Array | None = None, ties: str = "mean"
) -> np.ndarray:
    """The value of a measure for each group (G), from arrays of labels and scores.

    `measure` is any measure that this package computes, graded or standard. Several measures give
    one row each. `labels` and `scores` are flat (N), with `groups`: group sizes, or one group id
    per document. Or they are two-dimensional (groups × documents), padded with NaN in both. All
    documents count as judged; a label of NaN is an unjudged document. A group without a judged
    document has the value NaN. Tied scores: `ties='mean'` is the default here for the measures that
    have it, because there are no document ids; others keep the order given. `ArrayEvaluator`, which
    keeps the labels for many scores, describes all arguments.

    The values equal those of `evaluate` for the same data with ids and the same `ties`, to the last
    bit.

    >>> array_values("nDCG_Burges@2", [3, 0, 0, 1], [0.8, 0.1, 0.4, 0.4], groups=[2, 2]).round(4)
    array([1.    , 0.8155])
    >>> nan = float("nan")
    >>> array_values("CG", [[3, 0, 1], [1, 0, nan]], [[0.8, 0.1, 0.4], [0.4, 0.4, nan]])
    array([4., 1.])

    Raises `GradedError` as `ArrayEvaluator`, and for a score that is NaN.
    """
    return _of_one_or_all(measure, ArrayEvaluator(measure, labels, groups, ties).values(scores))


def array_mean(
    measure: Measures, labels: Array, scores: Array, groups: Array | None = None, ties: str = "mean"
) -> Any:
    """The mean of a measure over the groups, a float; with several measures, an array. As
    `array_values`.

    A group without a judged document is left out of the mean.

    >>> array_mean("nDCG_Burges@2", [3, 0, 0, 1], [0.8, 0.1, 0.1, 0.4], groups=["a", "a", "b", "b"])
    1.0
    """
    found = _of_one_or_all(measure, ArrayEvaluator(measure, labels, groups, ties).means(scores))
    return found if found.ndim else float(found)


def _given(document: np.ndarray, offsets: np.ndarray, a: int, b: int) -> tuple[np.ndarray, None]:
    """The documents of some topics, in the order given; the numbers of unjudged documents are
    negative.
    """
    return document[offsets[a] : offsets[b]], None


def _of_one_or_all(given: Measures, found: np.ndarray) -> Any:
    """The result of a single measure, or an array with those of all."""
    return found[0] if isinstance(given, (str, Measure)) and len(found) == 1 else found


def _with_ties(measure: Measure, ties: str) -> Measure:
    """The measure with the option `ties`, if it has the option and it is not set."""
    known = definition_of(measure)
    if known is None or known.option("ties"):
        return measure
    other = measure if GradedProvider().supports(measure) else known  # other providers need ids
    return with_option(known, "ties", ties) or other


def _array(name: str, given: Array) -> np.ndarray:
    """Anything as an array, a tensor without its gradient."""
    try:
        if hasattr(given, "detach"):
            given = given.detach()
            given = given.double() if given.is_floating_point() else given  # NumPy has no bfloat16
        return np.asarray(given)
    except (TypeError, ValueError, RuntimeError, Warning) as error:
        # NumPy refuses a ragged list, and its old releases warn of it; tensors may be on another
        # device.
        reason = " ".join(str(error).split())
        raise GradedError(f"cannot read the {name} as an array: {reason}") from error


def numbers_in(name: str, given: Array) -> np.ndarray:
    """An array of one or two dimensions as floats."""
    values = _array(name, given)
    if values.dtype.kind not in "biuf":
        raise GradedError(
            f"the {name} are of type {values.dtype}; give numbers, with NaN for missing ones"
        )
    if values.ndim not in (1, 2):
        raise GradedError(
            f"the {name} have {values.ndim} dimensions; give 1, or 2 (groups × documents)"
        )
    if isinstance(given, np.ma.MaskedArray):
        values = np.ma.filled(given.astype(np.float64), np.nan)
    return values.astype(np.float64, copy=False)


def scores_in(given: Array, shape: tuple[int, ...]) -> np.ndarray:
    """Scores in an array of the shape of the labels."""
    scores = numbers_in("scores", given)
    if scores.shape != shape:
        raise GradedError(
            f"scores have the shape {scores.shape}, labels {shape}; give a score per label"
        )
    return scores


def groups_of(
    shape: tuple[int, ...], groups: Array | None, ids: bool = False
) -> tuple[list[str], np.ndarray, Any]:
    """The name and the size of each group, and the indices of the documents, group after group.

    With `ids`, an array of ones with an entry per document has ids, too.
    """
    if len(shape) == 2:
        if groups is not None:
            raise GradedError("each row of two-dimensional labels is a group; leave out groups")
        return _numbered(shape[0]), np.full(shape[0], shape[1]), slice(None)
    if groups is None:
        raise GradedError("flat labels need groups: give group sizes, or one group id per document")
    given = _array("groups", groups)
    if given.shape != shape:
        if (
            given.ndim != 1
            or given.dtype.kind not in "iu"
            or (given < 0).any()
            or given.sum() != shape[0]
        ):
            raise GradedError(
                f"groups {shown(given.tolist())} do not fit {shape[0]} labels; give group sizes that add up "
                f"to {shape[0]}, or one group id per document"
            )
        return _numbered(given.size), given.astype(np.int64), slice(None)
    number, names = _coded(given)
    if given.size > 1 and names == [1] and not ids:
        raise GradedError(
            f"groups are 1 for each of {given.size} documents, which may be sizes or ids; "
            f"give [{given.size}] for one group, or different ids for groups of one document"
        )
    in_order = (np.diff(number) >= 0).all()
    documents = slice(None) if in_order else np.argsort(number, kind="stable")
    return list(map(str, names)), np.bincount(number), documents


def _coded(ids: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """The number of each group id, and the distinct ids in order of appearance."""
    starts = np.flatnonzero(changes(ids))  # the ids of a group are mostly consecutive
    listed = ids[starts].tolist()
    missing = (
        row for row, id_ in zip(starts.tolist(), listed, strict=True) if id_ is None or id_ != id_
    )
    if (row := next(missing, None)) is not None:
        raise GradedError(f"groups: document {row} has no group id")
    codes = {id_: number for number, id_ in enumerate(dict.fromkeys(listed))}
    code = np.array([codes[id_] for id_ in listed], dtype=np.int64)
    return np.repeat(code, np.diff(np.append(starts, ids.size))), [*codes]


def _warn_of_unjudged(has_value: np.ndarray) -> None:
    """Warn of the groups without a value. Raises `GradedError` if no group has one."""
    if not has_value.any():
        raise GradedError("the labels judge no document, so no group has a value")
    count = f"{np.sum(~has_value):,} of {has_value.size:,} groups lack a judged document"
    warnings.warn(
        f"labels: {count}; they have no value, and no mean counts them", InputWarning, stacklevel=4
    )


def _numbered(count: int) -> list[str]:
    return list(map(str, range(count)))

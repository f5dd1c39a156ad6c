"""gdeval, a Perl script behind some measures of ir-measures: its input is checked before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ir_measures import Metric
from ir_measures.providers import Evaluator
from ir_measures.providers.gdeval_provider import GdevalEvaluator
from ir_measures.util import RunConverter

from ..errors import GradedError, shown

BLANK = re.compile(r"[ \t-\r]|^$")
"""A text that gdeval does not read as one field: a text with a blank, and the empty text."""
TOPIC = re.compile("[0-9]{1,15}")
HIGHEST = 4


def with_checks(evaluator: Evaluator) -> Evaluator:
    """The evaluator with `CheckedGdeval` in place of gdeval. Raises the errors of `CheckedGdeval`."""
    if isinstance(evaluator, GdevalEvaluator):
        return CheckedGdeval(evaluator)
    if hasattr(evaluator, "evaluators"):
        evaluator.evaluators = [with_checks(each) for each in evaluator.evaluators]
    return evaluator


class CheckedGdeval(Evaluator):
    """gdeval for qrels and runs that it reads correctly.

    The script reads text files. It splits their lines at blanks, takes `a-1` and `01` for topic 1, and
    accepts whole levels up to 4. Raises `GradedError` for any other topic, document or level.
    """

    def __init__(self, evaluator: Any):
        super().__init__(evaluator.measures, evaluator.qrel_qids)
        self.gdeval = evaluator
        self._check("judges", evaluator.qrels)
        for row in evaluator.qrels:
            if row.relevance % 1 or row.relevance > HIGHEST:
                found = f"topic {row.query_id} judges document {shown(row.doc_id)} with {row.relevance}"
                raise self._error(f"whole levels up to {HIGHEST}, but {found}")
        evaluator.qrels = [row._replace(relevance=int(row.relevance)) for row in evaluator.qrels]

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        rows = [*RunConverter(run).as_namedtuple_iter()]
        self._check("retrieves", rows)
        yield from self.gdeval._iter_calc(rows)

    def _check(self, verb: str, rows: Iterable[Any]) -> None:
        numbers: dict[int, str] = {}
        for row in rows:
            topic = row.query_id
            if not TOPIC.fullmatch(topic):
                raise self._error(f"topics that are whole numbers, not {shown(topic)}")
            if numbers.setdefault(int(topic), topic) != topic:
                raise self._error(f"topics as numbers, so {numbers[int(topic)]} and {topic} are the same")
            if BLANK.search(row.doc_id):
                raise self._error(
                    f"ids without blanks, but topic {topic} {verb} document {shown(row.doc_id)}"
                )

    def _error(self, reason: str) -> GradedError:
        return GradedError(f"cannot compute {', '.join(map(str, self.measures))}: gdeval takes {reason}")

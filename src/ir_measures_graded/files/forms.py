"""The forms of text files, recognised by their first block.

A header names the columns of a table. Otherwise, the number of fields in a line and their values
decide. Rows that follow the first block are checked against the form.
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, starmap
from typing import Any, NamedTuple

import numpy as np

from ..core.rows.decimals import number_of
from ..core.rows.id_columns import stretches_of
from ..core.rows.id_matching import LONGEST_ID
from ..core.rows.roles import NO_ITERATION, QRELS, RUN, Role, is_of_trec
from ..core.rows.rows import Part
from ..errors import FileError, Remark, shown
from ..output.formats import counted
from .content import Content, Reading
from .kinds import TABLE

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ONE_ROW = (
    "write each row in a line of its own, and end each file with a line break before joining files"
)
CACHED = 1 << 18  # characters scanned at once, so that they stay in the processor cache
SAMPLED = (1, 2, 3, 4, 5)  # numbers of fields that several kinds of files have
IS_JSON = rb'\s*(\{\s*["}]|\[\s*[{\[\]])'
INTEGER = rb"[+-]?[0-9]+"
SIGNS_OF_HEADERS = (b",", b";", b'"')  # besides tabs, around the names of columns
SAMPLE = 5_000  # lines that decide about such a form
LINES_OF_TREC = 1_000  # lines of qrels without intents that need no further ones
MOST_LEVELS = 20  # more distinct integers are ids of documents, not levels
Fields = tuple[bytes, ...]  # a column of the first rows


class Form(NamedTuple):
    """The form of the lines of a text file with qrels or a run (`role`).

    `lines` describes a line in error messages. `fields` names the fields of a line, and `columns`
    those that are read. `delimiter` separates fields, which may then be quoted; if it is empty,
    blanks separate fields, and lines that begin with ``#`` are comments. If `longer` is true, more
    fields may follow. Rows with a value in `unjudged` are skipped. If `ranks` is true, the values
    are ranks, and −rank is the score. `counted` names a field that must count up in each topic. If
    `letor` is true, lines are those of LETOR. `decimal` is the sign before decimals. `name` is the
    name of the form. `remarks` are those on its columns, and `heads` their names in the file,
    unless the user names some. `judge` is that of the column that seems to name judges.
    """

    role: Role
    name: str
    lines: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    delimiter: str = ""
    longer: bool = False
    unjudged: tuple[bytes, ...] = ()
    ranks: bool = False
    counted: str | None = None
    letor: bool = False
    decimal: str = "."
    by_line: bool = False
    remarks: tuple[Remark, ...] = ()
    heads: tuple[str, ...] = ()
    judge: str = ""

    def number(self, text: bytes) -> float | None:
        """The number in a field; None if the text is not a number with this decimal sign."""
        if self.decimal == ",":
            return None if b"." in text else number_of(text.replace(b",", b"."))
        return number_of(text)


def _form(role: Role, name: str, lines: str, **options: Any) -> Form:
    """The form of lines with these fields; a run's rank is read only if it is `counted`."""
    fields = tuple(OURS.get(word, word) for word in lines.split())
    others = (field for field in ("iteration", options.get("counted")) if field in fields)
    return Form(role, name, lines, fields, (*role.columns, *others), **options)


OURS = {"topic": "query_id", "document": "doc_id", "level": "relevance", "qid:topic": "query_id"}
TREC = {
    QRELS: _form(QRELS, "TREC", "topic iteration document level"),
    RUN: _form(RUN, "TREC", "topic Q0 document rank score tag", longer=True),
}
SCORED = _form(RUN, "3 fields with scores", "topic document score")
RANKED = SCORED._replace(
    name="3 fields with ranks", lines="topic document rank", ranks=True, counted="score"
)
COLBERT = _form(RUN, "ColBERT", "topic document rank score", counted="rank")
JUDGED = _form(QRELS, "3 fields", "topic document level")
LETOR = _form(QRELS, "LETOR", "level qid:topic document", letor=True)._replace(
    lines="level qid:topic features # document"
)
LETOR_BY_LINE = LETOR._replace(
    name="LETOR without ids", lines="level qid:topic features", by_line=True
)
"""Documents without ids have those of their lines, such as line_12."""
WITH_PREDICTIONS = (LETOR.name, LETOR_BY_LINE.name)
"""The forms of qrels whose lines may have predictions."""
ONE_A_LINE = "one number a line"
"""The form of a file of predictions."""


ONE_ID_A_LINE = "one id a line, without its query"
"""What the message on a list of documents begins with."""
IDS_ALONE = (
    f"{ONE_ID_A_LINE}: %s; a line of a run has the query as well, such as topic document rank; in "
    "Python a list of ids for each query is a run, the best document first: {query: [id, …]}"
)
JSON_ALONE = (
    "a list of JSON without its query; a list for each query is a run, the best document first: "
    "{query: [id, …]}"
)

LISTED = {
    QRELS: f"qrels are lines of TREC ({TREC[QRELS].lines}), a CSV or TSV table that begins with "
    "the names "
    "of its columns, such as query_id,doc_id,relevance, JSON, Parquet or Arrow",
    RUN: f"a run is lines of TREC ({TREC[RUN].lines}), a CSV or TSV table that begins with the "
    "names of "
    "its columns, such as query_id,doc_id,score, JSON, Parquet or Arrow",
}
"""The forms of files, for a message about a file of none of them."""


def is_json(start: bytes) -> bool:
    """Whether a file that begins with these bytes is JSON.

    >>> is_json(b'{"q1": {}}'), is_json(b"[{}]"), is_json(b"{q1} Q0 d1 1 9.2 t")
    (True, True, False)
    """
    text = start.removeprefix(BYTE_ORDER_MARK)
    has_bracket = text.lstrip().startswith((b"{", b"["))
    return has_bracket and re.match(IS_JSON, text) is not None


def form_of(content: Content, reading: Reading) -> tuple[Form, int]:
    """The form of a text file, and the number of bytes before its first row.

    Raises `FileError` for a header without a required column, and for a file that is known not to
    be a ranking or not to have topics and levels.
    """
    file = content.name
    start = content.stream.start
    if not content.stream.ended:
        start = start[: start.rfind(b"\n") + 1]  # without the line that is cut off
    text = start.removeprefix(BYTE_ORDER_MARK).lstrip(b"\r\n")
    first_line = _first_line(text)
    header = len(start) - len(text) + len(first_line)
    first_row = _first_row(text)
    form_of_table = _form_of_table(first_row.rstrip(b"\r\n"), file, reading)
    if form_of_table is not None:
        header += len(first_row) - len(first_line)
    if form_of_table is None and first_line.startswith(b"#"):
        comments, line_after = _comments(text)
        header += comments + len(line_after) - len(first_line)
        form_of_table = _form_of_table(line_after.rstrip(b"\r\n"), file, reading)
    if form_of_table is not None:
        return _with_decimals(form_of_table, start[header:]), header
    if _may_be_header(first_line):
        from .headers import refuse_unknown_header  # This import takes time.

        refuse_unknown_header(file, first_line, text, reading.role)
    reading.chosen.refuse_unread(file)
    is_described = first_line.startswith(b"<SYSDESC>")
    rows = text
    if is_described:
        if has_breaks(first_line):
            raise FileError(f"{file}:1: a line break of another program inside the line; {ONE_ROW}")
        rows = text[len(first_line) :]
    sample = _sample_of_rows(rows, reading.role)
    form = _form_of_rows(reading.role, sample)
    if isinstance(form, str):
        raise FileError(f"{file}: {form}")
    first = sample[0]
    if first and not _may_be_row(form, first):
        _refuse_first_row(content, reading.role, first)
    before = header
    if not is_described:
        before = len(BYTE_ORDER_MARK) if start.startswith(BYTE_ORDER_MARK) else 0
    return form._replace(unjudged=reading.chosen.unjudged), before


def _may_be_header(line: bytes) -> bool:
    """Whether a line has a sign that separates the names in the header of a table.

    Tabs may also separate the fields of TREC.

    >>> _may_be_header(b"qid\\tdocno\\tscore"), _may_be_header(b"q1\\t0\\td1\\t1")
    (True, False)
    """
    if any(sign in line for sign in SIGNS_OF_HEADERS):
        return True
    return b"\t" in line and not is_of_trec(line.split(b"\t"))


def _form_of_table(line: bytes, file: str, reading: Reading) -> Form | None:
    """The form of a table that begins with this line; None if it is not a header."""
    if not _may_be_header(line):
        return None
    from .headers import header_in  # This import takes time.

    header = header_in(line, file, reading)
    return None if header is None else Form(reading.role, **header._asdict())


def _with_decimals(form: Form, text: bytes) -> Form:
    """The form with decimal commas if the first rows have some; only ; leaves commas to numbers."""
    if form.delimiter != ";" or b"," not in text:
        return form
    from .headers import has_commas

    place = form.fields.index(form.role.value)
    return form._replace(decimal=",") if has_commas(text, form.delimiter, place) else form


def _first_line(text: bytes) -> bytes:
    """The first line of a text, with its end. `partition` would copy the others."""
    return text[: text.find(b"\n") + 1] or text


def _first_row(text: bytes) -> bytes:
    """The first line of a text, with the next ones as long as a quoted field is open."""
    size = 0
    quotes = 0
    for line in io.BytesIO(text):
        size += len(line)
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            break
    return text[:size]


def _comments(text: bytes) -> tuple[int, bytes]:
    """The bytes of the comments with which a text begins, and the line after them."""
    size = 0
    for line in io.BytesIO(text):
        if not line.startswith(b"#"):
            return size, line
        size += len(line)
    return size, b""


def _sample_of_rows(text: bytes, role: Role) -> list[list[bytes]]:
    """The fields of the first rows of a text, which decide about the form.

    They are the first row alone unless several forms have its number of fields, or if it shows that
    these are qrels of TREC without intents, as most are. Without a row, the only one has no fields.
    """
    lines: Iterator[bytes] = io.BytesIO(text)
    may_have_comments = b"#" in text  # one byte is found faster than two
    if may_have_comments:
        lines = (line for line in lines if not line.startswith(b"#"))
    rows = filter(None, map(bytes.split, lines))  # without a loop in Python
    first: list[bytes] = next(rows, [])
    sample = [first]
    if role is QRELS and len(first) == len(TREC[QRELS].fields):
        has_comments = may_have_comments and (text.startswith(b"#") or b"\n#" in text)
        # Thousands of lists of fields would make the garbage collector visit all objects.
        if not has_comments and _have_no_iteration(text, len(first)):
            return sample
    if len(first) in SAMPLED:
        sample.extend(islice(rows, SAMPLE))
    is_cut_off = next(rows, None) is not None
    if is_cut_off:
        last_topic = sample[-1][0]
        sample = [row for row in sample if row[0] != last_topic] or sample
    return sample


def _have_no_iteration(text: bytes, size: int) -> bool:
    """Whether the first lines of a text have so many fields, of which the second stands for no
    iteration.

    >>> _have_no_iteration(b"q1 0 d1 1\\nq1 0 d2 0\\n", 4)
    True
    >>> _have_no_iteration(b"q1 d1 2 0\\n", 4)
    False
    """
    lines = list(islice(io.BytesIO(text), LINES_OF_TREC))
    fields = b"".join(lines).split()
    are_whole = len(fields) == size * len(lines)
    return are_whole and NO_ITERATION.issuperset(fields[1::size])


def _refuse_first_row(content: Content, role: Role, fields: Sequence[bytes]) -> None:
    """Raise `FileError` for a file of no known form, whose first row has these fields.

    A line that is too long is refused later.
    """
    lines = enumerate(content.stream.start.removeprefix(BYTE_ORDER_MARK).split(b"\n"), start=1)
    number, line = next((number, line) for number, line in lines if line.split() == fields)
    if len(line) > content.sizes.line:
        return
    text = shown(line.decode(errors="backslashreplace").strip())
    count = counted(len(fields), "field")
    kind = "qrels" if role is QRELS else "a run"
    raise FileError(
        f"{content.name}:{number}: {count}, which no form of {kind} has: {text}; {LISTED[role]}"
    )


def _may_be_row(form: Form, fields: Sequence[bytes]) -> bool:
    """Whether a line with these fields may be a row of the form, perhaps with a wrong value."""
    if form.letor or len(fields) == len(form.fields):
        return True
    if form is TREC[RUN] and len(fields) == len(form.fields) - 1:
        return are_rank_and_score(*fields[3:5])  # only the tag is missing
    return form.longer and len(fields) > len(form.fields)


def _form_of_rows(role: Role, rows: list[list[bytes]]) -> Form | str:
    """The form of a file without a header, whose first rows have these fields, or the reason to
    refuse it.
    """
    first = rows[0]
    size = len(first)
    if size > 1 and first[1].startswith(b"qid:") and first[1] != b"qid:":
        if role is RUN:
            return "labels and features of LETOR are qrels, not a run"
        return LETOR if b"#" in b"".join(first) else LETOR_BY_LINE
    if role is QRELS and size >= 6 and are_rank_and_score(*first[3:5]):
        return f"this is a run (6 fields: {TREC[RUN].lines}); qrels come first"
    if role is RUN and first and first[0].startswith(b'["'):
        return JSON_ALONE
    if role is RUN and _are_ids_alone(rows):
        return IDS_ALONE % shown(first[0].decode(errors="backslashreplace"))
    if size == 1 and number_of(first[0]) is not None:
        if role is RUN:
            return (
                "one number per line belongs to the lines of another file; evaluate, compare and "
                "most other commands take labels and features of LETOR as qrels and a file of "
                "numbers as a run, but not standard input; in Python also array_mean('nDCG@5', "
                "labels, scores, ids=topics)"
            )
        return f"one number per line belongs to the lines of another file; {TABLE}"
    if size == 1:
        return TREC[role]
    if size == 2:
        has_pairs = all(len(row) == 2 for row in rows) and b"," not in first[0]
        if has_pairs:
            return "2 fields: no topic (NTCIREVAL: one file per topic) or no level or score"
        return TREC[role]
    if size not in SAMPLED:
        return TREC[role]
    if set(map(len, rows)) != {size}:
        rows = [row for row in rows if len(row) == size]
    fields = zip(*rows, strict=True)
    return _form_of_run(*fields) if role is RUN else _form_of_qrels(*fields)


def _are_ids_alone(rows: Sequence[Sequence[bytes]]) -> bool:
    """Whether each row is the id of a document: a word, or a whole number that is there once.

    >>> _are_ids_alone([[b"d2"], [b"d1"]]), _are_ids_alone([[b"q1,d2,1"], [b"q1,d1,2"]])
    (True, False)
    >>> _are_ids_alone([[b"7187158"], [b"34"]]), _are_ids_alone([[b"1"], [b"0"], [b"1"]])
    (True, False)
    """
    if any(len(row) != 1 for row in rows):
        return False
    ids = [row[0] for row in rows]
    if any(len(word) > LONGEST_ID or re.search(rb"[,;|\x00-\x20]", word) for word in ids):
        return False
    if any(number_of(word) is not None for word in ids):
        return len(ids) > 1 and are_integers(ids) and len(set(ids)) == len(ids)
    return True


def _form_of_run(topics: Fields, second: Fields, third: Fields, *others: Fields) -> Form | str:
    """The form of a run with these fields in its first rows, or the reason to refuse it."""
    count_up = all(map(counts, _by_topic(topics, third)))
    if not others and number_of(third[0]) is not None:
        if not are_integers(third):
            return SCORED
        if count_up:
            return RANKED
        return (
            "is the third field a rank or a score? Begin the file with a line "
            "query_id, doc_id, score (or rank)"
        )
    if len(others) == 1:
        if {*second} <= NO_ITERATION:
            return f"these are qrels, not a run (4 fields: {TREC[QRELS].lines}); qrels come first"
        if count_up and all(map(_never_rise, _by_topic(topics, *others))):
            return COLBERT
    return TREC[RUN]


def _form_of_qrels(topics: Fields, second: Fields, third: Fields, *others: Fields) -> Form | str:
    """The form of qrels with these fields in its first rows, or the reason to refuse them."""
    if len(others) == 2:
        is_run = all(starmap(are_rank_and_score, zip(*others, strict=True)))
        if is_run and {*second} <= NO_ITERATION:
            return f"this is a run without its last field ({TREC[RUN].lines}); qrels come first"
        return (
            f"5 fields, not 4 ({TREC[QRELS].lines}); preferences and sampled judgments are not "
            "supported"
        )
    if {*second} <= NO_ITERATION:
        return TREC[QRELS] if others else "qrels without levels (3 fields: topic, 0, document)"
    if any(len(fields) >= 3 and counts(fields) for fields in _by_topic(topics, third)):
        return "the third field counts 1, 2, 3 … in a topic; this is a run, not qrels"
    if not others:
        return JUDGED
    levels = set(third)
    documents = set(second)
    are_levels = len(levels) <= MOST_LEVELS and are_integers(levels)
    pairs = set(zip(topics, second, strict=True))
    are_distinct = len(pairs) == len(topics)
    are_ids = len(documents) > len(levels) or not are_integers(documents)
    has_topic_twice = len(set(topics)) < len(topics)
    if are_levels and are_distinct and (are_ids or has_topic_twice):
        return (
            "the columns are topic, document, level, iteration; export with --format trec or jsonl"
        )
    return TREC[QRELS]


def are_integers(fields: Iterable[bytes]) -> bool:
    """Whether all fields are whole numbers.

    >>> are_integers([b"1", b"-2"]), are_integers([b"1", b"2.0"])
    (True, False)
    """
    return all(re.fullmatch(INTEGER, field) for field in fields)


def _by_topic(topics: Fields, column: Fields) -> Iterable[list[bytes]]:
    fields_of: dict[bytes, list[bytes]] = {}
    for topic, field in zip(topics, column, strict=True):
        fields_of.setdefault(topic, []).append(field)
    return fields_of.values()


def _never_rise(fields: Sequence[bytes]) -> bool:
    scores: list[float] = []
    for field in fields:
        score = number_of(field)
        if score is None:
            return False
        scores.append(score)
    return all(score >= next_score for score, next_score in pairwise(scores))


def counts(fields: Sequence[bytes]) -> bool:
    """Whether these are the numbers 0, 1, 2 … or 1, 2, 3 …

    >>> counts([b"1", b"2", b"3"]), counts([b"1", b"3"])
    (True, False)
    """
    first = fields[0] == b"1"
    return all(field == b"%d" % number for number, field in enumerate(fields, first))


def check_order(rows: Part, form: Form, last: dict[str, tuple[float, float]]) -> None:
    """Raise `FileError` unless the ranks count up in each topic, and the scores of ranked rows
    never rise.

    `last` has the last rank and score of each topic in earlier rows of the file. It is brought up
    to date.
    """
    scores = np.asarray(rows.columns["score"])
    if form.ranks:
        ranks = -scores
    else:
        numbers = [number_of(field.encode()) for field in rows.columns["rank"]]
        ranks = np.array(numbers, dtype=float)  # NaN for a field that is no number
    rank_before = np.roll(ranks, 1)
    score_before = np.roll(scores, 1)
    stretches = stretches_of(rows.columns["query_id"], "run: query_id")
    topics = list(stretches.topics)
    bounds = [*stretches.start.tolist(), len(rows)]
    for (start, end), code in zip(pairwise(bounds), stretches.code.tolist(), strict=True):
        topic = topics[code]
        rank_before_first = min(ranks[start], 1) - 1  # ranks begin at 0 or at 1
        pair_before = last.get(topic, (rank_before_first, np.inf))
        rank_before[start], score_before[start] = pair_before
        last[topic] = ranks[end - 1], scores[end - 1]
    wrong = np.flatnonzero((ranks != rank_before + 1) | (scores > score_before))
    if wrong.size:
        row = int(wrong[0])
        topic = rows.columns["query_id"][row]
        raise FileError(
            f"{rows.facts.file}:{rows.line[row]}: topic {shown(topic)}: the rows of a topic must "
            "have the "
            f"ranks 1, 2, 3 …; here is {ranks[row]:g}"
        )


def number_in(value: Any) -> float | None:
    """The number that a value of JSON is, also as text; None for anything else.

    A large whole number is infinite, as 1e400 is.

    >>> number_in(2), number_in("1e3"), number_in(True), number_in("high")
    (2.0, 1000.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return number_of(str(value).encode(errors="replace"))


def negated(value: Any) -> Any:
    """A number with its sign reversed, anything else as it is.

    >>> negated("2"), negated(None)
    (-2.0, None)
    """
    number = number_in(value)
    return value if number is None else -number


def are_rank_and_score(rank: bytes, score: bytes) -> bool:
    """Whether these fields are an integer and a number.

    >>> are_rank_and_score(b"1", b"9.5"), are_rank_and_score(b"1.5", b"9")
    (True, False)
    >>> are_rank_and_score(b"1", b"A")
    False
    """
    number = number_of(rank)
    return number is not None and number.is_integer() and number_of(score) is not None


def has_breaks(block: bytes) -> bool:
    """Whether a block has line breaks of other programs: `BREAKS`, or a carriage return alone."""
    # One byte is found faster than several.
    if any(sign[:1] in block and sign in block for sign in BREAKS if sign != b"\r"):
        return True
    return b"\r" in block and _has_lone_return(block)


def _has_lone_return(block: bytes) -> bool:
    """Whether a carriage return is not before a line feed. To count both takes eight times as long.

    >>> [_has_lone_return(block) for block in (b"a\\r\\n", b"a\\rb\\n", b"a\\r\\r\\n", b"a\\r")]
    [False, True, True, True]
    """
    characters = np.frombuffer(block, np.uint8)
    for start in range(0, len(block), CACHED):
        piece = characters[start : start + CACHED + 1]
        is_return = piece[:-1] == ord("\r")
        is_feed = piece[1:] == ord("\n")
        if (is_return & ~is_feed).any():
            return True
    return block.endswith(b"\r")


BREAKS = {
    b"\x0b": "a vertical tab",
    b"\x0c": "a form feed",
    b"\r": "a carriage return",
    b"\xc2\x85": "the line break U+0085",
    b"\xe2\x80\xa8": "the line break U+2028",
    b"\xe2\x80\xa9": "the line break U+2029",
}
"""The characters that other programs take for the end of a line."""

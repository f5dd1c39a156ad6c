"""TREC files and ir-datasets collections: the rows they give, and the errors they raise."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import threading
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from random import Random
from types import SimpleNamespace
from unittest.mock import Mock

import ir_measures
import pyarrow
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ir_measures import Qrel
from reading import by_topic, in_pieces, outcome, refused, run, run_file

from all_measures import MEASURES
from buckets import qrels_and_runs
from ir_measures_graded import (
    GradedError,
    GradedEvaluator,
    RunFile,
    nCG,
)
from ir_measures_graded.core.rows.id_matching import LONGEST_ID
from ir_measures_graded.evaluation.evaluate import evaluate
from ir_measures_graded.files import text_files
from ir_measures_graded.files.content import Content, Reading
from ir_measures_graded.files.files import parts_of, qrels_in
from ir_measures_graded.files.forms import RUN as OF_RUN
from ir_measures_graded.files.forms import form_of
from ir_measures_graded.files.lines import Lines
from ir_measures_graded.files.sources import qrels_source, scoreddocs_of

RUN = b"q1 Q0 d1 1 9.5 tag\nq1 Q0 d2 2 8 tag\nq2 Q0 d1 1 7 tag\n"
AS_DICTS = {"q1": {"d1": 9.5, "d2": 8.0}, "q2": {"d1": 7.0}}


def dicts(file):
    """A run as a dict of dicts."""
    return by_topic(RunFile(file))


def qrels(file):
    """Qrels as tuples."""
    return qrels_in(file).for_others()


def written(path, content):
    path.write_bytes(content)
    return path


# Accepted files


def test_qrels_keep_the_iteration_and_whole_levels_are_ints(tmp_path):
    found = qrels(written(tmp_path / "qrels", b"q1 0 d1 -2\nq1 s2 d1 1.0\nq2 0 d9 1e3\n"))
    assert found == [
        Qrel("q1", "d1", -2, "0"),
        Qrel("q1", "d1", 1, "s2"),
        Qrel("q2", "d9", 1000, "0"),
    ]
    assert [type(qrel.relevance) for qrel in found] == [int, int, int]
    real = qrels(written(tmp_path / "real", b"q1 0 d1 -2\nq1 s2 d1 0.5\n"))
    assert [qrel.relevance for qrel in real] == [-2.0, 0.5]
    huge = qrels(written(tmp_path / "huge", b"q1 0 d1 1e30\nq1 0 d2 1\n"))
    assert [qrel.relevance for qrel in huge] == [1e30, 1.0]


COMPRESSED = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda content: lzma.compress(content, preset=0),
    "Zstandard": lambda content: pyarrow.compress(content, "zstd", asbytes=True),
}


@pytest.mark.parametrize("compression", COMPRESSED)
def test_compression_is_recognised_by_content(tmp_path, monkeypatch, compression):
    for content in (RUN, COMPRESSED[compression](RUN)):
        for name in ("run", "run.gz"):
            assert dicts(written(tmp_path / name, content)) == AS_DICTS
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert dicts("-") == AS_DICTS
        assert not stdin.closed


def test_every_part_of_a_joined_file_is_read(tmp_path):
    other = RUN.replace(b"q", b"p")
    skippable = b"\x53\x2a\x4d\x18\x04\x00\x00\x00junk"
    for compress, before, between, after in (
        (bytes, b"\xef\xbb\xbf", b"", b""),
        *((compress, b"", b"", b"") for compress in COMPRESSED.values()),
        (COMPRESSED["xz"], b"", bytes(8), bytes(4)),
        (COMPRESSED["gzip"], b"", b"", bytes(3)),
        (COMPRESSED["Zstandard"], skippable, skippable, skippable),
    ):
        joined = before + compress(RUN) + between + compress(other) + after
        assert list(dicts(written(tmp_path / "run", joined))) == ["q1", "q2", "p1", "p2"]


def test_empty_file_is_no_run(tmp_path):
    path = written(tmp_path / "empty", b"")
    assert qrels(path) == []
    assert refused(list, RunFile(path)) == f"{path}: the run is empty"


def test_lines_and_ids_have_a_greatest_length():
    longest = "d" * LONGEST_ID
    assert dicts(io.BytesIO(f"q Q0 {longest} 1 1 t".encode())) == {"q": {longest: 1.0}}
    for rows in (
        f"q1 Q0 {longest}d 1 1 t\n",
        f"q1 Q0  {longest}d 1 1 t\n",
        f"{longest}d Q0 d 1 1 t",
    ):
        told = refused(run, RUN + rows.encode())
        assert re.match(
            "the open file:4: the (doc|query)_id 'd.*' is longer than 4,096 bytes$", told
        ), told
    for size, block in ((100, 20), (1000, 1000), (5000, 1000)):
        sizes = in_pieces(block, line=max(size, block))
        fits = RUN + b"q9 Q0 d9 1 1 " + b"t" * (max(size, block) - 14) + b"\n"
        assert list(run(fits, sizes)) == ["q1", "q2", "q9"]
    with open("/dev/zero", "rb") as endless:
        assert "the line is longer than" in refused(run, endless)
    bomb = gzip.compress(bytes(10_000))
    assert "1: the line is longer than 5,000 bytes" in refused(run, bomb, sizes)


def test_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = written(
        tmp_path / "run", b"".join(b"q Q0 d%d 1 1 t\n" % number for number in range(100_000))
    )
    found = parts_of(path, Reading(OF_RUN, sizes=in_pieces(1000, start=1000)))
    next(found)
    os.truncate(path, path.read_bytes().index(b"d50000") - len(b"q Q0 "))
    assert refused(list, found) == f"{path}: the file became shorter while it was read"
    with Content(written(path, RUN)) as content:
        os.truncate(path, 9)
        assert (
            refused(content.refuse_shrunk) == f"{path}: the file became shorter while it was read"
        )


def test_real_files_are_read_as_by_ir_measures(shared_data):
    for folder, judged, retrieved in (
        ("trec_eval-test", "qrels.test", "results.test"),
        ("robust05", "qrels.txt", "aq_bm25.run.gz"),
    ):
        judged, retrieved = shared_data / folder / judged, shared_data / folder / retrieved
        assert qrels(judged) == list(ir_measures.read_trec_qrels(str(judged)))
        expected = list(ir_measures.read_trec_run(str(retrieved)))
        assert list(RunFile(retrieved)) == expected


# The fast reader and the strict one

FIELDS = st.one_of(
    st.sampled_from(
        ["q1", "d1", "1", "0", "NA", "é", "文", "\ufeffq", '"', '"x"', "a,b", "\x00", "\x1c", "1e5"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4).filter(
        lambda text: len(text.encode().split()) == 1 and text.encode().split()[0] == text.encode()
    ),
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(allow_nan=False, width=32).map(lambda value: f"{value:.9g}"),
    st.from_regex(r"[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        ["", *"inf -Infinity +INF .5 5. 1_0 0x10 1f nan NaN(1) \u0661 true --1".split()]
    ),
)
SEPARATORS = st.sampled_from([" "] * 4 + ["\t", "  ", " \t", "\x0b", "\x0c", "\r"])
ENDS = st.sampled_from(["\n"] * 12 + ["\r\n", "\n\n", " \n", "\n ", "\r", "\n\ufeff"])


@st.composite
def lines(draw):
    fields = [
        draw(FIELDS),
        "Q0",
        draw(FIELDS),
        "1",
        draw(NUMBERS),
        draw(st.sampled_from(["t"] * 9 + ["", "t u"])),
    ]
    separators = [" "] * (len(fields) - 1)
    separators[draw(st.integers(0, 4))] = draw(SEPARATORS)
    return "".join(chain(*zip(fields, separators))) + fields[-1] + draw(ENDS)


@settings(max_examples=60)
@example(
    content=b"q Q0 a\x0bb 1 1 t\n", block=30
)  # only one reader takes this control character for a blank
@example(
    content=b"q Q0 a 1 1 t\rq Q0 b 1 2 t\n", block=30
)  # pyarrow would end a line at the carriage return
@example(content=b"q Q0 a 1 1 t\n\xef\xbb\xbfq Q0 b 1 2 t\n", block=1)  # of the second of two files
@example(content=b"q Q0  1 1 t\n", block=30)  # the document is missing between two blanks
@given(
    content=st.one_of(
        st.lists(lines(), max_size=6).map(lambda found: "".join(found).encode()),
        st.lists(NUMBERS, max_size=40).map(
            lambda found: "".join(
                f"q Q0 d{n} 1 {text} t\n" for n, text in enumerate(found)
            ).encode()
        ),
        st.binary(max_size=40),
    ),
    block=st.sampled_from([1, 30, 1 << 20]),
)
def test_all_readers_agree(content, block):
    """The readers are that of pyarrow, that of NumPy and the strict one, to which blank lines lead."""
    sizes, strictly = in_pieces(block), content.replace(b"\n", b"\n\n")
    found = outcome(list, run_file(content, sizes))
    again = outcome(list, run_file(strictly, sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        without = outcome(list, run_file(content, sizes))
    assert found == without or "needs pyarrow" in without  # an Arrow file
    if "the open file" not in found:
        assert found == again


@pytest.mark.parametrize("library", ["pyarrow", "NumPy"])
def test_scores_are_parsed_as_by_python(without_arrow, library):
    random = Random(1)
    texts = [
        f"{random.randrange(10 ** random.randint(1, 22))}.{random.randrange(10 ** random.randint(1, 22))}"
        f"e{random.randint(-330, 310)}"
        for _ in range(20_000)
    ]
    rows = "".join(f"q Q0 d{n} 1 {text} t\n" for n, text in enumerate(texts)).encode()
    with without_arrow() if library == "NumPy" else nullcontext():
        assert [row.score for row in RunFile(io.BytesIO(rows))] == list(map(float, texts))


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.rstrip(),
        RUN.replace(b" ", b"\t"),
        RUN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + RUN,
    ],
    ids=["plain", "no last line end", "tabs", "foreign line ends", "byte order mark"],
)
@pytest.mark.parametrize("parse", [text_files.by_arrow, text_files.by_numpy])
def test_usual_files_do_not_need_the_strict_reader(content, parse):
    with Content(io.BytesIO(content)) as opened:
        form, before = form_of(opened, Reading(OF_RUN))
        opened.stream.read(before)
        (block,) = Lines(opened, form).blocks()
        columns = parse(*text_files.plain_block(block, form), form)
    assert [*columns["doc_id"]] == ["d1", "d2", "d1"]


# Blocks of whole topics


def text_of(run):
    return "".join(
        f"{topic} Q0 {doc} 0 {score} t\n"
        for topic, docs in run.items()
        for doc, score in docs.items()
    )


def test_values_do_not_depend_on_the_block_size(tmp_path):
    qrels, runs = qrels_and_runs(topics=7)
    variants = [*MEASURES, *(measure(judged_only=True) for measure in MEASURES)]
    file = written(tmp_path / "run", text_of(runs["one"]).encode())
    evaluator = GradedEvaluator(variants, qrels)
    whole = evaluator.calc(runs["one"])
    for size in (1, 2, 6, 30, 105, 106):
        sizes = in_pieces(150 * (size % 7) + 20, rows=size, start=400)
        assert evaluator.calc(run_file(file, sizes)) == whole
        blocks = [block.dicts() for block in run_file(file, sizes).blocks()]
        assert {topic: docs for block in blocks for topic, docs in block.items()} == runs["one"]
        assert all(sum(map(len, block.values())) >= size for block in blocks[:-1])
        assert (len(blocks) > 1) == (size < 105)


def test_document_retrieved_twice_is_refused_with_its_line_in_any_block(tmp_path):
    rows = [f"q{n // 4} Q0 d{n % 4} 1 1 t\n" for n in range(40)]
    for first, again in ((8, 9), (0, 39), (20, 39), (36, 39)):
        twice = [*rows[:again], rows[first], *rows[again:]]
        file = written(tmp_path / "run", "".join(twice).encode())
        for size in (1, 5):
            what = f"topic 'q{first // 4}' retrieves document 'd{first % 4}' twice"
            found = run_file(file, in_pieces(40 * size, rows=size))
            for read in (list, lambda run: nCG.calc_aggregate({"q1": {"d1": 1}}, run)):
                told = refused(read, found)
                assert told.startswith(f"{file}:{again + 1}: {what};")


# Refused files, with file and line


@pytest.mark.parametrize(("reader", "fields"), [(run, b"%d Q0 d 1 1 t\n"), (qrels, b"%d 0 d 1\n")])
def test_error_that_is_kept_keeps_no_thread(tmp_path, reader, fields):
    # The garbage collector would end it at some time. If another thread starts then, both wait forever.
    path = written(
        tmp_path / "file", b"bad\n" + b"".join(fields % topic for topic in range(200_000))
    )
    before = set(threading.enumerate())  # threads of earlier tests may end meanwhile
    with pytest.raises(GradedError, match=":1: ") as kept:
        reader(path)
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before, kept


@pytest.mark.parametrize("compression", COMPRESSED)
def test_damaged_file_is_refused_with_the_line(tmp_path, compression):
    rows = b"".join(
        b"q1 Q0 doc%d 1 %d tag\n" % (number, -number * number) for number in range(50_000)
    )
    part, whole = map(COMPRESSED[compression], (RUN, rows))
    damaged = [
        part + each
        for each in (part[:-1], part[:3], b"junk", bytes([part[0], part[1] ^ 1, *part[2:]]))
    ]
    for content in (*damaged, part[:10], whole[: len(whole) * 3 // 4]):
        told = refused(run, written(tmp_path / "run", content))
        found = re.search(rf"run:(\d+): the {compression} file is damaged or cut off here", told)
        assert 1 <= int(found[1]) <= (7 if len(content) < 1000 else 50_000)


def test_first_mistake_in_the_file_is_reported(tmp_path):
    rows = [b"q%d Q0 doc%d 1 1 tag\n" % (number, number * number) for number in range(20000)]
    rows[100] = b"q100 Q0 doc 1 1\n"
    packed = gzip.compress(b"".join(rows))
    file = written(tmp_path / "cut.gz", packed[: len(packed) // 2])
    assert refused(run, file, in_pieces(1000)).startswith(f"{file}:101: 5 fields, not 6")


def test_read_error_is_reported_after_earlier_mistakes():
    sizes = in_pieces(9, start=9)

    class Failing(io.BytesIO):
        name = "failing"

        def read(self, *size):
            if self.tell() > 0:
                raise OSError(5, "Input/output error")
            return super().read(*size)

    assert refused(run, Failing(b"q1 t a x\nq1 Q0 b 1 1 t\n"), sizes).startswith(
        "failing:1: 4 fields"
    )
    told = refused(run, Failing(b"q1 Q0 a 1 1 t\nq1 Q0 b 1 1 t\n"), sizes)
    assert told == "failing: cannot be read: Input/output error"


def test_long_values_are_cut_off_in_errors(tmp_path):
    long, run = "x" * 100_000, {"q": {"d": 1.0}}
    for call, *arguments in (
        (qrels_source, long),
        (nCG.calc_aggregate, {long: {long: float("nan")}}, run),
        (nCG.calc_aggregate, [Qrel("q", long, 1), Qrel("q", long, 2)], run),
        (nCG.calc_aggregate, {"q": {"d": long}}, run),
        (list, RunFile(tmp_path / long[:9999])),
    ):
        told = refused(call, *arguments)
        assert "xxx" in told
        assert len(told) < 1000


# Collections


def test_file_takes_precedence_over_a_collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(Path("graded-demo"), b"q1 0 d1 1\n")
    assert qrels_source("graded-demo").for_others() == [Qrel("q1", "d1", 1, "0")]


def test_file_in_place_of_a_collection_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    assert refused(qrels_source, "runs").startswith(
        "'runs' is a directory, not a file or an ir-datasets id"
    )
    written(Path("qrels.txt"), b"")
    assert refused(scoreddocs_of, "qrels.txt").startswith(
        "'qrels.txt' is a file, not an ir-datasets id"
    )


def collection(monkeypatch, **parts):
    """Register an ir-datasets collection `made-up` with these parts."""
    import ir_datasets

    made_up = SimpleNamespace(metadata=None, has=lambda part: True, **parts)
    monkeypatch.setitem(ir_datasets.registry._registered, "made-up", made_up)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("All download sources failed", ["…"]), "All download sources failed"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
        (KeyError(), "KeyError"),
    ],
)
def test_failed_download_is_one_message(monkeypatch, error, reason):
    collection(
        monkeypatch, qrels_iter=Mock(side_effect=error), scoreddocs_iter=Mock(side_effect=error)
    )
    where = "of the ir-datasets collection 'made-up'"
    assert refused(qrels_source, "made-up") == f"cannot load the qrels {where}: {reason}"
    assert refused(scoreddocs_of, "made-up") == f"cannot load the scoreddocs {where}: {reason}"


def test_subtopics_of_a_collection_are_read_as_iterations(monkeypatch):
    row = SimpleNamespace(query_id="q1", doc_id="d1", relevance=1, subtopic_id="3")
    collection(monkeypatch, qrels_iter=lambda: [row])
    assert qrels_source("made-up").for_others() == [Qrel("q1", "d1", 1, "3")]


def test_collection_run_with_a_repeated_document_is_refused(monkeypatch):
    row = SimpleNamespace(query_id="q1", doc_id="d1", score=1.0)
    collection(monkeypatch, scoreddocs_iter=lambda: [row, row])
    run = {"made-up": scoreddocs_of("made-up")}
    told = refused(evaluate, {"q1": {"d1": 1}}, run, ["CG"])
    assert told.startswith("made-up: run: topic 'q1' retrieves document 'd1' twice")

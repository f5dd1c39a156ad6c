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
from functools import partial
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
from ir_measures_graded.files.content import SIZES, Content, Reading
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


def lines_of(topic, texts):
    """Lines of a run in which the documents d0, d1, … of a topic have these scores."""
    return "".join(f"{topic} Q0 d{number} 1 {text} t\n" for number, text in enumerate(texts))


def qrels(file):
    """Qrels as tuples."""
    return qrels_in(file).for_others()


def written(path, content):
    path.write_bytes(content)
    return path


# Accepted files


def test_qrels_keep_the_iteration_and_whole_levels_are_ints(tmp_path):
    whole = qrels(written(tmp_path / "qrels", b"q1 0 d1 -2\nq1 s2 d1 1.0\nq2 0 d9 1e3\n"))
    assert whole == [
        Qrel("q1", "d1", -2, "0"),
        Qrel("q1", "d1", 1, "s2"),
        Qrel("q2", "d9", 1000, "0"),
    ]
    assert [type(qrel.relevance) for qrel in whole] == [int, int, int]
    real = qrels(written(tmp_path / "real", b"q1 0 d1 -2\nq1 s2 d1 0.5\n"))
    assert [qrel.relevance for qrel in real] == [-2.0, 0.5]
    huge = qrels(written(tmp_path / "huge", b"q1 0 d1 1e30\nq1 0 d2 1\n"))
    assert [qrel.relevance for qrel in huge] == [1e30, 1.0]


@pytest.mark.parametrize("mostly", ["0", "1", "Q0"])
def test_qrels_keep_every_iteration_beside_documents_named_0(mostly):
    random = Random(mostly)
    for _ in range(50):
        rows = []
        for number in range(40):
            iteration = mostly
            if number > 10 and random.random() < 0.2:
                iteration = random.choice(["0", "00", "1", "Q0", "d"])
            document = random.choice(["0", "00", "10", "d"])
            rows.append(Qrel(f"q{number}", document, random.randrange(2), iteration))
        text = "".join(f"{row[0]} {row[3]} {row[1]} {row[2]}\n" for row in rows).encode()
        sizes = SIZES._replace(block=random.choice([50, 200, 1 << 20]))
        assert qrels_in(io.BytesIO(text), sizes=sizes).for_others() == rows


COMPRESSED = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": partial(lzma.compress, preset=0),
    "Zstandard": partial(pyarrow.compress, codec="zstd", asbytes=True),
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
    files = [(compress, b"", b"", b"") for compress in COMPRESSED.values()]
    files += [
        (bytes, b"\xef\xbb\xbf", b"", b""),
        (COMPRESSED["xz"], b"", bytes(8), bytes(4)),
        (COMPRESSED["gzip"], b"", b"", bytes(3)),
        (COMPRESSED["Zstandard"], skippable, skippable, skippable),
    ]
    for compress, before, between, after in files:
        joined = before + compress(RUN) + between + compress(other) + after
        assert list(dicts(written(tmp_path / "run", joined))) == ["q1", "q2", "p1", "p2"]


def test_empty_file_is_no_run(tmp_path):
    path = written(tmp_path / "empty", b"")
    assert qrels(path) == []
    assert refused(list, RunFile(path)) == f"{path}: the run is empty"


def test_lines_and_ids_have_a_greatest_length():
    longest = "d" * LONGEST_ID
    assert dicts(io.BytesIO(f"q Q0 {longest} 1 1 t".encode())) == {"q": {longest: 1.0}}
    for row in (
        f"q1 Q0 {longest}d 1 1 t\n",
        f"q1 Q0  {longest}d 1 1 t\n",
        f"{longest}d Q0 d 1 1 t",
    ):
        message = refused(run, RUN + row.encode())
        pattern = "the open file:4: the (doc|query)_id 'd.*' is longer than 4,096 bytes$"
        assert re.match(pattern, message), message
    for longest_line, block in ((100, 20), (1000, 1000), (5000, 1000)):
        sizes = in_pieces(block, line=longest_line)
        before_tag = b"q9 Q0 d9 1 1 "
        tag = b"t" * (longest_line - len(before_tag) - 1)
        assert list(run(RUN + before_tag + tag + b"\n", sizes)) == ["q1", "q2", "q9"]
    with open("/dev/zero", "rb") as endless:
        assert "the line is longer than" in refused(run, endless)
    bomb = gzip.compress(bytes(10_000))
    assert "1: the line is longer than 5,000 bytes" in refused(run, bomb, sizes)


def test_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    text = lines_of("q", ["1"] * 100_000)
    path = written(tmp_path / "run", text.encode())
    reason = f"{path}: the file became shorter while it was read"
    blocks = parts_of(path, Reading(OF_RUN, sizes=in_pieces(1000, start=1000)))
    next(blocks)
    os.truncate(path, text.index("q Q0 d50000"))
    assert refused(list, blocks) == reason
    with Content(written(path, RUN)) as content:
        os.truncate(path, 9)
        assert refused(content.refuse_shrunk) == reason


def test_real_files_are_read_as_by_ir_measures(shared_data):
    for qrels_name, run_name in (
        ("trec_eval-test/qrels.test", "trec_eval-test/results.test"),
        ("robust05/qrels.txt", "robust05/aq_bm25.run.gz"),
    ):
        qrels_path = shared_data / qrels_name
        assert qrels(qrels_path) == list(ir_measures.read_trec_qrels(str(qrels_path)))
        run_path = shared_data / run_name
        assert list(RunFile(run_path)) == list(ir_measures.read_trec_run(str(run_path)))


# The fast reader and the strict one

ODD_FIELDS = [
    *("q1", "d1", "1", "0", "NA", "é", "文", "\ufeffq"),
    *('"', '"x"', "a,b", "\x00", "\x1c", "1e5"),
]
ODD_NUMBERS = ["", *"inf -Infinity +INF .5 5. 1_0 0x10 1f nan NaN(1) \u0661 true --1".split()]
SHORT_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
FIELDS = st.one_of(
    st.sampled_from(ODD_FIELDS),
    SHORT_TEXTS.filter(lambda text: text.encode().split() == [text.encode()]),
)
DOUBLES = st.floats(allow_nan=False).map(repr)
FLOATS = st.floats(allow_nan=False, width=32).map("{:.9g}".format)
DECIMALS = st.from_regex(r"[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
NUMBERS = st.one_of(DOUBLES, FLOATS, DECIMALS, st.sampled_from(ODD_NUMBERS))
TAGS = st.sampled_from(["t"] * 9 + ["", "t u"])
SEPARATORS = st.sampled_from([" "] * 4 + ["\t", "  ", " \t", "\x0b", "\x0c", "\r"])
ENDS = st.sampled_from(["\n"] * 12 + ["\r\n", "\n\n", " \n", "\n ", "\r", "\n\ufeff"])


@st.composite
def lines(draw):
    fields = [draw(FIELDS), "Q0", draw(FIELDS), "1", draw(NUMBERS), draw(TAGS)]
    separators = [" "] * 5
    separators[draw(st.integers(0, 4))] = draw(SEPARATORS)
    ends = [*separators, draw(ENDS)]
    return "".join(field + end for field, end in zip(fields, ends))


FILES_OF_LINES = st.lists(lines(), max_size=6).map("".join)
FILES_OF_NUMBERS = st.lists(NUMBERS, max_size=40).map(partial(lines_of, "q"))
CONTENTS = st.one_of(
    FILES_OF_LINES.map(str.encode), FILES_OF_NUMBERS.map(str.encode), st.binary(max_size=40)
)
VERTICAL_TAB = b"q Q0 a\x0bb 1 1 t\n"  # only one reader takes it for a blank
CARRIAGE_RETURN = b"q Q0 a 1 1 t\rq Q0 b 1 2 t\n"  # pyarrow would end a line there
SECOND_MARK = b"q Q0 a 1 1 t\n\xef\xbb\xbfq Q0 b 1 2 t\n"  # of the second of two joined files
NO_DOCUMENT = b"q Q0  1 1 t\n"


@settings(max_examples=60)
@example(content=VERTICAL_TAB, block=30)
@example(content=CARRIAGE_RETURN, block=30)
@example(content=SECOND_MARK, block=1)
@example(content=NO_DOCUMENT, block=30)
@given(content=CONTENTS, block=st.sampled_from([1, 30, 1 << 20]))
def test_all_readers_agree(content, block):
    """The readers use pyarrow, NumPy or neither; blank lines lead to the last, the strict one."""
    sizes = in_pieces(block)
    rows = outcome(list, run_file(content, sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        by_numpy = outcome(list, run_file(content, sizes))
    assert rows == by_numpy or "needs pyarrow" in by_numpy  # an Arrow file
    with_blank_lines = content.replace(b"\n", b"\n\n")
    strictly = outcome(list, run_file(with_blank_lines, sizes))
    if "the open file" not in rows:
        assert rows == strictly


@pytest.mark.parametrize("library", ["pyarrow", "NumPy"])
def test_scores_are_parsed_as_by_python(without_arrow, library):
    random = Random(1)

    def digits():
        return random.randrange(10 ** random.randint(1, 22))

    texts = [f"{digits()}.{digits()}e{random.randint(-330, 310)}" for _ in range(20_000)]
    content = lines_of("q", texts).encode()
    context = without_arrow() if library == "NumPy" else nullcontext()
    with context:
        assert [row.score for row in RunFile(io.BytesIO(content))] == list(map(float, texts))


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
    columns = text_files.parsed_block(block, form, parse).columns
    assert list(columns["doc_id"]) == ["d1", "d2", "d1"]


def test_table_is_parsed_with_its_foreign_line_ends():
    content = b"query_id,doc_id,score\r\nq1,d1,2\r\nq1,d2,1\r\n"
    with Content(io.BytesIO(content)) as opened:
        form, header = form_of(opened, Reading(OF_RUN))
        opened.stream.read(header)
        (block,) = Lines(opened, form).blocks(header)
    assert text_files.plain_block(block.text, form) == (block.text, 2)
    columns = text_files.parsed_block(block, form, text_files.by_arrow).columns
    assert list(columns["doc_id"]) == ["d1", "d2"]
    assert columns["score"].tolist() == [2, 1]


# Blocks of whole topics


def text_of(run):
    lines = []
    for topic, docs in run.items():
        lines += [f"{topic} Q0 {doc} 0 {score} t\n" for doc, score in docs.items()]
    return "".join(lines)


def test_values_do_not_depend_on_the_block_size(tmp_path):
    qrels, runs = qrels_and_runs(topics=7)
    of_judged = [measure(judged_only=True) for measure in MEASURES]
    variants = [*MEASURES, *of_judged]
    file = written(tmp_path / "run", text_of(runs["one"]).encode())
    evaluator = GradedEvaluator(variants, qrels)
    whole = evaluator.calc(runs["one"])
    for size in (1, 2, 6, 30, 105, 106):
        sizes = in_pieces(150 * (size % 7) + 20, rows=size, start=400)
        assert evaluator.calc(run_file(file, sizes)) == whole
        blocks = [block.dicts() for block in run_file(file, sizes).blocks()]
        joined = {}
        for block in blocks:
            joined |= block
        assert joined == runs["one"]
        row_counts = [sum(map(len, block.values())) for block in blocks]
        assert all(count >= size for count in row_counts[:-1])
        assert (len(blocks) > 1) == (size < 105)


def test_document_retrieved_twice_is_refused_with_its_line_in_any_block(tmp_path):
    rows = [f"q{n // 4} Q0 d{n % 4} 1 1 t\n" for n in range(40)]
    for first, again in ((8, 9), (0, 39), (20, 39), (36, 39)):
        twice = [*rows[:again], rows[first], *rows[again:]]
        file = written(tmp_path / "run", "".join(twice).encode())
        for size in (1, 5):
            reason = f"topic 'q{first // 4}' retrieves document 'd{first % 4}' twice"
            source = run_file(file, in_pieces(40 * size, rows=size))
            for read in (list, partial(nCG.calc_aggregate, {"q1": {"d1": 1}})):
                message = refused(read, source)
                assert message.startswith(f"{file}:{again + 1}: {reason};")


# Refused files, with file and line


@pytest.mark.parametrize(("reader", "fields"), [(run, b"%d Q0 d 1 1 t\n"), (qrels, b"%d 0 d 1\n")])
def test_error_that_is_kept_keeps_no_thread(tmp_path, reader, fields):
    # The garbage collector would end it at some time. If another thread starts then, both wait
    # forever.
    rows = b"".join(fields % topic for topic in range(200_000))
    path = written(tmp_path / "file", b"bad\n" + rows)
    before = set(threading.enumerate())  # threads of earlier tests may end meanwhile
    with pytest.raises(GradedError, match=":1: ") as kept:
        reader(path)
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before, kept


@pytest.mark.parametrize("compression", COMPRESSED)
def test_damaged_file_is_refused_with_the_line(tmp_path, compression):
    scores = [-number * number for number in range(50_000)]
    long = COMPRESSED[compression](lines_of("q1", scores).encode())
    short = COMPRESSED[compression](RUN)
    wrong_byte = bytes([short[0], short[1] ^ 1, *short[2:]])
    damaged = [short + end for end in (short[:-1], short[:3], b"junk", wrong_byte)]
    cut_off = long[: len(long) * 3 // 4]
    pattern = rf"run:(\d+): the {compression} file is damaged or cut off here"
    for content in (*damaged, short[:10], cut_off):
        message = refused(run, written(tmp_path / "run", content))
        line = int(re.search(pattern, message)[1])
        last_line = 50_000 if content is cut_off else 7
        assert 1 <= line <= last_line


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

    message = refused(run, Failing(b"q1 t a x\nq1 Q0 b 1 1 t\n"), sizes)
    assert message.startswith("failing:1: 4 fields")
    message = refused(run, Failing(b"q1 Q0 a 1 1 t\nq1 Q0 b 1 1 t\n"), sizes)
    assert message == "failing: cannot be read: Input/output error"


def test_long_values_are_cut_off_in_errors(tmp_path):
    long = "x" * 100_000
    run = {"q": {"d": 1.0}}
    for call, *arguments in (
        (qrels_source, long),
        (nCG.calc_aggregate, {long: {long: float("nan")}}, run),
        (nCG.calc_aggregate, [Qrel("q", long, 1), Qrel("q", long, 2)], run),
        (nCG.calc_aggregate, {"q": {"d": long}}, run),
        (list, RunFile(tmp_path / long[:9999])),
    ):
        message = refused(call, *arguments)
        assert "xxx" in message
        assert len(message) < 1000


# Collections


def test_file_takes_precedence_over_a_collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(Path("graded-demo"), b"q1 0 d1 1\n")
    assert qrels_source("graded-demo").for_others() == [Qrel("q1", "d1", 1, "0")]


def test_file_in_place_of_a_collection_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    message = refused(qrels_source, "runs")
    assert message.startswith("'runs' is a directory, not a file or an ir-datasets id")
    written(Path("qrels.txt"), b"")
    message = refused(scoreddocs_of, "qrels.txt")
    assert message.startswith("'qrels.txt' is a file, not an ir-datasets id")


def collection(monkeypatch, **parts):
    """Register an ir-datasets collection `made-up` with these parts."""
    import ir_datasets

    made_up = SimpleNamespace(metadata=None, has=lambda _: True, **parts)
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
    failing = Mock(side_effect=error)
    collection(monkeypatch, qrels_iter=failing, scoreddocs_iter=failing)
    where = "of the ir-datasets collection 'made-up'"
    assert refused(qrels_source, "made-up") == f"cannot load the qrels {where}: {reason}"
    assert refused(scoreddocs_of, "made-up") == f"cannot load the scoreddocs {where}: {reason}"


def test_a_download_without_a_network_is_told_with_what_to_do(monkeypatch, capfd):
    """No connection to this port is possible, and ir-datasets' log of attempts is not shown."""
    ir_datasets = pytest.importorskip("ir_datasets")
    from ir_datasets.util import Download, RequestsDownload

    closed = "http://127.0.0.1:9/qrels.txt"
    sources = [RequestsDownload(closed), RequestsDownload(closed.replace("127.0.0.1", "[::1]"))]
    download = Download(sources, expected_md5=None, stream=False)
    monkeypatch.setattr(ir_datasets.util, "tmp_path", lambda: Path().absolute())
    collection(monkeypatch, qrels_iter=download.path)
    message = refused(qrels_source, "made-up")
    assert "downloaded on first use, and there is no connection to 127.0.0.1 and ::1; " in message
    assert message.endswith(": ir_datasets export made-up qrels --format trec > FILE")
    assert capfd.readouterr().err == ""


def test_subtopics_of_a_collection_are_read_as_iterations(monkeypatch):
    row = SimpleNamespace(query_id="q1", doc_id="d1", relevance=1, subtopic_id="3")
    collection(monkeypatch, qrels_iter=lambda: [row])
    assert qrels_source("made-up").for_others() == [Qrel("q1", "d1", 1, "3")]


def test_collection_run_with_a_repeated_document_is_refused(monkeypatch):
    row = SimpleNamespace(query_id="q1", doc_id="d1", score=1.0)
    collection(monkeypatch, scoreddocs_iter=lambda: [row, row])
    run = {"made-up": scoreddocs_of("made-up")}
    message = refused(evaluate, {"q1": {"d1": 1}}, run, ["CG"])
    assert message.startswith("made-up: run: topic 'q1' retrieves document 'd1' twice")

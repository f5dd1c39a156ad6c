"""A second reader of TREC files: plain Python, whole files, one line after the other.

Nothing here is shared with the package.
"""

import bz2
import gzip
import lzma
import math
import re
import zlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow

NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE)
Topics = dict[str, dict[str, float]]


class Refused(Exception):
    """The file is not a valid TREC file."""


class OtherForm(Exception):
    """The file may be valid in another form, such as qrels of three fields, or for another reader."""


def read_qrels(content: bytes) -> Topics:
    """The level of each document of each topic; a document may be judged twice at the same level."""
    qrels: Topics = {}
    rows = _rows(content, 4)
    if not {row[1] for row in rows} <= {"0", "Q0"}:
        raise OtherForm  # the beginning of the file decides, which is one line if it is read in small pieces
    for topic, _, doc, text in rows:
        level = _number(text)
        docs = qrels.setdefault(topic, {})
        if not math.isfinite(level) or docs.setdefault(doc, level) != level:
            raise Refused
    return qrels


def read_run(content: bytes) -> Topics:
    """The score of each document of each topic."""
    run: Topics = {}
    for topic, _, doc, _, text, _ in _rows(content, 6):
        score = _number(text)
        docs = run.setdefault(topic, {})
        if math.isnan(score) or doc in docs:
            raise Refused
        docs[doc] = score
    return run


def _rows(content: bytes, size: int) -> list[list[str]]:
    try:
        text = re.sub("^\ufeff", "", decompressed(content).decode(), flags=re.MULTILINE)
    except UnicodeDecodeError:
        raise Refused from None
    lines = [line.strip(" \t\r\x0b\x0c") for line in text.split("\n") if not line.startswith("#")]
    rows = [re.split("[ \t\r\x0b\x0c]+", line) for line in lines if line]
    first = rows[0] if rows else []
    if (
        text.startswith("<SYSDESC>")
        or len(first) in ((3,) if size == 4 else (3, 4))
        or "query_id" in text
        or "{" in text
    ):
        raise OtherForm
    # Line breaks of other programs inside a line hide rows; so does a missing line break.
    if re.search("[\x0b\x0c\x85\u2028\u2029]|\r(?!\n|$)", text):
        raise Refused
    for row in rows:
        if size == 6 < len(row) and _are_rank_and_score(*row[3:6]):
            if any(_are_rank_and_score(*pair, "tag") for pair in pairwise(row[8:])):
                raise Refused
            del row[6:]
    if any(len(row) != size for row in rows):
        raise Refused
    return rows


def _are_rank_and_score(rank: str, score: str, tag: str) -> bool:
    found = [float(text) if NUMBER.fullmatch(text) else None for text in (rank, score, tag)]
    return found[0] is not None and found[0].is_integer() and found[1] is not None and found[2] is None


def _number(text: str) -> float:
    if not NUMBER.fullmatch(text):
        raise Refused
    return float(text)


def decompressed(content: bytes) -> bytes:
    """The content without its compression."""
    try:
        if content.startswith(b"\x1f\x8b"):
            return gzip.decompress(content)
        if re.match(rb"BZh[1-9]1AY&SY", content):
            return _parts(content, bz2.BZ2Decompressor)
        if content.startswith(b"\xfd7zXZ\x00"):
            return _parts(content, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), b"\0")
        if re.match(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", content):
            return pyarrow.CompressedInputStream(pyarrow.BufferReader(content), "zstd").read()
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
        raise Refused from None
    return content


def _parts(content: bytes, new: Callable[[], Any], padding: bytes = b"") -> bytes:
    """The content of compressed streams, one after the other."""
    found = b""
    while content:
        part = new()
        found += part.decompress(content)
        if not part.eof:
            raise EOFError
        content = part.unused_data.lstrip(padding)
    return found

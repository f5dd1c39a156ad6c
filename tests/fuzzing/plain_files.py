"""A second reader of TREC files: plain Python, whole files, one line after the other.

Nothing here is shared with the package.
"""

import bz2
import gzip
import lzma
import math
import re
import zlib

import pyarrow

NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE)
Topics = dict[str, dict[str, float]]


class Refused(Exception):
    """The file is not a valid TREC file."""


def read_qrels(content: bytes) -> Topics:
    """The level of each document of each topic; a document may be judged twice at the same level."""
    qrels: Topics = {}
    for topic, _, doc, text in _rows(content, 4):
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
        text = decompressed(content).removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        raise Refused from None
    rows = [re.split("[ \t\r\x0b\x0c]+", line.strip(" \t\r\x0b\x0c")) for line in text.split("\n")]
    rows = [row for row in rows if row != [""]]
    if any(len(row) != size for row in rows):
        raise Refused
    return rows


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
            return bz2.decompress(content)
        if content.startswith(b"\xfd7zXZ\x00"):
            return lzma.decompress(content, lzma.FORMAT_XZ)
        if content.startswith(b"\x28\xb5\x2f\xfd"):
            return pyarrow.CompressedInputStream(pyarrow.BufferReader(content), "zstd").read()
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
        raise Refused from None
    return content

"""Reading of small contents and files."""

import io

import pytest

from ir_measures_graded import GradedError, RunFile, read_trec_qrels
from ir_measures_graded.files import content, strict_lines


def run(content):
    """The run in a text, as a dict of dicts."""
    return by_topic(RunFile(io.BytesIO(content.encode())))


def qrels(content):
    """The qrels in a text, as a dict of dicts."""
    return by_topic(read_trec_qrels(io.BytesIO(content.encode())).itertuples(index=False))


def by_topic(rows):
    found = {}
    for topic, doc, value, *_ in rows:
        found.setdefault(topic, {})[doc] = value
    return found


def refused(call, *arguments):
    """The message of the error that a call raises."""
    with pytest.raises(GradedError) as caught:
        call(*arguments)
    return str(caught.value)


def outcome(call, *arguments):
    """What a call returns, as text, or the message of its error."""
    try:
        return repr(call(*arguments))
    except GradedError as error:
        return str(error)


def in_pieces(patch, size):
    """Read text files in pieces of so many bytes."""
    patch.setattr(strict_lines, "BLOCK", size)
    patch.setattr(content, "PIECE", size)

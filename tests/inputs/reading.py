"""Reading of small contents and files."""

import io

import pytest

from ir_measures_graded import GradedError, RunFile
from ir_measures_graded.files.content import SIZES
from ir_measures_graded.files.files import qrels_in


def in_pieces(size, **others):
    """The sizes for reading in pieces of so many bytes."""
    return SIZES._replace(piece=size, block=size, small=0, **others)


def run_file(content, sizes=SIZES, **options):
    """A run in a text, in bytes or in a file, read in these sizes."""
    run = RunFile(opened(content), **options)
    run.sizes = sizes
    return run


def opened(content):
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, bytes):
        return io.BytesIO(content)
    return content  # a path


def run(content, sizes=SIZES):
    """The run in a text or a file, as a dict of dicts."""
    return by_topic(run_file(content, sizes))


def qrels(content, sizes=SIZES):
    """The qrels in a text or a file, as a dict of dicts."""
    return qrels_in(opened(content), sizes=sizes).dicts()


def by_topic(rows):
    values = {}
    for topic, doc, value, *_ in rows:
        values.setdefault(topic, {})[doc] = value
    return values


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

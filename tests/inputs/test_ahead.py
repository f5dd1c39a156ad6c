"""Threads that read in advance: the order of what they read, and their end."""

import gc
import threading
import time
from concurrent.futures.thread import _global_shutdown_lock

import pytest

from ir_measures_graded.files.ahead import parsed_ahead, read_ahead
from ir_measures_graded.files.content import SIZES, Content
from ir_measures_graded.files.reading_threads import AHEAD


@pytest.fixture
def content(tmp_path):
    """The content of a file that is larger than its known start."""
    path = tmp_path / "file"
    path.write_bytes(b"any")
    with Content(path, SIZES._replace(start=1)) as opened:
        yield opened


@pytest.fixture
def threads():
    """The threads that a test starts; all must end."""
    before = set(threading.enumerate())  # threads of earlier tests may end meanwhile
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before


@pytest.mark.usefixtures("threads")
def test_parts_keep_their_order_and_an_error_comes_after_those_before(content):
    def parts():
        yield from range(3 * AHEAD)
        raise ValueError("unreadable")

    def parsed(number):
        time.sleep(number % 3 / 1000)
        return -number

    read = parsed_ahead(parts(), parsed, content)
    assert [next(read) for _ in range(3 * AHEAD)] == [-number for number in range(3 * AHEAD)]
    with pytest.raises(ValueError, match="unreadable"):
        next(read)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("is_in_a_part", [True, False], ids=["reads", "parses"])
def test_thread_that_collects_its_own_generator_ends(content, is_in_a_part):
    is_dropped = threading.Event()

    def collecting(number):
        if number == 2:
            is_dropped.wait()
            gc.collect()
        return number

    parts = iter(range(100))
    parsed = collecting
    if is_in_a_part:
        parts = map(collecting, parts)
        parsed = abs
    read = parsed_ahead(parts, parsed, content)
    assert next(read) == 0
    cycle = [read]
    cycle.append(cycle)
    del read, cycle
    is_dropped.set()


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("is_parsed", [True, False], ids=["parsed", "only read"])
def test_generator_ends_while_another_one_starts_its_thread(content, is_parsed):
    may_read = threading.Event()

    def parts():
        yield 0
        may_read.wait()
        yield from range(100)

    read = read_ahead(parts(), content)
    if is_parsed:
        read = parsed_ahead(parts(), abs, content)
    assert next(read) == 0

    def end():
        with _global_shutdown_lock:  # the garbage collector may run in any call of submit
            may_read.set()
            read.close()

    ending = threading.Thread(target=end, daemon=True)
    ending.start()
    ending.join(60)
    assert not ending.is_alive()


@pytest.mark.usefixtures("threads")
def test_caller_takes_no_lock_that_a_signal_could_leave_taken(content, monkeypatch):
    read = parsed_ahead(iter(range(100)), abs, content)
    assert next(read) == 0
    enter = threading.Condition.__enter__

    def entered(condition):
        assert threading.current_thread() is not threading.main_thread()
        return enter(condition)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Condition, "__enter__", entered)
        assert list(read) == list(range(1, 100))

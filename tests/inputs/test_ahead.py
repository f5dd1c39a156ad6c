"""Threads that read in advance: the order of what they read, and their end."""

import gc
import threading
import time
import weakref
from concurrent.futures.thread import _global_shutdown_lock

import pytest

from ir_measures_graded.files import reading_threads
from ir_measures_graded.files.ahead import parsed_ahead, read_ahead
from ir_measures_graded.files.content import SIZES, Content
from ir_measures_graded.files.reading_threads import AHEAD, BegunParts
from ir_measures_graded.progress import counter, followed, steps


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


@pytest.mark.usefixtures("threads")
def test_a_thread_reads_the_first_part_at_once_and_the_caller_reads_on():
    readers = []
    is_read = threading.Event()

    def parts():
        for number in range(3):
            readers.append(threading.current_thread())
            is_read.set()
            yield number

    begun = BegunParts(parts())
    assert is_read.wait(60)
    assert list(begun.parts()) == [0, 1, 2]
    assert readers[0] is not threading.main_thread()
    assert readers[1:] == [threading.main_thread()] * 2


@pytest.mark.usefixtures("threads")
def test_the_first_part_is_not_kept_while_others_are_read():
    class Part:
        pass

    read = BegunParts(Part() for _ in range(2)).parts()
    first = weakref.ref(next(read))
    second = next(read)
    assert first() is None
    assert second is not None
    read.close()


@pytest.mark.usefixtures("threads")
def test_error_of_a_function_that_is_told_closes_the_parts_at_once():
    is_closed = threading.Event()

    def parts():
        try:
            yield from steps([1], "numbers")
        finally:
            is_closed.set()

    def told(*_):
        raise ValueError("told")

    with followed(told):
        read = BegunParts(parts()).parts()
        with pytest.raises(ValueError, match="told"):
            list(read)
    assert is_closed.is_set()


@pytest.mark.usefixtures("threads")
def test_parts_are_closed_if_a_signal_comes_when_the_first_one_was_taken(monkeypatch):
    monkeypatch.setattr(reading_threads, "PATIENCE", 1)
    is_closed = threading.Event()

    def parts():
        try:
            yield from range(3)
        finally:
            is_closed.set()

    begun = BegunParts(parts())
    first = begun._first

    class Interrupted:
        def get(self, **_):
            first.get(timeout=60)
            raise KeyboardInterrupt

    begun._first = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        next(begun.parts())
    assert is_closed.is_set()


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("first", [[], [0]], ids=["at once", "after a part"])
def test_error_of_parts_that_have_begun_comes_in_its_place(first):
    def parts():
        yield from first
        raise ValueError("unreadable")

    read = BegunParts(parts()).parts()
    assert [next(read) for _ in first] == first
    with pytest.raises(ValueError, match="unreadable"):
        next(read)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("is_slow", [False, True], ids=["read", "still read"])
def test_parts_that_nobody_needs_are_closed(is_slow, monkeypatch):
    monkeypatch.setattr(reading_threads, "PATIENCE", 0.01)
    may_read = threading.Event()
    is_closed = threading.Event()

    def parts():
        try:
            may_read.wait()
            yield from range(3)
        finally:
            is_closed.set()

    begun = BegunParts(parts())
    if not is_slow:
        may_read.set()
        begun._end_of_first.put(begun._end_of_first.get())  # waits for the first part
    begun.close()
    assert is_closed.is_set() is not is_slow
    del begun
    may_read.set()
    assert is_closed.wait(60)


@pytest.mark.usefixtures("threads")
def test_a_function_that_raises_is_told_no_further_steps():
    calls = []

    def parts():
        work = counter("numbers", 2)
        try:
            work.step()
            work.step()
            yield 1
        finally:
            work.end()

    def told(*step):
        calls.append(step)
        raise ValueError("told")

    with followed(told):
        begun = BegunParts(parts())
        begun._end_of_first.put(begun._end_of_first.get())  # waits for the first part
        with pytest.raises(ValueError, match="told"):
            list(begun.parts())
    assert calls == [("numbers", 1, 2)]


@pytest.mark.usefixtures("threads")
def test_what_an_error_refers_to_ends_with_parts_that_nobody_needs():
    class Opened:
        pass

    def parts():
        opened = Opened()
        references.append(weakref.ref(opened))
        yield from []
        raise ValueError("unreadable")

    references = []
    gc.disable()
    try:
        begun = BegunParts(parts())
        begun.close()
        del begun
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and "_read_first" in repr(thread):
                thread.join(60)
        assert references[0]() is None
    finally:
        gc.enable()

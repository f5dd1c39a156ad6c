"""Starts the command `ir_measures_graded` quickly.

The module is beside the package, since it must act before the package imports NumPy.
"""

import atexit
import gc
import os
import signal
import sys
from types import FrameType

collector_waits = False
"""Whether the garbage collector waits for the end of the imports."""
is_whole_process = False
"""Whether this process runs the command and nothing else. It then imports only the measures that
are named.
"""


def end_on_interrupt() -> None:
    """Let Ctrl-C end the process at once while modules are imported, without a traceback.

    The command line sets a handler of its own when it has been imported.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def is_running_package() -> bool:
    """Whether this process is ``python -m ir_measures_graded``, which imports the package first.

    Until then, Python has "-m" in place of the path of the module, whose name is before the other
    arguments.
    """
    return sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)] == "ir_measures_graded"


def prepare_imports() -> None:
    """Prepare the process for the imports of the command line, before the one of NumPy.

    OpenBLAS would start a thread for each core, and these wait at the cost of a small evaluation:
    it starts none unless the environment sets their number. The garbage collector would search
    modules in vain; `end_imports` enables it again.
    """
    global collector_waits
    os.environ.setdefault("OPENBLAS_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
    end_on_interrupt()
    gc.disable()
    collector_waits = True


def prepare_process() -> None:
    """Prepare a process for the imports of the command, which is all that the process runs unless a
    prompt comes.
    """
    global is_whole_process
    is_whole_process = not _has_prompt()
    prepare_imports()


def end_imports() -> None:
    """Let the garbage collector work again if it waits. It never searches what exists by now."""
    global collector_waits
    if collector_waits:
        gc.freeze()
        gc.enable()
        collector_waits = False


def main() -> int:
    """Run the command line; returns the exit status, see `ir_measures_graded.cli.main`."""
    prepare_imports()
    from ir_measures_graded.cli import main as run

    status = run()
    gc.freeze()  # Python searches all others once more before it ends.
    return status


def script() -> int:
    """Run the command line as the installed script and ``python -m`` do; returns the exit status.

    If nothing follows, the process ends at once. Python would first free each object, which takes
    as long as reading a small run.
    """
    global is_whole_process
    is_whole_process = _is_last(sys._getframe(1))
    status = main()
    if _is_last(sys._getframe(1)) and _is_finished():
        os._exit(status)
    return status


def _is_last(caller: FrameType) -> bool:
    """Whether only the end of the process follows: the caller is the script itself or the module
    of ``python -m``, which `runpy` runs, not a profiler or another program, no prompt comes, and no
    thread is left.
    """
    import threading

    outer = caller.f_back
    while outer is not None and outer.f_globals.get("__name__") == "runpy":
        outer = outer.f_back
    is_script = outer is None and caller.f_globals["__name__"] == "__main__"
    return is_script and not _has_prompt() and threading.active_count() == 1


def _has_prompt() -> bool:
    """Whether a prompt comes after the command."""
    return bool(sys.flags.inspect or os.environ.get("PYTHONINSPECT"))


def _is_finished() -> bool:
    """Call what wants to be called at the end, and tell whether all output could be written."""
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True

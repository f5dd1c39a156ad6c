"""The program: help, channels, exit statuses and interrupts."""

import os
import signal
import subprocess
import sys
import time
import warnings

import pytest
from command_line import ENVIRONMENT, PROGRAM, command, many_runs

import ir_measures_graded
from distributions import distribution
from ir_measures_graded import cli
from ir_measures_graded.registry import plugins


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_ends_quietly_with_141(unbuffered):
    process = subprocess.Popen(
        [*PROGRAM, "measures"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered},
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), errors) == (141, b"")


# A shell starts background processes, perhaps this test, with SIGINT ignored.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("ir_measures_graded", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe to know when the command reads")
def test_ctrl_c_ends_quietly_with_130():
    os.mkfifo("pipe")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "evaluate", "pipe", "run", "AP"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    with open("pipe", "w"):  # open() returns when the command reads
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, (b"", b""))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_the_command(folder, how):
    distribution(
        folder,
        "slow",
        """
        import os, time
        from ir_measures_graded import TopicMeasure, hookimpl

        class Slow(TopicMeasure):
            NAME = "Slow"
            SHORT_DESC = "Takes its time."

            def value(self, topic):
                open(f"process{os.getpid()}", "w").close()
                time.sleep(60)
                return 0

        @hookimpl
        def graded_measures():
            return [Slow()]
        """,
    )
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "evaluate", "qrels", *many_runs(4), "Slow", "--jobs", "2"],
        stdout=subprocess.PIPE,  # every worker holds it open until it ends
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(folder)])},
        start_new_session=True,
    )
    while len(list(folder.glob("process*"))) < 2 and process.poll() is None:
        time.sleep(0.05)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # like a terminal
    else:
        process.send_signal(how)
    out, err = process.communicate(timeout=30)
    if how == signal.SIGINT:
        assert (process.returncode, out, err) == (130, b"", b"")
    else:  # Python may report resources that the killed process left
        assert (process.returncode, out) == (-how, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_device_is_reported_once():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "measures"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr == "ir_measures_graded: error: cannot write the output: No space left on device\n"


def test_characters_that_the_terminal_lacks_are_escaped():
    done = command("measures", "nCG", environment={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u03a3" in done.stdout


def test_version_and_help(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"ir_measures_graded {ir_measures_graded.__version__}\n"
    for arguments in (["--help"], *([name, "--help"] for name in cli.COMMANDS)):
        assert cli.main(arguments) == 0
        assert capsys.readouterr().out.startswith("usage: ir_measures_graded")


def test_a_warning_is_one_line(capsys, monkeypatch):
    def commands(arguments):
        warnings.warn("plugin 'x' of y 1.0 is skipped: no reason", plugins.PluginWarning, stacklevel=1)
        return ["done"]

    monkeypatch.setitem(cli.COMMANDS, "warn", (lambda parser: None, commands))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert cli.main(["warn"]) == 0
    assert capsys.readouterr() == (
        "done\n",
        "ir_measures_graded: warning: plugin 'x' of y 1.0 is skipped: no reason\n",
    )
    assert cli.main(["warn"]) == 2  # warnings are errors in this test suite
    assert capsys.readouterr() == (
        "",
        "ir_measures_graded: error: plugin 'x' of y 1.0 is skipped: no reason\n",
    )


def test_evaluate_imports_no_optional_library():
    code = (
        "import sys, ir_measures_graded.cli as cli; cli.main(['evaluate', 'qrels', 'run', 'nCG', 'AP']); "
        "print(sorted({'pandas', 'ir_datasets', 'tqdm', 'scipy'} & set(sys.modules)))"
    )
    done = command("-c", code, program=[sys.executable], text=True)
    assert done.stdout.splitlines()[-1] == "[]"

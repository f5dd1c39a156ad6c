"""Tab completion, by a real bash."""

import shutil
import sys
from pathlib import Path

import pytest

from command_line import command

LINES = {
    "eva": "evaluate",
    "compare --basel": "--baseline",
    "curves qre": "qrels",
    "evaluate qrels nDCG_J": "nDCG_JK",
    "evaluate qrels ru": "run",
    "compare nDCG_J": "nDCG_JK",
    "evaluate qrels run --by_query nDCG_J": "nDCG_JK",
    "judges a b --merge ma": "majority",
    "report qrels -o ru": "run",
    "evaluate --sessions qre": "qrels",
    "levels --qui": "--quiet",
    "--print-completion z": "zsh",
}


def test_bash_completes_commands_options_choices_files_and_measures(output, folder):
    pytest.importorskip("shtab", reason="shtab is not installed")
    if not shutil.which("bash"):
        pytest.skip("needs bash")
    Path("script").write_text("\n".join(output("--print-completion", "bash")))
    calls = ["source ./script", "complete -p ir_measures_graded"]
    for line in LINES:
        words = line.split()
        calls += [
            f"COMP_WORDS=(ir_measures_graded {line}); COMP_CWORD={len(words)}",
            "_shtab_ir_measures_graded; echo ${COMPREPLY[@]}",
        ]
    done = command("-c", "; ".join(calls), program=["bash"], text=True)
    registered, *completed = done.stdout.splitlines()
    assert registered.endswith("-F _shtab_ir_measures_graded ir_measures_graded")
    assert completed == list(LINES.values())


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh"])
def test_other_shells_have_a_script_with_the_measures(output, shell):
    pytest.importorskip("shtab", reason="shtab is not installed")
    script = "\n".join(output(f"--print-completion={shell}"))
    assert "evaluate" in script
    assert ("nDCG_JK" in script) == (shell != "tcsh")


FISH_LINES = {
    "eva": "evaluate",
    "compare --basel": "--baseline",
    "evaluate qrels nDCG_J": "nDCG_JK",
    "evaluate qrels ru": "run",
    "evaluate --format=cs": "--format=csv",
}


def test_fish_completes_commands_options_choices_files_and_measures(output, folder):
    pytest.importorskip("shtab", reason="shtab is not installed")
    if not shutil.which("fish"):
        pytest.skip("needs fish")
    Path("script").write_text("\n".join(output("--print-completion", "fish")))
    calls = ["source script"]
    calls += [f"complete -C 'ir_measures_graded {line}'" for line in FISH_LINES]
    done = command("-c", "; ".join(calls), program=["fish", "--no-config"], text=True)
    completed = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert completed == list(FISH_LINES.values())


def test_zsh_and_tcsh_complete_all_arguments_and_values_behind_an_equals_sign(output):
    pytest.importorskip("shtab", reason="shtab is not installed")
    zsh = output("--print-completion", "zsh")
    assert "(*):" not in "\n".join(zsh[:-20])
    assert any(line.startswith('  "*:run files') for line in zsh)
    assert any(line.startswith('  "--figure=[') for line in zsh)
    assert any(r"]:FILE\:COLUMN:_files" in line for line in zsh)
    assert output("--print-completion", "tcsh")[-1].endswith("'p/*/f/'")


def test_an_unknown_shell_and_a_missing_library_are_refused(refusal, monkeypatch):
    pytest.importorskip("shtab", reason="shtab is not installed")
    message = refusal("--print-completion", "ksh")
    assert message.startswith("'ksh' is not a shell with completion; the shells are bash, zsh, ")
    message = refusal("--print-completion")
    assert message == "--print-completion needs the name of one shell, such as bash"
    monkeypatch.setitem(sys.modules, "shtab", None)
    message = refusal("--print-completion", "bash")
    assert message.startswith("tab completion needs shtab, which is not installed: pip install ")
    assert "[terminal]" in message

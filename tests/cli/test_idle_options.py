"""Options that have no effect beside the others: a note says why."""

import pytest

from ir_measures_graded import cli

RANDOM = "nothing is drawn at random without --tests tukey or randomisation"
BANDS = "topics are drawn at random for the bands of --confidence alone"
FIGURE = "nothing is drawn without a file that has a figure, as -o x.png"
NO_WORDS = "no level in the qrels is one of these words"
RUNS = "qrels run other CG@1"


@pytest.mark.parametrize(
    ("line", "notes"),
    [
        (f"compare {RUNS} --seed 3 --resamples 9", {"resamples": RANDOM, "seed": RANDOM}),
        (f"compare {RUNS} --seed 3 --tests conover,randomisation", {}),
        (f"compare {RUNS} --seed 3 --show tests", {}),
        (f"curves {RUNS} --seed 3 --highlight run", {"highlight": FIGURE, "seed": BANDS}),
        (f"curves {RUNS} --seed 3 --confidence 0.9 --resamples 100", {}),
        (
            "curves qrels run nCG@1 --topic q1 --ratio_of_means",
            {"ratio_of_means": "the curves of one"},
        ),
        (f"evaluate {RUNS} --figure box", {"figure": FIGURE}),
        (f"evaluate {RUNS} --levels Bad:0", {"levels": NO_WORDS}),
        ("evaluate words run CG@1 --levels Bad:0,Good:1", {}),
        ("judges qrels qrels --ascending", {"ascending": "no runs and measures are named"}),
        (f"judges qrels {RUNS} --ascending", {}),
        ("judges qrels other_qrels --merge mean --seed 1", {"seed": "--merge draws nothing"}),
    ],
)
def test_options_without_effect_are_told(line, notes, capsys, tmp_path):
    (tmp_path / "words").write_text("q1 0 d1 Bad\nq1 0 d2 Good\n", encoding="utf-8")
    (tmp_path / "other_qrels").write_text("q1 0 d1 1\nq1 0 d2 1\n", encoding="utf-8")
    assert cli.main(line.split()) in (0, None)
    told = capsys.readouterr().err.splitlines()
    lines = [line for line in told if "has no effect" in line]
    assert len(lines) == len(notes)
    for (name, reason), told_line in zip(notes.items(), lines, strict=True):
        assert f"note: --{name} has no effect: {reason}" in told_line


def test_options_of_tables_that_have_no_effect_are_told(capsys, tmp_path):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    rows = [
        f"{run},{topic},{topic / (2 + place)}"
        for place, run in enumerate("AB")
        for topic in range(3)
    ]
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text("run,query_id,AP\n" + "\n".join(rows), encoding="utf-8")
    assert cli.main("leaderboards one.csv two.csv AP --means --form tot".split()) in (0, None)
    told = capsys.readouterr().out
    assert "one.csv: the option means has no effect, as there are values by topic." in told
    assert "two.csv: the option form has no effect, as columns have names." in told
    assert cli.main("reproduce one.csv two.csv AP --baseline A --pooled".split()) in (0, None)
    assert "The option pooled has no effect" in capsys.readouterr().out

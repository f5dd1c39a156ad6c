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
        (
            "judges qrels other_qrels --merge mean --confidence .9 --width .1",
            {"confidence": "--merge has no intervals", "width": "--merge has no intervals"},
        ),
        (
            f"judges qrels {RUNS} --show levels --seed 1 --ascending",
            {"ascending": "--show levels is about judgments", "seed": "--show levels has no inter"},
        ),
        (
            "judges qrels other_qrels --show kappas --seed 1 --confidence .9 --resamples 100",
            {},
        ),
        (f"compare {RUNS} --correction bonferroni", {"correction": "two runs have one difference"}),
        (
            f"compare {RUNS} --show topics --alpha .01 --tests wilcoxon",
            {"tests": "--show topics has no tests", "alpha": "--show topics has no tests"},
        ),
        (f"compare {RUNS} --show means --baseline run", {"baseline": "--show means has no tests"}),
        (
            f"compare {RUNS} --show topics --weights weights:w",
            {"weights": "--show topics has the values of topics, and no weight is 0"},
        ),
        (
            "evaluate qrels run CG@1 --show topics --weights weights:w",
            {"weights": "--show topics has the values of topics, and no weight is 0"},
        ),
        ("evaluate qrels run CG@1 --show topics --weights weights:zero", {}),
        ("evaluate qrels run CG@1 --columns query_id=a", {"columns query_id=a": "no file that is"}),
        (
            "evaluate named run CG@1 --columns query_id=a,doc_id=item",
            {"columns doc_id=item": "no file that is read has this column"},
        ),
        ("evaluate named run CG@1 --columns query_id=a --jobs 2", {}),
        (
            "check qrels run CG@1 --gains exp --no_relevant skip --ties mean",
            {
                "ties": "check computes no values",
                "no_relevant": "check computes no values",
                "gains": "check computes no values, and the qrels have all of its levels",
            },
        ),
        ("check qrels run CG@1 --gains 7:1 --ties given", {}),
        ("explain qrels run CG@1 --no_relevant skip", {"no_relevant": "explain shows a topic by"}),
    ],
)
def test_options_without_effect_are_told(line, notes, capsys, tmp_path):
    (tmp_path / "words").write_text("q1 0 d1 Bad\nq1 0 d2 Good\n", encoding="utf-8")
    (tmp_path / "other_qrels").write_text("q1 0 d1 1\nq1 0 d2 1\n", encoding="utf-8")
    (tmp_path / "weights").write_text("topic,w,zero\nq1,1,0\nq2,2,3\n", encoding="utf-8")
    (tmp_path / "named").write_text("a,docno,label\nq1,d1,1\nq1,d2,2\n", encoding="utf-8")
    assert cli.main(line.split()) in (0, 1, None)
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

"""The command `curves`: its options, and the names of measures."""

from ir_measures_graded import demo
from ir_measures_graded.analysis import curves

A = str(demo.run_paths()["A"])


def test_options_reach_the_analysis(output):
    options = {"normalise": "averages", "confidence": 0.8, "resamples": 50, "seed": 3}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    runs = {name: str(path) for name, path in demo.run_paths().items()}
    lines = output("curves", demo.NAME, *runs.values(), "nCG", "--depth", 4, "--ideal", *words, "-p", "-1")
    _, rows = curves(demo.qrels_path(), runs, "nCG", 4, ideal=True, **options).table()
    assert [list(map(float, line.split())) for line in lines[lines.index("") + 2 : -2]] == rows
    assert lines[-1] == "80 % pointwise percentile bands"
    assert "ideal" not in output("curves", demo.NAME, A, "CG", "--no-ideal")[0]


def test_the_cutoff_of_a_trec_eval_name_is_the_depth(output):
    cut = output("curves", demo.NAME, A, "ndcg_cut_3")
    assert cut == output("curves", demo.NAME, A, "nDCG", "--depth", 3)
    assert len(cut) == 6

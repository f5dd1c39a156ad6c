"""The command `demo`."""

from pathlib import Path

from ir_measures_graded import demo
from ir_measures_graded.cli.demo import MEASURES


def test_the_best_run_of_the_demo_depends_on_the_gains(output):
    head, *rows = [line.split() for line in output("demo")[2:-2]]
    assert head == ["measure", "A", "B", "C", "D", "E"]
    means = {measure: values for measure, *values in rows}
    assert list(means) == list(MEASURES)
    binary, steep = MEASURES[:2]
    assert max(means[binary]) == means[binary][4]  # of run E
    assert max(means[steep]) == means[steep][3]  # of run D
    _, *lines = output("evaluate", "graded-demo", *demo.run_paths().values(), steep)
    assert [line.split("\t")[1] for line in lines] == means[steep]


def test_copy_writes_the_collection_but_never_over_another_file(output, refusal):
    assert output("demo", "--copy", "new/here") == output("demo", "--copy", "new/here")
    copies = {path.name: path.read_bytes() for path in Path("new/here").glob("*.run")}
    assert copies == {path.name: path.read_bytes() for path in demo.run_paths().values()}
    Path("E.run").write_text("mine")
    assert refusal("demo", "--copy", ".").startswith("'./E.run' is another file")

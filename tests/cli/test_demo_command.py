"""The command `demo`."""

import shlex
from pathlib import Path

from ir_measures_graded import demo
from ir_measures_graded.cli.demo import MEASURES


def test_the_demo_prints_values_and_working_commands(output):
    lines = output("demo")
    head = next(number for number, line in enumerate(lines) if line.startswith("measure "))
    assert lines[head].split() == ["measure", "A", "B", "C", "D", "E"]
    table = {
        line.split()[0]: [float(value) for value in line.split()[1:]] for line in lines[head + 1 : head + 7]
    }
    assert set(table) == set(MEASURES)
    # The best run depends on the gains of the high levels.
    binary, steep = "nCG(gains=0:0,1:1,2:1,3:1)@100", "nCG(gains=0:0,1:1,2:10,3:100)@100"
    assert table[binary].index(max(table[binary])) != table[steep].index(max(table[steep]))
    for text, values in table.items():
        lines_of_runs = output("evaluate", "graded-demo", *demo.run_paths().values(), text)[1:]
        assert [float(line.split("\t")[1]) for line in lines_of_runs] == values
    commands = [shlex.split(line) for line in lines if line.startswith("  ir_measures_graded ")]
    assert len(commands) >= 3
    for _, *arguments in commands:
        assert output(*arguments)


def test_copy_writes_the_collection_but_never_over_another_file(output, refusal):
    assert output("demo", "--copy", "new/here") == output("demo", "--copy", "new/here")
    assert Path("new/here/qrels.txt").read_bytes() == demo.qrels_path().read_bytes()
    values = {path.name: path.read_bytes() for path in Path("new/here").glob("*.run")}
    assert values == {path.name: path.read_bytes() for path in demo.run_paths().values()}
    Path("E.run").write_text("mine")
    assert refusal("demo", "--copy", ".").startswith("'./E.run' is another file")

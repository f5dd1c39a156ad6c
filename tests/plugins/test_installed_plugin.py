"""This package and the example plugin, built and installed into a new environment."""

import json
import shutil
import tarfile
import zipfile

import pytest

import ir_measures_graded
from distributions import EXAMPLE, REPOSITORY, run

pytestmark = pytest.mark.install


def package_files() -> set[str]:
    folder = REPOSITORY / "src"
    names = set()
    for path in (folder / "ir_measures_graded").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            names.add(str(path.relative_to(folder)))
    return names


def test_wheel_contains_exactly_the_package_and_its_command(built):
    (wheel,) = built.glob("ir_measures_graded-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in names if ".dist-info/" not in name}
    assert package == package_files() | {"ir_measures_graded_command.py"}
    assert "ir_measures_graded/py.typed" in package
    metadata = f"ir_measures_graded-{ir_measures_graded.__version__}.dist-info"
    assert {
        f"{metadata}/METADATA",
        f"{metadata}/entry_points.txt",
        f"{metadata}/licenses/LICENSE",
    } <= names


def test_source_distribution_contains_the_tests(built):
    (source,) = built.glob("ir_measures_graded-*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tox.ini", "tests/conftest.py"} <= names
    test_of_example, *_ = EXAMPLE.rglob("test_*.py")
    assert f"docs/example-plugins/rhl/{test_of_example.relative_to(EXAMPLE)}" in names


def test_plugin_tests_pass(fresh, tmp_path):
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "src")  # test the installed package
    words = ["-m", "pytest", "--pyargs", "ir_measures_rhl", "tests"]
    assert " passed" in run(fresh / "python", *words, folder=tmp_path)


def test_plugin_measure_works_in_ir_measures(fresh):
    code = """
import ir_measures, ir_measures_graded
measure = ir_measures.parse_measure("RHL(gains=0:0,1:1,3:100)@10")
qrels, run = {"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
print(measure, ir_measures.calc_aggregate([measure], qrels, run)[measure], ir_measures_graded.RHL)
"""
    assert run(fresh / "python", "-c", code) == "RHL(gains={3:100})@10 1.495 RHL\n"


def test_plugin_measure_works_on_the_command_line(fresh):
    program = fresh / "ir_measures_graded"
    (line,) = run(program, "evaluate", "graded-demo", "--scoreddocs", "RHL@100").splitlines()
    name, value = line.split("\t")
    assert name == "RHL@100"
    assert 1 < float(value) < 100
    page = run(program, "measures", "RHL").lower()
    for fact in ("rhl", "ranked half-life", "ir-measures-rhl 1.0", "borlund & ingwersen 1998"):
        assert fact in page
    lines = run(program, "measures", "--plugins").splitlines()
    (line,) = [line for line in lines if "RHL" in line]
    for fact in ("ir-measures-rhl", "1.0", "loaded"):
        assert fact in line


def test_plugin_measure_works_in_pyterrier(fresh):
    code = """
import json
import pyterrier as pt
data = pt.get_dataset("irds:graded-demo")
metrics = ["RHL@100", "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100", "nDCG@10", "map"]
metrics.append(pt.graded.RHL @ 5)
systems = {"run": data.get_results()}
frame = pt.Experiment(systems, data.get_topics(), data.get_qrels(), metrics)
print(json.dumps(frame.set_index("name").to_dict("index")["run"]))
"""
    means = json.loads(run(fresh / "python", "-c", code))
    paper = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"
    assert set(means) == {"RHL@100", paper, "nDCG@10", "map", "RHL@5"}
    measures = [name.replace("map", "AP") for name in means]
    words = ["evaluate", "graded-demo", "--scoreddocs", "-p", 6, *measures]
    lines = run(fresh / "ir_measures_graded", *words).splitlines()
    values = [float(line.split("\t")[1]) for line in lines]
    assert list(means.values()) == pytest.approx(values, abs=1e-6)

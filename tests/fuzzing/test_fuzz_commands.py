"""Valid commands with runs of any name and files of every kind, changed in a few places or not at all."""

import csv
import io
import json
import os
import shlex
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from mutations import measure_strings, mutated
from outcome import check, folder

from command_line import OTHER, QRELS, RUN
from ir_measures_graded import GradedError, GradedMeasure, parse_measure

VALID = """
evaluate qrels {} other nDCG_JK@2 P@2
evaluate qrels {} muAP -q -f jsonl
evaluate qrels {} other AP --confidence 0.9 --interval t
evaluate qrels {} nCG@2 --gains w1 --gains $a$=1:1,2:10
compare qrels {} other third nDCG_JK@2 --resamples 20
compare qrels {} other AP --baseline {} --alpha 0.1 --resamples 20
power qrels {} other third nDCG_JK@2 AP --test t-holm --differences 0.1 --resamples 20
curves qrels {} other nDCG_JK --depth 3
curves qrels {} other CG --at 1,2 --baseline {}
curves qrels {} P@3 --confidence 0.9 --resamples 20
explain qrels {} nDCG_JK@3 --topic q1
ranges qrels {} other nDCG_JK@2 ERR_G@2 --draws 5
ranges qrels {} other CG@2 --show differences --draws 0
sensitivity qrels {} other third nCG --cutoffs 1,2 --gains exp --gains $a$=1:1 --show ranks
sensitivity qrels {} other nDCG_JK@1 P@1 --show tau
holes qrels {} other nDCG_JK@3 --batch 2 --ask ask.csv
judges qrels machine {} other P@2 --baseline {}
judges qrels machine --show levels
levels qrels
check qrels {} other nDCG_JK@2 P(rel=2)@1
gate qrels {} other nDCG_JK@2 P@1 --margin 5%
gate qrels other {} AP --margin 0.1 --equivalent -f json
convert {} converted.csv
convert qrels converted.json --qrels
identify qrels {} --mean 0.5 --decimals 1
measures nDCG_JK muAP
demo
report qrels {} other nDCG_JK@2 --title <$x$>
"""
LEVELS = QRELS + "".join(f"q{n} 0 d1 {n % 3}\nq{n} 0 d2 1\n" for n in range(3, 14))
THIRD = "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 2 a\nq2 Q0 d9 1 1e-3 a\nq2 Q0 d1 1 1e-3 a\n"
NUMBERS = ["", "1 ", *"0 1 2 3 10 0.5 0.95 -1 -5 1e3 1e300 1e-300 nan inf x 1,2 5,3,3 0.05,0.1 ٣".split()]
NUMBERS += ["1000000000000", "99999999999999999999"]
NAMES = ["run", "other", "qrels", "third", "-", "none", "run.txt", ".", "a/b", ""]
OUTPUTS = [f"out.{ending}" for ending in "tsv csv jsonl md tex txt TSV x svg html".split()]
OUTPUTS += ["out", "qrels", "run", ".", "no/out.tsv", "", "/dev/full", "out.tsv/"]
VALUES: dict[str, list[str]] = {
    "--confidence --alpha --power --seed --batch --depth --differences --at --cutoffs": NUMBERS,
    "-p --draws --resamples": NUMBERS,
    "-o --merged --ask": OUTPUTS,
    "--margin": ["0", "0.05", "5%", "5", "-1%", "x"],
    "--mean --decimals": NUMBERS,
    "--every-group --equivalent": [],
    "--baseline --answers --queries --title": NAMES,
    "--topic": ["q1", "q2", "q9", ""],
    "--run_column": ["run", "system", ""],
    "-q -n --ideal --no-ideal --plugins --help": [],
    "--gains": "w1 w10 exp linear a=1:1,2:10 a=1:1 =1:1 a= a=1:nan a=1e999:1 a=1:-1".split(),
    "-f": ["text", "tsv", "csv", "jsonl", "markdown", "latex", "json", ""],
    "--output_format": ["tsv", "jsonl", "markdown"],
    "--interval": ["bootstrap", "t", "z"],
    "--test": ["tukey", "t", "t-holm", "wilcoxon", "wilcoxon-holm"],
    "--show": "power topics values differences tau ranks means agreement orders".split(),
    "--normalise": ["topics", "averages"],
    "--machine_levels": ["0:0,5:1", "0:0", "1:1,0:0", "", "x", "nan:1", "0:nan", "0:0,0:1"],
    "--merge": ["human-first"],
    "--provider": ["graded", "pytrec_eval", "judged", "runtime", "cwl_eval", "none"],
    "--jobs": ["1", "0", "x"],
}
"""Values of options, allowed ones and others."""
OPTIONS = {option: values for options, values in VALUES.items() for option in options.split()}
SUFFIXES = ["txt", "tsv", "csv", "jsonl", "md", "tex", "html", "svg", "pdf", "png", "CSV"]
PIECES = [*"$_\ufeff\x01\n\t\udcff\uffff\u202e\U0001f600\"'|\\, *-=", "検索", "e\u0301", "x" * 90]
PIECES += "<b> &amp; {} %s @2 .run .gz".split()
names = (
    st.lists(st.sampled_from(PIECES) | st.text(max_size=2), min_size=1, max_size=4)
    .map(lambda pieces: "".join(pieces).replace("/", "").replace("\0", ""))
    .filter(lambda name: name.strip(".- ") == name != "" and len(os.fsencode(name)) < 250)
)


@st.composite
def commands(draw: st.DrawFn) -> tuple[list[str], list[str], str]:
    """The words of a valid command, those words changed in one place or not at all, and a name of a run."""
    name = draw(names)
    line = draw(st.sampled_from(VALID.strip().splitlines()))
    words = [name if word == "{}" else word for word in shlex.split(line)]
    suffixes = draw(st.lists(st.sampled_from(SUFFIXES), max_size=3, unique=True))
    for suffix in {"convert": [], "report": ["html"][: len(suffixes)]}.get(words[0], suffixes):
        words += ["-o", f"out.{suffix}"]
    changed = list(words)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 1, 2, 3]))):
        place = draw(st.integers(1, len(changed)))
        option = draw(st.sampled_from(sorted(OPTIONS)))
        inserted = [option, *([draw(st.sampled_from(OPTIONS[option]))] if OPTIONS[option] else [])]
        other = st.sampled_from(OPTIONS.get(changed[place - 1]) or ["other"]) | measure_strings(1)
        how = draw(st.sampled_from(["replace", "insert", "remove"]))
        new = {"replace": [draw(other)], "insert": inserted, "remove": []}[how]
        changed[place : place + (how != "insert")] = new
    return words, changed, name


def test_valid_commands_changed_in_a_few_places(repeat, counts):
    good = st.just(LEVELS.encode())

    @given(commands(), good | mutated(good), good | mutated(good))
    def one(drawn, qrels, machine):
        words, changed, name = drawn
        contents = {"qrels": qrels, "machine": machine, "other": OTHER.encode(), "third": THIRD.encode()}
        with folder(**contents):
            if name not in contents:
                Path(name).write_text(RUN)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing|Matplotlib's font lacks")
                outcome = check(changed, stdin=RUN.encode())
            if changed == words and name not in contents and qrels == machine == LEVELS.encode():
                drawn_as = {word[-3:] for word in words} & {"svg", "pdf", "png"}
                no_glyph = "font lacks" in outcome.err and drawn_as & {"pdf", "png"}
                refused = no_glyph or (words[0] == "measures" and drawn_as)
                assert (outcome.status == 2) == bool(refused), outcome
            for file in Path().glob("out.*"):
                if file.is_file():
                    read(file)
        counts[f"{words[0]}, exit status {outcome.status}"] += 1

    repeat(one)


def read(file: Path) -> None:
    """Read a file as its ending demands."""
    content = file.read_bytes()
    if file.suffix == ".svg":
        ElementTree.fromstring(content)
    elif file.suffix in (".pdf", ".png"):
        assert content.startswith({".pdf": b"%PDF", ".png": b"\x89PNG"}[file.suffix])
    elif file.suffix in (".csv", ".CSV"):
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
        assert len({len(row) for row in rows}) == 1, content
    elif file.suffix == ".jsonl":
        assert all(isinstance(json.loads(line), dict) for line in content.decode().split("\n")[:-1])
    elif file.suffix == ".tsv":
        assert len({line.count("\t") for line in content.decode().split("\n")[:-1]}) == 1, content
    else:
        assert content.decode()


def test_changed_measure_strings_are_refused_or_read(repeat, counts):
    @given(measure_strings(), st.sampled_from(["measures", "evaluate", "curves", "sensitivity"]))
    def one(text, command):
        inputs = [] if command == "measures" else ["qrels", "run"]
        with folder(qrels=QRELS.encode(), run=RUN.encode()):
            outcome = check([command, *inputs, text])
        counts[f"measure strings, exit status {outcome.status}"] += 1
        try:
            measure = parse_measure(text)
        except GradedError:
            return
        if isinstance(measure, GradedMeasure):
            assert parse_measure(str(measure)) == measure
            assert hash(parse_measure(str(measure))) == hash(measure)

    repeat(one)

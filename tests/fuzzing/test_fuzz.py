"""Valid commands whose words and files are changed a little: refused with a message, or obeyed."""

import csv
import io
import json
import shlex
import warnings
import xml.etree.ElementTree as ElementTree
from importlib import import_module
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from mutations import measure_strings, mutated
from outcome import check, folder

from command_line import OTHER, RUN
from ir_measures_graded import GradedError, GradedMeasure, cli, parse_measure

VALID = """
evaluate qrels run other nDCG_JK@2 P@2 -q
evaluate qrels run other CG --confidence 0.9 --gains exp
compare qrels run other third nDCG_JK@2 --resamples 20
power qrels run other third nDCG_JK@2 AP --differences 0.1
curves qrels run other CG --at 1,2
explain qrels run nDCG_JK@3 --topic q1
ranges qrels run other nDCG_JK@2 ERR_G@2
sensitivity qrels run other third nCG --cutoffs 1,2 --gains exp --gains a=1:1
holes qrels run other nDCG_JK@3 --batch 2 --ask ask.csv
judges qrels machine run other P@2 --show pairs
levels qrels
check qrels run other nDCG_JK@2 P(rel=2)@1
gate qrels run other nDCG_JK@2 P@1 --margin 5%
convert run converted.csv
identify qrels run --mean 0.5 --decimals 1
measures nDCG_JK muAP
demo
report qrels run other nDCG_JK@2 --title x
"""
OPTIONS = {}
for name in cli.COMMANDS:
    OPTIONS[name] = []
    for option in import_module(f"ir_measures_graded.cli.{name}").OPTIONS:
        OPTIONS[name] += [(flag, option) for flag in option.flags]
NUMBERS = "0 1 2 3 10 0.5 0.95 -1 1e3 1e300 1e-300 nan inf x 1,2 5,3,3 0.05,0.1 ٣".split()
NUMBERS += ["1000000000000", "5%", "-1%"]
NAMES = ["", *"run other qrels third - none . a/b out.tsv no/out.tsv /dev/full".split()]
GAINS = "w1 exp a=1:1,2:10 a=1:1 =1:1 a= a=1:nan a=1e999:1 a=1:-1 0:0,5:1 0:0,0:1".split()
UNDRAWN = {*"measures ranges power levels check holes --at".split()}
"""Words of commands without a figure."""
OUTPUTS = [f"out.{ending}" for ending in "txt tsv csv jsonl md tex html svg pdf png CSV".split()]
LEVELS = "".join(f"q{topic} 0 d1 {topic % 3}\nq{topic} 0 d2 1\n" for topic in range(1, 14)).encode()
THIRD = b"q1 Q0 d1 1 2 a\nq1 Q0 d2 2 2 a\nq2 Q0 d9 1 1e-3 a\nq2 Q0 d1 1 1e-3 a\n"


@st.composite
def commands(draw: st.DrawFn) -> tuple[list[str], bool]:
    """The words of a command, and whether they are valid."""
    words = shlex.split(draw(st.sampled_from(VALID.strip().splitlines())))
    command = words[0]
    if command not in ("convert", "report"):
        for name in draw(st.lists(st.sampled_from(OUTPUTS), max_size=2)):
            words += ["-o", name]
    changes = draw(st.sampled_from([0, 0, 1, 1, 1, 2, 3]))
    for _ in range(changes):
        place = draw(st.integers(1, len(words)))
        removed = draw(st.integers(0, 1))
        words[place : place + removed] = draw(new_words(command))
    return words, not changes


@st.composite
def new_words(draw: st.DrawFn, command: str) -> list[str]:
    """No word, a word, or an option of the command with a value, which may have no meaning."""
    flag = "--help"
    values = [*NUMBERS, *NAMES, *GAINS]
    if OPTIONS[command]:
        flag, option = draw(st.sampled_from(OPTIONS[command]))
        values += option.choices or ()
    value = st.sampled_from(values)
    kind = draw(st.sampled_from(["word", "option", "none"]))
    if kind == "word":
        return [draw(value | measure_strings(1))]
    if kind == "option":
        return [flag, draw(value)]
    return []


def test_changed_commands_are_refused_or_obeyed(repeat):
    good = st.just(LEVELS)

    @given(commands(), good | mutated(good), good | mutated(good))
    def one(command, qrels, machine):
        words, is_valid = command
        inputs = {"qrels": qrels, "machine": machine, "run": RUN.encode(), "other": OTHER.encode()}
        with folder(**inputs, third=THIRD), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "no installed font has")
            outcome = check(words, stdin=RUN.encode())
            if is_valid and qrels == machine == LEVELS and not UNDRAWN & {*words}:
                assert outcome.status in (0, 1, 3) or "twice" in outcome.err, outcome
            for file in Path().glob("out.*"):
                assert_readable(file)

    repeat(one)


def assert_readable(file: Path) -> None:
    content = file.read_bytes()
    if file.suffix == ".svg":
        ElementTree.fromstring(content)
    elif file.suffix in (".pdf", ".png"):
        assert content.startswith({".pdf": b"%PDF", ".png": b"\x89PNG"}[file.suffix])
    elif file.suffix.lower() == ".csv":
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
        assert len({len(row) for row in rows}) == 1, content
    elif file.suffix == ".jsonl":
        assert all(isinstance(json.loads(line), dict) for line in content.decode().split("\n")[:-1])
    else:
        assert content.decode()


def test_changed_measure_strings_are_refused_or_read(repeat):
    @given(measure_strings(), st.sampled_from(["measures", "evaluate", "curves", "sensitivity"]))
    def one(text, command):
        inputs = [] if command == "measures" else ["qrels", "run"]
        with folder(qrels=LEVELS, run=RUN.encode()):
            check([command, *inputs, text])
        try:
            measure = parse_measure(text)
        except GradedError:
            return
        if isinstance(measure, GradedMeasure):
            assert parse_measure(str(measure)) == measure
            assert hash(parse_measure(str(measure))) == hash(measure)

    repeat(one)

"""Valid commands with runs of any name and files of every kind, changed in one place at most."""

import csv
import json
import os
import shlex
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from outcome import check, folder
from test_fuzz_options import GOOD_RUN, OPTIONS, QRELS_OF_FIVE, THIRD

from command_line import OTHER

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
holes qrels {} other nDCG_JK@3 --count 2 --ask ask.csv
judges qrels machine {} other P@2 --baseline {}
judges qrels machine --show levels
levels qrels
measures nDCG_JK muAP
demo
report qrels {} other nDCG_JK@2 --resamples 20 --title <$x$>
"""
QRELS = QRELS_OF_FIVE + "".join(f"q{topic} 0 d1 {topic % 3}\nq{topic} 0 d2 1\n" for topic in range(6, 14))
SUFFIXES = ["txt", "tsv", "csv", "jsonl", "md", "tex", "html", "svg", "pdf", "png", "CSV"]
PIECES = [
    "$",
    "_",
    "\ufeff",
    "\x01",
    "\n",
    "\t",
    "\udcff",
    "\uffff",
    "\u202e",
    "検索",
    "\U0001f600",
    "e\u0301",
]
PIECES += [
    "<b>",
    "&amp;",
    '"',
    "'",
    "|",
    "\\",
    ",",
    " ",
    "{}",
    "%s",
    "*",
    "-",
    "=",
    "@2",
    ".run",
    ".gz",
    "x" * 90,
]
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
    for suffix in draw(st.lists(st.sampled_from(SUFFIXES), max_size=3, unique=True)):
        words += ["-o", f"out.{'html' if words[0] == 'report' else suffix}"]
    changed = list(words)
    place = draw(st.integers(1, len(words)))
    option = draw(st.sampled_from(sorted(OPTIONS)))
    inserted = [option, *([draw(st.sampled_from(OPTIONS[option]))] if OPTIONS[option] else [])]
    values = OPTIONS.get(words[place - 1]) or ["other", "nDCG_JK@2"]
    how = draw(st.sampled_from(["keep", "keep", "replace", "insert", "remove"]))
    if how != "keep":
        new = {"replace": [draw(st.sampled_from(values))], "insert": inserted, "remove": []}[how]
        changed[place : place + (how != "insert")] = new
    return words, changed, name


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def test_valid_commands_changed_in_one_place(rounds, counts):
    @given(commands())
    def one(drawn):
        words, changed, name = drawn
        contents = {"qrels": QRELS, "machine": QRELS, "other": OTHER, "third": THIRD}
        with folder(**{file: text.encode() for file, text in contents.items()}):
            if name not in contents:
                Path(name).write_text(GOOD_RUN)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing")
                outcome = check(changed)
            if changed == words and name not in contents:
                refused = words[0] == "measures" and {"svg", "pdf", "png"} & {word[-3:] for word in words}
                assert (outcome.status == 0) != bool(refused), outcome
            for file in Path().glob("out.*"):
                read(file)
        counts[f"{words[0]} changed in one place, exit status {outcome.status}"] += 1

    for _ in rounds():
        one()


def read(file: Path) -> None:
    """Read a file as its ending demands."""
    content = file.read_bytes()
    if file.suffix == ".svg":
        ElementTree.fromstring(content)
    elif file.suffix in (".pdf", ".png"):
        assert content.startswith({".pdf": b"%PDF", ".png": b"\x89PNG"}[file.suffix])
    elif file.suffix in (".csv", ".CSV"):
        rows = list(csv.reader(content.decode().splitlines(keepends=True)))
        assert len({len(row) for row in rows}) == 1, content
    elif file.suffix == ".jsonl":
        assert all(isinstance(json.loads(line), dict) for line in content.decode().splitlines())
    elif file.suffix == ".tsv":
        assert len({line.count("\t") for line in content.decode().splitlines()}) == 1, content
    else:
        assert content.decode()

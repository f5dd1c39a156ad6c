"""Any combination of commands, files, measures and options, allowed or not."""

from hypothesis import given
from hypothesis import strategies as st
from mutations import QRELS, RUNS, WORDS, files, measure_strings, mutated
from outcome import check, folder

from command_line import OTHER
from command_line import QRELS as GOOD_QRELS
from command_line import RUN as GOOD_RUN
from ir_measures_graded.cli import COMMANDS

NUMBERS = [
    "",
    "1 ",
    *"0 1 2 3 10 0.5 0.95 -1 -5 1e3 1e300 1e-300 nan inf x 1,2 5,3,3 0.05,0.1 ٣ 0x10".split(),
]
NUMBERS += ["1000000000000", "99999999999999999999"]
NAMES = ["run", "other", "qrels", "third", "-", "none", "run.txt", ".", "a/b", ""]
OUTPUTS = [f"out.{ending}" for ending in "tsv csv jsonl md tex txt TSV x svg html".split()]
OUTPUTS += ["out", "qrels", "run", ".", "no/out.tsv", "", "/dev/full", "out.tsv/"]
VALUES: dict[str, list[str]] = {
    "--confidence --alpha --power --seed --count --cutoff --depth --differences --at --cutoffs": NUMBERS,
    "-p --draws --resamples": NUMBERS,
    "-o --merged --ask": OUTPUTS,
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
OWN = {
    "evaluate": "--gains -q -n --confidence --interval --output_format --jobs --provider",
    "compare": "--gains --baseline --alpha --resamples --interval --seed --jobs",
    "power": "--gains --test --alpha --differences --power --resamples --seed --show",
    "curves": "--gains --depth --normalise --ideal --no-ideal --at --baseline --confidence "
    "--resamples --seed",
    "report": "--gains --baseline --alpha --resamples --seed --queries --title",
    "ranges": "--gains --show --draws --seed",
    "sensitivity": "--gains --cutoffs --show",
    "holes": "--gains --cutoff --count --ask --answers --merged",
    "judges": "--gains --machine_levels --baseline --confidence --merge --show",
    "explain": "--gains --topic --depth",
    "measures": "--plugins",
}
GRADED = "nDCG_JK@2 DCG_JK@1000000000000 Q ERR_G@3 CG NDPM RBP_G(residual=True) nCG@1 AP P@2".split()
QRELS_OF_FIVE = GOOD_QRELS + "q3 0 d1 1\nq3 0 d2 0\nq4 0 d1 2\nq5 0 d2 1\n"  # `judges` needs some topics
THIRD = "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 2 a\nq2 Q0 d9 1 1e-3 a\nq2 Q0 d1 1 1e-3 a\n"


@st.composite
def arguments(draw: st.DrawFn, command: str) -> list[str]:
    """The words of a command: mostly its own options, sometimes any."""
    runs = ["run", "other", "third"]
    words = draw(st.sampled_from([runs, runs, runs[:2], runs[1:], runs[:1]]))
    measure = st.sampled_from([*GRADED, *WORDS]) | measure_strings(1)
    words = list(words) + draw(st.lists(st.sampled_from(GRADED), min_size=1, max_size=2, unique=True))
    words += draw(st.lists(measure, max_size=1))
    if command == "holes":
        words = words[: len(runs) + 1]
    if command == "explain":
        words = ["run", words[-1], "--topic", "q1"]
    inputs = {"measures": [], "demo": [], "judges": ["qrels", "machine"]}.get(command, ["qrels"])
    taken = {"measures": [word for word in words if word not in runs], "demo": [], "levels": []}
    words = inputs + taken.get(command, words)
    own = [*OWN.get(command, "").split(), "-f", "-o", "-p"]
    for _ in range(draw(st.integers(0, 3))):
        option = draw(st.sampled_from([*own * 5, *OPTIONS]))
        value = [draw(st.sampled_from(OPTIONS[option]))] if OPTIONS[option] else []
        place = draw(st.integers(0, len(words)))
        words[place:place] = [option, *value]
    if draw(st.sampled_from([False] * 9 + [True])):
        place = draw(st.integers(0, len(words)))
        words[place : place + draw(st.integers(0, 2))] = draw(
            st.lists(st.sampled_from([*NAMES, *NUMBERS]), max_size=2)
        )
    return [command, *words]


def test_any_arguments_give_output_or_a_message(rounds, counts):
    good_qrels, good_run = st.just(QRELS_OF_FIVE.encode()), st.just(GOOD_RUN.encode())

    def one(words, qrels, run, machine):
        contents = {"qrels": qrels, "run": run, "machine": machine}
        with folder(**contents, other=OTHER.encode(), third=THIRD.encode()):
            outcome = check(words, stdin=run)
        counts[f"{words[0]}, exit status {outcome.status}"] += 1

    for number in rounds():
        given(
            arguments(COMMANDS[number % len(COMMANDS)]),
            st.one_of(good_qrels, good_qrels, mutated(good_qrels), files(QRELS)),
            st.one_of(good_run, good_run, mutated(good_run), files(RUNS)),
            st.one_of(good_qrels, good_qrels, mutated(good_qrels)),
        )(one)()

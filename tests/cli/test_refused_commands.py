"""Commands that are refused: each prints one line, ends with status 2 and writes nothing."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from command_line import RUN
from ir_measures_graded import cli, demo

FILES = {
    "four.csv": "run,topic,measure,value\n" + "".join(f"{run},q1,AP,0.5\n" for run in "ABCD"),
    "AP.csv": "run,topic,AP\nA,1,0.5\n",
    "AP2.csv": "run,topic,AP\nB,1,0.5\n",
    "wide.csv": "topic,bm25\n351,0.5\n",
    "c.csv": "collection,qrels,runs\nc,qrels,ru[n]\nc,qrels,other\n",
    "queries.tsv": "q1 no tab\n",
    "report.html": "",
    "runs.csv": "run,qid,docno,score\nrun,q1,d1,1\nother,q1,d1,1\n",
    "lists.json": '[{"topic": "351", "session": ["s"], "turn": 1}]',
    "one.csv": "topic,session,turn\n351,s,1\n",
    "same.csv": "topic,session,turn\n351,s,1\n353,s,1\n",
    "turns.csv": "topic,session,turn\n351,s,1\n351,s,2\n",
    "weights.csv": "qid,docno,label,subtopic_id,probability\nq1,d1,2,a,0.5\nq1,d2,1,b,\n",
}
ABC = "graded-demo A.run B.run C.run"
REFUSED = f"""
compare --collections c.csv AP --gains exp | --gains is for one collection
compare --collections c.csv AP --show tests | --show tests is for one collection
compare graded-demo A.run            | no measure is given; name one or more
compare graded-demo AP               | no run is given; pass one or more run files
compare {ABC} AP --baseline AA       | 'AA' is not among the runs A, B and C; did you mean A?
compare {ABC} AP --baseline A --baseline A | the baseline 'A' is named twice
compare {ABC} AP --baseline A,X      | 'X' is not among the runs A, B and C
compare {ABC} AP --show              | --show needs one of differences, open, means, topics, losses, tests
compare {ABC} AP --top 1             | '1' is not allowed; give a whole number ≥ 2
power {ABC} P@5 --weights w.csv:w    | --weights is an option of evaluate, compare,
compare {ABC} AP --resamples=0       | argument --resamples: '0' is not allowed
convert no.run x.csv                 | no.run: cannot be read: No such file or directory
curves graded-demo A.run P --depth ten | argument --depth: 'ten' is not allowed
curves graded-demo A.run P no-such.run | file not found: 'no-such.run'; did you mean C.run?
evaluate qrels run AP --gains w1     | --gains applies to no measure: AP (takes no gains)
evaluate qrels run ERR@5 --gains exp | no measure: ERR@5 (takes no gains; ERR_G@5 does)
evaluate qrels unknown.txt AP        | file not found: 'unknown.txt'
evaluate qrels 'x?' AP               | file not found: 'x?'
evaluate qrel run AP |
    'qrel' is neither a file nor an ir-datasets id; did you mean qrels?
identify qrels run 446               | 446 is no file; for a mean: --mean 446
evaluate qrels run 'nDCG(gains=1:1.5,judged_only=True)' | nDCG_Burges takes any gains
evaluate qrels othr.gz AP            | did you mean other?
evaluate qrels run nDCGKJ@10         | did you mean nDCG or nDCG_JK or nsDCG?
evaluate qrels run ""                | cannot read measure ''
evaluate weights.csv run ERR_IA_G    | weights.csv:3: topic 'q1', document
evaluate qrels run CG@1 --confidence 95 | confidence=95.0 is not allowed
evaluate graded-demo A.run AP --sessions=turns.csv | turns.csv: topic 351 has two values of turn
evaluate graded-demo A.run AP --sessions=lists.json |
    lists.json: topic '351' is not a turn of a session: it has the session ['s'] and the turn 1; a
evaluate graded-demo A.run AP --sessions=one.csv | one.csv: topic '353' is not a turn of a session: it has no row; a
evaluate graded-demo A.run AP --sessions=same.csv | same.csv: topics '351' and '353' are both turn 1
evaluate qrels rr AP                 | no run is given; 'rr' is read as a measure: write ./rr for
evaluate qrels empty AP              | 'empty' has no files; pass run files or their folder
evaluate                             | arguments are required: QRELS
evaluate qrels run AP -q --show topics |
    --show topics and --by_query exclude each other: the former has the topics
evaluate qrels run AP -q --sort value          | --show topics has the hardest topics first
evaluate qrels run AP --show topics --confidence .9 |
    exclude each other: intervals are those of means over topics
compare --values four.csv --baseline A B AP |
    the baseline 'A' is not among the runs that are named, B; name it with them, or write
    several baselines as --baseline A,B
power --values four.csv B C AP --baseline A |
    the baseline 'A' is not among the runs that are named, B and C; name it with them
judges qrels runs/ AP |
    'runs/' has runs and no judgments of a machine; name the machine's qrels after the human's:
    ir_measures_graded judges qrels MACHINE_QRELS runs/ AP
judges qrels run other AP |
    'run' has runs and no judgments of a machine; name the
gate qrels run other AP --hardest   | compare … --show topics those in which two runs differ most
evaluate qrels run AP --ci           | --confidence 0.95 adds intervals
evaluate qrels run AP --confidence 101% | confidence=1.01 is not allowed
evaluate qrels run AP --sort desc    | --sort takes a measure
measures nDCG@10 --gains exp --sentence | write the gains in the measure, as in 'nDCG(gains=0:0
evaluate qrels run AP --topic q1     | explain QRELS RUN MEASURE --topic ID shows one topic
evaluate qrels run AP --topics q1    | explain QRELS RUN MEASURE --topic ID shows one topic
compare qrels run other AP --topics q1 | explain QRELS RUN RUN MEASURE --topic ID shows one topic
evaluate qrels run AP -n             | --no_summary requires --by_query
evaluate qrels run AP -p -2          | '-2' is not allowed; give 0 to 99, or -1 for all
evaluate qrels run AP -o values.xls  | endings are png, svg, pdf, txt, md, tex, tsv, csv
evaluate qrels AP --scoreddocs --columns query_id=x | 'qrels' is a file, not an ir-datasets id
evaluate qrels run AP --sort P@1,2   | --sort takes one measure, not P@1 and P@2
evaluate qrels run CG --gains w3 --gains w10 --sort nCG | --sort nCG stands for nCG and nCG(gains=
leaderboards --qrels qrels run other P@1,2=AP | takes one measure, not P@1 and P@2
evaluate qrels run --sort            | --sort needs MEASURE:
evaluate qrels run nDCG10 |
    measure not found: nDCG10; did you mean nDCG@10?
evaluate qrels run CG --gains 1,10                    | write 1:1,2:10 for the levels 1, 2
evaluate qrels run AP -z             | unrecognized arguments: -z
halves qrels                         | write sensitivity QRELS RUN… MEASURE; docs/leaderboards.md
lightgbm                             | from ir_measures_graded import lightgbm_metric
compare qrels run other AP --bold    | -f latex, markdown and html set the best values in bold
judges qrels qrels --show estimats   | did you mean estimates?
evaluate qrels run nDCG(rel=3)@5      | a level of gain 0 is not relevant: nDCG(gains=1:0,2:0)@5
evaluate qrels run ERR(rel=2)@5 |
    a level of gain 0 is not relevant: ERR_G(gains=1:0,2:3,3:7)@5
judges qrels                         | judges needs the qrels of a machine beside those of the human
judges --values x.csv                | --values is an option of compare
evaluate qrels run 'nDCG(dcg="log2")@10' --gains exp |
    nDCG_Burges takes any gains, exp and linear too
evaluate qrels run 'nDCG_JK(gains=[2,3])@10' | write nDCG_JK(gains=1:2,2:3)@10 for the levels 1, 2
evaluate qrels run 'nDCG_JK(b=2,gains=1,3)@10' | write nDCG_JK(b=2,gains=1:1,2:3)@10 for the
evaluate qrels run nDCG_JK --gains 0,1,3 | levels 0, 1, 2; the highest level of the qrels is 3
evaluate qrels run AP --judged_only  | as in 'nDCG(judged_only=True)@10'
curves qrels run CG dcg nDCG@5       | ir_measures_graded curves qrels run CG DCG_JK nDCG@5
curves qrels run DCG nCG --at 5      | curves qrels run DCG_JK nCG --at 5 (--ratio_of_means divides
curves qrels run DCG nCG             | without it, each topic is divided, as in evaluate)
evaluate qrels run dcg               | write DCG_JK (of Järvelin & Kekäläinen 2002)
evaluate qrels run AP - -            | standard input (-) can be read only once
evaluate qrels run CG@1 --interval t | --interval requires --confidence
evaluate qrels run CG@1 --confidence 0.9 -q | --by_query and --confidence exclude each other
evalute                              | 'evalute' is not a command
explain {ABC} CG                     | explain takes at most two runs; 3 are given
compare --values AP.csv A A --baseline A | several baselines are written --baseline A,B
compare --values AP.csv qrels A AP |
    'qrels' is a file, and beside --values words name runs
compare --values AP.csv b=AP.csv      |
    the runs of the table are A; for a further table write --values b=AP.csv
compare --values AP.csv --values AP.csv | for topic 1; the table is given twice; give it once
compare --values A=AP.csv --values A=AP2.csv | if they have several runs, name these, as in new=AP2.csv
gate graded-demo A.run B.run AP --values AP2.csv | stored values: AP2.csv has no run 'A'; its runs are B
gate graded-demo A.run B.run AP --values wide.csv |
    if the columns (bm25) are runs, name the measure of their values, as in nDCG@10=wide.csv
leaderboards AP.csv AP.csv x=AP.csv   | x=AP.csv is a third table; name the files with --first
reproduce AP.csv AP.csv x=AP.csv --baseline A | x=AP.csv is a third table
evaluate qrels run 'nDCG(gains=steep)@10' | nDCG takes no names of gains; nDCG_Burges takes any
evaluate qrels run 'nDCG@10(gains=exp)' |
    the parameters come before the cutoff; write nDCG(gains=exp)@10
evaluate qrels run 'nDCG(dcg=log2)@10'                | the word log2 in dcg needs quotes
evaluate qrels run 'nDCG(dcg=exp-log2)@10' | the word exp-log2 in dcg needs quotes
gate --values AP.csv A nwe           | the runs of the table are A
gate --values AP.csv odl A           | measure not found: odl
gate --values AP.csv                 | a gate needs two runs
gate qrels run other AP --margin 1% --margin 2% | --margin is given twice
holes qrels run other CG@3 --merged new.txt | --merged requires --answers
holes qrels run other CG@3 --answers ./qrels --merged x |
    x: the ending chooses the form: .run, .qrels
identify graded-demo A.run           | the run 'A.run' has no values; each run is followed by its own
identify A.run 0.73                  | no run is given after the qrels 'A.run'; pass QRELS, a run file
identify graded-demo A.run B.run --mean 0.5 | 2 runs and 1 mean are given; give each run one mean
identify graded-demo A.run sklearn 0.73 |
    'sklearn' is a tool: identify finds the tools that compute the values; leave it out
identify graded-demo A.run ranx=0.73 | 'ranx' is a tool
identify graded-demo A.run 0,2117    | '0,2117' is no file; write a mean as a plain number: 0.2117
identify graded-demo A.run 21.17%    | write a mean as a plain number: 21.17
identify graded-demo A.run nDCG 10 0.2117 | '10' is no file; a cutoff is part of its measure
identify graded-demo A.run nDCG@10 AP 0.2 | identify takes one measure; nDCG@10 and AP are named
identify graded-demo A.run nDCG 0.2 --measure AP | takes one measure; nDCG and AP are named
identify graded-demo A.run 'nDCG@10: 0.2' | write 'nDCG@10: 0.2' as a measure and a mean
identify graded-demo A.run ndgc@10 0.2 | measure not found: ndgc; did you mean nDCG?
identify graded-demo A.run A.run     | A.run: cannot be read as lines of a topic and a value
judges qrels qrels --seed -1         | seed=-1 is not allowed; it is a whole number ≥ 0
judges qrels qrels --confidence 95   | confidence=95.0 is not allowed
judges qrels qrels --gains exp       | --gains requires runs and measures
judges qrels qrels run P@5 --show favours | --show favours requires measures and at least 2 runs
judges qrels qrels run P@5 --show agreement | name at least 2 runs, not 1
judges qrels a=qrels b=qrels run P@5 --show estimates |
    requires a single machine, not 2; name one, or make
reproduce qrels run other AP --baseline run |
    other is a third table; name the qrels of runs with --qrels
judges qrels qrels runs.csv run P@5  | runs.csv may be qrels or a run: convert it to
measures -o tsv                      | (for the format, use -f tsv)
evaluate qrels run AP --rel 2         | the level is a parameter of measures, as in 'AP(rel=2)'
measures -o summary                  | ; -f markdown >> summary adds to a file without an ending
power {ABC} P@5 --differences a      | give numbers separated by commas, as in 0.05,0.1
power {ABC} P@5 --topics 5           | unrecognized arguments: --topics 5 (see
report qrels run other -o r.pdf      | endings are html, htm
report qrels run other --queries queries.tsv | queries.tsv:1: there is no tab
sensitivity {ABC} nDCG_JK --gains w1 --gains w1=1:1 | two weightings are named 'w1'
sensitivity {ABC} nDCG_JK --gains x=1:a | cannot read the weighting 'x=1:a'
report qrels run other --baseline third | did you mean other?
compare --values runs.csv --sessions | --sessions needs QRELS and runs
"""


@pytest.fixture
def refused(refusal):
    """A refused command among many files; returns its message."""
    for path in demo.run_paths().values():
        os.symlink(path, path.name)
    for name, content in FILES.items():
        Path(name).write_text(content)
    Path("empty").mkdir()
    Path("rr").mkdir()
    Path("runs").mkdir()
    shutil.copy("run", "runs")

    def message_of(line):
        return refusal(*shlex.split(line))

    return message_of


CASES = re.sub(r"\n +", " ", REFUSED).strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_a_refused_command_names_the_fact(case, refused):
    line, fact = case.rsplit(" | ", 1)
    assert fact in refused(line)


SUGGESTED = {
    "curves qrels run nDCG@2 nDCG_JK@2 DCG@2 DCG_JK@2 --topic q1":
        "nDCG@2 nDCG_JK@2 'DCG_Burges(gains=linear)@2' DCG_JK@2 --topic q1",
    "curves qrels run DCG nCG --topic q1": "DCG_JK nCG --topic q1",
    "curves qrels run DCG_JK@9 'CG DCG@2,5' --gains exp":
        "DCG_JK@9 'CG DCG_Burges@2,5' --gains exp",
    "curves qrels run DCG nCG --no_relevant one": "",
    "curves qrels run DCG P@5 hits@5": "",
    "curves qrels run DCG --ratio_of_means": "",
    "evaluate real run nDCG@2 'nDCG_Burges(gains=linear)@2' CG":
        "'nDCG_Burges(gains=linear)@2' CG",
    "evaluate real run nDCG@2 P@1 --gains exp":
        "nDCG@2 'gP(max_gain=1,gains={1:1,2.5:1})@1' --gains exp",
    "evaluate real run P@1 --sort P@1":
        "'gP(max_gain=1,gains={1:1,2.5:1})@1' --sort 'gP(max_gain=1,gains={1:1,2.5:1})@1'",
    "ranges real run nDCG@2 nDCG@1":
        "'nDCG_Burges(gains=linear)@2' 'nDCG_Burges(gains=linear)@1'",
    "evaluate real run nDCG@2 Bpref": "",
}  # fmt: skip
"""Refused lines, and what the suggested one has behind the run; nothing without a suggestion."""


@pytest.mark.parametrize("line", SUGGESTED)
def test_a_suggested_line_runs_and_changes_refused_words_alone(line, refused, capsys):
    Path("real").write_text("q1 0 d1 2.5\nq1 0 d2 1\nq2 0 d1 1\n")
    message = refused(line)
    command = " ".join(line.split()[:3])
    _, start, rest = message.partition(f"ir_measures_graded {command} ")
    suggested = rest.partition(" (--ratio")[0]
    assert suggested == SUGGESTED[line]
    if start:
        assert cli.main(shlex.split(f"{command} {suggested}")) in (0, None)
        assert "no effect" not in capsys.readouterr().err


READ = [
    "evaluate qrels FILE AP -o",
    "compare qrels other AP --by FILE:column -o",
    "compare qrels other AP --sessions=FILE -o",
    "compare --values FILE -o",
    "compare --collections FILE AP -o",
    "gate qrels run other AP --values FILE -o",
    "holes qrels run other nCG@2 --ask",
    "holes qrels run other nCG@2 --answers FILE --ask",
    "holes qrels run other nCG@2 --answers FILE --merged",
    "identify qrels run FILE -o",
    "judges qrels FILE -o",
    "levels FILE -o",
    "convert FILE",
]


@pytest.mark.parametrize("link", [os.link, os.symlink])
@pytest.mark.parametrize("line", READ)
def test_no_file_that_a_command_reads_is_written(line, link, refused):
    read = "FILE" if "FILE" in line else "run"
    Path("FILE").write_text(RUN)
    link(read, "x.csv")
    assert refused(f"{line} x.csv") == "cannot write 'x.csv': the command reads this file"


@pytest.mark.parametrize("name", ["qrels", "run", "other", "c.csv"])
def test_no_file_inside_a_table_of_collections_is_written(name, refused):
    os.link(name, "x.csv")
    assert "the command reads this file" in refused("compare --collections c.csv AP -o x.csv")


def test_a_report_does_not_replace_what_it_reads(refused):
    assert "the command reads this file" in refused("report qrels run --queries report.html")

"""Lines in the words of other tools are read as ours, and a note tells our line."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from ir_measures_graded import cli
from ir_measures_graded.cli.habits import in_our_words

LINES = """
qrels run AP                        | evaluate qrels run AP
-q -m map qrels run                 | evaluate -q qrels run map
-qc -m map qrels run                | evaluate -q qrels run map
evaluate -m map qrels run           | evaluate qrels run map
evaluate --run run --qrels qrels -m AP | evaluate qrels run AP
evaluate qrels --runs=run --metrics=AP | evaluate qrels run AP
evaluate qrels run AP --per-query   | evaluate qrels run AP --by_query
evaluate qrels run AP --md          | evaluate qrels run AP -f markdown
evaluate qrels run AP CG --sort     | evaluate qrels run AP CG --sort AP
evaluate qrels run --sort other AP  | evaluate qrels run --sort AP other AP
evaluate qrels run CG --sort AP     | evaluate qrels run CG --sort AP
evaluate qrels run AP --bibtex      | measures AP --bibtex
leaderboard qrels run other AP      | evaluate qrels run other AP --sort AP
leaderboards qrels run other AP     | evaluate qrels run other AP --sort AP
leaderboards qrels runs AP          | evaluate qrels runs AP --sort AP
leaderboards run other AP           | leaderboards run other AP
compare qrels a=run Q=other AP --baseline a Q | compare qrels a=run Q=other AP --baseline a Q
compare qrels a=run b=other AP --baseline a b | compare qrels a=run b=other AP --baseline a,b
compare qrels a,b=run a=other b=run --baseline a b AP | compare qrels a,b=run a=other b=run --baseline a --baseline b AP
compare qrels run other --baseline run other AP | compare qrels run other --baseline run other AP
compare qrels run other AP --latex  | compare qrels run other AP -f latex
compare qrels run other AP --holm   | compare qrels run other AP --correction holm
compare qrels run other AP -f tex --best bold | compare qrels run other AP -f tex
compare qrels run other CG@3 AP -f method | measures CG@3 AP --sentence
compare qrels run other CG --gains w3 --sentence | compare qrels run other CG --gains w3 --sentence
compare qrels run other AP --ties=mean --method | compare qrels run other AP --ties=mean --method
identify qrels run 0.4563           | identify qrels run --mean 0.4563
identify qrels run nDCG@10 .45      | identify qrels run --mean .45 --measure nDCG@10
identify qrels run 0.45 other 0.5   | identify qrels run other --mean 0.45 --mean 0.5
identify qrels run other            | identify qrels run other
explain qrels run AP 351            | explain qrels run AP --topic 351
explain qrels run AP -q q1          | explain qrels run AP --topic q1
holes qrels run other AP@5 --budget=100 | holes qrels run other AP@5 --batch=100
power qrels run other AP --delta 0.05 | power qrels run other AP --differences 0.05
gate qrels other AP --baseline run --max_loss 3% | gate qrels run other AP --margin 3%
gate qrels run other AP --baseline run | gate qrels run other AP
kappa qrels other                   | judges qrels other
power qrels run other AP 0.05       | power qrels run other AP --differences 0.05
power qrels run other AP --difference 0.05 | power qrels run other AP --differences 0.05
holes qrels run other AP@5 100      | holes qrels run other AP@5 --batch 100
gate qrels run other AP 3%          | gate qrels run other AP --margin 3%
compare qrels run other AP --wilcoxon | compare qrels run other AP --tests=wilcoxon
compare qrels run other AP --test wilcoxon | compare qrels run other AP --tests wilcoxon
judges qrels other --show estimate  | judges qrels other --show estimates
judges qrels other --confusion      | judges qrels other --show=levels
judges qrels other --estimate       | judges qrels other --show estimates
cite AP                             | measures AP --bibtex
evaluate qrels run AP --unknown -x  | evaluate qrels run AP --unknown -x
topics qrels run AP                 | evaluate qrels run AP --show topics
evaluate qrels run AP --grades A:0 B:1 C:2 | evaluate qrels run AP --levels A:0,B:1,C:2
compare qrels run other AP -q       | compare qrels run other AP --show=topics
compare qrels run other AP --topic 3 | compare qrels run other AP --topic 3
judges qrels qrels --show disagreement | judges qrels qrels --show topics
identify qrels run AP=.25           | identify qrels run --mean .25 --measure AP
identify qrels run AP --value .25   | identify qrels run --mean .25 --measure AP
evaluate qrels run AP --sort_by AP  | evaluate qrels run AP --sort AP
hardest qrels run AP                | evaluate qrels run AP --show topics
evaluate qrels run AP --hardest     | evaluate qrels run AP --show=topics
evaluate qrels run CG --gains 0:0 1:1 2:5 | evaluate qrels run CG --gains 0:0,1:1,2:5
evaluate qrels run AP --mean        | evaluate qrels run AP --show means
evaluate qrels run --topics AP      | evaluate qrels run --show topics AP
evaluate qrels run AP --topics q1   | evaluate qrels run AP --topics q1
gate qrels other run AP --threshold .4 | gate qrels other run AP --threshold .4
-c -l 2 -m map -m ndcg_cut.1,2 qrels run | evaluate qrels run 'AP(rel=2)' ndcg_cut.1,2
-q -l2 -m P.1,2 qrels run           | evaluate -q qrels run 'P(rel=2)@1' 'P(rel=2)@2'
-l 2 -m num_ret -m num_rel_ret qrels run | evaluate qrels run num_ret 'NumRet(rel=2)'
-l 2 qrels run 'RR(rel=3)'          | evaluate qrels run 'RR(rel=3)'
-l 1 -m map qrels run               | evaluate qrels run map
"""


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("-l 2 qrels run", "-l 2 is written on the measures, as in 'AP(rel=2)'"),
        ("-l 2 -m num_rel -m map qrels run", "as in 'AP(rel=2)', and NumRel takes no rel"),
        ("-l 2 -m official qrels run", "'AP(rel=2)'; name them in place of official"),
        ("-l 2 qrels run lost.txt AP", "and 'lost.txt' is neither a file nor one measure"),
        ("-l 2 qrels run nDCG_JK@1", "and nDCG_JK@1 takes no rel"),
        ("-M 9 -m map qrels run", "arguments: -M; the depth is the cutoff of each measure"),
        ("-M100 -m map qrels run", "arguments: -M100; the depth is the cutoff of each measure"),
        ("-J -m map qrels run", "it is a parameter of measures, as in 'nDCG(judged_only=True)@10'"),
        ("compare qrels run other -l 2 AP", "the level is a parameter of measures, as in 'AP(rel"),
    ],
)
def test_options_of_trec_eval_say_what_to_write(typed, message, capsys):
    assert cli.main(typed.split()) == 2
    assert message in capsys.readouterr().err


def test_the_note_says_that_c_is_always_on(capsys):
    assert cli.main("-c -m P.1 qrels run".split()) == 0
    line = "ir_measures_graded evaluate qrels run P.1"
    note = f"note: read as {line}; write evaluate first; -c is always on\n"
    assert capsys.readouterr().err == f"ir_measures_graded: {note}"


def test_the_official_measures_of_trec_eval_are_named_and_computed(capsys):
    assert cli.main("-m official qrels run".split()) == 2
    line = capsys.readouterr().err.partition("(those of trec_eval: ")[2].rstrip(")\n")
    assert cli.main(["evaluate", "qrels", "run", *line.split()]) == 0
    names = [row.partition("\t")[0] for row in capsys.readouterr().out.splitlines()]
    assert len(names) == 8 + 11 + 9


@pytest.mark.parametrize("case", LINES.strip().splitlines())
def test_words_of_habit_are_read_in_our_words(case, folder):
    Path("runs").mkdir()
    Path("runs/run").write_text(Path("run").read_text())
    typed, ours = case.split("|")
    assert shlex.join(in_our_words(shlex.split(typed))) == ours.strip()


def test_a_note_tells_the_line_that_is_run(capsys):
    assert cli.main(["qrels", "run", "P@1"]) == 0
    out, err = capsys.readouterr()
    assert out == "P@1\t0.5000\n"
    note = "note: read as ir_measures_graded evaluate qrels run P@1; write evaluate first"
    assert err == f"ir_measures_graded: {note}\n"


def test_no_note_tells_the_long_form_of_a_line_that_the_help_has(capsys):
    for words in ("qrels run 0.5", "qrels run P@1 0.5", "qrels run 0.5 P@1"):
        assert cli.main(["identify", *words.split()]) == 0
        assert "read as" not in capsys.readouterr().err
    assert cli.main("identify qrels run --value 0.5".split()) == 0
    assert "note: read as ir_measures_graded identify qrels run --mean" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["mixed", "mixed/", "./mixed"])
def test_a_folder_with_other_files_is_refused_with_the_pattern_of_its_runs(capsys, word):
    Path("mixed").mkdir()
    run = Path("run").read_text()
    files = {"a.run": run, "b.run": run, "values.csv": "topic,value\nq1,1\n", "notes.txt": "no"}
    for name, text in files.items():
        Path("mixed", name).write_text(text)
    assert cli.main(["evaluate", "qrels", word, "P@1"]) == 2
    folder = word.rstrip("/")
    message = capsys.readouterr().err.rstrip()
    assert message.endswith(f"; {word} holds other files as well: name its runs, {folder}/*.run")
    assert cli.main(["evaluate", "qrels", f"{folder}/*.run", "P@1"]) == 0
    Path("mixed", "c.txt").write_text(run)
    for name in ("a.run", "b.run", "values.csv"):
        Path("mixed", name).unlink()
    capsys.readouterr()
    assert cli.main(["evaluate", "qrels", word, "P@1"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("name its runs, one by one")


@pytest.mark.parametrize(
    ("names", "word"),
    [
        (["q1.txt", "q2.txt", "README.md"], "my lists/"),
        (["q1", "q2"], "my lists"),
        (["q1.ids"], "my lists/q1.ids"),
    ],
)
def test_lists_of_one_id_a_line_are_answered_with_the_line_that_writes_their_run(
    capsys, names, word
):
    Path("my lists").mkdir()
    for name in names:
        Path("my lists", name).write_text("d2\nd1\n\n")
    assert cli.main(["evaluate", "qrels", word, "RR"]) == 2
    line = capsys.readouterr().err.rstrip().partition("this line writes the run: ")[2]
    run = line.rpartition(" > ")[2]
    subprocess.run(line, shell=True, check=True)
    written = Path(shlex.split(run)[0])
    assert "q1 d2 1\nq1 d1 2\n" in written.read_text()
    assert cli.main(["evaluate", "qrels", str(written), "RR"]) == 0
    assert cli.main(["evaluate", "qrels", word, "RR"]) == 2
    assert f" > {run}" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lists", "name", "content"),
    [
        ("lists", "q1.txt", b"d2\n\nd1\n"),
        ("lists", "q1.txt", b"d2\r\n\r\nd1\r\n"),
        ("lists", "q1.txt", b"\xef\xbb\xbfd2\nd1\n"),
        ("lists=ours", "q1.txt", b"d2\nd1\n"),
        ("lists", "q 1.txt", b"d2\nd1\n"),
    ],
)
def test_the_line_that_writes_a_run_of_lists_keeps_each_id_and_query(capsys, lists, name, content):
    Path(lists).mkdir()
    Path(lists, name).write_bytes(content)
    Path(lists, "q2.txt").write_text("d3\n")
    query = name.removesuffix(".txt")
    qrels = {query: {"d1": 1, "d2": 2}, "q2": {"d3": 2}}
    Path("judged.json").write_text(json.dumps(qrels))
    assert cli.main(["evaluate", "judged.json", f"{lists}/", "RR"]) == 2
    line = capsys.readouterr().err.rstrip().partition("this line writes the run: ")[2]
    subprocess.run(line, shell=True, check=True, stdin=subprocess.DEVNULL)
    assert cli.main(["evaluate", "judged.json", shlex.split(line)[-1], "RR(rel=2)", "SetR"]) == 0
    assert capsys.readouterr().out.split() == ["RR(rel=2)", "1.0000", "SetR", "1.0000"]


def test_a_folder_in_place_of_qrels_or_with_a_name_is_answered_with_its_files(capsys):
    Path("mixed").mkdir()
    for name, text in {"a.run": Path("run").read_text(), "b.txt": "q1 0 d1 1\n"}.items():
        Path("mixed", name).write_text(text)
    assert cli.main(["evaluate", "mixed", "run", "P@1"]) == 2
    error = capsys.readouterr().err.rstrip()
    assert error.endswith("not a file or an ir-datasets id; name its qrels, mixed/b.txt")
    assert cli.main(["evaluate", "qrels", "NAME=mixed", "P@1"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("pass run files, for example mixed/*.run")


def test_a_folder_of_tables_with_other_files_is_refused_with_the_pattern_of_the_tables(capsys):
    Path("mixed").mkdir()
    rows = "run,query_id,P@1\na,q1,1\na,q2,0\nb,q1,1\nb,q2,1\n"
    for name, text in {"a.csv": rows, "b.txt": "x,y\n"}.items():
        Path("mixed", name).write_text(text)
    assert cli.main(["compare", "--values", "mixed"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("name its tables of values, mixed/*.csv")


def test_a_folder_of_machines_with_other_files_is_refused_with_the_pattern_of_qrels(capsys):
    Path("mixed").mkdir()
    for name, text in {"a.qrels": "q1 0 d1 1\n", "b.csv": "a,b\n"}.items():
        Path("mixed", name).write_text(text)
    assert cli.main(["judges", "qrels", "mixed"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("name its qrels, mixed/*.qrels")


def test_a_folder_stands_for_its_runs(capsys):
    Path("runs").mkdir()
    for name in ("run", "other"):
        Path("runs", name).write_text(Path(name).read_text())
    Path("runs/.hidden").write_text("no run")
    Path("runs/picture.png").write_text("no run")
    assert cli.main(["evaluate", "qrels", "runs", "P@1"]) == 0
    assert capsys.readouterr().out == "run\tP@1\nother\t0.0000\nrun\t0.5000\n"

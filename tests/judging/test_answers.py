"""Files of answers: their forms, and what is refused."""

import gzip

import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.judging.merging import answers_in


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("answers.txt", "q1 0 a 2\nq1 0 b ?\n\nq2 0 c 0\nq2 0 c 0\n"),
        ("answers.csv", "document,why,level,topic\na,x,2,q1\nb,,,q1\nc,, 0 ,q2\n"),
        ("excel.csv", "\ufefftopic;document;level;runs\r\nq1;a;2;A:1 B:2\r\nq1;b;;\r\nq2;c;0;\r\n;;;\r\n"),
        ("quoted.csv", '"topic";"document";"level"\n"q1";"a";"2"\n"q2";"c";"0"\n'),
        ("excel.CSV", "\ufefftopic,document,level\r\nq1,a,2.0\r\nq1,b,-\r\nq2,c,0\r\n"),
    ],
)
def test_answers_are_read_but_for_documents_that_are_not_judged(tmp_path, name, text):
    path = tmp_path / name
    for written in (text.encode(), gzip.compress(text.encode())):
        path.write_bytes(written)
        assert answers_in(path)[0] == {"q1": {"a": 2}, "q2": {"c": 0}}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.txt",
            "q1 0 a 2\nq1 0 b\n",
            r"a\.txt:2: 3 fields, not 4 \(topic iteration document level\)",
        ),
        ("a.txt", "q1 0 a high\n", r"a\.txt:1: the level 'high' is not a finite number"),
        ("a.txt", "q1 0 a 1_0\n", r"a\.txt:1: the level '1_0' is not a finite number"),
        ("a.txt", "q1 0 a \u0663\n", r"a\.txt:1: the level '\u0663' is not a finite number"),
        ("a.txt", "q1 0 a inf\n", r"a\.txt:1: the level 'inf' is not a finite number"),
        (
            "a.txt",
            "q1 0 a 2\nq1 0 a 1\n",
            r"a\.txt:2: topic 'q1', document 'a': judged twice, at level 2 \(line 1\) and at level 1 ",
        ),
        ("a.csv", "topic,level,why\nq1,2,x\n", r"a\.csv has no column doc_id \(or docno, docid …\)"),
        ("a.csv", "topic,document,level\nq1,,2\n", r"a\.csv:2: the field doc_id is empty"),
    ],
)
def test_files_that_are_no_answers_are_refused_with_their_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(GradedError, match=message):
        answers_in(tmp_path / name)

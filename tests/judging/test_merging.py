"""The levels of judges: read from files of answers, brought to one scale, and merged."""

import gzip

import pytest
from ir_measures import Qrel

from ir_measures_graded import GradedError
from ir_measures_graded.analysis import merge_judges
from ir_measures_graded.analysis.judging.panel import (
    add_answers,
    answers_in,
    on_one_scale,
    rescaled,
)


def test_the_first_source_that_judges_a_document_decides():
    machine = {"q1": {"a": 3, "b": 0, "d": 1}, "q3": {"e": 2}}
    crowd = {"q1": {"a": 2, "d": 0}, "q2": {"f": 1}}
    merged = add_answers({"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}, machine, crowd)
    assert merged.qrels == {"q1": {"a": 2, "b": 0, "d": 1}, "q2": {"c": 1, "f": 1}, "q3": {"e": 2}}
    assert merged.added == {"qrels": 3, "answers 1": 2, "answers 2": 1}
    assert merged.contradictions == [
        "topic 'q1', document 'a': level 2 by qrels, 3 by answers 1",
        "topic 'q1', document 'd': level 1 by answers 1, 0 by answers 2",
    ]


def test_sources_that_cannot_be_merged_are_refused(tmp_path):
    (tmp_path / "a").write_text("q 0 d 1\n")
    with pytest.raises(GradedError, match="two sources of qrels are named"):
        add_answers({}, tmp_path / "a", tmp_path / "a")
    with pytest.raises(GradedError, match="answers 1: topic 'q', document 'd': judged twice, at"):
        add_answers({"q": {"d": 1}}, [Qrel("q", "d", 1), Qrel("q", "d", 2)])
    with pytest.raises(GradedError, match=r"'missing\.txt' is neither a file nor"):
        add_answers({}, "missing.txt")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("answers.txt", "q1 0 a 2\nq1 0 b ?\n\nq2 0 c 0\nq2 0 c 0\n"),
        ("answers.csv", "document,why,level,topic\na,x,2,q1\nb,,,q1\nc,, 0 ,q2\n"),
        (
            "excel.csv",
            "\ufefftopic;document;level;runs\r\nq1;a;2;A:1 B:2\r\nq1;b;;\r\nq2;c;0;\r\n;;;\r\n",
        ),
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
        ("a.txt", "q1 0 a high\n", r"a\.txt:1: the level 'high' is not a number"),
        (
            "a.txt",
            "q1 0 a 2\nq1 0 a 1\n",
            r"a\.txt:2: topic 'q1', document 'a': judged twice, at level 2 ",
        ),
        ("a.csv", "topic,document,level\nq1,,2\n", r"a\.csv:2: the field doc_id is empty"),
        (
            "a.csv",
            "topic,document,level\nq1,=x,2\nq1,'=x,2\n",
            r"a\.csv: the id '=x' is written with",
        ),
        (
            "a.csv",
            "topic,document,level\n+1,a,2\n'+1,b,2\n",
            r"the id '\+1' is written with and without",
        ),
    ],
)
def test_files_that_are_no_answers_are_refused_with_their_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(GradedError, match=message):
        answers_in(tmp_path / name)


@pytest.mark.parametrize(
    "levels", ["0-4:0, 5-9.99:1,10:3,11:3", {"10-11": 3, "0-4": 0, "5-9.99": 1}]
)
def test_every_level_is_mapped_by_name_or_by_its_range(levels):
    qrels = {"q": {"a": 0, "b": 4, "c": 5, "d": 9.99, "e": 10, "f": 11}}
    mapped = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 3, "f": 3}
    assert rescaled(qrels, levels) == {"q": mapped}
    assert rescaled({"q": {"a": -1, "b": -0.5}}, "-1--.75:0,-.5:2") == {"q": {"a": 0, "b": 2}}


@pytest.mark.parametrize(
    "levels",
    ["0:0,5", "0:0,x:1", "0:nan", {}, "0:0,0.0:1", {0: 1, 5: 0}, "5-0:1", "0-5:0,5-9:1", "0-:1"],
)
def test_maps_that_are_none_are_refused(levels):
    with pytest.raises(GradedError, match="are not allowed; write LEVEL:LEVEL,… or"):
        rescaled({}, levels)


@pytest.mark.parametrize("level", [-1, 3, 4.5, 7])
def test_levels_that_the_map_does_not_name_are_refused(level):
    message = f"machine: topic 'q', document 'a': level {level} is not named in '0:0,5:1'"
    with pytest.raises(GradedError, match=message):
        rescaled({"q": {"a": level}}, "0:0,5:1", "machine")


@pytest.mark.parametrize(
    ("levels", "advised"),
    [
        ([0, 1, 2, 3, 10], "0:0,1:1,2:2,3:3,10:3"),
        ([-2, 0, 1, 3.5], "-2:0,0:0,1:1,3.5:3"),
        (range(0, 101), "0-33:0,34-67:1,68-100:3"),
    ],
)
def test_the_map_that_is_advised_names_every_level_and_keeps_those_of_the_scale(levels, advised):
    machine = {"q": {f"d{number}": level for number, level in enumerate(levels)}}
    with pytest.raises(GradedError, match=f"such as {advised}$") as refused:
        on_one_scale(SCALE, machine, None)
    mapped = rescaled(machine, str(refused.value).rpartition("such as ")[2])["q"]
    if len(levels) < 20:
        kept = {doc: level for doc, level in machine["q"].items() if level in (0, 1, 2, 3)}
        assert {doc: mapped[doc] for doc in kept} == kept
    assert set(mapped.values()) <= {0, 1, 2, 3}


SCALE = {"q": {"a": 0, "b": 3}, "r": {"a": 1}}


@pytest.mark.parametrize("levels", [(0, 1, 2), (0, 0, 0), (3, 2, 1)])
def test_a_machine_need_not_use_all_levels(levels):
    machine = {"q": dict(zip("abc", levels))}
    assert on_one_scale(SCALE, machine, None) == (machine, 0, None)
    assert on_one_scale({"q": {"a": 0.5, "b": 3}}, {"q": {"a": 1.25}}, None)[0] == {
        "q": {"a": 1.25}
    }


@pytest.mark.parametrize("level", [-1, 0.5, 10])
def test_levels_of_another_scale_are_abstentions_up_to_1_percent_of_the_answers(level):
    machine = {
        "q": {f"d{number}": number % 4 for number in range(198)},
        "r": {"c": 2, "d": level},
        "s": {"e": level, "g": level},
    }
    with pytest.raises(GradedError, match=rf"\(topic 'r', document 'd': {level}\); map every"):
        on_one_scale(SCALE, machine, None)
    kept, outside, remark = on_one_scale(SCALE, machine, "-1:0,0:0,0.5:1,1:1,2:1,3:9,10:9")
    assert ({*kept["q"].values()}, outside) == ({0, 1, 9}, 0)
    assert "(topic 'q', document 'd3': 9). The map" in str(remark)
    del machine["q"]["d0"], machine["r"]["d"], machine["s"]["g"]
    kept, outside, remark = on_one_scale(SCALE, machine | {"t": {"f": 1}}, None, "m")
    assert (kept, outside) == ({"q": machine["q"], "r": {"c": 2}, "s": {}, "t": {"f": 1}}, 1)
    assert f"1 of 200 answers is outside (topic 's', document 'e': {level}). Such" in str(remark)


ANN = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"d": 2}, "q4": {}}
BEN = {"q1": {"a": 2, "b": 1}, "q2": {"d": 1}, "q3": {"e": 0.5}}
CEM = {"q2": {"d": 0}, "q1": {"a": 2, "b": 0}}


@pytest.mark.parametrize(
    ("rule", "levels", "agreed"),
    [
        ("majority", (2, 1, 0, 0, 0.5), (2, 3, 2)),
        ("mean", (7 / 3, 2 / 3, 0, 1, 0.5), (1, 2, 0)),
        ("median", (2, 1, 0, 1, 0.5), (2, 4, 1)),
        ("lowest", (2, 0, 0, 0, 0.5), (1, 2, 3)),
        ("highest", (3, 1, 0, 2, 0.5), (4, 2, 0)),
    ],
)
def test_a_document_has_one_level_by_the_rule(rule, levels, agreed):
    merged = merge_judges({"Ann": ANN, "Ben": BEN, "Cem": CEM}, rule)
    a, b, c, d, e = levels
    assert merged.qrels == {
        "q1": {"a": a, "b": b, "c": c},
        "q2": {"d": d},
        "q4": {},
        "q3": {"e": e},
    }
    assert (merged.judged, merged.alone, merged.agreed) == ((4, 4, 3), (1, 1, 0), agreed)
    assert (merged.split, merged.tied, merged.documents) == (3, 1, 5)
    assert [record["agreed"] for record in merged.records()] == list(agreed)


def test_of_two_levels_alike_the_rule_takes_the_lower_and_counts_it():
    judges = {name: {"q": {"a": level, "b": 1}} for name, level in zip("ABCD", [0, 1, 2, 3])}
    median = merge_judges(judges, "median")
    assert median.qrels == {"q": {"a": 1, "b": 1}}
    assert str(median.answer()[1]).endswith("; 1 with two middle levels got the lower one.")
    majority = merge_judges(judges, "majority")
    assert majority.qrels == {"q": {"a": 0, "b": 1}}
    text = "; 1 without a majority got the lowest of the most frequent levels."
    assert str(majority.answer()[1]).endswith(text)


def test_the_order_of_the_judges_does_not_matter():
    in_order = merge_judges({"Ann": ANN, "Ben": BEN, "Cem": CEM}).qrels
    reverse = merge_judges({"Cem": CEM, "Ben": BEN, "Ann": ANN}).qrels
    assert in_order == reverse


def test_judges_that_cannot_be_merged_are_refused():
    with pytest.raises(GradedError, match="merging needs at least 2 judges"):
        merge_judges({"Ann": ANN})
    with pytest.raises(GradedError, match=r"rule='means' is not one of majority, mean, .* mean"):
        merge_judges({"Ann": ANN, "Ben": BEN}, "means")
    with pytest.raises(GradedError, match="Ben: topic 'q', document 'd': judged twice, at"):
        merge_judges({"Ann": ANN, "Ben": [Qrel("q", "d", 1), Qrel("q", "d", 2)]})


def test_another_scale_is_mapped_to_that_of_the_first_judge_or_remarked():
    tens = {"q1": {"a": 9, "b": 4}, "q2": {"d": 10}}
    with pytest.warns(match="Ten: the highest level is 10, and that of Ann 3; if the scales"):
        merge_judges({"Ann": ANN, "Ten": tens})
    mapped = merge_judges({"Ann": ANN, "Ten": tens}, "highest", machine_levels="0-4:0,5-9:1,10:3")
    assert mapped.qrels["q2"] == {"d": 3}

"""Qrels as dicts of levels: from one scale to another, and what is refused."""

import pytest

from ir_measures_graded import GradedError
from ir_measures_graded.judging.merging import level_map, levels_of, on_one_scale, rescaled, scale_of


def test_whole_levels_are_ints():
    assert str(levels_of({"q": {"a": 1.0, "b": 0.5}})) == "{'q': {'a': 1, 'b': 0.5}}"


def test_levels_become_those_of_the_step_that_they_reach():
    qrels = {"q": {"a": 0, "b": 4, "c": 5, "d": 9.99, "e": 10, "f": 11}}
    assert rescaled(qrels, {10: 3, 5: 1, 0: 0})["q"] == {"a": 0, "b": 0, "c": 1, "d": 1, "e": 3, "f": 3}
    assert rescaled(qrels, "-1:0,0.5:1")["q"] == {"a": 0, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("0:0,5", "levels '0:0,5' are not allowed: '5' is not LEVEL:LEVEL"),
        ("0:0,x:1", "'x:1' is not LEVEL:LEVEL"),
        ("0:nan", "'0:nan' is not LEVEL:LEVEL"),
        ({}, "'' is not LEVEL:LEVEL"),
        ("0:0,0.0:1", "level 0 is named twice"),
        ("0:1,5:0", "a higher level may not become a lower one"),
    ],
)
def test_maps_that_are_none_are_refused(levels, message):
    with pytest.raises(GradedError, match=message):
        level_map(levels)


def test_levels_below_the_map_are_refused():
    with pytest.raises(
        GradedError, match="machine: topic 'q', document 'a': level -1 is below 0, the lowest"
    ):
        rescaled({"q": {"a": -1}}, "0:0,5:1", "machine")


HUMAN = {"q": {"a": 0, "b": 3}, "r": {"a": 1}}


@pytest.mark.parametrize("levels", [(0, 1, 2), (0, 0, 0), (3, 2, 1)])
def test_a_machine_need_not_use_all_levels(levels):
    machine = {"q": dict(zip("abc", levels))}
    assert on_one_scale(HUMAN, machine, None) == machine
    assert on_one_scale({"q": {"a": 0.5, "b": 3}}, {"q": {"a": 1.25}}, None) == {"q": {"a": 1.25}}


@pytest.mark.parametrize("level", [-1, 0.5, 10])
def test_a_level_of_another_scale_is_refused_with_its_document(level):
    machine = {"q": {"a": 3, "b": 1}, "r": {"c": 2, "d": level}}
    with pytest.raises(GradedError, match=rf"\(machine, topic 'r', document 'd': {level}\); map the machine"):
        on_one_scale(HUMAN, machine, None)
    assert on_one_scale(HUMAN, machine, "-1:0,0.5:1,3:3")["q"] == {"a": 3, "b": 1}


def test_messages_list_the_levels_of_a_scale():
    assert scale_of({"q": dict.fromkeys("abc", 2)}) == "2"
    assert scale_of({"q": {str(level): level for level in range(100)}}) == "0 to 99"
    assert scale_of({"q": {}}) == "none"

"""The tables on the papers' pages: exactly the explained cells differ."""

import doctest
import re

import pytest
from site_extensions import DOCS

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

import reproduced
import swaps


def differing(table):
    return re.findall(r"\*\*([-−\d.]+) / [-−\d.]+\*\*", table)


def test_a_cell_is_bold_if_the_numbers_differ():
    result = doctest.testmod(reproduced)
    assert (result.attempted, result.failed) == (1, 0)


def test_only_explained_cells_of_jarvelin_and_kekalainen_differ():
    assert differing(reproduced.jarvelin_vectors()) == ["10.52", "11.21"]
    assert differing(reproduced.jarvelin_table_1()) == ["25.0", "6.4"]
    assert differing(reproduced.jarvelin_numbers()) == []


def test_only_explained_cells_of_zhou_and_yao_differ():
    assert differing(reproduced.zhou_examples()) == []
    tables = [reproduced.zhou_table(number) for number in "234"]
    in_tables = [cell for table in tables for cell in differing(table)]
    assert sorted(in_tables) == sorted(differing(reproduced.zhou_differences()))
    cells = sum(len(re.findall(r"\d / \d", table)) for table in tables)
    index = (DOCS / "papers" / "index.md").read_text(encoding="utf-8")
    assert f"{cells - len(in_tables)} of {cells} cells" in index


def numbers(table, row):
    """The first six numbers of a table row; from cells with two numbers, the computed one."""
    (line,) = (line for line in table.splitlines() if line.startswith(f"| {row} "))
    return [float(cell) for cell in re.findall(r"(\d\.\d+)\*{0,2} *\|", line)[:6]]


@pytest.mark.parametrize("system", ["IRS2", "IRS3"])
def test_definitions_give_table_2_the_values_of_table_3(system):
    by_definition = numbers(reproduced.zhou_by_definition(), f"Table 2, {system}")
    assert len(by_definition) == 6
    assert by_definition == pytest.approx(numbers(reproduced.zhou_table("3"), system), abs=0.0055)


def test_all_values_of_scheel_et_al_are_reproduced():
    assert differing(reproduced.scheel_table_1()) == []
    assert differing(reproduced.scheel_table_2()) == []


@pytest.mark.parametrize("uneven", [False, True])
def test_only_ndcg_of_scheel_et_al_depends_on_the_number_of_levels(uneven):
    """Figures 4 and 5."""
    values = swaps.values_of(uneven, repetitions=60 if uneven else 10)
    assert values[..., 0, :] == pytest.approx(1)  # without a swap
    gaps = swaps.gaps(values)
    assert max(gaps["NDCNG"], gaps["µAP"]) < 0.05 < 0.2 < gaps["NDCG"]

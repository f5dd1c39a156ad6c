"""The command `report`, and pages of other commands."""

from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="the extra report is not installed")
pytest.importorskip("scipy", reason="the extra stats is not installed")
pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def test_the_page_names_its_command_and_shows_the_queries(output):
    Path("queries.tsv").write_text("q1\twhy & how\n", encoding="utf-8")
    words = [
        "report",
        "qrels",
        "run",
        "other",
        "nCG@1",
        "--queries",
        "queries.tsv",
        "--title",
        "Two runs",
    ]
    assert " ".join(output(*words, "-o", "two.html")) == (
        "two.html: run has the best mean but does not differ significantly from other: "
        "nCG@1 .5000 against .0000, +.5000 (−5.8531 to 6.8531), p = .500, 2 topics."
    )
    html = Path("two.html").read_text(encoding="utf-8")
    assert "<h1>Two runs</h1>" in html
    assert "<bdi>why &amp; how</bdi>" in html
    assert (
        "<pre>ir_measures_graded report qrels run other nCG@1 --queries queries.tsv "
        "--title &#39;Two runs&#39; -o two.html</pre>"
    ) in html


@pytest.mark.parametrize(
    "words", [["levels", "qrels"], ["evaluate", "qrels", "run", "AP", "-p", "-1"], ["measures"]]
)
def test_every_command_writes_a_page(output, words):
    assert output(*words, "-o", "page.html") == output(*words)
    html = Path("page.html").read_text(encoding="utf-8")
    assert '<h1 class="answer">' in html
    assert f"<code>ir_measures_graded {words[0]}" in html
    assert ("<svg" in html) == (words[0] != "measures")

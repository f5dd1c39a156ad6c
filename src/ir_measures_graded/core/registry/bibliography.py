"""The works that define the measures: the BibTeX file ``references.bib``, and the works of a measure."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).parent / "references.bib"


class Work(NamedTuple):
    """An entry of the file: its key, its BibTeX, and its name as the source of a measure gives it."""

    key: str
    bibtex: str
    name: str


@cache
def works() -> dict[str, Work]:
    """All entries by their keys.

    >>> works()["scheel2011"].name
    'Scheel, Lommatzsch & Albayrak 2011'
    """
    entries = re.findall(r"^(@\w+\{(\w+),.*?^\})", PATH.read_text(encoding="utf-8"), re.M | re.S)
    return {key: Work(key, bibtex, _name(key, bibtex)) for bibtex, key in entries}


def works_of(source: str) -> list[Work]:
    """The works that the source of a measure names, in that order.

    >>> [work.key for work in works_of("Zhou & Yao 2010, Eq. 4; Yao 1995")]
    ['zhou2010', 'yao1995']
    """
    places = {work: source.find(work.name) for work in works().values()}
    return sorted((work for work, place in places.items() if place >= 0), key=places.__getitem__)


def _name(key: str, bibtex: str) -> str:
    """The family names of the authors, and the year; works of one year have the letter of their key."""
    fields = dict(re.findall(r"^  (\w+) = \{(.*?)\},$", bibtex, re.M | re.S))
    authors, year = " ".join(fields["author"].split()), fields["year"]
    *others, last = (person.partition(",")[0] for person in authors.split(" and "))
    names = filter(None, [", ".join(others), last])
    return f"{' & '.join(names)} {year}{key.partition(year)[2]}"

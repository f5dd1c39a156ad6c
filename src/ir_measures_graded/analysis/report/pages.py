"""Self-contained HTML pages: they need no network and no other file, and are readable without
scripts.

A page has a content security policy that forbids every request and allows only its own style sheet
and script, identified by their hashes. Such a policy also forbids style attributes; `drawing` turns
those of Matplotlib into presentation attributes. The Jinja templates are in the folder `page`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import needed
from ...output import figures
from ...output.formats import WITHIN, clean, for_people, numeric, short, without_0
from ...output.result import Result
from ...output.tables import Note
from ..mean_intervals import Intervals
from ..sensitivity import Sensitivity, SensitivityView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDS = ("jinja2", "an HTML page", "report")
"""The arguments of `needed` for Jinja."""
FOLDER = Path(__file__).parent / "page"
LONGEST = 300
"""A name is cut off after this many characters, so that no name can fill the page."""
LONG_WORD = 20
"""A longer word of a sentence may be broken."""
LONGEST_SENTENCE = 3000
"""A sentence with names is cut off after this many characters."""


def page(
    kind: str, title: str, extra_style: str = "", parts: Sequence[str] = (), **values: Any
) -> str:
    """The HTML of a page from the template of its `kind`, which gets the `values`. Text in them is
    escaped.

    Style sheet and script of the kind, if it has them, follow those of all pages, and then those of
    the `parts` that the page includes. `extra_style` has more rules for the style sheet. Raises
    `GradedError` if Jinja (extra ``report``) is not installed.
    """
    names = ("page", kind, *parts)
    style = "\n".join([*_files(names, "css"), extra_style])
    script = "\n".join(_files(names, "js"))
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    template = _environment(needed(*NEEDS)).get_template(f"{kind}.html")
    html = template.render(title=title, style=style, script=script, policy=policy, **values)
    lines = map(clean, html.split("\n"))  # ids and names may have control characters
    # They may also have lone surrogates, which cannot be encoded.
    return "\n".join(lines).encode("utf-8", "replace").decode("utf-8")


def result_page(result: Result, lead: str, places: int) -> str:
    """The page of a result: its sentences, figure and tables, and what if, if the result has that.

    The title is the answer. `lead` is the command. Numbers have that many decimal `places`.
    """
    title = result.summary or lead
    if isinstance(result, Intervals):
        title = str(result.headline)
    content = None
    if isinstance(result, (Sensitivity, SensitivityView)):
        content = result.what_if()
    parts = ["whatif"] if content else []
    answer = [sentence for sentence in result.answer() if sentence != title]
    if content and isinstance(result, (Sensitivity, SensitivityView)):
        # The sliders tell the turns of whatever gains they have.
        answer = [sentence for sentence in answer if sentence not in result.turns]
    if isinstance(result, (Sensitivity, SensitivityView)) and result.why_no_sliders:
        answer.append(Note("The page has no sliders: {}.", result.why_no_sliders))
    return page(
        "result",
        title,
        parts=parts,
        lead=lead,
        result=result,
        answer=answer,
        places=places,
        whatif=content,
    )


@cache
def _environment(jinja2: Any) -> Any:
    """Jinja with the templates. Each is compiled only once."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        lstrip_blocks=True,
        optimized=False,  # constants take less time when a page is made than when it is compiled
    )
    environment.filters |= {"number": number, "signed": signed, "p": p_value, "name": shortened}
    environment.filters |= {
        "inline": inline,
        "sentence": sentence,
        "breakable": breakable,
        "drawing": drawing,
        "numeric": numeric,
    }
    environment.globals["theme"] = THEME
    compact = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}
    environment.policies["json.dumps_kwargs"] = compact
    return environment


def _files(names: Sequence[str], suffix: str) -> list[str]:
    """The texts of the style sheets or scripts of these names that exist."""
    paths = (FOLDER / f"{name}.{suffix}" for name in names)
    return [path.read_text(encoding="utf-8") for path in paths if path.exists()]


def _source(text: str) -> str:
    """The expression that allows this text in a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# ------------------------------------------------------------------------------ text in templates


def number(value: float | None, places: int = 4) -> str:
    """A float with decimal places, all for -1, and an int without; a dash for None.

    Tables of a page have numbers as its sentences have them, without the 0 before the point.

    >>> number(-0.25, 2), number(-0.125, -1), number(1234), number(None)
    ('−.25', '−.125', '1,234', '–')
    """
    if value is None:
        return "–"
    text = str(value)
    if isinstance(value, float) and places >= 0:
        text = f"{value:.{places}f}"
    return without_0(for_people(text))


def inline(value: float | None, places: int = 4) -> str:
    """A float as a sentence has it, without the 0 before the point; a dash for None.

    >>> inline(0.25), inline(-0.25, 2), inline(12.5, 1), inline(None)
    ('.2500', '−.25', '12.5', '–')
    """
    return "–" if value is None else short(value, f".{places}f")


def signed(value: float | None, places: int = 4) -> str:
    """As `number`, with a plus sign for a number above 0 and no sign for one that rounds to 0.

    >>> signed(0.25, 2), signed(-0.25, 2), signed(0.001, 2)
    ('+.25', '−.25', '.00')
    """
    text = number(value, places)
    if value is None or not re.search("[1-9]", text):
        return text.lstrip("−")
    return f"+{text}" if value > 0 else text


def p_value(value: float | None) -> str:
    """A p-value with three decimal places; a smaller one as ``< .001``, and a dash for None.

    >>> p_value(0.0312), p_value(0.00001), p_value(None)
    ('.031', '< .001', '–')
    """
    if value is None:
        return "–"
    return "< .001" if value < 0.001 else short(value, ".3f")


def shortened(text: object) -> str:
    """A name, cut off if it is very long.

    >>> shortened("bm25"), len(shortened("x" * 10_000))
    ('bm25', 301)
    """
    name = str(text)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"


def sentence(text: object) -> Any:
    """A sentence in which a browser may break long words as it breaks a name.

    A number stays beside its sign.

    >>> print(sentence("a_b beats a_name-of-more-characters"))
    a_b beats a_<wbr>name-<wbr>of-<wbr>more-<wbr>characters
    >>> sentence("p < .001, 5 %")
    Markup('p\\xa0&lt;\\xa0.001, 5\\xa0%')
    """
    from markupsafe import Markup  # Jinja needs this package.

    words = re.sub(WITHIN, "\xa0", str(text)[:LONGEST_SENTENCE]).split(" ")
    parts = [breakable(word) if len(word) > LONG_WORD else word for word in words]
    return Markup(" ").join(parts)


def breakable(text: object) -> Any:
    """A name that a browser breaks after -, _ and / if it is too long for its place.

    >>> print(breakable("a_b<c"))
    a_<wbr>b&lt;c
    """
    from markupsafe import Markup, escape  # Jinja needs this package.

    parts = re.split("(?<=[-_/])(?=.)", shortened(text))
    return Markup("<wbr>").join(map(escape, parts))


# ---------------------------------------------------------------------------------- figures

INHERITED = 'stroke-linejoin="round" stroke-linecap="butt"'
"""The rules for all elements in Matplotlib's style sheet, as attributes."""
THEME = {
    "#000000": "currentColor",
    "black": "currentColor",
    "#ffffff": "var(--paper)",
    "#dddddd": "var(--rule)",
    figures.GREY: "var(--muted)",
    figures.PALE["color"]: "var(--pale)",
}
"""Colours that change with the page between light and dark."""
OF_THE_PAGE = ("max-width", "height", "font-family")
"""The rules of elements that the page's style sheet decides."""


def drawing(figure: Figure, label: str) -> str:
    """A figure as an ``<svg>`` element without style attributes, in the colours of the page.

    `label` describes the figure for screen readers. The id ``run-3`` that `Artist.set_gid` set
    becomes the attribute ``data-run="3"``. Ids of figures are not unique: those that the figure
    refers to get a prefix made of the label, and others are left out.
    """
    figure.patch.set_visible(False)  # the page is the background
    for axes in figure.axes:
        for panel in (axes, *axes.child_axes):
            panel.patch.set_visible(False)
    element = re.sub(r"<(metadata|style)\b.*?</\1>", "", figures.svg(figure), flags=re.DOTALL)
    element = re.sub("<[^>]*>", _tag, element)
    element = re.sub("<[^>]*>", partial(_unique, prefix=_prefix(label)), element)
    element = re.sub(r"\s*\n\s*", " ", element).replace("> <", "><")
    return element.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" {INHERITED}', 1)


def _tag(match: re.Match[str]) -> str:
    """A tag of an SVG as `drawing` has it. The text between tags may have names, which no rule may
    change."""
    tag = re.sub(r' style="([^"]*)"', _attributes, match[0])
    tag = re.sub(r' id="run-(\d+)"', r' data-run="\1"', tag)
    tag = re.sub(r' (id="image[^"]*"|transform="rotate\(-0 [^"]*\)")', "", tag)
    return re.sub(r"\d+\.\d{2,}(?=[ \"])", _with_one_decimal, tag)


def _prefix(label: str) -> str:
    """A prefix for ids, which tells the figures of a page apart."""
    return f"f{hashlib.sha256(label.encode(errors='replace')).hexdigest()[:6]}-"


def _unique(match: re.Match[str], prefix: str) -> str:
    """A tag whose ids and references have a prefix; ids of groups, to which nothing refers, are
    left out."""
    tag = match[0]
    if tag.startswith("<g "):
        return re.sub(r' id="[^"]*"', "", tag)
    tag = re.sub(r' id="([^"]*)"', rf' id="{prefix}\1"', tag)
    return re.sub(r'(url\(#|href="#)', rf"\g<1>{prefix}", tag)


def _with_one_decimal(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}"


def _attributes(match: re.Match[str]) -> str:
    """The declarations of a style attribute as presentation attributes."""
    attributes = []
    for declaration in match[1].split(";"):
        name, _, value = map(str.strip, declaration.partition(":"))
        if not name or name in OF_THE_PAGE:
            continue
        if name == "font":
            name = "font-size"
            value = re.findall(r"[\d.]+px", value)[0]
        attributes.append(f' {name}="{escape(THEME.get(value, value))}"')
    return "".join(attributes)

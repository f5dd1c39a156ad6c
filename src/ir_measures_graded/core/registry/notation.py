"""Measure strings to measures.

The notation is ir-measures', `Name(parameter=value, …)@cutoff`, read with Python's own parser. It
also allows negative numbers and mappings without braces, as in ``gains=0:0,1:1,2:10``. `str` turns
a measure back into its string.
"""

import ast
import io
import re
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import redirect_stdout, suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import Any

import ir_measures
import ir_measures.util
from ir_measures import Measure
from ir_measures.measures import ParamInfo
from ir_measures.providers.base import NOT_PROVIDED

from ...arguments import items
from ...errors import (
    GradedError,
    UnknownMeasureError,
    did_you_mean,
    shown,
    without_suggestions,
)
from ..measures.sessions import SessionMeasure
from ..ranking.gains import (
    EXP,
    FORMULA,
    LIST_OF_GAINS,
    NAMED,
    PRESETS,
    Gains,
    gains_from_zero,
    gains_in_place_of,
    gains_text,
    in_our_form,
    plain_number,
    with_levels,
)
from . import plugins
from .facts import allowed, is_err, is_graded, needs_intents, typed, with_options
from .names import OFFICIAL, all_names, normalised, registered, registry

_FORM = "write Name(parameter=value, ...)@cutoff, for example nDCG_JK(b=2,gains=0:0,1:1,2:10)@100"
# The first part has no comma, the second no bracket, and the end is sought after a value alone, so
# that the search takes linear time.
_BARE_MAPPING = (
    r"""=([^=:,(){}\[\]'"]+:[^=(){}\[\]'"]*?)(?<![,\s])(?=\s*(?:,\s*(?:\w+\s*=|\))|\)|$))"""
)
MOST_BITS = 10_000
"""The bits of the largest whole number that is read. Python converts a larger one slowly."""
OTHER_GAINS = "nDCG_Burges takes any gains, exp and linear too"
"""What to take for gains that a measure of ir-measures does not allow."""
OPTIONS = ("ties", "unjudged")
"""Options of graded measures that standard measures with a definition have as well."""
_TREC_NAME = r"[A-Za-z_]+|11pt_avg|\w{1,40}?[._]\d{1,9}(?:\.\d{1,9})?(?:,\d{1,9}(?:\.\d{1,9})?)*"
"""A name of trec_eval with its parameters; ir-measures itself would ignore letters after them."""

_WITH_WRONG_CUTOFF = r"(?P<name>[^@()]+)@(?P<cutoff>[^@()./=]*|[-+]?[\d.,_eE+-]+)"
"""A name with anything for a cutoff but what is more likely part of a path."""

_ONE_MEASURE = r"(?P<name>[^\W\d]\w*)(?P<ending>(?:\([^()]*\))?(?:@\d{1,9}(?:,\d{1,9})*)?)"
"""A measure string, of which only the name and its end are told apart."""

_GAINS_AS_TYPED = (
    r"(?i)(?P<name>\bgains\s*=\s*)(?:\[\s*(?P<list>[^][()]*)\]|\(\s*(?P<tuple>[^][()]*)\)"
    rf"|(?P<text>{FORMULA}|{'|'.join(PRESETS)}|{LIST_OF_GAINS})(?=\s*(?:\)|,\s*[^\W\d]\w*\s*=)))"
)
"""Gains without levels, as a list or between commas, 2^level − 1 and presets."""

_CUTOFF_FIRST = r"(?P<name>\w+)@(?P<cutoff>\d+)(?P<parameters>\(.*\))"
_COMMA = r",(?=\s*[^\W\d])(?![^()]*\))"
"""A comma between measures: outside parentheses, and before a letter, as cutoffs have commas too.
"""


def parse_measure(text: str | ir_measures.Measure) -> ir_measures.Measure:
    """The measure that the string `text` names; a measure is returned unchanged.

    >>> parse_measure("nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100")
    nDCG_JK(gains={2:10,3:100})@100
    >>> parse_measure("nDCG@10")
    nDCG@10
    >>> parse_measure("AP(ties=mean)@10")
    AP(ties='mean')@10

    Raises `GradedError` for a string that cannot be read, an unknown measure (also a `NameError`,
    as in ir-measures), and for an unknown parameter or a value that a graded measure does not
    allow.
    """
    if isinstance(text, ir_measures.Measure):
        return text
    if not isinstance(text, str):
        raise GradedError(f"a measure is a string such as 'nDCG_JK@10', not {shown(text)}")
    text = _with_levels_of_gains(text)
    name, arguments, cutoff = _parts(text)
    measure = find_measure(name)
    if name == "nDCG" and [key for key, _ in arguments] == ["gains"]:
        # With gains of its own, nDCG with the discount log2(rank + 1) is nDCG_Burges.
        _, gains = arguments[0]
        if _is_for_burges(gains):
            measure = find_measure("nDCG_Burges")
    strict = is_graded(measure) or any(key in OPTIONS for key, _ in arguments)
    if cutoff is not None:
        arguments.append((measure.AT_PARAM, cutoff))
    parameters: dict[str, Any] = {}
    for key, node in arguments:
        if strict and key in parameters:
            raise GradedError(f"{shown(text)} names {key} twice; name it once")
        word = _word_without_quotes(node)
        if not strict and word is not None and key != measure.AT_PARAM:
            reason = f"the word {word} in {key} needs quotes"
            if key == "gains":
                reason = f"{name} takes no names of gains; {OTHER_GAINS}"
            raise GradedError(f"cannot read measure {shown(text)}: {reason}")
        if not strict and isinstance(node, ast.UnaryOp):
            # ir-measures would check the value too late.
            raise GradedError(f"cannot read measure {shown(text)}: {name} takes no sign in {key}")
        parameters[key] = _value(node, text, strict)
    if is_graded(measure):
        return measure(**parameters)
    options = {name: parameters.pop(name) for name in OPTIONS if name in parameters}
    standard = measure(**parameters)
    if not options:
        return standard
    return with_options(checked(standard), options)


def _word_without_quotes(node: ast.expr) -> str | None:
    """The word that stands for a value, or two words with a hyphen, as in dcg=exp-log2; None if the
    value is another one."""
    match node:
        case ast.Name(id=word):
            return word
        case ast.BinOp(left=ast.Name(id=first), op=ast.Sub(), right=ast.Name(id=second)):
            return f"{first}-{second}"
    return None


def _is_for_burges(gains: ast.expr) -> bool:
    """Whether these gains have a name or a fraction, which nDCG of ir-measures does not take."""
    if isinstance(gains, ast.Name):
        return gains.id in NAMED
    if not isinstance(gains, ast.Dict):
        return False
    return any(isinstance(getattr(gain, "value", None), float) for gain in gains.values)


def _with_levels_of_gains(text: str) -> str:
    """The text, in which a list of gains that begins with 0 has the levels 0, 1, …, and a preset
    its gains.

    >>> _with_levels_of_gains("nDCG(gains=0,1,3)@10"), _with_levels_of_gains("Q(gains=2^rel-1)")
    ('nDCG(gains={0:0,1:1,2:3})@10', 'Q(gains=exp)')

    Raises `GradedError` for any other list, with the string that is probably meant.
    """
    if _has_no_gains_as_typed(text):
        return text
    match = re.search(_GAINS_AS_TYPED, text)
    if match is None:
        return text
    typed_gains = in_our_form(match["list"] or match["tuple"] or match["text"] or "")
    before = text[: match.end("name")]
    behind = text[match.end() :]
    if typed_gains == EXP:
        return f"{before}{EXP}{behind}"
    gains = typed_gains.split(",")
    by_level = PRESETS.get(typed_gains) or gains_from_zero(gains)
    if by_level:
        return f"{before}{{{gains_text(by_level)}}}{behind}"
    pairs, _, meaning = with_levels(gains).partition(" ")
    if pairs:
        reason = f"the gains name no levels; write {before}{pairs}{behind} {meaning}"
        raise GradedError(f"cannot read measure {shown(text)}: {reason}")
    return text


def _has_no_gains_as_typed(text: str) -> bool:
    """Whether the text clearly names no gains, or only some by level. The pattern of all others
    takes time to compile.

    >>> texts = ["nDCG@10", "nDCG_JK(gains=0:0,1:1)@10", "nDCG_JK(gains=0,1)@10"]
    >>> [_has_no_gains_as_typed(text) for text in texts]
    [True, True, False]
    """
    _, name, behind = text.casefold().partition("gains")
    level, colon, _ = behind.removeprefix("=").partition(":")
    is_by_level = bool(colon) and level.isdecimal() and "gains" not in behind
    return not name or is_by_level


def with_gains(measure: Measure, gains: Gains) -> Measure:
    """The measure with these gains; nDCG with named or fractional ones is nDCG_Burges.

    >>> from ir_measures import nDCG
    >>> with_gains(nDCG @ 10, {1: 1, 2: 3}), with_gains(nDCG @ 10, {1: 0.5})
    (nDCG(gains={2:3})@10, nDCG_Burges(gains={1:0.5})@10)
    """
    has_others = set(measure.params) - {"cutoff"}
    is_whole = isinstance(gains, dict) and all(gain % 1 == 0 for gain in gains.values())
    if str(measure.NAME) == "nDCG" and not has_others and not is_whole:
        cutoff = measure.params.get("cutoff")
        measure = find_measure("nDCG_Burges")
        if cutoff is not None:
            measure = measure @ cutoff
    return measure(gains=gains)


def parse_measures(
    measures: Measure | str | Iterable[Measure | str], uncut: bool = False
) -> tuple[Measure, ...]:
    """The measures without duplicates, their parameters checked. If `uncut`, required ones may be
    missing.

    Strings are measure strings or names of trec_eval; a string that can be both is a measure
    string. Commas may separate measures.

    >>> parse_measures(["nDCG_JK(gains=2:10,3:20)@10,Q", "ndcg_cut_10", "map", "P_5,10"])
    (nDCG_JK(gains={2:10,3:20})@10, Q, nDCG@10, AP, P@5, P@10)

    Raises `GradedError` for an empty list, a missing parameter and a value that is not allowed.
    """
    return tuple(dict.fromkeys(parse_list(measures, uncut)))


def parse_list(
    measures: Measure | str | Iterable[Measure | str], uncut: bool = False
) -> list[Measure]:
    """The measures as `parse_measures`, in the order given and each as often as it is given.

    >>> parse_list(["nDCG_JK@10", "nDCG_JK(b=2)@10"])
    [nDCG_JK@10, nDCG_JK@10]
    """
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    parsed = []
    for measure in items("measures", measures, "measures or measure strings, such as 'nDCG_JK@10'"):
        for named in named_by(measure):
            parsed.append(checked(named, uncut))
    if not parsed:
        raise GradedError("no measure is given; name at least one, for example nDCG_JK@10")
    return parsed


class NamedMeasure(Measure):
    """A measure of which only the name is known, and whether smaller values are better."""

    SHORT_DESC = "The values were computed before; this package does not know the definition."
    HAS_RANGE = False

    def __init__(self, name: str, smaller_is_better: bool = False):
        super().__init__()
        self.__name__ = name
        self.NAME = name.partition("@")[0]
        self.smaller_is_better = smaller_is_better


LONGEST_NAME = 1 << 12  # characters of a measure with its parameters


def measure_named(name: str, smaller_is_better: bool = False) -> Measure:
    """The measure of values with this name: a known one, or a `NamedMeasure`.

    >>> measure_named("ndcg_cut_10"), measure_named("faithfulness")
    (nDCG@10, faithfulness)

    Whether smaller values are better is known of known measures; `smaller_is_better` says so of any
    other. No known measure has a name of more than `LONGEST_NAME` characters.
    """
    if not smaller_is_better and len(name) <= LONGEST_NAME:
        with suppress(GradedError), without_suggestions():
            measures = parse_measures(name)
            if len(measures) == 1:
                return measures[0]
    return NamedMeasure(name, smaller_is_better)


def one_of(measures: Collection[Measure], wanted: Measure | str) -> Measure:
    """The one of some measures that has this string, or that the string names.

    Raises `GradedError` for any other.
    """
    for measure in measures:
        if measure is wanted:  # comparing many measures by their strings takes long
            return measure
    for measure in measures:
        if isinstance(wanted, str) and str(measure) == wanted:
            return measure
    parsed = parse_measures(wanted)[0]
    if parsed not in measures:
        raise GradedError(
            f"{parsed} is not among the measures evaluated: {', '.join(map(str, measures))}"
        )
    return parsed


def named_by(measure: Measure | str) -> list[Measure]:
    """The measures of one string, as `parse_measures`, with parameters that are not checked."""
    if not isinstance(measure, str):
        return [parse_measure(measure)]
    if measure.strip() == OFFICIAL:
        raise GradedError(
            f"{OFFICIAL} names the measures of an ir-datasets collection; give its id as qrels"
        )
    with suppress(GradedError), without_suggestions():
        return [_typed_if_alias(parse_measure(measure), measure)]
    # No handler is open, so that the errors below are the only ones that a user sees.
    measures = trec_measures(measure) or _everyday_measures(measure)
    if measures:
        return measures
    texts = re.split(_COMMA, measure)
    if len(texts) > 1:
        return list(chain.from_iterable(named_by(text.strip()) for text in texts))
    _refuse_wrong_cutoff(measure)
    if registered(normalised(measure.partition("(")[0].strip())) is None:
        from .everyday import refuse_parameters

        refuse_parameters(measure)
    return [parse_measure(measure)]  # which raises the error


def _typed_if_alias(measure: Measure, text: str) -> Measure:
    """The measure, which remembers the text if that is another of its names, as MAP is.

    Other tools define these names in other ways, as they do everyday names.

    >>> from .facts import is_typed
    >>> [is_typed(named_by(text)[0]) for text in ("MAP@10", "NDCG@10", "AP@10", "nDCG")]
    [True, True, False, False]
    """
    name = re.split("[(@]", text, maxsplit=1)[0].strip()
    if name != measure.NAME and registered(name) is not None:
        return typed(measure, text)
    return measure


def _refuse_wrong_cutoff(text: str) -> None:
    """Raise `GradedError` if a text has the name of a measure and anything but a cutoff after its
    ``@``.

    >>> _refuse_wrong_cutoff("runs/map@v2.run")
    >>> _refuse_wrong_cutoff("map@-1")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: 'map@-1': '-1' is not a cutoff; a cutoff is a whole \
number ≥ 1, as in map@10
    """
    match = re.fullmatch(_WITH_WRONG_CUTOFF, text.strip())
    if match is None:
        return
    from .everyday import is_everyday, refuse_cutoff

    name = match["name"]
    if is_everyday(name) or registered(normalised(name)) is not None:
        refuse_cutoff(text, match["cutoff"])


def _everyday_measures(text: Any) -> list[Measure]:
    """The measures of an everyday name, of several cutoffs or of a pattern of names; none for other
    texts.

    >>> _everyday_measures("hit_rate@5,10"), _everyday_measures("DCG*@20")
    ([Success@5, Success@10], [DCG_Burges@20, DCG_JK@20])

    Raises `GradedError` for an ambiguous word, a cutoff that is missing or superfluous, and for a
    pattern that no name matches.
    """
    if not isinstance(text, str):
        return []
    if "*" in text and "(" not in text:
        return _matching(text.strip())
    from .everyday import everyday_strings, with_each_cutoff  # Measure strings do not need it.

    named = [typed(parse_measure(string), text) for string in everyday_strings(text)]
    if named:
        return named
    text_in_case = _in_case(text)
    strings = with_each_cutoff(text_in_case)
    if not strings and text_in_case != text:
        strings = [text_in_case]
    return [parse_measure(string) for string in strings]


def _in_case(text: str) -> str:
    """The text with the letters of a measure's name as the measure has them.

    Texts that begin with no name of a measure are returned as they are.

    >>> _in_case("ndcg_jk(b=2)@10"), _in_case("nDCG_JK@10"), _in_case("bm25.run")
    ('nDCG_JK(b=2)@10', 'nDCG_JK@10', 'bm25.run')

    Raises `GradedError` for a text that begins with the names of several measures.
    """
    match = re.fullmatch(_ONE_MEASURE, text.strip())
    if match is None or registered(match["name"]) is not None:
        return text
    typed_name = match["name"]
    alike = _names_by_lower_case(all_names()).get(typed_name.lower(), [])
    names = {str(measure.NAME) for measure in map(registered, alike) if measure is not None}
    if not names:
        return text
    strings = [name + match["ending"] for name in sorted(names)]
    if len(strings) > 1:
        raise GradedError(f"{text!r} means several measures; write {' or '.join(strings)}")
    return strings[0]


@lru_cache(1)  # for tables of values by thousands of measures
def _names_by_lower_case(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The registered names by their lower case."""
    by_lower_case: dict[str, list[str]] = {}
    for name in names:
        by_lower_case.setdefault(name.lower(), []).append(name)
    return by_lower_case


def _matching(pattern: str) -> list[Measure]:
    """The measures whose name matches a pattern such as ``nDCG*`` or ``nDCG*@10``, by name.

    Measures of intents and sessions, which other qrels lack, are left out, and so are measures that
    need a parameter that is not given, or take no cutoff if one is given.
    """
    names, at, cutoff = pattern.partition("@")
    plugins.load()
    measures = {measure.NAME: measure for measure in registry().values()}
    matching = []
    for name, measure in sorted(measures.items()):
        if not fnmatchcase(name, names) or needs_more(measure):
            continue
        with suppress(GradedError):
            matching.append(checked(parse_measure(name + at + cutoff)))
    if not matching:
        raise GradedError(f"no measure matches {shown(pattern)}; `measures` lists all names")
    return matching


def _hint_on_rel(measure: Measure) -> str:
    """What to write for the parameter rel of a standard measure of gains, which has none."""
    rel = measure.params["rel"]
    cutoff = measure.params.get("cutoff")
    if is_err(measure):
        return gains_in_place_of(rel, "ERR_G", cutoff, EXP)
    if "gains" in measure.SUPPORTED_PARAMS:
        return gains_in_place_of(rel, str(measure.NAME), cutoff)
    return ""


def needs_more(measure: Measure) -> bool:
    """Whether a measure needs qrels with intents, or sessions."""
    return needs_intents(measure) or isinstance(measure, SessionMeasure)


def trec_measures(text: Any) -> list[Measure]:
    """The measures of a trec_eval name, as ir-measures reads it; none for any other text.

    >>> trec_measures("P_5,10"), trec_measures("nDCG@10")
    ([P@5, P@10], [])

    Raises `GradedError` for a name of trec_eval that ir-measures does not support.
    """
    if not isinstance(text, str):
        return []
    from .trec_names import ALL, ALL_OTHERS, trec_strings  # Measure strings do not need it.

    strings = trec_strings(text.strip())
    if strings:
        return [parse_measure(string) for string in strings]
    if not re.fullmatch(_TREC_NAME, text) or not _may_be_of_trec_eval(text):
        return []
    parse = ir_measures.util.parse_trec_measure
    parse = getattr(parse, "_original", parse)
    try:
        # ir-measures prints the measures that it does not support.
        with redirect_stdout(io.StringIO()):
            measures = parse(text)
        if text == ALL:
            others = chain.from_iterable(map(trec_strings, ALL_OTHERS))
            measures = [*measures, *map(parse_measure, others)]
        return measures
    except ValueError as error:
        if str(error).startswith(("known trec name", "unknown argument")):
            raise GradedError(str(error)) from None
        return []


def _may_be_of_trec_eval(text: str) -> bool:
    """Whether a text may name measures of trec_eval: one without numbers is such a name itself.

    ir-measures compares the start of a text with each name, which takes 5 ms.
    """
    from pytrec_eval import supported_measures, supported_nicknames  # This import takes time.

    has_numbers = any(map(str.isdigit, text))
    return has_numbers or text in supported_measures or text in supported_nicknames


def checked(measure: Measure, uncut: bool = False) -> Measure:
    """`measure` itself; raises `GradedError` for parameters that are not allowed.

    >>> checked(ir_measures.P @ 0)
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: P: cutoff=0 is not allowed; cutoff is a whole number ≥ 1

    Graded measures check the other parameters when they are created. ir-measures checks those of
    standard measures late, and some values crash the process in C code.
    """
    if is_graded(measure):
        if not uncut:
            measure.need_cutoff()
        return measure
    name = measure.NAME
    supported = measure.SUPPORTED_PARAMS
    unknown = [parameter for parameter in measure.params if parameter not in supported]
    if unknown:
        takes = f"it takes {', '.join(supported)}" if supported else "it takes none"
        parameter = unknown[0]
        hint = _hint_on_rel(measure) if parameter == "rel" else ""
        raise GradedError(f"{name} has no parameter {shown(parameter)}; {takes}{hint}")
    for parameter, info in supported.items():
        value = measure.params.get(parameter, NOT_PROVIDED)
        meaning = allowed(parameter, info)
        if value is NOT_PROVIDED:
            if info.required and not uncut:
                example = ""
                if parameter == "cutoff":
                    from .everyday import for_whole_list

                    example = f", as in {name}@10{for_whole_list(name)}"
                raise GradedError(f"{name} needs {parameter}, {meaning}{example}")
        elif not _is_allowed(parameter, info, value):
            refused = f"{name}: {parameter}={shown(value)} is not allowed"
            other = ""
            if parameter == "gains":
                other = f"; {OTHER_GAINS}"
            raise GradedError(f"{refused}; {parameter} is {meaning}{other}")
    return measure


def _is_allowed(parameter: str, info: ParamInfo, value: Any) -> bool:
    """Whether a standard measure can be computed with this value of a parameter."""
    if info.dtype is int and isinstance(value, bool):
        return False
    if not info.validate(value):
        return False
    if parameter == "gains" and isinstance(value, dict):
        # trec_eval's levels are whole numbers, and so are its gains.
        has_whole_gains = all(isinstance(gain, int) for gain in value.values())
        return has_whole_gains and all(map(_is_number, chain(*value.items())))
    return parameter != "cutoff" or 1 <= value <= sys.maxsize


def _is_number(value: Any) -> bool:
    """Whether a level or a gain is a number; True and False are none."""
    try:
        plain_number(value)
    except (TypeError, ValueError):
        return False
    return True


def is_measure(text: str) -> bool:
    """Whether a text is a measure string, so that a file of this name may be one by mistake.

    >>> is_measure("AP"), is_measure("rbp.p=0.8"), is_measure("bm25.run")
    (True, True, False)
    """
    # Most paths are told apart at once: no measure has a slash, nor the ending of a file.
    _, _, behind_dot = text.partition(".")
    has_ending = behind_dot[:1].isalpha() and not behind_dot.startswith("p=")
    if "/" in text or (has_ending and "(" not in text):
        return False
    try:
        with without_suggestions():
            return bool(parse_measures(text, True))
    except GradedError:
        return False


def find_measure(name: str) -> ir_measures.Measure:
    """The registered measure of that name or alias, with its default parameters.

    Raises `UnknownMeasureError`, which suggests close names.
    """
    name = normalised(name)
    measure = registered(name)
    if measure is None:
        plugins.load()
        measure = registered(name)
    if measure is None:
        hint = _similar_measures(name)
        if plugins.are_off():
            hint += f"; {plugins.VARIABLE}=off leaves out plugins"
        raise UnknownMeasureError(f"measure not found: {shown(name)[1:-1]}{hint}")
    return measure


def _similar_measures(name: str) -> str:
    """The end of a message that suggests measures: those of similar names, or those of similar
    everyday words if no name is very similar.

    >>> _similar_measures("hitz"), _similar_measures("nDCG_KJ")
    ('; did you mean Success@10?', '; did you mean nDCG_JK or DCG_JK or nDCG?')
    >>> _similar_measures("nDCG10"), _similar_measures("hit_5")
    ('; did you mean nDCG@10?', '; did you mean hit@5?')
    """
    from .everyday import is_everyday, similar_strings

    joined = re.fullmatch(r"(?P<name>\w*?)_?(?P<cutoff>\d+)", name)
    if joined is not None:
        with_cutoff = f"{joined['name']}@{joined['cutoff']}"
        if registered(joined["name"]) is not None or is_everyday(with_cutoff):
            return f"; did you mean {with_cutoff}?"
    strings = similar_strings(name)
    if strings and not did_you_mean(name, all_names(), cutoff=0.8):
        return f"; did you mean {' or '.join(strings)}?"
    return did_you_mean(name, all_names(), most=3, cutoff=0.5)


def _parts(text: str) -> tuple[str, list[tuple[str, ast.expr]], ast.expr | None]:
    """The measure's name, its arguments and the part after @, as syntax trees."""
    node: ast.expr = _expression(text)
    arguments: list[tuple[str, ast.expr]] = []
    cutoff: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff = node.right
        node = node.left
        if isinstance(cutoff, ast.Call):
            in_order = "the parameters come before the cutoff"
            match = re.fullmatch(_CUTOFF_FIRST, text.strip())
            form = _FORM
            if match is not None:
                form = f"write {match['name']}{match['parameters']}@{match['cutoff']}"
            raise GradedError(f"cannot read measure {shown(text)}: {in_order}; {form}")
        if isinstance(cutoff, ast.Constant) and cutoff.value is None:
            cutoff = None
    if isinstance(node, ast.Call):
        arguments = [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        if len(arguments) < len(node.args) + len(node.keywords):
            raise GradedError(f"cannot read measure {shown(text)}: parameters need names; {_FORM}")
        node = node.func
    if not isinstance(node, ast.Name):
        raise GradedError(f"cannot read measure {shown(text)}; {_FORM}")
    return node.id, arguments, cutoff


def _expression(text: str) -> ast.expr:
    """`text` as a Python expression; if it is not one, with braces around bare mappings."""
    expression = _parsed(text) or _parsed(re.sub(_BARE_MAPPING, r"={\1}", text))
    if expression is None:
        raise GradedError(f"cannot read measure {shown(text)}; {_FORM}")
    for node in ast.walk(expression):
        number = node.value if isinstance(node, ast.Constant) else None
        if isinstance(number, int) and number.bit_length() > MOST_BITS:
            reason = "a number has thousands of digits"
            raise GradedError(f"cannot read measure {shown(text)}: {reason}")
    return expression


def _parsed(text: str) -> ast.expr | None:
    """`text` as a Python expression; None if it is not one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of code, as for the backslash in '\\d'
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # ValueError: a null character
        return None


def _value(node: ast.expr, text: str, strict: bool) -> Any:
    """The value of a literal.

    `strict` accepts infinities and NaN, so that the parameter can reject them with a reason, words
    without quotes, as in gains=exp, and rejects a mapping that names a key twice. In Python, and so
    in ir-measures, the last value wins.
    """
    match node:
        case ast.Constant(value=int() | float() | complex() | str() | None as value):
            return value
        case ast.Name(id=word) if strict:
            return float(word) if word.lower() in ("inf", "infinity", "nan") else word
        case ast.UnaryOp(
            op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant() | ast.Name() as operand
        ):
            number = _value(operand, text, strict)
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                return -number if isinstance(sign, ast.USub) else number
        case ast.Dict() if not any(isinstance(key, (ast.Dict, type(None))) for key in node.keys):
            keys = [_value(key, text, strict) for key in node.keys if key is not None]
            values = [_value(value, text, strict) for value in node.values]
            if strict:
                _refuse_repeated(keys, text)
            return dict(zip(keys, values, strict=True))
    raise GradedError(
        f"cannot read measure {shown(text)}: a value is a number, a string, "
        "True, False, None or a mapping such as 0:0,1:1"
    )


def _refuse_repeated(keys: list[Any], text: str) -> None:
    """Raise `GradedError` for a key that a mapping names twice."""
    for key, count in Counter(keys).items():
        if count > 1:
            raise GradedError(
                f"{shown(text)} names {shown(key)} twice in one mapping; name it once"
            )

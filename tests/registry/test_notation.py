"""Measure strings: the measures that they name, and the message for each error."""

import io
import re
import sys
import warnings
from contextlib import redirect_stdout, suppress

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RR, P, Rprec, SetF, infAP, nDCG
from pytrec_eval import supported_measures, supported_nicknames

from ir_measures_graded import (
    CG,
    DCG_JK,
    NDCNG,
    GradedError,
    nCG,
    nDCG_Burges,
    nDCG_JK,
    parse_measure,
)
from ir_measures_graded.core.registry.notation import _may_be_of_trec_eval, parse_measures
from ir_measures_graded.errors import shown


def original(text):
    """ir-measures' own parser, which ours replaces."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # for ast.Num, since Python 3.12
        return ir_measures.util.parse_measure._original(text)


needs_the_original = pytest.mark.skipif(
    sys.version_info >= (3, 14),
    reason="ir-measures' own parser needs ast.Num, which Python 3.14 removed",
)
GAINS = {0: 0, 1: 1, 2: 10, 3: 100}

EQUAL_STRINGS = [
    ("nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100", nDCG_JK(b=2, gains=GAINS) @ 100),
    ("nDCG_JK(gains={0:0,1:1,2:10,3:100},b=2)@100", nDCG_JK(b=2, gains=GAINS) @ 100),
    ("nCG(gains={-2:0,3:7.5})@20", nCG(gains={-2: 0, 3: 7.5}) @ 20),
    ("DCG_JK(b=2.718)@10", DCG_JK(b=2.718) @ 10),
    ("nDCG_JK(avg=True)@200", nDCG_JK(avg=True) @ 200),
    (
        "nDCG_JK(b=3,gains=0:0,1:1,2:10,3:100,avg=True)@100",
        nDCG_JK(b=3, gains=GAINS, avg=True) @ 100,
    ),
    ("nDCG_JK(gains=3:100,)", nDCG_JK(gains={3: 100})),
    ("nDCG_JK(\n  gains=0:0,\n  3:100,\n  b=3\n)@5\n", nDCG_JK(b=3, gains={0: 0, 3: 100}) @ 5),
    ("nDCG_JK(gains\t=\t3:100)", nDCG_JK(gains={3: 100})),
    # negative levels and real numbers in every notation
    ("CG(gains=-2:0,-1:0.5,1:.5,2:7.)", CG(gains={-2: 0, -1: 0.5, 1: 0.5, 2: 7})),
    (
        "CG(gains=-2.5:1,0.5:1e2,1.5:1E-2,2.5:1e+2)",
        CG(gains={-2.5: 1, 0.5: 100, 1.5: 0.01, 2.5: 100}),
    ),
    ("CG(gains=- 2 : + 3)", CG(gains={-2: 3})),
    ("CG(gains={-2:3})", CG(gains={-2: 3})),
    ("CG(gains=0,1,3,7)@5", CG(gains={0: 0, 1: 1, 2: 3, 3: 7}) @ 5),
    ("CG(gains=[0, 1,3,7],avg=True)", CG(gains={2: 3, 3: 7}, avg=True)),
    ("CG(gains=(0,.5),avg=True)", CG(gains=[0, 0.5], avg=True)),
    ("CG(gains=0; 1;3,avg=True)", CG(gains="0 1 3", avg=True)),
    ("CG(gains=2^level-1)", CG(gains="2^rel - 1")),
    ("CG(gains=2**(l) - 1,avg=True)", CG(gains="exp", avg=True)),
    ("CG(gains=w100)@5", CG(gains="w100") @ 5),
    ("CG(gains=w10)", CG(gains={1: 1, 2: 5, 3: 10})),
    ("CG(gains=0,5,avg=True)", CG(gains=np.array([0, 5]), avg=True)),
    ("CG(gains=0x10:1_000)", CG(gains={16: 1000})),
    # other strings
    ("CG", CG),
    ("CG()", CG),
    ("CG()@5", CG @ 5),
    ("CG(cutoff=5)", CG @ 5),
    ("CG@None", CG),
    ("CG(gains={})", CG),
    ("NDCNG(max_gain=None)", NDCNG),
    ("NDCNG(max_gain=4)", NDCNG(max_gain=4)),
    ("CG # a comment", CG),
]


@pytest.mark.parametrize(
    ("text", "measure"), EQUAL_STRINGS, ids=[text for text, _ in EQUAL_STRINGS]
)
def test_string_equals_object(text, measure):
    for parse in (parse_measure, ir_measures.parse_measure, ir_measures.util.parse_measure):
        parsed = parse(text)
        assert parsed == measure
        assert hash(parsed) == hash(measure)
        assert str(parsed) == str(measure)
        assert parsed.params == measure.params
        assert parse(str(parsed)) == measure


EQUAL_MEASURES = [
    "DCG_JK(b=10) DCG_JK(b=10.0) DCG_JK(b=1e1) DCG_JK(b=10,avg=False)",
    "CG@10 CG@10.0 CG(cutoff=10) CG(judged_only=False)@10",
    "nDCG_JK nDCG_JK(b=2) nDCG_JK(b=2.0) nDCG_JK(gains=0:0) nDCG_JK(gains=-1:0,0:0,1:1,7:7)",
    "nCG(avg=True,gains=1:2)@3 nCG(gains={1:2.0},avg=True)@3 nCG(gains=1.0:2,avg=True)@3 "
    "nCG(gains='1:2',avg=True)@3",
    "CG(gains=1:5,2:3) CG(gains=2:3,1:5) CG(gains={2.0:3.0,1.0:5.0}) CG(gains=1:5,2:3,)",
    "NDPM NDPM(judged_only=True) NDPM(tied_by='score')",
    "ESL(n=2,tied_by=rank) ESL(tied_by='rank',n=2)",
    "muAP muMAP µAP μAP µMAP μMAP",  # U+00B5 and U+03BC
]


def test_equal_measures_hash_and_print_alike():
    for texts in EQUAL_MEASURES:
        first, *others = [parse_measure(text) for text in texts.split()]
        for other in others:
            assert other == first
            assert hash(other) == hash(first)
            assert str(other) == str(first)


def test_a_measure_prints_its_parameters_as_declared_without_defaults():
    measure = parse_measure("nDCG_JK(judged_only=True,gains=2:10,1:1,avg=True,b=3.0)@5")
    assert str(measure) == "nDCG_JK(b=3,avg=True,gains={2:10},judged_only=True)@5"


NAMES = {
    "did you mean nDCG_JK": ["ndcg_jk", "nDCG_JL@5", "NDCG_JK(b=3)"],
    "measure not found: xyzzyx": ["xyzzyx"],
    "CG has no parameter 'b'; it takes avg, ties, unjudged, gains, judged_only, cutoff": [
        "CG(b=2)"
    ],
    "a level of gain 0 is not relevant: Q(gains=1:0)": ["Q(rel=2)", "Q(rel=1)"],
    "not relevant: ERR_G(gains=1:0,2:0,3:7,4:15)@5": ["ERR_G(rel=3)@5"],
    "did you mean judged_only?": ["nCG(judgedonly=True)"],
    "ESL has no cutoff": ["ESL@5"],
    "has no parameter 'first'": ["ESL(first=1,second=2,rel=3)@5"],
}
VALUES = {
    "not allowed; cutoff is a whole number ≥ 1": ["CG@0", "CG@-1", "CG@2.5"],
    "it must be less than 2^63); cutoff is a whole number ≥ 1": ["CG@inf"],
    "is not a number); cutoff is": ["CG@True", "CG@'5'"],
    "not allowed; b is a real number > 1": [
        f"DCG_JK(b={value})" for value in ("1", "0.99", "-2", "nan", "inf", "1e999")
    ],
    "is not a number); b is": [f"DCG_JK(b={value})" for value in ("True", "'2'", "None", "2j")],
    "(it is too large); b is": [f"DCG_JK(b=1{'0' * 400})"],
    "max_gain is a real number > 0": ["NDCNG(max_gain=0)"],
    "beta is a real number ≥ 0": ["Q(beta=-1)"],
    "avg is True or False": ["CG(avg=1)", "CG(avg='yes')", "CG(avg=true)"],
    "variant is one of 'b', 'a', 'c'": ["KendallTau(variant='d')", "KendallTau(variant=1)"],
    "the least and the greatest value are not computed": [
        "AGR(ties=min)",
        "NCU(ties=max)",
        "NCU(unjudged=min)",
    ],
}
GAINS_AND_LEVELS = {
    "level 1 has gain": [f"CG(gains=1:{gain})" for gain in ("-2", "inf", "-inf", "1e999", "nan")],
    "is not finite); gains is": [f"CG(gains={level}:1)" for level in ("inf", "-Infinity", "nan")],
    "names 1 twice in one mapping": [
        "CG(gains=1:2,1:3)",
        "CG(gains=1:2,1:2)",
        "CG(gains={1:2,1.0:2})",
    ],
    "gains is level:gain pairs, gains finite and ≥ 0, as in": [
        f"CG(gains={value})" for value in ("{'1':2}", "{1:True}", "5", "'1:2;'", "None", "a:1")
    ],
}
NO_MEASURES = ["CG@", "@5", "CG@5@6", "CG()()", "CG; AP", "CG, AP", "a = CG", "ir_measures.CG"]
NO_MEASURES += ["5", "CG(gains=)", "CG(gains=1:)", "CG(gains=1:2:3)", "CG(1:2)"]
NO_MEASURES += ["CG(**{})", "", "CG\0", "-" * 200_000]
NO_MEASURES += ["CG(gains=1:2,,)", "CG(gains=1:2,,avg=True)", "nDCG(gains=1:2, ,cutoff=5)"]
NO_VALUES = ["CG(avg=a.b)", "CG(gains=[a, 2])", "CG(gains={{1:2}:3})", "CG(gains={**{1:2}})"]
NO_VALUES += ["CG(b=--'2')", "CG(b=__import__('os'))", "P@inf", "nDCG(gains={{1:2}:3})@5"]
SYNTAX = {
    "the gains name no levels; write CG(gains=1:1,2:2)": ["CG(gains=[1, 2])", "CG(gains=1,2)@5"],
    "come before the cutoff; write CG(gains=2:5)@5": ["CG@5(gains=2:5)"],
    "twice; name it once": ["DCG_JK(b=3,b=4)", "CG(cutoff=3)@4"],
    "; write Name(parameter=value, ...)@cutoff, for example nDCG_JK(": NO_MEASURES,
    "parameters need names; write": ["CG(5)"],
    "a value is a number, a string, True, False, None or a mapping such as 0:0,1:1": NO_VALUES,
    "takes no sign in": ["P@-5", "P(cutoff=-5)", "SetF(beta=-0.5)"],  # signs would crash C code
}
CASES = [
    (text, fact)
    for mistakes in (NAMES, VALUES, GAINS_AND_LEVELS, SYNTAX)
    for fact, texts in mistakes.items()
    for text in texts
]


@pytest.mark.parametrize(
    ("text", "fact"), CASES, ids=[text[:40].replace("\0", "␀") for text, _ in CASES]
)
def test_error_message_says_what_is_allowed(text, fact):
    for parse in (parse_measure, ir_measures.parse_measure):
        with pytest.raises(ValueError) as caught:
            parse(text)
        assert fact in str(caught.value)
        assert "\n" not in str(caught.value)
        assert isinstance(caught.value, GradedError)
        assert caught.value.__cause__ is None  # the traceback shows one error


NO_WHOLE_GAINS = ["None:1", "{'1':2}", "2j:1", "True:1", "1:True", "1:None"]


@pytest.mark.parametrize("gains", NO_WHOLE_GAINS)
def test_a_standard_measure_refuses_levels_and_gains_that_are_no_numbers(gains):
    message = "is not allowed; gains is level:gain pairs of whole numbers"
    with pytest.raises(GradedError, match=message):
        parse_measures(f"nDCG(gains={gains})@10")


def test_the_first_unknown_parameter_of_a_standard_measure_is_named():
    with pytest.raises(GradedError, match="Bpref has no parameter 'first'"):
        parse_measures("Bpref(first=1,second=2,third=3)@5")


HUGE = "0x" + "f" * 5000
MANY_LEVELS = ",".join(f"{level}:1" for level in range(20_000))
LONG = [
    "x" * 300_000 + "=",
    "CG(gains=1:" + " " * 300_000 + "x)",
    f"CG(gains={MANY_LEVELS},7:1)",
    "CG(avg=" + "-" * 1500 + "1)",
    "CG(avg=" + "{1:" * 150 + "1" + "}" * 150 + ")",
    "(" * 90_000,
    "CG(avg='" + "x" * 90_000 + "')",
    f"P@{HUGE}",
    f"CG@{HUGE}",
    f"DCG_JK(b={HUGE})",
    f"CG(gains=1:{HUGE})",
    f"CG(gains={HUGE}:1)",
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{text[:12]}… {len(text)}")
def test_long_strings_are_refused_briefly_in_linear_time(text):
    with pytest.raises(GradedError) as caught:
        parse_measures(text)
    assert len(str(caught.value)) < 400


def test_every_name_that_ir_measures_reads_may_be_of_trec_eval():
    parse = ir_measures.util.parse_trec_measure
    parse = getattr(parse, "_original", parse)
    for name in [*supported_measures, *supported_nicknames, "run", "map_", "PP"]:
        with suppress(ValueError), redirect_stdout(io.StringIO()):
            parse(name)
            assert _may_be_of_trec_eval(name)
    assert not _may_be_of_trec_eval("run")


def test_trec_names_are_read_unless_they_are_measure_strings():
    texts = "map ndcg_cut.5,10 nDCG@5 recip_rank set_F_0.5 Rprec infAP P@5 P_5".split()
    ranked = (AP, nDCG @ 5, nDCG @ 10, RR)
    assert parse_measures(texts) == (*ranked, SetF(beta=0.5), Rprec, infAP, P @ 5)
    assert len(parse_measures("success")) == 3
    assert parse_measures("ndcg.1=3,2=9") == (nDCG(gains={1: 3, 2: 9}),)
    assert parse_measures("ndcg.1=3.5,2=9") == (nDCG_Burges(gains={1: 3.5, 2: 9}),)
    for text, message in (
        ("P", "P needs cutoff, a whole number ≥ 1, as in P@10; for the whole list take SetP"),
        ("recip_rank_10", "unknown argument for recip_rank_10: 10"),
        ("runid", "runid of trec_eval is a text, not a measure"),
        ("P_5junk", "measure not found: P_5junk"),
        ("P_0", "P: cutoff=0 is not allowed"),
        ("P_" + "5" * 90_000, "measure not found"),
    ):
        with pytest.raises(GradedError, match=message):
            parse_measures(text)


def test_an_unknown_name_is_a_name_error_as_in_ir_measures():
    with pytest.raises(NameError, match=r"did you mean .*nDCG"):
        parse_measures("ncdg@10")


def test_official_needs_a_collection():
    message = "official names the measures of an ir-datasets collection"
    with pytest.raises(GradedError, match=message):
        parse_measures("official")


def test_other_texts_and_types_are_refused():
    for text in ("rr1", "hits@10", "nDCG@", "nDCG@10,", "ndcg@10@5", "ndcg(10)"):
        with pytest.raises(GradedError):
            parse_measures(text)
    for thing in (None, 5, ["CG"], b"CG"):
        message = f"a measure is a string .*, not {re.escape(shown(thing))}"
        with pytest.raises(GradedError, match=message):
            parse_measure(thing)


PARAMETER_VALUES = "2 0.25 True False None 'text' \"text\" {0:0,1:5} {'a':None}".split()


def standard_measures():
    """Strings with every standard measure and every parameter that it declares."""
    for name, measure in ir_measures.measures.registry.items():
        if type(measure).__module__.startswith("ir_measures.measures"):
            yield name
            yield f"{name}()"
            yield f"{name}@10"
            yield f"{name}@0.5"
            yield f"{name}@None"
            for parameter in measure.SUPPORTED_PARAMS:
                for value in PARAMETER_VALUES:
                    yield f"{name}({parameter}={value})"
                    yield f"{name}( {parameter} = {value} , {parameter} = {value} ) @ 7"


READ_BY_IR_MEASURES = """
nDCG@10 nDCG(gains={0:0,1:1,2:10})@10 nDCG(gains={1:2,1:3})@10 nDCG(dcg='exp-log2')@10
nDCG(judged_only=True,dcg='log2') P(rel=2)@5 P(rel=1,cutoff=3)@5 P(rel=1,rel=2)@5
P(cutoff=3)@None AP@None SetF(beta=0.5) IPrec@0.1 Compat(p=0.8,normalize=True)
ERR_IA(rel=1,judged_only=False)@20 α_nDCG@5 Accuracy@5 AP(rel=1j) AP(rel=1_0) AP(rel=0x10)
(AP) (AP)(rel=2) AP(rel=(2)) NERR8@10 RR(judged_only=True) P(nonsense=3)
""".split()
READ_BY_IR_MEASURES += ["AP # comment", "AP\n", "AP(rel='a' 'b')"]


def types_of(params):
    return {name: type(value) for name, value in params.items()}


@needs_the_original
def test_strings_that_ir_measures_parses_give_the_same_measure():
    texts = [*READ_BY_IR_MEASURES, *standard_measures()]
    assert len(texts) > 1000
    for text in texts:
        before = original(text)
        now = ir_measures.parse_measure(text)
        assert type(now) is type(before), text
        assert now.params == before.params, text
        assert types_of(now.params) == types_of(before.params), text


@needs_the_original
def test_strings_that_ir_measures_rejects_are_rejected():
    for text in ["", *"AP( AP;AP AP(2) AP(rel=[1]) AP(rel=b'x') AP(rel=...) x.y AP(rel=x)".split()]:
        for parse in (original, ir_measures.parse_measure):
            with pytest.raises(ValueError):
                parse(text)


def test_standard_measures_take_bare_gains():
    expected = ir_measures.nDCG(gains={0: 0, 1: 1, 2: 10}) @ 5
    assert ir_measures.parse_measure("nDCG(gains=0:0,1:1,2:10)@5") == expected
    assert ir_measures.parse_measure("nDCG(gains=0,1,10)@5") == expected
    with_fraction = ir_measures.parse_measure("nDCG(gains=0,0.5,1)@5")
    assert with_fraction == parse_measure("nDCG_Burges(gains=1:0.5,2:1)@5")
    measure = ir_measures.parse_measure("nDCG(dcg='log2',gains=-2:0,1:5)@5")
    assert measure.params["gains"] == {-2: 0, 1: 5}


def test_measures_may_lack_a_cutoff_and_duplicates_are_dropped():
    assert parse_measures(["P", "CG", CG, "P"], uncut=True) == (ir_measures.P, CG)
    with pytest.raises(GradedError, match="cutoff"):
        parse_measures("P")


@pytest.mark.filterwarnings("error:invalid escape sequence")
def test_python_does_not_warn_of_the_string():
    with pytest.raises(GradedError, match=r"b=.* is not allowed"):
        parse_measure(r"DCG_JK(b='\d')")

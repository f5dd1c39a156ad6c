"""Hypothesis strategies for TREC files, bytes and words that are nearly valid."""

import re

from hypothesis import strategies as st

BLANKS = [b"\t", b"\r", b"\r\n", b"\n", b"\n\n", b" ", b"  "]
CONTROLS = [b"\x00", b"\x0b", b"\x0c", b"\x1c", b"\x7f", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8"]
NO_UTF_8 = [b"\x85", b"\xa0", b"\xff", b"\xed\xa0\x80"]
MARKS = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xf0\x90\x80\x80"]
HEADS = [b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"(\xb5/\xfd", b"P*M\x18\x01\x00\x00\x00x"]
EMPTY_BZIP2 = b"BZh91AY&SY\x17rE8P\x90\x00\x00\x00\x00"
NUMBERS = b"nan -inf Infinity 1e999 -0 1_0 0x1p3 1e-320 .5 5. +1 1,5 1d5 1e".split()
LITERALS = b"' \" # \\N null NA True \xef\xbc\x91".split()
TOKENS = [*BLANKS, *CONTROLS, *NO_UTF_8, *MARKS, *HEADS, EMPTY_BZIP2]
TOKENS += [*NUMBERS, b"9" * 400, *LITERALS]
"""Bytes that readers of text files stumble over."""


@st.composite
def mutated(draw: st.DrawFn, valid: st.SearchStrategy[bytes], most: int = 3) -> bytes:
    """Valid bytes with up to `most` changes: slices inserted, replaced, removed or repeated."""
    content = draw(valid)
    for _ in range(draw(st.sampled_from([0, 0, *range(1, most + 1)]))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.sampled_from([0, 0, 1, 1, 2, 5, 20, 200]))
        before = content[:start]
        changed = content[start : start + length]
        after = content[start + length :]
        of_changed = st.sampled_from([b"", changed + changed, changed[::-1], changed * 50])
        new = draw(st.sampled_from(TOKENS) | st.binary(max_size=4) | of_changed)
        content = before + new + after
    return content


WORDS = """
nDCG_JK nDCG_JK@10 muAP µAP Q(beta=0.5)@5 NDPM ERR_G RBP_G(p=.5) AP P@5 map P_5,10
nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100 NCU(stop='rb') Judged@3 SR(ideal='retrieved')@4
official CG(gains={1:2}) RBP(p=0.8)@5 ESL(n=2,docs=90) ERR_G(max_gain=15) iRBU(gains=linear)
IPrec@0.1 nDCG_JK(ties=mean)@3 nDCG_JK(unjudged=max)@3
""".split()
"""Measure strings and names of trec_eval."""
CHARACTERS = "()@=,:{}'\" -+*.;\n\t\\#µé\x00\ud800"
LITERAL_VALUES = """
** 0 1 -1 1e3 1e999 1e-999 1_0 1j nan inf ٣ True None [1] f'{1}' b'' x:=1 exp linear
""".split()
PARAMETERS = "gains= cutoff= rel= b= ties= judged_only= max_gain= p=".split()
CODE = ["lambda:0", "1if 1else 2", "await x"]
LONG = ["0x" + "f" * 5000, "9" * 5000, "x" * 30_000, "(" * 300, "-" * 3000, "a." * 3000]
LONG += ["[" * 300, "," * 300, "1:1," * 3000, "1." * 3000]
PIECES = [*CHARACTERS, *LITERAL_VALUES, *PARAMETERS, *CODE, *LONG]
"""Parts of measure strings, and of what is none."""


@st.composite
def measure_strings(draw: st.DrawFn, most: int = 3) -> str:
    """A measure string with up to `most` changes."""
    parts = re.findall(r"[\w.]+|\W", draw(st.sampled_from(WORDS)))
    for _ in range(draw(st.integers(0, most))):
        place = draw(st.integers(0, len(parts)))
        new = draw(st.sampled_from(PIECES) | st.sampled_from(WORDS) | st.text(max_size=2))
        parts[place : place + draw(st.integers(0, 1))] = [new]
    return "".join(parts)

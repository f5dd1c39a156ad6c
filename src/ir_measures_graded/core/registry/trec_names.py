"""Names of trec_eval 10 that ir-measures does not know, such as ``rbp``, ``unj_10`` and
``Rprec_mult_0.20``.

A name is computed as trec_eval computes it, or refused with the reason.
"""

import re

from ...errors import GradedError

CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
"""trec_eval's default cutoffs."""
MULTIPLES = ("0.2", "0.4", "0.6", "0.8", "1.0", "1.2", "1.4", "1.6", "1.8", "2.0")
"""The default multiples of ``Rprec_mult``."""
PLAIN = {
    name: f"trec_{name}"
    for name in (
        "binG",
        "11pt_avg",
        "yaap",
        "gm_map",
        "gm_bpref",
        "num_nonrel_judged_ret",
        "utility",
        "rbp",
        "rbp_resid",
        "G",
        "Rndcg",
        "ndcg_rel",
    )
}
"""The measures of names without parameters."""
WITH_GAINS = ("G", "Rndcg", "ndcg_rel")
"""The names that take gains, as in ``G.1=3.5,2=9``."""
WITH_P = ("rbp", "rbp_resid")
"""The names that take the persistence, as in ``rbp.p=0.8``."""
WITH_CUTOFFS = {
    "relative_P": ("R_cap@{}", CUTOFFS),
    "unj": ("trec_unj@{}", ("5", "10", "20")),
    "Rprec_mult": ("trec_Rprec_mult(r={})", MULTIPLES),
}
"""The names that take a list of numbers, their measures, and the default numbers."""

OF_QRELS = "depends on the qrels alone"
OF_PREFERENCES = (
    "needs preferences (trec_eval -R prefs), which are not read; give a level for each document"
)
OF_GROUPS = (
    "needs the judgments of several groups (trec_eval -R qrels_jg), which are not read; evaluate "
    "each group's qrels, or merge them with judges --merge"
)
OF_TEXT = "is a text, not a measure"
REFUSED = {
    "runid": OF_TEXT,
    "relstring": f"{OF_TEXT}; explain shows the levels by rank",
    "ideal_dcg": OF_QRELS,
    "map_avgjg": OF_GROUPS,
    "P_avgjg": OF_GROUPS,
    "Rprec_mult_avgjg": OF_GROUPS,
    "qrels_jg": OF_GROUPS,
}
"""The reasons why names are refused. Names that begin with ``prefs`` have one reason."""
ALL = "all_trec"
"""The name of all measures of trec_eval."""
ALL_OTHERS = (*(name for name in PLAIN if name != "yaap"), *WITH_CUTOFFS)
"""The names of these that ir-measures does not know."""


def trec_strings(name: str) -> list[str]:
    """The measure strings of a name of trec_eval that ir-measures does not know; none for any
    other.

    >>> trec_strings("unj_10"), trec_strings("Rprec_mult_0.20"), trec_strings("rbp.p=0.8")
    (['trec_unj@10'], ['trec_Rprec_mult(r=0.20)'], ['trec_rbp(p=0.8)'])
    >>> trec_strings("relative_P.5,10"), trec_strings("G.1=3.5,2=9"), trec_strings("ndcg")
    (['R_cap@5', 'R_cap@10'], ['trec_G(gains=1:3.5,2:9)'], [])

    Raises `GradedError` for a name that is not computed, with the reason.
    """
    if name in PLAIN:
        return [PLAIN[name]]
    plain = re.split(r"[._](?=[\d=]|p=)", name, maxsplit=1)[0]
    is_of_preferences = name == "all_prefs" or re.match(r"prefs(_|$)", name) is not None
    if is_of_preferences:
        raise GradedError(f"{name} of trec_eval {OF_PREFERENCES}")
    if plain in REFUSED:
        raise GradedError(f"{name} of trec_eval {REFUSED[plain]}")
    parameters = name[len(plain) + 1 :]
    if plain in WITH_CUTOFFS:
        string, defaults = WITH_CUTOFFS[plain]
        numbers = parameters.split(",") if parameters else list(defaults)
        if all(re.fullmatch(r"\d{1,9}(\.\d{1,9})?", number) for number in numbers):
            return [string.format(number) for number in numbers]
    pairs = re.fullmatch(r"(-?\d{1,9}=-?[\d.]{1,12},?)+", parameters)
    if plain in WITH_GAINS and pairs is not None:
        return [f"{PLAIN[plain]}(gains={parameters.replace('=', ':')})"]
    if plain == "ndcg" and pairs is not None:
        measure = "nDCG"
        if "." in parameters:  # pytrec_eval rejects such gains
            measure = "nDCG_Burges"
        return [f"{measure}(gains={parameters.replace('=', ':')})"]
    if plain in WITH_P and re.fullmatch(r"p=[\d.]{1,12}", parameters):
        return [f"{PLAIN[plain]}({parameters})"]
    if plain == "utility" and re.fullmatch(r"(-?[\d.]{1,12},){3}-?[\d.]{1,12}", parameters):
        a, b, c, d = parameters.split(",")
        if float(d) != 0:
            raise GradedError(f"{name} of trec_eval has a fourth weight; only 0 is computed")
        return [f"trec_utility(a={a},b={b},c={c})"]
    return []

"""Columns that no list of names has, but whose last word tells what they hold.

A column is only read by its words if it is the only one of its kind. A remark says so, unless all
words mean the same, as in ``Rating (0-4)``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

WORDS = {
    "query_id": "query question keyword keywords phrase prompt request term topic",
    "doc_id": "article asin book chunk doc document entity film hit isbn item link listing movie "
    "page paper product result sku song track url video",
    "relevance": "esci gain grade judgement judgment label level rating rel relevance relevancy "
    "stars",
    "score": "cosine logit logits pred prob probability score sim similarity",
    "rank": "position rank ranking",
}
"""The words that end the name of a column, by our name of it."""
OF_IDS = {"code", "id", "ids", "key", "no", "number", "string", "text", "uid"}
"""Words behind those of topics and documents that leave the meaning as it is."""
JUDGED = {"assessor", "expert", "human", "judge", "judgement", "judgment", "relevance"}
"""With one of these words, a score in qrels is a level."""
OTHERS = {
    "relevance": "agreement at avg confidence count date difficulty irrelevance mean num predicted "
    "reason source sum time total uncertainty",
    "score": "cost distance distances dist error irrelevance loss penalty perplexity risk spam "
    "uncertainty",
    "rank": "cursor inverse page percentile reciprocal reverse reversed",
}
"""Words of columns that hold something else, or of which a smaller value may be better."""

HUMANS = {
    *("annotator", "annotators", "assessor", "assessors", "editor", "expert", "experts", "gold"),
    *("golden", "human", "humans", "manual", "nist", "truth"),
}
"""Words in the names of columns with the levels of a human."""
MACHINES = {"ai", "auto", "automatic", "bot", "machine", "model", "synthetic"}
"""Words in the names of columns with the levels of a machine."""
MODELS = (
    *("chatgpt", "claude", "deepseek", "gemini", "gemma", "gpt", "llama", "llm", "mistral"),
    *("mixtral", "qwen", "umbrela"),
)
"""The starts of such words, which the names of language models are."""
JUDGMENTS = {
    *("judged", "judgement", "judgements", "judgment", "judgments", "label", "labels", "qrel"),
    *("qrels", "relevance"),
}
"""Words that name judgments and not who judged."""
NO_LEVELS = {
    *OTHERS["relevance"].split(),
    *("answer", "comment", "comments", "cost", "error", "explanation", "id", "ids", "latency"),
    *("name", "names", "note", "notes", "prob", "probability", "prompt", "rationale", "reasoning"),
    *("response", "std", "text", "tokens", "url", "version"),
}
"""Words of columns that tell something else about a judge than levels."""
NAMES_OF_JUDGES = (
    *("judge", "annotator", "annotators", "assessor", "assessors", "rater", "grader", "labeler"),
    *("labeller", "reviewer", "evaluator", "coder", "expert", "experts", "editor", "worker"),
    *("user", "person", "bot", "machine", "model"),
)
"""Columns of these very names often have the names of judges, not their levels; the most telling
word is the first."""
BY = {"annotated", "assessed", "completed", "graded", "judged", "labeled", "labelled", "rated"}
"""With by behind it, such a word is a name of a judge as well."""
OF_PEOPLE = {"email", "name", "username"}
"""Words behind those of judges that leave the meaning as it is."""
HUMAN = "human"
MACHINE = "machine"


def words_of(plain_name: str) -> list[str]:
    """The words of a name in lower case, without what stands in brackets and without numbers.

    >>> words_of("relevance_grade_(0_4)"), words_of("judgment_0_3")
    (['relevance', 'grade'], ['judgment'])
    """
    bare_name = re.sub(r"[(\[{].*?[)\]}]", "", plain_name)
    words = re.findall(r"[^\W_]+", bare_name)
    return [word for word in words if not word.isdigit()]


def only_reading(plain_names: Mapping[str, str], wanted: Sequence[str]) -> dict[str, str]:
    """The column of each wanted name, if exactly one has its words; empty unless all have one.

    `plain_names` has the plain name of each column. A run without a score may have a rank.

    >>> names = {"Search Phrase": "search_phrase", "SKU No": "sku_no", "human score": "human_score"}
    >>> only_reading(names, ["query_id", "doc_id", "relevance"])
    {'query_id': 'Search Phrase', 'doc_id': 'SKU No', 'relevance': 'human score'}
    >>> only_reading({"bm25": "bm25"}, ["score"])
    {}
    """
    read: dict[str, str] = {}
    for ours in wanted:
        fitting = [name for name, plain_name in plain_names.items() if _holds(ours, plain_name)]
        if ours == "score" and not fitting:
            ours = "rank"
            fitting = [name for name, text in plain_names.items() if _holds(ours, text)]
        if len(fitting) != 1:
            return {}
        read[ours] = fitting[0]
    return read


def _without_id_words(words: Sequence[str]) -> list[str]:
    """The words without those of ids at their end, such as number."""
    kept = list(words)
    while len(kept) > 1 and kept[-1] in OF_IDS:
        kept.pop()
    return kept


def _holds(ours: str, plain_name: str) -> bool:
    """Whether the words of a column tell that it holds what we name `ours`."""
    words = words_of(plain_name)
    if ours in ("query_id", "doc_id"):
        words = _without_id_words(words)
    if not words or _has(words, OTHERS.get(ours, "").split()):
        return False
    if ours == "relevance" and words[-1] == "score":
        return _has(words, JUDGED)
    return words[-1] in WORDS.get(ours, "").split()


def is_clear(ours: str, plain_name: str) -> bool:
    """Whether every word of a name means what we name `ours`, so that no other reading is near.

    >>> is_clear("relevance", "rating_(0_4)"), is_clear("relevance", "human_score")
    (True, False)
    """
    words = words_of(plain_name)
    if ours in ("query_id", "doc_id"):
        words = _without_id_words(words)
    return _holds(ours, plain_name) and set(words) <= set(WORDS[ours].split())


def judge_of(plain_name: str) -> str:
    """The kind of the judge whose levels a column has by its words; empty if they do not tell.

    >>> [judge_of(name) for name in ("human", "nist_rel", "gpt4o", "llm_label", "ann")]
    ['human', 'human', 'machine', 'machine', '']
    >>> judge_of("llm_explanation"), judge_of("human_vs_llm")
    ('', '')

    One of several judges may have a number: ``assessor1``.

    >>> judge_of("assessor1"), judge_of("model2")
    ('human', 'machine')
    """
    words = words_of(plain_name)
    if _has(words, NO_LEVELS):
        return ""
    words = [word.rstrip("0123456789") for word in words]
    is_human = _has(words, HUMANS)
    is_machine = _has(words, MACHINES) or any(word.startswith(MODELS) for word in words)
    if is_human == is_machine:
        return ""
    return HUMAN if is_human else MACHINE


def tells_judge(plain_name: str) -> int | None:
    """The place of the word in `NAMES_OF_JUDGES` that the name of a column has, if its cells name
    the judge of each row; None if its words do not tell that.

    >>> [tells_judge(name) for name in ("judge", "_annotator_id", "completed_by", "human_score")]
    [0, 1, 0, None]
    """
    words = words_of(plain_name)
    if len(words) == 2 and words[1] == "by" and words[0] in BY:
        return 0
    while len(words) > 1 and words[-1] in OF_IDS | OF_PEOPLE:
        words.pop()
    if not words or not set(words) <= set(NAMES_OF_JUDGES):
        return None
    return min(map(NAMES_OF_JUDGES.index, words))


def names_no_judge(plain_name: str) -> bool:
    """Whether the words of a name tell judgments alone.

    >>> names_no_judge("qrels"), names_no_judge("qrels_gpt4o")
    (True, False)
    """
    return set(words_of(plain_name)) <= JUDGMENTS


def may_be_levels(plain_name: str) -> bool:
    """Whether no word of the name tells that a column has no levels.

    >>> may_be_levels("ann"), may_be_levels("annotator_id")
    (True, False)
    """
    return not _has(words_of(plain_name), NO_LEVELS)


def may_be_rank(plain_name: str) -> bool:
    """Whether no word of a name tells that its ranks do not count from the best document.

    >>> may_be_rank("serp_rank"), may_be_rank("reciprocal_rank")
    (True, False)
    """
    return not _has(words_of(plain_name), OTHERS["rank"].split())


def _has(words: Sequence[str], some: Collection[str]) -> bool:
    return not set(words).isdisjoint(some)

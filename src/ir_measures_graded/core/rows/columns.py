"""The columns of qrels and runs, recognised by the names that libraries give to them.

Names are compared without case, and ``camelCase``, blanks, hyphens and dots count as underscores.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from ...errors import FileError, GradedError, did_you_mean, quoted, shown
from .chosen import (
    NOTHING_CHOSEN,
    RANK,
    Chosen,
    SharedName,
    has_level_words,
    listed_columns,
    note_read,
)
from .column_words import (
    NAMES_OF_JUDGES,
    is_clear,
    judge_of,
    may_be_rank,
    only_reading,
    tells_judge,
)
from .roles import IDS, INTENTS, NUMBERS, QRELS, RUN, Role

MOST_COLUMNS = 10_000  # of a table; each is compared with all names

# The names of each column under our name, in groups; columns with two names of a group are refused.
# A name counts only if there is none of an earlier group. BEIR's query-id, corpus-id and score are
# among them.
NAMES = {
    ours: [group.split() for group in groups.split(",")]
    for ours, groups in {
        "query_id": "query_id, qid, q_id topic_id topic turn_id, query_text query, "
        "question_id, question search_term, user_id userid user uid",
        "doc_id": "doc_id, docno, docid corpus_id pid passage_id document_id document, "
        "item_id itemid item iid, product_id sku chunk_id object_id objectid, product chunk doc",
        "relevance": "relevance, label, rating rel level grade judgment gain, r_ui, score",
        "score": "score, sim similarity similarity_score relevance_score _score prediction est, "
        "prob probability pred logit logits cosine cosine_similarity, "
        "rank doc_position, position pos ranking rank_position result_position result_rank "
        "doc_rank item_position item_rank",
        "iteration": "iteration, subtopic_id",
        "probability": "probability",
        "run": "run, run_name run_id system tag",
        "measure": "measure, metric metric_name",
        "value": "value, score metric_value",
    }.items()
}
NAMES_OF_SCORES = tuple(chain(*NAMES["score"][:3]))
OF_CLASSIFIERS = NAMES["score"][2]
"""Names of scores that may also stand beside the levels of a judge, as probabilities do."""
RANKS = NAMES["score"][3:]
"""Names of ranks in place of scores, in groups."""
NAMES_OF_RANKS = tuple(chain(*RANKS))
LAST_RESORTS = {
    "query_id": set(chain(*NAMES["query_id"][3:])),
    "relevance": set(NAMES["relevance"][-1]),
    "score": set(chain(*RANKS)),
}
"""Names that count only without any other name, and that often are of another meaning."""
HINTS = {
    "query_id": "user quer topic question session search request customer id",
    "doc_id": "item doc product movie passage article url page book track song video chunk",
    "relevance": "rel rating grade label judg gain star click level score",
    "score": "score prob sim dist weight pred rank pos value",
}
"""Parts of names that hint at what a column of an unknown name may be."""
LONGEST_PROPOSED = 100
"""The characters of the longest name that a message proposes."""
WORDS_OF_RANKS = {"rank", "ranks", "ranking", "position", "positions", "pos", "place", "ordinal"}
WORDS_OF_SCORES = {"score", "scores", "similarity", "sim", "prob", "prediction", "weight", "value"}
WORDS_OF_DISTANCES = {"distance", "distances", "dist", "loss", "cost", "perplexity"}
"""Words in the names of columns of which a smaller value is better, unless one of scores is there.
"""
ASCENDING = " --ascending"
SMALLER_IS_BETTER = "a smaller {} is better"
OPTIONAL = (*INTENTS, "run", "measure", "value")
"""The columns without which some qrels, runs and tables of values are read."""
LONGEST_NAME = 1 << 12  # characters
TYPE_OF_RECBOLE = r":(token|float)(_seq)?$"


def plain(name: Any) -> str:
    """A name in lower case, with underscores, without the type of RecBole's files.

    A text that is too long for a name stays as it is.

    >>> [plain(name) for name in ("query-id", "Query Text", "docId", "user_id:token")]
    ['query_id', 'query_text', 'doc_id', 'user_id']
    """
    text = str(name)
    return _plain(text) if len(text) <= LONGEST_NAME else text


@lru_cache(1 << 14)  # more than `MOST_COLUMNS`; each block of a file has the same names
def _plain(name: str) -> str:
    if name.islower() and name.isidentifier():  # as our own names
        return name
    bare_name = re.sub(TYPE_OF_RECBOLE, "", name.strip())
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare_name)
    return re.sub(r"[ .-]", "_", words).lower()


def is_rank(name: Any) -> bool:
    """Whether this is the name of a column of ranks; scores are then the ranks with the sign
    reversed.
    """
    return plain(name) in LAST_RESORTS["score"]


def column_of_ranks(names: Sequence[Any]) -> Any:
    """The column of ranks beside one of scores, None if there is none.

    >>> column_of_ranks(["query", "position", "score", "rank"])
    'rank'
    """
    for group in RANKS:
        for name in names:
            if plain(name) in group:
                return name
    return None


def _has_word(name: str, words: Collection[str]) -> bool:
    """Whether the name has one of these words, and none that tells a score.

    >>> [_has_word(name, WORDS_OF_RANKS) for name in ("Serp Rank", "rank_score", "pagerank")]
    [True, False, False]
    """
    words_of_name = set(plain(name).split("_"))
    return not words_of_name.isdisjoint(words) and words_of_name.isdisjoint(WORDS_OF_SCORES)


def is_distance(name: Any) -> bool:
    """Whether a column that may have scores has distances by its name, so that smaller is better.

    >>> [is_distance(name) for name in ("L2 distance", "distance_score", "sim")]
    [True, False, False]
    """
    return _has_word(str(name), WORDS_OF_DISTANCES)


def may_name(ours: str, name: Any) -> bool:
    """Whether a column of this name is the one that we name `ours`, even beside others.

    The text of a query names a topic, and a rank a score, only if no other column does.

    >>> may_name("query_id", "qid"), may_name("query_id", "query")
    (True, False)
    """
    names = set(chain(*NAMES[ours]))
    return plain(name) in names - LAST_RESORTS.get(ours, set())


def is_quepid(names: Sequence[str]) -> bool:
    """Whether these are the columns of a file that Quepid exports. It lists unjudged documents."""
    plain_names = {plain(name) for name in names}
    has_query = bool({"query", "query_text"} & plain_names)
    has_document = bool({"docid", "doc_id"} & plain_names)
    return "rating" in plain_names and has_query and has_document


def is_known(name: str, role: Role, chosen: Chosen = NOTHING_CHOSEN) -> bool:
    """Whether this can be the name of a column of topics, documents or values."""
    if any(name == theirs for _, theirs in chosen.columns):
        return True
    return any(plain(name) in chain(*NAMES[ours]) for ours in role.columns)


def understood_names(names: Sequence[str], role: Role, chosen: Chosen) -> list[str]:
    """Those of the names of columns that are known, or that their words tell."""
    understood = [name for name in names if is_known(name, role, chosen)]
    chosen = with_usual_names(chosen, names, role.columns)
    missing: list[str] = []
    for ours in role.columns:
        names_of_ours = set(chain(*NAMES[ours]))
        has_name = any(plain(name) in names_of_ours for name in understood)
        if not has_name and not chosen.names_of_value(ours):
            missing.append(ours)
    by_words = by_their_words(names, missing, understood)
    if not by_words and role is QRELS and len(columns_of_judges(names)) > 1:
        # The levels of several judges leave open which ones are meant.
        missing = [ours for ours in missing if ours != QRELS.value]
        by_words = by_their_words(names, missing, understood)
    return [*understood, *by_words.values()]


def ranks_in(names: Sequence[Any], chosen: Chosen) -> Any:
    """The column of ranks in a file, as the user or its name tells; None if there is none."""
    own_names = chosen.names(RANK)
    present = [name for name in names if name in own_names]
    if present:
        note_read(RANK, present[0])
        return present[0]
    return column_of_ranks(names)


def with_usual_names(chosen: Chosen, names: Sequence[Any], wanted: Iterable[str]) -> Chosen:
    """The choices for a file with these names, without those of `wanted` that are for other files.

    Qrels, runs and tables of topics often differ in their names. A choice of ids that a file lacks
    is for another file if it has the ids under a usual name, and so is a choice of another column
    if it is a `SharedName`.
    """
    if not chosen.columns:
        return chosen
    columns = chosen.columns
    for ours in wanted:
        if _is_for_others(chosen, names, ours):
            columns = tuple(pair for pair in columns if pair[0] not in _and_ranks(ours))
    return chosen._replace(columns=columns)


def _is_for_others(chosen: Chosen, names: Sequence[Any], ours: str) -> bool:
    """Whether the choices of a column are for other files than the one with these names.

    A choice that resembles another name of the file may be a misspelling.
    """
    choices = chosen.names_of_value(ours)
    if not choices or not set(names).isdisjoint(choices):
        return False
    pairs = [pair for pair in chosen.columns if pair[0] in _and_ranks(ours)]
    are_shared = all(isinstance(pair, SharedName) for pair in pairs)
    if ours not in IDS and not are_shared:
        return False
    usual = usual_column(names, ours)
    if usual is None:
        return are_shared and ours in OPTIONAL
    others = [str(name) for name in names if name != usual]
    return not any(did_you_mean(choice, others, cutoff=0.8) for choice in choices)


def _and_ranks(ours: str) -> tuple[str, ...]:
    """Our name of a column, and that of ranks in place of scores."""
    return (ours, RANK) if ours == RUN.value else (ours,)


def option_of(columns: Mapping[str, str]) -> str:
    """The option that names these columns by our names, for a shell, which reads it as it is. A
    score that is a distance has the option that makes smaller ones better.

    >>> option_of({"query_id": "Query Text", "score": "serp_rank"})
    "--columns 'query_id=Query Text,rank=serp_rank'"
    >>> option_of({"score": "L2 distance"})
    "--columns 'score=L2 distance' --ascending"
    """
    pairs = []
    option = ""
    for ours, name in columns.items():
        is_score = ours == RUN.value
        if is_score and _has_word(name, WORDS_OF_RANKS) and may_be_rank(plain(name)):
            ours = RANK
        elif is_score and is_distance(name):
            option = ASCENDING
        pairs.append(f"{ours}={name}")
    return f"--columns {quoted(','.join(pairs))}{option}"


def proposed_columns(
    names: Sequence[str], are_numbers: Sequence[bool], wanted: Sequence[str]
) -> dict[str, str]:
    """The name that is probably meant by our name of each wanted column; … for none.

    `are_numbers` tells which columns have only numbers, of which the value is one. Names that are
    too long for a message are not proposed.

    >>> wanted = ["query_id", "doc_id", "score"]
    >>> proposed_columns(["person", "movie", "stars"], [True, True, True], wanted)
    {'query_id': 'person', 'doc_id': 'movie', 'score': 'stars'}
    """
    left = {
        name: is_number
        for name, is_number in zip(names, are_numbers, strict=True)
        if len(name) <= LONGEST_PROPOSED
    }
    chosen: dict[str, str] = {}
    for ours in wanted:
        is_value = ours in NUMBERS
        fitting = [name for name in left if left[name] or not is_value]
        hinted = [
            name for name in fitting if any(hint in plain(name) for hint in HINTS[ours].split())
        ]
        if ours == QRELS.value:
            hinted = columns_of_judges(fitting) or hinted
        # Scores are better than ranks, which may be a part of the others.
        hinted.sort(key=lambda name: _has_word(name, WORDS_OF_RANKS))
        if hinted:
            chosen[ours] = hinted[0]
            del left[hinted[0]]
    for ours in wanted:
        is_value = ours in NUMBERS
        fitting = [name for name in left if left[name] or not is_value]
        if ours not in chosen and fitting:
            chosen[ours] = fitting[-1] if is_value else fitting[0]
            del left[chosen[ours]]
    return {ours: chosen.get(ours, "…") for ours in wanted}


def column_names(where: str, names: Sequence[Any], role: Role) -> list[Any]:
    """The names of the columns of topics, documents and values, in this order.

    `names` are all columns of the source, and `where` names the source in errors. Raises
    `GradedError` for a column that is missing, that occurs twice or that has two names.
    """
    read = {ours: column_name(where, names, ours) for ours in role.columns}
    missing = [ours for ours in role.columns if read[ours] is None]
    unread = [str(name) for name in names if name not in read.values()]
    if 1 < len(missing) <= len(unread) and where.endswith("DataFrame"):
        meant = proposed_columns(unread, [True] * len(unread), missing)
        renamed = {name: ours for ours, name in meant.items()}
        lacks = f"{where} has no columns {', '.join(missing)}; it has {listed_columns(names)}"
        raise GradedError(
            f"{lacks}; rename them, perhaps with .rename(columns={renamed})"
            f"{_if_distance(meant.get(RUN.value))}"
        )
    return [required_column(where, names, ours) for ours in role.columns]


def required_column(where: str, names: Sequence[Any], ours: str) -> Any:
    """The column that we name `ours`. Raises as `column_names`."""
    name = column_name(where, names, ours)
    if name is None:
        lacks = _lacks(where, names, ours)
        known_names = set(chain(*chain(*NAMES.values())))
        unknown = [str(name) for name in names if plain(name) not in known_names]
        if unknown:
            proposed = proposed_columns(unknown, [True] * len(unknown), [ours])[ours]
            of_judges = columns_of_judges(unknown)
            if ours == QRELS.value and len(of_judges) > 1:
                proposed = " or ".join(map(str, of_judges))
            if proposed != "…":
                lacks += f"; if {proposed} has it, name that column {ours}"
            if ours == RUN.value:
                lacks += _if_distance(proposed)
        raise GradedError(lacks)
    return name


def _if_distance(score: Any) -> str:
    """The end of a message that proposes a column of a table in memory as the score."""
    if score is None or not is_distance(score):
        return ""
    return f" and give ascending=True, as {SMALLER_IS_BETTER.format(score)}"


def _lacks(where: str, names: Sequence[Any], ours: str) -> str:
    """The message that a source has no column that we name `ours`, with others of its names."""
    groups = NAMES[ours][1:3]
    if ours == RUN.value:
        groups = [NAMES[ours][1], RANKS[0]]
    others = ", ".join(group[0] for group in groups)
    return f"{where} has no column {ours} (or {others} …); it has {listed_columns(names)}"


def column_name(where: str, names: Sequence[Any], ours: str) -> Any:
    """The column that we name `ours`, None if there is none. Raises as `column_names`."""
    if len(names) > MOST_COLUMNS:
        raise GradedError(f"{where} has {len(names):,} columns; at most {MOST_COLUMNS:,} are read")
    plain_names = list(map(plain, names))
    for group in NAMES[ours]:
        kinds = [name for name in plain_names if name in group]
        if not kinds:
            continue
        pairs = zip(names, plain_names, strict=True)
        fitting = [name for name, plain_name in pairs if plain_name in group]
        if len(set(kinds)) > 1:
            raise GradedError(
                f"{where} has both {fitting[0]} and {fitting[1]}; name one of them {ours}"
            )
        if len(fitting) > 1:
            raise GradedError(
                f"{where} has {len(fitting)} columns named {fitting[0]} instead of one"
            )
        return fitting[0]
    return None


def file_columns(
    file: str, names: Sequence[str], role: Role, chosen: Chosen
) -> tuple[dict[str, str], bool]:
    """The columns of a file that are read, by our name of each, and whether the values are ranks.

    These are the three columns of `column_names`, the iteration of qrels and the probability of
    their intents if there are any, and the column that names the run of each row: that of `chosen`,
    or by default ``run`` or a similar name if there is one. Raises `FileError` for a column that is
    missing or occurs twice, and for a column of runs that is one of the three.
    """
    run = chosen.run_column if role is RUN else None
    if run and run not in names:
        raise FileError(f"{file} has no column {run}; it has {listed_columns(names)}")
    by_ours: dict[str, Any] = {}
    has_own_ranks = False
    try:
        chosen = with_usual_names(chosen, names, [*role.columns, *OPTIONAL])
        _refuse_absent(file, names, role, chosen)
        scores_or_ranks = role is RUN and set(names).isdisjoint(chosen.names(RUN.value))
        for ours in role.columns:
            if ours == RUN.value and scores_or_ranks:
                by_ours[ours] = chosen.named(file, names, RANK)
                has_own_ranks = by_ours[ours] is not None
            else:
                by_ours[ours] = chosen.named(file, names, ours)
        left = [name for name in names if name not in by_ours.values()]
        for ours in role.columns:
            by_ours[ours] = by_ours[ours] or column_name(file, left, ours)
        if role is QRELS and not chosen.names_of_value(QRELS.value):
            by_ours[QRELS.value] = _unless_of_judges(by_ours[QRELS.value], left)
        optional_columns = INTENTS if role is QRELS else ["run"]
        for ours in optional_columns:
            own_name = chosen.named(file, names, ours)
            by_ours[ours] = own_name or column_name(file, left, ours)
        by_ours["run"] = run or by_ours.get("run")
    except GradedError as error:
        raise FileError(str(error)) from None
    passages = chosen.passages_column if role is RUN else None
    if passages is not None:
        if passages not in names:
            raise FileError(f"{file} has no column {passages}; it has {listed_columns(names)}")
        by_ours["document"] = passages
    missing = [ours for ours in role.columns if by_ours[ours] is None]
    read = list(by_ours.values())
    by_words = by_their_words(names, missing, read)
    if RANK in by_words:
        has_own_ranks = True
        by_words[RUN.value] = by_words.pop(RANK)
    by_ours |= by_words
    if missing and not by_words:
        by_words = each_by_words(names, missing, read)
        unknown = [ours for ours in missing if ours not in by_words] or missing
        unread = [name for name in names if name not in read and name not in by_words.values()]
        added = dict.fromkeys(missing, "…") | by_words
        added |= proposed_columns(unread, [True] * len(unread), unknown)
        value = by_ours[role.value]
        if value is not None and is_rank(value) and not has_own_ranks:
            added[role.value] = value  # a person may mean another column
        option = option_of(added)
        lacks = f"{_lacks(file, names, unknown[0])}; it needs query_id, doc_id and {role.value}"
        of_judges = columns_of_judges(unread)
        of_judges += [name for name in unread if plain(name) in LAST_RESORTS[QRELS.value]]
        if unknown == [QRELS.value] and len(of_judges) > 1:
            raise FileError(f"{lacks}; {_choice_of_judge(file, of_judges)}")
        scores = added.get(RUN.value, "")
        if is_distance(scores):
            lacks = f"{lacks}; {SMALLER_IS_BETTER.format(scores)}"
        raise FileError(f"{lacks}; if another column is meant: {option}")
    columns = {ours: name for ours, name in by_ours.items() if name is not None}
    refuse_shared(file, {ours: name for ours, name in columns.items() if ours != "run"})
    run_name = columns.get("run")
    if run_name in [name for ours, name in columns.items() if ours != "run"]:
        raise FileError(f"{file}: the column {run_name} cannot also name the runs")
    return columns, role is RUN and (has_own_ranks or is_rank(columns["score"]))


def judge_column(names: Iterable[Any], read: Collection[Any]) -> Any:
    """The column that names the judge of each row by its words; None if there is none.

    `read` are the columns that have another meaning.

    >>> judge_column(["query", "doc", "user", "annotator", "label"], ["query", "doc", "label"])
    'annotator'
    """
    places: dict[Any, int] = {}
    for name in names:
        place = None if name in read else tells_judge(plain(name))
        if place is not None:
            places[name] = place
    return min(places, key=lambda name: places[name], default=None)


def columns_of_judges(names: Iterable[Any]) -> list[Any]:
    """The columns with levels of a human or of a machine, as their words tell, the human's first.

    A column such as model, which may have names of judges, is none.

    >>> columns_of_judges(["llm", "title", "Human label", "model", "llm_explanation"])
    ['Human label', 'llm']
    """
    names_of_judges: list[Any] = []
    for name in names:
        if judge_of(plain(name)) and plain(name) not in NAMES_OF_JUDGES:
            names_of_judges.append(name)
    return sorted(names_of_judges, key=lambda name: judge_of(plain(name)))


def _unless_of_judges(level: Any, names: Sequence[Any]) -> Any:
    """The column of levels; None for a name of the last resort, such as score, beside columns of
    judges.
    """
    is_last_resort = level is not None and plain(level) in LAST_RESORTS[QRELS.value]
    others = [name for name in names if name != level]
    if is_last_resort and columns_of_judges(others):
        return None
    return level


def _choice_of_judge(file: str, names: Sequence[Any]) -> str:
    """The end of a message that several columns may have the levels: what to type."""
    listed = ", ".join(map(str, names[:-1])) + f" and {names[-1]}"
    option = option_of({QRELS.value: names[0]})
    return (
        f"{listed} may have levels: name one, as in {option}; to compare them: "
        f"ir_measures_graded judges {quoted(file)}"
    )


def by_their_words(
    names: Sequence[Any], missing: Sequence[str], read: Collection[Any]
) -> dict[str, Any]:
    """The columns of the missing ones of our names, if only one reading of the names is possible.

    `read` are the columns that have another meaning.
    """
    unread = {name: plain(name) for name in names if name not in read}
    if QRELS.value in missing and len(columns_of_judges(unread)) > 1:
        return {}
    by_words = only_reading(unread, missing)
    if not by_words and has_level_words() and list(missing) == [QRELS.value] and len(unread) == 1:
        return {QRELS.value: next(iter(unread))}  # the column of the words that the user names
    return by_words


def each_by_words(
    names: Sequence[Any], missing: Sequence[str], read: Collection[Any]
) -> dict[str, Any]:
    """The columns of those of the missing names of which only one reading is possible.

    `read` is as for `by_their_words`, which has all of them or none.

    >>> each_by_words(["user_query", "cos"], ["query_id", "score"], [])
    {'query_id': 'user_query'}
    """
    by_words: dict[str, Any] = {}
    for ours in missing:
        for name in by_their_words(names, [ours], [*read, *by_words.values()]).values():
            by_words[ours] = name  # a run without scores may have ranks
    return by_words


def usual_column(names: Sequence[Any], ours: str) -> Any:
    """The column that we name `ours` by a known name or by its words; None if there is none.

    Raises as `column_names`.
    """
    known_name = column_name("the file", names, ours)
    if known_name is not None:
        return known_name
    known_names = set(chain(*chain(*NAMES.values())))
    read = [name for name in names if plain(name) in known_names]
    return each_by_words(names, [ours], read).get(ours)


def column_of_topics(
    file: str, names: Sequence[Any], chosen: Chosen, besides: Sequence[str]
) -> Any:
    """The column of topics in a table of their attributes, whose columns `besides` are wanted.

    A column is read as in `file_columns`. Raises `GradedError` if there is none.
    """
    ours = "query_id"
    others = [name for name in names if name not in besides]
    chosen = with_usual_names(chosen, names, [ours])
    own_name = chosen.named(file, names, ours)
    if own_name is not None:
        return own_name
    for candidates in (others, names):
        usual = usual_column(candidates, ours)
        if usual is not None:
            return usual
    lacks = _lacks(file, names, ours)
    topics = proposed_columns(others, [True] * len(others), [ours])
    raise GradedError(f"{lacks}; if another column has the topics: {option_of(topics)}")


def remark_on_words(file: str, names: Sequence[str], role: Role, chosen: Chosen) -> str:
    """The remark that columns of a file are read by their words; empty if all names are known or
    clear.

    Raises as `file_columns`.
    """
    read, are_ranks = file_columns(file, names, role, chosen)
    chosen = with_usual_names(chosen, names, role.columns)
    others = _levels_unread(names, read, role, chosen)
    if others:
        option = option_of({QRELS.value: others[0]})
        return (
            f"the levels are those of {read[QRELS.value]}, not of {' or '.join(others)}; if others "
            f"are meant: {option} (columns= in Python); to compare them: ir_measures_graded judges "
            f"{quoted(file)}"
        )
    by_words: dict[str, str] = {}
    for ours in role.columns:
        is_chosen = bool(chosen.names_of_value(ours))
        if is_chosen or is_known(read[ours], role) or is_clear(ours, plain(read[ours])):
            continue
        by_words[ours] = read[ours]
    if not by_words:
        return ""
    meanings: list[str] = []
    for ours, name in by_words.items():
        meaning = ours
        if are_ranks and ours == RUN.value:
            meaning = RANK
        verb = "" if meanings else "is read "
        meanings.append(f"{shown(name)[1:-1]} {verb}as {meaning}")
    listed_meanings = ", ".join(meanings)
    pairs = ",".join(f"{ours}=…" for ours in by_words)
    return f"{listed_meanings}; if other columns are meant: --columns {pairs} (columns= in Python)"


def _levels_unread(
    names: Sequence[Any], read: Mapping[str, Any], role: Role, chosen: Chosen
) -> list[str]:
    """The columns of qrels that may have levels too, beside the one that is read.

    They are those of judges by their words, and those with other names of levels. None is listed if
    the user names the levels.
    """
    if role is not QRELS or chosen.names_of_value(QRELS.value):
        return []
    usual = set(chain(*NAMES[QRELS.value][:2])) | set(NAMES[QRELS.value][2]) - {"gain", "r_ui"}
    others = [name for name in names if name not in read.values()]
    of_judges = columns_of_judges(others)
    more = [name for name in others if plain(name) in usual and name not in of_judges]
    return [*map(str, of_judges), *map(str, more)]


def _refuse_absent(file: str, names: Sequence[str], role: Role, chosen: Chosen) -> None:
    """Raise `GradedError` if the user names columns that a file lacks, with what to add.

    The other file of the command may have them: qrels and runs often differ in their names.
    """
    wanted = [ours for ours in role.columns if chosen.names_of_value(ours)]
    absent = [ours for ours in wanted if set(names).isdisjoint(chosen.names_of_value(ours))]
    if not absent:
        return
    unnamed = [ours for ours in role.columns if ours in absent or ours not in wanted]
    usual = {ours: column_name(file, names, ours) for ours in unnamed}
    unknown = [ours for ours in unnamed if usual[ours] is None]
    taken = {*usual.values(), *(theirs for _, theirs in chosen.columns)}
    unread = [name for name in names if name not in taken]
    added = {ours: usual[ours] for ours in absent if usual[ours] is not None}
    added |= proposed_columns(unread, [True] * len(unread), unknown)
    choices = chosen.names_of_value(absent[0])
    message = f"{file} has no column {' or '.join(choices)}; it has {listed_columns(names)}"
    hint = did_you_mean(choices[0], list(map(str, names)), cutoff=0.8)
    if hint:
        raise GradedError(f"{message}{hint}")
    raise GradedError(
        f"{message}; if its columns have names of their own, add {option_of(added)}; it needs "
        f"query_id, doc_id and {role.value}"
    )


def refuse_shared(file: str, columns: Mapping[str, Any]) -> None:
    """Raise `FileError` for a column of a file that stands for two of ours.

    >>> refuse_shared("a.csv", {"query_id": "user", "doc_id": "user"})
    Traceback (most recent call last):
    ir_measures_graded.errors.FileError: a.csv: the column user is named as query_id and as doc_id
    """
    by_name: dict[Any, str] = {}
    for ours, name in columns.items():
        if name in by_name:
            raise FileError(f"{file}: the column {name} is named as {by_name[name]} and as {ours}")
        by_name[name] = ours

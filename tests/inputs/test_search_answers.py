"""Answers of search engines are runs, and their ratings are qrels."""

import gzip
import hashlib
import io
import json
import re
from functools import partial

import pytest
from reading import by_topic, in_pieces, opened, qrels, refused, run, run_file

from ir_measures_graded import GradedError, RunFile, cli
from ir_measures_graded.analysis import evaluate
from ir_measures_graded.errors import FileError, InputWarning
from ir_measures_graded.files.files import qrels_in

HITS = {"took": 3, "hits": {"total": {"value": 2}, "hits": []}}


def elastic(**scores):
    hits = [{"_index": "i", "_id": id_, "_score": score} for id_, score in scores.items()]
    return {"took": 3, "timed_out": False, "hits": {"max_score": 9, "hits": hits}}


def solr(**scores):
    docs = [{"id": id_, "title": "x", "score": score} for id_, score in scores.items()]
    return {"responseHeader": {"status": 0}, "response": {"numFound": 2, "docs": docs}}


def vespa(**scores):
    children = [{"id": id_, "relevance": score, "fields": {}} for id_, score in scores.items()]
    return {"root": {"id": "toplevel", "relevance": 1.0, "children": children}}


def plain_hits(**scores):
    return {"hits": [{"id": id_, "score": score} for id_, score in scores.items()]}


def meilisearch(**scores):
    """Hits have a field score, which is one of the documents."""
    hits = [{"id": id_, "_rankingScore": score, "score": 5} for id_, score in scores.items()]
    return {"hits": hits, "processingTimeMs": 1}


ENGINES = {
    "Elasticsearch": elastic,
    "Solr": solr,
    "Vespa": vespa,
    "Meilisearch": meilisearch,
    "hits": plain_hits,
}
RUN = {"q1": {"d1": 9.5, "d2": 8.0}, "q2": {"d3": 1.0}}


def lines(answers):
    """An object for each answer, which has the response as a field."""
    items = [{"query_id": query, "response": answer} for query, answer in answers.items()]
    return "\n".join(map(json.dumps, items))


def lines_of_answers(answers):
    """The answers with the query as a further field."""
    items = [{"qid": query, **answer} for query, answer in answers.items()]
    return "\n".join(map(json.dumps, items))


def array(answers):
    return json.dumps([{"qid": query, "answer": answer} for query, answer in answers.items()])


def multi_search(answers):
    responses = list(answers.values())
    return json.dumps({"took": 1, "responses": responses, "ids": list(answers)})


def multi_search_ids_first(answers):
    return json.dumps({"ids": list(answers), "responses": list(answers.values())})


FORMS = {
    "dict": json.dumps,
    "indented": partial(json.dumps, indent=1),
    "lines": lines,
    "lines of answers": lines_of_answers,
    "array": array,
    "_msearch": multi_search,
    "_msearch, ids first": multi_search_ids_first,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_answers_by_query_are_a_run(engine, form):
    answers = {query: ENGINES[engine](**scores) for query, scores in RUN.items()}
    text = FORMS[form](answers)
    assert run(text) == RUN
    assert "a run, not qrels" in refused(qrels, text)


def test_answers_by_query_are_read_in_blocks_of_many_queries(tmp_path):
    answers = {f"q{query}": elastic(**RUN["q1"]) for query in range(100)}
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers, indent=1))
    file = RunFile(path)
    file.sizes = file.sizes._replace(rows=60)
    *blocks, last = file.blocks()
    assert len(blocks) > 1
    assert all(60 <= len(block.values) <= 120 for block in blocks)
    lines_of_queries = [line for block in [*blocks, last] for line in block.line[::2]]
    assert lines_of_queries == list(range(2, 100 * 19, 19))


def test_a_response_of_rank_eval_is_a_run():
    hits = [{"hit": {"_index": "i", "_id": "d1", "_score": 9.5}, "rating": 3}]
    response = {"metric_score": 0.5, "details": {"q1": {"hits": hits}}}
    assert run(json.dumps(response)) == {"q1": {"d1": 9.5}}


@pytest.mark.parametrize("id_name", ["id", "_id", "doc_id"])
@pytest.mark.parametrize("name", ["score", "_score", "relevance_score", "similarity"])
@pytest.mark.parametrize("documents", ["hits", "results", "docs", "documents", "matches"])
def test_scores_of_listed_documents_count_in_any_order(documents, name, id_name):
    listed = [{id_name: "d2", name: 1.5}, {id_name: "d1", name: 9.0}]
    for text in (
        json.dumps({"query": "q1", documents: listed}),
        json.dumps([{"query": "q1", documents: listed}]),
    ):
        assert run(text) == {"q1": {"d2": 1.5, "d1": 9.0}}


def test_hits_in_the_reverse_order_of_their_scores_are_told():
    hits = [{"id": "d2", "score": 1.5}, {"id": "d1", "score": 9.0}]
    for text in (
        json.dumps({"query": "q1", "hits": hits}),
        json.dumps({"q1": {"hits": hits}}),
    ):
        source = RunFile(io.BytesIO(text.encode()))
        source.rows()
        assert any("reverse of the ranks" in remark.text for remark in source.remarks)


@pytest.mark.parametrize("key", ["results", "contexts", "doc_ids"])
def test_a_list_of_ids_has_its_scores_beside_it(key):
    item = {"question": "q1", key: ["d2", "d1"], "scores": [1, 9.5]}
    assert run(json.dumps(item)) == {"q1": {"d2": 1, "d1": 9.5}}
    shorter = json.dumps(item | {"scores": [1]})
    assert "the list of scores has the length 1, and that of the documents 2" in refused(
        run, shorter
    )
    without_scores = json.dumps({"question": "q1", key: ["d2", "d1"]})
    assert run(without_scores) == {"q1": {"d2": -1, "d1": -2}}
    if key == "contexts":
        texts = json.dumps({"question": "q1", "contexts": ["A passage.", "Another one."]})
        assert "answers, no ranking" in refused(run, texts)


@pytest.mark.parametrize(
    "listed",
    [
        [{"id": "d2", "score": 1.5}, {"id": "d1", "score": 9.0}],
        [{"docid": "d2", "_score": 1.5, "title": "x"}, {"docid": "d1", "_score": 9.0}],
        [["d2", 1.5], ["d1", 9.0]],
    ],
)
def test_a_dict_of_lists_of_documents_with_scores_is_a_run(listed):
    expected = {"q1": {"d2": 1.5, "d1": 9.0}}
    assert run(json.dumps({"q1": listed})) == expected
    several = json.dumps({"q1": listed, "q2": [], "q3": listed}, indent=1)
    assert run(several) == expected | {"q3": expected["q1"]}
    smaller_first = RunFile(io.BytesIO(json.dumps({"q1": listed, "q2": []}).encode()))
    assert by_topic(smaller_first.ascending()) == {"q1": {"d2": -1.5, "d1": -9.0}}
    refused(run, json.dumps({"q1": listed, "q2": [*listed, {"id": "d3"}]}))
    refused(run, json.dumps({"q1": listed, "q2": [["d3"]]}))
    assert "no known qrels" in refused(qrels, json.dumps({"q1": listed}))


def test_ranks_of_hits_without_scores_count():
    hits = [{"id": "d2", "rank": 2}, {"id": "d1", "rank": 1}]
    for item in ({"query": "q1", "hits": hits}, {"query": "q1", "results": hits}, {"q1": hits}):
        source = RunFile(io.BytesIO(json.dumps(item).encode()))
        assert by_topic(source) == {"q1": {"d2": -2, "d1": -1}}
        assert not source.remarks


def remarks_on(value):
    source = RunFile(io.BytesIO(json.dumps(value).encode()))
    source.rows()
    return [remark.text for remark in source.remarks]


@pytest.mark.parametrize(
    "value",
    [
        {"q1": [["d1", 0.1], ["d2", 0.9]]},
        {"q1": [{"id": "d1", "score": 0.1}, {"id": "d2", "score": 0.9}]},
        {"query": "q1", "matches": [{"id": "d1", "score": 0.1}, {"id": "d2", "score": 0.9}]},
        {"query": "q1", "doc_ids": ["d1", "d2"], "scores": {"d1": 0.1, "d2": 0.9}},
    ],
)
def test_scores_that_rise_in_a_list_are_told_as_distances(value):
    (remark,) = remarks_on(value)
    assert "the order by score is the reverse of the ranks in 1 of 1 topics" in remark


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"similarities": [0.1, "0.9"]}, {"d2": 0.1, "d1": 0.9}),
        ({"score": [0.1, 0.9], "ranks": [2, 1]}, {"d2": 0.1, "d1": 0.9}),
        ({"scores": {"d1": 0.9, "d2": 0.1, "d3": 0.5}}, {"d2": 0.1, "d1": 0.9}),
        ({"ranks": [2, 1]}, {"d2": -2, "d1": -1}),
        ({"positions": [40, 7]}, {"d2": -1, "d1": -2}),  # places in a text
        ({"predictions": ["an answer", "another"]}, {"d2": -1, "d1": -2}),
        ({"distances": [0.1, 0.9]}, {"d2": -1, "d1": -2}),
    ],
)
def test_lists_of_numbers_beside_ids_count_by_their_names(beside, expected):
    assert run(json.dumps({"query": "q1", "doc_ids": ["d2", "d1"], **beside})) == {"q1": expected}


@pytest.mark.parametrize(
    "value",
    [
        {"q1": [{"id": "d1", "distance": 0.1}, {"id": "d2", "distance": 0.9}]},
        {
            "query": "q1",
            "documents": [{"id": "d1", "distance": 0.1}, {"id": "d2", "distance": 0.9}],
        },
    ],
)
def test_listed_documents_with_distances_tell_the_option(value):
    message = refused(run, json.dumps(value))
    assert "a smaller distance is better" in message
    assert "--columns score=distance --ascending" in message
    source = RunFile(
        io.BytesIO(json.dumps(value).encode()), columns={"score": "distance"}, ascending=True
    )
    assert by_topic(source) == {"q1": {"d1": -0.1, "d2": -0.9}}


DISORDERED = [("d1", 0.1), ("d2", 0.9), ("d3", 0.5)]


@pytest.mark.parametrize(
    "value",
    [
        {"query": "q1", "hits": [{"id": id_, "distance": of} for id_, of in DISORDERED]},
        {"q1": {"hits": [{"id": id_, "distance": of} for id_, of in DISORDERED]}},
        {"query": "q1", "ids": ["d1", "d2", "d3"], "distance": [0.1, 0.9, 0.5]},
    ],
)
def test_documents_that_are_not_in_the_order_of_their_distances_are_refused(value):
    fact = "topic 'q1': the documents have no scores, and they are not in the order of distance"
    assert fact in refused(run, json.dumps(value))


def test_ranks_of_hits_may_be_texts_and_are_needed_in_each_hit():
    hits = [{"id": "d2", "rank": "2"}, {"id": "d1", "rank": "1"}]
    assert run(json.dumps({"q1": {"hits": hits}})) == {"q1": {"d2": -2, "d1": -1}}
    without_one = [*hits, {"id": "d3", "rank": None}]
    message = refused(run, json.dumps({"q1": {"hits": without_one}}))
    assert "document 'd3': the score is missing or null" in message


def test_scores_of_hits_have_one_name():
    hits = [{"id": "d2", "score": 0.5, "similarity": 9}, {"id": "d1", "similarity": 8}]
    message = refused(run, json.dumps({"q1": {"hits": hits}}))
    assert "document 'd1': the score is missing or null" in message


LISTED = [{"id": "d2", "score": 0.1}, {"id": "d1", "score": 0.9}]


@pytest.mark.parametrize(
    "first", [[], ["d1", "d2"], {"d1": 0.9, "d2": 0.1}, [["d2", 0.1], ["d1", 0.9]]]
)
def test_topics_of_a_dict_may_have_lists_of_documents_after_any_first_one(first):
    found = run(json.dumps({"q0": first, "q1": LISTED}))
    assert found["q1"] == {"d2": 0.1, "d1": 0.9}
    assert ("q0" in found) == bool(first)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"matches": LISTED, "namespace": ""}, {"d2": 0.1, "d1": 0.9}),
        ({"total": 2, "query": "another", "documents": LISTED}, {"d2": 0.1, "d1": 0.9}),
        ({"ids": ["d2", "d1"], "scores": [0.1, 0.9]}, {"d2": 0.1, "d1": 0.9}),
        ({"ids": ["d1", "d2"], "distances": [0.1, 0.9]}, {"d1": -1, "d2": -2}),
    ],
)
def test_an_object_with_a_list_of_documents_may_stand_under_its_query(answer, expected):
    assert run(json.dumps({"q1": answer})) == {"q1": expected}
    # A document may have the name of a list.
    with_scores = {"q1": answer, "q2": {"documents": 2.5, "d1": 1}}
    assert run(json.dumps(with_scores)) == {"q1": expected, "q2": {"documents": 2.5, "d1": 1}}
    refused(qrels, json.dumps({"q1": answer}))


PARTLY_RANKED = {
    "answers": {"q1": {"hits": LISTED}, "q2": {"hits": [{"id": "d1"}]}},
    "items": [{"query": "q1", "results": LISTED}, {"query": "q2", "results": ["d1"]}],
    "ranks first": [{"query": "q2", "hits": [{"id": "d1"}]}, {"query": "q1", "hits": LISTED}],
    "lists": {"q1": LISTED, "q2": ["d1", "d2"]},
    "dict of dicts": {"q1": {"d1": 0.9}, "q2": ["d1", "d2"]},
    "dict of lists": {"q2": ["d1", "d2"], "q1": {"d1": 0.9}},
}


@pytest.mark.parametrize("form", PARTLY_RANKED)
def test_smaller_scores_first_need_scores_in_all_topics(form, tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(PARTLY_RANKED[form]))
    assert {"q1", "q2"} == set(by_topic(RunFile(path)))
    with pytest.raises(FileError, match="some topics have scores, and others have only an order"):
        RunFile(path, ascending=True).rows()


@pytest.mark.parametrize("is_scored_first", [True, False])
@pytest.mark.parametrize("other", [{"hits": [{"id": "d3"}]}, {"results": ["d3"]}])
def test_two_lists_of_a_topic_have_scores_in_both(other, is_scored_first):
    items = [{"query": "q1", "hits": LISTED}, {"query": "q1", **other}]
    if not is_scored_first:
        items.reverse()
    message = refused(run, json.dumps(items))
    assert "topic 'q1' has a list of documents with scores and one without" in message


def test_queries_without_hits_leave_ranks_in_their_order():
    items = [{"query": "q1", "hits": [{"id": "d2"}, {"id": "d1"}]}, {"query": "q2", "hits": []}]
    source = RunFile(io.BytesIO(json.dumps(items).encode()), ascending=True)
    assert by_topic(source) == {"q1": {"d2": -1, "d1": -2}}


def test_hits_of_typesense_count_by_position():
    hits = [
        {"document": {"id": "d2", "score": 1}, "text_match": 7, "vector_distance": 0.5},
        {"document": {"id": "d1", "score": 9}, "text_match": 9, "vector_distance": 0.1},
    ]
    answer = {"found": 2, "page": 1, "hits": hits}
    for value in ({"q1": answer}, [{"query_id": "q1", **answer}]):
        assert run(json.dumps(value)) == {"q1": {"d2": -1, "d1": -2}}
    assert not remarks_on({"q1": answer})
    assert "it is a later page, page 2" in remarks_on({"q1": answer | {"page": 2}})[0]
    assert run(json.dumps({"q1": answer, "q2": answer | {"hits": [], "found": 0}})).keys() == {"q1"}


@pytest.mark.parametrize(
    ("place", "first", "later"), [("page", 1, 2), ("offset", 0, 20), ("page", "1", "2")]
)
def test_pages_of_meilisearch_begin_with_1(place, first, later):
    answer = meilisearch(d1=0.5)
    assert not remarks_on({"q1": answer | {place: first}})
    is_told = isinstance(later, int)
    assert bool(remarks_on({"q1": answer | {place: later}})) == is_told


def test_a_hit_without_a_score_among_others_is_told():
    hits = [{"id": "d2", "score": 2}, {"id": "d1"}]
    for text in (
        json.dumps({"query": "q1", "hits": hits}),
        json.dumps({"q1": {"hits": hits}}),
    ):
        assert "topic 'q1', document 'd1': the score is missing or null" in refused(run, text)


def test_the_user_names_the_score_of_hits():
    hits = [{"id": "d2", "boost": 1.5, "score": 3}, {"id": "d1", "boost": 9.0, "score": 4}]
    for text in (
        json.dumps({"query": "q1", "hits": hits}),
        json.dumps({"q1": {"hits": hits}}),
        json.dumps({"query": "q1", "docs": hits}),
        json.dumps({"q1": hits}),
    ):
        boosted = RunFile(io.BytesIO(text.encode()), columns={"score": "boost"})
        assert by_topic(boosted) == {"q1": {"d2": 1.5, "d1": 9.0}}
        misspelt = RunFile(io.BytesIO(text.encode()), columns={"score": "bost"})
        with pytest.raises(GradedError):
            misspelt.rows()


@pytest.mark.parametrize("engine", ENGINES)
def test_hits_without_scores_count_by_position(engine):
    answer = ENGINES[engine](d2=None, d1=None)
    assert run(json.dumps({"q1": answer})) == {"q1": {"d2": -1, "d1": -2}}


ALGOLIA = {}
for query, ids in {"q1": ["d1", "d2"], "q2": ["d3"]}.items():
    hits = [{"objectID": id_, "id": 7, "title": "x"} for id_ in ids]
    ALGOLIA[query] = {"query": query, "page": 0, "hits": hits}


def results_of_algolia(answers):
    return json.dumps({"results": list(answers.values())})


def single_answers(answers):
    return "\n".join(map(json.dumps, answers.values()))


ALGOLIA_FORMS = {
    "results": results_of_algolia,
    "single answers": single_answers,
    **{name: form for name, form in FORMS.items() if name != "lines of answers"},
}


@pytest.mark.parametrize("form", ALGOLIA_FORMS)
def test_answers_of_algolia_are_a_run_by_position(form):
    text = ALGOLIA_FORMS[form](ALGOLIA)
    assert run(text) == {"q1": {"d1": -1, "d2": -2}, "q2": {"d3": -1}}
    assert "a run, not qrels" in refused(qrels, text)


def test_a_query_of_algolia_is_its_topic_rather_than_the_id_of_a_search():
    lines = [{"queryID": f"id of {query}", **answer} for query, answer in ALGOLIA.items()]
    assert set(run("\n".join(map(json.dumps, lines)))) == {"q1", "q2"}


@pytest.mark.parametrize("form", ["results", "single answers"])
def test_params_of_algolia_tell_the_query_and_the_page(form):
    """They are URL-encoded; `query` and `page` beside them are read first."""
    hits = ALGOLIA["q1"]["hits"]
    answers = {
        "first": {"hits": hits, "params": "query=red+shoes%20%26+co&page=0&hitsPerPage=20"},
        "page": {"hits": hits, "params": "hitsPerPage=20&query=boots&page=1"},
        "own": {"hits": hits, "query": "hats", "page": 0, "params": "query=caps&page=2"},
    }
    text = ALGOLIA_FORMS[form](answers)
    source = run_file(text)
    assert list(by_topic(source)) == ["red shoes & co", "boots", "hats"]
    (remark,) = source.remarks
    assert "incomplete (boots: it is a later page, page 1)" in remark.text
    answer = {"hits": hits, "params": "hitsPerPage=20"}
    assert "names no query" in refused(run, ALGOLIA_FORMS[form]({"none": answer, "no": answer}))


@pytest.mark.parametrize("form", ["results", "single answers"])
def test_two_lists_without_scores_are_refused(form):
    text = ALGOLIA_FORMS[form]({**ALGOLIA, "second page": ALGOLIA["q1"] | {"page": 1}})
    assert "topic 'q1' has two lists of documents without scores; join them" in refused(run, text)


def test_answers_of_algolia_without_a_query_say_what_to_write():
    answer = {"hits": ALGOLIA["q1"]["hits"]}
    assert "{query_id: [objectID, …]}" in refused(run, json.dumps(answer))
    assert "names no query; write {query: answer, …}" in refused(
        run, json.dumps({"results": [answer]})
    )


def test_solr_repeats_the_query_which_is_the_topic():
    answers = [
        {**answer, "responseHeader": {"status": 0, "params": {"q": query}}}
        for query, answer in {"q1": solr(d1=2, d2=1), "q2": solr(d3=1)}.items()
    ]
    lines = "\n".join(map(json.dumps, answers))
    assert run(lines) == {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
    assert run(json.dumps(answers[0], indent=1)) == {"q1": {"d1": 2, "d2": 1}}
    assert run(json.dumps({"query_id": "x", "answer": answers[0]})) == {"x": {"d1": 2, "d2": 1}}
    assert "answers of Solr are a run, not qrels" in refused(qrels, lines)


@pytest.mark.parametrize("engine", ["Solr", "Vespa"])
def test_lines_of_raw_answers_without_a_query_say_what_to_write(engine):
    lines = "\n".join([json.dumps(ENGINES[engine](d1=1))] * 2)
    message = f"an answer of {engine} names no query; write {{query: answer, …}}"
    assert message in refused(run, lines)


def test_topics_may_have_the_names_of_parts_of_an_answer():
    topics = {"root": {"children": 1.0}, "response": {"docs": 2.0}}
    assert run(json.dumps(topics)) == topics


def test_answers_do_not_use_names_of_columns(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(FORMS["lines"]({"q1": elastic(d1=9.5)}).replace("query_id", "phrase"))
    columns = {"query_id": "phrase", "doc_id": "article", "relevance": "grade"}
    assert RunFile(path, columns=columns).rows().dicts() == {"q1": {"d1": 9.5}}


NO_HITS = {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}}
HIDDEN = {"root": {"fields": {"totalCount": 7}}}


@pytest.mark.parametrize("query", ["q0", "q2"])
def test_vespa_omits_the_children_of_an_answer_without_hits(query):
    answers = sorted({"q1": vespa(d1=1), query: NO_HITS}.items())
    assert run(json.dumps(dict(answers))) == {"q1": {"d1": 1}}


def test_an_answer_of_vespa_without_children_is_not_always_empty():
    text = json.dumps({"q1": vespa(d1=1), "q2": HIDDEN})
    assert "'q2' has no answer of a search engine" in refused(run, text)


ERRORS = {
    "Elasticsearch": {"error": {"type": "x", "reason": "no index"}, "status": 404},
    "old Elasticsearch": {"error": "no index", "status": 400},
    "Solr": {"responseHeader": {"status": 400}, "error": {"msg": "no index", "code": 400}},
    "Vespa": {"root": {"fields": {"totalCount": 0}, "errors": [{"summary": "no index"}]}},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("query", ["q1", "q2"])
@pytest.mark.parametrize("engine", ERRORS)
def test_the_error_of_a_search_engine_is_named_with_its_topic(engine, query, form):
    answers = {"q1": elastic(d1=1), "q2": elastic(d2=1)} | {query: ERRORS[engine]}
    message = refused(run, FORMS[form](answers))
    assert f"topic '{query}': the search engine answered with an error: no index; " in message


GROUP = {"id": "group:root:0", "relevance": 1.0, "children": [{"id": "grouplist:year"}]}


@pytest.mark.parametrize("form", FORMS)
def test_groups_of_vespa_are_no_documents(form):
    answer = vespa(d1=2, d2=1)
    answer["root"]["children"].append(GROUP)
    only_groups = {"root": {"children": [GROUP]}}
    source = run_file(FORMS[form]({"q1": answer, "q2": only_groups}))
    assert by_topic(source)["q1"] == {"d1": 2, "d2": 1}
    (remark,) = source.remarks
    assert remark.text.endswith("incomplete (q2: its hits are in groups)")


INCOMPLETE = {
    "the search timed out": elastic(d1=1) | {"timed_out": True},
    "1 of 5 shards failed": elastic(d1=1) | {"_shards": {"total": 5, "failed": 1}},
    "the results are partial": solr(d1=1) | {"responseHeader": {"partialResults": True}},
    "50 % of the documents were searched": {
        "root": vespa(d1=1)["root"] | {"coverage": {"coverage": 50, "full": False}}
    },
    "it is a later page, response.start 10": {"response": solr(d1=1)["response"] | {"start": 10}},
    "it is a later page, page 2": {"params": "page=2", "hits": [{"objectID": "d1"}]},
    "it is a later page, page 1": {"page": 1, "hits": [{"objectID": "d1"}]},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reason", INCOMPLETE)
def test_an_incomplete_answer_is_a_remark(reason, form):
    answer = INCOMPLETE[reason]
    source = run_file(FORMS[form]({"q1": answer, "q2": answer | {"a": 1}}))
    assert by_topic(source).keys() == {"q1", "q2"}
    (remark,) = source.remarks
    assert remark.text == (
        f"the search engine's answers to 2 topics are incomplete (q1: {reason}; q2: {reason})"
    )


@pytest.mark.parametrize("form", FORMS)
def test_remarks_on_several_blocks_of_answers_are_those_on_all(tmp_path, form):
    answer = elastic(d1=1) | {"timed_out": True}
    path = tmp_path / "run"
    path.write_bytes(opened(FORMS[form]({"q1": answer, "q2": answer | {"a": 1}})).read())
    source = run_file(path, in_pieces(1 << 20, rows=1))
    assert [len(block.topics) for block in source.blocks()] == [1, 1]
    (remark,) = source.remarks
    assert "answers to 2 topics are incomplete" in remark.text


def test_the_first_rows_alone_tell_the_order_of_answers(tmp_path):
    topics = {"q1": 5000, "q2": 4000, "q3": 3000}
    answers = {
        topic: elastic(**{f"d{number}": number for number in range(size)})
        for topic, size in topics.items()
    }
    path = tmp_path / "run"
    path.write_text(json.dumps(answers))
    source = run_file(path, in_pieces(1 << 20, rows=5000))
    assert len(list(source.blocks())) == 2
    (remark,) = source.remarks
    assert "reverse of the ranks in 1 of 1 topics among the first rows" in remark.text


RATINGS = {
    "_rank_eval": {
        "requests": [
            {"id": "q1", "request": {}, "ratings": [{"_index": "i", "_id": "d1", "rating": 3}]},
            {"id": "q2", "ratings": [{"_index": "i", "_id": "d2", "rating": 0}]},
        ],
        "metric": {},
    },
    "judgments": {
        "name": "j",
        "judgmentRatings": [
            {"query": "q1", "ratings": [{"docId": "d1", "rating": "3.0"}]},
            {"query": "q2", "ratings": [{"docId": "d2", "rating": "0"}]},
        ],
    },
    "Quepid": {
        "queries": [{"query": "q1", "ratings": {"d1": 3}}, {"query": "q2", "ratings": {"d2": 0}}]
    },
    "Quepid lists": {
        "queries": [
            {"query_text": "q1", "ratings": [{"doc_id": "d1", "rating": 3}]},
            {"query_text": "q2", "ratings": [{"doc_id": "d2", "rating": 0}]},
        ]
    },
    "RRE gains": {
        "queries": [
            {"placeholders": {"$query": "q1"}, "relevant_documents": {"d1": {"gain": 3}}},
            {"placeholders": {"$query": "q2"}, "relevant_documents": {"d2": {"gain": 0}}},
        ]
    },
    "RRE levels in groups": {
        "topics": [
            {
                "query_groups": [
                    {
                        "queries": [{"placeholders": {"$query": "q1"}}],
                        "relevant_documents": {"3": ["d1"]},
                    },
                    {
                        "queries": [{"placeholders": {"$query": "q2"}}],
                        "relevant_documents": {"0": ["d2"]},
                    },
                ]
            }
        ]
    },
}
RATINGS["judgments from GET"] = {
    "took": 1,
    "hits": {"hits": [{"_id": "x", "_source": RATINGS["judgments"]}]},
}


@pytest.mark.parametrize("kind", RATINGS)
def test_ratings_of_search_tools_are_qrels(kind):
    text = json.dumps(RATINGS[kind])
    assert qrels(text) == {"q1": {"d1": 3}, "q2": {"d2": 0}}
    assert "qrels, not a run" in refused(run, text)


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        (
            elastic(d1=1),
            "OpenSearch or Elasticsearch without its query; write {query_id: response}",
        ),
        (vespa(d1=1), "a response of Vespa without its query; write {query_id: response}"),
        ({"q1": elastic(d1=1), "q2": {}}, "topic 'q2' has no answer of a search engine with hits"),
        ({"q1": elastic(d1=1, d2=None)}, "document 'd2': the score is missing or null"),
        ({"responses": [elastic(d1=1)], "ids": ["q1", "q2"]}, "2 ids and 1 responses"),
        (
            {"responses": [elastic(d1=1), elastic(d2=1)], "ids": ["q1", "q1"]},
            "topic 'q1' has 2 responses; give one for each topic",
        ),
        (
            {"metric_score": 0, "details": {}, "failures": {"q3": {"error": {"reason": "no"}}}},
            "topic 'q3': the search engine answered with an error: no",
        ),
        ({"error": {"reason": "no"}, "status": 404}, "the search engine answered with an error"),
        ({"responses": [elastic(d1=1)]}, 'write {"ids": ["q1", …], "responses": […]}'),
    ],
)
def test_answers_without_queries_or_scores_are_refused(value, fact):
    assert fact in refused(run, json.dumps(value))


def test_a_document_of_two_indexes_is_retrieved_twice():
    answer = elastic(d1=2)
    answer["hits"]["hits"].append({"_index": "other", "_id": "d1", "_score": 1})
    assert "twice" in refused(run, json.dumps({"q1": answer}))


def folder_of(path, answers):
    """A folder with a file for each answer."""
    path.mkdir()
    for name, answer in answers.items():
        text = answer if isinstance(answer, bytes) else json.dumps(answer, indent=1).encode()
        (path / name).write_bytes(text)
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_of_answers_is_a_run_by_the_names_of_its_files(engine, tmp_path):
    answers = {f"{topic}.json": ENGINES[engine](**scores) for topic, scores in RUN.items()}
    packed = gzip.compress(json.dumps(answers.pop("q2.json")).encode())
    folder = folder_of(tmp_path / "mine", {**answers, "q2.json.gz": packed, ".hidden": b"x"})
    read = RunFile(folder)
    assert by_topic(read) == RUN
    (remark,) = read.remarks
    assert remark.text == "each of the 2 files is the answer to the query of its name (q1: q1.json)"
    with pytest.warns(InputWarning, match="each of the 2 files is the answer to the query of its"):
        evaluation = evaluate({"q1": {"d2": 1}, "q2": {"d3": 1}}, folder, ["RR"])
    assert evaluation.runs == ("mine",)
    assert evaluation.values.tolist() == [[[0.5, 1.0]]]


@pytest.mark.parametrize(
    ("command", "form"), [("evaluate", "json"), ("compare", "latex"), ("compare", "html")]
)
def test_a_folder_has_its_name_with_a_slash_and_the_digest_of_its_files(
    command, form, tmp_path, capsys
):
    answers = {f"{topic}.json": elastic(**RUN[topic]) for topic in RUN}
    folder = folder_of(tmp_path / "engine", answers)
    qrels_path = tmp_path / "qrels.txt"
    qrels_path.write_text("q1 0 d1 1\nq2 0 d3 1\n")
    other = tmp_path / "other.txt"
    other.write_text("q1 Q0 d2 1 9 x\nq2 Q0 d8 1 9 x\n")
    words = [command, str(qrels_path), f"{folder}/", str(other), "AP", "-f", form]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert re.search(r"\bengine\b(?!/)", out)
    if form != "json":
        contents = b"".join((folder / name).read_bytes() for name in answers)
        digest = hashlib.sha256(contents).hexdigest()
        assert f"{folder}/ SHA-256 {digest}" in out


def test_a_folder_is_a_run_in_a_command_and_one_of_runs_stays_one(tmp_path, capsys):
    folder_of(tmp_path / "mine", {f"{topic}.json": elastic(**RUN[topic]) for topic in RUN})
    folder_of(tmp_path / "runs", {"a.json": RUN, "b.json": RUN})
    qrels_file = tmp_path / "qrels"
    qrels_file.write_text("q1 0 d2 1\nq2 0 d3 1\n", encoding="utf-8")
    words = ["evaluate", qrels_file, f"A={tmp_path / 'mine'}", tmp_path / "runs", "RR"]
    assert cli.main([*map(str, words), "-f", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [row["run"] for row in printed["values"]] == ["A", "a", "b"]
    assert len(printed["sha256"]) == 5


@pytest.mark.parametrize(
    ("other", "fact"),
    [
        ({"q2.json": {"q2": {"d1": 1}}}, "q2.json:1: topic 'q2' has no answer of a search engine"),
        ({"q2.json": {"error": {"reason": "no"}, "status": 404}}, "topic 'q2': the search engine"),
        ({"q1.json.gz": gzip.compress(json.dumps(HITS).encode())}, "has the name of topic 'q1'"),
        ({"q2.json": b'{"hits": {"hits": []}} {}'}, "q2.json:1: not JSON: text follows"),
    ],
)
def test_files_of_a_folder_that_cannot_be_answers_are_told(other, fact, tmp_path):
    folder = folder_of(tmp_path / "mine", {"q1.json": elastic(d1=1), **other})
    with pytest.raises(GradedError, match=re.escape(fact)):
        RunFile(folder).rows()
    with pytest.raises(GradedError, match="this is a run, not qrels"):
        qrels_in(folder_of(tmp_path / "other", {"q1.json": elastic(d1=1)}))


def test_a_folder_of_other_names_than_the_qrels_tells_a_way_out(tmp_path):
    answer = {"took": 1, "hits": {"hits": [{"_id": "d1", "_score": 2.0}]}}
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "q1.json").write_text(json.dumps(answer))
    qrels = {"running shoes": {"d1": 2}}
    with pytest.raises(FileError, match="none of its topics") as error:
        evaluate(qrels, {"A": folder}, ["nDCG@10"])
    way_out = 'one JSON file with the answer of each query: {"running shoes": {answer}, …}'
    assert way_out in str(error.value)
    in_one = tmp_path / "answers.json"
    in_one.write_text(json.dumps({"running shoes": answer}))
    assert evaluate(qrels, {"A": in_one}, ["nDCG@10"]).means().item() == 1


@pytest.mark.filterwarnings("default")  # as in a process of its own
@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown"])
def test_the_command_tells_in_a_note_which_queries_a_folder_answers(tmp_path, capsys, form):
    answer = {"took": 1, "hits": {"hits": [{"_id": "d1", "_score": 2.0}]}}
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "q1.json").write_text(json.dumps(answer))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 d1 2\n")
    assert cli.main(["evaluate", str(qrels), str(folder), "nDCG@10", "-f", form]) == 0
    printed = capsys.readouterr()
    assert "warning" not in printed.err
    note = "answers: its file is the answer to the query of its name"
    if form == "markdown":  # which has it below the table
        assert note in printed.out
    else:
        assert f"note: {note}" in printed.err

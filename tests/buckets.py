"""Random qrels and runs as Arrow tables, and their values in a local evaluation."""

from random import Random

import pyarrow

from ir_measures_graded.analysis import evaluate


def qrels_and_runs(topics=30, seed=5):
    """Random qrels and two runs with ties, unjudged documents, and topics that a run or the qrels lack."""
    random = Random(seed)
    ids = [f"q{number}" for number in range(topics)]
    qrels = {
        topic: {f"d{doc}": random.choice([-1, 0, 1, 2, 3]) for doc in random.sample(range(40), 12)}
        for topic in ids
    }
    qrels["q3"] = {"d1": 4}  # the only document of the highest level
    runs = {
        name: {
            topic: {f"d{doc}": float(random.randint(0, 9)) for doc in random.sample(range(40), 15)}
            for topic in random.sample([*ids, "x1", "x2"], topics)
        }
        for name in ("one", "two")
    }
    return qrels, runs


def arrow(source, value, shuffle=None):
    rows = [(topic, doc, number) for topic, docs in source.items() for doc, number in docs.items()]
    if shuffle is not None:
        shuffle.shuffle(rows)
    topic, doc, number = zip(*rows) if rows else ((), (), ())
    ids = {
        "query_id": pyarrow.array(topic, pyarrow.string()),
        "doc_id": pyarrow.array(doc, pyarrow.string()),
    }
    return pyarrow.table({**ids, value: pyarrow.array(number, pyarrow.float64())})


def part(source, bucket):
    return {topic: docs for topic, docs in source.items() if int(topic[1:]) % 4 == bucket}


def levels_of(qrels):
    return {level for docs in qrels.values() for level in docs.values()}


def rows_of(table):
    return {
        tuple(row[:-1]): row[-1] for row in zip(*(column.to_pylist() for column in table.columns))
    }


def expected(qrels, runs, measures):
    """The values of a local evaluation, of which some are None."""
    return {
        (row["run"], row["topic"], str(row["measure"])): row["value"]
        for row in evaluate(qrels, runs, measures).records()
    }

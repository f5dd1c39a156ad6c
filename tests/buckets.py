"""Random qrels and runs as Arrow tables, and their values in a local evaluation."""

from random import Random

import pyarrow

from ir_measures_graded.analysis import evaluate


def qrels_and_runs(topics=30, seed=5):
    """Random qrels and two runs, with ties and unjudged documents; each lacks some topics."""
    random = Random(seed)
    ids = [f"q{number}" for number in range(topics)]
    qrels = {}
    for topic in ids:
        judged = random.sample(range(40), 12)
        qrels[topic] = {f"d{doc}": random.choice([-1, 0, 1, 2, 3]) for doc in judged}
    qrels["q3"] = {"d1": 4}  # the only document of the highest level
    runs = {"one": {}, "two": {}}
    for run in runs.values():
        for topic in random.sample([*ids, "x1", "x2"], topics):
            retrieved = random.sample(range(40), 15)
            run[topic] = {f"d{doc}": float(random.randint(0, 9)) for doc in retrieved}
    return qrels, runs


def arrow(source, value, shuffle=None):
    rows = [(topic, doc, number) for topic, docs in source.items() for doc, number in docs.items()]
    if shuffle is not None:
        shuffle.shuffle(rows)
    columns = {
        "query_id": pyarrow.array([topic for topic, _, _ in rows], pyarrow.string()),
        "doc_id": pyarrow.array([doc for _, doc, _ in rows], pyarrow.string()),
        value: pyarrow.array([number for _, _, number in rows], pyarrow.float64()),
    }
    return pyarrow.table(columns)


def part(source, bucket):
    return {topic: docs for topic, docs in source.items() if int(topic[1:]) % 4 == bucket}


def levels_of(qrels):
    return {level for docs in qrels.values() for level in docs.values()}


def rows_of(table):
    """The value of each row, the last column, by the other columns."""
    values = {}
    for row in table.to_pylist():
        *key, value = row.values()
        values[tuple(key)] = value
    return values


def expected(qrels, runs, measures):
    """The values of a local evaluation, of which some are None."""
    values = {}
    for row in evaluate(qrels, runs, measures).records():
        key = (row["run"], row["topic"], str(row["measure"]))
        values[key] = row["value"]
    return values

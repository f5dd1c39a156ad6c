"""``python -m ir_measures_nuggets answers_*.jsonl``: assigned nuggets of nuggetizer to qrels and
runs.

Each file has the answers of one system. The command writes `qrels.txt`, and one run per file.
"""

import json
import sys
from pathlib import Path

IMPORTANCE = {"vital": 2, "okay": 1}
SUPPORT = {"support": 1, "partial_support": 0.5, "not_support": 0}
"""Any other assignment, such as "failed", leaves the nugget out of the run, where it scores 0."""


def main(paths):
    """Write the qrels and the runs, or end with a sentence about the first mistake."""
    nuggets_of, qrels = {}, []
    for path in map(Path, paths):
        run = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                answer = json.loads(line)
                topic, nuggets = answer["qid"], dict(enumerate(answer["nuggets"], 1))
                labels = [
                    (nugget["text"], IMPORTANCE[nugget["importance"]])
                    for nugget in nuggets.values()
                ]
                support = {n: SUPPORT.get(nugget["assignment"]) for n, nugget in nuggets.items()}
            except (KeyError, TypeError, ValueError) as error:
                sys.exit(
                    f"{path}, line {number} is no answer with qid and nuggets, vital or okay: "
                    f"{error!r}"
                )
            if topic not in nuggets_of:
                nuggets_of[topic] = labels
                qrels += [f"{topic} 0 n{n} {level}" for n, (_, level) in enumerate(labels, 1)]
            elif nuggets_of[topic] != labels:
                sys.exit(
                    f"{path}, line {number}: topic {topic} has other nuggets than in an "
                    "earlier file"
                )
            known = [n for n, degree in support.items() if degree is not None]
            ranking = sorted(known, key=lambda n: -support[n])
            run += [
                f"{topic} Q0 n{n} {rank} {support[n]} {path.stem}"
                for rank, n in enumerate(ranking, 1)
            ]
        Path(f"{path.stem}.run").write_text("\n".join(run) + "\n", encoding="utf-8")
    Path("qrels.txt").write_text("\n".join(qrels) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

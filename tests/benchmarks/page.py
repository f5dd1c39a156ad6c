"""Measures what the page of benchmarks shows, and writes its tables.

    python tests/benchmarks/page.py --folder FOLDER [--trec-eval PATH] [--write] [--only PART …]
        [--minutes M]

The programs of `PARTS` run one after another and keep their numbers in the folder, as JSON. A part
that is there already is not measured again. The tables are printed; `--write` puts them in their
places in README.md, docs/benchmarks.md and the README of this folder, between ``<!-- begin NAME -->``
and ``<!-- end NAME -->``. All parts take about ten minutes on two cores without other work.
"""

import argparse
import json
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from measuring import text_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OURS = "ir-measures-graded"
FLOOR = "Polars, reading alone"
FORMS = ("frame, *", "dicts", "tuples", "files", "parquet")
GROWING = [f"{form}/{OURS}" for form in ("frame, str", "files", "processes")]
ORDERS = ("NDPM", "KendallTau*", "Spearman", "muAP")
LONG = [
    "evaluate, in memory, 1,000,000 rows",
    "evaluate, in memory, 10,000,000 rows",
    "evaluate_batches, 2,000 topics, 10,000,000 rows",
]
PARTS: dict[str, list[str]] = {
    "commands": ["peers.py", "XS", "S", "M", "--only", "processes", "--repeat", "15"],
    "small": ["peers.py", "S", "M", "--only", *FORMS, "--repeat", "5", "--patience", "4"],
    "large": ["peers.py", "L", "--only", *FORMS, "processes", "--repeat", "3", "--patience", "3"],
    "costs": ["costs.py", "M", "groups", "groups100", "groups20", "groups8", "--repeat", "3"],
    "analyses": ["large.py", "--only", "report*", "curves*", "ranges*", "compare*", "power*"],
    "growth": ["peers.py", "L50", "L500", "L5000", "L", "D3", "D4", "D5", "--only", *GROWING],
    "long": ["large.py", "--only", *LONG],
    "jobs": ["jobs.py"],
    "orders": ["costs.py", "T3", "T4", "T5", "T6", "--only", *(f"alone/{name}" for name in ORDERS)],
}
"""The program of each part, and its arguments."""
WITHOUT_MEMORY = ("commands", "small", "large")
ONCE = ("growth", "orders", "long", "analyses")

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def measure(part: str, folder: Path, trec_eval: str) -> None:
    """Run the program of a part, unless its numbers are in the folder."""
    path = folder / f"{part}.json"
    if path.exists():
        return
    program, *words = PARTS[part]
    command = [sys.executable, "-W", "ignore", str(HERE / program), *words, "--json", str(path)]
    if program == "peers.py" and trec_eval:
        command += ["--trec-eval", trec_eval]
    if part in WITHOUT_MEMORY:
        command.append("--no-memory")
    if part in ONCE:
        command += ["--repeat", "1"]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(f"{part}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


# ----------------------------------------------------------------------------------- tables


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]], words: int) -> str:
    """A table in Markdown, of which the first columns have words and the others numbers."""
    marks = ["---"] * words + ["--:"] * (len(head) - words)
    lines = [_line(head), f"|{'|'.join(marks)}|"]
    lines += [_line(list(map(text_of, row))) for row in rows]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def folded(text: str) -> str:
    """A paragraph in lines as long as those of the pages."""
    return textwrap.fill(text, 125, break_long_words=False, break_on_hyphens=False)


def by_workload(tables: Tables) -> dict[str, list[Row]]:
    """The rows of `peers.py` by the name of their workload."""
    return {title.partition(":")[0]: rows for title, rows in tables.items()}


def of_peers(rows_of: dict[str, list[Row]], forms: Callable[[str], bool]) -> str:
    """The times of all peers, a workload beside the other."""
    cells: dict[tuple[str, str], dict[str, Row]] = {}
    for workload, rows in rows_of.items():
        for row in rows:
            if forms(row["input"]):
                cells.setdefault((row["input"], row["peer"]), {})[workload] = row
    workloads = [name for name in rows_of if any(name in row for row in cells.values())]
    head = ["input", "peer"]
    for name in workloads:
        head += [f"{name}: ms", "ratio"]
    table = []
    for (form, peer), row_of in cells.items():
        line: list[Any] = [form, peer]
        for name in workloads:
            row = row_of.get(name, {})
            line += [row.get("ms"), row.get("ratio")]
        table.append(line)
    return markdown(head, table, 2)


def peers(parts: dict[str, Any]) -> str:
    rows_of = by_workload(parts["small"]["tables"]) | by_workload(parts["large"]["tables"])
    return of_peers(rows_of, lambda form: form != "processes")


def commands(parts: dict[str, Any]) -> str:
    rows_of = by_workload(parts["commands"]["tables"])
    if "large" in parts:
        rows_of |= by_workload(parts["large"]["tables"])
    return of_peers(rows_of, lambda form: form == "processes")


AIMS: list[tuple[str, str, str, int]] = [
    ("DataFrame of Arrow-backed strings", "frame, str", "ir-measures", 50),
    ("DataFrame of objects", "frame, object", "ir-measures", 40),
    ("DataFrame of categories", "frame, category", "ir-measures", 30),
    ("dict of dicts", "dicts", "ir-measures", 5),
    ("named tuples", "tuples", "ir-measures", 3),
    ("files", "files", "ir-measures", 12),
    ("files, to trec_eval", "files", "trec_eval", 5),
    ("dicts, to ranx", "dicts", "ranx", 10),
    ("files, to ranx", "files", "ranx", 10),
]
"""The ratios that were aimed at: their words, the form, the peer and the ratio."""


def aims(parts: dict[str, Any]) -> str:
    rows_of = by_workload(parts["small"]["tables"]) | by_workload(parts["large"]["tables"])
    table = []
    for words, form, peer, aim in AIMS:
        line: list[Any] = [words, aim]
        for workload in ("M", "L"):
            ratio = _ratio(rows_of[workload], form, peer)
            line.append(_reached(ratio, aim))
        table.append(line)
    return markdown(["input", "aim", "M", "L"], table, 1)


def _ratio(rows: list[Row], form: str, peer: str) -> float | None:
    for row in rows:
        if (row["input"], row["peer"]) == (form, peer):
            return float(row["ratio"])
    return None


def _reached(ratio: float | None, aim: int) -> str | None:
    if ratio is None:
        return None
    text = f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
    return f"**{text}**" if ratio >= aim else text


def growth(parts: dict[str, Any]) -> str:
    table = []
    for title, rows in parts["growth"]["tables"].items():
        topics, retrieved = map(int, re.findall(r"(\d+) (?:topics|retrieved)", title))
        for row in rows:
            amounts = [row["ms"], row["ns_a_row"], row["peak_MB"], row["added_MB"]]
            table.append([row["input"], topics, topics * retrieved, *amounts])
    head = ["input", "topics", "rows", "ms", "ns per row", "peak MB", "added MB"]
    return markdown(head, table, 1)


def several(parts: dict[str, Any]) -> str:
    """Costs that several measures and runs share."""
    tables = parts["costs"]["tables"]
    table = []
    for name in ("whole", "standard"):
        for row in tables[f"M: {name}"]:
            form, _, what = row["what"].partition(": ")
            table.append([form, what, row["ms"], row["ratio"]])
    table += [["files", row["what"], row["ms"], row["ratio"]] for row in tables["M: files"]]
    return markdown(["input", "what", "ms", "ratio"], table, 2)


def measures(parts: dict[str, Any]) -> str:
    """The cost of each measure, the dearest first."""
    rows = parts["costs"]["tables"]["M: alone"]
    dearest = sorted(rows, key=lambda row: -row["ratio"])
    table = [[f"`{row['what']}`", row["ms"], row["ratio"]] for row in dearest]
    return markdown(["measure", "ms", "ratio"], table, 1)


SIZES = {
    "groups": "10,000 × 120",
    "groups100": "1,000 × 100",
    "groups20": "10,000 × 20",
    "groups8": "30,000 × 8",
}


def arrays(parts: dict[str, Any]) -> str:
    tables = parts["costs"]["tables"]
    cells: dict[str, dict[str, float]] = {}
    for name in SIZES:
        for row in tables[f"{name}: arrays"]:
            cells.setdefault(row["what"], {})[name] = row["ms"]
    table = [[what, *(ms.get(name) for name in SIZES)] for what, ms in cells.items()]
    return markdown(["CPU ms", *SIZES.values()], table, 1)


def training(parts: dict[str, Any]) -> str:
    tables = parts["costs"]["tables"]
    table = []
    for name, size in SIZES.items():
        rows = tables.get(f"{name}: training")
        if rows:
            own, ours = (row["ms"] for row in rows)
            table.append([size, ours, own, ours / own])
    head = ["groups × documents", "`nDCG_Burges@10`", "LightGBM's `ndcg@10`", "ratio"]
    return markdown(head, table, 1)


def orders(parts: dict[str, Any]) -> str:
    table = []
    for title, rows in parts["orders"]["tables"].items():
        documents = 10 ** int(title[1 : title.index(":")])
        for row in rows:
            table.append([f"`{row['what']}`", documents, row["ms"], 1e3 * row["ms"] / documents])
    table.sort(key=lambda line: (line[0], line[1]))
    return markdown(["measure", "documents", "ms", "µs per document"], table, 1)


def long(parts: dict[str, Any]) -> str:
    """Runs whose topics are scattered."""
    (rows,) = parts["long"]["tables"].values()
    table = []
    for row in rows:
        way, _, number = row["case"].rpartition(", ")
        table.append([way, number.removesuffix(" rows"), row["s"], row["CPU_s"], row["peak_MB"]])
    return markdown(["way", "rows", "s", "CPU s", "peak MB"], table, 1)


def jobs(parts: dict[str, Any]) -> str:
    """Commands with one process and with two."""
    (rows,) = parts["jobs"]["tables"].values()
    columns = ["s_1", "s_2", "CPU_s_1", "CPU_s_2"]
    table = [[row["runs"], *(row[column] for column in columns)] for row in rows]
    heads = ["runs", "one process: s", "`--jobs 2`: s", "one process: CPU s", "`--jobs 2`: CPU s"]
    return markdown(heads, table, 1)


def analyses(parts: dict[str, Any]) -> str:
    (rows,) = parts["analyses"]["tables"].values()
    table = [[row["case"], row["CPU_s"], round(row["peak_MB"])] for row in rows]
    return markdown(["analysis", "seconds", "MB"], table, 1)


VERSIONS = (
    ("numpy", "NumPy"),
    ("pandas", "pandas"),
    ("pyarrow", "pyarrow"),
    ("polars", "Polars"),
    ("ir_measures", "ir-measures"),
    ("pytrec_eval-terrier", "pytrec-eval-terrier"),
    ("ranx", "ranx"),
    ("scikit-learn", "scikit-learn"),
    ("lightgbm", "LightGBM"),
    ("xgboost-cpu", "XGBoost"),
    ("matplotlib", "Matplotlib"),
)
"""The packages whose versions the page has, and their names there."""


def machine(parts: dict[str, Any]) -> str:
    """When, where and with which versions the parts were measured."""
    first = next(iter(parts.values()))
    date = datetime.fromisoformat(first["date"])
    versions = [f"Python {first['python']}"]
    for package, name in VERSIONS:
        version = first["packages"].get(package)
        if version:
            versions.append(f"{name} {version}")
    trec_eval = parts["small"]["programs"].get("trec_eval")
    if trec_eval:
        versions.append(f"trec_eval {trec_eval} (gcc -O2)")
    *others, last = versions
    memory = first["memory"] / 2**30
    return folded(
        f"The measurements were made on {date.day} {date:%B %Y} on a machine with {first['cores']} "
        f"cores ({first['processor']}) and {memory:.0f} GB of memory, under {first['system']}. The "
        f"versions were {', '.join(others)} and {last}."
    )


def in_short(parts: dict[str, Any]) -> str:
    """What README.md says."""
    small = by_workload(parts["small"]["tables"])["M"]
    whole = by_workload(parts["commands"]["tables"])
    first = next(iter(parts.values()))
    date = datetime.fromisoformat(first["date"])
    ratios = []
    for peer in ("ir-measures", "ranx", "trec_eval"):
        ratio = _ratio(small, "files", peer)
        if ratio:
            ratios.append(f"{peer} {ratio:.1f}")
    in_ms: dict[str, list[str]] = {}
    for workload in ("M", "XS"):
        for row in whole[workload]:
            in_ms.setdefault(row["peer"], []).append(f"{row['ms']:,.0f}")
    commands_of = [f"{name} {of_m} and {of_xs} ms" for name, (of_m, of_xs) in in_ms.items()]
    return folded(
        "On files of 250 topics with 1000 documents each, others take a multiple of the time of "
        f"this package within a running process: {', '.join(ratios)} ({first['cores']} cores, "
        f"{first['processor']}, Python {first['python']}, {date.day} {date:%B %Y}). Commands of "
        "their own take, on these files and on 10 topics with 100 documents: "
        f"{'; '.join(commands_of)}."
    )


WRITTEN: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "in short": ("README.md", in_short),
    "machine": ("tests/benchmarks/README.md", machine),
    "peers": ("tests/benchmarks/README.md", peers),
    "aims": ("tests/benchmarks/README.md", aims),
    "commands": ("tests/benchmarks/README.md", commands),
    "growth": ("tests/benchmarks/README.md", growth),
    "several": ("tests/benchmarks/README.md", several),
    "measures": ("tests/benchmarks/README.md", measures),
    "arrays": ("tests/benchmarks/README.md", arrays),
    "orders": ("tests/benchmarks/README.md", orders),
    "training": ("docs/learning-to-rank.md", training),
    "long": ("docs/large.md", long),
    "jobs": ("docs/large.md", jobs),
    "analyses": ("docs/benchmarks.md", analyses),
}
"""The file in which each text stands between its marks, and the function that makes it."""


def replaced(text: str, name: str, content: str) -> str:
    """A text with other content between the marks of that name."""
    marked = re.compile(rf"(<!-- begin {name} -->\n).*?(\n<!-- end {name} -->)", re.DOTALL)
    if not marked.search(text):
        raise SystemExit(f"no marks for {name!r}")
    return marked.sub(lambda match: f"{match[1]}\n{content}\n{match[2]}", text)


def main(argv: Sequence[str] | None = None, root: Path = ROOT) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True, help="keeps the numbers")
    parser.add_argument("--trec-eval", default="", help="trec_eval's program")
    parser.add_argument("--write", action="store_true", help="write the pages")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--minutes", type=float, default=60, help="after which no part begins")
    arguments = parser.parse_args(argv)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    for part in arguments.only:
        if time.monotonic() - start < 60 * arguments.minutes:
            measure(part, arguments.folder, arguments.trec_eval)
    parts: dict[str, Any] = {}
    for part in PARTS:
        path = arguments.folder / f"{part}.json"
        if path.exists():
            parts[part] = json.loads(path.read_text())
    for name, (file, written) in WRITTEN.items():
        try:
            content = written(parts)
        except KeyError:  # of a part that is not measured yet
            continue
        print(f"<!-- {name}, in {file} -->\n\n{content}\n")
        if arguments.write:
            path = root / file
            path.write_text(replaced(path.read_text(), name, content))


if __name__ == "__main__":
    main()

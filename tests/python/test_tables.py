"""Every table of every analysis against the JSON, cell by cell, and against the command line's CSV files."""

import csv
import functools
import io
import json
import math
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import ROOT

import headscope as hs
from headscope import _programs, _tables

DEMO = ROOT / "resources" / "demo"
LANGUAGE_MODEL = ROOT / "tests" / "goldens" / "questions" / "gpt2"


def leaves(value, path=(), row=None):
    """Every number, text, yes or no in the JSON: the path of its list of objects, the row in it, the column."""
    for key, one in value.items():
        here = (*path, key)
        if isinstance(one, dict):
            yield from leaves(one, here, row)
        elif isinstance(one, list):
            if one and all(isinstance(inner, dict) for inner in one):
                for inner in one:
                    yield "row", here, inner
                    for kind, place, found in leaves(inner, (), None):
                        yield kind, (*here, "[]", *place), found
        else:
            yield "leaf", here, one


def tables_by_walking(raw):
    """{name: [{column: value}]} as the documentation says it, made in another way than the module does: by the paths of
    all leaves."""
    tables = {"summary": [{}]}
    for kind, place, found in leaves({key: value for key, value in raw.items() if key not in ("manifest", "result")}):
        inner = ".".join("" if part == "[]" else part for part in place).replace("..", ".")
        if kind == "row":
            tables.setdefault(inner, []).append({})
        elif "[]" not in place:
            tables["summary"][0]["_".join(place)] = found
        else:
            last = len(place) - 1 - place[::-1].index("[]")
            name = ".".join(part for part in place[:last] if part != "[]")
            tables[name][-1]["_".join(place[last + 1 :])] = found
    return tables


def same(cell, value):
    if isinstance(value, float) and isinstance(cell, (int, float)):
        return cell == value or (math.isnan(cell) and math.isnan(value))
    return cell == value


def assert_holds_the_json(result):
    walked = tables_by_walking(result.raw)
    tables = result.tables
    compared = 0
    for name, rows in walked.items():
        if name == "summary" and not any(rows):
            continue
        mine = tables[{"curve": "curve"}.get(name, name)] if name in tables else None
        if result.kind == "search" and name == "points":  # a row for each of three masks
            mine = [row for row in tables["points"] if row["way"] == "search"]
            rows = [{k: v for k, v in row.items() if not k.startswith(("rearranged_", "rescaled_", "search_"))} for row in rows]
        if result.kind == "evaluate" and name == "outputs":
            rows = sorted(rows, key=lambda row: row["index"])
        assert mine is not None, f"{result.kind}: no table {name}, only {list(tables)}"
        assert len(mine) == len(rows), f"{result.kind}: {name}"
        for cells, row in zip(mine, rows):
            for column, value in row.items():
                if column.startswith("scales_") or "_scales_" in column:
                    continue
                if column == "order" and result.kind == "prune":
                    assert cells[column].startswith(value)
                    continue
                assert column in cells, f"{result.kind}: {name} has no column {column}, only {list(cells)}"
                assert same(cells[column], value), f"{result.kind}: {name}.{column}: {cells[column]} is not {value}"
                compared += 1
    return compared


@functools.lru_cache(maxsize=None)
def demo_results():
    found = {}
    for path in sorted(DEMO.glob("**/*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(raw, dict) and "result" in raw and "manifest" in raw:
            found.setdefault(raw["result"], path)
    return found


CORPUS = DEMO / "corpus"
_kept = tempfile.TemporaryDirectory()  # what dynamics keeps of checkpoints, which would go beside them
_needles = Path(_kept.name) / "needles.csv"  # short ones: the language model has few positions
_needles.write_text("needle,question,answer\nThe key is red.,Which key?,red\nA cat sat here.,Who sat?,A cat\n")
_haystack = Path(_kept.name) / "haystack.txt"
_haystack.write_text("It is late. We go home. The sea is calm. A dog runs. Birds sing. She reads. He waits. Rain falls.\n")
#: How each analysis runs in little time: options, and which of the data sets and models below.
SMALL = {
    "evaluate": ({"outputs": True}, "lines"),
    "ablate": ({"resamples": 200}, "lines"),
    "importance": ({}, "lines"),
    "prune": ({"step": 36}, "lines"),
    "search": ({"step": 8, "kinds": ["cross"], "resamples": 50}, "lines"),
    "roles": ({}, "trees"),
    "relevance": ({"sentences": True}, "lines"),
    "confidence": ({}, "lines"),
    "patch": ({"positions": True, "resamples": 50, "circuits": True}, "pairs"),
    "takeover": ({"head": "cross.1.3", "sentences": True, "resamples": 50}, "pairs"),
    "shapley": ({"orders": 2, "kinds": ["cross"], "resamples": 50}, "lines"),
    "interactions": ({"among": "cross.1.0,cross.1.1,cross.1.2,cross.1.3", "most": 6, "triples": True, "resamples": 100}, "lines"),
    "gating": ({"steps": 2, "seeds": 2}, "lines"),
    "needed": ({"example": 1, "kinds": ["cross"]}, "lines"),
    "mcnemar": ({"examples": True}, "labels"),
    "similarity": ({"resamples": 50}, "lines"),
    "gradients": ({}, "lines"),
    "probe": ({"epochs": 1, "resamples": 50}, "trees"),
    "coreference": ({"resamples": 50}, "documents"),
    "find": ({"head": "encoder.0.3", "offset": -1}, "lines"),
    "energy": ({"sentences": 4}, "lines"),
    "detect": ({"sequences": 4}, "no data of the classifier"),
    "paths": ({"to": "cross.1.3", "resamples": 50}, "pairs"),
    "functions": ({"tasks": "capitals", "shots": 2, "mean_prompts": 4, "prompts": 4, "top": 2, "sets": 1, "resamples": 50},
                  "no data of the language model"),
    "retrieval": ({"needles": _needles, "haystack": _haystack, "template": "{context} {question}", "lengths": [120], "depths": 2,
                   "max_new_tokens": 2, "count_wrong": True, "top": 2, "sets": 1, "resamples": 50}, "no data of the language model"),
    "weights": ({}, "no data"),
    "tokens": ({"heads": "decoder.0.0,cross.1.3", "directions": 2, "top": 3}, "no data"),
    "collaborate": ({"ranks": [64], "iterations": 2, "mixing": True, "resamples": 50}, "lines"),
    "speed": ({"repeats": 2, "batch_sizes": [4], "examples": 8, "warm_up": 1, "fraction": 0.1}, "lines"),
    "dynamics": ({"runs": DEMO / "training", "checkpoints": [5, 6], "roles": True, "spread": True,
                  "keep": Path(_kept.name)}, "trees"),
}
OF_CLASSIFIER = ("labels", "no data of the classifier")
OF_LANGUAGE_MODEL = ("no data of the language model",)
_results = {}


@pytest.fixture(scope="module")
def results(model):
    """kind -> result, each computed once."""
    sets = {
        "lines": hs.Dataset.parallel(CORPUS / "in_domain.en", CORPUS / "in_domain.fr", limit=12),
        "trees": hs.Dataset.parallel(
            CORPUS / "in_domain.en", CORPUS / "in_domain.fr", trees=CORPUS / "in_domain.en.conllu", limit=12
        ),
        "pairs": hs.Dataset.table(CORPUS / "pairs.jsonl", limit=4),
        "documents": hs.Dataset.conllu(CORPUS / "coreference.en.conll", limit=6),
        "labels": hs.Dataset.table(CORPUS / "in_domain.objects.tsv", limit=30),
        "no data": None,
        "no data of the classifier": None,
        "no data of the language model": None,
    }

    def compute(kind):
        options, data = SMALL[kind]
        arguments = [] if sets[data] is None else [sets[data]]
        if data in OF_CLASSIFIER:
            with hs.Model.from_pretrained(DEMO / "classifier" / "epoch-006", progress=False) as classifier:
                return getattr(classifier, kind)(*arguments, **options)
        if data in OF_LANGUAGE_MODEL:
            with hs.Model.from_pretrained(LANGUAGE_MODEL, progress=False) as language_model:
                return getattr(language_model, kind)(*arguments, **options)
        return getattr(model, kind)(*arguments, **options)

    def get(kind):
        if kind not in _results:
            _results[kind] = compute(kind)
        return _results[kind]

    return get


def test_every_analysis_is_walked():
    done = subprocess.run([_programs.program("headscope-cli"), "describe"], capture_output=True, check=True)
    described = json.loads(done.stdout)
    assert {one["result"] for one in described["analyses"] if one["has_command"]} == set(SMALL)
    assert set(_tables.MAIN) == set(SMALL) | {"best-heads", "compare", "attention"}


@pytest.mark.parametrize("kind", SMALL)
def test_tables_hold_the_json(results, kind):
    result = results(kind)
    assert assert_holds_the_json(result) > 10
    rows = result.records("metrics") if kind == "evaluate" else result.records()
    assert rows and next(iter(result.tables)) in _tables.MAIN[kind]
    assert repr(result).startswith(f"<headscope.Result {kind}")
    assert math.isnan(result.score) or isinstance(result.score, float)
    assert result._repr_html_().startswith("<div>")


@pytest.mark.parametrize("kind", sorted(demo_results()))
def test_tables_of_the_demo_hold_its_json(kind):
    if kind != "attention":  # whose lists of weights are a table of their own
        assert assert_holds_the_json(hs.load(demo_results()[kind])) > 10


#: Columns of a CSV file that stand for several rows of a table of their own.
WIDE = {
    "roles": ("positional", "syntactic", "rare_word", "copy", "induction", "previous", "duplicate", "sink", "distant",
              "retrieval", "separator", "same_token", "delimiter", "local", "block", "alignment", "diagonal"),
    "dynamics": ("what", "spread", "head", "kind", "layer", "head_number", "importance", "delta", "confidence", "role"),
    "probe": ("head", "kind", "layer", "head_number", "from_dependent", "from_head"),
    "energy": ("head", "head_number", "content", "context"),
    "patch": ("direct_clean", "direct_corrupt"),
    "interactions": ("third",),
    "paths": ("measure",),
    "detect": ("label", "sink_queries", "copying_gain"),
    "weights": ("largest_query_composition", "largest_key_composition", "largest_value_composition"),
}  # fmt: skip


DATA_WORDS = {
    "lines": ["--source", CORPUS / "in_domain.en", "--reference", CORPUS / "in_domain.fr", "--limit", 12],
    "trees": ["--source", CORPUS / "in_domain.en", "--reference", CORPUS / "in_domain.fr", "--conllu",
              CORPUS / "in_domain.en.conllu", "--limit", 12],
    "pairs": ["--data", CORPUS / "pairs.jsonl", "--limit", 4],
    "documents": ["--conllu", CORPUS / "coreference.en.conll", "--limit", 6],
    "labels": ["--data", CORPUS / "in_domain.objects.tsv", "--limit", 30],
    "no data": [],
    "no data of the classifier": [],
}  # fmt: skip


def csv_of(kind):
    """What the command prints as CSV for the same options."""
    options, data = SMALL[kind]
    model = DEMO / ("classifier" if data in OF_CLASSIFIER else "training") / "epoch-006"
    words = [kind, "--model", model, *DATA_WORDS[data], "--format", "csv", "--quiet"]
    for name, value in options.items():
        if name not in ("outputs", "sentences") or kind == "energy":
            words.append(f"--{name.replace('_', '-')}")
            if value is not True:
                words.append(",".join(map(str, value)) if isinstance(value, list) else value)
    done = subprocess.run([_programs.program("headscope-cli"), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def as_csv(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


@pytest.mark.parametrize("kind", [kind for kind in SMALL if kind not in ("coreference", "takeover", "shapley", "tokens", "functions", "retrieval")])
def test_csv_and_python_have_one_vocabulary(results, kind):
    """Every column of the CSV is one of the main table or stands for rows of another one, and lines have the same cells."""
    table = results(kind).records("metrics") if kind == "evaluate" else results(kind).records()
    if kind in ("patch", "needed"):
        table = results(kind).records("heads")
    lines = csv_of(kind)
    if kind == "dynamics":
        lines = [line for line in lines if line["what"] == "curve"]
    wide = WIDE.get(kind, ())
    filled = {name for line in lines for name, cell in line.items() if cell}
    unknown = {name for name in filled if name not in table[0] and not name.startswith(wide or ("?",))}
    assert not unknown, f"{kind}: columns of the CSV that the table calls otherwise: {unknown}"
    compared = 0
    for line, row in zip(lines, table):
        for name in set(line) & set(row):
            cell, value = line[name].removeprefix("'"), as_csv(row[name])  # a spreadsheet would take +1 as a formula
            if name in ("seconds", "peak_bytes") or kind == "speed" and isinstance(value, float):
                continue  # measured anew
            if cell == "no" and value == "":
                continue  # the JSON leaves out what is not so
            is_number = isinstance(value, (int, float)) and cell not in ("", "yes", "no")
            assert (float(cell) == value) if is_number else cell == str(value), f"{kind}.{name}: {cell!r}, {value!r}"
            compared += 1
    assert compared > 10

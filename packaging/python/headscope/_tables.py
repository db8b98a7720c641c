"""The tables of a result. Every list of objects in its JSON is a table, named by its path (``"heads"``,
``"curves.points"``); the columns are the names of the JSON, which are those of the command line's CSV files too. What lies
in an object of a row is joined by an underscore (``gain_mean``); lists of numbers are arrays and no cells
(:func:`arrays`)."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

Json = Dict[str, Any]
Rows = List[Json]

#: The table that says what an analysis has found, by kind of result; where it has no rows, the next one.
MAIN: Dict[str, Tuple[str, ...]] = {
    "evaluate": ("metrics",),
    "ablate": ("heads",),
    "best-heads": ("layers",),
    "importance": ("heads",),
    "prune": ("curves.points",),
    "search": ("points",),
    "roles": ("heads",),
    "relevance": ("heads",),
    "confidence": ("heads",),
    "patch": ("cells", "heads"),
    "paths": ("paths",),
    "takeover": ("heads",),
    "shapley": ("heads",),
    "interactions": ("pairs",),
    "gating": ("heads",),
    "needed": ("sets",),
    "mcnemar": ("heads",),
    "similarity": ("heads",),
    "gradients": ("heads",),
    "probe": ("probes",),
    "coreference": ("heads",),
    "find": ("places",),
    "energy": ("layers.curves",),
    "detect": ("heads.detectors",),
    "functions": ("heads",),
    "retrieval": ("heads",),
    "weights": ("heads",),
    "tokens": ("heads.writes.highest", "heads.ov.to.highest", "heads"),
    "collaborate": ("points",),
    "speed": ("rows",),
    "dynamics": ("checkpoints.curve", "checkpoints.heads"),
    "compare": ("heads",),
    "attention": ("maps",),
}

#: Columns by which the rows of an inner table say which row of the outer one they belong to.
_IDENTITY = (
    "head", "kind", "layer", "head_number", "checkpoint", "number", "order", "reverse", "kinds", "relation",
    "direction", "claim", "by", "absolute", "index", "seed", "width", "method", "pruned", "goal", "keys", "lambda",
)  # fmt: skip
#: How texts of a list are joined in a cell, where it is not by a blank.
_SEPARATORS = {"together": ",", "to": ",", "heads": ","}
#: Lists of texts or whole numbers that say something when they are empty; other empty lists are tables without rows.
_MAY_BE_EMPTY = ("to", "kinds", "label", "predicted", "tokens")
#: Names of columns in earlier versions.
OLD_NAMES = {"p_holm": "p_adjusted", "n": "examples"}


def parts_of(address: str) -> Json:
    """``"encoder.0.3"`` in the columns that tables of heads begin with."""
    kind, layer, number = address.split(".")
    return {"head": address, "kind": kind, "layer": int(layer), "head_number": int(number)}


def is_head(value: Any) -> bool:
    return isinstance(value, str) and value.count(".") == 2 and value.split(".")[0] in ("encoder", "cross", "decoder")


def _is_list_of(value: Any, kind: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, kind) for one in value)


def _joined(name: str, values: List[Any]) -> str:
    return _SEPARATORS.get(name, " ").join(map(str, values))


def flat(row: Json, before: str = "") -> Json:
    """The cells of a row: numbers, texts, yes or no, and lists of texts or whole numbers as one text."""
    cells: Json = {}
    for key, value in row.items():
        name = before + key
        if key == "scales" and isinstance(value, dict):  # head to factor
            cells[name] = " ".join(f"{head}={factor}" for head, factor in value.items())
        elif isinstance(value, dict):
            cells.update(flat(value, name + "_"))
        elif isinstance(value, list):
            if value and all(isinstance(one, (str, int)) for one in value) or not value and key in _MAY_BE_EMPTY:
                cells[name] = _joined(key, value)
        elif key in ("head", "other", "third") and is_head(value):
            if key == "head" and not before:
                cells.update(parts_of(value))
            elif key == "other":
                parts = parts_of(value)
                cells.update({name: value, **{f"{name}_{part}": parts[part] for part in ("kind", "layer", "head_number")}})
            else:
                cells[name] = value
        else:
            cells[name] = value
    return cells


def _lists(row: Json, path: str = "") -> Iterator[Tuple[str, str, List[Any]]]:
    """The lists in a row, also those in its objects: path, last part of it, list."""
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _lists(value, f"{path}{key}.")
        elif isinstance(value, list):
            yield path + key, key, value


def _inner(path: str, rows: Rows, above: Json, tables: Dict[str, Rows]) -> None:
    table = tables.setdefault(path, [])
    for row in rows:
        cells = flat(row)
        table.append({**{key: value for key, value in above.items() if key not in cells}, **cells})
        if path.endswith("checkpoints"):
            cells = {"checkpoint": cells.get("name"), **cells}
        identity = {key: cells[key] for key in _IDENTITY if key in cells}
        for inner, _, values in _lists(row):
            if _is_list_of(values, dict):
                _inner(f"{path}.{inner}", values, {**above, **identity}, tables)


def generic(raw: Json) -> Dict[str, Rows]:
    """Every list of objects as a table, and ``"summary"``: a row of what stands in the result once."""
    top = {key: value for key, value in raw.items() if key not in ("manifest", "result")}
    tables: Dict[str, Rows] = {}
    for path, _, values in _lists(top):
        if _is_list_of(values, dict):
            _inner(path, values, {}, tables)
    summary = flat(top)
    if summary:
        tables["summary"] = [summary]
    return tables


def _find_arrays(path: str, value: Any, above: Json, found: Dict[str, Rows]) -> None:
    if isinstance(value, list) and value and all(isinstance(one, (int, float, list)) or one is None for one in value):
        if not all(isinstance(one, bool) for one in value):
            found.setdefault(path, []).append({**above, "values": value})
    elif _is_list_of(value, dict):
        for row in value:
            cells = flat(row)
            identity = {key: cells[key] for key in ("checkpoint", "name", "matrix", *_IDENTITY) if key in cells}
            for inner, _, values in _lists(row):
                _find_arrays(f"{path}.{inner}", values, {**above, **identity}, found)


def arrays(raw: Json) -> Dict[str, Rows]:
    """Every list of numbers by its path: a row for each, with the columns that say where it belongs, and ``values``."""
    found: Dict[str, Rows] = {}
    for path, _, values in _lists({key: value for key, value in raw.items() if key != "manifest"}):
        _find_arrays(path, values, {}, found)
    return found


# What the main tables have beside that: columns of the CSV files that the JSON says elsewhere.


def metric_of(raw: Json) -> str:
    """The score that a result is about; empty where there is none."""
    baseline = raw.get("baseline")
    inner = baseline.get("metric") if isinstance(baseline, dict) else None
    return str(raw.get("metric") or raw.get("primary") or inner or "")


def _first(row: Json, columns: Json) -> Json:
    """The columns behind those that say which row it is."""
    leading = {key: row[key] for key in ("head", "kind", "layer", "head_number") if key in row}
    return {**leading, **columns, **{key: value for key, value in row.items() if key not in leading and key not in columns}}


def _with_metric(raw: Json, rows: Rows) -> Rows:
    metric = metric_of(raw)
    return [_first(row, {"metric": metric}) for row in rows] if metric else rows


def _metrics(raw: Json, _: Dict[str, Rows]) -> Rows:
    rows = []
    for metric, score in raw.get("metrics", {}).items():
        interval = raw.get("intervals", {}).get(metric, {})
        rows.append(
            {
                "metric": metric,
                "score": score,
                "ci_low": interval.get("ci_low"),
                "ci_high": interval.get("ci_high"),
                "examples": raw.get("examples"),
                "signature": raw.get("signatures", {}).get(metric, ""),
            }
        )
    return rows


_OF_LABELS = {"accuracy": "accuracy", "F1": "f1", "macro-F1": "macro_f1", "Matthews": "matthews"}


def _curve_points(raw: Json, _: Dict[str, Rows]) -> Rows:
    rows = []
    for curve in raw.get("curves", []):
        above = {key: value for key, value in flat(curve).items() if not key.startswith("products")}
        for point in curve["points"]:
            row: Json = {**above, "metric": metric_of(raw), **flat(point)}
            row["order"] = curve["order"] + (" reversed" if curve.get("reverse") else "")
            first = curve["points"][0]["score"]
            if "delta" not in row:  # as earlier versions wrote it
                row["delta"] = None if point["score"] is None or first is None else point["score"] - first
            others = {one["metric"]: one["score"] for one in point.get("others", [])}
            if others:
                others[metric_of(raw)] = point["score"]
            row.update({column: others[name] for name, column in _OF_LABELS.items() if name in others})
            rows.append(row)
    return rows


def _search_points(raw: Json, _: Dict[str, Rows]) -> Rows:
    ways = ("search", "rearranged", "rescaled")
    return [
        {"way": way, **{key: value for key, value in point.items() if key not in ways}, "metric": metric_of(raw), **flat(point[way])}
        for point in raw.get("points", [])
        for way in ways
    ]


def _best_heads(raw: Json, tables: Dict[str, Rows]) -> Rows:
    sizes = [len(layer.get("row", [])) for layer in raw.get("layers", [])]
    return [{**row, "heads_in_layer": size} for row, size in zip(_with_metric(raw, tables.get("layers", [])), sizes)]


def _role_heads(raw: Json, tables: Dict[str, Rows]) -> Rows:
    rows = []
    for row, head in zip(tables.get("heads", []), raw.get("heads", [])):
        labels = head.get("labels", [])
        row = {**row, "labels": "; ".join(label["claim"] for label in labels)}
        for name in ("score", "expected", "instances"):
            row[f"role_{name}"] = labels[0][name] if labels else None
        for sieve in head.get("sieves", []):
            row[f"{sieve['role']}_sieve"] = sieve["score"]
            row[f"{sieve['role']}_sieve_p_adjusted"] = sieve["p_adjusted"]
        for pattern in head.get("patterns", []):
            row[f"{pattern['pattern']}_mass"] = pattern["mass"]
        rows.append(row)
    return rows


def _patch_rows(table: str) -> Callable[[Json, Dict[str, Rows]], Rows]:
    def rows(raw: Json, tables: Dict[str, Rows]) -> Rows:
        more = {"measure": raw["measure"], **({} if table == "cells" else {"position": None, "pairs": raw["examples"]})}
        return [_first(row, more) for row in tables.get(table, [])]

    return rows


def _gradient_heads(raw: Json, tables: Dict[str, Rows]) -> Rows:
    names = ("attention", "gradient", "stderr", "product")
    return [
        {**row, **{f"{of['keys']}_{name}": of[name] for of in head["keys"] for name in names}}
        for row, head in zip(tables.get("heads", []), raw.get("heads", []))
    ]


def _similarity_heads(raw: Json, tables: Dict[str, Rows]) -> Rows:
    places: Dict[str, Json] = {}
    for kind in raw.get("kinds", []):
        for place, head in enumerate(kind["heads"]):
            places[head] = {"x": kind["x"][place], "y": kind["y"][place], "leaf": kind["order"].index(place)}
    return [{**row, **places.get(row["head"], {})} for row in tables.get("heads", [])]


def _energy_layers(raw: Json, tables: Dict[str, Rows]) -> Rows:
    randoms = [one["for_99"] for layer in raw.get("layers", []) for one in layer.get("random", [])]
    sizes = [len(curve["energy"]) for layer in raw.get("layers", []) for curve in layer["curves"]]
    rows = zip(tables.get("layers.curves", []), sizes, randoms or [None] * len(sizes))
    return [{**row, "dimensions": size, "random_99": random} for row, size, random in rows]


def _energy_heads(raw: Json, tables: Dict[str, Rows]) -> Rows:
    sizes = [len(curve["energy"]) for head in raw.get("heads", []) for curve in head["curves"]]
    return [{**row, "dimensions": size} for row, size in zip(tables.get("heads.curves", []), sizes)]


def _shared_points(raw: Json, tables: Dict[str, Rows]) -> Rows:
    return [{"metric": metric_of(raw), **row, "length": raw.get("length")} for row in tables.get("points", [])]


def _speed_rows(raw: Json, tables: Dict[str, Rows]) -> Rows:
    rows = []
    for row, measured in zip(tables.get("rows", []), raw.get("rows", [])):
        side = "removed" if row["contender"] == "removed" else "original"
        sizes = {name: raw[name][side] for name in ("heads", "parameters", "weight_bytes")}
        rows.append({**row, **sizes, "repeats": len(measured["seconds"]), "examples": raw["examples"]})
    return rows


def _places(raw: Json, tables: Dict[str, Rows]) -> Rows:
    above = {**parts_of(raw["head"]), "what": raw["what"]}
    return [{**above, "rank": rank, **row} for rank, row in enumerate(tables.get("places", []), 1)]


def _compared(raw: Json, tables: Dict[str, Rows]) -> Rows:
    of_all = {"r": raw["pearson"]["value"], "rho": raw["spearman"]["value"], "tau": raw.get("kendall", {}).get("value")}
    rows = [_first(row, {"measure": raw["measure"], "metric": metric_of(raw)}) for row in tables.get("heads", [])]
    return [{**row, **of_all} for row in rows]


def _outputs(raw: Json, tables: Dict[str, Rows]) -> Rows:
    rows = []
    for row, output in zip(tables.get("outputs", []), raw.get("outputs", [])):
        rows.append({**row, **{f"logit_{label}": logit for label, logit in enumerate(output.get("logits", []))}})
    return sorted(rows, key=lambda row: int(row["index"]))


_MADE: Dict[str, Dict[str, Callable[[Json, Dict[str, Rows]], Rows]]] = {
    "evaluate": {"metrics": _metrics, "outputs": _outputs},
    "ablate": {"heads": lambda raw, tables: _with_metric(raw, tables.get("heads", []))},
    "best-heads": {"layers": _best_heads},
    "prune": {"curves.points": _curve_points},
    "search": {"points": _search_points},
    "roles": {"heads": _role_heads},
    "patch": {"heads": _patch_rows("heads"), "cells": _patch_rows("cells")},
    "interactions": {
        "pairs": lambda raw, tables: _with_metric(raw, tables.get("pairs", [])),
        "triples": lambda raw, tables: _with_metric(raw, tables.get("triples", [])),
    },
    "similarity": {"heads": _similarity_heads},
    "gradients": {"heads": _gradient_heads},
    "find": {"places": _places},
    "energy": {"layers.curves": _energy_layers, "heads.curves": _energy_heads},
    "collaborate": {"points": _shared_points},
    "speed": {"rows": _speed_rows},
    "dynamics": {
        "checkpoints.curve": lambda raw, tables: _with_metric(raw, tables.get("checkpoints.curve", [])),
        "checkpoints.heads": lambda raw, tables: _with_metric(raw, tables.get("checkpoints.heads", [])),
    },
    "compare": {"heads": _compared},
}


def tables_of(raw: Json) -> Dict[str, Rows]:
    """All tables of a result by name, the main one first. Empty ones are left out, but the main one is always there."""
    kind = str(raw["result"])
    found = generic(raw)
    made = {name: make(raw, found) for name, make in _MADE.get(kind, {}).items()}
    found = {**found, **{name: rows for name, rows in made.items() if rows}}
    mains = MAIN.get(kind, ("heads",))
    main = next((name for name in mains if found.get(name)), mains[-1])
    return {main: found.get(main, []), **{name: rows for name, rows in found.items() if rows and name != main}}


def number(value: Any) -> float:
    """A cell as a number: NaN for what is none."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


#: Columns that come first, in this order: which row it is, what was found, and how sure that is.
_LEADING = (
    "checkpoint", "number", "order", "way", "index", "rank", "head", "kind", "layer", "head_number", "position", "other",
    "other_kind", "other_layer", "other_head_number", "third", "relation", "direction", "role", "metric", "measure", "pruned",
    "fraction", "score", "interaction", "delta", "importance", "confidence", "relevance", "shapley", "effect", "difference",
    "ci_low", "ci_high", "p", "p_adjusted", "p_bh", "examples",
)  # fmt: skip


def completed(rows: Rows) -> Rows:
    """Every row with every column, those that say most first: None where it has nothing."""
    found = dict.fromkeys(key for row in rows for key in row)
    columns = [column for column in _LEADING if column in found]
    columns += [column for column in found if column not in _LEADING]
    return [{column: row.get(column) for column in columns} for row in rows]


def by_name(tables: Dict[str, Rows], name: Optional[str]) -> Rows:
    """A table; without a name the main one. Raises KeyError with the names that there are."""
    if name is None:
        return next(iter(tables.values()))
    if name not in tables:
        raise KeyError(f"the result has no table {name!r}; it has {', '.join(tables)}")
    return tables[name]

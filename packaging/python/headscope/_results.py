"""What analyses give: the JSON of the core, and views of it for pandas, numpy and matplotlib."""

from __future__ import annotations

import array
import html
import importlib
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from . import _grid, _plots
from ._client import Json
from ._data import PathLike
from ._tables import (
    OLD_NAMES,
    arrays,
    by_name,
    completed,
    is_head,
    metric_of,
    number,
    parts_of,
    tables_of,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes


class Shown(NamedTuple):
    """What of a result's heads is shown first, and which of its values are those that matter."""

    column: str
    matters: str = "high"  #: high; loss (of score: by the metric); gain (of score); size (either sign)

    @property
    def signed(self) -> bool:
        return self.matters != "high"


_SHOWN: Dict[str, Shown] = {
    "ablate": Shown("delta", "loss"),
    "best-heads": Shown("delta", "loss"),
    "importance": Shown("importance"),
    "confidence": Shown("confidence"),
    "relevance": Shown("relevance"),
    "roles": Shown("confidence"),
    "similarity": Shown("entropy"),
    "mcnemar": Shown("lost"),
    "compare": Shown("difference", "size"),
    "patch": Shown("effect", "size"),
    "takeover": Shown("change", "size"),
    "shapley": Shown("shapley", "gain"),
    "interactions": Shown("delta", "loss"),
    "gating": Shown("facilitates"),
    "needed": Shown("keeping"),
    "energy": Shown("context"),
    "weights": Shown("ov_eigenvalue_score", "size"),
    "coreference": Shown("accuracy"),
    "probe": Shown("from_dependent"),
    "gradients": Shown("other_gradient"),
}
#: What the rows of a main table that has no heads are ordered by.
_ROWS_BY: Dict[str, Shown] = {"interactions": Shown("interaction", "size"), "paths": Shown("delta", "size"), "find": Shown("weight"), "detect": Shown("score")}


def needed(module: str, what: str) -> Any:
    """An optional package. Raises ImportError that names it and what needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".", maxsplit=1)[0]
        raise ImportError(f"{what} needs {package}, which is not installed: pip install {package}", name=package) from error


class Result:
    """One result. :attr:`raw` is what files hold (core/results/FORMAT.md); everything else is a view of it: tables
    (:attr:`tables`, :meth:`to_dataframe`), arrays (:meth:`to_numpy`, :meth:`array`), :meth:`plot`."""

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.context: Optional[Json] = None  #: the model and data that it comes from, where they are known
        self.rows: List[Json] = []  #: texts of the examples, where outputs were kept

    @property
    def kind(self) -> str:
        """``"ablate"``, ``"importance"``, …"""
        return str(self.raw["result"])

    @property
    def complete(self) -> bool:
        """False: it was interrupted, and rests on fewer examples, heads or points than were asked for."""
        return not self.manifest.get("partial", False)

    @property
    def manifest(self) -> Json:
        """From what it was computed: model, data, options, versions."""
        manifest: Json = self.raw.get("manifest", {})
        return manifest

    @property
    def key(self) -> str:
        """Under which the window and studies know it."""
        return str(self.manifest.get("key", ""))

    @property
    def metric(self) -> str:
        """The score that the result is about; empty where there is none."""
        return metric_of(self.raw) or (str(self.raw.get("measure", "")) if self.kind == "patch" else "")

    @property
    def score(self) -> float:
        """The score of the model that was measured, in :attr:`metric`: of ``dynamics`` that of the last checkpoint, of
        ``patch`` that of the clean texts; NaN where the result has none."""
        raw = self.raw
        if self.kind == "evaluate":
            return number(raw["metrics"].get(raw["primary"]))
        if self.kind == "shapley":
            return number(raw.get("all"))
        if self.kind == "patch":
            return number(raw["clean"]["score"])
        first = {"prune": raw.get("curve"), "collaborate": raw.get("points"), "energy": raw.get("parts")}.get(self.kind)
        if first:
            return number(first[0].get("score"))
        if self.kind == "dynamics" and raw.get("checkpoints"):
            return number(raw["checkpoints"][-1].get("score"))
        baseline = raw.get("baseline")
        return number(baseline.get("score") if isinstance(baseline, dict) else baseline)

    @property
    def better(self) -> str:
        """Which scores of the metric are: ``"higher"`` or ``"lower"``."""
        baseline = self.raw.get("baseline")
        better = self.raw.get("better") or (baseline.get("better") if isinstance(baseline, dict) else None) or "higher"
        return str(better.get(self.metric, "higher") if isinstance(better, dict) else better)

    # Tables

    @property
    def tables(self) -> Dict[str, List[Json]]:
        """All tables by name, the main one first, each a list of rows: ``interactions`` has ``pairs``, ``triples``,
        ``heads``, … An incomplete result has a column ``complete`` in every table."""
        found = {name: completed(rows) for name, rows in tables_of(self.raw).items()}
        if self.complete:
            return found
        return {name: [{**row, "complete": False} for row in rows] for name, rows in found.items()}

    def records(self, table: Optional[str] = None) -> List[Json]:
        """The rows of :meth:`to_dataframe` as dictionaries."""
        if table is None and self._is_prediction():
            return self.example_records()
        return by_name(self.tables, table)

    def _is_prediction(self) -> bool:
        return bool(self.raw.get("outputs")) and self.manifest.get("spec", {}).get("resamples") == 0

    def to_dataframe(self, table: Optional[str] = None) -> "pd.DataFrame":
        """A table as a frame of pandas: the main one, or one of :attr:`tables`. Columns are called as in the JSON and in
        the command line's CSV files; missing numbers are NaN. Raises KeyError for a table that there is not."""
        pd = needed("pandas", "to_dataframe()")
        return self._frame(pd, self.records(table))

    def _frame(self, pd: Any, rows: List[Json]) -> "pd.DataFrame":
        frame = pd.DataFrame(rows)
        for column in frame.columns:  # numbers that are all missing are still numbers
            values = [row[column] for row in rows]
            if any(value is None for value in values) and not any(isinstance(value, (str, bool)) for value in values):
                frame[column] = frame[column].astype(float)
        frame.attrs["complete"] = self.complete
        return frame

    def array(self, name: str) -> Any:
        """Numbers that are no cells of a table, by their path in :attr:`arrays` (``"heads.replicates"``): a numpy array
        whose first axis goes over the rows, or, where these differ in length, a list of arrays. Raises KeyError."""
        np = needed("numpy", "array()")
        found = arrays(self.raw)
        if name not in found:
            raise KeyError(f"the result has no array {name!r}; it has {', '.join(found) or 'none'}")
        values = [_as_array(np, row["values"]) for row in found[name]]
        same = all(isinstance(one, np.ndarray) and one.shape == values[0].shape for one in values)
        return (values[0] if len(values) == 1 else np.stack(values)) if same else values

    @property
    def arrays(self) -> Dict[str, List[Json]]:
        """What :meth:`array` has: by path a row for each, with the columns that say where it belongs, and ``values``."""
        return arrays(self.raw)

    # Heads

    @property
    def shown(self) -> str:
        """The column that :meth:`top`, :meth:`plot` and the grid show; empty: it has no heads."""
        if not self._heads():
            return ""
        column = _SHOWN[self.kind].column if self.kind in _SHOWN else ""
        rows = self._head_rows()
        if any(number(row.get(column)) == number(row.get(column)) for row in rows):
            return column
        numbers = [key for key in rows[0] if key not in ("layer", "head_number") and not math.isnan(number(rows[0][key]))]
        return numbers[0] if numbers else ""

    def _head_table(self) -> str:
        """The table with a row for each head; empty: there is none."""
        tables = self.tables
        for name in ("layers", "heads") if self.kind == "best-heads" else ("heads",):
            if tables.get(name) and all(is_head(row.get("head")) for row in tables[name]):
                return name
        return ""

    def _head_rows(self) -> List[Json]:
        name = self._head_table()
        return self.tables[name] if name else []

    def _heads(self) -> bool:
        return bool(self._head_table())

    def heads_of(self, kind: str = "encoder") -> List[str]:
        """Addresses of the heads of a kind, in the result's order."""
        return [row["head"] for row in self._head_rows() if row["kind"] == kind]

    def to_numpy(self, kind: str = "encoder", column: Optional[str] = None) -> "npt.NDArray[np.float64]":
        """Layers by heads of one kind of attention (encoder, cross, decoder), float64, NaN where there is no head or no
        number. `column`: of the table of heads; without it :attr:`shown`. Raises KeyError for another kind or column."""
        np = needed("numpy", "to_numpy()")
        cells = self._cells(column)
        if kind not in cells:
            raise KeyError(f"the result has no heads of {kind!r}; it has {', '.join(cells) or 'none'}")
        of_kind = cells[kind]
        shape = 1 + max(layer for layer, _ in of_kind), 1 + max(head for _, head in of_kind)
        grid: Any = np.full(shape, math.nan, dtype=np.float64)
        for place, value in of_kind.items():
            grid[place] = value
        return grid  # type: ignore[no-any-return]

    def distances(self, kind: str = "encoder") -> "npt.NDArray[np.float64]":
        """Of `similarity`: heads by heads, as :meth:`heads_of` orders them, the root of their divergence or the divergence
        itself, as `raw["distance"]` says."""
        np = needed("numpy", "distances()")
        of_kind = next((one for one in self.raw.get("kinds", []) if isinstance(one, dict) and one["kind"] == kind), None)
        if self.kind != "similarity" or of_kind is None:
            raise KeyError(f"there are no distances of {kind!r} in a result of {self.kind}")
        count = len(of_kind["heads"])
        matrix: Any = np.zeros((count, count), dtype=np.float64)
        matrix[np.triu_indices(count, 1)] = of_kind["divergences"]
        matrix += matrix.T
        return np.sqrt(matrix) if self.raw["distance"] == "root" else matrix  # type: ignore[no-any-return]

    def _column(self, given: Optional[str], rows: List[Json]) -> str:
        column = OLD_NAMES.get(given or "", given or "")
        if column and not any(column in row for row in rows):
            raise KeyError(f"the table has no column {given!r}; it has {', '.join(rows[0]) if rows else 'no rows'}")
        return column

    def _matters(self, column: str) -> str:
        """Which values of a column are of heads that matter."""
        for shown in (_SHOWN.get(self.kind), _ROWS_BY.get(self.kind)):
            if shown and shown.column == column:
                return shown.matters
        if column.split("_")[0] == "p":
            return "low"
        return {"delta": "loss", "difference": "size", "interaction": "size"}.get(column, "high")

    def top(self, n: int = 10, column: Optional[str] = None) -> "pd.DataFrame":
        """The n heads that matter most: those without which the score is worst (which scores are better is the
        result's), those that add most to it, whose effect is largest, or with the largest value of `column` (of a p the
        smallest). Of pairs and places the largest; of curves and examples the first n rows."""
        pd = needed("pandas", "top()")
        of_rows = _ROWS_BY.get(self.kind) if column is None else None
        rows = self.records() if of_rows or not self._heads() else self._head_rows()
        by = of_rows.column if of_rows else self._column(column, rows) or (self.shown if self._heads() else "")
        if by:
            matters = self._matters(by)
            sign = -1.0 if self.better == "lower" else 1.0

            def order(row: Json) -> Any:
                value = number(row.get(by))
                place = {"loss": sign * value, "gain": -sign * value, "size": -abs(value), "low": value}
                return math.isnan(value), place.get(matters, -value)

            rows = sorted(rows, key=order)
        return self._frame(pd, rows[:n]).reset_index(drop=True)

    # Examples

    def example_records(self) -> List[Json]:
        """The rows of :meth:`per_example` as dictionaries."""
        if self.raw.get("outputs"):
            rows = []
            for output in self.tables["outputs"]:
                texts = self.rows[output["index"]] if output["index"] < len(self.rows) else {}
                texts = {key: value for key, value in texts.items() if key != "tree"}
                rows.append({"index": output["index"], **texts, **output})
            return rows
        if self.kind == "mcnemar":
            return [
                {**parts_of(head["head"]), "index": index, "effect": effect}
                for head in self.raw["heads"]
                for effect in ("lost", "gained")
                for index in head.get(f"{effect}_examples", [])
            ]
        if self.kind in ("relevance", "takeover") and self.raw.get("sentences"):
            return [{"index": i, **sentence} for i, sentence in enumerate(self.raw["sentences"])]
        return []

    def per_example(self) -> "pd.DataFrame":
        """What was kept of single examples: of ``evaluate(outputs=True)`` and ``predict`` source, reference and output;
        of ``mcnemar(examples=True)`` the examples that each head decides; of ``relevance(sentences=True)`` and
        ``takeover(sentences=True)`` a row for each. Raises ValueError where nothing was."""
        pd = needed("pandas", "per_example()")
        rows = self.example_records()
        if not rows:
            raise ValueError(
                f"this result of {self.kind} keeps nothing of single examples. Those that do: evaluate(outputs=True), "
                "predict(), mcnemar(examples=True), relevance(sentences=True), takeover(sentences=True)."
            )
        return self._frame(pd, rows)

    def save(self, path: PathLike) -> Path:
        """Writes the JSON that ``headscope-cli`` writes, whole or not at all; :func:`headscope.load` reads it."""
        file = Path(path)
        half = file.with_name(f".{file.name}.{os.getpid()}.new")
        try:
            half.write_text(json.dumps(self.raw, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            half.replace(file)
        finally:
            if half.exists():
                half.unlink()
        return file

    # What it looks like

    def _cells(self, column: Optional[str] = None) -> _grid.Cells:
        rows = self._head_rows()
        by = self._column(column, rows) or self.shown
        cells: _grid.Cells = {}
        for row in rows:
            cells.setdefault(row["kind"], {})[row["layer"], row["head_number"]] = number(row.get(by))
        return cells

    def _signed(self, column: str) -> bool:
        return self._matters(column) in ("loss", "gain", "size")

    def _scale(self, cells: _grid.Cells, column: str) -> _grid.Scale:
        values = [value for kind in cells.values() for value in kind.values()]
        # Blue is what the score loses: where a value is what a head adds, or has no better side, low ones are.
        return _grid.Scale(values, self._signed(column), self._matters(column) == "loss" and self.better == "lower")

    def plot(self, kind: Optional[str] = None, *, column: Optional[str] = None, ax: Optional["Axes"] = None) -> "Axes":
        """Draws with matplotlib, in the window's colours, and returns the axes. Of heads the grid of one kind of
        attention (the first, unless `kind` says which; `column` of the table of heads, without it :attr:`shown`); of
        curves a line each, with intervals; of other tables bars. Raises KeyError for a kind that there is not."""
        plt = needed("matplotlib.pyplot", "plot()")
        if ax is None:
            _, ax = plt.subplots()
        assert ax is not None
        if column is None and kind is None and _plots.draw(self, ax):
            pass
        elif self._heads():
            self._plot_grid(kind, column, ax)
        else:
            raise KeyError(f"a result of {self.kind} has no heads; plot() without arguments draws what it has.")
        if not self.complete:
            ax.set_title(f"{ax.get_title()} (incomplete)".strip())
        return ax

    def _plot_grid(self, kind: Optional[str], column: Optional[str], ax: "Axes") -> None:
        colors = needed("matplotlib.colors", "plot()")
        column = self._column(column, self._head_rows()) or self.shown
        cells = self._cells(column)
        kind = kind or next(iter(cells))
        if kind not in cells:
            raise KeyError(f"the result has no heads of {kind!r}; it has {', '.join(cells)}")
        scale = self._scale(cells, column)
        steps = 255
        ramp = [scale.color(scale.low + (scale.high - scale.low) * step / steps) for step in range(steps + 1)]
        grid = self.to_numpy(kind, column)
        image = ax.imshow(
            grid,
            cmap=colors.ListedColormap(ramp).with_extremes(bad=_grid.MISSING),
            vmin=scale.low,
            vmax=scale.high,
            origin="lower",
        )
        ax.set_xlabel("head")
        ax.set_ylabel("layer")
        ax.set_xticks(range(grid.shape[1]))
        ax.set_yticks(range(grid.shape[0]))
        ax.set_title(f"{self._title(column)}, {kind}")
        if ax.figure is not None:
            ax.figure.colorbar(image, ax=ax)

    def _title(self, column: str) -> str:
        of_score = self._matters(column) in ("loss", "gain") and self.metric
        return f"{column} of {self.metric}" if of_score else column

    def _repr_html_(self) -> str:
        said = html.escape(self._said())
        if not self._heads() or not self.shown or self._is_prediction() or self.kind in _ROWS_BY:
            rows = self.records()[:12]
            columns = list(dict.fromkeys(key for row in rows for key in row))[:10]
            head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
            body = "".join(
                "<tr>" + "".join(f"<td>{html.escape(_cell(row.get(column)))}</td>" for column in columns) + "</tr>"
                for row in rows
            )
            return f"<div><p>{said}</p><table><tr>{head}</tr>{body}</table></div>"
        cells = self._cells()
        return f"<div><p>{said}</p>{_grid.svg(cells, self._scale(cells, self.shown), self._said())}</div>"

    def _said(self) -> str:
        metric = f", {self.metric} {self.score:.4g}" if self.metric and not math.isnan(self.score) else ""
        count = self.raw.get("examples")
        total = self.manifest.get("total_examples")
        examples = f", {count} examples" if count is not None else ""
        stopped = ""
        if not self.complete:
            of = f": {count} of {total} examples" if count is not None and total else ""
            stopped = f" (INCOMPLETE, interrupted{of})"
        shown = f": {self._title(self.shown)}" if self.shown else ""
        return f"{self.kind}{metric}{examples}{stopped}{shown}"

    def __repr__(self) -> str:
        return f"<headscope.Result {self._said()}>"


def _as_array(np: Any, values: List[Any]) -> Any:
    """Nested lists as an array, or as lists of arrays where they are ragged; null is NaN."""
    if values and isinstance(values[0], list):
        inner = [_as_array(np, one) for one in values]
        same = all(isinstance(one, np.ndarray) and one.shape == inner[0].shape for one in inner)
        return np.stack(inner) if same else inner
    return np.array([math.nan if one is None else one for one in values])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.5g}"
    text = "" if value is None else str(value)
    return text if len(text) <= 80 else text[:79] + "…"


class AttentionResult(Result):
    """Attention of every head on one sentence."""

    @classmethod
    def from_wire(cls, answer: Json, floats: bytes) -> "AttentionResult":
        """From the answer to ``attention/of`` and the 32-bit floats after it."""
        weights = array.array("f")
        weights.frombytes(floats)
        if sys.byteorder == "big":
            weights.byteswap()
        raw: Json = answer["attention"]
        used = 0
        for one, (queries, keys) in zip(raw["maps"], answer["shapes"]):
            one["queries"], one["keys"] = queries, keys
            rows = []
            for _ in range(queries):
                rows.append(list(weights[used : used + keys]))
                used += keys
            one["weights"] = rows
        return cls(raw)

    @property
    def heads(self) -> List[str]:
        """Addresses of the heads, in the result's order."""
        return [one["head"] for one in self.raw["maps"]]

    def _map(self, head: str) -> Json:
        for one in self.raw["maps"]:
            if one["head"] == head:
                found: Json = one
                return found
        raise KeyError(f"the model has no head {head!r}; AttentionResult.heads lists them")

    def weights(self, head: str) -> "npt.NDArray[np.float32]":
        """Queries by keys of one head (``"encoder.0.3"``), float32; rows sum to 1. Raises KeyError for another head."""
        np = needed("numpy", "weights()")
        return np.asarray(self._map(head)["weights"], dtype=np.float32)  # type: ignore[no-any-return]

    def tensor(self, kind: str = "encoder") -> "npt.NDArray[np.float32]":
        """All maps of one kind of attention: layers by heads by queries by keys, float32, NaN where a layer has fewer heads
        than another. Raises KeyError for a kind that there is not."""
        np = needed("numpy", "tensor()")
        maps = {one["head"]: one for one in self.raw["maps"] if one["head"].startswith(kind + ".")}
        if not maps:
            raise KeyError(f"there are no maps of {kind!r}")
        places = [parts_of(head) for head in maps]
        shape = [1 + max(place[part] for place in places) for part in ("layer", "head_number")]
        first = next(iter(maps.values()))
        whole: Any = np.full((*shape, first["queries"], first["keys"]), math.nan, dtype=np.float32)
        for place, one in zip(places, maps.values()):
            whole[place["layer"], place["head_number"]] = one["weights"]
        return whole  # type: ignore[no-any-return]

    def tokens(self, head: str) -> Dict[str, List[str]]:
        """The tokens of a head's rows (``"queries"``) and columns (``"keys"``)."""
        return {side: [token["text"] for token in tokens] for side, tokens in self._labels(head).items()}

    def _labels(self, head: str) -> Dict[str, List[Json]]:
        kind = head.split(".", maxsplit=1)[0]
        source, target = self.raw["source_tokens"], self.raw["target_tokens"]
        return {"queries": source if kind == "encoder" else target, "keys": target if kind == "decoder" else source}

    @property
    def tables(self) -> Dict[str, List[Json]]:
        """``maps``, a row for each head, query and key, and the tables of tokens."""
        return {"maps": self._weight_rows(), **{k: v for k, v in super().tables.items() if k != "maps"}}

    def _weight_rows(self) -> List[Json]:
        rows = []
        for one in self.raw["maps"]:
            labels = self._labels(one["head"])
            norms = one.get("value_norms")
            for query, weights in enumerate(one["weights"]):
                for key, weight in enumerate(weights):
                    asks, asked = labels["queries"][query], labels["keys"][key]
                    rows.append(
                        {
                            **parts_of(one["head"]),
                            "query": query,
                            "query_token": asks["text"],
                            "key": key,
                            "key_token": asked["text"],
                            "measure": self.raw.get("measure", "weights"),
                            "weight": weight,
                            "query_segment": asks["segment"],
                            "key_segment": asked["segment"],
                            "value_norm": norms[key] if norms else None,
                        }
                    )
        return rows

    def plot(self, kind: Optional[str] = None, *, column: Optional[str] = None, ax: Optional["Axes"] = None) -> "Axes":
        """The map of one head: `kind` is its address (``"encoder.0.3"``); without it the first."""
        plt = needed("matplotlib.pyplot", "plot()")
        colors = needed("matplotlib.colors", "plot()")
        head = kind or self.raw["maps"][0]["head"]
        if ax is None:
            _, ax = plt.subplots()
        assert ax is not None
        scale = _grid.Scale([0.0, 1.0], signed=False)
        ramp = [scale.color(step / 255) for step in range(256)]
        ax.imshow(self.weights(head), cmap=colors.ListedColormap(ramp), vmin=0, vmax=1)
        tokens = self.tokens(head)
        ax.set_xticks(range(len(tokens["keys"])), tokens["keys"], rotation=90)
        ax.set_yticks(range(len(tokens["queries"])), tokens["queries"])
        ax.set_title(head)
        return ax

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>"

    def _said(self) -> str:
        return f"attention of {len(self.raw['maps'])} heads on {self.raw['source']!r}"


def result_of(raw: Json) -> Result:
    """The view of a result's JSON."""
    return AttentionResult(raw) if raw.get("result") == "attention" else Result(raw)

"""What analyses give: the JSON of the core, and views of it for pandas, numpy and matplotlib."""

from __future__ import annotations

import array
import html
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from . import _grid
from ._client import Json
from ._data import PathLike

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

#: Columns by other names than in files: what tidy tables call them.
_COLUMNS = {"p_adjusted": "p_holm", "examples": "n"}
_FIRST = ["kind", "layer", "head", "delta", "importance", "ci_low", "ci_high", "p", "p_holm", "p_bh", "n"]
#: What of a head the grid shows, by kind of result; a star: signed, zero is neutral.
_SHOWN = {
    "ablate": "delta*",
    "importance": "importance",
    "confidence": "confidence",
    "relevance": "relevance",
    "roles": "confidence",
    "similarity": "entropy",
    "mcnemar": "lost",
    "compare": "difference*",
    "patch": "effect*",
    "shapley": "shapley*",
    "energy": "context",
    "coreference": "accuracy",
    "best-heads": "delta*",
}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else math.nan


def _head(address: str) -> Json:
    kind, layer, head = address.split(".")
    return {"kind": kind, "layer": int(layer), "head": int(head)}


def _plain(row: Json) -> Json:
    """What a cell of a table can hold."""
    return {
        _COLUMNS.get(key, key): math.nan if value is None and key != "role" else value
        for key, value in row.items()
        if not isinstance(value, (list, dict))
    }


class Result:
    """One result. `raw` is what files hold (core/results/FORMAT.md); everything else is a view of it."""

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.complete = True  #: False: interrupted; it rests on fewer examples than the data set has
        self.context: Optional[Json] = None  #: the model and data that it comes from, where they are known
        self.rows: List[Json] = []  #: texts of the examples, where outputs were kept

    @property
    def kind(self) -> str:
        """``"ablate"``, ``"importance"``, …"""
        return str(self.raw["result"])

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
        """The score that heads are judged by; empty where there is none."""
        return str(
            self.raw.get("metric") or self.raw.get("primary") or self.raw.get("baseline", {}).get("metric") or ""
        )

    @property
    def score(self) -> float:
        """The primary score of the model that was measured; NaN where the result has none."""
        if self.kind == "evaluate":
            return _number(self.raw["metrics"].get(self.raw["primary"]))
        if self.kind == "prune":
            return _number(self.raw["curve"][0]["score"]) if self.raw.get("curve") else math.nan
        return _number(self.raw.get("baseline", {}).get("score"))

    @property
    def better(self) -> str:
        """Which scores of the metric are: ``"higher"`` or ``"lower"``."""
        better = self.raw.get("better") or self.raw.get("baseline", {}).get("better") or "higher"
        return str(better.get(self.metric, "higher") if isinstance(better, dict) else better)

    @property
    def shown(self) -> str:
        """The column that :meth:`top`, :meth:`plot` and the grid show; empty: it has no heads."""
        return _SHOWN.get(self.kind, "").rstrip("*") if self._heads() else ""

    def _heads(self) -> List[Json]:
        heads = self.raw.get("heads") or (self.raw.get("layers") if self.kind == "best-heads" else None) or []
        return [head for head in heads if isinstance(head.get("head"), str)]

    def records(self) -> List[Json]:
        """The rows of :meth:`to_dataframe` as dictionaries."""
        maker: Callable[[], List[Json]] = {
            "evaluate": self._evaluation_records,
            "prune": self._curve_records,
            "search": self._search_records,
        }.get(self.kind, self._head_records)
        return maker()

    def _head_records(self) -> List[Json]:
        rows = []
        for head in self._heads():
            row = {**_head(head["head"]), **_plain({key: head[key] for key in head if key != "head"})}
            rows.append({key: row[key] for key in [*(c for c in _FIRST if c in row), *(c for c in row if c not in _FIRST)]})
        return rows

    def _evaluation_records(self) -> List[Json]:
        if self.manifest.get("spec", {}).get("resamples") == 0 and self.raw.get("outputs"):  # of predict()
            return self.example_records()
        rows = []
        for metric, score in self.raw["metrics"].items():
            interval = self.raw.get("intervals", {}).get(metric, {})
            rows.append(
                {
                    "metric": metric,
                    "score": _number(score),
                    "ci_low": _number(interval.get("ci_low")),
                    "ci_high": _number(interval.get("ci_high")),
                    "n": self.raw["examples"],
                }
            )
        return rows

    def _curve_records(self) -> List[Json]:
        return [
            {"order": curve["order"], "kinds": " ".join(curve.get("kinds", [])), **_plain(point)}
            for curve in self.raw["curves"]
            for point in curve["points"]
        ]

    def _search_records(self) -> List[Json]:
        return [
            {"way": way, **_plain(point), **_plain(point[way])}
            for point in self.raw["points"]
            for way in ("search", "rearranged", "rescaled")
        ]

    def to_dataframe(self) -> "pd.DataFrame":
        """A tidy table. Of heads: kind, layer, head, the value, ci_low, ci_high, p, p_holm, p_bh, n and what else there
        is; of curves a row for each point; of evaluations one for each metric; of predictions one for each example."""
        import pandas as pd

        return pd.DataFrame(self.records())

    def to_numpy(self, kind: str = "encoder", column: Optional[str] = None) -> "npt.NDArray[np.float64]":
        """Layers by heads of one kind of attention (encoder, cross, decoder), float64, NaN where there is no head or no
        number. `column`: of :meth:`to_dataframe`; without it :attr:`shown`. Raises KeyError for another kind."""
        import numpy as np

        cells = self._cells(column).get(kind)
        if cells is None:
            raise KeyError(f"the result has no heads of {kind!r}; it has {', '.join(self._cells(column)) or 'none'}")
        shape = 1 + max(layer for layer, _ in cells), 1 + max(head for _, head in cells)
        grid = np.full(shape, math.nan, dtype=np.float64)
        for place, value in cells.items():
            grid[place] = value
        return grid

    def distances(self, kind: str = "encoder") -> "npt.NDArray[np.float64]":
        """Of `similarity`: heads by heads, as :meth:`heads_of` orders them, the root of their divergence or the divergence
        itself, as `raw["distance"]` says."""
        import numpy as np

        of_kind = next((one for one in self.raw.get("kinds", []) if isinstance(one, dict) and one["kind"] == kind), None)
        if self.kind != "similarity" or of_kind is None:
            raise KeyError(f"there are no distances of {kind!r} in a result of {self.kind}")
        count = len(of_kind["heads"])
        matrix = np.zeros((count, count), dtype=np.float64)
        matrix[np.triu_indices(count, 1)] = of_kind["divergences"]
        matrix += matrix.T
        return np.sqrt(matrix) if self.raw["distance"] == "root" else matrix

    def heads_of(self, kind: str = "encoder") -> List[str]:
        """Addresses of the heads of a kind, in the result's order."""
        return [head["head"] for head in self._heads() if head["head"].startswith(kind + ".")]

    def top(self, n: int = 10, column: Optional[str] = None) -> "pd.DataFrame":
        """The n heads that matter most: by the largest loss of score, else by the largest value of `column`. Of a curve or
        of examples: the first n rows."""
        import pandas as pd

        rows = self.records()
        by = column or self.shown or ""
        if by:
            losses = self._signed(by)
            sign = 1 if losses and self.better == "higher" else -1
            rows.sort(key=lambda row: (math.isnan(_number(row.get(by))), sign * _number(row.get(by))))
        return pd.DataFrame(rows[:n]).reset_index(drop=True)

    def example_records(self) -> List[Json]:
        """The rows of :meth:`per_example` as dictionaries."""
        outputs = self.raw.get("outputs")
        if outputs:
            rows = []
            for output in sorted(outputs, key=lambda one: int(one["index"])):
                texts = self.rows[output["index"]] if output["index"] < len(self.rows) else {}
                rows.append({"index": output["index"], **{k: v for k, v in texts.items() if k != "tree"}, **output})
            return rows
        if self.kind == "mcnemar":
            return [
                {**_head(head["head"]), "index": index, "effect": effect}
                for head in self._heads()
                for effect in ("lost", "gained")
                for index in head.get(f"{effect}_examples", [])
            ]
        if self.kind == "relevance" and self.raw.get("sentences"):
            return [{"index": i, **sentence} for i, sentence in enumerate(self.raw["sentences"])]
        return []

    def per_example(self) -> "pd.DataFrame":
        """What was kept of single examples: of ``evaluate(outputs=True)`` and ``predict`` source, reference and output;
        of ``run("mcnemar", examples=True)`` the examples that each head decides; of ``relevance(sentences=True)`` their
        relevances. Raises ValueError where nothing was."""
        import pandas as pd

        rows = self.example_records()
        if not rows:
            raise ValueError(
                f"this result of {self.kind} keeps nothing of single examples. Those that do: evaluate(outputs=True), "
                "predict(), run('mcnemar', data, examples=True), relevance(sentences=True)."
            )
        return pd.DataFrame(rows)

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

    def _signed(self, column: str) -> bool:
        return column in ("delta", "difference") or _SHOWN.get(self.kind, "") == column + "*"

    def _cells(self, column: Optional[str] = None) -> _grid.Cells:
        column = column or self.shown
        cells: _grid.Cells = {}
        for row in self._head_records():
            cells.setdefault(row["kind"], {})[row["layer"], row["head"]] = _number(row.get(column))
        return cells

    def _scale(self, cells: _grid.Cells, column: str) -> _grid.Scale:
        values = [value for kind in cells.values() for value in kind.values()]
        return _grid.Scale(values, self._signed(column), self.better == "lower")

    def plot(self, kind: Optional[str] = None, *, column: Optional[str] = None, ax: Optional["Axes"] = None) -> "Axes":
        """Draws with matplotlib, in the window's colours, and returns the axes: the grid of one kind of attention (the
        first, unless `kind` says which), or curves with their intervals."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        if self.kind in ("prune", "search"):
            return self._plot_curves(ax)
        if not self._heads():
            raise ValueError(f"a result of {self.kind} has no heads or curve to draw.")
        column = column or self.shown
        cells = self._cells(column)
        kind = kind or next(iter(cells))
        if kind not in cells:
            raise KeyError(f"the result has no heads of {kind!r}; it has {', '.join(cells)}")
        from matplotlib.colors import ListedColormap

        scale = self._scale(cells, column)
        steps = 255
        colors = [scale.color(scale.low + (scale.high - scale.low) * step / steps) for step in range(steps + 1)]
        grid = self.to_numpy(kind, column)
        image = ax.imshow(
            grid, cmap=ListedColormap(colors).with_extremes(bad=_grid.MISSING), vmin=scale.low, vmax=scale.high
        )
        ax.set_xlabel("head")
        ax.set_ylabel("layer")
        ax.set_xticks(range(grid.shape[1]))
        ax.set_yticks(range(grid.shape[0]))
        ax.set_title(f"{self._title(column)}, {kind}")
        if ax.figure is not None:
            ax.figure.colorbar(image, ax=ax)
        return ax

    def _plot_curves(self, ax: "Axes") -> "Axes":
        name = "way" if self.kind == "search" else "order"
        rows = self.records()
        for curve in dict.fromkeys((row[name], row.get("kinds", "")) for row in rows):
            points = [row for row in rows if (row[name], row.get("kinds", "")) == curve]
            x = [row["pruned"] for row in points]
            (line,) = ax.plot(x, [row["score"] for row in points], marker="o", label=" ".join(curve).strip())
            low, high = [row["ci_low"] for row in points], [row["ci_high"] for row in points]
            ax.fill_between(x, low, high, alpha=0.15, color=line.get_color())
        ax.set_xlabel("heads removed")
        ax.set_ylabel(self.metric)
        ax.legend()
        return ax

    def _title(self, column: str) -> str:
        return f"{column} of {self.metric}" if self._signed(column) and self.metric else column

    def _repr_html_(self) -> str:
        said = html.escape(self._said())
        if not self._heads() or not self.shown:
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
        examples = f", {self.raw['examples']} examples" if "examples" in self.raw else ""
        stopped = "" if self.complete else " (interrupted: what was complete)"
        shown = f": {self._title(self.shown)}" if self.shown else ""
        return f"{self.kind}{metric}{examples}{stopped}{shown}"

    def __repr__(self) -> str:
        return f"<headscope.Result {self._said()}>"


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

    def weights(self, head: str) -> "npt.NDArray[np.float32]":
        """Queries by keys of one head (``"encoder.0.3"``), float32; rows sum to 1. Raises KeyError for another head."""
        import numpy as np

        for one in self.raw["maps"]:
            if one["head"] == head:
                return np.asarray(one["weights"], dtype=np.float32)
        raise KeyError(f"the model has no head {head!r}")

    def tokens(self, head: str) -> Dict[str, List[str]]:
        """The tokens of a head's rows (``"queries"``) and columns (``"keys"``)."""
        kind = head.split(".", maxsplit=1)[0]
        source = [token["text"] for token in self.raw["source_tokens"]]
        target = [token["text"] for token in self.raw["target_tokens"]]
        return {
            "queries": source if kind == "encoder" else target,
            "keys": target if kind == "decoder" else source,
        }

    def records(self) -> List[Json]:
        rows = []
        for one in self.raw["maps"]:
            tokens = self.tokens(one["head"])
            for query, weights in enumerate(one["weights"]):
                for key, weight in enumerate(weights):
                    rows.append(
                        {
                            **_head(one["head"]),
                            "query": query,
                            "query_token": tokens["queries"][query],
                            "key": key,
                            "key_token": tokens["keys"][key],
                            "weight": weight,
                        }
                    )
        return rows

    def plot(self, kind: Optional[str] = None, *, column: Optional[str] = None, ax: Optional["Axes"] = None) -> "Axes":
        """The map of one head: `kind` is its address (``"encoder.0.3"``); without it the first."""
        import matplotlib.pyplot as plt
        from matplotlib.colors import ListedColormap

        head = kind or self.raw["maps"][0]["head"]
        if ax is None:
            _, ax = plt.subplots()
        scale = _grid.Scale([0.0, 1.0], signed=False)
        colors = [scale.color(step / 255) for step in range(256)]
        ax.imshow(self.weights(head), cmap=ListedColormap(colors), vmin=0, vmax=1)
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

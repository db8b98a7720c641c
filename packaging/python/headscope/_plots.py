"""What plot() draws of results that are not a grid of heads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Tuple

from ._tables import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._results import Result

Json = Dict[str, Any]
_MOST_BARS = 20


def _curves(ax: "Axes", rows: List[Json], by: Tuple[str, ...], x: str, y: str) -> None:
    """A line for every combination of the columns `by`, with its interval where there is one."""
    for curve in dict.fromkeys(tuple(str(row.get(name, "")) for name in by) for row in rows):
        points = [row for row in rows if tuple(str(row.get(name, "")) for name in by) == curve]
        label = " ".join(part for part in curve if part)
        (line,) = ax.plot([row[x] for row in points], [number(row[y]) for row in points], marker="o", label=label)
        low = [number(row.get("ci_low")) for row in points]
        high = [number(row.get("ci_high")) for row in points]
        if not all(map(math.isnan, low)):
            ax.fill_between([row[x] for row in points], low, high, alpha=0.15, color=line.get_color())
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.legend()


def _bars(ax: "Axes", rows: List[Json], label: Callable[[Json], str], value: str) -> None:
    """Horizontal bars with their intervals, the first row on top."""
    shown = rows[:_MOST_BARS]
    places = list(range(len(shown)))
    values = [number(row.get(value)) for row in shown]
    ax.barh(places, values)
    for place, row, middle in zip(places, shown, values):
        low, high = number(row.get("ci_low")), number(row.get("ci_high"))
        if not math.isnan(low + high + middle):
            ax.plot([low, high], [place, place], color="black", linewidth=1)
    ax.set_yticks(places, [label(row) for row in shown])
    ax.invert_yaxis()
    ax.set_xlabel(value)
    if len(rows) > len(shown):
        ax.set_title(f"{len(shown)} of {len(rows)}")


def _prune(result: "Result", ax: "Axes") -> None:
    _curves(ax, result.records(), ("order", "kinds"), "pruned", "score")
    ax.set_xlabel("heads removed")
    ax.set_ylabel(result.metric)


def _search(result: "Result", ax: "Axes") -> None:
    _curves(ax, result.records(), ("way",), "pruned", "score")
    ax.set_xlabel("heads removed")
    ax.set_ylabel(result.metric)


def _dynamics(result: "Result", ax: "Axes") -> None:
    tables = result.tables
    if tables.get("checkpoints.curve"):
        _curves(ax, tables["checkpoints.curve"], ("checkpoint",), "pruned", "score")
        ax.set_xlabel("heads removed")
    else:
        _curves(ax, tables["checkpoints"], (), "number", "score")
        ax.set_xlabel("checkpoint")
    ax.set_ylabel(result.metric)


def _collaborate(result: "Result", ax: "Axes") -> None:
    _curves(ax, result.records(), ("method", "order"), "parameters", "score")
    ax.set_ylabel(result.metric)


def _energy(result: "Result", ax: "Axes") -> None:
    for row in result.arrays.get("layers.curves.energy", []):
        share = [100 * (i + 1) / len(row["values"]) for i in range(len(row["values"]))]
        ax.plot(share, [100 * value for value in row["values"]], label=f"{row['kind']} {row['layer']} {row['matrix']}")
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 100)
    ax.set_xlabel("% of the dimensions")
    ax.set_ylabel("% of the energy")
    ax.legend(fontsize="x-small")


def _evaluate(result: "Result", ax: "Axes") -> None:
    rows = result.tables.get("groups") or result.tables["metrics"]
    _bars(ax, rows, lambda row: str(row.get("group", row.get("metric"))), "score")


def _interactions(result: "Result", ax: "Axes") -> None:
    _bars(ax, result.tables["pairs"], lambda row: f"{row['head']} × {row['other']}", "interaction")
    ax.set_xlabel(f"interaction, {result.metric}")


def _find(result: "Result", ax: "Axes") -> None:
    _bars(ax, result.records(), lambda row: f"{row['index']}: {row['query_token']} → {row['key_token']}", "weight")


def _speed(result: "Result", ax: "Axes") -> None:
    def label(row: Json) -> str:
        return f"{row['contender']}, {row['lengths']}, {row['batch_size']}"

    _bars(ax, result.records(), label, "examples_per_second_mean")
    ax.set_xlabel("examples per second")


def _probe(result: "Result", ax: "Axes") -> None:
    _bars(ax, result.records(), lambda row: str(row["probe"]), "accuracy")
    ax.set_xlabel("unlabelled attachment score")


def _needed(result: "Result", ax: "Axes") -> None:
    rows = result.tables["heads"]
    rows = sorted(rows, key=lambda row: -number(row["keeping"]))
    _bars(ax, rows, lambda row: str(row["head"]), "keeping")
    ax.set_xlabel("sets that keep the output and have the head")


_DRAWN: Dict[str, Callable[["Result", "Axes"], None]] = {
    "prune": _prune,
    "search": _search,
    "dynamics": _dynamics,
    "collaborate": _collaborate,
    "energy": _energy,
    "evaluate": _evaluate,
    "interactions": _interactions,
    "find": _find,
    "speed": _speed,
    "probe": _probe,
    "needed": _needed,
}


def draw(result: "Result", ax: "Axes") -> bool:
    """Draws a result that is no grid of heads; False: it is one."""
    drawn = _DRAWN.get(result.kind)
    if drawn is not None:
        drawn(result, ax)
    return drawn is not None

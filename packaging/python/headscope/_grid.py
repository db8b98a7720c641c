"""The layer-by-head grid, in the window's colours (ui/heatmap/colorscale.cpp)."""

from __future__ import annotations

import html
import math
from typing import Dict, List, Sequence, Tuple

MISSING = "#d9dce0"
INK = "#1b1f24"
MUTED = "#5a636e"

_Lab = Tuple[float, float, float]


def _hue(lightness: float, chroma: float, degrees: float) -> _Lab:
    radians = math.radians(degrees)
    return lightness, chroma * math.cos(radians), chroma * math.sin(radians)


# Blue is worse, orange better.
_WORSE = (_hue(0.985, 0, 0), _hue(0.745, 0.100, 248), _hue(0.46, 0.140, 257))
_BETTER = (_hue(0.985, 0, 0), _hue(0.745, 0.125, 62), _hue(0.46, 0.120, 48))


def _hex(lab: _Lab) -> str:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )

    def byte(value: float) -> int:
        gamma: float = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
        return round(255 * min(1.0, max(0.0, gamma)))

    return "#" + "".join(f"{byte(max(0.0, value)):02x}" for value in linear)


def _mix(a: _Lab, b: _Lab, t: float) -> _Lab:
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t


def _round_step(span: float, at_most: int) -> float:
    rough = span / max(at_most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1.0, 2.0, 5.0):
        if factor * power >= rough * (1 - 1e-9):
            return factor * power
    return 10 * power


class Scale:
    """From values to colours. `signed`: zero is neutral, and losses are blue; else one even ramp."""

    def __init__(self, values: Sequence[float], signed: bool, lower_is_better: bool = False) -> None:
        finite = [value for value in values if math.isfinite(value)]
        low, high = min([0.0, *finite]), max([0.0, *finite])
        self.signed = signed
        self.lower_is_better = lower_is_better
        if low == high:
            self.low, self.high = (-1.0, 1.0) if signed else (0.0, 1.0)
            return
        step = _round_step(max(-low, high), 10)
        self.low, self.high = math.floor(low / step) * step, math.ceil(high / step) * step
        if signed:
            self.high = max(-self.low, self.high)
            self.low = -self.high

    def color(self, value: float) -> str:
        if math.isnan(value):
            return MISSING
        if not self.signed:
            return self._sequential(min(1.0, max(0.0, (value - self.low) / (self.high - self.low))))
        worse = value > 0 if self.lower_is_better else value < 0
        side = _WORSE if worse else _BETTER
        t = min(1.0, abs(value) / self.high)
        return _hex(_mix(side[0], side[1], 2 * t) if t < 0.5 else _mix(side[1], side[2], 2 * t - 1))

    @staticmethod
    def _sequential(t: float) -> str:
        room = min(1.0, max(0.0, t * (1.35 - t) * 2.2))
        return _hex(_hue(0.985 - 0.685 * t, 0.118 * room, 165 + 125 * t))


Cells = Dict[str, Dict[Tuple[int, int], float]]  #: kind -> (layer, head) -> value


def svg(cells: Cells, scale: Scale, title: str) -> str:
    """The grids of all kinds beside each other, one cell a head with its value as a tooltip."""
    size, gap, left, top = 18, 28, 26, 34
    parts: List[str] = []
    x = left
    height = top
    for kind, values in cells.items():
        layers = 1 + max(layer for layer, _ in values)
        heads = 1 + max(head for _, head in values)
        parts.append(f'<text x="{x}" y="{top - 18}" font-weight="bold">{html.escape(kind)}</text>')
        for head in range(heads):
            parts.append(
                f'<text x="{x + head * size + size / 2}" y="{top - 4}" text-anchor="middle" fill="{MUTED}">{head}</text>'
            )
        for layer in range(layers):
            y = top + (layers - 1 - layer) * size  # layer 0 at the bottom, as in the window
            parts.append(
                f'<text x="{x - 5}" y="{y + size / 2 + 4}" text-anchor="end" fill="{MUTED}">{layer}</text>'
            )
            for head in range(heads):
                if (layer, head) not in values:
                    continue
                value = values[layer, head]
                parts.append(
                    f'<rect x="{x + head * size}" y="{y}" width="{size - 1}" height="{size - 1}" '
                    f'fill="{scale.color(value)}"><title>{kind}.{layer}.{head}: {value:.4g}</title></rect>'
                )
        x += heads * size + gap
        height = max(height, top + layers * size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x}" height="{height + 6}" role="img" '
        f'aria-label="{html.escape(title, quote=True)}" font-family="sans-serif" font-size="11" fill="{INK}" '
        f'style="background:#ffffff">{"".join(parts)}</svg>'
    )

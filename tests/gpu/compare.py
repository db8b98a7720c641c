#!/usr/bin/env python3
"""Compares results of headscope-cli in two folders, file by file: which numbers differ, and by how much.

    compare.py EXPECTED FOUND

Numbers may differ by 1e-5 (relative above 1). Where results come from, and by which products they were made, is left
out. Ends with 1 if anything else differs, but for ranks of nearly equal numbers (Spearman's)."""
import json
import math
import pathlib
import sys

LEFT_OUT = {"manifest", "products"}
BY_RANKS = {"spearman"}
TOLERANCE = 1e-5


def load(path):
    text = path.read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def differences(expected, found, place=""):
    """(size, place, expected, found) of every value that differs."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            if name not in LEFT_OUT and not name.endswith("seconds"):
                yield from differences(value, found.get(name), f"{place}/{name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for i, (one, other) in enumerate(zip(expected, found)):
            yield from differences(one, other, f"{place}[{i}]")
    elif isinstance(expected, float) or (isinstance(expected, int) and isinstance(found, float)):
        difference = abs(expected - found) if isinstance(found, (int, float)) else math.inf
        if difference > TOLERANCE * max(1, abs(expected)):
            yield difference, place, expected, found
    elif expected != found:
        yield math.inf, place, expected, found


def main():
    expected, found = map(pathlib.Path, sys.argv[1:3])
    bad = False
    for path in sorted(expected.glob("*.json")):
        other = found / path.name
        if not other.exists():
            print(f"{path.stem}: missing")
            bad = True
            continue
        all_of_it = sorted(differences(load(path), load(other)), key=lambda one: -one[0])
        worst = "".join(f"; {place}: {a} and {b}" for _, place, a, b in all_of_it[:3])
        print(f"{path.stem}: {len(all_of_it) or 'nothing'} differs{worst}")
        bad = bad or any(place.rsplit("/", 1)[-1] not in BY_RANKS for _, place, _, _ in all_of_it)
    sys.exit(bad)


if __name__ == "__main__":
    main()

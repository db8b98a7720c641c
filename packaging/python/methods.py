"""Makes headscope/_analyses.py, a method of Model for every analysis, from what `headscope-cli describe` says of them and
from the tables of core/results/FORMAT.md.

    headscope-cli describe | python3 packaging/python/methods.py            writes the file
    headscope-cli describe | python3 packaging/python/methods.py --print    prints it
"""

import importlib.util
import json
import keyword
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# By itself: the package cannot be imported while the file that is made here is missing.
_spec = importlib.util.spec_from_file_location("_tables", HERE / "headscope" / "_tables.py")
_tables = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_tables)
MAIN = _tables.MAIN

WIDTH = 118
HEAD = '''"""A method for every analysis, with its options: made by packaging/python/methods.py from `headscope-cli describe`, the
core's own table. Do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from ._data import option_path

if TYPE_CHECKING:
    from typing import Literal

    from ._data import Dataset, PathLike
    from ._heads import Heads
    from ._results import Result

#: Options of every analysis (`headscope-cli ablate --help`, Computation); all others are an analysis's own.
RUN_OPTIONS = frozenset(
    (
        @RUN@
    )
)


class Analyses:
    """What can be asked of a model."""

    def _call(
        self,
        analysis: str,
        data: Optional[Dataset],
        options: Mapping[str, Any],
        second: Optional[Dataset] = None,
        beside: Optional[Mapping[str, Any]] = None,
    ) -> Result:
        raise NotImplementedError

    def _export_point(self, result: Result, folder: PathLike, at: Optional[int], form: str) -> None:
        raise NotImplementedError
'''
#: What the module offers beside the core's options: name, type, default, help.
MORE = {
    "evaluate": [("outputs", "bool", "False", "Keep every example's output, for Result.per_example().")],
    "prune": [
        ("export", "Optional[PathLike]", "None", "Write a model without the removed heads to this new folder."),
        ("export_at", "Optional[int]", "None", "Number of heads removed in it: a point of the curve."),
        ("export_form", 'Literal["full", "small"]', '"full"',
         "full: the original shape with the removed heads set to zero, which every library loads; small: without their "
         "rows and columns."),
    ],
}  # fmt: skip


def python_name(option):
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def is_path(option):
    return "FILE" in option.get("form", "") or "DIR" in option.get("form", "")


def annotation(option):
    kind = option["type"]
    literal = f"Literal[{', '.join(json.dumps(value) for value in option.get('values', []))}]"
    return {
        "heads": "Heads",
        "flag": "bool",
        "integer": "int",
        "number": "float",
        "bytes": "int",
        "text": "PathLike" if is_path(option) else "str",
        "choice": literal,
        "choices": f"Sequence[{literal}]",
        "integers": "Sequence[int]",
    }[kind]


def in_python(text):
    """Options by their names here: --fit-steps becomes `fit_steps`, but what stands in a command stays."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: f"`{python_name(found[1])}`", parts[i])
    return "".join(parts)


def bounds(option):
    said = []
    if option["type"] in ("integer", "number"):
        least, most = option.get("least"), option.get("most")
        usual = abs(least) < 1e300 if least is not None else False
        if usual and most is not None and most < 1e300:
            said.append(f"{least:,} to {most:,}")
        elif usual:
            said.append(f"at least {least:,}")
    default = option.get("default")
    if default not in (None, False, [], ""):
        said.append("default: " + (", ".join(map(str, default)) if isinstance(default, list) else str(default)))
    return f" ({'; '.join(said)})" if said else ""


def sentence(text):
    text = text.strip()
    return text if text.endswith((".", ")", '"')) else text + "."


def wrapped(text, indent):
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def inner_tables():
    """By kind of result the names of its lists of objects, as FORMAT.md has them."""
    page = (ROOT / "core" / "results" / "FORMAT.md").read_text(encoding="utf-8")
    found = {}
    for section in re.split(r'^### `"result": ', page, flags=re.MULTILINE)[1:]:
        kind = section.split('"')[1]
        rows = re.findall(r"^\| `([^`]+)`", section.split("\n### ")[0].split("\n## ")[0], flags=re.MULTILINE)
        names = {row.rsplit("[].", 1)[0].replace("[]", "") for row in rows if "[]." in row}
        found[kind] = sorted(names)
    return found


def parameters(entry, others, run):
    """(name, option of the core or None, type, default, help) of every argument behind the data."""
    found = []
    for one in [entry, *others]:
        if "second" in one:
            found.append((python_name(one["second"]["name"]), None, "Optional[Dataset]", "None", sentence(one["second"]["help"])))
    for option in entry["options"] + run:
        help = option["help"]
        if option["type"] in ("choice", "choices"):
            help = f"{'Some of' if option['type'] == 'choices' else 'One of'} {', '.join(option['values'])}. {help}"
        help = sentence(help) if not bounds(option) else re.sub(r"(?<!\.)\.$", "", help) + bounds(option) + "."
        found.append((python_name(option["name"]), option["name"], f"Optional[{annotation(option)}]", "None", help))
    for name, kind, default, help in MORE.get(entry["result"], []):
        found.append((name, None, kind, default, help))
    return found


def returned(entry, tables):
    kind = entry["result"]
    main = MAIN[kind][0]
    others = [name for name in tables.get(kind, []) if name != main and not name.startswith("manifest")]
    text = f'Of kind "{kind}", whose main table is ``{main}``'
    if len(MAIN[kind]) > 1:
        text += f" (where it is empty, ``{MAIN[kind][1]}``)"
    if others:
        text += f"; others that there may be: {', '.join(f'``{name}``' for name in others)}"
    return text + "."


def method(entry, others, run, tables):
    arguments = parameters(entry, others, run)
    name = python_name(entry["name"])
    data = ["        data: Dataset,"] if entry["needs_data"] else []
    lines = [f"    def {name}(", "        self,", *data, "        *,"]
    lines += [f"        {name}: {kind} = {default}," for name, _, kind, default, _ in arguments]
    lines += ["    ) -> Result:", wrapped('"""' + sentence(in_python(entry["summary"])), " " * 8), ""]
    if entry["footer"]:
        lines += [wrapped(sentence(in_python(" ".join(entry["footer"].split()))), " " * 8), ""]
    lines += ["        Parameters", "        ----------"]
    lines += ["        data", "            The data set."] if entry["needs_data"] else []
    for argument, _, _, _, help in arguments:
        lines += [f"        {argument}", wrapped(in_python(help), " " * 12)]
    lines += ["", "        Returns", "        -------", "        Result", wrapped(returned(entry, tables), " " * 12)]
    lines += ['        """']
    lines += ["        options = {"]
    paths = {option["name"] for option in entry["options"] if is_path(option)}
    for argument, option, _, _, _ in arguments:
        if option:
            lines.append(f'            "{option}": {f"option_path({argument})" if option in paths else argument},')
    lines += ["        }"]
    seconds = [(python_name(one["second"]["name"]), one["result"]) for one in [entry, *others] if "second" in one]
    if len(seconds) > 1:
        (first, own), (other, kind) = seconds
        lines += [f'        analysis = "{own}" if {other} is None else "{kind}"']
        lines += [f"        if {first} is not None and {other} is not None:"]
        lines += [f'            raise ValueError("give only one of {first} and {other}.")']
        call = f"analysis, data, options, {first} or {other}"
    else:
        call = f'"{entry["result"]}", {"data" if data else "None"}, options'
        call += f", {seconds[0][0]}" if seconds else ""
    if entry["result"] == "evaluate":
        call += ', beside={"outputs": True, "scores": True} if outputs else None'
    if entry["result"] == "prune":
        lines += [f"        result = self._call({call})", "        if export is not None:"]
        lines += ["            self._export_point(result, export, export_at, export_form)", "        return result"]
    else:
        lines += [f"        return self._call({call})"]
    return "\n".join(lines)


def module(described):
    """The text of the file."""
    tables = inner_tables()
    found = [HEAD.replace("@RUN@", "\n        ".join(f'"{option["name"]}",' for option in described["run"]))]
    for entry in described["analyses"]:
        if entry["has_command"]:
            others = [one for one in described["analyses"] if not one["has_command"] and one["name"] == entry["name"]]
            found.append(method(entry, others, described["run"], tables) + "\n")
    return "\n".join(found)


if __name__ == "__main__":
    text = module(json.load(sys.stdin))
    if "--print" in sys.argv:
        print(text, end="")
    else:
        (HERE / "headscope" / "_analyses.py").write_text(text, encoding="utf-8")

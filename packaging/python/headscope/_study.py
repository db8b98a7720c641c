"""Results on disk: files, studies, and the window that shows them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from ._client import BadInputError, HeadscopeError, Json, ResourceError
from ._data import Dataset, PathLike, cache_folder
from ._model import Model
from ._programs import ProgramError, check_window, environment, program
from ._results import Result, result_of

_FILES = ("source", "reference", "table", "conllu", "text")
#: Up to format version 1 the source of a data set was among the fields of its card, which are these.
_CARD = ("name", "hash", "rows", "mean_words", "source_hash", "reference_hash", "trees_hash", "pairs", "labels", "results")


class Study:
    """A study file: a model, one or two data sets, and their results."""

    def __init__(self, path: Path, raw: Json) -> None:
        self.path = path
        self.raw = raw
        self.results: List[Result] = []  #: those of both data sets
        folder = path.with_name(path.name + ".results")
        for domain in ("in", "out"):
            for key in raw.get("data", {}).get(domain, {}).get("results", []):
                file = folder / f"{key}.json"
                if file.is_file():
                    self.results.append(_read_result(file))

    def model(self, **options: Any) -> Model:
        """Opens the study's model; options as :meth:`Model.from_pretrained` has them."""
        folder = self.raw["model"]["folder"]
        beside = self.path.parent / folder
        return Model.from_pretrained(beside if beside.exists() else folder, **options)

    def data(self, domain: str = "in") -> Dataset:
        """The data set in the slot ``"in"`` or ``"out"``. Raises KeyError if that is empty."""
        slot = self.raw.get("data", {}).get(domain)
        if slot is None:
            raise KeyError(f"the study has no data set {domain!r}")
        origin = slot.get("origin")
        if origin is None:
            origin = {key: value for key, value in slot.items() if key not in _CARD}
            if "given_name" in origin:
                origin["name"] = origin.pop("given_name")
        known = dict(origin)
        for key in _FILES:
            if key in known:
                known[key] = str((self.path.parent / known[key]).absolute())
        if known.get("limit") == 0:
            del known["limit"]
        return Dataset(**known)

    def of_kind(self, kind: str) -> List[Result]:
        """The results of one kind: ``"ablate"``, ``"importance"``, …"""
        return [result for result in self.results if result.kind == kind]

    def __repr__(self) -> str:
        return f"<headscope.Study {self.path}, {len(self.results)} results>"


def _json(path: Path) -> Json:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} is no JSON: {error}") from None
    if not isinstance(raw, dict):
        raise BadInputError(f"{path} is neither a study nor a result of Headscope.")
    return raw


def _read_result(path: Path) -> Result:
    raw = _json(path)
    if "result" not in raw:
        raise BadInputError(f"{path} is neither a study nor a result of Headscope.")
    return result_of(raw)


def load(path: PathLike) -> Union[Study, Result]:
    """Reads a study (``NAME.headscope``) or a result (JSON of ``headscope-cli``, of a study, or of
    :meth:`Result.save`). Raises :class:`BadInputError` for another file, OSError where it cannot be read."""
    file = Path(path).expanduser()
    raw = _json(file)
    if raw.get("format") == "headscope-study":
        return Study(file.absolute(), raw)
    return _read_result(file)


def compare(a: Result, b: Result, *, seed: Optional[int] = None) -> Result:
    """Two results (``ablate``, ``importance``, ``confidence`` or ``relevance``) of one model, or of two checkpoints of one
    architecture, head by head, b minus a: correlations, overlap, and which heads differ, as ``headscope-cli compare``
    computes them. Raises :class:`BadInputError` for results that cannot be compared, incomplete ones among them."""
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        files = [str(result.save(Path(folder) / f"{name}.json")) for name, result in (("a", a), ("b", b))]
        words = ["compare", *files] + ([] if seed is None else ["--seed", str(seed)])
        return result_of(json.loads(_run_cli(words)))


def _run_cli(words: List[str]) -> str:
    try:
        command = [str(program("headscope-cli")), "--progress", "json", *words]
        done = subprocess.run(
            command, env=environment("headscope-cli"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
        )
    except ProgramError as error:
        raise ResourceError(str(error)) from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        message = said
        for line in said.splitlines():
            try:
                message = json.loads(line)["error"]
            except (ValueError, KeyError, TypeError):
                continue
        raise BadInputError(message) if done.returncode == 3 else HeadscopeError(message)
    return done.stdout.decode()


def save_study(path: PathLike, *results: Result) -> Path:
    """Writes results of one model, on one data set or two, as a study that the window and :func:`load` open. Files are
    named by their absolute paths. Raises ValueError for results of several models, of more than two data sets, or that
    were loaded from files, and so do not say where model and data are."""
    if not results:
        raise ValueError("a study needs results.")
    contexts = []
    for result in results:
        if result.context is None or "data" not in result.context:
            raise ValueError(
                f"{result!r} does not say where its model and data are: give results of a Model, or open the study that "
                "it lies in."
            )
        contexts.append(result.context)
    model = contexts[0]["model"]
    if any(context["model"]["weights_hash"] != model["weights_hash"] for context in contexts):
        raise ValueError("a study has one model; these results are of several.")
    slots: Dict[str, Json] = {}
    alone: List[str] = []  # of the model, whichever data are open
    for result, context in zip(results, contexts):
        data = context["data"]
        if not data:
            alone.append(result.key)
            continue
        slot = slots.setdefault(data["hash"], {**data, "results": []})
        if result.key not in slot["results"]:
            slot["results"].append(result.key)
    if not slots:
        raise ValueError("a study needs results of a data set; these are of the model alone.")
    first = next(iter(slots.values()))
    first["results"] += [key for key in alone if key not in first["results"]]
    if len(slots) > 2:
        raise ValueError("a study has at most two data sets; these results are of more.")
    options = contexts[0]["options"]
    raw = {
        "format": "headscope-study",
        "format_version": 2,
        "version": results[0].manifest.get("version", ""),
        "model": {**model, "device": options["device"], "dtype": options["dtype"]},
        "data": dict(zip(("in", "out"), slots.values())),
        "run": contexts[0]["run"],
        "mask": "",
    }
    file = Path(path).expanduser().absolute()
    folder = file.with_name(file.name + ".results")
    folder.mkdir(parents=True, exist_ok=True)
    for result in results:
        result.save(folder / f"{result.key}.json")
    half = file.with_name(f".{file.name}.{os.getpid()}.new")
    half.write_text(json.dumps(raw, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    half.replace(file)
    return file


def open_window(what: Union[Study, Result, Model, PathLike], *more: Result) -> "subprocess.Popen[bytes]":
    """Shows results of one model, a study, a model or a file in the window, and returns its process without waiting.
    Results are written as a study into the user's cache. Raises :class:`ResourceError` where the window cannot start."""
    if isinstance(what, Study):
        path = what.path
    elif isinstance(what, Model):
        path = Path(what.card["folder"])
    elif isinstance(what, Result):
        results = (what, *more)
        name = hashlib.sha256("".join(result.key for result in results).encode()).hexdigest()[:16]
        folder = cache_folder() / "studies"
        folder.mkdir(parents=True, exist_ok=True)
        path = save_study(folder / f"{name}.headscope", *results)
    else:
        path = Path(what).expanduser().absolute()
    try:
        variables = environment("headscope")
        if not (variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY") or variables.get("QT_QPA_PLATFORM")):
            raise ProgramError("there is no display for the window (DISPLAY and WAYLAND_DISPLAY are unset).")
        check_window(variables)
        return subprocess.Popen([str(program("headscope")), str(path)], env=variables, start_new_session=True)
    except ProgramError as error:
        raise ResourceError(str(error)) from None

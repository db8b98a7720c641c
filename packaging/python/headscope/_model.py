"""A model, and everything that can be asked of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union, overload

from ._analyses import RUN_OPTIONS, Analyses
from ._client import Answer, Client, Json, UsageError
from ._data import Dataset, PathLike
from ._heads import Heads, mask_text
from ._results import AttentionResult, Result, needed, result_of

if TYPE_CHECKING:
    import pandas as pd

Option = Any  #: of an analysis: text, number, yes or no, a list of them, a path


class Interrupted(KeyboardInterrupt):
    """Ctrl-C (or *Interrupt* of a notebook) stopped an analysis. `result` is what was complete by then, a
    :class:`Result` that says so, or None; it is :attr:`Model.interrupted`, too."""

    def __init__(self, result: Optional[Result]) -> None:
        kept = f"kept is {result!r} (Model.interrupted)" if result is not None else "nothing was complete"
        super().__init__(f"interrupted; {kept}")
        self.result = result


def _value(option: Option) -> Any:
    if isinstance(option, (str, int, float, bool)):
        return option
    if isinstance(option, Path):
        return str(option.expanduser().absolute())
    if hasattr(option, "item") and getattr(option, "ndim", 0) == 0:  # a number of numpy
        return option.item()
    return [_value(one) for one in option]


class _Session:
    """The process of a model, and which data it holds."""

    def __init__(self, folder: str, options: Json, progress: bool) -> None:
        self.client = Client(progress)
        self.options = options
        self.card = self.client.call("model/open", {"folder": folder, "options": options}).result
        self.data: Dict[str, Tuple[Dataset, int]] = {}
        self.cards: Dict[str, Json] = {}
        self.interrupted: Optional[Result] = None
        self.folder: Optional["tempfile.TemporaryDirectory[str]"] = None  #: of a model that was in memory

    def close(self) -> None:
        self.client.close()
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None

    def load(self, domain: str, data: Dataset, seed: Optional[int]) -> Json:
        source = dict(data.source)
        if seed is not None and "sample" in source:
            source["sample_seed"] = seed
        held = (data, source.get("sample_seed", 0))
        with self.client.together():
            if self.data.get(domain) != held:
                self.data.pop(domain, None)
                self.cards[domain] = self.client.call("data/set", {"domain": domain, "source": source}).result
                self.data[domain] = held
            return self.cards[domain]

    def clear(self, domain: str) -> None:
        if self.data.pop(domain, None) is not None:
            self.client.call("data/clear", {"domain": domain})

    def rows(self, count: int, first: int = 0) -> List[Json]:
        rows: List[Json] = []
        while len(rows) < count:
            asked = {"domain": "in", "from": first + len(rows), "count": min(5000, count - len(rows))}
            more = self.client.call("data/rows", asked).result["rows"]
            if not more:
                break
            rows += more
        return rows


class AttentionOfData(Sequence[AttentionResult]):
    """Attention on every example of a data set, from :meth:`Model.attention`. A result is computed when it is asked for:
    a data set has more weights than memory."""

    def __init__(self, model: "Model", data: Dataset, run: Json, own_output: bool) -> None:
        self._model = model
        self._data = data
        self._run = run
        self._own_output = own_output
        self._count: int = model._session.load("in", data, run.get("seed"))["rows"]

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> AttentionResult: ...

    @overload
    def __getitem__(self, index: slice) -> List[AttentionResult]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[AttentionResult, List[AttentionResult]]:
        """The example of a row, from 0. Raises IndexError."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        at = index + self._count if index < 0 else index
        if not 0 <= at < self._count:
            raise IndexError(f"there is no example {index}; the data set has {self._count}")
        session = self._model._session
        with session.client.together():  # the row is of these data
            session.load("in", self._data, self._run.get("seed"))
            (row,) = session.rows(1, at)
        beside = row.get("pair") if row.get("is_pair") else None
        if self._model.card["task"] == "translation" and not self._own_output:
            beside = row.get("reference")
        return self._model._attention(row["source"], beside, self._run, row.get("tree"))

    def __iter__(self) -> Iterator[AttentionResult]:
        return (self[at] for at in range(self._count))

    def to_dataframe(self, heads: Optional[Iterable[str]] = None) -> "pd.DataFrame":
        """The weights of all examples, those of `heads` or of all, with a column ``index``: of large data sets and models
        more than fits into memory."""
        pd = needed("pandas", "to_dataframe()")
        wanted = None if heads is None else set(heads)
        rows = [
            {"index": at, **row}
            for at, one in enumerate(self)
            for row in one.records()
            if wanted is None or row["head"] in wanted
        ]
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        return f"<headscope.AttentionOfData of {self._count} examples>"


class Model(Analyses):
    """A trained Transformer. Make one by :meth:`from_pretrained` or :meth:`from_transformers`; it is closed by
    :meth:`close`, at the end of a ``with`` block, or when it is no longer used. Every analysis is a method."""

    def __init__(self, session: _Session, mask: str = "") -> None:
        self._session = session
        self._mask = mask

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: PathLike,
        *,
        device: str = "auto",
        dtype: str = "f32",
        threads: int = 0,
        source_language: Optional[str] = None,
        target_language: Optional[str] = None,
        progress: bool = True,
    ) -> "Model":
        """Opens a folder in Hugging Face's layout, or the name of a model in its cache (``"org/name"``); nothing is
        downloaded.

        Parameters
        ----------
        name_or_path
            The folder or name.
        device
            ``"auto"``, ``"cpu"``, ``"cuda"``, ``"cuda:N"`` or ``"cuda:all"``.
        dtype
            ``"f32"`` or ``"bf16"``: number type of the computation.
        threads
            Of the processor; 0: one per core. It changes no byte of a result.
        source_language, target_language
            Codes of a multilingual model.
        progress
            Show bars of tqdm, where that is installed.

        Raises
        ------
        BadInputError
            The folder cannot be read; the message names the file.
        """
        path = Path(name_or_path).expanduser()
        options: Json = {"device": device, "dtype": dtype, "threads": threads}
        if source_language:
            options["source_language"] = source_language
        if target_language:
            options["target_language"] = target_language
        return cls(_Session(str(path.absolute()) if path.exists() else str(name_or_path), options, progress))

    @classmethod
    def from_transformers(cls, model: Any, tokenizer: Any, **options: Any) -> "Model":
        """Opens a model of transformers that is in memory, with its tokenizer: both are saved in a temporary folder
        (``save_pretrained``), which is removed when the model is closed. Results depend on its weights and not on where
        they lay, so they are found again.

        Parameters
        ----------
        model
            A ``PreTrainedModel``.
        tokenizer
            Its tokenizer.
        options
            As :meth:`from_pretrained` has them.
        """
        folder = tempfile.TemporaryDirectory(prefix="headscope-model-")
        try:
            model.save_pretrained(folder.name)
            tokenizer.save_pretrained(folder.name)
            opened = cls.from_pretrained(folder.name, **options)
        except BaseException:
            folder.cleanup()
            raise
        opened._session.folder = folder
        return opened

    # What it is

    @property
    def card(self) -> Json:
        """Family, task, parameters, heads, metrics, hashes: what ``headscope-cli inspect`` says."""
        return self._session.card

    @property
    def environment(self) -> Json:
        """Versions, processor and devices of the process that computes."""
        environment: Json = self._session.client.greeting["environment"]
        return environment

    @property
    def heads(self) -> List[str]:
        """Addresses of all heads: ``encoder.0.0`` …"""
        return [
            f"{block['kind']}.{layer}.{head}"
            for block in self.card["heads"]
            for layer, heads in enumerate(block["heads"])
            for head in heads
        ]

    @property
    def mask(self) -> List[str]:
        """Heads that are masked throughout."""
        return self._mask.split(",") if self._mask else []

    def masked(self, heads: Heads) -> "Model":
        """The same model (and process) without these heads, beside those that are masked already. `heads`: addresses
        (``["encoder.0.3"]``, ``"encoder.0.3,cross.1.0"``), or by kind of attention an array of layers by heads, True
        where a head is masked (``{"encoder": sweep.to_numpy("encoder") > 0}``)."""
        more = [head for head in mask_text(heads, self.heads).split(",") if head]
        for head in more:
            if head not in self.heads:
                raise UsageError(f"the model has no head {head}; Model.heads lists them.")
        return Model(self._session, ",".join(dict.fromkeys(self.mask + more)))

    @property
    def interrupted(self) -> Optional[Result]:
        """What was complete of the analysis that Ctrl-C stopped last; None: nothing."""
        return self._session.interrupted

    def __repr__(self) -> str:
        card = self.card
        without = f", without {len(self.mask)}" if self._mask else ""
        return f"<headscope.Model {card['family']}, {card['task']}, {len(self.heads)} heads{without}: {card['folder']}>"

    def close(self) -> None:
        """Ends the process, also that of :meth:`masked` models made from this one."""
        self._session.close()

    def __enter__(self) -> "Model":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    # What can be asked

    def run(self, analysis: str, data: Dataset, *, second: Optional[Dataset] = None, **options: Option) -> Result:
        """Any analysis by the name of its results (``"gradients"``, ``"mcnemar"``, …), with the options of its command,
        written with underscores. The methods do the same with their arguments documented: ``help(Model.gradients)``.
        `second` is the other data set, where the command takes one. Ctrl-C raises :class:`Interrupted`."""
        return self._run(analysis, data, second, {}, options)

    def _call(
        self,
        analysis: str,
        data: Optional[Dataset],
        options: Mapping[str, Option],
        second: Optional[Dataset] = None,
        beside: Optional[Mapping[str, Any]] = None,
    ) -> Result:
        if analysis == "best-heads" and not options.get("all_but_one"):
            raise UsageError("choose_on needs all_but_one=True: it chooses each layer's best head.")
        return self._run(analysis, data, second, dict(beside or {}), dict(options))

    def _run(
        self, analysis: str, data: Optional[Dataset], second: Optional[Dataset], beside: Json, options: Dict[str, Option]
    ) -> Result:
        named: Json = {}
        for name, value in options.items():
            if value is not None:
                of_core = name.rstrip("_").replace("_", "-")
                named[of_core] = mask_text(value, self.heads) if of_core in ("mask", "against") else _value(value)
        if self._mask:
            named["mask"] = ",".join([self._mask] + ([named["mask"]] if named.get("mask") else []))
        elif named.get("mask") == "":
            del named["mask"]
        run = {name: named.pop(name) for name in list(named) if name in RUN_OPTIONS}
        session = self._session
        seed = run.get("seed")
        with session.client.together():  # the data stay until the result is there
            card = session.load("in", data, seed) if data is not None else {}
            if second is not None:
                session.load("out", second, seed)
                beside = {**beside, "second": True}
            params: Json = {"domain": "in", "analysis": analysis, "run": run, "options": named, **beside}
            session.interrupted = None
            try:
                answer = session.client.call("analysis/run", params, partial=True)
            except KeyboardInterrupt:
                raise Interrupted(None) from None
            result = self._result(answer, card, run)
            if answer.interrupted:
                session.interrupted = result
                raise Interrupted(result)
            return result

    def _result(self, answer: Answer, card: Json, run: Json) -> Result:
        if not answer.complete:
            answer.result.setdefault("manifest", {})["partial"] = True
        result = result_of(answer.result)
        result.context = {"model": self.card, "options": self._session.options, "data": card, "run": run}
        if "outputs" in answer.result:
            result.rows = self._session.rows(card["rows"])
        return result

    def predict(self, data: Dataset, **options: Option) -> Result:
        """The model's output for every example; references are not needed. :meth:`Result.to_dataframe` has a row for
        each. `options`: those of every analysis (``beams``, ``max_length``, ``task``, …) and ``mask``."""
        return self._run("evaluate", data, None, {"outputs": True, "scores": True}, {"resamples": 0, **options})

    def export(self, folder: PathLike, *, form: str = "full", compensate_on: Optional[Dataset] = None) -> Json:
        """Writes the model without its masked heads (:meth:`masked`) as a folder of its own, and says what is left: heads,
        parameters, and which programs open it.

        Parameters
        ----------
        folder
            A new or empty folder.
        form
            ``"full"``: the original shape with the heads set to zero, which every library loads; ``"small"``: without
            their rows and columns.
        compensate_on
            The output biases take the removed heads' mean outputs over this data set.
        """
        params: Json = {"mask": self._mask, "form": form, "folder": str(Path(folder).expanduser().absolute())}
        with self._session.client.together():  # the data stay until it is written
            if compensate_on is not None:
                self._session.load("in", compensate_on, None)
                params["compensation"] = "in"
            return self._session.client.call("pruned/export", params).result

    def _export_point(self, result: Result, folder: PathLike, at: Optional[int], form: str) -> None:
        """Writes the model at the point of a pruning curve with `at` heads removed."""
        curves = result.raw["curves"]
        points = curves[0]["points"]
        known = ", ".join(str(point["pruned"]) for point in points)
        chosen = next((point for point in points if point["pruned"] == at), None)
        if len(curves) > 1 or curves[0].get("random_orders"):
            raise UsageError("export needs one order of heads: leave out each_kind, and order='random'.")
        if chosen is None:
            raise UsageError(f"export needs export_at, a point of the curve: it has points at {known} removed heads.")
        Model(self._session, chosen["mask"]).export(folder, form=form)

    @overload
    def attention(
        self,
        text: str,
        target: Optional[str] = None,
        *,
        own_output: bool = False,
        mask: Optional[Heads] = None,
        **options: Option,
    ) -> AttentionResult: ...

    @overload
    def attention(
        self,
        text: Dataset,
        target: None = None,
        *,
        own_output: bool = False,
        mask: Optional[Heads] = None,
        **options: Option,
    ) -> AttentionOfData: ...

    def attention(
        self,
        text: Union[str, Dataset],
        target: Optional[str] = None,
        *,
        own_output: bool = False,
        mask: Optional[Heads] = None,
        **options: Option,
    ) -> Union[AttentionResult, AttentionOfData]:
        """Attention of every head on one sentence, or on every example of a data set.

        Parameters
        ----------
        text
            A sentence, or a :class:`Dataset`.
        target
            Of a sentence: what a decoder is made to say (without it, the model's own output), or the second text of a
            pair.
        own_output
            Of a data set: a decoder is made to say the model's own output, not the references.
        mask
            Heads that are masked.
        options
            Those of every analysis: ``beams``, ``max_length``, …

        Returns
        -------
        AttentionResult or AttentionOfData
            Of a data set a sequence of results, each computed when it is asked for.
        """
        model = self if mask is None else self.masked(mask)
        run = {name.replace("_", "-"): _value(value) for name, value in options.items() if value is not None}
        if isinstance(text, Dataset):
            if target is not None:
                raise UsageError("a data set has its own targets: leave out target.")
            return AttentionOfData(model, text, run, own_output)
        return model._attention(text, target, run)

    def _attention(
        self, text: str, target: Optional[str], run: Json, tree: Optional[List[Json]] = None
    ) -> AttentionResult:
        params: Json = {"source": text, "mask": self._mask, "run": run}
        if target is not None:
            params["target"] = target
        if tree:
            params["tree"] = tree
        answer = self._session.client.call("attention/of", params)
        result = AttentionResult.from_wire(answer.result, answer.floats)
        result.context = {"model": self.card, "options": self._session.options}
        return result

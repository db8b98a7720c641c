"""A model, and everything that can be asked of it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Dict, Iterable, List, Optional, Tuple, Type, Union

from ._client import Answer, Client, Json, UsageError
from ._data import Dataset, PathLike
from ._results import AttentionResult, Result, result_of

Heads = Union[str, Iterable[str]]
Option = Union[str, int, float, bool, Iterable[str], Iterable[int]]

#: Options of every analysis (`headscope-cli ablate --help`, Computation); all others are an analysis's own.
RUN_OPTIONS = {
    "beams", "length-penalty", "max-length", "task", "metric", "batch-tokens", "seed", "products", "memory", "plain",
}  # fmt: skip


def mask_text(heads: Optional[Heads]) -> str:
    """Heads as the core writes them: ``"encoder.0.3,cross.2.1"``."""
    if heads is None:
        return ""
    return heads if isinstance(heads, str) else ",".join(heads)


def _value(option: Option) -> Any:
    if isinstance(option, (str, int, float, bool)):
        return option
    if isinstance(option, Path):
        return str(option.absolute())
    return list(option)


class _Session:
    """The process of a model, and which data it holds."""

    def __init__(self, folder: str, options: Json, progress: bool) -> None:
        self.client = Client(progress)
        self.options = options
        self.card = self.client.call("model/open", {"folder": folder, "options": options}).result
        self.data: Dict[str, Tuple[Dataset, int]] = {}
        self.cards: Dict[str, Json] = {}

    def load(self, domain: str, data: Dataset, seed: Optional[int]) -> Json:
        source = dict(data.source)
        if seed is not None and "sample" in source:
            source["sample_seed"] = seed
        held = (data, source.get("sample_seed", 0))
        if self.data.get(domain) != held:
            self.data.pop(domain, None)
            self.cards[domain] = self.client.call("data/set", {"domain": domain, "source": source}).result
            self.data[domain] = held
        return self.cards[domain]

    def clear(self, domain: str) -> None:
        if self.data.pop(domain, None) is not None:
            self.client.call("data/clear", {"domain": domain})

    def rows(self, count: int) -> List[Json]:
        rows: List[Json] = []
        while len(rows) < count:
            asked = {"domain": "in", "from": len(rows), "count": min(5000, count - len(rows))}
            more = self.client.call("data/rows", asked).result["rows"]
            if not more:
                break
            rows += more
        return rows


class Model:
    """A trained Transformer. Make one by :meth:`from_pretrained`; it is closed by :meth:`close`, at the end of a
    ``with`` block, or when it is no longer used."""

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
        """The same model (and process) without these heads, beside those that are masked already."""
        more = [head for head in mask_text(heads).split(",") if head]
        for head in more:
            if head not in self.heads:
                raise UsageError(f"the model has no head {head}; Model.heads lists them.")
        return Model(self._session, ",".join(dict.fromkeys(self.mask + more)))

    def __repr__(self) -> str:
        card = self.card
        without = f", without {len(self.mask)}" if self._mask else ""
        return f"<headscope.Model {card['family']}, {card['task']}, {len(self.heads)} heads{without}: {card['folder']}>"

    def close(self) -> None:
        """Ends the process, also that of :meth:`masked` models made from this one."""
        self._session.client.close()

    def __enter__(self) -> "Model":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    # What can be asked

    def run(self, analysis: str, data: Dataset, *, second: Optional[Dataset] = None, **options: Option) -> Result:
        """Any analysis by the name of its results (``"gradients"``, ``"mcnemar"``, …), with the options of its command,
        written with underscores: ``headscope-cli gradients --help``. `second` is the other data set, where the command
        takes one. Ctrl-C gives what is complete by then (`Result.complete` is False), or raises KeyboardInterrupt."""
        return self._run(analysis, data, second, {}, options)

    def _run(
        self, analysis: str, data: Dataset, second: Optional[Dataset], beside: Json, options: Dict[str, Option]
    ) -> Result:
        named = {name.replace("_", "-"): _value(value) for name, value in options.items() if value is not None}
        if self._mask:
            named["mask"] = ",".join([self._mask] + ([str(named["mask"])] if named.get("mask") else []))
        elif named.get("mask") == "":
            del named["mask"]
        run = {name: named.pop(name) for name in list(named) if name in RUN_OPTIONS}
        session = self._session
        seed = run.get("seed")
        with session.client.together():  # the data stay until the result is there
            card = session.load("in", data, seed)
            if second is not None:
                session.load("out", second, seed)
                beside = {**beside, "second": True}
            params: Json = {"domain": "in", "analysis": analysis, "run": run, "options": named, **beside}
            answer = session.client.call("analysis/run", params, partial=True)
            return self._result(answer, card, run, data)

    def _result(self, answer: Answer, card: Json, run: Json, data: Optional[Dataset]) -> Result:
        result = result_of(answer.result)
        result.complete = answer.complete
        result.context = {"model": self.card, "options": self._session.options, "data": card, "run": run}
        if data is not None and "outputs" in answer.result:
            result.rows = self._session.rows(card["rows"])
        return result

    def evaluate(
        self,
        data: Dataset,
        *,
        against: Optional[Heads] = None,
        outputs: bool = False,
        metric: Optional[str] = None,
        **options: Option,
    ) -> Result:
        """The model's score. `against` compares with the model without these heads (``""``: the full model) on the same
        examples; `outputs` keeps every output, for :meth:`Result.per_example`."""
        if against is not None:
            options["against"] = mask_text(against)
        if metric is not None:
            options["metric"] = metric
        return self._run("evaluate", data, None, {"outputs": True, "scores": True} if outputs else {}, options)

    def predict(self, data: Dataset, **options: Option) -> Result:
        """The model's output for every example; references are not needed. :meth:`Result.to_dataframe` has a row for
        each."""
        return self._run("evaluate", data, None, {"outputs": True, "scores": True}, {"resamples": 0, **options})

    def ablate(
        self,
        data: Dataset,
        *,
        all_but_one: bool = False,
        replace: Optional[str] = None,
        reference_on: Optional[Dataset] = None,
        resamples: Optional[int] = None,
        metric: Optional[str] = None,
        **options: Option,
    ) -> Result:
        """The score without each head in turn, with interval and tests. `replace`: ``"zero"``, ``"mean"`` or
        ``"resample"``, taken from `reference_on`."""
        given = {"replace": replace, "resamples": resamples, "metric": metric, "all_but_one": all_but_one or None}
        return self._run("ablate", data, reference_on, {}, _given(given, options))

    def importance(
        self, data: Dataset, *, reduction: Optional[str] = None, normalize: Optional[str] = None, **options: Option
    ) -> Result:
        """Importance of every head from gradients. `reduction`: token, example, batch or fisher; `normalize`: none,
        layer, global or bertology."""
        return self._run("importance", data, None, {}, _given({"reduction": reduction, "normalize": normalize}, options))

    def prune(
        self, data: Dataset, *, order: Optional[str] = None, order_on: Optional[Dataset] = None, **options: Option
    ) -> Result:
        """The score over the number of removed heads. `order`: importance, ablation, random, greedy or a file;
        `order_on`: the data set that the order is chosen on."""
        return self._run("prune", data, order_on, {}, _given({"order": order}, options))

    def search(self, data: Dataset, *, search_on: Optional[Dataset] = None, **options: Option) -> Result:
        """Masks found from gradients alone (Kwon et al. 2022), for every budget."""
        return self._run("search", data, search_on, {}, options)

    def roles(self, data: Dataset, *, corpus: Optional[PathLike] = None, **options: Option) -> Result:
        """What heads attend to: offsets, syntax (where the data have trees), rare words, patterns."""
        path = str(Path(corpus).expanduser().absolute()) if corpus is not None else None
        return self._run("roles", data, None, {}, _given({"corpus": path}, options))

    def relevance(self, data: Dataset, *, rule: Optional[str] = None, **options: Option) -> Result:
        """How much each head contributes to predictions, by layer-wise relevance propagation."""
        return self._run("relevance", data, None, {}, _given({"rule": rule}, options))

    def similarity(self, data: Dataset, *, distance: Optional[str] = None, **options: Option) -> Result:
        """Distances of every two heads by what they attend to, clusters, and what each attends to."""
        return self._run("similarity", data, None, {}, _given({"distance": distance}, options))

    def attention(self, text: str, target: Optional[str] = None, **options: Option) -> AttentionResult:
        """Attention of every head on one sentence. `target`: what a decoder is made to say (without it, the model's own
        output), or the second text of a pair."""
        run = {name.replace("_", "-"): _value(value) for name, value in options.items()}
        params: Json = {"source": text, "mask": self._mask, "run": run}
        if target is not None:
            params["target"] = target
        answer = self._session.client.call("attention/of", params)
        result = AttentionResult.from_wire(answer.result, answer.floats)
        result.context = {"model": self.card, "options": self._session.options}
        return result


def _given(named: Dict[str, Any], options: Dict[str, Option]) -> Dict[str, Option]:
    return {**{name: value for name, value in named.items() if value is not None}, **options}

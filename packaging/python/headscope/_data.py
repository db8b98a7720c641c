"""Data sets, as study files and the protocol name them."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

if TYPE_CHECKING:
    import pandas as pd

PathLike = Union[str, "os.PathLike[str]"]
Column = Union[str, int]  #: its name, or its number in a table without a header


def _absolute(path: Optional[PathLike]) -> Optional[str]:
    return None if path is None else str(Path(path).expanduser().absolute())


def option_path(value: Optional[PathLike]) -> Optional[str]:
    """A file that an option names, for a process in another folder. A word without a folder or an ending may be a name
    that the option knows, and stays."""
    if value is None:
        return None
    path = Path(value).expanduser()
    if isinstance(value, str) and (len(path.parts) == 1 and not path.suffix or not path.exists()):
        return value
    return str(path.absolute())


def cache_folder() -> Path:
    """Where this module keeps files of its own: a folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "headscope" / "python"


def _kept(content: str, ending: str) -> Path:
    """A file with this content in the user's cache, named by it: equal data share their results."""
    encoded = content.encode()
    folder = cache_folder() / "frames"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (hashlib.sha256(encoded).hexdigest()[:32] + ending)
    if not path.exists():
        half = path.with_suffix(f".{os.getpid()}.new")
        half.write_bytes(encoded)
        half.replace(path)
    return path


def _plain(value: Any) -> Any:
    """What JSON can hold: numbers of numpy as numbers, what is missing as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):  # of numpy
        return _plain(value.tolist())
    if value is None or isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, (str, int, float)):
        return value
    return str(value)


def _texts(values: Iterable[Any]) -> List[str]:
    if isinstance(values, str):
        raise ValueError("these are several texts: give a list, of one text [text].")
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is no text.")
    return found


class Dataset:
    """A data set: files and how they are read. It is read when a model first needs it."""

    def __init__(self, **fields: Any) -> None:
        """Fields of a data set's source as study files have them (core/results/FORMAT.md). The functions below name
        them in Python's way."""
        self.source: Dict[str, Any] = {key: value for key, value in fields.items() if value is not None}

    @classmethod
    def parallel(
        cls,
        source: PathLike,
        reference: Optional[PathLike] = None,
        *,
        trees: Optional[PathLike] = None,
        source_prefix: Optional[str] = None,
        bleu_tokenize: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """Lines of text and their translations. `trees`: CoNLL-U of the source; `limit`: the first so many examples;
        `sample`: so many drawn by the seed; `bleu_tokenize`: how BLEU cuts references into words, as in
        :meth:`from_texts`."""
        return cls(
            source=_absolute(source),
            reference=_absolute(reference),
            conllu=_absolute(trees),
            source_prefix=source_prefix,
            bleu_tokenize=bleu_tokenize,
            name=name,
            limit=limit,
            sample=sample,
        )

    @classmethod
    def table(
        cls,
        path: PathLike,
        *,
        text: Optional[str] = None,
        label: Optional[str] = None,
        pair: Optional[str] = None,
        label_map: Optional[str] = None,
        worse: Optional[str] = None,
        paradigm: Optional[str] = None,
        prompt: Optional[str] = None,
        cloze: bool = False,
        shots: Optional[int] = None,
        shots_file: Optional[PathLike] = None,
        header: bool = True,
        quoted: bool = False,
        trees: Optional[PathLike] = None,
        source_prefix: Optional[str] = None,
        bleu_tokenize: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """A table (.tsv, .csv, .jsonl). `text`, `label`, `pair`, `worse` and `paradigm` name columns; without them
        those with the usual names are taken. Questions for language models (ARC, HellaSwag, MMLU, BoolQ, or context,
        choices and answer) are recognised: `prompt` is a template with columns in braces, the first `shots` questions of
        `shots_file` stand before each with their answers, and `cloze` asks for the last word of texts. Prompts with
        `answers` (SQuAD's too) have the model write what follows. `label_map`: what labels mean to the model, ``"1=positive"``."""
        return cls(
            table=_absolute(path),
            text_column=text,
            label_column=label,
            pair_column=pair,
            label_map=label_map,
            worse_column=worse,
            paradigm_column=paradigm,
            prompt=prompt,
            cloze=cloze or None,
            shots=shots,
            shots_file=_absolute(shots_file),
            header=None if header else False,
            quoted=quoted or None,
            conllu=_absolute(trees),
            source_prefix=source_prefix,
            bleu_tokenize=bleu_tokenize,
            name=name,
            limit=limit,
            sample=sample,
        )

    @classmethod
    def text(
        cls,
        path: PathLike,
        *,
        unit: str = "line",
        stride: int = 0,
        window_predictions: str = "all",
        window_start: str = "none",
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """Running text for a language model. `unit`: what one text is (line, document, file)."""
        return cls(
            text=_absolute(path),
            text_unit=None if unit == "line" else unit,
            stride=stride or None,
            window_predictions=None if window_predictions == "all" else window_predictions,
            window_start=None if window_start == "none" else window_start,
            name=name,
            limit=limit,
            sample=sample,
        )

    @classmethod
    def conllu(
        cls,
        path: PathLike,
        reference: Optional[PathLike] = None,
        *,
        document_words: Optional[int] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """Sentences with dependency trees (CoNLL-U), or documents with coreference (CoNLL-2012)."""
        return cls(
            conllu=_absolute(path),
            reference=_absolute(reference),
            document_words=document_words,
            name=name,
            limit=limit,
            sample=sample,
        )

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        references: Optional[Iterable[str]] = None,
        *,
        labels: Optional[Iterable[Union[str, int, float]]] = None,
        running: bool = False,
        label_map: Optional[str] = None,
        source_prefix: Optional[str] = None,
        bleu_tokenize: Optional[str] = None,
        name: Optional[str] = None,
    ) -> "Dataset":
        """Texts in memory.

        Parameters
        ----------
        texts
            Sentences or texts, one for each example.
        references
            Of a translation model: a translation for each.
        labels
            Of a classifier: a label for each.
        running
            They are running text for a language model.
        label_map
            What labels mean to the model, ``"1=positive"``.
        source_prefix
            Stands before every text, as T5 wants it.
        bleu_tokenize
            How BLEU cuts references into words: ``"13a"``, ``"zh"``, ``"char"``, ``"none"`` or ``"flores200:FILE"``;
            without it as sacreBLEU does for the target language.
        name
            What results call the data set; without it ``"texts"``.
        """
        given = _texts(texts)
        if running:
            if references is not None or labels is not None:
                raise ValueError("running text has neither references nor labels.")
            return cls._running(given, name or "texts")
        if references is not None and labels is not None:
            raise ValueError("give either references or labels.")
        rows: List[Dict[str, Any]] = [{"text": text} for text in given]
        beside = references if references is not None else labels
        if beside is not None:
            values: List[Any] = list(beside) if references is None else list(_texts(references))
            if len(values) != len(rows):
                raise ValueError(f"there are {len(rows)} texts and {len(values)} references or labels.")
            for row, value in zip(rows, values):
                row["label"] = value
        return cls._of_rows(
            rows,
            text="text",
            pair="none",
            label="none" if beside is None else "label",
            label_map=label_map,
            source_prefix=source_prefix,
            bleu_tokenize=bleu_tokenize,
            name=name or "texts",
        )

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[Tuple[str, str]],
        *,
        meaning: str = "translation",
        labels: Optional[Iterable[Union[str, int, float]]] = None,
        label_map: Optional[str] = None,
        source_prefix: Optional[str] = None,
        bleu_tokenize: Optional[str] = None,
        name: Optional[str] = None,
    ) -> "Dataset":
        """Pairs of texts in memory.

        Parameters
        ----------
        pairs
            Two texts each.
        meaning
            ``"translation"``: a source and its reference; ``"texts"``: two texts that a classifier reads together;
            ``"minimal"``: a sentence and one that should be less likely (or, for patching, a clean and a corrupt text).
        labels
            Of ``"texts"``: a label for each.
        label_map
            What labels mean to the model, ``"1=positive"``.
        source_prefix
            Stands before every source, as T5 wants it.
        bleu_tokenize
            Of translations: as in :meth:`from_texts`.
        name
            What results call the data set; without it ``"pairs"``.
        """
        second = {"translation": "reference", "texts": "pair", "minimal": "worse"}
        if meaning not in second:
            raise ValueError(f"there are no pairs that are {meaning!r}; meaning is one of {', '.join(second)}.")
        if labels is not None and meaning != "texts":
            raise ValueError("labels go with meaning='texts'.")
        rows: List[Dict[str, Any]] = []
        for pair in pairs:
            first, other = pair
            rows.append({"text": first, second[meaning]: other})
        if labels is not None:
            values = list(labels)
            if len(values) != len(rows):
                raise ValueError(f"there are {len(rows)} pairs and {len(values)} labels.")
            for row, value in zip(rows, values):
                row["label"] = value
        return cls._of_rows(
            rows,
            text="text",
            pair="pair" if meaning == "texts" else "none",
            label="label" if labels is not None else "reference" if meaning == "translation" else "none",
            worse="worse" if meaning == "minimal" else "none",
            label_map=label_map,
            source_prefix=source_prefix,
            bleu_tokenize=bleu_tokenize,
            name=name or "pairs",
        )

    @classmethod
    def from_pandas(
        cls,
        frame: "pd.DataFrame",
        *,
        text: Optional[Column] = None,
        label: Optional[Column] = None,
        pair: Optional[Column] = None,
        label_map: Optional[str] = None,
        worse: Optional[Column] = None,
        paradigm: Optional[Column] = None,
        source_prefix: Optional[str] = None,
        bleu_tokenize: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """A frame of pandas: a classifier's texts and labels, or (as `text` and `label`) sources and references of a
        translation model. Columns are given by their names, of a frame without a header by their numbers. Without
        `text` the columns with the usual names are taken. It is written as JSON Lines into the user's cache under the
        name of its content, so that results of an equal frame are found again. Raises KeyError for a column that there
        is not."""
        columns = list(frame.columns)
        rows = [dict(zip(map(str, columns), values)) for values in frame.itertuples(index=False, name=None)]
        return cls._of_table(
            rows,
            columns,
            "frame",
            {"text": text, "label": label, "pair": pair, "worse": worse, "paradigm": paradigm},
            label_map=label_map,
            source_prefix=source_prefix,
            bleu_tokenize=bleu_tokenize,
            name=name or "frame",
            limit=limit,
            sample=sample,
        )

    @classmethod
    def from_datasets(
        cls,
        data: Iterable[Mapping[str, Any]],
        *,
        text: Optional[Column] = None,
        label: Optional[Column] = None,
        pair: Optional[Column] = None,
        languages: Optional[Tuple[str, str]] = None,
        label_map: Optional[str] = None,
        worse: Optional[Column] = None,
        paradigm: Optional[Column] = None,
        source_prefix: Optional[str] = None,
        bleu_tokenize: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """A split of Hugging Face's ``datasets``, or any iterable of rows that are dictionaries; columns as in
        :meth:`from_pandas`. `languages`: of rows with a dictionary ``translation``, the codes of source and target
        (``("en", "fr")``). Raises KeyError for a column that there is not."""
        rows = [dict(row) for row in data]
        if languages is not None:
            source, target = languages
            rows = [{"text": row["translation"][source], "reference": row["translation"][target]} for row in rows]
            text, label, pair = "text", "reference", "none"
        columns = list(dict.fromkeys(key for row in rows for key in row))
        return cls._of_table(
            rows,
            columns,
            "data set",
            {"text": text, "label": label, "pair": pair, "worse": worse, "paradigm": paradigm},
            label_map=label_map,
            source_prefix=source_prefix,
            bleu_tokenize=bleu_tokenize,
            name=name or "datasets",
            limit=limit,
            sample=sample,
        )

    @classmethod
    def _of_table(
        cls,
        rows: List[Dict[str, Any]],
        columns: List[Any],
        what: str,
        chosen: Dict[str, Optional[Column]],
        **options: Any,
    ) -> "Dataset":
        known = list(map(str, columns))
        for column in chosen.values():
            if column is not None and column != "none" and str(column) not in known:
                raise KeyError(f"the {what} has no column {column!r}; it has {', '.join(known)}")
        if not any(isinstance(column, str) for column in columns) and chosen["text"] is None:
            raise KeyError(f"the columns of the {what} have no names: say which is the text, text={columns[0]!r}")
        named = {role: None if column is None else str(column) for role, column in chosen.items()}
        return cls._of_rows(rows, **named, **options)

    @classmethod
    def _of_rows(cls, rows: List[Dict[str, Any]], **options: Any) -> "Dataset":
        lines = [json.dumps(_plain(row), ensure_ascii=False) + "\n" for row in rows]
        return cls.table(_kept("".join(lines), ".jsonl"), **options)

    @classmethod
    def _running(cls, texts: List[str], name: str) -> "Dataset":
        """Texts as documents, between which there is an empty line."""
        if len(texts) == 1:
            return cls.text(_kept(texts[0], ".txt"), unit="file", name=name)
        for text in texts:
            if not text.strip() or any(not line.strip() for line in text.strip().splitlines()):
                raise ValueError("texts of several may not be empty, nor have empty lines in them, which end a text.")
        return cls.text(_kept("\n\n".join(text.strip() for text in texts) + "\n", ".txt"), unit="document", name=name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dataset) and self.source == other.source

    def __hash__(self) -> int:
        return hash(repr(sorted(self.source.items())))

    def __repr__(self) -> str:
        return f"Dataset({', '.join(f'{key}={value!r}' for key, value in self.source.items())})"

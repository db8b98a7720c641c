"""Data sets, as study files and the protocol name them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Optional, Union

if TYPE_CHECKING:
    import pandas as pd

PathLike = Union[str, "os.PathLike[str]"]


def _absolute(path: Optional[PathLike]) -> Optional[str]:
    return None if path is None else str(Path(path).expanduser().absolute())


def cache_folder() -> Path:
    """Where this module keeps files of its own: a folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "headscope" / "python"


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
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """Lines of text and their translations. `trees`: CoNLL-U of the source; `limit`: the first so many examples;
        `sample`: so many drawn by the seed."""
        return cls(
            source=_absolute(source),
            reference=_absolute(reference),
            conllu=_absolute(trees),
            source_prefix=source_prefix,
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
        header: bool = True,
        quoted: bool = False,
        trees: Optional[PathLike] = None,
        source_prefix: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """A table (.tsv, .csv, .jsonl). `text`, `label`, `pair`, `worse` and `paradigm` name columns; without them
        those with the usual names are taken. `label_map`: what labels mean to the model, ``"1=positive"``."""
        return cls(
            table=_absolute(path),
            text_column=text,
            label_column=label,
            pair_column=pair,
            label_map=label_map,
            worse_column=worse,
            paradigm_column=paradigm,
            header=None if header else False,
            quoted=quoted or None,
            conllu=_absolute(trees),
            source_prefix=source_prefix,
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
    def from_pandas(
        cls,
        frame: "pd.DataFrame",
        *,
        text: Optional[str] = None,
        label: Optional[str] = None,
        pair: Optional[str] = None,
        label_map: Optional[str] = None,
        worse: Optional[str] = None,
        paradigm: Optional[str] = None,
        source_prefix: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        sample: Optional[int] = None,
    ) -> "Dataset":
        """A frame of pandas: a classifier's texts and labels, or (as `text` and `label`) sources and references of a
        translation model. It is written as JSON Lines into the user's cache under the name of its content, so that
        results of an equal frame are found again."""
        for column in (text, label, pair, worse, paradigm):
            if column is not None and column != "none" and column not in frame.columns:
                raise KeyError(f"the frame has no column {column!r}; it has {', '.join(map(str, frame.columns))}")
        content = frame.to_json(orient="records", lines=True, force_ascii=False) or ""
        if content and not content.endswith("\n"):
            content += "\n"
        encoded = content.encode()
        folder = cache_folder() / "frames"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (hashlib.sha256(encoded).hexdigest()[:32] + ".jsonl")
        if not path.exists():
            half = path.with_suffix(f".{os.getpid()}.new")
            half.write_bytes(encoded)
            half.replace(path)
        return cls.table(
            path,
            text=text,
            label=label,
            pair=pair,
            label_map=label_map,
            worse=worse,
            paradigm=paradigm,
            source_prefix=source_prefix,
            name=name or "frame",
            limit=limit,
            sample=sample,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dataset) and self.source == other.source

    def __hash__(self) -> int:
        return hash(repr(sorted(self.source.items())))

    def __repr__(self) -> str:
        return f"Dataset({', '.join(f'{key}={value!r}' for key, value in self.source.items())})"

"""Heads as somebody names them, and as the core does: ``"encoder.0.3,cross.2.1"``."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from ._client import UsageError

#: Addresses, or by kind of attention an array of layers by heads that is True where a head is meant.
Heads = Union[str, Iterable[str], Mapping[str, Any]]


def _rows(array: Any, name: str) -> List[List[bool]]:
    rows = array.tolist() if hasattr(array, "tolist") else [list(row) for row in array]
    for row in rows:
        if not isinstance(row, list) or not all(isinstance(one, bool) for one in row):
            raise UsageError(
                f"the mask of {name} is no array of layers by heads of True and False. True is a head that is masked; of an "
                "array in which 1 is a head that stays, as transformers' head_mask, give array == 0."
            )
    return [list(row) for row in rows]


def _of_arrays(arrays: Mapping[str, Any], known: Sequence[str]) -> List[str]:
    heads = []
    for kind, array in arrays.items():
        if not any(head.startswith(f"{kind}.") for head in known):
            kinds = ", ".join(dict.fromkeys(head.split(".")[0] for head in known))
            raise UsageError(f"the model has no attention of {kind!r}; it has {kinds}.")
        for layer, row in enumerate(_rows(array, kind)):
            heads += [f"{kind}.{layer}.{head}" for head, masked in enumerate(row) if masked]
    return heads


def mask_text(heads: Optional[Heads], known: Sequence[str] = ()) -> str:
    """As the core writes heads. `known`: those of the model. Raises :class:`UsageError` for what is no mask."""
    if heads is None:
        return ""
    if isinstance(heads, str):
        return heads
    if isinstance(heads, Mapping):
        return ",".join(_of_arrays(heads, known))
    if getattr(heads, "ndim", 1) == 2:
        kinds = list(dict.fromkeys(head.split(".")[0] for head in known))
        if len(kinds) != 1:
            raise UsageError(f"the model has several kinds of attention: give an array for each, {{{kinds[0]!r}: …}}.")
        return ",".join(_of_arrays({kinds[0]: heads}, known))
    found = list(heads)
    if not all(isinstance(head, str) for head in found):
        raise UsageError(f"{found[:3]!r} … are no heads: give addresses such as 'encoder.0.3', or arrays by kind.")
    return ",".join(found)

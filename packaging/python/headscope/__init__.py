"""What the attention heads of a trained Transformer do, and which of them are needed.

A thin, typed door to Headscope's native programs: every :class:`Model` is one process ``headscope-cli serve``, which
computes what the window and the command line compute, with the same keys and the same cache. Nothing here needs torch.

>>> import headscope as hs
>>> model = hs.Model.from_pretrained("Helsinki-NLP/opus-mt-en-fr")
>>> data = hs.Dataset.parallel("test.en", "test.fr", limit=200)
>>> result = model.ablate(data)
>>> result.top(5)
"""

from ._client import BadInputError, HeadscopeError, ResourceError, UsageError
from ._data import Dataset
from ._model import AttentionOfData, Interrupted, Model
from ._programs import version
from ._results import AttentionResult, Result
from ._study import Study, compare, load, save_study
from ._study import open_window as open  # noqa: A001 - headscope.open(result)

__version__ = version()

__all__ = [
    "AttentionOfData",
    "AttentionResult",
    "BadInputError",
    "Dataset",
    "HeadscopeError",
    "Interrupted",
    "Model",
    "ResourceError",
    "Result",
    "Study",
    "UsageError",
    "compare",
    "load",
    "open",
    "save_study",
]

"""What the tests of the Python module share: the demo's model and data, read by the programs that were built."""

import os
from pathlib import Path

import pytest

import headscope as hs

ROOT = Path(os.environ.get("HEADSCOPE_SOURCE_DIR", Path(__file__).resolve().parents[2]))
DEMO = ROOT / "resources" / "demo"


@pytest.fixture(scope="session")
def model():
    with hs.Model.from_pretrained(DEMO / "training" / "epoch-006", progress=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def data():
    return hs.Dataset.parallel(DEMO / "corpus" / "in_domain.en", DEMO / "corpus" / "in_domain.fr", limit=20)


@pytest.fixture(scope="session")
def sweep(model, data):
    return model.ablate(data, seed=3)

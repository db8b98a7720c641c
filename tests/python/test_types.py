import subprocess
import sys

import pytest
from conftest import ROOT


def test_mypy_strict(tmp_path):
    pytest.importorskip("mypy")
    pytest.importorskip("pandas")
    folder = ROOT / "packaging" / "python"
    checked = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "headscope"]
    done = subprocess.run(checked, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

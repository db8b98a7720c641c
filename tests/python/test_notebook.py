"""The notebook of the guide runs from its first cell to its last, and is that of the page."""

import ast
import importlib.util
import shutil

import pytest
from conftest import DEMO, ROOT

GUIDE = ROOT / "resources" / "guide"
_spec = importlib.util.spec_from_file_location("notebook", ROOT / "packaging" / "python" / "notebook.py")
maker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(maker)


@pytest.fixture
def page():
    return (GUIDE / "python.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(DEMO, tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_notebook_is_that_of_the_page(page):
    written = (GUIDE / "python.ipynb").read_text(encoding="utf-8")
    assert written == maker.notebook(page), "run packaging/python/notebook.py"


def run(cell, names):
    """As a notebook does: the value of a last line that is an expression is shown."""
    tree = ast.parse(cell)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return ""
    value = eval(compile(last, "cell", "eval"), names)
    shown = getattr(value, "_repr_html_", None)
    return shown() if shown else repr(value)


def test_its_cells_run(page, folder):
    pytest.importorskip("pandas")
    names = {}
    shown = [run(cell, names) for cell in maker.cells(page)]
    assert shown[2].count("<rect ") == 72  # the grid of the sweep
    assert names["cross"].min() == names["worst"].delta[0]
    assert len(names["roles"]) == 72
    assert 0 < names["difference"].raw["spearman"]["value"] < 1


def test_a_kernel_runs_it(folder):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    read = nbformat.read(GUIDE / "python.ipynb", as_version=4)
    done = nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in outputs)

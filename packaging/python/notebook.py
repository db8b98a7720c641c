"""Makes resources/guide/python.ipynb from the guide page python.md: blocks of Python become cells, the text between them
stands in cells of text.

    python3 packaging/python/notebook.py            writes the notebook
    python3 packaging/python/notebook.py --cells    prints the code alone
"""

import json
import re
import sys
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "resources" / "guide"
_BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def parts(page):
    """The page in order: ("markdown" or "code", its text)."""
    found = []
    for index, text in enumerate(_BLOCK.split(page)):
        if text.strip():
            found.append(("code" if index % 2 else "markdown", text.strip()))
    return found


def cells(page):
    """The code of every cell."""
    return [text for kind, text in parts(page) if kind == "code"]


def notebook(page):
    """The notebook as the text of its file."""
    made = []
    for number, (kind, text) in enumerate(parts(page)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        made.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    text = (GUIDE / "python.md").read_text(encoding="utf-8")
    if "--cells" in sys.argv:
        print("\n\n".join(cells(text)))
    else:
        (GUIDE / "python.ipynb").write_text(notebook(text), encoding="utf-8")

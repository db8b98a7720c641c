"""The module's methods are made from the core's table of analyses."""

import importlib.util
import inspect
import json
import re
import subprocess

import pytest
from conftest import ROOT

import headscope as hs
from headscope import _programs

FOLDER = ROOT / "packaging" / "python"
_spec = importlib.util.spec_from_file_location("methods", FOLDER / "methods.py")
maker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(maker)


@pytest.fixture(scope="module")
def described():
    done = subprocess.run([_programs.program("headscope-cli"), "describe"], capture_output=True, check=True)
    return json.loads(done.stdout)


def test_the_file_is_what_the_core_says(described):
    written = (FOLDER / "headscope" / "_analyses.py").read_text(encoding="utf-8")
    assert written == maker.module(described), "headscope-cli describe | python3 packaging/python/methods.py"


def test_every_option_is_an_argument_with_help(described):
    checked = 0
    for entry in described["analyses"]:
        method = getattr(hs.Model, entry["name"])
        known = inspect.signature(method).parameters
        assert all(one.annotation is not inspect.Parameter.empty for name, one in known.items() if name != "self")
        assert inspect.signature(method).return_annotation == "Result"
        for option in entry["options"] + described["run"]:
            name = maker.python_name(option["name"])
            assert name in known and f"\n        {name}\n" in method.__doc__, f"{entry['name']}: {name}"
            for value in option.get("values", []):
                assert value in method.__doc__ and value in str(known[name].annotation)
            checked += 1
    assert checked > 200


def test_nothing_in_help_speaks_of_dashes(described):
    for entry in described["analyses"]:
        outside = "".join(getattr(hs.Model, entry["name"]).__doc__.split("`")[::2])
        assert not re.search(r"--[a-z]", outside), entry["name"]

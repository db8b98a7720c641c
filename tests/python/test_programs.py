"""The launchers of the wheel: the programs become the process, and what is missing is said in one sentence."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

SHOW = '#!/bin/sh\necho "$(basename "$0")" "$@"\necho "path=$LD_LIBRARY_PATH"\n'


@pytest.fixture
def site(tmp_path):
    """A folder of packages as pip lays them out, with scripts in the place of native programs."""
    shutil.copytree(ROOT / "packaging" / "python" / "headscope", tmp_path / "site" / "headscope")
    site = tmp_path / "site"
    native = site / "headscope" / "native"
    (native / "bin").mkdir(parents=True)
    for name in ("headscope", "headscope-cli", "headscope-cli-core"):
        (native / "bin" / name).write_text(SHOW)
        (native / "bin" / name).chmod(0o755)
    (native / "torch-minor").write_text("2.13\n")
    return site


def torch(folder, version):
    (folder / "torch" / "lib").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text("raise ImportError('nobody imports it')\n")
    (folder / "torch" / "version.py").write_text(f"__version__ = '{version}'\n")


def qt(folder):
    (folder / "PyQt6" / "Qt6" / "lib").mkdir(parents=True)
    (folder / "PyQt6" / "__init__.py").write_text("")
    (folder / "PyQt6" / "Qt6" / "lib" / "libQt6Charts.so.6").write_text("")


def launch(paths, command, *words, **variables):
    function = {"headscope-cli": "launch_cli", "headscope": "launch_window"}[command]
    code = f"import sys; sys.argv = [{command!r}, *{list(words)!r}]; from headscope._programs import {function} as f; f()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **variables}
    for name in ("HEADSCOPE_BIN", "LD_LIBRARY_PATH", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        if name not in variables:
            environment.pop(name, None)
    # Isolated from an installed torch: only the folders that the test names, and the standard library.
    return subprocess.run([sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True)


def test_the_program_becomes_the_process(site):
    torch(site, "2.13.1+cu130")
    done = launch([site], "headscope-cli", "ablate", "--limit", "a b")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "headscope-cli-core ablate --limit a b\npath=\n"


def test_torch_may_lie_elsewhere(site, tmp_path):
    torch(tmp_path / "user", "2.13.0")
    done = launch([site, tmp_path / "user"], "headscope-cli", "inspect", LD_LIBRARY_PATH="/mine")
    assert done.stdout.splitlines()[1] == f"path={tmp_path}/user/torch/lib:/mine"


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (None, "torch is not installed beside Headscope: this wheel needs torch 2.13.x (pip install 'torch~=2.13.0')."),
        ("2.12.3", "built for torch 2.13, and torch 2.12.3 is installed"),
        ("2.130.0", "built for torch 2.13, and torch 2.130.0 is installed"),
    ],
)
def test_another_torch_is_told(site, version, said):
    if version:
        torch(site, version)
    done = launch([site], "headscope-cli", "inspect")
    assert done.returncode == 3 and done.stdout == ""
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_reports_need_qt_and_nothing_else_does(site):
    torch(site, "2.13.0")
    done = launch([site], "headscope-cli", "report", "--model", "m")
    assert done.returncode == 3
    assert done.stderr == "headscope-cli: report needs Qt: pip install PyQt6-Qt6 PyQt6-Charts-Qt6.\n"
    assert launch([site], "headscope-cli", "--help").stdout.startswith("headscope-cli-core --help")
    qt(site)
    assert launch([site], "headscope-cli", "report").stdout.startswith("headscope-cli report")
    assert launch([site], "headscope-cli", "--progress", "json", "ablate").stdout.startswith("headscope-cli-core ")


def test_missing_libraries_are_named_with_their_packages(site, tmp_path):
    torch(site, "2.13.0")
    qt(site)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ldd").write_text(
        "#!/bin/sh\necho '	libc.so.6 => /lib/libc.so.6 (0x0)'\ncase $1 in *libqxcb.so) "
        "echo '	libxcb-cursor.so.0 => not found';; esac\n"
    )
    (tools / "ldd").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    done = launch([site], "headscope", "--demo", PATH=path, DISPLAY=":1")
    assert done.returncode == 3
    assert done.stderr == (
        "headscope: the window needs libxcb-cursor.so.0, which this system lacks: apt-get install libxcb-cursor0.\n"
    )
    # Pictures and Wayland do not need it.
    for variables in ({"DISPLAY": ":1", "WAYLAND_DISPLAY": "w"}, {"DISPLAY": ":1", "QT_QPA_PLATFORM": "offscreen"}, {}):
        done = launch([site], "headscope", "--demo", PATH=path, **variables)
        assert done.stdout.startswith("headscope --demo"), done.stderr


def test_a_folder_of_programs_can_be_named(site, tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(site / "headscope" / "native" / "bin" / "headscope-cli", tmp_path / "bin" / "headscope-cli")
    done = launch([site], "headscope-cli", "inspect", HEADSCOPE_BIN=str(tmp_path / "bin"))
    assert done.stdout.startswith("headscope-cli inspect")
    done = launch([site], "headscope-cli", "inspect", HEADSCOPE_BIN=str(Path(tmp_path) / "nowhere"))
    assert done.returncode == 3 and "there is no headscope-cli in it" in done.stderr

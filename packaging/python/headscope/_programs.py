"""Where the native programs are, and what they need to start."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NoReturn, Optional

_NATIVE = Path(__file__).parent / "native"

# What Qt and the window load from the system, and Debian's packages that have it.
_PACKAGES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libGLX.so.0": "libglx0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libzstd.so.1": "libzstd1",
    "libstdc++.so.6": "libstdc++6",
}


class ProgramError(RuntimeError):
    """A native program cannot be started; the message says why and what to do."""


def version() -> str:
    """The version of this module; "0" where it is used from a checkout without being installed."""
    minor = _NATIVE / "torch-minor"
    if not minor.is_file():
        return "0"
    try:
        return importlib.metadata.version(_distribution(minor.read_text()))
    except importlib.metadata.PackageNotFoundError:
        return "0"


def _distribution(minor: str) -> str:
    """The wheel for a minor version of torch, as packaging/python/makewheel.py calls it."""
    return "headscope-torch" + minor.strip().replace(".", "")


def program(name: str) -> Path:
    """The program ``headscope-cli`` or ``headscope``: the one in the folder that ``HEADSCOPE_BIN`` names, that of this
    wheel, or the first on ``PATH`` that is no launcher of this module. Raises :class:`ProgramError` if there is none."""
    folder = os.environ.get("HEADSCOPE_BIN")
    if folder:
        chosen = Path(folder) / name
        if not chosen.is_file():
            raise ProgramError(f"HEADSCOPE_BIN is {folder}, and there is no {name} in it.")
        return chosen
    own = _NATIVE / "bin" / name
    core = own.with_name(name + "-core")  # the same without reports, and so without Qt
    if own.is_file():
        return core if core.is_file() else own
    for place in os.get_exec_path():
        found = shutil.which(name, path=place)
        if found and not _is_script(found):
            return Path(found)
    raise ProgramError(
        f"{name} was not found: install Headscope's wheel or package, or name the folder of its programs in HEADSCOPE_BIN."
    )


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:  # it may be run and not read
        return False


def _package_folder(name: str) -> Optional[Path]:
    """Where an installed package lies, without importing it."""
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def _check_torch() -> Path:
    minor = (_NATIVE / "torch-minor").read_text().strip()  # written by packaging/wheel.sh
    folder = _package_folder("torch")
    wanted = f"torch {minor}.x (pip install 'torch~={minor}.0')"
    if folder is None:
        raise ProgramError(f"torch is not installed beside Headscope: this wheel needs {wanted}.")
    try:
        found = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:  # conda's has its version in a file only
        found = _version_in(folder / "version.py")
    if not (found + ".").startswith(minor + "."):
        raise ProgramError(
            f"this wheel was built for torch {minor}, and torch {found} is installed: install {wanted}, or "
            f"{_distribution('.'.join(found.split('.')[:2]))}, the wheel of Headscope for that one."
        )
    return folder


def _version_in(file: Path) -> str:
    for line in file.read_text().splitlines() if file.is_file() else []:
        if line.startswith("__version__"):
            return line.split("=", 1)[1].strip().strip("'\"")
    return "of an unknown version"


def environment(name: str) -> Dict[str, str]:
    """The environment that a program is started in: libraries that do not lie where pip usually puts them are named in
    ``LD_LIBRARY_PATH``. Raises :class:`ProgramError` where torch is missing or another one than this wheel was built for."""
    variables = dict(os.environ)
    if program(name).parent != _NATIVE / "bin":  # Debian's, or a build: it knows its libraries
        return variables
    folders = [
        folder / inside
        for folder, inside in ((_check_torch(), "lib"), (_package_folder("PyQt6"), "Qt6/lib"))
        if folder is not None and folder.resolve() != (_NATIVE.parent.parent / folder.name).resolve()
    ]
    if folders:
        before = [variables["LD_LIBRARY_PATH"]] if variables.get("LD_LIBRARY_PATH") else []
        variables["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder) for folder in folders] + before)
    return variables


def _missing_libraries(files: List[Path], variables: Dict[str, str]) -> List[str]:
    """What the dynamic loader does not find of the libraries that these files need."""
    missing: List[str] = []
    for file in files:
        try:
            asked = subprocess.run(
                ["ldd", str(file)], env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
            )
        except OSError:  # no ldd: the program will say it
            return []
        for line in asked.stdout.decode(errors="replace").splitlines():
            name, arrow, place = line.strip().partition(" => ")
            if arrow and place.startswith("not found") and name not in missing:
                missing.append(name)
    return missing


def check_qt(what: str, program_file: Path, variables: Dict[str, str], shown: bool) -> None:
    """Raises :class:`ProgramError` if a program of this wheel that needs Qt could not start for want of libraries; `shown`:
    also those that a display needs."""
    if program_file.parent != _NATIVE / "bin":
        return
    qt = _package_folder("PyQt6")
    if qt is None or not (qt / "Qt6" / "lib" / "libQt6Charts.so.6").is_file():
        raise ProgramError(f"{what} needs Qt: pip install PyQt6-Qt6 PyQt6-Charts-Qt6.")
    files = [program_file]
    by_x = variables.get("DISPLAY") and not variables.get("WAYLAND_DISPLAY")
    if shown and by_x and not variables.get("QT_QPA_PLATFORM"):
        files.append(qt / "Qt6" / "plugins" / "platforms" / "libqxcb.so")
    missing = _missing_libraries(files, variables)
    if missing:
        packages = sorted({_PACKAGES[name] for name in missing if name in _PACKAGES})
        unknown = [name for name in missing if name not in _PACKAGES]
        hint = f": apt-get install {' '.join(packages)}" if packages else ""
        more = f" (and find a package with {', '.join(unknown)})" if unknown and packages else ""
        raise ProgramError(f"{what} needs {', '.join(missing)}, which this system lacks{hint}{more}.")


def check_window(variables: Dict[str, str]) -> None:
    """Raises :class:`ProgramError` if the window could not start for want of libraries."""
    check_qt("the window", program("headscope"), variables, shown=True)


def _cli_for(words: List[str], variables: Dict[str, str]) -> Path:
    """The program for a command line: reports are painted by Qt, and the overview of commands names them."""
    core = program("headscope-cli")
    full = core.with_name("headscope-cli")
    command = next((word for word in words if not word.startswith("-") and word not in ("text", "json")), "")
    if core == full or command not in ("", "report"):
        return core
    try:
        check_qt("report", full, variables, shown=False)
    except ProgramError:
        if command == "report":
            raise
        return core
    return full


def _launch(name: str) -> NoReturn:
    try:
        variables = environment(name)
        path = program(name)
        if name == "headscope":
            check_window(variables)
        else:
            path = _cli_for(sys.argv[1:], variables)
    except ProgramError as error:
        sys.stderr.write(f"{name}: {error}\n")
        sys.exit(3)
    sys.stdout.flush()
    os.execve(path, [name, *sys.argv[1:]], variables)


def launch_cli() -> NoReturn:
    """The command ``headscope-cli`` of the wheel: becomes the native program."""
    _launch("headscope-cli")


def launch_window() -> NoReturn:
    """The command ``headscope`` of the wheel."""
    _launch("headscope")

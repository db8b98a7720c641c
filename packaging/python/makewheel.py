"""Packs a folder as a wheel: makewheel.py STAGE VERSION TORCH_MINOR OUT. packaging/wheel.sh calls it.

STAGE has the package `headscope` with the native programs in it; the metadata are those of pyproject.toml, with torch and Qt
added to what the wheel requires. Needs nothing but Python 3.11."""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAG = "py3-none-manylinux_2_36_x86_64"


def metadata(project, version, requirements):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        *(f"Requires-Dist: {one}" for one in requirements),
    ]
    for extra, wanted in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {one} ; extra == '{extra}'" for one in wanted]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def main(stage, version, minor, out):
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    major, small = minor.split(".")
    requirements = [
        *project["dependencies"],
        f"torch >={minor}, <{major}.{int(small) + 1}",
        "PyQt6-Qt6 >=6.4",
        "PyQt6-Charts-Qt6 >=6.4",
    ]
    # The local part of the version tells wheels for several versions of torch apart.
    full = f"{version}+torch{minor}"
    info = f"headscope-{full}.dist-info"
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    texts = {
        f"{info}/METADATA": metadata(project, full, requirements),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: Headscope\nRoot-Is-Purelib: false\nTag: {TAG}\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}",
        f"{info}/licenses/LICENSE": (HERE.parents[1] / "LICENSE").read_text(encoding="utf-8"),
    }
    wheel = Path(out) / f"headscope-{full}-{TAG}.whl"
    records = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(content)}")

        for file in sorted(Path(stage).rglob("*")):
            if file.is_file():
                add(str(file.relative_to(stage)), file.read_bytes(), file.stat().st_mode & 0o755 | 0o644)
        for name, text in texts.items():
            add(name, text.encode(), 0o644)
        records.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(records) + "\n")
    print(f"{wheel} ({wheel.stat().st_size / 2**20:.1f} MiB)")


if __name__ == "__main__":
    main(*sys.argv[1:])

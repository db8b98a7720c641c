"""Packs a folder as a wheel: makewheel.py STAGE VERSION TORCH_MINOR OUT. packaging/wheel.sh calls it.

STAGE has the package `headscope` with the native programs in it, and in `notices` a file for each library that these bring along. The
metadata are those of pyproject.toml, with torch and Qt added to what the wheel requires. LibTorch's C++ interface differs between minor
versions of torch, so there is a distribution for each, `headscope-torch213`: an index takes no local version (1.0.0+torch2.13), and pip
says what is missing by the name. Needs nothing but Python 3.11."""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAG = "py3-none-manylinux_2_36_x86_64"


def metadata(project, name, version, requirements, licenses):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        *(f"Author: {author['name']}" for author in project["authors"]),
        f"License-Expression: {project['license']}",
        *(f"License-File: {file}" for file in licenses),
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
    name = f"{project['name']}-torch{major}{small}"
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    notices = sorted((Path(stage) / "notices").glob("*"))
    licenses = {"LICENSE": HERE.parents[1] / "LICENSE", **{f"notices/{file.name}": file for file in notices}}
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    texts = {
        f"{info}/METADATA": metadata(project, name, version, requirements, licenses),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: Headscope\nRoot-Is-Purelib: false\nTag: {TAG}\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}",
        **{f"{info}/licenses/{to}": file.read_text(encoding="utf-8") for to, file in licenses.items()},
    }
    wheel = Path(out) / f"{stem}-{TAG}.whl"
    records = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(content)}")

        for file in sorted((Path(stage) / "headscope").rglob("*")):
            if file.is_file():
                add(str(file.relative_to(stage)), file.read_bytes(), file.stat().st_mode & 0o755 | 0o644)
        for name, text in texts.items():
            add(name, text.encode(), 0o644)
        records.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(records) + "\n")
    print(f"{wheel} ({wheel.stat().st_size / 2**20:.1f} MiB)")


if __name__ == "__main__":
    main(*sys.argv[1:])

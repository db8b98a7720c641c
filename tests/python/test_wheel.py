"""The file that packaging/python/makewheel.py writes is a wheel."""

import base64
import hashlib
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT

pytest.importorskip("tomllib")


def test_it_is_a_wheel(tmp_path):
    native = tmp_path / "stage" / "headscope" / "native" / "bin"
    native.mkdir(parents=True)
    (native / "headscope-cli").write_text("#!/bin/sh\n")
    (native / "headscope-cli").chmod(0o755)
    (tmp_path / "stage" / "headscope" / "__init__.py").write_text("")
    (tmp_path / "stage" / "notices").mkdir()
    (tmp_path / "stage" / "notices" / "libfmt9.txt").write_text("MIT")
    maker = ROOT / "packaging" / "python" / "makewheel.py"
    subprocess.run([sys.executable, maker, tmp_path / "stage", "1.2.3", "2.13", tmp_path], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "headscope_torch213-1.2.3-py3-none-manylinux_2_36_x86_64.whl"
    info = "headscope_torch213-1.2.3.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        records = dict(line.rsplit(",", 2)[:2] for line in archive.read(f"{info}/RECORD").decode().splitlines())
        assert set(records) == set(archive.namelist())
        for name, digest in records.items():
            if not name.endswith("RECORD"):
                made = hashlib.sha256(archive.read(name)).digest()
                assert digest == "sha256=" + base64.urlsafe_b64encode(made).rstrip(b"=").decode()
        assert archive.getinfo("headscope/native/bin/headscope-cli").external_attr >> 16 == 0o100755
        metadata = archive.read(f"{info}/METADATA").decode()
        assert "Name: headscope-torch213\nVersion: 1.2.3\n" in metadata
        for file in ("LICENSE", "notices/libfmt9.txt"):
            assert f"License-File: {file}\n" in metadata
            assert archive.read(f"{info}/licenses/{file}")
        assert not [name for name in archive.namelist() if name.startswith("notices/")]
        assert "Requires-Dist: torch >=2.13, <2.14\n" in metadata
        assert "Requires-Dist: PyQt6-Charts-Qt6" in metadata
        assert "headscope-cli = headscope._programs:launch_cli" in archive.read(f"{info}/entry_points.txt").decode()

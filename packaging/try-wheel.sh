#!/usr/bin/env bash
# Tries the wheel on bare systems: Debian 12 and 13 in folders of their own (debootstrap, chroot; needs root), with python3-venv, Xvfb
# and nothing else of ours. torch and Qt come from the index that pip asks.
#
#   packaging/try-wheel.sh [MINOR [RELEASE ...]]     e.g. 2.13 bookworm trixie, which is also the default
#
# The wheel is that of packaging/wheel.sh, which is called where there is none. On each system: the module is imported, a model of the
# demo is swept, its table is written, and the window's picture of the demo is taken.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

if [ "${1:-}" = --inside ]; then
    cd "$root"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -y -q --no-install-recommends python3-venv xvfb xauth libegl1 libgl1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 \
        libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0 libdbus-1-3 libfontconfig1 libglib2.0-0 fonts-dejavu-core
    python3 -m venv /venv
    /venv/bin/pip install -q ./headscope_torch*.whl --extra-index-url https://download.pytorch.org/whl/cpu
    cd /
    /venv/bin/headscope-cli --version
    /venv/bin/headscope-cli demo --out /demo --quiet
    /venv/bin/python - <<'PYTHON'
import headscope as hs

assert hs.__version__ != "0"
model = hs.Model.from_pretrained("/demo/training/epoch-006")
result = model.ablate(hs.Dataset.parallel("/demo/corpus/in_domain.en", "/demo/corpus/in_domain.fr", limit=50))
assert result.complete and len(result.top(5)) == 5
print(result)
PYTHON
    xvfb-run -a /venv/bin/headscope --demo --screenshot /demo.png
    test -s /demo.png
    exit 0
fi

minor=${1:-2.13}
[ $# -eq 0 ] || shift
releases=("$@")
[ $# -gt 0 ] || releases=(bookworm trixie)
find_wheel() { find "$root/build/wheel" -maxdepth 1 -name "headscope_torch${minor/./}-*.whl" 2>/dev/null | sort | tail -n 1; }
wheel=$(find_wheel)
if [ -z "$wheel" ]; then
    "$root/packaging/wheel.sh" "$minor"
    wheel=$(find_wheel)
fi
for release in "${releases[@]}"; do
    "$root/packaging/try-release.sh" --wheel "$wheel" "$release"
done

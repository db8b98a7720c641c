#!/usr/bin/env bash
# Sets up, builds and passes the tests. Tests of the real models are skipped, and say so, unless HEADSCOPE_SHARED
# names a folder with models/ and data/ (or it lies beside the checkout as ../shared).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

"$root/packaging/setup.sh" clang-format-14
# For the tests of the Python module, its types and its notebook, which are skipped without them.
python=(python3-pytest python3-numpy python3-pandas python3-matplotlib python3-tqdm mypy)
"$root/packaging/setup.sh" "${python[@]}" || echo "test: tests of the Python module need ${python[*]}"
"$root/packaging/build.sh" dev
# Core and command line must build without Qt: a minute where ccache has their objects from the build above.
if command -v ccache >/dev/null; then
    "$root/packaging/build.sh" core-only -DHEADSCOPE_WERROR=ON
fi
# Two at a time: most of a test runs on one core, though LibTorch uses all of them at times. (Threads that wait for others sleep
# meanwhile, as OMP_WAIT_POLICY of tests/CMakeLists.txt says; else two programs on the same cores hold each other up.)
cd "$root/build/dev"
ctest --parallel 2 --output-on-failure "$@"

#!/usr/bin/env bash
# Sets up, builds and passes the tests. Tests of the real models are skipped, and say so, unless HEADSCOPE_SHARED
# names a folder with models/ and data/ (or it lies beside the checkout as ../shared).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

"$root/packaging/setup.sh"
cmake --preset dev -S "$root" -B "$root/build/dev" >/dev/null
cmake --build "$root/build/dev" --parallel "$("$root/packaging/jobs.sh")"
# One test at a time: LibTorch uses all cores, and two such programs on the same cores take far longer than one
# after the other.
cd "$root/build/dev"
ctest --output-on-failure "$@"

#!/usr/bin/env bash
# Tests under the address and undefined-behaviour sanitizers: packaging/sanitize.sh [TEST ...]
# Without names all tests are built and run. The address sanitizer refuses RTLD_DEEPBIND, by which sentencepiece is loaded: tests
# that open its tokenizers end with its message.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build="$root/build/dev-asan"
pattern=.
targets=()
if [ $# -gt 0 ]; then
    pattern="^($(IFS='|'; echo "$*"))\$"
    targets=(--target "$@")
fi
cmake --preset dev-asan -S "$root" -B "$build" >/dev/null
cmake --build "$build" --parallel "$("$root/packaging/jobs.sh")" "${targets[@]}"
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
cd "$build"
ctest --output-on-failure -R "$pattern"

#!/usr/bin/env bash
# packaging/format.sh [--check]: has clang-format 14 lay out the C++ files as .clang-format says, or with --check names
# the lines that are laid out differently, and fails. Other versions lay out the same file differently: without
# version 14 nothing is changed or checked.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=
for name in clang-format-14 clang-format; do
    if [[ $("$name" --version 2>/dev/null || true) == *"version 14."* ]]; then
        tool=$name
        break
    fi
done
if [ -z "$tool" ]; then
    echo "format: not checked, clang-format 14 is not in PATH (Debian: clang-format-14; elsewhere: pip install clang-format==14.0.6)" >&2
    [ "${1:-}" = --check ]
    exit
fi

action=(-i)
[ "${1:-}" = --check ] && action=(--dry-run --Werror)
find core ui app tests resources/cmake \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 -n 40 -P "$(nproc)" "$tool" "${action[@]}"

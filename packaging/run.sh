#!/usr/bin/env bash
# Sets up, builds and opens Headscope.
#
#   packaging/run.sh                                         the demo: a small model with everything computed
#   packaging/run.sh MODEL_DIR SOURCE REFERENCE [SOURCE2 REFERENCE2]
#                                                            a translation model with one set or two
#   packaging/run.sh MODEL_DIR --in TABLE [--out TABLE2] …   any model and options of headscope, e.g. a classifier
#
# On a machine without a display the same study's pictures and tables are written to ./headscope-study instead
# (another folder: HEADSCOPE_OUT).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

"$root/packaging/setup.sh"
"$root/packaging/build.sh" release

arguments=(--demo)
if [[ ${2:-} == --* ]]; then
    arguments=("$@")
else
    [ $# -ge 1 ] && arguments=("$1")
    [ $# -ge 3 ] && arguments+=(--in "$2" "$3")
    [ $# -ge 5 ] && arguments+=(--out "$4" "$5")
fi

program=$root/build/release/bin/headscope
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$program" "${arguments[@]}"
fi
out=${HEADSCOPE_OUT:-$PWD/headscope-study}
echo "No display (DISPLAY and WAYLAND_DISPLAY are unset): writing pictures and tables to $out instead."
exec "$program" "${arguments[@]}" --export-all "$out"

#!/usr/bin/env bash
# Makes the pictures of the guide and of the README anew, from the demo: resources/screenshots/PAGE.png for the start page and
# every page of the window. Needs no display.
#
#   packaging/pictures.sh [PAGE ...]     all of them, or these
#
# HEADSCOPE_PROGRAM: the window's program (build/release or build/dev, whichever is there).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/resources/screenshots
program=${HEADSCOPE_PROGRAM:-}
for build in release dev; do
    [ -n "$program" ] || [ ! -x "$root/build/$build/bin/headscope" ] || program=$root/build/$build/bin/headscope
done
[ -n "$program" ] || { echo "pictures: build Headscope first (packaging/run.sh)" >&2; exit 1; }

pages=("$@")
if [ ${#pages[@]} -eq 0 ]; then
    # The program names its pages: "--view <NAME>  The page: start, heads, …."
    list=$("$program" --language en --help | tr '\n' ' ' | grep -o 'The page: [^.]*' | sed 's/The page: //; s/,//g')
    read -ra pages <<<"$list"
fi
# Two pages show the folder that they read: it is the same wherever this is run.
shown=/tmp/study
mkdir "$shown" # fails where somebody has one
trap 'rm -rf "$shown"' EXIT
cp -r "$root/resources/demo/." "$shown"
for page in "${pages[@]}"; do
    what=(--demo)
    case "$page" in
    start) what=() ;;
    models) what=("$shown/demo.headscope.results") ;;
    patching) what=("$root/resources/demo/training/epoch-006" --in "$root/resources/demo/corpus/pairs.jsonl") ;;
    pairs) what=("$root/resources/demo/classifier/epoch-006" --in "$root/resources/demo/corpus/in_domain.objects.tsv" --metric loss
        --size 1600x900) ;; # with its matrix
    training) what=("$shown/training") ;; # the run that the demo's model comes from
    esac
    "$program" --language en "${what[@]}" --view "$page" --theme light --screenshot "$out/$page.png" 2>/dev/null
    echo "$out/$page.png"
done

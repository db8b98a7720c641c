#!/usr/bin/env bash
# Manual pages from --help: packaging/manpages.sh FOLDER VERSION headscope-cli [headscope]
# One for each program, and one for each command of headscope-cli, as git has them.
set -euo pipefail
folder=$1 version=$2
shift 2
mkdir -p "$folder"
export LC_ALL=C.UTF-8 LANGUAGE=en QT_QPA_PLATFORM=offscreen

# page NAME SUMMARY COMMAND…: what the command's --help says
page() {
    local name=$1 summary=$2
    shift 2
    help2man --no-info --version-string="$version" --source="Headscope $version" --manual="Headscope" \
        --name="$summary" --output="$folder/$name.1" "$*"
    # The program's own folder is of the build.
    sed -i "s|$1|$(basename "$1")|g" "$folder/$name.1"
    gzip -9nf "$folder/$name.1"
}

for program in "$@"; do
    name=$(basename "$program")
    page "$name" "see what attention heads do, and which are needed" "$program"
    [ "$name" = headscope-cli ] || continue
    "$program" --help | sed -n 's/^  \([a-z][a-z0-9-]*\)   *\(.*\)/\1 \2/p' |
        while read -r command summary; do page "$name-$command" "$summary" "$program" "$command"; done
done

#!/usr/bin/env bash
# check_installation.sh BUILD SOURCE: installs the build, moves the installation, and runs it there: nothing may still lead to
# the build or source folder.
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/here" >/dev/null
mv "$work/here" "$work/there"
there=$work/there

while read -r file; do
    if strings -n 8 "$file" | grep -F -e "$build" -e "$source/"; then
        echo "$file names the folders it was built in" >&2
        exit 1
    fi
done < <(find "$there/bin" "$there/lib" -type f)

export XDG_CACHE_HOME=$work/cache QT_QPA_PLATFORM=offscreen
"$there/bin/headscope-cli" --version
# The demo lies beside it, and its tokenizer is sentencepiece's, in a module beside it too.
"$there/bin/headscope-cli" demo --out "$work/demo" --quiet
model=$(find "$work/demo/training" -maxdepth 1 -name 'epoch-*' | sort | tail -n 1)
"$there/bin/headscope-cli" attention --model "$model" --text "le chat dort" --out "$work/maps.json" --quiet
test -s "$work/maps.json"
if [ -x "$there/bin/headscope" ]; then
    test -s "$there/share/headscope/guide/index.md"
    test -s "$there/share/headscope/screenshots/heads.png"
    "$there/bin/headscope" --demo --screenshot "$work/demo.png"
    test -s "$work/demo.png"
fi

#!/usr/bin/env bash
# Brings resources/translations up to date with the texts of the window: what is new comes in as unfinished, what is gone
# goes. Arguments are languages to begin: packaging/translations.sh de. English has plurals only.
set -euo pipefail
cd "$(dirname "$0")/.."

for language in "$@"; do
    [[ $language =~ ^[a-z]{2,3}(_[A-Z]{2})?$ ]] || { echo "translations: \"$language\" is no language such as de or pt_BR" >&2; exit 2; }
done
folder=${HEADSCOPE_TRANSLATIONS:-resources/translations} # a test has a folder of its own
programs=$(qtpaths6 --query QT_HOST_BINS 2>/dev/null || echo /usr/lib/qt6/bin)
files=("${@/#/$folder/headscope_}")
shopt -s nullglob
for file in "$folder"/*.ts "${files[@]/%/.ts}"; do
    plurals=()
    [[ $file == */headscope_en.ts ]] && plurals=(-pluralonly)
    # Without the root as include folder, classes are found without their namespace. Numbers of lines would change all the time.
    "$programs/lupdate" -silent -I . -locations none -no-obsolete -source-language en "${plurals[@]}" ui app/gui -ts "$file"
done

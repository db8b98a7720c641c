#!/usr/bin/env bash
# Breaks single operators of the code that computes numbers, one at a time, and sees whether a test notices.
#
#   packaging/mutations.sh [COUNT] [FILE ...]     COUNT (20) mutations, drawn from the files, or from all folders of numbers
#
# Prints a line for each: the test that failed, "SURVIVED", or "not compiled". A survivor is a test that is missing, or a change that
# makes no difference. Works in this checkout and build/dev; a file is restored after its mutation. HEADSCOPE_SEED (the month) decides
# what is drawn. A mutation takes a minute or two.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/dev

# folder of numbers: folder whose tests.cmake lists its tests
folders=(metrics:metrics results:results roles:roles analysis:session engine:session relevance:session sharing:session)

count=20
case ${1:-} in [1-9]*)
    count=$1
    shift
    ;;
esac
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(for one in "${folders[@]}"; do ls "core/${one%%:*}"/*.cpp; done)
git diff --quiet HEAD -- "${files[@]}" || { echo "mutations: commit your changes of these files first" >&2; exit 2; }

# FILE LINE COLUMN FROM TO of every operator outside comments, texts and preprocessor lines.
mutations() {
    awk '
        BEGIN {
            n = split(" >= @ > ;; <= @ < ;; < @ <= ;; > @ >= ;; == @ != ;; != @ == ;; + @ - ;; - @ + ;; * @ / ;; / @ * ;; && @ || ;; || @ && ;;std::min(@std::max(;;std::max(@std::min(;;true@false;;false@true", rule, ";;")
        }
        /^ *\/\/|^#|template|operator|static_assert/ { next }
        {
            code = $0
            sub(/ \/\/.*/, "", code)
            while (match(code, /"([^"\\]|\\.)*"/)) { # texts, blanked
                blank = sprintf("%" RLENGTH "s", "")
                gsub(/ /, "_", blank)
                code = substr(code, 1, RSTART - 1) blank substr(code, RSTART + RLENGTH)
            }
            for (i = 1; i <= n; ++i) {
                split(rule[i], side, "@")
                for (at = 1; (found = index(substr(code, at), side[1])) > 0; at += found)
                    printf "%s\t%d\t%d\t%s\t%s\n", FILENAME, FNR, at + found - 1, side[1], side[2]
            }
        }' "$@"
}

# The tests of the folder that a file is in, without those of large models.
tests_of() {
    local one
    for one in "${folders[@]}"; do
        [[ $1 != core/${one%%:*}/* ]] || grep -o 'tst_[a-z0-9]*' "tests/core/${one#*:}/tests.cmake" | grep -v '^tst_real' | sort -u
    done
}

file=
trap '[ -z "$file" ] || git checkout -q -- "$file"' EXIT
seed=${HEADSCOPE_SEED:-$(date +%Y%m)}
survived=0
while IFS=$'\t' read -r file line column from to; do
    mapfile -t tests < <(tests_of "$file")
    awk -v line="$line" -v column="$column" -v length_="${#from}" -v to="$to" '
        FNR == line { $0 = substr($0, 1, column - 1) to substr($0, column + length_) } { print }' "$file" >"$build/mutation"
    cp "$build/mutation" "$file"
    if ! cmake --build "$build" --parallel "${HEADSCOPE_JOBS:-$(packaging/jobs.sh)}" --target "${tests[@]}" >/dev/null 2>&1; then
        verdict="not compiled"
    elif (cd "$build" && ctest --stop-on-failure --timeout 300 -R "^($(IFS='|'; echo "${tests[*]}"))\$") >"$build/mutation.log" 2>&1; then
        verdict=SURVIVED
        survived=$((survived + 1))
    else # the last line of "The following tests FAILED"
        verdict=$(grep -o 'tst_[a-z0-9_]*' "$build/mutation.log" | tail -n 1)
    fi
    git checkout -q -- "$file"
    printf '%-20s %s:%s: "%s" to "%s"\n' "$verdict" "$file" "$line" "$from" "$to"
    file=
done < <(mutations "${files[@]}" | shuf -n "$count" --random-source=<(yes "$seed"))
echo "$survived of $count mutations survived"

#!/usr/bin/env bash
# Configures and builds a preset, and shows how far it is: packaging/build.sh PRESET [OPTION OF CMAKE ...]
# "[ 212 of 547, 6 min left ] ui/charts/linepainter.cpp". The time left is a guess by what is done.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
preset=$1 build=$root/build/$1
shift
cmake --preset "$preset" -S "$root" -B "$build" "$@" >/dev/null

# On a terminal each line replaces the one before; everything that the compiler says stays.
clear=""
[ -t 1 ] && clear=$'\r\033[K'
show() {
    local line done total seconds what time end=$'\n'
    [ -n "$clear" ] && end=""
    while IFS= read -r line; do
        if [[ $line != @progress* ]]; then
            printf '%s%s\n' "$clear" "$line"
            continue
        fi
        read -r _ done total seconds what <<<"$line"
        time=$((done > 0 ? ${seconds%.*} * (total - done) / done / 60 : 0))
        ((time > 0)) && time="$time min left" || time="less than a minute left"
        what=${what##* }
        what=${what/CMakeFiles\/*.dir\//}
        printf '%s[ %d of %d, %s ] %s%s' "$clear" "$done" "$total" "$time" "${what%.o}" "$end"
    done
    printf '%s' "$clear"
}
NINJA_STATUS='@progress %f %t %e ' cmake --build "$build" --parallel "$("$root/packaging/jobs.sh")" | show

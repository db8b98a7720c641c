#!/usr/bin/env bash
# Builds the core and the command line on a machine with a GPU, passes the tests of what a GPU runs there, compares all
# analyses with those of the processor, and measures sweeps, and patching of large decoders, beside loops in transformers. Needs no network.
#
#   packaging/gpu.sh [MODEL_DIR --in TABLE | MODEL_DIR SOURCE REFERENCE]
#                             also measures that model and data, beside made-up ones (bert-base, bert-large, marian-big, gpt2)
#   packaging/gpu.sh --bring FOLDER
#                             elsewhere, with a network (Debian): puts the packages that such a machine may lack into FOLDER
#
# LibTorch is the one in CMAKE_PREFIX_PATH, else that of python3's torch. Libraries are looked for in the system and in
# HEADSCOPE_BROUGHT (a folder that --bring made). HEADSCOPE_DEVICE=cpu tries all of this without a GPU, on tiny models.
# HEADSCOPE_EXAMPLES: of the made-up models (512). HEADSCOPE_BUILD: the folder to build in (build/gpu).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${HEADSCOPE_BUILD:-$root/build/gpu}
device=${HEADSCOPE_DEVICE:-cuda}
examples=${HEADSCOPE_EXAMPLES:-512}

# header (or program) that shows whether it is there : Debian package : packages that it needs in turn
needed=(
    nlohmann/json.hpp:nlohmann-json3-dev:
    fmt/format.h:libfmt-dev:libfmt9
    CLI/CLI.hpp:libcli11-dev:
    boost/math/distributions.hpp:libboost1.81-dev:
    archive.h:libarchive-dev:libarchive13,libacl1,libbz2-1.0,liblz4-1,liblzma5,libnettle8,libxml2,libzstd1,zlib1g
    utf8proc.h:libutf8proc-dev:libutf8proc2
    oniguruma.h:libonig-dev:libonig5
    xxhash.h:libxxhash-dev:libxxhash0
    yaml.h:libyaml-dev:libyaml-0-2
    sentencepiece_processor.h:libsentencepiece-dev:libsentencepiece0
    tbb/version.h:libtbb-dev:libtbb12,libtbbmalloc2,libtbbbind-2-5,libhwloc15
    QtTest/QTest:qt6-base-dev:qt6-base-dev-tools,qmake6,qmake6-bin,libqt6core6,libqt6test6,libqt6concurrent6,libqt6dbus6,libqt6gui6,libqt6network6,libqt6opengl6,libqt6openglwidgets6,libqt6printsupport6,libqt6sql6,libqt6widgets6,libqt6xml6,libb2-1,libdouble-conversion3,libglib2.0-0,libicu72,libpcre2-16-0,libpcre2-8-0
)
packages_of() { local rest=${1#*:}; echo "${rest%%:*} $(tr ',' ' ' <<<"${rest#*:}")"; }

if [ "${1:-}" = --bring ]; then
    mkdir -p "$2"
    cd "$2"
    for one in "${needed[@]}"; do
        # shellcheck disable=SC2046
        apt-get download -q $(packages_of "$one")
    done
    echo "Take $2 along and set HEADSCOPE_BROUGHT to it."
    exit 0
fi

say() { printf '\n== %s\n' "$*"; }

# What was brought along becomes a folder of headers and libraries beside the build.
brought=$build/brought
if [ -n "${HEADSCOPE_BROUGHT:-}" ] && [ ! -e "$brought/done" ]; then
    mkdir -p "$brought"
    for package in "$HEADSCOPE_BROUGHT"/*.deb; do
        if command -v dpkg-deb >/dev/null; then dpkg-deb -x "$package" "$brought"; else
            (cd "$brought" && ar p "$package" data.tar.xz | tar xJ)
        fi
    done
    # What the system has itself is taken from there (other programs see these folders too), but for what is linked to.
    known=$(ldconfig -p)
    find "$brought" -name 'lib*.so.*' | while read -r library; do
        [ ! -e "${library%%.so.*}.so" ] && grep -qF "$(basename "$library") " <<<"$known" && rm "$library"
    done || true
    touch "$brought/done"
fi
triplet=$(cc -print-multiarch 2>/dev/null || true)
if [ -e "$brought" ]; then
    export LD_LIBRARY_PATH="$brought/usr/lib/$triplet:$brought/lib/$triplet${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export PKG_CONFIG_PATH="$brought/usr/lib/$triplet/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
fi

is_there() {
    [ -e "$brought/usr/include/$1" ] || [ -e "$brought/usr/include/$triplet/$1" ] \
        || [ -e "$brought/usr/include/$triplet/qt6/$1" ] || [ -e "/usr/include/$triplet/qt6/$1" ] \
        || echo "#include <$1>" | c++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null
}

torch=${CMAKE_PREFIX_PATH:-$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null || true)}
missing=()
for program in cmake ninja c++ pkg-config; do command -v $program >/dev/null || missing+=("$program"); done
for one in "${needed[@]}"; do
    is_there "${one%%:*}" || missing+=("$(packages_of "$one")")
done
[ -n "$torch" ] || missing+=("LibTorch: an archive with CUDA in CMAKE_PREFIX_PATH, or python3 with torch")
if [ ${#missing[@]} -gt 0 ]; then
    echo "Missing here:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    echo "On a Debian 12 with a network: packaging/gpu.sh --bring FOLDER; take FOLDER along, set HEADSCOPE_BROUGHT to it." >&2
    exit 1
fi

say "Building against $torch"
options=(-DHEADSCOPE_TESTS=ON -DHEADSCOPE_SKIP_UNUSED=OFF -DCMAKE_PREFIX_PATH="$torch")
if [ -e "$brought" ]; then
    options+=(-DCMAKE_PREFIX_PATH="$torch;$brought/usr"
        -DCMAKE_CXX_FLAGS="-idirafter $brought/usr/include -idirafter $brought/usr/include/$triplet"
        -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$brought/usr/lib/$triplet:$brought/lib/$triplet")
fi
cmake --preset core-only -S "$root" -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel "$("$root/packaging/jobs.sh")" --target headscope-cli tst_gpu tst_execution headscope-sweep

say "Tests of what a GPU runs"
(cd "$build" && ctest -L cuda --output-on-failure)

say "All analyses on the demo, here and on the processor"
"$build/bin/headscope-cli" demo --out "$build/demo" 2>/dev/null || true # it may be there
for there in $(printf "%s\n" cpu "$device" | sort -u); do
    "$root/tests/gpu/analyses.sh" "$build/bin/headscope-cli" "$build/demo" "$there" "$build/analyses-$there"
done
python3 "$root/tests/gpu/compare.py" "$build/analyses-cpu" "$build/analyses-$device"

sweep() { "$build/bin/headscope-sweep" --device "$device" "$@" | tee "$build/sweep.txt"; }
# The same loop in transformers over a few heads, and how many times as fast the sweep was.
compare() {
    local loop=$root/tests/bench/transformers_loop.py seconds
    if ! python3 -c 'import transformers' 2>/dev/null; then
        echo "python3 has no transformers: nothing to compare with."
        return
    fi
    for dtype in f32 bf16; do
        python3 "$loop" "$@" --heads 2 --device "$device" --dtype $dtype --attention sdpa --batch "$batch" --threads "$(nproc)" \
            | tail -n 1 | tee "$build/loop.txt"
        seconds=$(sed -n 's/.*full model: \([0-9]*\) s.*/\1/p' "$build/loop.txt")
        awk -v loop="$seconds" -v dtype=$dtype '/^fast / { printf "transformers in %s takes %.1f times as long\n", dtype, loop / $2 }' \
            "$build/sweep.txt"
    done
}
plain=(--no-plain)
shapes=(bert-base bert-large marian-big gpt2)
[ "$device" = cpu ] && shapes=(tiny-bert tiny-marian tiny-gpt2 tiny-llama) plain=()
for shape in "${shapes[@]}"; do
    say "Sweep of a made-up model, $shape"
    longest=() batch=256
    [ "$shape" = gpt2 ] && longest=(--longest 1000) batch=32 # long texts, all of whose logits transformers keeps
    sweep --shape "$shape" "$build/models/$shape" --limit "$examples" --check 4 "${longest[@]}" "${plain[@]}"
    compare "$build/models/$shape" --in "$build/models/$shape/rows.jsonl"
done
decoders=(llama-1b llama-8b)
[ "$device" = cpu ] && decoders=(tiny-llama)
for shape in "${decoders[@]}"; do
    python3 -c 'import transformers' 2>/dev/null || break
    say "Patching and ablation by loss of a made-up model, $shape"
    python3 "$root/tests/bench/large_decoders.py" "$build/models/$shape-decoder" --cli "$build/bin/headscope-cli" --shape "$shape" --device "$device"
done
batch=256
if [ $# -gt 0 ]; then
    say "Sweep of $1"
    sweep "$@"
    compare "$@"
fi

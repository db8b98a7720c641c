#!/usr/bin/env bash
# Builds a wheel of Headscope, on Debian 12: programs, guide, demo and the Python module, for one minor version of torch.
#
#   packaging/wheel.sh [MINOR]     e.g. 2.13, which is also the default; makes build/wheel/headscope_torch213-VERSION-….whl
#
# torch of that version is taken from the folder that HEADSCOPE_TORCH names (…/site-packages/torch), else installed with pip into
# build/wheel/torch. A processor's torch will do: the programs load CUDA's kernels where the installed torch has them.
# HEADSCOPE_JOBS says how many files are compiled at once.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
minor=${1:-2.13}
[[ $minor =~ ^2\.[0-9]+$ ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
build=$root/build/wheel
stage=$build/stage
mkdir -p "$build"

torch=${HEADSCOPE_TORCH:-$build/torch-$minor/torch}
if [ ! -d "$torch" ]; then
    python3 -m pip install --target "$build/torch-$minor" --no-deps "torch==$minor.*" --extra-index-url https://download.pytorch.org/whl/cpu
fi
found=$(sed -n "s/^__version__ = '\([0-9]*\.[0-9]*\)\..*/\1/p" "$torch/version.py")
[ "$found" = "$minor" ] || { echo "wheel: $torch is torch ${found:-of an unknown version}, not $minor." >&2; exit 1; }

CMAKE_PREFIX_PATH=$torch "$root/packaging/setup.sh"
cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DHEADSCOPE_TESTS=OFF -DHEADSCOPE_WHEEL=ON \
    -DCMAKE_PREFIX_PATH="$torch" -Wno-dev >/dev/null
cmake --build "$build" --parallel "${HEADSCOPE_JOBS:-$("$root/packaging/jobs.sh")}"

rm -rf "$stage"
native=$stage/headscope/native
mkdir -p "$stage/notices"
cp -r "$root/packaging/python/headscope" "$stage/"
find "$stage" -name __pycache__ -prune -exec rm -rf {} +
cmake --install "$build" --prefix "$native" --strip >/dev/null
rm -rf "$native/share/applications" "$native/share/metainfo" "$native/share/mime" "$native/share/icons"
echo "$minor" >"$native/torch-minor"

# Libraries of the distribution that are neither torch's nor Qt's, nor on every Linux (PEP 600 lists those), and what they need in turn.
system='ld-linux-x86-64|linux-vdso|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|libGL|libEGL|libOpenGL|libX11|libxcb'
provided='libtorch[a-z_]*|libc10[a-z_]*|libgomp|libQt6[A-Za-z]*'
# notice FILE: the copyright of the package that a library is from
notice() {
    local package
    package=$(dpkg -S "$(readlink -f "$1")" | head -n 1 | sed 's/:.*//')
    cp "/usr/share/doc/$package/copyright" "$stage/notices/$package.txt"
}
needed_by() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
added=1
while [ "$added" -gt 0 ]; do
    added=0
    for file in "$native"/bin/* "$native"/lib/headscope/*.so*; do
        for name in $(needed_by "$file"); do
            if [[ $name =~ ^($system|$provided)\.so ]] || [ -e "$native/lib/headscope/$name" ]; then
                continue
            fi
            place=$(LD_LIBRARY_PATH=$torch/lib ldd "$file" | sed -n "s/^[[:space:]]*$name => \(\/[^ ]*\).*/\1/p")
            [ -n "$place" ] || { echo "wheel: $file needs $name, which is nowhere." >&2; exit 1; }
            cp -L "$place" "$native/lib/headscope/$name"
            notice "$place"
            added=$((added + 1))
        done
    done
done
strip --strip-unneeded "$native"/lib/headscope/*.so*

version=$(sed -n 's/^project(Headscope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
python3 "$root/packaging/python/makewheel.py" "$stage" "$version" "$minor" "$build"

#!/usr/bin/env bash
# Installs what Headscope needs on Debian or Ubuntu. Does nothing the second time. An already installed
# LibTorch (official archive, or the one inside a pip-installed torch) named in CMAKE_PREFIX_PATH is used
# instead of the distribution's. HEADSCOPE_CORE_ONLY=1 leaves Qt out. Arguments are names of more packages.
set -euo pipefail

packages=(build-essential cmake ninja-build pkg-config ccache git ca-certificates
    nlohmann-json3-dev libfmt-dev libcli11-dev libboost-math-dev libarchive-dev libutf8proc-dev libonig-dev
    libxxhash-dev libyaml-dev libsentencepiece-dev libtbb-dev libdnnl-dev libopenblas0-openmp "$@")

has_own_torch() {
    local prefix
    IFS=':;' read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}"
    for prefix in "${prefixes[@]:-}"; do
        [ -n "$prefix" ] && find "$prefix" -maxdepth 5 -name TorchConfig.cmake -print -quit 2>/dev/null | grep -q . \
            && return 0
    done
    return 1
}
has_own_torch || packages+=(libtorch-dev protobuf-compiler libprotobuf-dev libgoogle-glog-dev libgflags-dev)
if [ "${HEADSCOPE_CORE_ONLY:-0}" != 1 ]; then
    packages+=(qt6-base-dev libqt6opengl6-dev qt6-charts-dev qt6-svg-dev libqt6svg6-dev qt6-svg-plugins libgl-dev fonts-dejavu-core
        qt6-tools-dev qt6-l10n-tools qt6-translations-l10n)
fi

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not Debian or Ubuntu. Install the equivalents of: ${packages[*]}" >&2
    exit 1
fi

# Where the lists of packages are known, and do not have it.
lacks() { apt-cache show cmake >/dev/null 2>&1 && ! apt-cache show "$1" >/dev/null 2>&1; }
installed() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

missing=()
for package in "${packages[@]}"; do
    # Qt SVG's development package has two names: the older one on Ubuntu 22.04.
    case "$package" in qt6-svg-dev | libqt6svg6-dev)
        installed qt6-svg-dev || installed libqt6svg6-dev && continue ;;
    esac
    # What draws the icons came with the library until Qt 6.7.
    [ "$package" = qt6-svg-plugins ] && compgen -G "/usr/lib/*/qt6/plugins/iconengines/libqsvgicon.so" >/dev/null && continue
    # The check of the layout is skipped without it; newer distributions have newer versions only.
    [ "$package" = clang-format-14 ] && { clang-format --version 2>/dev/null | grep -q 'version 14\.' || lacks "$package"; } && continue
    installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    [ "${missing[*]}" = clang-format-14 ] && exit 0
    command -v sudo >/dev/null || { echo "setup: not root and no sudo; install by hand: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q

available=() unknown=()
for package in "${missing[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
        available+=("$package")
    else
        case "$package" in
        qt6-svg-dev | libqt6svg6-dev | qt6-svg-plugins | ccache | clang-format-14 | libdnnl-dev | qt6-translations-l10n | python3-*) ;; # the other name, or only a convenience
        *) unknown+=("$package") ;;
        esac
    fi
done
if [ ${#unknown[@]} -gt 0 ]; then
    echo "setup: this distribution does not have: ${unknown[*]}" >&2
    echo "setup: LibTorch can also come from an official archive: unpack it and set CMAKE_PREFIX_PATH to it." >&2
    exit 1
fi
[ ${#available[@]} -eq 0 ] && exit 0
"${as_root[@]}" apt-get install -y -q --no-install-recommends "${available[@]}"

#!/usr/bin/env bash
# Tries Headscope on a release of Debian: a fresh system in a folder of its own (debootstrap, chroot; needs root), a copy
# of this checkout, set-up, build and tests there. The folder is removed afterwards, whatever happened.
#
#   packaging/try-release.sh [--build|--package|--wheel FILE] [--keep] RELEASE [MIRROR]
#
#   RELEASE  bookworm, trixie, … (Ubuntu: a release's name and http://archive.ubuntu.com/ubuntu)
#   --build  only set up and build, without tests
#   --package  build the package instead, install it, start it and remove it (packaging/package.sh)
#   --wheel  install this wheel beside a torch from an index instead, and start what it has (packaging/try-wheel.sh)
#   --keep   leave the folder there and say where it is
#
# The folder is made in TMPDIR (/var/tmp) and takes about 10 GB, an hour or two go by.
set -euo pipefail

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

# Second half, in namespaces of its own: mounts and processes are gone when the script ends, however it ends.
if [ "${1:-}" = --inside ]; then
    folder=$2 what=$3
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    case "$what" in
    build) commands='packaging/setup.sh && packaging/build.sh dev' ;;
    package) commands='packaging/package.sh --try' ;;
    wheel) commands='packaging/try-wheel.sh --inside' ;;
    *) commands='packaging/test.sh' ;;
    esac
    exec chroot "$folder" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        bash -c "cd /headscope && $commands"
fi

keep=no what=test wheel=
while [[ ${1:-} == -* ]]; do
    case "$1" in
    --build) what=build ;;
    --package) what=package ;;
    --wheel)
        what=wheel wheel=$(readlink -f "${2:?--wheel needs a file}")
        shift
        ;;
    --keep) keep=yes ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done
[ $# -ge 1 ] && [ $# -le 2 ] || { usage >&2; exit 2; }
release=$1 mirror=${2:-http://deb.debian.org/debian}
[ "$(id -u)" -eq 0 ] || { echo "try-release: debootstrap and chroot need root." >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "try-release: install debootstrap first." >&2; exit 1; }
command -v git >/dev/null || { echo "try-release: install git first." >&2; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/headscope-$release-XXXXXX")
finish() {
    if [ "$keep" = yes ]; then
        echo "try-release: the system is in $folder, Headscope in its /headscope."
    else
        rm -rf --one-file-system "$folder"
    fi
}
inside=
stop() {
    [ -z "$inside" ] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || true
    exit "$1"
}
trap finish EXIT
trap 'stop 130' INT
trap 'stop 143' TERM

components=main
[[ $mirror == *ubuntu* ]] && components=main,universe
debootstrap --variant=minbase --components="$components" "$release" "$folder" "$mirror"
chmod 755 "$folder" # mktemp's 700 would shut out the user that apt fetches as

# What git knows of, and new files that it does not ignore, as they are now.
mkdir "$folder/headscope"
(cd "$root" && git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done |
    tar --null --files-from - --create --file -) | tar --extract --file - --directory "$folder/headscope"

[ -z "$wheel" ] || cp "$wheel" "$folder/headscope/"

status=0
unshare --mount --propagation private --pid --fork --kill-child \
    "$root/packaging/try-release.sh" --inside "$folder" "$what" &
inside=$!
wait "$inside" || status=$?
if [ "$status" -eq 0 ]; then
    echo "try-release: $release: passed ($what)"
else
    echo "try-release: $release: failed ($what, exit code $status)" >&2
fi
exit "$status"

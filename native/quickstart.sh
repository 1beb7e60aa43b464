#!/usr/bin/env bash
# Builds mm-native on Debian 12 or 13 and runs the lab on its built-in demo. As root, or as a user with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. native/packages.sh

need_packages "the build" g++ cmake ninja-build libxtensor-dev nlohmann-json3-dev libcli11-dev libboost-dev

say "Building build/native/mm-native"
# A build folder that is there already keeps its settings.
[ -f build/native/CMakeCache.txt ] || cmake -S . -B build/native -G Ninja >/dev/null ||
    fail "CMake could not set the build up (above)."
cmake --build build/native --target mm-native || fail "The build failed (above)."

say "" "Running the lab on the demo"
build/native/mm-native lab --pretrain demo:pretrain --sft demo:sft --out infer
say "" "Next: build/native/mm-native --help"

#!/usr/bin/env bash
# Builds the core and its tests for aarch64, statically, and runs them under qemu: another processor, the same bits. On
# Debian 12 or 13, as root or as a user with sudo. Arguments go to ctest, e.g. --label-regex '^(tensor|bits)$'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. native/packages.sh

need_packages "the build" g++ cmake ninja-build libxtensor-dev nlohmann-json3-dev googletest qemu-user-static
. native/cross.sh
need_compiler aarch64
cross_configure aarch64 build/aarch64 -DMM_NATIVE=OFF -DMM_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v qemu-aarch64-static)"
cmake --build build/aarch64
ctest --test-dir build/aarch64 --output-on-failure --parallel "$(nproc)" --timeout 3600 "$@"

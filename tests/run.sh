#!/usr/bin/env bash
# Installs what the tests need on Debian 12 or 13, builds everything and runs every test. As root, or with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. native/packages.sh
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
stage() { say "$1 (after $((SECONDS / 60)) min $((SECONDS % 60)) s)"; }

need_packages "the build" g++ cmake ninja-build libxtensor-dev nlohmann-json3-dev libcli11-dev libboost-dev
need_packages "the tests" libgtest-dev locales python3-minimal libxml2-utils clang
# Its release is part of the name: 14 in Debian 12, 19 in Debian 13.
need_packages "the sanitizers" "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
# Other releases of clang-format break lines elsewhere, so the format is checked where this one is to be had.
if has_package clang-format-14; then
    need_packages "the format" clang-format-14
else
    say "The format of the sources is not checked: this release has no clang-format-14."
fi

stage "Optimised"
cmake --preset native >/dev/null
cmake --build --preset native
ctest --preset native

# Memory errors and undefined behaviour, where foreign bytes are read; made-up and mutated inputs, for
# seconds each (tests/fuzz/README.md says how to run for long); then the program's own tests on a program so built.
stage "With sanitizers"
cmake --preset asan >/dev/null
cmake --build --preset asan --target mm-native fuzzers fuzz_replay_test same_bits_test \
    tests/base/all tests/checkpoint/all tests/text/all
ctest --preset asan --label-regex '^(base|checkpoint|text|bits|fuzz)$' --exclude-regex mutation  # fuzzing does more
MM_SANITIZED_PROGRAM=$PWD/build/asan/mm-native ctest --preset native --tests-regex '^cli_'

# The page needs the module, a newer Node than Debian's (web/node.sh brings it) and a browser with the page's scripts.
need_packages "the page" emscripten chromium fonts-noto-cjk fonts-noto-color-emoji ca-certificates
command -v npm >/dev/null || need_packages "npm" npm
stage "The page"
cmake --workflow --preset web

# After the page, whose npm packages it shares.
stage "WebAssembly, under Node and in Chromium"
cmake --workflow --preset wasm
stage "All passed"

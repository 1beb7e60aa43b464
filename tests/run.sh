#!/usr/bin/env bash
# Installs what the tests need on Debian 12, builds everything and runs every test. As root, or with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. native/packages.sh

need_packages "the build" g++ cmake ninja-build libxtensor-dev nlohmann-json3-dev libcli11-dev libcpp-httplib-dev
need_packages "the tests" libgtest-dev clang-format-14 python3-minimal libxml2-utils clang libclang-rt-14-dev

# Memory errors and undefined behaviour, where foreign bytes are read: files, texts, the command line.
say "With sanitizers"
cmake --preset asan -DMM_TESTS=ON >/dev/null
cmake --build --preset asan --target tests/base/all tests/checkpoint/all tests/text/all tests/native/all
ctest --preset asan --label-regex '^(base|checkpoint|text|native)$'

# Made-up and mutated inputs, a fixed number of each; tests/fuzz/README.md says how to run for long.
say "Fuzzing"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
ctest --preset fuzz

say "Optimised"
cmake --preset native -DMM_TESTS=ON >/dev/null
cmake --build --preset native
ctest --preset native

# The page needs the module, a newer Node than Debian's (web/node.sh brings it) and a browser with the page's scripts.
need_packages "the page" emscripten chromium fonts-noto-cjk fonts-noto-color-emoji
command -v npm >/dev/null || need_packages "npm" npm
say "The page"
cmake --workflow --preset web

# After the page, whose npm packages it shares.
say "WebAssembly, under Node and in Chromium"
cmake --workflow --preset wasm

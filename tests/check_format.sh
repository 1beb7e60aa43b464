#!/usr/bin/env bash
# Fails when a C++ source is not laid out as .clang-format says. $1: the clang-format to use (version 14; others
# break lines elsewhere).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=(core native tests)
[ ! -d wasm ] || folders+=(wasm)
find "${folders[@]}" -name '*.cpp' -o -name '*.hpp' | sort | xargs "${1:-clang-format-14}" --dry-run --Werror

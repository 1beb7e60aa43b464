#!/usr/bin/env bash
# Installs a build into a folder, runs the program from there, and builds a five-line project that uses the core: as an
# installed package, and the configuration of the same by add_subdirectory. $1: the build's folder; $2: a scratch folder.
set -euo pipefail
build=$1 scratch=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/mm-native" --version
[ -s "$scratch/prefix/share/doc/minimind-lab/LICENSE" ]
cmake -S "$source/tests/consumer" -B "$scratch/package" -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/package" >/dev/null
"$scratch/package/consumer"
# As a part of another project: the core alone, under its public name, with no flag of ours on theirs.
mkdir -p "$scratch/outer"
sed "s|find_package(MiniMindLab.*|add_subdirectory($source minimind-lab)|; s|main.cpp|$source/tests/consumer/main.cpp|" \
    "$source/tests/consumer/CMakeLists.txt" >"$scratch/outer/CMakeLists.txt"
cmake -S "$scratch/outer" -B "$scratch/outer/build" -G Ninja >/dev/null
targets=$(cmake --build "$scratch/outer/build" --target help)
grep -q 'libmm_core.a' <<<"$targets"
if grep -E 'mm-native|_test' <<<"$targets"; then
    echo "A project that uses the core is given the program or the tests as well." >&2
    exit 1
fi
if cmake --build "$scratch/outer/build" --target consumer -- -n -v | grep 'main.cpp.o ' | grep -e '-Wshadow'; then
    echo "Our warnings reach the other project's own sources." >&2
    exit 1
fi

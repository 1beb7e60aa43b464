#!/usr/bin/env bash
# Runs one fuzz program on its seeds and regression files: run.sh PROGRAM TARGET [libFuzzer options].
# New inputs stay in corpus/TARGET beside the program, one that finds something becomes found/TARGET-….
set -euo pipefail
program=$(realpath "$1") target=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(dirname "$program")
mkdir -p "$work/corpus/$target" "$work/found"
places=("$work/corpus/$target" "$here/regressions/$target")
while read -r name seeds; do
    [ "$name" = "$target" ] && places+=("$here/../$seeds")
done <"$here/seeds.txt"
folders=()
for place in "${places[@]}"; do
    if [ -d "$place" ]; then
        folders+=("$place")
    elif [ -f "$place" ]; then
        cp "$place" "$work/corpus/$target/"
    fi
done
# One allocation of more than 100 MB, or an input that takes longer than the limit, is a finding too.
exec "$program" -malloc_limit_mb=100 -rss_limit_mb=1024 -timeout=10 -max_len=60000 -print_final_stats=1 \
    -artifact_prefix="$work/found/$target-" "$@" "${folders[@]}"

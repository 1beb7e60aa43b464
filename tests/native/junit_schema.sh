#!/usr/bin/env bash
# JUnit output of a class (full, notes, nothing, hostile names) against junit.xsd: junit_schema.sh MM_NATIVE XMLLINT
set -euo pipefail
program=$1 xmllint=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own="$work/<own> & \"quoted\""
"$program" lab --pretrain demo:pretrain --sft demo:sft --out "$own" >/dev/null
mkdir "$work/empty"
cp -r "$own" "$work/notes"
printf '{"0.3": {"distinct": 4}, "1.0": {"distinct": 11}, "1.5": {"distinct": 29}, "note": "]]>"}' >"$work/notes/temp.json"
for feedback in none hint full; do
    status=0
    "$program" grade --pretrain demo:pretrain --sft demo:sft --format junit --feedback $feedback \
        "$own" "$work/empty" "$work/notes" "$work/nowhere" >"$work/class.xml" || status=$?
    [ $status = 1 ]
    "$xmllint" --noout --nonet --schema "$here/junit.xsd" "$work/class.xml"
done

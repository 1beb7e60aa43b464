#!/usr/bin/env bash
# JUnit output of a class (full, notes, nothing, hostile names) against junit.xsd, or against the published
# junit-10.xsd of Jenkins' xUnit plugin, which pytest's source package holds too: junit_schema.sh MM_NATIVE XMLLINT [XSD]
set -euo pipefail
program=$1 xmllint=$2 schema=${3:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/junit.xsd}
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
    "$xmllint" --noout --nonet --schema "$schema" "$work/class.xml"
done

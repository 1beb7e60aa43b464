#!/bin/bash
# Makes the demo model from nothing: corpus, tokenizer, both checkpoints, measurements, picture, card.
#
#   bash tests/reference/make_demo.sh [--publish] [WORK_DIR]
#
# WORK_DIR is build/demo unless given. --publish copies the result to web/models/demo; without it the result is only
# compared with what is there. Installs, and says so: Debian's python3-torch, libopenblas0-pthread and python3-matplotlib
# where they are missing (as root), and PyPI's tokenizers into WORK_DIR/site, nowhere else.
set -euo pipefail
cd "$(dirname "$0")/../.."
source=$PWD/tests/reference
shipped=$PWD/web/models/demo
publish=no
[ "${1:-}" = --publish ] && { publish=yes; shift; }
work=${1:-build/demo}
mkdir -p "$work/data" "$work/out"
work=$(cd "$work" && pwd)

missing=()
for package in python3-torch libopenblas0-pthread python3-matplotlib python3-pip; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing with apt: ${missing[*]}"
  apt-get -o DPkg::Lock::Timeout=300 install -y "${missing[@]}"
fi
if [ ! -d "$work/site/tokenizers" ]; then
  echo "installing with pip into $work/site: $(grep -v '^#' "$source/requirements.txt")"
  /usr/bin/python3 -m pip install -q --no-deps --target "$work/site" -r "$source/requirements.txt"
fi

# Debian's OpenBLAS does not know every processor and then falls back to its slowest kernels: name the right ones.
if grep -qw avx512bw /proc/cpuinfo; then export OPENBLAS_CORETYPE=SKYLAKEX
elif grep -qw avx2 /proc/cpuinfo; then export OPENBLAS_CORETYPE=HASWELL
fi
# One thread: matrices this small gain little from a second, and sums keep one order.
export OMP_NUM_THREADS=1 PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1
python() { nice -n 10 /usr/bin/python3 -u "$source/$1" "${@:2}"; }

python corpus.py "$work/data"
python questions.py "$work/data"
python train_tokenizer.py "$work/data" "$work/data/tokenizer.json"
python train.py "$work/data" "$work/out"
cp "$work/data/tokenizer.json" "$work/data/pretrain_val.jsonl" "$work/out/"
# A broken promise ends the script here, before anything is published.
python measure.py "$work/data" "$work/out" --out "$work/out/measured.json"
python plot.py "$work/out/training.jsonl" "$work/out/measured.json" "$work/out/learning_curves.png"
python write_card.py "$work/out"

for file in "$work"/out/*; do
  name=$(basename "$file")
  if cmp -s "$file" "$shipped/$name"; then echo "same as shipped: $name"; else echo "differs from shipped: $name"; fi
done
if [ $publish = yes ]; then cp "$work"/out/* "$shipped/"; echo "copied to $shipped"; fi

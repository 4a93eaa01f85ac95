#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz program of a build folder: libFuzzer's (bin/fuzz-*),
# layout-fuzz and test/mutation, each for some seconds; 0: all in turn, without
# end.
set -euo pipefail
PYTHON=${PYTHON:-python3}

if [[ $# -ne 2 ]]; then
  echo "usage: run-fuzzers.sh BUILD_FOLDER SECONDS (0: without end)" >&2
  exit 1
fi

build=$1
shopt -s nullglob
programs=("$build"/bin/fuzz-*)
if [[ ${#programs[@]} -eq 0 || ! -x $build/bin/layout-fuzz ]]; then
  echo "no fuzz-* programs or no layout-fuzz in $build/bin" >&2
  exit 1
fi

# The distribution's LLVM has no sanitizer in it: what its allocators poison in
# our code, they use in theirs.
export ASAN_OPTIONS="allow_user_poisoning=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# layout-fuzz goes on at the seed where the last run stopped.
layout_fuzz() {
  local position=$build/corpus/layout-fuzz.seed seed=0 log=$build/layout-fuzz.log
  mkdir -p "$build/corpus"
  if [[ -f $position ]]; then seed=$(<"$position"); fi
  echo "layout-fuzz: $1 seconds from seed $seed"
  "$build/bin/layout-fuzz" --seconds="$1" --seed="$seed" \
    --folder="$build/layout-fuzz-findings" | tee "$log"
  sed -n 's/^next seed \([0-9]*\),.*/\1/p' "$log" >"$position"
}

round() {
  local program name corpus seeds words
  for program in "${programs[@]}"; do
    name=$(basename "$program")
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    seeds=()
    if [[ -d $build/seeds/$name ]]; then seeds=("$build/seeds/$name"); fi
    words=()
    if [[ -f $build/seeds/$name.dict ]]; then words=("-dict=$build/seeds/$name.dict"); fi
    echo "$name: $1 seconds"
    "$program" -max_total_time="$1" -print_final_stats=1 -artifact_prefix="$build/$name-" \
      -timeout=25 "${words[@]}" "$corpus" "${seeds[@]}"
  done
  layout_fuzz "$1"
  echo "mutation: $1 seconds"
  "$PYTHON" "$(dirname "$0")/../test/mutation/mutate.py" --build="$build" --seconds="$1" \
    --run-seconds=100 --memory=5000000000 --keep="$build/mutation-findings"
}

if [[ $2 -ne 0 ]]; then
  round "$2"
  exit
fi
while true; do round 300; done
